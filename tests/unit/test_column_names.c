/* Names of columns: where they come from, that they are kept, and that data are matched by them. */
#include "env.h"
#include "files.h"

#include "data/data.h"

enum { N = 12, P = 3 };

typedef struct said {
    int count;
    char last[512];
} said;

static void hear(rkhs_log_level level, const char *sentence, void *payload) {
    said *s = payload;
    if (level != RKHS_LOG_ADVICE || (!strstr(sentence, ".csv: ") && !strstr(sentence, "left out"))) return;
    s->count++;
    snprintf(s->last, sizeof s->last, "%s", sentence);
}

/* A table whose columns are named by the letters of `order`: a, b and c are the data, others are numbers of their
 * own. `ahead` is what each line begins with; NULL: nothing. */
static void put_table(const char *path, const char *order, const char *header, const char *(*ahead)(int i)) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(header, out);
    for (const char *c = order; *c; c++) fprintf(out, "%c%c", *c, c[1] ? ',' : '\n');
    for (int i = 0; i < N; i++) {
        if (ahead) fputs(ahead(i), out);
        for (const char *c = order; *c; c++) fprintf(out, "%.17g%c", noise((uint64_t)*c, (uint64_t)i), c[1] ? ',' : '\n');
    }
    assert_int_equal(fclose(out), 0);
}

static const char *from_0(int i) {
    static char text[32];
    snprintf(text, sizeof text, "%d,", i);
    return text;
}

static const char *from_1(int i) {
    static char text[32];
    snprintf(text, sizeof text, "\"%d\",", i + 1);
    return text;
}

static const char *shuffled(int i) {
    static char text[32];
    snprintf(text, sizeof text, "%d,", i * 7 % 13 + 40);
    return text;
}

static const char *repeated(int i) {
    static char text[32];
    snprintf(text, sizeof text, "%d,", i / 2);
    return text;
}

static const char *halves(int i) {
    static char text[32];
    snprintf(text, sizeof text, "%g,", i + 0.5);
    return text;
}

/* A kernel PCA of a table, and its embedding of another. */
static rkhs_model *fit_table(rkhs_env *env, const char *path, const char *spec, const char *kernel) {
    rkhs_data *x;
    rkhs_model *m;
    rkhs_kernel *k;
    OK(env, rkhs_data_read(env, path, NULL, &x));
    OK(env, rkhs_kernel_new(env, kernel, &k));
    OK(env, rkhs_model_new(env, spec, &m));
    OK(env, rkhs_model_fit(m, k, x, NULL, NULL));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
    return m;
}

static rkhs_status embed(rkhs_env *env, const rkhs_model *m, const char *path, double *Z) {
    rkhs_data *x;
    OK(env, rkhs_data_read(env, path, NULL, &x));
    rkhs_status status = rkhs_model_transform(m, x, Z, 2);
    rkhs_data_free(x);
    return status;
}

static void a_first_column_that_numbers_the_rows_is_left_out_and_said(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const struct {
        const char *header;
        const char *(*ahead)(int i);
        int out;
    } tables[] = {{",", from_0, 1},   {"\"\",", from_1, 1}, {",", shuffled, 1}, {"Unnamed: 0,", from_0, 1},
                  {",", repeated, 0}, {",", halves, 0},     {"id,", from_0, 0}};
    rkhs_data *plain, *x;
    said s = {0};
    rkhs_env_set_log(env, hear, &s);
    put_table("plain.csv", "abc", "", NULL);
    OK(env, rkhs_data_read(env, "plain.csv", NULL, &plain));
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        put_table("t.csv", "abc", tables[t].header, tables[t].ahead);
        s.count = 0;
        OK(env, rkhs_data_read(env, "t.csv", NULL, &x));
        assert_int_equal(rkhs_data_columns(x), P + !tables[t].out);
        assert_int_equal(s.count, strncmp(tables[t].header, "id", 2) != 0); /* a column without a name is said too */
        if (s.count && !tables[t].out) assert_true(says(s.last, "t.csv | first | no name | kept"));
        if (tables[t].out) {
            assert_true(says(s.last, "t.csv | first | no name | left out"));
            assert_memory_equal(rkhs_data_values(x, NULL), rkhs_data_values(plain, NULL), N * P * sizeof(double));
            assert_string_equal(rkhs_data_column_name(x, 0), "a");
        }
        rkhs_data_free(x);
    }
    rkhs_data_free(plain);
}

