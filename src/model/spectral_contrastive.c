/* spectral_contrastive.c: the spectral contrastive loss over triplets, minimised by an optimiser.
 *
 *     minimise  sum_i -2 z(x_i)'z(x_i+) + (z(x_i)'z(x_i-))^2 + ridge |W|^2  over  z = W'phi
 *
 * x_i is an anchor, x_i+ its positive, x_i- its negative. Positives are drawn together. The squared inner product with
 * the negative spreads the dimensions over the data. Solved in Z = Phi W, without the inverse Gram of the paper's
 * Theorem 4; the minimum is the same. W = 0 is stationary, so the start is random.
 *
 * Let M = sum_i a_i p_i' + p_i a_i', a_i and p_i the rows of Phi of anchor and positive. Along a w orthogonal to all
 * negatives the loss is t^2 (ridge |w|^2 - w'M w). So there is no minimum if ridge is below the largest eigenvalue of
 * M orthogonal to the negatives (ridge_above), and from the largest eigenvalue of M on (ridge_below) the minimum is 0.
 * The report has both numbers. The default ridge lies between them. With one negative for each anchor
 * (negatives=drawn, as in the paper) the loss can fall without bound. This is detected: a given ridge is refused, the
 * default is raised. With negatives=all each anchor meets the mean over all anchors and given negatives, and there is
 * always a minimum. Cost: the Gram, its factor, and for each of some 100 steps two products with Phi. HaoChen, Wei,
 * Gaidon, Ma, "Provable guarantees for self-supervised deep learning with spectral contrastive loss", NeurIPS 2021;
 * Esser, Fleissner, Ghoshdastidar, "Non-parametric representation learning with kernels", AAAI 2024. */
#include "model/contrastive.h"

#include <string.h>

typedef struct spectral {
    int64_t dim;
    double ridge;
    int negatives;
    rk_spec *augment, *gram, *solver;
} spectral;

enum { DRAWN, ALL };
static const double FAR =
    20; /* times the least loss with negatives in all directions (-dim an anchor): beyond it the loss is unbounded */

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(spectral),
    {.name = "ridge", .aliases = "lambda|lam", .kind = RK_REAL, .offset = offsetof(spectral, ridge), .max = 1e300, .min_excluded = 1,
     .brief = "penalty on |W|^2; not given: between ridge_above and ridge_below of the report"},
    {.name = "negatives", .kind = RK_CHOICE, .offset = offsetof(spectral, negatives), .value = "all", .choices = "drawn|all",
     .brief = "negatives of an anchor: one, drawn unless given, or the mean over all anchors and given negatives"},
    RK_PARAM_AUGMENT(spectral),
    RK_PARAM_GRAM(spectral, ""),
    RK_PARAM_OPTIMISER(spectral),
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_spectral(const void *self, const rkhs_data *y) { return ((const spectral *)self)->dim; }

static rkhs_status inputs_spectral(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *y,
                                   rkhs_data **gram_data) {
    return rk_triplet_inputs(env, ((const spectral *)self)->augment, x, y, gram_data);
}

/* ---- the loss -------------------------------------------------------------------------------------------------- */

/* y += s x */
static void add(int64_t d, double s, const double *x, double *y) {
    for (int64_t c = 0; c < d; c++) y[c] += s * x[c];
}

/* Step between the triplet columns that make the pool of negatives: anchors (0), and given negatives (2). */
static int64_t pool_step(const rk_contrast *o) { return o->triplets->drawn ? 3 : 2; }

/* C (d x d) = sum z z' over column 0 of the triplets (step 3), or over columns 0 and 2 (step 2). */
static rkhs_status second_moment(const rk_contrast *o, rkhs_env *env, const double *Z, int64_t step, double *C) {
    int64_t d = o->dim;
    rk_block_sum sums;
    rkhs_status status = rk_block_sum_new(env, o->triplets->count, d * d, &sums);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < o->triplets->count; i++) {
        for (int64_t k = 0; k < 3; k += step) {
            const double *z = Z + o->triplets->rows[3 * i + k] * d;
            for (int64_t a = 0; a < d; a++) add(d, z[a], z, sums.tile + a * d);
        }
        rk_next_row(&sums);
    }
    rk_block_total(&sums, C);
    return RKHS_OK;
}

