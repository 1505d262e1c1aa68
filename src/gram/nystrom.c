/* nystrom.c: the Nystrom approximation of the Gram matrix K by m landmarks S.
 *
 *     K ~ K_nS K_SS^-1 K_Sn = Phi Phi',   Phi = K_nS L^-T,   K_SS = L L',   K_nS: k(object, landmark)
 *
 * by=rpcholesky draws landmarks by randomly pivoted Cholesky: each with probability proportional to its residual, the
 * part of k(x,x) that earlier landmarks leave unexplained (Chen, Epperly, Tropp, Webber, "Randomly pivoted Cholesky",
 * 2022). Drawing in blocks with rejection has the same distribution at the speed of a matrix product (Epperly, Tropp,
 * Webber, "Embrace rejection", 2024). This takes (m+1) n kernel values, O(n m^2) flops and n m numbers. by=uniform
 * costs the same and explains less. Landmarks with a relative residual below 1e-12 are dropped, to keep L well
 * conditioned: the rank is then below m. */
#include "gram/gram.h"

#include <stdio.h>
#include <string.h>

enum { BY_RPCHOLESKY, BY_UNIFORM, BY_GIVEN, BLOCK = 64 };
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
     .choices = "rpcholesky|uniform|given",
     .brief = "choice of the landmarks: randomly pivoted Cholesky, uniform at random, or the given rows"},
    {.name = "rows", .kind = RK_LIST, .offset = offsetof(nystrom, rows),
     .brief = "with by=given: the rows of the landmarks, counted from 0, as in [0:50,7]"},
    {.name = NULL},
};
/* clang-format on */

typedef struct factor {
    double *Phi; /* n x ld, of which the first rank columns count */
    int64_t ld;
    double *L; /* kept x rank: rows of Phi at the landmarks; the first rank rows are a lower triangle */
} factor;

/* Binds the kernel to the rows of x at `index`, for comparison with x. The caller frees both results. */
static rkhs_status bind_rows(const rk_gram *g, const int64_t *index, int64_t count, rkhs_data **rows, rk_bound **bound) {
    rkhs_status status = rk_data_subset(g->x, index, count, rows);
    return status == RKHS_OK ? rk_bind(g->env, g->kernel, *rows, g->bound, bound) : status;
}

/* out (n x count, rows ld apart) = k(x, x[index]). */
static rkhs_status columns(const rk_gram *g, const char *stage, const int64_t *index, int64_t count, double *out, int64_t ld) {
    rkhs_data *rows = NULL;
    rk_bound *bound = NULL;
    rkhs_status status = bind_rows(g, index, count, &rows, &bound);
    if (status == RKHS_OK) status = rk_gram_cross(g->env, stage, g->bound, bound, out, ld);
    rk_unbind(g->env, bound);
    rkhs_data_free(rows);
    return status;
}

/* out (count x count) = k(x[index], x[index]). */
static rkhs_status square(const rk_gram *g, const int64_t *index, int64_t count, double *out, int64_t ld) {
    rkhs_data *rows = NULL;
    rk_bound *bound = NULL;
    rkhs_status status = bind_rows(g, index, count, &rows, &bound);
    if (status == RKHS_OK) status = rk_gram_symmetric(g->env, bound, out, ld);
    rk_unbind(g->env, bound);
    rkhs_data_free(rows);
    return status;
}

/* Refuses a negative residual: if the Gram is positive semi-definite, there is none but for rounding. */
static rkhs_status check_left(const rk_gram *g, double left, double diag) {
    if (left >= -1e-8 * fabs(diag)) return RKHS_OK;
    return rk_fail(
        g->env, RKHS_ERR_NUMERIC,
        "the Gram is not positive semi-definite: landmarks leave %.3g of k(x,x) = %.3g: use gram=exact, which can clip or "
        "flip its negative eigenvalues",
        left, diag);
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
    for (int64_t i = *rank; i < m; i++) TRY(check_left(g, A[order[i] * (m + 1)], largest));
done:
    return status;
}

