/* delta.c: the kernel of class labels, k(x, y) = 1 if x and y have the same class, else 0.
 *
 * Classes are compared by name: two files may number them differently. An object without a label has the feature 0, so
 * that k is 0 with every object, itself included. */
#include "kernel/kernel.h"

static const rk_labels *labels_of(const rk_bound *b) { return b->x->self; }

/* side: the class of each object, numbered as in the reference, classes that it lacks after these; -1: no label. */
static rkhs_status prepare_delta(rkhs_env *env, rk_bound *b) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_labels *mine = labels_of(b), *first = b->reference ? labels_of(b->reference) : mine;
    int64_t *number, *codes;
    rk_text_table table;
    TRY(rk_alloc(env, b->x->rows, sizeof *codes, &codes));
    b->side = codes;
    TRY(rk_text_table_new(env, first->classes + mine->classes, &table));
    TRY(rk_scratch(env, mine->classes, sizeof *number, &number));
    for (int64_t c = 0; c < first->classes; c++) rk_text_table_add(&table, first->names[c], c);
    for (int64_t c = 0; c < mine->classes; c++) number[c] = rk_text_table_add(&table, mine->names[c], first->classes + c);
    for (int64_t i = 0; i < b->x->rows; i++) codes[i] = mine->codes[i] < 0 ? -1 : number[mine->codes[i]];
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status block_delta(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    const int64_t *x = (const int64_t *)a->side + i0, *y = (const int64_t *)b->side + j0;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] = x[i] == y[j] && x[i] >= 0;
    return RKHS_OK;
}

static void diag_delta(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const int64_t *x = (const int64_t *)a->side + i0;
    for (int64_t i = 0; i < ni; i++) out[i] = x[i] >= 0;
}

/* clang-format off */
const rk_kernel_type rk_kernel_delta = {
    .entry = {.name = "delta", .brief = "whether two objects have the same class", .formula = "1 if x = y, else 0",
              .cost = "a comparison a pair"},
    .kinds = RK_KIND_LABELS, .flags = RK_PSD | RK_SCALE_FREE, .prepare = prepare_delta, .block = block_delta,
    .diag = diag_delta,
};
/* clang-format on */
