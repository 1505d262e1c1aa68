/* The dense symmetric eigensolver: errors at every size and on nasty matrices, beside those of LAPACK; the same bits at
 * any address, with AVX2 and AVX-512, and with any BLAS. */
#include "env.h"
#include "blas.h"

#include "la/eigen.h"

#include <float.h>
#include <unistd.h>

extern void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                    const int *lwork, int *iwork, const int *liwork, int *info, size_t job_length, size_t uplo_length);

enum { MOST = RK_EIGEN_OWN + 1 };
static double A[MOST * MOST], B[MOST * MOST], V[MOST * MOST + 8], w[MOST + 8];

/* ---- matrices -------------------------------------------------------------------------------------------------- */

typedef double entry_fn(int64_t n, int64_t i, int64_t j); /* i >= j */

static double random_entry(int64_t n, int64_t i, int64_t j) { return noise(1, (uint64_t)(i * MOST + j)); }
static double zero(int64_t n, int64_t i, int64_t j) { return 0; }
static double one(int64_t n, int64_t i, int64_t j) { return 1; }
static double unit(int64_t n, int64_t i, int64_t j) { return i == j; }
static double centring(int64_t n, int64_t i, int64_t j) { return (i == j) - 1 / (double)n; }
static double diagonal(int64_t n, int64_t i, int64_t j) { return i == j ? (double)(i * 17 % 23) - 9 : 0; }
static double tridiagonal(int64_t n, int64_t i, int64_t j) { return i - j < 2 ? random_entry(n, i, j) : 0; }
/* Each eigenvalue twice, as two blocks do not meet. */
static double twice(int64_t n, int64_t i, int64_t j) {
    int64_t half = n / 2;
    return i >= half && j < half ? 0 : random_entry(n, i % rk_max(half, 1), j % rk_max(half, 1));
}
/* Wilkinson's matrix: eigenvalues in pairs that agree to all digits. */
static double wilkinson(int64_t n, int64_t i, int64_t j) { return i == j ? fabs((double)(2 * i - n + 1)) / 2 : i - j == 1; }
static double graded(int64_t n, int64_t i, int64_t j) {
    return random_entry(n, i, j) * pow(10, 150 * (1 - (double)(i + j) / (double)n));
}
static double graded_up(int64_t n, int64_t i, int64_t j) {
    return random_entry(n, i, j) * pow(10, 150 * ((double)(i + j) / (double)n - 1));
}
static double huge(int64_t n, int64_t i, int64_t j) { return 1e305 * random_entry(n, i, j); }
static double tiny(int64_t n, int64_t i, int64_t j) { return 0x1p-1010 * random_entry(n, i, j); }
/* Gram of points on a line: all but a few eigenvalues are 0 to all digits. */
static double gram(int64_t n, int64_t i, int64_t j) { return exp(-5 * pow((double)(i - j) / (double)n, 2)); }
static double hilbert(int64_t n, int64_t i, int64_t j) { return 1 / (double)(i + j + 1); }
/* Two blocks, one of them smaller than all digits of the other. */
static double apart(int64_t n, int64_t i, int64_t j) {
    return i < n / 3 ? random_entry(n, i, j) : j >= n / 3 ? 1e-100 * random_entry(n, i, j) : 0;
}

static const struct matrix {
    const char *name;
    entry_fn *entry;
} matrices[] = {{"random", random_entry},
                {"zero", zero},
                {"one", one},
                {"unit", unit},
                {"I - 11'/n", centring},
                {"diagonal", diagonal},
                {"tridiagonal", tridiagonal},
                {"twice", twice},
                {"Wilkinson", wilkinson},
                {"graded", graded},
                {"graded up", graded_up},
                {"huge", huge},
                {"tiny", tiny},
                {"Gram", gram},
                {"Hilbert", hilbert},
                {"apart", apart}};
enum { MATRICES = sizeof matrices / sizeof *matrices };

static void make(entry_fn *entry, int64_t n, double *M) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) M[i * n + j] = M[j * n + i] = entry(n, i, j);
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

typedef struct errors {
    double residual, orthogonality; /* the largest |A v - w v|/|A| and |v_i'v_j - (i = j)|, in units of DBL_EPSILON */
} errors;

