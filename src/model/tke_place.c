/* tke_place.c: out-of-sample placement for tke and bctke: minimises the objective for a new object alone.
 *
 *     minimise  l(z) = - 2 sum_j F_j a(z, z_j) + 2 repulsion sum_j kx(z, z_j)^2 + decay |z|^2
 *
 * over z. a is kx or log kx (tke_objective.c), z_j are the embeddings of the objects of the map, F_j the weights of
 * the new object's k nearest ones in feature space. The start is the nearest neighbour of lowest l. From there a
 * damped Newton method descends; l rises by rounding at most. A training object keeps its position. */
#include "model/tke.h"

#include <string.h>

enum { STEPS = 40, HALVINGS = 30, SHIFTS = 20 };

/* Work space for one object; reference_count: the objects of the map. */
typedef struct row {
    const rk_tke_place *t;
    int64_t *near;         /* k */
    double *F;             /* k */
    double *s, *u;         /* reference_count: squared distances, kx */
    double *g, *H, *L, *y; /* d, d x d, d x d, d */
    double *next;          /* d */
} row;

int64_t rk_tke_place_work(int64_t reference_count, int64_t dim, int64_t k) {
    return 2 * k + 2 * reference_count + 3 * dim + 2 * dim * dim;
}

static row row_of(const rk_tke_place *t, double *work) {
    row r = {.t = t, .near = (int64_t *)work, .F = work + t->k, .s = work + 2 * t->k};
    r.u = r.s + t->reference_count;
    r.g = r.u + t->reference_count;
    r.y = r.g + t->dim;
    r.next = r.y + t->dim;
    r.H = r.next + t->dim;
    r.L = r.H + t->dim * t->dim;
    return r;
}

/* kx of z with all objects of the map. */
static void all_latent(row *r, const double *z) {
    const rk_tke_place *t = r->t;
    memset(r->s, 0, (size_t)t->reference_count * sizeof *r->s);
    rk_add_squares(t->reference_count, t->dim, z, t->columns, t->reference_count, r->s);
    if (t->kernel == RK_EMBEDDING_RBF) {
        for (int64_t j = 0; j < t->reference_count; j++) r->u[j] = -t->g * r->s[j];
        rk_exp(t->reference_count, r->u);
    } else {
        for (int64_t j = 0; j < t->reference_count; j++) r->u[j] = 1 / (1 + t->g * r->s[j]);
    }
}

/* The attraction a(s), with u = kx(s). */
static double attraction(const rk_tke_place *t, double s, double u) {
    return !t->log ? u : t->kernel == RK_EMBEDDING_RBF ? -t->g * s : -log1p(t->g * s);
}

/* l(z). */
static double value_at(row *r, const double *z) {
    const rk_tke_place *t = r->t;
    all_latent(r, z);
    double l = 2 * t->repulsion * rk_dot(t->reference_count, r->u, r->u);
    for (int64_t q = 0; q < t->k; q++) l -= 2 * r->F[q] * attraction(t, r->s[r->near[q]], r->u[r->near[q]]);
    for (int64_t c = 0; c < t->dim; c++) l += t->decay * z[c] * z[c];
    return l;
}

/* For a term a(|z - z_j|^2): 2 a' (z - z_j) to the gradient, 2 a' I + 4 a'' (z - z_j)(z - z_j)' to the Hessian. */
static inline void add_term(row *r, const double *z, int64_t j, double a1, double a2) {
    const rk_tke_place *t = r->t;
    int64_t d = t->dim;
    for (int64_t c = 0; c < d; c++) {
        double x = z[c] - t->columns[c * t->reference_count + j];
        r->g[c] += 2 * a1 * x;
        r->H[c * d + c] += 2 * a1;
        for (int64_t e = 0; e <= c; e++) r->H[c * d + e] += 4 * a2 * x * (z[e] - t->columns[e * t->reference_count + j]);
    }
}

/* Gradient and Hessian (lower triangle) at z, where all_latent was called last. */
static void slopes_at(row *r, const double *z) {
    const rk_tke_place *t = r->t;
    int64_t d = t->dim;
    int rbf = t->kernel == RK_EMBEDDING_RBF;
    double g = t->g;
    memset(r->H, 0, (size_t)(d * d) * sizeof *r->H);
    for (int64_t c = 0; c < d; c++) r->g[c] = 2 * t->decay * z[c], r->H[c * d + c] = 2 * t->decay;
    for (int64_t j = 0; j < t->reference_count; j++) { /* 2 repulsion kx^2 */
        double q = r->u[j], v = rbf ? 1 : q, q1 = -g * q * v;
        double q2 = rbf ? g * g * q : 2 * g * g * q * v * v;
        if (q > 1e-12) add_term(r, z, j, 4 * t->repulsion * q * q1, 4 * t->repulsion * (q1 * q1 + q * q2));
    }
    for (int64_t p = 0; p < t->k; p++) {
        double q = r->u[r->near[p]], v = rbf ? 1 : q, q1 = -g * (t->log ? v : q * v);
        double q2 = t->log ? (rbf ? 0 : g * g * v * v) : rbf ? g * g * q : 2 * g * g * q * v * v;
        add_term(r, z, r->near[p], -2 * r->F[p] * q1, -2 * r->F[p] * q2);
    }
}

