/* Labels that are not there: files, scores, ke and the kernel delta know them as unknown, and never as a class. */
#include "env.h"
#include "files.h"

#include "data/data.h"

enum { N = 60 };

/* ---- words and files ---- */

static void words_that_name_no_class_are_unknown(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const words[] = {"a", "?", "", "NA", "b", "N/A", "nan", "NaN", "a", "None", "-1"};
    static const int64_t expect[] = {0, -1, -1, -1, 1, -1, -1, -1, 0, 2, 3};
    rkhs_data *y;
    int64_t classes;
    OK(env, rk_labels_from_words(env, words, 11, &y));
    assert_memory_equal(rkhs_data_codes(y, &classes), expect, sizeof expect);
    assert_int_equal(classes, 4);
    assert_int_equal(rk_labels_count_known(y), 5);
    rkhs_data_free(y);
    OK(env, rk_labels_from_words(env, words + 1, 3, &y)); /* new objects need not have any */
    rkhs_data_codes(y, &classes);
    assert_int_equal(classes, 0);
    rkhs_data_free(y);
}

static void whole_numbers_stay_in_order_beside_unknown_ones(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const words[] = {"10", "?", "9"};
    static const int64_t expect[] = {1, -1, 0};
    rkhs_data *y;
    OK(env, rk_labels_from_words(env, words, 3, &y));
    assert_memory_equal(rkhs_data_codes(y, NULL), expect, sizeof expect);
    rkhs_data_free(y);
}

static void a_class_of_such_a_name_is_unknown_too(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const names[] = {"?", "cat", "NA", "dog"};
    static const int64_t codes[] = {1, 0, 3, 2, -1, 1}, expect[] = {0, -1, 1, -1, -1, 0}, wrong[] = {0, 4};
    rkhs_data *y;
    int64_t classes;
    OK(env, rkhs_data_classes(env, codes, 6, names, 4, &y));
    assert_memory_equal(rkhs_data_codes(y, &classes), expect, sizeof expect);
    assert_int_equal(classes, 2);
    assert_string_equal(rkhs_data_class_name(y, 1), "dog");
    rkhs_data_free(y);
    assert_int_equal(rkhs_data_classes(env, wrong, 2, names, 4, &y), RKHS_ERR_DATA);
    assert_null(y);
}

/* Reads labels and compares their codes. */
static void codes_are(rkhs_env *env, const char *path, const char *format, const int64_t *expect, int64_t n) {
    rkhs_data *y;
    OK(env, rkhs_data_read_labels(env, path, format, &y));
    assert_int_equal(rkhs_data_rows(y), n);
    assert_memory_equal(rkhs_data_codes(y, NULL), expect, (size_t)n * sizeof *expect);
    rkhs_data_free(y);
}

static void a_column_without_a_name_ahead_of_the_labels_is_left_out(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t expect[] = {0, 1, 0};
    rkhs_data *y;
    put_text("y.csv", ",kind\n0,a\n1,b\n2,a\n");
    codes_are(env, "y.csv", NULL, expect, 3);
    put_text("y.csv", "\"\",\"0\"\n\"r1\",a\n\"r2\",b\n\"r3\",a\n");
    codes_are(env, "y.csv", NULL, expect, 3);
    put_text("y.tsv", "Unnamed: 0\tkind\n0\t5\n0\t6\n1\t5\n");
    codes_are(env, "y.tsv", NULL, expect, 3);
    put_text("y.csv", "id,kind\n0,a\n1,b\n2,a\n");
    assert_int_equal(rkhs_data_read_labels(env, "y.csv", NULL, &y), RKHS_ERR_DATA);
    assert_true(says(rkhs_env_message(env), "y.csv | 2 columns | labels"));
}

