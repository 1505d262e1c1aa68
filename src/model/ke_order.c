/* ke_order.c: orders points so that tiles are compact, by repeated halving along the widest coordinate. */
#include "model/ke.h"

#include <stdlib.h>

typedef struct point {
    double value;
    int64_t at;
} point;

static int by_value(const void *a, const void *b) {
    const point *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->at > y->at) - (x->at < y->at);
}

/* Orders `count` points; the first half is a whole number of tiles. */
static void halve(int64_t count, int64_t d, const double *Z, int64_t tile, point *p) {
    double most = -1;
    int64_t by = 0, half = (count / 2 + tile - 1) / tile * tile;
    if (count <= tile) return;
    for (int64_t c = 0; c < d; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++) low = fmin(low, Z[p[i].at * d + c]), high = fmax(high, Z[p[i].at * d + c]);
        if (high - low > most) most = high - low, by = c;
    }
    for (int64_t i = 0; i < count; i++) p[i].value = Z[p[i].at * d + by];
    qsort(p, (size_t)count, sizeof *p, by_value);
    halve(half, d, Z, tile, p);
    halve(count - half, d, Z, tile, p + half);
}

rkhs_status rk_ke_sort(rkhs_env *env, int64_t n, int64_t d, const double *Z, int64_t tile, int64_t *order) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    point *points;
    TRY(rk_scratch(env, n, sizeof *points, &points));
    for (int64_t i = 0; i < n; i++) points[i].at = i;
    halve(n, d, Z, tile, points);
    for (int64_t i = 0; i < n; i++) order[i] = points[i].at;
done:
    rk_scratch_release(env, mark);
    return status;
}

void rk_ke_near_tiles(int64_t n, int64_t d, const double *Z, int64_t tile, double reach, char *near) {
    int64_t parts = (n + tile - 1) / tile;
    for (int64_t s = 0; s < parts; s++)
        for (int64_t t = 0; t <= s; t++) {
            double gap = 0;
            for (int64_t c = 0; c < d; c++) {
                double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
                for (int q = 0; q < 2; q++)
                    for (int64_t i = (q ? t : s) * tile; i < rk_min(((q ? t : s) + 1) * tile, n); i++)
                        low[q] = fmin(low[q], Z[i * d + c]), high[q] = fmax(high[q], Z[i * d + c]);
                double apart = fmax(0, fmax(low[0] - high[1], low[1] - high[0]));
                gap += apart * apart;
            }
            near[s * parts + t] = near[t * parts + s] = gap <= reach * reach;
        }
}
