/* solver.c: the list of solvers, and the life of one. */
#include "opt/opt.h"

#define RK_SOLVER(name) extern const rk_solver_type rk_solver_##name;
#include "opt/solvers.def"
#undef RK_SOLVER

static const rk_entry *const entries[] = {
#define RK_SOLVER(name) &rk_solver_##name.entry,
#include "opt/solvers.def"
#undef RK_SOLVER
    NULL};

const rk_list rk_solvers = {"solvers", "solver", entries};

rkhs_status rk_solve(const rk_spec *solver, rk_pulled *p) {
    rkhs_status status = RKHS_OK;
    const rk_solver_type *type = (const rk_solver_type *)solver->entry;
    void *state = NULL;
    int done = 0;
    TRY(type->start(p, solver->self, &state));
    while (!done) TRY(type->step(p, solver->self, state, &done));
    TRY(type->finish(p, solver->self, state));
done:
    if (state) type->release(p, state);
    return status;
}

rkhs_status rk_true_residuals(rk_pulled *p) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    int64_t n = p->size, k = p->k;
    double *W;
    TRY(rk_scratch(p->env, n * k, sizeof *W, &W));
    TRY(p->a.apply(p->a.context, p->env, p->x, k, W));
    p->products += k;
    for (int64_t c = 0; c < k; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += pow(W[i * k + c] - p->values[c] * p->x[i * k + c], 2);
        p->residuals[c] = sqrt(sum);
    }
done:
    rk_scratch_release(p->env, mark);
    return status;
}
