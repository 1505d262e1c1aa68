/* level1.c: inner products, norms, small triangular systems and Cholesky factors with reproducible sums.
 *
 * The order of additions depends on the sizes alone. In BLAS it may depend on where an array begins: the oldest
 * kernels of OpenBLAS add the first number separately if it is not 16-byte aligned. Then the result would depend on
 * which worker computed it, or on the address of a user's array. */
#include "la/la.h"

#include <float.h>

/* Eight partial sums keep additions independent of each other. */
enum { SUMS = 8 };

static inline __attribute__((always_inline)) double join(const double sum[SUMS], double rest) {
    return rest + (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}

RK_CLONES double rk_dot(int64_t n, const double *x, const double *y) {
    double sum[SUMS] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + SUMS <= n; j += SUMS)
        for (int l = 0; l < SUMS; l++) sum[l] += x[j + l] * y[j + l];
    for (; j < n; j++) rest += x[j] * y[j];
    return join(sum, rest);
}

RK_CLONES static double scaled_squares(int64_t n, double scale, const double *x) {
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
RK_CLONES static void subtract(int64_t n, double a, const double *restrict x, double *restrict y) {
    for (int64_t j = 0; j < n; j++) y[j] -= a * x[j];
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