/* Stores L: the lower triangle of the rows and columns of A at `order`. */
static rkhs_status keep_triangle(rk_gram *g, const double *A, int64_t ld, const int64_t *order, int64_t rank) {
    factor *f = g->self;
    rkhs_status status = rk_alloc(g->env, rank * rank, sizeof *f->L, &f->L);
    for (int64_t i = 0; status == RKHS_OK && i < rank; i++)
        for (int64_t j = 0; j <= i; j++) f->L[i * rank + j] = A[order[i] * ld + order[j]];
    return status;
}

/* Landmarks that are chosen beforehand: factorise K_SS, then Phi = K_nS L^-T. */
static rkhs_status build_on_landmarks(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    factor *f = g->self;
    double *A, largest = 0, sum = 0;
    int64_t bad, rank = m, *order;
    TRY(rk_scratch(g->env, m * m, sizeof *A, &A));
    TRY(rk_scratch(g->env, m, sizeof *order, &order));
    for (int64_t i = 0; i < m; i++) order[i] = i;
    TRY(square(g, index, m, A, m));
    for (int64_t i = 0; i < m; i++) largest = fmax(largest, A[i * m + i]), sum += A[i * m + i];
    TRY(rk_gram_check_finite(g, sum));
    TRY(rk_cholesky(g->env, "landmarks", m, A, m, &bad));
    for (int64_t i = 0; i < m && bad < 0; i++)
        if (A[i * m + i] * A[i * m + i] < EXPLAINED * largest) bad = i;
    if (bad >= 0) {
        TRY(square(g, index, m, A, m));
        TRY(pivoted_cholesky(g, m, A, largest, index, order, &rank));
    }
    if (rank < 1) FAIL(g->env, RKHS_ERR_NUMERIC, "no landmark has k(x,x) above 0: choose another kernel or other landmarks");
    TRY(keep_triangle(g, A, m, order, rank));
    TRY(rk_alloc(g->env, g->n * rank, sizeof *f->Phi, &f->Phi));
    f->ld = rank;
    TRY(columns(g, "gram", index, rank, f->Phi, rank));
    TRY(rk_trsm_right(g->env, NULL, g->n, rank, f->L, rank, f->Phi, rank));
    g->rank = rank;
done:
    return status;
}

/* Draws `count` rows with probability proportional to their residuals; `sums`: the running sums of these. */
static void draw(rkhs_env *env, const double *sums, int64_t n, int64_t round, int64_t count, int64_t *out) {
    for (int64_t q = 0; q < count; q++) {
        double u = rk_uniform(env->seed, RK_STREAM_LANDMARK, (uint64_t)round, (uint64_t)q) * sums[n - 1];
        int64_t low = 0, high = n - 1; /* the first row whose sum exceeds u; never one of residual 0 */
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (sums[middle] > u)
                high = middle;
            else
                low = middle + 1;
        }
        out[q] = low;
    }
}

/* Goes through the proposed landmarks, whose residual Gram is H (count x count, destroyed). Accepts each with
 * probability (residual given those accepted before) / (residual at the start). `kept` receives positions in
 * `proposal`, L (ld = BLOCK) the Cholesky factor of the accepted part of H. */
static int64_t accept(rkhs_env *env, double *H, int64_t count, const double *diag, const int64_t *proposal, int64_t round,
                      int64_t max_accepted, int64_t *kept, double *L) {
    double first[BLOCK];
    int64_t accepted = 0;
    for (int64_t q = 0; q < count; q++) first[q] = H[q * count + q];
    for (int64_t q = 0; q < count && accepted < max_accepted; q++) {
        double left = H[q * count + q];
        double u = rk_uniform(env->seed, RK_STREAM_LANDMARK, (uint64_t)round, (uint64_t)(BLOCK + q));
        if (!(left > EXPLAINED * diag[proposal[q]]) || u * first[q] >= left) continue;
        double pivot = sqrt(left);
        for (int64_t a = 0; a < accepted; a++) L[accepted * BLOCK + a] = H[q * count + kept[a]]; /* eliminated below */
        L[accepted * BLOCK + accepted] = pivot;
        for (int64_t r = q + 1; r < count; r++) {
            double v = H[r * count + q];
            for (int64_t a = 0; a < accepted; a++) v -= H[r * count + kept[a]] * L[accepted * BLOCK + a];
            v /= pivot;
            H[r * count + q] = v; /* column q now holds the factor's entries of later rows */
            H[r * count + r] -= v * v;
        }
        kept[accepted++] = q;
    }
    return accepted;
}

