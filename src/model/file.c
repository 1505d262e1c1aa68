/* file.c: model files: saves and loads a model as named arrays in an archive (base/archive.c) that NumPy opens.
 *
 *     format      the version of this layout           kept/...    the objects D of the map (model.h)
 *     library     the version that wrote it            map/...     B, c and how they are used
 *     model       spec text                            embedding   n x dim
 *     kernel      spec text, frozen                    keep        rows of the embedding that are in D, unless all are
 *     learnt/...  what the kernel learnt beyond it     report/...  what the fit found, for people
 *     own         names of kernels that the caller added, if any
 *     added       embedding of objects that the model added to the given ones, if any
 *     supervised  1: fitted with a second data set
 *     state/...   what a model of its type keeps beside the map (state.c)
 *
 * The bytes depend on data, spec and seed alone: no time, no path, no machine. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { FORMAT = 1 };

/* Puts everything into an archive, which borrows the model's arrays. The caller frees it. */
static rkhs_status gather(const rkhs_model *model, rk_archive **out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    rk_archive *archive = NULL;
    rk_text own = {.env = env};
    if (!model->map) FAIL(env, RKHS_ERR_ARGUMENT, "the model is not fitted: there is nothing to save");
    TRY(rk_archive_new(env, &archive));
    TRY(rk_archive_put_int(archive, "format", FORMAT));
    TRY(rk_archive_put_text(archive, "library", rkhs_version()));
    TRY(rk_archive_put_text(archive, "model", rkhs_model_text(model)));
    TRY(rk_archive_put_text(archive, "kernel", rkhs_kernel_text(model->kernel)));
    TRY(rk_kernel_save_learnt(model->kernel, archive));
    TRY(rk_kernel_user_names(model->kernel, &own));
    if (own.length) TRY(rk_archive_put_text(archive, "own", own.s));
    TRY(rk_archive_put(archive, "embedding", &(rk_array){'d', 2, {model->n, model->dim}, model->Z}));
    int64_t added = model->gram_rows - model->n;
    const double *rest = model->Z + model->n * model->dim;
    if (added) TRY(rk_archive_put(archive, "added", &(rk_array){'d', 2, {added, model->dim}, rest}));
    if (model->map_rows) TRY(rk_archive_put(archive, "keep", &(rk_array){'q', 1, {model->map->object_count}, model->map_rows}));
    TRY(rk_map_save(model->map, archive));
    if (model->supervised) TRY(rk_archive_put_int(archive, "supervised", 1));
    TRY(rk_state_save(model->type, model->state, archive));
    TRY(rk_report_save(&model->report, archive));
    *out = archive;
    archive = NULL;
done:
    rk_free(env, own.s);
    rk_archive_free(archive);
    return status;
}

rkhs_status rkhs_model_save(const rkhs_model *model, const char *path) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rk_archive *archive = NULL;
    if (!path) return rk_fail_null(model->env, "rkhs_model_save", "path");
    rk_begin_call(model->env);
    TRY(gather(model, &archive));
    TRY(rk_set_subject(model->env, path, rk_archive_write(archive, path)));
done:
    rk_archive_free(archive);
    return status;
}

rkhs_status rkhs_model_pack(const rkhs_model *model, void *bytes, size_t room, size_t *size) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rk_archive *archive = NULL;
    rk_output *out = NULL;
    if (!size || (room && !bytes))
        return rk_fail_null(model->env, "rkhs_model_pack", size ? "room for the bytes" : "variable for the size");
    rk_begin_call(model->env);
    TRY(gather(model, &archive));
    TRY(rk_output_memory(model->env, bytes, room, &out));
    TRY(rk_archive_write_to(archive, out));
    TRY(rk_output_commit(out));
    *size = (size_t)rk_output_size(out);
done:
    rk_output_free(out);
    rk_archive_free(archive);
    return status;
}

/* Refuses another version of the layout, before anything else is read. */
static rkhs_status check_format(rkhs_env *env, rk_archive *archive) {
    int64_t format;
    rkhs_status status = rk_archive_get_int(archive, "format", &format);
    if (status == RKHS_OK && format != FORMAT)
        return rk_fail(
            env, RKHS_ERR_FORMAT,
            "written by a %s version of rkhs (format %lld; this one reads format %d): use that version, or fit again",
            format > FORMAT ? "newer" : "different", (long long)format, FORMAT);
    return status;
}

/* Refuses a model with a user's kernel, unless it is registered in this env too. */
static rkhs_status check_own(rkhs_env *env, rk_archive *archive) {
    const char *at;
    const rk_entry *entry;
    if (!rk_archive_has(archive, "own")) return RKHS_OK;
    rkhs_status status = rk_archive_get_text(archive, "own", &at);
    while (status == RKHS_OK && *at) {
        char name[64];
        size_t skip = strspn(at, ", "), length = strcspn(at + skip, ", ");
        snprintf(name, sizeof name, "%.*s", (int)length, at + skip);
        at += skip + length;
        status = rk_list_get(env, &rk_kernels, name, &entry);
        if (status == RKHS_OK) continue;
        rk_clear_error(env);
        return rk_fail(env, RKHS_ERR_FORMAT,
                       "it needs the kernel '%s', which the program that made it had added: add it with "
                       "rkhs_env_add_kernel under that name before loading (the rkhs tool cannot)",
                       name);
    }
    return status;
}

