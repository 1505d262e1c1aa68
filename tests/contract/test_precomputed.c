/* Precomputed Grams that are no Grams: not symmetric, not square, not positive semi-definite. */
#include "fixtures.h"

enum { N = 40 };

/* A symmetric matrix with eigenvalues of both signs: the Gram of some points less a part of that of others. */
static double *indefinite(rkhs_env *env, double part) {
    double *x = normals(env, 4 * N, 40), *K = numbers(env, N * N);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double *a = x + 4 * i, *b = x + 4 * j;
            double first = pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2), second = pow(a[2] - b[2], 2) + pow(a[3] - b[3], 2);
            K[i * N + j] = K[j * N + i] = exp(-first) - part * exp(-second);
        }
    return K;
}

/* Eigenvalues of H K H, ascending, and the vectors as rows. */
static double *centred_spectrum(rkhs_env *env, const double *K, double *V) {
    double *A = numbers(env, N * N), *w = numbers(env, N), row[N] = {0}, all = 0;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) row[i] += K[i * N + j] / N;
    for (int64_t i = 0; i < N; i++) all += row[i] / N;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) A[i * N + j] = K[i * N + j] - row[i] - row[j] + all;
    OK(env, rk_eigen(env, N, A, N, 0, N - 1, w, V));
    return w;
}

/* The number after `words` in a sentence. */
static double number_after(const char *sentence, const char *words) {
    const char *at = strstr(sentence, words);
    if (!at) fail_msg("%s: no '%s' in: %s", context, words, sentence);
    return strtod(at + strlen(words), NULL);
}

/* A fit of kpca on K with the log in *log. */
static rkhs_status fit_on(rkhs_env *env, const double *K, const char *spec, const char *kernel, remarks *log, rkhs_model **m) {
    rkhs_data *x;
    rkhs_kernel *k;
    *log = (remarks){0};
    LOOK_AT("%s with %s", spec, kernel);
    FINE(env, rkhs_data_dense(env, K, N, N, N, &x));
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, spec, m));
    rkhs_env_set_log(env, take_remark, log);
    rkhs_status status = rkhs_model_fit(*m, k, x, NULL, NULL);
    rkhs_env_set_log(env, NULL, NULL);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    return status;
}

static const char *const solvers[] = {"", ", solver=dense", ", solver=lanczos"};

static void a_gram_that_is_not_psd_is_refused_with_its_smallest_eigenvalue(void **state) {
    rkhs_env *env = *state;
    static const double parts[] = {0.05, 0.5, 2};
    for (int t = 0; t < 9; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *K = indefinite(env, parts[t / 3]), *w = centred_spectrum(env, K, numbers(env, N * N));
        char spec[128];
        remarks log;
        rkhs_model *m;
        snprintf(spec, sizeof spec, "kpca(dim=2, negative=refuse%s)", solvers[t % 3]);
        assert_true(w[0] < -0.1);
        rkhs_status status = fit_on(env, K, spec, "precomputed", &log, &m);
        HOLDS(status == RKHS_ERR_NUMERIC && !rkhs_model_embedding(m, NULL, NULL));
        double smallest = number_after(rkhs_env_message(env), "most negative eigenvalue is ");
        double most = number_after(rkhs_env_message(env), "its largest ");
        HOLDS(fabs(smallest - w[0]) <= 5e-6 * fabs(w[0]) && fabs(most - w[N - 1]) <= 5e-6 * w[N - 1]); /* six digits */
        HOLDS(says(rkhs_env_message(env), "negative=clip"));
        rkhs_model_free(m);
        rk_scratch_release(env, mark);
    }
}

/* Z must be the eigenvectors of the `want`-th eigenvalues times the roots of their sizes, with the sign rule. */
static void check_scores(const rkhs_model *m, const double *w, const double *V, const int64_t *want, int64_t dim) {
    const double *Z = rkhs_model_embedding(m, NULL, NULL);
    for (int64_t c = 0; c < dim; c++) {
        const double *v = V + want[c] * N;
        int64_t at = 0;
        for (int64_t i = 1; i < N; i++)
            if (fabs(v[i]) > fabs(v[at])) at = i;
        double scale = sqrt(fabs(w[want[c]])) * (v[at] < 0 ? -1 : 1);
        for (int64_t i = 0; i < N; i++)
            if (!(fabs(Z[i * dim + c] - scale * v[i]) <= 1e-8))
                fail_msg("%s: component %lld of row %lld is %g, not %g", context, (long long)c, (long long)i, Z[i * dim + c],
                         scale * v[i]);
    }
}

