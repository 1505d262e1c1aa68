/* Laplacian eigenmaps against scikit-learn's, lpp and npe against dense solutions, as make_spectral.py wrote them. */
#include "contract/fixtures.h"
#include "model/npe.h"

enum { TRAIN = 80, NEW = 12, DIM = 3, NEAR = 7 };

static rkhs_data *golden(rkhs_env *env, const char *name, const char *what) {
    const char *source = getenv("RKHS_SOURCE");
    char path[1024];
    rkhs_data *x;
    snprintf(path, sizeof path, "%s/tests/golden/data/spectral_%s%s.npy", source ? source : ".", name, what);
    FINE(env, rkhs_data_read(env, path, NULL, &x));
    return x;
}

static void compare(rkhs_env *env, const char *name, const char *spec, const char *kernel, const char *more) {
    rkhs_data *x = golden(env, "x", ""), *y = golden(env, "y", ""), *scores = golden(env, name, "");
    rkhs_data *fresh = golden(env, name, "_new"), *eigenvalues = golden(env, name, "_eigenvalues");
    rkhs_kernel *k;
    rkhs_model *m;
    char text[256];
    double Z[NEW * DIM];
    snprintf(text, sizeof text, "%s, dim=%d, k=%d%s)", spec, DIM, NEAR, more);
    LOOK_AT("%s with %s", text, kernel);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, text, &m));
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    near_all("eigenvalues", item_of(m, "eigenvalues").values, rkhs_data_values(eigenvalues, NULL), DIM, 1e-9);
    near_all("Z", rkhs_model_embedding(m, NULL, NULL), rkhs_data_values(scores, NULL), TRAIN * DIM, 1e-7);
    FINE(env, rkhs_model_transform(m, y, Z, DIM));
    near_all("new rows", Z, rkhs_data_values(fresh, NULL), NEW * DIM, 1e-7);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data *const all[] = {x, y, scores, fresh, eigenvalues};
    for (int i = 0; i < 5; i++) rkhs_data_free(all[i]);
}

/* Both solvers, and through all landmarks. */
static void compare_all(rkhs_env *env, const char *name, const char *spec, const char *kernel) {
    static const char *const more[] = {"", ", solver=lanczos", ", gram=nystrom(landmarks=80)",
                                       ", gram=nystrom(landmarks=80), solver=lanczos"};
    for (int i = 0; i < 4; i++) compare(env, name, spec, kernel, more[i]);
}

static void kle_is_the_spectral_embedding_of_scikit_learn(void **state) {
    compare_all(*state, "kle", "kle(weights=kernel", "rbf(gamma=0.15)");
    compare(*state, "kle", "kle(weights=kernel", "rbf(gamma=0.15)",
            ", gram=nystrom(landmarks=5)"); /* K is not stored: that is all */
}

static void lpp_is_the_solution_of_its_pencil(void **state) {
    compare_all(*state, "lpp_rbf", "lpp(ridge=0.01", "rbf(gamma=0.15)");
}

static void npe_is_the_solution_of_its_pencil(void **state) {
    compare_all(*state, "npe_rbf", "npe(ridge=0.01", "rbf(gamma=0.15)");
}

/* Five columns: the pencil is singular but for five directions. */
static void with_a_linear_kernel_they_are_those_of_the_papers(void **state) {
    compare_all(*state, "lpp_linear", "lpp(ridge=0, weights=binary, constant=keep", "linear");
    compare_all(*state, "npe_linear", "npe(ridge=0, constant=keep", "linear");
}

static void local_weights_are_those_of_scikit_learn(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"exact", "nystrom(landmarks=80)"};
    rkhs_data *x = golden(env, "x", ""), *weights = golden(env, "weights", "");
    const double *expected = rkhs_data_values(weights, NULL);
    for (int t = 0; t < 2; t++) {
        rkhs_kernel *k;
        rk_spec *spec;
        rk_gram *g;
        int64_t index[TRAIN * NEAR];
        double value[TRAIN * NEAR], dense[TRAIN * TRAIN] = {0};
        LOOK_AT("gram=%s", grams[t]);
        FINE(env, rkhs_kernel_new(env, "linear", &k));
        FINE(env, rk_spec_new(env, &rk_grams, grams[t], &spec));
        FINE(env, rk_gram_new(env, spec, k, x, &g));
        FINE(env, rk_npe_weights(g, 0, NEAR, 1e-3, index, value));
        for (int64_t q = 0; q < TRAIN * NEAR; q++) dense[q / NEAR * TRAIN + index[q]] += value[q];
        near_all("weights", dense, expected, TRAIN * TRAIN, 1e-9);
        rk_gram_free(g);
        rk_spec_free(env, spec);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(weights);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(kle_is_the_spectral_embedding_of_scikit_learn),
        ENV_TEST(lpp_is_the_solution_of_its_pencil),
        ENV_TEST(npe_is_the_solution_of_its_pencil),
        ENV_TEST(with_a_linear_kernel_they_are_those_of_the_papers),
        ENV_TEST(local_weights_are_those_of_scikit_learn),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
