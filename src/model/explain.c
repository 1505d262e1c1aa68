/* explain.c: which training objects or landmarks determine where the map places an object.
 *
 *     z(x) = sum_l w_l B_l + c;   influence of l: |w_l| |B_l|,   a pull where <w_l B_l, z - c> >= 0, else a push
 *
 * w is the row of kernel values of x as the map uses it, B and c are the map's (map.c). A pull moves x from c towards
 * its position z, a push moves it away. A row's result depends on its object alone. With random features, z(x) =
 * W'phi(x) + c, and w_l = phi(x)'phi(x_l) for the objects that the model keeps; B is the smallest one with W = Phi'B.
 * */
#include "model/model.h"

#include <string.h>

const rkhs_data *rkhs_model_reference_objects(const rkhs_model *model, const int64_t **rows) {
    if (rows) *rows = model ? model->map_rows : NULL;
    return model && model->map ? model->map->objects : NULL;
}

typedef struct explain_loop {
    const rk_map *map;
    const rk_bound *rows, *kept;
    int64_t tile, top;
    const double *B;             /* kept x dim */
    const rk_features *features; /* random features, or NULL */
    double *Phi;                 /* kept x width: features of the kept objects */
    double *phi;                 /* workers x tile x width: of new ones */
    double *norm;                /* kept: |B_l| */
    double *w;                   /* workers x tile x kept: the rows w */
    double *along;               /* the same size: <B_l, z - c> */
    double *z;                   /* workers x tile x dim */
    double *value;               /* workers x kept: nearness of the nearest, largest first */
    int64_t *index;              /* their indices */
    double *largest;             /* workers x 2 top */
    int64_t *which;
    int64_t *object; /* out */
    double *influence;
    rk_work *work;
} explain_loop;

/* Turns a row of kernel values into the map's weights, in place: only the nearest count, divided by their sum. */
static void use_row(const rk_map *map, double *w, double *value, int64_t *index) {
    int64_t kept = map->object_count, most = map->nearest ? rk_min(map->nearest, kept) : 0, count = 0;
    double sum = 0;
    for (int64_t l = 0; most && l < kept; l++)
        count = rk_top_offer(value, index, count, most, l, rk_nearness(map->half, l, w[l]));
    for (int64_t q = 0; q < most; q++) value[q] = rk_map_weight(map, w[index[q]]);
    for (int64_t l = 0; l < kept; l++) w[l] = most ? 0 : rk_map_weight(map, w[l]);
    for (int64_t q = 0; q < most; q++) w[index[q]] = value[q];
    if (map->degree == RK_DEGREE_NONE) return;
    for (int64_t l = 0; l < kept; l++) sum += w[l];
    for (int64_t l = 0; sum > 0 && l < kept; l++) w[l] /= sum;
}

/* The largest pulls of a row, then its largest pushes. */
static void choose(const explain_loop *a, const double *w, const double *along, double *largest, int64_t *which,
                   int64_t *object, double *influence) {
    int64_t count[2] = {0, 0};
    for (int64_t l = 0; l < a->map->object_count; l++) {
        double size = fabs(w[l]) * a->norm[l];
        if (isnan(size)) size = INFINITY; /* it is refused in the end */
        int push = w[l] * along[l] < 0;
        if (size > 0) count[push] = rk_top_offer(largest + push * a->top, which + push * a->top, count[push], a->top, l, size);
    }
    for (int64_t q = 0; q < 2 * a->top; q++) {
        int there = q % a->top < count[q / a->top];
        object[q] = there ? which[q] : -1;
        influence[q] = there ? largest[q] : 0;
    }
}

