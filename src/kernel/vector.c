/* vector.c: tiles of inner products and of squared distances, for kernels on vectors.
 *
 * |x - y|^2 = |x|^2 + |y|^2 - 2 <x,y> is as fast as a matrix product, but cancellation loses digits in two cases. Data
 * far from the origin: rows are centred on their mean. Close pairs: what comes out below CLOSE of the norms is
 * computed again from the differences. So the relative error of every distance stays below 1e-12, and a row is at
 * distance 0 from itself. In few dimensions (DIRECT) differences are no slower, and always used. Sparse rows are not
 * centred: a mean would fill them. Products of bits are integers, and exact. Floats are widened for each tile, a chunk
 * of columns at a time, as long as a slice of la/product.c: so sums have the bits of those of doubles. Inner products
 * are also those of sparse rows or bits with dense rows, the vectors of random features. */
#include "kernel/kernel.h"

#include <limits.h>
#include <string.h>

enum { DIRECT = 8, CHUNK = 256, NUMBERS = 1 << 17 }; /* NUMBERS: in the rows of one parallel task, for norms */
static const double CLOSE = 1e-3;

static const rk_dense *dense_of(const rk_bound *b) { return b->x->self; }
static int is_sparse(const rk_bound *b) { return b->x->type == &rk_data_sparse; }
static int is_bits(const rk_bound *b) { return b->x->type == &rk_data_bits; }
static int has_floats(const rk_bound *b) { return rk_dense_of(b->x) && !dense_of(b)->values; }

double rk_row_square(const rk_dense *x, int64_t i, int64_t p, double s, double t, const double *y) {
    if (x->values) return rk_scaled_square(p, s, x->values + i * x->ld, t, y);
    return rk_scaled_square_float(p, s, x->floats + i * x->ld, t, y);
}

double rk_rows_square(const rk_dense *x, int64_t i, const rk_dense *y, int64_t j, int64_t p, double s, double t) {
    if (y->values) return rk_row_square(x, i, p, s, t, y->values + j * y->ld);
    if (x->values) return rk_row_square(y, j, p, t, s, x->values + i * x->ld);
    return rk_scaled_square_floats(p, s, x->floats + i * x->ld, t, y->floats + j * y->ld);
}

/* |x_i - centre|^2 of a dense row. */
static double norm_of(const rk_bound *b, int64_t i) {
    const double *centre = ((const rk_vector_side *)b->side)->centre;
    if (centre) return rk_row_square(dense_of(b), i, b->x->columns, 1, 1, centre);
    return rk_rows_square(dense_of(b), i, dense_of(b), i, b->x->columns, 1, 0);
}

/* The norms of one task's rows. */
static rkhs_status norms_part(void *context, int64_t part, int worker) {
    const rk_bound *b = context;
    const rk_vector_side *side = b->side;
    int64_t some = NUMBERS / rk_max(b->x->columns, 1) + 1, from = part * some;
    for (int64_t i = from; i < rk_min(from + some, b->x->rows); i++) side->norm[i] = norm_of(b, i);
    return RKHS_OK;
}

/* The norms of all rows, in parallel. */
static rkhs_status norms(rkhs_env *env, rk_bound *b, rk_vector_side *side) {
    int64_t some = NUMBERS / rk_max(b->x->columns, 1) + 1;
    rkhs_status status = rk_alloc(env, b->x->rows, sizeof *side->norm, &side->norm);
    return status == RKHS_OK ? rk_parallel(env, NULL, (b->x->rows + some - 1) / some, norms_part, b) : status;
}

/* The squared norm of a row of bits is the number of its ones. */
static rkhs_status bit_norms(rkhs_env *env, rk_bound *b, rk_vector_side *side) {
    const rk_bits *x = b->x->self;
    rkhs_status status = rk_alloc(env, b->x->rows, sizeof *side->norm, &side->norm);
    for (int64_t i = 0; status == RKHS_OK && i < b->x->rows; i++)
        side->norm[i] = (double)rk_bits_count(x->stride, x->words + i * x->stride);
    return status;
}

/* An empty side; refuses sizes that BLAS cannot take. */
static rkhs_status side_new(rkhs_env *env, rk_bound *b, rk_vector_side **side) {
    if (rk_dense_of(b->x) && (b->x->columns > INT_MAX || dense_of(b)->ld > INT_MAX))
        return rk_fail(env, RKHS_ERR_DATA, "rows are %s apart: at most %d can be handled",
                       rk_counted(dense_of(b)->ld, "number").text, INT_MAX);
    rkhs_status status = rk_alloc(env, 1, sizeof **side, side);
    b->side = *side;
    return status;
}

