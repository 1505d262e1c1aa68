/* smo.c: the dual of a support vector machine, two variables at a time.
 *
 *     svm     minimise  1/2 a'Qa - 1'a    over 0 <= a_i <= C_i,  y'a = 0
 *     nusvm   minimise  1/2 a'Qa          over 0 <= a_i <= w_i,  the sum of a over each class = nu sum(w) / 2
 *
 * Q_ij = y_i y_j k(x_i, x_j). A step moves a_i by y_i t and a_j by -y_j t, which keeps y'a; i violates optimality most, and j
 * gives the largest decrease of the second-order model (Fan, Chen, Lin 2005). For nusvm both are of one class. Stops when no
 * pair violates by more than tol times the margin: 1 for svm, rho for nusvm, by which its decisions are divided. Everything is
 * deterministic. Platt 1998; Schoelkopf et al. 2000.
 *
 * Of nusvm |sum_i a_i y_i phi(x_i)| over the sum of a class is the distance between the hulls of the classes, shrunk by nu. A
 * nu that is too small leaves hulls that meet: w and rho are 0, and decisions 0/0 (Crisp, Burges 2000; Chang, Lin 2001). libsvm
 * divides by what rounding leaves, so that its answer is decided by its tolerance; here that is an outcome of its own: a search
 * leaves such a nu out, and who gives it is told. A nu that is too large for the smaller class has no point at all, here as in
 * libsvm. */
#include "score/score.h"

enum { CHECK = 1000 }; /* steps between two looks at the progress */
static const double TINY = 1e-12;
static const double MEET = 1e-6; /* hulls nearer than the root of so much of the rows' variance count as meeting */

/* a_i may grow along y_i. */
static int is_up(const rk_smo *p, int64_t i) { return p->y[i] > 0 ? p->a[i] < p->upper[i] : p->a[i] > 0; }
static int is_low(const rk_smo *p, int64_t i) { return p->y[i] > 0 ? p->a[i] > 0 : p->a[i] < p->upper[i]; }

/* The pair to move, of one sign when `sign` is not 0; the violation, or a number <= 0. */
static double choose_pair(const rk_smo *p, int sign, int64_t *pi, int64_t *pj) {
    double most = -INFINITY, least = INFINITY, best = 0;
    *pi = *pj = -1;
    for (int64_t t = 0; t < p->n; t++)
        if ((!sign || p->y[t] == sign) && is_up(p, t) && -p->y[t] * p->G[t] > most) most = -p->y[t] * p->G[t], *pi = t;
    if (*pi < 0) return 0;
    const double *row = p->K + *pi * p->ld;
    double self = row[*pi];
    for (int64_t t = 0; t < p->n; t++) {
        if ((sign && p->y[t] != sign) || !is_low(p, t)) continue;
        double v = -p->y[t] * p->G[t], gap = most - v;
        if (v < least) least = v;
        if (gap <= 0) continue;
        double curve = self + p->K[t * p->ld + t] - 2 * row[t], gain = gap * gap / fmax(curve, TINY);
        if (gain > best) best = gain, *pj = t;
    }
    return *pj < 0 ? 0 : most - least;
}

/* Moves a pair as far as the second-order model and the bounds allow. */
static void move(rk_smo *p, int64_t i, int64_t j) {
    const double *ki = p->K + i * p->ld, *kj = p->K + j * p->ld;
    double curve = fmax(ki[i] + kj[j] - 2 * ki[j], TINY), t = (p->y[j] * p->G[j] - p->y[i] * p->G[i]) / curve;
    double room_i = p->y[i] > 0 ? p->upper[i] - p->a[i] : p->a[i], room_j = p->y[j] > 0 ? p->a[j] : p->upper[j] - p->a[j];
    int at_i = t >= room_i, at_j = t >= room_j;
    t = fmin(t, fmin(room_i, room_j));
    p->a[i] += p->y[i] * t;
    p->a[j] -= p->y[j] * t;
    if (at_i && room_i <= room_j) p->a[i] = p->y[i] > 0 ? p->upper[i] : 0; /* on the bound to the bit */
    if (at_j && room_j <= room_i) p->a[j] = p->y[j] > 0 ? 0 : p->upper[j];
    for (int64_t q = 0; q < p->n; q++) p->G[q] += p->y[q] * t * (ki[q] - kj[q]);
}

/* Where a class's free variables have their gradient; the middle of what the bounds allow when none is free. Rounding alone
 * frees none. */
