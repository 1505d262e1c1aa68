/* ke.c: autoreconstructive kernel embedding: an embedding whose Gram matrix resembles that of the objects.
 *
 *     1.  b = argmin  b'A(G)b - 2 c(G)'b + tr G           the weight of each object in the reconstruction of the others
 *     2.  minimise over a, Z = G a:  alignment (1 - CKA(H, G)) + reconstruction L(H; b)/n,   L as in 1 with H for G
 *
 * G is the Gram of the objects, H that of the embedding. CKA is centred kernel alignment; A and c are in ke_weights.c.
 * Alignment makes H resemble G, and keeps shapes. Reconstruction makes the points of the embedding rebuild each other
 * with the weights b: it tightens clusters at some cost in shape. Alone (alignment=0) it separates clusters and does
 * little else, and Z could shrink until one Gaussian covers all; so it has mean 0 and variance 1 throughout. New
 * objects get z(x) = a'k(D, x), D the objects of the map. Cost: a step 2 n^3 flops with reconstruction, n^2 without.
 * Feito-Casares, Melgarejo-Meseguer, Rojo-Alvarez, "Learning reconstructive embeddings in reproducing kernel Hilbert
 * spaces via the representer theorem", 2025. */
#include "model/ke.h"

#include <string.h>

enum { MORE = 2 }; /* principal components beyond dim that a further start mixes in */

typedef struct ke {
    int64_t dim, restarts;
    double alignment, reconstruction, width, label_weight;
    int embedding_kernel, start, recipe, precision;
    rk_spec *gram, *solver;
} ke;

enum { OURS, PAPER };
enum { START_KPCA, START_RANDOM };
enum { AUTO = RK_KE_CAUCHY + 1 }; /* a value of embedding_kernel */

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(ke),
    {.name = "alignment", .aliases = "align", .kind = RK_REAL, .offset = offsetof(ke, alignment), .value = "1", .max = 1e300,
     .brief = "weight of the alignment of the two Gram matrices, which keeps shapes"},
    {.name = "reconstruction", .aliases = "rebuild", .kind = RK_REAL, .offset = offsetof(ke, reconstruction), .value = "0.03",
     .max = 1e300, .brief = "weight of the reconstruction error, which tightens clusters"},
    {.name = "embedding_kernel", .aliases = "latent", .kind = RK_CHOICE, .offset = offsetof(ke, embedding_kernel),
     .value = "auto", .choices = "rbf|laplacian|linear|cauchy|auto",
     .brief = "kernel of the embedding; auto: cauchy, but rbf with alignment=0, with recipe=paper, and where gram is not "
              "exact"},
    {.name = "width", .kind = RK_REAL, .offset = offsetof(ke, width), .max = 1e300, .min_excluded = 1,
     .brief = "bandwidth of the embedding kernel, for an embedding of variance 1; not given: 0.2 dim and at most sqrt(dim), of "
              "which rbf and laplacian take 3/4; alignment=0: 1/8 of it, 0.02 in one dimension; recipe=paper: 0.01"},
    RK_PARAM_START(ke, "kpca", "kpca|random", "; recipe=paper: always random"),
    {.name = "restarts", .kind = RK_INT, .offset = offsetof(ke, restarts), .min = 1, .max = 1000,
     .brief = "number of initial embeddings; the result that fits the Gram matrix best is kept; not given: 1, or 4 with "
              "alignment=0"},
    {.name = "recipe", .kind = RK_CHOICE, .offset = offsetof(ke, recipe), .value = "ours", .choices = "ours|paper",
     .brief = "paper: as published, with reconstruction alone, no fixed scale, Adam, and the last iterate as the result"},
    {.name = "precision", .kind = RK_CHOICE, .offset = offsetof(ke, precision), .value = "double", .choices = "double|single",
     .brief = "floating-point precision of recipe=paper; the paper used single"},
    {.name = "label_weight", .aliases = "labels", .kind = RK_REAL, .offset = offsetof(ke, label_weight),
     .value = "0.5", .max = 1,
     .brief = "where labels are given: the share of the label kernel in the Gram matrix that the embedding is aligned with"},
    RK_PARAM_GRAM(ke, ""),
    {.name = "solver", .kind = RK_SPEC, .offset = offsetof(ke, solver), .list = &rk_optimisers,
     .brief = "optimiser: lbfgs, cg or adam; not given: lbfgs(max_iter=100), or with recipe=paper adam as published"},
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_ke(const void *self, const rkhs_data *y) { return ((const ke *)self)->dim; }

