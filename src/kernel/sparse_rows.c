/* sparse_rows.c: tiles of inner products, and of other sums over columns, for sparse rows.
 *
 * The numbers of each tile of RK_TILE rows are stored a second time, by column. A tile of products is then a sum of
 * outer products over the columns that both tiles have, found by merging two ascending lists. Zeros cost nothing, and
 * memory grows with the nonzeros alone, however many columns there are. Terms are summed in the order of columns, so
 * that the bits of a value depend on its two rows alone. */
#include "kernel/kernel.h"

#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

/* The numbers of each tile by column. Tile t has the columns column[tile[t]] .. column[tile[t+1]-1], ascending. Entry
 * k of `column` has the numbers value[start[k]] .. value[start[k+1]-1], and `row` the rows of these, ascending. */
typedef struct rk_sparse_columns {
    int64_t *tile; /* tiles + 1 */
    int32_t *column;
    int64_t *start;
    uint8_t *row;
    double *value;
} rk_sparse_columns;

/* A number; key: its column, and its row in the tile. */
enum { ROW_BITS = 8 };
_Static_assert(RK_TILE <= 1 << ROW_BITS, "a row of a tile is a byte");
typedef struct keyed {
    uint64_t key;
    double value;
} keyed;

void rk_sparse_columns_free(rkhs_env *env, rk_sparse_columns *c) {
    if (!c) return;
    rk_free(env, c->tile);
    rk_free(env, c->column);
    rk_free(env, c->start);
    rk_free(env, c->row);
    rk_free(env, c->value);
    rk_free(env, c);
}

static const rk_sparse *sparse_of(const rkhs_data *x) { return x->self; }

