/* lapack.c: the dense symmetric eigensolver of LAPACK, for matrices above the size of eigen.c. */
#include "la/eigen.h"

#include <limits.h>
#include <string.h>

/* gfortran passes the lengths of character arguments at the end. */
extern void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                    const int *lwork, int *iwork, const int *liwork, int *info, size_t job_length, size_t uplo_length);

enum { LINE = 64 / sizeof(double) }; /* doubles in 64 bytes, to which LAPACK's arrays are aligned */

/* `count` numbers at a multiple of 64 bytes. Level 1 of some BLAS, which LAPACK calls, adds in an order that depends
 * on the alignment, and the scratch list may be shifted by tests. */
static rkhs_status aligned_room(rkhs_env *env, int64_t count, double **room) {
    rkhs_status status = rk_scratch_raw(env, count + LINE, sizeof **room, room);
    if (status == RKHS_OK) *room += (LINE - (uintptr_t)*room / sizeof **room % LINE) % LINE;
    return status;
}

/* Computes all pairs by divide and conquer, and returns those asked for. dsyevr could compute some alone, but writes
 * out of bounds on H = I - 11'/n, whose eigenvalue 1 is (n - 1)-fold: the matrix of kernel PCA if the Gram is the
 * identity. */
rkhs_status rk_eigen_lapack(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w,
                            double *V) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double *work, *all, *at = A, size = 0;
    int *iwork, N, LDA, info = 0, lwork = -1, liwork = -1, isize = 0;
    if (n > 30000 || lda > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "a dense eigenproblem of size %lld is too large: use solver=lanczos", (long long)n);
    rk_advise_core(env, n);
    N = (int)n;
    LDA = (int)lda;
    TRY(aligned_room(env, n, &all));
    if ((uintptr_t)A % 64 != 0) {
        TRY(aligned_room(env, n * lda, &at));
        memcpy(at, A, (size_t)((n - 1) * lda + n) * sizeof *at);
    }
    dsyevd_("V", "L", &N, at, &LDA, all, &size, &lwork, &isize, &liwork, &info, 1, 1);
    lwork = (int)size;
    liwork = isize;
    TRY(aligned_room(env, lwork, &work));
    TRY(rk_scratch(env, liwork, sizeof *iwork, &iwork));
    rk_blas_enter();
    dsyevd_("V", "L", &N, at, &LDA, all, work, &lwork, iwork, &liwork, &info, 1, 1);
    rk_blas_leave();
    if (info != 0)
        FAIL(env, RKHS_ERR_NUMERIC,
             "LAPACK's dsyevd gave up with code %d on a matrix of size %d: look for numbers that overflow", info, N);
    for (int64_t i = first; i <= last; i++) { /* columns of a column-major matrix are our rows */
        w[i - first] = all[i];
        memcpy(V + (i - first) * n, at + i * lda, (size_t)n * sizeof *V);
    }
done:
    rk_scratch_release(env, mark);
    return status;
}
