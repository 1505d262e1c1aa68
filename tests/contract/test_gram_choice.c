/* Which gram a model gets, and that it does not matter: lazy and nystrom with all landmarks fit as exact does,
 * gram=auto chooses by objects and memory, and a gram that does not serve a model is refused with the name of one that
 * does. */
#include "trials.h"

enum { DIM = 3 };

extern const rk_gram_type rk_gram_auto;

/* A model fitted by the text of its gram, and of its other parameters ("ridge=1, "). */
static rkhs_model *fitted_by(rkhs_env *env, const char *model, const char *more, const char *gram, const pairing *p,
                             const rkhs_data *x) {
    trial t = {.pair = *p, .dim = DIM};
    for (const rk_entry *const *e = rk_models.entries; *e; e++)
        if (strcmp((*e)->name, model) == 0) t.type = (const rk_model_type *)*e;
    snprintf(t.text, sizeof t.text, "%s(%s%sgram=%s)", model, fixture_has(t.type, "dim") ? "dim=3, " : "", more, gram);
    LOOK_AT("%s with %s on %s", t.text, p->text, p->data);
    return fitted(env, &t, x);
}

/* Z of b is Z of a. */
static void same_embeddings(rkhs_env *env, const rkhs_model *a, const rkhs_model *b, double tolerance) {
    int64_t n, d;
    const double *Z = rkhs_model_embedding(a, &n, &d);
    near_up_to_signs(env, rkhs_model_embedding(b, NULL, NULL), Z, n, d, tolerance);
}

/* ---- lazy ------------------------------------------------------------------------------------------------------ */

static const pairing kernels[] = {
    {.text = "rbf", .data = "small"},
    {.text = "laplacian(gamma=0.2)", .data = "wide"},
    {.text = "linear", .data = "small"},
    {.text = "poly(degree=2)", .data = "small"},
    {.text = "center(rbf)", .data = "small"},
    {.text = "0.5*center(2*rbf + cosine)*normalize(poly) + rbf(gamma=0.3)", .data = "small"},
    {.text = "spectrum(p=2)", .data = "strings"},
    {.text = "tanimoto", .data = "bits"},
    {.text = "wl(h=1)", .data = "graphs"},
    {.text = "rbf(gamma=0.1)", .data = "sparse"},
    {.text = "precomputed", .data = "gram"},
    {.text = NULL},
};

static void lazy_fits_as_exact_does(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *model, *more;
        double tolerance, map; /* of Z; of B */
    } fits[] = {{"kpca", "", 1e-9, 1e-6}, {"krr", "", 1e-8, 1e-7}, {"krr", "ridge=0.001, ", 1e-7, 1e-3}};
    for (const pairing *p = kernels; p->text; p++)
        for (int q = 0; q < 3; q++) {
            rkhs_data *x = fixture_data(env, p->data, 290);
            rkhs_model *a = fitted_by(env, fits[q].model, fits[q].more, "exact", p, x);
            rkhs_model *b = fitted_by(env, fits[q].model, fits[q].more, "lazy", p, x);
            same_embeddings(env, a, b, fits[q].tolerance);
            assert_string_equal(item_of(b, "gram").text, "lazy");
            HOLDS(item_of(b, "converged").values[0] == 1);
            if (q) near_all("B", b->map->B, a->map->B, 290 * DIM, fits[q].map);
            rkhs_model_free(b);
            rkhs_model_free(a);
            rkhs_data_free(x);
        }
}

/* Beyond the size of a dense eigensolver, in several tiles, with less memory than K takes. */
static void lazy_fits_many_as_exact_does(void **state) {
    rkhs_env *env = *state;
    enum { N = 1500 };
    rkhs_data *x = fixture_data(env, "small", N);
    for (int q = 0; q < 2; q++) {
        const char *model = q ? "krr" : "kpca";
        rkhs_model *a = fitted_by(env, model, "", "exact", kernels, x);
        size_t before = atomic_load(&env->used);
        env->peak = before;
        rkhs_model *b = fitted_by(env, model, "", "lazy", kernels, x);
        if (!q) HOLDS(rkhs_env_memory_peak(env) - before < 8 * N * N * 3 / 4);
        same_embeddings(env, a, b, 1e-8);
        FINE(env, rkhs_env_set_threads(env, 2));
        rkhs_model *c = fitted_by(env, model, "", "lazy", kernels, x);
        same_bits("Z on two threads", rkhs_model_embedding(c, NULL, NULL), rkhs_model_embedding(b, NULL, NULL), N * DIM);
        FINE(env, rkhs_env_set_threads(env, 1));
        rkhs_model_free(c);
        rkhs_model_free(b);
        rkhs_model_free(a);
    }
    rkhs_data_free(x);
}

