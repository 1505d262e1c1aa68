/* gram.c: the list of gram types, and what they share: entries and the diagonal, from the kernel. */
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
    /* A kernel whose values depend on the landmarks (center) is bound by `build`, after these are chosen. */
    if (g->type->form == RK_FORM_SAMPLE || !rk_kernel_any_has(kernel, RK_REFERENCE))
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
    if (g->self) g->type->release(g);
    rk_unbind(g->env, g->bound);
    rk_unbind(g->env, g->landmark_bound);
    rkhs_data_free(g->landmarks);
    rk_free(g->env, g->map_rows);
    rk_free(g->env, g);
}

rkhs_status rk_gram_entries(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out) {
    rk_mark mark = rk_scratch_mark(g->env);
    rk_work *work;
    rkhs_status status = rk_work_new(g->env, g->bound, g->bound, &work);
    for (int64_t q = 0; status == RKHS_OK && q < count; q++)
        status = rk_block_of(g->bound, I[q], 1, g->bound, J[q], 1, out + q, 1, work[0]);
    rk_scratch_release(g->env, mark);
    return status;
}

rkhs_status rk_gram_diag(const rk_gram *g, double *out) {
    rk_mark mark = rk_scratch_mark(g->env);
    rk_work *work;
    rkhs_status status = rk_work_new(g->env, g->bound, g->bound, &work);
    for (int64_t i = 0; status == RKHS_OK && i < g->n; i += RK_TILE)
        status = rk_diag_of(g->bound, i, rk_min(RK_TILE, g->n - i), out + i, work[0]);
    rk_scratch_release(g->env, mark);
    return status;
}

rkhs_status rk_gram_check_finite(const rk_gram *g, double sum) {
    char text[RK_SHORT];
    if (isfinite(sum)) return RKHS_OK;
    return rk_fail(g->env, RKHS_ERR_NUMERIC,
                   "the kernel %s overflows on these data: bring the columns to a smaller scale, or choose other parameters",
                   rk_shorten(rkhs_kernel_text(g->kernel), text));
}

/* m landmarks take 8 m (n + 2 m) bytes, beside some tiles for each worker: solved for m. */
int64_t rk_advised_landmarks(const rkhs_env *env, int64_t n) {
    double tiles = 3.0 * RK_TILE * RK_TILE * sizeof(double) * rk_workers(env);
    double room = ((double)env->limit - (double)atomic_load(&env->used) - tiles) / 2;
    if (!(room > 0)) return 0;
    double m = fmin(2000, (double)n / 2), max_m = (sqrt((double)n * (double)n + room) - (double)n) / 4, unit = 1;
    if (m > max_m) m = max_m;
    while (m >= 10) m /= 10, unit *= 10;
    return (int64_t)(floor(m) * unit);
}
