/* Readers of bits: FPS files, packed NumPy arrays, arrays of bytes; and index rows from tables. */
#include "files.h"

#include <zlib.h>

#include "data/data.h"

static rkhs_status read_text(rkhs_env *env, const char *text, rkhs_data **x) {
    put_text("t.fps", text);
    return rkhs_data_read(env, "t.fps", NULL, x);
}

static void refused(rkhs_env *env, const char *text, const char *words) {
    rkhs_data *x;
    FAILS(env, RKHS_ERR_DATA, words, read_text(env, text, &x));
}

/* Two sets of 12 bits: {0, 11} and {4, 5, 6, 7, 8}. */
static void is_the_example(const rkhs_data *x, int64_t bits) {
    const rk_bits *b = x->self;
    assert_string_equal(rkhs_data_kind(x), "bits");
    assert_int_equal(rkhs_data_rows(x), 2);
    assert_int_equal(rkhs_data_columns(x), bits);
    assert_int_equal(b->words[0], 0x801);
    assert_int_equal(b->words[1], 0x1f0);
}

static void every_dialect_reads_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const texts[] = {
        "#FPS1\n#num_bits=12\n#type=X/2 a=1\n#software=y\n0108\tone\nf001\ttwo\n",
        "#FPS1\r\n#num_bits= 12 \r\n0108\tone\r\nF001\ttwo\textra\r\n\r\n",
        "#num_bits=12\n0108\nf001",
        "\xef\xbb\xbf#num_bits=12\n0108\t\nf001\t\n\n\n",
    };
    for (int i = 0; i < 4; i++) {
        rkhs_data *x;
        OK(env, read_text(env, texts[i], &x));
        is_the_example(x, 12);
        rkhs_data_free(x);
    }
    rkhs_data *x;
    OK(env, read_text(env, "#FPS1\n0108\tone\nf001\ttwo\n", &x));
    is_the_example(x, 16);
    rkhs_data_free(x);
    gzFile out = gzopen("t.fps.gz", "wb");
    gzwrite(out, texts[0], (unsigned)strlen(texts[0]));
    gzclose(out);
    OK(env, rkhs_data_read(env, "t.fps.gz", NULL, &x));
    is_the_example(x, 12);
    rkhs_data_free(x);
}

/* Sets of more than one word, digit by digit. */
static void long_sets_are_read_byte_by_byte(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { BITS = 331, DIGITS = 84 };
    char text[DIGITS + 8];
    rkhs_data *x;
    for (int i = 0; i < DIGITS; i++) text[i] = "0123456789abcdefABCDEF"[(i * 7 + 3) % 22];
    strcpy(text + DIGITS - 2, "05\tz\n");
    char all[256];
    snprintf(all, sizeof all, "#num_bits=%d\n%s", BITS, text);
    OK(env, read_text(env, all, &x));
    for (int c = 0; c < BITS; c++) {
        char byte[3] = {text[c / 8 * 2], text[c / 8 * 2 + 1], 0};
        int expected = (int)(strtol(byte, NULL, 16) >> c % 8 & 1);
        assert_int_equal(((rk_bits *)x->self)->words[c / 64] >> c % 64 & 1, expected);
    }
    rkhs_data_free(x);
}

static void faults_are_named_by_line_and_place(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    refused(env, "#FPS1\n#num_bits=12\n0108\ta\nf0g1\tb\n", "t.fps | line 4 | character 3 | 'g' | hexadecimal");
    refused(env, "#FPS1\n0108\ta\nf001ff\tb\n", "t.fps | line 3 | 6 digits | 16 bits | 4");
    refused(env, "#num_bits=12\n0108\ta\n\nf001\tb\n", "line 3 has 0 digits");
    refused(env, "#num_bits=12\n0108\ta\nf011\tb\n", "line 3 | bits | 12");
    refused(env, "#num_bits=17\n0108\ta\n", "line 2 | 4 digits | 17 bits | 6");
    refused(env, "#num_bits=2000000000\n0108\ta\n", "line 2 has 4 digits"); /* and no memory is asked for */
    refused(env, "010\ta\n", "line 1 | 3 characters");
    refused(env, "01 08\ta\n", "line 1 | 5 characters");
    refused(env, "zz\ta\n", "line 1 | character 1 | 'z'");
    refused(env, "0108\ta\n#type=x\n", "line 2, character 1 is '#'");
    refused(env, "", "no fingerprint in the file");
    refused(env, "#FPS1\n#num_bits=8\n", "no fingerprint in the file");
    static const char *const numbers[] = {"0", "", "x", "12x", "99999999999", "-1", "1 2"};
    for (int i = 0; i < 7; i++) {
        char text[64];
        snprintf(text, sizeof text, "#FPS1\n#num_bits=%s\n01\n", numbers[i]);
        FAILS(env, RKHS_ERR_FORMAT, "line 2 | num_bits | 1 to 2147483647", read_text(env, text, &x));
    }
    put_text("t.fps", "01\ta\n");
    FAILS(env, RKHS_ERR_DATA, "has no classes", rkhs_data_read_labels(env, "t.fps", NULL, &x));
    assert_null(x);
}

