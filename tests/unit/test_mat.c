/* MAT files: every type, byte order and form of an element; sparse matrices, text; which variable; damage and lies. */
#include "files.h"

#include <zlib.h>

#include "data/data.h"

enum { INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, SINGLE, DOUBLE = 9, INT64 = 12, UINT64, MATRIX, COMPRESSED, UTF8, UTF16 };
enum { CELL = 1, STRUCT, OBJECT, CHAR, SPARSE, REAL, FUNCTION = 16, OPAQUE, LOGICAL = 0x200, COMPLEX = 0x800 };

/* A file being made; what is inside a compressed variable is made the same way. */
typedef struct maker {
    unsigned char bytes[1 << 16];
    size_t used, base; /* base: of the variable; what is packed has any length */
    int big, packed;
} maker;

static void add_bytes(maker *m, const void *bytes, size_t count) {
    assert_true(m->used + count <= sizeof m->bytes);
    if (count) memcpy(m->bytes + m->used, bytes, count);
    m->used += count;
}

/* Numbers of so many bytes, in the file's byte order. */
static void add_items(maker *m, const void *items, size_t count, size_t size) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size; k++) add_bytes(m, (const char *)items + i * size + (m->big ? size - 1 - k : k), 1);
}

static void add_word(maker *m, uint32_t word) { add_items(m, &word, 1, 4); }

static void pad(maker *m) {
    while ((m->used - m->base) % 8) add_bytes(m, "", 1);
}

/* An element, in its short form where it fits. */
static void add_element(maker *m, uint32_t type, const void *items, size_t count, size_t size) {
    int is_short = count * size > 0 && count * size <= 4;
    if (is_short) {
        add_word(m, (uint32_t)(count * size) << 16 | type);
    } else {
        add_word(m, type);
        add_word(m, (uint32_t)(count * size));
    }
    add_items(m, items, count, size);
    pad(m);
}

static void start(maker *m, int big, int packed) {
    memset(m, 0, sizeof *m);
    m->big = big;
    m->packed = packed;
    add_bytes(m, "MATLAB 5.0 MAT-file, made by a test", 35);
    m->used = 124;
    add_items(m, &(uint16_t){0x100}, 1, 2);
    add_bytes(m, big ? "MI" : "IM", 2);
}

/* Begins a matrix; end_matrix ends it. The result is the place of its tag. */
static size_t begin_matrix(maker *m, uint32_t class, int rank, const int32_t *dims, const char *name) {
    size_t at = m->base = m->used;
    add_word(m, MATRIX);
    add_word(m, 0);
    add_element(m, UINT32, (uint32_t[]){class, 0}, 2, 4);
    if (dims) add_element(m, INT32, dims, (size_t)rank, 4);
    add_element(m, INT8, name, strlen(name), 1);
    return at;
}

static void end_nested(maker *m, size_t at) {
    size_t used = m->used;
    m->used = at + 4;
    add_word(m, (uint32_t)(used - at - 8));
    m->used = used;
}

static void end_matrix(maker *m, size_t at) {
    unsigned char out[1 << 16];
    uLongf length = sizeof out;
    end_nested(m, at);
    if (!m->packed) return;
    assert_int_equal(compress(out, &length, m->bytes + at, m->used - at), Z_OK);
    m->used = at;
    add_word(m, COMPRESSED);
    add_word(m, (uint32_t)length);
    add_bytes(m, out, length);
}

static void add_matrix(maker *m, uint32_t class, int32_t rows, int32_t columns, const char *name, uint32_t type,
                       const void *items, size_t size) {
    size_t at = begin_matrix(m, class, 2, (int32_t[]){rows, columns}, name);
    add_element(m, type, items, (size_t)rows * (size_t)columns, size);
    end_matrix(m, at);
}

static void save(const maker *m) { put_bytes("t.mat", m->bytes, m->used); }

/* 0, 1, 2 / 3, 4, 5 by columns. */
static const double columns6[] = {0, 3, 1, 4, 2, 5};

