/* Sets of bits: counting at every level, packing, the kernels that take them, classes by name, saving and loading. */
#include "files.h"

#include "kernel/kernel.h"
#include "model/model.h"

/* Bit (i, c) of a set that depends on `seed`; every seventh row is empty. */
static int bit_at(uint64_t seed, int64_t i, int64_t c) {
    return i % 7 != 3 && rk_uniform(seed, RK_STREAM_TEST, (uint64_t)i, (uint64_t)c) < 0.3;
}

/* n x p of them, as bits and as numbers; numbers may be NULL. */
static rkhs_data *some_bits(rkhs_env *env, uint64_t seed, int64_t n, int64_t p, double *numbers) {
    uint64_t *words;
    rkhs_data *x;
    OK(env, rk_data_bits_new(env, n, p, &words, &x));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < p; c++) {
            if (bit_at(seed, i, c)) words[i * ((p + 63) / 64) + c / 64] |= UINT64_C(1) << c % 64;
            if (numbers) numbers[i * p + c] = bit_at(seed, i, c);
        }
    return x;
}

static void gram_of(rkhs_env *env, const char *text, const rkhs_data *a, const rkhs_data *b, double *K) {
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, text, &k));
    OK(env, rkhs_kernel_gram(k, a, b, K, (b ? b : a)->rows));
    rkhs_kernel_free(k);
}

static void near_all(const double *a, const double *b, int64_t count, double tolerance) {
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("number %lld is %.17g, not %.17g", (long long)i, a[i], b[i]);
}

/* ---- counting ---- */

static void every_level_counts_alike(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { NI = 21, NJ = 37, LD = 41 };
    static const int64_t widths[] = {1, 2, 3, 31, 32, 63, 64, 65, 129};
    for (int w = 0; w < 9; w++) {
        int64_t words = widths[w], lda = words + 2, ldb = words + 1;
        uint64_t a[NI * 131], b[NJ * 131], four[4];
        double out[NI * LD];
        for (int64_t q = 0; q < NI * 131; q++) rk_random(1, RK_STREAM_TEST, (uint64_t)q, 0, four), a[q] = four[0] | four[1];
        for (int64_t q = 0; q < NJ * 131; q++) rk_random(2, RK_STREAM_TEST, (uint64_t)q, 0, four), b[q] = four[2];
        memset(b, -1, (size_t)ldb * sizeof *b); /* full rows: the counts of bytes are at their highest */
        memset(a, -1, (size_t)lda * sizeof *a);
        for (int level = 0; level <= rk_bits_best(); level++) {
            for (int q = 0; q < NI * LD; q++) out[q] = -5;
            rk_bits_tile(level, NI, NJ, words, a, lda, b, ldb, out, LD);
            for (int64_t i = 0; i < NI; i++) {
                for (int64_t j = 0; j < NJ; j++) {
                    int count = 0;
                    for (int64_t c = 0; c < 64 * words; c++)
                        count += (int)((a[i * lda + c / 64] & b[j * ldb + c / 64]) >> c % 64 & 1);
                    if (out[i * LD + j] != count)
                        fail_msg("level %d, %lld words: %g, not %d", level, (long long)words, out[i * LD + j], count);
                }
                for (int64_t j = NJ; j < LD; j++) assert_true(out[i * LD + j] == -5); /* nothing past the tile */
            }
        }
        assert_int_equal(rk_bits_count(words, b), 64 * words);
    }
    (void)env;
}

