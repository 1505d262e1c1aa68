/* gplvm_likelihood.c: the objective of gplvm and bcgplvm: the likelihood of a Gaussian process on the codes.
 *
 *     L = (D/2) log|K| + tr(K^-1 S)/2 + prior |Z|^2/2,  K_ij = variance exp(-|z_i - z_j|^2/(2 width^2)) + noise [i = j]
 *
 * S is the centred Gram of the data, D the number of features that it sums over. For the linear kernel S = YY', and L
 * is the likelihood of the columns of Y, each a draw of the process. dL/dK = (D K^-1 - K^-1 S K^-1)/2.
 *
 * S enters as F F'. For a stored Gram F is its pivoted Cholesky factor, which ends at the rank of S and is lower
 * triangular with the objects in the order of the pivots. For a factor, F is Phi minus its column means. A step costs
 * n^3 flops for K^-1 and 3 n^2 r - n r^2 for V = K^-1 F and V V', r the columns of F. F is scaled to tr FF' = n.
 * Variance and noise are in units of `scale`, the mean variance of a feature, whatever the unit of the data. */
#include "model/gplvm.h"

#include <string.h>

/* The least noise, in units of `scale`: without it, equal objects with equal codes would make K singular. */
static const double MIN_NOISE = 1e-6;

/* ---- F --------------------------------------------------------------------------------------------------------- */

/* Means of the rows of S; returns the mean of all entries. */
static double row_means(int64_t n, const double *S, int64_t ld, double *means) {
    for (int64_t i = 0; i < n; i++) means[i] = rk_sum(n, S + i * ld) / (double)n;
    return rk_rows_sum(n, 1, means) / (double)n;
}

/* Pivoted Cholesky of H S H, H the centring matrix; rows of `work` (n x n) are objects. Not rk_pivoted_factor: the
 * smallest entry of the remaining diagonal is needed too, which tells whether S is indefinite. */
static rkhs_status factor_centred(rkhs_env *env, rk_gplvm *p, const double *S, int64_t ld, double *work) {
    rkhs_status status = RKHS_OK;
    int64_t n = p->n, *order = p->order;
    double total = row_means(n, S, ld, p->means), largest = 0, raw = 0, smallest = 0, *left, *column;
    TRY(rk_scratch(env, n, sizeof *left, &left));
    TRY(rk_scratch(env, n, sizeof *column, &column));
    for (int64_t i = 0; i < n; i++) {
        left[i] = S[i * ld + i] - 2 * p->means[i] + total;
        raw = fmax(raw, fabs(S[i * ld + i]));
        largest = fmax(largest, left[i]);
        order[i] = i;
    }
    double none = fmax(1e-12 * largest, 1e-14 * raw); /* smaller pivots are rounding */
    for (p->r = 0; p->r < n; p->r++) {
        int64_t k = p->r, at = k;
        for (int64_t i = k + 1; i < n; i++)
            if (left[order[i]] > left[order[at]]) at = i;
        int64_t pivot = order[at];
        if (!(left[pivot] > none)) break;
        order[at] = order[k];
        order[k] = pivot;
        rk_gemm_tile('n', 't', n, 1, k, 1.0, work, n, work + pivot * n, n, 0.0, column, 1);
        double root = sqrt(left[pivot]);
        work[pivot * n + k] = root;
        for (int64_t i = k + 1; i < n; i++) {
            int64_t j = order[i];
            double v = (S[pivot * ld + j] - p->means[j] - p->means[pivot] + total - column[j]) / root;
            work[j * n + k] = v;
            left[j] -= v * v;
        }
        TRY(rk_progress(env, "factor", k + 1, n));
    }
    for (int64_t i = p->r; i < n; i++) smallest = fmin(smallest, left[order[i]]);
    if (smallest < -1e-8 * raw)
        rk_log(env, RKHS_LOG_ADVICE, "the Gram is not positive semi-definite: what is negative in it is left out");
    TRY(rk_scratch(env, n * p->r, sizeof *p->F, &p->F));
    for (int64_t i = 0; i < n; i++) memcpy(p->F + i * p->r, work + order[i] * n, (size_t)p->r * sizeof *p->F);
done:
    return status;
}