static errors errors_of(entry_fn *entry, int64_t n, const double *values, const double *vectors) {
    static double M[MOST * MOST], r[MOST];
    errors e = {0, 0};
    make(entry, n, M);
    int exponent = 0;
    double largest = 0;
    for (int64_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(M[i]));
    frexp(largest, &exponent);
    for (int64_t i = 0; i < n * n; i++) M[i] = ldexp(M[i], -exponent); /* so that no sum overflows */
    double norm = rk_norm(n * n, M);
    for (int64_t k = 0; k < n; k++) {
        const double *v = vectors + k * n;
        double value = ldexp(values[k], -exponent);
        for (int64_t i = 0; i < n; i++) r[i] = rk_dot(n, M + i * n, v) - value * v[i];
        double residual = norm > 0 ? rk_norm(n, r) / norm / DBL_EPSILON : rk_norm(n, r);
        if (!(residual <= e.residual)) e.residual = residual;
        for (int64_t l = 0; l <= k; l++) {
            double off = fabs(rk_dot(n, v, vectors + l * n) - (l == k)) / DBL_EPSILON;
            if (!(off <= e.orthogonality)) e.orthogonality = off;
        }
    }
    return e;
}

/* All pairs, checked for order and size of errors. */
static errors solve(rkhs_env *env, const struct matrix *m, int64_t n) {
    make(m->entry, n, A);
    OK(env, rk_eigen(env, n, A, n, 0, n - 1, w, V));
    for (int64_t k = 1; k < n; k++) assert_true(w[k] >= w[k - 1]);
    errors e = errors_of(m->entry, n, w, V);
    double bound = 10 + (double)n / 8;
    if (!(e.residual <= bound && e.orthogonality <= bound))
        fail_msg("%s of size %d: residual %g, orthogonality %g", m->name, (int)n, e.residual, e.orthogonality);
    return e;
}

static void errors_are_small_at_every_size(void **state) {
    static const int64_t sizes[] = {127, 128, 129, 256, 511, 512, 513};
    for (int64_t n = 1; n <= 70; n++)
        for (int m = 0; m < MATRICES; m++) solve(*state, &matrices[m], n);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) solve(*state, &matrices[0], sizes[s]);
}

static void errors_are_small_on_large_matrices_of_every_kind(void **state) {
    for (int m = 0; m < MATRICES; m++) solve(*state, &matrices[m], 160);
    solve(*state, &matrices[4], RK_EIGEN_OWN);
}

/* All pairs by LAPACK. */
static errors lapack_errors(entry_fn *entry, int64_t size) {
    static double work[1 + 6 * MOST + 2 * MOST * MOST], values[MOST];
    static int iwork[3 + 5 * MOST];
    int n = (int)size, lwork = (int)(sizeof work / sizeof *work), liwork = (int)(sizeof iwork / sizeof *iwork), info;
    make(entry, size, B);
    dsyevd_("V", "L", &n, B, &n, values, work, &lwork, iwork, &liwork, &info, 1, 1);
    assert_int_equal(info, 0);
    return errors_of(entry, size, values, B);
}

static void errors_are_like_those_of_lapack(void **state) {
    static const int64_t sizes[] = {2, 3, 10, 40, 100, 200};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int m = 0; m < MATRICES; m++) {
            errors ours = solve(*state, &matrices[m], sizes[s]), theirs = lapack_errors(matrices[m].entry, sizes[s]);
            if (!(ours.residual <= 5 + 4 * theirs.residual && ours.orthogonality <= 5 + 4 * theirs.orthogonality))
                fail_msg("%s of size %d: residual %g, LAPACK's %g; orthogonality %g, LAPACK's %g", matrices[m].name,
                         (int)sizes[s], ours.residual, theirs.residual, ours.orthogonality, theirs.orthogonality);
        }
}

