/* The kernel autoencoder against Theorem 5 of its paper, computed here in plain loops: objective, gradient, minimum,
 * encoder and decoder; and what is odd in the input. */
#include "contract/fixtures.h"
#include "model/kae.h"

enum { N = 40, P = 6, WIDE = 50, D = 3, NEW = 7 };

/* ---- the theorem, plainly -------------------------------------------------------------------------------------- */

static double *gram_of(rkhs_env *env, const char *kernel, const double *x, int64_t n, int64_t p) {
    rkhs_kernel *k;
    rkhs_data *data;
    double *K = numbers(env, n * n);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_data_dense(env, x, n, p, p, &data));
    FINE(env, rkhs_kernel_gram(k, data, NULL, K, n));
    rkhs_data_free(data);
    rkhs_kernel_free(k);
    return K;
}

/* tr(Z'K^-1 Z). */
static double norm_of(rkhs_env *env, const double *K, const double *Z, int64_t n, int64_t d) {
    double *A = numbers(env, n * n), *Y = numbers(env, n * d), sum = 0;
    memcpy(A, K, (size_t)(n * n) * sizeof *A);
    memcpy(Y, Z, (size_t)(n * d) * sizeof *Y);
    eliminate(n, A, d, Y);
    for (int64_t i = 0; i < n * d; i++) sum += Z[i] * Y[i];
    return sum;
}

/* (Kz + ridge I)^-1 X. */
static double *decoder_of(rkhs_env *env, const double *Kz, const double *X, int64_t n, int64_t p, double ridge) {
    double *A = numbers(env, n * n), *C = numbers(env, n * p);
    memcpy(A, Kz, (size_t)(n * n) * sizeof *A);
    for (int64_t i = 0; i < n; i++) A[i * n + i] += ridge;
    memcpy(C, X, (size_t)(n * p) * sizeof *C);
    eliminate(n, A, p, C);
    return C;
}

/* |Q - X|^2 + ridge (norm of the encoder + tr(Q'Kz^-1 Q)), Q = Kz (Kz + ridge I)^-1 X: as the paper has it. */
static double theorem(rkhs_env *env, const double *Kz, const double *X, int64_t n, int64_t p, double ridge, double encoder) {
    double *C = decoder_of(env, Kz, X, n, p, ridge), *Q = numbers(env, n * p), sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < p; c++) {
            Q[i * p + c] = 0;
            for (int64_t j = 0; j < n; j++) Q[i * p + c] += Kz[i * n + j] * C[j * p + c];
            sum += (Q[i * p + c] - X[i * p + c]) * (Q[i * p + c] - X[i * p + c]);
        }
    return sum + ridge * (encoder + norm_of(env, Kz, Q, n, p));
}

/* Rows of length 1. */
static void unit_rows(double *Z, int64_t n, int64_t d) {
    for (int64_t i = 0; i < n; i++) {
        double norm = 0;
        for (int64_t c = 0; c < d; c++) norm += Z[i * d + c] * Z[i * d + c];
        for (int64_t c = 0; c < d; c++) Z[i * d + c] /= sqrt(norm);
    }
}

/* ---- objective and gradient ------------------------------------------------------------------------------------ */

static const char *const latents[] = {"rbf(sigma=0.5)", "laplacian(sigma=1)", "linear + 0.1*rbf(sigma=0.3)",
                                      "relu + 0.2*laplacian(sigma=1)", "matern(sigma=1)"};

/* A gram of X with rbf, and a decoder to X; of wide X by the factor of XX'; to features when p is 0. */
typedef struct setting {
    rkhs_data *x;
    rkhs_kernel *kernel, *latent;
    rk_spec *spec;
    rk_gram *gram;
    rk_decoder d;
} setting;

