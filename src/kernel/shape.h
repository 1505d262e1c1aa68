/* shape.h: point sets compared by their inverse generalised variance (pointset.c), and outlines (contour.c). */
#ifndef RK_SHAPE_H
#define RK_SHAPE_H

#include "kernel/kernel.h"

/* ---- pointset.c: the kernel of two point sets ------------------------------------------------------------------ */

/* The base kernel, of two points. CHI2: the sum is over the first `counts` features, the square over the others. */
typedef enum rk_base {
    RK_BASE_LINEAR, /* <x, y> */
    RK_BASE_RBF,    /* exp(-|x - y|^2 / (2 sigma^2)) */
    RK_BASE_CHI2    /* exp(-(sum (x - y)^2/(x + y) + |x - y|^2) / (2 sigma^2)) */
} rk_base;

typedef struct rk_point_params {
    rk_base base;
    int64_t counts;
    double eta, sigma;
    int normalize;
} rk_point_params;

/* The point sets of one data set. `prepare` of a kernel fills the first part, rk_points_prepare the second. */
typedef struct rk_points {
    int64_t sets, columns;
    int64_t *start;  /* sets + 1: where a set's points begin */
    double *feature; /* all points x columns */
    double *weight;  /* all points, above 0; the sum of a set is 1 */

    rk_point_params params;
    double *bias;    /* all points: added to the exponent of the base kernel */
    int64_t *rank;   /* sets: the rank of each set's Gram */
    int64_t *offset; /* sets + 1: where the numbers of a set begin in `factor` */
    double *factor;  /* all numbers of all sets, in the order of `parts` in pointset.c */
    double *self;    /* sets: -log k(x, x) before normalisation */
    int64_t longest; /* the most points of a set */
} rk_points;

/* Fills bound->side with room for sets of counts[i] points; then, from these points, what pairs need of each set. */
rkhs_status rk_points_new(rkhs_env *env, rk_bound *bound, const int64_t *counts, int64_t columns, rk_points **points);
rkhs_status rk_points_prepare(rkhs_env *env, const rk_point_params *params, rk_points *points);
/* Slots of a kernel whose `side` is rk_points. */
void rk_points_release(rkhs_env *env, rk_bound *bound);
int64_t rk_points_work(const rk_bound *a, const rk_bound *b);
int64_t rk_points_tile(const rk_bound *a, const rk_bound *b);
rkhs_status rk_points_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                            int64_t ld, rk_work work);
void rk_points_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);

/* ---- contour.c: outlines of drawings --------------------------------------------------------------------------- */

typedef enum rk_ink { RK_INK_LIGHT, RK_INK_DARK } rk_ink;

/* The ink of each pixel of image i, h x w: the mean of its colours, or 0 if that is below 0; with RK_INK_DARK, the
 * largest such mean of the image minus it. Returns the largest ink. */
double rk_ink_of(const rk_image *images, int64_t i, rk_ink ink, double *out);

/* Fails: image i has no ink. */
rkhs_status rk_fail_blank_image(rkhs_env *env, const char *kernel, int64_t i, rk_ink ink);

/* `count` points (x, y) at equal steps along the outlines of h x w ink at half of max_ink. `room`: rk_contour_room. */
int64_t rk_contour_room(int64_t h, int64_t w);
void rk_contour(const double *ink, int64_t h, int64_t w, double max_ink, int64_t count, double *room, double *points);

/* The shape context of each point: a histogram, radial x angular, of where the others lie, as shares; then, if
 * position > 0, x and y from the centre times position. Lengths are in mean distances of two points. */
void rk_shape_contexts(int64_t count, const double *points, int64_t radial, int64_t angular, double position, int64_t columns,
                       double *out);

/* ---- parameters of igv and scigv ------------------------------------------------------------------------------- */

/* clang-format off */
#define RK_ETA_PARAM(type, usual)                                                                                              \
    {.name = "eta", .kind = RK_REAL, .offset = offsetof(type, eta), .value = usual, .min = 1e-9, .max = 1e9,                   \
     .brief = "regularisation, added to each variance: with smaller values finer differences count"}
#define RK_INK_PARAM(type)                                                                                                     \
    {.name = "ink", .kind = RK_CHOICE, .offset = offsetof(type, ink), .value = "light", .choices = "light|dark",               \
     .brief = "which pixels are ink: light ones on 0, as in MNIST, or dark ones on the image's lightest"}
#define RK_SHAPE_NORMALIZE_PARAM(type)                                                                                         \
    {.name = "normalize", .kind = RK_BOOL, .offset = offsetof(type, normalize), .value = "true",                               \
     .brief = "divide by sqrt(k(x,x) k(y,y))"}
/* clang-format on */

#endif
