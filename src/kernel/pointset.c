/* pointset.c: the inverse generalised variance kernel of two weighted point sets x and y.
 *
 *     k(x, y) = 1 / det(I + C/eta),   C: the covariance of the points of x and y in the feature space of a base kernel
 *     together, each with half of its weight; divided by sqrt(k(x,x) k(y,y)) if normalised
 *
 * Let w be the weights of all points, W = diag(w), K their base Gram, G = W^1/2 K W^1/2 / eta, s = w^1/2, P = I - ss'.
 * The determinant is det(I + P G P). As s is a unit vector with P s = 0, that is det(I + G) s'(I + G)^-1 s: nothing is
 * centred. In blocks for x and y, with s = (a, b),
 *
 *     I + G = [A X; X' B],   log det = log det A + log det S,   S = B - Y'Y,   Y = N'X,   N N' = A^-1,
 *     s'(I + G)^-1 s = a'A^-1 a + g'S^-1 g,   g = b - Y'c,   c = N'a
 *
 * What belongs to one set, such as A, B, N and c, is computed once. A pair takes its cross Gram X, one product, one
 * square and one small Cholesky factorisation: p^2 q + 10/3 p^3 flops for p points of q features.
 *
 * If G of one set has a low rank r, A differs from I in the span of p x r orthonormal columns Q alone, and so do the
 * others: Q'A Q, N = Q (Q'A Q)^-1/2, and S in the coordinates Q'. Pivoted Cholesky finds Q, until the trace of the
 * residual is below 2 eta TAIL: log k changes by less than TAIL. What remains is still a measure, so that k stays
 * positive semi-definite. A linear base kernel needs means and covariances alone. Cuturi, Fukumizu, Vert, "Semigroup
 * kernels on measures", JMLR 6, 2005. */
#include "kernel/shape.h"

#include <string.h>

#define TAIL 1e-10
#define WORTH 0.7     /* a rank above this share of the points saves nothing */
enum { GROUP = 512 }; /* points of y at a time, so that X stays in the cache */

/* The numbers of a set in `factor`, for p points, rank r. Linear base: mean (q), covariance / (2 eta) (q x q). */
enum { LOG_DET, ALPHA, REST, HEAD }; /* log det A; a'A^-1 a; |a|^2 - |Q'a|^2 */
typedef struct parts {
    const double *head;
    const double *t, *c; /* r: Q'a, N'a */
    const double *N;     /* p x r */
    const double *B;     /* r x r: Q'A Q */
    const double *Q;     /* p x r, or NULL: I */
} parts;

static int64_t points_of(const rk_points *s, int64_t i) { return s->start[i + 1] - s->start[i]; }

static int64_t factor_size(int linear, int64_t q, int64_t p, int64_t r) {
    return linear ? q + q * q : HEAD + 2 * r + p * r + r * r + (r < p ? p * r : 0);
}

static parts parts_of(const rk_points *s, int64_t i) {
    int64_t r = s->rank[i], p = points_of(s, i);
    const double *f = s->factor + s->offset[i];
    return (parts){.head = f,
                   .t = f + HEAD,
                   .c = f + HEAD + r,
                   .N = f + HEAD + 2 * r,
                   .B = f + HEAD + 2 * r + p * r,
                   .Q = r < p ? f + HEAD + 2 * r + p * r + r * r : NULL};
}

rkhs_status rk_points_new(rkhs_env *env, rk_bound *bound, const int64_t *counts, int64_t columns, rk_points **points) {
    rkhs_status status = RKHS_OK;
    rk_points *s = NULL;
    int64_t sets = bound->x->rows;
    TRY(rk_alloc(env, 1, sizeof *s, &s));
    bound->side = *points = s;
    s->sets = sets;
    s->columns = columns;
    TRY(rk_alloc(env, sets + 1, sizeof *s->start, &s->start));
    for (int64_t i = 0; i < sets; i++) {
        s->start[i + 1] = s->start[i] + counts[i];
        s->longest = rk_max(s->longest, counts[i]);
    }
    TRY(rk_alloc(env, s->start[sets] * columns, sizeof *s->feature, &s->feature));
    TRY(rk_alloc(env, s->start[sets], sizeof *s->weight, &s->weight));
done:
    return status;
}

