/* data.c: rkhs gram, sample.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdlib.h>

int run_gram(cli *c) {
    rkhs_kernel *kernel = NULL;
    rkhs_data *a = NULL, *b = NULL;
    double *K = NULL;
    const char *path;
    rkhs_status status;
    TRY(result_path(c, &path));
    TRY(check_format(c, path, c->output_format));
    TRY(rkhs_kernel_new(c->env, c->operand[0], &kernel));
    TRY(read_data(c, c->operand[1], kernel, &a));
    if (c->count > 2) TRY(read_data(c, c->operand[2], kernel, &b));
    int64_t n = rkhs_data_rows(a), m = b != NULL ? rkhs_data_rows(b) : n;
    TRY(take_numbers(c, "the Gram matrix", n, m, &K));
    set_subject(c, c->operand[1], c->count > 2 ? c->operand[2] : NULL);
    TRY(rkhs_kernel_gram(kernel, a, b, K, m));
    TRY(write_numbers(c, K, n, m, path));
done:;
    int code = finish(c, status);
    free(K);
    rkhs_data_free(b);
    rkhs_data_free(a);
    rkhs_kernel_free(kernel);
    return code;
}

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
    TRY(stage(c, c->labels_out, path));
    if (c->labels_out != NULL) TRY(write_labels(c, labels, c->labels_out));
    TRY(write_data(c, x, path));
    TRY(stage_commit(c));
done:
    stage_end(c);
    int code = finish(c, status);
    rkhs_data_free(x);
    return code;
}
