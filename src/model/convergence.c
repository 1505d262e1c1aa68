/* convergence.c: reports how the solver of a fit ended, and advises what to do if it did not converge.
 *
 * Not converging is no error: the report says so, and one sentence names the solver with a larger limit of iterations.
 * Programs recognise it by its subject, "convergence". The default limits of optimisers end most fits where the loss
 * hardly falls, before their tolerance is met: that is information, not advice. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { MORE = 4, FEW = 20 }; /* times the iterations that were not enough; losses too few to judge by */
/* The share of its whole fall by which a loss falls in the last tenth of its steps. */
static const double SETTLED = 0.02;

/* Whether the reported losses show that the loss hardly falls any more. */
static int has_settled(const rk_report *r) {
    const rk_report_item *item = rk_report_find(r, "losses");
    int64_t count = item && item->values ? item->rows * item->columns : 0;
    if (count < FEW) return 0;
    const double *loss = item->values, last = loss[count - 1];
    return loss[count * 9 / 10] - last <= SETTLED * (loss[0] - last);
}

/* The limit of iterations of a given solver. 0: it has none. */
static int64_t limit_of(const rk_spec *solver) {
    for (const rk_param *p = solver->entry->params; p && p->name; p++)
        if (p->kind == RK_INT && strcmp(p->name, "max_iter") == 0)
            return *(const int64_t *)((const char *)solver->self + p->offset);
    return 0;
}

/* `count` rounded up to one digit. */
static int64_t round_up(int64_t count) {
    int64_t unit = 1;
    while (count / unit >= 10) unit *= 10;
    return (count + unit - 1) / unit * unit;
}

static void advise(const rk_fit *f, const rk_spec *solver, const char *name, int64_t iterations, int smooth) {
    rkhs_env *env = f->env;
    const rk_list *list = smooth ? &rk_optimisers : rk_list_find(&rk_linsolvers, name) ? &rk_linsolvers : &rk_eigensolvers;
    if (list == &rk_eigensolvers && !rk_list_find(list, name)) name = "lanczos"; /* krylov is no choice of the user */
    int64_t limit = solver ? limit_of(solver) : iterations, more = round_up(MORE * rk_max(rk_max(limit, iterations), 1));
    char remedy[96], count[64];
    snprintf(count, sizeof count, "%s", rk_counted(iterations, "iteration").text);
    snprintf(remedy, sizeof remedy, "solver=%.40s(max_iter=%lld)", name, (long long)more);
    if (list == &rk_linsolvers)
        rk_advise(env, "convergence", remedy, "the solution did not converge in %s: raise ridge, or use %s", count, remedy);
    else if (!smooth)
        rk_advise(env, "convergence", remedy, "the eigenvectors did not converge in %s (see 'residuals'): use %s", count,
                  remedy);
    else if (has_settled(f->report))
        rk_log(env, RKHS_LOG_INFO, "the solver ended after %s, short of its tolerance, where the loss hardly falls", count);
    else if (f->max_iter && iterations >= f->max_iter)
        rk_advise(env, "convergence", NULL, "the update did not converge in %s, its limit: fit on all objects to go on", count);
    else if (iterations >= limit)
        rk_advise(env, "convergence", remedy, "the loss did not converge in %s: use %s", count, remedy);
    else
        rk_advise(
            env, "convergence", NULL,
            "the loss did not converge: after %s no step lowers it, and rounding is what is left; a larger tol or ftol of "
            "the solver accepts that",
            count);
}

rkhs_status rk_report_solver(rk_fit *f, const rk_spec *solver, const char *name, int64_t iterations, int64_t evaluations,
                             int converged) {
    rkhs_status status;
    TRY(rk_report_text(f->env, f->report, "solver", name));
    TRY(rk_report_number(f->env, f->report, "iterations", (double)iterations));
    if (evaluations >= 0) TRY(rk_report_number(f->env, f->report, "evaluations", (double)evaluations));
    TRY(rk_report_number(f->env, f->report, "converged", converged));
    if (!converged) advise(f, solver, name, iterations, evaluations >= 0);
done:
    return status;
}
