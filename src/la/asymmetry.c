/* asymmetry.c: finds the first entry where a matrix that should be symmetric is not.
 *
 *     |a_ij - a_ji| > tolerance * max(|a_ij|, |a_ji|, sqrt |a_ii a_jj|),   i > j
 *
 * The matrix may be mapped from files and be larger than memory. So it is read in pairs of mirrored blocks, wide
 * enough to use whole pages of every row, and inside them in tiles that fit in the cache. */
#include "la/la.h"

enum { BLOCK = 2048, TILE = 64 };

typedef struct search {
    int64_t n;
    const double *const *row;
    const int64_t *index;
    double tolerance;
    int64_t *bad; /* blocks x 2: row and column of the first such entry, or -1 */
} search;

/* The test above; di and dj are the diagonal entries. */
static int too_far(double a, double b, double di, double dj, double tolerance) {
    return fabs(a - b) > tolerance * fmax(fmax(fabs(a), fabs(b)), sqrt(fabs(di)) * sqrt(fabs(dj)));
}

/* Records an entry if it comes before the recorded one. */
static void note(int64_t *bad, int64_t i, int64_t j) {
    if (bad[0] >= 0 && (bad[0] < i || (bad[0] == i && bad[1] <= j))) return;
    bad[0] = i;
    bad[1] = j;
}

/* Tests a tile below the diagonal, or the lower part of one on it. */
static inline __attribute__((always_inline)) void compare_tile(const search *s, const int64_t *index, int64_t i0, int64_t i1,
                                                               int64_t j0, int64_t j1, int64_t *bad) {
    for (int64_t i = i0; i < i1; i++) {
        const double *a = s->row[i];
        int64_t ci = index ? index[i] : i, end = rk_min(j1, i);
        for (int64_t j = j0; j < end; j++) {
            int64_t cj = index ? index[j] : j;
            if (a[cj] != s->row[j][ci] && too_far(a[cj], s->row[j][ci], a[ci], s->row[j][cj], s->tolerance)) note(bad, i, j);
        }
    }
}

static rkhs_status compare_block(void *context, int64_t block, int worker) {
    const search *s = context;
    int64_t bi, bj;
    rk_triangle_position(block, &bi, &bj);
    int64_t i1 = rk_min((bi + 1) * BLOCK, s->n), j1 = rk_min((bj + 1) * BLOCK, s->n);
    for (int64_t i = bi * BLOCK; i < i1; i += TILE)
        for (int64_t j = bj * BLOCK; j < j1 && j <= i; j += TILE) {
            if (s->index)
                compare_tile(s, s->index, i, rk_min(i + TILE, i1), j, rk_min(j + TILE, j1), s->bad + 2 * block);
            else
                compare_tile(s, NULL, i, rk_min(i + TILE, i1), j, rk_min(j + TILE, j1), s->bad + 2 * block);
        }
    return RKHS_OK;
}

rkhs_status rk_find_asymmetry(rkhs_env *env, int64_t n, const double *const *row, const int64_t *index, double tolerance,
                              int64_t at[2]) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t t = (n + BLOCK - 1) / BLOCK, blocks = t * (t + 1) / 2;
    search s = {n, row, index, tolerance, NULL};
    at[0] = at[1] = -1;
    TRY(rk_scratch(env, 2 * blocks, sizeof *s.bad, &s.bad));
    for (int64_t b = 0; b < 2 * blocks; b++) s.bad[b] = -1;
    TRY(rk_parallel(env, "symmetry", blocks, compare_block, &s));
    for (int64_t b = 0; b < blocks; b++)
        if (s.bad[2 * b] >= 0) note(at, s.bad[2 * b], s.bad[2 * b + 1]);
done:
    rk_scratch_release(env, mark);
    return status;
}
