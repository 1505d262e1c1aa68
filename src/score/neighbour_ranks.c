/* neighbour_ranks.c: scores of how well neighbourhoods are preserved: trustworthiness, continuity and others.
 *
 * For a row i let r_ij be the rank of j among the others by distance between the objects (1 is the nearest), s_ij the
 * same in the embedding, X_i and Z_i the k nearest by each, N the number of others, n the number of rows:
 *
 *     trustworthiness   1 - c sum_i sum_{j in Z_i} max(0, r_ij - k)        c = 2 / (n k (2N - 3k + 1))
 *     continuity        1 - c sum_i sum_{j in X_i} max(0, s_ij - k)
 *     continuity_ke     1 - c sum_i sum_{j in X_i, s_ij > k} (s_ij - k + 1)^2,   as in the KE paper; may be negative
 *     mrre              sum_i sum_{j in Z_i} |r_ij - s_ij| / s_ij, over its largest value: 0 is best
 *     qnx               the share of X_i that is in Z_i
 *     rnx               (N qnx - k) / (N - k)          lcmc   qnx - k/N
 *
 * All come from one pass over tiles of distances. A worker holds the distances of some rows to all others, picks the
 * nearest by one side and counts their ranks on the other. No n x n matrix is stored. The continuities need X_i and s,
 * the others Z_i and r; only what is requested is computed. New rows are ranked among the training rows. Ties go to
 * the earlier row:
 *
 *     r_ij = 1 + #{l < j: d_il <= d_ij} + #{l > j: d_il < d_ij},
 *
 * one comparison for each distance of the row. Venna, Kaski 2006; Lee, Verleysen 2007, 2009; Chen, Buja 2009. */
#include "score/score.h"

typedef struct ranks {
    int64_t k;
} ranks;

/* Distances that a worker holds of each side, and their rows; distances counted while they are in the cache; distances
 * compared at once in the search for a nearer one. */
enum { ROOM = 1 << 21, MAX_ROWS = 64, CHUNK = 1024, BLOCK = 64 };

typedef enum which { TRUST, CONTINUITY, CONTINUITY_KE, MRRE, QNX, RNX, LCMC } which;

/* Sums for one k, over one row or all rows; added as rows of an array. */
typedef struct sums {
    double trust, continuity, continuity_ke, mrre, overlap;
} sums;

typedef struct rank_loop {
    rk_distance_space x, z;
    int64_t n, others, max_k, rows; /* rows scored; other rows; the largest k; rows of a tile */
    int itself;                     /* rows and columns are the same objects; a row is not its own neighbour */
    int rank_x, rank_z;             /* which ranks are needed: r of Z_i, s of X_i */
    int count;
    const int64_t *k;
    double *dx, *dz;     /* workers x rows x columns */
    double *near;        /* workers x max_k */
    int64_t *who, *rank; /* workers x max_k: nearest on one side; workers x 2 x max_k: r of Z_i, s of X_i, else 1 */
    sums *out;           /* n x count */
} rank_loop;

RK_VERSIONS(static, int64_t, count_below, (int64_t n, const double *v, double limit), (n, v, limit)) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) count += v[j] < limit;
    return count;
}

RK_VERSIONS(static, int64_t, count_upto, (int64_t n, const double *v, double limit), (n, v, limit)) {
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) count += v[j] <= limit;
    return count;
}

/* The ranks by d of the columns `who`, by the formula above. All ranks are counted in a chunk of d before the next
 * chunk. */
static void rank_all(const double *d, int64_t n, int64_t max_k, const int64_t *who, int64_t *rank) {
    for (int64_t q = 0; q < max_k; q++) rank[q] = 1;
    for (int64_t from = 0; from < n; from += CHUNK) {
        int64_t to = rk_min(from + CHUNK, n);
        for (int64_t q = 0; q < max_k; q++) {
            int64_t j = who[q], before = rk_max(from, rk_min(j, to)), after = rk_max(from, rk_min(j + 1, to));
            if (before > from) rank[q] += count_upto(before - from, d + from, d[j]);
            if (after < to) rank[q] += count_below(to - after, d + after, d[j]);
        }
    }
}

/* The first column from j on that is nearer than `limit`, or n. Most blocks have none. */
RK_VERSIONS(static, int64_t, next_nearer, (const double *d, int64_t j, int64_t n, double limit), (d, j, n, limit)) {
    for (; j + BLOCK <= n; j += BLOCK) {
        int64_t nearer = 0;
        for (int64_t l = 0; l < BLOCK; l++) nearer += d[j + l] < limit;
        if (nearer) break;
    }
    while (j < n && !(d[j] < limit)) j++;
    return j;
}

/* The max_k nearest columns, nearest first; max_k <= n. */
static void pick(const double *d, int64_t n, int64_t max_k, double *near, int64_t *who) {
    int64_t count = 0, j = 0;
    for (; j < max_k; j++) count = rk_top_offer(near, who, count, max_k, j, -d[j]);
    while ((j = next_nearer(d, j, n, -near[max_k - 1])) < n) {
        rk_top_offer(near, who, count, max_k, j, -d[j]);
        j++;
    }
}

