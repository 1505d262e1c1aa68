/* dense.c: the data kind "dense", vectors as the rows of a matrix of doubles, borrowed, owned or memory-mapped. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

#define APART 100.0 /* ratio of column ranges above which advice is given */

static const rk_dense *dense_of(const rkhs_data *x) { return x->self; }

/* rk_dense_check for rows from .. to-1 of the matrix. */
static rkhs_status check_rows(rkhs_env *env, const char *where, const double *values, int64_t from, int64_t to, int64_t p,
                              int64_t ld) {
    for (int64_t i = from; i < to; i++) {
        const double *row = values + i * ld;
        int good = 1;
        for (int64_t j = 0; j < p; j++) good &= fabs(row[j]) <= RK_MAX_ABS; /* false for NaN; no branch: vectorised */
        if (good) continue;
        int64_t j = 0;
        while (fabs(row[j]) <= RK_MAX_ABS) j++;
        if (!where) where = "data";
        if (isnan(row[j]) || isinf(row[j]))
            return rk_fail(env, RKHS_ERR_DATA,
                           "%s: row %lld, column %lld (counted from 1) is %s: put a number there, or leave out the row", where,
                           (long long)i + 1, (long long)j + 1,
                           isnan(row[j]) ? "NaN"
                           : row[j] > 0  ? "inf"
                                         : "-inf");
        return rk_fail(env, RKHS_ERR_DATA,
                       "%s: row %lld, column %lld (counted from 1) is %g, past 1e150: divide the column by its largest number",
                       where, (long long)i + 1, (long long)j + 1, row[j]);
    }
    return RKHS_OK;
}

rkhs_status rk_dense_check(rkhs_env *env, const char *where, const double *values, int64_t n, int64_t p, int64_t ld) {
    return check_rows(env, where, values, 0, n, p, ld);
}

