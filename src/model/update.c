/* update.c: update of a fitted model with new objects: a fit on old and new objects that starts from what was learned.
 *
 *     a fit on x_1 .. x_n, y_1 .. y_m with the same frozen kernel, from z_1 .. z_n, z(y_1) .. z(y_m)
 *
 * x are the old objects, y the new ones. Parameters and kernel stay. Models that take a start begin at the old
 * embedding, with new objects where the model places them. Other models are solved again. Columns are flipped to agree
 * in sign with the old ones. The report says how far the old objects moved, relative to their standard deviation. All
 * training objects are needed, unless the model has features and keeps sums over all objects (type->adds: kpca, krr,
 * lpp, npe): then new objects are added to the sums. The embedding has the objects that the model keeps, and the new
 * ones. krr needs the targets of the new objects; without features it keeps those of the old ones. */
#include "model/model.h"

#include <string.h>

/* Whether an update adds to sums over all objects: a model with features that does not keep all objects and targets. */
static int adds(const rkhs_model *m) { return rk_has_sums(m) && (m->type->predicts || m->map->object_count != m->n); }

/* The row of the old embedding of object i of an update. */
static const double *old_row(const rkhs_model *old, int64_t i) {
    return old->Z + (adds(old) ? old->map_rows[i] : i) * old->dim;
}

/* Whether a matrix of the state is set. */
static int keeps_any(const rkhs_model *m) {
    int any = 0;
    for (const rk_state_part *part = m->type->state; part && part->name; part++)
        any |= part->kind == RK_STATE_MATRIX &&
               ((const rk_state_matrix *)(const void *)((const char *)m->state + part->offset))->values;
    return any;
}

/* Refuses targets that do not fit, or are missing, or are given to a model that predicts none. */
static rkhs_status check_targets(const rkhs_model *m, const rkhs_data *x, const rkhs_data *y) {
    rkhs_env *env = m->env;
    const char *name = m->type->entry.name;
    if (m->type->predicts && !y)
        return rk_fail_hint(env, RKHS_ERR_ARGUMENT, "target", "%s needs the targets of the new objects: give them", name);
    if (y && !m->type->predicts)
        return rk_fail(env, RKHS_ERR_ARGUMENT, "an update of %s takes new objects alone: leave targets out", name);
    rkhs_status status = rk_check_supervision(m, x->rows, y);
    if (status == RKHS_OK && y && y->columns != m->dim)
        return rk_fail(env, RKHS_ERR_DATA, "%s: the new targets have %s, and those before have %lld: give the same columns",
                       name, rk_counted(y->columns, "column").text, (long long)m->dim);
    return status;
}

/* Refuses models that do not have everything that they were fitted on. */
static rkhs_status check_update(const rkhs_model *m) {
    rkhs_env *env = m->env;
    const char *name = m->type->entry.name;
    if (m->map->objects->type->kind == RK_KIND_GRAM)
        return rk_fail(
            env, RKHS_ERR_DATA,
            "new rows of a precomputed Gram do not say how they compare with each other: fit on one Gram of all objects");
    if (m->supervised)
        return rk_fail(env, RKHS_ERR_ARGUMENT,
                       "%s learned from a second data set, which it does not keep: fit on all objects, with theirs", name);
    if (m->type->inputs)
        return rk_fail(env, RKHS_ERR_ARGUMENT,
                       "%s has no update, since it may learn from objects that it makes of those given: fit on all of them",
                       name);
    if (m->type->predicts && !keeps_any(m))
        return rk_fail(env, RKHS_ERR_ARGUMENT,
                       "the file is of an older version, whose %s does not keep what an update needs: fit on all objects",
                       name);
    if (m->map->object_count != m->n && !adds(m))
        return rk_fail(env, RKHS_ERR_ARGUMENT,
                       "the model keeps %lld of the %s that it was fitted on, and an update needs all: fit on all of them",
                       (long long)m->map->object_count, rk_counted(m->n, "object").text);
    return RKHS_OK;
}

