/* neighbour_graph.h: the neighbourhood graph of kle, lpp, npe and tke; all of it is on the scratch list. */
#ifndef RK_NEIGHBOUR_GRAPH_H
#define RK_NEIGHBOUR_GRAPH_H

#include "model/model.h"

/* A neighbourhood graph: W = (F + F')/2 from neighbour lists F (n x k), negative values as 0, and its row sums. */
typedef struct rk_neighbour_graph {
    rk_csr w;
    double *degree;
} rk_neighbour_graph;
/* min(k, n - 1); advises if k is too large. */
int64_t rk_neighbour_count(rkhs_env *env, int64_t k, int64_t n);
rkhs_status rk_neighbour_graph_new(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value,
                                   rk_neighbour_graph *out);

/* Connected components, largest first, ties by the lowest object. The objects of component p are order[starts[p]] to
 * order[starts[p + 1] - 1]. `isolated` is the number of single objects. */
typedef struct rk_components {
    int64_t count, isolated, *starts, *order;
} rk_components;
rkhs_status rk_connected_components(rkhs_env *env, const rk_csr *w, rk_components *out);
/* Advises if the graph has no edges or several components; `so` is the consequence. */
void rk_advise_components(rkhs_env *env, int64_t n, int64_t components, int64_t isolated, const char *so);
#define RK_COMPONENTS_APART "their positions relative to each other mean little"

/* ---- graph_projection.c ---------------------------------------------------------------------------------------- */

/* The fit of lpp and npe: z = Phi w for the largest l of Phi'M Phi w = l (Phi'N Phi + mu I) w, N = diag(n), mu = ridge
 * tr(N K)/n. Fills Z, the map and the report. A column is scaled to z'N z + mu |w|^2 = sum N; it is 0 where l is 0.
 * With features the sums over objects are kept. In an update that adds to them M and N have what new objects add.
 * `graph` is the neighbourhood graph, for advice. */
rkhs_status rk_fit_graph_projection(rk_fit *f, const rk_spec *solver, const rk_graph_matrix *m, const double *n, double ridge,
                                    const rk_csr *graph);
/* The table of their state, rk_sums_state. */
extern const rk_state_part rk_graph_projection_state[];

#endif
