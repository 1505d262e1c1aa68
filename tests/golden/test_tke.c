/* Twin kernel embedding against its formula in plain loops: the objective, its gradient, where new objects go; and
 * what is odd in the input. */
#include "contract/fixtures.h"
#include "model/tke.h"

enum { N = 300, MOST = 3 };

/* ---- the objective --------------------------------------------------------------------------------------------- */

static const char *const shapes[] = {"rbf", "cauchy", "log rbf", "log cauchy"};

/* Points in the plane, their Gram, and a graph of k neighbours. */
typedef struct setting {
    rkhs_data *x;
    rkhs_kernel *kernel;
    rk_spec *spec;
    rk_gram *gram;
    rk_tke t;
    double *K, *F; /* N x N */
} setting;

/* F by its definition: the k largest others of each row, the first of equal ones, and the diagonal. */
static void filter_plainly(const setting *s, int64_t k) {
    for (int64_t i = 0; i < N; i++) {
        double *row = s->F + i * N;
        for (int64_t j = 0; j < N; j++) row[j] = i == j ? s->K[i * N + i] : 0;
        for (int64_t q = 0; q < k; q++) {
            int64_t best = -1;
            for (int64_t j = 0; j < N; j++)
                if (j != i && row[j] == 0 && (best < 0 || s->K[i * N + j] > s->K[i * N + best])) best = j;
            row[best] = s->K[i * N + best];
        }
    }
}

/* shape: 0 rbf, 1 cauchy, 2 and 3 the same by logarithms. */
static setting open_setting(rkhs_env *env, int64_t dim, int64_t k, int shape, double sum) {
    setting s = {
        .t = {.dim = dim, .k = k, .repulsion = 0.03, .decay = 0.01, .kernel = shape % 2, .log = shape / 2, .sum = sum}};
    s.x = fixture_data(env, "small", N);
    s.K = numbers(env, N * N);
    s.F = numbers(env, N * N);
    OK(env, rkhs_kernel_new(env, "rbf(gamma=0.7)", &s.kernel));
    OK(env, rkhs_kernel_gram(s.kernel, s.x, NULL, s.K, N));
    OK(env, rk_spec_new(env, &rk_grams, "exact", &s.spec));
    OK(env, rk_gram_new(env, s.spec, s.kernel, s.x, &s.gram));
    OK(env, rk_tke_graph(s.gram, &s.t));
    OK(env, rk_tke_alloc(env, &s.t));
    filter_plainly(&s, k);
    return s;
}

static void close_setting(rkhs_env *env, setting *s) {
    rk_gram_free(s->gram);
    rk_spec_free(env, s->spec);
    rkhs_kernel_free(s->kernel);
    rkhs_data_free(s->x);
}

/* kx and its derivative by the squared distance. */
static long double kx(int latent, double g, long double s, long double *slope) {
    long double v = latent == RK_EMBEDDING_RBF ? expl(-g * s) : 1 / (1 + g * s);
    *slope = latent == RK_EMBEDDING_RBF ? -g * v : -g * v * v;
    return v;
}

/* L, dL/dZ and dL/dlog g, as they are written. */
static double plainly(const setting *s, const double *Z, double g, double *dZ, double *dt) {
    long double f = 0, t = 0;
    int64_t d = s->t.dim;
    for (int64_t i = 0; i < N; i++)
        for (int64_t c = 0; c < d; c++) {
            dZ[i * d + c] = 2 * s->t.decay * Z[i * d + c];
            f += s->t.decay * Z[i * d + c] * Z[i * d + c];
        }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            long double square = 0, slope;
            for (int64_t c = 0; c < d; c++) square += powl(Z[i * d + c] - Z[j * d + c], 2);
            long double v = kx(s->t.kernel, g, square, &slope), together = s->t.log ? 1 / v : 1;
            long double by = (-s->F[i * N + j] * together + 2 * s->t.repulsion * v) * slope;
            f += -s->F[i * N + j] * (s->t.log ? logl(v) : v) + s->t.repulsion * v * v;
            t += by * square;
            for (int64_t c = 0; c < d; c++) {
                dZ[i * d + c] += (double)(2 * by * (Z[i * d + c] - Z[j * d + c]));
                dZ[j * d + c] -= (double)(2 * by * (Z[i * d + c] - Z[j * d + c]));
            }
        }
    *dt = (double)t;
    return (double)f;
}

