/* level1.c: inner products, norms, small triangular systems and Cholesky factors with reproducible sums.
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

double rk_column_mean(int64_t n, int64_t d, int64_t c, const double *Z) {
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += Z[i * d + c] / (double)n;
    return mean;
}

double rk_centre_column(int64_t n, int64_t d, int64_t c, double *Z) {
    double mean = rk_column_mean(n, d, c, Z);
    for (int64_t i = 0; i < n; i++) Z[i * d + c] -= mean;
    return mean;
}

/* If the sum of squares overflows or underflows, it is computed again from numbers scaled by a power of two. */
double rk_norm(int64_t n, const double *x) {
    double squares = rk_dot(n, x, x), largest = 0;
    if (squares > 0x1p-900 && squares <= DBL_MAX) return sqrt(squares);
    for (int64_t j = 0; j < n; j++) {
        double size = fabs(x[j]);
        if (!(size <= DBL_MAX)) return size; /* infinite or NaN */
        if (size > largest) largest = size;
    }
    if (largest == 0) return 0;
    int exponent;
    frexp(largest, &exponent);
    double scale = ldexp(1, exponent > 0 ? -exponent : -(exponent + 1)); /* finite for the smallest numbers, too */
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

/* Cholesky row by row; returns the row where it stops, or -1. */
static int64_t factor_rows(int64_t n, double *A, int64_t lda) {
    for (int64_t i = 0; i < n; i++) {
        double *row = A + i * lda;
        for (int64_t j = 0; j < i; j++) row[j] = (row[j] - rk_dot(j, row, A + j * lda)) / A[j * lda + j];
        double pivot = row[i] - rk_dot(i, row, row);
        if (!(pivot > 0)) return i; /* or NaN */
        row[i] = sqrt(pivot);
    }
    return -1;
}

int64_t rk_cholesky_tile(int64_t n, double *A, int64_t lda) {
    enum { BLOCK = 32 };
    for (int64_t k = 0; k < n; k += BLOCK) {
        int64_t size = rk_min(BLOCK, n - k), below = n - k - size;
        double *D = A + k * lda + k, *P = D + size * lda;
        int64_t bad = factor_rows(size, D, lda);
        if (bad >= 0) return k + bad;
        if (!below) break;
        rk_trsm_tile('r', 't', below, size, D, lda, P, lda);
        rk_syrk_minus(below, size, P, lda, P + size, lda);
    }
    return -1;
}
