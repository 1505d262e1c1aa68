/* ke_single.c: the reconstruction loss of ke and its gradient as published, in single precision.
 *
 *     L = sum_ij b_i P_ij H_ij + sum_i (b_i^2 - 2 b_i) sum_j H_ij^2 + n,   P = H D H,  S = H H,  H without its diagonal
 *     dL/dH_ij = b_i S_ij b_j + P_ij (b_i + b_j) + (b_i^2 + b_j^2 - 2 b_i - 2 b_j) H_ij
 *
 * H is the rbf Gram of the embedding, b the weights of stage 1, D = diag b. Distances come from |z_i|^2 + |z_j|^2 - 2
 * z_i'z_j, as published. At the paper's scale their error is 6e-5, against 2 width^2 = 2e-4: the published results
 * depend on it as much as on seeds. */
#include "model/ke.h"

typedef struct single_loop {
    int64_t n, d;
    double width;
    const float *z, *squares, *b;
    float *H, *W, *S, *P;
    double *sums, *dZ;
} single_loop;

enum { ROWS = 64 };
#define FAR (-43.0F) /* smaller exponents give 0: products would be subnormal, and slow; Adam's 1e-8 hides them */

static rkhs_status gram_rows(void *context, int64_t tile, int worker) {
    single_loop *a = context;
    int64_t n = a->n, i0 = tile * ROWS, ni = rk_min(ROWS, n - i0);
    float by = (float)(-0.5 / (a->width * a->width));
    rk_gemm_single('n', 't', ni, n, a->d, 1, a->z + i0 * a->d, a->d, a->z, a->d, 0, a->H + i0 * n, n);
    for (int64_t i = i0; i < i0 + ni; i++)
        for (int64_t j = 0; j < n; j++) {
            float s = a->squares[i] + a->squares[j] - 2 * a->H[i * n + j];
            a->H[i * n + j] = i == j || by * s <= FAR ? 0 : expf(by * (s > 0 ? s : 0));
            a->W[i * n + j] = a->H[i * n + j] * a->b[j];
        }
    return RKHS_OK;
}

static rkhs_status slope_rows(void *context, int64_t tile, int worker) {
    single_loop *a = context;
    int64_t n = a->n, d = a->d, i0 = tile * ROWS, ni = rk_min(ROWS, n - i0);
    float *S = a->S + worker * ROWS * n, *P = a->P + worker * ROWS * n, by = (float)(-2 / (a->width * a->width)), sum = 0;
    rk_gemm_single('n', 't', ni, n, n, 1, a->H + i0 * n, n, a->H, n, 0, S, n);
    rk_gemm_single('n', 't', ni, n, n, 1, a->W + i0 * n, n, a->H, n, 0, P, n);
    for (int64_t i = 0; i < ni; i++) {
        const float *h = a->H + (i0 + i) * n, *s = S + i * n, *p = P + i * n, own = a->b[i0 + i];
        float square = 0, triples = 0;
        for (int64_t j = 0; j < n; j++) square += h[j] * h[j], triples += p[j] * h[j];
        sum += own * triples + (own * own - 2 * own) * square + 1;
        for (int64_t c = 0; a->dZ && c < d; c++) {
            float slope = 0, z = a->z[(i0 + i) * d + c];
            for (int64_t j = 0; j < n; j++) {
                float bj = a->b[j];
                float m = own * s[j] * bj + p[j] * (own + bj) + (own * own + bj * bj - 2 * own - 2 * bj) * h[j];
                slope += m * h[j] * (z - a->z[j * d + c]);
            }
            a->dZ[(i0 + i) * d + c] = by * slope;
        }
    }
    a->sums[tile] = sum;
    return RKHS_OK;
}

rkhs_status rk_ke_eval_single(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                              double *dt) {
    rkhs_status status = RKHS_OK;
    rk_ke *k = context;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = k->n, d = k->dim, tiles = (n + ROWS - 1) / ROWS;
    float *z, *squares, *b, sum;
    single_loop a = {.n = n, .d = d, .width = k->width, .dZ = dZ};
    TRY(rk_scratch(env, n * d, sizeof *z, &z));
    TRY(rk_scratch(env, n, sizeof *squares, &squares));
    TRY(rk_scratch(env, n, sizeof *b, &b));
    TRY(rk_scratch_raw(env, n * n, sizeof *a.H, &a.H));
    TRY(rk_scratch_raw(env, n * n, sizeof *a.W, &a.W));
    TRY(rk_scratch_raw(env, rk_workers(env) * ROWS * n, sizeof *a.S, &a.S));
    TRY(rk_scratch_raw(env, rk_workers(env) * ROWS * n, sizeof *a.P, &a.P));
    TRY(rk_scratch(env, tiles, sizeof *a.sums, &a.sums));
    for (int64_t i = 0; i < n; i++) {
        b[i] = (float)k->b[i];
        for (int64_t c = 0; c < d; c++) z[i * d + c] = (float)Z[i * d + c], squares[i] += z[i * d + c] * z[i * d + c];
    }
    a.z = z, a.squares = squares, a.b = b;
    TRY(rk_parallel(env, NULL, tiles, gram_rows, &a));
    TRY(rk_parallel(env, NULL, tiles, slope_rows, &a));
    sum = (float)rk_tree_sum(tiles, 1, a.sums);
    k->loss = sum;
    *f = k->reconstruction_weight * sum / (double)n;
    for (int64_t i = 0; dZ && i < n * d; i++) dZ[i] *= k->reconstruction_weight / (double)n;
done:
    rk_scratch_release(env, mark);
    return status;
}