static void the_objective_is_its_formula(void **state) {
    rkhs_env *env = *state;
    for (int64_t dim = 1; dim <= MOST; dim++)
        for (int shape = 0; shape < 4; shape++) {
            rk_mark mark = rk_scratch_mark(env);
            setting s = open_setting(env, dim, 7, shape, 0);
            double *Z = normals(env, N * dim, 60), *dZ = numbers(env, N * dim), *expected = numbers(env, N * dim);
            double f, dt, theta = log(0.8), t;
            LOOK_AT("the objective, %lld dimensions, %s", (long long)dim, shapes[shape]);
            FINE(env, rk_tke_eval(&s.t, env, Z, &theta, &f, dZ, &dt));
            double right = plainly(&s, Z, 0.8, expected, &t);
            near_each("L", &f, &right, 1, 1e-12);
            near_each("dL/dlog g", &dt, &t, 1, 1e-12);
            near_all("dL/dZ", dZ, expected, N * dim, 1e-12);
            close_setting(env, &s);
            rk_scratch_release(env, mark);
        }
}

/* F (N x N): the `most` largest values of each row of K, the first of equal ones, by their own loops. */
static void largest_plainly(const setting *s, int64_t most, double *F) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            const double *row = s->K + i * N;
            int64_t before = 0;
            for (int64_t q = 0; q < N; q++) before += row[q] > row[j] || (row[q] == row[j] && q < j);
            F[i * N + j] = before < most ? row[j] : 0;
        }
}

static void product_plainly(const double *F, const double *A, int64_t d, double *Z) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t c = 0; c < d; c++) {
            Z[i * d + c] = 0;
            for (int64_t j = 0; j < N; j++) Z[i * d + c] += F[i * N + j] * A[j * d + c];
        }
}

/* L along a direction in Z, or in A, Z = K A or Z = F A as bctke(map=nearest) has it, and in log g, against central
 * differences. */
