/* schur_complement.c: log det S and L^-1 g for a small Schur complement S = B - Y'Y = L L'.
 *
 * It is called for each pair of objects. S is computed and factored column by column: column j of B, less the
 * contributions of Y and of earlier columns. For n < LARGE the overhead of BLAS exceeds the work itself. */
#include "la/la.h"

#include <string.h>

enum { LARGE = 112, WIDE = 8 }; /* WIDE: columns begin at a multiple of the vector length */

/* v[i] -= sum over k < count of f[k*apart] rows[k*ld + i], i < n. */
RK_ALWAYS_INLINE void take(const int fused, int64_t n, int64_t count, const double *f, int64_t apart, const double *rows,
                           int64_t ld, double *restrict v) {
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *r0 = rows + k * ld, *r1 = r0 + ld, *r2 = r1 + ld, *r3 = r2 + ld;
        double a = f[k * apart], b = f[(k + 1) * apart], c = f[(k + 2) * apart], d = f[(k + 3) * apart];
        for (int64_t i = 0; i < n; i++) v[i] -= RK_FMA(a, r0[i], b * r1[i]) + RK_FMA(c, r2[i], d * r3[i]);
    }
    for (; k < count; k++)
        for (int64_t i = 0; i < n; i++) v[i] = RK_FMA(-f[k * apart], rows[k * ld + i], v[i]);
}

/* Row j of the array L holds column j of the factor. */
RK_VERSIONS(static, double, small, (int64_t n, int64_t r, const double *Y, int64_t ldy, const double *B, double *L, double *g),
            (n, r, Y, ldy, B, L, g)) {
    double sum = 0, product = 1;
    for (int64_t j = 0; j < n; j++) {
        int64_t from = j / WIDE * WIDE, left = n - from;
        double *v = L + j * n;
        memcpy(v + from, B + j * n + from, (size_t)left * sizeof *v);
        take(fused, left, r, Y + j, ldy, Y + from, ldy, v + from);
        take(fused, left, j, L + j, n, L + from, n, v + from);
        double pivot = v[j], scale = 1 / sqrt(pivot);
        if (!(pivot > 0)) return NAN;
        g[j] *= scale;
        for (int64_t i = from; i < n; i++) v[i] *= scale;
        for (int64_t i = j + 1; i < n; i++) g[i] = RK_FMA(-g[j], v[i], g[i]);
        product *= pivot;
        if (product > 1e100 || product < 1e-100) sum += log(product), product = 1;
    }
    return sum + log(product);
}

double rk_schur_log_det(int64_t n, int64_t r, const double *Y, int64_t ldy, const double *B, double *S, double *g) {
    if (n < LARGE) return small(n, r, Y, ldy, B, S, g);
    double sum = 0;
    memcpy(S, B, (size_t)(n * n) * sizeof *S);
    rk_syrk_tile('t', n, r, -1, Y, ldy, 1, S, n);
    if (rk_cholesky_tile(n, S, n) >= 0) return NAN;
    rk_solve_vector('n', n, S, n, g);
    for (int64_t k = 0; k < n; k++) sum += log(S[k * n + k]);
    return 2 * sum;
}
