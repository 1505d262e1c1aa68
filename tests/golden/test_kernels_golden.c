/* Kernels on vectors against scikit-learn's and NumPy's, as make_kernels.py wrote them. */
#include "contract/fixtures.h"

enum { TRAIN = 60, NEW = 15 };

/* An array of the folder of golden data. */
static rkhs_data *golden(rkhs_env *env, const char *name) {
    const char *source = getenv("RKHS_SOURCE");
    char path[1024];
    rkhs_data *x;
    snprintf(path, sizeof path, "%s/tests/golden/data/%s.npy", source ? source : ".", name);
    LOOK_AT("the golden array %s", name);
    FINE(env, rkhs_data_read(env, path, NULL, &x));
    return x;
}

static const struct {
    const char *name, *text;
    int counts;
} cases[] = {
    {"kernel_sigmoid", "sigmoid(gamma=0.1, coef0=-0.5)", 0},
    {"kernel_matern_0.5", "matern(nu=0.5, sigma=1.7)", 0},
    {"kernel_matern_1.5", "matern(nu=1.5, sigma=1.7)", 0},
    {"kernel_matern_1.5", "matern(gamma=0.5882352941176471)", 0},
    {"kernel_matern_2.5", "matern(nu=2.5, sigma=1.7)", 0},
    {"kernel_rq", "rq(alpha=0.6, sigma=1.7)", 0},
    {"kernel_rq", "rq(alpha=0.6, gamma=0.17301038062283738)", 0},
    {"kernel_cauchy", "cauchy(sigma=1.7)", 0},
    {"kernel_cauchy", "cauchy(gamma=0.34602076124567477)", 0},
    {"kernel_laplacian", "laplacian(gamma=0.7)", 0},
    {"kernel_poly", "poly(degree=5, gamma=0.05, coef0=0.3)", 0},
    {"kernel_chi2", "chi2(gamma=0.4)", 1},
    {"kernel_chi2", "chi2(sigma=2.5)", 1},
    {"kernel_intersection", "intersection", 1},
    {"kernel_minmax", "minmax", 1},
};

static void kernels_are_those_of_scikit_learn(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x[] = {golden(env, "x"), golden(env, "kernel_counts_x")},
              *y[] = {golden(env, "y"), golden(env, "kernel_counts_y")};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double K[NEW * TRAIN];
        rkhs_data *expected = golden(env, cases[i].name);
        rkhs_kernel *k;
        LOOK_AT("%s", cases[i].text);
        FINE(env, rkhs_kernel_new(env, cases[i].text, &k));
        FINE(env, rkhs_kernel_gram(k, y[cases[i].counts], x[cases[i].counts], K, TRAIN));
        near_each("k(y, x)", K, rkhs_data_values(expected, NULL), NEW * TRAIN, 1e-13);
        rkhs_kernel_free(k);
        rkhs_data_free(expected);
    }
    for (int i = 0; i < 2; i++) rkhs_data_free(x[i]), rkhs_data_free(y[i]);
}

/* The additive form is minus the distance: the logarithm of ours. */
static void chi2_is_the_exponential_of_the_additive_one(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = golden(env, "kernel_counts_x"), *y = golden(env, "kernel_counts_y"),
              *expected = golden(env, "kernel_additive");
    double K[NEW * TRAIN];
    rkhs_kernel *k;
    LOOK_AT("chi2 and additive_chi2_kernel");
    FINE(env, rkhs_kernel_new(env, "chi2(gamma=1)", &k));
    FINE(env, rkhs_kernel_gram(k, y, x, K, TRAIN));
    for (int i = 0; i < NEW * TRAIN; i++) K[i] = log(K[i]);
    near_each("log k(y, x)", K, rkhs_data_values(expected, NULL), NEW * TRAIN, 1e-14);
    rkhs_kernel_free(k);
    rkhs_data *const all[] = {x, y, expected};
    for (int i = 0; i < 3; i++) rkhs_data_free(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(kernels_are_those_of_scikit_learn),
        ENV_TEST(chi2_is_the_exponential_of_the_additive_one),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
