/* Autoreconstructive kernel embedding: weights and objective against sums over triples, gradients against
 * differences. */
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
                s += k->kernel == RK_KE_LINEAR      ? Z[i * k->dim + c] * Z[j * k->dim + c]
                     : k->kernel == RK_KE_LAPLACIAN ? fabs(d)
                                                    : d * d;
            }
            H[i * k->n + j] = k->kernel == RK_KE_RBF         ? exp(-s / (2 * k->width * k->width))
                              : k->kernel == RK_KE_LAPLACIAN ? exp(-s / k->width)
                              : k->kernel == RK_KE_CAUCHY    ? 1 / (1 + s / (k->width * k->width))
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
    for (int latent = RK_KE_RBF; latent <= RK_KE_CAUCHY; latent++)
        for (int w = 0; w < 3; w++) {
            rk_mark mark = rk_scratch_mark(env);
            rk_ke k = {.n = BIG,
                       .dim = DIM,
                       .kernel = latent,
                       .width = 0.7,
                       .alignment_weight = weights[w][0],
                       .reconstruction_weight = weights[w][1]};
            double f, wanted = 0, low, high;
            k.b = b, k.G = G, k.ldg = BIG;
            for (int i = 0; i < BIG * DIM; i++) Z[i] = noise(3, (uint64_t)i);
            OK(env, rk_ke_alloc(env, &k));
            OK(env, rk_ke_eval(&k, env, Z, NULL, &f, dZ, NULL));
            latent_gram(&k, Z, H);
            wanted =
                k.alignment_weight * (1 - naive_alignment(BIG, H, G)) + k.reconstruction_weight * naive_loss(BIG, H, b) / BIG;
            NEAR(f, wanted, 1e-11);
            for (int q = 0; q < 12; q++) {
                int at = 53 * q % (BIG * DIM);
                double z = Z[at], h = 1e-5;
                Z[at] = z + h;
                OK(env, rk_ke_eval(&k, env, Z, NULL, &high, NULL, NULL));
                Z[at] = z - h;
                OK(env, rk_ke_eval(&k, env, Z, NULL, &low, NULL, NULL));
                Z[at] = z;
                NEAR(dZ[at], (high - low) / (2 * h), 1e-7);
            }
            rk_ke_free(env, &k);
            rk_scratch_release(env, mark);
        }
}