void rk_points_release(rkhs_env *env, rk_bound *bound) {
    rk_points *s = bound->side;
    rk_free(env, s->start);
    rk_free(env, s->feature);
    rk_free(env, s->weight);
    rk_free(env, s->bias);
    rk_free(env, s->rank);
    rk_free(env, s->offset);
    rk_free(env, s->factor);
    rk_free(env, s->self);
    rk_free(env, s);
}

/* ---- base kernels ---------------------------------------------------------------------------------------------- */

/* X (p x columns) = sqrt(w v) k / (2 eta), w and v the weights: the p points of set i of a against `columns` points of
 * b from `from` on. `transposed`: room for the features of the latter. */
static void cross_gram(const rk_point_params *o, const rk_points *a, int64_t i, const rk_points *b, int64_t from,
                       int64_t columns, double *transposed, double *X) {
    int64_t p = points_of(a, i), q = a->columns, first = a->start[i];
    const double *fa = a->feature + first * q, *fb = b->feature + from * q, *bias = b->bias + from;
    double gamma = 0.5 / (o->sigma * o->sigma), scale = 1;
    if (o->base == RK_BASE_RBF) {
        rk_gemm_tile('n', 't', p, columns, q, 2 * gamma, fa, q, fb, q, 0, X, columns);
    } else {
        scale = -gamma;
        memset(X, 0, (size_t)(p * columns) * sizeof *X);
        rk_transpose(columns, q, fb, q, transposed, columns);
        for (int64_t k = 0; k < p; k++) {
            rk_add_ratios(columns, o->counts, fa + k * q, transposed, columns, X + k * columns);
            if (q > o->counts)
                rk_add_squares(columns, q - o->counts, fa + k * q + o->counts, transposed + o->counts * columns, columns,
                               X + k * columns);
        }
    }
    for (int64_t k = 0; k < p; k++) {
        double *row = X + k * columns, own = a->bias[first + k];
        for (int64_t j = 0; j < columns; j++) row[j] = scale * row[j] + (own + bias[j]);
    }
    rk_exp(p * columns, X);
}

/* log sqrt(w / (2 eta)) of each point, w its weight; for rbf minus |x|^2 / (2 sigma^2). */
static void set_bias(const rk_point_params *o, rk_points *s) {
    for (int64_t k = 0; k < s->start[s->sets]; k++) {
        const double *x = s->feature + k * s->columns;
        double square = o->base == RK_BASE_RBF ? rk_dot(s->columns, x, x) / (2 * o->sigma * o->sigma) : 0;
        s->bias[k] = 0.5 * log(s->weight[k] / (2 * o->eta)) - square;
    }
}

/* ---- one set --------------------------------------------------------------------------------------------------- */

typedef struct set_loop {
    const rk_point_params *o;
    rkhs_env *env;
    rk_points *s;
    double *room; /* scratch of the workers, `each` apart */
    int64_t each;
} set_loop;

/* Scratch doubles for one set: G, L and another square, residuals, transposed features. */
static int64_t set_room(const rk_points *s) {
    int64_t p = rk_max(s->longest, s->columns);
    return 3 * p * p + p + s->columns * p;
}

/* Pivoted Cholesky G ~ L'L (p x p), L rank x p, largest residual first. Returns the rank, or p if above WORTH p. Not
 * rk_pivoted_tile, which stops at a pivot: this stops at the trace that is left, on a worker and without an env. */
static int64_t pivoted(int64_t p, const double *G, double *L, double *left) {
    int64_t r = 0;
    double all = 0, min_pivot;
    for (int64_t j = 0; j < p; j++) all += left[j] = G[j * p + j];
    min_pivot = 1e-15 * all; /* below it there is rounding alone */
    for (; (double)r < WORTH * (double)p; r++) {
        double sum = 0, *row = L + r * p;
        int64_t at = 0;
        for (int64_t j = 0; j < p; j++) {
            sum += left[j];
            if (left[j] > left[at]) at = j;
        }
        if (sum <= TAIL || left[at] <= min_pivot) return r;
        double root = sqrt(left[at]);
        memcpy(row, G + at * p, (size_t)p * sizeof *row);
        for (int64_t k = 0; k < r; k++)
            for (int64_t j = 0, pivot = at; j < p; j++) row[j] -= L[k * p + pivot] * L[k * p + j];
        for (int64_t j = 0; j < p; j++) {
            row[j] /= root;
            left[j] = fmax(left[j] - row[j] * row[j], 0);
        }
        left[at] = 0;
    }
    return p;
}

