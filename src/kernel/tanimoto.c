/* tanimoto.c: the Tanimoto (Jaccard) kernel, k(x, y) = <x, y> / (|x|^2 + |y|^2 - <x, y>).
 *
 * Of two sets of bits it is the share of their union that both have; two empty sets have 1, an empty one and another
 * 0. It is positive semi-definite for any real vectors: it is u + u^2 + u^3 + ... with u = <x,y> / (|x|^2 + |y|^2),
 * |u| <= 1/2, and u is <x,y> times the integral over t > 0 of exp(-t|x|^2) exp(-t|y|^2). Tables of 0 and 1 are packed
 * as bits. Ralaivola, Swamidass, Saigo, Baldi, "Graph kernels for chemical informatics", Neural Networks 18, 2005. */
#include "kernel/kernel.h"

static rkhs_status block_tanimoto(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                  double *out, int64_t ld, rk_work work) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        rk_jaccard(nj, sa->norm[i0 + i], sb->norm + j0, out + i * ld);
        if (sa->norm[i0 + i] >= RK_TINY || a->x->type == &rk_data_bits) continue;
        for (int64_t j = 0; j < nj; j++)
            if (sb->norm[j0 + j] < RK_TINY) out[i * ld + j] = rk_pair_tanimoto(a, i0 + i, b, j0 + j);
    }
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_tanimoto = {
    .entry = {.name = "tanimoto",
              .brief = "Tanimoto (Jaccard) similarity: the bits that two sets share over the bits that either has; also for counts; two empty sets: 1",
              .formula = "<x,y> / (|x|^2 + |y|^2 - <x,y>)", .cost = "p a pair; bits: p/64"},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS | RK_PREFER_BITS, .flags = RK_PSD,
    .prepare = rk_vector_prepare, .release = rk_vector_release, .work = rk_vector_dots_work,
    .block = block_tanimoto, .diag = rk_diag_ones,
};
/* clang-format on */