/* Radix sort by column; equal columns stay in the order of rows. Returns which of the two arrays has the result. */
static keyed *sort_by_column(keyed *from, keyed *to, int64_t count, int64_t columns) {
    for (int shift = ROW_BITS; shift < ROW_BITS + 31 && (columns - 1) >> (shift - ROW_BITS); shift += DIGIT) {
        int64_t at[DIGITS] = {0}, sum = 0;
        for (int64_t q = 0; q < count; q++) at[from[q].key >> shift & (DIGITS - 1)]++;
        for (int d = 0; d < DIGITS; d++) {
            int64_t here = at[d];
            at[d] = sum;
            sum += here;
        }
        for (int64_t q = 0; q < count; q++) to[at[from[q].key >> shift & (DIGITS - 1)]++] = from[q];
        keyed *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Appends the sorted numbers of one tile; *lists counts the columns of all tiles so far. */
static void append(rk_sparse_columns *c, const keyed *sorted, int64_t first, int64_t count, int64_t *lists) {
    for (int64_t q = 0; q < count; q++) {
        int32_t column = (int32_t)(sorted[q].key >> ROW_BITS);
        if (!q || column != (int32_t)(sorted[q - 1].key >> ROW_BITS)) {
            c->column[*lists] = column;
            c->start[(*lists)++] = first + q;
        }
        c->row[first + q] = (uint8_t)sorted[q].key;
        c->value[first + q] = sorted[q].value;
    }
    c->start[*lists] = first + count;
}

/* Nonzeros in the rows i0 .. i0 + ni - 1. */
static int64_t numbers_in(const rk_sparse *s, int64_t i0, int64_t ni) { return s->starts[i0 + ni] - s->starts[i0]; }

static rkhs_status fill_columns(rkhs_env *env, const rkhs_data *x, rk_sparse_columns *c) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_sparse *s = sparse_of(x);
    int64_t max_numbers = 0, lists = 0, t = 0;
    keyed *one, *two;
    for (int64_t i = 0; i < x->rows; i += RK_TILE)
        max_numbers = rk_max(max_numbers, numbers_in(s, i, rk_min(RK_TILE, x->rows - i)));
    TRY(rk_scratch(env, max_numbers, sizeof *one, &one));
    TRY(rk_scratch(env, max_numbers, sizeof *two, &two));
    for (int64_t i0 = 0; i0 < x->rows; i0 += RK_TILE) {
        int64_t ni = rk_min(RK_TILE, x->rows - i0), first = s->starts[i0], count = 0;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t q = s->starts[i0 + i]; q < s->starts[i0 + i + 1]; q++)
                one[count++] = (keyed){(uint64_t)s->columns[q] << ROW_BITS | (uint64_t)i, s->values[q]};
        append(c, sort_by_column(one, two, count, x->columns), first, count, &lists);
        c->tile[++t] = lists;
        TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_sparse_prepare(rkhs_env *env, rk_bound *b, rk_vector_side *side) {
    rkhs_status status = RKHS_OK;
    const rk_sparse *s = sparse_of(b->x);
    int64_t n = b->x->rows, nonzeros = s->starts[n];
    TRY(rk_alloc(env, n, sizeof *side->norm, &side->norm));
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++) side->norm[i] += s->values[q] * s->values[q];
    TRY(rk_alloc(env, 1, sizeof *side->columns, &side->columns));
    rk_sparse_columns *c = side->columns;
    TRY(rk_alloc(env, (n + RK_TILE - 1) / RK_TILE + 1, sizeof *c->tile, &c->tile));
    TRY(rk_alloc(env, nonzeros, sizeof *c->column, &c->column));
    TRY(rk_alloc(env, nonzeros + 1, sizeof *c->start, &c->start));
    TRY(rk_alloc(env, nonzeros, sizeof *c->row, &c->row));
    TRY(rk_alloc(env, nonzeros, sizeof *c->value, &c->value));
    TRY(fill_columns(env, b->x, c));
done:
    return status;
}

#define ALWAYS static inline __attribute__((always_inline))

/* The term of a column that both rows have: x y, min(x, y), |x| + |y| - |x - y|, or x + y - (x - y)^2/(x + y). */
ALWAYS double common(rk_pair what, double x, double y) {
    switch (what) {
    case RK_PAIR_PRODUCT: return x * y;
    case RK_PAIR_MINIMUM: return x < y ? x : y;
    case RK_PAIR_ABSOLUTE: return (x < 0) == (y < 0) ? 2 * (fabs(x) < fabs(y) ? fabs(x) : fabs(y)) : 0;
    case RK_PAIR_RATIO: return x + y > 0 ? 4 * x * (y / (x + y)) : 0;
    }
    return 0;
}

/* The sum of these terms for two rows, in the order of columns. */
static double row_common(rk_pair what, const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j) {
    const rk_sparse *s = sparse_of(x), *t = sparse_of(y);
    int64_t p = s->starts[i], q = t->starts[j], end_p = s->starts[i + 1], end_q = t->starts[j + 1];
    double sum = 0;
    while (p < end_p && q < end_q) {
        int32_t c = s->columns[p], d = t->columns[q];
        if (c == d) sum += common(what, s->values[p], t->values[q]);
        p += c <= d;
        q += d <= c;
    }
    return sum;
}

/* Whether rows i0 .. i0 + ni - 1 are one of the tiles that are stored by column. */
static int is_tile(const rk_bound *b, int64_t i0, int64_t ni) {
    return i0 % RK_TILE == 0 && ni == rk_min(RK_TILE, b->x->rows - i0);
}

void rk_sparse_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                    int64_t ld) {
    const rk_sparse *s = sparse_of(a->x);
    const rk_sparse_columns *of = ((const rk_vector_side *)a->side)->columns;
    const rk_dense *y = rk_dense_of(b->x);
    double column[RK_TILE];
    for (int64_t i = 0; i < ni; i++) memset(out + i * ld, 0, (size_t)nj * sizeof *out);
    if (!is_tile(a, i0, ni)) {
        for (int64_t i = 0; i < ni; i++)
            for (int64_t q = s->starts[i0 + i]; q < s->starts[i0 + i + 1]; q++)
                for (int64_t j = 0; j < nj; j++) out[i * ld + j] += s->values[q] * rk_dense_at(y, j0 + j, s->columns[q]);
        return;
    }
    for (int64_t k = of->tile[i0 / RK_TILE]; k < of->tile[i0 / RK_TILE + 1]; k++) {
        for (int64_t j = 0; j < nj; j++) column[j] = rk_dense_at(y, j0 + j, of->column[k]);
        for (int64_t q = of->start[k]; q < of->start[k + 1]; q++) {
            double *row = out + of->row[q] * ld, value = of->value[q];
            for (int64_t j = 0; j < nj; j++) row[j] += value * column[j];
        }
    }
}

