/* map.c: the map of a fitted model, which places new objects: z(x) = post( row(k(x, D)) B + c ) (rk_map in model.h).
 *
 * New objects are handled by tiles of RK_TILE rows, and kernel values by tiles too, which are used and discarded. So
 * memory grows neither with the number of new objects nor with that of D. A row's result depends on its object alone.
 *
 * Fingerprints recognise objects of D without k(x,x), which a row of a precomputed Gram does not have. With random
 * r_j, m(x) = sum_j r_j k(x, x_j) is m(x_i) up to rounding if x has the kernel values of x_i, else only by chance. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

rkhs_status rk_map_new(rkhs_env *env, int64_t width, int64_t dim, rk_map **map) {
    rkhs_status status = RKHS_OK;
    rk_map *m = NULL;
    *map = NULL;
    TRY(rk_alloc(env, 1, sizeof *m, &m));
    m->object_count = m->width = width;
    m->dim = dim;
    TRY(rk_alloc(env, width * dim, sizeof *m->B, &m->B));
    TRY(rk_alloc(env, dim, sizeof *m->c, &m->c));
    *map = m;
    m = NULL;
done:
    rk_map_free(env, m);
    return status;
}

void rk_map_free(rkhs_env *env, rk_map *map) {
    if (!map) return;
    rk_unbind(env, map->bound);
    rk_features_free(env, map->features);
    rkhs_data_free(map->objects);
    rk_free(env, map->B);
    rk_free(env, map->c);
    rk_free(env, map->Z);
    rk_free(env, map->fingerprint);
    rk_free(env, map->half);
    rk_free(env, map);
}

/* Copies n numbers; NULL stays NULL. */
static rkhs_status copied(rkhs_env *env, int64_t n, const double *from, double **to) {
    rkhs_status status = RKHS_OK;
    if (!from) return RKHS_OK;
    TRY(rk_alloc(env, n, sizeof **to, to));
    memcpy(*to, from, (size_t)n * sizeof **to);
done:
    return status;
}

rkhs_status rk_map_copy(rkhs_env *env, const rk_map *map, rk_map **copy) {
    rkhs_status status = RKHS_OK;
    rk_map *m = NULL;
    int64_t count = map->object_count, all = count * map->dim;
    *copy = NULL;
    TRY(rk_map_new(env, map->width, map->dim, &m));
    m->object_count = count;
    memcpy(m->B, map->B, (size_t)(map->width * map->dim) * sizeof *m->B);
    if (map->features) TRY(rk_features_copy(env, map->features, &m->features));
    memcpy(m->c, map->c, (size_t)map->dim * sizeof *m->c);
    m->nearest = map->nearest;
    m->degree = map->degree;
    m->post = map->post;
    TRY(copied(env, all, map->Z, &m->Z));
    TRY(copied(env, count, map->fingerprint, &m->fingerprint));
    TRY(copied(env, count, map->half, &m->half));
    TRY(rk_data_keep(map->objects, NULL, 0, &m->objects));
    *copy = m;
    m = NULL;
done:
    rk_map_free(env, m);
    return status;
}

#define FINGERPRINT_ERROR 1e-11 /* bound on rounding, relative to the sum of absolute values */

static double fingerprint_weight(int64_t j) { return rk_uniform(0, RK_STREAM_FINGERPRINT, (uint64_t)j, 0) + 0.5; }

rkhs_status rk_fingerprints_new(rkhs_env *env, const rk_map *map, rk_fingerprints *out) {
    rkhs_status status = RKHS_OK;
    *out = (rk_fingerprints){.count = map->object_count, .fingerprint = map->fingerprint};
    if (!map->fingerprint) return RKHS_OK;
    TRY(rk_scratch(env, out->count, sizeof *out->weight, &out->weight));
    for (int64_t j = 0; j < out->count; j++) out->weight[j] = fingerprint_weight(j);
done:
    return status;
}

