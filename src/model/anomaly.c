/* anomaly.c: anomaly scores: how unlike the training objects a new object is; higher is stranger.
 *
 *     error  |phi(x) - f(z)|^2 / mean_j k(x_j, x_j), f(z) = m + sum_j w_j (phi(x_j) - m), w = (K_Z + ridge I)^-1 k_Z(z)
 *     density  -log 1/n sum_j N(z; z_j, h^2 S),          S the covariance of the codes, h = n^(-1/(r+4)), r its rank
 *     both     the larger of the two, each as -log of the share of training objects that score as high
 *
 * z is the code (embedding) of x, m the mean of the phi(x_j), K_Z the rbf Gram of the codes and k_Z(z) the same
 * kernel's values with z. f is a ridge regression from codes to feature space; its width and ridge minimise the
 * leave-one-out error. For codes that determine phi(x), the error is the novelty of Hoffmann, "Kernel PCA for novelty
 * detection", Pattern Recognition 40, 2007. h is the bandwidth of Scott, "Multivariate density estimation", 1992.
 * Shares are counted among the scores of the training objects, each left out of regression and density. Above the
 * highest tenth they continue as an exponential tail with the same mean. All is computed on first use from at most
 * 2000 objects, evenly spread: t^3 flops for t of them, then t^2 a new object.
 *
 * An isolated object has no kernel value above rounding with the objects of the map (isolated.c). Its code means
 * nothing, and often lies in the middle of the others. It gets the highest possible score, whatever the method. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 }; /* rows of a tile: few, so that a product with 2000 x 2000 numbers can be cancelled soon */

static const double STRANGEST = RK_MAX_ABS;

/* What `error` needs, computed from m objects of the map. */
typedef struct feature {
    int64_t m, d;
    rkhs_data *objects;
    rk_bound *bound;
    double *codes;      /* m x d */
    double *A, *K;      /* m x m: (K_Z + ridge I)^-1; the centred Gram of the objects */
    double *mean, all;  /* of each row of the Gram before centring; the mean of all of it */
    double rate, scale; /* 1/(2 width^2); the mean of k(x_j, x_j) */
    double *left_out;   /* m: leave-one-out errors, ascending */
} feature;

/* What `density` needs: t training codes, whitened (their covariance is I). */
typedef struct cloud {
    int64_t t, d, r;
    double *mean, *axes; /* d; r x d */
    double *Y;           /* t x r */
    double rate, base;   /* 1/(2 h^2); the log of the normaliser */
    double *left_out;    /* t: leave-one-out scores, ascending */
} cloud;

struct rk_anomaly_state {
    feature feature; /* m = 0: not computed yet */
    cloud cloud;     /* t = 0: not computed yet */
};

static void feature_free(rkhs_env *env, feature *f) {
    rk_unbind(env, f->bound);
    rkhs_data_free(f->objects);
    double *const own[] = {f->codes, f->A, f->K, f->mean, f->left_out};
    for (int i = 0; i < 5; i++) rk_free(env, own[i]);
    *f = (feature){0};
}

static void cloud_free(rkhs_env *env, cloud *c) {
    double *const own[] = {c->mean, c->axes, c->Y, c->left_out};
    for (int i = 0; i < 4; i++) rk_free(env, own[i]);
    *c = (cloud){0};
}

void rk_anomaly_state_free(rkhs_env *env, rk_anomaly_state *anomaly) {
    if (!anomaly) return;
    feature_free(env, &anomaly->feature);
    cloud_free(env, &anomaly->cloud);
    rk_free(env, anomaly);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- error ----------------------------------------------------------------------------------------------------- */

/* A squared distance over the scale; 0 where it may be rounding of products as large as `self` and the scale. */
static double relative(const feature *f, double square, double self) {
    if (!isfinite(square)) return INFINITY;
    return square > 1e-12 * (self + f->scale) ? square / f->scale : 0;
}

/* Chooses width and ridge by some of the objects. A factor of the centred Gram has their images as rows. */
static rkhs_status choose_width_and_ridge(rkhs_env *env, const feature *f, double *width, double *ridge) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = rk_min(f->m, RK_RIDGE_TRIAL), rank, *pivots;
    double *K, *Phi, *values;
    rkhs_data *codes = NULL;
    TRY(rk_scratch(env, n * n, sizeof *K, &K));
    TRY(rk_scratch(env, n * n, sizeof *Phi, &Phi));
    TRY(rk_scratch(env, n, sizeof *pivots, &pivots));
    TRY(rk_data_dense_new(env, n, f->d, &values, &codes));
    for (int64_t i = 0; i < n; i++) {
        int64_t row = i * f->m / n;
        memcpy(values + i * f->d, f->codes + row * f->d, (size_t)f->d * sizeof *values);
        for (int64_t j = 0; j < n; j++) K[i * n + j] = f->K[row * f->m + j * f->m / n];
    }
    TRY(rk_pivoted_cholesky(env, "anomaly", n, K, n, 1e-10, Phi, pivots, &rank));
    for (int64_t i = 0; i < n; i++) memmove(Phi + i * rank, Phi + i * n, (size_t)rank * sizeof *Phi);
    if (rank == 0) memset(Phi, 0, (size_t)n * sizeof *Phi); /* all objects are equal: one column of zeros */
    TRY(rk_ridge_choose(env, "anomaly", codes, Phi, rk_max(rank, 1), width, ridge));
done:
    rkhs_data_free(codes);
    rk_scratch_release(env, mark);
    return status;
}