/* Reads a text, and compares its shape and whether anything is said, with these words. */
static void reads_as(rkhs_env *env, const char *text, const char *format, int64_t rows, int64_t columns, const char *words) {
    said s = {0};
    rkhs_data *x;
    put_text("t.csv", text);
    rkhs_env_set_log(env, hear, &s);
    OK(env, rkhs_data_read(env, "t.csv", format, &x));
    rkhs_env_set_log(env, NULL, NULL);
    assert_int_equal(rkhs_data_rows(x), rows);
    assert_int_equal(rkhs_data_columns(x), columns);
    assert_int_equal(s.count, words != NULL);
    if (words) assert_true(says(s.last, words));
    rkhs_data_free(x);
}

static void numbers_that_pandas_gives_as_names_are_a_header(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    reads_as(env, ",0,1\n0,5,6\n1,7,8\n", NULL, 2, 2, "rows | left out");
    reads_as(env, "\"\",0,1\n\"0\",5,6\n\"1\",7,8\n", NULL, 2, 2, "rows | left out");
    reads_as(env, "0,1,2\n0.5,6,7\n5,6,7\n", NULL, 2, 3, "line 1 | 0 to 2 | names");
    reads_as(env, "0,1,2,3\n5,6,7,8\n5,6,7,9\n", NULL, 2, 4, "line 1 | 0 to 3 | names");
    reads_as(env, "0,1,2,3\n5,6,7,8\n", "csv(header=no)", 2, 4, NULL);
    reads_as(env, "0,1\n1,0\n1,1\n", NULL, 3, 2, "row | names | csv(header=yes)");
    reads_as(env, "0,1\n1,0\n1,1\n", "csv(header=yes)", 2, 2, NULL);
    reads_as(env, "0,1,3\n0.5,6,7\n", NULL, 2, 3, NULL);
    reads_as(env, "0\n0.5\n", NULL, 2, 1, NULL);
    reads_as(env, "0,1,2\n", NULL, 1, 3, NULL);
}

static void numbers_of_objects_are_no_header_and_no_numbering(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    said s = {0};
    rkhs_data *x;
    put_text("t.csv", "0,1,2\n1,2,3\n2,3,4\n3,4,5\n4,5,6\n");
    rkhs_env_set_log(env, hear, &s);
    OK(env, rkhs_data_read_index(env, "t.csv", NULL, 7, &x));
    assert_int_equal(rkhs_data_rows(x), 5);
    assert_int_equal(s.count, 0);
    rkhs_data_free(x);
}

static void an_empty_first_field_over_a_row_without_is_a_missing_value(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    put_text("t.csv", ",0.5,1\n3,4,5\n");
    FAILS(env, RKHS_ERR_DATA, "line 1 | column 1 | missing | csv(header=yes)", rkhs_data_read(env, "t.csv", NULL, &x));
}

static void a_first_column_that_counts_the_rows_without_a_header_is_said(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    reads_as(env, "0,5\n1,6\n2,7\n3,9\n4,1\n", NULL, 5, 2, "first | counts | kept");
    reads_as(env, "1,5\n2,6\n3,7\n4,9\n5,1\n", NULL, 5, 2, "first | counts | kept");
    reads_as(env, "1,5\n2,6\n3,7\n4,9\n4,1\n", NULL, 5, 2, NULL);
    reads_as(env, "1\n2\n3\n4\n5\n", NULL, 5, 1, NULL);
}

