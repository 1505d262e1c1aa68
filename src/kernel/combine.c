/* combine.c: sums, products, weights and powers of kernels: a + b, a*b, 2*a, a^3. */
#include "kernel/kernel.h"

#define ALL_KINDS (~0u)

static int64_t work_tile(const rk_bound *a, const rk_bound *b) { return RK_TILE * RK_TILE; }

static void join(int64_t count, const double *other, int multiply, double *row) {
    if (multiply)
        for (int64_t j = 0; j < count; j++) row[j] *= other[j];
    else
        for (int64_t j = 0; j < count; j++) row[j] += other[j];
}

/* The first child fills out, each other one a tile, which is then added to out or multiplied with it. */
static rkhs_status block_chain(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work, int multiply) {
    double *tile = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    for (int c = 1; c < a->kernel->children && status == RKHS_OK; c++) {
        status = rk_block_of(a->child[c], i0, ni, b->child[c], j0, nj, tile, RK_TILE, work);
        for (int64_t i = 0; i < ni; i++) join(nj, tile + i * RK_TILE, multiply, out + i * ld);
    }
    return status;
}

/* The same for diagonals. */
static rkhs_status diag_chain(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work, int multiply) {
    double *tile = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = rk_diag_of(a->child[0], i0, ni, out, work);
    for (int c = 1; c < a->kernel->children && status == RKHS_OK; c++) {
        status = rk_diag_of(a->child[c], i0, ni, tile, work);
        join(ni, tile, multiply, out);
    }
    return status;
}

static rkhs_status block_sum(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                             int64_t ld, rk_work work) {
    return block_chain(a, i0, ni, b, j0, nj, out, ld, work, 0);
}

static rkhs_status diag_sum(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    return diag_chain(a, i0, ni, out, work, 0);
}

static rkhs_status block_product(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 double *out, int64_t ld, rk_work work) {
    return block_chain(a, i0, ni, b, j0, nj, out, ld, work, 1);
}

static rkhs_status diag_product(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    return diag_chain(a, i0, ni, out, work, 1);
}

typedef struct scale {
    double weight;
} scale;

/* clang-format off */
static const rk_param scale_params[] = {
    {.name = "weight", .kind = RK_REAL, .offset = offsetof(scale, weight), .value = "1", .min = 0, .max = 1e300,
     .min_excluded = 1, .brief = "the number before *"},
    {.name = NULL},
};
/* clang-format on */

static void weigh(int64_t count, double weight, double *row) {
    for (int64_t j = 0; j < count; j++) row[j] *= weight;
}

static rkhs_status block_scale(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) weigh(nj, ((const scale *)rk_kernel_self(a))->weight, out + i * ld);
    return status;
}

static rkhs_status diag_scale(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    rkhs_status status = rk_diag_of(a->child[0], i0, ni, out, work);
    weigh(ni, ((const scale *)rk_kernel_self(a))->weight, out);
    return status;
}

typedef struct power {
    int64_t exponent;
} power;

/* clang-format off */
static const rk_param power_params[] = {
    {.name = "exponent", .kind = RK_INT, .offset = offsetof(power, exponent), .value = "1", .min = 1, .max = 1000,
     .brief = "the number after ^"},
    {.name = NULL},
};
/* clang-format on */

/* row = row^exponent; adding -0 keeps the sign of zeros. */
static void raise(int64_t count, int64_t exponent, double *row) { rk_powers(count, 1, -0.0, exponent, row); }

static rkhs_status block_power(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) raise(nj, ((const power *)rk_kernel_self(a))->exponent, out + i * ld);
    return status;
}

static rkhs_status diag_power(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    rkhs_status status = rk_diag_of(a->child[0], i0, ni, out, work);
    raise(ni, ((const power *)rk_kernel_self(a))->exponent, out);
    return status;
}

static rkhs_status gradient_sum(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                const double *w, int64_t ld, double *dx, rk_work work) {
    rkhs_status status = RKHS_OK;
    for (int c = 0; c < a->kernel->children && status == RKHS_OK; c++)
        status = rk_gradient_of(a->child[c], i0, ni, b->child[c], j0, nj, w, ld, dx, work);
    return status;
}

