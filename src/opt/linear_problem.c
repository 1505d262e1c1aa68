/* linear_problem.c: solves a model's linear problem (Phi'Phi + mu I) W = Phi'T in the coefficients of a gram.
 *
 * In sample form the same solution is Z = K a with (K + mu I) a = T, on the stored K. A solver that factors K may
 * overwrite its lower triangle. K is then restored from the upper one, so that memory stays at one Gram. */
#include "opt/opt.h"

#include <string.h>

/* K V; the solver adds mu V. */
static rkhs_status apply_mul(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const rk_gram *g = context;
    return g->type->mul(g, V, k, out);
}

/* Phi'(Phi V). */
static rkhs_status apply_normal(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const rk_gram *g = context;
    rk_mark mark = rk_scratch_mark(env);
    double *Z;
    rkhs_status status = rk_scratch(env, g->n * k, sizeof *Z, &Z);
    if (status == RKHS_OK) status = g->type->push(g, V, k, Z);
    if (status == RKHS_OK) status = g->type->pull(g, Z, k, out);
    rk_scratch_release(env, mark);
    return status;
}

static int factors(const rk_spec *solver) { return ((const rk_solver_type *)solver->entry)->factors; }

/* (K + mu I) a = T. */
static rkhs_status solve_sample(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solver_problem *p) {
    rkhs_status status = RKHS_OK;
    int spendable = 0;
    double *kept = NULL;
    p->size = g->n;
    p->rhs = problem->T;
    p->a = (rk_op){g->n, apply_mul, (void *)(uintptr_t)g};
    p->dense = g->type->matrix(g, &p->ld, &spendable);
    if (spendable && factors(solver)) {
        TRY(rk_save_diagonal_tiles(g->env, g->n, p->dense, p->ld, &kept));
        p->spend = (double *)(uintptr_t)p->dense;
    }
    status = rk_solve(solver, p);
    if (kept) rk_restore_symmetric(g->n, p->spend, p->ld, kept);
done:
    return status;
}

/* (Phi'Phi + mu I) W = Phi'T. */
static rkhs_status solve_factor(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solver_problem *p) {
    rkhs_status status = RKHS_OK;
    int64_t r = g->rank, ld;
    const double *Phi = g->type->phi(g, &ld);
    double *rhs, *A;
    p->size = p->ld = r;
    p->a = (rk_op){r, apply_normal, (void *)(uintptr_t)g};
    TRY(rk_scratch(g->env, r * problem->k, sizeof *rhs, &rhs));
    TRY(g->type->pull(g, problem->T, problem->k, rhs));
    p->rhs = rhs;
    if (factors(solver)) {
        TRY(rk_scratch(g->env, r * r, sizeof *A, &A));
        TRY(rk_syrk(g->env, "covariance", g->n, r, Phi, ld, NULL, A, r));
        p->spend = A;
    }
    TRY(rk_solve(solver, p));
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
    TRY(rk_pick_linsolver(g->env, solver, &own, &use));
    p.x = out->coef;
    TRY(g->type->form == RK_FORM_SAMPLE ? solve_sample(g, use, problem, &p) : solve_factor(g, use, problem, &p));
    out->iterations = p.iterations;
    out->converged = p.converged;
    out->solver = use->entry->name;
done:
    rk_spec_free(g->env, own);
    return status;
}