/* Against the definition on sets, for every width from 1 bit to 200; dense and sparse give the same. */
static void tanimoto_is_intersection_over_union(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 19 };
    for (int64_t p = 1; p <= 200; p++) {
        double x[N * 200], K[N * N], L[N * N], expected[N * N], values[N * 200];
        int32_t columns[N * 200];
        int64_t starts[N + 1] = {0};
        rkhs_data *bits = some_bits(env, 7, N, p, x), *dense, *sparse;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                int both = 0, either = 0;
                for (int64_t c = 0; c < p; c++) {
                    both += bit_at(7, i, c) && bit_at(7, j, c);
                    either += bit_at(7, i, c) || bit_at(7, j, c);
                }
                expected[i * N + j] = either ? (double)both / either : 1;
            }
        for (int64_t i = 0, at = 0; i < N; i++) {
            for (int64_t c = 0; c < p; c++)
                if (x[i * p + c] != 0) values[at] = 1, columns[at++] = (int32_t)c;
            starts[i + 1] = at;
        }
        gram_of(env, "tanimoto", bits, NULL, K);
        assert_memory_equal(K, expected, sizeof K);
        OK(env, rkhs_data_dense(env, x, N, p, p, &dense));
        gram_of(env, "tanimoto", dense, NULL, L);
        assert_memory_equal(L, K, sizeof K); /* packed: the same bits */
        OK(env, rkhs_data_csr(env, values, columns, starts, N, p, &sparse));
        gram_of(env, "tanimoto", sparse, NULL, L);
        near_all(L, K, N * N, 1e-15);
        gram_of(env, "tanimoto", bits, sparse, L);
        assert_memory_equal(L, K, sizeof K);
        gram_of(env, "tanimoto", bits, dense, L);
        assert_memory_equal(L, K, sizeof K);
        rkhs_data_free(sparse);
        rkhs_data_free(dense);
        rkhs_data_free(bits);
    }
}

static void kernels_on_numbers_give_the_same_on_bits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 70, P = 143 };
    static const char *const texts[] = {
        "linear", "poly(degree=2, gamma=0.1)", "poly", "rbf(gamma=0.02)", "rbf", "rbf(sigma=knn(3))", "laplacian",
        "cosine", "tanimoto + 0.1*rbf*linear"};
    double x[N * P], K[N * N], L[N * N];
    rkhs_data *bits = some_bits(env, 11, N, P, x), *dense;
    OK(env, rkhs_data_dense(env, x, N, P, P, &dense));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gram_of(env, texts[i], bits, NULL, K);
        gram_of(env, texts[i], dense, NULL, L);
        near_all(K, L, N * N, 1e-12);
    }
    rkhs_data_free(dense);
    rkhs_data_free(bits);
}

/* The formula in long double, for counts and for numbers below 0; the eigenvalues are not negative. */
static void tanimoto_takes_counts_and_real_numbers(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 60, P = 9 };
    for (int kind = 0; kind < 2; kind++) {
        double x[N * P], K[N * N], w[N], V[N * N];
        rkhs_data *data;
        for (int64_t q = 0; q < N * P; q++) {
            double u = rk_normal(3, RK_STREAM_TEST, (uint64_t)q, 0);
            x[q] = q / P % 9 == 4 ? 0 : kind ? u : floor(fabs(2 * u));
        }
        OK(env, rkhs_data_dense(env, x, N, P, P, &data));
        gram_of(env, "tanimoto", data, NULL, K);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                long double a = 0, b = 0, d = 0;
                for (int c = 0; c < P; c++) {
                    a += (long double)x[i * P + c] * x[i * P + c];
                    b += (long double)x[j * P + c] * x[j * P + c];
                    d += (long double)x[i * P + c] * x[j * P + c];
                }
                double expected = a + b > 0 ? (double)(d / (a + b - d)) : 1;
                near_all(K + i * N + j, &expected, 1, 1e-14);
                assert_true(K[i * N + j] <= 1);
            }
        OK(env, rk_eigen(env, N, K, N, 0, N - 1, w, V));
        assert_true(w[0] > -1e-13 * w[N - 1]);
        rkhs_data_free(data);
    }
}

static void tanimoto_of_tiny_numbers_keeps_its_digits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double x[] = {1e-160, 2e-160, 2e-200, 1e-200, 0, 0, 3, 4};
    rkhs_data *data;
    double K[16];
    OK(env, rkhs_data_dense(env, x, 4, 2, 2, &data));
    gram_of(env, "tanimoto", data, NULL, K);
    near_all(K, (double[]){1, 4e-40 / 5, 0, 0, 4e-40 / 5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 16, 1e-15);
    rkhs_data_free(data);
}

/* ---- making, packing, refusing ---- */

