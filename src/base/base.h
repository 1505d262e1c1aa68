/* base.h: services that all other folders use: environment, errors, memory, specs, random numbers, threads, files.
 *
 * The environment (env) holds the settings, the memory account and the last error of one caller. */
#ifndef RK_BASE_H
#define RK_BASE_H

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rkhs.h"
#include "base/shared.h"

/* ---- errors: TRY a call, FAIL with a sentence, one label done: ------------------------------------------------- */

#define FAIL(env, code, ...)                                                                                                   \
    do {                                                                                                                       \
        status = rk_fail((env), (code), __VA_ARGS__);                                                                          \
        goto done;                                                                                                             \
    } while (0)

/* Formats the message into the env and returns `code`. A message that is already there is kept, so that an error
 * during cleanup cannot hide the first one. The only function that a tile of a parallel loop may call with the env. */
rkhs_status rk_fail(rkhs_env *env, rkhs_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with a hint, which the tool and Python turn into words of their own: see rkhs_env_hint. */
rkhs_status rk_fail_hint(rkhs_env *env, rkhs_status code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* As rk_fail, but replaces the message, which may be one of the arguments (env->message), and keeps the hint. */
rkhs_status rk_reword(rkhs_env *env, rkhs_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Records the file or parameter that a failure is about, unless one is recorded already; returns `status`. */
rkhs_status rk_set_subject(rkhs_env *env, const char *subject, rkhs_status status);
/* Clears message, subject and hint, after a failure from which the caller has recovered. */
void rk_clear_error(rkhs_env *env);

/* Clears the message, the progress and the cancelled flag. Public functions call it on entry. One that does must not
 * be called inside another: it would clear them halfway. */
void rk_begin_call(rkhs_env *env);

/* For a public function whose argument is a NULL pointer: clears, and fails with "CALL: no WHAT: the pointer is NULL".
 * No message if env itself is NULL. */
rkhs_status rk_fail_null(rkhs_env *env, const char *call, const char *what);

/* Formats a sentence and passes it to the log callback, if there is one. */
void rk_log(rkhs_env *env, rkhs_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Advice that programs recognise: see rkhs_env_log_subject and rkhs_env_log_hint. hint NULL: none. */
void rk_advise(rkhs_env *env, const char *subject, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- env ------------------------------------------------------------------------------------------------------- */

struct rk_block;
struct rk_pool;

struct rkhs_env {
    char message[1024];  /* of the last failure */
    char subject[1024];  /* the file or parameter that the failure is about */
    char hint[96];       /* the argument that mends it */
    int general;         /* the message ends with ": " and a remedy for any lack of memory */
    _Atomic int writing; /* spin lock: a thread is writing the message */
    int threads;
    int computing;      /* nesting depth of rk_blas_begin */
    int calls_blas;     /* 1 inside rk_blas_begin .. rk_blas_end: it may call BLAS */
    int64_t blas_bytes; /* bytes that are counted as used for the buffers of BLAS */
    uint64_t seed;
    size_t limit; /* bytes */
    _Atomic size_t used, peak;
    struct rk_block *scratch; /* temporaries, newest first */
    int64_t allocations;      /* counted for tests that make the k-th one fail */
    int64_t fail_at;          /* -1: never */
    int64_t shift;            /* for tests that move arrays: allocation k begins 8 (k shift mod 8) bytes further on */
    int64_t writes;           /* system calls for output, counted for tests that make the k-th one fail */
    int64_t fail_write_at;    /* -1: never */
    int fail_write_error;     /* the errno to fail with; 0: only half of the bytes are written */
    int batching_files;       /* after rkhs_files_begin: finished files wait in `pending_files` for rkhs_files_commit */
    struct rk_file *pending_files;
    struct rk_pool *pool;
    struct rk_added *added; /* types that the program has registered, newest first */
    rkhs_progress_fn progress;
    void *progress_payload;
    double progress_last; /* when the callback was last called, in seconds */
    rkhs_progress at;     /* what the callback is shown */
    rkhs_log_fn log;
    void *log_payload;
    const char *log_subject, *log_hint; /* of the remark that the callback is shown; NULL: none */
    int core_advised;                   /* advice was given that BLAS runs on slow kernels */
    _Atomic int cancelled;
};

/* Reports the progress of a long call (stage NULL: unchanged) and fails with RKHS_ERR_CANCELLED if the callback asks
 * to stop. Calls the callback at most every 0.1 s, so it is cheap. Only the env's own thread may call it. */
rkhs_status rk_progress(rkhs_env *env, const char *stage, int64_t done, int64_t total);

static inline int64_t rk_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t rk_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- memory: results on the heap, temporaries on the scratch list; only alloc.c calls malloc ------------------- */

/* Allocates `count` elements of `size` bytes, zeroed, 64-byte aligned, within the memory limit; free with rk_free. */
rkhs_status rk_alloc(rkhs_env *env, int64_t count, size_t size, void *out);
/* Resizes a block of rk_alloc, or makes one if *inout is NULL. The contents are kept, new bytes are zeroed. */
rkhs_status rk_realloc(rkhs_env *env, int64_t count, size_t size, void *inout);
void rk_free(rkhs_env *env, const void *p);
rkhs_status rk_strdup(rkhs_env *env, const char *text, char **out);

/* The scratch list: temporaries, zeroed too. rk_scratch_release frees all that were allocated after the mark. */
typedef struct rk_block *rk_mark;
rk_mark rk_scratch_mark(rkhs_env *env);
rkhs_status rk_scratch(rkhs_env *env, int64_t count, size_t size, void *out);
/* As rk_scratch, but not zeroed: for memory that is written before it is read. */
rkhs_status rk_scratch_raw(rkhs_env *env, int64_t count, size_t size, void *out);
void rk_scratch_release(rkhs_env *env, rk_mark mark);

/* `bytes`, lowered to the limits of the process's control groups. groups: /proc/self/cgroup, root: /sys/fs/cgroup. */
double rk_cgroup_memory(const char *groups, const char *root, double bytes);

/* Counts memory that was allocated elsewhere as used; below 0: no longer. Fails when that exceeds the memory limit. */
rkhs_status rk_count_memory(rkhs_env *env, int64_t bytes);

/* Call before allocating n^2 numbers. If they do not fit: "WHAT needs 80.0 GB; the limit is 16.0 GB: ADVICE". NULL: to
 * raise the limit; a fit puts what its model can do in the place of that (env->general). */
rkhs_status rk_require_memory(rkhs_env *env, double bytes, const char *what, const char *advice);
/* 1 if `bytes` are left below the memory limit: for a choice between a fast way and one that needs less memory. */
int rk_fits_limit(rkhs_env *env, double bytes);

/* Whether the system grants that much address space (see ulimit -v). None of it is kept. */
int rk_has_address_space(size_t bytes);

/* Asks the system for huge pages, unless the block is below 4 MB. Without them, page faults are a third of the cost of
 * a Gram, which is traversed by rows and by columns. */
void rk_ask_huge_pages(void *memory, size_t bytes);

/* Zeroed memory outside any env's account: for the env itself, and what is freed with it. NULL on failure. */
void *rk_raw_new(size_t bytes);
void rk_raw_free(void *p);

/* ---- text: the spec grammar ------------------------------------------------------------------------------------ */

/* expr   := term { "+" term }            number := as strtod in decimals
 * term   := power { "*" power }          word   := letter or _ { letter, digit, _ }
 * power  := group [ "^" number ]         group  := factor { list }
 * factor := number | call | "(" expr ")" | list
 * call   := word [ "(" [ arg { "," arg } ] ")" ] | "quoted word"
 * arg    := [ word "=" ] expr
 * list   := "[" item { "," item } "]"    item   := number | digits ":" digits
 * A hole ("?" or "?name") is a placeholder that is filled before the spec is used. It may take the place of a word, a
 * factor, the number of a power, or the whole inside of a list. */
typedef enum rk_node_kind {
    RK_NODE_NUMBER,
    RK_NODE_CALL,
    RK_NODE_SUM,
    RK_NODE_PRODUCT,
    RK_NODE_LIST,
    RK_NODE_HOLE,
    RK_NODE_POWER,  /* children: the base, and a number */
    RK_NODE_COLUMNS /* children: a kernel, and a list */
} rk_node_kind;

typedef struct rk_node {
    rk_node_kind kind;
    const char *text; /* call: the name; number, list and hole: as written */
    double number;
    int brackets;          /* call, hole: written with ( ) */
    int at;                /* position in the text, for messages */
    const char *key;       /* as an argument: its name, or NULL */
    struct rk_node *child; /* first of: arguments, terms, factors; of a list: its hole */
    struct rk_node *next;
} rk_node;

/* Parses a spec into nodes on the scratch list. `what` names the kind of spec in messages: "kernel". */
rkhs_status rk_parse_spec(rkhs_env *env, const char *what, const char *text, rk_node **node);
/* Fails if a text is too long, or its brackets too deep, for rk_parse_spec. */
rkhs_status rk_text_fits(rkhs_env *env, const char *what, const char *text);

/* rk_node_text appends nodes as text that parses to the same nodes, with `comma` between arguments. rk_word_text
 * appends a word, in quotes unless it is a name or a whole number. */
rkhs_status rk_node_text(const rk_node *node, const char *comma, rk_text *text);
rkhs_status rk_word_text(const char *word, rk_text *text);

/* A text with its middle left out if it is long, for messages; returns `buffer`. */
enum { RK_SHORT = 320 };
const char *rk_shorten(const char *text, char buffer[RK_SHORT]);

/* Expands "[0:50,7]" into indices below `end`, on the scratch list. `what` names the list in messages. */
rkhs_status rk_parse_indices(rkhs_env *env, const char *what, const char *list, int64_t end, int64_t **index, int64_t *count);
/* Takes the next range [from, to) of such a list; *at points to its first digit. Returns 0 if there is none. */
int rk_next_range(const char **at, int64_t *from, int64_t *to);

/* ---- parameters: the table of what a type takes between the brackets of a spec --------------------------------- */

typedef enum rk_param_kind {
    RK_INT,       /* int64_t; 0 when not set */
    RK_REAL,      /* double; NaN when not set */
    RK_BOOL,      /* int */
    RK_CHOICE,    /* int, the position in `choices` */
    RK_BANDWIDTH, /* rk_bandwidth: a number, or a bandwidth rule, which computes it from the data at fit */
    RK_LIST,      /* char *, "[0:50,7]"; NULL when not set */
    RK_SPEC,      /* rk_spec *: a type of another list, with its own parameters */
    RK_WORD,      /* char *, name or number; if `list` is set, also a type of it with parameters; NULL when not set */
    RK_REALS      /* rk_reals, "[0.5,-3e8]" */
} rk_param_kind;

struct rk_list;

typedef struct rk_param {
    const char *name;    /* NULL ends a table */
    const char *aliases; /* other accepted spellings, "k|n_neighbors"; or NULL */
    rk_param_kind kind;
    size_t offset;              /* in the type's parameter struct */
    const char *value;          /* the default as text; NULL: none */
    double min, max;            /* bounds of a number; min = max = 0: none */
    int min_excluded;           /* 1: the value must exceed min */
    int whole_from_1;           /* 1: from 1 on the value must be a whole number; below it is a share */
    const char *choices;        /* words of a choice, "clip|flip|refuse", or bandwidth rules, "median|knn" */
    const struct rk_list *list; /* RK_SPEC: the list that the type is in; RK_WORD: see there */
    const char *brief;
    const struct rk_param *const *rule_params; /* the arguments of each bandwidth rule, in rk_bandwidth; NULL: none */
    const char *replaces;                      /* the parameter that this one replaces; its default is then void */
} rk_param;

/* The first member of every type's table. A slot that a table marks "(optional)" may be NULL. */
typedef struct rk_entry {
    const char *name, *brief, *formula, *cost;
    const rk_param *params; /* NULL: none */
    size_t size;            /* of the parameter struct */
    const char *where;      /* what the letters of the formula stand for; NULL: nothing to say */
} rk_entry;

/* A list of types. `what` is its name in the singular, for messages. */
typedef struct rk_list {
    const char *name, *what;
    const rk_entry *const *entries; /* NULL ends it */
} rk_list;

/* A type with its parameters. */
typedef struct rk_spec {
    const rk_entry *entry;
    void *self;
} rk_spec;

/* The value of sigma=0.3, sigma=median or sigma=knn(10,3). rule: the position in `choices`, or one of these. */
enum { RK_BANDWIDTH_NUMBER = -1, RK_BANDWIDTH_UNSET = -2 };
typedef struct rk_bandwidth {
    int rule;
    double value; /* the number; before the rule has computed it, the factor that its result is multiplied by */
    double k;     /* argument of knn: the number of neighbours, below 1 a share of the rows */
} rk_bandwidth;

/* The value of mean=[0.5,-3e8]. */
typedef struct rk_reals {
    double *values; /* NULL when not set */
    int64_t count;
} rk_reals;

/* ---- specs: types with parameters, from text and back ---------------------------------------------------------- */

/* A type that a program registers in a list of one env. Made with rk_raw_new, freed with the env. */
typedef struct rk_added {
    const rk_list *list;
    const rk_entry *entry;
    struct rk_added *next;
} rk_added;

/* Defined in src/list.c; NULL if no list has the name. */
const rk_list *rk_list_named(const char *name);
const rk_entry *rk_list_find(const rk_list *list, const char *name);
/* Finds a type, also one that was registered with the env. An unknown name fails with a suggestion. */
rkhs_status rk_list_get(rkhs_env *env, const rk_list *list, const char *name, const rk_entry **entry);

/* The parameter with this name or alias. An unknown key fails with a suggestion. */
rkhs_status rk_param_find(rkhs_env *env, const rk_entry *entry, const char *key, const rk_param **param);

rkhs_status rk_spec_new(rkhs_env *env, const rk_list *list, const char *text, rk_spec **spec);
rkhs_status rk_spec_from_node(rkhs_env *env, const rk_list *list, const rk_node *node, rk_spec **spec);
rkhs_status rk_spec_copy(rkhs_env *env, const rk_spec *spec, rk_spec **copy);
rkhs_status rk_spec_text(const rk_spec *spec, rk_text *text);
/* Appends "name=value" for each parameter that is set, after "(" if *count is 0, else after ", ". Increases *count. */
rkhs_status rk_params_text(const rk_spec *spec, rk_text *text, int *count);
/* Appends the value of the first parameter, without its name. */
rkhs_status rk_first_param_text(const rk_spec *spec, rk_text *text);
void rk_spec_free(rkhs_env *env, rk_spec *spec);

/* Copies one word of "a|b|c" into buffer, which is returned. */
const char *rk_choice_text(const char *choices, int position, char buffer[64]);

/* ---- random numbers: functions of (seed, stream, row, index) alone --------------------------------------------- */

/* One stream for each use of the seed, so that their numbers are independent. */
enum {
    RK_STREAM_SAMPLE = 1,
    RK_STREAM_LANDMARK,
    RK_STREAM_START,
    RK_STREAM_SUBSET,
    RK_STREAM_TEST,
    RK_STREAM_FOLD = 7,
    RK_STREAM_FINGERPRINT,
    RK_STREAM_AUGMENT,
    RK_STREAM_NEGATIVE,
    RK_STREAM_LANDMARK_SAMPLE,
    RK_STREAM_FREQUENCY,
    RK_STREAM_STRETCH
};

/* Four random 64-bit words. */
void rk_random(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, uint64_t out[4]);
double rk_uniform(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index); /* in (0, 1) */
double rk_normal(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index);
/* Four numbers from one call of Philox. */
void rk_uniforms(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, double out[4]);
void rk_normals(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, double out[4]);
/* Draws `count` distinct rows of 0 .. n-1 into `rows`, ascending; every subset is equally likely. */
rkhs_status rk_choose_rows(rkhs_env *env, uint64_t stream, int64_t n, int64_t count, int64_t *rows);

/* ---- threads: a parallel loop over fixed tiles ----------------------------------------------------------------- */

/* Does the work of one tile, on any thread; must not use the env, except for rk_fail. `worker` is 0 .. rk_workers-1
 * and selects memory that no other thread uses. */
typedef rkhs_status (*rk_tile_fn)(void *context, int64_t tile, int worker);

/* Runs fn on tiles 0 .. count-1 in any order; returns the first failure. Reports progress as `stage`, unless NULL. */
rkhs_status rk_parallel(rkhs_env *env, const char *stage, int64_t count, rk_tile_fn fn, void *context);
/* For tiles that take long: fails if the loop was cancelled. On the env's own thread, worker 0, it asks the progress
 * callback. */
rkhs_status rk_poll_tile(rkhs_env *env, int worker);
int rk_workers(const rkhs_env *env);
/* `count` doubles rounded up to whole cache lines of 64 bytes, so that two workers share none. */
static inline int64_t rk_padded(int64_t count) { return (count + 7) / 8 * 8; }
void rk_pool_free(rkhs_env *env);

/* ---- streams: reading and writing files ------------------------------------------------------------------------ */

/* Opens a file, or standard input for "-". Decompresses gzip, which it recognises by the first two bytes. */
typedef struct rk_input rk_input;
rkhs_status rk_input_open(rkhs_env *env, const char *path, rk_input **in);
/* Reads up to `count` bytes; *got is less only at the end of the input. */
rkhs_status rk_input_read(rk_input *in, void *buffer, size_t count, size_t *got);
/* Reads all that is left into a block that the caller frees. A zero byte follows it, which *length does not count. */
rkhs_status rk_input_read_all(rk_input *in, char **bytes, size_t *length);
/* Copies the next `count` (at most 4096) bytes without consuming them; *got is less only at the end of the input. */
rkhs_status rk_input_peek(rk_input *in, void *buffer, size_t count, size_t *got);
int64_t rk_input_left(const rk_input *in); /* bytes left to read; -1: unknown (a pipe, gzip) */
/* The file descriptor, and the offset of the next byte in the file. Returns 0 if the input is no plain file (a pipe,
 * gzip). */
int rk_input_offset(const rk_input *in, int *fd, int64_t *at);
const char *rk_input_name(const rk_input *in); /* the path, or "standard input" */
void rk_input_close(rk_input *in);

/* Part of a file that is mapped into memory instead of read. Not counted against the memory limit. */
typedef struct rk_mapped {
    void *base; /* NULL: none */
    size_t length;
} rk_mapped;
/* Maps the next `count` bytes without consuming them. NULL: not possible, or their offset is no multiple of `align`.
 * The mapping outlives the input, until rk_mapped_close. */
const void *rk_mapped_open(rk_mapped *m, const rk_input *in, size_t count, size_t align);
/* Tells the system that the mapping will be read sequentially (on = 1), or no longer. */
void rk_mapped_sequential(const rk_mapped *m, int on);
void rk_mapped_close(rk_mapped *m);

/* Where an input gets its bytes from if not from a file: a member of an archive. */
typedef struct rk_source {
    void *context;
    rkhs_status (*read)(void *context, void *to, size_t count, size_t *got); /* as rk_input_read */
    int64_t (*left)(const void *context);
    void (*close)(void *context);
} rk_source;
/* Makes an input that reads from a source and closes it, also if this call fails. `name` is for messages. */
rkhs_status rk_input_from_source(rkhs_env *env, const char *name, const rk_source *source, rk_input **in);

/* Makes zlib allocate through rk_alloc. */
struct z_stream_s;
void rk_zlib_memory(rkhs_env *env, struct z_stream_s *z);

/* As rk_progress, but always calls the callback: for a system call that a signal has interrupted. */
rkhs_status rk_poll_cancel(rkhs_env *env, const char *stage, int64_t done, int64_t total);
/* The system's message for an errno. */
const char *rk_error_text(int error, char buffer[128]);

/* An output file under a hidden name. seal, called before fd is closed, gives it owner and mode of the file that it
 * replaces. commit renames it (or keeps it for rkhs_files_commit) and takes over `file`. free deletes it. */
typedef struct rk_file rk_file;
rkhs_status rk_file_open(rkhs_env *env, const char *path, rk_file **file, int *fd);
rkhs_status rk_file_seal(rkhs_env *env, rk_file *file, int fd);
rkhs_status rk_file_commit(rkhs_env *env, rk_file *file);
void rk_file_free(rkhs_env *env, rk_file *file);
/* Fails with the reason why a file cannot be written, a remedy, and `more`. */
rkhs_status rk_cannot_write(rkhs_env *env, const char *name, int error, const char *more);
/* For tests: 1 if this system call should fail; errno is set to the error that the test chose. */
int rk_write_fails(rkhs_env *env);

/* Opens an output file, which appears under its name only on commit (hidden name, fsync, rename); free without commit
 * deletes it. Standard output ("-"), pipes and devices are written directly. */
typedef struct rk_output rk_output;
rkhs_status rk_output_open(rkhs_env *env, const char *path, rk_output **out);
rkhs_status rk_output_write(rk_output *out, const void *bytes, size_t count);
rkhs_status rk_output_print(rk_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
rkhs_status rk_output_commit(rk_output *out);
/* Writes into the caller's memory, as much as fits; (NULL, 0) only counts. */
rkhs_status rk_output_memory(rkhs_env *env, void *bytes, size_t room, rk_output **out);
int64_t rk_output_size(const rk_output *out);     /* bytes written so far */
const char *rk_output_name(const rk_output *out); /* the path, or "standard output" */
void rk_output_free(rk_output *out);

/* ---- NPY: the header of a NumPy array -------------------------------------------------------------------------- */

enum { RK_NPY_DIMS = 8, RK_NPY_ROOM = 256 };

typedef struct rk_npy {
    char order;   /* '<', '>' or '|' */
    char kind;    /* as NumPy's dtype.kind; the readers take 'f', 'i', 'u', 'b', 'S', 'U' */
    int64_t size; /* of an element, in bytes */
    int fortran;  /* column-major: the first index varies fastest */
    int ndim;
    int64_t shape[RK_NPY_DIMS];
    int64_t count;  /* elements */
    int64_t offset; /* where the data begin: the length of the header */
} rk_npy;

/* Parses the header at the beginning of an array. Messages begin with `where`. count * size does not overflow. */
rkhs_status rk_npy_parse_header(rkhs_env *env, const char *where, const void *bytes, size_t length, rk_npy *npy);
/* From the first 12 bytes of an array: where the text of the header begins, and its length. */
rkhs_status rk_npy_header_length(rkhs_env *env, const char *where, const void *bytes, size_t length, size_t *start,
                                 size_t *text);
/* Writes a header of version 1.0 for an array in C order, padded to a multiple of 64 bytes. Returns its length. */
size_t rk_npy_make_header(char buffer[RK_NPY_ROOM], const char *descr, int ndim, const int64_t *shape);

/* ---- ZIP: the directory and the members of a file that is in memory -------------------------------------------- */

typedef struct rk_zip {
    const unsigned char *bytes;
    uint64_t length, comment;          /* of the file; of the archive comment at its end */
    uint64_t count, start, stop, next; /* entries left; where the directory begins and ends; the next entry */
    uint64_t reached;                  /* where the data of the entry that was read last end */
} rk_zip;

typedef struct rk_zip_entry {
    const char *name; /* points into the file: not terminated by a zero */
    size_t name_length;
    int flags, method; /* method 0: stored, 8: deflated */
    uint32_t crc;
    uint64_t size, stored;     /* bytes of the member, before and after compression */
    const unsigned char *data; /* `stored` bytes, inside the file */
    uint64_t gap, extra;       /* unused bytes before the entry; bytes between its name and its data */
    int headers_agree;         /* 1: the local header agrees with the directory */
} rk_zip_entry;

/* Find the directory, also a ZIP64 one; read its next entry, while count > 0. Return NULL, or why the file is
 * malformed: entries must lie in the order of the directory, without overlap. The bytes are borrowed. */
const char *rk_zip_open(rk_zip *zip, const void *bytes, size_t length);
const char *rk_zip_next(rk_zip *zip, rk_zip_entry *entry);
/* Opens a member, stored or deflated; a wrong size or CRC is an error. The file's bytes must outlive the input. */
rkhs_status rk_zip_input(rkhs_env *env, const char *name, const rk_zip_entry *entry, rk_input **in);
/* Opens a zlib stream in memory, whose checksum is verified at its end. rk_input_left is only an upper bound here. */
rkhs_status rk_zlib_input(rkhs_env *env, const char *name, const void *bytes, uint64_t count, rk_input **in);

/* ---- archives: named arrays in an uncompressed .npz file with a checksum --------------------------------------- */

/* type: 'd' double, 'f' float, 'q' int64, 'S' text: one string of shape[0] bytes, stored as a 0-d NumPy bytes array. */
typedef struct rk_array {
    char type;
    int ndim;
    int64_t shape[3];
    const void *data;
} rk_array;

typedef struct rk_archive rk_archive;
rkhs_status rk_archive_new(rkhs_env *env, rk_archive **archive);
/* Adds an array; a->data is borrowed until the archive is written. A name has letters, digits and "_./-". */
rkhs_status rk_archive_put(rk_archive *archive, const char *name, const rk_array *a);
rkhs_status rk_archive_put_copy(rk_archive *archive, const char *name, const rk_array *a); /* copies a->data */
rkhs_status rk_archive_put_text(rk_archive *archive, const char *name, const char *text);  /* copies */
rkhs_status rk_archive_put_int(rk_archive *archive, const char *name, int64_t value);      /* copies; shape () */
rkhs_status rk_archive_put_real(rk_archive *archive, const char *name, double value);      /* copies; shape () */
rkhs_status rk_archive_write(rk_archive *archive, const char *path);
rkhs_status rk_archive_write_to(rk_archive *archive, rk_output *out); /* without commit */
/* From this size on, the 64-bit fields of ZIP are used: 4 GB, less in tests. */
void rk_archive_set_zip64(rk_archive *archive, uint64_t from);
/* Reads an archive; the checksum is verified before anything is parsed. */
rkhs_status rk_archive_read(rkhs_env *env, const char *path, rk_archive **archive);
/* The same from bytes in memory, which are copied. */
rkhs_status rk_archive_parse(rkhs_env *env, const void *bytes, size_t length, rk_archive **archive);
int64_t rk_archive_count(const rk_archive *archive);
const char *rk_archive_name(const rk_archive *archive, int64_t i);
char rk_archive_type(const rk_archive *archive, int64_t i);           /* 'd', 'f', 'q' or 'S'; 0: i is out of range */
char rk_archive_type_of(const rk_archive *archive, const char *name); /* 0: there is no such array */
/* Gets an array, whose data belong to the archive. Fails if it is missing, or of another type or ndim (-1: any). */
rkhs_status rk_archive_get(rk_archive *archive, const char *name, char type, int ndim, rk_array *a);
rkhs_status rk_archive_get_text(rk_archive *archive, const char *name, const char **text); /* belongs to the archive */
rkhs_status rk_archive_get_int(rk_archive *archive, const char *name, int64_t *value);
rkhs_status rk_archive_get_real(rk_archive *archive, const char *name, double *value);
int rk_archive_has(const rk_archive *archive, const char *name);
const char *rk_archive_path(const rk_archive *archive);
void rk_archive_free(rk_archive *archive);

/* ---- text_list.c ----------------------------------------------------------------------------------------------- */

/* A hash table on the scratch list: strings, which are borrowed, each with a number. */
typedef struct rk_text_slot {
    const char *text;
    int64_t number;
} rk_text_slot;
typedef struct rk_text_table {
    int64_t slots;
    rk_text_slot *slot;
} rk_text_table;
rkhs_status rk_text_table_new(rkhs_env *env, int64_t max_texts, rk_text_table *table);
/* find returns the number of a string, or -1. add adds a string, unless it is there, and returns the number it has. */
int64_t rk_text_table_find(const rk_text_table *table, const char *text);
int64_t rk_text_table_add(rk_text_table *table, const char *text, int64_t number);

/* Copies a list of strings; their bytes are in one block, which begins at the first. Free with rk_texts_free. */
rkhs_status rk_texts_copy(rkhs_env *env, const char *const *texts, int64_t count, char ***copy);
void rk_texts_free(rkhs_env *env, char **texts);
/* Save a list of strings as two arrays, <prefix><what>names and <prefix><what>ends; load it onto the scratch list. */
rkhs_status rk_texts_save(rkhs_env *env, rk_archive *archive, const char *prefix, const char *what, const char *const *texts,
                          int64_t count);
rkhs_status rk_texts_load(rkhs_env *env, rk_archive *archive, const char *prefix, const char *what, const char ***texts,
                          int64_t *count);

#endif