static setting open_setting(rkhs_env *env, const double *X, int64_t p, int features, const char *latent, const char *gram) {
    setting s = {0};
    FINE(env, rkhs_data_dense(env, X, N, p, p, &s.x));
    FINE(env, rkhs_kernel_new(env, "rbf(sigma=3)", &s.kernel));
    FINE(env, rkhs_kernel_new(env, latent, &s.latent));
    FINE(env, rk_spec_new(env, &rk_grams, gram, &s.spec));
    FINE(env, rk_gram_new(env, s.spec, s.kernel, s.x, &s.gram));
    FINE(env, rk_decoder_new(s.gram, features ? NULL : s.x, s.latent, 0.1, D, &s.d));
    return s;
}

static void close_setting(rkhs_env *env, setting *s) {
    rk_gram_free(s->gram);
    rk_spec_free(env, s->spec);
    rkhs_kernel_free(s->latent);
    rkhs_kernel_free(s->kernel);
    rkhs_data_free(s->x);
}

static void the_objective_is_that_of_theorem_5(void **state) {
    rkhs_env *env = *state;
    for (int t = 0; t < 15; t++) {
        rk_mark mark = rk_scratch_mark(env);
        const char *latent = latents[t % 5];
        int64_t p = t / 5 == 1 ? WIDE : P;
        double *X = normals(env, N * p, 81), *Z = normals(env, N * D, 82), *dZ = numbers(env, N * D), f, *of = X;
        unit_rows(Z, N, D);
        setting s = open_setting(env, X, p, t / 5 == 2, latent, "exact");
        LOOK_AT("%s, %s", latent, t / 5 == 0 ? "few columns" : t / 5 == 1 ? "many columns" : "features");
        if (t / 5 == 2) { /* the features of the kernel as columns: a root of its Gram */
            double *K = gram_of(env, "rbf(sigma=3)", X, N, P);
            of = numbers(env, N * N);
            memcpy(of, K, N * N * sizeof *of);
            for (int64_t q = 0; q < N; q++) { /* Cholesky, plainly */
                for (int64_t c = 0; c < q; c++)
                    for (int64_t i = q; i < N; i++) of[i * N + q] -= of[i * N + c] * of[q * N + c];
                double root = sqrt(of[q * N + q]);
                for (int64_t i = 0; i < N; i++) of[i * N + q] = i < q ? 0 : of[i * N + q] / root;
            }
            p = N;
        }
        FINE(env, rk_decoder_eval(env, &s.d, Z, &f, dZ));
        double right = theorem(env, gram_of(env, latent, Z, N, D), of, N, p, 0.1, 0), ours = 0.1 * f;
        near_each("the first term", &ours, &right, 1, 1e-10);
        close_setting(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void the_gradient_is_that_of_central_differences(void **state) {
    rkhs_env *env = *state;
    for (int t = 0; t < 15; t++) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t p = t / 5 == 1 ? WIDE : P;
        double *X = normals(env, N * p, 83), *Z = normals(env, N * D, 84), *step = normals(env, N * D, 85), h = 1e-6;
        double *at = numbers(env, N * D), *dZ = numbers(env, N * D), *unused = numbers(env, N * D), f[3], slope = 0;
        setting s = open_setting(env, X, p, t / 5 == 2, latents[t % 5], t / 5 == 2 ? "nystrom(landmarks=20)" : "exact");
        LOOK_AT("%s, %lld columns", latents[t % 5], (long long)p);
        for (int side = -1; side <= 1; side++) {
            for (int64_t i = 0; i < N * D; i++) at[i] = Z[i] + side * h * step[i];
            FINE(env, rk_decoder_eval(env, &s.d, at, &f[side + 1], side ? unused : dZ));
        }
        for (int64_t i = 0; i < N * D; i++) slope += dZ[i] * step[i];
        double central = (f[2] - f[0]) / (2 * h);
        if (!(fabs(slope - central) <= 1e-7 * fabs(central))) fail_msg("%s: %.12g, not %.12g", context, slope, central);
        close_setting(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* ---- fitted models --------------------------------------------------------------------------------------------- */

static rkhs_model *fitted(rkhs_env *env, const char *text, const char *kernel, const rkhs_data *x, const rkhs_data *y) {
    rkhs_model *m;
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, text, &m));
    FINE(env, rkhs_model_fit(m, k, x, y, NULL));
    rkhs_kernel_free(k);
    return m;
}

/* The objective of a fit in its own words: Z on the sphere with Kx^-1, or f = K B over its length with tr(B'K B). */
static double objective(rkhs_env *env, const rkhs_model *m, const double *Kx, const double *at, const double *X, int full,
                        double *norm) {
    double *Z = numbers(env, N * D), encoder = 0, squares = 0;
    memcpy(Z, at, N * D * sizeof *Z);
    if (!full)
        for (int64_t i = 0; i < N; i++)
            for (int64_t c = 0; c < D; c++) {
                Z[i * D + c] = 0;
                for (int64_t j = 0; j < N; j++) Z[i * D + c] += Kx[i * N + j] * at[j * D + c];
                squares += Z[i * D + c] * Z[i * D + c];
                encoder += at[i * D + c] * Z[i * D + c];
            }
    unit_rows(Z, N, D);
    *norm = full ? norm_of(env, Kx, Z, N, D) : encoder * N / squares;
    return theorem(env, gram_of(env, item_of(m, "embedding_kernel").text, Z, N, D), X, N, P, 0.1, *norm) / 0.1;
}

/* The loss is that of the theorem, its terms are reported, and it is a minimum: slopes along any direction vanish. */
static void a_fit_is_a_minimum_of_what_it_reports(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"rbf(sigma=1)", "relu", "linear", "poly(degree=2)"};
    for (int t = 0; t < 4; t++) {
        rk_mark mark = rk_scratch_mark(env);
        /* With most draws poly lets f(x) of some object go to 0, where f/|f| has no slope; not so with this one. */
        double *X = normals(env, N * P, t == 3 ? 94 : 86), *step = normals(env, N * D, 87), *at = numbers(env, N * D);
        double f[3], norm, unused;
        rkhs_data *x;
        LOOK_AT("%s", kernels[t]);
        FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
        rkhs_model *m = fitted(env, "kae(dim=3, solver=lbfgs(max_iter=5000, ftol=0, tol=1e-7))", kernels[t], x, NULL);
        int full = item_of(m, "full_rank").values[0] == 1;
        HOLDS(full == (t < 2));
        HOLDS((item_of(m, "gram_ridge").values[0] > 0) == !full);
        double *K = gram_of(env, kernels[t], X, N, P), h = 1e-3;
        const double *where = full ? m->Z : m->map->B;
        double size = largest(where, N * D);
        do { /* a step over which it rises little */
            h /= 10;
            for (int side = 0; side < 3; side++) {
                for (int64_t i = 0; i < N * D; i++) at[i] = where[i] + (side - 1) * h * size * step[i];
                f[side] = objective(env, m, K, at, X, full, side == 1 ? &norm : &unused);
            }
        } while (f[0] + f[2] > 2.0002 * f[1]);
        LOOK_AT("%s: objective %.12g, to both sides %.12g and %.12g", kernels[t], f[1], f[0], f[2]);
        double loss = item_of(m, "loss").values[0], encoder = item_of(m, "encoder_norm").values[0], root = sqrt(norm);
        near_all("loss", &loss, f + 1, 1, full ? 1e-9 : 1e-6);
        near_all("encoder", &encoder, &root, 1, full ? 1e-7 : 1e-3);
        HOLDS(f[0] > f[1] && f[2] > f[1]);
        HOLDS(fabs(f[2] - f[0]) < 0.02 * (f[0] + f[2] - 2 * f[1]));
        rkhs_model_free(m);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Z, B and C of the paper, plainly: new codes are Z'Kx^-1 k(X, x), and objects X'(Kz + ridge I)^-1 k(Z, z). */
static void encoder_and_decoder_are_those_of_the_theorem(void **state) {
    rkhs_env *env = *state;
    for (int t = 0; t < 4; t++) {
        rk_mark mark = rk_scratch_mark(env);
        int unit = t % 2, other = t / 2, p = other ? 4 : P;
        double *X = normals(env, N * P, 88), *Y = normals(env, N * 4, 89), *fresh = normals(env, NEW * P, 90);
        double *all = numbers(env, (N + NEW) * P), *K, Z[NEW * D], right[NEW * D];
        rkhs_data *x, *y, *new, *back;
        LOOK_AT("%s codes, %s", unit ? "unit" : "raw", other ? "targets" : "themselves");
        FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
        FINE(env, rkhs_data_dense(env, Y, N, 4, 4, &y));
        FINE(env, rkhs_data_dense(env, fresh, NEW, P, P, &new));
        rkhs_model *m = fitted(
            env, unit ? "kae(dim=3, unit_length=true, solver=lbfgs(max_iter=20))" : "kae(dim=3, solver=lbfgs(max_iter=20))",
            "rbf(sigma=1)", x, other ? y : NULL);
        HOLDS(item_of(m, "full_rank").values[0] == 1);
        for (int64_t i = 0; i < N; i++) {
            double norm = 0;
            for (int c = 0; c < D; c++) norm += m->Z[i * D + c] * m->Z[i * D + c];
            HOLDS(fabs(norm - 1) < 1e-9);
        }
        memcpy(all, X, N * P * sizeof *X);
        memcpy(all + N * P, fresh, NEW * P * sizeof *X);
        K = gram_of(env, "rbf(sigma=1)", all, N + NEW, P);
        double *Kx = gram_of(env, "rbf(sigma=1)", X, N, P), *B = numbers(env, N * D);
        memcpy(B, m->Z, N * D * sizeof *B);
        eliminate(N, Kx, D, B);
        for (int i = 0; i < NEW; i++)
            for (int c = 0; c < D; c++) {
                right[i * D + c] = 0;
                for (int j = 0; j < N; j++) right[i * D + c] += K[(N + i) * (N + NEW) + j] * B[j * D + c];
            }
        if (unit) unit_rows(right, NEW, D);
        FINE(env, rkhs_model_transform(m, new, Z, D));
        near_all("new codes", Z, right, NEW * D, 1e-8);
        FINE(env, rkhs_model_inverse(m, Z, NEW, D, &back));
        HOLDS(rkhs_data_rows(back) == NEW && rkhs_data_columns(back) == p);
        double *codes = numbers(env, (N + NEW) * D), *decoded = numbers(env, NEW * p);
        memcpy(codes, m->Z, N * D * sizeof *codes);
        memcpy(codes + N * D, Z, sizeof Z);
        double *Kz = gram_of(env, item_of(m, "embedding_kernel").text, m->Z, N, D),
               *C = decoder_of(env, Kz, other ? Y : X, N, p, 0.1),
               *cross = gram_of(env, item_of(m, "embedding_kernel").text, codes, N + NEW, D);
        for (int i = 0; i < NEW; i++)
            for (int c = 0; c < p; c++) {
                decoded[i * p + c] = 0;
                for (int j = 0; j < N; j++) decoded[i * p + c] += cross[(N + i) * (N + NEW) + j] * C[j * p + c];
            }
        near_all("objects", rkhs_data_values(back, NULL), decoded, NEW * p, 1e-9);
        rkhs_data_free(back);
        rkhs_data_free(new);
        rkhs_data_free(y);
        rkhs_data_free(x);
        rkhs_model_free(m);
        rk_scratch_release(env, mark);
    }
}

/* A loaded model and a copy decode to the same bits; images come back as images. */
static void a_loaded_model_decodes_to_the_same_bits(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *X = normals(env, N * P, 91);
    rkhs_data *x, *back[3];
    rkhs_model *other[2];
    int64_t h, w, c;
    LOOK_AT("images");
    FINE(env, rkhs_data_images(env, X, N, 2, 3, 1, &x));
    rkhs_model *m = fitted(env, "kae(dim=3, solver=lbfgs(max_iter=5))", "linear", x, NULL);
    FINE(env, rkhs_model_save(m, "m.rkhs"));
    FINE(env, rkhs_model_load(env, "m.rkhs", &other[0]));
    FINE(env, rkhs_model_copy(m, &other[1]));
    for (int i = 0; i < 3; i++) FINE(env, rkhs_model_inverse(i ? other[i - 1] : m, m->Z, N, D, &back[i]));
    HOLDS(rkhs_data_shape(back[0], &h, &w, &c) && h == 2 && w == 3 && c == 1);
    for (int i = 1; i < 3; i++) same_bits("objects", rkhs_data_values(back[i], NULL), rkhs_data_values(back[0], NULL), N * P);
    /* A decoder that does not fit the codes, as a file may have it, is refused when it is loaded. */
    ((rk_kae_state *)other[0]->state)->decoder.rows--;
    rkhs_model *none = NULL;
    FINE(env, rkhs_model_save(other[0], "m.rkhs"));
    REFUSED(env, RKHS_ERR_FORMAT, "its decoder is ", rkhs_model_load(env, "m.rkhs", &none));
    assert_null(none);
    for (int i = 0; i < 3; i++) rkhs_data_free(back[i]);
    for (int i = 0; i < 2; i++) rkhs_model_free(other[i]);
    rkhs_model_free(m);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* Strings and sets of bits stand for their features, and come back as the nearest that is kept, or as bits. */
static void objects_that_are_no_vectors_are_coded_too(void **state) {
    rkhs_env *env = *state;
    static const char *const sets[] = {"strings", "bits"}, *const kernels[] = {"spectrum(p=2)", "tanimoto"};
    for (int t = 0; t < 2; t++) {
        rkhs_data *x = fixture_data(env, sets[t], N), *back;
        LOOK_AT("%s", sets[t]);
        rkhs_model *m = fitted(env, "kae(dim=3, solver=lbfgs(max_iter=5))", kernels[t], x, NULL);
        FINE(env, rkhs_model_inverse(m, m->Z, N, D, &back));
        HOLDS(rkhs_data_rows(back) == N && strcmp(rkhs_data_kind(back), rkhs_data_kind(x)) == 0);
        rkhs_data_free(back);
        rkhs_model_free(m);
        rkhs_data_free(x);
    }
}

/* denoise= is the fit on what the augmentation draws, with the objects as targets, to the bit. */
static void denoising_is_a_fit_of_noisy_objects_to_clean_ones(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *X = normals(env, N * P, 93);
    rkhs_data *x, *noisy, *back[2];
    LOOK_AT("denoise");
    FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
    FINE(env, rkhs_data_augment(env, x, "noise(0.2)", &noisy));
    rkhs_model *a = fitted(env, "kae(dim=3, denoise=noise(0.2), solver=lbfgs(max_iter=9))", "rbf(sigma=1)", x, NULL);
    rkhs_model *b = fitted(env, "kae(dim=3, solver=lbfgs(max_iter=9))", "rbf(sigma=1)", noisy, x);
    same_bits("Z", a->Z, b->Z, N * D);
    FINE(env, rkhs_model_inverse(a, b->Z, N, D, &back[0]));
    FINE(env, rkhs_model_inverse(b, b->Z, N, D, &back[1]));
    same_bits("objects", rkhs_data_values(back[0], NULL), rkhs_data_values(back[1], NULL), N * P);
    for (int i = 0; i < 2; i++) rkhs_data_free(back[i]);
    rkhs_model_free(a);
    rkhs_model_free(b);
    rkhs_data *strings = fixture_data(env, "strings", N); /* by their features */
    a = fitted(env, "kae(dim=3, denoise=edit, solver=lbfgs(max_iter=3))", "spectrum(p=2)", strings, NULL);
    b = fitted(env, "kae(dim=3, solver=lbfgs(max_iter=3))", "spectrum(p=2)", strings, NULL);
    HOLDS(memcmp(a->Z, b->Z, N * D * sizeof *a->Z) != 0);
    rkhs_model_free(a);
    rkhs_model_free(b);
    rkhs_data_free(strings);
    rkhs_data_free(noisy);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* ---- odd input ------------------------------------------------------------------------------------------------- */

static rkhs_status fit_status(rkhs_env *env, const char *text, const char *kernel, const rkhs_data *x, const rkhs_data *y) {
    rkhs_model *m;
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, text, &m));
    rkhs_status status = rkhs_model_fit(m, k, x, y, NULL);
    if (status != RKHS_OK) HOLDS(!rkhs_model_embedding(m, NULL, NULL));
    rkhs_kernel_free(k);
    rkhs_model_free(m);
    return status;
}

typedef struct heard {
    char last[512];
    int advice;
} heard;

static void hear(rkhs_log_level level, const char *sentence, void *payload) {
    heard *h = payload;
    if (level != RKHS_LOG_ADVICE) return;
    h->advice++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

static void odd_input_is_answered_with_a_sentence(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *X = normals(env, N * P, 92);
    rkhs_data *x, *fewer;
    heard log = {0};
    memset(X + 5 * P, 0, P * sizeof *X);
    FINE(env, rkhs_data_dense(env, X, N, P, P, &x));
    FINE(env, rkhs_data_dense(env, X, N - 1, P, P, &fewer));
    LOOK_AT("odd input");
    REFUSED(env, RKHS_ERR_NUMERIC, "ridge = 0 | Gram | embedding_kernel=linear | singular",
            fit_status(env, "kae(ridge=0, embedding_kernel=linear)", "rbf", x, NULL));
    REFUSED(env, RKHS_ERR_DATA, "39 rows | 40 objects", fit_status(env, "kae", "rbf", x, fewer));
    REFUSED(env, RKHS_ERR_SPEC, "embedding_kernel=chi2 | kernel",
            fit_status(env, "kae(embedding_kernel=chi2)", "rbf", x, NULL));
    REFUSED(env, RKHS_ERR_SPEC, "embedding_kernel=rbf + center(rbf) cannot be",
            fit_status(env, "kae(embedding_kernel=\"rbf + center(rbf)\")", "rbf", x, NULL));
    REFUSED(env, RKHS_ERR_SPEC, "did you mean rbf?", fit_status(env, "kae(embedding_kernel=rbff)", "rbf", x, NULL));
    REFUSED(env, RKHS_ERR_DATA, "augmentation | 'edit' | string | dense", fit_status(env, "kae(denoise=edit)", "rbf", x, NULL));
    rkhs_env_set_log(env, hear, &log);
    FINE(env, fit_status(env, "kae", "linear", x, NULL)); /* a row of zeros */
    HOLDS(log.advice == 1 && says(log.last, "1 object | length 1"));
    FINE(env, fit_status(env, "kae(ridge=0, embedding_kernel=\"rbf(sigma=0.1)\")", "rbf", x, NULL)); /* codes apart */
    HOLDS(log.advice == 1);
    rkhs_env_set_log(env, NULL, NULL);
    rkhs_data_free(fewer);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(the_objective_is_that_of_theorem_5),
        ENV_TEST(the_gradient_is_that_of_central_differences),
        ENV_TEST(a_fit_is_a_minimum_of_what_it_reports),
        ENV_TEST(encoder_and_decoder_are_those_of_the_theorem),
        FOLDER_TEST(a_loaded_model_decodes_to_the_same_bits),
        ENV_TEST(objects_that_are_no_vectors_are_coded_too),
        ENV_TEST(denoising_is_a_fit_of_noisy_objects_to_clean_ones),
        ENV_TEST(odd_input_is_answered_with_a_sentence),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
