/* Solvers: Lanczos against the whole spectrum by LAPACK, its report, how it goes on and stops; grams pulled back. */
#include "env.h"
#include "blas.h"
#include "files.h"

#include "opt/opt.h"

/* ---- matrices with a known spectrum, and a problem on one ------------------------------------------------------ */

typedef struct system {
    rkhs_env *env;
    int64_t n;
    double *A;
    int64_t products; /* vectors multiplied so far */
} system_;

static rkhs_status apply_system(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    system_ *s = context;
    s->products += k;
    env->progress_last = 0; /* every question of the solver is asked */
    return rk_gemm(env, NULL, 'n', 'n', s->n, k, s->n, 1.0, s->A, s->n, V, k, 0.0, out, k);
}

/* Q D Q', Q from three reflections. */
static system_ with_spectrum(rkhs_env *env, int64_t n, const double *values) {
    system_ s = {env, n, calloc((size_t)(n * n), sizeof(double)), 0};
    double *u = malloc((size_t)n * sizeof *u), *row = malloc((size_t)n * sizeof *row);
    for (int64_t i = 0; i < n; i++) s.A[i * n + i] = values[i];
    for (uint64_t turn = 0; turn < 3; turn++) {
        for (int64_t i = 0; i < n; i++) u[i] = noise(30 + turn, (uint64_t)i);
        double norm = rk_norm(n, u), middle = 0;
        for (int64_t i = 0; i < n; i++) u[i] /= norm;
        for (int64_t i = 0; i < n; i++) row[i] = rk_dot(n, s.A + i * n, u);
        middle = rk_dot(n, row, u);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) s.A[i * n + j] += 4 * middle * u[i] * u[j] - 2 * (row[i] * u[j] + u[i] * row[j]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) s.A[i * n + j] = s.A[j * n + i];
    free(u), free(row);
    return s;
}

typedef struct answer {
    double *x, *values, *residuals;
    rk_solver_problem p;
} answer;

/* A problem ready for a solver. */
static answer ask(system_ *s, int64_t k, int by_magnitude) {
    answer a = {.x = calloc((size_t)(s->n * k), sizeof(double))};
    a.values = calloc((size_t)k, sizeof(double));
    a.residuals = calloc((size_t)k, sizeof(double));
    a.p = (rk_solver_problem){.env = s->env,
                              .size = s->n,
                              .k = k,
                              .by_magnitude = by_magnitude,
                              .a = {s->n, apply_system, s},
                              .x = a.x,
                              .values = a.values,
                              .residuals = a.residuals};
    return a;
}

static void answer_free(answer *a) { free(a->x), free(a->values), free(a->residuals); }

static rkhs_status run(const char *solver, answer *a) {
    rk_spec *spec;
    rk_begin_call(a->p.env);
    rkhs_status status = rk_spec_new(a->p.env, &rk_eigensolvers, solver, &spec);
    if (status == RKHS_OK) status = rk_solve(spec, &a->p);
    rk_spec_free(a->p.env, spec);
    return status;
}

/* |A w - l w| of pair c. */
static double true_residual(const system_ *s, const answer *a, int64_t c) {
    double sum = 0, *w = malloc((size_t)s->n * sizeof *w);
    for (int64_t i = 0; i < s->n; i++) w[i] = a->x[i * a->p.k + c];
    for (int64_t i = 0; i < s->n; i++) sum += pow(rk_dot(s->n, s->A + i * s->n, w) - a->values[c] * w[i], 2);
    free(w);
    return sqrt(sum);
}

