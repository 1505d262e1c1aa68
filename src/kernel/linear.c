/* linear.c: the linear kernel, k(x, y) = <x, y>. */
#include "kernel/kernel.h"

static rkhs_status block_linear(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    return RKHS_OK;
}

static rkhs_status gradient_linear(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *dx, rk_work work) {
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) slope[i * RK_TILE + j] = 1;
    rk_gradient_dots(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_linear = {
    .entry = {.name = "linear", .brief = "the inner product; kernel PCA with it is PCA", .formula = "<x,y>",
              .cost = "p a pair"},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD | RK_IDENTITY,
    .prepare = rk_vector_prepare_dots, .release = rk_vector_release, .work = rk_vector_dots_work,
    .block = block_linear, .gradient = gradient_linear,
    .diag = rk_vector_norms,
};
/* clang-format on */