/* ---- normalisation: columns of mean 0, all entries of variance 1 ----------------------------------------------- */

typedef struct scaled {
    rk_ke k;
    double s; /* standard deviation of the last Y */
} scaled;

/* Z = (Y - mean)/s. */
static rkhs_status normalise(void *context, const double *Y, double *Z, double *scale, double *shift) {
    scaled *a = context;
    int64_t n = a->k.n, d = a->k.dim;
    rk_row_sum squares = {0};
    rk_column_means(n, d, Y, d, shift);
    for (int64_t i = 0; i < n; i++) rk_add_row(&squares, rk_scaled_square(d, 1, Y + i * d, 1, shift));
    a->s = sqrt(rk_row_total(&squares) / (double)(n * d));
    *scale = a->s > 0 ? 1 / a->s : 0;
    for (int64_t i = 0; i < n * d; i++) Z[i] = (Y[i] - shift[i % d]) * *scale;
    for (int64_t c = 0; c < d; c++) shift[c] *= -*scale;
    return RKHS_OK;
}

/* dY = (dZ - mean dZ - Z mean(dZ o Z))/s. */
static rkhs_status normalise_back(void *context, const double *Z, const double *dZ, double *dY) {
    const scaled *a = context;
    int64_t n = a->k.n, d = a->k.dim;
    double along = rk_rows_dot(n, d, Z, dZ) / (double)(n * d), scale = a->s > 0 ? 1 / a->s : 0;
    for (int64_t c = 0; c < d; c++) {
        double mean = rk_column_mean(n, d, c, dZ);
        for (int64_t i = 0; i < n; i++) dY[i * d + c] = (dZ[i * d + c] - mean - Z[i * d + c] * along) * scale;
    }
    return RKHS_OK;
}

/* Takes G for the alignment: stored, or as its factor Phi. */
static void take_gram(const rk_fit *f, rk_ke *k) {
    int spendable;
    if (rk_gram_offers(f->gram, RK_MATRIX)) {
        k->G = rk_gram_matrix(f->gram, &k->ldg, &spendable);
    } else {
        k->Phi = rk_gram_phi(f->gram, &k->ldp);
        k->m = f->gram->rank;
    }
}

/* The norm of the centred Y Y', Y the indicator matrix of n labelled objects; counts: objects of each class. */
static double labels_norm(int64_t n, int64_t classes, const double *counts) {
    double sum = 0, mean = 0;
    if (n == 0) return 0;
    for (int64_t c = 0; c < classes; c++) mean += counts[c] * counts[c] / ((double)n * (double)n);
    for (int64_t a = 0; a < classes; a++)
        for (int64_t b = 0; b < classes; b++) {
            double v = (a == b) - (counts[a] + counts[b]) / (double)n + mean;
            sum += counts[a] * counts[b] * v * v;
        }
    return sqrt(sum);
}

/* l y_i'y_j: l within a class, 0 between classes. An object without a label has the mean of all y, which is 0 after
 * centring. share[c] is the share of class c among labelled objects, `both` the sum of the squared shares. */
static double label_term(const rk_labels *y, int64_t i, int64_t j, const double *share, double both, double l) {
    int64_t a = y->codes[i], b = y->codes[j];
    if (a >= 0 && b >= 0) return a == b ? l : 0;
    return l * (a >= 0 ? share[a] : b >= 0 ? share[b] : both);
}

