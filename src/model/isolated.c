/* isolated.c: finds isolated new objects, whose kernel values with the objects of the map are all 0, or rounding.
 *
 *     max_j |k(x, x_j)| <= 1e-12 sqrt(k(x, x) s),   s the mean of some k(x_j, x_j), x_j the objects of the map
 *
 * The map places all such objects at one point, which says nothing about them. The largest values are noted while
 * tiles are computed; k(x, x) is computed only for rows where they are tiny. A vector of zeros is a point like any
 * other and not isolated, except with kernels of directions (cosine, normalize), where its k(x, x) is above 0. */
#include "model/model.h"

#include <string.h>

enum { SOME = 8 };
static const double tiny = 1e-12;

rkhs_status rk_isolation_new(const rkhs_model *m, int64_t rows, rk_isolation *near) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_map *map = m->map;
    double diag[SOME];
    rk_work *work;
    int64_t some = rk_min(map->object_count, SOME);
    *near = (rk_isolation){0};
    TRY(rk_scratch(env, rows, sizeof *near->largest, &near->largest));
    if (map->objects->type->kind == RK_KIND_GRAM) goto done; /* rows of a Gram have no k(x, x) */
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_map_bind(env, map, m->kernel));
    TRY(rk_work_for(env, 1, map->bound, map->bound, &work));
    TRY(rk_diag_of(map->bound, 0, some, diag, work[0]));
    for (int64_t j = 0; j < some; j++) diag[j] = fabs(diag[j]);
    near->size = rk_rows_sum(some, 1, diag) / (double)some;
    near->small = tiny * near->size;
    rk_scratch_release(env, mark);
done:
    return status;
}

/* Whether an object is isolated: `largest` is its largest kernel value, `self` its k(x, x). */
static int is_isolated(const rkhs_data *x, const rk_isolation *near, double largest, double self) {
    if (!(self > 0)) return largest == 0 && !(x->type->kind & (RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_IMAGE));
    return largest <= tiny * sqrt(self * near->size);
}

/* Decides on the rows that are flagged; k(x, x) is computed row by row, since they are few. */
static rkhs_status look_closer(const rkhs_model *m, const rkhs_data *x, const rk_isolation *near, char *isolated) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    rk_bound *rows = NULL;
    rk_work *work;
    TRY(rk_bind(env, m->kernel, x, m->map->bound, &rows));
    TRY(rk_work_for(env, 1, rows, m->map->bound, &work));
    for (int64_t i = 0; i < x->rows; i++) {
        double self;
        if (!isolated[i]) continue;
        TRY(rk_diag_of(rows, i, 1, &self, work[0]));
        isolated[i] = (char)is_isolated(x, near, near->largest[i], self);
    }
done:
    rk_unbind(env, rows);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_isolation_find(const rkhs_model *m, const rkhs_data *x, const rk_isolation *near, char *isolated) {
    rkhs_status status = RKHS_OK;
    int64_t count = 0, first = -1;
    for (int64_t i = 0; i < x->rows; i++) count += isolated[i] = near->largest[i] <= near->small;
    if (count && x->type->kind != RK_KIND_GRAM) TRY(look_closer(m, x, near, isolated));
    count = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        if (isolated[i] && first < 0) first = i;
        count += isolated[i];
    }
    if (count)
        rk_log(m->env, RKHS_LOG_ADVICE,
               "%lld of the %s share%s nothing with those of the model (all kernel values are 0), first row %lld (counted from "
               "1): %s position says nothing",
               (long long)count, rk_counted(x->rows, "object").text, count == 1 ? "s" : "", (long long)first + 1,
               count == 1 ? "its" : "their");
done:
    return status;
}
