/* dense_eigen.c: eigensolver for small problems: the whole matrix; above size 512 by a call of LAPACK, which cannot be
 * cancelled. */
#include "opt/opt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fills A: from the stored or formed matrix, else by products with unit vectors. */
static rkhs_status matrix_of(rk_solver_problem *p, double *A) {
    rkhs_status status = RKHS_OK;
    int64_t n = p->size, block = 64;
    rk_mark mark = rk_scratch_mark(p->env);
    double *V, *W;
    if (p->dense) {
        memcpy(A, p->dense, (size_t)(n * n) * sizeof *A);
        return RKHS_OK;
    }
    if (p->form) return p->form(p->a.context, p->env, A);
    TRY(rk_scratch(p->env, n * block, sizeof *V, &V));
    TRY(rk_scratch(p->env, n * block, sizeof *W, &W));
    for (int64_t from = 0; from < n; from += block) {
        int64_t k = n - from < block ? n - from : block;
        memset(V, 0, (size_t)(n * k) * sizeof *V);
        for (int64_t j = 0; j < k; j++) V[(from + j) * k + j] = 1;
        TRY(p->a.apply(p->a.context, p->env, V, k, W));
        for (int64_t i = 0; i < n; i++) memcpy(A + i * n + from, W + i * k, (size_t)k * sizeof *A);
        p->products += k;
    }
    /* Rounding may differ across the diagonal; one triangle is read. */
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
done:
    rk_scratch_release(p->env, mark);
    return status;
}

/* Indices of the k wanted among `count` ascending eigenvalues, best first. */
static void order_wanted(const double *w, int64_t count, int64_t k, int by_magnitude, int64_t *order) {
    int64_t low = 0, high = count - 1;
    for (int64_t j = 0; j < k; j++) {
        if (by_magnitude && fabs(w[low]) > fabs(w[high]))
            order[j] = low++;
        else
            order[j] = high--;
    }
}

static rkhs_status start_dense(rk_solver_problem *p, const void *self, void **state) {
    char what[80];
    snprintf(what, sizeof what, "a dense eigenproblem of size %lld", (long long)p->size);
    *state = NULL;
    return rk_require_memory(p->env, 8.0 * (double)p->size * (4 * (double)p->size + 30 + (double)p->k), what,
                             "use solver=lanczos");
}

static rkhs_status step_dense(rk_solver_problem *p, const void *self, void *state, int *done) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    int64_t n = p->size, k = p->k, first = p->by_magnitude ? 0 : n - k, count = n - first, *order;
    double *A, *w, *V;
    TRY(rk_scratch(p->env, n * n, sizeof *A, &A));
    TRY(rk_scratch(p->env, count, sizeof *w, &w));
    TRY(rk_scratch(p->env, count * n, sizeof *V, &V));
    TRY(rk_scratch(p->env, k, sizeof *order, &order));
    TRY(matrix_of(p, A));
    TRY(rk_eigen(p->env, n, A, n, first, n - 1, w, V));
    order_wanted(w, count, k, p->by_magnitude, order);
    for (int64_t j = 0; j < k; j++) {
        p->values[j] = w[order[j]];
        for (int64_t i = 0; i < n; i++) p->x[i * k + j] = V[order[j] * n + i];
    }
    TRY(rk_true_residuals(p));
    p->iterations = 1;
    p->converged = 1;
    *done = 1;
done:
    rk_scratch_release(p->env, mark);
    return status;
}

static rkhs_status finish_dense(rk_solver_problem *p, const void *self, void *state) { return RKHS_OK; }
/* There is one step only, so no state to save. */
static rkhs_status save_dense(rk_solver_problem *p, const void *state, rk_archive *archive) { return RKHS_OK; }
static rkhs_status load_dense(rk_solver_problem *p, void *state, rk_archive *archive) { return RKHS_OK; }
static void release_dense(rk_solver_problem *p, void *state) {}

/* clang-format off */
const rk_solver_type rk_eigensolver_dense = {
    .entry = {.name = "dense", .brief = "eigenpairs of the whole matrix; for small problems",
              .cost = "4/3 n^3 flops, 8 n^2 bytes"},
    .shape = RK_SHAPE_SPECTRAL, .start = start_dense, .step = step_dense, .finish = finish_dense,
    .state_save = save_dense, .state_load = load_dense, .release = release_dense,
};
/* clang-format on */
