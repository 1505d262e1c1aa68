/* map.c: z(x) = post( row(k(x, D)) B + c ), the one way from a fitted model to new objects.
 *
 * Rows go by tiles of RK_TILE; for each, tiles of kernel values are made, used and forgotten, so that memory does not grow with
 * the number of rows nor of kept objects. A row's result depends on its object alone. */
#include "model/model.h"

#include <string.h>

rkhs_status rk_map_new(rkhs_env *env, int64_t kept, int64_t dim, rk_map **map) {
    rkhs_status status = RKHS_OK;
    rk_map *m = NULL;
    *map = NULL;
    TRY(rk_alloc(env, 1, sizeof *m, &m));
    m->kept_count = kept;
    m->dim = dim;
    TRY(rk_alloc(env, kept * dim, sizeof *m->B, &m->B));
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
    rkhs_data_free(map->kept);
    rk_free(env, map->B);
    rk_free(env, map->c);
    rk_free(env, map);
}

typedef struct apply_loop {
    const rk_map *map;
    const rk_bound *rows, *kept;
    double *tiles;  /* workers x RK_TILE x RK_TILE: kernel values */
    double *sums;   /* workers x RK_TILE: of the values used in each row */
    double *value;  /* workers x RK_TILE x nearest: the largest so far, largest first */
    int64_t *index; /* and whose they are */
    double *Z;
    int64_t ld, tile; /* rows at a time */
    rk_work *work;
} apply_loop;

/* All kept objects: values are used tile by tile. */
static rkhs_status sum_all(const apply_loop *a, int64_t i0, int64_t ni, int worker, double *K, double *sums) {
    const rk_map *map = a->map;
    for (int64_t j0 = 0; j0 < map->kept_count; j0 += RK_TILE) {
        int64_t nj = rk_least(RK_TILE, map->kept_count - j0);
        rkhs_status status = rk_block_of(a->rows, i0, ni, a->kept, j0, nj, K, RK_TILE, a->work[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; map->degree && i < ni; i++)
            for (int64_t j = 0; j < nj; j++) sums[i] += K[i * RK_TILE + j];
        rk_gemm_tile('n', 'n', ni, map->dim, nj, 1.0, K, RK_TILE, map->B + j0 * map->dim, map->dim, j0 ? 1.0 : 0.0,
                     a->Z + i0 * a->ld, a->ld);
    }
    return RKHS_OK;
}

/* The nearest kept objects of each row: found first, then summed. */
static rkhs_status sum_nearest(const apply_loop *a, int64_t i0, int64_t ni, int worker, double *K, double *sums) {
    const rk_map *map = a->map;
    int64_t most = rk_least(map->nearest, map->kept_count), counts[RK_TILE] = {0};
    double *value = a->value + (int64_t)worker * RK_TILE * most;
    int64_t *index = a->index + (int64_t)worker * RK_TILE * most;
    for (int64_t j0 = 0; j0 < map->kept_count; j0 += RK_TILE) {
        int64_t nj = rk_least(RK_TILE, map->kept_count - j0);
        rkhs_status status = rk_block_of(a->rows, i0, ni, a->kept, j0, nj, K, RK_TILE, a->work[worker]);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                counts[i] = rk_top_offer(value + i * most, index + i * most, counts[i], most, j0 + j, K[i * RK_TILE + j]);
    }
    for (int64_t i = 0; i < ni; i++) {
        double *z = a->Z + (i0 + i) * a->ld;
        memset(z, 0, (size_t)map->dim * sizeof *z);
        for (int64_t q = 0; q < most; q++) {
            double v = value[i * most + q];
            sums[i] += v;
            for (int64_t c = 0; c < map->dim; c++) z[c] += v * map->B[index[i * most + q] * map->dim + c];
        }
    }
    return RKHS_OK;
}

/* What follows the sum: the degree, the offset, the sphere. A row that is like nothing kept has sum 0 and stays at c. */
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

/* A tile of rows against all kept objects. */
static rkhs_status apply_tile(void *context, int64_t tile, int worker) {
    apply_loop *a = context;
    int64_t i0 = tile * a->tile, ni = rk_least(a->tile, a->rows->x->rows - i0);
    double *K = a->tiles + (int64_t)worker * RK_TILE * RK_TILE, *sums = a->sums + (int64_t)worker * RK_TILE;
    memset(sums, 0, RK_TILE * sizeof *sums);
    rkhs_status status = (a->map->nearest ? sum_nearest : sum_all)(a, i0, ni, worker, K, sums);
    finish_rows(a, i0, ni, sums);
    return status;
}

rkhs_status rk_map_apply(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel, const rkhs_data *x, double *Z, int64_t ld) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_bound *rows = NULL;
    apply_loop a = {.map = map, .Z = Z, .ld = ld};
    if (!map->bound) TRY(rk_bind(env, kernel, map->kept, NULL, &map->bound));
    TRY(rk_bind(env, kernel, x, map->bound, &rows));
    a.kept = map->bound;
    a.rows = rows;
    a.tile = rk_tile_rows(a.rows, a.kept);
    int64_t tiles = (x->rows + a.tile - 1) / a.tile, workers = tiles > 1 ? rk_workers(env) : 1;
    TRY(rk_work_for(env, workers, a.rows, a.kept, &a.work));
    int64_t rows_at_once = workers * RK_TILE, most = rk_least(map->nearest, map->kept_count);
    TRY(rk_scratch_raw(env, rows_at_once * RK_TILE, sizeof *a.tiles, &a.tiles));
    TRY(rk_scratch(env, rows_at_once, sizeof *a.sums, &a.sums));
    TRY(rk_scratch(env, rows_at_once * most, sizeof *a.value, &a.value));
    TRY(rk_scratch(env, rows_at_once * most, sizeof *a.index, &a.index));
    TRY(rk_kernel_parallel(env, "transform", kernel, tiles, apply_tile, &a));
done:
    rk_unbind(env, rows);
    rk_scratch_release(env, mark);
    return status;
}

