/* knn_rows.c: products with a sparse K: each row keeps the values of its nearest objects, as in a map with `nearest`.
 *
 * Z = F a, F the sparse K. The start minimises |F a - Z0|^2 + ridge |a|^2, by conjugate gradients. */
#include "opt/opt.h"

#include <string.h>

rkhs_status rk_knn_rows_new(const rk_gram *g, int64_t nearest, rk_knn_rows *f) {
    rkhs_status status = RKHS_OK;
    rk_mark mark;
    int64_t n = g->n, others, *index;
    double *value, *diag, *half;
    *f = (rk_knn_rows){.n = n, .nearest = rk_min(nearest, n)};
    others = rk_min(f->nearest, n - 1);
    TRY(rk_scratch(g->env, n * f->nearest, sizeof *f->index, &f->index));
    TRY(rk_scratch(g->env, n * f->nearest, sizeof *f->value, &f->value));
    mark = rk_scratch_mark(g->env);
    TRY(rk_scratch(g->env, n * others, sizeof *index, &index));
    TRY(rk_scratch(g->env, n * others, sizeof *value, &value));
    TRY(rk_scratch(g->env, n, sizeof *diag, &diag));
    TRY(rk_gram_diag(g, diag));
    TRY(rk_gram_half_diagonal(g, &half));
    TRY(rk_gram_neighbours(g, others, index, value));
    for (int64_t i = 0; i < n; i++) { /* inserts the object itself among its neighbours, ties by index */
        int64_t at = 0, p = 0;
        for (int own = 0; at < f->nearest; at++) {
            int64_t j = p < others ? index[i * others + p] : i;
            double v = p < others ? value[i * others + p] : 0, far = rk_nearness(half, i, diag[i]) - rk_nearness(half, j, v);
            int mine = !own && (p == others || far > 0 || (far == 0 && j > i));
            f->index[i * f->nearest + at] = mine ? i : j;
            f->value[i * f->nearest + at] = mine ? diag[i] : v;
            own |= mine;
            p += !mine;
        }
    }
    rk_scratch_release(g->env, mark);
done:
    return status;
}

void rk_knn_rows_mul(const rk_knn_rows *f, const double *a, int64_t d, double *Z) {
    for (int64_t i = 0; i < f->n; i++)
        for (int64_t c = 0; c < d; c++) {
            double sum = 0;
            for (int64_t q = i * f->nearest; q < (i + 1) * f->nearest; q++) sum += f->value[q] * a[f->index[q] * d + c];
            Z[i * d + c] = sum;
        }
}

void rk_knn_rows_mul_transposed(const rk_knn_rows *f, const double *dZ, int64_t d, double *da) {
    memset(da, 0, (size_t)(f->n * d) * sizeof *da);
    for (int64_t q = 0; q < f->n * f->nearest; q++)
        for (int64_t c = 0; c < d; c++) da[f->index[q] * d + c] += f->value[q] * dZ[q / f->nearest * d + c];
}

/* F'F V. */
static rkhs_status apply_square(void *context, rkhs_env *env, const double *V, int64_t d, double *out) {
    const rk_knn_rows *f = context;
    rk_mark mark = rk_scratch_mark(env);
    double *FV;
    rkhs_status status = rk_scratch(env, f->n * d, sizeof *FV, &FV);
    if (status == RKHS_OK) {
        rk_knn_rows_mul(f, V, d, FV);
        rk_knn_rows_mul_transposed(f, FV, d, out);
    }
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_knn_rows_start(rkhs_env *env, const rk_knn_rows *f, const double *Z0, int64_t d, double *a) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_solver_problem p = {
        .env = env, .size = f->n, .k = d, .a = {f->n, apply_square, (void *)(uintptr_t)f}, .joint = 1, .x = a};
    rk_spec *cg = NULL;
    double *rhs;
    TRY(rk_scratch(env, f->n * d, sizeof *rhs, &rhs));
    rk_knn_rows_mul_transposed(f, Z0, d, rhs);
    p.rhs = rhs;
    p.mu = 1e-3 * rk_rows_dot(f->n, f->nearest, f->value, f->value) / (double)f->n;
    TRY(rk_spec_new(env, &rk_linsolvers, "cg(tol=1e-10, max_iter=100)", &cg));
    TRY(rk_solve(cg, &p));
done:
    rk_spec_free(env, cg);
    rk_scratch_release(env, mark);
    return status;
}
