/* tke.h: twin kernel embedding: the objective that tke and bctke share, and new objects. */
#ifndef RK_TKE_H
#define RK_TKE_H

#include "model/model.h"

enum { RK_EMBEDDING_RBF, RK_EMBEDDING_CAUCHY };

typedef struct rk_tke {
    int64_t n, dim, k;
    double repulsion, decay;
    int kernel, log;
    double sum;         /* 0: F is the kernel; else each row is made comparable, and sums to this */
    const double *half; /* n, or NULL: rk_gram_halves */
    int64_t *near;      /* n x k: neighbours, and what they weigh */
    double *value;
    /* the graph of both directions */
    int64_t *starts, *index; /* of row i: edges starts[i] .. starts[i+1]-1 */
    double *weight;
    double self;                  /* the sum of F's diagonal */
    int64_t components, isolated; /* of the graph; objects without an edge above 0 */
    int64_t equal;                /* objects that are equal to all of their neighbours */
    /* room for the sums */
    int64_t widest, room_each;
    double *room, *columns, *parts_of, *sums;
} rk_tke;

/* What tke and bctke keep beside the map: the width of the kernel of the embedding. */
typedef struct rk_tke_state {
    double width;
} rk_tke_state;

/* Fills the graph, from dim, k, sum; then the room. All on the scratch list. */
rkhs_status rk_tke_graph(const rk_gram *g, rk_tke *t);
rkhs_status rk_tke_room(rkhs_env *env, rk_tke *t);
/* L, dL/dZ and dL/dlog g: the eval of an rk_smooth. */
rkhs_status rk_tke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
/* What the k neighbours of a row weigh, `value` their kernel values, nearest first. sum above 0: exp(-(d^2 - d_0^2)/2s), d
 * their distances in feature space, where s makes them sum to it; equal ones are all 1. Where `half` is NULL, a value that is
 * not above 0 is no likeness, and weighs nothing. sum = 0: the values, with `log` at least 0, since what pushes by a logarithm
 * has no end. */
void rk_tke_weigh(int64_t k, double sum, int log, const double *half, const int64_t *near, double *value);

/* New objects against an embedding that stays: see tke_place.c. */
typedef struct rk_tke_place {
    int64_t kept, dim, k;
    double g, repulsion, decay, sum;
    int kernel, log;
    const double *half;           /* kept, or NULL: rk_gram_halves */
    rk_fingerprints fingerprints; /* of kept objects, which have their places */
    double *columns;              /* dim x kept: the embedding of kept objects */
} rk_tke_place;
int64_t rk_tke_place_work(int64_t kept, int64_t dim, int64_t k);
void rk_tke_place_row(const rk_tke_place *t, const double *K, int refine, double *z, double *work);

#endif
