/* gin.c: the format "gin", labelled graphs in one text file, as published with graph isomorphism networks.
 *
 *     2                 number of graphs
 *     3 1               for each graph: number of vertices, class
 *     0 1 1             for each vertex: label, degree, neighbours (counted from 0)
 *     6 2 0 2
 *     0 1 1
 *     ...
 *
 * Edges have no labels. Graphs are undirected: an edge may be listed at one of its ends only. */
#include "io/io.h"

#include <stdio.h>

typedef struct gin {
    int tags;
} gin;

/* What is read so far. Arrays grow as lines are read: counts in the file are not trusted. */
typedef struct sheet {
    rk_integer_lines w;
    int64_t *first, *classes, graphs; /* first: graphs + 1 */
    int64_t *labels, vertices;
    int64_t *ends, edges;
    int64_t graph_room, vertex_room, edge_room;
} sheet;

/* Doubles the room of an array, of `each` numbers per element, if element `count` does not fit. */
static rkhs_status grow(rkhs_env *env, int64_t count, int64_t each, int64_t *room, int64_t **values) {
    if (count < *room) return RKHS_OK;
    int64_t more = rk_max(64, 2 * *room);
    rkhs_status status = rk_realloc(env, more * each, sizeof **values, values);
    if (status == RKHS_OK) *room = more;
    return status;
}

/* Reads the line of vertex v: label, degree and neighbours. */
static rkhs_status read_vertex(sheet *s, int64_t v, int64_t size) {
    rkhs_status status = RKHS_OK;
    rk_integer_lines *w = &s->w;
    int64_t degree, u;
    if (!rk_integer_lines_next(w))
        FAIL(w->env, RKHS_ERR_DATA, "%s: graph %lld (counted from 1) has %s, and the file ends after %lld: add them", w->name,
             (long long)s->graphs + 1, rk_counted(size, "vertex").text, (long long)v);
    TRY(grow(w->env, s->vertices, 1, &s->vertex_room, &s->labels));
    TRY(rk_integer_lines_take(w, "the label of a vertex", &s->labels[s->vertices]));
    TRY(rk_integer_lines_take(w, "the degree of a vertex", &degree));
    if (degree < 0)
        FAIL(w->env, RKHS_ERR_DATA, "%s: line %lld: the degree is %lld: count the neighbours", w->name, (long long)w->line,
             (long long)degree);
    for (int64_t q = 0; q < degree; q++) {
        TRY(rk_integer_lines_take(w, "a neighbour", &u));
        if (u < 0 || u >= size)
            FAIL(w->env, RKHS_ERR_DATA,
                 "%s: line %lld: vertex %lld has the neighbour %lld, and the graph has vertices 0 to %lld: correct it", w->name,
                 (long long)w->line, (long long)v, (long long)u, (long long)size - 1);
        TRY(grow(w->env, s->edges, 2, &s->edge_room, &s->ends));
        s->ends[2 * s->edges] = s->first[s->graphs] + v;
        s->ends[2 * s->edges++ + 1] = s->first[s->graphs] + u;
    }
    TRY(rk_integer_lines_done(w, "the neighbours"));
    s->vertices++;
    if (s->vertices % 4096 == 0) TRY(rk_progress(w->env, "parse", w->at - w->bytes, w->end - w->bytes));
done:
    return status;
}

/* Reads a graph: size, class and vertices. */
static rkhs_status read_graph(sheet *s, int64_t graphs) {
    rkhs_status status = RKHS_OK;
    rk_integer_lines *w = &s->w;
    int64_t size;
    if (!rk_integer_lines_next(w))
        FAIL(w->env, RKHS_ERR_DATA, "%s: its first line says %s, and the file ends after %lld: correct it", w->name,
             rk_counted(graphs, "graph").text, (long long)s->graphs);
    int64_t room = s->graph_room;
    TRY(grow(w->env, s->graphs + 1, 1, &room, &s->first));
    TRY(grow(w->env, s->graphs + 1, 1, &s->graph_room, &s->classes));
    TRY(rk_integer_lines_take(w, "the number of vertices", &size));
    TRY(rk_integer_lines_take(w, "the class of the graph", &s->classes[s->graphs]));
    TRY(rk_integer_lines_done(w, "the class of the graph"));
    if (size < 1 || size > INT32_MAX)
        FAIL(w->env, RKHS_ERR_DATA,
             "%s: line %lld: graph %lld (counted from 1) has %s: leave out graphs without any, and give at most %d", w->name,
             (long long)w->line, (long long)s->graphs + 1, rk_counted(size, "vertex").text, INT32_MAX);
    for (int64_t v = 0; v < size; v++) TRY(read_vertex(s, v, size));
    s->first[++s->graphs] = s->vertices;
done:
    return status;
}

