/* gplvm_place.c: out-of-sample placement for gplvm: maximises the likelihood of a new object, training codes fixed.
 *
 *     minimise over z  (D/2) log v(z) + |y - m(z)|^2/(2 v(z)) + prior |z|^2/2
 *     m(z) = Y'K^-1 k(z),   v(z) = variance + noise - k(z)'K^-1 k(z)
 *
 * This is the likelihood of the new object given all others. Y is F of gplvm_likelihood.c, K and k(z) are the
 * process's kernel. The object enters by its coordinates y in the features of F, computed from its kernel values, and
 * by the part of k(x,x) outside their span. BFGS descends from the most likely code among those of the nearest
 * objects. Codes further than 8.5 widths from z, where k is below rounding, are left out, so that a step costs n times
 * the number of near codes. A training object gets its own code. */
#include "model/gplvm.h"

#include <string.h>

enum { CANDIDATES = 10, STEPS = 100, HALVINGS = 30 };
static const double FAR = 36, SAME = 1e-12; /* exp(-FAR) is 2e-16; SAME: squared distance, where the mean square is 1 */

/* ---- state ----------------------------------------------------------------------------------------------------- */

const rk_state_part rk_gplvm_parts[] = {
    RK_STATE_PART(rk_gplvm_state, rank, RK_STATE_NUMBER, "place/rank"),
    RK_STATE_PART(rk_gplvm_state, unit, RK_STATE_NUMBER, "place/unit"),
    RK_STATE_PART(rk_gplvm_state, features, RK_STATE_NUMBER, "features"),
    RK_STATE_PART(rk_gplvm_state, prior, RK_STATE_NUMBER, "prior"),
    RK_STATE_PART(rk_gplvm_state, width, RK_STATE_NUMBER, "width"),
    RK_STATE_PART(rk_gplvm_state, variance, RK_STATE_NUMBER, "variance"),
    RK_STATE_PART(rk_gplvm_state, noise, RK_STATE_NUMBER, "noise"),
    RK_STATE_PART(rk_gplvm_state, order, RK_STATE_MATRIX, "place/order"),
    RK_STATE_PART(rk_gplvm_state, means, RK_STATE_MATRIX, "place/means"),
    RK_STATE_PART(rk_gplvm_state, factor, RK_STATE_MATRIX, "place/factor"),
    {.name = NULL},
};

rkhs_status rk_gplvm_store(rk_fit *f, const rk_gplvm *p) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    rk_gplvm_state *s = f->state;
    double *order;
    s->rank = (double)p->r;
    if (p->r == 0) goto done;
    s->unit = p->unit;
    s->features = p->features;
    s->prior = p->prior;
    s->width = sqrt(0.5 / p->rate);
    s->variance = p->scale * p->variance;
    s->noise = p->scale * p->noise;
    TRY(rk_scratch(f->env, p->n, sizeof *order, &order));
    for (int64_t i = 0; i < p->n; i++) order[i] = (double)p->order[i];
    TRY(rk_state_matrix_set(f->env, &s->order, 1, p->n, order));
    TRY(rk_state_matrix_set(f->env, &s->means, 1, p->centres, p->means));
    TRY(rk_state_matrix_set(f->env, &s->factor, p->n, p->r, p->F));
done:
    rk_scratch_release(f->env, mark);
    return status;
}

/* A fitted process, ready for placement. */
typedef struct settled {
    rk_gplvm p;
    int none;     /* all training objects are equal, and all codes 0 */
    double total; /* the mean of the Gram */
    double *T;    /* r x r, lower triangular: rows of F of the pivots, or of Phi/unit of the landmarks */
    double *own;  /* n: |F_j|^2 */
    const double *order, *means, *factor; /* borrowed from the state */
} settled;

static int within(double value, double least, double most) { return value >= least && value <= most; }

/* The values of a matrix if it has this shape, else NULL. */
static const double *numbers_of(const rk_state_matrix *m, int64_t rows, int64_t columns) {
    return m->rows == rows && m->columns == columns ? m->values : NULL;
}