static void reads_as_range(rkhs_env *env, const char *path, const char *format, int64_t n, int64_t p) {
    rkhs_data *x;
    OK(env, rkhs_data_read(env, path, format, &x));
    assert_string_equal(rkhs_data_kind(x), "dense");
    assert_int_equal(rkhs_data_rows(x), n);
    assert_int_equal(rkhs_data_columns(x), p);
    for (int64_t i = 0; i < n * p; i++) NEAR(rkhs_data_values(x, NULL)[i], (double)i, 0);
    rkhs_data_free(x);
}

#define PUT(ctype)                                                                                                             \
    for (int i = 0; i < 6; i++) memcpy(to + i * (int)sizeof(ctype), &(ctype){(ctype)columns6[i]}, sizeof(ctype));              \
    return sizeof(ctype)

/* The six numbers as items of a type; the bytes of one. */
static size_t six_as(int type, char *to) {
    switch (type) {
    case INT8: PUT(int8_t);
    case UINT8: PUT(uint8_t);
    case INT16: PUT(int16_t);
    case UINT16: PUT(uint16_t);
    case INT32: PUT(int32_t);
    case UINT32: PUT(uint32_t);
    case SINGLE: PUT(float);
    case INT64: PUT(int64_t);
    case UINT64: PUT(uint64_t);
    default: PUT(double);
    }
}

static void every_type_of_number_reads_the_same_in_both_byte_orders_packed_or_not(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int types[] = {INT8, UINT8, INT16, UINT16, INT32, UINT32, SINGLE, DOUBLE, INT64, UINT64};
    maker m;
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 10; t++)
            for (uint32_t class = REAL; class <= 15; class ++) { /* whatever the class: its storage counts */
                char items[48];
                size_t size = six_as(types[t], items);
                start(&m, k & 1, k >> 1);
                add_matrix(&m, class, 2, 3, class % 2 ? "X" : "a_name_of_more_than_four_bytes", (uint32_t)types[t], items,
                           size);
                save(&m);
                reads_as_range(env, "t.mat", NULL, 2, 3);
            }
}

static void numbers_beside_their_type_and_several_variables_are_read(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    maker m;
    for (int k = 0; k < 4; k++) {
        start(&m, k & 1, k >> 1);
        add_matrix(&m, REAL, 1, 3, "row", UINT8, "\0\1\2", 1); /* 3 bytes: the short form */
        add_matrix(&m, REAL, 2, 3, "X", DOUBLE, columns6, 8);
        add_matrix(&m, REAL, 1, 1, "", UINT8, "\5", 1); /* without a name: MATLAB's own */
        save(&m);
        reads_as_range(env, "t.mat", "mat(key=row)", 1, 3);
        reads_as_range(env, "t.mat", NULL, 2, 3);
        reads_as_range(env, "t.mat", "mat(X)", 2, 3);
        FAILS(env, RKHS_ERR_DATA, "t.mat | Y | row (1 x 3) | X (2 x 3)", rkhs_data_read(env, "t.mat", "mat(key=Y)", &x));
    }
    start(&m, 0, 0);
    add_matrix(&m, REAL, 2, 3, "A", DOUBLE, columns6, 8);
    add_matrix(&m, REAL, 2, 3, "B", DOUBLE, columns6, 8);
    save(&m);
    FAILS(env, RKHS_ERR_DATA, "A (2 x 3) | B (2 x 3) | key=NAME", rkhs_data_read(env, "t.mat", NULL, &x));
    assert_string_equal(rkhs_env_hint(env), "format=mat(key=A)");
    FAILS(env, RKHS_ERR_DATA, "A (2 x 3) | B (2 x 3) | labels | y", rkhs_data_read_labels(env, "t.mat", NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "2 x 3 | labels | column", rkhs_data_read_labels(env, "t.mat", "mat(key=A)", &x));
}

static void logicals_are_zero_and_one_and_labels_are_classes(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    maker m;
    start(&m, 0, 1);
    add_matrix(&m, 9 | LOGICAL, 1, 3, "X", UINT8, "\0\1\7", 1);
    add_matrix(&m, REAL, 4, 1, "gnd", DOUBLE, (double[]){7, -1, 7, NAN}, 8);
    save(&m);
    OK(env, rkhs_data_read(env, "t.mat", NULL, &x));
    assert_memory_equal(rkhs_data_values(x, NULL), ((double[]){0, 1, 1}), 24);
    rkhs_data_free(x);
    OK(env, rkhs_data_read_labels(env, "t.mat", NULL, &x));
    assert_memory_equal(rkhs_data_codes(x, NULL), ((int64_t[]){1, 0, 1, -1}), 32);
    assert_string_equal(rkhs_data_class_name(x, 0), "-1");
    rkhs_data_free(x);
}

static void integers_past_2_to_53_are_rounded_as_numbers_and_refused_as_labels(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    maker m;
    start(&m, 1, 0);
    add_matrix(&m, 14, 1, 3, "X", INT64, (int64_t[]){INT64_MIN, INT64_C(9007199254740993), INT64_MAX}, 8);
    save(&m);
    OK(env, rkhs_data_read(env, "t.mat", NULL, &x));
    assert_memory_equal(rkhs_data_values(x, NULL), ((double[]){-0x1p63, 0x1p53, 0x1p63}), 24);
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "2^53 | label", rkhs_data_read_labels(env, "t.mat", NULL, &x));
}