int64_t rk_fingerprints_find(const rk_fingerprints *m, double fingerprint, double size) {
    int64_t best = -1;
    double least = FINGERPRINT_ERROR * size;
    if (!isfinite(size)) return -1;
    for (int64_t j = 0; j < m->count; j++) {
        double off = fabs(m->fingerprint[j] - fingerprint);
        if (off < least || (best < 0 && off <= least)) least = off, best = j;
    }
    return best;
}

typedef struct fingerprinted {
    double fingerprint;
    int64_t at;
} fingerprinted;

static int by_fingerprint(const void *a, const void *b) {
    const fingerprinted *x = a, *y = b;
    return x->fingerprint != y->fingerprint ? (x->fingerprint < y->fingerprint ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

rkhs_status rk_map_fingerprint(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = f->env;
    rk_mark scratch = rk_scratch_mark(env);
    const rk_gram *g = f->gram;
    rk_map *map = f->map;
    double *weight, zero = 0;
    rkhs_data *some = NULL;
    rk_map sums = {.object_count = map->object_count, .dim = 1, .c = &zero};
    TRY(rk_alloc(env, map->object_count, sizeof *map->fingerprint, &map->fingerprint));
    TRY(rk_scratch(env, map->object_count, sizeof *weight, &weight));
    for (int64_t j = 0; j < map->object_count; j++) weight[j] = fingerprint_weight(j);
    sums.B = weight;
    if (rk_gram_offers(g, RK_PRODUCTS)) {
        TRY(rk_gram_mul(g, weight, 1, map->fingerprint));
        goto done;
    }
    if (g->map_rows) TRY(rk_data_subset(g->x, g->map_rows, map->object_count, &some));
    sums.objects = some ? some : (rkhs_data *)(uintptr_t)g->x;
    TRY(rk_map_apply(env, &sums, f->kernel, sums.objects, map->fingerprint, 1, NULL));
done:
    rk_unbind(env, sums.bound);
    rkhs_data_free(some);
    rk_scratch_release(env, scratch);
    return status;
}

rkhs_status rk_map_store_embedding(rk_fit *f, double *Z) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = f->env;
    rk_map *map = f->map;
    rk_mark scratch = rk_scratch_mark(env);
    int64_t n = map->object_count, d = map->dim;
    double *mean;
    fingerprinted *order;
    TRY(rk_scratch(env, d, sizeof *mean, &mean));
    TRY(rk_scratch(env, n, sizeof *order, &order));
    TRY(rk_map_fingerprint(f));
    for (int64_t j = 0; j < n; j++) order[j] = (fingerprinted){map->fingerprint[j], j};
    qsort(order, (size_t)n, sizeof *order, by_fingerprint);
    for (int64_t from = 0, to; from < n; from = to) {
        for (to = from + 1;
             to < n && order[to].fingerprint - order[to - 1].fingerprint <= FINGERPRINT_ERROR * fabs(order[to].fingerprint);)
            to++;
        for (int64_t c = 0; to - from > 1 && c < d; c++) {
            rk_row_sum sum = {0};
            for (int64_t q = from; q < to; q++) rk_add_row(&sum, Z[order[q].at * d + c]);
            mean[c] = rk_row_total(&sum) / (double)(to - from);
        }
        for (int64_t q = from; to - from > 1 && q < to; q++) memcpy(Z + order[q].at * d, mean, (size_t)d * sizeof *mean);
    }
    TRY(copied(env, n * d, Z, &map->Z));
done:
    rk_scratch_release(env, scratch);
    return status;
}

rkhs_status rk_map_store_halves(rk_fit *f, const double *half) {
    rkhs_status status = RKHS_OK;
    rk_map *map = f->map;
    const int64_t *keep = f->gram->map_rows;
    if (!half) return RKHS_OK;
    TRY(rk_alloc(f->env, map->object_count, sizeof *map->half, &map->half));
    for (int64_t i = 0; i < map->object_count; i++) map->half[i] = half[keep ? keep[i] : i];
done:
    return status;
}

typedef struct apply_loop {
    const rk_map *map;
    const rk_bound *rows, *objects;
    const rk_bound *plain;        /* random features: the rows bound to the model's kernel, for `near`; else NULL */
    double *tiles;                /* workers x RK_TILE x RK_TILE: kernel values */
    double *sums;                 /* workers x RK_TILE: sum of each row's weights */
    double *value;                /* workers x RK_TILE x nearest: nearness of the nearest so far, nearest first */
    int64_t *index;               /* their indices */
    rk_fingerprints fingerprints; /* used if map->Z is set */
    double *Z;
    int64_t ld, tile; /* tile: rows at a time */
    const rk_isolation *near;
    rk_work *work, *plain_work;
} apply_loop;

double rk_map_weight(const rk_map *map, double v) {
    return map->degree == RK_DEGREE_NONE ? v : map->degree == RK_DEGREE_KERNEL ? fmax(v, 0) : map->half || v > 0;
}

/* Sums over all of D, tile by tile. */
static rkhs_status sum_all(const apply_loop *a, int64_t i0, int64_t ni, int worker, double *K, double *sums) {
    const rk_map *map = a->map;
    for (int64_t j0 = 0; j0 < map->object_count; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, map->object_count - j0);
        rkhs_status status = rk_block_of(a->rows, i0, ni, a->objects, j0, nj, K, RK_TILE, a->work[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; a->near && i < ni; i++) rk_isolation_note(a->near, i0 + i, K + i * RK_TILE, nj);
        for (int64_t i = 0; map->degree && i < ni; i++)
            for (int64_t j = 0; j < nj; j++) sums[i] += K[i * RK_TILE + j] = rk_map_weight(map, K[i * RK_TILE + j]);
        rk_gemm_tile('n', 'n', ni, map->dim, nj, 1.0, K, RK_TILE, map->B + j0 * map->dim, map->dim, j0 ? 1.0 : 0.0,
                     a->Z + i0 * a->ld, a->ld);
    }
    return RKHS_OK;
}

/* Sums over random features. Whether an object is isolated is asked of some objects of D. */
static rkhs_status sum_features(const apply_loop *a, int64_t i0, int64_t ni, int worker, double *K) {
    const rk_map *map = a->map;
    rkhs_status status = RKHS_OK;
    for (int64_t t = 0, tiles = rk_features_tiles(map->features), j0, nj; t < tiles; t++) {
        TRY(rk_features_tile(map->features, t, a->rows, i0, ni, K, RK_TILE, a->work[worker], &j0, &nj));
        rk_gemm_tile('n', 'n', ni, map->dim, nj, 1.0, K, RK_TILE, map->B + j0 * map->dim, map->dim, t ? 1.0 : 0.0,
                     a->Z + i0 * a->ld, a->ld);
    }
    for (int64_t j0 = 0; a->near && j0 < map->object_count; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, map->object_count - j0), open = 0;
        for (int64_t i = 0; i < ni; i++) open += a->near->largest[i0 + i] <= a->near->small;
        if (!open) break;
        TRY(rk_block_of(a->plain, i0, ni, a->objects, j0, nj, K, RK_TILE, a->plain_work[worker]));
        for (int64_t i = 0; i < ni; i++) rk_isolation_note(a->near, i0 + i, K + i * RK_TILE, nj);
    }
done:
    return status;
}

