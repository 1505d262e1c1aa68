/* mat.h: MAT files: what the tool and the process that reads them say to each other.  SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_MAT_H
#define CLI_MAT_H

#include "cli.h"

/* What comes first through the pipe. A sentence: `count` bytes follow. Dense: rows x columns doubles, column by column. Sparse:
 * columns + 1 starts (int64_t), `count` rows (int32_t), `count` doubles. */
typedef struct mat_reply {
    char mark[8]; /* MAT_MARK */
    int64_t kind; /* MAT_SENTENCE, ... */
    int64_t rows, columns, count;
} mat_reply;

#define MAT_MARK "rkhsmat"
enum { MAT_SENTENCE, MAT_DENSE, MAT_SPARSE };

/* What is asked for. */
typedef struct mat_request {
    const char *path;
    const char *key; /* the variable, or NULL */
    int labels;      /* class labels: other names are looked for */
    double memory;   /* bytes at most */
} mat_request;

/* What is wrong with a MAT file, or NULL. */
const char *mat_check(const char *path);

/* In the process that reads: opens the file with libmatio, sends one reply to fd. */
void mat_serve(const mat_request *request, int fd);

#endif
