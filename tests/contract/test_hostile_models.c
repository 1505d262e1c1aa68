/* Model files with a right checksum that no fit wrote: refused when they are loaded, in one sentence that begins
 * with the file, or used like any other. */
#include "forge.h"

/* ---- the validator --------------------------------------------------------------------------------------------- */

static void every_model_checks_what_a_file_says(void **state) {
    for (const rk_entry *const *e = rk_models.entries; *e; e++) {
        LOOK_AT("%s", (*e)->name);
        HOLDS(((const rk_model_type *)*e)->check != NULL);
    }
}

static void kept_rows_that_the_factor_does_not_have_are_refused(void **state) {
    rkhs_env *env = *state;
    static const int64_t past[] = {MOST / 2, MOST / 2 + 1, MOST / 2 - 1, 7}, within[] = {0, 1, 6, 2}, below[] = {0, 1, -1, 2};
    rk_archive *a;
    rk_array keep;
    save_model(env, "gplvm(dim=2, gram=nystrom(landmarks=4))", NULL, "small");
    FINE(env, rk_archive_read(env, "m.rkhs", &a));
    FINE(env, rk_archive_get(a, "keep", 'q', 1, &keep));
    int64_t kept = keep.shape[0];
    HOLDS(kept > 2);
    rk_archive_free(a);
    FORGE(env, {"added", {'d', 2, {MOST / 2, DIM}, zeros}}, {"keep", {'q', 1, {kept}, past}});
    refused(env, "added | gplvm");
    FORGE(env, {"keep", {'q', 1, {kept}, within}});
    refused(env, "is row 6 of 6");
    FORGE(env, {"keep", {'q', 1, {kept}, below}});
    refused(env, "is row -1 of 6");
    FORGE(env, {"keep", {0}});
    refused(env, "which does not fit 'gplvm(dim=2");
}

static void a_model_without_training_objects_is_refused(void **state) {
    rkhs_env *env = *state;
    save_model(env, "kpca(dim=2)", NULL, "small");
    FORGE(env, {"embedding", {'d', 2, {0, DIM}, zeros}}, {"added", {'d', 2, {N, DIM}, zeros}});
    refused(env, "it has 0 training objects");
    FORGE(env, {"embedding", {'d', 2, {1, DIM}, zeros}}, {"added", {'d', 2, {N - 1, DIM}, zeros}});
    refused(env, "it has 1 training object");
    save_model(env, "contrastive(dim=2)", NULL, "small"); /* which may add some */
    FORGE(env, {"embedding", {'d', 2, {1, DIM}, zeros}}, {"added", {'d', 2, {2 * N - 1, DIM}, zeros}});
    refused(env, "it has 1 training object");
}

static void decoders_of_no_images_are_refused(void **state) {
    rkhs_env *env = *state;
    static const double shapes[][3] = {{-6, -5, 1}, {1e300, 3e-299, 1}, {0.5, 60, 1}, {6, 5, 2},
                                       {6, 4, 1},   {5, 2, 3},          {0, 30, 1}};
    save_model(env, "kae(dim=2, solver=lbfgs(max_iter=5))", NULL, "images");
    for (int i = 0; i < 7; i++) {
        LOOK_AT("images of %g x %g x %g", shapes[i][0], shapes[i][1], shapes[i][2]);
        FORGE(env, {"state/decoded_shape", {'d', 2, {1, 3}, shapes[i]}});
        if (i != 5) refused(env, "images | 'decoded_shape'");
    }
    FORGE(env, {"state/decoded_shape", {'d', 2, {3, 3}, zeros}});
    refused(env, "images | 'decoded_shape'");
    FORGE(env, {"state/decoder", {'d', 2, {N - 1, 30}, zeros}});
    refused(env, "decoder | 5 x 30 | 6 codes");
    FORGE(env, {"state/embedding_kernel", {'S', 1, {3}, "ssk"}});
    refused(env, "which takes no codes");
    FORGE(env, {"state/embedding_kernel", {0}}, {"report/embedding_kernel", {0}});
    refused(env, "no kernel of codes");
    /* as files of before had them */
    FORGE(env, {"state/decoder", {0}}, {"report/decoder", {'d', 2, {N - 1, 30}, zeros}});
    refused(env, "decoder | 5 x 30 | 6 codes");
    FORGE(env, {"state/decoded_shape", {0}}, {"report/decoded_shape", {'d', 2, {1, 3}, shapes[0]}});
    refused(env, "images | 'decoded_shape'");
    FORGE(env, {"report/shape", {'d', 2, {1, 3}, shapes[0]}});
    refused(env, "'shape' | report");
}

