/* kernel.c: a kernel is a tree of types; here it is built from text, bound to data and evaluated by tiles. */
#include "kernel/kernel.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define RK_KERNEL(name) extern const rk_kernel_type rk_kernel_##name;
#include "kernel/kernels.def"
#undef RK_KERNEL

static const rk_entry *const entries[] = {
#define RK_KERNEL(name) &rk_kernel_##name.entry,
#include "kernel/kernels.def"
#undef RK_KERNEL
    NULL};

const rk_list rk_kernels = {"kernels", "kernel", entries};

static rkhs_status from_node(rkhs_env *env, const rk_node *node, rkhs_kernel **out);
static rkhs_status make_text(rkhs_kernel *k);

/* A node of the tree with room for its children. */
static rkhs_status kernel_alloc(rkhs_env *env, rk_spec *spec, int children, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *k = NULL;
    TRY(rk_alloc(env, 1, sizeof *k, &k));
    k->env = env;
    TRY(rk_alloc(env, children + 1, sizeof *k->child, &k->child));
    k->children = children;
    k->spec = spec;
    k->type = (const rk_kernel_type *)spec->entry;
    *out = k;
    return RKHS_OK;
done:
    rk_free(env, k);
    rk_spec_free(env, spec);
    return status;
}

/* A node that combines: sum, product, or scale with a weight. */
static rkhs_status combine(rkhs_env *env, const char *text, int children, rkhs_kernel **out) {
    rk_spec *spec;
    rkhs_status status = rk_spec_new(env, &rk_kernels, text, &spec);
    return status == RKHS_OK ? kernel_alloc(env, spec, children, out) : status;
}

/* a + b + ... and a * b * ... */
static rkhs_status from_chain(rkhs_env *env, const char *name, const rk_node *node, int count, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *k = NULL;
    int i = 0;
    TRY(combine(env, name, count, &k));
    for (const rk_node *c = node->child; c; c = c->next)
        if (c->kind != RK_NODE_NUMBER) TRY(from_node(env, c, &k->child[i++]));
    *out = k;
    k = NULL;
done:
    rkhs_kernel_free(k);
    return status;
}

/* weight * weight * kernel * kernel */
static rkhs_status from_product(rkhs_env *env, const rk_node *node, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *inner = NULL, *outer = NULL;
    double weight = 1;
    int kernels = 0, numbers = 0;
    const rk_node *only = NULL;
    char text[64], number[40];
    for (const rk_node *c = node->child; c; c = c->next) {
        if (c->kind == RK_NODE_NUMBER)
            weight *= c->number, numbers++;
        else
            only = c, kernels++;
    }
    if (!kernels) FAIL(env, RKHS_ERR_SPEC, "a kernel needs a name: a weight stands before one, as in 2*rbf");
    if (!(weight > 0) || weight > 1e300) FAIL(env, RKHS_ERR_SPEC, "a kernel's weight must be above 0, not %.15g", weight);
    if (kernels == 1)
        TRY(from_node(env, only, &inner));
    else
        TRY(from_chain(env, "product", node, kernels, &inner));
    if (numbers) {
        snprintf(text, sizeof text, "scale(%s)", rk_number_text(weight, number));
        TRY(combine(env, text, 1, &outer));
        outer->child[0] = inner;
        inner = NULL;
    }
    *out = outer ? outer : inner;
    outer = inner = NULL;
done:
    rkhs_kernel_free(inner);
    rkhs_kernel_free(outer);
    return status;
}

/* One named kernel. */
static rkhs_status from_call(rkhs_env *env, const rk_node *node, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rk_spec *spec = NULL;
    TRY(rk_spec_from_node(env, &rk_kernels, node, &spec));
    const rk_kernel_type *type = (const rk_kernel_type *)spec->entry;
    if (type->children) {
        rk_spec_free(env, spec);
        FAIL(env, RKHS_ERR_SPEC, "'%s' is not called by name: write %s", type->entry.name, type->entry.formula);
    }
    if (type->check) {
        status = type->check(env, spec->self);
        if (status != RKHS_OK) {
            rk_spec_free(env, spec);
            return status;
        }
    }
    TRY(kernel_alloc(env, spec, 0, out));
done:
    return status;
}

static rkhs_status from_node(rkhs_env *env, const rk_node *node, rkhs_kernel **out) {
    int count = 0;
    *out = NULL;
    switch (node->kind) {
    case RK_NODE_CALL: return from_call(env, node, out);
    case RK_NODE_PRODUCT: return from_product(env, node, out);
    case RK_NODE_SUM:
        for (const rk_node *c = node->child; c; c = c->next, count++)
            if (c->kind == RK_NODE_NUMBER)
                return rk_fail(env, RKHS_ERR_SPEC, "a number alone is no kernel: a weight stands before one, as in 2*rbf");
        return from_chain(env, "sum", node, count, out);
    case RK_NODE_NUMBER:
    case RK_NODE_LIST: break;
    }
    return rk_fail(env, RKHS_ERR_SPEC, "a kernel begins with its name, as in 'rbf(sigma=median)', not with %.40s", node->text);
}

