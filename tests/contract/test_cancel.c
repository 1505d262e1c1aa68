/* Whoever is asked to stop stops: at every look of every long call, leaving nothing in memory and no file. */
#include "fixtures.h"

enum { N = 300 };

/* A callback that says stop at its call number `at`, and is asked at every look, not ten times a second. */
typedef struct stopper {
    rkhs_env *env;
    int64_t calls, at;
} stopper;

static int stop_at(const rkhs_progress *progress, void *payload) {
    stopper *s = payload;
    if (!progress->stage || !progress->stage[0] || progress->done < 0) fail_msg("%s: a stage without a name", context);
    s->env->progress_last = -1e9;
    return ++s->calls == s->at;
}

/* A long call, and what it works on. */
typedef struct work {
    rkhs_data *x, *fresh, *labels;
    rkhs_kernel *kernel;
    rkhs_model *model, *other; /* fitted; not fitted */
    double *K, *Z;
    const char *spec;
} work;

typedef rkhs_status (*long_call)(rkhs_env *env, work *w);

/* Stops the call at its first, second, ... look, until it comes to its end. Returns how often it looked. */
static int64_t stop_everywhere(rkhs_env *env, const char *name, long_call call, work *w) {
    int64_t looks = 0;
    int files = files_here();
    for (int64_t at = 1;; at += at < 40 ? 1 : 13) {
        stopper s = {env, 0, at};
        LOOK_AT("%s, %s, stopped at look %lld, %d threads", name, w->spec ? w->spec : "", (long long)at, env->threads);
        rkhs_env_set_progress(env, stop_at, &s);
        env->progress_last = -1e9;
        rk_pool_free(env);
        size_t used = env->used;
        rkhs_status status = call(env, w);
        rkhs_env_set_progress(env, NULL, NULL);
        rk_pool_free(env);
        if (status == RKHS_OK) {
            HOLDS(s.calls < at);
            looks = s.calls;
            break;
        }
        if (status != RKHS_ERR_CANCELLED) fail_msg("%s: %d, %s", context, status, rkhs_env_message(env));
        HOLDS(s.calls == at); /* not asked again */
        HOLDS(says(rkhs_env_message(env), "stopped"));
        if (env->used != used) fail_msg("%s: %zu bytes before, %zu after", context, used, (size_t)env->used);
        HOLDS(files_here() == files);
    }
    HOLDS(looks > 0);
    return looks;
}

static void work_open(rkhs_env *env, work *w, const char *spec) {
    *w = (work){.spec = spec, .K = numbers(env, N * N), .Z = numbers(env, 2 * N)};
    fixture_split(env, "small", N, N, &w->x, &w->fresh);
    w->labels = fixture_labels(env, N);
    LOOK_AT("%s", spec);
    FINE(env, rkhs_kernel_new(env, "rbf", &w->kernel));
    FINE(env, rkhs_model_new(env, spec, &w->model));
    FINE(env, rkhs_model_new(env, spec, &w->other));
    FINE(env, rkhs_model_fit(w->model, w->kernel, w->x, NULL, NULL));
}

static void work_close(work *w) {
    rkhs_model_free(w->other);
    rkhs_model_free(w->model);
    rkhs_kernel_free(w->kernel);
    rkhs_data_free(w->labels);
    rkhs_data_free(w->fresh);
    rkhs_data_free(w->x);
}

/* ---- fits ------------------------------------------------------------------------------------------------------ */

/* A model that was not fitted stays so; the first that comes to its end is forgotten with the model. */
static rkhs_status call_first_fit(rkhs_env *env, work *w) {
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, w->spec, &m));
    rkhs_status status = rkhs_model_fit(m, w->kernel, w->x, NULL, NULL);
    if (status != RKHS_OK) HOLDS(!rkhs_model_embedding(m, NULL, NULL) && !rkhs_model_kernel(m) && !m->map && !m->report.count);
    rkhs_model_free(m);
    return status;
}

/* A fitted one keeps what it had. */
static rkhs_status call_second_fit(rkhs_env *env, work *w) {
    const double *Z = rkhs_model_embedding(w->model, NULL, NULL);
    rkhs_status status = rkhs_model_fit(w->model, w->kernel, w->fresh, NULL, NULL);
    if (status != RKHS_OK) {
        HOLDS(rkhs_model_embedding(w->model, NULL, NULL) == Z);
        near_each("Z", Z, w->Z, 2 * N, 0);
    }
    return status;
}