/* Finds the nearest objects of D for each row, then sums over them. */
static rkhs_status sum_nearest(const apply_loop *a, int64_t i0, int64_t ni, int worker, double *K, double *sums) {
    const rk_map *map = a->map;
    int64_t most = rk_min(map->nearest, map->object_count), counts[RK_TILE] = {0};
    double *value = a->value + (int64_t)worker * RK_TILE * most, fingerprint[RK_TILE] = {0}, size[RK_TILE] = {0};
    int64_t *index = a->index + (int64_t)worker * RK_TILE * most;
    for (int64_t j0 = 0; j0 < map->object_count; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, map->object_count - j0);
        rkhs_status status = rk_block_of(a->rows, i0, ni, a->objects, j0, nj, K, RK_TILE, a->work[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; a->near && i < ni; i++) rk_isolation_note(a->near, i0 + i, K + i * RK_TILE, nj);
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                counts[i] = rk_top_offer(value + i * most, index + i * most, counts[i], most, j0 + j,
                                         rk_nearness(map->half, j0 + j, K[i * RK_TILE + j]));
        for (int64_t i = 0; a->fingerprints.weight && i < ni; i++)
            for (int64_t j = 0; j < nj; j++) {
                double v = a->fingerprints.weight[j0 + j] * K[i * RK_TILE + j];
                fingerprint[i] += v, size[i] += fabs(v);
            }
    }
    for (int64_t i = 0; i < ni; i++) {
        double *z = a->Z + (i0 + i) * a->ld;
        int64_t twin = a->fingerprints.weight ? rk_fingerprints_find(&a->fingerprints, fingerprint[i], size[i]) : -1;
        memset(z, 0, (size_t)map->dim * sizeof *z);
        if (twin >= 0) { /* finish_rows adds c again, with scale 1 */
            sums[i] = 1;
            for (int64_t c = 0; c < map->dim; c++) z[c] = map->Z[twin * map->dim + c] - map->c[c];
            continue;
        }
        for (int64_t q = 0; q < most; q++) {
            int64_t j = index[i * most + q];
            double v = rk_map_weight(map, value[i * most + q] + (map->half ? map->half[j] : 0));
            sums[i] += v;
            for (int64_t c = 0; c < map->dim; c++) z[c] += v * map->B[j * map->dim + c];
        }
    }
    return RKHS_OK;
}

