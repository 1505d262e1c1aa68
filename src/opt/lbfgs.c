/* lbfgs.c: the L-BFGS optimiser (limited-memory BFGS), the default for smooth models.
 *
 *     x+ = x - t H g,   H from the last `memory` pairs s = x+ - x, y = g+ - g
 *
 * g is the gradient, + marks the next iterate. The step t satisfies the strong Wolfe conditions: Liu and Nocedal,
 * Mathematical Programming 45, 1989. A step nearly always needs one evaluation. Memory: 2 `memory` + 6 vectors. f
 * never rises, so the last iterate is the best. */
#include "opt/opt.h"

#include <string.h>

typedef struct lbfgs {
    int64_t max_iter, memory;
    double tol, ftol;
} lbfgs;

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_MAX_ITER(lbfgs, "300", 0, "maximum number of iterations"),
    RK_PARAM_GRADIENT_TOL(lbfgs),
    RK_PARAM_FTOL(lbfgs),
    {.name = "memory", .kind = RK_INT, .offset = offsetof(lbfgs, memory), .value = "10", .min = 1, .max = 1000,
     .brief = "number of past steps that the Hessian is approximated from"},
    {.name = NULL},
};
/* clang-format on */

typedef struct state {
    int64_t m, count, head; /* most pairs; pairs stored; where the next goes */
    double *S, *Y;          /* m x size */
    double *d, *alpha;
    rk_line line;
    rk_descent at;
} state;

static rkhs_status start_lbfgs(rk_solver_problem *p, const void *self, void **out) {
    rkhs_status status = RKHS_OK;
    state *s;
    TRY(rk_alloc(p->env, 1, sizeof *s, &s));
    *out = s;
    s->m = ((const lbfgs *)self)->memory;
    TRY(rk_alloc(p->env, s->m * p->size, sizeof *s->S, &s->S));
    TRY(rk_alloc(p->env, s->m * p->size, sizeof *s->Y, &s->Y));
    TRY(rk_alloc(p->env, p->size, sizeof *s->d, &s->d));
    TRY(rk_alloc(p->env, s->m, sizeof *s->alpha, &s->alpha));
    TRY(rk_descent_start(p, &s->at, &s->line));
done:
    return status;
}

/* d = -H g by the two-loop recursion. */
static void direction(rk_solver_problem *p, state *s) {
    int64_t n = p->size;
    for (int64_t i = 0; i < n; i++) s->d[i] = -s->at.g[i];
    for (int64_t q = 0; q < s->count; q++) {
        int64_t r = (s->head - 1 - q + 2 * s->m) % s->m;
        const double *S = s->S + r * n, *Y = s->Y + r * n;
        s->alpha[r] = rk_variables_dot(p, S, s->d) / rk_variables_dot(p, S, Y);
        for (int64_t i = 0; i < n; i++) s->d[i] -= s->alpha[r] * Y[i];
    }
    if (s->count) {
        int64_t r = (s->head - 1 + s->m) % s->m;
        const double *S = s->S + r * n, *Y = s->Y + r * n;
        double scale = rk_variables_dot(p, S, Y) / rk_variables_dot(p, Y, Y);
        for (int64_t i = 0; i < n; i++) s->d[i] *= scale;
    }
    for (int64_t q = s->count - 1; q >= 0; q--) {
        int64_t r = (s->head - 1 - q + 2 * s->m) % s->m;
        const double *S = s->S + r * n, *Y = s->Y + r * n;
        double beta = rk_variables_dot(p, Y, s->d) / rk_variables_dot(p, S, Y);
        for (int64_t i = 0; i < n; i++) s->d[i] += (s->alpha[r] - beta) * S[i];
    }
}

/* Stores s and y of the step just made, if their curvature s'y is positive. */
static void remember(rk_solver_problem *p, state *s) {
    int64_t n = p->size;
    double *S = s->S + s->head * n, *Y = s->Y + s->head * n;
    for (int64_t i = 0; i < n; i++) S[i] = s->line.x[i] - p->x[i], Y[i] = s->line.g[i] - s->at.g[i];
    if (!(rk_variables_dot(p, S, Y) > 2.2e-16 * rk_variables_dot(p, Y, Y))) return;
    s->head = (s->head + 1) % s->m;
    if (s->count < s->m) s->count++;
}

