/* noise.c: numbers with normal noise: x_ij + deviation s_j e_ij, s_j the deviation of column j (population), or 1. Of sparse
 * rows only the numbers that are there get noise: what is 0 stays 0, and the rows stay sparse. */
#include "augment/augment.h"

#include <string.h>

typedef struct noise {
    double deviation;
    int absolute;
} noise;

static const rk_param params[] = {
    {.name = "deviation",
     .kind = RK_REAL,
     .offset = offsetof(noise, deviation),
     .value = "0.1",
     .min = 0,
     .max = 1e100,
     .open = 1,
     .brief = "standard deviation of the noise, in parts of each column's own"},
    {.name = "absolute",
     .kind = RK_BOOL,
     .offset = offsetof(noise, absolute),
     .value = "false",
     .brief = "the deviation is a number as it stands, the same in all columns"},
    {.name = NULL},
};

enum { ROWS = 64 }; /* of a tile */

typedef struct job {
    const rkhs_data *x;
    const double *scale; /* of each column's noise */
    uint64_t seed;
    double *to; /* as x has its numbers, dense rows without gaps */
} job;

/* The deviations of all columns, times `factor`. */
static rkhs_status column_deviations(rkhs_env *env, const rkhs_data *x, double factor, double *scale) {
    rkhs_status status = RKHS_OK;
    const rk_sparse *s = x->type == &rk_data_sparse ? x->self : NULL;
    const rk_dense *d = rk_dense_of(x);
    double *mean, n = (double)x->rows;
    int64_t *zeros;
    TRY(rk_scratch(env, x->columns, sizeof *mean, &mean));
    TRY(rk_scratch(env, x->columns, sizeof *zeros, &zeros));
    for (int pass = 0; pass < 2; pass++) { /* the mean; squares about it */
        for (int64_t i = 0; s && i < s->starts[x->rows]; i++) {
            double v = s->values[i], *m = &mean[s->columns[i]];
            if (pass == 0) *m += v, zeros[s->columns[i]]--;
            if (pass == 1) scale[s->columns[i]] += (v - *m) / n * (v - *m);
        }
        for (int64_t i = 0; d && i < x->rows; i++) {
            const double *row = d->values + i * d->ld;
            for (int64_t c = 0; pass == 0 && c < x->columns; c++) mean[c] += row[c];
            for (int64_t c = 0; pass == 1 && c < x->columns; c++) scale[c] += (row[c] - mean[c]) / n * (row[c] - mean[c]);
        }
        for (int64_t c = 0; pass == 0 && c < x->columns; c++) mean[c] /= n;
    }
    for (int64_t c = 0; c < x->columns; c++) {
        if (s) scale[c] += (n + (double)zeros[c]) / n * mean[c] * mean[c];
        scale[c] = factor * sqrt(scale[c]);
    }
done:
    return status;
}

static rkhs_status add_noise(void *context, int64_t tile, int worker) {
    const job *j = context;
    const rkhs_data *x = j->x;
    const rk_sparse *s = x->type == &rk_data_sparse ? x->self : NULL;
    const rk_dense *d = rk_dense_of(x);
    double e[4] = {0};
    for (int64_t i = tile * ROWS; i < rk_least((tile + 1) * ROWS, x->rows); i++) {
        int64_t at = s ? s->starts[i] : i * x->columns, count = s ? s->starts[i + 1] - at : x->columns;
        const double *from = s ? s->values + at : d->values + i * d->ld;
        for (int64_t q = 0; q < count; q++) {
            if (q % 4 == 0) rk_normals(j->seed, RK_STREAM_AUGMENT, (uint64_t)i, (uint64_t)(q / 4), e);
            j->to[at + q] = from[q] + j->scale[s ? s->columns[at + q] : q] * e[q % 4];
        }
    }
    return RKHS_OK;
}

static rkhs_status draw_noise(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const noise *o = self;
    rkhs_data *drawn = NULL;
    double *scale;
    TRY(rk_data_keep(x, NULL, 0, &drawn)); /* the shape, and where a sparse row has numbers */
    TRY(rk_scratch(env, x->columns, sizeof *scale, &scale));
    for (int64_t c = 0; c < x->columns; c++) scale[c] = o->absolute ? o->deviation : 0;
    if (!o->absolute) TRY(column_deviations(env, x, o->deviation, scale));
    job j = {x, scale, seed,
             x->type == &rk_data_sparse ? ((rk_sparse *)drawn->self)->own_values : ((rk_dense *)drawn->self)->owned};
    TRY(rk_parallel(env, "augment", (x->rows + ROWS - 1) / ROWS, add_noise, &j));
    if (x->type == &rk_data_sparse)
        TRY(rk_sparse_check(env, "augmented data", drawn));
    else
        TRY(rk_dense_check(env, "augmented data", j.to, x->rows, x->columns, x->columns));
    *out = drawn;
    drawn = NULL;
done:
    rkhs_data_free(drawn);
    rk_scratch_release(env, mark);
    return status;
}

const rk_augment_type rk_augment_noise = {
    .entry = {.name = "noise",
              .brief = "normal noise on every number; of sparse rows on those that are not 0",
              .formula = "x + deviation s e, s the deviation of the column",
              .params = params,
              .size = sizeof(noise)},
    .kinds = RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE,
    .draw = draw_noise,
};