/* w = phi(x) Phi' of some new objects. */
static rkhs_status feature_rows(const explain_loop *a, int64_t i0, int64_t ni, int worker, double *w) {
    rkhs_status status = RKHS_OK;
    int64_t width = a->features->width, kept = a->map->object_count, j0, nj;
    double *phi = a->phi + worker * rk_padded(a->tile * (width + RK_TILE)), *room = phi + a->tile * width;
    for (int64_t t = 0; t < rk_features_tiles(a->features); t++) {
        TRY(rk_features_tile(a->features, t, a->rows, i0, ni, room, RK_TILE, a->work[worker], &j0, &nj));
        for (int64_t i = 0; i < ni; i++) memcpy(phi + i * width + j0, room + i * RK_TILE, (size_t)nj * sizeof *phi);
    }
    rk_gemm_tile('n', 't', ni, kept, width, 1.0, phi, width, a->Phi, width, 0.0, w, kept);
done:
    return status;
}

/* The features Phi of the kept objects, and B: Phi (Phi'Phi)^-1 W, or (Phi Phi')^-1 Phi W if that is smaller. */
static rkhs_status find_dual(const rkhs_model *m, explain_loop *a) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    const rk_map *map = m->map;
    int64_t kept = map->object_count, width = map->width, dim = map->dim, bad;
    int primal = width <= kept;
    int64_t size = primal ? width : kept;
    rk_bound *rows = NULL;
    double *A, *X, *B, trace = 0;
    TRY(rk_scratch(env, kept * width, sizeof *a->Phi, &a->Phi));
    TRY(rk_scratch(env, kept * dim, sizeof *B, &B));
    TRY(rk_scratch(env, size * size, sizeof *A, &A));
    TRY(rk_scratch(env, size * dim, sizeof *X, &X));
    TRY(rk_features_bind(env, a->features, m->kernel, map->objects, &rows));
    TRY(rk_features_rows(env, "explain", a->features, rows, 0, kept, a->Phi, width));
    if (primal)
        TRY(rk_syrk(env, NULL, kept, width, a->Phi, width, NULL, A, width));
    else
        TRY(rk_gemm(env, NULL, 'n', 't', kept, kept, width, 1.0, a->Phi, width, a->Phi, width, 0.0, A, kept));
    for (int64_t i = 0; i < size; i++) trace += A[i * size + i];
    for (int64_t i = 0; i < size; i++) A[i * size + i] += 1e-10 * trace / (double)size;
    TRY(rk_cholesky(env, "explain", size, A, size, &bad));
    if (bad >= 0) FAIL(env, RKHS_ERR_NUMERIC, "the features of the objects that the model keeps are all 0: fit it again");
    if (primal)
        memcpy(X, map->B, (size_t)(width * dim) * sizeof *X);
    else
        TRY(rk_gemm(env, NULL, 'n', 'n', kept, dim, width, 1.0, a->Phi, width, map->B, dim, 0.0, X, dim));
    TRY(rk_cholesky_solve(env, size, dim, A, size, X, dim));
    if (primal)
        TRY(rk_gemm(env, NULL, 'n', 'n', kept, dim, width, 1.0, a->Phi, width, X, dim, 0.0, B, dim));
    else
        memcpy(B, X, (size_t)(kept * dim) * sizeof *B);
    a->B = B;
done:
    rk_unbind(env, rows);
    return status;
}

static rkhs_status explain_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    const explain_loop *a = context;
    const rk_map *map = a->map;
    int64_t kept = map->object_count, dim = map->dim, i0 = tile * a->tile, ni = rk_min(a->tile, a->rows->x->rows - i0);
    double *w = a->w + worker * rk_padded(a->tile * kept), *along = a->along + worker * rk_padded(a->tile * kept),
           *z = a->z + worker * rk_padded(a->tile * dim);
    for (int64_t j = 0; !a->features && j < kept; j += RK_TILE)
        TRY(rk_block_of(a->rows, i0, ni, a->kept, j, rk_min(RK_TILE, kept - j), w + j, kept, a->work[worker]));
    if (a->features) TRY(feature_rows(a, i0, ni, worker, w));
    for (int64_t i = 0; i < ni; i++) use_row(map, w + i * kept, a->value + worker * kept, a->index + worker * kept);
    rk_gemm_tile('n', 'n', ni, dim, kept, 1.0, w, kept, a->B, dim, 0.0, z, dim);
    rk_gemm_tile('n', 't', ni, kept, dim, 1.0, z, dim, a->B, dim, 0.0, along, kept);
    for (int64_t i = 0; i < ni; i++)
        choose(a, w + i * kept, along + i * kept, a->largest + worker * 2 * a->top, a->which + worker * 2 * a->top,
               a->object + (i0 + i) * 2 * a->top, a->influence + (i0 + i) * 2 * a->top);
