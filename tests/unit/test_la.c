/* Linear algebra: each routine against a plain loop, at sizes on both sides of a tile; the same bits on any threads. */
#include "env.h"
#include "blas.h"

#include "la/la.h"

#include <limits.h>
#include <sys/mman.h>

static const int thread_counts[] = {1, 2, 4};

static double *matrix(uint64_t seed, int64_t count) {
    double *a = malloc((size_t)(count ? count : 1) * sizeof *a);
    for (int64_t i = 0; i < count; i++) a[i] = noise(seed, (uint64_t)i);
    return a;
}

static double *copy_of(const double *a, int64_t count) {
    double *b = malloc((size_t)(count ? count : 1) * sizeof *b);
    memcpy(b, a, (size_t)count * sizeof *b);
    return b;
}

/* The largest |a - b|, by rows. */
static double largest_gap(int64_t m, int64_t n, const double *a, int64_t lda, const double *b, int64_t ldb) {
    double gap = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double d = fabs(a[i * lda + j] - b[i * ldb + j]);
            if (!(d <= gap)) gap = d; /* NaN stays */
        }
    return gap;
}

/* ---- products -------------------------------------------------------------------------------------------------- */

typedef struct shape {
    int64_t m, n, k, pad; /* pad: added to every leading dimension */
} shape;

static void plain_gemm(char ta, char tb, const shape *s, double alpha, const double *A, int64_t lda, const double *B,
                       int64_t ldb, double beta, double *C, int64_t ldc) {
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < s->k; l++) {
                double a = ta == 't' ? A[l * lda + i] : A[i * lda + l], b = tb == 't' ? B[j * ldb + l] : B[l * ldb + j];
                sum += a * b;
            }
            C[i * ldc + j] = alpha * sum + (beta != 0 ? beta * C[i * ldc + j] : 0);
        }
}

static void products_agree_with_a_plain_loop(void **state) {
    rkhs_env *env = *state;
    static const shape shapes[] = {
        {1, 1, 1, 0},     {3, 5, 7, 0},      {5, 3, 2, 4},     {1, 300, 9, 1},  {300, 1, 9, 0},
        {255, 257, 3, 2}, {256, 256, 16, 0}, {513, 260, 5, 3}, {2, 3, 8193, 1}, {4, 2, 16400, 0},
        {7, 6, 0, 2},     {0, 5, 3, 0},      {5, 0, 3, 0},
    };
    static const double scales[][2] = {{1, 0}, {-1, 1}, {0.5, -2}};
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        const shape *s = &shapes[q];
        for (int way = 0; way < 4; way++) {
            char ta = way & 1 ? 't' : 'n', tb = way & 2 ? 't' : 'n';
            int64_t extra = s->pad + 1, ldc = s->n + extra;
            int64_t lda = (way & 1 ? s->m : s->k) + extra, ldb = (way & 2 ? s->k : s->n) + extra;
            double *A = matrix(1, lda * (way & 1 ? s->k : s->m)), *B = matrix(2, ldb * (way & 2 ? s->n : s->k));
            double *C = matrix(3, ldc * s->m), *D = copy_of(C, ldc * s->m), *before = copy_of(C, ldc * s->m);
            const double *scale = scales[(q + (size_t)way) % 3];
            for (int64_t i = 0; scale[1] == 0 && i < s->m; i++) C[i * ldc] = NAN; /* beta = 0: C is not read */
            OK(env, rk_gemm(env, NULL, ta, tb, s->m, s->n, s->k, scale[0], A, lda, B, ldb, scale[1], C, ldc));
            plain_gemm(ta, tb, s, scale[0], A, lda, B, ldb, scale[1], D, ldc);
            if (!(largest_gap(s->m, s->n, C, ldc, D, ldc) <= 1e-14 * (double)(s->k + 10)))
                fail_msg("%c%c %lld %lld %lld", ta, tb, (long long)s->m, (long long)s->n, (long long)s->k);
            for (int64_t i = 0; i < s->m && s->n; i++) /* nothing beside the matrix is touched */
                for (int64_t j = s->n; j < ldc; j++) assert_true(C[i * ldc + j] == before[i * ldc + j]);
            free(A), free(B), free(C), free(D), free(before);
        }
    }
}

