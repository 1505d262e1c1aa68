/* tiled.c: matrix products, Cholesky factors and triangular solves of any size, by fixed tiles on the thread pool.
 *
 * One worker computes a tile of C, over slices of the inner dimension in order. So the bits do not depend on the
 * number of threads, and a call of BLAS in a product has at most 2 * TILE^2 * SLICE flops (about a tenth of a
 * second). */
#include "la/la.h"

#include <string.h>

enum { TILE = 256, SLICE = 8192 };

static int64_t tiles(int64_t n) { return (n + TILE - 1) / TILE; }

typedef struct product {
    char ta, tb;
    int64_t m, n, k, width; /* width: of a tile of C */
    double alpha, beta;
    const double *A, *B;
    int64_t lda, ldb;
    double *C;
    int64_t ldc;
} product;

/* One tile of C. */
static rkhs_status product_tile(void *context, int64_t tile, int worker) {
    product *p = context;
    int64_t across = (p->n + p->width - 1) / p->width;
    int64_t i = tile / across * TILE, j = tile % across * p->width;
    int64_t m = rk_min(TILE, p->m - i), n = rk_min(p->width, p->n - j);
    int64_t s = 0;
    do { /* at least once: C = beta C if k is 0 */
        const double *A = p->ta == 't' ? p->A + s * p->lda + i : p->A + i * p->lda + s;
        const double *B = p->tb == 't' ? p->B + j * p->ldb + s : p->B + s * p->ldb + j;
        rk_gemm_tile(p->ta, p->tb, m, n, rk_min(SLICE, p->k - s), p->alpha, A, p->lda, B, p->ldb, s ? 1.0 : p->beta,
                     p->C + i * p->ldc + j, p->ldc);
        s += SLICE;
    } while (s < p->k);
    return RKHS_OK;
}

rkhs_status rk_gemm(rkhs_env *env, const char *stage, char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha,
                    const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc) {
    product p = {ta, tb, m, n, k, TILE, alpha, beta, A, B, lda, ldb, C, ldc};
    return rk_parallel(env, stage, tiles(m) * ((n + p.width - 1) / p.width), product_tile, &p);
}

void rk_triangle_position(int64_t tile, int64_t *i, int64_t *j) {
    int64_t r = (int64_t)((sqrt(8.0 * (double)tile + 1) - 1) / 2);
    while ((r + 1) * (r + 2) / 2 <= tile) r++;
    while (r * (r + 1) / 2 > tile) r--;
    *i = r;
    *j = tile - r * (r + 1) / 2;
}

typedef struct tall {
    int64_t n, r, k, part; /* part: rows of a block */
    const double *A, *B;
    int64_t lda, ldb;
    double *sums; /* parts x r x k */
} tall;

/* The product over one block of rows. */
static rkhs_status tall_tile(void *context, int64_t tile, int worker) {
    tall *t = context;
    int64_t from = tile * t->part;
    rk_gemm_tile('t', 'n', t->r, t->k, rk_min(t->part, t->n - from), 1.0, t->A + from * t->lda, t->lda, t->B + from * t->ldb,
                 t->ldb, 0.0, t->sums + tile * t->r * t->k, t->k);
    return RKHS_OK;
}

rkhs_status rk_tall_product(rkhs_env *env, int64_t n, int64_t r, int64_t k, const double *A, int64_t lda, const double *B,
                            int64_t ldb, double *C, int64_t ldc) {
    rk_mark mark = rk_scratch_mark(env);
    tall t = {n, r, k, (n + 31) / 32, A, B, lda, ldb, NULL};
    if (t.part < 1024) t.part = 1024;
    int64_t parts = (n + t.part - 1) / t.part;
    rkhs_status status = rk_scratch(env, parts * r * k, sizeof *t.sums, &t.sums);
    if (status == RKHS_OK) status = rk_parallel(env, NULL, parts, tall_tile, &t);
    for (int64_t i = 0; status == RKHS_OK && i < r; i++) {
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t p = 0; p < parts; p++) sum += t.sums[(p * r + i) * k + j];
            C[i * ldc + j] = sum;
        }
    }
    rk_scratch_release(env, mark);
    return status;
}

typedef struct outer {
    int64_t n, m, tile;
    const double *A;
    int64_t lda;
    double beta, *C;
    int64_t ldc;
} outer;

/* One tile of the lower triangle of A'A, and its mirror image. */
static rkhs_status syrk_tile(void *context, int64_t tile, int worker) {
    outer *p = context;
    int64_t ti, tj;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i = ti * p->tile, j = tj * p->tile, ni = rk_min(p->tile, p->m - i), nj = rk_min(p->tile, p->m - j);
    int64_t s = 0;
    do {
        rk_gemm_tile('t', 'n', ni, nj, rk_min(SLICE, p->n - s), 1.0, p->A + s * p->lda + i, p->lda, p->A + s * p->lda + j,
                     p->lda, s ? 1.0 : p->beta, p->C + i * p->ldc + j, p->ldc);
        s += SLICE;
    } while (s < p->n);
    rk_mirror_tile(p->C, p->ldc, i, ni, j, nj);
    return RKHS_OK;
}

rkhs_status rk_syrk(rkhs_env *env, const char *stage, int64_t n, int64_t m, const double *A, int64_t lda, double beta,
                    double *C, int64_t ldc) {
    outer p = {n, m, m > 1024 ? TILE : TILE / 2, A, lda, beta, C, ldc}; /* small: tiles for all threads */
    int64_t t = (m + p.tile - 1) / p.tile;
    return rk_parallel(env, stage, t * (t + 1) / 2, syrk_tile, &p);
}

