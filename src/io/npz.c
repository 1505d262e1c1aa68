/* npz.c: the format "npz", ZIP archives of arrays from numpy.savez, numpy.savez_compressed and scipy.sparse.save_npz.
 *
 * The whole file is read into memory, since its directory is at the end; an array is inflated while it is read. Arrays
 * named format, shape, data, indices and indptr are a sparse matrix of SciPy (CSR). Files are written by the archive
 * writer of model files, uncompressed: the same data give the same bytes. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

typedef struct npz {
    char *key;
} npz;

/* The arrays of a file. */
typedef struct bundle {
    rkhs_env *env;
    const char *name; /* of the file */
    char *bytes;
    rk_zip_entry *entries; /* on the scratch list; names are without .npy */
    int64_t count;
} bundle;

/* ---- the arrays ------------------------------------------------------------------------------------------------ */

/* Reads the file and its directory. */
static rkhs_status open_bundle(bundle *b, rkhs_env *env, rk_input *in) {
    rkhs_status status = RKHS_OK;
    rk_zip zip;
    rk_zip_entry e;
    size_t length;
    *b = (bundle){.env = env, .name = rk_input_name(in)};
    TRY(rk_input_read_all(in, &b->bytes, &length));
    if (length == 0) FAIL(env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", b->name);
    if (length < 4 || (memcmp(b->bytes, "PK\3\4", 4) != 0 && memcmp(b->bytes, "PK\5\6", 4) != 0))
        TRY(rk_fail_hint(env, RKHS_ERR_FORMAT, "format", "%s: this is not a NumPy archive (.npz): name its format", b->name));
    const char *why = rk_zip_open(&zip, b->bytes, length);
    if (!why) TRY(rk_scratch(env, (int64_t)zip.count, sizeof *b->entries, &b->entries));
    while (!why && zip.count > 0) {
        why = rk_zip_next(&zip, &e);
        if (why || e.name_length < 5 || memcmp(e.name + e.name_length - 4, ".npy", 4) != 0) continue;
        e.name_length -= 4;
        b->entries[b->count++] = e;
    }
    if (why) FAIL(env, RKHS_ERR_FORMAT, "%s: the archive is damaged (%s): copy or save the file again", b->name, why);
    if (b->count == 0)
        FAIL(env, RKHS_ERR_DATA, "%s: there is no array in the archive: save one, numpy.savez(file, X=x)", b->name);
done:
    return status;
}

/* The array named `key`, or NULL. */
static const rk_zip_entry *find_array(const bundle *b, const char *key) {
    size_t length = strlen(key);
    for (int64_t i = 0; i < b->count; i++)
        if (b->entries[i].name_length == length && memcmp(b->entries[i].name, key, length) == 0) return &b->entries[i];
    return NULL;
}

/* Lists the arrays for messages, as many as fit: "X, y, weights". */
static const char *names_text(const bundle *b, char buffer[320]) {
    int used = 0;
    buffer[0] = 0;
    for (int64_t i = 0; i < b->count; i++) {
        int length = (int)rk_min((int64_t)b->entries[i].name_length, 60);
        if (used + length > 240) {
            snprintf(buffer + used, (size_t)(320 - used), ", ... (%lld in all)", (long long)b->count);
            break;
        }
        used += snprintf(buffer + used, (size_t)(320 - used), "%s%.*s", i ? ", " : "", length, b->entries[i].name);
    }
    return buffer;
}

static int is_label_name(const rk_zip_entry *e) {
    return (e->name_length == 1 && e->name[0] == 'y') || (e->name_length == 6 && memcmp(e->name, "labels", 6) == 0);
}

/* Chooses the array named `key`; without a key, the first of `names` that exists, else the only one (labels not
 * counted unless they are wanted). */
static rkhs_status choose(const bundle *b, const char *key, const char *const *names, int labels, const rk_zip_entry **out) {
    char all[320];
    const rk_zip_entry *only = NULL;
    int64_t others = 0;
    *out = key ? find_array(b, key) : NULL;
    for (; !key && !*out && *names; names++) *out = find_array(b, *names);
    for (int64_t i = 0; i < b->count; i++) {
        if (b->count > 1 && !labels && is_label_name(&b->entries[i])) continue;
        only = &b->entries[i];
        others++;
    }
    if (!key && !*out && others == 1) *out = only;
    if (*out) return RKHS_OK;
    if (key)
        return rk_fail(b->env, RKHS_ERR_DATA, "%s: there is no array '%.60s' in the archive: take one of %s", b->name, key,
                       names_text(b, all));
    return rk_fail(b->env, RKHS_ERR_DATA, "%s: there are %s, and none is called %s: say which, npz(key=NAME), of %s", b->name,
                   rk_counted(b->count, "array").text, labels ? "y or labels" : "X, x, data or arr_0", names_text(b, all));
}

/* Opens an array and reads its header. The caller closes *in, even on failure. */
static rkhs_status open_array(const bundle *b, const rk_zip_entry *e, rk_input **in, rk_npy *npy) {
    char where[512];
    snprintf(where, sizeof where, "%.300s: the array '%.*s'", b->name, (int)rk_min((int64_t)e->name_length, 80), e->name);
    rkhs_status status = rk_zip_input(b->env, where, e, in);
    return status == RKHS_OK ? rk_npy_read_header(b->env, *in, npy) : status;
}

/* ---- SciPy's sparse matrices ----------------------------------------------------------------------------------- */

static int is_sparse(const bundle *b) {
    static const char *const names[] = {"format", "shape", "data"};
    for (int i = 0; i < 3; i++)
        if (!find_array(b, names[i])) return 0;
    return 1;
}

/* Reads the array "format", one short word ("csr") as bytes or UCS-4. */
static rkhs_status read_layout(const bundle *b, char word[8]) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    rk_npy npy;
    char bytes[32];
    size_t got = 0;
    memset(word, 0, 8);
    TRY(open_array(b, find_array(b, "format"), &in, &npy));
    int64_t step = npy.kind == 'U' ? 4 : 1, first = npy.kind == 'U' && npy.order == '>' ? 3 : 0;
    if ((npy.kind != 'S' && npy.kind != 'U') || npy.count != 1 || npy.size > 7 * step || npy.size < 1)
        FAIL(b->env, RKHS_ERR_FORMAT, "%s is not the name of a sparse form: save it with scipy.sparse.save_npz",
             rk_input_name(in));
    TRY(rk_input_read(in, bytes, (size_t)npy.size, &got));
    for (int64_t i = 0; i * step < (int64_t)got; i++) word[i] = bytes[i * step + first];
done:
    rk_input_close(in);
    return status;
}