/* The sums of one row for one k. rx: ranks among the objects of the embedding's neighbours; rz: the other way
 * round. */
static sums sum_row(int64_t k, const int64_t *rx, const int64_t *rz) {
    sums s = {0};
    for (int64_t q = 0; q < k; q++) {
        double over_x = (double)(rx[q] - k), over_z = (double)(rz[q] - k);
        if (over_x > 0) s.trust += over_x;
        if (over_z > 0) s.continuity += over_z;
        if (over_z > 0) s.continuity_ke += (over_z + 1) * (over_z + 1);
        s.mrre += fabs((double)(rx[q] - (q + 1))) / (double)(q + 1);
        s.overlap += rx[q] <= k;
    }
    return s;
}

/* Distances of rows i0 .. i0+ni-1 to all columns. */
static rkhs_status fill_distances(const rank_loop *r, const rk_distance_space *space, int64_t i0, int64_t ni, double *d,
                                  int worker) {
    int64_t columns = space->b->x->rows;
    for (int64_t j = 0; j < columns; j += RK_TILE) {
        rkhs_status status = rk_distance_space_tile(space, i0, ni, j, rk_min(RK_TILE, columns - j), d + j, columns, worker);
        if (status != RKHS_OK) return status;
    }
    for (int64_t i = 0; r->itself && i < ni; i++) d[i * columns + i0 + i] = INFINITY;
    return RKHS_OK;
}

static rkhs_status rank_tile(void *context, int64_t tile, int worker) {
    rank_loop *r = context;
    int64_t columns = r->x.b->x->rows, i0 = tile * r->rows, ni = rk_min(r->rows, r->n - i0), max_k = r->max_k;
    double *dx = r->dx + worker * rk_padded(r->rows * columns), *dz = r->dz + worker * rk_padded(r->rows * columns),
           *near = r->near + worker * max_k;
    int64_t *who = r->who + worker * max_k, *rank = r->rank + worker * 2 * max_k;
    for (int64_t q = 0; q < 2 * max_k; q++) rank[q] = 1;
    rkhs_status status = fill_distances(r, &r->x, i0, ni, dx, worker);
    if (status == RKHS_OK) status = fill_distances(r, &r->z, i0, ni, dz, worker);
    for (int64_t i = 0; status == RKHS_OK && i < ni; i++) {
        const double *x = dx + i * columns, *z = dz + i * columns;
        if (r->rank_x) {
            pick(z, columns, max_k, near, who);
            rank_all(x, columns, max_k, who, rank);
        }
        if (r->rank_z) {
            pick(x, columns, max_k, near, who);
            rank_all(z, columns, max_k, who, rank + max_k);
        }
        for (int c = 0; c < r->count; c++) r->out[(i0 + i) * r->count + c] = sum_row(r->k[c], rank, rank + max_k);
    }
    return status;
}

/* The value of a score from its sums over all rows. */
static double value_of(which w, int64_t k, int64_t n, int64_t others, const sums *s) {
    double rows = (double)n, K = (double)k, N = (double)others, c = 2 / (rows * K * (2 * N - 3 * K + 1)), worst = 0;
    double qnx = s->overlap / (rows * K);
    switch (w) {
    case TRUST: return 1 - c * s->trust;
    case CONTINUITY: return 1 - c * s->continuity;
    case CONTINUITY_KE: return 1 - c * s->continuity_ke;
    case MRRE:
        for (int64_t q = 1; q <= k; q++) worst += fabs(N + 1 - 2 * (double)q) / (double)q;
        return s->mrre / (rows * worst);
    case QNX: return qnx;
    case RNX: return (N * qnx - K) / (N - K);
    case LCMC: return qnx - K / N;
    }
    return NAN;
}

static rkhs_status make_room(rkhs_env *env, rank_loop *r) {
    rkhs_status status = RKHS_OK;
    int64_t workers = rk_workers(env), columns = r->x.b->x->rows;
    r->rows = rk_min(MAX_ROWS, columns ? ROOM / columns : 1);
    if (r->rows < 1) r->rows = 1;
    TRY(rk_scratch(env, workers * rk_padded(r->rows * columns), sizeof *r->dx, &r->dx));
    TRY(rk_scratch(env, workers * rk_padded(r->rows * columns), sizeof *r->dz, &r->dz));
    TRY(rk_scratch(env, workers * r->max_k, sizeof *r->near, &r->near));
    TRY(rk_scratch(env, workers * r->max_k, sizeof *r->who, &r->who));
    TRY(rk_scratch(env, workers * 2 * r->max_k, sizeof *r->rank, &r->rank));
    TRY(rk_scratch(env, r->n * r->count, sizeof *r->out, &r->out));
done:
    return status;
}

static which which_of(const rk_score_type *type);

