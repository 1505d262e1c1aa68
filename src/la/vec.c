/* vec.c: loops over a row of a tile: exp, distances. Compiled for several instruction sets, chosen when the program starts. */
#include "la/la.h"

#include <string.h>

/* exp(x) = 2^k exp(r), |r| <= ln2/2; exp(r) by its series to r^13, whose rest is below 2^-57. 1.5 * 2^52 added and taken away
 * rounds to the nearest integer, and leaves it in the low bits. */
RK_CLONES void rk_exp(int64_t n, double *x) {
    const double magic = 0x1.8p52, log2e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    for (int64_t j = 0; j < n; j++) {
        double v = x[j], limited = v < -708 ? -708 : v > 709 ? 709 : v;
        double shifted = limited * log2e + magic, k = shifted - magic;
        double r = (limited - k * ln2_high) - k * ln2_low;
        double p = 1.0 / 6227020800.0;
        p = p * r + 1.0 / 479001600.0;
        p = p * r + 1.0 / 39916800.0;
        p = p * r + 1.0 / 3628800.0;
        p = p * r + 1.0 / 362880.0;
        p = p * r + 1.0 / 40320.0;
        p = p * r + 1.0 / 5040.0;
        p = p * r + 1.0 / 720.0;
        p = p * r + 1.0 / 120.0;
        p = p * r + 1.0 / 24.0;
        p = p * r + 1.0 / 6.0;
        p = p * r + 0.5;
        p = p * r + 1.0;
        p = p * r + 1.0;
        int64_t bits;
        memcpy(&bits, &shifted, sizeof bits);
        /* The low bits of `shifted` are k, and 2^k has exponent bits k + 1023. */
        uint64_t scale = ((uint64_t)bits + 1023) << 52;
        double power;
        memcpy(&power, &scale, sizeof power);
        x[j] = v < -708 ? 0.0 : p * power;
    }
}

RK_CLONES int64_t rk_distances(int64_t n, double a, const double *restrict b, double limit, double *restrict d) {
    int64_t close = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = a + b[j], v = sum - 2 * d[j];
        d[j] = v > 0 ? v : 0;
        close += v <= limit * sum;
    }
    return close;
}

RK_CLONES void rk_unions(int64_t n, double a, const double *restrict b, double *restrict d) {
    for (int64_t j = 0; j < n; j++) {
        double all = a + b[j] - d[j], v = d[j] / all;
        d[j] = !(all > 0) || v > 1 ? 1 : v;
    }
}

/* Four at a time, so that out is loaded and stored once for four columns. */
RK_CLONES void rk_add_squares(int64_t n, int64_t count, const double *a, const double *b, int64_t ldb, double *restrict out) {
    int64_t c = 0;
    for (; c + 4 <= count; c += 4) {
        const double *restrict p = b + c * ldb, *restrict q = p + ldb, *restrict r = q + ldb, *restrict s = r + ldb;
        double ap = a[c], aq = a[c + 1], ar = a[c + 2], as = a[c + 3];
        for (int64_t j = 0; j < n; j++)
            out[j] +=
                (ap - p[j]) * (ap - p[j]) + (aq - q[j]) * (aq - q[j]) + ((ar - r[j]) * (ar - r[j]) + (as - s[j]) * (as - s[j]));
    }
    for (; c < count; c++) {
        const double *restrict p = b + c * ldb;
        double ap = a[c];
        for (int64_t j = 0; j < n; j++) out[j] += (ap - p[j]) * (ap - p[j]);
    }
}

RK_CLONES void rk_add_absolutes(int64_t n, int64_t count, const double *a, const double *b, int64_t ldb, double *restrict out) {
    int64_t c = 0;
    for (; c + 4 <= count; c += 4) {
        const double *restrict p = b + c * ldb, *restrict q = p + ldb, *restrict r = q + ldb, *restrict s = r + ldb;
        double ap = a[c], aq = a[c + 1], ar = a[c + 2], as = a[c + 3];
        for (int64_t j = 0; j < n; j++) out[j] += (fabs(ap - p[j]) + fabs(aq - q[j])) + (fabs(ar - r[j]) + fabs(as - s[j]));
    }
    for (; c < count; c++) {
        const double *restrict p = b + c * ldb;
        double ap = a[c];
        for (int64_t j = 0; j < n; j++) out[j] += fabs(ap - p[j]);
    }
}
