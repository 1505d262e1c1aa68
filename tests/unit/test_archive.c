/* Archives: what is put is got back, NumPy opens it, and nothing damaged or crafted gets through. */
#include "files.h"

/* Puts one array of each type and shape. `values` must live until the archive is written. */
static void fill(rkhs_env *env, rk_archive *a, const double *values, const int64_t *counts) {
    OK(env, rk_archive_put_text(a, "spec", "kpca(dim=2)"));
    OK(env, rk_archive_put_text(a, "empty", ""));
    OK(env, rk_archive_put_int(a, "version", -3));
    OK(env, rk_archive_put_real(a, "scale", 0.1));
    OK(env, rk_archive_put(a, "kept/values", &(rk_array){'d', 2, {2, 3}, values}));
    OK(env, rk_archive_put(a, "kept/counts", &(rk_array){'q', 1, {4}, counts}));
    OK(env, rk_archive_put(a, "cube", &(rk_array){'d', 3, {1, 2, 3}, values}));
    OK(env, rk_archive_put(a, "none", &(rk_array){'d', 2, {0, 3}, NULL}));
}

static const double six[] = {1, -2.5, 1e-300, 4, 5e100, -0.0};
static const int64_t four[] = {0, -1, INT64_MAX, INT64_MIN};

static void write_sample(rkhs_env *env, const char *path, uint64_t zip64) {
    rk_archive *a;
    OK(env, rk_archive_new(env, &a));
    if (zip64) rk_archive_set_zip64(a, zip64);
    fill(env, a, six, four);
    OK(env, rk_archive_write(a, path));
    rk_archive_free(a);
}

static void check_sample(rkhs_env *env, const char *path) {
    rk_archive *a;
    rk_array got;
    const char *text;
    int64_t whole;
    double real;
    OK(env, rk_archive_read(env, path, &a));
    assert_int_equal(rk_archive_count(a), 8);
    assert_string_equal(rk_archive_name(a, 4), "kept/values");
    assert_null(rk_archive_name(a, 8));
    assert_int_equal(rk_archive_type(a, 0), 'S');
    assert_int_equal(rk_archive_type(a, 5), 'q');
    assert_string_equal(rk_archive_path(a), path);
    OK(env, rk_archive_get_text(a, "spec", &text));
    assert_string_equal(text, "kpca(dim=2)");
    OK(env, rk_archive_get_text(a, "empty", &text));
    assert_string_equal(text, "");
    OK(env, rk_archive_get_int(a, "version", &whole));
    assert_int_equal(whole, -3);
    OK(env, rk_archive_get_real(a, "scale", &real));
    assert_true(real == 0.1);
    OK(env, rk_archive_get(a, "kept/values", 'd', 2, &got));
    assert_int_equal(got.shape[0], 2);
    assert_int_equal(got.shape[1], 3);
    assert_memory_equal(got.data, six, sizeof six);
    assert_int_equal((uintptr_t)got.data % 8, 0);
    OK(env, rk_archive_get(a, "kept/counts", 'q', 1, &got));
    assert_memory_equal(got.data, four, sizeof four);
    OK(env, rk_archive_get(a, "cube", 'd', -1, &got));
    assert_int_equal(got.ndim, 3);
    OK(env, rk_archive_get(a, "none", 'd', 2, &got));
    assert_int_equal(got.shape[0], 0);
    assert_true(rk_archive_has(a, "cube"));
    assert_false(rk_archive_has(a, "tube"));
    rk_archive_free(a);
}

static void what_is_put_is_got_back(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    write_sample(env, "m.rkhs", 0);
    check_sample(env, "m.rkhs");
}

static void the_64_bit_forms_read_back_too(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const uint64_t from[] = {1, 100, 150, 200, 300, 1000, 2000, 2500};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        write_sample(env, "wide.rkhs", from[i]);
        check_sample(env, "wide.rkhs");
    }
}

