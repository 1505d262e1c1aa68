/* tke.h: the objective that tke and bctke share (tke_objective.c), and their out-of-sample placement (tke_place.c). */
#ifndef RK_TKE_H
#define RK_TKE_H

#include "model/model.h"

enum { RK_EMBEDDING_RBF, RK_EMBEDDING_CAUCHY };

typedef struct rk_tke {
    int64_t n, dim, k;
    double repulsion, decay;
    int kernel, log;
    double sum;         /* 0: F are kernel values; else local weights, whose sum in each row this is */
    const double *half; /* n, or NULL: rk_gram_half_diagonal */
    int64_t *near;      /* n x k: neighbours of each object, and their weights (`value`) */
    double *value;
    /* W = (F + F')/2 by rows */
    int64_t *starts, *index; /* of row i: edges starts[i] .. starts[i+1]-1 */
    double *weight;
    double self;                  /* the sum of F's diagonal */
    int64_t components, isolated; /* connected components; objects without a positive edge */
    int64_t equal;                /* objects equal to all of their neighbours */
    /* work space of rk_tke_eval */
    int64_t widest, room_each;
    double *room, *columns, *parts_of, *sums;
} rk_tke;

/* The state of tke and bctke: gamma (g) of the embedding kernel, an inverse squared width. */
typedef struct rk_tke_state {
    double gamma;
} rk_tke_state;

/* Computes the graph from dim, k, sum, log, half; allocates the work space. All is on the scratch list. */
rkhs_status rk_tke_graph(const rk_gram *g, rk_tke *t);
rkhs_status rk_tke_alloc(rkhs_env *env, rk_tke *t);
/* Objective L, dL/dZ and dL/dlog g: the eval of an rk_smooth. */
rkhs_status rk_tke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
/* Turns kernel values of the k nearest, nearest first, into weights, in place. sum > 0: exp(-(d^2 - d_0^2)/2s), d
 * their distances in feature space, with s such that they sum to `sum`; all are 1 if the distances are equal. Where
 * `half` is NULL, values that are not positive weigh 0. sum = 0: the values; with `log` at least 0: a negative weight
 * would repel without bound. */
void rk_tke_weigh(int64_t k, double sum, int log, const double *half, const int64_t *near, double *value);

/* Placement of new objects, while the embedding stays fixed: see tke_place.c. reference_count: the number of
 * reference objects, those of the map. */
typedef struct rk_tke_place {
    int64_t reference_count, dim, k;
    double g, repulsion, decay, sum;
    int kernel, log;
    const double *half;           /* reference_count, or NULL: rk_gram_half_diagonal */
    rk_fingerprints fingerprints; /* to recognise training objects */
    double *columns;              /* dim x reference_count: the embedding of the map's objects, transposed */
} rk_tke_place;
int64_t rk_tke_place_work(int64_t reference_count, int64_t dim, int64_t k);
void rk_tke_place_row(const rk_tke_place *t, const double *K, int refine, double *z, double *work);

#endif
