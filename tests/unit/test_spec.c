/* Specs as objects: what their parameters are, set one by one, into nested specs; holes; nothing changes when a call
 * fails. */
#include "env.h"

static rkhs_spec *spec_of(rkhs_env *env, const char *list, const char *text) {
    rkhs_spec *s;
    OK(env, rkhs_spec_new(env, list, text, &s));
    return s;
}

/* The text of a spec is `expected`. */
static void check_text(rkhs_env *env, const char *list, const char *text, const char *expected) {
    rkhs_spec *s = spec_of(env, list, text);
    assert_string_equal(rkhs_spec_text(s), expected);
    rkhs_spec_free(s);
}

static void check_value(rkhs_env *env, const char *list, const char *text, const char *path, const char *expected) {
    rkhs_spec *s = spec_of(env, list, text);
    const char *value;
    OK(env, rkhs_spec_get(s, path, &value));
    if (expected)
        assert_string_equal(value, expected);
    else
        assert_null(value);
    rkhs_spec_free(s);
}

/* After `path` is set to `value` the text is `expected`. */
static void check_set(rkhs_env *env, const char *list, const char *text, const char *path, const char *value,
                      const char *expected) {
    rkhs_spec *s = spec_of(env, list, text);
    OK(env, rkhs_spec_set(s, path, value));
    assert_string_equal(rkhs_spec_text(s), expected);
    rkhs_spec_free(s);
}

/* Setting is refused with a sentence that has `part`, and leaves the text. */
static void check_refused(rkhs_env *env, const char *list, const char *text, const char *path, const char *value,
                          const char *part) {
    rkhs_spec *s = spec_of(env, list, text);
    char before[256];
    snprintf(before, sizeof before, "%s", rkhs_spec_text(s));
    assert_int_equal(rkhs_spec_set(s, path, value), RKHS_ERR_SPEC);
    if (!strstr(rkhs_env_message(env), part)) fail_msg("no '%s' in: %s", part, rkhs_env_message(env));
    assert_string_equal(rkhs_spec_text(s), before);
    rkhs_spec_free(s);
}

static void text_that_is_read_is_written_again(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {
        "rbf",
        "2*rbf(sigma=median) + linear",
        "(rbf + linear)*cosine",
        "rbf*(linear*cosine)",
        "(rbf + (linear + cosine))^2",
        "normalize(poly(2))[0:3,7]",
        "(rbf^2)[0:3]",
        "rbf[0:3][0]^2",
        "standardize(rbf + linear, mean=[1,2], deviation=[1,1])",
        "rbf(sigma=knn(5, 2))",
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) check_text(env, "kernels", kernels[i], kernels[i]);
    check_text(env, "kernels", " rbf ( sigma = 2 )*( linear ) ", "rbf(sigma=2)*linear");
    check_text(env, "models", "kpca( 3,gram = nystrom(by=uniform) )", "kpca(3, gram=nystrom(by=uniform))");
    check_text(env, "formats", "csv(label=\"a \\\"b\\\"\", header=yes)", "csv(label=\"a \\\"b\\\"\", header=yes)");
}

static void values_are_as_given_or_the_default(void **state) {
    rkhs_env *env = *state;
    check_value(env, "models", "kpca", "dim", "2");
    check_value(env, "models", "kpca(dim=7)", "dim", "7");
    check_value(env, "models", "kpca(7)", "dim", "7");
    check_value(env, "models", "kpca", "gram", "auto");
    check_value(env, "models", "kpca(gram=nystrom(by=uniform))", "gram", "nystrom(by=uniform)");
    check_value(env, "models", "kpca(gram=nystrom(by=uniform))", "gram.by", "uniform");
    check_value(env, "models", "kae", "latent.sigma", "median");
    check_value(env, "kernels", "rbf", "gamma", NULL);
    check_value(env, "kernels", "rbf(gamma=2)", "sigma", NULL);
}

static void parameters_are_set_also_in_nested_specs(void **state) {
    rkhs_env *env = *state;
    check_set(env, "models", "kpca", "dim", "3", "kpca(dim=3)");
    check_set(env, "models", "kpca(2)", "dim", "3", "kpca(3)");
    check_set(env, "models", "kpca(gram=nystrom)", "gram.by", "uniform", "kpca(gram=nystrom(by=uniform))");
    check_set(env, "models", "kpca(gram=nystrom)", "gram", "exact", "kpca(gram=exact)");
    check_set(env, "models", "contrastive", "augment", "noise(0.1)", "contrastive(augment=noise(0.1))");
    check_set(env, "models", "kae", "latent.sigma", "3", "kae(embedding_kernel=rbf(sigma=3))");
    check_set(env, "kernels", "rbf", "sigma", "knn(5)", "rbf(sigma=knn(5))");
    check_set(env, "kernels", "poly(2)", "degree", "3", "poly(3)");
}

static void words_need_no_quotes(void **state) {
    rkhs_env *env = *state;
    rkhs_spec *s = spec_of(env, "formats", "csv");
    const char *value;
    OK(env, rkhs_spec_set(s, "label", "width \"cm\", (a?)"));
    assert_string_equal(rkhs_spec_text(s), "csv(label=\"width \\\"cm\\\", (a?)\")");
    assert_null(rkhs_spec_hole(s));
    OK(env, rkhs_spec_get(s, "label", &value));
    assert_string_equal(value, "width \"cm\", (a?)");
    rkhs_spec_free(s);
}

