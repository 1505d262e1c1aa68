/* fixtures.h: data sets by name, and spec texts for every kernel, gram and model that is listed, so that the
 * contract tests loop over the lists: what is added to a .def file is tested without writing a test. */
#ifndef RK_FIXTURES_H
#define RK_FIXTURES_H

#include <dirent.h>
#include <unistd.h>

#include "check.h"
#include "blas.h"
#include "model/model.h"
#include "score/score.h"

/* What is being looked at, for the messages. */
static char context[512];

#define LOOK_AT(...) snprintf(context, sizeof context, __VA_ARGS__)

/* As OK, with what is being looked at. */
#define FINE(env, call)                                                                                                        \
    do {                                                                                                                       \
        rkhs_status fine_status = (call);                                                                                      \
        if (fine_status != RKHS_OK) fail_msg("%s: %s: %s", context, #call, rkhs_env_message(env));                             \
    } while (0)

/* As FAILS, with what is being looked at. */
#define REFUSED(env, code, part, call)                                                                                         \
    do {                                                                                                                       \
        rkhs_status refused_status = (call);                                                                                   \
        if (refused_status != (code))                                                                                          \
            fail_msg("%s: %s gave %d, not %d: %s", context, #call, refused_status, code, rkhs_env_message(env));               \
        if (!says(rkhs_env_message(env), part))                                                                                \
            fail_msg("%s: %s: no '%s' in: %s", context, #call, part, rkhs_env_message(env));                                   \
    } while (0)

#define HOLDS(condition)                                                                                                       \
    do {                                                                                                                       \
        if (!(condition)) fail_msg("%s: not so: %s", context, #condition);                                                     \
    } while (0)

/* |a - b| <= tolerance * max(1, |b|) for each of count numbers; NaN fails. */
static inline void near_each(const char *what, const double *a, const double *b, int64_t count, double tolerance) {
    for (int64_t i = 0; i < count; i++) {
        double scale = fabs(b[i]) > 1 ? fabs(b[i]) : 1;
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("%s: %s: number %lld is %.17g, not %.17g, off by %.3g", context, what, (long long)i, a[i], b[i],
                     a[i] - b[i]);
    }
}

static inline double largest(const double *a, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* |a - b| <= tolerance * the largest |b|; NaN fails. */
static inline void near_all(const char *what, const double *a, const double *b, int64_t count, double tolerance) {
    double scale = largest(b, count);
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("%s: %s: number %lld is %.17g, not %.17g, off by %.3g of %.3g", context, what, (long long)i, a[i], b[i],
                     a[i] - b[i], scale);
}

static inline void same_bits(const char *what, const double *a, const double *b, int64_t count) {
    if (memcmp(a, b, (size_t)count * sizeof *a) == 0) return; /* one call: sanitizers make each dear */
    for (int64_t i = 0; i < count; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0)
            fail_msg("%s: %s: number %lld is %.17g, not %.17g to the bit", context, what, (long long)i, a[i], b[i]);
}
static inline void all_finite(const char *what, const double *a, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(a[i])) fail_msg("%s: %s: number %lld is %g", context, what, (long long)i, a[i]);
}

/* ---- env and memory -------------------------------------------------------------------------------------------- */

/* An env on one thread; *state is the env. Internals are called without the guard of the public functions, so it
 * stands here. */
static inline int env_setup(void **state) {
    rkhs_env *env;
    if (blas_begin() || rkhs_env_new(&env) != RKHS_OK || rkhs_env_set_threads(env, 1) != RKHS_OK) return -1;
    *state = env;
    return 0;
}

/* Whatever the env still holds is a leak. */
static inline int env_teardown(void **state) {
    rkhs_env *env = *state;
    rk_pool_free(env);
    size_t used = atomic_load(&env->used);
    if (used) fprintf(stderr, "%zu bytes are still in use\n", used);
    rkhs_env_free(env);
    blas_end();
    return used != 0;
}

#define ENV_TEST(name) cmocka_unit_test_setup_teardown(name, env_setup, env_teardown)

/* Room on the env's scratch list, released by mark. */
static inline double *numbers(rkhs_env *env, int64_t count) {
    double *p;
    OK(env, rk_scratch(env, count, sizeof *p, &p));
    return p;
}
static inline int64_t *wholes(rkhs_env *env, int64_t count) {
    int64_t *p;
    OK(env, rk_scratch(env, count, sizeof *p, &p));
    return p;
}

/* count normal numbers that depend on `stream` alone. */
static inline double *normals(rkhs_env *env, int64_t count, int stream) {
    double *p = numbers(env, count);
    for (int64_t i = 0; i < count; i++) p[i] = rk_normal(7, RK_STREAM_TEST, (uint64_t)i, (uint64_t)stream);
    return p;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* An env and an empty folder, which becomes the current one. */
static char folder[64];

static inline int folder_setup(void **state) {
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/rkhs-contract-XXXXXX"
                                                 : "/tmp/rkhs-contract-XXXXXX"); /* fsync takes time */
    return env_setup(state) != 0 || !mkdtemp(folder) || chdir(folder) != 0;
}

static inline int files_here(void) {
    int count = 0;
    DIR *dir = opendir(".");
    for (struct dirent *e; (e = readdir(dir));) count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static inline int folder_teardown(void **state) {
    DIR *dir = opendir(".");
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.' || strlen(e->d_name) > 2) unlink(e->d_name);
    closedir(dir);
    int bad = chdir("/") != 0 || rmdir(folder) != 0;
    return env_teardown(state) || bad;
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

/* The bytes of a file, on the env's scratch list. */
static inline char *file_bytes(rkhs_env *env, const char *path, size_t *count) {
    char *bytes;
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *count = (size_t)ftell(in);
    rewind(in);
    OK(env, rk_scratch(env, (int64_t)*count + 1, 1, &bytes));
    assert_int_equal(fread(bytes, 1, *count, in), *count);
    fclose(in);
    bytes[*count] = 0;
    return bytes;
}

static inline void same_files(rkhs_env *env, const char *a, const char *b) {
    rk_mark mark = rk_scratch_mark(env);
    size_t na, nb;
    const char *x = file_bytes(env, a, &na), *y = file_bytes(env, b, &nb);
    if (na != nb || memcmp(x, y, na) != 0) fail_msg("%s: the files %s and %s differ", context, a, b);
    rk_scratch_release(env, mark);
}

/* ---- the log --------------------------------------------------------------------------------------------------- */

typedef struct remarks {
    const rkhs_env *env; /* if set, advice that a solver did not converge is counted apart, in a test with few steps */
    int advice, info, unfinished;
    char last[1024]; /* advice */
} remarks;

static inline void take_remark(rkhs_log_level level, const char *sentence, void *payload) {
    remarks *r = payload;
    if (level != RKHS_LOG_ADVICE) {
        r->info++;
        return;
    }
    if (r->env && strcmp(rkhs_env_log_subject(r->env), "convergence") == 0) {
        r->unfinished++;
        return;
    }
    r->advice++;
    snprintf(r->last, sizeof r->last, "%s", sentence);
}

/* ---- data by name ---------------------------------------------------------------------------------------------- */

typedef struct fixture_set {
    const char *name;
    unsigned kind;             /* of the kernels that it is for */
    int64_t p;                 /* columns; 0: as many as rows */
    int large;                 /* also for the tests that take many rows */
    double offset;             /* from the origin */
    int again, constant, zero; /* rows come three times; odd columns are constant; every fifth row is 0 */
    int bits;                  /* values are 0 or 1 */
    int counts;                /* no number is below 0, many are 0: only for the kernels that take no others */
    int64_t h, w;              /* of images */
} fixture_set;

static const fixture_set fixture_sets[] = {
    {.name = "small", .kind = RK_KIND_DENSE, .p = 3, .large = 1},
    {.name = "duplicates", .kind = RK_KIND_DENSE, .p = 4, .again = 1},
    {.name = "constant", .kind = RK_KIND_DENSE, .p = 5, .constant = 1},
    {.name = "offset", .kind = RK_KIND_DENSE, .p = 12, .large = 1, .offset = 1000},
    {.name = "wide", .kind = RK_KIND_DENSE, .p = 70, .large = 1},
    {.name = "column", .kind = RK_KIND_DENSE, .p = 1},
    {.name = "zeros", .kind = RK_KIND_DENSE, .p = 10, .zero = 1},
    {.name = "sparse", .kind = RK_KIND_SPARSE, .p = 90, .large = 1},
    {.name = "sparse duplicates", .kind = RK_KIND_SPARSE, .p = 30, .again = 1, .zero = 1},
    {.name = "zeros and ones", .kind = RK_KIND_DENSE, .p = 20, .bits = 1}, /* tanimoto packs them */
    {.name = "bits", .kind = RK_KIND_BITS, .p = 130, .large = 1, .bits = 1},
    {.name = "bits duplicates", .kind = RK_KIND_BITS, .p = 64, .again = 1, .zero = 1, .bits = 1},
    {.name = "labels", .kind = RK_KIND_LABELS, .p = 1, .large = 1},
    {.name = "counts", .kind = RK_KIND_DENSE, .p = 13, .large = 1, .counts = 1},
    {.name = "counts, duplicates", .kind = RK_KIND_DENSE, .p = 5, .again = 1, .zero = 1, .constant = 1, .counts = 1},
    {.name = "counts in a column", .kind = RK_KIND_DENSE, .p = 1, .counts = 1},
    {.name = "sparse counts", .kind = RK_KIND_SPARSE, .p = 70, .large = 1, .again = 1, .zero = 1, .counts = 1},
    {.name = "strings", .kind = RK_KIND_STRING, .p = 12, .large = 1},
    {.name = "string duplicates", .kind = RK_KIND_STRING, .p = 9, .again = 1, .zero = 1}, /* some are empty */
    {.name = "graphs", .kind = RK_KIND_GRAPH, .p = 7, .large = 1},
    {.name = "graph duplicates", .kind = RK_KIND_GRAPH, .p = 4, .again = 1, .zero = 1}, /* some have one vertex */
    {.name = "images", .kind = RK_KIND_IMAGE, .p = 30, .large = 1, .h = 6, .w = 5},
    {.name = "image duplicates", .kind = RK_KIND_IMAGE, .p = 27, .again = 1, .zero = 1, .h = 3, .w = 3}, /* colour */
    {.name = "drawings", .kind = RK_KIND_IMAGE, .p = 63, .counts = 1, .h = 9, .w = 7},
    {.name = "drawings, duplicates", .kind = RK_KIND_IMAGE, .p = 60, .again = 1, .counts = 1, .h = 4, .w = 5},
    {.name = "gram", .kind = RK_KIND_GRAM, .p = 0, .large = 1}, /* precomputed, positive definite */
    {.name = NULL},
};

static inline double fixture_value(const fixture_set *set, int64_t i, int64_t j, int64_t n) {
    if (set->again) i %= n / 3 + 1;
    if (set->constant && j % 2) return j == 1 ? 0 : 7.5;
    if (set->zero && i % 5 == 2) return 0;
    if (set->bits) return rk_uniform(5, RK_STREAM_TEST, (uint64_t)i, (uint64_t)j) < 0.2;
    if (set->kind == RK_KIND_SPARSE && rk_uniform(4, RK_STREAM_TEST, (uint64_t)i, (uint64_t)j) > 0.15) return 0;
    double v = set->offset + rk_normal(3, RK_STREAM_TEST, (uint64_t)i, (uint64_t)j);
    return set->counts ? fmax(v, 0) : v;
}

/* K, n x n, of points in the plane. */
static inline void fill_gram(rkhs_env *env, int64_t n, double *K) {
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, 2 * n, 100);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double square = pow(x[2 * i] - x[2 * j], 2) + pow(x[2 * i + 1] - x[2 * j + 1], 2);
            K[i * n + j] = K[j * n + i] = exp(-square / 4) + 0.1 * exp(-square * 4);
        }
    rk_scratch_release(env, mark);
}

/* A matrix, n x p, as sparse data: its numbers other than 0. */
static inline rkhs_data *sparse_copy(rkhs_env *env, const double *from, int64_t n, int64_t p) {
    int64_t count = 0, *starts;
    double *values;
    int32_t *columns;
    rkhs_data *x;
    for (int64_t i = 0; i < n * p; i++) count += from[i] != 0;
    OK(env, rk_data_sparse_new(env, n, p, count, &values, &columns, &starts, &x));
    for (int64_t i = 0, at = 0; i < n; i++) {
        const double *row = from + i * p;
        for (int64_t j = 0; j < p; j++)
            if (row[j] != 0) values[at] = row[j], columns[at++] = (int32_t)j;
        starts[i + 1] = at;
    }
    OK(env, rk_sparse_check(env, "fixture", x));
    return x;
}

/* A matrix of zeros and ones, n x p, as bits. */
static inline rkhs_data *bits_copy(rkhs_env *env, const double *from, int64_t n, int64_t p) {
    uint64_t *words;
    rkhs_data *x;
    OK(env, rk_data_bits_new(env, n, p, &words, &x));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p; j++)
            if (from[i * p + j] == 1) words[i * ((p + 63) / 64) + j / 64] |= UINT64_C(1) << j % 64;
    return x;
}

/* Four classes of unequal size: equal ones would give equal eigenvalues. */
static inline rkhs_data *unequal_labels(rkhs_env *env, int64_t n) {
    static const int64_t codes[] = {0, 1, 2, 3, 3, 2, 3, 1, 2, 3};
    static const char *const names[] = {"north", "east", "south", "west"};
    rk_mark mark = rk_scratch_mark(env);
    int64_t *all = wholes(env, n);
    rkhs_data *labels;
    for (int64_t i = 0; i < n; i++) all[i] = codes[i % 10];
    OK(env, rkhs_data_classes(env, all, n, names, 4, &labels));
    rk_scratch_release(env, mark);
    return labels;
}

/* Strings of up to 3p characters, most of them of some 'a', 'b', 'c' and blanks; their words are few. */
static inline rkhs_data *fixture_strings(rkhs_env *env, const fixture_set *set, int64_t n) {
    rk_mark mark = rk_scratch_mark(env);
    const char **strings;
    char *text;
    rkhs_data *x;
    OK(env, rk_scratch(env, n, sizeof *strings, &strings));
    OK(env, rk_scratch(env, n * (3 * set->p + 1), 1, &text));
    for (int64_t i = 0; i < n; i++, text += 3 * set->p + 1) {
        uint64_t row = (uint64_t)(set->again ? i % (n / 3 + 1) : i);
        int64_t length = set->p + (int64_t)(2 * (double)set->p * rk_uniform(5, RK_STREAM_TEST, row, 0));
        if (set->zero && row % 5 == 2) length = row % 2 ? 0 : 2;
        for (int64_t j = 0; j < length; j++)
            text[j] = "abc  aabcd"[(int)(10 * rk_uniform(5, RK_STREAM_TEST, row, (uint64_t)j + 1))];
        text[length] = 0;
        strings[i] = text;
    }
    OK(env, rkhs_data_strings(env, strings, NULL, n, &x));
    rk_scratch_release(env, mark);
    return x;
}

/* Graphs of p to 2p vertices with labels 0, 1, 2, three in ten pairs joined, by edges that have one of two labels. */
static inline rkhs_data *fixture_graphs(rkhs_env *env, const fixture_set *set, int64_t n) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t most = 2 * set->p, total = 0, labelled = 0, *vertices = wholes(env, n), *edges = wholes(env, n);
    int64_t *labels = wholes(env, n * most), *ends = wholes(env, n * most * most), *bonds = wholes(env, n * most * most);
    rkhs_data *x;
    for (int64_t i = 0; i < n; i++) {
        uint64_t row = (uint64_t)(set->again ? i % (n / 3 + 1) : i), draw = 1;
        vertices[i] = set->p + (int64_t)((double)set->p * rk_uniform(6, RK_STREAM_TEST, row, 0));
        if (set->zero && row % 5 == 2) vertices[i] = 1 + (int64_t)(row % 2);
        for (int64_t v = 0; v < vertices[i]; v++) {
            labels[labelled++] = (int64_t)(3 * rk_uniform(6, RK_STREAM_TEST, row, draw++));
            for (int64_t u = 0; u < v; u++) {
                double chance = rk_uniform(6, RK_STREAM_TEST, row, draw++);
                if (chance > 0.3) continue;
                ends[2 * total] = u;
                ends[2 * total + 1] = v;
                bonds[total++] = chance < 0.1 ? 4 : -1;
                edges[i]++;
            }
        }
    }
    OK(env, rkhs_data_graphs(env, n, vertices, edges, ends, labels, bonds, &x));
    rk_scratch_release(env, mark);
    return x;
}

/* n objects as a user gives them: a Gram is a square matrix of numbers. */
static inline rkhs_data *fixture_data(rkhs_env *env, const char *name, int64_t n) {
    const fixture_set *set = fixture_sets;
    rkhs_data *x;
    double *values;
    while (set->name && strcmp(set->name, name) != 0) set++;
    assert_non_null(set->name);
    if (set->kind == RK_KIND_LABELS) return unequal_labels(env, n);
    if (set->kind == RK_KIND_STRING) return fixture_strings(env, set, n);
    if (set->kind == RK_KIND_GRAPH) return fixture_graphs(env, set, n);
    OK(env, rk_data_dense_new(env, n, set->p ? set->p : n, &values, &x));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < set->p; j++) values[i * set->p + j] = fixture_value(set, i, j, n);
    if (!set->p) fill_gram(env, n, values);
    if (set->h) OK(env, rk_image_from_dense(env, &x, set->h, set->w, set->p / (set->h * set->w)));
    if (set->kind != RK_KIND_SPARSE && set->kind != RK_KIND_BITS) return x;
    rkhs_data *other = (set->kind == RK_KIND_SPARSE ? sparse_copy : bits_copy)(env, values, n, set->p);
    rkhs_data_free(x);
    return other;
}

/* n objects to learn from and `extra` new ones of the same kind. */
static inline void fixture_split(rkhs_env *env, const char *name, int64_t n, int64_t extra, rkhs_data **train,
                                 rkhs_data **fresh) {
    rkhs_data *all = fixture_data(env, name, n + extra);
    if (all->type->kind != RK_KIND_DENSE) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t *index = wholes(env, n + extra);
        for (int64_t i = 0; i < n + extra; i++) index[i] = i;
        OK(env, rkhs_data_subset(all, index, n, train));
        OK(env, rkhs_data_subset(all, index + n, extra, fresh));
        rk_scratch_release(env, mark);
        rkhs_data_free(all);
        return;
    }
    int64_t ld;
    const double *from = rkhs_data_values(all, &ld);
    int64_t p = all->columns == all->rows ? n : all->columns;
    double *to[2];
    OK(env, rk_data_dense_new(env, n, p, &to[0], train));
    OK(env, rk_data_dense_new(env, extra, p, &to[1], fresh));
    for (int64_t i = 0; i < n + extra; i++)
        memcpy(i < n ? to[0] + i * p : to[1] + (i - n) * p, from + i * ld, (size_t)p * sizeof *from);
    rkhs_data_free(all);
}

