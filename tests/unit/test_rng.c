/* Random numbers: Philox as published, functions of their arguments alone, spread as they should be. */
#include "env.h"

#include <Random123/philox.h>

enum { N = 20000 };

__extension__ typedef unsigned __int128 wide;

/* Philox 4x64, ten rounds, written again from the paper. */
static void philox_again(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4]) {
    uint64_t c[4], k[2] = {key[0], key[1]};
    memcpy(c, counter, sizeof c);
    for (int round = 0; round < 10; round++) {
        wide a = (wide)0xD2E7470EE14C6C93 * c[0], b = (wide)0xCA5A826395121157 * c[2];
        uint64_t next[4] = {(uint64_t)(b >> 64) ^ c[1] ^ k[0], (uint64_t)b, (uint64_t)(a >> 64) ^ c[3] ^ k[1], (uint64_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B97F4A7C15;
        k[1] += 0xBB67AE8584CAA73B;
    }
    memcpy(out, c, sizeof c);
}

/* Random123's tests/kat_vectors, "philox4x64 10". */
static const uint64_t known[3][10] = {
    {0, 0, 0, 0, 0, 0, 0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b},
    {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x87b092c3013fe90b, 0x438c3c67be8d0224,
     0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0},
    {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89, 0x452821e638d01377, 0xbe5466cf34e90c6c,
     0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6},
};

static void philox_gives_the_published_answers(void **state) {
    for (int i = 0; i < 3; i++) {
        uint64_t out[4];
        philox_again(known[i], known[i] + 4, out);
        assert_memory_equal(out, known[i] + 6, sizeof out);
        philox4x64_ctr_t counter;
        philox4x64_key_t key;
        memcpy(counter.v, known[i], sizeof counter.v);
        memcpy(key.v, known[i] + 4, sizeof key.v);
        philox4x64_ctr_t r = philox4x64(counter, key);
        assert_memory_equal(r.v, known[i] + 6, sizeof out);
    }
    uint64_t out[4];
    rk_random(0, 0, 0, 0, out);
    assert_memory_equal(out, known[0] + 6, sizeof out);
}

static void the_key_is_seed_and_stream_and_the_counter_row_and_index(void **state) {
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t a[4], key[2], counter[4], out[4], again[4];
        rk_random(1, 2, 3, i, a); /* any four words */
        key[0] = a[0], key[1] = i % 7;
        counter[0] = a[1], counter[1] = i % 2 ? a[2] : i, counter[2] = counter[3] = 0;
        philox_again(counter, key, again);
        rk_random(key[0], key[1], counter[0], counter[1], out);
        assert_memory_equal(out, again, sizeof out);
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov: the largest gap between the shares seen and the shares meant, times sqrt(N). */
static double largest_gap(double *x, double (*share)(double)) {
    double gap = 0;
    qsort(x, N, sizeof *x, ascending);
    for (int i = 0; i < N; i++) {
        double meant = share(x[i]);
        gap = fmax(gap, fmax(fabs(meant - i / (double)N), fabs(meant - (i + 1) / (double)N)));
    }
    return gap * sqrt(N);
}

static double share_uniform(double x) { return x; }
static double share_normal(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

static void uniform_numbers_are_uniform_inside_0_and_1(void **state) {
    static double x[N];
    for (uint64_t seed = 0; seed < 4; seed++) {
        double mean = 0, variance = 0;
        for (int i = 0; i < N; i++) {
            uint64_t row = seed % 2 ? (uint64_t)i : 0, index = seed % 2 ? 0 : (uint64_t)i;
            x[i] = rk_uniform(seed, RK_STREAM_TEST, row, index);
            assert_true(x[i] > 0 && x[i] < 1);
            mean += x[i] / N;
            variance += (x[i] - 0.5) * (x[i] - 0.5) / N;
        }
        NEAR(mean, 0.5, 4 * sqrt(1 / 12.0 / N));
        NEAR(variance, 1 / 12.0, 4 * sqrt(1 / 180.0 / N));
        assert_true(largest_gap(x, share_uniform) < 1.95); /* one in a thousand, and the seeds are fixed */
    }
}

static void normal_numbers_are_normal(void **state) {
    static double x[N];
    for (uint64_t seed = 0; seed < 4; seed++) {
        double mean = 0, variance = 0, fourth = 0, neighbours = 0;
        for (int i = 0; i < N; i++) {
            uint64_t row = seed % 2 ? (uint64_t)i : 3, index = seed % 2 ? 3 : (uint64_t)i;
            x[i] = rk_normal(seed, RK_STREAM_TEST, row, index);
            mean += x[i] / N;
            variance += x[i] * x[i] / N;
            fourth += pow(x[i], 4) / N;
            if (i) neighbours += x[i] * x[i - 1] / N;
        }
        NEAR(mean, 0, 4 / sqrt(N));
        NEAR(variance, 1, 4 * sqrt(2.0 / N));
        NEAR(fourth, 3, 4 * sqrt(96.0 / N));
        NEAR(neighbours, 0, 4 / sqrt(N));
        assert_true(largest_gap(x, share_normal) < 1.95);
    }
}

static void uniform_and_normal_numbers_are_made_of_the_random_words(void **state) {
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t w[4];
        rk_random(i, 3, 5, i * i, w);
        double u = ((double)(w[0] >> 11) + 0.5) / 9007199254740992.0, v = ((double)(w[1] >> 11) + 0.5) / 9007199254740992.0;
        assert_true(rk_uniform(i, 3, 5, i * i) == u);
        NEAR(rk_normal(i, 3, 5, i * i), sqrt(-2 * log(u)) * cos(2 * M_PI * v), 1e-14);
    }
}

static void every_argument_changes_the_numbers(void **state) {
    static double x[N];
    int count = 0;
    for (uint64_t seed = 0; seed < 4; seed++)
        for (uint64_t stream = 0; stream < 5; stream++)
            for (uint64_t row = 0; row < 10; row++)
                for (uint64_t index = 0; index < 10; index++) x[count++] = rk_uniform(seed, stream, row, index);
    qsort(x, (size_t)count, sizeof *x, ascending);
    for (int i = 1; i < count; i++) assert_true(x[i] > x[i - 1]);
    assert_true(rk_uniform(1, 2, 3, 4) == rk_uniform(1, 2, 3, 4));
    /* Two streams of one seed have nothing to do with each other. */
    double product = 0;
    for (uint64_t i = 0; i < N; i++) product += rk_normal(9, RK_STREAM_SAMPLE, i, 0) * rk_normal(9, RK_STREAM_START, i, 0) / N;
    NEAR(product, 0, 4 / sqrt(N));
}

static void chosen_rows_are_distinct_ascending_and_as_many_as_asked(void **state) {
    rkhs_env *env = *state;
    int64_t rows[200];
    for (int64_t n = 0; n <= 200; n += n < 20 ? 1 : 45) {
        for (int64_t count = 0; count <= n; count++) {
            memset(rows, 0xff, sizeof rows);
            rkhs_env_set_seed(env, (uint64_t)(n * 1000 + count));
            OK(env, rk_choose_rows(env, RK_STREAM_TEST, n, count, rows));
            for (int64_t i = 0; i < count; i++) assert_true(rows[i] >= 0 && rows[i] < n && (!i || rows[i] > rows[i - 1]));
            for (int64_t i = count; i < 200; i++) assert_int_equal(rows[i], -1);
        }
    }
    FAILS(env, RKHS_ERR_BUG, "5 of 4 rows", rk_choose_rows(env, RK_STREAM_TEST, 4, 5, rows));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_BUG, "-1 of 4 rows", rk_choose_rows(env, RK_STREAM_TEST, 4, -1, rows));
}

static void every_row_and_pair_is_chosen_about_equally_often(void **state) {
    rkhs_env *env = *state;
    enum { ROWS = 12, COUNT = 5, TIMES = 4000 };
    int64_t rows[COUNT], often[ROWS] = {0}, pairs[ROWS][ROWS] = {{0}};
    for (uint64_t seed = 0; seed < TIMES; seed++) {
        rkhs_env_set_seed(env, seed);
        OK(env, rk_choose_rows(env, RK_STREAM_LANDMARK, ROWS, COUNT, rows));
        for (int i = 0; i < COUNT; i++) {
            often[rows[i]]++;
            for (int j = 0; j < i; j++) pairs[rows[i]][rows[j]]++;
        }
    }
    double single = (double)COUNT / ROWS, both = single * (COUNT - 1) / (ROWS - 1);
    for (int i = 0; i < ROWS; i++) {
        NEAR((double)often[i] / TIMES, single, 4 * sqrt(single * (1 - single) / TIMES));
        for (int j = 0; j < i; j++) NEAR((double)pairs[i][j] / TIMES, both, 4.5 * sqrt(both * (1 - both) / TIMES));
    }
}

static void the_choice_depends_on_seed_and_stream(void **state) {
    rkhs_env *env = *state;
    int64_t a[50], b[50], c[50], d[50];
    rkhs_env_set_seed(env, 5);
    OK(env, rk_choose_rows(env, RK_STREAM_TEST, 1000, 50, a));
    OK(env, rk_choose_rows(env, RK_STREAM_TEST, 1000, 50, b));
    OK(env, rk_choose_rows(env, RK_STREAM_LANDMARK, 1000, 50, c));
    rkhs_env_set_seed(env, 6);
    OK(env, rk_choose_rows(env, RK_STREAM_TEST, 1000, 50, d));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    assert_memory_not_equal(a, d, sizeof a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(philox_gives_the_published_answers),
        ENV_TEST(the_key_is_seed_and_stream_and_the_counter_row_and_index),
        ENV_TEST(uniform_numbers_are_uniform_inside_0_and_1),
        ENV_TEST(normal_numbers_are_normal),
        ENV_TEST(uniform_and_normal_numbers_are_made_of_the_random_words),
        ENV_TEST(every_argument_changes_the_numbers),
        ENV_TEST(chosen_rows_are_distinct_ascending_and_as_many_as_asked),
        ENV_TEST(every_row_and_pair_is_chosen_about_equally_often),
        ENV_TEST(the_choice_depends_on_seed_and_stream),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
