/* symmetric_product.c: the product of a stored symmetric matrix with a few vectors, which reads half of the matrix.
 *
 * Memory bandwidth limits the product: n^2 numbers for 2 n^2 k flops. A tile below the diagonal is used twice while it
 * is in the cache, as K_ij V_j and as K_ij'V_i, so that only one triangle is read. Rows of tiles are assigned to a
 * fixed number of parts; each part has its own sum, and the sums are added in order: the same bits on any number of
 * threads. */
#include "la/la.h"

enum { TILE = 256, PARTS = 16 };

typedef struct symm {
    int64_t n, k, ldk;
    const double *K, *V; /* V: n x k */
    int64_t parts;       /* that have rows of tiles */
    double *sums;        /* parts x n x k, 0 at first */
    double *out;         /* n x k */
} symm;

/* The product for the rows of tiles of one part. */
static rkhs_status part_times(void *context, int64_t part, int worker) {
    symm *s = context;
    int64_t k = s->k;
    double *sum = s->sums + part * s->n * k;
    for (int64_t i = part * TILE; i < s->n; i += PARTS * TILE) {
        int64_t ni = rk_min(TILE, s->n - i);
        for (int64_t j = 0; j <= i; j += TILE) {
            const double *K = s->K + i * s->ldk + j;
            int64_t nj = rk_min(TILE, s->n - j);
            rk_gemm_tile('n', 'n', ni, k, nj, 1, K, s->ldk, s->V + j * k, k, 1, sum + i * k, k);
            if (j < i) rk_gemm_tile('t', 'n', nj, k, ni, 1, K, s->ldk, s->V + i * k, k, 1, sum + j * k, k);
        }
    }
    return RKHS_OK;
}

/* Adds the sums of all parts, in order, for some rows of the result. */
static rkhs_status add_tile(void *context, int64_t tile, int worker) {
    symm *s = context;
    for (int64_t q = tile * TILE * s->k; q < rk_min((tile + 1) * TILE, s->n) * s->k; q++) {
        double sum = 0;
        for (int64_t p = 0; p < s->parts; p++) sum += s->sums[p * s->n * s->k + q];
        s->out[q] = sum;
    }
    return RKHS_OK;
}

rkhs_status rk_symm(rkhs_env *env, int64_t n, const double *K, int64_t ldk, int64_t k, const double *V, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t tiles = (n + TILE - 1) / TILE;
    symm s = {n, k, ldk, K, V, rk_min(PARTS, tiles), NULL, out};
    TRY(rk_scratch(env, s.parts * n * k, sizeof *s.sums, &s.sums));
    TRY(rk_parallel(env, NULL, s.parts, part_times, &s));
    TRY(rk_parallel(env, NULL, tiles, add_tile, &s));
done:
    rk_scratch_release(env, mark);
    return status;
}
