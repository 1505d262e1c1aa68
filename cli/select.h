/* select.h: what the files of rkhs select share.  SPDX-License-Identifier: BSD-3-Clause */
#ifndef SELECT_H
#define SELECT_H

#include "cli.h"

enum { NAME_ROOM = 64, MOST_CELLS = 100000 };

/* What fills the holes of one name: values, or a range to draw from. */
typedef struct choice {
    char name[NAME_ROOM];
    enum { VALUES, RANGE_LIN, RANGE_LOG } kind;
    char **values;
    int count;
    double low, high;
    int used; /* a hole has this name */
} choice;

/* One combination of values, and what came of it. */
typedef struct cell {
    char **values;        /* one for each choice */
    char *model, *kernel; /* the specs, filled; kernel NULL: the model's own */
    char *key;            /* in a file of results; NULL: none is kept */
    double score, deviation, seconds;
    char *failed; /* why, or NULL */
    int done;     /* also when it failed */
    int passing;  /* it failed for want of memory: another time it may not */
} cell;

struct kept;

enum { SELECT_FILES = 6 };
/* The files that a search reads, NULL where none is given. */
void select_files(const cli *c, const char *files[SELECT_FILES]);

typedef struct search {
    cli *c;
    struct kept *kept; /* texts and arrays that live as long as the search */
    choice choices[MOST_MANY];
    int chosen;
    cell *cells;
    int count, best; /* best: -1 when all failed */
    rkhs_data *x, *y, *labels;
    const rkhs_data *classes; /* labels of all rows, or NULL */
    enum { BY_SCORE, BY_ERROR } by;
    int better; /* 1: more is better, -1: less */
    int needs_x, needs_labels, takes_new;
    int *fold; /* n: the part that a row is in, -1: always learned from; NULL without folds */
} search;

/* Zeroed memory that is freed with the search. */
rkhs_status keep(search *s, size_t count, size_t size, void *pointer);
rkhs_status keep_text(search *s, const char *from, size_t length, char **copy);
void forget_kept(search *s);

/* ---- parameter_grid.c: specs with holes, what fills them, the list of cells
 * ----------------------------------------------------- */

/* Reads every --try. */
rkhs_status read_choices(search *s);
/* All combinations, or those that are drawn. */
rkhs_status make_cells(search *s);

/* ---- criterion.c: what is best ------------------------------------------------------------------------------------------- */

/* Checks --by, the labels and the folds. */
rkhs_status check_criterion(search *s);
rkhs_status deal_folds(search *s);

/* ---- trial.c: fits and scores ------------------------------------------------------------------------------------------ */

/* Tries cells that have one kernel. What fails becomes a sentence of its cell; an error here ends the search. */
rkhs_status try_cells(search *s, cell *const *cells, int count);

/* ---- select_log.c: results in a file ------------------------------------------------------------------------------------ */

/* Gives each cell its key, and fills in those that the file has. */
rkhs_status resume_read(search *s);
/* Adds one finished cell. */
rkhs_status resume_add(search *s, const cell *one);

#endif
