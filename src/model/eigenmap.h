/* eigenmap.h: Laplacian eigenmaps of a neighbourhood graph, for kle and as a start; all on the scratch list. */
#ifndef RK_EIGENMAP_H
#define RK_EIGENMAP_H

#include "model/neighbour_graph.h"

/* The result of Laplacian eigenmaps: eigenvalues of the largest component. */
typedef struct rk_eigenmap {
    int64_t components, isolated, found; /* connected components; isolated objects; eigenvalues */
    double *values, *residuals;          /* dim */
    int64_t iterations;
    int converged;
    const char *solver; /* a static name; NULL: there was nothing to solve */
} rk_eigenmap;
/* Laplacian eigenmaps of the graph into Z (n x dim). B (or NULL): a new object with weights w is at sum_j w_j B_j /
 * sum_j w_j. B_j is z_j / l about its component's centre; z_j where the eigenvalue l <= RK_EIGENMAP_MIN. */
#define RK_EIGENMAP_MIN 0.1
rkhs_status rk_eigenmap_new(rkhs_env *env, const rk_spec *solver, const rk_neighbour_graph *g, int64_t dim, double *Z,
                            double *B, rk_eigenmap *out);

/* The embedding alone, from neighbour lists (n x k). */
rkhs_status rk_start_kle(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, int64_t dim,
                         double *Z);

#endif
