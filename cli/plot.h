/* plot.h: the canvas, axes, marks and drawings of rkhs plot.  SPDX-License-Identifier: BSD-3-Clause
 *
 * A drawing knows no file format: it calls the primitives of a canvas, which canvas_svg.c writes as text and canvas_cairo.c
 * paints. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli.h"

/* Pixels: the side of a frame, the margins around it, the size of letters and how wide one of them is on average. */
enum { SIDE = 360, LEFT = 58, BELOW = 50, RIGHT = 18, ABOVE = 14, TITLE = 26, GAP = 16, LETTER = 13 };
#define LETTER_WIDTH 7.4

/* ---- canvas: what can be drawn --------------------------------------------------------------------------------------- */

/* A part of the picture, in pixels. */
typedef struct frame {
    double left, top, width, height;
} frame;

/* Colours are "#rrggbb"; NULL: none. */
typedef struct pen {
    const char *fill, *stroke;
    double width, opacity; /* of the stroke; of the fill, 0: solid */
    double dot;            /* marks are dots of this radius without a rim, in few bytes; 0: they are drawn one by one */
} pen;

typedef struct words {
    double x, y, size; /* the base line; 0: LETTER */
    const char *s;
    int limit;          /* columns, the rest is cut; 0: all */
    char anchor;        /* 'm' middle, 'e' end, otherwise the beginning stands at x */
    int bold, turned;   /* turned: reads upwards */
    const char *colour; /* NULL: nearly black */
    const char *raised; /* an exponent after s, or NULL; then a closing bracket */
} words;

/* Shades 0 .. 255, row by row: of a grey, 255 white, of the scale of colours, or three for each pixel: red, green, blue. */
enum { IMAGE_GREY, IMAGE_SCALE, IMAGE_RGB };
typedef struct image {
    const uint8_t *shade;
    int width, height, colours;
} image;

typedef struct canvas canvas;

typedef struct canvas_type {
    void (*begin)(canvas *v, double width, double height, const char *title, const char *about);
    void (*lines)(canvas *v, const double *xy, int count, int joined, const pen *p); /* one line, or pairs of ends */
    void (*rect)(canvas *v, const frame *f, const pen *p);
    void (*text)(canvas *v, const words *w);
    void (*image)(canvas *v, const frame *f, const image *i);
    void (*group)(canvas *v, const pen *p);                                                        /* marks follow */
    void (*mark)(canvas *v, const double (*corner)[2], int corners, double x, double y, double r); /* 0 corners: a circle */
    void (*group_end)(canvas *v);
    void (*end)(canvas *v); /* what was drawn is now in out */
    void (*release)(canvas *v);
} canvas_type;

struct canvas {
    const canvas_type *type;
    text out;
    pen pen; /* of the group */
    void *state;
    int pdf;
    const char *failure; /* or NULL */
};

/* Chooses the back end by the ending of path, or refuses it. */
rkhs_status canvas_open(cli *c, const char *path, canvas *v);
extern const canvas_type canvas_svg;
/* The back end for PNG and PDF, or a refusal where there is no cairo. */
rkhs_status canvas_cairo(cli *c, const char *path, canvas *v);

/* ---- colour_scale.c
 * ---------------------------------------------------------------------------------------------------------- */

/* The scale of colours, dark blue to yellow: at is 0 .. 1. */
void scale_colour(double at, uint8_t rgb[3]);

/* ---- axis.c -------------------------------------------------------------------------------------------------------------- */

/* Numbers along a line. Values are seen relative to `base`, which is 0 unless they differ by little at a large distance from
 * it. */
typedef struct axis {
    char name[40];
    double base, lo, hi; /* the frame spans base + lo .. base + hi */
    int flat;            /* all values are equal: the span is arbitrary */
    int whole;           /* ticks at whole numbers only */
    int digit, exponent; /* the step between ticks is digit * 10^exponent */
    int power;           /* labels are in units of 10^power */
    int characters;      /* room is kept for labels of at least as many, so that names of several axes stand in line */
} axis;

/* Chooses base, lo, hi for column `column` of n rows. */
void axis_range(axis *a, const double *values, int64_t n, int64_t ld, int64_t column);
/* The same for two sets, the second of which may be empty. */
void axis_range_two(axis *a, const double *values, int64_t n, int64_t ld, const double *more, int64_t m, int64_t more_ld,
                    int64_t column);
/* The same units on all axes, where that does not squeeze one of them: returns 1 if so.
 * `room` is the length of each in pixels. */
int axis_equalise(axis *a, int count, const double *room);
/* Adds a margin (1.08: 4% at each end) and chooses the ticks, about one for each 50 of `room` pixels, fewer where numbers are
 * long. */
