/* graph.c: the data kind "graph", simple undirected graphs with optional integer labels of vertices and edges.
 *
 * All graphs share one set of arrays (rk_graphs). Graph i has the vertices first[i] .. first[i+1]-1, at least one. The
 * adjacency list of vertex v is neighbours[starts[v]] .. neighbours[starts[v+1]-1], ascending, counted from 0 within
 * the graph. Each edge appears at both ends. Duplicate edges are merged. Self-loops are dropped, with a message. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static const rk_graphs *graphs_of(const rkhs_data *x) { return x->self; }

/* Allocates the arrays of `out`, whose rows are set. `ends` is twice the number of edges. */
static rkhs_status make_room(rkhs_env *env, rkhs_data *out, int64_t vertices, int64_t ends, int labels, int edge_labels) {
    rkhs_status status = RKHS_OK;
    rk_graphs *g = out->self;
    TRY(rk_alloc(env, out->rows + 1, sizeof *g->first, &g->first));
    TRY(rk_alloc(env, vertices + 1, sizeof *g->starts, &g->starts));
    TRY(rk_alloc(env, ends, sizeof *g->neighbours, &g->neighbours));
    if (labels) TRY(rk_alloc(env, vertices, sizeof *g->labels, &g->labels));
    if (edge_labels) TRY(rk_alloc(env, ends, sizeof *g->edge_labels, &g->edge_labels));
done:
    return status;
}

/* ---- construction ---------------------------------------------------------------------------------------------- */

/* An entry of an adjacency list: the vertex at the other end, numbered over all graphs, and the number of the edge. */
typedef struct half {
    int64_t to, edge;
} half;

/* Computes where each adjacency list starts, self-loops left out. Returns the number of self-loops. */
static int64_t count_ends(const int64_t *ends, int64_t edges, int64_t vertices, int64_t *start) {
    int64_t loops = 0;
    for (int64_t e = 0; e < edges; e++) {
        int64_t u = ends[2 * e], v = ends[2 * e + 1];
        loops += u == v;
        if (u != v) start[u + 1]++, start[v + 1]++;
    }
    for (int64_t v = 0; v < vertices; v++) start[v + 1] += start[v];
    return loops;
}

/* Fills the adjacency lists, sorted by neighbour: a bucket sort by vertex, then a second pass over the vertices in
 * order that appends each to the lists of its neighbours. */
static void sort_ends(const int64_t *ends, int64_t edges, int64_t vertices, const int64_t *start, int64_t *at, half *some,
                      half *sorted) {
    memcpy(at, start, (size_t)vertices * sizeof *at);
    for (int64_t e = 0; e < edges; e++) {
        int64_t u = ends[2 * e], v = ends[2 * e + 1];
        if (u != v) some[at[u]++] = (half){v, e}, some[at[v]++] = (half){u, e};
    }
    memcpy(at, start, (size_t)vertices * sizeof *at);
    for (int64_t u = 0; u < vertices; u++)
        for (int64_t q = start[u]; q < start[u + 1]; q++) sorted[at[some[q].to]++] = (half){u, some[q].edge};
}

/* Removes duplicate neighbours in place and updates `start`. Fails if duplicates of an edge have different labels. */
static rkhs_status drop_doubles(rkhs_env *env, const char *where, int64_t vertices, const int64_t *edge_labels, int64_t *start,
                                half *list) {
    int64_t to = 0, from = 0;
    for (int64_t v = 0; v < vertices; v++) {
        int64_t end = start[v + 1], begin = to;
        for (; from < end; from++) {
            const half *last = to > begin ? &list[to - 1] : NULL;
            if (!last || last->to != list[from].to) {
                list[to++] = list[from];
            } else if (edge_labels && edge_labels[last->edge] != edge_labels[list[from].edge]) {
                int64_t one = last->edge, two = list[from].edge;
                return rk_fail(env, RKHS_ERR_DATA,
                               "%s %lld is the same edge as %lld (counted from 1), and its label is %lld, not %lld: give an "
                               "edge one label",
                               where, (long long)rk_max(one, two) + 1, (long long)rk_min(one, two) + 1,
                               (long long)edge_labels[rk_max(one, two)], (long long)edge_labels[rk_min(one, two)]);
            }
        }
        start[v + 1] = to;
    }
    return RKHS_OK;
}

