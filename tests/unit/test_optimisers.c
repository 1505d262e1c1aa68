/* Optimisers on standard problems: the minima that scipy finds, in as many evaluations; stops, states, constraints,
 * cancelling. */
#include "files.h"

#include "opt/opt.h"

typedef double (*function)(const double *x, int64_t n, double *g);

static double rosenbrock(const double *x, int64_t n, double *g) {
    double f = 0;
    memset(g, 0, (size_t)n * sizeof *g);
    for (int64_t i = 0; i + 1 < n; i++) {
        double u = x[i + 1] - x[i] * x[i], v = 1 - x[i];
        f += 100 * u * u + v * v;
        g[i] += -400 * x[i] * u - 2 * v;
        g[i + 1] += 200 * u;
    }
    return f;
}

static double quadratic(const double *x, int64_t n, double *g) {
    double f = 0;
    for (int64_t i = 0; i < n; i++) {
        double c = pow(10, 4 * (double)i / (double)(n - 1));
        f += 0.5 * c * (x[i] - 1) * (x[i] - 1);
        g[i] = c * (x[i] - 1);
    }
    return f;
}

static double beale(const double *x, int64_t n, double *g) {
    static const double target[] = {1.5, 2.25, 2.625};
    double f = 0, power = 1;
    g[0] = g[1] = 0;
    for (int i = 0; i < 3; i++) {
        double before = power; /* y^i */
        power *= x[1];
        double t = target[i] - x[0] * (1 - power);
        f += t * t;
        g[0] += 2 * t * -(1 - power);
        g[1] += 2 * t * x[0] * (i + 1) * before;
    }
    return f;
}

static double powell(const double *x, int64_t n, double *g) {
    double f = 0;
    for (int64_t i = 0; i + 3 < n; i += 4) {
        double p = x[i] + 10 * x[i + 1], q = x[i + 2] - x[i + 3], r = x[i + 1] - 2 * x[i + 2], s = x[i] - x[i + 3];
        f += p * p + 5 * q * q + r * r * r * r + 10 * s * s * s * s;
        g[i] = 2 * p + 40 * s * s * s;
        g[i + 1] = 20 * p + 4 * r * r * r;
        g[i + 2] = 10 * q - 8 * r * r * r;
        g[i + 3] = -10 * q - 40 * s * s * s;
    }
    return f;
}

static double logcosh(const double *x, int64_t n, double *g) {
    double f = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = 1 + (double)(i % 7), z = w * (x[i] - 0.5);
        f += fabs(z) + log1p(exp(-2 * fabs(z))) - log(2) + 0.01 * x[i] * x[i];
        g[i] = w * tanh(z) + 0.02 * x[i];
    }
    return f;
}

typedef struct problem {
    const char *name;
    function f;
    int64_t n;
    double start[4]; /* repeated */
    int period;
} problem;

