/* krylov.c: eigensolver for Phi'M Phi w = l w with K = Phi Phi', by products with K and M, without a factor.
 *
 * With w = Phi'a the problem is M K a = l a where K is not singular, and M K is symmetric in the inner product <a, b>
 * = a'K b. The Krylov space of M K, with a basis V orthonormal in that product, gives Ritz pairs from T = V'K M K V. Z
 * = K a needs no inverse. The space grows by the residuals R = M K x - l x of the best pairs; their norm |Phi'R|
 * follows from K R. A full space restarts from the best pairs. Vectors in the null space of K have norm 0 and are
 * dropped. A step costs one product of K with a block. K must be PSD. */
#include "opt/opt.h"

#include <string.h>

enum { STEPS = 500, MORE = 4, BLOCKS = 12 }; /* limit of steps; extra pairs in a block; blocks in the space */
static const double TOLERANCE = 1e-12, SMALL = 1e-8;

typedef struct space {
    const rk_gram *g;
    const rk_graph_matrix *m;
    int64_t n, b, room, j; /* objects; columns of a block; columns of the space, at most and now */
    double *V, *KV;        /* n x room */
    double *W, *KW;        /* n x b: the next block */
    double *T;             /* room x room */
    double *values, *Y;    /* Ritz values, largest first, and vectors as columns: room x room */
    double *work;          /* n x room */
    double scale;          /* the mean of k(x,x) */
} space;

/* KW = K W, of the first `count` columns. */
static rkhs_status multiply(space *s, int64_t count) {
    rkhs_env *env = s->g->env;
    rk_mark mark = rk_scratch_mark(env);
    double *X;
    rkhs_status status = rk_scratch(env, s->n * count, sizeof *X, &X);
    for (int64_t i = 0; status == RKHS_OK && i < s->n; i++) memcpy(X + i * count, s->W + i * s->b, (size_t)count * sizeof *X);
    if (status == RKHS_OK) status = rk_gram_mul(s->g, X, count, s->work);
    for (int64_t i = 0; status == RKHS_OK && i < s->n; i++)
        memcpy(s->KW + i * s->b, s->work + i * count, (size_t)count * sizeof *X);
    rk_scratch_release(env, mark);
    return status;
}

/* Makes columns of W orthonormal in K. Drops those near the null space of K; *count: those left. */
static rkhs_status normalise(space *s, int64_t *count) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->n, b = s->b, k = *count, kept = 0;
    double *S, *E, *w, *U, *H;
    TRY(rk_scratch(env, k * k, sizeof *S, &S));
    TRY(rk_scratch(env, k * k, sizeof *E, &E));
    TRY(rk_scratch(env, k, sizeof *w, &w));
    TRY(rk_scratch(env, k * k, sizeof *U, &U));
    TRY(rk_scratch(env, k * k, sizeof *H, &H));
    TRY(rk_tall_product(env, n, k, k, s->W, b, s->W, b, E, k));
    TRY(rk_tall_product(env, n, k, k, s->W, b, s->KW, b, S, k));
    for (int64_t a = 0; a < k; a++) w[a] = E[a * k + a] > 0 ? 1 / sqrt(E[a * k + a]) : 0;
    for (int64_t i = 0; i < n; i++) /* to length 1 first: the sizes of residuals differ widely */
        for (int64_t a = 0; a < k; a++) s->W[i * b + a] *= w[a], s->KW[i * b + a] *= w[a];
    for (int64_t a = 0; a < k; a++)
        for (int64_t c = 0; c <= a; c++) {
            E[a * k + c] = E[c * k + a] = E[a * k + c] * w[a] * w[c];
            S[a * k + c] = S[c * k + a] = (S[a * k + c] + S[c * k + a]) / 2 * w[a] * w[c];
        }
    TRY(rk_eigen(env, k, S, k, 0, k - 1, w, U));
    for (int64_t a = k - 1; a >= 0; a--) {
        const double *u = U + a * k;
        double length = 0;
        for (int64_t c = 0; c < k; c++) length += u[c] * rk_dot(k, E + c * k, u);
        if (!(w[a] > SMALL * s->scale && w[a] > SMALL * s->scale * length)) continue;
        for (int64_t c = 0; c < k; c++) H[c * k + kept] = u[c] / sqrt(w[a]);
        kept++;
    }
    for (int side = 0; side < 2 && kept; side++) {
        double *X = side ? s->KW : s->W;
        TRY(rk_gemm(env, NULL, 'n', 'n', n, kept, k, 1.0, X, b, H, k, 0.0, s->work, kept));
        for (int64_t i = 0; i < n; i++) memcpy(X + i * b, s->work + i * kept, (size_t)kept * sizeof *X);
    }
    *count = kept;
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Orthogonalises the first *count columns of W against V in K, twice,
 * and makes them orthonormal. *count: how many are left. */
