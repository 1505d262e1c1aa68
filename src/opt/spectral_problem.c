/* spectral_problem.c: solves a model's spectral problem in the coefficients of a gram.
 *
 * It handles N = 0 and M the identity or the centring: Phi'M Phi w = l w. Other M and N go to generalized_eigen.c. With
 * features A = Phi'M Phi, rank x rank, is formed. With products by K, and w = Phi'M u / sqrt(l), the problem is M K M u
 * = l u, since M is a projection: it needs no other n x n matrix. Coefficients are then a = M u / sqrt(|l|), so that Z
 * = K a. */
#include "opt/opt.h"

#include <string.h>

/* Centres each of k columns. */
static void centre_columns(double *V, int64_t n, int64_t k, double *mean) {
    rk_column_means(n, k, V, k, mean);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) V[i * k + j] -= mean[j];
}

/* sign M K M as an operator, sign 1 or -1. */
typedef struct centred_gram {
    const rk_gram *g;
    int centre;
    double sign;
} centred_gram;

static rkhs_status apply_sandwich(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const centred_gram *s = context;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->g->n;
    double *mean, *centred = NULL;
    rkhs_status status = rk_scratch(env, k, sizeof *mean, &mean);
    if (status == RKHS_OK && s->centre) {
        status = rk_scratch(env, n * k, sizeof *centred, &centred);
        if (status == RKHS_OK) {
            memcpy(centred, V, (size_t)(n * k) * sizeof *centred);
            centre_columns(centred, n, k, mean);
        }
    }
    if (status == RKHS_OK) status = rk_gram_mul(s->g, centred ? centred : V, k, out);
    if (status == RKHS_OK && s->centre) centre_columns(out, n, k, mean);
    if (s->sign < 0)
        for (int64_t i = 0; status == RKHS_OK && i < n * k; i++) out[i] = -out[i];
    rk_scratch_release(env, mark);
    return status;
}

/* Centres rows and columns of a symmetric matrix. */
static rkhs_status centre_both(rkhs_env *env, double *A, int64_t n, double *mean) {
    for (int64_t i = 0; i < n; i++) mean[i] = rk_rows_sum(n, 1, A + i * n) / (double)n;
    double all = rk_rows_sum(n, 1, mean) / (double)n;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) A[i * n + j] -= mean[i] + mean[j] - all;
        rkhs_status status = rk_progress(env, NULL, 0, 0);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Forms sign M K M, in some n^2 flops. A precomputed Gram is symmetric only to 1e-6, so halves are averaged. It is
 * centred twice: where K is large relative to its variance, the first means have an error that shows in all of A. */
