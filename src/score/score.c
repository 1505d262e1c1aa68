/* score.c: the list of scores, and rkhs_score, which computes several of them in one call. */
#include "score/score.h"

#define RK_SCORE(name) extern const rk_score_type rk_score_##name;
#include "score/scores.def"
#undef RK_SCORE

static const rk_entry *const entries[] = {
#define RK_SCORE(name) &rk_score_##name.entry,
#include "score/scores.def"
#undef RK_SCORE
    NULL};

const rk_list rk_scores = {"scores", "score", entries};

/* Refuses a missing data set, or one without a row for each row of z. */
static rkhs_status check_rows(rkhs_env *env, const char *score, const char *what, const char *hint, const rkhs_data *z,
                              const rkhs_data *other) {
    if (!other) return rk_fail_hint(env, RKHS_ERR_ARGUMENT, hint, "the score %s needs %ss: give them", score, what);
    if (other->rows != z->rows)
        return rk_fail(env, RKHS_ERR_DATA, "%s, but the embedding has %s: give one for each",
                       rk_counted(other->rows, what).text, rk_counted(z->rows, "row").text);
    return RKHS_OK;
}

/* Refuses a score whose data are missing. */
static rkhs_status check_score(rkhs_env *env, const rk_score_type *type, const rkhs_score_input *w) {
    rkhs_status status = RKHS_OK;
    const char *name = type->entry.name;
    if (type->needs & RK_NEEDS_X) TRY(check_rows(env, name, "object", "x", w->z, w->x));
    if (type->needs & RK_NEEDS_LABELS) TRY(check_rows(env, name, "label", "labels", w->z, w->labels));
    if (type->needs & RK_NEEDS_LABELS && w->labels->type->kind != RK_KIND_LABELS)
        FAIL(env, RKHS_ERR_DATA, "the score %s needs class labels, not %s", name, w->labels->type->entry.name);
    if (!w->new_z) goto done;
    if (!type->takes_new) FAIL(env, RKHS_ERR_ARGUMENT, "the score %s does not look at new rows: leave them out", name);
    if (type->needs & RK_NEEDS_X) TRY(check_rows(env, name, "new object", "new_x", w->new_z, w->new_x));
    if (type->needs & RK_NEEDS_LABELS) TRY(check_rows(env, name, "new label", "new_labels", w->new_z, w->new_labels));
    if (type->needs & RK_NEEDS_LABELS && w->new_labels->type->kind != RK_KIND_LABELS)
        FAIL(env, RKHS_ERR_DATA, "the score %s needs class labels, not %s", name, w->new_labels->type->entry.name);
done:
    return status;
}

/* Refuses what is not an embedding, and new rows of another dimension. */
static rkhs_status check_what(rkhs_env *env, const rkhs_score_input *w) {
    if (!w->z || !rk_dense_of(w->z)) return rk_fail(env, RKHS_ERR_ARGUMENT, "a score needs an embedding of numbers");
    if (w->new_z && (!rk_dense_of(w->new_z) || w->new_z->columns != w->z->columns))
        return rk_fail(env, RKHS_ERR_DATA, "the new rows have %s, the embedding %lld: give both from one model",
                       rk_counted(w->new_z->columns, "dimension").text, (long long)w->z->columns);
    return RKHS_OK;
}

/* The data without the rows that have no label, for the scores that need labels. */
typedef struct labelled {
    rkhs_score_input what;
    rkhs_data *parts[4]; /* owned subsets; NULL: all rows have a label */
} labelled;

/* Replaces *labels and *z by their rows that have a label, if some have none. */
static rkhs_status leave_out(rkhs_env *env, const char *which, const rkhs_data **labels, const rkhs_data **z,
                             rkhs_data *parts[2]) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_labels *y = (*labels)->self;
    int64_t n = (*labels)->rows, known = rk_labels_count_known(*labels), *rows;
    if (known == n) return RKHS_OK;
    if (known == 0) FAIL(env, RKHS_ERR_DATA, "no %srow has a label: give the class of some, ? for those without", which);
    rk_log(env, RKHS_LOG_ADVICE, "%srows without a label: %lld of the %lld, left out of scores that need one", which,
           (long long)(n - known), (long long)n);
    TRY(rk_scratch(env, known, sizeof *rows, &rows));
    for (int64_t i = 0, q = 0; i < n; i++)
        if (y->codes[i] >= 0) rows[q++] = i;
    TRY(rk_data_subset(*labels, rows, known, &parts[0]));
    TRY(rk_data_subset(*z, rows, known, &parts[1]));
    *labels = parts[0];
    *z = parts[1];
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status find_labelled(rkhs_env *env, const rkhs_score_input *what, labelled *l) {
    rkhs_score_input *w = &l->what;
    *w = *what;
    rkhs_status status = leave_out(env, "", &w->labels, &w->z, l->parts);
    if (status != RKHS_OK || !w->new_z) return status;
    return leave_out(env, "new ", &w->new_labels, &w->new_z, l->parts + 2);
}

rkhs_status rkhs_score(rkhs_env *env, const char *const *specs, int count, const rkhs_score_input *what, double *values,
                       double *deviations) {
    if (!env || !specs || !what || !values || count < 1)
        return rk_fail_null(env, "rkhs_score", !specs ? "specs" : !what ? "embedding" : "variable for the values");
    rkhs_status status = RKHS_OK;
    rk_spec **spec = NULL;
    rk_score_item *items, *family;
    labelled l = {.parts = {NULL}};
    int by_class = 0;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    TRY(rk_scratch(env, count, sizeof *items, &items));
    TRY(rk_scratch(env, count, sizeof *family, &family));
    TRY(rk_alloc(env, count, sizeof *spec, &spec));
    TRY(check_what(env, what));
    for (int i = 0; i < count; i++) {
        if (!specs[i]) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_score: a null argument");
        TRY(rk_spec_new(env, &rk_scores, specs[i], &spec[i]));
        items[i] = (rk_score_item){(const rk_score_type *)spec[i]->entry, spec[i]->self, 0, NAN, 0};
        TRY(check_score(env, items[i].type, what));
        by_class |= items[i].type->needs & RK_NEEDS_LABELS;
    }
    if (by_class) TRY(find_labelled(env, what, &l));
    for (int i = 0; i < count; i++) {
        int members = 0;
        if (items[i].done) continue;
        TRY(rk_progress(env, "score", 0, 0)); /* for scores that report no progress of their own */
        for (int j = i; j < count; j++)
            if (items[j].type->family == items[i].type->family) family[members++] = items[j];
        TRY(items[i].type->family(env, items[i].type->needs & RK_NEEDS_LABELS ? &l.what : what, family, members));
        members = 0;
        for (int j = i; j < count; j++) {
            if (items[j].type->family != items[i].type->family) continue;
            items[j] = family[members++];
            items[j].done = 1;
        }
    }
    for (int i = 0; i < count; i++) {
        values[i] = items[i].value;
        if (deviations) deviations[i] = items[i].deviation;
    }
done:
    rk_blas_end(env);
    for (int k = 0; k < 4; k++) rkhs_data_free(l.parts[k]);
    for (int i = 0; spec && i < count; i++) rk_spec_free(env, spec[i]);
    rk_free(env, spec);
    rk_scratch_release(env, mark);
    return status;
}
