/* Hostile texts: mutated specs are refused with a sentence, or read back the same; nothing is kept. */
#include "env.h"

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "model/model.h"
#include "score/score.h"

static const char *const seeds[] = {
    "rbf(sigma=median)",
    "rbf(gamma=0.1)",
    "rbf(sigma=knn(10))",
    "2*linear + rbf(gamma=0.1)*cosine",
    "precomputed",
    "poly(2)",
    "poly(degree=2, gamma=0.5, coef0=1)",
    "laplacian(sigma=knn(k=3))",
    "0.5*(linear + (rbf(1) + 3*cosine))",
    "2*(3*rbf(1))",
    "linear*(2*cosine)*(linear + rbf)",
    "(linear + 2*cosine)^3*rbf(gamma=1)[0,1]",
    "normalize(poly) + center(linear)",
    "standardize(rbf(sigma=1), mean=[0.5,-1e-3], deviation=[1,2.5])",
    "2*standardize(rbf)[1,0:2]^2",
    "kpca(dim=2, gram=nystrom(landmarks=500), solver=lanczos(tol=1e-9, max_iter=300))",
    "kpca(3, exact, dense, flip)",
    "kpca(gram=nystrom(landmarks=5, by=given, rows=[0:3,4,7]), negative=refuse)",
    "kpca(solver=lanczos(block=4))",
    "csv(label=species)",
    "csv(delimiter=tab, header=no, label=\"petal \\\"width\\\"\")",
    "tsv(label=-1)",
    "csv(label=007)",
    "npy",
    "knn(k=5)",
    "circles(n=380, noise=0.5)",
    "cubes(dim=3)",
    "swiss_roll(noise=1e-3)",
    "nystrom(by=uniform)",
    "lanczos",
};

static const char *const scraps[] = {
    "(",
    ")",
    ",",
    "=",
    "+",
    "*",
    "[",
    "]",
    ":",
    "\"",
    "\\",
    " ",
    "-",
    ".",
    "e",
    "0",
    "1",
    "9",
    "1e300",
    "1e-320",
    "-0",
    "inf",
    "rbf",
    "knn(",
    "sigma=",
    "gamma=",
    "label=",
    "gram=",
    "rows=[",
    "median",
    "nystrom(landmarks=3)",
    "2*",
    " + linear",
    "(rbf)",
    "^2",
    "[0]",
    "[1,0:2]",
    "normalize(",
    "center(",
    "standardize(",
    "mean=[1,2]",
    "true",
    "\xc3\xa9",
    "\n",
    "|",
    "%s",
};

enum { SEEDS = sizeof seeds / sizeof *seeds, SCRAPS = sizeof scraps / sizeof *scraps, ROOM = 400 };

/* A seed with some edits, a function of `step` alone. */
static void mutate(uint64_t step, char *text) {
    uint64_t w[4];
    rk_random(20, RK_STREAM_TEST, step, 0, w);
    strcpy(text, seeds[w[0] % SEEDS]);
    for (uint64_t edit = 0, edits = w[1] % 5; edit < edits; edit++) {
        rk_random(20, RK_STREAM_TEST, step, edit + 1, w);
        size_t length = strlen(text), at = length ? w[0] % (length + 1) : 0, span = 1 + w[2] % 4;
        char rest[ROOM], piece[ROOM];
        strcpy(rest, text + at);
        text[at] = 0;
        switch (w[1] % 5) {
        case 0: strcat(text, strlen(rest) > span ? rest + span : ""); continue;      /* less */
        case 1: strcpy(piece, scraps[w[3] % SCRAPS]); break;                         /* more */
        case 2: snprintf(piece, sizeof piece, "%.*s", (int)(3 * span), rest); break; /* twice */
        case 3:                                                                      /* the end of another */
            strcpy(piece, seeds[w[3] % SEEDS]);
            memmove(piece, piece + (w[3] >> 32) % strlen(piece), strlen(piece + (w[3] >> 32) % strlen(piece)) + 1);
            break;
        default:
            if (rest[0]) rest[0] = (char)(w[3] % 4 ? 32 + w[3] % 95 : w[3] % 255 + 1);
            piece[0] = 0;
        }
        if (strlen(text) + strlen(piece) + strlen(rest) < ROOM) strcat(text, piece);
        strcat(text, rest);
    }
}

/* What every failure owes: a code that is meant, a sentence, nothing kept. */
static void check_refusal(rkhs_env *env, rkhs_status status, const char *text) {
    if (status != RKHS_ERR_SPEC || !rkhs_env_message(env)[0]) fail_msg("'%s' gave %d: %s", text, status, rkhs_env_message(env));
}