/* Adds sum_i mean_j (a_i'q_j)^2 = <A'A, Q'Q>/m over anchors a and the pool q of m rows, and its gradient. */
static rkhs_status repel_all(const rk_contrast *o, rkhs_env *env, const double *Z, double *f, double *dZ) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t d = o->dim, step = pool_step(o);
    double *A, *Q, m = (double)(o->triplets->count * (step == 2 ? 2 : 1));
    TRY(rk_scratch(env, d * d, sizeof *A, &A));
    TRY(rk_scratch(env, d * d, sizeof *Q, &Q));
    TRY(second_moment(o, env, Z, 3, A));
    TRY(second_moment(o, env, Z, step, Q));
    *f += rk_dot(d * d, A, Q) / m;
    for (int64_t i = 0; i < o->triplets->count; i++)
        for (int64_t k = 0; k < 3; k += step) {
            const int64_t row = o->triplets->rows[3 * i + k];
            for (int64_t a = 0; a < d; a++)
                dZ[row * d + a] += 2 / m * (rk_dot(d, A + a * d, Z + row * d) + (k ? 0 : rk_dot(d, Q + a * d, Z + row * d)));
        }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status runs_off(rk_contrast *o, rkhs_env *env) {
    o->ran_off = 1;
    return rk_fail(env, RKHS_ERR_NUMERIC,
                   "spectral: the loss runs off without a minimum for ridge = %.6g: no ridge below %.6g has one, and from "
                   "%.6g on it is at 0: choose ridge between them, nearer to the latter, or use negatives=all",
                   o->ridge, o->above, o->below);
}

rkhs_status rk_contrast_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                             double *dt) {
    rk_contrast *o = context;
    int64_t d = o->dim, n = o->triplets->count;
    rk_row_sum sum = {0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t *t = o->triplets->rows + 3 * i;
        const double *a = Z + t[0] * d, *p = Z + t[1] * d, *q = Z + t[2] * d;
        double s = o->all ? 0 : rk_dot(d, a, q);
        rk_add_row(&sum, s * s - 2 * rk_dot(d, a, p));
        add(d, -2, p, dZ + t[0] * d);
        add(d, -2, a, dZ + t[1] * d);
        if (o->all) continue;
        add(d, 2 * s, q, dZ + t[0] * d);
        add(d, 2 * s, a, dZ + t[2] * d);
    }
    *f = rk_row_total(&sum);
    rkhs_status status = o->all ? repel_all(o, env, Z, f, dZ) : RKHS_OK;
    /* With negatives in all directions the least loss is that of whitened codes: -dim for each anchor. */
    if (status == RKHS_OK && *f < -1000.0 * (double)(n * d)) return runs_off(o, env);
    return status;
}

/* ---- ridge ----------------------------------------------------------------------------------------------------- */

/* The largest eigenvalues of M. With `off`, large weights of the negatives, those of M orthogonal to them. */
static rkhs_status largest(const rk_gram *g, const rk_csr *m, const double *off, int64_t count, double *values) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    rk_spectrum s;
    rk_spectral problem = {.coordinates = RK_COORD_ISOMETRIC,
                           .m_kind = RK_M_GRAPH,
                           .m = &(rk_graph_matrix){.graph = m},
                           .n = off,
                           .mu = 1,
                           .count = count};
    TRY(rk_solve_spectral(g, NULL, &problem, &s));
    memcpy(values, s.values, (size_t)count * sizeof *values);
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* Computes the bounds of ridge, and ridge. The quotient w'M w / (|w|^2 + sum_i (q_i'w)^2 / little), q_i the negatives,
 * is practically that on their orthogonal complement. *eigenvalues: the largest of M. */
