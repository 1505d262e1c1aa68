/* lapack.c: the border to LAPACK. */
#include "la/la.h"

#include <limits.h>

/* The hidden lengths of the three characters stand at the end, as gfortran passes them. */
extern void dsyevr_(const char *job, const char *range, const char *uplo, const int *n, double *a, const int *lda,
                    const double *vl, const double *vu, const int *il, const int *iu, const double *tolerance, int *found,
                    double *w, double *z, const int *ldz, int *support, double *work, const int *lwork, int *iwork,
                    const int *liwork, int *info, size_t job_length, size_t range_length, size_t uplo_length);

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);

/* Lower and row-major is upper and column-major. */
int64_t rk_cholesky_tile(int64_t n, double *A, int64_t lda) {
    int N = (int)n, LDA = (int)lda, info = 0;
    dpotrf_("U", &N, A, &LDA, &info, 1);
    for (int64_t i = 0; info == 0 && i < n; i++) /* what is not a number goes through some implementations unseen */
        if (!(A[i * lda + i] > 0)) return i;
    return info > 0 ? info - 1 : info < 0 ? 0 : -1;
}

rkhs_status rk_eigen(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w, double *V) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double *work, *all, zero = 0, size = 0;
    int *iwork, *support;
    int N = (int)n, LDA = (int)lda, il = (int)first + 1, iu = (int)last + 1, found = 0, info = 0, lwork = -1, liwork = -1,
        isize = 0;
    if (n > 30000 || lda > INT_MAX)
        FAIL(env, RKHS_ERR_ARGUMENT, "a dense eigenproblem of size %lld is too large: use solver=lanczos", (long long)n);
    TRY(rk_scratch(env, 2 * n, sizeof *support, &support));
    TRY(rk_scratch(env, n, sizeof *all, &all));
    dsyevr_("V", "I", "L", &N, A, &LDA, &zero, &zero, &il, &iu, &zero, &found, all, V, &N, support, &size, &lwork, &isize,
            &liwork, &info, 1, 1, 1);
    lwork = (int)size;
    liwork = isize;
    TRY(rk_scratch(env, lwork, sizeof *work, &work));
    TRY(rk_scratch(env, liwork, sizeof *iwork, &iwork));
    dsyevr_("V", "I", "L", &N, A, &LDA, &zero, &zero, &il, &iu, &zero, &found, all, V, &N, support, work, &lwork, iwork,
            &liwork, &info, 1, 1, 1);
    if (info != 0 || found != iu - il + 1)
        FAIL(env, RKHS_ERR_NUMERIC, "LAPACK's dsyevr gave up with code %d on a matrix of size %d", info, N);
    for (int i = 0; i < found; i++) w[i] = all[i];
done:
    rk_scratch_release(env, mark);
    return status;
}
