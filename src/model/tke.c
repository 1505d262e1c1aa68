/* tke.c: twin kernel embedding, with back constraints (bctke) and without (tke), which keeps nearest neighbours near.
 *
 *     minimise  - sum_ij F_ij a(z_i, z_j) + repulsion sum_ij kx(z_i, z_j)^2 + decay sum_i |z_i|^2
 *
 * over Z and the scale of the embedding kernel kx. F has the weights of each object's k nearest others in feature
 * space, those of least k(x,x) + k(y,y) - 2 k(x,y). The first term draws neighbours together, the second keeps all
 * objects apart. Kernel values serve as weights where k(x,x) is the same for all objects. Elsewhere they measure
 * size as much as likeness: then bctke weighs by distances, as tke always does (weights=local). a = kx is the
 * paper's choice (attraction=product, embedding_kernel=rbf, weights=kernel, neighbours=13, repulsion=0.005); it lets
 * go of neighbours that are far apart. a = log kx does not, and with the Cauchy kernel it tears far less: tke's
 * default. tke moves Z itself, and places new objects by the same objective with the embedding fixed (tke_place.c).
 * bctke moves A in Z = K A, a map for new objects. It is smoother, but in few dimensions it places new objects less
 * well. Cost: the Gram, and for each of some 300 steps half of all pairs. Distances are not preserved. Guo, Gao,
 * Kwan, "Twin kernel embedding", IEEE PAMI 30, 2008; Guo, Kwan, Gao, "Twin kernel embedding with back constraints",
 * ICDM workshops, 2007. */
#include "model/neighbour_graph.h"
#include "model/tke.h"

typedef struct tke {
    int64_t dim, neighbours;
    double repulsion, decay;
    int embedding_kernel, attraction, weights, start, place, map;
    rk_spec *gram, *solver;
} tke;

enum { WEIGHTS_LOCAL, WEIGHTS_KERNEL, WEIGHTS_AUTO };
enum { ATTRACTION_LOG, ATTRACTION_PRODUCT };
enum { MAP_FULL, MAP_NEAREST };

/* clang-format off */
#define SHARED(REPULSION, NOTE, KERNEL, ATTRACTION, WEIGHTS)                                                           \
    RK_PARAM_DIM(tke),                                                                                                 \
    RK_PARAM_NEIGHBOURS(tke, NULL, 1e9, "; not given: 15"),                                                            \
    {.name = "repulsion", .aliases = "lk", .kind = RK_REAL, .offset = offsetof(tke, repulsion), .value = REPULSION,    \
     .max = 1e300, .brief = "weight of the repulsion between all pairs: smaller values give denser clusters" NOTE},    \
    {.name = "decay", .aliases = "lx", .kind = RK_REAL, .offset = offsetof(tke, decay), .value = "0.001",              \
     .max = 1e300, .brief = "weight of the penalty on |Z|^2, which keeps the embedding near 0"},                       \
    {.name = "embedding_kernel", .aliases = "latent", .kind = RK_CHOICE, .offset = offsetof(tke, embedding_kernel),    \
     .value = KERNEL, .choices = "rbf|cauchy",                                                                         \
     .brief = "kernel kx of the embedding: exp(-g s) or 1/(1 + g s), s the squared distance"},                         \
    {.name = "attraction", .aliases = "match", .kind = RK_CHOICE, .offset = offsetof(tke, attraction),                 \
     .value = ATTRACTION, .choices = "log|product",                                                                    \
     .brief = "attraction between neighbours: log kx, which also acts on distant ones, or kx itself"},                 \
    {.name = "weights", .kind = RK_CHOICE, .offset = offsetof(tke, weights), .value = WEIGHTS,                         \
     .choices = "local|kernel|auto",                                                                                   \
     .brief = "weights of neighbours: by distance with the same sum for every object, or the kernel values; "          \
              "auto: the kernel values where k(x,x) is the same for all objects"},                                     \
    RK_PARAM_START(tke, "kle", "kle|kpca|random", "")
#define LAST RK_PARAM_GRAM(tke, ""), RK_PARAM_OPTIMISER(tke), {.name = NULL}

static const rk_param tke_params[] = {
    SHARED(NULL, "; not given: 0.05, or 60/n for fewer than 1200 objects", "cauchy", "log", "local"),
    {.name = "place", .kind = RK_CHOICE, .offset = offsetof(tke, place), .value = "refine", .choices = "refine|neighbour",
     .brief = "out-of-sample placement: minimise the objective for each new object, or take the best neighbour's position"},
    LAST,
};

