/* kae.c: the kernel autoencoder: codes of unit length, with a kernel machine as encoder and another as decoder.
 *
 *     minimise  tr(X'(Kz + ridge I)^-1 X) + tr(Z'Kx^-1 Z)   over  |z_i| = 1
 *
 * Kz is the Gram of the codes Z by the embedding kernel, Kx that of the objects. Times ridge, the objective is the
 * squared error of the reconstruction Kz (Kz + ridge I)^-1 X plus ridge times the squared norms of encoder and
 * decoder. New objects get z(x) = Z'Kx^-1 k(X, x), of unit length only with unit_length=true. Decoding is x(z) = X'(Kz
 * + ridge I)^-1 k(Z, z). X are the vectors, or a second data set: then the fitted objects are a noisy form of X.
 * denoise=noise(0.1) makes the noisy form itself. Objects that are no vectors stand for their features: XX' is their
 * Gram. With a Gram of full rank Z moves on the sphere. Otherwise there is no Kx^-1: then z = f/|f|, f = Phi W, the
 * penalty is |W|^2 at a mean |f|^2 of 1, and new codes have unit length too.
 *
 * The codes keep what reconstruction needs, no more: other models give better pictures of clusters, and with dim=2 the
 * codes lie on a circle. Cost: 3 n^3 flops a step, for some thousands of objects. Esser, Fleissner, Ghoshdastidar,
 * "Non-parametric representation learning with kernels", AAAI 2024. */
#include "model/kae.h"

#include <string.h>

typedef struct kae {
    int64_t dim;
    double ridge;
    char *embedding_kernel;
    int unit_length, start;
    rk_spec *denoise, *gram, *solver;
} kae;

enum { START_KPCA, START_RANDOM };

