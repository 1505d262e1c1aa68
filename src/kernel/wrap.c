/* wrap.c: kernels around another kernel k, seen from the feature space of k: x stands at the point f(x), k(x,y) = <f(x),f(y)>.
 *
 *     normalize(k)   <f(x), f(y)> / (|f(x)| |f(y)|): the angle.
 *     center(k)      <f(x) - m, f(y) - m>, m the mean of f over the reference objects r_1 .. r_n:
 *                    k(x,y) - mean_j k(x,r_j) - mean_j k(y,r_j) + mean_jl k(r_j,r_l)
 *
 * All objects with k(x,x) = 0 stand at the origin and have no direction; normalize gives them one of their own: 1 with each
 * other, 0 with the rest. So values depend on the two objects alone, and the Gram stays positive semi-definite.
 * The reference is what was bound first: the objects that a model keeps, the first data set of rkhs_kernel_gram. */
#include "kernel/kernel.h"

/* New rows of a precomputed Gram do not say how like an object is to itself; kept ones not even how like they are. */
#define ALL_BUT_GRAM (~(unsigned)RK_KIND_GRAM)

/* ---- normalize ----------------------------------------------------------------------------------------------------- */

typedef struct lengths {
    double *inverse; /* 1 / sqrt(k(x,x)) of each object; 0 where that is infinite */
    int clip;        /* k is positive semi-definite: what passes 1 is rounding */
} lengths;

typedef struct diag_loop {
    const rk_bound *of;
    double *out;
    rk_work *work;
} diag_loop;

static rkhs_status diag_tile(void *context, int64_t tile, int worker) {
    diag_loop *d = context;
    int64_t i0 = tile * RK_TILE;
    return rk_diag_of(d->of, i0, rk_min(RK_TILE, d->of->x->rows - i0), d->out + i0, d->work[worker]);
}

/* From k(x,x). Below 0 there is nothing but rounding, if k is positive semi-definite. */
static rkhs_status take_inverses(rkhs_env *env, const rk_bound *b, lengths *side) {
    for (int64_t i = 0; i < b->x->rows; i++) {
        double v = side->inverse[i];
        if (!isfinite(v) || (v < 0 && !side->clip))
            return rk_fail(env, RKHS_ERR_NUMERIC,
                           "normalize: k(x,x) is %.9g for row %lld (counted from 1): it must be 0 or more: choose another "
                           "kernel, or bring the columns to a smaller scale",
                           v, (long long)i + 1);
        side->inverse[i] = v > 0 ? 1 / sqrt(v) : 0;
    }
    return RKHS_OK;
}

static rkhs_status prepare_normalize(rkhs_env *env, rk_bound *b) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    lengths *side;
    diag_loop d = {.of = b->child[0]};
    TRY(rk_alloc(env, 1, sizeof *side, &side));
    b->side = side;
    TRY(rk_alloc(env, b->x->rows, sizeof *side->inverse, &side->inverse));
    d.out = side->inverse;
    TRY(rk_work_new(env, d.of, d.of, &d.work));
    TRY(rk_kernel_parallel(env, "normalize", d.of->kernel, (b->x->rows + RK_TILE - 1) / RK_TILE, diag_tile, &d));
    side->clip = rk_kernel_has(b->kernel, RK_PSD);
    TRY(take_inverses(env, b, side));
done:
    rk_scratch_release(env, mark);
    return status;
}

static void release_normalize(rkhs_env *env, rk_bound *b) {
    rk_free(env, ((lengths *)b->side)->inverse);
    rk_free(env, b->side);
}

static rkhs_status block_normalize(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   double *out, int64_t ld, rk_work work) {
    const lengths *la = a->side, *lb = b->side;
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    double most = la->clip ? 1 : INFINITY;
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, s = la->inverse[i0 + i];
        const double *t = lb->inverse + j0;
        for (int64_t j = 0; j < nj; j++) {
            double v = row[j] * s * t[j];
            row[j] = v > most ? most : v < -most ? -most : v;
        }
        for (int64_t j = 0; s == 0 && j < nj; j++) row[j] = t[j] == 0;
    }
    return status;
}

const rk_kernel_type rk_kernel_normalize = {
    .entry = {.name = "normalize",
              .brief = "k of objects brought to the same length; objects with k(x,x) = 0: 1 with each other, else 0",
              .formula = "normalize(k) = k(x,y) / sqrt(k(x,x) k(y,y))",
              .cost = "its part"},
    .kinds = ALL_BUT_GRAM,
    .flags = RK_PSD | RK_SCALE_FREE,
    .children = 1,
    .prepare = prepare_normalize,
    .release = release_normalize,
    .block = block_normalize,
    .diag = rk_diag_ones,
};

/* ---- center -------------------------------------------------------------------------------------------------------- */

typedef struct means {
    double *row; /* mean_j k(x,r_j) of each object */
    double all;  /* mean_jl k(r_j,r_l) */
} means;

typedef struct mean_loop {
    const rk_bound *rows, *reference;
    double *out, *tiles;
    rk_work *work;
} mean_loop;

/* A tile of objects against all of the reference, in order. */
static rkhs_status mean_tile(void *context, int64_t tile, int worker) {
    mean_loop *m = context;
    int64_t i0 = tile * RK_TILE, ni = rk_min(RK_TILE, m->rows->x->rows - i0), n = m->reference->x->rows;
    double *K = m->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0);
        rkhs_status status = rk_block_of(m->rows, i0, ni, m->reference, j0, nj, K, RK_TILE, m->work[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; i < ni; i++) {
            double sum = 0;
            for (int64_t j = 0; j < nj; j++) sum += K[i * RK_TILE + j];
            m->out[i0 + i] += sum / (double)n;
        }
    }
    return RKHS_OK;
}

static rkhs_status prepare_center(rkhs_env *env, rk_bound *b) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_bound *root = b;
    means *side;
    while (root->reference) root = root->reference;
    mean_loop m = {.rows = b->child[0], .reference = root->child[0]};
    TRY(rk_alloc(env, 1, sizeof *side, &side));
    b->side = side;
    TRY(rk_alloc(env, b->x->rows, sizeof *side->row, &side->row));
    m.out = side->row;
    TRY(rk_work_new(env, m.rows, m.reference, &m.work));
    TRY(rk_scratch(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *m.tiles, &m.tiles));
    TRY(rk_kernel_parallel(env, "center", b->kernel, (b->x->rows + RK_TILE - 1) / RK_TILE, mean_tile, &m));
    if (root == b)
        for (int64_t i = 0; i < b->x->rows; i++) side->all += side->row[i] / (double)b->x->rows;
    else
        side->all = ((const means *)root->side)->all;
done:
    rk_scratch_release(env, mark);
    return status;
}

static void release_center(rkhs_env *env, rk_bound *b) {
    rk_free(env, ((means *)b->side)->row);
    rk_free(env, b->side);
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

const rk_kernel_type rk_kernel_center = {
    .entry = {.name = "center",
              .brief = "k about its mean m over the objects r that the model keeps",
              .formula = "center(k) = k(x,y) - m(x) - m(y) + mean m(r),  m(x) = mean k(x,r)",
              .cost = "its part three times"},
    .kinds = ALL_BUT_GRAM,
    .flags = RK_PSD | RK_SCALE_FREE | RK_REFERENCE,
    .children = 1,
    .prepare = prepare_center,
    .release = release_center,
    .block = block_center,
    .diag_parts = diag_center,
};
