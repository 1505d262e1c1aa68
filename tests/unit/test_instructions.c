/* Functions with several versions: AVX2 and AVX-512 give the same bytes; plain code gives nearly the same numbers. */
#include "env.h"

#include "la/la.h"

enum { ROOM = 40000, SETS = 4, SQUARE = 110, APART = 150 };
static const int64_t sizes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12, 13, 15, 16,  17,  19,  23,  24,
                                25, 31, 32, 33, 39, 40, 41, 47, 49, 63, 64, 65, 71, 97, 110, 127, 129, 255, 257};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Inputs in (-1, 1) and in (0, 1), and results. All begin at a cache line, and are used from an offset on. */
static _Alignas(64) double some[ROOM], more[ROOM], positive[ROOM], positive_more[ROOM], results[SETS][ROOM];

static int fill(void **state) {
    for (int i = 0; i < ROOM; i++) {
        some[i] = i % 37 == 5 ? 0 : i % 41 == 7 ? -0.0 : noise(1, (uint64_t)i);
        more[i] = i % 31 == 3 ? 0 : i % 43 == 9 ? 1e-310 : noise(2, (uint64_t)i);
        positive[i] = i % 29 == 4 ? 0 : fabs(noise(3, (uint64_t)i));
        positive_more[i] = fabs(noise(4, (uint64_t)i));
    }
    return 0;
}

/* ---- the functions; n numbers from offset o on, results to out ---- */

typedef void run_fn(int64_t n, int64_t o, double *out);

static void run_exp(int64_t n, int64_t o, double *out) {
    for (int64_t j = 0; j < n; j++) out[o + j] = j % 19 == 8 ? -INFINITY : 750 * some[o + j] * (j % 2 ? 1 : positive[j]) - 45;
    rk_exp(n, out + o);
}

static void run_tanh(int64_t n, int64_t o, double *out) {
    for (int64_t j = 0; j < n; j++) out[o + j] = j % 19 == 8 ? INFINITY : (j % 3 ? 30 : 0.5) * some[o + j];
    rk_tanh(n, out + o);
}

static void run_log1p(int64_t n, int64_t o, double *out) {
    for (int64_t j = 0; j < n; j++) out[o + j] = j % 19 == 8 ? 1e300 : (j % 3 ? 30 : 0.01) * positive[o + j];
    rk_log1p(n, out + o);
}

static void run_angles(int64_t n, int64_t o, double *out) {
    double below[512], above[512];
    for (int64_t j = 0; j < n; j++) below[o + j] = 1 - some[j], above[o + j] = 1 + some[j];
    rk_angles(n, below + o, above + o, out + o);
}

static void run_powers(int64_t n, int64_t o, double *out) {
    memcpy(out, some, (size_t)(o + n) * sizeof *out);
    rk_powers(n, 0.7, 0.3, n % 2 ? 3 : 6, out + o);
}

static void run_cosines(int64_t n, int64_t o, double *out) {
    memcpy(out, some, (size_t)(o + n) * sizeof *out);
    rk_cosines(n, 2, positive + 1, out + o);
}

static void run_squared_distances(int64_t n, int64_t o, double *out) {
    memcpy(out, some, (size_t)(o + n) * sizeof *out);
    out[o + n] = (double)rk_squared_distances(n, 0.3, positive + 3, 0.1, out + o);
}

static void run_jaccard(int64_t n, int64_t o, double *out) {
    memcpy(out, positive, (size_t)(o + n) * sizeof *out);
    rk_jaccard(n, 0.6, positive_more + 1, out + o);
}

/* Sums over n % 8 columns that are n + 1 apart. */
static void run_pairs(rk_pairs_fn *add, const double *a, const double *b, int64_t n, int64_t o, double *out) {
    memcpy(out, positive_more, (size_t)(o + n) * sizeof *out);
    add(n, n % 8, a, b + o, n + 1, out + o);
}
static void run_squares(int64_t n, int64_t o, double *out) { run_pairs(rk_add_squares, some, more, n, o, out); }
static void run_absolutes(int64_t n, int64_t o, double *out) { run_pairs(rk_add_absolutes, some, more, n, o, out); }
static void run_minima(int64_t n, int64_t o, double *out) { run_pairs(rk_add_minima, some, more, n, o, out); }
static void run_ratios(int64_t n, int64_t o, double *out) { run_pairs(rk_add_ratios, positive, positive_more, n, o, out); }
static void run_ratios_wide(int64_t n, int64_t o, double *out) {
    run_pairs(rk_add_ratios_wide, positive, positive_more, n, o, out);
}

