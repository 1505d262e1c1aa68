/* SVMlight files: rows, labels, both bases, faults by line, writing, scikit-learn. */
#include "files.h"

#include <zlib.h>

#include "data/data.h"

static rkhs_status read_text(rkhs_env *env, const char *text, const char *format, rkhs_data **x) {
    put_text("t.svm", text);
    return rkhs_data_read(env, "t.svm", format, x);
}

static void refused(rkhs_env *env, const char *text, const char *format, rkhs_status code, const char *words) {
    rkhs_data *x;
    FAILS(env, code, words, read_text(env, text, format, &x));
}

/* Two rows, 1: column 0 is 0.5, column 2 is -2; 2: column 1 is 3e2. */
static void is_the_example(const rkhs_data *x, int64_t columns) {
    const rk_sparse *s = x->self;
    assert_string_equal(rkhs_data_kind(x), "sparse");
    assert_int_equal(rkhs_data_rows(x), 2);
    assert_int_equal(rkhs_data_columns(x), columns);
    assert_memory_equal(s->starts, ((int64_t[]){0, 2, 3}), 24);
    assert_memory_equal(s->columns, ((int32_t[]){0, 2, 1}), 12);
    assert_memory_equal(s->values, ((double[]){0.5, -2, 300}), 24);
}

static void every_dialect_reads_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const texts[] = {
        "1 1:0.5 3:-2\n-1 2:300\n",
        "+1 1:0.5 3:-2 # a remark: 7\n-1 2:3e2",
        "# a header\n\n1 qid:3 1:.5 3:-2.0\r\n\r\n-1 qid:4 2:300\r\n  \n# the end\n",
        "\t1.0\t1:0.5  3:-2 \n -1.00 2:300#",
        "1 0:0.5 2:-2\n-1 1:300\n",
        "\xef\xbb\xbf"
        "1 1:0.5 3:-2\n-1 2:300\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rkhs_data *x, *y;
        OK(env, read_text(env, texts[i], NULL, &x));
        is_the_example(x, 3);
        const rkhs_data *labels = rkhs_data_labels(x);
        assert_string_equal(rkhs_data_class_name(labels, 0), "-1"); /* whole numbers ascend */
        assert_string_equal(rkhs_data_class_name(labels, 1), "1");
        assert_int_equal(rkhs_data_codes(labels, NULL)[0], 1);
        rkhs_data_free(x);
        OK(env, rkhs_data_read_labels(env, "t.svm", NULL, &y));
        assert_int_equal(rkhs_data_codes(y, NULL)[1], 0);
        rkhs_data_free(y);
        gzFile out = gzopen("t.libsvm.gz", "wb");
        gzwrite(out, texts[i], (unsigned)strlen(texts[i]));
        gzclose(out);
        OK(env, rkhs_data_read(env, "t.libsvm.gz", NULL, &x));
        is_the_example(x, 3);
        rkhs_data_free(x);
    }
}

static void base_and_columns_can_be_said(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    OK(env, read_text(env, "1 1:0.5 3:-2\n-1 2:300\n", "svmlight(columns=100)", &x));
    is_the_example(x, 100);
    rkhs_data_free(x);
    OK(env, read_text(env, "1 1:5\n2 3:6\n", "svmlight(base=0)", &x));
    assert_int_equal(rkhs_data_columns(x), 4);
    assert_int_equal(((const rk_sparse *)x->self)->columns[0], 1);
    rkhs_data_free(x);
    OK(env, read_text(env, "1\n2\n", "svmlight(columns=3)", &x)); /* rows of zeros */
    assert_int_equal(rkhs_data_rows(x), 2);
    rkhs_data_free(x);
    refused(env, "1 1:5\n2 3:6\n", "svmlight(columns=2)", RKHS_ERR_DATA, "t.svm | line 2 | index 3 | column 3 | columns=2");
    refused(env, "1 0:5\n", "svmlight(base=1)", RKHS_ERR_DATA, "t.svm | index 0 | base=1");
    refused(env, "1 0:5\n", "svmlight(base=2)", RKHS_ERR_SPEC, "svmlight | base | auto | not 2");
    refused(env, "1 0:5\n", "svmlight(columns=-1)", RKHS_ERR_SPEC, "columns | at least 0");
    refused(env, "1\n2\n", NULL, RKHS_ERR_DATA, "t.svm | index:value");
}

