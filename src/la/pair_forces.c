/* pair_forces.c: weighted differences between one point and many, stored by column: the forces in a gradient. Compiled
 * for several instruction sets. */
#include "la/la.h"

/* Eight partial sums keep additions independent of each other; their order depends on n alone. */
enum { SUMS = 8 };

RK_VERSIONS(, void, rk_add_forces,
            (int64_t n, int64_t d, const double *a, const double *b, int64_t ldb, const double *restrict w,
             double *restrict force, double *restrict counter_force),
            (n, d, a, b, ldb, w, force, counter_force)) {
    for (int64_t c = 0; c < d; c++) {
        const double *restrict p = b + c * ldb;
        double *restrict q = counter_force + c * ldb;
        double sum[SUMS] = {0}, rest = 0, x = a[c];
        int64_t j = 0;
        for (; j + SUMS <= n; j += SUMS)
            for (int l = 0; l < SUMS; l++) {
                double v = w[j + l] * (x - p[j + l]);
                sum[l] += v;
                q[j + l] -= v;
            }
        for (; j < n; j++) {
            double v = w[j] * (x - p[j]);
            rest += v;
            q[j] -= v;
        }
        force[c] += rest + (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
    }
}

RK_VERSIONS(, double, rk_weighted_difference, (int64_t n, const double *restrict w, double a, const double *restrict b),
            (n, w, a, b)) {
    double sum[SUMS] = {0}, rest = 0;
    int64_t j = 0;
    for (; j + SUMS <= n; j += SUMS)
        for (int l = 0; l < SUMS; l++) sum[l] += w[j + l] * (a - b[j + l]);
    for (; j < n; j++) rest += w[j] * (a - b[j]);
    return rest + (((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])));
}
