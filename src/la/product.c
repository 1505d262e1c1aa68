/* product.c: the matrix product C = A B' of two sets of rows, for tiles of a Gram matrix, with reproducible sums.
 *
 *     c_ij = s_1 + s_2 + ...,   s_t = fma(a_ik, b_jk, fma(...)) over the columns k of slice t, in order
 *
 * A is ni x p, B is nj x p. Up to 24 rows of B are interleaved column by column, one slice at a time, and stay in the
 * L1 cache. The rows of A are read in place, eight at a time. A step of eight rows and three vectors is 24
 * multiply-adds for 11 loads; two ports execute these, so the limit is 12 cycles with AVX-512. With AVX2 it is four
 * rows, and 6 cycles for a quarter of the work. Slices depend on p alone. So the bits of an entry depend only on its
 * two rows: not on the tile, on their order, or on which of the two instruction sets runs. Elsewhere BLAS computes the
 * product and promises none of it.
 *
 * If A has few rows, interleaving B would be most of the work. Then blocks of B are transposed in registers. */
#include "la/la.h"
#include "la/transpose.h"

#include <string.h>

enum { SLICE = 8192 }; /* columns in one call of BLAS, so that it does not run long */

#if defined(__x86_64__) && defined(__GNUC__)
enum { DEPTH = 256, MAX_DOWN = 8, MAX_ACROSS = 24, MAX_LANES = 8, VECTORS = 3, FEW = 4 };

/* out[r*ld + l] = sum over k of a[r][k] b[k][l], added to the old value if `more`. */
typedef void (*strip_fn)(const double *const *a, const double *b, int64_t depth, int more, double *out, int64_t ld);

/* A strip of DOWN rows and COUNT vectors; the old values are prefetched. mm: prefix of the intrinsics. */
#define STRIP(name, isa, vector, mm, DOWN, COUNT)                                                                              \
    __attribute__((target(isa))) static void name(const double *const *a, const double *b, int64_t depth, int more,            \
                                                  double *out, int64_t ld) {                                                   \
        enum { LANES = sizeof(vector) / sizeof(double) };                                                                      \
        vector sum[DOWN][COUNT];                                                                                               \
        const double *row[DOWN];                                                                                               \
        RK_UNROLL for (int r = 0; r < DOWN; r++) {                                                                             \
            row[r] = a[r];                                                                                                     \
            RK_UNROLL for (int v = 0; more && v < COUNT; v++)                                                                  \
                _mm_prefetch((const char *)(out + r * ld + v * LANES), _MM_HINT_T0);                                           \
            RK_UNROLL for (int v = 0; v < COUNT; v++) sum[r][v] = mm##_setzero_pd();                                           \
        }                                                                                                                      \
        _Pragma("GCC unroll 4") for (int64_t k = 0; k < depth; k++, b += COUNT * LANES) {                                      \
            vector y[COUNT];                                                                                                   \
            RK_UNROLL for (int v = 0; v < COUNT; v++) y[v] = mm##_load_pd(b + v * LANES);                                      \
            RK_UNROLL for (int r = 0; r < DOWN; r++) {                                                                         \
                vector x = mm##_set1_pd(row[r][k]);                                                                            \
                RK_UNROLL for (int v = 0; v < COUNT; v++) sum[r][v] = mm##_fmadd_pd(x, y[v], sum[r][v]);                       \
            }                                                                                                                  \
        }                                                                                                                      \
        RK_UNROLL for (int r = 0; r < DOWN; r++) RK_UNROLL for (int v = 0; v < COUNT; v++) {                                   \
            double *here = out + r * ld + v * LANES;                                                                           \
            mm##_storeu_pd(here, more ? mm##_add_pd(mm##_loadu_pd(here), sum[r][v]) : sum[r][v]);                              \
        }                                                                                                                      \
    }

STRIP(strip_avx512_1, "avx512f", __m512d, _mm512, 8, 1)
STRIP(strip_avx512_2, "avx512f", __m512d, _mm512, 8, 2)
STRIP(strip_avx512_3, "avx512f", __m512d, _mm512, 8, 3)
STRIP(strip_avx2_1, "avx2,fma", __m256d, _mm256, 4, 1)
STRIP(strip_avx2_2, "avx2,fma", __m256d, _mm256, 4, 2)
STRIP(strip_avx2_3, "avx2,fma", __m256d, _mm256, 4, 3)

/* out[r*ld + l] = sum over k < p of a[r][k] b[l][k], by slices of `depth`, added to the old value if `more`. */
typedef void (*rows_fn)(const double *const *a, const double *const *b, int64_t p, int64_t depth, int more, double *out,
                        int64_t ld);

