/* kernel.c: freezes kernels (bandwidth rules become numbers), binds them to data, and evaluates them by tiles. */
#include "kernel/kernel.h"

#include <limits.h>
#include <string.h>

/* Freezes every node on the data that it will see. x must be of a kind that all nodes take. */
static rkhs_status freeze_tree(rkhs_env *env, rkhs_kernel *k, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    rkhs_data *view = NULL;
    if (k->type->freeze) TRY(k->type->freeze(env, k->spec->self, x));
    if (k->type->learn && !k->learnt.text) TRY(k->type->learn(env, k->spec->self, x, &k->learnt));
    if (k->type->view) TRY(k->type->view(env, k->spec->self, x, &view));
    for (int i = 0; i < k->children; i++) TRY(freeze_tree(env, k->child[i], view ? view : x));
done:
    rkhs_data_free(view);
    return status;
}

rkhs_status rkhs_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data) {
    if (!kernel) return RKHS_ERR_ARGUMENT;
    if (!data) return rk_fail_null(kernel->env, "rkhs_kernel_freeze", "data to take numbers from");
    rk_begin_call(kernel->env);
    return rk_kernel_freeze(kernel, data);
}

/* Works on a copy, so that a failure leaves the kernel unchanged. */
rkhs_status rk_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = kernel->env;
    rkhs_kernel *frozen = NULL;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    TRY(rk_kernel_coerce(kernel, data, NULL, &use, &view));
    TRY(rk_kernel_copy_tree(kernel, &frozen));
    TRY(freeze_tree(env, frozen, use));
    TRY(rk_kernel_make_text(frozen));
    rkhs_kernel before = *kernel;
    *kernel = *frozen;
    *frozen = before;
done:
    rk_blas_end(env);
    rkhs_kernel_free(frozen);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}

unsigned rk_kernel_kinds(const rkhs_kernel *k) {
    unsigned kinds = k->type->kinds;
    if (kinds & RK_KIND_DENSE) kinds |= RK_KIND_IMAGE; /* images are vectors with a shape */
    for (int i = 0; i < k->children; i++) kinds &= rk_kernel_kinds(k->child[i]);
    if (k->type->syntax == RK_SYNTAX_COLUMNS && !(kinds & RK_KIND_DENSE)) kinds &= ~(unsigned)RK_KIND_IMAGE; /* flat */
    return kinds;
}

int rk_kernel_all_have(const rkhs_kernel *k, unsigned flag) {
    int has = (k->type->flags & flag) != 0;
    if (flag == RK_SCALE_FREE && k->type->view) return has; /* the children see other columns */
    for (int i = 0; i < k->children; i++) has &= rk_kernel_all_have(k->child[i], flag);
    return has;
}

int rk_kernel_any_has(const rkhs_kernel *k, unsigned flag) {
    int any = (k->type->flags & flag) != 0;
    for (int i = 0; i < k->children; i++) any |= rk_kernel_any_has(k->child[i], flag);
    return any;
}

rkhs_status rk_kernel_coerce(const rkhs_kernel *k, const rkhs_data *x, const rkhs_data *like, const rkhs_data **use,
                             rkhs_data **view) {
    char text[RK_SHORT];
    const char *what = rk_shorten(rkhs_kernel_text(k), text);
    return like ? rk_data_coerce_like(k->env, x, rk_kernel_kinds(k), what, like, use, view)
                : rk_data_coerce(k->env, x, rk_kernel_kinds(k), what, use, view);
}

/* Refuses to compare images of different shapes, which may have as many numbers. */
static rkhs_status same_shape(rkhs_env *env, const rkhs_data *x, const rkhs_data *like) {
    const rk_image *a = rk_images(x), *b = rk_images(like);
    if (!a || !b || (a->h == b->h && a->w == b->w && a->c == b->c)) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_DATA,
                   "images of %lld x %lld x %lld (height, width, channels) cannot be compared with images of %lld x %lld x "
                   "%lld: bring all to one size",
                   (long long)a->h, (long long)a->w, (long long)a->c, (long long)b->h, (long long)b->w, (long long)b->c);
}

