/* info.c: rkhs info: prints what is in a model file.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <string.h>
#include <sys/stat.h>

enum { MAX_VALUES = 6, LIST_SHOWN = 3 };

/* Prints a name and a text, wrapped. */
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

static void show_number(int width, const char *name, double value, const char *more) {
    printf("%-*s%.6g%s\n", width, name, value, more);
}

/* Prints the first numbers of a report item, and how many there are. */
static void show_numbers(int width, const rkhs_item *item) {
    int64_t count = item->rows * item->columns;
    print_padded(stdout, item->name, width);
    for (int64_t i = 0; i < count && i < MAX_VALUES; i++) printf("%s%.6g", i > 0 ? "  " : "", item->values[i]);
    if (count > MAX_VALUES && item->rows > 1 && item->columns > 1) {
        printf("  ... (%lld x %lld)", (long long)item->rows, (long long)item->columns);
    } else if (count > MAX_VALUES) {
        printf("  ... (%lld in all)", (long long)count);
    }
    putchar('\n');
}

/* Prints the first column names. */
static void show_names(const cli *c, int width, const rkhs_data *kept) {
    rk_text all = {.env = c->env};
    int64_t columns = rkhs_data_columns(kept), shown = columns > 2 * MAX_VALUES ? MAX_VALUES : columns;
    if (rkhs_data_column_name(kept, 0) == NULL) return;
    for (int64_t i = 0; i < shown; i++) rk_text_add(&all, "%s%.60s", i > 0 ? ", " : "", rkhs_data_column_name(kept, i));
    if (shown < columns) rk_text_add(&all, ", ... %lld in all", (long long)columns);
    if (all.status == RKHS_OK) show_text(width, "names", all.s);
    rk_text_free(&all);
}

/* Prints what every model has, and then its report. */
static void show_model(const cli *c, const rkhs_model *m) {
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
        if (strcmp(item.name, "rows") == 0) continue; /* shown above as "objects" */
        if (strcmp(item.name, "reference_objects") == 0) show_names(c, width, rkhs_model_reference_objects(m, NULL));
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
    show_model(c, m);
    putchar('\n');
    if (stat(c->operand[0], &file) == 0 && S_ISREG(file.st_mode)) {
        print_safe(stdout, c->operand[0], strlen(c->operand[0]));
        printf(": %s. ", rk_bytes_text((double)file.st_size, size));
    }
    int rows_only = rkhs_kernel_uses(rkhs_model_kernel(m), "precomputed");
    puts(rows_only ? "The file names training objects by their rows and contains none of them."
                   : "The file contains training objects: share it only as you would share the data.");
done:;
    int code = finish(c, status);
    rkhs_model_free(m);
    return code;
}
