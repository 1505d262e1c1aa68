/* csv.h: the state of the CSV reader, shared by csv.c (header, labels, writing) and csv_rows.c (fields and rows). */
#ifndef RK_CSV_H
#define RK_CSV_H

#include "io/io.h"

enum { RK_CSV_LOOK = 256 }; /* rows between two progress calls */

typedef struct rk_csv {
    rkhs_env *env;
    const char *name; /* of the file */
    char *at, *end;   /* the text that is not read yet; *end is 0 */
    char delimiter;   /* ' ' stands for any run of blanks and tabs */
    int64_t line;     /* line number of `at`, from 1 */
    int64_t row_line; /* line number where the current row began */
    int64_t columns;
    int64_t label;      /* the column of labels, or -1 */
    int64_t text;       /* the column of strings, or -1 to read numbers */
    const char **names; /* the header; NULL: none */
    int counted;        /* the first column was dropped, as it numbers the rows */
    int indices;        /* the table holds object numbers: 0, 1, 2 ... with no empty field before it is then data */
} rk_csv;

typedef struct rk_csv_field {
    char *text;
    int64_t length;
    int last; /* whether it is the last of its row */
} rk_csv_field;

/* `text` for messages: cut at 40 bytes, unprintable bytes escaped. Returns buffer. */
const char *rk_csv_shown(const char *text, char buffer[200]);
/* Whether a text stands for a missing value, for an infinite one, is exactly one decimal number. */
int rk_csv_missing(const char *text);
int rk_csv_infinite(const char *text);
int rk_csv_number(const char *text, double *value);

/* The position after the line end at s: \n, \r\n or \r. */
char *rk_csv_after_line(char *s);
/* Reads the next field, unquoted, trimmed and zero-terminated in place, and moves past its delimiter or line end. */
rkhs_status rk_csv_take(rk_csv *r, rk_csv_field *f);
/* The end of the text without the white space at its end, which is no row. */
char *rk_csv_trimmed_end(const rk_csv *r);
/* Reads all rows: *values (if `numbers`), *words (the column of labels, if any) and *texts (the column of strings, if
 * any). The caller frees the three arrays, even on failure. The words and texts point into the file's bytes. */
rkhs_status rk_csv_rows(rk_csv *r, int numbers, double **values, char ***words, char ***texts, int64_t *rows);

#endif
