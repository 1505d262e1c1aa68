/* The scores twonn and entropy against brute force: distances pair by pair, a line fitted to sorted ratios,
 * eigenvalues of 2 x 2 by their formula; and which way a score is better. */
#include "env.h"
#include "score/score.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* TwoNN as the paper has it, slowly: distinct neighbours alone. */
static double brute_twonn(const double *x, int64_t n, int64_t p, double discard) {
    double *d = malloc((size_t)n * sizeof *d), *mu = malloc((size_t)n * sizeof *mu), xy = 0, xx = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            long double sum = 0;
            for (int64_t c = 0; c < p; c++) sum += ((long double)x[i * p + c] - x[j * p + c]) * (x[i * p + c] - x[j * p + c]);
            d[j] = sqrt((double)sum);
        }
        qsort(d, (size_t)n, sizeof *d, ascending);
        int64_t a = 0;
        while (a < n && d[a] == 0) a++;
        int64_t b = a;
        while (b < n && d[b] <= d[a] * (1 + 1e-14)) b++;
        if (b < n) mu[count++] = d[b] / d[a];
    }
    qsort(mu, (size_t)count, sizeof *mu, ascending);
    for (int64_t i = 0; i < (int64_t)((double)count * (1 - discard)) && i < count - 1; i++) {
        double u = log(mu[i]), v = -log(1 - (double)(i + 1) / (double)count);
        xy += u * v;
        xx += u * u;
    }
    free(mu);
    free(d);
    return xy / xx;
}

static double score_of(rkhs_env *env, const char *spec, const double *x, int64_t n, int64_t p, double *deviation) {
    rkhs_data *z;
    double value;
    OK(env, rkhs_data_dense(env, x, n, p, p, &z));
    OK(env, rkhs_score(env, &spec, 1, &(rkhs_score_input){.z = z}, &value, deviation));
    rkhs_data_free(z);
    return value;
}

/* n points of `dim` dimensions in p columns, far from the origin: each column is a multiple of one of them. */
static double *points(int64_t n, int64_t dim, int64_t p) {
    double *x = calloc((size_t)(n * p), sizeof *x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < p; c++) x[i * p + c] = 100 + noise(1, (uint64_t)(i * dim + c % dim)) * (double)(1 + c / dim);
    return x;
}

static void twonn_is_what_brute_force_finds(void **state) {
    rkhs_env *env = *state;
    static const int64_t dims[] = {1, 2, 4}, columns[] = {1, 3, 40};
    for (int q = 0; q < 3; q++) {
        int64_t n = 700, p = columns[q];
        double *x = points(n, dims[q], p), error;
        for (int64_t i = 600; i < 620; i++) /* copies */
            for (int64_t c = 0; c < p; c++) x[i * p + c] = x[(i - 600) * p + c];
        double value = score_of(env, "twonn", x, n, p, &error), expected = brute_twonn(x, n, p, 0.1);
        assert_true(fabs(value - expected) < 1e-6 * expected);
        assert_true(fabs(score_of(env, "twonn(discard=0.3)", x, n, p, NULL) - brute_twonn(x, n, p, 0.3)) < 1e-6 * expected);
        assert_true(fabs(value - (double)dims[q]) < 5 * error && error < 0.1 * value && error > 0.01 * value);
        free(x);
    }
}

static void twonn_does_not_depend_on_threads_or_scale(void **state) {
    rkhs_env *env = *state;
    double *x = points(600, 3, 20), a, b, value = score_of(env, "twonn", x, 600, 20, &a);
    OK(env, rkhs_env_set_threads(env, 1));
    assert_true(score_of(env, "twonn", x, 600, 20, &b) == value && a == b);
    for (int64_t i = 0; i < 600 * 20; i++) x[i] *= 1024;
    assert_true(fabs(score_of(env, "twonn", x, 600, 20, &b) - value) < 1e-6);
    OK(env, rkhs_env_set_seed(env, 5)); /* the seed deals the parts, and nothing else */
    assert_true(fabs(score_of(env, "twonn", x, 600, 20, &a) - value) < 1e-6 && a != b);
    free(x);
}

