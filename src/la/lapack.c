/* lapack.c: the border to LAPACK. */
#include "la/la.h"

#include <limits.h>
#include <string.h>

/* The hidden lengths of the characters stand at the end, as gfortran passes them. */
extern void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                    const int *lwork, int *iwork, const int *liwork, int *info, size_t job_length, size_t uplo_length);
extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);

/* Lower and row-major is upper and column-major. */
int64_t rk_cholesky_tile(int64_t n, double *A, int64_t lda) {
    int N = (int)n, LDA = (int)lda, info = 0;
    dpotrf_("U", &N, A, &LDA, &info, 1);
    for (int64_t i = 0; info == 0 && i < n; i++) /* what is not a number goes through some implementations unseen */
        if (!(A[i * lda + i] > 0)) return i;
    return info > 0 ? info - 1 : info < 0 ? 0 : -1;
}

/* All pairs by divide and conquer, then those that are wanted. dsyevr, which could be asked for some of them, writes out of
 * bounds on a matrix like H = I - 11'/n, whose eigenvalue 1 is there n - 1 times: what kernel PCA meets when all objects are
 * unlike. */
rkhs_status rk_eigen(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w, double *V) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double *work, *all, size = 0;
    int *iwork, N = (int)n, LDA = (int)lda, info = 0, lwork = -1, liwork = -1, isize = 0;
    if (n > 30000 || lda > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "a dense eigenproblem of size %lld is too large: use solver=lanczos", (long long)n);
    TRY(rk_scratch(env, n, sizeof *all, &all));
    dsyevd_("V", "L", &N, A, &LDA, all, &size, &lwork, &isize, &liwork, &info, 1, 1);
    lwork = (int)size;
    liwork = isize;
    TRY(rk_scratch(env, lwork, sizeof *work, &work));
    TRY(rk_scratch(env, liwork, sizeof *iwork, &iwork));
    dsyevd_("V", "L", &N, A, &LDA, all, work, &lwork, iwork, &liwork, &info, 1, 1);
    if (info != 0)
        FAIL(env, RKHS_ERR_NUMERIC,
             "LAPACK's dsyevd gave up with code %d on a matrix of size %d: look for numbers that overflow", info, N);
    for (int64_t i = first; i <= last; i++) { /* vectors are columns there, rows here */
        w[i - first] = all[i];
        memcpy(V + (i - first) * n, A + i * lda, (size_t)n * sizeof *V);
    }
done:
    rk_scratch_release(env, mark);
    return status;
}
