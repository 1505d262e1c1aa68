/* krr.c: kernel ridge regression, whose "embedding" is the prediction of the targets.
 *
 *     minimise  |T - Z|^2 + ridge |W|^2,   Z = Phi W
 *
 * T are the targets, one column each; Z has the same columns, for new objects too. Solved as (Phi'Phi + ridge I) W =
 * Phi'T, or (K + ridge I) a = T with the exact Gram. For updates the model keeps Phi'Phi and Phi'T, or T. Cost: the
 * Gram and a Cholesky factor. There is no intercept: centre the targets. Saunders, Gammerman, Vovk, "Ridge regression
 * learning algorithm in dual variables", ICML 1998. */
#include "model/model.h"

typedef struct krr {
    double ridge;
    rk_spec *gram, *solver;
} krr;

typedef struct krr_state {
    rk_sums_state sums;      /* with features */
    rk_state_matrix targets; /* n x dim: T; without features */
} krr_state;

static const rk_state_part state[] = {
    RK_SUMS_PART(square, RK_STATE_MATRIX),
    RK_SUMS_PART(product, RK_STATE_MATRIX),
    RK_SUMS_PART(count, RK_STATE_NUMBER),
    RK_SUMS_PART(target_square, RK_STATE_NUMBER),
    RK_STATE_PART(krr_state, targets, RK_STATE_MATRIX, NULL),
    {.name = NULL},
};

/* clang-format off */
static const rk_param params[] = {
    {.name = "ridge", .kind = RK_REAL, .offset = offsetof(krr, ridge), .value = "1", .max = 1e300, .min_excluded = 1,
     .brief = "penalty on |W|^2: larger values give smoother functions"},
    RK_PARAM_GRAM(krr, ""),
    {.name = "solver", .kind = RK_SPEC, .offset = offsetof(krr, solver), .list = &rk_linsolvers,
     .brief = "linear solver: cholesky or cg; not given: cholesky"},
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_krr(const void *self, const rkhs_data *y) { return y ? y->columns : 1; }

/* T (n x dim): in an update those of old objects first; 0 where these are in the sums already. */
static void all_targets(const rk_fit *f, double *T) {
    int64_t n = f->gram->n, k = f->dim, old = n - f->y->rows;
    const krr_state *before = f->old_state;
    for (int64_t q = 0; q < old * k; q++) T[q] = f->known ? 0 : before->targets.values[q];
    for (int64_t i = old; i < n; i++) rkhs_data_row(f->y, i - old, T + i * k);
}

/* |T - Phi W|^2 of all objects, from their sums: |T|^2 - 2 tr W'Phi'T + tr W'Phi'Phi W. */
static rkhs_status error_of_all(rk_fit *f, const rk_solution *s, double *error) {
    rkhs_status status = RKHS_OK;
    int64_t r = f->gram->rank, k = f->dim;
    double *SW;
    TRY(rk_scratch(f->env, r * k, sizeof *SW, &SW));
    TRY(rk_symm(f->env, r, s->sums.square, r, k, s->coef, SW));
    for (int64_t q = 0; q < r * k; q++) SW[q] -= 2 * s->sums.product[q];
    *error = fmax(0, s->sums.target_square + rk_rows_dot(r, k, s->coef, SW));
done:
    return status;
}

/* Reports the mean squared error, and keeps what an update needs. */
static rkhs_status finish(rk_fit *f, const double *T, rk_solution *s) {
    rkhs_status status = RKHS_OK;
    krr_state *to = f->state;
    int64_t n = f->gram->n, k = f->dim;
    double error, count = s->sums.square ? s->sums.count : (double)n;
    rk_row_sum errors = {0}, squares = {0};
    for (int64_t i = 0; i < n; i++) {
        rk_add_row(&errors, rk_scaled_square(k, 1, f->Z + i * k, 1, T + i * k));
        rk_add_row(&squares, rk_dot(k, T + i * k, T + i * k));
    }
    error = rk_row_total(&errors);
    s->sums.target_square += rk_row_total(&squares);
    if (f->known) TRY(error_of_all(f, s, &error));
    TRY(rk_report_number(f->env, f->report, "training_error", error / (count * (double)k)));
    if (s->sums.square)
        TRY(rk_sums_keep(f, &s->sums));
    else
        TRY(rk_state_matrix_set(f->env, &to->targets, n, k, T));
done:
    return status;
}

static rkhs_status fit_krr(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const krr *o = f->self;
    int64_t k = f->dim;
    rk_feature_sums before;
    rk_linear problem = {.k = k, .mu = o->ridge, .keep = 1, .known = f->known};
    rk_solution s;
    double *T;
    if (!f->y) TRY(rk_fail_hint(f->env, RKHS_ERR_ARGUMENT, "target", "krr needs targets: give them"));
    TRY(rk_scratch(f->env, f->gram->n * k, sizeof *T, &T));
    all_targets(f, T);
    problem.T = T;
    if (f->known) {
        TRY(rk_sums_before(f, &before));
        problem.before = &before;
    }
    TRY(rk_solve_linear(f->gram, o->solver, &problem, &s));
    TRY(rk_gram_embed(f->gram, s.coef, k, f->map->B, f->Z));
    TRY(finish(f, T, &s));
    TRY(rk_report_solver(f, o->solver, s.solver, s.iterations, -1, s.converged));
done:
    return status;
}

static rkhs_status check_krr(const rkhs_model *m) {
    const krr_state *s = m->state;
    const rk_state_matrix *T = &s->targets;
    if (T->values && (m->map_rows || T->rows != m->n || T->columns != m->dim))
        return rk_fail(m->env, RKHS_ERR_FORMAT, "its targets are %lld x %lld, which does not fit its objects",
                       (long long)T->rows, (long long)T->columns);
    return rk_check_sums(m);
}

static void cost_krr(const void *self, const rk_extent *e, rk_cost *c) {
    rk_add_linear_cost(((const krr *)self)->solver, e, c);
}

/* clang-format off */
const rk_model_type rk_model_krr = {
    .entry = {.name = "krr", .brief = "kernel ridge regression: predicts targets",
              .formula = "min |T - Phi W|^2 + ridge |W|^2",
              .where = "T: the targets; row i of Phi: object i in feature space; W: the coefficients, to be found", .cost = "the Gram and n^3/3 flops", .params = params,
              .size = sizeof(krr)},
    .default_kernel = rk_default_kernel, .dim = dim_krr, .gram_offset = offsetof(krr, gram), .need = {RK_PRODUCTS | RK_FEATURES, RK_READ_ONCE, 20000, 1}, .keeps_signs = 1,
    .supervision = RK_KIND_DENSE, .predicts = 1, .title = "KernelRidge", .fit = fit_krr, .cost = cost_krr,
    .state_size = sizeof(krr_state), .state = state, .check = check_krr, .adds = 1,
};
/* clang-format on */
