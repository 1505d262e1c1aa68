/* random_features.c: gram=features: random features of kernels on vectors, functions of w'x for random w.
 *
 *     k(x, y) ~ Phi(x)'Phi(y),   Phi(x) = sqrt(1/F) (cos w_1'x, sin w_1'x, .., cos w_F'x, sin w_F'x)
 *
 * for kernels that are the mean of cos(w'(x - y)) over w of some distribution (Rahimi, Recht, "Random features for
 * large-scale kernel machines", NIPS 2007); relu is a mean of rectifiers, linear is exact. The w of a radial kernel are
 * orthogonal in blocks of as many as there are columns, each with the length of a normal vector: the error is smaller
 * (Yu et al., "Orthogonal random features", NIPS 2016). Weights and sums of kernels join their features. Nothing
 * depends on the objects, and the error of a kernel value falls as 1/sqrt(F). */
#include "gram/gram.h"

#include <stdio.h>

typedef struct random_features {
    int64_t count;
    int orthogonal;
} random_features;

/* clang-format off */
static const rk_param params[] = {
    {.name = "count", .aliases = "m|n_components", .kind = RK_INT, .offset = offsetof(random_features, count), .value = "2000",
     .min = 2, .max = 1e6, .brief = "number of features, beside those of linear parts of the kernel, which has one for each column"},
    {.name = "orthogonal", .kind = RK_CHOICE, .offset = offsetof(random_features, orthogonal), .value = "yes", .choices = "no|yes",
     .brief = "orthogonal random vectors, for a smaller error, or independent ones"},
    {.name = NULL},
};
/* clang-format on */

/* A kernel without children, its weight, and the columns that it looks at. */
typedef struct leaf {
    const rkhs_kernel *kernel;
    double weight;
    int64_t columns, *column; /* NULL: all */
} leaf;

enum { LEAVES = 64 };
typedef struct leaves {
    const rk_gram *g;
    int64_t count;
    leaf leaf[LEAVES];
} leaves;

static rkhs_status refuse(const rk_gram *g, const char *why, const rkhs_kernel *k) {
    return rk_set_subject(g->env, "gram",
                          rk_fail(g->env, RKHS_ERR_SPEC, "gram=features: %s '%s': use gram=nystrom", why, k->type->entry.name));
}

/* Adds the leaves of a kernel: through sums, weights, and columns of the data. */
static rkhs_status add_leaves(leaves *l, const rkhs_kernel *k, const leaf *above) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = l->g->env;
    leaf here = *above;
    here.kernel = k;
    switch (k->type->syntax) {
    case RK_SYNTAX_WEIGHT: here.weight *= *(const double *)k->spec->self; break;
    case RK_SYNTAX_SUM: break;
    case RK_SYNTAX_COLUMNS:
        if (above->column) return refuse(l->g, "columns of columns are not supported in", k);
        TRY(rk_parse_indices(env, "columns", *(char *const *)k->spec->self, l->g->x->columns, &here.column, &here.columns));
        break;
    default:
        if (k->children || !(k->type->random || k->type->flags & RK_IDENTITY))
            return refuse(l->g, "there are no random features for", k);
        if (k->type->random && isnan(k->type->stretch(k->spec->self, env->seed, 0, 0)))
            return refuse(l->g, "there are no random features for these parameters of", k);
        if (l->count == LEAVES) return refuse(l->g, "too many parts in", k);
        l->leaf[l->count++] = here;
        return RKHS_OK;
    }
    for (int c = 0; c < k->children; c++) TRY(add_leaves(l, k->child[c], &here));
done:
    return status;
}

/* ---- random vectors -------------------------------------------------------------------------------------------- */