rkhs_status rk_bind(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const rk_bound *reference, rk_bound **bound) {
    rkhs_status status = RKHS_OK;
    rk_bound *b = NULL;
    *bound = NULL;
    if (reference && reference->x->type != x->type)
        FAIL(env, RKHS_ERR_DATA, "%s data cannot be compared with %s data: give both in the same form", x->type->entry.name,
             reference->x->type->entry.name);
    TRY(same_shape(env, x, reference ? reference->x : x));
    TRY(rk_alloc(env, 1, sizeof *b, &b));
    b->kernel = k;
    b->x = x;
    b->reference = reference;
    TRY(rk_alloc(env, k->children + 1, sizeof *b->child, &b->child));
    if (k->type->view) TRY(k->type->view(env, k->spec->self, x, &b->view));
    for (int i = 0; i < k->children; i++)
        TRY(rk_bind(env, k->child[i], b->view ? b->view : x, reference ? reference->child[i] : NULL, &b->child[i]));
    if (k->type->prepare) TRY(k->type->prepare(env, b));
    *bound = b;
    b = NULL;
done:
    rk_unbind(env, b);
    return status;
}

void rk_unbind(rkhs_env *env, rk_bound *bound) {
    if (!bound) return;
    if (bound->side && bound->kernel->type->release)
        bound->kernel->type->release(env, bound);
    else
        rk_free(env, bound->side);
    for (int i = 0; bound->child && i < bound->kernel->children; i++) rk_unbind(env, bound->child[i]);
    rkhs_data_free(bound->view);
    rk_free(env, bound->child);
    rk_free(env, bound);
}

/* Scratch of a tree, in doubles: the node's own, and the largest of a child, as children run one after another. */
static int64_t tree_work(const rk_bound *a, const rk_bound *b) {
    int64_t max_child = 0;
    for (int i = 0; i < a->kernel->children; i++) {
        int64_t child = tree_work(a->child[i], b->child[i]);
        if (child > max_child) max_child = child;
    }
    return max_child + (a->kernel->type->work ? a->kernel->type->work(a, b) : 0);
}

rkhs_status rk_work_new(rkhs_env *env, const rk_bound *a, const rk_bound *b, rk_work **work) {
    return rk_work_for(env, rk_workers(env), a, b, work);
}

rkhs_status rk_work_for(rkhs_env *env, int64_t workers, const rk_bound *a, const rk_bound *b, rk_work **work) {
    int64_t each = rk_padded(tree_work(a, b));
    double *room;
    rkhs_status status = rk_scratch(env, workers, sizeof **work, work);
    if (status == RKHS_OK) status = rk_scratch_raw(env, each * workers, sizeof *room, &room);
    for (int i = 0; status == RKHS_OK && i < workers; i++) (*work)[i] = (rk_work){room + i * each, each};
    return status;
}

rkhs_status rk_kernel_parallel(rkhs_env *env, const char *stage, const rkhs_kernel *k, int64_t count, rk_tile_fn fn,
                               void *context) {
    int threads = env->threads;
    if (rk_kernel_any_has(k, RK_SERIAL)) env->threads = 1;
    rkhs_status status = rk_parallel(env, stage, count, fn, context);
    env->threads = threads;
    return status;
}

rkhs_status rk_child_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                           int64_t ld, rk_work work) {
    return rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
}

rkhs_status rk_child_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    return rk_diag_of(a->child[0], i0, ni, out, work);
}