static void numbers_alone_are_data(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    put_text("t.csv", "0,5\n1,6\n2,7\n");
    OK(env, rkhs_data_read(env, "t.csv", NULL, &x));
    assert_int_equal(rkhs_data_columns(x), 2);
    assert_null(rkhs_data_column_name(x, 0));
    rkhs_data_free(x);
    put_text("t.csv", ",kind\n0,5\n1,6\n2,7\n"); /* nothing would be left */
    OK(env, rkhs_data_read(env, "t.csv", "csv(label=kind)", &x));
    assert_int_equal(rkhs_data_columns(x), 1);
    rkhs_data_free(x);
}

static void the_report_says_what_was_left_out(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_item item;
    int found = 0;
    put_table("t.csv", "abc", ",", from_0);
    rkhs_model *m = fit_table(env, "t.csv", "kpca", "rbf");
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) found |= strcmp(item.name, "ignored_column") == 0;
    assert_true(found);
    rkhs_model_free(m);
}

static void labels_beside_names_are_no_column(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    put_text("t.csv", ",a,kind,b\n0,1,x,2\n1,3,y,4\n");
    OK(env, rkhs_data_read(env, "t.csv", "csv(label=kind)", &x));
    assert_int_equal(rkhs_data_columns(x), 2);
    assert_string_equal(rkhs_data_column_name(x, 0), "a");
    assert_string_equal(rkhs_data_column_name(x, 1), "b");
    assert_null(rkhs_data_column_name(x, 2));
    assert_null(rkhs_data_column_name(x, -1));
    rkhs_data_free(x);
}

/* Fitted, saved, loaded and copied models place a table by the names of its columns; some kernels see other kinds of
 * data. */
static void columns_in_another_order_are_matched_by_name(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const specs[] = {"kpca", "kpca(gram=nystrom(landmarks=6))"}, *const kernels[] = {
                                                                                        "rbf(sigma=1)",
                                                                                        "rbf(sigma=1)[0:2] + linear[2]",
                                                                                        "standardize(rbf)"};
    double Z[N * 2], T[N * 2];
    put_table("t.csv", "abc", "", NULL);
    put_table("other.csv", "cab", "", NULL);
    for (int t = 0; t < 6; t++) {
        rkhs_model *m = fit_table(env, "t.csv", specs[t % 2], kernels[t / 2]), *again, *copy;
        OK(env, rkhs_model_save(m, "m.rkhs"));
        OK(env, rkhs_model_load(env, "m.rkhs", &again));
        OK(env, rkhs_model_copy(again, &copy));
        OK(env, embed(env, m, "t.csv", Z));
        rkhs_model *const all[] = {m, again, copy};
        for (int k = 0; k < 3; k++) {
            OK(env, embed(env, all[k], "other.csv", T));
            assert_memory_equal(T, Z, sizeof Z);
            assert_string_equal(rkhs_data_column_name(rkhs_model_reference_objects(all[k], NULL), 2), "c");
            rkhs_model_free(all[k]);
        }
    }
}

static void extra_columns_are_left_out_and_named(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double Z[N * 2], T[N * 2];
    said s = {0};
    put_table("t.csv", "abc", "", NULL);
    put_table("more.csv", "xcaybz", "", NULL);
    rkhs_model *m = fit_table(env, "t.csv", "kpca", "rbf(sigma=1)");
    rkhs_env_set_log(env, hear, &s);
    OK(env, embed(env, m, "t.csv", Z));
    assert_int_equal(s.count, 0);
    OK(env, embed(env, m, "more.csv", T));
    assert_memory_equal(T, Z, sizeof Z);
    assert_int_equal(s.count, 1);
    assert_true(says(s.last, "'x' | 'y' | 'z' | left out"));
    rkhs_model_free(m);
}

