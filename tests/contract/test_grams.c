/* What every gram promises, for each in the list: push and pull are adjoint, Phi Phi' is near K, to_map is as push
 * through a map. */
#include "fixtures.h"

enum { N = 60 };

/* K of the subject, n x n, with the kept objects as what the kernel refers to. */
static double *gram_values(rkhs_env *env, const subject *s, const rk_gram *g) {
    if (!g->map_rows || !rk_kernel_any_has(s->kernel, RK_REFERENCE)) return subject_gram(env, s);
    double *K = numbers(env, N * N);
    rkhs_data *kept;
    rk_bound *root, *bound;
    FINE(env, rk_data_keep(s->use, g->map_rows, g->map_count, &kept));
    FINE(env, rk_bind(env, s->kernel, kept, NULL, &root));
    FINE(env, rk_bind(env, s->kernel, s->use, root, &bound));
    FINE(env, rk_gram_symmetric(env, bound, K, N));
    rk_unbind(env, bound);
    rk_unbind(env, root);
    rkhs_data_free(kept);
    return K;
}

static double inner(const double *a, const double *b, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* out = A B, A is m x n, B is n x k: a plain loop to compare with. */
static void multiply(const double *A, const double *B, int64_t m, int64_t n, int64_t k, double *out) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t c = 0; c < k; c++) {
            long double sum = 0;
            for (int64_t j = 0; j < n; j++) sum += (long double)A[i * n + j] * B[j * k + c];
            out[i * k + c] = (double)sum;
        }
}

/* ---- push, pull, mul, to_map ------------------------------------------------------------------------------------- */

static void check_adjoint(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    enum { K = 3 };
    double *W = normals(env, g->rank * K, 11), *Z = normals(env, N * K, 12);
    double *pushed = numbers(env, N * K), *pulled = numbers(env, g->rank * K);
    FINE(env, rk_gram_push(g, W, K, pushed));
    FINE(env, rk_gram_pull(g, Z, K, pulled));
    double a = inner(pushed, Z, N * K), b = inner(W, pulled, g->rank * K);
    double scale = sqrt(inner(pushed, pushed, N * K) * inner(Z, Z, N * K));
    if (!(fabs(a - b) <= 1e-12 * scale)) fail_msg("%s: <push W, Z> = %.17g, <W, pull Z> = %.17g", context, a, b);
}

static void check_products(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    enum { K = 2 };
    double *V = normals(env, N * K, 13), *W = numbers(env, g->rank * K), *out = numbers(env, N * K),
           *twice = numbers(env, N * K);
    FINE(env, rk_gram_mul(g, V, K, out));
    if (rk_gram_offers(g, RK_FEATURES)) {
        FINE(env, rk_gram_pull(g, V, K, W));
        FINE(env, rk_gram_push(g, W, K, twice));
        near_all("push(pull V) and mul V", twice, out, N * K, 1e-12);
    } else {
        FINE(env, rk_gram_push(g, V, K, twice));
        same_bits("push V and mul V", twice, out, N * K);
    }
    if (!of->whole) return;
    multiply(gram_values(env, s, g), V, N, N, K, twice);
    near_all("mul V and K V", out, twice, N * K, rk_gram_offers(g, RK_PRODUCTS) ? 1e-12 : 1e-8);
}

static void check_factor(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    HOLDS(g->n == N && g->rank >= 1 && g->rank <= N && g->map_count >= 1 && g->map_count <= N);
    for (int64_t i = 0; g->map_rows && i < g->map_count; i++) HOLDS(g->map_rows[i] >= 0 && g->map_rows[i] < N);
    if (!rk_gram_offers(g, RK_FEATURES)) return;
    int64_t ld;
    const double *Phi = rk_gram_phi(g, &ld);
    double *W = numbers(env, g->rank * g->rank), *Z = numbers(env, N * g->rank), *K = gram_values(env, s, g);
    memset(W, 0, (size_t)(g->rank * g->rank) * sizeof *W);
    for (int64_t i = 0; i < g->rank; i++) W[i * g->rank + i] = 1;
    FINE(env, rk_gram_push(g, W, g->rank, Z));
    for (int64_t i = 0; i < N; i++) near_all("push I and Phi", Z + i * g->rank, Phi + i * ld, g->rank, 1e-14);
    for (int64_t i = 0; i < N; i++) { /* an approximation from below never passes the diagonal */
        double sum = inner(Phi + i * ld, Phi + i * ld, g->rank);
        HOLDS(sum <= K[i * N + i] * (1 + 1e-9) + 1e-9);
    }
}