static void every_format_reads_and_writes_them(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t codes[] = {0, -1, 1, -1};
    static const char *const paths[] = {"y.csv", "y.tsv", "y.npy"}, *const words[] = {"cat", "dog"};
    rkhs_data *y, *x;
    double v[] = {1, 2, 3, 4};
    for (int names = 0; names < 2; names++)
        for (int k = 0; k < 3; k++) {
            OK(env, rkhs_data_classes(env, codes, 4, names ? words : NULL, 2, &y));
            OK(env, rkhs_data_write(y, paths[k], NULL));
            codes_are(env, paths[k], NULL, codes, 4);
            rkhs_data_free(y);
        }
    OK(env, rkhs_data_dense(env, v, 4, 1, 1, &x));
    OK(env, rkhs_data_classes(env, codes, 4, words, 2, &x->labels));
    OK(env, rkhs_data_write(x, "x.svm", NULL));
    rkhs_data_free(x);
    codes_are(env, "x.svm", NULL, codes, 4);
    put_text("x.csv", "a,kind\n1,cat\n2,\n3,dog\n4,NA\n");
    codes_are(env, "x.csv", "csv(label=kind)", codes, 4);
    put_text("y.txt", "cat\n\ndog\n?\n");
    codes_are(env, "y.txt", NULL, codes, 4);
    put_text("x.fa", ">cat\nA\n>?\nC\n>dog\nG\n>NA\nT\n");
    codes_are(env, "x.fa", NULL, codes, 4);
}

static void nan_in_an_array_of_labels_is_unknown(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double values[] = {3, NAN, 7.5, NAN}, wrong[] = {3, INFINITY};
    static const int64_t codes[] = {0, -1, 1, -1};
    char header[RK_NPY_ROOM], bytes[RK_NPY_ROOM + sizeof values];
    size_t length = rk_npy_make_header(header, "<f8", 1, (int64_t[]){4});
    memcpy(bytes, header, length);
    memcpy(bytes + length, values, sizeof values);
    put_bytes("y.npy", bytes, length + sizeof values);
    codes_are(env, "y.npy", NULL, codes, 4);
    length = rk_npy_make_header(header, "<f8", 1, (int64_t[]){2});
    memcpy(bytes, header, length);
    memcpy(bytes + length, wrong, sizeof wrong);
    put_bytes("y.npy", bytes, length + sizeof wrong);
    rkhs_data *y;
    FAILS(env, RKHS_ERR_DATA, "y.npy | row 2 | inf", rkhs_data_read_labels(env, "y.npy", NULL, &y));
}

static void join_and_subset_keep_them(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t one[] = {0, -1}, two[] = {-1, 1};
    static const char *const a[] = {"x", "y"}, *const b[] = {"y", "x"};
    rkhs_data *parts[2], *all, *part;
    OK(env, rkhs_data_classes(env, one, 2, a, 2, &parts[0]));
    OK(env, rkhs_data_classes(env, two, 2, b, 2, &parts[1]));
    OK(env, rkhs_data_join(env, (const rkhs_data *const *)parts, 2, &all));
    assert_memory_equal(rkhs_data_codes(all, NULL), ((int64_t[]){0, -1, -1, 0}), 4 * sizeof(int64_t));
    OK(env, rkhs_data_subset(all, (int64_t[]){2, 3}, 2, &part));
    assert_memory_equal(rkhs_data_codes(part, NULL), ((int64_t[]){-1, 0}), 2 * sizeof(int64_t));
    rkhs_data *const own[] = {parts[0], parts[1], all, part};
    for (int i = 0; i < 4; i++) rkhs_data_free(own[i]);
}

/* ---- the kernel delta ---- */

