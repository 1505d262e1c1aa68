/* Contrastive models against the paper's own forms, computed here with dense matrices: Theorem 3 for contrastive,
 * Theorem 4 for spectral; gradients against central differences; and what is refused. */
#include "../unit/env.h"

#include "model/contrastive.h"

enum { N = 24, S = 3 * N, P = 3, H = 2, NEW = 5 };

/* Anchors, positives near them, negatives anywhere, and new objects. */
static rkhs_data *objects(rkhs_env *env, double *x, int count) {
    rkhs_data *data;
    for (int i = 0; i < count; i++)
        for (int c = 0; c < P; c++) {
            x[i * P + c] = 2 * noise(1, (uint64_t)(i * P + c));
            if (i >= N && i < 2 * N) x[i * P + c] = x[(i - N) * P + c] + 0.3 * noise(2, (uint64_t)(i * P + c));
        }
    OK(env, rkhs_data_dense(env, x, count, P, P, &data));
    return data;
}

static rkhs_data *triplets(rkhs_env *env) {
    int64_t rows[S];
    rkhs_data *y;
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) rows[3 * i + c] = c * N + i;
    OK(env, rkhs_data_index(env, rows, N, 3, S, &y));
    return y;
}

static double kernel(const double *a, const double *b) {
    double sum = 0;
    for (int c = 0; c < P; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return exp(-sum / 2);
}

static double *numbers(rkhs_env *env, int64_t count) {
    double *x;
    OK(env, rk_scratch(env, count, sizeof *x, &x));
    return x;
}

static rkhs_model *fitted(rkhs_env *env, const char *spec, const rkhs_data *x, const rkhs_data *y) {
    rkhs_kernel *k;
    rkhs_model *m;
    OK(env, rkhs_kernel_new(env, "rbf(sigma=1)", &k));
    OK(env, rkhs_model_new(env, spec, &m));
    OK(env, rkhs_model_fit(m, k, x, y, NULL));
    rkhs_kernel_free(k);
    return m;
}

static double reported(const rkhs_model *m, const char *name) {
    rkhs_item item;
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
        if (strcmp(item.name, name) == 0 && item.values) return item.values[0];
    fail_msg("no %s in the report", name);
    return 0;
}

/* C = A B, all n x n. */
static void product(int n, const double *A, const double *B, double *C) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (int k = 0; k < n; k++) C[i * n + j] += A[i * n + k] * B[k * n + j];
        }
}

/* ---- Theorem 3 ------------------------------------------------------------------------------------------------- */

/* Row of [k(x, X), k(x, X-) - k(x, X+)]. */
static void features(const double *x, const double *point, double *out) {
    for (int i = 0; i < N; i++) {
        out[i] = kernel(point, x + i * P);
        out[N + i] = kernel(point, x + (2 * N + i) * P) - kernel(point, x + (N + i) * P);
    }
}

/* A of Theorem 3 (2N x H): K_1^-1/2 times the top eigenvectors of K_1^-1/2 K_2 K_1^-1/2. The lower left block of K_1
 * is K_3', not K_3 as printed, which would not be symmetric; likewise K_3' in the second factor's place of B. */
