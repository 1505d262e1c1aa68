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

/* Refuses a matrix that is not symmetric; what single precision leaves is no fault. */
static rkhs_status check_symmetry(rkhs_env *env, const rk_gram_rows *g, int64_t n) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const double **row;
    int64_t at[2], in_order = 0;
    TRY(rk_scratch(env, n, sizeof *row, &row));
    for (int64_t i = 0; i < n; i++) row[i] = g->values + i * g->ld, in_order += g->index[i] == i;
    TRY(rk_asymmetry(env, n, row, in_order == n ? NULL : g->index, 1e-6, at));
    if (at[0] >= 0)
        FAIL(env, RKHS_ERR_DATA,
             "the Gram is not symmetric: row %lld, column %lld is %.9g, but row %lld, column %lld is "
             "%.9g (counted from 1): give k(x,y) = k(y,x)",
             (long long)at[0] + 1, (long long)at[1] + 1, row[at[0]][g->index[at[1]]], (long long)at[1] + 1,
             (long long)at[0] + 1, row[at[1]][g->index[at[0]]]);
done:
    rk_scratch_release(env, mark);
    return status;
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