static void a_report_that_contradicts_the_model_is_refused(void **state) {
    rkhs_env *env = *state;
    static const double seven = 7, half = 0.5, minus = -1, no_image[] = {-1, 0, 0};
    save_model(env, "kpca(dim=2)", NULL, "small");
    FORGE(env, {"report/rows", {'d', 2, {1, 1}, &seven}});
    refused(env, "'rows' in its report");
    FORGE(env, {"report/kept", {'d', 2, {1, 1}, &half}});
    refused(env, "'reference_objects' in its report");
    FORGE(env, {"report/kept_objects", {'d', 2, {1, 1}, &half}});
    refused(env, "'reference_objects' in its report");
    FORGE(env, {"report/columns", {'S', 1, {1}, "3"}});
    refused(env, "'columns' in its report");
    FORGE(env, {"report/shape", {'d', 2, {1, 3}, no_image}});
    refused(env, "'shape' | objects | images");
    FORGE(env, {"state/decoder", {'S', 1, {3}, "abc"}});
    refused(env, "'state/decoder' | kpca");
    FORGE(env, {"report/solver", {'S', 1, {3}, "a\xffz"}});
    refused(env, "'solver' | UTF-8");
    save_model(env, "tke(dim=2, solver=lbfgs(max_iter=5))", NULL, "small");
    FORGE(env, {"state/gamma", {'d', 0, {0}, &minus}});
    refused(env, "gamma | above 0");
    FORGE(env, {"state/gamma", {'d', 1, {2}, no_image}});
    refused(env, "'state/gamma' | one number");
    FORGE(env, {"state/gamma", {'S', 1, {1}, "3"}});
    refused(env, "'state/gamma'");
    FORGE(env, {"state/gamma", {0}}, {"report/width", {'d', 2, {1, 1}, &minus}});
    refused(env, "gamma | above 0");
    FORGE(env, {"state/gamma", {0}}, {"report/width", {0}});
    refused(env, "gamma | missing");
}

/* Coefficients may be finite and as large as numbers are; what comes of them is not given out. */
static void results_out_of_range_are_refused(void **state) {
    rkhs_env *env = *state;
    double B[N * DIM], C[N * 3], Z[2 * DIM] = {0, 0, 1, 1}, out[N * DIM], influence[2 * N];
    int64_t object[2 * N];
    rkhs_data *x = fixture_data(env, "small", N), *back = NULL;
    rkhs_model *m;
    for (int i = 0; i < N * DIM; i++) B[i] = 1e308;
    for (int i = 0; i < N * 3; i++) C[i] = 1e308;
    save_model(env, "kpca(dim=2)", "rbf(gamma=0.01)", "small");
    FORGE(env, {"map/B", {'d', 2, {N, DIM}, B}});
    FINE(env, rkhs_model_load(env, "c.rkhs", &m));
    REFUSED(env, RKHS_ERR_NUMERIC, "kpca gives", rkhs_model_transform(m, x, out, DIM));
    REFUSED(env, RKHS_ERR_NUMERIC, "kpca gives", rkhs_model_explain(m, x, 1, object, influence));
    rkhs_model_free(m);
    save_model(env, "kpca(dim=2, gram=features(count=6))", "rbf(gamma=0.01)", "small");
    FORGE(env, {"map/B", {'d', 2, {6, DIM}, B}});
    FINE(env, rkhs_model_load(env, "c.rkhs", &m));
    REFUSED(env, RKHS_ERR_NUMERIC, "kpca gives", rkhs_model_explain(m, x, 1, object, influence));
    rkhs_model_free(m);
    save_model(env, "kae(dim=2, solver=lbfgs(max_iter=5))", NULL, "small");
    FORGE(env, {"state/decoder", {'d', 2, {N, 3}, C}});
    FINE(env, rkhs_model_load(env, "c.rkhs", &m));
    REFUSED(env, RKHS_ERR_NUMERIC, "kae gives", rkhs_model_inverse(m, Z, 2, DIM, &back));
    HOLDS(!back);
    rkhs_model_free(m);
    rkhs_data_free(x);
}

