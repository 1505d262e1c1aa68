/* Data: what is accepted and refused, subsets, views, labels, samples, saving and loading. */
#include "files.h"

#include "data/data.h"

static const double six[] = {1, 2, 3, 4, 5, 6};

/* ---- dense ---- */

static void dense_data_borrows_the_callers_array(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    int64_t ld;
    OK(env, rkhs_data_dense(env, six, 2, 2, 3, &x));
    assert_ptr_equal(rkhs_data_values(x, &ld), six);
    assert_int_equal(ld, 3);
    assert_string_equal(rkhs_data_kind(x), "dense");
    assert_int_equal(rkhs_data_rows(x), 2);
    assert_int_equal(rkhs_data_columns(x), 2);
    assert_null(rkhs_data_labels(x));
    assert_null(rkhs_data_codes(x, NULL));
    rkhs_data_free(x);
    rkhs_data_free(NULL);
}

static void floats_are_borrowed(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    float v[] = {0.5f, 1.5f, 99, 2.5f, NAN, 99};
    rkhs_data *x;
    FAILS(env, RKHS_ERR_DATA, "row 2 | column 2 | NaN", rkhs_data_float(env, v, 2, 2, 3, &x));
    v[4] = 3.5f;
    OK(env, rkhs_data_float(env, v, 2, 2, 3, &x));
    int64_t ld;
    double row[2];
    assert_ptr_equal(rkhs_data_floats(x, &ld), v);
    assert_int_equal(ld, 3);
    assert_null(rkhs_data_values(x, NULL));
    assert_int_equal(rkhs_data_row(x, 1, row), 1);
    assert_true(row[0] == 2.5 && row[1] == 3.5);
    rkhs_data_free(x);
    v[1] = -INFINITY;
    FAILS(env, RKHS_ERR_DATA, "row 1 | column 2 | is -inf", rkhs_data_float(env, v, 2, 2, 3, &x));
    assert_null(rkhs_data_floats(NULL, NULL));
}