/* Replaces G by a mixture of G and the Gram of the labels, each divided by its centred norm. */
static rkhs_status mix_labels(rk_fit *f, double share, rk_ke *k) {
    rkhs_status status = RKHS_OK;
    const rk_labels *y = f->y->self;
    int64_t n = k->n, m = k->m + y->classes, known = rk_labels_count_known(f->y);
    double *counts, *made, both = 0;
    rk_ke plain = *k;
    plain.reconstruction_weight = 0;
    plain.max_rank = 0;
    plain.alignment_weight = 1;
    TRY(rk_scratch(f->env, y->classes, sizeof *counts, &counts));
    for (int64_t i = 0; i < n; i++)
        if (y->codes[i] >= 0) counts[y->codes[i]]++;
    double own = labels_norm(known, y->classes, counts), norm;
    rk_mark mark = rk_scratch_mark(f->env);
    TRY(rk_ke_alloc(f->env, &plain));
    norm = plain.norm;
    rk_scratch_release(f->env, mark);
    if (!(own > 0) || !(norm > 0)) {
        rk_log(f->env, RKHS_LOG_ADVICE, "%s: they have no part in the embedding",
               known ? "all labels are the same" : "no object has a label");
        goto done;
    }
    if (known < n) {
        rk_log(f->env, RKHS_LOG_ADVICE, "%lld of the %s have no label: the kernel alone places them", (long long)(n - known),
               rk_counted(n, "object").text);
        TRY(rk_report_number(f->env, f->report, "unlabelled", (double)(n - known)));
    }
    for (int64_t c = 0; c < y->classes; c++) counts[c] /= (double)known, both += counts[c] * counts[c];
    double g = (1 - share) / norm, l = share / own;
    if (k->G) {
        TRY(rk_require_memory(f->env, 8.0 * (double)n * (double)n, "the Gram mixed with that of the labels", NULL));
        TRY(rk_scratch_raw(f->env, n * n, sizeof *made, &made));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) made[i * n + j] = g * k->G[i * k->ldg + j] + label_term(y, i, j, counts, both, l);
        k->G = made;
        k->ldg = n;
        goto done;
    }
    TRY(rk_scratch(f->env, n * m, sizeof *made, &made));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < k->m; c++) made[i * m + c] = sqrt(g) * k->Phi[i * k->ldp + c];
        for (int64_t c = 0; c < y->classes; c++)
            made[i * m + k->m + c] = sqrt(l) * (y->codes[i] >= 0 ? y->codes[i] == c : counts[c]);
    }
    k->Phi = made;
    k->m = k->ldp = m;
done:
    return status;
}

/* Whether the kernel cannot tell the objects apart: their variance in feature space is rounding. */
static rkhs_status is_one_point(rk_fit *f, int *one) {
    rkhs_status status = RKHS_OK;
    int64_t n = f->gram->n;
    double *ones, *sums, *diag, trace, mean;
    TRY(rk_scratch(f->env, n, sizeof *ones, &ones));
    TRY(rk_scratch(f->env, n, sizeof *sums, &sums));
    TRY(rk_scratch(f->env, n, sizeof *diag, &diag));
    TRY(rk_gram_diag(f->gram, diag));
    for (int64_t i = 0; i < n; i++) ones[i] = 1;
    TRY(rk_gram_mul(f->gram, ones, 1, sums));
    trace = rk_rows_sum(n, 1, diag);
    mean = rk_rows_sum(n, 1, sums) / (double)n;
    *one = !(fabs(trace - mean) > 1e-12 * fabs(trace));
done:
    return status;
}

/* ---- starts ---------------------------------------------------------------------------------------------------- */

/* The initial embedding of restart r: the start itself, then random mixtures of the first components (or the given
 * start plus noise). *Z0 NULL: random coefficients. */