/* ---- sparse ---------------------------------------------------------------------------------------------------- */

/* 3 x 2 with 1 and 2 in the first column, rows 0 and 2, and 3 in the second, row 1; `room` for more entries than
 * there are. */
static void save_sparse(int k, const int32_t rows[3], const int32_t starts[3], const double values[3], int32_t height,
                        size_t room) {
    maker m;
    int32_t more[8] = {rows[0], rows[1], rows[2]};
    start(&m, k & 1, k >> 1);
    size_t at = begin_matrix(&m, SPARSE, 2, (int32_t[]){height, 2}, "S");
    add_element(&m, INT32, more, 3 + room, 4);
    add_element(&m, INT32, starts, 3, 4);
    add_element(&m, DOUBLE, values, 3, 8);
    end_matrix(&m, at);
    save(&m);
}

static void sparse_matrices_become_sparse_rows(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int32_t rows[] = {0, 2, 1}, starts[] = {0, 2, 3};
    static const double values[] = {1, 2, 3};
    rkhs_data *x;
    for (int k = 0; k < 4; k++)
        for (size_t room = 0; room < 5; room++) {
            save_sparse(k, rows, starts, values, 3, room);
            OK(env, rkhs_data_read(env, "t.mat", NULL, &x));
            const double *v;
            const int32_t *c;
            const int64_t *s;
            assert_string_equal(rkhs_data_kind(x), "sparse");
            assert_int_equal(rkhs_data_sparse(x, &v, &c, &s), 1);
            assert_int_equal(rkhs_data_sparse(x, NULL, NULL, NULL), 1);
            assert_int_equal(rkhs_data_sparse(NULL, &v, &c, &s), 0);
            assert_int_equal(rkhs_data_columns(x), 2);
            assert_memory_equal(s, ((int64_t[]){0, 1, 2, 3}), 32);
            assert_memory_equal(c, ((int32_t[]){0, 1, 0}), 12);
            assert_memory_equal(v, ((double[]){1, 3, 2}), 24);
            rkhs_data_free(x);
        }
    FAILS(env, RKHS_ERR_DATA, "labels are one column", rkhs_data_read_labels(env, "t.mat", NULL, &x));
}

