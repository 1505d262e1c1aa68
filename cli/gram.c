/* gram.c: rkhs gram: computes a Gram matrix, or some of its rows, or joins such parts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Reads one end of --rows at *at and moves past it; no digits: `absent`. Returns 0 if the number is too large. */
static int take_row(const char **at, int64_t absent, int64_t *row) {
    *row = absent;
    if (**at < '0' || **at > '9') return 1;
    for (*row = 0; **at >= '0' && **at <= '9'; (*at)++) {
        if (*row > INT64_MAX / 16) return 0;
        *row = 10 * *row + (**at - '0');
    }
    return 1;
}

/* Reads --rows "a:b", "a:" or ":b"; *to is -1 if it is open. */
static rkhs_status parse_rows(cli *c, int64_t *from, int64_t *to) {
    const char *at = c->rows;
    int good = take_row(&at, 0, from) && *at == ':';
    if (good) at++;
    good = good && take_row(&at, -1, to) && *at == 0;
    if (!good) return refuse(c, EXIT_MISUSED, "--rows takes FROM:TO, FROM: or :TO, as in 0:256, not '%.60s'", c->rows);
    return RKHS_OK;
}

/* Refuses --rows beyond the data. */
static rkhs_status check_rows(cli *c, int64_t n, int64_t from, int64_t to) {
    if (to > n || from >= n)
        return refuse(c, EXIT_FAILED, "%s has %s, 0 to %lld, and --rows %.60s asks for others", c->operand[1],
                      rk_counted(n, "row").text, (long long)n - 1, c->rows);
    if (from >= to) return refuse(c, EXIT_MISUSED, "--rows %.60s holds no row: TO must be above FROM", c->rows);
    return RKHS_OK;
}

/* rkhs gram --merge PART... */
static int run_merge(cli *c) {
    const char *path;
    rkhs_status status;
    if (c->rows != NULL) REFUSE(c, EXIT_MISUSED, "give --rows to make a part, or --merge to join parts, not both");
    if (c->format != NULL || c->output_format != NULL || c->label_column != NULL)
        REFUSE(c, EXIT_MISUSED,
               "--merge goes by the parts' endings and writes NPY: leave out --format, --output-format and "
               "--label-column");
    TRY(result_path(c, &path));
    TRY(check_format(c, path, NULL));
    if (strcmp(path, "-") != 0 && strncmp(path, "/dev/", 5) != 0 && !ends_in(path, ".npy"))
        REFUSE(c, EXIT_FAILED, "%s: --merge writes NPY: end the name in .npy", path);
    writing_now(1);
    status = rkhs_data_merge_gram(c->env, c->operand, c->count, path);
    writing_now(0);
done:
    return finish(c, status);
}

int run_gram(cli *c) {
    rkhs_kernel *kernel = NULL;
    rkhs_data *a = NULL, *b = NULL;
    double *K = NULL;
    const char *path;
    int64_t from = 0, to = -1;
    rkhs_status status;
    if (c->merge) return run_merge(c);
    if (c->rows != NULL && c->count > 2)
        REFUSE(c, EXIT_MISUSED, "--rows are of A with itself: leave out %s, or give the rows wanted as A", c->operand[2]);
    if (c->rows != NULL) TRY(parse_rows(c, &from, &to));
    TRY(result_path(c, &path));
    TRY(check_format(c, path, c->output_format));
    TRY(rkhs_kernel_new(c->env, c->operand[0], &kernel));
    TRY(read_data(c, c->operand[1], kernel, &a));
    if (c->count > 2) TRY(read_data(c, c->operand[2], kernel, &b));
    int64_t n = rkhs_data_rows(a), m = b != NULL ? rkhs_data_rows(b) : n;
    if (to < 0) to = n;
    if (c->rows != NULL) TRY(check_rows(c, n, from, to));
    TRY(take_numbers(c, c->rows != NULL ? "the part" : "the Gram matrix", to - from, m, &K));
    set_subject(c, c->operand[1], c->count > 2 ? c->operand[2] : NULL);
    TRY(c->rows != NULL ? rkhs_kernel_gram_rows(kernel, a, from, to, K, m) : rkhs_kernel_gram(kernel, a, b, K, m));
    TRY(write_numbers(c, K, to - from, m, path));
done:;
    int code = finish(c, status);
    free(K);
    rkhs_data_free(b);
    rkhs_data_free(a);
    rkhs_kernel_free(kernel);
    return code;
}