/* One sentence, and no more of it. */
static void fit_refused(rkhs_env *env, const char *text, const char *kernel, const rkhs_data *x, rkhs_status code,
                        const char *part) {
    rkhs_model *m;
    rkhs_kernel *k;
    LOOK_AT("%s with %s", text, kernel);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, text, &m));
    rkhs_data *y = fixture_supervision(env, m->type, x, DIM);
    size_t used = env->used;
    REFUSED(env, code, part, rkhs_model_fit(m, k, x, y, NULL));
    HOLDS(!rkhs_model_embedding(m, NULL, NULL) && !strchr(rkhs_env_message(env), '\n'));
    HOLDS(env->used == used);
    rkhs_data_free(y);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
}

static void a_factor_of_what_is_not_stored_is_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", 60);
    fit_refused(env, "krr(gram=lazy, solver=cholesky)", "rbf", x, RKHS_ERR_SPEC,
                "solver=cholesky | gram=lazy | solver=cg | gram=exact");
    rkhs_model_free(fitted_by(env, "krr", "solver=cg, ", "lazy", kernels, x));
    rkhs_model_free(fitted_by(env, "krr", "solver=cholesky, ", "exact", kernels, x));
    rkhs_data_free(x);
}

/* Kernels with negative eigenvalues are clipped as with the whole Gram, or refused. */
static void lazy_takes_indefinite_kernels_or_says_why_not(void **state) {
    rkhs_env *env = *state;
    const pairing p = {.text = "sigmoid(gamma=0.3, coef0=-0.5)", .data = "small"};
    rkhs_data *x = fixture_data(env, p.data, 100);
    rkhs_model *a = fitted_by(env, "kpca", "negative=clip, ", "exact", &p, x);
    rkhs_model *b = fitted_by(env, "kpca", "negative=clip, ", "lazy", &p, x);
    same_embeddings(env, a, b, 1e-10);
    rkhs_model_free(b);
    rkhs_model_free(a);
    fit_refused(env, "kpca(gram=lazy, negative=flip)", p.text, x, RKHS_ERR_SPEC, "negative=flip | gram=exact");
    fit_refused(env, "kpca(gram=lazy, negative=refuse)", p.text, x, RKHS_ERR_SPEC, "negative=refuse | gram=exact");
    /* A ridge above the negative eigenvalues makes the system definite; below them none of the solvers can do it. */
    a = fitted_by(env, "krr", "ridge=50, ", "exact", &p, x);
    b = fitted_by(env, "krr", "ridge=50, ", "lazy", &p, x);
    same_embeddings(env, a, b, 1e-8);
    rkhs_model_free(b);
    rkhs_model_free(a);
    fit_refused(env, "krr(gram=exact, ridge=0.01)", p.text, x, RKHS_ERR_NUMERIC, "raise ridge");
    rkhs_data_free(x);
}

/* ---- nystrom with all objects ---------------------------------------------------------------------------------- */

/* Kernels whose eigenvalues stay well above 1e-12. */
static void all_landmarks_fit_as_exact_does(void **state) {
    rkhs_env *env = *state;
    static const char *const models[] = {"kpca", "krr", "lpp", "npe", "contrastive"}, *const grams[] = {
                                                                                          "nystrom(landmarks=120)",
                                                                                          "nystrom(landmarks=120, by=uniform)",
                                                                                          "nystrom(landmarks=120, by=kmeans)"};
    static const pairing wide[] = {{.text = "rbf(gamma=0.5)", .data = "small"},
                                   {.text = "laplacian(gamma=0.5)", .data = "small"},
                                   {.text = "ssk(p=2)", .data = "strings"}};
    for (int k = 0; k < 3; k++) {
        rkhs_data *x = fixture_data(env, wide[k].data, 120);
        for (int q = 0; q < 5; q++) {
            rkhs_model *a = fitted_by(env, models[q], "", "exact", &wide[k], x);
            for (int g = 0; g < 3; g++) {
                rkhs_model *b = fitted_by(env, models[q], "", grams[g], &wide[k], x);
                same_embeddings(env, a, b, 1e-6);
                rkhs_model_free(b);
            }
            rkhs_model_free(a);
        }
        rkhs_data_free(x);
    }
}

