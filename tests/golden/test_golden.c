/* Kernels and kernel PCA against scikit-learn's, as make_golden.py wrote them. */
#include "contract/fixtures.h"

enum { TRAIN = 60, NEW = 15, DIM = 4 };

/* The file of a golden array. */
static rkhs_data *golden(rkhs_env *env, const char *name, const char *what) {
    const char *source = getenv("RKHS_SOURCE");
    char path[1024];
    rkhs_data *x;
    snprintf(path, sizeof path, "%s/tests/golden/data/%s%s.npy", source ? source : ".", name, what);
    LOOK_AT("the golden array %s%s", name, what);
    FINE(env, rkhs_data_read(env, path, NULL, &x));
    return x;
}

/* Kernels by the name of their files. The last learns from, and is applied to, laplacian values as a precomputed
 * Gram. */
static const struct {
    const char *name, *text, *train, *fresh;
} cases[] = {
    {"linear", "linear", "x", "y"},
    {"rbf", "rbf(gamma=0.15)", "x", "y"},
    {"poly", "poly", "x", "y"},
    {"poly", "poly(degree=3, gamma=0.2, coef0=1)", "x", "y"},
    {"cosine", "cosine", "x", "y"},
    {"laplacian", "laplacian(gamma=0.3)", "x", "y"},
    {"laplacian", "precomputed", "laplacian_train", "laplacian_kernel"},
};
enum { CASES = sizeof cases / sizeof *cases };

static void kernels_are_those_of_scikit_learn(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = golden(env, "x", ""), *y = golden(env, "y", "");
    for (int i = 0; i < CASES - 1; i++) {
        rk_mark mark = rk_scratch_mark(env);
        double *K = numbers(env, NEW * TRAIN);
        rkhs_data *expected = golden(env, cases[i].name, "_kernel");
        rkhs_kernel *k;
        LOOK_AT("%s", cases[i].text);
        FINE(env, rkhs_kernel_new(env, cases[i].text, &k));
        FINE(env, rkhs_kernel_gram(k, y, x, K, TRAIN));
        near_each("k(y, x)", K, rkhs_data_values(expected, NULL), NEW * TRAIN, 1e-12);
        rkhs_kernel_free(k);
        rkhs_data_free(expected);
        rk_scratch_release(env, mark);
    }
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* Fits one case with more of a spec, and compares scores, eigenvalues and new rows. */
static void compare(rkhs_env *env, int c, const char *more) {
    rkhs_data *x = golden(env, cases[c].train, ""), *y = golden(env, cases[c].fresh, "");
    rkhs_data *scores = golden(env, cases[c].name, "_scores"), *fresh = golden(env, cases[c].name, "_new");
    rkhs_data *eigenvalues = golden(env, cases[c].name, "_eigenvalues");
    rkhs_kernel *k;
    rkhs_model *m;
    char spec[128];
    double Z[NEW * DIM];
    snprintf(spec, sizeof spec, "kpca(dim=%d%s)", DIM, more);
    LOOK_AT("%s with %s", spec, cases[c].text);
    FINE(env, rkhs_kernel_new(env, cases[c].text, &k));
    FINE(env, rkhs_model_new(env, spec, &m));
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    near_each("a score", rkhs_model_embedding(m, NULL, NULL), rkhs_data_values(scores, NULL), TRAIN * DIM, 1e-8);
    near_each("an eigenvalue", item_of(m, "eigenvalues").values, rkhs_data_values(eigenvalues, NULL), DIM, 1e-8);
    FINE(env, rkhs_model_transform(m, y, Z, DIM));
    near_each("a new row's score", Z, rkhs_data_values(fresh, NULL), NEW * DIM, 1e-8);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data *const all[] = {x, y, scores, fresh, eigenvalues};
    for (int i = 0; i < 5; i++) rkhs_data_free(all[i]);
}

static void kernel_pca_is_that_of_scikit_learn(void **state) {
    static const char *const solvers[] = {"", ", solver=dense", ", solver=lanczos", ", solver=lanczos(block=1)"};
    for (int c = 0; c < CASES; c++)
        for (int s = 0; s < 4; s++) compare(*state, c, solvers[s]);
}

static void kernel_pca_through_all_landmarks_is_too(void **state) {
    static const char *const solvers[] = {"", ", solver=lanczos"};
    static const char *const grams[] = {"nystrom(landmarks=60)", "nystrom(landmarks=60, by=uniform)",
                                        "nystrom(by=given, rows=[0:60])", "nystrom(landmarks=60, by=kmeans)"};
    for (int c = 0; c < CASES; c++)
        for (int t = 0; t < 8; t++) {
            char more[128];
            snprintf(more, sizeof more, ", gram=%s%s", grams[t / 2], solvers[t % 2]);
            compare(*state, c, more);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(kernels_are_those_of_scikit_learn),
        ENV_TEST(kernel_pca_is_that_of_scikit_learn),
        ENV_TEST(kernel_pca_through_all_landmarks_is_too),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
