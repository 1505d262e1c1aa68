/* NumPy arrays: every real type and order, labels, truncation at every byte, hostile headers. */
#include "files.h"

#include <zlib.h>

#include "data/data.h"

/* Writes an NPY with a header given as text. */
static void put_npy(const char *path, int version, const char *dictionary, const void *data, size_t bytes) {
    FILE *out = fopen(path, "wb");
    size_t length = strlen(dictionary);
    fwrite("\x93NUMPY", 1, 6, out);
    fputc(version, out);
    fputc(0, out);
    for (int i = 0; i < (version == 1 ? 2 : 4); i++) fputc((int)(length >> 8 * i & 0xff), out);
    fwrite(dictionary, 1, length, out);
    fwrite(data, 1, bytes, out);
    fclose(out);
}

/* Runs a line of NumPy; skips the test where there is none. */
static void numpy(const char *code) {
    put_text("make.py", code);
    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) skip();
    assert_int_equal(system("/usr/bin/python3 make.py"), 0);
}

static const double six[] = {0, 1, 2, 3, 4, 5};

/* The file reads as n x p with values 0, 1, 2, ...; an array of 32-bit numbers stays one where floats are taken. */
static void reads_as_range(rkhs_env *env, const char *path, int64_t n, int64_t p) {
    rkhs_data *x;
    for (int floats = 0; floats < 2; floats++) {
        OK(env, floats ? rkhs_data_read_for(env, path, NULL, NULL, &x) : rkhs_data_read(env, path, NULL, &x));
        assert_int_equal(rkhs_data_rows(x), n);
        assert_int_equal(rkhs_data_columns(x), p);
        const double *v = rkhs_data_values(x, NULL);
        const float *f = rkhs_data_floats(x, NULL);
        assert_int_equal(f != NULL, floats && strncmp(path, "f4", 2) == 0);
        assert_int_equal(f == NULL, v != NULL);
        for (int64_t i = 0; i < n * p; i++)
            if ((v ? v[i] : (double)f[i]) != (double)i) fail_msg("%s: element %d is not so", path, (int)i);
        rkhs_data_free(x);
    }
}

static void every_real_type_and_order_reads_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    numpy("import numpy as np, gzip\n"
          "names = []\n"
          "for kind in 'i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8'.split():\n"
          "    for byte in '<>':\n"
          "        for order in 'CF':\n"
          "            for version in (1, 2, 3):\n"
          "                name = f'{kind}{\"L\" if byte == \"<\" else \"B\"}{order}{version}.npy'\n"
          "                a = np.array(np.arange(12).reshape(3, 4), dtype=byte + kind, order=order)\n"
          "                with open(name, 'wb') as f: np.lib.format.write_array(f, a, version=(version, 0))\n"
          "                if version == 1:\n"
          "                    with open(name, 'rb') as f, gzip.open(name + '.gz', 'wb') as g: g.write(f.read())\n"
          "                    names.append(name + '.gz')\n"
          "                names.append(name)\n"
          "open('names', 'w').write('\\n'.join(names) + '\\n')\n");
    FILE *in = fopen("names", "r");
    char name[64];
    int count = 0;
    for (; fscanf(in, "%63s", name) == 1; count++) reads_as_range(env, name, 3, 4);
    fclose(in);
    assert_int_equal(count, 11 * 2 * 2 * 4);
}

