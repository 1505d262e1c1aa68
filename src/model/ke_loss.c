/* ke_loss.c: the objective of autoreconstructive kernel embedding as a function of the embedding Z, with its gradient.
 *
 *     f = alignment (1 - CKA(H, G)) + reconstruction L(H)/n
 *     L(H) = b'(H o H~H~)b - 2 sum_i b_i c_i + tr H,   c_i = sum_{j != i} H_ij^2
 *
 * H is the Gram of the embedding, H~ the same without its diagonal h, o the entrywise product, G the Gram of the
 * objects, b the weights of stage 1. L is a sum over triples, sum b_i b_l H_ij H_jl H_li, whose derivative by H_ij is
 * sum_l H_il H_lj (b_i b_j + b_i b_l + b_j b_l). With D = diag b
 *
 *     dL/dH = b_i b_j (H~H~)_ij + (b_i + b_j) (H~DH~)_ij + (h_i b_i^2 + h_j b_j^2 - 2 b_i - 2 b_j) H_ij
 *
 * These are two symmetric products, 2 n^3 flops; automatic differentiation needs 12 n^3. The sum over triples is a
 * third of the inner product of the first two terms with H~. CKA, the cosine between the centred Grams, costs n^2. */
#include "model/ke.h"

#include <string.h>

enum { SUMS = 4 };   /* partial sums of a tile */
#define FAR -90.0    /* smaller exponents give 0 */
enum { SKIP = 20 };  /* evaluations without a factor of H after one failed */
enum { SMALL = 64 }; /* rows of a tile in eval_sorted, where many tiles are 0 */
#define REACH 7.5    /* widths: exp(-REACH^2/2) = 6e-13 */

/* Row means, mean and centred norm of a stored G. */
static rkhs_status look_at_gram(rkhs_env *env, rk_ke *k) {
    rkhs_status status = RKHS_OK;
    int64_t n = k->n;
    rk_row_sum sum = {0};
    for (int64_t i = 0; i < n; i++) k->means[i] = rk_sum(n, k->G + i * k->ldg) / (double)n;
    k->mean = rk_rows_sum(n, 1, k->means) / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t j = 0; j < n; j++) {
            double v = k->G[i * k->ldg + j] - k->means[i] - k->means[j] + k->mean;
            square += v * v;
        }
        rk_add_row(&sum, square);
    }
    k->norm = sqrt(rk_row_total(&sum));
    return status;
}

/* Phi minus its column means, and the norm of the centred Phi Phi'. */
static rkhs_status look_at_factor(rkhs_env *env, rk_ke *k) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = k->n, m = k->m;
    double *means, *S;
    TRY(rk_scratch_raw(env, n * m, sizeof *k->centred, &k->centred));
    mark = rk_scratch_mark(env);
    TRY(rk_scratch(env, m, sizeof *means, &means));
    TRY(rk_scratch(env, m * m, sizeof *S, &S));
    rk_column_means(n, m, k->Phi, k->ldp, means);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < m; c++) k->centred[i * m + c] = k->Phi[i * k->ldp + c] - means[c];
    TRY(rk_tall_product(env, n, m, m, k->centred, m, k->centred, m, S, m));
    k->norm = rk_norm(m * m, S);
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_ke_alloc(rkhs_env *env, rk_ke *k) {
    rkhs_status status = RKHS_OK;
    int64_t n = k->n, tiles = (n + RK_TILE - 1) / RK_TILE;
    k->room_each = RK_TILE * RK_TILE;
    if (k->kernel != RK_KE_RBF) k->max_rank = 0;
    if (k->max_rank) {
        TRY(rk_scratch_raw(env, n * k->max_rank, sizeof *k->F, &k->F));
        TRY(rk_scratch_raw(env, n * k->max_rank, sizeof *k->X, &k->X));
        TRY(rk_scratch_raw(env, n * k->max_rank, sizeof *k->Y, &k->Y));
    }
    TRY(rk_scratch(env, k->dim * n, sizeof *k->columns, &k->columns));
    TRY(rk_scratch(env, n, sizeof *k->rows, &k->rows));
    TRY(rk_scratch(env, n, sizeof *k->squares, &k->squares));
    TRY(rk_scratch(env, n, sizeof *k->own, &k->own));
    TRY(rk_scratch(env, tiles * SUMS, sizeof *k->sums, &k->sums));
    TRY(rk_scratch_raw(env, rk_workers(env) * k->room_each, sizeof *k->room, &k->room));
    TRY(rk_scratch_raw(env, rk_workers(env) * rk_padded(n), sizeof *k->slope, &k->slope));
    if (k->alignment_weight == 0) goto done;
    TRY(rk_scratch(env, n, sizeof *k->means, &k->means));
    if (k->G)
        TRY(look_at_gram(env, k));
    else
        TRY(look_at_factor(env, k));
done:
    return status;
}