/* Every byte changed to some others, and every length: a sentence or data, and nothing left behind. */
static void damage_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char text[] = "#FPS1\n#num_bits=12\n#type=a\n0108\tone\nf001\ttwo\n", others[] = "\n\t#=9g\r\xff";
    size_t length = sizeof text - 1;
    char copy[sizeof text];
    for (size_t at = 0; at < length; at++)
        for (size_t o = 0; o <= sizeof others; o++) {
            rkhs_data *x = NULL;
            memcpy(copy, text, sizeof text);
            if (o < sizeof others) copy[at] = others[o]; /* the last of them is a zero */
            put_bytes("t.fps", copy, o < sizeof others ? length : at);
            rkhs_status status = rkhs_data_read(env, "t.fps", NULL, &x);
            assert_true((status == RKHS_OK) == (x != NULL) && (status == RKHS_OK) == !rkhs_env_message(env)[0]);
            rkhs_data_free(x);
        }
}

/* ---- NumPy ---- */

static void put_npy(const char *path, const char *descr, int64_t rows, int64_t columns, const void *bytes, size_t count) {
    char all[4096];
    size_t head = rk_npy_make_header(all, descr, 2, (int64_t[]){rows, columns});
    assert_true(head + count <= sizeof all);
    memcpy(all + head, bytes, count);
    put_bytes(path, all, head + count);
}

static void packed_arrays_are_read_in_both_orders(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    put_npy("l.npy", "|u1", 2, 2, "\x01\x08\xf0\x01", 4);
    OK(env, rkhs_data_read(env, "l.npy", "npy(packed=little, bits=12)", &x));
    is_the_example(x, 12);
    rkhs_data_free(x);
    put_npy("b.npy", "|u1", 2, 2, "\x80\x10\x0f\x80", 4); /* numpy.packbits of the same */
    OK(env, rkhs_data_read(env, "b.npy", "npy(packed=big, bits=12)", &x));
    is_the_example(x, 12);
    rkhs_data_free(x);
    OK(env, rkhs_data_read(env, "b.npy", "npy(packed=big)", &x));
    is_the_example(x, 16);
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "row 1 | bits | 12", rkhs_data_read(env, "b.npy", "npy(packed=little, bits=12)", &x));
    FAILS(env, RKHS_ERR_DATA, "2 bytes | 8 bits | bits=9 | bits=16",
          rkhs_data_read(env, "b.npy", "npy(packed=big, bits=8)", &x));
    FAILS(env, RKHS_ERR_DATA, "do not hold 17 bits", rkhs_data_read(env, "b.npy", "npy(packed=big, bits=17)", &x));
    put_npy("f.npy", "<f8", 1, 1, "12345678", 8);
    FAILS(env, RKHS_ERR_DATA, "packed | bits | uint8", rkhs_data_read(env, "f.npy", "npy(packed=big)", &x));
    put_npy("s.npy", "|u1", 2, 2, "\x01\x08\xf0", 3);
    FAILS(env, RKHS_ERR_FORMAT, "ends early", rkhs_data_read(env, "s.npy", "npy(packed=big)", &x));
}

