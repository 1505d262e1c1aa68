/* bit_counts.c: counts the common bits of pairs of bit sets, for a tile of pairs; 64 bits in a word.
 *
 * Sixteen rows of b are interleaved word by word, so that one word of a is combined with sixteen rows at once and each
 * lane counts for one pair: there are no sums across lanes. Four rows of a share each load of b. With AVX-512 a step
 * is AND, POPCNT and ADD on eight words; two ports execute these, so the limit is 1.5 cycles for 512 bits. AVX2 has no
 * POPCNT: a table of sixteen gives the counts of half-bytes. rk_instructions() decides which version runs; the
 * results are the same. */
#include "la/la.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WIDE 1
#else
#define WIDE 0
#endif

enum { ACROSS = 16, DOWN = 4, DEPTH = 64 };

/* out[r*ld + l] = the number of bits that a[r] and lane l of b share over `depth` words, added to the old value if
 * `more`; b is depth x ACROSS. */
typedef void (*strip_fn)(const uint64_t *const a[DOWN], const uint64_t *b, int64_t depth, int more, double *out, int64_t ld);

static void strip_plain(const uint64_t *const a[DOWN], const uint64_t *b, int64_t depth, int more, double *out, int64_t ld) {
    for (int r = 0; r < DOWN; r++)
        for (int l = 0; l < ACROSS; l++) {
            int count = 0;
            for (int64_t w = 0; w < depth; w++) count += __builtin_popcountll(a[r][w] & b[w * ACROSS + l]);
            out[r * ld + l] = count + (more ? out[r * ld + l] : 0);
        }
}

#if WIDE
/* A byte counts up to 255, and a word adds at most 8 to it: the bytes are summed after 31 words. */
__attribute__((target("avx2"))) static void strip_avx2(const uint64_t *const a[DOWN], const uint64_t *b, int64_t depth,
                                                       int more, double *out, int64_t ld) {
    enum { LANES = 4, VECTORS = ACROSS / LANES, MAX_DEPTH = 31 };
    const __m256i low = _mm256_set1_epi8(15), zero = _mm256_setzero_si256(), exponent = _mm256_set1_epi64x(0x4330000000000000);
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, /* twice */
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    for (int64_t from = 0; from < depth; from += MAX_DEPTH) {
        int64_t to = from + MAX_DEPTH < depth ? from + MAX_DEPTH : depth;
        for (int r = 0; r < DOWN; r++) {
            __m256i bytes[VECTORS] = {zero, zero, zero, zero};
            for (int64_t w = from; w < to; w++) {
                __m256i one = _mm256_set1_epi64x((long long)a[r][w]);
                for (int v = 0; v < VECTORS; v++) {
                    __m256i both = _mm256_and_si256(one, _mm256_loadu_si256((const __m256i *)(b + w * ACROSS + v * LANES)));
                    __m256i high = _mm256_and_si256(_mm256_srli_epi64(both, 4), low);
                    both = _mm256_shuffle_epi8(table, _mm256_and_si256(both, low));
                    bytes[v] = _mm256_add_epi8(bytes[v], _mm256_add_epi8(both, _mm256_shuffle_epi8(table, high)));
                }
            }
            for (int v = 0; v < VECTORS; v++) { /* the bits of 2^52 + count are those of 2^52 and of count */
                __m256i count = _mm256_or_si256(_mm256_sad_epu8(bytes[v], zero), exponent);
                __m256d sum = _mm256_sub_pd(_mm256_castsi256_pd(count), _mm256_castsi256_pd(exponent));
                double *to_here = out + r * ld + v * LANES;
                if (more || from) sum = _mm256_add_pd(sum, _mm256_loadu_pd(to_here));
                _mm256_storeu_pd(to_here, sum);
            }
        }
    }
}

