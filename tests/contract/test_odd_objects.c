/* Models with neighbours or codes on objects that are like nothing, like each other, or in parts; starts and stops. */
#include "fixtures.h"

enum { N = 30, D = 2 };

/* Whether a model takes a number of neighbours, sees which values are above 0, and begins at a start. */
typedef struct model_case {
    const char *name;
    int neighbours, sees_zero, descends;
} model_case;

static const model_case cases[] = {
    {"tke", 1, 1, 1},   {"bctke", 1, 1, 1},   {"bctke(map=nearest)", 0, 1, 1},
    {"kle", 1, 1, 0},   {"lpp", 1, 1, 0},     {"npe", 1, 0, 0},
    {"gplvm", 0, 0, 1}, {"bcgplvm", 0, 0, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Fits a Gram of n objects. When that is well, transform of the same rows is finite too; else there is no embedding. */
static rkhs_status fit_gram(rkhs_env *env, const char *spec, const double *K, int64_t n, remarks *log, rkhs_model **m) {
    rkhs_data *x;
    rkhs_kernel *k;
    double Z[N * D];
    LOOK_AT("%s on a Gram of %lld", spec, (long long)n);
    FINE(env, rkhs_data_dense(env, K, n, n, n, &x));
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    FINE(env, rkhs_model_new(env, spec, m));
    *log = (remarks){0};
    rkhs_env_set_log(env, take_remark, log);
    rkhs_status status = rkhs_model_fit(*m, k, x, NULL, NULL);
    rkhs_env_set_log(env, NULL, NULL);
    if (status == RKHS_OK) {
        all_finite("Z", rkhs_model_embedding(*m, NULL, NULL), n * D);
        FINE(env, rkhs_model_transform(*m, x, Z, D));
        all_finite("transform", Z, n * D);
    } else {
        HOLDS(!rkhs_model_embedding(*m, NULL, NULL));
    }
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    return status;
}

/* `parts` groups on lines; the first `alone` objects are like nothing. */
static void groups(double *K, int64_t parts, int64_t alone) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            int apart = i % parts != j % parts || i < alone || j < alone;
            K[i * N + j] = i == j ? 1 : apart ? 0 : exp(-0.01 * (double)((i - j) * (i - j)));
        }
}

static void more_neighbours_than_objects_are_all_others(void **state) {
    rkhs_env *env = *state;
    double K[N * N];
    groups(K, 1, 0);
    for (int t = 0; t < CASES; t++) {
        char spec[64];
        remarks log;
        rkhs_model *m, *all;
        if (!cases[t].neighbours) continue;
        snprintf(spec, sizeof spec, "%s(neighbours=%d)", cases[t].name, N);
        FINE(env, fit_gram(env, spec, K, N, &log, &m));
        HOLDS(log.advice == 1 && says(log.last, "29 other objects"));
        snprintf(spec, sizeof spec, "%s(neighbours=%d)", cases[t].name, N - 1);
        FINE(env, fit_gram(env, spec, K, N, &log, &all));
        HOLDS(log.advice == 0);
        same_bits("all others", rkhs_model_embedding(m, NULL, NULL), rkhs_model_embedding(all, NULL, NULL), N * D);
        rkhs_model_free(all);
        rkhs_model_free(m);
    }
}

static void parts_and_lone_objects_are_counted_and_embedded(void **state) {
    rkhs_env *env = *state;
    double K[N * N];
    for (int t = 0; t < CASES; t++) {
        rkhs_model *m;
        remarks log;
        char spec[64];
        snprintf(spec, sizeof spec, cases[t].neighbours ? "%s(neighbours=4)" : "%s", cases[t].name);
        groups(K, 3, 0);
        FINE(env, fit_gram(env, spec, K, N, &log, &m));
        if (cases[t].neighbours) {
            HOLDS(*item_of(m, "components").values == 3);
            HOLDS(log.advice == 1 && says(log.last, "3 connected components"));
            /* In what is not the same place for all, an object's nearest neighbour is of its own part. */
            const double *Z = rkhs_model_embedding(m, NULL, NULL);
            HOLDS(largest(Z, N * D) > 0);
            for (int i = 0; i < N; i++) {
                double least = INFINITY, own = INFINITY;
                for (int j = 0; j < N; j++) {
                    double s = pow(Z[i * D] - Z[j * D], 2) + pow(Z[i * D + 1] - Z[j * D + 1], 2);
                    if (j != i && j % 3 == i % 3) own = fmin(own, s);
                    if (j != i) least = fmin(least, s);
                }
                HOLDS(own <= least + 1e-12);
            }
        }
        rkhs_model_free(m);
        groups(K, 1, 2);
        FINE(env, fit_gram(env, spec, K, N, &log, &m));
        if (cases[t].neighbours && cases[t].sees_zero) {
            HOLDS(*item_of(m, "components").values == 3);
            HOLDS(log.advice == 1 && (says(log.last, "2 objects have no neighbour") || says(log.last, "2 of them single")));
        }
        rkhs_model_free(m);
    }
}

static void a_kernel_that_is_zero_between_all_pairs_gets_one_sentence(void **state) {
    rkhs_env *env = *state;
    double K[N * N];
    groups(K, 1, N); /* K = I */
    for (int t = 0; t < CASES; t++) {
        rkhs_model *m;
        remarks log;
        rkhs_status status = fit_gram(env, cases[t].name, K, N, &log, &m);
        if (status != RKHS_OK)
            HOLDS(status == RKHS_ERR_NUMERIC && says(rkhs_env_message(env), "no two objects | above 0"));
        else if (cases[t].sees_zero)
            HOLDS(log.advice == 1 && says(log.last, "no two objects | above 0") &&
                  largest(rkhs_model_embedding(m, NULL, NULL), N * D) == 0);
        rkhs_model_free(m);
    }
}

