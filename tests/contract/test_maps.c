/* Maps made by hand against their formula, and the way back from codes to objects. */
#include "fixtures.h"

enum { N = 30, KEPT = 300, DIM = 4 };

/* ---- maps ------------------------------------------------------------------------------------------------------ */

/* The variants of a map: every row value or the nearest, as they are or by their sum, free or on the sphere. */
typedef struct variant {
    int64_t nearest;
    int degree, post;
} variant;

static const variant variants[] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1},    {0, 1, 1},       {1, 0, 0},
                                   {5, 1, 0}, {7, 0, 1}, {KEPT, 1, 1}, {KEPT + 9, 0, 0}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Zeroes all but the `most` largest of a row, earlier ones first where they are equal. */
static void only_nearest(double *row, int64_t most) {
    char keep[KEPT] = {0};
    for (int64_t q = 0; q < most && q < KEPT; q++) {
        int64_t best = -1;
        for (int64_t j = 0; j < KEPT; j++)
            if (!keep[j] && (best < 0 || row[j] > row[best])) best = j;
        keep[best] = 1;
    }
    for (int64_t j = 0; j < KEPT; j++)
        if (!keep[j]) row[j] = 0;
}

/* z(x) = post( row(k(x, D)) B + c ), in long double. K is N x KEPT, and is changed. */
static void formula(const rk_map *map, double *K, double *Z) {
    for (int64_t i = 0; i < N; i++) {
        long double sum = 0, z[DIM], norm = 0;
        if (map->nearest) only_nearest(K + i * KEPT, map->nearest);
        for (int64_t j = 0; j < KEPT; j++) sum += K[i * KEPT + j];
        for (int64_t c = 0; c < DIM; c++) {
            z[c] = map->c[c];
            for (int64_t j = 0; j < KEPT; j++) z[c] += K[i * KEPT + j] / (map->degree ? sum : 1) * map->B[j * DIM + c];
            norm += z[c] * z[c];
        }
        for (int64_t c = 0; c < DIM; c++) Z[i * DIM + c] = (double)(map->post == RK_POST_SPHERE ? z[c] / sqrtl(norm) : z[c]);
    }
}

/* A map of random numbers that keeps KEPT objects. */
static rk_map *some_map(rkhs_env *env, const variant *v) {
    rk_mark mark = rk_scratch_mark(env);
    rk_map *map;
    LOOK_AT("a map with nearest %lld, degree %d, post %d", (long long)v->nearest, v->degree, v->post);
    FINE(env, rk_map_new(env, KEPT, DIM, &map));
    memcpy(map->B, normals(env, KEPT * DIM, 50), KEPT * DIM * sizeof *map->B);
    memcpy(map->c, normals(env, DIM, 51), DIM * sizeof *map->c);
    map->objects = fixture_data(env, "small", KEPT);
    map->nearest = v->nearest;
    map->degree = v->degree;
    map->post = v->post ? RK_POST_SPHERE : RK_POST_NONE;
    rk_scratch_release(env, mark);
    return map;
}

static void a_map_is_its_formula(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"rbf(gamma=0.1)", "laplacian(gamma=0.5)", "2*rbf(gamma=0.3) + laplacian(sigma=2)"};
    for (int t = 0; t < 3 * VARIANTS; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rk_map *map = some_map(env, &variants[t / 3]);
        rkhs_data *x, *unused;
        rkhs_kernel *k;
        double *K = numbers(env, N * KEPT), *Z = numbers(env, N * (DIM + 1)), *expected = numbers(env, N * DIM);
        fixture_split(env, "small", 1, N, &unused, &x);
        FINE(env, rkhs_kernel_new(env, kernels[t % 3], &k));
        FINE(env, rkhs_kernel_gram(k, x, map->objects, K, KEPT));
        formula(map, K, expected);
        FINE(env, rk_map_apply(env, map, k, x, Z, DIM + 1, NULL));
        for (int64_t i = 0; i < N; i++) near_each("z", Z + i * (DIM + 1), expected + i * DIM, DIM, 1e-12);
        if (map->post == RK_POST_SPHERE)
            for (int64_t i = 0; i < N; i++) {
                double norm = 0;
                for (int64_t c = 0; c < DIM; c++) norm += Z[i * (DIM + 1) + c] * Z[i * (DIM + 1) + c];
                NEAR(norm, 1, 1e-14);
            }
        rk_map_free(env, map);
        rkhs_kernel_free(k);
        rkhs_data_free(x);
        rkhs_data_free(unused);
        rk_scratch_release(env, mark);
    }
}