/* The rows at `index` of data as a user gives them; of a Gram the columns too. */
static inline rkhs_data *fixture_rows(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, int gram) {
    int64_t ld, p = gram ? count : x->columns;
    const double *from = rkhs_data_values(x, &ld);
    rkhs_data *out;
    double *to;
    if (x->type->kind != RK_KIND_DENSE) {
        OK(env, rkhs_data_subset(x, index, count, &out));
        return out;
    }
    OK(env, rk_data_dense_new(env, count, p, &to, &out));
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < p; j++) to[i * p + j] = from[index[i] * ld + (gram ? index[j] : j)];
    return out;
}

/* Labels 0, 1, 2, 0, ... for models that take a second data set. */
static inline rkhs_data *fixture_labels(rkhs_env *env, int64_t n) {
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *labels;
    int64_t *codes = wholes(env, n);
    for (int64_t i = 0; i < n; i++) codes[i] = i % 3;
    OK(env, rkhs_data_classes(env, codes, n, NULL, 3, &labels));
    rk_scratch_release(env, mark);
    return labels;
}

/* ---- kernels by text ------------------------------------------------------------------------------------------- */

/* Beyond the name alone, which every leaf kernel gets. */
static const char *const fixture_more_kernels[] = {
    "poly(degree=2, gamma=0.5, coef0=0)",
    "poly(degree=1, coef0=0.25)",
    "poly(degree=5, gamma=0.1)",
    "rbf(gamma=0.3)",
    "rbf(sigma=knn(3))",
    "laplacian(gamma=0.2)",
    "laplacian(sigma=knn(k=4))",
    "sigmoid(gamma=0.3, coef0=-0.5)",
    "matern(nu=0.5)",
    "matern(nu=2.5, sigma=knn(3))",
    "matern(gamma=0.4)",
    "rq(alpha=0.3)",
    "rq(alpha=2.5, gamma=0.2)",
    "cauchy(gamma=0.3)",
    "chi2(gamma=0.7)",
    "chi2(sigma=knn(3))",
    "relu(depth=3)",
    "ntk(depth=4)",
    "chi2*minmax + 0.5*intersection*rbf",
    "2*rbf(gamma=0.1)",
    "linear + rbf",
    "rbf*cosine",
    "2*linear + rbf(gamma=0.1)*cosine",
    "0.5*(linear + 2*rbf(sigma=median))*poly(degree=2)",
    "(linear + cosine)*(rbf + laplacian)",
    "3*(0.7*(rbf(gamma=0.5) + 0.1*cosine))",
    "rbf*(0.3*cosine)*(laplacian*poly)",
    "linear + (0.1*rbf + (cosine + 0.7*laplacian))",
    "tanimoto + 0.5*linear",
    "3*delta*delta",
    "(rbf(gamma=0.5) + 0.1*cosine)^3",
    "normalize(linear + poly(degree=2))",
    "center(rbf)",
    "0.5*center(2*rbf + cosine)*normalize(poly) + rbf(gamma=0.3)",
    "normalize(center(rbf))",
    "standardize(rbf)",
    "2*rbf(sigma=median)[0] + standardize(laplacian)[0,0]",
    "cosine[0,0] + (rbf + linear)[0]^2",
    "ssk(p=2, lambda=0.8, blended=true)",
    "ssk(p=1, by=byte, normalize=false)",
    "ssk(p=2, by=word)",
    "ssk(p=6, lambda=1, alphabet=\"abcd \")",
    "spectrum(p=1, by=word)",
    "spectrum(p=5, normalize=false)",
    "mismatch(p=3, m=2)",
    "words(idf=false, fold=false)",
    "0.5*spectrum(p=2) + words*ssk(p=3)",
    "wl(h=0, normalize=false)",
    "wl(h=2, edges=false)",
    "paths(labelled=false)",
    "graphlet(labelled=false, connected=false, normalize=false)",
    "0.5*wl(h=1) + paths*graphlet",
    "scigv(eta=0.01, points=12, bins=[3,8], base=chi2, position=0)",
    "igv(base=linear)",
    "0.5*igv(base=linear)*rbf + scigv(points=8, base=rbf, ink=dark)",
    "shift(rbf)",
    "0.5*normalize(shift(rbf(gamma=0.03) + center(cosine))) + standardize(linear)",
    "align(rbf(gamma=0.1))",
    "2*precomputed",
    "precomputed + 0.5*precomputed*precomputed",
    NULL,
};

