/* index.c: the data kind "index", pairs (anchor, positive) or triplets (anchor, positive, negative) of object numbers.
 *
 * A row holds object numbers of another data set. Pairs from rkhs_data_pairs own their positives and negatives. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static const rk_index *index_of(const rkhs_data *x) { return x->self; }

static rkhs_status check_shape(rkhs_env *env, const char *where, int64_t n, int64_t width, int64_t objects) {
    if (n < 1 || (width != 2 && width != 3))
        return rk_fail(env, RKHS_ERR_DATA, "%s: %s of %s: rows of 2 (pairs) or 3 (triplets) are needed", where,
                       rk_counted(n, "row").text, rk_counted(width, "object number").text);
    if (objects < 1 || objects > (int64_t)1 << 53)
        return rk_fail(env, RKHS_ERR_ARGUMENT, "object numbers of %s: give how many there are",
                       rk_counted(objects, "object").text);
    return RKHS_OK;
}

/* Fails with the row and column of a number that is not an object number. */
static rkhs_status no_object(rkhs_env *env, const char *where, int64_t i, int64_t c, double value, int64_t objects) {
    return rk_fail(
        env, RKHS_ERR_DATA,
        "%s: row %lld, column %lld (counted from 1) is %.17g, and the objects have the numbers 0 to %lld: correct it, "
        "or leave out the row",
        where, (long long)i + 1, (long long)c + 1, value, (long long)objects - 1);
}

