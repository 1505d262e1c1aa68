/* model.c: the life of a model: create it from a spec, fit, transform, report, copy, free.
 *
 * A model type brings its own `fit`. What surrounds it is here, once for all models. */
#include "model/estimate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define RK_MODEL(name) extern const rk_model_type rk_model_##name;
#include "model/models.def"
#undef RK_MODEL

static const rk_entry *const entries[] = {
#define RK_MODEL(name) &rk_model_##name.entry,
#include "model/models.def"
#undef RK_MODEL
    NULL};

const rk_list rk_models = {"models", "model", entries};

const char *rk_default_kernel(const void *self, unsigned kind) {
    return kind & (RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_IMAGE) ? "rbf(sigma=median)"
           : kind == RK_KIND_STRING                                ? "spectrum(p=3)"
           : kind == RK_KIND_BITS                                  ? "tanimoto"
           : kind == RK_KIND_GRAPH                                 ? "wl"
           : kind == RK_KIND_LABELS                                ? "delta"
           : kind == RK_KIND_GRAM                                  ? "precomputed"
                                                                   : NULL;
}

/* Frees the results of a fit. */
static void clear_fit(rkhs_model *m) {
    rkhs_env *env = m->env;
    rk_anomaly_state_free(env, m->anomaly);
    rk_map_free(env, m->map); /* before the kernel, to which the map may be bound */
    rkhs_kernel_free(m->kernel);
    rk_free(env, m->Z);
    rk_free(env, m->map_rows);
    rk_state_free(env, m->type, m->state);
    rk_report_clear(env, &m->report);
    rk_inverse_free(env, m->inverse);
    m->kernel = NULL;
    m->map = NULL;
    m->Z = NULL;
    m->map_rows = NULL;
    m->inverse = NULL;
    m->anomaly = NULL;
    m->state = NULL;
    m->supervised = 0;
    m->n = m->gram_rows = m->dim = 0;
}

void rkhs_model_free(rkhs_model *model) {
    if (!model) return;
    clear_fit(model);
    rk_spec_free(model->env, model->spec);
    rk_free(model->env, model->text);
    rk_free(model->env, model);
}

/* An unfitted model that owns `spec`, which is freed on failure. */
static rkhs_status model_of(rkhs_env *env, rk_spec *spec, rkhs_model **model) {
    rkhs_status status = RKHS_OK;
    rkhs_model *m = NULL;
    rk_text text = {.env = env};
    TRY(rk_alloc(env, 1, sizeof *m, &m));
    m->env = env;
    TRY(rk_spec_text(spec, &text));
    m->text = text.s;
    m->spec = spec;
    m->type = (const rk_model_type *)spec->entry;
    *model = m;
    return RKHS_OK;
done:
    rk_free(env, text.s);
    rk_free(env, m);
    rk_spec_free(env, spec);
    return status;
}

rkhs_status rkhs_model_new(rkhs_env *env, const char *spec, rkhs_model **model) {
    if (!env || !spec || !model) return rk_fail_null(env, "rkhs_model_new", model ? "spec" : "variable for the model");
    rk_begin_call(env);
    return rk_model_new(env, spec, model);
}

rkhs_status rk_model_new(rkhs_env *env, const char *spec, rkhs_model **model) {
    *model = NULL;
    rk_spec *parsed;
    rkhs_status status = rk_spec_new(env, &rk_models, spec, &parsed);
    return status == RKHS_OK ? model_of(env, parsed, model) : status;
}

const char *rkhs_model_text(const rkhs_model *model) { return model ? model->text : ""; }
const rkhs_kernel *rkhs_model_kernel(const rkhs_model *model) { return model ? model->kernel : NULL; }

const double *rkhs_model_embedding(const rkhs_model *model, int64_t *n, int64_t *dim) {
    if (n) *n = model ? model->n : 0;
    if (dim) *dim = model ? model->dim : 0;
    return model ? model->Z : NULL;
}

int rkhs_model_report(const rkhs_model *model, int64_t i, rkhs_item *item) {
    if (!model || !item || i < 0 || i >= model->report.count) return 0;
    const rk_report_item *r = &model->report.items[i];
    *item = (rkhs_item){r->name, r->text, r->values, r->rows, r->columns};
    return 1;
}

