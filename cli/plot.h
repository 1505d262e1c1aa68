/* plot.h: the canvas, axes, markers and drawings that make the pictures of rkhs plot.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A drawing does not know the file format: it calls the primitives of a canvas, which canvas_svg.c writes as text and
 * canvas_cairo.c paints. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli.h"

/* In pixels: side of a frame, margins around it, font size; then the average width of a letter. */
enum { SIDE = 360, LEFT = 58, BELOW = 50, RIGHT = 18, ABOVE = 14, TITLE = 26, GAP = 16, LETTER = 13 };
#define LETTER_WIDTH 7.4

/* ---- canvas: the primitives ------------------------------------------------------------------------------------ */

/* A rectangle in the picture, in pixels. */
typedef struct frame {
    double left, top, width, height;
} frame;

/* Colours are "#rrggbb"; NULL: none. */
typedef struct pen {
    const char *fill, *stroke;
    double width, opacity; /* of the stroke; of the fill, 0: opaque */
    double dot;            /* > 0: marks are dots of this radius without a rim: few bytes; 0: marks have shapes */
} pen;

typedef struct words {
    double x, y, size; /* baseline; font size, 0: LETTER */
    const char *s;
    int limit;          /* columns, then cut; 0: no limit */
    char anchor;        /* 'm': centred at x, 'e': ends at x, else: begins at x */
    int bold, turned;   /* turned: rotated, to be read upwards */
    const char *colour; /* NULL: nearly black */
    const char *raised; /* an exponent after s, followed by ")"; or NULL */
} words;

/* Shades 0 .. 255, row by row: grey (255 is white), positions in the colour scale, or red, green, blue for each
 * pixel. */
enum { IMAGE_GREY, IMAGE_SCALE, IMAGE_RGB };
typedef struct image {
    const uint8_t *shade;
    int width, height, colours;
} image;

typedef struct canvas canvas;

typedef struct canvas_type {
    void (*begin)(canvas *v, double width, double height, const char *title, const char *about);
    void (*lines)(canvas *v, const double *xy, int count, int joined, const pen *p); /* a polyline, or segments */
    void (*rect)(canvas *v, const frame *f, const pen *p);
    void (*text)(canvas *v, const words *w);
    void (*image)(canvas *v, const frame *f, const image *i);
    void (*group)(canvas *v, const pen *p);                                                        /* begins marks */
    void (*mark)(canvas *v, const double (*corner)[2], int corners, double x, double y, double r); /* 0: a circle */
    void (*group_end)(canvas *v);
    void (*end)(canvas *v); /* the bytes of the file are now in out */
    void (*release)(canvas *v);
} canvas_type;

struct canvas {
    const canvas_type *type;
    rk_text out;
    pen pen; /* of the current group */
    void *state;
    int pdf;
    const char *failure; /* or NULL */
};

/* Chooses the back end by the ending of path, or refuses it. */
rkhs_status canvas_open(cli *c, const char *path, canvas *v);
extern const canvas_type canvas_svg;
/* The back end for PNG and PDF. Refuses where cairo is missing. */
rkhs_status canvas_cairo(cli *c, const char *path, canvas *v);

/* ---- colour_scale.c -------------------------------------------------------------------------------------------- */

/* The colour scale, dark blue to yellow; at is 0 .. 1. */
void scale_colour(double at, uint8_t rgb[3]);

/* ---- axis.c ---------------------------------------------------------------------------------------------------- */

/* One axis. Ticks show values minus `base`, which is 0 unless the values differ by little at a large distance from
 * 0. */
typedef struct axis {
    char name[64];
    double base, lo, hi; /* the frame spans base + lo to base + hi */
    int flat;            /* all values are equal: the span is arbitrary */
    int whole;           /* ticks at integers only */
    int digit, exponent; /* the step between ticks is digit * 10^exponent */
    int power;           /* tick labels are in units of 10^power */
    int characters;      /* room for labels of at least so many characters, which aligns the names of several axes */
} axis;

/* Sets name, base, lo and hi from column `column` of n rows. */
void axis_range(axis *a, const double *values, int64_t n, int64_t ld, int64_t column);
/* The same for two sets; the second may be empty. */
void axis_range_two(axis *a, const double *values, int64_t n, int64_t ld, const double *more, int64_t m, int64_t more_ld,
                    int64_t column);
/* Gives all axes the same units for each pixel and returns 1, unless that would squeeze one of them. room: their
 * lengths. */
int axis_equalise(axis *a, int count, const double *room);
/* Adds a margin (1.08: 4% at each end) and chooses ticks: about one for each 50 pixels of `room`, fewer for long
 * labels. */
