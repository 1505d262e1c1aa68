/* kpca.c: kernel principal component analysis: the directions of largest variance in feature space.
 *
 *     maximise  w' Phi'H Phi w  over orthonormal w,   H = I - 11'/n
 *
 * The results are Z = H Phi W, the eigenvalues of H K H (variance times n) and their share of the total. New objects
 * are projected on the same directions. Cost: the Gram and some ten passes over it. Where neighbours matter more than
 * variance, use another model: two components of an rbf kernel crowd most points together. Schoelkopf, Smola, Mueller,
 * "Nonlinear component analysis as a kernel eigenvalue problem", Neural Computation 10, 1998. */
#include "model/model.h"

typedef struct kpca {
    int64_t dim;
    rk_spec *gram, *solver;
    int negative;
} kpca;

enum { CLIP, FLIP, REFUSE };

/* With features: the sums over all objects, for updates. */
typedef struct kpca_state {
    rk_state_matrix square, sums;
    double count, trace;
} kpca_state;

static const rk_state_part state[] = {
    RK_STATE_PART(kpca_state, square, RK_STATE_MATRIX, NULL),
    RK_STATE_PART(kpca_state, sums, RK_STATE_MATRIX, NULL),
    RK_STATE_PART(kpca_state, count, RK_STATE_NUMBER, NULL),
    RK_STATE_PART(kpca_state, trace, RK_STATE_NUMBER, NULL),
    {.name = NULL},
};

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(kpca),
    RK_PARAM_GRAM(kpca, ""),
    RK_PARAM_EIGENSOLVER(kpca),
    {.name = "negative", .kind = RK_CHOICE, .offset = offsetof(kpca, negative), .value = "clip", .choices = "clip|flip|refuse",
     .brief = "negative eigenvalues of a Gram matrix that is not PSD: leave them out, use their absolute values, or refuse"},
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_kpca(const void *self, const rkhs_data *y) { return ((const kpca *)self)->dim; }

/* Looks for negative eigenvalues, unless the kernel is known to be PSD, and applies the parameter `negative`. */
static rkhs_status check_negative(rk_fit *f, const kpca *o, const rk_spectral *problem, double largest, int *indefinite) {
    rkhs_status status = RKHS_OK;
    double smallest, residual, least = 1e-10 * fabs(largest);
    int above;
    *indefinite = 0;
    if (rk_kernel_all_have(f->kernel, RK_PSD)) goto done;
    if (!rk_gram_offers(f->gram, RK_MATRIX)) {
        if (o->negative == CLIP) goto done; /* features have positive eigenvalues only */
        FAIL(f->env, RKHS_ERR_SPEC, "kpca: negative=%s looks at the whole Gram: use gram=exact, or negative=clip",
             o->negative == FLIP ? "flip" : "refuse");
    }
    TRY(rk_shifted_psd(f->gram, least, &above));
    if (above) goto done;
    TRY(rk_smallest_eigenvalue(f->gram, problem, &smallest, &residual));
    *indefinite = smallest < -fmax(least, residual);
    if (!*indefinite) goto done;
    TRY(rk_report_number(f->env, f->report, "smallest_eigenvalue", smallest));
    if (o->negative == REFUSE)
        FAIL(f->env, RKHS_ERR_NUMERIC,
             "the Gram is not positive semi-definite: its most negative eigenvalue is %.6g, its largest %.6g: use "
             "negative=clip or "
             "negative=flip, or mend the kernel",
             smallest, largest);
    rk_log(f->env, RKHS_LOG_ADVICE, "the Gram is not positive semi-definite: its most negative eigenvalue is %.6g; %s",
           smallest, o->negative == FLIP ? "eigenvalues count by size" : "negative ones are left out");
done:
    return status;
}

/* With negative eigenvalues the trace is no variance: explained_variance is then left out. */
static rkhs_status report(rk_fit *f, const rk_spectrum *s, int indefinite) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    double *share;
    int64_t zeros = 0;
    int numbers = (f->x->type->kind & (RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE)) !=
                  0; /* vectors, whose mean the user can subtract */
    TRY(rk_scratch(f->env, s->count, sizeof *share, &share));
    for (int64_t c = 0; c < s->count; c++) {
        share[c] = s->trace > 0 ? s->values[c] / s->trace : 0;
        zeros += s->values[c] == 0;
    }
    TRY(rk_report_array(f->env, f->report, "eigenvalues", 1, s->count, s->values));
    if (!indefinite) TRY(rk_report_array(f->env, f->report, "explained_variance", 1, s->count, share));
    TRY(rk_report_array(f->env, f->report, "residuals", 1, s->count, s->residuals));
    TRY(rk_report_solver(f, ((const kpca *)f->self)->solver, s->solver, s->iterations, -1, s->converged));
    if (s->values[0] != 0 && s->abs_trace * 2.2e-16 > 1e-9 * fabs(s->values[0]))
        rk_log(f->env, RKHS_LOG_ADVICE, "the kernel's values are %.1g times their variance, which costs as many digits%s",
               s->abs_trace / fabs(s->values[0]), numbers ? ": take the mean off every column first" : "");
    if (zeros)
        rk_log(f->env, RKHS_LOG_ADVICE, "only %lld of the %s have any variance; the others are 0%s",
               (long long)(s->count - zeros), rk_counted(s->count, "dimension").text,
               s->values[0] == 0 && !indefinite && numbers
                   ? " (rows that differ by less than 1e-7 of their distance from 0 look equal: take the mean off)"
                   : "");
