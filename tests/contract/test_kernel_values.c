/* Kernel values against their formulas in long double, near the origin and far from it. */
#include "fixtures.h"

/* One leaf by its formula; its text has numbers in place of rules. */
typedef struct formula {
    const char *text;
    long double (*value)(const double *x, const double *y, int64_t p);
} formula;

static long double dot(const double *x, const double *y, int64_t p) {
    long double sum = 0;
    for (int64_t c = 0; c < p; c++) sum += (long double)x[c] * y[c];
    return sum;
}

static long double square(const double *x, const double *y, int64_t p) {
    long double sum = 0;
    for (int64_t c = 0; c < p; c++) sum += ((long double)x[c] - y[c]) * ((long double)x[c] - y[c]);
    return sum;
}

static long double absolute(const double *x, const double *y, int64_t p) {
    long double sum = 0;
    for (int64_t c = 0; c < p; c++) sum += fabsl((long double)x[c] - y[c]);
    return sum;
}

static long double cosine(const double *x, const double *y, int64_t p) {
    return dot(x, y, p) / sqrtl(dot(x, x, p)) / sqrtl(dot(y, y, p));
}

static long double poly(long double v, int degree) {
    long double result = 1;
    for (int i = 0; i < degree; i++) result *= v;
    return result;
}

static long double poly_columns(const double *x, const double *y, int64_t p) { return poly(dot(x, y, p) / p + 1, 3); }
static long double poly_two(const double *x, const double *y, int64_t p) { return poly(0.5L * dot(x, y, p), 2); }
static long double poly_one(const double *x, const double *y, int64_t p) { return 0.125L * dot(x, y, p) + 4; }
static long double poly_seven(const double *x, const double *y, int64_t p) { return poly(0.03125L * dot(x, y, p) + 0.5L, 7); }
static long double rbf_gamma(const double *x, const double *y, int64_t p) { return expl(-0.0625L * square(x, y, p)); }
static long double rbf_sigma(const double *x, const double *y, int64_t p) { return expl(-square(x, y, p) / (2 * 6.25L)); }
static long double laplacian_gamma(const double *x, const double *y, int64_t p) { return expl(-0.125L * absolute(x, y, p)); }
static long double laplacian_sigma(const double *x, const double *y, int64_t p) { return expl(-absolute(x, y, p) / 5); }
static long double weights(const double *x, const double *y, int64_t p) {
    return 2 * dot(x, y, p) + rbf_gamma(x, y, p) * cosine(x, y, p);
}
static long double brackets(const double *x, const double *y, int64_t p) {
    return 0.5L * (cosine(x, y, p) + 3 * laplacian_sigma(x, y, p)) * (rbf_sigma(x, y, p) + 0.25L * poly_two(x, y, p));
}

static long double sigmoid(const double *x, const double *y, int64_t p) { return tanhl(0.0625L * dot(x, y, p) - 0.5L); }
static long double matern_1(const double *x, const double *y, int64_t p) { return expl(-sqrtl(square(x, y, p)) / 2); }
static long double matern_3(const double *x, const double *y, int64_t p) {
    long double r = sqrtl(3 * square(x, y, p)) / 2;
    return (1 + r) * expl(-r);
}
static long double matern_5(const double *x, const double *y, int64_t p) {
    long double d = sqrtl(square(x, y, p)) / 2, r = sqrtl(5) * d;
    return (1 + r + 5 * d * d / 3) * expl(-r);
}
static long double rq(const double *x, const double *y, int64_t p) {
    return powl(1 + square(x, y, p) / (2 * 0.75L * 4), -0.75L);
}
static long double rq_rbf(const double *x, const double *y, int64_t p) { return powl(1 + square(x, y, p) / (8 * 1e6L), -1e6L); }
static long double cauchy(const double *x, const double *y, int64_t p) { return 1 / (1 + square(x, y, p) / 4); }

/* The angle of two rows, from the sum and the difference of their directions: no digit is lost at either end. */
static long double angle(const double *x, const double *y, int64_t p) {
    long double a = sqrtl(dot(x, x, p)), b = sqrtl(dot(y, y, p)), apart = 0, along = 0;
    for (int64_t c = 0; c < p; c++) {
        apart += (x[c] / a - y[c] / b) * (x[c] / a - y[c] / b);
        along += (x[c] / a + y[c] / b) * (x[c] / a + y[c] / b);
    }
    return 2 * atan2l(sqrtl(apart), sqrtl(along));
}

/* relu or ntk of any depth. The next angle t' has cos t' = (cos t (pi - t) + sin t)/pi, and 1 - cos t' = 2
 * sin^2(t'/2). */
