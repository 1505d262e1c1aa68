/* combine.c: sums, products and weights of kernels: a + b, a*b, 2*a. */
#include "kernel/kernel.h"

#define ALL_KINDS (~0u)

static int64_t work_tile(const rk_bound *a, const rk_bound *b) { return RK_TILE * RK_TILE; }

/* The first child fills out; each other one a tile of its own, which then joins. */
static rkhs_status block_chain(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work, int multiply) {
    double *tile = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    for (int c = 1; c < a->kernel->children && status == RKHS_OK; c++) {
        status = rk_block_of(a->child[c], i0, ni, b->child[c], j0, nj, tile, RK_TILE, work);
        for (int64_t i = 0; i < ni; i++) {
            double *row = out + i * ld, *other = tile + i * RK_TILE;
            if (multiply)
                for (int64_t j = 0; j < nj; j++) row[j] *= other[j];
            else
                for (int64_t j = 0; j < nj; j++) row[j] += other[j];
        }
    }
    return status;
}

static rkhs_status block_sum(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                             int64_t ld, rk_work work) {
    return block_chain(a, i0, ni, b, j0, nj, out, ld, work, 0);
}

static rkhs_status block_product(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 double *out, int64_t ld, rk_work work) {
    return block_chain(a, i0, ni, b, j0, nj, out, ld, work, 1);
}

typedef struct scale {
    double weight;
} scale;

static const rk_param scale_params[] = {
    {.name = "weight",
     .kind = RK_REAL,
     .offset = offsetof(scale, weight),
     .value = "1",
     .min = 0,
     .max = 1e300,
     .open = 1,
     .brief = "the number before *"},
    {.name = NULL},
};

static rkhs_status block_scale(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    double weight = ((const scale *)rk_kernel_self(a))->weight;
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] *= weight;
    return status;
}

const rk_kernel_type rk_kernel_sum = {
    .entry = {.name = "sum", .brief = "alike in one way or another", .formula = "a + b", .cost = "all parts"},
    .kinds = ALL_KINDS,
    .flags = RK_PSD | RK_SCALE_FREE,
    .children = -1,
    .work = work_tile,
    .block = block_sum,
};

const rk_kernel_type rk_kernel_product = {
    .entry = {.name = "product", .brief = "alike in every way", .formula = "a*b", .cost = "all parts"},
    .kinds = ALL_KINDS,
    .flags = RK_PSD | RK_SCALE_FREE,
    .children = -1,
    .work = work_tile,
    .block = block_product,
};

const rk_kernel_type rk_kernel_scale = {
    .entry = {.name = "scale",
              .brief = "a weight above 0",
              .formula = "2*a",
              .cost = "its part",
              .params = scale_params,
              .size = sizeof(scale)},
    .kinds = ALL_KINDS,
    .flags = RK_PSD | RK_SCALE_FREE,
    .children = 1,
    .block = block_scale,
};
