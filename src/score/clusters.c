/* clusters.c: scores of how well separated the classes are in an embedding, among them the silhouette.
 *
 *     davies_bouldin      mean_c max_{d != c} (s_c + s_d) / |m_c - m_d|     m: centroids, s: mean distances to them
 *     calinski_harabasz   (B / (C-1)) / (W / (n-C))                       B, W: sums of squares between, within classes
 *     silhouette          mean_i (b_i - a_i) / max(a_i, b_i)                a: mean distance of row i to its own class,
 *                                                                           b: to the nearest other; class of one: 0
 *
 * The first two cost O(n). The silhouette needs all distances; rows are sorted by class, so that a class is a range of
 * columns. Davies, Bouldin 1979; Calinski, Harabasz 1974; Rousseeuw 1987. */
#include "score/score.h"

/* Counts the rows of each class. Refuses fewer than two classes, and as many classes as rows. */
static rkhs_status count_classes(rkhs_env *env, const char *name, const rk_labels *y, int64_t n, int64_t **counts,
                                 int64_t *present) {
    rkhs_status status = RKHS_OK;
    TRY(rk_scratch(env, y->classes, sizeof **counts, counts));
    for (int64_t c = 0; c < y->classes; c++) (*counts)[c] = 0;
    for (int64_t i = 0; i < n; i++) (*counts)[y->codes[i]]++;
    *present = 0;
    for (int64_t c = 0; c < y->classes; c++) *present += (*counts)[c] > 0;
    if (*present < 2 || *present >= n)
        FAIL(env, RKHS_ERR_DATA, "%s: %s in %s: it needs at least 2, and fewer than rows", name,
             rk_counted(*present, "class").text, rk_counted(n, "row").text);
done:
    return status;
}

/* ---- centroids ------------------------------------------------------------------------------------------------- */

typedef struct centroids {
    int64_t *counts, present;
    double *means, *mean; /* classes x dim; dim */
    double between, within;
    double *spread; /* mean distance of each class to its centroid */
} centroids;

static rkhs_status find_centroids(rkhs_env *env, const char *name, const rkhs_data *z, const rk_labels *y, centroids *m) {
    rkhs_status status = RKHS_OK;
    int64_t n = z->rows, d = z->columns, varied = 0;
    const rk_dense *Z = z->self;
    rk_block_sum sums, spreads;
    rk_row_sum within = {0};
    TRY(count_classes(env, name, y, n, &m->counts, &m->present));
    TRY(rk_scratch(env, y->classes * d, sizeof *m->means, &m->means));
    TRY(rk_scratch(env, d, sizeof *m->mean, &m->mean));
    TRY(rk_scratch(env, y->classes, sizeof *m->spread, &m->spread));
    TRY(rk_block_sum_new(env, n, y->classes * d, &sums));
    TRY(rk_block_sum_new(env, n, y->classes, &spreads));
    TRY(rk_dense_means(env, z, m->mean));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++) {
            double v = rk_dense_at(Z, i, c);
            sums.tile[y->codes[i] * d + c] += v;
            varied |= v != rk_dense_at(Z, 0, c);
        }
        rk_next_row(&sums);
    }
    rk_block_total(&sums, m->means);
    for (int64_t c = 0; c < y->classes * d; c++) m->means[c] /= (double)rk_max(m->counts[c / d], 1);
    if (!varied) FAIL(env, RKHS_ERR_DATA, "%s: all rows of the embedding are equal: there is nothing to tell apart", name);
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        const double *mean = m->means + y->codes[i] * d;
        for (int64_t c = 0; c < d; c++) {
            double v = rk_dense_at(Z, i, c) - mean[c];
            square += v * v;
        }
        rk_add_row(&within, square);
        spreads.tile[y->codes[i]] += sqrt(square);
        rk_next_row(&spreads);
    }
    m->within = rk_row_total(&within);
    rk_block_total(&spreads, m->spread);
    for (int64_t c = 0; c < y->classes; c++) m->spread[c] /= (double)rk_max(m->counts[c], 1);
    for (int64_t c = 0; c < y->classes; c++)
        for (int64_t j = 0; m->counts[c] && j < d; j++)
            m->between += (double)m->counts[c] * (m->means[c * d + j] - m->mean[j]) * (m->means[c * d + j] - m->mean[j]);
