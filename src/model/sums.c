/* sums.c: the state of models with features that an update adds to: sums over all objects that they have seen. */
#include "model/model.h"

int rk_has_sums(const rkhs_model *m) {
    return m->type->adds && m->map_rows && ((const rk_sums_state *)m->state)->square.values;
}

rkhs_status rk_sums_before(const rk_fit *f, rk_feature_sums *before) {
    const rk_sums_state *s = f->old_state;
    const rk_gram *g = f->gram;
    int same = s->square.rows == g->rank; /* landmarks in another order have other features */
    for (int64_t i = 0; rk_gram_offers(g, RK_LANDMARKS) && i < g->kept; i++) same &= g->map_rows[i] == i;
    if (!same)
        return rk_fail(f->env, RKHS_ERR_NUMERIC, "the model's %s no longer explain what they did: fit on all objects",
                       rk_counted(s->square.rows, "feature").text);
    *before = (rk_feature_sums){.square = s->square.values,
                                .sums = s->sums.values,
                                .between = s->between.values,
                                .product = s->product.values,
                                .count = s->count,
                                .weight = s->weight,
                                .trace = s->trace,
                                .target_square = s->target_square};
    return RKHS_OK;
}

/* A matrix of the state, where there is one. */
static rkhs_status keep(rkhs_env *env, rk_state_matrix *to, int64_t rows, int64_t columns, const double *values) {
    return values ? rk_state_matrix_set(env, to, rows, columns, values) : RKHS_OK;
}

rkhs_status rk_sums_keep(const rk_fit *f, const rk_feature_sums *s) {
    rkhs_status status = RKHS_OK;
    rk_sums_state *to = f->state;
    int64_t r = f->gram->rank;
    if (s->count != (double)f->gram->n) TRY(rk_report_number(f->env, f->report, "objects_seen", s->count));
    to->count = s->count;
    to->weight = s->weight;
    to->trace = s->trace;
    to->target_square = s->target_square;
    TRY(keep(f->env, &to->square, r, r, s->square));
    TRY(keep(f->env, &to->sums, 1, r, s->sums));
    TRY(keep(f->env, &to->between, r, r, s->between));
    TRY(keep(f->env, &to->product, r, f->dim, s->product));
done:
    return status;
}

/* Whether |a| is at most sqrt(b c), as sums over objects are by the Cauchy-Schwarz inequality. */
static int bounded(double a, double b, double c) { return fabs(a) <= (1 + 1e-6) * sqrt(b) * sqrt(c) + 1e-150; }

/* Whether A (r x r) is symmetric and, if it is a sum of squares, within their bounds. */
static int symmetric(const rk_state_matrix *A, int64_t r, int squares) {
    int fits = A->rows == r && A->columns == r;
    const double *a = A->values;
    for (int64_t i = 0; fits && i < r; i++) {
        fits = !squares || a[i * r + i] >= 0;
        for (int64_t j = 0; fits && j < i; j++)
            fits = a[i * r + j] == a[j * r + i] && (!squares || bounded(a[i * r + j], a[i * r + i], a[j * r + j]));
    }
    return fits;
}

/* Whether the sums of features are within the bounds of their squares. */
static int sums_fit(const rk_sums_state *s) {
    int64_t r = s->square.rows;
    double all = s->weight > 0 ? s->weight : s->count;
    int fits = s->sums.rows == 1 && s->sums.columns == r;
    for (int64_t i = 0; fits && i < r; i++) fits = bounded(s->sums.values[i], all, fmax(s->square.values[i * (r + 1)], 0));
    return fits;
}

/* Whether a field of the state can be what a fit leaves. */
static int part_fits(const rkhs_model *m, const rk_sums_state *s, const rk_state_part *part) {
    const void *p = (const char *)s + part->offset;
    const rk_state_matrix *a = p;
    int64_t r = s->square.rows;
    if (part->kind == RK_STATE_NUMBER) return *(const double *)p >= 0 && isfinite(*(const double *)p);
    if (!a->values) return 0;
    if (a == &s->sums) return sums_fit(s);
    if (a == &s->product) return a->rows == r && a->columns == m->dim;
    return symmetric(a, r, a == &s->square);
}

rkhs_status rk_check_sums(const rkhs_model *m) {
    const rk_sums_state *s = m->state;
    int64_t r = s->square.rows;
    int any = 0, fits = m->map_rows && r >= 1 && r <= m->map->width && s->square.columns == r &&
                        (!m->map->features || r == m->map->width) && s->count >= (double)m->n && s->count < 1e15 &&
                        s->count == floor(s->count);
    for (const rk_state_part *part = m->type->state; part->name; part++) {
        if (part->offset >= sizeof *s) continue; /* the model's own */
        const rk_state_matrix *a = (const void *)((const char *)s + part->offset);
        any |= part->kind == RK_STATE_MATRIX && a->values;
        fits = fits && part_fits(m, s, part);
    }
    if (any && !fits) return rk_fail(m->env, RKHS_ERR_FORMAT, "the sums over its objects do not fit together");
    return rk_check_full_map(m);
}
