/* line_search.c: line search for a step t that satisfies the strong Wolfe conditions.
 *
 *     f(t) <= f(0) + c1 t f'(0),   |f'(t)| <= c2 |f'(0)|
 *
 * An interval that contains such a step is narrowed by cubic and quadratic interpolation: More and Thuente, "Line
 * search algorithms with guaranteed sufficient decrease", ACM TOMS 20, 1994. A retraction bends the line. */
#include "opt/opt.h"

#include <string.h>

enum { EVALUATIONS = 40 };

typedef struct trial {
    double t, f, slope;
} trial;

typedef struct interval {
    trial best, other; /* its ends: the best trial so far, and the other end once bracketed */
    int bracketed;
    double low, high; /* bounds of the next step */
    double width, before;
    int first_stage; /* no trial so far had sufficient decrease and a slope >= 0 */
} interval;

/* The minimiser of the cubic with these values and slopes at a and b. */
static double cubic_min(const trial *a, const trial *b) {
    double theta = 3 * (a->f - b->f) / (b->t - a->t) + a->slope + b->slope;
    double s = fmax(fabs(theta), fmax(fabs(a->slope), fabs(b->slope)));
    double gamma = s * sqrt(fmax(0, (theta / s) * (theta / s) - (a->slope / s) * (b->slope / s)));
    if (b->t < a->t) gamma = -gamma;
    double p = (gamma - a->slope) + theta, q = ((gamma - a->slope) + gamma) + b->slope;
    return a->t + p / q * (b->t - a->t);
}

/* Zero of the line through two slopes. */
static double secant(const trial *at, const trial *best) {
    return at->t + at->slope / (at->slope - best->slope) * (best->t - at->t);
}

/* Case 3 of the paper: lower and flatter. The cubic may have no minimum on the far side. */
static double flatter_step(const interval *v, const trial *at) {
    const trial *best = &v->best;
    double theta = 3 * (best->f - at->f) / (at->t - best->t) + best->slope + at->slope;
    double s = fmax(fabs(theta), fmax(fabs(best->slope), fabs(at->slope)));
    double gamma = s * sqrt(fmax(0, (theta / s) * (theta / s) - (best->slope / s) * (at->slope / s)));
    if (at->t > best->t) gamma = -gamma;
    double r = ((gamma - at->slope) + theta) / ((gamma + (best->slope - at->slope)) + gamma);
    double cubic = r < 0 && gamma != 0 ? at->t + r * (best->t - at->t) : at->t > best->t ? v->high : v->low;
    double quad = secant(at, best), t;
    if (!v->bracketed) {
        t = fabs(cubic - at->t) > fabs(quad - at->t) ? cubic : quad;
        return fmin(fmax(t, v->low), v->high);
    }
    t = fabs(cubic - at->t) < fabs(quad - at->t) ? cubic : quad;
    double limit = at->t + 0.66 * (v->other.t - at->t);
    return at->t > best->t ? fmin(limit, t) : fmax(limit, t);
}

/* Updates the interval by a trial and chooses the next step: the four cases of the paper. */
static double next_step(interval *v, const trial *at) {
    trial *best = &v->best;
    int reversed = at->slope * best->slope < 0;
    double cubic, quad, t;
    if (at->f > best->f) {
        cubic = cubic_min(best, at);
        quad = best->t + best->slope / ((best->f - at->f) / (at->t - best->t) + best->slope) / 2 * (at->t - best->t);
        t = fabs(cubic - best->t) < fabs(quad - best->t) ? cubic : cubic + (quad - cubic) / 2;
        v->bracketed = 1;
    } else if (reversed) {
        cubic = cubic_min(at, best);
        quad = secant(at, best);
        t = fabs(cubic - at->t) > fabs(quad - at->t) ? cubic : quad;
        v->bracketed = 1;
    } else if (fabs(at->slope) < fabs(best->slope)) {
        t = flatter_step(v, at);
    } else if (v->bracketed) {
        t = cubic_min(at, &v->other);
    } else {
        t = at->t > best->t ? v->high : v->low;
    }
    if (at->f > best->f) {
        v->other = *at;
    } else {
        if (reversed) v->other = *best;
        *best = *at;
    }
    return t;
}