static void eigenvalues_that_are_known_are_found(void **state) {
    rkhs_env *env = *state;
    const int64_t n = 300;
    for (int64_t i = 0; i < n; i++) /* 2 - 2 cos(k pi/(n + 1)) */
        for (int64_t j = 0; j < n; j++) A[i * n + j] = i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
    OK(env, rk_eigen(env, n, A, n, 0, n - 1, w, V));
    for (int64_t k = 0; k < n; k++) NEAR(w[k], 2 - 2 * cos((double)(k + 1) * acos(-1) / (double)(n + 1)), 1e-14);
    make(diagonal, n, A);
    OK(env, rk_eigen(env, n, A, n, 0, n - 1, w, V));
    for (int64_t k = 0; k < n; k++) { /* to the bit */
        assert_true(w[k] == floor(w[k]));
        for (int64_t i = 0; i < n; i++) assert_true(V[k * n + i] == 0 || V[k * n + i] == 1);
    }
    A[0] = -3e-320; /* a power of two alone scales it */
    OK(env, rk_eigen(env, 1, A, 1, 0, 0, w, V));
    assert_true(w[0] == -3e-320 && V[0] == 1);
}

static void some_of_the_pairs_are_those_of_all(void **state) {
    rkhs_env *env = *state;
    const int64_t n = 61;
    static double some[61 * 61], values[61];
    make(random_entry, n, A);
    OK(env, rk_eigen(env, n, A, n, 0, n - 1, w, V));
    for (int64_t first = 0; first < n; first += 13)
        for (int64_t last = first; last < n; last += 9) {
            make(random_entry, n, A);
            OK(env, rk_eigen(env, n, A, n, first, last, values, some));
            assert_memory_equal(values, w + first, (size_t)(last - first + 1) * sizeof *w);
            assert_memory_equal(some, V + first * n, (size_t)((last - first + 1) * n) * sizeof *V);
        }
}

static void numbers_that_are_not_finite_are_refused(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {1, 2, 33, 512};
    for (int s = 0; s < 4; s++)
        for (int bad = 0; bad < 3; bad++) {
            int64_t n = sizes[s];
            make(random_entry, n, A);
            A[n - 1] = A[n * (n - 1)] = bad == 0 ? NAN : bad == 1 ? INFINITY : -INFINITY;
            rk_begin_call(env);
            FAILS(env, RKHS_ERR_NUMERIC, bad ? "size | infinite | overflow" : "size | not a number | overflow",
                  rk_eigen(env, n, A, n, 0, n - 1, w, V));
        }
    rk_begin_call(env);
}

static int stop(const rkhs_progress *at, void *payload) {
    (void)at;
    ++*(int *)payload;
    return 1;
}

static void it_can_be_cancelled(void **state) {
    rkhs_env *env = *state;
    int calls = 0;
    make(random_entry, 512, A);
    env->progress = stop;
    env->progress_payload = &calls;
    FAILS(env, RKHS_ERR_CANCELLED, "stopped", rk_eigen(env, 512, A, 512, 0, 511, w, V));
    assert_int_equal(calls, 1);
    env->progress = NULL;
    rk_begin_call(env);
}

/* ---- bits ------------------------------------------------------------------------------------------------------ */

static void bits_do_not_depend_on_where_arrays_lie(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {1, 2, 5, 16, 37, 129, 512};
    static double first[MOST * MOST], values[MOST];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int shift = 0; shift < 8; shift++) {
            int64_t n = sizes[s], size = n * n;
            make(random_entry, n, A + shift);
            env->shift = shift; /* of the temporaries */
            OK(env, rk_eigen(env, n, A + shift, n, 0, n - 1, w + shift, V + 7 - shift));
            if (shift == 0) memcpy(first, V + 7, (size_t)size * sizeof *V), memcpy(values, w, (size_t)n * sizeof *w);
            assert_memory_equal(first, V + 7 - shift, (size_t)size * sizeof *V);
            assert_memory_equal(values, w + shift, (size_t)n * sizeof *w);
        }
    env->shift = 0;
}

/* A number that tells whether the bits of all eigenpairs of some matrices are the same. */
static uint64_t bits_of_all(rkhs_env *env) {
    uint64_t sum = 0, bits;
    for (int m = 0; m < MATRICES; m++)
        for (int64_t n = 1; n < 100; n += 14) {
            make(matrices[m].entry, n, A);
            if (rk_eigen(env, n, A, n, 0, n - 1, w, V) != RKHS_OK) return 0;
            for (int64_t i = 0; i < n * n + n; i++) {
                memcpy(&bits, i < n ? &w[i] : &V[i - n], sizeof bits);
                sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
                sum ^= sum >> 29;
            }
        }
    return sum;
}