static const problem problems[] = {
    {"rosenbrock2", rosenbrock, 2, {-1.2, 1}, 2}, {"rosenbrock20", rosenbrock, 20, {-1.2, 1}, 2},
    {"quadratic50", quadratic, 50, {0}, 1},       {"beale", beale, 2, {1, 1}, 2},
    {"powell40", powell, 40, {3, -1, 0, 1}, 4},   {"logcosh100", logcosh, 100, {3, -2}, 2},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* A problem as a solver sees it. */
typedef struct run {
    rk_solver_problem p;
    const problem *of;
    double x[128], value, slope;
    int sphere; /* the unit sphere as a constraint */
} run;

static rkhs_status eval_run(void *context, rkhs_env *env, const double *x, double *f, double *g) {
    run *r = context;
    *f = r->of->f(x, r->of->n, g);
    if (r->sphere) {
        double along = 0;
        for (int64_t i = 0; i < r->of->n; i++) along += g[i] * x[i];
        for (int64_t i = 0; i < r->of->n; i++) g[i] -= along * x[i];
    }
    return RKHS_OK;
}

static void to_sphere(void *context, double *x) {
    run *r = context;
    double norm = 0;
    for (int64_t i = 0; i < r->of->n; i++) norm += x[i] * x[i];
    for (int64_t i = 0; i < r->of->n; i++) x[i] /= sqrt(norm);
}

static void run_open(rkhs_env *env, const problem *of, run *r) {
    *r = (run){.of = of};
    for (int64_t i = 0; i < of->n; i++) r->x[i] = of->start[i % of->period];
    r->p = (rk_solver_problem){.env = env,
                               .size = of->n,
                               .k = 1,
                               .eval = eval_run,
                               .context = r,
                               .x = r->x,
                               .values = &r->value,
                               .residuals = &r->slope};
}

static void run_close(run *r) { rk_free(r->p.env, r->p.history); }

static void run_spec(run *r, const char *text) {
    rk_spec *spec;
    OK(r->p.env, rk_spec_new(r->p.env, &rk_optimisers, text, &spec));
    OK(r->p.env, rk_solve(spec, &r->p));
    rk_spec_free(r->p.env, spec);
}

/* The line of scipy's table for a problem. */
static void scipy_says(const char *name, double *value, double *evaluations) {
    char path[512], line[200];
    snprintf(path, sizeof path, "%s/tests/golden/data/scipy_lbfgs.csv", getenv("RKHS_SOURCE"));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    int found = 0;
    while (!found && fgets(line, sizeof line, in))
        found = strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), ",%lf,%lf", value, evaluations) == 2;
    fclose(in);
    assert_true(found);
}

static void lbfgs_finds_scipys_minima_in_as_many_evaluations(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double ours = 0, theirs = 0;
    for (int q = 0; q < PROBLEMS; q++) {
        run r;
        double value, evaluations;
        scipy_says(problems[q].name, &value, &evaluations);
        run_open(env, &problems[q], &r);
        run_spec(&r, "lbfgs(max_iter=1000)");
        assert_true(r.p.converged);
        if (!(r.value <= value + 1e-6)) fail_msg("%s: %g, scipy %g", problems[q].name, r.value, value);
        print_message("# %s: %lld evaluations, scipy %g; value %g, scipy %g\n", problems[q].name, (long long)r.p.products,
                      evaluations, r.value, value);
        if (!((double)r.p.products <= 1.3 * evaluations + 3))
            fail_msg("%s: %lld evaluations, scipy %g", problems[q].name, (long long)r.p.products, evaluations);
        ours += (double)r.p.products;
        theirs += evaluations;
        run_close(&r);
    }
    assert_true(ours <= 1.3 * theirs);
}

/* Along the first gradient, which knows no scale, a search to the letter can end in another valley: a decrease is
 * enough. */
static void the_first_step_of_cg_is_that_of_lbfgs(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    for (int q = 0; q < PROBLEMS; q++) {
        run a, b;
        run_open(env, &problems[q], &a);
        run_open(env, &problems[q], &b);
        run_spec(&a, "cg(max_iter=1)");
        run_spec(&b, "lbfgs(max_iter=1)");
        if (memcmp(a.x, b.x, (size_t)problems[q].n * sizeof *a.x) != 0)
            fail_msg("%s: %g and %g", problems[q].name, a.value, b.value);
        run_close(&a);
        run_close(&b);
    }
}

static void every_optimiser_finds_the_minima(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const specs[] = {"lbfgs(max_iter=5000, ftol=0, tol=1e-7)",
                                        "lbfgs(max_iter=5000, memory=3, ftol=0, tol=1e-7)",
                                        "cg(max_iter=5000, ftol=0, tol=1e-7)", "cg(beta=hz, max_iter=5000, ftol=0, tol=1e-7)",
                                        "adam(learning_rate=0.05, max_iter=30000, stall=2000)"};
    for (int t = 0; t < 5; t++) {
        for (int q = 0; q < PROBLEMS; q++) {
            run r;
            double value, evaluations;
            scipy_says(problems[q].name, &value, &evaluations);
            run_open(env, &problems[q], &r);
            run_spec(&r, specs[t]);
            if (!(r.value <= value + 1e-4)) fail_msg("%s on %s: %g, scipy %g", specs[t], problems[q].name, r.value, value);
            run_close(&r);
        }
    }
}