double rk_sparse_distance(rk_pair what, const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j) {
    const rk_sparse *s = sparse_of(x), *t = sparse_of(y);
    int64_t p = s->starts[i], q = t->starts[j], end_p = s->starts[i + 1], end_q = t->starts[j + 1];
    double sum = 0;
    while (p < end_p || q < end_q) {
        int64_t c = p < end_p ? s->columns[p] : INT64_MAX, d = q < end_q ? t->columns[q] : INT64_MAX;
        double u = c <= d ? s->values[p] : 0, v = d <= c ? t->values[q] : 0;
        if (what == RK_PAIR_RATIO)
            sum += u + v > 0 ? (u - v) * ((u - v) / (u + v)) : 0;
        else
            sum += fabs(u - v);
        p += c <= d;
        q += d <= c;
    }
    return sum;
}

double rk_sparse_squared_distance(const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j) {
    const rk_sparse *s = sparse_of(x), *t = sparse_of(y);
    int64_t p = s->starts[i], q = t->starts[j], end_p = s->starts[i + 1], end_q = t->starts[j + 1];
    double sum = 0;
    while (p < end_p || q < end_q) {
        int64_t c = p < end_p ? s->columns[p] : INT64_MAX, d = q < end_q ? t->columns[q] : INT64_MAX;
        double v = (c <= d ? s->values[p] : 0) - (d <= c ? t->values[q] : 0);
        sum += v * v;
        p += c <= d;
        q += d <= c;
    }
    return sum;
}

/* out += term(u, v) for all u in column k of one tile and v in column l of another. */
ALWAYS void add_outer(rk_pair what, const rk_sparse_columns *a, int64_t k, const rk_sparse_columns *b, int64_t l, double *out,
                      int64_t ld) {
    int64_t from = b->start[l], count = b->start[l + 1] - from;
    const uint8_t *at = b->row + from;
    const double *v = b->value + from;
    for (int64_t p = a->start[k]; p < a->start[k + 1]; p++) {
        double *row = out + a->row[p] * ld, u = a->value[p];
        for (int64_t q = 0; q < count; q++) row[at[q]] += common(what, u, v[q]);
    }
}

/* Two tiles that are stored by column. */
ALWAYS void tile_common(rk_pair what, const rk_bound *a, int64_t i0, const rk_bound *b, int64_t j0, double *out, int64_t ld) {
    const rk_sparse_columns *ca = ((const rk_vector_side *)a->side)->columns, *cb = ((const rk_vector_side *)b->side)->columns;
    int64_t k = ca->tile[i0 / RK_TILE], end_k = ca->tile[i0 / RK_TILE + 1];
    int64_t l = cb->tile[j0 / RK_TILE], end_l = cb->tile[j0 / RK_TILE + 1];
    while (k < end_k && l < end_l) {
        int32_t c = ca->column[k], d = cb->column[l];
        if (c == d) add_outer(what, ca, k, cb, l, out, ld);
        k += c <= d;
        l += d <= c;
    }
}

void rk_sparse_common(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                      double *out, int64_t ld) {
    if (!is_tile(a, i0, ni) || !is_tile(b, j0, nj)) {
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++) out[i * ld + j] = row_common(what, a->x, i0 + i, b->x, j0 + j);
        return;
    }
    for (int64_t i = 0; i < ni; i++) memset(out + i * ld, 0, (size_t)nj * sizeof *out);
    switch (what) { /* constants: each term gets a compiled loop of its own */
    case RK_PAIR_PRODUCT: tile_common(RK_PAIR_PRODUCT, a, i0, b, j0, out, ld); break;
    case RK_PAIR_MINIMUM: tile_common(RK_PAIR_MINIMUM, a, i0, b, j0, out, ld); break;
    case RK_PAIR_ABSOLUTE: tile_common(RK_PAIR_ABSOLUTE, a, i0, b, j0, out, ld); break;
    case RK_PAIR_RATIO: tile_common(RK_PAIR_RATIO, a, i0, b, j0, out, ld); break;
    }
}