static void a_matrix_times_its_transpose_is_symmetric_to_the_bit(void **state) {
    rkhs_env *env = *state;
    static const shape shapes[] = {{1, 1, 0, 0},    {5, 3, 0, 2},    {3, 130, 0, 0}, {40, 300, 0, 1},
                                   {4, 1030, 0, 3}, {8200, 5, 0, 0}, {0, 4, 0, 0}};
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        int64_t n = shapes[q].m, m = shapes[q].n, lda = m + shapes[q].pad, ldc = m + shapes[q].pad;
        double *A = matrix(4, n * lda), *C = matrix(5, m * ldc), *D = matrix(5, m * ldc);
        OK(env, rk_syrk(env, NULL, n, m, A, lda, NULL, C, ldc));
        shape s = {m, m, n, 0};
        plain_gemm('t', 'n', &s, 1, A, lda, A, lda, 0, D, ldc);
        assert_true(largest_gap(m, m, C, ldc, D, ldc) <= 1e-14 * (double)(n + 10));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < ldc; j++) assert_true(C[i * ldc + j] == (j < m ? C[j * ldc + i] : D[i * ldc + j]));
        double *weight = matrix(9, n), *W = matrix(4, n * lda);
        for (int64_t i = 0; i < n * lda; i++) W[i] *= weight[i / lda];
        OK(env, rk_syrk(env, NULL, n, m, A, lda, weight, C, ldc));
        plain_gemm('t', 'n', &s, 1, W, lda, A, lda, 0, D, ldc);
        assert_true(largest_gap(m, m, C, ldc, D, ldc) <= 1e-14 * (double)(n + 10));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++) assert_true(C[i * ldc + j] == C[j * ldc + i]);
        free(A), free(C), free(D), free(weight), free(W);
    }
}

static void tall_products_agree_with_a_plain_loop(void **state) {
    rkhs_env *env = *state;
    static const shape shapes[] = {{3, 1, 1, 0},     {1024, 2, 3, 1}, {1025, 7, 5, 0},
                                   {40000, 3, 2, 0}, {0, 2, 3, 1},    {5000, 20, 1, 2}};
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        int64_t n = shapes[q].m, r = shapes[q].n, k = shapes[q].k, pad = shapes[q].pad;
        double *A = matrix(6, n * (r + pad)), *B = matrix(7, n * (k + pad));
        double *C = matrix(8, r * (k + pad)), *D = matrix(8, r * (k + pad));
        OK(env, rk_tall_product(env, n, r, k, A, r + pad, B, k + pad, C, k + pad));
        shape s = {r, k, n, 0};
        plain_gemm('t', 'n', &s, 1, A, r + pad, B, k + pad, 0, D, k + pad);
        assert_true(largest_gap(r, k + pad, C, k + pad, D, k + pad) <= 1e-14 * (double)(n + 10));
        free(A), free(B), free(C), free(D);
    }
}

/* The sum of the products of `count` tiles of rows from `first` on, by the tree as it is defined. */
static void add_tree(const double *A, const double *B, int64_t n, int64_t r, int64_t k, int64_t first, int64_t count,
                     double *out) {
    int64_t half = 1, row = first * RK_SUM_ROWS;
    if (count == 1) {
        rk_gemm_tile('t', 'n', r, k, rk_min(RK_SUM_ROWS, n - row), 1, A + row * r, r, B + row * k, k, 0, out, k);
        return;
    }
    while (2 * half < count) half *= 2;
    double *rest = matrix(0, r * k);
    add_tree(A, B, n, r, k, first, half, out);
    add_tree(A, B, n, r, k, first + half, count - half, rest);
    for (int64_t i = 0; i < r * k; i++) out[i] += rest[i];
    free(rest);
}

static void tall_products_are_added_by_the_tree_on_any_number_of_threads(void **state) {
    rkhs_env *env = *state;
    static const shape shapes[] = {
        {1000, 3, 2, 0}, {5000, 150, 140, 0}, {20000, 8, 8, 0}, {70001, 2, 3, 0}, {9000, 300, 20, 0}};
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        int64_t n = shapes[q].m, r = shapes[q].n, k = shapes[q].k;
        double *A = matrix(6, n * r), *B = matrix(7, n * k), *C = matrix(8, r * k), *D = matrix(8, r * k),
               *S = matrix(9, r * r);
        add_tree(A, B, n, r, k, 0, rk_sum_tiles(n), D);
        for (int threads = 1; threads < 5; threads++) {
            OK(env, rkhs_env_set_threads(env, threads));
            OK(env, rk_tall_product(env, n, r, k, A, r, B, k, C, k));
            assert_memory_equal(C, D, (size_t)(r * k) * sizeof *C);
        }
        OK(env, rk_tall_product(env, n, r, r, A, r, A, r, S, r)); /* A'A both ways */
        free(C);
        C = matrix(8, r * r);
        OK(env, rk_syrk(env, NULL, n, r, A, r, NULL, C, r));
        assert_memory_equal(C, S, (size_t)(r * r) * sizeof *C);
        free(A), free(B), free(C), free(D), free(S);
    }
}

