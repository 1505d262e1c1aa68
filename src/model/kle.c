/* kle.c: kernel Laplacian eigenmaps: the smoothest functions on the graph of nearest neighbours.
 *
 *     (D - W) z = mu D z,   W = (F + F')/2,  F: kernel values of each object with its k nearest,  D: row sums of W
 *
 * Neighbours are nearest in feature space, by k(x,x) + k(y,y) - 2 k(x,y). Where k(x,x) is not the same for all objects,
 * kernel values measure size as much as likeness; weights=auto then uses 1 for each neighbour. The constant solution is
 * left out. The results are Z at unit deviation, and 1 - mu of each dimension. A new object is placed by the Nystrom
 * formula z(x) = sum_j w_j z_j / (d_x (1 - mu)), w its weights with its k nearest training objects and d_x their sum. A
 * training object gets its own row of Z; equal objects share one. Connected components are embedded one by one, side by
 * side (eigenmap.c). The map stores all training objects. No Gram is stored, whatever `gram` says. Cost: n^2/2 kernel
 * values, and products with n k numbers. Distances are not preserved. Belkin, Niyogi, "Laplacian eigenmaps for
 * dimensionality reduction and data representation", Neural Computation 15, 2003; Bengio et al., "Learning
 * eigenfunctions links spectral embedding and kernel PCA", Neural Computation 16, 2004. */
#include "model/eigenmap.h"

#include <string.h>

typedef struct kle {
    int64_t dim, neighbours;
    int weights;
    rk_spec *gram, *solver;
} kle;

enum { KERNEL, BINARY, AUTO };

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(kle),
    RK_PARAM_NEIGHBOURS(kle, "7", 1e9, ""),
    {.name = "weights", .kind = RK_CHOICE, .offset = offsetof(kle, weights), .value = "auto", .choices = "kernel|binary|auto",
     .brief = "weight of an edge: the kernel value, or 1; auto: the kernel value where k(x,x) is the same for all objects"},
    RK_PARAM_GRAM(kle, "; kle needs nearest neighbours alone and never stores it"),
    RK_PARAM_EIGENSOLVER(kle),
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_kle(const void *self, const rkhs_data *y) { return ((const kle *)self)->dim; }

static rkhs_status report(rk_fit *f, const rk_eigenmap *e) {
    rkhs_status status = RKHS_OK;
    TRY(rk_report_array(f->env, f->report, "eigenvalues", 1, f->dim, e->values));
    TRY(rk_report_array(f->env, f->report, "residuals", 1, f->dim, e->residuals));
    TRY(rk_report_number(f->env, f->report, "components", (double)e->components));
    TRY(rk_report_number(f->env, f->report, "isolated", (double)e->isolated));
    TRY(rk_report_solver(f, ((const kle *)f->self)->solver, e->solver ? e->solver : "none", e->iterations, -1, e->converged));
    rk_advise_components(f->env, f->gram->n, e->components, e->found ? e->isolated : f->gram->n,
                         "each is embedded on its own, side by side");
    if (e->found && e->found < f->dim)
        rk_log(f->env, RKHS_LOG_ADVICE, "the largest connected component has %s; the others of the %lld are 0",
               rk_counted(e->found, "dimension").text, (long long)f->dim);
done:
    return status;
}

static rkhs_status fit_kle(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const kle *o = f->self;
    int64_t n = f->gram->n, k = rk_neighbour_count(f->env, o->neighbours, n), *index;
    rk_eigenmap e;
    rk_neighbour_graph graph;
    double *value, *half;
    TRY(rk_scratch(f->env, n * k, sizeof *index, &index));
    TRY(rk_scratch(f->env, n * k, sizeof *value, &value));
    TRY(rk_gram_neighbours(f->gram, k, index, value));
    TRY(rk_gram_half_diagonal(f->gram, &half));
    TRY(rk_map_store_halves(f, half));
    f->map->degree = o->weights == BINARY || (o->weights == AUTO && half) ? RK_DEGREE_BINARY : RK_DEGREE_KERNEL;
    for (int64_t q = 0; q < n * k; q++) value[q] = rk_map_weight(f->map, value[q]);
    TRY(rk_neighbour_graph_new(f->env, n, k, index, value, &graph));
    TRY(rk_eigenmap_new(f->env, o->solver, &graph, f->dim, f->Z, f->map->B, &e));
    f->map->nearest = k;
    TRY(rk_map_store_embedding(f, f->Z));
    TRY(report(f, &e));
done:
    return status;
}

static rkhs_status check_kle(const rkhs_model *m) {
    const kle *o = m->spec->self;
    int binary = o->weights == BINARY || (o->weights == AUTO && m->map->half);
    return rk_check_map(m, 1, binary ? RK_DEGREE_BINARY : RK_DEGREE_KERNEL, 0);
}

static void cost_kle(const void *self, const rk_extent *e, rk_cost *c) {
    c->neighbours = 1;
    rk_add_eigenmap_cost(e, fmin((double)((const kle *)self)->neighbours, e->n), c);
}

/* clang-format off */
const rk_model_type rk_model_kle = {
    .entry = {.name = "kle",
              .brief = "kernel Laplacian eigenmaps: the smoothest functions on the graph of nearest neighbours",
              .formula = "(D - W) z = mu D z, W = (F + F')/2",
              .where = "z: a column of the embedding; F: the weight of each object with its nearest neighbours, 0 elsewhere; "
                       "D: the diagonal matrix of the row sums of W; mu: the eigenvalue, the smallest above 0 are taken",
              .cost = "the Gram and some hundred products with n neighbours numbers", .params = params, .size = sizeof(kle)},
    .title = "LaplacianEigenmaps", .default_kernel = rk_default_kernel, .dim = dim_kle,
    .gram_offset = offsetof(kle, gram), .keeps_all = 1, .fit = fit_kle, .cost = cost_kle, .check = check_kle,
};
/* clang-format on */
