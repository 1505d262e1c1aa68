/* ke.h: the stages of autoreconstructive kernel embedding: reconstruction weights, then the objective in Z. */
#ifndef RK_KE_H
#define RK_KE_H

#include "model/model.h"

/* The kernel of the embedding. */
enum { RK_KE_RBF, RK_KE_LAPLACIAN, RK_KE_LINEAR, RK_KE_CAUCHY };

/* Stage 1: the weight of each object in the reconstruction of the others in feature space. */
typedef struct rk_ke_weights {
    double *b;        /* n, on the scratch list */
    double loss;      /* b'Ab - 2c'b + tr G (ke_weights.c) */
    int64_t isolated; /* objects whose kernel values with all others are 0; their weight is 0 */
    const char *how;  /* "cholesky" or "cg" */
    double residual;  /* |A b - c| / |c| */
    double size;      /* the mean of G's diagonal */
} rk_ke_weights;

rkhs_status rk_ke_solve_weights(const rk_gram *g, rk_ke_weights *out);

/* Stage 2: alignment (1 - CKA(H, G)) + reconstruction L(H)/n, H the Gram of the embedding, G that of the objects. */
typedef struct rk_ke {
    int64_t n, dim;
    int kernel;
    double width;
    double alignment_weight, reconstruction_weight;
    const double *b; /* n: the weights of stage 1 */
    const double *G; /* n x n, leading dimension ldg; unused if alignment_weight is 0. NULL: G = Phi Phi' */
    int64_t ldg;
    const double *Phi; /* n x m, leading dimension ldp */
    int64_t m, ldp;
    int64_t max_rank; /* largest rank of a factor H = F F' to try (ke_low_rank.c); 0: never try */
    /* set by rk_ke_alloc, and by evaluations */
    double *means, mean, norm; /* of G: row means, overall mean, norm after centring */
    double *centred;           /* n x m: Phi minus its column means */
    double *W;                 /* n x n: H diag(b) */
    double *own;               /* n: the diagonal of H */
    double *H, *M, *made;      /* n x n, allocated when needed: H; the first two terms of dL/dH; G made from Phi */
    double *F, *X, *Y;         /* n x max_rank: H = F F'; work space */
    double *columns;           /* dim x n: Z transposed */
    double *rows;              /* n: means of H's rows */
    double *squares;           /* n: c_i = sum_j H_ij^2, j != i */
    double *sums;              /* partial sums, a few for each tile */
    double *room, *slope;      /* for each worker: room_each doubles for tiles; a row of n */
    int64_t room_each;
    double loss, alignment; /* at the last evaluation: L, CKA */
    int64_t skip;           /* evaluations before the factor is tried again */
    int64_t rank;           /* of the factor of H; 0: none was used */
} rk_ke;

/* The largest rank for which a factor of H is faster than H; 0: never. */
int64_t rk_ke_max_rank(int64_t n, int64_t dim);
/* Allocates for evaluations, on the scratch list; rk_ke_free frees what evaluations allocate. */
rkhs_status rk_ke_alloc(rkhs_env *env, rk_ke *k);
void rk_ke_free(rkhs_env *env, rk_ke *k);
/* Adds the terms that need no n x n matrix to f and dZ (or NULL): ke_low_rank.c. *low: 0 if H has too high a rank. */
rkhs_status rk_ke_eval_low_rank(rk_ke *k, rkhs_env *env, const double *Z, double *f, double *dZ, int *low);
rkhs_status rk_ke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
/* An order of points in which those of a tile are near each other: see ke_order.c. */
rkhs_status rk_ke_sort(rkhs_env *env, int64_t n, int64_t d, const double *Z, int64_t tile, int64_t *order);
/* near[s*parts + t], parts the number of tiles: whether tiles s and t may have points within distance `reach`. */
void rk_ke_near_tiles(int64_t n, int64_t d, const double *Z, int64_t tile, double reach, char *near);
/* rk_ke_eval for reconstruction alone with the rbf kernel, in single precision: see ke_single.c. */
rkhs_status rk_ke_eval_single(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                              double *dt);

#endif
