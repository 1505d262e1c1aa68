/* adam.c: the Adam optimiser, with a learning rate that is halved when progress stops.
 *
 *     m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,  x = x - lr m^ / (sqrt(v^) + eps)
 *
 * g: gradient, lr: learning rate, m^, v^: m, v corrected for their start at 0 (Kingma and Ba, ICLR 2015). lr is halved
 * after more than `patience` steps without a relative gain of `gain`, down to `floor`. The method stops after `stall`
 * steps without a gain of 1e-9. This is the schedule of autoreconstructive kernel embedding. The objective may rise:
 * keep=best returns the best iterate, keep=last the last, as published. */
#include "opt/opt.h"

#include <string.h>

typedef struct adam {
    int64_t max_iter, patience, stall;
    double learning_rate, beta1, beta2, eps, gain, floor;
    int keep, precision;
} adam;

enum { BEST, LAST };

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_MAX_ITER(adam, "3000", 0, "maximum number of steps"),
    {.name = "learning_rate", .aliases = "lr", .kind = RK_REAL, .offset = offsetof(adam, learning_rate), .value = "0.005",
     .max = 1e6, .min_excluded = 1, .brief = "initial learning rate"},
    {.name = "beta1", .aliases = "b1", .kind = RK_REAL, .offset = offsetof(adam, beta1), .value = "0.9", .max = 0.999999,
     .brief = "decay rate of the mean of the gradient"},
    {.name = "beta2", .aliases = "b2", .kind = RK_REAL, .offset = offsetof(adam, beta2), .value = "0.999", .max = 0.999999999,
     .brief = "decay rate of the mean of its square"},
    {.name = "eps", .kind = RK_REAL, .offset = offsetof(adam, eps), .value = "1e-8", .max = 1, .min_excluded = 1,
     .brief = "added to the denominator of a step"},
    {.name = "patience", .kind = RK_INT, .offset = offsetof(adam, patience), .value = "500", .min = 1, .max = 1e9,
     .brief = "number of steps without a gain before the learning rate is halved"},
    {.name = "gain", .kind = RK_REAL, .offset = offsetof(adam, gain), .value = "1e-4", .max = 1,
     .brief = "relative decrease of the objective that counts as a gain"},
    {.name = "floor", .kind = RK_REAL, .offset = offsetof(adam, floor), .value = "1e-6", .max = 1e6,
     .brief = "minimum learning rate"},
    {.name = "stall", .kind = RK_INT, .offset = offsetof(adam, stall), .value = "10000", .min = 1, .max = 1e9,
     .brief = "stop after this number of steps without a relative gain of 1e-9"},
    {.name = "keep", .kind = RK_CHOICE, .offset = offsetof(adam, keep), .value = "best", .choices = "best|last",
     .brief = "which iterate is returned"},
    {.name = "precision", .kind = RK_CHOICE, .offset = offsetof(adam, precision), .value = "double", .choices = "double|single",
     .brief = "single: the iterate and both means are rounded to single precision at each step"},
    {.name = NULL},
};
/* clang-format on */

typedef struct state {
    double *g, *m, *v, *best; /* best: the best iterate */
    double f, best_f, norm;
    double lr, mark, stall_mark; /* mark, stall_mark: values that count as the last gain */
    int64_t since_mark, since_stall;
} state;

static rkhs_status start_adam(rk_solver_problem *p, const void *self, void **out) {
    rkhs_status status = RKHS_OK;
    state *s;
    TRY(rk_alloc(p->env, 1, sizeof *s, &s));
    *out = s;
    s->lr = ((const adam *)self)->learning_rate;
    s->best_f = s->mark = s->stall_mark = INFINITY;
    TRY(rk_alloc(p->env, p->size, sizeof *s->g, &s->g));
    TRY(rk_alloc(p->env, p->size, sizeof *s->m, &s->m));
    TRY(rk_alloc(p->env, p->size, sizeof *s->v, &s->v));
    TRY(rk_alloc(p->env, p->size, sizeof *s->best, &s->best));
done:
    return status;
}

/* Steps since f fell below `mark` by this relative share; updates the mark. */
static int64_t count_since(double f, double share, double *mark, int64_t since) {
    if (f < *mark - share * fabs(*mark) || !isfinite(*mark)) {
        *mark = f;
        return 0;
    }
    return since + 1;
}

/* Updates the learning rate; returns whether to stop. */
static int schedule(state *s, const adam *o) {
    s->since_mark = count_since(s->f, o->gain, &s->mark, s->since_mark);
    s->since_stall = count_since(s->f, 1e-9, &s->stall_mark, s->since_stall);
    if (s->since_mark > o->patience) {
        s->lr = fmax(s->lr / 2, o->floor);
        s->since_mark = 0;
    }
    return s->since_stall >= o->stall;
}

