/* lanczos.c: eigensolver for the k largest eigenpairs of a symmetric operator A: block Lanczos with thick restart.
 *
 * V spans a Krylov space in orthonormal blocks, T = V'A V, and A V = V T + Q S', where Q is the next block and S is
 * zero except for its last rows. Ritz pairs (t, V y) come from T; their residual |S'y| needs no product. When V is
 * full the best Ritz vectors are kept, and the space grows again from Q: Wu and Simon, "Thick-restart Lanczos", SIAM
 * J. Matrix Anal. 22, 2000. Every block is orthogonalised twice against all of V. Blocks find repeated eigenvalues.
 * They also read a stored Gram once for b vectors, and reading it dominates the cost.
 *
 * Ritz pairs of a large T cost more than a product: they are then computed only when V is full.
 *
 * A block that depends linearly on V (low rank) is filled up with random vectors. The recurrence stays exact: the
 * missing part of S is 0. */
#include "opt/opt.h"

#include <string.h>

enum { CHEAP = 256 }; /* up to this size of T, Ritz pairs are computed after every product */

typedef struct lanczos {
    double tol;
    int64_t max_iter, block;
} lanczos;

/* clang-format off */
static const rk_param params[] = {
    {.name = "tol", .kind = RK_REAL, .offset = offsetof(lanczos, tol), .value = "1e-12", .max = 1, .min_excluded = 1,
     .brief = "tolerance: stop when every residual |A w - l w| is below tol times the largest l"},
    RK_PARAM_MAX_ITER(lanczos, "1000", 1, "maximum number of products of the matrix with a block; more where dim needs them"),
    {.name = "block", .kind = RK_INT, .offset = offsetof(lanczos, block), .value = "0", .max = 256,
     .brief = "number of vectors in a block; 0: by the number of eigenpairs"},
    {.name = NULL},
};
/* clang-format on */

typedef struct state {
    int64_t n, b, room; /* size; columns of a block; most columns of V */
    int64_t j;          /* columns of V */
    int64_t drawn;      /* random vectors used */
    int64_t percent;    /* progress towards the tolerance, as last shown */
    double *V;          /* n x room, row-major */
    double *T;          /* room x room */
    double *S;          /* b x b, the last rows of S' as R of Q R */
    double *w, *Y;      /* Ritz values, wanted first, and vectors as rows: room, room x room */
    double *Q;          /* n x b */
    double scale;       /* the largest |Ritz value| when last computed */
    int again;          /* the search was restarted from a random block */
    double *found;      /* the wanted values at that restart: room */
} state;

/* Fills column c of an n x ld matrix with random numbers. */
static void random_column(const rk_solver_problem *p, state *s, double *X, int64_t ld, int64_t c) {
    for (int64_t i = 0; i < s->n; i++)
        X[i * ld + c] = rk_normal(p->env->seed, RK_STREAM_START, (uint64_t)i, (uint64_t)s->drawn);
    s->drawn++;
}

static double column_dot(const double *X, int64_t ld, int64_t a, int64_t b, int64_t n) {
    double dot;
    rk_column_dots(n, 1, X + a, ld, X + b, ld, &dot);
    return dot;
}

/* Q -= V (V'Q), twice; adds the coefficients to C (j x b) if given. */
static rkhs_status project_out(rk_solver_problem *p, state *s, double *C) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    double *D;
    TRY(rk_scratch(p->env, s->j * s->b, sizeof *D, &D));
    for (int pass = 0; pass < 2; pass++) {
        TRY(rk_tall_product(p->env, s->n, s->j, s->b, s->V, s->room, s->Q, s->b, D, s->b));
        TRY(rk_gemm(p->env, NULL, 'n', 'n', s->n, s->b, s->j, -1.0, s->V, s->room, D, s->b, 1.0, s->Q, s->b));
        for (int64_t i = 0; C && i < s->j * s->b; i++) C[i] += D[i];
    }
done:
    rk_scratch_release(p->env, mark);
    return status;
}

