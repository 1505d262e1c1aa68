/* cosine.c: k(x, y) = <x, y> / (|x| |y|). The zero vector has no direction: it is like itself (1) and nothing else (0). */
#include "kernel/kernel.h"

/* What involves a row too small for squares, again. */
static void mend_tiny(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                      int64_t ld) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    char tiny[RK_TILE];
    int any = 0;
    for (int64_t j = 0; j < nj; j++) any |= tiny[j] = (char)rk_row_tiny(b, j0 + j, sb->norm[j0 + j]);
    for (int64_t i = 0; i < ni; i++) {
        int all = rk_row_tiny(a, i0 + i, sa->norm[i0 + i]);
        for (int64_t j = 0; (all || any) && j < nj; j++)
            if (all || tiny[j]) out[i * ld + j] = rk_pair_cosine(a, i0 + i, b, j0 + j);
    }
}

static rkhs_status block_cosine(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, na = sa->norm[i0 + i];
        for (int64_t j = 0; j < nj; j++) {
            double nb = sb->norm[j0 + j], v = row[j] / sqrt(na) / sqrt(nb);
            v = v > 1 ? 1 : v < -1 ? -1 : v;
            row[j] = na > 0 && nb > 0 ? v : na == nb;
        }
    }
    mend_tiny(a, i0, ni, b, j0, nj, out, ld);
    return RKHS_OK;
}

const rk_kernel_type rk_kernel_cosine = {
    .entry = {.name = "cosine",
              .brief = "the angle alone; lengths do not count; a zero row: 1 with zero rows, else 0",
              .formula = "<x,y> / (|x| |y|)",
              .cost = "p a pair"},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS,
    .flags = RK_PSD,
    .prepare = rk_vector_prepare,
    .release = rk_vector_release,
    .block = block_cosine,
    .diag = rk_diag_ones,
};
