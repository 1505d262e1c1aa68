/* pair_sums.c: sums over columns that are not matrix products, such as L1 or chi-squared distances.
 *
 * out_j += sum_c term(a_c, b_cj), for one row a against many rows b, which are stored by column. Four columns are
 * taken at a time, so that out is loaded and stored once for four. The grouping depends on the column number alone, so
 * that the bits of a result depend only on the two rows. */
#include "la/la.h"

/* The factors d e of a product that is a term, for one fused multiply-add. */
typedef struct factors {
    double d, e;
} factors;

RK_ALWAYS_INLINE factors square(double x, double y) { return (factors){x - y, x - y}; }
/* 0/0 is 0. */
RK_ALWAYS_INLINE factors ratio(double x, double y) {
    double s = x + y;
    return (factors){x - y, (x - y) / (s > 0x1p-1022 ? s : 0x1p-1022)};
}
RK_ALWAYS_INLINE double two_products(const int fused, factors f, factors g) { return RK_FMA(f.d, f.e, g.d * g.e); }
RK_ALWAYS_INLINE double absolute(double x, double y) { return fabs(x - y); }
RK_ALWAYS_INLINE double minimum(double x, double y) { return x < y ? x : y; }

/* Four ratios with one division, which costs as much as all the rest: p/s + q/t = (p t + q s)/(s t). Nothing cancels.
 * Adding 1e-55 does not change numbers from RK_RATIO_MIN on, and turns 0/0 into 0/1e-55. */
RK_ALWAYS_INLINE double four_ratios(const int fused, const double x[4], double y0, double y1, double y2, double y3) {
    double d0 = x[0] - y0, d1 = x[1] - y1, d2 = x[2] - y2, d3 = x[3] - y3;
    double s0 = (x[0] + 1e-55) + y0, s1 = (x[1] + 1e-55) + y1, s2 = (x[2] + 1e-55) + y2, s3 = (x[3] + 1e-55) + y3;
    double p = RK_FMA(d0 * d0, s1, d1 * d1 * s0), q = RK_FMA(d2 * d2, s3, d3 * d3 * s2), u = s0 * s1, v = s2 * s3;
    return RK_FMA(p, v, q * u) / (u * v);
}

/* Four terms; the sum with one term. */
#define FOUR(term) ((term(x[0], p[j]) + term(x[1], q[j])) + (term(x[2], r[j]) + term(x[3], s[j])))
#define ONE(term) (out[j] + term(x, p[j]))
#define FOUR_PRODUCTS(term)                                                                                                    \
    (two_products(fused, term(x[0], p[j]), term(x[1], q[j])) + two_products(fused, term(x[2], r[j]), term(x[3], s[j])))
#define ONE_PRODUCT(term) (RK_FMA(term(x, p[j]).d, term(x, p[j]).e, out[j]))

/* The loop of all these sums: `four` for four columns, `sum` for those left over. */
#define ADD(name, four, sum)                                                                                                   \
    RK_VERSIONS(, void, name, (int64_t n, int64_t count, const double *a, const double *b, int64_t ldb, double *restrict out), \
                (n, count, a, b, ldb, out)) {                                                                                  \
        int64_t c = 0;                                                                                                         \
        for (; c + 4 <= count; c += 4) {                                                                                       \
            const double *restrict p = b + c * ldb, *restrict q = p + ldb, *restrict r = q + ldb, *restrict s = r + ldb;       \
            const double x[4] = {a[c], a[c + 1], a[c + 2], a[c + 3]};                                                          \
            for (int64_t j = 0; j < n; j++) out[j] += four;                                                                    \
        }                                                                                                                      \
        for (; c < count; c++) {                                                                                               \
            const double *restrict p = b + c * ldb;                                                                            \
            double x = a[c];                                                                                                   \
            for (int64_t j = 0; j < n; j++) out[j] = sum;                                                                      \
        }                                                                                                                      \
    }

ADD(rk_add_squares, FOUR_PRODUCTS(square), ONE_PRODUCT(square))
ADD(rk_add_absolutes, FOUR(absolute), ONE(absolute))
ADD(rk_add_minima, FOUR(minimum), ONE(minimum))
ADD(rk_add_ratios, four_ratios(fused, x, p[j], q[j], r[j], s[j]), ONE_PRODUCT(ratio))
ADD(rk_add_ratios_wide, FOUR_PRODUCTS(ratio), ONE_PRODUCT(ratio))

/* Eight partial sums keep additions independent of each other. Nothing is fused: x and y may be exchanged. */
#define SCALED_SQUARE(name, X, Y)                                                                                              \
    RK_VERSIONS(, double, name, (int64_t n, double s, const X *x, double t, const Y *y), (n, s, x, t, y)) {                    \
        enum { SUMS = 8 };                                                                                                     \
        double sum[SUMS] = {0}, rest = 0;                                                                                      \
        int64_t c = 0;                                                                                                         \
        for (; c + SUMS <= n; c += SUMS)                                                                                       \
            for (int l = 0; l < SUMS; l++) {                                                                                   \
                double d = s * (double)x[c + l] - t * (double)y[c + l];                                                        \
                sum[l] += d * d;                                                                                               \
            }                                                                                                                  \
        for (; c < n; c++) rest += (s * (double)x[c] - t * (double)y[c]) * (s * (double)x[c] - t * (double)y[c]);              \
        return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;                       \
    }

SCALED_SQUARE(rk_scaled_square, double, double)
SCALED_SQUARE(rk_scaled_square_float, float, double)
SCALED_SQUARE(rk_scaled_square_floats, float, float)