static rkhs_status rank_tile(void *context, int64_t i, int worker) {
    set_loop *c = context;
    int64_t p = points_of(c->s, i);
    double *G = c->room + worker * c->each, *L = G + p * p, *left = L + 2 * p * p;
    cross_gram(c->o, c->s, i, c->s, c->s->start[i], p, left + p, G);
    c->s->rank[i] = rk_max(pivoted(p, G, L, left), 1);
    return RKHS_OK;
}

/* Gram-Schmidt, twice: replaces the rows of L (r x p) by orthonormal ones Q, L = R'Q; Rt: the lower triangle R'. */
static void orthonormal(int64_t r, int64_t p, double *L, double *Rt) {
    memset(Rt, 0, (size_t)(r * r) * sizeof *Rt);
    for (int64_t k = 0; k < r; k++) {
        double *row = L + k * p;
        for (int twice = 0; twice < 2; twice++)
            for (int64_t j = 0; j < k; j++) {
                double part = rk_dot(p, L + j * p, row);
                Rt[k * r + j] += part;
                for (int64_t q = 0; q < p; q++) row[q] -= part * L[j * p + q];
            }
        double length = rk_norm(p, row);
        Rt[k * r + k] = length;
        for (int64_t q = 0; q < p; q++) row[q] /= length;
    }
}

/* log det A by Cholesky, in place; NaN if A is not positive definite. */
static double log_det(int64_t n, double *A) {
    double sum = 0;
    if (rk_cholesky_tile(n, A, n) >= 0) return NAN;
    for (int64_t k = 0; k < n; k++) sum += log(A[k * n + k]);
    return 2 * sum;
}

static rkhs_status singular(rkhs_env *env, const rk_point_params *o) {
    return rk_fail(env, RKHS_ERR_NUMERIC, "eta is %.3g, and I + C/eta has lost its digits: choose a larger eta", o->eta);
}

/* -log k of a set with itself, log(det(I + G) s'(I + G)^-1 s), from B = I + G/2 in the coordinates Q. */
static double self_of(const parts *f, int64_t r, double *D, double *u) {
    for (int64_t k = 0; k < r * r; k++) D[k] = 2 * f->B[k];
    for (int64_t k = 0; k < r; k++) D[k * r + k] -= 1;
    double det = log_det(r, D);
    memcpy(u, f->t, (size_t)r * sizeof *u);
    rk_solve_vector('n', r, D, r, u);
    return det + log(2 * (rk_dot(r, u, u) + f->head[REST]));
}

static rkhs_status factor_tile(void *context, int64_t i, int worker) {
    set_loop *c = context;
    rk_points *s = c->s;
    int64_t p = points_of(s, i), r = s->rank[i], from = s->start[i];
    double *G = c->room + worker * c->each, *L = G + p * p, *M = L + p * p, *left = M + p * p;
    parts f = parts_of(s, i);
    double *head = s->factor + s->offset[i], *t = head + HEAD, *c1 = t + r, *N = c1 + r, *B = N + p * r;
    cross_gram(c->o, s, i, s, from, p, left + p, G);
    if (f.Q) {
        double *Q = B + r * r;
        pivoted(p, G, L, left);
        orthonormal(r, p, L, M); /* G ~ Q R R'Q' with R' = M */
        rk_transpose(r, p, L, p, Q, r);
        memcpy(N, Q, (size_t)(p * r) * sizeof *N);
        rk_gemm_tile('t', 'n', r, r, r, 1, M, r, M, r, 0, B, r);
        for (int64_t k = 0; k < r; k++) t[k] = 0;
        for (int64_t k = 0; k < p; k++)
            for (int64_t j = 0; j < r; j++) t[j] += Q[k * r + j] * sqrt(s->weight[from + k] / 2);
        head[REST] = fmax(0.5 - rk_dot(r, t, t), 0);
    } else {
        memcpy(B, G, (size_t)(p * p) * sizeof *B);
        for (int64_t k = 0; k < p; k++) {
            N[k * p + k] = 1;
            t[k] = sqrt(s->weight[from + k] / 2);
        }
    }
    for (int64_t k = 0; k < r; k++) B[k * r + k] += 1;
    memcpy(M, B, (size_t)(r * r) * sizeof *M);
    head[LOG_DET] = log_det(r, M);
    rk_trsm_tile('r', 't', p, r, M, r, N, r);
    memcpy(c1, t, (size_t)r * sizeof *c1);
    rk_solve_vector('n', r, M, r, c1);
    head[ALPHA] = rk_dot(r, c1, c1) + head[REST];
    s->self[i] = self_of(&f, r, M, left);
    return isfinite(head[LOG_DET] + s->self[i]) ? RKHS_OK : singular(c->env, c->o);
}

