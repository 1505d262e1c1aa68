/* report.c: the report of a fit: named numbers, arrays and texts for people, such as eigenvalues and losses. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 1024, LONGEST = 64 }; /* limits for files: items, letters of a name; a fit leaves a few dozen items */

/* Appends an item of this name. */
static rkhs_status item_new(rkhs_env *env, rk_report *r, const char *name, rk_report_item **item) {
    if (r->count == r->room) {
        int64_t room = 2 * r->room + 8;
        rkhs_status status = rk_realloc(env, room, sizeof *r->items, &r->items);
        if (status != RKHS_OK) return status;
        r->room = room;
    }
    *item = &r->items[r->count];
    **item = (rk_report_item){0};
    rkhs_status status = rk_strdup(env, name, &(*item)->name);
    if (status == RKHS_OK) r->count++;
    return status;
}

rkhs_status rk_report_array(rkhs_env *env, rk_report *r, const char *name, int64_t rows, int64_t columns,
                            const double *values) {
    rk_report_item *item;
    rkhs_status status = item_new(env, r, name, &item);
    if (status == RKHS_OK) status = rk_alloc(env, rows * columns, sizeof *item->values, &item->values);
    if (status != RKHS_OK) return status;
    memcpy(item->values, values, (size_t)(rows * columns) * sizeof *values);
    item->rows = rows;
    item->columns = columns;
    return RKHS_OK;
}

rkhs_status rk_report_number(rkhs_env *env, rk_report *r, const char *name, double value) {
    return rk_report_array(env, r, name, 1, 1, &value);
}

rkhs_status rk_report_text(rkhs_env *env, rk_report *r, const char *name, const char *text) {
    rk_report_item *item;
    rkhs_status status = item_new(env, r, name, &item);
    return status == RKHS_OK ? rk_strdup(env, text, &item->text) : status;
}

rkhs_status rk_report_bound(rk_fit *f, const char *theorem, double ridge, double complexity, double slack) {
    rkhs_status status = RKHS_OK;
    char text[256];
    snprintf(
        text, sizeof text,
        "the order of the bound of %s with probability %g: the mean loss of new objects is at most that of these, and terms "
        "of the order of those below",
        theorem, 1 - RK_BOUND_DELTA);
    TRY(rk_report_text(f->env, f->report, "bound", text));
    if (ridge > 0) TRY(rk_report_number(f->env, f->report, "bound_ridge", ridge));
    TRY(rk_report_number(f->env, f->report, "bound_complexity", complexity));
    TRY(rk_report_number(f->env, f->report, "bound_slack", slack));
done:
    return status;
}

const rk_report_item *rk_report_find(const rk_report *r, const char *name) {
    for (int64_t i = 0; i < r->count; i++)
        if (strcmp(r->items[i].name, name) == 0) return &r->items[i];
    return NULL;
}

const double *rk_report_values(const rk_report *r, const char *name, int64_t count) {
    const rk_report_item *item = rk_report_find(r, name);
    return item && item->values && item->rows * item->columns == count ? item->values : NULL;
}

void rk_report_clear(rkhs_env *env, rk_report *r) {
    for (int64_t i = 0; i < r->count; i++) {
        rk_free(env, r->items[i].name);
        rk_free(env, r->items[i].text);
        rk_free(env, r->items[i].values);
    }
    rk_free(env, r->items);
    *r = (rk_report){0};
}

rkhs_status rk_report_save(const rk_report *r, rk_archive *archive) {
    char name[160];
    for (int64_t i = 0; i < r->count; i++) {
        const rk_report_item *item = &r->items[i];
        snprintf(name, sizeof name, "report/%s", item->name);
        rk_array a = {'d', 2, {item->rows, item->columns}, item->values};
        rkhs_status status = item->text ? rk_archive_put_text(archive, name, item->text) : rk_archive_put(archive, name, &a);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* The current name of an item that older files have under another name. */
static const char *current_name(const char *name) {
    static const char *const renamed[][2] = {{"beta", "reconstruction_weights"},
                                             {"beta_loss", "weights_loss"},
                                             {"beta_residual", "weights_residual"},
                                             {"beta_solver", "weights_solver"},
                                             {"chosen", "chosen_start"},
                                             {"kept", "reference_objects"},
                                             {"kept_objects", "reference_objects"},
                                             {"lambda", "ridge"},
                                             {"lambda_above", "ridge_above"},
                                             {"lambda_below", "ridge_below"},
                                             {"latent", "embedding_kernel"},
                                             {"latent_kernel", "embedding_kernel"},
                                             {"latent_rank", "embedding_rank"},
                                             {"left_out", "ignored_column"},
                                             {"mu", "absolute_ridge"},
                                             {"parts", "components"},
                                             {"rebuild_loss", "reconstruction_loss"},
                                             {"second", "supervision"},
                                             {"starts", "start_fits"}};
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(renamed[i][0], name) == 0) return renamed[i][1];
    return name;
}

rkhs_status rk_report_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, rk_report *r) {
    for (int64_t i = 0; i < rk_archive_count(archive); i++) {
        const char *name = rk_archive_name(archive, i), *text;
        rk_array a;
        rkhs_status status;
        if (strncmp(name, "report/", 7) != 0 || strchr(name + 7, '/') || rk_state_has(type, name + 7)) continue;
        if (r->count == MOST)
            return rk_fail(env, RKHS_ERR_FORMAT, "its report has more than %d items: fit the model again", MOST);
        if (strlen(name + 7) > LONGEST)
            return rk_fail(env, RKHS_ERR_FORMAT, "an item of its report has a name of %zu letters: fit the model again",
                           strlen(name + 7));
        if (rk_archive_type(archive, i) == 'S') {
            status = rk_archive_get_text(archive, name, &text);
            if (status == RKHS_OK) status = rk_report_text(env, r, current_name(name + 7), text);
        } else {
            status = rk_archive_get(archive, name, 'd', 2, &a);
            if (status == RKHS_OK) status = rk_check_array_finite(env, archive, name, &a);
            if (status == RKHS_OK) status = rk_report_array(env, r, current_name(name + 7), a.shape[0], a.shape[1], a.data);
        }
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}
