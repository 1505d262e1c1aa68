/* lpp.c: locality preserving projections, in the feature space of any kernel.
 *
 *     minimise  z'(D - W) z  subject to  z'D z + mu |w|^2 = const,   z = Phi w
 *
 * W is the graph of the k nearest neighbours in feature space, D its row sums, mu from the parameter `ridge`. The
 * solutions are the smoothest functions on the graph that are linear in feature space, so new objects have values too.
 * Solved as Phi'W Phi w = l (Phi'D Phi + mu I) w for the largest l. The constant (W 1 = D 1) is the smoothest of all
 * and says nothing: it is moved below all others. constant=keep leaves it, as the paper does, whose linear functions of
 * centred data do not contain it. With a linear kernel this is the method of the paper; where Phi'D Phi is singular,
 * only its range counts, which is the paper's "PCA first". W is a sum over the objects' lists of neighbours: with
 * features an update adds those of new objects. Cost: the Gram, and some n^3 flops (n m^2 with m landmarks). He,
 * Niyogi, "Locality preserving projections", NIPS 16, 2003. */
#include "model/neighbour_graph.h"

typedef struct lpp {
    int64_t dim, neighbours;
    double ridge;
    int weights, constant;
    rk_spec *gram, *solver;
} lpp;

enum { KERNEL, BINARY };
enum { DROP, KEEP };

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(lpp),
    RK_PARAM_NEIGHBOURS(lpp, "5", 1e9, ""),
    {.name = "ridge", .kind = RK_REAL, .offset = offsetof(lpp, ridge), .value = "0.01", .max = 1e300,
     .brief = "penalty on |w|^2, relative to the mean of D k(x,x): larger values give smoother functions"},
    {.name = "weights", .kind = RK_CHOICE, .offset = offsetof(lpp, weights), .value = "kernel", .choices = "kernel|binary",
     .brief = "weight of an edge: the kernel value where it is positive, or 1"},
    RK_PARAM_CONSTANT(lpp),
    RK_PARAM_GRAM(lpp, ""),
    RK_PARAM_EIGENSOLVER(lpp),
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_lpp(const void *self, const rkhs_data *y) { return ((const lpp *)self)->dim; }

static rkhs_status fit_lpp(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const lpp *o = f->self;
    int64_t n = f->gram->n, k = rk_neighbour_count(f->env, o->neighbours, n), *index;
    rk_neighbour_graph graph;
    double *value;
    TRY(rk_scratch(f->env, n * k, sizeof *index, &index));
    TRY(rk_scratch(f->env, n * k, sizeof *value, &value));
    TRY(rk_gram_neighbours(f->gram, k, index, value));
    for (int64_t q = 0; q < n * k; q++) value[q] = q < f->known * k ? 0 : o->weights == BINARY ? 1 : value[q];
    TRY(rk_neighbour_graph_new(f->env, n, k, index, value, &graph));
    rk_graph_matrix m = {.graph = &graph.w, .constant = o->constant == DROP ? graph.degree : NULL};
    TRY(rk_fit_graph_projection(f, o->solver, &m, graph.degree, o->ridge, &graph.w));
done:
    return status;
}

static void cost_lpp(const void *self, const rk_extent *e, rk_cost *c) {
    c->neighbours = 1;
    rk_add_pencil_cost(e, c);
}

/* clang-format off */
const rk_model_type rk_model_lpp = {
    .entry = {.name = "lpp",
              .brief = "locality preserving projections: directions in feature space that keep neighbours close",
              .formula = "min z'(D - W) z, z'D z + mu |w|^2 = 1, z = Phi w",
              .where = "z: a column of the embedding; row i of Phi: object i in feature space; w: the coefficients, to be found; "
                       "W: the weights of the neighbour graph, 0 where objects are no neighbours; D: the diagonal matrix of the "
                       "row sums of W; mu: ridge, in units of the data",
              .cost = "the Gram and 7 n^3 flops; 5 n m^2 with m landmarks", .params = params, .size = sizeof(lpp)},
    .title = "LocalityPreservingProjections", .default_kernel = rk_default_kernel, .dim = dim_lpp,
    .gram_offset = offsetof(lpp, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_ONCE, 5000, 4}, .fit = fit_lpp, .cost = cost_lpp,
    .state_size = sizeof(rk_sums_state), .state = rk_graph_projection_state, .check = rk_check_sums, .adds = 1,
};
/* clang-format on */