/* The values of an object that is like none of the kept ones sum to 0. */
static void an_object_far_from_everything_has_a_finite_code(void **state) {
    rkhs_env *env = *state;
    static const double far_off[] = {1e8, 0, 0};
    rkhs_data *x;
    rkhs_kernel *k;
    double z[DIM];
    OK(env, rkhs_data_dense(env, far_off, 1, 3, 3, &x));
    OK(env, rkhs_kernel_new(env, "rbf(sigma=1)", &k));
    for (int t = 0; t < VARIANTS; t++) {
        rk_map *map = some_map(env, &variants[t]);
        memset(map->c, 0, DIM * sizeof *map->c);
        FINE(env, rk_map_apply(env, map, k, x, z, DIM, NULL));
        for (int c = 0; c < DIM; c++) HOLDS(z[c] == 0);
        rk_map_free(env, map);
    }
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

static void a_map_survives_a_file(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, "rbf(gamma=0.1)", &k));
    for (int t = 0; t < VARIANTS; t++) {
        rk_map *map = some_map(env, &variants[t]), *loaded;
        rk_archive *archive;
        double Z[N * DIM], Y[N * DIM];
        FINE(env, rk_archive_new(env, &archive));
        FINE(env, rk_map_save(map, archive));
        FINE(env, rk_archive_write(archive, "map"));
        rk_archive_free(archive);
        FINE(env, rk_archive_read(env, "map", &archive));
        FINE(env, rk_map_load(env, archive, &loaded));
        HOLDS(loaded->degree == map->degree && loaded->post == map->post && loaded->nearest == map->nearest);
        HOLDS(loaded->object_count == KEPT);
        FINE(env, rk_map_apply(env, map, k, x, Z, DIM, NULL));
        FINE(env, rk_map_apply(env, loaded, k, x, Y, DIM, NULL));
        same_bits("the loaded map", Y, Z, N * DIM);
        rk_archive_free(archive);
        rk_map_free(env, loaded);
        rk_map_free(env, map);
    }
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

static void signs_are_fixed_by_the_largest_entry(void **state) {
    rkhs_env *env = *state;
    double Z[] = {1, -2, 3, -3, -1, 2, -3, 3, 0.5, 0, 0, 3}; /* columns: 1 leads, -2 ties 2, 3 ties -3, -3 ties 3 */
    rk_map *map;
    OK(env, rk_map_new(env, 2, 4, &map));
    for (int i = 0; i < 8; i++) map->B[i] = 1;
    for (int i = 0; i < 4; i++) map->c[i] = 1;
    rk_fix_signs(Z, 3, 3, 4, map);
    static const double fixed[] = {1, 2, 3, 3, -1, -2, -3, -3, 0.5, 0, 0, -3}, side[] = {1, -1, 1, -1};
    LOOK_AT("signs");
    near_each("Z", Z, fixed, 12, 0);
    near_each("B", map->B, side, 4, 0);
    near_each("B", map->B + 4, side, 4, 0);
    near_each("c", map->c, side, 4, 0);
    rk_map_free(env, map);
}

/* ---- inverse --------------------------------------------------------------------------------------------------- */

