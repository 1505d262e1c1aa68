/* radial.c: the kernels matern, rq (rational quadratic) and cauchy: functions of the Euclidean distance |x - y|.
 *
 * matern  with r = sqrt(2 nu) |x-y| / sigma:  nu = 1/2: exp(-r),  3/2: (1 + r) exp(-r),  5/2: (1 + r + r^2/3) exp(-r);
 *         functions in its space have about nu + p/2 derivatives (p columns), those of rbf have all
 * rq      (1 + |x-y|^2 / (2 alpha sigma^2))^-alpha, a mean of rbf over widths; alpha = infinity is rbf
 * cauchy  1 / (1 + |x-y|^2 / sigma^2)
 *
 * Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, section 4.2. */
#include "kernel/kernel.h"

/* 1/width, limited, so that a distance of 0 times it is 0. */
static double inverse(double width) { return fmin(1 / width, 1e300); }

/* ---- matern ---------------------------------------------------------------------------------------------------- */

typedef struct matern {
    rk_width width;
    double nu;
} matern;

/* clang-format off */
static const rk_param params_matern[] = {
    {.name = "nu", .kind = RK_REAL, .offset = offsetof(matern, nu), .value = "1.5", .min = 0.5, .max = 2.5,
     .brief = "smoothness: 0.5, 1.5 or 2.5"},
    RK_WIDTH_ROWS("1/sigma"),
    {.name = NULL},
};
/* clang-format on */

static rkhs_status check_matern(rkhs_env *env, const void *self) {
    double nu = ((const matern *)self)->nu;
    if (nu == 0.5 || nu == 1.5 || nu == 2.5) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_SPEC, "matern: nu must be 0.5, 1.5 or 2.5, not %.15g", nu);
}

/* x = exp(-r) (1 + a r + b r^2), r = scale sqrt(x). */
RK_VERSIONS(static, void, matern_row, (int64_t n, double scale, double a, double b, double *restrict x), (n, scale, a, b, x)) {
    double r[RK_TILE];
    for (int64_t j = 0; j < n; j++) {
        double v = scale * sqrt(x[j]);
        r[j] = v < 1e3 ? v : 1e3; /* exp(-1000) is 0; times infinity it would be NaN */
        x[j] = -r[j];
    }
    rk_exp(n, x);
    for (int64_t j = 0; j < n; j++) {
        double factor = RK_FMA(b, r[j], a);
        x[j] *= RK_FMA(factor, r[j], 1);
    }
}

static rkhs_status block_matern(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    const matern *m = rk_kernel_self(a);
    double scale = sqrt(2 * m->nu) * (isnan(m->width.gamma) ? inverse(m->width.sigma.value) : m->width.gamma);
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) matern_row(nj, scale, m->nu > 1, m->nu > 2 ? 1.0 / 3 : 0, out + i * ld);
    return RKHS_OK;
}

