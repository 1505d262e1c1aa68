/* IDX files: every type, names, labels, gzip, damage. */
#include "files.h"

#include <zlib.h>

#include "data/data.h"

/* An IDX file of `count` elements 0, 1, ...: its bytes, at most 4096. */
static size_t make_idx(unsigned char *to, int code, int ndim, const uint32_t *shape, int count) {
    static const int sizes[] = {1, 1, 0, 2, 4, 4, 8};
    int size = sizes[code - 8];
    unsigned char *at = to;
    *at++ = 0, *at++ = 0, *at++ = (unsigned char)code, *at++ = (unsigned char)ndim;
    for (int d = 0; d < ndim; d++)
        for (int i = 3; i >= 0; i--) *at++ = (unsigned char)(shape[d] >> 8 * i);
    for (int k = 0; k < count; k++) {
        union {
            uint64_t u;
            double d;
        } wide = {.d = k};
        union {
            uint32_t u;
            float f;
        } narrow = {.f = (float)k};
        uint64_t bits = code == 14 ? wide.u : code == 13 ? narrow.u : (uint64_t)k;
        for (int i = size - 1; i >= 0; i--) *at++ = (unsigned char)(bits >> 8 * i);
    }
    return (size_t)(at - to);
}

static void put_gz(const char *path, const void *bytes, size_t n) {
    gzFile out = gzopen(path, "wb");
    gzwrite(out, bytes, (unsigned)n);
    gzclose(out);
}

static const int codes[] = {8, 9, 11, 12, 13, 14};

static void every_type_and_name_reads_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const names[] = {"a.idx", "b.ubyte", "train-images-idx3-ubyte", "c.idx3-ubyte", "D.IDX"};
    unsigned char bytes[4096];
    for (int t = 0; t < 6; t++)
        for (int k = 0; k < 10; k++) {
            char path[64];
            rkhs_data *x;
            size_t n = make_idx(bytes, codes[t], 3, (uint32_t[]){2, 3, 4}, 24);
            snprintf(path, sizeof path, "%s%s", names[k % 5], k < 5 ? "" : ".gz");
            if (k < 5)
                put_bytes(path, bytes, n);
            else
                put_gz(path, bytes, n);
            OK(env, rkhs_data_read(env, path, NULL, &x));
            assert_int_equal(rkhs_data_rows(x), 2);
            assert_int_equal(rkhs_data_columns(x), 12);
            for (int i = 0; i < 24; i++) NEAR(rkhs_data_values(x, NULL)[i], i, 0);
            rkhs_data_free(x);
        }
}

static void one_dimension_is_a_column_or_labels(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    unsigned char bytes[4096];
    rkhs_data *x;
    put_bytes("y-idx1-ubyte", bytes, make_idx(bytes, 8, 1, (uint32_t[]){5}, 5));
    OK(env, rkhs_data_read(env, "y-idx1-ubyte", NULL, &x));
    assert_int_equal(rkhs_data_rows(x), 5);
    assert_int_equal(rkhs_data_columns(x), 1);
    rkhs_data_free(x);
    OK(env, rkhs_data_read_labels(env, "y-idx1-ubyte", NULL, &x));
    assert_string_equal(rkhs_data_class_name(x, 4), "4");
    FAILS(env, RKHS_ERR_FORMAT, "idx | not written", rkhs_data_write(x, "o.idx", NULL));
    rkhs_data_free(x);
    unsigned char minus[] = {0, 0, 9, 1, 0, 0, 0, 2, 0xff, 3}; /* signed */
    put_bytes("s.idx", minus, sizeof minus);
    OK(env, rkhs_data_read(env, "s.idx", NULL, &x));
    NEAR(rkhs_data_values(x, NULL)[0], -1, 0);
    rkhs_data_free(x);
}

