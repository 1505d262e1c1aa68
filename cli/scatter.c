/* scatter.c: the pictures of embeddings: scatter plot, strips, pairs of dimensions, panels.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One dimension: a strip for each class. Two: a scatter plot, with the same units on both axes unless one would be
 * squeezed. Three or more: all pairs of the first six, below the diagonal of a grid, with the legend above it. Several
 * embeddings: one panel each. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With more marks than this, marks are dots, which keeps a file to a few MB. */
enum { MAX_MARKS = 40000 };

/* Between the frames of a grid, in pixels. */
enum { SPACE = 26 };

double page_top(const picture *p) { return ABOVE + (p->title != NULL ? TITLE : 0); }

void page_begin(canvas *v, const picture *p, double left, double width, double height) {
    v->type->begin(v, width, height, p->title != NULL ? p->title : "Embedding", p->about);
    if (p->title == NULL) return;
    v->type->text(
        v,
        &(words){
            .x = left, .y = ABOVE + 10, .size = 15, .bold = 1, .s = p->title, .limit = (int)fmax(4, (width - left - 8) / 9.2)});
}

/* The range of one column, over a set and the new points. */
static void range(axis *a, const picture *p, const points *s, int64_t column) {
    int with = p->fresh.n > 0;
    axis_range_two(a, s->values, s->n, s->ld, p->fresh.values, with ? p->fresh.n : 0, p->fresh.ld, column);
}

/* Draws a set, and the new points on top. */
static void draw_sets(canvas *v, const picture *p, points *s, const frame *f, const axis *a, int i, const axis *b, int j) {
    draw_points(v, &p->key, s, f, a, i, b, j);
    if (p->fresh.n > 0) draw_points(v, &p->key, &p->fresh, f, a, i, b, j);
}

/* Shapes the frame like the points, within limits. Returns 1 if both axes have the same units. */
static int shape_frame(frame *f, axis *a, double side) {
    double x = a[0].hi - a[0].lo, y = a[1].hi - a[1].lo, room[2];
    f->width = f->height = side;
    if (!a[0].flat && !a[1].flat && x <= 3 * y && y <= 3 * x) {
        f->width = side * fmin(1, fmax(0.75, x / y));
        f->height = side * fmin(1, fmax(0.75, y / x));
    } else if (!a[0].flat && !a[1].flat) {
        f->height = 0.85 * side;
    }
    room[0] = f->width;
    room[1] = f->height;
    return axis_equalise(a, 2, room);
}

void draw_scatter(canvas *v, picture *p) {
    axis a[2];
    frame f = {.top = page_top(p)};
    points *s = &p->sets[0];
    for (int i = 0; i < 2; i++) range(&a[i], p, s, i);
    int equal = shape_frame(&f, a, p->objects.n > 0 ? 1.4 * SIDE : SIDE);
    axis_ticks(&a[0], f.width, p->objects.n > 0 ? 1.14 : 1.08);
    axis_ticks(&a[1], f.height, p->objects.n > 0 ? 1.14 : 1.08);
    if (equal) axis_share_step(a, 2);
    f.left = axis_room(&a[1], 1);
    double keys = legend_width(&p->key, f.height);
    page_begin(v, p, f.left, f.left + f.width + (keys > 0 ? GAP + keys : RIGHT), f.top + f.height + BELOW);
    draw_frame(v, &f, &a[0], &a[1], NUMBERS | NAMES, NUMBERS | NAMES);
    draw_sets(v, p, s, &f, &a[0], 0, &a[1], 1);
    if (p->objects.n > 0) draw_objects(v, p, &f, &a[0], &a[1]);
    draw_legend(v, &p->key, f.left + f.width + GAP, f.top, f.height);
}

/* ---- one dimension --------------------------------------------------------------------------------------------- */

/* Draws the marks of one class, spread vertically around y so that they can be told apart. */
static void draw_strip(canvas *v, const key *k, const points *s, int64_t code, const frame *f, const axis *x, double y,
                       double height) {
    double reach = fmax(0, fmin(0.36 * height, 0.5 * height - s->radius));
    if (s->n == 0 || s->start[code] == s->start[code + 1]) return;
    marks_begin(v, k, s, code);
    for (int64_t q = s->start[code]; q < s->start[code + 1]; q++) {
        int64_t i = s->order[q];
        draw_mark(v, k, s, code, f->left + f->width * axis_at(x, s->values[i * s->ld]), y + reach * jitter(i));
    }
    v->type->group_end(v);
}

/* Without classes there is one strip; else one for each class, with its name on the left. */
void draw_strips(canvas *v, picture *p) {
    axis x;
    const key *k = &p->key;
    int named = k->names != NULL;
    int64_t strips = named ? k->shown + (k->plain >= 0) : 1, at = 0;
    double height = strips == 1 ? 110 : fmin(48, fmax(4, SIDE / (double)strips)), widest = 0;
    int64_t each = (int64_t)ceil(14 / height); /* every how many names there is room for one */
    for (int64_t q = 0; q < k->classes && named; q++) {
        if (k->count[q] > 0) widest = fmax(widest, name_width(k->names[q]));
    }
    frame f = {fmax(named ? 30 : RIGHT, widest + 16), page_top(p), SIDE, height * (double)strips};
    double keys =
        k->bins > 0 || k->fresh
            ? legend_width(&(key){.bins = k->bins, .scale = k->scale, .fresh = k->fresh, .plain = -1, .unknown = -1}, f.height)
            : 0;
    range(&x, p, &p->sets[0], 0);
    axis_ticks(&x, f.width, 1.08);
    page_begin(v, p, f.left, f.left + f.width + (keys > 0 ? GAP + keys : RIGHT), f.top + f.height + BELOW);
    draw_frame(v, &f, &x, NULL, NUMBERS | NAMES, 0);
    for (int64_t q = 0; q < k->classes; q++) {
        if (named && k->count[q] == 0 && q != k->plain) continue;
        double y = f.top + height * ((double)(named ? at : 0) + 0.5);
        draw_strip(v, k, &p->sets[0], q, &f, &x, y, height);
        draw_strip(v, k, &p->fresh, q, &f, &x, y, height);
        if (named && q != k->plain && at % each == 0)
            v->type->text(v, &(words){.x = f.left - 8, .y = y + 4.5, .s = k->names[q], .limit = NAME_LIMIT, .anchor = 'e'});
        at++;
    }
    key bare = *k;
    bare.names = NULL; /* names are beside the strips */
    bare.shown = 0;
    if (keys > 0) draw_legend(v, &bare, f.left + f.width + GAP, f.top, f.height);
}

