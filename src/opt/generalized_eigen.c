/* generalized_eigen.c: generalised eigenproblems with a graph M and a diagonal N, reduced to ordinary ones.
 *
 *     sample       M z = l N z:  N^-1/2 M N^-1/2 u = l u,  z = N^-1/2 u
 *     isometric    Phi'M Phi w = l C C' w,  C C' = Phi'N Phi + mu I:  C^-1 Phi'M Phi C^-T u = l u,  w = C^-T u
 *
 * A stored K is factored first by pivoted Cholesky, K ~ Phi Phi'. Where K is singular (a linear kernel with few
 * columns, equal objects) the factor has as many columns as K has rank; this is the "PCA first" of the papers.
 * Coefficients are then a in Z = K a, with a = 0 except at the pivots. The left-hand side is formed as a matrix, since
 * its eigenvectors take hundreds of products, each of which would read Phi and C twice. This costs 4 n r^2 flops, r
 * the columns of Phi, and three matrices of the size of K. With features both sides are sums over objects, computed in
 * one pass, to which an update adds. */
#include "opt/opt.h"

#include <string.h>

static const double EXPLAINED = 1e-12;

/* Runs an eigensolver on an operator, which may be stored (dense). Fills x (size x k), and values and residuals of
 * out. */
static rkhs_status solve_operator(rkhs_env *env, const rk_spec *solver, rk_op op, const double *dense, int64_t k, double *x,
                                  int by_magnitude, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    rk_spec *own = NULL;
    const rk_spec *use;
    rk_solver_problem p = {.env = env, .size = op.n, .k = k, .a = op, .dense = dense, .x = x, .by_magnitude = by_magnitude};
    p.values = out->values;
    p.residuals = out->residuals;
    TRY(rk_pick_eigensolver(env, solver, op.n, k, &own, &use));
    TRY(rk_solve(use, &p));
    out->iterations = p.iterations;
    out->products = p.products;
    out->converged = p.converged;
    out->solver = use->entry->name;
done:
    rk_spec_free(env, own);
    return status;
}

/* Allocates `count` zero pairs, with coefficients of `rows` rows; fewer may be found. */
static rkhs_status room_for(rkhs_env *env, int64_t rows, int64_t count, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    *out = (rk_spectrum){.count = count};
    TRY(rk_scratch(env, count, sizeof *out->values, &out->values));
    TRY(rk_scratch(env, count, sizeof *out->residuals, &out->residuals));
    TRY(rk_scratch(env, rows * count, sizeof *out->coef, &out->coef));
done:
    return status;
}

/* ---- sample coordinates ---------------------------------------------------------------------------------------- */

typedef struct scaled {
    const rk_graph_matrix *m;
    double *scale; /* N^-1/2 */
} scaled;

static rkhs_status apply_scaled(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const scaled *s = context;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->m->graph->n;
    double *U;
    rkhs_status status = rk_scratch(env, n * k, sizeof *U, &U);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++)
        for (int64_t c = 0; c < k; c++) U[i * k + c] = s->scale[i] * V[i * k + c];
    if (status == RKHS_OK) status = rk_graph_matrix_apply(env, s->m, U, k, out);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++)
        for (int64_t c = 0; c < k; c++) out[i * k + c] *= s->scale[i];
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_solve_sample(rkhs_env *env, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    int64_t n = problem->m->graph->n, k = rk_min(problem->count, n);
    scaled s = {.m = problem->m};
    TRY(room_for(env, n, k, out));
    TRY(rk_scratch(env, n, sizeof *s.scale, &s.scale));
    for (int64_t i = 0; i < n; i++) s.scale[i] = problem->n ? 1 / sqrt(problem->n[i]) : 1;
    TRY(solve_operator(env, solver, (rk_op){n, apply_scaled, &s}, NULL, k, out->coef, problem->by_magnitude, out));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) out->coef[i * k + c] *= s.scale[i];
done:
    return status;
}

/* ---- isometric coordinates ------------------------------------------------------------------------------------- */

typedef struct pencil {
    const rk_gram *g;
    const rk_spectral *problem;
    const double *Phi; /* n x r, which a stored K was factored into; NULL: the gram has features */
    int64_t r, ld;
    int64_t *pivots;             /* of Phi */
    double *A;                   /* r x r: C, then C^-1 Phi'M Phi C^-T */
    double *J;                   /* r x r, lower: C^-1; NULL: I / sqrt(mu) */
    const rk_feature_sums *sums; /* of features */
} pencil;