static void check_to_map(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    enum { K = 3 };
    double *V = normals(env, N * K, 14), *W = numbers(env, g->rank * K), *Z = numbers(env, N * K), *out = numbers(env, N * K);
    rk_map *map;
    FINE(env, rk_map_new(env, g->map_count, K, &map));
    FINE(env, rk_gram_pull(g, V, K, W)); /* coefficients as solvers give them, in the range of Phi' */
    FINE(env, rk_gram_push(g, W, K, Z));
    FINE(env, rk_gram_to_map(g, W, K, map->B));
    FINE(env, rk_data_keep(s->use, g->map_rows, g->map_count, &map->objects));
    FINE(env, rk_map_apply(env, map, s->kernel, s->use, out, K, NULL));
    near_all("to_map and push", out, Z, N * K, 1e-8);
    rk_map_free(env, map);
}

/* Without stored features, as for many objects: push, pull and the squares of Phi are as they were. */
static void check_unstored(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    enum { K = 3 };
    if (!rk_gram_offers(g, RK_FEATURES)) return;
    rk_gram bare = *g; /* shares all but Phi */
    int64_t r = g->rank;
    double *V = normals(env, N * K, 21), *W = numbers(env, r * K), *Z = numbers(env, N * K), *wanted = numbers(env, N * K),
           *square = numbers(env, r * r), *first = numbers(env, r * r), *pulled = numbers(env, r * K);
    bare.Phi = NULL;
    FINE(env, rk_gram_pull(g, V, K, W)); /* coefficients as solvers give them */
    FINE(env, rk_gram_push(g, W, K, wanted));
    FINE(env, rk_gram_push(&bare, W, K, Z));
    near_all("push", Z, wanted, N * K, 1e-10);
    FINE(env, rk_gram_pull(&bare, V, K, pulled));
    near_all("pull", pulled, W, r * K, 1e-8); /* what others explain but for 1e-12 has few digits left */
    FINE(env, rk_gram_mul(&bare, V, K, Z));
    near_all("mul", Z, wanted, N * K, 1e-10);
    double a = inner(Z, V, N * K), b = inner(pulled, pulled, r * K); /* <push(pull V), V> = |pull V|^2 */
    HOLDS(fabs(a - b) <= 1e-9 * b);
    FINE(env, rk_gram_moments(g, "moments", &(rk_moments){.square = first}));
    FINE(env, rk_gram_moments(&bare, "moments", &(rk_moments){.square = square}));
    near_all("Phi'Phi", square, first, r * r, 1e-8);
}

/* ---- diag, entries, neighbours --------------------------------------------------------------------------------- */

static void check_entries(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    double *K = gram_values(env, s, g), d[N], *all = numbers(env, N * N);
    int64_t *I = wholes(env, N * N), *J = wholes(env, N * N);
    FINE(env, rk_gram_diag(g, d));
    for (int64_t i = 0; i < N; i++) near_each("diag", d + i, K + i * N + i, 1, 1e-12);
    for (int64_t q = 0; q < N * N; q++) I[q] = q / N, J[q] = q % N;
    FINE(env, rk_gram_entries(g, I, J, N * N, all));
    near_each("entries", all, K, N * N, 1e-12);
}

/* By value, largest first, then by index: a is before b. */
static int before(const double *row, int64_t a, int64_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); }

