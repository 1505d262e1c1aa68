/* rpcholesky.c: landmarks chosen by randomly pivoted Cholesky, and the factor Phi that the choice computes.
 *
 * Each landmark is drawn with probability proportional to its residual, the part of k(x,x) that earlier ones leave
 * unexplained (Chen, Epperly, Tropp, Webber, "Randomly pivoted Cholesky", 2022). Drawing in blocks with rejection has
 * the same distribution at the speed of a matrix product (Epperly, Tropp, Webber, "Embrace rejection", 2024). This
 * takes (m+1) n kernel values, O(n m^2) flops and n m numbers. Landmarks with a relative residual below 1e-12 are
 * dropped, to keep the factor well conditioned: the rank is then below m. */
#include "gram/gram.h"

#include <string.h>

enum { BLOCK = 64 };
static const double EXPLAINED = 1e-12;

/* The objects to choose from, and the factor so far. */
typedef struct pivots {
    const rk_gram *g;
    const rk_bound *x;
    int64_t n, m, rank;
    double *Phi;      /* n x m */
    double *d, *diag; /* n: residuals; k(x,x) */
    double *sums;     /* n: running sums of the residuals */
    double *rows;     /* BLOCK x m: rows of Phi at the proposals */
    double *H, *L;    /* BLOCK x BLOCK */
    int64_t *index;   /* m: landmarks so far */
} pivots;

/* out = k(some, some) for the objects at `index`, or k(x, some) with `all`: the rows of all objects. */
static rkhs_status values(const pivots *p, const int64_t *index, int64_t count, int all, double *out, int64_t ld) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    rkhs_data *some = NULL;
    rk_bound *bound = NULL;
    TRY(rk_data_subset(p->x->x, index, count, &some));
    TRY(rk_bind(env, p->g->kernel, some, p->x, &bound));
    TRY(all ? rk_gram_cross(env, NULL, p->x, bound, out, ld) : rk_gram_symmetric(env, bound, out, ld));
done:
    rk_unbind(env, bound);
    rkhs_data_free(some);
    return status;
}

rkhs_status rk_check_residual(const rk_gram *g, double left, double diag) {
    if (left >= -1e-8 * fabs(diag)) return RKHS_OK;
    return rk_fail(
        g->env, RKHS_ERR_NUMERIC,
        "the Gram is not positive semi-definite: landmarks leave %.3g of k(x,x) = %.3g: use gram=exact, which can clip or "
        "flip its negative eigenvalues",
        left, diag);
}

