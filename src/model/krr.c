/* krr.c: kernel ridge regression, whose "embedding" is the prediction of the targets.
 *
 *     minimise  |T - Z|^2 + ridge |W|^2,   Z = Phi W
 *
 * T are the targets, one column each; Z has the same columns, for new objects too. Solved as (Phi'Phi + ridge I) W =
 * Phi'T, or (K + ridge I) a = T with the exact Gram. Cost: the Gram and a Cholesky factor. There is no intercept:
 * centre the targets. Saunders, Gammerman, Vovk, "Ridge regression learning algorithm in dual variables", ICML 1998. */
#include "model/model.h"

typedef struct krr {
    double ridge;
    rk_spec *gram, *solver;
} krr;

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

static rkhs_status fit_krr(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const krr *o = f->self;
    int64_t n = f->gram->n, k = f->dim;
    rk_solution s;
    double *T;
    rk_row_sum errors = {0};
    if (!f->y) TRY(rk_fail_hint(f->env, RKHS_ERR_ARGUMENT, "target", "krr needs targets: give them"));
    TRY(rk_scratch(f->env, n * k, sizeof *T, &T));
    for (int64_t i = 0; i < n; i++) rkhs_data_row(f->y, i, T + i * k);
    TRY(rk_solve_linear(f->gram, o->solver, &(rk_linear){T, k, o->ridge}, &s));
    TRY(rk_gram_embed(f->gram, s.coef, k, f->map->B, f->Z));
    for (int64_t i = 0; i < n; i++) rk_add_row(&errors, rk_scaled_square(k, 1, f->Z + i * k, 1, T + i * k));
    TRY(rk_report_number(f->env, f->report, "training_error", rk_row_total(&errors) / (double)(n * k)));
    TRY(rk_report_solver(f, o->solver, s.solver, s.iterations, -1, s.converged));
done:
    return status;
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
    .supervision = RK_KIND_DENSE, .predicts = 1, .title = "KernelRidge", .fit = fit_krr, .cost = cost_krr, .check = rk_check_full_map,
};
/* clang-format on */
