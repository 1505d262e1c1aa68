/* nonlinear_cg.c: the nonlinear conjugate gradient optimiser, the published one of twin kernel embedding.
 *
 *     d+ = -g+ + beta d
 *
 * d is the direction, g the gradient, + marks the next iterate. beta=pr: Polak and Ribiere, at least 0. beta=hz: Hager
 * and Zhang, SIAM J. Optim. 16, 2005, whose direction is always downhill. It stores six vectors; lbfgs needs fewer
 * evaluations. */
#include "opt/opt.h"

#include <string.h>

typedef struct ncg {
    int64_t max_iter;
    int beta;
    double tol, ftol;
} ncg;

enum { PR, HZ };

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_MAX_ITER(ncg, "300", 0, "maximum number of iterations"),
    {.name = "beta", .kind = RK_CHOICE, .offset = offsetof(ncg, beta), .value = "pr", .choices = "pr|hz",
     .brief = "formula of beta: Polak-Ribiere, or Hager-Zhang"},
    RK_PARAM_GRADIENT_TOL(ncg),
    RK_PARAM_FTOL(ncg),
    {.name = NULL},
};
/* clang-format on */

typedef struct state {
    double *d;
    double slope, t; /* of the last step; slope 0: there was none */
    rk_line line;
    rk_descent at;
} state;

static rkhs_status start_ncg(rk_solver_problem *p, const void *self, void **out) {
    rkhs_status status = RKHS_OK;
    state *s;
    TRY(rk_alloc(p->env, 1, sizeof *s, &s));
    *out = s;
    TRY(rk_alloc(p->env, p->size, sizeof *s->d, &s->d));
    TRY(rk_descent_start(p, &s->at, &s->line));
done:
    return status;
}

/* beta, the weight of the old direction; `fresh` is the new gradient. */
static double beta_of(const rk_solver_problem *p, const state *s, const double *fresh, int rule) {
    const double *old = s->at.g, *d = s->d;
    double old2 = rk_variables_dot(p, old, old), fresh2 = rk_variables_dot(p, fresh, fresh);
    double both = rk_variables_dot(p, fresh, old), fy = fresh2 - both;
    if (rule == PR) return fmax(0, fy / old2);
    double df = rk_variables_dot(p, d, fresh), dy = df - rk_variables_dot(p, d, old), y2 = fresh2 - 2 * both + old2;
    if (!(fabs(dy) > 0)) return 0;
    double eta = -1 / (rk_variables_norm(p, d) * fmin(0.01, sqrt(old2)));
    return fmax(eta, (fy - 2 * df * y2 / dy) / dy);
}

static rkhs_status step_ncg(rk_solver_problem *p, const void *self, void *state_, int *done) {
    rkhs_status status = RKHS_OK;
    const ncg *o = self;
    state *s = state_;
    int64_t n = p->size;
    rk_limits limits = {o->max_iter, o->tol, o->ftol};
    TRY(rk_descent_first(p, &s->at, &limits, done));
    if (*done) goto done;
    double slope = rk_variables_dot(p, s->d, s->at.g);
    int restarted = !(slope < 0);
    if (restarted) {
        for (int64_t i = 0; i < n; i++) s->d[i] = -s->at.g[i];
        slope = -rk_variables_dot(p, s->at.g, s->at.g);
    }
    double first = fmin(1, 1 / rk_variables_norm(p, s->at.g));
    s->line.t = s->slope < 0 && !restarted ? fmin(s->t * s->slope / slope, 100 * s->t) : s->slope < 0 ? s->t : first;
    s->line.d = s->d;
    s->line.slope = slope;
    s->line.f = s->at.f;
    s->line.c1 = 1e-4;
    s->line.c2 = restarted ? 0.9 : 0.1; /* the gradient has no scale: a precise search along it may end far away */
    TRY(rk_line_search(p, &s->line));
    if (!s->line.found && !restarted) { /* the next step follows the gradient */
        memset(s->d, 0, (size_t)n * sizeof *s->d);
        goto done;
    }
    if (s->line.found) {
        double beta = beta_of(p, s, s->line.g, o->beta);
        for (int64_t i = 0; i < n; i++) s->d[i] = beta * s->d[i] - s->line.g[i];
        s->slope = slope;
        s->t = s->line.t;
    }
    TRY(rk_descent_accept(p, &s->at, &s->line, &limits, done));
done:
    return status;
}

static rkhs_status finish_ncg(rk_solver_problem *p, const void *self, void *state_) {
    return rk_descent_finish(p, &((state *)state_)->at);
}

static rkhs_status save_ncg(rk_solver_problem *p, const void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    const state *s = state_;
    TRY(rk_archive_put(archive, "cg/d", &(rk_array){'d', 1, {p->size}, s->d}));
    TRY(rk_archive_put_real(archive, "cg/slope", s->slope));
    TRY(rk_archive_put_real(archive, "cg/t", s->t));
    TRY(rk_descent_save(p, &s->at, archive));
done:
    return status;
}

static rkhs_status load_ncg(rk_solver_problem *p, void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    TRY(rk_load_vector(p->env, archive, "cg/d", p->size, s->d));
    TRY(rk_archive_get_real(archive, "cg/slope", &s->slope));
    TRY(rk_archive_get_real(archive, "cg/t", &s->t));
    TRY(rk_descent_load(p, &s->at, archive));
done:
    return status;
}

static void release_ncg(rk_solver_problem *p, void *state_) {
    state *s = state_;
    rk_free(p->env, s->d);
    rk_descent_release(p, &s->at, &s->line);
    rk_free(p->env, s);
}

/* clang-format off */
const rk_solver_type rk_optimiser_cg = {
    .entry = {.name = "cg", .brief = "nonlinear conjugate gradients with a strong Wolfe line search",
              .cost = "about two evaluations a step", .params = params, .size = sizeof(ncg)},
    .shape = RK_SHAPE_SMOOTH, .start = start_ncg, .step = step_ncg, .finish = finish_ncg, .state_save = save_ncg,
    .state_load = load_ncg, .release = release_ncg,
};
/* clang-format on */
