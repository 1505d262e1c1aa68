/* rbf.c: k(x, y) = exp(-|x - y|^2 / (2 sigma^2)), or with gamma = 1/(2 sigma^2). */
#include "kernel/kernel.h"

typedef struct rbf {
    rk_rule sigma;
    double gamma;
} rbf;

static const rk_param params[] = {
    {.name = "sigma", .kind = RK_RULE, .offset = offsetof(rbf, sigma), .value = "median", .min = 0, .max = 1e150, .open = 1,
     .choices = RK_WIDTH_RULES, .brief = "the width; median: the median distance; knn(k): the median distance to the k-th neighbour"},
    {.name = "gamma", .kind = RK_REAL, .offset = offsetof(rbf, gamma), .min = 0, .max = 1e300, .open = 1, .instead = "sigma",
     .brief = "1/(2 sigma^2), in place of sigma"},
    {.name = NULL},
};

static rkhs_status freeze_rbf(rkhs_env *env, void *self, const rkhs_data *x) {
    return rk_freeze_width(env, &((rbf *)self)->sigma, x, 1);
}

static rkhs_status block_rbf(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                             int64_t ld, rk_work work) {
    const rbf *k = rk_kernel_self(a);
    double gamma = isnan(k->gamma) ? 0.5 / (k->sigma.value * k->sigma.value) : k->gamma;
    rk_vector_squares(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld;
        for (int64_t j = 0; j < nj; j++) row[j] *= -gamma;
        rk_exp(nj, row);
    }
    return RKHS_OK;
}

static void diag_rbf(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    for (int64_t i = 0; i < ni; i++) out[i] = 1;
}

const rk_kernel_type rk_kernel_rbf = {
    .entry = {.name = "rbf", .brief = "the Gaussian: near objects are alike, far ones are not", .formula = "exp(-|x-y|^2 / (2 sigma^2))",
              .cost = "p + an exp a pair", .params = params, .size = sizeof(rbf)},
    .kinds = RK_KIND_DENSE,
    .flags = RK_PSD,
    .freeze = freeze_rbf,
    .prepare = rk_vector_prepare_centred,
    .release = rk_vector_release,
    .work = rk_vector_work,
    .block = block_rbf,
    .diag = diag_rbf,
};
