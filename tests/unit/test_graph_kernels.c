/* Graph kernels against what they are defined to be: no colours, no dictionaries; every pair of vertices, every
 * triple. */
#include "env.h"

#include "kernel/kernel.h"

enum { N = 14, MOST = 8, ALL = N * MOST };

/* Graphs as matrices, for the definitions. joined: 0, or 1 + the label of the edge. */
typedef struct plain {
    int64_t size[N], label[N][MOST];
    int64_t joined[N][MOST][MOST];
} plain;

static double uniform(uint64_t row, uint64_t index) { return rk_uniform(11, RK_STREAM_TEST, row, index); }

/* Random graphs; some have one or two vertices, some no edges. */
static void make_graphs(plain *p, int labels, int bonds) {
    uint64_t draw = 0;
    memset(p, 0, sizeof *p);
    for (uint64_t i = 0; i < N; i++) {
        double density = i % 5 == 4 ? 0 : 0.2 + 0.4 * uniform(i, draw++);
        p->size[i] = i < 3 ? 1 + (int64_t)i / 2 : 3 + (int64_t)(uniform(i, draw++) * (MOST - 2));
        for (int64_t v = 0; v < p->size[i]; v++) {
            p->label[i][v] = (int64_t)(uniform(i, draw++) * labels) * 1000000007 - 5;
            for (int64_t u = 0; u < v; u++)
                if (uniform(i, draw++) < density)
                    p->joined[i][u][v] = p->joined[i][v][u] = 1 + (int64_t)(uniform(i, draw++) * bonds);
        }
    }
}

/* The same as data; order[i] NULL: vertices in their order, else vertex v is put at place order[i][v]. Every edge is
 * given twice. */
static rkhs_data *data_of(rkhs_env *env, const plain *p, int from, int to, int labelled, int bonded, int64_t (*order)[MOST]) {
    int64_t vertices[N], edges[N] = {0}, labels[ALL], ends[4 * ALL * MOST], bonds[2 * ALL * MOST], total = 0, first = 0;
    rkhs_data *x;
    for (int i = from; i < to; i++) {
        vertices[i - from] = p->size[i];
        for (int64_t v = 0; v < p->size[i]; v++) {
            labels[first + (order ? order[i][v] : v)] = p->label[i][v];
            for (int64_t u = 0; u < p->size[i]; u++) {
                if (!p->joined[i][u][v]) continue;
                ends[2 * total] = order ? order[i][v] : v;
                ends[2 * total + 1] = order ? order[i][u] : u;
                bonds[total++] = p->joined[i][u][v];
                edges[i - from]++;
            }
        }
        first += p->size[i];
    }
    OK(env, rkhs_data_graphs(env, to - from, vertices, edges, ends, labelled ? labels : NULL, bonded ? bonds : NULL, &x));
    return x;
}

static void gram(rkhs_env *env, const char *spec, const rkhs_data *x, const rkhs_data *y, double *K) {
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, spec, &k));
    OK(env, rkhs_kernel_gram(k, x, y, K, y ? y->rows : x->rows));
    rkhs_kernel_free(k);
}

/* ---- the definitions ------------------------------------------------------------------------------------------- */

/* Whether vertices look alike after so many rounds: alike[round][i][v][j][u]. */
typedef char alike_table[N][MOST][N][MOST];

static int64_t degree(const plain *p, int i, int64_t v) {
    int64_t count = 0;
    for (int64_t u = 0; u < p->size[i]; u++) count += p->joined[i][v][u] != 0;
    return count;
}

/* How many neighbours of vertex u of graph j are like vertex a of graph i, by an edge of this label. */
static int neighbours_like(const plain *p, alike_table before, int i, int64_t a, int64_t bond, int bonded, int j, int64_t u) {
    int count = 0;
    for (int64_t b = 0; b < p->size[j]; b++)
        if (p->joined[j][u][b] && (!bonded || p->joined[j][u][b] == bond)) count += before[i][a][j][b];
    return count;
}

static void next_round(const plain *p, alike_table before, int bonded, alike_table after) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int64_t v = 0; v < p->size[i]; v++)
                for (int64_t u = 0; u < p->size[j]; u++) {
                    int same = before[i][v][j][u] && degree(p, i, v) == degree(p, j, u);
                    for (int64_t a = 0; same && a < p->size[i]; a++) {
                        int64_t bond = p->joined[i][v][a];
                        if (bond)
                            same = neighbours_like(p, before, i, a, bond, bonded, i, v) ==
                                   neighbours_like(p, before, i, a, bond, bonded, j, u);
                    }
                    after[i][v][j][u] = (char)same;
                }
}

