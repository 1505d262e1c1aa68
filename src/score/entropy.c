/* entropy.c: the score entropy: how evenly an embedding uses its dimensions, the spectral entropy of its covariance.
 *
 *     share * -sum_i p_i log p_i / log d    p_i = l_i / sum_j l_j,   l the eigenvalues of Z'HZ (d x d),   H = I - 11'/n
 *
 * 1: all directions have the same variance; 0: only one varies. exp of the sum is the effective rank (Roy, Vetterli,
 * EUSIPCO 2007). For kernel PCA, l are the eigenvalues of its components. Evenness alone is no guide to a bandwidth:
 * as it goes to 0, all eigenvalues become equal and the embedding becomes noise. Hence `share`, the part of the
 * variance in feature space that the embedding holds: sum_j l_j / tr HKH, at most 1, from at most 2000 rows, evenly
 * spread. It needs objects and kernel, else it is 1, and it is meaningful for projections such as kernel PCA. Labels
 * are not used. Compare only embeddings of the same dimension d. */
#include "score/score.h"

/* C = Z'HZ, both triangles. Columns are centred first, which keeps more digits. */
static rkhs_status covariance(rkhs_env *env, const double *z, int64_t n, int64_t d, int64_t ld, double *mean, double *C) {
    rk_block_sum sums;
    rkhs_status status = rk_block_sum_new(env, n, d * d, &sums);
    if (status != RKHS_OK) return status;
    rk_column_means(n, d, z, ld, mean);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t a = 0; a < d; a++)
            for (int64_t b = 0; b <= a; b++) sums.tile[a * d + b] += (z[i * ld + a] - mean[a]) * (z[i * ld + b] - mean[b]);
        rk_next_row(&sums);
    }
    rk_block_total(&sums, C);
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < a; b++) C[b * d + a] = C[a * d + b];
    return RKHS_OK;
}

enum { SAMPLE = 2000 };

/* The sample variance of the objects in feature space: tr HKH / (n-1). */
static rkhs_status feature_variance(rkhs_env *env, const rkhs_score_input *w, double *variance) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = w->x->rows, m = rk_min(n, SAMPLE), *rows;
    const rkhs_data *use;
    rkhs_data *view = NULL, *some = NULL;
    rkhs_kernel *kernel = NULL;
    rk_bound *bound = NULL;
    double *K;
    rk_row_sum sum = {0};
    TRY(rk_kernel_copy(w->kernel, &kernel));
    TRY(rk_kernel_coerce(kernel, w->x, NULL, &use, &view));
    TRY(rk_kernel_freeze(kernel, use));
    TRY(rk_scratch(env, m, sizeof *rows, &rows));
    for (int64_t i = 0; i < m; i++) rows[i] = i * n / m;
    TRY(rk_data_subset(use, rows, m, &some));
    TRY(rk_bind(env, kernel, some, NULL, &bound));
    TRY(rk_require_memory(env, 8.0 * (double)m * (double)m, "the variance of the objects", "leave out the kernel"));
    TRY(rk_scratch(env, m * m, sizeof *K, &K));
    TRY(rk_gram_symmetric(env, bound, K, m));
    for (int64_t i = 0; i < m; i++) rk_add_row(&sum, rk_rows_sum(m, 1, K + i * m));
    *variance = (rk_rows_sum(m, m + 1, K) - rk_row_total(&sum) / (double)m) / (double)(m - 1);
    if (!(*variance > 0))
        FAIL(env, RKHS_ERR_DATA, "entropy: all objects are equal to the kernel: there is no variance to hold");
done:
    rk_unbind(env, bound);
    rkhs_data_free(some);
    rkhs_data_free(view);
    rkhs_kernel_free(kernel);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status family_entropy(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = w->z->rows, d = w->z->columns, ld;
    const rkhs_data *wide;
    rkhs_data *view = NULL;
    double *C, *V, *mean, *l, sum = 0, entropy = 0, share = 1, variance = 0;
    if (d < 2)
        FAIL(env, RKHS_ERR_DATA, "entropy: an embedding of one dimension has none to compare: give it at least two dimensions");
    if (w->x && w->kernel && w->x->rows != n)
        FAIL(env, RKHS_ERR_DATA, "%s, but the embedding has %s: give one for each", rk_counted(w->x->rows, "object").text,
             rk_counted(n, "row").text);
    TRY(rk_scratch(env, d * d, sizeof *C, &C));
    TRY(rk_scratch(env, d * d, sizeof *V, &V));
    TRY(rk_scratch(env, d, sizeof *mean, &mean));
    TRY(rk_scratch(env, d, sizeof *l, &l));
    TRY(rk_data_widen(env, w->z, &wide, &view));
    const double *z = rkhs_data_values(wide, &ld);
    TRY(covariance(env, z, n, d, ld, mean, C));
    TRY(rk_eigen(env, d, C, d, 0, d - 1, l, V));
    for (int64_t i = 0; i < d; i++) sum += fmax(l[i], 0);
    if (!(sum > 0)) FAIL(env, RKHS_ERR_DATA, "entropy: all rows of the embedding are the same, and nothing varies");
    for (int64_t i = 0; i < d; i++)
        if (l[i] > 0) entropy -= l[i] / sum * log(l[i] / sum);
    if (w->x && w->kernel) {
        TRY(feature_variance(env, w, &variance));
        share = fmin(1, sum / (double)(n - 1) / variance);
    }
    for (int i = 0; i < count; i++) items[i].value = share * entropy / log((double)d);
done:
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}

const rk_score_type rk_score_entropy = {
    .entry =
        {.name = "entropy",
         .brief = "how evenly the variance is spread over the dimensions (1: equally, 0: all in one), times the share of the "
                  "objects' "
                  "variance in feature space that they explain, where objects and kernel are given",
         .formula = "share * -sum p log p / log d",
         .where =
             "p: the eigenvalues of the covariance of the embedding over their sum; d: the dimensions; share: the share of the "
             "objects' variance, 1 without objects",
         .cost = "n dim^2, and the Gram of at most 2000 rows"},
    .family = family_entropy,
};
