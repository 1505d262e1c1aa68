/* bandwidth.c: bandwidth rules, sigma=median and sigma=knn(k, times): widths computed from the data at fit. */
#include "kernel/kernel.h"

enum { MEDIAN, KNN, MAX_ROWS = 2000, MIN_NEIGHBOURS = 3 }; /* MIN_NEIGHBOURS: the fewest that a share k < 1 means */

/* clang-format off */
static const rk_param knn_params[] = {
    {.name = "k", .kind = RK_REAL, .offset = offsetof(rk_bandwidth, k), .value = "10", .max = 1e9, .min_excluded = 1,
     .whole_from_1 = 1},
    {.name = "times", .kind = RK_REAL, .offset = offsetof(rk_bandwidth, value), .value = "1", .max = 1e9, .min_excluded = 1},
    {.name = NULL},
};
/* clang-format on */

const rk_param *const rk_width_rules[] = {[MEDIAN] = NULL, [KNN] = knn_params};

/* Distances of some rows (queries) to each other or to all rows, by tiles. The kernel is bound for these alone. */
typedef struct distances {
    const rk_bound *bound, *query;
    int by;
    int64_t k;
    double *pairs;       /* median: one for each pair of rows of `query`; knn: one for each query */
    double *heaps;       /* knn: workers x RK_TILE x k */
    double *tiles;       /* workers x RK_TILE x RK_TILE */
    const int64_t *rows; /* the rows of bound that are queries */
    rk_work *work;
} distances;

/* One tile of distances, not squared. */
static void distance_tile(const distances *d, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0,
                          int64_t nj, double *out, int worker) {
    if (d->by != RK_BY_EUCLID) {
        rk_vector_sums(d->by == RK_BY_CHI2 ? RK_PAIR_RATIO : RK_PAIR_ABSOLUTE, a, i0, ni, b, j0, nj, out, RK_TILE,
                       d->work[worker]);
        return;
    }
    rk_vector_squared_distances(a, i0, ni, b, j0, nj, out, RK_TILE, d->work[worker]);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double square = out[i * RK_TILE + j];
            out[i * RK_TILE + j] = square < RK_TINY ? rk_pair_distance(a, i0 + i, b, j0 + j) : sqrt(square);
        }
}

/* The distances of all pairs i > j of one tile of the lower triangle. */
static rkhs_status pairs_tile(void *context, int64_t tile, int worker) {
    distances *d = context;
    int64_t ti, tj, n = d->query->x->rows;
    double *out = d->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i0 = ti * RK_TILE, j0 = tj * RK_TILE;
    int64_t ni = rk_min(RK_TILE, n - i0), nj = rk_min(RK_TILE, n - j0);
    distance_tile(d, d->query, i0, ni, d->query, j0, nj, out, worker);
    for (int64_t i = i0; i < i0 + ni; i++)
        for (int64_t j = j0; j < rk_min(j0 + nj, i); j++) d->pairs[i * (i - 1) / 2 + j] = out[(i - i0) * RK_TILE + j - j0];
    return RKHS_OK;
}

/* Replaces the largest number of a heap (largest first) by v, if v is smaller. */
static void heap_offer(double *heap, int64_t k, double v) {
    if (v >= heap[0]) return;
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= k) break;
        if (child + 1 < k && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= v) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = v;
}

/* The k-th smallest distance of each query of a tile to all other rows. */
static rkhs_status neighbours_tile(void *context, int64_t tile, int worker) {
    distances *d = context;
    int64_t i0 = tile * RK_TILE, ni = rk_min(RK_TILE, d->query->x->rows - i0), n = d->bound->x->rows;
    double *heaps = d->heaps + (int64_t)worker * RK_TILE * d->k, *out = d->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t i = 0; i < ni * d->k; i++) heaps[i] = INFINITY;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0);
        distance_tile(d, d->query, i0, ni, d->bound, j0, nj, out, worker);
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                if (d->rows[i0 + i] != j0 + j) heap_offer(heaps + i * d->k, d->k, out[i * RK_TILE + j]);
    }
    for (int64_t i = 0; i < ni; i++) d->pairs[i0 + i] = heaps[i * d->k];
    return RKHS_OK;
}

/* Quickselect: moves the k-th smallest of v to position k, smaller ones before it and larger ones behind. */
static void select_kth(double *v, int64_t count, int64_t k) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double a = v[low], b = v[low + (high - low) / 2], c = v[high];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c)); /* the median of three */
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i > j) break;
            double t = v[i];
            v[i++] = v[j], v[j--] = t;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

