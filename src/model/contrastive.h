/* contrastive.h: triplets, which contrastive and spectral learn from, and the loss of spectral. */
#ifndef RK_CONTRASTIVE_H
#define RK_CONTRASTIVE_H

#include "model/model.h"

typedef struct rk_triplets {
    int64_t count;
    int64_t *rows; /* count x 3: anchor, positive, negative, objects of the gram; on the scratch list */
    int drawn;     /* negatives were drawn */
} rk_triplets;

/* The inputs of a model of triplets: x and an augmented copy; where index rows are given, x and what comes with them. */
rkhs_status rk_triplet_inputs(rkhs_env *env, const rk_spec *augment, const rkhs_data *x, const rkhs_data *y,
                              rkhs_data **gram_data);
/* Triplets over the objects of f->gram, given or drawn; refuses those that name an object twice. */
rkhs_status rk_triplets_new(rk_fit *f, rk_triplets *t);
/* sum over triplets of positive (e_a e_p' + e_p e_a') + negative (e_a e_q' + e_q e_a'), n x n; columns in any order. */
rkhs_status rk_triplet_matrix(rkhs_env *env, const rk_triplets *t, int64_t n, double positive, double negative, rk_csr *out);
/* Of Theorem 6: sqrt(h tr K) over anchors, positives and negatives, and the largest k(x,x). */
rkhs_status rk_triplet_sizes(rk_fit *f, const rk_triplets *t, double *alpha, double *kappa);

/* The spectral contrastive loss of codes of the gram's objects, without its ridge: the eval of an rk_smooth. */
typedef struct rk_contrast {
    const rk_triplets *triplets;
    int64_t dim;
    int all;                    /* negatives are the mean over all anchors, and negatives that were given */
    double ridge, above, below; /* and the numbers between which it has to be */
    int ran_off;                /* out: f is so low that there is no end to it */
} rk_contrast;
rkhs_status rk_contrast_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                             double *dt);

#endif
