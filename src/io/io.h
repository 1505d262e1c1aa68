/* io.h: the table of a file format, and helpers shared by the readers and writers. */
#ifndef RK_IO_H
#define RK_IO_H

#include "data/data.h"

typedef struct rk_format_type {
    rk_entry entry;
    const char *endings;                /* ".csv .txt", without .gz; formats may share an ending */
    unsigned kinds;                     /* the kinds of data that it can hold */
    unsigned pipe;                      /* kinds that a pipe has in this format, if nothing says otherwise; 0: none */
    const char *magic;                  /* (optional) how every file begins, at most 8 bytes */
    int (*begins)(const char bytes[4]); /* (optional) the same where the first bytes vary */
    /* (optional) The format to read in place of this one, if the text looks like a table of numbers. */
    const struct rk_format_type *table;
    /* (optional) For a format of several files: the file to open, given a folder or the common part of the names.
     * *file is `path` itself or on the scratch list. */
    rkhs_status (*find)(rkhs_env *env, const char *path, const char **file);
    /* (optional) Reads a folder of files in this format as one data set. */
    rkhs_status (*read_folder)(rkhs_env *env, const void *self, const char *path, unsigned kinds, rkhs_data **x);
    /* `kinds` is what the caller can use. A file that can be read as several kinds is read as one of these. */
    rkhs_status (*read)(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **x);
    rkhs_status (*read_labels)(rkhs_env *env, const void *self, rk_input *in, rkhs_data **labels);
    rkhs_status (*write)(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out); /* (optional) */
} rk_format_type;

extern const rk_list rk_formats;

/* rk_format_csv, rk_format_npy, ...: one for each line of formats.def. */
#define RK_FORMAT(name) extern const rk_format_type rk_format_##name;
#include "io/formats.def"
#undef RK_FORMAT

/* Reads data of one of `kinds`; RK_KIND_LABELS reads labels. Public functions clear the message and call this. */
rkhs_status rk_data_read(rkhs_env *env, const char *path, const char *format, unsigned kinds, rkhs_data **data);

/* Parses the decimal number at s, correctly rounded. Returns the position after it, or NULL if there is none: blanks,
 * inf, nan and hexadecimal numbers are not accepted. The bytes [s, end) must be followed by a zero. */
const char *rk_parse_decimal(const char *s, const char *end, double *value);

/* Moves *at past a UTF-8 byte order mark. Fails if the text is empty, a NumPy array, UTF-16 or has a zero byte. */
rkhs_status rk_text_check(rkhs_env *env, const char *name, char **at, const char *end);
/* Labels from string data: each string is a class name. */
rkhs_status rk_labels_from_strings(rkhs_env *env, const rkhs_data *x, rkhs_data **labels);

/* Reads and parses the header of a NumPy array. */
rkhs_status rk_npy_read_header(rkhs_env *env, rk_input *in, rk_npy *npy);
/* The elements after a header, which must end the input. rk_npy_read_elements checks them as rk_dense_check does and
 * returns dense data (floats if `kinds` has RK_TAKE_FLOATS and the array is of these), images if `kinds` has these and
 * the shape fits, or bits if `kinds` prefers these and every element is a byte 0 or 1. rk_npy_read_doubles takes any
 * shape; the caller frees *values. */
rkhs_status rk_npy_read_elements(rkhs_env *env, rk_input *in, const rk_npy *npy, unsigned kinds, rkhs_data **x);
rkhs_status rk_npy_read_labels(rkhs_env *env, rk_input *in, const rk_npy *npy, rkhs_data **labels);
rkhs_status rk_npy_read_doubles(rkhs_env *env, rk_input *in, const rk_npy *npy, double **values);
/* Logs how an array of more than two dimensions was interpreted. */
void rk_npy_advise(rkhs_env *env, const char *name, const rk_npy *npy);
/* Whether `name` is an integer in canonical form, and the integer. */
int rk_integer_name(const char *name, int64_t *value);

/* ---- integer_lines.c: lines of integers, separated by blanks or commas ----------------------------------------- */

typedef struct rk_integer_lines {
    rkhs_env *env;
    const char *name; /* of the file */
    char *bytes;
    const char *start, *end; /* of the text, without blank lines at its end */
    const char *at, *stop;   /* the rest of the current line */
    const char *next;        /* the next line */
    int64_t line;            /* from 1 */
} rk_integer_lines;
/* Reads all of `in`; the position is before the first line. rk_integer_lines_close must follow, even on failure. */
rkhs_status rk_integer_lines_open(rkhs_env *env, rk_input *in, rk_integer_lines *w);
void rk_integer_lines_close(rk_integer_lines *w);
int64_t rk_integer_lines_count(const rk_integer_lines *w); /* the number of lines */
int rk_integer_lines_next(rk_integer_lines *w);            /* moves to the next line; 0: there is none */
int rk_integer_lines_more(rk_integer_lines *w);            /* whether the current line has more fields */
/* Reads the next integer of the line. `what` describes it in messages: "a vertex". */
rkhs_status rk_integer_lines_take(rk_integer_lines *w, const char *what, int64_t *value);
/* Fails if the line has more fields. `after` describes the last one. */
rkhs_status rk_integer_lines_done(rk_integer_lines *w, const char *after);

/* The matrix of dense data, images or Gram rows, for the writers, borrowed from x; 0: another kind. */
int rk_matrix_to_write(const rkhs_data *x, rk_dense *m);
/* Fails: data of this kind cannot be written as `as`. The message proposes another format. */
rkhs_status rk_fail_format_kind(const rkhs_data *x, const char *name, const char *as);

#endif
