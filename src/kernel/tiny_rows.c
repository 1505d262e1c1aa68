/* tiny_rows.c: distances, cosines and Tanimoto values of rows so small that their squares underflow.
 *
 *     |x - y| = m |(x - y)/m|,  <x,y> / (|x| |y|) = <x/a, y/b> / (|x/a| |y/b|),  m, a, b the largest magnitudes
 *
 * The square of a length below 1e-140 has lost digits, or is 0. vector.c and sparse_rows.c are accurate above that;
 * pairs below it are computed again here, one at a time. */
#include "kernel/kernel.h"

#include <string.h>

/* Walks through two rows by column; through sparse rows by the columns where either has a number. */
typedef struct walk {
    const double *x, *y; /* NULL: floats */
    const float *fx, *fy;
    const int32_t *cx, *cy; /* NULL: dense */
    int64_t p, q, end_p, end_q;
} walk;

static walk walk_of(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j) {
    if (a->x->type == &rk_data_sparse) {
        const rk_sparse *s = a->x->self, *t = b->x->self;
        return (walk){s->values,        t->values,       NULL, NULL, s->columns, t->columns, s->starts[i], t->starts[j],
                      s->starts[i + 1], t->starts[j + 1]};
    }
    const rk_dense *s = a->x->self, *t = b->x->self;
    int64_t columns = a->x->columns;
    walk w = {.end_p = columns, .end_q = columns};
    if (s->values)
        w.x = s->values + i * s->ld;
    else
        w.fx = s->floats + i * s->ld;
    if (t->values)
        w.y = t->values + j * t->ld;
    else
        w.fy = t->floats + j * t->ld;
    return w;
}

/* The next pair of numbers; 0 at the end. */
static int step(walk *w, double *u, double *v) {
    if (w->p >= w->end_p && w->q >= w->end_q) return 0;
    int64_t c = !w->cx            ? 0
                : w->p < w->end_p ? w->cx[w->p]
                                  : INT64_MAX,
            d = !w->cx            ? 0
                : w->q < w->end_q ? w->cy[w->q]
                                  : INT64_MAX;
    *u = c > d ? 0 : w->x ? w->x[w->p] : (double)w->fx[w->p];
    *v = d > c ? 0 : w->y ? w->y[w->q] : (double)w->fy[w->q];
    w->p += c <= d;
    w->q += d <= c;
    return 1;
}

int rk_row_tiny(const rk_bound *a, int64_t i, double norm) {
    double u, v;
    if (!(norm < RK_TINY) || a->x->type == &rk_data_bits) return 0; /* bits are 0 or 1 */
    for (walk w = walk_of(a, i, a, i); norm == 0 && step(&w, &u, &v);)
        if (u != 0) return 1;
    return norm > 0;
}

double rk_pair_cosine(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j) {
    double u, v, s = 0, t = 0, uu = 0, vv = 0, uv = 0;
    for (walk w = walk_of(a, i, b, j); step(&w, &u, &v);) s = fmax(s, fabs(u)), t = fmax(t, fabs(v));
    if (!(s > 0 && t > 0)) return s == t;
    for (walk w = walk_of(a, i, b, j); step(&w, &u, &v);) {
        u /= s, v /= t;
        uu += u * u, vv += v * v, uv += u * v;
    }
    v = uv / sqrt(uu) / sqrt(vv);
    return v > 1 ? 1 : v < -1 ? -1 : v;
}

double rk_pair_tanimoto(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j) {
    double u, v, m = 0, all = 0, both = 0;
    for (walk w = walk_of(a, i, b, j); step(&w, &u, &v);) m = fmax(m, fmax(fabs(u), fabs(v)));
    if (!(m > 0)) return 1;
    for (walk w = walk_of(a, i, b, j); step(&w, &u, &v);) {
        u /= m, v /= m;
        all += u * u + v * v, both += u * v;
    }
    return both / (all - both);
}

/* Whether two dense rows of one type have the same bytes: duplicates are many, and seen quickly. */
static int is_same(const walk *w) {
    if (w->x && w->y) return memcmp(w->x, w->y, (size_t)w->end_p * sizeof *w->x) == 0;
    return w->fx && w->fy && memcmp(w->fx, w->fy, (size_t)w->end_p * sizeof *w->fx) == 0;
}

double rk_pair_distance(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j) {
    double u, v, m = 0, sum = 0;
    if (a->x->type == &rk_data_bits) {
        rk_vector_squared_distances(a, i, 1, b, j, 1, &sum, 1, (rk_work){0});
        return sqrt(sum);
    }
    walk first = walk_of(a, i, b, j), w = first;
    if (!first.cx && is_same(&first)) return 0;
    while (step(&w, &u, &v)) m = fmax(m, fabs(u - v));
    if (!(m > 0)) return 0;
    for (w = first; step(&w, &u, &v);) sum += (u - v) / m * ((u - v) / m);
    return m * sqrt(sum);
}