static rkhs_status make_start(rk_fit *f, int random, int64_t r, double **Z0) {
    rkhs_status status = RKHS_OK;
    int64_t n = f->gram->n, d = f->dim;
    rk_fit wider = *f;
    double *W;
    *Z0 = NULL;
    if (random && !f->start && r == 0) goto done;
    TRY(rk_scratch(f->env, n * d, sizeof **Z0, Z0));
    if (r == 0 || random || f->start) {
        TRY(rk_start_embedding(f, f->gram, &(rk_start){.how = random ? RK_START_RANDOM : RK_START_KPCA}, *Z0));
        double size = rk_rows_norm(n, d, *Z0) / sqrt((double)(n * d));
        for (int64_t i = 0; r && i < n * d; i++)
            (*Z0)[i] += size * rk_normal(f->env->seed, RK_STREAM_START, (uint64_t)(i / d), (uint64_t)(d * r + i % d));
        goto done;
    }
    wider.dim = rk_min(d + MORE, n);
    TRY(rk_scratch(f->env, n * wider.dim, sizeof *W, &W));
    TRY(rk_start_embedding(&wider, f->gram, &(rk_start){.how = RK_START_KPCA}, W));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < d; c++)
            for (int64_t q = 0; q < wider.dim; q++)
                (*Z0)[i * d + c] +=
                    W[i * wider.dim + q] * rk_normal(f->env->seed, RK_STREAM_START, (uint64_t)(n + q), (uint64_t)(d * r + c));
done:
    return status;
}

/* How well an embedding fits the Gram, whatever was minimised: <ZZ', G>/|ZZ'|, centred. It is the alignment with the
 * linear kernel, up to a factor. */
static rkhs_status fitness(rk_fit *f, const double *Z, double *value) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    int64_t n = f->gram->n, d = f->dim;
    double *C, *GC, *S;
    TRY(rk_scratch(f->env, n * d, sizeof *C, &C));
    TRY(rk_scratch(f->env, n * d, sizeof *GC, &GC));
    TRY(rk_scratch(f->env, d * d, sizeof *S, &S));
    memcpy(C, Z, (size_t)(n * d) * sizeof *C);
    for (int64_t c = 0; c < d; c++) rk_centre_column(n, d, c, C);
    TRY(rk_gram_mul(f->gram, C, d, GC));
    TRY(rk_tall_product(f->env, n, d, d, C, d, C, d, S, d));
    double spread = rk_norm(d * d, S);
    *value = spread > 0 ? rk_rows_dot(n, d, C, GC) / spread : 0;
done:
    rk_scratch_release(f->env, mark);
    return status;
}

/* ---- fit ------------------------------------------------------------------------------------------------------- */

static rkhs_status report(rk_fit *f, const rk_ke *k, const rk_ke_weights *w, const rk_smooth_result *s) {
    static const char *const names[] = {"rbf", "laplacian", "linear", "cauchy"};
    rkhs_status status = RKHS_OK;
    if (k->reconstruction_weight != 0) {
        TRY(rk_report_array(f->env, f->report, "reconstruction_weights", f->gram->n, 1, w->b));
        TRY(rk_report_number(f->env, f->report, "weights_loss", w->loss));
        TRY(rk_report_text(f->env, f->report, "weights_solver", w->how));
        TRY(rk_report_number(f->env, f->report, "weights_residual", w->residual));
        TRY(rk_report_number(f->env, f->report, "reconstruction_loss", k->loss));
    }
    if (k->alignment_weight != 0) TRY(rk_report_number(f->env, f->report, "alignment", k->alignment));
    TRY(rk_report_number(f->env, f->report, "loss", s->f));
    TRY(rk_report_array(f->env, f->report, "losses", 1, s->recorded, s->history));
    TRY(rk_report_text(f->env, f->report, "embedding_kernel", names[k->kernel]));
    if (k->kernel != RK_KE_LINEAR) TRY(rk_report_number(f->env, f->report, "width", k->width));
    if (k->rank) TRY(rk_report_number(f->env, f->report, "embedding_rank", (double)k->rank));
    TRY(rk_report_solver(f, ((const ke *)f->self)->solver, s->solver, s->iterations, s->evaluations, s->converged));
done:
    return status;
}