/* The i-th text: every leaf by its name, then those above; NULL at the end. */
static inline const char *fixture_kernel(int i) {
    for (const rk_entry *const *e = rk_kernels.entries; *e; e++)
        if (((const rk_kernel_type *)*e)->children == 0 && i-- == 0) return (*e)->name;
    return fixture_more_kernels[i];
}

/* Whether a kernel takes no number below 0, or no image without ink. */
static inline int fixture_takes_counts(const char *text) {
    return strstr(text, "chi2") || strstr(text, "intersection") || strstr(text, "minmax") || strstr(text, "igv");
}

/* Whether a kernel may have negative eigenvalues, which factors and solvers refuse: grams and models are tested
 * without it. */
static inline int fixture_is_indefinite(const char *text) { return strstr(text, "sigmoid") || strstr(text, "align"); }

/* Whether a kernel is |x||y| times a function of the angle alone. */
static inline int fixture_is_network(const char *text) { return strstr(text, "relu") || strstr(text, "ntk"); }

/* Every kernel text with every data set of a kind that it takes. Begin with zeros; 0 at the end. */
typedef struct pairing {
    int large; /* only the sets for many rows, and leaves by their name alone */
    int brief; /* for grams and models: one data set is enough but for leaves by their name alone; 2: for these too */
    int kernel, set;
    const char *text, *data;
} pairing;

