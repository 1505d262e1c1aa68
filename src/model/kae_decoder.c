/* kae_decoder.c: the decoder of the kernel autoencoder, a ridge regression from codes to objects, and its loss.
 *
 *     f(Z) = min_C |X - Kz C|^2/ridge + tr(C'Kz C) = tr(X'S X),   S = (Kz + ridge I)^-1,  C = S X,  Kz = k(Z, Z)
 *
 * df/dKz = -S X X'S, so df/dz_i = -2 sum_j (S X X'S)_ij dk(z_i, z_j)/dz_i, by the gradient of the embedding kernel k.
 * X enters only as XX' = F F'. F = X for dense vectors with at most n columns; for other vectors F is the pivoted
 * Cholesky factor of XX', lower triangular in the order of its pivots. For objects that are no vectors, F is a factor
 * of their own Gram. A step costs n^3 flops for S, up to n^2 r for V = S F and as many for V V', r the columns of F. */
#include "model/kae.h"

#include <string.h>

/* Pivots below this share of the largest k(x,x) are rounding. */
static const double EXPLAINED = 1e-15;

/* ---- F --------------------------------------------------------------------------------------------------------- */

/* F is a copy of vectors, as doubles. */
static rkhs_status factor_target(rkhs_env *env, rk_decoder *d, const rkhs_data *x) {
    d->r = x->columns;
    rkhs_status status = rk_scratch(env, d->n * x->columns, sizeof *d->F, &d->F);
    for (int64_t i = 0; status == RKHS_OK && i < d->n; i++) rkhs_data_row(x, i, d->F + i * x->columns);
    return status;
}

/* F is a copy of X. */
static rkhs_status factor_rows(rkhs_env *env, rk_decoder *d, const double *X, int64_t ld, int64_t columns) {
    rkhs_status status = RKHS_OK;
    d->r = columns;
    TRY(rk_scratch(env, d->n * columns, sizeof *d->F, &d->F));
    for (int64_t i = 0; i < d->n; i++) memcpy(d->F + i * columns, X + i * ld, (size_t)columns * sizeof *X);
done:
    return status;
}

/* F is the pivoted Cholesky factor of a Gram. d->G serves as work space. */
static rkhs_status factor_gram(rkhs_env *env, rk_decoder *d, const double *K, int64_t ld) {
    rkhs_status status = RKHS_OK;
    int64_t n = d->n, count = 0, *pivots;
    char *taken;
    double *Phi = d->G;
    TRY(rk_scratch(env, n, sizeof *pivots, &pivots));
    TRY(rk_scratch(env, n, 1, &taken));
    memset(taken, 0, (size_t)n);
    TRY(rk_pivoted_cholesky(env, "factor", n, K, ld, EXPLAINED, Phi, pivots, &d->r));
    for (; count < d->r; count++) taken[d->order[count] = pivots[count]] = 1;
    for (int64_t i = 0; i < n; i++)
        if (!taken[i]) d->order[count++] = i;
    TRY(rk_scratch(env, n * d->r, sizeof *d->F, &d->F));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < d->r; c++) d->F[i * d->r + c] = c <= i ? Phi[d->order[i] * n + c] : 0;
    d->lower = 1;
done:
    return status;
}

/* F is the pivoted Cholesky factor of XX'. d->S serves as work space. */
static rkhs_status factor_vectors(rkhs_env *env, rk_decoder *d, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *linear = NULL;
    rk_bound *bound = NULL;
    TRY(rk_kernel_new(env, "linear", &linear));
    TRY(rk_bind(env, linear, x, NULL, &bound));
    TRY(rk_gram_symmetric(env, bound, d->S, d->n));
    TRY(factor_gram(env, d, d->S, d->n));
done:
    rk_unbind(env, bound);
    rkhs_kernel_free(linear);
    return status;
}

