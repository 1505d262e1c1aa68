/* Graphs as data, and the formats that hold them. */
#include "files.h"

#include "data/data.h"

/* A path 0 - 1 - 2 with labels, a single vertex, and an edge. */
static const int64_t sizes[] = {3, 1, 2}, edge_counts[] = {3, 0, 2};
static const int64_t ends[] = {1, 0, 2, 1, 1, 2, /* the second one again */ 0, 1, 1, 0};
static const int64_t labels[] = {7, -7, 7, INT64_MAX, INT64_MIN, 0}, bonds[] = {5, 6, 6, 1, 1};

static rkhs_data *some_graphs(rkhs_env *env) {
    rkhs_data *x;
    OK(env, rkhs_data_graphs(env, 3, sizes, edge_counts, ends, labels, bonds, &x));
    return x;
}

static void edges_stand_at_both_ends_once(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x = some_graphs(env);
    rkhs_graph g;
    assert_string_equal(rkhs_data_kind(x), "graph");
    assert_int_equal(rkhs_data_rows(x), 3);
    assert_int_equal(rkhs_data_columns(x), 1);
    assert_true(rkhs_data_graph(x, 0, &g));
    assert_int_equal(g.vertices, 3);
    assert_memory_equal(g.labels, labels, 3 * sizeof *labels);
    assert_int_equal(g.starts[3] - g.starts[0], 4);
    assert_memory_equal(g.neighbours + g.starts[0], ((int32_t[]){1, 0, 2, 1}), 4 * sizeof(int32_t));
    assert_memory_equal(g.edge_labels + g.starts[0], ((int64_t[]){5, 5, 6, 6}), 4 * sizeof(int64_t));
    assert_true(rkhs_data_graph(x, 1, &g));
    assert_int_equal(g.vertices, 1);
    assert_int_equal(g.starts[1], g.starts[0]);
    assert_true(rkhs_data_graph(x, 2, &g));
    assert_memory_equal(g.neighbours + g.starts[0], ((int32_t[]){1, 0}), 2 * sizeof(int32_t));
    assert_false(rkhs_data_graph(x, 3, &g) || rkhs_data_graph(x, -1, &g) || rkhs_data_graph(NULL, 0, &g));
    rkhs_data_free(x);
    OK(env, rkhs_data_graphs(env, 1, sizes, edge_counts + 1, NULL, NULL, NULL, &x));
    assert_true(rkhs_data_graph(x, 0, &g) && !g.labels && !g.edge_labels);
    rkhs_data_free(x);
}

static void same_graphs(const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j) {
    rkhs_graph a, b;
    assert_true(rkhs_data_graph(x, i, &a) && rkhs_data_graph(y, j, &b));
    assert_int_equal(a.vertices, b.vertices);
    assert_int_equal(a.labels == NULL, b.labels == NULL);
    assert_int_equal(a.edge_labels == NULL, b.edge_labels == NULL);
    for (int64_t v = 0; v < a.vertices; v++) {
        int64_t degree = a.starts[v + 1] - a.starts[v];
        assert_int_equal(degree, b.starts[v + 1] - b.starts[v]);
        if (a.labels) assert_true(a.labels[v] == b.labels[v]);
        for (int64_t q = 0; q < degree; q++) {
            assert_int_equal(a.neighbours[a.starts[v] + q], b.neighbours[b.starts[v] + q]);
            if (a.edge_labels) assert_true(a.edge_labels[a.starts[v] + q] == b.edge_labels[b.starts[v] + q]);
        }
    }
}

static void subsets_take_graphs_in_any_order(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    const int64_t index[] = {2, 0, 1, 0};
    rkhs_data *x = some_graphs(env), *part;
    OK(env, rkhs_data_subset(x, index, 4, &part));
    for (int64_t i = 0; i < 4; i++) same_graphs(part, i, x, index[i]);
    rkhs_data_free(part);
    rkhs_data_free(x);
}

typedef struct remarks {
    int count;
    char last[256];
} remarks;

static void take_remark(rkhs_log_level level, const char *sentence, void *payload) {
    remarks *r = payload;
    r->count++;
    snprintf(r->last, sizeof r->last, "%s", sentence);
}