static inline int next_pairing(rkhs_env *env, pairing *p) {
    for (; (p->text = fixture_kernel(p->kernel)); p->kernel++, p->set = 0) {
        rkhs_kernel *k;
        OK(env, rkhs_kernel_new(env, p->text, &k));
        unsigned kinds = p->large && !k->children && strchr(p->text, '(') ? 0 : rk_kernel_kinds(k);
        if (p->brief && fixture_is_indefinite(p->text)) kinds = 0;
        rkhs_kernel_free(k);
        /* last: it has had its one data set */
        int last = p->set && (p->brief == 2 || (p->brief && strcspn(p->text, "(+*") < strlen(p->text)));
        while (!last && fixture_sets[p->set].name) {
            const fixture_set *set = &fixture_sets[p->set++];
            if (!(set->kind & kinds) || (p->large && !set->large) || set->counts != fixture_takes_counts(p->text)) continue;
            p->data = set->name;
            LOOK_AT("%s on %s", p->text, p->data);
            return 1;
        }
    }
    return 0;
}

/* A kernel, frozen on the first 100 objects, bound to n. */
typedef struct subject {
    rkhs_kernel *kernel;
    rkhs_data *x, *view;
    const rkhs_data *use; /* x as the kernel sees it */
    rk_bound *bound;
} subject;