/* Allocates n x n matrices when first needed: not where H has a low-rank factor. */
static rkhs_status whole_room(rkhs_env *env, rk_ke *k, int rebuild, int align) {
    rkhs_status status = RKHS_OK;
    int64_t n = k->n;
    static const char *const what = "the Gram of the embedding and its derivative";
    if (!k->H) {
        TRY(rk_require_memory(env, 8.0 * (double)n * (double)n, what, NULL));
        TRY(rk_alloc(env, n * n, sizeof *k->H, &k->H));
    }
    if (rebuild && !k->M) {
        TRY(rk_require_memory(env, 8.0 * (double)n * (double)n, what, NULL));
        TRY(rk_alloc(env, n * n, sizeof *k->M, &k->M));
        TRY(rk_require_memory(env, 8.0 * (double)n * (double)n, what, NULL));
        TRY(rk_alloc(env, n * n, sizeof *k->W, &k->W));
    }
    if (!align || k->G) goto done;
    TRY(rk_require_memory(env, 8.0 * (double)n * (double)n, "the Gram that an embedding is aligned with", NULL));
    TRY(rk_alloc(env, n * n, sizeof *k->made, &k->made));
    TRY(rk_gemm(env, "gram", 'n', 't', n, n, k->m, 1.0, k->Phi, k->ldp, k->Phi, k->ldp, 0.0, k->made, n));
    k->G = k->made;
    k->ldg = n;
    TRY(look_at_gram(env, k));
done:
    return status;
}

void rk_ke_free(rkhs_env *env, rk_ke *k) {
    rk_free(env, k->H);
    rk_free(env, k->M);
    rk_free(env, k->W);
    rk_free(env, k->made);
}

typedef struct ke_loop {
    rk_ke *k;
    const double *Z;
    double *dZ;
    const double *b;
    int rebuild, align;       /* terms still to compute */
    int64_t tile, parts;      /* rows of a tile of M; number of tiles */
    const char *near;         /* parts x parts: whether a tile of H is not 0; NULL: all */
    double mean, norm, inner; /* mean of H; norm of the centred H; its inner product with the centred G */
} ke_loop;

/* Row i of H, columns j0 .. j0 + nj, into h. */
static void gram_part(const ke_loop *a, int64_t i, int64_t j0, int64_t nj, double *h) {
    const rk_ke *k = a->k;
    int64_t n = k->n, d = k->dim;
    const double *z = a->Z + i * d;
    double by = k->kernel == RK_KE_RBF ? -0.5 / (k->width * k->width) : -1 / k->width, square = k->width * k->width;
    if (k->kernel == RK_KE_LINEAR) {
        for (int64_t c = 0; c < d; c++)
            for (int64_t j = 0; j < nj; j++) h[j] += z[c] * k->columns[c * n + j0 + j];
        return;
    }
    (k->kernel == RK_KE_LAPLACIAN ? rk_add_absolutes : rk_add_squares)(nj, d, z, k->columns + j0, n, h);
    if (k->kernel == RK_KE_CAUCHY) {
        for (int64_t j = 0; j < nj; j++) h[j] = square / (square + h[j]);
        return;
    }
    for (int64_t j = 0; j < nj; j++)
        h[j] = by * h[j] > FAR ? by * h[j] : -1000; /* exp gives exactly 0, and no slow subnormals */
    rk_exp(nj, h);
}