/* DOWN rows of A with one vector of rows of B. */
#define ROWS(name, isa, vector, mm, transposed, DOWN)                                                                          \
    __attribute__((target(isa))) static void name(const double *const *a, const double *const *b, int64_t p, int64_t depth,    \
                                                  int more, double *out, int64_t ld) {                                         \
        enum { LANES = sizeof(vector) / sizeof(double) };                                                                      \
        for (int64_t k = 0; k < p; more = 1) {                                                                                 \
            int64_t end = rk_min(p, k + depth);                                                                                \
            vector sum[DOWN], y[LANES];                                                                                        \
            RK_UNROLL for (int r = 0; r < DOWN; r++) sum[r] = mm##_setzero_pd();                                               \
            for (; k + LANES <= end; k += LANES) {                                                                             \
                transposed(b, k, y);                                                                                           \
                RK_UNROLL for (int c = 0; c < LANES; c++) RK_UNROLL for (int r = 0; r < DOWN; r++) sum[r] =                    \
                    mm##_fmadd_pd(mm##_set1_pd(a[r][k + c]), y[c], sum[r]);                                                    \
            }                                                                                                                  \
            for (; k < end; k++) {                                                                                             \
                double column[LANES];                                                                                          \
                RK_UNROLL for (int l = 0; l < LANES; l++) column[l] = b[l][k];                                                 \
                y[0] = mm##_loadu_pd(column);                                                                                  \
                RK_UNROLL for (int r = 0; r < DOWN; r++) sum[r] = mm##_fmadd_pd(mm##_set1_pd(a[r][k]), y[0], sum[r]);          \
            }                                                                                                                  \
            RK_UNROLL for (int r = 0; r < DOWN; r++)                                                                           \
                mm##_storeu_pd(out + r * ld, more ? mm##_add_pd(mm##_loadu_pd(out + r * ld), sum[r]) : sum[r]);                \
        }                                                                                                                      \
    }

ROWS(rows_avx512_one, "avx512f", __m512d, _mm512, rk_transposed_avx512, 1)
ROWS(rows_avx512_few, "avx512f", __m512d, _mm512, rk_transposed_avx512, FEW)
ROWS(rows_avx2_one, "avx2,fma", __m256d, _mm256, rk_transposed_avx2, 1)
ROWS(rows_avx2_few, "avx2,fma", __m256d, _mm256, rk_transposed_avx2, FEW)

static const struct shape {
    int64_t down, lanes;
    strip_fn strip[VECTORS]; /* for 1, 2, 3 vectors */
    rows_fn one, few;        /* for 1 row, for up to FEW rows */
} shapes[] = {{4, 4, {strip_avx2_1, strip_avx2_2, strip_avx2_3}, rows_avx2_one, rows_avx2_few},
              {8, 8, {strip_avx512_1, strip_avx512_2, strip_avx512_3}, rows_avx512_one, rows_avx512_few}};

/* Interleaves `depth` columns of up to `across` rows; lanes without a row are 0. */
static void lay(const double *b, int64_t ldb, int64_t rows, int64_t depth, int64_t across, double *out) {
    if (rows < across) memset(out, 0, (size_t)(depth * across) * sizeof *out);
    rk_transpose(rows, depth, b, ldb, out, across);
}

/* A strip at the border of a tile, which is computed whole and stored in part. */
static void border(strip_fn strip, const double *const *row, const double *b, int64_t depth, int more, int64_t down,
                   int64_t across, double *out, int64_t ld) {
    double sums[MAX_DOWN * MAX_ACROSS];
    strip(row, b, depth, 0, sums, MAX_ACROSS);
    for (int64_t r = 0; r < down; r++)
        for (int64_t l = 0; l < across; l++) {
            double v = sums[r * MAX_ACROSS + l];
            out[r * ld + l] = more ? out[r * ld + l] + v : v;
        }
}

/* Adds the product of one slice of columns; `half`: leaves out blocks above the diagonal. */
static void slice(const struct shape *s, int64_t ni, int64_t nj, int64_t depth, const double *A, int64_t lda, const double *B,
                  int64_t ldb, int more, int half, double *C, int64_t ldc) {
    _Alignas(64) double panel[DEPTH * MAX_ACROSS];
    const double *row[MAX_DOWN];
    for (int64_t j = 0; j < nj; j += VECTORS * s->lanes) {
        int64_t across = rk_min(VECTORS * s->lanes, nj - j), vectors = (across + s->lanes - 1) / s->lanes;
        strip_fn strip = s->strip[vectors - 1];
        lay(B + j * ldb, ldb, across, depth, vectors * s->lanes, panel);
        for (int64_t i = half ? j / s->down * s->down : 0; i < ni; i += s->down) {
            int64_t down = rk_min(s->down, ni - i);
            for (int64_t r = 0; r < s->down; r++) row[r] = A + (i + (r < down ? r : 0)) * lda;
            if (down == s->down && across == vectors * s->lanes)
                strip(row, panel, depth, more, C + i * ldc + j, ldc);
            else
                border(strip, row, panel, depth, more, down, across, C + i * ldc + j, ldc);
        }
    }
}