/* The values are the k wanted ones of `all` (n, best first), the vectors are orthonormal, the residuals as said. */
static void check_answer(const system_ *s, const answer *a, const double *all, double tolerance, const char *what) {
    int64_t k = a->p.k;
    double scale = 0;
    for (int64_t i = 0; i < s->n; i++) scale = fmax(scale, fabs(all[i]));
    if (!a->p.converged) fail_msg("%s: not converged after %lld steps", what, (long long)a->p.iterations);
    if (a->p.products != s->products) fail_msg("%s: %lld products were counted", what, (long long)a->p.products);
    for (int64_t c = 0; c < k; c++) {
        double residual = true_residual(s, a, c);
        if (!(fabs(a->values[c] - all[c]) <= tolerance * scale))
            fail_msg("%s: value %lld is %.17g, not %.17g", what, (long long)c, a->values[c], all[c]);
        if (!(residual <= tolerance * scale + 1e-13 * scale))
            fail_msg("%s: residual %lld is %.3g", what, (long long)c, residual);
        if (!(fabs(residual - a->residuals[c]) <= 0.01 * residual + 1e-13 * scale))
            fail_msg("%s: residual %lld is said to be %.3g, and is %.3g", what, (long long)c, a->residuals[c], residual);
        for (int64_t d = 0; d <= c; d++) {
            double dot = 0;
            for (int64_t i = 0; i < s->n; i++) dot += a->x[i * k + c] * a->x[i * k + d];
            if (!(fabs(dot - (c == d)) <= 1e-12))
                fail_msg("%s: vectors %lld and %lld: %.3g", what, (long long)c, (long long)d, dot);
        }
    }
}

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static int falling_size(const void *a, const void *b) {
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x < y) - (x > y);
}

/* Lanczos and dense on the same matrix, k pairs. `values` are sorted here. */
static void check_both(rkhs_env *env, int64_t n, double *values, int64_t k, int by_magnitude, const char *solver,
                       const char *what) {
    qsort(values, (size_t)n, sizeof *values, by_magnitude ? falling_size : falling);
    system_ s = with_spectrum(env, n, values);
    answer a = ask(&s, k, by_magnitude), b = ask(&s, k, by_magnitude);
    char name[200];
    snprintf(name, sizeof name, "%s, n = %lld, k = %lld", what, (long long)n, (long long)k);
    OK(env, run(solver, &a));
    check_answer(&s, &a, values, 1e-11, name);
    s.products = 0;
    OK(env, run("dense", &b));
    check_answer(&s, &b, values, 1e-11, "dense");
    answer_free(&a);
    answer_free(&b);
    free(s.A);
    assert_int_equal(atomic_load(&env->used), 0);
}

/* ---- Lanczos finds what there is ------------------------------------------------------------------------------- */

static void random_spectra_agree_with_dense(void **state) {
    rkhs_env *env = *state;
    double values[200];
    static const int64_t counts[] = {1, 2, 5, 16, 17, 40};
    OK(env, rkhs_env_set_threads(env, 1));
    for (int q = 0; q < 6; q++) {
        for (int i = 0; i < 200; i++) values[i] = pow(fabs(noise(40, (uint64_t)i)), 4); /* positive, crowded at 0 */
        check_both(env, 200, values, counts[q], 0, "lanczos", "random");
        for (int i = 0; i < 200; i++) values[i] = pow(0.8, i); /* as a Gram's */
        check_both(env, 200, values, counts[q], 0, "lanczos", "falling");
    }
}

static void repeated_eigenvalues_are_all_found(void **state) {
    rkhs_env *env = *state;
    double values[180];
    char what[80];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int times = 2; times <= 6; times++) {
        for (int64_t k = 3; k <= 20; k += k == 3 ? 4 : 13) { /* 3, 7, 20 */
            for (int i = 0; i < 180; i++) values[i] = 1.0 / (1 + i / times);
            snprintf(what, sizeof what, "each %d times", times);
            check_both(env, 180, values, k, 0, "lanczos", what);
            for (int i = 0; i < 180; i++) values[i] = i < times ? 1 : 0.5 * pow(noise(41, (uint64_t)i), 2);
            snprintf(what, sizeof what, "the largest %d times", times);
            check_both(env, 180, values, k, 0, "lanczos", what);
        }
    }
}

static void more_copies_than_a_block_holds_are_all_found(void **state) {
    rkhs_env *env = *state;
    double values[300];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < 300; i++) values[i] = i < 45 ? 1 : 0.3 * pow(noise(42, (uint64_t)i), 2);
    check_both(env, 300, values, 20, 0, "lanczos(block=4)", "45 copies, 20 wanted");
    check_both(env, 300, values, 30, 0, "lanczos", "45 copies, 30 wanted");
    check_both(env, 300, values, 50, 0, "lanczos", "45 copies and some others wanted");
    for (int i = 0; i < 300; i++) values[i] = i < 40 ? -1 : i < 80 ? 0.9 : 0.1;
    check_both(env, 300, values, 60, 1, "lanczos", "copies of both signs");
}

