/* vec.c: vectorised functions on arrays: exp, cos, sin, tanh, log1p, angles, powers, distances, cosines, sums, floats
 * as doubles. Compiled for several instruction sets (instructions.h). */
#include "la/la.h"

#include <string.h>

RK_VERSIONS(, void, rk_widen, (int64_t n, const float *restrict x, double *restrict wide), (n, x, wide)) {
    for (int64_t j = 0; j < n; j++) wide[j] = (double)x[j];
}

/* Eight partial sums keep additions independent of each other; their order depends on n alone. */
RK_VERSIONS(, double, rk_sum, (int64_t n, const double *x), (n, x)) {
    enum { EIGHT = 8 };
    double sum[EIGHT] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + EIGHT <= n; j += EIGHT)
        for (int l = 0; l < EIGHT; l++) sum[l] += x[j + l];
    for (; j < n; j++) rest += x[j];
    return rest + (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}

/* c[0] x^(n-1) + ... + c[n-1], by Horner's rule; unrolled, so that the loops around it are still vectorised. */
RK_ALWAYS_INLINE double polynomial(const int fused, int n, const double *c, double x) {
    double p = c[0];
#pragma GCC unroll 16
    for (int i = 1; i < n; i++) p = RK_FMA(p, x, c[i]);
    return p;
}
#define POLYNOMIAL(c, x) polynomial(fused, (int)(sizeof(c) / sizeof *(c)), c, x)

/* exp(v) = 2^k exp(r), v = k ln2 + r, |r| <= ln2/2; exp(r) by its series to r^13, whose remainder is below 2^-57.
 * Adding and subtracting 1.5 * 2^52 rounds to the integer k and leaves it in the low bits; 2^k has exponent k +
 * 1023. */
typedef struct parts {
    double power, r, half; /* exp(v) = power (1 + r (1 + r half)) */
} parts;