rkhs_status rkhs_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel) {
    if (!env || !spec || !kernel)
        return env ? rk_fail(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_new: a null argument") : RKHS_ERR_ARGUMENT;
    rk_clear(env);
    *kernel = NULL;
    rk_mark mark = rk_scratch_mark(env);
    rk_node *node;
    rkhs_status status = rk_parse(env, "kernel", spec, &node);
    if (status == RKHS_OK) status = from_node(env, node, kernel);
    if (status == RKHS_OK) status = make_text(*kernel);
    if (status != RKHS_OK) {
        rkhs_kernel_free(*kernel);
        *kernel = NULL;
    }
    rk_scratch_release(env, mark);
    return status;
}

/* A copy without its text. */
static rkhs_status copy_tree(const rkhs_kernel *kernel, rkhs_kernel **copy) {
    rkhs_env *env = kernel->env;
    rkhs_status status = RKHS_OK;
    rk_spec *spec;
    rkhs_kernel *k = NULL;
    *copy = NULL;
    TRY(rk_spec_copy(env, kernel->spec, &spec));
    TRY(kernel_alloc(env, spec, kernel->children, &k));
    for (int i = 0; i < k->children; i++) TRY(copy_tree(kernel->child[i], &k->child[i]));
    *copy = k;
    k = NULL;
done:
    rkhs_kernel_free(k);
    return status;
}

rkhs_status rkhs_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy) {
    if (!kernel || !copy) return RKHS_ERR_ARGUMENT;
    rk_clear(kernel->env);
    rkhs_status status = copy_tree(kernel, copy);
    if (status == RKHS_OK) status = make_text(*copy);
    if (status != RKHS_OK) {
        rkhs_kernel_free(*copy);
        *copy = NULL;
    }
    return status;
}

void rkhs_kernel_free(rkhs_kernel *kernel) {
    if (!kernel) return;
    rkhs_env *env = kernel->env;
    for (int i = 0; i < kernel->children; i++) rkhs_kernel_free(kernel->child[i]);
    rk_free(env, kernel->child);
    rk_spec_free(env, kernel->spec);
    rk_free(env, kernel->text);
    rk_free(env, kernel);
}

/* Whether a node's text stands in brackets inside its parent's, so that reading it gives the same tree: sums, products and
 * weights would join with those around them, and be added or multiplied in another order. */
static int bracketed(const rkhs_kernel *k, const rkhs_kernel *parent) {
    if (!parent || !k->children) return 0;
    const char *name = k->type->entry.name, *around = parent->type->entry.name;
    if (strcmp(around, "product") == 0) return 1;
    return strcmp(name, "sum") == 0 || (strcmp(around, "scale") == 0 && strcmp(name, "scale") == 0);
}

/* Writes a tree. */
static rkhs_status add_text(const rkhs_kernel *k, rk_text *text, const rkhs_kernel *parent) {
    rkhs_status status = RKHS_OK;
    int sum = strcmp(k->type->entry.name, "sum") == 0, scale = strcmp(k->type->entry.name, "scale") == 0;
    char number[40];
    if (!k->children) return rk_spec_text(k->spec, text);
    if (bracketed(k, parent)) TRY(rk_text_add(text, "("));
    if (scale) TRY(rk_text_add(text, "%s*", rk_number_text(*(double *)k->spec->self, number)));
    for (int i = 0; i < k->children; i++) {
        if (i) TRY(rk_text_add(text, sum ? " + " : "*"));
        TRY(add_text(k->child[i], text, k));
    }
    if (bracketed(k, parent)) TRY(rk_text_add(text, ")"));
done:
    return status;
}

/* The text is made with the kernel, so that asking for it cannot fail. */
static rkhs_status make_text(rkhs_kernel *k) {
    rk_text text = {.env = k->env};
    rkhs_status status = add_text(k, &text, NULL);
    if (status == RKHS_OK) {
        rk_free(k->env, k->text);
        k->text = text.s;
    } else {
        rk_free(k->env, text.s);
    }
    return status;
}

const char *rkhs_kernel_text(const rkhs_kernel *kernel) { return kernel && kernel->text ? kernel->text : ""; }