static long double network(const double *x, const double *y, int64_t p, int depth, int tangent) {
    long double t = angle(x, y, p), u = cosl(t), v = u;
    for (int l = 0; l < depth; l++) {
        long double apart = 2 * sinl(t / 2) * sinl(t / 2) - (sinl(t) - t * cosl(t)) / M_PIl;
        v = v * (1 - t / M_PIl);
        u = (cosl(t) * (M_PIl - t) + sinl(t)) / M_PIl;
        v += u;
        t = 2 * asinl(sqrtl(fmaxl(apart, 0) / 2));
    }
    return sqrtl(dot(x, x, p)) * sqrtl(dot(y, y, p)) * (tangent ? v : u);
}
static long double relu_1(const double *x, const double *y, int64_t p) { return network(x, y, p, 1, 0); }
static long double relu_3(const double *x, const double *y, int64_t p) { return network(x, y, p, 3, 0); }
static long double ntk_1(const double *x, const double *y, int64_t p) { return network(x, y, p, 1, 1); }
static long double ntk_4(const double *x, const double *y, int64_t p) { return network(x, y, p, 4, 1); }

static const formula formulas[] = {
    {"sigmoid(gamma=0.0625, coef0=-0.5)", sigmoid},
    {"matern(nu=0.5, sigma=2)", matern_1},
    {"matern(sigma=2)", matern_3},
    {"matern(nu=2.5, gamma=0.5)", matern_5},
    {"rq(alpha=0.75, sigma=2)", rq},
    {"rq(alpha=1e6, gamma=0.125)", rq_rbf},
    {"cauchy(sigma=2)", cauchy},
    {"relu", relu_1},
    {"relu(depth=3)", relu_3},
    {"ntk", ntk_1},
    {"ntk(depth=4)", ntk_4},
    {"linear", dot},
    {"cosine", cosine},
    {"poly", poly_columns},
    {"poly(degree=2, gamma=0.5, coef0=0)", poly_two},
    {"poly(degree=1, gamma=0.125, coef0=4)", poly_one},
    {"poly(7, 0.03125, 0.5)", poly_seven},
    {"rbf(gamma=0.0625)", rbf_gamma},
    {"rbf(sigma=2.5)", rbf_sigma},
    {"laplacian(gamma=0.125)", laplacian_gamma},
    {"laplacian(sigma=5)", laplacian_sigma},
    {"2*linear + rbf(gamma=0.0625)*cosine", weights},
    {"0.5*(cosine + 3*laplacian(sigma=5))*(rbf(sigma=2.5) + 0.25*poly(degree=2, gamma=0.5, coef0=0))", brackets},
    {NULL, NULL},
};

/* Every pair of n rows against the formula. What cancels in <x,y> is lost by any sum in double: the tolerance is of
 * the value or of 1, and for sums of products of far rows these are no smaller than the terms. */
static void check_values(rkhs_env *env, const formula *f, const double *x, int64_t n, int64_t p) {
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, n * n), *L = numbers(env, n * n);
    rkhs_data *data;
    rkhs_kernel *k;
    FINE(env, rkhs_data_dense(env, x, n, p, p, &data));
    FINE(env, rkhs_kernel_new(env, f->text, &k));
    FINE(env, rkhs_kernel_gram(k, data, NULL, K, n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) L[i * n + j] = (double)f->value(x + i * p, x + j * p, p);
    near_each("K against the formula", K, L, n * n, 1e-12);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
    rk_scratch_release(env, mark);
}

static void values_are_the_formula_at_any_distance_from_the_origin(void **state) {
    rkhs_env *env = *state;
    enum { N = 70 };
    static const double offsets[] = {0, 1, 1e3, 1e6};
    static const int64_t widths[] = {1, 3, 8, 9, 20, 70, 300};
    for (int o = 0; o < 4; o++)
        for (int w = 0; w < 7; w++) {
            rk_mark mark = rk_scratch_mark(env);
            int64_t p = widths[w];
            double *x = normals(env, N * p, 2);
            for (int64_t i = 0; i < N * p; i++) x[i] += offsets[o];
            for (const formula *f = formulas; f->text; f++) {
                LOOK_AT("%s, %lld columns, %g from the origin", f->text, (long long)p, offsets[o]);
                check_values(env, f, x, N, p);
            }
            rk_scratch_release(env, mark);
        }
}

