/* Models of neighbours with every kernel on vectors: what is near in feature space is near in the embedding, whether
 * k(x,x) is the same for all objects or not; training rows keep their places, and new rows come to their own kind. */
#include "fixtures.h"

enum { N = 160, NEW = 80, P = 8, CLASSES = 4, VOTES = 5, D = 2 };

/* Rows about CLASSES places, none below 0, some larger than others; the class of row i is i % CLASSES. */
static rkhs_data *rows_about(rkhs_env *env, int64_t n, int seed, double shift) {
    rk_mark mark = rk_scratch_mark(env);
    double *noise = normals(env, n * P, seed), *size = normals(env, n, seed + 1), *x;
    rkhs_data *data;
    FINE(env, rk_data_dense_new(env, n, P, &x, &data));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < P; j++) {
            double centre = (double)((3 * (i % CLASSES) * (j + 1) + 2 * j) % 7) / 5;
            x[i * P + j] = exp(0.15 * size[i]) * fabs(centre + 0.12 * noise[i * P + j]) * (1 + shift);
        }
    rk_scratch_release(env, mark);
    return data;
}

/* The share of rows of Y whose class is that of most of their nearest among Z; the same rows: each without itself. */
static double accuracy(const double *Z, const double *Y, int64_t n) {
    int64_t right = 0;
    for (int64_t i = 0; i < n; i++) {
        double value[VOTES];
        int64_t index[VOTES], count = 0, votes[CLASSES] = {0}, best = 0;
        for (int64_t j = 0; j < N; j++) {
            double square = pow(Y[i * D] - Z[j * D], 2) + pow(Y[i * D + 1] - Z[j * D + 1], 2);
            if (Y != Z || i != j) count = rk_top_offer(value, index, count, VOTES, j, -square);
        }
        for (int64_t q = 0; q < VOTES; q++) votes[index[q] % CLASSES]++;
        for (int64_t c = 1; c < CLASSES; c++)
            if (votes[c] > votes[best]) best = c;
        right += best == i % CLASSES;
    }
    return (double)right / (double)n;
}

/* The root of the mean squared distance of rows of Y from those of Z, in parts of the spread of Z. */
static double moved(const double *Z, const double *Y) {
    double mean[D] = {0}, spread = 0, sum = 0;
    for (int64_t q = 0; q < N * D; q++) mean[q % D] += Z[q] / N;
    for (int64_t q = 0; q < N * D; q++) spread += pow(Z[q] - mean[q % D], 2), sum += pow(Y[q] - Z[q], 2);
    return sqrt(sum / spread);
}

typedef struct rows {
    rkhs_data *train, *beside, *fresh;
} rows;

/* beside: how far rows beside training rows may be from them; below 0: a kernel without distances, or a map with its
 * own. */
static void check_model(rkhs_env *env, const char *spec, const rkhs_kernel *k, const rows *r, double beside) {
    double Y[N * D];
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, spec, &m));
    FINE(env, rkhs_model_fit(m, k, r->train, NULL, NULL));
    const double *Z = rkhs_model_embedding(m, NULL, NULL);
    double own = accuracy(Z, Z, N);
    FINE(env, rkhs_model_transform(m, r->train, Y, D));
    if (!(moved(Z, Y) <= 1e-9)) fail_msg("%s: training rows move by %g of the spread", context, moved(Z, Y));
    FINE(env, rkhs_model_transform(m, r->beside, Y, D));
    if (beside >= 0 && !(moved(Z, Y) <= beside))
        fail_msg("%s: rows beside training rows are %g of the spread away", context, moved(Z, Y));
    FINE(env, rkhs_model_transform(m, r->fresh, Y, D));
    if (!(own >= 0.6)) fail_msg("%s: training rows have an accuracy of %g", context, own);
    if (!(accuracy(Z, Y, NEW) >= 0.85 * own))
        fail_msg("%s: the accuracy is %g of training and %g of new rows", context, own, accuracy(Z, Y, NEW));
    rkhs_model_free(m);
}

