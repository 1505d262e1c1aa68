/* graph_counts.c: the graph kernels paths and graphlet, which count shortest paths and triples of vertices.
 *
 *     paths     k(x, y) = sum_{a<=b,l} n_abl(x) n_abl(y), n_abl(x) how many pairs of vertices of x with the labels a
 *               and b have a shortest path of l >= 1 edges between them
 *     graphlet  k(x, y) = sum_t n_t(x) n_t(y), n_t(x) how many sets of three vertices of x induce the graph t
 *
 * Labels of edges do not count. With normalize, two graphs with nothing to count (no edge; no triple) have k = 1 if
 * they have the same vertex labels and as many edges, else 0.
 *
 * Borgwardt, Kriegel, "Shortest-path kernels on graphs", ICDM 2005; Shervashidze et al., "Efficient graphlet kernels
 * for large graph comparison", AISTATS 2009. */
#include "kernel/graph_counts.h"

#include <stdlib.h>

void rk_graph_max_sizes(const rkhs_data *x, int64_t *vertices, int64_t *degree) {
    const rk_graphs *g = x->self;
    *vertices = *degree = 0;
    for (int64_t i = 0; i < x->rows; i++) *vertices = rk_max(*vertices, g->first[i + 1] - g->first[i]);
    for (int64_t v = 0; v < g->first[x->rows]; v++) *degree = rk_max(*degree, g->starts[v + 1] - g->starts[v]);
}

rkhs_status rk_graph_check_labels(rkhs_env *env, const char *kernel, const rk_bound *bound, int vertices, int edges) {
    if (!bound->reference) return RKHS_OK;
    const rk_graphs *g = bound->x->self, *first = bound->reference->x->self;
    const char *what = vertices && !g->labels != !first->labels          ? "vertex labels"
                       : edges && !g->edge_labels != !first->edge_labels ? "edge labels"
                                                                         : NULL;
    if (!what) return RKHS_OK;
    int here = what[0] == 'v' ? g->labels != NULL : g->edge_labels != NULL;
    return rk_fail(env, RKHS_ERR_DATA, "%s: the new graphs have %s%s, and those they are compared with have %s: give %s",
                   kernel, here ? "" : "no ", what, here ? "none" : "them", here ? "graphs without" : "their labels too");
}

static int by_token(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

rkhs_status rk_graph_tokens(rkhs_env *env, const rk_bound *bound, int labelled, rk_tokens *t) {
    rkhs_status status = RKHS_OK;
    const rkhs_data *x = bound->x;
    const rk_bag *first = bound->reference ? bound->reference->side : NULL;
    const rk_graphs *g = x->self;
    int64_t at = 0;
    TRY(rk_dictionary_new(env, first ? first->string.tokens.words : NULL, &t->words));
    TRY(rk_alloc(env, x->rows + 1, sizeof *t->start, &t->start));
    TRY(rk_alloc(env, g->first[x->rows] + x->rows, sizeof *t->id, &t->id));
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t v = g->first[i]; v < g->first[i + 1]; v++, at++)
            if (labelled && g->labels) TRY(rk_dictionary_number(env, t->words, &g->labels[v], sizeof *g->labels, &t->id[at]));
        qsort(t->id + t->start[i], (size_t)(at - t->start[i]), sizeof *t->id, by_token);
        t->id[at++] = (int32_t)rk_min((g->starts[g->first[i + 1]] - g->starts[g->first[i]]) / 2, INT32_MAX);
        t->start[i + 1] = at;
        if (i % 64 == 0) TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    return status;
}

/* The label of a vertex; 0 if labels do not count. */
static int64_t label_of(const rkhs_graph *g, int64_t v) { return g->labels ? g->labels[v] : 0; }

/* ---- paths ----------------------------------------------------------------------------------------------------- */

typedef struct paths {
    int labelled, normalize;
} paths;

/* What the search in one graph after another needs. */
typedef struct search {
    const rkhs_data *x;
    const paths *self;
    int32_t *queue, *far; /* vertices in the order of the search; the distance of each, -1: not reached */
} search;

/* Breadth-first search from v: fills queue and far, returns the number of vertices reached. */
static int64_t reach(const rkhs_graph *g, int64_t v, int32_t *queue, int32_t *far) {
    int64_t count = 1;
    for (int64_t u = 0; u < g->vertices; u++) far[u] = -1;
    queue[0] = (int32_t)v;
    far[v] = 0;
    for (int64_t at = 0; at < count; at++)
        for (int64_t q = g->starts[queue[at]]; q < g->starts[queue[at] + 1]; q++) {
            int32_t u = g->neighbours[q];
            if (far[u] >= 0) continue;
            far[u] = far[queue[at]] + 1;
            queue[count++] = u;
        }
    return count;
}