/* Reads a one-dimensional array of a sparse matrix; with `whole`, nonnegative integers. The caller frees *values. */
static rkhs_status read_line(const bundle *b, const char *key, int whole, double **values, int64_t *count) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    rk_npy npy;
    const rk_zip_entry *e = find_array(b, key);
    *values = NULL;
    *count = 0;
    if (!e) FAIL(b->env, RKHS_ERR_FORMAT, "%s: the sparse matrix has no array '%s': save it again", b->name, key);
    TRY(open_array(b, e, &in, &npy));
    if (npy.ndim != 1)
        FAIL(b->env, RKHS_ERR_FORMAT, "%s has %s, and that of a sparse matrix has 1: save it again", rk_input_name(in),
             rk_counted(npy.ndim, "dimension").text);
    TRY(rk_npy_read_doubles(b->env, in, &npy, values));
    for (int64_t i = 0; whole && i < npy.count; i++)
        if (!((*values)[i] >= 0 && (*values)[i] <= 9007199254740992.0 && (*values)[i] == floor((*values)[i])))
            FAIL(b->env, RKHS_ERR_FORMAT, "%s has %g at position %lld, not a position or a size: save it again",
                 rk_input_name(in), (*values)[i], (long long)i);
    *count = npy.count;
done:
    rk_input_close(in);
    return status;
}

/* The four arrays of a CSR matrix, unchecked. */
typedef struct csr {
    double *shape, *starts, *columns, *values;
    int64_t dims, rows1, indices, count; /* their lengths */
} csr;