/* Columns from .. from + k of the left-hand side, on and below the diagonal. Work space: X (r x k), Y, MY (n x k). */
static rkhs_status form_columns(const pencil *p, int64_t from, int64_t k, double *X, double *Y, double *MY) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    int64_t n = p->g->n, r = p->r;
    if (p->J) TRY(rk_gemm(env, NULL, 'n', 't', n, k, from + k, 1.0, p->Phi, p->ld, p->J + from * r, r, 0.0, Y, k));
    for (int64_t i = 0; !p->J && i < n; i++) memcpy(Y + i * k, p->Phi + i * p->ld + from, (size_t)k * sizeof *Y);
    TRY(rk_graph_matrix_apply(env, p->problem->m, Y, k, MY));
    TRY(rk_tall_product(env, n, r, k, p->Phi, p->ld, MY, k, X, k));
    if (p->J) TRY(rk_gemm(env, NULL, 'n', 'n', r - from, k, r, 1.0, p->J + from * r, r, X, k, 0.0, p->A + from * r + from, r));
    for (int64_t i = from; !p->J && i < r; i++)
        for (int64_t c = 0; c < k; c++) p->A[i * r + from + c] = X[i * k + c] / p->problem->mu;
done:
    return status;
}

/* A = J Phi'M Phi J' from the sums over objects: both triangles. */
static rkhs_status turn_left(const pencil *p) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    rk_mark mark = rk_scratch_mark(env);
    const rk_feature_sums *s = p->sums;
    int64_t r = p->r;
    double *half, *A = p->A, shift = p->problem->m->constant && s->weight > 0 ? RK_CONSTANT_SHIFT / s->weight : 0;
    memcpy(A, s->between, (size_t)(r * r) * sizeof *A);
    for (int64_t i = 0; shift > 0 && i < r; i++)
        for (int64_t j = 0; j < r; j++) A[i * r + j] -= shift * s->sums[i] * s->sums[j];
    for (int64_t i = 0; !p->J && i < r * r; i++) A[i] /= p->problem->mu;
    if (!p->J) goto done;
    TRY(rk_scratch(env, r * r, sizeof *half, &half));
    for (int64_t i = 0; i < r; i++) memset(p->J + i * r + i + 1, 0, (size_t)(r - i - 1) * sizeof *p->J);
    TRY(rk_gemm(env, "matrix", 'n', 't', r, r, r, 1.0, A, r, p->J, r, 0.0, half, r));
    TRY(rk_gemm(env, "matrix", 'n', 'n', r, r, r, 1.0, p->J, r, half, r, 0.0, A, r));
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < i; j++) A[i * r + j] = A[j * r + i] = (A[i * r + j] + A[j * r + i]) / 2;
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status form_left(const pencil *p) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = p->g->n, r = p->r, max_columns = rk_min(RK_TILE, r);
    double *X, *Y, *MY;
    TRY(rk_scratch(env, r * max_columns, sizeof *X, &X));
    TRY(rk_scratch(env, n * max_columns, sizeof *Y, &Y));
    TRY(rk_scratch(env, n * max_columns, sizeof *MY, &MY));
    for (int64_t from = 0; from < r; from += max_columns) {
        TRY(rk_progress(env, "matrix", from, r));
        TRY(form_columns(p, from, rk_min(max_columns, r - from), X, Y, MY));
    }
    for (int64_t i = 0; i < r; i += RK_TILE)
        for (int64_t j = 0; j <= i; j += RK_TILE) rk_mirror_tile(p->A, r, i, rk_min(RK_TILE, r - i), j, rk_min(RK_TILE, r - j));
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status apply_left(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const pencil *p = context;
    return rk_symm(env, p->r, p->A, p->r, k, V, out);
}

/* A = Phi'N Phi + mu I. */
static rkhs_status right_side(const pencil *p, double mu) {
    rkhs_status status = RKHS_OK;
    if (p->sums)
        memcpy(p->A, p->sums->square, (size_t)(p->r * p->r) * sizeof *p->A);
    else
        status = rk_syrk(p->g->env, "covariance", p->g->n, p->r, p->Phi, p->ld, p->problem->n, p->A, p->r);
    for (int64_t i = 0; status == RKHS_OK && i < p->r; i++) p->A[i * p->r + i] += mu;
    return status;
}

/* J = C^-1, C C' = Phi'N Phi + mu I. Where that is numerically singular, mu is raised until it is not. */
static rkhs_status factor_right(pencil *p) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    double more = 0, trace = 0;
    int64_t bad = 0, r = p->r;
    TRY(rk_require_memory(env, 16.0 * (double)r * (double)r, "the matrices of the eigenproblem", NULL));
    TRY(rk_scratch(env, r * r, sizeof *p->A, &p->A));
    if (!p->problem->n) goto done;
    while (1) {
        TRY(right_side(p, p->problem->mu + more));
        for (int64_t i = 0; more == 0 && i < r; i++) trace += p->A[i * r + i];
        TRY(rk_gram_check_finite(p->g, trace));
        if (!(trace > 0)) p->r = 0; /* N and mu are 0: there are no solutions */
        if (!p->r) goto done;
        TRY(rk_cholesky(env, "factor", r, p->A, r, &bad));
        if (bad < 0) break;
        more = more > 0 ? 100 * more : 1e-14 * trace / (double)r;
        if (!(more <= trace)) FAIL(env, RKHS_ERR_NUMERIC, "the right-hand side of the eigenproblem is 0: raise ridge");
    }
    TRY(rk_scratch(env, r * r, sizeof *p->J, &p->J));
    TRY(rk_triangle_inverse(env, r, p->A, r, p->J));