static void what_is_refused_names_it_and_changes_nothing(void **state) {
    rkhs_env *env = *state;
    rkhs_spec *s = NULL;
    const char *value;
    check_refused(env, "models", "kpca(dim=3)", "dim", "0", "at least 1");
    check_refused(env, "models", "kpca(dim=3)", "dim", "two", "dim must be a number");
    check_refused(env, "models", "kpca(dim=3)", "dim", "(", "dim '('");
    check_refused(env, "models", "kpca(dim=3)", "dmi", "4", "did you mean dim");
    check_refused(env, "models", "kpca(dim=3)", "gram.by", "uniform", "auto");
    check_refused(env, "models", "kpca(dim=3)", "gramm.by", "uniform", "did you mean gram");
    check_refused(env, "models", "kpca(dim=3)", "dim.by", "1", "no parameters of its own");
    check_refused(env, "models", "kpca(gram=nystrom)", "gram.byy", "uniform", "did you mean by");
    check_refused(env, "kernels", "rbf(sigma=2)", "gamma", "1", "given in two ways");
    check_refused(env, "kernels", "rbf + linear", "sigma", "1", "called by its name");
    s = spec_of(env, "models", "kpca");
    assert_int_equal(rkhs_spec_get(s, "gram.", &value), RKHS_ERR_SPEC);
    assert_null(value);
    rkhs_spec_free(s);
    assert_int_equal(rkhs_spec_new(env, "modles", "kpca", &s), RKHS_ERR_ARGUMENT);
    assert_int_equal(rkhs_spec_new(env, "models", "kpcaa", &s), RKHS_ERR_SPEC);
    assert_int_equal(rkhs_spec_new(env, "models", "kpca(dim=0)", &s), RKHS_ERR_SPEC);
    assert_null(s);
}

/* The text with its holes, whatever they are called, filled by one value. */
static void check_filled(rkhs_env *env, const char *text, const char *value, const char *expected) {
    rkhs_spec *s = spec_of(env, "kernels", text);
    const char *name;
    char path[64];
    while ((name = rkhs_spec_hole(s))) {
        snprintf(path, sizeof path, "?%s", name);
        OK(env, rkhs_spec_set(s, path, value));
    }
    assert_string_equal(rkhs_spec_text(s), expected);
    rkhs_spec_free(s);
}

static void holes_are_filled_by_name(void **state) {
    rkhs_env *env = *state;
    rkhs_spec *s = spec_of(env, "models", "?model(dim=?, gram=nystrom(landmarks=?m))");
    assert_string_equal(rkhs_spec_name(s), "");
    assert_string_equal(rkhs_spec_hole(s), "model");
    OK(env, rkhs_spec_set(s, "?model", "kpca"));
    assert_string_equal(rkhs_spec_name(s), "kpca");
    assert_string_equal(rkhs_spec_hole(s), "dim");
    OK(env, rkhs_spec_set(s, "?m", "5"));
    OK(env, rkhs_spec_set(s, "?dim", "0")); /* what is made from the text refuses it */
    assert_null(rkhs_spec_hole(s));
    assert_string_equal(rkhs_spec_text(s), "kpca(dim=0, gram=nystrom(landmarks=5))");
    rkhs_spec_free(s);
    check_filled(env, "?w*rbf(sigma=?w) + linear", "2", "2*rbf(sigma=2) + linear");
    check_filled(env, "?a*rbf", "rbf + linear", "(rbf + linear)*rbf");
    check_filled(env, "rbf^?p", "2", "rbf^2");
    check_filled(env, "rbf[ ?columns ]", "0:3,7", "rbf[0:3,7]");
    check_filled(env, "?", "rbf", "rbf");
    s = spec_of(env, "models", "?model(dim=2)");
    assert_int_equal(rkhs_spec_set(s, "?model", "kpca(3)"), RKHS_ERR_SPEC);
    assert_string_equal(rkhs_spec_text(s), "?model(dim=2)");
    rkhs_spec_free(s);
}

static void what_makes_things_takes_no_holes(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"?", "?w*rbf", "rbf(sigma=?)", "rbf^?", "rbf[?]", "?k(2)", "rbf + ?"};
    rkhs_kernel *k;
    rkhs_model *m;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        assert_int_equal(rkhs_kernel_new(env, kernels[i], &k), RKHS_ERR_SPEC);
    assert_int_equal(rkhs_model_new(env, "kpca(dim=?)", &m), RKHS_ERR_SPEC);
    assert_non_null(strstr(rkhs_env_message(env), "?"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(text_that_is_read_is_written_again),
        ENV_TEST(values_are_as_given_or_the_default),
        ENV_TEST(parameters_are_set_also_in_nested_specs),
        ENV_TEST(words_need_no_quotes),
        ENV_TEST(what_is_refused_names_it_and_changes_nothing),
        ENV_TEST(holes_are_filled_by_name),
        ENV_TEST(what_makes_things_takes_no_holes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