static rkhs_status read_sheet(rkhs_env *env, rk_input *in, sheet *s) {
    rkhs_status status = RKHS_OK;
    rk_integer_lines *w = &s->w;
    int64_t graphs;
    TRY(rk_integer_lines_open(env, in, w));
    if (!rk_integer_lines_next(w)) FAIL(env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", w->name);
    TRY(rk_integer_lines_take(w, "the number of graphs", &graphs));
    TRY(rk_integer_lines_done(w, "the number of graphs"));
    if (graphs < 1)
        FAIL(env, RKHS_ERR_DATA, "%s: line 1 says %s: give a file with data", w->name, rk_counted(graphs, "graph").text);
    for (int64_t i = 0; i < graphs; i++) TRY(read_graph(s, graphs));
    if (rk_integer_lines_next(w))
        FAIL(env, RKHS_ERR_DATA, "%s: line 1 says %s, and line %lld is one too many: correct the number", w->name,
             rk_counted(graphs, "graph").text, (long long)w->line);
done:
    return status;
}

static void free_sheet(rkhs_env *env, sheet *s) {
    rk_free(env, s->first);
    rk_free(env, s->classes);
    rk_free(env, s->labels);
    rk_free(env, s->ends);
    if (s->w.env) rk_integer_lines_close(&s->w);
}

static rkhs_status class_labels(rkhs_env *env, const sheet *s, rkhs_data **labels) {
    enum { ROOM = 24 };
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const char **words;
    char *text;
    TRY(rk_scratch(env, s->graphs, sizeof *words, &words));
    TRY(rk_scratch(env, s->graphs, ROOM, &text));
    for (int64_t i = 0; i < s->graphs; i++) {
        words[i] = text + ROOM * i;
        snprintf(text + ROOM * i, ROOM, "%lld", (long long)s->classes[i]);
    }
    TRY(rk_labels_from_words(env, words, s->graphs, labels));
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status read_gin(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    sheet s = {.graphs = 0};
    rkhs_data *x = NULL;
    TRY(read_sheet(env, in, &s));
    TRY(rk_data_graphs_new(env, "edge", s.graphs, s.first, s.edges, s.ends, ((const gin *)self)->tags ? s.labels : NULL, NULL,
                           &x));
    TRY(class_labels(env, &s, &x->labels));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    free_sheet(env, &s);
    return status;
}

static rkhs_status read_labels_gin(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    sheet s = {.graphs = 0};
    rkhs_status status = read_sheet(env, in, &s);
    if (status == RKHS_OK) status = class_labels(env, &s, out);
    free_sheet(env, &s);
    return status;
}

/* The class of graph i as an integer: its name if that is an integer, else its code; -1 if it has no label. */
static int64_t class_of(const rkhs_data *labels, int64_t i) {
    int64_t value;
    if (!labels) return 0;
    const rk_labels *l = labels->self;
    return rk_integer_name(rk_label_text(labels, i), &value) ? value : l->codes[i];
}

static rkhs_status write_gin(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    rkhs_graph g;
    if (x->type != &rk_data_graph)
        FAIL(env, RKHS_ERR_DATA, "%s: %s data cannot be written as gin, which is for graphs: choose .npy or .csv",
             rk_output_name(out), x->type->entry.name);
    TRY(rk_output_print(out, "%lld\n", (long long)x->rows));
    for (int64_t i = 0; i < x->rows; i++) {
        rkhs_data_graph(x, i, &g);
        TRY(rk_output_print(out, "%lld %lld\n", (long long)g.vertices, (long long)class_of(x->labels, i)));
        for (int64_t v = 0; v < g.vertices; v++) {
            long long label = g.labels ? (long long)g.labels[v] : 0;
            TRY(rk_output_print(out, "%lld %lld", label, (long long)(g.starts[v + 1] - g.starts[v])));
            for (int64_t q = g.starts[v]; q < g.starts[v + 1]; q++) TRY(rk_output_print(out, " %d", g.neighbours[q]));
            TRY(rk_output_write(out, "\n", 1));
        }
        if (i % 256 == 0) TRY(rk_progress(env, "write", i, x->rows));
    }
    if (((const rk_graphs *)x->self)->edge_labels)
        rk_log(env, RKHS_LOG_ADVICE, "%s: the format gin cannot hold labels of edges: they are left out", rk_output_name(out));
    if (x->labels && rk_labels_count_known(x->labels) < x->rows)
        rk_log(env, RKHS_LOG_ADVICE, "%s: the format gin cannot hold graphs without a class: they have the class -1",
               rk_output_name(out));
done:
    return status;
}

static const rk_param params[] = {{.name = "tags",
                                   .kind = RK_BOOL,
                                   .offset = offsetof(gin, tags),
                                   .value = "true",
                                   .brief = "the first number of a vertex is its label; false: vertices have no labels"},
                                  {.name = NULL}};

/* clang-format off */
const rk_format_type rk_format_gin = {
    .entry = {.name = "gin",
              .brief = "graphs in one text file: the number of graphs; then for each graph a line with its number of vertices "
                       "and its class, and a line for each vertex",
              .params = params, .size = sizeof(gin)},
    .endings = ".gin _gin.txt", .kinds = RK_KIND_GRAPH, .pipe = RK_KIND_GRAPH, .read = read_gin,
    .read_labels = read_labels_gin, .write = write_gin,
};
/* clang-format on */