typedef struct pivots {
    double *d, *diag; /* residuals; k(x,x) */
    double *sums;     /* running sums of the residuals */
    double *rows;     /* BLOCK x m: rows of Phi at the proposals */
    double *H, *L;    /* BLOCK x BLOCK */
    int64_t *index;   /* landmarks so far */
} pivots;

/* One round: propose, accept, extend Phi by the accepted columns, and subtract these from the residuals. */
static rkhs_status extend(rk_gram *g, pivots *p, int64_t m, int64_t round) {
    rkhs_status status = RKHS_OK;
    factor *f = g->self;
    int64_t n = g->n, have = g->rank, count = BLOCK, proposal[BLOCK], kept[BLOCK], chosen[BLOCK];
    draw(g->env, p->sums, n, round, count, proposal);
    TRY(square(g, proposal, count, p->H, count));
    for (int64_t q = 0; q < count; q++) memcpy(p->rows + q * m, f->Phi + proposal[q] * m, (size_t)have * sizeof *p->rows);
    if (have) rk_gemm_tile('n', 't', count, count, have, -1.0, p->rows, m, p->rows, m, 1.0, p->H, count);
    int64_t got = accept(g->env, p->H, count, p->diag, proposal, round, m - have, kept, p->L);
    for (int64_t a = 0; a < got; a++) {
        chosen[a] = proposal[kept[a]];
        memmove(p->rows + a * m, p->rows + kept[a] * m, (size_t)have * sizeof *p->rows);
    }
    if (!got) goto done;
    TRY(columns(g, NULL, chosen, got, f->Phi + have, m));
    if (have) TRY(rk_gemm(g->env, NULL, 'n', 't', n, got, have, -1.0, f->Phi, m, p->rows, m, 1.0, f->Phi + have, m));
    TRY(rk_trsm_right(g->env, NULL, n, got, p->L, BLOCK, f->Phi + have, m));
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t c = have; c < have + got; c++) sum += f->Phi[i * m + c] * f->Phi[i * m + c];
        if (p->d[i] > 0) TRY(check_left(g, p->d[i] - sum, p->diag[i]));
        p->d[i] = fmax(p->d[i] - sum, 0);
        if (p->d[i] < EXPLAINED * p->diag[i]) p->d[i] = 0;
    }
    for (int64_t a = 0; a < got; a++) p->d[chosen[a]] = 0, p->index[have + a] = chosen[a];
    g->rank = have + got;
done:
    return status;
}

/* sums[i] = d[0] + .. + d[i]: those of a tile of rows are added to the sum of the tiles before it. */
static void running_sums(int64_t n, const double *d, double *sums) {
    double before = 0, tile = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i % RK_SUM_ROWS == 0 && i) before = sums[i - 1], tile = 0;
        sums[i] = before + (tile += d[i]);
    }
}