static void theorem_3(rkhs_env *env, const double *x, double *A) {
    enum { T = 2 * N };
    double *K1 = numbers(env, T * T), *copy = numbers(env, T * T), *w = numbers(env, T), *V = numbers(env, T * T);
    double *root = numbers(env, T * T), *B = numbers(env, T * T), *K2 = numbers(env, T * T), *C = numbers(env, T * T);
    const double *a = x, *p = x + N * P, *q = x + 2 * N * P;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            K1[i * T + j] = kernel(a + i * P, a + j * P);
            K1[i * T + N + j] = kernel(a + i * P, q + j * P) - kernel(a + i * P, p + j * P);
            K1[(N + j) * T + i] = K1[i * T + N + j];
            K1[(N + i) * T + N + j] = kernel(q + i * P, q + j * P) + kernel(p + i * P, p + j * P) -
                                      kernel(q + i * P, p + j * P) - kernel(p + i * P, q + j * P);
        }
    for (int i = 0; i < T; i++) /* B = [K_3; K_delta] [K, K_3] */
        for (int j = 0; j < T; j++)
            for (int k = 0; k < N; k++) B[i * T + j] += K1[i * T + N + k] * K1[k * T + j];
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) K2[i * T + j] = -(B[i * T + j] + B[j * T + i]) / 2;
    memcpy(copy, K1, T * T * sizeof *copy);
    OK(env, rk_eigen(env, T, copy, T, 0, T - 1, w, V));
    assert_true(w[0] > 1e-6 * w[T - 1]);
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            for (int k = 0; k < T; k++) root[i * T + j] += V[k * T + i] * V[k * T + j] / sqrt(w[k]);
    product(T, root, K2, B);
    product(T, B, root, C);
    OK(env, rk_eigen(env, T, C, T, T - H, T - 1, w, V));
    assert_true(w[0] > 0 && w[1] > 1.01 * w[0]);
    for (int i = 0; i < T; i++)
        for (int c = 0; c < H; c++) {
            A[i * H + c] = 0;
            for (int k = 0; k < T; k++) A[i * H + c] += root[i * T + k] * V[(H - 1 - c) * T + k];
        }
}

static void contrastive_is_theorem_3(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"exact", "nystrom(landmarks=72)"};
    rk_mark mark = rk_scratch_mark(env);
    double x[(S + NEW) * P], *A = numbers(env, 2 * N * H), row[2 * N], fresh[NEW * H];
    rkhs_data *all = objects(env, x, S + NEW), *train, *new, *y = triplets(env);
    OK(env, rkhs_data_dense(env, x, S, P, P, &train));
    OK(env, rkhs_data_dense(env, x + S * P, NEW, P, P, &new));
    theorem_3(env, x, A);
    for (int k = 0; k < 2; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, "contrastive(dim=2, gram=%s)", grams[k]);
        rkhs_model *m = fitted(env, spec, train, y);
        const double *Z = rkhs_model_embedding(m, NULL, NULL);
        OK(env, rkhs_model_transform(m, new, fresh, H));
        double loss = 0;
        for (int c = 0; c < H; c++) {
            double sign = 0;
            for (int i = 0; i < S + NEW; i++) {
                double want = 0, got = i < S ? Z[i * H + c] : fresh[(i - S) * H + c];
                features(x, x + i * P, row);
                for (int j = 0; j < 2 * N; j++) want += row[j] * A[j * H + c];
                if (sign == 0) sign = want * got > 0 ? 1 : -1;
                NEAR(got, sign * want, 1e-10);
            }
            for (int i = 0; i < N; i++) loss += Z[i * H + c] * (Z[(2 * N + i) * H + c] - Z[(N + i) * H + c]);
        }
        NEAR(reported(m, "loss"), loss, 1e-10);
        NEAR(reported(m, "triplets"), N, 0);
        /* Theorem 6 with k(x,x) = 1 and |W|^2 = 2 */
        NEAR(reported(m, "bound_complexity"), 2 * 3 * sqrt(2.0 * N) / N, 1e-12);
        NEAR(reported(m, "bound_slack"), 2 * sqrt(log(20) / N), 1e-12);
        rkhs_model_free(m);
    }
    rkhs_data *made[] = {y, train, new, all};
    for (int k = 0; k < 4; k++) rkhs_data_free(made[k]);
    rk_scratch_release(env, mark);
}

/* ---- Theorem 4 ------------------------------------------------------------------------------------------------- */

/* Positives and drawn or given negatives, each anchor with its own or with all: f by the definition. */
static double loss_of(const rk_contrast *o, const double *Z) {
    const rk_triplets *t = o->triplets;
    double f = 0;
    for (int64_t i = 0; i < t->count; i++) {
        const double *a = Z + t->rows[3 * i] * H;
        f -= 2 * rk_dot(H, a, Z + t->rows[3 * i + 1] * H);
        if (!o->all) f += pow(rk_dot(H, a, Z + t->rows[3 * i + 2] * H), 2);
        int pools = t->drawn ? 1 : 2;
        for (int64_t j = 0; o->all && j < t->count; j++)
            for (int k = 0; k < pools; k++)
                f += pow(rk_dot(H, a, Z + t->rows[3 * j + 2 * k] * H), 2) / (double)(t->count * pools);
    }
    return f;
}