/* Orthogonalises column c of Q against the columns before it; adds the coefficients to R if given. */
static void against_block(state *s, int64_t c, double *R) {
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t a = 0; a < c; a++) {
            double r = column_dot(s->Q, s->b, a, c, s->n);
            for (int64_t i = 0; i < s->n; i++) s->Q[i * s->b + c] -= r * s->Q[i * s->b + a];
            if (R) R[a * s->b + c] += r;
        }
    }
}

/* QR factorisation of Q in place, R in S. A column below `floor` becomes a random one, orthogonal to all, with a zero
 * in R. A column that shrinks much loses its orthogonality to V: then Q is orthogonalised again; R stays. */
static rkhs_status orthonormalise(rk_solver_problem *p, state *s, double floor) {
    rkhs_status status = RKHS_OK;
    int64_t b = s->b;
    int again = 0;
    memset(s->S, 0, (size_t)(b * b) * sizeof *s->S);
    for (int64_t c = 0; c < b; c++) {
        double before = sqrt(column_dot(s->Q, b, c, c, s->n));
        against_block(s, c, s->S);
        double norm = sqrt(column_dot(s->Q, b, c, c, s->n));
        again |= !(norm > 0.1 * before);
        if (norm > floor) {
            s->S[c * b + c] = norm;
        } else {
            again = 1;
            random_column(p, s, s->Q, b, c);
            against_block(s, c, NULL);
            norm = sqrt(column_dot(s->Q, b, c, c, s->n));
        }
        for (int64_t i = 0; i < s->n; i++) s->Q[i * b + c] /= norm;
    }
    if (again && s->j) {
        TRY(project_out(p, s, NULL));
        for (int64_t c = 0; c < b; c++) {
            against_block(s, c, NULL);
            double norm = sqrt(column_dot(s->Q, b, c, c, s->n));
            for (int64_t i = 0; i < s->n; i++) s->Q[i * b + c] /= norm;
        }
    }
done:
    return status;
}

/* Appends Q to V. */
static void append(state *s) {
    for (int64_t i = 0; i < s->n; i++) memcpy(s->V + i * s->room + s->j, s->Q + i * s->b, (size_t)s->b * sizeof *s->V);
    s->j += s->b;
}

static void release_lanczos(rk_solver_problem *p, void *state_) {
    state *s = state_;
    double *const all[] = {s->V, s->T, s->S, s->w, s->Y, s->Q, s->found};
    for (int i = 0; i < 7; i++) rk_free(p->env, all[i]);
    rk_free(p->env, s);
}

static rkhs_status start_lanczos(rk_solver_problem *p, const void *self, void **out) {
    rkhs_status status = RKHS_OK;
    const lanczos *o = self;
    state *s;
    TRY(rk_alloc(p->env, 1, sizeof *s, &s));
    *out = s;
    s->n = p->size;
    s->b = o->block ? o->block : rk_max(4, rk_min(p->k, 16));
    s->room = rk_max(2 * p->k + 2 * s->b, p->k + 8 * s->b) / s->b * s->b;
    if (s->room + s->b > s->n) s->b = s->room = s->n; /* V would be nearly the whole space: take all of it */
    TRY(rk_alloc(p->env, s->n * s->room, sizeof *s->V, &s->V));
    TRY(rk_alloc(p->env, s->room * s->room, sizeof *s->T, &s->T));
    TRY(rk_alloc(p->env, s->b * s->b, sizeof *s->S, &s->S));
    TRY(rk_alloc(p->env, s->room, sizeof *s->w, &s->w));
    TRY(rk_alloc(p->env, s->room, sizeof *s->found, &s->found));
    TRY(rk_alloc(p->env, s->room * s->room, sizeof *s->Y, &s->Y));
    TRY(rk_alloc(p->env, s->n * s->b, sizeof *s->Q, &s->Q));
    if (s->b == s->n) {
        for (int64_t i = 0; i < s->n; i++) s->V[i * s->n + i] = 1;
        s->j = s->n;
        goto done;
    }
    for (int64_t c = 0; c < s->b; c++) random_column(p, s, s->Q, s->b, c);
    TRY(orthonormalise(p, s, 0));
    append(s);
done:
    return status;
}

