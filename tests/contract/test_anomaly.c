/* Anomaly scores against what they are by definition, computed another way, and what they promise for every model. */
#include "trials.h"

enum { N = 60, NEW = 20, DIM = 3 };

static double *scores_of(rkhs_env *env, rkhs_model *m, const rkhs_data *x, const char *by) {
    double *s = numbers(env, x->rows);
    FINE(env, rkhs_model_anomaly(m, x, by, s));
    return s;
}

/* Solves A w = b (n x n, destroyed) by elimination with pivots. */
static void solve(int64_t n, double *A, double *b) {
    for (int64_t c = 0; c < n; c++) {
        int64_t p = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabs(A[i * n + c]) > fabs(A[p * n + c])) p = i;
        for (int64_t j = 0; j < n; j++) {
            double t = A[c * n + j];
            A[c * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        double t = b[c];
        b[c] = b[p], b[p] = t;
        for (int64_t i = c + 1; i < n; i++) {
            double f = A[i * n + c] / A[c * n + c];
            for (int64_t j = c; j < n; j++) A[i * n + j] -= f * A[c * n + j];
            b[i] -= f * b[c];
        }
    }
    for (int64_t c = n - 1; c >= 0; c--) {
        for (int64_t j = c + 1; j < n; j++) b[c] -= A[c * n + j] * b[j];
        b[c] /= A[c * n + c];
    }
}

static double square_of(const double *a, const double *b, int64_t d) {
    double sum = 0;
    for (int64_t c = 0; c < d; c++) sum += pow(a[c] - b[c], 2);
    return sum;
}

/* ---- by definition --------------------------------------------------------------------------------------------- */

/* With a linear kernel feature space is that of the vectors, and the regression into it is the inverse. */
static void the_error_of_a_linear_kernel_is_that_of_the_inverse(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=2)", "tke(dim=2, neighbours=6)", "kpca(dim=2, gram=nystrom(landmarks=20))",
                                        "kle(dim=2)"};
    for (int t = 0; t < 4; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh, *back;
        fixture_split(env, "wide", N, NEW, &x, &fresh);
        rkhs_model *m = fit_text(env, specs[t], "linear", x);
        double *s = scores_of(env, m, fresh, "error"), *Z = numbers(env, NEW * 2), *expected = numbers(env, NEW), scale = 0;
        FINE(env, rkhs_model_transform(m, fresh, Z, 2));
        FINE(env, rkhs_model_inverse(m, Z, NEW, 2, &back));
        int64_t ld, ldx, kept = m->map->object_count;
        const double *v = rkhs_data_values(fresh, &ld), *w = rkhs_data_values(back, NULL), *old = rkhs_data_values(x, &ldx);
        for (int64_t j = 0; j < kept; j++)
            for (int64_t c = 0; c < x->columns; c++)
                scale += pow(old[(m->map_rows ? m->map_rows[j] : j) * ldx + c], 2) / (double)kept;
        for (int64_t i = 0; i < NEW; i++) expected[i] = square_of(v + i * ld, w + i * x->columns, x->columns) / scale;
        near_all("the error", s, expected, NEW, 1e-9);
        HOLDS(largest(s, NEW) > 0.01);
        rkhs_data_free(back);
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* The width and the ridge that the log tells. */
typedef struct chosen {
    double width, ridge;
} chosen;

static void take_chosen(rkhs_log_level level, const char *sentence, void *payload) {
    chosen *c = payload;
    sscanf(sentence, "anomaly: rbf(sigma=%lf), ridge %lf", &c->width, &c->ridge);
}

/* |phi(x) - sum_j a_j phi(x_j)|^2 with a from the regression on all but object `skip` (-1: on all), about the mean
 * of all. */
static double brute_error(rkhs_env *env, const chosen *c, const double *Z, const double *z, const double *K, const double *k,
                          double self, int64_t skip) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t index[N], n = 0;
    double *A = numbers(env, N * N), *w = numbers(env, N), *a = numbers(env, N), sum = 0, error = self;
    for (int64_t j = 0; j < N; j++)
        if (j != skip) index[n++] = j;
    for (int64_t i = 0; i < n; i++) {
        w[i] = exp(-square_of(z, Z + index[i] * 2, 2) / (2 * c->width * c->width));
        for (int64_t j = 0; j < n; j++)
            A[i * n + j] =
                exp(-square_of(Z + index[i] * 2, Z + index[j] * 2, 2) / (2 * c->width * c->width)) + (i == j ? c->ridge : 0);
    }
    solve(n, A, w);
    for (int64_t i = 0; i < n; i++) sum += w[i];
    for (int64_t j = 0; j < N; j++) a[j] = (1 - sum) / N;
    for (int64_t i = 0; i < n; i++) a[index[i]] += w[i];
    for (int64_t i = 0; i < N; i++) {
        error -= 2 * a[i] * k[i];
        for (int64_t j = 0; j < N; j++) error += a[i] * a[j] * K[i * N + j];
    }
    rk_scratch_release(env, mark);
    return error;
}

