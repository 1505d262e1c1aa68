/* Data of any scale: lengths whose squares underflow have angles, distances and widths like any others. */
#include "fixtures.h"

enum { N = 30 };
#define SMALL 0x1p-540 /* about 3e-163: exact, and its square is 0 */

typedef struct shape {
    int64_t p;
    int sparse;
} shape;

static const shape shapes[] = {{1, 0}, {3, 0}, {12, 0}, {300, 0}, {40, 1}};

/* x (n x p) as dense or sparse data of its own. */
static rkhs_data *as_data(rkhs_env *env, const double *x, const shape *s) {
    double *to;
    rkhs_data *out;
    if (s->sparse) return sparse_copy(env, x, N, s->p);
    OK(env, rk_data_dense_new(env, N, s->p, &to, &out));
    memcpy(to, x, (size_t)(N * s->p) * sizeof *to);
    return out;
}

/* Numbers of ordinary size; row 4 is 0, row 7 is row 6 again. */
static double *ordinary(rkhs_env *env, const shape *s) {
    double *x = normals(env, N * s->p, 50);
    for (int64_t i = 0; s->sparse && i < N * s->p; i++)
        if (i % 3) x[i] = 0;
    for (int64_t c = 0; c < s->p; c++) x[4 * s->p + c] = 0, x[7 * s->p + c] = x[6 * s->p + c];
    return x;
}

static double *gram_of(rkhs_env *env, const char *text, const double *x, const shape *s) {
    double *K = numbers(env, N * N);
    rkhs_data *data = as_data(env, x, s);
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, text, &k));
    FINE(env, rkhs_kernel_gram(k, data, NULL, K, N));
    rkhs_kernel_free(k);
    rkhs_data_free(data);
    return K;
}

static void a_width_from_data_scales_with_them(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"rbf", "rbf(sigma=knn(3))", "laplacian", "cosine", "2*rbf*cosine + laplacian"};
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++)
        for (int k = 0; k < 5; k++) {
            if (shapes[q].sparse && strstr(kernels[k], "laplacian")) continue;
            rk_mark mark = rk_scratch_mark(env);
            double *x = ordinary(env, &shapes[q]), *y = numbers(env, N * shapes[q].p);
            for (int64_t i = 0; i < N * shapes[q].p; i++) y[i] = SMALL * x[i];
            LOOK_AT("%s on %lld columns, sparse %d", kernels[k], (long long)shapes[q].p, shapes[q].sparse);
            double *K = gram_of(env, kernels[k], x, &shapes[q]), *L = gram_of(env, kernels[k], y, &shapes[q]);
            near_each("K", L, K, N * N, 1e-12);
            rk_scratch_release(env, mark);
        }
}

static void an_angle_does_not_know_lengths(void **state) {
    rkhs_env *env = *state;
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
        rk_mark mark = rk_scratch_mark(env);
        double *x = ordinary(env, &shapes[q]), *y = numbers(env, N * shapes[q].p);
        for (int64_t i = 0; i < N * shapes[q].p; i++) y[i] = ldexp(x[i], (int)(400 - 45 * (i / shapes[q].p)));
        LOOK_AT("cosine on %lld columns, sparse %d", (long long)shapes[q].p, shapes[q].sparse);
        double *K = gram_of(env, "cosine", x, &shapes[q]), *L = gram_of(env, "cosine", y, &shapes[q]);
        near_each("K", L, K, N * N, 1e-12);
        for (int64_t i = 0; i < N; i++) HOLDS(L[4 * N + i] == (i == 4) && L[i * N + 4] == (i == 4));
        rk_scratch_release(env, mark);
    }
}

/* More than half of the pairs are close together far below what a square can tell. */
static void a_median_of_small_distances_is_found_among_large_ones(void **state) {
    rkhs_env *env = *state;
    double x[N], pairs[N * N];
    int count = 0;
    rkhs_data *data;
    rkhs_kernel *k;
    for (int i = 0; i < N; i++) x[i] = i < 25 ? i * i * 1e-170 : i;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            int at = count++;
            double d = fabs(x[i] - x[j]);
            for (; at > 0 && pairs[at - 1] > d; at--) pairs[at] = pairs[at - 1];
            pairs[at] = d;
        }
    FINE(env, rkhs_data_dense(env, x, N, 1, 1, &data));
    FINE(env, rkhs_kernel_new(env, "rbf", &k));
    FINE(env, rkhs_kernel_freeze(k, data));
    double sigma = strtod(strchr(rkhs_kernel_text(k), '=') + 1, NULL),
           median = (pairs[count / 2 - 1 + count % 2] + pairs[count / 2]) / 2;
    if (!(fabs(sigma - median) <= 1e-14 * median)) fail_msg("sigma is %g, not %g", sigma, median);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
}

/* The whole way: kernel PCA and its inverse know no scale. */
static void an_embedding_does_not_know_the_scale(void **state) {
    rkhs_env *env = *state;
    const shape s = {3, 0};
    double *x = ordinary(env, &s), y[N * 3];
    rkhs_model *m[2];
    rkhs_data *back;
    for (int i = 0; i < N * 3; i++) y[i] = SMALL * x[i];
    for (int t = 0; t < 2; t++) {
        rkhs_data *data = as_data(env, t ? y : x, &s);
        LOOK_AT("kpca at scale %g", t ? SMALL : 1);
        FINE(env, rkhs_model_new(env, "kpca", &m[t]));
        FINE(env, rkhs_model_fit(m[t], NULL, data, NULL, NULL));
        rkhs_data_free(data);
    }
    near_each("Z", rkhs_model_embedding(m[1], NULL, NULL), rkhs_model_embedding(m[0], NULL, NULL), 2 * N, 1e-10);
    FINE(env, rkhs_model_inverse(m[1], rkhs_model_embedding(m[1], NULL, NULL), N, 2, &back));
    double worst = 0;
    for (int i = 0; i < N * 3; i++) worst = fmax(worst, fabs(rkhs_data_values(back, NULL)[i] / SMALL - x[i]));
    HOLDS(worst < 3);
    rkhs_data_free(back);
    for (int t = 0; t < 2; t++) rkhs_model_free(m[t]);
    rk_scratch_release(env, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(a_width_from_data_scales_with_them),
        ENV_TEST(an_angle_does_not_know_lengths),
        ENV_TEST(a_median_of_small_distances_is_found_among_large_ones),
        ENV_TEST(an_embedding_does_not_know_the_scale),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
