/* data.c: operations on data sets of any kind (create, free, subset, join, convert to another kind, save, load). */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

#define RK_DATA(name) &rk_data_##name.entry,
static const rk_entry *const entries[] = {
#include "data/datas.def"
    NULL};
#undef RK_DATA

const rk_list rk_datas = {"data", "kind of data", entries};

static const rk_data_type *type_of(const rk_entry *entry) { return (const rk_data_type *)entry; }

const rk_data_type *rk_data_type_find(const char *name) {
    const rk_entry *entry = rk_list_find(&rk_datas, name);
    return entry ? type_of(entry) : NULL;
}

int rkhs_data_row(const rkhs_data *data, int64_t i, double *row) {
    if (!data || !row || i < 0 || i >= data->rows) return 0;
    if (data->type == &rk_data_bits) {
        rk_bits_row(data, i, row);
        return 1;
    }
    if (data->type == &rk_data_sparse) {
        const rk_sparse *s = data->self;
        memset(row, 0, (size_t)data->columns * sizeof *row);
        for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++) row[s->columns[q]] = s->values[q];
        return 1;
    }
    if (data->type == &rk_data_index) {
        const int64_t *from = ((const rk_index *)data->self)->rows + i * data->columns;
        for (int64_t c = 0; c < data->columns; c++) row[c] = (double)from[c];
        return 1;
    }
    const rk_dense *d = rk_dense_of(data);
    if (!d) return 0;
    const double *there = rk_dense_row(d, i, 0, data->columns, row);
    if (there != row) memcpy(row, there, (size_t)data->columns * sizeof *row);
    return 1;
}

rkhs_status rk_data_new(rkhs_env *env, const rk_data_type *type, int64_t rows, int64_t columns, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    TRY(rk_alloc(env, 1, sizeof *x, &x));
    TRY(rk_alloc(env, 1, type->entry.size, &x->self));
    x->env = env;
    x->type = type;
    x->rows = rows;
    x->columns = columns;
    *out = x;
    x = NULL;
done:
    rk_free(env, x);
    return status;
}

void rkhs_data_free(rkhs_data *data) {
    if (!data) return;
    data->type->release(data);
    rkhs_data_free(data->labels);
    rkhs_data_free(data->under);
    rk_texts_free(data->env, data->names);
    rk_free(data->env, data->self);
    rk_free(data->env, data);
}

rkhs_status rk_data_subset(const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *part = NULL;
    *out = NULL;
    TRY(rk_data_new(x->env, x->type, count, x->columns, &part));
    TRY(x->type->subset(x->env, x, index, count, part));
    TRY(rk_column_names_copy(x, part));
    if (x->labels) TRY(rk_data_subset(x->labels, index, count, &part->labels));
    *out = part;
    part = NULL;
done:
    rkhs_data_free(part);
    return status;
}

rkhs_status rkhs_data_subset(const rkhs_data *data, const int64_t *index, int64_t count, rkhs_data **out) {
    if (!data || !out) return rk_fail_null(data ? data->env : NULL, "rkhs_data_subset", "variable for the subset");
    rkhs_env *env = data->env;
    rk_begin_call(env);
    *out = NULL;
    if (!index || count < 1) return rk_fail(env, RKHS_ERR_ARGUMENT, "a subset of no rows was asked for: give at least one row");
    for (int64_t i = 0; i < count; i++)
        if (index[i] < 0 || index[i] >= data->rows)
            return rk_fail(env, RKHS_ERR_ARGUMENT, "row %lld of the subset is %lld, and the data has rows 0 to %lld",
                           (long long)i, (long long)index[i], (long long)data->rows - 1);
    return rk_data_subset(data, index, count, out);
}

