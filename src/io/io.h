/* io.h: file formats, and what their readers share. */
#ifndef RK_IO_H
#define RK_IO_H

#include "data/data.h"

typedef struct rk_format_type {
    rk_entry entry;
    const char *endings; /* ".csv .tsv": without .gz; several formats may share one */
    unsigned kinds;      /* that it can make */
    /* (optional) The file to open for a path that may name several: a folder, the part that their names share. `file` is the
     * path itself or on the scratch list. */
    rkhs_status (*find)(rkhs_env *env, const char *path, const char **file);
    /* (optional) A folder of files in this format, as one data set. */
    rkhs_status (*read_folder)(rkhs_env *env, const void *self, const char *path, unsigned kinds, rkhs_data **x);
    /* `kinds`: what the caller can use. A file that can be read in more than one way is read as one of them. */
    rkhs_status (*read)(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **x);
    rkhs_status (*read_labels)(rkhs_env *env, const void *self, rk_input *in, rkhs_data **labels);
    rkhs_status (*write)(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out); /* (optional) */
} rk_format_type;

extern const rk_list rk_formats;

/* rk_format_csv, rk_format_npy, ...: one for each line of formats.def. */
#define RK_FORMAT(name) extern const rk_format_type rk_format_##name;
#include "io/formats.def"
#undef RK_FORMAT

/* The decimal number that begins at s, correctly rounded: the place after it, or NULL when none begins there. Neither blanks,
 * inf, nan nor hexadecimals. The bytes [s, end) are followed by a zero. */
const char *rk_decimal(const char *s, const char *end, double *value);

/* Refuses what text cannot be: empty, an array, UTF-16, zero bytes; steps over a byte order mark at *at. */
rkhs_status rk_text_check(rkhs_env *env, const char *name, char **at, const char *end);
/* Labels from strings, each the name of a class. */
rkhs_status rk_labels_from_strings(rkhs_env *env, const rkhs_data *x, rkhs_data **labels);

/* Reads and parses the header of a NumPy array. */
rkhs_status rk_npy_read_header(rkhs_env *env, rk_input *in, rk_npy *npy);
/* What follows a header, to the end of the input: as a matrix, looked through for NaN and the like, as images where `kinds` has
 * them and the shape is theirs, or as bits where `kinds` prefers them and each byte is 0 or 1; as labels; as plain numbers,
 * allocated, of an array of any shape. */
rkhs_status rk_elements_read(rkhs_env *env, rk_input *in, const rk_npy *npy, unsigned kinds, rkhs_data **x);
rkhs_status rk_elements_labels(rkhs_env *env, rk_input *in, const rk_npy *npy, rkhs_data **labels);
rkhs_status rk_elements_doubles(rkhs_env *env, rk_input *in, const rk_npy *npy, double **values);
/* Says how an array of more than two dimensions was taken. */
void rk_npy_advise(rkhs_env *env, const char *name, const rk_npy *npy);
/* The whole number that a name spells exactly, if it does. */
int rk_whole_name(const char *name, int64_t *value);

/* ---- integer_lines.c: lines of whole numbers, with blanks or commas between them
 * ---------------------------------------------- */

typedef struct rk_wholes {
    rkhs_env *env;
    const char *name; /* of the file */
    char *bytes;
    const char *start, *end; /* of all; blank lines at the end are none */
    const char *at, *stop;   /* of what is left of the line */
    const char *next;
    int64_t line; /* from 1 */
} rk_wholes;
rkhs_status rk_wholes_open(rkhs_env *env, rk_input *in, rk_wholes *w);
void rk_wholes_close(rk_wholes *w);
int64_t rk_wholes_lines(const rk_wholes *w);
int rk_wholes_line(rk_wholes *w); /* goes to the next line; 0: there is none */
int rk_wholes_more(rk_wholes *w); /* whether something is left of it */
/* The next number of the line; `what` it is, "a vertex", for messages. */
rkhs_status rk_wholes_take(rk_wholes *w, const char *what, int64_t *value);
/* Refuses a line of which something is left. */
rkhs_status rk_wholes_done(rk_wholes *w, const char *after);

/* The numbers of dense data, or of a Gram's rows, for the writers; NULL when x is neither. */
const double *rk_io_values(const rkhs_data *x, int64_t *ld);
/* Says that data of this kind cannot be written so, and which ending can. */
rkhs_status rk_io_cannot(const rkhs_data *x, const char *name, const char *as);

#endif