rkhs_status rk_decoder_new(const rk_gram *g, const rkhs_data *target, const rkhs_kernel *kernel, double ridge, int64_t dim,
                           rk_decoder *d) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    int64_t n = g->n, ld;
    int spendable;
    *d = (rk_decoder){.n = n, .dim = dim, .ridge = ridge, .kernel = kernel};
    status = rk_require_memory(env, 8.0 * 5.0 * (double)n * (double)n, "the regression between all pairs of codes", NULL);
    TRY(rk_set_subject(env, "gram", status));
    TRY(rk_scratch(env, n * n, sizeof *d->S, &d->S));
    TRY(rk_scratch(env, n * n, sizeof *d->G, &d->G));
    TRY(rk_scratch(env, n, sizeof *d->order, &d->order));
    for (int64_t i = 0; i < n; i++) d->order[i] = i;
    int stored = rk_gram_offers(g, RK_MATRIX);
    const double *X = target ? NULL : stored ? rk_gram_matrix(g, &ld, &spendable) : rk_gram_phi(g, &ld);
    if (target)
        TRY(!rk_dense_of(target) || target->columns > n ? factor_vectors(env, d, target) : factor_target(env, d, target));
    else
        TRY(stored ? factor_gram(env, d, X, ld) : factor_rows(env, d, X, ld, g->rank));
    TRY(rk_scratch(env, n * dim, sizeof *d->Z, &d->Z));
    TRY(rk_scratch(env, n * dim, sizeof *d->dZ, &d->dZ));
    TRY(rk_scratch(env, n * d->r, sizeof *d->V, &d->V));
done:
    return status;
}

/* ---- f and its gradient ---------------------------------------------------------------------------------------- */

typedef struct loop {
    rk_decoder *d;
    rk_bound *codes;
    rk_work *work;
} loop;

/* Small tiles where there are few codes, so that all threads have some. */
static int64_t tile_of(int64_t n) { return n <= 1024 ? 64 : 128; }

/* A tile of V V' on or below the diagonal, and its transpose above. */
static rkhs_status square_tile(void *context, int64_t tile, int worker) {
    const rk_decoder *d = context;
    int64_t ti, tj, n = d->n, r = d->r, size = tile_of(n);
    rk_triangle_position(tile, &ti, &tj);
    int64_t i = ti * size, j = tj * size, ni = rk_min(size, n - i), nj = rk_min(size, n - j);
    rk_gemm_tile('n', 't', ni, nj, r, 1.0, d->V + i * r, r, d->V + j * r, r, 0.0, d->G + i * n + j, n);
    rk_mirror_tile(d->G, n, i, ni, j, nj);
    return RKHS_OK;
}

/* The gradient of a tile of codes. */
static rkhs_status gradient_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    const loop *a = context;
    const rk_decoder *d = a->d;
    int64_t n = d->n, size = tile_of(n), i = tile * size, ni = rk_min(size, n - i);
    double *dZ = d->dZ + i * d->dim;
    memset(dZ, 0, (size_t)(ni * d->dim) * sizeof *dZ);
    for (int64_t j = 0; j < n; j += RK_TILE)
        TRY(rk_gradient_of(a->codes, i, ni, a->codes, j, rk_min(RK_TILE, n - j), d->G + i * n + j, n, dZ, a->work[worker]));
done:
    return status;
}

/* S and V at the codes d->Z; *bad is the row where Kz + ridge I is not positive definite, or -1. */
static rkhs_status invert(rkhs_env *env, rk_decoder *d, const rk_bound *codes, int64_t *bad) {
    rkhs_status status = RKHS_OK;
    int64_t n = d->n, r = d->r;
    TRY(rk_gram_symmetric(env, codes, d->S, n));
    for (int64_t i = 0; i < n; i++) d->S[i * n + i] += d->ridge;
    TRY(rk_cholesky(env, NULL, n, d->S, n, bad));
    if (*bad >= 0) goto done;
    TRY(rk_cholesky_inverse(env, n, d->S, d->G));
    if (d->lower)
        TRY(rk_gemm_lower(env, n, r, n, d->S, n, d->F, r, d->V, r));
    else
        TRY(rk_gemm(env, NULL, 'n', 'n', n, r, n, 1.0, d->S, n, d->F, r, 0.0, d->V, r));
done:
    return status;
}

