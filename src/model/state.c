/* state.c: copies, saves and loads a model's state, which is what its type keeps beside the map, by a table of fields.
 *
 * A field is saved as "state/NAME". Older files have it among the report's items, under the name `old`, and are read
 * as well. Values and shapes are checked by the type's `check`. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 96 }; /* bytes for an entry's name */

static void *at(const rk_state_part *part, const void *state) { return (char *)(uintptr_t)state + part->offset; }

/* A field as an array that borrows its values; type 0: it is not set. */
static rk_array part_array(const rk_state_part *part, const void *state) {
    const void *p = at(part, state);
    const rk_state_matrix *m = p;
    const char *text = part->kind == RK_STATE_TEXT ? *(char *const *)p : NULL;
    if (text) return (rk_array){'S', 1, {(int64_t)strlen(text)}, text};
    if (part->kind == RK_STATE_NUMBER && !isnan(*(const double *)p)) return (rk_array){'d', 0, {0}, p};
    if (part->kind == RK_STATE_MATRIX && m->values) return (rk_array){'d', 2, {m->rows, m->columns}, m->values};
    return (rk_array){0};
}

rkhs_status rk_state_matrix_set(rkhs_env *env, rk_state_matrix *to, int64_t rows, int64_t columns, const double *values) {
    rkhs_status status = rk_alloc(env, rows * columns, sizeof *to->values, &to->values);
    if (status != RKHS_OK) return status;
    memcpy(to->values, values, (size_t)(rows * columns) * sizeof *values);
    to->rows = rows;
    to->columns = columns;
    return RKHS_OK;
}

/* Sets a field to a copy of an array of its kind. */
static rkhs_status part_set(rkhs_env *env, const rk_state_part *part, void *state, const rk_array *a) {
    void *p = at(part, state);
    if (part->kind == RK_STATE_MATRIX) return rk_state_matrix_set(env, p, a->shape[0], a->shape[1], a->data);
    if (part->kind == RK_STATE_TEXT) return rk_strdup(env, a->data, p);
    *(double *)p = *(const double *)a->data;
    return RKHS_OK;
}

rkhs_status rk_state_new(rkhs_env *env, const rk_model_type *type, void **state) {
    rkhs_status status = type->state ? rk_alloc(env, 1, type->state_size, state) : RKHS_OK;
    for (const rk_state_part *part = type->state; status == RKHS_OK && part && part->name; part++)
        if (part->kind == RK_STATE_NUMBER) *(double *)at(part, *state) = NAN;
    return status;
}

void rk_state_free(rkhs_env *env, const rk_model_type *type, void *state) {
    for (const rk_state_part *part = type->state; state && part && part->name; part++)
        if (part->kind != RK_STATE_NUMBER) rk_free(env, part_array(part, state).data);
    rk_free(env, state);
}

rkhs_status rk_state_copy(rkhs_env *env, const rk_model_type *type, const void *state, void **copy) {
    rkhs_status status = rk_state_new(env, type, copy);
    for (const rk_state_part *part = type->state; status == RKHS_OK && part && part->name; part++) {
        rk_array a = part_array(part, state);
        if (a.type) status = part_set(env, part, *copy, &a);
    }
    return status;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

rkhs_status rk_state_save(const rk_model_type *type, const void *state, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    char name[ROOM];
    for (const rk_state_part *part = type->state; status == RKHS_OK && part && part->name; part++) {
        rk_array a = part_array(part, state);
        snprintf(name, sizeof name, "state/%s", part->name);
        if (a.type) status = rk_archive_put(archive, name, &a);
    }
    return status;
}

int rk_state_has(const rk_model_type *type, const char *item) {
    for (const rk_state_part *part = type->state; part && part->name; part++)
        if (part->kind == RK_STATE_MATRIX && part->old && strcmp(part->old, item) == 0) return 1;
    return 0;
}

/* Refuses fields that this type does not have. */
static rkhs_status check_names(rkhs_env *env, const rk_archive *archive, const rk_model_type *type) {
    for (int64_t i = 0; i < rk_archive_count(archive); i++) {
        const char *name = rk_archive_name(archive, i);
        int known = 0;
        if (strncmp(name, "state/", 6) != 0) continue;
        for (const rk_state_part *part = type->state; part && part->name; part++) known |= strcmp(name + 6, part->name) == 0;
        if (!known)
            return rk_fail(env, RKHS_ERR_FORMAT, "it has '%.80s', which %s does not keep: fit the model again", name,
                           type->entry.name);
    }
    return RKHS_OK;
}

/* Loads a field: a text must be UTF-8, numbers finite. */
static rkhs_status part_load(rkhs_env *env, rk_archive *archive, const char *name, const rk_state_part *part, void *state) {
    rkhs_status status = RKHS_OK;
    rk_array a;
    const char *text = NULL;
    if (part->kind == RK_STATE_TEXT) {
        TRY(rk_archive_get_text(archive, name, &text));
        a.data = text;
    } else {
        TRY(rk_archive_get(archive, name, 'd', part->kind == RK_STATE_MATRIX ? 2 : -1, &a));
        TRY(rk_check_array_finite(env, archive, name, &a));
    }
    while (text && *text)
        if (rk_utf8_take(&text) == RK_NO_CHARACTER) FAIL(env, RKHS_ERR_FORMAT, "'%s' is not UTF-8: fit the model again", name);
    for (int i = 0; part->kind == RK_STATE_NUMBER && i < a.ndim; i++)
        if (a.shape[i] != 1) FAIL(env, RKHS_ERR_FORMAT, "'%s' is not one number: fit the model again", name);
    TRY(part_set(env, part, state, &a));
done:
    return status;
}

rkhs_status rk_state_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, void **state) {
    rkhs_status status = RKHS_OK;
    char name[ROOM];
    TRY(check_names(env, archive, type));
    TRY(rk_state_new(env, type, state));
    for (const rk_state_part *part = type->state; part && part->name; part++) {
        snprintf(name, sizeof name, "state/%s", part->name);
        if (!rk_archive_has(archive, name) && part->old) snprintf(name, sizeof name, "report/%s", part->old);
        if (rk_archive_has(archive, name)) TRY(part_load(env, archive, name, part, *state));
    }
done:
    return status;
}
