/* gram.h: factors of the Gram matrix. */
#ifndef RK_GRAM_H
#define RK_GRAM_H

#include "kernel/kernel.h"

extern const rk_list rk_grams;

/* Builds the gram that `spec` names. The kernel must be frozen; kernel, x and spec must outlive it. */
rkhs_status rk_gram_new(rkhs_env *env, const rk_spec *spec, const rkhs_kernel *kernel, const rkhs_data *x, rk_gram **gram);
void rk_gram_free(rk_gram *g);

/* The k largest of each row, from a stored K or, when K is NULL, from the kernel. */
rkhs_status rk_gram_neighbours(const rk_gram *g, const double *K, int64_t k, int64_t *index, double *value);
/* The k nearest in feature space, by k(i,i) + k(j,j) - 2 k(i,j); value is k(i,j). */
rkhs_status rk_gram_nearest(const rk_gram *g, int64_t k, int64_t *index, double *value);
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