/* A kernel that prefers bits gets them from bytes, and numbers where a byte is neither 0 nor 1. */
static void bytes_of_zeros_and_ones_become_bits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_kernel *tanimoto, *rbf;
    rkhs_data *x;
    OK(env, rkhs_kernel_new(env, "tanimoto", &tanimoto));
    OK(env, rkhs_kernel_new(env, "rbf", &rbf));
    static const char *const types[] = {"|u1", "|i1", "|b1"};
    for (int i = 0; i < 3; i++) {
        put_npy("x.npy", types[i], 2, 3, "\1\0\0\0\1\1", 6);
        OK(env, rkhs_data_read_for(env, "x.npy", NULL, tanimoto, &x));
        assert_string_equal(rkhs_data_kind(x), "bits");
        assert_int_equal(((rk_bits *)x->self)->words[0], 1);
        assert_int_equal(((rk_bits *)x->self)->words[1], 6);
        rkhs_data_free(x);
        OK(env, rkhs_data_read_for(env, "x.npy", NULL, rbf, &x));
        assert_string_equal(rkhs_data_kind(x), "dense");
        rkhs_data_free(x);
        OK(env, rkhs_data_read(env, "x.npy", NULL, &x));
        assert_string_equal(rkhs_data_kind(x), "dense");
        rkhs_data_free(x);
    }
    put_npy("x.npy", "|u1", 2, 3, "\1\0\0\0\1\2", 6);
    OK(env, rkhs_data_read_for(env, "x.npy", NULL, tanimoto, &x));
    assert_true(rkhs_data_values(x, NULL)[0] == 1 && rkhs_data_values(x, NULL)[5] == 2);
    rkhs_data_free(x);
    put_npy("x.npy", "|i1", 2, 3, "\1\0\0\0\1\xff", 6);
    OK(env, rkhs_data_read_for(env, "x.npy", NULL, tanimoto, &x));
    assert_true(rkhs_data_values(x, NULL)[5] == -1);
    rkhs_data_free(x);
    put_npy("x.npy", "|u1", 2, 3, "\1\0\0\0\1", 5);
    FAILS(env, RKHS_ERR_FORMAT, "ends early", rkhs_data_read_for(env, "x.npy", NULL, tanimoto, &x));
    rkhs_kernel_free(rbf);
    rkhs_kernel_free(tanimoto);
}

/* ---- index rows ---- */

static void pairs_and_triplets_are_read_from_tables(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *part;
    put_text("t.csv", "i,near,far\n0,1,4\n3,2,0\n");
    OK(env, rkhs_data_read_index(env, "t.csv", NULL, 5, &x));
    assert_string_equal(rkhs_data_kind(x), "index");
    assert_memory_equal(((rk_index *)x->self)->rows, ((int64_t[]){0, 1, 4, 3, 2, 0}), 48);
    assert_int_equal(((rk_index *)x->self)->objects, 5);
    OK(env, rkhs_data_subset(x, (int64_t[]){1}, 1, &part));
    assert_memory_equal(((rk_index *)part->self)->rows, ((int64_t[]){3, 2, 0}), 24);
    FAILS(env, RKHS_ERR_DATA, "index data cannot be written", rkhs_data_write(part, "o.npy", NULL));
    rkhs_data_free(part);
    rkhs_data_free(x);
    put_text("t.tsv", "0\t1\n1\t0\n");
    OK(env, rkhs_data_read_index(env, "t.tsv", NULL, 2, &x));
    assert_int_equal(x->columns, 2);
    rkhs_data_free(x);
    put_npy("t.npy", "<i4", 2, 2, "\0\0\0\0\1\0\0\0\2\0\0\0\1\0\0\0", 16);
    OK(env, rkhs_data_read_index(env, "t.npy", NULL, 3, &x));
    assert_memory_equal(((rk_index *)x->self)->rows, ((int64_t[]){0, 1, 2, 1}), 32);
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "t.npy | row 2 | column 1 | objects | 0 to 1", rkhs_data_read_index(env, "t.npy", NULL, 2, &x));
    assert_null(x);
    static const char *const wrong[][2] = {
        {"0,1\n-1,0\n", "row 2 | column 1 | -1"}, {"0,1\n1,0.5\n", "row 2 | column 2 | 0.5"},
        {"0,1\n1,1e30\n", "is 1e+30,"},           {"0\n1\n", "2 rows | 1 object | pairs | triplets"},
        {"0,1,2,3\n", "1 row | 4 object"},
    };
    for (int i = 0; i < 5; i++) {
        put_text("w.csv", wrong[i][0]);
        FAILS(env, RKHS_ERR_DATA, wrong[i][1], rkhs_data_read_index(env, "w.csv", NULL, 4, &x));
    }
    FAILS(env, RKHS_ERR_ARGUMENT, "give how many there are", rkhs_data_read_index(env, "t.npy", NULL, 0, &x));
    put_text("x.fps", "01\ta\n");
    FAILS(env, RKHS_ERR_DATA, "x.fps | bits | object numbers", rkhs_data_read_index(env, "x.fps", NULL, 4, &x));
}

static rkhs_status load(rkhs_env *env, const char *path, rkhs_data **x) {
    rk_archive *archive;
    rk_begin_call(env);
    rkhs_status status = rk_archive_read(env, path, &archive);
    if (status == RKHS_OK) status = rk_data_load(env, archive, "x/", x);
    rk_archive_free(archive);
    return status;
}