static void define_wl(const plain *p, int h, int labelled, int bonded, double *K) {
    static alike_table one, two;
    memset(one, 0, sizeof one);
    memset(K, 0, sizeof *K * N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int64_t v = 0; v < p->size[i]; v++)
                for (int64_t u = 0; u < p->size[j]; u++)
                    one[i][v][j][u] = labelled ? p->label[i][v] == p->label[j][u] : degree(p, i, v) == degree(p, j, u);
    for (int r = 0; r <= h; r++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int64_t v = 0; v < p->size[i]; v++)
                    for (int64_t u = 0; u < p->size[j]; u++) K[i * N + j] += one[i][v][j][u];
        next_round(p, one, bonded, two);
        memcpy(one, two, sizeof one);
    }
}

static void define_paths(const plain *p, int labelled, double *K) {
    static int64_t far[N][MOST][MOST];
    enum { NEVER = 1000 };
    for (int i = 0; i < N; i++) {
        for (int64_t v = 0; v < MOST; v++)
            for (int64_t u = 0; u < MOST; u++) far[i][v][u] = v == u ? 0 : p->joined[i][v][u] ? 1 : NEVER;
        for (int64_t w = 0; w < p->size[i]; w++)
            for (int64_t v = 0; v < p->size[i]; v++)
                for (int64_t u = 0; u < p->size[i]; u++) far[i][v][u] = rk_min(far[i][v][u], far[i][v][w] + far[i][w][u]);
    }
    memset(K, 0, sizeof *K * N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int64_t v = 0; v < p->size[i]; v++)
                for (int64_t u = 0; u < v; u++)
                    for (int64_t a = 0; a < p->size[j]; a++)
                        for (int64_t b = 0; b < a; b++) {
                            int64_t x = p->label[i][v], y = p->label[i][u], z = p->label[j][a], t = p->label[j][b];
                            int same = !labelled || (x == z && y == t) || (x == t && y == z);
                            K[i * N + j] += same && far[i][v][u] < NEVER && far[i][v][u] == far[j][a][b];
                        }
}

/* Whether three vertices of one graph and three of another induce the same, in some order. */
static int same_triple(const plain *p, int i, const int64_t v[3], int j, const int64_t u[3], int labelled) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; o++) {
        int same = 1;
        for (int a = 0; a < 3; a++) {
            int64_t to = u[orders[o][a]], next = u[orders[o][(a + 1) % 3]];
            if (labelled && p->label[i][v[a]] != p->label[j][to]) same = 0;
            if (!p->joined[i][v[a]][v[(a + 1) % 3]] != !p->joined[j][to][next]) same = 0;
        }
        if (same) return 1;
    }
    return 0;
}

static void define_graphlet(const plain *p, int labelled, int connected, double *K) {
    static int64_t triple[N][MOST * MOST * MOST][3];
    int count[N] = {0};
    for (int i = 0; i < N; i++)
        for (int64_t a = 0; a < p->size[i]; a++)
            for (int64_t b = 0; b < a; b++)
                for (int64_t c = 0; c < b; c++) {
                    int edges = !!p->joined[i][a][b] + !!p->joined[i][a][c] + !!p->joined[i][b][c];
                    if (connected && edges < 2) continue;
                    memcpy(triple[i][count[i]++], (int64_t[]){a, b, c}, 3 * sizeof(int64_t));
                }
    memset(K, 0, sizeof *K * N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int s = 0; s < count[i]; s++)
                for (int t = 0; t < count[j]; t++) K[i * N + j] += same_triple(p, i, triple[i][s], j, triple[j][t], labelled);
}

/* Whether two graphs that have nothing to count are alike: labels in any order, and edges. */
static int same_rest(const plain *p, int i, int j, int labelled) {
    int64_t edges = 0;
    if (p->size[i] != p->size[j]) return 0;
    for (int64_t v = 0; v < p->size[i]; v++) {
        int64_t here = 0, there = 0;
        for (int64_t u = 0; u < p->size[i]; u++)
            here += p->label[i][u] == p->label[i][v], there += p->label[j][u] == p->label[i][v];
        if (labelled && here != there) return 0;
        edges += degree(p, i, v) - degree(p, j, v);
    }
    return edges == 0;
}