static rkhs_status choose_ridge(rk_fit *f, const spectral *o, rk_contrast *c, double kappa, double **eigenvalues) {
    rkhs_status status = RKHS_OK;
    const double little = 1e-8, share = 0.3;
    const rk_triplets *t = c->triplets;
    double *off, *values;
    rk_csr m;
    TRY(rk_scratch(f->env, f->gram->n, sizeof *off, &off));
    TRY(rk_scratch(f->env, f->dim, sizeof *values, &values));
    TRY(rk_triplet_matrix(f->env, t, f->gram->n, 1, 0, &m));
    TRY(largest(f->gram, &m, NULL, f->dim, values));
    *eigenvalues = values;
    c->below = fmax(values[0], 0);
    if (!c->all && c->below > 0) {
        for (int64_t i = 0; i < t->count; i++) off[t->rows[3 * i + 2]] += 1 / (little * kappa);
        TRY(largest(f->gram, &m, off, 1, &c->above));
        c->above = fmin(fmax(c->above, 0), c->below);
    }
    /* The default is below the eigenvalue of the last dimension, if that is large, so that all dimensions are used. */
    double last = values[f->dim - 1], least = c->above + 0.01 * (c->below - c->above);
    c->ridge = isnan(o->ridge) ? c->above + share * ((last > least ? last : c->below) - c->above) : o->ridge;
    if (c->below > 0 && (c->ridge < c->above || c->ridge >= c->below))
        FAIL(f->env, RKHS_ERR_NUMERIC,
             c->all ? "spectral: ridge = %.6g does not work: it has to be above %.6g, and from %.6g on the minimum is at 0: "
                      "choose "
                      "ridge between them, or leave it out"
                    : "spectral: ridge = %.6g does not work: the loss has no minimum below %.6g, and from %.6g on it is at 0: "
                      "choose "
                      "ridge between them, nearer to the latter, or leave it out",
             c->ridge, c->above, c->below);
done:
    return status;
}

/* ---- fit ------------------------------------------------------------------------------------------------------- */

static rkhs_status report(rk_fit *f, rk_contrast *c, const rk_smooth_result *s, double alpha, double kappa) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    double n = (double)c->triplets->count, mean, *dZ;
    TRY(rk_scratch(f->env, f->gram->n * f->dim, sizeof *dZ, &dZ));
    TRY(rk_contrast_eval(c, f->env, f->Z, NULL, &mean, dZ, NULL));
    double omega = sqrt(fmax(0, (s->f - mean) / c->ridge)); /* |W| */
    TRY(rk_report_number(f->env, f->report, "loss", s->f));
    if (s->recorded) TRY(rk_report_array(f->env, f->report, "losses", 1, s->recorded, s->history));
    TRY(rk_report_number(f->env, f->report, "ridge", c->ridge));
    TRY(rk_report_number(f->env, f->report, "ridge_above", c->above));
    TRY(rk_report_number(f->env, f->report, "ridge_below", c->below));
    TRY(rk_report_solver(f, ((const spectral *)f->self)->solver, s->solver, s->iterations, s->evaluations, s->converged));
    double most = omega * sqrt(kappa); /* bound of |z| */
    TRY(rk_report_bound(f, "Theorem 6", c->ridge * omega * omega, pow(most, 3) * alpha / n,
                        pow(most, 4) * sqrt(log(1 / RK_BOUND_DELTA) / n)));
done:
    rk_scratch_release(f->env, mark);
    return status;
}

