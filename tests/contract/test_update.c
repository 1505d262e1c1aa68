/* New objects in a fitted model: against fits on all objects, and what is promised for every model. */
#include "model/npe.h"
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
        FINE(env, rkhs_model_update(m, fresh, NULL));
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
    if (rk_report_find(&m->report, "supervision")) return "which it does not keep";
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
        rkhs_data *y = m->type->predicts ? fixture_supervision(env, m->type, fresh, DIM) : NULL;
        if (why) {
            HOLDS(rkhs_model_update(m, fresh, y) != RKHS_OK && says(rkhs_env_message(env), why));
            HOLDS(m->n == N);
        } else {
            FINE(env, rkhs_model_update(m, fresh, y));
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
        rkhs_data_free(y);
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
            FINE(env, rkhs_model_update(m, parts[part], NULL));
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
    REFUSED(env, RKHS_ERR_DATA, "1 column | fitted", rkhs_model_update(m, narrow, NULL));
    REFUSED(env, RKHS_ERR_DATA, "not labels", rkhs_model_update(m, labels, NULL));
    REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_update(unfitted, x, NULL));
    REFUSED(env, RKHS_ERR_ARGUMENT, "no data", rkhs_model_update(m, NULL, NULL));
    size_t used = env->used;
    FINE(env, rkhs_env_set_memory(env, used + 4000));
    HOLDS(rkhs_model_update(m, x, NULL) == RKHS_ERR_MEMORY);
    FINE(env, rkhs_env_set_memory(env, 0));
    HOLDS(env->used == used && m->n == N);
    same_bits("Z", rkhs_model_embedding(m, NULL, NULL), before, 2 * N);
    rkhs_model_free(unfitted);
    rkhs_model_free(m);
    rkhs_data_free(labels);
    rkhs_data_free(narrow);
    rkhs_data_free(x);
}

/* Rows from .. from + count - 1. */
static rkhs_data *some_rows(rkhs_env *env, const rkhs_data *x, int64_t from, int64_t count) {
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *part;
    int64_t *index = wholes(env, count);
    for (int64_t i = 0; i < count; i++) index[i] = from + i;
    FINE(env, rk_data_subset(x, index, count, &part));
    rk_scratch_release(env, mark);
    return part;
}

/* A model fitted with the targets of the fixtures, if it predicts. */
static rkhs_model *fit_targets(rkhs_env *env, const char *spec, const char *kernel, const rkhs_data *x) {
    rkhs_model *m;
    rkhs_kernel *k;
    LOOK_AT("%s", spec);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, spec, &m));
    rkhs_data *y = m->type->predicts ? fixture_supervision(env, m->type, x, DIM) : NULL;
    FINE(env, rkhs_model_fit(m, k, x, y, NULL));
    rkhs_data_free(y);
    rkhs_kernel_free(k);
    return m;
}

/* Adds rows to a model, with their targets if it predicts. */
static void add_rows(rkhs_env *env, rkhs_model *m, const rkhs_data *x) {
    rkhs_data *y = m->type->predicts ? fixture_supervision(env, m->type, x, DIM) : NULL;
    FINE(env, rkhs_model_update(m, x, y));
    rkhs_data_free(y);
}

/* *m saved and loaded. */
static void through_a_file(rkhs_env *env, rkhs_model **m) {
    rkhs_model *loaded;
    FINE(env, rkhs_model_save(*m, "part.rkhs"));
    FINE(env, rkhs_model_load(env, "part.rkhs", &loaded));
    rkhs_model_free(*m);
    *m = loaded;
}

/* Ridge regression on objects that come in parts predicts what a fit on all predicts, where the features are the same;
 * also after a file, and with the exact Gram. */
static void targets_are_added_to(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *spec;
        int part;
    } tries[] = {{"krr(ridge=0.1, gram=nystrom(by=given, rows=[0:12]))", 300},
                 {"krr(ridge=0.1, gram=nystrom(landmarks=12, by=given, rows=[3,1,17,5,20]))", 2100},
                 {"krr(ridge=0.1, solver=cg(tol=1e-14), gram=nystrom(by=given, rows=[0:12]))", 300},
                 {"krr(ridge=0.1, gram=features(count=30))", 100},
                 {"krr(ridge=0.1, gram=features(count=30))", 2100},
                 {"krr(ridge=0.1, gram=exact)", 60},
                 {"krr(ridge=0.1)", 60}};
    enum { PARTS = 3 };
    for (int t = 0; t < 7; t++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t part = tries[t].part, all_rows = PARTS * part;
        rkhs_data *all = fixture_data(env, "wide", all_rows);
        rkhs_data *parts[] = {some_rows(env, all, 0, part), some_rows(env, all, part, part),
                              some_rows(env, all, 2 * part, part), some_rows(env, all, part, 2 * part)};
        rkhs_model *whole = fit_targets(env, tries[t].spec, "rbf(sigma=9)", all);
        rkhs_model *m = fit_targets(env, tries[t].spec, "rbf(sigma=9)", parts[0]), *once;
        double *Z = numbers(env, DIM * all_rows), *Y = numbers(env, DIM * all_rows);
        FINE(env, rkhs_model_copy(m, &once));
        for (int p = 1; p < PARTS; p++) {
            through_a_file(env, &m);
            add_rows(env, m, parts[p]);
        }
        add_rows(env, once, parts[3]);
        FINE(env, rkhs_model_transform(whole, all, Y, DIM));
        FINE(env, rkhs_model_transform(m, all, Z, DIM));
        near_all("in parts", Z, Y, DIM * all_rows, 1e-10);
        FINE(env, rkhs_model_transform(once, all, Z, DIM));
        near_all("at once", Z, Y, DIM * all_rows, 1e-10);
        near_each("training_error", item_of(m, "training_error").values, item_of(whole, "training_error").values, 1, 1e-9);
        if (m->n < all_rows) HOLDS(*item_of(m, "objects_seen").values == (double)all_rows);
        for (int p = 0; p < 4; p++) rkhs_data_free(parts[p]);
        rkhs_model_free(once);
        rkhs_model_free(m);
        rkhs_model_free(whole);
        rkhs_data_free(all);
        rk_scratch_release(env, mark);
    }
}

