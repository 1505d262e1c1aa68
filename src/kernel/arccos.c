/* arccos.c: kernels of infinitely wide neural networks, relu (arc-cosine kernel) and ntk (neural tangent kernel).
 *
 * relu is the network with random weights, ntk the network under gradient descent. With u = <x,y>/(|x||y|) = cos t,
 * a(u) = (pi - t)/pi, b(u) = (u (pi - t) + sin t)/pi and L hidden layers of rectifiers (depth=L),
 *     u_0 = v_0 = u,  u_l = b(u_{l-1}),  v_l = v_{l-1} a(u_{l-1}) + u_l,   relu = |x||y| u_L,  ntk = |x||y| v_L,
 * so that relu(x,x) = |x|^2 and ntk(x,x) = (L + 1)|x|^2; a zero row gives 0. For L = 1, relu is the mean of 2 max(0,
 * <w,x>) max(0, <w,y>) over normal w. Cho, Saul, "Kernel methods for deep learning", NIPS 2009; Jacot, Gabriel,
 * Hongler, "Neural tangent kernel", NeurIPS 2018.
 *
 * a(u) is as steep as sqrt(1 - |u|) at u = 1 and -1, which amplifies errors of u in ntk. So the layers carry 1 - u and
 * 1 + u. Where one of these is small, ntk computes it again from |x/|x| -+ y/|y||^2/2, without cancellation. b(u) has
 * slope at most 1, and relu needs no such care. */
#include "kernel/kernel.h"

static const double CLOSE = 1e-3;

typedef struct arccos {
    int64_t depth;
} arccos;

/* clang-format off */
static const rk_param params[] = {
    {.name = "depth", .kind = RK_INT, .offset = offsetof(arccos, depth), .value = "1", .min = 1, .max = 1000,
     .brief = "number of hidden layers"},
    {.name = NULL},
};
/* clang-format on */

/* One row of a tile, on its way through the layers. */
typedef struct layers {
    double below[RK_TILE], above[RK_TILE]; /* 1 - u, 1 + u */
    double angle[RK_TILE];
    double tangent[RK_TILE]; /* v */
} layers;

/* Begins with the cosines u; returns how many are close to 1 or -1. */
RK_VERSIONS(static, int64_t, begin, (int64_t n, const double *restrict u, layers *restrict l), (n, u, l)) {
    int64_t close = 0;
    for (int64_t j = 0; j < n; j++) {
        l->below[j] = 1 - u[j];
        l->above[j] = 1 + u[j];
        l->tangent[j] = u[j];
        close += fabs(u[j]) > 1 - CLOSE;
    }
    return close;
}

/* One layer, from its angles. 1 - b(u) = (1 - u) - (sin t - t u)/pi. */
RK_VERSIONS(static, void, step, (int64_t n, layers *restrict l), (n, l)) {
    const double share = 0x1.45f306dc9c883p-2; /* 1/pi */
    for (int64_t j = 0; j < n; j++) {
        double below = l->below[j], above = l->above[j], t = l->angle[j], sine = sqrt(below * above);
        double less = RK_FMA(t, below < above ? 1 - below : above - 1, -sine), next = RK_FMA(less, share, below);
        double kept = RK_FMA(-t, share, 1);
        next = next > 0 ? next : 0;
        next = next < 1 ? next : 1;
        l->tangent[j] = RK_FMA(l->tangent[j], kept, 1 - next);
        l->below[j] = next;
        l->above[j] = 2 - next;
    }
}

/* out = a b v_L for ntk, a b u_L for relu; a, b: the lengths of the rows. */
RK_VERSIONS(static, void, finish,
            (int64_t n, double a, const double *restrict b, int ntk, const layers *restrict l, double *restrict out),
            (n, a, b, ntk, l, out)) {
    for (int64_t j = 0; j < n; j++) out[j] = a * b[j] * (ntk ? l->tangent[j] : 1 - l->below[j]);
}

/* |s x_i - t y_j|^2. */
static double scaled_square(const rk_bound *a, int64_t i, double s, const rk_bound *b, int64_t j, double t) {
    if (a->x->type != &rk_data_sparse) {
        const rk_dense *x = a->x->self, *y = b->x->self;
        return rk_rows_square(x, i, y, j, a->x->columns, s, t);
    }
    const rk_sparse *x = a->x->self, *y = b->x->self;
    int64_t p = x->starts[i], q = y->starts[j], end_p = x->starts[i + 1], end_q = y->starts[j + 1];
    double sum = 0;
    while (p < end_p || q < end_q) {
        int64_t c = p < end_p ? x->columns[p] : INT64_MAX, d = q < end_q ? y->columns[q] : INT64_MAX;
        double v = (c <= d ? s * x->values[p] : 0) - (d <= c ? t * y->values[q] : 0);
        sum += v * v;
        p += c <= d;
        q += d <= c;
    }
    return sum;
}

/* Computes the small ones of 1 - u and 1 + u again, without cancellation. */
static void sharpen(const rk_bound *a, int64_t i, double s, const rk_bound *b, int64_t j0, int64_t nj, const double *t,
                    layers *l) {
    for (int64_t j = 0; j < nj; j++) {
        double smaller = fmin(l->below[j], l->above[j]);
        if (smaller >= CLOSE) continue;
        int same = l->below[j] < 1;
        smaller = fmin(0.5 * scaled_square(a, i, s, b, j0 + j, same ? t[j] : -t[j]), 1);
        l->below[j] = same ? smaller : 2 - smaller;
        l->above[j] = same ? 2 - smaller : smaller;
        l->tangent[j] = same ? 1 - smaller : smaller - 1;
    }
}