static double level(const rk_smo *p, int sign) {
    double sum = 0, above = INFINITY, below = -INFINITY;
    int64_t free = 0;
    for (int64_t t = 0; t < p->n; t++) {
        if (sign && p->y[t] != sign) continue;
        double v = sign ? p->G[t] : p->y[t] * p->G[t];
        double rounding = TINY * p->upper[t];
        int less = p->a[t] > rounding, more = p->a[t] < p->upper[t] - rounding, grows = sign || p->y[t] > 0;
        int up = grows ? more : less, low = grows ? less : more;
        if (up && low)
            sum += v, free++;
        else if (up)
            above = fmin(above, v);
        else
            below = fmax(below, v);
    }
    if (free) return sum / (double)free;
    return isinf(above) ? below : isinf(below) ? above : (above + below) / 2;
}

/* A start for nusvm: the first of each class at their bounds, until its sum is reached. */
static int start_nu(rk_smo *p) {
    double total = 0;
    for (int64_t t = 0; t < p->n; t++) total += p->upper[t];
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
    double trace = 0, sum = 0, n = (double)p->n;
    for (int64_t t = 0; t < p->n; t++) {
        trace += p->K[t * p->ld + t];
        for (int64_t q = 0; q < p->n; q++) sum += p->K[t * p->ld + q];
    }
    return trace / n - sum / (n * n);
}

/* Whether the shrunken hulls of nusvm are nearer than `least`, squared. */
static int hulls_meet(const rk_smo *p, double least) {
    double square = 0, sum = 0;
    for (int64_t t = 0; t < p->n; t++) {
        square += p->a[t] * p->G[t];
        if (p->y[t] > 0) sum += p->a[t];
    }
    return !(square > least * sum * sum);
}

/* The pair that violates most, of one class for nusvm. */
static double worst_pair(const rk_smo *p, int64_t *i, int64_t *j) {
    int64_t i2, j2;
    if (!(p->nu > 0)) return choose_pair(p, 0, i, j);
    double plus = choose_pair(p, 1, i, j), minus = choose_pair(p, -1, &i2, &j2);
    if (minus > plus) *i = i2, *j = j2;
    return fmax(plus, minus);
}

/* Not converging in so many steps is accepted: the last point is used. */
rkhs_status rk_smo_solve(rkhs_env *env, rk_smo *p) {
    int64_t i, j, most = 10000000 > 100 * p->n ? 10000000 : 100 * p->n;
    double margin = p->nu > 0 ? INFINITY : 1, least = 0;
    p->outcome = RK_SMO_DONE;
    p->offset = p->scale = 0;
    for (int64_t t = 0; t < p->n; t++) {
        p->a[t] = 0;
        p->G[t] = p->nu > 0 ? 0 : -1;
    }
    if (p->nu > 0) {
        if (!start_nu(p)) {
            p->outcome = RK_SMO_UNEVEN;
            return RKHS_OK;
        }
        for (int64_t t = 0; t < p->n; t++)
            for (int64_t q = 0; q < p->n; q++) p->G[t] += p->y[t] * p->y[q] * p->K[t * p->ld + q] * p->a[q];
        least = MEET * variance(p);
    }
    for (p->steps = 0; p->steps < most; p->steps++) {
        double violation = worst_pair(p, &i, &j);
        /* rho is looked at again when its last value would do */
        if (violation <= p->tol * margin) {
            if (!(p->nu > 0)) break;
            if (hulls_meet(p, least)) break;
            double rho = (level(p, 1) + level(p, -1)) / 2;
            if (violation <= p->tol * rho || violation <= 0) break;
            margin = fmax(fmin(rho, margin / 2), 0.1 * violation / p->tol);
        }
        move(p, i, j);
        if (p->steps % CHECK == CHECK - 1) {
            rkhs_status status = rk_progress(env, "score", 0, 0);
            if (status != RKHS_OK) return status;
            if (p->nu > 0 && hulls_meet(p, least)) break;
        }
    }
    if (!(p->nu > 0)) {
        p->offset = level(p, 0);
        p->scale = 1;
        return RKHS_OK;
    }
    double plus = level(p, 1), minus = level(p, -1), rho = (plus + minus) / 2;
    if (hulls_meet(p, least) || !(rho > 0)) p->outcome = RK_SMO_MEET;
    p->offset = (plus - minus) / 2;
    p->scale = rho > 0 ? 1 / rho : 1;
    return RKHS_OK;
}