static void a_cancelled_fit_leaves_the_model_as_it_was(void **state) {
    rkhs_env *env = *state;
    static const char *const more[] = {"", ", solver=dense", ", solver=lanczos"};
    fixture_gram of;
    for (int g = 0; fixture_gram_at(g, &of); g++)
        for (int t = 0; t < 3 && (t == 0 || !of.given); t++) {
            rk_mark mark = rk_scratch_mark(env);
            char spec[128];
            work w;
            snprintf(spec, sizeof spec, "kpca(dim=2, gram=%s%s)", of.text, more[t]);
            work_open(env, &w, spec);
            memcpy(w.Z, rkhs_model_embedding(w.model, NULL, NULL), 2 * N * sizeof *w.Z);
            stop_everywhere(env, "a first fit", call_first_fit, &w);
            stop_everywhere(env, "a second fit", call_second_fit, &w);
            work_close(&w);
            rk_scratch_release(env, mark);
        }
}

static void a_fit_on_two_threads_can_be_cancelled(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca", "kpca(solver=lanczos)", "kpca(gram=nystrom(landmarks=270))"};
    for (int t = 0; t < 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        work w;
        work_open(env, &w, specs[t]);
        FINE(env, rkhs_env_set_threads(env, 2));
        for (int64_t at = 1; at < 20; at += 3) { /* how often it looks is not the same twice, but stop it must */
            stopper s = {env, 0, at};
            LOOK_AT("%s on two threads, stopped at look %lld", specs[t], (long long)at);
            rkhs_env_set_progress(env, stop_at, &s);
            env->progress_last = -1e9;
            rk_pool_free(env);
            size_t used = env->used;
            rkhs_status status = rkhs_model_fit(w.other, w.kernel, w.x, NULL, NULL);
            rk_pool_free(env);
            HOLDS((status == RKHS_OK && s.calls < at) || (status == RKHS_ERR_CANCELLED && env->used == used));
            HOLDS(status == RKHS_OK || !rkhs_model_embedding(w.other, NULL, NULL));
            if (status == RKHS_OK) break;
        }
        rkhs_env_set_progress(env, NULL, NULL);
        FINE(env, rkhs_env_set_threads(env, 1));
        work_close(&w);
        rk_scratch_release(env, mark);
    }
}

/* After a cancel the same call works, with the same result. */
static void a_cancelled_env_is_as_good_as_new(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    work w;
    work_open(env, &w, "kpca");
    stopper s = {env, 0, 2};
    rkhs_env_set_progress(env, stop_at, &s);
    env->progress_last = -1e9;
    LOOK_AT("a fit, cancelled");
    REFUSED(env, RKHS_ERR_CANCELLED, "stopped", rkhs_model_fit(w.other, w.kernel, w.x, NULL, NULL));
    rkhs_env_set_progress(env, NULL, NULL);
    FINE(env, rkhs_model_fit(w.other, w.kernel, w.x, NULL, NULL));
    assert_string_equal(rkhs_env_message(env), "");
    same_bits("Z", rkhs_model_embedding(w.other, NULL, NULL), rkhs_model_embedding(w.model, NULL, NULL), 2 * N);
    work_close(&w);
    rk_scratch_release(env, mark);
}

/* ---- everything else ------------------------------------------------------------------------------------------- */

static rkhs_status call_gram(rkhs_env *env, work *w) { return rkhs_kernel_gram(w->kernel, w->x, NULL, w->K, N); }
static rkhs_status call_cross(rkhs_env *env, work *w) { return rkhs_kernel_gram(w->kernel, w->x, w->fresh, w->K, N); }
static rkhs_status call_rows(rkhs_env *env, work *w) { return rkhs_kernel_gram_rows(w->kernel, w->x, 10, 290, w->K, N); }

/* A Gram of its own is written first, by an env that nobody stops; then it is looked at, compared and written again. */
static rkhs_status call_merge(rkhs_env *env, work *w) {
    rkhs_env *other;
    rkhs_data *x;
    FINE(env, rkhs_env_new(&other));
    for (int64_t i = 0; i < N * N; i++) w->K[i] = (double)(i % N == i / N);
    FINE(other, rkhs_data_dense(other, w->K, N, N, N, &x));
    FINE(other, rkhs_data_write(x, "K.npy", NULL));
    rkhs_data_free(x);
    rkhs_env_free(other);
    rkhs_status status = rkhs_data_merge_gram(env, (const char *const[]){"K.npy"}, 1, "M.npy");
    unlink("K.npy");
    if (status != RKHS_OK) HOLDS(access("M.npy", F_OK) != 0);
    return status;
}

