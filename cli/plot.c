/* plot.c: rkhs plot: an embedding as an SVG, ready for a paper.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Two dimensions: a scatter plot, in the same units on both axes unless one would be squeezed. One: a strip for each class.
 * Three or more: the pairs of the first four, in one corner of a grid, the legend in the other. The same input gives the same
 * bytes. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 480, LEFT = 68, BELOW = 52, RIGHT = 20, ABOVE = 16, TITLE = 28, GAP = 18 };

/* Opens the picture: size, background, and the title, which begins at `left`. */
static void begin_picture(text *t, const picture *p, double left, double width, double height) {
    text_add(t,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" ",
             width, height, width, height);
    text_add(t, "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222\">\n<title>");
    text_xml(t, p->title != NULL ? p->title : "Embedding", 500);
    text_add(t, "</title>\n<desc>%lld points in %lld dimension%s", (long long)p->n, (long long)p->d, p->d == 1 ? "" : "s");
    if (p->labels != NULL) text_add(t, ", %lld class%s", (long long)p->shown, p->shown == 1 ? "" : "es");
    text_add(t, "</desc>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    if (p->title != NULL) {
        text_add(t, "<text x=\"%.0f\" y=\"%d\" font-size=\"15\" font-weight=\"bold\">", left, ABOVE + 12);
        text_xml(t, p->title, (int)((width - left - RIGHT) / 8.4));
        text_add(t, "</text>\n");
    }
}

/* Where the frames begin: below the title, if there is one. */
static double top_of(const picture *p) { return ABOVE + (p->title != NULL ? TITLE : 0); }

/* The points of two columns in one frame. They come in rounds, some of each class, so that no class covers the others. */
static void draw_points(text *t, const picture *p, const frame *f, const axis *x, int64_t i, const axis *y, int64_t j) {
    int64_t rounds = p->shown < 2 ? 1 : (int64_t)fmin(8, fmax(1, floor((double)p->n / (20 * (double)p->shown))));
    for (int64_t turn = 0; turn < rounds * p->classes; turn++) {
        int64_t k = turn % p->classes, first = p->start[k] + turn / p->classes;
        if (first >= p->start[k + 1]) continue;
        marks_begin(t, p, k);
        for (int64_t q = first; q < p->start[k + 1]; q += rounds) {
            const double *row = p->values + p->order[q] * p->ld;
            mark(t, p, k, f->left + f->width * axis_at(x, row[i]), f->top + f->height * (1 - axis_at(y, row[j])));
        }
        marks_end(t);
    }
}

/* The shape of the frame: that of the points, but neither a ribbon nor a tower. 1 when both axes have the same units. */
static int shape_frame(frame *f, axis *a) {
    double x = a[0].hi - a[0].lo, y = a[1].hi - a[1].lo, room[2] = {SIDE, SIDE};
    f->width = f->height = SIDE;
    if (!a[0].flat && !a[1].flat && x <= 3 * y && y <= 3 * x) {
        f->width = SIDE * fmin(1, fmax(0.75, x / y));
        f->height = SIDE * fmin(1, fmax(0.75, y / x));
    } else if (!a[0].flat && !a[1].flat) {
        f->height = 0.85 * SIDE;
    }
    room[0] = f->width;
    room[1] = f->height;
    return axis_equalise(a, 2, room);
}

/* Two dimensions. */
static void draw_scatter(text *t, const picture *p) {
    axis a[2];
    frame f = {.left = LEFT, .top = top_of(p)};
    for (int i = 0; i < 2; i++) axis_range(&a[i], p->values, p->n, p->ld, i);
    int equal = shape_frame(&f, a);
    axis_ticks(&a[0], f.width);
    axis_ticks(&a[1], f.height);
    if (equal) axis_share_step(a, 2);
    double keys = legend_width(p, f.height);
    begin_picture(t, p, f.left, f.left + f.width + (keys > 0 ? GAP + keys : RIGHT), f.top + f.height + BELOW);
    draw_frame(t, &f, &a[0], &a[1], 1, 1);
    draw_points(t, p, &f, &a[0], 0, &a[1], 1);
    legend(t, p, f.left + f.width + GAP, f.top, f.height);
    text_add(t, "</svg>\n");
}

/* A number in (-1, 1) that depends on i alone. */
static double jitter(int64_t i) {
    uint64_t h = (uint64_t)i + 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return (double)((h ^ h >> 31) >> 11) / 4503599627370496.0 - 1;
}

/* The strip of one class, `height` pixels around y, and its name when `named`. */
static void draw_strip(text *t, const picture *p, int64_t k, const frame *f, const axis *x, double y, double height,
                       int named) {
    double reach = fmax(0, fmin(0.36 * height, 0.5 * height - p->radius));
    marks_begin(t, p, k);
    for (int64_t q = p->start[k]; q < p->start[k + 1]; q++) {
        int64_t i = p->order[q];
        mark(t, p, k, f->left + f->width * axis_at(x, p->values[i * p->ld]), y + reach * jitter(i));
    }
    marks_end(t);
    if (!named) return;
    text_add(t, "<text text-anchor=\"end\" x=\"");
    add_number(t, f->left - 8);
    text_add(t, "\" y=\"");
    add_number(t, y + 4);
    text_add(t, "\">");
    text_xml(t, rkhs_data_class_name(p->labels, k), NAME_LIMIT);
    text_add(t, "</text>\n");
}