static void missing_columns_are_refused_by_name(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double Z[N * 2];
    put_table("t.csv", "abcdefg", "", NULL);
    put_table("one.csv", "gfedca", "", NULL);
    put_table("few.csv", "cxyzuvw", "", NULL); /* as many, of which one is the same */
    put_table("two.csv", "gfeddcba", "", NULL);
    rkhs_model *m = fit_table(env, "t.csv", "kpca", "rbf(sigma=1)");
    FAILS(env, RKHS_ERR_DATA, "there is no column 'b'", embed(env, m, "one.csv", Z));
    FAILS(env, RKHS_ERR_DATA, "'a' | 'b' | 'd' | 'e' | 2 more", embed(env, m, "few.csv", Z));
    FAILS(env, RKHS_ERR_DATA, "name | 'd' | twice", embed(env, m, "two.csv", Z));
    rkhs_model_free(m);
}

static void without_names_columns_are_matched_by_place(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double Z[N * 2], T[N * 2], X[N * P];
    int64_t ld;
    rkhs_data *x, *bare;
    put_table("t.csv", "abc", "", NULL);
    rkhs_model *m = fit_table(env, "t.csv", "kpca", "rbf(sigma=1)");
    OK(env, embed(env, m, "t.csv", Z));
    OK(env, rkhs_data_read(env, "t.csv", NULL, &x));
    memcpy(X, rkhs_data_values(x, &ld), sizeof X);
    OK(env, rkhs_data_dense(env, X, N, P, P, &bare));
    OK(env, rkhs_model_transform(m, bare, T, 2));
    assert_memory_equal(T, Z, sizeof Z);
    FAILS(env, RKHS_ERR_ARGUMENT, "column 1 has no name",
          rkhs_data_set_column_names(bare, (const char *const[]){"c", NULL, "a"}));
    OK(env, rkhs_data_set_column_names(bare, (const char *const[]){"c", "b", "a"}));
    OK(env, rkhs_model_transform(m, bare, T, 2));
    assert_memory_not_equal(T, Z, sizeof Z);
    OK(env, rkhs_data_set_column_names(bare, NULL));
    OK(env, rkhs_model_transform(m, bare, T, 2));
    assert_memory_equal(T, Z, sizeof Z);
    rkhs_data_free(bare);
    rkhs_data_free(x);
    rkhs_model_free(m);
}

/* Sparse rows, joined rows, two sides of a Gram. */
static void whatever_is_compared_or_joined_is_matched(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double values[] = {1, 2, 3, 4};
    static const int32_t columns[] = {0, 2, 1, 2};
    static const int64_t starts[] = {0, 2, 4};
    double K[4], turned[4], D[6] = {2, 0, 1, 4, 3, 0} /* c, b, a */, row[] = {9, 8, 7};
    rkhs_data *a, *b, *all;
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, "linear", &k));
    OK(env, rkhs_data_csr(env, values, columns, starts, 2, 3, &a));
    OK(env, rkhs_data_set_column_names(a, (const char *const[]){"a", "b", "c"}));
    OK(env, rkhs_data_dense(env, D, 2, 3, 3, &b));
    OK(env, rkhs_data_set_column_names(b, (const char *const[]){"c", "b", "a"}));
    OK(env, rkhs_kernel_gram(k, a, NULL, K, 2));
    OK(env, rkhs_kernel_gram(k, a, b, turned, 2));
    assert_memory_equal(turned, K, sizeof K);
    OK(env, rkhs_kernel_gram(k, b, a, turned, 2));
    assert_memory_equal(turned, K, sizeof K);
    FAILS(env, RKHS_ERR_DATA, "cannot be joined", rkhs_data_join(env, (const rkhs_data *const[]){b, a}, 2, &all));
    rkhs_data_free(a);
    OK(env, rkhs_data_dense(env, row, 1, 3, 3, &a));
    OK(env, rkhs_data_set_column_names(a, (const char *const[]){"a", "c", "b"}));
    OK(env, rkhs_data_join(env, (const rkhs_data *const[]){b, a}, 2, &all));
    assert_memory_equal(rkhs_data_values(all, NULL) + 6, ((double[]){8, 7, 9}), 3 * sizeof(double));
    assert_string_equal(rkhs_data_column_name(all, 0), "c");
    rkhs_data *const own[] = {a, b, all};
    for (int i = 0; i < 3; i++) rkhs_data_free(own[i]);
    rkhs_kernel_free(k);
}

