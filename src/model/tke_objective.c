/* tke_objective.c: the objective of twin kernel embedding and its gradient: sums over neighbours and over all pairs.
 *
 *     L = - sum_ij F_ij a_ij + repulsion sum_ij kx_ij^2 + decay sum_i |z_i|^2,   kx_ij = q(g |z_i - z_j|^2)
 *
 * F has weights of each row's k nearest others in feature space, and its diagonal. q(u) is exp(-u) or 1/(1 + u). a is
 * kx, or log kx, which still attracts neighbours that are far apart. With W = (F + F')/2, s_ij = |z_i - z_j|^2 and a
 * prime for the derivative by s:
 *
 *     dL/dz_i = 4 sum_j (- W_ij a' + repulsion (kx^2)') (z_i - z_j) + 2 decay z_i
 *     dL/dlog g = sum_ij (- W_ij a' + repulsion (kx^2)') s_ij
 *
 * The first term has at most 2 n k entries. The second goes over half of the pairs, by tiles. */
#include "model/neighbour_graph.h"
#include "model/tke.h"

#include <string.h>

/* ---- the graph ------------------------------------------------------------------------------------------------- */

/* Local weights of a row from values, largest first: exp((v - v_0)/s), with s such that they sum to `sum`; equal: 1. */
static void compare_locally(int64_t k, double sum, double *value) {
    double first = value[0], low = 0, high = INFINITY, s = k ? first - value[k - 1] : 0;
    for (int step = 0; s > 0 && step < 60; step++) {
        double total = 0;
        for (int64_t q = 0; q < k; q++) total += exp((value[q] - first) / s);
        if (fabs(total - sum) <= 1e-10 * sum) break;
        if (total > sum)
            high = s;
        else
            low = s;
        double next = isinf(high) ? 2 * s : (low + high) / 2;
        if (!(next > 0) || !isfinite(next)) break;
        s = next;
    }
    for (int64_t q = 0; q < k; q++) value[q] = s > 0 ? exp((value[q] - first) / s) : 1;
}

void rk_tke_weigh(int64_t k, double sum, int log, const double *half, const int64_t *near, double *value) {
    int64_t above = 0;
    while (above < k && (half || value[above] > 0)) above++;
    if (!(sum > 0)) {
        for (int64_t q = 0; log && q < k; q++) value[q] = fmax(value[q], 0);
        return;
    }
    for (int64_t q = 0; half && q < k; q++) value[q] -= half[near[q]];
    for (int64_t q = above; q < k; q++) value[q] = 0;
    compare_locally(above, sum, value);
}

/* W = (F + F')/2 by rows. An edge between mutual neighbours is listed twice in each row, with half its weight. Not
 * rk_neighbour_graph_new, which adds the two and drops negative weights: the order of sums, and so the bits, differ. */
static rkhs_status join_edges(rkhs_env *env, rk_tke *t) {
    rkhs_status status = RKHS_OK;
    int64_t n = t->n, k = t->k, *at;
    TRY(rk_scratch(env, n + 1, sizeof *t->starts, &t->starts));
    TRY(rk_scratch(env, 2 * n * k, sizeof *t->index, &t->index));
    TRY(rk_scratch(env, 2 * n * k, sizeof *t->weight, &t->weight));
    TRY(rk_scratch(env, n, sizeof *at, &at));
    memset(t->starts, 0, (size_t)(n + 1) * sizeof *t->starts);
    for (int64_t q = 0; q < n * k; q++) t->starts[q / k + 1]++, t->starts[t->near[q] + 1]++;
    for (int64_t i = 0; i < n; i++) t->starts[i + 1] += t->starts[i], at[i] = t->starts[i];
    for (int64_t q = 0; q < n * k; q++) {
        int64_t i = q / k, j = t->near[q], a = at[i]++, b = at[j]++;
        t->index[a] = j, t->index[b] = i;
        t->weight[a] = t->weight[b] = t->value[q] / 2;
    }
done:
    return status;
}

/* How many objects are equal to all of their neighbours, up to rounding. */
static int64_t count_equal(const rk_tke *t, const double *diag) {
    int64_t count = 0;
    for (int64_t i = 0; i < t->n; i++) {
        int64_t last = (i + 1) * t->k - 1;
        double both = diag[i] + diag[t->near[last]];
        count += both - 2 * t->value[last] <= 1e-12 * both;
    }
    return count;
}

