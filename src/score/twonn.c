/* twonn.c: the score twonn: the intrinsic dimension of the rows, estimated from the two nearest neighbours of each.
 *
 *     mu_i = r_i2/r_i1, P(mu <= m) = 1 - m^-d: d = sum_i a_i b_i / sum_i a_i^2,  a_i = log mu_(i),  b_i = -log(1 - i/n)
 *
 * r_i1, r_i2 are the distances of row i to its two nearest neighbours, mu_(i) the i-th smallest ratio of n. The
 * slope d of a line through the origin is fitted to all but the largest share `discard`. The ratio does not depend
 * on the density of the rows, as long as it hardly changes within r_i2. Duplicates count once. The standard error is
 * the standard deviation of the estimates from ten random parts of the mu, over sqrt(10). Dimensions above about 10
 * are underestimated unless there are very many rows. Facco, d'Errico, Rodriguez, Laio, "Estimating the intrinsic
 * dimension of datasets by a minimal neighborhood information", Scientific Reports 7, 2017. */
#include "score/score.h"

#include <stdlib.h>

typedef struct twonn {
    double discard;
} twonn;

/* clang-format off */
static const rk_param params[] = {
    {.name = "discard", .kind = RK_REAL, .offset = offsetof(twonn, discard), .value = "0.1", .max = 0.9,
     .brief = "share of the largest ratios r2/r1 that is discarded"},
    {.name = NULL},
};
/* clang-format on */

enum { CANDIDATES = 16, PARTS = 10, MIN_ROWS = 10 };

typedef struct near_loop {
    rk_distance_space space;
    int64_t n;
    double *tiles;  /* workers x RK_TILE x RK_TILE */
    double *log_mu; /* n; below 0: no two neighbours at different distances */
} near_loop;

/* log(r2 / r1) from negated squared distances, nearest first, without zeros; copies of a neighbour may differ by
 * rounding. */
static double ratio(const double *near, int64_t count) {
    double first = 0;
    for (int64_t q = 0; q < count; q++) {
        double square = -near[q];
        if (!(square > 0)) continue;
        if (first > 0 && square > first * (1 + 1e-13)) return 0.5 * log(square / first);
        if (!(first > 0)) first = square;
    }
    return -1;
}

static rkhs_status near_tile(void *context, int64_t tile, int worker) {
    near_loop *v = context;
    int64_t i0 = tile * RK_TILE, ni = rk_min(RK_TILE, v->n - i0), counts[RK_TILE] = {0}, who[RK_TILE][CANDIDATES];
    double *out = v->tiles + (int64_t)worker * RK_TILE * RK_TILE, near[RK_TILE][CANDIDATES];
    for (int64_t j0 = 0; j0 < v->n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, v->n - j0);
        rkhs_status status = rk_distance_space_tile(&v->space, i0, ni, j0, nj, out, RK_TILE, worker);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                if (i0 + i != j0 + j)
                    counts[i] = rk_top_offer(near[i], who[i], counts[i], CANDIDATES, j0 + j, -out[i * RK_TILE + j]);
    }
    for (int64_t i = 0; i < ni; i++) v->log_mu[i0 + i] = ratio(near[i], counts[i]);
    return RKHS_OK;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The slope d of the line; sorts a. */
static double slope(double *a, int64_t n, double discard) {
    rk_row_sum ab = {0}, aa = {0};
    int64_t used = (int64_t)((double)n * (1 - discard));
    qsort(a, (size_t)n, sizeof *a, ascending);
    if (used > n - 1) used = n - 1; /* 1 - i/n would be 0 for the last */
    for (int64_t i = 0; i < used; i++) {
        rk_add_row(&ab, a[i] * -log1p(-(double)(i + 1) / (double)n));
        rk_add_row(&aa, a[i] * a[i]);
    }
    double squares = rk_row_total(&aa);
    return squares > 0 ? rk_row_total(&ab) / squares : NAN;
}

/* The standard error, from parts drawn by the seed; NaN for too few rows. part: room for n numbers. */
static double standard_error(rkhs_env *env, const double *a, int64_t n, double discard, double *part) {
    double estimate[PARTS], mean = 0, squares = 0;
    if (n < PARTS * MIN_ROWS) return NAN;
    for (int p = 0; p < PARTS; p++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if ((int)(PARTS * rk_uniform(env->seed, RK_STREAM_FOLD, (uint64_t)i, 0)) == p) part[count++] = a[i];
        estimate[p] = count > 2 ? slope(part, count, discard) : NAN;
        mean += estimate[p] / PARTS;
    }
    for (int p = 0; p < PARTS; p++) squares += (estimate[p] - mean) * (estimate[p] - mean);
    return sqrt(squares / (PARTS - 1) / PARTS);
}

static rkhs_status family_twonn(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    near_loop v = {.n = w->z->rows};
    int64_t good = 0;
    double *sorted, *part;
    TRY(rk_distance_space_new(env, w->z, NULL, NULL, &v.space));
    TRY(rk_scratch(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *v.tiles, &v.tiles));
    TRY(rk_scratch(env, v.n, sizeof *v.log_mu, &v.log_mu));
    TRY(rk_scratch(env, v.n, sizeof *sorted, &sorted));
    TRY(rk_scratch(env, v.n, sizeof *part, &part));
    TRY(rk_parallel(env, "score", (v.n + RK_TILE - 1) / RK_TILE, near_tile, &v));
    for (int64_t i = 0; i < v.n; i++)
        if (v.log_mu[i] >= 0) v.log_mu[good++] = v.log_mu[i];
    if (good < MIN_ROWS)
        FAIL(env, RKHS_ERR_DATA,
             "twonn: only %s with two neighbours at different distances above 0, and %d are needed: give more rows that differ",
             rk_counted(good, "row").text, MIN_ROWS);
    for (int c = 0; c < count; c++) {
        double discard = ((const twonn *)items[c].self)->discard;
        for (int64_t i = 0; i < good; i++) sorted[i] = v.log_mu[i];
        items[c].value = slope(sorted, good, discard);
        items[c].deviation = standard_error(env, v.log_mu, good, discard, part);
    }
done:
    rk_distance_space_free(&v.space);
    rk_scratch_release(env, mark);
    return status;
}

/* clang-format off */
const rk_score_type rk_score_twonn = {
    .entry = {.name = "twonn",
              .brief = "intrinsic dimension of the rows, from the distances to their two nearest neighbours, and its "
                       "standard error",
              .formula = "P(r2/r1 <= m) = 1 - m^-d",
              .where = "r1, r2: the distances to the nearest and the second nearest row; d: the dimension, fitted", .cost = "n^2 dim", .params = params, .size = sizeof(twonn)},
    .better = RK_DESCRIBES, .family = family_twonn,
};
/* clang-format on */