static void delta_of_an_unknown_class_is_like_nothing(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t codes[] = {0, -1, -1, 0};
    static const double expect[] = {1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1};
    double K[16], Z[4];
    rkhs_kernel *k;
    rkhs_model *m, *again;
    rkhs_data *y;
    OK(env, rkhs_data_classes(env, codes, 4, NULL, 1, &y));
    OK(env, rkhs_kernel_new(env, "delta", &k));
    OK(env, rkhs_kernel_gram(k, y, NULL, K, 4));
    assert_memory_equal(K, expect, sizeof expect);
    OK(env, rkhs_model_new(env, "kpca(dim=1)", &m));
    OK(env, rkhs_model_fit(m, k, y, NULL, NULL));
    OK(env, rkhs_model_save(m, "m.rkhs"));
    OK(env, rkhs_model_load(env, "m.rkhs", &again));
    OK(env, rkhs_model_transform(again, y, Z, 1));
    assert_true(Z[1] == Z[2] && fabs(Z[0] - Z[1]) > 0.5);
    rkhs_model_free(again);
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(y);
}

/* ---- scores ---- */

typedef struct said {
    int count;
    char last[512];
} said;

static void hear(rkhs_log_level level, const char *sentence, void *payload) {
    said *s = payload;
    if (level != RKHS_LOG_ADVICE || !strstr(sentence, "label")) return;
    s->count++;
    snprintf(s->last, sizeof s->last, "%s", sentence);
}

/* Two clouds of points in a plane, with every third label unknown; rows are those that have one. */
static void make_points(double *Z, int64_t *codes, int64_t *rows, int64_t *known) {
    *known = 0;
    for (int64_t i = 0; i < N; i++) {
        codes[i] = i % 3 == 2 ? -1 : i % 2;
        Z[2 * i] = noise(1, (uint64_t)i) + (double)(i % 2);
        Z[2 * i + 1] = noise(2, (uint64_t)i);
        if (codes[i] >= 0) rows[(*known)++] = i;
    }
}

static void scores_leave_out_rows_without_a_label(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double Z[2 * N], value, expect;
    int64_t codes[N], rows[N], known;
    rkhs_data *z, *y, *some_z, *some_y;
    said s = {0};
    make_points(Z, codes, rows, &known);
    rkhs_env_set_log(env, hear, &s);
    OK(env, rkhs_data_dense(env, Z, N, 2, 2, &z));
    OK(env, rkhs_data_classes(env, codes, N, NULL, 2, &y));
    OK(env, rkhs_data_subset(z, rows, known, &some_z));
    OK(env, rkhs_data_subset(y, rows, known, &some_y));
    rkhs_type type;
    int tried = 0;
    for (int i = 0; rkhs_list_type("scores", i, &type); i++) {
        if (!type.needs_labels) continue;
        OK(env, rkhs_score(env, &type.name, 1, &(rkhs_score_input){.z = some_z, .labels = some_y}, &expect, NULL));
        assert_int_equal(s.count, 0);
        OK(env, rkhs_score(env, &type.name, 1, &(rkhs_score_input){.z = z, .labels = y}, &value, NULL));
        assert_int_equal(s.count, 1);
        assert_true(says(s.last, "20 of the 60 | rows | label"));
        assert_true(value == expect);
        s.count = 0;
        tried++;
        if (!type.takes_new) continue;
        OK(env, rkhs_score(env, &type.name, 1, &(rkhs_score_input){.z = z, .labels = y, .new_z = some_z, .new_labels = some_y},
                           &expect, NULL));
        OK(env, rkhs_score(env, &type.name, 1, &(rkhs_score_input){.z = some_z, .labels = some_y, .new_z = z, .new_labels = y},
                           &value, NULL));
        assert_true(value == expect);
        s.count = 0;
    }
    assert_true(tried >= 5);
    rkhs_data *const own[] = {z, y, some_z, some_y};
    for (int i = 0; i < 4; i++) rkhs_data_free(own[i]);
}