/* F = Phi minus its column means. */
static rkhs_status factor_given(const rk_gram *g, rk_gplvm *p) {
    rkhs_status status = RKHS_OK;
    int64_t ld, n = p->n, r = p->r = g->rank;
    const double *Phi = rk_gram_phi(g, &ld);
    TRY(rk_scratch(g->env, n * r, sizeof *p->F, &p->F));
    for (int64_t i = 0; i < n; i++) p->order[i] = i;
    rk_column_means(n, r, Phi, ld, p->means);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < r; c++) p->F[i * r + c] = Phi[i * ld + c] - p->means[c];
done:
    return status;
}

/* Small tiles where there are few codes, so that all threads have some. */
static int64_t tile_of(int64_t n) { return n <= 1024 ? 128 : 256; }

rkhs_status rk_gplvm_alloc(rkhs_env *env, rk_gplvm *p) {
    rkhs_status status = RKHS_OK;
    int64_t n = p->n;
    p->tile = tile_of(n);
    if (!p->A) TRY(rk_scratch(env, n * n, sizeof *p->A, &p->A));
    TRY(rk_scratch(env, n * n, sizeof *p->J, &p->J));
    TRY(rk_scratch(env, n * p->r, sizeof *p->V, &p->V));
    TRY(rk_scratch(env, n * p->dim, sizeof *p->Z, &p->Z));
    TRY(rk_scratch(env, n * p->dim, sizeof *p->columns, &p->columns));
    TRY(rk_scratch(env, rk_workers(env) * (p->tile + 2) * p->tile, sizeof *p->tiles, &p->tiles));
done:
    return status;
}

rkhs_status rk_gplvm_new(const rk_gram *g, double features, int64_t dim, rk_gplvm *p) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int64_t n = g->n, tiles = (n + tile_of(n) - 1) / tile_of(n), ld;
    int spendable;
    *p = (rk_gplvm){.n = n, .dim = dim, .features = features};
    status = rk_require_memory(env, 8.0 * (double)n * (4.0 * (double)n + 2.0 * (double)tiles * (double)dim),
                               "the likelihood of all pairs of codes", NULL);
    TRY(rk_set_subject(env, "gram", status));
    TRY(rk_scratch(env, n * n, sizeof *p->A, &p->A));
    TRY(rk_scratch(env, n, sizeof *p->order, &p->order));
    TRY(rk_scratch(env, rk_max(n, g->rank), sizeof *p->means, &p->means));
    p->lower = rk_gram_offers(g, RK_MATRIX);
    if (p->lower) {
        const double *S = rk_gram_matrix(g, &ld, &spendable);
        TRY(factor_centred(env, p, S, ld, p->A));
    } else {
        TRY(factor_given(g, p));
    }
    p->centres = p->lower ? n : p->r;
    double largest = 0;
    rk_row_sum trace = {0};
    for (int64_t i = 0; i < n * p->r; i++) largest = fmax(largest, fabs(p->F[i]));
    for (int64_t i = 0; i < n && largest > 0; i++) {
        double square = 0;
        for (int64_t c = i * p->r; c < (i + 1) * p->r; c++) square += (p->F[c] / largest) * (p->F[c] / largest);
        rk_add_row(&trace, square);
    }
    p->unit = largest * sqrt(rk_row_total(&trace) / (double)n); /* scaled by `largest`, since squares may underflow */
    p->scale = p->unit * p->unit / features;
    if (!(p->scale > 0)) goto done; /* all objects are equal */
    for (int64_t i = 0; i < n * p->r; i++) p->F[i] /= p->unit;
    TRY(rk_gplvm_alloc(env, p));
    TRY(rk_scratch(env, tiles * n * dim, sizeof *p->forces, &p->forces));
    TRY(rk_scratch(env, tiles * n * dim, sizeof *p->counter_forces, &p->counter_forces));
    TRY(rk_scratch(env, tiles * (tiles + 1) / 2 * 3, sizeof *p->sums, &p->sums));