/* What messages call a second data set of these kinds. */
static const char *supervision_name(unsigned kinds) {
    return kinds & RK_KIND_INDEX ? "triplets or pairs" : !(kinds & ~(unsigned)RK_KIND_LABELS) ? "labels" : "targets";
}

rkhs_status rk_check_supervision(const rkhs_model *m, int64_t objects, const rkhs_data *y) {
    rkhs_env *env = m->env;
    const char *name = m->type->entry.name;
    char kinds[128];
    if (!y) return RKHS_OK;
    if (!m->type->supervision)
        return rk_fail(env, RKHS_ERR_ARGUMENT, "%s takes no %s: leave them out", name, supervision_name(y->type->kind));
    if (!((rk_images(y) ? RK_KIND_DENSE : y->type->kind) & m->type->supervision))
        return rk_fail(env, RKHS_ERR_DATA, "%s learns from %s, which are %s data, not from %s%s: give it such", name,
                       supervision_name(m->type->supervision), rk_kinds_text(m->type->supervision, kinds),
                       y->type->kind == RK_KIND_INDEX ? supervision_name(RK_KIND_INDEX) : y->type->entry.name,
                       y->type->kind & (RK_KIND_INDEX | RK_KIND_LABELS) ? "" : " data");
    if (y->type->kind == RK_KIND_INDEX && rk_index_objects(y) != objects)
        return rk_fail(env, RKHS_ERR_DATA, "%s: the index rows are of %s, and there are %lld: read them for these", name,
                       rk_counted(rk_index_objects(y), "object").text, (long long)objects);
    if (y->type->kind != RK_KIND_INDEX && y->rows != objects)
        return rk_fail(env, RKHS_ERR_DATA, "%s: the second data set has %s for %s: give one for each", name,
                       rk_counted(y->rows, "row").text, rk_counted(objects, "object").text);
    return RKHS_OK;
}

static rkhs_status check_fit(const rkhs_model *m, const rkhs_data *x, const rkhs_data *y, const rkhs_data *start, int64_t dim) {
    rkhs_env *env = m->env;
    const char *name = m->type->entry.name;
    if (!x) return rk_fail(env, RKHS_ERR_ARGUMENT, "%s: there are no data to fit", name);
    if (x->rows < 2) return rk_fail(env, RKHS_ERR_DATA, "%s: one row is not enough to learn from: give at least 2", name);
    if (dim > x->rows)
        return rk_fail(env, RKHS_ERR_DATA, "%s: dim = %lld is more than the %s: choose dim at most %lld, or give more rows",
                       name, (long long)dim, rk_counted(x->rows, "row").text, (long long)x->rows);
    rkhs_status status = rk_check_supervision(m, x->rows, y);
    if (status != RKHS_OK) return status;
    if (start && !m->type->takes_start) return rk_fail(env, RKHS_ERR_ARGUMENT, "%s takes no start: leave it out", name);
    if (start && start->type->kind != RK_KIND_DENSE)
        return rk_fail(env, RKHS_ERR_DATA, "%s: the start is %s: give numbers, one row for each object", name,
                       start->type->entry.name);
    if (start && (start->rows != x->rows || start->columns != dim))
        return rk_fail(env, RKHS_ERR_DATA, "%s: the start is %lld x %lld, and must be %lld x %lld: objects x dim", name,
                       (long long)start->rows, (long long)start->columns, (long long)x->rows, (long long)dim);
    return RKHS_OK;
}

/* A frozen copy of the given kernel, or the model's default for this kind of data. */
static rkhs_status chosen_kernel(const rkhs_model *m, const rkhs_kernel *given, const rkhs_data *x, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    const char *text = given ? NULL : m->type->default_kernel(m->spec->self, x->type->kind);
    char shown[RK_SHORT];
    if (!given && !text)
        FAIL(env, RKHS_ERR_SPEC, "%s has no kernel of its own for %s data: name one", m->type->entry.name, x->type->entry.name);
    if (given)
        TRY(rk_kernel_copy(given, out));
    else
        TRY(rk_kernel_new(env, text, out));
    TRY(rk_kernel_freeze(*out, x));
    rk_log(env, RKHS_LOG_INFO, "kernel: %s", rk_shorten(rkhs_kernel_text(*out), shown));
done:
    return status;
}

/* The gram to build: what the spec names, or what gram=auto chooses. *own is NULL or to be freed. Refuses one that does
 * not offer what the model needs. In place of one that is not built there is one that stores nothing. */