static void the_bytes_depend_on_the_contents_alone(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t na, nb;
    write_sample(env, "a.rkhs", 0);
    write_sample(env, "b.rkhs", 0);
    char *a = get_bytes("a.rkhs", &na), *b = get_bytes("b.rkhs", &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    free(a);
    free(b);
}

static void data_stands_on_64_byte_borders(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t n;
    write_sample(env, "a.rkhs", 0);
    char *a = get_bytes("a.rkhs", &n), *at = memmem(a, n, six, sizeof six);
    assert_non_null(at);
    assert_int_equal((at - a) % 64, 0);
    free(a);
}

static void numpy_opens_it(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) skip();
    write_sample(env, "m.rkhs", 0);
    write_sample(env, "w.rkhs", 1);
    write_sample(env, "x.rkhs", 1000);
    put_text("read.py",
             "import numpy, zipfile\n"
             "for name in 'mwx':\n"
             "    assert zipfile.ZipFile(name + '.rkhs').testzip() is None\n"
             "    assert numpy.load(name + '.rkhs')['kept/values'][0, 1] == -2.5\n"
             "a = numpy.load('m.rkhs')\n"
             "assert a.files == ['spec', 'empty', 'version', 'scale', 'kept/values', 'kept/counts', 'cube', 'none'], a.files\n"
             "assert a['spec'][()] == b'kpca(dim=2)' and a['empty'][()] == b''\n"
             "assert a['version'] == -3 and a['scale'] == 0.1\n"
             "assert a['kept/values'].shape == (2, 3) and a['kept/values'][1, 1] == 5e100\n"
             "assert a['kept/counts'].tolist() == [0, -1, 2**63 - 1, -2**63]\n"
             "assert a['cube'].shape == (1, 2, 3) and a['none'].shape == (0, 3)\n");
    assert_int_equal(system("/usr/bin/python3 read.py"), 0);
}

static void every_flipped_byte_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    size_t n;
    write_sample(env, "m.rkhs", 0);
    char *bytes = get_bytes("m.rkhs", &n);
    for (size_t i = 0; i < n; i++) {
        static const unsigned char flips[] = {0x01, 0x80};
        for (int k = 0; k < 2; k++) {
            bytes[i] ^= (char)flips[k];
            put_bytes("d.rkhs", bytes, n);
            rk_begin_call(env);
            FAILS(env, RKHS_ERR_FORMAT, "d.rkhs: ", rk_archive_read(env, "d.rkhs", &a));
            assert_null(a);
            bytes[i] ^= (char)flips[k];
        }
    }
    bytes[n / 2] ^= 1;
    put_bytes("d.rkhs", bytes, n);
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_FORMAT, "d.rkhs | damaged | checksum", rk_archive_read(env, "d.rkhs", &a));
    free(bytes);
}

static void every_truncation_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    size_t n;
    write_sample(env, "m.rkhs", 0);
    char *bytes = get_bytes("m.rkhs", &n);
    for (size_t cut = 0; cut < n; cut++) {
        put_bytes("d.rkhs", bytes, cut);
        rk_begin_call(env);
        FAILS(env, RKHS_ERR_FORMAT, "d.rkhs: ", rk_archive_read(env, "d.rkhs", &a));
    }
    put_bytes("d.rkhs", bytes, n + 1); /* a zero more */
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_FORMAT, "d.rkhs: ", rk_archive_read(env, "d.rkhs", &a));
    put_text("d.rkhs", "sepal,petal\n1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n15,16\n17,18\n");
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_FORMAT, "d.rkhs | not an rkhs model", rk_archive_read(env, "d.rkhs", &a));
    free(bytes);
}

/* Puts the right checksum at the end, as somebody who means harm would. */
static void seal(char *bytes, size_t n) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i + 30 < n; i++) hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    char text[32];
    snprintf(text, sizeof text, "rkhs1 fnv1a64=%016llx", (unsigned long long)hash);
    memcpy(bytes + n - 30, text, 30);
}