rkhs_status rk_decoder_eval(rkhs_env *env, rk_decoder *d, const double *Z, double *f, double *dZ) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = d->n, dim = d->dim, tiles = (n + tile_of(n) - 1) / tile_of(n), bad;
    rkhs_data *codes = NULL;
    loop a = {.d = d};
    *f = INFINITY; /* where S does not exist: the line search then shortens its step */
    for (int64_t i = 0; i < n; i++) memcpy(d->Z + i * dim, Z + d->order[i] * dim, (size_t)dim * sizeof *Z);
    for (int64_t i = 0; i < n * dim; i++)
        if (!isfinite(Z[i])) goto done;
    TRY(rk_data_borrow(env, d->Z, n, dim, dim, &codes));
    TRY(rk_bind(env, d->kernel, codes, NULL, &a.codes));
    TRY(invert(env, d, a.codes, &bad));
    if (bad >= 0) goto done;
    TRY(rk_parallel(env, NULL, tiles * (tiles + 1) / 2, square_tile, d));
    TRY(rk_gradient_work(env, rk_workers(env), a.codes, a.codes, &a.work));
    TRY(rk_kernel_parallel(env, NULL, d->kernel, tiles, gradient_tile, &a));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < dim; c++) dZ[d->order[i] * dim + c] = -2 * d->dZ[i * dim + c];
    *f = rk_rows_dot(n, d->r, d->F, d->V);
done:
    rk_unbind(env, a.codes);
    rkhs_data_free(codes);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- the decoder of a fitted model ----------------------------------------------------------------------------- */

const rk_state_part rk_kae_parts[] = {
    RK_STATE_PART(rk_kae_state, embedding_kernel, RK_STATE_TEXT, "latent"),
    RK_STATE_PART(rk_kae_state, decoder, RK_STATE_MATRIX, "decoder"),
    RK_STATE_PART(rk_kae_state, decoded_shape, RK_STATE_MATRIX, "decoded_shape"),
    {.name = NULL},
};

rkhs_status rk_decoder_store(rk_fit *f, rk_decoder *d, const double *Z, const rkhs_data *target) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = f->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = d->n, bad;
    rk_kae_state *s = f->state;
    rkhs_data *codes = NULL;
    rk_bound *bound = NULL;
    double *C, squares, *diag;
    rk_work *work;
    TRY(rk_data_borrow(env, d->Z, n, d->dim, d->dim, &codes));
    for (int64_t i = 0; i < n; i++) memcpy(d->Z + i * d->dim, Z + d->order[i] * d->dim, (size_t)d->dim * sizeof *Z);
    TRY(rk_bind(env, d->kernel, codes, NULL, &bound));
    TRY(invert(env, d, bound, &bad));
    if (bad >= 0) FAIL(env, RKHS_ERR_NUMERIC, "the Gram of the codes is singular: raise ridge");
    squares = rk_rows_dot(n, d->r, d->V, d->V);
    d->product = rk_rows_dot(n, d->r, d->V, d->F);
    d->error = d->ridge * d->ridge * squares;
    d->square = fmax(d->product - d->ridge * squares, 0);
    TRY(rk_scratch(env, n, sizeof *diag, &diag));
    TRY(rk_work_for(env, 1, bound, bound, &work));
    for (int64_t i = 0; i < n; i += RK_TILE) TRY(rk_diag_of(bound, i, rk_min(RK_TILE, n - i), diag + i, *work));
    for (int64_t i = 0; i < n; i++) d->max_diag = fmax(d->max_diag, diag[i]);
    TRY(rk_strdup(env, rkhs_kernel_text(d->kernel), &s->embedding_kernel));
    TRY(rk_report_text(env, f->report, "embedding_kernel", s->embedding_kernel));
    if (!target || !rk_dense_of(target)) goto done;
    int64_t p = target->columns;
    double *from;
    TRY(rk_scratch(env, n * p, sizeof *from, &from));
    TRY(rk_scratch(env, n * p, sizeof *C, &C));
    for (int64_t i = 0; i < n; i++) rkhs_data_row(target, d->order[i], from + i * p);
    TRY(rk_gemm(env, NULL, 'n', 'n', n, p, n, 1.0, d->S, n, from, p, 0.0, C, p));
    for (int64_t i = 0; i < n; i++) memcpy(from + d->order[i] * p, C + i * p, (size_t)p * sizeof *C);
    TRY(rk_state_matrix_set(env, &s->decoder, n, p, from));
    const rk_image *image = rk_images(target);
    if (image)
        TRY(rk_state_matrix_set(env, &s->decoded_shape, 1, 3,
                                (double[]){(double)image->h, (double)image->w, (double)image->c}));
