/* blas.c: calls of BLAS for single tiles, on the calling thread, where product.c has no version for the processor.
 *
 * BLAS has 32-bit sizes. Tiles are small, and data whose rows are further apart are refused or copied when they come
 * in. Should larger sizes get here all the same, plain loops compute the result. */
#include "la/la.h"
#include "la/blas.h"

#include <cblas.h>
#include <limits.h>

enum { SLICE = 8192 }; /* numbers in a sum of one call, so that it does not run long */

static CBLAS_TRANSPOSE op(char t) { return t == 't' ? CblasTrans : CblasNoTrans; }

/* Whether all sizes fit in 32 bits. */
static int fits(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
    return a <= INT_MAX && b <= INT_MAX && c <= INT_MAX && d <= INT_MAX && e <= INT_MAX && f <= INT_MAX;
}

/* C = alpha A B + beta C by loops; A[i, q] is at i*ai + q*aq, B[q, j] at q*bq + j*bj. `lower`: lower triangle only. */
static void product(int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t ai, int64_t aq, const double *B,
                    int64_t bq, int64_t bj, double beta, double *C, int64_t ldc, int lower) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : n); j++) {
            double sum = 0, *c = C + i * ldc + j;
            for (int64_t q = 0; q < k; q++) sum += A[i * ai + q * aq] * B[q * bq + j * bj];
            *c = alpha * sum + (beta != 0 ? beta * *c : 0);
        }
}

void rk_blas_gemm(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                  const double *B, int64_t ldb, double beta, double *C, int64_t ldc) {
    if (!fits(m, n, k, lda, ldb, ldc)) {
        int at = ta == 't', bt = tb == 't';
        product(m, n, k, alpha, A, at ? 1 : lda, at ? lda : 1, B, bt ? 1 : ldb, bt ? ldb : 1, beta, C, ldc, 0);
        return;
    }
    int64_t s = 0;
    do { /* at least once: C = beta C if k is 0 */
        rk_blas_enter();
        cblas_dgemm(CblasRowMajor, op(ta), op(tb), (int)m, (int)n, (int)rk_min(SLICE, k - s), alpha,
                    A + s * (ta == 't' ? lda : 1), (int)lda, B + s * (tb == 't' ? 1 : ldb), (int)ldb, s ? 1 : beta, C,
                    (int)ldc);
        rk_blas_leave();
        s += SLICE;
    } while (s < k);
}

void rk_blas_gemm_single(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                         const float *B, int64_t ldb, float beta, float *C, int64_t ldc) {
    if (!fits(m, n, k, lda, ldb, ldc)) {
        int64_t ai = ta == 't' ? 1 : lda, aq = ta == 't' ? lda : 1, bq = tb == 't' ? 1 : ldb, bj = tb == 't' ? ldb : 1;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                float sum = 0, *c = C + i * ldc + j;
                for (int64_t q = 0; q < k; q++) sum += A[i * ai + q * aq] * B[q * bq + j * bj];
                *c = alpha * sum + (beta != 0 ? beta * *c : 0);
            }
        return;
    }
    rk_blas_enter();
    cblas_sgemm(CblasRowMajor, op(ta), op(tb), (int)m, (int)n, (int)k, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc);
    rk_blas_leave();
}

void rk_blas_syrk(char trans, int64_t n, int64_t k, double alpha, const double *A, int64_t lda, double beta, double *C,
                  int64_t ldc) {
    if (!fits(n, k, lda, ldc, 0, 0)) {
        int64_t across = trans == 't' ? 1 : lda, along = trans == 't' ? lda : 1;
        product(n, n, k, alpha, A, across, along, A, along, across, beta, C, ldc, 1);
        return;
    }
    rk_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasLower, op(trans), (int)n, (int)k, alpha, A, (int)lda, beta, C, (int)ldc);
    rk_blas_leave();
}

/* B = op(L)^-1 B by plain loops. */
static void solve_left(char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb) {
    for (int64_t step = 0; step < m; step++) {
        int64_t i = trans == 't' ? m - 1 - step : step;
        for (int64_t j = 0; j < n; j++) {
            double sum = B[i * ldb + j];
            for (int64_t q = trans == 't' ? i + 1 : 0; q < (trans == 't' ? m : i); q++)
                sum -= (trans == 't' ? L[q * ldl + i] : L[i * ldl + q]) * B[q * ldb + j];
            B[i * ldb + j] = sum / L[i * ldl + i];
        }
    }
}

void rk_blas_trsm(char side, char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb) {
    int small = fits(m, n, ldl, ldb, 0, 0);
    if (side == 'r' && (m == 1 || !small)) {
        for (int64_t i = 0; i < m; i++) rk_solve_vector(trans == 't' ? 'n' : 't', n, L, ldl, B + i * ldb);
    } else if (side == 'l' && n == 1 && ldb == 1) {
        rk_solve_vector(trans, m, L, ldl, B);
    } else if (!small) {
        solve_left(trans, m, n, L, ldl, B, ldb);
    } else {
        rk_blas_enter();
        cblas_dtrsm(CblasRowMajor, side == 'r' ? CblasRight : CblasLeft, CblasLower, op(trans), CblasNonUnit, (int)m, (int)n,
                    1.0, L, (int)ldl, B, (int)ldb);
        rk_blas_leave();
    }
}