/* Ritz pairs of T, wanted first. */
static rkhs_status ritz(rk_solver_problem *p, state *s) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    int64_t j = s->j;
    double *A, *w, *Y;
    TRY(rk_scratch(p->env, j * j, sizeof *A, &A));
    TRY(rk_scratch(p->env, j, sizeof *w, &w));
    TRY(rk_scratch(p->env, j * j, sizeof *Y, &Y));
    for (int64_t r = 0; r < j; r++) memcpy(A + r * j, s->T + r * s->room, (size_t)j * sizeof *A);
    TRY(rk_eigen(p->env, j, A, j, 0, j - 1, w, Y));
    for (int64_t c = 0, low = 0, high = j - 1; c < j; c++) {
        int64_t from = p->by_magnitude && fabs(w[low]) > fabs(w[high]) ? low++ : high--;
        s->w[c] = w[from];
        memcpy(s->Y + c * s->room, Y + from * j, (size_t)j * sizeof *Y);
    }
done:
    rk_scratch_release(p->env, mark);
    return status;
}

/* |A v - t v| of Ritz pair c, from the last rows of its y. */
static double ritz_residual(const state *s, int64_t c) {
    if (s->j >= s->n) return 0; /* V is the whole space */
    const double *y = s->Y + c * s->room + s->j - s->b;
    double sum = 0;
    for (int64_t r = 0; r < s->b; r++) {
        double v = 0;
        for (int64_t q = r; q < s->b; q++) v += s->S[r * s->b + q] * y[q];
        sum += v * v;
    }
    return sqrt(sum);
}

/* Thick restart: V becomes the first `keep` Ritz vectors, T their diagonal. */
static rkhs_status restart(rk_solver_problem *p, state *s, int64_t keep) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    double *X;
    TRY(rk_scratch(p->env, s->n * keep, sizeof *X, &X));
    TRY(rk_gemm(p->env, NULL, 'n', 't', s->n, keep, s->j, 1.0, s->V, s->room, s->Y, s->room, 0.0, X, keep));
    for (int64_t i = 0; i < s->n; i++) memcpy(s->V + i * s->room, X + i * keep, (size_t)keep * sizeof *X);
    memset(s->T, 0, (size_t)(s->room * s->room) * sizeof *s->T);
    for (int64_t c = 0; c < keep; c++) s->T[c * s->room + c] = s->w[c];
    s->j = keep;
done:
    rk_scratch_release(p->env, mark);
    return status;
}

/* Q = A times the last block of V, made orthogonal to V; T gets its new columns. */
static rkhs_status expand(rk_solver_problem *p, state *s) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(p->env);
    int64_t first = s->j - s->b;
    double *last, *C;
    if (s->b == s->n) { /* V = I */
        TRY(p->a.apply(p->a.context, p->env, s->V, s->n, s->Q));
        p->products += s->n;
        for (int64_t r = 0; r < s->n; r++)
            for (int64_t c = 0; c < s->n; c++) s->T[r * s->n + c] = (s->Q[r * s->n + c] + s->Q[c * s->n + r]) / 2;
        goto done;
    }
    TRY(rk_scratch(p->env, s->n * s->b, sizeof *last, &last));
    TRY(rk_scratch(p->env, s->j * s->b, sizeof *C, &C));
    memset(C, 0, (size_t)(s->j * s->b) * sizeof *C);
    for (int64_t i = 0; i < s->n; i++) memcpy(last + i * s->b, s->V + i * s->room + first, (size_t)s->b * sizeof *last);
    TRY(p->a.apply(p->a.context, p->env, last, s->b, s->Q));
    p->products += s->b;
    TRY(project_out(p, s, C));
    for (int64_t r = 0; r < s->j; r++)
        for (int64_t c = 0; c < s->b; c++) s->T[r * s->room + first + c] = s->T[(first + c) * s->room + r] = C[r * s->b + c];
    /* Within the block T is symmetric up to rounding: make it so. */
    for (int64_t r = 0; r < s->b; r++)
        for (int64_t c = 0; c < r; c++) {
            double v = (C[(first + r) * s->b + c] + C[(first + c) * s->b + r]) / 2;
            s->T[(first + r) * s->room + first + c] = s->T[(first + c) * s->room + first + r] = v;
        }
