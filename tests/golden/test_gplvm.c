/* Gaussian process latent variables against the formula, written in NumPy (make_gplvm.py) and here in plain loops:
 * likelihood, gradient, where new objects go; and what is odd in the input. */
#include "contract/fixtures.h"
#include "model/gplvm.h"

enum { N = 150, P = 6, D = 2, THETAS = 3 };

static const char *const kernels[] = {"linear", "rbf(gamma=0.1)"};
static const char *const names[] = {"linear", "rbf"};
static const char *const grams[] = {"exact", "nystrom(landmarks=150)"};

static rkhs_data *golden(rkhs_env *env, const char *name, const char *what) {
    const char *source = getenv("RKHS_SOURCE");
    char path[1024];
    rkhs_data *x;
    snprintf(path, sizeof path, "%s/tests/golden/data/gplvm_%s%s.npy", source ? source : ".", name, what);
    LOOK_AT("the golden array gplvm_%s%s", name, what);
    FINE(env, rkhs_data_read(env, path, NULL, &x));
    return x;
}

/* The process of golden data with a kernel, held by a gram. */
typedef struct setting {
    rkhs_data *x;
    rkhs_kernel *kernel;
    rk_spec *spec;
    rk_gram *gram;
    rk_gplvm p;
} setting;

static setting open_setting(rkhs_env *env, int kernel, int gram) {
    setting s = {.x = golden(env, "x", "")};
    OK(env, rkhs_kernel_new(env, kernels[kernel], &s.kernel));
    OK(env, rk_spec_new(env, &rk_grams, grams[gram], &s.spec));
    OK(env, rk_gram_new(env, s.spec, s.kernel, s.x, &s.gram));
    OK(env, rk_gplvm_new(s.gram, kernel ? N - 1 : P, D, &s.p));
    s.p.prior = 1;
    return s;
}

static void close_setting(rkhs_env *env, setting *s) {
    rk_gram_free(s->gram);
    rk_spec_free(env, s->spec);
    rkhs_kernel_free(s->kernel);
    rkhs_data_free(s->x);
}

/* ---- likelihood ------------------------------------------------------------------------------------------------ */

static void the_likelihood_and_its_gradient_are_those_of_numpy(void **state) {
    rkhs_env *env = *state;
    rkhs_data *z = golden(env, "z", "");
    for (int t = 0; t < 4; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *gradient = golden(env, names[t % 2], "_gradient"), *results = golden(env, names[t % 2], "_numbers");
        const double *right = rkhs_data_values(results, NULL);
        double f, dt[THETAS], *dZ = numbers(env, N * D);
        setting s = open_setting(env, t % 2, t / 2);
        LOOK_AT("%s, %s", kernels[t % 2], grams[t / 2]);
        FINE(env, rk_gplvm_eval(&s.p, env, rkhs_data_values(z, NULL), right, &f, dZ, dt));
        HOLDS(t % 2 || s.p.r == P);
        near_each("L", &f, right + THETAS, 1, 1e-9);
        near_all("dL/dtheta", dt, right + THETAS + 1, THETAS, 1e-9);
        near_all("dL/dZ", dZ, rkhs_data_values(gradient, NULL), N * D, 1e-9);
        close_setting(env, &s);
        rkhs_data_free(gradient);
        rkhs_data_free(results);
        rk_scratch_release(env, mark);
    }
    rkhs_data_free(z);
}

