/* rkhs.h: kernel representation learning.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Given objects and a kernel, learn a low-dimensional representation of them, embed new objects, go back, save, load.
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
 * Four nouns: an env (settings, callbacks, the last message), data (objects), a kernel (how two objects compare), a model.
 * Five rules hold everywhere.
 *   1. A function that can fail returns rkhs_status; the sentence that says what happened is rkhs_env_message(env). When a
 *      function fails, its outputs are NULL or untouched.
 *   2. Everything made by _new, _read, _load, _copy, _subset, ... is given back with the noun's _free, which accepts NULL.
 *      The env is freed last.
 *   3. Matrices are row-major doubles; `ld` is the distance between the starts of two rows. Rows are objects.
 *   4. rkhs_data_dense borrows the caller's array, which must outlive the data; all else copies (but rkhs_data_read_for).
 *   5. An env and what was made with it belong to one thread at a time. Different envs are independent.
 *
 * What may run beside what:
 *   Threads. Any number of envs may compute at a time, each in a thread of its own. One env, and the data, kernels and models
 *   made with it, may go from thread to thread, but no two calls may run on them at a time, not even two that only look: a
 *   call leaves its sentence, its progress and its memory in the env. rkhs_env_fail alone may be called from any thread.
 *   OpenBLAS serves some hundred threads at a time: envs that ask for more compute on fewer, with the same results.
 *   Callbacks. Progress and log run on the caller's thread; a kernel of one's own runs on several threads at a time,
 *   unless it is `serial`. None of them may call anything on its own env, or on what was made with it, but rkhs_env_fail
 *   and the functions that look at the data they are given; other envs are free.
 *   fork. May be called at any time from any thread. It waits for calls of BLAS in other threads, which are short. The
 *   child may use new envs, and those that no thread was computing with. If another thread was in LAPACK's dense
 *   eigensolver for two seconds more, the child can compute nothing and says so; it may still exec.
 *   Signals. The library sets no handlers and blocks nothing. A handler must not call the library: let it set a flag that the
 *   progress callback returns.
 *   BLAS. While a call computes, OpenBLAS is set to one thread for the whole process; the count is put back afterwards.
 *
 * The same data, spec text and seed give the same bits on any number of threads. */
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
    RKHS_ERR_SPEC = 2,      /* the text of a kernel, model, ... : an unknown name, a parameter out of bounds */
    RKHS_ERR_DATA = 3,      /* data that cannot be used: NaN, the wrong kind, another number of columns */
    RKHS_ERR_FORMAT = 4,    /* a file that is damaged, or not what it is said to be, or newer than this library */
    RKHS_ERR_IO = 5,        /* the system refused: no such file, no permission, disk full */
    RKHS_ERR_MEMORY = 6,    /* over the memory limit, or the system has no more */
    RKHS_ERR_NUMERIC = 7,   /* the computation has no answer: a Gram that is not positive semi-definite and must be */
    RKHS_ERR_CANCELLED = 8, /* the progress callback asked to stop */
    RKHS_ERR_BUG = 9        /* a fault of the library: please report it */
} rkhs_status;

/* The version of the library, "major.minor.patch". */
RKHS_API const char *rkhs_version(void);

/* A few words for a status: "wrong data". */
RKHS_API const char *rkhs_status_text(rkhs_status status);

/* ---- env: settings, callbacks, the last message ------------------------------------------------------------------- */

RKHS_API rkhs_status rkhs_env_new(rkhs_env **env);
RKHS_API void rkhs_env_free(rkhs_env *env);

/* The sentence of the last failure: what is wrong, where, which value, and what to do. Empty if nothing failed. */
RKHS_API const char *rkhs_env_message(const rkhs_env *env);

/* What the last failure is about: the path of a file as it was given, or the name of a parameter. Empty if neither is known,
 * as where data in memory are wrong; a path is cut after 1023 bytes. With the status this is for programs, the sentence is
 * for people. */
RKHS_API const char *rkhs_env_subject(const rkhs_env *env);