static rkhs_status orthonormalise(space *s, int64_t *count) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->n, b = s->b;
    double *H;
    TRY(rk_scratch(env, s->room * b, sizeof *H, &H));
    for (int pass = 0; pass < 2 && *count; pass++) {
        int64_t k = *count;
        if (s->j) {
            TRY(rk_tall_product(env, n, s->j, k, s->KV, s->room, s->W, b, H, k));
            TRY(rk_gemm(env, NULL, 'n', 'n', n, k, s->j, -1.0, s->V, s->room, H, k, 1.0, s->W, b));
            TRY(rk_gemm(env, NULL, 'n', 'n', n, k, s->j, -1.0, s->KV, s->room, H, k, 1.0, s->KW, b));
        }
        if (pass) TRY(multiply(s, k)); /* the update of KW has rounding of what was subtracted */
        TRY(normalise(s, count));
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Adds the first `count` columns of W to the space, with their rows and columns of T. */
static rkhs_status grow(space *s, int64_t count) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->n, room = s->room, j = s->j;
    double *H, *X;
    TRY(rk_scratch(env, room * count, sizeof *H, &H));
    TRY(rk_scratch(env, n * count, sizeof *X, &X));
    for (int64_t i = 0; i < n; i++) {
        memcpy(s->V + i * room + j, s->W + i * s->b, (size_t)count * sizeof *s->V);
        memcpy(s->KV + i * room + j, s->KW + i * s->b, (size_t)count * sizeof *s->V);
        memcpy(X + i * count, s->KW + i * s->b, (size_t)count * sizeof *X);
    }
    TRY(rk_graph_matrix_apply(env, s->m, X, count, s->work));
    s->j += count;
    TRY(rk_tall_product(env, n, s->j, count, s->KV, room, s->work, count, H, count));
    for (int64_t a = 0; a < s->j; a++)
        for (int64_t c = 0; c < count; c++) s->T[a * room + j + c] = s->T[(j + c) * room + a] = H[a * count + c];
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Ritz pairs of the space, largest first. */
static rkhs_status ritz(space *s) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t j = s->j;
    double *A, *w, *U;
    TRY(rk_scratch(env, j * j, sizeof *A, &A));
    TRY(rk_scratch(env, j, sizeof *w, &w));
    TRY(rk_scratch(env, j * j, sizeof *U, &U));
    for (int64_t a = 0; a < j; a++)
        for (int64_t c = 0; c < j; c++) A[a * j + c] = (s->T[a * s->room + c] + s->T[c * s->room + a]) / 2;
    TRY(rk_eigen(env, j, A, j, 0, j - 1, w, U));
    for (int64_t c = 0; c < j; c++) {
        s->values[c] = w[j - 1 - c];
        for (int64_t a = 0; a < j; a++) s->Y[a * s->room + c] = U[(j - 1 - c) * j + a];
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

/* W = M K x - l x of the best pairs, KW = K W, size = |Phi'W|. A full space is restarted from the best pairs. */
static rkhs_status residuals(space *s, int64_t count, double *size) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = s->n, room = s->room, keep = rk_min(s->j, room / 2);
    double *X, *R, *KR;
    TRY(rk_scratch(env, n * count, sizeof *X, &X));
    TRY(rk_scratch(env, n * count, sizeof *R, &R));
    TRY(rk_scratch(env, n * count, sizeof *KR, &KR));
    if (s->j + s->b > room) {
        double *const both[] = {s->V, s->KV};
        for (int side = 0; side < 2; side++) {
            TRY(rk_gemm(env, NULL, 'n', 'n', n, keep, s->j, 1.0, both[side], room, s->Y, room, 0.0, s->work, keep));
            for (int64_t i = 0; i < n; i++) memcpy(both[side] + i * room, s->work + i * keep, (size_t)keep * sizeof *X);
        }
        memset(s->T, 0, (size_t)(room * room) * sizeof *s->T);
        memset(s->Y, 0, (size_t)(room * room) * sizeof *s->Y);
        for (int64_t c = 0; c < keep; c++) s->T[c * room + c] = s->values[c], s->Y[c * room + c] = 1;
        s->j = keep;
    }
    TRY(rk_gemm(env, NULL, 'n', 'n', n, count, s->j, 1.0, s->KV, room, s->Y, room, 0.0, X, count));
    TRY(rk_graph_matrix_apply(env, s->m, X, count, R));
    TRY(rk_gemm(env, NULL, 'n', 'n', n, count, s->j, 1.0, s->V, room, s->Y, room, 0.0, X, count));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < count; c++) R[i * count + c] -= s->values[c] * X[i * count + c];
    TRY(rk_gram_mul(s->g, R, count, KR));
    rk_column_dots(n, count, R, count, KR, count, size);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < count; c++) {
            s->W[i * s->b + c] = R[i * count + c];
            s->KW[i * s->b + c] = KR[i * count + c];
        }
    for (int64_t c = 0; c < count; c++) size[c] = sqrt(fmax(size[c], 0));
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status room_for(space *s, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = s->g->env;
    int64_t n = s->n;
    TRY(rk_scratch(env, out->count, sizeof *out->values, &out->values));
    TRY(rk_scratch(env, out->count, sizeof *out->residuals, &out->residuals));
    TRY(rk_scratch(env, n * out->count, sizeof *out->coef, &out->coef));
    TRY(rk_scratch(env, n * s->room, sizeof *s->V, &s->V));
    TRY(rk_scratch(env, n * s->room, sizeof *s->KV, &s->KV));
    TRY(rk_scratch(env, n * s->room, sizeof *s->work, &s->work));
    TRY(rk_scratch(env, n * s->b, sizeof *s->W, &s->W));
    TRY(rk_scratch(env, n * s->b, sizeof *s->KW, &s->KW));
    TRY(rk_scratch(env, s->room * s->room, sizeof *s->T, &s->T));
    TRY(rk_scratch(env, s->room * s->room, sizeof *s->Y, &s->Y));
    TRY(rk_scratch(env, s->room, sizeof *s->values, &s->values));
done:
    return status;
}

