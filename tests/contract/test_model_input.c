/* What models say to odd and to wrong input: refused with a sentence, or an ordinary result. */
#include "trials.h"

enum { N = 40 };

/* One model with one gram. */
static void open_model(rkhs_env *env, const trial *t, rkhs_kernel **k, rkhs_model **m) {
    FINE(env, rkhs_kernel_new(env, t->pair.text, k));
    FINE(env, rkhs_model_new(env, t->text, m));
}

static void close_model(rkhs_kernel *k, rkhs_model *m) {
    rkhs_model_free(m);
    rkhs_kernel_free(k);
}

/* Every model with every gram, an rbf kernel on dense data: what is wrong with the input does not depend on the
 * kernel. */
static int next_rbf(rkhs_env *env, trial *t, int dim) {
    while (next_trial(env, t, dim))
        if (strcmp(t->pair.text, "rbf") == 0 && strcmp(t->pair.data, "small") == 0) return 1;
    return 0;
}

static int refused_with_a_sentence(rkhs_env *env) { return strlen(rkhs_env_message(env)) > 20; }

/* ---- refused --------------------------------------------------------------------------------------------------- */

static void numbers_that_are_none_are_refused_with_their_place(void **state) {
    rkhs_env *env = *state;
    static const struct {
        double value;
        const char *part;
    } bad[] = {{NAN, "row 4 | column 2 | NaN"},
               {INFINITY, "column 2 | inf"},
               {-INFINITY, "is -inf"},
               {2e150, "is 2e+150, past 1e150"}};
    double x[6 * 3] = {0};
    float f[6 * 3] = {0};
    rkhs_data *data = NULL;
    for (int i = 0; i < 4; i++) {
        LOOK_AT("%g", bad[i].value);
        x[3 * 3 + 1] = bad[i].value;
        REFUSED(env, RKHS_ERR_DATA, bad[i].part, rkhs_data_dense(env, x, 6, 3, 3, &data));
        assert_null(data);
        if (i == 3) break;
        f[3 * 3 + 1] = (float)bad[i].value;
        REFUSED(env, RKHS_ERR_DATA, bad[i].part, rkhs_data_float(env, f, 6, 3, 3, &data));
        assert_null(data);
    }
}

static void one_row_is_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_data *one = fixture_data(env, "small", 1);
    for (trial t = {0}; next_rbf(env, &t, 1);) {
        rkhs_kernel *k;
        rkhs_model *m;
        open_model(env, &t, &k, &m);
        REFUSED(env, RKHS_ERR_DATA, "one row", rkhs_model_fit(m, k, one, NULL, NULL));
        HOLDS(!rkhs_model_embedding(m, NULL, NULL) && !rkhs_model_kernel(m));
        close_model(k, m);
    }
    rkhs_data_free(one);
}

static void fewer_rows_than_dimensions_are_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_data *four = fixture_data(env, "small", 4);
    for (trial t = {0}; next_rbf(env, &t, 5);) {
        rkhs_kernel *k;
        rkhs_model *m;
        if (!fixture_has(t.type, "dim")) continue;
        open_model(env, &t, &k, &m);
        REFUSED(env, RKHS_ERR_DATA, "dim = 5 | 4 rows", rkhs_model_fit(m, k, four, NULL, NULL));
        HOLDS(!rkhs_model_embedding(m, NULL, NULL));
        close_model(k, m);
    }
    rkhs_data_free(four);
}

static void specs_out_of_bounds_are_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_model *m = NULL;
    for (int i = 0; rk_models.entries[i]; i++) {
        char text[128];
        const char *name = rk_models.entries[i]->name;
        static const char *const wrong[][2] = {
            {"dim=0)", "dim | at least 1 | not 0"},
            {"dim=-2)", "dim | at least 1"},
            {"dim=1.5)", "dim | whole number"},
            {"dmi=2)", "did you mean dim?"},
            {"dim=2, dim=3)", "dim is given twice"},
            {"gram=exat)", "did you mean exact?"},
            {"gram=nystrom(landmarks=0))", "landmarks | at least 1 | not 0"},
            {"dim=2", "expected"},
        };
        for (int w = 0; w < 8; w++) {
            if (wrong[w][0][0] == 'd' && !fixture_has((const rk_model_type *)rk_models.entries[i], "dim")) continue;
            snprintf(text, sizeof text, "%s(%s", name, wrong[w][0]);
            LOOK_AT("%s", text);
            REFUSED(env, RKHS_ERR_SPEC, wrong[w][1], rkhs_model_new(env, text, &m));
            assert_null(m);
        }
    }
}