static void labels_may_be_words_and_fractions(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    OK(env, read_text(env, "cat 1:1\n0.5 1:2\n1,3 1:3\ncat\n+x\n", NULL, &x));
    const rkhs_data *y = rkhs_data_labels(x);
    static const char *const names[] = {"cat", "0.5", "1,3", "cat", "+x"};
    for (int i = 0; i < 5; i++) assert_string_equal(rkhs_data_class_name(y, rkhs_data_codes(y, NULL)[i]), names[i]);
    rkhs_data_free(x);
}

static void faults_name_file_line_and_value(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    refused(env, "", NULL, RKHS_ERR_DATA, "t.svm: the file is empty");
    refused(env, "# nothing\n\n", NULL, RKHS_ERR_DATA, "t.svm: the file is empty");
    refused(env, "1 1:2\n1 3:1 2:1\n", NULL, RKHS_ERR_DATA, "t.svm | line 2 | index 2 | 3 | sort");
    refused(env, "1 1:2 1:2\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | index 1 | follows 1");
    refused(env, "1 1:2\n2:1\n", NULL, RKHS_ERR_DATA, "t.svm | line 2 | '2:1' | label");
    refused(env, "# c\n1 1:2 x\n", NULL, RKHS_ERR_DATA, "t.svm | line 2 | 'x' | index:value");
    refused(env, "1 -1:2\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '-1:2' | index:value");
    refused(env, "1 1 :2\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '1' | index:value");
    refused(env, "1 1:\n2 1:1\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '1:'");
    refused(env, "1 1:nan\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '1:nan'");
    refused(env, "1 1:2x\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '1:2x'");
    refused(env, "1 1:1e151\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '1:1e151' | 1e150");
    refused(env, "1 2147483647:1\n", NULL, RKHS_ERR_DATA, "t.svm | line 1 | '2147483647:1' | 2147483646");
    refused(env, "1 99999999999999999999999:1\n", NULL, RKHS_ERR_DATA, "t.svm: line 1: ");
    rkhs_data *x;
    put_bytes("t.svm", "1 1:1\n1 \0001:2\n", 14);
    FAILS(env, RKHS_ERR_FORMAT, "t.svm | line 2 | zero", rkhs_data_read(env, "t.svm", NULL, &x));
    assert_true(rkhs_env_memory_peak(env) < 1 << 20); /* a large index costs nothing */
}

static void what_is_written_reads_back(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double v[] = {0, 0.1, 0, 1e-20, 0, 0, -3, 0, 5};
    static const int64_t codes[] = {0, 1, 2};
    static const char *const names[] = {"a", "two words", "c"};
    rkhs_data *x, *back;
    size_t n;
    OK(env, rkhs_data_dense(env, v, 3, 3, 3, &x));
    OK(env, rkhs_data_classes(env, codes, 3, names, 3, &x->labels));
    OK(env, rkhs_data_write(x, "o.svm", NULL));
    FAILS(env, RKHS_ERR_DATA, "labels | svmlight", rkhs_data_write(x->labels, "y.svm", NULL));
    rkhs_data_free(x);
    char *text = get_bytes("o.svm", &n), *again;
    assert_string_equal(text, "a 2:0.1\n1 1:1e-20\nc 1:-3 3:5\n");
    OK(env, rkhs_data_read(env, "o.svm", NULL, &back));
    assert_int_equal(rkhs_data_columns(back), 3);
    OK(env, rkhs_data_write(back, "p.svm", NULL)); /* from sparse data */
    again = get_bytes("p.svm", &n);
    assert_string_equal(text, again);
    free(again);
    OK(env, rkhs_data_write(back, "p.svm", "svmlight(base=0)"));
    again = get_bytes("p.svm", &n);
    assert_string_equal(again, "a 1:0.1\n1 0:1e-20\nc 0:-3 2:5\n");
    free(again), free(text);
    rkhs_data_free(back);
}

