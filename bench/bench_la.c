/* bench_la.c: one measured operation of src/la, in a process of its own; bench.py calls it.
 *
 *     bench_la instructions                                 the name of the instruction set in use
 *     bench_la peak     --type double|single                10^9 flops as fused multiply-adds in registers
 *     bench_la product  --m M --n N --k K --type double|single   C = A B, and C = A B' in single precision
 *     bench_la tall     --n N --r R --k K                   A'B, A is N x R, B is N x K
 *     bench_la syrk     --n N --m M                         A'A, A is N x M
 *     bench_la trsm     --m M --n N                         B L^-T, B is M x N
 *     bench_la cholesky --n N
 *
 * with --threads T (0: all). Prints one JSON line, as bench_core does. RKHS_INSTRUCTIONS lowers the instruction set, of
 * the peak as well. An entry of what was made is computed again by its definition: speed is worth nothing without. */
#include "measure.h"

#include <math.h>

#include "la/la.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static rkhs_env *env;

static void check(rkhs_status status) {
    if (status == RKHS_OK) return;
    fprintf(stderr, "bench_la: %s\n", rkhs_env_message(env));
    exit(1);
}

/* ---- the peak -------------------------------------------------------------------------------------------------- */

/* CHAINS independent chains x = x a + b: enough to fill two units of latency 4 to 6, and to stay in 16 registers. */
enum { CHAINS = 12, PEAK_TIMES = 41 };
static const int64_t STEPS = 1000000; /* of each chain, in one run on one thread */
#define FACTOR 0.999                  /* a; with b = 1 - a the chains stay at 1 */

/* clang-format off */
#define EACH_CHAIN(DO, ...) DO(0, __VA_ARGS__) DO(1, __VA_ARGS__) DO(2, __VA_ARGS__) DO(3, __VA_ARGS__) DO(4, __VA_ARGS__)     \
    DO(5, __VA_ARGS__) DO(6, __VA_ARGS__) DO(7, __VA_ARGS__) DO(8, __VA_ARGS__) DO(9, __VA_ARGS__) DO(10, __VA_ARGS__)         \
    DO(11, __VA_ARGS__)
#define BEGIN_CHAIN(c, vector) vector x##c = one;
#define STEP_CHAIN(c, step, constraint) x##c = step(x##c, a, b); __asm__("" : "+" constraint(x##c));
#define END_CHAIN(c, sum) sum += (double)x##c[0];
/* clang-format on */

/* Defines a function that makes `steps` steps of all chains, and sums them. The chains are variables, not an array,
 * so that they are in registers; the empty asm keeps the compiler from computing them beforehand. */
#define PEAK(name, attribute, real, vector, broadcast, step, constraint)                                                       \
    attribute static double name(int64_t steps) {                                                                              \
        vector one = broadcast((real)1), a = broadcast((real)FACTOR), b = broadcast((real)(1 - FACTOR));                       \
        double sum = 0;                                                                                                        \
        EACH_CHAIN(BEGIN_CHAIN, vector)                                                                                        \
        for (int64_t s = 0; s < steps; s++) {                                                                                  \
            EACH_CHAIN(STEP_CHAIN, step, constraint)                                                                           \
        }                                                                                                                      \
        EACH_CHAIN(END_CHAIN, sum)                                                                                             \
        return sum;                                                                                                            \
    }