static void nearly_all_of_a_spectrum_with_repeated_values_is_found(void **state) {
    rkhs_env *env = *state;
    double values[60];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int64_t n = 8; n <= 60; n += 13) {
        for (int64_t k = n / 3; k <= n; k += 1 + n / 9) {
            for (int64_t i = 0; i < n; i++) values[i] = i < 6 ? 5 : 1 - 0.01 * (double)i;
            check_both(env, n, values, k, 0, "lanczos", "the largest 6 times");
            for (int64_t i = 0; i < n; i++) values[i] = 3;
            check_both(env, n, values, k, 0, "lanczos", "all the same");
        }
    }
}

static void low_rank_is_found_and_the_rest_is_zero(void **state) {
    rkhs_env *env = *state;
    static double values[700];
    static const int64_t counts[] = {1, 2, 3, 4, 10, 20};
    OK(env, rkhs_env_set_threads(env, 1));
    for (int q = 0; q < 6; q++) {
        memset(values, 0, sizeof values);
        values[0] = 3, values[1] = 2, values[2] = 1e-3;
        qsort(values, 700, sizeof *values, falling);
        system_ s = with_spectrum(env, 700, values);
        answer a = ask(&s, counts[q], 0);
        OK(env, run("lanczos", &a));
        check_answer(&s, &a, values, 1e-12, "rank 3");
        answer_free(&a);
        free(s.A);
    }
    for (int64_t n = 1; n <= 40; n += 13) { /* and nothing at all */
        memset(values, 0, sizeof values);
        check_both(env, n, values, (n + 1) / 2, 0, "lanczos", "zero");
    }
}

static void steep_spectra_keep_the_vectors_orthogonal(void **state) {
    rkhs_env *env = *state;
    double values[160];
    static const double ratios[] = {0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8};
    char what[80];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int q = 0; q < 6; q++) {
        for (int64_t k = 1; k <= 13; k += 3) { /* blocks that nearly collapse, and some that do */
            for (int i = 0; i < 160; i++) values[i] = pow(ratios[q], k % 2 ? i : i / 3);
            snprintf(what, sizeof what, "each %g of the last", ratios[q]);
            check_both(env, 160, values, k, 0, "lanczos", what);
        }
    }
}

static void a_crowd_at_the_top_is_told_apart(void **state) {
    rkhs_env *env = *state;
    double values[200];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int tight = 2; tight <= 12; tight += 5) {
        for (int i = 0; i < 200; i++) values[i] = i < 8 ? 1 - i * pow(10, -tight) : 0.9 * pow(0.97, i);
        check_both(env, 200, values, 4, 0, "lanczos", "a crowd cut in two");
        check_both(env, 200, values, 10, 0, "lanczos", "a crowd");
        system_ s = {env, 200, calloc(200 * 200, sizeof(double)), 0}; /* diagonal: coordinates are eigenvectors */
        for (int i = 0; i < 200; i++) s.A[i * 201] = values[199 - i];
        answer a = ask(&s, 10, 0);
        OK(env, run("lanczos", &a));
        check_answer(&s, &a, values, 1e-11, "diagonal");
        answer_free(&a);
        free(s.A);
    }
}

static void eigenvalues_count_by_size_when_asked(void **state) {
    rkhs_env *env = *state;
    double values[160];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int64_t k = 1; k <= 18; k += k < 4 ? 1 : 7) {
        for (int i = 0; i < 160; i++) values[i] = (i % 2 ? -1 : 1) * pow(0.9, i);
        check_both(env, 160, values, k, 1, "lanczos", "by size");
        for (int i = 0; i < 160; i++) values[i] = i < 5 ? -3 + 0.1 * i : pow(0.9, i);
        check_both(env, 160, values, k, 1, "lanczos", "negative first");
        check_both(env, 160, values, k, 0, "lanczos", "negative last");
        for (int i = 0; i < 160; i++) values[i] = -1 - 0.01 * i;
        if (k > 3) continue; /* the end of a straight line is far to go */
        check_both(env, 160, values, k, 0, "lanczos(max_iter=100000)", "all negative");
    }
}

