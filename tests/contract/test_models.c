/* What every model promises, for each in the list with every gram and kernel: new objects, batches, order, files,
 * copies, threads. */
#include "trials.h"

enum { N = 60, NEW = 20, DIM = 3 };

static double *transformed(rkhs_env *env, const rkhs_model *m, const rkhs_data *x) {
    double *Z = numbers(env, x->rows * DIM);
    FINE(env, rkhs_model_transform(m, x, Z, DIM));
    return Z;
}

/* ---- new objects ----------------------------------------------------------------------------------------------- */

static void check_train(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    int64_t n, dim;
    const double *Z = rkhs_model_embedding(m, &n, &dim);
    HOLDS(n == N && dim == DIM);
    all_finite("Z", Z, N * DIM);
    if (!(t->type->supervision & RK_KIND_INDEX)) HOLDS(largest(Z, N * DIM) > 0); /* triplets may contradict others */
    double *Y = transformed(env, m, x);
    all_finite("transform of the training rows", Y, N * DIM);
    if (fixture_maps(m)) near_all("transform of the training rows", Y, Z, N * DIM, 1e-8);
}

static void check_batch(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    double *batch = transformed(env, m, fresh), one[DIM + 2];
    all_finite("new rows", batch, NEW * DIM);
    double scale = largest(batch, NEW * DIM);
    for (int64_t i = 0; i < NEW; i++) {
        rkhs_data *row = fixture_rows(env, fresh, &i, 1, 0);
        for (int c = 0; c < DIM + 2; c++) one[c] = -77;
        FINE(env, rkhs_model_transform(m, row, one, DIM + 2));
        for (int c = 0; c < DIM; c++) HOLDS(fabs(one[c] - batch[i * DIM + c]) <= 1e-8 * scale);
        HOLDS(one[DIM] == -77 && one[DIM + 1] == -77);
        rkhs_data_free(row);
    }
}

