/* Text tables: numbers to the last bit, every dialect, and a sentence for every fault. */
#include "files.h"

#include <locale.h>

#include "io/io.h"

/* Reads text as a file t.csv. */
static rkhs_status read_text(rkhs_env *env, const char *text, const char *format, rkhs_data **x) {
    put_text("t.csv", text);
    return rkhs_data_read(env, "t.csv", format, x);
}

/* The text reads as rows x columns with these values. */
static void reads_as(rkhs_env *env, const char *text, const char *format, int64_t rows, int64_t columns, const double *values) {
    rkhs_data *x;
    OK(env, read_text(env, text, format, &x));
    assert_int_equal(rkhs_data_rows(x), rows);
    assert_int_equal(rkhs_data_columns(x), columns);
    int64_t ld;
    const double *got = rkhs_data_values(x, &ld);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) assert_true(got[i * ld + j] == values[i * columns + j]);
    rkhs_data_free(x);
}

/* The text is refused with these words. */
static void refused(rkhs_env *env, const char *text, const char *format, rkhs_status code, const char *words) {
    rkhs_data *x;
    FAILS(env, code, words, read_text(env, text, format, &x));
    assert_null(x);
}

/* ---- numbers ---- */

/* rk_parse_decimal and strtod agree to the bit. */
static void agree(const char *text) {
    double value = -1, wanted = strtod(text, NULL);
    const char *end = text + strlen(text);
    if (rk_parse_decimal(text, end, &value) != end) fail_msg("'%s' is not read whole", text);
    if (memcmp(&value, &wanted, 8) != 0) fail_msg("'%s' gave %.17g, not %.17g", text, value, wanted);
}

static void numbers_are_read_to_the_last_bit(void **state) {
    char text[64];
    for (uint64_t i = 0; i < 60000; i++) {
        uint64_t r[4];
        rk_random(7, RK_STREAM_TEST, i, 0, r);
        double value;
        memcpy(&value, &r[0], 8);
        if (!isfinite(value)) continue;
        for (size_t f = 0; f < 3; f++) {
            snprintf(text, sizeof text, f == 0 ? "%.17g" : f == 1 ? "%.18e" : "%.25e", value); /* any exponent */
            agree(text);
        }
        double common = ldexp((double)(int64_t)r[1], -50 - (int)(r[2] % 20));
        for (int digits = 0; digits < 25; digits += 4) {
            snprintf(text, sizeof text, "%.*g", digits + 1, common);
            agree(text);
            snprintf(text, sizeof text, "%.*f", digits, common);
            agree(text);
            snprintf(text, sizeof text, "%.*e", digits, common);
            agree(text);
        }
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)r[3], (int)(r[2] % 640) - 320);
        agree(text);
    }
}

static void hard_numbers_are_read_to_the_last_bit(void **state) {
    static const char *const hard[] = {"0",
                                       "-0",
                                       "+1",
                                       "1.",
                                       ".5",
                                       "-.5e1",
                                       "00012",
                                       "0.00000000000000000000000000000012345678901234567",
                                       "1e22",
                                       "1e23",
                                       "8.5e22",
                                       "9007199254740993",
                                       "9007199254740992.5",
                                       "9007199254740993.0000000000000000000000000001",
                                       "0.500000000000000166533453693773481063544750213623046875",
                                       "2.2250738585072011e-308",
                                       "2.2250738585072014e-308",
                                       "5e-324",
                                       "2.4703282292062327e-324",
                                       "1.7976931348623157e308",
                                       "1.7976931348623159e308",
                                       "1e400",
                                       "1e-400",
                                       "0e999999999999",
                                       "123456789012345678901234567890",
                                       "6.02214076e23",
                                       "1.00000000000000011102230246251565404236316680908203125",
                                       "1.00000000000000011102230246251565404236316680908203124",
                                       "1.00000000000000011102230246251565404236316680908203126",
                                       "7.2057594037927933e16",
                                       "36028797018963967",
                                       "36028797018963969",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "9223372036854775807e-19",
                                       "4503599627370496.5",
                                       "4503599627370497.5",
                                       "1234567812345678123",
                                       "12345678.12345678",
                                       "1234567.8",
                                       "0.12345678",
                                       "-99999999999999999999e-30"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) agree(hard[i]);
}

