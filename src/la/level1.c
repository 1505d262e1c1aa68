/* level1.c: inner products, norms and triangular systems with one right-hand side, with reproducible sums.
 *
 * The order of additions depends on the sizes alone. In BLAS it may depend on where an array begins: the oldest
 * kernels of OpenBLAS add the first number separately if it is not 16-byte aligned. Then the result would depend on
 * which worker computed it, or on the address of a user's array. */
#include "la/la.h"

#include <float.h>

/* Eight partial sums keep additions independent of each other. Products are rounded before they are added: a sum only
 * waits for its last addition, which takes no longer than a fused multiply-add, and every processor has the same
 * bits. */
enum { SUMS = 8 };

RK_ALWAYS_INLINE double join(const double sum[SUMS], double rest) {
    return rest + (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}

RK_VERSIONS(, double, rk_dot, (int64_t n, const double *x, const double *y), (n, x, y)) {
    double sum[SUMS] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + SUMS <= n; j += SUMS)
        for (int l = 0; l < SUMS; l++) sum[l] += x[j + l] * y[j + l];
    for (; j < n; j++) rest += x[j] * y[j];
    return join(sum, rest);
}

RK_VERSIONS(static, double, scaled_squares, (int64_t n, double scale, const double *x), (n, scale, x)) {
    double sum[SUMS] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + SUMS <= n; j += SUMS)
        for (int l = 0; l < SUMS; l++) sum[l] += (scale * x[j + l]) * (scale * x[j + l]);
    for (; j < n; j++) rest += (scale * x[j]) * (scale * x[j]);
    return join(sum, rest);
}

int rk_squares_hold(double squares) { return squares > 0x1p-900 && squares <= DBL_MAX; }

double rk_norm_scale(int64_t n, const double *x) {
    double largest = 0;
    for (int64_t j = 0; j < n; j++) {
        double size = fabs(x[j]);
        if (!(size <= DBL_MAX)) return -size; /* infinite or NaN */
        if (size > largest) largest = size;
    }
    if (largest == 0) return 0;
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1, exponent < -1023 ? 1023 : -exponent); /* finite for the smallest numbers, too */
}

/* If the sum of squares overflows or underflows, it is computed again from numbers scaled by a power of two. */
double rk_norm(int64_t n, const double *x) {
    double squares = rk_dot(n, x, x), scale;
    if (rk_squares_hold(squares)) return sqrt(squares);
    scale = rk_norm_scale(n, x);
    if (!(scale > 0)) return fabs(scale); /* the norm itself: 0, infinite or NaN */
    return sqrt(scaled_squares(n, scale, x)) / scale;
}

/* y -= a x */
RK_VERSIONS(static, void, subtract, (int64_t n, double a, const double *restrict x, double *restrict y), (n, a, x, y)) {
    for (int64_t j = 0; j < n; j++) y[j] = RK_FMA(-a, x[j], y[j]);
}

void rk_solve_vector(char trans, int64_t n, const double *L, int64_t ldl, double *x) {
    if (trans != 't') {
        for (int64_t i = 0; i < n; i++) x[i] = (x[i] - rk_dot(i, L + i * ldl, x)) / L[i * ldl + i];
        return;
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= L[i * ldl + i];
        subtract(i, x[i], L + i * ldl, x);
    }
}
