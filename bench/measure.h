/* measure.h: what the programs of the bench share: clocks, memory, and the line that bench.py reads. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { REST = 40000000 };        /* nanoseconds before a job: BLAS threads wait busily at first */
enum { SHORT = 50, TIMES = 15 }; /* a job below SHORT milliseconds is done at most TIMES times */
#define TINY 1e-6                /* seconds */

static inline double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A line "VmHWM:  123 kB" of the process's status, in bytes; 0 where there is no such file. */
static inline double memory(const char *name) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtod(line + strlen(name) + 1, NULL);
    fclose(file);
    return 1024 * kilobytes;
}

/* Makes the high-water mark what is held now: reading a file must not hide the peak of the job. getrusage's
 * ru_maxrss would not do: it begins with the peak of the process that started this one. */
static inline void reset_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

/* Touches memory and gives it back, as much as BENCH_HEAT says: a virtual machine gets its memory from the host when
 * it first touches it, and that would fall on whoever comes first. */
static inline void heat(void) {
    const char *text = getenv("BENCH_HEAT");
    size_t bytes = text ? (size_t)strtoull(text, NULL, 10) : 0;
    if (!bytes) return;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return;
    madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 1, bytes);
    munmap(p, bytes);
}

/* Doubles for a result. Huge pages, as NumPy asks for them for its own arrays. */
static inline double *array(int64_t count) {
    size_t page = 2 << 20, bytes = ((size_t)count * sizeof(double) + page - 1) / page * page;
    void *p = aligned_alloc(page, bytes);
    if (!p) exit(1);
    madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

static inline int by_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value of an option, or NULL. */
static inline char *option(int argc, char **argv, const char *name) {
    for (int i = 2; i + 1 < argc; i += 2)
        if (strcmp(argv[i], name) == 0) return argv[i + 1];
    return NULL;
}

/* What is left of a time when another is taken off: of a tiny job that may be more than it took. */
static inline double left(double took, double less) { return took - less > TINY ? took - less : TINY; }

/* The kernels that OpenBLAS chose for this processor, or was told to use by OPENBLAS_CORETYPE. */
static inline const char *blas_core(void) {
    char *(*name)(void);
    *(void **)&name = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    return name ? name() : "unknown";
}

/* The median of `times` runs, as one JSON line. */
static inline void report(double (*took)[2], int times, const double less[2], double rose) {
    qsort(took, (size_t)times, sizeof *took, by_seconds);
    const double *median = took[times / 2];
    printf("{\"seconds\": %.9f, \"cpu\": %.9f, \"peak\": %.0f, \"blas\": \"%s\"}\n", left(median[0], less[0]),
           left(median[1], less[1]), rose, blas_core());
}

#endif
