/* eigenmap.h: graphs of neighbours and their Laplacian eigenmaps, for kle, lpp, npe and tke. All on the scratch list. */
#ifndef RK_EIGENMAP_H
#define RK_EIGENMAP_H

#include "model/model.h"

/* W = (F + F')/2 of lists F (n x k) of neighbours, values below 0 as 0, and its row sums. */
typedef struct rk_graph {
    rk_csr w;
    double *degree;
} rk_graph;
/* k, or as many others as n objects have; says so. */
int64_t rk_graph_k(rkhs_env *env, int64_t k, int64_t n);
rkhs_status rk_graph_new(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, rk_graph *out);
/* An operator (rk_op): W - 3 dd'/sum d, which is W but for the constant: W 1 = d has l = 1, and now -2, below all others. */
#define RK_CONSTANT_SHIFT 3.0
rkhs_status rk_graph_apply(void *context, rkhs_env *env, const double *V, int64_t k, double *out);

/* Connected components, largest first, ties by the lowest object: component p is order[starts[p] ..]; `isolated` of them are
 * single objects. */
typedef struct rk_components {
    int64_t count, isolated, *starts, *order;
} rk_components;
rkhs_status rk_graph_components(rkhs_env *env, const rk_csr *w, rk_components *out);
/* One sentence where a graph has no edges, or several parts; `so` says what that means. */
void rk_graph_advise(rkhs_env *env, int64_t n, int64_t components, int64_t isolated, const char *so);
#define RK_COMPONENTS_APART "their positions relative to each other mean little"

/* Laplacian eigenmaps: what was found of the largest part. */
typedef struct rk_eigenmap {
    int64_t components, isolated, found; /* of the graph; objects without a neighbour; eigenvalues */
    double *values, *residuals;          /* dim */
    int64_t iterations;
    int converged;
    const char *solver; /* a static name; NULL: there was nothing to solve */
} rk_eigenmap;
/* Z (n x dim); B (or NULL): so that sum_j w_j B_j / sum_j w_j places an object with weights w: z_j/l about the middle of its
 * part, but z_j itself where l is not above RK_EIGENMAP_LEAST. */
#define RK_EIGENMAP_LEAST 0.1
rkhs_status rk_eigenmap_new(rkhs_env *env, const rk_spec *solver, const rk_graph *g, int64_t dim, double *Z, double *B,
                            rk_eigenmap *out);

/* The embedding alone, from lists of neighbours (n x k). */
rkhs_status rk_start_kle(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, int64_t dim,
                         double *Z);

/* z = Phi w, the largest l of Phi'M Phi w = l (Phi'N Phi + mu I) w, mu = ridge tr(N K)/n: Z, the map and the report. A column
 * is scaled to z'N z + mu |w|^2 = sum N; where l is 0, it is. `graph` says who is whose neighbour. */
rkhs_status rk_graph_project(rk_fit *f, const rk_spec *solver, rk_op m, const double *n, double ridge, const rk_csr *graph);

#endif