/* Freezes every node; the data fits all of them. */
static rkhs_status freeze_tree(rkhs_env *env, rkhs_kernel *k, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    if (k->type->freeze) TRY(k->type->freeze(env, k->spec->self, x));
    for (int i = 0; i < k->children; i++) TRY(freeze_tree(env, k->child[i], x));
done:
    return status;
}

/* On a copy, so that a kernel is frozen or as it was. */
rkhs_status rkhs_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data) {
    if (!kernel) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rkhs_env *env = kernel->env;
    rkhs_kernel *frozen = NULL;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    rk_clear(env);
    rk_mark mark = rk_scratch_mark(env);
    rk_blas_begin();
    if (!data) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_freeze: there are no data to take numbers from");
    TRY(rk_data_coerce(env, data, rk_kernel_kinds(kernel), rkhs_kernel_text(kernel), &use, &view));
    TRY(copy_tree(kernel, &frozen));
    TRY(freeze_tree(env, frozen, use));
    TRY(make_text(frozen));
    rkhs_kernel before = *kernel;
    *kernel = *frozen;
    *frozen = before;
done:
    rk_blas_end();
    rkhs_kernel_free(frozen);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}

unsigned rk_kernel_kinds(const rkhs_kernel *k) {
    unsigned kinds = k->type->kinds;
    for (int i = 0; i < k->children; i++) kinds &= rk_kernel_kinds(k->child[i]);
    return kinds;
}

int rk_kernel_has(const rkhs_kernel *k, unsigned flag) {
    int has = (k->type->flags & flag) != 0;
    for (int i = 0; i < k->children; i++) has &= rk_kernel_has(k->child[i], flag);
    return has;
}

rkhs_status rk_bind(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const rk_bound *reference, rk_bound **bound) {
    rkhs_status status = RKHS_OK;
    rk_bound *b = NULL;
    *bound = NULL;
    if (reference && reference->x->type != x->type)
        FAIL(env, RKHS_ERR_DATA, "%s data cannot be compared with %s data: give both in the same form", x->type->entry.name,
             reference->x->type->entry.name);
    TRY(rk_alloc(env, 1, sizeof *b, &b));
    b->kernel = k;
    b->x = x;
    b->reference = reference;
    TRY(rk_alloc(env, k->children + 1, sizeof *b->child, &b->child));
    for (int i = 0; i < k->children; i++)
        TRY(rk_bind(env, k->child[i], x, reference ? reference->child[i] : NULL, &b->child[i]));
    if (k->type->prepare) TRY(k->type->prepare(env, b));
    *bound = b;
    b = NULL;
done:
    rk_unbind(env, b);
    return status;
}

void rk_unbind(rkhs_env *env, rk_bound *bound) {
    if (!bound) return;
    if (bound->side && bound->kernel->type->release) bound->kernel->type->release(env, bound);
    for (int i = 0; bound->child && i < bound->kernel->children; i++) rk_unbind(env, bound->child[i]);
    rk_free(env, bound->child);
    rk_free(env, bound);
}

/* Doubles that the tree takes at most: a node's own, and on top of it one child's at a time. */
static int64_t tree_work(const rk_bound *a, const rk_bound *b) {
    int64_t most = 0;
    for (int i = 0; i < a->kernel->children; i++) {
        int64_t child = tree_work(a->child[i], b->child[i]);
        if (child > most) most = child;
    }
    return most + (a->kernel->type->work ? a->kernel->type->work(a, b) : 0);
}

rkhs_status rk_work_new(rkhs_env *env, const rk_bound *a, const rk_bound *b, rk_work **work) {
    int workers = rk_workers(env);
    int64_t each = (tree_work(a, b) + 63) / 64 * 64;
    double *room;
    rkhs_status status = rk_scratch(env, workers, sizeof **work, work);
    if (status == RKHS_OK) status = rk_scratch(env, each * workers, sizeof *room, &room);
    for (int i = 0; status == RKHS_OK && i < workers; i++) (*work)[i] = (rk_work){room + i * each, each};
    return status;
}

