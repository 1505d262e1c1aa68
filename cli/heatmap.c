/* heatmap.c: rkhs plot --gram: draws a matrix as a heat map.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Each cell shows the mean of the numbers that fall into it. With labels, rows (and columns, if the matrix is square)
 * are sorted by class, so that classes that the kernel separates appear as squares along the diagonal. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct heat {
    const double *values; /* m x n */
    int64_t m, n, ld;
    const rkhs_data *labels; /* of the rows; or NULL */
    int64_t *rank, *start;   /* new position of row i; first position of class q */
    int64_t classes;
    int rows, columns; /* cells */
    int times;         /* pixels for each cell, so that viewers that smooth images keep it visible */
    double *cell;
} heat;

/* The name of a class; the last one is that of rows without a label. */
static const char *name_of(const heat *h, int64_t q) {
    const char *name = rkhs_data_class_name(h->labels, q);
    return name != NULL ? name : "unknown";
}

/* Computes the new positions of rows. Returns 0 without memory. */
static int sort_rows(heat *h) {
    int64_t named = 0;
    const int64_t *codes = h->labels != NULL ? rkhs_data_codes(h->labels, &named) : NULL;
    if (codes != NULL) h->classes = named + 1;
    h->rank = malloc((size_t)h->m * sizeof *h->rank);
    h->start = calloc((size_t)h->classes + 2, sizeof *h->start);
    if (h->rank == NULL || h->start == NULL) return 0;
    for (int64_t i = 0; i < h->m; i++) h->start[codes == NULL ? 1 : codes[i] < 0 ? named + 1 : codes[i] + 1]++;
    for (int64_t q = 0; q < h->classes; q++) h->start[q + 1] += h->start[q];
    for (int64_t i = 0; i < h->m; i++) h->rank[i] = codes != NULL ? h->start[codes[i] < 0 ? named : codes[i]]++ : i;
    for (int64_t q = h->classes; q > 0 && codes != NULL; q--) h->start[q] = h->start[q - 1]; /* shift back */
    h->start[0] = 0;
    return 1;
}

/* Computes the means of all cells. Returns 0 without memory. */
static int fill_cells(heat *h) {
    int64_t cells = (int64_t)h->rows * h->columns;
    int sorted = h->labels != NULL && h->m == h->n;
    double *count = calloc((size_t)cells, sizeof *count);
    h->cell = calloc((size_t)cells, sizeof *h->cell);
    if (count == NULL || h->cell == NULL) {
        free(count);
        return 0;
    }
    for (int64_t i = 0; i < h->m && stop_signal() == 0; i++) {
        const double *row = h->values + i * h->ld;
        int64_t base = h->rank[i] * h->rows / h->m * h->columns;
        for (int64_t j = 0; j < h->n; j++) {
            int64_t at = base + (sorted ? h->rank[j] : j) * h->columns / h->n;
            h->cell[at] += row[j];
            count[at]++;
        }
    }
    for (int64_t k = 0; k < cells; k++) h->cell[k] /= fmax(1, count[k]);
    free(count);
    return 1;
}

/* Draws lines between classes, and names on the left where there is room. */
static void draw_classes(canvas *v, const heat *h, const frame *f) {
    double last = -100;
    const pen white = {.stroke = "#fff", .width = 0.8};
    for (int64_t q = 0; q < h->classes; q++) {
        double from = (double)h->start[q] / (double)h->m, to = (double)h->start[q + 1] / (double)h->m;
        double y = f->top + f->height * from, x = f->left + f->width * from, middle = f->top + f->height * 0.5 * (from + to);
        if (from == to) continue;
        if (from > 0) v->type->lines(v, (double[]){f->left, y, f->left + f->width, y}, 2, 0, &white);
        if (from > 0 && h->m == h->n) v->type->lines(v, (double[]){x, f->top, x, f->top + f->height}, 2, 0, &white);
        if (middle - last < LETTER + 1) continue;
        v->type->text(v, &(words){.x = f->left - 7, .y = middle + 4.5, .s = name_of(h, q), .limit = NAME_LIMIT, .anchor = 'e'});
        last = middle;
    }
}

