/* precomputed.c: k(x_i, x_j) is entry (i, j) of a matrix that is given. A kept object is its column. */
#include "kernel/kernel.h"

static rkhs_status block_precomputed(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                     double *out, int64_t ld, rk_work work) {
    const rk_gram_rows *ga = a->x->self, *gb = b->x->self;
    for (int64_t i = 0; i < ni; i++) {
        const double *row = ga->values + (i0 + i) * ga->ld;
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] = row[gb->index[j0 + j]];
    }
    return RKHS_OK;
}

/* Refuses a matrix that is not symmetric, by tiles, so that neither triangle misses the cache. */
static rkhs_status check_symmetry(rkhs_env *env, const rk_gram_rows *g, int64_t n) {
    for (int64_t i0 = 0; i0 < n; i0 += RK_TILE) {
        for (int64_t j0 = 0; j0 <= i0; j0 += RK_TILE)
            for (int64_t i = i0; i < n && i < i0 + RK_TILE; i++)
                for (int64_t j = j0; j < i && j < j0 + RK_TILE; j++) {
                    double a = g->values[i * g->ld + g->index[j]], b = g->values[j * g->ld + g->index[i]];
                    double size = fmax(fabs(a), fabs(b)),
                           diag = sqrt(fabs(g->values[i * g->ld + g->index[i]]) * fabs(g->values[j * g->ld + g->index[j]]));
                    if (fabs(a - b) > 1e-6 * fmax(size, diag)) /* what single precision leaves is no fault */
                        return rk_fail(env, RKHS_ERR_DATA,
                                       "the Gram is not symmetric: row %lld, column %lld is %.9g, but row %lld, column %lld is "
                                       "%.9g (counted from 1): give k(x,y) = k(y,x)",
                                       (long long)i + 1, (long long)j + 1, a, (long long)j + 1, (long long)i + 1, b);
                }
        rkhs_status status = rk_progress(env, NULL, 0, 0);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Rows need their values, unless they are only compared with; columns need to be training objects. */
static rkhs_status prepare_precomputed(rkhs_env *env, rk_bound *b) {
    const rk_gram_rows *g = b->x->self;
    if (b->reference) return RKHS_OK;
    if (!g->index)
        return rk_fail(env, RKHS_ERR_DATA,
                       "a precomputed Gram to learn from must be square, not %lld x %lld: give k(training, training)",
                       (long long)b->x->rows, (long long)b->x->columns);
    return g->values ? check_symmetry(env, g, b->x->rows) : RKHS_OK;
}

const rk_kernel_type rk_kernel_precomputed = {
    .entry = {.name = "precomputed",
              .brief = "the data are kernel values: training x training to fit, new x training to transform",
              .formula = "K[x,y]",
              .cost = "a copy a pair"},
    .kinds = RK_KIND_GRAM,
    .flags = RK_SCALE_FREE,
    .prepare = prepare_precomputed,
    .block = block_precomputed,
};