rkhs_status rk_vector_prepare(rkhs_env *env, rk_bound *b) {
    rk_vector_side *side;
    rkhs_status status = side_new(env, b, &side);
    if (status != RKHS_OK) return status;
    return is_sparse(b) ? rk_sparse_prepare(env, b, side) : is_bits(b) ? bit_norms(env, b, side) : norms(env, b, side);
}

rkhs_status rk_vector_prepare_dots(rkhs_env *env, rk_bound *b) {
    rk_vector_side *side;
    return is_sparse(b) || is_bits(b) ? rk_vector_prepare(env, b) : side_new(env, b, &side);
}

void rk_vector_norms(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const rk_vector_side *side = a->side;
    for (int64_t i = 0; i < ni; i++) out[i] = side->norm ? side->norm[i0 + i] : norm_of(a, i0 + i);
}

/* Centres rows on their mean, if that is further from 0 than rows are from it. */
static rkhs_status find_centre(rkhs_env *env, rk_bound *b, rk_vector_side *side) {
    int64_t n = b->x->rows, p = b->x->columns;
    double *mean, offset = 0;
    rk_row_sum spread = {0};
    rkhs_status status = rk_alloc(env, p, sizeof *mean, &mean);
    if (status != RKHS_OK) return status;
    side->owned = mean;
    status = rk_dense_means(env, b->x, mean);
    if (status != RKHS_OK) return status;
    for (int64_t c = 0; c < p; c++) offset += mean[c] * mean[c];
    for (int64_t i = 0; i < n; i++) rk_add_row(&spread, rk_row_square(dense_of(b), i, p, 1, 1, mean));
    if (offset > rk_row_total(&spread) / (double)n) side->centre = mean;
    return RKHS_OK;
}

rkhs_status rk_vector_prepare_centred(rkhs_env *env, rk_bound *b) {
    rk_vector_side *side;
    if (is_sparse(b) || is_bits(b)) return rk_vector_prepare(env, b);
    rkhs_status status = side_new(env, b, &side);
    if (status != RKHS_OK || b->x->columns <= DIRECT) return status;
    if (b->reference)
        side->centre = ((rk_vector_side *)b->reference->side)->centre;
    else
        status = find_centre(env, b, side);
    return status == RKHS_OK ? norms(env, b, side) : status;
}

void rk_vector_release(rkhs_env *env, rk_bound *b) {
    rk_vector_side *side = b->side;
    rk_free(env, side->norm);
    rk_free(env, side->owned);
    rk_sparse_columns_free(env, side->columns);
    rk_free(env, side);
}

int64_t rk_vector_work(const rk_bound *a, const rk_bound *b) { return is_sparse(a) || is_bits(a) ? 0 : 2 * RK_TILE * CHUNK; }

int64_t rk_vector_dots_work(const rk_bound *a, const rk_bound *b) {
    return has_floats(a) || has_floats(b) || is_bits(a) != is_bits(b) ? 2 * RK_TILE * CHUNK : 0;
}

/* Columns c0 .. c0+nc-1 of some rows minus the centre (NULL: 0): doubles where they are, or packed in `room`. Bits have
 * no centre. */
static const double *chunk_of(const rk_bound *b, int64_t i0, int64_t ni, int64_t c0, int64_t nc, const double *centre,
                              double *room, int64_t *ld) {
    const rk_dense *d = dense_of(b);
    if (is_bits(b)) {
        const rk_bits *bits = b->x->self;
        *ld = nc;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t c = c0; c < c0 + nc; c++)
                room[i * nc + c - c0] = (double)(bits->words[(i0 + i) * bits->stride + c / 64] >> c % 64 & 1);
        return room;
    }
    *ld = d->values && !centre ? d->ld : nc;
    if (d->values && !centre) return d->values + i0 * d->ld + c0;
    for (int64_t i = 0; i < ni; i++) {
        double *to = room + i * nc;
        if (d->values) {
            const double *row = d->values + (i0 + i) * d->ld + c0;
            for (int64_t c = 0; c < nc; c++) to[c] = row[c] - centre[c0 + c];
        } else {
            rk_widen(nc, d->floats + (i0 + i) * d->ld + c0, to);
            for (int64_t c = 0; centre && c < nc; c++) to[c] -= centre[c0 + c];
        }
    }
    return room;
}