static rkhs_status features_paths(rk_bag_rows *rows, const rk_tokens *tokens, int64_t i, const rk_bound *bound) {
    rkhs_status status = RKHS_OK;
    const search *s = rk_bag_context(rows);
    rkhs_graph g;
    rkhs_data_graph(s->x, i, &g);
    if (!s->self->labelled) g.labels = NULL;
    for (int64_t v = 0; v < g.vertices; v++) {
        int64_t count = reach(&g, v, s->queue, s->far);
        for (int64_t q = 1; q < count; q++) {
            int64_t u = s->queue[q], a = label_of(&g, v), b = label_of(&g, u);
            int64_t key[3] = {rk_min(a, b), rk_max(a, b), s->far[u]};
            if (v < u) TRY(rk_bag_add(rows, key, sizeof key, 0, 1));
        }
        TRY(rk_progress(rk_bag_env(rows), NULL, 0, 0));
    }
done:
    return status;
}

static rkhs_status tokens_paths(rkhs_env *env, const rk_bound *bound, rk_tokens *t) {
    return rk_graph_tokens(env, bound, ((const paths *)rk_kernel_self(bound))->labelled, t);
}

static rkhs_status prepare_paths(rkhs_env *env, rk_bound *bound) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    search s = {.x = bound->x, .self = rk_kernel_self(bound)};
    int64_t vertices, degree;
    rk_graph_max_sizes(bound->x, &vertices, &degree);
    TRY(rk_graph_check_labels(env, "paths", bound, s.self->labelled, 0));
    TRY(rk_scratch(env, vertices, sizeof *s.queue, &s.queue));
    TRY(rk_scratch(env, vertices, sizeof *s.far, &s.far));
    const rk_bag_options how = {features_paths, &s, tokens_paths, .normalize = s.self->normalize};
    TRY(rk_bag_prepare(env, bound, NULL, &how));
done:
    rk_scratch_release(env, mark);
    return status;
}

#define LABELLED_PARAM(type)                                                                                                   \
    {                                                                                                                          \
        .name = "labelled", .kind = RK_BOOL, .offset = offsetof(type, labelled), .value = "true",                              \
        .brief = "use the labels of vertices, where there are any"                                                             \
    }

static const rk_param params_paths[] = {
    LABELLED_PARAM(paths),
    RK_GRAPH_NORMALIZE_PARAM(paths, "; a graph without edges is like those with the same labels alone"),
    {.name = NULL},
};

/* clang-format off */
const rk_kernel_type rk_kernel_paths = {
    .entry = {.name = "paths",
              .brief = "shortest paths: number of pairs of vertices that two graphs share, with the same labels and the same distance",
              .formula = "sum_{a,b,l} n_abl(x) n_abl(y) / norms",
              .where = "n_abl(x): the number of pairs of vertices of x with labels a and b that are l edges apart; norms: sqrt(k(x,x) "
                       "k(y,y)), left out with normalize=false",
              .cost = "vertices times edges a graph, the triples in common a pair", .params = params_paths,
              .size = sizeof(paths)},
    .kinds = RK_KIND_GRAPH, .flags = RK_PSD | RK_SCALE_FREE, .prepare = prepare_paths, .release = rk_bag_release,
    .block = rk_bag_block, .diag = rk_bag_diag,
};
/* clang-format on */

/* ---- graphlet -------------------------------------------------------------------------------------------------- */

typedef struct graphlet {
    int labelled, connected, normalize;
} graphlet;

enum { TRIANGLE = 3, PATH = 2, EDGE = 1, NOTHING = 0 }; /* the number of edges among three vertices */

static rkhs_status check_graphlet(rkhs_env *env, const void *self) {
    const graphlet *o = self;
    if (o->connected || !o->labelled) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_SPEC,
                   "graphlet: connected=false counts shapes without labels: say labelled=false too, or leave it out");
}