rkhs_status rk_diag_of(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    if (a->kernel->type->diag) {
        a->kernel->type->diag(a, i0, ni, out, work);
        return RKHS_OK;
    }
    if (a->kernel->type->diag_from_children) return a->kernel->type->diag_from_children(a, i0, ni, out, work);
    for (int64_t i = 0; i < ni; i++) {
        rkhs_status status = rk_block_of(a, i0 + i, 1, a, i0 + i, 1, out + i, 1, work);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Rows of a tile buffer are APART numbers apart: with a power of two, a column of it would fall on few cache lines. */
enum { APART = RK_TILE + 8, PAGE = 2 << 20 };

typedef struct gram_loop {
    const rk_bound *a, *b;
    int64_t from, rows; /* rows of a */
    double *K;
    int64_t ld, tile;
    double *tiles; /* workers x RK_TILE x APART: buffers of rk_gram_symmetric */
    rk_work *work;
} gram_loop;

int64_t rk_kernel_tile(const rk_bound *a, const rk_bound *b) {
    int64_t tile = a->kernel->type->tile ? a->kernel->type->tile(a, b) : RK_TILE;
    for (int i = 0; i < a->kernel->children; i++) tile = rk_min(tile, rk_kernel_tile(a->child[i], b->child[i]));
    return tile;
}

int64_t rk_kernel_tile_rows(const rk_bound *a, const rk_bound *b) {
    int64_t tile = rk_kernel_tile(a, b);
    return tile == RK_TILE ? RK_TILE : rk_max(1, rk_min(RK_TILE, tile * tile / rk_max(b->x->rows, 1)));
}

/* Whether K exceeds the caches of a core. Fresh memory of that size is on huge pages (rk_ask_huge_pages). */
static int is_large(const gram_loop *g) { return g->rows * g->ld * (int64_t)sizeof *g->K >= 2 * PAGE; }

static int64_t tiles(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }

/* Writes a number to one huge page of K, before any tile is stored. The system clears a page when it is first written
 * to, and once more for a second thread that writes at the same time. Also, stores that bypass the caches would be
 * slowed down by lines that have just been cleared. */
static rkhs_status touch_page(void *context, int64_t page, int worker) {
    gram_loop *g = context;
    int64_t before = (int64_t)((uintptr_t)g->K % PAGE / sizeof *g->K);
    int64_t at = rk_max(0, page * (int64_t)(PAGE / sizeof *g->K) - before), i = at / g->ld, j = at % g->ld;
    if (j >= g->b->x->rows) i++, j = 0; /* gaps between rows belong to the caller */
    if (i < g->rows) g->K[i * g->ld + j] = 0;
    return RKHS_OK;
}

static rkhs_status touch(rkhs_env *env, gram_loop *g) {
    int64_t pages = g->rows * g->ld / (int64_t)(PAGE / sizeof *g->K) + 2;
    return is_large(g) ? rk_parallel(env, NULL, pages, touch_page, g) : RKHS_OK;
}

/* A tile on or below the diagonal, and its transpose. It is computed in a buffer that stays in the cache: rows of K
 * are far apart, and every pass over them would go to memory. */
static rkhs_status symmetric_tile(void *context, int64_t tile, int worker) {
    gram_loop *g = context;
    int64_t ti, tj, n = g->a->x->rows;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i = ti * g->tile, j = tj * g->tile, ni = rk_min(g->tile, n - i), nj = rk_min(g->tile, n - j);
    double *values = g->tiles + (int64_t)worker * RK_TILE * APART;
    rkhs_status status = rk_block_of(g->a, i, ni, g->a, j, nj, values, APART, g->work[worker]);
    if (status != RKHS_OK) return status;
    if (ti == tj) rk_mirror_tile(values, APART, 0, ni, 0, nj);
    rk_store_tile(ni, nj, values, APART, g->K, g->ld, i, j, is_large(g));
    return RKHS_OK;
}

rkhs_status rk_gram_symmetric(rkhs_env *env, const rk_bound *a, double *K, int64_t ld) {
    rk_mark mark = rk_scratch_mark(env);
    gram_loop g = {.a = a, .b = a, .rows = a->x->rows, .K = K, .ld = ld, .tile = rk_kernel_tile(a, a)};
    int64_t t = tiles(a->x->rows, g.tile);
    rkhs_status status = rk_work_new(env, a, a, &g.work);
    if (status == RKHS_OK) status = rk_scratch_raw(env, (int64_t)rk_workers(env) * RK_TILE * APART, sizeof *g.tiles, &g.tiles);
    if (status == RKHS_OK) status = touch(env, &g);
    if (status == RKHS_OK) status = rk_kernel_parallel(env, "gram", a->kernel, t * (t + 1) / 2, symmetric_tile, &g);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status cross_tile(void *context, int64_t tile, int worker) {
    gram_loop *g = context;
    int64_t across = tiles(g->b->x->rows, g->tile);
    int64_t i = tile / across * g->tile, j = tile % across * g->tile;
    return rk_block_of(g->a, g->from + i, rk_min(g->tile, g->rows - i), g->b, j, rk_min(g->tile, g->b->x->rows - j),
                       g->K + i * g->ld + j, g->ld, g->work[worker]);
}

rkhs_status rk_gram_cross_rows(rkhs_env *env, const char *stage, const rk_bound *a, int64_t from, int64_t rows,
                               const rk_bound *b, double *K, int64_t ld) {
    rk_mark mark = rk_scratch_mark(env);
    gram_loop g = {.a = a, .b = b, .from = from, .rows = rows, .K = K, .ld = ld, .tile = rk_kernel_tile(a, b)};
    rkhs_status status = rk_work_new(env, a, b, &g.work);
    if (status == RKHS_OK) status = touch(env, &g);
    if (status == RKHS_OK)
        status = rk_kernel_parallel(env, stage, a->kernel, tiles(rows, g.tile) * tiles(b->x->rows, g.tile), cross_tile, &g);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_gram_cross(rkhs_env *env, const char *stage, const rk_bound *a, const rk_bound *b, double *K, int64_t ld) {
    return rk_gram_cross_rows(env, stage, a, 0, a->x->rows, b, K, ld);
}

/* K = k(a, b), or k(a, a) if b is NULL; the data are of the right kind. */
static rkhs_status gram_of(rkhs_env *env, const rkhs_kernel *frozen, const rkhs_data *a, const rkhs_data *b, double *K,
                           int64_t ld) {
    rkhs_status status = RKHS_OK;
    rk_bound *first = NULL, *second = NULL;
    TRY(rk_bind(env, frozen, a, NULL, &first));
    if (b) TRY(rk_bind(env, frozen, b, first, &second));
    TRY(b ? rk_gram_cross(env, "gram", first, second, K, ld) : rk_gram_symmetric(env, first, K, ld));
done:
    rk_unbind(env, second);
    rk_unbind(env, first);
    return status;
}

rkhs_status rkhs_kernel_gram(const rkhs_kernel *kernel, const rkhs_data *a, const rkhs_data *b, double *K, int64_t ld) {
    if (!kernel) return RKHS_ERR_ARGUMENT;
    rkhs_env *env = kernel->env;
    rkhs_status status = RKHS_OK;
    rkhs_kernel *frozen = NULL;
    const rkhs_data *use_a, *use_b = NULL;
    rkhs_data *view_a = NULL, *view_b = NULL;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    if (ld > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_gram: rows of K are %lld apart: at most %d", (long long)ld, INT_MAX);
    if (!a || !K) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_gram: no %s: the pointer is NULL", a ? "room for K" : "data");
    if (ld < (b ? b : a)->rows)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_gram: ld is %lld, below the %s of K", (long long)ld,
             rk_counted((b ? b : a)->rows, "column").text);
    TRY(rk_kernel_coerce(kernel, a, NULL, &use_a, &view_a));
    if (b) TRY(rk_kernel_coerce(kernel, b, use_a, &use_b, &view_b));
    if (b && rk_kernel_kinds(kernel) == RK_KIND_GRAM)
        FAIL(env, RKHS_ERR_DATA, "the kernel 'precomputed' compares nothing new: its values are the data themselves");
    if (b && use_a->columns != use_b->columns)
        FAIL(env, RKHS_ERR_DATA, "the first data set has %s, the second %lld: give both the same",
             rk_counted(use_a->columns, "column").text, (long long)use_b->columns);
    rk_ask_huge_pages(K, (size_t)a->rows * (size_t)ld * sizeof *K); /* usually fresh memory: we touch it first */
    TRY(rk_kernel_copy_tree(kernel, &frozen));
    TRY(freeze_tree(env, frozen, use_a));
    TRY(gram_of(env, frozen, use_a, use_b, K, ld));
done:
    rk_blas_end(env);
    rkhs_kernel_free(frozen);
    rkhs_data_free(view_b);
    rkhs_data_free(view_a);
    rk_scratch_release(env, mark);
    return status;
}
