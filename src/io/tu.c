/* tu.c: the format "tu", graph data sets of the TUDataset collection (TU Dortmund), each in several files.
 *
 *     NAME_A.txt                a line for each edge, "u, v": vertices, counted from 1 over all graphs
 *     NAME_graph_indicator.txt  a line for each vertex: its graph, counted from 1, ascending
 *     NAME_node_labels.txt      (optional) a line for each vertex: its label
 *     NAME_edge_labels.txt      (optional) a line for each line of NAME_A.txt: the label of the edge
 *     NAME_graph_labels.txt     (optional) a line for each graph: its class
 *
 * Each may be gzipped, as .txt.gz. The path of a data set is that of NAME_A.txt, the same without _A.txt, or its
 * folder, if that holds one data set only. Files of attributes are ignored. */
#include "io/io.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the path exists and is a folder, or is not one. */
static int is_there(const char *path, int folder) {
    struct stat st;
    return stat(path, &st) == 0 && (S_ISDIR(st.st_mode) != 0) == folder;
}

/* The length of a path without the ending _A.txt or _A.txt.gz; -1 if it has neither. */
static int stem_of(const char *path) {
    static const char *const ends[] = {"_A.txt", "_A.txt.gz"};
    int length = (int)strlen(path);
    for (int i = 0; i < 2; i++) {
        int end = (int)strlen(ends[i]);
        if (length > end && strcmp(path + length - end, ends[i]) == 0) return length - end;
    }
    return -1;
}

/* The path of the only file in a folder that ends in _A.txt or _A.txt.gz, on the scratch list. */
static rkhs_status look_in(rkhs_env *env, const char *folder, const char **file) {
    rkhs_status status = RKHS_OK;
    size_t room = strlen(folder) + 300;
    DIR *dir = opendir(folder);
    char *found;
    int count = 0;
    if (!dir) FAIL(env, RKHS_ERR_IO, "cannot read the folder %s: look at its permissions", folder);
    TRY(rk_scratch(env, (int64_t)room, 1, &found));
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.' && stem_of(e->d_name) > 0 && count++ == 0) snprintf(found, room, "%s/%s", folder, e->d_name);
    if (count != 1)
        FAIL(env, RKHS_ERR_FORMAT, "%s: the folder has %s NAME_A.txt: give the path of the one that is meant", folder,
             rk_counted(count, "file").text);
    *file = found;
done:
    if (dir) closedir(dir);
    return status;
}

/* The file of edges of the data set at `path`. */
static rkhs_status find_tu(rkhs_env *env, const char *path, const char **file) {
    rkhs_status status = RKHS_OK;
    size_t room = strlen(path) + 16;
    char *name;
    *file = path;
    if (is_there(path, 1)) return look_in(env, path, file);
    if (is_there(path, 0)) return RKHS_OK;
    TRY(rk_scratch(env, (int64_t)room, 1, &name));
    for (int zipped = 0; zipped < 2; zipped++) {
        snprintf(name, room, "%s_A.txt%s", path, zipped ? ".gz" : "");
        if (is_there(name, 0)) {
            *file = name;
            break;
        }
    }
done:
    return status;
}

/* A data set that is being read. */
typedef struct set {
    rkhs_env *env;
    const char *path; /* of the file of edges */
    int stem;         /* length of the path without _A.txt */
    int64_t graphs, vertices, edges;
    int64_t *first; /* graphs + 1 */
    int64_t *graph; /* of each vertex, from 1 */
    int64_t *ends, *labels, *edge_labels;
} set;

/* Opens NAME_<part>.txt or .txt.gz. *in is NULL if there is none and it is not needed. */
static rkhs_status open_part(const set *s, const char *part, int needed, rk_input **in) {
    rkhs_status status = RKHS_OK;
    size_t room = strlen(s->path) + strlen(part) + 16;
    char *name;
    *in = NULL;
    TRY(rk_scratch(s->env, (int64_t)room, 1, &name));
    for (int zipped = 0; zipped < 2; zipped++) {
        snprintf(name, room, "%.*s_%s.txt%s", s->stem, s->path, part, zipped ? ".gz" : "");
        if (is_there(name, 0)) return rk_input_open(s->env, name, in);
    }
    if (needed)
        TRY(rk_fail_hint(s->env, RKHS_ERR_IO, "format",
                         "%s: the set has no file %.*s_%s.txt beside it: a TU set needs one; of other text name the format",
                         s->path, s->stem, s->path, part));
done:
    return status;
}

