/* nystrom.c: the Nystrom approximation of the Gram matrix K by m landmarks S.
 *
 *     K ~ K_nS K_SS^-1 K_Sn = Phi Phi',   Phi = K_nS L^-T,   K_SS = L L',   K_nS: k(object, landmark)
 *
 * by=rpcholesky chooses landmarks that explain much (rpcholesky.c), by=kmeans objects amid clusters (kernel_kmeans.c),
 * and by=uniform costs less and explains less. Of more than rk_sample_rows objects, the first two look at a random
 * sample of so many; Phi is then not stored, and each pass over the objects computes its rows again (features.c).
 * Landmarks with a relative residual below 1e-12 are dropped, to keep L well conditioned: the rank is then below m. */
#include "gram/gram.h"

#include <stdio.h>
#include <string.h>

enum { BY_RPCHOLESKY, BY_UNIFORM, BY_GIVEN, BY_KMEANS };
static const double EXPLAINED = 1e-12;

typedef struct nystrom {
    int64_t landmarks;
    int by;
    char *rows;
} nystrom;

/* clang-format off */
static const rk_param params[] = {
    {.name = "landmarks", .aliases = "m", .kind = RK_INT, .offset = offsetof(nystrom, landmarks), .value = "500", .min = 1,
     .max = 1e9, .brief = "number of landmarks; at most n"},
    {.name = "by", .kind = RK_CHOICE, .offset = offsetof(nystrom, by), .value = "rpcholesky",
     .choices = "rpcholesky|uniform|given|kmeans",
     .brief = "choice of the landmarks: randomly pivoted Cholesky, uniform at random, the given rows, or kernel k-means"},
    {.name = "rows", .kind = RK_LIST, .offset = offsetof(nystrom, rows),
     .brief = "with by=given: the rows of the landmarks, counted from 0, as in [0:50,7]"},
    {.name = NULL},
};
/* clang-format on */

/* ---- choosing landmarks ---------------------------------------------------------------------------------------- */

/* Landmarks by randomly pivoted Cholesky or by k-means: `index` receives *rank of them, all_rows their factor Phi where
 * it was computed for all objects and is wanted; else NULL. */
static rkhs_status draw(rk_gram *g, int64_t m, int64_t *index, int64_t *rank, double **all_rows) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = g->n, sample = rk_min(n, rk_sample_rows(m)), *rows = NULL;
    int pivots = ((const nystrom *)g->spec->self)->by == BY_RPCHOLESKY;
    rkhs_data *some = NULL;
    rk_bound *bound = NULL;
    double *Phi = NULL;
    if (sample < n) {
        TRY(rk_scratch(env, sample, sizeof *rows, &rows));
        TRY(rk_choose_rows(env, RK_STREAM_LANDMARK_SAMPLE, n, sample, rows));
        TRY(rk_data_subset(g->x, rows, sample, &some));
        TRY(rk_bind(env, g->kernel, some, g->bound, &bound));
        rk_log(env, RKHS_LOG_INFO, "landmarks are chosen among %s, drawn at random", rk_counted(sample, "row").text);
    }
    if (pivots) TRY(rk_alloc(env, sample * m, sizeof *Phi, &Phi));
    TRY(pivots ? rk_rpcholesky(g, bound ? bound : g->bound, m, Phi, index, rank)
               : rk_kernel_kmeans(g, bound ? bound : g->bound, m, index, rank));
    for (int64_t i = 0; rows && i < *rank; i++) index[i] = rows[index[i]];
    if (all_rows && !rows) *all_rows = Phi, Phi = NULL;
done:
    rk_free(env, Phi);
    rk_unbind(env, bound);
    rkhs_data_free(some);
    rk_scratch_release(env, mark);
    return status;
}

/* Pivoted Cholesky factorisation of K_SS (A, m x m). Finds the rank and sorts the landmarks by their pivots, largest
 * first; order[i] is the row of A that belongs to landmark i. */
static rkhs_status pivoted_cholesky(const rk_gram *g, int64_t m, double *A, double largest, int64_t *index, int64_t *order,
                                    int64_t *rank) {
    rkhs_status status = RKHS_OK;
    int64_t *before;
    TRY(rk_scratch(g->env, m, sizeof *before, &before));
    memcpy(before, index, (size_t)m * sizeof *index);
    TRY(rk_pivoted_tile(g->env, "landmarks", m, A, m, EXPLAINED * largest, order, rank));
    for (int64_t i = 0; i < m; i++) index[i] = before[order[i]];
    for (int64_t i = *rank; i < m; i++) TRY(rk_check_residual(g, A[order[i] * (m + 1)], largest));
done:
    return status;
}

/* ---- features of landmarks ------------------------------------------------------------------------------------- */

/* Makes the landmarks at `index` the objects of the features, the kernel bound to them. `root`: as the reference of
 * later bindings, for a kernel whose values depend on them (center). */
