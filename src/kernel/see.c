/* see.c: kernels on other columns than the data have: k[0,4:7] on some of them, standardize(k) on each as (x - mean) /
 * deviation.
 *
 * Both bind the kernel inside to what it is to see, so that its rules (sigma=median) look at that too. A range of dense columns
 * is seen where it lies; other groups are copied. Mean and deviation are those of the data that the kernel was frozen on, and
 * stand in its text: new objects are moved and scaled as the training objects were, never by themselves. */
#include "kernel/kernel.h"

#include <string.h>

/* Everything but the data is that of the kernel inside. */
static rkhs_status block_inside(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    return rk_block_of(a->child[0], i0, ni, b->child[0], j0, nj, out, ld, work);
}

static rkhs_status diag_inside(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    return rk_diag_of(a->child[0], i0, ni, out, work);
}

/* ---- columns ------------------------------------------------------------------------------------------------------- */

typedef struct columns {
    char *list; /* "[0,4:7]" */
} columns;

static const rk_param columns_params[] = {
    {.name = "list",
     .kind = RK_LIST,
     .offset = offsetof(columns, list),
     .value = "[0]",
     .brief = "columns counted from 0, and ranges from:to without the last, in any order, also again"},
    {.name = NULL},
};

/* A range [from, to) of columns. */
typedef struct run {
    int64_t from, to;
} run;

/* The next run of a list: neighbouring parts are one. 0 at the end, or at a part that is no range. */
static int next_run(const char **at, run *r) {
    if (!rk_indices_next(at, &r->from, &r->to)) return 0;
    run more;
    for (const char *ahead = *at; rk_indices_next(&ahead, &more.from, &more.to) && more.from == r->to; *at = ahead)
        r->to = more.to;
    return 1;
}

static rkhs_status check_columns(rkhs_env *env, const void *self) {
    const char *list = ((const columns *)self)->list, *at = list + 1;
    int64_t total = 0;
    int good = 1;
    for (run r; good && next_run(&at, &r); good = r.to <= INT32_MAX && (total += r.to - r.from) <= INT32_MAX) {
    }
    if (good && !*at) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_SPEC,
                   "columns %.60s: parts are numbers and ranges that ascend, at most %d columns, as in [0,4:7]", list,
                   INT32_MAX);
}

/* The columns that a list asks for, of those that there are, as runs on the scratch list. */
typedef struct group {
    run *runs;
    int64_t count, columns;
} group;

