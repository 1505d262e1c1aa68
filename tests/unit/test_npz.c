/* NumPy archives: which array, every way to store it, SciPy's sparse matrices, damage, bombs. */
#include "zips.h"

#include "data/data.h"

static const double six[] = {0, 1, 2, 3, 4, 5};
static const int64_t two[] = {7, 9};

/* Runs Python; skips the test where the modules are not there. */
static void python(const char *code) {
    put_text("make.py", code);
    if (system("/usr/bin/python3 -c 'import numpy, scipy.sparse' 2>/dev/null") != 0) skip();
    assert_int_equal(system("/usr/bin/python3 make.py"), 0);
}

/* The members X (2 x 3: 0 to 5) and y (7, 9). free both .bytes. */
static void two_members(zip_member m[2], int method, int wide) {
    memset(m, 0, 2 * sizeof *m);
    m[0].name = "X.npy";
    m[0].bytes = npy_bytes("<f8", 2, (int64_t[]){2, 3}, six, sizeof six, &m[0].size);
    m[1].name = "y.npy";
    m[1].bytes = npy_bytes("<i8", 1, (int64_t[]){2}, two, sizeof two, &m[1].size);
    for (int i = 0; i < 2; i++) m[i].method = method, m[i].wide = wide;
}

static void free_members(zip_member m[2]) {
    free((void *)(uintptr_t)m[0].bytes);
    free((void *)(uintptr_t)m[1].bytes);
}

/* The file reads as 0, 1, ... in n x p, from a format or the name's. */
static void reads_as_range(rkhs_env *env, const char *path, const char *format, int64_t n, int64_t p) {
    rkhs_data *x;
    OK(env, rkhs_data_read(env, path, format, &x));
    assert_int_equal(rkhs_data_rows(x), n);
    assert_int_equal(rkhs_data_columns(x), p);
    for (int64_t i = 0; i < n * p; i++) NEAR(rkhs_data_values(x, NULL)[i], (double)i, 0);
    rkhs_data_free(x);
}

static void stored_deflated_and_64_bit_members_read_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int k = 0; k < 8; k++) {
        zip_member m[2];
        rkhs_data *x, *y;
        two_members(m, k & 1 ? 8 : 0, k & 2);
        put_zip("t.npz", m, 2, k & 4, k & 1 ? "a comment" : "");
        reads_as_range(env, "t.npz", NULL, 2, 3);
        OK(env, rkhs_data_read(env, "t.npz", NULL, &x)); /* y comes with it */
        assert_string_equal(rkhs_data_class_name(rkhs_data_labels(x), 1), "9");
        rkhs_data_free(x);
        OK(env, rkhs_data_read_labels(env, "t.npz", NULL, &y));
        assert_int_equal(rkhs_data_rows(y), 2);
        assert_string_equal(rkhs_data_class_name(y, 0), "7");
        rkhs_data_free(y);
        free_members(m);
    }
}

