/* sigmoid.c: the sigmoid kernel, k(x, y) = tanh(gamma <x, y> + coef0). No gamma and coef0 make it positive
 * semi-definite on all data: models look for negative eigenvalues and report them. */
#include "kernel/kernel.h"

typedef struct sigmoid {
    rk_bandwidth gamma;
    double coef0;
} sigmoid;

enum { GAMMA_COLUMNS };

/* clang-format off */
static const rk_param params[] = {
    {.name = "gamma", .kind = RK_BANDWIDTH, .offset = offsetof(sigmoid, gamma), .value = "columns", .min = 0, .max = 1e300,
     .min_excluded = 1, .choices = "columns", .brief = "factor of the inner product; columns: 1 over the number of columns"},
    {.name = "coef0", .kind = RK_REAL, .offset = offsetof(sigmoid, coef0), .value = "1", .min = -1e9, .max = 1e9,
     .brief = "constant term"},
    {.name = NULL},
};
/* clang-format on */

static rkhs_status freeze_sigmoid(rkhs_env *env, void *self, const rkhs_data *x) {
    sigmoid *s = self;
    if (s->gamma.rule == GAMMA_COLUMNS) s->gamma = (rk_bandwidth){RK_BANDWIDTH_NUMBER, 1.0 / (double)x->columns, 0};
    return RKHS_OK;
}

static rkhs_status block_sigmoid(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 double *out, int64_t ld, rk_work work) {
    const sigmoid *s = rk_kernel_self(a);
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        rk_powers(nj, s->gamma.value, s->coef0, 1, out + i * ld);
        rk_tanh(nj, out + i * ld);
    }
    return RKHS_OK;
}

static rkhs_status gradient_sigmoid(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                    const double *w, int64_t ld, double *dx, rk_work work) {
    const sigmoid *s = rk_kernel_self(a);
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = block_sigmoid(a, i0, ni, b, j0, nj, slope, RK_TILE, work);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++)
            slope[i * RK_TILE + j] = s->gamma.value * (1 - slope[i * RK_TILE + j] * slope[i * RK_TILE + j]);
    rk_gradient_dots(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_sigmoid = {
    .entry = {.name = "sigmoid",
              .brief = "tanh of a scaled inner product, as in early neural networks; not positive semi-definite: some "
                       "models refuse it, kpca by default ignores its negative eigenvalues",
              .formula = "tanh(gamma <x,y> + coef0)", .cost = "p + a tanh a pair", .params = params,
              .size = sizeof(sigmoid)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .freeze = freeze_sigmoid, .prepare = rk_vector_prepare_dots,
    .release = rk_vector_release, .work = rk_vector_dots_work,
    .block = block_sigmoid, .gradient = gradient_sigmoid,
};
/* clang-format on */