done:
    return status;
}

static double davies_bouldin(const centroids *m, int64_t classes, int64_t d) {
    double sum = 0;
    for (int64_t a = 0; a < classes; a++) {
        double worst = 0;
        for (int64_t b = 0; m->counts[a] && b < classes; b++) {
            double square = 0;
            if (a == b || !m->counts[b]) continue;
            for (int64_t j = 0; j < d; j++) {
                double v = m->means[a * d + j] - m->means[b * d + j];
                square += v * v;
            }
            if (square > 0) worst = fmax(worst, (m->spread[a] + m->spread[b]) / sqrt(square)); /* as in scikit-learn */
        }
        sum += worst;
    }
    return sum / (double)m->present;
}

static rkhs_status family_davies_bouldin(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    centroids m = {0};
    rkhs_status status = find_centroids(env, items->type->entry.name, w->z, w->labels->self, &m);
    for (int i = 0; status == RKHS_OK && i < count; i++)
        items[i].value = davies_bouldin(&m, ((const rk_labels *)w->labels->self)->classes, w->z->columns);
    return status;
}

static rkhs_status family_calinski_harabasz(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    centroids m = {0};
    rkhs_status status = find_centroids(env, items->type->entry.name, w->z, w->labels->self, &m);
    double n = (double)w->z->rows, classes = (double)m.present;
    for (int i = 0; status == RKHS_OK && i < count; i++)
        items[i].value = m.within > 0 ? m.between * (n - classes) / (m.within * (classes - 1)) : 1;
    return status;
}

/* ---- silhouette ------------------------------------------------------------------------------------------------ */

typedef struct silhouette_loop {
    rk_distance_space space;
    const int64_t *starts; /* classes + 1: the range of rows of each class */
    const int64_t *code;
    int64_t classes;
    double *tiles, *sums; /* workers x RK_TILE x RK_TILE; workers x RK_TILE x classes */
    double *out;
} silhouette_loop;

RK_VERSIONS(static, double, sum_roots, (int64_t n, const double *v), (n, v)) {
    double sum = 0;
    for (int64_t j = 0; j < n; j++) sum += sqrt(v[j]);
    return sum;
}

static rkhs_status silhouette_tile(void *context, int64_t tile, int worker) {
    silhouette_loop *s = context;
    int64_t n = s->space.a->x->rows, i0 = tile * RK_TILE, ni = rk_min(RK_TILE, n - i0), classes = s->classes;
    double *out = s->tiles + (int64_t)worker * RK_TILE * RK_TILE, *sums = s->sums + (int64_t)worker * RK_TILE * classes;
    for (int64_t q = 0; q < ni * classes; q++) sums[q] = 0;
    for (int64_t j0 = 0; j0 < n; j0 += RK_TILE) {
        int64_t nj = rk_min(RK_TILE, n - j0);
        rkhs_status status = rk_distance_space_tile(&s->space, i0, ni, j0, nj, out, RK_TILE, worker);
        if (status != RKHS_OK) return status;
        for (int64_t j = j0; j < j0 + nj;) { /* ranges of one class */
            int64_t c = s->code[j], end = rk_min(s->starts[c + 1], j0 + nj);
            for (int64_t i = 0; i < ni; i++) sums[i * classes + c] += sum_roots(end - j, out + i * RK_TILE + j - j0);
            j = end;
        }
    }
    for (int64_t i = 0; i < ni; i++) {
        int64_t mine = s->code[i0 + i], size = s->starts[mine + 1] - s->starts[mine];
        double a = sums[i * classes + mine] / (double)(size > 1 ? size - 1 : 1), b = INFINITY;
        for (int64_t c = 0; c < classes; c++) {
            int64_t members = s->starts[c + 1] - s->starts[c];
            if (c != mine && members) b = fmin(b, sums[i * classes + c] / (double)members);
        }
        s->out[i0 + i] = size > 1 && fmax(a, b) > 0 ? (b - a) / fmax(a, b) : 0;
    }
    return RKHS_OK;
}

