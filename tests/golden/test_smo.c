/* Support vector machines against scikit-learn's (libsvm), as make_svm.py wrote them: decisions, the dual's
 * objective, the number of support vectors where it is unique, and which nu cannot be had. */
#include "contract/fixtures.h"
#include "score/score.h"

enum { HEAD = 7, MOST = 60 };

static rkhs_data *golden(rkhs_env *env, const char *set, const char *what) {
    const char *source = getenv("RKHS_SOURCE");
    char path[400];
    rkhs_data *x;
    snprintf(path, sizeof path, "%s/tests/golden/data/svm_%s_%s.npy", source ? source : ".", set, what);
    LOOK_AT("%s", path);
    FINE(env, rkhs_data_read(env, path, NULL, &x));
    return x;
}

/* 1/2 a'Qa, and for svm - 1'a. */
static double objective_of(const rk_smo *p) {
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (!(p->nu > 0)) sum -= p->a[i];
        for (int64_t j = 0; j < p->n; j++) sum += 0.5 * p->a[i] * p->a[j] * p->y[i] * p->y[j] * p->K[i * p->n + j];
    }
    return sum;
}

static void check_case(rkhs_env *env, const double *meant, int64_t n, const double *K, const int *y) {
    double a[MOST], G[MOST], upper[MOST], decision[MOST], members[2] = {0};
    int nu = meant[0] != 0;
    int64_t support = 0;
    for (int64_t i = 0; i < n; i++) members[y[i] > 0]++;
    for (int64_t i = 0; i < n; i++) upper[i] = (nu ? 1 : meant[1]) * (meant[3] != 0 ? (double)n / (2 * members[y[i] > 0]) : 1);
    rk_smo p = {.n = n, .ld = n, .K = K, .y = y, .upper = upper, .nu = nu ? meant[1] : 0, .tol = 1e-12, .a = a, .G = G};
    LOOK_AT("%s = %g, kernel %g, weighted %g", nu ? "nu" : "c", meant[1], meant[2], meant[3]);
    FINE(env, rk_smo_solve(env, &p));
    if (p.outcome != (rk_smo_outcome)meant[4]) fail_msg("%s: outcome %d, not %g", context, (int)p.outcome, meant[4]);
    if (p.outcome != RK_SMO_DONE) return;
    for (int64_t i = 0; i < n; i++) {
        decision[i] = -p.offset;
        for (int64_t j = 0; j < n; j++) decision[i] += y[j] * a[j] * K[i * n + j];
        decision[i] *= p.scale;
        support += a[i] > 0;
    }
    near_each("a decision", decision, meant + HEAD, n, 1e-8);
    NEAR(objective_of(&p) / meant[5], 1, 1e-10);
    if (meant[6] >= 0 && (double)support != meant[6])
        fail_msg("%s: %lld support vectors, not %g", context, (long long)support, meant[6]);
}

static void machines_are_those_of_libsvm(void **state) {
    rkhs_env *env = *state;
    static const char *const sets[] = {"overlap", "apart"};
    for (int s = 0; s < 2; s++) {
        rkhs_data *signs = golden(env, sets[s], "y"), *grams = golden(env, sets[s], "grams"),
                  *cases = golden(env, sets[s], "cases");
        int64_t n = rkhs_data_rows(signs), width = rkhs_data_columns(cases);
        const double *K = rkhs_data_values(grams, NULL), *all = rkhs_data_values(cases, NULL);
        int y[MOST], seen[2][3] = {{0}};
        assert_true(n <= MOST && width == HEAD + n && rkhs_data_rows(grams) == 3 * n && rkhs_data_columns(grams) == n);
        for (int64_t i = 0; i < n; i++) y[i] = (int)rkhs_data_values(signs, NULL)[i];
        for (int64_t c = 0; c < rkhs_data_rows(cases); c++) {
            const double *meant = all + c * width;
            check_case(env, meant, n, K + (int)meant[2] * n * n, y);
            seen[meant[0] != 0][(int)meant[4]]++;
        }
        assert_true(seen[0][0] == 18 && seen[1][0] >= 10 && seen[1][1] >= 1 && (s == 1 || seen[1][2] >= 1));
        rkhs_data_free(cases);
        rkhs_data_free(grams);
        rkhs_data_free(signs);
    }
}

/* Kernels so small that what a step gains is 0 to rounding: the search ends. */
static void tiny_kernels_have_an_end(void **state) {
    rkhs_env *env = *state;
    enum { N = 19 };
    double K[N * N], upper[N], a[N], G[N];
    int y[N];
    for (int t = 0; t < 4; t++) {
        for (int i = 0; i < N; i++) {
            y[i] = i % 2 ? 1 : -1;
            upper[i] = 1;
            for (int j = 0; j < N; j++) K[i * N + j] = (t < 2 ? 1e-200 : 1e-165) * exp(-0.5 * (i - j) * (i - j));
        }
        rk_smo p = {.n = N, .ld = N, .K = K, .y = y, .upper = upper, .nu = t % 2 ? 0.5 : 0, .tol = 1e-4, .a = a, .G = G};
        FINE(env, rk_smo_solve(env, &p));
        for (int i = 0; i < N; i++) assert_true(a[i] >= 0 && a[i] <= 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {ENV_TEST(machines_are_those_of_libsvm), ENV_TEST(tiny_kernels_have_an_end)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
