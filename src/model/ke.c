/* ke.c: autoreconstructive kernel embedding.
 *
 *     1.  b = argmin  b'A(G)b - 2 c(G)'b + tr G             how much each object helps to rebuild the others in feature space
 *     2.  minimise over a, Z = G a:  align (1 - CKA(H, G)) + rebuild L(H; b)/n,   L the same form, of the Gram H of Z
 *
 * The embedding's Gram is to look like the objects' own (alignment), and its points are to rebuild each other with the same
 * weights (reconstruction). Reconstruction alone is free to shrink until one Gaussian covers all, so Z has mean 0 and variance
 * 1 throughout. Alignment alone keeps shapes; reconstruction tightens clusters at some cost in shape, and without alignment
 * (align=0) it separates clusters and does little else. New objects go through the same map, z(x) = a'k(D, x). Cost: a step
 * 2 n^3 flops with reconstruction, n^2 without. Feito-Casares, Melgarejo-Meseguer, Rojo-Alvarez, "Learning reconstructive
 * embeddings in reproducing kernel Hilbert spaces via the representer theorem", 2025. */
#include "model/ke.h"

typedef struct ke {
    int64_t dim;
    double align, rebuild, width;
    int latent, start;
    rk_spec *gram, *solver;
} ke;

static const rk_param params[] = {
    {.name = "dim",
     .kind = RK_INT,
     .offset = offsetof(ke, dim),
     .value = "2",
     .min = 1,
     .max = 1e9,
     .brief = "dimensions of the embedding"},
    {.name = "align",
     .kind = RK_REAL,
     .offset = offsetof(ke, align),
     .value = "1",
     .max = 1e300,
     .brief = "weight of the alignment of the two Grams: keeps shapes"},
    {.name = "rebuild",
     .kind = RK_REAL,
     .offset = offsetof(ke, rebuild),
     .value = "0.1",
     .max = 1e300,
     .brief = "weight of the reconstruction: tightens clusters"},
    {.name = "latent",
     .kind = RK_CHOICE,
     .offset = offsetof(ke, latent),
     .value = "rbf",
     .choices = "rbf|laplacian|linear",
     .brief = "the kernel of the embedding"},
    {.name = "width",
     .kind = RK_REAL,
     .offset = offsetof(ke, width),
     .value = "0.4",
     .max = 1e300,
     .open = 1,
     .brief = "sigma of the embedding's kernel, where the embedding has variance 1"},
    {.name = "start",
     .kind = RK_CHOICE,
     .offset = offsetof(ke, start),
     .value = "kpca",
     .choices = "kpca|random",
     .brief = "where to begin, unless a start is given"},
    {.name = "gram",
     .kind = RK_SPEC,
     .offset = offsetof(ke, gram),
     .value = "exact",
     .list = &rk_grams,
     .brief = "how the Gram is held"},
    {.name = "solver",
     .kind = RK_SPEC,
     .offset = offsetof(ke, solver),
     .value = "lbfgs(iter=100)",
     .list = &rk_optimisers,
     .brief = "lbfgs, cg or adam"},
    {.name = NULL},
};

static int64_t dim_ke(const void *self, const rkhs_data *y) { return ((const ke *)self)->dim; }

/* ---- mean 0 and variance 1, over all entries ---------------------------------------------------------------------------- */

typedef struct scaled {
    rk_ke k;
    double s; /* of the last embedding: the root of its variance */
} scaled;

/* Z = (Y - mean)/s. */
static rkhs_status normalise(void *context, const double *Y, double *Z, double *scale, double *shift) {
    scaled *a = context;
    int64_t n = a->k.n, d = a->k.dim;
    double square = 0;
    for (int64_t c = 0; c < d; c++) {
        shift[c] = 0;
        for (int64_t i = 0; i < n; i++) shift[c] += Y[i * d + c] / (double)n;
        for (int64_t i = 0; i < n; i++) square += (Y[i * d + c] - shift[c]) * (Y[i * d + c] - shift[c]);
    }
    a->s = sqrt(square / (double)(n * d));
    *scale = a->s > 0 ? 1 / a->s : 0;
    for (int64_t i = 0; i < n * d; i++) Z[i] = (Y[i] - shift[i % d]) * *scale;
    for (int64_t c = 0; c < d; c++) shift[c] *= -*scale;
    return RKHS_OK;
}

/* dY = (dZ - mean dZ - Z mean(dZ o Z))/s. */
static rkhs_status normalise_back(void *context, const double *Z, const double *dZ, double *dY) {
    const scaled *a = context;
    int64_t n = a->k.n, d = a->k.dim;
    double along = rk_dot(n * d, Z, dZ) / (double)(n * d), scale = a->s > 0 ? 1 / a->s : 0;
    for (int64_t c = 0; c < d; c++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++) mean += dZ[i * d + c] / (double)n;
        for (int64_t i = 0; i < n; i++) dY[i * d + c] = (dZ[i * d + c] - mean - Z[i * d + c] * along) * scale;
    }
    return RKHS_OK;
}

/* ---- fit ---------------------------------------------------------------------------------------------------------------- */