/* L along a direction in Z (or in A, Z = K A) and each number of theta, against central differences. */
static void gradients_are_those_of_central_differences(void **state) {
    rkhs_env *env = *state;
    for (int t = 0; t < 4; t++)
        for (int which = 0; which <= THETAS; which++) {
            int mapped = t / 2;
            rk_mark mark = rk_scratch_mark(env);
            setting s = open_setting(env, mapped ? 1 : t % 2, 0);
            double *A = normals(env, N * D, 61), *step = normals(env, N * D, 62), *at = numbers(env, N * D);
            double *Z = numbers(env, N * D), *dZ = numbers(env, N * D), *dA = numbers(env, N * D), f[3], dt[THETAS];
            double unused[THETAS], slope = 0, h = 1e-5;
            for (int64_t i = 0; i < N * D; i++) A[i] *= mapped ? 0.2 : 1;
            for (int side = -1; side <= 1; side++) {
                double theta[THETAS] = {-0.2, 0.1, -1.5};
                if (which) theta[which - 1] += side * h;
                for (int64_t i = 0; i < N * D; i++) at[i] = A[i] + (which ? 0 : side * h * step[i]);
                if (mapped) FINE(env, rk_gram_mul(s.gram, at, D, Z));
                FINE(env, rk_gplvm_eval(&s.p, env, mapped ? Z : at, theta, &f[side + 1], side ? dA : dZ, side ? unused : dt));
            }
            LOOK_AT("the gradient in %s, %s", which ? "theta" : mapped ? "A" : "Z", kernels[mapped ? 1 : t % 2]);
            if (mapped) FINE(env, rk_gram_mul(s.gram, dZ, D, dA));
            for (int64_t i = 0; i < N * D; i++) slope += (mapped ? dA : dZ)[i] * step[i];
            if (which) slope = dt[which - 1];
            double central = (f[2] - f[0]) / (2 * h);
            if (!(fabs(slope - central) <= 1e-7 * fabs(central))) fail_msg("%s: %.12g, not %.12g", context, slope, central);
            close_setting(env, &s);
            rk_scratch_release(env, mark);
        }
}

/* Whatever K cannot be inverted at is infinite, and no failure: a line search comes back from there. */
static void codes_without_an_inverse_are_infinitely_unlikely(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    setting s = open_setting(env, 0, 0);
    double f, dt[THETAS], *Z = numbers(env, N * D), *dZ = numbers(env, N * D);
    static const double thetas[][THETAS] = {{0, 60, -60}, {800, 0, 0}, {-800, 0, 0}, {0, 800, 0}, {0, 0, 800}};
    for (int t = 0; t < 5; t++) {
        LOOK_AT("theta %d", t);
        FINE(env, rk_gplvm_eval(&s.p, env, Z, thetas[t], &f, dZ, dt));
        HOLDS(isinf(f) && f > 0);
    }
    close_setting(env, &s);
    rk_scratch_release(env, mark);
}

/* ---- new objects ----------------------------------------------------------------------------------------------- */

/* Less the logarithm of the likelihood of row y at z, for vectors X (n x p) about their mean, as it is written. */
typedef struct plain {
    int64_t n, p;
    const double *X, *Z;
    double mean[P], width, variance, noise, prior;
    double *inverse, *weights; /* K^-1, K^-1 (X - mean) */
} plain;

static double unlikely(const plain *q, const double *y, const double *z) {
    double error = 0, v = q->variance + q->noise, squares = 0, k[N];
    for (int64_t j = 0; j < q->n; j++) {
        double s = 0;
        for (int c = 0; c < D; c++) s += pow(z[c] - q->Z[j * D + c], 2);
        k[j] = q->variance * exp(-s / (2 * q->width * q->width));
    }
    for (int64_t i = 0; i < q->n; i++)
        for (int64_t j = 0; j < q->n; j++) v -= k[i] * q->inverse[i * q->n + j] * k[j];
    for (int64_t c = 0; c < q->p; c++) {
        double m = 0;
        for (int64_t j = 0; j < q->n; j++) m += k[j] * q->weights[j * q->p + c];
        error += pow(y[c] - q->mean[c] - m, 2);
    }
    for (int c = 0; c < D; c++) squares += z[c] * z[c];
    return 0.5 * ((double)q->p * log(v) + error / v + q->prior * squares);
}