static rkhs_status call_transform(rkhs_env *env, work *w) { return rkhs_model_transform(w->model, w->fresh, w->Z, 2); }

static rkhs_status call_freeze(rkhs_env *env, work *w) {
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, "rbf(sigma=knn(5))", &k));
    rkhs_status status = rkhs_kernel_freeze(k, w->x);
    rkhs_kernel_free(k);
    return status;
}

static rkhs_status call_inverse(rkhs_env *env, work *w) {
    rkhs_data *back = w->x;
    rkhs_model *copy;
    FINE(env, rkhs_model_copy(w->model, &copy));
    rkhs_status status = rkhs_model_inverse(copy, rkhs_model_embedding(copy, NULL, NULL), 20, 2, &back);
    if (status != RKHS_OK) HOLDS(!back);
    rkhs_data_free(back);
    rkhs_model_free(copy);
    return status;
}

static rkhs_status call_anomaly(rkhs_env *env, work *w) {
    rkhs_model *copy;
    FINE(env, rkhs_model_copy(w->model, &copy));
    w->Z[0] = -1;
    rkhs_status status = rkhs_model_anomaly(copy, w->fresh, "both", w->Z);
    if (status != RKHS_OK) HOLDS(w->Z[0] == -1);
    rkhs_model_free(copy);
    return status;
}

static rkhs_status call_update(rkhs_env *env, work *w) {
    rkhs_model *copy;
    int64_t before, after;
    FINE(env, rkhs_model_copy(w->model, &copy));
    rkhs_model_embedding(copy, &before, NULL);
    rkhs_status status = rkhs_model_update(copy, w->fresh, NULL);
    rkhs_model_embedding(copy, &after, NULL);
    if (status != RKHS_OK) HOLDS(after == before);
    rkhs_model_free(copy);
    return status;
}

static rkhs_status call_save(rkhs_env *env, work *w) { return rkhs_model_save(w->model, "a.rkhs"); }
static rkhs_status call_write(rkhs_env *env, work *w) { return rkhs_data_write(w->x, "x.csv", NULL); }

static rkhs_status call_load(rkhs_env *env, work *w) {
    rkhs_model *m = w->model;
    rkhs_status status = rkhs_model_load(env, "a.rkhs", &m);
    if (status != RKHS_OK) HOLDS(!m);
    rkhs_model_free(m);
    return status;
}

static rkhs_status call_read(rkhs_env *env, work *w) {
    rkhs_data *x = w->x;
    rkhs_status status = rkhs_data_read(env, "x.csv", NULL, &x);
    if (status != RKHS_OK) HOLDS(!x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_sample(rkhs_env *env, work *w) {
    rkhs_data *x = w->x;
    rkhs_status status = rkhs_data_sample(env, "swiss_roll(n=20000)", &x);
    if (status != RKHS_OK) HOLDS(!x);
    rkhs_data_free(x);
    return status;
}

/* The score that w->spec names, if it is one, of the objects as their own embedding. */
static rkhs_status call_score(rkhs_env *env, work *w) {
    double value = -1;
    const char *spec = strncmp(w->spec, "kpca", 4) == 0 ? "knn" : w->spec;
    rkhs_status status =
        rkhs_score(env, &spec, 1, &(rkhs_score_input){.z = w->x, .x = w->fresh, .labels = w->labels}, &value, NULL);
    if (status != RKHS_OK) HOLDS(value == -1);
    return status;
}

static rkhs_status call_score_new(rkhs_env *env, work *w) {
    double value = -1;
    const rkhs_score_input what = {.z = w->x,
                                   .x = w->fresh,
                                   .labels = w->labels,
                                   .new_z = w->fresh,
                                   .new_x = w->x,
                                   .new_labels = w->labels,
                                   .kernel = w->kernel};
    rkhs_status status = rkhs_score(env, &w->spec, 1, &what, &value, NULL);
    if (status != RKHS_OK) HOLDS(value == -1);
    return status;
}

static void every_score_can_be_cancelled(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    char name[64];
    work w;
    work_open(env, &w, "kpca");
    for (int i = 0; rk_scores.entries[i]; i++) {
        w.spec = fixture_score(rk_scores.entries[i], name, sizeof name, 10);
        stop_everywhere(env, "a score", call_score, &w);
        if (((const rk_score_type *)rk_scores.entries[i])->takes_new)
            stop_everywhere(env, "a score of new rows", call_score_new, &w);
    }
    work_close(&w);
    rk_scratch_release(env, mark);
}

static void every_long_call_can_be_cancelled(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *name;
        long_call call;
    } calls[] = {
        {"a Gram", call_gram},           {"a cross Gram", call_cross}, {"a width", call_freeze},
        {"a transform", call_transform}, {"an inverse", call_inverse}, {"a sample", call_sample},
        {"a score", call_score},         {"a save", call_save},        {"a load", call_load},
        {"a write", call_write},         {"a read", call_read},        {"rows of a Gram", call_rows},
        {"parts of a Gram", call_merge}, {"an anomaly", call_anomaly}, {"an anomaly", call_anomaly},
        {"an update", call_update},
    };
    for (int i = 0; i < 16; i++) {
        rk_mark mark = rk_scratch_mark(env);
        work w;
        work_open(env, &w, i % 2 ? "kpca" : "kpca(gram=nystrom(landmarks=280))");
        OK(env, call_transform(env, &w)); /* the first one leaves the kept objects prepared */
        stop_everywhere(env, calls[i].name, calls[i].call, &w);
        work_close(&w);
        rk_scratch_release(env, mark);
    }
}

static void updates_that_add_to_sums_can_be_cancelled(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(gram=nystrom(landmarks=80))", "lpp(gram=nystrom(landmarks=80))",
                                        "npe(gram=nystrom(landmarks=80))"};
    for (int i = 0; i < 3; i++) {
        rk_mark mark = rk_scratch_mark(env);
        work w;
        work_open(env, &w, specs[i]);
        stop_everywhere(env, specs[i], call_update, &w);
        work_close(&w);
        rk_scratch_release(env, mark);
    }
}

