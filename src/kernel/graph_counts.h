/* graph_counts.h: what kernels on graphs share. They count parts, as kernels on strings do, in the bags of token.h. */
#ifndef RK_GRAPH_H
#define RK_GRAPH_H

#include "kernel/token.h"

/* The most vertices of a graph of x, and the most neighbours of a vertex. */
void rk_graph_most(const rkhs_data *x, int64_t *vertices, int64_t *degree);
/* Refuses new graphs that have labels, of vertices or edges as asked for, where those they are compared with have none, and the
 * other way round. */
rkhs_status rk_graph_alike(rkhs_env *env, const char *kernel, const rk_bound *bound, int vertices, int edges);
/* The tokens of a graph: its vertices' labels, sorted, or as many zeros where they do not count, and the number of its edges.
 * Isomorphic graphs have the same. */
rkhs_status rk_graph_tokens(rkhs_env *env, const rk_bound *bound, int labelled, rk_tokens *tokens);

/* clang-format off */
#define RK_GRAPH_NORMALIZE_PARAM(type, nothing)                                                                                \
    {.name = "normalize", .kind = RK_BOOL, .offset = offsetof(type, normalize), .value = "true",                               \
     .brief = "divide by sqrt(k(x,x) k(y,y))" nothing}
/* clang-format on */

#endif
