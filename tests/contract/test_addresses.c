/* What comes out does not depend on where arrays lie in memory: every allocation of an env can be moved
 * (env->shift), and so can the arrays that a user hands over. scripts/test runs this with the BLAS kernels of
 * several processors. */
#include "trials.h"

enum { N = 61, NEW = 19, DIM = 3, LINE = 8 };

/* What is computed from a model, in one row of numbers: new rows, anomalies, influences. */
static double *answers(rkhs_env *env, rkhs_model *m, const rkhs_data *fresh, int64_t *count) {
    enum { TOP = 2 };
    int64_t rows = fresh->rows, *object = wholes(env, rows * 2 * TOP);
    double *all = numbers(env, rows * (DIM + 1 + 2 * TOP));
    FINE(env, rkhs_model_transform(m, fresh, all, DIM));
    if (rkhs_model_anomaly(m, fresh, NULL, all + rows * DIM) != RKHS_OK) all[rows * DIM] = -1;
    if (rkhs_model_explain(m, fresh, TOP, object, all + rows * (DIM + 1)) != RKHS_OK) all[rows * (DIM + 1)] = -1;
    *count = rows * (DIM + 1 + 2 * TOP);
    return all;
}

/* Every model with every gram and its share of the kernels: the same file and the same answers wherever arrays lie,
 * on one thread and on two. */
static void models_and_their_files_do_not_depend_on_addresses(void **state) {
    rkhs_env *env = *state;
    static const int64_t shifts[] = {0, 1, 5};
    for (trial t = {.few = 1}; next_trial(env, &t, DIM);) {
        rk_mark mark = rk_scratch_mark(env);
        double *first = NULL;
        char what[400];
        snprintf(what, sizeof what, "%.399s", context);
        for (int shift = 0; shift < 3; shift++) {
            rkhs_data *x, *fresh;
            int64_t count;
            LOOK_AT("%s, shift %d", what, shift);
            env->shift = shifts[shift];
            FINE(env, rkhs_env_set_threads(env, 1 + shift));
            fixture_split(env, t.pair.data, N, NEW, &x, &fresh);
            rkhs_model *m = fitted(env, &t, x);
            FINE(env, rkhs_model_save(m, shift ? "b.rkhs" : "a.rkhs"));
            if (shift) same_files(env, "a.rkhs", "b.rkhs");
            double *out = answers(env, m, fresh, &count);
            if (shift) same_bits("what a model answers", out, first, count);
            if (!shift) first = out;
            rkhs_model_free(m);
            rkhs_data_free(fresh);
            rkhs_data_free(x);
        }
        rk_scratch_release(env, mark);
        env->shift = 0;
    }
}

/* Odd dimensions, several tiles, an optimiser that runs on: what differed on one processor and two threads. */
static void descents_do_not_depend_on_addresses(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"tke(dim=3)",
                                        "bctke(dim=3)",
                                        "bctke(dim=3, map=nearest)",
                                        "ke(dim=3, solver=lbfgs(max_iter=5))",
                                        "gplvm(dim=3, solver=lbfgs(max_iter=10))",
                                        "kae(dim=3, solver=lbfgs(max_iter=10))",
                                        "kpca(dim=3, solver=lanczos)",
                                        "spectral(dim=3)"};
    for (size_t q = 0; q < sizeof specs / sizeof *specs; q++) {
        rkhs_data *x = fixture_data(env, "wide", 273);
        for (int shift = 0; shift < 3; shift++) {
            env->shift = shift;
            FINE(env, rkhs_env_set_threads(env, 1 + shift));
            rkhs_model *m = fit_text(env, specs[q], "rbf", x);
            FINE(env, rkhs_model_save(m, shift ? "b.rkhs" : "a.rkhs"));
            if (shift) same_files(env, "a.rkhs", "b.rkhs");
            rkhs_model_free(m);
        }
        env->shift = 0;
        rkhs_data_free(x);
    }
}

/* Every kernel on every kind of data. */
static void grams_do_not_depend_on_addresses(void **state) {
    rkhs_env *env = *state;
    for (pairing p = {.brief = 1}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        double *first = NULL;
        for (int shift = 0; shift < 3; shift++) {
            subject s;
            env->shift = shift;
            subject_open(env, &p, N, &s);
            double *K = subject_gram(env, &s);
            if (shift) same_bits("Gram", K, first, N * N);
            if (!shift) first = K;
            subject_close(env, &s);
        }
        env->shift = 0;
        rk_scratch_release(env, mark);
    }
}

static void scores_do_not_depend_on_addresses(void **state) {
    rkhs_env *env = *state;
    for (const rk_entry *const *e = rk_scores.entries; *e; e++) {
        char text[64];
        double values[3] = {0};
        fixture_score(*e, text, sizeof text, 5);
        const char *spec = text;
        LOOK_AT("%s", text);
        for (int shift = 0; shift < 3; shift++) {
            env->shift = shift;
            FINE(env, rkhs_env_set_threads(env, 1 + shift));
            rkhs_data *x = fixture_data(env, "wide", N), *z = fixture_data(env, "small", N), *labels = fixture_labels(env, N);
            rkhs_score_input what = {.x = x, .z = z, .labels = labels};
            FINE(env, rkhs_score(env, &spec, 1, &what, &values[shift], NULL));
            if (shift) same_bits("score", &values[shift], values, 1);
            rkhs_data_free(labels);
            rkhs_data_free(z);
            rkhs_data_free(x);
        }
        env->shift = 0;
    }
}

/* Arrays that a user hands over, for data, targets and results, begin at any multiple of 8 bytes, with rows of any
 * length. */
static void a_users_arrays_may_lie_anywhere(void **state) {
    rkhs_env *env = *state;
    enum { P = 5, LD = 7 };
    static double room[N * LD + LINE] __attribute__((aligned(64))), out[N * LD + LINE] __attribute__((aligned(64)));
    double first[N * DIM];
    for (int shift = 0; shift < LINE; shift++) {
        double *at = room + shift, *Z = out + (3 * shift) % LINE;
        rkhs_data *x;
        for (int64_t i = 0; i < N; i++)
            for (int64_t c = 0; c < P; c++) at[i * LD + c] = rk_normal(3, RK_STREAM_TEST, (uint64_t)i, (uint64_t)c);
        FINE(env, rkhs_data_dense(env, at, N, P, LD, &x));
        rkhs_model *m = fit_text(env, "tke(dim=3, neighbours=6)", "rbf", x);
        FINE(env, rkhs_model_save(m, shift ? "b.rkhs" : "a.rkhs"));
        if (shift) same_files(env, "a.rkhs", "b.rkhs");
        FINE(env, rkhs_model_transform(m, x, Z, DIM));
        if (shift) same_bits("new rows", Z, first, N * DIM);
        if (!shift) memcpy(first, Z, N * DIM * sizeof *Z);
        rkhs_model_free(m);
        rkhs_data_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(models_and_their_files_do_not_depend_on_addresses),
        FOLDER_TEST(descents_do_not_depend_on_addresses),
        ENV_TEST(grams_do_not_depend_on_addresses),
        ENV_TEST(scores_do_not_depend_on_addresses),
        FOLDER_TEST(a_users_arrays_may_lie_anywhere),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