static rkhs_status load_specs(rkhs_env *env, rk_archive *archive, rkhs_model **model) {
    rkhs_status status = RKHS_OK;
    const char *model_text, *kernel_text;
    TRY(rk_archive_get_text(archive, "model", &model_text));
    TRY(rk_archive_get_text(archive, "kernel", &kernel_text));
    TRY(check_own(env, archive));
    TRY(rk_model_new(env, model_text, model));
    TRY(rk_kernel_new(env, kernel_text, &(*model)->kernel));
    TRY(rk_kernel_load_learnt((*model)->kernel, archive));
done:
    return status;
}

rkhs_status rk_check_array_finite(rkhs_env *env, const rk_archive *archive, const char *name, const rk_array *a) {
    const double *v = a->data;
    int64_t count = 1;
    for (int i = 0; i < a->ndim; i++) count *= a->shape[i];
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return rk_fail(env, RKHS_ERR_FORMAT, "the array '%.80s' has numbers that are not finite: fit the model again",
                           name);
    return RKHS_OK;
}

/* Loads the embedding, and which of its rows are in D. */
static rkhs_status load_embedding(rkhs_env *env, rk_archive *archive, rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    rk_array Z, keep, added = {.shape = {0, 0}};
    TRY(rk_archive_get(archive, "embedding", 'd', 2, &Z));
    TRY(rk_check_array_finite(env, archive, "embedding", &Z));
    if (rk_archive_has(archive, "added")) {
        TRY(rk_archive_get(archive, "added", 'd', 2, &added));
        TRY(rk_check_array_finite(env, archive, "added", &added));
        if (added.shape[1] != Z.shape[1])
            FAIL(env, RKHS_ERR_FORMAT, "the array 'added' has %s, but 'embedding' has %lld: fit the model again",
                 rk_counted(added.shape[1], "column").text, (long long)Z.shape[1]);
    }
    m->n = Z.shape[0];
    m->dim = Z.shape[1];
    m->gram_rows = m->n + added.shape[0];
    TRY(rk_alloc(env, m->gram_rows * m->dim, sizeof *m->Z, &m->Z));
    memcpy(m->Z, Z.data, (size_t)(m->n * m->dim) * sizeof *m->Z);
    if (added.shape[0]) memcpy(m->Z + m->n * m->dim, added.data, (size_t)(added.shape[0] * m->dim) * sizeof *m->Z);
    if (rk_archive_has(archive, "keep")) {
        TRY(rk_archive_get(archive, "keep", 'q', 1, &keep));
        if (keep.shape[0] != m->map->object_count)
            FAIL(env, RKHS_ERR_FORMAT, "the array 'keep' has %s for %s: fit the model again",
                 rk_counted(keep.shape[0], "row").text, rk_counted(m->map->object_count, "object").text);
        TRY(rk_alloc(env, keep.shape[0], sizeof *m->map_rows, &m->map_rows));
        memcpy(m->map_rows, keep.data, (size_t)keep.shape[0] * sizeof *m->map_rows);
    }
done:
    return status;
}

/* Whether it was fitted with a second data set; older files say so in the report. */
static rkhs_status load_supervised(rk_archive *archive, rkhs_model *m) {
    int64_t value = rk_archive_has(archive, "report/second");
    rkhs_status status = RKHS_OK;
    if (rk_archive_has(archive, "supervised")) status = rk_archive_get_int(archive, "supervised", &value);
    m->supervised = value != 0;
    return status;
}

/* Makes a model from an archive, and frees the archive. */
static rkhs_status from_archive(rkhs_env *env, rk_archive *archive, rkhs_model **model) {
    rkhs_status status = RKHS_OK;
    rkhs_model *m = NULL;
    TRY(check_format(env, archive));
    TRY(load_specs(env, archive, &m));
    TRY(rk_map_load(env, archive, &m->map));
    TRY(load_embedding(env, archive, m));
    TRY(load_supervised(archive, m));
    TRY(rk_state_load(env, archive, m->type, &m->state));
    TRY(rk_report_load(env, archive, m->type, &m->report));
    status = rk_model_check(m);
    if (status == RKHS_ERR_FORMAT) rk_reword(env, status, "%s: fit the model again", env->message);
    TRY(status);
    TRY(rk_kernel_freeze(m->kernel, m->map->objects)); /* a saved kernel is frozen already: this only makes sure */
    *model = m;
    m = NULL;
done:
    if (status == RKHS_ERR_SPEC || status == RKHS_ERR_DATA ||
        status == RKHS_ERR_FORMAT) { /* the file is at fault, not the caller's spec or data */
        status = rk_reword(env, RKHS_ERR_FORMAT, "%s: %s", rk_archive_path(archive), env->message);
        env->subject[0] = 0;
    }
    rk_set_subject(env, rk_archive_path(archive), status);
    rkhs_model_free(m);
    rk_archive_free(archive);
    return status;
}

rkhs_status rkhs_model_load(rkhs_env *env, const char *path, rkhs_model **model) {
    if (!env || !path || !model) return rk_fail_null(env, "rkhs_model_load", model ? "path" : "variable for the model");
    rk_archive *archive;
    rk_begin_call(env);
    *model = NULL;
    rkhs_status status = rk_archive_read(env, path, &archive);
    return status == RKHS_OK ? from_archive(env, archive, model) : rk_set_subject(env, path, status);
}

rkhs_status rkhs_model_unpack(rkhs_env *env, const void *bytes, size_t size, rkhs_model **model) {
    if (!env || !bytes || !model) return rk_fail_null(env, "rkhs_model_unpack", model ? "bytes" : "variable for the model");
    rk_archive *archive;
    rk_begin_call(env);
    *model = NULL;
    rkhs_status status = rk_archive_parse(env, bytes, size, &archive);
    return status == RKHS_OK ? from_archive(env, archive, model) : status;
}
