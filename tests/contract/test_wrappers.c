/* Powers, wrappers and column groups against plain loops, alone and in models. */
#include "fixtures.h"

/* ---- values against loops -------------------------------------------------------------------------------------- */

typedef long double real;

static real dot(const real *x, const real *y, int64_t p) {
    real sum = 0;
    for (int64_t c = 0; c < p; c++) sum += x[c] * y[c];
    return sum;
}

static real gauss(const real *x, const real *y, int64_t p, real gamma) {
    real sum = 0;
    for (int64_t c = 0; c < p; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return expl(-gamma * sum);
}

static real laplace(const real *x, const real *y, int64_t p, real gamma) {
    real sum = 0;
    for (int64_t c = 0; c < p; c++) sum += fabsl(x[c] - y[c]);
    return expl(-gamma * sum);
}

static real angle(const real *x, const real *y, int64_t p) { return dot(x, y, p) / sqrtl(dot(x, x, p)) / sqrtl(dot(y, y, p)); }

static real plain_dot(const real *x, const real *y, int64_t p) { return dot(x, y, p); }
static real gauss_half(const real *x, const real *y, int64_t p) { return gauss(x, y, p, 0.5L); }
static real mixed(const real *x, const real *y, int64_t p) {
    return 2 * gauss(x, y, p, 0.5L) + (dot(x, y, p) + 1) * (dot(x, y, p) + 1);
}
typedef real (*value_fn)(const real *x, const real *y, int64_t p);

static void widen(const double *x, int64_t count, real *out) {
    for (int64_t i = 0; i < count; i++) out[i] = x[i];
}

/* A kernel's Gram of x with y (NULL: x) against a matrix. */
static void check_gram(rkhs_env *env, const char *text, const rkhs_data *x, const rkhs_data *y, const double *expected,
                       double tolerance) {
    int64_t n = x->rows, m = (y ? y : x)->rows;
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, n * m);
    rkhs_kernel *k;
    LOOK_AT("%s", text);
    FINE(env, rkhs_kernel_new(env, text, &k));
    FINE(env, rkhs_kernel_gram(k, x, y, K, m));
    near_each("K", K, expected, n * m, tolerance);
    rkhs_kernel_free(k);
    rk_scratch_release(env, mark);
}

enum { N = 60, M = 33, P = 46 };

/* N + M rows of P columns of other places and scales. */
static void fill_rows(rkhs_env *env, double *x) {
    double *z = normals(env, (N + M) * P, 71);
    for (int64_t i = 0; i < N + M; i++)
        for (int64_t c = 0; c < P; c++) x[i * P + c] = (double)(c % 7 - 3) * 0.5 + (0.2 + 0.1 * (double)(c % 5)) * z[i * P + c];
}

static void powers_weights_and_wrappers_are_their_formulas(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    enum { Q = 4 };
    static const struct {
        const char *text;
        value_fn inner;
        int power, how; /* how: 0 as it is, 1 normalized, 2 centred */
    } cases[] = {
        {"linear^1", plain_dot, 1, 0},
        {"linear^2", plain_dot, 2, 0},
        {"linear^7", plain_dot, 7, 0},
        {"(2*rbf(gamma=0.5) + poly(degree=2, gamma=1, coef0=1))^3", mixed, 3, 0},
        {"normalize(linear)", plain_dot, 1, 1},
        {"normalize(2*rbf(gamma=0.5) + poly(degree=2, gamma=1, coef0=1))", mixed, 1, 1},
        {"normalize((2*rbf(gamma=0.5) + poly(degree=2, gamma=1, coef0=1))^3)", mixed, 3, 1},
        {"center(linear)", plain_dot, 1, 2},
        {"center(rbf(gamma=0.5))", gauss_half, 1, 2},
        {"center((2*rbf(gamma=0.5) + poly(degree=2, gamma=1, coef0=1))^2)", mixed, 2, 2},
    };
    double *x = normals(env, (N + M) * Q, 72), *K = numbers(env, (N + M) * (N + M)), *part = numbers(env, N * M);
    real wide[(N + M) * Q];
    widen(x, (N + M) * Q, wide);
    rkhs_data *a, *b;
    OK(env, rkhs_data_dense(env, x, N, Q, Q, &a));
    OK(env, rkhs_data_dense(env, x + N * Q, M, Q, Q, &b));
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        enum { ALL = N + M };
        static real V[ALL * ALL];
        real mean[ALL] = {0}, all = 0;
        for (int i = 0; i < ALL; i++)
            for (int j = 0; j < ALL; j++) V[i * ALL + j] = powl(cases[t].inner(wide + i * Q, wide + j * Q, Q), cases[t].power);
        for (int i = 0; i < ALL; i++)
            for (int j = 0; j < N; j++) mean[i] += V[i * ALL + j] / N; /* the first N are the reference of all */
        for (int i = 0; i < N; i++) all += mean[i] / N;
        for (int i = 0; i < ALL; i++)
            for (int j = 0; j < ALL; j++) {
                real v = V[i * ALL + j];
                if (cases[t].how == 1) v /= sqrtl(V[i * ALL + i] * V[j * ALL + j]);
                if (cases[t].how == 2) v = v - mean[i] - mean[j] + all;
                if (i < N && j < N) K[i * N + j] = (double)v;
                if (i < N && j >= N) part[i * M + j - N] = (double)v;
            }
        check_gram(env, cases[t].text, a, NULL, K, 1e-11);
        check_gram(env, cases[t].text, a, b, part, 1e-11);
    }
    rkhs_data_free(b);
    rkhs_data_free(a);
    rk_scratch_release(env, mark);
}