/* next_step on f minus the line of sufficient decrease, while that is not reached. */
static double next_step_below(interval *v, const trial *at, double line) {
    trial shifted = {at->t, at->f - at->t * line, at->slope - line};
    interval w = *v;
    w.best = (trial){v->best.t, v->best.f - v->best.t * line, v->best.slope - line};
    w.other = (trial){v->other.t, v->other.f - v->other.t * line, v->other.slope - line};
    double t = next_step(&w, &shifted);
    *v = w;
    v->best = (trial){w.best.t, w.best.f + w.best.t * line, w.best.slope + line};
    v->other = (trial){w.other.t, w.other.f + w.other.t * line, w.other.slope + line};
    return t;
}

/* Narrows the interval after a step, and keeps the next one inside. */
static double keep_inside(interval *v, double t) {
    if (v->bracketed) {
        double width = fabs(v->other.t - v->best.t);
        if (width >= 0.66 * v->before) t = v->best.t + (v->other.t - v->best.t) / 2;
        v->before = v->width;
        v->width = width;
        v->low = fmin(v->best.t, v->other.t);
        v->high = fmax(v->best.t, v->other.t);
        if (t <= v->low || t >= v->high) t = v->low + (v->high - v->low) / 2;
    } else {
        v->low = t + 1.1 * (t - v->best.t);
        v->high = t + 4 * (t - v->best.t);
    }
    return t;
}

/* Evaluates f and its slope at x + t d, into l->x and l->g. */
static rkhs_status evaluate_at(rk_solver_problem *p, const rk_line *l, double t, trial *at) {
    for (int64_t i = 0; i < p->size; i++) l->x[i] = p->x[i] + t * l->d[i];
    if (p->retract) p->retract(p->context, l->x);
    at->t = t;
    rkhs_status status = p->eval(p->context, p->env, l->x, &at->f, l->g);
    at->slope = status == RKHS_OK ? rk_variables_dot(p, l->g, l->d) : 0;
    p->products++;
    return status == RKHS_OK ? rk_progress(p->env, NULL, 0, 0) : status;
}

rkhs_status rk_line_search(rk_solver_problem *p, rk_line *l) {
    rkhs_status status = RKHS_OK;
    double t = l->t, line = l->c1 * l->slope;
    trial at;
    interval v = {.best = {0, l->f, l->slope},
                  .other = {0, l->f, l->slope},
                  .high = 5 * t,
                  .width = 1e20,
                  .before = 2e20,
                  .first_stage = 1};
    l->found = 0;
    for (int tries = 0; tries < EVALUATIONS; tries++) {
        TRY(evaluate_at(p, l, t, &at));
        if (!isfinite(at.f) || !isfinite(at.slope)) { /* f is not defined here: shorten the step */
            v.high = t;
            t = v.best.t + (t - v.best.t) / 8;
            continue;
        }
        int enough = at.f <= l->f + t * line;
        if (enough && at.slope >= 0) v.first_stage = 0;
        if (enough && fabs(at.slope) <= l->c2 * -l->slope) {
            l->found = 1;
            break;
        }
        if (v.bracketed && v.high - v.low <= 1e-14 * v.high) break;
        t = v.first_stage && at.f <= v.best.f && !enough ? next_step_below(&v, &at, line) : next_step(&v, &at);
        t = keep_inside(&v, t);
    }
    if (!l->found && v.best.t > 0 && v.best.f < l->f) { /* no step satisfies the conditions, but one is lower */
        TRY(evaluate_at(p, l, v.best.t, &at));
        l->found = 1;
    }
    l->t = at.t;
    l->f = at.f;
done:
    return status;
}