static inline void subject_open(rkhs_env *env, const pairing *p, int64_t n, subject *s) {
    *s = (subject){.x = fixture_data(env, p->data, n)};
    rkhs_data *first = fixture_data(env, p->data, n < 100 ? n : 100);
    FINE(env, rkhs_kernel_new(env, p->text, &s->kernel));
    FINE(env, rkhs_kernel_freeze(s->kernel, first));
    rkhs_data_free(first);
    FINE(env, rk_kernel_coerce(s->kernel, s->x, NULL, &s->use, &s->view));
    FINE(env, rk_bind(env, s->kernel, s->use, NULL, &s->bound));
}
static inline void subject_close(rkhs_env *env, subject *s) {
    rk_unbind(env, s->bound);
    rkhs_kernel_free(s->kernel);
    rkhs_data_free(s->view);
    rkhs_data_free(s->x);
}

/* K of the subject with itself, n x n, on the scratch list. */
static inline double *subject_gram(rkhs_env *env, const subject *s) {
    double *K = numbers(env, s->x->rows * s->x->rows);
    FINE(env, rkhs_kernel_gram(s->kernel, s->x, NULL, K, s->x->rows));
    return K;
}

/* ---- grams and models by text ---------------------------------------------------------------------------------- */

typedef struct fixture_gram {
    const char *gram, *text;
    int whole; /* Phi Phi' is K itself for up to 60 objects */
    int given; /* what is kept depends on the order of the rows */
} fixture_gram;