static void packed_bytes_are_read_from_the_lowest_bit(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    uint8_t packed[] = {0x01, 0x80, 0x02, 77, 0xff, 0x00, 0x01, 77};
    rkhs_data *x = NULL;
    double row[18], expected[18] = {[0] = 1, [15] = 1, [17] = 1};
    OK(env, rkhs_data_bits(env, packed, 2, 18, 4, &x));
    memset(packed, 0, sizeof packed); /* copied */
    assert_string_equal(rkhs_data_kind(x), "bits");
    assert_int_equal(rkhs_data_columns(x), 18);
    assert_null(rkhs_data_values(x, NULL));
    rk_bits_row(x, 0, row);
    assert_memory_equal(row, expected, sizeof row);
    rkhs_data_free(x);
    packed[2] = 4;
    FAILS(env, RKHS_ERR_DATA, "row 1 | bits | 18", rkhs_data_bits(env, packed, 2, 18, 4, &x));
    assert_null(x);
    FAILS(env, RKHS_ERR_ARGUMENT, "stride is 2 | 3 bytes | 18 bits", rkhs_data_bits(env, packed, 2, 18, 2, &x));
    FAILS(env, RKHS_ERR_DATA, "0 rows and 18 bits", rkhs_data_bits(env, packed, 0, 18, 3, &x));
    FAILS(env, RKHS_ERR_DATA, "2 rows and 0 bits", rkhs_data_bits(env, packed, 2, 0, 3, &x));
    FAILS(env, RKHS_ERR_DATA, "at most 2147483647", rkhs_data_bits(env, packed, 2, INT64_C(1) << 40, INT64_MAX, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "NULL", rkhs_data_bits(env, NULL, 2, 18, 3, &x));
    assert_int_equal(rkhs_data_bits(NULL, packed, 2, 18, 3, &x), RKHS_ERR_ARGUMENT);
}

static void a_number_that_is_no_bit_is_named_by_row_and_column(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double x[] = {0, 1, 1, 0, 1, 0.5}, K[4];
    rkhs_data *bits = some_bits(env, 1, 2, 3, NULL), *dense;
    rkhs_kernel *k;
    OK(env, rkhs_data_dense(env, x, 2, 3, 3, &dense));
    OK(env, rkhs_kernel_new(env, "tanimoto", &k));
    FAILS(env, RKHS_ERR_DATA, "row 2 | column 3 | 0.5 | bits", rkhs_kernel_gram(k, bits, dense, K, 2));
    rkhs_data_free(dense);
    x[5] = 1;
    OK(env, rkhs_data_dense(env, x, 2, 3, 3, &dense));
    OK(env, rkhs_kernel_gram(k, bits, dense, K, 2));
    rkhs_kernel_free(k);
    rkhs_data_free(dense);
    rkhs_data_free(bits);
}

static void few_ones_in_many_columns_stay_sparse(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const double ones[] = {1, 1, 1};
    static const int32_t few[] = {5, 70000, 900000}, close[] = {5, 7, 60};
    static const int64_t starts[] = {0, 2, 3};
    rkhs_data *wide, *narrow;
    OK(env, rkhs_data_csr(env, ones, few, starts, 2, 1000000, &wide));
    OK(env, rkhs_data_csr(env, ones, close, starts, 2, 64, &narrow));
    assert_int_equal(rk_bits_preferable(wide), 0);
    assert_int_equal(rk_bits_preferable(narrow), 1);
    double K[4];
    gram_of(env, "tanimoto", wide, NULL, K);
    near_all(K, (double[]){1, 0, 0, 1}, 4, 0);
    rkhs_data_free(narrow);
    rkhs_data_free(wide);
}

/* What a model keeps decides how new rows are seen, not what they happen to be. */
static void new_rows_are_seen_as_the_kept_ones(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double counts[] = {0, 1, 2, 1, 0, 3, 4, 1, 1, 0, 2, 2}, ones[] = {1, 1, 0, 0, 0, 1},
           zeros[] = {0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0};
    double Z[4], Y[4];
    rkhs_data *many, *few, *sets, *bad, *bits;
    rkhs_kernel *k;
    rkhs_model *m;
    OK(env, rkhs_data_dense(env, counts, 4, 3, 3, &many));
    OK(env, rkhs_data_dense(env, counts, 2, 3, 3, &bad));
    OK(env, rkhs_data_dense(env, zeros, 4, 3, 3, &sets));
    OK(env, rkhs_data_dense(env, ones, 2, 3, 3, &few));
    OK(env, rkhs_data_bits(env, (const uint8_t[]){3, 4}, 2, 3, 1, &bits)); /* the same as few */
    OK(env, rkhs_kernel_new(env, "tanimoto", &k));
    OK(env, rkhs_model_new(env, "kpca(dim=2)", &m));
    OK(env, rkhs_model_fit(m, k, many, NULL, NULL));
    assert_string_equal(rkhs_data_kind(m->map->objects), "dense");
    OK(env, rkhs_model_transform(m, few, Z, 2));
    OK(env, rkhs_model_transform(m, bits, Y, 2)); /* unpacked */
    near_all(Y, Z, 4, 1e-14);
    OK(env, rkhs_model_fit(m, k, sets, NULL, NULL));
    assert_string_equal(rkhs_data_kind(m->map->objects), "bits");
    OK(env, rkhs_model_transform(m, few, Z, 2));
    OK(env, rkhs_model_transform(m, bits, Y, 2));
    near_all(Y, Z, 4, 0);
    FAILS(env, RKHS_ERR_DATA, "row 1 | column 3 | 2", rkhs_model_transform(m, bad, Z, 2));
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(bits);
    rkhs_data_free(few);
    rkhs_data_free(sets);
    rkhs_data_free(bad);
    rkhs_data_free(many);
}

static void an_inverse_gives_bits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 40, P = 6 };
    double x[N * P], Z[N * P];
    int64_t n, dim;
    int wrong = 0;
    rkhs_data *bits = some_bits(env, 5, N, P, x), *back;
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "kpca(dim=5)", &m));
    OK(env, rkhs_model_fit(m, NULL, bits, NULL, NULL));
    assert_string_equal(rkhs_kernel_text(rkhs_model_kernel(m)), "tanimoto");
    memcpy(Z, rkhs_model_embedding(m, &n, &dim), sizeof(double) * N * 5);
    OK(env, rkhs_model_inverse(m, Z, N, dim, &back));
    assert_string_equal(rkhs_data_kind(back), "bits");
    for (int64_t i = 0; i < N; i++) {
        double row[P];
        rk_bits_row(back, i, row);
        for (int c = 0; c < P; c++) wrong += row[c] != x[i * P + c];
    }
    assert_true(wrong <= N * P / 20);
    rkhs_data_free(back);
    rkhs_model_free(m);
    rkhs_data_free(bits);
}