static void clip_leaves_negative_eigenvalues_out_and_says_so(void **state) {
    rkhs_env *env = *state;
    for (int t = 0; t < 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *K = indefinite(env, 0.5), *V = numbers(env, N * N), *w = centred_spectrum(env, K, V);
        static const int64_t want[] = {N - 1, N - 2, N - 3};
        char spec[128];
        remarks log;
        rkhs_model *m;
        snprintf(spec, sizeof spec, "kpca(dim=3, negative=clip%s)", solvers[t]);
        FINE(env, fit_on(env, K, spec, "precomputed", &log, &m));
        HOLDS(log.advice == 1);
        double smallest = number_after(log.last, "most negative eigenvalue is ");
        HOLDS(fabs(smallest - w[0]) <= 5e-6 * fabs(w[0]));
        rkhs_item item = {0};
        for (int64_t i = 0; rkhs_model_report(m, i, &item) && strcmp(item.name, "smallest_eigenvalue") != 0; i++) {
        }
        near_each("the report's smallest eigenvalue", item.values, w, 1, 1e-9);
        check_scores(m, w, V, want, 3);
        rkhs_model_free(m);
        rk_scratch_release(env, mark);
    }
}

static void flip_takes_eigenvalues_by_their_size(void **state) {
    rkhs_env *env = *state;
    for (int t = 0; t < 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *K = indefinite(env, 2), *V = numbers(env, N * N), *w = centred_spectrum(env, K, V), *Z = numbers(env, N * 4);
        int64_t want[4], low = 0, high = N - 1;
        char spec[128];
        remarks log;
        rkhs_model *m;
        rkhs_data *x;
        for (int c = 0; c < 4; c++) want[c] = fabs(w[low]) > fabs(w[high]) ? low++ : high--;
        HOLDS(low > 0 && high < N - 1); /* both signs are among them */
        snprintf(spec, sizeof spec, "kpca(dim=4, negative=flip%s)", solvers[t]);
        FINE(env, fit_on(env, K, spec, "precomputed", &log, &m));
        HOLDS(log.advice == 1 && says(log.last, "by size"));
        check_scores(m, w, V, want, 4);
        FINE(env, rkhs_data_dense(env, K, N, N, N, &x));
        FINE(env, rkhs_model_transform(m, x, Z, 4));
        near_all("transform of the training rows", Z, rkhs_model_embedding(m, NULL, NULL), N * 4, 1e-8);
        rkhs_data_free(x);
        rkhs_model_free(m);
        rk_scratch_release(env, mark);
    }
}

static void clip_of_a_gram_without_positive_eigenvalues_is_zero(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N);
    remarks log;
    rkhs_model *m;
    memset(K, 0, N * N * sizeof *K);
    for (int64_t i = 0; i < N; i++) K[i * N + i] = -1 - 0.1 * (double)i;
    FINE(env, fit_on(env, K, "kpca(dim=2)", "precomputed", &log, &m));
    HOLDS(largest(rkhs_model_embedding(m, NULL, NULL), 2 * N) == 0 && log.advice == 2);
    rkhs_model_free(m);
    rk_scratch_release(env, mark);
}

/* Landmarks see that a Gram cannot be one by what they leave on its diagonal. */
static void landmarks_refuse_a_gram_that_is_not_psd(void **state) {
    rkhs_env *env = *state;
    static const char *const by[] = {"by=rpcholesky", "by=uniform", "by=given, rows=[0:40]", "by=kmeans"};
    for (int t = 0; t < 4; t++)
        for (int p = 0; p < 2; p++) {
            rk_mark mark = rk_scratch_mark(env);
            double *K = p ? indefinite(env, 0.3) : numbers(env, N * N);
            for (int64_t i = 0; !p && i < N * N; i++) K[i] = i % (N + 1) ? 2 : 1; /* k(x,y)^2 > k(x,x) k(y,y) */
            rkhs_model *m;
            remarks log;
            char spec[96];
            snprintf(spec, sizeof spec, "kpca(gram=nystrom(landmarks=40, %s))", by[t]);
            rkhs_status status = fit_on(env, K, spec, "precomputed", &log, &m);
            REFUSED(env, RKHS_ERR_NUMERIC, "not positive semi-definite: landmarks leave -", status);
            HOLDS(says(rkhs_env_message(env), "use gram=exact") && !rkhs_model_embedding(m, NULL, NULL));
            rkhs_model_free(m);
            rk_scratch_release(env, mark);
        }
}

