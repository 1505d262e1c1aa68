/* Random features: they are the kernel in the mean, for each kernel that has them; models, maps and files with them. */
#include "trials.h"

enum { N = 60 };

static rk_gram *features_of(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const char *text, rk_spec **spec) {
    rk_gram *g;
    FINE(env, rk_spec_new(env, &rk_grams, text, spec));
    FINE(env, rk_gram_new(env, *spec, k, x, &g));
    return g;
}

/* The root mean square of Phi Phi' - K, over several seeds. */
static double kernel_error(rkhs_env *env, const char *kernel, const char *gram, const rkhs_data *x, int seeds) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = x->rows;
    double *K = numbers(env, n * n), sum = 0;
    rkhs_kernel *k;
    LOOK_AT("%s of %s", gram, kernel);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rk_kernel_freeze(k, x));
    FINE(env, rkhs_kernel_gram(k, x, NULL, K, n));
    for (int seed = 0; seed < seeds; seed++) {
        rk_spec *spec;
        FINE(env, rkhs_env_set_seed(env, (uint64_t)seed));
        rk_gram *g = features_of(env, k, x, gram, &spec);
        int64_t ld;
        const double *Phi = rk_gram_phi(g, &ld);
        for (int64_t q = 0; q < n * n; q++) {
            double error = rk_dot(g->rank, Phi + q / n * ld, Phi + q % n * ld) - K[q];
            sum += error * error / (double)(n * n * seeds);
        }
        rk_gram_free(g);
        rk_spec_free(env, spec);
    }
    FINE(env, rkhs_env_set_seed(env, 0));
    rkhs_kernel_free(k);
    rk_scratch_release(env, mark);
    return sqrt(sum);
}

static const char *const kernels[] = {"rbf(sigma=1.5)",
                                      "rbf(gamma=0.2)",
                                      "laplacian(sigma=3)",
                                      "laplacian(gamma=0.3)",
                                      "matern(nu=0.5, sigma=2)",
                                      "matern(nu=1.5, sigma=2)",
                                      "matern(nu=2.5, gamma=0.5)",
                                      "rq(alpha=0.4, sigma=1)",
                                      "rq(alpha=3, gamma=0.3)",
                                      "cauchy(sigma=2)",
                                      "cauchy(gamma=0.3)",
                                      "relu",
                                      "0.5*rbf(sigma=1) + 2*cauchy(sigma=1)",
                                      "rbf(sigma=1)[0,2] + laplacian(sigma=2)[1:3]"};

/* Four times as many features halve the error, for each kernel; 1/sqrt(m) but for chance. */
static void the_error_falls_with_the_root_of_the_count(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    for (size_t q = 0; q < sizeof kernels / sizeof *kernels; q++) {
        double few = kernel_error(env, kernels[q], "features(count=100)", x, 12);
        double many = kernel_error(env, kernels[q], "features(count=1600)", x, 12);
        if (!(many > few / 4 / 1.6 && many < few / 4 * 1.6))
            fail_msg("%s: error %.3g with 100 features, %.3g with 1600", kernels[q], few, many);
        HOLDS(few < 0.6); /* kernel values are about 1 */
    }
    rkhs_data_free(x);
}

static void orthogonal_vectors_have_a_smaller_error(void **state) {
    rkhs_env *env = *state;
    static const char *const sets[] = {"wide", "offset", "counts"};
    for (int t = 0; t < 3; t++) {
        rkhs_data *x = fixture_data(env, sets[t], N);
        double plain = kernel_error(env, "rbf", "features(count=200, orthogonal=no)", x, 20);
        double orthogonal = kernel_error(env, "rbf", "features(count=200)", x, 20);
        if (!(orthogonal < 0.97 * plain)) fail_msg("%s: orthogonal %.4g, independent %.4g", sets[t], orthogonal, plain);
        rkhs_data_free(x);
    }
}

static void features_of_linear_are_exact(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    HOLDS(kernel_error(env, "linear", "features", x, 1) < 1e-13);
    HOLDS(kernel_error(env, "3*linear[0:2] + 0.1*linear", "features", x, 1) < 1e-13);
    rkhs_data_free(x);
}

