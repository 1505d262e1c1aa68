/* gplvm.c: the Gaussian process latent variable model, with back constraints (bcgplvm) and without (gplvm).
 *
 *     minimise  (D/2) log|K| + tr(K^-1 S)/2 + prior |Z|^2/2,   K = variance rbf(Z) + noise I
 *
 * over the codes Z, the width of the rbf, variance and noise. These are the codes from which a random smooth function
 * of each feature most likely gives the data. D is the number of features. S is the centred Gram of the data. With the
 * linear kernel the features are the columns, as in the paper; other kernels have features of their own. gplvm moves Z
 * itself, and places new objects by the likelihood of their row (gplvm_place.c). bcgplvm moves A in Z = Ky A, which is
 * a map for new objects; Ky is the Gram of the model's kernel, S that of `data_kernel`. Objects far apart in the data
 * end far apart; near ones need not end near, except with the back constraint. Cost: n^3 flops a step and up to 3 n^3
 * where S has full rank: for some thousands of objects. Lawrence, "Probabilistic non-linear principal component
 * analysis with Gaussian process latent variable models", JMLR 6, 2005; Lawrence, Quinonero-Candela, "Local distance
 * preservation in the GP-LVM through back constraints", ICML 2006. */
#include "model/gplvm.h"

#include <string.h>

typedef struct gplvm {
    int64_t dim, features;
    double prior, noise;
    int start, place;
    char *data_kernel;
    rk_spec *gram, *solver;
} gplvm;

/* clang-format off */
#define SHARED                                                                                                         \
    {.name = "prior", .kind = RK_REAL, .offset = offsetof(gplvm, prior), .value = "1", .max = 1e300,                   \
     .brief = "weight of the Gaussian prior on the embedding, |Z|^2/2; 0: none"},                                      \
    {.name = "noise", .kind = RK_REAL, .offset = offsetof(gplvm, noise), .value = "0.1", .min = 1e-3, .max = 0.999,    \
     .brief = "initial noise, as a share of the variance of the data"},                                                \
    {.name = "features", .kind = RK_INT, .offset = offsetof(gplvm, features), .min = 1, .max = 1e9,                    \
     .brief = "D of the likelihood: the number of features; not given: the columns with the linear kernel, else n - 1"}, \
    RK_PARAM_START(gplvm, "kpca", "kpca|random", ""),                                                                  \
    RK_PARAM_GRAM(gplvm, ""),                                                                                          \
    RK_PARAM_OPTIMISER(gplvm),                                                                                         \
    {.name = NULL}

static const rk_param gplvm_params[] = {
    RK_PARAM_DIM(gplvm),
    {.name = "place", .kind = RK_CHOICE, .offset = offsetof(gplvm, place), .value = "refine", .choices = "refine|neighbour",
     .brief = "out-of-sample placement: maximise the likelihood of each new object, or take the most likely neighbour's "
              "position"},
    SHARED,
};

static const rk_param bcgplvm_params[] = {
    RK_PARAM_DIM(gplvm),
    {.name = "data_kernel", .aliases = "data", .kind = RK_WORD, .offset = offsetof(gplvm, data_kernel),
     .brief = "kernel of S, in quotes unless a plain name; not given: linear on numbers, else the model's own kernel"},
    SHARED,
};
/* clang-format on */

static int64_t dim_gplvm(const void *self, const rkhs_data *y) { return ((const gplvm *)self)->dim; }
static int way_gplvm(const void *self) { return ((const gplvm *)self)->place + 1; } /* gplvm has no map */

/* The default kernel of gplvm: linear, so that columns are the features; for other objects their usual kernel. */
static const char *plain_kernel(const void *self, unsigned kind) {
    return kind & (RK_KIND_DENSE | RK_KIND_SPARSE) ? "linear" : rk_default_kernel(self, kind);
}

/* D: the parameter, or the columns with the linear kernel, else n - 1. */
static double features_of(const gplvm *o, const rk_gram *g) {
    if (o->features) return (double)o->features;
    return (double)(g->kernel->type->flags & RK_IDENTITY ? rk_max(g->x->columns, 1) : g->n - 1);
}

