/* knn.c: the share of rows whose class is that of most of their k nearest others (leave-one-out). Ties of votes go to the
 * smaller code, ties of distance to the earlier row. */
#include "score/score.h"

typedef struct knn {
    int64_t k;
} knn;

static const rk_param params[] = {
    {.name = "k",
     .kind = RK_INT,
     .offset = offsetof(knn, k),
     .value = "5",
     .min = 1,
     .max = 1000,
     .brief = "neighbours that vote"},
    {.name = NULL},
};

typedef struct vote_loop {
    const rk_bound *z;
    const rk_labels *labels;
    int64_t k;
    double *tiles;  /* workers x RK_TILE x RK_TILE */
    double *near;   /* workers x RK_TILE x k: squared distances with a minus, largest first */
    int64_t *who;   /* the same: rows */
    int64_t *votes; /* workers x classes */
    char *right;    /* one for each row */
    rk_work *work;
} vote_loop;

/* The class with most votes. */
static int64_t winner(const vote_loop *v, const int64_t *who, int64_t *votes) {
    int64_t best = 0;
    for (int64_t c = 0; c < v->labels->classes; c++) votes[c] = 0;
    for (int64_t q = 0; q < v->k; q++) votes[v->labels->codes[who[q]]]++;
    for (int64_t c = 1; c < v->labels->classes; c++)
        if (votes[c] > votes[best]) best = c;
    return best;
}

static rkhs_status vote_tile(void *context, int64_t tile, int worker) {
    vote_loop *v = context;
    int64_t n = v->z->x->rows, i0 = tile * RK_TILE, ni = rk_least(RK_TILE, n - i0), counts[RK_TILE] = {0};
    double *out = v->tiles + (int64_t)worker * RK_TILE * RK_TILE, *near = v->near + (int64_t)worker * RK_TILE * v->k;
    int64_t *who = v->who + (int64_t)worker * RK_TILE * v->k;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_least(RK_TILE, n - j0);
        rk_vector_squares(v->z, i0, ni, v->z, j0, nj, out, RK_TILE, v->work[worker]);
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                if (i0 + i != j0 + j)
                    counts[i] = rk_top_offer(near + i * v->k, who + i * v->k, counts[i], v->k, j0 + j, -out[i * RK_TILE + j]);
    }
    for (int64_t i = 0; i < ni; i++)
        v->right[i0 + i] = winner(v, who + i * v->k, v->votes + worker * v->labels->classes) == v->labels->codes[i0 + i];
    return RKHS_OK;
}

static rkhs_status score_knn(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *z, const rkhs_data *labels,
                             double *value) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *metric = NULL;
    rk_bound *bound = NULL;
    vote_loop v = {.labels = labels->self, .k = ((const knn *)self)->k};
    int64_t workers = rk_workers(env), n = z->rows, right = 0;
    if (v.k >= n)
        FAIL(env, RKHS_ERR_DATA, "knn: k = %lld, but there are only %lld other rows: choose a smaller k", (long long)v.k,
             (long long)(n - 1));
    TRY(rk_kernel_new(env, "rbf(sigma=1)", &metric));
    TRY(rk_bind(env, metric, z, NULL, &bound));
    v.z = bound;
    TRY(rk_work_new(env, bound, bound, &v.work));
    TRY(rk_scratch(env, workers * RK_TILE * RK_TILE, sizeof *v.tiles, &v.tiles));
    TRY(rk_scratch(env, workers * RK_TILE * v.k, sizeof *v.near, &v.near));
    TRY(rk_scratch(env, workers * RK_TILE * v.k, sizeof *v.who, &v.who));
    TRY(rk_scratch(env, workers * v.labels->classes, sizeof *v.votes, &v.votes));
    TRY(rk_scratch(env, n, 1, &v.right));
    TRY(rk_parallel(env, "score", (n + RK_TILE - 1) / RK_TILE, vote_tile, &v));
    for (int64_t i = 0; i < n; i++) right += v.right[i];
    *value = (double)right / (double)n;
done:
    rk_unbind(env, bound);
    rkhs_kernel_free(metric);
    return status;
}

const rk_score_type rk_score_knn = {
    .entry = {.name = "knn",
              .brief = "leave-one-out accuracy of the k nearest neighbours",
              .formula = "mean [class = vote of k nearest]",
              .cost = "n^2 dim",
              .params = params,
              .size = sizeof(knn)},
    .needs_labels = 1,
    .score = score_knn,
};