static void descent_never_goes_up_and_adam_keeps_the_best(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const specs[] = {"lbfgs", "cg", "cg(beta=hz)"};
    for (int t = 0; t < 3; t++) {
        run r;
        run_open(env, &problems[1], &r);
        run_spec(&r, specs[t]);
        assert_int_equal(r.p.recorded, r.p.iterations + 1);
        for (int64_t i = 1; i < r.p.recorded; i++) assert_true(r.p.history[i] <= r.p.history[i - 1]);
        NEAR(r.p.history[r.p.recorded - 1], r.value, 0);
        run_close(&r);
    }
    run best, last;
    run_open(env, &problems[1], &best);
    run_open(env, &problems[1], &last);
    run_spec(&best, "adam(learning_rate=1, max_iter=40)"); /* far too fast: it jumps about */
    run_spec(&last, "adam(learning_rate=1, max_iter=40, keep=last)");
    double least = INFINITY;
    for (int64_t i = 0; i < best.p.recorded; i++) least = fmin(least, best.p.history[i]);
    NEAR(best.value, least, 0);
    NEAR(last.value, last.p.history[last.p.recorded - 1], 0);
    assert_true(best.value < last.value);
    double g[128];
    NEAR(rosenbrock(best.x, 20, g), best.value, 0);
    run_close(&best);
    run_close(&last);
}

static void a_stop_by_iterations_is_a_report(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const specs[] = {"lbfgs(max_iter=3)", "cg(max_iter=3)", "adam(max_iter=3)", "lbfgs(max_iter=0)"};
    for (int t = 0; t < 4; t++) {
        run r;
        run_open(env, &problems[1], &r);
        run_spec(&r, specs[t]);
        assert_false(r.p.converged);
        assert_int_equal(r.p.iterations, t == 3 ? 0 : 3);
        run_close(&r);
    }
}

static void on_the_sphere_iterates_stay_there_and_find_the_smallest_axis(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const problem ball = {"ball", quadratic, 10, {0.3, -0.2, 0.5}, 3};
    static const char *const specs[] = {"lbfgs(max_iter=500)", "cg(max_iter=500)", "adam(learning_rate=0.01, max_iter=20000)"};
    for (int t = 0; t < 3; t++) {
        run r;
        double norm = 0;
        run_open(env, &ball, &r);
        r.sphere = 1;
        r.p.retract = to_sphere;
        run_spec(&r, specs[t]);
        for (int i = 0; i < 10; i++) norm += r.x[i] * r.x[i];
        NEAR(norm, 1, 1e-12);
        assert_true(r.slope < 0.05 || t == 2);
        double start[10], g[10], best = r.value;
        for (int i = 0; i < 10; i++) start[i] = r.x[i];
        for (int i = 0; i < 10; i++) { /* no neighbour on the sphere is lower */
            double y[10], n2 = 0;
            for (int j = 0; j < 10; j++) y[j] = start[j] + (j == i) * 1e-3, n2 += y[j] * y[j];
            for (int j = 0; j < 10; j++) y[j] /= sqrt(n2);
            assert_true(quadratic(y, 10, g) >= best - 1e-4);
        }
        run_close(&r);
    }
}

