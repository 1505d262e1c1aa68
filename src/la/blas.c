/* blas.c: the border to BLAS: narrowing of sizes, single tiles. */
#include "la/la.h"

#include <cblas.h>
#include <limits.h>
#include <stdlib.h>

/* The one place where sizes become 32 bits. Tiles are small and leading dimensions were checked when data came in. */
static int narrow(int64_t v) {
    if (v < 0 || v > INT_MAX) abort();
    return (int)v;
}

static CBLAS_TRANSPOSE op(char t) { return t == 't' ? CblasTrans : CblasNoTrans; }

void rk_gemm_tile(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                  const double *B, int64_t ldb, double beta, double *C, int64_t ldc) {
    rk_blas_enter();
    cblas_dgemm(CblasRowMajor, op(ta), op(tb), narrow(m), narrow(n), narrow(k), alpha, A, narrow(lda), B, narrow(ldb), beta, C,
                narrow(ldc));
    rk_blas_leave();
}

void rk_gemm_single(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda, const float *B, int64_t ldb, float *C,
                    int64_t ldc) {
    rk_blas_enter();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, narrow(m), narrow(n), narrow(k), 1.0f, A, narrow(lda), B, narrow(ldb),
                0.0f, C, narrow(ldc));
    rk_blas_leave();
}

void rk_syrk_tile(int64_t n, int64_t k, const double *A, int64_t lda, double beta, double *C, int64_t ldc) {
    rk_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, narrow(n), narrow(k), 1.0, A, narrow(lda), beta, C, narrow(ldc));
    rk_blas_leave();
}

void rk_syrk_down(int64_t n, int64_t k, const double *A, int64_t lda, double *C, int64_t ldc) {
    rk_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, narrow(n), narrow(k), -1.0, A, narrow(lda), 1.0, C, narrow(ldc));
    rk_blas_leave();
}

void rk_syrk_less(int64_t n, int64_t k, const double *A, int64_t lda, double *C, int64_t ldc) {
    rk_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, narrow(n), narrow(k), -1.0, A, narrow(lda), 1.0, C, narrow(ldc));
    rk_blas_leave();
}

void rk_trsm_tile(char side, char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb) {
    if (side == 'r' && m == 1) {
        rk_solve_vector(trans == 't' ? 'n' : 't', n, L, ldl, B);
    } else if (side == 'l' && n == 1 && ldb == 1) {
        rk_solve_vector(trans, m, L, ldl, B);
    } else {
        rk_blas_enter();
        cblas_dtrsm(CblasRowMajor, side == 'r' ? CblasRight : CblasLeft, CblasLower, op(trans), CblasNonUnit, narrow(m),
                    narrow(n), 1.0, L, narrow(ldl), B, narrow(ldb));
        rk_blas_leave();
    }
}
