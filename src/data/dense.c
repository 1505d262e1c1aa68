/* dense.c: the data kind "dense", vectors as the rows of a matrix of doubles or floats, borrowed, owned or mapped. */
#include "data/data.h"
#include "la/la.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define APART 100.0 /* ratio of column ranges above which advice is given */

static const rk_dense *dense_of(const rkhs_data *x) { return x->self; }

/* ---- numbers of either type ------------------------------------------------------------------------------------ */

const double *rk_dense_row(const rk_dense *d, int64_t i, int64_t from, int64_t count, double *room) {
    if (d->values) return d->values + i * d->ld + from;
    rk_widen(count, d->floats + i * d->ld + from, room);
    return room;
}

rkhs_status rk_dense_means(rkhs_env *env, const rkhs_data *x, double *means) {
    rkhs_status status = RKHS_OK;
    const rk_dense *d = dense_of(x);
    rk_mark mark = rk_scratch_mark(env);
    rk_block_sum sums;
    if (d->values) {
        rk_column_means(x->rows, x->columns, d->values, d->ld, means);
        return RKHS_OK;
    }
    TRY(rk_block_sum_new(env, x->rows, x->columns, &sums));
    for (int64_t i = 0; i < x->rows; i++) {
        const float *row = d->floats + i * d->ld;
        for (int64_t c = 0; c < x->columns; c++) sums.tile[c] += (double)row[c];
        rk_next_row(&sums);
    }
    rk_block_total(&sums, means);
    for (int64_t c = 0; c < x->columns; c++) means[c] /= (double)rk_max(x->rows, 1);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Whether all numbers of row i are finite, and at most RK_MAX_ABS in magnitude. No branch: vectorised. */
static int row_good(const rk_dense *d, int64_t i, int64_t p) {
    int good = 1;
    if (d->values) {
        const double *row = d->values + i * d->ld;
        for (int64_t j = 0; j < p; j++) good &= fabs(row[j]) <= RK_MAX_ABS; /* false for NaN */
    } else {
        const float *row = d->floats + i * d->ld;
        for (int64_t j = 0; j < p; j++) good &= fabsf(row[j]) <= FLT_MAX;
    }
    return good;
}

/* rk_dense_check for rows from .. to-1 of the matrix. */
static rkhs_status check_rows(rkhs_env *env, const char *where, const rk_dense *d, int64_t from, int64_t to, int64_t p) {
    for (int64_t i = from; i < to; i++) {
        if (row_good(d, i, p)) continue;
        int64_t j = 0;
        while (fabs(rk_dense_at(d, i, j)) <= RK_MAX_ABS) j++;
        double v = rk_dense_at(d, i, j);
        if (!where) where = "data";
        if (isnan(v) || isinf(v))
            return rk_fail(env, RKHS_ERR_DATA,
                           "%s: row %lld, column %lld (counted from 1) is %s: put a number there, or leave out the row", where,
                           (long long)i + 1, (long long)j + 1,
                           isnan(v) ? "NaN"
                           : v > 0  ? "inf"
                                    : "-inf");
        return rk_fail(env, RKHS_ERR_DATA,
                       "%s: row %lld, column %lld (counted from 1) is %g, past 1e150: divide the column by its largest number",
                       where, (long long)i + 1, (long long)j + 1, v);
    }
    return RKHS_OK;
}

rkhs_status rk_dense_check(rkhs_env *env, const char *where, const double *values, int64_t n, int64_t p, int64_t ld) {
    return check_rows(env, where, &(rk_dense){.values = values, .ld = ld}, 0, n, p);
}

rkhs_status rk_float_check(rkhs_env *env, const char *where, const float *values, int64_t n, int64_t p, int64_t ld) {
    return check_rows(env, where, &(rk_dense){.floats = values, .ld = ld}, 0, n, p);
}

/* ---- making ---------------------------------------------------------------------------------------------------- */

rkhs_status rk_data_dense_map(rkhs_env *env, const rk_input *in, int64_t rows, int64_t columns, int floats, rkhs_data **out) {
    enum { AT_ONCE = 1 << 20 }; /* numbers checked between two progress calls, where the user can cancel */
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    int64_t some = rk_max(1, AT_ONCE / columns), size = floats ? 4 : 8;
    *out = NULL;
    TRY(rk_data_new(env, &rk_data_dense, rows, columns, &x));
    rk_dense *d = x->self;
    d->ld = columns;
    const void *there = rk_mapped_open(&d->map, in, (size_t)(rows * columns * size), (size_t)size);
    if (!there) goto done;
    if (floats)
        d->floats = there;
    else
        d->values = there;
    rk_mapped_sequential(&d->map, 1);
    for (int64_t i = 0; i < rows; i += some) {
        TRY(check_rows(env, rk_input_name(in), d, i, rk_min(i + some, rows), columns));
        TRY(rk_progress(env, "read", rk_min(i + some, rows) * columns * size, rows * columns * size));
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

/* Gives x, whose shape is set, an array of its own: doubles or floats, zeroed. */
static rkhs_status make_room(rkhs_env *env, rkhs_data *x, int floats) {
    rk_dense *d = x->self;
    rkhs_status status = rk_alloc(env, x->rows * x->columns, floats ? sizeof *d->floats : sizeof *d->values, &d->owned);
    if (status != RKHS_OK) return status;
    if (floats)
        d->floats = d->owned;
    else
        d->values = d->owned;
    d->ld = x->columns;
    return RKHS_OK;
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

/* Dense data that own a zeroed array of doubles or floats, at *bytes. */
static rkhs_status make(rkhs_env *env, int64_t rows, int64_t columns, int floats, char **bytes, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    if (rows < 0 || columns < 0 || (columns > 0 && rows > INT64_MAX / 16 / columns))
        FAIL(env, RKHS_ERR_MEMORY, "%s of %s: more than this machine can address", rk_counted(rows, "row").text,
             rk_counted(columns, "number").text);
    TRY(rk_data_new(env, &rk_data_dense, rows, columns, &x));
    TRY(make_room(env, x, floats));
    *bytes = ((rk_dense *)x->self)->owned;
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

rkhs_status rk_data_dense_new(rkhs_env *env, int64_t rows, int64_t columns, double **values, rkhs_data **out) {
    char *bytes;
    rkhs_status status = make(env, rows, columns, 0, &bytes, out);
    if (status == RKHS_OK) *values = ((rk_dense *)(*out)->self)->owned;
    return status;
}

rkhs_status rk_data_float_new(rkhs_env *env, int64_t rows, int64_t columns, float **values, rkhs_data **out) {
    char *bytes;
    rkhs_status status = make(env, rows, columns, 1, &bytes, out);
    if (status == RKHS_OK) *values = ((rk_dense *)(*out)->self)->owned;
    return status;
}

rkhs_status rk_data_alike_new(rkhs_env *env, const rkhs_data *like, int64_t rows, int64_t columns, char **bytes,
                              rkhs_data **out) {
    return make(env, rows, columns, !dense_of(like)->values, bytes, out);
}

rkhs_status rkhs_data_float(rkhs_env *env, const float *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_float", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    TRY(check_arguments(env, values, n, p, ld));
    TRY(rk_float_check(env, NULL, values, n, p, ld));
    TRY(rk_data_new(env, &rk_data_dense, n, p, data));
    *(rk_dense *)(*data)->self = (rk_dense){.floats = values, .ld = ld};
done:
    return status;
}

rkhs_status rk_data_widen(rkhs_env *env, const rkhs_data *x, const rkhs_data **use, rkhs_data **view) {
    rkhs_status status = RKHS_OK;
    const rk_dense *d = x ? rk_dense_of(x) : NULL;
    const rk_image *image = x ? rk_images(x) : NULL;
    rkhs_data *y = NULL;
    double *to;
    *use = x;
    *view = NULL;
    if (!d || d->values) return RKHS_OK;
    TRY(rk_require_memory(env, 8.0 * (double)x->rows * (double)x->columns, "a copy of 32-bit numbers as 64-bit numbers",
                          "raise the memory limit, or give fewer"));
    TRY(rk_data_dense_new(env, x->rows, x->columns, &to, &y));
    for (int64_t i = 0; i < x->rows; i++) rk_dense_row(d, i, 0, x->columns, to + i * x->columns);
    if (image) TRY(rk_image_from_dense(env, &y, image->h, image->w, image->c));
    TRY(rk_column_names_copy(x, y));
    *use = *view = y;
    y = NULL;
done:
    rkhs_data_free(y);
    return status;
}

const double *rkhs_data_values(const rkhs_data *data, int64_t *ld) {
    const rk_dense *d = data ? rk_dense_of(data) : NULL;
    if (d && ld) *ld = d->ld;
    return d ? d->values : NULL;
}

const float *rkhs_data_floats(const rkhs_data *data, int64_t *ld) {
    const rk_dense *d = data ? rk_dense_of(data) : NULL;
    if (d && ld) *ld = d->ld;
    return d ? d->floats : NULL;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static rkhs_status subset_dense(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_dense *d = dense_of(x);
    size_t bytes = (size_t)x->columns * rk_dense_size(d);
    rkhs_status status = make_room(env, out, !d->values);
    if (status != RKHS_OK) return status;
    char *to = ((rk_dense *)out->self)->owned;
    for (int64_t i = 0; i < count; i++, to += bytes) memcpy(to, rk_dense_bytes(d, index[i]), bytes);
    return RKHS_OK;
}

/* Floats if all parts are. */
static rkhs_status join_dense(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    int floats = 1;
    for (int k = 0; k < count; k++) floats &= !dense_of(parts[k])->values;
    rkhs_status status = make_room(env, out, floats);
    if (status != RKHS_OK) return status;
    char *to = ((rk_dense *)out->self)->owned;
    size_t bytes = (size_t)out->columns * rk_dense_size(dense_of(out));
    for (int k = 0; k < count; k++) {
        const rk_dense *d = dense_of(parts[k]);
        for (int64_t i = 0; i < parts[k]->rows; i++, to += bytes)
            if (floats || d->values)
                memcpy(to, rk_dense_bytes(d, i), bytes);
            else
                rk_dense_row(d, i, 0, out->columns, (double *)(void *)to);
    }
    return RKHS_OK;
}

static rkhs_status save_dense(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    rkhs_status status = RKHS_OK;
    const rk_dense *d = dense_of(x);
    rk_mark mark = rk_scratch_mark(x->env);
    size_t bytes = (size_t)x->columns * rk_dense_size(d);
    char name[256], *packed;
    snprintf(name, sizeof name, "%svalues", prefix);
    rk_array a = {d->values ? 'd' : 'f', 2, {x->rows, x->columns}, rk_dense_bytes(d, 0)};
    if (d->ld == x->columns) return rk_archive_put(archive, name, &a);
    TRY(rk_scratch(x->env, x->rows * (int64_t)bytes, 1, &packed));
    for (int64_t i = 0; i < x->rows; i++) memcpy(packed + (size_t)i * bytes, rk_dense_bytes(d, i), bytes);
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
    snprintf(name, sizeof name, "%svalues", prefix);
    int floats = rk_archive_type_of(archive, name) == 'f';
    TRY(rk_archive_get(archive, name, floats ? 'f' : 'd', 2, &a));
    int64_t n = a.shape[0], p = a.shape[1];
    if (n < 1 || p < 1) FAIL(env, RKHS_ERR_FORMAT, "the array '%s' is empty: make the file again", name);
    TRY(floats ? rk_float_check(env, name, a.data, n, p, p) : rk_dense_check(env, name, a.data, n, p, p));
    out->rows = n;
    out->columns = p;
    TRY(make_room(env, out, floats));
    memcpy(((rk_dense *)out->self)->owned, a.data, (size_t)(n * p) * rk_dense_size(dense_of(out)));
done:
    return status;
}

/* The columns with the widest range and with the narrowest range above 0, and these ranges. */
static rkhs_status column_ranges(rkhs_env *env, const rkhs_data *x, int64_t column[2], double range[2]) {
    const rk_dense *d = dense_of(x);
    double *low, *high, *room;
    rkhs_status status = rk_scratch(env, x->columns, sizeof *low, &low);
    if (status == RKHS_OK) status = rk_scratch(env, x->columns, sizeof *high, &high);
    if (status == RKHS_OK) status = rk_scratch(env, d->values ? 0 : x->columns, sizeof *room, &room);
    if (status != RKHS_OK) return status;
    rkhs_data_row(x, 0, low);
    rkhs_data_row(x, 0, high);
    for (int64_t i = 1; i < x->rows; i++) {
        const double *row = rk_dense_row(d, i, 0, x->columns, room);
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
    if (rk_images(from)) {
        const rk_dense *d = rk_dense_of(from);
        *(rk_dense *)out->self = (rk_dense){.values = d->values, .floats = d->floats, .ld = d->ld};
        return RKHS_OK;
    }
    TRY(rk_require_memory(env, 8.0 * (double)from->rows * (double)from->columns, "a number for each bit",
                          "raise the memory limit, or use a kernel that takes bits"));
    TRY(make_room(env, out, 0));
    double *to = ((rk_dense *)out->self)->owned;
    for (int64_t i = 0; i < from->rows; i++) rk_bits_row(from, i, to + i * from->columns);
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
