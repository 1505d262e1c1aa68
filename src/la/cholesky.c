/* cholesky.c: Cholesky factors of one tile, by halves: a factor, a triangular solve, a product, a factor. */
#include "la/la.h"

enum { SMALL = 32, STEP = 8 };

/* Row by row; returns the row where it stops, or -1. */
static int64_t factor_rows(int64_t n, double *A, int64_t lda) {
    for (int64_t i = 0; i < n; i++) {
        double *row = A + i * lda;
        for (int64_t j = 0; j < i; j++) row[j] = (row[j] - rk_dot(j, row, A + j * lda)) / A[j * lda + j];
        double pivot = row[i] - rk_dot(i, row, row);
        if (!(pivot > 0)) return i; /* or NaN */
        row[i] = sqrt(pivot);
    }
    return -1;
}

int64_t rk_cholesky_tile(int64_t n, double *A, int64_t lda) {
    if (n <= SMALL) return factor_rows(n, A, lda);
    int64_t half = (n / 2 + STEP - 1) / STEP * STEP, rest = n - half;
    double *below = A + half * lda, *corner = below + half;
    int64_t bad = rk_cholesky_tile(half, A, lda);
    if (bad >= 0) return bad;
    rk_trsm_tile('r', 't', rest, half, A, lda, below, lda);
    rk_syrk_tile('n', rest, half, -1, below, lda, 1, corner, lda);
    bad = rk_cholesky_tile(rest, corner, lda);
    return bad >= 0 ? half + bad : -1;
}