static void with_every_kernel_on_vectors_rows_come_to_their_neighbours(void **state) {
    rkhs_env *env = *state;
    rows r = {rows_about(env, N, 11, 0), rows_about(env, N, 11, 1e-6), rows_about(env, NEW, 21, 0)};
    const char *text;
    int seen = 0;
    for (int i = 0; (text = fixture_kernel(i)); i++) {
        rkhs_kernel *k;
        OK(env, rkhs_kernel_new(env, text, &k));
        if (rk_kernel_kinds(k) & RK_KIND_DENSE) {
            LOOK_AT("tke with %s", text);
            check_model(env, "tke(solver=lbfgs(max_iter=100))", k, &r, fixture_is_indefinite(text) ? -1 : 0.05);
            LOOK_AT("bctke with %s", text); /* a map needs a kernel that is positive semi-definite */
            if (!fixture_is_indefinite(text)) check_model(env, "bctke(place=refine, solver=lbfgs(max_iter=30))", k, &r, -1);
            LOOK_AT("kle with %s", text);
            check_model(env, "kle", k, &r, -1);
            seen++;
        }
        rkhs_kernel_free(k);
    }
    HOLDS(seen > 30);
    rkhs_data_free(r.train);
    rkhs_data_free(r.beside);
    rkhs_data_free(r.fresh);
}

/* New rows of a given Gram have no k(x,x): those of training objects are enough. */
static void rows_of_a_given_gram_are_placed_as_by_the_kernel(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"tke(solver=lbfgs(max_iter=20))",
                                        "tke(place=neighbour, weights=kernel, solver=lbfgs(max_iter=20))",
                                        "bctke(place=refine, solver=lbfgs(max_iter=20))",
                                        "bctke(map=nearest, solver=lbfgs(max_iter=20))",
                                        "kle",
                                        "kle(weights=kernel)",
                                        "tke(gram=nystrom(landmarks=60), solver=lbfgs(max_iter=20))"};
    static const char *const kernels[] = {"linear", "rbf + 0.5*poly", "rbf"};
    rkhs_data *x = rows_about(env, N, 11, 0), *fresh = rows_about(env, NEW, 21, 0), *given, *rest;
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N), *L = numbers(env, NEW * N), Y[NEW * D], Z[NEW * D];
    for (int i = 0; i < 3; i++)
        for (size_t q = 0; q < sizeof specs / sizeof *specs; q++) {
            rkhs_kernel *k, *is;
            rkhs_model *m, *g;
            LOOK_AT("%s with %s", specs[q], kernels[i]);
            FINE(env, rkhs_kernel_new(env, kernels[i], &k));
            FINE(env, rkhs_kernel_freeze(k, x));
            FINE(env, rkhs_kernel_new(env, "precomputed", &is));
            FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
            FINE(env, rkhs_kernel_gram(k, fresh, x, L, N));
            FINE(env, rkhs_data_dense(env, K, N, N, N, &given));
            FINE(env, rkhs_data_dense(env, L, NEW, N, N, &rest));
            FINE(env, rkhs_model_new(env, specs[q], &m));
            FINE(env, rkhs_model_new(env, specs[q], &g));
            FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
            FINE(env, rkhs_model_fit(g, is, given, NULL, NULL));
            near_all("Z", rkhs_model_embedding(g, NULL, NULL), rkhs_model_embedding(m, NULL, NULL), N * D, 1e-6);
            FINE(env, rkhs_model_transform(m, fresh, Y, D));
            FINE(env, rkhs_model_transform(g, rest, Z, D));
            near_all("new rows", Z, Y, NEW * D, 1e-6);
            rkhs_model_free(m);
            rkhs_model_free(g);
            rkhs_data_free(given);
            rkhs_data_free(rest);
            rkhs_kernel_free(k);
            rkhs_kernel_free(is);
        }
    rk_scratch_release(env, mark);
    rkhs_data_free(x);
    rkhs_data_free(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(with_every_kernel_on_vectors_rows_come_to_their_neighbours),
        ENV_TEST(rows_of_a_given_gram_are_placed_as_by_the_kernel),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
