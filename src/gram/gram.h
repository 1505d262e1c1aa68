/* gram.h: factors of the Gram matrix. */
#ifndef RK_GRAM_H
#define RK_GRAM_H

#include "kernel/kernel.h"

extern const rk_list rk_grams;

/* Builds the gram that `spec` names. The kernel must be frozen; kernel, x and spec must outlive it. */
rkhs_status rk_gram_new(rkhs_env *env, const rk_spec *spec, const rkhs_kernel *kernel, const rkhs_data *x, rk_gram **gram);
void rk_gram_free(rk_gram *g);

/* The k nearest of each object in feature space, from a stored K or, when K is NULL, from the kernel; value is k(i,j). */
rkhs_status rk_gram_neighbours(const rk_gram *g, const double *K, int64_t k, int64_t *index, double *value);
/* Who is near to x in feature space: |x - j|^2 = k(x,x) - 2 (k(x,j) - half_j), so the largest k(x,j) - half_j, half_j =
 * k(j,j)/2. On the scratch list; NULL where k(j,j) is the same for all objects but for rounding: there the largest k(x,j) are
 * as near. */
rkhs_status rk_gram_halves(const rk_gram *g, double **half);
/* How near object j is, v = k(x,j): more is nearer. */
static inline double rk_nearness(const double *half, int64_t j, double v) { return half ? v - half[j] : v; }
/* Entries from the kernel itself. */
rkhs_status rk_gram_entries(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
/* Refuses a kernel that overflows, by a sum of its values. */
rkhs_status rk_gram_finite(const rk_gram *g, double sum);
/* How many landmarks to advise where n x n is over the memory limit: half of what is left, one digit, at most 2000; 0: not even
 * one fits. */
int64_t rk_gram_landmarks(const rkhs_env *env, int64_t n);
/* The diagonal from the kernel itself. */
rkhs_status rk_gram_diag(const rk_gram *g, double *out);

#endif
