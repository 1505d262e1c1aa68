/* String kernels against what they are defined to be: every subset of places, every sequence of letters. */
#include "env.h"

#include "kernel/kernel.h"

enum { N = 21, LONGEST = 9 };

/* Random strings over the first `letters` letters; some are empty, some equal. */
static void make_strings(char text[N][LONGEST + 1], const char *strings[N], int letters, uint64_t seed) {
    for (int i = 0; i < N; i++) {
        int length = (int)(rk_uniform(seed, RK_STREAM_TEST, (uint64_t)i, 0) * (LONGEST + 1));
        for (int j = 0; j < length; j++)
            text[i][j] = (char)('a' + (int)(letters * rk_uniform(seed, RK_STREAM_TEST, (uint64_t)i, (uint64_t)j + 1)));
        text[i][length] = 0;
        if (i == 7) strcpy(text[7], text[3]);
        strings[i] = text[i];
    }
    text[0][0] = text[1][0] = 0;
}

static void gram(rkhs_env *env, const char *spec, const char *const *strings, int64_t n, double *K) {
    rkhs_data *x;
    rkhs_kernel *k;
    OK(env, rkhs_data_strings(env, strings, NULL, n, &x));
    OK(env, rkhs_kernel_new(env, spec, &k));
    OK(env, rkhs_kernel_gram(k, x, NULL, K, n));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

/* The sum over all sets of p places in s and in t that spell the same. */
static double subsequences(const char *s, const char *t, int p, double lambda) {
    int n = (int)strlen(s), m = (int)strlen(t), count = 0;
    unsigned sets[1 << LONGEST]; /* of p places in t */
    double sum = 0;
    for (unsigned J = 1; J < 1u << m; J++)
        if (__builtin_popcount(J) == p) sets[count++] = J;
    for (unsigned I = 1; I < 1u << n; I++) {
        if (__builtin_popcount(I) != p) continue;
        for (int q = 0; q < count; q++) {
            unsigned J = sets[q];
            int same = 1, i = -1, j = -1;
            for (int l = 0; l < p && same; l++) {
                for (i++; !(I >> i & 1); i++) {
                }
                for (j++; !(J >> j & 1); j++) {
                }
                same = s[i] == t[j];
            }
            if (same) sum += pow(lambda, i - __builtin_ctz(I) + 1 + j - __builtin_ctz(J) + 1);
        }
    }
    return sum;
}

/* What k(x,y) comes to when it is divided by the norms, as the library says. */
static double normal(double k, double a, double b, int same) { return a > 0 && b > 0 ? k / sqrt(a * b) : a == b && same; }

static void ssk_is_a_sum_over_all_subsequences(void **state) {
    rkhs_env *env = *state;
    char text[N][LONGEST + 1], spec[128];
    const char *strings[N];
    double K[N * N], L[N * N], B[N * N], C[N * N], expected[N * N], blended[N * N] = {0};
    for (int p = 1; p <= 6; p++) {
        double lambda = 0.1 + 0.15 * p;
        make_strings(text, strings, 3, 1);
        memset(blended, 0, sizeof blended);
        for (int i = 0; i < N * N; i++) {
            expected[i] = subsequences(strings[i / N], strings[i % N], p, lambda);
            for (int l = 1; l <= p; l++) blended[i] += subsequences(strings[i / N], strings[i % N], l, lambda);
        }
        snprintf(spec, sizeof spec, "ssk(p=%d, lambda=%.17g, normalize=false)", p, lambda);
        gram(env, spec, strings, N, K);
        snprintf(spec, sizeof spec, "ssk(p=%d, lambda=%.17g)", p, lambda);
        gram(env, spec, strings, N, L);
        snprintf(spec, sizeof spec, "ssk(p=%d, lambda=%.17g, blended=true, normalize=false)", p, lambda);
        gram(env, spec, strings, N, B);
        snprintf(spec, sizeof spec, "ssk(p=%d, lambda=%.17g, blended=true)", p, lambda);
        gram(env, spec, strings, N, C);
        for (int i = 0; i < N * N; i++) {
            int a = i / N * (N + 1), b = i % N * (N + 1), same = strcmp(strings[i / N], strings[i % N]) == 0;
            NEAR(K[i], expected[i], 1e-13);
            NEAR(L[i], normal(expected[i], expected[a], expected[b], same), 1e-13);
            NEAR(B[i], blended[i], 1e-13);
            NEAR(C[i], normal(blended[i], blended[a], blended[b], same), 1e-13);
            if (same) NEAR(L[i], 1, 0);
        }
    }
}

/* Sequences of p letters in x that differ from u in at most m places. */
static double around(const char *x, const char *u, int p, int m) {
    double count = 0;
    for (int i = 0; i + p <= (int)strlen(x); i++) {
        int differ = 0;
        for (int l = 0; l < p; l++) differ += x[i + l] != u[l];
        count += differ <= m;
    }
    return count;
}

static void spectrum_and_mismatch_count_every_sequence_of_letters(void **state) {
    rkhs_env *env = *state;
    char text[N][LONGEST + 1], spec[128], u[6];
    const char *strings[N];
    double K[N * N], L[N * N];
    for (int letters = 1; letters <= 3; letters++)
        for (int p = 1; p <= 4; p++)
            for (int m = 0; m < p && m < 3; m++) {
                double expected[N * N] = {0};
                int all = (int)lround(pow(letters, p));
                make_strings(text, strings, letters, 2);
                for (int code = 0; code < all; code++) {
                    for (int l = 0, c = code; l < p; l++, c /= letters) u[l] = (char)('a' + c % letters);
                    for (int i = 0; i < N * N; i++)
                        expected[i] += around(strings[i / N], u, p, m) * around(strings[i % N], u, p, m);
                }
                snprintf(spec, sizeof spec, "mismatch(p=%d, m=%d, normalize=false)", p, m);
                gram(env, spec, strings, N, K);
                snprintf(spec, sizeof spec, "mismatch(p=%d, m=%d)", p, m);
                gram(env, spec, strings, N, L);
                for (int i = 0; i < N * N; i++) {
                    int a = i / N * (N + 1), b = i % N * (N + 1), same = strcmp(strings[i / N], strings[i % N]) == 0;
                    NEAR(K[i], expected[i], 0);
                    NEAR(L[i], normal(expected[i], expected[a], expected[b], same), 1e-14);
                }
                if (m) continue;
                snprintf(spec, sizeof spec, "spectrum(p=%d, normalize=false)", p);
                gram(env, spec, strings, N, K);
                for (int i = 0; i < N * N; i++) NEAR(K[i], expected[i], 0);
            }
}

/* The recursion of the paper in long doubles, with a factor left out for each length, as plainly as it can be
 * written. */
static long double plainly(const char *s, const char *t, int p, long double lambda) {
    int n = (int)strlen(s), m = (int)strlen(t), w = m + 1;
    long double *dp = calloc((size_t)(n + 1) * (size_t)w, sizeof *dp), *dps = calloc((size_t)(n + 1) * (size_t)w, sizeof *dps);
    long double sum = 0;
    assert_non_null(dp);
    assert_non_null(dps);
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) dps[i * w + j] = s[i - 1] == t[j - 1];
    for (int l = 1; l <= p; l++) {
        sum = 0;
        for (int i = 1; i <= n; i++) {
            long double row = 0;
            for (int j = 1; j <= m; j++) {
                row = row * lambda + dps[i * w + j];
                dp[i * w + j] = row + lambda * dp[(i - 1) * w + j];
                sum += dps[i * w + j];
            }
        }
        for (int i = n; i >= 1; i--)
            for (int j = m; j >= 1; j--) dps[i * w + j] = s[i - 1] == t[j - 1] ? dp[(i - 1) * w + j - 1] : 0;
    }
    free(dp);
    free(dps);
    return sum;
}