static void sparse_matrices_that_lie_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int32_t rows[][3] = {{0, 3, 1}, {-1, 2, 1}, {0, 2, INT32_MAX}, {0, 2, 1}};
    static const int32_t starts[][3] = {{0, 2, 4}, {0, 3, 2}, {1, 2, 3}, {0, -1, 3}, {0, INT32_MAX, 3}, {0, 2, 3}};
    static const double values[] = {1, 2, 3};
    rkhs_data *x;
    for (int k = 0; k < 3; k++) {
        save_sparse(0, rows[k], starts[5], values, 3, 0);
        FAILS(env, RKHS_ERR_FORMAT, "t.mat: the sparse matrix is damaged", rkhs_data_read(env, "t.mat", NULL, &x));
    }
    for (int k = 0; k < 5; k++) {
        save_sparse(0, rows[3], starts[k], values, 3, 0);
        FAILS(env, RKHS_ERR_FORMAT, "t.mat: the sparse matrix is damaged", rkhs_data_read(env, "t.mat", NULL, &x));
    }
    save_sparse(2, rows[3], starts[5], (double[]){1, NAN, 3}, 3, 0);
    FAILS(env, RKHS_ERR_DATA, "t.mat: row 3, column 1 (counted from 1) is NaN", rkhs_data_read(env, "t.mat", NULL, &x));
    save_sparse(2, (int32_t[]){1, 1, 1}, starts[5], values, 3, 0); /* one place twice */
    FAILS(env, RKHS_ERR_DATA, "t.mat: row 2", rkhs_data_read(env, "t.mat", NULL, &x));
    save_sparse(0, rows[3], starts[5], values, INT32_MAX, 0);
    FAILS(env, RKHS_ERR_DATA, "has 2147483647 rows and 3 numbers: keep the rows", rkhs_data_read(env, "t.mat", NULL, &x));
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void strings_are(const rkhs_data *x, int64_t n, const char *const *strings) {
    assert_string_equal(rkhs_data_kind(x), "string");
    assert_int_equal(rkhs_data_rows(x), n);
    for (int64_t i = 0; i < n; i++) assert_string_equal(rkhs_data_string(x, i, NULL), strings[i]);
}

/* A cell array of these, in UTF-16, after a numeric variable if asked for. */
static void save_cells(int k, int64_t n, const char *const *strings, const char *name) {
    maker m;
    start(&m, k & 1, k >> 1);
    size_t at = begin_matrix(&m, CELL, 2, (int32_t[]){(int32_t)n, 1}, name);
    for (int64_t i = 0; i < n; i++) {
        uint16_t units[32] = {0};
        size_t length = strlen(strings[i]);
        for (size_t j = 0; j < length; j++) units[j] = (uint16_t)strings[i][j];
        size_t inner = begin_matrix(&m, CHAR, 2, (int32_t[]){length > 0, (int32_t)length}, "");
        add_element(&m, UINT16, units, length, 2);
        end_nested(&m, inner);
    }
    end_matrix(&m, at);
    save(&m);
}

static void rows_of_characters_and_cells_of_them_are_strings_and_labels(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const words[] = {"cat", "", "a dog", "cat"};
    rkhs_data *x;
    maker m;
    for (int k = 0; k < 4; k++) {
        save_cells(k, 4, words, "w");
        OK(env, rkhs_data_read(env, "t.mat", NULL, &x));
        strings_are(x, 4, words);
        rkhs_data_free(x);
        OK(env, rkhs_data_read_labels(env, "t.mat", "mat(key=w)", &x));
        assert_memory_equal(rkhs_data_codes(x, NULL), ((int64_t[]){0, -1, 1, 0}), 32);
        rkhs_data_free(x);
        start(&m, k & 1, k >> 1); /* "cat ", "a b " by columns */
        add_matrix(&m, REAL, 2, 3, "X", DOUBLE, columns6, 8);
        add_matrix(&m, CHAR, 2, 4, "y", k < 2 ? UTF8 : UINT8, "caa tb  ", 1);
        save(&m);
        OK(env, rkhs_data_read(env, "t.mat", "mat(key=y)", &x));
        strings_are(x, 2, (const char *[]){"cat", "a b"});
        rkhs_data_free(x);
        OK(env, rkhs_data_read_labels(env, "t.mat", NULL, &x));
        assert_string_equal(rkhs_data_class_name(x, 1), "a b");
        rkhs_data_free(x);
        reads_as_range(env, "t.mat", NULL, 2, 3);
    }
    start(&m, 1, 0); /* a pair of surrogates, and one half alone */
    add_matrix(&m, CHAR, 1, 4, "t", UTF16, (uint16_t[]){0xe9, 0xd83d, 0xde00, 0xd83d}, 2);
    save(&m);
    OK(env, rkhs_data_read(env, "t.mat", NULL, &x));
    strings_are(x, 1, (const char *[]){"\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd"});
    rkhs_data_free(x);
}

