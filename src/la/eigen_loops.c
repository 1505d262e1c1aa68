/* eigen_loops.c: the inner loops of the eigensolver for each instruction set, and the choice between these.
 *
 * Multiply-adds of vectors are intrinsics: the compiler does not always find them in a loop over the lanes. Vectors
 * have four lanes with AVX-512, too, which has twice the registers: so both sets have the same bits. */
#include "la/eigen.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

enum { ROWS = 4, PAIR = 2, VECTORS = RK_WIDE / RK_LANES };

typedef double lanes __attribute__((vector_size(RK_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

#define UNROLLED _Pragma("GCC unroll 8")
#define load(p) (*(const lanes *)(p))
#define store(p, v) (*(lanes *)(p) = (v))
#define splat(x)                                                                                                               \
    (lanes) { x, x, x, x }
#define total(v) (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))

#if defined(__x86_64__) && defined(__GNUC__)
#define NAME(x) x##_avx512
#define TARGET __attribute__((target("arch=x86-64-v4")))
#define ADD(c, a, b) (c = (lanes)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#include "la/eigen_loops.h"
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("arch=x86-64-v3")))
#define ADD(c, a, b) (c = (lanes)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#include "la/eigen_loops.h"
#define CHOOSE(call, arguments)                                                                                                \
    (rk_instructions() == RK_AVX512 ? call##_avx512 : rk_instructions() == RK_AVX2 ? call##_avx2 : call##_plain) arguments
#else
#define CHOOSE(call, arguments) call##_plain arguments
#endif

#define NAME(x) x##_plain
#define TARGET
#if defined(__aarch64__)
#define ADD(c, a, b) (c = (lanes){LANE(a, b, c, 0), LANE(a, b, c, 1), LANE(a, b, c, 2), LANE(a, b, c, 3)})
#define LANE(a, b, c, l) __builtin_fma((a)[l], (b)[l], (c)[l])
#else
#define ADD(c, a, b) (c += (a) * (b))
#endif
#include "la/eigen_loops.h"

void rk_symmetric_pass(int64_t m, double *S, int64_t ld, const double *u, const double *w, const double *x, double *q) {
    CHOOSE(pass, (m, S, ld, u, w, x, q));
}

void rk_reflect(int64_t length, const double *U, int64_t ld, const double *tau, const double *gram, int64_t count, double *X) {
    CHOOSE(reflect, (length, U, ld, tau, gram, count, X));
}

void rk_sweep(int64_t step, int64_t na, const double *ta, int64_t nb, const double *tb, double *row) {
    CHOOSE(sweep, (step, na, ta, nb, tb, row));
}