rkhs_status rk_data_graphs_new(rkhs_env *env, const char *where, int64_t n, const int64_t *first, int64_t edges,
                               const int64_t *ends, const int64_t *labels, const int64_t *edge_labels, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = NULL;
    int64_t vertices = first[n], *start, *at;
    half *some, *sorted;
    *out = NULL;
    TRY(rk_scratch(env, vertices + 1, sizeof *start, &start));
    TRY(rk_scratch(env, vertices + 1, sizeof *at, &at));
    int64_t loops = count_ends(ends, edges, vertices, start);
    TRY(rk_scratch(env, start[vertices], sizeof *some, &some));
    TRY(rk_scratch(env, start[vertices], sizeof *sorted, &sorted));
    sort_ends(ends, edges, vertices, start, at, some, sorted);
    TRY(drop_doubles(env, where, vertices, edge_labels, start, sorted));
    TRY(rk_data_new(env, &rk_data_graph, n, 1, &x));
    TRY(make_room(env, x, vertices, start[vertices], labels != NULL, edge_labels != NULL));
    rk_graphs *g = x->self;
    memcpy(g->first, first, (size_t)(n + 1) * sizeof *first);
    memcpy(g->starts, start, (size_t)(vertices + 1) * sizeof *start);
    if (labels) memcpy(g->labels, labels, (size_t)vertices * sizeof *labels);
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = start[first[i]]; q < start[first[i + 1]]; q++) {
            g->neighbours[q] = (int32_t)(sorted[q].to - first[i]);
            if (edge_labels) g->edge_labels[q] = edge_labels[sorted[q].edge];
        }
    if (loops)
        rk_log(env, RKHS_LOG_ADVICE, "edges from a vertex to itself are left out: there %s %lld", loops == 1 ? "is" : "are",
               (long long)loops);
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
    return status;
}

/* Prefix sums of the vertex counts in `first`, and the total number of edges. Fails for invalid counts. */
static rkhs_status sum_counts(rkhs_env *env, int64_t n, const int64_t *vertices, const int64_t *edges, int64_t *first,
                              int64_t *total) {
    *total = 0;
    for (int64_t i = 0; i < n; i++) {
        if (vertices[i] < 1 || vertices[i] > INT32_MAX)
            return rk_fail(env, RKHS_ERR_DATA, "graph %lld (counted from 1) has %s: give each at least one, and at most %d",
                           (long long)i + 1, rk_counted(vertices[i], "vertex").text, INT32_MAX);
        if (edges[i] < 0 || edges[i] > INT64_MAX / 64 - *total)
            return rk_fail(env, RKHS_ERR_DATA, "graph %lld (counted from 1) has %s, which cannot be", (long long)i + 1,
                           rk_counted(edges[i], "edge").text);
        first[i + 1] = first[i] + vertices[i];
        *total += edges[i];
    }
    return RKHS_OK;
}

rkhs_status rkhs_data_graphs(rkhs_env *env, int64_t n, const int64_t *vertices, const int64_t *edges, const int64_t *ends,
                             const int64_t *labels, const int64_t *edge_labels, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    int64_t *first, *all, total, at = 0;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_graphs", "variable for the data");
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    *data = NULL;
    if (n < 1 || !vertices || !edges) FAIL(env, RKHS_ERR_DATA, "data of no graphs: at least one is needed");
    TRY(rk_scratch(env, n + 1, sizeof *first, &first));
    TRY(sum_counts(env, n, vertices, edges, first, &total));
    if (total && !ends) FAIL(env, RKHS_ERR_ARGUMENT, "the data has no ends of edges: the pointer is NULL");
    TRY(rk_scratch(env, 2 * total, sizeof *all, &all));
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < edges[i]; e++, at++)
            for (int side = 0; side < 2; side++) {
                int64_t v = ends[2 * at + side];
                if (v < 0 || v >= vertices[i])
                    FAIL(env, RKHS_ERR_DATA,
                         "graph %lld, edge %lld (both counted from 1) ends at vertex %lld, and the graph has vertices 0 to "
                         "%lld: correct it",
                         (long long)i + 1, (long long)e + 1, (long long)v, (long long)vertices[i] - 1);
                all[2 * at + side] = first[i] + v;
            }
    TRY(rk_data_graphs_new(env, "edge", n, first, total, all, labels, edge_labels, data));
done:
    rk_scratch_release(env, mark);
    return status;
}