static void edges_to_oneself_are_left_out_and_said(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    const int64_t loops[] = {0, 0, 0, 1, 1, 1};
    remarks r = {0};
    rkhs_data *x;
    rkhs_graph g;
    rkhs_env_set_log(env, take_remark, &r);
    OK(env, rkhs_data_graphs(env, 1, (int64_t[]){2}, (int64_t[]){3}, loops, NULL, NULL, &x));
    assert_true(rkhs_data_graph(x, 0, &g));
    assert_int_equal(g.starts[2], 2);
    assert_int_equal(r.count, 1);
    assert_true(says(r.last, "edges | itself | left out | 2"));
    rkhs_data_free(x);
}

static void graphs_that_cannot_be_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    const int64_t one[] = {1}, two[] = {2}, none[] = {0}, less[] = {-1}, many[] = {(int64_t)INT32_MAX + 1}, all[] = {INT64_MAX};
    FAILS(env, RKHS_ERR_DATA, "data of no graphs", rkhs_data_graphs(env, 0, two, one, ends, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "graph 1 | 0 vertices", rkhs_data_graphs(env, 1, none, none, ends, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "has 2147483648 vertices", rkhs_data_graphs(env, 1, many, none, ends, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "has -1 edges", rkhs_data_graphs(env, 1, two, less, ends, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "which cannot be", rkhs_data_graphs(env, 1, two, all, ends, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "no ends of edges", rkhs_data_graphs(env, 1, two, one, NULL, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "graph 1 | edge 1 | vertex 2 | 0 to 1",
          rkhs_data_graphs(env, 1, two, one, (int64_t[]){0, 2}, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "ends at vertex -1", rkhs_data_graphs(env, 1, two, one, (int64_t[]){-1, 0}, NULL, NULL, &x));
    FAILS(env, RKHS_ERR_DATA, "edge 2 | same | label is 4 | not 3",
          rkhs_data_graphs(env, 1, two, two, (int64_t[]){0, 1, 1, 0}, NULL, (int64_t[]){3, 4}, &x));
    FAILS(env, RKHS_ERR_ARGUMENT, "variable for the data", rkhs_data_graphs(env, 1, two, one, ends, NULL, NULL, NULL));
}

/* ---- model files ----------------------------------------------------------------------------------------------- */

static rkhs_status load_back(rkhs_env *env, rkhs_data **x) {
    rk_archive *a;
    *x = NULL;
    OK(env, rk_archive_read(env, "g.npz", &a));
    rkhs_status status = rk_data_load(env, a, "x/", x);
    rk_archive_free(a);
    return status;
}

static void a_file_gives_back_the_same_graphs(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *all[2], *y;
    rk_archive *a;
    all[0] = some_graphs(env);
    OK(env, rkhs_data_graphs(env, 1, sizes, edge_counts + 1, NULL, NULL, NULL, &all[1])); /* no edges, no labels */
    for (int k = 0; k < 2; k++) {
        OK(env, rk_archive_new(env, &a));
        OK(env, rk_data_save(all[k], a, "x/"));
        OK(env, rk_archive_write(a, "g.npz"));
        rk_archive_free(a);
        OK(env, load_back(env, &y));
        assert_int_equal(y->rows, all[k]->rows);
        for (int64_t i = 0; i < y->rows; i++) same_graphs(all[k], i, y, i);
        rkhs_data_free(y);
        rkhs_data_free(all[k]);
    }
}

static void arrays_that_do_not_fit_are_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    static const struct {
        int64_t first[3], starts[5], neighbours[4], labels, bonds[4];
    } good = {{0, 2, 3}, {0, 1, 2, 2}, {1, 0}, 3, {9, 9}};
    for (int k = 0; k < 17; k++) {
        int64_t first[3], starts[4], neighbours[2], bond[2], names[4] = {0}, count = 3;
        memcpy(first, good.first, sizeof first);
        memcpy(starts, good.starts, sizeof starts);
        memcpy(neighbours, good.neighbours, sizeof neighbours);
        memcpy(bond, good.bonds, sizeof bond);
        switch (k) {
        case 1: first[0] = 1; break;
        case 2: first[1] = 0; break; /* no vertex */
        case 3: first[1] = INT64_MAX; break;
        case 4: first[1] = INT64_MIN; break;
        case 5: first[2] = 4; break;
        case 6: starts[0] = -1; break;
        case 7: starts[1] = 3; break;
        case 8: starts[1] = INT64_MAX; break;
        case 9: starts[3] = 3; break;
        case 10: neighbours[0] = 2; break; /* of another graph */
        case 11: neighbours[0] = 0; break; /* itself */
        case 12: neighbours[1] = -1; break;
        case 13: neighbours[1] = (int64_t)1 << 32; break;
        case 14: starts[1] = 2; break; /* both at one end */
        case 15: bond[1] = 8; break;   /* the two ends say different */
        case 16: count = 4; break;     /* a label too many */
        }
        rk_archive *a;
        OK(env, rk_archive_new(env, &a));
        OK(env, rk_archive_put_text(a, "x/kind", "graph"));
        OK(env, rk_archive_put(a, "x/first", &(rk_array){'q', 1, {3}, first}));
        OK(env, rk_archive_put(a, "x/starts", &(rk_array){'q', 1, {4}, starts}));
        OK(env, rk_archive_put(a, "x/neighbours", &(rk_array){'q', 1, {2}, neighbours}));
        OK(env, rk_archive_put(a, "x/labels", &(rk_array){'q', 1, {count}, names}));
        OK(env, rk_archive_put(a, "x/edge_labels", &(rk_array){'q', 1, {2}, bond}));
        OK(env, rk_archive_write(a, "g.npz"));
        rk_archive_free(a);
        if (k == 0)
            OK(env, load_back(env, &x));
        else
            FAILS(env, RKHS_ERR_FORMAT, "graphs | 'x/'", load_back(env, &x));
        rkhs_data_free(x);
    }
}

/* ---- gin ------------------------------------------------------------------------------------------------------- */

static const char gin_text[] = "3\n3 4\n7 1 1\n-7 2 0 2\n7 1 1\n1 -2\n5 0\n2 4\n1 1 1\n2 0\n"; /* one-ended edge */

static void gin_is_read_and_written(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *y, *z;
    rkhs_graph g;
    int64_t classes;
    put_text("a.gin", gin_text);
    OK(env, rkhs_data_read(env, "a.gin", NULL, &x));
    assert_int_equal(x->rows, 3);
    assert_true(rkhs_data_graph(x, 0, &g));
    assert_memory_equal(g.labels, ((int64_t[]){7, -7, 7}), 3 * sizeof(int64_t));
    assert_memory_equal(g.neighbours + g.starts[0], ((int32_t[]){1, 0, 2, 1}), 4 * sizeof(int32_t));
    assert_true(rkhs_data_graph(x, 2, &g));
    assert_memory_equal(g.neighbours + g.starts[0], ((int32_t[]){1, 0}), 2 * sizeof(int32_t));
    const int64_t *codes = rkhs_data_codes(rkhs_data_labels(x), &classes);
    assert_int_equal(classes, 2);
    assert_memory_equal(codes, ((int64_t[]){1, 0, 1}), 3 * sizeof(int64_t));
    OK(env, rkhs_data_write(x, "b.gin", NULL));
    OK(env, rkhs_data_read(env, "b.gin", NULL, &y));
    for (int64_t i = 0; i < 3; i++) same_graphs(x, i, y, i);
    assert_string_equal(rkhs_data_class_name(rkhs_data_labels(y), 0), "-2");
    rkhs_data_free(y);
    OK(env, rkhs_data_read(env, "b.gin", "gin(tags=false)", &y));
    assert_true(rkhs_data_graph(y, 0, &g) && !g.labels);
    rkhs_data_free(y);
    OK(env, rkhs_data_read_labels(env, "a.gin", NULL, &z));
    assert_memory_equal(rkhs_data_codes(z, NULL), ((int64_t[]){1, 0, 1}), 3 * sizeof(int64_t));
    rkhs_data_free(z);
    FAILS(env, RKHS_ERR_DATA, "graph | npy", rkhs_data_write(x, "x.npy", NULL));
    FAILS(env, RKHS_ERR_FORMAT, "tu | not written", rkhs_data_write(x, "x_A.txt", "tu"));
    rkhs_data_free(x);
    assert_int_equal(files_count(), 2);
}

static void damaged_gin_is_refused_by_line(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"", "bad.gin: the file is empty"},
        {"\n", "the file is empty"},
        {"0\n", "line 1 says 0 graphs"},
        {"-3\n", "line 1 says -3 graphs"},
        {"x\n", "line 1 | 'x' | graphs"},
        {"1.5\n", "line 1 | '1.5' | graphs"},
        {"99999999999999999999\n", "line 1: 99999999999999999999 is past 2^63"},
        {"1 2\n", "line 1 | '2' | graphs"},
        {"2\n1 0\n0 0\n", "2 graphs | after 1"},
        {"9223372036854775807\n1 0\n0 0\n", "9223372036854775807 graphs | after 1"},
        {"1\n0 1\n", "line 2 | graph 1 | 0 vertices"},
        {"1\n-1 1\n", "has -1 vertices"},
        {"1\n9999999999 1\n", "has 9999999999 vertices"},
        {"1\n2147483647 1\n0 0\n", "graph 1 | 2147483647 vertices | after 1"},
        {"1\n1\n0 0\n", "line 2 | class | graph"},
        {"1\n1 0 0\n0 0\n", "line 2 | '0' | class | graph"},
        {"1\n2 0\n0 1 2\n0 0\n", "line 3 | vertex 0 | neighbour 2 | 0 to 1"},
        {"1\n2 0\n0 1 -1\n0 0\n", "has the neighbour -1"},
        {"1\n2 0\n0 2 1\n0 0\n", "line 3 | neighbour"},
        {"1\n2 0\n0 9223372036854775807 1\n0 0\n", "line 3 | neighbour"},
        {"1\n2 0\n0 -1\n0 0\n", "line 3 | degree | -1"},
        {"1\n2 0\n0 1 1 0.5\n0 0\n", "line 3 | '0.5' | neighbours"},
        {"1\n1 0\n0 0\n1 0\n", "line 1 | 1 graph | line 4"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put_text("bad.gin", bad[k].text);
        FAILS(env, RKHS_ERR_DATA, bad[k].part, rkhs_data_read(env, "bad.gin", NULL, &x));
        FAILS(env, RKHS_ERR_DATA, bad[k].part, rkhs_data_read_labels(env, "bad.gin", NULL, &x));
    }
    put_bytes("bad.gin", "1\n1 0\n\0 0\n", 10);
    FAILS(env, RKHS_ERR_FORMAT, "line 3 | zero", rkhs_data_read(env, "bad.gin", NULL, &x));
    for (size_t cut = 0; cut < sizeof gin_text - 2; cut++) { /* cut anywhere: a sentence, or a file that is whole */
        put_bytes("bad.gin", gin_text, cut);
        if (rkhs_data_read(env, "bad.gin", NULL, &x) == RKHS_OK)
            rkhs_data_free(x);
        else
            assert_true(rkhs_env_message(env)[0]);
    }
}

/* ---- tu -------------------------------------------------------------------------------------------------------- */

/* The files of a set; NULL: there is none. */
static void put_set(const char *edges, const char *graph, const char *node, const char *edge, const char *class) {
    static const char *const names[] = {"S_A.txt", "S_graph_indicator.txt", "S_node_labels.txt", "S_edge_labels.txt",
                                        "S_graph_labels.txt"};
    const char *const texts[] = {edges, graph, node, edge, class};
    for (int k = 0; k < 5; k++) {
        unlink(names[k]);
        if (texts[k]) put_text(names[k], texts[k]);
    }
}

static void a_tu_set_is_found_by_file_name_or_folder(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const paths[] = {"S_A.txt", "S", ".", "./S"};
    rkhs_data *x, *plain;
    rkhs_graph g;
    put_set("2, 1\n1, 2\n3,2\n2 3\r\n5, 6\n6, 5\n", "1\n1\n1\n2\n3\n3\n", "7\n-7\n7\n4\n1\n2\n", "5\n5\n6\n6\n1\n1\n",
            "1\n-1\n1\n");
    for (int k = 0; k < 4; k++) {
        OK(env, rkhs_data_read(env, paths[k], "tu", &x));
        assert_int_equal(x->rows, 3);
        assert_true(rkhs_data_graph(x, 0, &g));
        assert_memory_equal(g.labels, ((int64_t[]){7, -7, 7}), 3 * sizeof(int64_t));
        assert_memory_equal(g.neighbours + g.starts[0], ((int32_t[]){1, 0, 2, 1}), 4 * sizeof(int32_t));
        assert_memory_equal(g.edge_labels + g.starts[0], ((int64_t[]){5, 5, 6, 6}), 4 * sizeof(int64_t));
        assert_memory_equal(rkhs_data_codes(rkhs_data_labels(x), NULL), ((int64_t[]){1, 0, 1}), 3 * sizeof(int64_t));
        rkhs_data_free(x);
    }
    OK(env, rkhs_data_read_labels(env, "S", "tu", &x));
    assert_int_equal(x->rows, 3);
    rkhs_data_free(x);
    put_set("", "1\n2\n", NULL, NULL, NULL); /* no edges, no labels */
    OK(env, rkhs_data_read(env, "S", "tu", &plain));
    assert_true(rkhs_data_graph(plain, 1, &g) && g.vertices == 1 && !g.labels && !g.edge_labels && !rkhs_data_labels(plain));
    rkhs_data_free(plain);
    put_text("T_A.txt", "");
    FAILS(env, RKHS_ERR_FORMAT, "2 files | NAME_A.txt", rkhs_data_read(env, ".", "tu", &x));
}

static void damaged_tu_sets_are_refused_by_line(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x;
    static const struct {
        const char *edges, *graph, *node, *edge, *class, *part;
    } bad[] = {
        {"1, 4\n", "1\n1\n2\n", NULL, NULL, NULL, "S_A.txt | line 1 | edge | vertex 4 | 1 to 3"},
        {"1, 2\n0, 1\n", "1\n1\n2\n", NULL, NULL, NULL, "line 2 | edge | vertex 0"},
        {"1, 2\n2, 3\n", "1\n1\n2\n", NULL, NULL, NULL, "line 2 | edge | vertex 2 | graph 1 | vertex 3 | graph 2"},
        {"1, 2\n", "1\n1\n3\n", NULL, NULL, NULL, "S_graph_indicator.txt | line 3 | graph 3 | graph 1"},
        {"1, 2\n", "1\n2\n1\n", NULL, NULL, NULL, "line 3 | graph 1 | graph 2"},
        {"1, 2\n", "0\n0\n", NULL, NULL, NULL, "line 1 is graph 0"},
        {"1, 2\n", "2\n", NULL, NULL, NULL, "line 1 | graph 2 | graph 0"},
        {"1, 2\n", "", NULL, NULL, NULL, "S_graph_indicator.txt: the file is empty"},
        {"1\n", "1\n1\n", NULL, NULL, NULL, "S_A.txt | line 1 | vertex"},
        {"1, 2, 2\n", "1\n1\n", NULL, NULL, NULL, "line 1 | '2' | edge"},
        {"1; 2\n", "1\n1\n", NULL, NULL, NULL, "line 1 | '1;' | vertex"},
        {"1, 99999999999999999999\n", "1\n1\n", NULL, NULL, NULL, "line 1: 99999999999999999999 is past 2^63"},
        {"1, 2\n", "1\n1\n", "0\n", NULL, NULL, "S_node_labels.txt | 1 line | 2"},
        {"1, 2\n", "1\n1\n", "0\nC\n", NULL, NULL, "S_node_labels.txt | line 2 | 'C' | label | vertex"},
        {"1, 2\n", "1\n1\n", "0\n1, 2\n", NULL, NULL, "S_node_labels.txt | line 2 | '2' | label | vertex"},
        {"1, 2\n2, 1\n", "1\n1\n", NULL, "0\n1\n", NULL, "S_A.txt | line 2 | same edge | label"},
        {"1, 2\n2, 1\n", "1\n1\n", NULL, "0\n", NULL, "S_edge_labels.txt | 1 line | 2"},
        {"1, 2\n", "1\n1\n", NULL, NULL, "0\n1\n", "S_graph_labels.txt | 2 labels | 1 graph"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        put_set(bad[k].edges, bad[k].graph, bad[k].node, bad[k].edge, bad[k].class);
        FAILS(env, RKHS_ERR_DATA, bad[k].part, rkhs_data_read(env, "S_A.txt", "tu", &x));
    }
    put_set("1, 2\n", NULL, NULL, NULL, NULL);
    FAILS(env, RKHS_ERR_IO, "S_A.txt | S_graph_indicator.txt", rkhs_data_read(env, "S", "tu", &x));
    FAILS(env, RKHS_ERR_IO, "no file S_graph_labels.txt", rkhs_data_read_labels(env, "S", "tu", &x));
    FAILS(env, RKHS_ERR_IO, "cannot read none", rkhs_data_read(env, "none", "tu", &x));
    put_text("edges.txt", "1, 2\n");
    FAILS(env, RKHS_ERR_FORMAT, "edges.txt | TU | several", rkhs_data_read(env, "edges.txt", "tu", &x));
}

static void files_are_read_as_graphs_for_a_kernel_of_graphs(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_kernel *k;
    rkhs_data *x;
    put_set("1, 2\n", "1\n1\n", NULL, NULL, NULL);
    put_text("b_gin.txt", gin_text);
    OK(env, rkhs_kernel_new(env, "wl + paths", &k));
    OK(env, rkhs_data_read_for(env, "S_A.txt", NULL, k, &x));
    assert_string_equal(rkhs_data_kind(x), "graph");
    rkhs_data_free(x);
    OK(env, rkhs_data_read_for(env, "b_gin.txt", NULL, k, &x));
    assert_string_equal(rkhs_data_kind(x), "graph");
    rkhs_data_free(x);
    OK(env, rkhs_data_read(env, "S_A.txt", NULL, &x)); /* and where nothing else is asked for */
    assert_string_equal(rkhs_data_kind(x), "graph");
    rkhs_data_free(x);
    rkhs_kernel_free(k);
    OK(env, rkhs_kernel_new(env, "rbf", &k));
    OK(env, rkhs_data_read_for(env, "S_A.txt", NULL, k, &x)); /* for one of numbers it is a table */
    assert_string_equal(rkhs_data_kind(x), "dense");
    rkhs_data_free(x);
    rkhs_kernel_free(k);
}

/* ---- the sample ------------------------------------------------------------------------------------------------ */

static int64_t edges_of(const rkhs_graph *g) { return (g->starts[g->vertices] - g->starts[0]) / 2; }

static void molecules_are_trees_and_rings(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *more;
    rkhs_graph g;
    OK(env, rkhs_data_sample(env, "molecules(n=60)", &x));
    OK(env, rkhs_data_sample(env, "molecules(n=20)", &more));
    for (int64_t i = 0; i < 20; i++) same_graphs(x, i, more, i); /* a row depends on its number alone */
    for (int64_t i = 0; i < 60; i++) {
        assert_true(rkhs_data_graph(x, i, &g));
        assert_true(g.vertices >= 8 && g.vertices <= 24);
        int64_t code = rkhs_data_codes(rkhs_data_labels(x), NULL)[i];
        assert_int_equal(code, i % 2);
        assert_true(code ? edges_of(&g) >= g.vertices : edges_of(&g) == g.vertices - 1);
        for (int64_t v = 0; v < g.vertices; v++) assert_in_range(g.starts[v + 1] - g.starts[v], 1, 5);
    }
    rkhs_data_free(x);
    rkhs_data_free(more);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(edges_stand_at_both_ends_once),
        FILES_TEST(subsets_take_graphs_in_any_order),
        FILES_TEST(edges_to_oneself_are_left_out_and_said),
        FILES_TEST(graphs_that_cannot_be_are_refused),
        FILES_TEST(a_file_gives_back_the_same_graphs),
        FILES_TEST(arrays_that_do_not_fit_are_refused),
        FILES_TEST(gin_is_read_and_written),
        FILES_TEST(damaged_gin_is_refused_by_line),
        FILES_TEST(a_tu_set_is_found_by_file_name_or_folder),
        FILES_TEST(damaged_tu_sets_are_refused_by_line),
        FILES_TEST(files_are_read_as_graphs_for_a_kernel_of_graphs),
        FILES_TEST(molecules_are_trees_and_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