typedef struct factor {
    int64_t n, step; /* step: the tile column being eliminated */
    double *A;
    int64_t lda;
} factor;

/* The panel below the diagonal tile k: A_ik = A_ik L_kk^-T. */
static rkhs_status panel_tile(void *context, int64_t tile, int worker) {
    factor *f = context;
    int64_t k = f->step * TILE, i = k + (tile + 1) * TILE;
    rk_trsm_tile('r', 't', rk_min(TILE, f->n - i), rk_min(TILE, f->n - k), f->A + k * f->lda + k, f->lda, f->A + i * f->lda + k,
                 f->lda);
    return RKHS_OK;
}

/* The trailing matrix: A_ij -= A_ik A_jk'. */
static rkhs_status trailing_tile(void *context, int64_t tile, int worker) {
    factor *f = context;
    int64_t ti, tj, k = f->step * TILE;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i = k + (ti + 1) * TILE, j = k + (tj + 1) * TILE;
    rk_gemm_tile('n', 't', rk_min(TILE, f->n - i), rk_min(TILE, f->n - j), TILE, -1.0, f->A + i * f->lda + k, f->lda,
                 f->A + j * f->lda + k, f->lda, 1.0, f->A + i * f->lda + j, f->lda);
    return RKHS_OK;
}

rkhs_status rk_cholesky(rkhs_env *env, const char *stage, int64_t n, double *A, int64_t lda, int64_t *bad) {
    factor f = {n, 0, A, lda};
    *bad = -1;
    for (f.step = 0; f.step < tiles(n); f.step++) {
        int64_t k = f.step * TILE, left = tiles(n) - f.step - 1;
        int64_t at = rk_cholesky_tile(rk_min(TILE, n - k), A + k * lda + k, lda);
        if (at >= 0) {
            *bad = k + at;
            return RKHS_OK;
        }
        rkhs_status status = rk_parallel(env, NULL, left, panel_tile, &f);
        if (status == RKHS_OK) status = rk_parallel(env, NULL, left * (left + 1) / 2, trailing_tile, &f);
        if (status == RKHS_OK) status = rk_progress(env, stage, f.step + 1, tiles(n));
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

rkhs_status rk_save_diagonal_tiles(rkhs_env *env, int64_t n, const double *A, int64_t lda, double **kept) {
    rkhs_status status = rk_scratch(env, n * TILE, sizeof **kept, kept);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++) {
        int64_t from = i / TILE * TILE;
        memcpy(*kept + i * TILE, A + i * lda + from, (size_t)rk_min(TILE, n - from) * sizeof *A);
    }
    return status;
}

void rk_restore_symmetric(int64_t n, double *A, int64_t lda, const double *kept) {
    for (int64_t i = 0; i < n; i++) {
        int64_t from = i / TILE * TILE;
        memcpy(A + i * lda + from, kept + i * TILE, (size_t)rk_min(TILE, n - from) * sizeof *A);
    }
    for (int64_t i = 0; i < n; i += TILE)
        for (int64_t j = 0; j < i; j += TILE)
            rk_transpose(rk_min(TILE, n - j), rk_min(TILE, n - i), A + j * lda + i, lda, A + i * lda + j, lda);
}

typedef struct solve {
    int64_t m, n;
    const double *L;
    int64_t ldl;
    double *B;
    int64_t ldb;
} solve;

static rkhs_status solve_tile(void *context, int64_t tile, int worker) {
    solve *s = context;
    int64_t i = tile * TILE;
    rk_trsm_tile('r', 't', rk_min(TILE, s->m - i), s->n, s->L, s->ldl, s->B + i * s->ldb, s->ldb);
    return RKHS_OK;
}

rkhs_status rk_trsm_right(rkhs_env *env, const char *stage, int64_t m, int64_t n, const double *L, int64_t ldl, double *B,
                          int64_t ldb) {
    solve s = {m, n, L, ldl, B, ldb};
    return rk_parallel(env, stage, tiles(m), solve_tile, &s);
}

rkhs_status rk_cholesky_solve(rkhs_env *env, int64_t n, int64_t k, const double *L, int64_t ldl, double *X, int64_t ldx) {
    /* By rows of tiles, so that it can be cancelled. */
    for (int64_t i = 0; i < n; i += TILE) {
        int64_t ni = rk_min(TILE, n - i);
        if (i) rk_gemm_tile('n', 'n', ni, k, i, -1.0, L + i * ldl, ldl, X, ldx, 1.0, X + i * ldx, ldx);
        rk_trsm_tile('l', 'n', ni, k, L + i * ldl + i, ldl, X + i * ldx, ldx);
        rkhs_status status = rk_progress(env, NULL, 0, 0);
        if (status != RKHS_OK) return status;
    }
    for (int64_t i = (tiles(n) - 1) * TILE; i >= 0; i -= TILE) {
        int64_t ni = rk_min(TILE, n - i), below = n - i - ni;
        if (below)
            rk_gemm_tile('t', 'n', ni, k, below, -1.0, L + (i + ni) * ldl + i, ldl, X + (i + ni) * ldx, ldx, 1.0, X + i * ldx,
                         ldx);
        rk_trsm_tile('l', 't', ni, k, L + i * ldl + i, ldl, X + i * ldx, ldx);
        rkhs_status status = rk_progress(env, NULL, 0, 0);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}