static void new_objects_lie_where_their_row_is_likely(void **state) {
    rkhs_env *env = *state;
    enum { TRAIN = 60, NEW = 20 };
    for (int t = 0; t < 2; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *all = golden(env, "x", ""), *x, *fresh;
        const double *X = rkhs_data_values(all, NULL);
        double *refined = numbers(env, NEW * D), *first = numbers(env, NEW * D), *K = numbers(env, TRAIN * TRAIN);
        rkhs_model *m;
        OK(env, rkhs_data_dense(env, X, TRAIN, P, P, &x));
        OK(env, rkhs_data_dense(env, X + TRAIN * P, NEW, P, P, &fresh));
        OK(env, rkhs_model_new(env, t ? "gplvm(gram=nystrom)" : "gplvm", &m));
        FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
        FINE(env, rkhs_model_transform(m, fresh, refined, D));
        FINE(env, rkhs_model_set_place(m, "neighbour"));
        FINE(env, rkhs_model_transform(m, fresh, first, D));
        plain q = {.n = TRAIN, .p = P, .X = X, .Z = rkhs_model_embedding(m, NULL, NULL), .prior = 1};
        q.width = item_of(m, "width").values[0], q.variance = item_of(m, "variance").values[0],
        q.noise = item_of(m, "noise").values[0];
        q.inverse = numbers(env, TRAIN * TRAIN), q.weights = numbers(env, TRAIN * P);
        for (int64_t i = 0; i < TRAIN * P; i++) q.mean[i % P] += X[i] / TRAIN;
        for (int64_t i = 0; i < TRAIN; i++) {
            q.inverse[i * TRAIN + i] = 1;
            for (int64_t c = 0; c < P; c++) q.weights[i * P + c] = X[i * P + c] - q.mean[c];
        }
        for (int twice = 0; twice < 2; twice++) {
            for (int64_t i = 0; i < TRAIN * TRAIN; i++) {
                double s = 0;
                for (int c = 0; c < D; c++) s += pow(q.Z[i / TRAIN * D + c] - q.Z[i % TRAIN * D + c], 2);
                K[i] = q.variance * exp(-s / (2 * q.width * q.width)) + (i % (TRAIN + 1) ? 0 : q.noise);
            }
            eliminate(TRAIN, K, twice ? P : TRAIN, twice ? q.weights : q.inverse);
        }
        int moved = 0;
        for (int64_t i = 0; i < NEW; i++) {
            const double *y = X + (TRAIN + i) * P, *z = refined + i * D;
            double here = unlikely(&q, y, z), guess = unlikely(&q, y, first + i * D), h = 1e-3 * q.width;
            LOOK_AT("new object %lld, %s", (long long)i, t ? "nystrom" : "exact");
            HOLDS(here <= guess + 1e-9 * fabs(guess));
            moved += here < guess - 1e-6 * fabs(guess);
            for (int c = 0; c < 2 * D; c++) { /* a minimum: higher on every side */
                double at[D] = {z[0], z[1]};
                at[c / 2] += c % 2 ? h : -h;
                HOLDS(unlikely(&q, y, at) > here - 1e-10 * fabs(here));
            }
        }
        HOLDS(moved > NEW / 2);
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rkhs_data_free(all);
        rk_scratch_release(env, mark);
    }
}