/* ---- three dimensions or more ---------------------------------------------------------------------------------- */

/* Makes marks smaller; turns them into dots if there are too many. */
static void lighten(points *s, double by, double times) {
    s->radius = fmax(s->fresh ? 1.6 : 0.9, by * s->radius);
    s->dots = !s->fresh && (double)s->n * times > MAX_MARKS;
}

/* Row i, column j of the grid shows dimension i + 2 over dimension j + 1. */
void draw_pairs(canvas *v, picture *p) {
    axis a[MAX_PAIRS];
    points *s = &p->sets[0];
    int count = s->d < MAX_PAIRS ? (int)s->d : MAX_PAIRS, cells = count - 1;
    double side = count == 3   ? 220
                  : count == 4 ? 170
                  : count == 5 ? 145
                               : 130,
           room[MAX_PAIRS], top = page_top(p), step = side + SPACE, left = 0;
    lighten(s, count == 3 ? 0.8 : 0.65, 0.5 * count * cells);
    lighten(&p->fresh, 0.7, 1);
    for (int i = 0; i < count; i++) range(&a[i], p, s, i);
    for (int i = 0; i < count; i++) room[i] = side;
    int equal = axis_equalise(a, count, room);
    for (int i = 0; i < count; i++) axis_ticks(&a[i], side, 1.1);
    if (equal) axis_share_step(a, count);
    axis_share_room(a + 1, cells);
    for (int i = 1; i < count; i++) left = fmax(left, axis_room(&a[i], 1));
    double free = (cells - 1) * step - SPACE, keys = legend_width(&p->key, free),
           corner = left + step + 6; /* above the diagonal */
    double width = left + cells * step - SPACE;
    if (keys > width - corner - 0.5 * side) corner = left + 2 * step + 6, free = side; /* beside the second row */
    if (cells == 2) corner = left + step + 6, free = side;
    page_begin(v, p, left, fmax(width, keys > 0 ? corner + keys : 0) + RIGHT, top + cells * step - SPACE + BELOW);
    for (int i = 0; i < cells; i++) {
        for (int j = 0; j <= i; j++) {
            frame f = {left + j * step, top + i * step, side, side};
            draw_frame(v, &f, &a[j], &a[i + 1], i == cells - 1 ? NUMBERS | NAMES | CLOSE : 0, j == 0 ? NUMBERS | NAMES : 0);
            draw_sets(v, p, s, &f, &a[j], j, &a[i + 1], i + 1);
        }
    }
    draw_legend(v, &p->key, corner, top, fmin(free, side));
}

/* ---- several embeddings ---------------------------------------------------------------------------------------- */

void draw_panels(canvas *v, picture *p) {
    axis a[MAX_PANELS][2];
    int columns = p->count <= 3   ? p->count
                  : p->count == 4 ? 2
                  : p->count <= 9 ? 3
                                  : 4,
        rows = (p->count + columns - 1) / columns;
    double side = 230, above = p->titles != NULL ? 24 : 4, top = page_top(p), left = 0, down;
    for (int i = 0; i < p->count; i++) {
        double room[2] = {side, side};
        lighten(&p->sets[i], 0.75, p->count);
        for (int j = 0; j < 2; j++) range(&a[i][j], p, &p->sets[i], j);
        int equal = axis_equalise(a[i], 2, room);
        for (int j = 0; j < 2; j++) axis_ticks(&a[i][j], side, 1.1);
        if (equal) axis_share_step(a[i], 2);
        left = fmax(left, axis_room(&a[i][1], 1));
    }
    down = above + side + BELOW;
    double across = left + side + 8, keys = legend_width(&p->key, side * rows);
    page_begin(v, p, left, columns * across + (keys > 0 ? GAP + keys : RIGHT), top + rows * down);
    for (int i = 0; i < p->count; i++) {
        frame f = {left + (i % columns) * across, top + above + (i / columns) * down, side, side};
        if (p->titles != NULL)
            v->type->text(v, &(words){.x = f.left + side / 2,
                                      .y = f.top - 8,
                                      .size = 14,
                                      .bold = 1,
                                      .anchor = 'm',
                                      .s = p->titles[i],
                                      .limit = (int)(side / 8.6)});
        draw_frame(v, &f, &a[i][0], &a[i][1], NUMBERS | NAMES, NUMBERS | NAMES);
        draw_sets(v, p, &p->sets[i], &f, &a[i][0], 0, &a[i][1], 1);
    }
    draw_legend(v, &p->key, columns * across - 8 + GAP, top + above, rows > 1 ? rows * down - BELOW - above : side);
}