/* clang-format off */
const rk_kernel_type rk_kernel_sum = {
    .entry = {.name = "sum", .brief = "the sum of kernels: objects are alike if one of them says so", .formula = "a + b", .cost = "all parts"},
    .kinds = ALL_KINDS, .flags = RK_PSD | RK_SCALE_FREE, .children = -1, .syntax = RK_SYNTAX_SUM, .work = work_tile,
    .block = block_sum, .gradient = gradient_sum, .diag_from_children = diag_sum,
};
/* clang-format on */

static rkhs_status gradient_product(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                    const double *w, int64_t ld, double *dx, rk_work work) {
    rkhs_status status = RKHS_OK;
    double *tile = rk_work_take(&work, RK_TILE * RK_TILE), *weight = rk_work_take(&work, RK_TILE * RK_TILE);
    for (int c = 0; c < a->kernel->children; c++) { /* product rule: weighted by the product of the others */
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++) weight[i * RK_TILE + j] = w[i * ld + j];
        for (int o = 0; o < a->kernel->children; o++) {
            if (o == c) continue;
            TRY(rk_block_of(a->child[o], i0, ni, b->child[o], j0, nj, tile, RK_TILE, work));
            for (int64_t i = 0; i < ni; i++) join(nj, tile + i * RK_TILE, 1, weight + i * RK_TILE);
        }
        TRY(rk_gradient_of(a->child[c], i0, ni, b->child[c], j0, nj, weight, RK_TILE, dx, work));
    }
done:
    return status;
}

/* clang-format off */
const rk_kernel_type rk_kernel_product = {
    .entry = {.name = "product", .brief = "the product of kernels: objects are alike only if all of them say so", .formula = "a*b", .cost = "all parts"},
    .kinds = ALL_KINDS, .flags = RK_PSD | RK_SCALE_FREE, .children = -1, .syntax = RK_SYNTAX_PRODUCT, .work = work_tile,
    .block = block_product, .gradient = gradient_product, .diag_from_children = diag_product,
};
/* clang-format on */

static rkhs_status gradient_scale(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                  const double *w, int64_t ld, double *dx, rk_work work) {
    double *weight = rk_work_take(&work, RK_TILE * RK_TILE);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) weight[i * RK_TILE + j] = ((const scale *)rk_kernel_self(a))->weight * w[i * ld + j];
    return rk_gradient_of(a->child[0], i0, ni, b->child[0], j0, nj, weight, RK_TILE, dx, work);
}

/* clang-format off */
const rk_kernel_type rk_kernel_scale = {
    .entry = {.name = "scale", .brief = "a kernel times a number above 0: its weight in a sum", .formula = "2*a", .cost = "the inner kernel",
              .params = scale_params, .size = sizeof(scale)},
    .kinds = ALL_KINDS, .flags = RK_PSD | RK_SCALE_FREE, .children = 1, .syntax = RK_SYNTAX_WEIGHT,
    .block = block_scale, .gradient = gradient_scale, .diag_from_children = diag_scale,
};
/* clang-format on */

static rkhs_status gradient_power(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                  const double *w, int64_t ld, double *dx, rk_work work) {
    int64_t exponent = ((const power *)rk_kernel_self(a))->exponent;
    double *weight = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, weight, RK_TILE, work);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < ni; i++) {
        raise(nj, exponent - 1, weight + i * RK_TILE);
        for (int64_t j = 0; j < nj; j++) weight[i * RK_TILE + j] *= (double)exponent * w[i * ld + j];
    }
    return rk_gradient_of(a->child[0], i0, ni, b->child[0], j0, nj, weight, RK_TILE, dx, work);
}

/* clang-format off */
const rk_kernel_type rk_kernel_power = {
    .entry = {.name = "power", .brief = "a kernel to the power of a whole number; ^ binds tighter than *",
              .formula = "a^3", .cost = "the inner kernel", .params = power_params, .size = sizeof(power)},
    .kinds = ALL_KINDS, .flags = RK_PSD | RK_SCALE_FREE, .children = 1, .syntax = RK_SYNTAX_POWER, .block = block_power,
    .gradient = gradient_power, .diag_from_children = diag_power,
};
/* clang-format on */
