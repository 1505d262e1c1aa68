/* graph_drawing.c: draws small graphs, by stress majorisation.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Distances in the drawing approximate distances in the graph: minimise sum_{u<v} (|x_u - x_v| - d_uv)^2 / d_uv^2,
 * with d_uv the number of edges on a shortest path (Gansner, Koren, North 2004), moving one vertex at a time. The
 * start is classical multidimensional scaling. Nothing is random: a graph always looks the same. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, POWERS = 60, MAX_DRAWN = 150, COLOURS = 8 };

/* The most frequent label is dark grey, as carbon is; the next six have colours; all others are white. */
static const char *const label_colours[COLOURS] = {"#404040", "#d55e00", "#0072b2", "#e3d31a",
                                                   "#009e73", "#cc79a7", "#56b4e9", "#ffffff"};

/* ---- layout ---------------------------------------------------------------------------------------------------- */

/* All shortest-path lengths. Between connected components: the largest length inside one, plus 1. */
static void count_steps(const rkhs_graph *g, int n, double *d, int *queue) {
    double widest = 0;
    for (int v = 0; v < n; v++) {
        double *row = d + (size_t)v * (size_t)n;
        int count = 1;
        for (int u = 0; u < n; u++) row[u] = -1;
        row[v] = 0;
        queue[0] = v;
        for (int at = 0; at < count; at++) {
            int w = queue[at];
            for (int64_t q = g->starts[w]; q < g->starts[w + 1]; q++) {
                int u = g->neighbours[q];
                if (row[u] >= 0) continue;
                row[u] = row[w] + 1;
                widest = fmax(widest, row[u]);
                queue[count++] = u;
            }
        }
    }
    for (int i = 0; i < n * n; i++) {
        if (d[i] < 0) d[i] = widest + 1;
    }
}

/* out = B x with B = -1/2 J D^2 J, where J centres and D^2 has the squared entries of d. */
static void scaling_product(int n, const double *d, const double *x, double *out) {
    double mean = 0, out_mean = 0;
    for (int i = 0; i < n; i++) mean += x[i] / n;
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++) out[i] -= 0.5 * d[i * n + j] * d[i * n + j] * (x[j] - mean);
        out_mean += out[i] / n;
    }
    for (int i = 0; i < n; i++) out[i] -= out_mean;
}

/* The two leading eigenvectors, by power iteration. A small offset separates vertices that would coincide. */
static void start_layout(int n, const double *d, double *x, double *y, double *work) {
    for (int which = 0; which < 2; which++) {
        double *z = which == 0 ? x : y, length = 0;
        for (int i = 0; i < n; i++) z[i] = jitter(i + which * n);
        for (int k = 0; k < POWERS; k++) {
            double along = 0, own = 0;
            scaling_product(n, d, z, work);
            for (int i = 0; i < n && which == 1; i++) along += work[i] * x[i], own += x[i] * x[i];
            length = 0;
            for (int i = 0; i < n; i++) {
                if (which == 1 && own > 0) work[i] -= along / own * x[i];
                length += work[i] * work[i];
            }
            length = sqrt(length);
            for (int i = 0; i < n; i++) z[i] = length > 0 ? work[i] / length : z[i];
        }
        for (int i = 0; i < n; i++) z[i] = sqrt(length) * z[i] + 0.1 * jitter(7 * i + which);
    }
}

/* One round of majorisation: each vertex in turn moves to the minimum of its majorant. */
static void move_all(int n, const double *d, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        double sum = 0, to_x = 0, to_y = 0;
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            double steps = d[i * n + j], weight = 1 / (steps * steps), away = hypot(x[i] - x[j], y[i] - y[j]);
            double reach = away > 1e-9 ? steps / away : 0;
            to_x += weight * (x[j] + reach * (x[i] - x[j]));
            to_y += weight * (y[j] + reach * (y[i] - y[j]));
            sum += weight;
        }
        if (sum > 0) x[i] = to_x / sum, y[i] = to_y / sum;
    }
}

/* Scales the layout into a frame, equally in both directions, with a margin `edge`. Returns the length of an edge in
 * pixels, at most a third of the frame. */
static double fit_layout(int n, double *x, double *y, const frame *f, double edge) {
    double low[2] = {x[0], y[0]}, high[2] = {x[0], y[0]};
    for (int i = 0; i < n; i++) {
        low[0] = fmin(low[0], x[i]), high[0] = fmax(high[0], x[i]);
        low[1] = fmin(low[1], y[i]), high[1] = fmax(high[1], y[i]);
    }
    double scale = (f->width - 2 * edge) / 3;
    if (high[0] > low[0]) scale = fmin(scale, (f->width - 2 * edge) / (high[0] - low[0]));
    if (high[1] > low[1]) scale = fmin(scale, (f->height - 2 * edge) / (high[1] - low[1]));
    for (int i = 0; i < n; i++) {
        x[i] = f->left + f->width / 2 + scale * (x[i] - (low[0] + high[0]) / 2);
        y[i] = f->top + f->height / 2 + scale * (y[i] - (low[1] + high[1]) / 2);
    }
    return scale;
}

