/* solver.c: the lists of solvers, the default choices, a matrix to solve, and the loop that runs a solver. */
#include "opt/opt.h"

#define RK_EIGENSOLVER(name) extern const rk_solver_type rk_eigensolver_##name;
#define RK_LINSOLVER(name) extern const rk_solver_type rk_linsolver_##name;
#define RK_OPTIMISER(name) extern const rk_solver_type rk_optimiser_##name;
#include "opt/solvers.def"
#undef RK_EIGENSOLVER
#undef RK_LINSOLVER
#undef RK_OPTIMISER

#define RK_EIGENSOLVER(name) &rk_eigensolver_##name.entry,
#define RK_LINSOLVER(name)
#define RK_OPTIMISER(name)
static const rk_entry *const eigensolvers[] = {
#include "opt/solvers.def"
    NULL};
#undef RK_EIGENSOLVER
#undef RK_LINSOLVER

#define RK_EIGENSOLVER(name)
#define RK_LINSOLVER(name) &rk_linsolver_##name.entry,
static const rk_entry *const linsolvers[] = {
#include "opt/solvers.def"
    NULL};
#undef RK_LINSOLVER
#undef RK_OPTIMISER

#define RK_LINSOLVER(name)
#define RK_OPTIMISER(name) &rk_optimiser_##name.entry,
static const rk_entry *const optimisers[] = {
#include "opt/solvers.def"
    NULL};

const rk_list rk_eigensolvers = {"eigensolvers", "eigensolver", eigensolvers};
const rk_list rk_linsolvers = {"linsolvers", "linear solver", linsolvers};
const rk_list rk_optimisers = {"optimisers", "optimiser", optimisers};

static rkhs_status apply_matrix(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const rk_matrix *m = context;
    return rk_symm(env, m->n, m->A, m->n, k, V, out);
}

rk_op rk_matrix_op(const rk_matrix *m) { return (rk_op){m->n, apply_matrix, (void *)(uintptr_t)m}; }

/* *use is the given solver, or a new one called `name`, which the caller frees as *own. */
static rkhs_status pick(rkhs_env *env, const rk_list *list, const rk_spec *given, const char *name, rk_spec **own,
                        const rk_spec **use) {
    rkhs_status status = given ? RKHS_OK : rk_spec_new(env, list, name, own);
    *use = given ? given : *own;
    return status;
}

rkhs_status rk_pick_eigensolver(rkhs_env *env, const rk_spec *given, int64_t size, int64_t count, rk_spec **own,
                                const rk_spec **use) {
    return pick(env, &rk_eigensolvers, given, size <= 512 || count > size / 5 ? "dense" : "lanczos", own, use);
}

rkhs_status rk_pick_linsolver(rkhs_env *env, const rk_spec *given, int stored, rk_spec **own, const rk_spec **use) {
    return pick(env, &rk_linsolvers, given, stored ? "cholesky" : "cg", own, use);
}

int rk_suits_krylov(const rk_gram *g, const rk_spectral *problem) {
    return rk_gram_offers(g, RK_PRODUCTS) && !problem->n && problem->mu == 1 && !problem->by_magnitude && g->n > 512 &&
           problem->count <= g->n / 20 && rk_kernel_all_have(g->kernel, RK_PSD);
}

rkhs_status rk_record_objective(rk_solver_problem *p, double f) {
    if (p->recorded == p->history_room) {
        int64_t room = 2 * p->history_room + 64;
        rkhs_status status = rk_realloc(p->env, room, sizeof *p->history, &p->history);
        if (status != RKHS_OK) return status;
        p->history_room = room;
    }
    p->history[p->recorded++] = f;
    return RKHS_OK;
}

rkhs_status rk_solve(const rk_spec *solver, rk_solver_problem *p) {
    rkhs_status status = RKHS_OK;
    const rk_solver_type *type = (const rk_solver_type *)solver->entry;
    void *state = NULL;
    int done = 0;
    TRY(type->start(p, solver->self, &state));
    while (!done && !(p->max_iter && p->iterations >= p->max_iter)) TRY(type->step(p, solver->self, state, &done));
    TRY(type->finish(p, solver->self, state));
done:
    if (state) type->release(p, state);
    return status;
}

double rk_variables_dot(const rk_solver_problem *p, const double *a, const double *b) {
    int64_t dim = rk_max(p->dim, 1), count = p->size - p->thetas;
    return rk_rows_dot(count / dim, dim, a, b) + rk_dot(p->thetas, a + count, b + count);
}

double rk_variables_norm(const rk_solver_problem *p, const double *a) {
    int64_t dim = rk_max(p->dim, 1), count = p->size - p->thetas;
    return hypot(rk_rows_norm(count / dim, dim, a), rk_norm(p->thetas, a + count));
}

rkhs_status rk_true_residuals(rk_solver_problem *p) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    int64_t n = p->size, k = p->k;
    double *W;
    TRY(rk_scratch(p->env, n * k, sizeof *W, &W));
    TRY(p->a.apply(p->a.context, p->env, p->x, k, W));
    p->products += k;
    for (int64_t c = 0; c < k; c++) {
        rk_row_sum sum = {0};
        for (int64_t i = 0; i < n; i++) rk_add_row(&sum, pow(W[i * k + c] - p->values[c] * p->x[i * k + c], 2));
        p->residuals[c] = sqrt(rk_row_total(&sum));
    }
done:
    rk_scratch_release(p->env, mark);
    return status;
}