static void parts_of_a_process_that_do_not_fit_are_refused(void **state) {
    rkhs_env *env = *state;
    static const double twice[] = {0, 1, 2, 3, 4, 4}, halves[] = {0, 1, 2, 3, 4, 4.5}, past[] = {0, 1, 2, 3, 4, 6}, five = 5;
    static const double minus = -1;
    save_model(env, "gplvm(dim=2, solver=lbfgs(max_iter=5))", NULL, "small");
    FORGE(env, {"state/order", {'d', 2, {1, N}, twice}});
    refused(env, "factor | Gram");
    FORGE(env, {"state/order", {'d', 2, {1, N}, halves}});
    refused(env, "factor | Gram");
    FORGE(env, {"state/order", {'d', 2, {1, N}, past}});
    refused(env, "factor | Gram");
    FORGE(env, {"state/order", {0}}, {"report/place/order", {'d', 2, {1, N}, past}}); /* as files of before had it */
    refused(env, "factor | Gram");
    FORGE(env, {"state/factor", {'d', 2, {N, 1}, zeros}});
    refused(env, "missing or out of range");
    FORGE(env, {"state/rank", {'d', 2, {1, 1}, &five}}, {"state/factor", {'d', 2, {N, 5}, zeros}});
    refused(env, "factor | Gram");
    FORGE(env, {"state/noise", {'d', 2, {1, 1}, &minus}});
    refused(env, "missing or out of range");
}

static void parts_of_another_model_are_refused(void **state) {
    rkhs_env *env = *state;
    static const int64_t three = 3, one = 1;
    save_model(env, "kpca(dim=2)", NULL, "small");
    FORGE(env, {"model", {'S', 1, {10}, "tke(dim=2)"}});
    refused(env, "gamma | missing");
    FORGE(env, {"model", {'S', 1, {10}, "kle(dim=2)"}});
    refused(env, "map | kle");
    FORGE(env, {"model", {'S', 1, {11}, "kpca(dim=1)"}});
    refused(env, "its embedding is 6 x 2");
    FORGE(env, {"model", {'S', 1, {12}, "gplvm(dim=2)"}});
    refused(env, "places | missing");
    FORGE(env, {"model", {'S', 1, {38}, "kpca(dim=2,gram=nystrom(landmarks=99))"}});
    refused(env, "6 of 6");
    FORGE(env, {"map/nearest", {'q', 0, {0}, &three}});
    refused(env, "map | kpca");
    FORGE(env, {"map/post", {'q', 0, {0}, &one}});
    refused(env, "map | kpca");
}

/* ---- time and size --------------------------------------------------------------------------------------------- */

static void a_hessian_that_is_not_finite_ends_the_descent(void **state) {
    rkhs_env *env = *state;
    static const double x0 = 1.7029386365926402, B[8], c[2];
    const double Z[] = {0, 0, x0, 1e-3, -x0, 1e-3, -x0, -1e-3}, width = 1e3, four = 4, two = 2, *row = (double[]){1, 0};
    static const double kept[] = {0, 0, 8.9e7, 0, -8.9e7, 0, 1.05e7, 0};
    static const char model[] = "tke(dim=2, weights=kernel)", kernel[] = "1e300*linear";
    rkhs_model *m;
    rkhs_data *x;
    double z[2];
    save_model(env, "tke(dim=2, solver=lbfgs(max_iter=5))", NULL, "small");
    FORGE(env, {"model", {'S', 1, {sizeof model - 1}, model}}, {"kernel", {'S', 1, {sizeof kernel - 1}, kernel}},
          {"embedding", {'d', 2, {4, 2}, Z}}, {"map/B", {'d', 2, {4, 2}, B}}, {"map/c", {'d', 1, {2}, c}},
          {"kept/values", {'d', 2, {4, 2}, kept}}, {"state/gamma", {'d', 0, {0}, &width}},
          {"report/rows", {'d', 2, {1, 1}, &four}}, {"report/kept", {'d', 2, {1, 1}, &four}},
          {"report/columns", {'d', 2, {1, 1}, &two}}, {"map/mark", {0}}, {"map/half", {0}});
    FINE(env, rkhs_model_load(env, "c.rkhs", &m));
    FINE(env, rkhs_data_dense(env, row, 1, 2, 2, &x));
    rkhs_status status = rkhs_model_transform(m, x, z, 2); /* it ends */
    HOLDS(status == RKHS_OK || status == RKHS_ERR_NUMERIC);
    rkhs_data_free(x);
    rkhs_model_free(m);
}