static rkhs_status take_group(rkhs_env *env, const char *list, int64_t there, group *g) {
    *g = (group){0};
    for (int fill = 0; fill < 2; fill++) {
        const char *at = list + 1;
        g->columns = g->count = 0;
        for (run r; next_run(&at, &r); g->columns += r.to - r.from, g->count++) {
            if (r.to > there)
                return rk_fail(env, RKHS_ERR_DATA,
                               "the columns %.40s of a kernel reach column %lld, but there are %lld, counted from 0: name "
                               "columns below %lld",
                               list, (long long)(r.to - 1), (long long)there, (long long)there);
            if (fill) g->runs[g->count] = r;
        }
        rkhs_status status = fill ? RKHS_OK : rk_scratch(env, g->count, sizeof *g->runs, &g->runs);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Dense columns side by side. */
static rkhs_status copy_dense(rkhs_env *env, const group *g, const rkhs_data *x, rkhs_data **seen) {
    const rk_dense *from = x->self;
    double *to;
    rkhs_status status = rk_data_dense_new(env, x->rows, g->columns, &to, seen);
    for (int64_t i = 0; status == RKHS_OK && i < x->rows; i++)
        for (int64_t r = 0; r < g->count; r++) {
            int64_t length = g->runs[r].to - g->runs[r].from;
            memcpy(to, from->values + i * from->ld + g->runs[r].from, (size_t)length * sizeof *to);
            to += length;
        }
    return status;
}

/* The first number of a sparse row at or past a column. */
static int64_t first_at(const rk_sparse *s, int64_t i, int64_t column) {
    int64_t low = s->starts[i], high = s->starts[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (s->columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sparse columns: the runs of each row one after the other, so that new columns ascend whatever the list's order. Counted
 * first, then copied. */
static rkhs_status copy_sparse(rkhs_env *env, const group *g, const rkhs_data *x, rkhs_data **seen) {
    rkhs_status status = RKHS_OK;
    const rk_sparse *s = x->self;
    rkhs_data *y = NULL;
    int64_t nonzeros = 0, *starts;
    double *values;
    int32_t *cols;
    for (int fill = 0; fill < 2; fill++) {
        if (fill) TRY(rk_data_sparse_new(env, x->rows, g->columns, nonzeros, &values, &cols, &starts, &y));
        nonzeros = 0;
        for (int64_t i = 0; i < x->rows; i++) {
            int64_t done = 0;
            for (const run *r = g->runs; r < g->runs + g->count; done += r->to - r->from, r++)
                for (int64_t q = first_at(s, i, r->from); q < s->starts[i + 1] && s->columns[q] < r->to; q++, nonzeros++)
                    if (fill) values[nonzeros] = s->values[q], cols[nonzeros] = (int32_t)(done + s->columns[q] - r->from);
            if (fill) starts[i + 1] = nonzeros;
            TRY(rk_progress(env, NULL, 0, 0));
        }
    }
    *seen = y;
    y = NULL;
done:
    rkhs_data_free(y);
    return status;
}

/* One run of dense columns, where it lies. */
static rkhs_status view_dense(rkhs_env *env, const group *g, const rkhs_data *x, rkhs_data **seen) {
    const rk_dense *from = x->self;
    rkhs_status status = rk_data_new(env, &rk_data_dense, x->rows, g->columns, seen);
    if (status == RKHS_OK) *(rk_dense *)(*seen)->self = (rk_dense){.values = from->values + g->runs[0].from, .ld = from->ld};
    return status;
}

static rkhs_status see_columns(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **seen) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    group g;
    TRY(take_group(env, ((const columns *)self)->list, x->columns, &g));
    if (x->type == &rk_data_sparse)
        TRY(copy_sparse(env, &g, x, seen));
    else
        TRY(g.count == 1 ? view_dense(env, &g, x, seen) : copy_dense(env, &g, x, seen));
done:
    rk_scratch_release(env, mark);
    return status;
}

const rk_kernel_type rk_kernel_columns = {
    .entry = {.name = "columns",
              .brief = "k on some columns alone, counted from 0; a range leaves out its last",
              .formula = "k[0,4:7]",
              .cost = "its part",
              .params = columns_params,
              .size = sizeof(columns)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE,
    .flags = RK_PSD | RK_SCALE_FREE,
    .children = 1,
    .syntax = RK_SYNTAX_COLUMNS,
    .check = check_columns,
    .see = see_columns,
    .block = block_inside,
    .diag_parts = diag_inside,
};

/* ---- standardize --------------------------------------------------------------------------------------------------- */

typedef struct standard {
    rk_reals mean, deviation; /* one for each column, once frozen */
} standard;

static const rk_param standard_params[] = {
    {.name = "mean",
     .kind = RK_REALS,
     .offset = offsetof(standard, mean),
     .brief = "of each column; not set: of the training objects"},
    {.name = "deviation",
     .kind = RK_REALS,
     .offset = offsetof(standard, deviation),
     .max = 1e300,
     .open = 1,
     .brief = "of each column, by the number of objects; 1 where it is constant"},
    {.name = NULL},
};

static rkhs_status check_standard(rkhs_env *env, const void *self) {
    const standard *s = self;
    if (!s->mean.values == !s->deviation.values && s->mean.count == s->deviation.count) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_SPEC,
                   "standardize: %lld means and %lld deviations: give one of each for every column, or none",
                   (long long)s->mean.count, (long long)s->deviation.count);
}

/* Running figures of each column; values are taken from the lowest on and in units of the range, so that no square overflows or
 * is lost. */
typedef struct figures {
    double *low, *range, *sum, *squares;
} figures;

/* One of three passes over the rows: the range, the sum, the squares about the mean. */
static rkhs_status pass_over(rkhs_env *env, const rkhs_data *x, int pass, const figures *f) {
    const rk_dense *d = x->self;
    int64_t p = x->columns;
    for (int64_t i = 0; i < x->rows; i++) {
        const double *row = d->values + i * d->ld;
        for (int64_t c = 0; pass == 0 && c < p; c++) {
            f->low[c] = i && f->low[c] < row[c] ? f->low[c] : row[c];
            f->range[c] = i && f->range[c] > row[c] ? f->range[c] : row[c];
        }
        for (int64_t c = 0; pass == 1 && c < p; c++) f->sum[c] += (row[c] - f->low[c]) / f->range[c];
        for (int64_t c = 0; pass == 2 && c < p; c++) {
            double u = (row[c] - f->low[c]) / f->range[c] - f->sum[c];
            f->squares[c] += u * u;
        }
        rkhs_status status = rk_progress(env, NULL, 0, 0);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Mean and population deviation; of a constant column that constant and 1. */
static rkhs_status freeze_standard(rkhs_env *env, void *self, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    standard *s = self;
    rk_mark mark = rk_scratch_mark(env);
    int64_t p = x->columns;
    figures f;
    if (s->mean.values) return RKHS_OK;
    TRY(rk_scratch(env, p, sizeof *f.low, &f.low));
    TRY(rk_scratch(env, p, sizeof *f.range, &f.range));
    TRY(rk_alloc(env, p, sizeof *f.sum, &s->mean.values));
    TRY(rk_alloc(env, p, sizeof *f.squares, &s->deviation.values));
    s->mean.count = s->deviation.count = p;
    f.sum = s->mean.values;
    f.squares = s->deviation.values;
    TRY(pass_over(env, x, 0, &f));
    for (int64_t c = 0; c < p; c++) f.range[c] = f.range[c] > f.low[c] ? f.range[c] - f.low[c] : 1;
    TRY(pass_over(env, x, 1, &f));
    for (int64_t c = 0; c < p; c++) f.sum[c] /= (double)x->rows;
    TRY(pass_over(env, x, 2, &f));
    for (int64_t c = 0; c < p; c++) {
        s->mean.values[c] = f.low[c] + f.range[c] * f.sum[c];
        double deviation = f.range[c] * sqrt(f.squares[c] / (double)x->rows);
        s->deviation.values[c] = f.squares[c] > 0 ? fmax(deviation, 5e-324) : 1; /* next to nothing is not nothing */
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status see_standard(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **seen) {
    rkhs_status status = RKHS_OK;
    const standard *s = self;
    const rk_dense *d = x->self;
    rkhs_data *y = NULL;
    int64_t p = x->columns;
    double *to;
    if (s->mean.count != p)
        FAIL(
            env, RKHS_ERR_DATA,
            "standardize has the mean of %lld columns, but the data have %lld: give such data, or leave out mean and deviation",
            (long long)s->mean.count, (long long)p);
    TRY(rk_data_dense_new(env, x->rows, p, &to, &y));
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t c = 0; c < p; c++) to[i * p + c] = (d->values[i * d->ld + c] - s->mean.values[c]) / s->deviation.values[c];
    TRY(rk_dense_check(env, "standardised data", to, x->rows, p, p));
    if (rk_images(x)) TRY(rk_image_from(env, &y, rk_images(x)->h, rk_images(x)->w, rk_images(x)->c));
    *seen = y;
    y = NULL;
done:
    rkhs_data_free(y);
    return status;
}

const rk_kernel_type rk_kernel_standardize = {
    .entry = {.name = "standardize",
              .brief = "k on columns of mean 0 and deviation 1, as measured on the training objects",
              .formula = "standardize(k): k((x - mean) / deviation, (y - mean) / deviation)",
              .cost = "its part, and a copy of the data",
              .params = standard_params,
              .size = sizeof(standard)},
    .kinds = RK_KIND_DENSE,
    .flags = RK_PSD | RK_SCALE_FREE,
    .children = 1,
    .check = check_standard,
    .freeze = freeze_standard,
    .see = see_standard,
    .block = block_inside,
    .diag_parts = diag_inside,
};
