/* transpose.c: transposes tiles, and stores tiles of symmetric matrices with their mirror images.
 *
 * The rows of B = A' are far apart in memory. So B is written in whole cache lines, eight rows at a time. */
#include "la/la.h"
#include "la/transpose.h"

#include <string.h>

enum { LINE = 8, MIRROR = 32, ALONG = 256 };

/* Transposes rows i .. ni of A, from column j on, by plain loops. */
static void transpose_plain(int64_t i, int64_t ni, int64_t j, int64_t nj, const double *A, int64_t lda, double *B,
                            int64_t ldb) {
    for (int64_t from = j; from < nj; from += LINE)
        for (int64_t a = i; a < ni; a++)
            for (int64_t b = from; b < rk_min(from + LINE, nj); b++) B[b * ldb + a] = A[a * lda + b];
}

#if defined(__x86_64__) && defined(__GNUC__)
/* Transposes whole squares of LANES x LANES, then the borders. */
#define TRANSPOSE(name, isa, vector, store, transposed)                                                                        \
    __attribute__((target(isa))) static void name(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B,             \
                                                  int64_t ldb) {                                                               \
        enum { LANES = sizeof(vector) / sizeof(double) };                                                                      \
        int64_t whole_i = ni / LANES * LANES, whole_j = nj / LINE * LINE;                                                      \
        for (int64_t j = 0; j < whole_j; j += LINE)                                                                            \
            for (int64_t i = 0; i < whole_i; i += LANES) {                                                                     \
                const double *row[LANES];                                                                                      \
                RK_UNROLL for (int r = 0; r < LANES; r++) row[r] = A + (i + r) * lda + j;                                      \
                RK_UNROLL for (int k = 0; k < LINE; k += LANES) {                                                              \
                    vector y[LANES];                                                                                           \
                    transposed(row, k, y);                                                                                     \
                    RK_UNROLL for (int c = 0; c < LANES; c++) store(B + (j + k + c) * ldb + i, y[c]);                          \
                }                                                                                                              \
            }                                                                                                                  \
        transpose_plain(whole_i, ni, 0, whole_j, A, lda, B, ldb);                                                              \
        transpose_plain(0, ni, whole_j, nj, A, lda, B, ldb);                                                                   \
    }

TRANSPOSE(transpose_avx2, "avx2", __m256d, _mm256_storeu_pd, rk_transposed_avx2)
TRANSPOSE(transpose_avx512, "avx512f", __m512d, _mm512_storeu_pd, rk_transposed_avx512)
TRANSPOSE(turn_past_avx512, "avx512f", __m512d, _mm512_stream_pd,
          rk_transposed_avx512) /* rows of B must begin at cache lines */

void rk_transpose(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    int set = rk_instructions();
    if (set == RK_AVX512)
        transpose_avx512(ni, nj, A, lda, B, ldb);
    else if (set == RK_AVX2)
        transpose_avx2(ni, nj, A, lda, B, ldb);
    else
        transpose_plain(0, ni, 0, nj, A, lda, B, ldb);
}

/* Transposes with stores that bypass the caches; returns 0 if the rows of B do not begin at cache lines. */
static int transpose_lines(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    int can = ((uintptr_t)B | (uintptr_t)ldb * sizeof *B) % (LINE * sizeof *B) == 0 && rk_instructions() == RK_AVX512;
    if (can) turn_past_avx512(ni, nj, A, lda, B, ldb);
    return can;
}

/* Copies whole cache lines, bypassing the caches; `to` begins a line. */
__attribute__((target("avx512f"))) static void lines_past(int64_t lines, const double *from, double *to) {
    for (int64_t k = 0; k < lines * LINE; k += LINE) _mm512_stream_pd(to + k, _mm512_loadu_pd(from + k));
}

/* Copies a row with stores that bypass the caches: a line that is written whole need not be read first, and the caches
 * keep their contents. The ends share a line with other data and are stored normally. */
static void write_past(int64_t n, const double *from, double *to) {
    int64_t j = rk_min(n, (int64_t)(-(uintptr_t)to / sizeof *to % LINE));
    for (int64_t k = 0; k < j; k++) to[k] = from[k];
    if (rk_instructions() == RK_AVX512) {
        lines_past((n - j) / LINE, from + j, to + j);
        j += (n - j) / LINE * LINE;
    } else
        for (; j + 2 <= n; j += 2) _mm_stream_pd(to + j, _mm_loadu_pd(from + j));
    for (; j < n; j++) to[j] = from[j];
}
static void fence(void) { _mm_sfence(); } /* makes these stores visible to other threads */
#else
void rk_transpose(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    transpose_plain(0, ni, 0, nj, A, lda, B, ldb);
}
static int transpose_lines(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) { return 0; }
static void write_past(int64_t n, const double *from, double *to) { memcpy(to, from, (size_t)n * sizeof *to); }
static void fence(void) {}
#endif

/* B = A', bypassing the caches, through the buffer `some` if rows of B are not aligned. */
static void transpose_past(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    double some[LINE * ALONG];
    if (transpose_lines(ni, nj, A, lda, B, ldb)) return;
    for (int64_t j = 0; j < nj; j += LINE)
        for (int64_t i = 0; i < ni; i += ALONG) {
            int64_t rows = rk_min(LINE, nj - j), along = rk_min(ALONG, ni - i);
            rk_transpose(along, rows, A + i * lda + j, lda, some, ALONG);
            for (int64_t b = 0; b < rows; b++) write_past(along, some + b * ALONG, B + (j + b) * ldb + i);
        }
}

void rk_store_tile(int64_t ni, int64_t nj, const double *A, int64_t lda, double *C, int64_t ldc, int64_t i0, int64_t j0,
                   int bypass) {
    for (int64_t i = 0; i < ni; i++) {
        double *to = C + (i0 + i) * ldc + j0;
        if (bypass)
            write_past(nj, A + i * lda, to);
        else
            memcpy(to, A + i * lda, (size_t)nj * sizeof *A);
    }
    if (i0 != j0) (bypass ? transpose_past : rk_transpose)(ni, nj, A, lda, C + j0 * ldc + i0, ldc);
    if (bypass) fence();
}

void rk_mirror_tile(double *C, int64_t ldc, int64_t i0, int64_t ni, int64_t j0, int64_t nj) {
    if (i0 != j0) {
        rk_transpose(ni, nj, C + i0 * ldc + j0, ldc, C + j0 * ldc + i0, ldc);
        return;
    }
    for (int64_t from = i0; from < i0 + ni; from += MIRROR) {
        int64_t rows = rk_min(MIRROR, i0 + ni - from);
        rk_transpose(rows, from - i0, C + from * ldc + i0, ldc, C + i0 * ldc + from, ldc);
        for (int64_t i = from; i < from + rows; i++)
            for (int64_t j = from; j < i; j++) C[j * ldc + i] = C[i * ldc + j];
    }
}