done:
    rk_unbind(env, bound);
    rkhs_data_free(codes);
    rk_scratch_release(env, mark);
    return status;
}

/* The embedding kernel, from its spec text in the state. */
static rkhs_status latent_of(const rkhs_model *m, rkhs_kernel **kernel) {
    rkhs_status status = RKHS_OK;
    const char *text = ((const rk_kae_state *)m->state)->embedding_kernel;
    if (!text) FAIL(m->env, RKHS_ERR_FORMAT, "its decoder has no kernel of codes");
    TRY(rk_kernel_new(m->env, text, kernel));
    if (!(rk_kernel_kinds(*kernel) & RK_KIND_DENSE) || !rk_kernel_has_gradient(*kernel))
        FAIL(m->env, RKHS_ERR_FORMAT, "its decoder has the kernel '%.80s', which takes no codes", text);
done:
    return status;
}

rkhs_status rk_decoder_check(const rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    const rk_state_matrix *C = &((const rk_kae_state *)m->state)->decoder;
    const rk_state_matrix *shape = &((const rk_kae_state *)m->state)->decoded_shape;
    rkhs_kernel *kernel = NULL;
    if (!C->values) goto done;
    if (C->rows != m->n || C->columns < 1)
        FAIL(env, RKHS_ERR_FORMAT, "its decoder is %lld x %lld, but it has %s", (long long)C->rows, (long long)C->columns,
             rk_counted(m->n, "code").text);
    TRY(latent_of(m, &kernel));
    const double *s = shape->values;
    if (!s) goto done;
    int whole = shape->rows == 1 && shape->columns == 3;
    for (int i = 0; whole && i < 3; i++) whole = s[i] >= 1 && s[i] <= INT32_MAX && s[i] == floor(s[i]);
    if (!whole || s[0] * s[1] * s[2] != (double)C->columns || (s[2] != 1 && s[2] != 3 && s[2] != 4))
        FAIL(env, RKHS_ERR_FORMAT, "its decoder makes %s, which are no images of 'decoded_shape'",
             rk_counted(C->columns, "number").text);
done:
    rkhs_kernel_free(kernel);
    return status;
}

rkhs_status rk_decoder_decode(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    const rk_state_matrix *C = &((const rk_kae_state *)m->state)->decoder;
    const double *shape = ((const rk_kae_state *)m->state)->decoded_shape.values;
    rkhs_kernel *kernel = NULL;
    rkhs_data *kept = NULL, *codes = NULL, *out = NULL;
    double *values, *zeros;
    rk_map map = {0};
    if (!C->values) goto done;
    TRY(latent_of(m, &kernel));
    TRY(rk_data_borrow(env, m->Z, m->n, m->dim, m->dim, &kept));
    TRY(rk_kernel_freeze(kernel, kept));
    TRY(rk_data_borrow(env, Z, rows, m->dim, ld, &codes));
    TRY(rk_data_dense_new(env, rows, C->columns, &values, &out));
    TRY(rk_scratch(env, C->columns, sizeof *zeros, &zeros));
    map = (rk_map){.objects = kept, .object_count = m->n, .dim = C->columns, .B = C->values, .c = zeros};
    TRY(rk_map_apply(env, &map, kernel, codes, values, C->columns, NULL));
    if (shape) TRY(rk_image_from_dense(env, &out, (int64_t)shape[0], (int64_t)shape[1], (int64_t)shape[2]));
    *x = out;
    out = NULL;
done:
    rk_unbind(env, map.bound);
    rkhs_data_free(codes);
    rkhs_data_free(kept);
    rkhs_data_free(out);
    rkhs_kernel_free(kernel);
    return status;
}
