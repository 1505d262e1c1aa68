/* linear_cg.c: linear solver: (A + mu I) x = b by conjugate gradients, for all right-hand sides at once.
 *
 * It is for matrices of which a second copy does not fit, or that are known only by products. A problem may come with a
 * preconditioner. */
#include "opt/opt.h"

#include <string.h>

typedef struct lincg {
    double tol;
    int64_t max_iter;
} lincg;

/* clang-format off */
static const rk_param params[] = {
    {.name = "tol", .kind = RK_REAL, .offset = offsetof(lincg, tol), .value = "1e-10", .max = 1, .min_excluded = 1,
     .brief = "tolerance: stop when every residual is below tol times the norm of its right-hand side"},
    RK_PARAM_MAX_ITER(lincg, "1000", 1, "maximum number of iterations, each one product with the matrix"),
    {.name = NULL},
};
/* clang-format on */

typedef struct state {
    double *r, *d, *q;    /* size x k: residual, direction, A times direction */
    double *z;            /* the residual after the preconditioner; r itself without one */
    double *rz, *rr, *bb; /* k: r'z, |r|^2, |b|^2 */
} state;

/* Inner products of the columns of two size x k blocks; with `joint`, of all columns together. */
static void column_dots(const rk_solver_problem *p, const double *a, const double *b, double *out) {
    for (int64_t c = 0; p->joint && c < p->k; c++) out[c] = c ? out[0] : rk_rows_dot(p->size, p->k, a, b);
    if (!p->joint) rk_column_dots(p->size, p->k, a, p->k, b, p->k, out);
}

/* z from r. */
static rkhs_status precondition(rk_solver_problem *p, state *s) {
    return s->z == s->r ? RKHS_OK : p->inverse.apply(p->inverse.context, p->env, s->r, p->k, s->z);
}

static rkhs_status start_lincg(rk_solver_problem *p, const void *self, void **out) {
    rkhs_status status = RKHS_OK;
    state *s;
    int64_t count = p->size * p->k;
    TRY(rk_alloc(p->env, 1, sizeof *s, &s));
    *out = s;
    TRY(rk_alloc(p->env, count, sizeof *s->r, &s->r));
    TRY(rk_alloc(p->env, count, sizeof *s->d, &s->d));
    TRY(rk_alloc(p->env, count, sizeof *s->q, &s->q));
    s->z = s->r;
    if (p->inverse.apply) TRY(rk_alloc(p->env, count, sizeof *s->z, &s->z));
    TRY(rk_alloc(p->env, p->k, sizeof *s->rz, &s->rz));
    TRY(rk_alloc(p->env, p->k, sizeof *s->rr, &s->rr));
    TRY(rk_alloc(p->env, p->k, sizeof *s->bb, &s->bb));
    memset(p->x, 0, (size_t)count * sizeof *p->x);
    memcpy(s->r, p->rhs, (size_t)count * sizeof *s->r);
    TRY(precondition(p, s));
    memcpy(s->d, s->z, (size_t)count * sizeof *s->d);
    column_dots(p, s->r, s->r, s->rr);
    column_dots(p, s->r, s->z, s->rz);
    memcpy(s->bb, s->rr, (size_t)p->k * sizeof *s->bb);
done:
    return status;
}

