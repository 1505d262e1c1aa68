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