rkhs_status rk_data_join(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data **joined) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rkhs_data *first = parts[0], **labels, **list;
    rkhs_data *all = NULL, **aligned = NULL;
    int64_t rows = 0;
    int labelled = 1;
    *joined = NULL;
    TRY(rk_scratch(env, count, sizeof *labels, &labels));
    TRY(rk_scratch(env, count, sizeof *list, &list));
    TRY(rk_alloc(env, count, sizeof *aligned, &aligned));
    for (int k = 0; k < count; k++) {
        TRY(rk_columns_align(env, parts[k], first, &aligned[k]));
        const rkhs_data *x = list[k] = aligned[k] ? aligned[k] : parts[k];
        if (x->type != first->type)
            FAIL(env, RKHS_ERR_DATA, "%s data cannot be joined with %s data: give all in one form", x->type->entry.name,
                 first->type->entry.name);
        if (x->columns != first->columns)
            FAIL(env, RKHS_ERR_DATA, "rows of %s cannot be joined with rows of %lld: give the same columns in all",
                 rk_counted(x->columns, "column").text, (long long)first->columns);
        rows += x->rows;
        labels[k] = parts[k]->labels;
        labelled = labelled && labels[k];
    }
    if (!first->type->join)
        FAIL(env, RKHS_ERR_DATA,
             "rows of a precomputed Gram cannot be joined: its columns are objects too; compute one Gram of all objects");
    TRY(rk_data_new(env, first->type, rows, first->columns, &all));
    TRY(first->type->join(env, list, count, all));
    TRY(rk_column_names_copy(first, all));
    if (labelled) TRY(rk_data_join(env, labels, count, &all->labels));
    *joined = all;
    all = NULL;
done:
    for (int k = 0; aligned && k < count; k++) rkhs_data_free(aligned[k]);
    rk_free(env, aligned);
    rkhs_data_free(all);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rkhs_data_join(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data **joined) {
    if (!env || !joined) return rk_fail_null(env, "rkhs_data_join", "variable for the data");
    rk_begin_call(env);
    *joined = NULL;
    if (!parts || count < 1) return rk_fail(env, RKHS_ERR_ARGUMENT, "no data to join: give at least one set");
    for (int k = 0; k < count; k++)
        if (!parts[k]) return rk_fail(env, RKHS_ERR_ARGUMENT, "data set %d of those to join is a null pointer", k);
    return rk_data_join(env, parts, count, joined);
}

const char *rk_kinds_text(unsigned kinds, char buffer[128]) {
    size_t used = 0;
    buffer[0] = 0;
    if (kinds & RK_KIND_DENSE) kinds &= ~(unsigned)RK_KIND_IMAGE; /* dense implies image */
    for (const rk_entry *const *e = entries; *e; e++)
        if (type_of(*e)->kind & kinds && used < 100)
            used += (size_t)snprintf(buffer + used, 128 - used, "%s%s", used ? " or " : "", (*e)->name);
    return used ? buffer : "another kind of";
}

static int can_adopt(const rk_data_type *type, const rkhs_data *x) { return (type->adopts & x->type->kind) != 0; }

/* Converts x to `type`, which can adopt it. */
static rkhs_status adopt(rkhs_env *env, const rkhs_data *x, const rk_data_type *type, const rkhs_data **use, rkhs_data **view) {
    rkhs_data *as;
    rkhs_status status = rk_data_new(env, type, x->rows, x->columns, &as);
    if (status == RKHS_OK) status = type->adopt(env, x, as);
    if (status == RKHS_OK) status = rk_column_names_copy(x, as);
    if (status == RKHS_OK)
        *use = *view = as;
    else
        rkhs_data_free(as);
    return status;
}

/* Converts x, whose columns are matched, to the kind of `like` if possible. x is used unchanged if it has that kind,
 * or if it is of an accepted kind and has another number of columns. */
static rkhs_status coerce_to(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data *like,
                             const rkhs_data **use, rkhs_data **view) {
    *use = x;
    *view = NULL;
    if (x->type == like->type || (x->columns != like->columns && x->type->kind & kinds)) return RKHS_OK;
    if (rk_images(like) && rk_dense_of(x) && x->columns == like->columns) { /* `like` gives the shape */
        rkhs_status seen = rk_image_view(env, x, like, view);
        *use = *view;
        return seen;
    }
    if (can_adopt(like->type, x)) return adopt(env, x, like->type, use, view);
    if (x->type->kind & kinds && (RK_KIND_DENSE | RK_KIND_SPARSE) == (x->type->kind | like->type->kind)) {
        rkhs_status status = like->type == &rk_data_dense ? rk_sparse_as_dense(x, view) : rk_dense_as_sparse(x, view);
        *use = *view;
        return status;
    }
    return rk_data_coerce(env, x, kinds & ~(unsigned)RK_PREFER_BITS, what, use, view);
}