/* Taken apart, H gives the same loss and slope as it does whole; so does G. */
static void parts_are_the_whole(void **state) {
    rkhs_env *env = *state;
    enum { M = 7 };
    static double G[BIG * BIG], Phi[BIG * M], Z[BIG * DIM], whole[BIG * DIM], parts[BIG * DIM], b[BIG];
    for (int i = 0; i < BIG * M; i++) Phi[i] = noise(21, (uint64_t)i);
    for (int i = 0; i < BIG; i++)
        for (int j = 0; j < BIG; j++) {
            G[i * BIG + j] = 0;
            for (int c = 0; c < M; c++) G[i * BIG + j] += Phi[i * M + c] * Phi[j * M + c];
        }
    for (int i = 0; i < BIG; i++) b[i] = 0.02 + 0.02 * noise(22, (uint64_t)i);
    for (int i = 0; i < BIG * DIM; i++) Z[i] = noise(23, (uint64_t)i);
    for (int t = 0; t < 5; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rk_ke k = {.n = BIG,
                   .dim = DIM,
                   .width = 0.5,
                   .alignment_weight = t % 3 != 1,
                   .reconstruction_weight = t % 3 != 2,
                   .b = b,
                   .G = G,
                   .ldg = BIG};
        double f, g, most = 0, apart = 0;
        OK(env, rk_ke_alloc(env, &k));
        OK(env, rk_ke_eval(&k, env, Z, NULL, &f, whole, NULL));
        assert_int_equal(k.rank, 0);
        rk_ke_free(env, &k);
        rk_ke l = {.n = BIG,
                   .dim = DIM,
                   .width = 0.5,
                   .alignment_weight = k.alignment_weight,
                   .reconstruction_weight = k.reconstruction_weight,
                   .b = b,
                   .max_rank = BIG};
        if (t < 2)
            l.G = G, l.ldg = BIG;
        else
            l.Phi = Phi, l.m = l.ldp = M;
        OK(env, rk_ke_alloc(env, &l));
        OK(env, rk_ke_eval(&l, env, Z, NULL, &g, parts, NULL));
        assert_true(l.rank > 2 && l.rank < BIG);
        NEAR(g, f, 1e-10);
        for (int i = 0; i < BIG * DIM; i++) most = fmax(most, fabs(whole[i])), apart = fmax(apart, fabs(whole[i] - parts[i]));
        if (!(apart <= 1e-9 * most)) fail_msg("case %d: %g of %g", t, apart, most);
        rk_ke_free(env, &l);
        l.H = l.M = l.W = l.made = NULL; /* too narrow to be taken apart: tiles that are 0 are left out */
        k.H = k.M = k.W = k.made = NULL;
        l.width = k.width = 0.03;
        l.max_rank = 20;
        OK(env, rk_ke_eval(&k, env, Z, NULL, &f, whole, NULL));
        OK(env, rk_ke_eval(&l, env, Z, NULL, &g, parts, NULL));
        NEAR(g, f, 1e-11);
        for (int i = 0; i < BIG * DIM; i++) NEAR(parts[i], whole[i], 1e-9);
        rk_ke_free(env, &k);
        assert_int_equal(l.rank, 0);
        rk_ke_free(env, &l);
        rk_scratch_release(env, mark);
    }
}

/* And at the size of the bench, wide and narrow. Sanitizers look for other things, in fewer rows. */
static void many_parts_are_the_whole(void **state) {
    rkhs_env *env = *state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum { MANY = 600 };
#else
    enum { MANY = 4000 };
#endif
    static const double width[] = {1, 0.05};
    rk_mark mark = rk_scratch_mark(env);
    double *Z, *whole, *parts, *b;
    OK(env, rk_scratch(env, MANY * DIM, sizeof *Z, &Z));
    OK(env, rk_scratch(env, MANY * DIM, sizeof *whole, &whole));
    OK(env, rk_scratch(env, MANY * DIM, sizeof *parts, &parts));
    OK(env, rk_scratch(env, MANY, sizeof *b, &b));
    for (int i = 0; i < MANY; i++) b[i] = 0.02 + 0.02 * noise(31, (uint64_t)i);
    for (int i = 0; i < MANY * DIM; i++) Z[i] = noise(32, (uint64_t)i);
    for (int t = 0; t < 2; t++) {
        rk_ke k = {.n = MANY, .dim = DIM, .width = width[t], .reconstruction_weight = 1, .b = b}, l = k;
        double f, g, most = 0, apart = 0;
        l.max_rank = t ? 20 : MANY / 2;
        OK(env, rk_ke_alloc(env, &k));
        OK(env, rk_ke_eval(&k, env, Z, NULL, &f, whole, NULL));
        rk_ke_free(env, &k);
        OK(env, rk_ke_alloc(env, &l));
        OK(env, rk_ke_eval(&l, env, Z, NULL, &g, parts, NULL));
        assert_true(k.rank == 0 && (t ? l.rank == 0 : l.rank > 20 && l.rank < MANY / 2));
        rk_ke_free(env, &l);
        NEAR(g, f, 1e-9 * fabs(f));
        for (int i = 0; i < MANY * DIM; i++) most = fmax(most, fabs(whole[i])), apart = fmax(apart, fabs(whole[i] - parts[i]));
        if (!(apart <= 1e-9 * most)) fail_msg("width %g: slopes are %g of %g apart", width[t], apart, most);
    }
    rk_scratch_release(env, mark);
}