/* Reads the state, which may come from any file; 0: something is missing or out of range. */
static int take_state(const rkhs_model *m, settled *s) {
    const rk_gplvm_state *from = m->state;
    rk_gplvm *p = &s->p;
    if (!within(from->rank, 0, (double)rk_min(m->n, m->map->object_count)) || from->rank != floor(from->rank)) return 0;
    p->n = m->n;
    p->dim = m->dim;
    p->r = (int64_t)from->rank;
    p->lower = m->map_rows == NULL;
    p->centres = p->lower ? p->n : p->r;
    s->none = p->r == 0;
    if (s->none) return 1;
    if (!within(from->features, 1, 1e300) || !within(from->unit, 1e-300, 1e300) || !within(from->width, 1e-150, 1e150) ||
        !within(from->variance, 0, 1e300) || !within(from->noise, 0, 1e300) || !within(from->prior, 0, 1e300))
        return 0;
    p->features = from->features;
    p->unit = from->unit;
    p->prior = from->prior;
    p->scale = p->unit * p->unit / p->features;
    p->rate = 0.5 / (from->width * from->width);
    p->variance = from->variance / p->scale;
    p->noise = from->noise / p->scale;
    s->order = numbers_of(&from->order, 1, p->n);
    s->means = numbers_of(&from->means, 1, p->centres);
    s->factor = numbers_of(&from->factor, p->n, p->r);
    return s->order && s->means && s->factor && isfinite(p->variance) && isfinite(p->noise);
}

/* Entry (i, c) of T: the rows of the pivots in F, or those of the landmarks in Phi. */
static double triangle_at(const rkhs_model *m, const settled *s, int64_t i, int64_t c) {
    const rk_gplvm *p = &s->p;
    return s->factor[(p->lower ? i : m->map_rows[i]) * p->r + c] + (p->lower ? 0 : s->means[c] / p->unit);
}