/* The training objects in their order; landmarks have another order even where they are all objects. */
static rkhs_status old_objects(const rkhs_model *m, rkhs_data **old) {
    rkhs_status status = RKHS_OK;
    int64_t *index;
    TRY(rk_scratch(m->env, m->n, sizeof *index, &index));
    for (int64_t i = 0; i < m->n; i++) index[i] = m->map_rows ? -1 : i;
    for (int64_t i = 0; m->map_rows && i < m->n; i++) index[m->map_rows[i]] = i;
    for (int64_t i = 0; i < m->n; i++)
        if (index[i] < 0)
            FAIL(m->env, RKHS_ERR_ARGUMENT, "the model does not keep object %lld that it was fitted on: fit on all of them",
                 (long long)i);
    TRY(rk_data_subset(m->map->objects, index, m->n, old));
done:
    return status;
}

/* The old embedding, followed by the placement of the new objects. */
static rkhs_status start_of(const rkhs_model *m, const rkhs_data *x, rkhs_data **start) {
    double *Z;
    rkhs_status status = rk_data_dense_new(m->env, m->n + x->rows, m->dim, &Z, start);
    if (status != RKHS_OK) return status;
    memcpy(Z, m->Z, (size_t)(m->n * m->dim) * sizeof *Z);
    return rk_place_all(m, x, Z + m->n * m->dim, m->dim, NULL);
}

/* Flips columns of `fresh` whose inner product with the old ones is negative. */
static void flip_to_agree(const rkhs_model *old, rkhs_model *fresh, int64_t known) {
    int64_t d = old->dim;
    for (int64_t c = 0; !fresh->type->keeps_signs && c < d; c++) {
        rk_row_sum same = {0};
        for (int64_t i = 0; i < known; i++) rk_add_row(&same, old_row(old, i)[c] * fresh->Z[i * d + c]);
        if (rk_row_total(&same) < 0) rk_flip_column(fresh->Z, fresh->gram_rows, d, fresh->map, c);
    }
}

/* Root mean square move of the old objects, relative to their standard deviation. */
static double relative_move(const rkhs_model *old, const rkhs_model *fresh, int64_t known) {
    int64_t n = known, d = old->dim;
    double step = 0, spread = 0;
    for (int64_t c = 0; c < d; c++) {
        rk_row_sum sum = {0}, steps = {0}, spreads = {0};
        for (int64_t i = 0; i < n; i++) rk_add_row(&sum, old_row(old, i)[c]);
        double mean = rk_row_total(&sum) / (double)n;
        for (int64_t i = 0; i < n; i++) {
            double was = old_row(old, i)[c], is = fresh->Z[i * d + c];
            rk_add_row(&steps, (is - was) * (is - was));
            rk_add_row(&spreads, (was - mean) * (was - mean));
        }
        step += rk_row_total(&steps);
        spread += rk_row_total(&spreads);
    }
    return spread > 0 ? sqrt(step / spread) : 0;
}

rkhs_status rkhs_model_update(rkhs_model *model, const rkhs_data *x, const rkhs_data *y) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    rkhs_model *fresh = NULL;
    const rkhs_data *use;
    rkhs_data *view = NULL, *old = NULL, *all = NULL, *start = NULL;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    if (!x) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_update: no data: the pointer is NULL");
    if (!model->map) FAIL(env, RKHS_ERR_ARGUMENT, "the model is not fitted: fit or load it first");
    TRY(check_update(model));
    TRY(check_targets(model, x, y));
    TRY(rk_model_view(model, x, &use, &view));
    int64_t known = adds(model) ? model->map->object_count : model->n;
    if (adds(model))
        TRY(rk_data_keep(model->map->objects, NULL, 0, &old));
    else
        TRY(old_objects(model, &old));
    TRY(rk_data_join(env, (const rkhs_data *const[]){old, use}, 2, &all));
    if (model->type->takes_start) TRY(start_of(model, use, &start));
    TRY(rk_model_refit(model, all, y, start, adds(model) ? known : 0, &fresh));
    flip_to_agree(model, fresh, known);
    TRY(rk_report_number(env, &fresh->report, "new_rows", (double)use->rows));
    TRY(rk_report_number(env, &fresh->report, "moved", relative_move(model, fresh, known)));
    TRY(rk_check_fitted(fresh));
    rk_model_swap(model, fresh);
done:
    rk_blas_end(env);
    rkhs_model_free(fresh);
    rkhs_data_free(start);
    rkhs_data_free(all);
    rkhs_data_free(old);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}