/* K_ij - K_jj/2, which is largest where the distance in feature space is least; K_ij where K_jj is the same for all. */
static double *nearness_of(rkhs_env *env, const double *K) {
    double *near = numbers(env, N * N), most = -INFINITY, least = INFINITY;
    for (int64_t i = 0; i < N; i++) most = fmax(most, K[i * N + i]), least = fmin(least, K[i * N + i]);
    int even = most - least <= 1e-12 * fmax(fabs(most), fabs(least));
    for (int64_t q = 0; q < N * N; q++) near[q] = K[q] - (even ? 0 : K[q % N * N + q % N] / 2);
    return near;
}

static void check_neighbours(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g) {
    double *K = gram_values(env, s, g), *value = numbers(env, N * (N - 1)), *near = nearness_of(env, K);
    int64_t *index = wholes(env, N * (N - 1));
    static const int64_t counts[] = {1, 7, N - 1};
    for (int c = 0; c < 3; c++) {
        int64_t k = counts[c];
        FINE(env, rk_gram_neighbours(g, k, index, value));
        for (int64_t i = 0; i < N; i++) {
            char used[N] = {0};
            used[i] = 1;
            for (int64_t q = 0; q < k; q++) {
                int64_t best = -1, found = index[i * k + q];
                for (int64_t j = 0; j < N; j++)
                    if (!used[j] && (best < 0 || before(near + i * N, j, best))) best = j;
                HOLDS(found >= 0 && found < N && !used[found]);
                used[found] = 1;
                near_each("a neighbour's value", value + i * k + q, K + i * N + found, 1, 1e-12);
                double off = fabs(near[i * N + found] - near[i * N + best]);
                HOLDS(off <= 1e-12 * fmax(K[found * N + found], K[best * N + best]));
                if (q && near[0] == K[0]) { /* the values themselves are what counts */
                    HOLDS(value[i * k + q] <= value[i * k + q - 1]);
                    if (value[i * k + q] == value[i * k + q - 1]) HOLDS(found > index[i * k + q - 1]);
                }
            }
        }
    }
    REFUSED(env, RKHS_ERR_SPEC, "59", rk_gram_neighbours(g, N, index, value));
    REFUSED(env, RKHS_ERR_SPEC, "59", (rk_begin_call(env), rk_gram_neighbours(g, 0, index, value)));
    rk_begin_call(env);
}

/* Every gram with every kernel on every data set, built once: push and pull are adjoint; push after pull is mul, and
 * that is the kernel where all is kept; phi is what push multiplies by; to_map agrees with push; nothing changes
 * where phi is not stored; diagonal and entries are the kernel; neighbours are the nearest in feature space. */
static void a_gram_keeps_its_promises(void **state) {
    rkhs_env *env = *state;
    fixture_gram of;
    static const struct {
        const char *name;
        void (*check)(rkhs_env *env, const subject *s, const fixture_gram *of, const rk_gram *g);
    } checks[] = {{"adjoint", check_adjoint},      {"products", check_products}, {"factor", check_factor},
                  {"to_map", check_to_map},        {"unstored", check_unstored}, {"entries", check_entries},
                  {"neighbours", check_neighbours}};
    for (pairing p = {.brief = 1}; next_pairing(env, &p);) {
        subject s;
        subject_open(env, &p, N, &s);
        for (int i = 0; fixture_gram_at(i, &of); i++) {
            rk_mark mark = rk_scratch_mark(env);
            LOOK_AT("%s of %s on %s", of.text, p.text, p.data);
            built b = build(env, &s, of.text);
            for (size_t q = 0; q < sizeof checks / sizeof *checks; q++) {
                LOOK_AT("%s of %s on %s: %s", of.text, p.text, p.data, checks[q].name);
                checks[q].check(env, &s, &of, b.g);
            }
            unbuild(env, &b);
            rk_scratch_release(env, mark);
        }
        subject_close(env, &s);
    }
}