/* Of a gram that is not here its name alone is tested, as an approximation; but see fixture_gram_at. */
static const fixture_gram fixture_more_grams[] = {
    {"exact", "exact", 1, 0},
    {"lazy", "lazy", 1, 0},
    {"nystrom", "nystrom", 1, 0},
    {"nystrom", "nystrom(landmarks=60, by=uniform)", 1, 0},
    {"nystrom", "nystrom(landmarks=60, by=kmeans)", 1, 0},
    {"nystrom", "nystrom(landmarks=15, by=rpcholesky)", 0, 1},
    {"nystrom", "nystrom(landmarks=15, by=kmeans)", 0, 1},
    {"nystrom", "nystrom(landmarks=15, by=uniform)", 0, 1},
    {"nystrom", "nystrom(by=given, rows=[0:10,20,12])", 0, 1},
    {NULL, NULL, 0, 0},
};

/* The i-th gram; 0 at the end. gram=auto stands for one of the others; random features are for some kernels alone, and
 * have tests of their own (test_random_features.c). */
static inline int fixture_gram_at(int i, fixture_gram *g) {
    for (const rk_entry *const *e = rk_grams.entries; *e; e++) {
        int known = ((const rk_gram_type *)*e)->choose || ((const rk_gram_type *)*e)->offers == RK_FEATURES;
        for (const fixture_gram *m = fixture_more_grams; m->gram; m++) {
            if (strcmp(m->gram, (*e)->name) != 0) continue;
            known = 1;
            *g = *m;
            if (i-- == 0) return 1;
        }
        *g = (fixture_gram){(*e)->name, (*e)->name, 0, 1};
        if (!known && i-- == 0) return 1;
    }
    return 0;
}

