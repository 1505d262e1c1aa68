/* laplacian.c: the Laplacian kernel, k(x, y) = exp(-sum_c |x_c - y_c| / sigma), or with gamma = 1/sigma. */
#include "kernel/kernel.h"

static const rk_param params[] = RK_WIDTH_PARAMS("1/sigma");

static rkhs_status freeze_laplacian(rkhs_env *env, void *self, const rkhs_data *x) {
    return rk_freeze_width(env, &((rk_width *)self)->sigma, x, RK_BY_ABSOLUTES);
}

static rkhs_status block_laplacian(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   double *out, int64_t ld, rk_work work) {
    const rk_width *w = rk_kernel_self(a);
    rk_vector_sums(RK_PAIR_ABSOLUTE, a, i0, ni, b, j0, nj, out, ld, work);
    rk_exp_tile(isnan(w->gamma) ? 1 / w->sigma.value : w->gamma, ni, nj, out, ld);
    return RKHS_OK;
}

/* out += s sign(x - y). */
RK_VERSIONS(static, void, add_signs,
            (int64_t n, double s, const double *restrict x, const double *restrict y, double *restrict out),
            (n, s, x, y, out)) {
    for (int64_t c = 0; c < n; c++) out[c] += x[c] > y[c] ? s : x[c] < y[c] ? -s : 0;
}

static rkhs_status gradient_laplacian(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                      const double *w, int64_t ld, double *dx, rk_work work) {
    const rk_width *width = rk_kernel_self(a);
    enum { STRIP = 256 }; /* columns of floats that are widened at a time */
    const rk_dense *x = a->x->self, *y = b->x->self;
    double of_x[STRIP], of_y[STRIP];
    double gamma = isnan(width->gamma) ? 1 / width->sigma.value : width->gamma;
    double *k = rk_work_take(&work, RK_TILE * RK_TILE);
    rkhs_status status = block_laplacian(a, i0, ni, b, j0, nj, k, RK_TILE, work);
    if (status != RKHS_OK) return status;
    int64_t p = a->x->columns, step = x->values && y->values ? p : STRIP;
    for (int64_t i = 0; i < ni; i++)
        for (int64_t c = 0; c < p; c += step) {
            int64_t nc = rk_min(step, p - c);
            const double *row = rk_dense_row(x, i0 + i, c, nc, of_x);
            for (int64_t j = 0; j < nj; j++)
                add_signs(nc, -gamma * w[i * ld + j] * k[i * RK_TILE + j], row, rk_dense_row(y, j0 + j, c, nc, of_y),
                          dx + i * p + c);
        }
    return RKHS_OK;
}

/* exp(-|d| / sigma) is the mean of cos(w d) over w of a Cauchy distribution of width 1/sigma, in each column. */
static double stretch_laplacian(const void *self, uint64_t seed, int64_t row, int64_t column) {
    const rk_width *w = self;
    double angle = M_PI * (rk_uniform(seed, RK_STREAM_STRETCH, (uint64_t)row, (uint64_t)column) - 0.5), pair[2];
    rk_cos_sin(1, 1, &angle, pair);
    return (isnan(w->gamma) ? 1 / w->sigma.value : w->gamma) * pair[1] / pair[0];
}

/* clang-format off */
const rk_kernel_type rk_kernel_laplacian = {
    .entry = {.name = "laplacian", .brief = "as rbf, with the sum of absolute differences (L1 distance): a sharper peak and heavier tails",
              .formula = "exp(-|x-y|_1 / sigma)", .cost = "3 p + an exp a pair", .params = params,
              .size = sizeof(rk_width)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .freeze = freeze_laplacian,
    .prepare = rk_vector_prepare_sums, .release = rk_vector_release, .work = rk_vector_work, .block = block_laplacian,
    .gradient = gradient_laplacian, .diag = rk_diag_ones, .random = RK_RANDOM_COLUMNS, .stretch = stretch_laplacian,
};
/* clang-format on */