/* The weights by a plain solution of A b = c; `far`: an object is so much less like the others. */
static void check_weights(rkhs_env *env, double far) {
    double G[N * N], A[N * (N + 1)], b[N];
    rkhs_data *x;
    rkhs_kernel *kernel;
    make_gram(N, G, 5);
    for (int j = 1; j < N; j++) G[j] *= far, G[j * N] *= far;
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
    OK(env, rkhs_model_new(env, "ke(alignment=0, reconstruction=1, solver=lbfgs(max_iter=1))", &m));
    OK(env, rkhs_model_fit(m, kernel, x, NULL, NULL));
    int found = 0;
    for (int64_t q = 0; rkhs_model_report(m, q, &item); q++) {
        if (strcmp(item.name, "reconstruction_weights") == 0) {
            found++;
            for (int i = 0; i < N; i++) NEAR(item.values[i], b[i], 1e-8);
        }
        if (strcmp(item.name, "weights_loss") == 0) {
            found++;
            NEAR(item.values[0], naive_loss(N, G, b), 1e-10);
        }
    }
    assert_int_equal(found, 2);
    rkhs_model_free(m);
    rkhs_kernel_free(kernel);
    rkhs_data_free(x);
}

static void weights_solve_the_normal_equations(void **state) {
    check_weights(*state, 1);
    check_weights(*state, 1e-7); /* A as a difference of squares would have no digit for it */
    check_weights(*state, 1e-12);
}

/* What a kernel is multiplied by changes the weights of the reconstruction, and not what is rebuilt by them. */
static void the_size_of_a_kernel_does_not_matter(void **state) {
    rkhs_env *env = *state;
    static const double sizes[] = {1, 1024, 1.0 / 1024};
    double G[N * N], S[N * N], first[2] = {0};
    make_gram(N, G, 6);
    for (int t = 0; t < 3; t++) {
        double found[2] = {0};
        rkhs_data *x;
        rkhs_kernel *kernel;
        rkhs_model *m;
        rkhs_item item;
        for (int i = 0; i < N * N; i++) S[i] = sizes[t] * G[i];
        OK(env, rkhs_data_dense(env, S, N, N, N, &x));
        OK(env, rkhs_kernel_new(env, "precomputed", &kernel));
        OK(env, rkhs_model_new(env, "ke(solver=lbfgs(max_iter=0))", &m)); /* at the start */
        OK(env, rkhs_model_fit(m, kernel, x, NULL, NULL));
        for (int64_t q = 0; rkhs_model_report(m, q, &item); q++) {
            if (strcmp(item.name, "reconstruction_loss") == 0) found[0] = item.values[0];
            if (strcmp(item.name, "alignment") == 0) found[1] = item.values[0];
        }
        assert_true(found[0] > 0 && found[1] > 0);
        for (int q = 0; q < 2; q++) {
            if (t == 0) first[q] = found[q];
            NEAR(found[q], first[q], 1e-9);
        }
        rkhs_model_free(m);
        rkhs_kernel_free(kernel);
        rkhs_data_free(x);
    }
}

/* Fits a spec to a Gram; the model, or NULL and the sentence must have `words`. */
static rkhs_model *fit_gram(rkhs_env *env, const char *spec, const double *G, int64_t n, const char *words) {
    rkhs_data *x;
    rkhs_kernel *kernel;
    rkhs_model *m;
    OK(env, rkhs_data_dense(env, G, n, n, n, &x));
    OK(env, rkhs_kernel_new(env, "precomputed", &kernel));
    OK(env, rkhs_model_new(env, spec, &m));
    rkhs_status status = rkhs_model_fit(m, kernel, x, NULL, NULL);
    if (words) {
        assert_int_not_equal(status, RKHS_OK);
        if (!says(rkhs_env_message(env), words)) fail_msg("%s", rkhs_env_message(env));
    } else {
        OK(env, status);
    }
    rkhs_kernel_free(kernel);
    rkhs_data_free(x);
    return m;
}