static void many_new_rows_equal_few(void **state) {
    rkhs_env *env = *state;
    enum { MANY = 600 }; /* more than two tiles */
    for (trial t = {.pair = {.large = 1}}; next_trial(env, &t, DIM);) {
        if (strchr(t.pair.text, '*') || t.of.given) continue;
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh, *few;
        int64_t index[3] = {0, 300, MANY - 1};
        fixture_split(env, t.pair.data, N, MANY, &x, &fresh);
        rkhs_model *m = fitted(env, &t, x);
        few = fixture_rows(env, fresh, index, 3, 0);
        double *Z = transformed(env, m, fresh), *some = transformed(env, m, few);
        for (int i = 0; i < 3; i++) near_each("a row among many", some + i * DIM, Z + index[i] * DIM, DIM, 1e-8);
        rkhs_model_free(m);
        rkhs_data_free(few);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Whether a model's neighbours may be equally near on a data set: the first are taken, so that the order of rows
 * matters. Far from 0 rounding decides. */
static int has_ties(const rk_model_type *type, const char *data) {
    static const char *const apart[] = {"small", "wide", "sparse", "gram"};
    int neighbours = fixture_has(type, "neighbours");
    for (int i = 0; i < 4; i++) neighbours &= strcmp(data, apart[i]) != 0;
    return neighbours;
}

static void check_order(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    int64_t order[N];
    if (t->type->supervision & RK_KIND_INDEX) return; /* which is over rows */
    if (t->of.given || t->type->nonconvex || has_ties(t->type, t->pair.data)) return;
    for (int64_t i = 0; i < N; i++) order[i] = (i * 23 + 5) % N;
    rkhs_data *mixed = fixture_rows(env, x, order, N, strcmp(t->pair.data, "gram") == 0);
    rkhs_model *other = fitted(env, t, mixed);
    const double *Z = rkhs_model_embedding(m, NULL, NULL), *Y = rkhs_model_embedding(other, NULL, NULL);
    double *expected = numbers(env, N * DIM);
    for (int64_t i = 0; i < N; i++) memcpy(expected + i * DIM, Z + order[i] * DIM, DIM * sizeof *Z);
    near_all("Z of rows in another order", Y, expected, N * DIM, 1e-6);
    rkhs_model_free(other);
    rkhs_data_free(mixed);
}

/* ---- files and copies ------------------------------------------------------------------------------------------ */

static void same_reports(const rkhs_model *a, const rkhs_model *b) {
    rkhs_item x, y;
    int64_t i = 0;
    for (; rkhs_model_report(a, i, &x); i++) {
        HOLDS(rkhs_model_report(b, i, &y) == 1);
        assert_string_equal(x.name, y.name);
        HOLDS(!x.text == !y.text && !x.values == !y.values && x.rows == y.rows && x.columns == y.columns);
        if (x.text) assert_string_equal(x.text, y.text);
        if (x.values) same_bits(x.name, x.values, y.values, x.rows * x.columns);
    }
    HOLDS(i > 3 && rkhs_model_report(b, i, &y) == 0 && rkhs_model_report(b, -1, &y) == 0);
}

/* Two models that cannot be told apart. */
static void same_models(rkhs_env *env, const rkhs_model *a, const rkhs_model *b, const rkhs_data *fresh) {
    int64_t n, dim;
    assert_string_equal(rkhs_model_text(a), rkhs_model_text(b));
    assert_string_equal(rkhs_kernel_text(rkhs_model_kernel(a)), rkhs_kernel_text(rkhs_model_kernel(b)));
    const double *Z = rkhs_model_embedding(a, &n, &dim);
    same_bits("Z", rkhs_model_embedding(b, NULL, NULL), Z, n * dim);
    same_bits("new rows", transformed(env, a, fresh), transformed(env, b, fresh), fresh->rows * DIM);
    same_reports(a, b);
}

static void check_file(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    rkhs_model *loaded;
    FINE(env, rkhs_model_save(m, "a.rkhs"));
    FINE(env, rkhs_model_load(env, "a.rkhs", &loaded));
    same_models(env, m, loaded, fresh);
    FINE(env, rkhs_model_save(loaded, "b.rkhs"));
    same_files(env, "a.rkhs", "b.rkhs");
    rkhs_model_free(loaded);
    HOLDS(files_here() == 2);
}

/* Packed: the bytes of the file; a room too small gets what fits, and the size all the same; and back. */
static void check_pack(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    size_t count, size = 0;
    rkhs_model *again;
    FINE(env, rkhs_model_save(m, "a.rkhs"));
    char *file = file_bytes(env, "a.rkhs", &count), *bytes = malloc(count + 8);
    FINE(env, rkhs_model_pack(m, NULL, 0, &size));
    HOLDS(size == count);
    memset(bytes, 7, count + 8);
    FINE(env, rkhs_model_pack(m, bytes, count / 2, &size));
    HOLDS(size == count && memcmp(bytes, file, count / 2) == 0 && bytes[count / 2] == 7);
    FINE(env, rkhs_model_pack(m, bytes, count + 8, &size));
    HOLDS(size == count && memcmp(bytes, file, count) == 0 && bytes[count] == 7);
    FINE(env, rkhs_model_unpack(env, bytes, count, &again));
    FINE(env, rkhs_model_save(again, "b.rkhs"));
    same_files(env, "a.rkhs", "b.rkhs");
    rkhs_model_free(again);
    bytes[count / 3] ^= 1;
    FAILS(env, RKHS_ERR_FORMAT, "the bytes given", rkhs_model_unpack(env, bytes, count, &again));
    FAILS(env, RKHS_ERR_FORMAT, "the bytes given", rkhs_model_unpack(env, bytes, count / 2, &again));
    free(bytes);
}

static void check_copy(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    rkhs_model *copy, *unfitted, *empty;
    FINE(env, rkhs_model_copy(m, &copy));
    same_models(env, m, copy, fresh);
    FINE(env, rkhs_model_save(m, "a.rkhs"));
    FINE(env, rkhs_model_save(copy, "b.rkhs"));
    same_files(env, "a.rkhs", "b.rkhs");
    FINE(env, rkhs_model_new(env, rkhs_model_text(m), &unfitted));
    assert_string_equal(rkhs_model_text(unfitted), rkhs_model_text(m));
    FINE(env, rkhs_model_copy(unfitted, &empty));
    HOLDS(!rkhs_model_embedding(empty, NULL, NULL) && !rkhs_model_kernel(empty));
    /* The copy of a fitted model can be fitted anew, and the original stays. */
    double *before = transformed(env, m, fresh);
    rkhs_data *y = fixture_supervision(env, t->type, x, t->dim);
    FINE(env, rkhs_model_fit(copy, rkhs_model_kernel(m), x, y, NULL));
    rkhs_model_free(copy);
    same_bits("new rows after the copy is gone", transformed(env, m, fresh), before, NEW * DIM);
    rkhs_data_free(y);
    rkhs_model_free(empty);
    rkhs_model_free(unfitted);
}

/* ---- the same bits --------------------------------------------------------------------------------------------- */

static void check_again(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh) {
    rkhs_model *again = fitted(env, t, x);
    FINE(env, rkhs_model_save(m, "a.rkhs"));
    FINE(env, rkhs_model_save(again, "b.rkhs"));
    same_files(env, "a.rkhs", "b.rkhs");
    rkhs_model_free(again);
}

/* Every model with every gram, kernel and data set, fitted once: transform of the training rows is the embedding; a
 * batch equals one by one; the order of the training rows does not matter; a file, a pack and a copy are the model;
 * a second fit gives the same file. */
static void a_fitted_model_keeps_its_promises(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *name;
        void (*check)(rkhs_env *env, const trial *t, rkhs_model *m, const rkhs_data *x, const rkhs_data *fresh);
    } checks[] = {{"training rows", check_train}, {"batches", check_batch}, {"order", check_order}, {"file", check_file},
                  {"pack", check_pack},           {"copy", check_copy},     {"again", check_again}};
    for (trial t = {0}; next_trial(env, &t, DIM);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh;
        char what[400];
        snprintf(what, sizeof what, "%.399s", context);
        fixture_split(env, t.pair.data, N, NEW, &x, &fresh);
        rkhs_model *m = fitted(env, &t, x);
        for (size_t q = 0; q < sizeof checks / sizeof *checks; q++) {
            LOOK_AT("%s: %s", what, checks[q].name);
            checks[q].check(env, &t, m, x, fresh);
        }
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* Models, and their files, on 1, 2 and 4 threads, large enough for several tiles; kpca with both of its solvers. */
static void the_bits_do_not_depend_on_threads(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 300, FRESH = 270 }; /* two tiles and three */
    static const char *const kernels[] = {"rbf", "2*linear + rbf(gamma=0.1)*cosine"};
    static const char *const more[] = {"gram=exact", "gram=nystrom(landmarks=300)", "gram=nystrom(landmarks=300, by=uniform)",
                                       "gram=nystrom(landmarks=40, by=kmeans)"};
    for (int q = 0; rk_models.entries[q / 8]; q++) {
        trial t = {.type = (const rk_model_type *)rk_models.entries[q / 8], .pair = {.text = kernels[q % 2], .data = "offset"}};
        if (SANITIZED && q % 8 != 0 && q % 8 != 2) continue; /* under sanitizers one kernel, two grams */
        if (t.type->nonconvex && q % 2) continue;            /* a descent takes long: half of the kernels will do */
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x, *fresh;
        double *first = NULL;
        t.dim = DIM;
        fixture_spec(t.text, sizeof t.text, t.type, DIM, more[q / 2 % 4]);
        fixture_split(env, t.pair.data, ALL, FRESH, &x, &fresh);
        for (int threads = 1; threads <= (SANITIZED ? 2 : 4); threads *= 2) {
            LOOK_AT("%s with %s on %d threads", t.text, t.pair.text, threads);
            FINE(env, rkhs_env_set_threads(env, threads));
            rkhs_model *m = fitted(env, &t, x);
            double *Z = transformed(env, m, fresh);
            FINE(env, rkhs_model_save(m, threads == 1 ? "a.rkhs" : "b.rkhs"));
            if (threads > 1) same_files(env, "a.rkhs", "b.rkhs");
            if (threads > 1) same_bits("new rows", Z, first, FRESH * DIM);
            if (threads == 1) first = Z;
            rkhs_model_free(m);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

static void floats_and_doubles_give_the_same_bits(void **state) {
    rkhs_env *env = *state;
    enum { P = 11 };
    for (trial t = {0}; next_trial(env, &t, DIM);) {
        if (strcmp(t.pair.data, "small") != 0) continue;
        rk_mark mark = rk_scratch_mark(env);
        double *x = normals(env, N * P, 20);
        float floats[N * P];
        rkhs_data *single, *both;
        for (int i = 0; i < N * P; i++) x[i] = floats[i] = (float)x[i];
        FINE(env, rkhs_data_float(env, floats, N, P, P, &single));
        FINE(env, rkhs_data_dense(env, x, N, P, P, &both));
        rkhs_model *a = fitted(env, &t, single), *b = fitted(env, &t, both);
        same_bits("Z from floats", rkhs_model_embedding(a, NULL, NULL), rkhs_model_embedding(b, NULL, NULL), N * DIM);
        same_bits("new rows from floats", transformed(env, b, single), transformed(env, a, both), N * DIM);
        rkhs_model_free(a);
        rkhs_model_free(b);
        rkhs_data_free(single);
        rkhs_data_free(both);
        rk_scratch_release(env, mark);
    }
}

/* A precomputed Gram and the kernel that made it are one and the same to a model. */
static void a_precomputed_gram_gives_the_embedding_of_its_kernel(void **state) {
    rkhs_env *env = *state;
    for (trial t = {0}; next_trial(env, &t, DIM);) {
        if (strcmp(t.pair.text, "precomputed") != 0 || fixture_has(t.type, "data_kernel"))
            continue; /* data_kernel=: looks at the objects too */
        rk_mark mark = rk_scratch_mark(env);
        trial direct = t;
        rkhs_kernel *k;
        rkhs_data *x, *fresh, *gram, *cross;
        double *K = numbers(env, N * N), *C = numbers(env, NEW * N);
        direct.pair.text = "rbf(gamma=0.2)";
        fixture_split(env, "small", N, NEW, &x, &fresh);
        FINE(env, rkhs_kernel_new(env, direct.pair.text, &k));
        FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
        FINE(env, rkhs_kernel_gram(k, fresh, x, C, N));
        FINE(env, rkhs_data_dense(env, K, N, N, N, &gram));
        FINE(env, rkhs_data_dense(env, C, NEW, N, N, &cross));
        rkhs_model *a = fitted(env, &direct, x), *b = fitted_of(env, &t, gram, x);
        near_all("Z", rkhs_model_embedding(b, NULL, NULL), rkhs_model_embedding(a, NULL, NULL), N * DIM, 1e-9);
        if (!t.type->place_diag) /* rows of a Gram do not say k(x, x) */
            near_all("new rows", transformed(env, b, cross), transformed(env, a, fresh), NEW * DIM, 1e-9);
        rkhs_model_free(a);
        rkhs_model_free(b);
        rkhs_data_free(cross);
        rkhs_data_free(gram);
        rkhs_kernel_free(k);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_fitted_model_keeps_its_promises),
        ENV_TEST(many_new_rows_equal_few),
        FOLDER_TEST(the_bits_do_not_depend_on_threads),
        ENV_TEST(floats_and_doubles_give_the_same_bits),
        ENV_TEST(a_precomputed_gram_gives_the_embedding_of_its_kernel),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