static void a_kept_object_gets_its_own_code(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = golden(env, "x", "");
    double *Z = numbers(env, N * D);
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "gplvm(solver=lbfgs(max_iter=20))", &m));
    OK(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
    OK(env, rkhs_model_transform(m, x, Z, D));
    same_bits("codes", Z, rkhs_model_embedding(m, NULL, NULL), N * D);
    rkhs_model_free(m);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* ---- data and starts ------------------------------------------------------------------------------------------- */

/* On numbers the data are compared by the linear kernel, whatever the map's kernel is. */
static void the_data_of_a_back_constraint_have_their_own_kernel(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    static const char *const specs[] = {"bcgplvm(solver=lbfgs(max_iter=5))",
                                        "bcgplvm(data_kernel=linear, solver=lbfgs(max_iter=5))",
                                        "bcgplvm(data_kernel=\"rbf(gamma=0.1)\", solver=lbfgs(max_iter=5))"};
    rkhs_data *x = golden(env, "x", "");
    double Z[3][N * D];
    for (int t = 0; t < 3; t++) {
        rkhs_model *m;
        OK(env, rkhs_model_new(env, specs[t], &m));
        OK(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
        memcpy(Z[t], rkhs_model_embedding(m, NULL, NULL), sizeof Z[t]);
        HOLDS(item_of(m, "features").values[0] == (t < 2 ? P : N - 1));
        rkhs_model_free(m);
    }
    same_bits("data=linear", Z[1], Z[0], N * D);
    HOLDS(memcmp(Z[2], Z[0], sizeof Z[0]) != 0);
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "bcgplvm(data_kernel=nothing)", &m));
    FAILS(env, RKHS_ERR_SPEC, "nothing", rkhs_model_fit(m, NULL, x, NULL, NULL));
    rkhs_model_free(m);
    OK(env, rkhs_model_new(env, "bcgplvm(data_kernel=spectrum)", &m));
    HOLDS(rkhs_model_fit(m, NULL, x, NULL, NULL) == RKHS_ERR_DATA);
    rkhs_model_free(m);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

static int stop_at_once(const rkhs_progress *progress, void *payload) { return 1; }

/* No descent at all leaves the start; a given one as it is; a wrong one is refused; one that is stopped leaves
 * nothing. */
static void a_start_is_where_it_begins(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = golden(env, "x", ""), *start, *wrong;
    double *Z0 = normals(env, N * 3, 71);
    static const char *const specs[] = {"gplvm", "bcgplvm"};
    OK(env, rkhs_data_dense(env, Z0, N, D, D, &start));
    OK(env, rkhs_data_dense(env, Z0, N, 3, 3, &wrong));
    for (int t = 0; t < 2; t++) {
        rkhs_model *m;
        char spec[128];
        snprintf(spec, sizeof spec, "%s(solver=lbfgs(max_iter=0))", specs[t]);
        LOOK_AT("%s", spec);
        FINE(env, rkhs_model_new(env, spec, &m));
        FINE(env, rkhs_model_fit(m, NULL, x, NULL, start));
        const double *Z = rkhs_model_embedding(m, NULL, NULL);
        for (int64_t i = 0; t == 0 && i < N * D; i++) HOLDS(fabs(Z[i]) == fabs(Z0[i])); /* columns may be turned */
        all_finite("Z", Z, N * D);
        HOLDS(item_of(m, "iterations").values[0] == 0);
        REFUSED(env, RKHS_ERR_DATA, "150 x 3 | 150 x 2", rkhs_model_fit(m, NULL, x, NULL, wrong));
        rkhs_model_free(m);
        FINE(env, rkhs_model_new(env, specs[t], &m));
        rkhs_env_set_progress(env, stop_at_once, env);
        env->progress_last = -1e9;
        HOLDS(rkhs_model_fit(m, NULL, x, NULL, NULL) == RKHS_ERR_CANCELLED);
        rkhs_env_set_progress(env, NULL, NULL);
        assert_null(rkhs_model_embedding(m, NULL, NULL));
        rkhs_model_free(m);
    }
    rkhs_data_free(start);
    rkhs_data_free(wrong);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* Two objects; more dimensions than the data have; constant columns; objects that are all equal; all give codes. */
static void odd_data_give_codes(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    static const struct {
        int64_t n, p, varied;
        int dim;
    } shapes[] = {{2, 3, 3, 2}, {2, 1, 1, 1}, {30, 2, 2, 5}, {30, 6, 1, 2}, {30, 4, 0, 2}};
    double *values = normals(env, 30 * 6, 81), x[30 * 6], Z[30 * 5];
    for (int t = 0; t < 10; t++) {
        int64_t n = shapes[t / 2].n, p = shapes[t / 2].p;
        char spec[128];
        rkhs_data *data;
        rkhs_model *m;
        for (int64_t i = 0; i < n * p; i++) x[i] = i % p < shapes[t / 2].varied ? values[i] : 3;
        snprintf(spec, sizeof spec, "%s(dim=%d)", t % 2 ? "bcgplvm" : "gplvm", shapes[t / 2].dim);
        LOOK_AT("%s on %lld x %lld", spec, (long long)n, (long long)p);
        FINE(env, rkhs_data_dense(env, x, n, p, p, &data));
        FINE(env, rkhs_model_new(env, spec, &m));
        FINE(env, rkhs_model_fit(m, NULL, data, NULL, NULL));
        FINE(env, rkhs_model_transform(m, data, Z, shapes[t / 2].dim));
        all_finite("Z", rkhs_model_embedding(m, NULL, NULL), n * shapes[t / 2].dim);
        all_finite("transform", Z, n * shapes[t / 2].dim);
        if (shapes[t / 2].varied == 0) HOLDS(largest(Z, n * shapes[t / 2].dim) == 0);
        rkhs_model_free(m);
        rkhs_data_free(data);
    }
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(the_likelihood_and_its_gradient_are_those_of_numpy),
        ENV_TEST(gradients_are_those_of_central_differences),
        ENV_TEST(codes_without_an_inverse_are_infinitely_unlikely),
        ENV_TEST(new_objects_lie_where_their_row_is_likely),
        ENV_TEST(a_kept_object_gets_its_own_code),
        ENV_TEST(the_data_of_a_back_constraint_have_their_own_kernel),
        ENV_TEST(a_start_is_where_it_begins),
        ENV_TEST(odd_data_give_codes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
