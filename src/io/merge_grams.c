/* merge_grams.c: joins files with blocks of rows of one Gram matrix, computed separately, into one NPY file.
 *
 *     K = [ P_1; P_2; ... ],  where P_q holds consecutive rows of the n x n Gram matrix K, with all n columns
 *
 * An NPY file cannot store which rows it has, so the parts are joined in the order given. K must be symmetric, and its
 * two halves are mostly in different parts: the check for symmetry detects a wrong order, other data and another
 * kernel. Parts are memory-mapped if possible. */
#include "io/io.h"
#include "kernel/kernel.h"

#include <string.h>

typedef struct parts {
    rkhs_env *env;
    const char *const *paths;
    int64_t count;
    rkhs_data **data;
    int64_t n;          /* rows and columns of K */
    const double **row; /* row i of K, 0 <= i < n */
} parts;

/* Reads, or memory-maps, every part. Each must have n columns, and all together n rows. */
static rkhs_status read_parts(parts *p) {
    rkhs_status status = RKHS_OK;
    int64_t rows = 0, ld;
    for (int64_t q = 0; q < p->count; q++) {
        TRY(rk_data_read(p->env, p->paths[q], NULL, RK_KIND_GRAM, &p->data[q]));
        if (!rkhs_data_values(p->data[q], &ld))
            status = rk_fail(p->env, RKHS_ERR_DATA, "%s: it holds %s data, not rows of a Gram: give numbers", p->paths[q],
                             rkhs_data_kind(p->data[q]));
        else if (p->data[q]->columns != p->data[0]->columns)
            status = rk_fail(p->env, RKHS_ERR_DATA, "%s has %s, but %s has %lld: give parts of one Gram", p->paths[q],
                             rk_counted(p->data[q]->columns, "column").text, p->paths[0], (long long)p->data[0]->columns);
        TRY(rk_set_subject(p->env, p->paths[q], status));
        rows += p->data[q]->rows;
    }
    p->n = p->data[0]->columns;
    if (rows < p->n)
        FAIL(p->env, RKHS_ERR_DATA, "the parts have %s together, and %s: %lld %s missing: give every part, in order",
             rk_counted(rows, "row").text, rk_counted(p->n, "column").text, (long long)(p->n - rows),
             p->n - rows == 1 ? "row is" : "rows are");
    if (rows > p->n)
        FAIL(p->env, RKHS_ERR_DATA, "the parts have %s together, and only %s, %lld too many: give every row once",
             rk_counted(rows, "row").text, rk_counted(p->n, "column").text, (long long)(rows - p->n));
done:
    return status;
}

/* The path of the part that holds row i of K. */
static const char *part_of(const parts *p, int64_t i) {
    int64_t q = 0;
    while (i >= p->data[q]->rows) i -= p->data[q++]->rows;
    return p->paths[q];
}

static rkhs_status check_symmetry(parts *p) {
    rkhs_status status = RKHS_OK;
    int64_t at[2], i = 0, ld;
    TRY(rk_scratch(p->env, p->n, sizeof *p->row, &p->row));
    for (int64_t q = 0; q < p->count; q++) {
        const double *values = rkhs_data_values(p->data[q], &ld);
        for (int64_t r = 0; r < p->data[q]->rows; r++) p->row[i++] = values + r * ld;
    }
    TRY(rk_find_asymmetry(p->env, p->n, p->row, NULL, 0, at));
    if (at[0] < 0) goto done;
    double a = p->row[at[0]][at[1]], b = p->row[at[1]][at[0]];
    const char *first = part_of(p, at[0]), *second = part_of(p, at[1]);
    FAIL(p->env, RKHS_ERR_DATA,
         "row %lld, column %lld is %.17g (%.200s), but row %lld, column %lld is %.17g (%.200s), counted from 1: %s",
         (long long)at[0] + 1, (long long)at[1] + 1, a, first, (long long)at[1] + 1, (long long)at[0] + 1, b, second,
         fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))
             ? "the last digits differ, as on machines of different kinds: make both on one kind"
             : "give the parts in the order of their rows, made by one kernel from the same data");
done:
    return status;
}

static rkhs_status write_parts(const parts *p, rk_output *out) {
    rkhs_status status = RKHS_OK;
    char header[RK_NPY_ROOM];
    int64_t ld;
    TRY(rk_output_write(out, header, rk_npy_make_header(header, "<f8", 2, (int64_t[]){p->n, p->n})));
    for (int64_t q = 0; q < p->count; q++) {
        const double *values = rkhs_data_values(p->data[q], &ld); /* data from a file has ld = columns */
        TRY(rk_output_write(out, values, (size_t)(p->data[q]->rows * p->n) * sizeof *values));
    }
done:
    return status;
}

rkhs_status rkhs_data_merge_gram(rkhs_env *env, const char *const *paths, int64_t count, const char *path) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    parts p = {.env = env, .paths = paths};
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    if (!paths || count < 1 || !path) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_data_merge_gram: a null argument, or no parts");
    TRY(rk_alloc(env, count, sizeof *p.data, &p.data));
    p.count = count;
    TRY(read_parts(&p));
    TRY(check_symmetry(&p));
    TRY(rk_output_open(env, path, &out));
    TRY(write_parts(&p, out));
    TRY(rk_output_commit(out));
done:
    rk_output_free(out);
    for (int64_t q = 0; q < p.count; q++) rkhs_data_free(p.data[q]);
    rk_free(env, p.data);
    rk_scratch_release(env, mark);
    return status;
}
