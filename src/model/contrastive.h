/* contrastive.h: triplets (anchor, positive, negative) for contrastive and spectral, and the loss of spectral. */
#ifndef RK_CONTRASTIVE_H
#define RK_CONTRASTIVE_H

#include "model/model.h"

/* The letters of the formulas of both models. */
#define RK_TRIPLET_WHERE                                                                                                       \
    "the sum is over objects; z: the embedding of one, z+ that of its positive, z- that of its negative; phi: the object "     \
    "in feature space; W: the coefficients, to be found"

typedef struct rk_triplets {
    int64_t count;
    int64_t *rows; /* count x 3: rows of the gram (anchor, positive, negative); on the scratch list */
    int drawn;     /* the negatives are random, not given */
} rk_triplets;

/* `inputs` of rk_model_type: x and an augmented copy of it; with index rows y, x and the objects that come with y. */
rkhs_status rk_triplet_inputs(rkhs_env *env, const rk_spec *augment, const rkhs_data *x, const rkhs_data *y,
                              rkhs_data **gram_data);
/* Triplets over the objects of f->gram, given or drawn. Refuses a triplet that names an object twice. */
rkhs_status rk_triplets_new(rk_fit *f, rk_triplets *t);
/* sum over triplets of positive (e_a e_p' + e_p e_a') + negative (e_a e_q' + e_q e_a'), n x n; columns in any order. */
rkhs_status rk_triplet_matrix(rkhs_env *env, const rk_triplets *t, int64_t n, double positive, double negative, rk_csr *out);
/* For Theorem 6: alpha, the sum of sqrt(dim tr K) over anchors, positives, negatives; kappa, the largest k(x,x). */
rkhs_status rk_triplet_sizes(rk_fit *f, const rk_triplets *t, double *alpha, double *kappa);

/* The spectral contrastive loss of codes, without its ridge. rk_contrast_eval is the eval of an rk_smooth. */
typedef struct rk_contrast {
    const rk_triplets *triplets;
    int64_t dim;
    int all;                    /* each anchor meets the mean over all anchors, and negatives if given */
    double ridge, above, below; /* ridge must lie between above and below */
    int ran_off;                /* out: f fell so low that it has no minimum */
} rk_contrast;
rkhs_status rk_contrast_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                             double *dt);

#endif
