/* alignment.c: the scores cka and hsic, the similarity of two Gram matrices, one of the objects and one of the
 * embedding.
 *
 *     hsic   <HKH, HLH> / (n-1)^2              H = I - 11'/n centres
 *     cka    <HKH, HLH> / (|HKH| |HLH|)
 *
 * K is the n x n Gram matrix of the objects (the caller's kernel, or linear), L that of the embedding
 * (`embedding_kernel`). With k_i the sum of row i of K and k the sum of all of K, and l_i, l those of L, <HKH, HLH> =
 * sum K_ij L_ij - (2/n) sum_i k_i l_i + kl/n^2. So one pass over tiles of both is enough, and neither is stored.
 * Gretton et al. 2005; Cortes, Mohri, Rostamizadeh 2012. */
#include "score/score.h"

typedef struct align {
    rk_spec *embedding_kernel;
} align;

typedef struct align_loop {
    const rk_bound *x, *z;
    rk_work *work_x, *work_z;
    double *tiles;           /* workers x 2 x RK_TILE x RK_TILE */
    double *row_x, *row_z;   /* row sums of K and L, n each */
    double *xx, *zz, *cross; /* sums of K_ij^2, L_ij^2, K_ij L_ij, one for each strip of rows */
} align_loop;

/* A strip of rows against all columns. */
static rkhs_status align_tile(void *context, int64_t tile, int worker) {
    align_loop *a = context;
    int64_t n = a->x->x->rows, i0 = tile * RK_TILE, ni = rk_min(RK_TILE, n - i0);
    double *K = a->tiles + (int64_t)worker * 2 * RK_TILE * RK_TILE, *L = K + RK_TILE * RK_TILE;
    double xx = 0, zz = 0, cross = 0;
    for (int64_t i = 0; i < ni; i++) a->row_x[i0 + i] = a->row_z[i0 + i] = 0;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0);
        rkhs_status status = rk_block_of(a->x, i0, ni, a->x, j0, nj, K, RK_TILE, a->work_x[worker]);
        if (status == RKHS_OK) status = rk_block_of(a->z, i0, ni, a->z, j0, nj, L, RK_TILE, a->work_z[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++) {
                double k = K[i * RK_TILE + j], l = L[i * RK_TILE + j];
                a->row_x[i0 + i] += k;
                a->row_z[i0 + i] += l;
                xx += k * k, zz += l * l, cross += k * l;
            }
    }
    a->xx[tile] = xx, a->zz[tile] = zz, a->cross[tile] = cross;
    return RKHS_OK;
}

/* <HAH, HBH> from the sum of A_ij B_ij and the row sums of A and B. */
static double centred(double products, const double *a, const double *b, int64_t n) {
    double both = rk_rows_dot(n, 1, a, b), all_a = rk_rows_sum(n, 1, a), all_b = rk_rows_sum(n, 1, b), m = (double)n;
    return products - 2 * both / m + all_a / m * (all_b / m);
}

/* A kernel bound to data, and what it owns. */
typedef struct side {
    rkhs_kernel *kernel;
    rkhs_data *view;
    rk_bound *bound;
} side;

static rkhs_status make_side(rkhs_env *env, const rkhs_data *x, const rkhs_kernel *given, const rk_spec *spec, side *s) {
    rkhs_status status = RKHS_OK;
    rk_text text = {.env = env};
    const rkhs_data *use;
    if (spec) TRY(rk_spec_text(spec, &text));
    TRY(given ? rk_kernel_copy(given, &s->kernel) : rk_kernel_new(env, spec ? text.s : "linear", &s->kernel));
    TRY(rk_kernel_coerce(s->kernel, x, NULL, &use, &s->view));
    TRY(rk_kernel_freeze(s->kernel, use));
    TRY(rk_bind(env, s->kernel, use, NULL, &s->bound));
done:
    rk_free(env, text.s);
    return status;
}

