/* Scores by ranks against a full sort of every row. Data are small whole numbers, with many equal distances and some
 * equal rows: distances are exact however they are computed, and ties must go to the earlier row. */
#include "env.h"
#include "score/score.h"

static const char *const names[] = {"trustworthiness", "continuity", "continuity_ke", "mrre", "qnx", "rnx", "lcmc"};
enum { NAMES = sizeof names / sizeof *names };

/* Whole numbers in -most .. most; every tenth row is the one before it again. */
static double *whole_numbers(uint64_t seed, int64_t n, int64_t p, double most) {
    double *x = test_malloc((size_t)(n * p) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < p; c++)
            x[i * p + c] = i % 10 == 9 ? x[(i - 1) * p + c] : rint(most * noise(seed, (uint64_t)(i * p + c)));
    return x;
}

typedef struct other {
    double d;
    int64_t j;
} other;

static int by_distance(const void *a, const void *b) {
    const other *x = a, *y = b;
    return x->d < y->d ? -1 : x->d > y->d ? 1 : x->j < y->j ? -1 : x->j > y->j;
}

/* (<x,y> + 1)^2, which is the kernel of the tests below. */
static double squared_kernel(const double *x, const double *y, int64_t p) {
    double sum = 1;
    for (int64_t c = 0; c < p; c++) sum += x[c] * y[c];
    return sum * sum;
}