static rkhs_status gradient_matern(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *dx, rk_work work) {
    const matern *m = rk_kernel_self(a);
    double scale = sqrt(2 * m->nu) * (isnan(m->width.gamma) ? inverse(m->width.sigma.value) : m->width.gamma);
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, slope, RK_TILE, work);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double r = scale * sqrt(slope[i * RK_TILE + j]), e = 0.5 * scale * scale * exp(-r);
            slope[i * RK_TILE + j] = m->nu > 2 ? -e * (1 + r) / 3 : m->nu > 1 ? -e : r > 0 ? -e / r : 0;
        }
    rk_gradient_squared_distances(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* Frequencies of a multivariate t distribution with 2 nu degrees of freedom. */
static double stretch_matern(const void *self, uint64_t seed, int64_t row, int64_t column) {
    const matern *m = self;
    double squares = 0;
    for (uint64_t i = 0; i < (uint64_t)(2 * m->nu); i++) {
        double v = rk_normal(seed, RK_STREAM_STRETCH, (uint64_t)row, i);
        squares += v * v;
    }
    return (isnan(m->width.gamma) ? inverse(m->width.sigma.value) : m->width.gamma) * sqrt(2 * m->nu / squares);
}

/* clang-format off */
const rk_kernel_type rk_kernel_matern = {
    .entry = {.name = "matern", .brief = "Matern: as rbf, but less smooth; nu=0.5 is the least smooth, 2.5 is nearly rbf",
              .formula = "exp(-r), (1+r) exp(-r) or (1+r+r^2/3) exp(-r) for nu = 0.5, 1.5, 2.5; r = sqrt(2 nu) |x-y| / sigma",
              .cost = "p + a root and an exp a pair", .params = params_matern, .size = sizeof(matern)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .check = check_matern,
    .freeze = rk_freeze_euclidean, .prepare = rk_vector_prepare_centred, .release = rk_vector_release,
    .work = rk_vector_work, .block = block_matern, .gradient = gradient_matern, .diag = rk_diag_ones,
    .random = RK_RANDOM_RADIAL, .stretch = stretch_matern,
};
/* clang-format on */

/* ---- rq -------------------------------------------------------------------------------------------------------- */

typedef struct rq {
    rk_width width;
    double alpha;
} rq;

/* clang-format off */
static const rk_param params_rq[] = {
    {.name = "alpha", .kind = RK_REAL, .offset = offsetof(rq, alpha), .value = "1", .min = 0, .max = 1e9, .min_excluded = 1,
     .brief = "weight of the tails: small values give heavy tails, large ones approach rbf"},
    RK_WIDTH_ROWS("1/(2 sigma^2)"),
    {.name = NULL},
};
/* clang-format on */

/* x = (1 + scale x)^-alpha = exp(-alpha log(1 + scale x)). */
RK_VERSIONS(static, void, rq_row, (int64_t n, double scale, double alpha, double *restrict x), (n, scale, alpha, x)) {
    for (int64_t j = 0; j < n; j++) {
        double v = scale * x[j];
        x[j] = v < 1e300 ? v : 1e300;
    }
    rk_log1p(n, x);
    for (int64_t j = 0; j < n; j++) x[j] *= -alpha;
    rk_exp(n, x);
}

static rkhs_status block_rq(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                            int64_t ld, rk_work work) {
    const rq *q = rk_kernel_self(a);
    double sigma = q->width.sigma.value, gamma = isnan(q->width.gamma) ? 0.5 / (sigma * sigma) : q->width.gamma;
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) rq_row(nj, inverse(q->alpha / gamma), q->alpha, out + i * ld);
    return RKHS_OK;
}

static rkhs_status gradient_rq(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               const double *w, int64_t ld, double *dx, rk_work work) {
    const rq *q = rk_kernel_self(a);
    double sigma = q->width.sigma.value, gamma = isnan(q->width.gamma) ? 0.5 / (sigma * sigma) : q->width.gamma;
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, slope, RK_TILE, work);
    for (int64_t i = 0; i < ni; i++) {
        rq_row(nj, inverse(q->alpha / gamma), q->alpha + 1, slope + i * RK_TILE);
        for (int64_t j = 0; j < nj; j++) slope[i * RK_TILE + j] *= -gamma;
    }
    rk_gradient_squared_distances(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* A number of the gamma distribution of shape a (Marsaglia, Tsang, "A simple method for generating gamma variables",
 * 2000); for a below 1, one of shape a + 1 times u^(1/a). */
static double gamma_number(uint64_t seed, int64_t row, double a) {
    double d = (a < 1 ? a + 1 : a) - 1.0 / 3,
           less = a < 1 ? pow(rk_uniform(seed, RK_STREAM_STRETCH, (uint64_t)row, 0), 1 / a) : 1;
    for (uint64_t i = 1;; i += 2) {
        double x = rk_normal(seed, RK_STREAM_STRETCH, (uint64_t)row, i), v = 1 + x / sqrt(9 * d);
        double u = rk_uniform(seed, RK_STREAM_STRETCH, (uint64_t)row, i + 1);
        v = v * v * v;
        if (v > 0 && log(u) < 0.5 * x * x + d - d * v + d * log(v)) return d * v * less;
    }
}

/* A mean of rbf over widths: gamma/alpha times a gamma number in the place of rbf's gamma. */
static double stretch_rq(const void *self, uint64_t seed, int64_t row, int64_t column) {
    const rq *q = self;
    double sigma = q->width.sigma.value, gamma = isnan(q->width.gamma) ? 0.5 / (sigma * sigma) : q->width.gamma;
    return sqrt(2 * gamma / q->alpha * gamma_number(seed, row, q->alpha));
}

/* clang-format off */
const rk_kernel_type rk_kernel_rq = {
    .entry = {.name = "rq", .brief = "rational quadratic: a mixture of rbf kernels of many widths, with heavier tails",
              .formula = "(1 + |x-y|^2 / (2 alpha sigma^2))^-alpha", .cost = "p + a log and an exp a pair",
              .params = params_rq, .size = sizeof(rq)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .freeze = rk_freeze_euclidean,
    .prepare = rk_vector_prepare_centred, .release = rk_vector_release, .work = rk_vector_work, .block = block_rq,
    .gradient = gradient_rq, .diag = rk_diag_ones,
    .random = RK_RANDOM_RADIAL, .stretch = stretch_rq,
};
/* clang-format on */

/* ---- cauchy ---------------------------------------------------------------------------------------------------- */

static const rk_param params_cauchy[] = RK_WIDTH_PARAMS("1/sigma^2");

RK_VERSIONS(static, void, cauchy_row, (int64_t n, double scale, double *restrict x), (n, scale, x)) {
    for (int64_t j = 0; j < n; j++) x[j] = 1 / RK_FMA(scale, x[j], 1);
}

static rkhs_status block_cauchy(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    const rk_width *w = rk_kernel_self(a);
    double scale = isnan(w->gamma) ? inverse(w->sigma.value * w->sigma.value) : w->gamma;
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) cauchy_row(nj, scale, out + i * ld);
    return RKHS_OK;
}

static rkhs_status gradient_cauchy(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *dx, rk_work work) {
    const rk_width *width = rk_kernel_self(a);
    double scale = isnan(width->gamma) ? inverse(width->sigma.value * width->sigma.value) : width->gamma;
    double *slope = rk_work_take(&work, RK_TILE * RK_TILE);
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, slope, RK_TILE, work);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double v = 1 / (1 + scale * slope[i * RK_TILE + j]);
            slope[i * RK_TILE + j] = -scale * v * v;
        }
    rk_gradient_squared_distances(a, i0, ni, b, j0, nj, w, ld, slope, dx);
    return RKHS_OK;
}

/* A mean of rbf over widths, as rq with alpha = 1. */
static double stretch_cauchy(const void *self, uint64_t seed, int64_t row, int64_t column) {
    const rk_width *w = self;
    double scale = isnan(w->gamma) ? inverse(w->sigma.value * w->sigma.value) : w->gamma;
    return sqrt(2 * scale * gamma_number(seed, row, 1));
}

/* clang-format off */
const rk_kernel_type rk_kernel_cauchy = {
    .entry = {.name = "cauchy", .brief = "as rbf, with heavier tails: distant objects still have some similarity",
              .formula = "1 / (1 + |x-y|^2 / sigma^2)", .cost = "p + a division a pair", .params = params_cauchy,
              .size = sizeof(rk_width)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_BITS, .flags = RK_PSD, .freeze = rk_freeze_euclidean,
    .prepare = rk_vector_prepare_centred, .release = rk_vector_release, .work = rk_vector_work, .block = block_cauchy,
    .gradient = gradient_cauchy, .diag = rk_diag_ones,
    .random = RK_RANDOM_RADIAL, .stretch = stretch_cauchy,
};
/* clang-format on */
