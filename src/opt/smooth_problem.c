/* smooth_problem.c: solves a model's smooth problem in the coefficients of a gram.
 *
 *     sample      x is Z
 *     alpha       Z = K_nm a, a on the m landmarks or all objects; through the factor: K_nm = Phi L', so W = L'a;
 *                 with `nearest` only the nearest objects of each row of K (knn_rows.c)
 *     isometric   Z = Phi W; a stored K is factored for that, K + eps I = L L', Phi = L
 *
 * The problem is to minimise f(norm(push x), theta) + ridge |W|^2. push maps the coefficients x to Y, norm is the
 * model's normalisation. The gradient goes back: df/dY through the normalisation, df/dW = Phi' df/dY, df/da = L df/dW.
 * At the end Z is recomputed by the map of new objects. */
#include "opt/opt.h"

#include <string.h>

typedef struct pullback {
    const rk_gram *g;
    const rk_smooth *problem;
    int64_t rows;                /* of the coefficients */
    double *L;                   /* isometric on a stored K: n x n, lower triangular */
    double *Y, *Z, *dZ, *dY, *W; /* n x dim; W is rank x dim */
    double *Kx;                  /* alpha with features: the gradient of the ridge; without, that is Y = K a */
    double added;                /* to the diagonal of K */
    rk_knn_rows knn_rows;        /* with `nearest` */
} pullback;

static int has_features(const pullback *b) { return rk_gram_offers(b->g, RK_FEATURES); }

/* out = push x, or its transpose push' x if `back` is set. */
static rkhs_status push(pullback *b, int back, const double *x, double *out) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = b->g;
    int64_t d = b->problem->dim;
    switch (b->problem->coordinates) {
    case RK_COORD_SAMPLE: memcpy(out, x, (size_t)(b->rows * d) * sizeof *out); break;
    case RK_COORD_ALPHA:
        if (b->knn_rows.nearest) {
            (back ? rk_knn_rows_mul_transposed : rk_knn_rows_mul)(&b->knn_rows, x, d, out);
            break;
        }
        if (!has_features(b)) return rk_gram_mul(g, x, d, out);
        TRY(back ? rk_gram_pull(g, x, d, b->W) : rk_gram_from_map(g, x, d, b->W));
        return back ? rk_gram_from_map_transposed(g, b->W, d, out) : rk_gram_push(g, b->W, d, out);
    case RK_COORD_ISOMETRIC:
        if (has_features(b)) return back ? rk_gram_pull(g, x, d, out) : rk_gram_push(g, x, d, out);
        return rk_gemm(g->env, NULL, back ? 't' : 'n', 'n', g->n, d, g->n, 1.0, b->L, g->n, x, d, 0.0, out, d);
    }
done:
    return status;
}

/* |Y|^2/rows at the last evaluation; 1 if Y is 0. */
static double mean_square(const pullback *b) {
    double norm = rk_rows_norm(b->problem->rows, b->problem->dim, b->Y);
    return norm > 0 ? norm * norm / (double)b->problem->rows : 1;
}

/* Adds ridge |W|^2 and its gradient: isometric W'W; alpha a'K a = a'Y, with features |L'a|^2. */
static rkhs_status add_ridge(pullback *b, const double *x, double *f, double *g) {
    rkhs_status status = RKHS_OK;
    double ridge = b->problem->ridge;
    int64_t count = b->rows * b->problem->dim;
    const double *Kx = x;
    if (b->problem->scale_free) ridge /= mean_square(b);
    if (ridge == 0 || b->problem->coordinates == RK_COORD_SAMPLE) goto done;
    if (b->problem->coordinates == RK_COORD_ALPHA && !has_features(b)) Kx = b->Y;
    if (b->problem->coordinates == RK_COORD_ALPHA && has_features(b)) {
        TRY(rk_gram_from_map(b->g, x, b->problem->dim, b->W));
        TRY(rk_gram_from_map_transposed(b->g, b->W, b->problem->dim, b->Kx));
        Kx = b->Kx;
    }
    *f += ridge * rk_rows_dot(b->rows, b->problem->dim, x, Kx);
    for (int64_t i = 0; i < count; i++) g[i] += 2 * ridge * Kx[i];
done:
    return status;
}

/* Adds the part of a scale-free ridge to df/dY: -2 ridge |W|^2 Y/(rows s^2), s = |Y|^2/rows. */
static void add_scale(pullback *b, const double *x, double *dY) {
    const rk_smooth *problem = b->problem;
    double square = mean_square(b), norm = rk_rows_norm(b->rows, problem->dim, x) / square;
    double by = 2 * problem->ridge * norm * norm / (double)problem->rows;
    for (int64_t i = 0; i < problem->rows * problem->dim; i++) dY[i] -= by * b->Y[i];
}

