/* place.c: out-of-sample placement: gives new objects their embedding, by the map or by the model's objective.
 *
 * A model that learns Z itself has no map. Its `place` uses the kernel values of a new object with the training
 * objects. They are computed a tile of rows at a time. A row's result depends on its object alone. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static const char *const names[RK_PLACES] = {"map", "refine", "neighbour"};

static unsigned ways_of(const rk_model_type *type) { return type->ways ? type->ways : 1u << RK_PLACE_MAP; }

/* For a message: "refine or neighbour". */
static void ways_text(unsigned ways, char *out, size_t room) {
    int left = 0;
    size_t at = 0;
    for (int i = 0; i < RK_PLACES; i++) left += (ways >> i & 1) != 0;
    for (int i = 0; i < RK_PLACES && at < room; i++) {
        if (!(ways >> i & 1)) continue;
        left--;
        at += (size_t)snprintf(out + at, room - at, "%s%s", names[i], left > 1 ? ", " : left == 1 ? " or " : "");
    }
}

rkhs_status rkhs_model_set_place(rkhs_model *model, const char *way) {
    if (!model) return RKHS_ERR_ARGUMENT;
    char known[64];
    int how = 0;
    rk_begin_call(model->env);
    while (way && how < RK_PLACES && strcmp(way, names[how]) != 0) how++;
    if (way && (how == RK_PLACES || !(ways_of(model->type) >> how & 1))) {
        ways_text(ways_of(model->type), known, sizeof known);
        return rk_fail(model->env, RKHS_ERR_SPEC, "%s cannot place new objects by '%.40s': it knows %s",
                       model->type->entry.name, way, known);
    }
    model->place = way ? how + 1 : 0;
    return RKHS_OK;
}

int rk_placement_way(const rkhs_model *m) {
    return m->place ? m->place - 1 : m->type->way ? m->type->way(m->spec->self) : RK_PLACE_MAP;
}

typedef struct place_loop {
    const rkhs_model *model;
    int how;
    const void *ready;
    const rk_bound *rows, *kept;
    int64_t tile, room; /* rows of a tile; doubles of scratch for each worker */
    double *K, *diag, *own;
    double *Z;
    int64_t ld;
    const rk_isolation *near;
    rk_work *work;
} place_loop;

static rkhs_status place_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    const place_loop *a = context;
    int64_t kept = a->model->map->object_count, i0 = tile * a->tile, ni = rk_min(a->tile, a->rows->x->rows - i0);
    double *K = a->K + worker * rk_padded(a->tile * kept), *diag = a->diag ? a->diag + worker * rk_padded(a->tile) : NULL;
    for (int64_t j0 = 0; j0 < kept; j0 += RK_TILE)
        TRY(rk_block_of(a->rows, i0, ni, a->kept, j0, rk_min(RK_TILE, kept - j0), K + j0, kept, a->work[worker]));
    if (diag) TRY(rk_diag_of(a->rows, i0, ni, diag, a->work[worker]));
    for (int64_t i = 0; a->near && i < ni; i++) rk_isolation_note(a->near, i0 + i, K + i * kept, kept);
    for (int64_t i = 0; i < ni; i++) { /* one at a time, as a row may take long, and the user may cancel in between */
        rk_placing p = {.model = a->model,
                        .how = a->how,
                        .ready = a->ready,
                        .rows = 1,
                        .K = K + i * kept,
                        .ld = kept,
                        .diag = diag ? diag + i : NULL,
                        .Z = a->Z + (i0 + i) * a->ld,
                        .ldz = a->ld,
                        .work = a->own + worker * a->room};
        if (worker == 0) TRY(rk_progress(a->model->env, NULL, 0, 0)); /* the caller's thread, where callbacks run */
        if (atomic_load(&a->model->env->cancelled)) break;
        TRY(a->model->type->place(&p));
    }
done:
    return status;
}

/* Rows of a tile: about a megabyte of kernel values, since `place` needs whole rows. */
static int64_t rows_at_once(const rk_bound *rows, const rk_bound *kept) {
    return rk_max(1, rk_min(rk_kernel_tile_rows(rows, kept), 131072 / rk_max(kept->x->rows, 1)));
}

/* Places all objects by the type's `place`. */
static rkhs_status place_own(const rkhs_model *m, const rkhs_data *x, double *Z, int64_t ld, const rk_isolation *near) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    rk_bound *rows = NULL;
    void *ready = NULL;
    int how = rk_placement_way(m);
    if (!m->map->bound) TRY(rk_bind(env, m->kernel, m->map->objects, NULL, &m->map->bound));
    TRY(rk_bind(env, m->kernel, x, m->map->bound, &rows));
    if (m->type->ready) TRY(m->type->ready(m, how, &ready));
    place_loop a = {
        .model = m, .how = how, .ready = ready, .rows = rows, .kept = m->map->bound, .Z = Z, .ld = ld, .near = near};
    a.tile = rows_at_once(a.rows, a.kept);
    a.room = m->type->place_work ? rk_padded(m->type->place_work(m, how)) : 0;
    int64_t tiles = (x->rows + a.tile - 1) / a.tile, workers = tiles > 1 ? rk_workers(env) : 1;
    TRY(rk_work_for(env, workers, a.rows, a.kept, &a.work));
    TRY(rk_scratch(env, workers * rk_padded(a.tile * m->map->object_count), sizeof *a.K, &a.K));
    if (m->type->place_diag && x->type->kind != RK_KIND_GRAM)
        TRY(rk_scratch(env, workers * rk_padded(a.tile), sizeof *a.diag, &a.diag));
    TRY(rk_scratch(env, workers * a.room, sizeof *a.own, &a.own));
    TRY(rk_kernel_parallel(env, "transform", m->kernel, tiles, place_tile, &a));
done:
    rk_unbind(env, rows);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_check_results(const rkhs_model *m, const double *values, int64_t rows, int64_t columns, int64_t ld) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t c = 0; c < columns; c++)
            if (!(fabs(values[i * ld + c]) <= RK_MAX_ABS))
                return rk_fail(m->env, RKHS_ERR_NUMERIC,
                               "%s gives %g in row %lld, column %lld (counted from 0), and results above 1e150 are refused: "
                               "bring the data to a smaller "
                               "scale, or fit the model again",
                               m->type->entry.name, values[i * ld + c], (long long)i, (long long)c);
    return RKHS_OK;
}

rkhs_status rk_place_all(const rkhs_model *m, const rkhs_data *x, double *Z, int64_t ld, char *isolated) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(m->env);
    rk_isolation near;
    const rk_isolation *noted = isolated ? &near : NULL;
    if (isolated) TRY(rk_isolation_new(m, x->rows, &near));
    TRY(rk_placement_way(m) == RK_PLACE_MAP ? rk_map_apply(m->env, m->map, m->kernel, x, Z, ld, noted)
                                            : place_own(m, x, Z, ld, noted));
    TRY(rk_check_results(m, Z, x->rows, m->dim, ld));
    if (isolated) TRY(rk_isolation_find(m, x, &near, isolated));
done:
    rk_scratch_release(m->env, mark);
    return status;
}
