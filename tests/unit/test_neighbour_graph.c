/* Graphs of neighbours in parts, odd graphs, and the factor of a singular Gram. */
#include "contract/fixtures.h"
#include "model/eigenmap.h"

/* A model fitted on a Gram, with what it advised. */
static rkhs_model *fit_gram(rkhs_env *env, const char *spec, const double *K, int64_t n, remarks *log) {
    rkhs_data *x;
    rkhs_kernel *k;
    rkhs_model *m;
    LOOK_AT("%s on a Gram of %lld", spec, (long long)n);
    FINE(env, rkhs_data_dense(env, K, n, n, n, &x));
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    FINE(env, rkhs_model_new(env, spec, &m));
    *log = (remarks){0};
    rkhs_env_set_log(env, take_remark, log);
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    rkhs_env_set_log(env, NULL, NULL);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    return m;
}

/* Points on lines: parts of 20, 12, 5, 1, 1 objects, in mixed order; nothing is alike across parts. */
enum { N = 39, PARTS = 5 };
static int part_of(int64_t i) {
    static const int sizes[PARTS] = {20, 12, 5, 1, 1};
    int64_t place = i * 17 % N;
    int p = 0;
    while (place >= sizes[p]) place -= sizes[p++];
    return p;
}

static double *parted_gram(rkhs_env *env) {
    double *K = numbers(env, N * N);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            double apart = (double)(i * 17 % N - j * 17 % N);
            K[i * N + j] = part_of(i) == part_of(j) ? exp(-apart * apart / 8) : 0;
        }
    return K;
}

static void parts_are_embedded_side_by_side(void **state) {
    rkhs_env *env = *state;
    for (int dim = 1; dim <= 3; dim++) {
        rk_mark mark = rk_scratch_mark(env);
        double *K = parted_gram(env), low[PARTS][2], high[PARTS][2];
        remarks log;
        char spec[64];
        snprintf(spec, sizeof spec, "kle(neighbours=4, dim=%d)", dim);
        rkhs_model *m = fit_gram(env, spec, K, N, &log);
        const double *Z = rkhs_model_embedding(m, NULL, NULL);
        HOLDS(item_of(m, "components").values[0] == PARTS && item_of(m, "isolated").values[0] == 2);
        HOLDS(log.advice == 1 && says(log.last, "5 connected components | 2 of them"));
        all_finite("Z", Z, N * dim);
        int axes = dim > 1 ? 2 : 1;
        for (int p = 0; p < PARTS; p++) low[p][0] = low[p][1] = INFINITY, high[p][0] = high[p][1] = -INFINITY;
        for (int64_t i = 0; i < N; i++)
            for (int a = 0; a < axes; a++) {
                low[part_of(i)][a] = fmin(low[part_of(i)][a], Z[i * dim + a]);
                high[part_of(i)][a] = fmax(high[part_of(i)][a], Z[i * dim + a]);
            }
        for (int p = 0; p < PARTS; p++)
            for (int q = 0; q < p; q++) {
                int apart = 0;
                for (int a = 0; a < axes; a++) apart |= low[p][a] > high[q][a] + 0.05 || low[q][a] > high[p][a] + 0.05;
                HOLDS(apart);
            }
        HOLDS(high[0][0] - low[0][0] > 1.5 * (high[2][0] - low[2][0]) && high[2][0] - low[2][0] > 0.1);
        rkhs_model_free(m);
        rk_scratch_release(env, mark);
    }
}

/* Within its part a first dimension orders points along their line. */
static void a_line_stays_in_order(void **state) {
    rkhs_env *env = *state;
    enum { LINE = 30 };
    double K[LINE * LINE], Z[LINE];
    for (int i = 0; i < LINE * LINE; i++) K[i] = exp(-pow(i / LINE - i % LINE, 2) / 8);
    remarks log;
    rkhs_model *m = fit_gram(env, "kle(neighbours=3, dim=1)", K, LINE, &log);
    const double *fitted = rkhs_model_embedding(m, NULL, NULL);
    HOLDS(log.advice == 0);
    for (int i = 1; i < LINE; i++) HOLDS((fitted[i] - fitted[i - 1]) * (fitted[LINE - 1] - fitted[0]) > 0);
    rkhs_model_free(m);
    /* The same as a start. */
    int64_t index[LINE * 3];
    double value[LINE * 3];
    for (int i = 0; i < LINE; i++)
        for (int q = 0; q < 3; q++) {
            index[i * 3 + q] = i < 2 ? i + q + 1 : i > LINE - 3 ? i - q - 1 : i + (q < 1 ? -1 : q < 2 ? 1 : 2);
            value[i * 3 + q] = K[i * LINE + index[i * 3 + q]];
        }
    FINE(env, rk_start_kle(env, LINE, 3, index, value, 1, Z));
    for (int i = 1; i < LINE; i++) HOLDS((Z[i] - Z[i - 1]) * (Z[LINE - 1] - Z[0]) > 0);
}

