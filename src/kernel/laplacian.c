/* laplacian.c: k(x, y) = exp(-sum_c |x_c - y_c| / sigma), or with gamma = 1/sigma. */
#include "kernel/kernel.h"

static const rk_param params[] = RK_WIDTH_PARAMS("1/sigma");

static rkhs_status freeze_laplacian(rkhs_env *env, void *self, const rkhs_data *x) {
    return rk_freeze_width(env, &((rk_width *)self)->sigma, x, 0);
}

static rkhs_status block_laplacian(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   double *out, int64_t ld, rk_work work) {
    const rk_width *w = rk_kernel_self(a);
    rk_vector_absolutes(a, i0, ni, b, j0, nj, out, ld, work);
    rk_exp_tile(isnan(w->gamma) ? 1 / w->sigma.value : w->gamma, ni, nj, out, ld);
    return RKHS_OK;
}

/* Counts of bits; numbers need nothing. */
static rkhs_status prepare_laplacian(rkhs_env *env, rk_bound *b) {
    return b->x->type == &rk_data_bits ? rk_vector_prepare(env, b) : RKHS_OK;
}

const rk_kernel_type rk_kernel_laplacian = {
    .entry = {.name = "laplacian",
              .brief = "as rbf, with the sum of absolute differences: sharper near, heavier far",
              .formula = "exp(-|x-y|_1 / sigma)",
              .cost = "3 p + an exp a pair",
              .params = params,
              .size = sizeof(rk_width)},
    .kinds = RK_KIND_DENSE | RK_KIND_BITS,
    .flags = RK_PSD,
    .freeze = freeze_laplacian,
    .prepare = prepare_laplacian,
    .release = rk_vector_release,
    .work = rk_vector_work,
    .block = block_laplacian,
    .diag = rk_diag_ones,
};