/* G, which the alignment reads: as it is stored, or as the factor makes it. */
static rkhs_status whole_gram(rk_fit *f, rk_ke *k) {
    rkhs_status status = RKHS_OK;
    int64_t n = f->gram->n, ld;
    int spendable;
    double *G;
    if (f->gram->type->form == RK_FORM_SAMPLE) {
        k->G = f->gram->type->matrix(f->gram, &k->ldg, &spendable);
        goto done;
    }
    if (k->align == 0) goto done;
    const double *Phi = f->gram->type->phi(f->gram, &ld);
    TRY(rk_need(f->env, 8.0 * (double)n * (double)n, "the Gram that an embedding is aligned with", "raise the memory limit"));
    TRY(rk_scratch_raw(f->env, n * n, sizeof *G, &G));
    TRY(rk_gemm(f->env, "gram", 'n', 't', n, n, f->gram->rank, 1.0, Phi, ld, Phi, ld, 0.0, G, n));
    k->G = G;
    k->ldg = n;
done:
    return status;
}

/* Whether all objects look the same to the kernel: the spread of their features is rounding. */
static rkhs_status is_one_point(rk_fit *f, int *one) {
    rkhs_status status = RKHS_OK;
    int64_t n = f->gram->n;
    double *ones, *sums, *diag, trace = 0, mean = 0;
    TRY(rk_scratch(f->env, n, sizeof *ones, &ones));
    TRY(rk_scratch(f->env, n, sizeof *sums, &sums));
    TRY(rk_scratch(f->env, n, sizeof *diag, &diag));
    TRY(f->gram->type->diag(f->gram, diag));
    for (int64_t i = 0; i < n; i++) ones[i] = 1, trace += diag[i];
    TRY(f->gram->type->mul(f->gram, ones, 1, sums));
    for (int64_t i = 0; i < n; i++) mean += sums[i] / (double)n;
    *one = !(trace - mean > 1e-12 * trace);
done:
    return status;
}

static rkhs_status report(rk_fit *f, const rk_ke *k, const rk_ke_weights *w, const rk_smooth_result *s) {
    rkhs_status status = RKHS_OK;
    if (k->rebuild != 0) {
        TRY(rk_report_array(f->env, f->report, "beta", f->gram->n, 1, w->b));
        TRY(rk_report_number(f->env, f->report, "beta_loss", w->loss));
        TRY(rk_report_text(f->env, f->report, "beta_solver", w->how));
        TRY(rk_report_number(f->env, f->report, "rebuild_loss", k->loss));
    }
    if (k->align != 0) TRY(rk_report_number(f->env, f->report, "alignment", k->alignment));
    TRY(rk_report_number(f->env, f->report, "loss", s->f));
    TRY(rk_report_array(f->env, f->report, "losses", 1, s->recorded, s->history));
    TRY(rk_report_text(f->env, f->report, "solver", s->solver));
    TRY(rk_report_number(f->env, f->report, "iterations", (double)s->iterations));
    TRY(rk_report_number(f->env, f->report, "evaluations", (double)s->evaluations));
    TRY(rk_report_number(f->env, f->report, "converged", s->converged));
done:
    return status;
}

static rkhs_status fit_ke(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const ke *o = f->self;
    rk_smooth_result s = {.Z = f->Z, .B = f->map->B, .c = f->map->c};
    rk_ke_weights w = {.b = NULL};
    scaled a = {
        .k = {
            .n = f->gram->n, .dim = f->dim, .latent = o->latent, .width = o->width, .align = o->align, .rebuild = o->rebuild}};
    double *Z0 = NULL, value;
    int one;
    if (o->align == 0 && o->rebuild == 0)
        FAIL(f->env, RKHS_ERR_SPEC, "ke: align and rebuild are both 0: give one of them a weight");
    TRY(is_one_point(f, &one));
    if (one) { /* and all are at 0 */
        rk_log(f->env, RKHS_LOG_ADVICE, "all objects look the same to the kernel: they are placed at 0");
        goto done;
    }
    TRY(whole_gram(f, &a.k));
    if (o->rebuild != 0) {
        TRY(rk_ke_solve_weights(f->gram, &w));
        a.k.b = w.b;
        if (w.silent)
            rk_log(f->env, RKHS_LOG_ADVICE, "%lld object%s like no other by this kernel, and %s no part in the reconstruction",
                   (long long)w.silent, w.silent == 1 ? " is" : "s are", w.silent == 1 ? "has" : "have");
    }
    TRY(rk_ke_room(f->env, &a.k));
    if (f->start || o->start == 0) { /* else coefficients at random */
        TRY(rk_scratch(f->env, a.k.n * f->dim, sizeof *Z0, &Z0));
        TRY(rk_start_at(f, f->gram, &(rk_start){.how = RK_START_KPCA}, Z0));
    }
    rk_smooth problem = {.coordinates = RK_COORD_ALPHA,
                         .rows = a.k.n,
                         .dim = f->dim,
                         .eval = rk_ke_eval,
                         .normalise = normalise,
                         .normalise_back = normalise_back,
                         .context = &a};
    TRY(rk_solve_smooth(f->gram, o->solver, &problem, Z0, NULL, &s));
    TRY(rk_ke_eval(&a.k, f->env, f->Z, NULL, NULL, a.k.n, &value, NULL, NULL));
    TRY(report(f, &a.k, &w, &s));
done:
    rk_free(f->env, s.history);
    return status;
}

const rk_model_type rk_model_ke = {
    .entry = {.name = "ke",
              .brief = "autoreconstructive kernel embedding: the embedding's Gram is like the objects' own",
              .formula = "min align (1 - CKA(H, G)) + rebuild L(H)/n, Z = G a",
              .cost = "the Gram, and a step 2 n^3 flops (rebuild=0: n^2)",
              .params = params,
              .size = sizeof(ke)},
    .title = "KernelEmbedding",
    .default_kernel = rk_usual_kernel,
    .dim = dim_ke,
    .gram_offset = offsetof(ke, gram),
    .takes_start = 1,
    .local = 1,
    .fit = fit_ke,
};
