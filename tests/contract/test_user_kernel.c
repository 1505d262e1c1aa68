/* Kernels that the caller adds: they stand in specs as any other, and what they return is not believed. */
#include "fixtures.h"

#include <pthread.h>

enum { N = 300, NEW = 40, P = 3 };

/* What a callback is given, and what it does. */
typedef struct plan {
    rkhs_env *env;
    double scale;
    int64_t bad; /* the object, as row of either side, at which something goes wrong; -1: none */
    enum { FINE_AS_IS, FAILS_WITH_WORDS, FAILS_SILENTLY, FAILS_ODDLY, IS_NAN, IS_INFINITE, IS_LOPSIDED } how;
    pthread_t thread;
    _Atomic int elsewhere, calls, inside, together;
} plan;

static double inner(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j) {
    int64_t lda, ldb;
    const double *x = rkhs_data_values(a, &lda), *y = rkhs_data_values(b, &ldb);
    double sum = 0;
    for (int64_t c = 0; c < rkhs_data_columns(a); c++) sum += x[i * lda + c] * y[j * ldb + c];
    return sum;
}

static rkhs_status go_wrong(plan *p, int64_t i, int64_t j, double *value) {
    if (i != p->bad && j != p->bad) return RKHS_OK;
    switch (p->how) {
    case FAILS_WITH_WORDS: return rkhs_env_fail(p->env, RKHS_ERR_DATA, "no such molecule: C6H7");
    case FAILS_SILENTLY: return RKHS_ERR_DATA;
    case FAILS_ODDLY: return (rkhs_status)77;
    case IS_NAN: *value = NAN; return RKHS_OK;
    case IS_INFINITE: *value = INFINITY; return RKHS_OK;
    case IS_LOPSIDED: *value += i == p->bad; return RKHS_OK;
    default: return RKHS_OK;
    }
}

static void enter(plan *p) {
    p->calls++;
    if (p->inside++) p->together++;
    if (!pthread_equal(pthread_self(), p->thread)) p->elsewhere++;
}

static rkhs_status pair_linear(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j, double *value, void *payload) {
    plan *p = payload;
    enter(p);
    *value = p->scale * inner(a, i, b, j);
    rkhs_status status = go_wrong(p, i, j, value);
    p->inside--;
    return status;
}

static rkhs_status block_linear(const rkhs_data *a, int64_t i0, int64_t ni, const rkhs_data *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, void *payload) {
    plan *p = payload;
    rkhs_status status = RKHS_OK;
    enter(p);
    assert_true(ni >= 1 && ni <= 256 && nj >= 1 && nj <= 256 && ld >= nj);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj && status == RKHS_OK; j++) {
            out[i * ld + j] = p->scale * inner(a, i0 + i, b, j0 + j);
            status = go_wrong(p, i0 + i, j0 + j, &out[i * ld + j]);
        }
    p->inside--;
    return status;
}

