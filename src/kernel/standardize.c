/* standardize.c: standardize(k), a kernel on columns scaled to (x - mean) / deviation.
 *
 * Mean and deviation are those of the data that the kernel was frozen on, and part of its text: new objects are moved
 * and scaled as the training objects were. */
#include "kernel/kernel.h"

typedef struct standard {
    rk_reals mean, deviation; /* one for each column, once frozen */
} standard;

/* clang-format off */
static const rk_param standard_params[] = {
    {.name = "mean", .kind = RK_REALS, .offset = offsetof(standard, mean),
     .brief = "mean of each column; not set: that of the training objects"},
    {.name = "deviation", .kind = RK_REALS, .offset = offsetof(standard, deviation), .max = 1e300, .min_excluded = 1,
     .brief = "standard deviation of each column (divided by n, not n - 1); 1 where the column is constant; not set: that of the training objects"},
    {.name = NULL},
};
/* clang-format on */

static rkhs_status check_standard(rkhs_env *env, const void *self) {
    const standard *s = self;
    if (!s->mean.values == !s->deviation.values && s->mean.count == s->deviation.count) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_SPEC, "standardize: %s and %s: give one of each for every column, or none",
                   rk_counted(s->mean.count, "mean").text, rk_counted(s->deviation.count, "deviation").text);
}

/* Statistics of each column. Values are relative to the minimum, in units of the range: no square overflows. */
typedef struct figures {
    double *low, *range, *mean, *squares;
} figures;

/* One of three passes over the rows: the range, the sum, the squares about the mean. The last two fill `out`. */
static rkhs_status pass_over(rkhs_env *env, const rkhs_data *x, int pass, const figures *f, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_dense *d = x->self;
    int64_t p = x->columns;
    rk_block_sum sums;
    double *room;
    TRY(rk_block_sum_new(env, x->rows, p, &sums));
    TRY(rk_scratch(env, d->values ? 0 : p, sizeof *room, &room));
    for (int64_t i = 0; i < x->rows; i++) {
        const double *row = rk_dense_row(d, i, 0, p, room);
        for (int64_t c = 0; pass == 0 && c < p; c++) {
            f->low[c] = i && f->low[c] < row[c] ? f->low[c] : row[c];
            f->range[c] = i && f->range[c] > row[c] ? f->range[c] : row[c];
        }
        for (int64_t c = 0; pass == 1 && c < p; c++) sums.tile[c] += (row[c] - f->low[c]) / f->range[c];
        for (int64_t c = 0; pass == 2 && c < p; c++) {
            double u = (row[c] - f->low[c]) / f->range[c] - f->mean[c];
            sums.tile[c] += u * u;
        }
        rk_next_row(&sums);
        TRY(rk_progress(env, NULL, 0, 0));
    }
    if (pass) rk_block_total(&sums, out);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Mean and population standard deviation; of a constant column, that constant and 1. */
static rkhs_status freeze_standard(rkhs_env *env, void *self, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    standard *s = self;
    rk_mark mark = rk_scratch_mark(env);
    int64_t p = x->columns;
    figures f;
    if (s->mean.values) return RKHS_OK;
    TRY(rk_scratch(env, p, sizeof *f.low, &f.low));
    TRY(rk_scratch(env, p, sizeof *f.range, &f.range));
    TRY(rk_alloc(env, p, sizeof *f.mean, &s->mean.values));
    TRY(rk_alloc(env, p, sizeof *f.squares, &s->deviation.values));
    s->mean.count = s->deviation.count = p;
    f.mean = s->mean.values;
    f.squares = s->deviation.values;
    TRY(pass_over(env, x, 0, &f, NULL));
    for (int64_t c = 0; c < p; c++) f.range[c] = f.range[c] > f.low[c] ? f.range[c] - f.low[c] : 1;
    TRY(pass_over(env, x, 1, &f, f.mean));
    for (int64_t c = 0; c < p; c++) f.mean[c] /= (double)x->rows;
    TRY(pass_over(env, x, 2, &f, f.squares));
    for (int64_t c = 0; c < p; c++) {
        s->mean.values[c] = f.low[c] + f.range[c] * f.mean[c];
        double deviation = f.range[c] * sqrt(f.squares[c] / (double)x->rows);
        s->deviation.values[c] = f.squares[c] > 0 ? fmax(deviation, 5e-324) : 1; /* an underflow is not 0 */
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status view_standard(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **view) {
    rkhs_status status = RKHS_OK;
    const standard *s = self;
    const rk_dense *d = x->self;
    rkhs_data *y = NULL;
    int64_t p = x->columns;
    double *to;
    if (s->mean.count != p)
        FAIL(env, RKHS_ERR_DATA,
             "standardize has the mean of %s, but the data have %lld: give such data, or leave out mean and deviation",
             rk_counted(s->mean.count, "column").text, (long long)p);
    TRY(rk_data_dense_new(env, x->rows, p, &to, &y));
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t c = 0; c < p; c++) to[i * p + c] = (rk_dense_at(d, i, c) - s->mean.values[c]) / s->deviation.values[c];
    TRY(rk_dense_check(env, "standardised data", to, x->rows, p, p));
    if (rk_images(x)) TRY(rk_image_from_dense(env, &y, rk_images(x)->h, rk_images(x)->w, rk_images(x)->c));
    *view = y;
    y = NULL;
done:
    rkhs_data_free(y);
    return status;
}

/* clang-format off */
const rk_kernel_type rk_kernel_standardize = {
    .entry = {.name = "standardize",
              .brief = "k after every column is scaled to mean 0 and standard deviation 1, as measured on the training objects",
              .formula = "standardize(k) = k((x - mean) / deviation, (y - mean) / deviation)",
              .cost = "the inner kernel, and a copy of the data", .params = standard_params, .size = sizeof(standard)},
    .kinds = RK_KIND_DENSE, .flags = RK_PSD | RK_SCALE_FREE, .children = 1, .check = check_standard,
    .freeze = freeze_standard, .view = view_standard, .block = rk_child_block, .diag_from_children = rk_child_diag,
};
/* clang-format on */
