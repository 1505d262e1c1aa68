/* ke.h: the two stages of autoreconstructive kernel embedding. */
#ifndef RK_KE_H
#define RK_KE_H

#include "model/model.h"

/* The kernel of the embedding. */
enum { RK_KE_RBF, RK_KE_LAPLACIAN, RK_KE_LINEAR, RK_KE_CAUCHY };

/* Stage 1: how much each object helps to rebuild the others, in feature space. */
typedef struct rk_ke_weights {
    double *b;       /* n, on the scratch list */
    double loss;     /* b'Ab - 2c'b + tr G at it */
    int64_t silent;  /* objects that are like no other, whose weight is 0 */
    const char *how; /* "cholesky" or "cg" */
    double residual; /* |A b - c| / |c| */
    double size;     /* the mean of G's diagonal */
} rk_ke_weights;

rkhs_status rk_ke_solve_weights(const rk_gram *g, rk_ke_weights *out);

/* Stage 2: alignment (1 - CKA(H, G)) + reconstruction L(H)/n, with H the embedding kernel's Gram. */
typedef struct rk_ke {
    int64_t n, dim;
    int kernel;
    double width;
    double alignment_weight, reconstruction_weight;
    const double *b; /* n: the weights of stage 1 */
    const double *G; /* n x n, rows ldg apart; not read when alignment_weight is 0. NULL: G = Phi Phi' */
    int64_t ldg;
    const double *Phi; /* n x m, rows ldp apart */
    int64_t m, ldp;
    int64_t most; /* the rank up to which H is taken apart; 0: never */
    /* made by rk_ke_room */
    double *means, mean, norm; /* of G: rows, all, |H G H| */
    double *centred;           /* n x m: Phi without its columns' means */
    double *W;                 /* n x n: H diag(b) */
    double *own;               /* n: the diagonal of H */
    double *H, *M, *made;      /* n x n, when first needed: the Gram of the embedding; the derivative of L by it; G from Phi */
    double *F, *X, *Y;         /* n x most: H = F F'; room */
    double *columns;           /* dim x n: Z turned */
    double *rows;              /* n: means of H's rows */
    double *squares;           /* n: c_i = sum_j H_ij^2, j != i */
    double *sums;              /* parts of sums, a few for each tile */
    double *room, *slope;      /* for each worker: tiles, a row of n */
    int64_t room_each;
    double loss, alignment; /* of the last evaluation: L, CKA */
    int64_t skip;           /* evaluations before the next try to take H apart */
    int64_t rank;           /* of H, or 0: it was not taken apart */
} rk_ke;

/* The rank up to which taking n objects apart pays. */
int64_t rk_ke_most(int64_t n, int64_t dim);
/* Room for evaluations. */
rkhs_status rk_ke_room(rkhs_env *env, rk_ke *k);
void rk_ke_free(rkhs_env *env, rk_ke *k);
/* The parts of f that need no n x n matrix, added to f and dZ (or NULL): see ke_low.c. *low: 0 when H has too high a rank. */
rkhs_status rk_ke_low(rk_ke *k, rkhs_env *env, const double *Z, double *f, double *dZ, int *low);
rkhs_status rk_ke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
/* Objects so that those near in a row are near each other, by the bits of their coordinates in turn; at most 3 dimensions. */
rkhs_status rk_ke_sort(rkhs_env *env, int64_t n, int64_t d, const double *Z, int64_t tile, int64_t *order);
/* near[s*parts + t]: whether a point of tile s may be as near as `reach` to one of tile t. */
void rk_ke_near(int64_t n, int64_t d, const double *Z, int64_t tile, double reach, char *near);
/* The same for reconstruction alone and the rbf kernel, in single precision throughout, with distances from products. */
rkhs_status rk_ke_eval_single(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                              double *dt);

#endif