static const double *item_of(const rkhs_model *m, const char *name, int64_t *count) {
    rkhs_item item;
    for (int64_t q = 0; rkhs_model_report(m, q, &item); q++)
        if (strcmp(item.name, name) == 0) {
            if (count) *count = item.rows * item.columns;
            return item.values;
        }
    fail_msg("the report has no %s", name);
    return NULL;
}

static void all_finite(const double *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) assert_true(isfinite(x[i]));
}

/* Everything that a fit can meet: each ends in finite codes with variance 1 and a loss that never rose. */
static void odd_grams_have_an_embedding(void **state) {
    rkhs_env *env = *state;
    enum { CASES = 4 };
    static const char *const specs[] = {"ke",
                                        "ke(alignment=0)",
                                        "ke(reconstruction=0)",
                                        "ke(dim=1, alignment=0)",
                                        "ke(dim=3, embedding_kernel=laplacian)",
                                        "ke(embedding_kernel=rbf)",
                                        "ke(embedding_kernel=linear)",
                                        "ke(solver=cg(max_iter=20))"};
    for (int kind = 0; kind < CASES; kind++)
        for (size_t t = 0; t < sizeof specs / sizeof *specs; t++) {
            double G[N * N];
            int64_t count = 0;
            make_gram(N, G, 7); /* without unit diagonal */
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
                    if (kind == 1) G[i * N + j] = i == j; /* like nothing: all but a few */
                    if (kind == 1 && i < 8 && j < 8 && i != j) G[i * N + j] = 0.5;
                    if (kind == 2 && (i > 29 || j > 29)) G[i * N + j] = 0; /* rows of zeros */
                }
            if (kind == 3) /* every object twice or more: A is singular */
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++) G[i * N + j] = exp(-pow(i % 9 - j % 9, 2) / 6);
            rkhs_model *m = fit_gram(env, specs[t], G, N, NULL);
            int64_t n, d;
            const double *Z = rkhs_model_embedding(m, &n, &d), *losses = item_of(m, "losses", &count);
            double square = 0;
            all_finite(Z, n * d);
            for (int64_t i = 0; i < n * d; i++) square += Z[i] * Z[i] / (double)(n * d);
            NEAR(square, 1, 1e-9);
            for (int64_t q = 1; q < count; q++) assert_true(losses[q] <= losses[q - 1]);
            NEAR(losses[count - 1], *item_of(m, "loss", NULL), 0);
            if (kind == 2 && t != 2) NEAR(item_of(m, "reconstruction_weights", NULL)[33], 0, 0);
            rkhs_model_free(m);
        }
}

static void what_cannot_be_embedded_is_said(void **state) {
    rkhs_env *env = *state;
    double G[N * N];
    make_gram(N, G, 8);
    rkhs_model_free(fit_gram(env, "ke(width=1e9)", G, N, "choose another width"));
    rkhs_model_free(fit_gram(env, "ke(alignment=0, reconstruction=0)", G, N, "both 0"));
    rkhs_model_free(fit_gram(env, "ke(precision=single)", G, N, "recipe=paper"));
    rkhs_model_free(fit_gram(env, "ke(recipe=paper, embedding_kernel=linear)", G, N, "embedding_kernel=rbf"));
    rkhs_model_free(fit_gram(env, "ke(alignment=0, width=1e9)", G, N, NULL)); /* nothing to gain, nothing lost */
    rkhs_model_free(fit_gram(env, "ke(width=1e-9)", G, N, NULL));
    memset(G, 0, sizeof G);
    for (int i = 0; i < N; i++) G[i * N + i] = 1;
    rkhs_model_free(fit_gram(env, "ke", G, N, "choose a wider kernel"));
    for (int i = 0; i < N * N; i++) G[i] = 1;
    rkhs_model *m = fit_gram(env, "ke", G, N, NULL);
    int64_t n, d;
    const double *Z = rkhs_model_embedding(m, &n, &d);
    for (int64_t i = 0; i < n * d; i++) NEAR(Z[i], 0, 0);
    rkhs_model_free(m);
}