static void a_symmetric_product_reads_the_lower_triangle_alone(void **state) {
    rkhs_env *env = *state;
    static const shape shapes[] = {{1, 0, 1, 0},   {7, 0, 3, 2},    {255, 0, 4, 0}, {257, 0, 5, 1},
                                   {515, 0, 1, 0}, {600, 0, 16, 3}, {300, 0, 17, 0}};
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        int64_t n = shapes[q].m, k = shapes[q].k, ld = n + shapes[q].pad;
        double *K = matrix(9, n * ld), *V = matrix(10, n * k), *out = matrix(11, n * k), *meant = matrix(11, n * k);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) K[j * ld + i] = K[i * ld + j];
        shape s = {n, k, n, 0};
        plain_gemm('n', 'n', &s, 1, K, ld, V, k, 0, meant, k);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = (i / 256 + 1) * 256; j < n; j++) K[i * ld + j] = NAN; /* above the diagonal tiles */
        OK(env, rk_symm(env, n, K, ld, k, V, out));
        assert_true(largest_gap(n, k, out, k, meant, k) <= 1e-14 * (double)(n + 10));
        free(K), free(V), free(out), free(meant);
    }
}

/* ---- Cholesky -------------------------------------------------------------------------------------------------- */

/* B B' + n/10 I, B n x 20. */
static double *positive(int64_t n, int64_t ld) {
    double *B = matrix(12, n * 20), *A = matrix(13, n * ld);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) A[i * ld + j] = rk_dot(20, B + i * 20, B + j * 20) + (i == j ? 0.1 * (double)n : 0);
    free(B);
    return A;
}

static const int64_t factor_sizes[] = {1, 2, 5, 255, 256, 257, 530};

static void cholesky_factors_multiply_back_and_solve(void **state) {
    rkhs_env *env = *state;
    for (size_t q = 0; q < sizeof factor_sizes / sizeof *factor_sizes; q++) {
        int64_t n = factor_sizes[q], ld = n + (int64_t)q % 3, k = 3, ldx = 5, bad = 7;
        double *A = positive(n, ld), *L = copy_of(A, n * ld), *X = matrix(14, n * ldx), *F = copy_of(X, n * ldx);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) L[i * ld + j] = NAN; /* never read */
        OK(env, rk_cholesky(env, NULL, n, L, ld, &bad));
        assert_int_equal(bad, -1);
        double worst = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j <= i; j++) worst = fmax(worst, fabs(rk_dot(j + 1, L + i * ld, L + j * ld) - A[i * ld + j]));
            for (int64_t j = n; j < ld; j++) assert_true(L[i * ld + j] == A[i * ld + j]);
        }
        assert_true(worst <= 1e-14 * (double)(n + 10));
        OK(env, rk_cholesky_solve(env, n, k, L, ld, X, ldx));
        worst = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t c = 0; c < ldx; c++) {
                double sum = 0;
                for (int64_t j = 0; c < k && j < n; j++) sum += A[i * ld + j] * X[j * ldx + c];
                if (c < k)
                    worst = fmax(worst, fabs(sum - F[i * ldx + c]));
                else
                    assert_true(X[i * ldx + c] == F[i * ldx + c]);
            }
        }
        assert_true(worst <= 1e-12);
        free(A), free(L), free(X), free(F);
    }
}

