/* tridiagonal.c: a symmetric matrix as Q T Q', with a tridiagonal T and Q a product of reflections.
 *
 *     T = H_2 .. H_{n-1} S H_{n-1} .. H_2,   H_i = I - tau_i u_i u_i'
 *
 * H_i makes row i of S zero, left of the number beside the diagonal. It leaves S - u w' - w u' in the first i rows and
 * columns, with w from the product of S and u. Memory bandwidth limits this: so the change by one reflection and the
 * product for the next one are done in one pass over one triangle, eight rows at a time. Diagonal tiles of 8 x 8 are
 * kept whole, and vectors are 0 beyond their length: no loop has a rest. Sums have a fixed order.
 *
 * Golub, Van Loan: Matrix Computations, 4th edition, 8.3.1. */
#include "la/eigen.h"

enum { ROWS = 4, BLOCK = 4, PAIR = 2 };

#define load(p) (*(const rk_lanes *)(p))
#define store(p, v) (*(rk_lanes *)(p) = (v))
#define splat(x) ((x) - (rk_lanes){0})

/* The sum of the lanes. */
RK_ALWAYS_INLINE double total(const rk_lanes *v) {
    return (((*v)[0] + (*v)[4]) + ((*v)[2] + (*v)[6])) + (((*v)[1] + (*v)[5]) + ((*v)[3] + (*v)[7]));
}

/* Rows r .. r+3 of the pass below, which begin with `before` columns left of the diagonal tile. */
RK_ALWAYS_INLINE void pass_rows(const int fused, int64_t r, int64_t before, double *restrict S, int64_t ld,
                                const double *restrict u, const double *restrict w, const double *restrict x,
                                double *restrict q) {
    rk_lanes sum[ROWS] = {0}, minus_u[ROWS], minus_w[ROWS], here[ROWS];
    for (int a = 0; a < ROWS; a++) minus_u[a] = splat(-u[r + a]), minus_w[a] = splat(-w[r + a]), here[a] = splat(x[r + a]);
    for (int64_t j = 0; j <= before; j += RK_LANES) {
        rk_lanes uj = load(u + j), wj = load(w + j), xj = load(x + j), qj = load(q + j);
        for (int a = 0; a < ROWS; a++) {
            rk_lanes s = load(S + (r + a) * ld + j);
            rk_add_lanes(fused, &minus_u[a], &wj, &s);
            rk_add_lanes(fused, &minus_w[a], &uj, &s);
            store(S + (r + a) * ld + j, s);
            rk_add_lanes(fused, &s, &xj, &sum[a]);
            rk_add_lanes(fused, &here[a], &s, &qj);
        }
        if (j < before) store(q + j, qj);
    }
    for (int a = 0; a < ROWS; a++) q[r + a] += total(&sum[a]);
}

/* S = S - u w' - w u' in the first m rows, and q = S x for the new S; u, w and x are 0 from m on, q is 0 before. */
RK_VERSIONS(static, void, pass,
            (int64_t m, double *restrict S, int64_t ld, const double *restrict u, const double *restrict w,
             const double *restrict x, double *restrict q),
            (m, S, ld, u, w, x, q)) {
    for (int64_t r = 0; r < m; r += ROWS) pass_rows(fused, r, r / RK_LANES * RK_LANES, S, ld, u, w, x, q);
}

/* y -= a x + b z */
RK_VERSIONS(static, void, subtract_two,
            (int64_t n, double a, const double *restrict x, double b, const double *restrict z, double *restrict y),
            (n, a, x, b, z, y)) {
    for (int64_t j = 0; j < n; j++) y[j] = RK_FMA(-b, z[j], RK_FMA(-a, x[j], y[j]));
}

/* Turns x (m numbers) into the vector u of a reflection that maps x to (0, .., 0, beta), with u[m-1] = 1. */
static double reflection(int64_t m, double *x, double *beta) {
    double alpha = x[m - 1], rest = rk_norm(m - 1, x), by;
    *beta = alpha;
    if (rest < 0x1p-1000) { /* such a row is left as it is */
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
        pass(i, S, ld, u, w, x, q);
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

/* Applies BLOCK reflections, one after another, to PAIR rows of X: x = x - sum_a y_a u_a. The vectors u_a (rows of U)
 * have `length` numbers; gram[a][b] = u_a'u_b. */
RK_ALWAYS_INLINE void reflect_pair(const int fused, int64_t length, const double *restrict U, int64_t ld, const double *tau,
                                   double gram[BLOCK][BLOCK], double *restrict X) {
    rk_lanes sum[PAIR][BLOCK] = {0}, minus[PAIR][BLOCK];
    for (int64_t j = 0; j < length; j += RK_LANES)
        for (int p = 0; p < PAIR; p++) {
            rk_lanes x = load(X + p * ld + j);
            for (int a = 0; a < BLOCK; a++) {
                rk_lanes u = load(U + a * ld + j);
                rk_add_lanes(fused, &u, &x, &sum[p][a]);
            }
        }
    for (int p = 0; p < PAIR; p++) {
        double y[BLOCK];
        for (int a = 0; a < BLOCK; a++) {
            y[a] = total(&sum[p][a]);
            for (int b = 0; b < a; b++) y[a] = RK_FMA(-gram[a][b], y[b], y[a]);
            y[a] *= tau[a];
            minus[p][a] = splat(-y[a]);
        }
    }
    for (int64_t j = 0; j < length; j += RK_LANES)
        for (int p = 0; p < PAIR; p++) {
            rk_lanes x = load(X + p * ld + j);
            for (int a = 0; a < BLOCK; a++) {
                rk_lanes u = load(U + a * ld + j);
                rk_add_lanes(fused, &minus[p][a], &u, &x);
            }
            store(X + p * ld + j, x);
        }
}

RK_VERSIONS(static, void, reflect_block,
            (int64_t length, const double *restrict U, int64_t ld, const double *tau, double gram[BLOCK][BLOCK], int64_t count,
             double *restrict X),
            (length, U, ld, tau, gram, count, X)) {
    for (int64_t r = 0; r < count; r += PAIR) reflect_pair(fused, length, U, ld, tau, gram, X + r * ld);
}

rkhs_status rk_reflect_rows(rkhs_env *env, int64_t n, const double *S, int64_t ld, const double *tau, int64_t count,
                            double *X) {
    rkhs_status status = RKHS_OK;
    for (int64_t i = 0; i < n; i += BLOCK) { /* S has whole blocks of rows, and tau zeros for those past n */
        int64_t last = i + BLOCK - 1;
        const double *U = S + i * ld;
        double gram[BLOCK][BLOCK];
        for (int a = 0; a < BLOCK; a++)
            for (int b = 0; b < a; b++) gram[a][b] = rk_dot(i + b, U + a * ld, U + b * ld);
        reflect_block(rk_whole_lanes(last), U, ld, tau + i, gram, count, X);
        TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    return status;
}
