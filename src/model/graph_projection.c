/* graph_projection.c: the fit of lpp and npe: linear functions in feature space, from an eigenproblem of a graph. */
#include "model/neighbour_graph.h"

const rk_state_part rk_graph_projection_state[] = {
    RK_SUMS_PART(square, RK_STATE_MATRIX),
    RK_SUMS_PART(sums, RK_STATE_MATRIX),
    RK_SUMS_PART(between, RK_STATE_MATRIX),
    RK_SUMS_PART(count, RK_STATE_NUMBER),
    RK_SUMS_PART(weight, RK_STATE_NUMBER),
    RK_SUMS_PART(trace, RK_STATE_NUMBER),
    {.name = NULL},
};

/* The graph of an update that adds to sums has edges of new objects alone, and its components say nothing. */
static rkhs_status report(rk_fit *f, const rk_spec *solver, const rk_spectrum *s, double mu, const rk_csr *graph) {
    rkhs_status status = RKHS_OK;
    int64_t zeros = 0;
    rk_components components;
    for (int64_t c = 0; c < s->count; c++) zeros += s->values[c] == 0;
    TRY(rk_report_array(f->env, f->report, "eigenvalues", 1, s->count, s->values));
    TRY(rk_report_array(f->env, f->report, "residuals", 1, s->count, s->residuals));
    TRY(rk_report_number(f->env, f->report, "absolute_ridge", mu));
    TRY(rk_report_solver(f, solver, s->solver, s->iterations, -1, s->converged));
    if (!f->known) {
        TRY(rk_connected_components(f->env, graph, &components));
        TRY(rk_report_number(f->env, f->report, "components", (double)components.count));
        rk_advise_components(f->env, f->gram->n, components.count, components.isolated, RK_COMPONENTS_APART);
        if (components.isolated == f->gram->n) goto done;
    }
    if (zeros)
        rk_log(f->env, RKHS_LOG_ADVICE, "only %lld of the %s exist; the others are 0", (long long)(s->count - zeros),
               rk_counted(s->count, "dimension").text);
done:
    return status;
}

rkhs_status rk_fit_graph_projection(rk_fit *f, const rk_spec *solver, const rk_graph_matrix *m, const double *n, double ridge,
                                    const rk_csr *graph) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = f->gram;
    int64_t d = f->dim;
    rk_spectrum s;
    rk_feature_sums before = {0};
    double *diag, all, trace;
    rk_row_sum sizes = {0};
    if (f->known) TRY(rk_sums_before(f, &before));
    TRY(rk_scratch(f->env, g->n, sizeof *diag, &diag));
    TRY(rk_gram_diag(g, diag));
    for (int64_t i = 0; i < g->n; i++) rk_add_row(&sizes, n[i] * fabs(diag[i]));
    all = before.weight + rk_rows_sum(g->n, 1, n);
    trace = before.trace + rk_row_total(&sizes);
    TRY(rk_gram_check_finite(g, trace));
    rk_spectral problem = {.coordinates = RK_COORD_ISOMETRIC, .m_kind = RK_M_GRAPH, .m = m, .n = n, .count = d};
    problem.mu = ridge * trace / (before.count + (double)(g->n - f->known));
    if (f->known) {
        problem.before = &before;
        problem.known = f->known;
    }
    TRY(rk_solve_spectral(g, solver, &problem, &s));
    s.sums.trace = trace;
    if (s.sums.square) TRY(rk_sums_keep(f, &s.sums));
    for (int64_t c = 0; c < d; c++) { /* l is at most about 1: values as small as this are rounding */
        if (fabs(s.values[c]) < 1e-11 || s.values[c] < -1.5) s.values[c] = 0;
        for (int64_t i = 0; i < g->rank; i++) s.coef[i * d + c] *= s.values[c] == 0 ? 0 : sqrt(all);
    }
    TRY(rk_gram_embed(g, s.coef, d, f->map->B, f->Z));
    TRY(report(f, solver, &s, problem.mu, graph));
done:
    return status;
}
