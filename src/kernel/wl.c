/* wl.c: the Weisfeiler-Lehman subtree kernel on graphs.
 *
 *     k(x, y) = sum_{r=0..h} sum_c  n_rc(x) n_rc(y),   n_rc(x) how many vertices of x have the colour c in round r
 *
 * In round 0 the colour of a vertex is its label, or its degree if there are no labels. In round r + 1 it stands for
 * the vertex's colour and the multiset of its neighbours' colours in round r, with the labels of the edges to them if
 * edges=true. Two vertices have one colour in round r exactly if the trees of depth r that are unfolded from them are
 * equal. Colours are numbers from the dictionary of the bag, whose keys are (own colour, sorted colours of
 * neighbours). So there are no hash collisions, and no result depends on the numbering. New graphs look their colours
 * up in the dictionary of the reference, the graphs bound first; a colour that it lacks leads to new colours in all
 * later rounds.
 *
 * Shervashidze, Schweitzer, van Leeuwen, Mehlhorn, Borgwardt, "Weisfeiler-Lehman graph kernels", JMLR 2011. */
#include "kernel/graph_counts.h"

#include <stdlib.h>

typedef struct wl {
    int64_t h;
    int edges, normalize;
} wl;

/* What the colouring of one graph after another needs. */
typedef struct rounds {
    const rkhs_data *x;
    const wl *self;
    int edges;              /* labels of edges count */
    int32_t *colour, *next; /* of the vertices of one graph, in this round and the next */
    uint64_t *around;       /* edge label and colour of the neighbours of one vertex */
    int32_t *key;
} rounds;

enum { VERTEX = -1, EDGE = -2 }; /* what a key of a label begins with; all others begin with a colour */

/* The number of a label. */
static rkhs_status number_label(rk_bag_rows *rows, int32_t what, int64_t label, int32_t *number) {
    int32_t key[3] = {what, (int32_t)((uint64_t)label >> 32), (int32_t)(uint32_t)label};
    return rk_bag_number(rows, key, sizeof key, number);
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts few numbers by insertion. */
static void sort_around(uint64_t *a, int64_t count) {
    if (count > 16) {
        qsort(a, (size_t)count, sizeof *a, by_number);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        uint64_t v = a[i];
        int64_t k = i;
        for (; k > 0 && a[k - 1] > v; k--) a[k] = a[k - 1];
        a[k] = v;
    }
}

/* The colour of vertex v in the next round. */
static rkhs_status recolour(rk_bag_rows *rows, const rounds *w, const rkhs_graph *g, int64_t v, int32_t *colour) {
    rkhs_status status = RKHS_OK;
    int64_t count = 0, length = 1;
    for (int64_t q = g->starts[v]; q < g->starts[v + 1]; q++) {
        int32_t label = 0;
        if (w->edges) TRY(number_label(rows, EDGE, g->edge_labels[q], &label));
        w->around[count++] = (uint64_t)label << 32 | (uint32_t)w->colour[g->neighbours[q]];
    }
    sort_around(w->around, count);
    w->key[0] = w->colour[v];
    for (int64_t q = 0; q < count; q++) {
        if (w->edges) w->key[length++] = (int32_t)(w->around[q] >> 32);
        w->key[length++] = (int32_t)(uint32_t)w->around[q];
    }
    TRY(rk_bag_number(rows, w->key, length * (int64_t)sizeof *w->key, colour));
done:
    return status;
}

static rkhs_status features_wl(rk_bag_rows *rows, const rk_tokens *none, int64_t i, const rk_bound *b) {
    rkhs_status status = RKHS_OK;
    rounds w = *(const rounds *)rk_bag_context(rows);
    rkhs_graph g;
    rkhs_data_graph(w.x, i, &g);
    for (int64_t v = 0; v < g.vertices; v++) {
        TRY(number_label(rows, VERTEX, g.labels ? g.labels[v] : g.starts[v + 1] - g.starts[v], &w.colour[v]));
        TRY(rk_bag_count(rows, w.colour[v], 1));
    }
    for (int64_t r = 0; r < w.self->h; r++) {
        for (int64_t v = 0; v < g.vertices; v++) {
            TRY(recolour(rows, &w, &g, v, &w.next[v]));
            TRY(rk_bag_count(rows, w.next[v], 1));
            if (v % 1024 == 1023) TRY(rk_progress(rk_bag_env(rows), NULL, 0, 0));
        }
        int32_t *swap = w.colour;
        w.colour = w.next;
        w.next = swap;
    }
done:
    return status;
}

static rkhs_status prepare_wl(rkhs_env *env, rk_bound *bound) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const wl *o = rk_kernel_self(bound);
    const rk_graphs *g = bound->x->self;
    rounds w = {.x = bound->x, .self = o, .edges = o->edges && g->edge_labels};
    int64_t vertices, degree;
    rk_graph_max_sizes(bound->x, &vertices, &degree);
    TRY(rk_graph_check_labels(env, "wl", bound, 1, o->edges));
    TRY(rk_scratch(env, vertices, sizeof *w.colour, &w.colour));
    TRY(rk_scratch(env, vertices, sizeof *w.next, &w.next));
    TRY(rk_scratch(env, degree, sizeof *w.around, &w.around));
    TRY(rk_scratch(env, 2 * degree + 1, sizeof *w.key, &w.key));
    TRY(rk_bag_prepare(env, bound, NULL, &(rk_bag_options){.features = features_wl, .context = &w, .normalize = o->normalize}));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Freezes nothing, but gives advice: here the kernel first sees the training graphs. */
static rkhs_status freeze_wl(rkhs_env *env, void *self, const rkhs_data *x) {
    if (x->type == &rk_data_graph && !((const rk_graphs *)x->self)->labels)
        rk_log(env, RKHS_LOG_ADVICE, "the graphs have no vertex labels: wl begins with the degrees of the vertices instead");
    return RKHS_OK;
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "h", .kind = RK_INT, .offset = offsetof(wl, h), .value = "5", .max = 1000,
     .brief = "number of refinements, each of which looks one step further; all of them count"},
    {.name = "edges", .kind = RK_BOOL, .offset = offsetof(wl, edges), .value = "true",
     .brief = "use the labels of edges, where there are any"},
    RK_GRAPH_NORMALIZE_PARAM(wl, ""),
    {.name = NULL},
};

const rk_kernel_type rk_kernel_wl = {
    .entry = {.name = "wl",
              .brief = "Weisfeiler-Lehman: number of pairs of vertices of two graphs with the same neighbourhood of up to h steps",
              .formula = "sum_{r=0..h} sum_c n_rc(x) n_rc(y) / norms",
              .where = "c: a colour, which stands for a labelled neighbourhood of r steps; n_rc(x): the number of vertices of x that have it; "
                       "norms: sqrt(k(x,x) k(y,y)), left out with normalize=false",
              .cost = "h edges a graph, the colours in common a pair", .params = params, .size = sizeof(wl)},
    .kinds = RK_KIND_GRAPH, .flags = RK_PSD | RK_SCALE_FREE, .freeze = freeze_wl, .prepare = prepare_wl,
    .release = rk_bag_release, .block = rk_bag_block, .diag = rk_bag_diag,
};
/* clang-format on */