static long double chi2_of(const double *x, const double *y, int64_t p) {
    long double sum = 0;
    for (int64_t c = 0; c < p; c++)
        if (x[c] + y[c] > 0) sum += ((long double)x[c] - y[c]) * ((long double)x[c] - y[c]) / ((long double)x[c] + y[c]);
    return expl(-sum / 16);
}
static long double common(const double *x, const double *y, int64_t p) {
    long double sum = 0;
    for (int64_t c = 0; c < p; c++) sum += x[c] < y[c] ? x[c] : y[c];
    return sum;
}
static long double share(const double *x, const double *y, int64_t p) {
    long double sum = 0;
    for (int64_t c = 0; c < p; c++) sum += x[c] < y[c] ? y[c] : x[c];
    return sum > 0 ? common(x, y, p) / sum : 1;
}

/* Kernels on counts: half of the numbers are 0 near the origin. */
static void values_of_counts_are_the_formula_too(void **state) {
    rkhs_env *env = *state;
    enum { N = 70 };
    static const formula counts[] = {{"chi2(gamma=0.0625)", chi2_of}, {"intersection", common}, {"minmax", share}};
    static const double offsets[] = {0, 1e3, 1e6};
    static const int64_t widths[] = {1, 3, 4, 9, 70, 128, 300};
    for (int t = 0; t < 3 * 7 * 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t p = widths[t / 3 % 7];
        double *x = normals(env, N * p, 2);
        for (int64_t i = 0; i < N * p; i++) x[i] = fmax(x[i] + offsets[t / 21], 0);
        LOOK_AT("%s, %lld columns, %g from the origin", counts[t % 3].text, (long long)p, offsets[t / 21]);
        check_values(env, &counts[t % 3], x, N, p);
        rk_scratch_release(env, mark);
    }
}

static long double rbf_sharp(const double *x, const double *y, int64_t p) { return expl(-2e9L * square(x, y, p)); }
static long double laplacian_sharp(const double *x, const double *y, int64_t p) { return expl(-16384 * absolute(x, y, p)); }

/* Clusters of rows 1e-5 apart, whose distances are what is left of large norms: only a computation from differences
 * has the digits. */
static void close_pairs_far_from_the_origin_keep_their_digits(void **state) {
    rkhs_env *env = *state;
    static const formula sharp[] = {{"rbf(gamma=2e9)", rbf_sharp}, {"laplacian(gamma=16384)", laplacian_sharp}};
    enum { N = 64, P = 24 };
    rk_mark mark = rk_scratch_mark(env);
    double *centre = normals(env, 4 * P, 3), *x = normals(env, N * P, 4);
    static const double offsets[] = {0, 1e3, 1e6};
    for (int o = 0; o < 3; o++) {
        double *y = numbers(env, N * P);
        for (int64_t i = 0; i < N * P; i++) y[i] = offsets[o] + centre[i / P % 4 * P + i % P] + 1e-5 * x[i] / 2;
        for (int f = 0; f < 2; f++) {
            LOOK_AT("%s, clusters %g from the origin", sharp[f].text, offsets[o]);
            check_values(env, &sharp[f], y, N, P);
        }
    }
    rk_scratch_release(env, mark);
}

static void a_cross_gram_has_the_same_values(void **state) {
    rkhs_env *env = *state;
    enum { N = 30, M = 20, P = 12 };
    rk_mark mark = rk_scratch_mark(env);
    double *a = normals(env, N * P, 5), *b = normals(env, M * P, 6), *K = numbers(env, N * M), *L = numbers(env, N * M);
    for (int64_t i = 0; i < N * P; i++) a[i] += 1e3; /* the second set is nowhere near the first's mean */
    rkhs_data *x, *y;
    OK(env, rkhs_data_dense(env, a, N, P, P, &x));
    OK(env, rkhs_data_dense(env, b, M, P, P, &y));
    for (const formula *f = formulas; f->text; f++) {
        rkhs_kernel *k;
        LOOK_AT("%s across", f->text);
        FINE(env, rkhs_kernel_new(env, f->text, &k));
        FINE(env, rkhs_kernel_gram(k, x, y, K, M));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < M; j++) L[i * M + j] = (double)f->value(a + i * P, b + j * P, P);
        near_each("K against the formula", K, L, N * M, 1e-11);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(y);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* Sums of absolutes need nothing of a row beforehand. */
static void rows_may_stand_further_apart_than_they_are_wide(void **state) {
    rkhs_env *env = *state;
    enum { N = 20, P = 11, LD = 17 };
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, N * P, 8), *y = normals(env, N * LD, 9), *K = numbers(env, N * N), *L = numbers(env, N * (N + 3));
    for (int64_t i = 0; i < N; i++) memcpy(y + i * LD, x + i * P, P * sizeof *y);
    rkhs_data *tight, *loose;
    OK(env, rkhs_data_dense(env, x, N, P, P, &tight));
    OK(env, rkhs_data_dense(env, y, N, P, LD, &loose));
    for (const formula *f = formulas; f->text; f++) {
        rkhs_kernel *k;
        LOOK_AT("%s with ld", f->text);
        FINE(env, rkhs_kernel_new(env, f->text, &k));
        for (int64_t i = 0; i < N * (N + 3); i++) L[i] = -77;
        FINE(env, rkhs_kernel_gram(k, tight, NULL, K, N));
        FINE(env, rkhs_kernel_gram(k, loose, NULL, L, N + 3));
        for (int64_t i = 0; i < N; i++) {
            near_each("K of the loose rows", L + i * (N + 3), K + i * N, N, 1e-13);
            for (int64_t j = N; j < N + 3; j++) HOLDS(L[i * (N + 3) + j] == -77);
        }
        rkhs_kernel_free(k);
    }
    rkhs_data_free(loose);
    rkhs_data_free(tight);
    rk_scratch_release(env, mark);
}

