/* sample.c: rkhs sample: writes a synthetic data set.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

int run_sample(cli *c) {
    rkhs_data *x = NULL;
    const char *path;
    rkhs_status status;
    TRY(result_path(c, &path));
    TRY(check_format(c, path, c->output_format));
    const char *outputs[] = {path, c->labels_out};
    TRY(check_outputs(c, outputs, 2));
    TRY(check_format(c, c->labels_out, NULL));
    TRY(rkhs_data_sample(c->env, c->operand[0], &x));
    const rkhs_data *labels = rkhs_data_labels(x);
    if (c->labels_out != NULL && labels == NULL) {
        REFUSE(c, EXIT_FAILED, "%s has no labels to write; leave out --labels-out", c->operand[0]);
    }
    TRY(rkhs_files_begin(c->env));
    if (c->labels_out != NULL) TRY(write_labels(c, labels, c->labels_out));
    TRY(write_data(c, x, path));
    TRY(commit_files(c));
done:
    rkhs_files_drop(c->env);
    int code = finish(c, status);
    rkhs_data_free(x);
    return code;
}
