/* start.c: initial embeddings for optimisers: a given one, random, kernel PCA (kpca) or Laplacian eigenmaps (kle). */
#include "model/eigenmap.h"

#include <string.h>

/* Centres, and scales each column or all together to deviation 1. A constant column is replaced by a little noise. */
static void standardise(const rkhs_env *env, int each, double *Z, int64_t n, int64_t d) {
    double largest = 0;
    for (int64_t c = 0; c < d; c++) rk_centre_column(n, d, c, Z);
    for (int64_t i = 0; i < n * d; i++) largest = fmax(largest, fabs(Z[i]));
    for (int64_t i = 0; largest > 0 && i < n * d; i++) Z[i] /= largest; /* so that small squares do not underflow */
    double all = rk_rows_dot(n, d, Z, Z) / (double)(n * d);
    for (int64_t c = 0; c < d; c++) {
        double own;
        rk_column_dots(n, 1, Z + c, d, Z + c, d, &own);
        own /= (double)n;
        double by = sqrt(each ? own : all);
        for (int64_t i = 0; i < n; i++)
            Z[i * d + c] =
                own > 1e-12 * all ? Z[i * d + c] / by : 1e-2 * rk_normal(env->seed, RK_STREAM_START, (uint64_t)i, (uint64_t)c);
    }
}

rkhs_status rk_start_kpca(const rk_gram *g, int64_t d, double *Z) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    rk_spectral problem = {.coordinates = RK_COORD_ISOMETRIC, .m_kind = RK_M_CENTRE, .mu = 1, .count = d};
    rk_spectrum s;
    TRY(rk_solve_spectral(g, NULL, &problem, &s));
    TRY(rk_gram_push(g, s.coef, d, Z));
done:
    rk_scratch_release(g->env, mark);
    return status;
}

rkhs_status rk_start_embedding(const rk_fit *f, const rk_gram *g, const rk_start *o, double *Z) {
    rkhs_status status = RKHS_OK;
    int64_t n = g->n, d = f->dim, ld;
    if (f->start) { /* unchanged */
        const double *given = rkhs_data_values(f->start, &ld);
        int apart = 0;
        for (int64_t i = 0; i < n; i++) {
            memcpy(Z + i * d, given + i * ld, (size_t)d * sizeof *Z);
            apart |= memcmp(Z + i * d, Z, (size_t)d * sizeof *Z) != 0;
        }
        if (!apart && n > 1)
            FAIL(f->env, RKHS_ERR_DATA, "the start puts all %s at one point: give one in which they differ",
                 rk_counted(n, "object").text);
        goto done;
    }
    if (o->how == RK_START_RANDOM) {
        for (int64_t i = 0; i < n * d; i++)
            Z[i] = rk_normal(f->env->seed, RK_STREAM_START, (uint64_t)(i / d), (uint64_t)(i % d));
        goto done;
    }
    TRY(o->how == RK_START_KLE ? rk_start_kle(f->env, n, o->k, o->near, o->value, d, Z) : rk_start_kpca(g, d, Z));
    standardise(f->env, o->each, Z, n, d);
done:
    return status;
}