/* Threads to use; 0 (at first) means all cores of this process. It never changes a result. */
RKHS_API rkhs_status rkhs_env_set_threads(rkhs_env *env, int threads);

/* The seed of everything random; 0 at first. */
RKHS_API rkhs_status rkhs_env_set_seed(rkhs_env *env, uint64_t seed);

/* The most bytes to hold at a time; 0 (at first) means 80% of what the machine, or the process's control group, has. Each
 * thread of a call that computes counts for 2 MB, which BLAS works in. Where memory is short fewer threads compute, with
 * the same result. Under a limit of address space (ulimit -v) OpenBLAS needs 128 MB of it for each of them, and as much
 * for each thread of its own, which start with the program: set OPENBLAS_NUM_THREADS=1 there, as the tool does. */
RKHS_API rkhs_status rkhs_env_set_memory(rkhs_env *env, size_t bytes);

/* Counts arrays of the caller's own against the limit, before they are allocated; refuses what is over it. Below 0: given back.
 */
RKHS_API rkhs_status rkhs_env_hold(rkhs_env *env, int64_t bytes);

/* The limit in force, and the most bytes that were held at a time so far. */
RKHS_API size_t rkhs_env_memory_limit(const rkhs_env *env);
RKHS_API size_t rkhs_env_memory_peak(const rkhs_env *env);

/* Where a long call stands. total is 0 where it cannot be known. */
typedef struct rkhs_progress {
    const char *stage; /* "gram", "eigenvectors", "transform", ... */
    int64_t done, total;
} rkhs_progress;

/* Called on the caller's thread, some ten times a second; a nonzero answer cancels the call, which leaves nothing behind. */
typedef int (*rkhs_progress_fn)(const rkhs_progress *progress, void *payload);
RKHS_API void rkhs_env_set_progress(rkhs_env *env, rkhs_progress_fn fn, void *payload);

/* Remarks that are not failures, one sentence each, without a newline: advice on the data, numbers chosen, what was cut. */
typedef enum rkhs_log_level { RKHS_LOG_ADVICE = 0, RKHS_LOG_INFO = 1 } rkhs_log_level;
typedef void (*rkhs_log_fn)(rkhs_log_level level, const char *sentence, void *payload);
RKHS_API void rkhs_env_set_log(rkhs_env *env, rkhs_log_fn fn, void *payload);

/* ---- data: objects ------------------------------------------------------------------------------------------------ */

/* n objects of p numbers each, borrowed. Refuses NaN, Inf and numbers past 1e150, naming the place. A Gram matrix is given as
 * numbers too: the kernel "precomputed" reads row i, column j as k(object i, training object j). */
RKHS_API rkhs_status rkhs_data_dense(rkhs_env *env, const double *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data);

/* The same from floats; these are copied. */
RKHS_API rkhs_status rkhs_data_float(rkhs_env *env, const float *values, int64_t n, int64_t p, int64_t ld, rkhs_data **data);

/* n sparse objects of p columns, by rows: row i has values[q] in column columns[q] (from 0), starts[i] <= q < starts[i+1], in
 * ascending order, none twice; what is not there is 0. starts has n+1 entries, the first is 0. Copied. Refuses what dense data
 * refuse, and columns out of order or out of range, naming the place. */
RKHS_API rkhs_status rkhs_data_csr(rkhs_env *env, const double *values, const int32_t *columns, const int64_t *starts,
                                   int64_t n, int64_t p, rkhs_data **data);

/* n sets of `bits` bits, by rows that are `stride` bytes apart; bit c of a row is bit c % 8, from the lowest, of its byte c /
 * 8, as numpy.packbits(x, axis=1, bitorder="little") packs them and as chemfp's FPS files have them. Copied. Refuses bits past
 * the last one, naming the row. */
RKHS_API rkhs_status rkhs_data_bits(rkhs_env *env, const uint8_t *packed, int64_t n, int64_t bits, int64_t stride,
                                    rkhs_data **data);

/* n images of height x width pixels of `channels` numbers (1 grey, 3 red, green, blue, 4 and opacity), one after another, as an
 * array n x height x width x channels lies in memory. Copied. Refuses what dense data refuse. What takes vectors takes images
 * as the height*width*channels numbers that they are. */