/* Divides by the degree, adds c, projects on the sphere. A row without positive weights has sum 0 and stays at c. */
static void finish_rows(const apply_loop *a, int64_t i0, int64_t ni, const double *sums) {
    const rk_map *map = a->map;
    for (int64_t i = 0; i < ni; i++) {
        double *z = a->Z + (i0 + i) * a->ld, norm = 0;
        double scale = map->degree ? (sums[i] > 0 ? 1 / sums[i] : 0) : 1;
        for (int64_t c = 0; c < map->dim; c++) {
            z[c] = scale * z[c] + map->c[c];
            norm += z[c] * z[c];
        }
        if (map->post == RK_POST_SPHERE && norm > 0)
            for (int64_t c = 0; c < map->dim; c++) z[c] /= sqrt(norm);
    }
}

static rkhs_status apply_tile(void *context, int64_t tile, int worker) {
    apply_loop *a = context;
    int64_t i0 = tile * a->tile, ni = rk_min(a->tile, a->rows->x->rows - i0);
    double *K = a->tiles + (int64_t)worker * RK_TILE * RK_TILE, *sums = a->sums + (int64_t)worker * RK_TILE;
    memset(sums, 0, RK_TILE * sizeof *sums);
    rkhs_status status = a->map->features  ? sum_features(a, i0, ni, worker, K)
                         : a->map->nearest ? sum_nearest(a, i0, ni, worker, K, sums)
                                           : sum_all(a, i0, ni, worker, K, sums);
    finish_rows(a, i0, ni, sums);
    return status;
}

rkhs_status rk_map_bind(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel) {
    return map->bound ? RKHS_OK : rk_bind(env, kernel, map->objects, NULL, &map->bound);
}