static void targets_that_do_not_fit_are_refused(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"krr", "krr(gram=nystrom(landmarks=10))", "krr(gram=features(count=10))"};
    for (int t = 0; t < 3; t++) {
        rkhs_data *x = fixture_data(env, "small", N), *few = some_rows(env, x, 0, 5), *labels = fixture_labels(env, 5);
        rkhs_data *column = fixture_data(env, "column", 5);
        rkhs_model *m = fit_targets(env, specs[t], "rbf", x);
        rkhs_data *y = fixture_supervision(env, m->type, x, DIM);
        double before[DIM * N];
        memcpy(before, m->Z, sizeof before);
        REFUSED(env, RKHS_ERR_ARGUMENT, "krr | targets", rkhs_model_update(m, few, NULL));
        HOLDS(strcmp(rkhs_env_hint(env), "target") == 0);
        REFUSED(env, RKHS_ERR_DATA, "60 rows | 5 objects", rkhs_model_update(m, few, y));
        REFUSED(env, RKHS_ERR_DATA, "labels", rkhs_model_update(m, few, labels));
        REFUSED(env, RKHS_ERR_DATA, "1 column | 3", rkhs_model_update(m, few, column));
        same_bits("Z", m->Z, before, DIM * N);
        rkhs_model_free(m);
        m = fit_text(env, "kpca(dim=2)", "rbf", x);
        REFUSED(env, RKHS_ERR_ARGUMENT, "kpca | targets", rkhs_model_update(m, few, column));
        HOLDS(m->n == N);
        rkhs_model_free(m);
        rkhs_data *const all[] = {x, few, labels, column, y};
        for (int i = 0; i < 5; i++) rkhs_data_free(all[i]);
    }
}

/* What rows from `known` on add to the sums of lpp with binary weights, or of npe with k neighbours, by definition. */
static void added_sums(rkhs_env *env, rk_gram *g, int lpp, int64_t known, int64_t k, double *between, double *square) {
    int64_t n = g->n, r = g->rank, *index = wholes(env, n * k), ld;
    double *weight = numbers(env, n * k), *e = numbers(env, r);
    FINE(env, rk_gram_store_features(g));
    const double *Phi = rk_gram_phi(g, &ld);
    FINE(env, rk_npe_weights(g, known, k, 1e-3, index, weight));
    memset(between, 0, (size_t)(r * r) * sizeof *between);
    memset(square, 0, (size_t)(r * r) * sizeof *square);
    for (int64_t i = known; i < n; i++) {
        const double *a = Phi + i * ld;
        for (int64_t p = 0; p < r; p++) e[p] = a[p];
        for (int64_t q = 0; q < k; q++)
            for (int64_t p = 0; p < r; p++) e[p] -= weight[i * k + q] * Phi[index[i * k + q] * ld + p];
        for (int64_t p = 0; p < r; p++)
            for (int64_t o = 0; o < r; o++) {
                if (!lpp) square[p * r + o] += a[p] * a[o], between[p * r + o] += a[p] * a[o] - e[p] * e[o];
                for (int64_t q = 0; lpp && q < k; q++) { /* an edge between a and b, of half its weight each way */
                    const double *b = Phi + index[i * k + q] * ld;
                    square[p * r + o] += (a[p] * a[o] + b[p] * b[o]) / 2;
                    between[p * r + o] += (a[p] * b[o] + b[p] * a[o]) / 2;
                }
            }
    }
}

