/* labels.c: checks of label files, and which models learn from labels.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int type_of_spec(cli *c, const char *list, const char *typed, rkhs_type *type) {
    rkhs_spec *spec = NULL;
    int i = 0;
    if (rkhs_spec_new(c->env, list, typed, &spec) != RKHS_OK) return 0;
    while (rkhs_list_type(list, i, type) && strcmp(type->name, rkhs_spec_name(spec)) != 0) i++;
    rkhs_spec_free(spec);
    return rkhs_list_type(list, i, type);
}

int learns_labels(cli *c, const char *spec) {
    rkhs_type type;
    return type_of_spec(c, "models", spec, &type) && type.takes_labels;
}

const rkhs_data *column_labels(cli *c, const char *model, const rkhs_data *x) {
    char line[512];
    if (c->label_column == NULL || !learns_labels(c, model)) return NULL;
    snprintf(line, sizeof line, "the labels in column '%.100s' are learned from, as with --labels", c->label_column);
    if (!c->quiet) say(c->command->name, line);
    return rkhs_data_labels(x);
}

rkhs_status check_label_header(cli *c, const char *path, const rkhs_data *labels, int64_t rows) {
    int table = path != NULL && (ends_in(path, ".csv") || ends_in(path, ".tsv") || ends_in(path, ".txt"));
    if (!table || labels == NULL || rkhs_data_rows(labels) != rows + 1) return RKHS_OK;
    int64_t classes = 0;
    const int64_t *codes = rkhs_data_codes(labels, &classes);
    if (codes[0] < 0 || classes > rows) return RKHS_OK; /* other labels occur once as well */
    for (int64_t i = 1; i <= rows; i++)
        if (codes[i] == codes[0]) return RKHS_OK;
    return refuse(c, EXIT_FAILED,
                  "%s has %s for %s, and the first, '%.60s', is there once: if it is a header, take that line out", path,
                  rk_counted(rows + 1, "label").text, rk_counted(rows, "row").text, rkhs_data_class_name(labels, codes[0]));
}

void say_minus_one(const cli *c, const char *path, const rkhs_data *labels) {
    int64_t classes = 0, whole = 0;
    int found = 0;
    char line[512];
    rkhs_data_codes(labels, &classes);
    if (c->quiet || (c->unlabelled != NULL && strtod(c->unlabelled, NULL) == -1)) return;
    for (int64_t k = 0; k < classes; k++) {
        char *end;
        const char *name = rkhs_data_class_name(labels, k);
        double value = strtod(name, &end);
        if (end == name || *end != 0) continue;
        found |= value == -1;
        whole += value >= 0 && value == floor(value);
    }
    if (!found || whole < 2) return;
    snprintf(line, sizeof line, "%.250s: -1 is taken as a class; for rows without a label write ? or nothing, in a text file",
             path);
    say(c->command->name, line);
}