static void gradients_are_those_of_central_differences(void **state) {
    rkhs_env *env = *state;
    static const char *const ways[] = {"Z", "A, Z = K A", "A, Z = F A"};
    for (int test = 0; test < 24; test++) {
        int shape = test % 4, way = test / 4 % 3, local = test / 12;
        enum { D = 2, MAPPED = 20 };
        rk_mark mark = rk_scratch_mark(env);
        setting s = open_setting(env, D, 9, shape, local ? log2(9) : 0);
        rk_knn_rows filter;
        double *A = normals(env, N * D, 61), *step = normals(env, N * D, 62), *at = numbers(env, N * D);
        double *Z = numbers(env, N * D), *dZ = numbers(env, N * D), *dA = numbers(env, N * D), f[3], dt, theta = 0.3;
        double slope = 0, unused, h = 1e-5, *F = numbers(env, N * N);
        if (way == 2) largest_plainly(&s, MAPPED, F);
        for (int64_t i = 0; i < N * D; i++) A[i] *= way ? 0.1 : 1;
        LOOK_AT("the gradient in %s, %s, %s weights", ways[way], shapes[shape], local ? "local" : "kernel");
        for (int side = -1; side <= 1; side++) {
            for (int64_t i = 0; i < N * D; i++) at[i] = A[i] + side * h * step[i];
            double moved = theta + side * h;
            if (way == 1) FINE(env, rk_gram_mul(s.gram, at, D, Z));
            if (way == 2) product_plainly(F, at, D, Z);
            FINE(env, rk_tke_eval(&s.t, env, way ? Z : at, &moved, &f[side + 1], side ? dA : dZ, side ? &unused : &dt));
        }
        if (way == 1) FINE(env, rk_gram_mul(s.gram, dZ, D, dA));
        if (way == 2) {
            FINE(env, rk_knn_rows_new(s.gram, MAPPED, &filter));
            rk_knn_rows_mul(&filter, at, D, dA);
            near_all("F A", dA, Z, N * D, 1e-12);
            rk_knn_rows_mul_transposed(&filter, dZ, D, dA);
        }
        for (int64_t i = 0; i < N * D; i++) slope += (way ? dA : dZ)[i] * step[i];
        slope += dt;
        double central = (f[2] - f[0]) / (2 * h);
        if (!(fabs(slope - central) <= 1e-7 * fabs(central))) fail_msg("%s: %.12g, not %.12g", context, slope, central);
        close_setting(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void local_weights_sum_to_what_is_asked(void **state) {
    double value[10], equal[4] = {2, 2, 2, 2};
    for (int i = 0; i < 10; i++) value[i] = 10 - 0.1 * i * i;
    rk_tke_weigh(10, 3.5, 0, NULL, NULL, value);
    double sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += value[i];
        assert_true(value[i] > 0 && (i == 0 || value[i] < value[i - 1]));
    }
    NEAR(sum, 3.5, 1e-8);
    NEAR(value[0], 1, 0);
    NEAR(log(value[9]) / log(value[3]), 9, 1e-9); /* 81 against 9 */
    rk_tke_weigh(4, 2, 0, NULL, NULL, equal);
    for (int i = 0; i < 4; i++) NEAR(equal[i], 1, 0);
    double some[4] = {0.5, 0.25, 0, -1}, none[2] = {0, -3};
    rk_tke_weigh(4, 1.5, 0, NULL, NULL, some);
    assert_true(some[0] == 1 && some[2] == 0 && some[3] == 0);
    NEAR(some[1], 0.5, 1e-9);
    rk_tke_weigh(2, 1.5, 0, NULL, NULL, none);
    assert_true(none[0] == 0 && none[1] == 0);
}

/* Where k(x,x) differs, weights are those of distances: of a point at 1 on a line from points at 1.5, 0, 4 and -3, k
 * = xy. */
static void weights_follow_distances_where_the_diagonal_differs(void **state) {
    const double at[4] = {4, 0, 1.5, -3}, half[4] = {8, 0, 1.125, 4.5};
    const int64_t near[4] = {2, 1, 0, 3};
    double local[4], kernel[4], sum = 0;
    for (int q = 0; q < 4; q++) kernel[q] = local[q] = at[near[q]];
    rk_tke_weigh(4, 2, 1, half, near, local);
    for (int q = 0; q < 4; q++) sum += local[q];
    NEAR(sum, 2, 1e-8);
    NEAR(local[0], 1, 0);
    NEAR(log(local[3]) / log(local[1]), (16 - 0.25) / (1 - 0.25), 1e-9);
    NEAR(log(local[2]) / log(local[1]), (9 - 0.25) / (1 - 0.25), 1e-9);
    rk_tke_weigh(4, 0, 0, half, near, kernel);
    for (int q = 0; q < 4; q++) NEAR(kernel[q], at[near[q]], 0);
    rk_tke_weigh(4, 0, 1, half, near, kernel); /* what pushes by a logarithm has no end */
    for (int q = 0; q < 4; q++) NEAR(kernel[q], fmax(at[near[q]], 0), 0);
}

/* ---- new objects ----------------------------------------------------------------------------------------------- */

/* l(z) as it is written; F: the k largest of a row of kernel values, by their own loop. */
static double cost_of(int shape, const rkhs_model *m, const double *K, int64_t n, int64_t k, const double *z) {
    const double lk = 0.02, lx = 0.001;
    double g = *rk_report_values(&m->report, "gamma", 1), l = 0;
    int64_t d = m->dim;
    for (int64_t j = 0; j < n; j++) {
        double square = 0;
        int64_t larger = 0;
        for (int64_t c = 0; c < d; c++) square += pow(z[c] - m->Z[j * d + c], 2);
        for (int64_t q = 0; q < n; q++) larger += K[q] > K[j] || (K[q] == K[j] && q < j);
        double v = shape % 2 ? 1 / (1 + g * square) : exp(-g * square), a = shape < 2 ? v : shape == 2 ? -g * square : log(v);
        l += 2 * lk * v * v - (larger < k ? 2 * K[j] * a : 0);
    }
    for (int64_t c = 0; c < d; c++) l += lx * z[c] * z[c];
    return l;
}

static void place_by(rkhs_env *env, int shape) {
    enum { ALL = 120, NEW = 25, D = 2, NEAR_BY = 6 };
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x, *fresh;
    rkhs_model *m;
    rkhs_kernel *k;
    double near[NEW * D], refined[NEW * D], *K = numbers(env, NEW * ALL);
    fixture_split(env, "small", ALL, NEW, &x, &fresh);
    OK(env, rkhs_kernel_new(env, "rbf(gamma=0.7)", &k));
    char spec[128];
    snprintf(spec, sizeof spec,
             "tke(neighbours=6, repulsion=0.02, decay=0.001, embedding_kernel=%s, attraction=%s, weights=kernel, start=kpca)",
             shape % 2 ? "cauchy" : "rbf", shape / 2 ? "log" : "product");
    LOOK_AT("%s", spec);
    OK(env, rkhs_model_new(env, spec, &m));
    OK(env, rkhs_model_fit(m, k, x, NULL, NULL));
    OK(env, rkhs_kernel_gram(k, fresh, x, K, ALL));
    OK(env, rkhs_model_transform(m, fresh, refined, D));
    OK(env, rkhs_model_set_place(m, "neighbour"));
    OK(env, rkhs_model_transform(m, fresh, near, D));
    int lower = 0;
    for (int i = 0; i < NEW; i++) {
        const double *row = K + i * ALL, *z = refined + i * D;
        double least = INFINITY, at = cost_of(shape, m, row, ALL, NEAR_BY, near + i * D);
        for (int64_t j = 0; j < ALL; j++) { /* the neighbour with the lowest l */
            int64_t larger = 0;
            for (int64_t q = 0; q < ALL; q++) larger += row[q] > row[j];
            if (larger < NEAR_BY) least = fmin(least, cost_of(shape, m, row, ALL, NEAR_BY, m->Z + j * D));
        }
        NEAR(at, least, 1e-12);
        double here = cost_of(shape, m, row, ALL, NEAR_BY, z), h = 1e-4 * fabs(z[0] + z[1]) + 1e-7;
        HOLDS(here <= at + 1e-12);
        lower += here < at - 1e-6;
        for (int c = 0; c < D; c++) { /* no lower place beside it */
            double to[D] = {z[0], z[1]};
            to[c] = z[c] + h;
            HOLDS(cost_of(shape, m, row, ALL, NEAR_BY, to) >= here - 1e-11);
            to[c] = z[c] - h;
            HOLDS(cost_of(shape, m, row, ALL, NEAR_BY, to) >= here - 1e-11);
        }
    }
    HOLDS(lower > NEW / 2);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(fresh);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

static void new_objects_lie_where_the_objective_is_low(void **state) {
    for (int shape = 0; shape < 4; shape++) place_by(*state, shape);
}

static void ways_that_a_model_does_not_know_are_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_model *tke, *bctke, *kpca;
    OK(env, rkhs_model_new(env, "tke", &tke));
    OK(env, rkhs_model_new(env, "bctke", &bctke));
    OK(env, rkhs_model_new(env, "kpca", &kpca));
    FAILS(env, RKHS_ERR_SPEC, "tke | 'map' | refine | neighbour", rkhs_model_set_place(tke, "map"));
    FAILS(env, RKHS_ERR_SPEC, "map | refine | neighbour", rkhs_model_set_place(bctke, "sideways"));
    FAILS(env, RKHS_ERR_SPEC, "kpca | 'refine' | map", rkhs_model_set_place(kpca, "refine"));
    OK(env, rkhs_model_set_place(kpca, "map"));
    OK(env, rkhs_model_set_place(tke, "neighbour"));
    OK(env, rkhs_model_set_place(tke, NULL));
    rkhs_model_free(kpca);
    rkhs_model_free(bctke);
    rkhs_model_free(tke);
}

/* bctke's own map, whole and through the nearest, and the other two ways; same as the model's parameter. */
static void back_constraints_are_a_map(void **state) {
    rkhs_env *env = *state;
    static const char *const maps[] = {"full", "nearest"};
    enum { ALL = 80, D = 2 };
    rkhs_data *x = fixture_data(env, "small", ALL);
    for (int t = 0; t < 2; t++) {
        char spec[128];
        double Z[ALL * D], Y[ALL * D];
        rkhs_model *m, *other;
        snprintf(spec, sizeof spec, "bctke(neighbours=8, map=%s, solver=lbfgs(max_iter=40))", maps[t]);
        LOOK_AT("%s", spec);
        FINE(env, rkhs_model_new(env, spec, &m));
        FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
        FINE(env, rkhs_model_transform(m, x, Z, D));
        near_all("transform", Z, rkhs_model_embedding(m, NULL, NULL), ALL * D, 1e-9);
        const double *losses = rk_report_values(&m->report, "losses", 41);
        HOLDS(losses && losses[40] < losses[0]);
        snprintf(spec, sizeof spec, "bctke(neighbours=8, map=%s, place=refine, solver=lbfgs(max_iter=40))", maps[t]);
        FINE(env, rkhs_model_new(env, spec, &other));
        FINE(env, rkhs_model_fit(other, NULL, x, NULL, NULL));
        FINE(env, rkhs_model_transform(other, x, Y, D));
        FINE(env, rkhs_model_set_place(m, "refine"));
        FINE(env, rkhs_model_transform(m, x, Z, D));
        same_bits("by the parameter and by the call", Y, Z, ALL * D);
        rkhs_model_free(other);
        rkhs_model_free(m);
    }
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "bctke(map=nearest, gram=nystrom(landmarks=20))", &m));
    FAILS(env, RKHS_ERR_SPEC, "use gram=exact", rkhs_model_fit(m, NULL, x, NULL, NULL));
    rkhs_model_free(m);
    rkhs_data_free(x);
}

