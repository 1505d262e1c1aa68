/* row_sums.c: sums over rows (objects) in one fixed order, which also holds when rows are spread over machines.
 *
 * Rows are cut into tiles of RK_SUM_ROWS. A tile is summed row by row, and the sums of t tiles are added by a binary
 * tree over their numbers:
 *
 *     tree(t) = tree(first p) + tree(rest),   p the largest power of two below t
 *
 * A stack holds what is not yet added: level l a sum of 2^l neighbouring tiles. Like in a binary counter, two of one
 * size are merged when they meet, so that the levels in use are the bits of the number of tiles. The order depends on
 * the number of rows alone. Whoever has 2^l tiles whose first has a number divisible by 2^l can compute that node by
 * himself. The error grows with log t. */
#include "la/la.h"

#include <string.h>

int64_t rk_tree_levels(int64_t count) {
    int64_t levels = 0;
    for (; count > 0; count /= 2) levels++;
    return levels;
}

/* y += x */
RK_VERSIONS(static, void, add, (int64_t n, const double *restrict x, double *restrict y), (n, x, y)) {
    for (int64_t j = 0; j < n; j++) y[j] += x[j];
}

void rk_tree_push(int64_t index, int64_t width, double *levels, const double *tile) {
    double *level = levels;
    for (; index & 1; index /= 2, level += width) {
        add(width, tile, level);
        tile = level;
    }
    memcpy(level, tile, (size_t)width * sizeof *level);
}

void rk_tree_fold(int64_t count, int64_t width, const double *levels, double *out) {
    int first = 1;
    for (; count > 0; count /= 2, levels += width) {
        if (!(count & 1)) continue;
        if (first)
            memcpy(out, levels, (size_t)width * sizeof *out);
        else
            add(width, levels, out);
        first = 0;
    }
    if (first) memset(out, 0, (size_t)width * sizeof *out);
}

double rk_tree_sum(int64_t count, int64_t stride, const double *values) {
    double levels[RK_TREE_LEVELS], sum;
    for (int64_t t = 0; t < count; t++) rk_tree_push(t, 1, levels, values + t * stride);
    rk_tree_fold(count, 1, levels, &sum);
    return sum;
}

double rk_triangle_sum(int64_t rows, int64_t stride, const double *values) {
    double levels[RK_TREE_LEVELS], sum;
    for (int64_t i = 0; i < rows; i++) {
        sum = rk_tree_sum(i + 1, stride, values + i * (i + 1) / 2 * stride);
        rk_tree_push(i, 1, levels, &sum);
    }
    rk_tree_fold(rows, 1, levels, &sum);
    return sum;
}

void rk_push_row_tile(rk_row_sum *s) {
    rk_tree_push((s->count - 1) / RK_SUM_ROWS, 1, s->levels, &s->tile);
    s->tile = 0;
}

double rk_row_total(const rk_row_sum *s) {
    rk_row_sum all = *s;
    if (all.count % RK_SUM_ROWS) rk_push_row_tile(&all);
    rk_tree_fold(rk_sum_tiles(s->count), 1, all.levels, &all.tile);
    return all.tile;
}

rkhs_status rk_block_sum_new(rkhs_env *env, int64_t n, int64_t width, rk_block_sum *s) {
    rkhs_status status = RKHS_OK;
    *s = (rk_block_sum){.width = width};
    TRY(rk_scratch(env, width, sizeof *s->tile, &s->tile));
    TRY(rk_scratch(env, rk_tree_levels(rk_sum_tiles(n)) * width, sizeof *s->levels, &s->levels));
done:
    return status;
}

void rk_push_block_tile(rk_block_sum *s) {
    rk_tree_push((s->count - 1) / RK_SUM_ROWS, s->width, s->levels, s->tile);
    memset(s->tile, 0, (size_t)s->width * sizeof *s->tile);
}

void rk_block_total(rk_block_sum *s, double *out) {
    if (s->count % RK_SUM_ROWS) rk_push_block_tile(s);
    rk_tree_fold(rk_sum_tiles(s->count), s->width, s->levels, out);
}

double rk_rows_sum(int64_t n, int64_t stride, const double *x) {
    double sum;
    rk_column_sums(n, 1, x, stride, &sum);
    return sum;
}

double rk_rows_dot(int64_t n, int64_t d, const double *x, const double *y) {
    double levels[RK_TREE_LEVELS], tile, sum;
    for (int64_t i = 0; i < n; i += RK_SUM_ROWS) {
        tile = rk_dot(rk_min(RK_SUM_ROWS, n - i) * d, x + i * d, y + i * d);
        rk_tree_push(i / RK_SUM_ROWS, 1, levels, &tile);
    }
    rk_tree_fold(rk_sum_tiles(n), 1, levels, &sum);
    return sum;
}

