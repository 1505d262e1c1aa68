/* bench_core.c: one measured job of the library, in a process of its own; bench.py calls it.
 *
 *     bench_core read      --x FILE
 *     bench_core gram      --kernel SPEC --x FILE [--new FILE]
 *     bench_core fit       --kernel SPEC --model SPEC --x FILE [--y FILE | --triplets FILE] [--less SPEC: the seconds
 *                          of this model are taken off, so that steps can be measured without what comes before them]
 *     bench_core transform --kernel SPEC --model SPEC --x FILE [--y FILE] --new FILE [--calls N: so many times]
 *     bench_core score     --specs 'SPEC SPEC ...' --x FILE --z FILE [--labels FILE]
 *
 * with --threads N (0: all) and --out FILE.npy for what was made: the data, K, Z or the scores. Prints one JSON
 * line: the seconds of the job alone, and how far memory rose above what was held before it. A short job is done
 * again, as timeit does, and the median counts: once alone, it would measure how the processor wakes. */
#include "measure.h"

#include "rkhs.h"

enum { FEW = 256, FEW_STRINGS = 4, MAX_SPECS = 32 }; /* FEW: rows to warm up with; strings can take long */

static rkhs_env *env;

static void check(rkhs_status status) {
    if (status == RKHS_OK) return;
    fprintf(stderr, "bench_core: %s\n", rkhs_env_message(env));
    exit(1);
}

/* A job: its options, its inputs, and what it made. */
typedef struct job {
    const char *model_spec, *less_spec, *path; /* path: of the file to read */
    rkhs_kernel *kernel;
    rkhs_data *x, *y, *fresh, *z, *labels;
    rkhs_model *model;
    const char *spec[MAX_SPECS]; /* of scores */
    int specs, calls;
    double *out; /* K, Z or scores */
    int64_t out_rows, out_columns;
} job;

static void run_read(job *j) { check(rkhs_data_read(env, j->path, NULL, &j->x)); }

static void run_gram(job *j) {
    j->out_rows = rkhs_data_rows(j->x);
    j->out_columns = rkhs_data_rows(j->fresh ? j->fresh : j->x);
    j->out = array(j->out_rows * j->out_columns);
    check(rkhs_kernel_gram(j->kernel, j->x, j->fresh, j->out, j->out_columns));
}

static void run_fit(job *j) {
    check(rkhs_model_new(env, j->model_spec, &j->model));
    check(rkhs_model_fit(j->model, j->kernel, j->x, j->y, NULL));
}

static void run_transform(job *j) {
    int64_t n;
    if (!j->model) run_fit(j);
    rkhs_model_embedding(j->model, &n, &j->out_columns);
    j->out_rows = rkhs_data_rows(j->fresh);
    j->out = array(j->out_rows * j->out_columns);
    for (int i = 0; i < j->calls; i++) check(rkhs_model_transform(j->model, j->fresh, j->out, j->out_columns));
}

static void run_score(job *j) {
    const rkhs_score_input what = {.z = j->z, .x = j->x, .labels = j->labels};
    j->out_rows = 1;
    j->out_columns = j->specs;
    j->out = array(j->specs);
    check(rkhs_score(env, j->spec, j->specs, &what, j->out, NULL));
}

static const struct {
    const char *name;
    void (*run)(job *);
} jobs[] = {{"read", run_read}, {"gram", run_gram}, {"fit", run_fit}, {"transform", run_transform}, {"score", run_score}};

static rkhs_data *read_data(const char *path, const rkhs_kernel *kernel) {
    rkhs_data *x = NULL;
    if (path) check(rkhs_data_read_for(env, path, NULL, kernel, &x));
    return x;
}

/* Cuts the text at its spaces. */
static void read_specs(job *j, char *text) {
    for (char *spec = text ? strtok(text, " ") : NULL; spec && j->specs < MAX_SPECS; spec = strtok(NULL, " "))
        j->spec[j->specs++] = spec;
}

static rkhs_data *first_rows(const rkhs_data *x) {
    int64_t index[FEW], count = 0;
    rkhs_data *subset;
    if (!x) return NULL;
    int few = strcmp(rkhs_data_kind(x), "string") == 0 ? FEW_STRINGS : FEW;
    while (count < few && count < rkhs_data_rows(x)) index[count] = count, count++;
    check(rkhs_data_subset(x, index, count, &subset));
    return subset;
}

static void release(job *j) {
    free(j->out);
    rkhs_model_free(j->model);
    rkhs_data_free(j->labels);
    rkhs_data_free(j->z);
    rkhs_data_free(j->fresh);
    rkhs_data_free(j->y);
    rkhs_data_free(j->x);
}

