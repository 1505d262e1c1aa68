/* Smooth and linear problems pulled back through a gram: each of the three coordinates, the normaliser, theta. */
#include "env.h"

#include "model/model.h"

enum { N = 40, P = 3, DIM = 2 };

/* Least squares to a target, and a width to be found: f = |Z - t T|^2 / 2 + (t - 2)^2 over `count` rows. */
typedef struct target {
    double T[N * DIM];
    int thetas;
    double scale; /* of the last normaliser */
} target;

static rkhs_status eval_target(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                               double *dt) {
    target *t = context;
    double scale = t->thetas ? theta[0] : 1;
    *f = t->thetas ? (scale - 2) * (scale - 2) : 0;
    if (t->thetas) dt[0] = 2 * (scale - 2);
    for (int64_t i = 0; i < N; i++) {
        for (int c = 0; c < DIM; c++) {
            double r = Z[i * DIM + c] - scale * t->T[i * DIM + c];
            *f += r * r / 2;
            dZ[i * DIM + c] = r;
            if (t->thetas) dt[0] -= r * t->T[i * DIM + c];
        }
    }
    return RKHS_OK;
}

/* Centre and unit variance over all entries. */
static rkhs_status normalise(void *context, const double *Y, double *Z, double *scale, double *shift) {
    double mean[DIM] = {0}, sum = 0;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < DIM; c++) mean[c] += Y[i * DIM + c] / N;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < DIM; c++) sum += pow(Y[i * DIM + c] - mean[c], 2) / (N * DIM);
    *scale = 1 / sqrt(sum);
    for (int c = 0; c < DIM; c++) shift[c] = -mean[c] * *scale;
    for (int i = 0; i < N * DIM; i++) Z[i] = Y[i] * *scale + shift[i % DIM];
    ((target *)context)->scale = *scale;
    return RKHS_OK;
}

/* (g - mean g - z mean(g z)) / s. */
static rkhs_status normalise_back(void *context, const double *Z, const double *dZ, double *dY) {
    double mean[DIM] = {0}, along = 0;
    for (int i = 0; i < N * DIM; i++) mean[i % DIM] += dZ[i] / N, along += dZ[i] * Z[i] / (N * DIM);
    for (int i = 0; i < N * DIM; i++) dY[i] = (dZ[i] - mean[i % DIM] - Z[i] * along) * ((target *)context)->scale;
    return RKHS_OK;
}

typedef struct scene {
    rkhs_env *env;
    double X[N * P], Z[N * DIM], B[N * DIM], c[DIM];
    rkhs_data *x;
    rkhs_kernel *k;
    rk_spec *spec;
    rk_gram *g;
    target t;
} scene;

static void scene_open(rkhs_env *env, const char *gram, scene *s) {
    memset(s, 0, sizeof *s);
    s->env = env;
    for (int i = 0; i < N * P; i++) s->X[i] = rk_normal(1, RK_STREAM_TEST, (uint64_t)i, 0);
    for (int i = 0; i < N * DIM; i++)
        s->t.T[i] = sin(s->X[i / DIM * P] * 2 + i % DIM) + 0.1 * rk_normal(1, RK_STREAM_TEST, (uint64_t)i, 1);
    OK(env, rkhs_data_dense(env, s->X, N, P, P, &s->x));
    OK(env, rkhs_kernel_new(env, "rbf(sigma=1)", &s->k));
    OK(env, rk_spec_new(env, &rk_grams, gram, &s->spec));
    OK(env, rk_gram_new(env, s->spec, s->k, s->x, &s->g));
}

static void scene_close(scene *s) {
    rk_scratch_release(s->env, NULL);
    rk_gram_free(s->g);
    rk_spec_free(s->env, s->spec);
    rkhs_kernel_free(s->k);
    rkhs_data_free(s->x);
}

