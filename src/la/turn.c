/* turn.c: tiles turned round, B = A', and written to where they belong.
 *
 * Rows are far apart, so that B is written in runs of whole cache lines, eight rows of it at a time. With AVX2 halves of two
 * rows are put together as they are loaded, and four rows by two columns are turned by two shuffles. */
#include "la/la.h"

#include <string.h>

enum { LINE = 8, MIRROR = 32, ALONG = 256 };

/* Some rows i .. of A, from column j on, one by one. */
static void turn_plain(int64_t i, int64_t ni, int64_t j, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    for (int64_t from = j; from < nj; from += LINE)
        for (int64_t a = i; a < ni; a++)
            for (int64_t b = from; b < rk_least(from + LINE, nj); b++) B[b * ldb + a] = A[a * lda + b];
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx2"))) static void turn_avx2(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B,
                                                      int64_t ldb) {
    int64_t whole_i = ni / 4 * 4, whole_j = nj / LINE * LINE;
    for (int64_t j = 0; j < whole_j; j += LINE)
        for (int64_t i = 0; i < whole_i; i += 4) {
            const double *p = A + i * lda + j, *q = p + lda, *r = q + lda, *s = r + lda;
            double *to = B + j * ldb + i;
            for (int k = 0; k < LINE; k += 2, to += 2 * ldb) {
                __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p + k)), _mm_loadu_pd(r + k), 1);
                __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(q + k)), _mm_loadu_pd(s + k), 1);
                _mm256_storeu_pd(to, _mm256_unpacklo_pd(even, odd));
                _mm256_storeu_pd(to + ldb, _mm256_unpackhi_pd(even, odd));
            }
        }
    turn_plain(whole_i, ni, 0, whole_j, A, lda, B, ldb);
    turn_plain(0, ni, whole_j, nj, A, lda, B, ldb);
}

void rk_turn(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    if (__builtin_cpu_supports("avx2"))
        turn_avx2(ni, nj, A, lda, B, ldb);
    else
        turn_plain(0, ni, 0, nj, A, lda, B, ldb);
}

/* A row with stores that go past the caches: memory that is written whole need not be read first, and what is in the caches
 * stays. */
static void write_past(int64_t n, const double *from, double *to) {
    int64_t j = 0;
    if ((uintptr_t)to & 8 && n > 0) to[0] = from[0], j = 1; /* pairs begin at a multiple of 16 bytes */
    for (; j + 2 <= n; j += 2) _mm_stream_pd(to + j, _mm_loadu_pd(from + j));
    if (j < n) to[j] = from[j];
}
static void fence(void) { _mm_sfence(); } /* such stores are seen by other threads after this alone */
#else
void rk_turn(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    turn_plain(0, ni, 0, nj, A, lda, B, ldb);
}
static void write_past(int64_t n, const double *from, double *to) { memcpy(to, from, (size_t)n * sizeof *to); }
static void fence(void) {}
#endif

/* B = A' past the caches, through a place of its own. */
static void turn_past(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb) {
    double some[LINE * ALONG];
    for (int64_t j = 0; j < nj; j += LINE)
        for (int64_t i = 0; i < ni; i += ALONG) {
            int64_t rows = rk_least(LINE, nj - j), along = rk_least(ALONG, ni - i);
            rk_turn(along, rows, A + i * lda + j, lda, some, ALONG);
            for (int64_t b = 0; b < rows; b++) write_past(along, some + b * ALONG, B + (j + b) * ldb + i);
        }
}

void rk_place(int64_t ni, int64_t nj, const double *A, int64_t lda, double *C, int64_t ldc, int64_t i0, int64_t j0, int past) {
    for (int64_t i = 0; i < ni; i++) {
        double *to = C + (i0 + i) * ldc + j0;
        if (past)
            write_past(nj, A + i * lda, to);
        else
            memcpy(to, A + i * lda, (size_t)nj * sizeof *A);
    }
    if (i0 != j0) (past ? turn_past : rk_turn)(ni, nj, A, lda, C + j0 * ldc + i0, ldc);
    if (past) fence();
}

void rk_mirror(double *C, int64_t ldc, int64_t i0, int64_t ni, int64_t j0, int64_t nj) {
    if (i0 != j0) {
        rk_turn(ni, nj, C + i0 * ldc + j0, ldc, C + j0 * ldc + i0, ldc);
        return;
    }
    for (int64_t from = i0; from < i0 + ni; from += MIRROR) {
        int64_t rows = rk_least(MIRROR, i0 + ni - from);
        rk_turn(rows, from - i0, C + from * ldc + i0, ldc, C + i0 * ldc + from, ldc);
        for (int64_t i = from; i < from + rows; i++)
            for (int64_t j = from; j < i; j++) C[j * ldc + i] = C[i * ldc + j];
    }
}