static double distance(int kernel, const double *x, const double *y, int64_t p) {
    double sum = 0;
    if (kernel) return squared_kernel(x, x, p) + squared_kernel(y, y, p) - 2 * squared_kernel(x, y, p);
    for (int64_t c = 0; c < p; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sum;
}

/* rank[i*n + j]: the place of row j of y, from 1, among those by distance to row i of x; 0 for the row itself. */
static int64_t *ranks_of(int kernel, const double *x, int64_t m, const double *y, int64_t n, int64_t p) {
    int64_t *rank = test_calloc((size_t)(m * n), sizeof *rank);
    other *others = test_malloc((size_t)n * sizeof *others);
    for (int64_t i = 0; i < m; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            if (x != y || i != j) others[count++] = (other){distance(kernel, x + i * p, y + j * p, p), j};
        qsort(others, (size_t)count, sizeof *others, by_distance);
        for (int64_t q = 0; q < count; q++) rank[i * n + others[q].j] = q + 1;
    }
    test_free(others);
    return rank;
}

/* All scores by their formulas; r and s are m x n, with 0 for the row itself. */
static void plain_scores(const int64_t *r, const int64_t *s, int64_t m, int64_t n, int64_t others, int64_t k, double *out) {
    double trust = 0, continuity = 0, ke = 0, mrre = 0, worst = 0, both = 0, K = (double)k, N = (double)others;
    for (int64_t e = 0; e < m * n; e++) {
        if (!r[e]) continue;
        double rank_x = (double)r[e], rank_z = (double)s[e];
        if (s[e] <= k && r[e] > k) trust += rank_x - K;
        if (r[e] <= k && s[e] > k) continuity += rank_z - K;
        if (r[e] <= k && s[e] > k) ke += (rank_z - K + 1) * (rank_z - K + 1);
        if (s[e] <= k) mrre += fabs(rank_x - rank_z) / rank_z;
        both += r[e] <= k && s[e] <= k;
    }
    for (int64_t q = 1; q <= k; q++) worst += fabs(N - 2 * (double)q + 1) / (double)q;
    double c = 2 / ((double)m * K * (2 * N - 3 * K + 1)), qnx = both / ((double)m * K);
    out[0] = 1 - c * trust, out[1] = 1 - c * continuity, out[2] = 1 - c * ke;
    out[3] = mrre / ((double)m * worst);
    out[4] = qnx, out[5] = (N * qnx - K) / (N - K), out[6] = qnx - K / N;
}

/* Scores of n rows, or of m new ones among them, for k and for k2 in one call, and one by one. */
static void compare(rkhs_env *env, int64_t n, int64_t m, int64_t p, int64_t dim, int kernel, int64_t k, int64_t k2) {
    double *x = whole_numbers(1, n, p, 2), *z = whole_numbers(2, n, dim, 6);
    double *new_x = m ? whole_numbers(3, m, p, 2) : x, *new_z = m ? whole_numbers(4, m, dim, 6) : z;
    int64_t *r = ranks_of(kernel, new_x, m ? m : n, x, n, p), *s = ranks_of(0, new_z, m ? m : n, z, n, dim);
    double meant[2 * NAMES], got[2 * NAMES], alone;
    char text[2 * NAMES][48];
    const char *specs[2 * NAMES];
    rkhs_data *data[4] = {NULL};
    rkhs_kernel *square = NULL;
    plain_scores(r, s, m ? m : n, n, m ? n : n - 1, k, meant);
    plain_scores(r, s, m ? m : n, n, m ? n : n - 1, k2, meant + NAMES);
    OK(env, rkhs_data_dense(env, x, n, p, p, &data[0]));
    OK(env, rkhs_data_dense(env, z, n, dim, dim, &data[1]));
    if (m) OK(env, rkhs_data_dense(env, new_x, m, p, p, &data[2]));
    if (m) OK(env, rkhs_data_dense(env, new_z, m, dim, dim, &data[3]));
    if (kernel) OK(env, rkhs_kernel_new(env, "poly(degree=2, gamma=1, coef0=1)", &square));
    rkhs_score_input what = {.x = data[0], .z = data[1], .new_x = data[2], .new_z = data[3], .kernel = square};
    for (int i = 0; i < 2 * NAMES; i++) {
        snprintf(text[i], sizeof text[i], "%s(k=%d)", names[i % NAMES], (int)(i < NAMES ? k : k2));
        specs[i] = text[i];
    }
    OK(env, rkhs_score(env, specs, 2 * NAMES, &what, got, NULL));
    for (int i = 0; i < 2 * NAMES; i++) {
        OK(env, rkhs_score(env, specs + i, 1, &what, &alone, NULL));
        if (!(fabs(got[i] - meant[i]) <= 1e-12 * fmax(1, fabs(meant[i])) && alone == got[i]))
            fail_msg("%s, n = %d: %.17g, alone %.17g, by sorting %.17g", text[i], (int)n, got[i], alone, meant[i]);
    }
    rkhs_kernel_free(square);
    for (int i = 0; i < 4; i++) rkhs_data_free(data[i]);
    if (m) test_free(new_x), test_free(new_z);
    test_free(x), test_free(z), test_free(r), test_free(s);
}

static void rows_among_themselves(void **state) {
    compare(*state, 3, 0, 1, 1, 0, 1, 1);
    compare(*state, 40, 0, 3, 2, 0, 1, 19);
    compare(*state, 500, 0, 12, 2, 0, 12, 5);   /* more than one tile; products */
    compare(*state, 1300, 0, 2, 1, 0, 12, 100); /* more than one chunk of a row; few places, hence nearly all ties */
}

static void new_rows_among_the_others(void **state) {
    compare(*state, 40, 1, 3, 2, 0, 1, 19);
    compare(*state, 1300, 200, 12, 2, 0, 12, 30);
}

static void distances_of_a_kernel(void **state) {
    compare(*state, 300, 0, 4, 2, 1, 12, 3);
    compare(*state, 300, 70, 4, 2, 1, 12, 3);
}

/* The same bits on one thread and on three. */
static void threads_change_nothing(void **state) {
    rkhs_env *env = *state;
    const char *specs[NAMES];
    double value[2][NAMES], *x = test_malloc(700 * 20 * sizeof *x);
    rkhs_data *data, *z;
    for (uint64_t e = 0; e < 700 * 20; e++) x[e] = noise(5, e);
    for (int i = 0; i < NAMES; i++) specs[i] = names[i];
    OK(env, rkhs_data_dense(env, x, 700, 20, 20, &data));
    OK(env, rkhs_data_dense(env, x, 700, 2, 20, &z));
    rkhs_score_input what = {.x = data, .z = z};
    for (int t = 0; t < 2; t++) {
        OK(env, rkhs_env_set_threads(env, t ? 3 : 1));
        OK(env, rkhs_score(env, specs, NAMES, &what, value[t], NULL));
    }
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    assert_true(value[0][0] > 0.5 && value[0][0] < 1);
    rkhs_data_free(z);
    rkhs_data_free(data);
    test_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(rows_among_themselves),
        ENV_TEST(new_rows_among_the_others),
        ENV_TEST(distances_of_a_kernel),
        ENV_TEST(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