__attribute__((target("avx512f,avx512dq,avx512vpopcntdq"))) static void
strip_avx512(const uint64_t *const a[DOWN], const uint64_t *b, int64_t depth, int more, double *out, int64_t ld) {
    __m512i count[DOWN][2];
    for (int r = 0; r < DOWN; r++) count[r][0] = count[r][1] = _mm512_setzero_si512();
    for (int64_t w = 0; w < depth; w++) {
        __m512i left = _mm512_loadu_si512(b + w * ACROSS), right = _mm512_loadu_si512(b + w * ACROSS + 8);
#pragma GCC unroll 4
        for (int r = 0; r < DOWN; r++) {
            __m512i one = _mm512_set1_epi64((long long)a[r][w]);
            count[r][0] = _mm512_add_epi64(count[r][0], _mm512_popcnt_epi64(_mm512_and_si512(one, left)));
            count[r][1] = _mm512_add_epi64(count[r][1], _mm512_popcnt_epi64(_mm512_and_si512(one, right)));
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < DOWN; r++) {
        __m512d left = _mm512_cvtepi64_pd(count[r][0]), right = _mm512_cvtepi64_pd(count[r][1]);
        double *here = out + r * ld;
        if (more) left = _mm512_add_pd(left, _mm512_loadu_pd(here)), right = _mm512_add_pd(right, _mm512_loadu_pd(here + 8));
        _mm512_storeu_pd(here, left);
        _mm512_storeu_pd(here + 8, right);
    }
}
#endif

int rk_bits_best(void) {
#if WIDE
    int set = rk_instructions();
    if (set == RK_AVX512 && rk_counts_words()) return 2;
    if (set == RK_AVX512 || set == RK_AVX2) return 1;
#endif
    return 0;
}

static strip_fn strip_of(int level) {
#if WIDE
    if (level == 2) return strip_avx512;
    if (level == 1) return strip_avx2;
#endif
    return strip_plain;
}

/* Interleaves `depth` words of up to ACROSS rows; lanes without a row are 0. */
static void interleave(const uint64_t *b, int64_t ldb, int64_t rows, int64_t depth, uint64_t *out) {
    if (rows < ACROSS) memset(out, 0, (size_t)(depth * ACROSS) * sizeof *out);
    for (int64_t l = 0; l < rows; l++)
        for (int64_t w = 0; w < depth; w++) out[w * ACROSS + l] = b[l * ldb + w];
}

/* A strip at the border of a tile, which is computed whole and stored in part. */
static void border(strip_fn strip, const uint64_t *const row[DOWN], const uint64_t *b, int64_t depth, int more, int64_t down,
                   int64_t across, double *out, int64_t ld) {
    double sums[DOWN * ACROSS];
    strip(row, b, depth, 0, sums, ACROSS);
    for (int64_t r = 0; r < down; r++)
        for (int64_t l = 0; l < across; l++) out[r * ld + l] = sums[r * ACROSS + l] + (more ? out[r * ld + l] : 0);
}

void rk_bits_tile(int level, int64_t ni, int64_t nj, int64_t words, const uint64_t *a, int64_t lda, const uint64_t *b,
                  int64_t ldb, double *out, int64_t ld) {
    strip_fn strip = strip_of(level);
    _Alignas(64) uint64_t packed[DEPTH * ACROSS];
    const uint64_t *row[DOWN];
    for (int64_t j = 0; j < nj; j += ACROSS) {
        int64_t across = nj - j < ACROSS ? nj - j : ACROSS;
        for (int64_t w = 0; w < words; w += DEPTH) {
            int64_t depth = words - w < DEPTH ? words - w : DEPTH;
            interleave(b + j * ldb + w, ldb, across, depth, packed);
            for (int64_t i = 0; i < ni; i += DOWN) {
                int64_t down = ni - i < DOWN ? ni - i : DOWN;
                for (int64_t r = 0; r < DOWN; r++) row[r] = a + (i + (r < down ? r : 0)) * lda + w;
                if (down == DOWN && across == ACROSS)
                    strip(row, packed, depth, w > 0, out + i * ld + j, ld);
                else
                    border(strip, row, packed, depth, w > 0, down, across, out + i * ld + j, ld);
            }
        }
    }
}

int64_t rk_bits_count(int64_t words, const uint64_t *a) {
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) count += __builtin_popcountll(a[w]);
    return count;
}
