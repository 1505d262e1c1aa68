/* gram_data.c: the data kind "gram", rows of a precomputed Gram matrix with one column for each training object.
 *
 * A row is a training object, whose index is then known, or a new object. The kernel of row i of a and row j of b is
 * k(a_i, b_j) = a.values[i][b.index[j]]. Only the index of b_j is used, so a model file stores indices, not values. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static const rk_gram_rows *rows_of(const rkhs_data *x) { return x->self; }

/* The number of the training object in row i; -1 for a new object. */
static int64_t training_index(const rkhs_data *x, int64_t i) {
    const rk_gram_rows *g = rows_of(x);
    if (g->index) return g->index[i];
    return x->rows == x->columns ? i : -1;
}

/* A square matrix is the Gram matrix of the training objects; the rows of any other matrix are new objects. Floats are
 * widened: models read the whole matrix as doubles, again and again. */
static rkhs_status adopt_gram(rkhs_env *env, const rkhs_data *from, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_gram_rows *g = out->self;
    const rk_dense *d = rk_dense_of(from);
    g->values = rkhs_data_values(from, &g->ld);
    if (!g->values) {
        TRY(rk_require_memory(env, 8.0 * (double)from->rows * (double)from->columns, "a Gram matrix of 32-bit numbers in full,",
                              "raise the memory limit"));
        TRY(rk_alloc(env, from->rows * from->columns, sizeof *g->owned, &g->owned));
        for (int64_t i = 0; i < from->rows; i++) rk_dense_row(d, i, 0, from->columns, g->owned + i * from->columns);
        g->values = g->owned;
        g->ld = from->columns;
    }
    if (from->rows != from->columns) goto done;
    TRY(rk_alloc(env, from->rows, sizeof *g->index, &g->index));
    for (int64_t i = 0; i < from->rows; i++) g->index[i] = i;
done:
    return status;
}

static rkhs_status subset_gram(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    const rk_gram_rows *g = rows_of(x);
    rk_gram_rows *to = out->self;
    if (g->values) {
        TRY(rk_alloc(env, count * x->columns, sizeof *to->owned, &to->owned));
        to->values = to->owned;
        to->ld = x->columns;
        for (int64_t i = 0; i < count; i++)
            memcpy(to->owned + i * x->columns, g->values + index[i] * g->ld, (size_t)x->columns * sizeof *to->owned);
    }
    if (training_index(x, 0) >= 0) {
        TRY(rk_alloc(env, count, sizeof *to->index, &to->index));
        for (int64_t i = 0; i < count; i++) to->index[i] = training_index(x, index[i]);
    }
done:
    return status;
}

/* New rows bring the kernel values; a stored object needs only its column number. */
static rkhs_status keep_gram(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    rk_gram_rows *to = out->self;
    rkhs_status status = rk_alloc(env, count, sizeof *to->index, &to->index);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++) to->index[i] = training_index(x, index[i]);
    return status;
}

static rkhs_status save_gram(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    rkhs_status status = RKHS_OK;
    const rk_gram_rows *g = rows_of(x);
    rk_mark mark = rk_scratch_mark(x->env);
    char name[256];
    int64_t *index;
    snprintf(name, sizeof name, "%scolumns", prefix);
    TRY(rk_archive_put_int(archive, name, x->columns));
    if (training_index(x, 0) < 0) FAIL(x->env, RKHS_ERR_BUG, "rows of a Gram that are no training objects were to be saved");
    snprintf(name, sizeof name, "%sindex", prefix);
    TRY(rk_scratch(x->env, x->rows, sizeof *index, &index));
    for (int64_t i = 0; i < x->rows; i++) index[i] = g->index ? g->index[i] : i;
    TRY(rk_archive_put_copy(archive, name, &(rk_array){'q', 1, {x->rows}, index}));
done:
    rk_scratch_release(x->env, mark);
    return status;
}

static rkhs_status load_gram(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_gram_rows *g = out->self;
    char name[256];
    rk_array a;
    snprintf(name, sizeof name, "%scolumns", prefix);
    TRY(rk_archive_get_int(archive, name, &out->columns));
    snprintf(name, sizeof name, "%sindex", prefix);
    TRY(rk_archive_get(archive, name, 'q', 1, &a));
    const int64_t *index = a.data;
    for (int64_t i = 0; i < a.shape[0]; i++)
        if (index[i] < 0 || index[i] >= out->columns)
            FAIL(env, RKHS_ERR_FORMAT, "the array '%s' names object %lld of %lld: make the file again", name,
                 (long long)index[i], (long long)out->columns);
    if (a.shape[0] < 1) FAIL(env, RKHS_ERR_FORMAT, "the array '%s' is empty: make the file again", name);
    TRY(rk_alloc(env, a.shape[0], sizeof *g->index, &g->index));
    memcpy(g->index, index, (size_t)a.shape[0] * sizeof *index);
    out->rows = a.shape[0];
done:
    return status;
}

static void release_gram(rkhs_data *x) {
    rk_free(x->env, rows_of(x)->owned);
    rk_free(x->env, rows_of(x)->index);
}

/* clang-format off */
const rk_data_type rk_data_gram = {
    .entry = {.name = "gram", .brief = "rows of a precomputed Gram matrix, a column for each training object",
              .size = sizeof(rk_gram_rows)},
    .kind = RK_KIND_GRAM, .subset = subset_gram, .keep = keep_gram, .save = save_gram, .load = load_gram,
    .adopts = RK_KIND_DENSE | RK_KIND_IMAGE, .adopt = adopt_gram, .release = release_gram,
};
/* clang-format on */