/* Checks that the arrays fit together, and that columns are in range and ascend in each row. */
static rkhs_status check_csr(const bundle *b, const csr *m) {
    rkhs_status status = RKHS_OK;
    if (m->dims != 2 || m->shape[0] < 1 || m->shape[1] < 1)
        FAIL(b->env, RKHS_ERR_DATA, "%s: the sparse matrix is empty, or no matrix: give at least one row and one column",
             b->name);
    if (m->shape[1] > 2147483647.0)
        FAIL(b->env, RKHS_ERR_DATA, "%s: the sparse matrix has %.0f columns, and 2147483647 are the most: keep fewer", b->name,
             m->shape[1]);
    int fits = m->indices == m->count && m->shape[0] == (double)(m->rows1 - 1) && m->starts[0] == 0 &&
               m->starts[m->rows1 - 1] == (double)m->count;
    for (int64_t i = 1; fits && i < m->rows1; i++) fits = m->starts[i] >= m->starts[i - 1];
    if (!fits)
        FAIL(b->env, RKHS_ERR_FORMAT, "%s: the arrays of the sparse matrix do not fit each other: save it again", b->name);
    for (int64_t i = 0; i + 1 < m->rows1; i++) {
        int64_t stop = (int64_t)m->starts[i + 1];
        for (int64_t q = (int64_t)m->starts[i]; q < stop; q++) {
            if (m->columns[q] >= m->shape[1])
                FAIL(b->env, RKHS_ERR_FORMAT,
                     "%s: row %lld (counted from 1) has the column %.0f, and there are %.0f: "
                     "save it again",
                     b->name, (long long)i + 1, m->columns[q], m->shape[1]);
            if (q > (int64_t)m->starts[i] && m->columns[q] <= m->columns[q - 1])
                FAIL(b->env, RKHS_ERR_DATA,
                     "%s: row %lld (counted from 1) has columns that do not ascend: "
                     "call x.sum_duplicates() before it is saved",
                     b->name, (long long)i + 1);
        }
    }
done:
    return status;
}

