/* contour.c: points on the outlines of a drawing, and the shape context of each point.
 *
 * The outline is where the ink, interpolated along the edges of the pixel grid, crosses half of its maximum (marching
 * squares). A frame without ink around the image closes every outline. Pixels that touch at a corner alone get
 * separate outlines. Outlines are walked in the order in which rows meet them. `count` points lie at equal steps along
 * all of them together, the first half a step from the beginning. Nothing is random: an image moved by whole pixels
 * has the same points, moved.
 *
 * The shape context of a point is a histogram of where the others lie, over log r and the angle in the image. r is in
 * mean distances of two points, from 1/8 to 2 in `radial` steps; points outside count in the first or last. A full
 * turn has `angular` steps. Each other point is shared among the four nearest bins, in proportion, so that a small
 * move changes the histogram little. Belongie, Malik, Puzicha, "Shape matching and object recognition using shape
 * contexts", PAMI 24, 2002. */
#include "kernel/shape.h"

#include <string.h>

#define INNER 0.125 /* radii of the histogram, in mean distances */
#define OUTER 2.0
#define TURN 6.283185307179586
#define SHARE 1e-12 /* smaller shares count as 0: chi2 divides by shares */

double rk_ink_of(const rk_image *images, int64_t i, rk_ink ink, double *out) {
    int64_t c = images->c, colours = c == 4 ? 3 : c, pixels = images->h * images->w;
    double light = -INFINITY, max_ink = 0;
    for (int64_t q = 0; q < pixels; q++) {
        double sum = 0;
        for (int64_t k = 0; k < colours; k++) sum += rk_dense_at(&images->dense, i, q * c + k);
        out[q] = sum / (double)colours;
        light = fmax(light, out[q]);
    }
    for (int64_t q = 0; q < pixels; q++) {
        out[q] = ink == RK_INK_DARK ? light - out[q] : fmax(out[q], 0);
        max_ink = fmax(max_ink, out[q]);
    }
    return max_ink;
}

rkhs_status rk_fail_blank_image(rkhs_env *env, const char *kernel, int64_t i, rk_ink ink) {
    return rk_fail(env, RKHS_ERR_DATA, "image %lld (counted from 1) is blank, and '%s' needs ink to compare: leave it out%s",
                   (long long)i + 1, kernel, ink == RK_INK_DARK ? "" : ", or say ink=dark where small numbers are the ink");
}

/* ---- outlines -------------------------------------------------------------------------------------------------- */

/* The image with an empty frame. Edge 2 q leads from pixel q to the right, edge 2 q + 1 down. next[e] is the edge that
 * the outline through edge e crosses next, with the ink on its left; -1: no outline crosses e. */
typedef struct outline {
    const double *ink; /* rows x columns */
    int64_t rows, columns;
    double level;
    double *next; /* 2 rows x columns; integers */
} outline;

int64_t rk_contour_room(int64_t h, int64_t w) { return 3 * (h + 2) * (w + 2); }

/* The one or two lines (from edge, to edge) through a cell, for the 16 cases of ink on its corners (1: upper left, 2:
 * upper right, 4: lower right, 8: lower left). Edges: 0 top, 1 right, 2 bottom, 3 left; -1: none. */
static const signed char ways[16][4] = {{-1, -1, -1, -1}, {0, 3, -1, -1}, {1, 0, -1, -1}, {1, 3, -1, -1},
                                        {2, 1, -1, -1},   {0, 3, 2, 1},   {2, 0, -1, -1}, {2, 3, -1, -1},
                                        {3, 2, -1, -1},   {0, 2, -1, -1}, {1, 0, 3, 2},   {1, 2, -1, -1},
                                        {3, 1, -1, -1},   {0, 1, -1, -1}, {3, 0, -1, -1}, {-1, -1, -1, -1}};

/* Where the outline crosses an edge. */
static void crossing(const outline *o, int64_t edge, double at[2]) {
    int64_t q = edge / 2, down = edge % 2;
    double from = o->ink[q], to = o->ink[down ? q + o->columns : q + 1], part = (o->level - from) / (to - from);
    at[0] = (double)(q % o->columns) + (down ? 0 : part);
    at[1] = (double)(q / o->columns) + (down ? part : 0);
}

