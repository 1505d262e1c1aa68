/* rkhs.h: kernel representation learning.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Given objects and a kernel, a model learns a few numbers for each object: the embedding. It embeds new objects, goes
 * back from an embedding to approximate objects, and is saved to and loaded from a file.
 *
 *     rkhs_env *env;  rkhs_data *x, *fresh;  rkhs_kernel *k;  rkhs_model *m;
 *     rkhs_env_new(&env);
 *     rkhs_data_read(env, "digits.npy", NULL, &x);
 *     rkhs_kernel_new(env, "rbf(sigma=median)", &k);
 *     rkhs_model_new(env, "kpca(dim=2)", &m);
 *     if (rkhs_model_fit(m, k, x, NULL, NULL) != RKHS_OK) puts(rkhs_env_message(env));
 *     rkhs_model_save(m, "digits.rkhs");
 *     rkhs_data_read(env, "new.csv", NULL, &fresh);
 *     rkhs_model_transform(m, fresh, Z, 2);
 *
 * There are four main types: an env (settings, callbacks, the last error message), data (a set of objects), a kernel
 * (how two objects compare) and a model. Kernels, models and other choices are named by a spec: a short text such as
 * "kpca(dim=2)".
 *
 * Five rules hold everywhere:
 *   1. A function that can fail returns rkhs_status. The message that says what happened is rkhs_env_message(env).
 *      When a function fails, an object that it would have made is NULL, and one that it would have changed is
 *      unchanged. Arrays of the caller that it fills (K, Z, ...) may be partly written.
 *   2. Everything made by _new, _read, _load, _copy, _subset, ... belongs to the caller, who releases it with the
 *      _free of its type. _free accepts NULL. The env is freed last. A pointer that a function returns from inside an
 *      object belongs to that object, and is valid until the object is changed or freed.
 *   3. Matrices are row-major doubles. `ld` is the distance, in numbers, between the starts of two rows. Rows are
 *      objects.
 *   4. rkhs_data_dense borrows the caller's array, which must outlive the data. rkhs_data_read_for may map a file. All
 *      other functions copy.
 *   5. An env and everything made with it belong to one thread at a time. Different envs are independent.
 *
 * What may run at the same time:
 *   - Threads: any number of envs may compute at the same time, each in its own thread. An env, with the data, kernels
 *     and models made with it, may move from thread to thread, but no two calls may use it at the same time, not even
 *     two that only read: each call writes its message, progress and memory count to the env. Only rkhs_env_fail may
 *     be called from any thread. LAPACK, which solves large dense eigenproblems, serves eight envs at a time; others
 *     wait.
 *   - Callbacks: progress and log run on the caller's thread. A user-defined kernel runs on several threads at a time,
 *     unless it is `serial`. On its own env, or on objects made with it, a callback may call only rkhs_env_fail and
 *     the functions that read the data it is given. It may use other envs freely.
 *   - fork: may be called at any time from any thread. It waits for BLAS calls in other threads, which are short. The
 *     child may use new envs, and envs that no thread was computing with. fork waits at most two seconds for another
 *     thread that is in LAPACK's dense eigensolver; after that, computations in the child fail with a message, but it
 *     may still exec.
 *   - Signals: the library installs no handlers and blocks no signals. A handler must not call the library: let it set
 *     a flag that the progress callback returns.
 *   - BLAS: while a call computes, OpenBLAS is set to one thread for the whole process. The previous count is restored
 *     afterwards.
 *
 * The same data, spec and seed give the same bits on any number of threads; VERSIONING.md says on which machines. */
#ifndef RKHS_H
#define RKHS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RKHS_API __attribute__((visibility("default")))
#else
#define RKHS_API
#endif

typedef struct rkhs_env rkhs_env;
typedef struct rkhs_data rkhs_data;
typedef struct rkhs_kernel rkhs_kernel;
typedef struct rkhs_model rkhs_model;
typedef struct rkhs_spec rkhs_spec;

typedef enum rkhs_status {
    RKHS_OK = 0,
    RKHS_ERR_ARGUMENT = 1,  /* invalid argument: NULL pointer, or the model is not fitted */
    RKHS_ERR_SPEC = 2,      /* a spec that cannot be used: an unknown name, a parameter out of bounds */
    RKHS_ERR_DATA = 3,      /* data that cannot be used: NaN, the wrong kind, another number of columns */
    RKHS_ERR_FORMAT = 4,    /* a file that is damaged, in another format than expected, or newer than this library */
    RKHS_ERR_IO = 5,        /* the operating system refused: no such file, no permission, disk full */
    RKHS_ERR_MEMORY = 6,    /* over the memory limit, or the system has no more memory */
    RKHS_ERR_NUMERIC = 7,   /* no numerical result: a Gram matrix must be positive semi-definite and is not */
    RKHS_ERR_CANCELLED = 8, /* the progress callback asked to stop */
    RKHS_ERR_BUG = 9        /* a bug in the library: please report it */
} rkhs_status;