done:
    return status;
}

/* ---- L and its gradient ---------------------------------------------------------------------------------------- */

/* A row of a tile: squared distances from code i to codes j0 .., and their kernel values. */
static void kernel_row(const rk_gplvm *p, int64_t i, int64_t j0, int64_t nj, double *square, double *k) {
    memset(square, 0, (size_t)nj * sizeof *square);
    rk_add_squares(nj, p->dim, p->Z + i * p->dim, p->columns + j0, p->n, square);
    for (int64_t j = 0; j < nj; j++) k[j] = -p->rate * square[j];
    rk_exp(nj, k);
    for (int64_t j = 0; j < nj; j++) k[j] *= p->variance;
}

/* A tile of K, on or below the diagonal. */
static rkhs_status kernel_tile(void *context, int64_t tile, int worker) {
    const rk_gplvm *p = context;
    int64_t ti, tj, n = p->n;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i0 = ti * p->tile, j0 = tj * p->tile, ni = rk_min(p->tile, n - i0), nj = rk_min(p->tile, n - j0);
    double *square = p->tiles + worker * (p->tile + 2) * p->tile;
    for (int64_t i = i0; i < i0 + ni; i++) {
        kernel_row(p, i, j0, nj, square, p->A + i * n + j0);
        if (ti == tj) p->A[i * n + i] += p->noise;
    }
    return RKHS_OK;
}

/* A tile of dL/dK, and its part in the derivatives by codes, width, variance and noise. */
static rkhs_status gradient_tile(void *context, int64_t tile, int worker) {
    const rk_gplvm *p = context;
    int64_t ti, tj, n = p->n, d = p->dim, r = p->r, size = p->tile * p->tile;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i0 = ti * p->tile, j0 = tj * p->tile, ni = rk_min(p->tile, n - i0), nj = rk_min(p->tile, n - j0);
    double *G = p->tiles + worker * (size + 2 * p->tile), *k = G + size, *square = k + p->tile;
    double *forces = p->forces + tj * n * d, *counter_forces = p->counter_forces + ti * n * d, *sums = p->sums + 3 * tile;
    double half = 0.5 * p->features, twice = ti == tj ? 1 : 2;
    memset(sums, 0, 3 * sizeof *sums);
    memset(forces + i0 * d, 0, (size_t)(ni * d) * sizeof *forces);
    for (int64_t c = 0; c < d; c++) memset(counter_forces + c * n + j0, 0, (size_t)nj * sizeof *counter_forces);
    for (int64_t i = 0; i < ni; i++) memcpy(G + i * p->tile, p->A + (i0 + i) * n + j0, (size_t)nj * sizeof *G);
    rk_gemm_tile('n', 't', ni, nj, r, -half, p->V + i0 * r, r, p->V + j0 * r, r, half, G, p->tile);
    for (int64_t i = 0; i < ni; i++) {
        double *w = G + i * p->tile;
        if (ti == tj) sums[2] += w[i];
        kernel_row(p, i0 + i, j0, nj, square, k);
        for (int64_t j = 0; j < nj; j++) w[j] *= k[j];
        sums[0] += twice * rk_dot(nj, w, square);
        sums[1] += twice * rk_sum(nj, w);
        rk_add_forces(nj, d, p->Z + (i0 + i) * d, p->columns + j0, n, w, forces + (i0 + i) * d, counter_forces + j0);
    }
    return RKHS_OK;
}

