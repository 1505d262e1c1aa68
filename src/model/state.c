/* state.c: what a model of one type keeps beside its map, by the table of its parts: memory, copies, files.
 *
 * A part stands in a file as "state/NAME". Files of before had these among the items of the report, under the name `old`, and
 * are read as well. What numbers mean and how large matrices are is for the type's `check`. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 96 }; /* for the name of an entry */

static void *at(const rk_state_part *part, const void *state) { return (char *)(uintptr_t)state + part->offset; }

static rkhs_status state_new(rkhs_env *env, const rk_model_type *type, void **state) {
    rkhs_status status = rk_alloc(env, 1, type->state_size, state);
    for (const rk_state_part *part = type->state; part && part->name; part++)
        if (status == RKHS_OK && part->kind == RK_STATE_NUMBER) *(double *)at(part, *state) = NAN;
    return status;
}

rkhs_status rk_state_new(rkhs_env *env, const rk_model_type *type, void **state) {
    return type->state ? state_new(env, type, state) : RKHS_OK;
}

void rk_state_free(rkhs_env *env, const rk_model_type *type, void *state) {
    if (!state) return;
    for (const rk_state_part *part = type->state; part && part->name; part++) {
        if (part->kind == RK_STATE_TEXT) rk_free(env, *(char **)at(part, state));
        if (part->kind == RK_STATE_MATRIX) rk_free(env, ((rk_state_matrix *)at(part, state))->values);
    }
    rk_free(env, state);
}

rkhs_status rk_state_matrix_set(rkhs_env *env, rk_state_matrix *to, int64_t rows, int64_t columns, const double *values) {
    rkhs_status status = rk_alloc(env, rows * columns, sizeof *to->values, &to->values);
    if (status != RKHS_OK) return status;
    memcpy(to->values, values, (size_t)(rows * columns) * sizeof *values);
    to->rows = rows;
    to->columns = columns;
    return RKHS_OK;
}

rkhs_status rk_state_copy(rkhs_env *env, const rk_model_type *type, const void *state, void **copy) {
    rkhs_status status = RKHS_OK;
    if (!state) return RKHS_OK;
    TRY(state_new(env, type, copy));
    for (const rk_state_part *part = type->state; part && part->name; part++) {
        const void *from = at(part, state);
        void *to = at(part, *copy);
        const rk_state_matrix *m = from;
        const char *text = part->kind == RK_STATE_TEXT ? *(char *const *)from : NULL;
        if (part->kind == RK_STATE_NUMBER) *(double *)to = *(const double *)from;
        if (text) TRY(rk_strdup(env, text, to));
        if (part->kind == RK_STATE_MATRIX && m->values) TRY(rk_state_matrix_set(env, to, m->rows, m->columns, m->values));
    }
done:
    return status;
}

rkhs_status rk_state_save(const rk_model_type *type, const void *state, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    char name[ROOM];
    for (const rk_state_part *part = type->state; part && part->name; part++) {
        const void *from = at(part, state);
        snprintf(name, sizeof name, "state/%s", part->name);
        const rk_state_matrix *m = from;
        const char *text = part->kind == RK_STATE_TEXT ? *(char *const *)from : NULL;
        if (part->kind == RK_STATE_NUMBER && !isnan(*(const double *)from))
            TRY(rk_archive_put_real(archive, name, *(const double *)from));
        if (text) TRY(rk_archive_put_text(archive, name, text));
        if (part->kind == RK_STATE_MATRIX && m->values)
            TRY(rk_archive_put(archive, name, &(rk_array){'d', 2, {m->rows, m->columns}, m->values}));
    }
done:
    return status;
}

/* ---- files --------------------------------------------------------------------------------------------------------------- */

int rk_state_has(const rk_model_type *type, const char *item) {
    for (const rk_state_part *part = type->state; part && part->name; part++)
        if (part->kind == RK_STATE_MATRIX && strcmp(part->old, item) == 0) return 1;
    return 0;
}

/* The entry of a part, by its name of today or of before; 0: there is none. */
static int entry_of(const rk_archive *archive, const rk_state_part *part, char name[ROOM]) {
    snprintf(name, ROOM, "state/%s", part->name);
    if (!rk_archive_has(archive, name)) snprintf(name, ROOM, "report/%s", part->old);
    return rk_archive_has(archive, name);
}

static rkhs_status load_text(rkhs_env *env, rk_archive *archive, const char *name, char **to) {
    rkhs_status status = RKHS_OK;
    const char *text;
    TRY(rk_archive_get_text(archive, name, &text));
    for (const char *s = text; *s;)
        if (rk_utf8_take(&s) == RK_NO_CHARACTER) FAIL(env, RKHS_ERR_FORMAT, "'%s' is not UTF-8: fit the model again", name);
    TRY(rk_strdup(env, text, to));
done:
    return status;
}

static rkhs_status load_numbers(rkhs_env *env, rk_archive *archive, const char *name, const rk_state_part *part, void *to) {
    rkhs_status status = RKHS_OK;
    rk_array a;
    int matrix = part->kind == RK_STATE_MATRIX;
    TRY(rk_archive_get(archive, name, 'd', matrix ? 2 : -1, &a));
    TRY(rk_file_finite(env, archive, name, &a));
    if (matrix) TRY(rk_state_matrix_set(env, to, a.shape[0], a.shape[1], a.data));
    for (int i = 0; !matrix && i < a.ndim; i++)
        if (a.shape[i] != 1) FAIL(env, RKHS_ERR_FORMAT, "'%s' is not one number: fit the model again", name);
    if (!matrix) *(double *)to = *(const double *)a.data;
done:
    return status;
}

/* Refuses parts that a model of this type does not have. */
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

rkhs_status rk_state_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, void **state) {
    rkhs_status status = RKHS_OK;
    char name[ROOM];
    TRY(check_names(env, archive, type));
    TRY(rk_state_new(env, type, state));
    for (const rk_state_part *part = type->state; part && part->name; part++) {
        if (!entry_of(archive, part, name)) continue;
        TRY(part->kind == RK_STATE_TEXT ? load_text(env, archive, name, at(part, *state))
                                        : load_numbers(env, archive, name, part, at(part, *state)));
    }
done:
    return status;
}