/* Reads a file that may be anything; uses what it gives. */
static void use(rkhs_env *env, const char *path) {
    rk_archive *a;
    rk_begin_call(env);
    rkhs_status status = rk_archive_read(env, path, &a);
    if (status != RKHS_OK) {
        assert_true(status == RKHS_ERR_FORMAT || status == RKHS_ERR_MEMORY);
        assert_true(rkhs_env_message(env)[0]);
        return;
    }
    for (int64_t i = 0; i < rk_archive_count(a); i++) {
        rk_array got;
        const char *text;
        char type = rk_archive_type(a, i);
        OK(env, rk_archive_get(a, rk_archive_name(a, i), type, -1, &got));
        int64_t count = 1;
        for (int d = 0; d < got.ndim; d++) count *= got.shape[d];
        volatile char sum = 0;
        for (int64_t b = 0; b < count * (type == 'S' ? 1 : 8); b++) sum = (char)(sum + ((const char *)got.data)[b]);
        if (type == 'S' && rk_archive_get_text(a, rk_archive_name(a, i), &text) == RKHS_OK) sum = (char)strlen(text);
        rk_begin_call(env);
    }
    rk_archive_free(a);
}

static void crafted_files_with_a_right_checksum_do_no_harm(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const unsigned char values[] = {0x00, 0x7f, 0xff};
    size_t n;
    for (int wide = 0; wide < 2; wide++) {
        write_sample(env, "m.rkhs", wide ? 100 : 0);
        char *bytes = get_bytes("m.rkhs", &n), *copy = malloc(n);
        for (size_t i = 0; i + 30 < n; i++)
            for (int k = 0; k < 3; k++) {
                memcpy(copy, bytes, n);
                copy[i] = (char)values[k];
                seal(copy, n);
                put_bytes("d.rkhs", copy, n);
                use(env, "d.rkhs");
            }
        for (int round = 0; round < 4000; round++) { /* several bytes at once, often next to each other */
            memcpy(copy, bytes, n);
            int edits = 1 + round % 6;
            size_t at = 0;
            for (int e = 0; e < edits; e++) {
                uint64_t r[4];
                rk_random(1, RK_STREAM_TEST, (uint64_t)round, (uint64_t)e, r);
                at = e % 2 ? at + 1 : r[0] % (n - 30);
                if (at + 30 < n) copy[at] = (char)r[1];
            }
            seal(copy, n);
            put_bytes("d.rkhs", copy, n);
            use(env, "d.rkhs");
        }
        free(bytes);
        free(copy);
    }
}

/* The sample with one text replaced by another of the same length, everywhere, and sealed. */
static void crafted(rkhs_env *env, const char *from, const char *to) {
    size_t n, length = strlen(from);
    write_sample(env, "m.rkhs", 0);
    char *bytes = get_bytes("m.rkhs", &n);
    for (char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), from, length)); at += length) memcpy(at, to, length);
    seal(bytes, n);
    put_bytes("c.rkhs", bytes, n);
    free(bytes);
    rk_begin_call(env);
}

static void crafted_headers_are_refused_in_words(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    crafted(env, "'shape': (2, 3)", "'shape': (2, 4)");
    FAILS(env, RKHS_ERR_FORMAT, "c.rkhs | 'kept/values' | size", rk_archive_read(env, "c.rkhs", &a));
    crafted(env, "'fortran_order': False, 'shape': (2, 3), }", "'fortran_order': True , 'shape': (2, 3), }");
    FAILS(env, RKHS_ERR_FORMAT, "Fortran order", rk_archive_read(env, "c.rkhs", &a));
    crafted(env, "'<i8'", "'>i8'");
    FAILS(env, RKHS_ERR_FORMAT, "of a type that model files do not have", rk_archive_read(env, "c.rkhs", &a));
    crafted(env, "kept/counts.npy", "kept/values.npy"); /* both have 15 letters */
    FAILS(env, RKHS_ERR_FORMAT, "a name twice", rk_archive_read(env, "c.rkhs", &a));
    crafted(env, "kept/counts.npy", "../t/counts.npy");
    FAILS(env, RKHS_ERR_FORMAT, "(a name)", rk_archive_read(env, "c.rkhs", &a));
}