/* Without intrinsics: vectors of 16 bytes, a product and a sum. */
typedef double plain_double __attribute__((vector_size(16)));
typedef float plain_single __attribute__((vector_size(16)));
#define PLAIN_DOUBLE(v) ((plain_double){(v), (v)})
#define PLAIN_SINGLE(v) ((plain_single){(v), (v), (v), (v)})
#define PLAIN_STEP(x, a, b) ((x) * (a) + (b))
#if defined(__x86_64__)
#define PLAIN_REGISTER "x"
#elif defined(__aarch64__)
#define PLAIN_REGISTER "w"
#else
#define PLAIN_REGISTER "m"
#endif
PEAK(peak_plain_double, , double, plain_double, PLAIN_DOUBLE, PLAIN_STEP, PLAIN_REGISTER)
PEAK(peak_plain_single, , float, plain_single, PLAIN_SINGLE, PLAIN_STEP, PLAIN_REGISTER)
#if defined(__x86_64__)
#define V3 __attribute__((target("arch=x86-64-v3")))
#define V4 __attribute__((target("arch=x86-64-v4")))
PEAK(peak_avx2_double, V3, double, __m256d, _mm256_set1_pd, _mm256_fmadd_pd, "x")
PEAK(peak_avx2_single, V3, float, __m256, _mm256_set1_ps, _mm256_fmadd_ps, "x")
PEAK(peak_avx512_double, V4, double, __m512d, _mm512_set1_pd, _mm512_fmadd_pd, "v")
PEAK(peak_avx512_single, V4, float, __m512, _mm512_set1_ps, _mm512_fmadd_ps, "v")
#elif defined(__aarch64__)
#define NEON_DOUBLE(x, a, b) vfmaq_f64(b, x, a)
#define NEON_SINGLE(x, a, b) vfmaq_f32(b, x, a)
PEAK(peak_neon_double, , double, float64x2_t, vdupq_n_f64, NEON_DOUBLE, "w")
PEAK(peak_neon_single, , float, float32x4_t, vdupq_n_f32, NEON_SINGLE, "w")
#endif

/* By instruction set; `bytes`: of its vectors. */
static const struct {
    const char *name;
    int set, bytes;
    double (*run[2])(int64_t); /* double, single */
} sets[] = {
#if defined(__x86_64__)
    {"avx512", RK_AVX512, 64, {peak_avx512_double, peak_avx512_single}},
    {"avx2", RK_AVX2, 32, {peak_avx2_double, peak_avx2_single}},
#elif defined(__aarch64__)
    {"neon", RK_NEON, 16, {peak_neon_double, peak_neon_single}},
#endif
    {"plain", RK_PLAIN, 16, {peak_plain_double, peak_plain_single}},
};

static int set_in_use(void) {
    int i = 0;
    while (sets[i].set != rk_instructions()) i++;
    return i;
}

typedef struct peak_job {
    int set, single;
} peak_job;

static rkhs_status peak_tile(void *context, int64_t tile, int worker) {
    const peak_job *j = context;
    volatile double kept = sets[j->set].run[j->single](STEPS);
    return kept > 0 ? RKHS_OK : RKHS_ERR_BUG;
}

/* The seconds of 10^9 flops of all threads together: the fewest of all runs, as nothing can be faster than a peak. One
 * that others slow down would make our share larger. */
static void measure_peak(int single) {
    double best[1][2] = {{INFINITY, 0}}, none[2] = {0, 0};
    peak_job j = {set_in_use(), single};
    int64_t tiles = rk_workers(env);
    double flops = 2.0 * CHAINS * (double)STEPS * (double)tiles * sets[j.set].bytes / (single ? 4 : 8);
    check(rk_parallel(env, NULL, tiles, peak_tile, &j)); /* starts the threads */
    for (int t = 0; t < PEAK_TIMES; t++) {
        double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        check(rk_parallel(env, NULL, tiles, peak_tile, &j));
        double took = (seconds(CLOCK_MONOTONIC) - start) * 1e9 / flops;
        if (took >= best[0][0]) continue;
        best[0][0] = took;
        best[0][1] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e9 / flops;
    }
    report(best, 1, none, 0);
}

/* ---- operations ------------------------------------------------------------------------------------------------ */

/* Sizes and matrices of an operation; all are row-major without gaps. */
typedef struct job {
    int64_t m, n, k, r;
    double *A, *B, *C;
    float *a, *b, *c; /* in single precision */
} job;

