/* transform.c: rkhs transform, anomaly and inverse: applies a fitted model to other rows.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdlib.h>

/* One run: the model, its input, and the result. */
typedef struct job {
    const char *path;
    rkhs_model *model;
    rkhs_data *rows, *objects; /* input; output of inverse */
    double *numbers;
    int64_t n, dim;
} job;

static rkhs_status open_model(cli *c, job *j) {
    rkhs_status status;
    int64_t fitted;
    TRY(result_path(c, &j->path));
    TRY(check_format(c, j->path, c->output_format));
    TRY(rkhs_model_load(c->env, c->operand[0], &j->model));
    rkhs_model_embedding(j->model, &fitted, &j->dim);
done:
    return status;
}

/* Loads the model, and reads new objects for it. */
static rkhs_status open_objects(cli *c, job *j) {
    rkhs_status status;
    TRY(open_model(c, j));
    if (c->place != NULL) TRY(rkhs_model_set_place(j->model, c->place));
    TRY(read_data(c, c->operand[1], rkhs_model_kernel(j->model), &j->rows));
    set_subject(c, c->operand[1], NULL);
    j->n = rkhs_data_rows(j->rows);
done:
    return status;
}

static int close_job(cli *c, job *j, rkhs_status status) {
    int code = finish(c, status);
    free(j->numbers);
    rkhs_data_free(j->objects);
    rkhs_data_free(j->rows);
    rkhs_model_free(j->model);
    return code;
}

int run_transform(cli *c) {
    job j = {0};
    rkhs_status status;
    TRY(open_objects(c, &j));
    TRY(take_numbers(c, "the embedding", j.n, j.dim, &j.numbers));
    TRY(rkhs_model_transform(j.model, j.rows, j.numbers, j.dim));
    TRY(write_numbers(c, j.numbers, j.n, j.dim, j.path));
done:
    return close_job(c, &j, status);
}

int run_anomaly(cli *c) {
    job j = {0};
    rkhs_status status;
    TRY(open_objects(c, &j));
    TRY(take_numbers(c, "the scores", j.n, 1, &j.numbers));
    TRY(rkhs_model_anomaly(j.model, j.rows, c->by, j.numbers));
    TRY(write_numbers(c, j.numbers, j.n, 1, j.path));
done:
    return close_job(c, &j, status);
}

int run_inverse(cli *c) {
    job j = {0};
    int64_t ld = 0;
    rkhs_status status;
    TRY(open_model(c, &j));
    TRY(read_plain(c, c->operand[1], &j.rows));
    const double *values = rkhs_data_values(j.rows, &ld);
    if (values == NULL) REFUSE(c, EXIT_FAILED, "%s: holds %s, not numbers", c->operand[1], rkhs_data_kind(j.rows));
    if (rkhs_data_columns(j.rows) != j.dim) {
        REFUSE(c, EXIT_FAILED, "%s has %s, but the model of %s has %s: give an embedding made by that model", c->operand[1],
               rk_counted(rkhs_data_columns(j.rows), "column").text, c->operand[0], rk_counted(j.dim, "dimension").text);
    }
    TRY(rkhs_model_inverse(j.model, values, rkhs_data_rows(j.rows), ld, &j.objects));
    TRY(write_data(c, j.objects, j.path));
done:
    return close_job(c, &j, status);
}