/* The version of the library, "major.minor.patch". */
RKHS_API const char *rkhs_version(void);

/* A short description of a status, such as "wrong data". */
RKHS_API const char *rkhs_status_text(rkhs_status status);

/* ---- env: settings, callbacks, the last message ---------------------------------------------------------------- */

RKHS_API rkhs_status rkhs_env_new(rkhs_env **env);
RKHS_API void rkhs_env_free(rkhs_env *env);

/* The message of the last failure: what is wrong, where, which value, and what to do about it. Empty if nothing
 * failed. */
RKHS_API const char *rkhs_env_message(const rkhs_env *env);

/* What the last failure is about: the path of a file as it was given, or the name of a parameter. Empty if neither is
 * known, for example when data in memory are wrong. A path is cut after 1023 bytes. Programs should look at the status
 * and the subject; the message is for people. */
RKHS_API const char *rkhs_env_subject(const rkhs_env *env);

/* The argument that mends the last failure, for programs that have their own word for it: the tool adds "(--format
 * lines)" to the message, and Python "(format='lines')". It is NAME or NAME=VALUE; empty if there is none. The names
 * are by, format, kernel, label_column, labels, list (its value is a name of rkhs_list_name), model (a file that
 * rkhs_model_save wrote), new_labels, new_x, target, x. */
RKHS_API const char *rkhs_env_hint(const rkhs_env *env);

/* The number of threads to use. 0, the default, means all cores that this process may run on. It never changes a
 * result. */
RKHS_API rkhs_status rkhs_env_set_threads(rkhs_env *env, int threads);

/* The seed of all random numbers; the default is 0. */
RKHS_API rkhs_status rkhs_env_set_seed(rkhs_env *env, uint64_t seed);

/* The memory limit in bytes. 0, the default, means 80% of the memory of the machine, or of the process's control
 * group. A computation counts 2 MB for the working memory of BLAS. Under a limit on address space (ulimit -v),
 * OpenBLAS needs 128 MB of it for each env that computes, and as much for each of its own threads, which start with the
 * program: set OPENBLAS_NUM_THREADS=1 there, as the tool does. */
RKHS_API rkhs_status rkhs_env_set_memory(rkhs_env *env, size_t bytes);

/* Counts the caller's own arrays against the memory limit; call it before allocating them. Fails if that would exceed
 * the limit. A negative number of bytes gives memory back. */
RKHS_API rkhs_status rkhs_env_reserve(rkhs_env *env, int64_t bytes);

/* The limit in force, and the largest number of bytes held at any time so far. */
RKHS_API size_t rkhs_env_memory_limit(const rkhs_env *env);
RKHS_API size_t rkhs_env_memory_peak(const rkhs_env *env);

/* The progress of a long call. total is 0 when it is unknown. */
typedef struct rkhs_progress {
    const char *stage; /* "gram", "eigenvectors", "transform", ... */
    int64_t done, total;
} rkhs_progress;

/* Called on the caller's thread about ten times a second. A nonzero return value cancels the call, which then leaves
 * no partial object or file behind. */
typedef int (*rkhs_progress_fn)(const rkhs_progress *progress, void *payload);
RKHS_API void rkhs_env_set_progress(rkhs_env *env, rkhs_progress_fn fn, void *payload);

/* Remarks that are not failures: advice on the data, numbers that were chosen, what was left out. Each is one sentence
 * without a newline. */
typedef enum rkhs_log_level { RKHS_LOG_ADVICE = 0, RKHS_LOG_INFO = 1 } rkhs_log_level;
typedef void (*rkhs_log_fn)(rkhs_log_level level, const char *sentence, void *payload);
RKHS_API void rkhs_env_set_log(rkhs_env *env, rkhs_log_fn fn, void *payload);

/* While the log callback runs: what the remark is about, for programs, since sentences may change. "convergence": a
 * solver did not reach its tolerance. "time": the fit that begins takes over a minute. "OPENBLAS_CORETYPE": BLAS runs
 * on slow kernels, and this variable helps. Empty: something else. New subjects may appear. */
RKHS_API const char *rkhs_env_log_subject(const rkhs_env *env);

/* While the log callback runs: the parameter of the model that mends it, NAME=VALUE, as in
 * "gram=nystrom(landmarks=500)" or "solver=lbfgs(max_iter=2000)". Where the sentence names it, it does so with these
 * letters. Empty if there is none. */
RKHS_API const char *rkhs_env_log_hint(const rkhs_env *env);

/* ---- data: objects --------------------------------------------------------------------------------------------- */

/* n objects of p numbers each; the array is borrowed. Refuses NaN, Inf and magnitudes above 1e150, and names the
 * place. A Gram matrix is given in this form too: the kernel "precomputed" reads row i, column j as k(object i,
 * training object j). */
RKHS_API rkhs_status rkhs_data_dense(rkhs_env *env, const double *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data);