/* A kernel that asks for the end while it is evaluated, from the second call of its env on. */
static rkhs_status stopping(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j, double *value, void *payload) {
    int *armed = payload;
    int64_t lda, ldb;
    const double *x = rkhs_data_values(a, &lda) + i * lda, *y = rkhs_data_values(b, &ldb) + j * ldb;
    *value = exp(-fabs(x[0] - y[0]));
    if (*armed) atomic_store(&a->env->cancelled, 1);
    return RKHS_OK;
}

static void placing_can_be_stopped_before_any_row(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"tke(dim=2, solver=lbfgs(max_iter=5))", "gplvm(dim=2, solver=lbfgs(max_iter=5))"};
    static int armed;
    FINE(env, rkhs_env_add_kernel(env, "stopping", &(rkhs_user_kernel){.pair = stopping, .payload = &armed, .serial = 1}));
    for (int s = 0; s < 2; s++) {
        rkhs_data *x = fixture_data(env, "small", N);
        rkhs_kernel *k;
        rkhs_model *m;
        double Z[N * DIM];
        LOOK_AT("%s", specs[s]);
        armed = 0;
        FINE(env, rkhs_kernel_new(env, "stopping", &k));
        FINE(env, rkhs_model_new(env, specs[s], &m));
        FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
        for (int i = 0; i < N * DIM; i++) Z[i] = 77;
        armed = 1;
        REFUSED(env, RKHS_ERR_CANCELLED, "stopped", rkhs_model_transform(m, x, Z, DIM));
        for (int i = 0; i < N * DIM; i++) HOLDS(Z[i] == 77);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
        rkhs_data_free(x);
    }
}

static void a_report_of_more_items_than_a_fit_leaves_is_refused(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    char(*names)[200];
    swap *swaps;
    OK(env, rk_scratch(env, 2000, sizeof *names, &names));
    OK(env, rk_scratch(env, 2000, sizeof *swaps, &swaps));
    save_model(env, "kpca(dim=2)", NULL, "small");
    for (int i = 0; i < 2000; i++) {
        snprintf(names[i], sizeof names[i], "report/a%d", i);
        swaps[i] = (swap){names[i], {'d', 2, {1, 1}, zeros}};
    }
    forge(env, swaps, 2000);
    refused(env, "its report has more than 1024 items");
    memset(names[0] + 7, 'n', 190);
    forge(env, swaps, 1);
    refused(env, "a name of 190 letters");
    rk_scratch_release(env, mark);
}

static void a_long_text_loads_and_saves_as_it_was(void **state) {
    rkhs_env *env = *state;
    rkhs_model *m;
    static char text[70000];
    memset(text, 'a', sizeof text);
    save_model(env, "kpca(dim=2)", NULL, "small");
    FORGE(env, {"report/solver", {'S', 1, {sizeof text}, text}});
    FINE(env, rkhs_model_load(env, "c.rkhs", &m));
    FINE(env, rkhs_model_save(m, "d.rkhs"));
    rkhs_model_free(m);
    FINE(env, rkhs_model_load(env, "d.rkhs", &m));
    FINE(env, rkhs_model_save(m, "e.rkhs"));
    same_files(env, "d.rkhs", "e.rkhs");
    rkhs_model_free(m);
}

static void spec_texts_that_ask_for_too_much_are_refused(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    static const char *const parts[] = {"(", "normalize(", "linear + ", "2*", "center(normalize(", "linear*"};
    enum { TIMES = 20000 };
    save_model(env, "kpca(dim=2)", NULL, "small");
    for (int i = 0; i < 6; i++) {
        char *text;
        size_t each = strlen(parts[i]);
        rkhs_model *m = NULL;
        OK(env, rk_scratch(env, (int64_t)(TIMES * each) + 8, 1, &text));
        for (int t = 0; t < TIMES; t++) memcpy(text + (size_t)t * each, parts[i], each);
        strcpy(text + TIMES * each, "linear");
        FORGE(env, {"kernel", {'S', 1, {(int64_t)strlen(text)}, text}});
        LOOK_AT("a kernel that begins with %d of '%s'", TIMES, parts[i]);
        rkhs_status status = rkhs_model_load(env, "c.rkhs", &m);
        HOLDS(status == RKHS_ERR_FORMAT && !m);
    }
    rk_scratch_release(env, mark);
}

