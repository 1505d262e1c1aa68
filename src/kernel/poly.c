/* poly.c: the polynomial kernel, k(x, y) = (gamma <x, y> + coef0)^degree. */
#include "kernel/kernel.h"

typedef struct poly {
    rk_bandwidth gamma;
    double coef0;
    int64_t degree;
} poly;

enum { GAMMA_COLUMNS };

/* clang-format off */
static const rk_param params[] = {
    {.name = "degree", .kind = RK_INT, .offset = offsetof(poly, degree), .value = "3", .min = 1, .max = 100,
     .brief = "degree of the polynomial"},
    {.name = "gamma", .kind = RK_BANDWIDTH, .offset = offsetof(poly, gamma), .value = "columns", .min = 0, .max = 1e300,
     .min_excluded = 1, .choices = "columns", .brief = "factor of the inner product; columns: 1 over the number of columns"},
    {.name = "coef0", .kind = RK_REAL, .offset = offsetof(poly, coef0), .value = "1", .min = 0, .max = 1e300,
     .brief = "constant term; 0: only products of exactly `degree` columns"},
    {.name = NULL},
};
/* clang-format on */

static rkhs_status freeze_poly(rkhs_env *env, void *self, const rkhs_data *x) {
    poly *p = self;
    if (p->gamma.rule == GAMMA_COLUMNS) p->gamma = (rk_bandwidth){RK_BANDWIDTH_NUMBER, 1.0 / (double)x->columns, 0};
    return RKHS_OK;
}

static rkhs_status block_poly(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                              int64_t ld, rk_work work) {
    const poly *p = rk_kernel_self(a);
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) rk_powers(nj, p->gamma.value, p->coef0, p->degree, out + i * ld);
    return RKHS_OK;
}

static void diag_poly(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const poly *p = rk_kernel_self(a);
    rk_vector_norms(a, i0, ni, out, work);
    rk_powers(ni, p->gamma.value, p->coef0, p->degree, out);
}

static rkhs_status gradient_poly(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 const double *w, int64_t ld, double *dx, rk_work work) {
    const poly *p = rk_kernel_self(a);
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    rk_vector_dots(a, i0, ni, b, j0, nj, slope, RK_TILE, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = slope + i * RK_TILE;
        if (p->degree > 1) rk_powers(nj, p->gamma.value, p->coef0, p->degree - 1, row);
        for (int64_t j = 0; j < nj; j++) row[j] = (double)p->degree * p->gamma.value * (p->degree > 1 ? row[j] : 1);
    }
    rk_gradient_dots(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_poly = {
    .entry = {.name = "poly", .brief = "polynomial: products of up to `degree` columns",
              .formula = "(gamma <x,y> + coef0)^degree", .cost = "p a pair", .params = params, .size = sizeof(poly)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .freeze = freeze_poly,
    .prepare = rk_vector_prepare_dots, .release = rk_vector_release, .work = rk_vector_dots_work,
    .block = block_poly, .gradient = gradient_poly,
    .diag = diag_poly,
};
/* clang-format on */
