/* Autoreconstructive kernel embedding: weights and objective against sums over triples, gradients against differences. */
#include "env.h"

#include "model/ke.h"

enum { N = 37, BIG = 300, DIM = 2 };

/* A kernel matrix without unit diagonal. */
static void make_gram(int64_t n, double *G, uint64_t seed) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double s = 0;
            for (int c = 0; c < 3; c++) s += pow(noise(seed, (uint64_t)(3 * i + c)) - noise(seed, (uint64_t)(3 * j + c)), 2);
            G[i * n + j] = exp(-s) * (1 + 0.1 * (double)(i % 3)) * (1 + 0.1 * (double)(j % 3));
        }
}

/* b'(H o H~H~)b - 2c'b + tr H, every sum written out. */
static double naive_loss(int64_t n, const double *H, const double *b) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += H[i * n + i];
        for (int64_t j = 0; j < n; j++) {
            double inner = 0;
            for (int64_t l = 0; l < n; l++)
                if (l != i && l != j) inner += H[i * n + l] * H[l * n + j];
            sum += b[i] * b[j] * H[i * n + j] * inner;
            if (j != i) sum -= 2 * b[i] * H[i * n + j] * H[i * n + j];
        }
    }
    return sum;
}

static void latent_gram(const rk_ke *k, const double *Z, double *H) {
    for (int64_t i = 0; i < k->n; i++)
        for (int64_t j = 0; j < k->n; j++) {
            double s = 0;
            for (int64_t c = 0; c < k->dim; c++) {
                double d = Z[i * k->dim + c] - Z[j * k->dim + c];
                s += k->latent == RK_KE_RBF         ? d * d
                     : k->latent == RK_KE_LAPLACIAN ? fabs(d)
                                                    : Z[i * k->dim + c] * Z[j * k->dim + c];
            }
            H[i * k->n + j] = k->latent == RK_KE_RBF         ? exp(-s / (2 * k->width * k->width))
                              : k->latent == RK_KE_LAPLACIAN ? exp(-s / k->width)
                                                             : s;
        }
}

/* The cosine of the angle between two centred matrices. */
static double naive_alignment(int64_t n, const double *A, const double *B) {
    double sums[3] = {0}, all[2] = {0}, rows[2][BIG] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            rows[0][i] += A[i * n + j] / (double)n, rows[1][i] += B[i * n + j] / (double)n;
            all[0] += A[i * n + j] / (double)(n * n), all[1] += B[i * n + j] / (double)(n * n);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double a = A[i * n + j] - rows[0][i] - rows[0][j] + all[0], b = B[i * n + j] - rows[1][i] - rows[1][j] + all[1];
            sums[0] += a * b, sums[1] += a * a, sums[2] += b * b;
        }
    return sums[0] / sqrt(sums[1] * sums[2]);
}

/* More rows than a tile has, so that tiles meet. */
static void loss_and_gradient_are_those_of_the_formula(void **state) {
    rkhs_env *env = *state;
    static double G[BIG * BIG], H[BIG * BIG], Z[BIG * DIM], dZ[BIG * DIM], b[BIG];
    static const double weights[][2] = {{1, 0}, {0, 1}, {1, 0.3}};
    make_gram(BIG, G, 1);
    for (int i = 0; i < BIG; i++) b[i] = 0.02 + 0.02 * noise(2, (uint64_t)i);
    for (int latent = RK_KE_RBF; latent <= RK_KE_LINEAR; latent++)
        for (int w = 0; w < 3; w++) {
            rk_mark mark = rk_scratch_mark(env);
            rk_ke k = {.n = BIG, .dim = DIM, .latent = latent, .width = 0.7, .align = weights[w][0], .rebuild = weights[w][1]};
            double f, wanted = 0, low, high;
            k.b = b, k.G = G, k.ldg = BIG;
            for (int i = 0; i < BIG * DIM; i++) Z[i] = noise(3, (uint64_t)i);
            OK(env, rk_ke_room(env, &k));
            OK(env, rk_ke_eval(&k, env, Z, NULL, NULL, BIG, &f, dZ, NULL));
            latent_gram(&k, Z, H);
            wanted = k.align * (1 - naive_alignment(BIG, H, G)) + k.rebuild * naive_loss(BIG, H, b) / BIG;
            NEAR(f, wanted, 1e-11);
            for (int q = 0; q < 12; q++) {
                int at = 53 * q % (BIG * DIM);
                double z = Z[at], h = 1e-5;
                Z[at] = z + h;
                OK(env, rk_ke_eval(&k, env, Z, NULL, NULL, BIG, &high, NULL, NULL));
                Z[at] = z - h;
                OK(env, rk_ke_eval(&k, env, Z, NULL, NULL, BIG, &low, NULL, NULL));
                Z[at] = z;
                NEAR(dZ[at], (high - low) / (2 * h), 1e-7);
            }
            rk_scratch_release(env, mark);
        }
}

/* The weights by a plain solution of A b = c. */
static void weights_solve_the_normal_equations(void **state) {
    rkhs_env *env = *state;
    double G[N * N], A[N * (N + 1)], b[N];
    rkhs_data *x;
    rkhs_kernel *kernel;
    make_gram(N, G, 5);
    for (int i = 0; i < N; i++) {
        A[i * (N + 1) + N] = 0;
        for (int j = 0; j < N; j++) {
            double inner = 0;
            for (int l = 0; l < N; l++)
                if (l != i && l != j) inner += G[i * N + l] * G[l * N + j];
            A[i * (N + 1) + j] = G[i * N + j] * inner;
            if (j != i) A[i * (N + 1) + N] += G[i * N + j] * G[i * N + j];
        }
    }
    for (int i = 0; i < N; i++) /* Gauss and Jordan; A is positive definite */
        for (int r = 0; r < N; r++) {
            if (r == i) continue;
            double v = A[r * (N + 1) + i] / A[i * (N + 1) + i];
            for (int j = i; j <= N; j++) A[r * (N + 1) + j] -= v * A[i * (N + 1) + j];
        }
    for (int i = 0; i < N; i++) b[i] = A[i * (N + 1) + N] / A[i * (N + 1) + i];
    OK(env, rkhs_data_dense(env, G, N, N, N, &x));
    OK(env, rkhs_kernel_new(env, "precomputed", &kernel));
    rkhs_model *m;
    rkhs_item item;
    OK(env, rkhs_model_new(env, "ke(align=0, rebuild=1, solver=lbfgs(iter=1))", &m));
    OK(env, rkhs_model_fit(m, kernel, x, NULL, NULL));
    int found = 0;
    for (int64_t q = 0; rkhs_model_report(m, q, &item); q++) {
        if (strcmp(item.name, "beta") == 0) {
            found++;
            for (int i = 0; i < N; i++) NEAR(item.values[i], b[i], 1e-8);
        }
        if (strcmp(item.name, "beta_loss") == 0) {
            found++;
            NEAR(item.values[0], naive_loss(N, G, b), 1e-10);
        }
    }
    assert_int_equal(found, 2);
    rkhs_model_free(m);
    rkhs_kernel_free(kernel);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(loss_and_gradient_are_those_of_the_formula),
        ENV_TEST(weights_solve_the_normal_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
