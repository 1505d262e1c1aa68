/* column_view.c: k[0,4:7], a kernel on some of the columns.
 *
 * The kernel inside is bound to these columns alone, so that its bandwidth rules (sigma=median) see them alone too. A
 * single range of dense columns is not copied; other groups are. */
#include "kernel/kernel.h"

#include <string.h>

typedef struct columns {
    char *list; /* "[0,4:7]" */
} columns;

/* clang-format off */
static const rk_param columns_params[] = {
    {.name = "list", .kind = RK_LIST, .offset = offsetof(columns, list), .value = "[0]",
     .brief = "columns counted from 0, and ranges from:to that exclude `to`; in any order, repeats allowed"},
    {.name = NULL},
};
/* clang-format on */

/* A range [from, to) of columns. */
typedef struct run {
    int64_t from, to;
} run;

/* The next run of a list; adjacent parts are merged. 0 at the end, or at a part that is no range. */
static int next_run(const char **at, run *r) {
    if (!rk_next_range(at, &r->from, &r->to)) return 0;
    run more;
    for (const char *ahead = *at; rk_next_range(&ahead, &more.from, &more.to) && more.from == r->to; *at = ahead)
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

/* The columns of a list as runs, on the scratch list. */
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

/* Copies the runs of dense columns, side by side. */
static rkhs_status copy_dense(rkhs_env *env, const group *g, const rkhs_data *x, rkhs_data **view) {
    const rk_dense *from = x->self;
    size_t size = rk_dense_size(from);
    char *to;
    rkhs_status status = rk_data_alike_new(env, x, x->rows, g->columns, &to, view);
    for (int64_t i = 0; status == RKHS_OK && i < x->rows; i++)
        for (int64_t r = 0; r < g->count; r++) {
            size_t bytes = (size_t)(g->runs[r].to - g->runs[r].from) * size;
            memcpy(to, rk_dense_bytes(from, i) + (size_t)g->runs[r].from * size, bytes);
            to += bytes;
        }
    return status;
}

/* The first nonzero of a sparse row at or past a column. */
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

/* Copies the runs of sparse columns in the order of the list, so that new columns ascend; counts them first. */
static rkhs_status copy_sparse(rkhs_env *env, const group *g, const rkhs_data *x, rkhs_data **view) {
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
    *view = y;
    y = NULL;
done:
    rkhs_data_free(y);
    return status;
}

/* A single run of dense columns, not copied. */
static rkhs_status borrow_dense(rkhs_env *env, const group *g, const rkhs_data *x, rkhs_data **view) {
    const rk_dense *from = x->self;
    rkhs_status status = rk_data_new(env, &rk_data_dense, x->rows, g->columns, view);
    if (status != RKHS_OK) return status;
    *(rk_dense *)(*view)->self = (rk_dense){.values = from->values ? from->values + g->runs[0].from : NULL,
                                            .floats = from->floats ? from->floats + g->runs[0].from : NULL,
                                            .ld = from->ld};
    return RKHS_OK;
}

static rkhs_status view_columns(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **view) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    group g;
    TRY(take_group(env, ((const columns *)self)->list, x->columns, &g));
    if (x->type == &rk_data_sparse)
        TRY(copy_sparse(env, &g, x, view));
    else
        TRY(g.count == 1 ? borrow_dense(env, &g, x, view) : copy_dense(env, &g, x, view));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
const rk_kernel_type rk_kernel_columns = {
    .entry = {.name = "columns", .brief = "k on some columns only; they are counted from 0, and 4:7 is 4, 5, 6",
              .formula = "k[0,4:7]", .cost = "the inner kernel", .params = columns_params, .size = sizeof(columns)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE, .flags = RK_PSD | RK_SCALE_FREE, .children = 1,
    .syntax = RK_SYNTAX_COLUMNS, .check = check_columns, .view = view_columns, .block = rk_child_block,
    .diag_from_children = rk_child_diag,
};
/* clang-format on */
