/* npe.c: neighbourhood preserving embedding, in the feature space of any kernel.
 *
 *     minimise  |(I - R) z|^2  subject to  |z|^2 + mu |w|^2 = const,   z = Phi w
 *
 * Row i of R has the weights, of sum 1, by which the k nearest neighbours of object i in feature space reconstruct it
 * best: (G + reg tr(G) I) r = 1 up to scale, G_ab = k(a,b) - k(a,i) - k(b,i) + k(i,i) the local Gram of neighbours a,
 * b. The embedding keeps these weights as well as functions that are linear in feature space can. Solved as Phi'M Phi w
 * = l (Phi'Phi + mu I) w for the largest l, M = R + R' - R'R, mu from the parameter `ridge`. The constant (M 1 = 1) is
 * moved below all others; constant=keep leaves it. With a linear kernel this is the method of the paper; where Phi'Phi
 * is singular, only its range counts, which is the paper's "PCA first". The objective is a sum over objects: with
 * features an update adds new ones. Cost: the Gram, n k^3 and some n^3 flops (n m^2 with m landmarks). He, Cai, Yan,
 * Zhang, "Neighborhood preserving embedding", ICCV 2005. */
#include "model/neighbour_graph.h"
#include "model/npe.h"

typedef struct npe {
    int64_t dim, neighbours;
    double ridge, reg;
    int constant;
    rk_spec *gram, *solver;
} npe;

enum { DROP, KEEP };

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(npe),
    RK_PARAM_NEIGHBOURS(npe, "5", 1000, ""),
    {.name = "ridge", .kind = RK_REAL, .offset = offsetof(npe, ridge), .value = "0.01", .max = 1e300,
     .brief = "penalty on |w|^2, relative to the mean of k(x,x): larger values give smoother functions"},
    {.name = "reg", .kind = RK_REAL, .offset = offsetof(npe, reg), .value = "0.001", .max = 1e300, .min_excluded = 1,
     .brief = "regularisation of the reconstruction weights, relative to the trace of the local Gram matrix"},
    RK_PARAM_CONSTANT(npe),
    RK_PARAM_GRAM(npe, ""),
    RK_PARAM_EIGENSOLVER(npe),
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_npe(const void *self, const rkhs_data *y) { return ((const npe *)self)->dim; }

/* Work space for one object. pairs, I, J: (k+1)(k+2)/2 entries of K, among the object (first) and its neighbours. */
typedef struct local {
    const rk_gram *g;
    int64_t k, isolated, *I, *J; /* isolated: objects without a neighbour of positive kernel value */
    double reg, *pairs, *G;
} local;

static rkhs_status make_up(local *s, int64_t i, const int64_t *index, double *weight) {
    int64_t k = s->k, count = 0, bad = 0;
    int near = 0;
    double trace = 0, sum = 0, size;
    for (int64_t a = 0; a <= k; a++)
        for (int64_t b = 0; b <= a; b++, count++) {
            s->I[count] = a ? index[a - 1] : i;
            s->J[count] = b ? index[b - 1] : i;
        }
    rkhs_status status = rk_gram_entries(s->g, s->I, s->J, count, s->pairs);
    if (status != RKHS_OK) return status;
    const double *P = s->pairs;
    size = fabs(P[0]);
    for (int64_t a = 1; a <= k; a++) {
        const double *row = P + a * (a + 1) / 2;
        size = fmax(size, fabs(row[a]));
        trace += row[a] - 2 * row[0] + P[0];
        near |= row[0] > 0;
    }
    s->isolated += !near;
    double more = trace > 1e-13 * size * (double)k ? s->reg * trace : 1; /* else all are equal, and any ridge does */
    for (; bad >= 0; more *= 10) {                                       /* a kernel that is not PSD needs more */
        for (int64_t a = 1; a <= k; a++) {
            const double *row = P + a * (a + 1) / 2;
            for (int64_t b = 1; b <= a; b++) s->G[(a - 1) * k + b - 1] = row[b] - row[0] - P[b * (b + 1) / 2] + P[0];
            s->G[(a - 1) * k + a - 1] += more;
            weight[a - 1] = 1;
        }
        bad = rk_cholesky_tile(k, s->G, k);
        if (bad >= 0 && !isfinite(more))
            return rk_fail(s->g->env, RKHS_ERR_NUMERIC,
                           "npe: the kernel values of object %lld and its neighbours are too large: scale the data",
                           (long long)i);
    }
    rk_solve_vector('n', k, s->G, k, weight);
    rk_solve_vector('t', k, s->G, k, weight);
    for (int64_t a = 0; a < k; a++) sum += weight[a];
    for (int64_t a = 0; a < k; a++) weight[a] /= sum;
    return RKHS_OK;
}