static void a_matrix_that_is_not_positive_definite_is_reported_by_row(void **state) {
    rkhs_env *env = *state;
    int64_t n = 530, bad;
    double *A = positive(n, n);
    static const int64_t rows[] = {0, 1, 254, 255, 256, 300, 511, 512, 529};
    for (size_t q = 0; q < sizeof rows / sizeof *rows; q++) {
        for (int way = 0; way < 2; way++) {
            double *L = copy_of(A, n * n);
            if (way)
                L[rows[q] * n + rows[q]] = NAN;
            else
                L[rows[q] * n + rows[q]] -= (double)n;
            OK(env, rk_cholesky(env, NULL, n, L, n, &bad));
            assert_int_equal(bad, rows[q]);
            free(L);
        }
    }
    double zero = 0;
    OK(env, rk_cholesky(env, NULL, 1, &zero, 1, &bad));
    assert_int_equal(bad, 0);
    free(A);
}

static void rows_are_divided_by_a_triangle(void **state) {
    rkhs_env *env = *state;
    for (size_t q = 0; q < sizeof factor_sizes / sizeof *factor_sizes; q++) {
        int64_t n = factor_sizes[q], m = factor_sizes[(q + 3) % 7], ld = n + 2, bad;
        double *L = positive(n, ld), *B = matrix(15, m * ld), *F = copy_of(B, m * ld);
        OK(env, rk_cholesky(env, NULL, n, L, ld, &bad));
        OK(env, rk_trsm_right(env, NULL, m, n, L, ld, B, ld));
        for (int64_t i = 0; i < m; i++) { /* B L' = F */
            for (int64_t j = 0; j < n; j++) NEAR(rk_dot(j + 1, B + i * ld, L + j * ld), F[i * ld + j], 1e-12);
            for (int64_t j = n; j < ld; j++) assert_true(B[i * ld + j] == F[i * ld + j]);
        }
        free(L), free(B), free(F);
    }
}

/* ---- eigenpairs ------------------------------------------------------------------------------------------------ */

static void check_eigen(rkhs_env *env, const double *A, int64_t n, int64_t ld, int64_t first, int64_t last) {
    int64_t count = last - first + 1;
    double *B = copy_of(A, n * ld), *w = matrix(16, count), *V = matrix(17, count * n), scale = rk_norm(n * ld, A);
    OK(env, rk_eigen(env, n, B, ld, first, last, w, V));
    for (int64_t c = 0; c < count; c++) {
        if (c) assert_true(w[c] >= w[c - 1]);
        for (int64_t i = 0; i < n; i++) /* A is symmetric: by columns or by rows is the same */
            if (!(fabs(rk_dot(n, A + i * ld, V + c * n) - w[c] * V[c * n + i]) <= 1e-13 * scale))
                fail_msg("pair %lld", (long long)c);
        for (int64_t d = 0; d <= c; d++) NEAR(rk_dot(n, V + c * n, V + d * n), c == d ? 1 : 0, 1e-13 * (double)(n + 10));
    }
    free(B), free(w), free(V);
}

static void eigenpairs_have_small_residuals_and_are_orthonormal(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {1, 2, 3, 10, 61, 130};
    for (size_t q = 0; q < sizeof sizes / sizeof *sizes; q++) {
        int64_t n = sizes[q], ld = n + (int64_t)q % 2;
        double *A = matrix(18, n * ld), *low = positive(n, ld);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < i; j++) A[j * ld + i] = A[i * ld + j];
            for (int64_t j = n; j < ld; j++) A[i * ld + j] = low[i * ld + j] = 0;
        }
        check_eigen(env, A, n, ld, 0, n - 1);
        check_eigen(env, A, n, ld, n - 1, n - 1);
        check_eigen(env, A, n, ld, n / 3, n / 2);
        check_eigen(env, low, n, ld, 0, n - 1); /* all but 20 eigenvalues are the same */
        free(A), free(low);
    }
    double big = 0, w;
    FAILS(env, RKHS_ERR_ARGUMENT, "size | 30001 | solver=lanczos", rk_eigen(env, 30001, &big, 30001, 0, 0, &w, &big));
}

static void the_eigenvalues_asked_for_are_those_of_the_range(void **state) {
    rkhs_env *env = *state;
    enum { n = 40 };
    double A[n * n] = {0}, w[n], V[n * n];
    for (int64_t first = 0; first < n; first += 7) {
        for (int64_t last = first; last < n; last += 5) {
            memset(A, 0, sizeof A);
            for (int64_t i = 0; i < n; i++) A[i * n + i] = (double)((i * 17) % n); /* 0 .. n-1, shuffled */
            OK(env, rk_eigen(env, n, A, n, first, last, w, V));
            for (int64_t c = first; c <= last; c++) NEAR(w[c - first], (double)c, 1e-12);
        }
    }
}