static void gradients_are_those_of_central_differences(void **state) {
    rkhs_env *env = *state;
    int64_t rows[] = {0, 1, 2, 3, 4, 5, 1, 0, 5, 2, 4, 0, 0, 3, 4};
    double Z[6 * H], dZ[6 * H], f;
    for (int i = 0; i < 6 * H; i++) Z[i] = noise(3, (uint64_t)i);
    for (int q = 0; q < 4; q++) {
        rk_triplets t = {5, rows, q & 1};
        rk_contrast o = {.triplets = &t, .dim = H, .all = q >> 1};
        memset(dZ, 0, sizeof dZ);
        OK(env, rk_contrast_eval(&o, env, Z, NULL, &f, dZ, NULL));
        NEAR(f, loss_of(&o, Z), 1e-14);
        for (int i = 0; i < 6 * H; i++) {
            double old = Z[i], h = 1e-5, up, down;
            Z[i] = old + h, up = loss_of(&o, Z);
            Z[i] = old - h, down = loss_of(&o, Z);
            Z[i] = old;
            NEAR(dZ[i], (up - down) / (2 * h), 1e-7);
        }
    }
}

/* At the end of a fit the gradient of Theorem 4, 2 ridge Z K^-1 and its three cases, is 0, and the loss is the
 * theorem's. */
static void spectral_ends_where_theorem_4_is_stationary(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double x[S * P], *K = numbers(env, S * S), *U = numbers(env, S * H), trace = 0, steepest = 0;
    rkhs_data *train = objects(env, x, S), *y = triplets(env);
    rkhs_model *m = fitted(env, "spectral(negatives=drawn, solver=lbfgs(max_iter=5000, tol=1e-9, ftol=0))", train, y);
    const double *Z = rkhs_model_embedding(m, NULL, NULL);
    double ridge = reported(m, "ridge");
    assert_true(ridge > reported(m, "ridge_above") && ridge < reported(m, "ridge_below"));
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) K[i * S + j] = kernel(x + i * P, x + j * P);
    int64_t bad;
    OK(env, rk_cholesky(env, NULL, S, K, S, &bad));
    assert_int_equal(bad, -1);
    memcpy(U, Z, S * H * sizeof *U);
    OK(env, rk_cholesky_solve(env, S, H, K, S, U, H));
    for (int i = 0; i < S * H; i++) trace += Z[i] * U[i];
    double loss = ridge * trace;
    for (int i = 0; i < N; i++) {
        const double *a = Z + i * H, *p = Z + (N + i) * H, *q = Z + (2 * N + i) * H;
        double s = rk_dot(H, a, q);
        loss += s * s - 2 * rk_dot(H, a, p);
        for (int c = 0; c < H; c++) {
            steepest = fmax(steepest, fabs(2 * ridge * U[i * H + c] - 2 * p[c] + 2 * s * q[c]));
            steepest = fmax(steepest, fabs(2 * ridge * U[(N + i) * H + c] - 2 * a[c]));
            steepest = fmax(steepest, fabs(2 * ridge * U[(2 * N + i) * H + c] + 2 * s * a[c]));
        }
    }
    NEAR(reported(m, "loss"), loss, 1e-9);
    assert_true(loss < -0.1 && steepest < 1e-5); /* rounding leaves 4e-8 to 1e-6, as the BLAS has it */
    NEAR(reported(m, "bound_ridge"), ridge * trace, 1e-8);
    NEAR(reported(m, "bound_complexity"), pow(trace, 1.5) * 3 * sqrt(2.0 * N) / N, 1e-8);
    rkhs_model_free(m);
    rkhs_data_free(y);
    rkhs_data_free(train);
    rk_scratch_release(env, mark);
}

/* Both numbers, by dense matrices: M = sum a p' + p a' in the factor of K, and the same on what is orthogonal to
 * negatives. */
