/* Products, triangular solves and Cholesky factors of one tile, in double and single precision, against sums in long
 * double: odd sizes, transposes, strides, with every instruction set of this machine. Where there are fused
 * multiply-adds, all sets have the same bits. Matrices end where their memory ends, so that AddressSanitizer sees any
 * access past the edges. */
#include "env.h"
#include "la/la.h"

#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 23, 24, 25, 31, 48, 50, 63, 65, 100, 256, 257, 300};
enum { SIZES = sizeof sizes / sizeof *sizes, TRIALS = 600 };

/* The q-th of a sequence of choices below `count`. */
static int64_t choose(uint64_t seed, uint64_t q, int64_t count) {
    return (int64_t)((noise(seed, q) + 1) / 2 * (double)count) % count;
}

/* rows x ld numbers, without the gap after the last row. */
static double *make(uint64_t seed, int64_t rows, int64_t columns, int64_t ld) {
    int64_t count = rows && columns ? (rows - 1) * ld + columns : 0;
    double *matrix = malloc((size_t)(count + (count == 0)) * sizeof *matrix);
    for (int64_t i = 0; i < count; i++) matrix[i] = noise(seed, (uint64_t)i);
    return matrix;
}

typedef struct trial {
    char ta, tb;
    int64_t m, n, k, lda, ldb, ldc;
    double alpha, beta, *A, *B, *C;
} trial;

static trial make_trial(uint64_t q) {
    trial t = {.ta = "nt"[choose(1, q, 2)], .tb = "nt"[choose(2, q, 2)], .m = sizes[choose(3, q, SIZES)]};
    t.n = sizes[choose(4, q, SIZES)];
    t.k = sizes[choose(5, q, SIZES)];
    if (choose(6, q, 20) == 0) t.k = 0;
    t.lda = (t.ta == 't' ? t.m : t.k) + choose(7, q, 3) + (t.k == 0);
    t.ldb = (t.tb == 't' ? t.k : t.n) + choose(8, q, 3) + (t.k == 0);
    t.ldc = t.n + choose(9, q, 3);
    t.alpha = choose(10, q, 2) ? 1 : noise(10, q);
    t.beta = choose(11, q, 3) == 0 ? 0 : choose(11, q, 3) == 1 ? 1 : noise(11, q);
    t.A = make(20 + q, t.ta == 't' ? t.k : t.m, t.ta == 't' ? t.m : t.k, t.lda);
    t.B = make(21 + q, t.tb == 't' ? t.n : t.k, t.tb == 't' ? t.k : t.n, t.ldb);
    t.C = make(22 + q, t.m, t.n, t.ldc);
    return t;
}

/* Entry (i, j) of alpha op(A) op(B) + beta C, and the sizes of what is added. */
static long double entry(const trial *t, int64_t i, int64_t j, long double *size) {
    long double sum = 0, all = 0, old = t->beta == 0 ? 0 : (long double)t->beta * (long double)t->C[i * t->ldc + j];
    for (int64_t q = 0; q < t->k; q++) {
        double a = t->ta == 't' ? t->A[q * t->lda + i] : t->A[i * t->lda + q];
        double b = t->tb == 't' ? t->B[j * t->ldb + q] : t->B[q * t->ldb + j];
        sum += (long double)a * (long double)b;
        all += fabsl((long double)a * (long double)b);
    }
    *size = fabsl((long double)t->alpha) * all + fabsl(old);
    return (long double)t->alpha * sum + old;
}

static double *copy_of(const trial *t) {
    double *C = make(0, t->m, t->n, t->ldc);
    memcpy(C, t->C, (size_t)((t->m - 1) * t->ldc + t->n) * sizeof *C);
    return C;
}