static void shapes_become_rows_and_columns(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    numpy("import numpy as np\n"
          "np.save('line.npy', np.arange(5.))\n"
          "np.save('image.npy', np.arange(24.).reshape(2, 3, 4))\n"
          "np.save('imagef.npy', np.asfortranarray(np.arange(24, dtype='i4').reshape(2, 3, 4)))\n"
          "np.save('deep.npy', np.asfortranarray(np.arange(5000.).reshape(10, 5, 2, 50)))\n"
          "np.save('bool.npy', np.array([[False, True]]))\n"
          "np.save('half.npy', np.array([1.5, -2, 6e-8, 65504, 0.1], dtype='f2'))\n"
          "np.save('big.npy', np.array([2**64 - 1], dtype='u8'))\n");
    reads_as_range(env, "line.npy", 5, 1);
    reads_as_range(env, "image.npy", 2, 12);
    reads_as_range(env, "imagef.npy", 2, 12);
    reads_as_range(env, "deep.npy", 10, 500);
    reads_as_range(env, "bool.npy", 1, 2);
    rkhs_data *x;
    OK(env, rkhs_data_read(env, "half.npy", NULL, &x));
    const double *v = rkhs_data_values(x, NULL);
    NEAR(v[0], 1.5, 0);
    NEAR(v[1], -2, 0);
    NEAR(v[2], ldexp(1, -24), 0);
    NEAR(v[3], 65504, 0);
    NEAR(v[4], 0.0999755859375, 0);
    rkhs_data_free(x);
    OK(env, rkhs_data_read(env, "big.npy", NULL, &x));
    NEAR(rkhs_data_values(x, NULL)[0], ldexp(1, 64), 0);
    rkhs_data_free(x);
}

static void a_large_file_is_read_in_pieces(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 1000, P = 700 };
    float *v = malloc(N * P * sizeof *v);
    double *d = malloc(N * P * sizeof *d);
    for (int i = 0; i < N * P; i++) d[i] = v[i] = (float)i;
    put_npy("f4.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 700), }\n", v, N * P * sizeof *v);
    reads_as_range(env, "f4.npy", N, P);
    put_npy("f8.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 700), }\n", d, N * P * sizeof *d);
    reads_as_range(env, "f8.npy", N, P);
    assert_true(rkhs_env_memory_peak(env) < N * P * sizeof *d + (2 << 20)); /* not twice */
    free(v);
    free(d);
}

static void what_is_written_reads_back(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double v[] = {1, 2, 99, 3, 4, 99};
    rkhs_data *x, *back;
    OK(env, rkhs_data_dense(env, v, 2, 2, 3, &x));
    OK(env, rkhs_data_write(x, "o.npy", NULL));
    OK(env, rkhs_data_write(x, "o.bin", "npy"));
    OK(env, rkhs_data_read(env, "o.npy", NULL, &back));
    assert_int_equal(rkhs_data_columns(back), 2);
    NEAR(rkhs_data_values(back, NULL)[2], 3, 0);
    rkhs_data_free(back);
    rkhs_data_free(x);
    numpy("import numpy as np\nassert np.load('o.npy').tolist() == [[1, 2], [3, 4]] and np.load('o.bin').shape == (2, 2)\n");
}

/* Floats are mapped, also as images, and written as they are. */
static void floats_stay_in_their_file(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    float v[] = {1, 2, 3, 4, 5, 6, 7, 8};
    rkhs_data *x, *back;
    int64_t h;
    put_npy("f4.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }  \n", v, sizeof v);
    put_npy("images.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2), }   \n", v, sizeof v);
    for (int image = 0; image < 2; image++) {
        OK(env, rkhs_data_read_for(env, image ? "images.npy" : "f4.npy", NULL, NULL, &x));
        assert_non_null(((const rk_dense *)x->self)->map.base);
        assert_memory_equal(rkhs_data_floats(x, NULL), v, sizeof v);
        assert_int_equal(rkhs_data_shape(x, &h, NULL, NULL), image);
        OK(env, rkhs_data_write(x, "o.npy", NULL));
        OK(env, rkhs_data_write(x, "o.npz", NULL));
        OK(env, rkhs_data_write(x, "o.csv", NULL));
        OK(env, rkhs_data_write(x, "o.svm", NULL));
        OK(env, rkhs_data_read_for(env, "o.npy", NULL, NULL, &back));
        assert_memory_equal(rkhs_data_floats(back, NULL), v, sizeof v);
        rkhs_data_free(back);
        OK(env, rkhs_data_read_for(env, "o.npz", NULL, NULL, &back));
        assert_memory_equal(rkhs_data_floats(back, NULL), v, sizeof v);
        rkhs_data_free(back);
        OK(env, rkhs_data_read_for(env, "o.csv", NULL, NULL, &back));
        for (int i = 0; i < 8; i++) NEAR(rkhs_data_values(back, NULL)[i], (double)v[i], 0);
        rkhs_data_free(back);
        rkhs_data_free(x);
    }
    v[5] = NAN;
    put_npy("f4.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }\n", v, sizeof v);
    FAILS(env, RKHS_ERR_DATA, "f4.npy | row 2, column 2 | NaN", rkhs_data_read_for(env, "f4.npy", NULL, NULL, &x));
    put_npy("f4.npy", 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (4, 2), }\n", v, sizeof v);
    FAILS(env, RKHS_ERR_DATA, "f4.npy | row 2, column 2 | NaN", rkhs_data_read_for(env, "f4.npy", NULL, NULL, &x));
    put_npy("f4.npy", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }\n", v, sizeof v - 1);
    FAILS(env, RKHS_ERR_FORMAT, "f4.npy | ends early", rkhs_data_read_for(env, "f4.npy", NULL, NULL, &x));
}