/* Linear base: the mean of a set, and its covariance over 2 eta. */
static rkhs_status moments_tile(void *context, int64_t i, int worker) {
    set_loop *c = context;
    rk_points *s = c->s;
    int64_t q = s->columns;
    double *mean = s->factor + s->offset[i], *S = mean + q, *D = c->room + worker * c->each;
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++)
        for (int64_t j = 0; j < q; j++) mean[j] += s->weight[k] * s->feature[k * q + j];
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
        const double *x = s->feature + k * q;
        for (int64_t a = 0; a < q; a++)
            for (int64_t b = 0; b <= a; b++)
                S[a * q + b] += s->weight[k] * (x[a] - mean[a]) * (x[b] - mean[b]) / (2 * c->o->eta);
    }
    for (int64_t a = 0; a < q; a++)
        for (int64_t b = 0; b <= a; b++) D[a * q + b] = 2 * S[a * q + b] + (a == b);
    s->self[i] = log_det(q, D);
    return isfinite(s->self[i]) ? RKHS_OK : singular(c->env, c->o);
}

rkhs_status rk_points_prepare(rkhs_env *env, const rk_point_params *o, rk_points *s) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    set_loop c = {.o = o, .env = env, .s = s, .each = rk_padded(set_room(s))};
    int linear = o->base == RK_BASE_LINEAR;
    s->params = *o;
    double longest = (double)s->longest, q = (double)s->columns;
    if (linear) c.each = rk_padded(s->columns * s->columns);
    TRY(rk_require_memory(env, 8 * (linear ? q * q : 3 * longest * longest + q * longest) * rk_workers(env),
                          "the Gram of the points of one image", "make the images smaller"));
    TRY(rk_scratch(env, c.each * rk_workers(env), sizeof *c.room, &c.room));
    TRY(rk_alloc(env, s->sets, sizeof *s->rank, &s->rank));
    TRY(rk_alloc(env, s->sets, sizeof *s->self, &s->self));
    TRY(rk_alloc(env, s->sets + 1, sizeof *s->offset, &s->offset));
    if (!linear) {
        TRY(rk_alloc(env, s->start[s->sets], sizeof *s->bias, &s->bias));
        set_bias(o, s);
        TRY(rk_parallel(env, NULL, s->sets, rank_tile, &c));
    }
    for (int64_t i = 0; i < s->sets; i++)
        s->offset[i + 1] = s->offset[i] + factor_size(linear, s->columns, points_of(s, i), s->rank[i]);
    status = rk_require_memory(env, 8 * (double)s->offset[s->sets], "what is kept of each image",
                               "use fewer points or smaller images, or fewer objects (gram=nystrom)");
    TRY(rk_set_subject(env, "gram", status));
    TRY(rk_alloc(env, s->offset[s->sets], sizeof *s->factor, &s->factor));
    TRY(rk_parallel(env, NULL, s->sets, linear ? moments_tile : factor_tile, &c));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* ---- pairs ----------------------------------------------------------------------------------------------------- */

/* Points of b at a time: at least one whole set. */
static int64_t group_of(const rk_points *b) { return rk_max(GROUP, b->longest); }

int64_t rk_points_work(const rk_bound *a, const rk_bound *b) {
    const rk_points *sa = a->side, *sb = b->side;
    int64_t q = sa->columns, p = sa->longest, m = sb->longest;
    if (sa->params.base == RK_BASE_LINEAR) return q * q + q;
    return (2 * p + q) * group_of(sb) + m * m + m + m * p;
}

int64_t rk_points_tile(const rk_bound *a, const rk_bound *b) {
    const rk_points *sa = a->side, *sb = b->side;
    double p = (double)rk_max(sa->longest, sb->longest), q = (double)sa->columns,
           term = sa->params.base == RK_BASE_CHI2 ? 8 : 1;
    double each = sa->params.base == RK_BASE_LINEAR ? q * q * (q + 10) * 2e-10 : p * p * (p * 3 + q * term) * 2e-10;
    int64_t tile = RK_TILE;
    while (tile > 1 && (double)(tile * tile) * each > 0.15) tile /= 2;
    return tile;
}