/* ---- loops over a row ------------------------------------------------------------------------------------------ */

/* In units of the last place of the exact value. */
static double exp_error(double x, double got) {
    long double exact = expl((long double)x);
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - 53));
}

static void exp_is_within_an_ulp_or_so(void **state) {
    enum { N = 60000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), worst = 0;
    for (int i = 0; i < N; i++) {
        double u = noise(19, (uint64_t)i);
        x[i] = i < N / 3 ? -708 + 1417.0 * i / (N / 3) : i < 2 * N / 3 ? 20 * u : u * pow(10, -i % 18);
    }
    for (int k = 0; k < 1000; k++) x[k] = (k - 500) * M_LN2 / 2; /* where the reduction turns over */
    memcpy(y, x, N * sizeof *x);
    rk_exp(N, y);
    for (int i = 0; i < N; i++) {
        double error = exp_error(x[i], y[i]);
        if (!(error <= 1.2)) fail_msg("exp(%.17g) = %.17g, off by %.3g ulp", x[i], y[i], error);
        worst = fmax(worst, error);
    }
    assert_true(worst > 0.4); /* the error is measured, not lost */
    free(x), free(y);
}

static void exp_is_exact_at_0_and_0_below_minus_708(void **state) {
    double x[] = {0, -0.0, -708, nextafter(-708, -709), -709, -745, -1e300, -INFINITY, NAN, -1e-320, 709};
    rk_exp(11, x);
    assert_true(x[0] == 1 && x[1] == 1 && x[9] == 1);
    assert_true(exp_error(-708, x[2]) <= 1.2 && exp_error(709, x[10]) <= 1.2);
    for (int i = 3; i < 8; i++) assert_true(x[i] == 0);
    assert_true(isnan(x[8]));
}

static void loops_give_each_place_the_same_bits_as_alone(void **state) {
    enum { N = 67 };
    double x[N], y[N], norms[N], products[N], d[N];
    for (int i = 0; i < N; i++) {
        x[i] = y[i] = -30 * fabs(noise(22, (uint64_t)i));
        norms[i] = fabs(noise(23, (uint64_t)i));
        products[i] = d[i] = noise(24, (uint64_t)i);
    }
    rk_exp(N, y);
    rk_squared_distances(N, 0.7, norms, 0, d);
    for (int i = 0; i < N; i++) {
        double one = x[i], dist = products[i];
        rk_exp(1, &one);
        rk_squared_distances(1, 0.7, norms + i, 0, &dist);
        assert_true(one == y[i]);
        assert_true(dist == d[i]);
    }
}

static void distances_come_from_products_and_close_ones_are_counted(void **state) {
    double norms[] = {1, 4, 0, 1, 1}, d[] = {1, 2, 0, 0.99, 1.5}, meant[] = {0, 1, 1, 0.02, 0};
    assert_int_equal(rk_squared_distances(5, 1, norms, 0.011, d), 3); /* 0 of 2, 0.02 of 2, one rounded below 0 */
    for (int i = 0; i < 5; i++) NEAR(d[i], meant[i], 1e-15);
    assert_true(d[4] == 0);
    assert_int_equal(rk_squared_distances(0, 1, norms, 1, d), 0);
}

static void tiles_of_a_triangle_are_counted_row_by_row(void **state) {
    int64_t tile = 0, i, j;
    for (int64_t row = 0; row < 300; row++)
        for (int64_t column = 0; column <= row; column++, tile++) {
            rk_triangle_position(tile, &i, &j);
            assert_int_equal(i, row);
            assert_int_equal(j, column);
        }
    for (int64_t row = 1000; row < INT64_C(2000000000); row = row * 3 + 1) { /* where the root is rounded */
        rk_triangle_position(row * (row + 1) / 2, &i, &j);
        assert_true(i == row && j == 0);
        rk_triangle_position(row * (row + 1) / 2 - 1, &i, &j);
        assert_true(i == row - 1 && j == row - 1);
    }
}

/* ---- the same bits --------------------------------------------------------------------------------------------- */

enum { BITS = 600, TALL = 9000 };