static const rk_param bctke_params[] = {
    SHARED("0.005", "", "rbf", "product", "auto"),
    {.name = "map", .kind = RK_CHOICE, .offset = offsetof(tke, map), .value = "full", .choices = "full|nearest",
     .brief = "Z = K A with all of K, or with the values of the object itself and its nearest neighbours in each row"},
    {.name = "place", .kind = RK_CHOICE, .offset = offsetof(tke, place), .value = "map", .choices = "map|refine|neighbour",
     .brief = "out-of-sample placement: by the map, by minimising the objective, or at the best neighbour's position"},
    LAST,
};
/* clang-format on */

static int64_t dim_tke(const void *self, const rkhs_data *y) { return ((const tke *)self)->dim; }
static int way_tke(const void *self) { return ((const tke *)self)->place + 1; } /* skips RK_PLACE_MAP: it has no map */
static int way_bctke(const void *self) { return ((const tke *)self)->place; }

/* The number of neighbours: the parameter or 15, at most all others. */
static int64_t neighbours_of(const tke *o, int64_t n) { return rk_min(o->neighbours ? o->neighbours : 15, n - 1); }

/* The sum of the k local weights of a row; 0: the weights are kernel values. half: rk_gram_half_diagonal. */
static double sum_of(const tke *o, int64_t k, const double *half) {
    int local = o->weights == WEIGHTS_LOCAL || (o->weights == WEIGHTS_AUTO && half);
    return local ? fmax(0.4 * (double)k, fmin(1.5, (double)k)) : 0;
}

/* The default repulsion is larger for few objects: attraction of an object does not depend on n, repulsion does. */
static double repulsion_of(const tke *o, int64_t n) { return isnan(o->repulsion) ? fmax(0.05, 60 / (double)n) : o->repulsion; }

/* ---- fit ------------------------------------------------------------------------------------------------------- */

/* Projects the start onto the range of K: K (K + ridge I)^-1 Z. Null-space parts amplify rounding for new objects. */
static rkhs_status project_on_range(rk_fit *f, double *Z) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    int64_t n = f->gram->n;
    rk_solution s;
    double *diag;
    TRY(rk_scratch(f->env, n, sizeof *diag, &diag));
    TRY(rk_gram_diag(f->gram, diag));
    TRY(rk_solve_linear(f->gram, NULL, &(rk_linear){.T = Z, .k = f->dim, .mu = 1e-3 * rk_rows_sum(n, 1, diag) / (double)n},
                        &s));
    TRY(rk_gram_push(f->gram, s.coef, f->dim, Z));
done:
    rk_scratch_release(f->env, mark);
    return status;
}

static void advise(rkhs_env *env, const rk_tke *t) {
    if (t->equal == t->n)
        rk_log(env, RKHS_LOG_ADVICE,
               "every object has the same kernel values as its %lld nearest neighbours, so the embedding means nothing: check "
               "that the "
               "objects differ; if they do, standardize the columns or choose another width or kernel",
               (long long)t->k);
    if (t->isolated)
        rk_log(env, RKHS_LOG_ADVICE, "%lld object%s no neighbour with a positive kernel value: only repulsion places %s",
               (long long)t->isolated, t->isolated == 1 ? " has" : "s have", t->isolated == 1 ? "it" : "them");
    if (t->components > 1 + t->isolated) rk_advise_components(env, t->n, t->components, t->isolated, RK_COMPONENTS_APART);
}

static rkhs_status report(rk_fit *f, const rk_tke *t, const rk_smooth_result *s, double gamma) {
    rkhs_status status = RKHS_OK;
    TRY(rk_report_number(f->env, f->report, "loss", s->f));
    TRY(rk_report_array(f->env, f->report, "losses", 1, s->recorded, s->history));
    TRY(rk_report_number(f->env, f->report, "gamma", gamma));
    TRY(rk_report_number(f->env, f->report, "neighbours", (double)t->k));
    TRY(rk_report_number(f->env, f->report, "components", (double)t->components));
    TRY(rk_report_solver(f, ((const tke *)f->self)->solver, s->solver, s->iterations, s->evaluations, s->converged));
done:
    return status;
}