rkhs_status rk_data_dense_map(rkhs_env *env, const rk_input *in, int64_t rows, int64_t columns, rkhs_data **out) {
    enum { AT_ONCE = 1 << 20 }; /* numbers checked between two progress calls, where the user can cancel */
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    int64_t some = rk_max(1, AT_ONCE / columns);
    *out = NULL;
    TRY(rk_data_new(env, &rk_data_dense, rows, columns, &x));
    rk_dense *d = x->self;
    d->ld = columns;
    d->values = rk_mapped_open(&d->map, in, (size_t)(rows * columns) * sizeof *d->values, sizeof *d->values);
    if (!d->values) goto done;
    rk_mapped_sequential(&d->map, 1);
    for (int64_t i = 0; i < rows; i += some) {
        TRY(check_rows(env, rk_input_name(in), d->values, i, rk_min(i + some, rows), columns, columns));
        TRY(rk_progress(env, "read", rk_min(i + some, rows) * columns * 8, rows * columns * 8));
    }
    rk_mapped_sequential(&d->map, 0);
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

/* Checks the pointer and the shape of a matrix from the caller. */
static rkhs_status check_arguments(rkhs_env *env, const void *values, int64_t n, int64_t p, int64_t ld) {
    rkhs_status status = RKHS_OK;
    if (!values) FAIL(env, RKHS_ERR_ARGUMENT, "the data has no values: the pointer is NULL");
    if (n < 1 || p < 1)
        FAIL(env, RKHS_ERR_DATA, "data of %s and %s: at least one of each is needed", rk_counted(n, "row").text,
             rk_counted(p, "column").text);
    if (ld < p)
        FAIL(env, RKHS_ERR_ARGUMENT, "ld is %lld, less than the %s: it is the distance between two rows", (long long)ld,
             rk_counted(p, "column").text);
    if (n > INT64_MAX / 16 / ld)
        FAIL(env, RKHS_ERR_ARGUMENT, "%s of %s: more than this machine can address", rk_counted(n, "row").text,
             rk_counted(ld, "number").text);
done:
    return status;
}

rkhs_status rkhs_data_dense(rkhs_env *env, const double *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_dense", "variable for the data");
    rk_begin_call(env);
    return rk_data_borrow(env, values, n, p, ld, data);
}

rkhs_status rk_data_borrow(rkhs_env *env, const double *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    *data = NULL;
    TRY(check_arguments(env, values, n, p, ld));
    TRY(rk_dense_check(env, NULL, values, n, p, ld));
    TRY(rk_data_new(env, &rk_data_dense, n, p, data));
    rk_dense *d = (*data)->self;
    d->values = values;
    d->ld = ld;
done:
    return status;
}

rkhs_status rk_data_dense_new(rkhs_env *env, int64_t rows, int64_t columns, double **values, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    if (rows < 0 || columns < 0 || (columns > 0 && rows > INT64_MAX / 16 / columns))
        FAIL(env, RKHS_ERR_MEMORY, "%s of %s: more than this machine can address", rk_counted(rows, "row").text,
             rk_counted(columns, "number").text);
    TRY(rk_data_new(env, &rk_data_dense, rows, columns, &x));
    rk_dense *d = x->self;
    TRY(rk_alloc(env, rows * columns, sizeof *d->owned, &d->owned));
    d->values = d->owned;
    d->ld = columns;
    *values = d->owned;
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

rkhs_status rkhs_data_float(rkhs_env *env, const float *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    double *to;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_float", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    TRY(check_arguments(env, values, n, p, ld));
    TRY(rk_data_dense_new(env, n, p, &to, &x));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++) to[i * p + j] = (double)values[i * ld + j];
    TRY(rk_dense_check(env, NULL, to, n, p, p));
    *data = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

const double *rkhs_data_values(const rkhs_data *data, int64_t *ld) {
    const rk_dense *d = data ? rk_dense_of(data) : NULL;
    if (d && ld) *ld = d->ld;
    return d ? d->values : NULL;
}

/* Makes x the owner of an allocated rows x columns array. */
static void set_owned(rkhs_data *x, double *values) {
    rk_dense *d = x->self;
    d->values = d->owned = values;
    d->ld = x->columns;
}

static rkhs_status subset_dense(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_dense *d = dense_of(x);
    double *to;
    rkhs_status status = rk_alloc(env, count * x->columns, sizeof *to, &to);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * x->columns, d->values + index[i] * d->ld, (size_t)x->columns * sizeof *to);
    set_owned(out, to);
    return RKHS_OK;
}

static rkhs_status join_dense(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    double *to;
    rkhs_status status = rk_alloc(env, out->rows * out->columns, sizeof *to, &to);
    if (status != RKHS_OK) return status;
    set_owned(out, to);
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < parts[k]->rows; i++, to += out->columns) {
            const rk_dense *d = dense_of(parts[k]);
            memcpy(to, d->values + i * d->ld, (size_t)out->columns * sizeof *to);
        }
    return RKHS_OK;
}

static rkhs_status save_dense(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    rkhs_status status = RKHS_OK;
    const rk_dense *d = dense_of(x);
    rk_mark mark = rk_scratch_mark(x->env);
    char name[256];
    snprintf(name, sizeof name, "%svalues", prefix);
    rk_array a = {'d', 2, {x->rows, x->columns}, d->values};
    if (d->ld == x->columns) return rk_archive_put(archive, name, &a);
    double *packed;
    TRY(rk_scratch(x->env, x->rows * x->columns, sizeof *packed, &packed));
    for (int64_t i = 0; i < x->rows; i++)
        memcpy(packed + i * x->columns, d->values + i * d->ld, (size_t)x->columns * sizeof *packed);
    a.data = packed;
    TRY(rk_archive_put_copy(archive, name, &a));
done:
    rk_scratch_release(x->env, mark);
    return status;
}