/* Columns of a row, in this order. */
static int64_t pick(const real *row, const char *list, real *out) {
    int64_t from, to, count = 0;
    const char *at = list + 1;
    while (rk_next_range(&at, &from, &to))
        for (int64_t c = from; c < to; c++) out[count++] = row[c];
    return count;
}

/* Mean and population deviation of columns over the first N rows. */
static void standardise(real *x) {
    for (int64_t c = 0; c < P; c++) {
        real mean = 0, square = 0;
        for (int64_t i = 0; i < N; i++) mean += x[i * P + c] / N;
        for (int64_t i = 0; i < N; i++) square += (x[i * P + c] - mean) * (x[i * P + c] - mean) / N;
        for (int64_t i = 0; i < N + M; i++) x[i * P + c] = (x[i * P + c] - mean) / sqrtl(square);
    }
}

/* The kernel of the network: chi2 has laplacian in its place, the columns are the same. */
static real network(const real *x, const real *xs, const real *y, const real *ys) {
    real a[P], b[P], sum = 0;
    pick(x, "[0,4,41]", a), sum += 5 * gauss(a, b, pick(y, "[0,4,41]", b), 0.03L);
    pick(x, "[19:33]", a), sum += angle(a, b, pick(y, "[19:33]", b));
    pick(xs, "[12:16]", a), sum += 2 * gauss(a, b, pick(ys, "[12:16]", b), 0.25L);
    pick(x, "[42:46]", a), sum += 3 * angle(a, b, pick(y, "[42:46]", b));
    pick(x, "[14:19,4:7,41:45]", a), sum += 3 * laplace(a, b, pick(y, "[14:19,4:7,41:45]", b), 1);
    return sum;
}

static void the_network_kernel_is_one_line(void **state) {
    rkhs_env *env = *state;
    static const char text[] = "5*rbf(gamma=0.03)[0,4,41] + cosine[19:33] + 2*standardize(rbf(gamma=0.25))[12:16] + "
                               "3*cosine[42:46] + 3*laplacian(gamma=1)[14:19,4:7,41:45]";
    rk_mark mark = rk_scratch_mark(env);
    double *x = numbers(env, (N + M) * P), *K = numbers(env, N * N), *L = numbers(env, N * M);
    static real wide[(N + M) * P], scaled[(N + M) * P];
    fill_rows(env, x);
    widen(x, (N + M) * P, wide);
    memcpy(scaled, wide, sizeof scaled);
    standardise(scaled);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N + M; j++) {
            real v = network(wide + i * P, scaled + i * P, wide + j * P, scaled + j * P);
            *(j < N ? &K[i * N + j] : &L[i * M + j - N]) = (double)v;
        }
    rkhs_data *a, *b;
    OK(env, rkhs_data_dense(env, x, N, P, P, &a));
    OK(env, rkhs_data_dense(env, x + N * P, M, P, P, &b));
    check_gram(env, text, a, NULL, K, 1e-12);
    check_gram(env, text, a, b, L, 1e-12); /* the second set by the first's mean and deviation */
    rkhs_data_free(b);
    rkhs_data_free(a);
    rk_scratch_release(env, mark);
}

