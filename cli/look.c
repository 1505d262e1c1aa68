/* look.c: rkhs info, score.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_VALUES = 6, LIST_SHOWN = 3 };

/* One line of info: a name, and text that goes on below itself. */
static void show_text(int width, const char *name, const char *value) {
    wrap(stdout, print_safe(stdout, name, strlen(name)), width, value);
}

const char *spec_short(const char *spec, char out[SPEC_ROOM]) {
    size_t used = 0;
    while (*spec != 0 && used + 120 < SPEC_ROOM) {
        size_t length = *spec == '[' ? strcspn(spec, "]") : 0, shown = 0;
        int numbers = 1;
        for (size_t i = 0; i < length; i++) {
            numbers += spec[i] == ',';
            if (spec[i] == ',' && i < 60 && numbers <= LIST_SHOWN + 1) shown = i;
        }
        if (shown == 0 || numbers <= 2 * LIST_SHOWN) {
            out[used++] = *spec++;
            continue;
        }
        used += (size_t)snprintf(out + used, SPEC_ROOM - used, "%.*s, ... %d in all]", (int)shown, spec, numbers);
        spec += length + 1;
    }
    snprintf(out + used, SPEC_ROOM - used, "%s", *spec != 0 ? " ..." : "");
    return out;
}

/* One line of info with a number, and words after it. */
static void show_number(int width, const char *name, double value, const char *more) {
    printf("%-*s%.6g%s\n", width, name, value, more);
}

/* Numbers of a report: a few of them, and how many there are. */
static void show_numbers(int width, const rkhs_item *item) {
    int64_t count = item->rows * item->columns;
    print_padded(stdout, item->name, width);
    for (int64_t i = 0; i < count && i < MOST_VALUES; i++) printf("%s%.6g", i > 0 ? "  " : "", item->values[i]);
    if (count > MOST_VALUES && item->rows > 1 && item->columns > 1) {
        printf("  ... (%lld x %lld)", (long long)item->rows, (long long)item->columns);
    } else if (count > MOST_VALUES) {
        printf("  ... (%lld in all)", (long long)count);
    }
    putchar('\n');
}

/* The names of the columns, a few of them. */
static void show_names(int width, const rkhs_data *kept) {
    text all = {0};
    int64_t columns = rkhs_data_columns(kept), shown = columns > 2 * MOST_VALUES ? MOST_VALUES : columns;
    if (rkhs_data_column_name(kept, 0) == NULL) return;
    for (int64_t i = 0; i < shown; i++) text_add(&all, "%s%.60s", i > 0 ? ", " : "", rkhs_data_column_name(kept, i));
    if (shown < columns) text_add(&all, ", ... %lld in all", (long long)columns);
    if (!all.failed) show_text(width, "names", all.s);
    text_free(&all);
}

/* Everything that a model's report says, below what every model has. */
static void show_model(const rkhs_model *m) {
    rkhs_item item;
    int64_t n = 0, dim = 0;
    double share;
    int width = 12;
    char spec[SPEC_ROOM];
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) {
        int columns = print_safe(NULL, item.name, strlen(item.name)) + 2;
        if (columns > width) width = columns;
    }
    rkhs_model_embedding(m, &n, &dim);
    show_text(width, "model", spec_short(rkhs_model_text(m), spec));
    if (rkhs_model_kernel(m) != NULL) {
        show_text(width, "kernel", spec_short(rkhs_kernel_text(rkhs_model_kernel(m)), spec));
    }
    show_number(width, "objects", (double)n, "");
    show_number(width, "dimensions", (double)dim, "");
    if (explained_share(m, &share)) show_number(width, "explained", share, " of the variance");
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) {
        if (strcmp(item.name, "rows") == 0) continue; /* the objects, above */
        if (strcmp(item.name, "kept") == 0) show_names(width, rkhs_model_kept(m, NULL));
        if (item.text != NULL)
            show_text(width, item.name, item.text);
        else if (item.values != NULL)
            show_numbers(width, &item);
    }
}

int run_info(cli *c) {
    rkhs_model *m = NULL;
    rkhs_status status;
    struct stat file;
    char size[32];
    TRY(rkhs_model_load(c->env, c->operand[0], &m));
    show_model(m);
    putchar('\n');
    if (stat(c->operand[0], &file) == 0 && S_ISREG(file.st_mode)) {
        print_safe(stdout, c->operand[0], strlen(c->operand[0]));
        printf(": %s. ", bytes_text((double)file.st_size, size));
    }
    int rows_only = strcmp(rkhs_kernel_text(rkhs_model_kernel(m)), "precomputed") == 0;
    puts(rows_only ? "The file names training objects by their rows and contains none of them."
                   : "The file contains training objects: share it only as you would share the data.");
done:;
    int code = finish(c, status);
    rkhs_model_free(m);
    return code;
}

/* "name(args) deviation": null where there is no number. */
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

/* Prints the scores, one a line, or as one JSON object. */
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

/* What is scored, as it was read. */
typedef struct scored {
    rkhs_kernel *kernel;
    rkhs_data *z, *x, *y, *new_z, *new_x, *new_y;
} scored;

/* An embedding: --format is that of the objects, if there are any. */
static rkhs_status read_embedding(cli *c, const char *path, rkhs_data **z) {
    return c->x != NULL ? read_target(c, path, z) : read_plain(c, path, z);
}

/* Objects, with their labels in a column unless these have a file. */
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

/* Labels of their own, or those that came with the objects. */
static const rkhs_data *labels_of(const rkhs_data *y, const rkhs_data *x) {
    return y != NULL ? y : x != NULL ? rkhs_data_labels(x) : NULL;
}

int run_score(cli *c) {
    scored s = {0};
    double *values = NULL;
    rkhs_status status;
    TRY(take_numbers(c, "the result", c->count, 2, &values));
    TRY(read_scored(c, &s));
    TRY(check_header(c, c->labels, s.y, rkhs_data_rows(s.z)));
    set_subject(c, c->z, c->labels != NULL ? c->labels : c->x);
    const rkhs_scored what = {.z = s.z,
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
