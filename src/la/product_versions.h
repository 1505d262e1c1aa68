/* product_versions.h: the inner loops of product_lanes.h for every instruction set, for one type of numbers.
 *
 * Included by product.c and product_single.c, with REAL and TYPE (pd or ps, as intrinsics end) defined, and DOUBLE for
 * double. The plain version is for processors without fused multiply-adds: vectors of 16 bytes, as every compiler
 * makes them. It rounds twice where the others round once. */

/* out[r*ld + l] = alpha sum over k < depth of a[r*ra + k*ka] b[k*kb + l], added to the old value if `more`. */
typedef void strip_fn(const REAL *a, int64_t ra, int64_t ka, const REAL *b, int64_t kb, int64_t depth, REAL alpha, int more,
                      REAL *out, int64_t ld);
/* The same for few rows, with b[l][k]: out[r*w + l] for w = FEW/rows vectors of rows of b. */
typedef void rows_fn(const REAL *a, int64_t ra, int64_t ka, const REAL *const *b, int64_t depth, REAL alpha, REAL *out);

typedef struct version {
    int64_t lanes, down;
    strip_fn *strip[4][VECTORS]; /* for 1, 2, 4, 8 rows and 1, 2, 3 vectors */
    rows_fn *few[3];             /* for 1, 2, 4 rows; or NULL */
    REAL (*pair)(int64_t depth, const REAL *a, int64_t ka, const REAL *b, int64_t kb);
    void (*solve)(int64_t size, const REAL *t, int64_t rt, int64_t kt, REAL *x, int64_t apart, int64_t width);
} version;

/* ---- plain ------------------------------------------------------------------------------------------------------ */

typedef REAL pair_of_words __attribute__((vector_size(16), aligned(sizeof(REAL))));
#define VECTOR pair_of_words
#define LANES ((int)(16 / sizeof(REAL)))
#define DOWN 4
#define NAME(x) x##_plain
#define TARGET
#define ZERO() ((VECTOR){0})
#define LOAD(p) (*(const VECTOR *)(p))
#define STORE(p, v) (*(VECTOR *)(p) = (v))
#define SPLAT(x) ((VECTOR){0} + (REAL)(x))
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define FUSE(a, b, c) ((a) * (b) + (c))
#define FUSE_MINUS(a, b, c) ((c) - (a) * (b))
#define FUSE_ONE(a, b, c) ((a) * (b) + (c))
#include "la/product_lanes.h"
#undef ZERO
#undef LOAD
#undef STORE
#undef SPLAT
#undef ADD
#undef MUL
#undef DIV
#undef FUSE
#undef FUSE_MINUS
#undef FUSE_ONE

/* ---- with fused multiply-adds ----------------------------------------------------------------------------------- */

#ifdef DOUBLE
#define FUSE_ONE __builtin_fma
#else
#define FUSE_ONE __builtin_fmaf
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define PASTE_(a, b, c) a##b##_##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define ZERO() MM(setzero)()
#define LOAD(p) MM(loadu)(p)
#define STORE(p, v) MM(storeu)(p, v)
#define SPLAT(x) MM(set1)(x)
#define ADD(a, b) MM(add)(a, b)
#define MUL(a, b) MM(mul)(a, b)
#define DIV(a, b) MM(div)(a, b)
#define FUSE(a, b, c) MM(fmadd)(a, b, c)
#define FUSE_MINUS(a, b, c) MM(fnmadd)(a, b, c)

#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define MM(x) PASTE(_mm512_, x, TYPE)
#define DOWN 8
#ifdef DOUBLE
#define VECTOR __m512d
#define LANES 8
#define TRANSPOSED rk_transposed_avx512
#else
#define VECTOR __m512
#define LANES 16
#endif
#include "la/product_lanes.h"

#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define MM(x) PASTE(_mm256_, x, TYPE)
#define DOWN 4
#ifdef DOUBLE
#define VECTOR __m256d
#define LANES 4
#define TRANSPOSED rk_transposed_avx2
#else
#define VECTOR __m256
#define LANES 8
#endif
#include "la/product_lanes.h"

static const version *version_in_use(void) {
    int set = rk_instructions();
    return set == RK_AVX512 ? &version_avx512 : set == RK_AVX2 ? &version_avx2 : &version_plain;
}

#elif defined(__aarch64__)
#include <arm_neon.h>
#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define MM(x) PASTE(x, TYPE)
#define ZERO() MM(vdupq_n)(0)
#define LOAD(p) MM(vld1q)(p)
#define STORE(p, v) MM(vst1q)(p, v)
#define SPLAT(x) MM(vdupq_n)(x)
#define ADD(a, b) MM(vaddq)(a, b)
#define MUL(a, b) MM(vmulq)(a, b)
#define DIV(a, b) MM(vdivq)(a, b)
#define FUSE(a, b, c) MM(vfmaq)(c, a, b)
#define FUSE_MINUS(a, b, c) MM(vfmsq)(c, a, b)
#define NAME(x) x##_neon
#define TARGET
#define DOWN 8
#ifdef DOUBLE
#define VECTOR float64x2_t
#define LANES 2
#else
#define VECTOR float32x4_t
#define LANES 4
#endif
#include "la/product_lanes.h"
static const version *version_in_use(void) { return rk_instructions() == RK_NEON ? &version_neon : &version_plain; }

#else
static const version *version_in_use(void) { return &version_plain; }
#endif
