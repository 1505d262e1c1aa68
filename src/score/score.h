/* score.h: the table of a score (a number that measures the quality of an embedding), and what several scores
 * share. */
#ifndef RK_SCORE_H
#define RK_SCORE_H

#include "opt/opt.h"

enum { RK_NEEDS_X = 1, RK_NEEDS_LABELS = 2 };
enum { RK_MORE_IS_BETTER, RK_LESS_IS_BETTER, RK_DESCRIBES }; /* which direction is better, for model selection */

struct rk_score_type;

/* One requested score. */
typedef struct rk_score_item {
    const struct rk_score_type *type;
    const void *self; /* its parameters */
    double value;
    double deviation; /* standard deviation over folds, or standard error; NaN: none */
    int done;
} rk_score_item;

typedef struct rk_score_type {
    rk_entry entry;
    unsigned needs; /* RK_NEEDS_X, RK_NEEDS_LABELS: for the rows, and for new rows if there are any */
    int takes_new;  /* can score new rows against the others */
    int better;     /* RK_MORE_IS_BETTER, ... */
    /* Fills the values of all requested items whose `family` is this function, so that they share one pass. */
    rkhs_status (*family)(rkhs_env *env, const rkhs_score_input *what, rk_score_item *items, int count);
} rk_score_type;

extern const rk_list rk_scores;

/* ---- object_distances.c: distances between rows, by tiles ------------------------------------------------------ */

/* Squared distances between the rows of `a` and those of `b`: Euclidean between vectors, or in the feature space of a
 * kernel, |phi(a) - phi(b)|^2 = k(a,a) + k(b,b) - 2 k(a,b). */
typedef struct rk_distance_space {
    rkhs_env *env;
    rkhs_kernel *kernel; /* owned: rbf, which stands for the Euclidean distance, or a frozen copy of the caller's */
    int feature;
    rk_bound *a, *b; /* b == a for one data set */
    rkhs_data *view_a, *view_b;
    double *diag_a, *diag_b;
    rk_work *work;
} rk_distance_space;

/* b NULL: a against itself. kernel NULL: Euclidean. Temporaries are on the scratch list; rk_distance_space_free
 * frees. */
rkhs_status rk_distance_space_new(rkhs_env *env, const rkhs_data *a, const rkhs_data *b, const rkhs_kernel *kernel,
                                  rk_distance_space *space);
void rk_distance_space_free(rk_distance_space *space);
/* Writes the squared distances of rows i0 .. i0+ni-1 of a and j0 .. j0+nj-1 of b; ni, nj <= RK_TILE. */
rkhs_status rk_distance_space_tile(const rk_distance_space *space, int64_t i0, int64_t ni, int64_t j0, int64_t nj, double *out,
                                   int64_t ld, int worker);

/* ---- smo.c: support vector machines ---------------------------------------------------------------------------- */

/* RK_SMO_INFEASIBLE: nu is too large for the smaller class. RK_SMO_NO_MARGIN: it is so small that no margin is left. */
typedef enum rk_smo_outcome { RK_SMO_DONE, RK_SMO_INFEASIBLE, RK_SMO_NO_MARGIN } rk_smo_outcome;

/* One two-class problem. The caller sets all fields before `outcome` and owns all arrays. */
typedef struct rk_smo {
    int64_t n, ld;
    const double *K; /* n x n kernel values, rows ld apart */
    const int *y;    /* 1 or -1 */
    const double *upper;
    double nu;     /* 0: C-SVM, with C in `upper` */
    double tol;    /* tolerance, relative to the margin */
    double *a, *G; /* room for n numbers each: the dual variables, the gradient */
    /* Result: the decision for x is scale (sum_i y_i a_i k(x_i, x) - offset). Not set for RK_SMO_INFEASIBLE. */
    rk_smo_outcome outcome;
    double offset, scale;
    int64_t steps;
} rk_smo;

rkhs_status rk_smo_solve(rkhs_env *env, rk_smo *p);

#endif