/* Minimises. While the loss is unbounded, or ends implausibly low, the default ridge moves half-way to ridge_below. */
static rkhs_status descend(rk_fit *f, const spectral *o, rk_contrast *c, rk_smooth_result *s) {
    rkhs_status status;
    for (int tries = 0; 1; tries++) {
        rk_mark mark = rk_scratch_mark(f->env);
        rk_smooth problem = {.coordinates = RK_COORD_ISOMETRIC,
                             .rows = f->gram->n,
                             .dim = f->dim,
                             .ridge = c->ridge,
                             .eval = rk_contrast_eval,
                             .context = c};
        c->ran_off = 0;
        status = rk_solve_smooth(f->gram, o->solver, &problem, NULL, NULL, s);
        rk_scratch_release(f->env, mark);
        if (status == RKHS_OK && !c->all && !s->converged && s->f < -FAR * (double)(c->triplets->count * f->dim))
            status = runs_off(c, f->env);
        if (status != RKHS_ERR_NUMERIC || !c->ran_off || !isnan(o->ridge) || tries == 10) return status;
        rk_clear_error(f->env); /* the failure is forgotten: the next try has a larger ridge */
        rk_free(f->env, s->history);
        s->history = NULL;
        c->ridge += (c->below - c->ridge) / 2;
    }
}

static rkhs_status fit_spectral(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const spectral *o = f->self;
    rk_triplets t;
    rk_contrast c = {.triplets = &t, .dim = f->dim, .all = o->negatives == ALL};
    rk_smooth_result s = {.Z = f->Z, .B = f->map->B, .c = f->map->c, .solver = "none", .converged = 1};
    double alpha, kappa, *values;
    int64_t worth = 0; /* eigenvalues above ridge: the rank of W at the minimum is at most this */
    TRY(rk_triplets_new(f, &t));
    TRY(rk_triplet_sizes(f, &t, &alpha, &kappa));
    /* Each step goes over the features twice. */
    if (rk_gram_offers(f->gram, RK_FEATURES)) TRY(rk_gram_cache_features(f->gram));
    TRY(choose_ridge(f, o, &c, kappa, &values));
    if (c.below > 0) {
        TRY(descend(f, o, &c, &s));
        while (worth < f->dim && values[worth] > c.ridge) worth++;
        if (worth < f->dim)
            rk_log(f->env, RKHS_LOG_ADVICE,
                   "positives have only %s in common that %s worth ridge = %.3g: the codes use no more of the %lld",
                   rk_counted(worth, "dimension").text, worth == 1 ? "is" : "are", c.ridge, (long long)f->dim);
    } else {
        c.ridge = isnan(o->ridge) ? 1 : o->ridge; /* any value does: all codes are 0 */
        rk_log(f->env, RKHS_LOG_ADVICE, "no direction brings positives together: all dimensions are 0");
    }
    TRY(report(f, &c, &s, alpha, kappa));
done:
    rk_free(f->env, s.history);
    return status;
}

static void cost_spectral(const void *self, const rk_extent *e, rk_cost *c) {
    double steps = rk_assumed_steps(((const spectral *)self)->solver, 60), n = e->n;
    rk_add_eigen_cost(NULL, e, c);
    if (((const spectral *)self)->negatives == DRAWN) rk_add_pencil_cost(e, c); /* bounds of ridge */
    c->flops += e->features > 0 ? n * e->features * e->features : 2 * n * n * n / 3;
    c->passes += 2.2 * steps;
    if (!(e->features > 0)) c->numbers += n * n;
}

/* clang-format off */
const rk_model_type rk_model_spectral = {
    .entry = {.name = "spectral",
              .brief = "spectral contrastive learning: embeddings of positives align, those of negatives are orthogonal",
              .formula = "min sum -2 z'z+ + (z'z-)^2 + ridge |W|^2, z = W'phi",
              .where = RK_TRIPLET_WHERE,
              .cost = "the Gram, a factor of it, and a step two products with Phi", .params = params,
              .size = sizeof(spectral)},
    .title = "SpectralContrastive", .default_kernel = rk_default_kernel, .dim = dim_spectral,
    .gram_offset = offsetof(spectral, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_OFTEN, 5000, 2},
    .supervision = RK_KIND_INDEX, .inputs = inputs_spectral,
    .fit = fit_spectral, .cost = cost_spectral, .check = rk_check_full_map, .nonconvex = 1,
};
/* clang-format on */
