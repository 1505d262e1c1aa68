/* Sparse data: construction, damage, subsets, files; kernels on them are those on the same numbers laid out densely. */
#include "env.h"
#include "files.h"
#include "kernel/kernel.h"

/* 3 x 5: (1 . 2 . .), (. . . . .), (. 0 . . -3), with a zero that stands there. */
static const double five_values[] = {1, 2, 0, -3};
static const int32_t five_columns[] = {0, 2, 1, 4};
static const int64_t five_starts[] = {0, 2, 2, 4};

static void csr_copies_what_it_is_given(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x;
    double values[4];
    memcpy(values, five_values, sizeof values);
    OK(env, rkhs_data_csr(env, values, five_columns, five_starts, 3, 5, &x));
    values[0] = 77;
    const rk_sparse *s = x->self;
    assert_memory_equal(s->values, five_values, sizeof five_values);
    assert_memory_equal(s->columns, five_columns, sizeof five_columns);
    assert_memory_equal(s->starts, five_starts, sizeof five_starts);
    assert_string_equal(rkhs_data_kind(x), "sparse");
    assert_true(rkhs_data_rows(x) == 3 && rkhs_data_columns(x) == 5);
    assert_null(rkhs_data_values(x, NULL));
    rkhs_data_free(x);
    static const int64_t none[] = {0, 0, 0};
    OK(env, rkhs_data_csr(env, NULL, NULL, none, 2, 1, &x)); /* nothing but zeros */
    rkhs_data_free(x);
}

