/* product_single.c: matrix products in single precision; as product.c, with twice as many numbers in a vector. */
#include "la/la.h"
#include "la/transpose.h"

#include <string.h>

/* DEPTH: of a slice; MAX_DOWN, MAX_ACROSS: of a strip; IN_PLACE: up to so many rows, panels are not packed if their
 * rows are not further apart than NEAR; NARROW: see find_next. */
enum { DEPTH = 256, MAX_DOWN = 8, MAX_ACROSS = 48, MAX_LANES = 16, VECTORS = 3, FEW = 4 };
enum { IN_PLACE = 64, NEAR = 512, NARROW = 128 };

/* Transposes rows i .. ni of A, from column j on, by plain loops. */
static void pack_plain(int64_t i, int64_t ni, int64_t j, int64_t nj, const float *A, int64_t lda, float *B, int64_t ldb) {
    for (int64_t b = j; b < nj; b++)
        for (int64_t a = i; a < ni; a++) B[b * ldb + a] = A[a * lda + b];
}

#if defined(__x86_64__) && defined(__GNUC__)
/* B = A' for a square of 8 x 8: pairs of rows are interleaved, then pairs of pairs, then halves. */
__attribute__((target("avx2"))) static void pack_square(const float *A, int64_t lda, float *B, int64_t ldb) {
    __m256 two[8], four[8];
    RK_UNROLL for (int r = 0; r < 8; r += 2) {
        __m256 x = _mm256_loadu_ps(A + r * lda), y = _mm256_loadu_ps(A + (r + 1) * lda);
        two[r] = _mm256_unpacklo_ps(x, y);
        two[r + 1] = _mm256_unpackhi_ps(x, y);
    }
    RK_UNROLL for (int r = 0; r < 8; r += 4) RK_UNROLL for (int h = 0; h < 2; h++) {
        four[r + 2 * h] = _mm256_shuffle_ps(two[r + h], two[r + h + 2], 0x44);
        four[r + 2 * h + 1] = _mm256_shuffle_ps(two[r + h], two[r + h + 2], 0xee);
    }
    RK_UNROLL for (int c = 0; c < 4; c++) {
        _mm256_storeu_ps(B + c * ldb, _mm256_permute2f128_ps(four[c], four[c + 4], 0x20));
        _mm256_storeu_ps(B + (c + 4) * ldb, _mm256_permute2f128_ps(four[c], four[c + 4], 0x31));
    }
}

static void pack_rows(int64_t ni, int64_t nj, const float *A, int64_t lda, float *B, int64_t ldb) {
    int squares = rk_instructions() != RK_PLAIN;
    int64_t whole_i = squares ? ni / 8 * 8 : 0, whole_j = squares ? nj / 8 * 8 : 0;
    for (int64_t j = 0; j < whole_j; j += 8)
        for (int64_t i = 0; i < whole_i; i += 8) pack_square(A + i * lda + j, lda, B + j * ldb + i, ldb);
    pack_plain(whole_i, ni, 0, whole_j, A, lda, B, ldb);
    pack_plain(0, ni, whole_j, nj, A, lda, B, ldb);
}
#else
static void pack_rows(int64_t ni, int64_t nj, const float *A, int64_t lda, float *B, int64_t ldb) {
    pack_plain(0, ni, 0, nj, A, lda, B, ldb);
}
#endif

#define REAL float
#if defined(__aarch64__)
#define TYPE f32
#else
#define TYPE ps
#endif
#include "la/product_versions.h"
#include "la/product_loops.h"

void rk_gemm_single(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda, const float *B,
                    int64_t ldb, float beta, float *C, int64_t ldc) {
    gemm(version_in_use(), ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