/* y = -(H + m I)^-1 g, downhill, with the first m that makes the matrix positive definite; 0: there is none. */
static int direction(row *r) {
    int64_t d = r->t->dim, bad = 0;
    double most = 0;
    for (int64_t c = 0; c < d; c++) {
        double sum = 0;
        for (int64_t e = 0; e < d; e++) sum += fabs(r->H[e <= c ? c * d + e : e * d + c]);
        if (!isfinite(sum) || !isfinite(r->g[c])) return 0;
        most = fmax(most, sum);
    }
    if (!(most > 0)) return 0;
    double m = 0;
    for (int shift = 0; bad >= 0; shift++, m = m == 0 ? 1e-3 * most : 4 * m) {
        if (shift == SHIFTS) return 0; /* m is past 1e8 most: the rest is rounding */
        memcpy(r->L, r->H, (size_t)(d * d) * sizeof *r->L);
        for (int64_t c = 0; c < d; c++) r->L[c * d + c] += m;
        bad = rk_cholesky_tile(d, r->L, d);
    }
    for (int64_t c = 0; c < d; c++) r->y[c] = -r->g[c];
    rk_solve_vector('n', d, r->L, d, r->y);
    rk_solve_vector('t', d, r->L, d, r->y);
    return 1;
}

/* Newton steps from z, each at most 1/sqrt(g) long, until they gain nothing. */
static void descend(row *r, double *z) {
    const rk_tke_place *t = r->t;
    int64_t d = t->dim;
    double l = value_at(r, z);
    for (int step = 0; step < STEPS; step++) {
        slopes_at(r, z);
        if (!direction(r)) return;
        double length = rk_norm(d, r->y) * sqrt(t->g), slope = rk_dot(d, r->y, r->g), at = length > 1 ? 1 / length : 1, to = l;
        int half = 0;
        if (!(length > 1e-10)) return;
        for (; half < HALVINGS; half++, at /= 2) { /* the last steps gain less than the rounding of l */
            for (int64_t c = 0; c < d; c++) r->next[c] = z[c] + at * r->y[c];
            to = value_at(r, r->next);
            if (to <= l + 1e-4 * at * slope + 1e-14 * fmax(1, fabs(l))) break;
        }
        if (half == HALVINGS) return;
        memcpy(z, r->next, (size_t)d * sizeof *z);
        l = to;
    }
}

/* The index of the training object with these kernel values, or -1. */
static int64_t own_index(const rk_tke_place *t, const double *K) {
    double fingerprint = 0, size = 0;
    for (int64_t j = 0; t->fingerprints.weight && j < t->reference_count; j++) {
        double v = t->fingerprints.weight[j] * K[j];
        fingerprint += v, size += fabs(v);
    }
    return t->fingerprints.weight ? rk_fingerprints_find(&t->fingerprints, fingerprint, size) : -1;
}

/* Fills near and F; returns the neighbour at which l is lowest. */
static int64_t first_guess(row *r, const double *K) {
    const rk_tke_place *t = r->t;
    int64_t count = 0, best = 0, d = t->dim;
    double least = INFINITY;
    for (int64_t j = 0; j < t->reference_count; j++)
        count = rk_top_offer(r->F, r->near, count, t->k, j, rk_nearness(t->half, j, K[j]));
    for (int64_t q = 0; q < t->k; q++) r->F[q] = K[r->near[q]];
    rk_tke_weigh(t->k, t->sum, t->log, t->half, r->near, r->F);
    for (int64_t q = 0; q < t->k; q++) {
        for (int64_t c = 0; c < d; c++) r->next[c] = t->columns[c * t->reference_count + r->near[q]];
        double l = value_at(r, r->next);
        if (l < least) least = l, best = r->near[q];
    }
    return best;
}

void rk_tke_place_row(const rk_tke_place *t, const double *K, int refine, double *z, double *work) {
    row r = row_of(t, work);
    int64_t own = own_index(t, K), at = own >= 0 ? own : first_guess(&r, K);
    for (int64_t c = 0; c < t->dim; c++) z[c] = t->columns[c * t->reference_count + at];
    if (own < 0 && refine) descend(&r, z);
}