static void index_rows_are_checked_and_saved(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    int64_t rows[] = {0, 1, 2, 3, 4, 5};
    rkhs_data *x, *back;
    rk_archive *archive;
    FAILS(env, RKHS_ERR_DATA, "row 3 | column 2 | 5 | objects | 0 to 4", rkhs_data_index(env, rows, 3, 2, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "6 rows | 1 object", rkhs_data_index(env, rows, 6, 1, 9, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "NULL", rkhs_data_index(env, NULL, 3, 2, 6, &x));
    assert_int_equal(rkhs_data_index(NULL, rows, 3, 2, 6, &x), RKHS_ERR_ARGUMENT);
    OK(env, rkhs_data_index(env, rows, 2, 3, 6, &x));
    rows[0] = 77; /* copied */
    for (int64_t objects = 5; objects <= 6; objects++) {
        OK(env, rk_archive_new(env, &archive));
        ((rk_index *)x->self)->objects = objects;
        OK(env, rk_data_save(x, archive, "x/"));
        OK(env, rk_archive_write(archive, "i.npz"));
        rk_archive_free(archive);
        if (objects == 5) FAILS(env, RKHS_ERR_DATA, "row 2 | column 3 | 5", load(env, "i.npz", &back));
    }
    OK(env, load(env, "i.npz", &back));
    assert_memory_equal(((rk_index *)back->self)->rows, ((int64_t[]){0, 1, 2, 3, 4, 5}), 48);
    assert_int_equal(((rk_index *)back->self)->objects, 6);
    assert_int_equal(back->columns, 3);
    rkhs_data_free(back);
    rkhs_data_free(x);
}

static void pairs_go_with_the_objects_that_they_are_about(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    const double p[] = {10, 11, 12, 13}, q[] = {20, 21, 22, 23};
    double row[3];
    rkhs_data *positive, *negative, *few, *x, *part;
    OK(env, rkhs_data_dense(env, p, 4, 1, 1, &positive));
    OK(env, rkhs_data_dense(env, q, 4, 1, 1, &negative));
    for (int width = 2; width <= 3; width++) {
        OK(env, rkhs_data_pairs(env, positive, width == 3 ? negative : NULL, &x));
        assert_int_equal(rk_index_objects(x), 4);
        assert_int_equal(rkhs_data_rows(x), 4);
        assert_int_equal(rkhs_data_columns(x), width);
        assert_true(rkhs_data_row(x, 2, row) && row[0] == 2 && row[1] == 6 && (width == 2 || row[2] == 10));
        OK(env, rkhs_data_subset(x, (int64_t[]){3, 1}, 2, &part));
        const rk_index *o = part->self;
        assert_int_equal(rk_index_objects(part), 2);
        assert_memory_equal(o->rows, width == 3 ? ((int64_t[]){0, 2, 4, 1, 3, 5}) : ((int64_t[]){0, 2, 1, 3, 0, 0}),
                            (size_t)(2 * width) * 8);
        const double *others = rkhs_data_values(o->others, NULL);
        assert_true(others[0] == 13 && others[1] == 11 && (width == 2 || (others[2] == 23 && others[3] == 21)));
        FAILS(env, RKHS_ERR_DATA, "pairs cannot be joined", rkhs_data_join(env, (const rkhs_data *[]){x, part}, 2, &few));
        FAILS(env, RKHS_ERR_DATA, "index rows are no objects", rkhs_data_pairs(env, x, NULL, &few));
        rkhs_data_free(part);
        rkhs_data_free(x);
    }
    OK(env, rkhs_data_dense(env, q, 3, 1, 1, &few));
    FAILS(env, RKHS_ERR_DATA, "4 positives and 3 negatives", rkhs_data_pairs(env, positive, few, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "no positives", rkhs_data_pairs(env, NULL, few, &x));
    assert_null(x);
    rkhs_data_free(few);
    rkhs_data_free(negative);
    rkhs_data_free(positive);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(every_dialect_reads_the_same),
        FILES_TEST(long_sets_are_read_byte_by_byte),
        FILES_TEST(faults_are_named_by_line_and_place),
        FILES_TEST(damage_is_survived),
        FILES_TEST(packed_arrays_are_read_in_both_orders),
        FILES_TEST(bytes_of_zeros_and_ones_become_bits),
        FILES_TEST(pairs_and_triplets_are_read_from_tables),
        FILES_TEST(index_rows_are_checked_and_saved),
        FILES_TEST(pairs_go_with_the_objects_that_they_are_about),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
