/* noise.c: the augmentation "noise", which adds Gaussian noise to vectors, images and the nonzeros of sparse vectors.
 *
 * x_ij becomes x_ij + deviation s_j e_ij, where e_ij is standard normal, and s_j is the population standard deviation
 * of column j, or 1 with absolute=true. With absolute=false a column without negative numbers gets the absolute value,
 * to stay so. Only stored entries of sparse rows get noise, so that rows stay sparse. */
#include "augment/augment.h"
#include "la/la.h"

#include <string.h>

typedef struct noise {
    double deviation;
    int absolute;
} noise;

/* clang-format off */
static const rk_param params[] = {
    {.name = "deviation", .kind = RK_REAL, .offset = offsetof(noise, deviation), .value = "0.1", .min = 0, .max = 1e100,
     .min_excluded = 1, .brief = "standard deviation of the noise, relative to that of each column"},
    {.name = "absolute", .kind = RK_BOOL, .offset = offsetof(noise, absolute), .value = "false",
     .brief = "true: deviation is absolute, the same in every column; false: relative, and a column without negative "
              "numbers stays so"},
    {.name = NULL},
};
/* clang-format on */

enum { ROWS = 64 }; /* per tile */

typedef struct job {
    const rkhs_data *x;
    double *scale; /* standard deviation of the noise of each column */
    int *folded;   /* whether the column must stay nonnegative */
    uint64_t seed;
    double *to; /* the result: dense rows without gaps, or values in the order of the sparse rows */
} job;

/* The stored numbers of row i and their columns; *columns is NULL for a dense row. Floats are widened in `room`. */
static const double *row_of(const rkhs_data *x, int64_t i, double *room, const int32_t **columns, int64_t *count) {
    const rk_dense *d = rk_dense_of(x);
    const rk_sparse *s = x->self;
    *columns = d ? NULL : s->columns + s->starts[i];
    *count = d ? x->columns : s->starts[i + 1] - s->starts[i];
    return d ? rk_dense_row(d, i, 0, x->columns, room) : s->values + s->starts[i];
}

/* Sets scale to `factor` times the standard deviation of each column, and folded. */
static rkhs_status look_at_columns(rkhs_env *env, job *j, double factor) {
    rkhs_status status = RKHS_OK;
    const rkhs_data *x = j->x;
    double *mean, *squares = j->scale, *room, n = (double)x->rows;
    int64_t *zeros, count;
    const int32_t *columns;
    rk_block_sum sums;
    TRY(rk_scratch(env, x->columns, sizeof *mean, &mean));
    TRY(rk_scratch(env, x->columns, sizeof *zeros, &zeros));
    TRY(rk_scratch(env, x->columns, sizeof *room, &room));
    for (int64_t c = 0; c < x->columns; c++) j->folded[c] = 1, zeros[c] = x->rows;
    for (int pass = 0; pass < 2; pass++) { /* means; then squared deviations from them */
        TRY(rk_block_sum_new(env, x->rows, x->columns, &sums));
        for (int64_t i = 0; i < x->rows; i++) {
            const double *row = row_of(x, i, room, &columns, &count);
            for (int64_t q = 0; q < count; q++) {
                int64_t c = columns ? columns[q] : q;
                if (pass == 0) sums.tile[c] += row[q], zeros[c]--, j->folded[c] &= row[q] >= 0;
                if (pass == 1) sums.tile[c] += (row[q] - mean[c]) / n * (row[q] - mean[c]);
            }
            rk_next_row(&sums);
        }
        rk_block_total(&sums, pass ? squares : mean);
        for (int64_t c = 0; pass == 0 && c < x->columns; c++) mean[c] /= n;
    }
    for (int64_t c = 0; c < x->columns; c++) j->scale[c] = factor * sqrt(squares[c] + (double)zeros[c] / n * mean[c] * mean[c]);
done:
    return status;
}

static rkhs_status add_noise(void *context, int64_t tile, int worker) {
    const job *j = context;
    const rkhs_data *x = j->x;
    const int32_t *columns;
    int64_t count;
    double e[4] = {0};
    for (int64_t i = tile * ROWS; i < rk_min((tile + 1) * ROWS, x->rows); i++) {
        int64_t at = rk_dense_of(x) ? i * x->columns : ((const rk_sparse *)x->self)->starts[i];
        double *to = j->to + at;
        const double *from = row_of(x, i, to, &columns, &count);
        for (int64_t q = 0; q < count; q++) {
            int64_t c = columns ? columns[q] : q;
            if (q % 4 == 0) rk_normals(j->seed, RK_STREAM_AUGMENT, (uint64_t)i, (uint64_t)(q / 4), e);
            double v = from[q] + j->scale[c] * e[q % 4];
            to[q] = j->folded[c] ? fabs(v) : v;
        }
    }
    return RKHS_OK;
}

/* Vectors or images of doubles, as many as x has, with its shape and names. */
static rkhs_status room_for(rkhs_env *env, const rkhs_data *x, rkhs_data **out) {
    const rk_image *image = rk_images(x);
    double *values;
    rkhs_status status = rk_data_dense_new(env, x->rows, x->columns, &values, out);
    if (status == RKHS_OK && image) status = rk_image_from_dense(env, out, image->h, image->w, image->c);
    return status == RKHS_OK ? rk_column_names_copy(x, *out) : status;
}

static rkhs_status draw_noise(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const noise *o = self;
    int dense = rk_dense_of(x) != NULL;
    rkhs_data *drawn = NULL;
    job j = {.x = x, .seed = seed};
    if (dense)
        TRY(room_for(env, x, &drawn));
    else
        TRY(rk_data_keep(x, NULL, 0, &drawn)); /* for the sparsity pattern */
    TRY(rk_scratch(env, x->columns, sizeof *j.scale, &j.scale));
    TRY(rk_scratch(env, x->columns, sizeof *j.folded, &j.folded));
    if (!o->absolute) TRY(look_at_columns(env, &j, o->deviation));
    for (int64_t c = 0; o->absolute && c < x->columns; c++) j.scale[c] = o->deviation;
    j.to = dense ? ((rk_dense *)drawn->self)->owned : ((rk_sparse *)drawn->self)->own_values;
    TRY(rk_parallel(env, "augment", (x->rows + ROWS - 1) / ROWS, add_noise, &j));
    TRY(dense ? rk_dense_check(env, "augmented data", j.to, x->rows, x->columns, x->columns)
              : rk_sparse_check(env, "augmented data", drawn));
    *out = drawn;
    drawn = NULL;
done:
    rkhs_data_free(drawn);
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
const rk_augment_type rk_augment_noise = {
    .entry = {.name = "noise", .brief = "Gaussian noise on every number; on the nonzero ones of sparse rows",
              .formula = "x + deviation s e, s the standard deviation of the column, e a standard normal number", .params = params, .size = sizeof(noise)},
    .kinds = RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE, .draw = draw_noise,
};
/* clang-format on */