static void the_ridge_is_between_the_eigenvalues_of_the_paper(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double x[S * P], *F = numbers(env, S * S), *M = numbers(env, S * S), *A = numbers(env, S * S), *w = numbers(env, S);
    double *V = numbers(env, S * S), *PM = numbers(env, S * S), *PMP = numbers(env, S * S);
    int64_t bad;
    rkhs_data *train = objects(env, x, S), *y = triplets(env);
    rkhs_model *m = fitted(env, "spectral(negatives=drawn)", train, y);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) F[i * S + j] = kernel(x + i * P, x + j * P);
    OK(env, rk_cholesky(env, NULL, S, F, S, &bad));
    for (int i = 0; i < S; i++)
        for (int j = i + 1; j < S; j++) F[i * S + j] = 0;
    for (int i = 0; i < N; i++)
        for (int a = 0; a < S; a++)
            for (int b = 0; b < S; b++) {
                M[a * S + b] += F[i * S + a] * F[(N + i) * S + b] + F[(N + i) * S + a] * F[i * S + b];
                A[a * S + b] += F[(2 * N + i) * S + a] * F[(2 * N + i) * S + b];
            }
    OK(env, rk_eigen(env, S, A, S, 0, S - N - 1, w, V)); /* the null space: N negatives that are independent */
    assert_true(fabs(w[S - N - 1]) < 1e-12);
    memset(A, 0, S * S * sizeof *A);
    for (int k = 0; k < S - N; k++)
        for (int a = 0; a < S; a++)
            for (int b = 0; b < S; b++) A[a * S + b] += V[k * S + a] * V[k * S + b];
    product(S, A, M, PM);
    product(S, PM, A, PMP);
    OK(env, rk_eigen(env, S, PMP, S, S - 1, S - 1, w, V));
    NEAR(reported(m, "ridge_above"), w[0], 1e-4);
    OK(env, rk_eigen(env, S, M, S, S - 1, S - 1, w, V));
    NEAR(reported(m, "ridge_below"), w[0], 1e-10);
    rkhs_model_free(m);
    rkhs_data_free(y);
    rkhs_data_free(train);
    rk_scratch_release(env, mark);
}

