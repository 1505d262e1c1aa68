/* column_sums.c: sums over columns of |x - y|, min(x, y) or (x - y)^2/(x + y), for tiles of pairs of rows.
 *
 * Dense rows of one side are transposed, a strip of some columns at a time, and the rows of the other side are
 * compared with the strip (la/pair_sums.c). Of sparse rows only the columns that both have are visited: the terms of
 * all others are |x| + |y|, whose sums are known. If a difference of sums nearly cancels, it is computed again from
 * the two rows, so that equal rows are at distance exactly 0. */
#include "kernel/kernel.h"

#include <string.h>

enum { STRIP = 16 }; /* columns of a strip, which stays in the first-level cache; a multiple of 4 */
static const double CLOSE = 1e-3;

static const rk_dense *dense_of(const rk_bound *b) { return b->x->self; }
static int is_sparse(const rk_bound *b) { return b->x->type == &rk_data_sparse; }

/* The sum of each row, added in the order in which the minimum of a row and itself is, so that minmax(x, x) is exactly
 * 1; and whether all numbers are narrow. */
static void dense_sums(const rk_bound *b, rk_vector_side *side) {
    double room[STRIP];
    int64_t p = b->x->columns, step = dense_of(b)->values ? p : STRIP;
    side->narrow = 1;
    for (int64_t i = 0; i < b->x->rows; i++) {
        side->norm[i] = 0;
        for (int64_t c0 = 0; c0 < p; c0 += step) {
            int64_t nc = rk_min(step, p - c0);
            const double *row = rk_dense_row(dense_of(b), i, c0, nc, room);
            rk_add_minima(1, nc, row, row, 1, &side->norm[i]);
            for (int64_t c = 0; c < nc; c++)
                side->narrow &= row[c] == 0 || (row[c] >= RK_RATIO_MIN && row[c] <= 1 / RK_RATIO_MIN);
        }
    }
}

rkhs_status rk_vector_prepare_sums(rkhs_env *env, rk_bound *b) {
    rkhs_status status = rk_vector_prepare(env, b);
    if (status != RKHS_OK || b->x->type == &rk_data_bits) return status; /* bits are their own squares */
    rk_vector_side *side = b->side;
    const rk_sparse *s = is_sparse(b) ? b->x->self : NULL;
    if (!s) dense_sums(b, side);
    for (int64_t i = 0; s && i < b->x->rows; i++) {
        side->norm[i] = 0;
        for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++) side->norm[i] += fabs(s->values[q]);
    }
    return RKHS_OK;
}

void rk_dense_sums(rk_pairs_fn *term, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                   double *out, int64_t ld, rk_work work) {
    const rk_dense *x = dense_of(a), *y = dense_of(b);
    double *strip = rk_work_take(&work, STRIP * RK_TILE), room[STRIP];
    for (int64_t i = 0; i < ni; i++) memset(out + i * ld, 0, (size_t)nj * sizeof *out);
    for (int64_t c = 0; c < a->x->columns; c += STRIP) {
        int64_t nc = rk_min(STRIP, a->x->columns - c);
        for (int64_t j = 0; j < nj; j++) {
            const double *row = rk_dense_row(y, j0 + j, c, nc, room);
            for (int64_t k = 0; k < nc; k++) strip[k * RK_TILE + j] = row[k];
        }
        for (int64_t i = 0; i < ni; i++) term(nj, nc, rk_dense_row(x, i0 + i, c, nc, room), strip, RK_TILE, out + i * ld);
    }
}

/* Completes sums over common columns, which are in out, to sums over all columns. */
static void complete(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                     double *out, int64_t ld) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double all = sa->norm[i0 + i] + sb->norm[j0 + j], v = all - out[i * ld + j];
            out[i * ld + j] = v > CLOSE * all ? v : rk_sparse_distance(what, a->x, i0 + i, b->x, j0 + j);
        }
}

void rk_vector_sums(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                    double *out, int64_t ld, rk_work work) {
    if (a->x->type == &rk_data_bits) { /* of bits, |x - y| = (x - y)^2 */
        rk_vector_squared_distances(a, i0, ni, b, j0, nj, out, ld, work);
        return;
    }
    if (is_sparse(a)) {
        rk_sparse_common(what, a, i0, ni, b, j0, nj, out, ld);
        if (what != RK_PAIR_MINIMUM) complete(what, a, i0, ni, b, j0, nj, out, ld);
        return;
    }
    int narrow = ((const rk_vector_side *)a->side)->narrow && ((const rk_vector_side *)b->side)->narrow;
    rk_pairs_fn *term = what == RK_PAIR_MINIMUM    ? rk_add_minima
                        : what == RK_PAIR_ABSOLUTE ? rk_add_absolutes
                        : narrow                   ? rk_add_ratios
                                                   : rk_add_ratios_wide;
    rk_dense_sums(term, a, i0, ni, b, j0, nj, out, ld, work);
}