static void halfway_cases_round_to_even(void **state) {
    char text[400];
    for (uint64_t i = 0; i < 20000; i++) { /* exactly between two doubles, in as many digits as it takes */
        uint64_t r[4];
        rk_random(9, RK_STREAM_TEST, i, 0, r);
        uint64_t m = (uint64_t)1 << 52 | r[0] >> 12;
        int shift = (int)(r[1] % 11);
        __extension__ unsigned __int128 half = ((unsigned __int128)m * 2 + 1) << shift;
        uint64_t top = (uint64_t)(half / 10000000000u), rest = (uint64_t)(half % 10000000000u);
        snprintf(text, sizeof text, "%llu%010llu", (unsigned long long)top, (unsigned long long)rest);
        agree(text);
        snprintf(text, sizeof text, "%llu%s", (unsigned long long)(m >> 4), i % 2 ? ".0625" : ".5");
        agree(text);
    }
}

static void what_is_no_number_is_not_read(void **state) {
    static const char *const bad[] = {"", "-", ".", "e5", "abc", "inf", "nan", "+-1", " 1"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(rk_parse_decimal(bad[i], bad[i] + strlen(bad[i]), &value));
    const char *hex = "0x1p4", *half = "1e", *sign = "2e+";
    assert_ptr_equal(rk_parse_decimal(hex, hex + 5, &value), hex + 1);
    assert_ptr_equal(rk_parse_decimal(half, half + 2, &value), half + 1);
    assert_ptr_equal(rk_parse_decimal(sign, sign + 3, &value), sign + 1);
}

/* ---- dialects ---- */

static void every_dialect_reads_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double v[] = {1, 2.5, -3e-2, 4};
    static const char *const texts[] = {
        "1,2.5\n-3e-2,4\n",
        "1,2.5\n-3e-2,4",
        "1,2.5\r\n-3e-2,4\r\n",
        "1,2.5\r-3e-2,4\r",
        ("\xef\xbb\xbf"
         "1,2.5\n-3e-2,4\n"), /* in two, or \xbf would go on */
        "a,b\n1,2.5\n-3e-2,4\n",
        "\xef\xbb\xbf\"a\",\"b,\n\"\"c\"\n1,2.5\n-3e-2,4\n",
        "1 , 2.5\n -3e-2 ,\t4 \n",
        "\"1\",\"2.5\"\n\"-3e-2\",4\n",
        "1;2.5\n-3e-2;4\n",
        "1\t2.5\n-3e-2\t4\n",
        "1 2.5\n-3e-2 4\n",
        "  1    2.5  \n -3e-2\t4\n",
        "1,2.5\n-3e-2,4\n\n\n",
        "1,2.5\n-3e-2,4\n   \n\x1a",
        "x y\n1 2.5\n-3e-2 4\n",
        "+1,2.50\n-.03,4.\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) reads_as(env, texts[i], NULL, 2, 2, v);
    reads_as(env, "1,2.5\n-3e-2,4\n", "csv(header=no)", 2, 2, v);
    reads_as(env, "8,9\n1,2.5\n-3e-2,4\n", "csv(header=yes)", 2, 2, v);
    reads_as(env, "a,2\n1,2.5\n-3e-2,4\n", "csv(header=yes)", 2, 2, v);
    reads_as(env, "1;2.5\n-3e-2;4\n", "csv(delimiter=semicolon)", 2, 2, v);
    reads_as(env, "1\t2.5\n-3e-2\t4\n", "tsv", 2, 2, v);
    reads_as(env, "1\n2.5\n-3e-2\n4\n", NULL, 4, 1, v);
    reads_as(env, "x\n1\n2.5\n-3e-2\n4", NULL, 4, 1, v);
    reads_as(env, "1,2.5,-3e-2,4", NULL, 1, 4, v);
}

static void endings_decide_the_format(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    put_text("a.tsv", "x y\tz\n1\t2\n");
    OK(env, rkhs_data_read(env, "a.tsv", NULL, &x));
    assert_int_equal(rkhs_data_columns(x), 2);
    rkhs_data_free(x);
    put_text("a.TXT", "1 2 3\n");
    OK(env, rkhs_data_read(env, "a.TXT", NULL, &x));
    assert_int_equal(rkhs_data_columns(x), 3);
    rkhs_data_free(x);
    put_text("a.dat", "1 2 3\n");
    FAILS(env, RKHS_ERR_FORMAT, "a.dat | .dat | .txt | .csv | .tsv | .npy | .npz | .idx",
          rkhs_data_read(env, "a.dat", NULL, &x));
    put_text("noending.gz", "1 2 3\n");
    FAILS(env, RKHS_ERR_FORMAT, "noending.gz | ending", rkhs_data_read(env, "noending.gz", NULL, &x));
    FAILS(env, RKHS_ERR_IO, "none.dat | No such file", rkhs_data_read(env, "none.dat", NULL, &x));
    FAILS(env, RKHS_ERR_SPEC, "csw", rkhs_data_read(env, "a.dat", "csw", &x));
    FAILS(env, RKHS_ERR_SPEC, "delimiter", rkhs_data_read(env, "a.dat", "csv(delimiter=bar)", &x));
    OK(env, rkhs_data_read(env, "a.dat", "csv", &x));
    rkhs_data_free(x);
}

static void a_comma_locale_changes_nothing(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double v[] = {1.5, 0.1234567890123456789012345};
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) return; /* not installed here */
    reads_as(env, "1.5,0.1234567890123456789012345\n", NULL, 1, 2, v);
    setlocale(LC_ALL, "C");
}

