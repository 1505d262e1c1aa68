/* sparse.c: the data kind "sparse", sparse vectors as the rows of a CSR matrix. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static const rk_sparse *sparse_of(const rkhs_data *x) { return x->self; }

/* Allocates the arrays of `out`, whose rows are set. */
static rkhs_status make_room(rkhs_env *env, rkhs_data *out, int64_t nonzeros) {
    rkhs_status status = RKHS_OK;
    rk_sparse *s = out->self;
    TRY(rk_alloc(env, nonzeros, sizeof *s->own_values, &s->own_values));
    TRY(rk_alloc(env, nonzeros, sizeof *s->own_columns, &s->own_columns));
    TRY(rk_alloc(env, out->rows + 1, sizeof *s->own_starts, &s->own_starts));
    s->values = s->own_values;
    s->columns = s->own_columns;
    s->starts = s->own_starts;
done:
    return status;
}

rkhs_status rk_data_sparse_new(rkhs_env *env, int64_t rows, int64_t columns, int64_t nonzeros, double **values, int32_t **cols,
                               int64_t **starts, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    if (rows < 0 || nonzeros < 0 || rows > INT64_MAX / 16 || nonzeros > INT64_MAX / 16)
        FAIL(env, RKHS_ERR_MEMORY, "%s of %s in all: more than this machine can address", rk_counted(rows, "row").text,
             rk_counted(nonzeros, "number").text);
    if (columns < 0 || columns > INT32_MAX)
        FAIL(env, RKHS_ERR_DATA, "sparse rows of %s: at most %d can be handled", rk_counted(columns, "column").text, INT32_MAX);
    TRY(rk_data_new(env, &rk_data_sparse, rows, columns, &x));
    TRY(make_room(env, x, nonzeros));
    rk_sparse *s = x->self;
    *values = s->own_values;
    *cols = s->own_columns;
    *starts = s->own_starts;
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

/* starts must begin at 0 and not descend. The caller checks the last one against the length of the arrays. */
static rkhs_status check_starts(rkhs_env *env, const char *where, const int64_t *starts, int64_t rows) {
    if (starts[0] != 0)
        return rk_fail(env, RKHS_ERR_DATA, "%s: the first row starts at position %lld: it must start at 0", where,
                       (long long)starts[0]);
    for (int64_t i = 0; i < rows; i++)
        if (starts[i + 1] < starts[i])
            return rk_fail(env, RKHS_ERR_DATA,
                           "%s: row %lld (counted from 1) starts at position %lld and ends before it, at %lld", where,
                           (long long)i + 1, (long long)starts[i], (long long)starts[i + 1]);
    return RKHS_OK;
}

/* Checks row i: columns in range and ascending, values finite and at most 1e150. */
static rkhs_status check_row(rkhs_env *env, const char *where, const rkhs_data *x, int64_t i) {
    const rk_sparse *s = sparse_of(x);
    int64_t before = -1;
    for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++) {
        int64_t c = s->columns[q], position = q - s->starts[i];
        double v = s->values[q];
        if (c > before && c < x->columns && fabs(v) <= RK_MAX_ABS) {
            before = c;
            continue;
        }
        if (c < 0 || c >= x->columns)
            return rk_fail(env, RKHS_ERR_DATA,
                           "%s: row %lld, number %lld of it (counted from 1) is in column %lld, and there are %s", where,
                           (long long)i + 1, (long long)position + 1, (long long)c + 1, rk_counted(x->columns, "column").text);
        if (c <= before)
            return rk_fail(env, RKHS_ERR_DATA,
                           "%s: row %lld, number %lld of it (counted from 1) is in column %lld, after column %lld: columns "
                           "must ascend, and none may stand twice",
                           where, (long long)i + 1, (long long)position + 1, (long long)c + 1, (long long)before + 1);
        if (isnan(v) || isinf(v))
            return rk_fail(env, RKHS_ERR_DATA,
                           "%s: row %lld, column %lld (counted from 1) is %s: put a number there, or leave out the row", where,
                           (long long)i + 1, (long long)c + 1,
                           isnan(v) ? "NaN"
                           : v > 0  ? "inf"
                                    : "-inf");
        return rk_fail(env, RKHS_ERR_DATA,
                       "%s: row %lld, column %lld (counted from 1) is %g, past 1e150: divide the column by its largest number",
                       where, (long long)i + 1, (long long)c + 1, v);
    }
    return RKHS_OK;
}