static void check_entries(const trial *t, const double *C, const char *what, double eps) {
    for (int64_t i = 0; i < t->m; i++)
        for (int64_t j = 0; j < t->ldc && (i + 1 < t->m || j < t->n); j++) {
            long double size, value = j < t->n ? entry(t, i, j, &size) : 0;
            if (j >= t->n && C[i * t->ldc + j] != t->C[i * t->ldc + j]) fail_msg("%s: wrote past row %lld", what, (long long)i);
            if (j < t->n && !(fabsl((long double)C[i * t->ldc + j] - value) <= eps * (double)(t->k + 4) * size))
                fail_msg("%s %c%c %lld x %lld x %lld: (%lld, %lld) is %.17g, not %.17Lg", what, t->ta, t->tb, (long long)t->m,
                         (long long)t->n, (long long)t->k, (long long)i, (long long)j, C[i * t->ldc + j], value);
            if (t->m * t->n > 2000 && j < t->n) j += choose(30, (uint64_t)(i * t->n + j), t->n / 4);
        }
}

/* The instruction sets of this machine; the first is the plain one, which calls BLAS. */
static int sets_of(int *sets) {
    int count = 0, best = rk_instructions();
    for (int set = RK_PLAIN; set <= RK_NEON; set++) {
        rk_set_instructions(set);
        if (rk_instructions() == set) sets[count++] = set;
    }
    rk_set_instructions(best);
    return count;
}

/* Runs `call` on a copy of C with every set, checks it, and compares the sets with fused multiply-adds. */
typedef void call_fn(const trial *t, double *C);
static void with_every_set(const trial *t, call_fn *call, const char *what, double eps) {
    int sets[4], count = sets_of(sets), best = rk_instructions();
    double *first = NULL;
    for (int s = 0; s < count; s++) {
        double *C = copy_of(t);
        rk_set_instructions(sets[s]);
        call(t, C);
        if (t->beta == 0) /* what stood there must not matter */
            for (int64_t i = 0; i < t->m; i++)
                for (int64_t j = 0; j < t->n; j++) assert_false(isnan(C[i * t->ldc + j]));
        check_entries(t, C, what, eps);
        if (sets[s] != RK_PLAIN && first)
            for (int64_t i = 0; i < t->m; i++)
                if (memcmp(first + i * t->ldc, C + i * t->ldc, (size_t)t->n * sizeof *C) != 0)
                    fail_msg("%s %c%c %lld x %lld x %lld: set %d has other bits", what, t->ta, t->tb, (long long)t->m,
                             (long long)t->n, (long long)t->k, sets[s]);
        if (sets[s] != RK_PLAIN && !first)
            first = C;
        else
            free(C);
    }
    if (first) free(first);
    rk_set_instructions(best);
}

static void call_gemm(const trial *t, double *C) {
    if (t->beta == 0)
        for (int64_t i = 0; i < t->m; i++)
            for (int64_t j = 0; j < t->n; j++) C[i * t->ldc + j] = NAN;
    rk_gemm_tile(t->ta, t->tb, t->m, t->n, t->k, t->alpha, t->A, t->lda, t->B, t->ldb, t->beta, C, t->ldc);
}

/* In single precision, from and to doubles. */
static void call_single(const trial *t, double *C) {
    int64_t ra = t->ta == 't' ? t->k : t->m, ca = t->ta == 't' ? t->m : t->k;
    int64_t rb = t->tb == 't' ? t->n : t->k, cb = t->tb == 't' ? t->k : t->n;
    float *a = malloc((size_t)(ra * ca + 1) * sizeof *a), *b = malloc((size_t)(rb * cb + 1) * sizeof *b);
    float *c = malloc((size_t)(t->m * t->n) * sizeof *c);
    for (int64_t i = 0; i < ra; i++)
        for (int64_t j = 0; j < ca; j++) a[i * ca + j] = (float)t->A[i * t->lda + j];
    for (int64_t i = 0; i < rb; i++)
        for (int64_t j = 0; j < cb; j++) b[i * cb + j] = (float)t->B[i * t->ldb + j];
    for (int64_t i = 0; i < t->m * t->n; i++) c[i] = (float)C[i / t->n * t->ldc + i % t->n];
    rk_gemm_single(t->ta, t->tb, t->m, t->n, t->k, (float)t->alpha, a, rk_max(1, ca), b, rk_max(1, cb), (float)t->beta, c,
                   t->n);
    for (int64_t i = 0; i < t->m * t->n; i++) C[i / t->n * t->ldc + i % t->n] = (double)c[i];
    free(a);
    free(b);
    free(c);
}