rkhs_status rk_gplvm_check(const rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    settled s = {.none = 0};
    char *taken;
    TRY(rk_check_full_map(m));
    if (!take_state(m, &s)) FAIL(env, RKHS_ERR_FORMAT, "what it places new objects by is missing or out of range");
    if (s.none) goto done;
    int fits = 1;
    TRY(rk_scratch(env, s.p.n, 1, &taken));
    for (int64_t i = 0; fits && i < s.p.n; i++) {
        double row = s.order[i];
        fits = row >= 0 && row < (double)s.p.n && row == floor(row) && !taken[(int64_t)row];
        if (fits) taken[(int64_t)row] = 1;
    }
    for (int64_t i = 0; fits && i < s.p.r; i++) fits = triangle_at(m, &s, i, i) > 0;
    if (!fits) FAIL(env, RKHS_ERR_FORMAT, "its factor of the Gram does not fit its %s", rk_counted(m->n, "object").text);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Copies the arrays of the state. */
static rkhs_status take_arrays(const rkhs_model *m, settled *s) {
    rkhs_status status = RKHS_OK;
    rk_gplvm *p = &s->p;
    int64_t n = p->n, r = p->r;
    TRY(rk_scratch(m->env, n, sizeof *p->order, &p->order));
    TRY(rk_scratch(m->env, p->centres, sizeof *p->means, &p->means));
    TRY(rk_scratch(m->env, n * r, sizeof *p->F, &p->F));
    TRY(rk_scratch(m->env, r * r, sizeof *s->T, &s->T));
    for (int64_t i = 0; i < n; i++) p->order[i] = (int64_t)s->order[i];
    for (int64_t i = 0; i < p->centres; i++) p->means[i] = s->means[i];
    s->total = rk_rows_sum(p->centres, 1, p->means) / (double)p->centres;
    memcpy(p->F, s->factor, (size_t)(n * r) * sizeof *p->F);
    for (int64_t i = 0; i < r; i++)
        for (int64_t c = 0; c <= i; c++) s->T[i * r + c] = triangle_at(m, s, i, c);
done:
    return status;
}

rkhs_status rk_gplvm_ready(const rkhs_model *m, int how, void **ready) {
    rkhs_status status = RKHS_OK;
    settled *s;
    int64_t bad = -1;
    double logarithm;
    TRY(rk_scratch(m->env, 1, sizeof *s, &s));
    *ready = s;
    TRY(rk_gplvm_check(m));
    take_state(m, s);
    if (s->none) goto done;
    TRY(rk_require_memory(m->env, 16.0 * (double)m->n * (double)m->n, "placing new objects", "raise the memory limit"));
    TRY(take_arrays(m, s));
    TRY(rk_gplvm_alloc(m->env, &s->p));
    rk_gplvm_set_codes(&s->p, m->Z);
    TRY(rk_gplvm_invert(m->env, &s->p, &logarithm, &bad));
    if (bad >= 0) FAIL(m->env, RKHS_ERR_NUMERIC, "the covariance of the codes has no inverse: fit the model again");
    TRY(rk_scratch(m->env, m->n, sizeof *s->own, &s->own));
    for (int64_t i = 0; i < m->n; i++) s->own[i] = rk_dot(s->p.r, s->p.F + i * s->p.r, s->p.F + i * s->p.r);
done:
    return status;
}

/* ---- one object ------------------------------------------------------------------------------------------------ */

/* Work space for one object. */
typedef struct spot {
    const settled *s;
    double *y, *m; /* r: coordinates of the object; m(z) - y */
    double left;
    double *k, *side; /* n: kernel values, 0 for far codes; squared distances, then (K^-1 k)_j of near codes */
    int64_t *near, count;
    double *z, *g, *to, *slope, *along, *change; /* dim */
    double *H;                                   /* dim x dim */
} spot;

int64_t rk_gplvm_work(const rkhs_model *m, int how) {
    int64_t r = (int64_t)((const rk_gplvm_state *)m->state)->rank;
    return 2 * r + 3 * m->n + 7 * m->dim + m->dim * m->dim;
}

static double *take(double **from, int64_t count) {
    double *at = *from;
    *from += count;
    return at;
}

/* Computes y and `left` from kernel values K with the objects of the map; `self`: k(x,x), or NULL. */
static void coordinates(spot *q, const double *K, int64_t count, const double *self) {
    const settled *s = q->s;
    const rk_gplvm *p = &s->p;
    int64_t r = p->r;
    double mean = p->lower ? rk_sum(count, K) / (double)count - s->total : 0, inside = 0, outside;
    for (int64_t i = 0; i < r; i++)
        q->y[i] = p->lower ? (K[p->order[i]] - mean - p->means[p->order[i]]) / p->unit / p->unit : K[i] / p->unit / p->unit;
    rk_solve_vector('n', r, s->T, r, q->y);
    for (int64_t i = 0; i < r; i++) inside += q->y[i] * q->y[i];
    outside = self ? (*self - 2 * mean - s->total * (p->lower ? 1 : 0)) / p->unit / p->unit - inside : 0;
    q->left = outside > 0 ? outside : 0;
    for (int64_t i = 0; i < r && !p->lower; i++) q->y[i] -= p->means[i] / p->unit;
}

/* to += k row, r numbers. */
RK_VERSIONS(static, void, add_row, (int64_t r, double k, const double *restrict row, double *restrict to), (r, k, row, to)) {
    for (int64_t i = 0; i < r; i++) to[i] = RK_FMA(k, row[i], to[i]);
}

/* The objective at z divided by D, and its gradient. */
static double objective(spot *q, const double *z, double *gradient) {
    const rk_gplvm *p = &q->s->p;
    int64_t n = p->n, d = p->dim, r = p->r;
    double squares = 0, error = q->left, explained = 0;
    memset(q->side, 0, (size_t)n * sizeof *q->side);
    rk_add_squares(n, d, z, p->columns, n, q->side);
    q->count = 0;
    for (int64_t j = 0; j < n; j++) {
        if (p->rate * q->side[j] < FAR) q->near[q->count++] = j;
        q->k[j] = p->rate * q->side[j] < FAR ? -p->rate * q->side[j] : -INFINITY;
    }
    rk_exp(n, q->k);
    for (int64_t j = 0; j < n; j++) q->k[j] *= p->variance;
    for (int64_t i = 0; i < r; i++) q->m[i] = -q->y[i];
    for (int64_t a = 0; a < q->count; a++) {
        int64_t j = q->near[a];
        add_row(r, q->k[j], p->V + j * r, q->m);
        q->side[a] = rk_dot(n, p->A + j * n, q->k); /* K^-1 k */
        explained += q->side[a] * q->k[j];
    }
    for (int64_t i = 0; i < r; i++) error += q->m[i] * q->m[i];
    for (int64_t c = 0; c < d; c++) squares += z[c] * z[c], gradient[c] = p->prior / p->features * z[c];
    double v = fmax(p->variance + p->noise - explained, p->noise);
    double by_v = (1 - error / v) / v; /* twice the derivative in v */
    for (int64_t a = 0; a < q->count; a++) {
        const double *code = p->Z + q->near[a] * d;
        double w = rk_dot(r, p->V + q->near[a] * r, q->m) / v - by_v * q->side[a];
        for (int64_t c = 0; c < d; c++) gradient[c] -= 2 * p->rate * w * q->k[q->near[a]] * (z[c] - code[c]);
    }
    return 0.5 * (log(v) + error / v + p->prior / p->features * squares);
}

/* Sets z to the code of lowest objective among the nearest objects. Returns 1 for a training object: z is its code. */
static int begin(spot *q, double *z) {
    const rk_gplvm *p = &q->s->p;
    int64_t index[CANDIDATES], count = 0, d = p->dim, same = -1;
    double value[CANDIDATES], own = rk_dot(p->r, q->y, q->y), least = INFINITY;
    for (int64_t j = 0; j < p->n; j++) {
        double near = 2 * rk_dot(p->r, q->y, p->F + j * p->r) - q->s->own[j]; /* |y|^2 minus the squared distance */
        count = rk_top_offer(value, index, count, CANDIDATES, j, near);
        if (own + q->left - near <= SAME && (same < 0 || p->order[j] < p->order[same])) same = j;
    }
    for (int64_t a = 0; same < 0 && a < count; a++) {
        double f = objective(q, p->Z + index[a] * d, q->g);
        if (f < least) least = f, memcpy(z, p->Z + index[a] * d, (size_t)d * sizeof *z);
    }
    if (same < 0 && !(least < INFINITY)) same = index[0];
    if (same >= 0) memcpy(z, p->Z + same * d, (size_t)d * sizeof *z);
    return same >= 0;
}

/* BFGS: H += (1 + y'Hy/s'y) ss'/s'y - (Hy s' + s y'H)/s'y, s the step, y the gradient's change; `hy` receives H y. */
static void update(int64_t d, double *H, const double *s, const double *y, double *hy) {
    double sy = rk_dot(d, s, y), yhy = 0;
    if (!(sy > 1e-14 * rk_norm(d, s) * rk_norm(d, y))) return;
    for (int64_t i = 0; i < d; i++) hy[i] = rk_dot(d, H + i * d, y), yhy += y[i] * hy[i];
    for (int64_t i = 0; i < d; i++)
        for (int64_t j = 0; j < d; j++) H[i * d + j] += (1 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
}

/* A downhill step from z, at most a width long; 0: none found. Where values differ by rounding, gradients decide. */
static int step(spot *q, double *f) {
    const rk_gplvm *p = &q->s->p;
    int64_t d = p->dim;
    double most = sqrt(0.5 / p->rate), t = 1, slope = 0;
    for (int64_t i = 0; i < d; i++) q->along[i] = -rk_dot(d, q->H + i * d, q->g), slope += q->along[i] * q->g[i];
    double length = rk_norm(d, q->along), steep = rk_norm(d, q->g);
    if (!(slope < 0) || !isfinite(length)) return 0;
    if (length > most) t = most / length;
    for (int tries = 0; tries < HALVINGS; tries++, t /= 2) {
        for (int64_t i = 0; i < d; i++) q->to[i] = q->z[i] + t * q->along[i];
        double here = objective(q, q->to, q->slope);
        int level = fabs(here - *f) <= 1e-14 * (1 + fabs(*f)) && rk_norm(d, q->slope) < 0.9 * steep;
        if (!(here <= *f + 1e-4 * t * slope) && !level) continue;
        for (int64_t i = 0; i < d; i++) q->along[i] = q->to[i] - q->z[i], q->change[i] = q->slope[i] - q->g[i];
        memcpy(q->z, q->to, (size_t)d * sizeof *q->z);
        memcpy(q->g, q->slope, (size_t)d * sizeof *q->g);
        *f = here;
        update(d, q->H, q->along, q->change, q->to);
        return 1;
    }
    return 0;
}

/* Minimises the objective from z. */
static void refine(spot *q) {
    const rk_gplvm *p = &q->s->p;
    int64_t d = p->dim;
    double width = sqrt(0.5 / p->rate), f = objective(q, q->z, q->g), steep = rk_norm(d, q->g);
    for (int64_t i = 0; i < d * d; i++) q->H[i] = i % (d + 1) == 0 && steep > 0 ? 0.1 * width / steep : 0;
    for (int steps = 0; steps < STEPS && rk_norm(d, q->g) * width > 1e-11; steps++)
        if (!step(q, &f)) break;
}

rkhs_status rk_gplvm_place(const rk_placing *p) {
    const settled *s = p->ready;
    const rkhs_model *m = p->model;
    int64_t n = m->n, d = m->dim, r = s->p.r;
    double *w = p->work;
    spot q = {.s = s};
    q.y = take(&w, r), q.m = take(&w, r), q.k = take(&w, n), q.side = take(&w, n), q.near = (int64_t *)take(&w, n);
    q.z = take(&w, d), q.g = take(&w, d), q.to = take(&w, d), q.slope = take(&w, d), q.along = take(&w, d);
    q.change = take(&w, d), q.H = take(&w, d * d);
    for (int64_t i = 0; i < p->rows; i++) {
        memset(q.z, 0, (size_t)d * sizeof *q.z);
        if (!s->none) {
            coordinates(&q, p->K + i * p->ld, m->map->object_count, p->diag ? p->diag + i : NULL);
            if (!begin(&q, q.z) && p->how == RK_PLACE_REFINE) refine(&q);
        }
        memcpy(p->Z + i * p->ldz, q.z, (size_t)d * sizeof *q.z);
    }
    return RKHS_OK;
}