/* A number of 4 bytes in a file. */
static uint32_t at32(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}
static void add32(char *bytes, uint32_t more) {
    uint32_t value = at32(bytes) + more;
    memcpy(bytes, &value, 4);
}

/* The sample with `more` bytes put in at `at`, and the places in the directory that lie behind moved. */
static void crafted_gap(rkhs_env *env, int at_directory, uint32_t more) {
    size_t n;
    write_sample(env, "m.rkhs", 0);
    char *bytes = get_bytes("m.rkhs", &n), *end = bytes + n - 52, *wide = calloc(1, n + more);
    uint32_t start = at32(end + 16), at = at_directory ? start : 0;
    for (char *e = bytes + start; e < end; e += 46 + e[28] + 256 * e[29] + e[30])
        if (at32(e + 42) >= at) add32(e + 42, more);
    add32(end + 16, more);
    memcpy(wide, bytes, at);
    memcpy(wide + at + more, bytes + at, n - at);
    seal(wide, n + more);
    put_bytes("c.rkhs", wide, n + more);
    free(wide);
    free(bytes);
    rk_begin_call(env);
}

static void entries_stand_one_after_another_and_nothing_else_does(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    crafted_gap(env, 0, 0);
    OK(env, rk_archive_read(env, "c.rkhs", &a));
    rk_archive_free(a);
    crafted_gap(env, 0, 64);
    FAILS(env, RKHS_ERR_FORMAT, "(bytes between two entries)", rk_archive_read(env, "c.rkhs", &a));
    crafted_gap(env, 1, 64);
    FAILS(env, RKHS_ERR_FORMAT, "(bytes after the last entry)", rk_archive_read(env, "c.rkhs", &a));
}

static void entries_stand_in_the_order_of_the_directory(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    size_t n;
    write_sample(env, "m.rkhs", 0);
    char *bytes = get_bytes("m.rkhs", &n), *end = bytes + n - 52, *first = bytes + at32(end + 16), swapped[512];
    size_t one = 46u + (unsigned char)first[28], two = 46u + (unsigned char)first[one + 28];
    memcpy(swapped, first + one, two);
    memcpy(swapped + two, first, one);
    memcpy(first, swapped, one + two);
    seal(bytes, n);
    put_bytes("c.rkhs", bytes, n);
    FAILS(env, RKHS_ERR_FORMAT, "bytes between two entries", rk_archive_read(env, "c.rkhs", &a));
    memcpy(first, first + two, one); /* the first entry twice */
    rk_begin_call(env);
    seal(bytes, n);
    put_bytes("c.rkhs", bytes, n);
    FAILS(env, RKHS_ERR_FORMAT, "not a whole rkhs model file", rk_archive_read(env, "c.rkhs", &a));
    free(bytes);
}

static void a_local_header_that_says_otherwise_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    size_t n;
    write_sample(env, "m.rkhs", 0);
    char *bytes = get_bytes("m.rkhs", &n);
    bytes[14] ^= 1; /* the CRC of the first array */
    seal(bytes, n);
    put_bytes("c.rkhs", bytes, n);
    FAILS(env, RKHS_ERR_FORMAT, "described in two ways", rk_archive_read(env, "c.rkhs", &a));
    free(bytes);
}