static void bad_arrays_are_refused_with_the_place(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x = (rkhs_data *)1;
    double v[] = {1, 2, 3, 4, NAN, 6};
    FAILS(env, RKHS_ERR_ARGUMENT, "NULL", rkhs_data_dense(env, NULL, 1, 1, 1, &x));
    assert_null(x);
    FAILS(env, RKHS_ERR_DATA, "0 rows and 3 columns", rkhs_data_dense(env, v, 0, 3, 3, &x));
    FAILS(env, RKHS_ERR_DATA, "2 rows and 0 columns", rkhs_data_dense(env, v, 2, 0, 3, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "ld is 2 | 3 columns", rkhs_data_dense(env, v, 2, 3, 2, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "more than this machine can address", rkhs_data_dense(env, v, INT64_MAX, 1, 1, &x));
    FAILS(env, RKHS_ERR_DATA, "row 2 | column 2 | NaN", rkhs_data_dense(env, v, 2, 3, 3, &x));
    v[4] = -INFINITY;
    FAILS(env, RKHS_ERR_DATA, "is -inf", rkhs_data_dense(env, v, 2, 3, 3, &x));
    v[4] = -1.5e150;
    FAILS(env, RKHS_ERR_DATA, "is -1.5e+150, past 1e150", rkhs_data_dense(env, v, 2, 3, 3, &x));
    v[4] = 1e150;
    OK(env, rkhs_data_dense(env, v, 2, 3, 3, &x));
    rkhs_data_free(x);
    assert_int_equal(rkhs_data_dense(NULL, v, 2, 3, 3, &x), RKHS_ERR_ARGUMENT);
    assert_int_equal(rkhs_data_dense(env, v, 2, 3, 3, NULL), RKHS_ERR_ARGUMENT);
    assert_int_equal(rkhs_data_rows(NULL), 0);
    assert_null(rkhs_data_values(NULL, NULL));
}

/* Keeps the last sentence and counts them. */
typedef struct heard {
    int count;
    char last[512];
} heard;

static void hear(rkhs_log_level level, const char *sentence, void *payload) {
    heard *h = payload;
    h->count += level == RKHS_LOG_ADVICE;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

static void columns_of_very_different_ranges_get_one_line_of_advice(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    heard h = {0, ""};
    rkhs_data *x;
    static const double apart[] = {0, 7, 1000, 1, 5, 7, 0, 2, 3, 7, 500, 3}, near[] = {0, 0, 7, 1, 99, 7};
    rkhs_env_set_log(env, hear, &h);
    OK(env, rkhs_data_dense(env, apart, 3, 4, 4, &x));
    x->type->advise(env, x);
    assert_int_equal(h.count, 1);
    assert_true(says(h.last, "column 3 | 1e+03 | column 4 | only 2"));
    rkhs_data_free(x);
    OK(env, rkhs_data_dense(env, near, 2, 3, 3, &x)); /* 99-fold, and a constant column */
    x->type->advise(env, x);
    assert_int_equal(h.count, 1);
    env->allocations = 0;
    env->fail_at = 0;
    x->type->advise(env, x);
    env->fail_at = -1;
    assert_string_equal(rkhs_env_message(env), "");
    rkhs_data_free(x);
}

/* ---- subsets and labels ---- */

static void a_subset_has_the_rows_and_their_labels(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *part;
    static const int64_t index[] = {2, 0, 2}, bad[] = {0, 3};
    static const char *const words[] = {"b", "a", "b"};
    OK(env, rkhs_data_dense(env, six, 3, 1, 2, &x));
    OK(env, rk_labels_from_words(env, words, 3, &x->labels));
    OK(env, rkhs_data_subset(x, index, 3, &part));
    const double *v = rkhs_data_values(part, NULL);
    assert_true(v[0] == 5 && v[1] == 1 && v[2] == 5);
    assert_int_equal(rkhs_data_codes(rkhs_data_labels(part), NULL)[1], 0);
    assert_string_equal(rkhs_data_class_name(rkhs_data_labels(part), 1), "a");
    rkhs_data_free(part);
    FAILS(env, RKHS_ERR_ARGUMENT, "row 1 | is 3 | 0 to 2", rkhs_data_subset(x, bad, 2, &part));
    FAILS(env, RKHS_ERR_ARGUMENT, "no rows", rkhs_data_subset(x, index, 0, &part));
    rkhs_data_free(x);
}

static void words_become_codes_in_order_of_appearance_integers_ascending(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const words[] = {"dog", "cat", "dog", "-"}, *const numbers[] = {"10", "-2", "9", "10"},
                             *const mixed[] = {"10", "9", "010"};
    static const int64_t expect[] = {2, 0, 1, 2};
    rkhs_data *y;
    OK(env, rk_labels_from_words(env, words, 4, &y));
    assert_string_equal(rkhs_data_class_name(y, 0), "dog");
    assert_string_equal(rkhs_data_class_name(y, 2), "-");
    assert_null(rkhs_data_class_name(y, 3));
    assert_null(rkhs_data_class_name(y, -1));
    rkhs_data_free(y);
    OK(env, rk_labels_from_words(env, numbers, 4, &y));
    assert_memory_equal(rkhs_data_codes(y, NULL), expect, sizeof expect);
    assert_string_equal(rkhs_data_class_name(y, 0), "-2");
    rkhs_data_free(y);
    OK(env, rk_labels_from_words(env, mixed, 3, &y));
    assert_string_equal(rkhs_data_class_name(y, 0), "10");
    rkhs_data_free(y);
}

static void many_classes_are_kept_apart(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 20000 };
    char(*text)[16] = calloc(N, sizeof *text);
    const char **words = calloc(N, sizeof *words);
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "w%d", i % (N / 2));
        words[i] = text[i];
    }
    rkhs_data *y;
    int64_t classes;
    OK(env, rk_labels_from_words(env, words, N, &y));
    const int64_t *codes = rkhs_data_codes(y, &classes);
    assert_int_equal(classes, N / 2);
    for (int i = 0; i < N; i++) assert_string_equal(rkhs_data_class_name(y, codes[i]), text[i]);
    rkhs_data_free(y);
    free(text);
    free(words);
}

