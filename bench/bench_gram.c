/* bench_gram.c: one measured job of src/gram, in a process of its own; bench.py calls it.
 *
 *     bench_gram product   --gram SPEC --columns K            K V, V is n x K
 *     bench_gram landmarks --landmarks M --among sample|all   landmarks by randomly pivoted Cholesky, from a sample of
 *                          the rows, as gram=nystrom chooses them, or from all rows. Finds tr(K - Phi Phi') / tr K
 *     bench_gram features  --gram SPEC                        features of all objects. Finds |K - Phi Phi'| / |K|
 *
 * with --kernel SPEC, --x FILE and --threads N (0: all). The last two are done --calls N times, with the seeds 0 .. N -
 * 1; what they find goes to --out FILE.npy, a row for each seed. Prints one JSON line, as bench_core does: of the job
 * alone, without what is found. An entry of the product is computed again by its definition. */
#include "measure.h"

#include <math.h>

#include "gram/gram.h"

enum { FEW = 256, MAX_CALLS = 64 }; /* FEW: rows to warm up with */

static rkhs_env *env;

static void check(rkhs_status status) {
    if (status == RKHS_OK) return;
    fprintf(stderr, "bench_gram: %s\n", rkhs_env_message(env));
    exit(1);
}

/* A job: its options, its input, and what it found. */
typedef struct job {
    const char *gram;
    int64_t columns, landmarks;
    int among_all, calls;
    rkhs_kernel *kernel; /* frozen */
    rkhs_data *x;
    double found[MAX_CALLS];
} job;

/* A gram, and the text that it is made from. */
typedef struct built {
    rk_spec *spec;
    rk_gram *g;
} built;

static built build(const job *j, const char *text) {
    built b;
    check(rk_spec_new(env, &rk_grams, text, &b.spec));
    check(rk_gram_new(env, b.spec, j->kernel, j->x, &b.g));
    return b;
}

static void unbuild(built b) {
    rk_gram_free(b.g);
    rk_spec_free(env, b.spec);
}

/* What was measured: seconds, those of all processors, and how far memory rose at most. What lies between end and the
 * next begin does not count. */
typedef struct meter {
    double took[2], from[2], held, rose;
} meter;

static void begin(meter *m) {
    reset_peak();
    m->held = memory("VmRSS");
    m->from[0] = seconds(CLOCK_MONOTONIC);
    m->from[1] = seconds(CLOCK_PROCESS_CPUTIME_ID);
}
static void end(meter *m) {
    m->took[0] += seconds(CLOCK_MONOTONIC) - m->from[0];
    m->took[1] += seconds(CLOCK_PROCESS_CPUTIME_ID) - m->from[1];
    m->rose = fmax(m->rose, memory("VmHWM") - m->held);
}

static double sum_of_squares(int64_t count, const double *v) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += v[i] * v[i];
    return sum;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

/* The last entry of K V, less its value by the definition. */
static double error_product(const rk_gram *g, const double *V, int64_t k, const double *made) {
    int64_t n = g->n, *I = calloc((size_t)n, sizeof *I), *J = calloc((size_t)n, sizeof *J);
    double *row = array(n), sum = 0;
    if (!I || !J) exit(1);
    for (int64_t j = 0; j < n; j++) I[j] = n - 1, J[j] = j;
    check(rk_gram_entries(g, I, J, n, row));
    for (int64_t j = 0; j < n; j++) sum += row[j] * V[j * k + k - 1];
    free(I), free(J), free(row);
    return made[n * k - 1] - sum;
}

static void run_product(job *j, meter *t) {
    built b = build(j, j->gram);
    int64_t n = b.g->n, k = j->columns;
    double *V = array(n * k), *made = array(n * k);
    for (int64_t i = 0; i < n * k; i++) V[i] = rk_normal(0, RK_STREAM_TEST, (uint64_t)(i / k), (uint64_t)(i % k));
    begin(t);
    check(rk_gram_mul(b.g, V, k, made));
    end(t);
    double error = error_product(b.g, V, k, made);
    if (!(fabs(error) < 1e-9 * sqrt((double)n))) {
        fprintf(stderr, "bench_gram: product: an entry is wrong by %g\n", error);
        exit(1);
    }
    free(V), free(made);
    unbuild(b);
}

/* tr(K - Phi Phi') / tr K, Phi = K_nS L^-T from the landmarks S at `index`. */
static double residual(const rk_gram *g, const int64_t *index, int64_t m) {
    int64_t n = g->n, bad;
    rkhs_data *some;
    rk_bound *bound;
    double *L = array(m * m), *Phi = array(n * m), *diag = array(n), trace = 0;
    check(rk_data_subset(g->x, index, m, &some));
    check(rk_bind(env, g->kernel, some, g->bound, &bound));
    check(rk_gram_symmetric(env, bound, L, m));
    check(rk_gram_cross(env, NULL, g->bound, bound, Phi, m));
    check(rk_cholesky(env, NULL, m, L, m, &bad));
    if (bad >= 0) fputs("bench_gram: the landmarks are not independent\n", stderr), exit(1);
    check(rk_trsm_right(env, NULL, n, m, L, m, Phi, m));
    check(rk_gram_diag(g, diag));
    for (int64_t i = 0; i < n; i++) trace += diag[i];
    double left = 1 - sum_of_squares(n * m, Phi) / trace;
    rk_unbind(env, bound);
    rkhs_data_free(some);
    free(L), free(Phi), free(diag);
    return left;
}