/* A string of `length` letters, for which the caller has room. */
static const char *long_string(char *to, int length, int letters, uint64_t seed) {
    for (int j = 0; j < length; j++) to[j] = (char)('a' + (int)(letters * rk_uniform(seed, RK_STREAM_TEST, 9, (uint64_t)j)));
    to[length] = 0;
    return to;
}

static void long_strings_neither_underflow_nor_overflow(void **state) {
    rkhs_env *env = *state;
    enum { LONG = 2000, SHORT = 600, SHORTER = 300 };
    static char text[4][LONG + 1];
    static const char *const lambdas[] = {"0.01", "0.5", "0.99", "1"};
    for (int run = 0; run < 8; run++) {
        double K[16];
        int p = run < 4 ? 4 : 9;
        const char *lambda = lambdas[run % 4];
        /* Letters that seldom come: an s_i without an equal for a long time. */
        const char *strings[] = {long_string(text[0], run < 4 ? LONG : SHORT, 20, 1),
                                 long_string(text[1], run < 4 ? SHORT : SHORTER, 20, 2), long_string(text[2], SHORT, 26, 3),
                                 long_string(text[3], SHORTER, 1, 4)};
        char spec[64];
        snprintf(spec, sizeof spec, "ssk(p=%d, lambda=%s)", p, lambda);
        gram(env, spec, strings, 4, K);
        for (int i = 0; i < 16; i++) assert_true(isfinite(K[i]) && K[i] >= 0 && K[i] <= 1);
        for (int i = 0; i < 4; i++) NEAR(K[i * 5], 1, 0);
        if (run == 3 || run == 7 || run == 6) continue; /* the reference is slow */
        long double l = strtold(lambda, NULL), a = plainly(strings[1], strings[1], p, l),
                    b = plainly(strings[2], strings[2], p, l);
        double expected = (double)(plainly(strings[1], strings[2], p, l) / sqrtl(a * b));
        assert_true(fabs(K[6] - expected) <= 1e-11 * expected);
    }
}

