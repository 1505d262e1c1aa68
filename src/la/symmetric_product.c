/* symmetric_product.c: the product of a stored symmetric matrix with a few vectors, which reads half of the matrix.
 *
 * Memory bandwidth limits the product: n^2 numbers for 2 n^2 k flops. A tile below the diagonal is used twice while it
 * is in the cache, as K_ij V_j and as K_ij'V_i, so that only one triangle is read. Rows of tiles are assigned to a
 * fixed number of parts; each part has its own sum, and the sums are added in order: the same bits on any number of
 * threads. Vectors are stored as rows here (k x n), and taken four at a time. */
#include "la/la.h"

#include <string.h>

enum { TILE = 256, PARTS = 16, LANES = 8, VECTORS = 4, ROWS = 4 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

#define load(p) (*(const lanes *)(p))
#define store(p, v) (*(lanes *)(p) = (v))

/* The sum of the lanes, in order. */
static inline double total(const double *v) {
    double sum = 0;
    for (int i = 0; i < LANES; i++) sum += v[i];
    return sum;
}

/* ROWS rows of a tile times four vectors: adds row sums to `up` (rows i of the result) and, if `both`, the transposed
 * product to `down`. v and down begin at column j0 of rows ld apart, vi and up at column i. */
static inline __attribute__((always_inline)) void some_rows(int64_t nj, const double *K, int64_t ldk, const double *restrict v,
                                                            const double *vi, double *up, double *restrict down, int64_t ld,
                                                            int both) {
    lanes sum[ROWS][VECTORS] = {0};
    double weight[VECTORS][ROWS];
    int64_t j = 0;
    for (int q = 0; q < VECTORS; q++)
        for (int r = 0; r < ROWS; r++) weight[q][r] = vi[q * ld + r];
    for (; j + LANES <= nj; j += LANES) {
        lanes k0 = load(K + j), k1 = load(K + ldk + j), k2 = load(K + 2 * ldk + j), k3 = load(K + 3 * ldk + j);
        for (int q = 0; q < VECTORS; q++) {
            lanes x = load(v + q * ld + j);
            sum[0][q] += k0 * x;
            sum[1][q] += k1 * x;
            sum[2][q] += k2 * x;
            sum[3][q] += k3 * x;
            if (both) {
                lanes d =
                    load(down + q * ld + j) + k0 * weight[q][0] + k1 * weight[q][1] + k2 * weight[q][2] + k3 * weight[q][3];
                store(down + q * ld + j, d);
            }
        }
    }
    for (int q = 0; q < VECTORS; q++) {
        for (int r = 0; r < ROWS; r++) {
            double t = total((const double *)&sum[r][q]);
            for (int64_t c = j; c < nj; c++) {
                t += K[r * ldk + c] * v[q * ld + c];
                if (both) down[q * ld + c] += K[r * ldk + c] * weight[q][r];
            }
            up[q * ld + r] += t;
        }
    }
}

/* One tile times four vectors. */
RK_CLONES static void tile_times(int64_t ni, int64_t nj, const double *K, int64_t ldk, const double *v, const double *vi,
                                 double *up, double *down, int64_t ld, int both) {
    int64_t i = 0;
    for (; i + ROWS <= ni; i += ROWS) {
        if (both)
            some_rows(nj, K + i * ldk, ldk, v, vi + i, up + i, down, ld, 1);
        else
            some_rows(nj, K + i * ldk, ldk, v, vi + i, up + i, down, ld, 0);
    }
    for (; i < ni; i++) /* rows left over */
        for (int q = 0; q < VECTORS; q++)
            for (int64_t j = 0; j < nj; j++) {
                up[q * ld + i] += K[i * ldk + j] * v[q * ld + j];
                if (both) down[q * ld + j] += K[i * ldk + j] * vi[q * ld + i];
            }
}

typedef struct symm {
    int64_t n, k, ldk, ld; /* ld: distance of the rows of X and sums */
    int64_t padded;        /* k rounded up to VECTORS */
    const double *K;
    const double *V; /* n x k, as given */
    double *X;       /* padded x ld: V transposed */
    double *sums;    /* PARTS x padded x ld */
    double *out;     /* n x k */
} symm;

/* The product for the rows of tiles of one part. */
static rkhs_status part_times(void *context, int64_t part, int worker) {
    symm *s = context;
    double *sum = s->sums + part * s->padded * s->ld;
    memset(sum, 0, (size_t)(s->padded * s->ld) * sizeof *sum);
    for (int64_t i = part * TILE; i < s->n; i += PARTS * TILE) {
        int64_t ni = rk_min(TILE, s->n - i);
        for (int64_t j = 0; j <= i; j += TILE)
            for (int64_t q = 0; q < s->padded; q += VECTORS)
                tile_times(ni, rk_min(TILE, s->n - j), s->K + i * s->ldk + j, s->ldk, s->X + q * s->ld + j,
                           s->X + q * s->ld + i, sum + q * s->ld + i, sum + q * s->ld + j, s->ld, j < i);
    }
    return RKHS_OK;
}

/* Transposes some rows of V into X. */
static rkhs_status transpose_tile(void *context, int64_t tile, int worker) {
    symm *s = context;
    for (int64_t i = tile * TILE; i < rk_min((tile + 1) * TILE, s->n); i++)
        for (int64_t q = 0; q < s->padded; q++) s->X[q * s->ld + i] = q < s->k ? s->V[i * s->k + q] : 0;
    return RKHS_OK;
}

/* Adds the sums of all parts, in order, for some rows of the result. */
static rkhs_status add_tile(void *context, int64_t tile, int worker) {
    symm *s = context;
    for (int64_t i = tile * TILE; i < rk_min((tile + 1) * TILE, s->n); i++)
        for (int64_t q = 0; q < s->k; q++) {
            double sum = 0;
            for (int64_t p = 0; p < PARTS; p++) sum += s->sums[(p * s->padded + q) * s->ld + i];
            s->out[i * s->k + q] = sum;
        }
    return RKHS_OK;
}

rkhs_status rk_symm(rkhs_env *env, int64_t n, const double *K, int64_t ldk, int64_t k, const double *V, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t tiles = (n + TILE - 1) / TILE;
    symm s = {.n = n, .k = k, .ldk = ldk, .ld = n, .padded = (k + VECTORS - 1) / VECTORS * VECTORS, .K = K, .V = V, .out = out};
    TRY(rk_scratch(env, s.padded * s.ld, sizeof *s.X, &s.X));
    TRY(rk_scratch(env, PARTS * s.padded * s.ld, sizeof *s.sums, &s.sums));
    TRY(rk_parallel(env, NULL, tiles, transpose_tile, &s));
    TRY(rk_parallel(env, NULL, PARTS, part_times, &s));
    TRY(rk_parallel(env, NULL, tiles, add_tile, &s));
done:
    rk_scratch_release(env, mark);
    return status;
}
