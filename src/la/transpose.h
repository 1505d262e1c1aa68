/* transpose.h: loads a small square block of a matrix into vector registers, transposed.
 *
 * y[c][r] = row[r][k + c]. transpose.c stores the result, product.c multiplies with it. The loads combine halves of
 * two rows, without using the shuffle port. Then a column takes one shuffle with AVX2 and two with AVX-512. */
#ifndef RK_TRANSPOSE_H
#define RK_TRANSPOSE_H

#include <stdint.h>

#define RK_UNROLL _Pragma("GCC unroll 8")

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define RK_INLINE(isa) __attribute__((target(isa), always_inline)) static inline

RK_INLINE("avx2") void rk_transposed_avx2(const double *const row[4], int64_t k, __m256d y[4]) {
    RK_UNROLL for (int c = 0; c < 4; c += 2) {
        const double *const p = row[0] + k + c, *const q = row[1] + k + c, *const r = row[2] + k + c, *const s = row[3] + k + c;
        __m256d even = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd(r), 1);
        __m256d odd = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(q)), _mm_loadu_pd(s), 1);
        y[c] = _mm256_unpacklo_pd(even, odd);
        y[c + 1] = _mm256_unpackhi_pd(even, odd);
    }
}

RK_INLINE("avx512f") void rk_transposed_avx512(const double *const row[8], int64_t k, __m512d y[8]) {
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    RK_UNROLL for (int c = 0; c < 8;
                   c += 4) { /* four columns: of rows r and r + 4 (two), of four rows (four), of all eight (y) */
        __m512d two[4], four[4];
        RK_UNROLL for (int r = 0; r < 4; r++) {
            __m256d low = _mm256_loadu_pd(row[r] + k + c), high = _mm256_loadu_pd(row[r + 4] + k + c);
            two[r] = _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
        }
        RK_UNROLL for (int r = 0; r < 4; r += 2) {
            four[r] = _mm512_unpacklo_pd(two[r], two[r + 1]);
            four[r + 1] = _mm512_unpackhi_pd(two[r], two[r + 1]);
        }
        RK_UNROLL for (int r = 0; r < 2; r++) {
            y[c + r] = _mm512_permutex2var_pd(four[r], first, four[r + 2]);
            y[c + r + 2] = _mm512_permutex2var_pd(four[r], second, four[r + 2]);
        }
    }
}
#endif
#endif