/* ---- faults ---- */

static void faults_name_file_line_column_value_and_remedy(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    refused(env, "", NULL, RKHS_ERR_DATA, "t.csv | empty");
    refused(env, "\n\n  \n", NULL, RKHS_ERR_DATA, "t.csv: the file is empty");
    refused(env, "\xef\xbb\xbf", NULL, RKHS_ERR_DATA, "t.csv: the file is empty");
    refused(env, "a,b\n", NULL, RKHS_ERR_DATA, "t.csv | header | row");
    refused(env, "length,width\n1,2\n3,\n", NULL, RKHS_ERR_DATA, "t.csv | line 3 | column 2 | 'width' | missing | ''");
    refused(env, "1,2\nNA,4\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | column 1 | missing | 'NA'");
    refused(env, "1,2\n3,nan\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | column 2 | missing | 'nan'");
    refused(env, "1,?\n3,4\n", NULL, RKHS_ERR_DATA, "t.csv | line 1 | column 2 | missing | '?'");
    refused(env, "1,2\n3,-Inf\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | column 2 | infinite | '-Inf'");
    refused(env, "1,2\n1e400,4\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | column 1 | 1e400 | 1e150");
    refused(env, "1,2\n3,0x10\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | column 2 | '0x10' | number");
    refused(env, "1,2\n3,4 5\n", NULL, RKHS_ERR_DATA, "line 2 | column 2 | '4 5' | number");
    refused(env, "1,2\n3,\x01zz\n", NULL, RKHS_ERR_DATA, "is '\\x01zz', not a number");
    refused(env, "1,2\n3,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", NULL, RKHS_ERR_DATA,
            "is 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...', not a number");
    refused(env, "a,b,c,d,e\n1,2,3,4,5\n1,2,3,4\n", NULL, RKHS_ERR_DATA, "t.csv | line 3 | 4 fields | first | 5");
    refused(env, "1,2\n1,2,3,4\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | 4 fields | first");
    refused(env, "1,2\n1,2,\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | 3 fields | first");
    refused(env, "1,2\n7\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | 1 field | first");
    refused(env, "1,2\n\n3,4\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | empty | rows");
    refused(env, "1\n\n2\n", NULL, RKHS_ERR_DATA, "t.csv | line 2 | column 1 | missing");
    refused(env, "a,b\n1,\"2\n3,4\n", NULL, RKHS_ERR_FORMAT, "t.csv | line 2 | quote | opened | closed");
    refused(env, "a,b\n1,\"2\"3\n", NULL, RKHS_ERR_FORMAT, "t.csv | line 2 | text | quote");
    refused(env, "\"a\nb\",c\n1,2\n3,x\n", NULL, RKHS_ERR_DATA, "t.csv | line 4 | column 2 | 'c' | 'x'");
    refused(env, "\x93NUMPY\x01", NULL, RKHS_ERR_FORMAT, "t.csv | NumPy | text");
    refused(env,
            "\xff\xfe"
            "1",
            NULL, RKHS_ERR_FORMAT, "UTF-16");
    rkhs_data *x;
    put_bytes("t.csv", "1,2\n3,\0\n", 8);
    FAILS(env, RKHS_ERR_FORMAT, "t.csv | line 2 | zero", rkhs_data_read(env, "t.csv", NULL, &x));
}

