/* ke.h: the two stages of autoreconstructive kernel embedding. */
#ifndef RK_KE_H
#define RK_KE_H

#include "model/model.h"

/* The kernel of the embedding. */
enum { RK_KE_RBF, RK_KE_LAPLACIAN, RK_KE_LINEAR };

/* Stage 1: how much each object helps to rebuild the others, in feature space. */
typedef struct rk_ke_weights {
    double *b;       /* n, on the scratch list */
    double loss;     /* b'Ab - 2c'b + tr G at it */
    int64_t silent;  /* objects that are like no other, whose weight is 0 */
    const char *how; /* "cholesky" or "cg" */
    double residual; /* |A b - c| / |c| */
} rk_ke_weights;

rkhs_status rk_ke_solve_weights(const rk_gram *g, rk_ke_weights *out);

/* Stage 2: align (1 - CKA(H, G)) + rebuild L(H)/n, with H the latent kernel's Gram. */
typedef struct rk_ke {
    int64_t n, dim;
    int latent;
    double width;
    double align, rebuild;
    const double *b; /* n: the weights of stage 1 */
    const double *G; /* n x n, rows ldg apart; not read when align is 0 */
    int64_t ldg;
    /* made by rk_ke_room */
    double *means, mean, norm; /* of G: rows, all, |H G H| */
    double *H, *M;             /* n x n: the latent Gram; the derivative of L by it */
    double *columns;           /* dim x n: Z turned */
    double *rows;              /* n: means of H's rows */
    double *squares;           /* n: c_i = sum_j H_ij^2, j != i */
    double *sums;              /* parts of sums, a few for each tile */
    double *room, *slope;      /* for each worker: tiles, a row of n */
    int64_t room_each;
    double loss, alignment; /* of the last evaluation: L, CKA */
} rk_ke;

/* Room for evaluations, on the scratch list. */
rkhs_status rk_ke_room(rkhs_env *env, rk_ke *k);
rkhs_status rk_ke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, const int64_t *index, int64_t count,
                       double *f, double *dZ, double *dt);
/* The same for reconstruction alone and the rbf kernel, in single precision throughout, with distances from products. */
rkhs_status rk_ke_eval_single(void *context, rkhs_env *env, const double *Z, const double *theta, const int64_t *index,
                              int64_t count, double *f, double *dZ, double *dt);

#endif