/* ---- columns --------------------------------------------------------------------------------------------------- */

static void columns_are_those_of_a_table_cut_by_hand(void **state) {
    rkhs_env *env = *state;
    enum { Q = 12 };
    static const char *const lists[] = {"[0]", "[3:9]", "[0,1,2]", "[11,0,5]", "[4:7,4:7,2]", "[0:12]", "[9:12,0:9]"};
    static const char *const kernels[] = {"rbf", "linear", "cosine", "poly(degree=2)", "rbf(sigma=knn(3))", "center(rbf)"};
    for (int sparse = 0; sparse < 2; sparse++)
        for (int t = 0; t < 42; t++) {
            rk_mark mark = rk_scratch_mark(env);
            double *x = normals(env, N * Q, 73), *y = numbers(env, N * 40), *K = numbers(env, N * N);
            int64_t *index, count, columns;
            char text[100];
            rkhs_kernel *k;
            rkhs_data *whole, *cut;
            for (int64_t i = 0; sparse && i < N * Q; i++)
                if (rk_uniform(5, RK_STREAM_TEST, (uint64_t)i, 0) > 0.4) x[i] = 0;
            OK(env, rk_parse_indices(env, "test", lists[t % 7], Q, &index, &count));
            columns = count;
            for (int64_t i = 0; i < N; i++)
                for (int64_t c = 0; c < columns; c++) y[i * columns + c] = x[i * Q + index[c]];
            if (sparse) {
                whole = sparse_copy(env, x, N, Q);
                cut = sparse_copy(env, y, N, columns);
            } else {
                OK(env, rkhs_data_dense(env, x, N, Q, Q, &whole));
                OK(env, rkhs_data_dense(env, y, N, columns, columns, &cut));
            }
            OK(env, rkhs_kernel_new(env, kernels[t / 7], &k));
            FINE(env, rkhs_kernel_gram(k, cut, NULL, K, N));
            snprintf(text, sizeof text, "%s%s", kernels[t / 7], lists[t % 7]);
            check_gram(env, text, whole, NULL, K, 1e-13);
            rkhs_kernel_free(k);
            rkhs_data_free(cut);
            rkhs_data_free(whole);
            rk_scratch_release(env, mark);
        }
}

static void a_range_of_dense_columns_is_not_copied(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, N * 20, 74);
    rkhs_data *data;
    OK(env, rkhs_data_dense(env, x, N, 12, 20, &data));
    static const char *const texts[] = {"rbf(gamma=1)[2:5]", "rbf(gamma=1)[2,3,4]", "rbf(gamma=1)[2:4,4]",
                                        "rbf(gamma=1)[2,4,3]"};
    for (int t = 0; t < 4; t++) {
        rkhs_kernel *k;
        rk_bound *bound;
        int64_t ld;
        LOOK_AT("%s", texts[t]);
        FINE(env, rkhs_kernel_new(env, texts[t], &k));
        size_t used = env->used;
        FINE(env, rk_bind(env, k, data, NULL, &bound));
        HOLDS((rkhs_data_values(bound->view, &ld) == x + 2) == (t < 3));
        HOLDS(ld == (t < 3 ? 20 : 3) && bound->view->columns == 3);
        HOLDS((env->used - used >= N * 3 * sizeof *x) == (t == 3)); /* a copy is counted */
        rk_unbind(env, bound);
        HOLDS(env->used == used);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(data);
    rk_scratch_release(env, mark);
}