static void a_saved_state_goes_on_with_the_same_bits(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const specs[] = {"lbfgs(max_iter=60)", "cg(max_iter=60)", "cg(beta=hz, max_iter=60)",
                                        "adam(learning_rate=0.1, max_iter=60, patience=5)"};
    for (int t = 0; t < 4; t++) {
        rk_spec *spec;
        OK(env, rk_spec_new(env, &rk_optimisers, specs[t], &spec));
        const rk_solver_type *type = (const rk_solver_type *)spec->entry;
        run whole;
        run_open(env, &problems[1], &whole);
        OK(env, rk_solve(spec, &whole.p));
        for (int cut = 0; cut < 40; cut += 7) {
            run first, second;
            void *life;
            int done = 0;
            rk_archive *archive;
            run_open(env, &problems[1], &first);
            OK(env, type->start(&first.p, spec->self, &life));
            for (int i = 0; i < cut && !done; i++) OK(env, type->step(&first.p, spec->self, life, &done));
            OK(env, rk_archive_new(env, &archive));
            OK(env, type->state_save(&first.p, life, archive));
            OK(env, rk_archive_write(archive, "state.npz"));
            rk_archive_free(archive);
            type->release(&first.p, life);
            run_open(env, &problems[1], &second);
            OK(env, type->start(&second.p, spec->self, &life));
            OK(env, rk_archive_read(env, "state.npz", &archive));
            OK(env, type->state_load(&second.p, life, archive));
            rk_archive_free(archive);
            while (!done) OK(env, type->step(&second.p, spec->self, life, &done));
            OK(env, type->finish(&second.p, spec->self, life));
            type->release(&second.p, life);
            assert_memory_equal(second.x, whole.x, 20 * sizeof *whole.x);
            assert_memory_equal(&second.value, &whole.value, sizeof whole.value);
            assert_int_equal(second.p.recorded, whole.p.recorded);
            assert_int_equal(second.p.products, whole.p.products);
            run_close(&first);
            run_close(&second);
        }
        run_close(&whole);
        rk_spec_free(env, spec);
    }
}

static double broken(const double *x, int64_t n, double *g) {
    for (int64_t i = 0; i < n; i++) g[i] = NAN;
    return NAN;
}

/* Defined for x > 0 only: a step too far gives NaN. */
static double barrier(const double *x, int64_t n, double *g) {
    double f = 0;
    for (int64_t i = 0; i < n; i++) {
        f += x[i] - 2 * log(x[i]);
        g[i] = 1 - 2 / x[i];
    }
    return f;
}

static void what_is_not_finite_is_said_or_avoided(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const problem bad = {"broken", broken, 3, {1}, 1}, good = {"barrier", barrier, 3, {0.01, 9, 1}, 3};
    static const char *const specs[] = {"lbfgs", "cg", "adam(learning_rate=0.1)"};
    for (int t = 0; t < 3; t++) {
        run r;
        rk_spec *spec;
        run_open(env, &bad, &r);
        OK(env, rk_spec_new(env, &rk_optimisers, specs[t], &spec));
        rk_begin_call(env);
        FAILS(env, RKHS_ERR_NUMERIC, "not finite at the start", rk_solve(spec, &r.p));
        rk_spec_free(env, spec);
        run_close(&r);
        rk_begin_call(env);
        run_open(env, &good, &r);
        run_spec(&r, specs[t]);
        for (int i = 0; i < 3; i++) NEAR(r.x[i], 2, 1e-2);
        run_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(lbfgs_finds_scipys_minima_in_as_many_evaluations),
        FILES_TEST(the_first_step_of_cg_is_that_of_lbfgs),
        FILES_TEST(every_optimiser_finds_the_minima),
        FILES_TEST(descent_never_goes_up_and_adam_keeps_the_best),
        FILES_TEST(a_stop_by_iterations_is_a_report),
        FILES_TEST(on_the_sphere_iterates_stay_there_and_find_the_smallest_axis),
        FILES_TEST(a_saved_state_goes_on_with_the_same_bits),
        FILES_TEST(what_is_not_finite_is_said_or_avoided),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
