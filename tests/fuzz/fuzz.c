/* fuzz.c: the driver of every fuzz target: an env, a file in memory, and after each input a look at what stays
 * behind. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

const char *fuzz_file(const uint8_t *bytes, size_t count) {
    static char name[64];
    static int fd = -1;
    if (fd < 0) fd = memfd_create("fuzz", 0);
    FUZZ_HOLDS(fd >= 0);
    FUZZ_HOLDS(ftruncate(fd, 0) == 0);
    FUZZ_HOLDS(pwrite(fd, bytes, count, 0) == (ssize_t)count);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return name;
}

void fuzz_status(rkhs_env *env, rkhs_status status) {
    const char *message = rkhs_env_message(env);
    FUZZ_HOLDS(status != RKHS_ERR_BUG);
    FUZZ_HOLDS((status == RKHS_OK) == (message[0] == 0));
}

/* Sums up data, so that a pointer that is wrong is followed. */
static double look_at(const rkhs_data *x) {
    int64_t ld = 0, classes = 0, rows = rkhs_data_rows(x), columns = rkhs_data_columns(x);
    const double *values = rkhs_data_values(x, &ld);
    const float *floats = rkhs_data_floats(x, &ld);
    const int64_t *codes = rkhs_data_codes(x, &classes);
    double sum = (double)strlen(rkhs_data_kind(x));
    FUZZ_HOLDS(rows >= 0 && columns >= 0);
    for (int64_t i = 0; values && i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            FUZZ_HOLDS(fabs(values[i * ld + j]) <= 1e150);
            sum += values[i * ld + j];
        }
    for (int64_t i = 0; floats && i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            FUZZ_HOLDS(isfinite(floats[i * ld + j]));
            sum += (double)floats[i * ld + j];
        }
    for (int64_t i = 0; i < rows; i++) {
        int64_t length = 0;
        const char *s = rkhs_data_string(x, i, &length);
        FUZZ_HOLDS(!s || (length >= 0 && !s[length]));
        for (int64_t q = 0; s && q < length; q++) sum += s[q];
    }
    rkhs_graph g;
    for (int64_t i = 0; i < rows && rkhs_data_graph(x, i, &g); i++)
        for (int64_t v = 0; v < g.vertices; v++)
            for (int64_t q = g.starts[v]; q < g.starts[v + 1]; q++)
                FUZZ_HOLDS(g.neighbours[q] >= 0 && g.neighbours[q] < g.vertices && g.neighbours[q] != v);
    for (int64_t i = 0; codes && i < rows; i++) FUZZ_HOLDS(codes[i] >= -1 && codes[i] < classes);
    for (int64_t c = 0; codes && c < classes; c++) sum += (double)strlen(rkhs_data_class_name(x, c));
    if (rkhs_data_labels(x)) {
        FUZZ_HOLDS(rkhs_data_rows(rkhs_data_labels(x)) == rows);
        sum += look_at(rkhs_data_labels(x));
    }
    return sum;
}

/* Sparse rows and bits are hidden, graphs have much to follow: they are looked at by comparing them with each other. */
static void compare(rkhs_env *env, const rkhs_data *x) {
    double K[16 * 16];
    rkhs_kernel *k;
    int graphs = strcmp(rkhs_data_kind(x), "graph") == 0;
    int hidden = strcmp(rkhs_data_kind(x), "sparse") == 0 || strcmp(rkhs_data_kind(x), "bits") == 0 || graphs;
    if (!hidden || rkhs_data_rows(x) > 16) return;
    FUZZ_HOLDS(rkhs_kernel_new(env, graphs ? "wl(h=2) + paths + graphlet" : "linear", &k) == RKHS_OK);
    fuzz_status(env, rkhs_kernel_gram(k, x, NULL, K, 16));
    rkhs_kernel_free(k);
}

void fuzz_look(rkhs_env *env, const rkhs_data *x) {
    static volatile double sink;
    (void)sink;
    sink = look_at(x);
    compare(env, x);
}

void fuzz_reader(rkhs_env *env, const char *const *specs, size_t count, int labels, const uint8_t *bytes, size_t length) {
    rkhs_data *x = NULL;
    if (length == 0) return;
    const char *spec = specs[bytes[0] % count], *path = fuzz_file(bytes + 1, length - 1);
    rkhs_status status = labels ? rkhs_data_read_labels(env, path, spec, &x) : rkhs_data_read(env, path, spec, &x);
    fuzz_status(env, status);
    FUZZ_HOLDS((status == RKHS_OK) == (x != NULL));
    if (x) fuzz_look(env, x);
    rkhs_data_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static rkhs_env *env; /* one for all inputs: to make one, files of the system are read */
    if (!env) {
        FUZZ_HOLDS(rkhs_env_new(&env) == RKHS_OK);
        FUZZ_HOLDS(rkhs_env_set_threads(env, 1) == RKHS_OK);
    }
    rkhs_env_set_memory(env, FUZZ_MEMORY);
    fuzz_one(env, bytes, count);
    FUZZ_HOLDS(env->scratch == NULL);
    FUZZ_HOLDS(atomic_load(&env->used) == 0);
    return 0;
}