/* clang-format off */
static const rk_param params[] = {
    RK_PARAM_DIM(kae),
    {.name = "ridge", .kind = RK_REAL, .offset = offsetof(kae, ridge), .value = "0.1", .max = 1e300,
     .brief = "penalty on the norms of encoder and decoder: larger values give smoother maps"},
    {.name = "embedding_kernel", .aliases = "latent", .kind = RK_WORD, .offset = offsetof(kae, embedding_kernel),
     .value = "rbf", .list = &rk_kernels,
     .brief = "kernel of the embedding, a sum or product in quotes; its bandwidth rules use the initial embedding"},
    {.name = "unit_length", .aliases = "unit", .kind = RK_BOOL, .offset = offsetof(kae, unit_length), .value = "false",
     .brief = "scale the embedding of new objects to length 1; always so where the Gram matrix has not full rank"},
    RK_PARAM_START(kae, "kpca", "kpca|random", ""),
    {.name = "denoise", .kind = RK_SPEC, .offset = offsetof(kae, denoise), .list = &rk_augments,
     .brief = "augmentation of the encoder's inputs: the decoder learns to return the original objects"},
    RK_PARAM_GRAM(kae, ""),
    RK_PARAM_OPTIMISER(kae),
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_kae(const void *self, const rkhs_data *y) { return ((const kae *)self)->dim; }

/* A Gram has full rank if every pivot of its Cholesky factor is above this share of the largest k(x,x). */
static const double FULL = 1e-6;

typedef struct state {
    rk_decoder d;
    double unit;     /* the objective is divided by it, so that it begins near n */
    const double *L; /* Kx = L L'; NULL: Kx has not full rank */
    double *Z, *dZ;  /* n x dim: f/|f|; Kx^-1 Z */
    int64_t n, dim;
} state;

/* With denoise= the gram is built on noisy objects. */
static rkhs_status inputs_kae(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *y, rkhs_data **gram_data) {
    const kae *o = self;
    return o->denoise ? rk_augment(env, o->denoise, x, env->seed, gram_data) : RKHS_OK;
}

/* ---- codes of unit length -------------------------------------------------------------------------------------- */

/* Divides rows by their lengths, which are stored if asked for. Returns how many rows are 0; they stay 0. */
static int64_t to_sphere(int64_t n, int64_t dim, const double *Y, double *Z, double *lengths) {
    int64_t zeros = 0;
    for (int64_t i = 0; i < n; i++) {
        double length = rk_norm(dim, Y + i * dim);
        for (int64_t c = 0; c < dim; c++) Z[i * dim + c] = length > 0 ? Y[i * dim + c] / length : 0;
        zeros += !(length > 0);
        if (lengths) lengths[i] = length;
    }
    return zeros;
}

static void retract_kae(void *context, double *Z) {
    const state *s = context;
    to_sphere(s->n, s->dim, Z, Z, NULL);
}

/* Projects each row of dZ on the tangent space of the sphere at z. */
static void tangent_kae(void *context, const double *Z, double *dZ) {
    const state *s = context;
    for (int64_t i = 0; i < s->n; i++) {
        double along = rk_dot(s->dim, Z + i * s->dim, dZ + i * s->dim);
        for (int64_t c = 0; c < s->dim; c++) dZ[i * s->dim + c] -= along * Z[i * s->dim + c];
    }
}

/* ---- the objective --------------------------------------------------------------------------------------------- */

/* Full rank: both terms, at codes on the sphere. */
static rkhs_status eval_full(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                             double *dt) {
    rkhs_status status = RKHS_OK;
    state *s = context;
    int64_t size = s->n * s->dim;
    TRY(rk_decoder_eval(env, &s->d, Z, f, dZ));
    if (!isfinite(*f)) goto done;
    memcpy(s->dZ, Z, (size_t)size * sizeof *Z);
    TRY(rk_cholesky_solve(env, s->n, s->dim, s->L, s->n, s->dZ, s->dim));
    for (int64_t i = 0; i < size; i++) dZ[i] = (dZ[i] + 2 * s->dZ[i]) / s->unit;
    *f = (*f + rk_rows_dot(s->n, s->dim, Z, s->dZ)) / s->unit;
done:
    return status;
}

/* Otherwise: the first term at f/|f|; the second is the problem's ridge. */
static rkhs_status eval_scaled(void *context, rkhs_env *env, const double *Y, const double *theta, double *f, double *dY,
                               double *dt) {
    rkhs_status status = RKHS_OK;
    state *s = context;
    rk_mark mark = rk_scratch_mark(env);
    double *lengths;
    TRY(rk_scratch(env, s->n, sizeof *lengths, &lengths));
    to_sphere(s->n, s->dim, Y, s->Z, lengths);
    TRY(rk_decoder_eval(env, &s->d, s->Z, f, dY));
    if (!isfinite(*f)) goto done;
    tangent_kae(s, s->Z, dY);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t c = 0; c < s->dim; c++)
            dY[i * s->dim + c] = lengths[i] > 0 ? dY[i * s->dim + c] / lengths[i] / s->unit : 0;
    *f /= s->unit;
done:
    rk_scratch_release(env, mark);
    return status;
}

/* ---- the start ------------------------------------------------------------------------------------------------- */

/* Kernel PCA, random or given, on the sphere; rows of length 0 get a random direction. */
static rkhs_status start_at(rk_fit *f, double *Z) {
    rkhs_status status = RKHS_OK;
    int64_t n = f->gram->n, d = f->dim, ld;
    const double *given = f->start ? rkhs_data_values(f->start, &ld) : NULL;
    memset(Z, 0, (size_t)(n * d) * sizeof *Z);
    if (given) {
        for (int64_t i = 0; i < n; i++) memcpy(Z + i * d, given + i * ld, (size_t)d * sizeof *Z);
    } else if (((const kae *)f->self)->start == START_KPCA) {
        TRY(rk_start_kpca(f->gram, d, Z));
        for (int64_t c = 0; c < d; c++) rk_centre_column(n, d, c, Z);
    }
    for (int64_t i = 0; i < n; i++) {
        int none = !(rk_norm(d, Z + i * d) > 0);
        for (int64_t c = 0; none && c < d; c++)
            Z[i * d + c] = rk_normal(f->env->seed, RK_STREAM_START, (uint64_t)i, (uint64_t)c);
    }
    to_sphere(n, d, Z, Z, NULL);
done:
    return status;
}

