/* look.c: rkhs info, score.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_WIDTH = 14, MOST_VALUES = 6 };

/* One line of info: a name, and text that goes on below itself. */
static void show_text(const char *name, const char *value) {
    int at = printf("%s", name);
    wrap(stdout, at, NAME_WIDTH, value);
}

/* Numbers of a report: a few of them, and how many there are. */
static void show_numbers(const rkhs_item *item) {
    char line[512];
    size_t used = 0;
    int64_t count = item->rows * item->columns;
    line[0] = 0;
    for (int64_t i = 0; i < count && i < MOST_VALUES; i++) {
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%.6g", i > 0 ? "  " : "", item->values[i]);
    }
    if (count > MOST_VALUES && item->rows > 1 && item->columns > 1) {
        snprintf(line + used, sizeof line - used, "  ... (%lld x %lld)", (long long)item->rows, (long long)item->columns);
    } else if (count > MOST_VALUES) {
        snprintf(line + used, sizeof line - used, "  ... (%lld in all)", (long long)count);
    }
    printf("%-*s%s%s\n", NAME_WIDTH - 1, item->name, " ", line);
}

int run_info(cli *c) {
    rkhs_model *m = NULL;
    rkhs_item item;
    rkhs_status status;
    struct stat file;
    int64_t n = 0, dim = 0;
    char size[32], line[128];
    TRY(rkhs_model_load(c->env, c->operand[0], &m));
    rkhs_model_embedding(m, &n, &dim);
    show_text("model", rkhs_model_text(m));
    if (rkhs_model_kernel(m) != NULL) show_text("kernel", rkhs_kernel_text(rkhs_model_kernel(m)));
    snprintf(line, sizeof line, "%lld", (long long)n);
    show_text("objects", line);
    snprintf(line, sizeof line, "%lld", (long long)dim);
    show_text("dimensions", line);
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) {
        if (item.text != NULL)
            show_text(item.name, item.text);
        else if (item.values != NULL)
            show_numbers(&item);
    }
    if (stat(c->operand[0], &file) == 0 && S_ISREG(file.st_mode)) show_text("file", bytes_text((double)file.st_size, size));
    show_text("contains", "training objects: share this file only as you would share the data");
done:;
    int code = finish(c, status);
    rkhs_model_free(m);
    return code;
}

/* A JSON string. */
static void print_json_text(const char *s) {
    putchar('"');
    for (; *s != 0; s++) {
        if ((unsigned char)*s < 32)
            printf("\\u%04x", (unsigned)*s);
        else if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else
            putchar(*s);
    }
    putchar('"');
}

/* Prints the scores, one a line, or as one JSON object. */
static void print_scores(const cli *c, const double *values) {
    int width = 0;
    for (int i = 0; i < c->count; i++) {
        int length = (int)strlen(c->operand[i]);
        if (length > width) width = length;
    }
    for (int i = 0; i < c->count && !c->json; i++) printf("%-*s  %.6g\n", width, c->operand[i], values[i]);
    if (!c->json) return;
    for (int i = 0; i < c->count; i++) {
        printf("%s", i == 0 ? "{" : ", ");
        print_json_text(c->operand[i]);
        if (isfinite(values[i]))
            printf(": %.17g", values[i]);
        else
            printf(": null");
    }
    printf("}\n");
}

int run_score(cli *c) {
    rkhs_data *x = NULL, *z = NULL, *y = NULL;
    double *values = NULL;
    rkhs_status status;
    if (c->z == NULL) REFUSE(c, EXIT_MISUSED, "the embedding is missing; give --z Z.npy");
    TRY(take_numbers(c, "the result", c->count, 1, &values));
    TRY(read_plain(c, c->z, &z));
    if (c->labels != NULL) TRY(read_labels(c, c->labels, c->label_column, &y));
    if (c->x != NULL) TRY(c->labels != NULL ? read_plain(c, c->x, &x) : read_data(c, c->x, &x));
    const rkhs_data *labels = y != NULL ? y : x != NULL ? rkhs_data_labels(x) : NULL;
    for (int i = 0; i < c->count; i++) TRY(rkhs_score(c->env, c->operand[i], x, z, labels, &values[i]));
    print_scores(c, values);
done:;
    int code = finish(c, status);
    free(values);
    rkhs_data_free(y);
    rkhs_data_free(z);
    rkhs_data_free(x);
    return code;
}