static void scores_of_no_labels_at_all_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double Z[] = {0, 1, 2};
    static const int64_t none[] = {-1, -1, -1};
    static const char *const knn[] = {"knn(k=1)"};
    rkhs_data *z, *y;
    double value;
    OK(env, rkhs_data_dense(env, Z, 3, 1, 1, &z));
    OK(env, rkhs_data_classes(env, none, 3, NULL, 0, &y));
    FAILS(env, RKHS_ERR_DATA, "no row has a label",
          rkhs_score(env, knn, 1, &(rkhs_score_input){.z = z, .labels = y}, &value, NULL));
    rkhs_data_free(z);
    rkhs_data_free(y);
}

/* ---- ke ---- */

/* The spread of the rows of class 2, of all three, around their mean, over that of all. */
static double spread_of_third(const double *Z, int64_t d) {
    double own = 0, all = 0;
    for (int64_t c = 0; c < d; c++) {
        double sum[2] = {0}, squares[2] = {0}, count[2] = {0};
        for (int64_t i = 0; i < N; i++)
            for (int k = 0; k < 1 + (i % 3 == 2); k++) {
                sum[k] += Z[i * d + c];
                squares[k] += Z[i * d + c] * Z[i * d + c];
                count[k]++;
            }
        all += squares[0] / count[0] - pow(sum[0] / count[0], 2);
        own += squares[1] / count[1] - pow(sum[1] / count[1], 2);
    }
    return own / all;
}

/* As a class of their own objects are drawn together; without a label they are not. */
static void ke_draws_unknown_objects_nowhere(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const specs[] = {"ke(label_weight=0.9)", "ke(label_weight=0.9, gram=nystrom(landmarks=40))"};
    double X[2 * N], spread[3];
    int64_t n, d;
    rkhs_data *x, *y[3] = {NULL};
    for (int64_t i = 0; i < 2 * N; i++) X[i] = noise(7, (uint64_t)i);
    OK(env, rkhs_data_dense(env, X, N, 2, 2, &x));
    for (int way = 0; way < 3; way++) {
        int64_t codes[N];
        for (int64_t i = 0; i < N; i++) codes[i] = i % 3 == 2 && way == 0 ? -1 : way == 2 ? 0 : i % 3;
        OK(env, rkhs_data_classes(env, codes, N, NULL, 3, &y[way]));
    }
    for (int t = 0; t < 2; t++) {
        for (int way = 0; way < 3; way++) {
            rkhs_model *m;
            OK(env, rkhs_model_new(env, specs[t], &m));
            OK(env, rkhs_model_fit(m, NULL, x, y[way], NULL));
            const double *Z = rkhs_model_embedding(m, &n, &d);
            spread[way] = spread_of_third(Z, d);
            rkhs_item item;
            int noted = 0;
            for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
                noted |= strcmp(item.name, "unlabelled") == 0 && item.values[0] == N / 3;
            assert_int_equal(noted, way == 0);
            rkhs_model_free(m);
        }
        if (!(spread[0] > 1.1 * spread[1] && spread[0] > spread[2]))
            fail_msg("unknown %g, a class %g, no labels %g", spread[0], spread[1], spread[2]);
    }
    for (int way = 0; way < 3; way++) rkhs_data_free(y[way]);
    rkhs_data_free(x);
    OK(env, rkhs_env_set_threads(env, 1)); /* lets the pool go */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(words_that_name_no_class_are_unknown),
        FILES_TEST(a_column_without_a_name_ahead_of_the_labels_is_left_out),
        FILES_TEST(whole_numbers_stay_in_order_beside_unknown_ones),
        FILES_TEST(every_format_reads_and_writes_them),
        FILES_TEST(nan_in_an_array_of_labels_is_unknown),
        FILES_TEST(join_and_subset_keep_them),
        FILES_TEST(delta_of_an_unknown_class_is_like_nothing),
        FILES_TEST(scores_leave_out_rows_without_a_label),
        FILES_TEST(scores_of_no_labels_at_all_are_refused),
        FILES_TEST(ke_draws_unknown_objects_nowhere),
        FILES_TEST(a_class_of_such_a_name_is_unknown_too),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