static void every_k_of_every_small_size_is_found(void **state) {
    rkhs_env *env = *state;
    double values[30];
    OK(env, rkhs_env_set_threads(env, 1));
    for (int64_t n = 1; n <= 30; n++) {
        for (int64_t k = 1; k <= n; k += n > 20 ? 1 + k / 6 : 1) {
            for (int64_t i = 0; i < n; i++) values[i] = noise(42, (uint64_t)i) + (i % 3 ? 0 : 0.25);
            check_both(env, n, values, k, (int)(n + k) % 2, "lanczos", "small");
        }
    }
}

static void many_eigenpairs_and_odd_blocks_are_found(void **state) {
    rkhs_env *env = *state;
    double values[400];
    static const char *const solvers[] = {"lanczos(block=1)", "lanczos(block=2)", "lanczos(block=7)", "lanczos(block=50)",
                                          "lanczos(block=256)"};
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < 400; i++) values[i] = pow(0.97, i);
    check_both(env, 400, values, 120, 0, "lanczos", "many");
    for (int q = 0; q < 5; q++) {
        for (int i = 0; i < 150; i++) values[i] = pow(0.93, i);
        check_both(env, 150, values, 9, 0, solvers[q], solvers[q]);
    }
}

static void the_tolerance_is_kept_and_a_loose_one_is_cheaper(void **state) {
    rkhs_env *env = *state;
    double values[300];
    int64_t last = INT64_MAX;
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < 300; i++) values[i] = pow(0.99, i);
    static const char *const solvers[] = {"lanczos(tol=1e-12)", "lanczos(tol=1e-8)", "lanczos(tol=1e-3)"};
    static const double tolerances[] = {1e-12, 1e-8, 1e-3};
    for (int q = 0; q < 3; q++) {
        system_ s = with_spectrum(env, 300, values);
        answer a = ask(&s, 3, 0);
        OK(env, run(solvers[q], &a));
        check_answer(&s, &a, values, tolerances[q], solvers[q]);
        assert_true(a.p.products < last);
        last = a.p.products;
        answer_free(&a);
        free(s.A);
    }
}

/* ---- what it says, and how it stops ---------------------------------------------------------------------------- */

static void not_converging_is_a_report_with_true_residuals(void **state) {
    rkhs_env *env = *state;
    double values[300];
    static const char *const solvers[] = {"lanczos(1e-12,1)", "lanczos(1e-12,2)", "lanczos(1e-12,9)", "lanczos(1e-12,3,1)"};
    static const int64_t counts[] = {1, 4, 16, 25, 60};
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < 300; i++) values[i] = 1 - i / 300.0;
    for (int q = 0; q < 4; q++) {
        for (int c = 0; c < 5; c++) {
            system_ s = with_spectrum(env, 300, values);
            answer a = ask(&s, counts[c], 0);
            OK(env, run(solvers[q], &a));
            assert_int_equal(a.p.converged, 0);
            double worst = 0;
            for (int64_t j = 0; j < counts[c]; j++) {
                NEAR(a.residuals[j], true_residual(&s, &a, j), 1e-12);
                worst = fmax(worst, a.residuals[j]);
                assert_true(j == 0 || a.values[j] <= a.values[j - 1]);
                assert_true(a.values[j] <= values[j] + 1e-12); /* from within, a Ritz value is never too large */
            }
            assert_true(worst > 1e-12);
            answer_free(&a);
            free(s.A);
        }
    }
}

static void the_same_seed_gives_the_same_bits_on_any_number_of_threads(void **state) {
    rkhs_env *env = *state;
    static double values[600];
    for (int i = 0; i < 600; i++) values[i] = pow(0.97, i);
    system_ s = with_spectrum(env, 600, values);
    answer first = ask(&s, 5, 0);
    OK(env, rkhs_env_set_threads(env, 1));
    OK(env, run("lanczos", &first));
    for (int threads = 1; threads <= 4; threads += threads) {
        answer a = ask(&s, 5, 0);
        OK(env, rkhs_env_set_threads(env, threads));
        OK(env, run("lanczos", &a));
        assert_memory_equal(a.x, first.x, 600 * 5 * sizeof *a.x);
        assert_memory_equal(a.values, first.values, 5 * sizeof *a.values);
        answer_free(&a);
    }
    answer other = ask(&s, 5, 0);
    rkhs_env_set_seed(env, 1);
    OK(env, run("lanczos", &other));
    assert_memory_not_equal(other.x, first.x, 600 * 5 * sizeof *first.x);
    for (int j = 0; j < 5; j++) NEAR(other.values[j], first.values[j], 1e-12);
    answer_free(&other);
    answer_free(&first);
    free(s.A);
}