static void drop_trial(trial *t) {
    free(t->A);
    free(t->B);
    free(t->C);
}

static void products_are_those_of_long_doubles(void **state) {
    for (uint64_t q = 0; q < TRIALS; q++) {
        trial t = make_trial(q);
        with_every_set(&t, call_gemm, "gemm", 1.2e-16);
        if (q % 3 == 0) with_every_set(&t, call_single, "single", 1e-7);
        drop_trial(&t);
    }
}

static void call_syrk(const trial *t, double *C) {
    rk_syrk_tile(t->ta, t->m, t->k, t->alpha, t->A, t->lda, t->beta, C, t->ldc);
    for (int64_t i = 0; i < t->m; i++)
        for (int64_t j = i + 1; j < t->n; j++) { /* the upper triangle is not touched: take it from below */
            assert_true(C[i * t->ldc + j] == t->C[i * t->ldc + j]);
            long double size;
            C[i * t->ldc + j] = (double)entry(t, i, j, &size);
        }
}

/* B is A again, as op(A)'. */
static void symmetric_products_are_lower_triangles(void **state) {
    for (uint64_t q = 0; q < TRIALS / 4; q++) {
        trial t = make_trial(q);
        drop_trial(&t);
        t.n = t.m, t.ldc = t.m + choose(9, q, 3);
        t.A = make(20 + q, t.ta == 't' ? t.k : t.m, t.ta == 't' ? t.m : t.k, t.lda);
        t.B = t.A, t.ldb = t.lda, t.tb = t.ta == 't' ? 'n' : 't';
        t.C = make(22 + q, t.m, t.n, t.ldc);
        with_every_set(&t, call_syrk, "syrk", 2.4e-16);
        free(t.A);
        free(t.C);
    }
}

/* ---- triangular solves: the residual, with what is above the diagonal never read -------------------------------- */

static double triangle_entry(const double *L, int64_t ldl, char trans, int64_t i, int64_t j) {
    int64_t a = trans == 't' ? j : i, b = trans == 't' ? i : j;
    return b > a ? 0 : L[a * ldl + b];
}

static void check_solution(char side, char trans, int64_t n, int64_t m, const double *L, int64_t ldl, const double *B,
                           const double *X, int64_t ldb) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) { /* row i of op(L) X, or of op(L)' X' */
            long double sum = 0, size = 0;
            for (int64_t q = 0; q < n; q++) {
                double l = side == 'l' ? triangle_entry(L, ldl, trans, i, q) : triangle_entry(L, ldl, trans, q, i);
                double x = side == 'l' ? X[q * ldb + j] : X[j * ldb + q];
                sum += (long double)l * (long double)x;
                size += fabsl((long double)l * (long double)x);
            }
            double b = side == 'l' ? B[i * ldb + j] : B[j * ldb + i];
            if (!(fabsl(sum - (long double)b) <= 1.2e-16L * (long double)(n + 4) * size))
                fail_msg("%c%c %lld, %lld: residual %Lg of %Lg at (%lld, %lld)", side, trans, (long long)n, (long long)m,
                         sum - (long double)b, size, (long long)i, (long long)j);
        }
}

/* graded: the diagonal falls from 1 to 1e-150, and rows with it. */
static double *make_triangle(uint64_t seed, int64_t n, int64_t ldl, int graded) {
    double *L = make(seed, n, n, ldl);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < ldl && (i + 1 < n || j < n); j++) {
            double *l = L + i * ldl + j;
            *l = j > i ? NAN : j == i ? 2 + *l : *l / sqrt((double)n);
            if (graded) *l *= pow(10, -150 * (double)i / (double)n);
        }
    return L;
}

