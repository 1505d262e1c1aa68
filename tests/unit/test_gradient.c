/* How kernels change with their first object, against central differences, for every kernel that says it knows. */
#include "contract/fixtures.h"

enum { A = 70, B = 300, P = 5 }; /* more than a tile */

static const char *const texts[] = {
    "linear",
    "poly",
    "poly(degree=1, gamma=0.3)",
    "poly(degree=4, gamma=0.2, coef0=0)",
    "sigmoid(gamma=0.2)",
    "rbf(sigma=1.5)",
    "rbf(gamma=0.3)",
    "laplacian(sigma=2)",
    "laplacian(gamma=0.4)",
    "matern(nu=0.5, sigma=2)",
    "matern(nu=1.5, sigma=2)",
    "matern(nu=2.5, gamma=0.6)",
    "rq(alpha=0.7, sigma=2)",
    "rq(alpha=3, gamma=0.1)",
    "cauchy(sigma=2)",
    "cosine",
    "relu",
    "relu(depth=3)",
    "ntk",
    "ntk(depth=4)",
    "rbf(sigma=2) + linear",
    "2*rbf(sigma=2) + 0.5*laplacian(sigma=3)*linear",
    "(linear + 2*cosine)^3*rbf(sigma=3)",
};

/* sum_ij w_ij k(a_i, b_j). */
static double weighted(rkhs_env *env, const rkhs_kernel *k, const double *a, const rkhs_data *b, const double *w) {
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x;
    double *K = numbers(env, A * B), sum = 0;
    FINE(env, rkhs_data_dense(env, a, A, P, P, &x));
    FINE(env, rkhs_kernel_gram(k, x, b, K, B));
    for (int64_t q = 0; q < A * B; q++) sum += w[q] * K[q];
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
    return sum;
}

static void gradients_are_those_of_central_differences(void **state) {
    rkhs_env *env = *state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *a = normals(env, A * P, 1), *b = normals(env, B * P, 2), *w = normals(env, A * B, 3);
        double *step = normals(env, A * P, 4), *at = numbers(env, A * P), *dx = numbers(env, A * P), f[2], slope = 0, h = 1e-6;
        rkhs_kernel *k;
        rkhs_data *x, *y;
        rk_bound *rows, *others;
        rk_work *work;
        LOOK_AT("%s", texts[t]);
        FINE(env, rkhs_kernel_new(env, texts[t], &k));
        FINE(env, rkhs_data_dense(env, a, A, P, P, &x));
        FINE(env, rkhs_data_dense(env, b, B, P, P, &y));
        FINE(env, rkhs_kernel_freeze(k, y));
        HOLDS(rk_kernel_has_gradient(k));
        FINE(env, rk_bind(env, k, y, NULL, &others));
        FINE(env, rk_bind(env, k, x, others, &rows));
        FINE(env, rk_gradient_work(env, 1, rows, others, &work));
        memset(dx, 0, A * P * sizeof *dx);
        for (int64_t i = 0; i < A; i += 50)
            for (int64_t j = 0; j < B; j += RK_TILE)
                FINE(env, rk_gradient_of(rows, i, rk_min(50, A - i), others, j, rk_min(RK_TILE, B - j), w + i * B + j, B,
                                         dx + i * P, *work));
        for (int side = 0; side < 2; side++) {
            for (int64_t q = 0; q < A * P; q++) at[q] = a[q] + (side ? h : -h) * step[q];
            f[side] = weighted(env, k, at, y, w);
        }
        for (int64_t q = 0; q < A * P; q++) slope += dx[q] * step[q];
        double central = (f[1] - f[0]) / (2 * h);
        if (!(fabs(slope - central) <= 1e-7 * fabs(central))) fail_msg("%s: %.12g, not %.12g", context, slope, central);
        rk_unbind(env, rows);
        rk_unbind(env, others);
        rkhs_data_free(x);
        rkhs_data_free(y);
        rkhs_kernel_free(k);
        rk_scratch_release(env, mark);
    }
}

/* Every leaf that has the slot stands above; a part without it is enough to have none. */
static void every_gradient_is_tested(void **state) {
    rkhs_env *env = *state;
    for (const rk_entry *const *e = rk_kernels.entries; *e; e++) {
        const rk_kernel_type *type = (const rk_kernel_type *)*e;
        int there = type->children != 0;
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            there |= strncmp(texts[t], (*e)->name, strlen((*e)->name)) == 0;
        LOOK_AT("%s", (*e)->name);
        HOLDS(!type->gradient || there);
    }
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, "rbf + 2*linear*chi2", &k));
    assert_false(rk_kernel_has_gradient(k));
    rkhs_kernel_free(k);
}

/* Where rows are equal, or 0, there is a finite answer. */
static void equal_rows_and_zeros_have_a_finite_gradient(void **state) {
    rkhs_env *env = *state;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        double a[3 * P] = {1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}, w[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, dx[3 * P] = {0};
        rk_mark mark = rk_scratch_mark(env);
        rkhs_kernel *k;
        rkhs_data *x;
        rk_bound *rows;
        rk_work *work;
        LOOK_AT("%s", texts[t]);
        FINE(env, rkhs_kernel_new(env, texts[t], &k));
        FINE(env, rkhs_data_dense(env, a, 3, P, P, &x));
        FINE(env, rkhs_kernel_freeze(k, x));
        FINE(env, rk_bind(env, k, x, NULL, &rows));
        FINE(env, rk_gradient_work(env, 1, rows, rows, &work));
        FINE(env, rk_gradient_of(rows, 0, 3, rows, 0, 3, w, 3, dx, *work));
        all_finite("gradient", dx, 3 * P);
        rk_unbind(env, rows);
        rkhs_data_free(x);
        rkhs_kernel_free(k);
        rk_scratch_release(env, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(gradients_are_those_of_central_differences),
        ENV_TEST(every_gradient_is_tested),
        ENV_TEST(equal_rows_and_zeros_have_a_finite_gradient),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