/* -log 1/n sum_j N(z; z_j, h^2 S) in two dimensions, without object `skip`. */
static double brute_density(const double *Z, const double *z, int64_t skip) {
    double mean[2] = {0, 0}, a = 0, b = 0, c = 0, h2 = pow(N, -2.0 / 6), sum = 0;
    for (int64_t i = 0; i < 2 * N; i++) mean[i % 2] += Z[i] / N;
    for (int64_t i = 0; i < N; i++) {
        double u = Z[2 * i] - mean[0], v = Z[2 * i + 1] - mean[1];
        a += u * u / (N - 1), b += u * v / (N - 1), c += v * v / (N - 1);
    }
    double det = a * c - b * b;
    for (int64_t j = 0; j < N; j++) {
        double u = z[0] - Z[2 * j], v = z[1] - Z[2 * j + 1];
        if (j != skip) sum += exp(-(c * u * u - 2 * b * u * v + a * v * v) / (2 * h2 * det));
    }
    return -log(sum / (skip < 0 ? N : N - 1) / (2 * acos(-1) * h2 * sqrt(det)));
}

static double brute_surprise(const double *alone, double v) {
    double sorted[N], excess = 0, count = 0, as_high = 1;
    memcpy(sorted, alone, sizeof sorted);
    for (int i = 1; i < N; i++)
        for (int j = i; j > 0 && sorted[j] < sorted[j - 1]; j--) {
            double t = sorted[j];
            sorted[j] = sorted[j - 1], sorted[j - 1] = t;
        }
    double tenth = sorted[9 * N / 10];
    for (int i = 0; i < N; i++) {
        as_high += alone[i] >= v;
        if (alone[i] > tenth) excess += alone[i] - tenth, count++;
    }
    return v > tenth ? log(10) + (v - tenth) / (excess / count) : -log(as_high / (N + 1));
}

