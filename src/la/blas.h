/* blas.h: calls of BLAS for single tiles, for processors without fused multiply-adds; as rk_gemm_tile and so on. */
#ifndef RK_BLAS_H
#define RK_BLAS_H

#include <stdint.h>

void rk_blas_gemm(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                  const double *B, int64_t ldb, double beta, double *C, int64_t ldc);
void rk_blas_gemm_single(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda,
                         const float *B, int64_t ldb, float beta, float *C, int64_t ldc);
void rk_blas_syrk(char trans, int64_t n, int64_t k, double alpha, const double *A, int64_t lda, double beta, double *C,
                  int64_t ldc);
void rk_blas_trsm(char side, char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb);

#endif
