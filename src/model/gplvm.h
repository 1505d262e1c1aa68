/* gplvm.h: Gaussian process latent variables: the likelihood that gplvm and bcgplvm share, and new objects. */
#ifndef RK_GPLVM_H
#define RK_GPLVM_H

#include "model/model.h"

typedef struct rk_gplvm {
    int64_t n, r, dim, tile; /* objects; rank of their centred Gram; of the codes; rows of a tile */
    double features, prior;  /* D; what |Z|^2/2 costs */
    double unit, scale;      /* F is the data over `unit`; variance and noise are in units of `scale`; 0: there is nothing */
    double *F;               /* n x r, row i is object order[i] */
    int64_t *order;
    int lower;       /* F is 0 above its diagonal: of a stored Gram */
    double *means;   /* of the rows of the Gram, or of the columns of Phi */
    int64_t centres; /* how many: n, or r */
    /* at the last codes that were looked at */
    double rate, variance, noise; /* 1/(2 width^2) */
    double *Z, *columns;          /* in that order, by row and by column */
    double *A, *J, *V;            /* K^-1, L^-1 (n x n), K^-1 F (n x r) */
    double *pulls, *backs, *sums, *tiles;
} rk_gplvm;

/* The data's part, from a gram; then the room. All on the scratch list. */
rkhs_status rk_gplvm_new(const rk_gram *g, double features, int64_t dim, rk_gplvm *p);
/* L, dL/dZ and dL/dtheta, theta = log width, log variance, log noise above its least: the eval of an rk_smooth. */
rkhs_status rk_gplvm_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                          double *dt);
/* The same in steps: room for K^-1; codes; K^-1 in A, V and log|K|, where `bad` is the row that K is not positive definite at,
 * or -1. */
rkhs_status rk_gplvm_room(rkhs_env *env, rk_gplvm *p);
void rk_gplvm_codes(rk_gplvm *p, const double *Z);
int rk_gplvm_theta(rk_gplvm *p, const double *theta); /* 0: out of range */
rkhs_status rk_gplvm_invert(rkhs_env *env, rk_gplvm *p, double *logarithm, int64_t *bad);

/* What gplvm keeps beside the map, for new objects: see gplvm_place.c. */
typedef struct rk_gplvm_state {
    double rank; /* of F; 0: there was nothing to explain, and no more is here */
    double features, prior, unit, width, variance, noise;
    rk_state_matrix order, means, factor; /* 1 x n, 1 x centres, n x rank: F */
} rk_gplvm_state;
extern const rk_state_part rk_gplvm_parts[];
rkhs_status rk_gplvm_keep(rk_fit *f, const rk_gplvm *p);
rkhs_status rk_gplvm_check(const rkhs_model *m); /* what a file says of it */
rkhs_status rk_gplvm_ready(const rkhs_model *m, int how, void **ready);
int64_t rk_gplvm_work(const rkhs_model *m, int how);
rkhs_status rk_gplvm_place(const rk_placing *p);

#endif