/* A gram built from text on a subject. */
typedef struct built {
    rk_spec *spec;
    rk_gram *g;
} built;

static inline built build(rkhs_env *env, const subject *s, const char *text) {
    built b;
    FINE(env, rk_spec_new(env, &rk_grams, text, &b.spec));
    FINE(env, rk_gram_new(env, b.spec, s->kernel, s->use, &b.g));
    return b;
}

static inline void unbuild(rkhs_env *env, built *b) { rk_gram_free(b->g), rk_spec_free(env, b->spec); }

/* Forgets stored features: what is computed from them afterwards goes chunk by chunk, as for many objects. */
static inline void forget_features(rkhs_env *env, rk_gram *g) {
    rk_free(env, g->raw);
    rk_free(env, g->Phi);
    g->raw = g->Phi = NULL;
}

/* Whether a gram offers what a model needs. */
static inline int fixture_serves(const rk_model_type *type, const fixture_gram *of) {
    unsigned needs = type->need.offers, offers = 0;
    for (const rk_entry *const *e = rk_grams.entries; *e; e++)
        if (strcmp((*e)->name, of->gram) == 0) offers = ((const rk_gram_type *)*e)->offers;
    return !needs || offers & needs;
}

/* Whether a model has a parameter. */
static inline int fixture_has(const rk_model_type *type, const char *name) {
    for (const rk_param *p = type->entry.params; p && p->name; p++)
        if (strcmp(p->name, name) == 0) return 1;
    return 0;
}