/* ---- what the fuzzer and readers of the code found ------------------------------------------------------------- */

static void objects_that_a_model_of_a_gram_keeps_have_no_values(void **state) {
    rkhs_env *env = *state;
    double K[N * N];
    rkhs_model *m, *other;
    rkhs_kernel *k;
    rkhs_data *z;
    save_model(env, "kpca(dim=2)", "precomputed", "gram");
    FINE(env, rkhs_model_load(env, "m.rkhs", &m));
    FINE(env, rkhs_kernel_new(env, "2*precomputed", &k));
    FINE(env, rkhs_model_new(env, "kpca(dim=2)", &other));
    FINE(env, rkhs_data_dense(env, m->Z, N, DIM, DIM, &z));
    const rkhs_data *kept = rkhs_model_reference_objects(m, NULL);
    const char *score = "trustworthiness(k=1)", *part = "columns without values";
    REFUSED(env, RKHS_ERR_DATA, part, rkhs_kernel_gram(k, kept, NULL, K, N));
    REFUSED(env, RKHS_ERR_DATA, part, rkhs_model_fit(other, k, kept, NULL, NULL));
    REFUSED(env, RKHS_ERR_DATA, part, rkhs_model_transform(m, kept, K, DIM));
    REFUSED(env, RKHS_ERR_DATA, part, rkhs_score(env, &score, 1, &(rkhs_score_input){.z = z, .x = kept, .kernel = k}, K, NULL));
    HOLDS(rkhs_data_write(kept, "k.npy", NULL) == RKHS_ERR_DATA);
    rkhs_data_free(z);
    rkhs_model_free(other);
    rkhs_kernel_free(k);
    rkhs_model_free(m);
}

/* An update that runs off, of a kernel that a file says, leaves the model as it was and says so. */
static void a_fit_that_runs_out_of_range_says_so(void **state) {
    rkhs_env *env = *state;
    static const char kernel[] = "1e300*linear",
                      model[] = "tke(dim=1, attraction=product, embedding_kernel=rbf, weights=kernel, repulsion=1e300)";
    static const char *const specs[] = {"tke(dim=1, solver=lbfgs(max_iter=5))", "kpca(dim=1)"};
    for (int t = 0; t < 2; t++) {
        rkhs_model *m, *again;
        save_model(env, specs[t], NULL, "small");
        if (t)
            FORGE(env, {"kernel", {'S', 1, {sizeof kernel - 1}, kernel}});
        else
            FORGE(env, {"kernel", {'S', 1, {sizeof kernel - 1}, kernel}}, {"model", {'S', 1, {sizeof model - 1}, model}});
        FINE(env, rkhs_model_load(env, "c.rkhs", &m));
        rkhs_data *x = fixture_data(env, "small", N);
        rkhs_status status = rkhs_model_update(m, x, NULL);
        HOLDS(status == RKHS_OK || status == RKHS_ERR_NUMERIC);
        if (status != RKHS_OK) HOLDS(m->n == N && rkhs_env_message(env)[0]);
        FINE(env, rkhs_model_save(m, "d.rkhs"));
        FINE(env, rkhs_model_load(env, "d.rkhs", &again));
        rkhs_data_free(x);
        rkhs_model_free(again);
        rkhs_model_free(m);
    }
}