/* ---- gram=auto ------------------------------------------------------------------------------------------------- */

/* What gram=auto chooses for n objects in one column. */
static void chosen(rkhs_env *env, const rk_need *need, int64_t n, char *out, size_t room) {
    rk_text text = {.env = env};
    double *values;
    rkhs_data *x;
    FINE(env, rk_data_dense_new(env, n, 1, &values, &x));
    FINE(env, rk_gram_auto.choose(env, need, x, &text));
    snprintf(out, room, "%s", text.s);
    rk_text_free(&text);
    rkhs_data_free(x);
}

static void the_gram_is_chosen_by_objects_and_memory(void **state) {
    rkhs_env *env = *state;
    for (const rk_entry *const *e = rk_models.entries; *e; e++) {
        const rk_need *need = &((const rk_model_type *)*e)->need;
        int64_t n = need->exact_rows, most = need->reading == RK_READ_ONCE ? 2000 : 500;
        char text[64], wanted[64];
        LOOK_AT("%s(gram=auto)", (*e)->name);
        FINE(env, rkhs_env_set_memory(env, (size_t)64 << 30));
        chosen(env, need, n ? n : 100000, text, sizeof text);
        assert_string_equal(text, need->offers ? "exact" : "lazy");
        if (!need->offers) continue;
        chosen(env, need, n + 1, text, sizeof text);
        snprintf(wanted, sizeof wanted, "nystrom(landmarks=%lld)", (long long)most);
        assert_string_equal(text, wanted);
        /* One number short of the matrices that a fit holds. */
        FINE(env, rkhs_env_set_memory(env, env->used + (size_t)(8 * need->matrices) * 1000 * 1000 - 1));
        chosen(env, need, 1000, text, sizeof text);
        HOLDS(strncmp(text, "nystrom(landmarks=", 18) == 0);
        int64_t fewer = atoll(text + 18);
        HOLDS(fewer >= 1 && fewer <= 500);
        FINE(env, rkhs_env_set_memory(env, env->used + 200000));
        chosen(env, need, 1000, text, sizeof text);
        HOLDS(atoll(text + 18) >= 1 && atoll(text + 18) < fewer);
    }
    FINE(env, rkhs_env_set_memory(env, 0));
}

/* Every model at gram=auto says what it got, and fits with it: with room, and in little memory. Models that hold other
 * matrices of n^2 numbers may say that these do not fit, and then name no landmarks, which they have. */
static void a_fit_with_the_gram_chosen_succeeds(void **state) {
    rkhs_env *env = *state;
    for (const rk_entry *const *e = rk_models.entries; *e; e++)
        for (int tight = 0; tight < 2; tight++) {
            trial t = {.type = (const rk_model_type *)*e, .pair = {.text = "rbf", .data = "small"}, .dim = DIM};
            int64_t n = tight ? 1500 : 300;
            rkhs_data *x = fixture_data(env, "small", n), *y = fixture_supervision(env, t.type, x, DIM);
            rkhs_model *m;
            rkhs_kernel *k;
            fixture_spec(t.text, sizeof t.text, t.type, DIM, "gram=auto");
            LOOK_AT("%s%s", t.text, tight ? " in little memory" : "");
            FINE(env, rkhs_kernel_new(env, t.pair.text, &k));
            FINE(env, rkhs_model_new(env, t.text, &m));
            if (tight) FINE(env, rkhs_env_set_memory(env, env->used + (size_t)(8 * n * n)));
            rkhs_status status = rkhs_model_fit(m, k, x, y, NULL);
            int squares = strstr("ke gplvm bcgplvm kae", (*e)->name) != NULL;
            if (status != RKHS_OK) {
                if (!tight || !squares || status != RKHS_ERR_MEMORY) fail_msg("%s: %s", context, rkhs_env_message(env));
                LOOK_AT("%s in little memory: %s", t.text, rkhs_env_message(env));
                HOLDS(says(rkhs_env_message(env), "memory limit"));
                /* A second Gram, of the data, is the whole one. */
                HOLDS(fixture_has(t.type, "data_kernel") || !strstr(rkhs_env_message(env), "use gram="));
            } else if (!t.type->need.offers) {
                assert_string_equal(item_of(m, "gram").text, "lazy");
            } else if (tight) {
                HOLDS(strncmp(item_of(m, "gram").text, "nystrom(landmarks=", 18) == 0);
            } else {
                assert_string_equal(item_of(m, "gram").text, "exact");
            }
            FINE(env, rkhs_env_set_memory(env, 0));
            rkhs_model_free(m);
            rkhs_kernel_free(k);
            rkhs_data_free(y);
            rkhs_data_free(x);
        }
}