static void names_are_for_columns_of_numbers(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    OK(env, rkhs_data_strings(env, (const char *const[]){"x", "y"}, NULL, 2, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "not of string data", rkhs_data_set_column_names(x, (const char *const[]){"a"}));
    rkhs_data_free(x);
    assert_int_equal(rkhs_data_set_column_names(NULL, NULL), RKHS_ERR_ARGUMENT);
    assert_null(rkhs_data_column_name(NULL, 0));
}

/* An archive of dense data with these names and ends. */
static rkhs_status load_names(rkhs_env *env, const char *names, const int64_t *ends, int64_t count, rkhs_data **x) {
    static const double four[] = {1, 2, 3, 4};
    rk_archive *archive;
    rkhs_data *own;
    OK(env, rkhs_data_dense(env, four, 2, 2, 2, &own));
    OK(env, rk_archive_new(env, &archive));
    OK(env, rk_data_save(own, archive, "kept/"));
    OK(env, rk_archive_put_text(archive, "kept/column_names", names));
    if (ends) OK(env, rk_archive_put_copy(archive, "kept/column_ends", &(rk_array){'q', 1, {count}, ends}));
    OK(env, rk_archive_write(archive, "names.npz"));
    rk_archive_free(archive);
    rkhs_data_free(own);
    OK(env, rk_archive_read(env, "names.npz", &archive));
    rkhs_status status = rk_data_load(env, archive, "kept/", x);
    rk_archive_free(archive);
    return status;
}

static void names_in_a_file_are_checked(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    OK(env, load_names(env, "width", (int64_t[]){4, 5}, 2, &x));
    assert_string_equal(rkhs_data_column_name(x, 0), "widt");
    assert_string_equal(rkhs_data_column_name(x, 1), "h");
    rkhs_data_free(x);
    OK(env, load_names(env, "", (int64_t[]){0, 0}, 2, &x));
    assert_string_equal(rkhs_data_column_name(x, 1), "");
    rkhs_data_free(x);
    static const int64_t wrong[][3] = {{5, 4, 5}, {2, 6, 6}, {-1, 5, 5}, {2, 4, 4}, {5, INT64_MIN, 5}};
    for (int i = 0; i < 5; i++) FAILS(env, RKHS_ERR_FORMAT, "are damaged", load_names(env, "width", wrong[i], 2, &x));
    FAILS(env, RKHS_ERR_FORMAT, "3 names for 2 columns", load_names(env, "width", (int64_t[]){1, 2, 5}, 3, &x));
    FAILS(env, RKHS_ERR_FORMAT, "0 names for 2 columns", load_names(env, "", (int64_t[]){1}, 0, &x));
    assert_int_equal(load_names(env, "width", NULL, 0, &x), RKHS_ERR_FORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(a_first_column_that_numbers_the_rows_is_left_out_and_said),
        FILES_TEST(numbers_that_pandas_gives_as_names_are_a_header),
        FILES_TEST(numbers_of_objects_are_no_header_and_no_numbering),
        FILES_TEST(an_empty_first_field_over_a_row_without_is_a_missing_value),
        FILES_TEST(a_first_column_that_counts_the_rows_without_a_header_is_said),
        FILES_TEST(numbers_alone_are_data),
        FILES_TEST(the_report_says_what_was_left_out),
        FILES_TEST(labels_beside_names_are_no_column),
        FILES_TEST(columns_in_another_order_are_matched_by_name),
        FILES_TEST(extra_columns_are_left_out_and_named),
        FILES_TEST(missing_columns_are_refused_by_name),
        FILES_TEST(without_names_columns_are_matched_by_place),
        FILES_TEST(whatever_is_compared_or_joined_is_matched),
        FILES_TEST(names_are_for_columns_of_numbers),
        FILES_TEST(names_in_a_file_are_checked),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