/* Points of a grid: many exactly equal distances, across tiles. */
static void ties_of_neighbours_go_by_index(void **state) {
    rkhs_env *env = *state;
    enum { SIDE = 18, ALL = SIDE * SIDE, K = 6 };
    rk_mark mark = rk_scratch_mark(env);
    double *x = numbers(env, 2 * ALL), *value = numbers(env, ALL * K), *row = numbers(env, ALL);
    int64_t *index = wholes(env, ALL * K);
    fixture_gram of;
    subject s = {0};
    for (int64_t i = 0; i < ALL; i++) x[2 * i] = (double)(i / SIDE), x[2 * i + 1] = (double)(i % SIDE);
    OK(env, rkhs_data_dense(env, x, ALL, 2, 2, &s.x));
    OK(env, rkhs_kernel_new(env, "rbf(gamma=0.5)", &s.kernel));
    s.use = s.x;
    for (int t = 0; fixture_gram_at(t, &of); t++) {
        LOOK_AT("%s on a grid", of.text);
        built b = build(env, &s, of.text);
        FINE(env, rk_gram_neighbours(b.g, K, index, value));
        for (int64_t i = 0; i < ALL; i++) {
            for (int64_t j = 0; j < ALL; j++)
                row[j] = j == i ? -1e9 : -(pow(x[2 * i] - x[2 * j], 2) + pow(x[2 * i + 1] - x[2 * j + 1], 2));
            for (int64_t q = 0; q < K; q++) {
                int64_t best = 0;
                for (int64_t j = 1; j < ALL; j++)
                    if (before(row, j, best)) best = j;
                if (index[i * K + q] != best)
                    fail_msg("%s: neighbour %lld of %lld is %lld, not %lld", context, (long long)q, (long long)i,
                             (long long)index[i * K + q], (long long)best);
                row[best] = -1e9;
            }
        }
        unbuild(env, &b);
    }
    rkhs_kernel_free(s.kernel);
    rkhs_data_free(s.x);
    rk_scratch_release(env, mark);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static void the_bits_do_not_depend_on_threads(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 530, K = 5 };
    static const char *const grams[] = {"exact", "nystrom(landmarks=300)", "nystrom(landmarks=300, by=uniform)", "lazy",
                                        "nystrom(landmarks=100, by=kmeans)"},
                             *const sets[] = {"small", "offset"};
    for (int t = 0; t < 10; t++) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        double *V = normals(env, ALL * K, 15), *Z = numbers(env, ALL * K), *W = numbers(env, ALL * K), *firstZ = NULL,
               *firstW = NULL;
        subject_open(env, &(pairing){.text = "rbf", .data = sets[t / 5]}, ALL, &s);
        for (int threads = 1; threads <= 4; threads *= 2) {
            LOOK_AT("%s on %s, %d threads", grams[t % 5], sets[t / 5], threads);
            FINE(env, rkhs_env_set_threads(env, threads));
            built b = build(env, &s, grams[t % 5]);
            FINE(env, rk_gram_pull(b.g, V, K, W));
            FINE(env, rk_gram_push(b.g, V, K, Z));
            if (threads > 1) same_bits("pull", W, firstW, b.g->rank * K);
            if (threads > 1) same_bits("push", Z, firstZ, ALL * K);
            if (threads == 1) {
                firstW = memcpy(numbers(env, b.g->rank * K), W, (size_t)(b.g->rank * K) * sizeof *W);
                firstZ = memcpy(numbers(env, ALL * K), Z, ALL * K * sizeof *Z);
            }
            unbuild(env, &b);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* A large K may be read in another way, by halves; the product is the same. */
static void a_large_gram_multiplies_as_a_small_one(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 1100, K = 18 };
    static const int64_t counts[] = {1, 3, 4, 7, 16, 17};
    rk_mark mark = rk_scratch_mark(env);
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, ALL, &s);
    double *V = normals(env, ALL * K, 19), *out = numbers(env, ALL * K), *first = numbers(env, ALL * K),
           *G = subject_gram(env, &s);
    LOOK_AT("exact on %d objects", ALL);
    built b = build(env, &s, "exact");
    for (int c = 0; c < 6; c++)
        for (int threads = 1; threads <= 4; threads *= 2) {
            int64_t k = counts[c];
            LOOK_AT("exact on %d objects times %lld vectors, %d threads", ALL, (long long)k, threads);
            FINE(env, rkhs_env_set_threads(env, threads));
            FINE(env, rk_gram_mul(b.g, V, k, out));
            if (threads == 1)
                memcpy(first, out, (size_t)(ALL * k) * sizeof *out);
            else
                same_bits("K V", out, first, ALL * k);
            for (int64_t i = 0; threads == 1 && i < ALL; i += 37) {
                double *row = numbers(env, k);
                multiply(G + i * ALL, V, 1, ALL, k, row);
                near_each("a row of K V", out + i * k, row, k, 1e-12);
            }
        }
    FINE(env, rkhs_env_set_threads(env, 1));
    unbuild(env, &b);
    subject_close(env, &s);
    rk_scratch_release(env, mark);
}