/* Minimises from each start. f keeps the embedding of best fit, `best` how its descent ended. */
static rkhs_status descend_from_starts(rk_fit *f, scaled *a, const rk_spec *solver, int64_t starts, rk_smooth_result *best) {
    rkhs_status status = RKHS_OK;
    const ke *o = f->self;
    int64_t n = f->gram->n, d = f->dim, kept = f->gram->map_count, chosen = 0;
    int paper = o->recipe == PAPER;
    double *fits, *Z0;
    rk_smooth_result s = {.history = NULL};
    rk_smooth problem = {.coordinates = RK_COORD_ALPHA,
                         .rows = n,
                         .dim = d,
                         .eval = paper && o->precision ? rk_ke_eval_single : rk_ke_eval,
                         .normalise = paper ? NULL : normalise,
                         .normalise_back = paper ? NULL : normalise_back,
                         .context = a};
    TRY(rk_scratch(f->env, starts, sizeof *fits, &fits));
    TRY(rk_scratch(f->env, n * d, sizeof *s.Z, &s.Z));
    TRY(rk_scratch(f->env, kept * d, sizeof *s.B, &s.B));
    TRY(rk_scratch(f->env, d, sizeof *s.c, &s.c));
    for (int64_t r = 0; r < starts; r++) {
        rk_mark mark = rk_scratch_mark(f->env);
        TRY(make_start(f, paper || o->start == START_RANDOM, r, &Z0));
        TRY(rk_solve_smooth(f->gram, solver, &problem, Z0, NULL, &s));
        rk_scratch_release(f->env, mark);
        TRY(fitness(f, s.Z, &fits[r]));
        if (r > 0 && !(fits[r] > fits[chosen])) {
            rk_free(f->env, s.history);
            s.history = NULL;
            continue;
        }
        chosen = r;
        rk_free(f->env, best->history);
        *best = s;
        s.history = NULL;
        memcpy(f->Z, s.Z, (size_t)(n * d) * sizeof *f->Z);
        memcpy(f->map->B, s.B, (size_t)(kept * d) * sizeof *s.B);
        memcpy(f->map->c, s.c, (size_t)d * sizeof *s.c);
    }
    if (starts > 1) {
        TRY(rk_report_array(f->env, f->report, "start_fits", 1, starts, fits));
        TRY(rk_report_number(f->env, f->report, "chosen_start", (double)chosen));
    }
done:
    rk_free(f->env, s.history);
    return status;
}

/* The embedding kernel: the parameter, or a default. A heavy tail keeps shapes. The rbf kernel favours clusters, and
 * has factors of low rank (ke_low_rank.c), as needed where G is not stored. */
static int kernel_of(const rk_fit *f) {
    const ke *o = f->self;
    if (o->embedding_kernel != AUTO) return o->embedding_kernel;
    return o->alignment == 0 || o->recipe == PAPER || !rk_gram_offers(f->gram, RK_MATRIX) ? RK_KE_RBF : RK_KE_CAUCHY;
}
/* The width: the parameter, or a default. Distances grow with sqrt(dim), but few dimensions leave room for near
 * neighbours alone. An rbf kernel of 3/4 the width is as wide as a Cauchy kernel. Clusters need a narrow one. */
static double width_of(const ke *o, int kernel) {
    if (!isnan(o->width)) return o->width;
    if (o->recipe == PAPER) return 0.01;
    if (o->alignment == 0 && o->dim == 1) return 0.02;
    return (o->alignment == 0 ? 0.125 : kernel == RK_KE_CAUCHY ? 1 : 0.75) * fmin(0.2 * (double)o->dim, sqrt((double)o->dim));
}
/* Number of starts: the parameter; not given: 4 with alignment=0 and no given start, else 1. */
static int64_t start_count(const rk_fit *f) {
    const ke *o = f->self;
    return o->restarts ? o->restarts : o->recipe == OURS && o->alignment == 0 && !f->start ? 4 : 1;
}

/* The rank of the embedding, by pivots of its covariance. */
static rkhs_status count_dimensions(rk_fit *f, int64_t *found) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    int64_t n = f->gram->n, d = f->dim, *order;
    double *S, largest = 0;
    TRY(rk_scratch(f->env, d * d, sizeof *S, &S));
    TRY(rk_scratch(f->env, d, sizeof *order, &order));
    TRY(rk_tall_product(f->env, n, d, d, f->Z, d, f->Z, d, S, d)); /* Z has mean 0 */
    for (int64_t q = 0; q < d * d; q++) S[q] /= (double)n;
    for (int64_t q = 0; q < d; q++) largest = fmax(largest, S[q * d + q]);
    TRY(rk_pivoted_tile(f->env, NULL, d, S, d, 1e-10 * largest, order, found));
