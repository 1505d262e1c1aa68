/* rbf.c: k(x, y) = exp(-|x - y|^2 / (2 sigma^2)), or with gamma = 1/(2 sigma^2). */
#include "kernel/kernel.h"

static const rk_param params[] = RK_WIDTH_PARAMS("1/(2 sigma^2)");

static rkhs_status freeze_rbf(rkhs_env *env, void *self, const rkhs_data *x) {
    return rk_freeze_width(env, &((rk_width *)self)->sigma, x, RK_BY_EUCLID);
}

static rkhs_status block_rbf(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                             int64_t ld, rk_work work) {
    const rk_width *w = rk_kernel_self(a);
    rk_vector_squares(a, i0, ni, b, j0, nj, out, ld, work);
    rk_exp_tile(isnan(w->gamma) ? 0.5 / (w->sigma.value * w->sigma.value) : w->gamma, ni, nj, out, ld);
    return RKHS_OK;
}

const rk_kernel_type rk_kernel_rbf = {
    .entry = {.name = "rbf",
              .brief = "the Gaussian: near objects are alike, far ones are not",
              .formula = "exp(-|x-y|^2 / (2 sigma^2))",
              .cost = "p + an exp a pair",
              .params = params,
              .size = sizeof(rk_width)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE,
    .flags = RK_PSD,
    .freeze = freeze_rbf,
    .prepare = rk_vector_prepare_centred,
    .release = rk_vector_release,
    .work = rk_vector_work,
    .block = block_rbf,
    .diag = rk_diag_ones,
};