/* Which stages were shown: once a call has named one, it has no reason to begin anew. */
typedef struct stages {
    rkhs_env *env;
    const char *last;
    int64_t done;
    int again, seen;
} stages;

static int watch(const rkhs_progress *progress, void *payload) {
    stages *s = payload;
    s->env->progress_last = -1e9;
    int start = strcmp(progress->stage, "work") == 0;
    s->again += s->last && start;
    s->again +=
        s->last && strcmp(s->last, "landmarks") == 0 && strcmp(progress->stage, s->last) == 0 && progress->done < s->done;
    if (!start) s->last = progress->stage, s->done = progress->done, s->seen++;
    return 0;
}

/* What is called inside a call must not forget where that stands. */
static void progress_does_not_begin_anew(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *name;
        long_call call;
        const char *spec;
    } calls[] = {
        {"a fit", call_first_fit, "kpca(gram=nystrom(landmarks=150))"},
        {"a fit", call_first_fit, "kpca(gram=nystrom(landmarks=150, by=uniform))"},
        {"a fit", call_first_fit, "kpca(gram=nystrom(landmarks=150, by=kmeans))"},
        {"a fit", call_first_fit, "kpca(solver=lanczos)"},
        {"an inverse", call_inverse, "kpca"},
        {"an anomaly", call_anomaly, "kpca"},
        {"an update", call_update, "kpca"},
        {"an update", call_update, "lpp(gram=nystrom(landmarks=80))"},
        {"a width", call_freeze, "kpca"},
        {"a score", call_score, "kpca"},
        {"a Gram", call_gram, "kpca"},
        {"a transform", call_transform, "kpca"},
    };
    for (int i = 0; i < 11; i++) {
        rk_mark mark = rk_scratch_mark(env);
        work w;
        work_open(env, &w, calls[i].spec);
        stages s = {.env = env};
        LOOK_AT("%s, %s", calls[i].name, calls[i].spec);
        rkhs_env_set_progress(env, watch, &s);
        env->progress_last = -1e9;
        FINE(env, calls[i].call(env, &w));
        rkhs_env_set_progress(env, NULL, NULL);
        HOLDS(s.seen > 0);
        HOLDS(s.again == 0);
        work_close(&w);
        rk_scratch_release(env, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_cancelled_fit_leaves_the_model_as_it_was),
        FOLDER_TEST(a_fit_on_two_threads_can_be_cancelled),
        FOLDER_TEST(a_cancelled_env_is_as_good_as_new),
        FOLDER_TEST(every_long_call_can_be_cancelled),
        FOLDER_TEST(updates_that_add_to_sums_can_be_cancelled),
        FOLDER_TEST(every_score_can_be_cancelled),
        FOLDER_TEST(progress_does_not_begin_anew),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