static void rings_come_back_from_their_codes(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"exact", "nystrom(landmarks=150)"};
    for (int t = 0; t < 2; t++) {
        char spec[64];
        rkhs_data *x, *back;
        int64_t n, dim, ld;
        OK(env, rkhs_data_sample(env, "circles(n=300, noise=0.1)", &x));
        snprintf(spec, sizeof spec, "kpca(dim=6, gram=%s)", grams[t]);
        rkhs_model *m = fit_text(env, spec, "rbf(sigma=6)", x);
        const double *Z = rkhs_model_embedding(m, &n, &dim), *v = rkhs_data_values(x, NULL);
        FINE(env, rkhs_model_inverse(m, Z, n, dim, &back));
        HOLDS(back->rows == 300 && back->columns == 2);
        const double *w = rkhs_data_values(back, &ld);
        double square = 0;
        for (int64_t i = 0; i < 600; i++) square += pow(w[i] - v[i], 2) / 600;
        if (!(sqrt(square) < 0.15)) fail_msg("%s: off by %g (rings of radius 2, 8, 16)", context, sqrt(square));
        rkhs_data_free(back);
        rkhs_model_free(m);
        rkhs_data_free(x);
    }
}

/* New codes, between the kept ones, come back near the objects they are codes of. */
static void new_codes_come_back_too(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double x[200 * 3], y[50 * 3], Z[50 * 5];
    for (int i = 0; i < 250; i++) { /* a helix */
        double t = i < 200 ? i / 199.0 : (i - 200 + 0.5) / 50.5, *row = i < 200 ? x + 3 * i : y + 3 * (i - 200);
        row[0] = cos(6 * t), row[1] = sin(6 * t), row[2] = t;
    }
    rkhs_data *train, *fresh, *back;
    OK(env, rkhs_data_dense(env, x, 200, 3, 3, &train));
    OK(env, rkhs_data_dense(env, y, 50, 3, 3, &fresh));
    rkhs_model *m = fit_text(env, "kpca(dim=5)", "rbf", train);
    FINE(env, rkhs_model_transform(m, fresh, Z, 5));
    FINE(env, rkhs_model_inverse(m, Z, 50, 5, &back));
    near_each("the helix", rkhs_data_values(back, NULL), y, 150, 0.02);
    rkhs_data_free(back);
    REFUSED(env, RKHS_ERR_DATA, "NaN", (Z[7] = NAN, rkhs_model_inverse(m, Z, 50, 5, &back)));
    assert_null(back);
    rkhs_model_free(m);
    rkhs_data_free(fresh);
    rkhs_data_free(train);
    rk_scratch_release(env, mark);
}

static void a_precomputed_gram_gives_the_nearest_column_back(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 40 };
    static const char *const specs[] = {"kpca(dim=6)", "kpca(dim=6, gram=nystrom(landmarks=12))"};
    rkhs_data *x = fixture_data(env, "gram", ALL), *back;
    for (int t = 0; t < 2; t++) {
        int64_t n, dim;
        rkhs_model *m = fit_text(env, specs[t], "precomputed", x);
        const double *Z = rkhs_model_embedding(m, &n, &dim);
        FINE(env, rkhs_model_inverse(m, Z, n, dim, &back));
        const double *column = rkhs_data_values(back, NULL);
        HOLDS(back->rows == ALL && back->columns == 1);
        for (int64_t i = 0; i < ALL; i++) {
            int64_t best = -1;
            double least = INFINITY;
            for (int64_t k = 0; k < m->map->object_count; k++) {
                int64_t row = m->map_rows ? m->map_rows[k] : k;
                double sum = 0;
                for (int64_t c = 0; c < dim; c++) sum += pow(Z[row * dim + c] - Z[i * dim + c], 2);
                if (sum < least) least = sum, best = row;
            }
            HOLDS(column[i] == (double)best);
            if (!m->map_rows) HOLDS(best == i);
        }
        rkhs_data_free(back);
        rkhs_model_free(m);
    }
    rkhs_data_free(x);
}