/* The same from floats, also borrowed. They stay floats, in half of the memory: kernels widen them a tile at a time, so
 * that results have the bits that the same numbers have as doubles. */
RKHS_API rkhs_status rkhs_data_float(rkhs_env *env, const float *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data);

/* n sparse objects with p columns, in compressed sparse row (CSR) form: row i has values[q] in column columns[q],
 * counted from 0, for starts[i] <= q < starts[i+1]. The columns of a row are ascending, without duplicates; all other
 * entries are 0. starts has n+1 entries, and the first is 0. Copied. Refuses what rkhs_data_dense refuses, and columns
 * out of order or out of range, and says where. */
RKHS_API rkhs_status rkhs_data_csr(rkhs_env *env, const double *values, const int32_t *columns, const int64_t *starts,
                                   int64_t n, int64_t p, rkhs_data **data);

/* n sets of `bits` bits, one row each, rows `stride` bytes apart. Bit c of a row is bit c % 8, counted from the
 * lowest, of its byte c / 8, as numpy.packbits(x, axis=1, bitorder="little") packs them, and as in the FPS files of
 * chemfp. Copied. Refuses a row that has a 1 after the last bit, and names it. */
RKHS_API rkhs_status rkhs_data_bits(rkhs_env *env, const uint8_t *packed, int64_t n, int64_t bits, int64_t stride,
                                    rkhs_data **data);

/* n images of height x width pixels with `channels` numbers each: 1 (grey), 3 (red, green, blue), or 4 (and opacity).
 * They lie one after another, as in an array of shape n x height x width x channels. Copied. Refuses what
 * rkhs_data_dense refuses. Kernels and models for vectors take an image as a vector of height*width*channels
 * numbers. */
RKHS_API rkhs_status rkhs_data_images(rkhs_env *env, const double *values, int64_t n, int64_t height, int64_t width,
                                      int64_t channels, rkhs_data **data);
/* The same from floats, which stay floats in the copy. */
RKHS_API rkhs_status rkhs_data_images_float(rkhs_env *env, const float *values, int64_t n, int64_t height, int64_t width,
                                            int64_t channels, rkhs_data **data);

/* n pairs (width 2) or triplets (width 3) of object indices, each from 0 to objects-1: "index rows". Copied. */
RKHS_API rkhs_status rkhs_data_index(rkhs_env *env, const int64_t *rows, int64_t n, int64_t width, int64_t objects,
                                     rkhs_data **data);

/* A positive for each of n objects (an object that belongs with it), and optionally a negative (one that does not):
 * row i is about object i. negative NULL: negatives are drawn at random. For models that take index rows. Copied.
 * Its subset of some rows belongs to the subset of the same rows of the objects. */
RKHS_API rkhs_status rkhs_data_pairs(rkhs_env *env, const rkhs_data *positive, const rkhs_data *negative, rkhs_data **data);

/* n strings: text, sequences, any bytes. lengths are in bytes; NULL: each string ends with a zero byte. The kernel
 * decides what a character is, and whether words are compared instead. Copied. */
RKHS_API rkhs_status rkhs_data_strings(rkhs_env *env, const char *const *strings, const int64_t *lengths, int64_t n,
                                       rkhs_data **data);

/* n undirected graphs. Graph i has vertices[i] >= 1 vertices, counted from 0, and edges[i] edges. ends has the two
 * ends of each edge, one after another, beginning with the first graph. labels: an integer for each vertex of all
 * graphs, or NULL. edge_labels: an integer for each edge, or NULL. A repeated edge counts once; an edge from a vertex
 * to itself is dropped, and the log says so. Copied. Refuses ends that are not vertices, and an edge with two
 * different labels, and says where. */
RKHS_API rkhs_status rkhs_data_graphs(rkhs_env *env, int64_t n, const int64_t *vertices, const int64_t *edges,
                                      const int64_t *ends, const int64_t *labels, const int64_t *edge_labels, rkhs_data **data);

/* n class labels: codes from 0 to classes-1, -1 for an object without a label, and a name for each code (names NULL:
 * the code in digits). Copied. A name that means "no label" in a file ("?", "NA", "", ...) means it here too. An
 * object without a label is in no class: scores that need labels leave its row out, and the log says how many they
 * are. */
RKHS_API rkhs_status rkhs_data_classes(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names,
                                       int64_t classes, rkhs_data **data);

/* Names for the columns of dense or sparse data, copied; NULL removes them. Files with a header bring their own. A
 * model keeps the names of its training data and matches new data by name: columns may be in any order; unknown
 * columns are left out, and the log names them; a missing column is refused by name. The same holds for two data sets
 * that a kernel or a score compares, or that are joined. If either side has no names, columns are matched by
 * position. */
RKHS_API rkhs_status rkhs_data_set_column_names(rkhs_data *data, const char *const *names);