static rkhs_status load_dense(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    char name[256];
    rk_array a;
    double *to;
    snprintf(name, sizeof name, "%svalues", prefix);
    TRY(rk_archive_get(archive, name, 'd', 2, &a));
    if (a.shape[0] < 1 || a.shape[1] < 1) FAIL(env, RKHS_ERR_FORMAT, "the array '%s' is empty: make the file again", name);
    TRY(rk_dense_check(env, name, a.data, a.shape[0], a.shape[1], a.shape[1]));
    TRY(rk_alloc(env, a.shape[0] * a.shape[1], sizeof *to, &to));
    memcpy(to, a.data, (size_t)(a.shape[0] * a.shape[1]) * sizeof *to);
    out->rows = a.shape[0];
    out->columns = a.shape[1];
    set_owned(out, to);
done:
    return status;
}

/* The columns with the widest range and with the narrowest range above 0, and these ranges. */
static rkhs_status column_ranges(rkhs_env *env, const rkhs_data *x, int64_t column[2], double range[2]) {
    const rk_dense *d = dense_of(x);
    double *low, *high;
    rkhs_status status = rk_scratch(env, x->columns, sizeof *low, &low);
    if (status == RKHS_OK) status = rk_scratch(env, x->columns, sizeof *high, &high);
    if (status != RKHS_OK) return status;
    memcpy(low, d->values, (size_t)x->columns * sizeof *low);
    memcpy(high, d->values, (size_t)x->columns * sizeof *high);
    for (int64_t i = 1; i < x->rows; i++) {
        const double *row = d->values + i * d->ld;
        for (int64_t j = 0; j < x->columns; j++) {
            low[j] = row[j] < low[j] ? row[j] : low[j];
            high[j] = row[j] > high[j] ? row[j] : high[j];
        }
    }
    range[0] = 0;
    range[1] = INFINITY;
    for (int64_t j = 0; j < x->columns; j++) {
        double r = high[j] - low[j];
        if (r > range[0]) range[0] = r, column[0] = j;
        if (r > 0 && r < range[1]) range[1] = r, column[1] = j;
    }
    return RKHS_OK;
}

static void advise_dense(rkhs_env *env, const rkhs_data *x) {
    int64_t column[2] = {0, 0};
    double range[2];
    rk_mark mark = rk_scratch_mark(env);
    rkhs_status status = column_ranges(env, x, column, range);
    rk_scratch_release(env, mark);
    if (status != RKHS_OK) {
        rk_clear_error(env); /* failing to compute the advice is not an error of the fit */
        return;
    }
    if (range[0] > 0 && range[0] / range[1] > APART)
        rk_log(
            env, RKHS_LOG_ADVICE,
            "column %lld spans %.3g and column %lld only %.3g (counted from 1): the wide one decides nearly alone; bring the "
            "columns to one scale first if that is not meant",
            (long long)column[0] + 1, range[0], (long long)column[1] + 1, range[1]);
}

/* Images as vectors (borrowed), or bits as the numbers 0 and 1 (copied). */
static rkhs_status adopt_dense(rkhs_env *env, const rkhs_data *from, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    double *to;
    if (rk_images(from)) {
        const rk_dense *d = rk_dense_of(from);
        *(rk_dense *)out->self = (rk_dense){.values = d->values, .ld = d->ld};
        return RKHS_OK;
    }
    TRY(rk_require_memory(env, 8.0 * (double)from->rows * (double)from->columns, "a number for each bit",
                          "raise the memory limit, or use a kernel that takes bits"));
    TRY(rk_alloc(env, from->rows * from->columns, sizeof *to, &to));
    for (int64_t i = 0; i < from->rows; i++) rk_bits_row(from, i, to + i * from->columns);
    set_owned(out, to);
done:
    return status;
}

static void release_dense(rkhs_data *x) {
    rk_dense *d = x->self;
    rk_free(x->env, d->owned);
    rk_mapped_close(&d->map);
}

/* clang-format off */
const rk_data_type rk_data_dense = {
    .entry = {.name = "dense", .brief = "vectors: a matrix with an object in each row", .size = sizeof(rk_dense)},
    .kind = RK_KIND_DENSE, .subset = subset_dense, .join = join_dense, .save = save_dense, .load = load_dense,
    .adopts = RK_KIND_BITS | RK_KIND_IMAGE, .adopt = adopt_dense, .advise = advise_dense, .release = release_dense,
};
/* clang-format on */