rkhs_status rk_data_coerce_like(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data *like,
                                const rkhs_data **use, rkhs_data **view) {
    rkhs_data *aligned;
    *use = NULL;
    *view = NULL;
    rkhs_status status = rk_columns_align(env, x, like, &aligned);
    if (status == RKHS_OK) status = coerce_to(env, aligned ? aligned : x, kinds, what, like, use, view);
    if (!aligned) return status;
    if (status != RKHS_OK) {
        rkhs_data_free(aligned);
        return status;
    }
    if (*view)
        (*view)->under = aligned;
    else
        *use = *view = aligned;
    return RKHS_OK;
}

rkhs_status rk_data_coerce(rkhs_env *env, const rkhs_data *x, unsigned kinds, const char *what, const rkhs_data **use,
                           rkhs_data **view) {
    rkhs_status status = RKHS_OK;
    char wanted[128];
    *use = NULL;
    *view = NULL;
    if (kinds & RK_PREFER_BITS && rk_bits_preferable(x)) return adopt(env, x, &rk_data_bits, use, view);
    if (x->type->kind & kinds) {
        *use = x;
        return RKHS_OK;
    }
    for (const rk_entry *const *e = entries; *e; e++) {
        const rk_data_type *type = type_of(*e);
        if (!(type->kind & kinds) || !can_adopt(type, x)) continue;
        if (type->kind == RK_KIND_BITS && kinds != RK_KIND_BITS && !rk_bits_preferable(x)) continue; /* next kind */
        return adopt(env, x, type, use, view);
    }
    FAIL(env, RKHS_ERR_DATA, "%s takes %s data, not %s: give it such data, or choose another kernel", what,
         rk_kinds_text(kinds, wanted), x->type->entry.name);
done:
    return status;
}

rkhs_status rk_data_save(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    char name[256];
    snprintf(name, sizeof name, "%skind", prefix);
    rkhs_status status = rk_archive_put_text(archive, name, x->type->entry.name);
    if (status == RKHS_OK) status = x->type->save(x, archive, prefix);
    return status == RKHS_OK ? rk_column_names_save(x, archive, prefix) : status;
}

rkhs_status rk_data_load(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    char name[256];
    const char *kind;
    *out = NULL;
    snprintf(name, sizeof name, "%skind", prefix);
    TRY(rk_archive_get_text(archive, name, &kind));
    const rk_data_type *type = rk_data_type_find(kind);
    if (!type)
        FAIL(env, RKHS_ERR_FORMAT, "it holds data of the kind '%.40s', which this library does not know: use a newer one",
             kind);
    TRY(rk_data_new(env, type, 0, 0, &x));
    TRY(type->load(env, archive, prefix, x));
    TRY(rk_column_names_load(env, archive, prefix, x));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

const char *rkhs_data_kind(const rkhs_data *data) { return data ? data->type->entry.name : NULL; }
int64_t rkhs_data_rows(const rkhs_data *data) { return data ? data->rows : 0; }
int64_t rkhs_data_columns(const rkhs_data *data) { return data ? data->columns : 0; }
const rkhs_data *rkhs_data_labels(const rkhs_data *data) { return data ? data->labels : NULL; }

rkhs_status rk_data_keep(const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data **kept) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = x->env;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *y = NULL;
    int64_t *all;
    *kept = NULL;
    if (!index) {
        count = x->rows;
        TRY(rk_scratch(env, count, sizeof *all, &all));
        for (int64_t i = 0; i < count; i++) all[i] = i;
        index = all;
    }
    TRY(rk_data_new(env, x->type, count, x->columns, &y));
    TRY((x->type->keep ? x->type->keep : x->type->subset)(env, x, index, count, y));
    TRY(rk_column_names_copy(x, y));
    *kept = y;
    y = NULL;
done:
    rkhs_data_free(y);
    rk_scratch_release(env, mark);
    return status;
}