static void what_overflows_is_said(void **state) {
    rkhs_env *env = *state;
    enum { LONG = 600 };
    static char text[LONG + 1];
    const char *strings[] = {"abc", long_string(text, LONG, 1, 1)};
    rkhs_data *x;
    rkhs_kernel *k;
    double K[4];
    OK(env, rkhs_data_strings(env, strings, NULL, 2, &x));
    OK(env, rkhs_kernel_new(env, "ssk(p=200, lambda=1)", &k)); /* C(600, 200)^2 is 1e328 */
    FAILS(env, RKHS_ERR_NUMERIC, "ssk | object 2 | 1e308 | 200 | smaller p", rkhs_kernel_gram(k, x, NULL, K, 2));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

/* A value is a function of its two strings, whatever else is in the tile, the vector or the data. */
static void bits_depend_on_the_two_strings_alone(void **state) {
    rkhs_env *env = *state;
    enum { MANY = 41, LONG = 400 };
    static const char *const specs[] = {"ssk",     "ssk(p=7, lambda=0.9)", "ssk(p=3, blended=true)", "spectrum(p=2)", "words",
                                        "mismatch"};
    static char text[MANY][LONG + 1];
    const char *strings[MANY];
    rk_mark mark = rk_scratch_mark(env);
    double *K, *L, one;
    OK(env, rk_scratch(env, MANY * MANY, sizeof *K, &K));
    OK(env, rk_scratch(env, MANY * MANY, sizeof *L, &L));
    for (int i = 0; i < MANY; i++)
        strings[i] = long_string(text[i], i % 9 == 0 ? LONG : i % 7 == 0 ? i % 4 : 20 + 9 * i, 4, (uint64_t)i);
    for (int i = 0; i < MANY; i++) /* some words, in another order in each text */
        for (size_t j = 3 + (size_t)i % 5, end = strlen(text[i]); j < end; j += 3 + (size_t)i % 3) text[i][j] = ' ';
    for (int s = 0; s < 6; s++) {
        rkhs_data *x, *a, *b;
        rkhs_kernel *k;
        OK(env, rkhs_data_strings(env, strings, NULL, MANY, &x));
        OK(env, rkhs_kernel_new(env, specs[s], &k));
        OK(env, rkhs_kernel_freeze(k, x));
        OK(env, rkhs_kernel_gram(k, x, x, K, MANY));
        OK(env, rkhs_kernel_gram(k, x, NULL, L, MANY));
        for (int64_t i = 0; i < MANY; i++)
            for (int64_t j = 0; j <= i; j++) assert_memory_equal(L + i * MANY + j, K + i * MANY + j, sizeof *K);
        for (int64_t i = 0; i < MANY; i += 9)
            for (int64_t j = 0; j < MANY; j += 7) {
                OK(env, rkhs_data_subset(x, &i, 1, &a));
                OK(env, rkhs_data_subset(x, &j, 1, &b));
                OK(env, rkhs_kernel_gram(k, a, b, &one, 1));
                assert_memory_equal(&one, K + i * MANY + j, sizeof one);
                rkhs_data_free(b);
                rkhs_data_free(a);
            }
        rkhs_kernel_free(k);
        rkhs_data_free(x);
    }
    rk_scratch_release(env, mark);
}

/* ---- tokens ---------------------------------------------------------------------------------------------------- */

static void refused(rkhs_env *env, const char *spec, const char *string, rkhs_status code, const char *words) {
    const char *strings[] = {"abcabc", string};
    rkhs_data *x;
    rkhs_kernel *k = NULL;
    double K[4];
    OK(env, rkhs_data_strings(env, strings, NULL, 2, &x));
    rkhs_status status = rkhs_kernel_new(env, spec, &k);
    if (status == RKHS_OK) status = rkhs_kernel_gram(k, x, NULL, K, 2);
    if (status != code || !says(rkhs_env_message(env), words))
        fail_msg("%s on '%s': %d, %s", spec, string, status, rkhs_env_message(env));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

static void characters_are_utf8_and_of_the_alphabet(void **state) {
    rkhs_env *env = *state;
    const char *strings[] = {"Z\xc3\xbcrich \xe2\x82\xac \xf0\x9d\x84\x9e", "\xc3\xbc\xe2\x82\xac\xf0\x9d\x84\x9e", "\xc3\xbb"};
    double K[9];
    gram(env, "spectrum(p=1, normalize=false)", strings, 3, K);
    NEAR(K[0], 8 + 4, 0); /* ten characters, two of them blanks, which make 2 x 2 */
    NEAR(K[1], 3, 0);
    NEAR(K[4], 3, 0);
    NEAR(K[5], 0, 0);
    gram(env, "spectrum(p=1, by=byte, normalize=false)", strings, 3, K);
    NEAR(K[5], 1, 0); /* the first byte */
    gram(env, "spectrum(p=1, alphabet=\"Z\xc3\xbc\xc3\xbbrich \xe2\x82\xac\xf0\x9d\x84\x9e\")", strings, 3, K);
    static const char *const bad[] = {"abc\xff",         "abc\x80",         "abc\xc0\xaf",
                                      "abc\xe0\x80\xaf", "abc\xed\xa0\x80", "abc\xf4\x90\x80\x80",
                                      "abc\xe2\x82",     "abc\xc3"};
    static const char *const specs[] = {"ssk", "spectrum", "words", "mismatch", "ssk(by=word)"};
    for (int s = 0; s < 5; s++)
        for (int b = 0; b < 8; b++) refused(env, specs[s], bad[b], RKHS_ERR_DATA, "object 2 | byte 4 | UTF-8");
    refused(env, "ssk", "ab\xff", RKHS_ERR_DATA, "0xff | UTF-8 | by=byte");
    refused(env, "ssk(alphabet=abc)", "abxa", RKHS_ERR_DATA, "object 2 | byte 3 | 'x' | alphabet \"abc\"");
    refused(env, "spectrum(alphabet=abc)", "a\xe2\x82\xac", RKHS_ERR_DATA, "'\xe2\x82\xac' | alphabet");
    refused(env, "mismatch(alphabet=abc, by=byte)", "a\t", RKHS_ERR_DATA, "0x09 | alphabet");
    refused(env, "ssk(by=word, alphabet=abc)", "a", RKHS_ERR_SPEC, "ssk: alphabet= is for characters");
    refused(env, "spectrum(alphabet=\"\")", "a", RKHS_ERR_SPEC, "spectrum: alphabet= is empty");
    refused(env, "ssk(alphabet=\"a\xff\")", "a", RKHS_ERR_SPEC, "alphabet=: byte 2 is not UTF-8");
    refused(env, "mismatch(p=3, m=3)", "a", RKHS_ERR_SPEC, "mismatch | m=3 | p=3");
    refused(env, "mismatch(p=40, m=3)", "a", RKHS_ERR_SPEC, "6 of p=40");
    refused(env, "ssk(lambda=0)", "a", RKHS_ERR_SPEC, "lambda");
    refused(env, "ssk(lambda=1.5)", "a", RKHS_ERR_SPEC, "lambda");
    refused(env, "ssk(p=0)", "a", RKHS_ERR_SPEC, "p must be");
}

static void words_are_runs_of_letters_and_digits(void **state) {
    rkhs_env *env = *state;
    /* The same words: the, cat, 3, don, t, \u00fcber, \u0416 and a capital of each kind. */
    const char *strings[] = {"the cat 3 don t \xc3\xbc"
                             "ber \xd0\xb6 \xce\xb1",
                             "\tThe,cat--3;DON'T\n\xc3\x9c"
                             "BER (\xd0\x96)_\xce\x91",
                             "dog", "", " ,;"};
    double K[25];
    gram(env, "words(idf=false, normalize=false)", strings, 5, K);
    NEAR(K[0], 8, 0);
    NEAR(K[1], 8, 0);
    NEAR(K[6], 8, 0);
    gram(env, "words(idf=false, fold=false, normalize=false)", strings, 5, K);
    NEAR(K[1], 2, 0); /* cat, 3 */
    gram(env, "words", strings, 5, K);
    NEAR(K[1], 1, 0);
    NEAR(K[2], 0, 0);
    NEAR(K[3 * 5 + 4], 1, 0); /* neither has a word */
    NEAR(K[3 * 5 + 2], 0, 0);
    gram(env, "ssk(p=2, by=word, lambda=0.5, normalize=false)", (const char *[]){"a big red dog", "a dog"}, 2, K);
    NEAR(K[1], pow(0.5, 4 + 2), 1e-16);
}

/* k(new, training) with words that only new texts have, worked out by hand. */
static void new_words_count_in_the_norm_alone(void **state) {
    rkhs_env *env = *state;
    const char *train[] = {"a b b", "b c"}, *fresh[] = {"b d d e", "f"};
    rkhs_data *x, *y;
    rkhs_kernel *k;
    double K[4], ab = log(3.0 / 2) + 1, b = 1, c = ab, none = log(3.0) + 1;
    OK(env, rkhs_data_strings(env, train, NULL, 2, &x));
    OK(env, rkhs_data_strings(env, fresh, NULL, 2, &y));
    OK(env, rkhs_kernel_new(env, "words", &k));
    OK(env, rkhs_kernel_gram(k, x, y, K, 2));
    double norm = sqrt(b * b + 5 * none * none);
    NEAR(K[0], 2 * b * b / sqrt(ab * ab + 4 * b * b) / norm, 1e-15);
    NEAR(K[2], b * b / sqrt(b * b + c * c) / norm, 1e-15);
    NEAR(K[1], 0, 0);
    NEAR(K[3], 0, 0);
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* ---- models ---------------------------------------------------------------------------------------------------- */

static void mismatch_fixes_its_alphabet(void **state) {
    rkhs_env *env = *state;
    const char *train[] = {"abcab\"", "bca\\b", "ccba", "abba"}, *fresh[] = {"abx"};
    rkhs_data *x, *y;
    rkhs_kernel *k;
    rkhs_model *m;
    double Z[1];
    OK(env, rkhs_data_strings(env, train, NULL, 4, &x));
    OK(env, rkhs_data_strings(env, fresh, NULL, 1, &y));
    OK(env, rkhs_kernel_new(env, "mismatch(p=2)", &k));
    OK(env, rkhs_model_new(env, "kpca(dim=1)", &m));
    OK(env, rkhs_model_fit(m, k, x, NULL, NULL));
    assert_string_equal(rkhs_kernel_text(rkhs_model_kernel(m)),
                        "mismatch(p=2, m=1, normalize=true, by=char, alphabet=\"\\\"\\\\abc\")");
    FAILS(env, RKHS_ERR_DATA, "object 1 | byte 3 | 'x'", rkhs_model_transform(m, y, Z, 1));
    rkhs_kernel_free(k);
    rkhs_model_free(m);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* idf_w of `count` texts of words of one letter. */
static double idf(const char *const *texts, int count, char word) {
    int have = 0;
    for (int i = 0; i < count; i++) have += strchr(texts[i], word) != NULL;
    return log((1.0 + count) / (1.0 + have)) + 1;
}

/* tf-idf of two texts of words of one letter, with the weights of others. */
static double tf_idf(const char *const *texts, int count, const char *x, const char *y) {
    double dot = 0, a = 0, b = 0;
    for (char w = 'a'; w <= 'z'; w++) {
        double f = 0, g = 0, v = idf(texts, count, w);
        for (const char *s = x; *s; s++) f += *s == w;
        for (const char *s = y; *s; s++) g += *s == w;
        dot += v * v * f * g, a += v * v * f * f, b += v * v * g * g;
    }
    return dot / sqrt(a * b);
}

/* Weights are those of all training texts, also where landmarks alone are kept, in copies, inside other kernels and
 * in files. */
static void words_keep_the_weights_of_their_training_texts(void **state) {
    rkhs_env *env = *state;
    enum { TEXTS = 6, NEW = 2 };
    const char *train[TEXTS] = {"a b b", "b c a", "c d", "a a e", "e b", "f a"}, *fresh[NEW] = {"a b z", "d c c"};
    rkhs_data *x, *y;
    rkhs_kernel *k, *copy, *around;
    rkhs_model *m, *again;
    double K[NEW * NEW], Z[NEW], back[NEW];
    unsigned char bytes[20000];
    size_t size;
    OK(env, rkhs_data_strings(env, train, NULL, TEXTS, &x));
    OK(env, rkhs_data_strings(env, fresh, NULL, NEW, &y));
    OK(env, rkhs_kernel_new(env, "words", &k));
    OK(env, rkhs_kernel_freeze(k, x));
    OK(env, rkhs_kernel_copy(k, &copy));
    OK(env, rkhs_kernel_freeze(copy, y)); /* it is frozen already */
    OK(env, rkhs_kernel_gram(copy, y, NULL, K, NEW));
    for (int i = 0; i < NEW * NEW; i++) NEAR(K[i], tf_idf(train, TEXTS, fresh[i / NEW], fresh[i % NEW]), 1e-15);
    OK(env, rkhs_kernel_new(env, "2*words(idf=false) + normalize(words(normalize=false))^2", &around));
    OK(env, rkhs_model_new(env, "kpca(dim=1, gram=nystrom(landmarks=2))", &m));
    OK(env, rkhs_model_fit(m, around, x, NULL, NULL));
    OK(env, rkhs_kernel_gram(rkhs_model_kernel(m), y, NULL, K, NEW));
    double both = 1 / sqrt(3.0 * 5); /* counts 1, 1, 1 and 1, 2: nothing in common */
    NEAR(K[1], 2 * 0 * both + pow(tf_idf(train, TEXTS, fresh[0], fresh[1]), 2), 1e-15);
    OK(env, rkhs_model_transform(m, y, Z, 1));
    OK(env, rkhs_model_pack(m, bytes, sizeof bytes, &size));
    assert_true(size <= sizeof bytes);
    OK(env, rkhs_model_unpack(env, bytes, size, &again));
    OK(env, rkhs_model_transform(again, y, back, 1));
    assert_memory_equal(back, Z, sizeof Z);
    rkhs_model_free(again);
    rkhs_model_free(m);
    rkhs_kernel_free(around);
    rkhs_kernel_free(copy);
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* Many letters, long sequences: against all pairs of sequences, and how many are within m of both, from the
 * definition. */
static void mismatch_over_many_letters(void **state) {
    rkhs_env *env = *state;
    enum { LONG = 72 };
    static char text[3][LONG + 1];
    static const struct {
        int letters, p, m;
        double shared[3]; /* of two that differ in 0, 1, 2 places */
    } cases[] = {{26, 4, 1, {1 + 4 * 25, 26, 2}}, {26, 60, 1, {1 + 60 * 25, 26, 2}}, {3, 60, 1, {1 + 60 * 2, 3, 2}}};
    for (int c = 0; c < 3; c++) {
        double K[9], expected[9] = {0};
        int p = cases[c].p;
        char spec[128];
        const char *strings[3];
        for (int i = 0; i < 3; i++) strings[i] = long_string(text[i], LONG, cases[c].letters, (uint64_t)i);
        memcpy(text[1] + 3, text[0] + 5, 65); /* something in common */
        text[1][40] = 'a';
        for (int i = 0; i < 9; i++)
            for (int s = 0; s + p <= LONG; s++)
                for (int t = 0; t + p <= LONG; t++) {
                    int differ = 0;
                    for (int l = 0; l < p; l++) differ += text[i / 3][s + l] != text[i % 3][t + l];
                    expected[i] += differ <= 2 ? cases[c].shared[differ] : 0;
                }
        snprintf(spec, sizeof spec, "mismatch(p=%d, m=%d, normalize=false, alphabet=\"%s\")", p, cases[c].m,
                 cases[c].letters == 3 ? "abc" : "abcdefghijklmnopqrstuvwxyz");
        gram(env, spec, strings, 3, K);
        for (int i = 0; i < 9; i++) NEAR(K[i], expected[i], 0);
        assert_true(expected[1] > 0);
    }
}

static void the_inverse_is_the_nearest_kept_string(void **state) {
    rkhs_env *env = *state;
    const char *train[] = {"abcabc", "abcabd", "xyzxyz", "xyzxyw", ""};
    rkhs_data *x, *back;
    rkhs_model *m;
    int64_t length;
    OK(env, rkhs_data_strings(env, train, NULL, 5, &x));
    OK(env, rkhs_model_new(env, "kpca(dim=4)", &m));
    OK(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
    OK(env, rkhs_model_inverse(m, rkhs_model_embedding(m, NULL, NULL), 5, 4, &back));
    for (int i = 0; i < 5; i++) assert_string_equal(rkhs_data_string(back, i, &length), train[i]);
    rkhs_data_free(back);
    rkhs_model_free(m);
    rkhs_data_free(x);
}

static void slow_kernels_have_small_tiles(void **state) {
    rkhs_env *env = *state;
    enum { MANY = 17, LONG = 6000 };
    static char text[MANY][LONG + 1];
    const char *strings[MANY];
    rkhs_data *x;
    rkhs_kernel *k;
    rk_bound *bound;
    for (int i = 0; i < MANY; i++) strings[i] = long_string(text[i], LONG, 4, (uint64_t)i);
    OK(env, rkhs_data_strings(env, strings, NULL, MANY, &x));
    OK(env, rkhs_kernel_new(env, "2*ssk(p=2) + spectrum", &k));
    OK(env, rk_bind(env, k, x, NULL, &bound));
    assert_int_equal(rk_kernel_tile(bound, bound), 4);
    assert_int_equal(rk_kernel_tile_rows(bound, bound), 1);
    rk_unbind(env, bound);
    rkhs_kernel_free(k);
    OK(env, rkhs_kernel_new(env, "spectrum", &k));
    OK(env, rk_bind(env, k, x, NULL, &bound));
    assert_int_equal(rk_kernel_tile(bound, bound), RK_TILE);
    assert_int_equal(rk_kernel_tile_rows(bound, bound), RK_TILE);
    rk_unbind(env, bound);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(ssk_is_a_sum_over_all_subsequences),
        ENV_TEST(spectrum_and_mismatch_count_every_sequence_of_letters),
        ENV_TEST(long_strings_neither_underflow_nor_overflow),
        ENV_TEST(what_overflows_is_said),
        ENV_TEST(bits_depend_on_the_two_strings_alone),
        ENV_TEST(characters_are_utf8_and_of_the_alphabet),
        ENV_TEST(words_are_runs_of_letters_and_digits),
        ENV_TEST(new_words_count_in_the_norm_alone),
        ENV_TEST(mismatch_fixes_its_alphabet),
        ENV_TEST(mismatch_over_many_letters),
        ENV_TEST(words_keep_the_weights_of_their_training_texts),
        ENV_TEST(the_inverse_is_the_nearest_kept_string),
        ENV_TEST(slow_kernels_have_small_tiles),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