/* Draws the cells, the axes and the colour bar. */
static void draw_heat(canvas *v, const cli *c, const heat *h, uint8_t *shade) {
    picture p = {.title = c->title};
    axis scale, x = {.name = "object", .lo = 0, .hi = (double)h->n, .whole = 1};
    double left = 34;
    for (int64_t q = 0; q < h->classes && h->labels != NULL; q++)
        if (h->start[q] < h->start[q + 1]) left = fmax(left, name_width(name_of(h, q)) + 14);
    axis_range(&scale, h->cell, (int64_t)h->rows * h->columns, 1, 0);
    scale.name[0] = 0;
    axis_ticks(&scale, 240, 1);
    axis_ticks(&x, SIDE, 1);
    int width = h->columns * h->times, height = h->rows * h->times;
    for (int i = 0; i < height; i++) {
        for (int j = 0; j < width; j++) {
            double at = axis_at(&scale, h->cell[(int64_t)(i / h->times) * h->columns + j / h->times]);
            shade[(int64_t)i * width + j] = (uint8_t)lround(255 * fmin(1, fmax(0, at)));
        }
    }
    frame f = {left, page_top(&p), SIDE, SIDE * fmin(1.4, fmax(0.2, (double)h->m / (double)h->n))};
    if (h->m != h->n) snprintf(x.name, sizeof x.name, "column");
    snprintf(p.about, sizeof p.about, "a matrix of %lld x %lld numbers as colours", (long long)h->m, (long long)h->n);
    double bar = axis_room(&scale, scale.power != 0 || scale.base != 0) + 14 + GAP;
    page_begin(v, &p, f.left, f.left + f.width + bar + 4, f.top + f.height + BELOW);
    v->type->image(v, &f, &(image){shade, width, height, 1});
    if (h->labels != NULL) draw_classes(v, h, &f);
    int sorted = h->labels != NULL && h->m == h->n;
    if (sorted) snprintf(x.name, sizeof x.name, "%s, by class", rk_counted(h->n, "object").text);
    draw_frame(v, &f, sorted ? NULL : &x, NULL, NUMBERS | NAMES, 0);
    if (sorted)
        v->type->text(
            v, &(words){.x = f.left + f.width / 2, .y = f.top + f.height + 22, .s = x.name, .size = LETTER + 1, .anchor = 'm'});
    if (h->labels == NULL)
        v->type->text(v, &(words){.x = f.left - 12,
                                  .y = f.top + f.height / 2,
                                  .s = h->m == h->n ? "object" : "row",
                                  .size = LETTER + 1,
                                  .anchor = 'm',
                                  .turned = 1});
    draw_colour_scale(v, &(frame){f.left + f.width + GAP, f.top, 14, f.height}, &scale);
}

rkhs_status plot_gram(cli *c, canvas *v) {
    rkhs_kernel *precomputed = NULL;
    rkhs_data *k = NULL, *labels = NULL;
    uint8_t *shade = NULL;
    heat h = {.classes = 1};
    rkhs_status status;
    TRY(rkhs_kernel_new(c->env, "precomputed", &precomputed)); /* so that a large matrix is mapped */
    TRY(rkhs_data_read_for(c->env, c->gram, c->format, precomputed, &k));
    h.values = rkhs_data_values(k, &h.ld);
    h.m = rkhs_data_rows(k);
    h.n = rkhs_data_columns(k);
    if (h.values == NULL || h.m < 1 || h.n < 1) REFUSE(c, EXIT_FAILED, "%s: holds no matrix of numbers to draw", c->gram);
    if (c->labels != NULL) TRY(read_labels(c, c->labels, c->label_column, &labels));
    h.labels = labels;
    TRY(check_label_header(c, c->labels, labels, h.m));
    if (labels != NULL && rkhs_data_rows(labels) != h.m)
        REFUSE(c, EXIT_FAILED, "%s has %s, but %s has %s: give one label for each row", c->labels,
               rk_counted(rkhs_data_rows(labels), "label").text, c->gram, rk_counted(h.m, "row").text);
    h.rows = (int)(h.m < SIDE ? h.m : SIDE);
    h.columns = (int)(h.n < SIDE ? h.n : SIDE);
    h.times = SIDE / (h.rows > h.columns ? h.rows : h.columns);
    shade = malloc((size_t)h.rows * (size_t)h.columns * (size_t)h.times * (size_t)h.times);
    if (shade == NULL || !sort_rows(&h) || !fill_cells(&h)) REFUSE(c, EXIT_FAILED, "%s: no memory for the picture", c->gram);
    draw_heat(v, c, &h, shade);
done:
    free(shade);
    free(h.cell);
    free(h.rank);
    free(h.start);
    rkhs_data_free(labels);
    rkhs_data_free(k);
    rkhs_kernel_free(precomputed);
    return status;
}