static void labels_are_refused_by_models_that_take_none(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *labels = fixture_labels(env, N);
    for (trial t = {0}; next_rbf(env, &t, 2);) {
        rkhs_kernel *k;
        rkhs_model *m;
        open_model(env, &t, &k, &m);
        if (!t.type->supervision)
            REFUSED(env, RKHS_ERR_ARGUMENT, "no labels", rkhs_model_fit(m, k, x, labels, NULL));
        else if (!(t.type->supervision & RK_KIND_LABELS))
            REFUSED(env, RKHS_ERR_DATA, "not from labels", rkhs_model_fit(m, k, x, labels, NULL));
        if (!t.type->takes_start) REFUSED(env, RKHS_ERR_ARGUMENT, "takes no start", rkhs_model_fit(m, k, x, NULL, x));
        REFUSED(env, RKHS_ERR_DATA, "not labels", rkhs_model_fit(m, k, labels, NULL, NULL));
        HOLDS(!rkhs_model_embedding(m, NULL, NULL));
        close_model(k, m);
    }
    rkhs_data_free(labels);
    rkhs_data_free(x);
}

static void new_rows_of_another_width_or_kind_are_refused(void **state) {
    rkhs_env *env = *state;
    double Z[2 * N];
    rkhs_data *wide = fixture_data(env, "wide", N), *labels = fixture_labels(env, N);
    for (trial t = {0}; next_trial(env, &t, 2);) {
        rkhs_data *x = fixture_data(env, t.pair.data, N);
        if (x->columns != wide->columns) {
            rkhs_model *m = fitted(env, &t, x);
            char part[128];
            snprintf(part, sizeof part, "have 70 columns, but the model was fitted on %lld", (long long)x->columns);
            unsigned kinds = rk_kernel_kinds(rkhs_model_kernel(m));
            if (!(kinds & (RK_KIND_DENSE | RK_KIND_GRAM)))
                snprintf(part, sizeof part, kinds & RK_KIND_IMAGE ? "do not say their height and width" : "data, not dense: ");
            memset(Z, 0, sizeof Z);
            int classes = x->type->kind == RK_KIND_LABELS;
            REFUSED(env, RKHS_ERR_DATA, classes ? "not dense" : part, rkhs_model_transform(m, wide, Z, 2));
            if (!classes) REFUSED(env, RKHS_ERR_DATA, "not labels", rkhs_model_transform(m, labels, Z, 2));
            for (int i = 0; i < 2 * N; i++) HOLDS(Z[i] == 0);
            REFUSED(env, RKHS_ERR_ARGUMENT, "below the 2 columns", rkhs_model_transform(m, x, Z, 1));
            rkhs_model_free(m);
        }
        rkhs_data_free(x);
    }
    rkhs_data_free(labels);
    rkhs_data_free(wide);
}

static void an_unfitted_model_can_do_nothing(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *back = NULL;
    double Z[2 * N] = {0};
    for (int i = 0; rk_models.entries[i]; i++) {
        rkhs_model *m;
        LOOK_AT("%s", rk_models.entries[i]->name);
        FINE(env, rkhs_model_new(env, rk_models.entries[i]->name, &m));
        REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_transform(m, x, Z, 2));
        REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_inverse(m, Z, N, 2, &back));
        REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_anomaly(m, x, NULL, Z));
        REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_update(m, x, NULL));
        REFUSED(env, RKHS_ERR_ARGUMENT, "not fitted", rkhs_model_save(m, "/nowhere/at/all"));
        assert_null(back);
        rkhs_model_free(m);
    }
    rkhs_data_free(x);
}