int64_t rk_draw_weighted(rkhs_env *env, int64_t n, const double *sums, int64_t round, int64_t q) {
    double u = rk_uniform(env->seed, RK_STREAM_LANDMARK, (uint64_t)round, (uint64_t)q) * sums[n - 1];
    int64_t low = 0, high = n - 1; /* the first row whose sum exceeds u; never one of weight 0 */
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sums[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Goes through the proposed landmarks, whose residual Gram is H (count x count, destroyed). Accepts each with
 * probability (residual given those accepted before) / (residual at the start). `kept` receives positions in
 * `proposal`, L (ld = BLOCK) the Cholesky factor of the accepted part of H. */
static int64_t accept(rkhs_env *env, double *H, int64_t count, const double *diag, const int64_t *proposal, int64_t round,
                      int64_t max_accepted, int64_t *kept, double *L) {
    double first[BLOCK];
    int64_t accepted = 0;
    for (int64_t q = 0; q < count; q++) first[q] = H[q * count + q];
    for (int64_t q = 0; q < count && accepted < max_accepted; q++) {
        double left = H[q * count + q];
        double u = rk_uniform(env->seed, RK_STREAM_LANDMARK, (uint64_t)round, (uint64_t)(BLOCK + q));
        if (!(left > EXPLAINED * diag[proposal[q]]) || u * first[q] >= left) continue;
        double pivot = sqrt(left);
        for (int64_t a = 0; a < accepted; a++) L[accepted * BLOCK + a] = H[q * count + kept[a]]; /* eliminated below */
        L[accepted * BLOCK + accepted] = pivot;
        for (int64_t r = q + 1; r < count; r++) {
            double v = H[r * count + q];
            for (int64_t a = 0; a < accepted; a++) v -= H[r * count + kept[a]] * L[accepted * BLOCK + a];
            v /= pivot;
            H[r * count + q] = v; /* column q now holds the factor's entries of later rows */
            H[r * count + r] -= v * v;
        }
        kept[accepted++] = q;
    }
    return accepted;
}

/* One round: propose, accept, extend Phi by the accepted columns, and subtract these from the residuals. */
static rkhs_status extend(pivots *p, int64_t round) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    int64_t n = p->n, m = p->m, have = p->rank, count = BLOCK, proposal[BLOCK], kept[BLOCK], chosen[BLOCK];
    double *fresh = p->Phi + have;
    for (int64_t q = 0; q < count; q++) proposal[q] = rk_draw_weighted(env, n, p->sums, round, q);
    TRY(values(p, proposal, count, 0, p->H, count));
    for (int64_t q = 0; q < count; q++) memcpy(p->rows + q * m, p->Phi + proposal[q] * m, (size_t)have * sizeof *p->rows);
    if (have) rk_gemm_tile('n', 't', count, count, have, -1.0, p->rows, m, p->rows, m, 1.0, p->H, count);
    int64_t got = accept(env, p->H, count, p->diag, proposal, round, m - have, kept, p->L);
    for (int64_t a = 0; a < got; a++) {
        chosen[a] = proposal[kept[a]];
        memmove(p->rows + a * m, p->rows + kept[a] * m, (size_t)have * sizeof *p->rows);
    }
    if (!got) goto done;
    TRY(values(p, chosen, got, 1, fresh, m));
    if (have) TRY(rk_gemm(env, NULL, 'n', 't', n, got, have, -1.0, p->Phi, m, p->rows, m, 1.0, fresh, m));
    TRY(rk_trsm_right(env, NULL, n, got, p->L, BLOCK, fresh, m));
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < got; c++) sum += fresh[i * m + c] * fresh[i * m + c];
        if (p->d[i] > 0) TRY(rk_check_residual(p->g, p->d[i] - sum, p->diag[i]));
        p->d[i] = fmax(p->d[i] - sum, 0);
        if (p->d[i] < EXPLAINED * p->diag[i]) p->d[i] = 0;
    }
    for (int64_t a = 0; a < got; a++) p->d[chosen[a]] = 0, p->index[have + a] = chosen[a];
    p->rank = have + got;
done:
    return status;
}

void rk_running_sums(int64_t n, const double *d, double *sums) {
    double before = 0, tile = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i % RK_SUM_ROWS == 0 && i) before = sums[i - 1], tile = 0;
        sums[i] = before + (tile += d[i]);
    }
}

rkhs_status rk_rpcholesky(const rk_gram *g, const rk_bound *bound, int64_t m, double *Phi, int64_t *index, int64_t *rank) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = bound->x->rows;
    pivots p = {.g = g, .x = bound, .n = n, .m = m, .Phi = Phi, .index = index};
    double trace;
    TRY(rk_scratch(env, n, sizeof *p.d, &p.d));
    TRY(rk_scratch(env, n, sizeof *p.diag, &p.diag));
    TRY(rk_scratch(env, n, sizeof *p.sums, &p.sums));
    TRY(rk_scratch(env, BLOCK * m, sizeof *p.rows, &p.rows));
    TRY(rk_scratch(env, BLOCK * BLOCK, sizeof *p.H, &p.H));
    TRY(rk_scratch(env, BLOCK * BLOCK, sizeof *p.L, &p.L));
    TRY(rk_bound_diag(env, bound, p.diag));
    for (int64_t i = 0; i < n; i++) p.d[i] = fmax(p.diag[i], 0);
    trace = rk_rows_sum(n, 1, p.d);
    TRY(rk_gram_check_finite(g, trace));
    for (int64_t round = 0; p.rank < m && round < 100 + 10 * m; round++) {
        rk_running_sums(n, p.d, p.sums);
        if (!(p.sums[n - 1] > EXPLAINED * trace)) break;
        TRY(extend(&p, round));
        TRY(rk_progress(env, "landmarks", p.rank, m));
    }
    if (p.rank < 1) FAIL(env, RKHS_ERR_NUMERIC, "no object has k(x,x) above 0: choose another kernel");
    *rank = p.rank;
done:
    rk_scratch_release(env, mark);
    return status;
}