rkhs_status rk_diag_of(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    if (a->kernel->type->diag) {
        a->kernel->type->diag(a, i0, ni, out, work);
        return RKHS_OK;
    }
    for (int64_t i = 0; i < ni; i++) {
        rkhs_status status = rk_block_of(a, i0 + i, 1, a, i0 + i, 1, out + i, 1, work);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

typedef struct gram_loop {
    const rk_bound *a, *b;
    double *K;
    int64_t ld, tile;
    rk_work *work;
} gram_loop;

int64_t rk_tile_of(const rk_bound *a, const rk_bound *b) {
    int64_t tile = a->kernel->type->tile ? a->kernel->type->tile(a, b) : RK_TILE;
    for (int i = 0; i < a->kernel->children; i++) tile = rk_least(tile, rk_tile_of(a->child[i], b->child[i]));
    return tile;
}

int64_t rk_tile_rows(const rk_bound *a, const rk_bound *b) {
    int64_t tile = rk_tile_of(a, b);
    return tile == RK_TILE ? RK_TILE : rk_most(1, rk_least(RK_TILE, tile * tile / rk_most(b->x->rows, 1)));
}

int rk_kernel_whole(const rkhs_kernel *k) {
    int whole = k->type->whole && k->type->whole(k->spec->self);
    for (int i = 0; i < k->children; i++) whole |= rk_kernel_whole(k->child[i]);
    return whole;
}

static int64_t tiles(int64_t n, int64_t tile) { return (n + tile - 1) / tile; }

/* A tile on or below the diagonal, and its mirror image. */
static rkhs_status symmetric_tile(void *context, int64_t tile, int worker) {
    gram_loop *g = context;
    int64_t ti, tj, n = g->a->x->rows;
    rk_triangle(tile, &ti, &tj);
    int64_t i = ti * g->tile, j = tj * g->tile, ni = rk_least(g->tile, n - i), nj = rk_least(g->tile, n - j);
    rkhs_status status = rk_block_of(g->a, i, ni, g->a, j, nj, g->K + i * g->ld + j, g->ld, g->work[worker]);
    rk_mirror(g->K, g->ld, i, ni, j, nj);
    return status;
}

rkhs_status rk_gram_symmetric(rkhs_env *env, const rk_bound *a, double *K, int64_t ld) {
    rk_mark mark = rk_scratch_mark(env);
    gram_loop g = {a, a, K, ld, rk_tile_of(a, a), NULL};
    int64_t t = tiles(a->x->rows, g.tile);
    rkhs_status status = rk_work_new(env, a, a, &g.work);
    if (status == RKHS_OK) status = rk_parallel(env, "gram", t * (t + 1) / 2, symmetric_tile, &g);
    rk_scratch_release(env, mark);
    return status;
}

/* A tile of a against b. */
static rkhs_status cross_tile(void *context, int64_t tile, int worker) {
    gram_loop *g = context;
    int64_t across = tiles(g->b->x->rows, g->tile);
    int64_t i = tile / across * g->tile, j = tile % across * g->tile;
    return rk_block_of(g->a, i, rk_least(g->tile, g->a->x->rows - i), g->b, j, rk_least(g->tile, g->b->x->rows - j),
                       g->K + i * g->ld + j, g->ld, g->work[worker]);
}

rkhs_status rk_gram_cross(rkhs_env *env, const char *stage, const rk_bound *a, const rk_bound *b, double *K, int64_t ld) {
    rk_mark mark = rk_scratch_mark(env);
    gram_loop g = {a, b, K, ld, rk_tile_of(a, b), NULL};
    rkhs_status status = rk_work_new(env, a, b, &g.work);
    if (status == RKHS_OK)
        status = rk_parallel(env, stage, tiles(a->x->rows, g.tile) * tiles(b->x->rows, g.tile), cross_tile, &g);
    rk_scratch_release(env, mark);
    return status;
}

/* The comparison of a with b, b NULL: with itself, all conversions done. */
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
    rk_clear(env);
    rk_mark mark = rk_scratch_mark(env);
    rk_blas_begin();
    if (ld > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_gram: rows of K are %lld apart: at most %d", (long long)ld, INT_MAX);
    if (!a || !K || ld < (b ? b : a)->rows)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_kernel_gram: a null argument, or ld below the columns of K");
    TRY(rk_data_coerce(env, a, rk_kernel_kinds(kernel), rkhs_kernel_text(kernel), &use_a, &view_a));
    if (b) TRY(rk_data_coerce(env, b, rk_kernel_kinds(kernel), rkhs_kernel_text(kernel), &use_b, &view_b));
    if (b && rk_kernel_kinds(kernel) == RK_KIND_GRAM)
        FAIL(env, RKHS_ERR_DATA, "the kernel 'precomputed' compares nothing new: its values are the data themselves");
    if (b && a->columns != b->columns)
        FAIL(env, RKHS_ERR_DATA, "the first data set has %lld columns, the second %lld: give both the same",
             (long long)a->columns, (long long)b->columns);
    rk_ask_huge(K, (size_t)a->rows * (size_t)ld * sizeof *K); /* the caller's, most often fresh: the first touch is ours */
    TRY(copy_tree(kernel, &frozen));
    TRY(freeze_tree(env, frozen, use_a));
    TRY(gram_of(env, frozen, use_a, use_b, K, ld));
done:
    rk_blas_end();
    rkhs_kernel_free(frozen);
    rkhs_data_free(view_b);
    rkhs_data_free(view_a);
    rk_scratch_release(env, mark);
    return status;
}
