/* histogram.c: the kernels chi2, intersection and minmax, for counts, histograms and spectra: numbers of 0 or above.
 *
 * chi2          k(x, y) = exp(-sum_c (x_c - y_c)^2/(x_c + y_c) / sigma), 0/0 = 0
 * intersection  k(x, y) = sum_c min(x_c, y_c)
 * minmax        k(x, y) = sum_c min(x_c, y_c) / sum_c max(x_c, y_c), two zero rows: 1; from max = x + y - min
 *
 * Numbers below 0 are refused: none of the three is positive semi-definite with them. */
#include "kernel/kernel.h"

/* Fails because of a number below 0; messages count rows and columns from 1. */
static rkhs_status refuse(const rk_bound *b, rkhs_env *env, int64_t row, int64_t column, double value) {
    return rk_fail(env, RKHS_ERR_DATA,
                   "row %lld, column %lld (counted from 1) is %.15g: the kernel '%s' takes numbers of 0 and above; shift that "
                   "column, or choose a kernel such as laplacian",
                   (long long)row + 1, (long long)column + 1, value, b->kernel->type->entry.name);
}

static rkhs_status check_numbers(rkhs_env *env, const rk_bound *b) {
    if (b->x->type == &rk_data_sparse) {
        const rk_sparse *s = b->x->self;
        for (int64_t i = 0; i < b->x->rows; i++)
            for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++)
                if (s->values[q] < 0) return refuse(b, env, i, s->columns[q], s->values[q]);
        return RKHS_OK;
    }
    const rk_dense *d = b->x->self;
    for (int64_t i = 0; i < b->x->rows; i++)
        for (int64_t c = 0; c < b->x->columns; c++)
            if (rk_dense_at(d, i, c) < 0) return refuse(b, env, i, c, rk_dense_at(d, i, c));
    return RKHS_OK;
}

static rkhs_status prepare_histogram(rkhs_env *env, rk_bound *b) {
    rkhs_status status = check_numbers(env, b);
    return status == RKHS_OK ? rk_vector_prepare_sums(env, b) : status;
}

/* ---- chi2 ------------------------------------------------------------------------------------------------------ */

static const rk_param params_chi2[] = RK_WIDTH_PARAMS("1/sigma");

static rkhs_status freeze_chi2(rkhs_env *env, void *self, const rkhs_data *x) {
    return rk_freeze_width(env, &((rk_width *)self)->sigma, x, RK_BY_CHI2);
}

static rkhs_status block_chi2(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                              int64_t ld, rk_work work) {
    const rk_width *w = rk_kernel_self(a);
    rk_vector_sums(RK_PAIR_RATIO, a, i0, ni, b, j0, nj, out, ld, work);
    rk_exp_tile(isnan(w->gamma) ? 1 / w->sigma.value : w->gamma, ni, nj, out, ld);
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_chi2 = {
    .entry = {.name = "chi2",
              .brief = "chi-squared, for counts and histograms: a difference counts less where both are large; numbers >= 0, "
                       "two zero rows: 1",
              .formula = "exp(-sum (x-y)^2/(x+y) / sigma), the sum over columns, 0/0 = 0", .cost = "6 p, p/4 divisions + an exp a pair",
              .params = params_chi2, .size = sizeof(rk_width)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE, .flags = RK_PSD, .freeze = freeze_chi2, .prepare = prepare_histogram,
    .release = rk_vector_release, .work = rk_vector_work, .block = block_chi2, .diag = rk_diag_ones,
};
/* clang-format on */

/* ---- intersection ---------------------------------------------------------------------------------------------- */

static rkhs_status block_intersection(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                      double *out, int64_t ld, rk_work work) {
    rk_vector_sums(RK_PAIR_MINIMUM, a, i0, ni, b, j0, nj, out, ld, work);
    return RKHS_OK;
}

static void diag_intersection(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const rk_vector_side *side = a->side;
    for (int64_t i = 0; i < ni; i++) out[i] = side->norm[i0 + i];
}

/* clang-format off */
const rk_kernel_type rk_kernel_intersection = {
    .entry = {.name = "intersection", .brief = "histogram intersection: the counts that two histograms share; numbers >= 0, a zero row: 0",
              .formula = "sum min(x,y), over columns", .cost = "2 p a pair"},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE, .flags = RK_PSD, .prepare = prepare_histogram,
    .release = rk_vector_release, .work = rk_vector_work, .block = block_intersection, .diag = diag_intersection,
};
/* clang-format on */

/* ---- minmax ---------------------------------------------------------------------------------------------------- */

static rkhs_status block_minmax(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    rk_vector_sums(RK_PAIR_MINIMUM, a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double minima = out[i * ld + j], maxima = (sa->norm[i0 + i] + sb->norm[j0 + j]) - minima;
            out[i * ld + j] = maxima > 0 ? minima / maxima : 1;
        }
    return RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_minmax = {
    .entry = {.name = "minmax",
              .brief = "share of the counts that two histograms have in common (weighted Jaccard); numbers >= 0, two zero rows: 1",
              .formula = "sum min(x,y) / sum max(x,y), over columns", .cost = "2 p a pair"},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE, .flags = RK_PSD, .prepare = prepare_histogram,
    .release = rk_vector_release, .work = rk_vector_work, .block = block_minmax, .diag = rk_diag_ones,
};
/* clang-format on */