static rkhs_status bind_landmarks(rk_gram *g, const int64_t *index, int64_t m, int root) {
    rkhs_status status = RKHS_OK;
    rk_features *f = g->features;
    if (root) { /* bound to what was the root before */
        rk_unbind(g->env, g->bound);
        g->bound = NULL;
    }
    rk_unbind(g->env, f->bound);
    rkhs_data_free(f->objects);
    f->bound = NULL;
    f->objects = NULL;
    TRY(rk_data_subset(g->x, index, m, &f->objects));
    TRY(rk_bind(g->env, g->kernel, f->objects, root ? NULL : g->bound, &f->bound));
    f->width = m;
done:
    return status;
}

/* Stores L: the lower triangle of the rows and columns of A at `order`. */
static rkhs_status keep_triangle(rk_gram *g, const double *A, int64_t ld, const int64_t *order, int64_t rank) {
    rk_features *f = g->features;
    rkhs_status status = rk_alloc(g->env, f->width * rank, sizeof *f->L, &f->L);
    for (int64_t i = 0; status == RKHS_OK && i < rank; i++)
        for (int64_t j = 0; j <= i; j++) f->L[i * rank + j] = A[order[i] * ld + order[j]];
    f->rank = rank;
    return status;
}

/* Factorises the landmarks' Gram in A (m x m) and finds its rank. Where it is below m, landmarks are sorted by their
 * pivots, and order[i] is the row of A of landmark i. `spare`: how many may be left out at the end before pivoting is
 * tried, since a centred kernel has a rank one below the number of landmarks. */
static rkhs_status factor_landmarks(rk_gram *g, int64_t m, int spare, double *A, int64_t *index, int64_t *order,
                                    int64_t *rank) {
    rkhs_status status = RKHS_OK;
    double largest = 0;
    for (*rank = m; *rank > 0 && *rank >= m - spare; --*rank) {
        int64_t bad;
        double sum = 0;
        TRY(rk_gram_symmetric(g->env, g->features->bound, A, m));
        for (int64_t i = 0; i < m; i++) largest = fmax(largest, A[i * m + i]), sum += A[i * m + i];
        TRY(rk_gram_check_finite(g, sum));
        TRY(rk_cholesky(g->env, "landmarks", *rank, A, m, &bad));
        for (int64_t i = 0; i < *rank && bad < 0; i++)
            if (A[i * m + i] * A[i * m + i] < EXPLAINED * largest) bad = i;
        if (bad < 0) return RKHS_OK;
    }
    TRY(rk_gram_symmetric(g->env, g->features->bound, A, m));
    TRY(pivoted_cholesky(g, m, A, largest, index, order, rank));
    if (*rank < 1) FAIL(g->env, RKHS_ERR_NUMERIC, "no landmark has k(x,x) above 0: choose another kernel or other landmarks");
done:
    return status;
}

/* Features by the landmarks at `index`. Those that the others explain are dropped, unless the kernel's values depend on
 * all of them (`root`). */
static rkhs_status build_on_landmarks(rk_gram *g, int64_t *index, int64_t m, int root) {
    rkhs_status status = RKHS_OK;
    double *A;
    int64_t rank, *order;
    TRY(rk_scratch(g->env, m * m, sizeof *A, &A));
    TRY(rk_scratch(g->env, m, sizeof *order, &order));
    for (int64_t i = 0; i < m; i++) order[i] = i;
    TRY(bind_landmarks(g, index, m, root));
    TRY(factor_landmarks(g, m, root, A, index, order, &rank));
    if (rank < m) TRY(bind_landmarks(g, index, root ? m : rank, root)); /* in the order of the pivots */
    TRY(keep_triangle(g, A, m, order, rank));
done:
    return status;
}

/* Landmarks that are drawn: the factor of all objects, where it was computed, is Phi. */
static rkhs_status build_drawn(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    int64_t rank, *order;
    TRY(draw(g, m, index, &rank, &g->Phi));
    if (!g->Phi) return build_on_landmarks(g, index, rank, 0);
    g->ldp = m;
    TRY(rk_scratch(g->env, rank, sizeof *order, &order));
    for (int64_t i = 0; i < rank; i++) order[i] = i;
    TRY(bind_landmarks(g, index, rank, 0));
    TRY(rk_alloc(g->env, rank * rank, sizeof *g->features->L, &g->features->L));
    g->features->rank = rank;
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j <= i; j++) g->features->L[i * rank + j] = g->Phi[index[i] * m + j];
done:
    return status;
}

/* Chooses landmarks for a kernel whose values depend on them (center). Until they are known, it refers to m objects
 * chosen uniformly. If fewer than m explain everything, some of these fill up the list. */