/* The width that is not given grows with the dimensions, and in all of them alignment has a way down from the start. */
static void the_width_goes_with_the_dimensions(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *spec;
        double width;
    } cases[] = {{"ke(dim=1)", 0.2},
                 {"ke", 0.4},
                 {"ke(dim=2, embedding_kernel=rbf)", 0.3},
                 {"ke(dim=10)", 2},
                 {"ke(dim=36)", 6},
                 {"ke(dim=36, embedding_kernel=rbf)", 4.5},
                 {"ke(dim=10, gram=nystrom(landmarks=20))", 1.5}, /* rbf, which can be taken apart */
                 {"ke(dim=36, width=3)", 3},
                 {"ke(dim=1, alignment=0)", 0.02},
                 {"ke(dim=2, alignment=0)", 0.05},
                 {"ke(dim=8, alignment=0)", 0.2}};
    double X[N * 3];
    rkhs_data *x;
    for (int i = 0; i < N * 3; i++) X[i] = noise(41, (uint64_t)i);
    OK(env, rkhs_data_dense(env, X, N, 3, 3, &x));
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        rkhs_model *m;
        OK(env, rkhs_model_new(env, cases[t].spec, &m));
        OK(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
        NEAR(*item_of(m, "width", NULL), cases[t].width, 1e-15);
        if (*item_of(m, "iterations", NULL) <= 5 && !strstr(cases[t].spec, "alignment=0"))
            fail_msg("%s: no way down", cases[t].spec);
        rkhs_model_free(m);
    }
    rkhs_data_free(x);
}

/* Labels draw classes together, through a stored Gram and through a factor: what is left of the variance inside of
 * them. */
static void labels_have_a_say(void **state) {
    rkhs_env *env = *state;
    double X[N * 2], left[4];
    int64_t codes[N], n, d;
    rkhs_data *x, *y, *same;
    static const char *const specs[] = {"ke(label_weight=0.9)", "ke(label_weight=0.9, gram=nystrom(landmarks=30))",
                                        "ke(label_weight=0)", "ke"};
    for (int i = 0; i < N; i++) {
        codes[i] = i % 2;
        X[2 * i] = noise(31, (uint64_t)i) + (i % 2);
        X[2 * i + 1] = noise(32, (uint64_t)i);
    }
    OK(env, rkhs_data_dense(env, X, N, 2, 2, &x));
    OK(env, rk_labels_new(env, codes, N, NULL, 2, &y));
    memset(codes, 0, sizeof codes);
    OK(env, rk_labels_new(env, codes, N, NULL, 1, &same));
    for (int t = 0; t < 4; t++) {
        rkhs_model *m;
        double mean[2][2] = {{0}};
        OK(env, rkhs_model_new(env, specs[t], &m));
        OK(env, rkhs_model_fit(m, NULL, x, t == 3 ? same : y, NULL));
        const double *Z = rkhs_model_embedding(m, &n, &d);
        for (int i = 0; i < N * 2; i++) mean[i / 2 % 2][i % 2] += Z[i] / (i / 2 % 2 ? N / 2 : N - N / 2);
        left[t] = 0;
        for (int i = 0; i < N * 2; i++) left[t] += pow(Z[i] - mean[i / 2 % 2][i % 2], 2) / (N * 2);
        rkhs_model_free(m);
    }
    if (!(left[0] < 0.95 * left[2] && left[1] < 0.95 * left[2])) fail_msg("%g %g %g", left[0], left[1], left[2]);
    NEAR(left[3], left[2], 0.02); /* one class has no say, as a share of 0 has none */
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "ke(alignment=0)", &m));
    assert_int_equal(rkhs_model_fit(m, NULL, x, y, NULL), RKHS_ERR_SPEC);
    rkhs_model_free(m);
    rkhs_data_free(x);
    rkhs_data_free(y);
    rkhs_data_free(same);
}