/* Randomly pivoted Cholesky. The selection computes Phi; L are the rows of Phi at the landmarks. */
static rkhs_status build_rpcholesky(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    factor *f = g->self;
    pivots p = {.index = index};
    int64_t n = g->n;
    double trace;
    f->ld = m;
    TRY(rk_alloc(g->env, n * m, sizeof *f->Phi, &f->Phi));
    TRY(rk_scratch(g->env, n, sizeof *p.d, &p.d));
    TRY(rk_scratch(g->env, n, sizeof *p.diag, &p.diag));
    TRY(rk_scratch(g->env, n, sizeof *p.sums, &p.sums));
    TRY(rk_scratch(g->env, BLOCK * m, sizeof *p.rows, &p.rows));
    TRY(rk_scratch(g->env, BLOCK * BLOCK, sizeof *p.H, &p.H));
    TRY(rk_scratch(g->env, BLOCK * BLOCK, sizeof *p.L, &p.L));
    TRY(rk_gram_diag(g, p.diag));
    for (int64_t i = 0; i < n; i++) p.d[i] = fmax(p.diag[i], 0);
    trace = rk_rows_sum(n, 1, p.d);
    TRY(rk_gram_check_finite(g, trace));
    for (int64_t round = 0; g->rank < m && round < 100 + 10 * m; round++) {
        running_sums(n, p.d, p.sums);
        if (!(p.sums[n - 1] > EXPLAINED * trace)) break;
        TRY(extend(g, &p, m, round));
        TRY(rk_progress(g->env, "landmarks", g->rank, m));
    }
    if (g->rank < 1) FAIL(g->env, RKHS_ERR_NUMERIC, "no object has k(x,x) above 0: choose another kernel");
    TRY(rk_alloc(g->env, g->rank * g->rank, sizeof *f->L, &f->L));
    for (int64_t i = 0; i < g->rank; i++)
        for (int64_t j = 0; j <= i; j++) f->L[i * g->rank + j] = f->Phi[index[i] * m + j];
done:
    return status;
}

/* Binds the kernel to the landmarks, as the reference of later bindings. */
static rkhs_status bind_root(rk_gram *g, const int64_t *index, int64_t m) {
    rk_unbind(g->env, g->bound);
    rk_unbind(g->env, g->landmark_bound);
    rkhs_data_free(g->landmarks);
    g->bound = g->landmark_bound = NULL;
    g->landmarks = NULL;
    rkhs_status status = rk_data_subset(g->x, index, m, &g->landmarks);
    return status == RKHS_OK ? rk_bind(g->env, g->kernel, g->landmarks, NULL, &g->landmark_bound) : status;
}

/* Chooses landmarks for a kernel whose values depend on them (center). Until they are known, it refers to m objects
 * chosen uniformly. If fewer than m explain everything, some of these fill up the list. */
static rkhs_status draw_referred(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    factor *f = g->self;
    int64_t *first;
    char *taken;
    TRY(rk_scratch(g->env, m, sizeof *first, &first));
    TRY(rk_scratch(g->env, g->n, 1, &taken));
    TRY(rk_choose_rows(g->env, RK_STREAM_LANDMARK, g->n, m, first));
    TRY(bind_root(g, first, m));
    TRY(rk_bind(g->env, g->kernel, g->x, g->landmark_bound, &g->bound));
    TRY(build_rpcholesky(g, index, m));
    memset(taken, 0, (size_t)g->n);
    for (int64_t i = 0; i < g->rank; i++) taken[index[i]] = 1;
    for (int64_t i = g->rank, next = 0; i < m; next++)
        if (!taken[first[next]]) index[i++] = first[next];
    rk_free(g->env, f->Phi);
    rk_free(g->env, f->L);
    f->Phi = f->L = NULL;
    g->rank = 0;
done:
    return status;
}

/* Factorises the landmarks' Gram in A (m x m) and finds its rank; the first `rank` landmarks are those of the factor.
 * A centred kernel has a rank one below the number of landmarks, so the last is left out before pivoting is tried. */