/* The sums of lpp and npe grow by those of the new rows, with their neighbours among kept and new objects. */
static void neighbours_of_new_rows_are_added(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"lpp(dim=2, neighbours=4, weights=binary, gram=nystrom(landmarks=15))",
                                        "npe(dim=2, neighbours=4, gram=nystrom(landmarks=15))"};
    enum { KNOWN = 15, K = 4, R2 = KNOWN * KNOWN };
    for (int t = 0; t < 2; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh, *both;
        rk_spec *spec;
        rk_gram *g;
        double between[R2], square[R2], before[2][R2], after[2][R2];
        fixture_split(env, "small", N, NEW, &x, &fresh);
        rkhs_model *m = fit_text(env, specs[t], "rbf", x);
        const rk_sums_state *s = m->state;
        HOLDS(s->square.rows == KNOWN && s->count == N);
        FINE(env, rkhs_data_join(env, (const rkhs_data *const[]){m->map->objects, fresh}, 2, &both));
        FINE(env, rk_spec_new(env, &rk_grams, "nystrom(by=given, rows=[0:15])", &spec));
        FINE(env, rk_gram_new(env, spec, m->kernel, both, &g));
        added_sums(env, g, t == 0, KNOWN, K, between, square);
        rk_gram_free(g); /* before the update frees the kernel */
        rk_spec_free(env, spec);
        memcpy(before[0], s->between.values, sizeof between);
        memcpy(before[1], s->square.values, sizeof square);
        FINE(env, rkhs_model_update(m, fresh, NULL));
        s = m->state;
        for (int i = 0; i < R2; i++) after[0][i] = before[0][i] + between[i], after[1][i] = before[1][i] + square[i];
        near_all("between", s->between.values, after[0], R2, 1e-11);
        near_all("square", s->square.values, after[1], R2, 1e-11);
        HOLDS(s->count == ALL && *item_of(m, "objects_seen").values == ALL && m->n == KNOWN + NEW);
        rkhs_model_free(m);
        rkhs_data_free(both);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Few new rows hardly move a model with features, and the bytes of its file do not depend on threads. */
static void few_rows_hardly_move_a_model_with_features(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *spec;
        double most; /* neighbours among few landmarks are far away, and count for much */
    } tries[] = {
        {"lpp(dim=2, gram=nystrom(landmarks=300))", 0.05}, {"lpp(dim=2, constant=keep, gram=nystrom(landmarks=300))", 0.05},
        {"npe(dim=2, gram=nystrom(landmarks=300))", 0.25}, {"lpp(dim=2, gram=features(count=100))", 0.01},
        {"npe(dim=2, gram=features(count=100))", 0.01},    {"kpca(dim=2, gram=nystrom(landmarks=60))", 0.01},
        {"krr(gram=nystrom(landmarks=60))", 0.01}};
    enum { OLD = 2300 };
    rkhs_data *x;
    OK(env, rkhs_data_sample(env, "swiss_roll(n=2310)", &x));
    rkhs_data *parts[] = {some_rows(env, x, 0, OLD), some_rows(env, x, OLD, 1), some_rows(env, x, OLD + 1, 9)};
    for (int t = 0; t < 7; t++) {
        rkhs_model *first = fit_targets(env, tries[t].spec, "rbf", parts[0]);
        for (int threads = 1; threads <= 4; threads *= 2) {
            rkhs_model *m;
            LOOK_AT("%s on %d threads", tries[t].spec, threads);
            FINE(env, rkhs_env_set_threads(env, threads));
            FINE(env, rkhs_model_copy(first, &m));
            for (int part = 1; part < 3; part++) {
                through_a_file(env, &m);
                add_rows(env, m, parts[part]);
                double moved = *item_of(m, "moved").values;
                if (!(moved <= tries[t].most)) fail_msg("%s: old objects moved by %g", context, moved);
            }
            HOLDS(*item_of(m, "objects_seen").values == OLD + 10 && m->n == first->map->object_count + 9);
            FINE(env, rkhs_model_save(m, threads == 1 ? "a.rkhs" : "b.rkhs"));
            if (threads > 1) same_files(env, "a.rkhs", "b.rkhs");
            rkhs_model_free(m);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        rkhs_model_free(first);
    }
    for (int i = 0; i < 3; i++) rkhs_data_free(parts[i]);
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
        for (int p = 0; p < PARTS; p++) part[p] = some_rows(env, all, p * PART, PART);
        m = fit_text(env, specs[t], "rbf(sigma=9)", part[0]);
        for (int p = 1; p < PARTS; p++) {
            through_a_file(env, &m);
            if (p == 2) FINE(env, rkhs_env_set_seed(env, 99)); /* the features are the model's, whatever the seed */
            FINE(env, rkhs_model_update(m, part[p], NULL));
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
        FOLDER_TEST(sums_over_objects_are_added_to),
        FOLDER_TEST(targets_are_added_to),
        ENV_TEST(targets_that_do_not_fit_are_refused),
        ENV_TEST(neighbours_of_new_rows_are_added),
        FOLDER_TEST(few_rows_hardly_move_a_model_with_features),
        ENV_TEST(an_update_is_a_fit_on_all),
        ENV_TEST(every_model_takes_new_objects_or_says_why_not),
        FOLDER_TEST(old_objects_stay_about_where_they_were),
        ENV_TEST(an_update_that_fails_leaves_the_model_as_it_was),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