static rkhs_status step_lbfgs(rk_solver_problem *p, const void *self, void *state_, int *done) {
    rkhs_status status = RKHS_OK;
    const lbfgs *o = self;
    state *s = state_;
    rk_limits limits = {o->max_iter, o->tol, o->ftol};
    TRY(rk_descent_first(p, &s->at, &limits, done));
    if (*done) goto done;
    direction(p, s);
    double slope = rk_variables_dot(p, s->d, s->at.g);
    if (!(slope < 0)) { /* rounding spoilt the pairs: start from the gradient */
        s->count = 0;
        direction(p, s);
        slope = rk_variables_dot(p, s->d, s->at.g);
    }
    double first = 1 / rk_variables_norm(p, s->at.g);
    s->line.d = s->d;
    s->line.t = s->count ? 1 : first < 1 ? first : 1;
    s->line.slope = slope;
    s->line.f = s->at.f;
    s->line.c1 = 1e-3;
    s->line.c2 = 0.9;
    TRY(rk_line_search(p, &s->line));
    if (!s->line.found && s->count) { /* the next step follows the gradient */
        s->count = 0;
        goto done;
    }
    if (s->line.found) remember(p, s);
    TRY(rk_descent_accept(p, &s->at, &s->line, &limits, done));
done:
    return status;
}

static rkhs_status finish_lbfgs(rk_solver_problem *p, const void *self, void *state_) {
    return rk_descent_finish(p, &((state *)state_)->at);
}

static rkhs_status save_lbfgs(rk_solver_problem *p, const void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    const state *s = state_;
    TRY(rk_archive_put(archive, "lbfgs/S", &(rk_array){'d', 2, {s->m, p->size}, s->S}));
    TRY(rk_archive_put(archive, "lbfgs/Y", &(rk_array){'d', 2, {s->m, p->size}, s->Y}));
    TRY(rk_archive_put_int(archive, "lbfgs/count", s->count));
    TRY(rk_archive_put_int(archive, "lbfgs/head", s->head));
    TRY(rk_descent_save(p, &s->at, archive));
done:
    return status;
}

static rkhs_status load_lbfgs(rk_solver_problem *p, void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    TRY(rk_load_vector(p->env, archive, "lbfgs/S", s->m * p->size, s->S));
    TRY(rk_load_vector(p->env, archive, "lbfgs/Y", s->m * p->size, s->Y));
    TRY(rk_archive_get_int(archive, "lbfgs/count", &s->count));
    TRY(rk_archive_get_int(archive, "lbfgs/head", &s->head));
    if (s->count < 0 || s->count > s->m || s->head < 0 || s->head >= s->m)
        FAIL(p->env, RKHS_ERR_FORMAT, "the saved state belongs to another problem");
    TRY(rk_descent_load(p, &s->at, archive));
done:
    return status;
}

static void release_lbfgs(rk_solver_problem *p, void *state_) {
    state *s = state_;
    rk_free(p->env, s->S);
    rk_free(p->env, s->Y);
    rk_free(p->env, s->d);
    rk_free(p->env, s->alpha);
    rk_descent_release(p, &s->at, &s->line);
    rk_free(p->env, s);
}

/* clang-format off */
const rk_solver_type rk_optimiser_lbfgs = {
    .entry = {.name = "lbfgs", .brief = "limited-memory BFGS with a strong Wolfe line search",
              .cost = "an evaluation and products with 4 memory vectors a step", .params = params, .size = sizeof(lbfgs)},
    .shape = RK_SHAPE_SMOOTH, .start = start_lbfgs, .step = step_lbfgs, .finish = finish_lbfgs,
    .state_save = save_lbfgs, .state_load = load_lbfgs, .release = release_lbfgs,
};
/* clang-format on */