static rk_smooth_result solve(scene *s, const rk_smooth *problem, const char *solver, const double *Z0, double *theta) {
    rk_spec *spec;
    rk_smooth_result r = {.Z = s->Z, .B = problem->coordinates == RK_COORD_SAMPLE ? NULL : s->B, .c = s->c};
    OK(s->env, rk_spec_new(s->env, &rk_optimisers, solver, &spec));
    OK(s->env, rk_solve_smooth(s->g, spec, problem, Z0, theta, &r));
    rk_spec_free(s->env, spec);
    return r;
}

/* Z must be what the map gives for the training rows. */
static void check_map(scene *s) {
    double Z[N * DIM];
    rk_map map = {.object_count = s->g->map_count, .dim = DIM, .B = s->B, .c = s->c};
    OK(s->env, rk_data_keep(s->x, s->g->map_rows, s->g->map_count, &map.objects));
    OK(s->env, rk_map_apply(s->env, &map, s->k, s->x, Z, DIM, NULL));
    for (int i = 0; i < N * DIM; i++) NEAR(Z[i], s->Z[i], 1e-8);
    rk_unbind(s->env, map.bound);
    rkhs_data_free(map.objects);
}

static const char *const grams[] = {"exact", "nystrom(landmarks=15)", "nystrom(landmarks=15, by=uniform)"};

static void least_squares_with_a_ridge_is_the_linear_problem_in_each_coordinate(void **state) {
    for (int q = 0; q < 3; q++) {
        for (int coordinates = RK_COORD_ALPHA; coordinates <= RK_COORD_ISOMETRIC; coordinates++) {
            for (int start = 0; start < 2; start++) {
                scene s;
                rk_solution linear;
                double Z[N * DIM];
                scene_open(*state, grams[q], &s);
                rk_smooth problem = {.coordinates = (rk_coordinates)coordinates,
                                     .rows = N,
                                     .dim = DIM,
                                     .ridge = 0.05,
                                     .eval = eval_target,
                                     .context = &s.t};
                rk_smooth_result r =
                    solve(&s, &problem, "lbfgs(max_iter=20000, tol=1e-11, ftol=0)", start ? s.t.T : NULL, NULL);
                OK(s.env, rk_solve_linear(s.g, NULL, &(rk_linear){.T = s.t.T, .k = DIM, .mu = 0.1}, &linear));
                OK(s.env, rk_gram_push(s.g, linear.coef, DIM, Z));
                for (int i = 0; i < N * DIM; i++) NEAR(s.Z[i], Z[i], 1e-5);
                check_map(&s);
                assert_true(r.recorded > 1);
                rk_free(s.env, r.history);
                scene_close(&s);
            }
        }
    }
}

static void in_sample_coordinates_the_target_itself_is_reached(void **state) {
    scene s;
    double theta = 1;
    scene_open(*state, "exact", &s);
    rk_smooth problem = {.coordinates = RK_COORD_SAMPLE, .rows = N, .dim = DIM, .eval = eval_target, .context = &s.t};
    rk_smooth_result r = solve(&s, &problem, "lbfgs(tol=1e-9, ftol=0)", NULL, NULL);
    for (int i = 0; i < N * DIM; i++) NEAR(s.Z[i], s.t.T[i], 1e-8);
    rk_free(s.env, r.history);
    s.t.thetas = 1;
    problem.thetas = 1;
    r = solve(&s, &problem, "cg(max_iter=3000, tol=1e-9, ftol=0)", NULL, &theta);
    NEAR(theta, 2, 1e-7); /* theta moves with Z: at the minimum both terms vanish */
    for (int i = 0; i < N * DIM; i++) NEAR(s.Z[i], 2 * s.t.T[i], 1e-6);
    rk_free(s.env, r.history);
    scene_close(&s);
}