/* ---- what is not read ------------------------------------------------------------------------------------------ */

static void structs_objects_and_the_like_are_passed_over_or_named(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    maker m;
    for (int packed = 0; packed < 2; packed++) {
        start(&m, 0, packed);
        size_t at = begin_matrix(&m, STRUCT, 2, (int32_t[]){1, 1}, "s");
        add_element(&m, INT32, (int32_t[]){8}, 1, 4);
        add_element(&m, INT8, "inner\0\0\0", 8, 1);
        size_t inner = begin_matrix(&m, STRUCT, 2, (int32_t[]){1, 1}, "");
        add_element(&m, INT32, (int32_t[]){8}, 1, 4);
        add_element(&m, INT8, "X\0\0\0\0\0\0\0", 8, 1);
        size_t deep = begin_matrix(&m, REAL, 2, (int32_t[]){1, 1}, "X");
        add_element(&m, UINT8, "\1", 1, 1);
        end_nested(&m, deep);
        end_nested(&m, inner);
        end_matrix(&m, at);
        at = begin_matrix(&m, OPAQUE, 0, NULL, "o");
        add_element(&m, INT8, "MCOS", 4, 1);
        end_matrix(&m, at);
        at = begin_matrix(&m, FUNCTION, 2, (int32_t[]){1, 1}, "f");
        end_matrix(&m, at);
        add_matrix(&m, REAL | COMPLEX, 1, 1, "c", UINT8, "\1", 1);
        at = begin_matrix(&m, REAL, 3, (int32_t[]){1, 1, 1}, "three");
        add_element(&m, UINT8, "\1", 1, 1);
        end_matrix(&m, at);
        add_matrix(&m, REAL, 0, 3, "none", DOUBLE, NULL, 8);
        at = begin_matrix(&m, CELL, 2, (int32_t[]){1, 1}, "cells");
        inner = begin_matrix(&m, REAL, 2, (int32_t[]){1, 1}, "");
        add_element(&m, UINT8, "\1", 1, 1);
        end_nested(&m, inner);
        end_matrix(&m, at);
        save(&m);
        FAILS(env, RKHS_ERR_DATA, "t.mat | cell 1 | text", rkhs_data_read(env, "t.mat", NULL, &x));
        FAILS(env, RKHS_ERR_DATA,
              "s (a struct) | o (an object) | f (a function) | c (complex) | three (not of two dimensions) | none (empty) | "
              "cells (a cell array)",
              rkhs_data_read(env, "t.mat", "mat(key=X)", &x));
        FAILS(env, RKHS_ERR_DATA, "c is complex | real numbers", rkhs_data_read(env, "t.mat", "mat(c)", &x));
        FAILS(env, RKHS_ERR_DATA, "s is a struct", rkhs_data_read(env, "t.mat", "mat(s)", &x));
        add_matrix(&m, REAL, 2, 3, "Z", DOUBLE, columns6, 8); /* the only matrix */
        save(&m);
        reads_as_range(env, "t.mat", NULL, 2, 3);
    }
}

