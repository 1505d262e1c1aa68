/* tall_product.c: A'B, A'A and A'diag(w)A for tall matrices: sums over rows, in the fixed order of row_sums.c.
 *
 * The product over one tile of rows is one small product; those of all tiles are added by the tree over tile numbers.
 * A task is a block of the result and a chunk of tiles, 2^l of them from a multiple of 2^l on: a node of the tree. Its
 * worker keeps the stack of partial sums of the block. Large results have one chunk and many blocks, small ones many
 * chunks, whose nodes are added by the upper part of the same tree. So the bits depend on the rows alone. */
#include "la/la.h"

#include <string.h>

enum { BLOCK = 128, TASKS = 32, POLL = 16 };

typedef struct tall {
    rkhs_env *env;
    int64_t n, r, k;        /* the result is r x k */
    int64_t block, across;  /* blocks of the result, and how many in a row of blocks */
    int64_t chunk, chunks;  /* tiles of a chunk, and how many chunks */
    int64_t blocks, levels; /* levels of the stack for a chunk */
    int lower;              /* the result is symmetric: only blocks on and below the diagonal are computed */
    const double *A, *B;
    int64_t lda, ldb;
    const double *weight; /* n: of the rows; or NULL */
    double *C;
    int64_t ldc;
    double *nodes; /* blocks x chunks x block x block, if there are several chunks */
    double *stack; /* workers x (levels + 1) x block x block */
    double *room;  /* workers x RK_SUM_ROWS x block: weighted rows */
} tall;

/* The rows and columns of a block. */
static void position(const tall *t, int64_t block, int64_t *i, int64_t *j, int64_t *ni, int64_t *nj) {
    if (t->lower)
        rk_triangle_position(block, i, j);
    else
        *i = block / t->across, *j = block % t->across;
    *i *= t->block;
    *j *= t->block;
    *ni = rk_min(t->block, t->r - *i);
    *nj = rk_min(t->block, t->k - *j);
}

/* Stores a block, and its mirror image if the result is symmetric. */
static void store_block(const tall *t, int64_t block, const double *sum) {
    int64_t i, j, ni, nj;
    position(t, block, &i, &j, &ni, &nj);
    for (int64_t a = 0; a < ni; a++) memcpy(t->C + (i + a) * t->ldc + j, sum + a * nj, (size_t)nj * sizeof *sum);
    if (t->lower) rk_mirror_tile(t->C, t->ldc, i, ni, j, nj);
}

/* The product over one tile of rows: `rows` x ni of A, with `rows` x nj of B. */
static void multiply_rows(const tall *t, int64_t row, int64_t i, int64_t j, int64_t ni, int64_t nj, double *room, double *sum) {
    const double *A = t->A + row * t->lda + i, *B = t->B + row * t->ldb + j;
    int64_t rows = rk_min(RK_SUM_ROWS, t->n - row);
    if (t->weight) {
        for (int64_t a = 0; a < rows; a++)
            for (int64_t b = 0; b < ni; b++) room[a * ni + b] = t->weight[row + a] * A[a * t->lda + b];
        rk_gemm_tile('t', 'n', ni, nj, rows, 1, room, ni, B, t->ldb, 0, sum, nj);
    } else if (t->lower && i == j)
        rk_syrk_tile('t', ni, rows, 1, A, t->lda, 0, sum, nj);
    else
        rk_gemm_tile('t', 'n', ni, nj, rows, 1, A, t->lda, B, t->ldb, 0, sum, nj);
}

/* One block, summed over one chunk of tiles. */
static rkhs_status sum_chunk(void *context, int64_t task, int worker) {
    const tall *t = context;
    rkhs_status status = RKHS_OK;
    int64_t i, j, ni, nj, size = t->block * t->block, block = task / t->chunks, first = task % t->chunks * t->chunk;
    int64_t count = rk_min(t->chunk, rk_sum_tiles(t->n) - first);
    double *sum = t->stack + worker * (t->levels + 1) * size, *levels = sum + size;
    double *room = t->weight ? t->room + worker * RK_SUM_ROWS * t->block : NULL;
    position(t, block, &i, &j, &ni, &nj);
    for (int64_t tile = 0; tile < count; tile++) {
        multiply_rows(t, (first + tile) * RK_SUM_ROWS, i, j, ni, nj, room, sum);
        rk_tree_push(tile, ni * nj, levels, sum);
        if (tile % POLL == POLL - 1) TRY(rk_poll_tile(t->env, worker));
    }
    rk_tree_fold(count, ni * nj, levels, t->chunks > 1 ? t->nodes + task * size : sum);
    if (t->chunks == 1) store_block(t, block, sum);
done:
    return status;
}

/* Adds the chunks of one block. */
static rkhs_status add_chunks(void *context, int64_t block, int worker) {
    const tall *t = context;
    int64_t size = t->block * t->block;
    double *nodes = t->nodes + block * t->chunks * size, *sum = t->stack + worker * (t->levels + 1) * size;
    for (int64_t q = 0; q < size; q++) sum[q] = rk_tree_sum(t->chunks, size, nodes + q);
    store_block(t, block, sum);
    return RKHS_OK;
}

static rkhs_status sum_rows(rkhs_env *env, const char *stage, tall *t) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t tiles = rk_max(1, rk_sum_tiles(t->n)), down;
    t->env = env;
    t->block = t->r > 8 * BLOCK && t->k > 8 * BLOCK ? 2 * BLOCK : rk_min(BLOCK, rk_max(t->r, t->k));
    down = (t->r + t->block - 1) / t->block;
    t->across = (t->k + t->block - 1) / t->block;
    t->blocks = t->lower ? down * (down + 1) / 2 : down * t->across;
    for (t->chunk = 1; t->blocks * (tiles / t->chunk) > TASKS && t->chunk < tiles; t->chunk *= 2) {
    }
    t->chunks = (tiles + t->chunk - 1) / t->chunk;
    t->levels = rk_tree_levels(rk_min(t->chunk, tiles));
    if (t->chunks > 1) TRY(rk_scratch(env, t->blocks * t->chunks * t->block * t->block, sizeof *t->nodes, &t->nodes));
    TRY(rk_scratch(env, rk_workers(env) * (t->levels + 1) * t->block * t->block, sizeof *t->stack, &t->stack));
    if (t->weight) TRY(rk_scratch_raw(env, rk_workers(env) * RK_SUM_ROWS * t->block, sizeof *t->room, &t->room));
    TRY(rk_parallel(env, stage, t->blocks * t->chunks, sum_chunk, t));
    if (t->chunks > 1) TRY(rk_parallel(env, NULL, t->blocks, add_chunks, t));
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_tall_product(rkhs_env *env, int64_t n, int64_t r, int64_t k, const double *A, int64_t lda, const double *B,
                            int64_t ldb, double *C, int64_t ldc) {
    tall t = {.n = n, .r = r, .k = k, .A = A, .B = B, .lda = lda, .ldb = ldb, .C = C, .ldc = ldc};
    return r > 0 && k > 0 ? sum_rows(env, NULL, &t) : RKHS_OK;
}

rkhs_status rk_syrk(rkhs_env *env, const char *stage, int64_t n, int64_t m, const double *A, int64_t lda, const double *weight,
                    double *C, int64_t ldc) {
    tall t = {.n = n, .r = m, .k = m, .lower = 1, .A = A, .B = A, .lda = lda, .ldb = lda, .weight = weight, .C = C, .ldc = ldc};
    return m > 0 ? sum_rows(env, stage, &t) : RKHS_OK;
}