/* Whether an edge joins two vertices. */
static int joined(const rkhs_graph *g, int32_t u, int32_t v) {
    int64_t low = g->starts[u], high = g->starts[u + 1];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (g->neighbours[middle] == v) return 1;
        if (g->neighbours[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Counts a path u - v - w, or a triangle. The key does not depend on the order of the ends, or corners. */
static rkhs_status add_triple(rk_bag_rows *rows, const rkhs_graph *g, int shape, int64_t u, int64_t v, int64_t w) {
    int64_t a = label_of(g, u), b = label_of(g, v), c = label_of(g, w);
    int64_t low = rk_min(a, c), high = rk_max(a, c);
    if (shape == TRIANGLE) { /* sort the corners */
        int64_t smallest = rk_min(low, b), largest = rk_max(high, b);
        b = b < low ? low : b > high ? high : b;
        low = smallest;
        high = largest;
    }
    int64_t key[4] = {shape, low, b, high};
    return rk_bag_add(rows, key, sizeof key, 0, 1);
}

/* Counts the triples that are not connected, with one edge or none, from the numbers of the others; without labels. */
static rkhs_status add_apart(rk_bag_rows *rows, const rkhs_graph *g, double path_count, double triangle_count) {
    double n = (double)g->vertices, edges = (double)(g->starts[g->vertices] - g->starts[0]) / 2;
    /* an edge and any third vertex: triangles are met three times, paths twice */
    double edge_count = edges * (n - 2) - 3 * triangle_count - 2 * path_count;
    double none = n * (n - 1) * (n - 2) / 6 - triangle_count - path_count - edge_count;
    int64_t key[4] = {EDGE, 0, 0, 0};
    rkhs_status status = edge_count > 0 ? rk_bag_add(rows, key, sizeof key, 0, edge_count) : RKHS_OK;
    key[0] = NOTHING;
    if (status == RKHS_OK && none > 0) status = rk_bag_add(rows, key, sizeof key, 0, none);
    return status;
}

static rkhs_status features_graphlet(rk_bag_rows *rows, const rk_tokens *tokens, int64_t i, const rk_bound *b) {
    rkhs_status status = RKHS_OK;
    const graphlet *o = rk_kernel_self(b);
    double count[4] = {0};
    rkhs_graph g;
    rkhs_data_graph(b->x, i, &g);
    if (!o->labelled) g.labels = NULL;
    for (int64_t v = 0; v < g.vertices; v++)
        for (int64_t p = g.starts[v]; p < g.starts[v + 1]; p++) {
            for (int64_t q = p + 1; q < g.starts[v + 1]; q++) {
                int32_t u = g.neighbours[p], w = g.neighbours[q];
                int shape = joined(&g, u, w) ? TRIANGLE : PATH;
                if (shape == TRIANGLE && v > u) continue; /* counted at its first corner */
                TRY(add_triple(rows, &g, shape, u, v, w));
                count[shape]++;
            }
            TRY(rk_progress(rk_bag_env(rows), NULL, 0, 0));
        }
    if (!o->connected) TRY(add_apart(rows, &g, count[PATH], count[TRIANGLE]));
done:
    return status;
}

static rkhs_status tokens_graphlet(rkhs_env *env, const rk_bound *bound, rk_tokens *t) {
    return rk_graph_tokens(env, bound, ((const graphlet *)rk_kernel_self(bound))->labelled, t);
}

static rkhs_status prepare_graphlet(rkhs_env *env, rk_bound *bound) {
    const graphlet *o = rk_kernel_self(bound);
    const rk_bag_options how = {.features = features_graphlet, .tokens = tokens_graphlet, .normalize = o->normalize};
    rkhs_status status = rk_graph_check_labels(env, "graphlet", bound, o->labelled, 0);
    return status == RKHS_OK ? rk_bag_prepare(env, bound, NULL, &how) : status;
}

/* clang-format off */
static const rk_param params_graphlet[] = {
    LABELLED_PARAM(graphlet),
    {.name = "connected", .kind = RK_BOOL, .offset = offsetof(graphlet, connected), .value = "true",
     .brief = "true: count only paths and triangles; false, with labelled=false: also three vertices with one edge or none"},
    RK_GRAPH_NORMALIZE_PARAM(graphlet, "; a graph with nothing to count is like those with the same labels and as many edges"),
    {.name = NULL},
};

const rk_kernel_type rk_kernel_graphlet = {
    .entry = {.name = "graphlet",
              .brief = "graphlets: number of paths and triangles of three vertices, with their labels, that two graphs "
                       "share",
              .formula = "sum_t n_t(x) n_t(y) / norms",
              .where = "t: a path or triangle with its labels; n_t(x): how often x has it; norms: sqrt(k(x,x) k(y,y)), left out with normalize=false",
              .cost = "neighbours^2 a vertex, the parts in common a pair",
              .params = params_graphlet, .size = sizeof(graphlet)},
    .kinds = RK_KIND_GRAPH, .flags = RK_PSD | RK_SCALE_FREE, .check = check_graphlet, .prepare = prepare_graphlet,
    .release = rk_bag_release, .block = rk_bag_block, .diag = rk_bag_diag,
};
/* clang-format on */
