/* Sums over rows: the order of additions, against a recursive definition; the same bits however rows are divided. */
#include "env.h"
#include "la/la.h"

enum { N = 100000 };
static const int64_t sizes[] = {0, 1, 1023, 1024, 1025, 2048, 3000, 5000, 100000};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* n numbers of widely different sizes and both signs, so that another order of additions gives other bits. */
static double *numbers(int64_t n, uint64_t seed) {
    double *x = malloc((size_t)(n ? n : 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = rk_normal(seed, 1, (uint64_t)i, 0) * exp(4 * rk_normal(seed, 1, (uint64_t)i, 1));
    return x;
}

/* The definition: tree(t) = tree(first p) + tree(rest), p the largest power of two below t. */
static double tree(int64_t t, const double *tiles) {
    int64_t p = 1;
    if (t < 2) return t ? tiles[0] : 0;
    while (2 * p < t) p *= 2;
    return tree(p, tiles) + tree(t - p, tiles + p);
}

/* The sums of the tiles of x[0], x[stride], ..; returns their number. */
static int64_t tile_sums(int64_t n, int64_t stride, const double *x, double *out) {
    int64_t t = 0;
    for (int64_t from = 0; from < n; from += RK_SUM_ROWS, t++) {
        out[t] = 0;
        for (int64_t i = from; i < n && i < from + RK_SUM_ROWS; i++) out[t] += x[i * stride];
    }
    return t;
}

static double loop_sum(int64_t n, int64_t stride, const double *x) {
    rk_row_sum s = {0};
    for (int64_t i = 0; i < n; i++) rk_add_row(&s, x[i * stride]);
    assert_true(s.count == n);
    double first = rk_row_total(&s), again = rk_row_total(&s); /* asking changes nothing */
    assert_true(first == again);
    return first;
}

static void the_tree_is_as_defined(void **state) {
    double *x = numbers(N, 1), tiles[200];
    for (int64_t t = 0; t <= 200; t++) {
        double levels[8], sum;
        assert_true(rk_tree_levels(t) <= 8);
        for (int64_t i = 0; i < t; i++) rk_tree_push(i, 1, levels, x + i);
        rk_tree_fold(t, 1, levels, &sum);
        assert_true(sum == tree(t, x));
        assert_true(rk_tree_sum(t, 1, x) == sum);
        for (int64_t i = 0; i < t; i++) tiles[i] = x[7 * i];
        assert_true(rk_tree_sum(t, 7, x) == tree(t, tiles));
    }
    assert_true(rk_tree_levels(0) == 0 && rk_tree_levels(1) == 1 && rk_tree_levels(2) == 2 && rk_tree_levels(3) == 2);
    assert_true(rk_tree_levels(4) == 3 && rk_tree_levels(INT64_MAX / RK_SUM_ROWS + 1) == RK_TREE_LEVELS);
    free(x);
}

static void a_triangle_is_a_tree_of_the_trees_of_its_rows(void **state) {
    double *x = numbers(3 * N, 14), tiles[200], rows[200];
    for (int64_t t = 0; t < 100; t++) {
        for (int64_t i = 0, at = 0; i < t; i++) {
            for (int64_t j = 0; j <= i; j++) tiles[j] = x[3 * at++];
            rows[i] = tree(i + 1, tiles);
        }
        assert_true(rk_triangle_sum(t, 3, x) == tree(t, rows));
    }
    free(x);
}

static void a_tree_of_blocks_is_one_tree_a_number(void **state) {
    enum { WIDTH = 37, COUNT = 29 };
    double *x = numbers(WIDTH * COUNT, 2), levels[5 * WIDTH], sums[WIDTH];
    assert_true(rk_tree_levels(COUNT) == 5);
    for (int64_t t = 0; t < COUNT; t++) rk_tree_push(t, WIDTH, levels, x + t * WIDTH);
    rk_tree_fold(COUNT, WIDTH, levels, sums);
    for (int64_t c = 0; c < WIDTH; c++) assert_true(sums[c] == rk_tree_sum(COUNT, WIDTH, x + c));
    rk_tree_fold(0, WIDTH, levels, sums);
    for (int64_t c = 0; c < WIDTH; c++) assert_true(sums[c] == 0);
    free(x);
}

static void sums_of_rows_are_as_defined(void **state) {
    double *x = numbers(3 * N, 3), tiles[N / RK_SUM_ROWS + 1];
    int different = 0;
    for (int s = 0; s < SIZES; s++)
        for (int64_t stride = 1; stride <= 3; stride++) {
            double plain = 0, exact = tree(tile_sums(sizes[s], stride, x, tiles), tiles);
            for (int64_t i = 0; i < sizes[s]; i++) plain += x[i * stride];
            assert_true(loop_sum(sizes[s], stride, x) == exact);
            assert_true(rk_rows_sum(sizes[s], stride, x) == exact);
            different += plain != exact;
        }
    assert_true(different > 6); /* the order shows in the bits */
    free(x);
}

static void sums_of_columns_are_those_of_each(void **state) {
    double *x = numbers(70 * 5000, 4), *y = numbers(70 * 5000, 5), sums[70], means[70], dots[70];
    for (int s = 0; s < SIZES && sizes[s] <= 5000; s++)
        for (int64_t d = 1; d <= 70; d += d < 8 ? 1 : 31) {
            int64_t n = sizes[s];
            rk_column_sums(n, d, x, 70, sums);
            rk_column_means(n, d, x, 70, means);
            rk_column_dots(n, d, x, 70, y, 70, dots);
            for (int64_t c = 0; c < d; c++) {
                long double exact = 0, size = 0;
                for (int64_t i = 0; i < n; i++) {
                    exact += (long double)x[i * 70 + c] * y[i * 70 + c];
                    size += fabsl((long double)x[i * 70 + c] * y[i * 70 + c]);
                }
                assert_true(sums[c] == loop_sum(n, 70, x + c));
                assert_true(means[c] == (n ? sums[c] / (double)n : 0));
                assert_true(means[c] == rk_column_mean(n, 70, c, x));
                assert_true(fabsl(exact - dots[c]) <= 1e-13L * size);
            }
        }
    free(x), free(y);
}

static void sums_of_blocks_are_those_of_each(void **state) {
    enum { WIDTH = 5 };
    rkhs_env *env = *state;
    double *x = numbers(WIDTH * 5000, 13), sums[WIDTH];
    for (int s = 0; s < SIZES && sizes[s] <= 5000; s++) {
        rk_mark mark = rk_scratch_mark(env);
        rk_block_sum all;
        OK(env, rk_block_sum_new(env, sizes[s], WIDTH, &all));
        for (int64_t i = 0; i < sizes[s]; i++) {
            for (int64_t c = 0; c < WIDTH; c++) all.tile[c] += x[i * WIDTH + c];
            rk_next_row(&all);
        }
        rk_block_total(&all, sums);
        for (int64_t c = 0; c < WIDTH; c++) assert_true(sums[c] == rk_rows_sum(sizes[s], WIDTH, x + c));
        rk_scratch_release(env, mark);
    }
    free(x);
}

/* One machine's share: the node of tiles first .. first + count - 1, from its own rows alone. */
static double node(int64_t n, const double *x, int64_t first, int64_t count) {
    int64_t from = first * RK_SUM_ROWS, to = rk_min(n, from + count * RK_SUM_ROWS);
    return to > from ? rk_rows_sum(to - from, 1, x + from) : 0;
}

static void nodes_of_any_size_merge_to_the_same_bits(void **state) {
    double *x = numbers(N, 6), *y = numbers(N, 7), shares[N / RK_SUM_ROWS + 1];
    for (int s = 0; s < SIZES; s++)
        for (int64_t n = sizes[s], size = 1; size < 256; size *= 2) {
            int64_t tiles = rk_sum_tiles(n), count = 0;
            for (int64_t first = 0; first < tiles; first += size) shares[count++] = node(n, x, first, size);
            assert_true(rk_tree_sum(count, 1, shares) == rk_rows_sum(n, 1, x));
            count = 0;
            for (int64_t from = 0; from < n; from += size * RK_SUM_ROWS)
                shares[count++] = rk_rows_dot(rk_min(size * RK_SUM_ROWS, n - from), 1, x + from, y + from);
            assert_true(rk_tree_sum(count, 1, shares) == rk_rows_dot(n, 1, x, y));
        }
    free(x), free(y);
}

/* The tree of `count` tiles from tile `at` on, where machines have the tiles before `cut` and those from it on. */
static double cut_tree(int64_t n, const double *x, int64_t at, int64_t count, int64_t cut) {
    int64_t p = 1;
    if (cut <= at || cut >= at + count) return node(n, x, at, count);
    while (2 * p < count) p *= 2;
    return cut_tree(n, x, at, p, cut) + cut_tree(n, x, at + p, count - p, cut);
}

static void a_cut_after_any_tile_gives_the_same_bits(void **state) {
    double *x = numbers(N, 8);
    for (int s = 0; s < SIZES; s++) {
        int64_t n = sizes[s], tiles = rk_sum_tiles(n);
        for (int64_t cut = 0; tiles && cut <= tiles; cut++) assert_true(cut_tree(n, x, 0, tiles, cut) == rk_rows_sum(n, 1, x));
    }
    free(x);
}

static void sums_are_near_those_in_long_double(void **state) {
    double *x = numbers(N, 9), *y = numbers(N, 10);
    for (int s = 0; s < SIZES; s++)
        for (int64_t n = sizes[s], d = 1; d <= 4; d++) {
            long double sum = 0, size = 0, dot = 0, dots = 0, square = 0;
            int64_t rows = n / d;
            for (int64_t i = 0; i < rows * d; i++) {
                sum += x[i], size += fabsl(x[i]);
                dot += (long double)x[i] * y[i], dots += fabsl((long double)x[i] * y[i]);
                square += (long double)x[i] * x[i];
            }
            assert_true(fabsl(rk_rows_sum(rows * d, 1, x) - sum) <= 2e-14L * size);
            assert_true(fabsl(rk_rows_dot(rows, d, x, y) - dot) <= 2e-14L * dots);
            assert_true(fabsl(rk_rows_norm(rows, d, x) - sqrtl(square)) <= 1e-14L * sqrtl(square));
        }
    free(x), free(y);
}

static void ones_are_counted_exactly(void **state) {
    rk_row_sum s = {0};
    for (int64_t i = 0; i < 3000000; i++) rk_add_row(&s, 1);
    assert_true(rk_row_total(&s) == 3000000);
    rk_row_sum none = {0};
    assert_true(rk_row_total(&none) == 0 && !signbit(rk_row_total(&none)));
}

static void norms_hold_at_the_ends_of_the_range(void **state) {
    double *x = malloc(3000 * sizeof *x);
    for (int e = 0; e < 3; e++) {
        static const double ends[] = {1e-320, 1e-200, 1e300};
        for (int i = 0; i < 3000; i++) x[i] = ends[e];
        assert_true(fabs(rk_rows_norm(1500, 2, x) / (ends[e] * sqrt(3000)) - 1) < 1e-3);
        assert_true(fabs(rk_rows_norm(1500, 2, x) / rk_norm(3000, x) - 1) < 1e-14);
    }
    x[2000] = INFINITY;
    assert_true(rk_rows_norm(3000, 1, x) == INFINITY);
    x[2000] = NAN;
    assert_true(isnan(rk_rows_norm(1500, 2, x)));
    for (int i = 0; i < 3000; i++) x[i] = 0;
    assert_true(rk_rows_norm(3000, 1, x) == 0 && !signbit(rk_rows_norm(3000, 1, x)) && rk_rows_norm(0, 3, x) == 0);
    free(x);
}

static void addresses_do_not_matter(void **state) {
    enum { ROWS = 5000, D = 3 };
    double *x = numbers(ROWS * D, 11), *y = numbers(ROWS * D, 12);
    double *u = malloc((ROWS * D + 8) * sizeof *u), *v = malloc((ROWS * D + 8) * sizeof *v), sums[2][D], dots[2][D];
    rk_column_sums(ROWS, D, x, D, sums[0]);
    rk_column_dots(ROWS, D, x, D, y, D, dots[0]);
    for (int shift = 0; shift < 8; shift++) {
        memcpy(u + shift, x, ROWS * D * sizeof *u);
        memcpy(v + 7 - shift, y, ROWS * D * sizeof *v);
        rk_column_sums(ROWS, D, u + shift, D, sums[1]);
        rk_column_dots(ROWS, D, u + shift, D, v + 7 - shift, D, dots[1]);
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_memory_equal(dots[0], dots[1], sizeof dots[0]);
        assert_true(rk_rows_sum(ROWS, D, u + shift) == sums[0][0]);
        assert_true(rk_rows_dot(ROWS, D, u + shift, v + 7 - shift) == rk_rows_dot(ROWS, D, x, y));
        assert_true(rk_rows_norm(ROWS, D, u + shift) == rk_rows_norm(ROWS, D, x));
    }
    free(x), free(y), free(u), free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_as_defined),
        cmocka_unit_test(a_triangle_is_a_tree_of_the_trees_of_its_rows),
        cmocka_unit_test(a_tree_of_blocks_is_one_tree_a_number),
        cmocka_unit_test(sums_of_rows_are_as_defined),
        cmocka_unit_test(sums_of_columns_are_those_of_each),
        cmocka_unit_test_setup_teardown(sums_of_blocks_are_those_of_each, env_setup, env_teardown),
        cmocka_unit_test(nodes_of_any_size_merge_to_the_same_bits),
        cmocka_unit_test(a_cut_after_any_tile_gives_the_same_bits),
        cmocka_unit_test(sums_are_near_those_in_long_double),
        cmocka_unit_test(ones_are_counted_exactly),
        cmocka_unit_test(norms_hold_at_the_ends_of_the_range),
        cmocka_unit_test(addresses_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
