/* column_names.c: column names, and matching the columns of new data to those of the training data by name.
 *
 * If both data sets have names, columns may come in any order. Extra columns are dropped, with a line of advice; a
 * missing column is an error. If either side has no names, columns are matched by position. */
#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rkhs_status rk_column_names_set(rkhs_data *x, const char *const *names) {
    char **copy = NULL;
    rkhs_status status = names ? rk_texts_copy(x->env, names, x->columns, &copy) : RKHS_OK;
    if (status != RKHS_OK) return status;
    rk_texts_free(x->env, x->names);
    x->names = copy;
    return RKHS_OK;
}

rkhs_status rk_column_names_copy(const rkhs_data *from, rkhs_data *to) {
    if (!from->names || to->names || from->columns != to->columns) return RKHS_OK;
    return rk_column_names_set(to, (const char *const *)from->names);
}

rkhs_status rkhs_data_set_column_names(rkhs_data *data, const char *const *names) {
    if (!data) return RKHS_ERR_ARGUMENT;
    rk_begin_call(data->env);
    if (!(data->type->kind & (RK_KIND_DENSE | RK_KIND_SPARSE)))
        return rk_fail(data->env, RKHS_ERR_ARGUMENT, "names are for the columns of dense and sparse data, not of %s data",
                       data->type->entry.name);
    for (int64_t c = 0; names && c < data->columns; c++)
        if (!names[c])
            return rk_fail(data->env, RKHS_ERR_ARGUMENT, "column %lld has no name: give all names or none", (long long)c);
    return rk_column_names_set(data, names);
}

const char *rkhs_data_column_name(const rkhs_data *data, int64_t column) {
    return data && data->names && column >= 0 && column < data->columns ? data->names[column] : NULL;
}

rkhs_status rk_column_names_save(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    if (!x->names) return RKHS_OK;
    return rk_texts_save(x->env, archive, prefix, "column_", (const char *const *)x->names, x->columns);
}