static rkhs_status step_adam(rk_solver_problem *p, const void *self, void *state_, int *done) {
    rkhs_status status = RKHS_OK;
    const adam *o = self;
    state *s = state_;
    if (p->retract) p->retract(p->context, p->x);
    TRY(p->eval(p->context, p->env, p->x, &s->f, s->g));
    p->products++;
    TRY(rk_record_objective(p, s->f));
    s->norm = rk_variables_norm(p, s->g);
    if (isfinite(s->f) && s->f < s->best_f) {
        s->best_f = s->f;
        memcpy(s->best, p->x, (size_t)p->size * sizeof *s->best);
    }
    if (!isfinite(s->f) || !isfinite(s->norm)) { /* diverged: the best iterate is the result */
        *done = 1;
        goto done;
    }
    p->converged = schedule(s, o);
    *done = p->converged || p->iterations >= o->max_iter;
    TRY(rk_progress(p->env, "optimise", p->iterations, o->max_iter));
    if (*done) goto done;
    p->iterations++;
    double c1 = 1 - pow(o->beta1, (double)p->iterations), c2 = 1 - pow(o->beta2, (double)p->iterations);
    for (int64_t i = 0; i < p->size; i++) {
        s->m[i] = o->beta1 * s->m[i] + (1 - o->beta1) * s->g[i];
        s->v[i] = o->beta2 * s->v[i] + (1 - o->beta2) * s->g[i] * s->g[i];
        p->x[i] -= s->lr * (s->m[i] / c1) / (sqrt(s->v[i] / c2) + o->eps);
        if (o->precision) s->m[i] = (float)s->m[i], s->v[i] = (float)s->v[i], p->x[i] = (float)p->x[i];
    }
done:
    return status;
}

static rkhs_status finish_adam(rk_solver_problem *p, const void *self, void *state_) {
    const state *s = state_;
    int last = ((const adam *)self)->keep == LAST && isfinite(s->f);
    if (!isfinite(s->best_f))
        return rk_fail(p->env, RKHS_ERR_NUMERIC,
                       "the objective is not finite at the start: choose another start or other parameters");
    if (!last) memcpy(p->x, s->best, (size_t)p->size * sizeof *s->best);
    p->values[0] = last ? s->f : s->best_f;
    p->residuals[0] = s->norm;
    return RKHS_OK;
}

static rkhs_status save_adam(rk_solver_problem *p, const void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    const state *s = state_;
    const double numbers[] = {s->f, s->best_f, s->norm, s->lr, s->mark, s->stall_mark};
    const int64_t counts[] = {s->since_mark, s->since_stall, p->iterations, p->products};
    TRY(rk_archive_put(archive, "x", &(rk_array){'d', 1, {p->size}, p->x}));
    TRY(rk_archive_put(archive, "adam/m", &(rk_array){'d', 1, {p->size}, s->m}));
    TRY(rk_archive_put(archive, "adam/v", &(rk_array){'d', 1, {p->size}, s->v}));
    TRY(rk_archive_put(archive, "adam/best", &(rk_array){'d', 1, {p->size}, s->best}));
    TRY(rk_archive_put_copy(archive, "adam/numbers", &(rk_array){'d', 1, {6}, numbers}));
    TRY(rk_archive_put_copy(archive, "adam/counts", &(rk_array){'q', 1, {4}, counts}));
    TRY(rk_archive_put(archive, "history", &(rk_array){'d', 1, {p->recorded}, p->history}));
done:
    return status;
}

static rkhs_status load_adam(rk_solver_problem *p, void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    double numbers[6];
    rk_array counts, history;
    TRY(rk_load_vector(p->env, archive, "x", p->size, p->x));
    TRY(rk_load_vector(p->env, archive, "adam/m", p->size, s->m));
    TRY(rk_load_vector(p->env, archive, "adam/v", p->size, s->v));
    TRY(rk_load_vector(p->env, archive, "adam/best", p->size, s->best));
    TRY(rk_load_vector(p->env, archive, "adam/numbers", 6, numbers));
    TRY(rk_archive_get(archive, "adam/counts", 'q', 1, &counts));
    TRY(rk_archive_get(archive, "history", 'd', 1, &history));
    if (counts.shape[0] != 4) FAIL(p->env, RKHS_ERR_FORMAT, "the saved state belongs to another problem");
    const int64_t *c = counts.data;
    s->f = numbers[0], s->best_f = numbers[1], s->norm = numbers[2], s->lr = numbers[3], s->mark = numbers[4],
    s->stall_mark = numbers[5];
    s->since_mark = c[0], s->since_stall = c[1], p->iterations = c[2], p->products = c[3];
    p->recorded = 0;
    for (int64_t i = 0; i < history.shape[0]; i++) TRY(rk_record_objective(p, ((const double *)history.data)[i]));
done:
    return status;
}

static void release_adam(rk_solver_problem *p, void *state_) {
    state *s = state_;
    rk_free(p->env, s->g);
    rk_free(p->env, s->m);
    rk_free(p->env, s->v);
    rk_free(p->env, s->best);
    rk_free(p->env, s);
}

/* clang-format off */
const rk_solver_type rk_optimiser_adam = {
    .entry = {.name = "adam", .brief = "Adam with a learning rate that is halved when the objective stops decreasing",
              .cost = "an evaluation a step", .params = params, .size = sizeof(adam)},
    .shape = RK_SHAPE_SMOOTH, .start = start_adam, .step = step_adam, .finish = finish_adam, .state_save = save_adam,
    .state_load = load_adam, .release = release_adam,
};
/* clang-format on */