/* Reads a file. "-" is standard input; gzip is detected and decompressed. `format` is a spec such as
 * "csv(label=species)"; NULL: chosen by the file's extension. Labels that the file contains are returned by
 * rkhs_data_labels. An array of n x height x width, optionally with 1, 3 or 4 channels as last dimension, is read as
 * images. So is a folder of PNG files of one size, in byte order of their names; their labels come from a table in the
 * folder, labels.csv or labels.tsv, with the columns file and label. In a table, a first column without a name in the
 * header that only numbers the rows is left out, and the log says so. */
RKHS_API rkhs_status rkhs_data_read(rkhs_env *env, const char *path, const char *format, rkhs_data **data);

/* The same, for a kernel. A file that can be read in more than one way is read as the kernel needs it: lines of text
 * for a string kernel, a table of numbers for the others. kernel NULL: not known yet. Arrays of 32-bit numbers stay
 * floats (rkhs_data_floats), which rkhs_data_read turns into doubles; a matrix for "precomputed" becomes doubles here
 * too. An NPY file in row order is mapped if it stays floats, or holds 64-bit numbers for "precomputed": it does not
 * count against the memory limit. Until the data are freed, that file may be replaced or removed, but it must not be
 * overwritten or truncated in place: the process would die of SIGBUS. */
RKHS_API rkhs_status rkhs_data_read_for(rkhs_env *env, const char *path, const char *format, const rkhs_kernel *kernel,
                                        rkhs_data **data);

/* Reads class labels: one column of numbers or words, or an NPY file of numbers or strings. An empty cell, ?, NA, N/A
 * and NaN mean "no label". */
RKHS_API rkhs_status rkhs_data_read_labels(rkhs_env *env, const char *path, const char *format, rkhs_data **labels);

/* Reads pairs or triplets of object indices: two or three columns of integers from 0 to objects-1. */
RKHS_API rkhs_status rkhs_data_read_index(rkhs_env *env, const char *path, const char *format, int64_t objects,
                                          rkhs_data **data);

/* Writes data or labels. `format` is a spec; NULL: chosen by the file's extension. The file appears complete or not at
 * all. "-" is standard output. */
RKHS_API rkhs_status rkhs_data_write(const rkhs_data *data, const char *path, const char *format);

/* Writes several files together. After rkhs_files_begin, every file that this env writes waits under a hidden name
 * beside its target. rkhs_files_commit gives all of them their names, or none; at no moment is a target missing.
 * rkhs_files_drop removes the waiting files; it may be called at any time. On file systems that cannot exchange two
 * names (NFS), a failed commit may leave some files replaced; the message names them. Standard output, pipes and
 * devices are written at once. */
RKHS_API rkhs_status rkhs_files_begin(rkhs_env *env);
RKHS_API rkhs_status rkhs_files_commit(rkhs_env *env);
RKHS_API void rkhs_files_drop(rkhs_env *env);

/* Writes the caller's own bytes in the same way: complete or not at all; "-" is standard output. */
RKHS_API rkhs_status rkhs_bytes_write(rkhs_env *env, const void *bytes, size_t count, const char *path);

/* Checks whether rkhs_data_write could write numbers to a file of that name. *name (or NULL) becomes the name of the
 * format that it would use; it is a constant. Touches no file. */
RKHS_API rkhs_status rkhs_format_check(rkhs_env *env, const char *path, const char *format, const char **name);

/* Joins the rows of a Gram matrix that were computed in parts (rkhs_kernel_gram_rows) into one NPY file, without
 * holding them in memory. The parts are given in row order. Refuses parts that leave rows out, or that do not form a
 * matrix that is symmetric to the bit, and says where, and in which files. */
RKHS_API rkhs_status rkhs_data_merge_gram(rkhs_env *env, const char *const *parts, int64_t count, const char *path);

/* Draws a synthetic data set with labels: "circles(n=380, noise=0.5)". rkhs_list_type("samples", ...) lists them. */
RKHS_API rkhs_status rkhs_data_sample(rkhs_env *env, const char *spec, rkhs_data **data);

/* The objects at `index`, with their labels. Copied. */
RKHS_API rkhs_status rkhs_data_subset(const rkhs_data *data, const int64_t *index, int64_t count, rkhs_data **subset);

/* The objects of `count` data sets of one kind and width, one after another. Copied. Labels are joined if all parts
 * have them. */
RKHS_API rkhs_status rkhs_data_join(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data **joined);

/* Randomly changed variants of objects that keep their meaning: "noise(0.1)", "shift(2)" of images, "edit" of strings,
 * ... spec NULL: the default for that kind of data. Variant i is a function of object i, the env's seed and i. */
RKHS_API rkhs_status rkhs_data_augment(rkhs_env *env, const rkhs_data *data, const char *spec, rkhs_data **augmented);

