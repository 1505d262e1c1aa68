/* center.c: center(k), the kernel k centred in feature space on the mean of the reference objects r_1 .. r_n.
 *
 *     k(x,y) - mean_j k(x,r_j) - mean_j k(y,r_j) + mean_jl k(r_j,r_l) = <f(x) - m, f(y) - m>,   m = mean_j f(r_j)
 *
 * f are the features of k. The reference are the objects bound first: the training objects or landmarks that a model
 * keeps, or the first data set of rkhs_kernel_gram. */
#include "kernel/kernel.h"

typedef struct means {
    double all;   /* mean_jl k(r_j,r_l) */
    double row[]; /* mean_j k(x,r_j) of each object */
} means;

typedef struct mean_loop {
    const rk_bound *rows, *reference;
    double *out, *tiles, *levels; /* levels: workers x depth x RK_TILE, for sums over tiles of the reference */
    int64_t depth;
    rk_work *work;
} mean_loop;

/* The means of a tile of objects over the whole reference. */
static rkhs_status mean_tile(void *context, int64_t tile, int worker) {
    mean_loop *m = context;
    int64_t i0 = tile * RK_TILE, ni = rk_min(RK_TILE, m->rows->x->rows - i0), n = m->reference->x->rows;
    double *K = m->tiles + (int64_t)worker * RK_TILE * RK_TILE, *levels = m->levels + worker * m->depth * RK_TILE;
    double sums[RK_TILE];
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0);
        rkhs_status status = rk_block_of(m->rows, i0, ni, m->reference, j0, nj, K, RK_TILE, m->work[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; i < ni; i++) {
            sums[i] = 0;
            for (int64_t j = 0; j < nj; j++) sums[i] += K[i * RK_TILE + j];
        }
        rk_tree_push(j0 / RK_TILE, ni, levels, sums);
    }
    rk_tree_fold((n + RK_TILE - 1) / RK_TILE, ni, levels, m->out + i0);
    for (int64_t i = i0; i < i0 + ni; i++) m->out[i] /= (double)n;
    return RKHS_OK;
}

static rkhs_status prepare_center(rkhs_env *env, rk_bound *b) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_bound *root = b;
    means *side;
    while (root->reference) root = root->reference;
    mean_loop m = {.rows = b->child[0], .reference = root->child[0]};
    TRY(rk_alloc(env, 1, sizeof *side + (size_t)b->x->rows * sizeof *side->row, &side));
    b->side = side;
    m.out = side->row;
    TRY(rk_work_new(env, m.rows, m.reference, &m.work));
    TRY(rk_scratch(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *m.tiles, &m.tiles));
    m.depth = rk_tree_levels((m.reference->x->rows + RK_TILE - 1) / RK_TILE);
    TRY(rk_scratch(env, rk_workers(env) * m.depth * RK_TILE, sizeof *m.levels, &m.levels));
    TRY(rk_kernel_parallel(env, "center", b->kernel, (b->x->rows + RK_TILE - 1) / RK_TILE, mean_tile, &m));
    side->all = root == b ? rk_rows_sum(b->x->rows, 1, side->row) / (double)b->x->rows : ((const means *)root->side)->all;
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status block_center(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    const means *ma = a->side, *mb = b->side;
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, mean = ma->row[i0 + i];
        for (int64_t j = 0; j < nj; j++) row[j] = row[j] - (mean + mb->row[j0 + j]) + ma->all;
    }
    return status;
}

static rkhs_status diag_center(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const means *m = a->side;
    rkhs_status status = rk_diag_of(a->child[0], i0, ni, out, work);
    for (int64_t i = 0; i < ni; i++) out[i] = out[i] - (m->row[i0 + i] + m->row[i0 + i]) + m->all;
    return status;
}

/* clang-format off */
const rk_kernel_type rk_kernel_center = {
    .entry = {.name = "center", .brief = "k after the mean of the objects in feature space is moved to 0",
              .formula = "center(k) = k(x,y) - m(x) - m(y) + mean m(r), m(x) = mean k(x,r)",
              .where = "means are over r: the training objects, or the landmarks where a model has some",
              .cost = "the inner kernel three times"},
    .kinds = RK_KIND_ALL_BUT_GRAM, .flags = RK_PSD | RK_SCALE_FREE | RK_REFERENCE, .children = 1,
    .prepare = prepare_center, .block = block_center, .diag_from_children = diag_center,
};
/* clang-format on */