/* Whole numbers, so that sums in any order are exact. */
static void whole_numbers(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] = floor(20 * rk_uniform(5, RK_STREAM_TEST, 0, (uint64_t)i)) - 10;
}

/* A Gram larger than caches is written past them; wide rows have half a tile on the diagonal, and many columns go in
 * slices. All against plain loops, on rows of K that are an odd number of doubles apart, with nothing written
 * between them. */
static void large_grams_and_wide_rows_are_the_plain_loops(void **state) {
    rkhs_env *env = *state;
    static const struct { int64_t n, p; } cases[] = {{2100, 2}, {270, 130}, {7, 8200}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t n = cases[i].n, p = cases[i].p, ld = n + 3, wrong = 0;
        double *X = numbers(env, n * p), *K = numbers(env, n * ld);
        rkhs_data *x;
        rkhs_kernel *k;
        LOOK_AT("linear on %lld x %lld", (long long)n, (long long)p);
        whole_numbers(X, n * p);
        FINE(env, rkhs_data_dense(env, X, n, p, p, &x));
        FINE(env, rkhs_kernel_new(env, "linear", &k));
        FINE(env, rkhs_kernel_gram(k, x, NULL, K, ld));
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b < ld; b++) {
                double sum = 0;
                for (int64_t c = 0; b < n && c < p; c++) sum += X[a * p + c] * X[b * p + c];
                wrong += K[a * ld + b] != sum;
            }
        HOLDS(wrong == 0);
        rkhs_kernel_free(k);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Dense rows against sparse ones, and the reverse, are the same as dense against dense. */
static void sparse_rows_compare_with_dense_ones(void **state) {
    rkhs_env *env = *state;
    enum { N = 9, M = 6, P = 5 };
    static const char *const texts[] = {"rbf(sigma=3)", "linear + cosine", "chi2(sigma=2)"};
    double X[N * P], Y[M * P], expected[N * M], K[N * M];
    rkhs_data *x, *y, *sparse;
    for (int i = 0; i < N * P; i++) X[i] = i % 3 ? i % 7 : 0;
    for (int i = 0; i < M * P; i++) Y[i] = i % 4 == 1 ? i % 5 + 1 : 0;
    FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
    FINE(env, rkhs_data_dense(env, Y, M, P, P, &y));
    sparse = sparse_copy(env, Y, M, P);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        rkhs_kernel *k;
        LOOK_AT("%s on dense and sparse rows", texts[t]);
        FINE(env, rkhs_kernel_new(env, texts[t], &k));
        FINE(env, rkhs_kernel_gram(k, x, y, expected, M));
        FINE(env, rkhs_kernel_gram(k, x, sparse, K, M));
        same_bits("dense against sparse", K, expected, N * M);
        FINE(env, rkhs_kernel_gram(k, sparse, x, K, N));
        for (int i = 0; i < N * M; i++) near_each("sparse against dense", K + i, expected + i % N * M + i / N, 1, 1e-14);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(sparse);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(values_are_the_formula_at_any_distance_from_the_origin),
        ENV_TEST(values_of_counts_are_the_formula_too),
        ENV_TEST(close_pairs_far_from_the_origin_keep_their_digits),
        ENV_TEST(a_cross_gram_has_the_same_values),
        ENV_TEST(rows_may_stand_further_apart_than_they_are_wide),
        ENV_TEST(large_grams_and_wide_rows_are_the_plain_loops),
        ENV_TEST(sparse_rows_compare_with_dense_ones),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
