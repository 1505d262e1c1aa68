/* linear_cholesky.c: linear solver: (A + mu I) x = b by a Cholesky factor, in place if A may be overwritten. */
#include "opt/opt.h"

#include <stdio.h>
#include <string.h>

typedef struct state {
    double *L; /* our copy; unused if the problem's matrix may be overwritten */
} state;

static rkhs_status start_cholesky(rk_solver_problem *p, const void *self, void **out) {
    rkhs_status status = RKHS_OK;
    state *s;
    int64_t n = p->size;
    char what[80];
    TRY(rk_alloc(p->env, 1, sizeof *s, &s));
    *out = s;
    if (!p->dense && !p->spend) FAIL(p->env, RKHS_ERR_BUG, "cholesky was asked to factor a matrix that is not stored");
    if (p->spend) goto done;
    snprintf(what, sizeof what, "a Cholesky factor of size %lld", (long long)n);
    TRY(rk_require_memory(p->env, 8.0 * (double)n * (double)n, what, "use solver=cg, or raise the memory limit"));
    TRY(rk_alloc(p->env, n * n, sizeof *s->L, &s->L));
    for (int64_t i = 0; i < n; i++) memcpy(s->L + i * n, p->dense + i * p->ld, (size_t)n * sizeof *s->L);
done:
    return status;
}

static rkhs_status step_cholesky(rk_solver_problem *p, const void *self, void *state_, int *done) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    int64_t n = p->size, ld = p->spend ? p->ld : n, bad;
    double *L = p->spend ? p->spend : s->L;
    for (int64_t i = 0; i < n; i++) L[i * ld + i] += p->mu;
    TRY(rk_cholesky(p->env, "factor", n, L, ld, &bad));
    if (bad >= 0)
        FAIL(p->env, RKHS_ERR_NUMERIC,
             "the matrix is not positive definite (row %lld, counted from 1): raise ridge, or use solver=cg",
             (long long)bad + 1);
    memcpy(p->x, p->rhs, (size_t)(n * p->k) * sizeof *p->x);
    TRY(rk_cholesky_solve(p->env, n, p->k, L, ld, p->x, p->k));
    p->iterations = 1;
    p->converged = 1;
    *done = 1;
done:
    return status;
}

static rkhs_status finish_cholesky(rk_solver_problem *p, const void *self, void *state_) { return RKHS_OK; }
/* There is one step only, so no state to save. */
static rkhs_status save_cholesky(rk_solver_problem *p, const void *state_, rk_archive *archive) { return RKHS_OK; }
static rkhs_status load_cholesky(rk_solver_problem *p, void *state_, rk_archive *archive) { return RKHS_OK; }

static void release_cholesky(rk_solver_problem *p, void *state_) {
    state *s = state_;
    rk_free(p->env, s->L);
    rk_free(p->env, s);
}

/* clang-format off */
const rk_solver_type rk_linsolver_cholesky = {
    .entry = {.name = "cholesky", .brief = "Cholesky factorisation of the whole matrix", .cost = "n^3/3 flops"},
    .shape = RK_SHAPE_LINEAR, .factors = 1, .start = start_cholesky, .step = step_cholesky, .finish = finish_cholesky,
    .state_save = save_cholesky, .state_load = load_cholesky, .release = release_cholesky,
};
/* clang-format on */
