/* marks.c: the marks of a scatter plot, and its legend.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Up to eight classes have the colours of Okabe and Ito, which readers with any kind of colour vision tell apart (the yellow a
 * little darker, to be seen on white). More classes have ten colours, some from Tol's sets, and a shape besides: classes of one
 * shape differ in lightness too, so that hue is never the only difference. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 8, MANY = 10, SHAPES = 7, CORNERS = 12 };

static const char *const few_colours[FEW] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000", "#e3d31a"};
static const char *const many_colours[MANY] = {"#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#882255",
                                               "#009e73", "#cc79a7", "#808000", "#332288", "#404040"};

/* Corners of the shapes other than the circle, around 0, in units of the radius; each of about the circle's area. */
static const struct {
    int corners;
    double at[CORNERS][2];
} shapes[SHAPES] = {
    {0, {{0}}},
    {3, {{0, -1.45}, {1.3, 0.8}, {-1.3, 0.8}}},
    {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    {4, {{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}}},
    {3, {{0, 1.45}, {-1.3, -0.8}, {1.3, -0.8}}},
    {12,
     {{-0.45, -1.25},
      {0.45, -1.25},
      {0.45, -0.45},
      {1.25, -0.45},
      {1.25, 0.45},
      {0.45, 0.45},
      {0.45, 1.25},
      {-0.45, 1.25},
      {-0.45, 0.45},
      {-1.25, 0.45},
      {-1.25, -0.45},
      {-0.45, -0.45}}},
    {3, {{1.45, 0}, {-0.8, 1.3}, {-0.8, -1.3}}},
};

void add_number(text *t, double value) {
    char number[64];
    double tenths = floor(10 * value + 0.5);
    int length = snprintf(number, sizeof number, "%.1f", tenths / 10 + 0.0);
    if (length > 2 && number[length - 1] == '0') length -= 2;
    text_bytes(t, number, (size_t)length);
}

int64_t class_count(const picture *p, int64_t code) { return p->start[code + 1] - p->start[code]; }

/* The class of row i. */
static int64_t code_of(const picture *p, int64_t i) { return p->codes != NULL ? p->codes[i] : 0; }

rkhs_status picture_start(cli *c, picture *p) {
    double size = log10((double)(p->n > 1 ? p->n : 1));
    p->order = malloc((size_t)(p->n > 0 ? p->n : 1) * sizeof *p->order);
    p->start = calloc((size_t)p->classes + 2, sizeof *p->start);
    if (p->order == NULL || p->start == NULL)
        return refuse(c, EXIT_FAILED, "no memory for a picture of %lld points", (long long)p->n);
    for (int64_t i = 0; i < p->n; i++) p->start[code_of(p, i) + 1]++;
    for (int64_t k = 0; k < p->classes; k++) {
        p->shown += p->start[k + 1] > 0;
        p->start[k + 1] += p->start[k];
    }
    for (int64_t i = p->n; i-- > 0;) p->order[--p->start[code_of(p, i) + 1]] = i;
    for (int64_t k = 0; k < p->classes; k++) p->start[k] = p->start[k + 1]; /* each went down to where its class begins */
    p->start[p->classes] = p->n;
    p->radius = fmin(4.5, fmax(1, 4 - 1.25 * (size - 2)));
    p->opacity = fmin(0.9, fmax(0.4, 0.9 - 0.1 * (size - 2)));
    return RKHS_OK;
}

void picture_end(picture *p) {
    free(p->order);
    free(p->start);
}

/* The colour of a class. */
static const char *colour_of(const picture *p, int64_t code) {
    return p->classes <= FEW ? few_colours[code % FEW] : many_colours[code % MANY];
}

/* The shape of a class: three shapes for up to thirty classes, all of them for more; no pair with a colour comes twice before
 * that. */
static int shape_of(const picture *p, int64_t code) {
    return p->classes <= FEW ? 0 : (int)(code % (p->classes <= 3 * MANY ? 3 : SHAPES));
}

/* A group of marks with one colour. */
static void group_begin(text *t, const char *colour, double opacity, double radius) {
    double stroke = radius < 1.2 ? 0 : fmin(0.8, 0.15 * radius);
    text_add(t, "<g fill=\"%s\" fill-opacity=\"%.2f\"", colour, opacity);
    if (stroke > 0) text_add(t, " stroke=\"#fff\" stroke-width=\"%.2f\"", stroke);
    text_add(t, ">\n");
}

void marks_begin(text *t, const picture *p, int64_t code) { group_begin(t, colour_of(p, code), p->opacity, p->radius); }
void marks_end(text *t) { text_add(t, "</g>\n"); }

/* One mark of a shape. */
static void draw_mark(text *t, int shape, double radius, double x, double y) {
    if (shape == 0) {
        text_add(t, "<circle cx=\"");
        add_number(t, x);
        text_add(t, "\" cy=\"");
        add_number(t, y);
        text_add(t, "\" r=\"%.3g\"/>\n", radius);
        return;
    }
    const double(*at)[2] = shapes[shape].at;
    text_add(t, "<path d=\"M");
    add_number(t, x + radius * at[0][0]);
    text_add(t, " ");
    add_number(t, y + radius * at[0][1]);
    text_add(t, "l");
    for (int i = 1; i < shapes[shape].corners; i++) {
        text_add(t, "%s%.3g %.3g", i > 1 ? " " : "", radius * (at[i][0] - at[i - 1][0]), radius * (at[i][1] - at[i - 1][1]));
    }
    text_add(t, "z\"/>\n");
}

void mark(text *t, const picture *p, int64_t code, double x, double y) { draw_mark(t, shape_of(p, code), p->radius, x, y); }

double name_width_of(const char *name) { return 6.8 * text_columns(name, NAME_LIMIT); }

/* Rows and columns of a legend; entries that do not fit become one line, "and 12 more". */
static void legend_grid(const picture *p, double height, int64_t *rows, int64_t *columns, int64_t *entries) {
    *rows = (int64_t)fmax(1, floor(height / LEGEND_ROW));
    *columns = (p->shown + *rows - 1) / *rows;
    if (*columns > 3) *columns = 3;
    *entries = p->shown <= *rows * *columns ? p->shown : *rows * *columns - 1;
}

/* The width of one column of the legend. */
static double entry_width(const picture *p) {
    double widest = 60; /* "and 12 more" */
    for (int64_t k = 0; k < p->classes; k++) {
        if (class_count(p, k) > 0) widest = fmax(widest, name_width_of(rkhs_data_class_name(p->labels, k)));
    }
    return widest + 28;
}

double legend_width(const picture *p, double height) {
    int64_t rows, columns, entries;
    if (p->labels == NULL || p->shown == 0) return 0;
    legend_grid(p, height, &rows, &columns, &entries);
    return (double)columns * entry_width(p);
}

void legend(text *t, const picture *p, double left, double top, double height) {
    int64_t rows, columns, entries, done = 0;
    if (p->labels == NULL) return;
    double width = entry_width(p);
    legend_grid(p, height, &rows, &columns, &entries);
    for (int64_t k = 0; k < p->classes && done < entries; k++) {
        if (class_count(p, k) == 0) continue;
        double x = left + width * (double)(done / rows), y = top + LEGEND_ROW * ((double)(done % rows) + 0.5);
        group_begin(t, colour_of(p, k), 1, 4.5);
        draw_mark(t, shape_of(p, k), 4.5, x + 6, y);
        marks_end(t);
        text_add(t, "<text x=\"");
        add_number(t, x + 17);
        text_add(t, "\" y=\"");
        add_number(t, y + 4);
        text_add(t, "\">");
        text_xml(t, rkhs_data_class_name(p->labels, k), NAME_LIMIT);
        text_add(t, "</text>\n");
        done++;
    }
    if (done < p->shown) {
        double x = left + width * (double)(done / rows), y = top + LEGEND_ROW * ((double)(done % rows) + 0.5);
        text_add(t, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#666\">and %lld more</text>\n", x + 2, y + 4,
                 (long long)(p->shown - done));
    }
}
