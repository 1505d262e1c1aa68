/* pivoted_cholesky.c: blocked pivoted Cholesky factors K ~ Phi Phi' of a positive semi-definite K.
 *
 * A round proposes the 64 rows with the largest residual, that is diagonal entry of K - Phi Phi'. From these it
 * selects pivots one by one, largest first, while the residual that the others leave is large enough. Then one matrix
 * product adds their columns to Phi: n r^2 flops in all, r the rank. It stops when no residual exceeds tol
 * times the largest K_ii. */
#include "la/la.h"

enum { BLOCK = 64 };

rkhs_status rk_pivoted_tile(rkhs_env *env, const char *stage, int64_t n, double *A, int64_t lda, double min_pivot,
                            int64_t *order, int64_t *rank) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double *column;
    TRY(rk_scratch(env, n, sizeof *column, &column));
    for (int64_t q = 0; q < n; q++) order[q] = q;
    for (*rank = 0; *rank < n; ++*rank) {
        int64_t best = *rank;
        for (int64_t q = best + 1; q < n; q++)
            if (A[order[q] * (lda + 1)] > A[order[best] * (lda + 1)]) best = q;
        int64_t row = order[best];
        if (!(A[row * (lda + 1)] > min_pivot)) break;
        order[best] = order[*rank], order[*rank] = row;
        double pivot = A[row * (lda + 1)] = sqrt(A[row * (lda + 1)]);
        column[row] = 0; /* columns of pivots do not change any more */
        for (int64_t q = *rank + 1; q < n; q++) column[order[q]] = A[order[q] * lda + row] /= pivot;
        for (int64_t q = *rank + 1; q < n; q++) {
            double *left = A + order[q] * lda, v = column[order[q]];
            for (int64_t c = 0; c < n; c++) left[c] -= v * column[c];
        }
        TRY(rk_progress(env, stage, *rank + 1, n));
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

typedef struct rounds {
    int64_t n, max_rank, rank; /* Phi has max_rank columns, of which `rank` are set */
    rk_entries_fn *entries;
    const void *context;
    double *Phi, *left, *rows, *H, *C;
    int64_t *pivots;
} rounds;

/* Copies the rows `index` of Phi. */
static void gather(const rounds *s, const int64_t *index, int64_t count) {
    for (int64_t q = 0; q < count; q++)
        for (int64_t c = 0; c < s->rank; c++) s->rows[q * s->max_rank + c] = s->Phi[index[q] * s->max_rank + c];
}

/* One round. *got is the number of new columns; 0: nothing is left; -1: only rounding errors were, try again. */
static rkhs_status extend(rkhs_env *env, rounds *s, double tiny, int64_t *got) {
    rkhs_status status = RKHS_OK;
    int64_t n = s->n, ld = s->max_rank, have = s->rank, proposal[BLOCK], order[BLOCK], count = 0, *chosen = s->pivots + have;
    double largest[BLOCK];
    for (int64_t i = 0; i < n; i++)
        if (s->left[i] > tiny) count = rk_top_offer(largest, proposal, count, BLOCK, i, s->left[i]);
    *got = 0;
    if (!count) return RKHS_OK;
    gather(s, proposal, count);
    for (int64_t q = 0; q < count; q++) s->entries(s->context, proposal[q], proposal, count, s->H + q * count);
    if (have) rk_gemm_tile('n', 't', count, count, have, -1.0, s->rows, ld, s->rows, ld, 1.0, s->H, count);
    TRY(rk_pivoted_tile(env, NULL, count, s->H, count, fmax(tiny, 0.01 * largest[0]), order, got));
    if (!*got) { /* the residuals of these rows were rounding errors */
        for (int64_t q = 0; q < count; q++) s->left[proposal[q]] = 0;
        *got = -1;
        return RKHS_OK;
    }
    *got = rk_min(*got, s->max_rank - have);
    for (int64_t a = 0; a < *got; a++) {
        chosen[a] = proposal[order[a]];
        for (int64_t b = 0; b <= a; b++) s->C[a * BLOCK + b] = s->H[order[a] * count + order[b]];
    }
    gather(s, chosen, *got);
    for (int64_t i = 0; i < n; i++) s->entries(s->context, i, chosen, *got, s->Phi + i * ld + have);
    if (have) TRY(rk_gemm(env, NULL, 'n', 't', n, *got, have, -1.0, s->Phi, ld, s->rows, ld, 1.0, s->Phi + have, ld));
    TRY(rk_trsm_right(env, NULL, n, *got, s->C, BLOCK, s->Phi + have, ld));
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = have; a < have + *got; a++) s->left[i] -= s->Phi[i * ld + a] * s->Phi[i * ld + a];
    for (int64_t a = 0; a < *got; a++) s->left[chosen[a]] = 0;
    s->rank = have + *got;
done:
    return status;
}

rkhs_status rk_pivoted_factor(rkhs_env *env, const char *stage, int64_t n, rk_entries_fn *entries, const void *context,
                              double tol, int64_t max_rank, double *Phi, int64_t *pivots, int64_t *rank, double *rest) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rounds s = {.n = n, .max_rank = max_rank, .entries = entries, .context = context, .Phi = Phi, .pivots = pivots};
    double largest = 0;
    TRY(rk_scratch(env, n, sizeof *s.left, &s.left));
    TRY(rk_scratch(env, BLOCK * max_rank, sizeof *s.rows, &s.rows));
    TRY(rk_scratch(env, BLOCK * BLOCK, sizeof *s.H, &s.H));
    TRY(rk_scratch(env, BLOCK * BLOCK, sizeof *s.C, &s.C));
    for (int64_t i = 0; i < n; i++) {
        entries(context, i, &i, 1, s.left + i);
        largest = fmax(largest, s.left[i]);
    }
    for (int64_t got = 1; got && s.rank < max_rank;) {
        TRY(rk_progress(env, stage, s.rank, max_rank));
        TRY(extend(env, &s, tol * largest, &got));
    }
    *rank = s.rank;
    *rest = 0;
    for (int64_t i = 0; i < n; i++) *rest = fmax(*rest, s.left[i]);
done:
    rk_scratch_release(env, mark);
    return status;
}

typedef struct stored {
    const double *K;
    int64_t ld;
} stored;

static void stored_entries(const void *context, int64_t i, const int64_t *index, int64_t count, double *out) {
    const stored *a = context;
    for (int64_t q = 0; q < count; q++) out[q] = a->K[i * a->ld + index[q]];
}

rkhs_status rk_pivoted_cholesky(rkhs_env *env, const char *stage, int64_t n, const double *K, int64_t ld, double tol,
                                double *Phi, int64_t *pivots, int64_t *rank) {
    double rest;
    return rk_pivoted_factor(env, stage, n, stored_entries, &(stored){K, ld}, tol, n, Phi, pivots, rank, &rest);
}