/* |scale x|^2 */
static double scaled_squares(int64_t n, int64_t d, double scale, const double *x) {
    double levels[RK_TREE_LEVELS], tile, sum;
    for (int64_t i = 0; i < n; i += RK_SUM_ROWS) {
        tile = rk_scaled_square(rk_min(RK_SUM_ROWS, n - i) * d, scale, x + i * d, 0, x + i * d);
        rk_tree_push(i / RK_SUM_ROWS, 1, levels, &tile);
    }
    rk_tree_fold(rk_sum_tiles(n), 1, levels, &sum);
    return sum;
}

double rk_rows_norm(int64_t n, int64_t d, const double *x) {
    double squares = rk_rows_dot(n, d, x, x), scale;
    if (rk_squares_hold(squares)) return sqrt(squares);
    scale = rk_norm_scale(n * d, x);
    if (!(scale > 0)) return fabs(scale); /* the norm itself: 0, infinite or NaN */
    return sqrt(scaled_squares(n, d, scale, x)) / scale;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

enum { COLUMNS = 64 }; /* columns at a time: their levels are on the stack */

/* sums[c] = sum of X[i][c] over the rows of a tile. */
RK_VERSIONS(static, void, sum_tile, (int64_t rows, int64_t d, const double *restrict X, int64_t ld, double *restrict sums),
            (rows, d, X, ld, sums)) {
    double only = 0;
    if (d == 1) {
        for (int64_t i = 0; i < rows; i++) only += X[i * ld];
        sums[0] = only;
        return;
    }
    memset(sums, 0, (size_t)d * sizeof *sums);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < d; c++) sums[c] += X[i * ld + c];
}

void rk_column_sums(int64_t n, int64_t d, const double *X, int64_t ld, double *sums) {
    double levels[RK_TREE_LEVELS * COLUMNS], tile[COLUMNS];
    for (int64_t c = 0; c < d; c += COLUMNS) {
        int64_t width = rk_min(COLUMNS, d - c);
        for (int64_t i = 0; i < n; i += RK_SUM_ROWS) {
            sum_tile(rk_min(RK_SUM_ROWS, n - i), width, X + i * ld + c, ld, tile);
            rk_tree_push(i / RK_SUM_ROWS, width, levels, tile);
        }
        rk_tree_fold(rk_sum_tiles(n), width, levels, sums + c);
    }
}

void rk_column_means(int64_t n, int64_t d, const double *X, int64_t ld, double *means) {
    rk_column_sums(n, d, X, ld, means);
    for (int64_t c = 0; c < d; c++) means[c] /= (double)rk_max(n, 1);
}

/* sums[c] = sum of X[i][c] Y[i][c] over the rows of a tile. */
RK_VERSIONS(static, void, dot_tile,
            (int64_t rows, int64_t d, const double *X, int64_t ldx, const double *Y, int64_t ldy, double *restrict sums),
            (rows, d, X, ldx, Y, ldy, sums)) {
    double only = 0;
    if (d == 1) {
        for (int64_t i = 0; i < rows; i++) only += X[i * ldx] * Y[i * ldy];
        sums[0] = only;
        return;
    }
    memset(sums, 0, (size_t)d * sizeof *sums);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < d; c++) sums[c] += X[i * ldx + c] * Y[i * ldy + c];
}

void rk_column_dots(int64_t n, int64_t d, const double *X, int64_t ldx, const double *Y, int64_t ldy, double *dots) {
    double levels[RK_TREE_LEVELS * COLUMNS], tile[COLUMNS];
    for (int64_t c = 0; c < d; c += COLUMNS) {
        int64_t width = rk_min(COLUMNS, d - c);
        for (int64_t i = 0; i < n; i += RK_SUM_ROWS) {
            dot_tile(rk_min(RK_SUM_ROWS, n - i), width, X + i * ldx + c, ldx, Y + i * ldy + c, ldy, tile);
            rk_tree_push(i / RK_SUM_ROWS, width, levels, tile);
        }
        rk_tree_fold(rk_sum_tiles(n), width, levels, dots + c);
    }
}

double rk_column_mean(int64_t n, int64_t d, int64_t c, const double *Z) {
    return rk_rows_sum(n, d, Z + c) / (double)rk_max(n, 1);
}

double rk_centre_column(int64_t n, int64_t d, int64_t c, double *Z) {
    double mean = rk_column_mean(n, d, c, Z);
    for (int64_t i = 0; i < n; i++) Z[i * d + c] -= mean;
    return mean;
}
