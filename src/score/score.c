/* score.c: the list of scores, and the one call for all of them. */
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

/* Whether the second data set of a score is there and has a row for each row of z. */
static rkhs_status check_rows(rkhs_env *env, const char *score, const char *what, const char *option, const rkhs_data *z,
                              const rkhs_data *other) {
    if (!other)
        return rk_fail(env, RKHS_ERR_ARGUMENT, "the score %s needs %s: give them (in the tool: --%s)", score, what, option);
    if (other->rows != z->rows)
        return rk_fail(env, RKHS_ERR_DATA, "there are %lld %s, but the embedding has %lld rows: give one for each",
                       (long long)other->rows, what, (long long)z->rows);
    return RKHS_OK;
}

rkhs_status rkhs_score(rkhs_env *env, const char *spec, const rkhs_data *x, const rkhs_data *z, const rkhs_data *labels,
                       double *value) {
    if (!env || !spec || !value) return rk_missing(env, "rkhs_score", value ? "spec" : "place for the value");
    rkhs_status status = RKHS_OK;
    rk_spec *score = NULL;
    rk_clear(env);
    rk_mark mark = rk_scratch_mark(env);
    rk_blas_begin();
    if (!z || z->type->kind != RK_KIND_DENSE) FAIL(env, RKHS_ERR_ARGUMENT, "a score needs an embedding of numbers");
    TRY(rk_spec_new(env, &rk_scores, spec, &score));
    const rk_score_type *type = (const rk_score_type *)score->entry;
    if (type->needs_x) TRY(check_rows(env, type->entry.name, "objects", "x", z, x));
    if (type->needs_labels) TRY(check_rows(env, type->entry.name, "labels", "labels", z, labels));
    if (type->needs_labels && labels->type->kind != RK_KIND_LABELS)
        FAIL(env, RKHS_ERR_DATA, "the score %s needs class labels, not %s", type->entry.name, labels->type->entry.name);
    TRY(type->score(env, score->self, x, z, labels, value));
done:
    rk_blas_end();
    rk_spec_free(env, score);
    rk_scratch_release(env, mark);
    return status;
}
