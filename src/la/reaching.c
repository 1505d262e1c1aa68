/* reaching.c: finds the numbers of a row that reach a bound, as bits.
 *
 * The search for nearest neighbours asks this of every pair of objects, twice, and the answer is nearly always no. So
 * the row is read once for both questions, and 64 numbers give one word, which is 0 if there is nothing to do. All
 * versions give the same bits. */
#include "la/la.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WIDE 1
#else
#define WIDE 0
#endif

enum { WORD = 64 };

/* One row, and the bounds that its numbers are compared with: the parameters of rk_reaching. */
typedef struct row {
    int64_t n;
    const double *x, *less;
    double least, own;
    const double *bounds;
} row;

/* Adds the bits of the numbers from .. to-1 of one word. */
static void reach_plain(const row *r, int64_t from, int64_t to, uint64_t *mine, uint64_t *theirs) {
    for (int64_t j = from; j < to; j++) *mine |= (uint64_t)(r->x[j] - r->less[j] >= r->least) << j % WORD;
    for (int64_t j = from; r->bounds && j < to; j++) *theirs |= (uint64_t)(r->x[j] - r->own >= r->bounds[j]) << j % WORD;
}

#if WIDE
__attribute__((target("avx2"))) static void reach_avx2(const row *r, int64_t from, int64_t to, uint64_t *mine,
                                                       uint64_t *theirs) {
    enum { LANES = 4 };
    const __m256d least = _mm256_set1_pd(r->least), own = _mm256_set1_pd(r->own);
    int64_t j = from;
    uint64_t a = 0, b = 0;
    for (; j + LANES <= to; j += LANES) {
        __m256d x = _mm256_loadu_pd(r->x + j), rest = _mm256_sub_pd(x, _mm256_loadu_pd(r->less + j));
        a |= (uint64_t)_mm256_movemask_pd(_mm256_cmp_pd(rest, least, _CMP_GE_OQ)) << (j - from);
        if (!r->bounds) continue;
        __m256d bounds = _mm256_loadu_pd(r->bounds + j);
        b |= (uint64_t)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_sub_pd(x, own), bounds, _CMP_GE_OQ)) << (j - from);
    }
    *mine = a;
    *theirs = b;
    reach_plain(r, j, to, mine, theirs);
}

__attribute__((target("avx512f"))) static void reach_avx512(const row *r, int64_t from, int64_t to, uint64_t *mine,
                                                            uint64_t *theirs) {
    enum { LANES = 8 };
    const __m512d least = _mm512_set1_pd(r->least), own = _mm512_set1_pd(r->own);
    int64_t j = from;
    uint64_t a = 0, b = 0;
    for (; j + LANES <= to; j += LANES) {
        __m512d x = _mm512_loadu_pd(r->x + j), rest = _mm512_sub_pd(x, _mm512_loadu_pd(r->less + j));
        a |= (uint64_t)_mm512_cmp_pd_mask(rest, least, _CMP_GE_OQ) << (j - from);
        if (!r->bounds) continue;
        __m512d bounds = _mm512_loadu_pd(r->bounds + j);
        b |= (uint64_t)_mm512_cmp_pd_mask(_mm512_sub_pd(x, own), bounds, _CMP_GE_OQ) << (j - from);
    }
    *mine = a;
    *theirs = b;
    reach_plain(r, j, to, mine, theirs);
}
#endif

void rk_reaching(int64_t n, const double *x, const double *less, double least, double own, const double *bounds, uint64_t *mine,
                 uint64_t *theirs) {
    const row r = {n, x, less, least, own, bounds};
    int set = rk_instructions();
    for (int64_t from = 0; from < n; from += WORD) {
        int64_t to = rk_min(from + WORD, n);
        uint64_t a = 0, b = 0;
#if WIDE
        if (set == RK_AVX512)
            reach_avx512(&r, from, to, &a, &b);
        else if (set == RK_AVX2)
            reach_avx2(&r, from, to, &a, &b);
        else
#endif
            reach_plain(&r, from, to, &a, &b);
        mine[from / WORD] = a;
        if (bounds) theirs[from / WORD] = b;
    }
}