RK_ALWAYS_INLINE parts exp_parts(const int fused, double v) {
    const double magic = 0x1.8p52, log2e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    double shifted = RK_FMA(v, log2e, magic), k = shifted - magic;
    double most = RK_FMA(-k, ln2_high, v), r = RK_FMA(-k, ln2_low, most);
    static const double series[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                    1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
    double p = POLYNOMIAL(series, r);
    int64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    uint64_t scale = ((uint64_t)bits + 1023) << 52;
    double power;
    memcpy(&power, &scale, sizeof power);
    return (parts){power, r, p};
}

RK_VERSIONS(, void, rk_exp, (int64_t n, double *x), (n, x)) {
    for (int64_t j = 0; j < n; j++) {
        double v = x[j];
        parts e = exp_parts(fused, v < -708 ? -708 : v > 709 ? 709 : v);
        double series = RK_FMA(e.half, e.r, 1.0);
        x[j] = v < -708 ? 0.0 : RK_FMA(series, e.r, 1.0) * e.power;
    }
}

/* x = q pi/2 + r, |r| <= pi/4; cos and sin of r by their series to r^16 and r^17, whose remainders are below 2^-58. The
 * quarter q is left in the low bits as in exp_parts. */
RK_VERSIONS(, void, rk_cos_sin, (int64_t n, double scale, const double *restrict x, double *restrict out), (n, scale, x, out)) {
    const double magic = 0x1.8p52, quarters = 0x1.45f306dc9c883p-1;
    const double high = 0x1.921fb54442d18p0, middle = 0x1.1a62633145c07p-54, low = -0x1.f1976b7ed8fbcp-110;
    static const double sines[] = {1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                                   1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    static const double cosines[] = {1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                     1.0 / 40320,          -1.0 / 720,         1.0 / 24,        -0.5};
    for (int64_t j = 0; j < n; j++) {
        double shifted = RK_FMA(x[j], quarters, magic), q = shifted - magic;
        double r = RK_FMA(-q, high, x[j]);
        r = RK_FMA(-q, middle, r);
        r = RK_FMA(-q, low, r);
        double square = r * r, cubed = square * r;
        double sine = RK_FMA(POLYNOMIAL(sines, square), cubed, r), cosine = RK_FMA(POLYNOMIAL(cosines, square), square, 1.0);
        uint64_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        int odd = bits & 1, back = (bits & 2) != 0;
        double c = odd ? -sine : cosine, s = odd ? cosine : sine;
        out[2 * j] = scale * (back ? -c : c);
        out[2 * j + 1] = scale * (back ? -s : s);
    }
}

RK_VERSIONS(, int64_t, rk_squared_distances, (int64_t n, double a, const double *restrict b, double limit, double *restrict d),
            (n, a, b, limit, d)) {
    int64_t close = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = a + b[j], v = RK_FMA(-2, d[j], sum);
        d[j] = v > 0 ? v : 0;
        close += v <= limit * sum;
    }
    return close;
}

RK_VERSIONS(, void, rk_jaccard, (int64_t n, double a, const double *restrict b, double *restrict d), (n, a, b, d)) {
    for (int64_t j = 0; j < n; j++) {
        double all = a + b[j] - d[j], v = d[j] / all;
        d[j] = !(all > 0) || v > 1 ? 1 : v;
    }
}

RK_VERSIONS(, void, rk_cosines, (int64_t n, double a, const double *restrict b, double *restrict x), (n, a, b, x)) {
    for (int64_t j = 0; j < n; j++) {
        double v = x[j] * a * b[j];
        v = v < 1 ? v : 1;
        x[j] = v > -1 ? v : -1;
    }
}

/* By repeated squaring, one bit of the power at a time for all numbers. */
RK_VERSIONS(, void, rk_powers, (int64_t n, double scale, double shift, int64_t power, double *restrict x),
            (n, scale, shift, power, x)) {
    enum { PART = 128 };
    double base[PART];
    if (power == 3) { /* the most usual power, in one pass */
        for (int64_t j = 0; j < n; j++) {
            double v = RK_FMA(scale, x[j], shift);
            x[j] = v * v * v;
        }
        return;
    }
    for (int64_t j0 = 0; j0 < n; j0 += PART) {
        int64_t m = n - j0 < PART ? n - j0 : PART;
        double *y = x + j0;
        for (int64_t j = 0; j < m; j++) base[j] = RK_FMA(scale, y[j], shift);
        for (int64_t j = 0; j < m; j++) y[j] = power & 1 ? base[j] : 1;
        for (int64_t rest = power >> 1; rest; rest >>= 1) {
            for (int64_t j = 0; j < m; j++) base[j] *= base[j];
            for (int64_t j = 0; (rest & 1) && j < m; j++) y[j] *= base[j];
        }
    }
}

/* tanh|x| = e/(e + 2), e = exp(2|x|) - 1 = 2^k (exp(r) - 1) + (2^k - 1): no digits are lost near 0. 1 from 20 on. */
RK_VERSIONS(, void, rk_tanh, (int64_t n, double *x), (n, x)) {
    for (int64_t j = 0; j < n; j++) {
        double v = 2 * fabs(x[j]);
        parts q = exp_parts(fused, v);
        double less = RK_FMA(q.half * q.r, q.r, q.r), e = RK_FMA(less, q.power, q.power - 1);
        x[j] = copysign(v < 40 ? e / (e + 2) : 1, x[j]);
    }
}

/* log(1 + x) = k ln2 + log m, where 1 + x = 2^k m up to a rounding error that is added back, sqrt(1/2) <= m < sqrt(2);
 * log m = 2 atanh(s), s = (m - 1)/(m + 1), by its series to s^21, whose remainder is below 2^-60 of it. */
RK_VERSIONS(, void, rk_log1p, (int64_t n, double *x), (n, x)) {
    static const double series[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                    1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
    const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    const uint64_t root = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000; /* the bits of sqrt(1/2) and of 1 */
    for (int64_t j = 0; j < n; j++) {
        double v = x[j], t = 1 + v, lost = (v - (t - 1)) / t;
        uint64_t bits;
        memcpy(&bits, &t, sizeof bits);
        bits += one - root;
        /* exponent: 2^52 + k + 1023 as a double */
        uint64_t exponent = (bits >> 52) | 0x4330000000000000, mantissa = (bits & 0xfffffffffffff) + root;
        double k, m;
        memcpy(&k, &exponent, sizeof k);
        memcpy(&m, &mantissa, sizeof m);
        k -= 0x1p52 + 1023;
        double s = (m - 1) / (m + 1), z = s * s;
        double p = POLYNOMIAL(series, z);
        double low = RK_FMA(k, ln2_low, lost), rest = RK_FMA(2 * s * z, p, low);
        x[j] = RK_FMA(k, ln2_high, 2 * s + rest);
    }
}

/* asin(y) = y (1 + z q(z)), z = y^2 <= 1/4; q of degree 11 interpolates at Chebyshev points, relative error below
 * 6e-17. For u = cos in [-1/2, 1/2] the angle is pi/2 - asin(u); else it comes from 2 asin(sqrt((1 - |u|)/2)). */
RK_VERSIONS(, void, rk_angles, (int64_t n, const double *restrict below, const double *restrict above, double *restrict angle),
            (n, below, above, angle)) {
    static const double series[] = {0x1.cd864394d2ff2p-6, -0x1.603991d6060e0p-7, 0x1.06b9d26d10838p-6, 0x1.ff5fc4d14c735p-8,
                                    0x1.8522ddffa6208p-7, 0x1.c87265d47ef49p-7,  0x1.1c593c7b1d958p-6, 0x1.6e8b2b3b10be4p-6,
                                    0x1.f1c71f95269afp-6, 0x1.6db6db684b6a1p-5,  0x1.3333333336da5p-4, 0x1.555555555554fp-3};
    const double pi = 0x1.921fb54442d18p1, pi_low = 0x1.1a62633145c07p-53;
    for (int64_t j = 0; j < n; j++) {
        double w = below[j], v = above[j], smaller = w < v ? w : v, u = w < v ? 1 - w : v - 1;
        int middle = smaller > 0.5;
        double z = middle ? u * u : 0.5 * smaller, y = middle ? u : sqrt(z);
        double q = POLYNOMIAL(series, z);
        double arc = RK_FMA(y * z, q, y);
        double near = 2 * arc, far = pi - (2 * arc - pi_low);
        angle[j] = middle ? 0.5 * pi - (arc - 0.5 * pi_low) : w < v ? near : far;
    }
}