RKHS_API rkhs_status rkhs_data_images(rkhs_env *env, const double *values, int64_t n, int64_t height, int64_t width,
                                      int64_t channels, rkhs_data **data);

/* n pairs (width 2) or triplets (width 3) of object numbers, each from 0 to objects-1. Copied. */
RKHS_API rkhs_status rkhs_data_index(rkhs_env *env, const int64_t *rows, int64_t n, int64_t width, int64_t objects,
                                     rkhs_data **data);

/* What belongs to each of n objects, its positive, and (or NULL: they are drawn) what does not, its negative: row i is about
 * object i. For models that take index rows. Copied. Subsets go with those of the objects. */
RKHS_API rkhs_status rkhs_data_pairs(rkhs_env *env, const rkhs_data *positive, const rkhs_data *negative, rkhs_data **data);

/* n strings, copied: text, sequences, any bytes. lengths in bytes; NULL: each string ends in a zero. What a character is, and
 * whether words are compared instead, the kernel says. */
RKHS_API rkhs_status rkhs_data_strings(rkhs_env *env, const char *const *strings, const int64_t *lengths, int64_t n,
                                       rkhs_data **data);

/* n undirected graphs, copied: graph i has vertices[i] >= 1 vertices, counted from 0, and edges[i] edges; ends has the two ends
 * of each edge, one after another, those of the first graph first. labels: a whole number for each vertex of all graphs, or
 * NULL; edge_labels: one for each edge, or NULL. An edge that is given twice is one; one from a vertex to itself is left out,
 * and the log says so. Refuses ends that are no vertices, and an edge with two labels, naming the place. */
RKHS_API rkhs_status rkhs_data_graphs(rkhs_env *env, int64_t n, const int64_t *vertices, const int64_t *edges,
                                      const int64_t *ends, const int64_t *labels, const int64_t *edge_labels, rkhs_data **data);

/* n class labels: codes 0 .. classes-1, -1 for an object that has no label, and a name for each code (NULL: the code's digits).
 * Copied. A name that stands for no label in a file ("?", "NA", "", ...) does so here. What has no label counts in no class:
 * scores that need labels leave its row out, and the log says how many. */
RKHS_API rkhs_status rkhs_data_classes(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names,
                                       int64_t classes, rkhs_data **data);

/* Names for the columns of dense or sparse data (NULL: none), copied; files with a header bring theirs. A model keeps them, and
 * new data that have names are matched with it by these: in any order; columns that the model does not know are left out, and
 * the log says which; a missing one is refused by name. So are two data sets that a kernel or a score compares, or that are
 * joined. Where one side has no names columns are matched by their places. */
RKHS_API rkhs_status rkhs_data_set_column_names(rkhs_data *data, const char *const *names);

/* Reads a file; "-" is standard input; gzip is seen and undone. `format` is a spec, "csv(label=species)"; NULL goes by the
 * name's ending. A column read as labels is found by rkhs_data_labels. An array of n x height x width, or with 1, 3 or 4
 * channels behind, holds images; so does a folder of PNG files of one size, which are taken in byte order of their names, with
 * the labels of a table in it, labels.csv or labels.tsv, whose columns are file and label. A table's first column that has no
 * name in the header and numbers the rows, as other programs write it, is left out, and the log says so. */
RKHS_API rkhs_status rkhs_data_read(rkhs_env *env, const char *path, const char *format, rkhs_data **data);

/* The same, for a kernel: a file that can be read in more than one way is read as the kernel compares it, lines of text for a
 * string kernel and a table of numbers for the others. NULL: as rkhs_data_read. For the kernel "precomputed" an NPY of 64-bit
 * numbers, row by row, is left on the disk (mapped), and does not count as memory held: until the data are freed the file may
 * be replaced or removed, but must not be overwritten or cut in place, which would end the process with SIGBUS. */
RKHS_API rkhs_status rkhs_data_read_for(rkhs_env *env, const char *path, const char *format, const rkhs_kernel *kernel,
                                        rkhs_data **data);

