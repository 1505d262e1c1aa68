/* code_regression.c: kernel ridge regression from codes to vectors, for inverses and the reconstruction score.
 *
 *     minimise  sum_i |x_i - f(z_i)|^2 + ridge |f|^2  over f in the space of an rbf kernel on the codes z
 *
 * The solution is f(z) = C'k(Z, z), C = (K + ridge I)^-1 X with X centred, K the Gram of the codes. The leave-one-out
 * error of row i is c_i / (K + ridge I)^-1_ii, c_i the row of C. Width and ridge minimise it over a grid. */
#include "opt/opt.h"

#include <stdio.h>
#include <string.h>

rkhs_status rk_ridge_solve(rkhs_env *env, const char *stage, int64_t n, int64_t p, double *K, double ridge, double *C,
                           double *error) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t bad;
    double *inverse;
    rk_row_sum errors = {0};
    for (int64_t i = 0; i < n; i++) K[i * n + i] += ridge;
    TRY(rk_cholesky(env, stage, n, K, n, &bad));
    if (bad >= 0) {
        if (!error) FAIL(env, RKHS_ERR_NUMERIC, "the inverse map: the codes are too close together to be told apart");
        *error = INFINITY;
        goto done;
    }
    TRY(rk_cholesky_solve(env, n, p, K, n, C, p));
    if (!error) goto done;
    TRY(rk_scratch(env, n * n, sizeof *inverse, &inverse));
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    for (int64_t i = 0; i < n; i++) inverse[i * n + i] = 1;
    TRY(rk_cholesky_solve(env, n, n, K, n, inverse, n));
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t c = 0; c < p; c++) square += pow(C[i * p + c] / inverse[i * n + i], 2);
        rk_add_row(&errors, square);
    }
    *error = rk_row_total(&errors);
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_ridge_gram(rkhs_env *env, double width, const rkhs_data *codes, rkhs_kernel **kernel, double *K) {
    rkhs_status status = RKHS_OK;
    rk_bound *bound = NULL;
    char text[64], number[40];
    snprintf(text, sizeof text, "rbf(sigma=%s)", rk_number_text(width, number));
    rkhs_kernel_free(*kernel);
    *kernel = NULL;
    TRY(rk_kernel_new(env, text, kernel));
    TRY(rk_bind(env, *kernel, codes, NULL, &bound));
    TRY(rk_gram_symmetric(env, bound, K, codes->rows));
done:
    rk_unbind(env, bound);
    return status;
}

rkhs_status rk_ridge_choose(rkhs_env *env, const char *stage, const rkhs_data *codes, const double *X, int64_t p, double *width,
                            double *ridge) {
    static const double widths[] = {0.0625, 0.125, 0.25, 0.5, 1, 2}, ridges[] = {1e-8, 1e-6, 1e-4, 1e-2, 1e-1};
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = codes->rows;
    double *K, *A, *C, best = INFINITY, error, base;
    rkhs_kernel *kernel = NULL;
    rk_bandwidth median = {0, 0, 0};
    *width = 1;
    *ridge = 1e-6;
    if (n < 2) goto done;
    TRY(rk_scratch(env, n * n, sizeof *K, &K));
    TRY(rk_scratch(env, n * n, sizeof *A, &A));
    TRY(rk_scratch(env, n * p, sizeof *C, &C));
    TRY(rk_freeze_width(env, &median, codes, 1));
    base = *width = median.value;
    for (int w = 0; n > 2 && w < 6; w++) {
        TRY(rk_ridge_gram(env, base * widths[w], codes, &kernel, K));
        for (int r = 0; r < 5; r++) {
            memcpy(A, K, (size_t)(n * n) * sizeof *A);
            memcpy(C, X, (size_t)(n * p) * sizeof *C);
            TRY(rk_ridge_solve(env, stage, n, p, A, ridges[r], C, &error));
            if (error < best) best = error, *width = base * widths[w], *ridge = ridges[r];
        }
    }
done:
    rkhs_kernel_free(kernel);
    rk_scratch_release(env, mark);
    return status;
}
