/* kernel_kmeans.c: landmarks chosen by kernel k-means: of each cluster the object that is nearest to its mean.
 *
 *     |phi(x) - mean_c|^2 = k(x,x) - 2/|c| sum_{y in c} k(x,y) + 1/|c|^2 sum_{y,z in c} k(y,z)
 *
 * Each cluster begins with one object, drawn with probability proportional to its squared distance from those drawn
 * before (Arthur, Vassilvitskii, "k-means++", 2007). Then all objects move to the nearest mean, for a few rounds. Means
 * stay implicit: columns of kernel values are sorted by cluster, and adjacent ones summed up. This takes n m kernel
 * values, and n^2 a round, in memory that grows with n. The error of the factor is bounded by that of k-means (Zhang,
 * Tsang, Kwok, "Improved Nystrom low-rank approximation and error analysis", 2008). */
#include "gram/gram.h"

#include <string.h>

enum { SETTLED = 200 };           /* a round that moves under 1/SETTLED of the objects is the last */
static const double SAME = 1e-12; /* of k(x,x) + k(y,y): objects at a smaller squared distance count as equal */

/* The objects to choose from, and their clusters. */
typedef struct clusters {
    const rk_gram *g;
    const rk_bound *x;
    int64_t n, count, tile;
    int64_t seed;      /* the object that was drawn last */
    int64_t *label;    /* n: the cluster of an object */
    int64_t *found;    /* n: the cluster of the nearest mean */
    double *diag;      /* n: k(x,x) */
    double *square;    /* n: squared distance from the nearest object that was drawn */
    double *sums;      /* n: running sums of these; then the sum of an object's kernel values with its cluster */
    int64_t *order;    /* n: the objects sorted by cluster */
    int64_t *start;    /* count + 1: where clusters start there */
    int64_t *size;     /* count: their numbers of objects, while these move */
    double *constant;  /* count: |mean|^2 */
    rkhs_data *kept;   /* the objects in this order */
    rk_bound *columns; /* these, bound */
    double *tiles;     /* workers x RK_TILE x RK_TILE */
    rk_work *work;
} clusters;

/* ---- k-means++ ------------------------------------------------------------------------------------------------- */

/* Squared distances of some objects from the one that was drawn last. One below 0 is that of a kernel which is not
 * positive semi-definite, or rounding. */
static rkhs_status seed_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    clusters *k = context;
    int64_t i0 = tile * k->tile, ni = rk_min(k->tile, k->n - i0);
    double *values = k->tiles + (int64_t)worker * RK_TILE * RK_TILE, own = k->diag[k->seed];
    TRY(rk_block_of(k->x, i0, ni, k->x, k->seed, 1, values, 1, k->work[worker]));
    for (int64_t i = i0; i < i0 + ni; i++) {
        double value = values[i - i0], square = k->diag[i] + own - 2 * value;
        if (square < 0) TRY(rk_check_residual(k->g, own > 0 ? k->diag[i] - value * value / own : square, k->diag[i]));
        if (i == k->seed || square <= SAME * (fabs(k->diag[i]) + fabs(own))) square = 0;
        if (square < k->square[i] || isnan(square)) k->square[i] = square, k->label[i] = k->count;
    }
done:
    return status;
}

/* Draws up to m objects to begin clusters with, none equal to another, and assigns every object to the nearest. */
static rkhs_status draw_seeds(clusters *k, int64_t m) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = k->g->env;
    int64_t tiles = (k->n + k->tile - 1) / k->tile;
    for (int64_t i = 0; i < k->n; i++) k->square[i] = INFINITY, k->sums[i] = (double)(i + 1);
    while (k->count < m && k->sums[k->n - 1] > 0) {
        k->seed = rk_draw_weighted(env, k->n, k->sums, k->count, 0);
        TRY(rk_kernel_parallel(env, NULL, k->g->kernel, tiles, seed_tile, k));
        k->count++;
        rk_running_sums(k->n, k->square, k->sums);
        TRY(rk_gram_check_finite(k->g, k->sums[k->n - 1]));
        TRY(rk_progress(env, "clusters", k->count, m + RK_KMEANS_ROUNDS * k->n));
    }