rkhs_status rk_sparse_check(rkhs_env *env, const char *where, const rkhs_data *x) {
    if (!where) where = "data";
    rkhs_status status = check_starts(env, where, sparse_of(x)->starts, x->rows);
    for (int64_t i = 0; status == RKHS_OK && i < x->rows; i++) status = check_row(env, where, x, i);
    return status;
}

rkhs_status rkhs_data_csr(rkhs_env *env, const double *values, const int32_t *columns, const int64_t *starts, int64_t n,
                          int64_t p, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    double *v;
    int32_t *c;
    int64_t *s;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_csr", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    if (n < 1 || p < 1)
        FAIL(env, RKHS_ERR_DATA, "data of %s and %s: at least one of each is needed", rk_counted(n, "row").text,
             rk_counted(p, "column").text);
    if (!starts) FAIL(env, RKHS_ERR_ARGUMENT, "the data has no starts of rows: the pointer is NULL");
    TRY(check_starts(env, "data", starts, n));
    if (starts[n] > 0 && (!values || !columns))
        FAIL(env, RKHS_ERR_ARGUMENT, "the data has no values or no columns: a pointer is NULL");
    TRY(rk_data_sparse_new(env, n, p, starts[n], &v, &c, &s, &x));
    memcpy(s, starts, (size_t)(n + 1) * sizeof *s);
    if (starts[n] > 0) {
        memcpy(v, values, (size_t)starts[n] * sizeof *v);
        memcpy(c, columns, (size_t)starts[n] * sizeof *c);
    }
    TRY(rk_sparse_check(env, NULL, x));
    *data = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

int rkhs_data_sparse(const rkhs_data *data, const double **values, const int32_t **columns, const int64_t **starts) {
    if (!data || data->type != &rk_data_sparse) return 0;
    if (values) *values = sparse_of(data)->values;
    if (columns) *columns = sparse_of(data)->columns;
    if (starts) *starts = sparse_of(data)->starts;
    return 1;
}

static rkhs_status subset_sparse(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_sparse *s = sparse_of(x);
    rk_sparse *to = out->self;
    int64_t nonzeros = 0;
    for (int64_t i = 0; i < count; i++) nonzeros += s->starts[index[i] + 1] - s->starts[index[i]];
    rkhs_status status = make_room(env, out, nonzeros);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++) {
        int64_t from = s->starts[index[i]], length = s->starts[index[i] + 1] - from, at = to->own_starts[i];
        to->own_starts[i + 1] = at + length;
        if (!length) continue;
        memcpy(to->own_values + at, s->values + from, (size_t)length * sizeof *s->values);
        memcpy(to->own_columns + at, s->columns + from, (size_t)length * sizeof *s->columns);
    }
    return status;
}

static rkhs_status join_sparse(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    rk_sparse *to = out->self;
    int64_t nonzeros = 0, row = 0;
    for (int k = 0; k < count; k++) nonzeros += sparse_of(parts[k])->starts[parts[k]->rows];
    rkhs_status status = make_room(env, out, nonzeros);
    for (int k = 0; status == RKHS_OK && k < count; k++) {
        const rk_sparse *s = sparse_of(parts[k]);
        int64_t at = to->own_starts[row], length = s->starts[parts[k]->rows];
        for (int64_t i = 0; i < parts[k]->rows; i++) to->own_starts[++row] = at + s->starts[i + 1];
        if (!length) continue;
        memcpy(to->own_values + at, s->values, (size_t)length * sizeof *s->values);
        memcpy(to->own_columns + at, s->columns, (size_t)length * sizeof *s->columns);
    }
    return status;
}

/* Columns are widened: an archive has no 32-bit integers. */
static rkhs_status save_sparse(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    rkhs_status status = RKHS_OK;
    const rk_sparse *s = sparse_of(x);
    rk_mark mark = rk_scratch_mark(x->env);
    int64_t nonzeros = s->starts[x->rows], *wide;
    char name[256];
    snprintf(name, sizeof name, "%swidth", prefix);
    TRY(rk_archive_put_int(archive, name, x->columns));
    snprintf(name, sizeof name, "%sstarts", prefix);
    TRY(rk_archive_put(archive, name, &(rk_array){'q', 1, {x->rows + 1}, s->starts}));
    snprintf(name, sizeof name, "%svalues", prefix);
    TRY(rk_archive_put(archive, name, &(rk_array){'d', 1, {nonzeros}, s->values}));
    TRY(rk_scratch(x->env, nonzeros, sizeof *wide, &wide));
    for (int64_t q = 0; q < nonzeros; q++) wide[q] = s->columns[q];
    snprintf(name, sizeof name, "%scolumns", prefix);
    TRY(rk_archive_put_copy(archive, name, &(rk_array){'q', 1, {nonzeros}, wide}));
done:
    rk_scratch_release(x->env, mark);
    return status;
}

