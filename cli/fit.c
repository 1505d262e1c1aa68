/* fit.c: rkhs fit and rkhs update: fits a model, or adds objects to one.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int explained_share(const rkhs_model *m, double *share) {
    rkhs_item item;
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) {
        if (strcmp(item.name, "explained_variance") != 0 || item.values == NULL) continue;
        *share = 0;
        for (int64_t j = 0; j < item.rows * item.columns; j++) *share += item.values[j];
        return 1;
    }
    return 0;
}

/* One line on stderr: objects, kernel, dimensions, explained variance, time and memory. */
void say_summary(const cli *c, const rkhs_model *m) {
    char line[1024], spec[SPEC_ROOM], peak[32], explained[64] = "";
    int64_t n = 0, dim = 0;
    double share;
    rkhs_model_embedding(m, &n, &dim);
    const rkhs_kernel *kernel = rkhs_model_kernel(m);
    if (explained_share(m, &share)) snprintf(explained, sizeof explained, "%.1f%% of the variance, ", 100 * share);
    snprintf(line, sizeof line, "%s, %.600s, %s, %s%.3g s, %s at most", rk_counted(n, "object").text,
             kernel != NULL ? spec_short(rkhs_kernel_text(kernel), spec) : "no kernel", rk_counted(dim, "dimension").text,
             explained, rk_seconds() - c->started, rk_bytes_text((double)rkhs_env_memory_peak(c->env), peak));
    say(c->command->name, line);
}

rkhs_status check_model_name(cli *c) {
    if (c->output == NULL || !(ends_in(c->output, ".npy") || ends_in(c->output, ".csv") || ends_in(c->output, ".tsv")))
        return RKHS_OK;
    return refuse(c, EXIT_MISUSED, "-o %s: that is where the model goes, e.g. m.rkhs; the embedding goes to -z %s", c->output,
                  c->output);
}

/* Refuses a fit that would write nothing, options that exclude each other, and outputs that cannot be written. */
static rkhs_status check_fit(cli *c) {
    const char *outputs[] = {c->output, c->z};
    if (c->output == NULL && c->z == NULL) {
        return refuse(c, EXIT_MISUSED,
                      "nothing would be written; give -o m.rkhs for the model, -z Z.npy for the embedding, or both");
    }
    rkhs_status status = check_model_name(c);
    if (status != RKHS_OK) return status;
    if (c->labels != NULL && c->target != NULL) return refuse(c, EXIT_MISUSED, "give --labels or --target, not both");
    if ((c->triplets != NULL || c->positive != NULL) && c->labels != NULL)
        return refuse(c, EXIT_MISUSED, "give --%s or --labels, not both", c->triplets != NULL ? "triplets" : "positive");
    status = check_supervision(c);
    if (status != RKHS_OK) return status;
    status = check_outputs(c, outputs, 2);
    return status == RKHS_OK ? check_format(c, c->z, c->output_format) : status;
}

rkhs_status write_fit(cli *c, const rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    int64_t n, dim;
    const double *Z = rkhs_model_embedding(m, &n, &dim);
    TRY(rkhs_files_begin(c->env));
    if (c->z != NULL) TRY(write_numbers(c, Z, n, dim, c->z));
    if (c->output != NULL) TRY(write_model(c, m, c->output));
    TRY(commit_files(c));
done:
    rkhs_files_drop(c->env);
    return status;
}

rkhs_status set_augment(cli *c) {
    rkhs_status status = RKHS_OK;
    if (c->augment == NULL) return RKHS_OK;
    TRY(rkhs_spec_new(c->env, "models", c->operand[0], &c->spec));
    TRY(rkhs_spec_set(c->spec, "augment", c->augment));
    c->operand[0] = rkhs_spec_text(c->spec);
done:
    return status;
}

rkhs_status check_supervision(cli *c) {
    if (c->triplets != NULL && c->positive != NULL) return refuse(c, EXIT_MISUSED, "give --triplets or --positive, not both");
    if (c->negative != NULL && c->positive == NULL)
        return refuse(c, EXIT_MISUSED, "--negative goes with --positive: give both, or --triplets");
    if ((c->triplets != NULL || c->positive != NULL) && c->target != NULL)
        return refuse(c, EXIT_MISUSED, "give --%s or --target, not both", c->triplets != NULL ? "triplets" : "positive");
    return RKHS_OK;
}

const char *supervision_file(const cli *c) {
    return c->target != NULL ? c->target : c->triplets != NULL ? c->triplets : c->positive;
}

