/* gram.c: the list of gram types, and what they share: entries and the diagonal, from K or from the kernel. */
#include "gram/gram.h"

#define RK_GRAM(name) extern const rk_gram_type rk_gram_##name;
#include "gram/grams.def"
#undef RK_GRAM

static const rk_entry *const entries[] = {
#define RK_GRAM(name) &rk_gram_##name.entry,
#include "gram/grams.def"
#undef RK_GRAM
    NULL};

const rk_list rk_grams = {"grams", "gram", entries};

rkhs_status rk_gram_new(rkhs_env *env, const rk_spec *spec, const rkhs_kernel *kernel, const rkhs_data *x, rk_gram **gram) {
    rkhs_status status = RKHS_OK;
    rk_gram *g = NULL;
    *gram = NULL;
    TRY(rk_alloc(env, 1, sizeof *g, &g));
    *g = (rk_gram){.env = env, .type = (const rk_gram_type *)spec->entry, .spec = spec, .kernel = kernel, .x = x, .n = x->rows};
    g->rank = g->map_count = g->kept = g->n;
    /* A kernel whose values depend on the landmarks (center) is bound by `build`, after these are chosen. */
    if (!rk_gram_offers(g, RK_LANDMARKS) || !rk_kernel_any_has(kernel, RK_REFERENCE))
        TRY(rk_bind(env, kernel, x, NULL, &g->bound));
    TRY(g->type->build(g));
    *gram = g;
    g = NULL;
done:
    rk_gram_free(g);
    return status;
}

void rk_gram_free(rk_gram *g) {
    if (!g) return;
    rk_unbind(g->env, g->rows);
    rk_unbind(g->env, g->bound);
    rk_features_free(g->env, g->features);
    rk_free(g->env, g->own_K);
    rk_free(g->env, g->Phi);
    rk_free(g->env, g->raw);
    rk_free(g->env, g->map_rows);
    rk_free(g->env, g);
}

rkhs_status rk_gram_entries(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out) {
    rk_mark mark = rk_scratch_mark(g->env);
    rk_work *work;
    for (int64_t q = 0; g->K && q < count; q++) out[q] = g->K[I[q] * g->ldk + J[q]];
    if (g->K) return RKHS_OK;
    rkhs_status status = rk_work_new(g->env, g->bound, g->bound, &work);
    for (int64_t q = 0; status == RKHS_OK && q < count; q++)
        status = rk_block_of(g->bound, I[q], 1, g->bound, J[q], 1, out + q, 1, work[0]);
    rk_scratch_release(g->env, mark);
    return status;
}

rkhs_status rk_bound_diag(rkhs_env *env, const rk_bound *bound, double *out) {
    rk_mark mark = rk_scratch_mark(env);
    rk_work *work;
    int64_t n = bound->x->rows;
    rkhs_status status = rk_work_new(env, bound, bound, &work);
    for (int64_t i = 0; status == RKHS_OK && i < n; i += RK_TILE)
        status = rk_diag_of(bound, i, rk_min(RK_TILE, n - i), out + i, work[0]);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_gram_diag(const rk_gram *g, double *out) {
    for (int64_t i = 0; g->K && i < g->n; i++) out[i] = g->K[i * g->ldk + i];
    return g->K ? RKHS_OK : rk_bound_diag(g->env, g->bound, out);
}

rkhs_status rk_gram_check_finite(const rk_gram *g, double sum) {
    char text[RK_SHORT];
    if (isfinite(sum)) return RKHS_OK;
    return rk_fail(g->env, RKHS_ERR_NUMERIC,
                   "the kernel %s overflows on these data: bring the columns to a smaller scale, or choose other parameters",
                   rk_shorten(rkhs_kernel_text(g->kernel), text));
}