static void a_short_row_under_a_wide_header_is_ragged_not_a_crash(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    refused(env, "a,b,c,d,e,f,g,h,i,j,k,l\n1,2", NULL, RKHS_ERR_DATA, "line 2 | 2 fields | first | 12");
    refused(env, ",,,,,,,,,,,,,,,,,,,,,,\n\n\n\n\n\n\n\n1", NULL, RKHS_ERR_DATA, "line 1 | column 1 | missing");
}

/* ---- labels ---- */

static void a_column_can_be_the_labels(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const formats[] = {"csv(label=kind)", "csv(label=1)", "csv(label=-2)", "csv(label=\"kind\")"};
    for (int i = 0; i < 4; i++) {
        rkhs_data *x;
        int64_t classes, ld;
        OK(env, read_text(env, "a,kind,b\n1,\"red, dark\",2\n3,blue,4\n5,\"red, dark\",6\n", formats[i], &x));
        assert_int_equal(rkhs_data_columns(x), 2);
        assert_true(rkhs_data_values(x, &ld)[5] == 6);
        const rkhs_data *y = rkhs_data_labels(x);
        const int64_t *codes = rkhs_data_codes(y, &classes);
        assert_int_equal(classes, 2);
        assert_int_equal(codes[0], 0);
        assert_int_equal(codes[1], 1);
        assert_int_equal(codes[2], 0);
        assert_string_equal(rkhs_data_class_name(y, 0), "red, dark");
        rkhs_data_free(x);
    }
    rkhs_data *x; /* text in the label column alone is no header */
    OK(env, read_text(env, "1,red\n2,blue\n", "csv(label=-1)", &x));
    assert_int_equal(rkhs_data_rows(x), 2);
    rkhs_data_free(x);
    refused(env, "a,kind\n1,x\n", "csv(label=kin)", RKHS_ERR_DATA, "t.csv | 'kin' | 'kind'");
    refused(env, ",a\n1,2\n", "csv(label=y)", RKHS_ERR_DATA, "'y' | 'a'");
    refused(env, ",long\n1,2\n", "csv(label=y)", RKHS_ERR_DATA, "'y' | line 1");
    refused(env, "a,kind\n1,x\n", "csv(label=2)", RKHS_ERR_DATA, "t.csv | column 2 | labels | columns | 0 to 1");
    refused(env, "a,kind\n1,x\n", "csv(label=-3)", RKHS_ERR_DATA, "there is no column -3");
    refused(env, "kind\nx\n", "csv(label=kind)", RKHS_ERR_DATA, "t.csv | labels | column");
    refused(env, "a,kind\n1,x\n", "csv(label=kind, header=no)", RKHS_ERR_SPEC, "header=no");
}