static void a_psd_gram_gets_no_advice(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N);
    remarks log;
    rkhs_model *m;
    fill_gram(env, N, K);
    static const char *const modes[] = {"clip", "flip", "refuse"};
    for (int i = 0; i < 3; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "kpca(dim=2, negative=%s)", modes[i]);
        FINE(env, fit_on(env, K, spec, "precomputed", &log, &m));
        HOLDS(log.advice == 0);
        rkhs_model_free(m);
    }
    rk_scratch_release(env, mark);
}

static void a_gram_that_is_not_symmetric_is_refused_with_the_place(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"precomputed", "2*precomputed", "precomputed + precomputed"};
    fixture_gram of;
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N);
    fill_gram(env, N, K);
    double was = K[30 * N + 11];
    for (int g = 0; fixture_gram_at(g, &of); g++)
        for (int k = 0; k < 3; k++)
            for (int side = 0; side < 2; side++) {
                char spec[128], part[160];
                remarks log;
                rkhs_model *m;
                double *place = side ? &K[11 * N + 30] : &K[30 * N + 11];
                *place = 0.5;
                snprintf(spec, sizeof spec, "kpca(gram=%s)", of.text);
                snprintf(part, sizeof part, "row 31, column 12 is %.9g, but row 12, column 31 is %.9g (counted from 1)",
                         side ? was : 0.5, side ? 0.5 : was);
                REFUSED(env, RKHS_ERR_DATA, part, fit_on(env, K, spec, kernels[k], &log, &m));
                HOLDS(!rkhs_model_embedding(m, NULL, NULL));
                rkhs_model_free(m);
                *place = was;
            }
    rk_scratch_release(env, mark);
}

static void rounding_is_no_asymmetry(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N);
    remarks log;
    rkhs_model *m;
    fill_gram(env, N, K);
    K[30 * N + 11] *= 1 + 1e-14;
    FINE(env, fit_on(env, K, "kpca", "precomputed", &log, &m));
    rkhs_model_free(m);
    rk_scratch_release(env, mark);
}

static void a_gram_that_is_not_square_is_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    fixture_gram of;
    for (int g = 0; fixture_gram_at(g, &of); g++) {
        char spec[128];
        rkhs_kernel *k;
        rkhs_model *m;
        snprintf(spec, sizeof spec, "kpca(gram=%s)", of.text);
        LOOK_AT("%s", spec);
        FINE(env, rkhs_kernel_new(env, "precomputed", &k));
        FINE(env, rkhs_model_new(env, spec, &m));
        REFUSED(env, RKHS_ERR_DATA, "square | 40 x 3", rkhs_model_fit(m, k, x, NULL, NULL));
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(x);
}

/* Small negative eigenvalues beside large ones, past the size where the spectrum is computed whole. */
static void a_small_negative_eigenvalue_of_a_large_gram_is_seen(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 600 };
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, (int64_t)ALL * ALL);
    rkhs_data *x;
    rkhs_kernel *k;
    rkhs_model *m;
    for (int i = 0; i < ALL; i++) K[i * ALL + i] = 100.0 + i;
    for (int i = 0; i < 2; i++) K[i * ALL + i] = 0;
    K[1] = K[ALL] = 0.01; /* eigenvalues 0.01 and -0.01 */
    FINE(env, rkhs_data_dense(env, K, ALL, ALL, ALL, &x));
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    FINE(env, rkhs_model_new(env, "kpca(negative=refuse)", &m));
    REFUSED(env, RKHS_ERR_NUMERIC, "most negative eigenvalue | -0.01", rkhs_model_fit(m, k, x, NULL, NULL));
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* Distances between points, of which the last is the first again where `twice` is set. */
static double *distances(rkhs_env *env, int twice) {
    double *x = normals(env, 2 * N, 41), *D = numbers(env, N * N);
    if (twice) memcpy(x + 2 * (N - 1), x, 2 * sizeof *x);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) D[i * N + j] = hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]);
    return D;
}