/* Whether a fitted model places new objects by its map, and so kept ones where they are. */
#define fixture_maps(m) (!(m)->type->way || (m)->type->way((m)->spec->self) == RK_PLACE_MAP)

/* "kpca(dim=2, gram=exact)", "krr(gram=exact)". */
static inline void fixture_spec(char *out, size_t room, const rk_model_type *type, int dim, const char *rest) {
    char first[32] = "",
         *few = type->nonconvex ? ", solver=lbfgs(max_iter=12)" : ""; /* how far it descends is no matter here */
    if (fixture_has(type, "dim")) snprintf(first, sizeof first, "dim=%d, ", dim);
    snprintf(out, room, "%s(%s%s%s)", type->entry.name, first, rest, few);
}

/* A score's name, with k where it has neighbours: "qnx(k=3)". */
static inline const char *fixture_score(const rk_entry *e, char *out, size_t room, int k) {
    snprintf(out, room, "%s", e->name);
    for (const rk_param *p = e->params; p && p->name; p++)
        if (strcmp(p->name, "k") == 0) snprintf(out, room, "%s(k=%d)", e->name, k);
    return out;
}

/* ---- models by text -------------------------------------------------------------------------------------------- */

static inline rkhs_model *fit_text(rkhs_env *env, const char *model, const char *kernel, const rkhs_data *x) {
    rkhs_model *m;
    rkhs_kernel *k;
    LOOK_AT("%s with %s", model, kernel);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, model, &m));
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    rkhs_kernel_free(k);
    return m;
}

/* One item of a report. */
static inline rkhs_item item_of(const rkhs_model *m, const char *name) {
    rkhs_item item = {0};
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
        if (strcmp(item.name, name) == 0) return item;
    fail_msg("%s: no '%s' in the report", context, name);
    return item;
}

/* B = A^-1 B, n x k, by elimination with pivots on the diagonal; A is destroyed. */
static inline void eliminate(int64_t n, double *A, int64_t k, double *B) {
    for (int64_t q = 0; q < n; q++)
        for (int64_t i = 0; i < n; i++) {
            if (i == q) continue;
            double by = A[i * n + q] / A[q * n + q];
            for (int64_t j = q; j < n; j++) A[i * n + j] -= by * A[q * n + j];
            for (int64_t c = 0; c < k; c++) B[i * k + c] -= by * B[q * k + c];
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) B[i * k + c] /= A[i * n + i];
}

#endif
