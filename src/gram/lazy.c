/* lazy.c: the Gram matrix K by tiles that are recomputed for every product, in memory that grows with n alone.
 *
 * A product K V takes n^2 kernel values, whatever the number of columns. Entry i of the result is the sum over the
 * tiles of row i, in their order: bits do not depend on threads. */
#include "gram/gram.h"

static rkhs_status build_lazy(rk_gram *g) { return RKHS_OK; }

typedef struct product {
    const rk_gram *g;
    const double *V;
    int64_t k, tile;
    double *out, *tiles; /* tiles: workers x RK_TILE x RK_TILE */
    rk_work *work;
} product;

/* Rows of one tile, times V. */
static rkhs_status row_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    const product *p = context;
    const rk_bound *x = p->g->bound;
    int64_t n = p->g->n, k = p->k, i0 = tile * p->tile, ni = rk_min(p->tile, n - i0);
    double *K = p->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0);
        TRY(rk_block_of(x, i0, ni, x, j0, nj, K, RK_TILE, p->work[worker]));
        rk_gemm_tile('n', 'n', ni, k, nj, 1.0, K, RK_TILE, p->V + j0 * k, k, j0 ? 1.0 : 0.0, p->out + i0 * k, k);
        if (j0 / RK_TILE % 16 == 15) TRY(rk_poll_tile(p->g->env, worker));
    }
done:
    return status;
}

static rkhs_status mul_lazy(const rk_gram *g, const double *V, int64_t k, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    product p = {.g = g, .V = V, .k = k, .out = out, .tile = rk_kernel_tile_rows(g->bound, g->bound)};
    int64_t tiles = (g->n + p.tile - 1) / p.tile, workers = tiles > 1 ? rk_workers(g->env) : 1;
    TRY(rk_work_for(g->env, workers, g->bound, g->bound, &p.work));
    TRY(rk_scratch_raw(g->env, workers * RK_TILE * RK_TILE, sizeof *p.tiles, &p.tiles));
    TRY(rk_kernel_parallel(g->env, NULL, g->kernel, tiles, row_tile, &p));
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* clang-format off */
const rk_gram_type rk_gram_lazy = {
    .entry = {.name = "lazy", .brief = "the exact Gram matrix, computed again for every product; the model keeps all training objects",
              .formula = "K", .cost = "n^2 kernel values a product, and no memory"},
    .offers = RK_PRODUCTS, .build = build_lazy, .mul = mul_lazy,
};
/* clang-format on */
