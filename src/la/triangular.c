/* triangular.c: products with lower triangular matrices, and inverses from Cholesky factors.
 *
 * For A = L L' it computes J = L^-1 and A^-1 = J'J. Tiles that are 0 are skipped, which saves half of the flops or
 * more. Tiles are small for small n: the zeros in diagonal tiles then cost little, and all threads get tiles. */
#include "la/la.h"

#include <string.h>

int64_t rk_triangular_tile(int64_t n) { return n <= 1024 ? 64 : n <= 4096 ? 128 : 256; }

/* Tiles of C are narrow in the direction that decides which inner tiles are 0, and at most WIDE in the other. */
enum { WIDE = 1024 };

typedef struct part {
    int64_t m, n, k, tile;
    const double *A, *B;
    int64_t lda, ldb;
    double *C;
    int64_t ldc;
} part;

/* Rows of A times a tile of columns of a lower triangular B, whose rows above the diagonal are skipped. */
static rkhs_status lower_tile(void *context, int64_t tile, int worker) {
    const part *p = context;
    int64_t down = (p->m + WIDE - 1) / WIDE, i = tile % down * WIDE, j = tile / down * p->tile;
    int64_t from = rk_min(j, p->k);
    rk_gemm_tile('n', 'n', rk_min(WIDE, p->m - i), rk_min(p->tile, p->n - j), p->k - from, 1.0, p->A + i * p->lda + from,
                 p->lda, p->B + from * p->ldb + j, p->ldb, 0.0, p->C + i * p->ldc + j, p->ldc);
    return RKHS_OK;
}

rkhs_status rk_gemm_lower(rkhs_env *env, int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                          int64_t ldb, double *C, int64_t ldc) {
    part p = {m, n, k, 2 * rk_triangular_tile(k), A, B, lda, ldb, C, ldc};
    return rk_parallel(env, NULL, (m + WIDE - 1) / WIDE * ((n + p.tile - 1) / p.tile), lower_tile, &p);
}

/* A tile of rows of J'J, up to the diagonal; the rows of J before them contribute 0. */
static rkhs_status square_tile(void *context, int64_t tile, int worker) {
    const part *p = context;
    int64_t across = (p->n + WIDE - 1) / WIDE, i = tile / across * p->tile, j = tile % across * WIDE;
    int64_t ni = rk_min(p->tile, p->n - i), nj = rk_min(WIDE, i + ni - j);
    if (nj > 0)
        rk_gemm_tile('t', 'n', ni, nj, p->n - i, 1.0, p->B + i * p->n + i, p->n, p->B + i * p->n + j, p->n, 0.0,
                     p->C + i * p->n + j, p->n);
    return RKHS_OK;
}

typedef struct triangle {
    int64_t n, tile;
    const double *L;
    int64_t ldl;
    double *J;
    double *sums; /* workers x tile x tile */
} triangle;

static rkhs_status diagonal_tile(void *context, int64_t tile, int worker) {
    const triangle *t = context;
    int64_t i = tile * t->tile, ni = rk_min(t->tile, t->n - i);
    double *J = t->J + i * t->n + i;
    for (int64_t r = 0; r < ni; r++)
        for (int64_t c = 0; c < ni; c++) J[r * t->n + c] = r == c;
    rk_trsm_tile('l', 'n', ni, ni, t->L + i * t->ldl + i, t->ldl, J, t->n);
    return RKHS_OK;
}

/* A column of tiles below the diagonal: J_ij = -J_ii sum_k L_ik J_kj, j <= k < i. */
static rkhs_status column_tile(void *context, int64_t tile, int worker) {
    const triangle *t = context;
    int64_t j = tile * t->tile, nj = rk_min(t->tile, t->n - j);
    double *sum = t->sums + worker * t->tile * t->tile;
    for (int64_t i = j + t->tile; i < t->n; i += t->tile) {
        int64_t ni = rk_min(t->tile, t->n - i);
        rk_gemm_tile('n', 'n', ni, nj, i - j, -1.0, t->L + i * t->ldl + j, t->ldl, t->J + j * t->n + j, t->n, 0.0, sum,
                     t->tile);
        rk_gemm_tile('n', 'n', ni, nj, ni, 1.0, t->J + i * t->n + i, t->n, sum, t->tile, 0.0, t->J + i * t->n + j, t->n);
    }
    return RKHS_OK;
}

rkhs_status rk_triangle_inverse(rkhs_env *env, int64_t n, const double *L, int64_t ldl, double *J) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    triangle t = {n, rk_triangular_tile(n), L, ldl, J, NULL};
    int64_t count = (n + t.tile - 1) / t.tile;
    TRY(rk_scratch(env, rk_workers(env) * t.tile * t.tile, sizeof *t.sums, &t.sums));
    TRY(rk_parallel(env, NULL, count, diagonal_tile, &t));
    TRY(rk_parallel(env, NULL, count, column_tile, &t));
done:
    rk_scratch_release(env, mark);
    return status;
}

typedef struct mirror {
    int64_t n, tile;
    double *A;
} mirror;

static rkhs_status mirror_tile(void *context, int64_t tile, int worker) {
    const mirror *m = context;
    int64_t ti, tj;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i = ti * m->tile, j = tj * m->tile;
    rk_mirror_tile(m->A, m->n, i, rk_min(m->tile, m->n - i), j, rk_min(m->tile, m->n - j));
    return RKHS_OK;
}

rkhs_status rk_cholesky_inverse(rkhs_env *env, int64_t n, double *A, double *J) {
    rkhs_status status = RKHS_OK;
    mirror m = {n, rk_triangular_tile(n), A};
    part p = {.n = n, .tile = m.tile, .B = J, .C = A};
    int64_t count = (n + m.tile - 1) / m.tile;
    TRY(rk_triangle_inverse(env, n, A, n, J));
    TRY(rk_parallel(env, NULL, count * ((n + WIDE - 1) / WIDE), square_tile, &p));
    TRY(rk_parallel(env, NULL, count * (count + 1) / 2, mirror_tile, &m));
done:
    return status;
}