static void classes_without_names_are_called_by_their_digits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t codes[] = {0, 11, 3}, bad[] = {0, 12};
    static const char *const holes[] = {"a", NULL};
    rkhs_data *y;
    int64_t classes;
    OK(env, rkhs_data_classes(env, codes, 3, NULL, 12, &y));
    assert_string_equal(rkhs_data_kind(y), "labels");
    assert_string_equal(rkhs_data_class_name(y, 11), "11");
    rkhs_data_codes(y, &classes);
    assert_int_equal(classes, 12);
    rkhs_data_free(y);
    FAILS(env, RKHS_ERR_DATA, "label 2 | 12 | 0 to 11", rkhs_data_classes(env, bad, 2, NULL, 12, &y));
    FAILS(env, RKHS_ERR_ARGUMENT, "class 1 has no name", rkhs_data_classes(env, codes, 1, holes, 2, &y));
    FAILS(env, RKHS_ERR_ARGUMENT, "no codes", rkhs_data_classes(env, NULL, 3, NULL, 2, &y));
}

/* ---- views ---- */

static void a_square_matrix_is_seen_as_a_gram_of_training_objects(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *view;
    const rkhs_data *use;
    OK(env, rkhs_data_dense(env, six, 2, 2, 3, &x));
    OK(env, rk_data_coerce(env, x, RK_KIND_DENSE, "the kernel rbf", &use, &view));
    assert_ptr_equal(use, x);
    assert_null(view);
    OK(env, rk_data_coerce(env, x, RK_KIND_GRAM, "the kernel precomputed", &use, &view));
    assert_ptr_equal(use, view);
    const rk_gram_rows *g = view->self;
    assert_ptr_equal(g->values, six);
    assert_int_equal(g->ld, 3);
    assert_int_equal(g->index[1], 1);
    assert_null(rkhs_data_values(view, NULL));
    rkhs_data_free(view);
    rkhs_data_free(x);
    OK(env, rkhs_data_dense(env, six, 3, 2, 2, &x));
    OK(env, rk_data_coerce(env, x, RK_KIND_GRAM, "the kernel precomputed", &use, &view));
    assert_null(((const rk_gram_rows *)view->self)->index);
    rkhs_data_free(view);
    rkhs_data_free(x);
}

static void the_wrong_kind_is_refused_by_name(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t codes[] = {0, 1};
    rkhs_data *y, *view;
    const rkhs_data *use;
    OK(env, rkhs_data_classes(env, codes, 2, NULL, 2, &y));
    FAILS(env, RKHS_ERR_DATA, "rbf | dense | not labels", rk_data_coerce(env, y, RK_KIND_DENSE, "the kernel rbf", &use, &view));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_DATA, "both | dense | gram | not labels",
          rk_data_coerce(env, y, RK_KIND_DENSE | RK_KIND_GRAM, "the kernel both", &use, &view));
    assert_null(use);
    assert_null(view);
    rkhs_data_free(y);
}

/* ---- saving ---- */

/* Saves and loads. */
static void round_trip(rkhs_env *env, const rkhs_data *x, rkhs_data **back) {
    rk_archive *a;
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_data_save(x, a, "kept/"));
    OK(env, rk_archive_write(a, "x.rkhs"));
    rk_archive_free(a);
    OK(env, rk_archive_read(env, "x.rkhs", &a));
    OK(env, rk_data_load(env, a, "kept/", back));
    rk_archive_free(a);
    assert_string_equal(rkhs_data_kind(x), rkhs_data_kind(*back));
    assert_int_equal(rkhs_data_rows(x), rkhs_data_rows(*back));
    assert_int_equal(rkhs_data_columns(x), rkhs_data_columns(*back));
}

