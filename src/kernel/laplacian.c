/* laplacian.c: k(x, y) = exp(-sum_c |x_c - y_c| / sigma), or with gamma = 1/sigma. */
#include "kernel/kernel.h"

typedef struct laplacian {
    rk_rule sigma;
    double gamma;
} laplacian;

static const rk_param params[] = {
    {.name = "sigma", .kind = RK_RULE, .offset = offsetof(laplacian, sigma), .value = "median", .min = 0, .max = 1e150, .open = 1,
     .choices = RK_WIDTH_RULES, .brief = "the width; median: the median distance; knn(k): the median distance to the k-th neighbour"},
    {.name = "gamma", .kind = RK_REAL, .offset = offsetof(laplacian, gamma), .min = 0, .max = 1e300, .open = 1, .instead = "sigma",
     .brief = "1/sigma, in place of sigma"},
    {.name = NULL},
};

static rkhs_status freeze_laplacian(rkhs_env *env, void *self, const rkhs_data *x) {
    return rk_freeze_width(env, &((laplacian *)self)->sigma, x, 0);
}

static rkhs_status block_laplacian(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                                   int64_t ld, rk_work work) {
    const laplacian *k = rk_kernel_self(a);
    double gamma = isnan(k->gamma) ? 1 / k->sigma.value : k->gamma;
    rk_vector_absolutes(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld;
        for (int64_t j = 0; j < nj; j++) row[j] *= -gamma;
        rk_exp(nj, row);
    }
    return RKHS_OK;
}

static void diag_laplacian(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    for (int64_t i = 0; i < ni; i++) out[i] = 1;
}

const rk_kernel_type rk_kernel_laplacian = {
    .entry = {.name = "laplacian", .brief = "as rbf, with the sum of absolute differences: sharper near, heavier far",
              .formula = "exp(-|x-y|_1 / sigma)", .cost = "3 p + an exp a pair", .params = params, .size = sizeof(laplacian)},
    .kinds = RK_KIND_DENSE,
    .flags = RK_PSD,
    .freeze = freeze_laplacian,
    .prepare = rk_vector_prepare_centred,
    .release = rk_vector_release,
    .work = rk_vector_work,
    .block = block_laplacian,
    .diag = diag_laplacian,
};