/* Initial log width (median distance of codes), log variance and log noise. */
static rkhs_status first_theta(rk_fit *f, const double *Z, double theta[3]) {
    rkhs_status status = RKHS_OK;
    const gplvm *o = f->self;
    rkhs_data *codes = NULL;
    rk_bandwidth width = {0, 0, 0}; /* the bandwidth rule `median` */
    TRY(rk_data_borrow(f->env, Z, f->gram->n, f->dim, f->dim, &codes));
    TRY(rk_freeze_width(f->env, &width, codes, RK_BY_EUCLID));
    theta[0] = log(width.value);
    theta[1] = log(1 - o->noise);
    theta[2] = log(o->noise);
done:
    rkhs_data_free(codes);
    return status;
}

static rkhs_status report(rk_fit *f, const rk_gplvm *p, const rk_smooth_result *s) {
    rkhs_status status = RKHS_OK;
    TRY(rk_report_number(f->env, f->report, "loss", s->f));
    TRY(rk_report_array(f->env, f->report, "losses", 1, s->recorded, s->history));
    TRY(rk_report_number(f->env, f->report, "width", sqrt(0.5 / p->rate)));
    TRY(rk_report_number(f->env, f->report, "variance", p->scale * p->variance));
    TRY(rk_report_number(f->env, f->report, "noise", p->scale * p->noise));
    TRY(rk_report_solver(f, ((const gplvm *)f->self)->solver, s->solver, s->iterations, s->evaluations, s->converged));
done:
    return status;
}

/* Fits on the Gram of the data; Z moves in the coordinates of f->gram. */
static rkhs_status fit_likelihood(rk_fit *f, const rk_gram *data, rk_coordinates coordinates, rk_gplvm *p) {
    rkhs_status status = RKHS_OK;
    const gplvm *o = f->self;
    int64_t n = data->n, d = f->dim;
    rk_smooth_result s = {.Z = f->Z, .B = coordinates == RK_COORD_SAMPLE ? NULL : f->map->B, .c = f->map->c};
    double *Z0, theta[3];
    TRY(rk_gplvm_new(data, features_of(o, data), d, p));
    p->prior = o->prior;
    TRY(rk_report_number(f->env, f->report, "features", p->features));
    TRY(rk_report_number(f->env, f->report, "prior", p->prior));
    if (!(p->scale > 0)) {
        p->r = 0;
        rk_log(f->env, RKHS_LOG_ADVICE, "the objects are all the same to the kernel: every code is 0");
        goto done;
    }
    TRY(rk_scratch(f->env, n * d, sizeof *Z0, &Z0));
    TRY(rk_start_embedding(f, data, &(rk_start){.how = RK_START_KPCA + o->start}, Z0));
    TRY(first_theta(f, Z0, theta));
    rk_smooth problem = {.coordinates = coordinates,
                         .rows = n,
                         .dim = d,
                         .thetas = 3,
                         .max_iter = f->max_iter,
                         .eval = rk_gplvm_eval,
                         .context = p};
    TRY(rk_solve_smooth(f->gram, o->solver, &problem, Z0, theta, &s));
    rk_gplvm_set_theta(p, theta);
    TRY(report(f, p, &s));
done:
    rk_free(f->env, s.history);
    return status;
}

static rkhs_status fit_gplvm(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    rk_gplvm p;
    TRY(fit_likelihood(f, f->gram, RK_COORD_SAMPLE, &p));
    TRY(rk_gplvm_store(f, &p));
done:
    return status;
}

/* The kernel of S. *kernel NULL: the model's own, for objects without columns. */
static rkhs_status data_kernel(rk_fit *f, rkhs_kernel **kernel) {
    rkhs_status status = RKHS_OK;
    const gplvm *o = f->self;
    TRY(rk_kernel_new(f->env, o->data_kernel ? o->data_kernel : "linear", kernel));
    if (!o->data_kernel && !(rk_kernel_kinds(*kernel) & f->x->type->kind)) {
        rkhs_kernel_free(*kernel);
        *kernel = NULL;
    }
done:
    return status;
}