done:
    rk_scratch_release(f->env, mark);
    return status;
}

#define PUBLISHED "adam(max_iter=30000, keep=last"

/* Stage 1, then stage 2. */
static rkhs_status fit_with(rk_fit *f, scaled *a, const rk_spec *solver) {
    rkhs_status status = RKHS_OK;
    const ke *o = f->self;
    rk_smooth_result s = {.history = NULL};
    rk_ke_weights w = {.b = NULL};
    int64_t found;
    double value, *b; /* b: weights for a Gram of mean diagonal 1, which H has */
    if (a->k.reconstruction_weight != 0) {
        TRY(rk_ke_solve_weights(f->gram, &w));
        TRY(rk_scratch(f->env, a->k.n, sizeof *b, &b));
        for (int64_t i = 0; i < a->k.n; i++) b[i] = w.b[i] * (o->recipe == PAPER ? 1 : w.size);
        a->k.b = b;
        if (w.isolated)
            rk_log(f->env, RKHS_LOG_ADVICE, "%lld object%s like no other by this kernel, and %s no part in the reconstruction",
                   (long long)w.isolated, w.isolated == 1 ? " is" : "s are", w.isolated == 1 ? "has" : "have");
        if (!(w.residual < 1e-3))
            rk_log(f->env, RKHS_LOG_ADVICE,
                   "the weights of the reconstruction are not well determined (weights_residual %.2g), as where a Gram has "
                   "eigenvalues below 0: use reconstruction=0",
                   w.residual);
    }
    TRY(rk_ke_alloc(f->env, &a->k));
    TRY(descend_from_starts(f, a, solver, start_count(f), &s));
    if (s.iterations == 0 || (s.recorded > 0 && !(s.f < s.history[0])))
        rk_log(f->env, RKHS_LOG_ADVICE,
               "the loss ended no lower than it began: the start may be the best there is, or steps too large, or width=%g too "
               "wide or too narrow; see 'losses'",
               a->k.width);
    TRY(count_dimensions(f, &found));
    if (found < f->dim)
        rk_log(f->env, RKHS_LOG_ADVICE, "only %lld of the %s are independent, as the kernel has no more: choose dim=%lld",
               (long long)found, rk_counted(f->dim, "dimension").text, (long long)found);
    TRY(rk_ke_eval(&a->k, f->env, f->Z, NULL, &value, NULL, NULL));
    TRY(report(f, &a->k, &w, &s));
done:
    rk_free(f->env, s.history);
    return status;
}

static rkhs_status fit_ke(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const ke *o = f->self;
    int one, paper = o->recipe == PAPER, kernel = kernel_of(f);
    rk_spec *own = NULL;
    scaled a = {.k = {.n = f->gram->n,
                      .dim = f->dim,
                      .kernel = kernel,
                      .width = width_of(o, kernel),
                      .max_rank = rk_ke_max_rank(f->gram->n, f->dim),
                      .alignment_weight = paper ? 0 : o->alignment,
                      .reconstruction_weight = paper                                         ? (double)f->gram->n
                                               : o->alignment == 0 && o->reconstruction != 0 ? 1
                                                                                             : o->reconstruction}};
    if (o->precision && !paper) FAIL(f->env, RKHS_ERR_SPEC, "ke: precision=single is for recipe=paper: leave it out");
    if (paper && kernel != RK_KE_RBF) FAIL(f->env, RKHS_ERR_SPEC, "ke: recipe=paper has embedding_kernel=rbf: leave it out");
    if (a.k.alignment_weight == 0 && a.k.reconstruction_weight == 0)
        FAIL(f->env, RKHS_ERR_SPEC, "ke: alignment and reconstruction are both 0: give one of them a weight");
    if (f->y && a.k.alignment_weight == 0)
        FAIL(f->env, RKHS_ERR_SPEC,
             "ke: labels are for the alignment, which has no weight: leave them out, or give alignment one");
    TRY(is_one_point(f, &one));
    if (one) { /* all stay at 0 */
        rk_log(f->env, RKHS_LOG_ADVICE, "all objects look the same to the kernel: they are placed at 0");
        goto done;
    }
    take_gram(f, &a.k);
    if (f->y) TRY(mix_labels(f, o->label_weight, &a.k));
    if (!o->solver)
        TRY(rk_spec_new(f->env, &rk_optimisers,
                        !paper         ? "lbfgs(max_iter=100)"
                        : o->precision ? PUBLISHED ", precision=single)"
                                       : PUBLISHED ")",
                        &own));
    TRY(fit_with(f, &a, own ? own : o->solver));
done:
    rk_ke_free(f->env, &a.k);
    rk_spec_free(f->env, own);
    return status;
}