/* Every tiled routine, one after the other; the results side by side. */
static double *everything(rkhs_env *env, int64_t *count) {
    int64_t n = BITS, bad;
    double *A = positive(n, n), *T = matrix(28, TALL * 8), *out = calloc((size_t)(6 * n * n), sizeof *out), *at = out;
    OK(env, rk_gemm(env, NULL, 'n', 't', n, n, n, 1.0, A, n, A, n, 0.0, at, n));
    at += n * n;
    OK(env, rk_syrk(env, NULL, n, n, A, n, NULL, at, n));
    at += n * n;
    OK(env, rk_tall_product(env, TALL, 8, 8, T, 8, T, 8, at, 8));
    at += 64;
    OK(env, rk_symm(env, n, A, n, 7, T, at));
    at += 7 * n;
    double *L = at;
    memcpy(L, A, (size_t)(n * n) * sizeof *L);
    OK(env, rk_cholesky(env, NULL, n, L, n, &bad));
    assert_int_equal(bad, -1);
    at += n * n;
    memcpy(at, A, (size_t)(n * n) * sizeof *at);
    OK(env, rk_trsm_right(env, NULL, n, n, L, n, at, n));
    at += n * n;
    memcpy(at, T, (size_t)(n * 8) * sizeof *at);
    OK(env, rk_cholesky_solve(env, n, 8, L, n, at, 8));
    at += n * 8;
    *count = at - out;
    free(A), free(T);
    return out;
}

static void bits_do_not_depend_on_the_number_of_threads(void **state) {
    rkhs_env *env = *state;
    int64_t count;
    OK(env, rkhs_env_set_threads(env, 1));
    double *alone = everything(env, &count);
    for (size_t t = 1; t < 3; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        for (int again = 0; again < 2; again++) {
            double *many = everything(env, &count);
            assert_memory_equal(many, alone, (size_t)count * sizeof *alone);
            free(many);
        }
    }
    free(alone);
}

/* ---- stopping -------------------------------------------------------------------------------------------------- */

static int stop_now(const rkhs_progress *p, void *payload) { return 1; }

static void every_tiled_routine_can_be_stopped(void **state) {
    rkhs_env *env = *state;
    int64_t n = BITS, bad;
    double *A = positive(n, n), *B = positive(n, n), *C = matrix(29, n * n);
    rkhs_env_set_progress(env, stop_now, NULL);
    for (size_t t = 0; t < 3; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
#define STOPPED(call) (rk_begin_call(env), env->progress_last = 0, assert_int_equal(call, RKHS_ERR_CANCELLED))
        STOPPED(rk_gemm(env, NULL, 'n', 'n', n, n, n, 1.0, A, n, A, n, 0.0, C, n));
        STOPPED(rk_syrk(env, NULL, n, n, A, n, NULL, C, n));
        STOPPED(rk_tall_product(env, n, 8, 8, A, n, A, n, C, n));
        STOPPED(rk_symm(env, n, A, n, 3, A, C));
        memcpy(B, A, (size_t)(n * n) * sizeof *B);
        STOPPED(rk_cholesky(env, "factor", n, B, n, &bad));
        STOPPED(rk_trsm_right(env, NULL, n, n, A, n, C, n));
        STOPPED(rk_cholesky_solve(env, n, 3, A, n, C, n));
#undef STOPPED
        rk_pool_free(env);
        assert_int_equal(atomic_load(&env->used), 0);
    }
    free(A), free(B), free(C);
}

/* H = I - 11'/n: 1, n - 1 times, and 0. Some eigensolvers write out of bounds here. */
static void an_eigenvalue_that_fills_the_space_is_found(void **state) {
    rkhs_env *env = *state;
    for (int64_t n = 2; n <= 400; n += 1 + n / 3) {
        rk_mark mark = rk_scratch_mark(env);
        double *A, *w, *V;
        OK(env, rk_scratch(env, n * n, sizeof *A, &A));
        OK(env, rk_scratch(env, n, sizeof *w, &w));
        OK(env, rk_scratch(env, n * n, sizeof *V, &V));
        for (int64_t first = 0; first < n; first += n - 1) {
            for (int64_t i = 0; i < n * n; i++) A[i] = (i / n == i % n) - 1 / (double)n;
            OK(env, rk_eigen(env, n, A, n, first, n - 1, w, V));
            for (int64_t i = first; i < n; i++) NEAR(w[i - first], i > 0, 1e-13);
            double norm = 0;
            for (int64_t i = 0; i < n; i++) norm += V[(n - 1 - first) * n + i] * V[(n - 1 - first) * n + i];
            NEAR(norm, 1, 1e-13);
        }
        rk_scratch_release(env, mark);
    }
}