/* Entry (i, j) of the input matrix `which`: in [-1, 1), the same whenever it is asked for. */
static double entry(int which, int64_t i, int64_t j) {
    uint64_t x = ((uint64_t)which << 60 ^ (uint64_t)i << 30 ^ (uint64_t)j) + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* The same of a symmetric positive definite n x n matrix. */
static double definite(int64_t n, int64_t i, int64_t j) { return i == j ? (double)n : i > j ? entry(0, i, j) : entry(0, j, i); }

static double *matrix(int which, int64_t rows, int64_t columns) {
    double *A = array(rows * columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) A[i * columns + j] = entry(which, i, j);
    return A;
}

static float *single_matrix(int which, int64_t rows, int64_t columns) {
    float *A = (float *)array((rows * columns + 1) / 2);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) A[i * columns + j] = (float)entry(which, i, j);
    return A;
}

/* Each operation: make its matrices, restore what a run overwrites, run, and give the error of an entry. */

static void make_product(job *j) {
    j->A = matrix(0, j->m, j->k);
    j->B = matrix(1, j->k, j->n);
    j->C = matrix(2, j->m, j->n);
}
static void run_product(job *j) {
    check(rk_gemm(env, NULL, 'n', 'n', j->m, j->n, j->k, 1.0, j->A, j->k, j->B, j->n, 0.0, j->C, j->n));
}
static double error_product(const job *j) {
    double sum = 0;
    for (int64_t l = 0; l < j->k; l++) sum += entry(0, j->m - 1, l) * entry(1, l, j->n - 1);
    return j->C[j->m * j->n - 1] - sum;
}

static void make_single(job *j) {
    j->a = single_matrix(0, j->m, j->k);
    j->b = single_matrix(1, j->n, j->k);
    j->c = single_matrix(2, j->m, j->n);
}
static void run_single(job *j) { rk_gemm_single('n', 't', j->m, j->n, j->k, 1, j->a, j->k, j->b, j->k, 0, j->c, j->n); }
static double error_single(const job *j) {
    double sum = 0;
    for (int64_t l = 0; l < j->k; l++) sum += entry(0, j->m - 1, l) * entry(1, j->n - 1, l);
    return 1e-8 * ((double)j->c[j->m * j->n - 1] - sum); /* it has half of the digits */
}

static void make_tall(job *j) {
    j->A = matrix(0, j->n, j->r);
    j->B = matrix(1, j->n, j->k);
    j->C = matrix(2, j->r, j->k);
}
static void run_tall(job *j) { check(rk_tall_product(env, j->n, j->r, j->k, j->A, j->r, j->B, j->k, j->C, j->k)); }
static double error_tall(const job *j) {
    double sum = 0;
    for (int64_t l = 0; l < j->n; l++) sum += entry(0, l, j->r - 1) * entry(1, l, j->k - 1);
    return j->C[j->r * j->k - 1] - sum;
}

static void make_syrk(job *j) {
    j->A = matrix(0, j->n, j->m);
    j->C = matrix(2, j->m, j->m);
}
static void run_syrk(job *j) { check(rk_syrk(env, NULL, j->n, j->m, j->A, j->m, NULL, j->C, j->m)); }
static double error_syrk(const job *j) {
    double sum = 0;
    for (int64_t l = 0; l < j->n; l++) sum += entry(0, l, 0) * entry(0, l, j->m - 1);
    return j->C[j->m - 1] - sum;
}

static void make_trsm(job *j) {
    j->A = array(j->n * j->n);
    j->B = array(j->m * j->n);
    for (int64_t i = 0; i < j->n * j->n; i++) j->A[i] = definite(j->n, i / j->n, i % j->n);
}
static void restore_trsm(job *j) {
    for (int64_t i = 0; i < j->m * j->n; i++) j->B[i] = entry(1, i / j->n, i % j->n);
}
static void run_trsm(job *j) { check(rk_trsm_right(env, NULL, j->m, j->n, j->A, j->n, j->B, j->n)); }
static double error_trsm(const job *j) {
    double sum = 0;
    for (int64_t l = 0; l < j->n; l++) sum += j->B[(j->m - 1) * j->n + l] * j->A[(j->n - 1) * j->n + l];
    return sum - entry(1, j->m - 1, j->n - 1);
}

