/* select.c: rkhs select: tries many parameter values by a score, and writes the best model.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- results --------------------------------------------------------------------------------------------------- */

/* "0.912", or "-" if it is not finite, into buffer. */
static const char *number_text(double value, const char *format, char buffer[40]) {
    if (!isfinite(value)) return "-";
    snprintf(buffer, 40, format[0] == '3' ? "%.3g" : format[0] == '6' ? "%.6g" : "%.17g", value);
    return buffer;
}

/* The table of results: aligned columns to read, or separated by tabs with all digits. */
static void make_table(const search *s, int tabs, rk_text *out) {
    int width[MAX_MANY + 3], columns = s->chosen + 3;
    char number[40];
    static const char *const heads[] = {"score", "deviation", "seconds"};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = -1; i < s->count; i++) {
            const cell *one = i >= 0 ? &s->cells[i] : NULL;
            if (pass == 1 && !tabs) rk_text_add(out, i >= 0 && i == s->best ? "* " : "  ");
            for (int k = 0; k < columns; k++) {
                int h = k - s->chosen;
                const char *head = h < 0 ? s->choices[k].name : heads[h];
                const char *shown = i < 0    ? head
                                    : h < 0  ? one->values[k]
                                    : h == 0 ? number_text(one->score, tabs ? "17" : "6", number)
                                    : h == 1 ? number_text(one->deviation, tabs ? "17" : "3", number)
                                             : number_text(one->seconds, "3", number);
                if (pass == 0 && (i < 0 || (int)strlen(shown) > width[k])) width[k] = (int)strlen(shown);
                if (pass == 0) continue;
                if (tabs)
                    rk_text_add(out, "%s%s", shown, "\t");
                else
                    rk_text_add(out, "%-*s%s", width[k], shown, "  ");
            }
            if (pass == 0) continue;
            if (i < 0)
                rk_text_add(out, tabs ? "best\tfailed" : "");
            else if (tabs)
                rk_text_add(out, "%s\t%s", i == s->best ? "1" : "0", one->failed != NULL ? one->failed : "");
            else if (one->failed != NULL)
                rk_text_add(out, "%s", one->failed);
            while (!tabs && out->length > 0 && out->s[out->length - 1] == ' ') out->length--;
            rk_text_add(out, "\n");
        }
    }
}

static void json_number(const char *name, double value) {
    printf(isfinite(value) ? ", \"%s\": %.17g" : ", \"%s\": null", name, value);
}

static void print_json(const search *s) {
    printf("{\"by\": ");
    json_text(stdout, s->c->by);
    printf(", \"better\": \"%s\", \"folds\": %d, \"seed\": %llu, \"best\": %d, \"cells\": [", s->better > 0 ? "more" : "less",
           s->c->folds, (unsigned long long)s->c->seed, s->best);
    for (int i = 0; i < s->count; i++) {
        const cell *one = &s->cells[i];
        printf("%s\n  {\"values\": {", i > 0 ? "," : "");
        for (int h = 0; h < s->chosen; h++) {
            printf("%s", h > 0 ? ", " : "");
            json_text(stdout, s->choices[h].name);
            printf(": ");
            json_text(stdout, one->values[h]);
        }
        printf("}, \"model\": ");
        json_text(stdout, one->model);
        printf(", \"kernel\": ");
        if (one->kernel != NULL)
            json_text(stdout, one->kernel);
        else
            printf("null");
        json_number("score", one->score);
        json_number("deviation", one->deviation);
        json_number("seconds", one->seconds);
        printf(", \"failed\": ");
        if (one->failed != NULL)
            json_text(stdout, one->failed);
        else
            printf("null");
        printf("}");
    }
    printf("]}\n");
}

/* The first cell with the best score; -1 if all failed. */
static int find_best(const search *s) {
    int best = -1;
    for (int i = 0; i < s->count; i++) {
        if (s->cells[i].failed != NULL) continue;
        if (best < 0 || s->better * s->cells[i].score > s->better * s->cells[best].score) best = i;
    }
    return best;
}

/* Whether all cells failed for the same reason. */
static int one_reason(const search *s) {
    const cell *first = &s->cells[0];
    for (int i = 1; i < s->count; i++)
        if (s->cells[i].status != first->status || strcmp(s->cells[i].subject, first->subject) != 0) return 0;
    return 1;
}

