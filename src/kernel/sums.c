/* sums.c: tiles of sums over columns of a term that is no product: |x - y|, min(x, y), (x - y)^2/(x + y).
 *
 * Dense rows of one side are laid by column, 8 rows side by side, some columns at a time, and go past 4 rows of the other side
 * at once (la/pairs.c). Of sparse rows only the columns that both have are looked at: the terms of all others are |x| + |y|,
 * whose sums are known. What is left of two sums that nearly cancel is computed again from the two rows, so that two equal rows
 * are at distance 0. */
#include "kernel/kernel.h"

#include <string.h>

enum { CHUNK = 128, ROWS = RK_PAIRS_ROWS, WIDTH = RK_PAIRS_COLUMNS }; /* 128 columns of a tile are 256 KB */
static const double CLOSE = 1e-3;

static const rk_dense *dense_of(const rk_bound *b) { return b->x->self; }
static int is_sparse(const rk_bound *b) { return b->x->type == &rk_data_sparse; }
static const double *row_of(const rk_bound *b, int64_t i) { return dense_of(b)->values + i * dense_of(b)->ld; }

/* Sums of absolutes, in the order of columns as the sums of pairs; whether all is narrow. */
static void dense_sums(const rk_bound *b, rk_vector_side *side) {
    side->narrow = 1;
    for (int64_t i = 0; i < b->x->rows; i++) {
        double sum = 0;
        for (int64_t c = 0; c < b->x->columns; c++) {
            double v = fabs(row_of(b, i)[c]);
            sum += v;
            side->narrow &= v == 0 || (v >= RK_NARROW && v <= 1 / RK_NARROW);
        }
        side->norm[i] = sum;
    }
}

rkhs_status rk_vector_prepare_sums(rkhs_env *env, rk_bound *b) {
    rkhs_status status = rk_vector_prepare(env, b);
    if (status != RKHS_OK || b->x->type == &rk_data_bits) return status; /* a square of 1 is 1 */
    rk_vector_side *side = b->side;
    const rk_sparse *s = is_sparse(b) ? b->x->self : NULL;
    if (!s) dense_sums(b, side);
    for (int64_t i = 0; s && i < b->x->rows; i++) {
        side->norm[i] = 0;
        for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++) side->norm[i] += fabs(s->values[q]);
    }
    return RKHS_OK;
}

/* nc columns of nj rows by column, 8 rows side by side, filled up with zeros. */
static void lay_by_column(const rk_bound *b, int64_t j0, int64_t nj, int64_t c0, int64_t nc, double *out) {
    for (int64_t j = 0; j < nj; j += WIDTH, out += nc * WIDTH)
        for (int64_t l = 0; l < WIDTH; l++) {
            const double *row = j + l < nj ? row_of(b, j0 + j + l) + c0 : NULL;
            for (int64_t c = 0; c < nc; c++) out[c * WIDTH + l] = row ? row[c] : 0;
        }
}

/* At most 4 x 8 sums through a full block. */
static void edge(rk_pairs_fn *term, int64_t count, const double *const *rows, const double *panel, int more, int64_t ni,
                 int64_t nj, double *out, int64_t ld) {
    double full[ROWS * WIDTH] = {0};
    for (int64_t i = 0; more && i < ni; i++) memcpy(full + i * WIDTH, out + i * ld, (size_t)nj * sizeof *out);
    term(count, rows, panel, more, full, WIDTH);
    for (int64_t i = 0; i < ni; i++) memcpy(out + i * ld, full + i * WIDTH, (size_t)nj * sizeof *out);
}

void rk_vector_direct(rk_pairs_fn *term, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                      double *out, int64_t ld, rk_work work) {
    double *panels = rk_work_take(&work, RK_TILE * CHUNK);
    for (int64_t c = 0; c < a->x->columns; c += CHUNK) {
        int64_t nc = rk_least(CHUNK, a->x->columns - c);
        lay_by_column(b, j0, nj, c, nc, panels);
        for (int64_t i = 0; i < ni; i += ROWS) { /* along the rows of out, which may be pages apart */
            const double *rows[ROWS];
            int64_t some = rk_least(ROWS, ni - i);
            for (int64_t r = 0; r < ROWS; r++) rows[r] = row_of(a, i0 + i + rk_least(r, some - 1)) + c;
            for (int64_t j = 0; j < nj; j += WIDTH) {
                int64_t width = rk_least(WIDTH, nj - j);
                if (some == ROWS && width == WIDTH)
                    term(nc, rows, panels + j * nc, c > 0, out + i * ld + j, ld);
                else
                    edge(term, nc, rows, panels + j * nc, c > 0, some, width, out + i * ld + j, ld);
            }
        }
    }
}

/* Sums of terms over all columns from those over common ones, which are in out. */
static void complete(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                     double *out, int64_t ld) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double all = sa->norm[i0 + i] + sb->norm[j0 + j], v = all - out[i * ld + j];
            out[i * ld + j] = v > CLOSE * all ? v : rk_sparse_apart(what, a->x, i0 + i, b->x, j0 + j);
        }
}

void rk_vector_sums(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                    double *out, int64_t ld, rk_work work) {
    if (a->x->type == &rk_data_bits) { /* of 0 and 1 the difference is its own square */
        rk_vector_squares(a, i0, ni, b, j0, nj, out, ld, work);
        return;
    }
    if (is_sparse(a)) {
        rk_sparse_common(what, a, i0, ni, b, j0, nj, out, ld);
        if (what != RK_PAIR_MINIMUM) complete(what, a, i0, ni, b, j0, nj, out, ld);
        return;
    }
    int narrow = ((const rk_vector_side *)a->side)->narrow && ((const rk_vector_side *)b->side)->narrow;
    rk_pairs_fn *term = what == RK_PAIR_MINIMUM    ? rk_pairs_minima
                        : what == RK_PAIR_ABSOLUTE ? rk_pairs_absolutes
                        : narrow                   ? rk_pairs_ratios
                                                   : rk_pairs_ratios_wide;
    rk_vector_direct(term, a, i0, ni, b, j0, nj, out, ld, work);
}
