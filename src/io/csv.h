/* csv.h: a table as text on the way to numbers; csv.c learns its form from the first line, csv_rows.c reads the rows. */
#ifndef RK_CSV_H
#define RK_CSV_H

#include "io/io.h"

enum { RK_CSV_LOOK = 256 }; /* rows between two looks at the progress */

typedef struct rk_csv {
    rkhs_env *env;
    const char *name; /* of the file */
    char *at, *end;   /* what is left; *end is a zero */
    char delimiter;   /* ' ': any run of blanks */
    int64_t line;     /* of `at`, from 1 */
    int64_t row_line; /* where the current row began */
    int64_t columns;
    int64_t label;      /* the column of labels, or -1 */
    int64_t text;       /* the column of strings, or -1: numbers are read */
    const char **names; /* of the columns; NULL: no header */
    int counted;        /* the first column is left out, as it numbers the rows */
    int indices;        /* numbers of objects are read, which count by nature */
} rk_csv;

typedef struct rk_csv_field {
    char *text;
    int64_t length;
    int last; /* of its line */
} rk_csv_field;

/* A value as it can be shown: 40 bytes at most, what does not print escaped. */
const char *rk_csv_shown(const char *text, char buffer[200]);
/* Whether a text stands for a missing value, is infinite, is a number and nothing else. */
int rk_csv_missing(const char *text);
int rk_csv_infinite(const char *text);
int rk_csv_number(const char *text, double *value);

/* Steps over the end of a line at s: \n, \r\n or \r. */
char *rk_csv_after_line(char *s);
/* The next field, and the step over what ends it. */
rkhs_status rk_csv_take(rk_csv *r, rk_csv_field *f);
/* The end of what is left, without the blank lines at its end, which are no rows. */
char *rk_csv_last(const rk_csv *r);
/* All rows: the numbers, when wanted, and the words in the columns of labels and of strings, where there are any; all are
 * allocated. */
rkhs_status rk_csv_rows(rk_csv *r, int numbers, double **values, char ***words, char ***texts, int64_t *rows);

#endif