static rkhs_status load_sparse(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_sparse *s = out->self;
    char name[256];
    rk_array starts, values, columns;
    int64_t width;
    snprintf(name, sizeof name, "%swidth", prefix);
    TRY(rk_archive_get_int(archive, name, &width));
    snprintf(name, sizeof name, "%sstarts", prefix);
    TRY(rk_archive_get(archive, name, 'q', 1, &starts));
    snprintf(name, sizeof name, "%svalues", prefix);
    TRY(rk_archive_get(archive, name, 'd', 1, &values));
    snprintf(name, sizeof name, "%scolumns", prefix);
    TRY(rk_archive_get(archive, name, 'q', 1, &columns));
    int64_t rows = starts.shape[0] - 1, nonzeros = values.shape[0];
    if (rows < 1 || width < 1 || width > INT32_MAX || columns.shape[0] != nonzeros ||
        ((const int64_t *)starts.data)[rows] != nonzeros)
        FAIL(env, RKHS_ERR_FORMAT, "the arrays of the sparse rows '%s' do not fit together: make the file again", prefix);
    out->rows = rows;
    out->columns = width;
    TRY(make_room(env, out, nonzeros));
    memcpy(s->own_starts, starts.data, (size_t)(rows + 1) * sizeof *s->own_starts);
    if (nonzeros) memcpy(s->own_values, values.data, (size_t)nonzeros * sizeof *s->own_values);
    for (int64_t q = 0; q < nonzeros; q++) {
        int64_t c = ((const int64_t *)columns.data)[q];
        s->own_columns[q] = c < 0 || c >= width ? -1 : (int32_t)c; /* rk_sparse_check refuses -1 */
    }
    TRY(rk_sparse_check(env, name, out));
done:
    return status;
}

rkhs_status rk_sparse_as_dense(const rkhs_data *x, rkhs_data **dense) {
    const rk_sparse *s = sparse_of(x);
    double *values;
    *dense = NULL;
    rkhs_status status = rk_require_memory(x->env, 8.0 * (double)x->rows * (double)x->columns,
                                           "sparse rows in full, as those they are "
                                           "compared with,",
                                           "raise the memory limit, or give both data sets as sparse rows");
    if (status == RKHS_OK) status = rk_data_dense_new(x->env, x->rows, x->columns, &values, dense);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++) values[i * x->columns + s->columns[q]] = s->values[q];
    return RKHS_OK;
}

rkhs_status rk_dense_as_sparse(const rkhs_data *x, rkhs_data **sparse) {
    const rk_dense *d = x->self;
    double *values;
    int32_t *columns;
    int64_t *starts, count = 0;
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t c = 0; c < x->columns; c++) count += rk_dense_at(d, i, c) != 0;
    rkhs_status status = rk_data_sparse_new(x->env, x->rows, x->columns, count, &values, &columns, &starts, sparse);
    if (status != RKHS_OK) return status;
    count = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t c = 0; c < x->columns; c++)
            if (rk_dense_at(d, i, c) != 0) values[count] = rk_dense_at(d, i, c), columns[count++] = (int32_t)c;
        starts[i + 1] = count;
    }
    return RKHS_OK;
}

static void release_sparse(rkhs_data *x) {
    rk_free(x->env, sparse_of(x)->own_values);
    rk_free(x->env, sparse_of(x)->own_columns);
    rk_free(x->env, sparse_of(x)->own_starts);
}

/* clang-format off */
const rk_data_type rk_data_sparse = {
    .entry = {.name = "sparse", .brief = "sparse vectors: of each row the numbers that are not 0",
              .size = sizeof(rk_sparse)},
    .kind = RK_KIND_SPARSE, .subset = subset_sparse, .join = join_sparse, .save = save_sparse, .load = load_sparse,
    .release = release_sparse,
};
/* clang-format on */