/* ---- nystrom --------------------------------------------------------------------------------------------------- */

/* The rank of a gram on data by name. */
static int64_t rank_of(rkhs_env *env, const char *gram, const char *kernel, const char *data) {
    subject s;
    LOOK_AT("%s of %s on %s", gram, kernel, data);
    subject_open(env, &(pairing){.text = kernel, .data = data}, N, &s);
    built b = build(env, &s, gram);
    int64_t rank = b.g->rank;
    HOLDS(b.g->map_count == rank);
    unbuild(env, &b);
    subject_close(env, &s);
    return rank;
}

static void the_rank_shrinks_to_that_of_the_data(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"nystrom(landmarks=20)", "nystrom(landmarks=20, by=uniform)",
                                        "nystrom(by=given, rows=[5:25])", "nystrom(landmarks=20, by=kmeans)"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rank_of(env, grams[i], "linear", "small"), 3);
        assert_int_equal(rank_of(env, grams[i], "linear", "constant"), 4); /* three columns and a constant one */
        assert_int_equal(rank_of(env, grams[i], "linear", "column"), 1);
        assert_int_equal(rank_of(env, grams[i], "poly(degree=2, gamma=1, coef0=0)", "small"), 6);
        assert_int_equal(rank_of(env, grams[i], "rbf", "wide"), 20);
    }
    assert_int_equal(rank_of(env, "nystrom(landmarks=60)", "rbf(gamma=2)", "duplicates"), 21);
    assert_int_equal(rank_of(env, "nystrom(landmarks=60, by=uniform)", "rbf(gamma=2)", "duplicates"), 21);
    assert_int_equal(rank_of(env, "nystrom(landmarks=60, by=kmeans)", "rbf(gamma=2)", "duplicates"), 21);
}

/* A first landmark of next to no length must not set the scale by which the others are judged. */
static void a_small_first_landmark_does_not_hide_the_rank(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"nystrom(landmarks=4)", "nystrom(landmarks=40, by=uniform)",
                                        "nystrom(by=given, rows=[0:4])", "nystrom(landmarks=6, by=kmeans)"};
    for (int t = 0; t < 80; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *x = normals(env, 40 * 3, 200 + t), *V = normals(env, 40, 17), *out = numbers(env, 40), *KV = numbers(env, 40);
        subject s = {0};
        for (int c = 0; c < 3; c++) x[c] *= 1e-5;
        LOOK_AT("%s of linear with a short first row", grams[t % 4]);
        FINE(env, rkhs_data_dense(env, x, 40, 3, 3, &s.x));
        FINE(env, rkhs_kernel_new(env, "linear", &s.kernel));
        s.use = s.x;
        built b = build(env, &s, grams[t % 4]);
        assert_int_equal(b.g->rank, 3);
        FINE(env, rk_gram_mul(b.g, V, 1, out));
        multiply(subject_gram(env, &s), V, 40, 40, 1, KV);
        near_all("mul V and K V", out, KV, 40, 1e-8);
        unbuild(env, &b);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

static void landmarks_named_twice_count_once(void **state) {
    rkhs_env *env = *state;
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, N, &s);
    LOOK_AT("given landmarks");
    built b = build(env, &s, "nystrom(by=given, rows=[3,3,0:5,4])");
    assert_int_equal(b.g->rank, 5);
    char seen[N] = {0};
    for (int64_t i = 0; i < b.g->map_count; i++) HOLDS(b.g->map_rows[i] < 5 && !seen[b.g->map_rows[i]]++);
    unbuild(env, &b);
    subject_close(env, &s);
}