static void every_kind_is_saved_and_loaded(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *back, *view;
    const rkhs_data *use;
    static const int64_t codes[] = {2, 0, 1}, pick[] = {1, 1, 0};
    static const char *const names[] = {"a", "new\nline", "c"};
    OK(env, rkhs_data_dense(env, six, 2, 2, 3, &x)); /* packed on the way */
    round_trip(env, x, &back);
    assert_true(rkhs_data_values(back, NULL)[2] == 4);
    rkhs_data_free(back);
    OK(env, rk_data_coerce(env, x, RK_KIND_GRAM, "k", &use, &view));
    rkhs_data *part;
    OK(env, rkhs_data_subset(view, pick, 3, &part));
    assert_true(((const rk_gram_rows *)part->self)->values[2 * 2] == 1);
    round_trip(env, part, &back);
    const rk_gram_rows *g = back->self;
    assert_null(g->values);
    assert_memory_equal(g->index, pick, sizeof pick);
    rkhs_data_free(part);
    OK(env, rkhs_data_subset(back, pick, 2, &part)); /* of indices alone */
    assert_int_equal(((const rk_gram_rows *)part->self)->index[0], 1);
    rkhs_data_free(part);
    rkhs_data_free(back);
    rkhs_data_free(view);
    rkhs_data_free(x);
    OK(env, rkhs_data_classes(env, codes, 3, names, 3, &x));
    round_trip(env, x, &back);
    for (int64_t c = 0; c < 3; c++) assert_string_equal(rkhs_data_class_name(back, c), names[c]);
    assert_memory_equal(rkhs_data_codes(back, NULL), codes, sizeof codes);
    rkhs_data_free(back);
    rkhs_data_free(x);
}

/* An archive with these arrays does not load. */
static void not_loaded(rkhs_env *env, rk_archive *a, const char *words) {
    rkhs_data *x;
    OK(env, rk_archive_write(a, "bad.rkhs"));
    rk_archive_free(a);
    OK(env, rk_archive_read(env, "bad.rkhs", &a));
    FAILS(env, RKHS_ERR_FORMAT, words, rk_data_load(env, a, "", &x));
    assert_null(x);
    rk_archive_free(a);
    rk_begin_call(env);
}

static void arrays_that_contradict_each_other_are_not_loaded(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t out[] = {0, 5}, ends[] = {3, 1};
    rk_archive *a;
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_archive_put_text(a, "kind", "poem"));
    not_loaded(env, a, "data of the kind 'poem'");
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_archive_put_text(a, "kind", "dense"));
    not_loaded(env, a, "the array 'values' is missing");
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_archive_put_text(a, "kind", "dense"));
    OK(env, rk_archive_put(a, "values", &(rk_array){'d', 2, {0, 3}, NULL}));
    not_loaded(env, a, "'values' is empty");
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_archive_put_text(a, "kind", "gram"));
    OK(env, rk_archive_put_int(a, "columns", 5));
    OK(env, rk_archive_put(a, "index", &(rk_array){'q', 1, {2}, out}));
    not_loaded(env, a, "names object 5 of 5");
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_archive_put_text(a, "kind", "labels"));
    OK(env, rk_archive_put(a, "codes", &(rk_array){'q', 1, {1}, out}));
    OK(env, rk_archive_put_text(a, "names", "abc"));
    OK(env, rk_archive_put(a, "ends", &(rk_array){'q', 1, {2}, ends}));
    not_loaded(env, a, "names in 'names' are damaged");
}

/* ---- samples ---- */

static void circles_are_three_rings(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double radius[] = {2, 8, 16};
    int64_t count[3] = {0};
    rkhs_data *x, *again;
    OK(env, rkhs_data_sample(env, "circles(noise=0)", &x));
    assert_int_equal(rkhs_data_rows(x), 380);
    const double *v = rkhs_data_values(x, NULL);
    const int64_t *codes = rkhs_data_codes(rkhs_data_labels(x), NULL);
    for (int i = 0; i < 380; i++) {
        NEAR(hypot(v[2 * i], v[2 * i + 1]), radius[codes[i]], 1e-12);
        count[codes[i]]++;
    }
    assert_int_equal(count[0], 80);
    assert_int_equal(count[1], 110);
    assert_int_equal(count[2], 190);
    OK(env, rkhs_data_sample(env, "circles(noise=0)", &again));
    assert_memory_equal(rkhs_data_values(again, NULL), v, 760 * sizeof *v);
    rkhs_data_free(again);
    rkhs_env_set_seed(env, 1);
    OK(env, rkhs_data_sample(env, "circles(noise=0)", &again));
    assert_memory_not_equal(rkhs_data_values(again, NULL), v, 760 * sizeof *v);
    rkhs_data_free(again);
    rkhs_data_free(x);
}