static void scores_are_their_formulas(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=2)", "tke(dim=2, neighbours=6)", "lpp(dim=2, neighbours=6)"};
    static const char *const kernels[] = {"rbf", "poly(degree=2)", "laplacian"};
    for (int t = 0; t < 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh;
        rkhs_kernel *kernel;
        chosen c = {0, 0};
        fixture_split(env, "small", N, NEW, &x, &fresh);
        rkhs_model *m = fit_text(env, specs[t], kernels[t], x);
        FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(rkhs_model_kernel(m)), &kernel));
        double *K = numbers(env, N * N), *k = numbers(env, NEW * N), *own = numbers(env, NEW * NEW), *z = numbers(env, NEW * 2);
        double *error = numbers(env, NEW), *density = numbers(env, NEW), *both = numbers(env, NEW), alone[2][N], scale = 0;
        const double *Z = rkhs_model_embedding(m, NULL, NULL);
        FINE(env, rkhs_kernel_gram(kernel, x, NULL, K, N));
        FINE(env, rkhs_kernel_gram(kernel, fresh, x, k, N));
        FINE(env, rkhs_kernel_gram(kernel, fresh, NULL, own, NEW));
        FINE(env, rkhs_model_transform(m, fresh, z, 2));
        rkhs_env_set_log(env, take_chosen, &c);
        double *s = scores_of(env, m, fresh, "error");
        rkhs_env_set_log(env, NULL, NULL);
        HOLDS(c.width > 0 && c.ridge > 0);
        for (int64_t j = 0; j < N; j++) scale += K[j * N + j] / N;
        for (int64_t i = 0; i < NEW; i++) {
            error[i] = brute_error(env, &c, Z, z + 2 * i, K, k + i * N, own[i * NEW + i], -1) / scale;
            density[i] = brute_density(Z, z + 2 * i, -1);
        }
        for (int64_t j = 0; j < N; j++) {
            alone[0][j] = brute_error(env, &c, Z, Z + 2 * j, K, K + j * N, K[j * N + j], j) / scale;
            alone[1][j] = brute_density(Z, Z + 2 * j, j);
        }
        for (int64_t i = 0; i < NEW; i++)
            both[i] = fmax(brute_surprise(alone[0], error[i]), brute_surprise(alone[1], density[i]));
        near_all("the error", s, error, NEW, 1e-7);
        near_all("the density", scores_of(env, m, fresh, "density"), density, NEW, 1e-9);
        const double *larger = scores_of(env, m, fresh, "both");
        near_all("both", larger, both, NEW, 1e-6);
        for (int64_t i = 0; i < NEW; i++) assert_false(signbit(larger[i])); /* the least is 0, not -0 */
        same_bits("the default", scores_of(env, m, fresh, NULL), s, NEW);
        rkhs_kernel_free(kernel);
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* ---- what is promised ------------------------------------------------------------------------------------------ */