/* What needs neighbours alone never holds n^2 numbers. */
static void neighbours_alone_take_no_square_of_memory(void **state) {
    rkhs_env *env = *state;
    enum { N = 3000 };
    static const char *const specs[] = {"kle(dim=2)", "kle(dim=2, gram=exact)", "tke(dim=2, solver=lbfgs(max_iter=3))",
                                        "kle(dim=2, gram=nystrom(landmarks=2900))"};
    rkhs_data *x = fixture_data(env, "small", N);
    for (int q = 0; q < 4; q++) {
        env->peak = env->used;
        size_t before = env->used;
        rkhs_model *m = fit_text(env, specs[q], "rbf", x);
        HOLDS(rkhs_env_memory_peak(env) - before < 8 * N * N / 3);
        assert_string_equal(item_of(m, "gram").text, "lazy");
        rkhs_model_free(m);
    }
    rkhs_data_free(x);
}

/* ---- grams that do not serve ----------------------------------------------------------------------------------- */

static void a_gram_that_does_not_serve_is_refused_with_one_that_does(void **state) {
    rkhs_env *env = *state;
    fixture_gram of;
    int refused = 0;
    rkhs_data *x = fixture_data(env, "small", 60);
    for (const rk_entry *const *e = rk_models.entries; *e; e++)
        for (int g = 0; fixture_gram_at(g, &of); g++) {
            trial t = {.type = (const rk_model_type *)*e, .pair = {.text = "rbf", .data = "small"}, .dim = DIM};
            char rest[96], part[160];
            if (fixture_serves(t.type, &of)) continue;
            snprintf(rest, sizeof rest, "gram=%s", of.text);
            fixture_spec(t.text, sizeof t.text, t.type, DIM, rest);
            snprintf(part, sizeof part, "%s | gram=%s", (*e)->name, of.gram);
            fit_refused(env, t.text, "rbf", x, RKHS_ERR_SPEC, part);
            assert_string_equal(rkhs_env_subject(env), "gram");
            const char *use = strstr(rkhs_env_message(env), "use gram=");
            HOLDS(use);
            snprintf(rest, sizeof rest, "%s", use + 4);
            fixture_spec(t.text, sizeof t.text, t.type, DIM, rest);
            LOOK_AT("%s", t.text);
            rkhs_model_free(fitted(env, &t, x));
            refused++;
        }
    HOLDS(refused > 0);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(lazy_fits_as_exact_does),
        ENV_TEST(lazy_fits_many_as_exact_does),
        ENV_TEST(a_factor_of_what_is_not_stored_is_refused),
        ENV_TEST(lazy_takes_indefinite_kernels_or_says_why_not),
        ENV_TEST(all_landmarks_fit_as_exact_does),
        ENV_TEST(the_gram_is_chosen_by_objects_and_memory),
        ENV_TEST(a_fit_with_the_gram_chosen_succeeds),
        ENV_TEST(neighbours_alone_take_no_square_of_memory),
        ENV_TEST(a_gram_that_does_not_serve_is_refused_with_one_that_does),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