/* Computes the Gram of the objects, its means and its scale, and centres it. */
static rkhs_status centred_gram(rkhs_env *env, feature *f) {
    int64_t m = f->m;
    rkhs_status status = rk_gram_symmetric(env, f->bound, f->K, m);
    if (status != RKHS_OK) return status;
    f->scale = rk_rows_sum(m, m + 1, f->K) / (double)m;
    for (int64_t i = 0; i < m; i++) f->mean[i] = rk_sum(m, f->K + i * m) / (double)m;
    f->all = rk_rows_sum(m, 1, f->mean) / (double)m;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) f->K[i * m + j] += f->all - f->mean[i] - f->mean[j];
    if (!(f->scale > 0)) f->scale = 1;
    return RKHS_OK;
}

/* Leave-one-out errors of the objects: (A K A)_ii / A_ii^2. */
static rkhs_status leave_one_out_errors(rkhs_env *env, feature *f) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t m = f->m;
    double *T;
    TRY(rk_scratch(env, m * m, sizeof *T, &T));
    TRY(rk_gemm(env, "anomaly", 'n', 'n', m, m, m, 1.0, f->A, m, f->K, m, 0.0, T, m));
    for (int64_t i = 0; i < m; i++) {
        double own = f->A[i * m + i];
        f->left_out[i] = relative(f, rk_dot(m, T + i * m, f->A + i * m) / (own * own), 0);
    }
    qsort(f->left_out, (size_t)m, sizeof *f->left_out, ascending);
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status feature_fit(rkhs_model *model, feature *f) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    rk_mark mark = rk_scratch_mark(env);
    rk_map *map = model->map;
    int64_t m = rk_min(map->object_count, RK_RIDGE_PAIRS), *which, bad;
    double width, ridge, *J;
    char need[32], limit[32];
    rkhs_data *codes = NULL;
    rkhs_kernel *kernel = NULL;
    f->m = m;
    f->d = model->dim;
    if (!rk_fits_limit(env, 24.0 * (double)m * (double)m))
        TRY(rk_fail_hint(env, RKHS_ERR_MEMORY, "by=density",
                         "the anomaly score needs %s; the limit is %s: raise it, or take density",
                         rk_bytes_text(24.0 * (double)m * (double)m, need), rk_bytes_text((double)env->limit, limit)));
    TRY(rk_alloc(env, m * f->d, sizeof *f->codes, &f->codes));
    TRY(rk_alloc(env, m * m, sizeof *f->A, &f->A));
    TRY(rk_alloc(env, m * m, sizeof *f->K, &f->K));
    TRY(rk_alloc(env, m, sizeof *f->mean, &f->mean));
    TRY(rk_alloc(env, m, sizeof *f->left_out, &f->left_out));
    TRY(rk_scratch(env, m, sizeof *which, &which));
    TRY(rk_spread_codes(model, m, which, &codes));
    memcpy(f->codes, rk_dense_of(codes)->values, (size_t)(m * f->d) * sizeof *f->codes);
    TRY(rk_data_subset(map->objects, which, m, &f->objects));
    TRY(rk_map_bind(env, map, model->kernel));
    TRY(rk_bind(env, model->kernel, f->objects, map->bound, &f->bound));
    TRY(centred_gram(env, f));
    TRY(choose_width_and_ridge(env, f, &width, &ridge));
    f->rate = 1 / (2 * width * width);
    TRY(rk_ridge_gram(env, width, codes, &kernel, f->A));
    for (int64_t i = 0; i < m; i++) f->A[i * m + i] += ridge;
    TRY(rk_cholesky(env, "anomaly", m, f->A, m, &bad));
    if (bad >= 0) FAIL(env, RKHS_ERR_NUMERIC, "the anomaly score: the codes are too close together to be told apart");
    TRY(rk_scratch(env, m * m, sizeof *J, &J));
    TRY(rk_cholesky_inverse(env, m, f->A, J));
    TRY(leave_one_out_errors(env, f));
    rk_log(env, RKHS_LOG_INFO, "anomaly: %s, ridge %g, from %s", rkhs_kernel_text(kernel), ridge, rk_counted(m, "pair").text);