static void every_model_scores_each_object_alone(void **state) {
    rkhs_env *env = *state;
    static const char *const by[] = {"error", "density", "both"};
    for (trial t = {.few = 1}; next_trial(env, &t, DIM);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh;
        double untouched = -77;
        fixture_split(env, t.pair.data, N, NEW, &x, &fresh);
        rkhs_model *m = fitted(env, &t, x);
        int given = m->map->objects->type->kind == RK_KIND_GRAM;
        for (int b = 0; b < 3; b++) {
            if (t.type->predicts)
                REFUSED(env, RKHS_ERR_ARGUMENT, "predicts", rkhs_model_anomaly(m, fresh, by[b], &untouched));
            else if (given && b != 1)
                REFUSED(env, RKHS_ERR_DATA, "use density", rkhs_model_anomaly(m, fresh, by[b], &untouched));
            if (t.type->predicts || (given && b != 1)) continue;
            double *all = scores_of(env, m, fresh, by[b]), one;
            all_finite(by[b], all, NEW);
            for (int64_t i = 0; i < NEW; i += 7) {
                rkhs_data *row = fixture_rows(env, fresh, &i, 1, 0);
                FINE(env, rkhs_model_anomaly(m, row, by[b], &one));
                HOLDS(fabs(one - all[i]) <= 1e-6 * fmax(1, largest(all, NEW)));
                rkhs_data_free(row);
            }
        }
        HOLDS(untouched == -77);
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* What lies far from all that was seen scores above it, by every way but the density of codes, which may not see it. */
static void strange_objects_stand_out(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=2)", "tke(dim=2)", "bctke(dim=2)", "kle(dim=2)", "lpp(dim=2)", "npe(dim=2)"};
    static const char *const by[] = {"error", "both"};
    double strange[] = {100, 100, 0, 5, -3, 3};
    rkhs_data *x, *far;
    OK(env, rkhs_data_sample(env, "circles(n=200, noise=0.1)", &x)); /* radii 2, 8, 16 */
    OK(env, rkhs_data_dense(env, strange, 3, 2, 2, &far));
    for (int t = 0; t < 6; t++)
        for (int b = 0; b < 2; b++) {
            rk_mark mark = rk_scratch_mark(env);
            rkhs_model *m = fit_text(env, specs[t], "rbf(sigma=2)", x);
            double *old = scores_of(env, m, x, by[b]), *odd = scores_of(env, m, far, by[b]);
            for (int i = 0; i < 3; i++) {
                int below = 0;
                for (int j = 0; j < 200; j++) below += old[j] < odd[i];
                if (below < 180) fail_msg("%s by %s: strange object %d is above %d of 200 alone", context, by[b], i, below);
            }
            rkhs_model_free(m);
            rk_scratch_release(env, mark);
        }
    rkhs_data_free(far);
    rkhs_data_free(x);
}

/* Objects past all scales: numbers, whatever they are worth. */
static void far_away_is_finite(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double far[] = {1e6, -1e6, 1e60, 1e60};
    rkhs_data *x, *y;
    OK(env, rkhs_data_sample(env, "circles(n=50)", &x));
    OK(env, rkhs_data_dense(env, far, 2, 2, 2, &y));
    rkhs_model *m = fit_text(env, "kpca(dim=2)", "linear", x);
    double *s = scores_of(env, m, y, "density"), *e = scores_of(env, m, y, "error");
    all_finite("the density", s, 2);
    all_finite("the error", e, 2);
    HOLDS(s[0] > 1e6 && s[1] > 1e100);
    rkhs_model_free(m);
    rkhs_data_free(y);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* Few objects, equal ones, dimensions without variance. */
static void little_to_learn_from_is_finite(void **state) {
    rkhs_env *env = *state;
    static const double two[] = {1, 2, 3, 5}, same[] = {4, 4, 4, 4, 4, 4, 4, 4}, line[] = {0, 0, 1, 1, 2, 2, 5, 5};
    static const char *const by[] = {"error", "density", "both"};
    rkhs_data *x;
    for (int t = 0; t < 3; t++)
        for (int b = 0; b < 3; b++) {
            rk_mark mark = rk_scratch_mark(env);
            OK(env, rkhs_data_dense(env, t == 0 ? two : t == 1 ? same : line, t ? 4 : 2, 2, 2, &x));
            rkhs_model *m = fit_text(env, "kpca(dim=2)", t == 2 ? "linear" : "rbf", x);
            double *s = scores_of(env, m, x, by[b]);
            all_finite(by[b], s, x->rows);
            if (b == 0) HOLDS(largest(s, x->rows) < 1e-3);
            rkhs_model_free(m);
            rkhs_data_free(x);
            rk_scratch_release(env, mark);
        }
}

static void scores_are_the_same_on_threads_after_a_copy_and_a_file(void **state) {
    rkhs_env *env = *state;
    enum { MANY = 300 };
    static const char *const by[] = {"error", "both"};
    rkhs_data *x, *fresh;
    fixture_split(env, "small", N, MANY, &x, &fresh);
    rkhs_model *m = fit_text(env, "kpca(dim=2, gram=nystrom(landmarks=40))", "rbf", x), *copy, *loaded;
    FINE(env, rkhs_model_copy(m, &copy));
    FINE(env, rkhs_model_save(m, "a.rkhs"));
    FINE(env, rkhs_model_load(env, "a.rkhs", &loaded));
    for (int b = 0; b < 2; b++) {
        rk_mark mark = rk_scratch_mark(env);
        double *s = scores_of(env, m, fresh, by[b]);
        FINE(env, rkhs_env_set_threads(env, 4));
        same_bits("of a copy", scores_of(env, copy, fresh, by[b]), s, MANY);
        FINE(env, rkhs_env_set_threads(env, 1));
        same_bits("of a file", scores_of(env, loaded, fresh, by[b]), s, MANY);
        rk_scratch_release(env, mark);
    }
    rkhs_model_free(loaded);
    rkhs_model_free(copy);
    rkhs_model_free(m);
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

static void what_cannot_be_meant_is_refused(void **state) {
    rkhs_env *env = *state;
    double s[N] = {0}, few[] = {1, 2};
    rkhs_data *x = fixture_data(env, "small", N), *narrow, *labels = fixture_labels(env, N);
    rkhs_model *m = fit_text(env, "kpca(dim=2)", "rbf", x), *unfitted;
    OK(env, rkhs_data_dense(env, few, 2, 1, 1, &narrow));
    OK(env, rkhs_model_new(env, "kpca", &unfitted));
    REFUSED(env, RKHS_ERR_SPEC, "'eror' | error | density | both", rkhs_model_anomaly(m, x, "eror", s));
    REFUSED(env, RKHS_ERR_DATA, "1 column | fitted", rkhs_model_anomaly(m, narrow, NULL, s));
    REFUSED(env, RKHS_ERR_DATA, "not labels", rkhs_model_anomaly(m, labels, NULL, s));
    REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_anomaly(unfitted, x, NULL, s));
    REFUSED(env, RKHS_ERR_ARGUMENT, "no data", rkhs_model_anomaly(m, NULL, NULL, s));
    REFUSED(env, RKHS_ERR_ARGUMENT, "no scores", rkhs_model_anomaly(m, x, NULL, NULL));
    for (int i = 0; i < N; i++) HOLDS(s[i] == 0);
    rkhs_model_free(unfitted);
    rkhs_model_free(m);
    rkhs_data_free(labels);
    rkhs_data_free(narrow);
    rkhs_data_free(x);
}

/* ---- objects that share nothing -------------------------------------------------------------------------------- */

typedef struct heard {
    int count;
    char last[512];
} heard;

static void hear(rkhs_log_level level, const char *sentence, void *payload) {
    heard *h = payload;
    if (level != RKHS_LOG_ADVICE || !strstr(sentence, "nothing with those of the model")) return;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

/* Whether a transform and each anomaly score see the rows of `odd`, and no others. */
static void alone_are(rkhs_env *env, rkhs_model *m, const rkhs_data *x, const char *odd, int64_t count) {
    static const char *const ways[] = {"density", "error", "both"};
    heard h = {0};
    rk_mark mark = rk_scratch_mark(env);
    int gram = m->map->objects->type->kind == RK_KIND_GRAM;
    int64_t first = -1;
    char words[96];
    for (int64_t i = x->rows - 1; i >= 0; i--) first = odd[i] ? i : first;
    snprintf(words, sizeof words, "%lld of the %lld objects", (long long)count, (long long)x->rows);
    rkhs_env_set_log(env, hear, &h);
    FINE(env, rkhs_model_transform(m, x, numbers(env, x->rows * m->dim), m->dim));
    if (h.count != (count > 0)) fail_msg("%s: %d sentences for %lld objects", context, h.count, (long long)count);
    if (count) HOLDS(says(h.last, words));
    snprintf(words, sizeof words, "first row %lld (", (long long)first + 1);
    if (count) HOLDS(says(h.last, words));
    for (int w = 0; w < (gram ? 1 : 3); w++) {
        double *s = scores_of(env, m, x, ways[w]);
        for (int64_t i = 0; i < x->rows; i++)
            if ((s[i] == 1e150) != odd[i])
                fail_msg("%s, by %s: row %lld has the score %g", context, ways[w], (long long)i, s[i]);
    }
    rkhs_env_set_log(env, NULL, NULL);
    rk_scratch_release(env, mark);
}

/* Strings of another alphabet, among others; an empty one has nothing to share. */
static void strings_of_another_alphabet_are_said_and_score_highest(void **state) {
    rkhs_env *env = *state;
    static const char *const words[] = {"ACGTACGA", "ACGTTGCA", "GGTACGTA", "TTACGGCA", "CATGCATG", "ACACGTGT", "TGCATTTA"},
                             *const fresh[] = {"ACGTACG", "xyzxyz", "TTTT", "acgtacga", "ACGTxyz", ""};
    static const char *const specs[] = {"kpca(dim=2)",
                                        "kpca(dim=2, gram=nystrom(landmarks=5))",
                                        "tke(dim=2, neighbours=3)",
                                        "kle(dim=2, neighbours=3)",
                                        "gplvm(dim=2)",
                                        "ke(dim=2)"};
    static const char odd[] = {0, 1, 0, 1, 0, 1};
    rkhs_data *x, *y;
    FINE(env, rkhs_data_strings(env, words, NULL, 7, &x));
    FINE(env, rkhs_data_strings(env, fresh, NULL, 6, &y));
    for (size_t t = 0; t < sizeof specs / sizeof *specs; t++) {
        LOOK_AT("%s", specs[t]);
        rkhs_model *m = fit_text(env, specs[t], "spectrum(p=1)", x);
        alone_are(env, m, y, odd, 3);
        rkhs_model_free(m);
    }
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* Vectors at infinity for an rbf, and without a column in common for a product; zeros are a place like any other. */
static void vectors_without_anything_in_common_are_said_and_score_highest(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    static const char *const kernels[] = {"rbf(sigma=1)", "linear", "cosine", "poly(degree=2, coef0=0)"};
    double *X = normals(env, 20 * 4, 5), Y[5 * 4] = {0};
    static const char far[] = {0, 1, 0, 0, 0}, apart[] = {0, 0, 1, 0, 0},
                      turned[] = {0, 0, 1, 1, 0}; /* zeros have no direction */
    rkhs_data *x, *y;
    for (int i = 0; i < 20; i++) X[4 * i + 3] = 0;
    memcpy(Y, X, 4 * sizeof *Y);
    Y[4] = 100;                               /* far, and like the others in a product */
    Y[11] = 2;                                /* a column that no other has */
    Y[16] = 1e-9 * X[4], Y[17] = 1e-9 * X[5]; /* small is not strange; row 3 is zeros */
    FINE(env, rkhs_data_dense(env, X, 20, 4, 4, &x));
    FINE(env, rkhs_data_dense(env, Y, 5, 4, 4, &y));
    for (int t = 0; t < 4; t++) {
        LOOK_AT("%s", kernels[t]);
        rkhs_model *m = fit_text(env, "kpca(dim=2)", kernels[t], x);
        alone_are(env, m, y, t == 0 ? far : t == 2 ? turned : apart, 1 + (t == 2));
        rkhs_model_free(m);
    }
    rkhs_data_free(y);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

static void rows_of_zeros_of_a_gram_are_said_and_score_highest(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *X = normals(env, N * 2, 6), *K = numbers(env, N * N), R[3 * N] = {0};
    static const char odd[] = {0, 1, 0}, none[N] = {0};
    rkhs_data *x, *y;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) K[i * N + j] = exp(-square_of(X + 2 * i, X + 2 * j, 2) / 2);
    memcpy(R, K, N * sizeof *R);
    R[2 * N + 7] = 1e-30;
    FINE(env, rkhs_data_dense(env, K, N, N, N, &x));
    FINE(env, rkhs_data_dense(env, R, 3, N, N, &y));
    LOOK_AT("a Gram");
    rkhs_model *m = fit_text(env, "kpca(dim=2)", "precomputed", x);
    alone_are(env, m, y, odd, 1);
    alone_are(env, m, x, none, 0);
    rkhs_model_free(m);
    rkhs_data_free(y);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(the_error_of_a_linear_kernel_is_that_of_the_inverse),
        ENV_TEST(scores_are_their_formulas),
        ENV_TEST(every_model_scores_each_object_alone),
        ENV_TEST(strange_objects_stand_out),
        ENV_TEST(far_away_is_finite),
        ENV_TEST(little_to_learn_from_is_finite),
        FOLDER_TEST(scores_are_the_same_on_threads_after_a_copy_and_a_file),
        ENV_TEST(what_cannot_be_meant_is_refused),
        ENV_TEST(strings_of_another_alphabet_are_said_and_score_highest),
        ENV_TEST(vectors_without_anything_in_common_are_said_and_score_highest),
        ENV_TEST(rows_of_zeros_of_a_gram_are_said_and_score_highest),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