static void distances_are_refused_and_the_sentence_says_what_to_give(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca", "kpca(gram=nystrom(landmarks=10))", "tke(dim=2)", "ke(dim=2)"};
    remarks log;
    rkhs_model *m;
    rk_mark mark = rk_scratch_mark(env);
    for (int t = 0; t < 8; t++) {
        double *D = distances(env, t / 4);
        FAILS(env, RKHS_ERR_DATA, "distances", fit_on(env, D, specs[t % 4], "precomputed", &log, &m));
        assert_true(says(rkhs_env_message(env), "K = exp(-D^2/(2 s^2))"));
        rkhs_model_free(m);
        for (int64_t i = 0; i < N * N; i++) D[i] = exp(-D[i] * D[i] / 2); /* as it says */
        FINE(env, fit_on(env, D, specs[t % 4], "precomputed", &log, &m));
        rkhs_model_free(m);
    }
    double *D = distances(env, 0), *K = numbers(env, N * N);
    rkhs_data *x;
    rkhs_kernel *k;
    FINE(env, rkhs_data_dense(env, D, N, N, N, &x));
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    FAILS(env, RKHS_ERR_DATA, "distances", rkhs_kernel_gram(k, x, NULL, K, N));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* 1 - a correlation is not quite 0 on the diagonal, nor between equal objects, and may fall below. */
static void distances_with_rounding_on_the_diagonal_are_refused(void **state) {
    rkhs_env *env = *state;
    remarks log;
    rkhs_model *m;
    rk_mark mark = rk_scratch_mark(env);
    for (int t = 0; t < 6; t++) {
        double *D = distances(env, t / 2 == 1), scale = t % 2 ? 1e-30 : 1;
        if (t / 2 == 2) D[1] = D[N] = 0; /* no distance between objects that are not the same */
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                double rounding = (i + j) % 3 == 0 ? -1.1e-16 : 2.2e-16;
                D[i * N + j] = scale * (D[i * N + j] > 0 ? D[i * N + j] : rounding);
            }
        LOOK_AT("matrix %d", t);
        FAILS(env, RKHS_ERR_DATA, "distances", fit_on(env, D, "kpca", "precomputed", &log, &m));
        assert_true(says(rkhs_env_message(env), "similarities | k(x,x) | diagonal"));
        rkhs_model_free(m);
    }
    rk_scratch_release(env, mark);
}

/* A row of zeros, a centred Gram, a Gram of one object and zeros, minus half of squared distances, links between
 * objects. */
static void matrices_with_zeros_that_are_no_distances_are_taken(void **state) {
    rkhs_env *env = *state;
    remarks log;
    rkhs_model *m;
    rk_mark mark = rk_scratch_mark(env);
    for (int t = 0; t < 5; t++) {
        double *D = distances(env, 0), *K = numbers(env, N * N);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                double *v = &K[i * N + j], d = D[i * N + j];
                *v = t == 0   ? (i == 3 || j == 3 ? 0 : exp(-d * d))
                     : t == 1 ? exp(-d * d) - 0.2
                     : t == 2 ? (i == 0 && j == 0)
                     : t == 3 ? -d * d / 2
                              : (i != j && (i + j) % 3 == 0);
            }
        LOOK_AT("matrix %d", t);
        FINE(env, fit_on(env, K, "kpca", "precomputed", &log, &m));
        rkhs_model_free(m);
    }
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(a_small_negative_eigenvalue_of_a_large_gram_is_seen),
        ENV_TEST(a_gram_that_is_not_psd_is_refused_with_its_smallest_eigenvalue),
        ENV_TEST(clip_leaves_negative_eigenvalues_out_and_says_so),
        ENV_TEST(flip_takes_eigenvalues_by_their_size),
        ENV_TEST(clip_of_a_gram_without_positive_eigenvalues_is_zero),
        ENV_TEST(landmarks_refuse_a_gram_that_is_not_psd),
        ENV_TEST(a_psd_gram_gets_no_advice),
        ENV_TEST(a_gram_that_is_not_symmetric_is_refused_with_the_place),
        ENV_TEST(rounding_is_no_asymmetry),
        ENV_TEST(a_gram_that_is_not_square_is_refused),
        ENV_TEST(distances_are_refused_and_the_sentence_says_what_to_give),
        ENV_TEST(distances_with_rounding_on_the_diagonal_are_refused),
        ENV_TEST(matrices_with_zeros_that_are_no_distances_are_taken),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