typedef struct stopper {
    int calls, stop_at;
    int64_t done, wrong;
} stopper;

static int stop_at(const rkhs_progress *p, void *payload) {
    stopper *w = payload;
    if (p->done < w->done || p->done > p->total) w->wrong++;
    w->done = p->done;
    return w->calls++ == w->stop_at;
}

static void stopped_anywhere_it_leaves_nothing(void **state) {
    rkhs_env *env = *state;
    double values[200];
    int stopped = 0;
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < 200; i++) values[i] = 1 - i / 200.0;
    system_ s = with_spectrum(env, 200, values);
    for (int at = 0;; at += 1 + at / 9) {
        stopper w = {.stop_at = at};
        answer a = ask(&s, 3, 0);
        env->at = (rkhs_progress){"work", 0, 0}; /* as in a fresh env */
        rkhs_env_set_progress(env, stop_at, &w);
        rkhs_status status = run("lanczos", &a);
        answer_free(&a);
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) {
            assert_int_equal(w.done, 100); /* it said that it was done */
            assert_int_equal(w.wrong, 0);
            break;
        }
        assert_int_equal(status, RKHS_ERR_CANCELLED);
        assert_true(says(rkhs_env_message(env), "stopped"));
        assert_int_equal(w.calls, at + 1);
        stopped++;
    }
    rkhs_env_set_progress(env, NULL, NULL);
    assert_true(stopped > 20);
    free(s.A);
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = *state;
    double values[40];
    static const char *const solvers[] = {"lanczos", "dense"};
    OK(env, rkhs_env_set_threads(env, 1));
    for (int i = 0; i < 40; i++) values[i] = pow(0.9, i);
    system_ s = with_spectrum(env, 40, values);
    for (int q = 0; q < 2; q++) {
        for (int64_t k = 0;; k++) {
            answer a = ask(&s, 2, 0);
            env->allocations = 0;
            env->fail_at = k;
            rkhs_status status = run(solvers[q], &a);
            env->fail_at = -1;
            answer_free(&a);
            assert_int_equal(atomic_load(&env->used), 0);
            if (status == RKHS_OK) break;
            assert_int_equal(status, RKHS_ERR_MEMORY);
        }
    }
    free(s.A);
}

static void a_dense_problem_over_the_limit_says_what_to_do(void **state) {
    rkhs_env *env = *state;
    double values[100] = {1};
    system_ s = with_spectrum(env, 100, values);
    answer a = ask(&s, 2, 0);
    rkhs_env_set_memory(env, 50000);
    FAILS(env, RKHS_ERR_MEMORY, "eigenproblem | size 100", run("dense", &a));
    FAILS(env, RKHS_ERR_MEMORY, "use solver=lanczos", run("dense", &a));
    answer_free(&a);
    free(s.A);
}

/* ---- going on -------------------------------------------------------------------------------------------------- */

/* Steps until it is done or has had `most`; gives the state. */
static void *steps(answer *a, const rk_spec *spec, int most, void *state, int *done) {
    const rk_solver_type *type = (const rk_solver_type *)spec->entry;
    if (!state) OK(a->p.env, type->start(&a->p, spec->self, &state));
    for (int i = 0; i < most && !*done; i++) OK(a->p.env, type->step(&a->p, spec->self, state, done));
    return state;
}

static void finish(answer *a, const rk_spec *spec, void *state) {
    const rk_solver_type *type = (const rk_solver_type *)spec->entry;
    OK(a->p.env, type->finish(&a->p, spec->self, state));
    type->release(&a->p, state);
}