static void the_wrong_content_is_named(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
#define REFUSED(words, descr, shape, bytes)                                                                                    \
    do {                                                                                                                       \
        put_npy("t.npy", 1, "{'descr': " descr ", 'fortran_order': False, 'shape': " shape ", }\n", six, bytes);               \
        rkhs_status s = rkhs_data_read(env, "t.npy", NULL, &x);                                                                \
        assert_true(s == RKHS_ERR_DATA || s == RKHS_ERR_FORMAT);                                                               \
        if (!says(rkhs_env_message(env), words)) fail_msg("%s", rkhs_env_message(env));                                        \
    } while (0)
    REFUSED("t.npy | complex", "'<c16'", "(3,)", 48);
    REFUSED("t.npy | Python | objects", "'|O'", "(3,)", 24);
    REFUSED("t.npy | fields", "[('a', '<f8')]", "(3,)", 24);
    REFUSED("t.npy: the array holds text", "'<U2'", "(3,)", 24);
    REFUSED("t.npy: the array holds dates", "'<M8[ns]'", "(3,)", 24);
    REFUSED("t.npy | f16", "'<f16'", "(3,)", 48);
    REFUSED("t.npy | single number", "'<f8'", "()", 8);
    REFUSED("t.npy | empty | 0 x 3", "'<f8'", "(0, 3)", 0);
    REFUSED("t.npy | early | 72 bytes | header | 48", "'<f8'", "(3, 3)", 48);
    REFUSED("t.npy | follow | 40", "'<f8'", "(5,)", 48);
    REFUSED("t.npy | header | NumPy | damaged", "'<f8", "(6,)", 48);
    REFUSED("t.npy | header | NumPy | damaged", "'<q8'", "(6,)", 48);
    REFUSED("t.npy | header | NumPy | damaged | shape", "'<f8'", "(1000000000000000000, 400)", 48);
    REFUSED("t.npy | header | NumPy | damaged | shape", "'<f8'", "(99999999999999999999999, 4)", 48);
    REFUSED("t.npy | header | NumPy | damaged | shape", "'<f8'", "(-1, 4)", 48);
    static const double nan[] = {1, 2, 3, NAN}, inf[] = {1, -INFINITY}, big[] = {1e151};
    put_npy("t.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", nan, 32);
    FAILS(env, RKHS_ERR_DATA, "t.npy | row 2 | column 2 | NaN", rkhs_data_read(env, "t.npy", NULL, &x));
    put_npy("t.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", inf, 16);
    FAILS(env, RKHS_ERR_DATA, "t.npy | row 2 | column 1 | -inf", rkhs_data_read(env, "t.npy", NULL, &x));
    put_npy("t.npy", 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", big, 8);
    FAILS(env, RKHS_ERR_DATA, "past 1e150", rkhs_data_read(env, "t.npy", NULL, &x));
    put_npy("t.npy", 4, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", big, 8);
    FAILS(env, RKHS_ERR_FORMAT, "version 4.0 is newer", rkhs_data_read(env, "t.npy", NULL, &x));
    put_text("t.npy", "");
    FAILS(env, RKHS_ERR_DATA, "t.npy: the file is empty", rkhs_data_read(env, "t.npy", NULL, &x));
    put_text("t.npy", "no numbers here");
    FAILS(env, RKHS_ERR_FORMAT, "t.npy | NumPy", rkhs_data_read(env, "t.npy", NULL, &x));
}

static void a_file_cut_at_any_byte_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const heads[] = {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n",
                                        "{'descr': '>i4', 'fortran_order': True, 'shape': (6, 2), }\n"};
    for (int k = 0; k < 4; k++) {
        size_t n;
        rkhs_data *x;
        put_npy("t.npy", 1 + k / 2, heads[k % 2], six, sizeof six);
        char *bytes = get_bytes("t.npy", &n);
        OK(env, rkhs_data_read(env, "t.npy", NULL, &x));
        rkhs_data_free(x);
        for (size_t cut = 0; cut < n; cut++) {
            put_bytes("t.npy", bytes, cut);
            assert_int_not_equal(rkhs_data_read(env, "t.npy", NULL, &x), RKHS_OK);
            assert_true(says(rkhs_env_message(env), "t.npy: "));
            gzFile out = gzopen("t.npy", "wb"); /* the same through gzip, where no length is known before */
            gzwrite(out, bytes, (unsigned)cut);
            gzclose(out);
            assert_int_not_equal(rkhs_data_read(env, "t.npy", NULL, &x), RKHS_OK);
        }
        free(bytes);
    }
}

static void a_header_cannot_ask_for_memory_that_the_file_does_not_fill(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    size_t n;
    put_npy("t.npy", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (100000000, 1000), }", six, sizeof six);
    FAILS(env, RKHS_ERR_FORMAT, "ends early", rkhs_data_read(env, "t.npy", NULL, &x));
    char *bytes = get_bytes("t.npy", &n);
    gzFile out = gzopen("t.npy.gz", "wb");
    gzwrite(out, bytes, (unsigned)n);
    gzclose(out);
    FAILS(env, RKHS_ERR_FORMAT, "ends early", rkhs_data_read(env, "t.npy.gz", NULL, &x));
    assert_true(rkhs_env_memory_peak(env) < 4 << 20);
    free(bytes);
}

static void mutated_files_are_read_or_refused_never_a_crash(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const heads[] = {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n",
                                        "{'descr': '|u1', 'fortran_order': True, 'shape': (4, 2, 6), }\n",
                                        "{'descr': '<U3', 'fortran_order': False, 'shape': (4,), }\n",
                                        "{'descr': '>i2', 'fortran_order': False, 'shape': (24,), }\n"};
    static const char alphabet[] = "0123456789<>|fiuSUbcOTrueFals(),{}'\": \n[]L";
    rkhs_env_set_memory(env, 64 << 20);
    for (uint64_t round = 0; round < 12000; round++) {
        size_t n;
        uint64_t r[4];
        put_npy("t.npy", 1 + (int)(round % 3), heads[round % 4], six, sizeof six);
        char *bytes = get_bytes("t.npy", &n);
        for (uint64_t e = 0; e < 1 + round % 4; e++) {
            rk_random(13, RK_STREAM_TEST, round, e, r);
            bytes[r[0] % (r[2] % 4 ? n - 48 : n)] = r[1] % 3 ? alphabet[r[3] % (sizeof alphabet - 1)] : (char)r[3];
        }
        put_bytes("t.npy", bytes, n);
        free(bytes);
        for (int labels = 0; labels < 2; labels++) {
            rkhs_data *x;
            rkhs_status status =
                labels ? rkhs_data_read_labels(env, "t.npy", NULL, &x) : rkhs_data_read(env, "t.npy", NULL, &x);
            if (status == RKHS_OK)
                assert_true(rkhs_data_rows(x) > 0);
            else if (status == RKHS_ERR_BUG || !says(rkhs_env_message(env), "t.npy"))
                fail_msg("%s", rkhs_env_message(env));
            rkhs_data_free(x);
        }
    }
}

static void labels_are_numbers_or_text(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const paths[] = {"i.npy", "u.npy", "f.npy", "b.npy", "S.npy", "U.npy", "V.npy", "column.npy"};
    static const char *const first[] = {"-1", "3", "0.5", "0", "ab", "caf\xc3\xa9", "\xf0\x9f\x90\x88", "7"};
    numpy("import numpy as np\n"
          "np.save('i.npy', np.array([5, -1, 5]))\n"
          "np.save('u.npy', np.array([5, 3, 5], dtype='u1'))\n"
          "np.save('f.npy', np.array([0.5, 2.0, 0.5], dtype='f4'))\n"
          "np.save('b.npy', np.array([True, False]))\n"
          "np.save('S.npy', np.array([b'ab', b'c']))\n"
          "np.save('U.npy', np.array(['caf\\u00e9', 'x', 'caf\\u00e9']))\n"
          "np.save('V.npy', np.array(['\\U0001f408', 'dog']).astype('>U7'))\n"
          "np.save('column.npy', np.array([[7], [8]]))\n"
          "np.save('long.npy', np.array([2**53 + 1, 2**53]))\n"
          "np.save('two.npy', np.array([[7, 8]]))\n");
    rkhs_data *y;
    for (int i = 0; i < 8; i++) {
        OK(env, rkhs_data_read_labels(env, paths[i], NULL, &y));
        assert_string_equal(rkhs_data_class_name(y, 0), first[i]);
        rkhs_data_free(y);
    }
    FAILS(env, RKHS_ERR_DATA, "past 2^53", rkhs_data_read_labels(env, "long.npy", NULL, &y));
    FAILS(env, RKHS_ERR_DATA, "two.npy | 2 columns | labels", rkhs_data_read_labels(env, "two.npy", NULL, &y));
}

static void labels_are_written_as_integers_or_text(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const int64_t codes[] = {1, 0, 1};
    static const char *const numbers[] = {"-4", "12"}, *const words[] = {"caf\xc3\xa9", "\xf0\x9f\x90\x88!\xff"},
                             *const zero[] = {"01", "1"};
    rkhs_data *y, *back;
    OK(env, rkhs_data_classes(env, codes, 3, numbers, 2, &y));
    OK(env, rkhs_data_write(y, "i.npy", NULL));
    OK(env, rkhs_data_read_labels(env, "i.npy", NULL, &back));
    assert_memory_equal(rkhs_data_codes(back, NULL), codes, sizeof codes);
    rkhs_data_free(back);
    rkhs_data_free(y);
    OK(env, rkhs_data_classes(env, codes, 3, words, 2, &y));
    OK(env, rkhs_data_write(y, "u.npy", NULL));
    rkhs_data_free(y);
    OK(env, rkhs_data_classes(env, codes, 3, zero, 2, &y));
    OK(env, rkhs_data_write(y, "z.npy", NULL));
    rkhs_data_free(y);
    numpy("import numpy as np\n"
          "i, u, z = (np.load(n + '.npy') for n in 'iuz')\n"
          "assert i.dtype == '<i8' and i.tolist() == [12, -4, 12]\n"
          "assert u.tolist() == ['\\U0001f408!\\ufffd', 'caf\\u00e9', '\\U0001f408!\\ufffd'], u\n"
          "assert z.tolist() == ['1', '01', '1']\n");
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    put_npy("t.npy", 1, "{'descr': '<i4', 'fortran_order': True, 'shape': (12, 1), }\n", six, sizeof six);
    for (int labels = 0; labels < 2; labels++)
        for (int64_t k = 0;; k++) {
            rkhs_data *x;
            env->allocations = 0;
            env->fail_at = k;
            rkhs_status status =
                labels ? rkhs_data_read_labels(env, "t.npy", NULL, &x) : rkhs_data_read(env, "t.npy", NULL, &x);
            env->fail_at = -1;
            rkhs_data_free(x);
            assert_int_equal(atomic_load(&env->used), 0);
            if (status == RKHS_OK) break;
            assert_int_equal(status, RKHS_ERR_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(every_real_type_and_order_reads_the_same),
        FILES_TEST(shapes_become_rows_and_columns),
        FILES_TEST(a_large_file_is_read_in_pieces),
        FILES_TEST(what_is_written_reads_back),
        FILES_TEST(floats_stay_in_their_file),
        FILES_TEST(the_wrong_content_is_named),
        FILES_TEST(a_file_cut_at_any_byte_is_refused),
        FILES_TEST(a_header_cannot_ask_for_memory_that_the_file_does_not_fill),
        FILES_TEST(mutated_files_are_read_or_refused_never_a_crash),
        FILES_TEST(labels_are_numbers_or_text),
        FILES_TEST(labels_are_written_as_integers_or_text),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