/* ---- odd input ------------------------------------------------------------------------------------------------- */

/* Fits a precomputed Gram and returns the embedding, or NULL after a refusal. */
static const double *fit_gram(rkhs_env *env, const char *spec, const double *K, int64_t n, rkhs_status expected,
                              rkhs_model **m) {
    rkhs_data *x;
    rkhs_kernel *k;
    OK(env, rkhs_data_dense(env, K, n, n, n, &x));
    OK(env, rkhs_kernel_new(env, "precomputed", &k));
    OK(env, rkhs_model_new(env, spec, m));
    rkhs_status status = rkhs_model_fit(*m, k, x, NULL, NULL);
    if (status != expected) fail_msg("%s: %d: %s", spec, status, rkhs_env_message(env));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    if (status == RKHS_OK) all_finite("Z", (*m)->Z, n * (*m)->dim);
    return rkhs_model_embedding(*m, NULL, NULL);
}

/* A Gram of `parts` groups of equal objects' neighbours; what is in no group is like nothing. */
static void groups(double *K, int64_t n, int64_t parts, int64_t alone) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            int apart = i % parts != j % parts || i < alone || j < alone;
            K[i * n + j] = i == j ? 1 : apart ? 0 : exp(-0.01 * (double)((i - j) * (i - j)));
        }
}