/* The Gram of three points, or the status that there is none. */
static rkhs_status small_gram(rkhs_env *env, const rkhs_kernel *k, double K[9]) {
    static const double points[] = {1, 0.1, -0.7, 2, 0.3, 0.9};
    rkhs_data *x;
    memset(K, 0, 9 * sizeof *K);
    OK(env, rkhs_data_dense(env, points, 3, 2, 2, &x));
    rkhs_status status = rkhs_kernel_gram(k, x, NULL, K, 3);
    rkhs_data_free(x);
    return status;
}

static int try_kernel(rkhs_env *env, const char *text, int values) {
    rkhs_kernel *k, *again;
    rkhs_status status = rkhs_kernel_new(env, text, &k);
    if (status != RKHS_OK) {
        check_refusal(env, status, text);
        assert_null(k);
        return 0;
    }
    OK(env, rkhs_kernel_new(env, rkhs_kernel_text(k), &again));
    if (strcmp(rkhs_kernel_text(k), rkhs_kernel_text(again)) != 0)
        fail_msg("'%s' became '%s', which became '%s'", text, rkhs_kernel_text(k), rkhs_kernel_text(again));
    if (values) {
        double a[9], b[9];
        assert_int_equal(small_gram(env, k, a), small_gram(env, again, b));
        if (memcmp(a, b, sizeof a) != 0) fail_msg("'%s' and '%s' have other values", text, rkhs_kernel_text(k));
    }
    rkhs_kernel_free(again);
    rkhs_kernel_free(k);
    return 1;
}

static int try_model(rkhs_env *env, const char *text) {
    rkhs_model *m, *again;
    rkhs_status status = rkhs_model_new(env, text, &m);
    if (status != RKHS_OK) {
        check_refusal(env, status, text);
        assert_null(m);
        return 0;
    }
    OK(env, rkhs_model_new(env, rkhs_model_text(m), &again));
    if (strcmp(rkhs_model_text(m), rkhs_model_text(again)) != 0)
        fail_msg("'%s' became '%s', which became '%s'", text, rkhs_model_text(m), rkhs_model_text(again));
    rkhs_model_free(again);
    rkhs_model_free(m);
    return 1;
}

static int try_spec(rkhs_env *env, const rk_list *list, const char *text) {
    rk_spec *s, *again;
    rk_begin_call(env);
    rkhs_status status = rk_spec_new(env, list, text, &s);
    if (status != RKHS_OK) {
        check_refusal(env, status, text);
        assert_null(s);
        return 0;
    }
    rk_text a = {.env = env}, b = {.env = env};
    OK(env, rk_spec_text(s, &a));
    OK(env, rk_spec_new(env, list, a.s, &again));
    OK(env, rk_spec_text(again, &b));
    if (strcmp(a.s, b.s) != 0) fail_msg("'%s' became '%s', which became '%s'", text, a.s, b.s);
    rk_spec_free(env, again);
    rk_spec_free(env, s);
    rk_free(env, a.s);
    rk_free(env, b.s);
    return 1;
}

static void mutated_specs_are_refused_with_a_sentence_or_read_back_the_same(void **state) {
    rkhs_env *env = *state;
    const rk_list *const lists[] = {&rk_formats,    &rk_grams,  &rk_eigensolvers, &rk_linsolvers,
                                    &rk_optimisers, &rk_scores, &rk_samples};
    char text[2 * ROOM];
    int kernels = 0, models = 0, others = 0;
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < SEEDS; i++) { /* each seed is good somewhere */
        int good = try_kernel(env, seeds[i], 1) + try_model(env, seeds[i]);
        for (int l = 0; l < 7; l++) good += try_spec(env, lists[l], seeds[i]);
        if (!good) fail_msg("'%s' is no spec", seeds[i]);
    }
    for (uint64_t step = 0; step < 25000; step++) {
        mutate(step, text);
        kernels += try_kernel(env, text, kernels % 4 == 0);
        models += try_model(env, text);
        others += try_spec(env, lists[step % 7], text);
        assert_int_equal(atomic_load(&env->used), 0);
    }
    /* Enough of them get through for the comparison to mean something. */
    if (kernels < 1200 || models < 400 || others < 250)
        fail_msg("only %d kernels, %d models, %d others", kernels, models, others);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(mutated_specs_are_refused_with_a_sentence_or_read_back_the_same),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