static void a_saved_state_goes_on_with_the_same_bits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double values[120];
    rk_spec *spec;
    const rk_solver_type *type;
    rk_archive *archive;
    OK(env, rkhs_env_set_threads(env, 1));
    OK(env, rk_spec_new(env, &rk_eigensolvers, "lanczos(block=3)", &spec)); /* fewer than wanted: it looks again */
    type = (const rk_solver_type *)spec->entry;
    for (int low = 0; low < 2; low++) { /* low rank: vectors are drawn anew on the way */
        for (int i = 0; i < 120; i++) values[i] = low ? (i < 3) * (3.0 - i) : pow(0.97, i);
        system_ s = with_spectrum(env, 120, values);
        answer whole = ask(&s, 5, 0);
        int done = 0;
        void *life = steps(&whole, spec, 1 << 20, NULL, &done);
        int64_t all = whole.p.iterations;
        finish(&whole, spec, life);
        assert_true(low || all > 20); /* past some restarts */
        for (int64_t cut = 1; cut < all; cut += 1 + cut / 4) {
            answer first = ask(&s, 5, 0), second = ask(&s, 5, 0);
            done = 0;
            life = steps(&first, spec, (int)cut, NULL, &done);
            assert_false(done);
            OK(env, rk_archive_new(env, &archive));
            OK(env, type->state_save(&first.p, life, archive));
            OK(env, rk_archive_write(archive, "state.npz"));
            rk_archive_free(archive);
            type->release(&first.p, life);
            life = steps(&second, spec, 0, NULL, &done);
            OK(env, rk_archive_read(env, "state.npz", &archive));
            OK(env, type->state_load(&second.p, life, archive));
            rk_archive_free(archive);
            steps(&second, spec, 1 << 20, life, &done);
            finish(&second, spec, life);
            assert_memory_equal(second.x, whole.x, 120 * 5 * sizeof *whole.x);
            assert_memory_equal(second.values, whole.values, 5 * sizeof *whole.values);
            assert_memory_equal(second.residuals, whole.residuals, 5 * sizeof *whole.residuals);
            assert_int_equal(second.p.iterations, all);
            assert_int_equal(second.p.products, whole.p.products);
            assert_true(second.p.converged);
            answer_free(&first);
            answer_free(&second);
        }
        answer_free(&whole);
        free(s.A);
    }
    rk_spec_free(env, spec);
}

static void a_state_of_another_problem_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double values[60];
    rk_spec *spec;
    rk_archive *archive;
    int done = 0;
    for (int i = 0; i < 60; i++) values[i] = pow(0.97, i);
    OK(env, rk_spec_new(env, &rk_eigensolvers, "lanczos", &spec));
    const rk_solver_type *type = (const rk_solver_type *)spec->entry;
    system_ s = with_spectrum(env, 60, values), t = with_spectrum(env, 50, values);
    answer a = ask(&s, 2, 0), b = ask(&t, 2, 0), c = ask(&s, 9, 0);
    void *life = steps(&a, spec, 1, NULL, &done);
    void *other = steps(&b, spec, 0, NULL, &done), *more = steps(&c, spec, 0, NULL, &done);
    OK(env, rk_archive_new(env, &archive));
    OK(env, type->state_save(&a.p, life, archive));
    OK(env, rk_archive_write(archive, "state.npz"));
    rk_archive_free(archive);
    OK(env, rk_archive_read(env, "state.npz", &archive));
    FAILS(env, RKHS_ERR_FORMAT, "another problem", type->state_load(&b.p, other, archive));
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_FORMAT, "another problem", type->state_load(&c.p, more, archive));
    rk_archive_free(archive);
    type->release(&a.p, life);
    type->release(&b.p, other);
    type->release(&c.p, more);
    answer_free(&a);
    answer_free(&b);
    answer_free(&c);
    free(s.A), free(t.A);
    rk_spec_free(env, spec);
}

/* ---- grams pulled back ----------------------------------------------------------------------------------------- */

enum { ROWS = 90, COUNT = 6 };