/* Reads class labels: one column of numbers or words, or an NPY of numbers or strings. Nothing, ?, NA, N/A and NaN stand for no
 * label. */
RKHS_API rkhs_status rkhs_data_read_labels(rkhs_env *env, const char *path, const char *format, rkhs_data **labels);

/* Reads pairs or triplets of object numbers: two or three columns of whole numbers from 0 to objects-1. */
RKHS_API rkhs_status rkhs_data_read_index(rkhs_env *env, const char *path, const char *format, int64_t objects,
                                          rkhs_data **data);

/* Writes numbers, bits or labels; the file appears whole or not at all. "-" is standard output. */
RKHS_API rkhs_status rkhs_data_write(const rkhs_data *data, const char *path, const char *format);

/* Files that belong together: from begin on, every file that this env writes waits under a hidden name beside its target;
 * commit gives all of them their names, or none, and no target is missing at any moment. Drop removes those that wait; it may
 * be called at any time. On file systems that cannot exchange two names (NFS) a failed commit may leave some files new: the
 * sentence names them. Standard output, pipes and devices do not wait. */
RKHS_API rkhs_status rkhs_files_begin(rkhs_env *env);
RKHS_API rkhs_status rkhs_files_commit(rkhs_env *env);
RKHS_API void rkhs_files_drop(rkhs_env *env);

/* Writes a caller's own bytes as the library writes its files: whole or not at all, "-" is standard output. */
RKHS_API rkhs_status rkhs_bytes_write(rkhs_env *env, const void *bytes, size_t count, const char *path);

/* The format that rkhs_data_write gives to a file of that name (*name; NULL: not asked for), or why it cannot; touches no file.
 */
RKHS_API rkhs_status rkhs_format_check(rkhs_env *env, const char *path, const char *format, const char **name);

/* Joins the rows of a Gram, computed in parts (rkhs_kernel_gram_rows) and given in order, to one NPY file, without holding
 * them. Refuses parts that leave rows out, or do not make a matrix that is symmetric to the bit, naming the place and the
 * files. */
RKHS_API rkhs_status rkhs_data_merge_gram(rkhs_env *env, const char *const *parts, int64_t count, const char *path);

/* Draws a data set with labels: "circles(n=380, noise=0.5)"; rkhs_list shows which there are. */
RKHS_API rkhs_status rkhs_data_sample(rkhs_env *env, const char *spec, rkhs_data **data);

/* The objects at `index`, copied, labels too. */
RKHS_API rkhs_status rkhs_data_subset(const rkhs_data *data, const int64_t *index, int64_t count, rkhs_data **subset);

/* The objects of `count` data sets of one kind and width, one after another, copied; labels too, if all parts have them. */
RKHS_API rkhs_status rkhs_data_join(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data **joined);

/* Other objects that are the same thing: "noise(0.1)", "shift(2)" of images, "edit" of strings, ...; rkhs_list shows which
 * there are. NULL: the usual one for that kind of data. Object i is a function of x, the env's seed and i. */
RKHS_API rkhs_status rkhs_data_augment(rkhs_env *env, const rkhs_data *data, const char *spec, rkhs_data **augmented);

RKHS_API const char *rkhs_data_kind(const rkhs_data *data); /* "dense", "sparse", "string", "bits", "image", "graph", ... */
RKHS_API int64_t rkhs_data_rows(const rkhs_data *data);
RKHS_API int64_t rkhs_data_columns(const rkhs_data *data);
RKHS_API const char *rkhs_data_column_name(const rkhs_data *data, int64_t column); /* from 0; NULL where it has none */
/* The numbers of dense data and of images; NULL if it is neither. */
RKHS_API const double *rkhs_data_values(const rkhs_data *data, int64_t *ld);
/* The arrays of sparse data, as rkhs_data_csr takes them (each may be NULL); 0 if it is not sparse. */
RKHS_API int rkhs_data_sparse(const rkhs_data *data, const double **values, const int32_t **columns, const int64_t **starts);
/* Height, width and channels of images (each may be NULL); 0 if it holds none. */
RKHS_API int rkhs_data_shape(const rkhs_data *data, int64_t *height, int64_t *width, int64_t *channels);
/* Row i of dense, image, sparse, bit or index data as `columns` numbers; 0 if it holds no such rows. */
RKHS_API int rkhs_data_row(const rkhs_data *data, int64_t i, double *row);
/* String i (from 0), a zero after it; NULL if there is none. length may be NULL. */
RKHS_API const char *rkhs_data_string(const rkhs_data *data, int64_t i, int64_t *length);
/* A graph to look at: the neighbours of vertex v are neighbours[starts[v]] .. neighbours[starts[v+1]-1], ascending, and the
 * labels of these edges stand at the same places of edge_labels. labels and edge_labels are NULL where there are none. */