rkhs_status rk_solve_krylov(const rk_gram *g, const rk_spectral *problem, rk_spectrum *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int64_t n = g->n, k = problem->count, b = k + MORE;
    space s = {.g = g, .m = problem->m, .n = n, .b = b, .room = BLOCKS * b};
    double *size, *diag;
    *out = (rk_spectrum){.count = k, .solver = "krylov"};
    TRY(room_for(&s, out));
    TRY(rk_scratch(env, b, sizeof *size, &size));
    TRY(rk_scratch(env, n, sizeof *diag, &diag));
    TRY(rk_gram_diag(g, diag));
    s.scale = rk_rows_sum(n, 1, diag) / (double)n;
    TRY(rk_gram_check_finite(g, s.scale));
    for (int64_t i = 0; i < n * b; i++) s.W[i] = rk_normal(env->seed, RK_STREAM_START, (uint64_t)(i / b), (uint64_t)(i % b));
    TRY(rk_gram_mul(g, s.W, b, s.KW));
    for (int64_t count = b; !out->converged && out->iterations < STEPS; count = rk_min(b, s.j)) {
        if (out->iterations) TRY(residuals(&s, count, size));
        double largest = out->iterations ? fmax(fabs(s.values[0]), fabs(s.values[s.j - 1])) : 0;
        out->converged = out->iterations > 0;
        for (int64_t c = 0; c < k && c < s.j; c++) out->converged &= size[c] <= TOLERANCE * largest;
        if (out->converged) break;
        TRY(orthonormalise(&s, &count));
        out->iterations++;
        out->converged = count == 0; /* the space is invariant */
        if (out->converged) break;
        TRY(grow(&s, count));
        TRY(ritz(&s));
        TRY(rk_progress(env, "eigenvectors", out->iterations, 0));
    }
    int64_t found = rk_min(k, s.j);
    if (found) TRY(rk_gemm(env, NULL, 'n', 'n', n, found, s.j, 1.0, s.V, s.room, s.Y, s.room, 0.0, out->coef, k));
    for (int64_t c = 0; c < found; c++) out->values[c] = s.values[c], out->residuals[c] = size[c];
    out->products = out->iterations * b;
done:
    return status;
}
