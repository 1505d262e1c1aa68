/* smo.c: trains a two-class support vector machine by sequential minimal optimisation (SMO) of its dual problem.
 *
 *     svm     minimise  1/2 a'Qa - 1'a    over 0 <= a_i <= C_i,  y'a = 0
 *     nusvm   minimise  1/2 a'Qa          over 0 <= a_i <= w_i,  the sum of a over each class = nu sum(w) / 2
 *
 * Q_ij = y_i y_j k(x_i, x_j). A step moves a_i by y_i t and a_j by -y_j t, which keeps y'a. i violates optimality
 * most; j gives the largest decrease of the second-order model (Fan, Chen, Lin 2005). For nusvm both are of one class.
 * It stops when no pair violates by more than tol times the margin: 1 for svm, rho for nusvm, whose decisions are
 * divided by rho. Everything is deterministic. Platt 1998; Schoelkopf et al. 2000.
 *
 * For nusvm, |sum_i a_i y_i phi(x_i)| over the sum of a in one class is the distance between the reduced convex
 * hulls of the classes. If nu is too small they meet: w and rho are 0, and decisions are 0/0 (Crisp, Burges 2000;
 * Chang, Lin 2001). libsvm then divides by rounding errors; here this is an outcome of its own (RK_SMO_NO_MARGIN): a
 * search skips such a nu, and a user who gives it is told. If nu is too large for the smaller class, no point is
 * feasible (RK_SMO_INFEASIBLE), as in libsvm. */
#include "la/la.h"
#include "score/score.h"

enum { CHECK = 1000 }; /* steps between two progress reports */
static const double TINY = 1e-12;
static const double MEET = 1e-6; /* hulls whose squared distance is below this share of the variance count as meeting */

/* What a step reads, in separate arrays, eight numbers at a time. v = -y G. up[side][t] is 0 if a_t may move in the
 * direction y_t, else -infinity; low is 0 if it may move against it, else infinity. The sides are the classes for
 * nusvm, one for svm. */
enum { LANES = 8, SIDES = 2 };
typedef struct state {
    double *v, *diag;
    double *up[SIDES], *low[SIDES]; /* 0, or -infinity; 0, or infinity */
    int sides;
} state;

static void set_bounds(const rk_smo *p, const state *s, int64_t t) {
    int side = s->sides > 1 && p->y[t]<0, less = p->a[t]> 0, more = p->a[t] < p->upper[t];
    s->up[side][t] = (p->y[t] > 0 ? more : less) ? 0 : -INFINITY;
    s->low[side][t] = (p->y[t] > 0 ? less : more) ? 0 : INFINITY;
}

/* Vectors of eight numbers. PICK: where the mask is set a, else b. */
typedef double pack __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t marks __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(8), may_alias));
#define PICK(mark, a, b) ((pack)(((marks)(a) & (mark)) | ((marks)(b) & ~(mark))))
#define PICK_INDEX(mark, a, b) (((a) & (mark)) | ((b) & ~(mark)))
static const marks LANE = {0, 1, 2, 3, 4, 5, 6, 7};

/* The index of the largest number over all lanes, the first of equal ones; -1 if no lane has an index. */
static int64_t first_of(const double *best, const int64_t *at, double *largest) {
    int64_t first = -1;
    *largest = -INFINITY;
    for (int l = 0; l < LANES; l++)
        if (at[l] >= 0 && (best[l] > *largest || (best[l] == *largest && at[l] < first))) *largest = best[l], first = at[l];
    return first;
}

/* The variable of a side that violates optimality most, or -1, and its largest violation with another. */
RK_VERSIONS(static, int64_t, worst_of,
            (int64_t n, const double *v, const double *up, const double *low, double *largest, double *violation),
            (n, v, up, low, largest, violation)) {
    pack best = (pack){0} - INFINITY, lowest = (pack){0} + INFINITY;
    marks at = (marks){0} - 1;
    for (int64_t t = 0; t < n; t += LANES) {
        pack rise = *(const pack *)(v + t) + *(const pack *)(up + t), fall = *(const pack *)(v + t) + *(const pack *)(low + t);
        marks more = rise > best, less = fall < lowest;
        at = PICK_INDEX(more, LANE + t, at);
        best = PICK(more, rise, best);
        lowest = PICK(less, fall, lowest);
    }
    double smallest = INFINITY;
    for (int l = 0; l < LANES; l++) smallest = fmin(smallest, ((double *)&lowest)[l]);
    int64_t i = first_of((double *)&best, (int64_t *)&at, largest);
    *violation = i < 0 ? 0 : fmax(*largest - smallest, 0);
    return i;
}

/* The partner of i with the largest decrease in the second-order model, or -1; curve = self + diag - 2 row. The other
 * arrays are padded to a multiple of LANES, `row` is not. */