/* log det(I + C/eta) of sets i and j from their moments. */
static double pair_moments(const rk_point_params *o, const rk_points *a, int64_t i, const rk_points *b, int64_t j,
                           rk_work work) {
    int64_t q = a->columns;
    const double *ma = a->factor + a->offset[i], *mb = b->factor + b->offset[j], *Sa = ma + q, *Sb = mb + q;
    double *D = rk_work_take(&work, q * q), *d = rk_work_take(&work, q);
    for (int64_t k = 0; k < q; k++) d[k] = (ma[k] - mb[k]) / (2 * sqrt(o->eta));
    for (int64_t k = 0; k < q; k++)
        for (int64_t l = 0; l <= k; l++) D[k * q + l] = Sa[k * q + l] + Sb[k * q + l] + d[k] * d[l] + (k == l);
    return log_det(q, D);
}

/* The same from Y = N'X of the pair, r_i x p_j, rows ld apart. */
static double pair_factors(const rk_points *a, int64_t i, const rk_points *b, int64_t j, const double *Y, int64_t ld,
                           rk_work work) {
    parts fa = parts_of(a, i), fb = parts_of(b, j);
    int64_t ra = a->rank[i], rb = b->rank[j], p = points_of(b, j);
    double *S = rk_work_take(&work, rb * rb), *g = rk_work_take(&work, rb);
    if (fb.Q) {
        double *less = rk_work_take(&work, ra * rb);
        rk_gemm_tile('n', 'n', ra, rb, p, 1, Y, ld, fb.Q, rb, 0, less, rb);
        Y = less;
        ld = rb;
    }
    memcpy(g, fb.t, (size_t)rb * sizeof *g);
    rk_gemm_tile('t', 'n', rb, 1, ra, -1, Y, ld, fa.c, 1, 1, g, 1);
    double det = rk_schur_log_det(rb, ra, Y, ld, fb.B, S, g);
    return fa.head[LOG_DET] + det + log(fa.head[ALPHA] + rk_dot(rb, g, g) + fb.head[REST]);
}

/* The same for set i of a with sets j0 .. j0 + nj - 1 of b. */
static void row_of_pairs(const rk_point_params *o, const rk_points *a, int64_t i, const rk_points *b, int64_t j0, int64_t nj,
                         double *out, rk_work work) {
    int64_t r = a->rank[i], p = points_of(a, i), group = group_of(b);
    if (o->base == RK_BASE_LINEAR) {
        for (int64_t j = 0; j < nj; j++) out[j] = pair_moments(o, a, i, b, j0 + j, work);
        return;
    }
    parts f = parts_of(a, i);
    double *X = rk_work_take(&work, p * group), *Y = rk_work_take(&work, p * group);
    double *transposed = rk_work_take(&work, a->columns * group);
    for (int64_t j = j0, end; j < j0 + nj; j = end) {
        int64_t from = b->start[j];
        for (end = j + 1; end < j0 + nj && b->start[end + 1] - from <= group;) end++;
        int64_t columns = b->start[end] - from;
        cross_gram(o, a, i, b, from, columns, transposed, X);
        rk_gemm_tile('t', 'n', r, columns, p, 1, f.N, r, X, columns, 0, Y, columns);
        for (int64_t k = j; k < end; k++) out[k - j0] = pair_factors(a, i, b, k, Y + (b->start[k] - from), columns, work);
    }
}

rkhs_status rk_points_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                            int64_t ld, rk_work work) {
    const rk_points *sa = a->side, *sb = b->side;
    const rk_point_params *o = &sa->params;
    int mirrored = sa == sb && i0 == j0 && ni == nj;
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld;
        int64_t count = mirrored ? i + 1 : nj;
        row_of_pairs(o, sa, i0 + i, sb, j0, count, row, work);
        for (int64_t j = 0; j < count; j++) {
            if (!isfinite(row[j])) return singular(a->kernel->env, o);
            row[j] = exp(o->normalize ? fmin(0.5 * (sa->self[i0 + i] + sb->self[j0 + j]) - row[j], 0) : -row[j]);
        }
    }
    for (int64_t i = 0; mirrored && i < ni; i++)
        for (int64_t j = 0; j < i; j++) out[j * ld + i] = out[i * ld + j];
    return RKHS_OK;
}

void rk_points_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const rk_points *s = a->side;
    for (int64_t i = 0; i < ni; i++) out[i] = s->params.normalize ? 1 : exp(-s->self[i0 + i]);
}
