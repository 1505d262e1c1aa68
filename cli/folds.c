/* folds.c: assigns rows to the folds of cross-validation, for rkhs select.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "select.h"

static void shuffle(uint64_t seed, uint64_t stream, int64_t *rows, int64_t count) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)(uniform_of(seed, stream, (uint64_t)i) * (double)(i + 1)), row = rows[i];
        rows[i] = rows[j];
        rows[j] = row;
    }
}

rkhs_status assign_folds(search *s) {
    rkhs_status status = RKHS_OK;
    cli *c = s->c;
    int64_t n = rkhs_data_rows(s->x), classes = 1, *rows = NULL, dealt = 0;
    const int64_t *codes = s->needs_labels ? rkhs_data_codes(s->classes, &classes) : NULL;
    if (c->folds == 0) goto done;
    if (c->folds > n / 2)
        REFUSE(c, EXIT_FAILED, "--folds %d of %s: give at most %lld", c->folds, rk_counted(n, "row").text, (long long)n / 2);
    TRY(keep(s, (size_t)n, sizeof *s->fold, &s->fold));
    TRY(keep(s, (size_t)n, sizeof *rows, &rows));
    for (int64_t i = 0; i < n; i++) s->fold[i] = -1;
    for (int64_t k = 0; k < classes; k++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (codes == NULL || codes[i] == k) rows[count++] = i;
        shuffle(c->seed, 1000 + (uint64_t)k, rows, count);
        for (int64_t i = 0; i < count; i++) s->fold[rows[i]] = (int)(dealt++ % c->folds);
    }
done:
    return status;
}