rkhs_status rk_tke_graph(const rk_gram *g, rk_tke *t) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int64_t n = g->n, k = t->k;
    double *value, *diag, most = 0;
    t->n = n;
    TRY(rk_scratch(env, n * k, sizeof *t->near, &t->near));
    TRY(rk_scratch(env, n * k, sizeof *t->value, &t->value));
    value = t->value;
    TRY(rk_scratch(env, n, sizeof *diag, &diag));
    TRY(rk_gram_neighbours(g, k, t->near, value));
    for (int64_t q = 0; q < n * k; q++) most = fmax(most, value[q]);
    TRY(rk_gram_check_finite(g, most));
    if (!(most > 0) && !(t->half && t->sum > 0))
        FAIL(env, RKHS_ERR_NUMERIC,
             "no two objects have a kernel value above 0, so there is nothing to bring together: choose another kernel");
    TRY(rk_gram_diag(g, diag));
    t->equal = count_equal(t, diag);
    for (int64_t i = 0; i < n; i++) rk_tke_weigh(k, t->sum, t->log, t->half, t->near + i * k, value + i * k);
    t->self = t->sum > 0 ? (double)n : rk_rows_sum(n, 1, diag);
    TRY(join_edges(env, t));
    rk_mark mark = rk_scratch_mark(env);
    rk_components components;
    TRY(rk_connected_components(env, &(rk_csr){n, t->starts, t->index, t->weight}, &components));
    t->components = components.count;
    t->isolated = components.isolated;
    rk_scratch_release(env, mark);
done:
    return status;
}

/* ---- the objective --------------------------------------------------------------------------------------------- */

/* From u = s to the attraction a(s) in u, and its derivative by s in w. */
static void attraction(const rk_tke *t, double g, int64_t n, double *restrict u, double *restrict w) {
    int rbf = t->kernel == RK_EMBEDDING_RBF;
    for (int64_t j = 0; j < n; j++) u[j] *= rbf ? -g : g;
    if (rbf && !t->log) rk_exp(n, u);
    for (int64_t j = 0; j < n; j++) w[j] = rbf ? -g * (t->log ? 1 : u[j]) : 1 / (1 + u[j]);
    if (rbf) return;
    if (t->log) rk_log1p(n, u);
    for (int64_t j = 0; j < n; j++) {
        double v = w[j];
        u[j] = t->log ? -u[j] : v;
        w[j] = -g * (t->log ? v : v * v);
    }
}

/* From u = s to the repulsion kx^2 in u, and its derivative by s in w. */
static void repulsion(const rk_tke *t, double g, int64_t n, double *restrict u, double *restrict w) {
    if (t->kernel == RK_EMBEDDING_RBF) {
        for (int64_t j = 0; j < n; j++) u[j] *= -2 * g;
        rk_exp(n, u);
        for (int64_t j = 0; j < n; j++) w[j] = -2 * g * u[j];
        return;
    }
    for (int64_t j = 0; j < n; j++) {
        double v = 1 / (1 + g * u[j]);
        u[j] = v * v;
        w[j] = -2 * g * v * u[j];
    }
}

typedef struct tke_loop {
    rk_tke *t;
    const double *Z; /* n x d */
    double g, *dZ;
} tke_loop;

/* A tile of rows of the sum over neighbours, and of |z|^2. */
static rkhs_status attraction_tile(void *context, int64_t tile, int worker) {
    tke_loop *a = context;
    rk_tke *t = a->t;
    int64_t d = t->dim, end = rk_min((tile + 1) * RK_TILE, t->n);
    double *s = t->room + worker * t->room_each, *u = s + t->widest, *w = u + t->widest, *sums = t->sums + 2 * tile;
    sums[0] = sums[1] = 0;
    for (int64_t i = tile * RK_TILE; i < end; i++) {
        int64_t from = t->starts[i], count = t->starts[i + 1] - from;
        const double *z = a->Z + i * d;
        double *dz = a->dZ + i * d;
        for (int64_t q = 0; q < count; q++) {
            const double *y = a->Z + t->index[from + q] * d;
            s[q] = 0;
            for (int64_t c = 0; c < d; c++) s[q] += (z[c] - y[c]) * (z[c] - y[c]);
            u[q] = s[q];
        }
        attraction(t, a->g, count, u, w);
        for (int64_t c = 0; c < d; c++) dz[c] = 2 * t->decay * z[c], sums[0] += t->decay * z[c] * z[c];
        for (int64_t q = 0; q < count; q++) {
            const double *y = a->Z + t->index[from + q] * d;
            double v = t->weight[from + q] * w[q];
            sums[0] -= t->weight[from + q] * u[q];
            sums[1] -= v * s[q];
            for (int64_t c = 0; c < d; c++) dz[c] -= 4 * v * (z[c] - y[c]);
        }
    }
    return RKHS_OK;
}

