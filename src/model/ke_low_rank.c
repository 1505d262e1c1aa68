/* ke_low_rank.c: the objective of autoreconstructive kernel embedding by a low-rank factor, without n x n matrices.
 *
 * In few dimensions the Gram of a wide rbf kernel has low rank: H = F F' to within 1e-11, F n x r. With D = diag b, b
 * the weights of stage 1,
 *
 *     L = tr(H D H D H) - 2 tr(H D H D) + 2 sum b^2 - sum b^2 (H^2)_ii + sum (b^2 - 2b) ((H^2)_ii - 1) + n
 *     dL/dH_ij = b_i b_j (H^2)_ij + (b_i + b_j) (HDH)_ij - (4 b_i b_j + 2 b_i + 2 b_j) H_ij,   j != i
 *
 * The gradient needs sum_j (dL/dH o H)_ij w_j for w = 1 and for each column of Z. These are quadratic forms in the
 * rows f_i of F: with B_w = F'diag(w)F the sum is
 *
 *     b_i f_i'(B_1 B_bw + B_b B_w - 4 B_bw - 2 B_w) f_i + f_i'(B_b B_bw - 2 B_bw) f_i
 *
 * at n r^2 flops each. Alignment with G = Phi Phi' has the same form: <Hc, Gc> = |Phi_c'F|^2 and sum_j Gc_ij H_ij w_j
 * = phi_i'(Phi_c'diag(w)F) f_i, where c marks centred matrices. */
#include "model/ke.h"

#include <string.h>

enum { LEAST = 1000 }; /* fewer objects are faster without a factor */
static const double TOL = 1e-11;

int64_t rk_ke_max_rank(int64_t n, int64_t dim) { return n < LEAST || dim > 3 ? 0 : rk_min(n / 5, 2000); }

typedef struct points {
    const rk_ke *k;
    const double *Z;
} points;

static void latent_entries(const void *context, int64_t i, const int64_t *index, int64_t count, double *out) {
    const points *a = context;
    int64_t d = a->k->dim;
    double by = -0.5 / (a->k->width * a->k->width);
    for (int64_t q = 0; q < count; q++) {
        double s = 0;
        for (int64_t c = 0; c < d; c++) {
            double v = a->Z[i * d + c] - a->Z[index[q] * d + c];
            s += v * v;
        }
        out[q] = by * s;
    }
    rk_exp(count, out);
}

typedef struct low {
    rk_ke *k;
    rkhs_env *env;
    int64_t n, r, m;
    const double *b;
    double *C, *Cb;           /* B_1, B_b */
    double *Bw, *Bbw, *T, *U; /* r x r */
    double *V;                /* m x r */
    double *middle, *t;       /* r: the mean row of F; F'w */
    double *w, *sums;         /* n, n */
    double to_g, to_h;        /* factors of Gc and Hc in the gradient of the alignment */
} low;

static rkhs_status low_room(low *a) {
    rkhs_status status = RKHS_OK;
    int64_t r = a->r, square = r * r;
    double **squares[] = {&a->C, &a->Cb, &a->Bw, &a->Bbw, &a->T, &a->U};
    for (int q = 0; q < 6; q++) TRY(rk_scratch(a->env, square, sizeof **squares[q], squares[q]));
    TRY(rk_scratch(a->env, a->m * r, sizeof *a->V, &a->V));
    TRY(rk_scratch(a->env, r, sizeof *a->middle, &a->middle));
    TRY(rk_scratch(a->env, r, sizeof *a->t, &a->t));
    TRY(rk_scratch(a->env, a->n, sizeof *a->w, &a->w));
    TRY(rk_scratch(a->env, a->n, sizeof *a->sums, &a->sums));
done:
    return status;
}

/* X = diag(w o v) F; w or v NULL: 1. */
static void weigh(const low *a, const double *w, const double *v) {
    int64_t max_rank = a->k->max_rank;
    for (int64_t i = 0; i < a->n; i++) {
        double by = (w ? w[i] : 1) * (v ? v[i] : 1);
        const double *f = a->k->F + i * max_rank;
        double *x = a->k->X + i * max_rank;
        for (int64_t q = 0; q < a->r; q++) x[q] = by * f[q];
    }
}

