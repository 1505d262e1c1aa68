/* gram.c: the list of gram types, and what they share: neighbours, entries and the diagonal, from the kernel. */
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

typedef struct nearest {
    const rk_gram *g;
    const double *K;
    int64_t k, *index;
    double *value, *tiles;
    rk_work *work;
    int64_t tile;       /* objects at a time */
    const double *half; /* from rk_gram_half_diagonal; may be NULL */
} nearest;

/* Whether all diagonal entries are equal, but for rounding. */
static int is_even(const double *diag, int64_t n) {
    double smallest = diag[0], largest = diag[0];
    for (int64_t i = 1; i < n; i++) smallest = fmin(smallest, diag[i]), largest = fmax(largest, diag[i]);
    return largest - smallest <= 1e-12 * fmax(fabs(smallest), fabs(largest));
}

rkhs_status rk_gram_half_diagonal(const rk_gram *g, double **half) {
    rkhs_status status = RKHS_OK;
    double *diag;
    *half = NULL;
    TRY(rk_scratch(g->env, g->n, sizeof *diag, &diag));
    TRY(g->type ? g->type->diag(g, diag) : rk_gram_diag(g, diag));
    TRY(rk_gram_check_finite(g, rk_sum(g->n, diag)));
    if (is_even(diag, g->n)) goto done;
    for (int64_t i = 0; i < g->n; i++) diag[i] /= 2;
    *half = diag;
done:
    return status;
}

/* The nearest neighbours of one tile of objects. */
static rkhs_status nearest_tile(void *context, int64_t tile, int worker) {
    nearest *s = context;
    int64_t n = s->g->n, i0 = tile * s->tile, ni = rk_min(s->tile, n - i0), counts[RK_TILE] = {0};
    double *out = s->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0), ld = s->K ? n : RK_TILE;
        const double *values = s->K ? s->K + i0 * n + j0 : out;
        if (!s->K) {
            rkhs_status status = rk_block_of(s->g->bound, i0, ni, s->g->bound, j0, nj, out, RK_TILE, s->work[worker]);
            if (status != RKHS_OK) return status;
        }
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                if (i0 + i != j0 + j)
                    counts[i] = rk_top_offer(s->value + (i0 + i) * s->k, s->index + (i0 + i) * s->k, counts[i], s->k, j0 + j,
                                             rk_nearness(s->half, j0 + j, values[i * ld + j]));
    }
    return RKHS_OK;
}

rkhs_status rk_gram_neighbours(const rk_gram *g, const double *K, int64_t k, int64_t *index, double *value) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    nearest s = {.g = g, .K = K, .k = k, .index = index, .value = value};
    double *half;
    if (k < 1 || k >= g->n)
        FAIL(g->env, RKHS_ERR_SPEC, "k = %s of %s: choose k from 1 to %lld", rk_counted(k, "neighbour").text,
             rk_counted(g->n - 1, "other object").text, (long long)(g->n - 1));
    TRY(rk_gram_half_diagonal(g, &half));
    s.half = half;
    s.tile = K ? RK_TILE : rk_kernel_tile_rows(g->bound, g->bound);
    TRY(rk_work_new(g->env, g->bound, g->bound, &s.work));
    TRY(rk_scratch(g->env, (int64_t)rk_workers(g->env) * RK_TILE * RK_TILE, sizeof *s.tiles, &s.tiles));
    TRY(rk_kernel_parallel(g->env, "neighbours", g->kernel, (g->n + s.tile - 1) / s.tile, nearest_tile, &s));
    for (int64_t q = 0; half && q < g->n * k; q++) value[q] += half[index[q]];
done:
    rk_scratch_release(g->env, mark);
    return status;
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