static rkhs_status fit_in(rk_fit *f, rk_coordinates coordinates, int64_t nearest) {
    rkhs_status status = RKHS_OK;
    const tke *o = f->self;
    int64_t n = f->gram->n, d = f->dim, k = o->neighbours ? rk_neighbour_count(f->env, o->neighbours, n) : neighbours_of(o, n);
    rk_tke t = {.dim = d,
                .k = k,
                .repulsion = repulsion_of(o, n),
                .decay = o->decay,
                .kernel = o->embedding_kernel,
                .log = o->attraction == ATTRACTION_LOG};
    rk_smooth_result s = {.Z = f->Z, .B = coordinates == RK_COORD_SAMPLE ? NULL : f->map->B, .c = f->map->c};
    const rk_tke_state *before = f->old_state;
    double *Z0, *half, theta = before ? log(before->gamma) : 0;
    TRY(rk_scratch(f->env, n * d, sizeof *Z0, &Z0));
    TRY(rk_gram_half_diagonal(f->gram, &half));
    TRY(rk_map_store_halves(f, half));
    t.half = half;
    t.sum = sum_of(o, k, half);
    TRY(rk_tke_graph(f->gram, &t));
    advise(f->env, &t);
    TRY(rk_start_embedding(f, f->gram, &(rk_start){.how = o->start, .each = 1, .k = t.k, .near = t.near, .value = t.value},
                           Z0));
    if (coordinates == RK_COORD_ALPHA && !nearest) TRY(project_on_range(f, Z0));
    TRY(rk_tke_alloc(f->env, &t));
    rk_smooth problem = {.coordinates = coordinates,
                         .rows = n,
                         .dim = d,
                         .thetas = 1,
                         .nearest = nearest,
                         .max_iter = f->max_iter,
                         .eval = rk_tke_eval,
                         .context = &t};
    TRY(rk_solve_smooth(f->gram, o->solver, &problem, Z0, &theta, &s));
    f->map->nearest = nearest;
    TRY(rk_map_fingerprint(f));
    ((rk_tke_state *)f->state)->gamma = exp(theta);
    TRY(report(f, &t, &s, exp(theta)));
done:
    rk_free(f->env, s.history);
    return status;
}

static rkhs_status fit_tke(rk_fit *f) { return fit_in(f, RK_COORD_SAMPLE, 0); }

static rkhs_status fit_bctke(rk_fit *f) {
    const tke *o = f->self;
    int64_t nearest = o->map == MAP_NEAREST ? neighbours_of(o, f->gram->n) + 1 : 0;
    return fit_in(f, RK_COORD_ALPHA, nearest);
}

/* ---- new objects ----------------------------------------------------------------------------------------------- */

static const rk_state_part state[] = {
    RK_STATE_PART(rk_tke_state, gamma, RK_STATE_NUMBER, "width"),
    {.name = NULL},
};

/* Checks gamma and the map of a loaded model. */
static rkhs_status check_in(const rkhs_model *m, int nearest) {
    double gamma = ((const rk_tke_state *)m->state)->gamma;
    if (!(gamma > 0))
        return rk_fail(m->env, RKHS_ERR_FORMAT, "its gamma is %s, and new objects are placed by it",
                       isnan(gamma) ? "missing" : "not above 0");
    return rk_check_map(m, nearest, RK_DEGREE_NONE, 0);
}

static rkhs_status check_tke(const rkhs_model *m) { return check_in(m, 0); }
static rkhs_status check_bctke(const rkhs_model *m) { return check_in(m, ((const tke *)m->spec->self)->map == MAP_NEAREST); }

static rkhs_status ready_tke(const rkhs_model *m, int how, void **ready) {
    rkhs_status status = RKHS_OK;
    const tke *o = m->spec->self;
    int64_t count = m->map->object_count, d = m->dim, k = neighbours_of(o, count + 1);
    rk_tke_place *t;
    TRY(rk_scratch(m->env, 1, sizeof *t, &t));
    *t = (rk_tke_place){.reference_count = count,
                        .dim = d,
                        .k = k,
                        .g = ((const rk_tke_state *)m->state)->gamma,
                        .repulsion = repulsion_of(o, m->n),
                        .decay = o->decay,
                        .kernel = o->embedding_kernel,
                        .log = o->attraction == ATTRACTION_LOG,
                        .half = m->map->half,
                        .sum = sum_of(o, k, m->map->half)};
    TRY(rk_fingerprints_new(m->env, m->map, &t->fingerprints));
    TRY(rk_scratch(m->env, count * d, sizeof *t->columns, &t->columns));
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < d; c++) t->columns[c * count + i] = m->Z[(m->map_rows ? m->map_rows[i] : i) * d + c];
    *ready = t;