rkhs_status rk_map_apply(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel, const rkhs_data *x, double *Z, int64_t ld,
                         const rk_isolation *near) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_bound *rows = NULL, *plain = NULL;
    const rk_features *f = map->features;
    apply_loop a = {.map = map, .Z = Z, .ld = ld, .near = near};
    TRY(rk_map_bind(env, map, kernel));
    TRY(f ? rk_features_bind(env, f, kernel, x, &rows) : rk_bind(env, kernel, x, map->bound, &rows));
    if (f && near) TRY(rk_bind(env, kernel, x, map->bound, &plain));
    a.objects = map->bound;
    a.rows = rows;
    a.plain = plain;
    a.tile = f ? RK_TILE : rk_kernel_tile_rows(a.rows, a.objects);
    int64_t tiles = (x->rows + a.tile - 1) / a.tile, workers = tiles > 1 ? rk_workers(env) : 1;
    TRY(rk_work_for(env, workers, a.rows, f ? f->bound : a.objects, &a.work));
    if (plain) TRY(rk_work_for(env, workers, plain, a.objects, &a.plain_work));
    int64_t rows_at_once = workers * RK_TILE, most = rk_min(map->nearest, map->object_count);
    TRY(rk_scratch_raw(env, rows_at_once * RK_TILE, sizeof *a.tiles, &a.tiles));
    TRY(rk_scratch(env, rows_at_once, sizeof *a.sums, &a.sums));
    TRY(rk_scratch(env, rows_at_once * most, sizeof *a.value, &a.value));
    TRY(rk_scratch(env, rows_at_once * most, sizeof *a.index, &a.index));
    if (map->Z) TRY(rk_fingerprints_new(env, map, &a.fingerprints));
    TRY(rk_kernel_parallel(env, "transform", kernel, tiles, apply_tile, &a));
done:
    rk_unbind(env, plain);
    rk_unbind(env, rows);
    rk_scratch_release(env, mark);
    return status;
}

void rk_flip_column(double *Z, int64_t rows, int64_t dim, rk_map *map, int64_t c) {
    for (int64_t i = 0; i < rows; i++) Z[i * dim + c] = -Z[i * dim + c];
    for (int64_t i = 0; i < map->width; i++) map->B[i * dim + c] = -map->B[i * dim + c];
    for (int64_t i = 0; map->Z && i < map->object_count; i++) map->Z[i * dim + c] = -map->Z[i * dim + c];
    map->c[c] = -map->c[c];
}

void rk_fix_signs(double *Z, int64_t n, int64_t all, int64_t dim, rk_map *map) {
    for (int64_t c = 0; c < dim; c++) {
        int64_t at = 0;
        for (int64_t i = 1; i < n; i++)
            if (fabs(Z[i * dim + c]) > fabs(Z[at * dim + c])) at = i;
        if (Z[at * dim + c] < 0) rk_flip_column(Z, all, dim, map, c);
    }
}

rkhs_status rk_map_save(const rk_map *map, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    TRY(rk_archive_put(archive, "map/B", &(rk_array){'d', 2, {map->width, map->dim}, map->B}));
    TRY(rk_archive_put(archive, "map/c", &(rk_array){'d', 1, {map->dim}, map->c}));
    TRY(rk_archive_put_int(archive, "map/nearest", map->nearest));
    TRY(rk_archive_put_int(archive, "map/degree", map->degree));
    TRY(rk_archive_put_int(archive, "map/post", map->post));
    if (map->Z) TRY(rk_archive_put(archive, "map/Z", &(rk_array){'d', 2, {map->object_count, map->dim}, map->Z}));
    if (map->fingerprint) TRY(rk_archive_put(archive, "map/mark", &(rk_array){'d', 1, {map->object_count}, map->fingerprint}));
    if (map->half) TRY(rk_archive_put(archive, "map/half", &(rk_array){'d', 1, {map->object_count}, map->half}));
    TRY(rk_data_save(map->objects, archive, "kept/"));
    if (map->features) TRY(rk_features_save(map->features, archive));
done:
    return status;
}

