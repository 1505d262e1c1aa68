/* linear_problem.c: solves a model's linear problem (Phi'Phi + mu I) W = Phi'T in the coefficients of a gram.
 *
 * Without features the same solution is Z = K a with (K + mu I) a = T, by products with K or on the stored K. A solver
 * that factors K may overwrite its lower triangle. K is then restored from the upper one, so that memory stays at one
 * Gram. */
#include "opt/opt.h"

#include <string.h>

/* K V; the solver adds mu V. */
static rkhs_status apply_mul(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const rk_gram *g = context;
    return rk_gram_mul(g, V, k, out);
}

static int factors(const rk_spec *solver) { return ((const rk_solver_type *)solver->entry)->factors; }

/* (K + mu I) a = T. */
static rkhs_status solve_products(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solver_problem *p) {
    rkhs_status status = RKHS_OK;
    int spendable = 0;
    double *kept = NULL;
    rk_gram *landmarks = NULL;
    p->size = g->n;
    p->rhs = problem->T;
    p->a = (rk_op){g->n, apply_mul, (void *)(uintptr_t)g};
    if (rk_gram_offers(g, RK_MATRIX)) p->dense = rk_gram_matrix(g, &p->ld, &spendable);
    if (spendable && factors(solver)) {
        TRY(rk_save_diagonal_tiles(g->env, g->n, p->dense, p->ld, &kept));
        p->spend = (double *)(uintptr_t)p->dense;
    }
    if (!p->dense && factors(solver))
        FAIL(g->env, RKHS_ERR_SPEC, "solver=%s factors the Gram, which gram=%s does not store: use solver=cg, or gram=exact",
             solver->entry->name, g->type->entry.name);
    if (!p->dense) TRY(rk_precondition(g, problem->mu, &landmarks, &p->inverse));
    status = rk_solve(solver, p);
    if (kept) rk_restore_symmetric(g->n, p->spend, p->ld, kept);
done:
    rk_gram_free(landmarks);
    return status;
}

/* (Phi'Phi + mu I) W = Phi'T. */
static rkhs_status solve_features(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solver_problem *p,
                                  rk_feature_sums *sums) {
    rkhs_status status = RKHS_OK;
    int64_t r = g->rank, known = problem->before ? problem->known : 0;
    rk_matrix m = {.n = r};
    double *weight = NULL, *A;
    TRY(rk_scratch(g->env, r * problem->k, sizeof *sums->product, &sums->product));
    TRY(rk_scratch(g->env, r * r, sizeof *sums->square, &sums->square));
    if (known) TRY(rk_new_objects(g, known, &weight));
    TRY(rk_gram_moments(
        g, "covariance",
        &(rk_moments){.weight = weight, .square = sums->square, .T = problem->T, .k = problem->k, .product = sums->product}));
    sums->count = (double)(g->n - known);
    if (problem->before) TRY(rk_feature_sums_add(g, problem->before, problem->k, sums));
    A = sums->square;
    if (problem->keep && factors(solver)) {
        TRY(rk_scratch(g->env, r * r, sizeof *A, &A));
        memcpy(A, sums->square, (size_t)(r * r) * sizeof *A);
    }
    m.A = A;
    p->size = p->ld = r;
    p->a = rk_matrix_op(&m);
    p->rhs = sums->product;
    if (factors(solver)) p->spend = A;
    TRY(rk_solve(solver, p));
    if (!problem->keep) *sums = (rk_feature_sums){0};
done:
    return status;
}

rkhs_status rk_solve_linear(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solution *out) {
    rkhs_status status = RKHS_OK;
    rk_spec *own = NULL;
    const rk_spec *use;
    rk_solver_problem p = {.env = g->env, .k = problem->k, .mu = problem->mu};
    *out = (rk_solution){0};
    TRY(rk_scratch(g->env, g->rank * problem->k, sizeof *out->coef, &out->coef));
    TRY(rk_scratch(g->env, problem->k, sizeof *p.residuals, &p.residuals));
    memset(p.residuals, 0, (size_t)problem->k * sizeof *p.residuals);
    TRY(rk_pick_linsolver(g->env, solver, rk_gram_offers(g, RK_MATRIX | RK_FEATURES), &own, &use));
    p.x = out->coef;
    TRY(rk_gram_offers(g, RK_FEATURES) ? solve_features(g, use, problem, &p, &out->sums) : solve_products(g, use, problem, &p));
    out->iterations = p.iterations;
    out->converged = p.converged;
    out->solver = use->entry->name;
done:
    rk_spec_free(g->env, own);
    return status;
}
