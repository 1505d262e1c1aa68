/* contrastive.c: the simple contrastive loss over triplets, minimised in closed form.
 *
 *     minimise  sum_i z(x_i)'(z(x_i-) - z(x_i+))  over  z = W'phi, W'W = I
 *
 * x_i is an anchor, x_i+ its positive, x_i- its negative. An object comes nearer to its positive than to its negative.
 * Let a_i, p_i, q_i be their rows of Phi, and C = -1/2 sum_i (a_i (q_i - p_i)' + (q_i - p_i) a_i') = Phi'M Phi with M
 * sparse. W is the eigenvectors of C with the largest eigenvalues. This is the solution of the paper's Theorem 3
 * (whose K_1 has K_3' at its lower left) without its matrices of twice the size and their inverse roots. Only
 * eigenvalues above 0 count: the loss is minus their sum, and where there are fewer than dim, the other columns are 0.
 * Cost: the Gram and some ten products with it, or with Phi. With noise as augmentation it is a kind of kernel PCA.
 * Esser, Fleissner, Ghoshdastidar, "Non-parametric representation learning with kernels", AAAI 2024. */
#include "model/contrastive.h"

typedef struct contrastive {
    int64_t dim;
    rk_spec *augment, *gram, *solver;
} contrastive;

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(contrastive),
    RK_PARAM_AUGMENT(contrastive),
    RK_PARAM_GRAM(contrastive, ""),
    RK_PARAM_EIGENSOLVER(contrastive),
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_contrastive(const void *self, const rkhs_data *y) { return ((const contrastive *)self)->dim; }

static rkhs_status inputs_contrastive(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *y,
                                      rkhs_data **gram_data) {
    return rk_triplet_inputs(env, ((const contrastive *)self)->augment, x, y, gram_data);
}

static rkhs_status report(rk_fit *f, const rk_triplets *t, const rk_spectrum *s, double alpha, double kappa) {
    rkhs_status status = RKHS_OK;
    double n = (double)t->count, omega = 0, loss = 0;
    int64_t left = 0; /* dimensions with an eigenvalue above 0 */
    for (int64_t c = 0; c < s->count; c++) loss -= s->values[c], left += s->values[c] != 0;
    omega = sqrt((double)left); /* |W|, W orthonormal */
    alpha *= sqrt((double)left / (double)s->count);
    TRY(rk_report_number(f->env, f->report, "loss", loss));
    TRY(rk_report_array(f->env, f->report, "eigenvalues", 1, s->count, s->values));
    TRY(rk_report_array(f->env, f->report, "residuals", 1, s->count, s->residuals));
    TRY(rk_report_solver(f, ((const contrastive *)f->self)->solver, s->solver, s->iterations, -1, s->converged));
    TRY(rk_report_bound(f, "Theorem 6", 0, omega * omega * sqrt(kappa) * alpha / n,
                        omega * omega * kappa * sqrt(log(1 / RK_BOUND_DELTA) / n)));
    if (left < s->count)
        rk_log(f->env, RKHS_LOG_ADVICE,
               "only %lld of the %s have an eigenvalue above 0, and bring positives nearer than negatives; the others are 0",
               (long long)left, rk_counted(s->count, "dimension").text);
done:
    return status;
}

static rkhs_status fit_contrastive(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const contrastive *o = f->self;
    const rk_gram *g = f->gram;
    int64_t d = f->dim;
    rk_triplets t;
    rk_csr m;
    rk_spectrum s;
    double alpha, kappa;
    TRY(rk_triplets_new(f, &t));
    TRY(rk_triplet_sizes(f, &t, &alpha, &kappa));
    TRY(rk_triplet_matrix(f->env, &t, g->n, 0.5, -0.5, &m));
    rk_spectral problem = {
        .coordinates = RK_COORD_ISOMETRIC, .m_kind = RK_M_GRAPH, .m = &(rk_graph_matrix){.graph = &m}, .mu = 1, .count = d};
    TRY(rk_solve_spectral(g, o->solver, &problem, &s));
    double least = 1e-15 * kappa * (double)t.count; /* |C| is at most 2 n kappa: a value as small as this is rounding */
    for (int64_t c = 0; c < d; c++) {
        if (s.values[c] > least) continue;
        s.values[c] = 0;
        for (int64_t i = 0; i < g->rank; i++) s.coef[i * d + c] = 0;
    }
    TRY(rk_gram_embed(g, s.coef, d, f->map->B, f->Z));
    TRY(report(f, &t, &s, alpha, kappa));
done:
    return status;
}

static void cost_contrastive(const void *self, const rk_extent *e, rk_cost *c) {
    rk_add_eigen_cost(((const contrastive *)self)->solver, e, c);
    if (((const contrastive *)self)->solver && e->stored) rk_add_pencil_cost(e, c); /* by a factor of K */
    c->passes += e->features > 0 ? 0 : 20; /* positives and negatives hardly differ: it converges slowly */
    c->numbers += 100 * e->n + 2 * rk_stored_rows(e) * e->features;
}

/* clang-format off */
const rk_model_type rk_model_contrastive = {
    .entry = {.name = "contrastive",
              .brief = "linear contrastive learning in closed form: objects are placed nearer to their positives than to their negatives",
              .formula = "min sum z'(z- - z+), z = W'phi, W'W = I", .where = RK_TRIPLET_WHERE,
              .cost = "the Gram, and some ten products with it",
              .params = params, .size = sizeof(contrastive)},
    .title = "KernelContrastive", .default_kernel = rk_default_kernel, .dim = dim_contrastive,
    .gram_offset = offsetof(contrastive, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_ONCE, 20000, 1}, .supervision = RK_KIND_INDEX, .inputs = inputs_contrastive,
    .fit = fit_contrastive, .cost = cost_contrastive, .check = rk_check_full_map,
};
/* clang-format on */
