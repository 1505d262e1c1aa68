/* Strings as data, and the files that they come from: lines, FASTA, a column of a table. */
#include "files.h"

#include <zlib.h>

#include "data/data.h"

/* The strings are these. */
static void are(const rkhs_data *x, const char *const *expected, int64_t n) {
    assert_string_equal(rkhs_data_kind(x), "string");
    assert_int_equal(rkhs_data_rows(x), n);
    assert_int_equal(rkhs_data_columns(x), 1);
    for (int64_t i = 0; i < n; i++) {
        int64_t length = -1;
        const char *s = rkhs_data_string(x, i, &length);
        assert_non_null(s);
        assert_string_equal(s, expected[i]);
        assert_int_equal(length, strlen(expected[i]));
    }
}

static rkhs_status read_text(rkhs_env *env, const char *path, const char *text, const char *format, const char *kernel,
                             rkhs_data **x) {
    rkhs_kernel *k = NULL;
    put_text(path, text);
    if (kernel) OK(env, rkhs_kernel_new(env, kernel, &k));
    rkhs_status status = rkhs_data_read_for(env, path, format, k, x);
    char message[1024];
    snprintf(message, sizeof message, "%s", rkhs_env_message(env));
    rkhs_kernel_free(k);
    return status;
}

static void reads(rkhs_env *env, const char *path, const char *text, const char *format, const char *kernel,
                  const char *const *expected, int64_t n) {
    rkhs_data *x;
    OK(env, read_text(env, path, text, format, kernel, &x));
    are(x, expected, n);
    rkhs_data_free(x);
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

static void strings_are_copied_with_any_bytes(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *part;
    char first[] = "one";
    const char *strings[] = {first, "", "three\0and more", NULL};
    const int64_t lengths[] = {3, 0, 14, 0}, index[] = {2, 0, 2};
    int64_t length;
    OK(env, rkhs_data_strings(env, strings, lengths, 4, &x));
    first[0] = 'x';
    assert_string_equal(rkhs_data_string(x, 0, NULL), "one");
    assert_string_equal(rkhs_data_string(x, 3, &length), "");
    assert_int_equal(length, 0);
    assert_memory_equal(rkhs_data_string(x, 2, &length), "three\0and more", 15);
    assert_int_equal(length, 14);
    assert_null(rkhs_data_string(x, 4, NULL));
    assert_null(rkhs_data_string(x, -1, NULL));
    assert_null(rkhs_data_values(x, &length));
    OK(env, rkhs_data_subset(x, index, 3, &part));
    assert_string_equal(rkhs_data_string(part, 1, NULL), "one");
    assert_memory_equal(rkhs_data_string(part, 2, &length), "three\0and more", 15);
    rkhs_data_free(part);
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "data of no strings", rkhs_data_strings(env, strings, NULL, 0, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "string 4 | null | pointer", rkhs_data_strings(env, strings, NULL, 4, &x));
    FAILS(env, RKHS_ERR_DATA, "string 1 | -1 bytes", rkhs_data_strings(env, strings, (int64_t[]){-1}, 1, &x));
    FAILS(env, RKHS_ERR_DATA, "has 2147483647 bytes", rkhs_data_strings(env, strings, (int64_t[]){INT32_MAX}, 1, &x));
    OK(env, rkhs_data_dense(env, (double[]){1}, 1, 1, 1, &x));
    assert_null(rkhs_data_string(x, 0, NULL));
    rkhs_data_free(x);
}

static rkhs_status save_arrays(rkhs_env *env, const int64_t *starts, int64_t count, const char *bytes, int64_t length) {
    rk_archive *a;
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_archive_put_text(a, "x/kind", "string"));
    OK(env, rk_archive_put(a, "x/starts", &(rk_array){'q', 1, {count}, starts}));
    OK(env, rk_archive_put(a, "x/bytes", &(rk_array){'S', 1, {length}, bytes}));
    rkhs_status status = rk_archive_write(a, "s.npz");
    rk_archive_free(a);
    return status;
}

static rkhs_status load_arrays(rkhs_env *env, rkhs_data **x) {
    rk_archive *a;
    *x = NULL;
    OK(env, rk_archive_read(env, "s.npz", &a));
    rkhs_status status = rk_data_load(env, a, "x/", x);
    rk_archive_free(a);
    return status;
}

