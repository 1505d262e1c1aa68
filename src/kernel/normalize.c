/* normalize.c: normalize(k) = k(x,y) / sqrt(k(x,x) k(y,y)), the cosine of the angle in the feature space of k.
 *
 * Objects with k(x,x) = 0 lie at the origin and have no direction. They get one of their own: 1 with each other, 0
 * with all others. So values depend on the two objects alone, and the Gram stays positive semi-definite. */
#include "kernel/kernel.h"

typedef struct lengths {
    int clip;         /* k is positive semi-definite: values beyond 1 are rounding */
    double inverse[]; /* 1 / sqrt(k(x,x)) of each object; 0 if k(x,x) is 0 */
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

/* Replaces k(x,x) by 1 / sqrt(k(x,x)). A value below 0 is rounding if k is positive semi-definite, else refused. */
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
    TRY(rk_alloc(env, 1, sizeof *side + (size_t)b->x->rows * sizeof *side->inverse, &side));
    b->side = side;
    d.out = side->inverse;
    TRY(rk_work_new(env, d.of, d.of, &d.work));
    TRY(rk_kernel_parallel(env, "normalize", d.of->kernel, (b->x->rows + RK_TILE - 1) / RK_TILE, diag_tile, &d));
    side->clip = rk_kernel_all_have(b->kernel, RK_PSD);
    TRY(take_inverses(env, b, side));
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status block_normalize(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   double *out, int64_t ld, rk_work work) {
    const lengths *la = a->side, *lb = b->side;
    rkhs_status status = rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
    double limit = la->clip ? 1 : INFINITY;
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, s = la->inverse[i0 + i];
        const double *t = lb->inverse + j0;
        for (int64_t j = 0; j < nj; j++) {
            double v = row[j] * s * t[j];
            row[j] = v > limit ? limit : v < -limit ? -limit : v;
        }
        for (int64_t j = 0; s == 0 && j < nj; j++) row[j] = t[j] == 0;
    }
    return status;
}

/* clang-format off */
const rk_kernel_type rk_kernel_normalize = {
    .entry = {.name = "normalize",
              .brief = "k after every object is scaled to length 1 in feature space; objects with k(x,x) = 0: 1 with each other, else 0",
              .formula = "normalize(k) = k(x,y) / sqrt(k(x,x) k(y,y))", .cost = "the inner kernel"},
    .kinds = RK_KIND_ALL_BUT_GRAM, .flags = RK_PSD | RK_SCALE_FREE, .children = 1, .prepare = prepare_normalize,
    .block = block_normalize, .diag = rk_diag_ones,
};
/* clang-format on */