static void the_swiss_roll_is_a_roll_in_four_quarters(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    OK(env, rkhs_data_sample(env, "swiss_roll", &x));
    assert_int_equal(rkhs_data_rows(x), 2000);
    assert_int_equal(rkhs_data_columns(x), 3);
    const double *v = rkhs_data_values(x, NULL);
    const int64_t *codes = rkhs_data_codes(rkhs_data_labels(x), NULL);
    for (int i = 0; i < 2000; i++, v += 3) {
        double t = hypot(v[0], v[2]);
        NEAR(v[0], t * cos(t), 1e-10);
        assert_true(v[1] > 0 && v[1] < 21);
        assert_int_equal(codes[i], (int64_t)(4 * (t / (1.5 * M_PI) - 1) / 2));
    }
    rkhs_data_free(x);
}

static void cubes_are_clusters_at_corners(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    int64_t classes;
    OK(env, rkhs_data_sample(env, "cubes(n=64, dim=4, noise=0.01)", &x));
    assert_int_equal(rkhs_data_columns(x), 4);
    const int64_t *codes = rkhs_data_codes(rkhs_data_labels(x), &classes);
    assert_int_equal(classes, 16);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 4; j++) NEAR(rkhs_data_values(x, NULL)[4 * i + j], (double)(codes[i] >> j & 1), 0.1);
    rkhs_data_free(x);
}

static void samples_out_of_bounds_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    FAILS(env, RKHS_ERR_SPEC, "cirles", rkhs_data_sample(env, "cirles", &x));
    FAILS(env, RKHS_ERR_SPEC, "n", rkhs_data_sample(env, "circles(n=0)", &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "no sample", rkhs_data_sample(env, NULL, &x));
    rkhs_env_set_memory(env, 1 << 20);
    FAILS(env, RKHS_ERR_MEMORY, "the sample needs", rkhs_data_sample(env, "circles(n=100000000)", &x));
    assert_null(x);
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t pick[] = {1, 0};
    for (int64_t k = 0;; k++) {
        rkhs_data *x = NULL, *part = NULL, *back = NULL;
        rk_archive *a = NULL;
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = rkhs_data_sample(env, "cubes(n=8)", &x);
        if (status == RKHS_OK) status = rkhs_data_subset(x, pick, 2, &part);
        if (status == RKHS_OK) status = rk_archive_new(env, &a);
        if (status == RKHS_OK) status = rk_data_save(part, a, "x/");
        if (status == RKHS_OK) status = rk_data_save(part->labels, a, "y/");
        if (status == RKHS_OK) status = rk_data_load(env, a, "x/", &back);
        rkhs_data_free(back);
        back = NULL;
        if (status == RKHS_OK) status = rk_data_load(env, a, "y/", &back);
        env->fail_at = -1;
        rkhs_data_free(back);
        rkhs_data_free(part);
        rkhs_data_free(x);
        rk_archive_free(a);
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) break;
        assert_int_equal(status, RKHS_ERR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(dense_data_borrows_the_callers_array),
        FILES_TEST(floats_are_borrowed),
        FILES_TEST(bad_arrays_are_refused_with_the_place),
        FILES_TEST(columns_of_very_different_ranges_get_one_line_of_advice),
        FILES_TEST(a_subset_has_the_rows_and_their_labels),
        FILES_TEST(words_become_codes_in_order_of_appearance_integers_ascending),
        FILES_TEST(many_classes_are_kept_apart),
        FILES_TEST(classes_without_names_are_called_by_their_digits),
        FILES_TEST(a_square_matrix_is_seen_as_a_gram_of_training_objects),
        FILES_TEST(the_wrong_kind_is_refused_by_name),
        FILES_TEST(every_kind_is_saved_and_loaded),
        FILES_TEST(arrays_that_contradict_each_other_are_not_loaded),
        FILES_TEST(circles_are_three_rings),
        FILES_TEST(the_swiss_roll_is_a_roll_in_four_quarters),
        FILES_TEST(cubes_are_clusters_at_corners),
        FILES_TEST(samples_out_of_bounds_are_refused),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