static void what_has_no_random_features_is_refused_with_a_way(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *words = fixture_data(env, "strings", N);
    static const struct {
        const char *kernel, *part;
    } cases[] = {{"poly", "'poly' | gram=nystrom"},
                 {"relu(depth=2)", "'relu' | gram=nystrom"},
                 {"rbf*linear", "gram=nystrom"},
                 {"center(rbf)", "'center' | gram=nystrom"},
                 {"rbf + ntk", "'ntk' | gram=nystrom"},
                 {"rbf(gamma=1e300)", "1e150 | 'rbf' | gram=nystrom"}, /* no file would be read that has such vectors */
                 {"linear + laplacian(sigma=1e-300)", "1e150 | 'laplacian' | gram=nystrom"}};
    for (size_t q = 0; q < sizeof cases / sizeof *cases; q++) {
        rkhs_model *m;
        rkhs_kernel *k;
        LOOK_AT("%s", cases[q].kernel);
        FINE(env, rkhs_kernel_new(env, cases[q].kernel, &k));
        FINE(env, rkhs_model_new(env, "kpca(gram=features)", &m));
        REFUSED(env, RKHS_ERR_SPEC, cases[q].part, rkhs_model_fit(m, k, x, NULL, NULL));
        HOLDS(strcmp(rkhs_env_subject(env), "gram") == 0);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, "kpca(gram=features)", &m));
    REFUSED(env, RKHS_ERR_SPEC, "vectors of numbers | string | gram=nystrom", rkhs_model_fit(m, NULL, words, NULL, NULL));
    rkhs_model_free(m);
    rkhs_data_free(words);
    rkhs_data_free(x);
}

/* Every model that takes features: the embedding is what transform gives, also after a copy and a file, and the bits do
 * not depend on threads. */
