/* Products of tiles, with every instruction set that this machine has, and tiles turned round. */
#include "env.h"
#include "la/la.h"

#include <string.h>

enum { MOST = 256, LD = MOST + 3 };

/* The first rows of two matrices, `lda` and `ldb` apart, at odd places; tests free nothing. */
typedef struct tiles {
    int64_t lda, ldb;
    double *A, *B, *C, *D;
} tiles;

static tiles make(rkhs_env *env, int64_t p) {
    tiles t = {p + 3, p + 1, NULL, NULL, NULL, NULL};
    double *room;
    assert_int_equal(rk_scratch(env, MOST * (t.lda + t.ldb) + 2 * MOST * LD + 8, sizeof *room, &room), RKHS_OK);
    t.A = room + 1;
    t.B = t.A + MOST * t.lda;
    t.C = t.B + MOST * t.ldb;
    t.D = t.C + MOST * LD;
    for (int64_t k = 0; k < MOST * t.lda; k++) t.A[k] = noise(1, (uint64_t)k);
    for (int64_t k = 0; k < MOST * t.ldb; k++) t.B[k] = noise(2, (uint64_t)k);
    return t;
}

/* Uses an instruction set; 0 if this machine does not have it. */
static int use(int set) {
    rk_set_instructions(set);
    return rk_instructions() == set;
}

static void fill(double *C) {
    for (int64_t k = 0; k < MOST * LD; k++) C[k] = 7;
}

static void same(const char *what, double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%s: %.17g, not %.17g", what, a, b);
}

/* Against sums in long double, at the corners and along the borders; nothing is written past the tile. */
static void check_values(int set, const tiles *t, int64_t ni, int64_t nj, int64_t p, int more) {
    fill(t->C);
    rk_product(ni, nj, p, t->A, t->lda, t->B, t->ldb, more, t->C, LD);
    for (int64_t i = 0; i < ni; i += i % 8 == 5 && i + 8 < ni ? 3 : 1)
        for (int64_t j = 0; j<nj; j += j> 30 && j + 40 < nj ? 17 : 1) {
            long double sum = more ? 7 : 0, size = more ? 7 : 0;
            for (int64_t k = 0; k < p; k++) {
                long double v = (long double)t->A[i * t->lda + k] * (long double)t->B[j * t->ldb + k];
                sum += v;
                size += fabsl(v);
            }
            if (!(fabsl((long double)t->C[i * LD + j] - sum) <= 4e-16L * sqrtl((long double)p + 4) * size))
                fail_msg("set %d, %lld x %lld x %lld: (%lld, %lld) is %.17g, not %.17Lg", set, (long long)ni, (long long)nj,
                         (long long)p, (long long)i, (long long)j, t->C[i * LD + j], sum);
        }
    for (int64_t i = 0; i < MOST; i++)
        for (int64_t j = 0; j < LD; j++)
            if ((i >= ni || j >= nj) && t->C[i * LD + j] != 7)
                fail_msg("set %d, %lld x %lld: (%lld, %lld) was written", set, (long long)ni, (long long)nj, (long long)i,
                         (long long)j);
}

static void every_version_is_the_product(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {1, 2, 7, 8, 9, 23, 24, 25, 47, 255, 256}, depths[] = {1, 2, 3, 7, 50, 256, 257, 523, 900};
    for (int d = 0; d < 9; d++) {
        rk_mark mark = rk_scratch_mark(env);
        tiles t = make(env, depths[d]);
        for (int set = RK_PLAIN; set <= RK_NEON; set++)
            for (int q = 0; q < 11 * 11 && use(set); q++)
                if ((q / 11 + 2 * (q % 11) + d) % 5 == 0)
                    check_values(set, &t, sizes[q / 11], sizes[q % 11], depths[d], (q / 11 + d) % 2);
        rk_scratch_release(env, mark);
    }
}

/* What is promised of our own: a pair has its bits alone, in any tile, on either side, with any instruction set. */
static void bits_depend_on_the_two_rows_alone(void **state) {
    rkhs_env *env = *state;
    static const int64_t depths[] = {1, 6, 50, 255, 257, 600, 900};
    for (int d = 0; d < 7; d++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t p = depths[d], ni = 131, nj = 203;
        tiles t = make(env, p);
        double one;
        int first = 0;
        for (int set = RK_AVX2; set <= RK_NEON; set++) {
            if (!use(set)) continue;
            if (!first++) rk_product(ni, nj, p, t.A, t.lda, t.B, t.ldb, 0, t.C, LD);
            rk_product(nj, ni, p, t.B, t.ldb, t.A, t.lda, 0, t.D, LD);
            for (int64_t i = 0; i < ni; i++)
                for (int64_t j = 0; j < nj; j++) same("the other way round", t.D[j * LD + i], t.C[i * LD + j]);
            for (int64_t q = 0; q < 400; q++) {
                int64_t i = q * 37 % ni, j = q * 59 % nj;
                rk_product(1, 1, p, t.A + i * t.lda, t.lda, t.B + j * t.ldb, t.ldb, 0, &one, 1);
                same("a pair alone", one, t.C[i * LD + j]);
            }
            rk_product(ni - 5, nj - 3, p, t.A + 5 * t.lda, t.lda, t.B + 3 * t.ldb, t.ldb, 0, t.D, LD);
            for (int64_t i = 5; i < ni; i++)
                for (int64_t j = 3; j < nj; j++) same("another tile", t.D[(i - 5) * LD + j - 3], t.C[i * LD + j]);
        }
        rk_scratch_release(env, mark);
    }
}

