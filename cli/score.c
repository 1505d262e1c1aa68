/* score.c: rkhs score: prints scores of an embedding.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints a JSON member "name more": value, null if it is not finite. */
static void json_number(const char *name, const char *more, double value, const char *before) {
    char key[SPEC_ROOM + 16];
    snprintf(key, sizeof key, "%s%s", name, more);
    printf("%s", before);
    json_text(stdout, *more != 0 ? key : name);
    if (isfinite(value))
        printf(": %.17g", value);
    else
        printf(": null");
}

static void print_scores(const cli *c, const double *values, const double *deviations) {
    int width = 0;
    for (int i = 0; i < c->count; i++) {
        int columns = print_safe(NULL, c->operand[i], strlen(c->operand[i]));
        if (columns > width) width = columns;
    }
    for (int i = 0; i < c->count; i++) {
        if (c->json) {
            json_number(c->operand[i], "", values[i], i == 0 ? "{" : ", ");
            if (isfinite(deviations[i])) json_number(c->operand[i], " deviation", deviations[i], ", ");
        } else {
            print_padded(stdout, c->operand[i], width);
            printf("  %.6g", values[i]);
            if (isfinite(deviations[i])) printf(" +- %.3g", deviations[i]);
            putchar('\n');
        }
    }
    if (c->json) printf("}\n");
}

/* The files that were read. */
typedef struct scored {
    rkhs_kernel *kernel;
    rkhs_data *z, *x, *y, *new_z, *new_x, *new_y;
} scored;

/* Reads an embedding. --format applies to it only if there are no objects. */
static rkhs_status read_embedding(cli *c, const char *path, rkhs_data **z) {
    return c->x != NULL ? read_target(c, path, z) : read_plain(c, path, z);
}

/* Reads objects. --label-column applies to them only if their labels have no file of their own. */
static rkhs_status read_objects(cli *c, const char *path, const char *labels, const rkhs_kernel *kernel, rkhs_data **x) {
    const char *column = c->label_column;
    if (labels != NULL) c->label_column = NULL;
    rkhs_status status = read_data(c, path, kernel, x);
    c->label_column = column;
    return status;
}

static rkhs_status read_scored(cli *c, scored *s) {
    rkhs_status status = RKHS_OK;
    if (c->z == NULL) REFUSE(c, EXIT_MISUSED, "the embedding is missing; give --z Z.npy");
    if (c->new_z == NULL && (c->new_x != NULL || c->new_labels != NULL))
        REFUSE(c, EXIT_MISUSED, "--%s is about new rows, whose embedding is missing; give --new-z Z.npy",
               c->new_x != NULL ? "new-x" : "new-labels");
    if (c->kernel != NULL) TRY(rkhs_kernel_new(c->env, c->kernel, &s->kernel));
    TRY(read_embedding(c, c->z, &s->z));
    if (c->new_z != NULL) TRY(read_embedding(c, c->new_z, &s->new_z));
    if (c->labels != NULL) TRY(read_labels(c, c->labels, c->label_column, &s->y));
    if (c->new_labels != NULL) TRY(read_labels(c, c->new_labels, c->label_column, &s->new_y));
    if (c->x != NULL) TRY(read_objects(c, c->x, c->labels, s->kernel, &s->x));
    if (c->new_x != NULL) TRY(read_objects(c, c->new_x, c->new_labels, s->kernel, &s->new_x));
done:
    return status;
}

/* Labels from a file, or those that came with the objects. */
static const rkhs_data *labels_of(const rkhs_data *y, const rkhs_data *x) {
    return y != NULL ? y : x != NULL ? rkhs_data_labels(x) : NULL;
}

int run_score(cli *c) {
    scored s = {0};
    double *values = NULL;
    rkhs_status status;
    TRY(take_numbers(c, "the result", c->count, 2, &values));
    TRY(read_scored(c, &s));
    TRY(check_label_header(c, c->labels, s.y, rkhs_data_rows(s.z)));
    set_subject(c, c->z, c->labels != NULL ? c->labels : c->x);
    const rkhs_score_input what = {.z = s.z,
                                   .x = s.x,
                                   .labels = labels_of(s.y, s.x),
                                   .new_z = s.new_z,
                                   .new_x = s.new_x,
                                   .new_labels = labels_of(s.new_y, s.new_x),
                                   .kernel = s.kernel};
    TRY(rkhs_score(c->env, (const char *const *)c->operand, c->count, &what, values, values + c->count));
    print_scores(c, values, values + c->count);
done:;
    int code = finish(c, status);
    free(values);
    rkhs_data *const all[] = {s.new_y, s.y, s.new_x, s.x, s.new_z, s.z};
    for (int i = 0; i < 6; i++) rkhs_data_free(all[i]);
    rkhs_kernel_free(s.kernel);
    return code;
}
