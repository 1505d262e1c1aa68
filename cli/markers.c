/* markers.c: the colours and shapes of the marks in a scatter plot, and the legend.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Up to eight classes have the colours of Okabe and Ito, which are distinct for all kinds of colour vision (with a
 * darker yellow, for white paper). More classes have ten colours, some from Tol's sets, and a shape. Classes of one
 * shape also differ in lightness, so that hue is never the only difference. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 8, MANY = 10, SHAPES = 7, CORNERS = 12 };

static const char *const few_colours[FEW] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000", "#e3d31a"};
static const char *const many_colours[MANY] = {"#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#882255",
                                               "#009e73", "#cc79a7", "#808000", "#332288", "#404040"};

/* Corners of the shapes, in units of the radius, each of about the circle's area; 0 corners: the circle. */
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

int points_sort(points *p, const key *k) {
    double size = log10((double)(p->n > 1 ? p->n : 1));
    p->order = malloc((size_t)(p->n > 0 ? p->n : 1) * sizeof *p->order);
    p->start = calloc((size_t)k->classes + 2, sizeof *p->start);
    if (p->order == NULL || p->start == NULL) return 0;
    for (int64_t i = 0; i < p->n; i++) p->start[p->codes[i] + 1]++;
    for (int64_t q = 0; q < k->classes; q++) p->start[q + 1] += p->start[q];
    for (int64_t i = p->n; i-- > 0;) p->order[--p->start[p->codes[i] + 1]] = i;
    for (int64_t q = 0; q < k->classes; q++) p->start[q] = p->start[q + 1]; /* each counts down to its class's begin */
    p->start[k->classes] = p->n;
    p->radius = fmin(4, fmax(0.95, 3.6 - 1.1 * (size - 2)));
    p->opacity = fmin(0.9, fmax(0.4, 0.9 - 0.1 * (size - 2)));
    if (p->fresh) {
        p->radius = fmin(4, fmax(2, 1.15 * p->radius));
        p->opacity = 0.95;
    }
    return 1;
}

double jitter(int64_t i) {
    uint64_t h = (uint64_t)i + 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return (double)((h ^ h >> 31) >> 11) / 4503599627370496.0 - 1;
}

/* The number of classes that are labels. */
static int64_t labelled(const key *k) { return k->classes - (k->plain >= 0) - (k->unknown >= 0); }