static rkhs_status family_ranks(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    rank_loop r = {.itself = !w->new_z, .count = count};
    int64_t *k;
    r.n = w->new_z ? w->new_z->rows : w->z->rows;
    r.others = w->z->rows - r.itself;
    TRY(rk_scratch(env, count, sizeof *k, &k));
    r.k = k;
    for (int c = 0; c < count; c++) {
        which asked = which_of(items[c].type);
        if (asked == CONTINUITY || asked == CONTINUITY_KE)
            r.rank_z = 1;
        else
            r.rank_x = 1;
        k[c] = ((const ranks *)items[c].self)->k;
        if (k[c] > r.max_k) r.max_k = k[c];
        if (2 * k[c] >= w->z->rows)
            FAIL(env, RKHS_ERR_DATA, "%s: k = %lld must be below half of the %s: choose a smaller k", items[c].type->entry.name,
                 (long long)k[c], rk_counted(w->z->rows, "row").text);
    }
    TRY(rk_distance_space_new(env, w->new_z ? w->new_x : w->x, w->new_z ? w->x : NULL, w->kernel, &r.x));
    TRY(rk_distance_space_new(env, w->new_z ? w->new_z : w->z, w->new_z ? w->z : NULL, NULL, &r.z));
    TRY(make_room(env, &r));
    TRY(rk_parallel(env, "score", (r.n + r.rows - 1) / r.rows, rank_tile, &r));
    for (int c = 0; c < count; c++) {
        sums all;
        int64_t width = sizeof all / sizeof(double);
        rk_column_sums(r.n, width, (const double *)(r.out + c), count * width, (double *)&all);
        items[c].value = value_of(which_of(items[c].type), k[c], r.n, r.others, &all);
    }
done:
    rk_distance_space_free(&r.z);
    rk_distance_space_free(&r.x);
    return status;
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "k", .kind = RK_INT, .offset = offsetof(ranks, k), .value = "12", .min = 1, .max = 1e6,
     .brief = "number of neighbours in a neighbourhood"},
    {.name = NULL},
};

#define RANK_WHERE                                                                                                             \
    "X_i, Z_i: the k nearest of row i among the objects and in the embedding; rank_x, rank_z: the rank of j by distance "      \
    "from i, 1 is the nearest; N: the number of other rows; c = 2 / (n k (2N - 3k + 1)); worst: the largest that the sum can be"
#define RANK_SCORE(NAME, BRIEF, FORMULA) RANK_SCORE_BY(RK_MORE_IS_BETTER, NAME, BRIEF, FORMULA)
#define RANK_SCORE_BY(BETTER, NAME, BRIEF, FORMULA)                                                                            \
    {                                                                                                                          \
        .entry = {.name = NAME, .brief = BRIEF, .formula = FORMULA, .where = RANK_WHERE, .params = params, .size = sizeof(ranks), \
                  .cost = "n^2 (p + dim), together with the others of this kind"},                                               \
        .needs = RK_NEEDS_X, .takes_new = 1, .better = BETTER, .family = family_ranks,                                         \
    }

/* clang-format on */

const rk_score_type rk_score_trustworthiness =
    RANK_SCORE("trustworthiness", "whether neighbours in the embedding are neighbours among the objects",
               "1 - c sum_i sum_{j in Z_i} max(0, rank_x(i,j) - k)");
const rk_score_type rk_score_continuity =
    RANK_SCORE("continuity", "whether neighbours among the objects are neighbours in the embedding",
               "1 - c sum_i sum_{j in X_i} max(0, rank_z(i,j) - k)");
const rk_score_type rk_score_continuity_ke =
    RANK_SCORE("continuity_ke", "continuity with a squared penalty, as the KE paper prints it; may be negative",
               "1 - c sum_i sum_{j in X_i, rank_z > k} (rank_z(i,j) - k + 1)^2");
const rk_score_type rk_score_mrre =
    RANK_SCORE_BY(RK_LESS_IS_BETTER, "mrre", "mean relative rank error of the embedding's neighbours; 0 is best",
                  "sum_i sum_{j in Z_i} |rank_x - rank_z| / rank_z / worst");
const rk_score_type rk_score_qnx =
    RANK_SCORE("qnx", "share of the k nearest objects that are among the k nearest in the embedding", "mean |X_i and Z_i| / k");
const rk_score_type rk_score_rnx =
    RANK_SCORE("rnx", "qnx rescaled: 0 for a random embedding, 1 for a perfect one", "(N qnx - k) / (N - k)");
const rk_score_type rk_score_lcmc =
    RANK_SCORE("lcmc", "local continuity meta-criterion: qnx minus its value for a random embedding", "qnx - k / N");

static which which_of(const rk_score_type *type) {
    static const rk_score_type *const order[] = {&rk_score_trustworthiness,
                                                 &rk_score_continuity,
                                                 &rk_score_continuity_ke,
                                                 &rk_score_mrre,
                                                 &rk_score_qnx,
                                                 &rk_score_rnx,
                                                 &rk_score_lcmc};
    int w = 0;
    while (order[w] != type) w++;
    return (which)w;
}