/* A tile of rows of H, with their means and squares. */
static rkhs_status gram_tile(void *context, int64_t tile, int worker) {
    ke_loop *a = context;
    rk_ke *k = a->k;
    int64_t n = k->n;
    double *sums = k->sums + tile * SUMS;
    memset(sums, 0, SUMS * sizeof *sums);
    for (int64_t i = tile * RK_TILE; i < rk_min((tile + 1) * RK_TILE, n); i++) {
        double *h = k->H + i * n;
        memset(h, 0, (size_t)n * sizeof *h);
        if (!a->near)
            gram_part(a, i, 0, n, h);
        else
            for (int64_t t = 0; t < a->parts; t++)
                if (a->near[i / a->tile * a->parts + t])
                    gram_part(a, i, t * a->tile, rk_min(a->tile, n - t * a->tile), h + t * a->tile);
        k->rows[i] = rk_sum(n, h) / (double)n;
        k->squares[i] = rk_dot(i, h, h) + rk_dot(n - i - 1, h + i + 1, h + i + 1);
        sums[0] += k->own[i] = h[i];
        for (int64_t j = 0; a->rebuild && j < n; j++) k->W[i * n + j] = h[j] * a->b[j];
    }
    return RKHS_OK;
}

/* Tile (i, j), j <= i, of b_i b_j (H~H~)_ij + (b_i + b_j) (H~DH~)_ij, and its transpose; its diagonal is not used.
 * H~H~ is computed as H H - (h_i + h_j) H_ij off the diagonal, H~DH~ likewise. */
static rkhs_status triples_tile(void *context, int64_t tile, int worker) {
    ke_loop *a = context;
    rk_ke *k = a->k;
    int64_t ti, tj, n = k->n, t = a->tile, full = a->near ? t : n;
    rk_triangle_position(tile, &ti, &tj);
    int64_t i0 = ti * t, j0 = tj * t, ni = rk_min(t, n - i0), nj = rk_min(t, n - j0);
    double *P = k->room + worker * k->room_each, *M = k->M + i0 * n + j0;
    for (int64_t i = 0; i < ni; i++) memset(M + i * n, 0, (size_t)nj * sizeof *M);
    for (int64_t i = 0; i < ni; i++) memset(P + i * RK_TILE, 0, (size_t)nj * sizeof *P);
    for (int64_t l0 = 0; l0 < n; l0 += full) {
        int64_t nl = rk_min(full, n - l0), l = l0 / t;
        if (a->near && !(a->near[ti * a->parts + tj] && a->near[ti * a->parts + l] && a->near[tj * a->parts + l])) continue;
        rk_product(ni, nj, nl, k->H + i0 * n + l0, n, k->H + j0 * n + l0, n, 1, M, n);
        rk_product(ni, nj, nl, k->H + i0 * n + l0, n, k->W + j0 * n + l0, n, 1, P, RK_TILE);
    }
    for (int64_t i = 0; i < ni; i++) {
        const double *h = k->H + (i0 + i) * n + j0, *b = a->b + j0, *w = k->own + j0, own = a->b[i0 + i], hi = k->own[i0 + i];
        for (int64_t j = 0; j < nj; j++) {
            double S = M[i * n + j] - (hi + w[j]) * h[j], T = P[i * RK_TILE + j] - (hi * own + w[j] * b[j]) * h[j];
            M[i * n + j] = own * b[j] * S + (own + b[j]) * T;
        }
    }
    if (ti != tj) rk_transpose(ni, nj, M, n, k->M + j0 * n + i0, n);
    return RKHS_OK;
}

/* For a tile of rows: the sum over triples, |Hc|^2 and <Hc, Gc> of the centred Grams. */
static rkhs_status sums_tile(void *context, int64_t tile, int worker) {
    ke_loop *a = context;
    rk_ke *k = a->k;
    int64_t n = k->n;
    double *sums = k->sums + tile * SUMS;
    for (int64_t i = tile * RK_TILE; i < rk_min((tile + 1) * RK_TILE, n); i++) {
        const double *h = k->H + i * n;
        if (a->rebuild) {
            const double *m = k->M + i * n;
            sums[1] += rk_dot(i, m, h) + rk_dot(n - i - 1, m + i + 1, h + i + 1);
        }
        if (!a->align) continue;
        const double *g = k->G + i * k->ldg;
        double own = k->rows[i] - a->mean, square = 0, inner = 0;
        for (int64_t j = 0; j < n; j++) {
            double v = h[j] - own - k->rows[j];
            square += v * v;
            inner += v * (g[j] - k->means[j]); /* rows and columns of v sum to 0: constants of g cancel */
        }
        sums[2] += square;
        sums[3] += inner;
    }
    return RKHS_OK;
}