/* ---- the tests ------------------------------------------------------------------------------------------------- */

/* A kernel, plain and normalised, all together and the first ones against the others, against its definition. */
static void check_one(rkhs_env *env, const plain *p, const char *name, const char *given, int labelled, int bonded,
                      int by_label, const double *expected) {
    double K[N * N], L[N * N], part[5 * N], norm_i, norm_j;
    char spec[128];
    rkhs_data *x = data_of(env, p, 0, N, labelled, bonded, NULL), *a = data_of(env, p, 0, 5, labelled, bonded, NULL),
              *b = data_of(env, p, 5, N, labelled, bonded, NULL);
    snprintf(spec, sizeof spec, "%s(%s%snormalize=false)", name, given, *given ? ", " : "");
    gram(env, spec, x, NULL, K);
    for (int i = 0; i < N * N; i++)
        if (K[i] != expected[i]) fail_msg("%s: graphs %d and %d: %g, not %g", spec, i / N, i % N, K[i], expected[i]);
    snprintf(spec, sizeof spec, "%s(%s)", name, given);
    gram(env, spec, x, NULL, L);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            norm_i = expected[i * N + i];
            norm_j = expected[j * N + j];
            double wanted = norm_i > 0 && norm_j > 0     ? expected[i * N + j] / sqrt(norm_i * norm_j)
                            : norm_i == 0 && norm_j == 0 ? same_rest(p, i, j, by_label)
                                                         : 0;
            if (fabs(L[i * N + j] - wanted) > 1e-15)
                fail_msg("%s: graphs %d and %d: %.17g, not %.17g", spec, i, j, L[i * N + j], wanted);
        }
    gram(env, spec, a, b, part);
    for (int i = 0; i < 5; i++)
        for (int j = 5; j < N; j++) assert_memory_equal(&part[i * (N - 5) + j - 5], &L[i * N + j], sizeof *L);
    gram(env, spec, b, a, part);
    for (int i = 0; i < 5; i++)
        for (int j = 5; j < N; j++) assert_memory_equal(&part[(j - 5) * 5 + i], &L[i * N + j], sizeof *L);
    rkhs_data_free(x);
    rkhs_data_free(a);
    rkhs_data_free(b);
}

static void wl_counts_vertices_that_look_alike(void **state) {
    static plain p;
    double K[N * N];
    char given[64];
    for (int h = 0; h <= 4; h++)
        for (int labelled = 0; labelled < 2; labelled++)
            for (int bonded = 0; bonded < 3; bonded++) { /* 2: there are labels of edges, and they do not count */
                make_graphs(&p, 2, 2);
                define_wl(&p, h, labelled, bonded == 1, K);
                snprintf(given, sizeof given, "h=%d%s", h, bonded == 2 ? ", edges=false" : "");
                check_one(*state, &p, "wl", given, labelled, bonded > 0, labelled, K);
            }
}

static void paths_compare_all_pairs_of_vertices(void **state) {
    static plain p;
    double K[N * N];
    for (int labelled = 0; labelled < 3; labelled++) { /* 2: there are labels, and they do not count */
        make_graphs(&p, 3, 2);
        define_paths(&p, labelled == 1, K);
        check_one(*state, &p, "paths", labelled == 2 ? "labelled=false" : "", labelled > 0, 1, labelled == 1, K);
    }
}

static void graphlets_are_all_triples(void **state) {
    static plain p;
    double K[N * N];
    for (int labelled = 0; labelled < 3; labelled++) {
        make_graphs(&p, 3, 2);
        define_graphlet(&p, labelled == 1, 1, K);
        check_one(*state, &p, "graphlet", labelled == 2 ? "labelled=false" : "", labelled > 0, 1, labelled == 1, K);
    }
    define_graphlet(&p, 0, 0, K);
    check_one(*state, &p, "graphlet", "labelled=false, connected=false", 1, 0, 0, K);
}