void axis_ticks(axis *a, double room, double margin);
/* Gives all axes the largest step among them, for axes in the same units. */
void axis_share_step(axis *a, int count);
/* Gives all axes the same room for labels. */
void axis_share_room(axis *a, int count);
/* The position of value in the frame, 0 .. 1. */
double axis_at(const axis *a, double value);
/* The pixels that labels and name of an axis take beside a frame. */
double axis_room(const axis *a, int named);
/* What to draw beside the ticks. */
enum { NUMBERS = 1, NAMES = 2, CLOSE = 4 }; /* CLOSE: no label far outside the frame, as other frames are near */
/* Draws a frame with ticks below and on the left; axis NULL: none. */
void draw_frame(canvas *v, const frame *f, const axis *x, const axis *y, int below, int beside);
/* Draws the colour scale in f, from bottom to top, with labels on the right. */
void draw_colour_scale(canvas *v, const frame *f, const axis *a);

/* ---- markers.c ------------------------------------------------------------------------------------------------- */

/* The meaning of colours and shapes. */
typedef struct key {
    int64_t classes, shown; /* 1 without labels; classes that have rows */
    const char **names;     /* of the classes; NULL: no labels */
    int64_t *count;         /* rows of each */
    int bins;               /* > 0: classes are steps of the colour scale */
    axis scale;             /* the axis of the colour scale */
    int fresh;              /* training and new points are distinguished */
    int64_t plain;          /* the class of new points if they have no labels; or -1 */
    int64_t unknown;        /* the class of points without a label, where others have one; or -1 */
} key;

/* One set of points, sorted by class. */
typedef struct points {
    const double *values; /* n x d */
    int64_t n, d, ld;
    int64_t *codes;         /* classes of the key */
    int64_t *order, *start; /* rows of class c: order[start[c]] .. order[start[c+1]-1] */
    double radius, opacity;
    int fresh; /* new points: drawn on top, with a dark rim */
    int dots;
} points;

enum { NAME_LIMIT = 26, LEGEND_ROW = 20, BINS = 64 };

/* Sorts rows by class and sets radius and opacity. Returns 0 if there is no memory. */
int points_sort(points *p, const key *k);
/* A number in (-1, 1) that is a function of i. */
double jitter(int64_t i);
/* The colour of a class; hex is room for it. */
const char *class_colour(const key *k, int64_t code, char hex[8]);
/* Begins the group of marks of one class; draws one mark. */
void marks_begin(canvas *v, const key *k, const points *p, int64_t code);
void draw_mark(canvas *v, const key *k, const points *p, int64_t code, double x, double y);
/* Draws columns i and j as points in a frame. */
void draw_points(canvas *v, const key *k, const points *p, const frame *f, const axis *x, int64_t i, const axis *y, int64_t j);
/* The pixels that a legend of this height needs on the right; 0: no legend. */
double legend_width(const key *k, double height);
void draw_legend(canvas *v, const key *k, double left, double top, double height);
/* The width of a name, cut at NAME_LIMIT, in pixels. */
double name_width(const char *name);

/* ---- what a picture shows -------------------------------------------------------------------------------------- */

/* The labels of vertices, most frequent first. */
typedef struct label_count {
    int64_t label, count;
} label_count;
typedef struct graph_labels {
    label_count common[8];
    int count;
} graph_labels;

/* Objects that are drawn beside their points. */
typedef struct objects {
    rkhs_data *data;
    int64_t n;                    /* 0: none */
    double box_width, box_height; /* of a thumbnail */
    int height, width, channels;  /* of images */
    double min, max;              /* range of all their numbers */
    int dark;                     /* images are dark along their edges */
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
    char about[160];     /* a description for screen readers */
} picture;

/* Begins the page: its size, and the title, which begins at `left`. */
void page_begin(canvas *v, const picture *p, double left, double width, double height);
/* The top of the frames: below the title, if there is one. */
double page_top(const picture *p);

/* scatter.c */
void draw_scatter(canvas *v, picture *p);
void draw_strips(canvas *v, picture *p);
void draw_pairs(canvas *v, picture *p);
void draw_panels(canvas *v, picture *p);
enum { MAX_PANELS = 12, MAX_PAIRS = 6 };

/* thumbnails.c. take_objects reads --objects for n points. prepare_objects prepares o->data for drawing; its messages
 * name c->objects. draw_object draws object i in f. draw_objects draws as many as fit without overlap. */
rkhs_status take_objects(cli *c, int64_t n, objects *o);
rkhs_status prepare_objects(cli *c, objects *o);
void draw_object(canvas *v, const objects *o, int64_t i, const frame *f);
void draw_objects(canvas *v, const picture *p, const frame *f, const axis *x, const axis *y);

/* graph_drawing.c. count_labels finds the most frequent vertex labels, at most `room`; returns how many, -1 without
 * memory. */
int count_labels(const rkhs_data *x, label_count *common, int room);
void draw_graph(canvas *v, const rkhs_data *data, int64_t i, const graph_labels *labels, const frame *f);

/* curves.c: --model. heatmap.c: --gram. */
rkhs_status plot_model(cli *c, canvas *v);
rkhs_status plot_gram(cli *c, canvas *v);

#endif