static void given_landmarks_are_those_given(void **state) {
    rkhs_env *env = *state;
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, N, &s);
    LOOK_AT("given landmarks");
    built b = build(env, &s, "nystrom(by=given, rows=[50:53,7])");
    char seen[N] = {0};
    for (int64_t i = 0; i < b.g->map_count; i++) seen[b.g->map_rows[i]] = 1;
    assert_int_equal(b.g->map_count, 4);
    HOLDS(seen[50] && seen[51] && seen[52] && seen[7]);
    unbuild(env, &b);
    subject_close(env, &s);
}

static void landmarks_that_cannot_be_are_refused(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"nystrom(by=given)", "needs rows="},
        {"nystrom(by=given, rows=[0:61])", "not inside 0:60"},
        {"nystrom(by=given, rows=[5:5])", "not inside 0:60"},
        {"nystrom(by=given, rows=[60])", "not inside 0:60"},
        {"nystrom(rows=[1,2])", "only for by=given"},
        {"nystrom(by=uniform, rows=[1,2])", "only for by=given"},
        {"nystrom(by=kmeans, rows=[1,2])", "only for by=given"},
    };
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, N, &s);
    for (int i = 0; i < 7; i++) {
        rk_spec *spec;
        rk_gram *g = (rk_gram *)&s;
        size_t used = env->used;
        LOOK_AT("%s", wrong[i].text);
        rk_begin_call(env);
        FINE(env, rk_spec_new(env, &rk_grams, wrong[i].text, &spec));
        REFUSED(env, RKHS_ERR_SPEC, wrong[i].part, rk_gram_new(env, spec, s.kernel, s.use, &g));
        assert_null(g);
        rk_spec_free(env, spec);
        HOLDS(env->used == used);
    }
    subject_close(env, &s);
}

static void landmarks_depend_on_the_seed_alone(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"nystrom(landmarks=12)", "nystrom(landmarks=12, by=uniform)",
                                        "nystrom(landmarks=12, by=kmeans)"};
    subject s;
    subject_open(env, &(pairing){.text = "rbf(gamma=0.3)", .data = "small"}, N, &s);
    for (int t = 0; t < 3; t++) {
        int64_t keep[3][12], differ = 0;
        for (int seed = 0; seed < 3; seed++) { /* seeds 0, 1, 0 */
            LOOK_AT("%s, seed %d", grams[t], seed % 2);
            FINE(env, rkhs_env_set_seed(env, (uint64_t)(seed % 2)));
            built b = build(env, &s, grams[t]);
            assert_int_equal(b.g->map_count, 12);
            memcpy(keep[seed], b.g->map_rows, sizeof keep[seed]);
            unbuild(env, &b);
        }
        for (int i = 0; i < 12; i++) {
            HOLDS(keep[0][i] == keep[2][i]);
            differ += keep[0][i] != keep[1][i];
        }
        HOLDS(differ > 0);
    }
    subject_close(env, &s);
}

/* tr(K - Phi Phi') of a gram. */
static double trace_error(rkhs_env *env, const subject *s, const char *text) {
    built b = build(env, s, text);
    int64_t ld, n = s->x->rows;
    const double *Phi = rk_gram_phi(b.g, &ld);
    double error = (double)n; /* an rbf kernel's diagonal is 1 */
    for (int64_t i = 0; i < n; i++) error -= inner(Phi + i * ld, Phi + i * ld, b.g->rank);
    unbuild(env, &b);
    return error;
}