/* Large problems go by products with K; they end where the whole spectrum does, also where K has a small rank. */
static void products_alone_find_what_a_dense_solver_does(void **state) {
    rkhs_env *env = *state;
    enum { MANY = 600, D = 3 };
    static const char *const kernels[] = {"rbf(sigma=1)", "rbf(sigma=5)", "linear", "laplacian(sigma=2) + linear"};
    rk_mark mark = rk_scratch_mark(env);
    double *x = numbers(env, MANY * P);
    rkhs_data *data, *y;
    int64_t *rows;
    OK(env, rk_scratch(env, MANY, sizeof *rows, &rows));
    for (int i = 0; i < MANY * P; i++) x[i] = noise(4, (uint64_t)(i % (MANY * P / 3))) + 0.2 * noise(5, (uint64_t)i);
    for (int i = MANY * P / 3 * 2; i < MANY * P; i++) x[i] = 2 * noise(6, (uint64_t)i);
    for (int i = 0; i < MANY; i++) rows[i] = i % 3 * (MANY / 3) + i / 3;
    OK(env, rkhs_data_dense(env, x, MANY, P, P, &data));
    OK(env, rkhs_data_index(env, rows, MANY / 3, 3, MANY, &y));
    for (int q = 0; q < 4; q++) {
        rkhs_kernel *k;
        rkhs_model *m[2];
        const double *Z[2];
        OK(env, rkhs_kernel_new(env, kernels[q], &k));
        for (int side = 0; side < 2; side++) {
            OK(env, rkhs_model_new(env, side ? "contrastive(dim=3, solver=dense)" : "contrastive(dim=3)", &m[side]));
            OK(env, rkhs_model_fit(m[side], k, data, y, NULL));
            Z[side] = rkhs_model_embedding(m[side], NULL, NULL);
            NEAR(reported(m[side], "converged"), 1, 0);
        }
        double most = 0;
        for (int i = 0; i < MANY * D; i++) most = fmax(most, fabs(Z[1][i]));
        assert_true(most > 0.1 && reported(m[0], "iterations") >= 1);
        for (int i = 0; i < MANY * D; i++) assert_true(fabs(Z[0][i] - Z[1][i]) <= 1e-9 * most);
        NEAR(reported(m[0], "loss"), reported(m[1], "loss"), 1e-11);
        rkhs_model_free(m[0]);
        rkhs_model_free(m[1]);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(y);
    rkhs_data_free(data);
    rk_scratch_release(env, mark);
}

/* ---- drawn triplets -------------------------------------------------------------------------------------------- */

/* A fit that draws equals one on the same objects and triplets, given; pairs too, with the negatives that are drawn
 * for them. */
static void drawn_triplets_are_as_good_as_given_ones(void **state) {
    rkhs_env *env = *state;
    double x[N * P];
    int64_t rows[3 * N];
    rkhs_data *train = objects(env, x, N), *positives, *both, *y;
    OK(env, rkhs_env_set_seed(env, 7));
    rkhs_model *drawn = fitted(env, "contrastive(augment=noise(0.2))", train, NULL), *given;
    OK(env, rkhs_data_augment(env, train, "noise(0.2)", &positives));
    OK(env, rkhs_data_join(env, (const rkhs_data *[]){train, positives}, 2, &both));
    for (int i = 0; i < N; i++) {
        double u = rk_uniform(7, RK_STREAM_NEGATIVE, (uint64_t)i, 0);
        int64_t q = (int64_t)(u * (N - 1));
        rows[3 * i] = i, rows[3 * i + 1] = N + i, rows[3 * i + 2] = q + (q >= i);
    }
    OK(env, rkhs_data_index(env, rows, N, 3, 2 * N, &y));
    given = fitted(env, "contrastive", both, y);
    int64_t n, all;
    const double *a = rkhs_model_embedding(drawn, &n, NULL), *b = rkhs_model_embedding(given, &all, NULL);
    assert_true(n == N && all == 2 * N);
    for (int c = 0; c < H; c++) {
        double sign = a[c] * b[c] > 0 ? 1 : -1; /* fixed by the largest entry, among other rows */
        for (int i = 0; i < N; i++) NEAR(a[i * H + c], sign * b[i * H + c], 1e-12);
    }
    NEAR(reported(drawn, "rows"), N, 0);
    NEAR(reported(drawn, "reference_objects"), 2 * N, 0);
    rkhs_model_free(drawn);
    rkhs_model_free(given);
    rkhs_data *made[] = {y, both, positives, train};
    for (int k = 0; k < 4; k++) rkhs_data_free(made[k]);
}

/* Positives and negatives in data sets of their own: the rows of x are embedded as with triplets over all of them. */
static void objects_given_apart_are_as_good_as_triplets(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"contrastive", "spectral(negatives=drawn)"};
    double x[S * P];
    rkhs_data *all = objects(env, x, S), *y = triplets(env), *train, *set[2], *pairs;
    OK(env, rkhs_data_dense(env, x, N, P, P, &train));
    for (int k = 0; k < 2; k++) OK(env, rkhs_data_dense(env, x + (k + 1) * N * P, N, P, P, &set[k]));
    OK(env, rkhs_data_pairs(env, set[0], set[1], &pairs));
    for (int k = 0; k < 2; k++) {
        rkhs_model *apart = fitted(env, specs[k], train, pairs), *given = fitted(env, specs[k], all, y);
        int64_t n, rows;
        const double *a = rkhs_model_embedding(apart, &n, NULL), *b = rkhs_model_embedding(given, &rows, NULL);
        assert_true(n == N && rows == S);
        for (int c = 0; c < H; c++) {
            double sign = a[c] * b[c] > 0 ? 1 : -1;
            for (int i = 0; i < N; i++) NEAR(a[i * H + c], sign * b[i * H + c], 1e-12);
        }
        NEAR(reported(apart, "rows"), N, 0);
        NEAR(reported(apart, "reference_objects"), S, 0);
        rkhs_model_free(apart);
        rkhs_model_free(given);
    }
    rkhs_data_free(pairs);
    OK(env, rkhs_data_pairs(env, set[0], NULL, &pairs)); /* negatives drawn from x */
    rkhs_model_free(fitted(env, "contrastive", train, pairs));
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "contrastive", &m));
    FAILS(env, RKHS_ERR_DATA, "rows | 24 objects | 72", rkhs_model_fit(m, NULL, all, pairs, NULL));
    rkhs_model_free(m);
    rkhs_data *made[] = {pairs, set[0], set[1], train, y, all};
    for (int k = 0; k < 6; k++) rkhs_data_free(made[k]);
}