RKHS_API const char *rkhs_data_kind(const rkhs_data *data); /* "dense", "sparse", "string", "bits", "image", ... */
RKHS_API int64_t rkhs_data_rows(const rkhs_data *data);
RKHS_API int64_t rkhs_data_columns(const rkhs_data *data);
RKHS_API const char *rkhs_data_column_name(const rkhs_data *data, int64_t column); /* column from 0; NULL: no name */
/* The numbers of dense data and of images, doubles or floats: one of the two returns NULL, and both do for other
 * kinds. Floats come from rkhs_data_float, rkhs_data_read_for, and models fitted on such data. */
RKHS_API const double *rkhs_data_values(const rkhs_data *data, int64_t *ld);
RKHS_API const float *rkhs_data_floats(const rkhs_data *data, int64_t *ld);
/* The arrays of sparse data, as rkhs_data_csr takes them (each may be NULL). Returns 0 if the data are not sparse. */
RKHS_API int rkhs_data_sparse(const rkhs_data *data, const double **values, const int32_t **columns, const int64_t **starts);
/* Height, width and channels of images (each may be NULL). Returns 0 if the data are not images. */
RKHS_API int rkhs_data_shape(const rkhs_data *data, int64_t *height, int64_t *width, int64_t *channels);
/* Writes row i of dense, image, sparse, bit or index data as `columns` numbers. Returns 0 for other kinds of data, or
 * if there is no row i. */
RKHS_API int rkhs_data_row(const rkhs_data *data, int64_t i, double *row);
/* String i, counted from 0, followed by a zero byte; NULL if there is none. length may be NULL. */
RKHS_API const char *rkhs_data_string(const rkhs_data *data, int64_t i, int64_t *length);
/* A graph, read-only. The neighbours of vertex v are neighbours[starts[v]] to neighbours[starts[v+1]-1], ascending.
 * edge_labels has the labels of these edges in the same order. labels and edge_labels are NULL where there are
 * none. */
typedef struct rkhs_graph {
    int64_t vertices;
    const int64_t *labels, *starts;
    const int32_t *neighbours;
    const int64_t *edge_labels;
} rkhs_graph;
/* Graph i, counted from 0. Returns 0 if there is none. */
RKHS_API int rkhs_data_graph(const rkhs_data *data, int64_t i, rkhs_graph *graph);
RKHS_API const rkhs_data *rkhs_data_labels(const rkhs_data *data);                  /* read with it, or NULL */
RKHS_API const int64_t *rkhs_data_codes(const rkhs_data *labels, int64_t *classes); /* one each; -1: no label */
RKHS_API const char *rkhs_data_class_name(const rkhs_data *labels, int64_t code);
RKHS_API void rkhs_data_free(rkhs_data *data);

/* ---- kernel: how two objects compare --------------------------------------------------------------------------- */

/* Makes a kernel from a spec: "rbf(sigma=median)". rkhs_list_type("kernels", ...) lists them. Kernels combine: weights
 * 2*k, sums a + b, products a*b, powers k^3, normalize(k), center(k), standardize(k), and groups of columns k[0,4:7],
 * counted from 0, where a range excludes its last column: "2*standardize(rbf)[12:16] + cosine[0,4]^2". */
RKHS_API rkhs_status rkhs_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel);

/* The spec of an equal kernel. What a frozen kernel has learnt beyond its parameters (the vocabulary of `words`) is in
 * copies and model files, but not in this text. */
RKHS_API const char *rkhs_kernel_text(const rkhs_kernel *kernel);

/* Replaces bandwidth rules such as sigma=median by numbers computed from the data, and lets the kernel learn what else
 * it takes from them (`words`: its vocabulary). A fit does this on a copy of its kernel. A kernel that is frozen
 * already stays unchanged. */
RKHS_API rkhs_status rkhs_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data);

/* Computes the Gram matrix K[i*ld + j] = k(a_i, b_j), with a row for each object of a and a column for each of b. b
 * NULL: a with itself, symmetric to the bit. Bandwidth rules are computed from a, on a copy of the kernel; `center`
 * uses the mean of a. */
RKHS_API rkhs_status rkhs_kernel_gram(const rkhs_kernel *kernel, const rkhs_data *a, const rkhs_data *b, double *K, int64_t ld);

/* Computes the rows `from` to `to`-1 of the Gram matrix of x with itself, (to-from) x n, with the same bits as in the
 * whole matrix, so that several machines of one kind can compute parts that fit together. Bandwidth rules are computed
 * from all of x, on a copy. Multiples of 256 for `from` and `to` waste no work. */
RKHS_API rkhs_status rkhs_kernel_gram_rows(const rkhs_kernel *kernel, const rkhs_data *x, int64_t from, int64_t to, double *K,
                                           int64_t ld);

/* Whether a kernel is, or is made with, the kernel type of that name: "precomputed" in "2*precomputed". */
RKHS_API int rkhs_kernel_uses(const rkhs_kernel *kernel, const char *type);

RKHS_API rkhs_status rkhs_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy);
RKHS_API void rkhs_kernel_free(rkhs_kernel *kernel);