/* The embedding kernel, frozen on the initial codes. */
static rkhs_status embedding_kernel(rk_fit *f, const double *Z0, rkhs_kernel **kernel) {
    rkhs_status status = RKHS_OK;
    const kae *o = f->self;
    rkhs_data *codes = NULL;
    TRY(rk_kernel_new(f->env, o->embedding_kernel, kernel));
    if (!(rk_kernel_kinds(*kernel) & RK_KIND_DENSE) || !rk_kernel_has_gradient(*kernel))
        FAIL(f->env, RKHS_ERR_SPEC,
             "kae: embedding_kernel=%.80s cannot be the kernel of the codes, as it has no gradient on vectors: use rbf, "
             "laplacian, "
             "matern, rq, cauchy, linear, poly, cosine, relu or ntk, or sums, products, weights and powers of these",
             o->embedding_kernel);
    TRY(rk_data_borrow(f->env, Z0, f->gram->n, f->dim, f->dim, &codes));
    TRY(rk_kernel_freeze(*kernel, codes));
done:
    rkhs_data_free(codes);
    return status;
}

/* ---- fit ------------------------------------------------------------------------------------------------------- */

/* The Cholesky factor of a stored Gram; NULL if it has not full rank. */
static rkhs_status factor_full(const rk_gram *g, const double **out) {
    rkhs_status status = RKHS_OK;
    int64_t n = g->n, ld, bad;
    int spendable;
    double *L, largest = 0, least = INFINITY;
    *out = NULL;
    if (!rk_gram_offers(g, RK_MATRIX)) goto done;
    const double *K = rk_gram_matrix(g, &ld, &spendable);
    TRY(rk_scratch(g->env, n * n, sizeof *L, &L));
    for (int64_t i = 0; i < n; i++) {
        memcpy(L + i * n, K + i * ld, (size_t)n * sizeof *L);
        largest = fmax(largest, K[i * ld + i]);
    }
    TRY(rk_cholesky(g->env, "factor", n, L, n, &bad));
    for (int64_t i = 0; bad < 0 && i < n; i++) least = fmin(least, L[i * n + i] * L[i * n + i]);
    if (bad < 0 && least > FULL * largest) *out = L;
done:
    return status;
}

/* Sets the map, and the codes as the map gives them: B = Kx^-1 Z and Z = Kx B, or f/|f|. */
static rkhs_status finish_codes(rk_fit *f, const state *s) {
    rkhs_status status = RKHS_OK;
    const kae *o = f->self;
    int64_t n = s->n, d = s->dim, zeros = 0;
    if (s->L) {
        memcpy(f->map->B, f->Z, (size_t)(n * d) * sizeof *f->Z);
        TRY(rk_cholesky_solve(f->env, n, d, s->L, n, f->map->B, d));
        TRY(rk_gram_mul(f->gram, f->map->B, d, f->Z));
    } else {
        double norm = rk_rows_norm(n, d, f->Z) / sqrt((double)n);
        for (int64_t i = 0; norm > 0 && i < f->gram->map_count * d; i++) f->map->B[i] /= norm;
    }
    if (!s->L || o->unit_length) {
        zeros = to_sphere(n, d, f->Z, f->Z, NULL);
        f->map->post = RK_POST_SPHERE;
    }
    if (zeros)
        rk_log(f->env, RKHS_LOG_ADVICE,
               "the code%s of %s %s 0 and cannot have length 1, as k(x,x) is not above 0: leave such objects out, or choose "
               "another kernel",
               zeros == 1 ? "" : "s", rk_counted(zeros, "object").text, zeros == 1 ? "is" : "are");
done:
    return status;
}

