/* eigen.h: the parts of the dense symmetric eigensolver. Only files of la include it. */
#ifndef RK_EIGEN_H
#define RK_EIGEN_H

#include "la/la.h"

/* Matrices up to this size are solved by our own code, larger ones by LAPACK. */
enum { RK_EIGEN_OWN = 512 };

/* Lanes of a vector; reflections that are applied at once; columns of a strip. */
enum { RK_LANES = 4, RK_BLOCK = 4, RK_WIDE = 16 };

static inline int64_t rk_whole_lanes(int64_t n) { return (n + RK_LANES - 1) / RK_LANES * RK_LANES; }

/* sqrt(a^2 + b^2) for |a|, |b| below 1e150; *by: 1, or the power of two by which a and b are to be multiplied first. */
static inline double rk_length(double a, double b, double *by) {
    double square = a * a + b * b;
    *by = square > 0x1p-900 ? 1 : 0x1p600;
    return *by == 1 ? sqrt(square) : sqrt(a * *by * (a * *by) + b * *by * (b * *by));
}

/* Householder reduction to a tridiagonal matrix T = Q'S Q with diagonal d (n) and e (n - 1) beside it.
 * S: n x ld, symmetric in its diagonal tiles of 4 x 4, else its lower triangle, 0 elsewhere; ld is a multiple of 4. Row
 * i becomes the vector u of the reflection I - tau[i] u u', 0 from column i on. work: 4 ld numbers, all 0. */
rkhs_status rk_tridiagonalise(rkhs_env *env, int64_t n, double *S, int64_t ld, double *d, double *e, double *tau, double *work);
/* Multiplies the `count` rows of X, ld apart and 0 from column n on, by Q. */
rkhs_status rk_reflect_rows(rkhs_env *env, int64_t n, const double *S, int64_t ld, const double *tau, int64_t count, double *X);

/* ---- inner loops (eigen_loops.c) ------------------------------------------------------------------------------- */

/* S = S - u w' - w u' in the first m rows, and q = S x for the new S; u, w and x are 0 from m on, q is 0 before. Rows
 * and vectors have whole lanes. */
void rk_symmetric_pass(int64_t m, double *S, int64_t ld, const double *u, const double *w, const double *x, double *q);
/* Applies RK_BLOCK reflections, one after another, to the rows of X: x = x - sum_a y_a u_a. The vectors u_a are rows of
 * U, of `length` numbers, a multiple of RK_LANES; gram (RK_BLOCK x RK_BLOCK) has u_a'u_b below
 * its diagonal. X has an even number of rows. */
void rk_reflect(int64_t length, const double *U, int64_t ld, const double *tau, const double *gram, int64_t count, double *X);
/* Sweeps of na >= 1 and then nb <= na rotations through a strip of RK_WIDE columns, from the same row on, the next row
 * being `step` numbers away. The second sweep takes a row when the first one has left it. A rotation is two numbers:
 * tan(angle/2), -sin(angle). */
void rk_sweep(int64_t step, int64_t na, const double *ta, int64_t nb, const double *tb, double *row);

/* rk_eigen by LAPACK, for any n up to 30000. */
rkhs_status rk_eigen_lapack(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w,
                            double *V);

/* The name of the OpenBLAS kernels that suit these instructions, if those of `core` are for older ones; else NULL. */
const char *rk_better_core(const char *core, int instructions);
/* Gives advice, once in an env, if OpenBLAS runs on kernels that are too old, and n is so large that it matters. */
void rk_advise_core(rkhs_env *env, int64_t n);

#endif