static rkhs_status draw_referred(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    int64_t *first, rank;
    char *taken;
    TRY(rk_scratch(g->env, m, sizeof *first, &first));
    TRY(rk_scratch(g->env, g->n, 1, &taken));
    TRY(rk_choose_rows(g->env, RK_STREAM_LANDMARK, g->n, m, first));
    TRY(bind_landmarks(g, first, m, 1));
    TRY(rk_bind(g->env, g->kernel, g->x, g->features->bound, &g->bound));
    TRY(draw(g, m, index, &rank, NULL));
    for (int64_t i = 0; i < rank; i++) taken[index[i]] = 1;
    for (int64_t i = rank, next = 0; i < m; next++)
        if (!taken[first[next]]) index[i++] = first[next];
done:
    return status;
}

/* A kernel whose values depend on the landmarks: new objects are compared by the same kernel, and L has rows of all. */
static rkhs_status build_referred(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    rk_features *f = g->features;
    double *rest;
    TRY(build_on_landmarks(g, index, m, 1));
    TRY(rk_bind(g->env, g->kernel, g->x, f->bound, &g->bound));
    int64_t rank = f->rank;
    TRY(rk_scratch(g->env, m * m, sizeof *rest, &rest));
    if (rank < m) TRY(rk_features_rows(g->env, NULL, f, f->bound, rank, m - rank, rest, m));
    for (int64_t i = rank; i < m; i++) memcpy(f->L + i * rank, rest + (i - rank) * m, (size_t)rank * sizeof *f->L);
done:
    return status;
}

/* The landmarks of by=given and by=uniform; for the others, room for m of them. */
static rkhs_status listed(rk_gram *g, const nystrom *s, int64_t m, int64_t **index, int64_t *count) {
    if (s->by == BY_GIVEN) {
        if (!s->rows) return rk_fail(g->env, RKHS_ERR_SPEC, "nystrom(by=given) needs rows=, as in rows=[0:50,7]");
        return rk_parse_indices(g->env, "nystrom: rows", s->rows, g->n, index, count);
    }
    *count = m;
    rkhs_status status = rk_scratch(g->env, m, sizeof **index, index);
    if (status == RKHS_OK && s->by == BY_UNIFORM) status = rk_choose_rows(g->env, RK_STREAM_LANDMARK, g->n, m, *index);
    return status;
}

static rkhs_status build_nystrom(rk_gram *g) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    const nystrom *s = g->spec->self;
    int64_t m = rk_min(s->landmarks, g->n), *index, count;
    int referred = rk_kernel_any_has(g->kernel, RK_REFERENCE), drawn = s->by == BY_RPCHOLESKY || s->by == BY_KMEANS;
    char what[128];
    if (s->rows && s->by != BY_GIVEN) FAIL(g->env, RKHS_ERR_SPEC, "nystrom: rows= is only for by=given");
    TRY(rk_alloc(g->env, 1, sizeof *g->features, &g->features));
    TRY(listed(g, s, m, &index, &count));
    snprintf(what, sizeof what, "nystrom with %s on %s", rk_counted(count, "landmark").text, rk_counted(g->n, "object").text);
    TRY(rk_set_subject(
        g->env, "gram",
        rk_require_memory(g->env, 8.0 * (double)count * ((double)rk_min(g->n, rk_sample_rows(count)) + 2.0 * (double)count),
                          what, "choose fewer landmarks, or raise the memory limit")));
    if (!referred) {
        TRY(drawn ? build_drawn(g, index, m) : build_on_landmarks(g, index, count, 0));
    } else {
        if (drawn) TRY(draw_referred(g, index, count));
        TRY(build_referred(g, index, count));
    }
    g->rank = g->features->rank;
    g->map_count = g->kept = g->features->width;
    if (g->map_count < count)
        rk_log(g->env, RKHS_LOG_INFO, "%lld of %s explain everything; the others were dropped", (long long)g->map_count,
               rk_counted(count, "landmark").text);
    TRY(rk_alloc(g->env, g->map_count, sizeof *g->map_rows, &g->map_rows));
    memcpy(g->map_rows, index, (size_t)g->map_count * sizeof *index);
    if (g->n <= rk_sample_rows(count)) TRY(rk_gram_store_features(g));
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* clang-format off */
const rk_gram_type rk_gram_nystrom = {
    .entry = {.name = "nystrom",
              .brief = "Nystrom approximation of the Gram matrix by m landmarks; the model keeps only these",
              .formula = "K_nS K_SS^-1 K_Sn",
              .where = "K_nS: the kernel values of all n objects with the landmarks S; K_SS: of the landmarks with each other",
              .cost = "2 n m kernel values and 2 n m^2 flops; memory for at most s = max(10000, 10 m) rows of m numbers; by=kmeans: s^2 kernel values a round, of 4 at most",
              .params = params,
              .size = sizeof(nystrom)},
    .offers = RK_FEATURES | RK_LANDMARKS, .build = build_nystrom,
};
/* clang-format on */
