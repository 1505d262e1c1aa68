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

static const formula formulas[] = {
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

/* Every pair of n rows against the formula. What cancels in <x,y> is lost by any sum in double: the tolerance is of the value
 * or of 1, and for sums of products of far rows these are no smaller than the terms. */
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

static long double rbf_sharp(const double *x, const double *y, int64_t p) { return expl(-2e9L * square(x, y, p)); }
static long double laplacian_sharp(const double *x, const double *y, int64_t p) { return expl(-16384 * absolute(x, y, p)); }

/* Clusters of rows 1e-5 apart, whose distances are what is left of large norms: only a computation from differences has the
 * digits. */
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
static void laplacian_prepares_nothing(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "wide", 20);
    rkhs_kernel *k;
    rk_bound *bound;
    FINE(env, rkhs_kernel_new(env, "laplacian(sigma=1)", &k));
    FINE(env, rk_bind(env, k, x, NULL, &bound));
    assert_null(bound->side);
    rk_unbind(env, bound);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(values_are_the_formula_at_any_distance_from_the_origin),
        ENV_TEST(close_pairs_far_from_the_origin_keep_their_digits),
        ENV_TEST(a_cross_gram_has_the_same_values),
        ENV_TEST(laplacian_prepares_nothing),
        ENV_TEST(rows_may_stand_further_apart_than_they_are_wide),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