static rkhs_status chosen_gram(const rkhs_model *m, const rkhs_data *x, const rk_spec **use, rk_spec **own) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_text text = {.env = env};
    const rk_need *need = &m->type->need;
    unsigned needs = need->offers;
    *use = *(rk_spec **)((char *)m->spec->self + m->type->gram_offset);
    const rk_gram_type *type = (const rk_gram_type *)(*use)->entry;
    int unread = !type->choose && !rk_builds_gram(m->type, type);
    if (unread && type->offers & RK_FEATURES)
        rk_log(env, RKHS_LOG_ADVICE, "%s needs no Gram: gram=%s is not used", m->type->entry.name, type->entry.name);
    if (unread)
        TRY(rk_text_add(&text, "lazy"));
    else if (type->choose)
        TRY(type->choose(env, need, x, &text));
    if (text.s) {
        TRY(rk_spec_new(env, &rk_grams, text.s, own));
        *use = *own;
        type = (const rk_gram_type *)(*use)->entry;
    }
    if (needs && !(type->offers & needs))
        TRY(rk_set_subject(env, "gram",
                           rk_fail(env, RKHS_ERR_SPEC, "%s needs %s, which gram=%s does not offer: use gram=%s",
                                   m->type->entry.name,
                                   needs & RK_FEATURES    ? "the whole Gram or features of it"
                                   : needs & RK_LANDMARKS ? "the whole Gram or landmarks"
                                                          : "the whole Gram",
                                   type->entry.name, needs & (RK_FEATURES | RK_LANDMARKS) ? "nystrom" : "exact")));
done:
    rk_text_free(&text);
    return status;
}

/* The gram of an update that uses the features of the old model again: its landmarks are the first objects. */
static rkhs_status known_gram(const rkhs_model *old, int64_t known, const rk_spec **use, rk_spec **own) {
    rkhs_status status = RKHS_OK;
    char text[64];
    *use = *(rk_spec **)((char *)old->spec->self + old->type->gram_offset);
    if (old->map->features) return RKHS_OK;
    snprintf(text, sizeof text, "nystrom(landmarks=%lld, by=given, rows=[0:%lld])", (long long)known, (long long)known);
    TRY(rk_spec_new(old->env, &rk_grams, text, own));
    *use = *own;
done:
    return status;
}

/* Fits `fresh`, whose kernel is frozen. known: as in rk_model_refit. old: the model that an update starts from, or
 * NULL. */