static void the_wrong_content_is_named(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    unsigned char bytes[4096];
    rkhs_data *x;
#define REFUSED(words, code, ndim, count, ...)                                                                                 \
    do {                                                                                                                       \
        size_t n = make_idx(bytes, code, ndim, (uint32_t[]){__VA_ARGS__}, count);                                              \
        put_bytes("t.idx", bytes, n);                                                                                          \
        rkhs_status s = rkhs_data_read(env, "t.idx", NULL, &x);                                                                \
        assert_true(s == RKHS_ERR_DATA || s == RKHS_ERR_FORMAT);                                                               \
        if (!says(rkhs_env_message(env), words)) fail_msg("%s", rkhs_env_message(env));                                        \
        put_gz("t.idx", bytes, n); /* where no length is known before */                                                       \
        assert_int_not_equal(rkhs_data_read(env, "t.idx", NULL, &x), RKHS_OK);                                                 \
    } while (0)
    REFUSED("t.idx | early | 24 bytes | header | 23", 8, 2, 23, 4, 6);
    REFUSED("t.idx | follow | 24", 8, 2, 25, 4, 6);
    REFUSED("t.idx | 0 dimensions | 1 to 8", 8, 0, 1, 0);
    REFUSED("t.idx | 9 dimensions", 8, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    REFUSED("t.idx | empty | 0 x 6", 8, 2, 0, 0, 6);
    REFUSED("t.idx | header | damaged | shape", 14, 3, 1, 0xffffffff, 0xffffffff, 0xffffffff);
    REFUSED("t.idx: the file ends early: ", 8, 2, 4, 0x3fffffff, 0x7fffffff);
    put_text("t.idx", "");
    FAILS(env, RKHS_ERR_DATA, "t.idx: the file is empty", rkhs_data_read(env, "t.idx", NULL, &x));
    put_text("t.idx", "1,2,3\n");
    FAILS(env, RKHS_ERR_FORMAT, "t.idx | IDX", rkhs_data_read(env, "t.idx", NULL, &x));
    put_bytes("t.idx", "\0\0\012\1\0\0\0\1x", 9);
    FAILS(env, RKHS_ERR_FORMAT, "t.idx | IDX", rkhs_data_read(env, "t.idx", NULL, &x));
    assert_true(rkhs_env_memory_peak(env) < 1 << 20); /* no header got what it asked for */
}

static void a_file_cut_at_any_byte_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    unsigned char bytes[4096];
    rkhs_data *x;
    for (int t = 0; t < 6; t++) {
        size_t n = make_idx(bytes, codes[t], 2, (uint32_t[]){3, 4}, 12);
        for (size_t cut = 0; cut < n; cut++) {
            put_bytes("t.idx", bytes, cut);
            assert_int_not_equal(rkhs_data_read(env, "t.idx", NULL, &x), RKHS_OK);
            assert_true(says(rkhs_env_message(env), "t.idx: "));
        }
    }
}

static void mutated_files_are_read_or_refused_never_a_crash(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    unsigned char bytes[4096];
    rkhs_env_set_memory(env, 64 << 20);
    for (uint64_t round = 0; round < 6000; round++) {
        size_t n = make_idx(bytes, codes[round % 6], 1 + (int)(round % 3), (uint32_t[]){4, 1, 3}, round % 3 == 2 ? 12 : 4);
        for (uint64_t e = 0; e < 1 + round % 3; e++) {
            uint64_t r[4];
            rk_random(19, RK_STREAM_TEST, round, e, r);
            bytes[r[0] % (r[2] % 2 ? 16 : n) % n] = (unsigned char)(r[1] % 2 ? r[3] % 16 : r[3]);
        }
        if (round % 2)
            put_bytes("t.idx", bytes, n);
        else
            put_gz("t.idx", bytes, n);
        for (int labels = 0; labels < 2; labels++) {
            rkhs_data *x;
            rkhs_status status =
                labels ? rkhs_data_read_labels(env, "t.idx", NULL, &x) : rkhs_data_read(env, "t.idx", NULL, &x);
            if (status == RKHS_OK)
                assert_true(rkhs_data_rows(x) > 0);
            else if (status == RKHS_ERR_BUG || !says(rkhs_env_message(env), "t.idx"))
                fail_msg("%s", rkhs_env_message(env));
            rkhs_data_free(x);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(every_type_and_name_reads_the_same),
        FILES_TEST(one_dimension_is_a_column_or_labels),
        FILES_TEST(the_wrong_content_is_named),
        FILES_TEST(a_file_cut_at_any_byte_is_refused),
        FILES_TEST(mutated_files_are_read_or_refused_never_a_crash),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