/* What this program prints if it is called with these variables and the argument "bits". */
static unsigned long long bits_with(const char *variables) {
    char self[1024], command[1200];
    unsigned long long sum = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) skip();
    self[length] = 0;
    snprintf(command, sizeof command, "%s '%s' bits", variables, self);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%llx", &sum), 1);
    pclose(pipe);
    return sum;
}

static void bits_depend_neither_on_avx_nor_on_blas(void **state) {
    unsigned long long best = bits_with("");
    assert_true(best != 0 && best == (unsigned long long)bits_of_all(*state));
    assert_true(bits_with("OPENBLAS_CORETYPE=Prescott") == best);
    if (rk_instructions() == RK_AVX2 || rk_instructions() == RK_AVX512) {
        assert_true(bits_with("RKHS_INSTRUCTIONS=avx2") == best);
        assert_true(bits_with("RKHS_INSTRUCTIONS=avx512") == best);
    }
}

static void the_plain_version_is_as_accurate(void **state) {
    if (getenv("RKHS_INSTRUCTIONS")) return; /* this is it */
    char self[1024], command[1200];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) skip();
    self[length] = 0;
    snprintf(command, sizeof command, "RKHS_INSTRUCTIONS=plain '%s' >/dev/null", self);
    assert_int_equal(system(command), 0);
}

/* ---- kernels of BLAS ------------------------------------------------------------------------------------------- */

static void kernels_for_older_processors_are_known_by_name(void **state) {
    assert_string_equal(rk_better_core("Prescott", RK_AVX512), "SkylakeX");
    assert_string_equal(rk_better_core("Prescott", RK_AVX2), "Haswell");
    assert_string_equal(rk_better_core("core2", RK_AVX2), "Haswell");
    assert_string_equal(rk_better_core("Sandybridge", RK_AVX512), "SkylakeX");
    static const char *const good[] = {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids", "Later", ""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (int set = RK_PLAIN; set <= RK_NEON; set++) assert_null(rk_better_core(good[i], set));
    assert_null(rk_better_core("Prescott", RK_PLAIN)); /* the processor is as old */
    assert_null(rk_better_core("Prescott", RK_NEON));
    assert_null(rk_better_core(NULL, RK_AVX2)); /* another BLAS */
}

static void hear(rkhs_log_level level, const char *sentence, void *payload) {
    (void)sentence;
    if (level == RKHS_LOG_ADVICE) ++*(int *)payload;
}

static void advice_on_kernels_comes_once(void **state) {
    rkhs_env *env = *state;
    int lines = 0;
    rkhs_env_set_log(env, hear, &lines);
    rk_advise_core(env, 600);
    assert_int_equal(lines, 0);
    for (int i = 0; i < 3; i++) rk_advise_core(env, 2000);
    assert_true(lines <= 1); /* by the kernels that run here */
    assert_int_equal(lines, env->core_advised);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(errors_are_small_at_every_size),
        ENV_TEST(errors_are_small_on_large_matrices_of_every_kind),
        ENV_TEST(errors_are_like_those_of_lapack),
        ENV_TEST(eigenvalues_that_are_known_are_found),
        ENV_TEST(some_of_the_pairs_are_those_of_all),
        ENV_TEST(numbers_that_are_not_finite_are_refused),
        ENV_TEST(it_can_be_cancelled),
        ENV_TEST(bits_do_not_depend_on_where_arrays_lie),
        ENV_TEST(bits_depend_neither_on_avx_nor_on_blas),
        ENV_TEST(the_plain_version_is_as_accurate),
        ENV_TEST(kernels_for_older_processors_are_known_by_name),
        ENV_TEST(advice_on_kernels_comes_once),
    };
    if (argc > 1) { /* for the test above */
        rkhs_env *env;
        if (rkhs_env_new(&env) != RKHS_OK) return 1;
        printf("%llx\n", (unsigned long long)bits_of_all(env));
        rkhs_env_free(env);
        return 0;
    }
    if (blas_begin()) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    blas_end();
    return failed;
}