static void thousands_of_names_are_found(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { COUNT = 16384 };
    rk_archive *a;
    char name[200];
    int64_t value;
    OK(env, rk_archive_new(env, &a));
    memset(name, 'a', sizeof name);
    for (int i = 0; i < COUNT; i++) { /* in no order */
        snprintf(name + 180, 20, "%05d", (int)((uint64_t)i * 7919 % COUNT));
        OK(env, rk_archive_put_int(a, name, i));
    }
    FAILS(env, RKHS_ERR_FORMAT, "at most 16384 arrays", rk_archive_put_int(a, "more", 1));
    rk_begin_call(env);
    OK(env, rk_archive_write(a, "m.rkhs"));
    rk_archive_free(a);
    OK(env, rk_archive_read(env, "m.rkhs", &a));
    for (int i = 0; i < COUNT; i++) {
        snprintf(name + 180, 20, "%05d", (int)((uint64_t)i * 7919 % COUNT));
        OK(env, rk_archive_get_int(a, name, &value));
        assert_int_equal(value, i);
    }
    assert_false(rk_archive_has(a, "a"));
    rk_archive_free(a);
}

static void bad_names_and_arrays_are_not_put(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const bad[] = {"", "a b", "../a", "/a", "a/", "a\n", "\xc3\xa9"};
    rk_archive *a;
    OK(env, rk_archive_new(env, &a));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rk_begin_call(env);
        FAILS(env, RKHS_ERR_BUG, "is no name for an array", rk_archive_put_int(a, bad[i], 1));
    }
    rk_begin_call(env);
    OK(env, rk_archive_put_int(a, "one", 1));
    FAILS(env, RKHS_ERR_BUG, "put twice", rk_archive_put_int(a, "one", 1));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_BUG, "type or shape", rk_archive_put(a, "f", &(rk_array){'e', 1, {1}, six}));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_BUG, "type or shape", rk_archive_put(a, "f", &(rk_array){'d', 2, {INT64_MAX, 2}, six}));
    assert_int_equal(rk_archive_count(a), 1);
    rk_archive_free(a);
}

static void a_missing_or_different_array_is_named(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    rk_array got;
    int64_t whole;
    write_sample(env, "m.rkhs", 0);
    OK(env, rk_archive_read(env, "m.rkhs", &a));
    FAILS(env, RKHS_ERR_FORMAT, "'B' | missing", rk_archive_get(a, "B", 'd', 2, &got));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_FORMAT, "'cube' | type | shape", rk_archive_get(a, "cube", 'd', 2, &got));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_FORMAT, "'scale' has another type", rk_archive_get_int(a, "scale", &whole));
    rk_archive_free(a);
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_archive *a;
    const char *text;
    write_sample(env, "m.rkhs", 0);
    for (int64_t k = 0;; k++) {
        rk_begin_call(env);
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = rk_archive_read(env, "m.rkhs", &a);
        if (status == RKHS_OK) status = rk_archive_get_text(a, "spec", &text);
        if (status == RKHS_OK) status = rk_archive_write(a, "copy.rkhs");
        rk_archive_free(a);
        env->fail_at = -1;
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) break;
        assert_int_equal(status, RKHS_ERR_MEMORY);
    }
    check_sample(env, "copy.rkhs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(what_is_put_is_got_back),
        FILES_TEST(the_64_bit_forms_read_back_too),
        FILES_TEST(the_bytes_depend_on_the_contents_alone),
        FILES_TEST(data_stands_on_64_byte_borders),
        FILES_TEST(numpy_opens_it),
        FILES_TEST(every_flipped_byte_is_refused),
        FILES_TEST(every_truncation_is_refused),
        FILES_TEST(crafted_files_with_a_right_checksum_do_no_harm),
        FILES_TEST(crafted_headers_are_refused_in_words),
        FILES_TEST(entries_stand_one_after_another_and_nothing_else_does),
        FILES_TEST(entries_stand_in_the_order_of_the_directory),
        FILES_TEST(a_local_header_that_says_otherwise_is_refused),
        FILES_TEST(thousands_of_names_are_found),
        FILES_TEST(bad_names_and_arrays_are_not_put),
        FILES_TEST(a_missing_or_different_array_is_named),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