static void make_cholesky(job *j) { j->A = array(j->n * j->n); }
static void restore_cholesky(job *j) {
    for (int64_t i = 0; i < j->n * j->n; i++) j->A[i] = definite(j->n, i / j->n, i % j->n);
}
static void run_cholesky(job *j) {
    int64_t bad;
    check(rk_cholesky(env, NULL, j->n, j->A, j->n, &bad));
    if (bad >= 0) exit(1);
}
static double error_cholesky(const job *j) {
    double sum = 0;
    int64_t n = j->n;
    for (int64_t l = 0; l < n - 1; l++) sum += j->A[(n - 1) * n + l] * j->A[(n - 2) * n + l];
    return (sum - definite(n, n - 1, n - 2)) / (double)n;
}

static const struct operation {
    const char *name, *sizes; /* the sizes it needs */
    void (*make)(job *), (*restore)(job *), (*run)(job *);
    double (*error)(const job *);
} operations[] = {
    {"product", "mnk", make_product, NULL, run_product, error_product},
    {"product single", "mnk", make_single, NULL, run_single, error_single},
    {"tall", "nrk", make_tall, NULL, run_tall, error_tall},
    {"syrk", "nm", make_syrk, NULL, run_syrk, error_syrk},
    {"trsm", "mn", make_trsm, restore_trsm, run_trsm, error_trsm},
    {"cholesky", "n", make_cholesky, restore_cholesky, run_cholesky, error_cholesky},
};

/* The first run warms up, and does not count. */
static void measure(const struct operation *o, job *j) {
    double took[TIMES][2], none[2] = {0, 0};
    heat();
    o->make(j);
    if (o->restore) o->restore(j);
    o->run(j);
    if (!(fabs(o->error(j)) < 1e-10)) {
        fprintf(stderr, "bench_la: %s: an entry is wrong by %g\n", o->name, o->error(j));
        exit(1);
    }
    nanosleep(&(struct timespec){.tv_nsec = REST}, NULL);
    reset_peak();
    double held = memory("VmRSS");
    int times = 0;
    do {
        if (o->restore) o->restore(j);
        double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        o->run(j);
        took[times][0] = seconds(CLOCK_MONOTONIC) - start;
        took[times][1] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    } while (took[times++][0] < 1e-3 * SHORT && times < TIMES);
    report(took, times, none, memory("VmHWM") - held);
}

/* Reads the sizes that an operation needs; 0 if one is missing. */
static int read_sizes(const char *needed, int argc, char **argv, job *j) {
    for (; *needed; needed++) {
        const char name[] = {'-', '-', *needed, 0}, *text = option(argc, argv, name);
        int64_t size = text ? atoll(text) : 0;
        if (size < 2) return 0;
        *(*needed == 'm' ? &j->m : *needed == 'n' ? &j->n : *needed == 'k' ? &j->k : &j->r) = size;
    }
    return 1;
}

int main(int argc, char **argv) {
    const char *type = option(argc, argv, "--type"), *threads = option(argc, argv, "--threads"),
               *what = argc > 1 ? argv[1] : "";
    int single = type && strcmp(type, "single") == 0, peak = strcmp(what, "peak") == 0;
    const struct operation *o = NULL;
    job j = {0};
    if (strcmp(what, "instructions") == 0) return puts(sets[set_in_use()].name) < 0;
    if (single && !peak) what = strcmp(what, "product") == 0 ? "product single" : "";
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(what, operations[i].name) == 0) o = &operations[i];
    if (!peak && (!o || !read_sizes(o->sizes, argc, argv, &j))) return fputs("usage: see the head of bench_la.c\n", stderr), 2;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    check(rkhs_env_set_threads(env, threads ? atoi(threads) : 0));
    check(rk_blas_begin(env));
    if (peak)
        measure_peak(single);
    else
        measure(o, &j);
    rk_blas_end(env);
    void *made[] = {j.A, j.B, j.C, j.a, j.b, j.c};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    rkhs_env_free(env);
    return 0;
}
