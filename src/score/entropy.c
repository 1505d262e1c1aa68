/* entropy.c: how evenly an embedding uses its dimensions: the spectral entropy of its covariance.
 *
 *     -sum_i p_i log p_i / log d        p_i = l_i / sum_j l_j,   l the eigenvalues of Z'HZ (d x d),   H = I - 11'/n
 *
 * 1: all directions vary alike; 0: one direction varies alone. Of kernel PCA the l are the eigenvalues that were kept. It looks
 * at no labels and no objects: embeddings of one dimension d can be compared, others hardly. Roy, Vetterli, "The effective
 * rank", EUSIPCO 2007: exp of the sum is the effective rank. */
#include "score/score.h"

/* Z'HZ, both triangles; columns are centred first, for the digits. */
static void covariance(const double *z, int64_t n, int64_t d, int64_t ld, double *mean, double *C) {
    for (int64_t c = 0; c < d; c++) mean[c] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < d; c++) mean[c] += z[i * ld + c] / (double)n;
    for (int64_t q = 0; q < d * d; q++) C[q] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < d; a++)
            for (int64_t b = 0; b <= a; b++) C[a * d + b] += (z[i * ld + a] - mean[a]) * (z[i * ld + b] - mean[b]);
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < a; b++) C[b * d + a] = C[a * d + b];
}

static rkhs_status family_entropy(rkhs_env *env, const rkhs_scored *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = w->z->rows, d = w->z->columns, ld;
    const double *z = rkhs_data_values(w->z, &ld);
    double *C, *V, *mean, *l, sum = 0, entropy = 0;
    if (d < 2)
        FAIL(env, RKHS_ERR_DATA, "entropy: an embedding of one dimension has none to compare: give it at least two dimensions");
    TRY(rk_scratch(env, d * d, sizeof *C, &C));
    TRY(rk_scratch(env, d * d, sizeof *V, &V));
    TRY(rk_scratch(env, d, sizeof *mean, &mean));
    TRY(rk_scratch(env, d, sizeof *l, &l));
    covariance(z, n, d, ld, mean, C);
    TRY(rk_eigen(env, d, C, d, 0, d - 1, l, V));
    for (int64_t i = 0; i < d; i++) sum += fmax(l[i], 0);
    if (!(sum > 0)) FAIL(env, RKHS_ERR_DATA, "entropy: all rows of the embedding are the same, and nothing varies");
    for (int64_t i = 0; i < d; i++)
        if (l[i] > 0) entropy -= l[i] / sum * log(l[i] / sum);
    for (int i = 0; i < count; i++) items[i].value = entropy / log((double)d);
done:
    rk_scratch_release(env, mark);
    return status;
}

const rk_score_type rk_score_entropy = {
    .entry = {.name = "entropy",
              .brief = "how evenly the dimensions are used, without labels: 1 all alike, 0 one alone",
              .formula = "-sum p log p / log d, p: eigenvalues of the covariance over their sum",
              .cost = "n dim^2"},
    .family = family_entropy,
};
