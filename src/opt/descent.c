/* descent.c: the iterate, stopping rule and saved state that line-search methods (lbfgs, nonlinear cg) share. */
#include "opt/opt.h"

#include <string.h>

rkhs_status rk_descent_start(rk_solver_problem *p, rk_descent *at, rk_line *line) {
    rkhs_status status = RKHS_OK;
    TRY(rk_alloc(p->env, p->size, sizeof *at->g, &at->g));
    TRY(rk_alloc(p->env, p->size, sizeof *line->x, &line->x));
    TRY(rk_alloc(p->env, p->size, sizeof *line->g, &line->g));
done:
    return status;
}

/* The largest |entry| of the gradient. */
static double steepest(const rk_solver_problem *p, const rk_descent *at) {
    double largest = 0;
    for (int64_t i = 0; i < p->size; i++) largest = fmax(largest, fabs(at->g[i]));
    return largest;
}

rkhs_status rk_descent_first(rk_solver_problem *p, rk_descent *at, const rk_limits *limits, int *done) {
    rkhs_status status = RKHS_OK;
    if (at->begun) return RKHS_OK;
    if (p->retract) p->retract(p->context, p->x);
    TRY(p->eval(p->context, p->env, p->x, &at->f, at->g));
    p->products++;
    at->begun = 1;
    if (!isfinite(at->f))
        FAIL(p->env, RKHS_ERR_NUMERIC, "the objective is not finite at the start: choose another start or other parameters");
    TRY(rk_record_objective(p, at->f));
    p->converged = steepest(p, at) <= limits->tol;
    *done = p->converged || limits->max_iter < 1;
done:
    return status;
}

rkhs_status rk_descent_accept(rk_solver_problem *p, rk_descent *at, const rk_line *line, const rk_limits *limits, int *done) {
    rkhs_status status = RKHS_OK;
    if (!line->found) { /* no lower point: f is as low as rounding allows */
        *done = 1;
        goto done;
    }
    double gain = at->f - line->f;
    memcpy(p->x, line->x, (size_t)p->size * sizeof *p->x);
    memcpy(at->g, line->g, (size_t)p->size * sizeof *at->g);
    at->f = line->f;
    p->iterations++;
    TRY(rk_record_objective(p, at->f));
    p->converged = steepest(p, at) <= limits->tol || gain <= limits->ftol * fmax(fabs(at->f), 1);
    *done = p->converged || p->iterations >= limits->max_iter;
    TRY(rk_progress(p->env, "optimise", p->iterations, limits->max_iter));
done:
    return status;
}

rkhs_status rk_descent_finish(rk_solver_problem *p, const rk_descent *at) {
    p->values[0] = at->f;
    p->residuals[0] = rk_variables_norm(p, at->g);
    return RKHS_OK;
}

rkhs_status rk_load_vector(rkhs_env *env, rk_archive *archive, const char *name, int64_t count, double *out) {
    rk_array a;
    rkhs_status status = rk_archive_get(archive, name, 'd', -1, &a);
    int64_t there = 1;
    for (int i = 0; status == RKHS_OK && i < a.ndim; i++) there *= a.shape[i];
    if (status == RKHS_OK && there != count) return rk_fail(env, RKHS_ERR_FORMAT, "the saved state belongs to another problem");
    if (status == RKHS_OK) memcpy(out, a.data, (size_t)count * sizeof *out);
    return status;
}

rkhs_status rk_descent_save(rk_solver_problem *p, const rk_descent *at, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    TRY(rk_archive_put(archive, "x", &(rk_array){'d', 1, {p->size}, p->x}));
    TRY(rk_archive_put(archive, "g", &(rk_array){'d', 1, {p->size}, at->g}));
    TRY(rk_archive_put(archive, "history", &(rk_array){'d', 1, {p->recorded}, p->history}));
    TRY(rk_archive_put_real(archive, "f", at->f));
    TRY(rk_archive_put_int(archive, "begun", at->begun));
    TRY(rk_archive_put_int(archive, "iterations", p->iterations));
    TRY(rk_archive_put_int(archive, "evaluations", p->products));
done:
    return status;
}

rkhs_status rk_descent_load(rk_solver_problem *p, rk_descent *at, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    rk_array history;
    int64_t begun;
    TRY(rk_load_vector(p->env, archive, "x", p->size, p->x));
    TRY(rk_load_vector(p->env, archive, "g", p->size, at->g));
    TRY(rk_archive_get(archive, "history", 'd', 1, &history));
    p->recorded = 0;
    for (int64_t i = 0; i < history.shape[0]; i++) TRY(rk_record_objective(p, ((const double *)history.data)[i]));
    TRY(rk_archive_get_real(archive, "f", &at->f));
    TRY(rk_archive_get_int(archive, "begun", &begun));
    at->begun = begun != 0;
    TRY(rk_archive_get_int(archive, "iterations", &p->iterations));
    TRY(rk_archive_get_int(archive, "evaluations", &p->products));
done:
    return status;
}

void rk_descent_release(rk_solver_problem *p, rk_descent *at, rk_line *line) {
    rk_free(p->env, at->g);
    rk_free(p->env, line->x);
    rk_free(p->env, line->g);
}
