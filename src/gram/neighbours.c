/* neighbours.c: the k nearest neighbours of every object in feature space, exactly, over all pairs.
 *
 * A pair (i, j) is offered to the lists of both objects. The k best by nearness, then by index, do not depend on the
 * order of offers. From the kernel each tile on or below the diagonal of K is computed once, as in rk_gram_symmetric,
 * and then discarded. Two tiles that are computed at the same time must have no tile row in common, since they write
 * the lists of these objects: the tile rows meet as in a round-robin tournament, round by round. */
#include "gram/gram.h"

#include <string.h>

/* Rows of a tile buffer are APART numbers apart: with a power of two, a column of it would fall on few cache lines. */
enum { APART = RK_TILE + 8, WORDS = (RK_TILE + 63) / 64, SORTED = 48, SMALL = 64 };

/* A list is sorted if k is small; then an offer is inserted. Else it has room for more than k in no order, and when it
 * is full, the first k stay: where k is 1000, inserting would take longer than all else. */
typedef struct search {
    const rk_gram *g;
    const double *K;
    int64_t k, *index; /* n x k, as value: the result */
    double *value;
    int64_t room, *who;   /* n x room: the lists; sorted ones are in the result */
    double *near;         /* n x room: nearness of these objects */
    int64_t *counts;      /* n: of lists that are not sorted, else NULL */
    double *bound;        /* at i * apart: only who precedes this one may belong to the first k of object i */
    int64_t *bound_index; /* its index */
    int64_t apart;
    double *half;  /* n: subtracted from k(x,j) to have the nearness; 0 where rk_gram_half_diagonal is NULL */
    int even;      /* whether all of `half` are 0 */
    double *tiles; /* workers x tile x APART */
    rk_work *work;
    int64_t tile;  /* objects at a time */
    int64_t rows;  /* tile rows */
    int64_t round; /* of the tournament; -1: the tiles on the diagonal */
} search;

/* Whether all diagonal entries are equal, but for rounding. */
static int is_even(const double *diag, int64_t n) {
    double smallest = diag[0], largest = diag[0];
    for (int64_t i = 1; i < n; i++) smallest = fmin(smallest, diag[i]), largest = fmax(largest, diag[i]);
    return largest - smallest <= 1e-12 * fmax(fabs(smallest), fabs(largest));
}

typedef struct diagonal {
    const rk_gram *g;
    rk_work *work;
    double *values; /* n */
} diagonal;

/* k(x,x) as the diagonal of K has it, to the bit; the slot `diag` of the kernel may round in another way. */
static rkhs_status diagonal_tile(void *context, int64_t tile, int worker) {
    diagonal *d = context;
    rkhs_status status = RKHS_OK;
    for (int64_t i = tile * RK_TILE; status == RKHS_OK && i < rk_min((tile + 1) * RK_TILE, d->g->n); i++)
        status = rk_block_of(d->g->bound, i, 1, d->g->bound, i, 1, d->values + i, 1, d->work[worker]);
    return status;
}

rkhs_status rk_gram_half_diagonal(const rk_gram *g, double **half) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    diagonal d = {.g = g};
    *half = NULL;
    TRY(rk_scratch(g->env, g->n, sizeof *d.values, &d.values));
    mark = rk_scratch_mark(g->env); /* the values stay */
    if (g->K) TRY(rk_gram_diag(g, d.values));
    if (!g->K) TRY(rk_work_new(g->env, g->bound, g->bound, &d.work));
    if (!g->K) TRY(rk_kernel_parallel(g->env, NULL, g->kernel, (g->n + RK_TILE - 1) / RK_TILE, diagonal_tile, &d));
    TRY(rk_gram_check_finite(g, rk_rows_sum(g->n, 1, d.values)));
    if (is_even(d.values, g->n)) goto done;
    for (int64_t i = 0; i < g->n; i++) d.values[i] /= 2;
    *half = d.values;
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* Inserts object j, which precedes the last one, into a sorted list; the last one leaves it. */
static void insert(double *near, int64_t *who, int64_t k, int64_t j, double v) {
    int64_t at = k - 1;
    for (; at > 0 && rk_precedes(v, j, near[at - 1], who[at - 1]); at--) near[at] = near[at - 1], who[at] = who[at - 1];
    near[at] = v;
    who[at] = j;
}