/* The labels of a text: their names one after another. */
static const char *label_names(rkhs_env *env, const char *text, const char *format, char *buffer) {
    rkhs_data *y;
    put_text("y.csv", text);
    OK(env, rkhs_data_read_labels(env, "y.csv", format, &y));
    buffer[0] = 0;
    const int64_t *codes = rkhs_data_codes(y, NULL);
    for (int64_t i = 0; i < rkhs_data_rows(y); i++) {
        strcat(buffer, rkhs_data_class_name(y, codes[i]));
        strcat(buffer, " ");
    }
    rkhs_data_free(y);
    return buffer;
}

static void a_file_can_be_labels_alone(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char b[200];
    rkhs_data *y;
    assert_string_equal(label_names(env, "cat\ndog\ncat\n", NULL, b), "cat dog cat ");
    assert_string_equal(label_names(env, "3\n1\n3", NULL, b), "3 1 3 ");
    assert_string_equal(label_names(env, "label\n3\n1\n3\n", NULL, b), "3 1 3 ");
    assert_string_equal(label_names(env, "label\ncat\n", "csv(header=yes)", b), "cat ");
    assert_string_equal(label_names(env, "a,kind\n1,x\n2,y\n", "csv(label=kind)", b), "x y ");
    assert_string_equal(label_names(env, "a,kind\nNA,x\nword,y\n", "csv(label=1)", b), "x y ");
    put_text("y.csv", "10\n9\n-1\n");
    OK(env, rkhs_data_read_labels(env, "y.csv", NULL, &y)); /* integers ascend */
    assert_string_equal(rkhs_data_class_name(y, 0), "-1");
    assert_string_equal(rkhs_data_class_name(y, 2), "10");
    rkhs_data_free(y);
    put_text("y.csv", "a,b\n1,2\n");
    FAILS(env, RKHS_ERR_DATA, "y.csv | 2 columns | labels", rkhs_data_read_labels(env, "y.csv", NULL, &y));
}

/* ---- writing ---- */

static void what_is_written_reads_back_to_the_bit(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 500, P = 3 };
    static double v[N * P];
    for (uint64_t i = 0; i < N * P; i++) v[i] = rk_normal(3, RK_STREAM_TEST, i, 0) * pow(10, (double)(i % 40) - 20);
    rkhs_data *x, *back;
    OK(env, rkhs_data_dense(env, v, N, P, P, &x));
    static const char *const paths[] = {"o.csv", "o.tsv", "o.txt"};
    for (int k = 0; k < 3; k++) {
        OK(env, rkhs_data_write(x, paths[k], NULL));
        OK(env, rkhs_data_read(env, paths[k], NULL, &back));
        assert_int_equal(rkhs_data_rows(back), N);
        assert_memory_equal(rkhs_data_values(back, NULL), v, sizeof v);
        rkhs_data_free(back);
    }
    FAILS(env, RKHS_ERR_FORMAT, "o.csv.gz | .gz | not written", rkhs_data_write(x, "o.csv.gz", NULL));
    FAILS(env, RKHS_ERR_FORMAT, "format | .xyz", rkhs_data_write(x, "o.xyz", NULL));
    FAILS(env, RKHS_ERR_IO, "cannot write no/o.csv", rkhs_data_write(x, "no/o.csv", NULL));
    const char *name = NULL;
    FAILS(env, RKHS_ERR_FORMAT, "c.csv.gz | .gz | not written", rkhs_format_check(env, "c.csv.gz", NULL, &name));
    FAILS(env, RKHS_ERR_FORMAT, "format | .xyz", rkhs_format_check(env, "c.xyz", NULL, &name));
    FAILS(env, RKHS_ERR_FORMAT, "idx | not written", rkhs_format_check(env, "c.csv", "idx", &name));
    FAILS(env, RKHS_ERR_SPEC, "no parameter 'labl'", rkhs_format_check(env, "c.csv", "csv(labl=1)", &name));
    FAILS(env, RKHS_ERR_ARGUMENT, "no file name", rkhs_format_check(env, NULL, NULL, &name));
    assert_null(name);
    static const char *const right[][3] = {
        {"no/c.csv", NULL, "csv"},    {"c.NPY", NULL, "npy"},  {"-", NULL, "npy"},
        {"/dev/stdout", NULL, "npy"}, {"c.xyz", "tsv", "tsv"},
    };
    for (int k = 0; k < 5; k++) {
        OK(env, rkhs_format_check(env, right[k][0], right[k][1], &name));
        assert_string_equal(name, right[k][2]);
        OK(env, rkhs_format_check(env, right[k][0], right[k][1], NULL));
    }
    assert_int_not_equal(access("c.NPY", F_OK), 0); /* nothing was touched */
    assert_int_equal(files_count(), 3);
    rkhs_data_free(x);
}