/* Index data with a checked copy of `rows`. */
static rkhs_status copy_rows(rkhs_env *env, const char *where, const int64_t *rows, int64_t n, int64_t width, int64_t objects,
                             rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    TRY(check_shape(env, where, n, width, objects));
    for (int64_t q = 0; q < n * width; q++)
        if (rows[q] < 0 || rows[q] >= objects) TRY(no_object(env, where, q / width, q % width, (double)rows[q], objects));
    TRY(rk_data_new(env, &rk_data_index, n, width, &x));
    rk_index *to = x->self;
    TRY(rk_alloc(env, n * width, sizeof *to->rows, &to->rows));
    memcpy(to->rows, rows, (size_t)(n * width) * sizeof *rows);
    to->objects = objects;
    *data = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

rkhs_status rkhs_data_index(rkhs_env *env, const int64_t *rows, int64_t n, int64_t width, int64_t objects, rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_index", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    if (!rows) return rk_fail(env, RKHS_ERR_ARGUMENT, "there are no index rows: the pointer is NULL");
    return copy_rows(env, "index rows", rows, n, width, objects, data);
}

rkhs_status rk_index_from_dense(rkhs_env *env, const char *where, const rkhs_data *numbers, int64_t objects, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    int64_t n = numbers->rows, width = numbers->columns;
    const rk_dense *d = rk_dense_of(numbers);
    *data = NULL;
    if (!d) FAIL(env, RKHS_ERR_DATA, "%s: it holds %s data, not object numbers", where, numbers->type->entry.name);
    TRY(check_shape(env, where, n, width, objects));
    TRY(rk_data_new(env, &rk_data_index, n, width, &x));
    rk_index *to = x->self;
    TRY(rk_alloc(env, n * width, sizeof *to->rows, &to->rows));
    to->objects = objects;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < width; c++) {
            double v = rk_dense_at(d, i, c);
            if (!(v >= 0 && v < (double)objects) || v != floor(v)) TRY(no_object(env, where, i, c, v, objects));
            to->rows[i * width + c] = (int64_t)v;
        }
    *data = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

int64_t rk_index_objects(const rkhs_data *x) {
    const rk_index *o = index_of(x);
    return o->objects - (o->others ? o->others->rows : 0);
}

/* Sets row i to (i, n + i, 2n + i). `out` takes ownership of `others` (positives, then negatives), even on failure. */
static rkhs_status fill_pairs(rkhs_env *env, rkhs_data *others, rkhs_data *out) {
    rk_index *to = out->self;
    int64_t n = out->rows, width = out->columns;
    to->others = others;
    to->objects = n * width;
    rkhs_status status = rk_alloc(env, n * width, sizeof *to->rows, &to->rows);
    for (int64_t q = 0; status == RKHS_OK && q < n * width; q++) to->rows[q] = q % width * n + q / width;
    return status;
}

rkhs_status rkhs_data_pairs(rkhs_env *env, const rkhs_data *positive, const rkhs_data *negative, rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_pairs", "variable for the data");
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL, *others = NULL;
    rk_begin_call(env);
    *data = NULL;
    if (!positive) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_data_pairs: no positives: the pointer is NULL");
    if (negative && negative->rows != positive->rows)
        FAIL(env, RKHS_ERR_DATA, "%s and %s: give one of each for each object", rk_counted(positive->rows, "positive").text,
             rk_counted(negative->rows, "negative").text);
    if (positive->type == &rk_data_index) FAIL(env, RKHS_ERR_DATA, "index rows are no objects: give these as they are");
    TRY(rk_data_join(env, (const rkhs_data *[]){positive, negative}, negative ? 2 : 1, &others));
    TRY(rk_data_new(env, &rk_data_index, positive->rows, negative ? 3 : 2, &x));
    status = fill_pairs(env, others, x);
    others = NULL;
    if (status != RKHS_OK) goto done;
    *data = x;
    x = NULL;
done:
    rkhs_data_free(others);
    rkhs_data_free(x);
    return status;
}

/* The subset of pairs with positives and negatives of their own; objects are renumbered from 0. */
static rkhs_status subset_pairs(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t with = x->columns - 1, *rows;
    rkhs_data *others = NULL;
    TRY(rk_scratch(env, count * with, sizeof *rows, &rows));
    for (int64_t q = 0; q < count * with; q++) rows[q] = q / count * x->rows + index[q % count];
    TRY(rk_data_subset(index_of(x)->others, rows, count * with, &others));
    TRY(fill_pairs(env, others, out));
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status subset_index(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_index *from = index_of(x);
    rk_index *to = out->self;
    if (from->others) return subset_pairs(env, x, index, count, out);
    rkhs_status status = rk_alloc(env, count * x->columns, sizeof *to->rows, &to->rows);
    to->objects = from->objects;
    for (int64_t i = 0; status == RKHS_OK && i < count; i++)
        memcpy(to->rows + i * x->columns, from->rows + index[i] * x->columns, (size_t)x->columns * sizeof *to->rows);
    return status;
}

static rkhs_status join_index(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    rk_index *to = out->self;
    for (int k = 0; k < count; k++)
        if (index_of(parts[k])->others)
            return rk_fail(env, RKHS_ERR_DATA, "pairs cannot be joined: join their positives, and their negatives");
    for (int k = 1; k < count; k++)
        if (index_of(parts[k])->objects != index_of(parts[0])->objects)
            return rk_fail(env, RKHS_ERR_DATA, "index rows of %s cannot be joined with those of %lld",
                           rk_counted(index_of(parts[k])->objects, "object").text, (long long)index_of(parts[0])->objects);
    rkhs_status status = rk_alloc(env, out->rows * out->columns, sizeof *to->rows, &to->rows);
    int64_t *at = to->rows;
    to->objects = index_of(parts[0])->objects;
    for (int k = 0; status == RKHS_OK && k < count; k++) {
        int64_t numbers = parts[k]->rows * out->columns;
        memcpy(at, index_of(parts[k])->rows, (size_t)numbers * sizeof *at);
        at += numbers;
    }
    return status;
}

static rkhs_status save_index(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    char name[256];
    if (index_of(x)->others) return rk_fail(x->env, RKHS_ERR_DATA, "pairs cannot be saved: save their positives and negatives");
    snprintf(name, sizeof name, "%sobjects", prefix);
    rkhs_status status = rk_archive_put_int(archive, name, index_of(x)->objects);
    snprintf(name, sizeof name, "%srows", prefix);
    rk_array a = {'q', 2, {x->rows, x->columns}, index_of(x)->rows};
    return status == RKHS_OK ? rk_archive_put(archive, name, &a) : status;
}

static rkhs_status load_index(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *fresh = NULL;
    char name[256];
    rk_array a;
    int64_t objects;
    snprintf(name, sizeof name, "%sobjects", prefix);
    TRY(rk_archive_get_int(archive, name, &objects));
    snprintf(name, sizeof name, "%srows", prefix);
    TRY(rk_archive_get(archive, name, 'q', 2, &a));
    TRY(copy_rows(env, name, a.data, a.shape[0], a.shape[1], objects, &fresh));
    out->rows = fresh->rows;
    out->columns = fresh->columns;
    memcpy(out->self, fresh->self, sizeof(rk_index));
    memset(fresh->self, 0, sizeof(rk_index)); /* moved */
done:
    rkhs_data_free(fresh);
    return status;
}

static void release_index(rkhs_data *x) {
    rk_free(x->env, index_of(x)->rows);
    rkhs_data_free(index_of(x)->others);
}

/* clang-format off */
const rk_data_type rk_data_index = {
    .entry = {.name = "index", .brief = "pairs or triplets of object numbers", .size = sizeof(rk_index)},
    .kind = RK_KIND_INDEX, .subset = subset_index, .join = join_index, .save = save_index, .load = load_index,
    .release = release_index,
};
/* clang-format on */