done:
    rkhs_kernel_free(kernel);
    rkhs_data_free(codes);
    rk_scratch_release(env, mark);
    return status;
}

typedef struct score_loop {
    const feature *f; /* for errors; NULL: densities, by c */
    const cloud *c;
    const rk_bound *rows;
    const double *Z;
    int64_t n, tile;
    double *room; /* room_each doubles for each worker */
    int64_t room_each;
    rk_work *work;
    double *out;
} score_loop;

/* Errors of a tile of rows. */
static rkhs_status error_tile(void *context, int64_t tile, int worker) {
    rkhs_status status = RKHS_OK;
    const score_loop *a = context;
    const feature *f = a->f;
    int64_t m = f->m, d = f->d, i0 = tile * a->tile, ni = rk_min(a->tile, a->n - i0);
    double *k = a->room + worker * a->room_each, *near = k + a->tile * m, *u = near + a->tile * m, *v = near;
    double *self = u + a->tile * m;
    for (int64_t j0 = 0; j0 < m; j0 += RK_TILE)
        TRY(rk_block_of(a->rows, i0, ni, f->bound, j0, rk_min(RK_TILE, m - j0), k + j0, m, a->work[worker]));
    TRY(rk_diag_of(a->rows, i0, ni, self, a->work[worker]));
    for (int64_t i = 0; i < ni; i++) {
        const double *z = a->Z + (i0 + i) * d;
        for (int64_t j = 0; j < m; j++) {
            double sum = 0;
            for (int64_t c = 0; c < d; c++) sum += (z[c] - f->codes[j * d + c]) * (z[c] - f->codes[j * d + c]);
            near[i * m + j] = -f->rate * sum;
        }
        rk_exp(m, near + i * m);
    }
    rk_gemm_tile('n', 'n', ni, m, m, 1.0, near, m, f->A, m, 0.0, u, m);
    rk_gemm_tile('n', 'n', ni, m, m, 1.0, u, m, f->K, m, 0.0, v, m); /* overwrites `near` */
    for (int64_t i = 0; i < ni; i++) {
        double mean = rk_sum(m, k + i * m) / (double)m, error;
        for (int64_t j = 0; j < m; j++) k[i * m + j] += f->all - f->mean[j] - mean;
        error = self[i] - 2 * mean + f->all - 2 * rk_dot(m, u + i * m, k + i * m) + rk_dot(m, u + i * m, v + i * m);
        a->out[i0 + i] = relative(f, error, self[i]);
    }
done:
    return status;
}

