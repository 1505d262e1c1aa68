/* neighbours.c: the k nearest neighbours of every object in feature space, exactly, over all pairs. */
#include "gram/gram.h"

typedef struct nearest {
    const rk_gram *g;
    const double *K;
    int64_t k, *index;
    double *value, *tiles;
    rk_work *work;
    int64_t tile;       /* objects at a time */
    const double *half; /* from rk_gram_half_diagonal; may be NULL */
} nearest;

/* Whether all diagonal entries are equal, but for rounding. */
static int is_even(const double *diag, int64_t n) {
    double smallest = diag[0], largest = diag[0];
    for (int64_t i = 1; i < n; i++) smallest = fmin(smallest, diag[i]), largest = fmax(largest, diag[i]);
    return largest - smallest <= 1e-12 * fmax(fabs(smallest), fabs(largest));
}

rkhs_status rk_gram_half_diagonal(const rk_gram *g, double **half) {
    rkhs_status status = RKHS_OK;
    double *diag;
    *half = NULL;
    TRY(rk_scratch(g->env, g->n, sizeof *diag, &diag));
    TRY(g->type ? g->type->diag(g, diag) : rk_gram_diag(g, diag));
    TRY(rk_gram_check_finite(g, rk_rows_sum(g->n, 1, diag)));
    if (is_even(diag, g->n)) goto done;
    for (int64_t i = 0; i < g->n; i++) diag[i] /= 2;
    *half = diag;
done:
    return status;
}

/* The nearest neighbours of one tile of objects. */
static rkhs_status nearest_tile(void *context, int64_t tile, int worker) {
    nearest *s = context;
    int64_t n = s->g->n, i0 = tile * s->tile, ni = rk_min(s->tile, n - i0), counts[RK_TILE] = {0};
    double *out = s->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0), ld = s->K ? n : RK_TILE;
        const double *values = s->K ? s->K + i0 * n + j0 : out;
        if (!s->K) {
            rkhs_status status = rk_block_of(s->g->bound, i0, ni, s->g->bound, j0, nj, out, RK_TILE, s->work[worker]);
            if (status != RKHS_OK) return status;
        }
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                if (i0 + i != j0 + j)
                    counts[i] = rk_top_offer(s->value + (i0 + i) * s->k, s->index + (i0 + i) * s->k, counts[i], s->k, j0 + j,
                                             rk_nearness(s->half, j0 + j, values[i * ld + j]));
    }
    return RKHS_OK;
}

rkhs_status rk_gram_neighbours(const rk_gram *g, const double *K, int64_t k, int64_t *index, double *value) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    nearest s = {.g = g, .K = K, .k = k, .index = index, .value = value};
    double *half;
    if (k < 1 || k >= g->n)
        FAIL(g->env, RKHS_ERR_SPEC, "k = %s of %s: choose k from 1 to %lld", rk_counted(k, "neighbour").text,
             rk_counted(g->n - 1, "other object").text, (long long)(g->n - 1));
    TRY(rk_gram_half_diagonal(g, &half));
    s.half = half;
    s.tile = K ? RK_TILE : rk_kernel_tile_rows(g->bound, g->bound);
    TRY(rk_work_new(g->env, g->bound, g->bound, &s.work));
    TRY(rk_scratch(g->env, (int64_t)rk_workers(g->env) * RK_TILE * RK_TILE, sizeof *s.tiles, &s.tiles));
    TRY(rk_kernel_parallel(g->env, "neighbours", g->kernel, (g->n + s.tile - 1) / s.tile, nearest_tile, &s));
    for (int64_t q = 0; half && q < g->n * k; q++) value[q] += half[index[q]];
done:
    rk_scratch_release(g->env, mark);
    return status;
}
