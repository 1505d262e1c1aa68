/* Kernels on vectors where formulas have holes: zero rows, one row, one column, tiny and huge numbers, numbers below
 * 0 that are refused, cosines at their ends; a large K; and relu and ntk against the random networks that they are
 * the mean of. */
#include "env.h"
#include "kernel/kernel.h"

/* K of n dense rows, or of the same rows sparse. */
static rkhs_status gram_of(rkhs_env *env, const char *text, const double *x, int64_t n, int64_t p, int sparse, double *K) {
    double *values;
    int32_t *columns;
    int64_t *starts, at = 0;
    rkhs_data *data;
    rkhs_kernel *k;
    if (sparse) {
        OK(env, rk_data_sparse_new(env, n, p, n * p, &values, &columns, &starts, &data));
        for (int64_t i = 0; i < n; i++, starts[i] = at)
            for (int64_t c = 0; c < p; c++)
                if (x[i * p + c] != 0) values[at] = x[i * p + c], columns[at++] = (int32_t)c;
    } else {
        OK(env, rkhs_data_dense(env, x, n, p, p, &data));
    }
    OK(env, rkhs_kernel_new(env, text, &k));
    rkhs_status status = rkhs_kernel_gram(k, data, NULL, K, n);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
    return status;
}

/* ---- zero rows ------------------------------------------------------------------------------------------------- */

static void zero_rows_have_the_value_that_is_documented(void **state) {
    rkhs_env *env = *state;
    static const double x[] = {0, 0, 3, 4, 0, 0}; /* zero, a row, zero */
    static const struct {
        const char *text;
        double self, other, row;
    } cases[] = {
        {"linear", 0, 0, 25},
        {"sigmoid(gamma=1, coef0=0)", 0, 0, 1},
        {"cosine", 1, 0, 1},
        {"chi2(gamma=1)", 1, 9.1188196555451624e-4, 1}, /* exp(-7) */
        {"intersection", 0, 0, 7},
        {"minmax", 1, 0, 1},
        {"relu", 0, 0, 25},
        {"relu(depth=3)", 0, 0, 25},
        {"ntk", 0, 0, 50},
        {"ntk(depth=4)", 0, 0, 125},
        {"matern(sigma=1, nu=0.5)", 1, 6.7379469990854671e-3, 1}, /* exp(-5) */
        {"rq(alpha=2, sigma=1)", 1, 1 / 52.5625, 1},
        {"cauchy(sigma=5)", 1, 0.5, 1},
    };
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double K[9];
            OK(env, gram_of(env, cases[t].text, x, 3, 2, sparse, K));
            double s = cases[t].self, o = cases[t].other, meant[] = {s, o, s, o, cases[t].row, o, s, o, s};
            for (int i = 0; i < 9; i++) NEAR(K[i], meant[i], 2e-15);
        }
}

/* ---- a large K ------------------------------------------------------------------------------------------------- */

/* Whose pages are touched first and whose rows are written past the caches, rows beginning lines or anywhere; with
 * room between them, in which most pages begin, and which is the caller's. */
static void a_large_gram_is_written_whole_and_nothing_else(void **state) {
    rkhs_env *env = *state;
    enum { N = 300, M = 270, LD = 3001, P = 3 };
    double *x, *room;
    rk_mark mark = rk_scratch_mark(env);
    OK(env, rk_scratch(env, (N + M) * P, sizeof *x, &x));
    OK(env, rk_scratch(env, N * LD + 1, sizeof *room, &room));
    for (int64_t k = 0; k < (N + M) * P; k++) x[k] = (double)(k * 37 % 101 - 50); /* products are whole numbers */
    for (int way = 0; way < 4; way++) {
        rkhs_data *a, *b;
        rkhs_kernel *k;
        int cross = way % 2;
        int64_t columns = cross ? M : N, ld = way < 2 ? LD : LD - 1;
        double *K = way < 2 ? room + 1 : room;
        const double *y = cross ? x + N * P : x;
        for (int64_t q = 0; q < N * LD + 1; q++) room[q] = 0.5;
        OK(env, rkhs_data_dense(env, x, N, P, P, &a));
        OK(env, rkhs_data_dense(env, y, columns, P, P, &b));
        OK(env, rkhs_kernel_new(env, "linear", &k));
        OK(env, rkhs_kernel_gram(k, a, cross ? b : NULL, K, ld));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < ld; j++) {
                double dot = 0;
                for (int c = 0; c < P && j < columns; c++) dot += x[i * P + c] * y[j * P + c];
                assert_true(K[i * ld + j] == (j < columns ? dot : 0.5));
            }
        rkhs_kernel_free(k);
        rkhs_data_free(b);
        rkhs_data_free(a);
    }
    rk_scratch_release(env, mark);
}

