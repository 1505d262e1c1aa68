/* tiled.c: matrix products, Cholesky factors and triangular solves of any size, by tiles on the thread pool.
 *
 * One worker computes a tile of C, over slices of the inner dimension in order. The bits of an entry depend on its row
 * and column alone (product.c), so tiles can be as small as it takes to give every worker some. */
#include "la/la.h"

#include <string.h>

enum { TILE = 256, HEIGHT = 512, SLICE = 8192, NEAR = 512 };

static int64_t tiles(int64_t n) { return (n + TILE - 1) / TILE; }

typedef struct product {
    char ta, tb;
    int64_t m, n, k, height; /* height: of a tile of C, at most HEIGHT; it is TILE wide */
    double alpha, beta;
    const double *A, *B;
    int64_t lda, ldb;
    double *C;
    int64_t ldc;
    rkhs_env *env;
    double *room; /* workers x HEIGHT x TILE: for rows of A', or NULL */
} product;

/* One tile of C. Rows of A' that lie far apart are first copied, a slice at a time. */
static rkhs_status product_tile(void *context, int64_t tile, int worker) {
    product *p = context;
    rkhs_status status = RKHS_OK;
    int64_t across = tiles(p->n), i = tile / across * p->height, j = tile % across * TILE, s = 0;
    int64_t m = rk_min(p->height, p->m - i), n = rk_min(TILE, p->n - j), step = p->room ? TILE : SLICE, depth;
    double *room = p->room ? p->room + worker * HEIGHT * TILE : NULL, *C = p->C + i * p->ldc + j;
    do { /* at least once: C = beta C if k is 0 */
        depth = rk_min(step, p->k - s);
        const double *A = p->ta == 't' ? p->A + s * p->lda + i : p->A + i * p->lda + s;
        const double *B = p->tb == 't' ? p->B + j * p->ldb + s : p->B + s * p->ldb + j;
        if (room) rk_transpose(depth, m, A, p->lda, room, TILE);
        rk_gemm_tile(room ? 'n' : p->ta, p->tb, m, n, depth, p->alpha, room ? room : A, room ? TILE : p->lda, B, p->ldb,
                     s ? 1.0 : p->beta, C, p->ldc);
        s += step;
        if (s % SLICE == 0) TRY(rk_poll_tile(p->env, worker));
    } while (s < p->k);
done:
    return status;
}

rkhs_status rk_gemm(rkhs_env *env, const char *stage, char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha,
                    const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int workers = rk_workers(env);
    product p = {ta, tb, m, n, k, HEIGHT, alpha, beta, A, B, lda, ldb, C, ldc, env, NULL};
    while (p.height > TILE / 4 && (m + p.height - 1) / p.height * tiles(n) < 4 * workers) p.height /= 2;
    /* The strips of AVX-512 read A' in place, whole cache lines at a time, if B need not be transposed too. */
    int in_place = tb == 'n' && rk_instructions() == RK_AVX512;
    if (ta == 't' && lda > NEAR && m > TILE / 4 && n > TILE / 4 && !in_place)
        TRY(rk_scratch_raw(env, workers * HEIGHT * TILE, sizeof *p.room, &p.room));
    TRY(rk_parallel(env, stage, (m + p.height - 1) / p.height * tiles(n), product_tile, &p));
done:
    rk_scratch_release(env, mark);
    return status;
}

void rk_triangle_position(int64_t tile, int64_t *i, int64_t *j) {
    int64_t r = (int64_t)((sqrt(8.0 * (double)tile + 1) - 1) / 2);
    while ((r + 1) * (r + 2) / 2 <= tile) r++;
    while (r * (r + 1) / 2 > tile) r--;
    *i = r;
    *j = tile - r * (r + 1) / 2;
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