/* The default kernel: narrow, with a heavy tail that tells distant objects apart; for clusters, a narrow rbf. */
static const char *kernel_ke(const void *self, unsigned kind) {
    const ke *o = self;
    if (o->recipe == PAPER || !(kind & (RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_IMAGE))) return rk_default_kernel(self, kind);
    return o->alignment == 0 ? "rbf(sigma=knn(0.026,3))" : "rq(alpha=0.25,sigma=knn(10,0.7))";
}

/* With features the embedding has an rbf kernel, of low rank if it is wide and dimensions are few (ke_low_rank.c). The
 * rank is guessed for an even spread. */
static void cost_ke(const void *self, const rk_extent *e, rk_cost *c) {
    const ke *o = self;
    int paper = o->recipe == PAPER, rebuild = paper || o->reconstruction != 0;
    double n = e->n, m = e->features, r = pow(10 + 6 / width_of(o, RK_KE_RBF), e->dim);
    double starts = o->restarts ? (double)o->restarts : !paper && o->alignment == 0 ? 4 : 1;
    double evaluations = 1.1 * starts * rk_assumed_steps(o->solver, paper ? 30000 : 100);
    int wide = !paper && o->alignment != 0 && (o->embedding_kernel == AUTO || o->embedding_kernel == RK_KE_RBF);
    int low = m > 0 && wide && r <= (double)rk_ke_max_rank((int64_t)n, (int64_t)e->dim);
    rk_add_eigen_cost(NULL, e, c);
    rk_add_linear_cost(NULL, e, c);
    c->passes += 2 * evaluations;
    if (rebuild) c->flops += m > 0 ? 250 * 8 * n * m * m : n * n * n * 4 / 3;
    if (low)
        c->flops += evaluations * (e->dim + 1) * (12 * n * r * r + 4 * n * r * m);
    else
        c->pairs += 2 * evaluations * n * n, c->flops += rebuild ? 2 * evaluations * n * n * n : 0;
    c->numbers += low ? 3 * n * fmin(n / 5, 2000) + 2 * n * m : (rebuild ? 3 : 1) * n * n + (m > 0 ? n * n : 0);
}

/* clang-format off */
const rk_model_type rk_model_ke = {
    .entry = {.name = "ke",
              .brief = "autoreconstructive kernel embedding: the Gram matrix of the embedding resembles that of the objects",
              .formula = "min alignment (1 - CKA(H, G)) + reconstruction L(H)/n, Z = G a",
              .where = "Z: the embedding; G: the Gram matrix of the objects; H: that of the embedding, by embedding_kernel; CKA: "
                       "centred kernel alignment, 1 if H is like G; L: the squared error of rebuilding each object from the "
                       "others, in the feature space of H; a: the coefficients, to be found",
              .cost = "the Gram, and a step 2 n^3 flops (reconstruction=0: n^2)", .params = params, .size = sizeof(ke)},
    .title = "KernelEmbedding", .default_kernel = kernel_ke, .dim = dim_ke, .gram_offset = offsetof(ke, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_STORED, 20000, 3},
    .supervision = RK_KIND_LABELS, .takes_start = 1, .nonconvex = 1, .fit = fit_ke, .cost = cost_ke, .check = rk_check_full_map,
};
/* clang-format on */