done:
    rk_scratch_release(p->env, mark);
    return status;
}

/* Progress of the worst wanted pair from a residual of 1 to the tolerance, on a log scale; never falls. */
static int64_t percent_done(const rk_solver_problem *p, state *s, double tol, double scale) {
    double worst = 0;
    for (int64_t c = 0; c < rk_min(p->k, s->j); c++) worst = fmax(worst, p->residuals[c] / scale);
    double share = p->k > s->j ? 0 : worst <= tol ? 1 : log(worst) / log(tol);
    int64_t percent = share > 0 ? (int64_t)(100 * share) : 0;
    if (percent > s->percent) s->percent = rk_min(percent, 100);
    return s->percent;
}

/* Restarts from the wanted pairs and a random block, to find pairs that were missed. */
static rkhs_status search_missed(rk_solver_problem *p, state *s) {
    rkhs_status status = RKHS_OK;
    memcpy(s->found, s->w, (size_t)p->k * sizeof *s->w);
    s->again = 1;
    TRY(restart(p, s, p->k));
    for (int64_t c = 0; c < s->b; c++) random_column(p, s, s->Q, s->b, c);
    TRY(project_out(p, s, NULL));
    TRY(orthonormalise(p, s, 0));
done:
    return status;
}

/* Whether wanted values changed since the last random block. */
static int changed(const rk_solver_problem *p, const state *s, double scale) {
    for (int64_t c = 0; c < p->k; c++) {
        double by = p->by_magnitude ? fabs(s->w[c]) - fabs(s->found[c]) : s->w[c] - s->found[c];
        if (fabs(by) > 1e-8 * scale) return 1;
    }
    return 0;
}

/* Whether converged pairs are the wanted ones: no change since the last random block, and the next pair is known. */
static int nothing_missed(const rk_solver_problem *p, const state *s, double scale) {
    if (p->k <= s->b) return 1;
    return s->again && s->j > p->k && !changed(p, s, scale) && ritz_residual(s, p->k) <= 1e-4 * scale;
}

/* Whether to compute Ritz pairs now. */
static int is_due(const rk_solver_problem *p, const state *s, const lanczos *o) {
    return s->j <= CHEAP || s->j + s->b > s->room || s->j >= s->n || p->iterations >= o->max_iter;
}

static rkhs_status step_lanczos(rk_solver_problem *p, const void *self, void *state_, int *done) {
    rkhs_status status = RKHS_OK;
    const lanczos *o = self;
    state *s = state_;
    TRY(expand(p, s));
    p->iterations++;
    int due = is_due(p, s, o);
    if (due) {
        TRY(ritz(p, s));
        s->scale = fmax(fabs(s->w[0]), fabs(s->w[s->j - 1]));
    }
    double scale = s->scale;
    if (s->j < s->n) TRY(orthonormalise(p, s, 1e-14 * scale));
    if (!due) {
        append(s);
        TRY(rk_progress(p->env, "eigenvectors", s->percent, 100));
        goto done;
    }
    int64_t good = 0, wanted = rk_min(p->k, s->j);
    while (good < wanted && ritz_residual(s, good) <= o->tol * scale) good++;
    for (int64_t c = 0; c < wanted; c++) p->residuals[c] = ritz_residual(s, c);
    p->converged = (good == p->k && nothing_missed(p, s, scale)) || s->j >= s->n;
    *done = p->converged || (p->iterations >= o->max_iter && s->j >= p->k); /* finish needs k pairs, converged or not */
    TRY(rk_progress(p->env, "eigenvectors", percent_done(p, s, o->tol, scale), 100));
    if (*done) goto done;
    if (good == p->k && (!s->again || changed(p, s, scale))) {
        TRY(search_missed(p, s));
    } else if (s->j + s->b > s->room) {
        TRY(restart(p, s, rk_min(s->room - s->b, p->k + (s->room - p->k) / 3)));
    }
    append(s);
done:
    return status;
}