/* Adds object j to a list that is not sorted. */
static void append(search *s, int64_t i, int64_t j, double v) {
    double *near = s->near + i * s->room;
    int64_t *who = s->who + i * s->room, count = s->counts[i];
    if (count == s->room) {
        count = s->k;
        rk_keep_first(near, who, s->room, count);
        s->bound[i] = near[count - 1];
        s->bound_index[i] = who[count - 1];
    }
    near[count] = v;
    who[count] = j;
    s->counts[i] = count + 1;
}

/* Offers object j to the list of object i. */
static inline void offer(search *s, int64_t i, int64_t j, double v) {
    if (!rk_precedes(v, j, s->bound[i * s->apart], s->bound_index[i * s->apart])) return;
    if (s->counts)
        append(s, i, j, v);
    else
        insert(s->near + i * s->room, s->who + i * s->room, s->k, j, v);
}

/* What the nearness of an object has to reach for the list of object i, if its index is `first` or a later one. */
static inline double bound_of(const search *s, int64_t i, int64_t first) {
    double bound = s->bound[i * s->apart];
    return first > s->bound_index[i * s->apart] ? nextafter(bound, INFINITY) : bound;
}

/* Offers the objects j0 .. to the lists of i0 .., and if `both` the other way round, from a tile of kernel values. */
static void offer_tile(search *s, int64_t i0, int64_t ni, int64_t j0, int64_t nj, const double *values, int64_t ld, int both) {
    double bounds[RK_TILE];
    uint64_t mine[WORDS], theirs[WORDS] = {0};
    for (int64_t j = 0; both && j < nj; j++) bounds[j] = bound_of(s, j0 + j, i0);
    for (int64_t i = i0; i < i0 + ni; i++, values += ld) {
        rk_reaching(nj, values, s->half + j0, bound_of(s, i, j0), s->half[i], both ? bounds : NULL, mine, theirs);
        for (int64_t w = 0; w * 64 < nj; w++) {
            for (uint64_t bits = mine[w]; bits; bits &= bits - 1) {
                int64_t j = w * 64 + __builtin_ctzll(bits);
                if (i != j0 + j) offer(s, i, j0 + j, values[j] - s->half[j0 + j]);
            }
            for (uint64_t bits = theirs[w]; bits; bits &= bits - 1) {
                int64_t j = w * 64 + __builtin_ctzll(bits);
                offer(s, j0 + j, i, values[j] - s->half[i]);
                bounds[j] = bound_of(s, j0 + j, i0);
            }
        }
    }
}

/* The lists of one tile row, from a stored K. */
static rkhs_status stored_row(void *context, int64_t row, int worker) {
    search *s = context;
    int64_t n = s->g->n, i = row * s->tile, ni = rk_min(s->tile, n - i);
    for (int64_t j = 0; j < n; j += RK_TILE) offer_tile(s, i, ni, j, rk_min(RK_TILE, n - j), s->K + i * n + j, n, 0);
    return RKHS_OK;
}

/* One tile of the current round, from the kernel. With an odd number of rows one more takes part, which stands for a
 * pause. Of m rows the last stays where it is and the others move on in a circle: in round r it meets row r, and rows
 * r + p and r - p meet. */
static rkhs_status kernel_tile(void *context, int64_t pair, int worker) {
    search *s = context;
    int64_t n = s->g->n, circle = s->rows - 1 + s->rows % 2, a = pair, b = pair;
    if (s->round >= 0) {
        a = (s->round + pair) % circle;
        b = pair ? (s->round - pair + circle) % circle : circle;
    }
    if (rk_max(a, b) == s->rows) return RKHS_OK;
    int64_t i = rk_max(a, b) * s->tile, j = rk_min(a, b) * s->tile, ni = rk_min(s->tile, n - i), nj = rk_min(s->tile, n - j);
    double *values = s->tiles + worker * s->tile * APART;
    rkhs_status status = rk_block_of(s->g->bound, i, ni, s->g->bound, j, nj, values, APART, s->work[worker]);
    if (status != RKHS_OK) return status;
    if (i == j) rk_mirror_tile(values, APART, 0, ni, 0, nj);
    offer_tile(s, i, ni, j, nj, values, APART, i != j);
    return RKHS_OK;
}

