/* The first k of some objects by value, then by index: as a full sort finds them, whatever order they come in. */
#include "env.h"

#include "la/la.h"

enum { MOST = 700 };

/* How values are made: different ones, many equal ones, all equal, ascending, descending, with infinities. */
static double value_of(int how, int64_t j) {
    double v = noise(how + 1, (uint64_t)j);
    switch (how) {
    case 1: return floor(3 * v);
    case 2: return 0;
    case 3: return (double)j;
    case 4: return (double)-j;
    case 5: return v > 0.8 ? INFINITY : v < -0.8 ? -INFINITY : v;
    default: return v;
    }
}

/* n objects, whose indices are 3 apart and in another order. */
static void fill(int how, int64_t n, double *value, int64_t *index) {
    for (int64_t j = 0; j < n; j++) value[j] = value_of(how, j), index[j] = 3 * (how % 2 ? n - j : j * 7919 % 10007);
}

static void check_sorted(int how, const double *value, const int64_t *index, int64_t n) {
    for (int64_t j = 1; j < n; j++)
        if (!rk_precedes(value[j - 1], index[j - 1], value[j], index[j])) fail_msg("kind %d, n = %d: %d", how, (int)n, (int)j);
}

static void objects_are_sorted_by_value_then_by_index(void **state) {
    double value[MOST];
    int64_t index[MOST];
    for (int how = 0; how < 6; how++)
        for (int64_t n = 1; n <= MOST; n += n < 60 ? 1 : 71) {
            int64_t sum = 0;
            fill(how, n, value, index);
            for (int64_t j = 0; j < n; j++) sum += index[j];
            rk_sort_ranked(value, index, n);
            check_sorted(how, value, index, n);
            for (int64_t j = 0; j < n; j++) sum -= index[j];
            assert_int_equal(sum, 0);
        }
}

static void the_first_k_come_to_the_front(void **state) {
    double value[MOST], sorted[MOST];
    int64_t index[MOST], order[MOST];
    for (int how = 0; how < 6; how++)
        for (int64_t n = 1; n <= MOST; n += n < 40 ? 1 : 97) {
            fill(how, n, sorted, order);
            rk_sort_ranked(sorted, order, n);
            for (int64_t k = 1; k <= n; k += n < 40 ? 1 : 13) {
                fill(how, n, value, index);
                rk_keep_first(value, index, n, k);
                assert_int_equal(index[k - 1], order[k - 1]);
                rk_sort_ranked(value, index, k);
                assert_memory_equal(index, order, (size_t)k * sizeof *index);
                assert_memory_equal(value, sorted, (size_t)k * sizeof *value);
            }
        }
}

static void nan_precedes_nothing(void **state) {
    assert_false(rk_precedes(NAN, 0, -INFINITY, INT64_MAX));
    assert_false(rk_precedes(NAN, 0, NAN, 1));
    assert_true(rk_precedes(-INFINITY, 0, -INFINITY, INT64_MAX));
    assert_true(rk_precedes(0.0, 1, -0.0, 2));
    assert_false(rk_precedes(0.0, 2, -0.0, 1));
    assert_false(rk_precedes(1, 2, 1, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_sorted_by_value_then_by_index),
        cmocka_unit_test(the_first_k_come_to_the_front),
        cmocka_unit_test(nan_precedes_nothing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