static void columns_past_the_last_are_refused_with_their_number(void **state) {
    rkhs_env *env = *state;
    static const char *const texts[] = {"rbf[3]", "2*rbf[0:4]", "linear[1,2,3]", "standardize(rbf)[0:4]", "rbf[0:2][2,3]"};
    rkhs_data *x = fixture_data(env, "small", 10);
    double K[100], Z[20];
    for (int t = 0; t < 5; t++) {
        rkhs_kernel *k;
        rkhs_model *m;
        LOOK_AT("%s", texts[t]);
        FINE(env, rkhs_kernel_new(env, texts[t], &k));
        FINE(env, rkhs_model_new(env, "kpca", &m));
        const char *part = t == 4 ? "[2,3] | column 3 | are 3" : "column 3 | are 3";
        REFUSED(env, RKHS_ERR_DATA, part, rkhs_kernel_gram(k, x, NULL, K, 10));
        REFUSED(env, RKHS_ERR_DATA, part, rkhs_kernel_freeze(k, x));
        REFUSED(env, RKHS_ERR_DATA, part, rkhs_model_fit(m, k, x, NULL, NULL));
        REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_transform(m, x, Z, 2));
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(x);
}

/* ---- standardize ----------------------------------------------------------------------------------------------- */

static void standardize_is_the_kernel_on_standardised_columns(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *x = numbers(env, (N + M) * P), *y = numbers(env, (N + M) * P), *K = numbers(env, N * N), *L = numbers(env, N * M);
    static real wide[(N + M) * P];
    static const char *const kernels[] = {"rbf", "rbf(sigma=knn(4))", "laplacian", "linear", "center(rbf)", "poly"};
    fill_rows(env, x);
    widen(x, (N + M) * P, wide);
    standardise(wide);
    for (int64_t i = 0; i < (N + M) * P; i++) y[i] = (double)wide[i];
    rkhs_data *a, *b, *as, *bs;
    OK(env, rkhs_data_dense(env, x, N, P, P, &a));
    OK(env, rkhs_data_dense(env, x + N * P, M, P, P, &b));
    OK(env, rkhs_data_dense(env, y, N, P, P, &as));
    OK(env, rkhs_data_dense(env, y + N * P, M, P, P, &bs));
    for (int t = 0; t < 6; t++) {
        rkhs_kernel *k;
        char text[64];
        snprintf(text, sizeof text, "standardize(%s)", kernels[t]);
        OK(env, rkhs_kernel_new(env, kernels[t], &k));
        FINE(env, rkhs_kernel_gram(k, as, NULL, K, N));
        FINE(env, rkhs_kernel_gram(k, as, bs, L, M));
        check_gram(env, text, a, NULL, K, 1e-11);
        check_gram(env, text, a, b, L, 1e-11);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(bs);
    rkhs_data_free(as);
    rkhs_data_free(b);
    rkhs_data_free(a);
    rk_scratch_release(env, mark);
}

/* Columns that are constant, tiny, huge, or far off. */
static void mean_and_deviation_are_right_for_odd_columns(void **state) {
    rkhs_env *env = *state;
    static const double x[] = {0.1, 1e-170, 1e150, 1e9 + 1, 5, 0.1, 2e-170, -1e150, 1e9 + 2, 5,
                               0.1, 3e-170, 1e150, 1e9 + 3, 5, 0.1, 4e-170, -1e150, 1e9 + 4, 6};
    static const double mean[] = {0.1, 2.5e-170, 0, 1e9 + 2.5, 5.25};
    static const double deviation[] = {1, 1.118033988749895e-170, 1e150, 1.118033988749895, 0.4330127018922193};
    rkhs_data *data, *fresh;
    rkhs_kernel *k;
    double K[4];
    LOOK_AT("odd columns");
    FINE(env, rkhs_data_dense(env, x, 4, 5, 5, &data));
    FINE(env, rkhs_kernel_new(env, "standardize(linear)", &k));
    FINE(env, rkhs_kernel_freeze(k, data));
    const rk_reals *reals = k->spec->self;
    HOLDS(reals[0].count == 5 && reals[1].count == 5);
    for (int c = 0; c < 5; c++) {
        HOLDS(fabs(reals[0].values[c] - mean[c]) <= 1e-14 * (c == 2 ? 1e150 : mean[c]));
        HOLDS(fabs(reals[1].values[c] - deviation[c]) <= 1e-14 * deviation[c]);
    }
    HOLDS(reals[0].values[0] == 0.1 && reals[1].values[0] == 1);
    double far_off[] = {0, 1, 0, 0, 0}; /* 1e170 deviations */
    FINE(env, rkhs_data_dense(env, far_off, 1, 5, 5, &fresh));
    REFUSED(env, RKHS_ERR_DATA, "row 1 | column 2 | 8.94427e+169 | 1e150", rkhs_kernel_gram(k, data, fresh, K, 1));
    rkhs_data_free(fresh);
    rkhs_data_free(data);
    rkhs_kernel_free(k);
}

static void a_mean_of_other_columns_is_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", 10), *thin = fixture_data(env, "sparse", 10);
    rkhs_kernel *k;
    double K[100];
    LOOK_AT("standardize");
    FINE(env, rkhs_kernel_new(env, "standardize(rbf(sigma=1), mean=[1,2], deviation=[1,1])", &k));
    REFUSED(env, RKHS_ERR_DATA, "2 columns | have 3", rkhs_kernel_gram(k, x, NULL, K, 10));
    REFUSED(env, RKHS_ERR_DATA, "takes dense data, not sparse", rkhs_kernel_gram(k, thin, NULL, K, 10));
    rkhs_kernel_free(k);
    rkhs_data_free(thin);
    rkhs_data_free(x);
}