static void models_with_random_features_keep_their_promises(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *fresh = fixture_data(env, "small", 2 * N);
    for (int q = 0; rk_models.entries[q]; q++) {
        const rk_model_type *type = (const rk_model_type *)rk_models.entries[q];
        if (!(type->need.offers & RK_FEATURES)) continue;
        rk_mark mark = rk_scratch_mark(env);
        char spec[192];
        double *first = NULL, *Z = numbers(env, 2 * N * 2), *Y = numbers(env, 2 * N * 2);
        rkhs_data *y = fixture_supervision(env, type, x, 2);
        fixture_spec(spec, sizeof spec, type, 2, "gram=features(count=40)");
        LOOK_AT("%s", spec);
        for (int threads = 1; threads <= 4; threads *= 2) {
            rkhs_model *m, *copy, *loaded;
            int64_t dim;
            FINE(env, rkhs_env_set_threads(env, threads));
            FINE(env, rkhs_model_new(env, spec, &m));
            FINE(env, rkhs_model_fit(m, NULL, x, y, NULL));
            const double *own = rkhs_model_embedding(m, NULL, &dim);
            HOLDS(m->map->features && m->map->width >= 40);
            FINE(env, rkhs_model_transform(m, x, Z, dim));
            near_all("transform of the training rows", Z, own, N * dim, 1e-9);
            FINE(env, rkhs_model_transform(m, fresh, Z, dim));
            if (!first) first = memcpy(numbers(env, 2 * N * dim), Z, (size_t)(2 * N * dim) * sizeof *Z);
            same_bits("threads", Z, first, 2 * N * dim);
            FINE(env, rkhs_model_copy(m, &copy));
            FINE(env, rkhs_model_transform(copy, fresh, Y, dim));
            same_bits("a copy", Y, Z, 2 * N * dim);
            FINE(env, rkhs_model_save(m, "features.rkhs"));
            FINE(env, rkhs_model_load(env, "features.rkhs", &loaded));
            FINE(env, rkhs_model_transform(loaded, fresh, Y, dim));
            same_bits("a file", Y, Z, 2 * N * dim);
            rkhs_model_free(loaded);
            rkhs_model_free(copy);
            rkhs_model_free(m);
        }
        rkhs_data_free(y);
        rk_scratch_release(env, mark);
    }
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

/* Images, and the same numbers as vectors: the same bits, from files and in updates too. */
static void images_have_the_features_of_their_numbers(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x[2] = {fixture_data(env, "images", N), NULL};
    double Z[2][N * 2];
    int64_t ld;
    const double *values = rkhs_data_values(x[0], &ld);
    FINE(env, rkhs_data_dense(env, values, N, x[0]->columns, ld, &x[1]));
    for (int t = 0; t < 2; t++) {
        rkhs_kernel *k;
        rkhs_model *m, *loaded;
        LOOK_AT("%s data", rkhs_data_kind(x[t]));
        FINE(env, rkhs_kernel_new(env, "rbf(sigma=3)", &k));
        FINE(env, rkhs_model_new(env, "kpca(dim=2, gram=features(count=40))", &m));
        FINE(env, rkhs_model_fit(m, k, x[t], NULL, NULL));
        FINE(env, rkhs_model_save(m, "features.rkhs"));
        FINE(env, rkhs_model_load(env, "features.rkhs", &loaded));
        FINE(env, rkhs_model_update(loaded, x[t]));
        FINE(env, rkhs_model_transform(loaded, x[t], Z[t], 2));
        rkhs_model_free(loaded);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    same_bits("images and vectors", Z[0], Z[1], N * 2);
    for (int t = 0; t < 2; t++) rkhs_data_free(x[t]);
}

/* Far from 0, w'x is as large as numbers are, and features are still those of a wave. */
static void features_of_far_objects_have_the_length_of_all_others(void **state) {
    rkhs_env *env = *state;
    static const double far[] = {1, -2, 1e10, 3, 1e15, -1e16, 1e17, 1e20, -1e40, 5, 1e149, -1e149};
    rkhs_data *x;
    rkhs_kernel *k;
    rk_spec *spec;
    int64_t ld;
    FINE(env, rkhs_data_dense(env, far, 6, 2, 2, &x));
    FINE(env, rkhs_kernel_new(env, "rbf(gamma=1)", &k));
    rk_gram *g = features_of(env, k, x, "features(count=40)", &spec);
    const double *Phi = rk_gram_phi(g, &ld);
    for (int64_t i = 0; i < 6; i++) {
        double length = rk_norm(g->rank, Phi + i * ld);
        if (!(fabs(length - 1) < 1e-12)) fail_msg("features of object %d have length %g", (int)i, length);
    }
    rk_gram_free(g);
    rk_spec_free(env, spec);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

/* With random features an explanation is a sum over the objects that the model keeps: all of it gives z(x). */
static void an_explanation_is_the_whole_map(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=1, gram=features(count=40))", "kpca(dim=1, gram=features(count=200))"};
    for (int t = 0; t < 2; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x = fixture_data(env, "wide", N), *fresh = fixture_data(env, "wide", 10);
        rkhs_model *m;
        double Z[10], *influence = numbers(env, 10 * 2 * N);
        int64_t *object = wholes(env, 10 * 2 * N);
        LOOK_AT("%s", specs[t]);
        FINE(env, rkhs_model_new(env, specs[t], &m));
        FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
        FINE(env, rkhs_model_transform(m, fresh, Z, 1));
        FINE(env, rkhs_model_explain(m, fresh, N, object, influence));
        for (int64_t i = 0; i < 10; i++) { /* in one dimension influences are the terms of the sum */
            double pulls = 0, pushes = 0;
            for (int64_t q = 0; q < N; q++) pulls += influence[i * 2 * N + q], pushes += influence[i * 2 * N + N + q];
            double z = fabs(Z[i] - m->map->c[0]);
            if (!(fabs(pulls - pushes - z) <= 1e-5 * (pulls + pushes)))
                fail_msg("%s: row %lld: pulls %g, pushes %g, |z - c| %g", context, (long long)i, pulls, pushes, z);
        }
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(the_error_falls_with_the_root_of_the_count),
        ENV_TEST(orthogonal_vectors_have_a_smaller_error),
        ENV_TEST(features_of_linear_are_exact),
        ENV_TEST(what_has_no_random_features_is_refused_with_a_way),
        ENV_TEST(models_with_random_features_keep_their_promises),
        ENV_TEST(images_have_the_features_of_their_numbers),
        ENV_TEST(features_of_far_objects_have_the_length_of_all_others),
        ENV_TEST(an_explanation_is_the_whole_map),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
