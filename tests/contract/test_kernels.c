/* What every kernel promises, for each in the list and for sums, products and weights of them. */
#include "fixtures.h"

/* ---- the lists themselves -------------------------------------------------------------------------------------- */

static void every_kernel_has_data_to_test_it_on(void **state) {
    rkhs_env *env = *state;
    const char *text;
    for (int i = 0; (text = fixture_kernel(i)); i++) {
        int sets = 0;
        for (pairing p = {0}; next_pairing(env, &p);) sets += strcmp(p.text, text) == 0;
        if (!sets) fail_msg("no data set of fixtures.h is of a kind that %s takes: add one", text);
    }
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static void a_gram_is_symmetric_to_the_bit(void **state) {
    rkhs_env *env = *state;
    enum { N = 264 };
    for (pairing p = {0}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        subject_open(env, &p, N, &s);
        double *K = subject_gram(env, &s);
        all_finite("K", K, N * N);
        double *turned = numbers(env, N * N);
        for (int64_t i = 0; i < N * N; i++) turned[i % N * N + i / N] = K[i];
        same_bits("K[i,j] and K[j,i]", K, turned, N * N);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void a_kernel_that_claims_it_is_positive_semi_definite(void **state) {
    rkhs_env *env = *state;
    enum { N = 60 };
    int claims = 0;
    for (pairing p = {0}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        subject_open(env, &p, N, &s);
        if (rk_kernel_all_have(s.kernel, RK_PSD)) {
            double *w = numbers(env, N), *V = numbers(env, N * N);
            FINE(env, rk_eigen(env, N, subject_gram(env, &s), N, 0, N - 1, w, V));
            if (!(w[0] >= -1e-10 * w[N - 1])) fail_msg("%s: eigenvalues from %g to %g", context, w[0], w[N - 1]);
            claims++;
        }
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
    assert_true(claims > 0);
}

static void a_block_equals_its_pairs_one_by_one(void **state) {
    rkhs_env *env = *state;
    enum { N = 40 };
    for (pairing p = {0}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        rk_work *work;
        subject_open(env, &p, N, &s);
        FINE(env, rk_work_new(env, s.bound, s.bound, &work));
        double *K = numbers(env, N * N), one;
        FINE(env, rk_block_of(s.bound, 0, N, s.bound, 0, N, K, N, work[0]));
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) {
                FINE(env, rk_block_of(s.bound, i, 1, s.bound, j, 1, &one, 1, work[0]));
                near_each("a pair", &one, K + i * N + j, 1, 1e-12);
            }
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* The leading n x n part of K (520 x 520) must be the Gram of the first n objects, which refer to all. */
static void check_part(rkhs_env *env, const subject *s, const double *K, int64_t n) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t *index = wholes(env, n), all = s->x->rows;
    double *part = numbers(env, n * n);
    rkhs_data *some;
    rk_bound *bound;
    for (int64_t i = 0; i < n; i++) index[i] = i;
    FINE(env, rkhs_data_subset(s->use, index, n, &some));
    FINE(env, rk_bind(env, s->kernel, some, s->bound, &bound));
    FINE(env, rk_gram_symmetric(env, bound, part, n));
    for (int64_t i = 0; i < n; i++) near_each("a row of the part", part + i * n, K + i * all, n, 1e-12);
    rk_unbind(env, bound);
    rkhs_data_free(some);
    rk_scratch_release(env, mark);
}

static void tiles_equal_the_whole_at_their_borders(void **state) {
    rkhs_env *env = *state;
    enum { N = 520 };
    for (pairing p = {.large = 1}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        subject_open(env, &p, N, &s);
        double *K = subject_gram(env, &s), *whole = numbers(env, N * N);
        static const int64_t sizes[] = {1, 2, 255, 256, 257};
        for (int i = 0; i < 5; i++) check_part(env, &s, K, sizes[i]);
        FINE(env, rk_gram_cross(env, NULL, s.bound, s.bound, whole, N));
        near_each("a cross Gram with itself", whole, K, N * N, 1e-12);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void the_diagonal_is_that_of_the_block(void **state) {
    rkhs_env *env = *state;
    enum { N = 257 };
    for (pairing p = {0}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        rk_work *work;
        subject_open(env, &p, N, &s);
        double *K = subject_gram(env, &s), d[N];
        FINE(env, rk_work_new(env, s.bound, s.bound, &work));
        FINE(env, rk_diag_of(s.bound, 0, RK_TILE, d, work[0]));
        FINE(env, rk_diag_of(s.bound, RK_TILE, N - RK_TILE, d + RK_TILE, work[0]));
        for (int64_t i = 0; i < N; i++) near_each("the diagonal", d + i, K + i * N + i, 1, 1e-12);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void a_cross_gram_is_a_part_of_the_symmetric_one(void **state) {
    rkhs_env *env = *state;
    enum { N = 300, M = 270 }; /* the last 270 rows against all, which crosses tiles elsewhere */
    for (pairing p = {.large = 1}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        rkhs_data *late;
        rk_bound *bound;
        int64_t index[M];
        subject_open(env, &p, N, &s);
        double *K = subject_gram(env, &s), *cross = numbers(env, M * N);
        for (int64_t i = 0; i < M; i++) index[i] = N - M + i;
        FINE(env, rkhs_data_subset(s.use, index, M, &late));
        FINE(env, rk_bind(env, s.kernel, late, s.bound, &bound));
        FINE(env, rk_gram_cross(env, NULL, bound, s.bound, cross, N));
        near_each("late rows against all", cross, K + (N - M) * N, M * N, 1e-12);
        FINE(env, rk_gram_cross(env, NULL, s.bound, bound, cross, M));
        for (int64_t i = 0; i < N; i++) near_each("all against late rows", cross + i * M, K + i * N + N - M, M, 1e-12);
        rk_unbind(env, bound);
        rkhs_data_free(late);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void the_bits_do_not_depend_on_threads(void **state) {
    rkhs_env *env = *state;
    enum { N = 520 };
    for (pairing p = {.large = 1}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        double *K[2];
        subject_open(env, &p, N, &s);
        rk_unbind(env, s.bound);
        for (int t = 0; t < 2; t++) {
            FINE(env, rkhs_env_set_threads(env, t ? 3 : 1));
            FINE(env, rk_bind(env, s.kernel, s.use, NULL, &s.bound));
            K[t] = subject_gram(env, &s);
            if (!t) rk_unbind(env, s.bound);
            same_bits("K on several threads", K[t], K[0], N * N);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* ---- text, rules, copies --------------------------------------------------------------------------------------- */

static void the_text_of_a_kernel_makes_an_equal_one(void **state) {
    rkhs_env *env = *state;
    enum { N = 30 };
    for (pairing p = {0}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_kernel *k, *again;
        subject s;
        double *K = numbers(env, N * N), *L = numbers(env, N * N);
        subject_open(env, &p, N, &s);
        FINE(env, rkhs_kernel_new(env, p.text, &k));
        FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(k), &again));
        assert_string_equal(rkhs_kernel_text(again), rkhs_kernel_text(k));
        FINE(env, rkhs_kernel_gram(k, s.x, NULL, K, N));
        FINE(env, rkhs_kernel_gram(again, s.x, NULL, L, N));
        same_bits("the Gram of the text's kernel", L, K, N * N);
        rkhs_kernel_free(again);
        FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(s.kernel), &again)); /* frozen: all digits are in the text */
        FINE(env, rkhs_kernel_gram(again, s.x, NULL, L, N));
        same_bits("the Gram of the frozen text's kernel", L, K, N * N);
        rkhs_kernel_free(again);
        rkhs_kernel_free(k);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* Rules that are not numbers yet, in the whole tree. */
static int rules_left(const rkhs_kernel *k) {
    int count = 0;
    for (const rk_param *p = k->spec->entry->params; p && p->name; p++)
        count += p->kind == RK_BANDWIDTH && ((const rk_bandwidth *)((const char *)k->spec->self + p->offset))->rule >= 0;
    for (int i = 0; i < k->children; i++) count += rules_left(k->child[i]);
    return count;
}

static void rules_freeze_to_numbers_and_stay(void **state) {
    rkhs_env *env = *state;
    int rules = 0;
    for (pairing p = {0}; next_pairing(env, &p);) {
        rkhs_data *x = fixture_data(env, p.data, 40), *other = fixture_data(env, p.data, 60);
        rkhs_kernel *k;
        char *text;
        FINE(env, rkhs_kernel_new(env, p.text, &k));
        rules += rules_left(k);
        FINE(env, rkhs_kernel_freeze(k, x));
        HOLDS(rules_left(k) == 0);
        FINE(env, rk_strdup(env, rkhs_kernel_text(k), &text)); /* a mean of many columns is long */
        FINE(env, rkhs_kernel_freeze(k, other));
        assert_string_equal(rkhs_kernel_text(k), text);
        rk_free(env, text);
        rkhs_kernel_free(k);
        rkhs_data_free(other);
        rkhs_data_free(x);
    }
    assert_true(rules > 0);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distances of all pairs, n x n: sums of absolutes, Euclidean, chi-squared. */
static double *distances(rkhs_env *env, const rkhs_data *x, int by) {
    int64_t ld, n = x->rows;
    const double *v = rkhs_data_values(x, &ld);
    double *D = numbers(env, n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double sum = 0;
            for (int64_t c = 0; c < x->columns; c++) {
                long double d = (long double)v[i * ld + c] - (long double)v[j * ld + c];
                long double s = (long double)v[i * ld + c] + (long double)v[j * ld + c];
                sum += by == RK_BY_EUCLID ? d * d : by == RK_BY_ABSOLUTES ? fabsl(d) : s > 0 ? d * d / s : 0;
            }
            D[i * n + j] = (double)(by == RK_BY_EUCLID ? sqrtl(sum) : sum);
        }
    return D;
}

static double median_of(double *v, int64_t count) {
    qsort(v, (size_t)count, sizeof *v, ascending);
    return count % 2 ? v[count / 2] : (v[count / 2 - 1] + v[count / 2]) / 2;
}

static void median_and_knn_are_the_widths_they_say(void **state) {
    rkhs_env *env = *state;
    enum { N = 301, K = 7 };
    static const struct {
        const char *name, *set;
        int by;
    } cases[] = {
        {"rbf", "small", RK_BY_EUCLID},
        {"rbf", "offset", RK_BY_EUCLID},
        {"rbf", "wide", RK_BY_EUCLID},
        {"laplacian", "small", RK_BY_ABSOLUTES},
        {"laplacian", "offset", RK_BY_ABSOLUTES},
        {"laplacian", "wide", RK_BY_ABSOLUTES},
        {"matern", "offset", RK_BY_EUCLID},
        {"rq", "wide", RK_BY_EUCLID},
        {"cauchy", "small", RK_BY_EUCLID},
        {"chi2", "counts", RK_BY_CHI2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x = fixture_data(env, cases[i].set, N);
        double *D = distances(env, x, cases[i].by), *pairs = numbers(env, N * N), kth[N];
        int64_t count = 0;
        for (int64_t a = 0; a < N; a++) {
            for (int64_t b = 0; b < a; b++) pairs[count++] = D[a * N + b];
            double row[N];
            memcpy(row, D + a * N, sizeof row);
            qsort(row, N, sizeof *row, ascending);
            kth[a] = row[K]; /* row[0] is the distance to itself */
        }
        double expected[] = {median_of(pairs, count), median_of(kth, N)};
        for (int rule = 0; rule < 2; rule++) {
            char text[64];
            rkhs_kernel *k;
            snprintf(text, sizeof text, rule ? "%s(sigma=knn(%d))" : "%s(sigma=median)", cases[i].name, K);
            LOOK_AT("%s on %s", text, cases[i].set);
            FINE(env, rkhs_kernel_new(env, text, &k));
            FINE(env, rkhs_kernel_freeze(k, x));
            double sigma = strtod(strstr(rkhs_kernel_text(k), "sigma=") + 6, NULL);
            near_each("sigma", &sigma, &expected[rule], 1, 1e-12);
            rkhs_kernel_free(k);
        }
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

static void copies_are_independent(void **state) {
    rkhs_env *env = *state;
    enum { N = 30 };
    for (pairing p = {0}; next_pairing(env, &p);) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x = fixture_data(env, p.data, N);
        rkhs_kernel *k, *copy;
        double *K = numbers(env, N * N), *L = numbers(env, N * N);
        char text[512];
        FINE(env, rkhs_kernel_new(env, p.text, &k));
        snprintf(text, sizeof text, "%s", rkhs_kernel_text(k));
        FINE(env, rkhs_kernel_gram(k, x, NULL, K, N));
        FINE(env, rkhs_kernel_copy(k, &copy));
        assert_string_equal(rkhs_kernel_text(copy), text);
        FINE(env, rkhs_kernel_freeze(copy, x));
        assert_string_equal(rkhs_kernel_text(k), text);
        rkhs_kernel_free(k);
        FINE(env, rkhs_kernel_gram(copy, x, NULL, L, N));
        same_bits("the Gram of a copy", L, K, N * N);
        rkhs_kernel_free(copy);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

static void a_kernel_uses_the_types_it_is_made_of(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *text, *used[4], *unused[3];
    } cases[] = {
        {"2*precomputed", {"precomputed"}, {"rbf", "", "2"}},
        {"normalize(rbf + 3*linear)", {"normalize", "rbf", "linear"}, {"cosine", "norm"}},
        {"mismatch(p=3, m=1, alphabet=python)", {"mismatch"}, {"python", "alphabet"}},
        {"rbf(sigma=median)[0,1] * linear^2", {"rbf", "linear"}, {"median", "sigma"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rkhs_kernel *k;
        FINE(env, rkhs_kernel_new(env, cases[i].text, &k));
        for (const char *const *type = cases[i].used; *type; type++) assert_true(rkhs_kernel_uses(k, *type));
        for (int j = 0; j < 3 && cases[i].unused[j]; j++) assert_false(rkhs_kernel_uses(k, cases[i].unused[j]));
        assert_false(rkhs_kernel_uses(k, NULL));
        rkhs_kernel_free(k);
    }
    assert_false(rkhs_kernel_uses(NULL, "rbf"));
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void data_of_another_kind_are_refused_with_a_sentence(void **state) {
    rkhs_env *env = *state;
    enum { N = 12 };
    rkhs_data *labels = fixture_labels(env, N), *tall = fixture_data(env, "small", N);
    double K[N * N];
    const char *text;
    for (int i = 0; (text = fixture_kernel(i)); i++) {
        rkhs_kernel *k;
        LOOK_AT("%s", text);
        FINE(env, rkhs_kernel_new(env, text, &k));
        const rkhs_data *other = rk_kernel_kinds(k) & RK_KIND_LABELS ? tall : labels;
        const char *sentence = other == tall ? "not dense: " : "not labels: ";
        REFUSED(env, RKHS_ERR_DATA, sentence, rkhs_kernel_gram(k, other, NULL, K, N));
        REFUSED(env, RKHS_ERR_DATA, sentence, rkhs_kernel_freeze(k, other));
        if (rk_kernel_kinds(k) == RK_KIND_GRAM)
            REFUSED(env, RKHS_ERR_DATA, "square | 12 x 3", rkhs_kernel_gram(k, tall, NULL, K, N));
        rkhs_kernel_free(k);
    }
    rkhs_data_free(tall);
    rkhs_data_free(labels);
}

static void two_data_sets_of_other_widths_are_refused(void **state) {
    rkhs_env *env = *state;
    enum { N = 12 };
    rkhs_data *a = fixture_data(env, "small", N), *b = fixture_data(env, "wide", N);
    double K[N * N];
    const char *text;
    for (int i = 0; (text = fixture_kernel(i)); i++) {
        rkhs_kernel *k;
        LOOK_AT("%s", text);
        FINE(env, rkhs_kernel_new(env, text, &k));
        if (rk_kernel_kinds(k) & RK_KIND_DENSE)
            REFUSED(env, RKHS_ERR_DATA, "3 columns, the second 70", rkhs_kernel_gram(k, a, b, K, N));
        rkhs_kernel_free(k);
    }
    rkhs_data_free(a);
    rkhs_data_free(b);
}

static void a_rule_needs_rows_to_look_at(void **state) {
    rkhs_env *env = *state;
    rkhs_data *one = fixture_data(env, "small", 1), *five = fixture_data(env, "small", 5);
    static const char *const names[] = {"rbf", "laplacian"};
    for (int i = 0; i < 2; i++) {
        rkhs_kernel *k, *same;
        char text[64];
        LOOK_AT("%s", names[i]);
        FINE(env, rkhs_kernel_new(env, names[i], &k));
        REFUSED(env, RKHS_ERR_DATA, "one row", rkhs_kernel_freeze(k, one));
        rkhs_kernel_free(k);
        snprintf(text, sizeof text, "%s(sigma=knn(5))", names[i]);
        FINE(env, rkhs_kernel_new(env, text, &k));
        FINE(env, rkhs_kernel_freeze(k, five)); /* the farthest of four others */
        snprintf(text, sizeof text, "%s(sigma=knn(4))", names[i]);
        FINE(env, rkhs_kernel_new(env, text, &same));
        FINE(env, rkhs_kernel_freeze(same, five));
        assert_string_equal(rkhs_kernel_text(k), rkhs_kernel_text(same));
        rkhs_kernel_free(k);
        rkhs_kernel_free(same);
    }
    rkhs_data_free(one);
    rkhs_data_free(five);
}

/* ---- ordinary but odd rows ------------------------------------------------------------------------------------- */

static void equal_rows_are_equally_alike(void **state) {
    rkhs_env *env = *state;
    enum { N = 300 };
    for (pairing p = {0}; next_pairing(env, &p);) {
        if (!strstr(p.data, "duplicates") || strstr(p.data, "sparse")) continue;
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        subject_open(env, &p, N, &s);
        double *K = subject_gram(env, &s);
        for (int64_t i = N / 3 + 1; i < N; i++) {
            int64_t first = i % (N / 3 + 1);
            near_each("the rows of equal objects", K + i * N, K + first * N, N, 1e-12);
            near_each("an object and its double", K + i * N + first, K + i * N + i, 1, 1e-12);
        }
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void a_zero_vector_has_a_cosine(void **state) {
    rkhs_env *env = *state;
    static const double x[] = {0, 0, 3, 4, 0, 0, -6, -8, 1e-160, 0};
    rkhs_data *data;
    rkhs_kernel *k;
    double K[25];
    LOOK_AT("cosine");
    FINE(env, rkhs_data_dense(env, x, 5, 2, 2, &data));
    FINE(env, rkhs_kernel_new(env, "cosine", &k));
    FINE(env, rkhs_kernel_gram(k, data, NULL, K, 5));
    static const double first[] = {1, 0, 1, 0}, second[] = {0, 1, 0, -1};
    near_each("a zero row", K, first, 4, 0);
    near_each("a row", K + 5, second, 4, 1e-15);
    all_finite("a row near zero", K + 20, 5);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
}

static void a_constant_column_changes_no_distance(void **state) {
    rkhs_env *env = *state;
    enum { N = 50, P = 11 };
    static const char *const texts[] = {"rbf", "rbf(gamma=0.05)", "laplacian", "laplacian(sigma=knn(3))", "2*rbf*laplacian"};
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, N * P, 1), *y = numbers(env, N * (P + 1)), *K = numbers(env, N * N), *L = numbers(env, N * N);
    for (int64_t i = 0; i < N; i++) {
        memcpy(y + i * (P + 1), x + i * P, P * sizeof *y);
        y[i * (P + 1) + P] = 12345;
    }
    rkhs_data *without, *with;
    OK(env, rkhs_data_dense(env, x, N, P, P, &without));
    OK(env, rkhs_data_dense(env, y, N, P + 1, P + 1, &with));
    for (int i = 0; i < 5; i++) {
        rkhs_kernel *k;
        LOOK_AT("%s", texts[i]);
        FINE(env, rkhs_kernel_new(env, texts[i], &k));
        FINE(env, rkhs_kernel_gram(k, without, NULL, K, N));
        FINE(env, rkhs_kernel_gram(k, with, NULL, L, N));
        near_each("K with a constant column", L, K, N * N, 1e-12);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(with);
    rkhs_data_free(without);
    rk_scratch_release(env, mark);
}

static void constant_data_get_a_width_of_one_and_advice(void **state) {
    rkhs_env *env = *state;
    double x[20], K[100];
    remarks log = {0};
    rkhs_data *data;
    rkhs_kernel *k;
    for (int i = 0; i < 20; i++) x[i] = 3;
    LOOK_AT("rbf on constant data");
    FINE(env, rkhs_data_dense(env, x, 10, 2, 2, &data));
    FINE(env, rkhs_kernel_new(env, "rbf", &k));
    rkhs_env_set_log(env, take_remark, &log);
    FINE(env, rkhs_kernel_freeze(k, data));
    assert_string_equal(rkhs_kernel_text(k), "rbf(sigma=1)");
    assert_int_equal(log.advice, 1);
    FINE(env, rkhs_kernel_gram(k, data, NULL, K, 10));
    for (int i = 0; i < 100; i++) HOLDS(K[i] == 1);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_kernel_has_data_to_test_it_on),
        ENV_TEST(a_gram_is_symmetric_to_the_bit),
        ENV_TEST(a_kernel_that_claims_it_is_positive_semi_definite),
        ENV_TEST(a_block_equals_its_pairs_one_by_one),
        ENV_TEST(tiles_equal_the_whole_at_their_borders),
        ENV_TEST(the_diagonal_is_that_of_the_block),
        ENV_TEST(a_cross_gram_is_a_part_of_the_symmetric_one),
        ENV_TEST(the_bits_do_not_depend_on_threads),
        ENV_TEST(the_text_of_a_kernel_makes_an_equal_one),
        ENV_TEST(rules_freeze_to_numbers_and_stay),
        ENV_TEST(median_and_knn_are_the_widths_they_say),
        ENV_TEST(copies_are_independent),
        ENV_TEST(a_kernel_uses_the_types_it_is_made_of),
        ENV_TEST(data_of_another_kind_are_refused_with_a_sentence),
        ENV_TEST(two_data_sets_of_other_widths_are_refused),
        ENV_TEST(a_rule_needs_rows_to_look_at),
        ENV_TEST(equal_rows_are_equally_alike),
        ENV_TEST(a_zero_vector_has_a_cosine),
        ENV_TEST(a_constant_column_changes_no_distance),
        ENV_TEST(constant_data_get_a_width_of_one_and_advice),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