static void free_side(rkhs_env *env, side *s) {
    rk_unbind(env, s->bound);
    rkhs_data_free(s->view);
    rkhs_kernel_free(s->kernel);
}

extern const rk_score_type rk_score_cka;

static rkhs_status score_align(rkhs_env *env, const rkhs_score_input *w, rk_score_item *item) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    side x = {0}, z = {0};
    align_loop a = {0};
    int64_t n = w->z->rows, strips = (n + RK_TILE - 1) / RK_TILE;
    double xx, zz, cross;
    if (n < 2) FAIL(env, RKHS_ERR_DATA, "%s: one row is not enough", item->type->entry.name);
    TRY(make_side(env, w->x, w->kernel, NULL, &x));
    TRY(make_side(env, w->z, NULL, ((const align *)item->self)->embedding_kernel, &z));
    a.x = x.bound, a.z = z.bound;
    TRY(rk_work_new(env, a.x, a.x, &a.work_x));
    TRY(rk_work_new(env, a.z, a.z, &a.work_z));
    TRY(rk_scratch(env, (int64_t)rk_workers(env) * 2 * RK_TILE * RK_TILE, sizeof *a.tiles, &a.tiles));
    TRY(rk_scratch(env, n, sizeof *a.row_x, &a.row_x));
    TRY(rk_scratch(env, n, sizeof *a.row_z, &a.row_z));
    TRY(rk_scratch(env, strips, sizeof *a.xx, &a.xx));
    TRY(rk_scratch(env, strips, sizeof *a.zz, &a.zz));
    TRY(rk_scratch(env, strips, sizeof *a.cross, &a.cross));
    TRY(rk_parallel(env, "score", strips, align_tile, &a));
    xx = rk_tree_sum(strips, 1, a.xx);
    zz = rk_tree_sum(strips, 1, a.zz);
    cross = centred(rk_tree_sum(strips, 1, a.cross), a.row_x, a.row_z, n);
    if (item->type == &rk_score_cka) {
        double size = centred(xx, a.row_x, a.row_x, n) * centred(zz, a.row_z, a.row_z, n);
        if (!(size > 0))
            FAIL(env, RKHS_ERR_DATA, "cka: all objects, or all rows of the embedding, are equal: there is nothing to compare");
        item->value = cross / sqrt(size);
    } else {
        item->value = cross / ((double)(n - 1) * (double)(n - 1));
    }
done:
    free_side(env, &z);
    free_side(env, &x);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status family_align(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    for (int i = 0; i < count && status == RKHS_OK; i++) status = score_align(env, w, &items[i]);
    return status;
}

static const rk_param params[] = {
    {.name = "embedding_kernel",
     .aliases = "latent",
     .kind = RK_SPEC,
     .offset = offsetof(align, embedding_kernel),
     .value = "linear",
     .list = &rk_kernels,
     .brief = "kernel of the embedding"},
    {.name = NULL},
};

#define WHERE                                                                                                                  \
    "K, L: the Gram matrices of the objects and of the embedding; H = I - 11'/n: subtracts the mean; <A, B>: the sum of "      \
    "the products of the entries; |A|: the root of <A, A>"

/* clang-format off */
const rk_score_type rk_score_cka = {
    .entry = {.name = "cka",
              .brief = "centred kernel alignment: similarity of the Gram matrices of objects and embedding; 1 is best",
              .formula = "<HKH, HLH> / (|HKH| |HLH|)", .where = WHERE, .cost = "n^2 (p + dim)", .params = params, .size = sizeof(align)},
    .needs = RK_NEEDS_X, .family = family_align,
};

const rk_score_type rk_score_hsic = {
    .entry = {.name = "hsic",
              .brief = "Hilbert-Schmidt independence criterion: dependence of the embedding on the objects; 0: none",
              .formula = "<HKH, HLH> / (n-1)^2", .where = WHERE, .cost = "n^2 (p + dim)", .params = params, .size = sizeof(align)},
    .needs = RK_NEEDS_X, .family = family_align,
};
/* clang-format on */