static void add(rkhs_env *env, plan *p, const char *name, int block, int serial) {
    rkhs_user_kernel own = {.payload = p, .psd = 1, .serial = serial};
    if (block)
        own.block = block_linear;
    else
        own.pair = pair_linear;
    p->env = env;
    p->thread = pthread_self();
    p->scale = 2;
    p->bad = -1;
    OK(env, rkhs_env_add_kernel(env, name, &own));
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static void an_user_kernel_stands_in_specs_as_any_other(void **state) {
    rkhs_env *env = *state;
    plan plans[2] = {0};
    add(env, &plans[0], "mine", 0, 0);
    add(env, &plans[1], "_Mine2", 1, 0);
    static const char *const pairs[][2] = {
        {"mine", "2*linear"},
        {"_Mine2", "2*linear"},
        {"0.5*mine + rbf(gamma=0.1)*_Mine2", "linear + 2*rbf(gamma=0.1)*linear"},
        {"mine[2,0]^2", "(2*linear)[2,0]^2"},
        {"normalize(_Mine2)", "cosine"},
        {"center(mine) + 1e-3*standardize(_Mine2)", "center(2*linear) + 2e-3*standardize(linear)"},
    };
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N), *L = numbers(env, N * N);
    rkhs_data *x = fixture_data(env, "small", N);
    for (int t = 0; t < 6; t++) {
        rkhs_kernel *k, *l, *again;
        LOOK_AT("%s", pairs[t][0]);
        FINE(env, rkhs_kernel_new(env, pairs[t][0], &k));
        FINE(env, rkhs_kernel_new(env, pairs[t][1], &l));
        FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(k), &again));
        assert_string_equal(rkhs_kernel_text(again), rkhs_kernel_text(k));
        for (int threads = 1; threads <= 4; threads *= 2) {
            FINE(env, rkhs_env_set_threads(env, threads));
            FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
            FINE(env, rkhs_kernel_gram(l, x, NULL, L, N));
            near_each("K", K, L, N * N, 1e-12);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        rkhs_kernel_free(again);
        rkhs_kernel_free(l);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* A fit, a transform, a file, with every gram. */
static void run_model(rkhs_env *env, const char *kernel, const char *gram, double *Z) {
    char spec[100];
    rkhs_data *x, *fresh;
    rkhs_kernel *k;
    rkhs_model *m, *loaded;
    double again[NEW * 2];
    snprintf(spec, sizeof spec, "kpca(dim=2, gram=%s)", gram);
    LOOK_AT("%s of %s", spec, kernel);
    fixture_split(env, "small", N, NEW, &x, &fresh);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, spec, &m));
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    FINE(env, rkhs_model_transform(m, fresh, Z, 2));
    FINE(env, rkhs_model_save(m, "own.rkhs"));
    FINE(env, rkhs_model_load(env, "own.rkhs", &loaded));
    FINE(env, rkhs_model_transform(loaded, fresh, again, 2));
    same_bits("the loaded model", again, Z, NEW * 2);
    rkhs_model_free(loaded);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

static void models_of_an_user_kernel_fit_embed_and_load(void **state) {
    rkhs_env *env = *state;
    plan p = {0};
    add(env, &p, "mine", 1, 0);
    static const char *const grams[] = {"exact", "nystrom(landmarks=30)", "nystrom(landmarks=30, by=uniform)",
                                        "nystrom(landmarks=30, by=kmeans)"};
    for (int g = 0; g < 4; g++) {
        double Z[NEW * 2], Y[NEW * 2];
        run_model(env, "mine + rbf(gamma=0.2)", grams[g], Z);
        run_model(env, "2*linear + rbf(gamma=0.2)", grams[g], Y);
        near_all("Z", Z, Y, NEW * 2, 1e-7);
        run_model(env, "center(mine + rbf(gamma=0.2))", grams[g], Z);
        run_model(env, "center(2*linear + rbf(gamma=0.2))", grams[g], Y);
        near_all("Z of the centred kernel", Z, Y, NEW * 2, 1e-7);
    }
}

/* Whoever asks for it, and however many threads there are. */
static void a_serial_kernel_runs_on_the_callers_thread_alone(void **state) {
    rkhs_env *env = *state;
    plan p[2] = {0};
    double Z[NEW * 2], value[N * 3];
    int64_t index[N * 3];
    add(env, &p[0], "mine", 1, 1);
    add(env, &p[1], "pairs", 0, 1);
    FINE(env, rkhs_env_set_threads(env, 4));
    run_model(env, "mine + center(rbf(gamma=0.1))", "exact", Z);
    run_model(env, "normalize(2*mine)*rbf + center(pairs)", "nystrom(landmarks=30)", Z);
    run_model(env, "mine + center(pairs)", "nystrom(landmarks=30, by=kmeans)", Z);
    subject s = {.x = fixture_data(env, "small", N)};
    rk_spec *spec;
    rk_gram *g;
    s.use = s.x;
    FINE(env, rkhs_kernel_new(env, "mine + rbf(gamma=1)", &s.kernel));
    FINE(env, rk_spec_new(env, &rk_grams, "nystrom(landmarks=30)", &spec));
    FINE(env, rk_gram_new(env, spec, s.kernel, s.use, &g));
    FINE(env, rk_gram_neighbours(g, 3, index, value));
    rk_gram_free(g);
    rk_spec_free(env, spec);
    rkhs_kernel_free(s.kernel);
    rkhs_data_free(s.x);
    for (int i = 0; i < 2; i++) HOLDS(p[i].calls > 10 && p[i].elsewhere == 0 && p[i].together == 0);
    HOLDS(env->threads == 4);
    FINE(env, rkhs_env_set_threads(env, 1));
}