static void other_versions_and_other_files_are_refused_with_what_to_do(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    maker m;
    start(&m, 0, 0);
    m.bytes[125] = 2;
    save(&m);
    FAILS(env, RKHS_ERR_FORMAT, "t.mat | version 7.3 | HDF5 | save('X.mat', 'X', '-v7')",
          rkhs_data_read(env, "t.mat", NULL, &x));
    m.bytes[125] = 3;
    save(&m);
    FAILS(env, RKHS_ERR_FORMAT, "version | '-v7'", rkhs_data_read(env, "t.mat", NULL, &x));
    put_bytes("t.mat", "\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0X\0\0\0\0\0\0\0\0", 30);
    FAILS(env, RKHS_ERR_FORMAT, "t.mat | level 4 | level 5 | MATLAB", rkhs_data_read(env, "t.mat", NULL, &x));
    put_text("t.mat", "1,2\n3,4\n");
    FAILS(env, RKHS_ERR_FORMAT, "t.mat | not a MAT file", rkhs_data_read(env, "t.mat", NULL, &x));
    put_text("t.mat", "");
    FAILS(env, RKHS_ERR_DATA, "t.mat: the file is empty", rkhs_data_read(env, "t.mat", NULL, &x));
    start(&m, 0, 0);
    save(&m);
    FAILS(env, RKHS_ERR_DATA, "t.mat | no variable", rkhs_data_read(env, "t.mat", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "mat is read, not written", rkhs_format_check(env, "o.mat", NULL, NULL));
}

/* ---- damage ---------------------------------------------------------------------------------------------------- */

enum { EXAMPLES = 6 };

/* A file of one variable: dense, sparse or cells, each stored and packed. */
static void save_example(int which) {
    static const char *const words[] = {"cat", "a dog"};
    maker m;
    switch (which / 2) {
    case 0:
        start(&m, 0, which % 2);
        add_matrix(&m, REAL, 2, 3, "X", DOUBLE, columns6, 8);
        save(&m);
        break;
    case 1: save_sparse(2 * (which % 2), (int32_t[]){0, 2, 1}, (int32_t[]){0, 2, 3}, (double[]){1, 2, 3}, 3, 0); break;
    default: save_cells(2 * (which % 2), 2, words, "w");
    }
}

static void a_file_cut_at_any_byte_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    size_t length;
    for (int which = 0; which < EXAMPLES; which++) {
        save_example(which);
        OK(env, rkhs_data_read(env, "t.mat", NULL, &x));
        rkhs_data_free(x);
        char *bytes = get_bytes("t.mat", &length);
        for (size_t cut = 0; cut < length; cut++) {
            put_bytes("t.mat", bytes, cut);
            FAILS(env, cut == 0 || cut == 128 ? RKHS_ERR_DATA : RKHS_ERR_FORMAT,
                  "t.mat: ", rkhs_data_read(env, "t.mat", NULL, &x));
        }
        free(bytes);
    }
}

/* Reads data and labels, which may be refused, with little memory; nothing may be left behind. */
static void read_all_ways(rkhs_env *env) {
    rkhs_data *x = NULL;
    if (rkhs_data_read(env, "t.mat", NULL, &x) != RKHS_OK) assert_true(strlen(rkhs_env_message(env)) > 10);
    rkhs_data_free(x);
    x = NULL;
    if (rkhs_data_read_labels(env, "t.mat", NULL, &x) != RKHS_OK) assert_true(strlen(rkhs_env_message(env)) > 10);
    rkhs_data_free(x);
    assert_int_equal(atomic_load(&env->used), 0);
}

static void sizes_that_lie_are_read_or_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const uint32_t lies[] = {0,  1,       2,       3,          7,          8,          14,        15,
                                    64, 0x10005, 0x50001, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff};
    size_t length;
    OK(env, rkhs_env_set_memory(env, 1 << 20));
    for (int which = 0; which < EXAMPLES; which++) {
        save_example(which & ~1); /* the lie is told inside what is packed, too */
        unsigned char *bytes = (unsigned char *)get_bytes("t.mat", &length), packed[4096];
        for (size_t at = 128; at + 4 <= length; at += 4)
            for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
                uint32_t truth;
                memcpy(&truth, bytes + at, 4);
                memcpy(bytes + at, &lies[k], 4);
                uLongf count = sizeof packed - 136;
                if (which & 1) {
                    memcpy(packed, bytes, 128);
                    assert_int_equal(compress(packed + 136, &count, bytes + 128, length - 128), Z_OK);
                    memcpy(packed + 128, (uint32_t[]){COMPRESSED, (uint32_t)count}, 8);
                }
                put_bytes("t.mat", which & 1 ? packed : bytes, which & 1 ? 136 + count : length);
                read_all_ways(env);
                memcpy(bytes + at, &truth, 4);
            }
        free(bytes);
    }
}