done:
    return status;
}

/* Phi of a stored K, by pivoted Cholesky. */
static rkhs_status factor_matrix(pencil *p) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = p->g;
    int64_t n = g->n, ld;
    int spendable;
    const double *K = rk_gram_matrix(g, &ld, &spendable);
    double *Phi;
    TRY(rk_require_memory(g->env, 8.0 * (double)n * (double)n, "a factor of the Gram", NULL));
    TRY(rk_scratch(g->env, n * n, sizeof *Phi, &Phi));
    TRY(rk_scratch(g->env, n, sizeof *p->pivots, &p->pivots));
    TRY(rk_pivoted_cholesky(g->env, "factor", n, K, ld, EXPLAINED, Phi, p->pivots, &p->r));
    p->Phi = Phi;
    p->ld = n;
done:
    return status;
}

/* Both sides of the problem, from features, with those of objects that are gone. */
static rkhs_status add_moments(const rk_gram *g, const rk_spectral *problem, rk_feature_sums *s) {
    rkhs_status status = RKHS_OK;
    int64_t r = g->rank;
    TRY(rk_scratch(g->env, r * r, sizeof *s->between, &s->between));
    if (problem->n) TRY(rk_scratch(g->env, r * r, sizeof *s->square, &s->square));
    if (problem->n) TRY(rk_scratch(g->env, r, sizeof *s->sums, &s->sums));
    TRY(rk_graph_matrix_moments(g, problem->m, problem->n, s));
    s->count = (double)(g->n - problem->known);
    if (problem->n) s->weight = rk_rows_sum(g->n, 1, problem->n);
    if (problem->before) TRY(rk_feature_sums_add(g, problem->before, 0, s));
done:
    return status;
}

/* Eigenvectors u (r x k) to coefficients (rank x count): w = C^-T u, or a = L^-T w at the pivots, L Phi's rows. */
static rkhs_status spread(pencil *p, const double *u, int64_t k, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    int64_t r = p->r;
    double *w, *L = p->A; /* A is free again */
    TRY(rk_scratch(env, r * k, sizeof *w, &w));
    if (p->J) TRY(rk_gemm(env, NULL, 't', 'n', r, k, r, 1.0, p->J, r, u, k, 0.0, w, k));
    for (int64_t i = 0; !p->J && i < r * k; i++) w[i] = u[i] / sqrt(p->problem->mu);
    if (p->pivots) {
        for (int64_t a = 0; a < r; a++)
            for (int64_t b = 0; b <= a; b++) L[a * r + b] = p->Phi[p->pivots[a] * p->ld + b];
        rk_trsm_tile('l', 't', r, k, L, r, w, k);
    }
    for (int64_t a = 0; a < r; a++)
        memcpy(out->coef + (p->pivots ? p->pivots[a] : a) * out->count, w + a * k, (size_t)k * sizeof *w);
done:
    return status;
}

rkhs_status rk_solve_generalized(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    pencil p = {.g = g, .problem = problem, .r = g->rank};
    double *u;
    if (!solver && rk_suits_krylov(g, problem)) return rk_solve_krylov(g, problem, out);
    TRY(room_for(env, g->rank, problem->count, out));
    if (rk_gram_offers(g, RK_MATRIX))
        TRY(factor_matrix(&p));
    else if (!rk_gram_offers(g, RK_FEATURES))
        FAIL(env, RKHS_ERR_SPEC, "products with the Gram alone do not solve this problem: use gram=exact or gram=nystrom");
    else
        TRY(add_moments(g, problem, &out->sums));
    if (!p.Phi) p.sums = &out->sums;
    out->converged = 1;
    out->solver = "none";
    if (p.r < 1) goto done; /* K = 0: all coefficients stay 0 */
    int64_t k = rk_min(problem->count, p.r);
    TRY(factor_right(&p));
    if (p.r < 1) goto done;
    TRY(p.Phi ? form_left(&p) : turn_left(&p));
    TRY(rk_scratch(env, p.r * k, sizeof *u, &u));
    TRY(solve_operator(env, solver, (rk_op){p.r, apply_left, &p}, p.A, k, u, problem->by_magnitude, out));
    TRY(spread(&p, u, k, out));
done:
    return status;
}