int rkhs_data_graph(const rkhs_data *data, int64_t i, rkhs_graph *graph) {
    if (!data || !graph || data->type != &rk_data_graph || i < 0 || i >= data->rows) return 0;
    const rk_graphs *g = graphs_of(data);
    int64_t v = g->first[i];
    *graph = (rkhs_graph){.vertices = g->first[i + 1] - v,
                          .labels = g->labels ? g->labels + v : NULL,
                          .starts = g->starts + v,
                          .neighbours = g->neighbours,
                          .edge_labels = g->edge_labels};
    return 1;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static rkhs_status subset_graph(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_graphs *g = graphs_of(x);
    rk_graphs *to = out->self;
    int64_t vertices = 0, ends = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t v = g->first[index[i]], stop = g->first[index[i] + 1];
        vertices += stop - v;
        ends += g->starts[stop] - g->starts[v];
    }
    rkhs_status status = make_room(env, out, vertices, ends, g->labels != NULL, g->edge_labels != NULL);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++) {
        int64_t v = g->first[index[i]], size = g->first[index[i] + 1] - v, at = to->first[i];
        int64_t from = g->starts[v], length = g->starts[v + size] - from, shift = to->starts[at] - from;
        to->first[i + 1] = at + size;
        for (int64_t u = 0; u < size; u++) to->starts[at + u + 1] = g->starts[v + u + 1] + shift;
        if (g->labels) memcpy(to->labels + at, g->labels + v, (size_t)size * sizeof *g->labels);
        if (!length) continue;
        memcpy(to->neighbours + from + shift, g->neighbours + from, (size_t)length * sizeof *g->neighbours);
        if (g->edge_labels)
            memcpy(to->edge_labels + from + shift, g->edge_labels + from, (size_t)length * sizeof *g->edge_labels);
    }
    return status;
}

static rkhs_status join_graph(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    const rk_graphs *one = graphs_of(parts[0]);
    rk_graphs *to = out->self;
    int64_t vertices = 0, ends = 0, row = 0, vertex = 0;
    for (int k = 0; k < count; k++) {
        const rk_graphs *g = graphs_of(parts[k]);
        if (!g->labels != !one->labels || !g->edge_labels != !one->edge_labels)
            return rk_fail(env, RKHS_ERR_DATA, "graphs with labels cannot be joined with graphs without: give all or none");
        vertices += g->first[parts[k]->rows];
        ends += g->starts[g->first[parts[k]->rows]];
    }
    rkhs_status status = make_room(env, out, vertices, ends, one->labels != NULL, one->edge_labels != NULL);
    for (int k = 0; status == RKHS_OK && k < count; k++) {
        const rk_graphs *g = graphs_of(parts[k]);
        int64_t size = g->first[parts[k]->rows], length = g->starts[size], at = to->starts[vertex];
        if (g->labels) memcpy(to->labels + vertex, g->labels, (size_t)size * sizeof *g->labels);
        if (length) memcpy(to->neighbours + at, g->neighbours, (size_t)length * sizeof *g->neighbours);
        if (length && g->edge_labels) memcpy(to->edge_labels + at, g->edge_labels, (size_t)length * sizeof *g->edge_labels);
        for (int64_t i = 0; i < parts[k]->rows; i++) to->first[++row] = vertex + g->first[i + 1];
        for (int64_t v = 0; v < size; v++) to->starts[++vertex] = at + g->starts[v + 1];
    }
    return status;
}

/* Puts an array of integers under the name prefix + word. */
static rkhs_status put_integers(rk_archive *archive, const char *prefix, const char *word, const int64_t *values,
                                int64_t count) {
    char name[256];
    snprintf(name, sizeof name, "%s%s", prefix, word);
    return rk_archive_put(archive, name, &(rk_array){'q', 1, {count}, values});
}

/* Neighbours are widened: an archive has no 32-bit integers. */
static rkhs_status save_graph(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    rkhs_status status = RKHS_OK;
    const rk_graphs *g = graphs_of(x);
    rk_mark mark = rk_scratch_mark(x->env);
    int64_t vertices = g->first[x->rows], ends = g->starts[vertices], *wide;
    char name[256];
    TRY(put_integers(archive, prefix, "first", g->first, x->rows + 1));
    TRY(put_integers(archive, prefix, "starts", g->starts, vertices + 1));
    TRY(rk_scratch(x->env, ends, sizeof *wide, &wide));
    for (int64_t q = 0; q < ends; q++) wide[q] = g->neighbours[q];
    snprintf(name, sizeof name, "%sneighbours", prefix);
    TRY(rk_archive_put_copy(archive, name, &(rk_array){'q', 1, {ends}, wide}));
    if (g->labels) TRY(put_integers(archive, prefix, "labels", g->labels, vertices));
    if (g->edge_labels) TRY(put_integers(archive, prefix, "edge_labels", g->edge_labels, ends));
done:
    rk_scratch_release(x->env, mark);
    return status;
}

/* Whether the integers begin at 0, end at `last`, and rise by at least `apart` (0 or 1) and at most 2^31 - 1 each. */
static int goes_up(const rk_array *a, int64_t last, int apart) {
    const int64_t *s = a->data;
    int64_t count = a->shape[0] - 1;
    if (count < 1 || s[0] != 0 || s[count] != last) return 0;
    for (int64_t i = 0; i < count; i++)
        if (s[i + 1] < s[i] || s[i + 1] > last || s[i + 1] - s[i] < apart || s[i + 1] - s[i] > INT32_MAX) return 0;
    return 1;
}