static void equal_objects_are_embedded(void **state) {
    rkhs_env *env = *state;
    double K[N * N];
    for (int t = 0; t < CASES; t++)
        for (int parts = 1; parts <= 2; parts++) { /* all equal, and two lots of equal ones */
            rkhs_model *m;
            remarks log;
            for (int q = 0; q < N * N; q++) K[q] = q / N % parts == q % N % parts ? 1 : 0.1;
            FINE(env, fit_gram(env, cases[t].name, K, N, &log, &m));
            if (strstr(cases[t].name, "tke")) HOLDS((log.advice == 1 && says(log.last, "same kernel values")) == (parts == 1));
            rkhs_model_free(m);
        }
}

static void a_start_has_the_shape_of_the_embedding(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *fewer = fixture_data(env, "small", N - 1),
              *wide = fixture_data(env, "small", N);
    for (int t = 0; t < CASES; t++) {
        rkhs_model *m;
        LOOK_AT("%s", cases[t].name);
        FINE(env, rkhs_model_new(env, cases[t].name, &m));
        if (cases[t].descends) {
            REFUSED(env, RKHS_ERR_DATA, "start | 29 x 3 | 30 x 2", rkhs_model_fit(m, NULL, x, NULL, fewer));
            REFUSED(env, RKHS_ERR_DATA, "start | 30 x 3 | 30 x 2", rkhs_model_fit(m, NULL, x, NULL, wide));
        } else {
            REFUSED(env, RKHS_ERR_ARGUMENT, "start", rkhs_model_fit(m, NULL, x, NULL, wide));
        }
        HOLDS(!rkhs_model_embedding(m, NULL, NULL));
        rkhs_model_free(m);
    }
    rkhs_data_free(wide);
    rkhs_data_free(fewer);
    rkhs_data_free(x);
}

/* Stops a fit the first time it asks. */
static int stop_at_once(const rkhs_progress *progress, void *payload) {
    ((rkhs_env *)payload)->progress_last = -1e9;
    return 1;
}

static void a_stop_before_the_first_descent_leaves_nothing_and_no_steps_leave_the_start(void **state) {
    rkhs_env *env = *state;
    static const char *const solvers[] = {"lbfgs", "cg"};
    rkhs_data *x = fixture_data(env, "small", N);
    for (int t = 0; t < CASES; t++) {
        rkhs_model *m;
        LOOK_AT("%s", cases[t].name);
        FINE(env, rkhs_model_new(env, cases[t].name, &m));
        rkhs_env_set_progress(env, stop_at_once, env);
        env->progress_last = -1e9;
        HOLDS(rkhs_model_fit(m, NULL, x, NULL, NULL) == RKHS_ERR_CANCELLED && says(rkhs_env_message(env), "stopped"));
        rkhs_env_set_progress(env, NULL, NULL);
        HOLDS(!rkhs_model_embedding(m, NULL, NULL));
        rkhs_model_free(m);
        if (!cases[t].descends || strchr(cases[t].name, '(')) continue;
        for (int q = 0; q < 4; q++) {
            char spec[128];
            double Y[N * D];
            snprintf(spec, sizeof spec, "%s(solver=%s(max_iter=%d))", cases[t].name, solvers[q / 2], q % 2);
            LOOK_AT("%s", spec);
            FINE(env, rkhs_model_new(env, spec, &m));
            FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
            HOLDS(*item_of(m, "iterations").values == q % 2);
            all_finite("Z", rkhs_model_embedding(m, NULL, NULL), N * D);
            FINE(env, rkhs_model_transform(m, x, Y, D));
            all_finite("transform", Y, N * D);
            rkhs_model_free(m);
        }
    }
    rkhs_data_free(x);
}

/* Few objects in parts far from each other stay apart within each: what holds objects apart grows with their number. */
static void few_objects_do_not_fall_together(void **state) {
    rkhs_env *env = *state;
    enum { FEW = 40, P = 3 };
    rk_mark mark = rk_scratch_mark(env);
    double *values = normals(env, FEW * P, 61);
    rkhs_data *x;
    rkhs_kernel *k;
    rkhs_model *m;
    int64_t d;
    for (int64_t i = FEW / 2 * P; i < FEW * P; i++) values[i] += 1000;
    LOOK_AT("two parts of %d objects", FEW / 2);
    FINE(env, rkhs_data_dense(env, values, FEW, P, P, &x));
    FINE(env, rkhs_kernel_new(env, "rbf(sigma=1)", &k));
    FINE(env, rkhs_model_new(env, "tke", &m));
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    const double *Z = rkhs_model_embedding(m, NULL, &d);
    for (int64_t i = 0; i < FEW; i++)
        for (int64_t j = 0; j < i; j++)
            HOLDS(fmax(fabs(Z[i * d] - Z[j * d]), fabs(Z[i * d + 1] - Z[j * d + 1])) > 1e-4 * largest(Z, FEW * d));
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(few_objects_do_not_fall_together),
        ENV_TEST(more_neighbours_than_objects_are_all_others),
        ENV_TEST(parts_and_lone_objects_are_counted_and_embedded),
        ENV_TEST(a_kernel_that_is_zero_between_all_pairs_gets_one_sentence),
        ENV_TEST(equal_objects_are_embedded),
        ENV_TEST(a_start_has_the_shape_of_the_embedding),
        ENV_TEST(a_stop_before_the_first_descent_leaves_nothing_and_no_steps_leave_the_start),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