static void pivoted_landmarks_explain_clusters_better_than_uniform_ones(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 300, SEEDS = 20 };
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, 2 * ALL, 18), uniform = 0, pivoted = 0;
    subject s = {0};
    for (int64_t i = 0; i < ALL; i++) { /* one crowd, and ten clusters of three */
        int64_t cluster = i < ALL - 30 ? 0 : 1 + (i - (ALL - 30)) / 3;
        x[2 * i] = 0.05 * x[2 * i] + 10 * (double)(cluster % 4);
        x[2 * i + 1] = 0.05 * x[2 * i + 1] + 10 * (double)(cluster / 4);
    }
    LOOK_AT("clusters");
    FINE(env, rkhs_data_dense(env, x, ALL, 2, 2, &s.x));
    FINE(env, rkhs_kernel_new(env, "rbf(sigma=1)", &s.kernel));
    s.use = s.x;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        FINE(env, rkhs_env_set_seed(env, seed));
        uniform += trace_error(env, &s, "nystrom(landmarks=15, by=uniform)") / SEEDS;
        pivoted += trace_error(env, &s, "nystrom(landmarks=15, by=rpcholesky)") / SEEDS;
    }
    if (!(pivoted <= uniform / 3)) fail_msg("trace errors: pivoted %g, uniform %g", pivoted, uniform);
    rkhs_kernel_free(s.kernel);
    rkhs_data_free(s.x);
    rk_scratch_release(env, mark);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void a_gram_past_the_memory_limit_is_refused_before_it_is_allocated(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 600 };
    static const struct {
        const char *gram, *what, *advice;
    } large[] = {
        {"exact", "Gram | 600 x 600 | 2.9 MB | limit", "raise the memory limit"},
        {"nystrom", "nystrom | 500 landmarks | 600 objects", "fewer landmarks | memory limit"},
        {"nystrom(landmarks=400, by=uniform)", "nystrom | 400 landmarks | 600 objects", "choose fewer landmarks"},
    };
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, ALL, &s);
    for (int i = 0; i < 3; i++) {
        rk_spec *spec;
        rk_gram *g;
        LOOK_AT("%s", large[i].gram);
        rk_begin_call(env);
        FINE(env, rk_spec_new(env, &rk_grams, large[i].gram, &spec));
        size_t used = env->used, peak = used + 200 * 1000;
        FINE(env, rkhs_env_set_memory(env, used + 1000 * 1000));
        env->peak = used;
        REFUSED(env, RKHS_ERR_MEMORY, large[i].what, rk_gram_new(env, spec, s.kernel, s.use, &g));
        HOLDS(says(rkhs_env_message(env), large[i].advice));
        HOLDS(env->used == used && rkhs_env_memory_peak(env) < peak);
        rk_spec_free(env, spec);
        FINE(env, rkhs_env_set_memory(env, 0));
    }
    subject_close(env, &s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(a_gram_keeps_its_promises),
        ENV_TEST(ties_of_neighbours_go_by_index),
        ENV_TEST(the_bits_do_not_depend_on_threads),
        ENV_TEST(a_large_gram_multiplies_as_a_small_one),
        ENV_TEST(the_rank_shrinks_to_that_of_the_data),
        ENV_TEST(a_small_first_landmark_does_not_hide_the_rank),
        ENV_TEST(landmarks_named_twice_count_once),
        ENV_TEST(given_landmarks_are_those_given),
        ENV_TEST(landmarks_that_cannot_be_are_refused),
        ENV_TEST(landmarks_depend_on_the_seed_alone),
        ENV_TEST(pivoted_landmarks_explain_clusters_better_than_uniform_ones),
        ENV_TEST(a_gram_past_the_memory_limit_is_refused_before_it_is_allocated),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