/* Few rows go another way than many: the same bits, and what stood there added to with the same rounding. */
static void few_rows_have_the_bits_of_many(void **state) {
    rkhs_env *env = *state;
    static const int64_t depths[] = {1, 6, 8, 50, 257, 900}, widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 203};
    for (int d = 0; d < 6; d++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t p = depths[d];
        tiles t = make(env, p);
        for (int set = RK_AVX2; set <= RK_NEON; set++)
            for (int more = 0; more < 2 && use(set); more++) {
                fill(t.C);
                rk_product(64, 203, p, t.A, t.lda, t.B, t.ldb, more, t.C, LD);
                for (int64_t ni = 1; ni < 9; ni++)
                    for (int w = 0; w < 11; w++) {
                        int64_t nj = widths[w], i0 = ni * 3, j0 = 203 - nj;
                        fill(t.D);
                        rk_product(ni, nj, p, t.A + i0 * t.lda, t.lda, t.B + j0 * t.ldb, t.ldb, more, t.D, LD);
                        for (int64_t i = 0; i < 10; i++)
                            for (int64_t j = 0; j < nj + 9; j++)
                                same("few rows", t.D[i * LD + j], i < ni && j < nj ? t.C[(i0 + i) * LD + j0 + j] : 7);
                    }
            }
        rk_scratch_release(env, mark);
    }
}

/* A given twice: both triangles, and the bits of the whole product where these are promised. */
static void a_matrix_with_itself_is_symmetric(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {1, 5, 8, 24, 25, 33, 100, 255, 256};
    rk_mark mark = rk_scratch_mark(env);
    tiles t = make(env, 300);
    for (int set = RK_PLAIN; set <= RK_NEON; set++)
        for (int s = 0; s < 9 && use(set); s++) {
            int64_t n = sizes[s];
            rk_product(n, n, 300, t.A, t.lda, t.A, t.lda, 0, t.C, LD);
            for (int64_t i = 0; i < n; i++) memcpy(t.B + i * t.ldb, t.A + i * t.lda, 300 * sizeof *t.B);
            rk_product(n, n, 300, t.A, t.lda, t.B, t.ldb, 0, t.D, LD);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    same("mirrored", t.C[i * LD + j], t.C[j * LD + i]);
                    if (set) same("as the whole", t.C[i * LD + j], t.D[i * LD + j]);
                    assert_true(fabs(t.C[i * LD + j] - t.D[i * LD + j]) < 1e-12);
                }
        }
    rk_scratch_release(env, mark);
}

/* Every size up to a few lines, and a tile; through the caches and past them, where rows begin anywhere and where
 * they begin lines. */
static void tiles_are_turned_and_placed(void **state) {
    rkhs_env *env = *state;
    enum { N = 600 };
    rk_mark mark = rk_scratch_mark(env);
    double *A, *room, *C;
    assert_int_equal(rk_scratch(env, MOST * LD, sizeof *A, &A), RKHS_OK);
    assert_int_equal(rk_scratch(env, N * (N + 1) + 1, sizeof *room, &room), RKHS_OK);
    C = room + 1;
    for (int64_t k = 0; k < MOST * LD; k++) A[k] = noise(3, (uint64_t)k);
    for (int64_t q = 0; q < 19 * 19 + 2; q++) {
        int64_t ni = q < 361 ? q / 19 + 1 : 256, nj = q < 361 ? q % 19 + 1 : 249;
        for (int way = 0; way < 4; way++) {
            int lines = way > 1;
            int64_t i0 = lines ? 304 : 300, j0 = q == 362 ? i0 : 3, ld = lines ? N : N + 1;
            double *to = lines ? room : C;
            if (i0 == j0) nj = ni;
            memset(room, 0, (N * (N + 1) + 1) * sizeof *room);
            rk_store_tile(ni, nj, A, LD, to, ld, i0, j0, way % 2);
            double before = 0, after = 0;
            for (int64_t i = 0; i < ni; i++)
                for (int64_t j = 0; j < nj; j++) {
                    assert_true(to[(i0 + i) * ld + j0 + j] == A[i * LD + j]);
                    if (i0 != j0) assert_true(to[(j0 + j) * ld + i0 + i] == A[i * LD + j]);
                    before += fabs(A[i * LD + j]) * (i0 == j0 ? 1 : 2);
                }
            for (int64_t k = 0; k < N * (N + 1) + 1; k++) after += fabs(room[k]);
            assert_true(fabs(after - before) < 1e-9 * before + 1e-12); /* and nothing else */
        }
    }
    for (int64_t n = 1; n <= MOST; n += n < 70 ? 1 : 31) { /* what is above the diagonal follows what is below */
        memcpy(C, A, MOST * LD * sizeof *A);
        rk_mirror_tile(C, LD, 0, n, 0, n);
        for (int64_t i = 0; i < MOST; i++)
            for (int64_t j = 0; j < MOST; j++) assert_true(C[i * LD + j] == (j > i && j < n ? A[j * LD + i] : A[i * LD + j]));
    }
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_version_is_the_product),     ENV_TEST(bits_depend_on_the_two_rows_alone),
        ENV_TEST(few_rows_have_the_bits_of_many), ENV_TEST(a_matrix_with_itself_is_symmetric),
        ENV_TEST(tiles_are_turned_and_placed),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