/* All rounds. They are shown as one stage. */
static rkhs_status search_kernel(search *s) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    int64_t rounds = s->rows - 1 + s->rows % 2;
    int64_t workers = s->rows > 1 ? rk_workers(env) : 1;
    TRY(rk_work_for(env, workers, s->g->bound, s->g->bound, &s->work));
    TRY(rk_scratch_raw(env, workers * s->tile * APART, sizeof *s->tiles, &s->tiles));
    TRY(rk_progress(env, "neighbours", 0, rounds + 1));
    for (s->round = -1; s->round < rounds; s->round++) {
        int64_t count = s->round < 0 ? s->rows : (rounds + 1) / 2;
        TRY(rk_kernel_parallel(env, NULL, s->g->kernel, count, kernel_tile, s));
        TRY(rk_progress(env, "neighbours", s->round + 2, rounds + 1));
    }
done:
    return status;
}

/* Rows of a tile. At most half of the tile rows are in use at the same time, so there should be some for each worker.
 * No value depends on it: see rk_kernel_type. */
static int64_t tile_of(const rk_gram *g) {
    int64_t tile = rk_kernel_tile(g->bound, g->bound), enough = 4 * (int64_t)rk_workers(g->env);
    if (rk_workers(g->env) == 1 || tile <= SMALL || rk_kernel_any_has(g->kernel, RK_SERIAL)) return tile;
    return rk_max(SMALL, rk_min(tile, (g->n + enough - 1) / enough));
}

/* Makes the result of one tile row from its lists. */
static rkhs_status finish_row(void *context, int64_t row, int worker) {
    search *s = context;
    for (int64_t i = row * s->tile; i < rk_min((row + 1) * s->tile, s->g->n); i++) {
        double *near = s->near + i * s->room, *value = s->value + i * s->k;
        int64_t *who = s->who + i * s->room, *index = s->index + i * s->k;
        /* NaN is nobody's neighbour. */
        if (s->counts ? s->counts[i] < s->k : who[s->k - 1] == INT64_MAX) return rk_gram_check_finite(s->g, NAN);
        if (s->counts) {
            rk_keep_first(near, who, s->counts[i], s->k);
            rk_sort_ranked(near, who, s->k);
            memcpy(value, near, (size_t)s->k * sizeof *value);
            memcpy(index, who, (size_t)s->k * sizeof *index);
        }
        for (int64_t q = 0; !s->even && q < s->k; q++) value[q] += s->half[index[q]];
    }
    return RKHS_OK;
}

/* Empty lists, and bounds that every object precedes. */
static rkhs_status make_lists(search *s) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    int64_t n = s->g->n, k = s->k;
    if (k <= SORTED) {
        s->room = s->apart = k;
        s->near = s->value, s->who = s->index;
        s->bound = s->near + k - 1, s->bound_index = s->who + k - 1;
        for (int64_t q = 0; q < n * k; q++) s->near[q] = -INFINITY, s->who[q] = INT64_MAX;
        goto done;
    }
    s->room = rk_min(2 * k, n - 1);
    s->apart = 1;
    TRY(rk_scratch_raw(env, n * s->room, sizeof *s->near, &s->near));
    TRY(rk_scratch_raw(env, n * s->room, sizeof *s->who, &s->who));
    TRY(rk_scratch(env, n, sizeof *s->counts, &s->counts));
    TRY(rk_scratch(env, n, sizeof *s->bound, &s->bound));
    TRY(rk_scratch(env, n, sizeof *s->bound_index, &s->bound_index));
    for (int64_t i = 0; i < n; i++) s->bound[i] = -INFINITY, s->bound_index[i] = INT64_MAX;
done:
    return status;
}

rkhs_status rk_gram_neighbours(const rk_gram *g, int64_t k, int64_t *index, double *value) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    const double *K = g->ldk == g->n ? g->K : NULL;
    search s = {.g = g, .K = K, .k = k, .index = index, .value = value};
    if (k < 1 || k >= g->n)
        FAIL(g->env, RKHS_ERR_SPEC, "k = %s of %s: choose k from 1 to %lld", rk_counted(k, "neighbour").text,
             rk_counted(g->n - 1, "other object").text, (long long)(g->n - 1));
    TRY(make_lists(&s));
    TRY(rk_gram_half_diagonal(g, &s.half));
    s.even = !s.half;
    if (s.even) TRY(rk_scratch(g->env, g->n, sizeof *s.half, &s.half));
    s.tile = K ? RK_TILE : tile_of(g);
    s.rows = (g->n + s.tile - 1) / s.tile;
    TRY(K ? rk_parallel(g->env, "neighbours", s.rows, stored_row, &s) : search_kernel(&s));
    TRY(rk_parallel(g->env, NULL, s.rows, finish_row, &s));
done:
    rk_scratch_release(g->env, mark);
    return status;
}