/* ---- files ---- */

static rkhs_status save(rkhs_env *env, int64_t width, const uint64_t *words, int64_t rows, int64_t stride) {
    rk_archive *archive;
    OK(env, rk_archive_new(env, &archive));
    OK(env, rk_archive_put_text(archive, "x/kind", "bits"));
    OK(env, rk_archive_put_int(archive, "x/width", width));
    OK(env, rk_archive_put(archive, "x/words", &(rk_array){'q', 2, {rows, stride}, words}));
    rkhs_status status = rk_archive_write(archive, "b.npz");
    rk_archive_free(archive);
    return status;
}

static rkhs_status load(rkhs_env *env, const char *path, rkhs_data **x) {
    rk_archive *archive;
    rk_begin_call(env);
    rkhs_status status = rk_archive_read(env, path, &archive);
    if (status == RKHS_OK) status = rk_data_load(env, archive, "x/", x);
    rk_archive_free(archive);
    return status;
}

static void bits_are_saved_and_hostile_ones_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const uint64_t words[] = {~UINT64_C(0), 0x7f, 1, 0};
    rkhs_data *x, *back, *part;
    rk_archive *archive;
    OK(env, save(env, 71, words, 2, 2));
    OK(env, load(env, "b.npz", &x));
    assert_memory_equal(((rk_bits *)x->self)->words, words, sizeof words);
    OK(env, rkhs_data_subset(x, (int64_t[]){1, 0, 1}, 3, &part));
    assert_int_equal(((rk_bits *)part->self)->words[2], ~UINT64_C(0));
    assert_int_equal(((rk_bits *)part->self)->words[4], 1);
    OK(env, rk_archive_new(env, &archive));
    OK(env, rk_data_save(part, archive, "x/"));
    OK(env, rk_archive_write(archive, "c.npz"));
    rk_archive_free(archive);
    OK(env, load(env, "c.npz", &back));
    assert_memory_equal(((rk_bits *)back->self)->words, ((rk_bits *)part->self)->words, 6 * sizeof *words);
    assert_int_equal(back->columns, 71);
    rkhs_data_free(back);
    rkhs_data_free(part);
    rkhs_data_free(x);
    OK(env, save(env, 70, words, 2, 2));
    FAILS(env, RKHS_ERR_FORMAT, "'x/words' | bits | 70 | row 0", load(env, "b.npz", &x));
    static const int64_t wrong[] = {0, -1, 64, 129, INT64_MAX};
    for (int i = 0; i < 5; i++) {
        OK(env, save(env, wrong[i], words, 2, 2));
        FAILS(env, RKHS_ERR_FORMAT, "does not hold rows of", load(env, "b.npz", &x));
    }
}