rkhs_status rk_column_names_load(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const char **names;
    char name[256];
    int64_t count;
    snprintf(name, sizeof name, "%scolumn_names", prefix);
    if (!rk_archive_has(archive, name)) return RKHS_OK;
    TRY(rk_texts_load(env, archive, prefix, "column_", &names, &count));
    if (count != x->columns)
        FAIL(env, RKHS_ERR_FORMAT, "%s for %s: make the file again", rk_counted(count, "name").text,
             rk_counted(x->columns, "column").text);
    TRY(rk_column_names_set(x, names));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* ---- matching by name ------------------------------------------------------------------------------------------ */

/* Column names for a message: "'a', 'b', 'c', 'd' and 3 more". */
typedef struct shown {
    char text[320];
    int64_t count;
} shown;

static void show(shown *s, const char *name) {
    size_t used = strlen(s->text);
    if (s->count++ < 4) snprintf(s->text + used, sizeof s->text - used, "%s'%.60s'", used ? ", " : "", name);
}

static const char *show_end(shown *s) {
    size_t used = strlen(s->text);
    if (s->count > 4) snprintf(s->text + used, sizeof s->text - used, " and %lld more", (long long)(s->count - 4));
    return s->text;
}

static rkhs_status twice(rkhs_env *env, const char *name) {
    return rk_fail(env, RKHS_ERR_DATA,
                   "the columns stand in another order than those they are compared with, and the name '%.60s' is there twice: "
                   "give every column a name of its own",
                   name);
}

/* Sets from[c] to the column of x that has the name of column c of `like`. Fails if one is missing or ambiguous. */
static rkhs_status match_columns(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, int64_t *from) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_text_table table;
    shown missing = {{0}, 0}, extra = {{0}, 0};
    char *used;
    TRY(rk_text_table_new(env, x->columns, &table));
    TRY(rk_scratch(env, x->columns, 1, &used));
    for (int64_t c = 0; c < x->columns; c++) {
        int64_t first = rk_text_table_add(&table, x->names[c], c);
        if (first != c) used[first] = 2;
    }
    for (int64_t c = 0; c < like->columns; c++) {
        from[c] = rk_text_table_find(&table, like->names[c]);
        if (from[c] < 0) {
            show(&missing, like->names[c]);
            continue;
        }
        if (used[from[c]]) TRY(twice(env, like->names[c]));
        used[from[c]] = 1;
    }
    if (missing.count)
        FAIL(env, RKHS_ERR_DATA,
             "there %s no column%s %s, which the objects that these are compared with have: give their columns, in any order, "
             "or a table without names",
             missing.count == 1 ? "is" : "are", missing.count == 1 ? "" : "s", show_end(&missing));
    for (int64_t c = 0; c < x->columns; c++)
        if (used[c] != 1 && rk_text_table_find(&table, x->names[c]) == c) show(&extra, x->names[c]);
    if (extra.count)
        rk_log(env, RKHS_LOG_ADVICE, "column%s %s: left out, as the model, or what is compared with, does not know %s",
               extra.count == 1 ? "" : "s", show_end(&extra), extra.count == 1 ? "it" : "them");
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Columns from[0] .. from[count-1] of dense x. */
static rkhs_status gather_dense(rkhs_env *env, const rkhs_data *x, const int64_t *from, int64_t count, rkhs_data **out) {
    const rk_dense *d = x->self;
    char *to;
    rkhs_status status = rk_data_alike_new(env, x, x->rows, count, &to, out);
    size_t size = rk_dense_size(d);
    for (int64_t i = 0; status == RKHS_OK && i < x->rows; i++)
        for (int64_t c = 0; c < count; c++, to += size) memcpy(to, rk_dense_bytes(d, i) + (size_t)from[c] * size, size);
    return status;
}

/* An entry of a sparse row. */
typedef struct entry {
    int32_t column;
    double value;
} entry;

static int by_column(const void *a, const void *b) {
    int32_t x = ((const entry *)a)->column, y = ((const entry *)b)->column;
    return (x > y) - (x < y);
}

/* The same for sparse x. The caller frees *out even on failure. */
static rkhs_status gather_sparse(rkhs_env *env, const rkhs_data *x, const int64_t *from, int64_t count, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    const rk_sparse *s = x->self;
    int64_t *starts, *to, q = 0;
    double *values;
    int32_t *cols;
    entry *row;
    TRY(rk_scratch(env, x->columns, sizeof *to, &to));
    TRY(rk_scratch(env, rk_min(x->columns, s->starts[x->rows]), sizeof *row, &row));
    for (int64_t c = 0; c < x->columns; c++) to[c] = -1;
    for (int64_t c = 0; c < count; c++) to[from[c]] = c;
    TRY(rk_data_sparse_new(env, x->rows, count, s->starts[x->rows], &values, &cols, &starts, out));
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t there = 0;
        for (int64_t k = s->starts[i]; k < s->starts[i + 1]; k++)
            if (to[s->columns[k]] >= 0) row[there++] = (entry){(int32_t)to[s->columns[k]], s->values[k]};
        qsort(row, (size_t)there, sizeof *row, by_column);
        for (int64_t k = 0; k < there; k++, q++) cols[q] = row[k].column, values[q] = row[k].value;
        starts[i + 1] = q;
    }
done:
    return status;
}

static int same_names(const rkhs_data *x, const rkhs_data *like) {
    if (x->columns != like->columns) return 0;
    for (int64_t c = 0; c < x->columns; c++)
        if (strcmp(x->names[c], like->names[c]) != 0) return 0;
    return 1;
}

rkhs_status rk_columns_align(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, rkhs_data **aligned) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *y = NULL;
    int64_t *from;
    *aligned = NULL;
    if (!x->names || !like->names || same_names(x, like) || !(x->type->kind & (RK_KIND_DENSE | RK_KIND_SPARSE))) return RKHS_OK;
    TRY(rk_scratch(env, like->columns, sizeof *from, &from));
    TRY(match_columns(env, x, like, from));
    TRY((x->type == &rk_data_sparse ? gather_sparse : gather_dense)(env, x, from, like->columns, &y));
    TRY(rk_column_names_copy(like, y));
    *aligned = y;
    y = NULL;
done:
    rkhs_data_free(y);
    rk_scratch_release(env, mark);
    return status;
}
