/* knn.c: the score knn: the accuracy of a k-nearest-neighbour classifier in the embedding, leave-one-out or on new
 * rows.
 *
 * Ties of votes go to the smaller class code, ties of distance to the earlier row. */
#include "score/score.h"

#include <string.h>

typedef struct knn {
    int64_t k;
} knn;

/* clang-format off */
static const rk_param params[] = {
    {.name = "k", .kind = RK_INT, .offset = offsetof(knn, k), .value = "5", .min = 1, .max = 1000,
     .brief = "number of neighbours that vote"},
    {.name = NULL},
};
/* clang-format on */

typedef struct vote_loop {
    rk_distance_space space;
    const rk_labels *labels; /* of the columns */
    const int64_t *truth;    /* classes of the rows, as codes of the columns; -1: not among these */
    int64_t n, k;
    int itself;     /* rows and columns are the same objects */
    double *tiles;  /* workers x RK_TILE x RK_TILE */
    double *near;   /* workers x RK_TILE x k: negated squared distances, nearest first */
    int64_t *who;   /* the same shape: whose they are */
    int64_t *votes; /* workers x classes */
    char *right;    /* n: the vote was right */
} vote_loop;

/* The class with the most votes. */
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
    int64_t columns = v->space.b->x->rows, i0 = tile * RK_TILE, ni = rk_min(RK_TILE, v->n - i0), counts[RK_TILE] = {0};
    double *out = v->tiles + (int64_t)worker * RK_TILE * RK_TILE, *near = v->near + (int64_t)worker * RK_TILE * v->k;
    int64_t *who = v->who + (int64_t)worker * RK_TILE * v->k;
    for (int64_t j0 = 0; j0 < columns; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, columns - j0);
        rkhs_status status = rk_distance_space_tile(&v->space, i0, ni, j0, nj, out, RK_TILE, worker);
        if (status != RKHS_OK) return status;
        for (int64_t i = 0; i < ni; i++)
            for (int64_t j = 0; j < nj; j++)
                if (!v->itself || i0 + i != j0 + j)
                    counts[i] = rk_top_offer(near + i * v->k, who + i * v->k, counts[i], v->k, j0 + j, -out[i * RK_TILE + j]);
    }
    for (int64_t i = 0; i < ni; i++)
        v->right[i0 + i] = winner(v, who + i * v->k, v->votes + worker * v->labels->classes) == v->truth[i0 + i];
    return RKHS_OK;
}

/* The classes of new rows as codes of the others, matched by name. */
static rkhs_status match_names(rkhs_env *env, const rkhs_data *labels, const rkhs_data *fresh, const int64_t **codes) {
    const rk_labels *y = labels->self, *f = fresh->self;
    int64_t *out;
    rkhs_status status = rk_scratch(env, fresh->rows, sizeof *out, &out);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < fresh->rows; i++) {
        const char *name = rkhs_data_class_name(fresh, f->codes[i]);
        out[i] = -1;
        for (int64_t c = 0; c < y->classes && out[i] < 0; c++)
            if (strcmp(rkhs_data_class_name(labels, c), name) == 0) out[i] = c;
    }
    *codes = out;
    return RKHS_OK;
}

static rkhs_status score_knn(rkhs_env *env, const rkhs_score_input *w, int64_t k, double *value) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    vote_loop v = {.labels = w->labels->self, .k = k, .itself = !w->new_z};
    const rkhs_data *rows = w->new_z ? w->new_z : w->z;
    int64_t workers = rk_workers(env), others = w->z->rows - v.itself, right = 0;
    v.n = rows->rows;
    v.truth = v.labels->codes;
    if (v.k > others)
        FAIL(env, RKHS_ERR_DATA, "knn: k = %lld, with only %s: choose a smaller k", (long long)v.k,
             rk_counted(others, "other row").text);
    if (w->new_z) TRY(match_names(env, w->labels, w->new_labels, &v.truth));
    TRY(rk_distance_space_new(env, rows, w->new_z ? w->z : NULL, NULL, &v.space));
    TRY(rk_scratch(env, workers * RK_TILE * RK_TILE, sizeof *v.tiles, &v.tiles));
    TRY(rk_scratch(env, workers * RK_TILE * v.k, sizeof *v.near, &v.near));
    TRY(rk_scratch(env, workers * RK_TILE * v.k, sizeof *v.who, &v.who));
    TRY(rk_scratch(env, workers * v.labels->classes, sizeof *v.votes, &v.votes));
    TRY(rk_scratch(env, v.n, 1, &v.right));
    TRY(rk_parallel(env, "score", (v.n + RK_TILE - 1) / RK_TILE, vote_tile, &v));
    for (int64_t i = 0; i < v.n; i++) right += v.right[i];
    *value = (double)right / (double)v.n;
done:
    rk_distance_space_free(&v.space);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status family_knn(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    for (int i = 0; i < count && status == RKHS_OK; i++)
        status = score_knn(env, w, ((const knn *)items[i].self)->k, &items[i].value);
    return status;
}

/* clang-format off */
const rk_score_type rk_score_knn = {
    .entry = {.name = "knn", .brief = "accuracy of a k-nearest-neighbour classifier, leave-one-out or on new rows",
              .formula = "share of rows whose class wins the vote of their k nearest", .cost = "n^2 dim", .params = params, .size = sizeof(knn)},
    .needs = RK_NEEDS_LABELS, .takes_new = 1, .family = family_knn,
};
/* clang-format on */