/* A user-defined kernel is one function: rkhs_pair_fn computes one value k(a_i, b_j); rkhs_block_fn computes a block
 * out[i*ld + j] = k(a_{i0+i}, b_{j0+j}) of at most 256 x 256 values, which is faster where values share work. Values
 * must be finite, and k(x, y) = k(y, x). Any return value but RKHS_OK stops the computation, which fails with that
 * status; rkhs_env_fail sets the message. The function must do nothing else with the env. */
typedef rkhs_status (*rkhs_pair_fn)(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j, double *value, void *payload);
typedef rkhs_status (*rkhs_block_fn)(const rkhs_data *a, int64_t i0, int64_t ni, const rkhs_data *b, int64_t j0, int64_t nj,
                                     double *out, int64_t ld, void *payload);

/* Set exactly one of pair and block. Fields that are not used are 0. */
typedef struct rkhs_user_kernel {
    rkhs_pair_fn pair;   /* one value, or */
    rkhs_block_fn block; /* a block of values */
    void *payload;       /* passed to the function */
    const char *kinds;   /* the kinds of data that it takes, named as by rkhs_data_kind: "dense, sparse"; NULL: dense */
    int psd;             /* 1: known to be positive semi-definite */
    int serial;          /* 1: called only on the caller's own thread; 0: on several threads at a time */
    int floats;          /* 1: also takes floats, by rkhs_data_floats or rkhs_data_row; 0: gets a copy in doubles */
} rkhs_user_kernel;

/* Adds a kernel to this env under a name (letters, digits, _), which specs then use like any other: "2*mine[0:3] +
 * rbf". A model file stores only the name: add the kernel to the env again before rkhs_model_load. The function and
 * the payload must outlive the env. */
RKHS_API rkhs_status rkhs_env_add_kernel(rkhs_env *env, const char *name, const rkhs_user_kernel *kernel);

/* For callbacks, on any thread: sets the message, unless there is one already, and returns `status`. */
RKHS_API rkhs_status rkhs_env_fail(rkhs_env *env, rkhs_status status, const char *sentence);

/* ---- model: what is learned ------------------------------------------------------------------------------------ */

/* Makes a model, not yet fitted, from a spec: "kpca(dim=2, gram=nystrom(landmarks=500))". */
RKHS_API rkhs_status rkhs_model_new(rkhs_env *env, const char *spec, rkhs_model **model);

/* Fits the model to x. kernel NULL: the model's default for that kind of data. y: a second data set (labels, targets
 * or index rows), for models that take one; else NULL. start: an embedding for the optimiser to begin with, for models
 * that take one; else NULL. A fit that fails or is cancelled leaves the model unchanged. */
RKHS_API rkhs_status rkhs_model_fit(rkhs_model *model, const rkhs_kernel *kernel, const rkhs_data *x, const rkhs_data *y,
                                    const rkhs_data *start);

/* The embedding of the training objects, n x dim, with ld = dim. NULL before a fit. */
RKHS_API const double *rkhs_model_embedding(const rkhs_model *model, int64_t *n, int64_t *dim);

/* Embeds new objects: Z[i*ld] to Z[i*ld + dim-1] is the place of object i (out-of-sample placement). It depends on
 * that object alone, not on the others in x. Objects whose kernel values with the model's objects are all 0 get one
 * common point; the log says how many they are. */
RKHS_API rkhs_status rkhs_model_transform(const rkhs_model *model, const rkhs_data *x, double *Z, int64_t ld);

/* Chooses how rkhs_model_transform places new objects from now on. "map": by the model's function of kernel values;
 * "refine": by minimising the model's objective for each object, with the embedding held fixed; "neighbour": at the
 * point where refine begins. NULL: as the model's parameter `place` says. Refuses a way that the model does not
 * have. */
RKHS_API rkhs_status rkhs_model_set_place(rkhs_model *model, const char *way);

/* Explains where a map places objects. A map is a sum over the objects l that the model keeps
 * (rkhs_model_reference_objects), z(x) = sum_l w_l B_l + c, with w_l from the kernel value of x and l, rows B_l of
 * coefficients and an offset c. The influence of l is |w_l| |B_l|. It is a pull if w_l B_l points from c towards z(x),
 * else a push. For each object of x the `top` largest pulls are returned, then the `top` largest pushes, each in
 * descending order: object[i*2*top ..] are indices of these objects, from 0, or -1 where there are no more; influence
 * has the same shape. Only for models that place by a map. */
RKHS_API rkhs_status rkhs_model_explain(const rkhs_model *model, const rkhs_data *x, int64_t top, int64_t *object,
                                        double *influence);

/* The training objects that new ones are compared with: all of them, or the landmarks of an approximate Gram. NULL
 * before a fit. *rows (or NULL): the row of each in the training data; NULL if all were kept, in order. Row numbers
 * beyond the training data are objects that the model added. */