static void what_is_wrong_is_named_by_row_and_place(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = NULL;
    const double *v = five_values;
    const int32_t *c = five_columns, twice[] = {0, 0, 1, 4}, back[] = {0, 2, 4, 1}, wide[] = {0, 5, 1, 4},
                  low[] = {-1, 2, 1, 4};
    const int64_t *s = five_starts, late[] = {1, 2, 2, 4}, falls[] = {0, 3, 2, 4}, under[] = {0, 2, 2, -1};
    FAILS(env, RKHS_ERR_DATA, "row 1 | number 2 | column 1", rkhs_data_csr(env, v, twice, s, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "row 3 | number 2 | column 2 | column 5", rkhs_data_csr(env, v, back, s, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "row 1 | number 2 | column 6 | are 5", rkhs_data_csr(env, v, wide, s, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "column 0 | are 5", rkhs_data_csr(env, v, low, s, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "starts at position 1", rkhs_data_csr(env, v, c, late, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "row 2 | position 3 | at 2", rkhs_data_csr(env, v, c, falls, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "ends before it", rkhs_data_csr(env, v, c, under, 3, 5, &x));
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e151};
    const char *const words[] = {"row 3 | column 5 | NaN", "is inf", "is -inf", "is 1e+151, past 1e150"};
    for (int i = 0; i < 4; i++) {
        double values[] = {1, 2, 0, bad[i]};
        FAILS(env, RKHS_ERR_DATA, words[i], rkhs_data_csr(env, values, c, s, 3, 5, &x));
    }
    FAILS(env, RKHS_ERR_ARGUMENT, "no starts", rkhs_data_csr(env, v, c, NULL, 3, 5, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "no values", rkhs_data_csr(env, NULL, c, s, 3, 5, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "no columns", rkhs_data_csr(env, v, NULL, s, 3, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "at least one of each", rkhs_data_csr(env, v, c, s, 0, 5, &x));
    FAILS(env, RKHS_ERR_DATA, "at least one of each", rkhs_data_csr(env, v, c, s, 3, 0, &x));
    FAILS(env, RKHS_ERR_DATA, "at most 2147483647", rkhs_data_csr(env, v, c, s, 3, INT64_C(1) << 31, &x));
    assert_true(rkhs_data_csr(NULL, v, c, s, 3, 5, &x) == RKHS_ERR_ARGUMENT);
    assert_null(x);
}

static void a_subset_has_its_rows_in_its_order(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x, *part;
    const int64_t index[] = {2, 0, 1, 2};
    static const double values[] = {0, -3, 1, 2, 0, -3};
    static const int32_t columns[] = {1, 4, 0, 2, 1, 4};
    static const int64_t starts[] = {0, 2, 4, 4, 6};
    OK(env, rkhs_data_csr(env, five_values, five_columns, five_starts, 3, 5, &x));
    OK(env, rkhs_data_subset(x, index, 4, &part));
    const rk_sparse *s = part->self;
    assert_true(part->rows == 4 && part->columns == 5);
    assert_memory_equal(s->values, values, sizeof values);
    assert_memory_equal(s->columns, columns, sizeof columns);
    assert_memory_equal(s->starts, starts, sizeof starts);
    rkhs_data_free(part);
    rkhs_data_free(x);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static void a_file_gives_back_the_same_rows(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *back;
    rk_archive *archive;
    OK(env, rkhs_data_csr(env, five_values, five_columns, five_starts, 3, 5, &x));
    OK(env, rk_archive_new(env, &archive));
    OK(env, rk_data_save(x, archive, "x/"));
    OK(env, rk_archive_write(archive, "sparse.npz"));
    rk_archive_free(archive);
    OK(env, rk_archive_read(env, "sparse.npz", &archive));
    OK(env, rk_data_load(env, archive, "x/", &back));
    const rk_sparse *s = back->self;
    assert_true(back->rows == 3 && back->columns == 5);
    assert_memory_equal(s->values, five_values, sizeof five_values);
    assert_memory_equal(s->columns, five_columns, sizeof five_columns);
    assert_memory_equal(s->starts, five_starts, sizeof five_starts);
    rkhs_data_free(back);
    rk_archive_free(archive);
    rkhs_data_free(x);
}

/* Arrays that do not fit together, with a checksum that is right. */
static void arrays_that_do_not_fit_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const struct {
        int64_t width, rows, last, count, column;
        const char *part;
    } bad[] = {
        {0, 1, 2, 2, 0, "do not fit together"},
        {INT64_C(1) << 40, 1, 2, 2, 0, "do not fit together"},
        {5, 0, 0, 2, 0, "do not fit together"},
        {5, 1, 3, 2, 0, "do not fit together"},
        {5, 1, 1, 2, 0, "do not fit together"},
        {5, 1, 2, 1, 0, "do not fit together"},
        {5, 1, 2, 2, 7, "row 1 | number 2"},
        {5, 1, 2, 2, INT64_C(1) << 32, "row 1 | number 2"},
        {5, 1, 2, 2, -1, "row 1 | number 2"},
        {5, 1, 2, 2, 0, "after column 1"},
        {5, 2, 2, 2, 1, "row 1 (counted from 1) starts"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rk_archive *archive;
        rkhs_data *back;
        double values[] = {1, 2};
        int64_t columns[] = {0, bad[i].column}, starts[] = {0, bad[i].last, bad[i].last};
        if (bad[i].rows == 2) starts[1] = -1;
        OK(env, rk_archive_new(env, &archive));
        OK(env, rk_archive_put_text(archive, "x/kind", "sparse"));
        OK(env, rk_archive_put_int(archive, "x/width", bad[i].width));
        OK(env, rk_archive_put(archive, "x/starts", &(rk_array){'q', 1, {bad[i].rows + 1}, starts}));
        OK(env, rk_archive_put(archive, "x/values", &(rk_array){'d', 1, {2}, values}));
        OK(env, rk_archive_put(archive, "x/columns", &(rk_array){'q', 1, {bad[i].count}, columns}));
        OK(env, rk_archive_write(archive, "bad.npz"));
        rk_archive_free(archive);
        OK(env, rk_archive_read(env, "bad.npz", &archive));
        rkhs_status status = rk_data_load(env, archive, "x/", &back);
        if (status == RKHS_OK || !says(rkhs_env_message(env), bad[i].part))
            fail_msg("case %zu: status %d: %s", i, status, rkhs_env_message(env));
        rk_begin_call(env);
        rk_archive_free(archive);
    }
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

enum { N = 530, P = 300 }; /* three tiles */

/* The same numbers twice, one in ten other than 0; some rows empty, some equal, some very near to another. counts:
 * none below 0. */
static void twins(rkhs_env *env, int64_t n, int counts, rkhs_data **dense, rkhs_data **sparse) {
    double *values, *to;
    int32_t *columns;
    int64_t *starts, count = 0;
    OK(env, rk_data_dense_new(env, n, P, &values, dense));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < P; j++) {
            int64_t of = i % 7 == 3 ? i - 1 : i;
            uint64_t key = (uint64_t)(of * P + j);
            if (i % 50 == 20 || rk_uniform(5, RK_STREAM_TEST, key, 1) > 0.1) continue;
            values[i * P + j] = noise(6, key) * (i % 14 == 3 ? 1 + 1e-7 : 1);
            if (counts) values[i * P + j] = fabs(values[i * P + j]);
        }
    for (int64_t i = 0; i < n * P; i++) count += values[i] != 0;
    OK(env, rk_data_sparse_new(env, n, P, count, &to, &columns, &starts, sparse));
    for (int64_t i = 0, at = 0; i < n; i++) {
        for (int64_t j = 0; j < P; j++)
            if (values[i * P + j] != 0) to[at] = values[i * P + j], columns[at++] = (int32_t)j;
        starts[i + 1] = at;
    }
    OK(env, rk_sparse_check(env, NULL, *sparse));
}

static const char *const texts[] = {
    "linear",
    "poly(degree=2)",
    "poly",
    "rbf(gamma=0.7)",
    "rbf",
    "rbf(sigma=knn(5))",
    "cosine",
    "2*linear + rbf*cosine",
    "sigmoid",
    "laplacian",
    "laplacian(sigma=knn(3))",
    "matern",
    "rq",
    "cauchy",
    "relu(depth=2)",
    "ntk(depth=3)",
};
/* For numbers of 0 and above. */
static const char *const count_texts[] = {"chi2", "chi2(sigma=knn(4))", "chi2(gamma=0.3)", "intersection", "minmax"};
enum { TEXTS = sizeof texts / sizeof *texts, COUNT_TEXTS = sizeof count_texts / sizeof *count_texts };

static void compare_with_dense(rkhs_env *env, int counts, const char *const *list, int count) {
    rkhs_data *dense, *sparse, *few[2];
    rk_mark mark = rk_scratch_mark(env);
    double *K, *L;
    const int64_t index[] = {0, 3, 20, 529, 2};
    twins(env, N, counts, &dense, &sparse);
    OK(env, rkhs_data_subset(dense, index, 5, &few[0]));
    OK(env, rkhs_data_subset(sparse, index, 5, &few[1]));
    OK(env, rk_scratch(env, N * N, sizeof *K, &K));
    OK(env, rk_scratch(env, N * N, sizeof *L, &L));
    for (int t = 0; t < count; t++) {
        rkhs_kernel *k;
        OK(env, rkhs_kernel_new(env, list[t], &k));
        OK(env, rkhs_kernel_gram(k, dense, NULL, K, N));
        OK(env, rkhs_kernel_gram(k, sparse, NULL, L, N));
        for (int64_t i = 0; i < N * N; i++) NEAR(L[i], K[i], 1e-12);
        OK(env, rkhs_kernel_freeze(k, sparse));
        OK(env, rkhs_kernel_gram(k, few[0], dense, K, N));
        OK(env, rkhs_kernel_gram(k, few[1], sparse, L, N));
        for (int64_t i = 0; i < 5 * N; i++) NEAR(L[i], K[i], 1e-12);
        rkhs_kernel_free(k);
    }
    for (int i = 0; i < 2; i++) rkhs_data_free(few[i]);
    rkhs_data_free(sparse);
    rkhs_data_free(dense);
    rk_scratch_release(env, mark);
}

static void kernels_are_those_on_the_same_numbers_laid_out_densely(void **state) {
    compare_with_dense(*state, 0, texts, TEXTS);
    compare_with_dense(*state, 1, count_texts, COUNT_TEXTS);
}

static void compare_bits(rkhs_env *env, int counts, const char *const *list, int count) {
    rkhs_data *dense, *sparse, *few;
    rk_mark mark = rk_scratch_mark(env);
    double *K, *L;
    const int64_t index[] = {5, 300, 522};
    twins(env, N, counts, &dense, &sparse);
    OK(env, rkhs_data_subset(sparse, index, 3, &few));
    OK(env, rk_scratch(env, N * N, sizeof *K, &K));
    OK(env, rk_scratch(env, N * N, sizeof *L, &L));
    for (int t = 0; t < count; t++) {
        rkhs_kernel *k;
        OK(env, rkhs_kernel_new(env, list[t], &k));
        OK(env, rkhs_env_set_threads(env, 1));
        OK(env, rkhs_kernel_gram(k, sparse, NULL, K, N));
        for (int threads = 2; threads <= 4; threads *= 2) {
            OK(env, rkhs_env_set_threads(env, threads));
            OK(env, rkhs_kernel_gram(k, sparse, NULL, L, N));
            assert_memory_equal(L, K, N * N * sizeof *K);
        }
        OK(env, rkhs_kernel_freeze(k, sparse));
        OK(env, rkhs_kernel_gram(k, sparse, sparse, K, N));
        OK(env, rkhs_kernel_gram(k, few, sparse, L, N));
        for (int i = 0; i < 3; i++) assert_memory_equal(L + i * N, K + index[i] * N, N * sizeof *K);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(few);
    rkhs_data_free(sparse);
    rkhs_data_free(dense);
    rk_scratch_release(env, mark);
}

static void the_bits_do_not_depend_on_threads_nor_on_the_other_rows(void **state) {
    compare_bits(*state, 0, texts, TEXTS);
    compare_bits(*state, 1, count_texts, COUNT_TEXTS);
}

static void columns_may_be_as_many_as_fit(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x;
    rkhs_kernel *k;
    static const double values[] = {1, 2, 3, 4, 5, 6};
    static const int32_t columns[] = {0, 70000, INT32_MAX - 1, 70000, 70001, INT32_MAX - 1};
    static const int64_t starts[] = {0, 3, 3, 6};
    static const double expected[] = {14, 0, 26, 0, 0, 0, 26, 0, 77};
    double K[9];
    OK(env, rkhs_data_csr(env, values, columns, starts, 3, INT32_MAX, &x));
    OK(env, rkhs_kernel_new(env, "linear", &k));
    OK(env, rkhs_kernel_gram(k, x, NULL, K, 3));
    for (int i = 0; i < 9; i++) NEAR(K[i], expected[i], 0);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

static void dense_and_sparse_are_compared_as_the_first_is(void **state) {
    rkhs_env *env = *state;
    rkhs_data *dense, *sparse;
    rkhs_kernel *k;
    double K[9], expected[9];
    twins(env, 3, 0, &dense, &sparse);
    OK(env, rkhs_kernel_new(env, "linear", &k));
    OK(env, rkhs_kernel_gram(k, dense, NULL, expected, 3));
    OK(env, rkhs_kernel_gram(k, dense, sparse, K, 3));
    for (int i = 0; i < 9; i++) NEAR(K[i], expected[i], 1e-12 * fabs(expected[i]));
    OK(env, rkhs_kernel_gram(k, sparse, dense, K, 3));
    for (int i = 0; i < 9; i++) NEAR(K[i], expected[i], 1e-12 * fabs(expected[i]));
    rkhs_kernel_free(k);
    rkhs_data_free(sparse);
    rkhs_data_free(dense);
}

static void a_model_takes_sparse_data_and_has_no_inverse_for_them(void **state) {
    rkhs_env *env = *state;
    rkhs_data *dense, *sparse, *back;
    rkhs_model *m, *other;
    double Z[60 * 2];
    twins(env, 60, 0, &dense, &sparse);
    OK(env, rkhs_model_new(env, "kpca(dim=2)", &m));
    OK(env, rkhs_model_new(env, "kpca(dim=2)", &other));
    OK(env, rkhs_model_fit(m, NULL, sparse, NULL, NULL));
    OK(env, rkhs_model_fit(other, NULL, dense, NULL, NULL));
    OK(env, rkhs_model_transform(m, sparse, Z, 2));
    for (int i = 0; i < 120; i++) NEAR(Z[i], rkhs_model_embedding(other, NULL, NULL)[i], 1e-8);
    OK(env, rkhs_model_transform(m, dense, Z, 2));
    for (int i = 0; i < 120; i++) NEAR(Z[i], rkhs_model_embedding(other, NULL, NULL)[i], 1e-8);
    FAILS(env, RKHS_ERR_DATA, "no inverse for sparse data", rkhs_model_inverse(m, Z, 1, 2, &back));
    rkhs_model_free(other);
    rkhs_model_free(m);
    rkhs_data_free(sparse);
    rkhs_data_free(dense);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(csr_copies_what_it_is_given),
        ENV_TEST(what_is_wrong_is_named_by_row_and_place),
        ENV_TEST(a_subset_has_its_rows_in_its_order),
        FILES_TEST(a_file_gives_back_the_same_rows),
        FILES_TEST(arrays_that_do_not_fit_are_refused),
        ENV_TEST(kernels_are_those_on_the_same_numbers_laid_out_densely),
        ENV_TEST(the_bits_do_not_depend_on_threads_nor_on_the_other_rows),
        ENV_TEST(columns_may_be_as_many_as_fit),
        ENV_TEST(dense_and_sparse_are_compared_as_the_first_is),
        ENV_TEST(a_model_takes_sparse_data_and_has_no_inverse_for_them),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