typedef struct rkhs_graph {
    int64_t vertices;
    const int64_t *labels, *starts;
    const int32_t *neighbours;
    const int64_t *edge_labels;
} rkhs_graph;
/* Graph i (from 0); 0 if there is none. */
RKHS_API int rkhs_data_graph(const rkhs_data *data, int64_t i, rkhs_graph *graph);
RKHS_API const rkhs_data *rkhs_data_labels(const rkhs_data *data);                  /* that came with it, or NULL */
RKHS_API const int64_t *rkhs_data_codes(const rkhs_data *labels, int64_t *classes); /* -1: no label */
RKHS_API const char *rkhs_data_class_name(const rkhs_data *labels, int64_t code);
RKHS_API void rkhs_data_free(rkhs_data *data);

/* ---- kernel: how two objects compare ------------------------------------------------------------------------------ */

/* From text: "rbf(sigma=median)". rkhs_list shows which there are. Kernels combine: weights 2*k, sums a + b, products a*b,
 * powers k^3, normalize(k), center(k), standardize(k), and groups of columns k[0,4:7], counted from 0, a range without its
 * last: "2*standardize(rbf)[12:16] + cosine[0,4]^2". */
RKHS_API rkhs_status rkhs_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel);

/* The text that makes an equal kernel; what a frozen kernel has learnt beyond parameters (words: its vocabulary) is kept in
 * copies and model files, not in the text. */
RKHS_API const char *rkhs_kernel_text(const rkhs_kernel *kernel);

/* Turns rules such as sigma=median into numbers, from data; fit does it on a copy. A frozen kernel stays as it is. */
RKHS_API rkhs_status rkhs_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data);

/* K, a x b, K[i*ld + j] = k(a_i, b_j). b NULL: a against itself, symmetric to the bit. Rules are frozen from a, on a copy; what
 * refers to other objects (center) refers to a. */
RKHS_API rkhs_status rkhs_kernel_gram(const rkhs_kernel *kernel, const rkhs_data *a, const rkhs_data *b, double *K, int64_t ld);

/* Rows from .. to-1 of K of x with itself, (to-from) x n, with the same bits as in the whole K: what several machines of one
 * kind compute apart fits together. Rules are frozen from all of x, on a copy. Multiples of 256 waste no work. */
RKHS_API rkhs_status rkhs_kernel_gram_rows(const rkhs_kernel *kernel, const rkhs_data *x, int64_t from, int64_t to, double *K,
                                           int64_t ld);

RKHS_API rkhs_status rkhs_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy);
RKHS_API void rkhs_kernel_free(rkhs_kernel *kernel);

/* A kernel of your own, for one env: one value k(a_i, b_j), or a block out[i*ld + j] = k(a_{i0+i}, b_{j0+j}) of at most 256 x
 * 256, which is faster where values share work. k(x, y) = k(y, x) and finite. Anything but RKHS_OK stops the call, which fails
 * with that status; rkhs_env_fail leaves a sentence. Nothing else may be done with the env meanwhile. */
typedef rkhs_status (*rkhs_pair_fn)(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j, double *value, void *payload);
typedef rkhs_status (*rkhs_block_fn)(const rkhs_data *a, int64_t i0, int64_t ni, const rkhs_data *b, int64_t j0, int64_t nj,
                                     double *out, int64_t ld, void *payload);

