/* String kernels against kernlab's and scikit-learn's, as make_kernlab.R and make_words.py wrote them. */
#include "contract/fixtures.h"

enum { N = 10 };

static const char *path_of(const char *name) {
    static char path[1024];
    const char *source = getenv("RKHS_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden/data/%s", source ? source : ".", name);
    return path;
}

/* The lines, each with `tail` after it. */
static rkhs_data *lines_with(rkhs_env *env, const char *tail) {
    rkhs_data *lines, *x;
    char text[N][200];
    const char *strings[N];
    FINE(env, rkhs_data_read(env, path_of("strings.txt"), NULL, &lines));
    assert_int_equal(rkhs_data_rows(lines), N);
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "%s%s", rkhs_data_string(lines, i, NULL), tail);
        strings[i] = text[i];
    }
    FINE(env, rkhs_data_strings(env, strings, NULL, N, &x));
    rkhs_data_free(lines);
    return x;
}

static void compare(rkhs_env *env, const char *kernel, const char *tail, const char *file) {
    rkhs_data *x, *expected;
    rkhs_kernel *k;
    double K[N * N];
    LOOK_AT("%s against %s", kernel, file);
    x = lines_with(env, tail);
    FINE(env, rkhs_data_read(env, path_of(file), NULL, &expected));
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
    near_each("K", K, rkhs_data_values(expected, NULL), N * N, 1e-13);
    rkhs_kernel_free(k);
    rkhs_data_free(expected);
    rkhs_data_free(x);
}

static void subsequences_are_those_of_kernlab(void **state) {
    compare(*state, "ssk(p=2, lambda=0.5, normalize=false)", "", "kernlab_sequence2.csv");
    compare(*state, "ssk(p=3, lambda=0.8)", "", "kernlab_sequence3.csv");
}

/* kernlab puts a mark at the end of every string and counts it as a character. */
static void spectra_are_those_of_kernlab(void **state) {
    compare(*state, "spectrum(p=2, normalize=false)", "\n", "kernlab_spectrum2.csv");
    compare(*state, "spectrum(p=3)", "\n", "kernlab_spectrum3.csv");
}

static void words_are_those_of_scikit_learn(void **state) {
    compare(*state, "words(idf=false)", "", "words_count.csv");
    compare(*state, "words", "", "words_tfidf.csv");
}

/* Frozen on the first half; words that only the other half has are in none of the training texts. */
static void words_of_new_texts_are_those_of_scikit_learn(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = lines_with(env, ""), *half, *expected;
    rkhs_kernel *k;
    int64_t first[N / 2] = {0, 1, 2, 3, 4};
    double K[N * N];
    LOOK_AT("words, frozen on half");
    FINE(env, rkhs_data_read(env, path_of("words_new.csv"), NULL, &expected));
    FINE(env, rkhs_data_subset(x, first, N / 2, &half));
    FINE(env, rkhs_kernel_new(env, "words", &k));
    FINE(env, rkhs_kernel_freeze(k, half));
    FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
    near_each("K", K, rkhs_data_values(expected, NULL), N * N, 1e-13);
    rkhs_kernel_free(k);
    rkhs_data_free(expected);
    rkhs_data_free(half);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(subsequences_are_those_of_kernlab),
        ENV_TEST(spectra_are_those_of_kernlab),
        ENV_TEST(words_are_those_of_scikit_learn),
        ENV_TEST(words_of_new_texts_are_those_of_scikit_learn),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