static rkhs_status eval_pulled(void *context, rkhs_env *env, const double *x, double *f, double *g) {
    rkhs_status status = RKHS_OK;
    pullback *b = context;
    const rk_smooth *problem = b->problem;
    rk_mark mark = rk_scratch_mark(env);
    int64_t coefficients = b->rows * problem->dim;
    const double *theta = x + coefficients, *Z = b->Y;
    double scale[1], *shift;
    TRY(rk_scratch(env, problem->dim, sizeof *shift, &shift));
    TRY(push(b, 0, x, b->Y));
    if (problem->normalise) {
        TRY(problem->normalise(problem->context, b->Y, b->Z, scale, shift));
        Z = b->Z;
    }
    memset(b->dZ, 0, (size_t)(problem->rows * problem->dim) * sizeof *b->dZ);
    memset(g + coefficients, 0, (size_t)problem->thetas * sizeof *g);
    TRY(problem->eval(problem->context, env, Z, theta, f, b->dZ, g + coefficients));
    if (problem->tangent) problem->tangent(problem->context, Z, b->dZ);
    if (problem->normalise) TRY(problem->normalise_back(problem->context, Z, b->dZ, b->dY));
    if (problem->scale_free) add_scale(b, x, problem->normalise ? b->dY : b->dZ);
    TRY(push(b, 1, problem->normalise ? b->dY : b->dZ, g));
    TRY(add_ridge(b, x, f, g));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* The constraint is on Z: in sample coordinates only. */
static void retract_pulled(void *context, double *x) {
    const pullback *b = context;
    b->problem->retract(b->problem->context, x);
}

/* L with K + eps I = L L', zeros above the diagonal. */
static rkhs_status factor_matrix(pullback *b) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = b->g;
    int64_t n = g->n, ld, bad = 0;
    int spendable;
    const double *K = rk_gram_matrix(g, &ld, &spendable);
    double trace = rk_rows_sum(n, ld + 1, K);
    TRY(rk_require_memory(g->env, 8.0 * (double)n * (double)n, "a factor of the Gram", NULL));
    TRY(rk_scratch(g->env, n * n, sizeof *b->L, &b->L));
    for (double eps = 1e-12 * trace / (double)n; bad >= 0; eps *= 100) {
        for (int64_t i = 0; i < n; i++) {
            memcpy(b->L + i * n, K + i * ld, (size_t)n * sizeof *K);
            b->L[i * n + i] += eps;
        }
        b->added = eps;
        TRY(rk_cholesky(g->env, "factor", n, b->L, n, &bad));
        if (bad >= 0 && !(eps > 0 && eps <= trace)) /* also if eps underflows, or trace is not a number */
            FAIL(
                g->env, RKHS_ERR_NUMERIC,
                "the Gram cannot be factored: it is far from positive semi-definite, or its values are too small or too large");
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) b->L[i * n + j] = 0;
done:
    return status;
}

/* Initial coefficients: those whose push is near Z0, by ridge regression, or random ones. */
static rkhs_status start_at(pullback *b, const double *Z0, double *x) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = b->g;
    int64_t d = b->problem->dim, n = g->n;
    rk_solution s;
    double *diag, mean;
    TRY(rk_scratch(g->env, n, sizeof *diag, &diag));
    TRY(rk_gram_diag(g, diag));
    mean = rk_rows_sum(n, 1, diag) / (double)n;
    if (!Z0) { /* isometric: scaled so that Z is about 1 */
        double scale = b->problem->coordinates == RK_COORD_ISOMETRIC && mean > 0 ? 1 / sqrt(mean) : 1;
        for (int64_t i = 0; i < b->rows * d; i++)
            x[i] = scale * rk_normal(g->env->seed, RK_STREAM_START, (uint64_t)(i / d), (uint64_t)(i % d));
        goto done;
    }
    if (b->problem->coordinates == RK_COORD_SAMPLE) {
        memcpy(x, Z0, (size_t)(n * d) * sizeof *x);
        goto done;
    }
    if (b->knn_rows.nearest) return rk_knn_rows_start(g->env, &b->knn_rows, Z0, d, x);
    /* A precomputed Gram may have negative eigenvalues: the ridge is raised until it works. */
    for (double ridge = 1e-3 * mean;; ridge *= 10) {
        status = rk_solve_linear(g, NULL, &(rk_linear){.T = Z0, .k = d, .mu = ridge}, &s);
        if (status != RKHS_ERR_NUMERIC) break;
        rk_clear_error(g->env);
        if (!(ridge < mean * (double)n))
            FAIL(
                g->env, RKHS_ERR_NUMERIC,
                "the Gram is far from positive semi-definite, and no kernel's: use kpca, which leaves eigenvalues below 0 out");
    }
    TRY(status);
    if (b->problem->coordinates == RK_COORD_ISOMETRIC && !has_features(b)) { /* W = L'a */
        TRY(rk_gemm(g->env, NULL, 't', 'n', n, d, n, 1.0, b->L, n, s.coef, d, 0.0, x, d));
    } else if (b->problem->coordinates == RK_COORD_ALPHA && has_features(b)) {
        TRY(rk_gram_to_map(g, s.coef, d, x));
    } else {
        memcpy(x, s.coef, (size_t)(b->rows * d) * sizeof *x);
    }