/* ---- one row, one column --------------------------------------------------------------------------------------- */

static const char *const all[] = {"sigmoid",
                                  "matern(sigma=2)",
                                  "matern(nu=0.5, sigma=2)",
                                  "matern(nu=2.5, sigma=2)",
                                  "rq(sigma=2)",
                                  "cauchy(sigma=2)",
                                  "chi2(sigma=2)",
                                  "laplacian(sigma=2)",
                                  "intersection",
                                  "minmax",
                                  "relu",
                                  "ntk",
                                  "relu(depth=5)"};
enum { ALL = sizeof all / sizeof *all };

static void one_row_and_one_column_are_enough(void **state) {
    rkhs_env *env = *state;
    static const double one[] = {3};
    const double meant[] = {tanh(10), 1, 1, 1, 1, 1, 1, 1, 3, 1, 9, 18, 9};
    for (int t = 0; t < ALL; t++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double K;
            OK(env, gram_of(env, all[t], one, 1, 1, sparse, &K));
            NEAR(K, meant[t], 1e-15);
        }
}

/* ---- tiny and huge --------------------------------------------------------------------------------------------- */

static void tiny_and_huge_numbers_give_numbers(void **state) {
    rkhs_env *env = *state;
    static const double x[] = {1e-160, 2e-160, 0, 1e140, 3e140, 2e140, 0, 0, 0, 1, 2, 3, 1e-160, 1e140, 1};
    for (int t = 0; t < ALL; t++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double K[25];
            OK(env, gram_of(env, all[t], x, 5, 3, sparse, K));
            for (int i = 0; i < 25; i++)
                if (!isfinite(K[i])) fail_msg("%s: K[%d,%d] is %g", all[t], i / 5, i % 5, K[i]);
        }
}