/* Reads --positive and --negative, which must have the rows of x. */
static rkhs_status read_pairs(cli *c, const rkhs_kernel *kernel, const rkhs_data *x, rkhs_data **y) {
    rkhs_status status = RKHS_OK;
    const char *const paths[] = {c->positive, c->negative};
    rkhs_data *part[2] = {NULL};
    int64_t n = rkhs_data_rows(x);
    if (rkhs_kernel_uses(kernel, "precomputed"))
        REFUSE(c, EXIT_MISUSED, "--positive is for objects: with a precomputed Gram of all of them give --triplets");
    for (int k = 0; k < 2 && paths[k] != NULL; k++) {
        TRY(read_data(c, paths[k], kernel, &part[k]));
        if (rkhs_data_rows(part[k]) != n)
            REFUSE(c, EXIT_FAILED, "%s has %s, but %s has %lld: give one for each row", paths[k],
                   rk_counted(rkhs_data_rows(part[k]), "row").text, c->operand[1], (long long)n);
    }
    set_subject(c, paths[0], paths[1]);
    TRY(rkhs_data_pairs(c->env, part[0], part[1], y));
done:
    for (int k = 0; k < 2; k++) rkhs_data_free(part[k]);
    return status;
}

rkhs_status read_supervision(cli *c, const rkhs_kernel *kernel, const rkhs_data *x, rkhs_data **y) {
    if (c->positive != NULL) return read_pairs(c, kernel, x, y);
    if (c->triplets != NULL) return rkhs_data_read_index(c->env, c->triplets, NULL, rkhs_data_rows(x), y);
    return c->target != NULL ? read_target(c, c->target, y) : RKHS_OK;
}

int run_fit(cli *c) {
    rkhs_data *x = NULL, *y = NULL, *start = NULL;
    rkhs_kernel *kernel = NULL;
    rkhs_model *m = NULL;
    rkhs_status status;
    TRY(check_fit(c));
    TRY(set_augment(c));
    TRY(rkhs_model_new(c->env, c->operand[0], &m));
    if (c->kernel != NULL) TRY(rkhs_kernel_new(c->env, c->kernel, &kernel));
    TRY(read_data(c, c->operand[1], kernel, &x));
    TRY(read_supervision(c, kernel, x, &y));
    if (c->labels != NULL) TRY(read_labels(c, c->labels, NULL, &y));
    if (c->labels != NULL) TRY(check_label_header(c, c->labels, y, rkhs_data_rows(x)));
    if (c->start != NULL) TRY(read_target(c, c->start, &start));
    const char *supervision = c->labels != NULL ? c->labels : supervision_file(c);
    set_subject(c, c->operand[1], supervision != NULL ? supervision : c->start);
    TRY(rkhs_model_fit(m, kernel, x, y != NULL ? y : column_labels(c, c->operand[0], x), start));
    TRY(write_fit(c, m));
    if (!c->quiet && stop_signal() == 0) say_summary(c, m);
done:;
    int code = finish(c, status);
    rkhs_model_free(m);
    rkhs_kernel_free(kernel);
    rkhs_data_free(start);
    rkhs_data_free(y);
    rkhs_data_free(x);
    return code;
}

/* Prints how far the old objects moved. */
static void say_moved(const rkhs_model *m) {
    rkhs_item item;
    char line[128];
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) {
        if (strcmp(item.name, "moved") != 0 || item.values == NULL) continue;
        snprintf(line, sizeof line, "the old objects moved by %.3g of their deviation", item.values[0]);
        say("update", line);
    }
}

int run_update(cli *c) {
    rkhs_model *m = NULL;
    rkhs_data *x = NULL, *y = NULL;
    rkhs_status status;
    TRY(check_fit(c));
    TRY(rkhs_model_load(c->env, c->operand[0], &m));
    TRY(read_data(c, c->operand[1], rkhs_model_kernel(m), &x));
    if (c->target != NULL) TRY(read_target(c, c->target, &y));
    set_subject(c, c->operand[1], c->target);
    TRY(rkhs_model_update(m, x, y));
    TRY(write_fit(c, m));
    if (!c->quiet && stop_signal() == 0) {
        say_summary(c, m);
        say_moved(m);
    }
done:;
    int code = finish(c, status);
    rkhs_data_free(y);
    rkhs_data_free(x);
    rkhs_model_free(m);
    return code;
}