done:
    return status;
}

/* B of the map from the coefficients. */
static rkhs_status coefficients_to_map(pullback *b, const double *x, double *B) {
    const rk_gram *g = b->g;
    int64_t d = b->problem->dim;
    int isometric = b->problem->coordinates == RK_COORD_ISOMETRIC;
    if (isometric && has_features(b)) return rk_gram_to_map(g, x, d, B);
    memcpy(B, x, (size_t)(b->rows * d) * sizeof *B);
    if (isometric) rk_trsm_tile('l', 't', g->n, d, b->L, g->n, B, d);
    return RKHS_OK;
}

/* Computes B, c and Z as the map gives it; the normalisation is folded into B and c. */
static rkhs_status finish_map(pullback *b, const double *x, rk_smooth_result *out) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = b->g;
    const rk_smooth *problem = b->problem;
    int64_t d = problem->dim;
    double scale = 1;
    for (int64_t c = 0; c < d; c++) out->c[c] = 0;
    if (problem->coordinates == RK_COORD_SAMPLE) {
        memcpy(b->Y, x, (size_t)(g->n * d) * sizeof *x);
    } else {
        TRY(coefficients_to_map(b, x, out->B));
        if (!has_features(b) && !b->knn_rows.nearest)
            TRY(rk_gram_mul(g, out->B, d, b->Y));
        else
            TRY(push(b, 0, x, b->Y));
    }
    memcpy(out->Z, b->Y, (size_t)(g->n * d) * sizeof *out->Z);
    if (problem->normalise) {
        TRY(problem->normalise(problem->context, b->Y, out->Z, &scale, out->c));
        for (int64_t i = 0; out->B && i < g->map_count * d; i++) out->B[i] *= scale;
    }
done:
    return status;
}

rkhs_status rk_solve_smooth(const rk_gram *g, const rk_spec *solver, const rk_smooth *problem, const double *Z0, double *theta,
                            rk_smooth_result *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int64_t d = problem->dim, n = g->n;
    pullback b = {.g = g, .problem = problem};
    rk_solver_problem p = {.env = env, .k = 1, .eval = eval_pulled, .context = &b, .values = &out->f, .residuals = &out->slope};
    b.rows = problem->coordinates == RK_COORD_SAMPLE ? n : problem->coordinates == RK_COORD_ALPHA ? g->map_count : g->rank;
    p.size = b.rows * d + problem->thetas;
    p.dim = d;
    p.thetas = problem->thetas;
    p.max_iter = problem->max_iter;
    if (problem->nearest && (problem->coordinates != RK_COORD_ALPHA || has_features(&b) || problem->ridge != 0))
        FAIL(env, RKHS_ERR_SPEC, "a map through the nearest objects alone needs all of them: use gram=exact");
    if (problem->scale_free && problem->coordinates != RK_COORD_ISOMETRIC)
        FAIL(env, RKHS_ERR_BUG, "a ridge without a scale is for isometric coordinates");
    if (problem->nearest) TRY(rk_knn_rows_new(g, problem->nearest, &b.knn_rows));
    if (problem->retract && problem->coordinates == RK_COORD_SAMPLE) p.retract = retract_pulled;
    TRY(rk_scratch(env, n * d, sizeof *b.Y, &b.Y));
    TRY(rk_scratch(env, n * d, sizeof *b.Z, &b.Z));
    TRY(rk_scratch(env, n * d, sizeof *b.dZ, &b.dZ));
    TRY(rk_scratch(env, n * d, sizeof *b.dY, &b.dY));
    TRY(rk_scratch(env, g->rank * d, sizeof *b.W, &b.W));
    TRY(rk_scratch(env, b.rows * d, sizeof *b.Kx, &b.Kx));
    TRY(rk_scratch(env, p.size, sizeof *p.x, &p.x));
    if (problem->coordinates == RK_COORD_ISOMETRIC && !has_features(&b)) TRY(factor_matrix(&b));
    TRY(start_at(&b, Z0, p.x));
    if (problem->thetas) memcpy(p.x + b.rows * d, theta, (size_t)problem->thetas * sizeof *theta);
    TRY(rk_solve(solver, &p));
    if (problem->thetas) memcpy(theta, p.x + b.rows * d, (size_t)problem->thetas * sizeof *theta);
    TRY(finish_map(&b, p.x, out));
    out->added = b.added;
    out->iterations = p.iterations;
    out->evaluations = p.products;
    out->converged = p.converged;
    out->solver = solver->entry->name;
    out->history = p.history;
    out->recorded = p.recorded;
    p.history = NULL;
done:
    rk_free(env, p.history);
    return status;
}
