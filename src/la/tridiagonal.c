/* tridiagonal.c: a symmetric matrix as Q T Q', with a tridiagonal T and Q a product of reflections.
 *
 *     T = H_2 .. H_{n-1} S H_{n-1} .. H_2,   H_i = I - tau_i u_i u_i'
 *
 * H_i makes row i of S zero, left of the number beside the diagonal. It leaves S - u w' - w u' in the first i rows and
 * columns, with w from the product of S and u. Memory bandwidth limits this: so the change by one reflection and the
 * product for the next one are done in one pass over one triangle, four rows at a time. Diagonal tiles of 4 x 4 are
 * kept whole, and vectors are 0 beyond their length: no loop has a rest. Sums have a fixed order.
 *
 * Golub, Van Loan: Matrix Computations, 4th edition, 8.3.1. */
#include "la/eigen.h"

/* y -= a x + b z */
RK_VERSIONS(static, void, subtract_two,
            (int64_t n, double a, const double *restrict x, double b, const double *restrict z, double *restrict y),
            (n, a, x, b, z, y)) {
    for (int64_t j = 0; j < n; j++) y[j] = RK_FMA(-b, z[j], RK_FMA(-a, x[j], y[j]));
}

/* Turns x (m numbers) into the vector u of a reflection that maps x to (0, .., 0, beta), with u[m-1] = 1. Returns its
 * tau, 0 if x is so already. */
static double reflection(int64_t m, double *x, double *beta) {
    double alpha = x[m - 1], rest = rk_norm(m - 1, x), by;
    *beta = alpha;
    if (rest < 0x1p-1000) { /* nothing to do */
        for (int64_t j = 0; j < m - 1; j++) x[j] = 0;
        return 0;
    }
    double length = copysign(rk_length(alpha, rest, &by), -alpha), top = alpha * by - length;
    for (int64_t j = 0; j < m - 1; j++) x[j] = x[j] * by / top;
    x[m - 1] = 1;
    *beta = length / by;
    return -top / length;
}

rkhs_status rk_tridiagonalise(rkhs_env *env, int64_t n, double *S, int64_t ld, double *d, double *e, double *tau,
                              double *work) {
    rkhs_status status = RKHS_OK;
    double *u = work, *w = work + ld, *x = work + 2 * ld, *q = work + 3 * ld;
    for (int64_t i = n - 1; i > 0; i--) {
        double *row = S + i * ld;
        subtract_two(i + 1, u[i], w, w[i], u, row); /* by the reflection before */
        u[i] = w[i] = 0;
        d[i] = row[i];
        for (int64_t j = i; j < rk_whole_lanes(i + 1); j++) row[j] = 0;
        tau[i] = reflection(i, row, &e[i - 1]);
        for (int64_t j = 0; j < ld; j++) x[j] = tau[i] != 0 && j < i ? row[j] : 0, q[j] = 0;
        rk_symmetric_pass(i, S, ld, u, w, x, q);
        double half = 0.5 * tau[i] * tau[i] * rk_dot(i, q, x);
        for (int64_t j = 0; j < ld; j++) {
            u[j] = x[j];
            w[j] = j < i ? tau[i] * q[j] - half * x[j] : 0;
        }
        TRY(rk_progress(env, NULL, 0, 0));
    }
    d[0] = S[0];
done:
    return status;
}

rkhs_status rk_reflect_rows(rkhs_env *env, int64_t n, const double *S, int64_t ld, const double *tau, int64_t count,
                            double *X) {
    rkhs_status status = RKHS_OK;
    for (int64_t i = 0; i < n; i += RK_BLOCK) { /* S has whole blocks of rows, and tau zeros for those past n */
        int64_t last = i + RK_BLOCK - 1;
        const double *U = S + i * ld;
        double gram[RK_BLOCK * RK_BLOCK];
        for (int a = 0; a < RK_BLOCK; a++)
            for (int b = 0; b < a; b++) gram[a * RK_BLOCK + b] = rk_dot(i + b, U + a * ld, U + b * ld);
        rk_reflect(rk_whole_lanes(last), U, ld, tau + i, gram, count, X);
        TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    return status;
}