/* The terms of the paper's Theorem 7. */
static rkhs_status report_bound(rk_fit *f, const state *s, double encoder) {
    double n = (double)s->n, decoder = s->d.square;
    return rk_report_bound(f, "Theorem 7", ((const kae *)f->self)->ridge * (encoder + decoder),
                           sqrt(decoder * s->d.max_diag / n), sqrt(log(1 / RK_BOUND_DELTA) / n));
}

static rkhs_status report(rk_fit *f, const state *s, const rk_smooth_result *r) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    double *losses, loss = r->f * s->unit, encoder = fmax(loss - s->d.product, 0);
    TRY(rk_scratch(f->env, r->recorded, sizeof *losses, &losses));
    for (int64_t i = 0; i < r->recorded; i++) losses[i] = r->history[i] * s->unit;
    TRY(rk_report_number(f->env, f->report, "loss", loss));
    TRY(rk_report_array(f->env, f->report, "losses", 1, r->recorded, losses));
    TRY(rk_report_number(f->env, f->report, "squared_error", s->d.error / (double)s->n));
    TRY(rk_report_number(f->env, f->report, "full_rank", s->L != NULL));
    TRY(rk_report_number(f->env, f->report, "gram_ridge", r->added));
    TRY(rk_report_number(f->env, f->report, "encoder_norm", sqrt(encoder)));
    TRY(rk_report_number(f->env, f->report, "decoder_norm", sqrt(s->d.square)));
    TRY(report_bound(f, s, encoder));
    TRY(rk_report_solver(f, ((const kae *)f->self)->solver, r->solver, r->iterations, r->evaluations, r->converged));
done:
    rk_scratch_release(f->env, mark);
    return status;
}

/* The decoder's target: the second data set, or the vectors themselves; NULL: features. */
static const rkhs_data *target_of(const rk_fit *f) {
    if (f->y) return f->y;
    return f->x->type->kind & (RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE) ? f->x : NULL;
}

/* Sets the scale of the objective by its value at the start. */
static rkhs_status first_value(rk_fit *f, state *s, const double *Z0, double trace) {
    rkhs_status status = RKHS_OK;
    const kae *o = f->self;
    double value;
    s->unit = 1;
    TRY(s->L ? eval_full(s, f->env, Z0, NULL, &value, s->Z, NULL) : rk_decoder_eval(f->env, &s->d, Z0, &value, s->Z));
    if (!isfinite(value) && o->ridge == 0)
        FAIL(f->env, RKHS_ERR_NUMERIC,
             "kae: ridge = 0, and the Gram of the codes by embedding_kernel=%.80s is singular: choose a ridge above 0",
             o->embedding_kernel);
    if (!isfinite(value))
        FAIL(f->env, RKHS_ERR_NUMERIC,
             "kae: the Gram of the codes by embedding_kernel=%.80s is not positive semi-definite: raise ridge",
             o->embedding_kernel);
    if (!s->L) value += (double)s->n * (double)s->n / trace;
    if (value > 0) s->unit = value / (double)s->n;
done:
    return status;
}