done:
    rk_scratch_release(f->env, mark);
    return status;
}

/* The moments of the old model, for an update that adds objects to them. */
static rkhs_status moments_before(rk_fit *f, rk_spectral_moments *before) {
    const kpca_state *s = f->old_state;
    if (s->square.rows != f->gram->rank)
        return rk_fail(f->env, RKHS_ERR_NUMERIC, "kpca: the model's %s no longer explain what they did: fit on all objects",
                       rk_counted(s->square.rows, "feature").text);
    *before = (rk_spectral_moments){s->square.values, s->sums.values, s->count, s->trace};
    return RKHS_OK;
}

/* Keeps the moments, and centres Z by the mean of all objects, which the map's offset has too. */
static rkhs_status keep_moments(rk_fit *f, const rk_spectrum *s) {
    rkhs_status status = RKHS_OK;
    kpca_state *to = f->state;
    int64_t r = f->gram->rank, d = f->dim;
    if (s->moments.count != (double)f->gram->n) TRY(rk_report_number(f->env, f->report, "objects_seen", s->moments.count));
    to->count = s->moments.count;
    to->trace = s->moments.trace;
    TRY(rk_state_matrix_set(f->env, &to->square, r, r, s->moments.square));
    TRY(rk_state_matrix_set(f->env, &to->sums, 1, r, s->moments.sums));
    for (int64_t c = 0; c < d; c++) {
        double mean = 0;
        for (int64_t i = 0; i < r; i++) mean += s->moments.sums[i] * s->coef[i * d + c];
        f->map->c[c] = -mean / s->moments.count;
        for (int64_t i = 0; i < f->gram->n; i++) f->Z[i * d + c] += f->map->c[c];
    }
done:
    return status;
}

static rkhs_status fit_kpca(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const kpca *o = f->self;
    int64_t n = f->gram->n, d = f->dim;
    rk_spectral_moments before;
    rk_spectral problem = {
        .coordinates = RK_COORD_ISOMETRIC, .m_kind = RK_M_CENTRE, .mu = 1, .count = d, .by_magnitude = o->negative == FLIP};
    rk_spectrum s;
    int indefinite;
    if (f->known) {
        TRY(moments_before(f, &before));
        problem.before = &before;
        problem.known = f->known;
    }
    TRY(rk_solve_spectral(f->gram, o->solver, &problem, &s));
    TRY(check_negative(f, o, &problem, s.values[0], &indefinite));
    TRY(rk_gram_embed(f->gram, s.coef, d, f->map->B, f->Z));
    if (s.moments.square)
        TRY(keep_moments(f, &s));
    else
        for (int64_t c = 0; c < d; c++) f->map->c[c] = -rk_centre_column(n, d, c, f->Z);
    TRY(report(f, &s, indefinite));
done:
    return status;
}

/* Whether |a| is at most the product of b and c, as sums over objects are by the Cauchy-Schwarz inequality. */
static int bounded(double a, double b, double c) { return fabs(a) <= (1 + 1e-6) * b * c + 1e-150; }

/* Moments of a file: they belong to features, and are sums of squares over at least the objects of the embedding. */
static rkhs_status check_kpca(const rkhs_model *m) {
    const kpca_state *s = m->state;
    int64_t r = s->square.rows;
    const double *S = s->square.values, *sums = s->sums.values;
    int fits = !S ? !sums
                  : m->map_rows && s->square.columns == r && r >= 1 && r <= m->map->width && s->sums.rows == 1 &&
                        s->sums.columns == r && s->count >= (double)m->n && s->count < 1e15 && s->count == floor(s->count) &&
                        s->trace >= 0 && (!m->map->features || r == m->map->width);
    for (int64_t i = 0; fits && S && i < r; i++) {
        fits = S[i * r + i] >= 0 && bounded(sums[i], sqrt(s->count), sqrt(S[i * r + i]));
        for (int64_t j = 0; fits && j < i; j++)
            fits = S[i * r + j] == S[j * r + i] && bounded(S[i * r + j], sqrt(S[i * r + i]), sqrt(S[j * r + j]));
    }
    if (!fits) return rk_fail(m->env, RKHS_ERR_FORMAT, "the sums over its objects do not fit together");
    return rk_check_full_map(m);
}

static void cost_kpca(const void *self, const rk_extent *e, rk_cost *c) {
    rk_add_eigen_cost(((const kpca *)self)->solver, e, c);
}

/* clang-format off */
const rk_model_type rk_model_kpca = {
    .entry = {.name = "kpca",
              .brief = "kernel principal component analysis: the directions of largest variance in feature space",
              .formula = "max w'Phi'H Phi w, |w| = 1",
              .where = "w: a direction, to be found; row i of Phi: object i in feature space; H = I - 11'/n: subtracts the mean", .cost = "the Gram and some ten passes over it", .params = params,
              .size = sizeof(kpca)},
    .title = "KernelPCA", .nested = 1, .default_kernel = rk_default_kernel, .dim = dim_kpca, .gram_offset = offsetof(kpca, gram),
    .need = {RK_PRODUCTS | RK_FEATURES, 0, 20000, 1}, .fit = fit_kpca, .cost = cost_kpca, .state_size = sizeof(kpca_state), .state = state, .check = check_kpca, .adds = 1,
};
/* clang-format on */