static void fits_end_for_kernels_at_the_ends_of_the_range(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"1e-320*linear", "1e-308*linear", "1e300*linear", "(1.7e158*cosine)*(1e150*cosine)"};
    static const char *const specs[] = {"spectral(dim=1)",
                                        "kae(dim=1)",
                                        "npe(dim=1, neighbours=3)",
                                        "npe(dim=1, neighbours=3, gram=nystrom(landmarks=3))",
                                        "lpp(dim=1, neighbours=3)",
                                        "bctke(dim=1)",
                                        "gplvm(dim=1)"};
    rkhs_data *x = fixture_data(env, "small", N);
    for (int s = 0; s < 7; s++)
        for (int t = 0; t < 4; t++) {
            rkhs_model *m;
            rkhs_kernel *k;
            LOOK_AT("%s, %s", specs[s], kernels[t]);
            FINE(env, rkhs_model_new(env, specs[s], &m));
            FINE(env, rkhs_kernel_new(env, kernels[t], &k));
            rkhs_status status = rkhs_model_fit(m, k, x, NULL, NULL);
            HOLDS(status == RKHS_OK || (status == RKHS_ERR_NUMERIC && rkhs_env_message(env)[0]));
            if (status == RKHS_OK) {
                rkhs_model *again;
                FINE(env, rkhs_model_save(m, "m.rkhs"));
                FINE(env, rkhs_model_load(env, "m.rkhs", &again));
                rkhs_model_free(again);
            }
            rkhs_model_free(m);
            rkhs_kernel_free(k);
        }
    rkhs_data_free(x);
}

/* Everything that takes objects, with those that are kept, and codes. Before an update it is saved, as "d.rkhs". */
static void use_all(rkhs_env *env, rkhs_model *m) {
    static const char *const ways[] = {"map", "refine", "neighbour", NULL}, *const by[] = {"error", "density", "both", NULL};
    static double Z[N * N];
    static int64_t object[4 * N];
    const rkhs_data *kept = rkhs_model_reference_objects(m, NULL);
    rkhs_data *back, *x;
    FINE(env, kept->type->kind == RK_KIND_GRAM ? rkhs_data_dense(env, zeros, 2, kept->columns, kept->columns, &x)
                                               : rkhs_data_subset(kept, (int64_t[]){0, kept->rows - 1}, 2, &x));
    for (int i = 0; i < 4; i++)
        if (rkhs_model_set_place(m, ways[i]) == RKHS_OK) HOLDS(rkhs_model_transform(m, x, Z, m->dim) != RKHS_ERR_BUG);
    for (int i = 0; i < 4; i++) HOLDS(rkhs_model_anomaly(m, x, by[i], Z) != RKHS_ERR_BUG);
    HOLDS(rkhs_model_explain(m, x, 1, object, Z) != RKHS_ERR_BUG);
    HOLDS(rkhs_model_inverse(m, m->Z, m->n, m->dim, &back) != RKHS_ERR_BUG);
    rkhs_data_free(back);
    FINE(env, rkhs_model_save(m, "d.rkhs"));
    rkhs_status status = rkhs_model_update(m, x, NULL);
    HOLDS(status != RKHS_ERR_BUG && status != RKHS_ERR_FORMAT);
    if (status == RKHS_OK) HOLDS(rkhs_model_transform(m, x, Z, m->dim) != RKHS_ERR_BUG);
    rkhs_data_free(x);
}

/* Each array of each model in turn has odd numbers in its first and last place: refused, or harmless, and saved so
 * that it loads again. */