/* Entry (i, j) of a symmetric matrix is row i, column index[j]; one or two entries are then changed. */
/* A product with one tile is left after the first slices of its sum. */
static void a_long_tile_is_stopped_inside(void **state) {
    rkhs_env *env = *state;
    enum { DEEP = 100000, DONE = 8192 };
    double *A = matrix(30, DEEP), whole, part;
    OK(env, rk_gemm(env, NULL, 'n', 't', 1, 1, DEEP, 1, A, DEEP, A, DEEP, 0, &whole, 1));
    rk_gemm_tile('n', 't', 1, 1, DONE, 1, A, DEEP, A, DEEP, 0, &part, 1);
    rkhs_env_set_progress(env, stop_now, NULL);
    env->progress_last = 0;
    double stopped = 0;
    assert_int_equal(rk_gemm(env, NULL, 'n', 't', 1, 1, DEEP, 1, A, DEEP, A, DEEP, 0, &stopped, 1), RKHS_ERR_CANCELLED);
    assert_true(stopped == part && stopped != whole);
    free(A);
}

static void the_first_asymmetry_is_found(void **state) {
    rkhs_env *env = *state;
    enum { N = 2100 }; /* two blocks */
    static const int64_t places[][2] = {{1, 0}, {2099, 2098}, {2099, 0}, {2048, 2047}, {64, 63}, {130, 128}, {2050, 5}};
    rk_mark mark = rk_scratch_mark(env);
    int64_t *index, at[2];
    double *A;
    const double **row;
    OK(env, rk_scratch(env, (int64_t)N * N, sizeof *A, &A));
    OK(env, rk_scratch(env, N, sizeof *row, &row));
    OK(env, rk_scratch(env, N, sizeof *index, &index));
    for (int64_t i = 0; i < N; i++) row[i] = A + i * N, index[i] = (i * 11) % N;
    for (int turn = 0; turn < 2; turn++) {
        const int64_t *use = turn ? index : NULL;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                A[i * N + (use ? use[j] : j)] = 1 / (1.0 + (double)(i + j)) + noise(5, (uint64_t)((i ^ j) * 4096 + i + j));
        OK(env, rk_find_asymmetry(env, N, row, use, 0, at));
        assert_int_equal(at[0], -1);
        for (int q = 0; q < 14; q++) {
            int64_t i = places[q / 2][0], j = places[q / 2][1];
            double *one = q % 2 ? &A[i * N + (use ? use[j] : j)] : &A[j * N + (use ? use[i] : i)], was = *one;
            double *later = &A[2099 * N + (use ? use[2098] : 2098)], before = *later;
            *later += q / 2 == 1 ? 0 : 1;
            *one = nextafter(was, 9);
            OK(env, rk_find_asymmetry(env, N, row, use, 0, at));
            assert_int_equal(at[0], i);
            assert_int_equal(at[1], j);
            *later = before;
            *one = was;
            *one += 1e-9;
            OK(env, rk_find_asymmetry(env, N, row, use, 1e-3, at));
            assert_int_equal(at[0], -1);
            *one = was;
        }
    }
    rk_scratch_release(env, mark);
}

/* ---- sizes past 32 bits ---------------------------------------------------------------------------------------- */

enum { FEW = 3 };
static const int64_t FAR = (int64_t)INT_MAX + 5;

/* FEW rows that are FAR apart, of which pages are asked for and never touched but for those of the numbers. */
static double *far_copy(const double *near) {
    size_t bytes = (size_t)(FEW * FAR) * sizeof(double);
    double *far = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED) skip();
    for (int64_t i = 0; i < FEW; i++) memcpy(far + i * FAR, near + i * FEW, FEW * sizeof *far);
    return far;
}

/* Compares far rows with near ones, and lets the far ones go. */
static void same_as_near(const char *what, double *far, const double *near) {
    double gap = largest_gap(FEW, FEW, far, FAR, near, FEW);
    munmap(far, (size_t)(FEW * FAR) * sizeof *far);
    if (!(gap < 1e-14)) fail_msg("%s: rows far apart differ by %g", what, gap);
}

