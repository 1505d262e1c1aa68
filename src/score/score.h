/* score.h: numbers that say how good an embedding is. */
#ifndef RK_SCORE_H
#define RK_SCORE_H

#include "opt/opt.h"

enum { RK_NEEDS_X = 1, RK_NEEDS_LABELS = 2 };
enum { RK_MORE_IS_BETTER, RK_LESS_IS_BETTER, RK_DESCRIBES }; /* what a choice by the score looks for */

struct rk_score_type;

/* One score that was asked for. */
typedef struct rk_score_item {
    const struct rk_score_type *type;
    const void *self; /* its parameters */
    double value;
    double deviation; /* over folds; NaN where there is none */
    int done;
} rk_score_item;

typedef struct rk_score_type {
    rk_entry entry;
    unsigned needs; /* RK_NEEDS_X, RK_NEEDS_LABELS: of the rows, and of new rows when there are any */
    int takes_new;  /* scores new rows against the others, when they are given */
    int better;     /* RK_MORE_IS_BETTER, ... */
    /* Fills the values of all items asked for whose `family` is the same function, so that they share one pass. */
    rkhs_status (*family)(rkhs_env *env, const rkhs_scored *what, rk_score_item *items, int count);
} rk_score_type;

extern const rk_list rk_scores;

/* ---- object_distances.c: distances between rows, by tiles
 * ----------------------------------------------------------------------- */

/* Where distances are taken: between vectors, or in the feature space of a kernel,
 * |phi(a) - phi(b)|^2 = k(a,a) + k(b,b) - 2 k(a,b). Rows are those of `a`, columns those of `b`. */
typedef struct rk_space {
    rkhs_env *env;
    rkhs_kernel *kernel; /* ours: the metric of vectors, or a frozen copy */
    int feature;
    rk_bound *a, *b; /* b is a when there is one data set */
    rkhs_data *view_a, *view_b;
    double *diag_a, *diag_b;
    rk_work *work;
} rk_space;

/* b NULL: a against itself. kernel NULL: vectors. Its work is on the scratch list. */
rkhs_status rk_space_new(rkhs_env *env, const rkhs_data *a, const rkhs_data *b, const rkhs_kernel *kernel, rk_space *space);
void rk_space_free(rk_space *space);
/* Squared distances, ni, nj <= RK_TILE; rows i0 .. of a, columns j0 .. of b. */
rkhs_status rk_space_tile(const rk_space *space, int64_t i0, int64_t ni, int64_t j0, int64_t nj, double *out, int64_t ld,
                          int worker);

/* ---- smo.c: support vector machines ------------------------------------------------------------------------------------ */

/* A nu may be too large for the smaller class, or so small that there is no margin between the classes. */
typedef enum rk_smo_outcome { RK_SMO_DONE, RK_SMO_UNEVEN, RK_SMO_MEET } rk_smo_outcome;

typedef struct rk_smo {
    int64_t n, ld;
    const double *K; /* n x n kernel values, rows ld apart */
    const int *y;    /* 1 or -1 */
    const double *upper;
    double nu;     /* 0: with C, which is in `upper` */
    double tol;    /* of the margin */
    double *a, *G; /* n each */
    /* out: the decision for x is scale (sum_i y_i a_i k(x_i, x) - offset), when it is done */
    rk_smo_outcome outcome;
    double offset, scale;
    int64_t steps;
} rk_smo;

rkhs_status rk_smo_solve(rkhs_env *env, rk_smo *p);

#endif