static void odd_numbers_in_any_array_are_refused_or_harmless(void **state) {
    rkhs_env *env = *state;
    static const double reals[] = {-1, 0.5, 1e300, 0, 7};
    static const int64_t wholes_[] = {-1, INT64_MAX, INT64_MIN, 1, N};
    static const char *const specs[][3] = {{"kpca(dim=2)", NULL, "small"},
                                           {"kle(dim=2, neighbours=3)", NULL, "small"},
                                           {"krr", NULL, "small"},
                                           {"tke(dim=2, solver=lbfgs(max_iter=3))", NULL, "small"},
                                           {"bctke(dim=1, neighbours=2, map=nearest, solver=lbfgs(max_iter=3))", NULL, "small"},
                                           {"gplvm(dim=2, solver=lbfgs(max_iter=3))", NULL, "small"},
                                           {"gplvm(dim=1, gram=nystrom(landmarks=3), solver=lbfgs(max_iter=3))", NULL, "small"},
                                           {"kae(dim=2, solver=lbfgs(max_iter=3))", NULL, "images"},
                                           {"kpca(dim=1)", "2*words + spectrum", "strings"},
                                           {"kpca(dim=1)", "wl(h=1)", "graphs"},
                                           {"tke(dim=1, solver=lbfgs(max_iter=3))", "precomputed", "gram"},
                                           {"kpca(dim=1, gram=nystrom(landmarks=2))", "tanimoto", "bits"},
                                           {"contrastive(dim=2)", "linear", "sparse"},
                                           {"kpca(dim=1, gram=nystrom(landmarks=3))", NULL, "small"},
                                           {"kpca(dim=1, gram=features(count=4))", "linear + rbf(gamma=1)", "small"},
                                           {"kae(dim=1, gram=features(count=4), solver=lbfgs(max_iter=3))", NULL, "images"},
                                           {"kpca(dim=1, gram=features(count=4))", "rbf(gamma=1)", "floats"}};
    int loaded = 0;
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        rk_archive *a;
        save_model(env, specs[s][0], specs[s][1], specs[s][2]);
        rkhs_model *as_it_was;
        FINE(env, rkhs_model_load(env, "m.rkhs", &as_it_was));
        rkhs_model_free(as_it_was);
        FINE(env, rk_archive_read(env, "m.rkhs", &a));
        for (int64_t i = 0; i < rk_archive_count(a); i++) {
            rk_mark mark = rk_scratch_mark(env);
            const char *name = rk_archive_name(a, i);
            char type = rk_archive_type(a, i);
            rk_array array;
            int64_t count = 1;
            if (type == 'S') continue;
            FINE(env, rk_archive_get(a, name, type, -1, &array));
            for (int q = 0; q < array.ndim; q++) count *= array.shape[q];
            for (int v = 0; v < 10; v++) {
                double *copy = numbers(env, count);
                rkhs_model *m = NULL;
                const float narrow = (float)reals[v / 2];
                const void *odd = type == 'f'   ? (const void *)&narrow
                                  : type == 'd' ? (const void *)&reals[v / 2]
                                                : &wholes_[v / 2];
                size_t size = type == 'f' ? sizeof narrow : 8;
                memcpy(copy, array.data, (size_t)count * size);
                memcpy((char *)copy + (v % 2 ? (size_t)count - 1 : 0) * size, odd, size);
                rk_array other = array;
                other.data = copy;
                FORGE(env, {name, other});
                LOOK_AT("%s on %s, %s, number %d", specs[s][0], specs[s][2], name, v);
                rkhs_status status = rkhs_model_load(env, "c.rkhs", &m);
                HOLDS(status == RKHS_OK || status == RKHS_ERR_FORMAT || status == RKHS_ERR_MEMORY);
                if (m) {
                    use_all(env, m);
                    rkhs_model_free(m);
                    FINE(env, rkhs_model_load(env, "d.rkhs", &m));
                    loaded++;
                }
                rkhs_model_free(m);
            }
            rk_scratch_release(env, mark);
        }
        rk_archive_free(a);
    }
    LOOK_AT("all models");
    HOLDS(loaded > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_model_checks_what_a_file_says),
        FOLDER_TEST(kept_rows_that_the_factor_does_not_have_are_refused),
        FOLDER_TEST(a_model_without_training_objects_is_refused),
        FOLDER_TEST(decoders_of_no_images_are_refused),
        FOLDER_TEST(a_report_that_contradicts_the_model_is_refused),
        FOLDER_TEST(results_out_of_range_are_refused),
        FOLDER_TEST(parts_of_a_process_that_do_not_fit_are_refused),
        FOLDER_TEST(parts_of_another_model_are_refused),
        FOLDER_TEST(a_hessian_that_is_not_finite_ends_the_descent),
        FOLDER_TEST(placing_can_be_stopped_before_any_row),
        FOLDER_TEST(a_report_of_more_items_than_a_fit_leaves_is_refused),
        FOLDER_TEST(a_long_text_loads_and_saves_as_it_was),
        FOLDER_TEST(spec_texts_that_ask_for_too_much_are_refused),
        FOLDER_TEST(objects_that_a_model_of_a_gram_keeps_have_no_values),
        FOLDER_TEST(a_fit_that_runs_out_of_range_says_so),
        FOLDER_TEST(fits_end_for_kernels_at_the_ends_of_the_range),
        FOLDER_TEST(odd_numbers_in_any_array_are_refused_or_harmless),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
