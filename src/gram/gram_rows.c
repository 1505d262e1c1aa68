/* gram_rows.c: some rows of the Gram matrix of a data set, bit for bit as in the whole matrix.
 *
 *     K[from:to, :],  K[i, j] = k(x_i, x_j) in tiles on and below the diagonal, and the transpose of these above it
 *
 * k(x_i, x_j) and k(x_j, x_i) can differ in the last bit if a matrix product computes them, and so can a pair in tiles
 * of different shape. The rows are therefore cut out of the same tiles that the whole matrix consists of. Rows a to b
 * take (b - a) n pairs. Computing K in parts costs nearly twice as much as at once, as parts share no tiles. */
#include "gram/gram.h"

#include <limits.h>
#include <string.h>

typedef struct rows_loop {
    const rk_bound *x;
    int64_t from, to;    /* rows */
    int64_t tile;        /* rows of a tile */
    int64_t first, last; /* the tile rows that contain them: first .. last-1 */
    double *K;
    int64_t ld;
    double *tiles; /* workers x RK_TILE x RK_TILE */
    rk_work *work;
} rows_loop;

/* Tile number `tile`: first the tile rows first .. last-1 up to the diagonal, then the tiles below them. */
static void tile_at(const rows_loop *r, int64_t tile, int64_t *ti, int64_t *tj) {
    int64_t above = r->first * (r->first + 1) / 2, upto = r->last * (r->last + 1) / 2 - above;
    if (tile < upto) {
        rk_triangle_position(above + tile, ti, tj);
        return;
    }
    *ti = r->last + (tile - upto) / (r->last - r->first);
    *tj = r->first + (tile - upto) % (r->last - r->first);
}

static rkhs_status rows_tile(void *context, int64_t tile, int worker) {
    const rows_loop *r = context;
    int64_t ti, tj, n = r->x->x->rows;
    double *values = r->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    tile_at(r, tile, &ti, &tj);
    int64_t i0 = ti * r->tile, j0 = tj * r->tile, ni = rk_min(r->tile, n - i0), nj = rk_min(r->tile, n - j0);
    rkhs_status status = rk_block_of(r->x, i0, ni, r->x, j0, nj, values, RK_TILE, r->work[worker]);
    if (status != RKHS_OK) return status;
    if (ti == tj) rk_mirror_tile(values, RK_TILE, 0, ni, 0, nj);
    for (int64_t i = rk_max(i0, r->from); i < rk_min(i0 + ni, r->to); i++)
        memcpy(r->K + (i - r->from) * r->ld + j0, values + (i - i0) * RK_TILE, (size_t)nj * sizeof *values);
    int64_t a = rk_max(j0, r->from), b = rk_min(j0 + nj, r->to);
    if (ti != tj && a < b) rk_transpose(ni, b - a, values + (a - j0), RK_TILE, r->K + (a - r->from) * r->ld + i0, r->ld);
    return RKHS_OK;
}

static rkhs_status rows_of(rkhs_env *env, const rk_bound *x, int64_t from, int64_t to, double *K, int64_t ld) {
    rkhs_status status = RKHS_OK;
    rows_loop r = {.x = x, .from = from, .to = to, .tile = rk_kernel_tile(x, x), .K = K, .ld = ld};
    int64_t all = (x->x->rows + r.tile - 1) / r.tile;
    r.first = from / r.tile;
    r.last = (to + r.tile - 1) / r.tile;
    TRY(rk_work_new(env, x, x, &r.work));
    TRY(rk_scratch(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *r.tiles, &r.tiles));
    int64_t count = r.last * (r.last + 1) / 2 - r.first * (r.first + 1) / 2 + (all - r.last) * (r.last - r.first);
    TRY(rk_kernel_parallel(env, "gram", x->kernel, count, rows_tile, &r));
done:
    return status;
}

rkhs_status rkhs_kernel_gram_rows(const rkhs_kernel *kernel, const rkhs_data *x, int64_t from, int64_t to, double *K,
                                  int64_t ld) {
    if (!kernel) return RKHS_ERR_ARGUMENT;
    rkhs_env *env = kernel->env;
    rkhs_status status = RKHS_OK;
    rkhs_kernel *frozen = NULL;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    rk_bound *bound = NULL;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    if (!x || !K || ld < x->rows || ld > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_gram_rows: a null argument, or ld below the rows of x or past %d", INT_MAX);
    if (from < 0 || from >= to || to > x->rows)
        FAIL(env, RKHS_ERR_ARGUMENT, "rows %lld to %lld (without the last) are not among the %lld there are, from 0",
             (long long)from, (long long)to, (long long)x->rows);
    TRY(rk_kernel_copy(kernel, &frozen));
    TRY(rk_kernel_freeze(frozen, x)); /* on all objects, so that all parts of K have the same parameters */
    TRY(rk_kernel_coerce(frozen, x, NULL, &use, &view));
    TRY(rk_bind(env, frozen, use, NULL, &bound));
    rk_ask_huge_pages(K, (size_t)(to - from) * (size_t)ld * sizeof *K);
    TRY(rows_of(env, bound, from, to, K, ld));
done:
    rk_unbind(env, bound);
    rk_blas_end(env);
    rkhs_kernel_free(frozen);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}