static void parts_and_lone_objects_are_told_and_embedded(void **state) {
    rkhs_env *env = *state;
    enum { n = 30 };
    static const char *const specs[] = {"tke(neighbours=4)", "bctke(neighbours=4)", "tke(neighbours=4, weights=kernel)",
                                        "bctke(neighbours=4, weights=kernel)"};
    double K[n * n];
    for (int t = 0; t < 4; t++) {
        rkhs_model *m;
        remarks log = {0};
        LOOK_AT("%s", specs[t]);
        rkhs_env_set_log(env, take_remark, &log);
        groups(K, n, 3, 0);
        fit_gram(env, specs[t], K, n, RKHS_OK, &m);
        HOLDS(*rk_report_values(&m->report, "components", 1) == 3);
        HOLDS(log.advice == 1 && says(log.last, "3 connected components"));
        rkhs_model_free(m);
        log = (remarks){0};
        groups(K, n, 1, 2);
        fit_gram(env, specs[t], K, n, RKHS_OK, &m);
        HOLDS(log.advice == 1 && says(log.last, "2 objects have no neighbour"));
        rkhs_model_free(m);
        rkhs_env_set_log(env, NULL, NULL);
    }
}

static void what_cannot_be_embedded_is_refused(void **state) {
    rkhs_env *env = *state;
    enum { n = 12 };
    static const char *const names[] = {"tke", "bctke"};
    double K[n * n];
    for (int t = 0; t < 2; t++) {
        rkhs_model *m;
        groups(K, n, 1, n); /* K = I */
        assert_null(fit_gram(env, names[t], K, n, RKHS_ERR_NUMERIC, &m));
        assert_true(says(rkhs_env_message(env), "no two objects | above 0"));
        rkhs_model_free(m);
        for (int i = 0; i < n * n; i++) K[i] = 1; /* all alike */
        assert_non_null(fit_gram(env, names[t], K, n, RKHS_OK, &m));
        rkhs_model_free(m);
    }
}