/* A fit that fails leaves what an earlier one learned. */
static void a_fit_that_fails_leaves_the_model_as_it_was(void **state) {
    rkhs_env *env = *state;
    for (trial t = {0}; next_rbf(env, &t, 2);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x = fixture_data(env, "small", N), *one = fixture_data(env, "small", 1), *pairs;
        rkhs_model *m = fitted(env, &t, x);
        double before[2 * N];
        memcpy(before, rkhs_model_embedding(m, NULL, NULL), sizeof before);
        FINE(env, rkhs_data_index(env, (int64_t[]){0, 1, 2, 3}, 2, 2, 4, &pairs)); /* of a kind that no kernel takes */
        size_t used = env->used;
        HOLDS(rkhs_model_fit(m, NULL, one, NULL, NULL) != RKHS_OK && refused_with_a_sentence(env));
        HOLDS(rkhs_model_fit(m, NULL, pairs, NULL, NULL) != RKHS_OK && refused_with_a_sentence(env));
        FINE(env, rkhs_env_set_memory(env, used + 100));
        HOLDS(rkhs_model_fit(m, NULL, x, NULL, NULL) == RKHS_ERR_MEMORY && refused_with_a_sentence(env));
        FINE(env, rkhs_env_set_memory(env, 0));
        HOLDS(env->used == used);
        same_bits("Z", rkhs_model_embedding(m, NULL, NULL), before, 2 * N);
        rkhs_model_free(m);
        rkhs_data_free(pairs);
        rkhs_data_free(one);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* ---- odd but ordinary ------------------------------------------------------------------------------------------ */

/* Fits on values, n x p, and checks that all is finite and that transform agrees; rows that are equal have no
 * variance. */
static void check_ordinary(rkhs_env *env, const trial *t, const double *values, int64_t n, int64_t p, int equal) {
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x;
    int64_t dim;
    FINE(env, rkhs_data_dense(env, values, n, p, p, &x));
    rkhs_model *m = fitted(env, t, x);
    const double *Z = rkhs_model_embedding(m, NULL, &dim);
    double *Y = numbers(env, n * dim);
    FINE(env, rkhs_model_transform(m, x, Y, dim));
    all_finite("Z", Z, n * dim);
    all_finite("transform", Y, n * dim);
    for (int64_t i = 0; fixture_maps(m) && i < n * dim; i++) HOLDS(fabs(Y[i] - Z[i]) <= 1e-8 * fmax(1, largest(Z, n * dim)));
    if (equal && strcmp(t->type->entry.name, "kpca") == 0) HOLDS(largest(Z, n * dim) == 0);
    rkhs_item item;
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
        if (item.values) all_finite(item.name, item.values, item.rows * item.columns);
    rkhs_model_free(m);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

static void constant_and_repeated_rows_give_finite_results(void **state) {
    rkhs_env *env = *state;
    enum { P = 10 };
    for (trial t = {0}; next_trial(env, &t, 2);) {
        if (strcmp(t.pair.data, "small") != 0) continue;
        rk_mark mark = rk_scratch_mark(env);
        double *x = normals(env, N * P, 30), *y = numbers(env, N * P);
        for (int kind = 0; kind < 5; kind++) {
            static const char *const kinds[] = {"one row again and again", "two rows", "all but one equal", "all zero",
                                                "tiny numbers"};
            for (int64_t i = 0; i < N; i++)
                for (int64_t c = 0; c < P; c++) {
                    int64_t row = kind == 0 ? 0 : kind == 1 ? i % 2 : kind == 2 ? i == 7 : i;
                    y[i * P + c] = kind == 3 ? 0 : kind == 4 ? 1e-140 * x[i * P + c] : x[row * P + c];
                }
            /* K = 0 (see below), or products or their squares that underflow to 0 */
            if (kind == 3 &&
                (strncmp(t.pair.text, "linear", 6) == 0 || strstr(t.pair.text, "coef0=0)") || fixture_is_network(t.pair.text)))
                continue;
            if (kind % 3 == 0 && t.of.gram[0] == 'n' && strcmp(t.pair.text, "center(rbf)") == 0) continue;
            if (kind == 4 && t.of.gram[0] == 'n') continue;
            if (kind == 4 && t.type->nonconvex && strstr(t.pair.text, "coef0=0)")) continue;
            LOOK_AT("%s with %s on %s", t.text, t.pair.text, kinds[kind]);
            check_ordinary(env, &t, y, N, P, kind == 0 || kind == 3);
        }
        rk_scratch_release(env, mark);
    }
}

static void a_kernel_that_is_zero_is_said_or_embedded_at_zero(void **state) {
    rkhs_env *env = *state;
    static const double zeros[N * 2];
    rkhs_data *x;
    OK(env, rkhs_data_dense(env, zeros, N, 2, 2, &x));
    for (trial t = {0}; next_rbf(env, &t, 2);) {
        rkhs_model *m;
        rkhs_kernel *k;
        t.pair.text = "linear";
        LOOK_AT("%s with linear on zeros", t.text);
        open_model(env, &t, &k, &m);
        rkhs_data *y = fixture_supervision(env, t.type, x, 2);
        rkhs_status status = rkhs_model_fit(m, k, x, y, NULL);
        rkhs_data_free(y);
        if (status == RKHS_OK)
            for (int i = 0; i < 2 * N; i++) HOLDS(rkhs_model_embedding(m, NULL, NULL)[i] == 0);
        else
            HOLDS(status == RKHS_ERR_NUMERIC && says(rkhs_env_message(env), "above 0"));
        close_model(k, m);
    }
    rkhs_data_free(x);
}

/* Eigenvalues of a report, or NULL. */
static const double *eigenvalues(const rkhs_model *m) {
    rkhs_item item;
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
        if (strcmp(item.name, "eigenvalues") == 0) return item.values;
    return NULL;
}

static void dimensions_past_the_rank_are_zero_and_advice_says_so(void **state) {
    rkhs_env *env = *state;
    enum { DIM = 6, P = 3 };
    static const double shifts[] = {0, 5, 1000};
    remarks log = {0};
    for (int shape = 0; shape < 6; shape++) /* 3 columns, of which in odd shapes one is constant: rank 3 or 2 */
        for (trial t = {0}; next_rbf(env, &t, DIM);) {
            if (strcmp(t.type->entry.name, "kpca") != 0) continue;
            rk_mark mark = rk_scratch_mark(env);
            int rank = P - shape % 2;
            double *x = normals(env, N * P, 31), shift = shifts[shape / 2];
            for (int64_t i = 0; i < N * P; i++) x[i] = i % P < rank ? x[i] + shift : 5;
            rkhs_data *data;
            t.pair.text = "linear";
            FINE(env, rkhs_data_dense(env, x, N, P, P, &data));
            LOOK_AT("%s with linear on %d columns at %g", t.text, rank, shift);
            log = (remarks){0};
            rkhs_env_set_log(env, take_remark, &log);
            rkhs_model *m = fitted(env, &t, data);
            rkhs_env_set_log(env, NULL, NULL);
            const double *Z = rkhs_model_embedding(m, NULL, NULL), *l = eigenvalues(m);
            double *Y = numbers(env, N * DIM);
            FINE(env, rkhs_model_transform(m, data, Y, DIM));
            for (int c = 0; c < DIM; c++) {
                if ((l[c] > 0) != (c < rank)) fail_msg("%s: eigenvalue %d is %g, the first %g", context, c, l[c], l[0]);
                for (int64_t i = 0; c >= rank && i < N; i++) HOLDS(Z[i * DIM + c] == 0 && Y[i * DIM + c] == 0);
            }
            HOLDS(log.advice == 1 && says(log.last, rank == 3 ? "3 of the 6 | dimensions" : "2 of the 6 | dimensions"));
            rkhs_model_free(m);
            rkhs_data_free(data);
            rk_scratch_release(env, mark);
        }
}

/* A mean 1e5 times the spread costs a linear kernel ten digits of sixteen, and is told; one of 10 is not. */
static void a_mean_that_costs_digits_gets_one_line_of_advice(void **state) {
    rkhs_env *env = *state;
    enum { P = 3 };
    static const char *const specs[] = {"kpca", "kpca(solver=lanczos)", "kpca(gram=nystrom)"};
    for (int t = 0; t < 6; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *x = normals(env, N * P, 33), mean = t < 3 ? 1e5 : 10;
        for (int64_t i = 0; i < N * P; i++) x[i] += mean;
        remarks log = {0};
        rkhs_data *data;
        rkhs_kernel *k;
        rkhs_model *m;
        LOOK_AT("%s on rows at %g", specs[t % 3], mean);
        FINE(env, rkhs_data_dense(env, x, N, P, P, &data));
        FINE(env, rkhs_kernel_new(env, "linear", &k));
        FINE(env, rkhs_model_new(env, specs[t % 3], &m));
        rkhs_env_set_log(env, take_remark, &log);
        FINE(env, rkhs_model_fit(m, k, data, NULL, NULL));
        rkhs_env_set_log(env, NULL, NULL);
        HOLDS(log.advice == (t < 3));
        HOLDS(t >= 3 || (says(log.last, "costs as many digits") && says(log.last, "mean | column")));
        rkhs_model_free(m);
        rkhs_kernel_free(k);
        rkhs_data_free(data);
        rk_scratch_release(env, mark);
    }
}

/* A model's own kernel for sparse rows is the one for dense rows. */
static void sparse_rows_have_the_kernel_of_dense_ones(void **state) {
    rkhs_env *env = *state;
    for (const rk_entry *const *e = rk_models.entries; *e; e++) {
        const rk_model_type *type = (const rk_model_type *)*e;
        rkhs_data *x = fixture_data(env, "sparse", N), *y = fixture_supervision(env, type, x, 2);
        rkhs_model *m;
        LOOK_AT("%s on sparse rows without a kernel", type->entry.name);
        FINE(env, rkhs_model_new(env, type->entry.name, &m));
        const char *dense = type->default_kernel(m->spec->self, RK_KIND_DENSE),
                   *sparse = type->default_kernel(m->spec->self, RK_KIND_SPARSE);
        HOLDS(dense && sparse && strcmp(dense, sparse) == 0);
        FINE(env, rkhs_model_fit(m, NULL, x, y, NULL));
        rkhs_model_free(m);
        rkhs_data_free(y);
        rkhs_data_free(x);
    }
}

static void columns_of_other_scales_get_one_line_of_advice(void **state) {
    rkhs_env *env = *state;
    remarks log = {0};
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, N * 3, 32), *y = numbers(env, N * 3);
    for (int scaled = 0; scaled < 2; scaled++) {
        rkhs_data *data;
        for (int64_t i = 0; i < N * 3; i++) y[i] = x[i] * (scaled && i % 3 == 1 ? 1000 : 1);
        OK(env, rkhs_data_dense(env, y, N, 3, 3, &data));
        for (trial t = {0}; next_rbf(env, &t, 2);) {
            log = (remarks){.env = env};
            rkhs_env_set_log(env, take_remark, &log);
            rkhs_model *m = fitted(env, &t, data);
            rkhs_env_set_log(env, NULL, NULL);
            LOOK_AT("%s, %s columns", t.text, scaled ? "unequal" : "equal");
            HOLDS(log.advice == scaled);
            if (scaled) HOLDS(says(log.last, "column 2 spans") && says(log.last, "(counted from 1)"));
            rkhs_model_free(m);
        }
        rkhs_data_free(data);
    }
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(numbers_that_are_none_are_refused_with_their_place),
        ENV_TEST(one_row_is_refused),
        ENV_TEST(fewer_rows_than_dimensions_are_refused),
        ENV_TEST(specs_out_of_bounds_are_refused),
        ENV_TEST(labels_are_refused_by_models_that_take_none),
        ENV_TEST(new_rows_of_another_width_or_kind_are_refused),
        ENV_TEST(an_unfitted_model_can_do_nothing),
        ENV_TEST(a_fit_that_fails_leaves_the_model_as_it_was),
        ENV_TEST(constant_and_repeated_rows_give_finite_results),
        ENV_TEST(a_kernel_that_is_zero_is_said_or_embedded_at_zero),
        ENV_TEST(dimensions_past_the_rank_are_zero_and_advice_says_so),
        ENV_TEST(a_mean_that_costs_digits_gets_one_line_of_advice),
        ENV_TEST(sparse_rows_have_the_kernel_of_dense_ones),
        ENV_TEST(columns_of_other_scales_get_one_line_of_advice),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