/* ---- what goes wrong ------------------------------------------------------------------------------------------- */

static void what_an_user_kernel_returns_is_not_believed(void **state) {
    rkhs_env *env = *state;
    static const struct {
        int how;
        rkhs_status status;
        const char *words;
    } cases[] = {
        {FAILS_WITH_WORDS, RKHS_ERR_DATA, "no such molecule: C6H7"},
        {FAILS_SILENTLY, RKHS_ERR_DATA, "failed | row"},
        {FAILS_ODDLY, RKHS_ERR_ARGUMENT, "failed | row"},
        {IS_NAN, RKHS_ERR_NUMERIC, "nan | row"},
        {IS_INFINITE, RKHS_ERR_NUMERIC, "inf | row"},
        {IS_LOPSIDED, RKHS_ERR_NUMERIC, "not symmetric"},
    };
    static const char *const specs[][2] = {{"", ""}, {"2*rbf(gamma=1) + ", "^2"}, {"normalize(", ")"}, {"center(", ")[0:2]"}};
    plan plans[2] = {0};
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N);
    rkhs_data *x = fixture_data(env, "small", N);
    static const char *const names[] = {"pairs", "blocks"};
    for (int i = 0; i < 2; i++) add(env, &plans[i], names[i], i, 0);
    for (int t = 0; t < 6 * 4 * 2 * 2; t++) {
        plan *p = &plans[t % 2];
        char text[100];
        const char *const *around = specs[t / 2 % 4], *words = cases[t / 8 % 6].words;
        rkhs_kernel *k;
        rkhs_model *m;
        p->how = cases[t / 8 % 6].how;
        p->bad = p->how == IS_LOPSIDED ? 260 : 271;
        snprintf(text, sizeof text, "%s%s%s", around[0], names[t % 2], around[1]);
        FINE(env, rkhs_env_set_threads(env, t < 48 ? 1 : 3));
        LOOK_AT("%s, way %d", text, (int)p->how);
        size_t used = env->used;
        FINE(env, rkhs_kernel_new(env, text, &k));
        FINE(env, rkhs_model_new(env, "kpca", &m));
        REFUSED(env, cases[t / 8 % 6].status, words, rkhs_kernel_gram(k, x, NULL, K, N));
        REFUSED(env, cases[t / 8 % 6].status, words, rkhs_model_fit(m, k, x, NULL, NULL));
        HOLDS(!rkhs_model_embedding(m, NULL, NULL));
        rkhs_model_free(m);
        rkhs_kernel_free(k);
        rk_pool_free(env);
        HOLDS(env->used == used || t == 0);
    }
    plans[0].bad = 271; /* named, counted from 1 */
    plans[0].how = IS_NAN;
    rkhs_kernel *k;
    FINE(env, rkhs_env_set_threads(env, 1));
    FINE(env, rkhs_kernel_new(env, "pairs", &k));
    REFUSED(env, RKHS_ERR_NUMERIC, "nan | row 272 | row 1", rkhs_kernel_gram(k, x, NULL, K, N));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

