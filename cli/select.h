/* select.h: the structs and functions that the files of rkhs select share.  SPDX-License-Identifier: BSD-3-Clause */
#ifndef SELECT_H
#define SELECT_H

#include "cli.h"

enum { NAME_ROOM = 64, MAX_CELLS = 100000 };

/* One --try: the values for a hole of that name, or a range to draw them from. */
typedef struct choice {
    char name[NAME_ROOM];
    enum { VALUES, RANGE_LIN, RANGE_LOG } kind;
    char **values;
    int count;
    double low, high;
    int used; /* a hole has this name */
} choice;

/* One combination of values, and its result. */
typedef struct cell {
    char **values;        /* one for each choice */
    char *model, *kernel; /* the specs with holes filled; kernel NULL: the model's default */
    char *key;            /* identifies the cell in the --resume file; NULL without one */
    double score, deviation, seconds;
    char *failed;       /* the error message, or NULL */
    rkhs_status status; /* of the failure; RKHS_ERR_MEMORY is not written to the --resume file */
    char *subject;      /* of the failure: the file or parameter that it is about; empty: none is known */
    int done;           /* also after a failure */
} cell;

struct kept;

enum { SELECT_FILES = 6 };
/* The files that a search reads; NULL where not given. */
void select_files(const cli *c, const char *files[SELECT_FILES]);

typedef struct search {
    cli *c;
    struct kept *kept; /* memory that lives as long as the search */
    choice choices[MAX_MANY];
    int chosen;
    cell *cells;
    int count, best; /* best: -1 if all failed */
    rkhs_data *x, *y, *labels;
    const rkhs_data *classes; /* class labels of all rows, or NULL */
    enum { BY_SCORE, BY_ERROR } by;
    int better; /* 1: more is better, -1: less is */
    int needs_x, needs_labels, takes_new;
    int *fold; /* n: the fold of each row, -1: always trained on; NULL without folds */
} search;

/* Zeroed memory, freed by forget_kept. */
rkhs_status keep(search *s, size_t count, size_t size, void *pointer);
rkhs_status keep_text(search *s, const char *from, size_t length, char **copy);
void forget_kept(search *s);

/* Stores the status, message and subject of a failure in a cell. */
rkhs_status keep_failure(search *s, rkhs_status failed, cell *one);

/* ---- parameter_grid.c: the combinations to try ----------------------------------------------------------------- */

/* Reads every --try. */
rkhs_status read_choices(search *s);
/* Makes the cells: all combinations, or --draws of them. */
rkhs_status make_cells(search *s);

/* ---- criterion.c: the score to optimise ------------------------------------------------------------------------ */

/* Before data are read: checks --by and --folds. */
rkhs_status check_criterion(search *s);
/* Refuses labels that are too few for the score or the folds, and targets of another number of rows than X. */
rkhs_status check_labels_and_target(search *s);

/* ---- folds.c: the folds of cross-validation -------------------------------------------------------------------- */

/* Fills s->fold: rows that are scored, stratified by class; rows without a label are always trained on. */
rkhs_status assign_folds(search *s);

/* ---- trial.c: fits and scores ---------------------------------------------------------------------------------- */

/* Tries cells with the same kernel. A failure becomes the message of its cell; an error returned here ends the
 * search. */
rkhs_status try_cells(search *s, cell *const *cells, int count);

/* ---- select_log.c: the --resume file --------------------------------------------------------------------------- */

/* Gives each cell its key, and fills in the results that the file has. */
rkhs_status resume_read(search *s);
/* Appends the result of one cell. */
rkhs_status resume_add(search *s, const cell *one);

#endif
