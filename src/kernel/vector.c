/* vector.c: tiles of inner products and of squared distances, for kernels on vectors.
 *
 * |x - y|^2 = |x|^2 + |y|^2 - 2 <x,y> is as fast as a matrix product, but cancellation loses digits in two cases. Data
 * far from the origin: rows are centred on their mean. Close pairs: what comes out below CLOSE of the norms is
 * computed again from the differences. So the relative error of every distance stays below 1e-12, and a row is at
 * distance 0 from itself. In few dimensions (DIRECT) differences are no slower, and always used. Sparse rows are not
 * centred: a mean would fill them. Products of bits are integers, and exact. */
#include "kernel/kernel.h"

#include <limits.h>
#include <string.h>

enum { DIRECT = 8, CHUNK = 256, NUMBERS = 1 << 17 }; /* NUMBERS: in the rows of one parallel task, for norms */
static const double CLOSE = 1e-3;

static const rk_dense *dense_of(const rk_bound *b) { return b->x->self; }
static int is_sparse(const rk_bound *b) { return b->x->type == &rk_data_sparse; }
static int is_bits(const rk_bound *b) { return b->x->type == &rk_data_bits; }
static const double *row_of(const rk_bound *b, int64_t i) { return dense_of(b)->values + i * dense_of(b)->ld; }

/* |x_i - centre|^2 of a dense row. */
static double norm_of(const rk_bound *b, int64_t i) {
    const double *x = row_of(b, i), *centre = ((const rk_vector_side *)b->side)->centre;
    return rk_scaled_square(b->x->columns, 1, x, centre ? 1 : 0, centre ? centre : x);
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
    rk_column_means(n, p, row_of(b, 0), dense_of(b)->ld, mean);
    for (int64_t c = 0; c < p; c++) offset += mean[c] * mean[c];
    for (int64_t i = 0; i < n; i++) rk_add_row(&spread, rk_scaled_square(p, 1, row_of(b, i), 1, mean));
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

void rk_vector_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                    int64_t ld) {
    if (is_sparse(a)) {
        rk_sparse_common(RK_PAIR_PRODUCT, a, i0, ni, b, j0, nj, out, ld);
        return;
    }
    if (is_bits(a)) {
        const rk_bits *x = a->x->self, *y = b->x->self;
        rk_bits_tile(rk_bits_best(), ni, nj, x->stride, x->words + i0 * x->stride, x->stride, y->words + j0 * y->stride,
                     y->stride, out, ld);
        return;
    }
    rk_product(ni, nj, a->x->columns, row_of(a, i0), dense_of(a)->ld, row_of(b, j0), dense_of(b)->ld, 0, out,
               ld);
}

/* Packs some columns of some rows, minus the centre. */
static void pack(const rk_bound *b, int64_t i0, int64_t ni, int64_t c0, int64_t nc, const double *centre, double *out) {
    for (int64_t i = 0; i < ni; i++)
        for (int64_t c = 0; c < nc; c++) out[i * nc + c] = row_of(b, i0 + i)[c0 + c] - centre[c0 + c];
}

/* Inner products of centred rows, a chunk of columns at a time. */
static void centred_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                         int64_t ld, rk_work work) {
    const double *centre = ((rk_vector_side *)a->side)->centre;
    double *pa = rk_work_take(&work, RK_TILE * CHUNK), *pb = rk_work_take(&work, RK_TILE * CHUNK);
    if (a == b && i0 == j0 && ni == nj) pb = pa;
    for (int64_t c = 0; c < a->x->columns; c += CHUNK) {
        int64_t nc = rk_min(CHUNK, a->x->columns - c);
        pack(a, i0, ni, c, nc, centre, pa);
        if (pb != pa) pack(b, j0, nj, c, nc, centre, pb);
        rk_product(ni, nj, nc, pa, nc, pb, nc, c > 0, out, ld);
    }
}

/* One squared distance, from the differences. */
static double exact_square(const double *x, const double *y, int64_t p) {
    double sum = 0;
    for (int64_t c = 0; c < p; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return sum;
}

void rk_vector_squared_distances(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 double *out, int64_t ld, rk_work work) {
    const rk_vector_side *sa = a->side, *sb = b->side;
    int64_t p = a->x->columns;
    if (is_bits(a)) {
        rk_vector_dots(a, i0, ni, b, j0, nj, out, ld);
        for (int64_t i = 0; i < ni; i++) rk_squared_distances(nj, sa->norm[i0 + i], sb->norm + j0, 0, out + i * ld);
        return;
    }
    if (p <= DIRECT && !is_sparse(a)) {
        rk_dense_sums(rk_add_squares, a, i0, ni, b, j0, nj, out, ld, work);
        return;
    }
    if (sa->centre)
        centred_dots(a, i0, ni, b, j0, nj, out, ld, work);
    else
        rk_vector_dots(a, i0, ni, b, j0, nj, out, ld);
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld, na = sa->norm[i0 + i];
        int64_t close = rk_squared_distances(nj, na, sb->norm + j0, CLOSE, row);
        for (int64_t j = 0; close > 0 && j < nj; j++) {
            if (row[j] > CLOSE * (na + sb->norm[j0 + j])) continue;
            row[j] = is_sparse(a) ? rk_sparse_squared_distance(a->x, i0 + i, b->x, j0 + j)
                                  : exact_square(row_of(a, i0 + i), row_of(b, j0 + j), p);
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