done:
    return status;
}

static int64_t work_tke(const rkhs_model *m, int how) {
    int64_t count = m->map->object_count;
    return rk_tke_place_work(count, m->dim, neighbours_of(m->spec->self, count + 1));
}

static rkhs_status place_tke(const rk_placing *p) {
    for (int64_t i = 0; i < p->rows; i++)
        rk_tke_place_row(p->ready, p->K + i * p->ld, p->how == RK_PLACE_REFINE, p->Z + i * p->ldz, p->work);
    return RKHS_OK;
}

static void cost_tke(const void *self, const rk_extent *e, rk_cost *c) {
    const tke *o = self;
    double evaluations = 1.1 * rk_assumed_steps(o->solver, 300), n = e->n;
    c->neighbours = 1;
    if (o->start == RK_START_KLE) rk_add_eigenmap_cost(e, (double)neighbours_of(o, (int64_t)n), c);
    if (o->start == RK_START_KPCA) rk_add_eigen_cost(NULL, e, c);
    c->pairs += evaluations * n * n / 2;
    c->numbers += n * n * e->dim / RK_TILE + 40 * n;
}

static void cost_bctke(const void *self, const rk_extent *e, rk_cost *c) {
    const tke *o = self;
    cost_tke(self, e, c);
    c->whole = o->map == MAP_NEAREST;
    if (c->whole) return;
    c->passes += 2.2 * rk_assumed_steps(o->solver, 300);
    for (int k = 0; k < 2; k++) rk_add_linear_cost(NULL, e, c); /* the start, and its projection */
}

#define TWIN_COST "the Gram, and a step n^2/2 exponentials"
#define TWIN_WHERE                                                                                                             \
    "sums are over pairs of objects; Z: the embedding; kx: the embedding kernel of the two points; F: the weight of "          \
    "the pair, 0 unless one is among the nearest neighbours of the other"

/* clang-format off */
const rk_model_type rk_model_tke = {
    .entry = {.name = "tke",
              .brief = "twin kernel embedding: nearest neighbours by the kernel become neighbours in the embedding",
              .formula = "min -sum F log kx + repulsion sum kx^2 + decay |Z|^2", .where = TWIN_WHERE, .cost = TWIN_COST,
              .params = tke_params, .size = sizeof(tke)},
    .title = "TwinKernelEmbedding", .default_kernel = rk_default_kernel, .dim = dim_tke,
    .gram_offset = offsetof(tke, gram), .takes_start = 1, .nonconvex = 1, .fit = fit_tke, .cost = cost_tke,
    .state_size = sizeof(rk_tke_state), .state = state, .check = check_tke,
    .ways = 1u << RK_PLACE_REFINE | 1u << RK_PLACE_NEIGHBOUR, .way = way_tke, .ready = ready_tke,
    .place_work = work_tke, .place = place_tke,
};

const rk_model_type rk_model_bctke = {
    .entry = {.name = "bctke",
              .brief = "twin kernel embedding with back constraints: the embedding is a map of the objects",
              .formula = "min -sum F kx + repulsion sum kx^2 + decay |Z|^2, Z = K A",
              .where = TWIN_WHERE "; K: the Gram matrix; A: the coefficients, to be found",
              .cost = TWIN_COST " and two products with K", .params = bctke_params, .size = sizeof(tke)},
    .title = "BackConstrainedTKE", .default_kernel = rk_default_kernel, .dim = dim_tke,
    .gram_offset = offsetof(tke, gram), .need = {RK_MATRIX | RK_FEATURES, RK_READ_STORED, 20000, 1}, .takes_start = 1, .nonconvex = 1,
    .fit = fit_bctke, .cost = cost_bctke,
    .state_size = sizeof(rk_tke_state), .state = state, .check = check_bctke,
    .ways = 1u << RK_PLACE_MAP | 1u << RK_PLACE_REFINE | 1u << RK_PLACE_NEIGHBOUR, .way = way_bctke, .ready = ready_tke,
    .place_work = work_tke, .place = place_tke,
};
/* clang-format on */