/* Thousands of columns: the text holds every digit, and messages about such a kernel stay readable. */
static void a_model_of_many_columns_survives_a_file(void **state) {
    rkhs_env *env = *state;
    enum { ROWS = 12, WIDE = 6000 };
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, ROWS * WIDE, 75), Z[ROWS * 2], Y[ROWS * 2];
    rkhs_data *data, *thin = fixture_data(env, "sparse", ROWS);
    rkhs_kernel *k;
    rkhs_model *m, *loaded;
    LOOK_AT("6000 columns");
    FINE(env, rkhs_data_dense(env, x, ROWS, WIDE, WIDE, &data));
    FINE(env, rkhs_kernel_new(env, "standardize(rbf)", &k));
    FINE(env, rkhs_model_new(env, "kpca", &m));
    FINE(env, rkhs_model_fit(m, k, data, NULL, NULL));
    HOLDS(strlen(rkhs_kernel_text(rkhs_model_kernel(m))) > 200000);
    FINE(env, rkhs_model_save(m, "wide.rkhs"));
    FINE(env, rkhs_model_load(env, "wide.rkhs", &loaded));
    FINE(env, rkhs_model_transform(m, data, Z, 2));
    FINE(env, rkhs_model_transform(loaded, data, Y, 2));
    same_bits("the loaded model", Y, Z, ROWS * 2);
    near_all("the training rows", Z, rkhs_model_embedding(m, NULL, NULL), ROWS * 2, 1e-8);
    REFUSED(env, RKHS_ERR_DATA, " takes dense data, not sparse: give it such data", rkhs_model_transform(m, thin, Z, 2));
    rkhs_model_free(loaded);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(thin);
    rkhs_data_free(data);
    rk_scratch_release(env, mark);
}

/* ---- normalize ------------------------------------------------------------------------------------------------- */

/* Objects at the origin of the feature space: 1 with each other, 0 with the rest, in a batch and one by one. */
static void objects_of_no_length_have_a_direction_of_their_own(void **state) {
    rkhs_env *env = *state;
    static const double x[] = {0, 0, 3, 4, 0, 0, -6, -8, 1e-150, 0, 1, 0};
    static const double expected[] = {1, 0,  1, 0, 0,    0,    0, 1,   0, -1,   0.6, 0.6, 1, 0,   1, 0,    0, 0,
                                      0, -1, 0, 1, -0.6, -0.6, 0, 0.6, 0, -0.6, 1,   1,   0, 0.6, 0, -0.6, 1, 1};
    rkhs_data *all, *one;
    rkhs_kernel *k;
    double K[36], w[6], V[36], value[6];
    OK(env, rkhs_data_dense(env, x, 6, 2, 2, &all));
    OK(env, rkhs_kernel_new(env, "normalize(linear)", &k));
    LOOK_AT("normalize(linear) and rows of 0");
    FINE(env, rkhs_kernel_gram(k, all, NULL, K, 6));
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) near_each("K", K + i * 6 + j, expected + i * 6 + j, 1, 1e-15);
    for (int64_t i = 0; i < 6; i++) {
        FINE(env, rkhs_data_dense(env, x + 2 * i, 1, 2, 2, &one));
        FINE(env, rkhs_kernel_gram(k, one, all, value, 6));
        near_each("one by one", value, K + i * 6, 6, 1e-15);
        rkhs_data_free(one);
    }
    FINE(env, rk_eigen(env, 6, K, 6, 0, 5, w, V));
    HOLDS(w[0] > -1e-14);
    rkhs_kernel_free(k);
    rkhs_data_free(all);
}