static rkhs_status family_silhouette(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    const rk_labels *y = w->labels->self;
    silhouette_loop s = {.classes = y->classes};
    rkhs_data *sorted = NULL;
    int64_t n = w->z->rows, *counts, *starts, *order, *code, present, workers = rk_workers(env);
    TRY(count_classes(env, "silhouette", y, n, &counts, &present));
    TRY(rk_scratch(env, y->classes + 1, sizeof *starts, &starts));
    TRY(rk_scratch(env, n, sizeof *order, &order));
    TRY(rk_scratch(env, n, sizeof *code, &code));
    starts[0] = 0;
    for (int64_t c = 0; c < y->classes; c++) starts[c + 1] = starts[c] + counts[c];
    for (int64_t i = 0; i < n; i++) {
        int64_t at = starts[y->codes[i] + 1] - counts[y->codes[i]]--;
        order[at] = i;
        code[at] = y->codes[i];
    }
    TRY(rk_data_subset(w->z, order, n, &sorted));
    s.starts = starts;
    s.code = code;
    TRY(rk_distance_space_new(env, sorted, NULL, NULL, &s.space));
    TRY(rk_scratch(env, workers * RK_TILE * RK_TILE, sizeof *s.tiles, &s.tiles));
    TRY(rk_scratch(env, workers * RK_TILE * y->classes, sizeof *s.sums, &s.sums));
    TRY(rk_scratch(env, n, sizeof *s.out, &s.out));
    TRY(rk_parallel(env, "score", (n + RK_TILE - 1) / RK_TILE, silhouette_tile, &s));
    for (int i = 0; i < count; i++) items[i].value = rk_rows_sum(n, 1, s.out) / (double)n;
done:
    rk_distance_space_free(&s.space);
    rkhs_data_free(sorted);
    return status;
}

/* clang-format off */
const rk_score_type rk_score_davies_bouldin = {
    .entry = {.name = "davies_bouldin", .brief = "Davies-Bouldin index: width of the classes relative to their distances; 0 is best",
              .formula = "mean_c max_d (s_c + s_d) / |m_c - m_d|",
              .where = "c, d: two classes; m_c: the mean of a class; s_c: the mean distance of its rows from m_c", .cost = "n dim"},
    .needs = RK_NEEDS_LABELS, .better = RK_LESS_IS_BETTER, .family = family_davies_bouldin,
};

const rk_score_type rk_score_calinski_harabasz = {
    .entry = {.name = "calinski_harabasz", .brief = "Calinski-Harabasz index: variance between the classes over variance within; larger is better",
              .formula = "(B / (C-1)) / (W / (n-C))",
              .where = "B, W: the sums of squares between and within classes; C: the number of classes; n: of rows", .cost = "n dim"},
    .needs = RK_NEEDS_LABELS, .family = family_calinski_harabasz,
};
/* clang-format on */

const rk_score_type rk_score_silhouette = {
    .entry = {.name = "silhouette",
              .brief = "silhouette: whether rows are nearer to their own class than to the next one; from -1 to 1",
              .formula = "mean_i (b_i - a_i) / max(a_i, b_i)",
              .where = "a_i: the mean distance of row i to its own class; b_i: to the nearest other class",
              .cost = "n^2 dim"},
    .needs = RK_NEEDS_LABELS,
    .family = family_silhouette,
};