/* The position of neighbour u in the adjacency list of v; -1 if it is not there. */
static int64_t position_of(const rk_graphs *g, int64_t v, int32_t u) {
    int64_t low = g->starts[v], high = g->starts[v + 1];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (g->neighbours[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->starts[v + 1] && g->neighbours[low] == u ? low : -1;
}

/* Whether the adjacency lists of graph i are in range, ascending, without self-loops, and symmetric, labels too. */
static int is_sound(const rk_graphs *g, int64_t i) {
    int64_t from = g->first[i], size = g->first[i + 1] - from;
    for (int64_t v = 0; v < size; v++)
        for (int64_t q = g->starts[from + v]; q < g->starts[from + v + 1]; q++) {
            int32_t u = g->neighbours[q];
            if (u < 0 || u >= size || u == v || (q > g->starts[from + v] && g->neighbours[q - 1] >= u)) return 0;
        }
    for (int64_t v = 0; v < size; v++)
        for (int64_t q = g->starts[from + v]; q < g->starts[from + v + 1]; q++) {
            int64_t back = position_of(g, from + g->neighbours[q], (int32_t)v);
            if (back < 0 || (g->edge_labels && g->edge_labels[back] != g->edge_labels[q])) return 0;
        }
    return 1;
}

/* Gets the array prefix + word. a->data is NULL if it is absent and not needed. */
static rkhs_status get_integers(rk_archive *archive, const char *prefix, const char *word, int needed, rk_array *a) {
    char name[256];
    snprintf(name, sizeof name, "%s%s", prefix, word);
    a->data = NULL;
    return needed || rk_archive_has(archive, name) ? rk_archive_get(archive, name, 'q', 1, a) : RKHS_OK;
}

static rkhs_status load_graph(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_array first, starts, neighbours, labels, edge_labels;
    TRY(get_integers(archive, prefix, "first", 1, &first));
    TRY(get_integers(archive, prefix, "starts", 1, &starts));
    TRY(get_integers(archive, prefix, "neighbours", 1, &neighbours));
    TRY(get_integers(archive, prefix, "labels", 0, &labels));
    TRY(get_integers(archive, prefix, "edge_labels", 0, &edge_labels));
    int64_t rows = first.shape[0] - 1, vertices = starts.shape[0] - 1, ends = neighbours.shape[0];
    int good = goes_up(&first, vertices, 1) && goes_up(&starts, ends, 0) && (!labels.data || labels.shape[0] == vertices) &&
               (!edge_labels.data || edge_labels.shape[0] == ends);
    if (good) {
        out->rows = rows;
        out->columns = 1;
        TRY(make_room(env, out, vertices, ends, labels.data != NULL, edge_labels.data != NULL));
        rk_graphs *g = out->self;
        memcpy(g->first, first.data, (size_t)(rows + 1) * sizeof *g->first);
        memcpy(g->starts, starts.data, (size_t)(vertices + 1) * sizeof *g->starts);
        if (labels.data) memcpy(g->labels, labels.data, (size_t)vertices * sizeof *g->labels);
        if (edge_labels.data && ends) memcpy(g->edge_labels, edge_labels.data, (size_t)ends * sizeof *g->edge_labels);
        for (int64_t q = 0; q < ends; q++) {
            int64_t u = ((const int64_t *)neighbours.data)[q];
            g->neighbours[q] = u < 0 || u > INT32_MAX ? -1 : (int32_t)u; /* is_sound refuses -1 */
        }
        for (int64_t i = 0; good && i < rows; i++) good = is_sound(g, i);
    }
    if (!good) FAIL(env, RKHS_ERR_FORMAT, "the graphs '%s' do not fit together: make the file again", prefix);
done:
    return status;
}

static void release_graph(rkhs_data *x) {
    const rk_graphs *g = graphs_of(x);
    rk_free(x->env, g->first);
    rk_free(x->env, g->starts);
    rk_free(x->env, g->neighbours);
    rk_free(x->env, g->labels);
    rk_free(x->env, g->edge_labels);
}

/* clang-format off */
const rk_data_type rk_data_graph = {
    .entry = {.name = "graph", .brief = "undirected graphs, with or without labels of vertices and edges",
              .size = sizeof(rk_graphs)},
    .kind = RK_KIND_GRAPH, .subset = subset_graph, .join = join_graph, .save = save_graph, .load = load_graph,
    .release = release_graph,
};
/* clang-format on */