/* Makes the rows of W (count x p, count <= p) orthogonal, of the lengths that they have: twice by a Cholesky factor. */
static rkhs_status make_orthogonal(rkhs_env *env, int64_t count, int64_t p, double *W, int64_t ld) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double *A, *length;
    int64_t bad;
    TRY(rk_scratch(env, count * count, sizeof *A, &A));
    TRY(rk_scratch(env, count, sizeof *length, &length));
    for (int64_t i = 0; i < count; i++) length[i] = rk_norm(p, W + i * ld);
    for (int pass = 0; pass < 2; pass++) {
        TRY(rk_gemm(env, NULL, 'n', 't', count, count, p, 1.0, W, ld, W, ld, 0.0, A, count));
        TRY(rk_cholesky(env, NULL, count, A, count, &bad));
        if (bad >= 0) goto done; /* the first rows span all; independent ones will do */
        for (int64_t c = 0; c < p; c += RK_TILE) rk_trsm_tile('l', 'n', count, rk_min(RK_TILE, p - c), A, count, W + c, ld);
    }
    for (int64_t i = 0; i < count; i++) {
        double scale = length[i] / rk_norm(p, W + i * ld);
        for (int64_t c = 0; c < p; c++) W[i * ld + c] *= scale;
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

/* The vectors of one leaf into W (count x columns of the data), numbered from `row` on. *within: all are in range. */
static rkhs_status draw(rkhs_env *env, const leaf *l, int orthogonal, int64_t row, int64_t count, int64_t columns, double *W,
                        int *within) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_kernel_type *type = l->kernel->type;
    const void *self = l->kernel->spec->self;
    int64_t p = l->column ? l->columns : columns;
    double *V = W;
    *within = 1;
    if (l->column) TRY(rk_scratch(env, count * p, sizeof *V, &V));
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < p; c++)
            V[i * p + c] = !type->random ? i == c
                           : type->random == RK_RANDOM_COLUMNS
                               ? type->stretch(self, env->seed, row + i, c)
                               : rk_normal(env->seed, RK_STREAM_FREQUENCY, (uint64_t)(row + i), (uint64_t)c);
    int normal = type->random == RK_RANDOM_RADIAL || type->random == RK_RANDOM_RELU;
    for (int64_t i = 0; normal && orthogonal && i < count; i += p)
        TRY(make_orthogonal(env, rk_min(p, count - i), p, V + i * p, p));
    for (int64_t i = 0; type->random == RK_RANDOM_RADIAL && i < count; i++) {
        double stretch = type->stretch(self, env->seed, row + i, 0);
        for (int64_t c = 0; c < p; c++) V[i * p + c] *= stretch;
    }
    for (int64_t i = 0; l->column && i < count; i++) /* a column may be listed more than once */
        for (int64_t c = 0; c < p; c++) W[i * columns + l->column[c]] += V[i * p + c];
    for (int64_t i = 0; i < count * columns; i++) *within &= fabs(W[i]) <= RK_MAX_ABS;
done:
    rk_scratch_release(env, mark);
    return status;
}

/* ---- build ----------------------------------------------------------------------------------------------------- */

/* The parts of the features, and how many vectors they need. */
static rkhs_status plan(rk_gram *g, const leaves *l, int64_t *vectors) {
    rkhs_status status = RKHS_OK;
    const random_features *o = g->spec->self;
    rk_features *f = g->features;
    int64_t random = 0;
    for (int64_t i = 0; i < l->count; i++) random += l->leaf[i].kernel->type->random != RK_RANDOM_NONE;
    TRY(rk_alloc(g->env, l->count, sizeof *f->part, &f->part));
    f->parts = l->count;
    *vectors = 0;
    for (int64_t i = 0; i < l->count; i++) {
        const leaf *at = &l->leaf[i];
        rk_random_kind kind = at->kernel->type->random;
        rk_feature_part *part = &f->part[i];
        int64_t share = kind ? rk_max(o->count / random, 2) : 0;
        part->kind = kind == RK_RANDOM_NONE ? RK_PART_LINEAR : kind == RK_RANDOM_RELU ? RK_PART_RELU : RK_PART_WAVES;
        part->count = part->kind == RK_PART_LINEAR  ? (at->column ? at->columns : g->x->columns)
                      : part->kind == RK_PART_WAVES ? share / 2
                                                    : share;
        part->scale = sqrt(at->weight *
                           (part->kind == RK_PART_LINEAR ? 1
                            : part->kind == RK_PART_RELU ? 2
                                                         : 1) /
                           (part->kind == RK_PART_LINEAR ? 1 : (double)part->count));
        *vectors += part->count;
    }
done:
    return status;
}

