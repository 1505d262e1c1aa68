/* Invalid arguments: a NULL pointer where something must be, rows too far apart for BLAS. Each is refused with a
 * status and, where there is an env, with a sentence of its own: what an earlier call said is gone. */
#include <limits.h>
#include <sys/mman.h>

#include "fixtures.h"

/* The call fails with RKHS_ERR_ARGUMENT and a new sentence that contains `part`. */
#define TOLD(part, call)                                                                                                       \
    do {                                                                                                                       \
        strcpy(env->message, "an old sentence");                                                                               \
        LOOK_AT("%s", #call);                                                                                                  \
        REFUSED(env, RKHS_ERR_ARGUMENT, part, call);                                                                           \
        HOLDS(!says(rkhs_env_message(env), "an old sentence"));                                                                \
    } while (0)

/* Without an env there is only the status. */
#define SILENT(call)                                                                                                           \
    do {                                                                                                                       \
        if ((call) != RKHS_ERR_ARGUMENT) fail_msg("%s: not refused", #call);                                                   \
    } while (0)

/* Something fitted, to call on. */
typedef struct things {
    rkhs_data *x, *labels;
    rkhs_kernel *kernel;
    rkhs_model *model;
} things;

static things open_things(rkhs_env *env) {
    things t = {.x = fixture_data(env, "small", 4), .labels = fixture_labels(env, 4)};
    OK(env, rkhs_kernel_new(env, "rbf", &t.kernel));
    OK(env, rkhs_model_new(env, "kpca", &t.model));
    OK(env, rkhs_model_fit(t.model, NULL, t.x, NULL, NULL));
    return t;
}

static void close_things(things *t) {
    rkhs_model_free(t->model);
    rkhs_kernel_free(t->kernel);
    rkhs_data_free(t->labels);
    rkhs_data_free(t->x);
}

static void data_calls_tell_what_is_missing(void **state) {
    rkhs_env *env = *state;
    things t = open_things(env);
    rkhs_data *out = t.x;
    double z[4] = {1, 2, 3, 4};
    float f[4] = {1, 2, 3, 4};
    int32_t columns[1] = {0};
    int64_t starts[2] = {0, 1}, codes[1] = {0};
    const char *const nameless[1] = {NULL};
    TOLD("variable for the data", rkhs_data_dense(env, z, 1, 1, 1, NULL));
    TOLD("NULL", rkhs_data_dense(env, NULL, 1, 1, 1, &out));
    TOLD("variable for the data", rkhs_data_float(env, f, 1, 1, 1, NULL));
    TOLD("NULL", rkhs_data_float(env, NULL, 1, 1, 1, &out));
    TOLD("variable for the data", rkhs_data_images_float(env, f, 1, 1, 1, 1, NULL));
    TOLD("NULL", rkhs_data_images_float(env, NULL, 1, 1, 1, 1, &out));
    TOLD("variable for the data", rkhs_data_csr(env, z, columns, starts, 1, 1, NULL));
    TOLD("NULL", rkhs_data_csr(env, NULL, columns, starts, 1, 1, &out));
    TOLD("NULL", rkhs_data_csr(env, z, NULL, starts, 1, 1, &out));
    TOLD("NULL", rkhs_data_csr(env, z, columns, NULL, 1, 1, &out));
    TOLD("variable for the labels", rkhs_data_classes(env, codes, 1, NULL, 1, NULL));
    TOLD("NULL", rkhs_data_classes(env, NULL, 1, NULL, 1, &out));
    TOLD("no name", rkhs_data_classes(env, codes, 1, nameless, 1, &out));
    TOLD("variable for the data", rkhs_data_read(env, "x.csv", NULL, NULL));
    TOLD("no file name", rkhs_data_read(env, NULL, NULL, &out));
    TOLD("variable for the data", rkhs_data_read_for(env, "x.csv", NULL, t.kernel, NULL));
    TOLD("no file name", rkhs_data_read_for(env, NULL, NULL, t.kernel, &out));
    TOLD("variable for the labels", rkhs_data_read_labels(env, "x.csv", NULL, NULL));
    TOLD("no file name", rkhs_data_read_labels(env, NULL, NULL, &out));
    TOLD("no file name", rkhs_data_write(t.x, NULL, NULL));
    TOLD("variable for the data", rkhs_data_sample(env, "circles", NULL));
    TOLD("no sample", rkhs_data_sample(env, NULL, &out));
    TOLD("variable for the subset", rkhs_data_subset(t.x, codes, 1, NULL));
    TOLD("no rows", rkhs_data_subset(t.x, NULL, 1, &out));
    assert_null(out);
    SILENT(rkhs_data_dense(NULL, z, 1, 1, 1, &out));
    SILENT(rkhs_data_float(NULL, f, 1, 1, 1, &out));
    SILENT(rkhs_data_images_float(NULL, f, 1, 1, 1, 1, &out));
    SILENT(rkhs_data_csr(NULL, z, columns, starts, 1, 1, &out));
    SILENT(rkhs_data_classes(NULL, codes, 1, NULL, 1, &out));
    SILENT(rkhs_data_read(NULL, "x.csv", NULL, &out));
    SILENT(rkhs_data_read_for(NULL, "x.csv", NULL, t.kernel, &out));
    SILENT(rkhs_data_read_labels(NULL, "x.csv", NULL, &out));
    SILENT(rkhs_data_write(NULL, "x.csv", NULL));
    SILENT(rkhs_data_sample(NULL, "circles", &out));
    SILENT(rkhs_data_subset(NULL, codes, 1, &out));
    assert_true(!rkhs_data_kind(NULL) && !rkhs_data_rows(NULL) && !rkhs_data_columns(NULL) && !rkhs_data_labels(NULL));
    assert_true(!rkhs_data_values(NULL, NULL) && !rkhs_data_floats(NULL, NULL) && !rkhs_data_codes(NULL, NULL) &&
                !rkhs_data_class_name(NULL, 0));
    rkhs_data_free(NULL);
    close_things(&t);
}

static void kernel_and_model_calls_tell_what_is_missing(void **state) {
    rkhs_env *env = *state;
    things t = open_things(env);
    rkhs_kernel *kernel = NULL;
    rkhs_model *model = NULL;
    rkhs_data *out = NULL;
    rkhs_item item;
    double z[16];
    TOLD("no spec", rkhs_kernel_new(env, NULL, &kernel));
    TOLD("variable for the kernel", rkhs_kernel_new(env, "rbf", NULL));
    TOLD("variable for the copy", rkhs_kernel_copy(t.kernel, NULL));
    rkhs_spec *spec = NULL;
    const char *value = NULL;
    TOLD("no text", rkhs_spec_new(env, "kernels", NULL, &spec));
    TOLD("variable for the spec", rkhs_spec_new(env, "kernels", "rbf", NULL));
    TOLD("no list", rkhs_spec_new(env, NULL, "rbf", &spec));
    SILENT(rkhs_spec_new(NULL, "kernels", "rbf", &spec));
    SILENT(rkhs_spec_get(NULL, "sigma", &value));
    SILENT(rkhs_spec_set(NULL, "sigma", "1"));
    assert_true(!spec && !rkhs_spec_name(NULL)[0] && !rkhs_spec_text(NULL)[0] && !rkhs_spec_hole(NULL));
    rkhs_spec_free(NULL);
    assert_int_equal(rkhs_spec_new(env, "kernels", "rbf", &spec), RKHS_OK);
    TOLD("no path", rkhs_spec_get(spec, NULL, &value));
    TOLD("variable for the value", rkhs_spec_get(spec, "sigma", NULL));
    TOLD("no path", rkhs_spec_set(spec, NULL, "1"));
    TOLD("no value", rkhs_spec_set(spec, "sigma", NULL));
    rkhs_spec_free(spec);
    TOLD("no data", rkhs_kernel_freeze(t.kernel, NULL));
    TOLD("no data", rkhs_kernel_gram(t.kernel, NULL, NULL, z, 4));
    TOLD("no room for K", rkhs_kernel_gram(t.kernel, t.x, NULL, NULL, 4));
    TOLD("no spec", rkhs_model_new(env, NULL, &model));
    TOLD("variable for the model", rkhs_model_new(env, "kpca", NULL));
    TOLD("no data", rkhs_model_fit(t.model, t.kernel, NULL, NULL, NULL));
    TOLD("no data", rkhs_model_transform(t.model, NULL, z, 2));
    TOLD("no room for Z", rkhs_model_transform(t.model, t.x, NULL, 2));
    int64_t near[16];
    TOLD("no data", rkhs_model_explain(t.model, NULL, 1, near, z));
    TOLD("no room for the result", rkhs_model_explain(t.model, t.x, 1, NULL, z));
    TOLD("no room for the result", rkhs_model_explain(t.model, t.x, 1, near, NULL));
    TOLD("ask for 1 to", rkhs_model_explain(t.model, t.x, 0, near, z));
    TOLD("ask for 1 to", rkhs_model_explain(t.model, t.x, 1000, near, z));
    TOLD("NULL", rkhs_model_inverse(t.model, NULL, 1, 2, &out));
    TOLD("variable for the objects", rkhs_model_inverse(t.model, z, 1, 2, NULL));
    TOLD("no data", rkhs_model_anomaly(t.model, NULL, NULL, z));
    TOLD("no scores", rkhs_model_anomaly(t.model, t.x, NULL, NULL));
    TOLD("no data", rkhs_model_update(t.model, NULL, NULL));
    TOLD("no path", rkhs_model_save(t.model, NULL));
    TOLD("no path", rkhs_model_load(env, NULL, &model));
    TOLD("variable for the model", rkhs_model_load(env, "a.rkhs", NULL));
    TOLD("variable for the copy", rkhs_model_copy(t.model, NULL));
    const char *const knn = "knn", *const knn1 = "knn(k=1)";
    const rkhs_score_input scored = {.z = t.x, .labels = t.labels};
    TOLD("no specs", rkhs_score(env, NULL, 1, &scored, z, NULL));
    TOLD("no embedding", rkhs_score(env, &knn, 1, NULL, z, NULL));
    TOLD("variable for the values", rkhs_score(env, &knn, 1, &scored, NULL, NULL));
    TOLD("needs an embedding", rkhs_score(env, &knn, 1, &(rkhs_score_input){.labels = t.labels}, z, NULL));
    TOLD("needs labels", rkhs_score(env, &knn1, 1, &(rkhs_score_input){.z = t.x}, z, NULL));
    assert_true(!kernel && !model && !out);
    SILENT(rkhs_kernel_new(NULL, "rbf", &kernel));
    SILENT(rkhs_kernel_copy(NULL, &kernel));
    SILENT(rkhs_kernel_freeze(NULL, t.x));
    SILENT(rkhs_kernel_gram(NULL, t.x, NULL, z, 4));
    SILENT(rkhs_model_new(NULL, "kpca", &model));
    SILENT(rkhs_model_fit(NULL, t.kernel, t.x, NULL, NULL));
    SILENT(rkhs_model_transform(NULL, t.x, z, 2));
    SILENT(rkhs_model_explain(NULL, t.x, 1, near, z));
    assert_null(rkhs_model_reference_objects(NULL, NULL));
    SILENT(rkhs_model_set_place(NULL, "map"));
    SILENT(rkhs_model_inverse(NULL, z, 1, 2, &out));
    SILENT(rkhs_model_anomaly(NULL, t.x, NULL, z));
    SILENT(rkhs_model_update(NULL, t.x, NULL));
    SILENT(rkhs_model_save(NULL, "a.rkhs"));
    SILENT(rkhs_model_load(NULL, "a.rkhs", &model));
    SILENT(rkhs_model_copy(NULL, &model));
    SILENT(rkhs_score(NULL, &knn, 1, &scored, z, NULL));
    assert_true(!rkhs_model_embedding(NULL, NULL, NULL) && !rkhs_model_kernel(NULL) && !rkhs_model_report(NULL, 0, &item));
    assert_true(!rkhs_model_report(t.model, 0, NULL) && rkhs_model_text(NULL) && rkhs_kernel_text(NULL));
    assert_true(!rkhs_list_type("kernels", 0, NULL) && !rkhs_list_param("kernels", NULL, 0, NULL));
    rkhs_kernel_free(NULL);
    rkhs_model_free(NULL);
    close_things(&t);
}

static void env_calls_take_no_env(void **state) {
    (void)state;
    SILENT(rkhs_env_new(NULL));
    SILENT(rkhs_env_set_threads(NULL, 1));
    SILENT(rkhs_env_set_seed(NULL, 1));
    SILENT(rkhs_env_set_memory(NULL, 1));
    rkhs_env_set_progress(NULL, NULL, NULL);
    rkhs_env_set_log(NULL, NULL, NULL);
    rkhs_env_free(NULL);
    assert_true(!rkhs_env_memory_limit(NULL) && !rkhs_env_memory_peak(NULL) && !rkhs_env_message(NULL)[0]);
}

/* ---- rows too far apart ---------------------------------------------------------------------------------------- */

static void results_too_far_apart_are_refused(void **state) {
    rkhs_env *env = *state;
    things t = open_things(env);
    double one[16];
    static const int64_t far[] = {(int64_t)INT_MAX + 1, INT64_MAX / 16, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        TOLD("rows of K", rkhs_kernel_gram(t.kernel, t.x, NULL, one, far[i]));
        TOLD("rows of Z", rkhs_model_transform(t.model, t.x, one, far[i]));
    }
    TOLD("ld", rkhs_kernel_gram(t.kernel, t.x, NULL, one, 3));
    TOLD("ld", rkhs_model_transform(t.model, t.x, one, 1));
    close_things(&t);
}

/* One row has no second one to be far from: what is refused is the number itself, before BLAS sees it. */
static void data_too_far_apart_are_refused(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"linear", "rbf(gamma=1)", "cosine", "poly", "rbf(gamma=1)*cosine"};
    const double row[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    rkhs_data *x;
    double K;
    TOLD("more than this machine can address", rkhs_data_dense(env, row, 3, 2, INT64_MAX / 16, &x));
    TOLD("more than this machine can address", rkhs_data_dense(env, row, INT64_MAX, 2, INT_MAX, &x));
    for (int i = 0; i < 5; i++)
        for (int64_t p = 2; p <= 10; p += 8) {
            rkhs_kernel *k;
            LOOK_AT("%s on a row of %lld", kernels[i], (long long)p);
            FINE(env, rkhs_data_dense(env, row, 1, p, (int64_t)INT_MAX + 1, &x));
            FINE(env, rkhs_kernel_new(env, kernels[i], &k));
            REFUSED(env, RKHS_ERR_DATA, "numbers apart", rkhs_kernel_gram(k, x, NULL, &K, 1));
            rkhs_kernel_free(k);
            rkhs_data_free(x);
        }
}

/* A Gram whose rows are too far apart for BLAS is copied. Its pages are asked for and never touched, but for two. */
static void a_gram_with_rows_too_far_apart_is_used_all_the_same(void **state) {
    rkhs_env *env = *state;
    int64_t ld = (int64_t)INT_MAX + 1, n;
    size_t bytes = (size_t)(ld + 2) * sizeof(double);
    double *far = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    double near[4] = {2, 1, 1, 3};
    rkhs_data *x[2];
    rkhs_kernel *k;
    rkhs_model *m[2];
    if (far == MAP_FAILED) skip();
    memcpy(far, near, 2 * sizeof *far);
    memcpy(far + ld, near + 2, 2 * sizeof *far);
    LOOK_AT("a Gram with ld past INT_MAX");
    FINE(env, rkhs_data_dense(env, far, 2, 2, ld, &x[0]));
    FINE(env, rkhs_data_dense(env, near, 2, 2, 2, &x[1]));
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    for (int i = 0; i < 2; i++) {
        FINE(env, rkhs_model_new(env, "kpca(dim=1)", &m[i]));
        FINE(env, rkhs_model_fit(m[i], k, x[i], NULL, NULL));
    }
    same_bits("Z", rkhs_model_embedding(m[0], &n, NULL), rkhs_model_embedding(m[1], NULL, NULL), 2);
    for (int i = 0; i < 2; i++) rkhs_model_free(m[i]), rkhs_data_free(x[i]);
    rkhs_kernel_free(k);
    munmap(far, bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(data_calls_tell_what_is_missing), FOLDER_TEST(kernel_and_model_calls_tell_what_is_missing),
        cmocka_unit_test(env_calls_take_no_env),      ENV_TEST(results_too_far_apart_are_refused),
        ENV_TEST(data_too_far_apart_are_refused),     ENV_TEST(a_gram_with_rows_too_far_apart_is_used_all_the_same),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