/* Pairs of rows of tile i with rows of tile j <= i. Their parts of the gradient go to slots (i, j) and (j, i). */
static rkhs_status repulsion_tile(void *context, int64_t tile, int worker) {
    tke_loop *a = context;
    rk_tke *t = a->t;
    int64_t ti, tj, d = t->dim, tiles = (t->n + RK_TILE - 1) / RK_TILE;
    rk_triangle_position(tile, &ti, &tj);
    int64_t ni = rk_min(RK_TILE, t->n - ti * RK_TILE), nj = rk_min(RK_TILE, t->n - tj * RK_TILE);
    double *s = t->room + worker * t->room_each, *u = s + RK_TILE, *w = u + RK_TILE, *force = w + RK_TILE;
    double *sums = t->sums + 2 * (tiles + tile);
    double *mine = t->parts_of + (ti * tiles + tj) * RK_TILE * d, *theirs = t->parts_of + (tj * tiles + ti) * RK_TILE * d;
    const double *b = t->columns + tj * RK_TILE * d;
    memset(theirs, 0, (size_t)(RK_TILE * d) * sizeof *theirs);
    if (ti != tj) memset(mine, 0, (size_t)(RK_TILE * d) * sizeof *mine);
    sums[0] = sums[1] = 0;
    for (int64_t i = 0; i < ni; i++) {
        int64_t count = ti == tj ? i : nj;
        const double *z = a->Z + (ti * RK_TILE + i) * d;
        memset(force, 0, (size_t)d * sizeof *force);
        memset(s, 0, (size_t)count * sizeof *s);
        rk_add_squares(count, d, z, b, RK_TILE, s);
        memcpy(u, s, (size_t)count * sizeof *u);
        repulsion(t, a->g, count, u, w);
        sums[0] += 2 * t->repulsion * rk_sum(count, u);
        sums[1] += 2 * t->repulsion * rk_dot(count, w, s);
        rk_add_forces(count, d, z, b, RK_TILE, w, force, theirs);
        for (int64_t c = 0; c < d; c++) mine[c * RK_TILE + i] += force[c];
    }
    return RKHS_OK;
}

/* Adds the parts of the gradient of each row in a fixed order. */
static rkhs_status gather_tile(void *context, int64_t tile, int worker) {
    tke_loop *a = context;
    rk_tke *t = a->t;
    int64_t d = t->dim, tiles = (t->n + RK_TILE - 1) / RK_TILE, ni = rk_min(RK_TILE, t->n - tile * RK_TILE);
    double *sum = t->room + worker * t->room_each, *levels = sum + RK_TILE;
    for (int64_t c = 0; c < d; c++) {
        for (int64_t q = 0; q < tiles; q++) rk_tree_push(q, ni, levels, t->parts_of + ((tile * tiles + q) * d + c) * RK_TILE);
        rk_tree_fold(tiles, ni, levels, sum);
        for (int64_t i = 0; i < ni; i++) a->dZ[(tile * RK_TILE + i) * d + c] += 4 * t->repulsion * sum[i];
    }
    return RKHS_OK;
}

rkhs_status rk_tke_alloc(rkhs_env *env, rk_tke *t) {
    rkhs_status status = RKHS_OK;
    int64_t tiles = (t->n + RK_TILE - 1) / RK_TILE, padded = tiles * RK_TILE;
    t->widest = RK_TILE;
    for (int64_t i = 0; i < t->n; i++) t->widest = rk_max(t->widest, t->starts[i + 1] - t->starts[i]);
    t->room_each = rk_padded(rk_max(3 * t->widest + t->dim, (1 + rk_tree_levels(tiles)) * RK_TILE));
    TRY(rk_scratch(env, rk_workers(env) * t->room_each, sizeof *t->room, &t->room));
    TRY(rk_scratch(env, padded * t->dim, sizeof *t->columns, &t->columns));
    TRY(rk_scratch(env, tiles * padded * t->dim, sizeof *t->parts_of, &t->parts_of));
    TRY(rk_scratch(env, 2 * (tiles + tiles * (tiles + 1) / 2), sizeof *t->sums, &t->sums));
done:
    return status;
}

rkhs_status rk_tke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt) {
    rkhs_status status = RKHS_OK;
    rk_tke *t = context;
    int64_t d = t->dim, tiles = (t->n + RK_TILE - 1) / RK_TILE, pairs = tiles * (tiles + 1) / 2;
    tke_loop a = {.t = t, .Z = Z, .g = exp(fmin(fmax(theta[0], -100), 100)), .dZ = dZ};
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t c = 0; c < d; c++) t->columns[(i / RK_TILE * d + c) * RK_TILE + i % RK_TILE] = Z[i * d + c];
    TRY(rk_parallel(env, NULL, tiles, attraction_tile, &a));
    TRY(rk_parallel(env, NULL, pairs, repulsion_tile, &a));
    TRY(rk_parallel(env, NULL, tiles, gather_tile, &a));
    const double *near = t->sums, *apart = t->sums + 2 * tiles;
    *f = t->repulsion * (double)t->n - (t->log ? 0 : t->self);
    *f += rk_tree_sum(tiles, 2, near) + rk_triangle_sum(tiles, 2, apart);
    *dt = rk_tree_sum(tiles, 2, near + 1) + rk_triangle_sum(tiles, 2, apart + 1);
done:
    return status;
}