static rkhs_status factor_root(rk_gram *g, int64_t m, double *A, int64_t *index, int64_t *order, int64_t *rank) {
    rkhs_status status = RKHS_OK;
    double largest = 0;
    for (*rank = m; *rank > 0 && *rank >= m - 1; --*rank) {
        int64_t bad;
        double sum = 0;
        TRY(rk_gram_symmetric(g->env, g->landmark_bound, A, m));
        for (int64_t i = 0; i < m; i++) largest = fmax(largest, A[i * m + i]), sum += A[i * m + i];
        TRY(rk_gram_check_finite(g, sum));
        TRY(rk_cholesky(g->env, "landmarks", *rank, A, m, &bad));
        for (int64_t i = 0; i < *rank && bad < 0; i++)
            if (A[i * m + i] * A[i * m + i] < EXPLAINED * largest) bad = i;
        if (bad < 0) return RKHS_OK;
    }
    TRY(rk_gram_symmetric(g->env, g->landmark_bound, A, m));
    TRY(pivoted_cholesky(g, m, A, largest, index, order, rank));
    TRY(bind_root(g, index, m)); /* in the order of the pivots */
done:
    return status;
}

/* A kernel whose values depend on the landmarks. All landmarks are kept, also those that the others explain, so that
 * new objects are compared by the same kernel. */
static rkhs_status build_referred(rk_gram *g, int64_t *index, int64_t m) {
    rkhs_status status = RKHS_OK;
    factor *f = g->self;
    double *A;
    int64_t rank, *order;
    TRY(rk_scratch(g->env, m * m, sizeof *A, &A));
    TRY(rk_scratch(g->env, m, sizeof *order, &order));
    for (int64_t i = 0; i < m; i++) order[i] = i;
    TRY(bind_root(g, index, m));
    TRY(factor_root(g, m, A, index, order, &rank));
    if (rank < 1) FAIL(g->env, RKHS_ERR_NUMERIC, "no landmark has k(x,x) above 0: choose another kernel or other landmarks");
    TRY(rk_bind(g->env, g->kernel, g->x, g->landmark_bound, &g->bound));
    TRY(rk_alloc(g->env, g->n * m, sizeof *f->Phi, &f->Phi));
    f->ld = m;
    TRY(rk_gram_cross(g->env, "gram", g->bound, g->landmark_bound, f->Phi, m));
    TRY(rk_alloc(g->env, m * rank, sizeof *f->L, &f->L));
    for (int64_t i = 0; i < rank; i++)
        for (int64_t j = 0; j <= i; j++) f->L[i * rank + j] = A[order[i] * m + order[j]];
    TRY(rk_trsm_right(g->env, NULL, g->n, rank, f->L, rank, f->Phi, m));
    for (int64_t i = rank; i < m; i++) memcpy(f->L + i * rank, f->Phi + index[i] * m, (size_t)rank * sizeof *f->L);
    g->rank = rank;
done:
    return status;
}

/* The landmarks of by=given and by=uniform; for by=rpcholesky, room for m of them. */
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
    char what[128];
    factor *f;
    if (s->rows && s->by != BY_GIVEN) FAIL(g->env, RKHS_ERR_SPEC, "nystrom: rows= is only for by=given");
    TRY(rk_alloc(g->env, 1, sizeof *f, &f));
    g->self = f;
    TRY(listed(g, s, m, &index, &count));
    snprintf(what, sizeof what, "nystrom with %s on %s", rk_counted(count, "landmark").text, rk_counted(g->n, "object").text);
    TRY(rk_require_memory(g->env, 8.0 * (double)count * ((double)g->n + 2.0 * (double)count), what,
                          "choose fewer landmarks, or raise the memory limit"));
    if (!rk_kernel_any_has(g->kernel, RK_REFERENCE)) {
        TRY(s->by == BY_RPCHOLESKY ? build_rpcholesky(g, index, m) : build_on_landmarks(g, index, count));
        g->map_count = g->rank;
    } else {
        g->map_count = count;
        if (s->by == BY_RPCHOLESKY) TRY(draw_referred(g, index, count));
        TRY(build_referred(g, index, count));
    }
    if (g->map_count < count)
        rk_log(g->env, RKHS_LOG_INFO, "%lld of %s explain everything; the others were dropped", (long long)g->map_count,
               rk_counted(count, "landmark").text);
    TRY(rk_alloc(g->env, g->map_count, sizeof *g->map_rows, &g->map_rows));
    memcpy(g->map_rows, index, (size_t)g->map_count * sizeof *index);