static void show_lines(const rk_text *t) {
    for (const char *line = t->s; line != NULL && *line != 0; line += strcspn(line, "\n") + 1) {
        print_safe(stdout, line, strcspn(line, "\n"));
        putchar('\n');
    }
}

/* Prints the results, and writes --table. */
static rkhs_status show_results(search *s) {
    rkhs_status status = RKHS_OK;
    rk_text table = {.env = s->c->env}, shown = table;
    s->best = find_best(s);
    if (s->best < 0 && one_reason(s)) goto failed;
    if (s->c->table != NULL) {
        make_table(s, 1, &table);
        TRY(text_write(s->c, &table, s->c->table));
    }
    make_table(s, 0, &shown);
    if (shown.status != RKHS_OK) REFUSE(s->c, EXIT_FAILED, "no memory");
    progress_erase();
    if (s->c->json)
        print_json(s);
    else
        show_lines(&shown);
failed:
    if (s->best < 0 && s->count == 1) REFUSE(s->c, EXIT_FAILED, "%s", s->cells[0].failed);
    if (s->best < 0) REFUSE(s->c, EXIT_FAILED, "all %d combinations failed; the first: %s", s->count, s->cells[0].failed);
done:
    rk_text_free(&shown);
    rk_text_free(&table);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------------------------ */

void select_files(const cli *c, const char *files[SELECT_FILES]) {
    const char *const all[] = {c->operand[1], c->labels, c->target, c->triplets, c->positive, c->negative};
    memcpy(files, all, sizeof all);
}

/* Refuses what can be refused before data are read. */
static rkhs_status check_select(cli *c) {
    const char *outputs[] = {c->output, c->z, c->table, c->resume}, *inputs[SELECT_FILES];
    rkhs_status status;
    if (c->by == NULL) REFUSE(c, EXIT_MISUSED, "what is best? give --by, e.g. --by 'knn(k=3)' or --by 'trustworthiness(k=12)'");
    TRY(check_model_name(c));
    TRY(check_supervision(c));
    if (c->table != NULL && strcmp(c->table, "-") == 0)
        REFUSE(c, EXIT_MISUSED, "--table - : a table is printed on standard output anyway; give a file, or leave it out");
    for (int i = 0; i < 2; i++)
        if (outputs[i] != NULL && strcmp(outputs[i], "-") == 0)
            REFUSE(c, EXIT_MISUSED, "standard output is for the table; give -%c a file", i == 0 ? 'o' : 'z');
    if (c->resume != NULL && strcmp(c->resume, "-") == 0) REFUSE(c, EXIT_MISUSED, "--resume takes a file");
    select_files(c, inputs);
    for (int i = 0; i < SELECT_FILES; i++)
        if (c->resume != NULL && inputs[i] != NULL && strcmp(inputs[i], "-") == 0)
            REFUSE(c, EXIT_MISUSED, "--resume goes by the files' checksums: give a file in place of standard input (-)");
    TRY(check_outputs(c, outputs, 4));
    TRY(check_format(c, c->z, c->output_format));
done:
    return status;
}

/* The first kernel among the cells that can be made, which decides how the data are read; NULL: none can. */
static void first_kernel(search *s, rkhs_kernel **kernel) {
    *kernel = NULL;
    for (int i = 0; i < s->count && s->cells[i].kernel != NULL && *kernel == NULL; i++)
        rkhs_kernel_new(s->c->env, s->cells[i].kernel, kernel);
}

/* Copies labels; the class that --unlabelled names becomes "no label". */
static rkhs_status copy_labels(search *s, const rkhs_data *labels, rkhs_data **out) {
    rkhs_status status;
    int64_t n = rkhs_data_rows(labels), classes = 0, *codes;
    const int64_t *from = rkhs_data_codes(labels, &classes);
    const char **names;
    TRY(keep(s, (size_t)n, sizeof *codes, &codes));
    TRY(keep(s, (size_t)classes + 1, sizeof *names, &names));
    for (int64_t q = 0; q < classes; q++) names[q] = rkhs_data_class_name(labels, q);
    for (int64_t i = 0; i < n; i++) {
        int none = from[i] >= 0 && s->c->unlabelled != NULL && strcmp(names[from[i]], s->c->unlabelled) == 0;
        codes[i] = none ? -1 : from[i];
    }
    TRY(rkhs_data_classes(s->c->env, codes, n, names, classes, out));
done:
    return status;
}

static rkhs_status forget_class(search *s) {
    rkhs_data *fresh = NULL;
    if (s->c->unlabelled == NULL || s->classes == NULL) return RKHS_OK;
    rkhs_status status = copy_labels(s, s->classes, &fresh);
    if (status != RKHS_OK) return status;
    rkhs_data_free(s->labels);
    s->classes = s->labels = fresh;
    return RKHS_OK;
}

static rkhs_status read_all(search *s) {
    cli *c = s->c;
    rkhs_kernel *kernel = NULL;
    rkhs_status status;
    first_kernel(s, &kernel);
    TRY(read_data(c, c->operand[1], kernel, &s->x));
    if (c->labels != NULL) TRY(read_labels(c, c->labels, NULL, &s->labels));
    s->classes = s->labels != NULL ? s->labels : rkhs_data_labels(s->x);
    TRY(read_supervision(c, kernel, s->x, &s->y));
    if (s->needs_labels && s->classes == NULL)
        REFUSE(c, EXIT_MISUSED, "--by %s needs labels: give --labels FILE, or --label-column", c->by);
    TRY(check_label_header(c, c->labels, s->classes, rkhs_data_rows(s->x)));
    TRY(forget_class(s));
    if (s->y != NULL || s->classes == NULL) goto done;
    if (c->labels != NULL ? learns_labels(c, c->operand[0]) : column_labels(c, c->operand[0], s->x) != NULL)
        TRY(copy_labels(s, s->classes, &s->y));
done:
    rkhs_kernel_free(kernel);
    return status;
}

/* Sorts cells by kernel, then by position. */
static int by_kernel(const void *a, const void *b) {
    const cell *x = *(cell *const *)a, *y = *(cell *const *)b;
    int order = x->kernel != NULL && y->kernel != NULL ? strcmp(x->kernel, y->kernel) : 0;
    return order != 0 ? order : (x > y) - (x < y);
}

/* Tries all cells that are not done, those with the same kernel together. */
static rkhs_status try_all(search *s) {
    rkhs_status status = RKHS_OK;
    cell **open;
    int count = 0;
    TRY(keep(s, (size_t)s->count, sizeof *open, &open));
    for (int i = 0; i < s->count; i++)
        if (!s->cells[i].done) open[count++] = &s->cells[i];
    qsort(open, (size_t)count, sizeof *open, by_kernel);
    for (int i = 0, j; i < count; i = j) {
        for (j = i + 1; j < count && (open[i]->kernel == NULL || strcmp(open[i]->kernel, open[j]->kernel) == 0);) j++;
        TRY(try_cells(s, open + i, j - i));
        if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    }
done:
    return status;
}

/* Fits the best cell on all rows and writes the model. */
static rkhs_status write_best(search *s) {
    cli *c = s->c;
    const cell *best = &s->cells[s->best];
    rkhs_model *m = NULL;
    rkhs_kernel *kernel = NULL;
    rkhs_status status = RKHS_OK;
    if (c->output == NULL && c->z == NULL) return RKHS_OK;
    set_subject(c, c->operand[1], supervision_file(c) != NULL ? supervision_file(c) : c->labels);
    TRY(rkhs_model_new(c->env, best->model, &m));
    if (best->kernel != NULL) TRY(rkhs_kernel_new(c->env, best->kernel, &kernel));
    TRY(rkhs_model_fit(m, kernel, s->x, s->y, NULL));
    TRY(write_fit(c, m));
    if (!c->quiet && stop_signal() == 0) say_summary(c, m);
done:
    rkhs_kernel_free(kernel);
    rkhs_model_free(m);
    return status;
}

int run_select(cli *c) {
    search s = {.c = c, .best = -1};
    int quiet = c->quiet;
    rkhs_status status;
    TRY(check_select(c));
    TRY(check_criterion(&s));
    TRY(read_choices(&s));
    TRY(set_augment(c));
    TRY(make_cells(&s));
    TRY(read_all(&s));
    TRY(check_labels_and_target(&s));
    TRY(assign_folds(&s));
    TRY(resume_read(&s));
    if (!c->verbose) c->quiet = 1; /* only the advice about the best model is shown */
    status = try_all(&s);
    c->quiet = quiet;
    if (status != RKHS_OK) goto done;
    TRY(show_results(&s));
    TRY(write_best(&s));
done:;
    int code = finish(c, status);
    rkhs_data_free(s.labels);
    rkhs_data_free(s.y);
    rkhs_data_free(s.x);
    forget_kept(&s);
    return code;
}