static rkhs_status fit_kae(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    const kae *o = f->self;
    rkhs_env *env = f->env;
    int64_t n = f->gram->n, d = f->dim;
    state s = {.n = n, .dim = d};
    rk_smooth_result r = {.Z = f->Z, .B = f->map->B, .c = f->map->c};
    rkhs_kernel *kernel = NULL;
    rk_spec *exact = NULL;
    rk_gram *clean = NULL;
    const rkhs_data *target = target_of(f);
    double *Z0, *diag, trace;
    rk_row_sum diagonal = {0};
    TRY(rk_scratch(env, n, sizeof *diag, &diag));
    TRY(rk_gram_diag(f->gram, diag));
    for (int64_t i = 0; i < n; i++) rk_add_row(&diagonal, fmax(diag[i], 0));
    trace = rk_row_total(&diagonal);
    if (!(trace > 0)) {
        rk_log(env, RKHS_LOG_ADVICE, "k(x,x) is above 0 for no object: every code is 0");
        goto done;
    }
    TRY(rk_scratch(env, n * d, sizeof *Z0, &Z0));
    TRY(rk_scratch(env, n * d, sizeof *s.Z, &s.Z));
    TRY(rk_scratch(env, n * d, sizeof *s.dZ, &s.dZ));
    TRY(start_at(f, Z0));
    TRY(embedding_kernel(f, Z0, &kernel));
    if (o->denoise && !target) { /* the features of the clean objects */
        TRY(rk_spec_new(env, &rk_grams, "exact", &exact));
        TRY(rk_gram_new(env, exact, f->kernel, f->x, &clean));
    }
    TRY(rk_decoder_new(clean ? clean : f->gram, target, kernel, o->ridge, d, &s.d));
    TRY(factor_full(f->gram, &s.L));
    TRY(first_value(f, &s, Z0, trace));
    rk_smooth full = {.coordinates = RK_COORD_SAMPLE,
                      .rows = n,
                      .dim = d,
                      .eval = eval_full,
                      .retract = retract_kae,
                      .tangent = tangent_kae,
                      .context = &s};
    rk_smooth scaled = {.coordinates = RK_COORD_ISOMETRIC,
                        .rows = n,
                        .dim = d,
                        .ridge = 1 / s.unit,
                        .scale_free = 1,
                        .eval = eval_scaled,
                        .context = &s};
    if (s.L) r.B = NULL;
    TRY(rk_solve_smooth(f->gram, o->solver, s.L ? &full : &scaled, Z0, NULL, &r));
    TRY(finish_codes(f, &s));
    TRY(rk_decoder_store(f, &s.d, f->Z, target));
    TRY(report(f, &s, &r));
done:
    rk_free(env, r.history);
    rk_gram_free(clean);
    rk_spec_free(env, exact);
    rkhs_kernel_free(kernel);
    return status;
}

static rkhs_status check_kae(const rkhs_model *m) {
    rkhs_status status = rk_check_map(m, 0, RK_DEGREE_NONE, 1);
    return status == RKHS_OK ? rk_decoder_check(m) : status;
}

/* An inverse, n^3 flops, runs at 2/3 of the speed of products. */
static void cost_kae(const void *self, const rk_extent *e, rk_cost *c) {
    const kae *o = self;
    double n = e->n, r = e->columns > 0 ? fmin(e->columns, n) : e->rank, evaluations = 1.5 * rk_assumed_steps(o->solver, 250);
    rk_add_eigen_cost(NULL, e, c);
    rk_add_linear_cost(NULL, e, c);
    c->flops += evaluations * n * n * (1.5 * n + 3 * r + 2 * e->dim);
    c->pairs += 1.5 * evaluations * n * n;
    c->passes += e->features > 0 ? 2 * evaluations : 0;
    c->numbers += 5 * n * n;
}

/* clang-format off */
const rk_model_type rk_model_kae = {
    .entry = {.name = "kae",
              .brief = "kernel autoencoder: an embedding on the unit sphere from which a decoder reconstructs the data, or clean targets",
              .formula = "min tr(X'(Kz + ridge I)^-1 X) + tr(Z'Kx^-1 Z), |z_i| = 1",
              .where = "Z: the embedding, with rows z_i; X: the data, or the targets; Kz: the Gram matrix of the embedding, by "
                       "embedding_kernel; Kx: that of the objects",
              .cost = "the Gram, and a step 3 n^3 flops", .params = params, .size = sizeof(kae)},
    .title = "KernelAutoencoder", .default_kernel = rk_default_kernel, .dim = dim_kae, .gram_offset = offsetof(kae, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_STORED, 20000, 7},
    .supervision = RK_KIND_DENSE, .takes_start = 1, .nonconvex = 1, .inputs = inputs_kae, .fit = fit_kae, .cost = cost_kae,
    .state_size = sizeof(rk_kae_state), .state = rk_kae_parts, .check = check_kae, .decode = rk_decoder_decode,
};
/* clang-format on */