rkhs_status rk_npe_weights(const rk_gram *g, int64_t known, int64_t k, double reg, int64_t *index, double *weight) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    int64_t pairs = (k + 1) * (k + 2) / 2;
    local s = {.g = g, .k = k, .reg = reg};
    TRY(rk_gram_neighbours(g, k, index, weight));
    TRY(rk_scratch(g->env, pairs, sizeof *s.I, &s.I));
    TRY(rk_scratch(g->env, pairs, sizeof *s.J, &s.J));
    TRY(rk_scratch(g->env, pairs, sizeof *s.pairs, &s.pairs));
    TRY(rk_scratch(g->env, k * k, sizeof *s.G, &s.G));
    for (int64_t q = 0; q < known * k; q++) weight[q] = 0;
    for (int64_t i = known; i < g->n; i++) {
        TRY(rk_progress(g->env, "weights", i, g->n));
        TRY(make_up(&s, i, index + i * k, weight + i * k));
    }
    if (s.isolated)
        rk_log(
            g->env, RKHS_LOG_ADVICE,
            "%lld object%s no neighbour with a kernel value above 0, and what is to make %s up means nothing: choose a wider "
            "kernel",
            (long long)s.isolated, s.isolated == 1 ? " has" : "s have", s.isolated == 1 ? "it" : "them");
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* E = diag(own) - R, from the lists of k neighbours and weights of R. */
static rkhs_status residual_graph(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *weight,
                                  const double *own, rk_csr *out) {
    rkhs_status status = RKHS_OK;
    int64_t *to;
    double *value;
    TRY(rk_scratch(env, n * (k + 1), sizeof *to, &to));
    TRY(rk_scratch(env, n * (k + 1), sizeof *value, &value));
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = 0; q <= k; q++) {
            to[i * (k + 1) + q] = q < k ? index[i * k + q] : i;
            value[i * (k + 1) + q] = q < k ? -weight[i * k + q] : own[i];
        }
    TRY(rk_csr_from_lists(env, n, k + 1, to, value, out));
done:
    return status;
}

static rkhs_status fit_npe(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const npe *o = f->self;
    int64_t n = f->gram->n, k = rk_neighbour_count(f->env, o->neighbours, n), *index;
    rk_csr E, T;
    double *value, *own; /* own: 1, and 0 for objects that an update has in its sums already */
    TRY(rk_scratch(f->env, n * k, sizeof *index, &index));
    TRY(rk_scratch(f->env, n * k, sizeof *value, &value));
    TRY(rk_new_objects(f->gram, f->known, &own));
    TRY(rk_npe_weights(f->gram, f->known, k, o->reg, index, value));
    TRY(residual_graph(f->env, n, k, index, value, own, &E));
    TRY(rk_csr_transpose(f->env, &E, &T));
    rk_graph_matrix m = {.graph = &E, .transposed = &T, .constant = o->constant == DROP ? own : NULL};
    TRY(rk_fit_graph_projection(f, o->solver, &m, own, o->ridge, &E));
done:
    return status;
}

static void cost_npe(const void *self, const rk_extent *e, rk_cost *c) {
    double k = fmin((double)((const npe *)self)->neighbours, e->n);
    c->neighbours = 1;
    c->values = e->stored ? 0 : e->n * k * k / 2;
    c->serial_flops = e->n * (k * k * k + 20 * k * k);
    rk_add_pencil_cost(e, c);
}

/* clang-format off */
const rk_model_type rk_model_npe = {
    .entry = {.name = "npe",
              .brief = "neighbourhood preserving embedding: directions in feature space that keep each object's "
                       "reconstruction from its neighbours",
              .formula = "min |(I - R) z|^2, |z|^2 + mu |w|^2 = 1, z = Phi w",
              .where = "z: a column of the embedding; row i of Phi: object i in feature space; w: the coefficients, to be found; "
                       "R: the weights that reconstruct each object from its nearest neighbours; mu: ridge, in units of the data",
              .cost = "the Gram, n neighbours^3 and 7 n^3 flops; 5 n m^2 with m landmarks", .params = params, .size = sizeof(npe)},
    .title = "NeighbourhoodPreservingEmbedding", .default_kernel = rk_default_kernel, .dim = dim_npe,
    .gram_offset = offsetof(npe, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_ONCE, 5000, 4}, .fit = fit_npe, .cost = cost_npe,
    .state_size = sizeof(rk_sums_state), .state = rk_graph_projection_state, .check = rk_check_sums, .adds = 1,
};
/* clang-format on */