static void a_file_gives_back_the_same_strings(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    const char *strings[] = {"", "two\n", "\0\0", ""};
    const int64_t lengths[] = {0, 4, 2, 0};
    rkhs_data *x, *y;
    rk_archive *a;
    OK(env, rkhs_data_strings(env, strings, lengths, 4, &x));
    OK(env, rk_archive_new(env, &a));
    OK(env, rk_data_save(x, a, "x/"));
    OK(env, rk_archive_write(a, "s.npz"));
    rk_archive_free(a);
    OK(env, load_arrays(env, &y));
    const rk_strings *s = x->self, *t = y->self;
    assert_int_equal(y->rows, 4);
    assert_memory_equal(t->starts, s->starts, 5 * sizeof *s->starts);
    assert_memory_equal(t->bytes, s->bytes, (size_t)s->starts[4]);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

static void arrays_that_do_not_fit_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    static const struct {
        int64_t starts[3], count, length;
        const char *bytes;
    } bad[] = {
        {{0, 3, 5}, 3, 5, "ab\0c\n"},           /* the end mark is missing */
        {{0, 3, 5}, 3, 6, "ab\0c\0x"},          /* another end mark */
        {{1, 3, 5}, 3, 6, "ab\0c\0\n"},         /* does not begin at 0 */
        {{0, 3, 6}, 3, 6, "ab\0c\0\n"},         /* past the end */
        {{0, 3, 3}, 3, 4, "ab\0\n"},            /* a string without its zero */
        {{0, 6, 5}, 3, 6, "ab\0c\0\n"},         /* back */
        {{0, INT64_MAX, 5}, 3, 6, "ab\0c\0\n"}, /* far out */
        {{0, INT64_MIN, 5}, 3, 6, "ab\0c\0\n"},
        {{0, 2, 5}, 3, 6, "ab\0c\0\n"}, /* no zero where one should be */
        {{0, 0, 0}, 1, 1, "\n"},        /* none at all */
        {{0, 0, 0}, 3, 1, "\n"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        OK(env, save_arrays(env, bad[i].starts, bad[i].count, bad[i].bytes, bad[i].length));
        FAILS(env, RKHS_ERR_FORMAT, "strings | 'x/'", load_arrays(env, &x));
    }
    OK(env, save_arrays(env, (int64_t[]){0, 3, 5}, 3, "ab\0c\0\n", 6));
    OK(env, load_arrays(env, &x));
    are(x, (const char *[]){"ab", "c"}, 2);
    rkhs_data_free(x);
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

static void a_line_is_a_string(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const three[] = {"one two", "", "\"three\""};
    reads(env, "a.txt", "one two\n\n\"three\"\n", NULL, "ssk", three, 3);
    reads(env, "a.txt", "one two\r\n\r\n\"three\"", NULL, "ssk", three, 3);
    reads(env, "a.txt", "\xef\xbb\xbfone two\n\n\"three\"", NULL, NULL, three, 3);
    reads(env, "a.dat", "one two\n\n\"three\"", "lines", NULL, three, 3);
    reads(env, "a.txt", "\n", NULL, "ssk", (const char *[]){""}, 1);
    reads(env, "a.txt", " a\rb \n\n", NULL, "ssk", (const char *[]){" a\rb ", ""}, 2);
    gzFile out = gzopen("a.txt.gz", "wb");
    gzputs(out, "one two\n\n\"three\"\n");
    gzclose(out);
    rkhs_data *x, *y;
    OK(env, rkhs_data_read(env, "a.txt.gz", NULL, &x));
    are(x, three, 3);
    OK(env, rkhs_data_write(x, "b.txt", NULL));
    OK(env, rkhs_data_read(env, "b.txt", NULL, &y));
    are(y, three, 3);
    rkhs_data_free(y);
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "a.txt: the file is empty", read_text(env, "a.txt", "", NULL, "ssk", &x));
    put_bytes("z.txt", "a\nb\0c\n", 6);
    FAILS(env, RKHS_ERR_FORMAT, "z.txt | line 2 | zero", rkhs_data_read(env, "z.txt", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "a.txt | text | UTF-16",
          read_text(env, "a.txt",
                    "\xff\xfe"
                    "a",
                    NULL, "ssk", &x));
    OK(env, rkhs_data_strings(env, (const char *[]){"a", "b\nc"}, NULL, 2, &x));
    FAILS(env, RKHS_ERR_DATA, "c.txt | string 2 | line end", rkhs_data_write(x, "c.txt", NULL));
    FAILS(env, RKHS_ERR_DATA, "string data cannot be written", rkhs_data_write(x, "c.npy", NULL));
    rkhs_data_free(x);
    put_text("y.txt", "cat\ndog\ncat\n");
    OK(env, rkhs_data_read_labels(env, "y.txt", "lines", &x));
    assert_int_equal(rkhs_data_codes(x, NULL)[2], 0);
    rkhs_data_free(x);
}

/* A .txt file is a table or lines: the kernel says, else its first lines. */
static void the_kernel_or_the_first_lines_decide_what_txt_is(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const struct {
        const char *text, *kernel, *kind;
    } cases[] = {
        {"1 2\n3 4\n", NULL, "dense"},
        {"1 2\n3 4\n", "ssk", "string"},
        {"1 2\n3 4\n", "rbf", "dense"},
        {"a b\n3 4\n", NULL, "dense"},
        {"a b\n3 4\n", "ssk", "string"},
        {"a b\nc d\n", NULL, "string"},
        {"a b\n3 4 5\n", NULL, "string"},
        {"1,2;x\n", NULL, "string"},
        {"1.5e3;-2\r\n3;4\r\n", NULL, "dense"},
        {"\n1 2\n", NULL, "string"},
        {"hello", NULL, "string"},
        {"7", NULL, "dense"},
        {"7", "spectrum + words", "string"},
        {"\xef\xbb\xbf"
         "1,2\n",
         NULL, "dense"},
        {"x,y\n1,2", NULL, "dense"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rkhs_data *x;
        OK(env, read_text(env, "a.txt", cases[i].text, NULL, cases[i].kernel, &x));
        if (strcmp(rkhs_data_kind(x), cases[i].kind) != 0)
            fail_msg("'%s' with %s is %s", cases[i].text, cases[i].kernel ? cases[i].kernel : "no kernel", rkhs_data_kind(x));
        rkhs_data_free(x);
    }
    /* A first line longer than what is looked at. */
    static char text[20001];
    rkhs_data *x;
    memset(text, '7', 20000);
    OK(env, read_text(env, "a.txt", text, NULL, NULL, &x));
    assert_string_equal(rkhs_data_kind(x), "string"); /* one field of which no end is seen tells nothing */
    rkhs_data_free(x);
    for (int i = 0; i < 20000; i += 2) memcpy(text + i, i % 10000 == 9998 ? "7\n" : "7 ", 2);
    OK(env, read_text(env, "a.txt", text, NULL, NULL, &x));
    assert_string_equal(rkhs_data_kind(x), "dense");
    rkhs_data_free(x);
}

/* ---- FASTA ----------------------------------------------------------------------------------------------------- */

static void lines_of_a_sequence_are_joined(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const two[] = {"ACGTACGT", "TTGG*"}, *const kept[] = {"ACGTACGT", "ttGG*"};
    rkhs_data *x;
    reads(env, "a.fa", ">one\nACGT\nACGT\n>two\nttGG*\n", "fasta(case=keep)", NULL, kept,
          2); /* small letters may mark repeats */
    reads(env, "a.fa", ">one\nACGT\nACGT\n>two\nttGG*\n", NULL, NULL, two, 2);
    reads(env, "a.fasta", "; remark\r\n\r\n>one\r\nAC GT\r\n;more\r\nA\tCGT\r\n\r\n>two\r\nttGG*", NULL, "ssk", two, 2);
    reads(env, "a.fna", ">x\n>y\n", NULL, NULL, (const char *[]){"", ""}, 2);
    reads(env, "a.faa", "\xef\xbb\xbf>x a>b\nA>C\n", NULL, NULL, (const char *[]){"A>C"}, 1);
    OK(env, read_text(env, "a.fa", ">s1|dog big\nAC\n>s2 cat small\nGT\n>s3|dog\nA\n", "fasta(label=2)", NULL, &x));
    assert_string_equal(rkhs_data_class_name(rkhs_data_labels(x), 0), "dog");
    assert_string_equal(rkhs_data_class_name(rkhs_data_labels(x), 1), "cat");
    assert_int_equal(rkhs_data_codes(rkhs_data_labels(x), NULL)[2], 0);
    are(x, (const char *[]){"AC", "GT", "A"}, 3);
    rkhs_data_free(x);
    OK(env, rkhs_data_read_labels(env, "a.fa", NULL, &x));
    assert_string_equal(rkhs_data_class_name(x, 2), "s3");
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "a.fa | line 3 | header | 1 word | label=2",
          read_text(env, "a.fa", ">a b\nAC\n>c\n", "fasta(label=2)", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "a.fa | line 2 | FASTA | '>name'", read_text(env, "a.fa", "\nACGT\n>a\n", NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "a.fa: there is no record", read_text(env, "a.fa", "\n;\n", NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "a.fa: the file is empty", read_text(env, "a.fa", "", NULL, NULL, &x));
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static void a_column_of_a_table_can_be_the_strings(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const two[] = {"ACGT", "GG, \"x\""};
    static const char table[] = "id,sequence,class\n1,ACGT,cat\n2,\"GG, \"\"x\"\"\",dog\n";
    rkhs_data *x;
    reads(env, "a.csv", table, "csv(text=sequence)", NULL, two, 2);
    reads(env, "a.csv", table, "csv(text=1, label=class)", "ssk", two, 2);
    reads(env, "a.csv", table, "csv(label=-1)", "ssk", two, 2); /* the one that is no number */
    OK(env, read_text(env, "a.csv", table, "csv(label=class)", "ssk", &x));
    are(x, two, 2);
    assert_string_equal(rkhs_data_class_name(rkhs_data_labels(x), 1), "dog");
    rkhs_data_free(x);
    reads(env, "a.tsv", "spam\thello there\nham\tbye\n", "tsv(label=0)", "words", (const char *[]){"hello there", "bye"}, 2);
    reads(env, "a.csv", "one two\nthree\n", NULL, "words", (const char *[]){"one two", "three"}, 2);
    reads(env, "a.csv", "12\n13\n", NULL, "words", (const char *[]){"12", "13"}, 2);
    reads(env, "a.csv", "text\n12\n13\n", NULL, "words", (const char *[]){"12", "13"}, 2); /* a word over a number */
    reads(env, "a.csv", "a,1\n\"\",2\n", NULL, "words", (const char *[]){"a", ""}, 2);
    FAILS(env, RKHS_ERR_DATA, "a.csv | 2 columns | text | text=NAME", read_text(env, "a.csv", table, NULL, "ssk", &x));
    assert_string_equal(rkhs_env_hint(env), "format=csv(text=NAME)");
    FAILS(env, RKHS_ERR_DATA, "a.csv: no column is text", read_text(env, "a.csv", "1,2\n3,4\n", NULL, "ssk", &x));
    FAILS(env, RKHS_ERR_DATA, "'sequenc' | 'sequence'", read_text(env, "a.csv", table, "csv(text=sequenc)", "ssk", &x));
    FAILS(env, RKHS_ERR_DATA, "column 3 | strings", read_text(env, "a.csv", table, "csv(text=3)", "ssk", &x));
    FAILS(env, RKHS_ERR_DATA, "column 2 | strings | labels",
          read_text(env, "a.csv", table, "csv(text=class, label=class)", "ssk", &x));
    FAILS(env, RKHS_ERR_DATA, "line 3 | 2 fields | first",
          read_text(env, "a.csv", "id,sequence,class\n1,ACGT,cat\n2,x\n", "csv(text=sequence)", "ssk", &x));
    OK(env, read_text(env, "a.csv", table, "csv(text=sequence)", "rbf", &x)); /* as asked for; the kernel will refuse */
    assert_string_equal(rkhs_data_kind(x), "string");
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(strings_are_copied_with_any_bytes),
        FILES_TEST(a_file_gives_back_the_same_strings),
        FILES_TEST(arrays_that_do_not_fit_are_refused),
        FILES_TEST(a_line_is_a_string),
        FILES_TEST(the_kernel_or_the_first_lines_decide_what_txt_is),
        FILES_TEST(lines_of_a_sequence_are_joined),
        FILES_TEST(a_column_of_a_table_can_be_the_strings),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