static rkhs_status form_sandwich(void *context, rkhs_env *env, double *A) {
    const centred_gram *s = context;
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->g->n, ld;
    int spendable;
    const double *K = rk_gram_matrix(s->g, &ld, &spendable);
    double *mean;
    TRY(rk_scratch(env, n, sizeof *mean, &mean));
    for (int64_t i0 = 0; i0 < n; i0 += RK_TILE) {
        for (int64_t j0 = 0; j0 <= i0; j0 += RK_TILE)
            for (int64_t i = i0; i < rk_min(i0 + RK_TILE, n); i++)
                for (int64_t j = j0; j <= rk_min(j0 + RK_TILE - 1, i); j++)
                    A[i * n + j] = A[j * n + i] = s->sign * (K[i * ld + j] / 2 + K[j * ld + i] / 2);
        TRY(rk_progress(env, NULL, 0, 0));
    }
    for (int pass = 0; s->centre && pass < 2; pass++) TRY(centre_both(env, A, n, mean));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* The sums over objects that the problem needs: those before, and those of the objects that are not known to it. */
static rkhs_status add_moments(const rk_gram *g, const rk_spectral *problem, rk_feature_sums *m) {
    rkhs_status status = RKHS_OK;
    int64_t n = g->n, r = g->rank, known = problem->before ? problem->known : 0;
    double *diag, *weight;
    TRY(rk_scratch(g->env, r * r, sizeof *m->square, &m->square));
    TRY(rk_scratch(g->env, r, sizeof *m->sums, &m->sums));
    rk_mark mark = rk_scratch_mark(g->env);
    TRY(rk_scratch(g->env, n, sizeof *diag, &diag));
    TRY(rk_new_objects(g, known, &weight));
    TRY(rk_gram_diag(g, diag));
    m->count = (double)(n - known);
    m->trace = rk_rows_sum(n - known, 1, diag + known);
    TRY(rk_gram_moments(
        g, "covariance",
        &(rk_moments){.weight = known ? weight : NULL, .square = m->square, .T = weight, .k = 1, .product = m->sums}));
    if (problem->before) TRY(rk_feature_sums_add(g, problem->before, 0, m));
    TRY(rk_gram_check_finite(g, m->trace));
    rk_scratch_release(g->env, mark);
done:
    return status;
}

/* A = Phi'M Phi, rank x rank, and the trace of M K M with the whole K, not its factor. *before: the trace without M. */
static rkhs_status factor_matrix(const rk_gram *g, const rk_spectral *problem, double *A, rk_spectrum *out, double *before) {
    int64_t r = g->rank;
    rk_feature_sums *m = &out->sums;
    rkhs_status status = add_moments(g, problem, m);
    if (status != RKHS_OK) return status;
    *before = out->trace = m->trace;
    memcpy(A, m->square, (size_t)(r * r) * sizeof *A);
    for (int64_t i = 0; problem->m_kind == RK_M_CENTRE && i < r; i++) {
        for (int64_t j = 0; j < r; j++) A[i * r + j] -= m->sums[i] * m->sums[j] / m->count;
        out->trace -= m->sums[i] * m->sums[i] / m->count;
    }
    return RKHS_OK;
}

/* The trace of M K M: tr K, minus n times the mean of all entries if centred. *before is the sum of all |K_ii|. */
static rkhs_status sandwich_trace(const rk_gram *g, int centre, double *trace, double *before) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    int64_t n = g->n;
    double *d, *ones, sum;
    rk_row_sum sizes = {0};
    TRY(rk_scratch(g->env, n, sizeof *d, &d));
    TRY(rk_scratch(g->env, n, sizeof *ones, &ones));
    TRY(rk_gram_diag(g, d));
    for (int64_t i = 0; i < n; i++) rk_add_row(&sizes, fabs(d[i])), ones[i] = 1 / (double)n;
    sum = rk_rows_sum(n, 1, d);
    *before = rk_row_total(&sizes);
    if (centre) {
        TRY(rk_gram_mul(g, ones, 1, d));
        sum -= rk_rows_sum(n, 1, d);
    }
    TRY(rk_gram_check_finite(g, sum));
    *trace = sum;
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* Eigenvectors to coefficients: w with features; else (`sample`) a = M u / sqrt(|l|). Columns with l = 0 become 0. */
static void coefficients(double *coef, const double *values, int64_t size, int64_t k, int sample, int centre, double *mean) {
    if (sample && centre) centre_columns(coef, size, k, mean);
    for (int64_t j = 0; j < k; j++) {
        double scale = values[j] == 0 ? 0 : sample ? 1 / sqrt(fabs(values[j])) : 1;
        for (int64_t i = 0; i < size; i++) coef[i * k + j] *= scale;
    }
}

/* Sets eigenvalues to 0 that are rounding: of the solver, or of the centring of K, whose trace is `before`. */
static void drop_rounding(rk_spectrum *out, int64_t size, double before, int by_magnitude) {
    double largest = 0;
    for (int64_t j = 0; j < out->count; j++) largest = fmax(largest, fabs(out->values[j]));
    double floor = fmax(1e-15 * (double)(size + 10) * largest, 4e-15 * before);
    for (int64_t j = 0; j < out->count; j++) {
        double l = by_magnitude ? fabs(out->values[j]) : out->values[j];
        if (!(l > floor)) out->values[j] = 0;
    }
}

rkhs_status rk_solve_spectral(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int sample = rk_gram_offers(g, RK_PRODUCTS), centre = problem->m_kind == RK_M_CENTRE;
    int64_t size = sample ? g->n : g->rank, k = problem->count < size ? problem->count : size;
    rk_spec *own = NULL;
    const rk_spec *use;
    double *A = NULL, *mean, before = 0;
    centred_gram outer = {g, centre, 1};
    rk_matrix inner = {size, NULL};
    if (problem->coordinates == RK_COORD_SAMPLE) return rk_solve_sample(env, solver, problem, out);
    if (problem->m_kind == RK_M_GRAPH) return rk_solve_generalized(g, solver, problem, out);
    *out = (rk_spectrum){.count = problem->count};
    TRY(rk_scratch(env, problem->count, sizeof *out->values, &out->values));
    TRY(rk_scratch(env, problem->count, sizeof *out->residuals, &out->residuals));
    TRY(rk_scratch(env, size * problem->count, sizeof *out->coef, &out->coef));
    TRY(rk_scratch(env, problem->count, sizeof *mean, &mean));
    for (int64_t c = 0; c < problem->count; c++) out->values[c] = out->residuals[c] = 0; /* there may be fewer */
    if (!sample) {
        TRY(rk_scratch(env, size * size, sizeof *A, &A));
        TRY(factor_matrix(g, problem, A, out, &before));
        inner.A = A;
    } else {
        TRY(sandwich_trace(g, centre, &out->trace, &before));
    }
    TRY(rk_pick_eigensolver(env, solver, size, k, &own, &use));
    rk_solver_problem p = {.env = env,
                           .size = size,
                           .k = k,
                           .dense = A,
                           .x = out->coef,
                           .values = out->values,
                           .residuals = out->residuals,
                           .by_magnitude = problem->by_magnitude};
    p.a = sample ? (rk_op){size, apply_sandwich, &outer} : rk_matrix_op(&inner);
    if (rk_gram_offers(g, RK_MATRIX)) p.form = form_sandwich;
    TRY(rk_solve(use, &p));
    /* If fewer eigenpairs exist, the rest are 0: widen the rows of coef from k to count, last row first. */
    for (int64_t i = size - 1; k < problem->count && i >= 0; i--)
        for (int64_t j = problem->count - 1; j >= 0; j--) out->coef[i * problem->count + j] = j < k ? out->coef[i * k + j] : 0;
    drop_rounding(out, size, before, problem->by_magnitude);
    coefficients(out->coef, out->values, size, problem->count, sample, centre, mean);
    out->abs_trace = before;
    out->iterations = p.iterations;
    out->products = p.products;
    out->converged = p.converged;
    out->solver = use->entry->name;
done:
    rk_spec_free(env, own);
    return status;
}

rkhs_status rk_smallest_eigenvalue(const rk_gram *g, const rk_spectral *problem, double *value, double *residual) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_mark mark = rk_scratch_mark(env);
    rk_spec *solver = NULL;
    centred_gram outer = {g, problem->m_kind == RK_M_CENTRE, -1};
    double *x;
    TRY(rk_scratch(env, g->n, sizeof *x, &x));
    TRY(rk_spec_new(env, &rk_eigensolvers, g->n <= 512 ? "dense" : "lanczos(tol=1e-11)", &solver));
    rk_solver_problem p = {.env = env, .size = g->n, .k = 1, .x = x, .values = value, .residuals = residual};
    p.a = (rk_op){g->n, apply_sandwich, &outer};
    if (rk_gram_offers(g, RK_MATRIX)) p.form = form_sandwich;
    TRY(rk_solve(solver, &p));
    *value = -*value;
done:
    rk_spec_free(env, solver);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_shifted_psd(const rk_gram *g, double shift, int *above) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = g->n, ld, bad;
    int spendable = 0;
    double *A = NULL, *kept = NULL;
    *above = 0;
    if (!rk_gram_offers(g, RK_MATRIX)) goto done;
    const double *K = rk_gram_matrix(g, &ld, &spendable);
    if (spendable) {
        TRY(rk_save_diagonal_tiles(env, n, K, ld, &kept));
        A = (double *)(uintptr_t)K;
    } else {
        if (!rk_fits_limit(env, 8.0 * (double)n * (double)n)) goto done;
        TRY(rk_scratch(env, n * n, sizeof *A, &A));
        for (int64_t i = 0; i < n; i++) memcpy(A + i * n, K + i * ld, (size_t)n * sizeof *A);
        ld = n;
    }
    for (int64_t i = 0; i < n; i++) A[i * ld + i] += shift;
    status = rk_cholesky(env, "negative eigenvalues", n, A, ld, &bad);
    if (kept) rk_restore_symmetric(n, A, ld, kept);
    *above = status == RKHS_OK && bad < 0;
done:
    rk_scratch_release(env, mark);
    return status;
}
