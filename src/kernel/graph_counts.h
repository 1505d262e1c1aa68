/* graph_counts.h: what graph kernels share; they count parts of graphs in the bags of token.h. */
#ifndef RK_GRAPH_COUNTS_H
#define RK_GRAPH_COUNTS_H

#include "kernel/token.h"

/* The largest number of vertices of a graph in x, and the largest degree of a vertex. */
void rk_graph_max_sizes(const rkhs_data *x, int64_t *vertices, int64_t *degree);
/* Refuses to compare graphs that have labels with graphs that have none; vertices, edges: which labels count. */
rkhs_status rk_graph_check_labels(rkhs_env *env, const char *kernel, const rk_bound *bound, int vertices, int edges);
/* The tokens of a graph: the labels of its vertices, sorted (zeros if they do not count), then its number of edges.
 * Isomorphic graphs have the same. */
rkhs_status rk_graph_tokens(rkhs_env *env, const rk_bound *bound, int labelled, rk_tokens *tokens);

/* clang-format off */
#define RK_GRAPH_NORMALIZE_PARAM(type, nothing)                                                                                \
    {.name = "normalize", .kind = RK_BOOL, .offset = offsetof(type, normalize), .value = "true",                               \
     .brief = "divide by sqrt(k(x,x) k(y,y))" nothing}
/* clang-format on */

#endif