/* The inverse of a model that added objects knows these too, also after a file. */
static void models_that_added_objects_are_whole(void **state) {
    rkhs_env *env = *state;
    double x[N * P], back[2][4 * P];
    rkhs_data *train = objects(env, x, N), *out;
    rkhs_model *m = fitted(env, "spectral(gram=nystrom(landmarks=20))", train, NULL), *again;
    size_t size;
    OK(env, rkhs_model_pack(m, NULL, 0, &size));
    void *bytes = malloc(size);
    OK(env, rkhs_model_pack(m, bytes, size, &size));
    OK(env, rkhs_model_unpack(env, bytes, size, &again));
    for (int k = 0; k < 2; k++) {
        OK(env, rkhs_model_inverse(k ? again : m, rkhs_model_embedding(m, NULL, NULL), 4, H, &out));
        memcpy(back[k], rkhs_data_values(out, NULL), sizeof back[k]);
        rkhs_data_free(out);
    }
    assert_memory_equal(back[0], back[1], sizeof back[0]);
    free(bytes);
    rkhs_model_free(m);
    rkhs_model_free(again);
    rkhs_data_free(train);
}

/* ---- odd and wrong input --------------------------------------------------------------------------------------- */

static void keep_sentence(rkhs_log_level level, const char *sentence, void *payload) {
    if (level == RKHS_LOG_ADVICE) snprintf(payload, 400, "%s", sentence);
}