/* Refuses vectors that do not fit: all of them, those of a leaf with columns of its own, and their products. */
static rkhs_status require_memory(const rk_gram *g, const leaves *l, int64_t vectors) {
    char what[128];
    double more = 0, columns = (double)g->x->columns;
    for (int64_t i = 0; i < l->count; i++) {
        const leaf *at = &l->leaf[i];
        double count = (double)g->features->part[i].count, own = at->column ? (double)at->columns : 0;
        double products = at->kernel->type->random ? fmin(count, at->column ? own : columns) : 0;
        more = fmax(more, count * own + products * products);
    }
    snprintf(what, sizeof what, "gram=features with %s of %s", rk_counted(vectors, "random vector").text,
             rk_counted(g->x->columns, "column").text);
    return rk_set_subject(g->env, "gram",
                          rk_require_memory(g->env, 8.0 * ((double)vectors * columns + more), what,
                                            "choose fewer features, use gram=nystrom, or raise the memory limit"));
}

/* Features of a file: their parts are those of the kernel. */
static rkhs_status check_features(rkhs_env *env, const rk_features *f, const rk_spec *spec, const rkhs_kernel *kernel,
                                  const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_features planned = {0};
    rk_gram g = {.env = env, .spec = spec, .kernel = kernel, .x = x, .features = &planned};
    leaves l = {.g = &g};
    int64_t vectors;
    TRY(add_leaves(&l, kernel, &(leaf){.weight = 1}));
    TRY(plan(&g, &l, &vectors));
    int fits = planned.parts == f->parts;
    for (int64_t i = 0; fits && i < f->parts; i++) {
        const rk_feature_part *a = &f->part[i], *b = &planned.part[i];
        fits = a->kind == b->kind && a->count == b->count && fabs(a->scale - b->scale) <= 1e-9 * b->scale;
    }
    if (!fits)
        FAIL(env, RKHS_ERR_FORMAT, "its %s are not those that its gram makes of its kernel",
             rk_counted(f->width, "random feature").text);
done:
    rk_free(env, planned.part);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status build_features(rk_gram *g) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_mark mark = rk_scratch_mark(env);
    const random_features *o = g->spec->self;
    leaves l = {.g = g};
    int64_t vectors, row = 0, p = g->x->columns;
    int within;
    double *W;
    rk_features *f;
    if (!(g->x->type->kind & RK_KIND_VECTORS))
        TRY(rk_set_subject(env, "gram",
                           rk_fail(env, RKHS_ERR_SPEC,
                                   "gram=features is for vectors of numbers, and these are %s data: use "
                                   "gram=nystrom",
                                   g->x->type->entry.name)));
    TRY(add_leaves(&l, g->kernel, &(leaf){.weight = 1}));
    TRY(rk_alloc(env, 1, sizeof *f, &f));
    g->features = f;
    TRY(plan(g, &l, &vectors));
    TRY(require_memory(g, &l, vectors));
    TRY(rk_data_dense_new(env, vectors, p, &W, &f->objects));
    for (int64_t i = 0; i < l.count; row += f->part[i++].count) {
        TRY(draw(env, &l.leaf[i], o->orthogonal, row, f->part[i].count, p, W + row * p, &within));
        if (!within) TRY(refuse(g, "random vectors beyond 1e150 come of", l.leaf[i].kernel));
    }
    TRY(rk_gram_finish_features(g));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
const rk_gram_type rk_gram_features = {
    .entry = {.name = "features",
              .brief = "random features of kernels on vectors, dense or sparse, or bits (rbf, laplacian, matern, rq, cauchy, relu, linear, and sums of these)",
              .formula = "Phi Phi', Phi = sqrt(1/F) (cos w'x, sin w'x) for F random vectors w",
              .where = "the distribution of w depends on the kernel; m = 2 F features",
              .cost = "2 n m p flops and n m^2", .params = params, .size = sizeof(random_features)},
    .offers = RK_FEATURES, .build = build_features, .check = check_features,
};
/* clang-format on */