static void run_sums(int64_t n, int64_t o, double *out) {
    double tiny[512];
    for (int64_t j = 0; j < n; j++) tiny[j] = 1e-200 * some[o + j];
    out[0] = rk_sum(n, some + o);
    out[1] = rk_dot(n, some + o, more + 1);
    out[2] = rk_norm(n, some + o);
    out[3] = rk_norm(n, tiny);
    out[4] = rk_weighted_difference(n, some + o, 0.3, more + 1);
    out[5] = rk_scaled_square(n, 0.7, some + o, 1.3, more + 1);
}

static void run_forces(int64_t n, int64_t o, double *out) {
    int64_t apart = n + 3;
    memcpy(out, some, (size_t)(o + 3 + 3 * apart) * sizeof *out);
    rk_add_forces(n, 3, some + 5, more + o, apart, positive + 1, out, out + 3 + o);
}

/* A positive definite matrix in both triangles, rows ld apart. */
static void definite(int64_t n, int64_t ld, double *A) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) A[i * ld + j] = i == j ? 2 + (double)n : some[i < j ? i * n + j : j * n + i];
}

static void run_schur(int64_t n, int64_t o, double *out) {
    static double B[SQUARE * SQUARE];
    if (n > SQUARE) return;
    definite(n, n, B);
    memcpy(out + 1, more, (size_t)n * sizeof *out);
    out[0] = rk_schur_log_det(n, n / 2, more + o, n + 2, B, out + 1 + SQUARE + o, out + 1);
    /* of the factor only one triangle is promised */
    for (int64_t i = 0; i < n; i++) memset(out + 1 + SQUARE + o + i * n, 0, (size_t)i * sizeof *out);
}

static void run_cholesky(int64_t n, int64_t o, double *out) {
    if (n > SQUARE) return;
    definite(n, APART, out + o);
    out[ROOM - 1] = (double)rk_cholesky_tile(n, out + o, APART);
    double *x = out + SQUARE * APART + o;
    memcpy(x, more, (size_t)n * sizeof *x);
    rk_solve_vector('n', n, out + o, APART, x);
    rk_solve_vector('t', n, out + o, APART, x);
}

static void run_transpose(int64_t n, int64_t o, double *out) {
    if (n > SQUARE) return;
    int64_t ni = n, nj = (n * 7 + 3) % SQUARE;
    rk_transpose(ni, nj, some + o, APART, out + o, APART);
    memcpy(out + SQUARE * APART, more, (size_t)(SQUARE * APART) * sizeof *out);
    rk_mirror_tile(out + SQUARE * APART, APART, 0, ni, 0, ni);
}

/* Rows of the matrix begin at cache lines if the offset is 0. */
static void run_store(int64_t n, int64_t o, double *out) {
    int64_t ld = 2 * 56 + o, ni = n % 56, nj = (n * 7 + 3) % 56;
    for (int bypass = 0; bypass < 2; bypass++)
        rk_store_tile(ni, nj, some + o, APART, out + bypass * 15000 + o, ld, 56, 0, bypass);
}

static void run_bits(int64_t n, int64_t o, double *out) {
    const uint64_t *a = (const uint64_t *)(const void *)some, *b = (const uint64_t *)(const void *)more;
    rk_bits_tile(rk_bits_best(), n % 23, n % 41, n, a + o, n + 1, b + o, n + 2, out + o, 50);
}

static void run_reaching(int64_t n, int64_t o, double *out) {
    double x[512] = {0}, bounds[512] = {0};
    uint64_t mine[8], theirs[8];
    for (int64_t j = 0; j < n; j++) {
        x[o + j] = j % 23 == 6 ? NAN : j % 17 == 2 ? -INFINITY : some[o + j];
        bounds[o + j] = j % 13 == 3 ? -INFINITY : j % 7 == 1 ? x[o + j] - 0.25 : more[j]; /* some are reached exactly */
    }
    rk_reaching(n, x + o, positive + 1, some[7], 0.25, bounds + o, mine, theirs);
    for (int64_t j = 0; j < n; j++)
        out[j] = (double)(mine[j / 64] >> j % 64 & 1), out[512 + j] = (double)(theirs[j / 64] >> j % 64 & 1);
    for (int64_t j = n; j % 64; j++) out[1024 + j] = (double)((mine[j / 64] | theirs[j / 64]) >> j % 64 & 1);
    for (int64_t j = 0; j < n; j++) {
        assert_int_equal(out[j], x[o + j] - positive[1 + j] >= some[7]);
        assert_int_equal(out[512 + j], x[o + j] - 0.25 >= bounds[o + j]);
    }
    for (int64_t j = n; j % 64; j++) assert_int_equal(out[1024 + j], 0);
    uint64_t alone[8], untouched = 7;
    rk_reaching(n, x + o, positive + 1, some[7], 0.25, NULL, alone, &untouched);
    assert_memory_equal(alone, mine, (size_t)((n + 63) / 64) * sizeof *mine);
    assert_true(untouched == 7);
}