done:
    return status;
}

static rkhs_status explain_all(const rkhs_model *m, const rkhs_data *x, int64_t top, int64_t *object, double *influence) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_map *map = m->map;
    rk_bound *rows = NULL;
    int64_t kept = map->object_count;
    explain_loop a = {.map = map, .top = top, .object = object, .influence = influence, .B = map->B, .features = map->features};
    TRY(rk_map_bind(env, map, m->kernel));
    TRY(a.features ? rk_features_bind(env, a.features, m->kernel, x, &rows) : rk_bind(env, m->kernel, x, map->bound, &rows));
    a.rows = rows;
    a.kept = a.features ? a.features->bound : map->bound;
    a.tile = rk_max(1, rk_min(rk_kernel_tile_rows(a.rows, a.kept), 131072 / kept));
    int64_t tiles = (x->rows + a.tile - 1) / a.tile, workers = tiles > 1 ? rk_workers(env) : 1;
    TRY(rk_work_for(env, workers, a.rows, a.kept, &a.work));
    TRY(rk_scratch(env, kept, sizeof *a.norm, &a.norm));
    TRY(rk_scratch(env, workers * rk_padded(a.tile * kept), sizeof *a.w, &a.w));
    TRY(rk_scratch(env, workers * rk_padded(a.tile * kept), sizeof *a.along, &a.along));
    TRY(rk_scratch(env, workers * rk_padded(a.tile * map->dim), sizeof *a.z, &a.z));
    TRY(rk_scratch(env, workers * kept, sizeof *a.value, &a.value));
    TRY(rk_scratch(env, workers * kept, sizeof *a.index, &a.index));
    TRY(rk_scratch(env, workers * 2 * top, sizeof *a.largest, &a.largest));
    TRY(rk_scratch(env, workers * 2 * top, sizeof *a.which, &a.which));
    if (a.features) TRY(find_dual(m, &a));
    if (a.features) TRY(rk_scratch(env, workers * rk_padded(a.tile * (a.features->width + RK_TILE)), sizeof *a.phi, &a.phi));
    for (int64_t l = 0; l < kept; l++) a.norm[l] = rk_norm(map->dim, a.B + l * map->dim);
    TRY(rk_kernel_parallel(env, "explain", m->kernel, tiles, explain_tile, &a));
    TRY(rk_check_results(m, influence, x->rows, 2 * top, 2 * top));
done:
    rk_unbind(env, rows);
    return status;
}

rkhs_status rkhs_model_explain(const rkhs_model *model, const rkhs_data *x, int64_t top, int64_t *object, double *influence) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    if (!x || !object || !influence)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_explain: no %s: the pointer is NULL", x ? "room for the result" : "data");
    TRY(rk_model_view(model, x, &use, &view));
    if (rk_placement_way(model) != RK_PLACE_MAP)
        FAIL(env, RKHS_ERR_ARGUMENT,
             "%s places new objects by its objective and not by a map, so that no sum over training objects explains them: "
             "explain a model that has a map, such as bctke or kpca",
             model->type->entry.name);
    if (top < 1 || top > model->map->object_count)
        FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_explain: the %lld largest of %s: ask for 1 to %lld", (long long)top,
             rk_counted(model->map->object_count, "reference object").text, (long long)model->map->object_count);
    TRY(explain_all(model, use, top, object, influence));
done:
    rk_blas_end(env);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}