/* ---- center in models ------------------------------------------------------------------------------------------ */

/* kpca centres by itself: a kernel that is centred about all objects changes nothing. */
static void kpca_of_a_centred_kernel_is_kpca(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x, *fresh;
    fixture_split(env, "wide", N, M, &x, &fresh);
    static const char *const texts[] = {"rbf", "center(rbf)"};
    double Z[2][M * 3];
    for (int t = 0; t < 2; t++) {
        rkhs_kernel *k;
        rkhs_model *m;
        LOOK_AT("kpca of %s", texts[t]);
        FINE(env, rkhs_kernel_new(env, texts[t], &k));
        FINE(env, rkhs_model_new(env, "kpca(dim=3)", &m));
        FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
        FINE(env, rkhs_model_transform(m, fresh, Z[t], 3));
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    near_all("Z", Z[1], Z[0], M * 3, 1e-9);
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

/* What is kept is what is referred to: k(new, kept) of the model is the kernel about the mean of the landmarks. */
static void the_reference_is_what_a_model_keeps(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"nystrom(landmarks=20)",
                                        "nystrom(landmarks=20, by=uniform)",
                                        "nystrom(landmarks=20, by=kmeans)",
                                        "nystrom(by=given, rows=[3:20,40])",
                                        "nystrom(landmarks=60)",
                                        "exact"};
    static const char *const kernels[] = {"center(rbf)", "center(rbf)^2 + 2*cosine", "normalize(center(linear))",
                                          "center(linear)"};
    rkhs_data *x, *fresh;
    fixture_split(env, "small", N, M, &x, &fresh);
    for (int t = 0; t < 24; t++) {
        rk_mark mark = rk_scratch_mark(env);
        char spec[100];
        rkhs_kernel *k;
        rkhs_model *m;
        snprintf(spec, sizeof spec, "kpca(dim=3, gram=%s)", grams[t % 6]);
        LOOK_AT("%s of %s", spec, kernels[t / 6]);
        FINE(env, rkhs_kernel_new(env, kernels[t / 6], &k));
        FINE(env, rkhs_model_new(env, spec, &m));
        FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
        HOLDS(m->map->object_count == (t % 6 < 3 ? 20 : t % 6 == 3 ? 18 : N));
        int64_t kept = m->map->object_count;
        double *K = numbers(env, kept * M), Z[M * 3], Y[M * 3], T[N * 3];
        FINE(env, rkhs_kernel_gram(m->kernel, m->map->objects, fresh, K, M));
        for (int i = 0; i < M; i++)
            for (int c = 0; c < 3; c++) {
                real sum = m->map->c[c];
                for (int64_t j = 0; j < kept; j++) sum += (real)K[j * M + i] * m->map->B[j * 3 + c];
                Y[i * 3 + c] = (double)sum;
            }
        FINE(env, rkhs_model_transform(m, fresh, Z, 3));
        near_all("new rows", Z, Y, M * 3, 1e-9);
        FINE(env, rkhs_model_transform(m, x, T, 3));
        near_all("training rows", T, rkhs_model_embedding(m, NULL, NULL), N * 3, 1e-8);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
        rk_scratch_release(env, mark);
    }
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(powers_weights_and_wrappers_are_their_formulas),
        ENV_TEST(the_network_kernel_is_one_line),
        ENV_TEST(columns_are_those_of_a_table_cut_by_hand),
        ENV_TEST(a_range_of_dense_columns_is_not_copied),
        ENV_TEST(columns_past_the_last_are_refused_with_their_number),
        ENV_TEST(standardize_is_the_kernel_on_standardised_columns),
        ENV_TEST(mean_and_deviation_are_right_for_odd_columns),
        ENV_TEST(a_mean_of_other_columns_is_refused),
        FOLDER_TEST(a_model_of_many_columns_survives_a_file),
        ENV_TEST(objects_of_no_length_have_a_direction_of_their_own),
        ENV_TEST(kpca_of_a_centred_kernel_is_kpca),
        ENV_TEST(the_reference_is_what_a_model_keeps),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