static rkhs_status error_all(rkhs_model *m, const feature *f, const rkhs_data *x, const double *Z, double *out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    rk_bound *rows = NULL;
    score_loop a = {.f = f, .Z = Z, .n = x->rows, .out = out};
    TRY(rk_bind(env, m->kernel, x, m->map->bound, &rows));
    a.rows = rows;
    a.tile = rk_min(ROWS, rk_kernel_tile_rows(rows, f->bound));
    a.room_each = rk_padded(a.tile * (3 * f->m + 1));
    int64_t tiles = (a.n + a.tile - 1) / a.tile, workers = tiles > 1 ? rk_workers(env) : 1;
    TRY(rk_work_for(env, workers, rows, f->bound, &a.work));
    TRY(rk_scratch(env, workers * a.room_each, sizeof *a.room, &a.room));
    TRY(rk_kernel_parallel(env, "anomaly", m->kernel, tiles, error_tile, &a));
done:
    rk_unbind(env, rows);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- density --------------------------------------------------------------------------------------------------- */

/* Whitens a code. */
static void whiten(const cloud *c, const double *z, double *y) {
    for (int64_t a = 0; a < c->r; a++) {
        y[a] = 0;
        for (int64_t b = 0; b < c->d; b++) y[a] += c->axes[a * c->d + b] * (z[b] - c->mean[b]);
    }
}

/* -log of the density at y, leaving out training code `skip` (-1: none); work: t numbers. */
static double minus_log(const cloud *c, const double *y, int64_t skip, double *work) {
    double most = -INFINITY;
    for (int64_t j = 0; j < c->t; j++) {
        double sum = 0;
        for (int64_t a = 0; a < c->r; a++) sum += (y[a] - c->Y[j * c->r + a]) * (y[a] - c->Y[j * c->r + a]);
        work[j] = -c->rate * sum;
        if (j != skip) most = fmax(most, work[j]);
    }
    if (!(most > -INFINITY)) return INFINITY;
    for (int64_t j = 0; j < c->t; j++) work[j] = j == skip ? -1e4 : work[j] - most; /* exp gives 0 */
    rk_exp(c->t, work);
    return c->base - most - log(rk_sum(c->t, work)) + log(skip < 0 ? (double)c->t : (double)(c->t - 1));
}

static rkhs_status density_tile(void *context, int64_t tile, int worker) {
    const score_loop *a = context;
    const cloud *c = a->c;
    double *work = a->room + worker * a->room_each, *y = work + c->t;
    for (int64_t i = tile * a->tile; i < rk_min(a->n, (tile + 1) * a->tile); i++) {
        if (a->Z) whiten(c, a->Z + i * c->d, y);
        a->out[i] = minus_log(c, a->Z ? y : c->Y + i * c->r, a->Z ? -1 : i, work);
    }
    return RKHS_OK;
}

/* Scores of n codes. Z NULL: leave-one-out scores of the training codes. */
static rkhs_status density_all(rkhs_env *env, const cloud *c, const double *Z, int64_t n, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    score_loop a = {.c = c, .Z = Z, .n = n, .tile = ROWS, .out = out, .room_each = rk_padded(c->t + c->r)};
    TRY(rk_scratch(env, rk_workers(env) * a.room_each, sizeof *a.room, &a.room));
    TRY(rk_parallel(env, "anomaly", (n + ROWS - 1) / ROWS, density_tile, &a));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Principal axes of the codes with positive variance, divided by their standard deviations. */
static rkhs_status find_axes(rkhs_env *env, const double *codes, cloud *c) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t t = c->t, d = c->d;
    double *centred, *S, *w, *V;
    TRY(rk_scratch(env, t * d, sizeof *centred, &centred));
    TRY(rk_scratch(env, d * d, sizeof *S, &S));
    TRY(rk_scratch(env, d * d, sizeof *V, &V));
    TRY(rk_scratch(env, d, sizeof *w, &w));
    rk_column_means(t, d, codes, d, c->mean);
    for (int64_t i = 0; i < t * d; i++) centred[i] = codes[i] - c->mean[i % d];
    TRY(rk_syrk(env, "anomaly", t, d, centred, d, NULL, S, d));
    TRY(rk_eigen(env, d, S, d, 0, d - 1, w, V));
    c->base = 0;
    for (int64_t a = d - 1; a >= 0 && w[a] > 1e-12 * w[d - 1]; a--, c->r++) {
        double variance = w[a] / (double)(t - 1);
        for (int64_t b = 0; b < d; b++) c->axes[c->r * d + b] = V[a * d + b] / sqrt(variance);
        c->base += 0.5 * log(2 * 3.14159265358979323846 * variance);
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status cloud_fit(const rkhs_model *m, cloud *c) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t t = rk_min(m->n, RK_RIDGE_PAIRS), d = m->dim;
    double *codes, h;
    c->t = t;
    c->d = d;
    TRY(rk_alloc(env, d, sizeof *c->mean, &c->mean));
    TRY(rk_alloc(env, d * d, sizeof *c->axes, &c->axes));
    TRY(rk_alloc(env, t * d, sizeof *c->Y, &c->Y));
    TRY(rk_alloc(env, t, sizeof *c->left_out, &c->left_out));
    TRY(rk_scratch(env, t * d, sizeof *codes, &codes));
    for (int64_t i = 0; i < t; i++) memcpy(codes + i * d, m->Z + i * m->n / t * d, (size_t)d * sizeof *codes);
    TRY(find_axes(env, codes, c));
    for (int64_t i = 0; i < t; i++) whiten(c, codes + i * d, c->Y + i * c->r);
    h = pow((double)t, -1.0 / (double)(c->r + 4));
    c->rate = 1 / (2 * h * h);
    c->base += (double)c->r * log(h);
    TRY(density_all(env, c, NULL, t, c->left_out));
    qsort(c->left_out, (size_t)t, sizeof *c->left_out, ascending);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

/* -log of the share of n ascending scores, and v itself, that are v or more. Above the highest tenth: -log(1/10) plus
 * the excess of v over the mean excess there. */
static double surprise(const double *left_out, int64_t n, double v) {
    int64_t tenth = 9 * n / 10, below = 0, high = n;
    double excess, count = 0;
    rk_row_sum sum = {0};
    for (int64_t i = tenth; i < n; i++)
        if (left_out[i] > left_out[tenth]) rk_add_row(&sum, left_out[i] - left_out[tenth]), count++;
    excess = rk_row_total(&sum);
    if (excess > 0 && v > left_out[tenth]) return log(10) + (v - left_out[tenth]) * count / excess;
    while (below < high) {
        int64_t middle = (below + high) / 2;
        if (left_out[middle] < v)
            below = middle + 1;
        else
            high = middle;
    }
    return 0 - log((double)(n - below + 1) / (double)(n + 1)); /* 0 - ..., so that it is never -0 */
}

enum { BY_ERROR = 1, BY_DENSITY = 2 };

/* The scores to compute, as bits. Refuses unknown names, and the error for a precomputed Gram. */
static rkhs_status asked_for(const rkhs_model *m, const char *by, int *which) {
    int given = m->map->objects->type->kind == RK_KIND_GRAM;
    if (!by)
        *which = given ? BY_DENSITY : BY_ERROR;
    else if (strcmp(by, "density") == 0)
        *which = BY_DENSITY;
    else if (strcmp(by, "error") == 0 || strcmp(by, "both") == 0)
        *which = BY_ERROR | (by[0] == 'b' ? BY_DENSITY : 0);
    else
        return rk_fail(m->env, RKHS_ERR_SPEC, "there is no anomaly score by '%.40s': choose error, density or both", by);
    if (given && *which & BY_ERROR)
        return rk_fail(m->env, RKHS_ERR_DATA,
                       "the error needs k(x,x) of new objects, which rows of a precomputed Gram do not have: use density");
    return RKHS_OK;
}

/* Computes what the scores need, unless it is there. */
static rkhs_status ensure(rkhs_model *m, int which) {
    rkhs_status status = RKHS_OK;
    if (!m->anomaly) TRY(rk_alloc(m->env, 1, sizeof *m->anomaly, &m->anomaly));
    feature *f = &m->anomaly->feature;
    cloud *c = &m->anomaly->cloud;
    if (which & BY_ERROR && !f->m) {
        status = feature_fit(m, f);
        if (status != RKHS_OK) feature_free(m->env, f);
        TRY(status);
    }
    if (which & BY_DENSITY && !c->t) {
        status = cloud_fit(m, c);
        if (status != RKHS_OK) cloud_free(m->env, c);
    }
done:
    return status;
}

rkhs_status rkhs_model_anomaly(rkhs_model *model, const rkhs_data *x, const char *by, double *scores) {
    if (!model) return RKHS_ERR_ARGUMENT;
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    double *Z, *errors, *densities;
    char *isolated;
    int which = 0;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_blas_begin(env));
    if (!x || !scores) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_model_anomaly: no %s: the pointer is NULL", x ? "scores" : "data");
    TRY(rk_model_view(model, x, &use, &view));
    if (model->type->predicts)
        FAIL(env, RKHS_ERR_ARGUMENT, "%s predicts, and makes no codes to compare objects by: use a model that embeds",
             model->type->entry.name);
    TRY(asked_for(model, by, &which));
    TRY(ensure(model, which));
    TRY(rk_scratch(env, use->rows * model->dim, sizeof *Z, &Z));
    TRY(rk_scratch(env, use->rows, sizeof *errors, &errors));
    TRY(rk_scratch(env, use->rows, sizeof *densities, &densities));
    TRY(rk_scratch(env, use->rows, 1, &isolated));
    TRY(rk_place_all(model, use, Z, model->dim, isolated));
    const feature *f = &model->anomaly->feature;
    const cloud *c = &model->anomaly->cloud;
    if (which & BY_DENSITY) TRY(density_all(env, c, Z, use->rows, densities));
    if (which & BY_ERROR) TRY(error_all(model, f, use, Z, errors));
    for (int64_t i = 0; i < use->rows; i++) {
        double score = which == BY_ERROR ? errors[i]
                       : which == BY_DENSITY
                           ? densities[i]
                           : fmax(surprise(f->left_out, f->m, errors[i]), surprise(c->left_out, c->t, densities[i]));
        scores[i] = isolated[i] ? STRANGEST : fmin(score, STRANGEST);
    }
done:
    rk_blas_end(env);
    rkhs_data_free(view);
    rk_scratch_release(env, mark);
    return status;
}