void rk_fix_signs(double *Z, int64_t n, int64_t dim, rk_map *map) {
    for (int64_t c = 0; c < dim; c++) {
        int64_t at = 0;
        for (int64_t i = 1; i < n; i++)
            if (fabs(Z[i * dim + c]) > fabs(Z[at * dim + c])) at = i;
        if (!(Z[at * dim + c] < 0)) continue;
        for (int64_t i = 0; i < n; i++) Z[i * dim + c] = -Z[i * dim + c];
        for (int64_t i = 0; i < map->kept_count; i++) map->B[i * dim + c] = -map->B[i * dim + c];
        map->c[c] = -map->c[c];
    }
}

rkhs_status rk_map_save(const rk_map *map, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    TRY(rk_archive_put(archive, "map/B", &(rk_array){'d', 2, {map->kept_count, map->dim}, map->B}));
    TRY(rk_archive_put(archive, "map/c", &(rk_array){'d', 1, {map->dim}, map->c}));
    TRY(rk_archive_put_int(archive, "map/nearest", map->nearest));
    TRY(rk_archive_put_int(archive, "map/degree", map->degree));
    TRY(rk_archive_put_int(archive, "map/post", map->post));
    TRY(rk_data_save(map->kept, archive, "kept/"));
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
    TRY(rk_data_load(env, archive, "kept/", &m->kept));
    if (c.shape[0] != m->dim || m->kept->rows != m->kept_count || nearest < 0 || degree < 0 || degree > 1 || post < 0 ||
        post > 1)
        FAIL(env, RKHS_ERR_FORMAT, "%s: the map does not fit together: fit the model again", rk_archive_path(archive));
    TRY(rk_file_finite(env, archive, "map/B", &B));
    TRY(rk_file_finite(env, archive, "map/c", &c));
    memcpy(m->B, B.data, (size_t)(m->kept_count * m->dim) * sizeof *m->B);
    memcpy(m->c, c.data, (size_t)m->dim * sizeof *m->c);
    m->nearest = nearest;
    m->degree = (int)degree;
    m->post = post ? RK_POST_SPHERE : RK_POST_NONE;
    *map = m;
    m = NULL;
done:
    rk_map_free(env, m);
    return status;
}