static void scikit_learn_agrees(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    if (system("/usr/bin/python3 -c 'import sklearn.datasets' 2>/dev/null") != 0) skip();
    put_text("make.py", "import numpy as np, scipy.sparse as s\n"
                        "from sklearn.datasets import dump_svmlight_file\n"
                        "m = s.random(60, 40, 0.2, 'csr', random_state=0)\n"
                        "m.sort_indices()\n"
                        "y = np.arange(60) % 3\n"
                        "for base in (0, 1): dump_svmlight_file(m, y, f'{base}.svm', zero_based=base == 0, comment='made')\n"
                        "s.save_npz('m.npz', m)\n");
    assert_int_equal(system("/usr/bin/python3 make.py"), 0);
    rkhs_data *truth, *x;
    OK(env, rkhs_data_read(env, "m.npz", NULL, &truth));
    for (int base = 0; base < 2; base++) {
        OK(env, rkhs_data_read(env, base ? "1.svm" : "0.svm", "svmlight(columns=40)", &x));
        const rk_sparse *a = truth->self, *b = x->self;
        assert_memory_equal(a->starts, b->starts, 61 * sizeof *a->starts);
        assert_memory_equal(a->columns, b->columns, (size_t)a->starts[60] * sizeof *a->columns);
        for (int64_t q = 0; q < a->starts[60]; q++) NEAR(a->values[q], b->values[q], 1e-15); /* %.16g */
        assert_int_equal(rkhs_data_codes(rkhs_data_labels(x), NULL)[59], 2);
        rkhs_data_free(x);
    }
    rkhs_data_free(truth);
}

static void mutated_text_is_read_or_refused_never_a_crash(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const seeds[] = {"1 1:0.5 3:-2 # c\n-1 2:300\n", "a qid:1 0:1 7:2e5\r\nb 1:1", "1\n2\n+3.0 5:1\n"};
    static const char *const formats[] = {NULL, "svmlight(base=0)", "svmlight(columns=5)", "svmlight(base=1)"};
    static const char alphabet[] = "0123456789.: \t\n\r-+eExqid#\xff\0a";
    for (uint64_t round = 0; round < 12000; round++) {
        char text[256];
        uint64_t r[4];
        size_t n = strlen(seeds[round % 3]);
        memcpy(text, seeds[round % 3], n);
        for (uint64_t e = 0; e < 1 + round % 7; e++) {
            rk_random(23, RK_STREAM_TEST, round, e, r);
            size_t at = r[0] % (n + 1);
            char c = alphabet[r[1] % sizeof alphabet];
            if (r[2] % 3 == 0 && n < 200)
                memmove(text + at + 1, text + at, n - at), text[at] = c, n++;
            else if (r[2] % 3 == 1 && n > 1 && at < n)
                memmove(text + at, text + at + 1, n - at - 1), n--;
            else if (at < n)
                text[at] = c;
        }
        if (round % 16 == 0) n = r[3] % (n + 1); /* cut */
        put_bytes("t.svm", text, n);
        rkhs_data *x;
        for (int labels = 0; labels < 2; labels++) {
            const char *format = formats[round / 3 % 4];
            rkhs_status status =
                labels ? rkhs_data_read_labels(env, "t.svm", format, &x) : rkhs_data_read(env, "t.svm", format, &x);
            if (status == RKHS_OK)
                assert_true(rkhs_data_rows(x) > 0 && rkhs_data_columns(x) > 0);
            else if (status == RKHS_ERR_BUG || !says(rkhs_env_message(env), "t.svm: "))
                fail_msg("%s", rkhs_env_message(env));
            rkhs_data_free(x);
        }
    }
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int64_t k = 0;; k++) {
        rkhs_data *x;
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = read_text(env, "1 1:0.5 3:-2\n-1 2:300\n", NULL, &x);
        env->fail_at = -1;
        rkhs_data_free(x);
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) break;
        assert_int_equal(status, RKHS_ERR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(every_dialect_reads_the_same),
        FILES_TEST(base_and_columns_can_be_said),
        FILES_TEST(labels_may_be_words_and_fractions),
        FILES_TEST(faults_name_file_line_and_value),
        FILES_TEST(what_is_written_reads_back),
        FILES_TEST(scikit_learn_agrees),
        FILES_TEST(mutated_text_is_read_or_refused_never_a_crash),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