/* w = df/dH, row i. */
static void slope_row(const ke_loop *a, int64_t i, double *w) {
    const rk_ke *k = a->k;
    int64_t n = k->n;
    const double *h = k->H + i * n;
    memset(w, 0, (size_t)n * sizeof *w);
    if (a->rebuild) {
        const double *m = k->M + i * n;
        double by = k->reconstruction_weight / (double)n, own = h[i] * a->b[i] * a->b[i] - 2 * a->b[i];
        for (int64_t j = 0; j < n; j++) {
            double hj = k->kernel == RK_KE_LINEAR ? k->H[j * n + j] : 1;
            w[j] = by * (m[j] + (own + hj * a->b[j] * a->b[j] - 2 * a->b[j]) * h[j]);
        }
        w[i] = by * (a->b[i] * a->b[i] * k->squares[i] + 1);
    }
    if (!a->align) return;
    const double *g = k->G + i * k->ldg;
    double to_g = -k->alignment_weight / (a->norm * k->norm),
           to_h = k->alignment_weight * a->inner / (a->norm * a->norm * a->norm * k->norm);
    double own_g = k->means[i] - k->mean, own_h = k->rows[i] - a->mean;
    for (int64_t j = 0; j < n; j++) w[j] += to_g * (g[j] - own_g - k->means[j]) + to_h * (h[j] - own_h - k->rows[j]);
}

/* dZ of a tile of rows. */
static rkhs_status slope_tile(void *context, int64_t tile, int worker) {
    ke_loop *a = context;
    rk_ke *k = a->k;
    int64_t n = k->n, d = k->dim;
    double *w = k->slope + worker * rk_padded(n);
    for (int64_t i = tile * RK_TILE; i < rk_min((tile + 1) * RK_TILE, n); i++) {
        const double *z = a->Z + i * d, *h = k->H + i * n;
        slope_row(a, i, w);
        if (k->kernel != RK_KE_LINEAR)
            for (int64_t j = 0; j < n; j++) w[j] *= h[j];
        if (k->kernel == RK_KE_CAUCHY) /* dh/ds = -h^2/width^2, where rbf has -h/(2 width^2) */
            for (int64_t j = 0; j < n; j++) w[j] *= 2 * h[j];
        for (int64_t c = 0; c < d; c++) {
            const double *y = k->columns + c * n;
            double sum = 0;
            if (k->kernel == RK_KE_LINEAR)
                sum = 2 * rk_dot(n, w, y);
            else if (k->kernel != RK_KE_LAPLACIAN)
                sum = -2 / (k->width * k->width) * rk_weighted_difference(n, w, z[c], y);
            else
                for (int64_t j = 0; j < n; j++) sum -= 2 / k->width * w[j] * ((z[c] > y[j]) - (z[c] < y[j]));
            a->dZ[i * d + c] += sum;
        }
    }
    return RKHS_OK;
}