static void nothing_alike_is_said(void **state) {
    rkhs_env *env = *state;
    enum { FEW = 6 };
    double K[FEW * FEW] = {0};
    remarks log;
    for (int i = 0; i < FEW; i++) K[i * (FEW + 1)] = 1;
    rkhs_model *m = fit_gram(env, "kle(neighbours=2)", K, FEW, &log);
    HOLDS(log.advice == 1 && says(log.last, "no two objects | above 0"));
    HOLDS(largest(rkhs_model_embedding(m, NULL, NULL), FEW * 2) == 0);
    rkhs_model_free(m);
}

/* Every model with neighbours: more of them than there are objects, and more dimensions than exist. */
static void too_many_neighbours_or_dimensions_are_said(void **state) {
    rkhs_env *env = *state;
    enum { FEW = 6, DIM = 6 };
    static const double line[FEW] = {-2.5, -1.5, -0.4, 0.5, 1.4, 2.5};
    static const char *const specs[] = {"kle", "lpp", "npe"};
    for (int i = 0; i < 3; i++) {
        double K[FEW * FEW];
        char spec[64];
        remarks log;
        for (int q = 0; q < FEW * FEW; q++) K[q] = exp(-pow(line[q / FEW] - line[q % FEW], 2) / 4);
        snprintf(spec, sizeof spec, "%s(neighbours=6, dim=2)", specs[i]);
        rkhs_model *m = fit_gram(env, spec, K, FEW, &log);
        if (log.advice != 1 || !says(log.last, "5 other objects"))
            fail_msg("%s: %d remarks, the last: %s", context, log.advice, log.last);
        rkhs_model_free(m);
        for (int q = 0; i && q < FEW * FEW; q++) K[q] = line[q / FEW] * line[q % FEW]; /* of rank 1 */
        snprintf(spec, sizeof spec, "%s(neighbours=2, dim=%d)", specs[i], DIM);
        m = fit_gram(env, spec, K, FEW, &log);
        const double *Z = rkhs_model_embedding(m, NULL, NULL);
        all_finite("Z", Z, FEW * DIM);
        HOLDS(log.advice >= 1 && says(log.last, i ? "1 of the 6 | dimensions" : "has 5 dimensions"));
        for (int q = 0; q < FEW; q++) HOLDS(Z[q * DIM + DIM - 1] == 0);
        rkhs_model_free(m);
    }
}

static void equal_objects_share_their_place(void **state) {
    rkhs_env *env = *state;
    enum { MANY = 40 };
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, MANY * 2, 3), Y[MANY * 2];
    memcpy(x + 30, x + 2, 20 * sizeof *x); /* rows 15 .. 24 are rows 1 .. 10 */
    rkhs_data *data;
    rkhs_kernel *k;
    rkhs_model *m;
    FINE(env, rkhs_data_dense(env, x, MANY, 2, 2, &data));
    FINE(env, rkhs_kernel_new(env, "rbf(sigma=1)", &k));
    FINE(env, rkhs_model_new(env, "kle(neighbours=5)", &m));
    FINE(env, rkhs_model_fit(m, k, data, NULL, NULL));
    const double *Z = rkhs_model_embedding(m, NULL, NULL);
    same_bits("equal rows", Z + 30, Z + 2, 20);
    HOLDS(memcmp(Z, Z + 2, 2 * sizeof *Z) != 0);
    FINE(env, rkhs_model_transform(m, data, Y, 2));
    same_bits("kept rows", Y, Z, MANY * 2);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
    rk_scratch_release(env, mark);
}

static void a_factor_has_the_rank_of_its_gram(void **state) {
    rkhs_env *env = *state;
    static const struct { int64_t n, rank; } cases[] = {{1, 1}, {30, 4}, {200, 150}, {130, 130}, {5, 0}};
    for (int t = 0; t < 5; t++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t n = cases[t].n, p = cases[t].rank, rank, pivots[200];
        double *X = normals(env, n * p, 5), *K = numbers(env, n * n), *Phi = numbers(env, n * n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) K[i * n + j] = rk_dot(p, X + i * p, X + j * p);
        LOOK_AT("%lld x %lld", (long long)n, (long long)p);
        FINE(env, rk_pivoted_cholesky(env, "factor", n, K, n, 1e-12, Phi, pivots, &rank));
        HOLDS(rank == p);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                HOLDS(fabs(rk_dot(rank, Phi + i * n, Phi + j * n) - K[i * n + j]) < 1e-10 * (double)(p + 1));
        for (int64_t a = 0; a < rank; a++)
            for (int64_t b = a + 1; b < rank; b++) HOLDS(fabs(Phi[pivots[a] * n + b]) < 1e-6);
        rk_scratch_release(env, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(parts_are_embedded_side_by_side), ENV_TEST(a_line_stays_in_order),
        ENV_TEST(nothing_alike_is_said),           ENV_TEST(too_many_neighbours_or_dimensions_are_said),
        ENV_TEST(equal_objects_share_their_place), ENV_TEST(a_factor_has_the_rank_of_its_gram),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
