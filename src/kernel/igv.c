/* igv.c: the inverse generalised variance (IGV) kernel on images, which compares how two drawings spread their ink.
 *
 *     k(x, y) = 1 / det(I + C/eta),   C: the covariance of the points of both, in the feature space of a base kernel
 *
 * The points are the pixels with ink, weighted by it; the weights of an image sum to 1. Coordinates are in units of
 * the image's longer side. With base=linear, k = eta^2 / det(Sigma + eta I), Sigma the 2 x 2 covariance of both
 * drawings together: it compares position and spread alone. With base=rbf it compares shapes, down to the scale sigma.
 * k changes if one image moves, but not if both move alike. pointset.c has the mathematics and the cost. */
#include "kernel/shape.h"

typedef struct igv {
    double eta, sigma;
    int base, ink, normalize;
} igv;

static rk_point_params point_params_of(const igv *o) {
    return (rk_point_params){
        .base = o->base ? RK_BASE_LINEAR : RK_BASE_RBF, .eta = o->eta, .sigma = o->sigma, .normalize = o->normalize};
}

/* The points of one image from its ink (h x w). */
static void make_points(const rk_image *images, const double *ink, double max_ink, double *feature, double *weight) {
    int64_t count = 0, pixels = images->h * images->w;
    double side = (double)rk_max(images->h, images->w), sum = 0;
    for (int64_t q = 0; q < pixels; q++) {
        if (!(ink[q] / max_ink > 0)) continue;
        feature[2 * count] = (double)(q % images->w) / side;
        feature[2 * count + 1] = (double)(q / images->w) / side;
        sum += weight[count++] = ink[q] / max_ink;
    }
    for (int64_t k = 0; k < count; k++) weight[k] /= sum;
}

static rkhs_status prepare_igv(rkhs_env *env, rk_bound *bound) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const igv *o = rk_kernel_self(bound);
    const rk_image *images = rk_images(bound->x);
    int64_t n = bound->x->rows, pixels = images->h * images->w, *counts;
    double *ink;
    rk_points *points;
    rk_point_params params = point_params_of(o);
    TRY(rk_scratch(env, pixels, sizeof *ink, &ink));
    TRY(rk_scratch(env, n, sizeof *counts, &counts));
    for (int64_t i = 0; i < n; i++) {
        double max_ink = rk_ink_of(images, i, o->ink, ink);
        for (int64_t q = 0; q < pixels && max_ink > 0; q++) counts[i] += ink[q] / max_ink > 0;
        if (!counts[i]) TRY(rk_fail_blank_image(env, "igv", i, o->ink));
    }
    TRY(rk_points_new(env, bound, counts, 2, &points));
    for (int64_t i = 0; i < n; i++) {
        double max_ink = rk_ink_of(images, i, o->ink, ink);
        make_points(images, ink, max_ink, points->feature + 2 * points->start[i], points->weight + points->start[i]);
    }
    TRY(rk_points_prepare(env, &params, points));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
static const rk_param params[] = {
    RK_ETA_PARAM(igv, "0.01"),
    {.name = "base", .kind = RK_CHOICE, .offset = offsetof(igv, base), .value = "rbf", .choices = "rbf|linear",
     .brief = "kernel of the positions of two pixels"},
    {.name = "sigma", .kind = RK_REAL, .offset = offsetof(igv, sigma), .value = "0.1", .min = 1e-3, .max = 1e3,
     .brief = "width of base=rbf, as a share of the longer side of the image"},
    RK_INK_PARAM(igv),
    RK_SHAPE_NORMALIZE_PARAM(igv),
    {.name = NULL},
};

const rk_kernel_type rk_kernel_igv = {
    .entry = {.name = "igv",
              .brief = "similarity of where two drawings have ink: the inverse generalised variance of the pixels of "
                       "both together",
              .formula = "1/det(I + C/eta) / norms",
              .where = "C: the covariance of the pixels of x and y, weighted by their ink, in the feature space of the base "
                       "kernel; norms: sqrt(k(x,x) k(y,y)), left out with normalize=false",
              .cost = "3 p^3 a pair of p pixels with ink, less at low rank; linear: a few flops", .params = params,
              .size = sizeof(igv)},
    .kinds = RK_KIND_IMAGE, .flags = RK_PSD | RK_SCALE_FREE, .prepare = prepare_igv, .release = rk_points_release,
    .work = rk_points_work, .tile = rk_points_tile, .block = rk_points_block, .diag = rk_points_diag,
};
/* clang-format on */
