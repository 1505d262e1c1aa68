/* kae.h: the decoder of the kernel autoencoder: a ridge regression from codes to objects (kae_decoder.c). */
#ifndef RK_KAE_H
#define RK_KAE_H

#include "model/model.h"

typedef struct rk_decoder {
    int64_t n, dim, r; /* objects; dimensions of the codes; columns of F */
    const rkhs_kernel *kernel;
    double ridge;
    double *F; /* n x r, F F' = X X', X the targets; row i is object order[i] */
    int64_t *order;
    int lower; /* F is lower triangular */
    /* at the last evaluated codes, in that order */
    double *Z, *dZ;
    double *S, *G, *V; /* (Kz + ridge I)^-1, V V', S F */
    /* results of rk_decoder_store: tr(X'S X), |X - Kz C|^2, tr(C'Kz C), the largest k(z,z) */
    double product, error, square, max_diag;
} rk_decoder;

/* A decoder for a gram's objects, on the scratch list. target: vectors to decode to; NULL: the gram's features. */
rkhs_status rk_decoder_new(const rk_gram *g, const rkhs_data *target, const rkhs_kernel *kernel, double ridge, int64_t dim,
                           rk_decoder *d);
/* f(Z) and df/dZ; f is infinite where Kz + ridge I is singular. */
rkhs_status rk_decoder_eval(rkhs_env *env, rk_decoder *d, const double *Z, double *f, double *dZ);
/* kae's state: the spec of the embedding kernel, the coefficients C of a decoder to vectors, the shape of images. */
typedef struct rk_kae_state {
    char *embedding_kernel;
    rk_state_matrix decoder, decoded_shape; /* n x columns; 1 x 3 */
} rk_kae_state;
extern const rk_state_part rk_kae_parts[];
/* Computes the decoder at the final codes and fills the state; rk_decoder_decode uses it. */
rkhs_status rk_decoder_store(rk_fit *f, rk_decoder *d, const double *Z, const rkhs_data *target);
rkhs_status rk_decoder_check(const rkhs_model *m); /* checks a loaded state */
rkhs_status rk_decoder_decode(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x);

#endif