/* B = F'X */
static rkhs_status gather(const low *a, double *B) {
    return rk_tall_product(a->env, a->n, a->r, a->r, a->k->F, a->k->max_rank, a->k->X, a->k->max_rank, B, a->r);
}

/* sums_i += scale_i e_i'T f_i, E is n x m, T is m x r; scale NULL: 1. */
static rkhs_status add_forms(const low *a, const double *E, int64_t lde, int64_t m, const double *T, const double *scale) {
    rkhs_status status = RKHS_OK;
    int64_t n = a->n, r = a->r, max_rank = a->k->max_rank;
    TRY(rk_gemm(a->env, NULL, 'n', 'n', n, r, m, 1.0, E, lde, T, r, 0.0, a->k->Y, max_rank));
    for (int64_t i = 0; i < n; i++)
        a->sums[i] += (scale ? scale[i] : 1) * rk_dot(r, a->k->Y + i * max_rank, a->k->F + i * max_rank);
done:
    return status;
}

/* sums_i = sum_j (df/dH o H)_ij w_j; w NULL: 1, whose B_w is C. */
static rkhs_status slope_sums(low *a, const double *w) {
    rkhs_status status = RKHS_OK;
    const rk_ke *k = a->k;
    int64_t n = a->n, r = a->r, square = r * r;
    double by = k->reconstruction_weight / (double)n;
    memset(a->sums, 0, (size_t)n * sizeof *a->sums);
    weigh(a, w, NULL);
    if (w)
        TRY(gather(a, a->Bw));
    else
        memcpy(a->Bw, a->C, (size_t)square * sizeof *a->C);
    if (k->alignment_weight != 0 && !k->G) {
        TRY(rk_tall_product(a->env, n, a->m, r, k->centred, a->m, k->X, k->max_rank, a->V, r));
        for (int64_t q = 0; q < a->m * r; q++) a->V[q] *= a->to_g;
        TRY(add_forms(a, k->centred, a->m, a->m, a->V, NULL));
        rk_column_sums(n, r, k->X, k->max_rank, a->t); /* Hc: (f_i - middle)'(B_w - middle t') f_i, t = F'w */
        for (int64_t p = 0; p < r; p++)
            for (int64_t q = 0; q < r; q++) a->T[p * r + q] = a->to_h * (a->Bw[p * r + q] - a->middle[p] * a->t[q]);
        memset(a->t, 0, (size_t)r * sizeof *a->t);
        for (int64_t p = 0; p < r; p++)
            for (int64_t q = 0; q < r; q++) a->t[q] += a->middle[p] * a->T[p * r + q];
        for (int64_t i = 0; i < n; i++) a->sums[i] -= rk_dot(r, a->t, k->F + i * k->max_rank);
    } else {
        memset(a->T, 0, (size_t)square * sizeof *a->T);
    }
    if (k->reconstruction_weight != 0) {
        weigh(a, w, a->b);
        if (w)
            TRY(gather(a, a->Bbw));
        else
            memcpy(a->Bbw, a->Cb, (size_t)square * sizeof *a->Cb);
        TRY(rk_gemm(a->env, NULL, 'n', 'n', r, r, r, by, a->C, r, a->Bbw, r, 0.0, a->U, r));
        TRY(rk_gemm(a->env, NULL, 'n', 'n', r, r, r, by, a->Cb, r, a->Bw, r, 1.0, a->U, r));
        for (int64_t q = 0; q < square; q++) a->U[q] -= by * (4 * a->Bbw[q] + 2 * a->Bw[q]);
        TRY(add_forms(a, k->F, k->max_rank, r, a->U, a->b));
        TRY(rk_gemm(a->env, NULL, 'n', 'n', r, r, r, by, a->Cb, r, a->Bbw, r, 1.0, a->T, r));
        for (int64_t q = 0; q < square; q++) a->T[q] -= by * 2 * a->Bbw[q];
    }
    TRY(add_forms(a, k->F, k->max_rank, r, a->T, NULL));
done:
    return status;
}

