/* opt.h: problems pulled back to coefficients, and the solvers that take them. */
#ifndef RK_OPT_H
#define RK_OPT_H

#include "gram/gram.h"
#include "la/la.h"

extern const rk_list rk_solvers;

/* Runs one solver's life on a pulled-back problem. */
rkhs_status rk_solve(const rk_spec *solver, rk_pulled *p);
/* Spectral: |A x - l x| of every pair, from one product more. */
rkhs_status rk_true_residuals(rk_pulled *p);

/* The answer to a spectral problem: values largest first, coef (rank x count) to push and fold. */
typedef struct rk_spectrum {
    int64_t count;
    double *values, *residuals; /* on the scratch list, as coef */
    double *coef;
    double trace; /* of the left-hand side: the sum of all eigenvalues */
    int64_t iterations, products;
    int converged;
    const char *solver;
} rk_spectrum;

/* solver NULL: dense when small, lanczos else. Results live on the scratch list. */
rkhs_status rk_solve_spectral(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);

/* The smallest eigenvalue of M K M (sample form), to three digits. */
rkhs_status rk_smallest_eigenvalue(const rk_gram *g, const rk_spectral *problem, double *value);

#endif