/* One entry, with the same sums as in a lane. */
__attribute__((target("fma"))) static void pair(int64_t p, int64_t depth, const double *a, const double *b, int more,
                                                double *out) {
    for (int64_t k = 0; k < p; more = 1) {
        double sum = 0;
        for (int64_t end = rk_min(p, k + depth); k < end; k++) sum = __builtin_fma(a[k], b[k], sum);
        *out = more ? *out + sum : sum;
    }
}

static void copy(int64_t ni, int64_t nj, const double *from, int64_t ldf, double *to, int64_t ldt) {
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) to[i * ldt + j] = from[i * ldf + j];
}

/* The product for few rows of A, through the buffer `some` at the borders. */
static void few_rows(const struct shape *s, int64_t ni, int64_t nj, int64_t p, int64_t depth, const double *A, int64_t lda,
                     const double *B, int64_t ldb, int more, double *C, int64_t ldc) {
    const double *a[FEW], *b[MAX_LANES];
    double some[FEW * MAX_LANES] = {0};
    for (int64_t i = 0; i < ni; i += FEW) {
        int64_t down = rk_min(FEW, ni - i);
        rows_fn rows = down == 1 ? s->one : s->few;
        for (int64_t r = 0; r < FEW; r++) a[r] = A + (i + (r < down ? r : 0)) * lda;
        for (int64_t j = 0; j < nj; j += s->lanes) {
            int64_t across = rk_min(s->lanes, nj - j);
            double *out = C + i * ldc + j;
            for (int64_t l = 0; l < s->lanes; l++) b[l] = B + (j + (l < across ? l : 0)) * ldb;
            if (across == s->lanes && (down == FEW || down == 1)) {
                rows(a, b, p, depth, more, out, ldc);
                continue;
            }
            if (more) copy(down, across, out, ldc, some, MAX_LANES);
            rows(a, b, p, depth, more, some, MAX_LANES);
            copy(down, across, some, MAX_LANES, out, ldc);
        }
    }
}

/* The product by our own code, in slices of nearly equal depth. */
static void multiply_slices(const struct shape *s, int64_t ni, int64_t nj, int64_t p, const double *A, int64_t lda,
                            const double *B, int64_t ldb, int more, int half, double *C, int64_t ldc) {
    int64_t parts = rk_max(1, (p + DEPTH - 1) / DEPTH), depth = ((p + parts - 1) / parts + 7) / 8 * 8;
    if (ni == 1 && nj == 1)
        pair(p, depth, A, B, more, C);
    else if (ni < s->down)
        few_rows(s, ni, nj, p, depth, A, lda, B, ldb, more, C, ldc);
    else
        for (int64_t k = 0; k < p; k += depth)
            slice(s, ni, nj, rk_min(depth, p - k), A + k, lda, B + k, ldb, more || k, half, C, ldc);
}

int rk_product_best(void) {
    if (__builtin_cpu_supports("avx512f")) return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0;
}
#else
int rk_product_best(void) { return 0; }
#endif

void rk_product(int level, int64_t ni, int64_t nj, int64_t p, const double *A, int64_t lda, const double *B, int64_t ldb,
                int more, double *C, int64_t ldc) {
    int half = A == B && lda == ldb && ni == nj;
#if defined(__x86_64__) && defined(__GNUC__)
    if (level > 0)
        multiply_slices(&shapes[level - 1], ni, nj, p, A, lda, B, ldb, more, half, C, ldc);
    else
#endif
        for (int64_t k = 0; k < p; k += SLICE) {
            int64_t depth = rk_min(SLICE, p - k);
            if (half)
                rk_syrk_tile(ni, depth, A + k, lda, more || k ? 1 : 0, C, ldc);
            else
                rk_gemm_tile('n', 't', ni, nj, depth, 1, A + k, lda, B + k, ldb, more || k ? 1 : 0, C, ldc);
        }
    if (half) rk_mirror_tile(C, ldc, 0, ni, 0, nj);
}