static void a_start_must_have_the_shape_of_the_embedding(void **state) {
    rkhs_env *env = *state;
    enum { n = 20 };
    rkhs_data *x = fixture_data(env, "small", n), *fewer = fixture_data(env, "small", n - 1), *labels = fixture_labels(env, n);
    rkhs_data *start;
    rkhs_model *m, *zero;
    double *Z;
    OK(env, rkhs_model_new(env, "tke(dim=3)", &m));
    FAILS(env, RKHS_ERR_DATA, "start | 19 x 3 | 20 x 3", rkhs_model_fit(m, NULL, x, NULL, fewer));
    FAILS(env, RKHS_ERR_DATA, "the start is labels", rkhs_model_fit(m, NULL, x, NULL, labels));
    OK(env, rkhs_model_fit(m, NULL, x, NULL, x)); /* it has three columns */
    rkhs_model_free(m);
    OK(env, rkhs_model_new(env, "tke(dim=2)", &m));
    FAILS(env, RKHS_ERR_DATA, "start | 20 x 3 | 20 x 2", rkhs_model_fit(m, NULL, x, NULL, x));
    rkhs_model_free(m);
    /* Without a step the start is what comes out, but for the sign of its columns. */
    OK(env, rk_data_dense_new(env, n, 2, &Z, &start));
    for (int i = 0; i < 2 * n; i++) Z[i] = i == 3 ? 50 : i == 4 ? 40 : i % 7;
    OK(env, rkhs_model_new(env, "tke(solver=lbfgs(max_iter=0))", &zero));
    OK(env, rkhs_model_fit(zero, NULL, x, NULL, start));
    same_bits("the start", rkhs_model_embedding(zero, NULL, NULL), Z, 2 * n);
    rkhs_model_free(zero);
    rkhs_data_free(start);
    rkhs_data_free(labels);
    rkhs_data_free(fewer);
    rkhs_data_free(x);
}

/* Stops a fit before it has gone down once. */
static int stop_at_once(const rkhs_progress *progress, void *payload) {
    rkhs_env *env = payload;
    env->progress_last = -1e9;
    return 1;
}

static void a_stop_before_the_first_descent_leaves_nothing(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", 50);
    static const char *const specs[] = {"tke", "bctke", "bctke(map=nearest)"};
    for (int t = 0; t < 3; t++) {
        rkhs_model *m;
        OK(env, rkhs_model_new(env, specs[t], &m));
        rkhs_env_set_progress(env, stop_at_once, env);
        env->progress_last = -1e9;
        FAILS(env, RKHS_ERR_CANCELLED, "stopped", rkhs_model_fit(m, NULL, x, NULL, NULL));
        rkhs_env_set_progress(env, NULL, NULL);
        assert_null(rkhs_model_embedding(m, NULL, NULL));
        rkhs_model_free(m);
    }
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(the_objective_is_its_formula),
        ENV_TEST(gradients_are_those_of_central_differences),
        ENV_TEST(local_weights_sum_to_what_is_asked),
        ENV_TEST(weights_follow_distances_where_the_diagonal_differs),
        ENV_TEST(new_objects_lie_where_the_objective_is_low),
        ENV_TEST(ways_that_a_model_does_not_know_are_refused),
        ENV_TEST(back_constraints_are_a_map),
        ENV_TEST(parts_and_lone_objects_are_told_and_embedded),
        ENV_TEST(what_cannot_be_embedded_is_refused),
        ENV_TEST(a_start_must_have_the_shape_of_the_embedding),
        ENV_TEST(a_stop_before_the_first_descent_leaves_nothing),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