/* Adds the terms that need the whole H to f and dZ. */
static rkhs_status eval_whole(ke_loop *a, rkhs_env *env, double *f) {
    rkhs_status status = RKHS_OK;
    rk_ke *k = a->k;
    int64_t n = k->n, d = k->dim, tiles = (n + RK_TILE - 1) / RK_TILE;
    double sums[SUMS];
    TRY(whole_room(env, k, a->rebuild, a->align));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < d; c++) k->columns[c * n + i] = a->Z[i * d + c];
    TRY(rk_parallel(env, NULL, tiles, gram_tile, a));
    if (a->rebuild) TRY(rk_parallel(env, NULL, a->parts * (a->parts + 1) / 2, triples_tile, a));
    a->mean = rk_rows_sum(n, 1, k->rows) / (double)n;
    TRY(rk_parallel(env, NULL, tiles, sums_tile, a));
    for (int q = 0; q < SUMS; q++) sums[q] = rk_tree_sum(tiles, SUMS, k->sums + q);
    a->norm = sqrt(sums[2]);
    a->inner = sums[3];
    if (a->rebuild) {
        rk_row_sum own = {0};
        for (int64_t i = 0; i < n; i++) rk_add_row(&own, (k->H[i * n + i] * a->b[i] * a->b[i] - 2 * a->b[i]) * k->squares[i]);
        k->loss = sums[0] + sums[1] / 3 + rk_row_total(&own);
        *f += k->reconstruction_weight * k->loss / (double)n;
    }
    if (a->align) {
        k->alignment = a->norm > 0 ? a->inner / (a->norm * k->norm) : 0;
        *f += k->alignment_weight * (1 - k->alignment);
        if (!(a->norm > 1e-13 * (double)n)) { /* all points coincide, or the kernel cannot tell them apart */
            if (rk_rows_norm(n, d, a->Z) > 0)
                FAIL(env, RKHS_ERR_NUMERIC,
                     "width=%g makes the embedding's kernel the same for all pairs: choose another width", k->width);
            *f = NAN;
        }
    }
    if (a->dZ) TRY(rk_parallel(env, NULL, tiles, slope_tile, a));
done:
    return status;
}

/* eval_whole with the objects in an order in which many tiles of H are 0. */
static rkhs_status eval_sorted(ke_loop *a, rkhs_env *env, double *f) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = a->k->n, d = a->k->dim, count = 0, *order;
    double *Z, *dZ, *b, *out = a->dZ;
    char *near;
    a->tile = SMALL;
    a->parts = (n + SMALL - 1) / SMALL;
    TRY(rk_scratch(env, n, sizeof *order, &order));
    TRY(rk_scratch(env, n, sizeof *b, &b));
    TRY(rk_scratch(env, n * d, sizeof *Z, &Z));
    TRY(rk_scratch(env, n * d, sizeof *dZ, &dZ));
    TRY(rk_scratch(env, a->parts * a->parts, 1, &near));
    TRY(rk_ke_sort(env, n, d, a->Z, a->tile, order));
    for (int64_t i = 0; i < n; i++) {
        b[i] = a->b[order[i]];
        memcpy(Z + i * d, a->Z + order[i] * d, (size_t)d * sizeof *Z);
    }
    rk_ke_near_tiles(n, d, Z, a->tile, REACH * a->k->width, near);
    for (int64_t q = 0; q < a->parts * a->parts; q++) count += near[q];
    if (2 * count > a->parts * a->parts) { /* few tiles are 0: large ones are faster */
        near = NULL;
        a->tile = RK_TILE;
        a->parts = (n + RK_TILE - 1) / RK_TILE;
    }
    a->Z = Z, a->b = b, a->near = near;
    a->dZ = out ? dZ : NULL;
    TRY(eval_whole(a, env, f));
    for (int64_t i = 0; out && i < n; i++)
        for (int64_t c = 0; c < d; c++) out[order[i] * d + c] += dZ[i * d + c];
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_ke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt) {
    rkhs_status status = RKHS_OK;
    rk_ke *k = context;
    ke_loop a = {.k = k,
                 .Z = Z,
                 .dZ = dZ,
                 .b = k->b,
                 .rebuild = k->reconstruction_weight != 0,
                 .align = k->alignment_weight != 0,
                 .tile = RK_TILE};
    int low = 0;
    *f = 0;
    if (dZ) memset(dZ, 0, (size_t)(k->n * k->dim) * sizeof *dZ);
    k->rank = 0;
    if (k->skip > 0) {
        k->skip--;
    } else if (k->max_rank && (a.rebuild || !k->G)) {
        TRY(rk_ke_eval_low_rank(k, env, Z, f, dZ, &low));
        if (!low) k->skip = SKIP;
    }
    if (low) {
        a.rebuild = 0;
        a.align = a.align && k->G != NULL;
    }
    a.parts = (k->n + a.tile - 1) / a.tile;
    if (a.rebuild || a.align) TRY(k->max_rank && !a.align ? eval_sorted(&a, env, f) : eval_whole(&a, env, f));
done:
    return status;
}