static void far_rows_are_computed(void) {
    double A[FEW * FEW], B[FEW * FEW], C[FEW * FEW];
    for (int i = 0; i < FEW * FEW; i++) A[i] = noise(1, (uint64_t)i) + 2 * (i % (FEW + 1) == 0), B[i] = noise(2, (uint64_t)i);
    double *fa = far_copy(A), *far;
    for (int way = 0; way < 4; way++) {
        char ta = way & 1 ? 't' : 'n', tb = way & 2 ? 't' : 'n';
        memcpy(C, B, sizeof C);
        far = far_copy(C);
        rk_gemm_tile(ta, tb, FEW, FEW, FEW, 0.5, A, FEW, B, FEW, -2, C, FEW);
        rk_gemm_tile(ta, tb, FEW, FEW, FEW, 0.5, fa, FAR, B, FEW, -2, far, FAR);
        same_as_near("gemm", far, C);
        memcpy(C, B, sizeof C);
        far = far_copy(C);
        rk_trsm_tile(way & 2 ? 'r' : 'l', ta, FEW, FEW, A, FEW, C, FEW);
        rk_trsm_tile(way & 2 ? 'r' : 'l', ta, FEW, FEW, fa, FAR, far, FAR);
        same_as_near("trsm", far, C);
    }
    for (int way = 0; way < 3; way++) {
        memcpy(C, B, sizeof C);
        far = far_copy(C);
        rk_syrk_tile(way & 1 ? 't' : 'n', FEW, FEW, way - 1, A, FEW, 3, C, FEW);
        rk_syrk_tile(way & 1 ? 't' : 'n', FEW, FEW, way - 1, fa, FAR, 3, far, FAR);
        same_as_near("syrk", far, C);
    }
    same_as_near("what is only read", fa, A);
}

/* By our own code, and by loops where BLAS would be called. */
static void rows_further_apart_than_blas_can_count_are_computed(void **state) {
    int best = rk_instructions();
    far_rows_are_computed();
    rk_set_instructions(RK_PLAIN);
    far_rows_are_computed();
    rk_set_instructions(best);
}

static void dense_eigenproblems_past_32_bits_are_refused(void **state) {
    rkhs_env *env = *state;
    double one = 1, w, v;
    FAILS(env, RKHS_ERR_ARGUMENT, "is too large: use solver=lanczos", rk_eigen(env, 1000, &one, FAR, 0, 0, &w, &v));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_ARGUMENT, "size 4294967297 is too large", rk_eigen(env, 4294967297, &one, 4294967297, 0, 0, &w, &v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(an_eigenvalue_that_fills_the_space_is_found),
        ENV_TEST(products_agree_with_a_plain_loop),
        ENV_TEST(a_matrix_times_its_transpose_is_symmetric_to_the_bit),
        ENV_TEST(tall_products_agree_with_a_plain_loop),
        ENV_TEST(tall_products_are_added_by_the_tree_on_any_number_of_threads),
        ENV_TEST(a_symmetric_product_reads_the_lower_triangle_alone),
        ENV_TEST(cholesky_factors_multiply_back_and_solve),
        ENV_TEST(a_matrix_that_is_not_positive_definite_is_reported_by_row),
        ENV_TEST(rows_are_divided_by_a_triangle),
        ENV_TEST(eigenpairs_have_small_residuals_and_are_orthonormal),
        ENV_TEST(the_eigenvalues_asked_for_are_those_of_the_range),
        ENV_TEST(exp_is_within_an_ulp_or_so),
        ENV_TEST(exp_is_exact_at_0_and_0_below_minus_708),
        ENV_TEST(loops_give_each_place_the_same_bits_as_alone),
        ENV_TEST(distances_come_from_products_and_close_ones_are_counted),
        ENV_TEST(tiles_of_a_triangle_are_counted_row_by_row),
        ENV_TEST(bits_do_not_depend_on_the_number_of_threads),
        ENV_TEST(every_tiled_routine_can_be_stopped),
        ENV_TEST(a_long_tile_is_stopped_inside),
        ENV_TEST(the_first_asymmetry_is_found),
        cmocka_unit_test(rows_further_apart_than_blas_can_count_are_computed),
        ENV_TEST(dense_eigenproblems_past_32_bits_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = blas_begin() || cmocka_run_group_tests(tests, NULL, NULL);
    blas_end();
    return failed;
}
