/* eigen.h: the parts of the dense symmetric eigensolver. Only files of la include it. */
#ifndef RK_EIGEN_H
#define RK_EIGEN_H

#include "la/la.h"

/* Matrices up to this size are solved by our own code, larger ones by LAPACK. */
enum { RK_EIGEN_OWN = 512 };

/* Eight doubles, of any alignment. */
enum { RK_LANES = 8 };
typedef double rk_lanes __attribute__((vector_size(RK_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

RK_ALWAYS_INLINE int64_t rk_whole_lanes(int64_t n) { return (n + RK_LANES - 1) / RK_LANES * RK_LANES; }

/* c += a b, lane by lane, in the body of RK_VERSIONS. By pointers: vectors as arguments depend on the instruction set. */
RK_ALWAYS_INLINE void rk_add_lanes(const int fused, const rk_lanes *a, const rk_lanes *b, rk_lanes *c) {
    for (int l = 0; l < RK_LANES; l++) (*c)[l] = RK_FMA((*a)[l], (*b)[l], (*c)[l]);
}

/* sqrt(a^2 + b^2) for |a|, |b| below 1e150; *by: 1, or the power of two by which a and b are to be multiplied first. */
static inline double rk_length(double a, double b, double *by) {
    double square = a * a + b * b;
    *by = square > 0x1p-900 ? 1 : 0x1p600;
    return *by == 1 ? sqrt(square) : sqrt(a * *by * (a * *by) + b * *by * (b * *by));
}

/* Householder reduction to a tridiagonal matrix T = Q'S Q with diagonal d (n) and e (n - 1) beside it.
 * S: n x ld, symmetric in its diagonal tiles of 8 x 8, else its lower triangle, 0 elsewhere; ld is a multiple of 8. Row
 * i becomes the vector u of the reflection I - tau[i] u u', 0 from column i on. work: 4 ld numbers, all 0. */
rkhs_status rk_tridiagonalise(rkhs_env *env, int64_t n, double *S, int64_t ld, double *d, double *e, double *tau,
                              double *work);
/* Multiplies the `count` rows of X, ld apart and 0 from column n on, by Q. */
rkhs_status rk_reflect_rows(rkhs_env *env, int64_t n, const double *S, int64_t ld, const double *tau, int64_t count,
                            double *X);

/* rk_eigen by LAPACK, for any n up to 30000. */
rkhs_status rk_eigen_lapack(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w,
                            double *V);

#endif
