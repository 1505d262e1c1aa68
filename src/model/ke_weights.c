/* ke_weights.c: the first stage of autoreconstructive kernel embedding: reconstruction weights, in closed form.
 *
 *     minimise over b  sum_j |phi_j - sum_{i != j} b_i G_ij phi_i|^2  =  b'A b - 2 c'b + tr G
 *     A = G o (G~ G~),   c_i = sum_{j != i} G_ij^2
 *
 * phi_j is object j in feature space, G the Gram, G~ the same without its diagonal g, o the entrywise product: every
 * object is reconstructed from the others, each by its kernel value and its own weight b_i. With G = F F', f_i the
 * rows of F, B = F'diag(v)F and C = F'diag(g o v)F, a product with A costs n r^2 and no n x n matrix:
 *
 *     A = G o G^2 - (g_i + g_j) G_ij^2 + diag(g^3),   (A v)_i = f_i'B (F'F) f_i - g_i f_i'B f_i - f_i'C f_i + g_i^3 v_i
 *
 * For an object with tiny kernel values this is a small difference of large terms. So where G is stored, A is formed
 * from G~; where it is not, such an object counts as isolated. An isolated object has c_i = 0, and weight 0. A is
 * scaled by c^-1/2 on both sides. Where A has no Cholesky factor, conjugate gradients from 0 give the solution of
 * least norm. */
#include "model/ke.h"

#include <string.h>

typedef struct weights_loop {
    const rk_gram *g;
    const double *G;
    int64_t ld, n;
    double *A, *diag, *c, *s; /* s: the scale c^-1/2, 0 for isolated objects */
    double *off;              /* G~ */
    double *room;             /* a tile for each worker */
} weights_loop;

/* c_i of a tile of rows. */
static rkhs_status squares_tile(void *context, int64_t tile, int worker) {
    weights_loop *a = context;
    for (int64_t i = tile * RK_TILE; i < rk_min((tile + 1) * RK_TILE, a->n); i++) {
        const double *row = a->G + i * a->ld;
        a->c[i] = rk_dot(i, row, row) + rk_dot(a->n - i - 1, row + i + 1, row + i + 1);
    }
    return RKHS_OK;
}

/* Tile (i, j) of the scaled A, j <= i. */
static rkhs_status matrix_tile(void *context, int64_t tile, int worker) {
    weights_loop *a = context;
    int64_t ti, tj, n = a->n;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i0 = ti * RK_TILE, j0 = tj * RK_TILE, ni = rk_min(RK_TILE, n - i0), nj = rk_min(RK_TILE, n - j0);
    double *P = a->room + (int64_t)worker * RK_TILE * RK_TILE;
    for (int64_t l = 0; l < n; l += RK_TILE)
        rk_gemm_tile('n', 't', ni, nj, rk_min(RK_TILE, n - l), 1.0, a->off + i0 * n + l, n, a->off + j0 * n + l, n,
                     l ? 1.0 : 0.0, P, RK_TILE);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) {
            double x = a->s[i0 + i] * P[i * RK_TILE + j] * a->s[j0 + j];
            a->A[(i0 + i) * n + j0 + j] = a->G[(i0 + i) * a->ld + j0 + j] * x;
            a->A[(j0 + j) * n + i0 + i] = a->A[(i0 + i) * n + j0 + j];
        }
    return RKHS_OK;
}

/* The scaled A by products with the factor F; B, C, FF = F'F and X (n x r) are work space. */
typedef struct factored {
    const rk_gram *g;
    const double *F;
    int64_t ld, r;
    const double *diag, *s;
    double *FF, *B, *C, *X;
} factored;

/* B = F'diag(v)F */
static rkhs_status weigh(const factored *a, rkhs_env *env, const double *v, double *B) {
    rkhs_status status = RKHS_OK;
    int64_t n = a->g->n, r = a->r;
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = 0; q < r; q++) a->X[i * r + q] = v[i] * a->F[i * a->ld + q];
    TRY(rk_tall_product(env, n, r, r, a->F, a->ld, a->X, r, B, r));
done:
    return status;
}