/* The values and the centred, pushed result of a spectral problem on a gram. */
static void pushed(rkhs_env *env, const rkhs_data *x, const char *kernel, const char *gram, const char *solver, int centre,
                   double *values, double *Z, double *trace) {
    rkhs_kernel *k;
    rk_spec *spec, *solve = NULL;
    rk_gram *g;
    rk_spectrum out;
    rk_spectral problem = {.coordinates = RK_COORD_ISOMETRIC, .mu = 1, .count = COUNT};
    problem.m_kind = centre ? RK_M_CENTRE : RK_M_IDENTITY;
    OK(env, rkhs_kernel_new(env, kernel, &k));
    OK(env, rk_spec_new(env, &rk_grams, gram, &spec));
    if (solver) OK(env, rk_spec_new(env, &rk_eigensolvers, solver, &solve));
    OK(env, rk_gram_new(env, spec, k, x, &g));
    OK(env, rk_solve_spectral(g, solve, &problem, &out));
    assert_true(out.converged);
    if (solver) assert_string_equal(out.solver, solve->entry->name);
    OK(env, rk_gram_push(g, out.coef, COUNT, Z));
    memcpy(values, out.values, COUNT * sizeof *values);
    *trace = out.trace;
    for (int c = 0; c < COUNT; c++) {
        double mean = 0;
        for (int i = 0; centre && i < ROWS; i++) mean += Z[i * COUNT + c] / ROWS;
        for (int i = 0; i < ROWS; i++) Z[i * COUNT + c] -= mean;
    }
    rk_gram_free(g);
    rk_scratch_release(env, NULL);
    rk_spec_free(env, solve);
    rk_spec_free(env, spec);
    rkhs_kernel_free(k);
}

static void exact_and_nystrom_with_every_row_give_the_same(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"exact", "nystrom(90)", "nystrom", "nystrom(90, uniform)",
                                        "nystrom(by=given, rows=[0:90])"};
    static const char *const solvers[] = {NULL, "dense", "lanczos"};
    static const char *const kernels[] = {"rbf(gamma=20)", "linear", "poly(2, 1)"};
    static double points[ROWS * 8], Z[ROWS * COUNT], first[ROWS * COUNT];
    double values[COUNT], meant[COUNT], trace, sum;
    rkhs_data *x;
    for (uint64_t i = 0; i < ROWS * 8; i++) points[i] = noise(50, i) * pow(0.8, (double)(i % 8));
    OK(env, rkhs_data_dense(env, points, ROWS, 8, 8, &x));
    for (int kernel = 0; kernel < 3; kernel++) {
        for (int centre = 0; centre < 2; centre++) {
            pushed(env, x, kernels[kernel], "exact", "dense", centre, meant, first, &sum);
            for (int c = 0; c < COUNT; c++) { /* Z'Z is diagonal with the eigenvalues */
                double norm = 0;
                for (int i = 0; i < ROWS; i++) norm += first[i * COUNT + c] * first[i * COUNT + c];
                NEAR(norm, meant[c], 1e-10);
            }
            for (int gram = 0; gram < 5; gram++) {
                for (int solver = 0; solver < 3; solver++) {
                    pushed(env, x, kernels[kernel], grams[gram], solvers[solver], centre, values, Z, &trace);
                    NEAR(trace, sum, 1e-10);
                    for (int c = 0; c < COUNT; c++) {
                        double dot = 0;
                        NEAR(values[c] / meant[0], meant[c] / meant[0], 1e-11);
                        for (int i = 0; i < ROWS; i++) dot += Z[i * COUNT + c] * first[i * COUNT + c];
                        for (int i = 0; i < ROWS; i++) NEAR(Z[i * COUNT + c] * (dot < 0 ? -1 : 1), first[i * COUNT + c], 1e-7);
                    }
                }
            }
        }
    }
    rkhs_data_free(x);
}

static void what_a_low_rank_cannot_give_is_zero(void **state) {
    rkhs_env *env = *state;
    static const char *const grams[] = {"exact", "nystrom(90)", "nystrom(2)", "nystrom(by=given, rows=[3,4])"};
    static const char *const solvers[] = {NULL, "dense", "lanczos"};
    static double points[ROWS * 2], Z[ROWS * COUNT];
    double values[COUNT], trace;
    rkhs_data *x;
    for (uint64_t i = 0; i < ROWS * 2; i++) points[i] = noise(51, i);
    OK(env, rkhs_data_dense(env, points, ROWS, 2, 2, &x));
    for (int gram = 0; gram < 4; gram++) {
        for (int solver = 0; solver < 3; solver++) {
            pushed(env, x, "linear", grams[gram], solvers[solver], 1, values, Z, &trace);
            NEAR(values[0] + values[1], trace, 1e-10);
            for (int c = 0; c < COUNT; c++) assert_int_equal(values[c] > 0, c < 2);
            for (int i = 0; i < ROWS; i++)
                for (int c = 2; c < COUNT; c++) assert_true(Z[i * COUNT + c] == 0);
        }
    }
    rkhs_data_free(x);
}

