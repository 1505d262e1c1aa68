/* A Gram in parts and on the disk: rows have the bits of the whole, parts are joined or refused, and a precomputed
 * Gram that is left on the disk gives the bits of one in memory. */
#include <sys/stat.h>
#include <zlib.h>

#include "fixtures.h"

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* Rows from .. to-1, with columns that are not to be touched beside them, must be those of K. */
static void check_rows(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const double *K, int64_t from, int64_t to) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = x->rows, ld = n + 3;
    double *part = numbers(env, (to - from) * ld);
    for (int64_t i = 0; i < (to - from) * ld; i++) part[i] = -7;
    FINE(env, rkhs_kernel_gram_rows(k, x, from, to, part, ld));
    for (int64_t i = from; i < to; i++) {
        same_bits("a row of a part", part + (i - from) * ld, K + i * n, n);
        for (int64_t j = n; j < ld; j++) HOLDS(part[(i - from) * ld + j] == -7);
    }
    rk_scratch_release(env, mark);
}

static void rows_have_the_bits_of_the_whole(void **state) {
    rkhs_env *env = *state;
    enum { N = 520, CUTS = 6 }; /* tiles of 256 rows, and a rest */
    static const int64_t cuts[CUTS][2] = {{0, 1}, {0, 256}, {256, 512}, {512, N}, {255, 257}, {100, 300}};
    for (pairing p = {.large = 1}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x = fixture_data(env, p.data, N);
        rkhs_kernel *k;
        double *K = numbers(env, N * N);
        FINE(env, rkhs_kernel_new(env, p.text, &k)); /* not frozen: rules are part of the bits */
        FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
        for (int c = 0; c < CUTS; c++) {
            FINE(env, rkhs_env_set_threads(env, 1 + c % 3));
            check_rows(env, k, x, K, cuts[c][0], cuts[c][1]);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        rkhs_kernel_free(k);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

static void rows_that_are_not_there_are_refused(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", 20);
    rkhs_kernel *k;
    double K[20 * 20];
    LOOK_AT("rows");
    FINE(env, rkhs_kernel_new(env, "rbf", &k));
    REFUSED(env, RKHS_ERR_ARGUMENT, "rows 5 to 21", rkhs_kernel_gram_rows(k, x, 5, 21, K, 20));
    REFUSED(env, RKHS_ERR_ARGUMENT, "rows -1 to 3", rkhs_kernel_gram_rows(k, x, -1, 3, K, 20));
    REFUSED(env, RKHS_ERR_ARGUMENT, "rows 4 to 4", rkhs_kernel_gram_rows(k, x, 4, 4, K, 20));
    REFUSED(env, RKHS_ERR_ARGUMENT, "ld below", rkhs_kernel_gram_rows(k, x, 0, 4, K, 19));
    HOLDS(rkhs_kernel_gram_rows(NULL, x, 0, 4, K, 20) == RKHS_ERR_ARGUMENT);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

/* ---- parts ----------------------------------------------------------------------------------------------------- */

enum { ALL = 40 };
static const int64_t ends[] = {0, 13, 14, 40};

/* Writes rows from .. to-1 of an n x n matrix. */
static void put_rows(rkhs_env *env, const char *path, const double *K, int64_t n, int64_t from, int64_t to) {
    rkhs_data *x;
    FINE(env, rkhs_data_dense(env, K + from * n, to - from, n, n, &x));
    FINE(env, rkhs_data_write(x, path, NULL));
    rkhs_data_free(x);
}

/* K, whole in K.npy and in parts a.npy, b.npy, c.npy. */
static double *put_parts(rkhs_env *env) {
    double *K = numbers(env, ALL * ALL);
    LOOK_AT("components");
    fill_gram(env, ALL, K);
    put_rows(env, "K.npy", K, ALL, 0, ALL);
    put_rows(env, "a.npy", K, ALL, ends[0], ends[1]);
    put_rows(env, "b.npy", K, ALL, ends[1], ends[2]);
    put_rows(env, "c.npy", K, ALL, ends[2], ends[3]);
    return K;
}

static void parts_in_order_make_the_whole(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *K = put_parts(env);
    static const char *const parts[] = {"a.npy", "b.npy", "c.npy"}, *const mixed[] = {"a.csv", "b.npy", "c.npy"};
    FINE(env, rkhs_data_merge_gram(env, parts, 3, "M.npy"));
    same_files(env, "M.npy", "K.npy");
    FINE(env, rkhs_data_merge_gram(env, (const char *const[]){"K.npy"}, 1, "M.npy"));
    same_files(env, "M.npy", "K.npy");
    put_rows(env, "a.csv", K, ALL, 0, 13); /* all digits: the same bits, though held in memory */
    FINE(env, rkhs_data_merge_gram(env, mixed, 3, "M.npy"));
    same_files(env, "M.npy", "K.npy");
    rk_scratch_release(env, mark);
}

static void parts_that_do_not_fit_are_refused_and_nothing_is_written(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    double *K = put_parts(env), was;
    int files = files_here();
#define COUNT(...) (int64_t)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))
#define MERGE(...) rkhs_data_merge_gram(env, (const char *const[]){__VA_ARGS__}, COUNT(__VA_ARGS__), "M.npy")
    REFUSED(env, RKHS_ERR_DATA, "39 rows | 40 columns | 1 row | missing", MERGE("a.npy", "c.npy"));
    REFUSED(env, RKHS_ERR_DATA, "26 rows are missing", MERGE("a.npy", "b.npy"));
    REFUSED(env, RKHS_ERR_DATA, "40 columns | 13 too many", MERGE("a.npy", "b.npy", "c.npy", "a.npy"));
    REFUSED(env, RKHS_ERR_IO, "none.npy", MERGE("a.npy", "none.npy", "c.npy"));
    /* Row 2 of b, a, c is row 1 of a; row 1 is row 14 of K. */
    REFUSED(env, RKHS_ERR_DATA, "row 2 | column 1 | 1.1000000000000001 | a.npy | row 1 | column 2",
            MERGE("b.npy", "a.npy", "c.npy"));
    REFUSED(env, RKHS_ERR_DATA, "b.npy | order", MERGE("b.npy", "a.npy", "c.npy"));
    REFUSED(env, RKHS_ERR_ARGUMENT, "no parts", rkhs_data_merge_gram(env, NULL, 0, "M.npy"));
    HOLDS(files_here() == files);
    was = K[20 * ALL + 5];
    K[20 * ALL + 5] = nextafter(was, 2); /* one bit */
    put_rows(env, "d.npy", K, ALL, 14, ALL);
    REFUSED(env, RKHS_ERR_DATA, "row 21, column 6 is", MERGE("a.npy", "b.npy", "d.npy"));
    HOLDS(says(rkhs_env_message(env), "(d.npy)") && says(rkhs_env_message(env), "(a.npy)"));
    HOLDS(says(rkhs_env_message(env), "the last digits differ"));
    K[20 * ALL + 5] = was + 0.1;
    put_rows(env, "d.npy", K, ALL, 14, ALL);
    REFUSED(env, RKHS_ERR_DATA, "made by one kernel from the same data", MERGE("a.npy", "b.npy", "d.npy"));
    put_rows(env, "d.npy", K, ALL - 1, 0, 20); /* other columns */
    REFUSED(env, RKHS_ERR_DATA, "d.npy | 39 columns | a.npy | 40", MERGE("a.npy", "d.npy"));
    HOLDS(access("M.npy", F_OK) != 0);
#undef MERGE
    rk_scratch_release(env, mark);
}

/* ---- on the disk ----------------------------------------------------------------------------------------------- */

/* Reads a file as a precomputed Gram. */
static rkhs_status read_gram(rkhs_env *env, const char *path, rkhs_data **x) {
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    rkhs_status status = rkhs_data_read_for(env, path, NULL, k, x);
    char message[1024];
    snprintf(message, sizeof message, "%s", rkhs_env_message(env));
    rkhs_kernel_free(k);
    assert_string_equal(message, rkhs_env_message(env));
    return status;
}

/* Writes a header and some bytes. */
static void put_array(const char *path, const char *descr, const char *fortran, int64_t n, int64_t p, int pad, const void *data,
                      size_t bytes) {
    char text[256];
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': %s, 'shape': (%lld, %lld), }", descr, fortran,
                          (long long)n, (long long)p);
    while ((10 + length) % 64 != pad) text[length++] = ' ';
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fwrite("\x93NUMPY\x01\0", 1, 8, out);
    fputc(length & 0xff, out);
    fputc(length >> 8, out);
    fwrite(text, 1, (size_t)length, out);
    fwrite(data, 1, bytes, out);
    fclose(out);
}

static int is_mapped(const rkhs_data *x) { return ((const rk_dense *)x->self)->map.base != NULL; }

static void a_gram_of_doubles_stays_on_the_disk(void **state) {
    rkhs_env *env = *state;
    enum { N = 500 };
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N);
    rkhs_data *x;
    LOOK_AT("a Gram on the disk");
    fill_gram(env, N, K);
    put_rows(env, "K.npy", K, N, 0, N);
    size_t used = env->used, limit = env->limit;
    FINE(env, rkhs_env_set_memory(env, used + 400000)); /* K is 2 MB */
    FINE(env, read_gram(env, "K.npy", &x));
    HOLDS(is_mapped(x) && env->used - used < 1000);
    same_bits("K", rkhs_data_values(x, NULL), K, N * N);
    rkhs_data_free(x);
    REFUSED(env, RKHS_ERR_MEMORY, "K.npy needs 2.0 MB", rkhs_data_read(env, "K.npy", NULL, &x)); /* copied */
    FINE(env, read_gram(env, "K.npy", &x));
    unlink("K.npy"); /* or replaced: what was opened stays */
    same_bits("K of a file that is gone", rkhs_data_values(x, NULL), K, N * N);
    rkhs_data_free(x);
    FINE(env, rkhs_env_set_memory(env, limit));
    rk_scratch_release(env, mark);
}

static void what_does_not_lie_as_in_memory_is_copied_with_the_same_values(void **state) {
    rkhs_env *env = *state;
    enum { N = 3 };
    static const double K[] = {1, 0.5, 0.25, 0.5, 2, 0.125, 0.25, 0.125, 3};
    double turned[9];
    float floats[9];
    rkhs_data *x;
    for (int i = 0; i < 9; i++) {
        const unsigned char *from = (const unsigned char *)&K[i];
        for (int b = 0; b < 8; b++) ((unsigned char *)&turned[i])[b] = from[7 - b];
        floats[i] = (float)K[i];
    }
    put_array("c.npy", "<f8", "False", N, N, 0, K, sizeof K);
    put_array("odd.npy", "<f8", "False", N, N, 3, K, sizeof K); /* begins between two numbers' places */
    put_array("f.npy", "<f8", "True", N, N, 0, K, sizeof K);
    put_array("big.npy", ">f8", "False", N, N, 0, turned, sizeof turned);
    put_array("single.npy", "<f4", "False", N, N, 0, floats, sizeof floats);
    gzFile zip = gzopen("c.npy.gz", "wb");
    size_t count;
    rk_mark mark = rk_scratch_mark(env);
    const char *bytes = file_bytes(env, "c.npy", &count);
    gzwrite(zip, bytes, (unsigned)count);
    gzclose(zip);
    rk_scratch_release(env, mark);
    static const char *const names[] = {"c.npy", "odd.npy", "f.npy", "big.npy", "single.npy", "c.npy.gz"};
    for (int i = 0; i < 6; i++) {
        LOOK_AT("%s", names[i]);
        FINE(env, read_gram(env, names[i], &x));
        HOLDS(is_mapped(x) == (i == 0));
        same_bits("K", rkhs_data_values(x, NULL), K, 9);
        rkhs_data_free(x);
    }
}

static void a_damaged_gram_is_refused_as_any_other_file(void **state) {
    rkhs_env *env = *state;
    static double K[300 * 300];
    rkhs_data *x;
    LOOK_AT("a damaged Gram");
    for (int i = 0; i < 300 * 300; i++) K[i] = 1;
    put_array("K.npy", "<f8", "False", 300, 300, 0, K, sizeof K - 1);
    REFUSED(env, RKHS_ERR_FORMAT, "K.npy | early | 720000 bytes", read_gram(env, "K.npy", &x));
    put_array("K.npy", "<f8", "False", 299, 300, 0, K, sizeof K);
    REFUSED(env, RKHS_ERR_FORMAT, "K.npy: bytes follow", read_gram(env, "K.npy", &x));
    put_array("K.npy", "<f8", "False", 0, 300, 0, K, 0);
    REFUSED(env, RKHS_ERR_DATA, "K.npy: the array is empty", read_gram(env, "K.npy", &x));
    K[298 * 300 + 7] = NAN;
    put_array("K.npy", "<f8", "False", 300, 300, 0, K, sizeof K);
    REFUSED(env, RKHS_ERR_DATA, "K.npy | row 299 | column 8 | NaN", read_gram(env, "K.npy", &x));
    K[298 * 300 + 7] = 1e200;
    put_array("K.npy", "<f8", "False", 300, 300, 0, K, sizeof K);
    REFUSED(env, RKHS_ERR_DATA, "row 299 | column 8 | 1e+200", read_gram(env, "K.npy", &x));
    HOLDS(x == NULL);
}

/* Every gram and model on a Gram from the disk and from memory: the same bits; exact kpca does where
 * there is no room for another matrix. */
static void a_fit_on_the_disk_has_the_bits_of_one_in_memory(void **state) {
    rkhs_env *env = *state;
    enum { N = 1100, NEW = 300 }; /* large enough for the products that read half of K */
    rk_mark mark = rk_scratch_mark(env);
    double *K = numbers(env, N * N), *Z = numbers(env, 4 * NEW);
    rkhs_kernel *k;
    fixture_gram of;
    fill_gram(env, N, K);
    put_rows(env, "K.npy", K, N, 0, N);
    put_rows(env, "new.npy", K, N, N - NEW, N);
    FINE(env, rkhs_kernel_new(env, "precomputed", &k));
    for (int g = 0; fixture_gram_at(g, &of); g++) {
        rkhs_data *x[2], *fresh[2];
        rkhs_model *m[2];
        char spec[128];
        snprintf(spec, sizeof spec, "kpca(dim=2, gram=%s)", of.text);
        for (int t = 0; t < 2; t++) {
            LOOK_AT("%s, %s", spec, t ? "in memory" : "on the disk");
            FINE(env, t ? rkhs_data_read(env, "K.npy", NULL, &x[t]) : read_gram(env, "K.npy", &x[t]));
            FINE(env, t ? rkhs_data_read(env, "new.npy", NULL, &fresh[t]) : read_gram(env, "new.npy", &fresh[t]));
            HOLDS(is_mapped(x[t]) == !t && is_mapped(fresh[t]) == !t);
            FINE(env, rkhs_model_new(env, spec, &m[t]));
            size_t limit = env->limit;
            if (strcmp(of.gram, "exact") == 0) env->limit = env->used + sizeof(double) * N * N / 2;
            FINE(env, rkhs_model_fit(m[t], k, x[t], NULL, NULL));
            env->limit = limit;
            FINE(env, rkhs_model_transform(m[t], fresh[t], Z + 2 * NEW * t, 2));
        }
        same_bits("Z", rkhs_model_embedding(m[0], NULL, NULL), rkhs_model_embedding(m[1], NULL, NULL), 2 * N);
        same_bits("Z of new rows", Z, Z + 2 * NEW, 2 * NEW);
        for (int t = 0; t < 2; t++) {
            rkhs_data_free(x[t]);
            rkhs_data_free(fresh[t]);
            rkhs_model_free(m[t]);
        }
    }
    rkhs_kernel_free(k);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(rows_have_the_bits_of_the_whole),
        ENV_TEST(rows_that_are_not_there_are_refused),
        FOLDER_TEST(parts_in_order_make_the_whole),
        FOLDER_TEST(parts_that_do_not_fit_are_refused_and_nothing_is_written),
        FOLDER_TEST(a_gram_of_doubles_stays_on_the_disk),
        FOLDER_TEST(what_does_not_lie_as_in_memory_is_copied_with_the_same_values),
        FOLDER_TEST(a_damaged_gram_is_refused_as_any_other_file),
        FOLDER_TEST(a_fit_on_the_disk_has_the_bits_of_one_in_memory),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
