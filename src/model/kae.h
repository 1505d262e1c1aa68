/* kae.h: the decoder of the kernel autoencoder: a ridge regression from codes to objects. */
#ifndef RK_KAE_H
#define RK_KAE_H

#include "model/model.h"

typedef struct rk_decoder {
    int64_t n, dim, r; /* objects; of the codes; columns of F */
    const rkhs_kernel *kernel;
    double ridge;
    double *F; /* n x r, row i is object order[i] */
    int64_t *order;
    int lower; /* F is 0 above its diagonal */
    /* at the last codes that were looked at, in that order */
    double *Z, *dZ;
    double *S, *G, *V; /* (Kz + ridge I)^-1, V V', S F */
    /* what rk_decoder_keep finds: tr(X'S X), |X - Kz C|^2, tr(C'Kz C), the largest k(z,z) */
    double product, error, square, most;
} rk_decoder;

/* For codes of the objects of a gram; target: the vectors that they are to give, NULL: the features of the gram's kernel. On
 * the scratch list. */
rkhs_status rk_decoder_new(const rk_gram *g, const rkhs_data *target, const rkhs_kernel *kernel, double ridge, int64_t dim,
                           rk_decoder *d);
/* f and df/dZ; infinite where Kz + ridge I is singular. */
rkhs_status rk_decoder_eval(rkhs_env *env, rk_decoder *d, const double *Z, double *f, double *dZ);
/* What kae keeps beside the map: the kernel of codes, C of a decoder to numbers, and their shape where these are images. */
typedef struct rk_kae_state {
    char *embedding_kernel;
    rk_state_matrix decoder, decoded_shape; /* n x columns; 1 x 3 */
} rk_kae_state;
extern const rk_state_part rk_kae_parts[];
/* Fills the state of a fit, from where decode takes it. */
rkhs_status rk_decoder_keep(rk_fit *f, rk_decoder *d, const double *Z, const rkhs_data *target);
rkhs_status rk_decoder_check(const rkhs_model *m); /* what a file says of it, if anything */
rkhs_status rk_decoder_decode(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x);

#endif