static void a_name_must_be_a_word_that_is_free(void **state) {
    rkhs_env *env = *state;
    plan p = {0};
    rkhs_user_kernel good = {.pair = pair_linear, .payload = &p}, both = good, none = {0}, kinds = good;
    both.block = block_linear;
    static const char *const wrong[] = {
        "", "2x", "a b", "a-b", "a(", "caf\xc3\xa9", "a.b", "[x]", "+", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddX"};
    LOOK_AT("names");
    for (int i = 0; i < 10; i++) REFUSED(env, RKHS_ERR_ARGUMENT, "name | kernel", rkhs_env_add_kernel(env, wrong[i], &good));
    for (const rk_entry *const *e = rk_kernels.entries; *e; e++)
        REFUSED(env, RKHS_ERR_ARGUMENT, "in the library: choose another name", rkhs_env_add_kernel(env, (*e)->name, &good));
    REFUSED(env, RKHS_ERR_ARGUMENT, "either pair or block", rkhs_env_add_kernel(env, "mine", &both));
    REFUSED(env, RKHS_ERR_ARGUMENT, "either pair or block", rkhs_env_add_kernel(env, "mine", &none));
    REFUSED(env, RKHS_ERR_ARGUMENT, "null argument", rkhs_env_add_kernel(env, NULL, &good));
    REFUSED(env, RKHS_ERR_ARGUMENT, "null argument", rkhs_env_add_kernel(env, "mine", NULL));
    assert_int_equal(rkhs_env_add_kernel(NULL, "mine", &good), RKHS_ERR_ARGUMENT);
    kinds.kinds = "dense, quilts";
    REFUSED(env, RKHS_ERR_ARGUMENT, "no kind of data 'quilts'", rkhs_env_add_kernel(env, "mine", &kinds));
    kinds.kinds = "";
    REFUSED(env, RKHS_ERR_ARGUMENT, "takes no kind of data", rkhs_env_add_kernel(env, "mine", &kinds));
    FINE(env, rkhs_env_add_kernel(env, "mine", &good));
    REFUSED(env, RKHS_ERR_ARGUMENT, "was added before", rkhs_env_add_kernel(env, "mine", &good));
    kinds.kinds = "sparse, labels";
    FINE(env, rkhs_env_add_kernel(env, "other", &kinds));
    rkhs_kernel *k;
    rkhs_data *x = fixture_data(env, "small", 4);
    double K[16];
    FINE(env, rkhs_kernel_new(env, "2*other", &k));
    REFUSED(env, RKHS_ERR_DATA, "2*other | sparse | labels | not dense", rkhs_kernel_gram(k, x, NULL, K, 4));
    rkhs_kernel_free(k);
    REFUSED(env, RKHS_ERR_SPEC, "takes 0 parameters", rkhs_kernel_new(env, "mine(2)", &k));
    REFUSED(env, RKHS_ERR_SPEC, "kernel | 'min' | mine", rkhs_kernel_new(env, "min", &k));
    REFUSED(env, RKHS_ERR_SPEC, "parts take different kinds", rkhs_kernel_new(env, "other + mine", &k));
    rkhs_data_free(x);
}

static void a_file_says_which_kernel_is_missing(void **state) {
    rkhs_env *env = *state, *other;
    plan p[2] = {0};
    double Z[NEW * 2];
    rkhs_model *m;
    add(env, &p[0], "mine", 1, 0);
    add(env, &p[1], "mine_too", 0, 0);
    run_model(env, "mine_too + rbf*normalize(mine) + mine_too", "exact", Z);
    assert_int_equal(rkhs_env_new(&other), RKHS_OK);
    REFUSED(other, RKHS_ERR_FORMAT, "own.rkhs | 'mine_too' | rkhs_env_add_kernel", rkhs_model_load(other, "own.rkhs", &m));
    add(other, &p[1], "mine_too", 0, 0);
    REFUSED(other, RKHS_ERR_FORMAT, "it needs the kernel 'mine',", rkhs_model_load(other, "own.rkhs", &m));
    add(other, &p[0], "mine", 1, 0);
    OK(other, rkhs_model_load(other, "own.rkhs", &m));
    rkhs_model_free(m);
    rkhs_env_free(other);
}

static void env_fail_leaves_the_first_sentence(void **state) {
    rkhs_env *env = *state;
    assert_int_equal(rkhs_env_fail(env, RKHS_ERR_DATA, "one"), RKHS_ERR_DATA);
    assert_int_equal(rkhs_env_fail(env, RKHS_OK, "two"), RKHS_ERR_ARGUMENT);
    assert_string_equal(rkhs_env_message(env), "one");
    assert_int_equal(rkhs_env_fail(NULL, RKHS_ERR_IO, "three"), RKHS_ERR_IO);
    assert_int_equal(rkhs_env_fail(env, RKHS_ERR_IO, NULL), RKHS_ERR_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(an_user_kernel_stands_in_specs_as_any_other),
        FOLDER_TEST(models_of_an_user_kernel_fit_embed_and_load),
        FOLDER_TEST(a_serial_kernel_runs_on_the_callers_thread_alone),
        ENV_TEST(what_an_user_kernel_returns_is_not_believed),
        ENV_TEST(a_name_must_be_a_word_that_is_free),
        FOLDER_TEST(a_file_says_which_kernel_is_missing),
        ENV_TEST(env_fail_leaves_the_first_sentence),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