RKHS_API const rkhs_data *rkhs_model_reference_objects(const rkhs_model *model, const int64_t **rows);

/* Approximate objects for embedded points (pre-images). For vectors: a ridge regression from the embedding to the
 * reference objects, with its parameters chosen by leave-one-out; for bits, the result is rounded to bits. For strings
 * and graphs: the reference object whose embedding is nearest. For a precomputed Gram: the column of that object. A
 * model with its own decoder (kae, for numbers) uses that. */
RKHS_API rkhs_status rkhs_model_inverse(rkhs_model *model, const double *Z, int64_t n, int64_t ld, rkhs_data **x);

/* The anomaly score of each object of x: how unlike the training objects it is. Larger is stranger; each score depends
 * on its object alone. by "error": the squared distance in feature space between phi(x) and its reconstruction from
 * the embedding, divided by the mean of k(x_j, x_j) over training objects j; "density": -log of a Gaussian kernel
 * density estimate in the embedding; "both": the larger of the two, each turned into -log of the share of training
 * objects (each left out in turn) that score as high. NULL: "error", or "density" for a precomputed Gram, which has no
 * k(x, x). The score is fitted on first use, from at most 2000 objects. An object whose kernel values with the model's
 * objects are all 0 gets 1e150, the largest score, in each way. */
RKHS_API rkhs_status rkhs_model_anomaly(rkhs_model *model, const rkhs_data *x, const char *by, double *scores);

/* Adds objects to a fitted model: refits it on its training objects and x together, with the same parameters and the
 * same frozen kernel, starting from its embedding where the model takes a start. y: the targets of x, for krr; NULL for
 * all others. Columns agree in sign with the old ones. The report says how far the old objects moved ("moved": root
 * mean square, relative to their standard deviation). With landmarks or random features kpca, krr, lpp and npe add x to
 * sums over all objects that they have seen ("objects_seen"); what they learned of pairs of old objects stays, and the
 * embedding has the objects that the model keeps, then x. Refuses other models that do not keep all of their training
 * objects, that learned from labels or a precomputed Gram, or that may train on objects of their own making
 * (contrastive, spectral, kae). An update that fails leaves the model unchanged. */
RKHS_API rkhs_status rkhs_model_update(rkhs_model *model, const rkhs_data *x, const rkhs_data *y);

/* Model files are NumPy archives (.npz) that end with a checksum. They contain the training objects or landmarks that
 * new objects are compared with. A file may come from anywhere: inconsistent content is refused when it is loaded. */
RKHS_API rkhs_status rkhs_model_save(const rkhs_model *model, const char *path);
RKHS_API rkhs_status rkhs_model_load(rkhs_env *env, const char *path, rkhs_model **model);

/* The same bytes in memory. rkhs_model_pack sets *size to their number and writes as many as `room` allows (NULL, 0:
 * only asks for the size). rkhs_model_unpack makes a model from them. */
RKHS_API rkhs_status rkhs_model_pack(const rkhs_model *model, void *bytes, size_t room, size_t *size);
RKHS_API rkhs_status rkhs_model_unpack(rkhs_env *env, const void *bytes, size_t size, rkhs_model **model);

RKHS_API const char *rkhs_model_text(const rkhs_model *model);          /* the spec of an equal, unfitted model */
RKHS_API const rkhs_kernel *rkhs_model_kernel(const rkhs_model *model); /* the kernel, frozen by the fit; NULL before */

/* One item of the report: what a fit found, such as eigenvalues, residuals, iterations, seconds. Either text or
 * numbers. */
typedef struct rkhs_item {
    const char *name;
    const char *text;     /* or NULL */
    const double *values; /* rows x columns, or NULL */
    int64_t rows, columns;
} rkhs_item;

/* Item i of the report, counted from 0. Returns 0 if there is no such item. */
RKHS_API int rkhs_model_report(const rkhs_model *model, int64_t i, rkhs_item *item);

RKHS_API rkhs_status rkhs_model_copy(const rkhs_model *model, rkhs_model **copy);
RKHS_API void rkhs_model_free(rkhs_model *model);

/* ---- spec: the text of a kernel, model, ..., asked and set ----------------------------------------------------- */

/* A spec is the name of a type and its parameters, as a text. Kernels, models, scores, ... are made from it. As an
 * object it can be read and changed without editing the text:
 *
 *     rkhs_spec *s;
 *     rkhs_spec_new(env, "models", "kpca(dim=2, gram=nystrom)", &s);
 *     rkhs_spec_set(s, "gram.by", "uniform");
 *     rkhs_spec_get(s, "dim", &dim);
 *     rkhs_model_new(env, rkhs_spec_text(s), &m);
 *
 * `list` is the list that the type is in, as named by rkhs_list_name. Refuses what rkhs_kernel_new, rkhs_model_new,
 * ... refuse.
 *
 * A "?" may stand for a value or a name that is filled in later, a hole: "kpca(dim=?)" has a hole called dim, "?w*rbf"
 * one called w. Of a spec that has or had holes only the grammar is checked; the rest is checked when something is
 * made from its text. */