RK_VERSIONS(static, int64_t, partner_of,
            (int64_t n, const double *v, const double *low, const double *diag, const double *row, double self, double largest),
            (n, v, low, diag, row, self, largest)) {
    pack best = {0}, tiny = (pack){0} + TINY, last = {0};
    marks at = (marks){0} - 1;
    double gain;
    for (int64_t t = n / LANES * LANES; t < n; t++) ((double *)&last)[t % LANES] = row[t];
    for (int64_t t = 0; t < n; t += LANES) {
        pack gap = largest - (*(const pack *)(v + t) + *(const pack *)(low + t));
        pack curve = self + *(const pack *)(diag + t) - 2 * (t + LANES <= n ? *(const pack *)(row + t) : last);
        curve = PICK(curve > tiny, curve, tiny);
        pack gains = PICK(gap > 0, gap * gap / curve, (pack){0});
        marks more = gains > best;
        at = PICK_INDEX(more, LANE + t, at);
        best = PICK(more, gains, best);
    }
    return first_of((double *)&best, (int64_t *)&at, &gain);
}

/* Chooses the pair to move, from the side that violates more. Returns the violation, 0 if there is none. */
static double worst_pair(const rk_smo *p, const state *s, int64_t *i, int64_t *j) {
    double largest, violation, other_largest, other;
    int side = 0;
    *i = worst_of(p->n, s->v, s->up[0], s->low[0], &largest, &violation);
    if (s->sides > 1) {
        int64_t i2 = worst_of(p->n, s->v, s->up[1], s->low[1], &other_largest, &other);
        if (other > violation) *i = i2, largest = other_largest, violation = other, side = 1;
    }
    *j = -1;
    if (!(violation > 0)) return 0;
    *j = partner_of(p->n, s->v, s->low[side], s->diag, p->K + *i * p->ld, s->diag[*i], largest);
    return *j < 0 ? 0 : violation; /* a decrease may underflow to 0 */
}

RK_VERSIONS(static, void, add_difference,
            (int64_t n, double t, const double *restrict ki, const double *restrict kj, double *restrict v),
            (n, t, ki, kj, v)) {
    for (int64_t q = 0; q < n; q++) v[q] = RK_FMA(-t, ki[q] - kj[q], v[q]);
}

/* Moves a pair as far as the second-order model and the bounds allow. */
static void move(rk_smo *p, const state *s, int64_t i, int64_t j) {
    const double *ki = p->K + i * p->ld, *kj = p->K + j * p->ld;
    double curve = fmax(ki[i] + kj[j] - 2 * ki[j], TINY), t = (s->v[i] - s->v[j]) / curve;
    double room_i = p->y[i] > 0 ? p->upper[i] - p->a[i] : p->a[i], room_j = p->y[j] > 0 ? p->a[j] : p->upper[j] - p->a[j];
    int at_i = t >= room_i, at_j = t >= room_j;
    t = fmin(t, fmin(room_i, room_j));
    p->a[i] += p->y[i] * t;
    p->a[j] -= p->y[j] * t;
    if (at_i && room_i <= room_j) p->a[i] = p->y[i] > 0 ? p->upper[i] : 0; /* exactly on the bound */
    if (at_j && room_j <= room_i) p->a[j] = p->y[j] > 0 ? 0 : p->upper[j];
    set_bounds(p, s, i);
    set_bounds(p, s, j);
    add_difference(p->n, t, ki, kj, s->v);
}

static void gradient(rk_smo *p, const state *s) {
    for (int64_t t = 0; t < p->n; t++) p->G[t] = -p->y[t] * s->v[t];
}

/* The mean gradient of the free variables of a class (sign 0: of all, times y). If none is free: the middle of the
 * interval that the bounds allow. Within rounding of a bound is not free. */
static double level(const rk_smo *p, int sign) {
    double above = INFINITY, below = -INFINITY;
    int64_t free = 0;
    rk_row_sum sum = {0};
    for (int64_t t = 0; t < p->n; t++) {
        if (sign && p->y[t] != sign) continue;
        double v = sign ? p->G[t] : p->y[t] * p->G[t];
        double rounding = TINY * p->upper[t];
        int less = p->a[t] > rounding, more = p->a[t] < p->upper[t] - rounding, grows = sign || p->y[t] > 0;
        int up = grows ? more : less, low = grows ? less : more;
        if (up && low)
            rk_add_row(&sum, v), free++;
        else if (up)
            above = fmin(above, v);
        else
            below = fmax(below, v);
    }
    if (free) return rk_row_total(&sum) / (double)free;
    return isinf(above) ? below : isinf(below) ? above : (above + below) / 2;
}

/* A feasible start for nusvm: the first of each class at their bounds until its sum is reached. Returns 0 if there is
 * none. */
static int start_nu(rk_smo *p) {
    double total = rk_rows_sum(p->n, 1, p->upper);
    for (int sign = -1; sign <= 1; sign += 2) {
        double left = p->nu * total / 2;
        for (int64_t t = 0; t < p->n; t++) {
            if (p->y[t] != sign) continue;
            p->a[t] = fmin(p->upper[t], left);
            left -= p->a[t];
        }
        if (left > 1e-12 * total) return 0;
    }
    return 1;
}