done:
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------------------------- */

/* Sorts the objects by cluster, then by index. */
static void sort_by_cluster(clusters *k) {
    int64_t *next = k->found;
    memset(k->start, 0, (size_t)(k->count + 1) * sizeof *k->start);
    for (int64_t i = 0; i < k->n; i++) k->start[k->label[i] + 1]++;
    for (int64_t c = 0; c < k->count; c++) next[c] = k->start[c], k->start[c + 1] += k->start[c];
    for (int64_t i = 0; i < k->n; i++) k->order[next[k->label[i]]++] = i;
}

/* Sums of kernel values of some objects with their own clusters. */
static rkhs_status own_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    clusters *k = context;
    double *values = k->tiles + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t i = tile * k->tile; i < rk_min((tile + 1) * k->tile, k->n); i++) {
        int64_t end = k->start[k->label[i] + 1];
        double sum = 0;
        for (int64_t j0 = k->start[k->label[i]]; j0 < end; j0 += RK_TILE) {
            int64_t nj = rk_min(RK_TILE, end - j0);
            TRY(rk_block_of(k->x, i, 1, k->columns, j0, nj, values, RK_TILE, k->work[worker]));
            for (int64_t j = 0; j < nj; j++) sum += values[j];
        }
        k->sums[i] = sum;
        if (i % 16 == 15) TRY(rk_poll_tile(k->g->env, worker));
    }
done:
    return status;
}

/* Goes on with the sums of object i over clusters, by kernel values with places j0 .. j0 + nj - 1 of the order. *sum is
 * that of a cluster which may end later, *least the distance from the nearest mean so far, but for k(x,x). */
static void add_row(clusters *k, int64_t i, const double *values, int64_t j0, int64_t nj, double *sum, double *least) {
    int64_t j = j0;
    for (int64_t c = k->label[k->order[j0]]; j < j0 + nj; c++) {
        int64_t end = k->start[c + 1];
        for (; j < rk_min(end, j0 + nj); j++) *sum += values[j - j0];
        if (j < end) return;
        double square = k->constant[c] - 2 * *sum / (double)(end - k->start[c]);
        if (square < *least) *least = square, k->found[i] = c;
        *sum = 0;
    }
}

/* The nearest means of some objects. */
static rkhs_status nearest_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    clusters *k = context;
    int64_t i0 = tile * k->tile, ni = rk_min(k->tile, k->n - i0);
    double *values = k->tiles + (int64_t)worker * RK_TILE * RK_TILE, sum[RK_TILE] = {0}, least[RK_TILE];
    for (int64_t i = 0; i < ni; i++) least[i] = INFINITY, k->found[i0 + i] = k->label[i0 + i];
    for (int64_t j0 = 0; j0 < k->n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, k->n - j0);
        TRY(rk_block_of(k->x, i0, ni, k->columns, j0, nj, values, RK_TILE, k->work[worker]));
        for (int64_t i = 0; i < ni; i++) add_row(k, i0 + i, values + i * RK_TILE, j0, nj, sum + i, least + i);
        if (j0 / RK_TILE % 16 == 15) TRY(rk_poll_tile(k->g->env, worker));
    }
done:
    return status;
}

