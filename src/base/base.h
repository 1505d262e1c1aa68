/* base.h: env, errors, memory, text, random numbers, threads, streams, archives. Knows nothing of mathematics. */
#ifndef RK_BASE_H
#define RK_BASE_H

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "rkhs.h"
#include "base/shared.h"

/* ---- errors: TRY a call, FAIL with a sentence, one label done: --------------------------------------------------------- */

#define FAIL(env, code, ...)                                                                                                   \
    do {                                                                                                                       \
        status = rk_fail((env), (code), __VA_ARGS__);                                                                          \
        goto done;                                                                                                             \
    } while (0)

/* Formats the message into the env and returns `code`. The first sentence of a call stands: cleaning up cannot hide it. The one
 * function that a tile may call with the env. */
rkhs_status rk_fail(rkhs_env *env, rkhs_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* As rk_fail, in the place of the sentence that there is, which may be one of the arguments (env->message). */
rkhs_status rk_reword(rkhs_env *env, rkhs_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Says what a failure is about, a file or a parameter, unless that is known; returns `status`. */
rkhs_status rk_about(rkhs_env *env, const char *subject, rkhs_status status);
/* Forgets a failure that the caller has mended. */
void rk_forget(rkhs_env *env);

/* Forgets the last message, where the call stands and that it was cancelled; public functions call it on entry, and none of
 * them is called from inside another, as that would forget these halfway. */
void rk_clear(rkhs_env *env);

/* A public call without something that it must have: clears, and says "CALL: no WHAT: the pointer is NULL" where there is an
 * env to say it. */
rkhs_status rk_missing(rkhs_env *env, const char *call, const char *what);

/* A remark through the log callback. */
void rk_log(rkhs_env *env, rkhs_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- env --------------------------------------------------------------------------------------------------------------- */

struct rk_block;
struct rk_pool;

struct rkhs_env {
    char message[1024];  /* the sentence of the last failure */
    char subject[1024];  /* the file or parameter that it is about */
    _Atomic int writing; /* someone writes the message */
    int threads;
    int workers;   /* threads of a loop while a call computes, at most `threads`; 0: all */
    int computing; /* calls of rk_blas_begin that have not ended */
    int64_t lent;  /* bytes on the account for the buffers of BLAS */
    uint64_t seed;
    size_t limit; /* bytes */
    _Atomic size_t used, peak;
    struct rk_block *scratch; /* newest first */
    int64_t allocations;      /* so far, for the tests that make the k-th fail */
    int64_t fail_at;          /* -1: never */
    int64_t shift;            /* for the tests that move arrays: allocation k lies 8 (k shift mod 8) bytes further on */
    int64_t writes;           /* calls to the system on the way out so far, for the tests that make the k-th fail */
    int64_t fail_write_at;    /* -1: never */
    int fail_write_error;     /* an errno; 0: half of what was asked for is written */
    int together;             /* files wait for rkhs_files_commit: */
    struct rk_file *waiting;
    struct rk_pool *pool;
    struct rk_added *added; /* types that the caller adds to lists, newest first */
    rkhs_progress_fn progress;
    void *progress_payload;
    double progress_last; /* seconds, when the callback was last called */
    rkhs_progress at;     /* where the call stands */
    rkhs_log_fn log;
    void *log_payload;
    _Atomic int cancelled;
};

/* Says where a long call stands (stage NULL: as before) and asks whether to go on; cheap,
 * only the env's own thread may call. */
rkhs_status rk_progress(rkhs_env *env, const char *stage, int64_t done, int64_t total);

static inline int64_t rk_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t rk_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- memory: results on the heap, temporaries on the scratch list; only these call malloc ------------------------------- */

/* `count` elements of `size` bytes, zeroed; 64-byte aligned. Fails with a sentence when over the limit. */
rkhs_status rk_alloc(rkhs_env *env, int64_t count, size_t size, void *out);
/* Resizes what rk_alloc gave, keeping the contents; new bytes are zeroed. */
rkhs_status rk_realloc(rkhs_env *env, int64_t count, size_t size, void *inout);
void rk_free(rkhs_env *env, const void *p);
rkhs_status rk_strdup(rkhs_env *env, const char *text, char **out);

/* Temporaries, zeroed too: everything taken since the mark goes back at once. */
typedef struct rk_block *rk_mark;
rk_mark rk_scratch_mark(rkhs_env *env);
rkhs_status rk_scratch(rkhs_env *env, int64_t count, size_t size, void *out);
/* The same with anything in it: room that is written before it is read. */
rkhs_status rk_scratch_raw(rkhs_env *env, int64_t count, size_t size, void *out);
void rk_scratch_release(rkhs_env *env, rk_mark mark);

/* The bytes that the control groups of a process (/proc/self/cgroup) leave of `bytes`; root: /sys/fs/cgroup. */
double rk_group_memory(const char *groups, const char *root, double bytes);

/* Adds to the account what somebody else allocates, or takes it off again (below 0); fails when over the limit. */
rkhs_status rk_account(rkhs_env *env, int64_t bytes);

/* Before anything of size n^2: fails with "what needs 80.0 GB; the limit is 16.0 GB: advice". bytes as double: no overflow. */
rkhs_status rk_need(rkhs_env *env, double bytes, const char *what, const char *advice);
/* The same as a question, for what can be done without. */
int rk_has_room(rkhs_env *env, double bytes);

/* Whether the system would give so many bytes of address space (ulimit -v); nothing is kept. */
int rk_has_space(size_t bytes);

/* Asks the system for huge pages where memory will lie: a Gram is walked in rows and columns, and its page faults are a
 * third of its cost. Small blocks are left alone. */
void rk_ask_huge(void *memory, size_t bytes);

/* What an env itself is made of. */
void *rk_raw_new(size_t bytes);
void rk_raw_free(void *p);

/* ---- text: the spec grammar ---------------------------------------------------------------------------------------------- */

/* expr   := term { "+" term }            number := as strtod in decimals
 * term   := power { "*" power }          word   := letter or _ { letter, digit, _ }
 * power  := group [ "^" number ]         group  := factor { list }
 * factor := number | call | "(" expr ")" | list
 * call   := word [ "(" [ arg { "," arg } ] ")" ] | "quoted word"
 * arg    := [ word "=" ] expr
 * list   := "[" item { "," item } "]"    item   := number | digits ":" digits
 * A hole, "?" with or without a word, may stand for a word, a factor, the number of a power, and alone in a list: it is
 * filled before the spec is used. */
typedef enum rk_node_kind {
    RK_NODE_NUMBER,
    RK_NODE_CALL,
    RK_NODE_SUM,
    RK_NODE_PRODUCT,
    RK_NODE_LIST,
    RK_NODE_HOLE,
    RK_NODE_POWER,  /* child: what, and a number */
    RK_NODE_COLUMNS /* child: what, and a list */
} rk_node_kind;

typedef struct rk_node {
    rk_node_kind kind;
    const char *text; /* call: the name; number, list and hole: as written */
    double number;
    int brackets;          /* call, hole: written with ( ) */
    int at;                /* position in the text, for messages */
    const char *key;       /* as an argument: its name, or NULL */
    struct rk_node *child; /* arguments, terms, factors; of a list its hole */
    struct rk_node *next;
} rk_node;

/* Parses onto the scratch list. `what` names the thing in messages: "kernel". */
rkhs_status rk_parse(rkhs_env *env, const char *what, const char *text, rk_node **node);
/* Refuses text that is too deep or too long to be parsed again. */
rkhs_status rk_text_fits(rkhs_env *env, const char *what, const char *text);

/* Text that grows. */
typedef struct rk_text {
    rkhs_env *env;
    char *s;
    int64_t length, room;
} rk_text;
/* Nodes as text that is parsed to the same nodes, with `comma` between arguments; a word, in quotes unless it is a name or a
 * whole number. */
rkhs_status rk_node_text(const rk_node *node, const char *comma, rk_text *text);
rkhs_status rk_word_text(const char *word, rk_text *text);
rkhs_status rk_text_add(rk_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A long text with its middle left out, for messages. */
enum { RK_SHORT = 320 };
const char *rk_short(const char *text, char buffer[RK_SHORT]);

/* "[0:50,7]" as indices, each below `end`; *index is on the scratch list. `what` for messages. */
rkhs_status rk_indices(rkhs_env *env, const char *what, const char *list, int64_t end, int64_t **index, int64_t *count);
/* The next part [from, to) of such a list; *at begins at its first character. 0: there is none, or it is no range. */
int rk_indices_next(const char **at, int64_t *from, int64_t *to);

/* ---- parameters: what stands between the brackets of a spec --------------------------------------------------------- */

typedef enum rk_param_kind {
    RK_INT,    /* int64_t; 0 when not set */
    RK_REAL,   /* double; NaN when not set */
    RK_BOOL,   /* int */
    RK_CHOICE, /* int, the position in `choices` */
    RK_RULE,   /* rk_rule: a number, or a rule that data turns into one */
    RK_LIST,   /* char *, "[0:50,7]"; NULL when not set */
    RK_SPEC,   /* rk_spec *: a type of another list, with its own parameters */
    RK_WORD,   /* char *, any name or number, with a list also an entry with its parameters; NULL when not set */
    RK_REALS   /* rk_reals, "[0.5,-3e8]" */
} rk_param_kind;

struct rk_list;

typedef struct rk_param {
    const char *name;    /* NULL ends a table */
    const char *aliases; /* other spellings that are accepted, "k|n_neighbors"; or NULL */
    rk_param_kind kind;
    size_t offset;              /* in the type's parameter struct */
    const char *value;          /* the default as text; NULL: not set unless given */
    double min, max;            /* numbers; min = max = 0: any */
    int open;                   /* 1: min itself is excluded */
    const char *choices;        /* choice: "clip|flip|refuse"; rule: "median|knn" */
    const struct rk_list *list; /* spec: which list; word: the text of one of it */
    const char *brief;
    const char *instead; /* given in place of that parameter, whose default then does not apply */
} rk_param;

/* What the table of every type begins with. A slot of a table that is marked (optional) may be NULL. */
typedef struct rk_entry {
    const char *name, *brief, *formula, *cost;
    const rk_param *params; /* NULL: none */
    size_t size;            /* of the parameter struct */
} rk_entry;

/* A list of types. `what` is the singular, for messages. */
typedef struct rk_list {
    const char *name, *what;
    const rk_entry *const *entries; /* NULL ends it */
} rk_list;

/* A type with its parameters. */
typedef struct rk_spec {
    const rk_entry *entry;
    void *self;
} rk_spec;

/* sigma=0.3, sigma=median, sigma=knn(10,3). rule: the position in `choices`, or one of these. */
enum { RK_RULE_NUMBER = -1, RK_RULE_UNSET = -2 };
typedef struct rk_rule {
    int rule;
    double value; /* the number, once known; until then what the rule's is multiplied by */
    double k;     /* the rule's own argument */
} rk_rule;

/* mean=[0.5,-3e8]. */
typedef struct rk_reals {
    double *values; /* NULL when not set */
    int64_t count;
} rk_reals;

/* ---- specs: types with parameters, from text and back -------------------------------------------------------------- */

/* A type that the caller adds to a list, for one env: made with rk_raw_new, freed with the env. */
typedef struct rk_added {
    const rk_list *list;
    const rk_entry *entry;
    struct rk_added *next;
} rk_added;

/* The list of that name, or NULL (src/list.c). */
const rk_list *rk_list_named(const char *name);
const rk_entry *rk_list_find(const rk_list *list, const char *name);
/* Also among what was added to the env. Fails with the nearest name. */
rkhs_status rk_list_get(rkhs_env *env, const rk_list *list, const char *name, const rk_entry **entry);

/* The parameter that a key names. Fails with the nearest name. */
rkhs_status rk_param_find(rkhs_env *env, const rk_entry *entry, const char *key, const rk_param **param);

rkhs_status rk_spec_new(rkhs_env *env, const rk_list *list, const char *text, rk_spec **spec);
rkhs_status rk_spec_from_node(rkhs_env *env, const rk_list *list, const rk_node *node, rk_spec **spec);
rkhs_status rk_spec_copy(rkhs_env *env, const rk_spec *spec, rk_spec **copy);
rkhs_status rk_spec_text(const rk_spec *spec, rk_text *text);
/* The parameters alone, each after ", ", or "(" when *count, of what stands before them, is 0. */
rkhs_status rk_params_text(const rk_spec *spec, rk_text *text, int *count);
/* The value of the first parameter. */
rkhs_status rk_first_text(const rk_spec *spec, rk_text *text);
void rk_spec_free(rkhs_env *env, rk_spec *spec);

/* One word of "a|b|c" by position into buffer. */
const char *rk_choice_text(const char *choices, int position, char buffer[64]);

/* ---- random numbers: Philox, keyed by (seed, stream), counted by (row, index) -------------------------------------- */

/* Streams, so that two uses of one seed do not meet. */
enum {
    RK_STREAM_SAMPLE = 1,
    RK_STREAM_LANDMARK,
    RK_STREAM_START,
    RK_STREAM_SUBSET,
    RK_STREAM_TEST,
    RK_STREAM_FOLD = 7,
    RK_STREAM_MARK,
    RK_STREAM_AUGMENT,
    RK_STREAM_NEGATIVE
};

/* Four 64-bit words that depend on the arguments alone. */
void rk_random(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, uint64_t out[4]);
double rk_uniform(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index); /* in (0, 1) */
double rk_normal(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index);
/* Four at a time, for long rows. */
void rk_uniforms(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, double out[4]);
void rk_normals(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, double out[4]);
/* `count` distinct rows of n, ascending. */
rkhs_status rk_choose(rkhs_env *env, uint64_t stream, int64_t n, int64_t count, int64_t *rows);

/* ---- threads: a loop over fixed tiles ------------------------------------------------------------------------------------ */

/* Work on one tile; `worker` is 0 .. rk_workers-1, for scratch of its own. May be called on any thread;
 * must not touch the env. */
typedef rkhs_status (*rk_tile_fn)(void *context, int64_t tile, int worker);

/* Runs fn on tiles 0 .. count-1 in any order; reports progress on `stage` (NULL: only asks whether to go on). */
rkhs_status rk_parallel(rkhs_env *env, const char *stage, int64_t count, rk_tile_fn fn, void *context);
int rk_workers(const rkhs_env *env);
/* `count` doubles rounded up to whole lines of 64 bytes: how far apart the rooms of two workers lie in one array. */
static inline int64_t rk_padded(int64_t count) { return (count + 7) / 8 * 8; }
void rk_pool_free(rkhs_env *env);

/* ---- streams: bytes in, bytes out ----------------------------------------------------------------------------------- */

/* Opens a file, "-" for standard input; gzip is undone as it is read. */
typedef struct rk_input rk_input;
rkhs_status rk_input_open(rkhs_env *env, const char *path, rk_input **in);
/* Up to `count` bytes; *got is less only at the end. */
rkhs_status rk_input_read(rk_input *in, void *buffer, size_t count, size_t *got);
/* The rest, as one allocated block with a zero byte after it. */
rkhs_status rk_input_all(rk_input *in, char **bytes, size_t *length);
/* The next `count` (at most 4096) bytes, which stay to be read; *got is less only at the end. */
rkhs_status rk_input_peek(rk_input *in, void *buffer, size_t count, size_t *got);
int64_t rk_input_left(const rk_input *in); /* bytes still to be read; -1: not known (a pipe, gzip) */
/* The descriptor, and where in the file the next byte stands; 0: there is no such place (a pipe, gzip). */
int rk_input_place(const rk_input *in, int *fd, int64_t *at);
const char *rk_input_name(const rk_input *in); /* the path, or "standard input" */
void rk_input_close(rk_input *in);

/* Bytes that stay on the disk and are read as they are looked at; not on the env's account. */
typedef struct rk_mapped {
    void *base; /* NULL: none */
    size_t length;
} rk_mapped;
/* Maps the next `count` bytes, which stay to be read, if they begin at a multiple of `align`; NULL: it cannot be done, read
 * them. Outlives the input. */
const void *rk_mapped_open(rk_mapped *m, const rk_input *in, size_t count, size_t align);
/* Says that what is mapped is now looked through from first to last, or no longer so. */
void rk_mapped_in_order(const rk_mapped *m, int on);
void rk_mapped_close(rk_mapped *m);

/* Bytes that come from elsewhere: a member of an archive. */
typedef struct rk_source {
    void *context;
    rkhs_status (*read)(void *context, void *to, size_t count, size_t *got); /* *got is less only at the end */
    int64_t (*left)(const void *context);
    void (*close)(void *context);
} rk_source;
/* An input that reads a source, which is closed with it, and also when this fails; `name` is for messages. */
rkhs_status rk_input_from(rkhs_env *env, const char *name, const rk_source *source, rk_input **in);

/* zlib's memory, on the env's account. */
struct z_stream_s;
void rk_zlib_memory(rkhs_env *env, struct z_stream_s *z);

/* The same as rk_progress, at once: a signal may be why a call to the system came back. */
rkhs_status rk_ask_now(rkhs_env *env, const char *stage, int64_t done, int64_t total);
/* The system's words for an error. */
const char *rk_error_text(int error, char buffer[128]);

/* A file on its way to its name. Open makes the hidden one, seal gives it owner and mode before it is closed, commit gives it
 * its name, or keeps it for rkhs_files_commit; commit frees it, and free removes what was not committed. */
typedef struct rk_file rk_file;
rkhs_status rk_file_open(rkhs_env *env, const char *path, rk_file **file, int *fd);
rkhs_status rk_file_seal(rkhs_env *env, rk_file *file, int fd);
rkhs_status rk_file_commit(rkhs_env *env, rk_file *file);
void rk_file_free(rkhs_env *env, rk_file *file);
/* Says why a file cannot be written, what to do, and `more`. */
rkhs_status rk_cannot_write(rkhs_env *env, const char *name, int error, const char *more);
/* Whether this call to the system on the way out is the one that a test makes fail; errno is then what it asked for. */
int rk_write_fails(rkhs_env *env);

/* Opens a file that appears under its name only on commit (a temporary name, fsync, rename); "-" is standard output, and what
 * is not a regular file (a pipe, /dev/null) is written straight. Free without commit removes it. */
typedef struct rk_output rk_output;
rkhs_status rk_output_open(rkhs_env *env, const char *path, rk_output **out);
rkhs_status rk_output_write(rk_output *out, const void *bytes, size_t count);
rkhs_status rk_output_print(rk_output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
rkhs_status rk_output_commit(rk_output *out);
/* The same into memory: as much as fits; NULL, 0 only counts. */
rkhs_status rk_output_memory(rkhs_env *env, void *bytes, size_t room, rk_output **out);
int64_t rk_output_size(const rk_output *out);     /* bytes so far */
const char *rk_output_name(const rk_output *out); /* the path, or "standard output" */
void rk_output_free(rk_output *out);

/* ---- NPY: the header of a NumPy array -------------------------------------------------------------------------------- */

enum { RK_NPY_DIMS = 8, RK_NPY_ROOM = 256 };

typedef struct rk_npy {
    char order;   /* '<', '>' or '|' */
    char kind;    /* 'f', 'i', 'u', 'b', 'S', 'U' or one that nobody here reads */
    int64_t size; /* bytes of an element */
    int fortran;  /* the first index runs fastest */
    int ndim;
    int64_t shape[RK_NPY_DIMS];
    int64_t count;  /* elements */
    int64_t offset; /* of the data: the length of the header */
} rk_npy;

/* Reads a header from the first bytes of an array; RKHS_ERR_FORMAT begins with `where`. count * size does not overflow. */
rkhs_status rk_npy_parse(rkhs_env *env, const char *where, const void *bytes, size_t length, rk_npy *npy);
/* The bytes before the text of a header and its length, from the first 12 bytes. */
rkhs_status rk_npy_length(rkhs_env *env, const char *where, const void *bytes, size_t length, size_t *start, size_t *text);
/* Writes a version 1.0 header, C order, padded to 64 bytes; the result is its length. */
size_t rk_npy_header(char buffer[RK_NPY_ROOM], const char *descr, int ndim, const int64_t *shape);

/* ---- ZIP: the directory of a file held whole, and its members --------------------------------------------------------- */

typedef struct rk_zip {
    const unsigned char *bytes;
    uint64_t length, comment;          /* of the file; of the comment that ends it */
    uint64_t count, start, stop, next; /* entries not read yet; the directory's place; the next entry's */
    uint64_t reached;                  /* where the last entry's data end */
} rk_zip;

typedef struct rk_zip_entry {
    const char *name; /* in the file: no zero after it */
    size_t name_length;
    int flags, method; /* method 0: stored, 8: deflated */
    uint32_t crc;
    uint64_t size, stored;     /* bytes of the member; of what stands for it in the file */
    const unsigned char *data; /* `stored` bytes, all in the file */
    uint64_t gap, extra;       /* bytes between the entry before and this one; between its name and its data */
    int twice;                 /* its local header says the same of it as the directory */
} rk_zip_entry;

/* Finds the directory, also the 64-bit one; the next entry of it, while count > 0. NULL when well, else why not. Entries stand
 * in the file in the order of the directory, and none reaches into another. */
const char *rk_zip_open(rk_zip *zip, const void *bytes, size_t length);
const char *rk_zip_next(rk_zip *zip, rk_zip_entry *entry);
/* Reads a member, stored or deflated; never more than its size, and the CRC must be right. Lives no longer than the file. */
rkhs_status rk_zip_input(rkhs_env *env, const char *name, const rk_zip_entry *entry, rk_input **in);
/* Reads what a zlib stream in memory stands for, to its end; at the end its checksum must be right. What rk_input_left says is
 * the most there can be. */
rkhs_status rk_zlib_input(rkhs_env *env, const char *name, const void *bytes, uint64_t count, rk_input **in);

/* ---- archives: named arrays in an uncompressed .npz that ends in a checksum ------------------------------------------- */

/* type: 'd' double, 'q' int64, 'S' bytes (text; one string of shape[0] bytes, stored as a 0-d NumPy bytes array). */
typedef struct rk_array {
    char type;
    int ndim;
    int64_t shape[3];
    const void *data;
} rk_array;

typedef struct rk_archive rk_archive;
rkhs_status rk_archive_new(rkhs_env *env, rk_archive **archive);
/* Borrows a->data until the archive is written. Names: letters, digits, "_./-". */
rkhs_status rk_archive_put(rk_archive *archive, const char *name, const rk_array *a);
rkhs_status rk_archive_put_copy(rk_archive *archive, const char *name, const rk_array *a); /* copies a->data */
rkhs_status rk_archive_put_text(rk_archive *archive, const char *name, const char *text);  /* copies */
rkhs_status rk_archive_put_int(rk_archive *archive, const char *name, int64_t value);      /* copies; shape () */
rkhs_status rk_archive_put_real(rk_archive *archive, const char *name, double value);      /* copies; shape () */
rkhs_status rk_archive_write(rk_archive *archive, const char *path);
rkhs_status rk_archive_write_to(rk_archive *archive, rk_output *out); /* without the commit */
/* From how many bytes on the 64-bit forms of ZIP are used: 4 GB, less in tests. */
void rk_archive_set_zip64(rk_archive *archive, uint64_t from);
/* Verifies the checksum before it parses; owns the bytes. */
rkhs_status rk_archive_read(rkhs_env *env, const char *path, rk_archive **archive);
/* The same from bytes in memory, copied. */
rkhs_status rk_archive_parse(rkhs_env *env, const void *bytes, size_t length, rk_archive **archive);
int64_t rk_archive_count(const rk_archive *archive);
const char *rk_archive_name(const rk_archive *archive, int64_t i);
char rk_archive_type(const rk_archive *archive, int64_t i); /* 'd', 'q' or 'S'; 0: there is no array i */
/* ndim and type must be as asked (ndim -1: any), else RKHS_ERR_FORMAT with file and name. */
rkhs_status rk_archive_get(rk_archive *archive, const char *name, char type, int ndim, rk_array *a);
rkhs_status rk_archive_get_text(rk_archive *archive, const char *name, const char **text); /* lives as long as the archive */
rkhs_status rk_archive_get_int(rk_archive *archive, const char *name, int64_t *value);
rkhs_status rk_archive_get_real(rk_archive *archive, const char *name, double *value);
int rk_archive_has(const rk_archive *archive, const char *name);
const char *rk_archive_path(const rk_archive *archive);
void rk_archive_free(rk_archive *archive);

/* ---- text_list.c ------------------------------------------------------------------------------------------------------- */

/* A hash table on the scratch list: texts, which it borrows, and a number for each. */
typedef struct rk_text_slot {
    const char *text;
    int64_t number;
} rk_text_slot;
typedef struct rk_text_table {
    int64_t slots;
    rk_text_slot *slot;
} rk_text_table;
rkhs_status rk_text_table_new(rkhs_env *env, int64_t max_texts, rk_text_table *table);
/* The number of a text, -1 if it is not there; the number it has, which is `number` if it was not there yet. */
int64_t rk_text_table_find(const rk_text_table *table, const char *text);
int64_t rk_text_table_add(rk_text_table *table, const char *text, int64_t number);

/* Texts in one block that begins at the first. */
rkhs_status rk_texts_copy(rkhs_env *env, const char *const *texts, int64_t count, char ***copy);
void rk_texts_free(rkhs_env *env, char **texts);
/* Two arrays of an archive, <prefix><what>names and <prefix><what>ends; loaded on the scratch list. */
rkhs_status rk_texts_save(rkhs_env *env, rk_archive *archive, const char *prefix, const char *what, const char *const *texts,
                          int64_t count);
rkhs_status rk_texts_load(rkhs_env *env, rk_archive *archive, const char *prefix, const char *what, const char ***texts,
                          int64_t *count);

#endif