void axis_ticks(axis *a, double room, double margin);
/* The same step on all axes, the widest, for axes in the same units. */
void axis_share_step(axis *a, int count);
/* The same room for numbers on all axes. */
void axis_share_room(axis *a, int count);
/* value as a share of the frame, 0 .. 1 */
double axis_at(const axis *a, double value);
/* Pixels that numbers and name of an axis take beside a frame. */
double axis_room(const axis *a, int named);
/* What stands beside ticks. */
enum { NUMBERS = 1, NAMES = 2, CLOSE = 4 }; /* CLOSE: no number reaches far out of the frame, as others are near */
/* Draws the frame with ticks below it and beside it; NULL: none. */
void draw_frame(canvas *v, const frame *f, const axis *x, const axis *y, int below, int beside);
/* The scale of colours from top to bottom of f, with its numbers to the right. */
void draw_bar(canvas *v, const frame *f, const axis *a);

/* ---- markers.c ------------------------------------------------------------------------------------------------------- */

/* What colours and shapes mean. */
typedef struct key {
    int64_t classes, shown; /* 1 without labels; those that have a row */
    const char **names;     /* of classes; NULL: no labels */
    int64_t *count;         /* rows of each */
    int bins;               /* > 0: classes are steps of a scale */
    axis scale;             /* of these */
    int fresh;              /* training and new points are told apart */
    int64_t plain;          /* the class of new points that have no label; or -1 */
    int64_t unknown;        /* the class of points that have no label where others do; or -1 */
} key;

/* One set of points, sorted by class. */
typedef struct points {
    const double *values; /* n x d */
    int64_t n, d, ld;
    int64_t *codes;         /* of the key */
    int64_t *order, *start; /* rows by class: order[start[c] .. start[c+1]) */
    double radius, opacity;
    int fresh; /* new points: on top, with a dark rim */
    int dots;
} points;

enum { NAME_LIMIT = 26, LEGEND_ROW = 20, BINS = 64 };

/* Sorts rows by class and sets sizes; 0 when there is no memory. */
int points_sort(points *p, const key *k);
/* A number in (-1, 1) that depends on i alone. */
double jitter(int64_t i);
/* The colour of a class; hex is room for it. */
const char *class_colour(const key *k, int64_t code, char hex[8]);
/* The group that holds the marks of one class, and one mark. */
void marks_begin(canvas *v, const key *k, const points *p, int64_t code);
void mark(canvas *v, const key *k, const points *p, int64_t code, double x, double y);
/* The points of two columns in one frame. */
void draw_points(canvas *v, const key *k, const points *p, const frame *f, const axis *x, int64_t i, const axis *y, int64_t j);
/* Pixels that a legend of this height needs to the right, 0 when there is none. */
double legend_width(const key *k, double height);
void legend(canvas *v, const key *k, double left, double top, double height);
/* Pixels that a name takes, cut at NAME_LIMIT. */
double name_width(const char *name);

/* ---- what a picture shows --------------------------------------------------------------------------------------------- */

/* Labels of vertices, the commonest first. */
typedef struct label_count {
    int64_t label, count;
} label_count;
typedef struct graph_labels {
    label_count common[8];
    int count;
} graph_labels;

/* Objects to be drawn at their points. */
typedef struct objects {
    rkhs_data *data;
    int64_t n;                    /* 0: none */
    double box_width, box_height; /* of a drawing */
    int height, width, channels;  /* of images */
    double least, most;           /* of all their numbers */
    int dark;                     /* along their edges */
    graph_labels labels;          /* of the vertices of graphs */
} objects;

typedef struct picture {
    key key;
    points *sets; /* one for each panel */
    int count;
    points fresh; /* n = 0: none */
    objects objects;
    const char *title;
    const char **titles; /* of panels; or NULL */
    char about[160];     /* a sentence for readers who cannot see it */
} picture;

/* Opens the page: size, title, which begins at `left`. */
void page_begin(canvas *v, const picture *p, double left, double width, double height);
/* Where the frames begin: below the title, if there is one. */
double page_top(const picture *p);

/* scatter.c */
void draw_scatter(canvas *v, picture *p);
void draw_strips(canvas *v, picture *p);
void draw_pairs(canvas *v, picture *p);
void draw_panels(canvas *v, picture *p);
enum { MOST_PANELS = 12, MOST_PAIRS = 6 };

/* thumbnails.c: reads --objects for n points; places some of them so that none covers another; fills at most the frame. */
rkhs_status take_objects(cli *c, int64_t n, objects *o);
/* Looks at o->data, and says c->objects and --image-size where it refuses them; draws object i in f, as its kind is drawn. */
rkhs_status look_at_objects(cli *c, objects *o);
void draw_object(canvas *v, const objects *o, int64_t i, const frame *f);
void draw_objects(canvas *v, const picture *p, const frame *f, const axis *x, const axis *y);

/* graph_drawing.c: the commonest labels of vertices, at most `room`, and how many were found, -1 without memory; a graph in a
 * frame.
 */
int count_labels(const rkhs_data *x, label_count *common, int room);
void draw_graph(canvas *v, const rkhs_data *data, int64_t i, const graph_labels *labels, const frame *f);

/* curves.c: --model: eigenvalues and losses. heatmap.c: --gram. */
rkhs_status plot_model(cli *c, canvas *v);
rkhs_status plot_gram(cli *c, canvas *v);

#endif
