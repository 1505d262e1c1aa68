/* rbf.c: the Gaussian kernel, k(x, y) = exp(-|x - y|^2 / (2 sigma^2)), or with gamma = 1/(2 sigma^2). */
#include "kernel/kernel.h"

static const rk_param params[] = RK_WIDTH_PARAMS("1/(2 sigma^2)");

/* (|x - y| / sigma)^2, where sigma^2 would underflow. */
static void narrow_squares(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                           int64_t ld) {
    double sigma = ((const rk_width *)rk_kernel_self(a))->sigma.value;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double d = rk_pair_distance(a, i0 + i, b, j0 + j) / sigma;
            out[i * ld + j] = d * d;
        }
}

static rkhs_status block_rbf(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                             int64_t ld, rk_work work) {
    const rk_width *w = rk_kernel_self(a);
    if (isnan(w->gamma) && w->sigma.value * w->sigma.value < RK_TINY) {
        narrow_squares(a, i0, ni, b, j0, nj, out, ld);
        rk_exp_tile(0.5, ni, nj, out, ld);
        return RKHS_OK;
    }
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, out, ld, work);
    rk_exp_tile(isnan(w->gamma) ? 0.5 / (w->sigma.value * w->sigma.value) : w->gamma, ni, nj, out, ld);
    return RKHS_OK;
}

static rkhs_status gradient_rbf(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                const double *w, int64_t ld, double *dx, rk_work work) {
    const rk_width *width = rk_kernel_self(a);
    double gamma = isnan(width->gamma) ? 0.5 / (width->sigma.value * width->sigma.value) : width->gamma;
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, slope, RK_TILE, work);
    rk_exp_tile(gamma, ni, nj, slope, RK_TILE);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) slope[i * RK_TILE + j] *= -gamma;
    rk_gradient_squared_distances(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* All frequencies are normal, with deviation 1/sigma. */
static double stretch_rbf(const void *self, uint64_t seed, int64_t row, int64_t column) {
    const rk_width *w = self;
    return isnan(w->gamma) ? 1 / w->sigma.value : sqrt(2 * w->gamma);
}

/* clang-format off */
const rk_kernel_type rk_kernel_rbf = {
    .entry = {.name = "rbf", .brief = "the Gaussian kernel: 1 for equal objects, near 0 for distant ones",
              .formula = "exp(-|x-y|^2 / (2 sigma^2))", .cost = "p + an exp a pair", .params = params,
              .size = sizeof(rk_width)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .freeze = rk_freeze_euclidean,
    .prepare = rk_vector_prepare_centred, .release = rk_vector_release, .work = rk_vector_work, .block = block_rbf,
    .gradient = gradient_rbf, .diag = rk_diag_ones, .random = RK_RANDOM_RADIAL, .stretch = stretch_rbf,
};
/* clang-format on */