/* Sorts the objects by cluster, and finds the squared norms of the means. */
static rkhs_status find_means(clusters *k) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = k->g->env;
    sort_by_cluster(k);
    rk_unbind(env, k->columns);
    rkhs_data_free(k->kept);
    k->columns = NULL;
    k->kept = NULL;
    TRY(rk_data_keep(k->x->x, k->order, k->n, &k->kept));
    TRY(rk_bind(env, k->g->kernel, k->kept, k->x, &k->columns));
    k->tile = rk_kernel_tile_rows(k->x, k->columns);
    TRY(rk_kernel_parallel(env, NULL, k->g->kernel, (k->n + k->tile - 1) / k->tile, own_tile, k));
    for (int64_t c = 0; c < k->count; c++) {
        double size = (double)(k->start[c + 1] - k->start[c]);
        rk_row_sum sum = {0};
        for (int64_t j = k->start[c]; j < k->start[c + 1]; j++) rk_add_row(&sum, k->sums[k->order[j]]);
        k->constant[c] = rk_row_total(&sum) / (size * size);
    }
done:
    return status;
}

/* Moves every object to the nearest mean, but the last one of a cluster stays; *moved counts them. */
static rkhs_status move(clusters *k, int64_t *moved) {
    rkhs_status status = RKHS_OK;
    TRY(rk_kernel_parallel(k->g->env, NULL, k->g->kernel, (k->n + k->tile - 1) / k->tile, nearest_tile, k));
    for (int64_t c = 0; c < k->count; c++) k->size[c] = k->start[c + 1] - k->start[c];
    *moved = 0;
    for (int64_t i = 0; i < k->n; i++) {
        int64_t from = k->label[i], to = k->found[i];
        if (from == to || k->size[from] == 1) continue;
        k->label[i] = to;
        k->size[from]--, k->size[to]++, ++*moved;
    }
done:
    return status;
}

/* The object of each cluster that is nearest to its mean; of equally near ones the first. */
static void choose(const clusters *k, int64_t *index) {
    for (int64_t c = 0; c < k->count; c++) {
        double size = (double)(k->start[c + 1] - k->start[c]), least = INFINITY;
        index[c] = k->order[k->start[c]];
        for (int64_t j = k->start[c]; j < k->start[c + 1]; j++) {
            int64_t i = k->order[j];
            double square = k->diag[i] - 2 * k->sums[i] / size;
            if (square < least) least = square, index[c] = i;
        }
    }
}

rkhs_status rk_kernel_kmeans(const rk_gram *g, const rk_bound *bound, int64_t m, int64_t *index, int64_t *count) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = bound->x->rows, moved = n;
    clusters k = {.g = g, .x = bound, .n = n, .tile = rk_kernel_tile(bound, bound)};
    TRY(rk_scratch(env, n, sizeof *k.label, &k.label));
    TRY(rk_scratch(env, n, sizeof *k.found, &k.found));
    TRY(rk_scratch(env, n, sizeof *k.diag, &k.diag));
    TRY(rk_scratch(env, n, sizeof *k.square, &k.square));
    TRY(rk_scratch(env, n, sizeof *k.sums, &k.sums));
    TRY(rk_scratch(env, n, sizeof *k.order, &k.order));
    TRY(rk_scratch(env, m + 1, sizeof *k.start, &k.start));
    TRY(rk_scratch(env, m, sizeof *k.size, &k.size));
    TRY(rk_scratch(env, m, sizeof *k.constant, &k.constant));
    TRY(rk_scratch_raw(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *k.tiles, &k.tiles));
    TRY(rk_work_new(env, bound, bound, &k.work));
    TRY(rk_bound_diag(env, bound, k.diag));
    TRY(draw_seeds(&k, m));
    TRY(find_means(&k));
    for (int64_t round = 0; round < RK_KMEANS_ROUNDS && moved * SETTLED >= n; round++) {
        TRY(rk_progress(env, "clusters", m + round * n, m + RK_KMEANS_ROUNDS * n)); /* in rows of kernel values */
        TRY(move(&k, &moved));
        if (moved) TRY(find_means(&k));
    }
    choose(&k, index);
    *count = k.count;
done:
    rk_unbind(env, k.columns);
    rkhs_data_free(k.kept);
    rk_scratch_release(env, mark);
    return status;
}