/* The same job on a few rows: starts the threads and BLAS, which a program does once. */
static void warm_up(void (*run)(job *), const job *real) {
    job j = *real;
    j.x = first_rows(real->x);
    j.y = real->y && strcmp(rkhs_data_kind(real->y), "index") == 0 ? NULL : first_rows(real->y); /* names more rows */
    j.fresh = first_rows(real->fresh);
    j.z = first_rows(real->z);
    j.labels = first_rows(real->labels);
    if (run != run_read) run(&j);
    release(&j);
}

/* Runs a job: its seconds, and those of all processors. */
static void take(void (*run)(job *), job *j, double took[2]) {
    double start = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    run(j);
    took[0] = seconds(CLOCK_MONOTONIC) - start;
    took[1] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
}

/* Gives back what a job has made, so that it can be done again. */
static void forget(void (*run)(job *), job *j) {
    free(j->out);
    j->out = NULL;
    if (run == run_fit) rkhs_model_free(j->model), j->model = NULL;
    if (run == run_read) rkhs_data_free(j->x), j->x = NULL;
}

static void measure(void (*run)(job *), job *j) {
    double took[TIMES][2], less[2] = {0, 0};
    int times = 0;
    warm_up(run, j);
    if (run == run_transform) run_fit(j);
    heat();
    if (j->less_spec) {
        job other = {.model_spec = j->less_spec, .kernel = j->kernel, .x = j->x, .y = j->y};
        take(run_fit, &other, less);
        rkhs_model_free(other.model);
    }
    nanosleep(&(struct timespec){.tv_nsec = REST}, NULL);
    reset_peak();
    double held = memory("VmRSS");
    do {
        if (times) forget(run, j);
        take(run, j, took[times]);
    } while (took[times++][0] < 1e-3 * SHORT && times < TIMES && !j->less_spec);
    double rose = memory("VmHWM") - held;
    report(took, times, less, rose);
}

/* What was made, as an array of NumPy. */
static void write_out(const job *j, const char *path) {
    rkhs_data *made;
    int64_t n = j->out_rows, dim = j->out_columns;
    const double *values = j->out ? j->out : j->model ? rkhs_model_embedding(j->model, &n, &dim) : NULL;
    if (!values) {
        check(rkhs_data_write(j->x, path, "npy"));
        return;
    }
    check(rkhs_data_dense(env, values, n, dim, dim, &made));
    check(rkhs_data_write(made, path, "npy"));
    rkhs_data_free(made);
}

int main(int argc, char **argv) {
    void (*run)(job *) = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof jobs / sizeof *jobs; i++)
        if (strcmp(argv[1], jobs[i].name) == 0) run = jobs[i].run;
    const char *x = option(argc, argv, "--x"), *kernel = option(argc, argv, "--kernel"), *out = option(argc, argv, "--out"),
               *threads = option(argc, argv, "--threads"), *calls = option(argc, argv, "--calls"),
               *labels = option(argc, argv, "--labels"), *triplets = option(argc, argv, "--triplets");
    job j = {.path = x,
             .model_spec = option(argc, argv, "--model"),
             .less_spec = option(argc, argv, "--less"),
             .calls = calls ? atoi(calls) : 1};
    read_specs(&j, option(argc, argv, "--specs"));
    int model = run == run_fit || run == run_transform;
    if (!run || !x || (run == run_gram && !kernel) || (model && !j.model_spec) ||
        (run == run_transform && !option(argc, argv, "--new")) ||
        (run == run_score && (!j.specs || !option(argc, argv, "--z"))))
        return fputs("usage: see the head of bench_core.c\n", stderr), 2;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    check(rkhs_env_set_threads(env, threads ? atoi(threads) : 0));
    if (kernel) check(rkhs_kernel_new(env, kernel, &j.kernel));
    if (run != run_read) j.x = read_data(x, j.kernel);
    j.y = read_data(option(argc, argv, "--y"), NULL);
    if (triplets) check(rkhs_data_read_index(env, triplets, NULL, rkhs_data_rows(j.x), &j.y));
    j.fresh = read_data(option(argc, argv, "--new"), j.kernel);
    j.z = read_data(option(argc, argv, "--z"), NULL);
    if (labels) check(rkhs_data_read_labels(env, labels, NULL, &j.labels));
    measure(run, &j);
    if (out) write_out(&j, out);
    release(&j);
    rkhs_kernel_free(j.kernel);
    rkhs_env_free(env);
    return 0;
}