/* Lengths of rows and their inverses; the inverse is 0 for a zero row. */
static void lengths(const rk_bound *b, int64_t j0, int64_t nj, double *length, double *inverse) {
    const rk_vector_side *side = b->side;
    for (int64_t j = 0; j < nj; j++) {
        length[j] = sqrt(side->norm[j0 + j]);
        inverse[j] = length[j] > 0 ? 1 / length[j] : 0;
    }
}

extern const rk_kernel_type rk_kernel_ntk;
static int is_ntk(const rk_bound *a) { return a->kernel->type == &rk_kernel_ntk; }

static rkhs_status block_layers(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                double *out, int64_t ld, rk_work work) {
    int64_t depth = ((const arccos *)rk_kernel_self(a))->depth;
    int ntk = is_ntk(a);
    double of_a[RK_TILE], of_b[RK_TILE], by_a[RK_TILE], by_b[RK_TILE];
    layers l;
    lengths(a, i0, ni, of_a, by_a);
    lengths(b, j0, nj, of_b, by_b);
    rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld;
        rk_cosines(nj, by_a[i], by_b, row);
        if (begin(nj, row, &l) && ntk) sharpen(a, i0 + i, by_a[i], b, j0, nj, by_b, &l);
        for (int64_t d = 0; d < depth; d++) {
            rk_angles(nj, l.below, l.above, l.angle);
            step(nj, &l);
        }
        finish(nj, of_a[i], of_b, ntk, &l, row);
    }
    return RKHS_OK;
}

/* u_L, or v_L for ntk, of a cosine, and its derivative. That of a(u) is infinite at 1 and -1; it counts as 0. */
static double through(int64_t depth, int ntk, double cosine, double *slope) {
    const double share = 0x1.45f306dc9c883p-2; /* 1/pi */
    double u = fmin(fmax(cosine, -1), 1), v = u, du = 1, dv = 1;
    for (int64_t l = 0; l < depth; l++) {
        double angle = acos(u), sine = sqrt((1 - u) * (1 + u)), a = 1 - angle * share;
        dv = dv * a + v * (sine > 1e-7 ? share * du / sine : 0);
        v *= a;
        u = fmin(u * a + sine * share, 1);
        du *= a;
        v += u;
        dv += du;
    }
    *slope = ntk ? dv : du;
    return ntk ? v : u;
}

/* With k = |x||y| h(cos): dk/dx = h' y + (|y|/|x|) (h - cos h') x. */
static rkhs_status gradient_layers(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *dx, rk_work work) {
    int64_t depth = ((const arccos *)rk_kernel_self(a))->depth;
    double of_a[RK_TILE], of_b[RK_TILE], by_a[RK_TILE], by_b[RK_TILE], own[RK_TILE], slope;
    double *other = rk_work_take(&work, RK_TILE * RK_TILE);
    lengths(a, i0, ni, of_a, by_a);
    lengths(b, j0, nj, of_b, by_b);
    rk_vector_dots(a, i0, ni, b, j0, nj, other, RK_TILE, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = other + i * RK_TILE;
        own[i] = 0;
        rk_cosines(nj, by_a[i], by_b, row);
        for (int64_t j = 0; j < nj; j++) {
            double h = through(depth, is_ntk(a), row[j], &slope), weight = by_b[j] > 0 && by_a[i] > 0 ? w[i * ld + j] : 0;
            own[i] += weight * of_b[j] * by_a[i] * (h - row[j] * slope);
            row[j] = weight * slope;
        }
    }
    rk_gradient_rows(a, i0, ni, b, j0, nj, own, other, dx);
    return RKHS_OK;
}

/* Rectifiers of random weights, for one layer. */
static double stretch_relu(const void *self, uint64_t seed, int64_t row, int64_t column) {
    return ((const arccos *)self)->depth == 1 ? 1 : NAN;
}

/* clang-format off */
const rk_kernel_type rk_kernel_relu = {
    .entry = {.name = "relu",
              .brief = "an infinitely wide network of random rectified linear units (arc-cosine kernel of order 1); a zero row: 0",
              .formula = "|x||y| b(...b(c)), b(u) = (u (pi-t) + sin t)/pi, t = acos u",
              .where = "c: the cosine of the angle between x and y; b is applied once for each hidden layer",
              .cost = "p + depth (an acos and a root) a pair", .params = params, .size = sizeof(arccos)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE, .flags = RK_PSD, .prepare = rk_vector_prepare,
    .release = rk_vector_release, .work = rk_vector_dots_work, .block = block_layers,
    .gradient = gradient_layers, .diag = rk_vector_norms,
    .random = RK_RANDOM_RELU, .stretch = stretch_relu,
};
/* clang-format on */

static void diag_ntk(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const rk_vector_side *side = a->side;
    double times = 1 + (double)((const arccos *)rk_kernel_self(a))->depth;
    for (int64_t i = 0; i < ni; i++) out[i] = times * side->norm[i0 + i];
}

/* clang-format off */
const rk_kernel_type rk_kernel_ntk = {
    .entry = {.name = "ntk",
              .brief = "neural tangent kernel: the network of relu as gradient descent trains it; a zero row: 0",
              .formula = "|x||y| v_L: u_0 = v_0 = c, u_l = b(u_l-1), v_l = v_l-1 (pi-t)/pi + u_l, t = acos u_l-1",
              .where = "c: the cosine of the angle between x and y; L: depth; b: as in relu",
              .cost = "p + depth (an acos and a root) a pair", .params = params, .size = sizeof(arccos)},
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE, .flags = RK_PSD, .prepare = rk_vector_prepare,
    .release = rk_vector_release, .work = rk_vector_dots_work, .block = block_layers,
    .gradient = gradient_layers, .diag = diag_ntk,
};
/* clang-format on */
