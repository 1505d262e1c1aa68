/* cosine.c: the cosine kernel, k(x, y) = <x, y> / (|x| |y|). A zero row has k = 1 with zero rows, 0 with others. */
#include "kernel/kernel.h"

/* Computes the pairs again that have a row too small to be squared. */
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
    double by[RK_TILE];
    for (int64_t j = 0; j < nj; j++) by[j] = sb->norm[j0 + j] > 0 ? 1 / sqrt(sb->norm[j0 + j]) : 0;
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, norm = sa->norm[i0 + i];
        rk_cosines(nj, norm > 0 ? 1 / sqrt(norm) : 0, by, row);
        for (int64_t j = 0; !(norm > 0) && j < nj; j++) row[j] = sb->norm[j0 + j] == norm;
    }
    mend_tiny(a, i0, ni, b, j0, nj, out, ld);
    return RKHS_OK;
}

static rkhs_status gradient_cosine(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *dx, rk_work work) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    double own[RK_TILE];
    double *other = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = block_cosine(a, i0, ni, b, j0, nj, other, RK_TILE, work);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < ni; i++) { /* y/(|x||y|) - cos x/|x|^2 */
        double *row = other + i * RK_TILE, norm = sa->norm[i0 + i], sum = 0;
        for (int64_t j = 0; j < nj; j++) {
            double both = norm * sb->norm[j0 + j];
            sum += w[i * ld + j] * row[j];
            row[j] = both > 0 ? w[i * ld + j] / sqrt(both) : 0;
        }
        own[i] = norm > 0 ? -sum / norm : 0;
    }
    rk_gradient_rows(a, i0, ni, b, j0, nj, own, other, dx);
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_cosine = {
    .entry = {.name = "cosine", .brief = "cosine of the angle between two rows, whatever their lengths; a zero row: 1 with zero rows, else 0",
              .formula = "<x,y> / (|x| |y|)", .cost = "p a pair"},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .prepare = rk_vector_prepare,
    .release = rk_vector_release, .work = rk_vector_dots_work,
    .block = block_cosine, .gradient = gradient_cosine, .diag = rk_diag_ones,
};
/* clang-format on */