static rkhs_status step_lincg(rk_solver_problem *p, const void *self, void *state_, int *done) {
    rkhs_status status = RKHS_OK;
    const lincg *o = self;
    state *s = state_;
    rk_mark mark = rk_scratch_mark(p->env);
    double *curve, *fresh;
    int good = 1;
    TRY(rk_scratch(p->env, p->k, sizeof *curve, &curve));
    TRY(rk_scratch(p->env, p->k, sizeof *fresh, &fresh));
    for (int64_t c = 0; c < p->k; c++) good &= s->rr[c] <= o->tol * o->tol * s->bb[c];
    p->converged = good;
    *done = good || p->iterations >= o->max_iter;
    if (*done) goto done;
    TRY(p->a.apply(p->a.context, p->env, s->d, p->k, s->q));
    p->products += p->k;
    p->iterations++;
    for (int64_t i = 0; i < p->size * p->k; i++) s->q[i] += p->mu * s->d[i];
    column_dots(p, s->d, s->q, curve);
    for (int64_t i = 0; i < p->size; i++)
        for (int64_t c = 0; c < p->k; c++) {
            double alpha = curve[c] > 0 ? s->rz[c] / curve[c] : 0;
            p->x[i * p->k + c] += alpha * s->d[i * p->k + c];
            s->r[i * p->k + c] -= alpha * s->q[i * p->k + c];
        }
    column_dots(p, s->r, s->r, s->rr);
    TRY(precondition(p, s));
    column_dots(p, s->r, s->z, fresh);
    for (int64_t i = 0; i < p->size; i++)
        for (int64_t c = 0; c < p->k; c++)
            s->d[i * p->k + c] = s->z[i * p->k + c] + (s->rz[c] > 0 ? fresh[c] / s->rz[c] : 0) * s->d[i * p->k + c];
    memcpy(s->rz, fresh, (size_t)p->k * sizeof *fresh);
    TRY(rk_progress(p->env, "solve", p->iterations, o->max_iter));
done:
    rk_scratch_release(p->env, mark);
    return status;
}

static rkhs_status finish_lincg(rk_solver_problem *p, const void *self, void *state_) {
    const state *s = state_;
    for (int64_t c = 0; p->residuals && c < p->k; c++) p->residuals[c] = sqrt(s->rr[c]);
    return RKHS_OK;
}

static rkhs_status save_lincg(rk_solver_problem *p, const void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    const state *s = state_;
    TRY(rk_archive_put(archive, "x", &(rk_array){'d', 2, {p->size, p->k}, p->x}));
    TRY(rk_archive_put(archive, "cg/r", &(rk_array){'d', 2, {p->size, p->k}, s->r}));
    TRY(rk_archive_put(archive, "cg/d", &(rk_array){'d', 2, {p->size, p->k}, s->d}));
    TRY(rk_archive_put(archive, "cg/rr", &(rk_array){'d', 1, {p->k}, s->rr}));
    TRY(rk_archive_put(archive, "cg/rz", &(rk_array){'d', 1, {p->k}, s->rz}));
    TRY(rk_archive_put_int(archive, "iterations", p->iterations));
    TRY(rk_archive_put_int(archive, "products", p->products));
done:
    return status;
}

static rkhs_status load_lincg(rk_solver_problem *p, void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    TRY(rk_load_vector(p->env, archive, "x", p->size * p->k, p->x));
    TRY(rk_load_vector(p->env, archive, "cg/r", p->size * p->k, s->r));
    TRY(rk_load_vector(p->env, archive, "cg/d", p->size * p->k, s->d));
    TRY(rk_load_vector(p->env, archive, "cg/rr", p->k, s->rr));
    TRY(rk_load_vector(p->env, archive, "cg/rz", p->k, s->rz));
    TRY(rk_archive_get_int(archive, "iterations", &p->iterations));
    TRY(rk_archive_get_int(archive, "products", &p->products));
done:
    return status;
}

static void release_lincg(rk_solver_problem *p, void *state_) {
    state *s = state_;
    double *const all[] = {s->z == s->r ? NULL : s->z, s->r, s->d, s->q, s->rz, s->rr, s->bb};
    for (int i = 0; i < 7; i++) rk_free(p->env, all[i]);
    rk_free(p->env, s);
}

/* clang-format off */
const rk_solver_type rk_linsolver_cg = {
    .entry = {.name = "cg", .brief = "conjugate gradients, which need only products with the matrix",
              .cost = "a pass over the matrix a step", .params = params, .size = sizeof(lincg)},
    .shape = RK_SHAPE_LINEAR, .start = start_lincg, .step = step_lincg, .finish = finish_lincg,
    .state_save = save_lincg, .state_load = load_lincg, .release = release_lincg,
};
/* clang-format on */
