/* ke_order.c: an order of points in which tiles are compact: Morton's, by the bits of all coordinates in turn. */
#include "model/ke.h"

#include <stdlib.h>

enum { BITS = 16, MOST = 3 };

typedef struct place {
    uint64_t key;
    int64_t at;
} place;

static int by_key(const void *a, const void *b) {
    const place *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->at > y->at) - (x->at < y->at);
}

rkhs_status rk_ke_sort(rkhs_env *env, int64_t n, int64_t d, const double *Z, int64_t *order) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    place *places;
    double low[MOST], most = 0;
    TRY(rk_scratch(env, n, sizeof *places, &places));
    for (int64_t c = 0; c < d; c++) {
        double high = low[c] = Z[c];
        for (int64_t i = 0; i < n; i++) low[c] = fmin(low[c], Z[i * d + c]), high = fmax(high, Z[i * d + c]);
        most = fmax(most, high - low[c]);
    }
    for (int64_t i = 0; i < n; i++) {
        places[i] = (place){0, i};
        for (int64_t c = 0; c < d; c++) {
            double share = most > 0 ? (Z[i * d + c] - low[c]) / most : 0;
            uint64_t cell = (uint64_t)(share * ((1 << BITS) - 1));
            for (int bit = 0; bit < BITS; bit++) places[i].key |= (cell >> bit & 1) << (bit * d + c);
        }
    }
    qsort(places, (size_t)n, sizeof *places, by_key);
    for (int64_t i = 0; i < n; i++) order[i] = places[i].at;
done:
    rk_scratch_release(env, mark);
    return status;
}

void rk_ke_near(int64_t n, int64_t d, const double *Z, int64_t tile, double reach, char *near) {
    int64_t parts = (n + tile - 1) / tile;
    for (int64_t s = 0; s < parts; s++)
        for (int64_t t = 0; t <= s; t++) {
            double gap = 0;
            for (int64_t c = 0; c < d; c++) {
                double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
                for (int q = 0; q < 2; q++)
                    for (int64_t i = (q ? t : s) * tile; i < rk_least(((q ? t : s) + 1) * tile, n); i++)
                        low[q] = fmin(low[q], Z[i * d + c]), high[q] = fmax(high[q], Z[i * d + c]);
                double apart = fmax(0, fmax(low[0] - high[1], low[1] - high[0]));
                gap += apart * apart;
            }
            near[s * parts + t] = near[t * parts + s] = gap <= reach * reach;
        }
}
