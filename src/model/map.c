/* map.c: z(x) = post( scale(k(x, D)) B + c ), the one way from a fitted model to new objects.
 *
 * Rows go by tiles of RK_TILE; for each, tiles of kernel values are made, used and forgotten, so that memory does not grow with the
 * number of rows nor of kept objects. A row's result depends on its object alone. */
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
    rkhs_data_free(map->kept);
    rk_free(env, map->B);
    rk_free(env, map->c);
    rk_free(env, map->degree);
    rk_free(env, map);
}

typedef struct apply_loop {
    const rk_map *map;
    const rk_bound *rows, *kept;
    double *tiles; /* workers x RK_TILE x RK_TILE */
    double *Z;
    int64_t ld;
    rk_work *work;
} apply_loop;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* k(x,j) / sqrt(d_j); the row's own degree is summed on the way and divided out at the end. */
static void scale_tile(const rk_map *map, double *tile, int64_t ni, int64_t j0, int64_t nj, double *degree) {
    for (int64_t i = 0; i < ni; i++) {
        double *row = tile + i * RK_TILE;
        for (int64_t j = 0; j < nj; j++) {
            double d = map->degree[j0 + j];
            degree[i] += row[j];
            row[j] = d > 0 ? row[j] / sqrt(d) : 0;
        }
    }
}

/* What follows the sum: the row's degree, the offset, the sphere. */
static void finish_rows(const apply_loop *a, int64_t i0, int64_t ni, const double *degree) {
    const rk_map *map = a->map;
    for (int64_t i = 0; i < ni; i++) {
        double *z = a->Z + (i0 + i) * a->ld, norm = 0;
        double scale = map->scale == RK_SCALE_DEGREE ? (degree[i] > 0 ? 1 / sqrt(degree[i]) : 0) : 1;
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
    const rk_map *map = a->map;
    int64_t i0 = tile * RK_TILE, ni = least(RK_TILE, a->rows->x->rows - i0);
    double *K = a->tiles + (int64_t)worker * RK_TILE * RK_TILE, degree[RK_TILE] = {0};
    for (int64_t j0 = 0; j0 < map->kept_count; j0 += RK_TILE) {
        int64_t nj = least(RK_TILE, map->kept_count - j0);
        rkhs_status status = rk_block_of(a->rows, i0, ni, a->kept, j0, nj, K, RK_TILE, a->work[worker]);
        if (status != RKHS_OK) return status;
        if (map->scale == RK_SCALE_DEGREE) scale_tile(map, K, ni, j0, nj, degree);
        rk_gemm_tile('n', 'n', ni, map->dim, nj, 1.0, K, RK_TILE, map->B + j0 * map->dim, map->dim, j0 ? 1.0 : 0.0, a->Z + i0 * a->ld,
                     a->ld);
    }
    finish_rows(a, i0, ni, degree);
    return RKHS_OK;
}

rkhs_status rk_map_apply(rkhs_env *env, const rk_map *map, const rkhs_kernel *kernel, const rkhs_data *x, double *Z, int64_t ld) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_bound *kept = NULL, *rows = NULL;
    apply_loop a = {.map = map, .Z = Z, .ld = ld};
    TRY(rk_bind(env, kernel, map->kept, NULL, &kept));
    TRY(rk_bind(env, kernel, x, kept, &rows));
    a.kept = kept;
    a.rows = rows;
    TRY(rk_work_new(env, rows, kept, &a.work));
    TRY(rk_scratch(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *a.tiles, &a.tiles));
    TRY(rk_parallel(env, "transform", (x->rows + RK_TILE - 1) / RK_TILE, apply_tile, &a));
done:
    rk_unbind(env, rows);
    rk_unbind(env, kept);
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
    TRY(rk_archive_put_int(archive, "map/scale", map->scale));
    TRY(rk_archive_put_int(archive, "map/post", map->post));
    if (map->degree) TRY(rk_archive_put(archive, "map/degree", &(rk_array){'d', 1, {map->kept_count}, map->degree}));
    TRY(rk_data_save(map->kept, archive, "kept/"));
done:
    return status;
}

rkhs_status rk_map_load(rkhs_env *env, rk_archive *archive, rk_map **map) {
    rkhs_status status = RKHS_OK;
    rk_map *m = NULL;
    rk_array B, c, d;
    int64_t scale, post;
    *map = NULL;
    TRY(rk_archive_get(archive, "map/B", 'd', 2, &B));
    TRY(rk_archive_get(archive, "map/c", 'd', 1, &c));
    TRY(rk_archive_get_int(archive, "map/scale", &scale));
    TRY(rk_archive_get_int(archive, "map/post", &post));
    TRY(rk_map_new(env, B.shape[0], B.shape[1], &m));
    TRY(rk_data_load(env, archive, "kept/", &m->kept));
    if (c.shape[0] != m->dim || m->kept->rows != m->kept_count || scale < 0 || scale > 1 || post < 0 || post > 1)
        FAIL(env, RKHS_ERR_FORMAT, "%s: the map does not fit together", rk_archive_path(archive));
    memcpy(m->B, B.data, (size_t)(m->kept_count * m->dim) * sizeof *m->B);
    memcpy(m->c, c.data, (size_t)m->dim * sizeof *m->c);
    m->scale = scale ? RK_SCALE_DEGREE : RK_SCALE_NONE;
    m->post = post ? RK_POST_SPHERE : RK_POST_NONE;
    if (m->scale == RK_SCALE_DEGREE) {
        TRY(rk_archive_get(archive, "map/degree", 'd', 1, &d));
        if (d.shape[0] != m->kept_count) FAIL(env, RKHS_ERR_FORMAT, "%s: the map does not fit together", rk_archive_path(archive));
        TRY(rk_alloc(env, m->kept_count, sizeof *m->degree, &m->degree));
        memcpy(m->degree, d.data, (size_t)m->kept_count * sizeof *m->degree);
    }
    *map = m;
    m = NULL;
done:
    rk_map_free(env, m);
    return status;
}