/* ---- labels ---------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_count(const void *a, const void *b) {
    const label_count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : (x->label > y->label) - (x->label < y->label);
}

int count_labels(const rkhs_data *x, label_count *common, int room) {
    rkhs_graph g;
    int64_t total = 0, at = 0, n = rkhs_data_rows(x), found = 0;
    for (int64_t i = 0; i < n && rkhs_data_graph(x, i, &g) && g.labels != NULL; i++) total += g.vertices;
    if (total == 0) return 0;
    int64_t *all = malloc((size_t)total * sizeof *all);
    label_count *counts = malloc((size_t)total * sizeof *counts);
    if (all == NULL || counts == NULL) {
        free(all);
        free(counts);
        return -1;
    }
    for (int64_t i = 0; i < n && rkhs_data_graph(x, i, &g); at += g.vertices, i++)
        memcpy(all + at, g.labels, (size_t)g.vertices * sizeof *all);
    qsort(all, (size_t)total, sizeof *all, by_value);
    for (int64_t i = 0; i < total; i++) {
        if (i == 0 || all[i] != all[i - 1]) counts[found++] = (label_count){all[i], 0};
        counts[found - 1].count++;
    }
    qsort(counts, (size_t)found, sizeof *counts, by_count);
    if (found < room) room = (int)found;
    memcpy(common, counts, (size_t)room * sizeof *counts);
    free(all);
    free(counts);
    return room;
}

/* The index of a label's colour. */
static int colour_of(const graph_labels *l, int64_t label) {
    for (int k = 0; k < l->count && k < COLOURS - 1; k++) {
        if (l->common[k].label == label) return k;
    }
    return COLOURS - 1;
}

/* ---- drawing --------------------------------------------------------------------------------------------------- */

/* Draws edges, then vertices colour by colour. */
static void draw_laid_out(canvas *v, const graph_labels *labels, const rkhs_graph *g, const double *x, const double *y,
                          double *lines, double radius) {
    int n = (int)g->vertices, count = 0;
    for (int u = 0; u < n; u++) {
        for (int64_t q = g->starts[u]; q < g->starts[u + 1]; q++) {
            int w = g->neighbours[q];
            if (w < u) continue;
            memcpy(lines + 4 * count++, (double[]){x[u], y[u], x[w], y[w]}, 4 * sizeof *lines);
        }
    }
    v->type->lines(v, lines, 2 * count, 0, &(pen){.stroke = "#777777", .width = 0.9});
    for (int colour = 0; colour < COLOURS; colour++) {
        int open = 0;
        for (int u = 0; u < n; u++) {
            if ((g->labels != NULL ? colour_of(labels, g->labels[u]) : 0) != colour) continue;
            pen mine = {.fill = label_colours[colour], .opacity = 1};
            if (colour == COLOURS - 1) mine.stroke = "#404040", mine.width = 0.5;
            if (!open++) v->type->group(v, &mine);
            v->type->mark(v, NULL, 0, x[u], y[u], radius);
        }
        if (open) v->type->group_end(v);
    }
}

void draw_graph(canvas *v, const rkhs_data *data, int64_t i, const graph_labels *labels, const frame *f) {
    rkhs_graph g;
    char count[32];
    if (!rkhs_data_graph(data, i, &g)) return;
    if (g.vertices > MAX_DRAWN) { /* too many to see anything */
        snprintf(count, sizeof count, "%lld", (long long)g.vertices);
        v->type->text(
            v, &(words){.x = f->left + f->width / 2, .y = f->top + f->height / 2 + 4, .size = 10, .s = count, .anchor = 'm'});
        return;
    }
    int n = (int)g.vertices;
    int64_t edges = (g.starts[n] - g.starts[0]) / 2;
    double *d = malloc((size_t)n * (size_t)n * sizeof *d), *x = malloc(3 * (size_t)n * sizeof *x);
    double *lines = malloc((size_t)(4 * edges + 4) * sizeof *lines);
    int *queue = malloc((size_t)n * sizeof *queue);
    if (d == NULL || x == NULL || lines == NULL || queue == NULL) {
        v->out.status = RKHS_ERR_MEMORY;
        goto done;
    }
    double *y = x + n;
    count_steps(&g, n, d, queue);
    start_layout(n, d, x, y, y + n);
    for (int round = 0; round < ROUNDS; round++) move_all(n, d, x, y);
    double step = fit_layout(n, x, y, f, 4);
    draw_laid_out(v, labels, &g, x, y, lines, fmin(2, fmax(0.8, 0.3 * step)));
done:
    free(d);
    free(x);
    free(lines);
    free(queue);
}
