/* spec.c: the spec grammar. The first byte picks what the rest is the text of: a kernel, a model, a format, a
 * sample, a score. A text that is taken, printed and taken again prints the same, and a kernel has the same values. */
#include "fuzz.h"

static const double points[] = {0, 0, 1, 0, 0, 1, 5, 5, 6, 5, 5, 6};

/* Six points compared by two kernels that should be equal: the same outcome, and the same bits. */
static void compare(rkhs_env *env, const rkhs_kernel *k, const rkhs_kernel *again) {
    rkhs_data *x;
    double K[36] = {0}, L[36] = {0};
    FUZZ_HOLDS(rkhs_data_dense(env, points, 6, 2, 2, &x) == RKHS_OK);
    rkhs_status first = rkhs_kernel_gram(k, x, NULL, K, 6);
    fuzz_status(env, first);
    rkhs_status second = rkhs_kernel_gram(again, x, NULL, L, 6);
    fuzz_status(env, second);
    FUZZ_HOLDS(first == second);
    if (first == RKHS_OK) FUZZ_HOLDS(memcmp(K, L, sizeof K) == 0);
    rkhs_data_free(x);
}

/* A spec as an object: its text is taken again and is the same; its holes can be filled. */
static void take_spec(rkhs_env *env, const char *list, const char *text) {
    rkhs_spec *s, *again;
    rkhs_status status = rkhs_spec_new(env, list, text, &s);
    fuzz_status(env, status);
    if (status != RKHS_OK) return;
    status = rkhs_spec_new(env, list, rkhs_spec_text(s), &again);
    fuzz_status(env, status);
    if (status == RKHS_OK) FUZZ_HOLDS(strcmp(rkhs_spec_text(s), rkhs_spec_text(again)) == 0);
    for (int i = 0; status == RKHS_OK && i < 8 && rkhs_spec_hole(s); i++) {
        char path[256];
        snprintf(path, sizeof path, "?%.200s", rkhs_spec_hole(s));
        status = rkhs_spec_set(s, path, i % 2 ? "2" : "rbf");
        fuzz_status(env, status);
    }
    rkhs_spec_free(again);
    rkhs_spec_free(s);
}

static void take_kernel(rkhs_env *env, const char *text) {
    rkhs_kernel *k, *again;
    take_spec(env, "kernels", text);
    rkhs_status status = rkhs_kernel_new(env, text, &k);
    fuzz_status(env, status);
    if (status != RKHS_OK) return;
    status = rkhs_kernel_new(env, rkhs_kernel_text(k), &again);
    fuzz_status(env, status);
    if (status != RKHS_ERR_MEMORY) {
        FUZZ_HOLDS(status == RKHS_OK);
        FUZZ_HOLDS(strcmp(rkhs_kernel_text(k), rkhs_kernel_text(again)) == 0);
        compare(env, k, again);
    }
    rkhs_kernel_free(again);
    rkhs_kernel_free(k);
}

static void take_model(rkhs_env *env, const char *text) {
    rkhs_model *m, *again;
    take_spec(env, "models", text);
    rkhs_status status = rkhs_model_new(env, text, &m);
    fuzz_status(env, status);
    if (status != RKHS_OK) return;
    status = rkhs_model_new(env, rkhs_model_text(m), &again);
    fuzz_status(env, status);
    if (status != RKHS_ERR_MEMORY) {
        FUZZ_HOLDS(status == RKHS_OK);
        FUZZ_HOLDS(strcmp(rkhs_model_text(m), rkhs_model_text(again)) == 0);
    }
    rkhs_model_free(again);
    rkhs_model_free(m);
}

static void take_format(rkhs_env *env, const char *text) {
    static const char table[] = "a,b,word\n1,2,cat\n3,4,dog\n";
    rkhs_data *x;
    fuzz_status(env, rkhs_data_read(env, fuzz_file((const uint8_t *)table, sizeof table - 1), text, &x));
    rkhs_data_free(x);
}

static void take_sample(rkhs_env *env, const char *text) {
    rkhs_data *x;
    rkhs_env_set_memory(env, 256 << 10); /* so that few points are drawn */
    fuzz_status(env, rkhs_data_sample(env, text, &x));
    rkhs_data_free(x);
}

static void take_score(rkhs_env *env, const char *text) {
    static const int64_t codes[] = {0, 0, 0, 1, 1, 1};
    rkhs_data *z, *labels;
    double value;
    FUZZ_HOLDS(rkhs_data_dense(env, points, 6, 2, 2, &z) == RKHS_OK);
    FUZZ_HOLDS(rkhs_data_classes(env, codes, 6, NULL, 2, &labels) == RKHS_OK);
    fuzz_status(env, rkhs_score(env, &text, 1, &(rkhs_score_input){.z = z, .x = z, .labels = labels}, &value, NULL));
    rkhs_data_free(labels);
    rkhs_data_free(z);
}

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    static void (*const take[])(rkhs_env *, const char *) = {take_kernel, take_model, take_format, take_sample, take_score};
    if (count == 0) return;
    char *text = malloc(count); /* exactly as long as it is, so that a step past its end is seen */
    FUZZ_HOLDS(text);
    memcpy(text, bytes + 1, count - 1);
    text[count - 1] = 0;
    take[bytes[0] % FUZZ_COUNT(take)](env, text);
    free(text);
}
