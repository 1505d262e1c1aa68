/* bench_core.c: one measured job of the library, in a process of its own; bench.py calls it.
 *
 *     bench_core gram      THREADS KERNEL X.npy [-k K.npy]
 *     bench_core fit       THREADS KERNEL X.npy [-z Z.npy] [-m MODEL.rkhs]
 *     bench_core transform THREADS KERNEL X.npy NEW.npy [-z Z.npy]
 *
 * Prints one JSON line: the seconds of the job alone, and how far memory rose above what was held before it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "rkhs.h"

#define MODEL "kpca(dim=2)"

static rkhs_env *env;

static void check(rkhs_status status) {
    if (status == RKHS_OK) return;
    fprintf(stderr, "bench_core: %s\n", rkhs_env_message(env));
    exit(1);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A line "VmHWM:  123 kB" of the process's status, in bytes; 0 where there is no such file. */
static double memory(const char *name) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtod(line + strlen(name) + 1, NULL);
    fclose(file);
    return 1024 * kilobytes;
}

/* Makes the high-water mark what is held now: reading a file must not hide the peak of the job. getrusage's ru_maxrss would not
 * do: it begins with the peak of the process that started this one. */
static void reset_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

/* Doubles for a result. Huge pages, as NumPy asks for them for its own arrays. */
static double *array(int64_t count) {
    size_t page = 2 << 20, bytes = ((size_t)count * sizeof(double) + page - 1) / page * page;
    void *p = aligned_alloc(page, bytes);
    if (!p) exit(1);
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static rkhs_data *read_data(const char *path) {
    rkhs_data *x;
    check(rkhs_data_read(env, path, NULL, &x));
    return x;
}

static void write_array(const double *values, int64_t n, int64_t p, const char *path) {
    rkhs_data *x;
    check(rkhs_data_dense(env, values, n, p, p, &x));
    check(rkhs_data_write(x, path, NULL));
    rkhs_data_free(x);
}

/* A job: its inputs, and what it made. */
typedef struct job {
    rkhs_kernel *kernel;
    rkhs_data *x, *fresh;
    rkhs_model *model;
    double *out; /* K or Z */
    int64_t out_rows, out_columns;
} job;

static void run_gram(job *j) {
    j->out_rows = j->out_columns = rkhs_data_rows(j->x);
    j->out = array(j->out_rows * j->out_columns);
    check(rkhs_kernel_gram(j->kernel, j->x, NULL, j->out, j->out_columns));
}

static void run_fit(job *j) {
    check(rkhs_model_new(env, MODEL, &j->model));
    check(rkhs_model_fit(j->model, j->kernel, j->x, NULL, NULL));
}

static void run_transform(job *j) {
    if (!j->model) run_fit(j);
    j->out_rows = rkhs_data_rows(j->fresh);
    j->out_columns = 2;
    j->out = array(j->out_rows * j->out_columns);
    check(rkhs_model_transform(j->model, j->fresh, j->out, j->out_columns));
}

static rkhs_data *first_rows(const rkhs_data *x, int64_t count) {
    int64_t index[256];
    rkhs_data *subset;
    for (int64_t i = 0; i < count; i++) index[i] = i;
    check(rkhs_data_subset(x, index, count, &subset));
    return subset;
}

/* The same job on a few rows: starts the threads and BLAS, which a program does once. */
static void warm_up(void (*run)(job *), const job *real) {
    int64_t few = rkhs_data_rows(real->x) < 256 ? rkhs_data_rows(real->x) : 256;
    job j = {.kernel = real->kernel, .x = first_rows(real->x, few)};
    j.fresh = real->fresh ? first_rows(real->fresh, few) : NULL;
    run(&j);
    free(j.out);
    rkhs_model_free(j.model);
    rkhs_data_free(j.fresh);
    rkhs_data_free(j.x);
}

static void measure(void (*run)(job *), job *j) {
    warm_up(run, j);
    if (run == run_transform) run_fit(j);
    reset_peak();
    double held = memory("VmRSS"), start = seconds();
    run(j);
    double took = seconds() - start;
    printf("{\"seconds\": %.6f, \"peak\": %.0f}\n", took, memory("VmHWM") - held);
}

static void write_results(const job *j, int count, char **options) {
    int64_t n = j->out_rows, dim = j->out_columns;
    const double *out = j->out ? j->out : rkhs_model_embedding(j->model, &n, &dim);
    for (int i = 0; i + 1 < count; i += 2) {
        if (strcmp(options[i], "-m") == 0)
            check(rkhs_model_save(j->model, options[i + 1]));
        else
            write_array(out, n, dim, options[i + 1]);
    }
}

int main(int argc, char **argv) {
    if (argc < 5) return fputs("usage: see the head of bench_core.c\n", stderr), 2;
    void (*run)(job *) = strcmp(argv[1], "gram") == 0 ? run_gram : strcmp(argv[1], "fit") == 0 ? run_fit : run_transform;
    if (run == run_transform && argc < 6) return 2;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    check(rkhs_env_set_threads(env, atoi(argv[2])));

    job j = {0};
    check(rkhs_kernel_new(env, argv[3], &j.kernel));
    j.x = read_data(argv[4]);
    if (run == run_transform) j.fresh = read_data(argv[5]);
    measure(run, &j);
    int used = run == run_transform ? 6 : 5;
    write_results(&j, argc - used, argv + used);

    free(j.out);
    rkhs_model_free(j.model);
    rkhs_data_free(j.fresh);
    rkhs_data_free(j.x);
    rkhs_kernel_free(j.kernel);
    rkhs_env_free(env);
    return 0;
}