static void run_sample(job *j, int call, meter *t) {
    char text[64];
    snprintf(text, sizeof text, "nystrom(landmarks=%lld)", (long long)j->landmarks);
    begin(t);
    built b = build(j, text);
    end(t);
    j->found[call] = residual(b.g, b.g->map_rows, b.g->rank);
    unbuild(b);
}

static void run_all(job *j, int call, meter *t) {
    built b = build(j, "lazy");
    int64_t m = rk_min(j->landmarks, b.g->n), rank, *index = calloc((size_t)m, sizeof *index);
    double *Phi = array(b.g->n * m);
    if (!index) exit(1);
    begin(t);
    check(rk_rpcholesky(b.g, b.g->bound, m, Phi, index, &rank));
    end(t);
    free(Phi);
    j->found[call] = residual(b.g, index, rank);
    free(index);
    unbuild(b);
}

static void run_landmarks(job *j, meter *t) {
    for (int call = 0; call < j->calls; call++) {
        check(rkhs_env_set_seed(env, (uint64_t)call));
        (j->among_all ? run_all : run_sample)(j, call, t);
    }
}

/* |K - Phi Phi'| / |K|, by the sum of squares of all entries. */
static double relative_error(const rk_gram *g) {
    int64_t n = g->n, ld;
    const double *Phi = rk_gram_phi(g, &ld);
    double *K = array(n * n);
    check(rk_gram_symmetric(env, g->bound, K, n));
    double whole = sum_of_squares(n * n, K);
    check(rk_gemm(env, NULL, 'n', 't', n, n, g->rank, -1.0, Phi, ld, Phi, ld, 1.0, K, n));
    double left = sum_of_squares(n * n, K);
    free(K);
    return sqrt(left / whole);
}

static void run_features(job *j, meter *t) {
    for (int call = 0; call < j->calls; call++) {
        check(rkhs_env_set_seed(env, (uint64_t)call));
        begin(t);
        built b = build(j, j->gram);
        check(rk_gram_store_features(b.g));
        end(t);
        j->found[call] = relative_error(b.g);
        unbuild(b);
    }
}

static const struct {
    const char *name;
    void (*run)(job *, meter *t);
} jobs[] = {{"product", run_product}, {"landmarks", run_landmarks}, {"features", run_features}};

/* ---- measuring ------------------------------------------------------------------------------------------------- */

/* The same job on a few rows: starts the threads and BLAS. */
static void warm_up(void (*run)(job *, meter *), const job *real) {
    int64_t index[FEW], count = 0;
    meter t = {0};
    job j = *real;
    while (count < FEW && count < rkhs_data_rows(real->x)) index[count] = count, count++;
    check(rk_data_subset(real->x, index, count, &j.x));
    j.calls = 1;
    run(&j, &t);
    rkhs_data_free(j.x);
}

static void measure(void (*run)(job *, meter *), job *j) {
    double took[TIMES][2], none[2] = {0, 0}, rose = 0;
    int times = 0;
    warm_up(run, j);
    heat();
    nanosleep(&(struct timespec){.tv_nsec = REST}, NULL);
    do {
        meter t = {0};
        run(j, &t);
        memcpy(took[times], t.took, sizeof t.took);
        rose = fmax(rose, t.rose);
    } while (took[times++][0] < 1e-3 * SHORT && times < TIMES);
    report(took, times, none, rose);
}

static void write_found(const job *j, const char *path) {
    rkhs_data *made;
    check(rkhs_data_dense(env, j->found, j->calls, 1, 1, &made));
    check(rkhs_data_write(made, path, "npy"));
    rkhs_data_free(made);
}

static int64_t whole(const char *text) { return text ? atoll(text) : 0; }

int main(int argc, char **argv) {
    void (*run)(job *, meter *) = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof jobs / sizeof *jobs; i++)
        if (strcmp(argv[1], jobs[i].name) == 0) run = jobs[i].run;
    const char *x = option(argc, argv, "--x"), *kernel = option(argc, argv, "--kernel"), *out = option(argc, argv, "--out"),
               *among = option(argc, argv, "--among"), *calls = option(argc, argv, "--calls");
    job j = {.gram = option(argc, argv, "--gram"),
             .columns = whole(option(argc, argv, "--columns")),
             .landmarks = whole(option(argc, argv, "--landmarks")),
             .among_all = among && strcmp(among, "all") == 0,
             .calls = calls ? (int)whole(calls) : 1};
    if (!run || !x || !kernel || (run == run_landmarks ? j.landmarks < 1 : !j.gram) || (run == run_product && j.columns < 1) ||
        j.calls < 1 || j.calls > MAX_CALLS)
        return fputs("usage: see the head of bench_gram.c\n", stderr), 2;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    check(rkhs_env_set_threads(env, (int)whole(option(argc, argv, "--threads"))));
    check(rkhs_kernel_new(env, kernel, &j.kernel));
    check(rkhs_data_read_for(env, x, NULL, j.kernel, &j.x));
    check(rk_blas_begin(env));
    check(rk_kernel_freeze(j.kernel, j.x));
    measure(run, &j);
    if (out) write_found(&j, out);
    rk_blas_end(env);
    rkhs_data_free(j.x);
    rkhs_kernel_free(j.kernel);
    rkhs_env_free(env);
    return 0;
}