/* Fields that are not set are 0. */
typedef struct rkhs_own_kernel {
    rkhs_pair_fn pair;   /* one of the two */
    rkhs_block_fn block; /* is set */
    void *payload;       /* handed to it */
    const char *kinds;   /* of data that it takes, as rkhs_data_kind names them: "dense, sparse"; NULL: dense */
    int psd;             /* 1: it is known to be positive semi-definite */
    int serial;          /* 1: called on the caller's own thread alone; else by several threads at a time */
} rkhs_own_kernel;

/* Adds it under a name (letters, digits, _), which then stands in specs as any other: "2*mine[0:3] + rbf". A model stores the
 * name alone: add the kernel to the env again before rkhs_model_load. Function and payload must outlive the env. */
RKHS_API rkhs_status rkhs_env_add_kernel(rkhs_env *env, const char *name, const rkhs_own_kernel *kernel);

/* For callbacks, on any thread: leaves a sentence for rkhs_env_message, unless there is one, and returns `status`. */
RKHS_API rkhs_status rkhs_env_fail(rkhs_env *env, rkhs_status status, const char *sentence);

/* ---- model: what is learned --------------------------------------------------------------------------------------- */

/* From text: "kpca(dim=2, gram=nystrom(landmarks=500))". */
RKHS_API rkhs_status rkhs_model_new(rkhs_env *env, const char *spec, rkhs_model **model);

/* Learns from x. kernel NULL: the model's own choice for that kind of data. y, start: a second data set (labels, targets, index
 * rows) and an embedding to start from, for the models that take one; else NULL. A fit that fails or is cancelled leaves the
 * model as it was. */
RKHS_API rkhs_status rkhs_model_fit(rkhs_model *model, const rkhs_kernel *kernel, const rkhs_data *x, const rkhs_data *y,
                                    const rkhs_data *start);

/* The embedding of the training objects, n x dim, ld = dim; NULL before a fit. */
RKHS_API const double *rkhs_model_embedding(const rkhs_model *model, int64_t *n, int64_t *dim);

/* Embeds new objects: Z[i*ld + 0 .. dim-1]. Each row depends on its object alone, whatever else is in the batch. Objects that
 * share nothing with those of the model, as all kernel values are 0, fall on one point; the log says how many there are. */
RKHS_API rkhs_status rkhs_model_transform(const rkhs_model *model, const rkhs_data *x, double *Z, int64_t ld);

/* How rkhs_model_transform places new objects from now on: "map", "refine" (the model's objective, optimised for each object
 * against the embedding) or "neighbour" (where that begins); NULL: as the model's parameter `place` says. Refuses ways that the
 * model does not know. */
RKHS_API rkhs_status rkhs_model_set_place(rkhs_model *model, const char *way);

/* What places objects: z(x) is a sum over the kept objects, w_l B_l, and an offset c. For each object of x the `top` kept ones
 * of the largest influence |w_l| |B_l| that pull it, from c towards its place, and as many that push it away, largest first:
 * object[i*2*top ..] counts kept objects from 0, pulls and then pushes, -1 where there is none; influence is of the same size.
 * For models that place by a map. */
RKHS_API rkhs_status rkhs_model_explain(const rkhs_model *model, const rkhs_data *x, int64_t top, int64_t *object,
                                        double *influence);

/* The objects that new ones are compared with; NULL before a fit. rows (or NULL): which rows of the training objects they are;
 * NULL where all are kept, in order. Rows past the training objects are those that the model added. */
RKHS_API const rkhs_data *rkhs_model_kept(const rkhs_model *model, const int64_t **rows);

/* Approximate objects for embedded points: a ridge regression from codes to kept vectors, chosen by leave-one-out, and rounded
 * to bits where these were kept. For a precomputed Gram: the column of the nearest kept object; for strings and graphs: that
 * object. A model with a decoder of its own (kae, of numbers) uses that. */
RKHS_API rkhs_status rkhs_model_inverse(rkhs_model *model, const double *Z, int64_t n, int64_t ld, rkhs_data **x);

