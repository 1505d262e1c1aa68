/* estimate.h: what a fit will cost, from the costs that a model states and the speed of this machine (estimate.c). */
#ifndef RK_ESTIMATE_H
#define RK_ESTIMATE_H

#include "model/model.h"

/* Seconds on one thread, and how many there are. */
typedef struct rk_rates {
    double value;  /* a value of the kernel */
    double flop;   /* of a matrix product */
    double pair;   /* the distance of two codes, an exponential and its gradient */
    double number; /* reading a stored number */
    double fresh;  /* the first touch of a byte of memory */
    int64_t threads;
    int serial; /* kernel values come from one thread */
} rk_rates;

/* A fit to estimate. */
typedef struct rk_plan {
    const rk_model_type *type;
    const void *self; /* the model's parameters */
    unsigned offers;  /* of the gram: RK_MATRIX, ... */
    int64_t landmarks;
    int clusters; /* landmarks are chosen by k-means */
    int given; /* K is there */
    int psd;   /* the kernel is positive semi-definite: landmarks serve */
    int64_t n, dim, columns;
    int64_t rows;  /* given objects; n are those of the gram */
    double growth; /* the rank of K is n^growth */
    double room;   /* bytes left when the fit began */
} rk_plan;

/* The plan of a fit. gram: a spec without auto; growth is that of a Gram of full rank. */
rk_plan rk_plan_of(const rkhs_model *m, const rk_spec *gram, const rkhs_data *x, const rkhs_data *gram_data, int64_t dim,
                   double room);

typedef struct rk_estimate {
    double seconds, bytes;
} rk_estimate;

rk_estimate rk_estimate_fit(const rk_plan *plan, const rk_rates *rates);
/* The sentence for a fit that takes over a minute, and its hint, gram=...; both are empty for shorter ones. */
enum { RK_ESTIMATE_ROOM = 256 };
void rk_estimate_text(const rk_plan *plan, const rk_rates *rates, char sentence[RK_ESTIMATE_ROOM], char hint[64]);
/* Measures this machine for some 20 ms, unless the fit is short on any, and says how long it takes if that is over a
 * minute. `x` are the objects of the gram. No result depends on it. */
rkhs_status rk_advise_time(rkhs_env *env, rk_plan plan, const rkhs_kernel *kernel, const rkhs_data *x);
/* Ends the message of a fit that lacks memory with what this model can do: landmarks, or a number of rows. A remedy for
 * something else, such as a solver that needs less, stays. */
void rk_advise_memory(rkhs_env *env, const rk_plan *plan);

#endif