RKHS_API rkhs_status rkhs_spec_new(rkhs_env *env, const char *list, const char *text, rkhs_spec **spec);

/* The name of the type, such as "kpca". Empty for kernels joined by + * ^ [], and for a hole. */
RKHS_API const char *rkhs_spec_name(const rkhs_spec *spec);

/* The text of the spec: what was given and set, without defaults. Valid until the next rkhs_spec_set. */
RKHS_API const char *rkhs_spec_text(const rkhs_spec *spec);

/* The value of a parameter as text: as given, or its default; NULL if it is not set. A path such as "gram.by" leads
 * into nested specs. A word, such as the label column of a CSV, comes without quotes. Valid until the next
 * rkhs_spec_get. */
RKHS_API rkhs_status rkhs_spec_get(rkhs_spec *spec, const char *path, const char **value);

/* Sets a parameter from text, written as in a spec; a word needs no quotes. The path "?dim" fills all holes called
 * dim. A refused value leaves the spec unchanged. */
RKHS_API rkhs_status rkhs_spec_set(rkhs_spec *spec, const char *path, const char *value);

/* The name of the first hole that is not filled, empty if that hole has no name. NULL: no hole is left. */
RKHS_API const char *rkhs_spec_hole(const rkhs_spec *spec);
RKHS_API void rkhs_spec_free(rkhs_spec *spec);

/* ---- lists: what there is -------------------------------------------------------------------------------------- */

/* One type of a list ("models", "kernels", "grams", "eigensolvers", "linsolvers", "optimisers", "scores", "formats",
 * "samples", "augments"). */
typedef struct rkhs_type {
    const char *name;
    const char *brief;       /* one sentence */
    const char *formula;     /* or NULL */
    const char *where;       /* what the letters of the formula stand for, or NULL */
    const char *data;        /* the kinds of data it takes, or NULL */
    const char *cost;        /* or NULL */
    const char *title;       /* of a model: its name as a class, "KernelPCA"; else NULL */
    const char *supervision; /* of a model: its second data set, "target", "labels", "target or labels", ...; or NULL */
    int takes_target;        /* of a model: its second data set may be a target */
    int takes_labels;        /* of a model: its second data set may be labels */
    int predicts;            /* of a model: it predicts the target, which it needs */
    int nested;              /* of a model: the columns of an embedding are the first ones of a larger one */
    int augments;            /* of a model: it has a parameter for variants of the objects, which it adds to the Gram */
    int whole;               /* of a gram: 1: the matrix itself, 0: an approximation, -1: chosen by size */
    int better;              /* of a score: 1 if more is better, -1 if less is, 0 if it only describes */
    int needs_x;             /* of a score: it needs the objects */
    int needs_labels;        /* of a score: it needs labels */
    int takes_new;           /* of a score: it can score new rows against the others */
} rkhs_type;

/* One parameter of a type, as a spec spells it. */
typedef struct rkhs_param {
    const char *name;
    const char *kind;  /* "integer", "real", "choice", ... */
    const char *value; /* the default; NULL: not set */
    const char *brief;
    const char *aliases; /* other accepted spellings of the name, "k|n_neighbors"; or NULL */
    char bounds[128];    /* "> 0", "clip|flip|refuse", ...; empty: no bounds */
} rkhs_param;

RKHS_API const char *rkhs_list_name(int i);                            /* list i, from 0, or NULL */
RKHS_API int rkhs_list_type(const char *list, int i, rkhs_type *type); /* type i of a list; 0: there is none */
/* Parameter i of a type. Returns 0 if there is none. */
RKHS_API int rkhs_list_param(const char *list, const char *type, int i, rkhs_param *param);

/* ---- scores: how good is it ------------------------------------------------------------------------------------ */

/* What is scored: an embedding z, and what some scores compare it with: its objects x, its labels. If new_z is set,
 * the scores are those of the new rows, whose neighbours are sought in z. Fields that are not used are NULL. */
typedef struct rkhs_score_input {
    const rkhs_data *z, *x, *labels;
    const rkhs_data *new_z, *new_x, *new_labels;
    const rkhs_kernel *kernel; /* distances between objects are those in its feature space; NULL: of vectors */
} rkhs_score_input;

/* Computes one number for each spec: "knn(k=5)", "trustworthiness(k=12)". rkhs_list_type("scores", ...) lists them.
 * Scores of one family share one pass over the data. deviations (or NULL): the standard deviation over folds (for
 * twonn, the standard error), NaN for scores without one. */
RKHS_API rkhs_status rkhs_score(rkhs_env *env, const char *const *specs, int count, const rkhs_score_input *what,
                                double *values, double *deviations);

#ifdef __cplusplus
}
#endif
#endif