/* Links the edges of one cell; returns the length of the outlines in it. */
static double link_cell(outline *o, int64_t i, int64_t j) {
    int64_t q = i * o->columns + j, below = q + o->columns;
    int64_t edge[4] = {2 * q, 2 * (q + 1) + 1, 2 * below, 2 * q + 1};
    int corners = (o->ink[q] >= o->level) | (o->ink[q + 1] >= o->level) << 1 | (o->ink[below + 1] >= o->level) << 2 |
                  (o->ink[below] >= o->level) << 3;
    const signed char *way = ways[corners];
    double length = 0, a[2], b[2];
    for (int k = 0; k < 4 && way[k] >= 0; k += 2) {
        int64_t from = edge[way[k]], to = edge[way[k + 1]];
        o->next[from] = (double)to;
        crossing(o, from, a);
        crossing(o, to, b);
        length += hypot(b[0] - a[0], b[1] - a[1]);
    }
    return length;
}

/* Walks along every outline once, and puts `count` points on them, `step` apart. */
static void walk(outline *o, double step, int64_t count, double *points) {
    double length = 0, a[2], b[2];
    int64_t done = 0;
    for (int64_t first = 0; first < 2 * o->rows * o->columns && done < count; first++) {
        if (o->next[first] < 0) continue;
        crossing(o, first, a);
        for (int64_t edge = first; o->next[edge] >= 0;) {
            int64_t to = (int64_t)o->next[edge];
            o->next[edge] = -1;
            crossing(o, edge = to, b);
            double part = hypot(b[0] - a[0], b[1] - a[1]), target;
            while (done < count && part > 0 && (target = ((double)done + 0.5) * step) <= length + part) {
                double t = (target - length) / part;
                for (int k = 0; k < 2; k++) points[2 * done + k] = a[k] + t * (b[k] - a[k]);
                done++;
            }
            length += part;
            memcpy(a, b, sizeof a);
        }
    }
}

void rk_contour(const double *ink, int64_t h, int64_t w, double max_ink, int64_t count, double *room, double *points) {
    int64_t rows = h + 2, columns = w + 2;
    double *framed = room, length = 0;
    outline o = {.ink = framed, .rows = rows, .columns = columns, .level = max_ink / 2, .next = room + rows * columns};
    memset(framed, 0, (size_t)(rows * columns) * sizeof *framed);
    for (int64_t i = 0; i < h; i++) memcpy(framed + (i + 1) * columns + 1, ink + i * w, (size_t)w * sizeof *ink);
    for (int64_t e = 0; e < 2 * rows * columns; e++) o.next[e] = -1;
    for (int64_t i = 0; i + 1 < rows; i++)
        for (int64_t j = 0; j + 1 < columns; j++) length += link_cell(&o, i, j);
    walk(&o, length / (double)count, count, points);
}

/* ---- shape contexts -------------------------------------------------------------------------------------------- */

static double mean_distance(int64_t count, const double *points) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++) sum += hypot(points[2 * i] - points[2 * j], points[2 * i + 1] - points[2 * j + 1]);
    return sum / ((double)count * (double)(count - 1) / 2);
}

/* Shares a point at radius r (in mean distances) and `angle` (in turns) among the four nearest bins. */
static void add_point(double r, double angle, int64_t radial, int64_t angular, double *bins) {
    double u = fmin(fmax(log(r / INNER) / log(OUTER / INNER) * (double)radial - 0.5, 0), (double)(radial - 1));
    double v = angle * (double)angular - 0.5, fu = floor(u), fv = floor(v), a = u - fu, b = v - fv;
    int64_t R = (int64_t)fu, T = ((int64_t)fv % angular + angular) % angular, next = (T + 1) % angular;
    if (a < SHARE) a = 0;
    if (b < SHARE) b = 0;
    bins[R * angular + T] += (1 - a) * (1 - b);
    bins[R * angular + next] += (1 - a) * b;
    if (a == 0) return;
    bins[(R + 1) * angular + T] += a * (1 - b);
    bins[(R + 1) * angular + next] += a * b;
}

void rk_shape_contexts(int64_t count, const double *points, int64_t radial, int64_t angular, double position, int64_t columns,
                       double *out) {
    double unit = mean_distance(count, points), centre[2] = {0, 0};
    int64_t bins = radial * angular;
    for (int64_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++) centre[k] += points[2 * i + k] / (double)count;
    for (int64_t i = 0; i < count; i++) {
        double *row = out + i * columns;
        memset(row, 0, (size_t)columns * sizeof *row);
        for (int64_t j = 0; j < count; j++) {
            double dx = points[2 * j] - points[2 * i], dy = points[2 * j + 1] - points[2 * i + 1];
            if (j != i) add_point(hypot(dx, dy) / unit, atan2(dy, dx) / TURN, radial, angular, row);
        }
        for (int64_t q = 0; q < bins; q++) row[q] /= (double)(count - 1);
        for (int k = 0; k < 2 && position > 0; k++) row[bins + k] = position * (points[2 * i + k] - centre[k]) / unit;
    }
}