static rkhs_status finish_lanczos(rk_solver_problem *p, const void *self, void *state_) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    int64_t k = p->k;
    if (s->j < k) FAIL(p->env, RKHS_ERR_BUG, "lanczos was finished before its first %lld products", (long long)k);
    memcpy(p->values, s->w, (size_t)k * sizeof *s->w);
    TRY(rk_gemm(p->env, NULL, 'n', 't', s->n, k, s->j, 1.0, s->V, s->room, s->Y, s->room, 0.0, p->x, k));
    /* After a random block |S'y| is no longer the residual. */
    if (s->again) TRY(rk_true_residuals(p));
done:
    return status;
}

static rkhs_status save_lanczos(rk_solver_problem *p, const void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    const state *s = state_;
    TRY(rk_archive_put(archive, "lanczos/V", &(rk_array){'d', 2, {s->n, s->room}, s->V}));
    TRY(rk_archive_put(archive, "lanczos/T", &(rk_array){'d', 2, {s->room, s->room}, s->T}));
    TRY(rk_archive_put_int(archive, "lanczos/columns", s->j));
    TRY(rk_archive_put(archive, "lanczos/found", &(rk_array){'d', 1, {s->room}, s->found}));
    TRY(rk_archive_put_int(archive, "lanczos/again", s->again));
    TRY(rk_archive_put_real(archive, "lanczos/scale", s->scale));
    TRY(rk_archive_put_int(archive, "lanczos/drawn", s->drawn));
    TRY(rk_archive_put_int(archive, "lanczos/iterations", p->iterations));
    TRY(rk_archive_put_int(archive, "lanczos/products", p->products));
done:
    return status;
}

static rkhs_status load_lanczos(rk_solver_problem *p, void *state_, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    state *s = state_;
    rk_array V, T, found;
    int64_t j, again;
    TRY(rk_archive_get(archive, "lanczos/V", 'd', 2, &V));
    TRY(rk_archive_get(archive, "lanczos/T", 'd', 2, &T));
    TRY(rk_archive_get(archive, "lanczos/found", 'd', 1, &found));
    TRY(rk_archive_get_int(archive, "lanczos/columns", &j));
    TRY(rk_archive_get_int(archive, "lanczos/again", &again));
    if (found.shape[0] != s->room || V.shape[0] != s->n || V.shape[1] != s->room || T.shape[0] != s->room ||
        T.shape[1] != s->room || j < s->b || j > s->room)
        FAIL(p->env, RKHS_ERR_FORMAT, "the saved state belongs to another problem");
    memcpy(s->V, V.data, (size_t)(s->n * s->room) * sizeof *s->V);
    memcpy(s->T, T.data, (size_t)(s->room * s->room) * sizeof *s->T);
    memcpy(s->found, found.data, (size_t)s->room * sizeof *s->found);
    s->j = j;
    s->again = again != 0;
    TRY(rk_archive_get_real(archive, "lanczos/scale", &s->scale));
    TRY(rk_archive_get_int(archive, "lanczos/drawn", &s->drawn));
    TRY(rk_archive_get_int(archive, "lanczos/iterations", &p->iterations));
    TRY(rk_archive_get_int(archive, "lanczos/products", &p->products));
done:
    return status;
}

/* clang-format off */
const rk_solver_type rk_eigensolver_lanczos = {
    .entry = {.name = "lanczos", .brief = "the largest eigenpairs by block Lanczos with thick restart",
              .cost = "some ten passes over the matrix", .params = params, .size = sizeof(lanczos)},
    .shape = RK_SHAPE_SPECTRAL, .start = start_lanczos, .step = step_lanczos, .finish = finish_lanczos,
    .state_save = save_lanczos, .state_load = load_lanczos, .release = release_lanczos,
};
/* clang-format on */