static void a_normaliser_is_folded_into_the_map(void **state) {
    for (int q = 0; q < 3; q++) {
        scene s;
        double mean[DIM] = {0}, square = 0;
        scene_open(*state, grams[q], &s);
        rk_smooth problem = {.coordinates = RK_COORD_ALPHA,
                             .rows = N,
                             .dim = DIM,
                             .eval = eval_target,
                             .context = &s.t,
                             .normalise = normalise,
                             .normalise_back = normalise_back};
        rk_smooth_result r = solve(&s, &problem, "lbfgs(max_iter=200)", NULL, NULL);
        for (int i = 0; i < N * DIM; i++) mean[i % DIM] += s.Z[i] / N, square += s.Z[i] * s.Z[i] / (N * DIM);
        for (int c = 0; c < DIM; c++) NEAR(mean[c], 0, 1e-10);
        NEAR(square, 1, 1e-10);
        for (int64_t i = 1; i < r.recorded; i++) assert_true(r.history[i] <= r.history[i - 1]); /* a right gradient */
        assert_true(r.history[r.recorded - 1] < 0.9 * r.history[0]);
        check_map(&s);
        rk_free(s.env, r.history);
        scene_close(&s);
    }
}

static void linear_problems_agree_by_cholesky_and_cg(void **state) {
    for (int q = 0; q < 3; q++) {
        scene s;
        rk_solution a, b;
        rk_spec *cg;
        double before[N], after[N];
        scene_open(*state, grams[q], &s);
        OK(s.env, rk_gram_mul(s.g, s.t.T, 1, before));
        OK(s.env, rk_spec_new(s.env, &rk_linsolvers, "cg(tol=1e-13)", &cg));
        OK(s.env, rk_solve_linear(s.g, NULL, &(rk_linear){.T = s.t.T, .k = DIM, .mu = 0.3}, &a));
        OK(s.env, rk_gram_mul(s.g, s.t.T, 1, after));
        assert_memory_equal(before, after, sizeof before); /* a Gram that was spent is put back */
        OK(s.env, rk_solve_linear(s.g, cg, &(rk_linear){.T = s.t.T, .k = DIM, .mu = 0.3}, &b));
        assert_true(a.converged && b.converged);
        for (int64_t i = 0; i < s.g->rank * DIM; i++) NEAR(a.coef[i], b.coef[i], 1e-9);
        rk_spec_free(s.env, cg);
        scene_close(&s);
    }
}

/* The factor is made in place of a Gram that is the gram's own, and found or not, every bit comes back. */
static void a_gram_is_as_it_was_after_its_factor(void **state) {
    rkhs_env *env = *state;
    enum { n = 600 };
    double *points = malloc(n * 3 * sizeof *points), *before = malloc((size_t)n * n * sizeof *before);
    rkhs_data *x;
    rkhs_kernel *k;
    rk_spec *spec;
    rk_gram *g;
    int64_t ld;
    int spendable, above;
    for (uint64_t i = 0; i < n * 3; i++) points[i] = noise(53, i);
    OK(env, rkhs_data_dense(env, points, n, 3, 3, &x));
    OK(env, rkhs_kernel_new(env, "rbf(sigma=1)", &k));
    OK(env, rk_spec_new(env, &rk_grams, "exact", &spec));
    OK(env, rk_gram_new(env, spec, k, x, &g));
    const double *K = rk_gram_matrix(g, &ld, &spendable);
    assert_true(spendable && ld == n);
    memcpy(before, K, (size_t)n * n * sizeof *before);
    for (int t = 0; t < 2; t++) {
        OK(env, rk_shifted_psd(g, t ? -0.01 : 1e-9, &above)); /* its small eigenvalues are below 0.01 */
        assert_int_equal(above, !t);
        assert_memory_equal(before, K, (size_t)n * n * sizeof *before);
    }
    rk_gram_free(g);
    rk_scratch_release(env, NULL);
    rk_spec_free(env, spec);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    free(points), free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(least_squares_with_a_ridge_is_the_linear_problem_in_each_coordinate),
        ENV_TEST(in_sample_coordinates_the_target_itself_is_reached),
        ENV_TEST(a_normaliser_is_folded_into_the_map),
        ENV_TEST(linear_problems_agree_by_cholesky_and_cg),
        ENV_TEST(a_gram_is_as_it_was_after_its_factor),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