/* The report survives a model file. */
static void report_is_in_the_file(void **state) {
    rkhs_env *env = *state;
    double G[N * N];
    static const char *const names[] = {
        "reconstruction_weights", "weights_loss", "reconstruction_loss", "alignment", "loss", "losses"};
    rkhs_model *back;
    make_gram(N, G, 9);
    rkhs_model *m = fit_gram(env, "ke(solver=lbfgs(max_iter=5))", G, N, NULL);
    OK(env, rkhs_model_save(m, "test_ke.rkhs"));
    OK(env, rkhs_model_load(env, "test_ke.rkhs", &back));
    for (size_t q = 0; q < sizeof names / sizeof *names; q++) {
        int64_t a = 0, b = 1;
        const double *x = item_of(m, names[q], &a), *y = item_of(back, names[q], &b);
        assert_int_equal(a, b);
        assert_memory_equal(x, y, (size_t)a * sizeof *x);
    }
    remove("test_ke.rkhs");
    rkhs_model_free(m);
    rkhs_model_free(back);
}

/* Single precision against double, and Adam's last iterate: what it ends at is the last of its history. */
static void the_recipe_is_the_published_one(void **state) {
    rkhs_env *env = *state;
    static double G[N * N], Z[N * DIM], one[N * DIM], two[N * DIM], b[N];
    double f, g;
    rk_mark mark = rk_scratch_mark(env);
    make_gram(N, G, 11);
    for (int i = 0; i < N; i++) b[i] = 0.02 + 0.02 * noise(2, (uint64_t)i);
    for (int i = 0; i < N * DIM; i++) Z[i] = noise(3, (uint64_t)i);
    rk_ke k = {.n = N, .dim = DIM, .width = 0.7, .reconstruction_weight = N, .b = b};
    OK(env, rk_ke_alloc(env, &k));
    OK(env, rk_ke_eval(&k, env, Z, NULL, &f, one, NULL));
    OK(env, rk_ke_eval_single(&k, env, Z, NULL, &g, two, NULL));
    rk_ke_free(env, &k);
    NEAR(g, f, 1e-5);
    assert_true(g != f);
    for (int i = 0; i < N * DIM; i++) NEAR(two[i], one[i], 1e-4);
    rk_scratch_release(env, mark);
    for (int t = 0; t < 2; t++) {
        int64_t count;
        rkhs_model *m = fit_gram(env,
                                 t ? "ke(recipe=paper, width=0.5, solver=adam(max_iter=40, learning_rate=0.5, keep=last, "
                                     "precision=single), precision=single)"
                                   : "ke(recipe=paper, width=0.5, solver=adam(max_iter=40, learning_rate=0.5, keep=last))",
                                 G, N, NULL);
        const double *losses = item_of(m, "losses", &count);
        assert_int_equal(count, 41);
        NEAR(losses[40], *item_of(m, "loss", NULL), 0);
        NEAR(losses[40], *item_of(m, "reconstruction_loss", NULL), t ? 1e-3 : 1e-12);
        if (t) NEAR(losses[0], (double)(float)losses[0], 0);
        rkhs_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(loss_and_gradient_are_those_of_the_formula),
        ENV_TEST(parts_are_the_whole),
        ENV_TEST(many_parts_are_the_whole),
        ENV_TEST(weights_solve_the_normal_equations),
        ENV_TEST(the_size_of_a_kernel_does_not_matter),
        ENV_TEST(odd_grams_have_an_embedding),
        ENV_TEST(what_cannot_be_embedded_is_said),
        ENV_TEST(the_width_goes_with_the_dimensions),
        ENV_TEST(labels_have_a_say),
        ENV_TEST(report_is_in_the_file),
        ENV_TEST(the_recipe_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
