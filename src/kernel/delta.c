/* delta.c: k(x, y) = 1 if x and y are of the same class, else 0.
 *
 * Classes are compared by name: two files may number them differently. A class that only the second side has is like itself
 * alone. An object without a label is like nothing: its feature is 0, so that k(x, x) = 0. */
#include "kernel/kernel.h"

#include <string.h>

/* Each object's class as the first code of that name on the reference's side. */
typedef struct delta_side {
    int64_t *codes;
} delta_side;

static const rk_labels *labels_of(const rk_bound *b) { return b->x->self; }

/* The names of one or two sides, each with the place that stands for it. */
typedef struct named {
    const char *name;
    int64_t place;
} named;

/* The place of a name in a table of 2^k slots: the one it has, or `place` if it is new. */
static int64_t place_of(named *table, int64_t slots, const char *name, int64_t place) {
    int64_t at = (int64_t)(rk_text_hash(name) & (uint64_t)(slots - 1));
    while (table[at].name && strcmp(table[at].name, name) != 0) at = (at + 1) & (slots - 1);
    if (!table[at].name) table[at] = (named){name, place};
    return table[at].place;
}

static rkhs_status prepare_delta(rkhs_env *env, rk_bound *b) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_labels *mine = labels_of(b), *first = b->reference ? labels_of(b->reference) : mine;
    int64_t slots = 16, *place;
    named *table;
    delta_side *side;
    while (slots < 2 * (first->classes + mine->classes)) slots *= 2;
    TRY(rk_alloc(env, 1, sizeof *side, &side));
    b->side = side;
    TRY(rk_alloc(env, b->x->rows, sizeof *side->codes, &side->codes));
    TRY(rk_scratch(env, slots, sizeof *table, &table));
    TRY(rk_scratch(env, mine->classes, sizeof *place, &place));
    memset(table, 0, (size_t)slots * sizeof *table);
    for (int64_t c = 0; c < first->classes; c++) place_of(table, slots, first->names[c], c);
    for (int64_t c = 0; c < mine->classes; c++) place[c] = place_of(table, slots, mine->names[c], first->classes + c);
    for (int64_t i = 0; i < b->x->rows; i++) side->codes[i] = mine->codes[i] < 0 ? -1 : place[mine->codes[i]];
done:
    rk_scratch_release(env, mark);
    return status;
}

static void release_delta(rkhs_env *env, rk_bound *b) {
    rk_free(env, ((delta_side *)b->side)->codes);
    rk_free(env, b->side);
}

static rkhs_status block_delta(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    const int64_t *x = ((const delta_side *)a->side)->codes + i0, *y = ((const delta_side *)b->side)->codes + j0;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] = x[i] == y[j] && x[i] >= 0;
    return RKHS_OK;
}

static void diag_delta(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const int64_t *x = ((const delta_side *)a->side)->codes + i0;
    for (int64_t i = 0; i < ni; i++) out[i] = x[i] >= 0;
}

const rk_kernel_type rk_kernel_delta = {
    .entry = {.name = "delta",
              .brief = "of the same class or not",
              .formula = "1 if x = y, else 0",
              .cost = "a comparison a pair"},
    .kinds = RK_KIND_LABELS,
    .flags = RK_PSD | RK_SCALE_FREE,
    .prepare = prepare_delta,
    .release = release_delta,
    .block = block_delta,
    .diag = diag_delta,
};