/* One dimension: a strip for each class, its points spread up and down so that they can be told apart. */
static void draw_strips(text *t, const picture *p) {
    axis x;
    double height = p->shown == 1 ? 120 : fmin(60, fmax(4, SIDE / (double)p->shown)), widest = 0;
    int64_t each = (int64_t)ceil(13 / height), at = 0; /* which names have room */
    for (int64_t k = 0; k < p->classes && p->labels != NULL; k++) {
        if (class_count(p, k) > 0) widest = fmax(widest, name_width_of(rkhs_data_class_name(p->labels, k)));
    }
    frame f = {fmax(LEFT, widest + 20), top_of(p), SIDE, height * (double)p->shown};
    axis_range(&x, p->values, p->n, p->ld, 0);
    axis_ticks(&x, f.width);
    begin_picture(t, p, f.left, f.left + f.width + RIGHT, f.top + f.height + BELOW);
    draw_frame(t, &f, &x, NULL, 1, 0);
    for (int64_t k = 0; k < p->classes; k++) {
        if (class_count(p, k) == 0) continue;
        draw_strip(t, p, k, &f, &x, f.top + height * ((double)at + 0.5), height, p->labels != NULL && at % each == 0);
        at++;
    }
    text_add(t, "</svg>\n");
}

/* Three dimensions or more: row i, column j of the grid shows dimension i + 2 against j + 1. */
static void draw_pairs(text *t, picture *p) {
    enum { MOST = 4 };
    p->radius = fmax(1, 0.75 * p->radius);
    axis a[MOST];
    int count = p->d < MOST ? (int)p->d : MOST, cells = count - 1;
    double side = count == 3 ? 260 : 210, room[MOST] = {side, side, side, side}, top = top_of(p), step = side + GAP;
    for (int i = 0; i < count; i++) axis_range(&a[i], p->values, p->n, p->ld, i);
    int equal = axis_equalise(a, count, room);
    for (int i = 0; i < count; i++) axis_ticks(&a[i], side);
    if (equal) axis_share_step(a, count);
    double width = LEFT + cells * step - GAP, keys = legend_width(p, step), corner = LEFT + step;
    begin_picture(t, p, LEFT, fmax(width, keys > 0 ? corner + keys : 0) + RIGHT, top + cells * step - GAP + BELOW);
    for (int i = 0; i < cells; i++) {
        for (int j = 0; j <= i; j++) {
            frame f = {LEFT + j * step, top + i * step, side, side};
            draw_frame(t, &f, &a[j], &a[i + 1], i == cells - 1, j == 0);
            draw_points(t, p, &f, &a[j], j, &a[i + 1], i + 1);
        }
    }
    legend(t, p, corner, top, side);
    text_add(t, "</svg>\n");
}

/* Reads the labels, from --labels or from a column of Z's own file, and counts them. */
static rkhs_status take_labels(cli *c, const rkhs_data *z, rkhs_data **own, picture *p) {
    rkhs_status status = RKHS_OK;
    if (c->labels != NULL) TRY(read_labels(c, c->labels, c->label_column, own));
    p->labels = c->labels != NULL ? *own : rkhs_data_labels(z);
    p->classes = 1;
    if (p->labels == NULL) goto done;
    p->codes = rkhs_data_codes(p->labels, &p->classes);
    if (rkhs_data_rows(p->labels) != p->n) {
        REFUSE(c, EXIT_FAILED, "%s has %lld labels, but %s has %lld points: give one label for each point", c->labels,
               (long long)rkhs_data_rows(p->labels), c->operand[0], (long long)p->n);
    }
done:
    return status;
}

/* Refuses names that promise another format than SVG. */
static rkhs_status check_ending(cli *c, const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
    if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0) return RKHS_OK;
    if (dot == NULL || strcmp(dot, ".svg") != 0)
        return refuse(c, EXIT_FAILED, "%s: only .svg can be written; name it so", path);
    return RKHS_OK;
}

int run_plot(cli *c) {
    rkhs_data *z = NULL, *labels = NULL;
    picture p = {.title = c->title};
    text t = {0};
    const char *path;
    rkhs_status status;
    TRY(result_path(c, &path));
    TRY(check_ending(c, path));
    TRY(c->labels != NULL ? read_plain(c, c->operand[0], &z) : read_data(c, c->operand[0], NULL, &z));
    p.values = rkhs_data_values(z, &p.ld);
    p.n = rkhs_data_rows(z);
    p.d = rkhs_data_columns(z);
    if (p.values == NULL || p.n < 1 || p.d < 1) REFUSE(c, EXIT_FAILED, "%s: holds no numbers to draw", c->operand[0]);
    TRY(take_labels(c, z, &labels, &p));
    TRY(picture_start(c, &p));
    if (p.d == 1)
        draw_strips(&t, &p);
    else if (p.d == 2)
        draw_scatter(&t, &p);
    else
        draw_pairs(&t, &p);
    TRY(text_write(c, &t, path));
    if (p.d > 4 && !c->quiet) say("plot", "more than four dimensions: the first four are drawn");
done:;
    int code = finish(c, status);
    text_free(&t);
    picture_end(&p);
    rkhs_data_free(labels);
    rkhs_data_free(z);
    return code;
}