/* Loads one number for each object of D, if the file has them. */
static rkhs_status load_each(rkhs_env *env, rk_archive *archive, const char *name, const rk_map *m, double **out) {
    rkhs_status status = RKHS_OK;
    rk_array a;
    if (!rk_archive_has(archive, name)) return RKHS_OK;
    TRY(rk_archive_get(archive, name, 'd', 1, &a));
    if (a.shape[0] != m->object_count) FAIL(env, RKHS_ERR_FORMAT, "the map does not fit together: fit the model again");
    TRY(rk_check_array_finite(env, archive, name, &a));
    TRY(copied(env, m->object_count, a.data, out));
done:
    return status;
}

/* Loads half, fingerprints and Z of the map, if the file has them. */
static rkhs_status load_keep(rkhs_env *env, rk_archive *archive, rk_map *m) {
    rkhs_status status = RKHS_OK;
    rk_array Z;
    TRY(load_each(env, archive, "map/half", m, &m->half));
    TRY(load_each(env, archive, "map/mark", m, &m->fingerprint));
    if (!rk_archive_has(archive, "map/Z")) return RKHS_OK;
    TRY(rk_archive_get(archive, "map/Z", 'd', 2, &Z));
    if (Z.shape[0] != m->object_count || Z.shape[1] != m->dim || !m->fingerprint || !m->nearest)
        FAIL(env, RKHS_ERR_FORMAT, "the map does not fit together: fit the model again");
    TRY(rk_check_array_finite(env, archive, "map/Z", &Z));
    TRY(copied(env, m->object_count * m->dim, Z.data, &m->Z));
done:
    return status;
}

rkhs_status rk_map_load(rkhs_env *env, rk_archive *archive, rk_map **map) {
    rkhs_status status = RKHS_OK;
    rk_map *m = NULL;
    rk_array B, c;
    int64_t nearest, degree, post;
    *map = NULL;
    TRY(rk_archive_get(archive, "map/B", 'd', 2, &B));
    TRY(rk_archive_get(archive, "map/c", 'd', 1, &c));
    TRY(rk_archive_get_int(archive, "map/nearest", &nearest));
    TRY(rk_archive_get_int(archive, "map/degree", &degree));
    TRY(rk_archive_get_int(archive, "map/post", &post));
    TRY(rk_map_new(env, B.shape[0], B.shape[1], &m));
    TRY(rk_data_load(env, archive, "kept/", &m->objects));
    if (rk_archive_has(archive, "map/features/parts")) {
        if (!(m->objects->type->kind & RK_KIND_VECTORS))
            FAIL(env, RKHS_ERR_FORMAT, "it has random features of %s data, which have none: fit the model again",
                 m->objects->type->entry.name);
        TRY(rk_features_load(env, archive, m->objects->columns, &m->features));
        m->object_count = m->objects->rows;
        if (m->features->width != m->width || nearest || degree)
            FAIL(env, RKHS_ERR_FORMAT, "its random features do not fit its map: fit the model again");
    }
    if (c.shape[0] != m->dim || m->objects->rows != m->object_count || nearest < 0 || degree < 0 || degree > 2 || post < 0 ||
        post > 1)
        FAIL(env, RKHS_ERR_FORMAT, "the map does not fit together: fit the model again");
    TRY(rk_check_array_finite(env, archive, "map/B", &B));
    TRY(rk_check_array_finite(env, archive, "map/c", &c));
    memcpy(m->B, B.data, (size_t)(m->width * m->dim) * sizeof *m->B);
    memcpy(m->c, c.data, (size_t)m->dim * sizeof *m->c);
    m->nearest = nearest;
    m->degree = degree == 2 ? RK_DEGREE_BINARY : degree ? RK_DEGREE_KERNEL : RK_DEGREE_NONE;
    m->post = post ? RK_POST_SPHERE : RK_POST_NONE;
    TRY(load_keep(env, archive, m));
    *map = m;
    m = NULL;
done:
    rk_map_free(env, m);
    return status;
}
