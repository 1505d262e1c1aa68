/* plot.h: axes and marks of the pictures that rkhs plot draws.  SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli.h"

/* ---- axis.c -------------------------------------------------------------------------------------------------------------- */

/* Numbers along a line. Values are seen relative to `base`, which is 0 unless they differ by little at a large distance from
 * it. */
typedef struct axis {
    char name[16];
    double base, lo, hi; /* the frame spans base + lo .. base + hi */
    int flat;            /* all values are equal: the span is arbitrary */
    int digit, exponent; /* the step between ticks is digit * 10^exponent */
    int power;           /* labels are in units of 10^power */
} axis;

/* A part of the picture, in pixels. */
typedef struct frame {
    double left, top, width, height;
} frame;

/* Chooses base, lo, hi for column `column` of n rows. */
void axis_range(axis *a, const double *values, int64_t n, int64_t ld, int64_t column);
/* The same units on all axes, where that does not squeeze one of them: returns 1 if so.
 * `room` is the length of each in pixels. */
int axis_equalise(axis *a, int count, const double *room);
/* Adds a margin and chooses the ticks, about one for each 54 of `room` pixels, fewer where numbers are long. */
void axis_ticks(axis *a, double room);
/* The same step on all axes, the widest, for axes in the same units. */
void axis_share_step(axis *a, int count);
/* value as a share of the frame, 0 .. 1 */
double axis_at(const axis *a, double value);
/* Draws the frame, and ticks, numbers and names where asked. */
void draw_frame(text *t, const frame *f, const axis *x, const axis *y, int below, int beside);

/* ---- marks.c ------------------------------------------------------------------------------------------------------- */

typedef struct picture {
    const double *values; /* n x d */
    int64_t n, d, ld;
    const rkhs_data *labels; /* or NULL */
    const int64_t *codes;    /* of labels */
    int64_t classes;         /* 1 without labels */
    int64_t *order, *start;  /* rows by class: order[start[c] .. start[c+1]) */
    int64_t shown;           /* classes that have a row */
    double radius, opacity;
    const char *title;
} picture;

enum { NAME_LIMIT = 26, LEGEND_ROW = 19 };

/* Sorts rows by class and sets sizes; a refusal when there is no memory. */
rkhs_status picture_start(cli *c, picture *p);
void picture_end(picture *p);
/* The number of rows of one class. */
int64_t class_count(const picture *p, int64_t code);
/* The group that holds the marks of one class, and its end. */
void marks_begin(text *t, const picture *p, int64_t code);
void marks_end(text *t);
/* One mark of a class. */
void mark(text *t, const picture *p, int64_t code, double x, double y);
/* Columns of pixels that a legend of this height needs, 0 when there is none. */
double legend_width(const picture *p, double height);
void legend(text *t, const picture *p, double left, double top, double height);
/* Pixels that a name takes at 12 px, cut at NAME_LIMIT. */
double name_width_of(const char *name);
/* A coordinate with at most one decimal. */
void add_number(text *t, double value);

#endif