/* How unlike the training objects each of x is: more is stranger, and each number depends on its object alone. by: "error",
 * what of phi(x) does not come back from its code, in feature space, over the mean of k(x_j,x_j); "density", -log of a Gaussian
 * density of codes; "both", the larger of the two as -log of the share of training objects, each left out, that score as
 * high. NULL: "error", or "density" for a precomputed Gram, which has no k(x,x). From at most 2000 objects, on first use. An
 * object that shares nothing with those of the model, as all kernel values are 0, has 1e150, the most there is, by each. */
RKHS_API rkhs_status rkhs_model_anomaly(rkhs_model *model, const rkhs_data *x, const char *by, double *scores);

/* Adds objects to a fitted model: it is fitted on those that it has and on x, with its parameters and its kernel as they are,
 * from its embedding where it takes a start. Columns agree in sign with the old ones, and the report says how far old objects
 * moved ("moved": of their deviation). Refuses models that keep not all of their objects, that learned from targets or labels,
 * or from a precomputed Gram. An update that fails leaves the model as it was. */
RKHS_API rkhs_status rkhs_model_update(rkhs_model *model, const rkhs_data *x);

/* Model files are NumPy archives (.npz) that end in a checksum. They contain the kept training objects. A file may be
 * anybody's: what does not fit together is refused when it is loaded. */
RKHS_API rkhs_status rkhs_model_save(const rkhs_model *model, const char *path);
RKHS_API rkhs_status rkhs_model_load(rkhs_env *env, const char *path, rkhs_model **model);

/* The bytes of that file in memory: `size` is how many there are, of which as many are written as `room` holds (NULL, 0: only
 * asks). And a model from them. */
RKHS_API rkhs_status rkhs_model_pack(const rkhs_model *model, void *bytes, size_t room, size_t *size);
RKHS_API rkhs_status rkhs_model_unpack(rkhs_env *env, const void *bytes, size_t size, rkhs_model **model);

RKHS_API const char *rkhs_model_text(const rkhs_model *model);          /* makes an equal, unfitted model */
RKHS_API const rkhs_kernel *rkhs_model_kernel(const rkhs_model *model); /* frozen at fit; NULL before */

/* What a fit found, item by item: eigenvalues, residuals, iterations, seconds, ... Either text or numbers. */
typedef struct rkhs_item {
    const char *name;
    const char *text;     /* or NULL */
    const double *values; /* rows x columns, or NULL */
    int64_t rows, columns;
} rkhs_item;

/* Item i of the report; 0 when there is no such item. */
RKHS_API int rkhs_model_report(const rkhs_model *model, int64_t i, rkhs_item *item);

RKHS_API rkhs_status rkhs_model_copy(const rkhs_model *model, rkhs_model **copy);
RKHS_API void rkhs_model_free(rkhs_model *model);

/* ---- spec: the text of a kernel, model, ..., asked and set ------------------------------------------------------- */

/* A spec is the name of a type and its parameters. Its text makes kernels, models, scores, ...; as an object it can be changed
 * without editing text:
 *
 *     rkhs_spec *s;
 *     rkhs_spec_new(env, "models", "kpca(dim=2, gram=nystrom)", &s);
 *     rkhs_spec_set(s, "gram.by", "uniform");
 *     rkhs_spec_get(s, "dim", &dim);
 *     rkhs_model_new(env, rkhs_spec_text(s), &m);
 *
 * `list` is the list that the type is in, as rkhs_list_name names it. Refuses what rkhs_kernel_new, rkhs_model_new, ... refuse.
 *
 * A "?" may stand for a value or a name, to be filled later: "kpca(dim=?)" has a hole called dim, "?w*rbf" one called w. A spec
 * that has or had holes is read by the grammar alone: what is made from its text checks the rest. */
RKHS_API rkhs_status rkhs_spec_new(rkhs_env *env, const char *list, const char *text, rkhs_spec **spec);

/* The name of the type: "kpca"; empty for kernels that are joined by + * ^ [], and for a hole. */
RKHS_API const char *rkhs_spec_name(const rkhs_spec *spec);