static void labels_are_written_one_a_line_and_quoted_if_needed(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t codes[] = {0, 1, 2, 3, 0};
    static const char *const names[] = {"plain", "a,b", "say \"x\"", " blank"};
    rkhs_data *y, *back;
    size_t n;
    OK(env, rkhs_data_classes(env, codes, 5, names, 4, &y));
    OK(env, rkhs_data_write(y, "y.csv", NULL));
    char *text = get_bytes("y.csv", &n);
    assert_string_equal(text, "plain\n\"a,b\"\n\"say \"\"x\"\"\"\n\" blank\"\nplain\n");
    free(text);
    OK(env, rkhs_data_read_labels(env, "y.csv", NULL, &back));
    for (int64_t c = 0; c < 4; c++) assert_string_equal(rkhs_data_class_name(back, c), names[c]);
    assert_memory_equal(rkhs_data_codes(back, NULL), codes, sizeof codes);
    rkhs_data_free(back);
    rkhs_data_free(y);
}

/* ---- hostile ---- */

static void mutated_text_is_read_or_refused_never_a_crash(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const seeds[] = {"a,b,\"c\"\n1,2.5,x\n-3e5,\"4\",y\r\n", "1 2 3\n4 5 6\n", "\"q\"\"\"\t1\n\"z\"\t2\n"};
    static const char *const formats[] = {NULL,  "csv(label=-1)",          "csv(delimiter=space)", "csv(header=no)",
                                          "tsv", "csv(header=yes,label=0)"};
    static const char alphabet[] = "0123456789.,;\t \"\n\r-+eExnaN?\xff\x80\0a";
    for (uint64_t round = 0; round < 12000; round++) {
        char text[256];
        uint64_t r[4];
        size_t n = strlen(seeds[round % 3]);
        memcpy(text, seeds[round % 3], n);
        for (uint64_t e = 0; e < 1 + round % 7; e++) {
            rk_random(11, RK_STREAM_TEST, round, e, r);
            size_t at = r[0] % (n + 1);
            char c = alphabet[r[1] % sizeof alphabet];
            if (r[2] % 3 == 0 && n < 200)
                memmove(text + at + 1, text + at, n - at), text[at] = c, n++;
            else if (r[2] % 3 == 1 && n > 1 && at < n)
                memmove(text + at, text + at + 1, n - at - 1), n--;
            else if (at < n)
                text[at] = c;
        }
        put_bytes("t.csv", text, n);
        rkhs_data *x;
        for (int labels = 0; labels < 2; labels++) {
            const char *format = formats[round / 3 % 6];
            rkhs_status status =
                labels ? rkhs_data_read_labels(env, "t.csv", format, &x) : rkhs_data_read(env, "t.csv", format, &x);
            if (status == RKHS_OK)
                assert_true(rkhs_data_rows(x) > 0 && rkhs_data_columns(x) > 0);
            else if (status == RKHS_ERR_BUG || !says(rkhs_env_message(env), "t.csv: "))
                fail_msg("%s", rkhs_env_message(env));
            rkhs_data_free(x);
        }
    }
}

/* A file of several blocks: row i is i, i + 0.25, a label; some numbers as rk_csv_take alone reads them; `wrong` on
 * line 40001. */