static void isomorphic_graphs_are_one(void **state) {
    static const char *const specs[] = {"wl", "wl(h=1, edges=false)", "paths", "graphlet", "graphlet(labelled=false)"};
    static plain p;
    rkhs_env *env = *state;
    int64_t order[N][MOST];
    double K[N * N], L[N * N];
    make_graphs(&p, 2, 2);
    for (int i = 0; i < N; i++) { /* a random order of its vertices */
        for (int64_t v = 0; v < MOST; v++) order[i][v] = v;
        for (int64_t v = p.size[i] - 1; v > 0; v--) {
            int64_t u = (int64_t)(uniform((uint64_t)i, 1000 + (uint64_t)v) * (double)(v + 1)), swap = order[i][v];
            order[i][v] = order[i][u];
            order[i][u] = swap;
        }
    }
    for (int s = 0; s < 5; s++)
        for (int labelled = 0; labelled < 2; labelled++) {
            rkhs_data *x = data_of(env, &p, 0, N, labelled, labelled, NULL),
                      *y = data_of(env, &p, 0, N, labelled, labelled, order);
            gram(env, specs[s], x, y, K);
            gram(env, specs[s], x, NULL, L);
            for (int i = 0; i < N; i++) assert_true(K[i * N + i] == 1);
            assert_memory_equal(K, L, sizeof K); /* of all other pairs, too, the order of vertices changes no bit */
            rkhs_data_free(x);
            rkhs_data_free(y);
        }
}

/* Two triangles, and a ring of six: wl cannot tell them apart, paths and graphlet can. */
static void wl_is_blind_where_it_is_known_to_be(void **state) {
    rkhs_env *env = *state;
    static const int64_t ends[] = {0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3, /**/ 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};
    rkhs_data *x;
    double K[4];
    OK(env, rkhs_data_graphs(env, 2, (int64_t[]){6, 6}, (int64_t[]){6, 6}, ends, NULL, NULL, &x));
    gram(env, "wl(h=9)", x, NULL, K);
    assert_true(K[1] == 1);
    gram(env, "paths", x, NULL, K);
    NEAR(K[1], 6 * 6 / sqrt(36.0 * (36 + 36 + 9)), 1e-15);
    gram(env, "graphlet", x, NULL, K);
    assert_true(K[1] == 0);
    rkhs_data_free(x);
}

typedef struct remarks {
    int count;
    char last[256];
} remarks;

static void take_remark(rkhs_log_level level, const char *sentence, void *payload) {
    remarks *r = payload;
    r->count += level == RKHS_LOG_ADVICE;
    snprintf(r->last, sizeof r->last, "%s", sentence);
}

static void degrees_in_place_of_labels_are_said_once(void **state) {
    static plain p;
    rkhs_env *env = *state;
    remarks r = {0};
    double K[N * N], Z[N];
    rkhs_kernel *k;
    rkhs_model *m;
    make_graphs(&p, 2, 1);
    rkhs_data *x = data_of(env, &p, 0, N, 0, 0, NULL), *y = data_of(env, &p, 0, N, 1, 0, NULL);
    rkhs_env_set_log(env, take_remark, &r);
    gram(env, "wl", y, NULL, K);
    assert_int_equal(r.count, 0);
    gram(env, "wl", x, NULL, K);
    assert_int_equal(r.count, 1);
    assert_true(says(r.last, "vertex labels | wl | degrees"));
    OK(env, rkhs_model_new(env, "kpca(dim=1)", &m));
    OK(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
    assert_int_equal(r.count, 2);
    assert_string_equal(rkhs_kernel_text(rkhs_model_kernel(m)), "wl(h=5, edges=true, normalize=true)");
    OK(env, rkhs_model_transform(m, x, Z, 1));
    assert_int_equal(r.count, 2);
    FAILS(env, RKHS_ERR_DATA, "have vertex labels | none", rkhs_model_transform(m, y, Z, 1));
    rkhs_model_free(m);
    OK(env, rkhs_kernel_new(env, "paths", &k));
    FAILS(env, RKHS_ERR_DATA, "no vertex labels", rkhs_kernel_gram(k, y, x, K, N));
    rkhs_kernel_free(k);
    FAILS(env, RKHS_ERR_SPEC, "say labelled=false too", rkhs_kernel_new(env, "graphlet(connected=false)", &k));
    rkhs_data_free(x);
    rkhs_data_free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(wl_counts_vertices_that_look_alike),  ENV_TEST(paths_compare_all_pairs_of_vertices),
        ENV_TEST(graphlets_are_all_triples),           ENV_TEST(isomorphic_graphs_are_one),
        ENV_TEST(wl_is_blind_where_it_is_known_to_be), ENV_TEST(degrees_in_place_of_labels_are_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