static rkhs_status fit_bcgplvm(rk_fit *f) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *kernel = NULL;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    rk_spec *exact = NULL;
    rk_gram *own = NULL;
    rk_gplvm p;
    TRY(data_kernel(f, &kernel));
    if (kernel) {
        TRY(rk_kernel_coerce(kernel, f->x, NULL, &use, &view));
        TRY(rk_kernel_freeze(kernel, use));
        TRY(rk_spec_new(f->env, &rk_grams, "exact", &exact)); /* a step needs n x n numbers anyway */
        TRY(rk_gram_new(f->env, exact, kernel, use, &own));
    }
    TRY(fit_likelihood(f, own ? own : f->gram, RK_COORD_ALPHA, &p));
done:
    rk_gram_free(own);
    rk_spec_free(f->env, exact);
    rkhs_kernel_free(kernel);
    rkhs_data_free(view);
    return status;
}

/* r: the rank of S. An inverse, n^3 flops, runs at 2/3 of the speed of products. */
static void add_likelihood(const gplvm *o, const rk_extent *e, double r, rk_cost *c) {
    double n = e->n, evaluations = 1.1 * rk_assumed_steps(o->solver, 300);
    rk_add_eigen_cost(NULL, e, c);
    c->flops += evaluations * n * (1.5 * n * n + 3 * n * r - r * r);
    c->pairs += evaluations * n * n;
    c->numbers += 4 * n * n;
}

static void cost_gplvm(const void *self, const rk_extent *e, rk_cost *c) { add_likelihood(self, e, e->rank, c); }

static void cost_bcgplvm(const void *self, const rk_extent *e, rk_cost *c) {
    const gplvm *o = self;
    add_likelihood(o, e, o->data_kernel || !(e->columns > 0) ? e->n : fmin(e->columns, e->n), c);
    rk_add_linear_cost(NULL, e, c);
    c->passes += 2.2 * rk_assumed_steps(o->solver, 300);
    c->numbers += e->n * e->n; /* S */
}

#define PROCESS_WHERE                                                                                                          \
    "Z: the embedding; K = variance rbf(Z) + noise I, its width, variance and noise to be found too; D: the number of "        \
    "features; S: the centred Gram matrix of the objects"
#define PROCESS_COST "the Gram, and a step n^3 flops, at full rank 3 n^3"

/* clang-format off */
const rk_model_type rk_model_gplvm = {
    .entry = {.name = "gplvm",
              .brief = "Gaussian process latent variable model: positions from which smooth random functions generate the data",
              .formula = "min (D/2) log|K| + tr(K^-1 S)/2 + prior |Z|^2/2", .where = PROCESS_WHERE,
              .cost = PROCESS_COST, .params = gplvm_params, .size = sizeof(gplvm)},
    .title = "GPLVM", .default_kernel = plain_kernel, .dim = dim_gplvm, .gram_offset = offsetof(gplvm, gram), .need = {RK_MATRIX | RK_LANDMARKS, RK_READ_STORED, 20000, 5},
    .takes_start = 1, .nonconvex = 1, .fit = fit_gplvm, .cost = cost_gplvm, .state_size = sizeof(rk_gplvm_state), .state = rk_gplvm_parts,
    .check = rk_gplvm_check, .ways = 1u << RK_PLACE_REFINE | 1u << RK_PLACE_NEIGHBOUR, .way = way_gplvm,
    .ready = rk_gplvm_ready, .place_work = rk_gplvm_work, .place_diag = 1, .place = rk_gplvm_place,
};

const rk_model_type rk_model_bcgplvm = {
    .entry = {.name = "bcgplvm",
              .brief = "Gaussian process latent variable model with back constraints: the embedding is a map of the objects",
              .formula = "min (D/2) log|K| + tr(K^-1 S)/2 + prior |Z|^2/2, Z = Ky A",
              .where = PROCESS_WHERE ", by data_kernel; Ky: the Gram matrix of the objects; A: the coefficients, to be found",
              .cost = PROCESS_COST " and two products with Ky", .params = bcgplvm_params, .size = sizeof(gplvm)},
    .title = "BackConstrainedGPLVM", .default_kernel = rk_default_kernel, .dim = dim_gplvm,
    .gram_offset = offsetof(gplvm, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_STORED, 20000, 5}, .takes_start = 1, .nonconvex = 1, .fit = fit_bcgplvm, .cost = cost_bcgplvm, .check = rk_check_full_map,
};
/* clang-format on */