static void entropy_is_that_of_the_covariance(void **state) {
    rkhs_env *env = *state;
    double x[200], m[2] = {0}, a = 0, b = 0, c = 0;
    for (int i = 0; i < 100; i++) {
        x[2 * i] = 50 + noise(3, (uint64_t)i);
        x[2 * i + 1] = 0.5 * x[2 * i] + 0.3 * noise(4, (uint64_t)i);
        m[0] += x[2 * i] / 100, m[1] += x[2 * i + 1] / 100;
    }
    for (int i = 0; i < 100; i++) {
        double u = x[2 * i] - m[0], v = x[2 * i + 1] - m[1];
        a += u * u, b += u * v, c += v * v;
    }
    double root = sqrt((a - c) * (a - c) / 4 + b * b), p = ((a + c) / 2 + root) / (a + c), q = 1 - p;
    assert_true(fabs(score_of(env, "entropy", x, 100, 2, NULL) + (p * log(p) + q * log(q)) / log(2)) < 1e-9);
    static const double cross[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1}, line[] = {1, 1, 2, 2, 5, 5};
    assert_true(fabs(score_of(env, "entropy", cross, 6, 3, NULL) - 1) < 1e-12);
    assert_true(fabs(score_of(env, "entropy", line, 3, 2, NULL)) < 1e-12);
}

static void what_has_no_answer_is_refused(void **state) {
    rkhs_env *env = *state;
    static const double x[40] = {1, 2, 3};
    static const char *const entropy = "entropy", *const twonn = "twonn";
    rkhs_data *one, *same, *few;
    double value;
    OK(env, rkhs_data_dense(env, x, 3, 1, 1, &one));
    OK(env, rkhs_data_dense(env, x + 4, 18, 2, 2, &same));
    OK(env, rkhs_data_dense(env, x, 5, 1, 1, &few));
    FAILS(env, RKHS_ERR_DATA, "at least two dimensions",
          rkhs_score(env, &entropy, 1, &(rkhs_score_input){.z = one}, &value, NULL));
    FAILS(env, RKHS_ERR_DATA, "nothing varies", rkhs_score(env, &entropy, 1, &(rkhs_score_input){.z = same}, &value, NULL));
    FAILS(env, RKHS_ERR_DATA, "only 0 rows", rkhs_score(env, &twonn, 1, &(rkhs_score_input){.z = same}, &value, NULL));
    FAILS(env, RKHS_ERR_DATA, "10 are needed", rkhs_score(env, &twonn, 1, &(rkhs_score_input){.z = few}, &value, NULL));
    rkhs_data_free(few);
    rkhs_data_free(same);
    rkhs_data_free(one);
}

static void a_score_says_which_way_is_better(void **state) {
    static const struct {
        const char *name;
        int better, labels, fresh;
    } cases[] = {{"knn", 1, 1, 1},   {"trustworthiness", 1, 0, 1}, {"mrre", -1, 0, 1},     {"davies_bouldin", -1, 1, 0},
                 {"twonn", 0, 0, 0}, {"entropy", 1, 0, 0},         {"silhouette", 1, 1, 0}};
    int found = 0;
    rkhs_type type;
    for (int i = 0; rkhs_list_type("scores", i, &type); i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            if (strcmp(type.name, cases[c].name) != 0) continue;
            found++;
            assert_int_equal(type.better, cases[c].better);
            assert_int_equal(type.needs_labels, cases[c].labels);
            assert_int_equal(type.takes_new, cases[c].fresh);
        }
    assert_int_equal(found, sizeof cases / sizeof *cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(twonn_is_what_brute_force_finds),   ENV_TEST(twonn_does_not_depend_on_threads_or_scale),
        ENV_TEST(entropy_is_that_of_the_covariance), ENV_TEST(what_has_no_answer_is_refused),
        ENV_TEST(a_score_says_which_way_is_better),
    };
    return cmocka_run_group_tests_name("dimension", tests, NULL, NULL);
}
