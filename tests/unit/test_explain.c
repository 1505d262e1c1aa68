/* What pulls and pushes objects, against the sums of the map written out, for each form that a map has. */
#include "contract/fixtures.h"

enum { N = 50, NEW = 9, P = 3, D = 2, TOP = 4 };

/* The row of kernel values as the map uses it, plainly. */
static void weights_of(const rk_map *map, const double *k, double *w) {
    int64_t kept = map->object_count;
    double sum = 0;
    for (int64_t l = 0; l < kept; l++) {
        int64_t before = 0;
        for (int64_t j = 0; j < kept; j++) before += k[j] > k[l] || (k[j] == k[l] && j < l);
        w[l] = map->nearest && before >= map->nearest ? 0 : k[l];
        if (map->degree == RK_DEGREE_KERNEL) w[l] = fmax(w[l], 0);
        if (map->degree == RK_DEGREE_BINARY) w[l] = w[l] > 0;
        sum += w[l];
    }
    for (int64_t l = 0; map->degree && sum > 0 && l < kept; l++) w[l] /= sum;
}

/* The q-th largest of the sizes of one side. */
static int64_t largest_of(const double *size, const int *push, int side, int64_t count, int64_t q) {
    for (int64_t l = 0; l < count; l++) {
        int64_t before = 0;
        if (push[l] != side || !(size[l] > 0)) continue;
        for (int64_t j = 0; j < count; j++)
            before += push[j] == side && size[j] > 0 && (size[j] > size[l] || (size[j] == size[l] && j < l));
        if (before == q) return l;
    }
    return -1;
}

static void pulls_and_pushes_are_those_of_the_sum(void **state) {
    rkhs_env *env = *state;
    static const char *const models[] = {"kpca",
                                         "kpca(gram=nystrom(landmarks=12))",
                                         "bctke(neighbours=5, solver=lbfgs(max_iter=10))",
                                         "bctke(neighbours=5, map=nearest, solver=lbfgs(max_iter=10))",
                                         "kle(neighbours=6)",
                                         "kae(dim=2, solver=lbfgs(max_iter=5))",
                                         "kae(dim=2, unit_length=true, solver=lbfgs(max_iter=5))"};
    for (size_t t = 0; t < sizeof models / sizeof *models; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *X = normals(env, N * P, 71), *new = normals(env, NEW * P, 72), *K, *w, *size;
        int64_t object[NEW * 2 * TOP];
        double influence[NEW * 2 * TOP];
        int *push;
        const int64_t *rows;
        rkhs_data *x, *fresh;
        rkhs_kernel *kernel;
        rkhs_model *m;
        LOOK_AT("%s", models[t]);
        FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
        FINE(env, rkhs_data_dense(env, new, NEW, P, P, &fresh));
        FINE(env, rkhs_kernel_new(env, "rbf(sigma=1)", &kernel));
        FINE(env, rkhs_model_new(env, models[t], &m));
        FINE(env, rkhs_model_fit(m, kernel, x, NULL, NULL));
        FINE(env, rkhs_model_explain(m, fresh, TOP, object, influence));
        const rkhs_data *kept = rkhs_model_reference_objects(m, &rows);
        int64_t count = rkhs_data_rows(kept);
        for (int64_t l = 0; l < count; l++)
            same_bits("a kept row", rkhs_data_values(kept, NULL) + l * P, X + (rows ? rows[l] : l) * P, P);
        K = numbers(env, NEW * count);
        w = numbers(env, count);
        size = numbers(env, count);
        OK(env, rk_scratch(env, count, sizeof *push, &push));
        FINE(env, rkhs_kernel_gram(kernel, fresh, kept, K, count));
        for (int64_t i = 0; i < NEW; i++) {
            double z[D] = {0};
            weights_of(m->map, K + i * count, w);
            for (int64_t l = 0; l < count; l++)
                for (int c = 0; c < D; c++) z[c] += w[l] * m->map->B[l * D + c];
            for (int64_t l = 0; l < count; l++) {
                const double *b = m->map->B + l * D;
                size[l] = fabs(w[l]) * sqrt(b[0] * b[0] + b[1] * b[1]);
                push[l] = w[l] * (b[0] * z[0] + b[1] * z[1]) < 0;
            }
            for (int64_t q = 0; q < 2 * TOP; q++) {
                int64_t right = largest_of(size, push, q >= TOP, count, q % TOP), got = object[i * 2 * TOP + q];
                double value = right < 0 ? 0 : size[right];
                near_all("influence", influence + i * 2 * TOP + q, &value, 1, 1e-9);
                HOLDS(right < 0 ? got == -1 : got == right || fabs(size[got] - size[right]) < 1e-9 * size[right]);
            }
        }
        rkhs_model_free(m);
        rkhs_kernel_free(kernel);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

static void what_has_no_map_is_refused(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *X = normals(env, N * P, 73), influence[2 * N];
    int64_t object[2 * N];
    rkhs_data *x, *narrow;
    rkhs_model *m;
    LOOK_AT("tke");
    FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
    FINE(env, rkhs_data_dense(env, X, N, P - 1, P, &narrow));
    FINE(env, rkhs_model_new(env, "tke(solver=lbfgs(max_iter=2))", &m));
    assert_null(rkhs_model_reference_objects(m, NULL));
    REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_explain(m, x, 1, object, influence));
    FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
    REFUSED(env, RKHS_ERR_ARGUMENT, "objective | map", rkhs_model_explain(m, x, 1, object, influence));
    REFUSED(env, RKHS_ERR_DATA, "2 columns | fitted on 3", rkhs_model_explain(m, narrow, 1, object, influence));
    rkhs_model_free(m);
    rkhs_data_free(narrow);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(pulls_and_pushes_are_those_of_the_sum),
        ENV_TEST(what_has_no_map_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
