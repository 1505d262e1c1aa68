/* object_distances.c: squared distances between objects, by tiles: Euclidean, or in the feature space of any
 * kernel. */
#include "score/score.h"

void rk_distance_space_free(rk_distance_space *s) {
    if (!s->env) return;
    if (s->b != s->a) rk_unbind(s->env, s->b);
    rk_unbind(s->env, s->a);
    rkhs_data_free(s->view_b);
    rkhs_data_free(s->view_a);
    rkhs_kernel_free(s->kernel);
    *s = (rk_distance_space){0};
}

/* k(x, x) of every row. */
static rkhs_status self_values(rkhs_env *env, const rk_bound *x, rk_work work, double **diag) {
    rkhs_status status = rk_scratch(env, x->x->rows, sizeof **diag, diag);
    for (int64_t i = 0; status == RKHS_OK && i < x->x->rows; i += RK_TILE)
        status = rk_diag_of(x, i, rk_min(RK_TILE, x->x->rows - i), *diag + i, work);
    return status;
}

/* New rows of a precomputed Gram have no k(x, x). Only the order of distances from a row matters, so the least number
 * is used that makes none negative. */
static rkhs_status least_self_values(rkhs_env *env, const rk_distance_space *s, double **diag) {
    rkhs_status status = RKHS_OK;
    rk_mark mark;
    double *K;
    TRY(rk_scratch(env, s->a->x->rows, sizeof **diag, diag));
    mark = rk_scratch_mark(env);
    TRY(rk_scratch(env, RK_TILE, sizeof *K, &K));
    for (int64_t i = 0; i < s->a->x->rows; i++) {
        (*diag)[i] = -INFINITY;
        for (int64_t j0 = 0; j0 < s->b->x->rows; j0 += RK_TILE) {
            int64_t nj = rk_min(RK_TILE, s->b->x->rows - j0);
            TRY(rk_block_of(s->a, i, 1, s->b, j0, nj, K, RK_TILE, s->work[0]));
            for (int64_t j = 0; j < nj; j++) (*diag)[i] = fmax((*diag)[i], 2 * K[j] - s->diag_b[j0 + j]);
        }
    }
    rk_scratch_release(env, mark);
done:
    return status;
}

rkhs_status rk_distance_space_new(rkhs_env *env, const rkhs_data *a, const rkhs_data *b, const rkhs_kernel *kernel,
                                  rk_distance_space *s) {
    rkhs_status status = RKHS_OK;
    const rkhs_data *use_a, *use_b = NULL;
    *s = (rk_distance_space){.env = env, .feature = kernel != NULL};
    if (!kernel && !(a->type->kind & (RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE)))
        TRY(rk_fail_hint(env, RKHS_ERR_ARGUMENT, "kernel", "distances between %s data need a kernel: name one",
                         a->type->entry.name));
    TRY(kernel ? rk_kernel_copy(kernel, &s->kernel) : rk_kernel_new(env, "rbf(sigma=1)", &s->kernel));
    /* The columns are the training set: bandwidth rules are computed from it, and it is bound first. */
    if (b) TRY(rk_kernel_coerce(s->kernel, b, NULL, &use_b, &s->view_b));
    TRY(rk_kernel_coerce(s->kernel, a, use_b, &use_a, &s->view_a));
    if (b && use_a->columns != use_b->columns)
        FAIL(env, RKHS_ERR_DATA, "one data set has %s, the other %lld: give both the same",
             rk_counted(use_a->columns, "column").text, (long long)use_b->columns);
    if (kernel) TRY(rk_kernel_freeze(s->kernel, b ? use_b : use_a));
    if (b) {
        TRY(rk_bind(env, s->kernel, use_b, NULL, &s->b));
        TRY(rk_bind(env, s->kernel, use_a, s->b, &s->a));
    } else {
        TRY(rk_bind(env, s->kernel, use_a, NULL, &s->a));
        s->b = s->a;
    }
    TRY(rk_work_new(env, s->a, s->b, &s->work));
    if (s->feature) {
        TRY(self_values(env, s->b, s->work[0], &s->diag_b));
        s->diag_a = s->diag_b;
        if (b)
            TRY(use_a->type->kind == RK_KIND_GRAM ? least_self_values(env, s, &s->diag_a)
                                                  : self_values(env, s->a, s->work[0], &s->diag_a));
    }
    return RKHS_OK;
done:
    rk_distance_space_free(s);
    return status;
}

rkhs_status rk_distance_space_tile(const rk_distance_space *s, int64_t i0, int64_t ni, int64_t j0, int64_t nj, double *out,
                                   int64_t ld, int worker) {
    if (!s->feature) {
        rk_vector_squared_distances(s->a, i0, ni, s->b, j0, nj, out, ld, s->work[worker]);
        return RKHS_OK;
    }
    rkhs_status status = rk_block_of(s->a, i0, ni, s->b, j0, nj, out, ld, s->work[worker]);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] = fmax(0, s->diag_a[i0 + i] + s->diag_b[j0 + j] - 2 * out[i * ld + j]);
    return status;
}
