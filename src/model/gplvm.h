/* gplvm.h: the likelihood that gplvm and bcgplvm share, and the state and out-of-sample placement of gplvm. */
#ifndef RK_GPLVM_H
#define RK_GPLVM_H

#include "model/model.h"

typedef struct rk_gplvm {
    int64_t n, r, dim, tile; /* objects; columns of F; dimensions of the codes; rows of a tile */
    double features, prior;  /* D, the number of features; the weight of |Z|^2/2 */
    double unit, scale;      /* F is divided by `unit`; variance and noise are in units of `scale`; 0: all are equal */
    double *F;               /* n x r, F F' the centred Gram of the data; row i is object order[i] */
    int64_t *order;
    int lower;       /* F is lower triangular, from a stored Gram */
    double *means;   /* means of the rows of the Gram, or of the columns of Phi */
    int64_t centres; /* the number of means: n, or r */
    /* at the last evaluated codes */
    double rate, variance, noise; /* 1/(2 width^2) */
    double *Z, *columns;          /* codes in the order of F, row-major and column-major */
    double *A, *J, *V;            /* K^-1, L^-1 (n x n), K^-1 F (n x r) */
    double *forces, *counter_forces, *sums, *tiles;
} rk_gplvm;

/* Computes F from a gram and allocates the rest. All is on the scratch list. */
rkhs_status rk_gplvm_new(const rk_gram *g, double features, int64_t dim, rk_gplvm *p);
/* The eval of an rk_smooth: L and its gradient by Z and theta = log width, log variance, log (noise - least noise). */
rkhs_status rk_gplvm_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                          double *dt);
/* The steps of an evaluation: allocate; set the codes; set theta; compute K^-1 into A, V and log|K|. `bad` is the row
 * where K is not positive definite, or -1. */
rkhs_status rk_gplvm_alloc(rkhs_env *env, rk_gplvm *p);
void rk_gplvm_set_codes(rk_gplvm *p, const double *Z);
int rk_gplvm_set_theta(rk_gplvm *p, const double *theta); /* 0: out of range */
rkhs_status rk_gplvm_invert(rkhs_env *env, rk_gplvm *p, double *logarithm, int64_t *bad);

/* gplvm's state, for out-of-sample placement: see gplvm_place.c. */
typedef struct rk_gplvm_state {
    double rank; /* of F; 0: all objects are equal, and the rest is not set */
    double features, prior, unit, width, variance, noise;
    rk_state_matrix order, means, factor; /* 1 x n; 1 x centres; F, n x rank */
} rk_gplvm_state;
extern const rk_state_part rk_gplvm_parts[];
rkhs_status rk_gplvm_store(rk_fit *f, const rk_gplvm *p);
rkhs_status rk_gplvm_check(const rkhs_model *m); /* the type's `check` */
rkhs_status rk_gplvm_ready(const rkhs_model *m, int how, void **ready);
int64_t rk_gplvm_work(const rkhs_model *m, int how);
rkhs_status rk_gplvm_place(const rk_placing *p);

#endif