/* Reads one integer per line to the scratch list; *lines is how many. Fails unless they are `count` (-1: any number).
 * If the file is optional and absent, *out is unchanged. */
static rkhs_status read_column(const set *s, const char *part, int needed, const char *what, int64_t count, int64_t **out,
                               int64_t *lines) {
    rkhs_status status = RKHS_OK;
    rk_integer_lines w = {.env = NULL};
    rk_input *in = NULL;
    int64_t at = 0;
    TRY(open_part(s, part, needed, &in));
    if (!in) goto done;
    TRY(rk_integer_lines_open(s->env, in, &w));
    *lines = rk_integer_lines_count(&w);
    if (count >= 0 && *lines != count)
        FAIL(s->env, RKHS_ERR_DATA, "%s: it has %s, and %lld are needed, %s for each: give the files of one set", w.name,
             rk_counted(*lines, "line").text, (long long)count, what);
    TRY(rk_scratch(s->env, *lines, sizeof **out, out));
    while (rk_integer_lines_next(&w)) {
        TRY(rk_integer_lines_take(&w, what, &(*out)[at++]));
        TRY(rk_integer_lines_done(&w, what));
        if (at % 4096 == 0) TRY(rk_progress(s->env, "parse", at, *lines));
    }
done:
    if (w.env) rk_integer_lines_close(&w);
    rk_input_close(in);
    return status;
}

/* Reads the graph of each vertex, and sets graphs, vertices and first. */
static rkhs_status read_indicator(set *s) {
    rkhs_status status = RKHS_OK;
    int64_t last = 0;
    TRY(read_column(s, "graph_indicator", 1, "the graph of a vertex", -1, &s->graph, &s->vertices));
    if (!s->vertices) FAIL(s->env, RKHS_ERR_DATA, "%s: the set has no vertices: give a set with data", s->path);
    for (int64_t v = 0; v < s->vertices; v++) {
        int64_t i = s->graph[v];
        if (i != last && i != last + 1) {
            const char *why = i > last ? "a graph without vertices stands between them: leave its number out"
                                       : "count graphs from 1, the vertices of each one after another";
            FAIL(s->env, RKHS_ERR_DATA, "%.*s_graph_indicator.txt: line %lld is graph %lld, after graph %lld: %s", s->stem,
                 s->path, (long long)v + 1, (long long)i, (long long)last, why);
        }
        if (!i)
            FAIL(s->env, RKHS_ERR_DATA, "%.*s_graph_indicator.txt: line %lld is graph 0: count graphs from 1", s->stem, s->path,
                 (long long)v + 1);
        last = i;
    }
    s->graphs = last;
    TRY(rk_scratch(s->env, s->graphs + 1, sizeof *s->first, &s->first));
    for (int64_t v = 0; v < s->vertices; v++) s->first[s->graph[v]] = v + 1;
done:
    return status;
}

/* Reads one edge; both ends must be in one graph. */
static rkhs_status read_edge(set *s, rk_integer_lines *w, int64_t *ends) {
    rkhs_status status = RKHS_OK;
    for (int side = 0; side < 2; side++) {
        TRY(rk_integer_lines_take(w, "a vertex", &ends[side]));
        if (ends[side] < 1 || ends[side] > s->vertices)
            FAIL(s->env, RKHS_ERR_DATA,
                 "%s: line %lld: an edge ends at vertex %lld, and there are the vertices 1 to %lld: correct it, or add the "
                 "vertex to the graph_indicator file",
                 w->name, (long long)w->line, (long long)ends[side], (long long)s->vertices);
        ends[side]--;
    }
    TRY(rk_integer_lines_done(w, "the two vertices of an edge"));
    if (s->graph[ends[0]] != s->graph[ends[1]])
        FAIL(
            s->env, RKHS_ERR_DATA,
            "%s: line %lld: the edge joins vertex %lld of graph %lld and vertex %lld of graph %lld: an edge stays in one graph",
            w->name, (long long)w->line, (long long)ends[0] + 1, (long long)s->graph[ends[0]], (long long)ends[1] + 1,
            (long long)s->graph[ends[1]]);
done:
    return status;
}