static rkhs_status read_sparse(const bundle *b, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    csr m = {0};
    char word[8];
    double *values;
    int32_t *columns;
    int64_t *starts;
    TRY(read_layout(b, word));
    if (strcmp(word, "csr") != 0)
        FAIL(b->env, RKHS_ERR_DATA, "%s: the sparse matrix has the form '%s', and csr is read: save x.tocsr()", b->name, word);
    TRY(read_line(b, "shape", 1, &m.shape, &m.dims));
    TRY(read_line(b, "indptr", 1, &m.starts, &m.rows1));
    TRY(read_line(b, "indices", 1, &m.columns, &m.indices));
    TRY(read_line(b, "data", 0, &m.values, &m.count));
    TRY(check_csr(b, &m));
    TRY(rk_data_sparse_new(b->env, m.rows1 - 1, (int64_t)m.shape[1], m.count, &values, &columns, &starts, &x));
    for (int64_t i = 0; i < m.rows1; i++) starts[i] = (int64_t)m.starts[i];
    for (int64_t q = 0; q < m.count; q++) columns[q] = (int32_t)m.columns[q], values[q] = m.values[q];
    TRY(rk_sparse_check(b->env, b->name, x));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_free(b->env, m.shape);
    rk_free(b->env, m.starts);
    rk_free(b->env, m.columns);
    rk_free(b->env, m.values);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Attaches the array y or labels to x as labels if it has one integer, boolean or word per row; else ignores it. */
static rkhs_status read_beside(const bundle *b, const rk_zip_entry *taken, rkhs_data *x) {
    static const char *const names[] = {"y", "labels"};
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    rk_npy npy;
    const rk_zip_entry *e = NULL;
    for (int i = 0; i < 2 && !e; i++) e = find_array(b, names[i]);
    if (!e || e == taken) return RKHS_OK;
    TRY(open_array(b, e, &in, &npy));
    if (npy.ndim == 1 && npy.shape[0] == x->rows && npy.size > 0 && strchr("biuSU", npy.kind))
        TRY(rk_npy_read_labels(b->env, in, &npy, &x->labels));
done:
    rk_input_close(in);
    return status;
}

static rkhs_status read_npz(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    static const char *const names[] = {"X", "x", "data", "arr_0", NULL};
    rkhs_status status = RKHS_OK;
    const npz *parameters = self;
    rk_mark mark = rk_scratch_mark(env);
    rk_input *array = NULL;
    rkhs_data *x = NULL;
    const rk_zip_entry *e = NULL;
    rk_npy npy;
    bundle b;
    TRY(open_bundle(&b, env, in));
    if (!parameters->key && is_sparse(&b)) {
        TRY(read_sparse(&b, &x));
    } else {
        TRY(choose(&b, parameters->key, names, 0, &e));
        TRY(open_array(&b, e, &array, &npy));
        TRY(rk_npy_read_elements(env, array, &npy, kinds, &x));
        rk_npy_advise(env, rk_input_name(array), &npy);
    }
    TRY(read_beside(&b, e, x));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_input_close(array);
    rk_free(env, b.bytes);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status read_labels_npz(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    static const char *const names[] = {"y", "labels", NULL};
    rkhs_status status = RKHS_OK;
    const npz *parameters = self;
    rk_mark mark = rk_scratch_mark(env);
    rk_input *array = NULL;
    const rk_zip_entry *e = NULL;
    rk_npy npy;
    bundle b;
    TRY(open_bundle(&b, env, in));
    TRY(choose(&b, parameters->key, names, 1, &e));
    TRY(open_array(&b, e, &array, &npy));
    TRY(rk_npy_read_labels(env, array, &npy, out));
done:
    rk_input_close(array);
    rk_free(env, b.bytes);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Puts labels as the array y of integers; *put is 0 if a name is not an integer. */
static rkhs_status put_labels(rkhs_env *env, rk_archive *archive, const rkhs_data *y, int *put) {
    rkhs_status status = RKHS_OK;
    int64_t *values;
    *put = 0;
    TRY(rk_scratch(env, y->rows, sizeof *values, &values));
    for (int64_t i = 0; i < y->rows; i++)
        if (!rk_integer_name(rk_label_text(y, i), &values[i])) goto done;
    TRY(rk_archive_put(archive, "y", &(rk_array){'q', 1, {y->rows}, values}));
    *put = 1;
done:
    return status;
}

/* Puts a matrix as the array X. */
static rkhs_status put_numbers(rkhs_env *env, rk_archive *archive, const rkhs_data *x, const rk_dense *m) {
    rkhs_status status = RKHS_OK;
    rk_array a = {m->values ? 'd' : 'f', 2, {x->rows, x->columns}, rk_dense_bytes(m, 0)};
    size_t bytes = (size_t)x->columns * rk_dense_size(m);
    char *packed;
    if (m->ld != x->columns) {
        TRY(rk_scratch(env, x->rows * (int64_t)bytes, 1, &packed));
        for (int64_t i = 0; i < x->rows; i++) memcpy(packed + (size_t)i * bytes, rk_dense_bytes(m, i), bytes);
        a.data = packed;
    }
    TRY(rk_archive_put(archive, "X", &a));
done:
    return status;
}

/* Puts a sparse matrix as scipy.sparse.save_npz does. */
static rkhs_status put_sparse(rkhs_env *env, rk_archive *archive, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    const rk_sparse *s = x->self;
    int64_t count = s->starts[x->rows], shape[2] = {x->rows, x->columns}, *columns;
    TRY(rk_scratch(env, count, sizeof *columns, &columns));
    for (int64_t q = 0; q < count; q++) columns[q] = s->columns[q];
    TRY(rk_archive_put(archive, "indices", &(rk_array){'q', 1, {count}, columns}));
    TRY(rk_archive_put(archive, "indptr", &(rk_array){'q', 1, {x->rows + 1}, s->starts}));
    TRY(rk_archive_put_text(archive, "format", "csr"));
    TRY(rk_archive_put_copy(archive, "shape", &(rk_array){'q', 1, {2}, shape}));
    TRY(rk_archive_put(archive, "data", &(rk_array){'d', 1, {count}, s->values}));
done:
    return status;
}

static rkhs_status write_npz(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    rk_archive *archive = NULL;
    rk_mark mark = rk_scratch_mark(env);
    const rkhs_data *labels = x->type == &rk_data_labels ? x : x->labels;
    const char *name = rk_output_name(out);
    rk_dense m;
    int put = 0;
    TRY(rk_archive_new(env, &archive));
    if (rk_matrix_to_write(x, &m))
        TRY(put_numbers(env, archive, x, &m));
    else if (x->type->kind == RK_KIND_SPARSE)
        TRY(put_sparse(env, archive, x));
    else if (x != labels)
        TRY(rk_fail_format_kind(x, name, "npz"));
    if (labels) TRY(put_labels(env, archive, labels, &put));
    if (x == labels && !put)
        FAIL(env, RKHS_ERR_DATA, "%s: labels that are words are not written as npz: write them as .npy or .csv", name);
    if (labels && !put)
        rk_log(env, RKHS_LOG_ADVICE, "%s: the labels are words and were left out: write them as .npy or .csv", name);
    TRY(rk_archive_write_to(archive, out));
done:
    rk_archive_free(archive);
    rk_scratch_release(env, mark);
    return status;
}

static const rk_param params[] = {
    {.name = "key",
     .kind = RK_WORD,
     .offset = offsetof(npz, key),
     .brief = "the array to read; not given: the only one, or the one called X, x, data or arr_0 (for labels y or labels)"},
    {.name = NULL}};

/* clang-format off */
const rk_format_type rk_format_npz = {
    .entry = {.name = "npz",
              .brief = "NumPy archives of arrays, compressed or not, and SciPy sparse matrices (csr)",
              .params = params, .size = sizeof(npz)},
    .endings = ".npz", .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_IMAGE, .magic = "PK\3\4", .read = read_npz,
    .read_labels = read_labels_npz, .write = write_npz,
};
/* clang-format on */
