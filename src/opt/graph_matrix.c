/* graph_matrix.c: products with a matrix over objects that is made of a graph, and its moments with features. */
#include "opt/opt.h"

#include <string.h>

/* sums (k) = d'V, added in the order of sums over rows. */
static rkhs_status weighted_sums(rkhs_env *env, int64_t n, const double *d, const double *V, int64_t k, double *sums) {
    rk_mark mark = rk_scratch_mark(env);
    rk_block_sum sum;
    rkhs_status status = rk_block_sum_new(env, n, k, &sum);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++) {
        for (int64_t c = 0; c < k; c++) sum.tile[c] += d[i] * V[i * k + c];
        rk_next_row(&sum);
    }
    if (status == RKHS_OK) rk_block_total(&sum, sums);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_graph_matrix_apply(rkhs_env *env, const rk_graph_matrix *m, const double *V, int64_t k, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = m->graph->n;
    double *GV, *sum, all;
    if (!m->transposed) TRY(rk_csr_apply(env, m->graph, V, k, out));
    if (m->transposed) {
        TRY(rk_scratch(env, n * k, sizeof *GV, &GV));
        TRY(rk_csr_apply(env, m->graph, V, k, GV));
        TRY(rk_csr_apply(env, m->transposed, GV, k, out));
        for (int64_t i = 0; i < n * k; i++) out[i] = V[i] - out[i];
    }
    if (!m->constant) goto done;
    all = rk_rows_sum(n, 1, m->constant);
    TRY(rk_scratch(env, k, sizeof *sum, &sum));
    TRY(weighted_sums(env, n, m->constant, V, k, sum));
    for (int64_t i = 0; all > 0 && i < n; i++)
        for (int64_t c = 0; c < k; c++) out[i * k + c] -= RK_CONSTANT_SHIFT * m->constant[i] * sum[c] / all;
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_graph_matrix_moments(const rk_gram *g, const rk_graph_matrix *m, const double *weight, rk_feature_sums *out) {
    int64_t r = g->rank;
    rk_moments moments = {.weight = weight, .square = out->square, .graph = m->graph};
    *(m->transposed ? &moments.squared : &moments.between) = out->between;
    if (out->sums) {
        moments.T = weight;
        moments.k = 1;
        moments.product = out->sums;
    }
    rkhs_status status = rk_gram_moments(g, "moments", &moments);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; m->transposed && i < r * r; i++) out->between[i] = out->square[i] - out->between[i];
    return RKHS_OK;
}