/* Reads the edges. An empty file has none. */
static rkhs_status read_edges(set *s, rk_input *in) {
    rkhs_status status = RKHS_OK;
    rk_integer_lines w = {.env = NULL};
    char byte;
    size_t got;
    TRY(rk_input_peek(in, &byte, 1, &got));
    if (!got) return RKHS_OK;
    TRY(rk_integer_lines_open(s->env, in, &w));
    TRY(rk_scratch(s->env, 2 * rk_integer_lines_count(&w), sizeof *s->ends, &s->ends));
    while (rk_integer_lines_next(&w)) {
        TRY(read_edge(s, &w, s->ends + 2 * s->edges));
        if (++s->edges % 4096 == 0) TRY(rk_progress(s->env, "parse", w.at - w.bytes, w.end - w.bytes));
    }
done:
    if (w.env) rk_integer_lines_close(&w);
    return status;
}

/* Sets the path and the stem from the file of edges. */
static rkhs_status begin(rkhs_env *env, const rk_input *in, set *s) {
    *s = (set){.env = env, .path = rk_input_name(in)};
    s->stem = stem_of(s->path);
    if (s->stem >= 0) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_FORMAT,
                   "%s: a TU set is several files: give the path of the one that ends in _A.txt, what "
                   "stands before that, or the folder",
                   s->path);
}

/* Reads the classes of the graphs. *labels is unchanged if the file is optional and absent. */
static rkhs_status read_classes(const set *s, int needed, rkhs_data **labels) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    TRY(open_part(s, "graph_labels", needed, &in));
    if (!in) goto done;
    TRY(rk_format_lines.read_labels(s->env, NULL, in, labels));
done:
    rk_input_close(in);
    return status;
}

static rkhs_status read_tu(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = NULL;
    rk_text where = {.env = env};
    set s;
    int64_t lines;
    TRY(begin(env, in, &s));
    TRY(read_indicator(&s));
    TRY(read_edges(&s, in));
    TRY(read_column(&s, "node_labels", 0, "the label of a vertex", s.vertices, &s.labels, &lines));
    if (s.edges) TRY(read_column(&s, "edge_labels", 0, "the label of an edge", s.edges, &s.edge_labels, &lines));
    TRY(rk_text_add(&where, "%s: line", s.path));
    TRY(rk_data_graphs_new(env, where.s, s.graphs, s.first, s.edges, s.ends, s.labels, s.edge_labels, &x));
    TRY(read_classes(&s, 0, &x->labels));
    if (x->labels && x->labels->rows != s.graphs)
        FAIL(env, RKHS_ERR_DATA, "%.*s_graph_labels.txt: %s for %s: give the files of one set", s.stem, s.path,
             rk_counted(x->labels->rows, "label").text, rk_counted(s.graphs, "graph").text);
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_free(env, where.s);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status read_labels_tu(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    set s;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_status status = begin(env, in, &s);
    if (status == RKHS_OK) status = read_classes(&s, 1, out);
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
const rk_format_type rk_format_tu = {
    .entry = {.name = "tu",
              .brief = "graphs in the format of the TU datasets, several text files: NAME_A.txt (edges), "
                       "NAME_graph_indicator.txt, labels; give NAME_A.txt, NAME or the folder"},
    .endings = "_A.txt", .kinds = RK_KIND_GRAPH, .find = find_tu, .read = read_tu, .read_labels = read_labels_tu,
};
/* clang-format on */
