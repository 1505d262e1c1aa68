/* New objects in a fitted model: against fits on all objects, and what is promised for every model. */
#include "trials.h"

enum { N = 60, NEW = 20, ALL = N + NEW, DIM = 3 };

/* The largest |Z - Y| of n x d numbers, each column of Y turned so that it agrees with Z, over the largest |Z|. */
static double apart(const double *Z, const double *Y, int64_t n, int64_t d) {
    double most = 0;
    for (int64_t c = 0; c < d; c++) {
        double same = 0;
        for (int64_t i = 0; i < n; i++) same += Z[i * d + c] * Y[i * d + c];
        for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(Z[i * d + c] - (same < 0 ? -1 : 1) * Y[i * d + c]));
    }
    return most / largest(Z, n * d);
}

/* A model that is solved ends where a fit on all objects with the frozen kernel does; one that descends from the old
 * embedding and the places of the new objects comes about as low in fewer steps as a fit from there does. */
static void an_update_is_a_fit_on_all(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=3)",
                                        "kle(dim=3, neighbours=8)",
                                        "lpp(dim=3, neighbours=8)",
                                        "npe(dim=3, neighbours=8)",
                                        "tke(dim=3, neighbours=8)",
                                        "bctke(dim=3, neighbours=8)",
                                        "gplvm(dim=3)",
                                        "bcgplvm(dim=3)",
                                        "kpca(dim=3, gram=nystrom(landmarks=60))"};
    for (int t = 0; t < 9; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh, *all, *start;
        rkhs_model *again;
        fixture_split(env, "small", N, NEW, &x, &fresh);
        rkhs_model *m = fit_text(env, specs[t], "rbf", x);
        double *Z0 = numbers(env, ALL * DIM);
        memcpy(Z0, rkhs_model_embedding(m, NULL, NULL), N * DIM * sizeof *Z0);
        FINE(env, rkhs_model_transform(m, fresh, Z0 + N * DIM, DIM));
        FINE(env, rkhs_data_join(env, (const rkhs_data *const[]){x, fresh}, 2, &all));
        FINE(env, rkhs_data_dense(env, Z0, ALL, DIM, DIM, &start));
        FINE(env, rkhs_model_new(env, specs[t], &again));
        FINE(env, rkhs_model_fit(again, rkhs_model_kernel(m), all, NULL, m->type->takes_start ? start : NULL));
        char frozen[256];
        snprintf(frozen, sizeof frozen, "%s", rkhs_kernel_text(rkhs_model_kernel(m)));
        FINE(env, rkhs_model_update(m, fresh));
        assert_string_equal(rkhs_kernel_text(rkhs_model_kernel(m)), frozen);
        int64_t n, dim;
        const double *Z = rkhs_model_embedding(m, &n, &dim);
        HOLDS(n == ALL && dim == DIM);
        double far = m->type->takes_start ? 0 : apart(Z, rkhs_model_embedding(again, NULL, NULL), ALL, DIM);
        if (!(far <= 1e-12)) fail_msg("%s: off by %g of a fit on all", context, far);
        if (m->type->takes_start) {
            double loss = *item_of(m, "loss").values, other = *item_of(again, "loss").values;
            if (!(loss <= other + 0.1 * fabs(other))) fail_msg("%s: loss %g, and %g of a whole fit", context, loss, other);
            HOLDS(*item_of(m, "iterations").values <= 30 + 300 * NEW / N);
        }
        for (int c = 0; c < DIM; c++) {
            double same = 0;
            for (int i = 0; i < N; i++) same += Z0[i * DIM + c] * Z[i * DIM + c];
            HOLDS(same >= 0);
        }
        double step = 0, spread = 0, mean[DIM] = {0};
        for (int i = 0; i < N * DIM; i++) mean[i % DIM] += Z0[i] / N;
        for (int i = 0; i < N * DIM; i++) step += pow(Z[i] - Z0[i], 2), spread += pow(Z0[i] - mean[i % DIM], 2);
        near_each("moved", item_of(m, "moved").values, (double[]){sqrt(step / spread)}, 1, 1e-12);
        HOLDS(*item_of(m, "new_rows").values == NEW && *item_of(m, "rows").values == ALL);
        rkhs_model_free(again);
        rkhs_model_free(m);
        rkhs_data_free(start);
        rkhs_data_free(all);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Whether a model of a trial has all that an update needs; says why not. */
static const char *why_not(const rkhs_model *m) {
    if (m->map->objects->type->kind == RK_KIND_GRAM) return "precomputed Gram";
    if (m->type->predicts || rk_report_find(&m->report, "supervision")) return "which it does not keep";
    if (m->type->inputs) return "that it makes of those given";
    if (m->map->object_count != m->n && !m->type->adds) return "and an update needs all";
    return NULL;
}

static void every_model_takes_new_objects_or_says_why_not(void **state) {
    rkhs_env *env = *state;
    for (trial t = {.few = 1}; next_trial(env, &t, DIM);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh;
        fixture_split(env, t.pair.data, N, NEW, &x, &fresh);
        rkhs_model *m = fitted(env, &t, x);
        const char *why = why_not(m);
        if (why) {
            HOLDS(rkhs_model_update(m, fresh) != RKHS_OK && says(rkhs_env_message(env), why));
            HOLDS(m->n == N);
        } else {
            FINE(env, rkhs_model_update(m, fresh));
            int64_t n;
            const double *Z = rkhs_model_embedding(m, &n, NULL);
            double *Y = numbers(env, NEW * DIM);
            int64_t old = n - NEW; /* with features: those that the model keeps */
            HOLDS(old == N || (m->type->adds && m->map_rows && old == m->map->object_count));
            all_finite("Z", Z, n * DIM);
            FINE(env, rkhs_model_transform(m, fresh, Y, DIM));
            if (fixture_maps(m)) {
                double off = 0;
                for (int i = 0; i < NEW * DIM; i++) off = fmax(off, fabs(Y[i] - Z[old * DIM + i]));
                HOLDS(off <= 1e-8 * largest(Z, n * DIM));
            }
        }
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Few new objects among many leave the others where they were; a model can be updated again, saved and loaded. */
static void old_objects_stay_about_where_they_were(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *spec;
        double most;
    } tries[] = {
        {"kpca(dim=2)", 0.1}, {"tke(dim=2, neighbours=10)", 0.3}, {"bctke(dim=2, neighbours=10)", 0.3}, {"lpp(dim=2)", 0.3}};
    rkhs_data *x, *parts[3];
    int64_t rows[200];
    OK(env, rkhs_data_sample(env, "swiss_roll(n=200)", &x));
    for (int i = 0; i < 200; i++) rows[i] = i;
    FINE(env, rkhs_data_subset(x, rows, 190, &parts[0]));
    FINE(env, rkhs_data_subset(x, rows + 190, 4, &parts[1]));
    FINE(env, rkhs_data_subset(x, rows + 194, 6, &parts[2]));
    for (int t = 0; t < 4; t++) {
        rkhs_model *m = fit_text(env, tries[t].spec, "rbf", parts[0]), *loaded;
        for (int part = 1; part < 3; part++) {
            FINE(env, rkhs_model_update(m, parts[part]));
            double moved = *item_of(m, "moved").values;
            if (!(moved <= tries[t].most)) fail_msg("%s: old objects moved by %g", context, moved);
        }
        HOLDS(m->n == 200);
        FINE(env, rkhs_model_save(m, "a.rkhs"));
        FINE(env, rkhs_model_load(env, "a.rkhs", &loaded));
        same_bits("Z", rkhs_model_embedding(loaded, NULL, NULL), rkhs_model_embedding(m, NULL, NULL), 400);
        rkhs_model_free(loaded);
        rkhs_model_free(m);
    }
    for (int i = 0; i < 3; i++) rkhs_data_free(parts[i]);
    rkhs_data_free(x);
}

static void an_update_that_fails_leaves_the_model_as_it_was(void **state) {
    rkhs_env *env = *state;
    double few[] = {1, 2};
    rkhs_data *x = fixture_data(env, "small", N), *narrow, *labels = fixture_labels(env, N);
    rkhs_model *m = fit_text(env, "kpca(dim=2)", "rbf", x), *unfitted;
    double before[2 * N];
    memcpy(before, rkhs_model_embedding(m, NULL, NULL), sizeof before);
    OK(env, rkhs_data_dense(env, few, 2, 1, 1, &narrow));
    OK(env, rkhs_model_new(env, "kpca", &unfitted));
    REFUSED(env, RKHS_ERR_DATA, "1 column | fitted", rkhs_model_update(m, narrow));
    REFUSED(env, RKHS_ERR_DATA, "not labels", rkhs_model_update(m, labels));
    REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_update(unfitted, x));
    REFUSED(env, RKHS_ERR_ARGUMENT, "no data", rkhs_model_update(m, NULL));
    size_t used = env->used;
    FINE(env, rkhs_env_set_memory(env, used + 4000));
    HOLDS(rkhs_model_update(m, x) == RKHS_ERR_MEMORY);
    FINE(env, rkhs_env_set_memory(env, 0));
    HOLDS(env->used == used && m->n == N);
    same_bits("Z", rkhs_model_embedding(m, NULL, NULL), before, 2 * N);
    rkhs_model_free(unfitted);
    rkhs_model_free(m);
    rkhs_data_free(labels);
    rkhs_data_free(narrow);
    rkhs_data_free(x);
}

/* Objects that come in parts give what all at once give, where the features are the same; also after a file. */
static void sums_over_objects_are_added_to(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=3, gram=nystrom(by=given, rows=[0:12]))",
                                        "kpca(dim=3, gram=nystrom(landmarks=12, by=given, rows=[3,1,17,5,20]))",
                                        "kpca(dim=3, gram=features(count=30))"};
    enum { PARTS = 3, PART = 2100 }; /* more than a model with random features keeps */
    for (int t = 0; t < 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *all = fixture_data(env, "wide", PARTS * PART), *part[PARTS];
        rkhs_model *whole = fit_text(env, specs[t], "rbf(sigma=9)", all), *m = NULL;
        double *Z = numbers(env, 3 * PARTS * PART), *Y = numbers(env, 3 * PARTS * PART);
        for (int p = 0; p < PARTS; p++) {
            int64_t *index = wholes(env, PART);
            for (int i = 0; i < PART; i++) index[i] = p * PART + i;
            FINE(env, rk_data_subset(all, index, PART, &part[p]));
        }
        m = fit_text(env, specs[t], "rbf(sigma=9)", part[0]);
        for (int p = 1; p < PARTS; p++) {
            rkhs_model *loaded;
            FINE(env, rkhs_model_save(m, "part.rkhs"));
            FINE(env, rkhs_model_load(env, "part.rkhs", &loaded));
            rkhs_model_free(m);
            m = loaded;
            if (p == 2) FINE(env, rkhs_env_set_seed(env, 99)); /* the features are the model's, whatever the seed */
            FINE(env, rkhs_model_update(m, part[p]));
        }
        FINE(env, rkhs_env_set_seed(env, 0));
        LOOK_AT("%s in parts", specs[t]);
        near_each("eigenvalues", item_of(m, "eigenvalues").values, item_of(whole, "eigenvalues").values, 3, 1e-9);
        near_each("explained_variance", item_of(m, "explained_variance").values, item_of(whole, "explained_variance").values, 3,
                  1e-9);
        FINE(env, rkhs_model_transform(m, all, Z, 3));
        FINE(env, rkhs_model_transform(whole, all, Y, 3));
        for (int c = 0; c < 3; c++) { /* signs may differ */
            double same = 0;
            for (int i = 0; i < PARTS * PART; i++) same += Z[3 * i + c] * Y[3 * i + c];
            for (int i = 0; same < 0 && i < PARTS * PART; i++) Z[3 * i + c] = -Z[3 * i + c];
        }
        near_all("transform", Z, Y, 3 * PARTS * PART, 1e-8);
        for (int p = 0; p < PARTS; p++) rkhs_data_free(part[p]);
        rkhs_model_free(m);
        rkhs_model_free(whole);
        rkhs_data_free(all);
        rk_scratch_release(env, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(sums_over_objects_are_added_to),
        ENV_TEST(an_update_is_a_fit_on_all),
        ENV_TEST(every_model_takes_new_objects_or_says_why_not),
        FOLDER_TEST(old_objects_stay_about_where_they_were),
        ENV_TEST(an_update_that_fails_leaves_the_model_as_it_was),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