/* The median; of an even count, the mean of the two middle numbers. */
static double median_of(double *v, int64_t count) {
    int64_t half = count / 2;
    select_kth(v, count, half);
    if (count % 2) return v[half];
    double below = v[0];
    for (int64_t i = 1; i < half; i++) below = fmax(below, v[i]);
    return (below + v[half]) / 2;
}

/* The median, or if that is 0, because of duplicates, the median of the numbers above 0; 0 if there are none. */
static double positive_median(double *v, int64_t count) {
    double median = median_of(v, count);
    if (median > 0) return median;
    int64_t positive = 0;
    for (int64_t i = 0; i < count; i++)
        if (v[i] > 0) v[positive++] = v[i];
    return positive ? median_of(v, positive) : 0;
}

/* The width by a rule, from the distances of `query`, at most MAX_ROWS rows. */
static rkhs_status compute_rule(rkhs_env *env, distances *d, int rule, double *value) {
    rkhs_status status = RKHS_OK;
    int64_t n = d->query->x->rows, t = (n + RK_TILE - 1) / RK_TILE, count = rule == MEDIAN ? n * (n - 1) / 2 : n;
    int workers = rk_workers(env);
    TRY(rk_scratch(env, count, sizeof *d->pairs, &d->pairs));
    TRY(rk_scratch(env, (int64_t)workers * RK_TILE * RK_TILE, sizeof *d->tiles, &d->tiles));
    TRY(rk_work_new(env, d->bound, d->query, &d->work));
    if (rule == KNN) {
        TRY(rk_scratch(env, (int64_t)workers * RK_TILE * d->k, sizeof *d->heaps, &d->heaps));
        TRY(rk_parallel(env, "width", t, neighbours_tile, d));
    } else {
        TRY(rk_parallel(env, "width", t * (t + 1) / 2, pairs_tile, d));
    }
    *value = positive_median(d->pairs, count);
done:
    return status;
}

rkhs_status rk_freeze_width(rkhs_env *env, rk_bandwidth *sigma, const rkhs_data *x, int by) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_kernel *metric = NULL;
    rkhs_data *some = NULL;
    rk_bound *all = NULL, *query = NULL;
    int64_t *rows, n = x->rows, count = rk_min(n, MAX_ROWS);
    double k = sigma->k < 1 ? fmax(MIN_NEIGHBOURS, floor(sigma->k * (double)n + 0.5)) : sigma->k;
    double value = 0;
    if (sigma->rule < 0) goto done;
    if (n < 2) FAIL(env, RKHS_ERR_DATA, "a width cannot be taken from one row: give sigma a number, or more rows");
    if (sigma->rule == KNN && k >= (double)n)
        rk_log(env, RKHS_LOG_ADVICE, "sigma=knn(%lld): with only %s, the farthest is taken", (long long)k,
               rk_counted(n - 1, "other row").text);
    TRY(rk_scratch(env, count, sizeof *rows, &rows));
    TRY(rk_choose_rows(env, RK_STREAM_SUBSET, n, count, rows));
    TRY(rk_data_subset(x, rows, count, &some));
    static const char *const metrics[] = {"laplacian(sigma=1)", "rbf(sigma=1)", "chi2(sigma=1)"};
    TRY(rk_kernel_new(env, metrics[by], &metric));
    TRY(rk_bind(env, metric, x, NULL, &all));
    TRY(rk_bind(env, metric, some, all, &query));
    distances d = {.bound = all, .query = query, .by = by, .k = rk_min((int64_t)k, n - 1), .rows = rows};
    TRY(compute_rule(env, &d, sigma->rule, &value));
    if (!(value > 0)) {
        rk_log(env, RKHS_LOG_ADVICE, "all rows looked at are equal, so no width can be taken from them: sigma=1 is used");
        value = 1;
    }
    if (sigma->rule == KNN) value *= sigma->value;
    if (!(value > 0 && value <= RK_MAX_ABS))
        FAIL(env, RKHS_ERR_DATA,
             "the width that these rows give, %g, is not between 0 and %g: scale the data, or give sigma a number", value,
             RK_MAX_ABS);
    *sigma = (rk_bandwidth){RK_BANDWIDTH_NUMBER, value, 0};
done:
    rk_unbind(env, query);
    rk_unbind(env, all);
    rkhs_kernel_free(metric);
    rkhs_data_free(some);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_freeze_euclidean(rkhs_env *env, void *width, const rkhs_data *x) {
    return rk_freeze_width(env, &((rk_width *)width)->sigma, x, RK_BY_EUCLID);
}