done:
    rk_scratch_release(g->env, mark);
    return status;
}

static rkhs_status push_nystrom(const rk_gram *g, const double *W, int64_t k, double *Z) {
    const factor *f = g->self;
    return rk_gemm(g->env, NULL, 'n', 'n', g->n, k, g->rank, 1.0, f->Phi, f->ld, W, k, 0.0, Z, k);
}

static rkhs_status pull_nystrom(const rk_gram *g, const double *Z, int64_t k, double *W) {
    const factor *f = g->self;
    return rk_tall_product(g->env, g->n, g->rank, k, f->Phi, f->ld, Z, k, W, k);
}

static rkhs_status mul_nystrom(const rk_gram *g, const double *V, int64_t k, double *out) {
    rk_mark mark = rk_scratch_mark(g->env);
    double *W;
    rkhs_status status = rk_scratch(g->env, g->rank * k, sizeof *W, &W);
    if (status == RKHS_OK) status = pull_nystrom(g, V, k, W);
    if (status == RKHS_OK) status = push_nystrom(g, W, k, out);
    rk_scratch_release(g->env, mark);
    return status;
}

/* B = L^-T W; 0 for landmarks beyond the rank. */
static rkhs_status to_map_nystrom(const rk_gram *g, const double *W, int64_t k, double *B) {
    const factor *f = g->self;
    memset(B + g->rank * k, 0, (size_t)((g->map_count - g->rank) * k) * sizeof *B);
    memcpy(B, W, (size_t)(g->rank * k) * sizeof *B);
    rk_trsm_tile('l', 't', g->rank, k, f->L, g->rank, B, k);
    return RKHS_OK;
}

/* W = L'B, and its transpose B = L W. */
static rkhs_status from_map_nystrom(const rk_gram *g, const double *B, int64_t k, double *W) {
    const factor *f = g->self;
    return rk_gemm(g->env, NULL, 't', 'n', g->rank, k, g->map_count, 1.0, f->L, g->rank, B, k, 0.0, W, k);
}

static rkhs_status from_map_transposed_nystrom(const rk_gram *g, const double *W, int64_t k, double *B) {
    const factor *f = g->self;
    return rk_gemm(g->env, NULL, 'n', 'n', g->map_count, k, g->rank, 1.0, f->L, g->rank, W, k, 0.0, B, k);
}

static rkhs_status neighbours_nystrom(const rk_gram *g, int64_t k, int64_t *index, double *value) {
    return rk_gram_neighbours(g, NULL, k, index, value);
}

static const double *phi_nystrom(const rk_gram *g, int64_t *ld) {
    const factor *f = g->self;
    *ld = f->ld;
    return f->Phi;
}

static void release_nystrom(rk_gram *g) {
    factor *f = g->self;
    rk_free(g->env, f->Phi);
    rk_free(g->env, f->L);
    rk_free(g->env, f);
}

/* clang-format off */
const rk_gram_type rk_gram_nystrom = {
    .entry = {.name = "nystrom",
              .brief = "Nystrom approximation of the Gram matrix by m landmarks; the model keeps only these",
              .formula = "K_nS K_SS^-1 K_Sn",
              .where = "K_nS: the kernel values of all n objects with the landmarks S; K_SS: of the landmarks with each other", .cost = "8 n m bytes, n m^2 flops", .params = params,
              .size = sizeof(nystrom)},
    .form = RK_FORM_FACTOR, .build = build_nystrom, .mul = mul_nystrom, .push = push_nystrom, .pull = pull_nystrom,
    .to_map = to_map_nystrom, .diag = rk_gram_diag, .entries = rk_gram_entries, .neighbours = neighbours_nystrom,
    .from_map = from_map_nystrom, .from_map_transposed = from_map_transposed_nystrom, .phi = phi_nystrom, .release = release_nystrom,
};
/* clang-format on */