/* The text that makes it: what was given and set, without defaults. It lives until the next rkhs_spec_set. */
RKHS_API const char *rkhs_spec_text(const rkhs_spec *spec);

/* The value of a parameter as text: as given, or its default; NULL: it is not set. A path leads into the specs inside, as in
 * "gram.by". A word, such as the label of a CSV, comes without quotes. It lives until the next rkhs_spec_get. */
RKHS_API rkhs_status rkhs_spec_get(rkhs_spec *spec, const char *path, const char **value);

/* Sets a parameter from text, as it would stand in the spec; a word needs no quotes. The path "?dim" fills all holes that are
 * called dim. What is refused leaves the spec as it was. */
RKHS_API rkhs_status rkhs_spec_set(rkhs_spec *spec, const char *path, const char *value);

/* The name of the first hole that is not filled, empty where it has none; NULL: there is no hole. */
RKHS_API const char *rkhs_spec_hole(const rkhs_spec *spec);
RKHS_API void rkhs_spec_free(rkhs_spec *spec);

/* ---- lists: what there is ----------------------------------------------------------------------------------------- */

/* One type of a list ("models", "kernels", "grams", "eigensolvers", "linsolvers", "optimisers", "scores", "formats",
 * "samples", "augments"). */
typedef struct rkhs_type {
    const char *name;
    const char *brief;       /* one sentence */
    const char *formula;     /* or NULL */
    const char *data;        /* the kinds of data it takes, or NULL */
    const char *cost;        /* or NULL */
    const char *title;       /* of a model: its name as a class, "KernelPCA"; else NULL */
    const char *supervision; /* of a model: what its second data set is: "target", "labels", "target or labels", ...; or NULL */
    int takes_target;        /* of a model: its second data set may be a target */
    int takes_labels;        /* of a model: its second data set may be labels */
    int predicts;            /* of a model: its output stands for the target, which it needs */
    int nested;              /* of a model: the columns of an embedding are the first ones of a larger one */
    int whole;               /* of a gram: it is the matrix itself, not an approximation */
    int better;              /* of a score: 1 when more is better, -1 when less is, 0 when it only describes */
    int needs_x;             /* of a score: it compares with the objects */
    int needs_labels;        /* of a score */
    int takes_new;           /* of a score: new rows can be scored against the others */
} rkhs_type;

/* One parameter of a type, as the spec text spells it. */
typedef struct rkhs_param {
    const char *name;
    const char *kind;  /* "integer", "real", "choice", ... */
    const char *value; /* the default; NULL: not set */
    const char *brief;
    const char *aliases; /* other accepted spellings of the name, "k|n_neighbors"; or NULL */
    char bounds[128];    /* "> 0", "clip|flip|refuse", ...; empty: anything goes */
} rkhs_param;

RKHS_API const char *rkhs_list_name(int i);                            /* list i, or NULL */
RKHS_API int rkhs_list_type(const char *list, int i, rkhs_type *type); /* type i of a list; 0 when there is none */
RKHS_API int rkhs_list_param(const char *list, const char *type, int i, rkhs_param *param);

/* ---- scores: how good is it --------------------------------------------------------------------------------------- */

/* What is scored: an embedding z, and what a score compares it with: its objects, its labels. With new_z, scores are of new
 * rows among these: neighbours are sought in z. NULL what is not there. */
typedef struct rkhs_scored {
    const rkhs_data *z, *x, *labels;
    const rkhs_data *new_z, *new_x, *new_labels;
    const rkhs_kernel *kernel; /* distances between objects are those of its feature space; NULL: of the vectors */
} rkhs_scored;

/* One number for each spec: "knn(k=5)", "trustworthiness(k=12)"; rkhs_list shows which there are. Scores of one family share
 * one pass. deviations (or NULL): over folds, NaN where there are none. */
RKHS_API rkhs_status rkhs_score(rkhs_env *env, const char *const *specs, int count, const rkhs_scored *what, double *values,
                                double *deviations);

#ifdef __cplusplus
}
#endif
#endif