static rkhs_status apply_factored(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    rkhs_status status = RKHS_OK;
    factored *a = context;
    int64_t n = a->g->n, r = a->r;
    rk_mark mark = rk_scratch_mark(env);
    double *v, *BF, *T;
    TRY(rk_scratch(env, n, sizeof *v, &v));
    TRY(rk_scratch(env, r * r, sizeof *BF, &BF));
    TRY(rk_scratch(env, r * r, sizeof *T, &T));
    for (int64_t i = 0; i < n; i++) v[i] = a->s[i] * V[i];
    TRY(weigh(a, env, v, a->B));
    for (int64_t i = 0; i < n; i++) v[i] *= a->diag[i];
    TRY(weigh(a, env, v, a->C));
    TRY(rk_gemm(env, NULL, 'n', 'n', r, r, r, 1.0, a->B, r, a->FF, r, 0.0, BF, r));
    for (int64_t q = 0; q < r * r; q++) T[q] = BF[q] - a->C[q]; /* f'T f - g f'B f, then g^3 v */
    TRY(rk_gemm(env, NULL, 'n', 'n', n, r, r, 1.0, a->F, a->ld, T, r, 0.0, a->X, r));
    for (int64_t i = 0; i < n; i++) out[i] = rk_dot(r, a->X + i * r, a->F + i * a->ld);
    TRY(rk_gemm(env, NULL, 'n', 'n', n, r, r, 1.0, a->F, a->ld, a->B, r, 0.0, a->X, r));
    for (int64_t i = 0; i < n; i++) {
        double g = a->diag[i];
        out[i] = a->s[i] * (out[i] - g * rk_dot(r, a->X + i * r, a->F + i * a->ld) + g * g * g * a->s[i] * V[i]);
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status apply_stored(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const weights_loop *a = context;
    return rk_symm(env, a->n, a->A, a->n, k, V, out);
}

/* The solution of least norm of A x = c, both scaled, by conjugate gradients. */
static rkhs_status by_gradients(rkhs_env *env, rk_op op, const double *rhs, double *x) {
    rkhs_status status = RKHS_OK;
    rk_spec *cg = NULL;
    double residual = 0;
    rk_solver_problem p = {.env = env, .size = op.n, .k = 1, .a = op, .rhs = rhs, .x = x, .residuals = &residual};
    memset(x, 0, (size_t)op.n * sizeof *x);
    TRY(rk_spec_new(env, &rk_linsolvers, "cg(tol=1e-9, max_iter=300)", &cg));
    TRY(rk_solve(cg, &p));
done:
    rk_spec_free(env, cg);
    return status;
}

/* Sets the scale and counts isolated objects. */
static void scale(weights_loop *a, rk_ke_weights *out) {
    double most = 0, lost = a->G ? 0 : 1e-10; /* rounding of c from a factor, relative to g^2 */
    for (int64_t i = 0; i < a->n; i++) most = fmax(most, a->c[i]);
    for (int64_t i = 0; i < a->n; i++) {
        int connected = a->c[i] > fmax(1e-30 * most, lost * a->diag[i] * a->diag[i]);
        a->s[i] = connected ? 1 / sqrt(a->c[i]) : 0;
        out->isolated += !connected;
    }
}

/* With a stored Gram: forms A. */
static rkhs_status solve_stored(weights_loop *a, rk_op *op, const double *rhs, double *x, rk_ke_weights *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = a->g->env;
    int64_t n = a->n, tiles = (n + RK_TILE - 1) / RK_TILE, bad = 0;
    double *L;
    TRY(rk_require_memory(env, 16.0 * (double)n * (double)n, "the weights' matrix and its factor", NULL));
    TRY(rk_scratch(env, n * n, sizeof *a->A, &a->A));
    TRY(rk_scratch(env, n * n, sizeof *L, &L));
    TRY(rk_scratch_raw(env, rk_workers(env) * RK_TILE * RK_TILE, sizeof *a->room, &a->room));
    for (int64_t i = 0; i < n; i++) { /* L holds G~ until the factorisation */
        memcpy(L + i * n, a->G + i * a->ld, (size_t)n * sizeof *L);
        L[i * n + i] = 0;
    }
    a->off = L;
    TRY(rk_parallel(env, "weights", tiles * (tiles + 1) / 2, matrix_tile, a));
    *op = (rk_op){n, apply_stored, a};
    memcpy(L, a->A, (size_t)(n * n) * sizeof *L);
    for (int64_t i = 0; i < n; i++)
        if (a->s[i] == 0) L[i * n + i] = 1; /* a row of zeros: b_i = 0 */
    TRY(rk_cholesky(env, "weights", n, L, n, &bad));
    for (int64_t i = 0; bad < 0 && i < n; i++)
        if (!(L[i * n + i] > 1e-7)) bad = i; /* smaller pivots are rounding */
    out->how = bad < 0 ? "cholesky" : "cg";
    memcpy(x, rhs, (size_t)n * sizeof *x);
    TRY(bad < 0 ? rk_cholesky_solve(env, n, 1, L, n, x, 1) : by_gradients(env, *op, rhs, x));
done:
    return status;
}

rkhs_status rk_ke_solve_weights(const rk_gram *g, rk_ke_weights *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int64_t n = g->n, tiles = (n + RK_TILE - 1) / RK_TILE;
    int spendable;
    double *rhs, *x, *Ax, trace;
    rk_row_sum fits = {0}, error = {0};
    weights_loop a = {.g = g, .n = n};
    factored f = {.g = g};
    rk_op op = {n, apply_factored, &f};
    *out = (rk_ke_weights){.how = "cg"};
    TRY(rk_scratch(env, n, sizeof *out->b, &out->b));
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_scratch(env, n, sizeof *a.diag, &a.diag));
    TRY(rk_scratch(env, n, sizeof *a.c, &a.c));
    TRY(rk_scratch(env, n, sizeof *a.s, &a.s));
    TRY(rk_scratch(env, n, sizeof *rhs, &rhs));
    TRY(rk_scratch(env, n, sizeof *x, &x));
    TRY(rk_scratch(env, n, sizeof *Ax, &Ax));
    if (rk_gram_offers(g, RK_MATRIX)) {
        a.G = rk_gram_matrix(g, &a.ld, &spendable);
        for (int64_t i = 0; i < n; i++) a.diag[i] = a.G[i * a.ld + i];
        TRY(rk_parallel(env, NULL, tiles, squares_tile, &a));
    } else {
        f.F = rk_gram_phi(g, &f.ld);
        f.r = g->rank;
        TRY(rk_scratch(env, f.r * f.r, sizeof *f.FF, &f.FF));
        TRY(rk_scratch(env, f.r * f.r, sizeof *f.B, &f.B));
        TRY(rk_scratch(env, f.r * f.r, sizeof *f.C, &f.C));
        TRY(rk_scratch(env, n * f.r, sizeof *f.X, &f.X));
        TRY(rk_syrk(env, NULL, n, f.r, f.F, f.ld, NULL, f.FF, f.r));
        TRY(rk_gemm(env, NULL, 'n', 'n', n, f.r, f.r, 1.0, f.F, f.ld, f.FF, f.r, 0.0, f.X, f.r));
        for (int64_t i = 0; i < n; i++) {
            a.diag[i] = rk_dot(f.r, f.F + i * f.ld, f.F + i * f.ld);
            a.c[i] = rk_dot(f.r, f.X + i * f.r, f.F + i * f.ld) - a.diag[i] * a.diag[i];
        }
        f.diag = a.diag;
        f.s = a.s;
    }
    scale(&a, out);
    if (out->isolated == n)
        FAIL(env, RKHS_ERR_NUMERIC,
             "the kernel is 0 between all pairs, so no object can be rebuilt from the others: choose a wider kernel");
    for (int64_t i = 0; i < n; i++) rhs[i] = a.s[i] * a.c[i];
    if (a.G)
        TRY(solve_stored(&a, &op, rhs, x, out));
    else
        TRY(by_gradients(env, op, rhs, x));
    TRY(op.apply(op.context, env, x, 1, Ax));
    for (int64_t i = 0; i < n; i++) {
        rk_add_row(&fits, x[i] * Ax[i] - 2 * x[i] * rhs[i]);
        rk_add_row(&error, (Ax[i] - rhs[i]) * (Ax[i] - rhs[i]));
        out->b[i] = a.s[i] * x[i];
    }
    trace = rk_rows_sum(n, 1, a.diag);
    out->loss = trace + rk_row_total(&fits);
    out->size = trace / (double)n;
    out->residual = sqrt(rk_row_total(&error) / rk_rows_dot(n, 1, rhs, rhs));
    rk_scratch_release(env, mark);
done:
    return status;
}
