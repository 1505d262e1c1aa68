/* npe.h: the reconstruction weights of neighbourhood preserving embedding. */
#ifndef RK_NPE_H
#define RK_NPE_H

#include "model/model.h"

/* The k nearest objects of each in feature space (index, n x k), and the weights of sum 1 that reconstruct it best; 0
 * for the first `known` objects. */
rkhs_status rk_npe_weights(const rk_gram *g, int64_t known, int64_t k, double reg, int64_t *index, double *weight);

#endif