static void the_smallest_eigenvalue_of_an_indefinite_gram_is_found(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {30, 600}; /* dense, lanczos */
    for (int q = 0; q < 2; q++) {
        int64_t n = sizes[q];
        double *values = malloc((size_t)n * sizeof *values), smallest, off;
        for (int64_t i = 0; i < n; i++) values[i] = i == 7 ? -0.25 : i == 9 ? -0.1 : pow(0.9, (double)i);
        system_ s = with_spectrum(env, n, values);
        rkhs_data *x, *view = NULL;
        const rkhs_data *use;
        rkhs_kernel *k;
        rk_spec *spec;
        rk_gram *g;
        rk_spectral problem = {.coordinates = RK_COORD_ISOMETRIC, .m_kind = RK_M_IDENTITY, .mu = 1, .count = 1};
        OK(env, rkhs_data_dense(env, s.A, n, n, n, &x));
        OK(env, rkhs_kernel_new(env, "precomputed", &k));
        OK(env, rk_data_coerce(env, x, rk_kernel_kinds(k), "precomputed", &use, &view));
        OK(env, rk_spec_new(env, &rk_grams, "exact", &spec));
        OK(env, rk_gram_new(env, spec, k, use, &g));
        OK(env, rk_smallest_eigenvalue(g, &problem, &smallest, &off));
        NEAR(smallest, -0.25, 1e-3);
        static const double shifts[] = {0, 0.1, 0.2499, 0.2501, 1};
        for (int t = 0; t < 5; t++) { /* what a factor says of the same */
            int above;
            OK(env, rk_shifted_psd(g, shifts[t], &above));
            assert_int_equal(above, shifts[t] > 0.25);
        }
        rk_gram_free(g);
        rk_scratch_release(env, NULL);
        rk_spec_free(env, spec);
        rkhs_kernel_free(k);
        rkhs_data_free(view);
        rkhs_data_free(x);
        free(s.A), free(values);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(random_spectra_agree_with_dense),
        ENV_TEST(repeated_eigenvalues_are_all_found),
        ENV_TEST(more_copies_than_a_block_holds_are_all_found),
        ENV_TEST(nearly_all_of_a_spectrum_with_repeated_values_is_found),
        ENV_TEST(low_rank_is_found_and_the_rest_is_zero),
        ENV_TEST(steep_spectra_keep_the_vectors_orthogonal),
        ENV_TEST(a_crowd_at_the_top_is_told_apart),
        ENV_TEST(eigenvalues_count_by_size_when_asked),
        ENV_TEST(every_k_of_every_small_size_is_found),
        ENV_TEST(many_eigenpairs_and_odd_blocks_are_found),
        ENV_TEST(the_tolerance_is_kept_and_a_loose_one_is_cheaper),
        ENV_TEST(not_converging_is_a_report_with_true_residuals),
        ENV_TEST(the_same_seed_gives_the_same_bits_on_any_number_of_threads),
        ENV_TEST(stopped_anywhere_it_leaves_nothing),
        ENV_TEST(every_failed_allocation_is_survived),
        ENV_TEST(a_dense_problem_over_the_limit_says_what_to_do),
        FILES_TEST(a_saved_state_goes_on_with_the_same_bits),
        FILES_TEST(a_state_of_another_problem_is_refused),
        ENV_TEST(exact_and_nystrom_with_every_row_give_the_same),
        ENV_TEST(what_a_low_rank_cannot_give_is_zero),
        ENV_TEST(the_smallest_eigenvalue_of_an_indefinite_gram_is_found),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = blas_begin() || cmocka_run_group_tests(tests, NULL, NULL);
    blas_end();
    return failed;
}