/* What plain code may differ by: in units of 2^-52 of the number, and whatever the number is. Sums of products are not
 * fused in any version. */
static const struct subject {
    const char *name;
    run_fn *run;
    double units, absolute;
} subjects[] = {
    {"rk_exp", run_exp, 4, 0},
    {"rk_tanh", run_tanh, 6, 0},
    {"rk_log1p", run_log1p, 6, 0},
    {"rk_angles", run_angles, 6, 1.2e-15},
    {"rk_powers", run_powers, 10, 1e-15},
    {"rk_cosines", run_cosines, 0, 0},
    {"rk_squared_distances", run_squared_distances, 0, 0},
    {"rk_jaccard", run_jaccard, 0, 0},
    {"rk_add_squares", run_squares, 8, 0},
    {"rk_add_absolutes", run_absolutes, 0, 0},
    {"rk_add_minima", run_minima, 0, 0},
    {"rk_add_ratios", run_ratios, 10, 0},
    {"rk_add_ratios_wide", run_ratios_wide, 10, 0},
    {"sums", run_sums, 0, 0},
    {"rk_add_forces", run_forces, 0, 0},
    {"rk_schur_log_det", run_schur, 20, 1e-13},
    {"Cholesky factors", run_cholesky, 20, 1e-13},
    {"rk_transpose", run_transpose, 0, 0},
    {"rk_store_tile", run_store, 0, 0},
    {"rk_bits_tile", run_bits, 0, 0},
    {"rk_reaching", run_reaching, 0, 0},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* Runs one with an instruction set; returns its results, or NULL if the processor does not have it. */
static const double *with(int set, const struct subject *s, int64_t n, int64_t o) {
    double *out = results[set];
    rk_set_instructions(set);
    if (rk_instructions() != set) return NULL;
    for (int i = 0; i < ROOM; i++) out[i] = -7;
    s->run(n, o, out);
    return out;
}

static void compare(const struct subject *s, int64_t n, int64_t o) {
    const double *narrow = with(RK_AVX2, s, n, o), *wide = with(RK_AVX512, s, n, o);
    const double *plain = with(RK_PLAIN, s, n, o), *best = wide ? wide : narrow;
    for (int i = 0; narrow && wide && i < ROOM; i++)
        if (memcmp(narrow + i, wide + i, sizeof *wide) != 0)
            fail_msg("%s, n = %d, offset %d: number %d is %a with AVX2, %a with AVX-512", s->name, (int)n, (int)o, i, narrow[i],
                     wide[i]);
    for (int i = 0; best && i < ROOM; i++)
        if (!(fabs(plain[i] - best[i]) <= s->units * 0x1p-52 * fabs(best[i]) + s->absolute))
            fail_msg("%s, n = %d, offset %d: number %d is %a in plain code, not %a", s->name, (int)n, (int)o, i, plain[i],
                     best[i]);
}

static void instruction_sets_give_the_same_bytes(void **state) {
    int before = rk_instructions();
    for (int k = 0; k < SUBJECTS; k++)
        for (int s = 0; s < SIZES; s++)
            for (int64_t o = 0; o < 8; o += s % 2 ? 1 : 3) compare(&subjects[k], sizes[s], o);
    rk_set_instructions(before);
}

/* ---- kernels, whose loops are their own ---- */

enum { OBJECTS = 45, COLUMNS = 7 };

static void gram_of(rkhs_env *env, const char *spec, const rkhs_data *x, double *K) {
    rkhs_kernel *kernel;
    OK(env, rkhs_kernel_new(env, spec, &kernel));
    OK(env, rkhs_kernel_gram(kernel, x, x, K, OBJECTS));
    rkhs_kernel_free(kernel);
}

static void compare_kernel(rkhs_env *env, const char *spec, const rkhs_data *x) {
    static const int order[] = {RK_AVX2, RK_AVX512, RK_PLAIN};
    int before = rk_instructions(), ran[SETS] = {0};
    for (int k = 0; k < 3; k++) {
        rk_set_instructions(order[k]);
        ran[order[k]] = rk_instructions() == order[k];
        if (ran[order[k]]) gram_of(env, spec, x, results[order[k]]);
    }
    rk_set_instructions(before);
    for (int i = 0; i < OBJECTS * OBJECTS; i++) {
        double narrow = results[RK_AVX2][i], wide = results[RK_AVX512][i], plain = results[RK_PLAIN][i];
        if (ran[RK_AVX2] && ran[RK_AVX512] && memcmp(&narrow, &wide, sizeof wide) != 0)
            fail_msg("%s: number %d is %a with AVX2, %a with AVX-512", spec, i, narrow, wide);
        if (ran[RK_AVX2] && !(fabs(plain - narrow) <= 1e-13 * fmax(1, fabs(narrow))))
            fail_msg("%s: number %d is %a in plain code, not %a", spec, i, plain, narrow);
    }
}

static void kernels_of_strings_have_the_same_bytes(void **state) {
    static const char *const specs[] = {"ssk(p=1)",
                                        "ssk(p=2)",
                                        "ssk(p=4)",
                                        "ssk(p=5,lambda=0.9)",
                                        "ssk(p=11)",
                                        "ssk(p=3,blended=true)",
                                        "ssk(p=7,blended=true,lambda=0.7)",
                                        "ssk(p=6,normalize=false)",
                                        "spectrum(p=2)"};
    rkhs_env *env = *state;
    rkhs_data *x;
    char text[OBJECTS][128];
    const char *strings[OBJECTS];
    for (int i = 0; i < OBJECTS; i++) {
        int length = 12 + i * 29 % 90;
        for (int k = 0; k < length; k++)
            text[i][k] = (char)('a' + (int)(4 * rk_uniform(5, RK_STREAM_TEST, (uint64_t)i, (uint64_t)k)));
        text[i][length] = 0;
        strings[i] = text[i];
    }
    OK(env, rkhs_data_strings(env, strings, NULL, OBJECTS, &x));
    for (int k = 0; k < (int)(sizeof specs / sizeof *specs); k++) compare_kernel(env, specs[k], x);
    rkhs_data_free(x);
}

static void kernels_of_vectors_have_the_same_bytes(void **state) {
    static const char *const specs[] = {
        "rbf(sigma=1)",       "matern(sigma=1,nu=0.5)", "matern(sigma=1,nu=2.5)", "rq(sigma=1,alpha=0.7)", "cauchy(sigma=1)",
        "laplacian(sigma=2)", "relu(depth=3)",          "ntk(depth=3)",           "poly(degree=5)",        "sigmoid"};
    rkhs_env *env = *state;
    rkhs_data *x;
    OK(env, rkhs_data_dense(env, some, OBJECTS, COLUMNS, COLUMNS, &x));
    for (int k = 0; k < (int)(sizeof specs / sizeof *specs); k++) compare_kernel(env, specs[k], x);
    rkhs_data_free(x);
}

/* ---- the choice ---- */

static void the_environment_names_the_set(void **state) {
    static const char *const names[] = {"plain", "avx2", "avx512", "neon"};
    int before = rk_instructions();
    unsetenv("RKHS_INSTRUCTIONS");
    int best = rk_choose_instructions();
    setenv("RKHS_INSTRUCTIONS", "nonsense", 1);
    assert_int_equal(rk_choose_instructions(), best);
    for (int set = 0; set < SETS; set++) {
        rk_set_instructions(set);
        int has = rk_instructions() == set;
        setenv("RKHS_INSTRUCTIONS", names[set], 1);
        int chosen = rk_choose_instructions();
        assert_int_equal(chosen, rk_instructions());
        assert_true(has ? chosen == set : chosen == RK_PLAIN || chosen == best || chosen == RK_AVX2);
    }
    unsetenv("RKHS_INSTRUCTIONS");
    rk_set_instructions(RK_PLAIN);
    assert_int_equal(rk_bits_best(), 0);
    rk_set_instructions(99);
    assert_int_equal(rk_instructions(), RK_PLAIN);
    rk_set_instructions(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_give_the_same_bytes),
        ENV_TEST(kernels_of_strings_have_the_same_bytes),
        ENV_TEST(kernels_of_vectors_have_the_same_bytes),
        cmocka_unit_test(the_environment_names_the_set),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, fill, NULL);
}