static void bits_are_written_as_zeros_and_ones(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    enum { N = 5, P = 67 };
    double x[N * P];
    rkhs_data *bits = some_bits(env, 9, N, P, x), *back;
    rkhs_kernel *k;
    static const char *const names[] = {"x.csv", "x.tsv", "x.npy"};
    OK(env, rkhs_kernel_new(env, "tanimoto", &k));
    for (int i = 0; i < 3; i++) {
        OK(env, rkhs_data_write(bits, names[i], NULL));
        OK(env, rkhs_data_read(env, names[i], NULL, &back));
        assert_memory_equal(rkhs_data_values(back, NULL), x, sizeof x);
        rkhs_data_free(back);
    }
    OK(env, rkhs_data_read_for(env, "x.npy", NULL, k, &back)); /* bytes: no numbers in between */
    assert_string_equal(rkhs_data_kind(back), "bits");
    assert_memory_equal(((rk_bits *)back->self)->words, ((rk_bits *)bits->self)->words, N * 2 * 8);
    rkhs_data_free(back);
    FAILS(env, RKHS_ERR_DATA, "x.npz | bits | npz", rkhs_data_write(bits, "x.npz", NULL));
    rkhs_kernel_free(k);
    rkhs_data_free(bits);
    assert_int_equal(files_count(), 3);
}

/* ---- classes ---- */

static void classes_are_compared_by_name(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *a, *b, *twice;
    double K[16], L[12], Z[6];
    OK(env, rkhs_data_classes(env, (int64_t[]){0, 1, 1, 2}, 4, (const char *const[]){"cat", "dog", "cow"}, 3, &a));
    OK(env, rkhs_data_classes(env, (int64_t[]){1, 0, 2}, 3, (const char *const[]){"dog", "cow", "ant"}, 3, &b));
    OK(env, rkhs_data_classes(env, (int64_t[]){0, 1, 2}, 3, (const char *const[]){"ant", "cat", "ant"}, 3, &twice));
    gram_of(env, "delta", a, NULL, K);
    near_all(K, (double[]){1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1}, 16, 0);
    gram_of(env, "delta", b, a, L);
    near_all(L, (double[]){0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0}, 12, 0);
    gram_of(env, "delta", a, b, L);
    near_all(L, (double[]){0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0}, 12, 0);
    gram_of(env, "delta", twice, NULL, K); /* one name is one class, whatever its codes */
    near_all(K, (double[]){1, 0, 1, 0, 1, 0, 1, 0, 1}, 9, 0);
    rkhs_model *m;
    OK(env, rkhs_model_new(env, "kpca(dim=2)", &m));
    OK(env, rkhs_model_fit(m, NULL, a, NULL, NULL));
    assert_string_equal(rkhs_kernel_text(rkhs_model_kernel(m)), "delta");
    OK(env, rkhs_model_transform(m, b, Z, 2));
    const double *E = rkhs_model_embedding(m, NULL, NULL);
    near_all(Z, E + 6, 2, 1e-14);     /* cow */
    near_all(Z + 2, E + 2, 2, 1e-14); /* dog */
    near_all(Z + 4, m->map->c, 2, 0); /* ant: like nothing that was seen */
    rkhs_model_free(m);
    rkhs_data_free(twice);
    rkhs_data_free(b);
    rkhs_data_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(every_level_counts_alike),
        FILES_TEST(tanimoto_is_intersection_over_union),
        FILES_TEST(kernels_on_numbers_give_the_same_on_bits),
        FILES_TEST(tanimoto_takes_counts_and_real_numbers),
        FILES_TEST(tanimoto_of_tiny_numbers_keeps_its_digits),
        FILES_TEST(packed_bytes_are_read_from_the_lowest_bit),
        FILES_TEST(a_number_that_is_no_bit_is_named_by_row_and_column),
        FILES_TEST(few_ones_in_many_columns_stay_sparse),
        FILES_TEST(new_rows_are_seen_as_the_kept_ones),
        FILES_TEST(an_inverse_gives_bits),
        FILES_TEST(bits_are_saved_and_hostile_ones_refused),
        FILES_TEST(bits_are_written_as_zeros_and_ones),
        FILES_TEST(classes_are_compared_by_name),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