static rkhs_status fit_into(rkhs_model *fresh, const rkhs_data *x, const rkhs_data *y, const rkhs_data *start,
                            const rkhs_model *old, int64_t known, int64_t dim) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = fresh->env;
    rk_gram *gram = NULL;
    rkhs_data *other = NULL;
    const rk_spec *gram_spec = NULL;
    rk_spec *own = NULL;
    rk_text gram_text = {.env = env};
    rk_plan plan = {0};
    size_t used = atomic_load(&env->used);
    if (x->type->advise && !rk_kernel_all_have(fresh->kernel, RK_SCALE_FREE)) x->type->advise(env, x);
    if (fresh->type->inputs) TRY(fresh->type->inputs(env, fresh->spec->self, x, y, &other));
    const rkhs_data *gram_data = other ? other : x;
    if (known)
        TRY(known_gram(old, known, &gram_spec, &own));
    else
        TRY(chosen_gram(fresh, gram_data, &gram_spec, &own));
    plan = rk_plan_of(fresh, gram_spec, x, gram_data, dim, (double)env->limit - (double)used);
    if (!old) TRY(rk_advise_time(env, plan, fresh->kernel, gram_data));
    TRY(rk_gram_new(env, gram_spec, fresh->kernel, gram_data, &gram));
    if (old && old->map->features) TRY(rk_gram_use_features(gram, old->map->features));
    if (fresh->type->need.reading == RK_READ_STORED && rk_gram_offers(gram, RK_FEATURES)) TRY(rk_gram_store_features(gram));
    if (fresh->type->keeps_all) {
        rk_free(env, gram->map_rows);
        gram->map_rows = NULL;
        gram->map_count = gram->kept = gram->n;
    }
    fresh->n = x->rows;
    fresh->gram_rows = gram_data->rows;
    fresh->dim = dim;
    TRY(rk_alloc(env, fresh->gram_rows * dim, sizeof *fresh->Z, &fresh->Z));
    TRY(rk_map_new(env, gram->map_count, dim, &fresh->map));
    fresh->map->object_count = gram->kept;
    TRY(rk_state_new(env, fresh->type, &fresh->state));
    rk_fit f = {.env = env,
                .self = fresh->spec->self,
                .gram = gram,
                .kernel = fresh->kernel,
                .x = x,
                .y = y,
                .start = start,
                .report = &fresh->report,
                .state = fresh->state,
                .old_state = old ? old->state : NULL,
                .max_iter = old ? 30 + 300 * rk_max(0, x->rows - old->n) / old->n : 0,
                .known = known,
                .dim = dim,
                .Z = fresh->Z,
                .map = fresh->map};
    TRY(rk_report_number(env, &fresh->report, "rows", (double)x->rows));
    if (!(x->type->kind & (RK_KIND_STRING | RK_KIND_LABELS | RK_KIND_GRAPH)))
        TRY(rk_report_number(env, &fresh->report, "columns", (double)x->columns));
    const rk_image *image = rk_images(x);
    if (image)
        TRY(rk_report_array(env, &fresh->report, "shape", 1, 3,
                            (double[]){(double)image->h, (double)image->w, (double)image->c}));
    TRY(rk_report_number(env, &fresh->report, "reference_objects", (double)gram->kept));
    TRY(rk_spec_text(gram_spec, &gram_text));
    TRY(rk_report_text(env, &fresh->report, "gram", gram_text.s));
    fresh->supervised = y && !fresh->type->predicts;
    if (fresh->supervised) TRY(rk_report_text(env, &fresh->report, "supervision", y->type->entry.name));
    TRY(fresh->type->fit(&f));
    if (!fresh->type->keeps_signs) rk_fix_signs(fresh->Z, fresh->n, fresh->gram_rows, dim, fresh->map);
    TRY(rk_data_keep(gram_data, gram->map_rows, gram->kept, &fresh->map->objects));
    if (gram->features && gram->features->parts) fresh->map->features = gram->features, gram->features = NULL;
    /* The direction of a code near 0 depends on rounding: recompute Z by the map, so that transform reproduces it. */
    if (fresh->map->post == RK_POST_SPHERE) TRY(rk_map_apply(env, fresh->map, fresh->kernel, gram_data, fresh->Z, dim, NULL));
    fresh->map_rows = gram->map_rows;
    gram->map_rows = NULL;
    TRY(rk_check_fitted(fresh));
done:
    if (status == RKHS_ERR_MEMORY && plan.type && !old) rk_advise_memory(env, &plan);
    rk_gram_free(gram);
    rk_spec_free(env, own);
    rk_text_free(&gram_text);
    rkhs_data_free(other);
    return status;
}

void rk_model_swap(rkhs_model *a, rkhs_model *b) {
    rkhs_model t = *a;
    *a = *b, *b = t;
    b->spec = a->spec, b->text = a->text, b->place = a->place; /* parameters stay */
    a->spec = t.spec, a->text = t.text, a->place = t.place;
}

rkhs_status rk_model_refit(const rkhs_model *m, const rkhs_data *x, const rkhs_data *y, const rkhs_data *start, int64_t known,
                           rkhs_model **fresh) {
    rkhs_status status = RKHS_OK;
    rk_spec *spec;
    TRY(rk_spec_copy(m->env, m->spec, &spec));
    TRY(model_of(m->env, spec, fresh));
    TRY(rk_kernel_copy(m->kernel, &(*fresh)->kernel));
    status = fit_into(*fresh, x, y, start, m, known, m->dim);
done:
    return status;
}

rkhs_status rkhs_model_fit(rkhs_model *model, const rkhs_kernel *kernel, const rkhs_data *x, const rkhs_data *y,
                           const rkhs_data *start) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    rkhs_model *fresh = NULL;
    rk_spec *spec;
    const rkhs_data *use, *wide_start;
    rkhs_data *view = NULL, *start_view = NULL;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    int64_t dim = model->type->dim(model->spec->self, y);
    TRY(rk_blas_begin(env));
    TRY(check_fit(model, x, y, start, dim));
    TRY(rk_spec_copy(env, model->spec, &spec));
    TRY(model_of(env, spec, &fresh));
    TRY(chosen_kernel(model, kernel, x, &fresh->kernel));
    TRY(rk_kernel_coerce(fresh->kernel, x, NULL, &use, &view));
    TRY(rk_data_widen(env, start, &wide_start, &start_view));
    TRY(fit_into(fresh, use, y, wide_start, NULL, 0, dim));
    if (x->counted)
        TRY(rk_report_text(env, &fresh->report, "ignored_column", "the first column, which has no name and numbers the rows"));
    rk_model_swap(model, fresh);