static void triangular_solves_have_small_residuals(void **state) {
    int sets[4], count = sets_of(sets), best = rk_instructions();
    for (uint64_t q = 0; q < TRIALS / 3; q++) {
        int64_t n = q % 50 == 0 ? 600 : sizes[choose(3, q, SIZES)], m = sizes[choose(4, q, SIZES - 4)];
        char side = "lr"[choose(1, q, 2)], trans = "nt"[choose(2, q, 2)];
        int64_t ldl = n + choose(7, q, 3), rows = side == 'l' ? n : m, columns = side == 'l' ? m : n;
        int64_t ldb = columns + choose(8, q, 3);
        double *L = make_triangle(20 + q, n, ldl, q % 4 == 0), *B = make(21 + q, rows, columns, ldb), *first = NULL;
        for (int s = 0; s < count; s++) {
            double *X = make(21 + q, rows, columns, ldb);
            rk_set_instructions(sets[s]);
            rk_trsm_tile(side, trans, rows, columns, L, ldl, X, ldb);
            check_solution(side, trans, n, m, L, ldl, B, X, ldb);
            size_t bytes = (size_t)((rows - 1) * ldb + columns) * sizeof *X;
            if (sets[s] != RK_PLAIN && first && memcmp(first, X, bytes) != 0) fail_msg("set %d has other bits", sets[s]);
            if (sets[s] != RK_PLAIN && !first)
                first = X;
            else
                free(X);
        }
        if (first) free(first);
        free(L);
        free(B);
    }
    rk_set_instructions(best);
}

/* ---- Cholesky factors, beside LAPACK ---------------------------------------------------------------------------- */

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);

/* The largest |A - L L'|_ij / sqrt(A_ii A_jj), in units of the last place. */
static double backward_error(int64_t n, const double *A, const double *L) {
    double worst = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            long double sum = 0;
            for (int64_t q = 0; q <= j; q++) sum += (long double)L[i * n + q] * (long double)L[j * n + q];
            double gap = (double)fabsl(sum - (long double)A[i * n + j]) / sqrt(A[i * n + i]) / sqrt(A[j * n + j]);
            worst = fmax(worst, gap / 2.2e-16);
        }
    return worst;
}

/* kind 0: well conditioned; 1: graded, from 1 to 1e-280; 2: nearly singular, of rank n/3 but for 1e-13. */
static void make_positive(int kind, int64_t n, double *A) {
    double *R = make(7, n, n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = i == j ? (kind == 2 ? 1e-13 * (double)n : 0.1) : 0;
            for (int64_t q = 0; q < (kind == 2 ? rk_max(1, n / 3) : n); q++) sum += R[i * n + q] * R[j * n + q];
            A[i * n + j] = kind == 1 ? sum * pow(10, -140 * (double)(i + j) / (double)n) : sum;
        }
    free(R);
}

static void factors_are_as_good_as_those_of_lapack(void **state) {
    static const int64_t orders[] = {1, 2, 7, 8, 31, 32, 33, 40, 64, 65, 100, 129, 200, 256};
    enum { MOST = 256 };
    static double A[MOST * MOST], L[MOST * MOST], first[MOST * MOST];
    int sets[4], count = sets_of(sets), best = rk_instructions(), info;
    for (int kind = 0; kind < 3; kind++)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            int64_t n = orders[o];
            size_t bytes = (size_t)(n * n) * sizeof *A;
            make_positive(kind, n, A);
            memcpy(L, A, bytes);
            int N = (int)n, same = 0;
            dpotrf_("U", &N, L, &N, &info, 1); /* column-major upper is row-major lower */
            assert_int_equal(info, 0);
            double theirs = backward_error(n, A, L);
            for (int s = 0; s < count; s++) {
                memcpy(L, A, bytes);
                rk_set_instructions(sets[s]);
                assert_int_equal(rk_cholesky_tile(n, L, n), -1);
                double ours = backward_error(n, A, L);
                if (!(ours <= 2 * theirs + 4))
                    fail_msg("kind %d, n = %lld: %g ulp, LAPACK %g", kind, (long long)n, ours, theirs);
                if (sets[s] == RK_PLAIN) continue;
                if (same++) assert_memory_equal(first, L, bytes);
                memcpy(first, L, bytes);
            }
        }
    rk_set_instructions(best);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(products_are_those_of_long_doubles),
        ENV_TEST(symmetric_products_are_lower_triangles),
        ENV_TEST(triangular_solves_have_small_residuals),
        ENV_TEST(factors_are_as_good_as_those_of_lapack),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