/* L, from C, Cb and the forms f_i'C f_i. */
static rkhs_status rebuild_loss(low *a) {
    rkhs_status status = RKHS_OK;
    rk_ke *k = a->k;
    int64_t n = a->n, r = a->r;
    TRY(rk_gemm(a->env, NULL, 'n', 'n', r, r, r, 1.0, a->Cb, r, a->C, r, 0.0, a->T, r));
    rk_row_sum own = {0};
    memset(a->sums, 0, (size_t)n * sizeof *a->sums);
    TRY(add_forms(a, k->F, k->max_rank, r, a->C, NULL));
    for (int64_t i = 0; i < n; i++) {
        double b = a->b[i];
        rk_add_row(&own, 2 * b * b - b * b * a->sums[i] + (b * b - 2 * b) * (a->sums[i] - 1));
    }
    k->loss = rk_dot(r * r, a->T, a->Cb) - 2 * rk_dot(r * r, a->Cb, a->Cb) + (double)n + rk_row_total(&own);
done:
    return status;
}

/* CKA with G = Phi Phi', and the factors of its gradient. */
static rkhs_status alignment(low *a) {
    rkhs_status status = RKHS_OK;
    rk_ke *k = a->k;
    int64_t n = a->n, r = a->r;
    double square = 0;
    rk_column_means(n, r, k->F, k->max_rank, a->middle);
    for (int64_t p = 0; p < r; p++)
        for (int64_t q = 0; q < r; q++) {
            double v = a->C[p * r + q] - (double)n * a->middle[p] * a->middle[q];
            square += v * v;
        }
    TRY(rk_tall_product(a->env, n, a->m, r, k->centred, a->m, k->F, k->max_rank, a->V, r));
    double norm = sqrt(square), inner = rk_dot(a->m * r, a->V, a->V);
    if (!(norm > 1e-13 * (double)n))
        FAIL(a->env, RKHS_ERR_NUMERIC, "width=%g makes the embedding's kernel the same for all pairs: choose another width",
             k->width);
    k->alignment = inner / (norm * k->norm);
    a->to_g = -k->alignment_weight / (norm * k->norm);
    a->to_h = k->alignment_weight * inner / (norm * norm * norm * k->norm);
done:
    return status;
}

rkhs_status rk_ke_eval_low_rank(rk_ke *k, rkhs_env *env, const double *Z, double *f, double *dZ, int *is_low) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = k->n, d = k->dim, *pivots;
    double rest, *first;
    low a = {.k = k, .env = env, .n = n, .m = k->G || k->alignment_weight == 0 ? 0 : k->m, .b = k->b};
    *is_low = 0;
    TRY(rk_scratch(env, n, sizeof *pivots, &pivots));
    TRY(rk_pivoted_factor(env, NULL, n, latent_entries, &(points){k, Z}, TOL, k->max_rank, k->F, pivots, &a.r, &rest));
    if (rest > TOL || a.r < 2) goto done; /* the kernel is too narrow, or all points coincide */
    *is_low = 1;
    k->rank = a.r;
    TRY(low_room(&a));
    weigh(&a, NULL, NULL);
    TRY(gather(&a, a.C));
    if (k->reconstruction_weight != 0) {
        weigh(&a, a.b, NULL);
        TRY(gather(&a, a.Cb));
        TRY(rebuild_loss(&a));
        *f += k->reconstruction_weight * k->loss / (double)n;
    }
    if (a.m) {
        TRY(alignment(&a));
        *f += k->alignment_weight * (1 - k->alignment);
    }
    if (!dZ) goto done;
    TRY(rk_scratch(env, n, sizeof *first, &first));
    TRY(slope_sums(&a, NULL));
    memcpy(first, a.sums, (size_t)n * sizeof *first);
    for (int64_t c = 0; c < d; c++) {
        for (int64_t i = 0; i < n; i++) a.w[i] = Z[i * d + c];
        TRY(slope_sums(&a, a.w));
        for (int64_t i = 0; i < n; i++) dZ[i * d + c] -= 2 / (k->width * k->width) * (Z[i * d + c] * first[i] - a.sums[i]);
    }
done:
    rk_scratch_release(env, mark);
    return status;
}