static void a_packed_variable_with_a_flipped_bit_is_refused_or_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    size_t length;
    for (int which = 1; which < EXAMPLES; which += 2) {
        save_example(which);
        char *bytes = get_bytes("t.mat", &length);
        for (size_t bit = 8 * 136; bit < 8 * length; bit++) {
            bytes[bit / 8] ^= (char)(1 << bit % 8);
            put_bytes("t.mat", bytes, length);
            bytes[bit / 8] ^= (char)(1 << bit % 8);
            if (rkhs_data_read(env, "t.mat", NULL, &x) != RKHS_OK) continue;
            if (which == 1) assert_memory_equal(rkhs_data_values(x, NULL), ((double[]){0, 1, 2, 3, 4, 5}), 48);
            if (which == 3) assert_memory_equal(((const rk_sparse *)x->self)->values, ((double[]){1, 3, 2}), 24);
            if (which == 5) strings_are(x, 2, (const char *[]){"cat", "a dog"});
            rkhs_data_free(x);
        }
        free(bytes);
    }
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int which = 0; which < EXAMPLES; which++) {
        save_example(which);
        for (int64_t k = 0;; k++) {
            rkhs_data *x = NULL;
            env->allocations = 0;
            env->fail_at = k;
            rkhs_status status = rkhs_data_read(env, "t.mat", NULL, &x);
            env->fail_at = -1;
            rkhs_data_free(x);
            assert_int_equal(atomic_load(&env->used), 0);
            if (status == RKHS_OK) break;
            assert_int_equal(status, RKHS_ERR_MEMORY);
        }
    }
}

static void what_scipy_saves_is_read(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const words[] = {"Z\xc3\xbcrich", "a", "\xe2\x82\xac 5"};
    rkhs_data *x;
    if (system("/usr/bin/python3 -c 'import scipy.io' 2>/dev/null") != 0) skip();
    put_text("make.py", "import numpy as np, scipy.io, scipy.sparse\n"
                        "a = np.arange(1200.).reshape(40, 30)\n"
                        "for packed in (False, True):\n"
                        "    scipy.io.savemat('%d.mat' % packed, {'X': a, 'i': a.astype('i2'), 'y': np.array(['Z\\u00fcrich', "
                        "'a', '\\u20ac 5'], object),\n"
                        "        's': {'t': [1, 2]}, 'S': scipy.sparse.csc_matrix(np.eye(3))}, do_compression=packed)\n");
    assert_int_equal(system("/usr/bin/python3 make.py"), 0);
    for (int k = 0; k < 2; k++) {
        reads_as_range(env, k ? "1.mat" : "0.mat", NULL, 40, 30);
        reads_as_range(env, k ? "1.mat" : "0.mat", "mat(key=i)", 40, 30);
        OK(env, rkhs_data_read(env, k ? "1.mat" : "0.mat", "mat(key=S)", &x));
        assert_int_equal(((const rk_sparse *)x->self)->starts[3], 3);
        rkhs_data_free(x);
        OK(env, rkhs_data_read(env, k ? "1.mat" : "0.mat", "mat(key=y)", &x));
        strings_are(x, 3, words);
        rkhs_data_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(every_type_of_number_reads_the_same_in_both_byte_orders_packed_or_not),
        FILES_TEST(numbers_beside_their_type_and_several_variables_are_read),
        FILES_TEST(logicals_are_zero_and_one_and_labels_are_classes),
        FILES_TEST(integers_past_2_to_53_are_rounded_as_numbers_and_refused_as_labels),
        FILES_TEST(sparse_matrices_become_sparse_rows),
        FILES_TEST(sparse_matrices_that_lie_are_refused),
        FILES_TEST(rows_of_characters_and_cells_of_them_are_strings_and_labels),
        FILES_TEST(structs_objects_and_the_like_are_passed_over_or_named),
        FILES_TEST(other_versions_and_other_files_are_refused_with_what_to_do),
        FILES_TEST(a_file_cut_at_any_byte_is_refused),
        FILES_TEST(sizes_that_lie_are_read_or_refused),
        FILES_TEST(a_packed_variable_with_a_flipped_bit_is_refused_or_the_same),
        FILES_TEST(every_failed_allocation_is_survived),
        FILES_TEST(what_scipy_saves_is_read),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