/* Sums the gradient in a fixed order. Diagonal tiles meet each pair from both sides: there `forces` has all. */
static void add_up(const rk_gplvm *p, const double *theta, double *dZ, double *dt) {
    int64_t n = p->n, d = p->dim, tiles = (n + p->tile - 1) / p->tile;
    double levels[RK_TREE_LEVELS], sum;
    for (int64_t i = 0; i < n; i++) {
        int64_t own = i / p->tile;
        for (int64_t c = 0; c < d; c++) {
            for (int64_t t = 0; t < tiles; t++)
                rk_tree_push(t, 1, levels,
                             t <= own ? p->forces + (t * n + i) * d + c : p->counter_forces + (t * d + c) * n + i);
            rk_tree_fold(tiles, 1, levels, &sum);
            dZ[p->order[i] * d + c] = -4 * p->rate * sum + p->prior * p->Z[i * d + c];
        }
    }
    dt[0] = 2 * p->rate * rk_triangle_sum(tiles, 3, p->sums);
    dt[1] = rk_triangle_sum(tiles, 3, p->sums + 1);
    dt[2] = rk_triangle_sum(tiles, 3, p->sums + 2) * exp(theta[2]);
}

void rk_gplvm_set_codes(rk_gplvm *p, const double *Z) {
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < p->dim; c++) p->Z[i * p->dim + c] = p->columns[c * p->n + i] = Z[p->order[i] * p->dim + c];
}

int rk_gplvm_set_theta(rk_gplvm *p, const double *theta) {
    double width = exp(theta[0]);
    p->rate = 0.5 / (width * width);
    p->variance = exp(theta[1]);
    p->noise = MIN_NOISE + exp(theta[2]);
    return isnormal(p->rate) && isnormal(p->variance) && p->noise < 1e100;
}

rkhs_status rk_gplvm_invert(rkhs_env *env, rk_gplvm *p, double *logarithm, int64_t *bad) {
    rkhs_status status = RKHS_OK;
    int64_t n = p->n, tiles = (n + p->tile - 1) / p->tile;
    rk_row_sum logs = {0};
    *logarithm = 0;
    TRY(rk_parallel(env, NULL, tiles * (tiles + 1) / 2, kernel_tile, p));
    TRY(rk_cholesky(env, NULL, n, p->A, n, bad));
    if (*bad >= 0) goto done;
    for (int64_t i = 0; i < n; i++) rk_add_row(&logs, 2 * log(p->A[i * n + i]));
    *logarithm = rk_row_total(&logs);
    TRY(rk_cholesky_inverse(env, n, p->A, p->J));
    if (p->lower)
        TRY(rk_gemm_lower(env, n, p->r, n, p->A, n, p->F, p->r, p->V, p->r));
    else
        TRY(rk_gemm(env, NULL, 'n', 'n', n, p->r, n, 1.0, p->A, n, p->F, p->r, 0.0, p->V, p->r));
done:
    return status;
}

rkhs_status rk_gplvm_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                          double *dt) {
    rkhs_status status = RKHS_OK;
    rk_gplvm *p = context;
    int64_t n = p->n, tiles = (n + p->tile - 1) / p->tile, bad;
    double logarithm, trace, squares;
    *f = INFINITY; /* where K is singular: the line search then shortens its step */
    if (!rk_gplvm_set_theta(p, theta)) goto done;
    rk_gplvm_set_codes(p, Z);
    TRY(rk_gplvm_invert(env, p, &logarithm, &bad));
    if (bad >= 0) goto done;
    trace = rk_rows_dot(n, p->r, p->F, p->V);
    squares = rk_rows_dot(n, p->dim, p->Z, p->Z);
    TRY(rk_parallel(env, NULL, tiles * (tiles + 1) / 2, gradient_tile, p));
    add_up(p, theta, dZ, dt);
    *f = 0.5 * (p->features * (logarithm + (double)n * log(p->scale) + trace) + p->prior * squares);
done:
    return status;
}