/* The variance of the rows in feature space. */
static double variance(const rk_smo *p) {
    double trace = rk_rows_sum(p->n, p->ld + 1, p->K), n = (double)p->n;
    rk_row_sum sum = {0};
    for (int64_t t = 0; t < p->n; t++) rk_add_row(&sum, rk_rows_sum(p->n, 1, p->K + t * p->ld));
    return trace / n - rk_row_total(&sum) / (n * n);
}

/* Whether the squared distance of the reduced hulls of nusvm is at most min_square. */
static int hulls_meet(const rk_smo *p, double min_square) {
    rk_row_sum plus = {0};
    for (int64_t t = 0; t < p->n; t++) rk_add_row(&plus, p->y[t] > 0 ? p->a[t] : 0);
    double sum = rk_row_total(&plus);
    return !(rk_rows_dot(p->n, 1, p->a, p->G) > min_square * sum * sum);
}

/* Padded with variables that belong to no side. */
static rkhs_status new_state(rkhs_env *env, const rk_smo *p, state *s) {
    rkhs_status status = RKHS_OK;
    int64_t full = (p->n + LANES - 1) / LANES * LANES;
    s->sides = p->nu > 0 ? SIDES : 1;
    TRY(rk_scratch(env, full, sizeof *s->v, &s->v));
    TRY(rk_scratch(env, full, sizeof *s->diag, &s->diag));
    for (int64_t t = 0; t < full; t++) s->v[t] = s->diag[t] = 0;
    for (int side = 0; side < s->sides; side++) {
        TRY(rk_scratch(env, full, sizeof *s->up[side], &s->up[side]));
        TRY(rk_scratch(env, full, sizeof *s->low[side], &s->low[side]));
        for (int64_t t = 0; t < full; t++) s->up[side][t] = -INFINITY, s->low[side][t] = INFINITY;
    }
    for (int64_t t = 0; t < p->n; t++) {
        set_bounds(p, s, t);
        s->v[t] = -p->y[t] * p->G[t];
        s->diag[t] = p->K[t * p->ld + t];
    }
done:
    return status;
}

/* Takes SMO steps. Reaching the maximum number of steps is accepted: the last point is used. */
static rkhs_status descend(rkhs_env *env, rk_smo *p, const state *s, double min_square) {
    int64_t i, j, max_steps = 10000000 > 100 * p->n ? 10000000 : 100 * p->n;
    double margin = p->nu > 0 ? INFINITY : 1;
    for (p->steps = 0; p->steps < max_steps; p->steps++) {
        double violation = worst_pair(p, s, &i, &j);
        if (violation <= p->tol * margin) { /* for nusvm, rho is computed again only when its last value would do */
            if (!(p->nu > 0)) break;
            gradient(p, s);
            if (hulls_meet(p, min_square)) break;
            double rho = (level(p, 1) + level(p, -1)) / 2;
            if (violation <= p->tol * rho || violation <= 0) break;
            margin = fmax(fmin(rho, margin / 2), 0.1 * violation / p->tol);
        }
        move(p, s, i, j);
        if (p->steps % CHECK == CHECK - 1) {
            rkhs_status status = rk_progress(env, "score", 0, 0);
            if (status != RKHS_OK) return status;
            gradient(p, s);
            if (p->nu > 0 && hulls_meet(p, min_square)) break;
        }
    }
    gradient(p, s);
    return RKHS_OK;
}

rkhs_status rk_smo_solve(rkhs_env *env, rk_smo *p) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    state s = {0};
    double min_square = 0;
    p->outcome = RK_SMO_DONE;
    p->offset = p->scale = 0;
    for (int64_t t = 0; t < p->n; t++) {
        p->a[t] = 0;
        p->G[t] = p->nu > 0 ? 0 : -1;
    }
    if (p->nu > 0) {
        if (!start_nu(p)) {
            p->outcome = RK_SMO_INFEASIBLE;
            goto done;
        }
        for (int64_t t = 0; t < p->n; t++) {
            rk_row_sum sum = {0};
            for (int64_t q = 0; q < p->n; q++) rk_add_row(&sum, p->y[t] * p->y[q] * p->K[t * p->ld + q] * p->a[q]);
            p->G[t] = rk_row_total(&sum);
        }
        min_square = MEET * variance(p);
    }
    TRY(new_state(env, p, &s));
    TRY(descend(env, p, &s, min_square));
    if (!(p->nu > 0)) {
        p->offset = level(p, 0);
        p->scale = 1;
        goto done;
    }
    double plus = level(p, 1), minus = level(p, -1), rho = (plus + minus) / 2;
    if (hulls_meet(p, min_square) || !(rho > 0)) p->outcome = RK_SMO_NO_MARGIN;
    p->offset = (plus - minus) / 2;
    p->scale = rho > 0 ? 1 / rho : 1;
done:
    rk_scratch_release(env, mark);
    return status;
}
