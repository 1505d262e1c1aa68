/* tanimoto against SciPy's Jaccard distance, and kernel PCA with it against scikit-learn's, as make_jaccard.py wrote
 * them. */
#include "contract/fixtures.h"

enum { TRAIN = 60, NEW = 15, DIM = 4 };

/* The file of a golden array; for a kernel that prefers bits, or NULL. */
static rkhs_data *golden(rkhs_env *env, const char *what, const rkhs_kernel *k) {
    const char *source = getenv("RKHS_SOURCE");
    char path[1024];
    rkhs_data *x;
    snprintf(path, sizeof path, "%s/tests/golden/data/jaccard_%s.npy", source ? source : ".", what);
    LOOK_AT("the golden array %s", what);
    FINE(env, rkhs_data_read_for(env, path, NULL, k, &x));
    return x;
}

static void tanimoto_is_one_minus_the_jaccard_distance(void **state) {
    rkhs_env *env = *state;
    double K[NEW * TRAIN];
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, "tanimoto", &k));
    rkhs_data *expected = golden(env, "kernel", NULL);
    for (int packed = 0; packed < 2; packed++) {
        rkhs_data *x = golden(env, "x", packed ? k : NULL), *y = golden(env, "y", packed ? k : NULL);
        HOLDS((strcmp(rkhs_data_kind(x), "bits") == 0) == packed);
        FINE(env, rkhs_kernel_gram(k, y, x, K, TRAIN));
        near_each("k(y, x)", K, rkhs_data_values(expected, NULL), NEW * TRAIN, 1e-15);
        rkhs_data_free(y);
        rkhs_data_free(x);
    }
    rkhs_data_free(expected);
    rkhs_kernel_free(k);
}

static void kernel_pca_of_bits_is_that_of_scikit_learn(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=4)", "kpca(dim=4, gram=nystrom(landmarks=60))"};
    rkhs_kernel *k;
    double Z[NEW * DIM];
    FINE(env, rkhs_kernel_new(env, "tanimoto", &k));
    rkhs_data *x = golden(env, "x", k), *y = golden(env, "y", k), *scores = golden(env, "scores", NULL),
              *fresh = golden(env, "new", NULL);
    for (int i = 0; i < 2; i++) {
        rkhs_model *m;
        LOOK_AT("%s", specs[i]);
        FINE(env, rkhs_model_new(env, specs[i], &m));
        FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL)); /* tanimoto is its own choice for bits */
        near_each("scores", rkhs_model_embedding(m, NULL, NULL), rkhs_data_values(scores, NULL), TRAIN * DIM, 1e-9);
        FINE(env, rkhs_model_transform(m, y, Z, DIM));
        near_each("new rows", Z, rkhs_data_values(fresh, NULL), NEW * DIM, 1e-9);
        rkhs_model_free(m);
    }
    rkhs_data_free(fresh);
    rkhs_data_free(scores);
    rkhs_data_free(y);
    rkhs_data_free(x);
    rkhs_kernel_free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(tanimoto_is_one_minus_the_jaccard_distance),
        ENV_TEST(kernel_pca_of_bits_is_that_of_scikit_learn),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
