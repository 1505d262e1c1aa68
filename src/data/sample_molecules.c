/* sample_molecules.c: synthetic graphs that resemble small molecules, trees (class 0) and graphs with rings (class 1).
 *
 * A graph starts as one vertex, or as a ring of 5 or 6, and grows to its size. A new vertex (in class 1 sometimes a
 * ring of 6) is joined to the last vertex. With probability 0.35, or if that vertex has degree 4, it is joined to a
 * random one of degree below 4. Random numbers are functions of (seed, row, index) only. */
#include "data/data.h"

enum { LOOK = 256, LEAST = 8 };

typedef struct molecules {
    int64_t n, max_vertices;
} molecules;

/* The graphs generated so far; arguments of rk_data_graphs_new. */
typedef struct drawing {
    rkhs_env *env;
    int64_t row, *first, *ends, edges, *labels;
    int32_t *degree; /* of the vertices of the current graph */
    uint64_t draws;  /* random numbers used by the current graph */
} drawing;

static double draw(drawing *d) { return rk_uniform(d->env->seed, RK_STREAM_SAMPLE, (uint64_t)d->row, d->draws++); }

/* A random integer in [0, count). */
static int64_t draw_below(drawing *d, int64_t count) { return rk_min((int64_t)(draw(d) * (double)count), count - 1); }

static void join(drawing *d, int64_t u, int64_t v) {
    int64_t from = d->first[d->row];
    d->ends[2 * d->edges] = from + u;
    d->ends[2 * d->edges++ + 1] = from + v;
    d->degree[u]++;
    d->degree[v]++;
}

/* Joins the vertices from .. from + size - 1 to a ring. */
static void draw_ring(drawing *d, int64_t from, int64_t size) {
    for (int64_t v = 1; v < size; v++) join(d, from + v - 1, from + v);
    join(d, from + size - 1, from);
}

static void draw_graph(drawing *d, int64_t size, int ringed) {
    int64_t v = 1;
    for (int64_t u = 0; u < size; u++) d->degree[u] = 0;
    if (ringed) {
        v = 5 + (draw(d) < 0.7);
        draw_ring(d, 0, v);
    }
    while (v < size) {
        int64_t to = v - 1;
        if (d->degree[to] > 3 || draw(d) < 0.35) do
                to = draw_below(d, v);
            while (d->degree[to] > 3);
        if (ringed && size - v >= 6 && draw(d) < 0.5) {
            draw_ring(d, v, 6);
            join(d, to, v);
            v += 6;
        } else {
            join(d, to, v++);
        }
    }
    for (v = 0; v < size; v++) {
        double u = draw(d);
        d->labels[d->first[d->row] + v] = u < 0.75 ? 0 : u < 0.88 ? 1 : 2;
    }
}

static rkhs_status draw_molecules(rkhs_env *env, const void *self, rkhs_data **out) {
    static const char *const names[] = {"tree", "ring"};
    const molecules *o = self;
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = NULL;
    int64_t room = o->n * o->max_vertices, *codes;
    drawing d = {.env = env};
    *out = NULL;
    TRY(rk_require_memory(env, (double)o->n * (double)o->max_vertices * 120, "the sample", "draw fewer graphs"));
    TRY(rk_scratch(env, o->n + 1, sizeof *d.first, &d.first));
    TRY(rk_scratch(env, o->n, sizeof *codes, &codes));
    TRY(rk_scratch(env, room, sizeof *d.labels, &d.labels));
    TRY(rk_scratch(env, 3 * room, sizeof *d.ends, &d.ends));
    TRY(rk_scratch(env, o->max_vertices, sizeof *d.degree, &d.degree));
    for (d.row = 0; d.row < o->n; d.row++) {
        if (d.row % LOOK == 0) TRY(rk_progress(env, "sample", d.row, o->n));
        d.draws = 0;
        int64_t size = LEAST + draw_below(&d, o->max_vertices - LEAST + 1);
        codes[d.row] = d.row % 2;
        draw_graph(&d, size, d.row % 2 == 1);
        d.first[d.row + 1] = d.first[d.row] + size;
    }
    TRY(rk_data_graphs_new(env, "edge", o->n, d.first, d.edges, d.ends, d.labels, NULL, &x));
    TRY(rk_labels_new(env, codes, o->n, names, 2, &x->labels));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "n", .kind = RK_INT, .offset = offsetof(molecules, n), .value = "200", .min = 2, .max = 1e9,
     .brief = "number of graphs"},
    {.name = "max_vertices", .aliases = "most", .kind = RK_INT, .offset = offsetof(molecules, max_vertices),
     .value = "24", .min = LEAST, .max = 1e6,
     .brief = "number of vertices of the largest graphs; the smallest have 8"},
    {0},
};
/* clang-format on */

const rk_sample_type rk_sample_molecules = {
    .entry = {"molecules", "graphs like small molecules, with labelled vertices; half are trees, half have rings", NULL, NULL,
              params, sizeof(molecules)},
    .draw = draw_molecules,
};