static void odd_input_is_refused_or_said(void **state) {
    rkhs_env *env = *state;
    double x[S * P], line[] = {1, -1, 2, 1.5, -1.2, 2.5};
    char said[400] = "";
    rkhs_data *train = objects(env, x, S), *y, *few, *strings;
    rkhs_kernel *k;
    rkhs_model *m, *spectral;
    const char *const words[] = {"ab", "bc", "cd"};
    OK(env, rkhs_kernel_new(env, "rbf(sigma=1)", &k));
    OK(env, rkhs_model_new(env, "contrastive", &m));
#define REFUSED(code, part, model, data, list, width, count)                                                                   \
    OK(env, rkhs_data_index(env, list, count, width, (data)->rows, &y));                                                       \
    FAILS(env, code, part, rkhs_model_fit(model, k, data, y, NULL));                                                           \
    assert_null(rkhs_model_embedding(model, NULL, NULL));                                                                      \
    rkhs_data_free(y)
    REFUSED(RKHS_ERR_DATA, "triplet 2 | object 5 | twice", m, train, ((int64_t[]){0, 1, 2, 5, 5, 3}), 3, 2);
    REFUSED(RKHS_ERR_DATA, "triplet 1 | object 5 | twice", m, train, ((int64_t[]){5, 1, 5}), 3, 1);
    REFUSED(RKHS_ERR_DATA, "triplet 1 | object 1 | twice", m, train, ((int64_t[]){5, 1, 1}), 3, 1);
    REFUSED(RKHS_ERR_DATA, "pair 1 | object 4 | twice", m, train, ((int64_t[]){4, 4}), 2, 1);
    OK(env, rkhs_data_dense(env, x, 2, P, P, &few));
    REFUSED(RKHS_ERR_DATA, "give at least 3 objects", m, few, ((int64_t[]){0, 1}), 2, 1);
    rkhs_data_free(few);
    rkhs_model_free(m);
    OK(env, rkhs_model_new(env, "contrastive(augment=shift)", &m));
    REFUSED(RKHS_ERR_SPEC, "leave one of them out", m, train, ((int64_t[]){4, 5}), 2, 1);
    FAILS(env, RKHS_ERR_DATA, "'shift' | image | dense", rkhs_model_fit(m, k, train, NULL, NULL));
    OK(env, rkhs_data_strings(env, words, NULL, 3, &strings));
    FAILS(env, RKHS_ERR_DATA, "'shift' | image | string | edit", rkhs_model_fit(m, NULL, strings, NULL, NULL));
    rkhs_data_free(strings);
    rkhs_model_free(m);
    /* ridge outside its interval; and inside, where one negative for each is too few */
    y = triplets(env);
    static const char *const specs[][2] = {{"spectral(negatives=drawn, ridge=1e-6)", "has no minimum below"},
                                           {"spectral(ridge=1e6)", "ridge = 1e+06 | above 0"},
                                           {"spectral(negatives=drawn, ridge=4.5)", "minimum | ridge = 4.5 | below 3.54124"}};
    for (int i = 0; i < 3; i++) {
        OK(env, rkhs_model_new(env, specs[i][0], &spectral));
        FAILS(env, RKHS_ERR_NUMERIC, specs[i][1], rkhs_model_fit(spectral, k, train, y, NULL));
        assert_null(rkhs_model_embedding(spectral, NULL, NULL));
        rkhs_model_free(spectral);
    }
    rkhs_data_free(y);
    rkhs_kernel_free(k);
    /* On a line where positives are opposite there is nothing to find; where a positive is its anchor, that is said. */
    rkhs_env_set_log(env, keep_sentence, said);
    OK(env, rkhs_kernel_new(env, "linear", &k));
    OK(env, rkhs_data_dense(env, line, 6, 1, 1, &few));
    OK(env, rkhs_data_index(env, (int64_t[]){0, 1, 2, 3, 4, 5}, 2, 3, 6, &y));
    OK(env, rkhs_model_new(env, "contrastive", &m));
    OK(env, rkhs_model_fit(m, k, few, y, NULL));
    assert_true(says(said, "0 of the 2 | dimensions | eigenvalue | above 0"));
    for (int i = 0; i < 6 * H; i++) assert_true(rkhs_model_embedding(m, NULL, NULL)[i] == 0);
    rkhs_model_free(m); /* and of 2 dimensions on a line, one is in vain */
    rkhs_data_free(y);
    OK(env, rkhs_data_index(env, (int64_t[]){0, 2, 1, 3, 5, 4}, 2, 3, 6, &y));
    OK(env, rkhs_model_new(env, "spectral(dim=2)", &m));
    OK(env, rkhs_model_fit(m, k, few, y, NULL));
    assert_true(says(said, "positives | 1 dimension | ridge"));
    const double *Z = rkhs_model_embedding(m, NULL, NULL);
    for (int i = 1; i < 6; i++) NEAR(Z[0] * Z[i * H + 1], Z[1] * Z[i * H], 1e-9); /* the columns are multiples */
    rkhs_data_free(few);
    rkhs_data_free(y);
    line[1] = 1, line[2] = -1, line[5] = -2;
    OK(env, rkhs_data_dense(env, line, 6, 1, 1, &few));
    OK(env, rkhs_data_index(env, (int64_t[]){0, 1, 2, 3, 0, 5}, 2, 3, 6, &y));
    rkhs_model_free(m);
    OK(env, rkhs_model_new(env, "contrastive(dim=1)", &m));
    OK(env, rkhs_model_fit(m, k, few, y, NULL));
    assert_true(says(said, "1 of the 2 | positives | anchor"));
    rkhs_data_free(few);
    rkhs_data_free(y);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(train);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(contrastive_is_theorem_3),
        ENV_TEST(gradients_are_those_of_central_differences),
        ENV_TEST(spectral_ends_where_theorem_4_is_stationary),
        ENV_TEST(the_ridge_is_between_the_eigenvalues_of_the_paper),
        ENV_TEST(products_alone_find_what_a_dense_solver_does),
        ENV_TEST(drawn_triplets_are_as_good_as_given_ones),
        ENV_TEST(objects_given_apart_are_as_good_as_triplets),
        ENV_TEST(models_that_added_objects_are_whole),
        ENV_TEST(odd_input_is_refused_or_said),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