done:
    rkhs_model_free(fresh);
    rkhs_data_free(start_view);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    rk_blas_end(env);
    return status;
}

/* Refuses new data with another number of columns. A sparse file does not state its width; the reader can be told. */
static rkhs_status wrong_columns(rkhs_env *env, const rkhs_data *x, int64_t wanted) {
    char remedy[128] = "give the same columns in the same order";
    if (x->type->kind == RK_KIND_SPARSE && x->columns < wanted)
        snprintf(remedy, sizeof remedy, "if the last ones are 0 in every row, read the file as svmlight(columns=%lld)",
                 (long long)wanted);
    return rk_fail(env, RKHS_ERR_DATA, "the new data have %s, but the model was fitted on %lld: %s",
                   rk_counted(x->columns, "column").text, (long long)wanted, remedy);
}

rkhs_status rk_model_view(const rkhs_model *m, const rkhs_data *x, const rkhs_data **use, rkhs_data **view) {
    rkhs_status status = RKHS_OK;
    if (!m->map) FAIL(m->env, RKHS_ERR_ARGUMENT, "the model is not fitted: fit or load it first");
    TRY(rk_kernel_coerce(m->kernel, x, m->map->objects, use, view));
    if ((*use)->columns != m->map->objects->columns) TRY(wrong_columns(m->env, *use, m->map->objects->columns));
done:
    return status;
}

rkhs_status rkhs_model_transform(const rkhs_model *model, const rkhs_data *x, double *Z, int64_t ld) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    char *isolated;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    if (ld > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_transform: rows of Z are %lld apart: at most %d", (long long)ld, INT_MAX);
    if (!x || !Z) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_transform: no %s: the pointer is NULL", x ? "room for Z" : "data");
    if (ld < model->dim)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_transform: ld is %lld, below the %s of Z", (long long)ld,
             rk_counted(model->dim, "column").text);
    TRY(rk_model_view(model, x, &use, &view));
    TRY(rk_scratch(env, use->rows, 1, &isolated));
    TRY(rk_place_all(model, use, Z, ld, isolated));
done:
    rk_blas_end(env);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rkhs_model_copy(const rkhs_model *model, rkhs_model **copy) {
    if (!model || !copy) return rk_fail_null(model ? model->env : NULL, "rkhs_model_copy", "variable for the copy");
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    rkhs_model *m = NULL;
    rk_spec *spec;
    rk_begin_call(env);
    *copy = NULL;
    TRY(rk_spec_copy(env, model->spec, &spec));
    TRY(model_of(env, spec, &m));
    m->place = model->place;
    if (model->map) {
        TRY(rk_kernel_copy(model->kernel, &m->kernel));
        TRY(rk_map_copy(env, model->map, &m->map));
        TRY(rk_alloc(env, model->gram_rows * model->dim, sizeof *m->Z, &m->Z));
        memcpy(m->Z, model->Z, (size_t)(model->gram_rows * model->dim) * sizeof *m->Z);
        m->n = model->n;
        m->gram_rows = model->gram_rows;
        m->dim = model->dim;
        if (model->map_rows) {
            TRY(rk_alloc(env, model->map->object_count, sizeof *m->map_rows, &m->map_rows));
            memcpy(m->map_rows, model->map_rows, (size_t)model->map->object_count * sizeof *m->map_rows);
        }
        TRY(rk_state_copy(env, model->type, model->state, &m->state));
        m->supervised = model->supervised;
        for (int64_t i = 0; i < model->report.count; i++) {
            const rk_report_item *r = &model->report.items[i];
            TRY(r->text ? rk_report_text(env, &m->report, r->name, r->text)
                        : rk_report_array(env, &m->report, r->name, r->rows, r->columns, r->values));
        }
    }
    *copy = m;
    m = NULL;
done:
    rkhs_model_free(m);
    return status;
}