const char *class_colour(const key *k, int64_t code, char hex[8]) {
    int64_t classes = labelled(k);
    if (code == k->plain) return k->names == NULL && k->bins == 0 ? few_colours[1] : "#ffffff";
    if (code == k->unknown) return "#b5b5b5";
    if (k->bins > 0) {
        uint8_t rgb[3];
        scale_colour(((double)code + 0.5) / k->bins, rgb);
        snprintf(hex, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
        return hex;
    }
    if (k->names == NULL) return k->fresh ? "#8a8a8a" : few_colours[0];
    return classes <= FEW ? few_colours[code % FEW] : many_colours[code % MANY];
}

/* The shape of a class: three shapes for up to thirty classes, else all seven, so that few pairs with a colour
 * repeat. */
static int shape_of(const key *k, int64_t code) {
    int64_t classes = labelled(k);
    if (k->bins > 0 || k->names == NULL || classes <= FEW || code == k->plain || code == k->unknown) return 0;
    return (int)(code % (classes <= 3 * MANY ? 3 : SHAPES));
}

void marks_begin(canvas *v, const key *k, const points *p, int64_t code) {
    char hex[8];
    double rim = p->radius < 1.2 ? 0 : fmin(0.7, 0.15 * p->radius);
    pen mine = {.fill = class_colour(k, code, hex), .opacity = p->opacity};
    if (rim > 0) mine.stroke = "#fff", mine.width = rim;
    if (p->fresh) mine.stroke = "#000", mine.width = 0.9;
    if (p->dots) mine = (pen){.fill = mine.fill, .opacity = p->opacity, .dot = p->radius};
    v->type->group(v, &mine);
}

void draw_mark(canvas *v, const key *k, const points *p, int64_t code, double x, double y) {
    int shape = shape_of(k, code);
    v->type->mark(v, shapes[shape].at, shapes[shape].corners, x, y, p->radius);
}

/* Draws points in rounds, some of each class in turn, so that no class covers the others. */
void draw_points(canvas *v, const key *k, const points *p, const frame *f, const axis *x, int64_t i, const axis *y, int64_t j) {
    int64_t rounds = k->classes < 2 ? 1 : (int64_t)fmin(8, fmax(1, floor((double)p->n / (20 * (double)k->classes))));
    for (int64_t turn = 0; turn < rounds * k->classes; turn++) {
        int64_t code = turn % k->classes, first = p->start[code] + turn / k->classes;
        if (first >= p->start[code + 1]) continue;
        marks_begin(v, k, p, code);
        for (int64_t q = first; q < p->start[code + 1]; q += rounds) {
            const double *row = p->values + p->order[q] * p->ld;
            draw_mark(v, k, p, code, f->left + f->width * axis_at(x, row[i]), f->top + f->height * (1 - axis_at(y, row[j])));
        }
        v->type->group_end(v);
    }
}

double name_width(const char *name) { return LETTER_WIDTH * text_columns(name, NAME_LIMIT); }

/* ---- legend ---------------------------------------------------------------------------------------------------- */

enum { BAR = 14, KEY = 20 };

/* Lines below the classes: a blank, "training", "new". */
static int64_t extra_rows(const key *k) { return k->fresh ? 2 + (k->names != NULL) : 0; }

/* The layout of a legend. Entries that do not fit become one line, "and 12 more". */
static void legend_grid(const key *k, double height, int64_t *rows, int64_t *columns, int64_t *entries) {
    int64_t shown = k->names != NULL ? k->shown : 0;
    *rows = (int64_t)fmax(1, floor(height / LEGEND_ROW) - (double)extra_rows(k));
    *columns = (shown + *rows - 1) / *rows;
    if (*columns > 4) *columns = 4;
    *entries = shown <= *rows * *columns ? shown : *rows * *columns - 1;
    if (*columns > 1) *rows = (shown + *columns - 1) / *columns < *rows ? (shown + *columns - 1) / *columns : *rows;
}

static double entry_width(const key *k, double height) {
    int64_t rows, columns, entries;
    legend_grid(k, height, &rows, &columns, &entries);
    double widest = k->fresh ? name_width("training") : 0;
    for (int64_t q = 0; q < k->classes && k->names != NULL; q++) {
        if (k->count[q] > 0) widest = fmax(widest, name_width(k->names[q]));
    }
    return fmax(widest, k->names != NULL && entries < k->shown ? 76 : 12) + KEY + 12; /* room for "and 12 more" */
}

double legend_width(const key *k, double height) {
    int64_t rows, columns, entries;
    if (k->bins > 0) return fmax(BAR + axis_room(&k->scale, 1) + 10, k->fresh ? entry_width(k, height) : 0);
    if (k->names == NULL && !k->fresh) return 0;
    legend_grid(k, height, &rows, &columns, &entries);
    return (double)(columns > 0 ? columns : 1) * entry_width(k, height);
}

/* Draws one entry: a mark and a name. code -1: the marks of training or new points. */
static void draw_entry(canvas *v, const key *k, int64_t code, int fresh, const char *name, double x, double y) {
    points sample = {.radius = 4.5, .opacity = 1, .fresh = fresh};
    char hex[8];
    const char *colour = fresh && k->plain >= 0 ? class_colour(k, k->plain, hex) : "#8a8a8a";
    if (code >= 0) {
        marks_begin(v, k, &sample, code);
        draw_mark(v, k, &sample, code, x + 6, y);
    } else {
        v->type->group(v, &(pen){.fill = colour, .stroke = fresh ? "#000" : "#fff", .width = fresh ? 0.9 : 0.7, .opacity = 1});
        v->type->mark(v, NULL, 0, x + 6, y, 4.5);
    }
    v->type->group_end(v);
    v->type->text(v, &(words){.x = x + KEY - 2, .y = y + 4.5, .s = name, .limit = NAME_LIMIT});
}

void draw_legend(canvas *v, const key *k, double left, double top, double height) {
    int64_t rows = 0, columns = 0, entries = 0, done = 0;
    double width = entry_width(k, height), below = top;
    if (k->bins > 0) {
        double bar = height - (k->fresh ? 3 * LEGEND_ROW : 0);
        draw_colour_scale(v, &(frame){left, top, BAR, bar}, &k->scale);
        below = top + bar + LEGEND_ROW;
    } else if (k->names != NULL) {
        legend_grid(k, height, &rows, &columns, &entries);
        below = top + LEGEND_ROW * (double)((k->shown < rows ? k->shown : rows) + 1);
    }
    for (int64_t q = 0; q < k->classes && done < entries; q++) {
        if (k->count[q] == 0) continue;
        draw_entry(v, k, q, 0, k->names[q], left + width * (double)(done / rows),
                   top + LEGEND_ROW * ((double)(done % rows) + 0.5));
        done++;
    }
    if (k->bins == 0 && k->names != NULL && done < k->shown) {
        char more[48];
        snprintf(more, sizeof more, "and %lld more", (long long)(k->shown - done));
        v->type->text(v, &(words){.x = left + width * (double)(done / rows) + 2,
                                  .y = top + LEGEND_ROW * ((double)(done % rows) + 0.5) + 4.5,
                                  .s = more,
                                  .colour = "#666"});
    }
    if (!k->fresh) return;
    draw_entry(v, k, -1, 0, "training", left, below + LEGEND_ROW * 0.5);
    draw_entry(v, k, -1, 1, "new", left, below + LEGEND_ROW * 1.5);
}