/* Inner products of centred rows, of floats, or of bits with numbers, a chunk of columns at a time. */
static void dots_by_chunks(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                           const double *centre, double *out, int64_t ld, rk_work work) {
    double *room_a = rk_work_take(&work, RK_TILE * CHUNK), *room_b = rk_work_take(&work, RK_TILE * CHUNK);
    int same = a == b && i0 == j0 && ni == nj;
    int64_t lda, ldb;
    for (int64_t c = 0; c < a->x->columns; c += CHUNK) {
        int64_t nc = rk_min(CHUNK, a->x->columns - c);
        const double *of_a = chunk_of(a, i0, ni, c, nc, centre, room_a, &lda), *of_b = of_a;
        ldb = lda;
        if (!same) of_b = chunk_of(b, j0, nj, c, nc, centre, room_b, &ldb);
        rk_product(ni, nj, nc, of_a, lda, of_b, ldb, c > 0, out, ld);
    }
}

void rk_vector_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                    int64_t ld, rk_work work) {
    if (is_sparse(a)) {
        if (is_sparse(b))
            rk_sparse_common(RK_PAIR_PRODUCT, a, i0, ni, b, j0, nj, out, ld);
        else
            rk_sparse_dots(a, i0, ni, b, j0, nj, out, ld);
        return;
    }
    if (is_bits(a) && is_bits(b)) {
        const rk_bits *x = a->x->self, *y = b->x->self;
        rk_bits_tile(rk_bits_best(), ni, nj, x->stride, x->words + i0 * x->stride, x->stride, y->words + j0 * y->stride,
                     y->stride, out, ld);
        return;
    }
    const rk_dense *x = dense_of(a), *y = dense_of(b);
    if (!is_bits(a) && x->values && y->values)
        rk_product(ni, nj, a->x->columns, x->values + i0 * x->ld, x->ld, y->values + j0 * y->ld, y->ld, 0, out, ld);
    else
        dots_by_chunks(a, i0, ni, b, j0, nj, NULL, out, ld, work);
}

/* One squared distance, from the differences. */
static double exact_square(const rk_dense *a, int64_t i, const rk_dense *b, int64_t j, int64_t p) {
    double sum = 0, room_a[CHUNK], room_b[CHUNK];
    int64_t step = a->values && b->values ? p : CHUNK;
    for (int64_t c0 = 0; c0 < p; c0 += step) {
        int64_t nc = rk_min(step, p - c0);
        const double *x = rk_dense_row(a, i, c0, nc, room_a), *y = rk_dense_row(b, j, c0, nc, room_b);
        for (int64_t c = 0; c < nc; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    }
    return sum;
}

void rk_vector_squared_distances(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 double *out, int64_t ld, rk_work work) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    int64_t p = a->x->columns;
    if (is_bits(a)) {
        rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
        for (int64_t i = 0; i < ni; i++) rk_squared_distances(nj, sa->norm[i0 + i], sb->norm + j0, 0, out + i * ld);
        return;
    }
    if (p <= DIRECT && !is_sparse(a)) {
        rk_dense_sums(rk_add_squares, a, i0, ni, b, j0, nj, out, ld, work);
        return;
    }
    if (sa->centre)
        dots_by_chunks(a, i0, ni, b, j0, nj, sa->centre, out, ld, work);
    else
        rk_vector_dots(a, i0, ni, b, j0, nj, out, ld, work);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, na = sa->norm[i0 + i];
        int64_t close = rk_squared_distances(nj, na, sb->norm + j0, CLOSE, row);
        for (int64_t j = 0; close > 0 && j < nj; j++) {
            if (row[j] > CLOSE * (na + sb->norm[j0 + j])) continue;
            row[j] = is_sparse(a) ? rk_sparse_squared_distance(a->x, i0 + i, b->x, j0 + j)
                                  : exact_square(dense_of(a), i0 + i, dense_of(b), j0 + j, p);
            close--;
        }
    }
}

void rk_exp_tile(double gamma, int64_t ni, int64_t nj, double *out, int64_t ld) {
    gamma = fmin(gamma, 1e300); /* infinity times a distance of 0 would be NaN */
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld;
        for (int64_t j = 0; j < nj; j++) row[j] *= -gamma;
        rk_exp(nj, row);
    }
}

void rk_diag_ones(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    for (int64_t i = 0; i < ni; i++) out[i] = 1;
}