static void a_key_chooses_and_a_sentence_lists_the_names(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    zip_member m[2];
    two_members(m, 0, 0);
    m[0].name = "a.npy", m[1].name = "b.npy";
    put_zip("t.npz", m, 2, 0, "");
    reads_as_range(env, "t.npz", "npz(key=a)", 2, 3);
    FAILS(env, RKHS_ERR_DATA, "t.npz | 2 arrays | arr_0 | npz(key=NAME) | a, b", rkhs_data_read(env, "t.npz", NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "y or labels | npz(key=NAME) | a, b", rkhs_data_read_labels(env, "t.npz", NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "t.npz | 'X' | a, b", rkhs_data_read(env, "t.npz", "npz(key=X)", &x));
    OK(env, rkhs_data_read_labels(env, "t.npz", "npz(key=b)", &x));
    rkhs_data_free(x);
    m[1].name = "labels.npy"; /* labels aside, a is the only one */
    put_zip("t.npz", m, 2, 0, "");
    reads_as_range(env, "t.npz", NULL, 2, 3);
    m[0].name = "weird name (1).npy", m[1].name = "readme.txt";
    put_zip("t.npz", m, 2, 0, "");
    reads_as_range(env, "t.npz", NULL, 2, 3);
    reads_as_range(env, "t.npz", "npz(key=\"weird name (1)\")", 2, 3);
    m[0].name = "notes.txt";
    put_zip("t.npz", m, 2, 0, "");
    FAILS(env, RKHS_ERR_DATA, "t.npz | no array", rkhs_data_read(env, "t.npz", NULL, &x));
    free_members(m);
}

static void what_numpy_saves_is_read(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    python("import numpy as np, gzip\n"
           "a = np.arange(1200.).reshape(40, 30)\n"
           "np.savez('plain.npz', a)\n"
           "np.savez_compressed('small.npz', X=np.asfortranarray(a.astype('>i4')), y=np.arange(40) % 3, z=a)\n"
           "gzip.open('plain.npz.gz', 'wb').write(open('plain.npz', 'rb').read())\n"
           "np.savez_compressed('words.npz', data=a, labels=np.array(['a', 'b'] * 20))\n"
           "np.savez('target.npz', x=a, y=np.linspace(0, 1, 40))\n");
    reads_as_range(env, "plain.npz", NULL, 40, 30);
    reads_as_range(env, "plain.npz.gz", NULL, 40, 30);
    reads_as_range(env, "small.npz", NULL, 40, 30);
    reads_as_range(env, "small.npz", "npz(key=z)", 40, 30);
    rkhs_data *x;
    OK(env, rkhs_data_read(env, "words.npz", NULL, &x));
    assert_string_equal(rkhs_data_class_name(rkhs_data_labels(x), 1), "b");
    rkhs_data_free(x);
    OK(env, rkhs_data_read(env, "target.npz", NULL, &x)); /* fractions are no classes */
    assert_null(rkhs_data_labels(x));
    rkhs_data_free(x);
}

static void what_is_written_reads_back_here_and_in_numpy(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double v[] = {0, 1, 99, 2, 3, 99};
    static const int64_t codes[] = {1, 0};
    static const char *const words[] = {"cat", "dog"};
    rkhs_data *x, *y;
    size_t n1, n2;
    OK(env, rkhs_data_dense(env, v, 2, 2, 3, &x));
    OK(env, rkhs_data_classes(env, codes, 2, NULL, 2, &x->labels));
    OK(env, rkhs_data_write(x, "o.npz", NULL));
    OK(env, rkhs_data_write(x, "again.npz", NULL));
    char *a = get_bytes("o.npz", &n1), *b = get_bytes("again.npz", &n2);
    assert_int_equal(n1, n2);
    assert_memory_equal(a, b, n1);
    free(a), free(b);
    reads_as_range(env, "o.npz", NULL, 2, 2);
    OK(env, rkhs_data_write(x->labels, "y.npz", NULL));
    OK(env, rkhs_data_read_labels(env, "y.npz", NULL, &y));
    assert_memory_equal(rkhs_data_codes(y, NULL), codes, sizeof codes);
    rkhs_data_free(y);
    OK(env, rkhs_data_classes(env, codes, 2, words, 2, &y));
    FAILS(env, RKHS_ERR_DATA, "labels | words | npz", rkhs_data_write(y, "w.npz", NULL));
    rkhs_data_free(y);
    rkhs_data_free(x);
    python("import numpy as np\n"
           "f = np.load('o.npz')\n"
           "assert f['X'].tolist() == [[0, 1], [2, 3]] and f['y'].tolist() == [1, 0], f\n");
}

static void scipys_sparse_matrices_become_sparse_data(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    python(
        "import numpy as np, scipy.sparse as s\n"
        "m = s.csr_matrix(np.array([[0, 1.5, 0, 0], [0, 0, 0, 0], [-2, 0, 0, 4]]))\n"
        "s.save_npz('a.npz', m)\n"
        "s.save_npz('b.npz', m, compressed=False)\n"
        "s.save_npz('empty.npz', s.csr_matrix((3, 5)))\n"
        "s.save_npz('csc.npz', m.tocsc())\n"
        "s.save_npz('coo.npz', m.tocoo())\n"
        "p = np.load('a.npz')\n"
        "np.savez('old.npz', **{**p, 'format': 'csr', 'data': p['data'].astype('f4'), 'indices': p['indices'].astype('i8')})\n"
        "np.savez('order.npz', **{**p, 'indices': p['indices'][[0, 2, 1]]})\n"
        "np.savez('wide.npz', **{**p, 'shape': np.array([3, 3])})\n"
        "np.savez('short.npz', **{**p, 'indptr': p['indptr'][:-1]})\n"
        "np.savez('minus.npz', **{**p, 'indptr': -p['indptr']})\n"
        "np.savez('none.npz', **{k: v for k, v in p.items() if k != 'indptr'})\n"
        "np.savez('nan.npz', **{**p, 'data': p['data'] * np.nan})\n");
    static const char *const paths[] = {"a.npz", "b.npz", "old.npz"};
    rkhs_data *x;
    for (int i = 0; i < 3; i++) {
        OK(env, rkhs_data_read(env, paths[i], NULL, &x));
        const rk_sparse *s = x->self;
        assert_string_equal(rkhs_data_kind(x), "sparse");
        assert_int_equal(rkhs_data_rows(x), 3);
        assert_int_equal(rkhs_data_columns(x), 4);
        assert_memory_equal(s->starts, ((int64_t[]){0, 1, 1, 3}), 32);
        assert_memory_equal(s->columns, ((int32_t[]){1, 0, 3}), 12);
        assert_memory_equal(s->values, ((double[]){1.5, -2, 4}), 24);
        if (i == 0) OK(env, rkhs_data_write(x, "back.npz", NULL));
        rkhs_data_free(x);
    }
    OK(env, rkhs_data_read(env, "empty.npz", NULL, &x));
    assert_int_equal(rkhs_data_columns(x), 5);
    rkhs_data_free(x);
    FAILS(env, RKHS_ERR_DATA, "csc.npz | 'csc' | csr | x.tocsr()", rkhs_data_read(env, "csc.npz", NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "'coo'", rkhs_data_read(env, "coo.npz", NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "order.npz | row 3 | ascend", rkhs_data_read(env, "order.npz", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "wide.npz | row 3 | column 3 | are 3", rkhs_data_read(env, "wide.npz", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "do not fit each other", rkhs_data_read(env, "short.npz", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "minus.npz | 'indptr' | -1 | position 1", rkhs_data_read(env, "minus.npz", NULL, &x));
    FAILS(env, RKHS_ERR_FORMAT, "no array 'indptr'", rkhs_data_read(env, "none.npz", NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "nan.npz | row 1 | column 2 | NaN", rkhs_data_read(env, "nan.npz", NULL, &x));
    python("import scipy.sparse as s\n"
           "assert s.load_npz('back.npz').toarray().tolist() == [[0, 1.5, 0, 0], [0, 0, 0, 0], [-2, 0, 0, 4]]\n");
}

/* X is changed by `change`, and the file refused with these words. */
#define REFUSED(words, change)                                                                                                 \
    do {                                                                                                                       \
        zip_member m[2];                                                                                                       \
        rkhs_data *x;                                                                                                          \
        two_members(m, deflated, 1);                                                                                           \
        m[0].change;                                                                                                           \
        put_zip("t.npz", m, 2, 0, "");                                                                                         \
        FAILS(env, RKHS_ERR_FORMAT, words, rkhs_data_read(env, "t.npz", NULL, &x));                                            \
        free_members(m);                                                                                                       \
    } while (0)

static void what_the_directory_says_is_checked(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int deflated = 0; deflated <= 8; deflated += 8) {
        REFUSED("t.npz | 'X' | damaged | CRC", wrong_crc = 1);
        REFUSED("t.npz | 'X' | encrypted", flags = 1);
        REFUSED("t.npz | 'X' | method 14", method = 14);
        REFUSED("t.npz | damaged | entry's size", wrong_stored = UINT64_MAX);
        REFUSED("t.npz | damaged | entry's size", wrong_stored = (uint64_t)1 << 63);
        REFUSED("t.npz | damaged | entry's position", wrong_offset = UINT64_MAX - 8);
        REFUSED("t.npz | damaged | entry's position", wrong_offset = 1);
        REFUSED("t.npz | 'X' | archive | damaged | size", wrong_size = UINT64_MAX);
        REFUSED("t.npz: the array 'X': ", wrong_size = 130);
        REFUSED("t.npz: the array 'X': ", wrong_size = 100);
    }
    int deflated = 8;
    REFUSED("follow | 48", wrong_size = 1000);
    REFUSED("t.npz | 'X' | archive | damaged | early", wrong_stored = 40);
    zip_member m[2];
    rkhs_data *x;
    two_members(m, 0, 0);
    put_text("t.npz", "");
    FAILS(env, RKHS_ERR_DATA, "t.npz: the file is empty", rkhs_data_read(env, "t.npz", NULL, &x));
    put_text("t.npz", "1,2\n3,4\n");
    FAILS(env, RKHS_ERR_FORMAT, "t.npz | NumPy | archive", rkhs_data_read(env, "t.npz", NULL, &x));
    put_zip("t.npz", m, 0, 0, "");
    FAILS(env, RKHS_ERR_DATA, "t.npz | no array", rkhs_data_read(env, "t.npz", NULL, &x));
    free_members(m);
}

static void a_file_cut_at_any_byte_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int k = 0; k < 4; k++) {
        zip_member m[2];
        rkhs_data *x;
        size_t n;
        two_members(m, k & 1 ? 8 : 0, k & 2);
        put_zip("t.npz", m, 2, k & 2, "");
        char *bytes = get_bytes("t.npz", &n);
        for (size_t cut = 0; cut < n; cut++) {
            put_bytes("t.npz", bytes, cut);
            assert_int_not_equal(rkhs_data_read(env, "t.npz", NULL, &x), RKHS_OK);
            assert_true(says(rkhs_env_message(env), "t.npz: "));
        }
        free(bytes);
        free_members(m);
    }
}

static void mutated_files_are_read_or_refused_never_a_crash(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_env_set_memory(env, 64 << 20);
    for (uint64_t k = 0; k < 4; k++) {
        zip_member m[2];
        size_t n;
        two_members(m, k & 1 ? 8 : 0, k & 2);
        put_zip("s.npz", m, 2, k & 2, "");
        char *seed = get_bytes("s.npz", &n), *bytes = malloc(n);
        for (uint64_t round = 0; round < 3000; round++) {
            memcpy(bytes, seed, n);
            for (uint64_t e = 0; e < 1 + round % 4; e++) {
                uint64_t r[4];
                rk_random(17 + k, RK_STREAM_TEST, round, e, r);
                size_t at = r[2] % 2 ? n - 1 - r[0] % 240 % n : r[0] % n; /* often in the directory */
                bytes[at] = (char)(r[1] % 4 == 0 ? 0xff : r[1] % 4 == 1 ? bytes[at] ^ (1 << r[3] % 8) : (int)(r[3] & 0xff));
            }
            put_bytes("t.npz", bytes, n);
            for (int labels = 0; labels < 2; labels++) {
                rkhs_data *x;
                rkhs_status status =
                    labels ? rkhs_data_read_labels(env, "t.npz", NULL, &x) : rkhs_data_read(env, "t.npz", NULL, &x);
                if (status == RKHS_OK)
                    assert_true(rkhs_data_rows(x) > 0);
                else if (status == RKHS_ERR_BUG || !says(rkhs_env_message(env), "t.npz"))
                    fail_msg("%s", rkhs_env_message(env));
                rkhs_data_free(x);
            }
        }
        free(seed), free(bytes);
        free_members(m);
    }
}

/* A deflated stream of an NPY header and `megabytes` of zeros; free it. */
static unsigned char *bomb(const char *head, size_t head_size, int megabytes, size_t *size) {
    static unsigned char zeros[1 << 20];
    z_stream z = {0};
    unsigned char *to = malloc((size_t)megabytes * 1100 + 10000), part[8192];
    deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (Bytef *)(uintptr_t)head;
    z.avail_in = (uInt)head_size;
    z.next_out = to;
    z.avail_out = 10000;
    deflate(&z, Z_FULL_FLUSH);
    *size = 10000 - z.avail_out;
    z.next_in = zeros;
    z.avail_in = sizeof zeros;
    z.next_out = part;
    z.avail_out = sizeof part;
    deflate(&z, Z_FULL_FLUSH); /* stands for itself, and can be repeated */
    size_t length = sizeof part - z.avail_out;
    deflateEnd(&z);
    for (int i = 0; i < megabytes; i++, *size += length) memcpy(to + *size, part, length);
    memcpy(to + *size, "\3\0", 2); /* a last block, empty */
    *size += 2;
    return to;
}

static void bombs_are_refused_in_constant_memory(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { MEGABYTES = 4000, LIMIT = 8 << 20 };
    static const uint64_t whole = (uint64_t)MEGABYTES << 20;
    size_t head_size, small_size, size;
    /* the header tells the truth, or is small; so may the directory be */
    char *head = npy_bytes("<f8", 1, (int64_t[]){(int64_t)(whole / 8)}, "", 0, &head_size);
    char *small = npy_bytes("<f8", 1, (int64_t[]){2}, "", 0, &small_size);
    for (int k = 0; k < 4; k++) {
        const char *first = k & 1 ? small : head;
        size_t first_size = k & 1 ? small_size : head_size;
        unsigned char *stream = bomb(first, first_size, MEGABYTES, &size);
        zip_member m = {.name = "X.npy", .bytes = first, .size = first_size, .method = 8, .ready = stream, .ready_size = size};
        m.wide = 1;
        m.wrong_size = k & 2 ? first_size + 16 : first_size + whole;
        put_zip("t.npz", &m, 1, 0, "");
        rkhs_env *tight;
        rkhs_data *x;
        OK(env, rkhs_env_new(&tight));
        rkhs_env_set_memory(tight, LIMIT);
        rkhs_status status = rkhs_data_read(tight, "t.npz", NULL, &x);
        static const char *const words[] = {"4.2 GB | limit", "follow | 16", "the file ends early", "longer | directory"};
        assert_true(status == RKHS_ERR_FORMAT || status == RKHS_ERR_MEMORY);
        if (!says(rkhs_env_message(tight), words[k])) fail_msg("%d: %s", k, rkhs_env_message(tight));
        assert_true(rkhs_env_memory_peak(tight) < size + (1 << 20)); /* the file, and little more */
        assert_int_equal(atomic_load(&tight->used), 0);
        rkhs_env_free(tight);
        free(stream);
    }
    free(head), free(small);
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    zip_member m[2];
    two_members(m, 8, 0);
    put_zip("t.npz", m, 2, 0, "");
    free_members(m);
    for (int write = 0; write < 2; write++) {
        for (int64_t k = 0;; k++) {
            rkhs_data *x = NULL;
            if (write) OK(env, rkhs_data_read(env, "t.npz", NULL, &x));
            env->allocations = 0;
            env->fail_at = k;
            rkhs_status status = write ? rkhs_data_write(x, "o.npz", NULL) : rkhs_data_read(env, "t.npz", NULL, &x);
            env->fail_at = -1;
            rkhs_data_free(x);
            assert_int_equal(atomic_load(&env->used), 0);
            if (status == RKHS_OK) break;
            assert_int_equal(status, RKHS_ERR_MEMORY);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(stored_deflated_and_64_bit_members_read_the_same),
        FILES_TEST(a_key_chooses_and_a_sentence_lists_the_names),
        FILES_TEST(what_numpy_saves_is_read),
        FILES_TEST(what_is_written_reads_back_here_and_in_numpy),
        FILES_TEST(scipys_sparse_matrices_become_sparse_data),
        FILES_TEST(what_the_directory_says_is_checked),
        FILES_TEST(a_file_cut_at_any_byte_is_refused),
        FILES_TEST(mutated_files_are_read_or_refused_never_a_crash),
        FILES_TEST(bombs_are_refused_in_constant_memory),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