/* Too few objects, equal codes: still an answer. */
static void an_inverse_of_little_is_finite(void **state) {
    rkhs_env *env = *state;
    static const double two[] = {1, 2, 3, 5}, same[] = {4, 4, 4, 4, 4, 4, 4, 4};
    rkhs_data *x, *back;
    for (int t = 0; t < 2; t++) {
        OK(env, rkhs_data_dense(env, t ? same : two, t ? 4 : 2, 2, 2, &x));
        rkhs_model *m = fit_text(env, "kpca(dim=1)", "rbf", x);
        FINE(env, rkhs_model_inverse(m, rkhs_model_embedding(m, NULL, NULL), x->rows, 1, &back));
        near_each("the objects", rkhs_data_values(back, NULL), rkhs_data_values(x, NULL), 2 * x->rows, 1e-3);
        rkhs_data_free(back);
        rkhs_model_free(m);
        rkhs_data_free(x);
    }
}

/* Two objects, their codes near or far apart: both come back, and half-way between the codes lies their mean. */
static void an_inverse_of_two_knows_their_distance(void **state) {
    rkhs_env *env = *state;
    static const double scales[] = {1e-9, 1e-3, 1, 1e6};
    for (int t = 0; t < 4; t++)
        for (int gram = 0; gram < 2; gram++) {
            double two[] = {scales[t], 2 * scales[t], 3 * scales[t], -scales[t]}, Z[3];
            rkhs_data *x, *back;
            LOOK_AT("two rows of scale %g, %s", scales[t], gram ? "nystrom" : "exact");
            FINE(env, rkhs_data_dense(env, two, 2, 2, 2, &x));
            rkhs_model *m = fit_text(env, gram ? "kpca(dim=1, gram=nystrom)" : "kpca(dim=1)", "linear", x);
            memcpy(Z, rkhs_model_embedding(m, NULL, NULL), 2 * sizeof *Z);
            Z[2] = (Z[0] + Z[1]) / 2;
            FINE(env, rkhs_model_inverse(m, Z, 3, 1, &back));
            const double *v = rkhs_data_values(back, NULL);
            for (int i = 0; i < 4; i++) HOLDS(fabs(v[i] - two[i]) <= 1e-4 * scales[t]);
            HOLDS(fabs(v[4] - 2 * scales[t]) <= 1e-4 * scales[t] && fabs(v[5] - scales[t] / 2) <= 1e-4 * scales[t]);
            rkhs_data_free(back);
            rkhs_model_free(m);
            rkhs_data_free(x);
        }
}

static void an_inverse_is_the_same_after_a_copy_and_a_file(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *back[3];
    rkhs_model *m = fit_text(env, "kpca(dim=2, gram=nystrom(landmarks=20))", "rbf", x), *copy, *loaded;
    const double *Z = rkhs_model_embedding(m, NULL, NULL);
    FINE(env, rkhs_model_copy(m, &copy));
    FINE(env, rkhs_model_save(m, "a.rkhs"));
    FINE(env, rkhs_model_load(env, "a.rkhs", &loaded));
    FINE(env, rkhs_model_inverse(m, Z, N, 2, &back[0]));
    FINE(env, rkhs_model_inverse(copy, Z, N, 2, &back[1]));
    FINE(env, rkhs_model_inverse(loaded, Z, N, 2, &back[2]));
    for (int i = 1; i < 3; i++) same_bits("objects", rkhs_data_values(back[i], NULL), rkhs_data_values(back[0], NULL), N * 3);
    for (int i = 0; i < 3; i++) rkhs_data_free(back[i]);
    rkhs_model_free(loaded);
    rkhs_model_free(copy);
    rkhs_model_free(m);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(a_map_is_its_formula),
        ENV_TEST(an_object_far_from_everything_has_a_finite_code),
        FOLDER_TEST(a_map_survives_a_file),
        ENV_TEST(signs_are_fixed_by_the_largest_entry),
        ENV_TEST(rings_come_back_from_their_codes),
        ENV_TEST(new_codes_come_back_too),
        ENV_TEST(a_precomputed_gram_gives_the_nearest_column_back),
        ENV_TEST(an_inverse_of_little_is_finite),
        ENV_TEST(an_inverse_of_two_knows_their_distance),
        FOLDER_TEST(an_inverse_is_the_same_after_a_copy_and_a_file),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