static void put_long_table(const char *line_end, const char *wrong, int quotes) {
    FILE *out = fopen("long.csv", "wb");
    assert_non_null(out);
    for (int i = 0; i < 50000; i++) {
        if (wrong && i == 40000)
            fprintf(out, "%s%s", wrong, line_end);
        else if (i % 7001 == 5)
            fprintf(out, "%d,%s%d.25%s, New York %s", i, quotes ? "\"" : "", i, quotes ? "\"" : "\t", line_end);
        else
            fprintf(out, "%d,%d.25,%s%s", i, i, i % 2 ? "odd" : "even", i < 49999 ? line_end : "");
    }
    assert_int_equal(fclose(out), 0);
}

static void a_long_table_is_read_by_blocks_as_by_lines(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    rkhs_data *x;
    int64_t ld, classes;
    for (int way = 0; way < 12; way++) {
        OK(env, rkhs_env_set_threads(env, way % 2 ? 3 : 1));
        put_long_table(ends[way / 2 % 3], NULL, way >= 6);
        OK(env, rkhs_data_read(env, "long.csv", "csv(label=2)", &x));
        assert_int_equal(rkhs_data_rows(x), 50000);
        const double *values = rkhs_data_values(x, &ld);
        const rkhs_data *labels = rkhs_data_labels(x);
        const int64_t *codes = rkhs_data_codes(labels, &classes);
        assert_int_equal(classes, 3);
        for (int i = 0; i < 50000; i++) {
            assert_true(values[i * ld] == i && values[i * ld + 1] == i + 0.25);
            assert_string_equal(rkhs_data_class_name(labels, codes[i]), i % 7001 == 5 ? "New York" : i % 2 ? "odd" : "even");
        }
        rkhs_data_free(x);
    }
    OK(env, rkhs_env_set_threads(env, 1)); /* lets the pool go */
}

static void the_first_mistake_of_a_long_table_is_named_on_any_number_of_threads(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const struct {
        const char *text, *words;
    } wrong[] = {{"1,x,odd", "line 40001 | column 2 | 'x'"},
                 {"1,2", "line 40001 | 2 fields | first | 3"},
                 {"1,2,3,4", "line 40001 | 4 fields | first | 3"},
                 {"", "line 40001 | empty | rows"}};
    rkhs_data *x;
    for (int way = 0; way < 8; way++) {
        OK(env, rkhs_env_set_threads(env, way % 2 ? 3 : 1));
        put_long_table("\n", wrong[way / 2].text, 0);
        FAILS(env, RKHS_ERR_DATA, wrong[way / 2].words, rkhs_data_read(env, "long.csv", "csv(label=2)", &x));
        assert_null(x);
    }
    OK(env, rkhs_env_set_threads(env, 1));
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int64_t k = 0;; k++) {
        rkhs_data *x;
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = read_text(env, "a,kind\n1,x\n2,y\n", "csv(label=kind)", &x);
        env->fail_at = -1;
        rkhs_data_free(x);
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) break;
        assert_int_equal(status, RKHS_ERR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(numbers_are_read_to_the_last_bit),
        FILES_TEST(hard_numbers_are_read_to_the_last_bit),
        FILES_TEST(halfway_cases_round_to_even),
        FILES_TEST(what_is_no_number_is_not_read),
        FILES_TEST(every_dialect_reads_the_same),
        FILES_TEST(endings_decide_the_format),
        FILES_TEST(a_comma_locale_changes_nothing),
        FILES_TEST(faults_name_file_line_column_value_and_remedy),
        FILES_TEST(a_short_row_under_a_wide_header_is_ragged_not_a_crash),
        FILES_TEST(a_column_can_be_the_labels),
        FILES_TEST(a_file_can_be_labels_alone),
        FILES_TEST(what_is_written_reads_back_to_the_bit),
        FILES_TEST(labels_are_written_one_a_line_and_quoted_if_needed),
        FILES_TEST(mutated_text_is_read_or_refused_never_a_crash),
        FILES_TEST(a_long_table_is_read_by_blocks_as_by_lines),
        FILES_TEST(the_first_mistake_of_a_long_table_is_named_on_any_number_of_threads),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