/* Ratios of numbers that are all tiny, or all huge, are those of ordinary ones. */
static void histograms_of_any_scale_compare_alike(void **state) {
    rkhs_env *env = *state;
    static const double x[] = {1, 2, 0, 5, 0, 3, 1, 4, 4, 2, 0, 0};
    static const double scales[] = {1e-160, 1e-40, 1e40, 1e140};
    double y[12], K[9], L[9];
    for (int s = 0; s < 4; s++)
        for (int sparse = 0; sparse < 2; sparse++) {
            char text[64];
            for (int i = 0; i < 12; i++) y[i] = scales[s] * x[i];
            OK(env, gram_of(env, "minmax", x, 3, 4, 0, K));
            OK(env, gram_of(env, "minmax", y, 3, 4, sparse, L));
            for (int i = 0; i < 9; i++) NEAR(L[i], K[i], 1e-14);
            OK(env, gram_of(env, "chi2(gamma=0.25)", x, 3, 4, 0, K));
            snprintf(text, sizeof text, "chi2(gamma=%.17g)", 0.25 / scales[s]);
            OK(env, gram_of(env, text, y, 3, 4, sparse, L));
            for (int i = 0; i < 9; i++) NEAR(L[i], K[i], 1e-14);
        }
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void a_number_below_0_is_named_by_row_column_and_value(void **state) {
    rkhs_env *env = *state;
    static const char *const texts[] = {"chi2", "chi2(gamma=1)", "intersection", "minmax", "rbf + 2*minmax"};
    static const double x[] = {0, 1, 2, 3, 4, 5, 6, -0.25, -8}; /* the first one is named */
    for (int t = 0; t < 5; t++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double K[9];
            FAILS(env, RKHS_ERR_DATA, "row 3, column 2 (counted from 1) is -0.25: the kernel '",
                  gram_of(env, texts[t], x, 3, 3, sparse, K));
        }
    static const double minus_zero[] = {-0.0, 1, 2, 3};
    double K[4];
    OK(env, gram_of(env, "minmax", minus_zero, 2, 2, 0, K));
    NEAR(K[1], 0.2, 1e-16);
}

static void matern_takes_three_kinds_of_smoothness(void **state) {
    rkhs_env *env = *state;
    rkhs_kernel *k;
    FAILS(env, RKHS_ERR_SPEC, "matern | nu | 0.5, 1.5 or 2.5 | not 2", rkhs_kernel_new(env, "matern(nu=2)", &k));
    FAILS(env, RKHS_ERR_SPEC, "nu", rkhs_kernel_new(env, "matern(nu=3.5)", &k));
    OK(env, rkhs_kernel_new(env, "matern(2.5)", &k));
    assert_string_equal(rkhs_kernel_text(k), "matern(nu=2.5, sigma=median)");
    rkhs_kernel_free(k);
}

static void sigmoid_alone_does_not_claim_to_be_positive_semi_definite(void **state) {
    rkhs_env *env = *state;
    static const char *const claim[] = {"linear", "matern", "rq", "cauchy", "chi2", "intersection", "minmax", "relu", "ntk"};
    rkhs_kernel *k;
    for (int t = 0; t < 9; t++) {
        OK(env, rkhs_kernel_new(env, claim[t], &k));
        assert_true(rk_kernel_all_have(k, RK_PSD));
        rkhs_kernel_free(k);
    }
    OK(env, rkhs_kernel_new(env, "sigmoid", &k));
    assert_false(rk_kernel_all_have(k, RK_PSD));
    rkhs_kernel_free(k);
    static const double x[] = {1, 2}; /* tanh is concave: k(x,x) k(y,y) < k(x,y)^2 */
    double K[4];
    OK(env, gram_of(env, "sigmoid(gamma=1, coef0=0)", x, 2, 1, 0, K));
    assert_true(K[0] * K[3] < K[1] * K[2]);
}

/* ---- relu and ntk ---------------------------------------------------------------------------------------------- */

/* Rows with their doubles, halves, opposites and near copies. */
static void the_diagonal_is_the_squared_length_and_multiples_stay_on_it(void **state) {
    rkhs_env *env = *state;
    enum { P = 37, ROWS = 5 };
    double x[ROWS * P], K[ROWS * ROWS];
    static const double times[ROWS] = {1, 3, -1, 0.1, -7};
    static const char *const texts[] = {"relu", "relu(depth=4)", "ntk", "ntk(depth=4)"};
    static const double own[] = {1, 1, 2, 5}, opposite[] = {0, -1, 0, -1}; /* -1: see below */
    double square = 0;
    for (int c = 0; c < P; c++) {
        double v = 1000 + noise(1, (uint64_t)c);
        square += v * v;
        for (int i = 0; i < ROWS; i++) x[i * P + c] = times[i] * v;
    }
    for (int t = 0; t < 4; t++)
        for (int sparse = 0; sparse < 2; sparse++) {
            OK(env, gram_of(env, texts[t], x, ROWS, P, sparse, K));
            for (int i = 0; i < ROWS; i++)
                for (int j = 0; j < ROWS; j++) {
                    double scale = fabs(times[i] * times[j]) * square;
                    if (times[i] * times[j] > 0)
                        NEAR(K[i * ROWS + j] / scale, own[t], 1e-14);
                    else if (opposite[t] == 0)
                        NEAR(K[i * ROWS + j] / scale, 0, 1e-14);
                }
        }
}

/* Means over S networks of one hidden layer: of 2 relu(w.x) relu(w.y), and with 2 <x,y> [w.x > 0] [w.y > 0] added,
 * within five of their standard errors. */
static void one_layer_is_the_mean_over_random_weights(void **state) {
    rkhs_env *env = *state;
    enum { ROWS = 5, P = 3, S = 60000 };
    static const double x[ROWS * P] = {1, 0.5, -1, 0.3, 2, 1, -1, -0.4, 1.1, 0.9, 0.6, -0.8, 0, 0, 2};
    double relu[ROWS * ROWS], ntk[ROWS * ROWS];
    OK(env, gram_of(env, "relu", x, ROWS, P, 0, relu));
    OK(env, gram_of(env, "ntk", x, ROWS, P, 0, ntk));
    double sum[2][ROWS * ROWS] = {{0}}, square[2][ROWS * ROWS] = {{0}};
    for (uint64_t s = 0; s < S; s++) {
        double g[ROWS] = {0};
        for (int c = 0; c < P; c++) {
            double w = rk_normal(11, RK_STREAM_TEST, s, (uint64_t)c);
            for (int i = 0; i < ROWS; i++) g[i] += w * x[i * P + c];
        }
        for (int q = 0; q < ROWS * ROWS; q++) {
            int i = q / ROWS, j = q % ROWS;
            double dot = 0, value[2] = {2 * fmax(g[i], 0) * fmax(g[j], 0)};
            for (int c = 0; c < P; c++) dot += x[i * P + c] * x[j * P + c];
            value[1] = value[0] + 2 * dot * (g[i] > 0) * (g[j] > 0);
            for (int k = 0; k < 2; k++) sum[k][q] += value[k], square[k][q] += value[k] * value[k];
        }
    }
    for (int q = 0; q < ROWS * ROWS; q++)
        for (int k = 0; k < 2; k++) {
            double mean = sum[k][q] / S, error = sqrt((square[k][q] / S - mean * mean) / S), got = k ? ntk[q] : relu[q];
            if (!(fabs(got - mean) <= 5 * error))
                fail_msg("%s, pair %d: %g, not %g +- %g", k ? "ntk" : "relu", q, got, mean, error);
            assert_true(error < 0.02 * (2 + fabs(mean)));
        }
}

/* A deeper layer sees normal numbers with the covariance of the layer before it. */
static void a_layer_more_is_the_mean_over_the_layer_before(void **state) {
    rkhs_env *env = *state;
    enum { P = 4, S = 60000 };
    static const double x[2 * P] = {1, 0.5, -1, 2, 0.3, 1.4, 1, 0.2};
    for (int depth = 1; depth < 4; depth++) {
        char text[4][32];
        double K[4][4], sum[2] = {0}, square[2] = {0};
        for (int t = 0; t < 4; t++) {
            snprintf(text[t], sizeof text[t], "%s(depth=%d)", t % 2 ? "ntk" : "relu", depth + t / 2);
            OK(env, gram_of(env, text[t], x, 2, P, 0, K[t]));
        }
        const double *C = K[0];
        double a = sqrt(C[0]), b = C[1] / a, c = sqrt(C[3] - b * b); /* Cholesky */
        for (uint64_t s = 0; s < S; s++) {
            double u = rk_normal(12, RK_STREAM_TEST, s, 0), v = rk_normal(12, RK_STREAM_TEST, s, 1), g = a * u,
                   h = b * u + c * v;
            double value[2] = {2 * fmax(g, 0) * fmax(h, 0)};
            value[1] = value[0] + K[1][1] * 2 * (g > 0) * (h > 0);
            for (int k = 0; k < 2; k++) sum[k] += value[k], square[k] += value[k] * value[k];
        }
        for (int k = 0; k < 2; k++) {
            double mean = sum[k] / S, error = sqrt((square[k] / S - mean * mean) / S), got = K[2 + k][1];
            if (!(fabs(got - mean) <= 5 * error)) fail_msg("%s: %g, not %g +- %g", text[2 + k], got, mean, error);
            assert_true(error < 0.1);
        }
    }
}

/* A model with such a width could be saved, and not loaded again. */
static void a_width_beyond_all_numbers_is_refused(void **state) {
    rkhs_env *env = *state;
    const double far[] = {1e150, -1e150, -1e150, 1e150, 0, 1e150}, near[] = {0, 1e-300, 3e-300};
    rkhs_data *x;
    rkhs_kernel *k;
    OK(env, rkhs_data_dense(env, far, 3, 2, 2, &x));
    OK(env, rkhs_kernel_new(env, "rbf(sigma=median)", &k));
    FAILS(env, RKHS_ERR_DATA, "width | 2.23607e+150 | sigma", rkhs_kernel_freeze(k, x));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    OK(env, rkhs_data_dense(env, near, 3, 1, 1, &x));
    OK(env, rkhs_kernel_new(env, "rbf(sigma=knn(1,1e-100))", &k));
    FAILS(env, RKHS_ERR_DATA, "width | between 0 | sigma", rkhs_kernel_freeze(k, x));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(zero_rows_have_the_value_that_is_documented),
        ENV_TEST(a_large_gram_is_written_whole_and_nothing_else),
        ENV_TEST(one_row_and_one_column_are_enough),
        ENV_TEST(tiny_and_huge_numbers_give_numbers),
        ENV_TEST(histograms_of_any_scale_compare_alike),
        ENV_TEST(a_number_below_0_is_named_by_row_column_and_value),
        ENV_TEST(matern_takes_three_kinds_of_smoothness),
        ENV_TEST(sigmoid_alone_does_not_claim_to_be_positive_semi_definite),
        ENV_TEST(the_diagonal_is_the_squared_length_and_multiples_stay_on_it),
        ENV_TEST(one_layer_is_the_mean_over_random_weights),
        ENV_TEST(a_layer_more_is_the_mean_over_the_layer_before),
        ENV_TEST(a_width_beyond_all_numbers_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
