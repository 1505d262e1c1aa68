/* tke.c: twin kernel embedding, with back constraints (bctke) and without (tke).
 *
 *     minimise  - sum_ij F_ij a(z_i, z_j) + lk sum_ij kx(z_i, z_j)^2 + lx sum_i |z_i|^2
 *
 * over Z and the width of kx, F the kernel of which each object keeps its k nearest others in feature space, those with the
 * least k(x,x) + k(y,y) - 2 k(x,y): what is alike is brought together, and the second term holds all apart. Kernel values are
 * weights where k(x,x) is the same for all; elsewhere they say how large two objects are as much as how alike, and may be below
 * 0, so that bctke weighs by distances then, as tke does (weights=local). a = kx is the paper's (match=product, latent=rbf,
 * weights=kernel, k=13, lk=0.005). It lets go of neighbours that are far apart; a = log kx does not, and with the Cauchy kernel
 * tears far less: tke's default. tke moves Z itself, and places new objects by the same objective beside an embedding that
 * stays (tke_place.c). bctke moves A in Z = K A, which is a map for new objects: smoother, but in few dimensions these follow
 * it less well than they are placed. Cost: the Gram, and for each of some 300 steps half of all pairs. Look elsewhere when
 * distances, and not neighbours, matter. Guo, Gao, Kwan, "Twin kernel embedding", IEEE PAMI 30, 2008; Guo, Kwan, Gao, "Twin
 * kernel embedding with back constraints", ICDM workshops 2007. */
#include "model/eigenmap.h"
#include "model/tke.h"

typedef struct tke {
    int64_t dim, k;
    double lk, lx;
    int latent, match, weights, start, place, map;
    rk_spec *gram, *solver;
} tke;

enum { WEIGHTS_LOCAL, WEIGHTS_KERNEL, WEIGHTS_AUTO };
enum { MATCH_LOG, MATCH_PRODUCT };
enum { MAP_FULL, MAP_NEAREST };

/* clang-format off */
#define SHARED(lk_, lk_brief, latent_, match_, weights_)                                                                                 \
    {.name = "dim", .kind = RK_INT, .offset = offsetof(tke, dim), .value = "2", .min = 1, .max = 1e9,                          \
     .brief = "dimensions of the embedding"},                                                                                  \
    {.name = "k", .kind = RK_INT, .offset = offsetof(tke, k), .min = 1, .max = 1e9,                                            \
     .brief = "neighbours that each object keeps, at most all others; not given: 15"},                                         \
    {.name = "lk", .kind = RK_REAL, .offset = offsetof(tke, lk), .value = lk_, .max = 1e300,                                   \
     .brief = "what closeness costs: less brings more together" lk_brief},                                                     \
    {.name = "lx", .kind = RK_REAL, .offset = offsetof(tke, lx), .value = "0.001", .max = 1e300,                               \
     .brief = "what distance from 0 costs"},                                                                                   \
    {.name = "latent", .kind = RK_CHOICE, .offset = offsetof(tke, latent), .value = latent_, .choices = "rbf|cauchy",          \
     .brief = "kx, the kernel of the embedding: exp(-g s) or 1/(1 + g s), s the squared distance"},                            \
    {.name = "match", .kind = RK_CHOICE, .offset = offsetof(tke, match), .value = match_, .choices = "log|product",            \
     .brief = "what brings neighbours together: log kx, which reaches far, or kx"},                                            \
    {.name = "weights", .kind = RK_CHOICE, .offset = offsetof(tke, weights), .value = weights_, .choices = "local|kernel|auto", \
     .brief = "what neighbours weigh: by distance, as much in sum for every object; or the kernel's values; auto: the values " \
              "where k(x,x) is the same for all"},                                                                             \
    {.name = "start", .kind = RK_CHOICE, .offset = offsetof(tke, start), .value = "kle", .choices = "kle|kpca|random",         \
     .brief = "where to begin, unless a start is given"}

static const rk_param tke_params[] = {
    SHARED(NULL, "; not given: 0.05, or 60/n for fewer than 1200 objects", "cauchy", "log", "local"),
    {.name = "place", .kind = RK_CHOICE, .offset = offsetof(tke, place), .value = "refine", .choices = "refine|neighbour",
     .brief = "new objects: by the objective, or on the neighbour where it is lowest"},
    {.name = "gram", .kind = RK_SPEC, .offset = offsetof(tke, gram), .value = "exact", .list = &rk_grams,
     .brief = "how the Gram is held"},
    {.name = "solver", .kind = RK_SPEC, .offset = offsetof(tke, solver), .value = "lbfgs", .list = &rk_optimisers,
     .brief = "lbfgs or cg"},
    {.name = NULL},
};

static const rk_param bctke_params[] = {
    SHARED("0.005", "", "rbf", "product", "auto"),
    {.name = "map", .kind = RK_CHOICE, .offset = offsetof(tke, map), .value = "full", .choices = "full|nearest",
     .brief = "Z = K A with all of K, or with the values of the k + 1 nearest in each row"},
    {.name = "place", .kind = RK_CHOICE, .offset = offsetof(tke, place), .value = "map", .choices = "map|refine|neighbour",
     .brief = "new objects: by the map, by the objective, or on the neighbour where it is lowest"},
    {.name = "gram", .kind = RK_SPEC, .offset = offsetof(tke, gram), .value = "exact", .list = &rk_grams,
     .brief = "how the Gram is held"},
    {.name = "solver", .kind = RK_SPEC, .offset = offsetof(tke, solver), .value = "lbfgs", .list = &rk_optimisers,
     .brief = "lbfgs or cg"},
    {.name = NULL},
};
/* clang-format on */

static int64_t dim_tke(const void *self, const rkhs_data *y) { return ((const tke *)self)->dim; }
static int way_tke(const void *self) { return ((const tke *)self)->place + 1; } /* there is no map */
static int way_bctke(const void *self) { return ((const tke *)self)->place; }

/* The neighbours that are asked for, or as many as there are. */
static int64_t neighbours_of(const tke *o, int64_t n) { return rk_min(o->k ? o->k : 15, n - 1); }

/* What the weights of a row sum to, of k; 0: they are the kernel's values. half: rk_gram_halves. */
static double sum_of(const tke *o, int64_t k, const double *half) {
    int local = o->weights == WEIGHTS_LOCAL || (o->weights == WEIGHTS_AUTO && half);
    return local ? fmax(0.4 * (double)k, fmin(1.5, (double)k)) : 0;
}

/* What closeness costs. The pull on an object is the same however many there are, and the push is not: for few it takes more.
 */
static double lk_of(const tke *o, int64_t n) { return isnan(o->lk) ? fmax(0.05, 60 / (double)n) : o->lk; }

/* ---- fit ---------------------------------------------------------------------------------------------------------------- */

/* What K can follow of a start: K (K + ridge I)^-1 Z. Coefficients that make it have no part that K takes to 0, whose rounding
 * would show in new objects. */
static rkhs_status smoothen(rk_fit *f, double *Z) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    int64_t n = f->gram->n;
    rk_solution s;
    double *diag;
    TRY(rk_scratch(f->env, n, sizeof *diag, &diag));
    TRY(f->gram->type->diag(f->gram, diag));
    TRY(rk_solve_linear(f->gram, NULL, &(rk_linear){Z, f->dim, 1e-3 * rk_sum(n, diag) / (double)n}, &s));
    TRY(f->gram->type->push(f->gram, s.coef, f->dim, Z));
done:
    rk_scratch_release(f->env, mark);
    return status;
}

static void advise(rkhs_env *env, const rk_tke *t) {
    if (t->equal == t->n)
        rk_log(
            env, RKHS_LOG_ADVICE,
            "the kernel cannot tell any object from its %lld nearest, and where these lie means nothing: scale the columns, or "
            "choose other parameters of the kernel",
            (long long)t->k);
    if (t->isolated)
        rk_log(env, RKHS_LOG_ADVICE,
               "%lld object%s no neighbour with a kernel value above 0: repulsion alone places %s",
               (long long)t->isolated, t->isolated == 1 ? " has" : "s have", t->isolated == 1 ? "it" : "them");
    if (t->components > 1 + t->isolated) rk_graph_advise(env, t->n, t->components, t->isolated, RK_COMPONENTS_APART);
}

static rkhs_status report(rk_fit *f, const rk_tke *t, const rk_smooth_result *s, double width) {
    rkhs_status status = RKHS_OK;
    TRY(rk_report_number(f->env, f->report, "loss", s->f));
    TRY(rk_report_array(f->env, f->report, "losses", 1, s->recorded, s->history));
    TRY(rk_report_number(f->env, f->report, "width", width));
    TRY(rk_report_number(f->env, f->report, "neighbours", (double)t->k));
    TRY(rk_report_number(f->env, f->report, "parts", (double)t->components));
    TRY(rk_report_solver(f, s->solver, s->iterations, s->evaluations, s->converged));
done:
    return status;
}

static rkhs_status fit_in(rk_fit *f, rk_coordinates coordinates, int64_t nearest) {
    rkhs_status status = RKHS_OK;
    const tke *o = f->self;
    int64_t n = f->gram->n, d = f->dim, k = o->k ? rk_graph_k(f->env, o->k, n) : neighbours_of(o, n);
    rk_tke t = {.dim = d, .k = k, .lk = lk_of(o, n), .lx = o->lx, .latent = o->latent, .log = o->match == MATCH_LOG};
    rk_smooth_result s = {.Z = f->Z, .B = coordinates == RK_COORD_SAMPLE ? NULL : f->map->B, .c = f->map->c};
    const rk_tke_state *before = f->before;
    double *Z0, *half, theta = before ? log(before->width) : 0;
    TRY(rk_scratch(f->env, n * d, sizeof *Z0, &Z0));
    TRY(rk_gram_halves(f->gram, &half));
    TRY(rk_map_halve(f, half));
    t.half = half;
    t.sum = sum_of(o, k, half);
    TRY(rk_tke_graph(f->gram, &t));
    advise(f->env, &t);
    TRY(rk_start_at(f, f->gram, &(rk_start){.how = o->start, .each = 1, .k = t.k, .near = t.near, .value = t.value}, Z0));
    if (coordinates == RK_COORD_ALPHA && !nearest) TRY(smoothen(f, Z0));
    TRY(rk_tke_room(f->env, &t));
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
    ((rk_tke_state *)f->state)->width = exp(theta);
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

/* ---- new objects -------------------------------------------------------------------------------------------------------- */

static const rk_state_part state[] = {
    RK_STATE_PART(rk_tke_state, width, RK_STATE_NUMBER, "width"),
    {.name = NULL},
};

/* What a file says of the width, and of the map. */
static rkhs_status check_in(const rkhs_model *m, int nearest) {
    double width = ((const rk_tke_state *)m->state)->width;
    if (!(width > 0))
        return rk_fail(m->env, RKHS_ERR_FORMAT, "its width is %s, and new objects are placed by it",
                       isnan(width) ? "missing" : "not above 0");
    return rk_check_map(m, nearest, RK_DEGREE_NONE, 0);
}

static rkhs_status check_tke(const rkhs_model *m) { return check_in(m, 0); }
static rkhs_status check_bctke(const rkhs_model *m) { return check_in(m, ((const tke *)m->spec->self)->map == MAP_NEAREST); }

static rkhs_status ready_tke(const rkhs_model *m, int how, void **ready) {
    rkhs_status status = RKHS_OK;
    const tke *o = m->spec->self;
    int64_t kept = m->map->kept_count, d = m->dim, k = neighbours_of(o, kept + 1);
    rk_tke_place *t;
    TRY(rk_scratch(m->env, 1, sizeof *t, &t));
    *t = (rk_tke_place){.kept = kept,
                        .dim = d,
                        .k = k,
                        .g = ((const rk_tke_state *)m->state)->width,
                        .lk = lk_of(o, m->n),
                        .lx = o->lx,
                        .latent = o->latent,
                        .log = o->match == MATCH_LOG,
                        .half = m->map->half,
                        .sum = sum_of(o, k, m->map->half)};
    TRY(rk_fingerprints_new(m->env, m->map, &t->fingerprints));
    TRY(rk_scratch(m->env, kept * d, sizeof *t->columns, &t->columns));
    for (int64_t i = 0; i < kept; i++)
        for (int64_t c = 0; c < d; c++) t->columns[c * kept + i] = m->Z[(m->keep ? m->keep[i] : i) * d + c];
    *ready = t;
done:
    return status;
}

static int64_t work_tke(const rkhs_model *m, int how) {
    int64_t kept = m->map->kept_count;
    return rk_tke_place_work(kept, m->dim, neighbours_of(m->spec->self, kept + 1));
}

static rkhs_status place_tke(const rk_placing *p) {
    for (int64_t i = 0; i < p->rows; i++)
        rk_tke_place_row(p->ready, p->K + i * p->ld, p->how == RK_PLACE_REFINE, p->Z + i * p->ldz, p->work);
    return RKHS_OK;
}

#define TWIN_COST "the Gram, and a step n^2/2 exponentials"

/* clang-format off */
const rk_model_type rk_model_tke = {
    .entry = {.name = "tke", .brief = "twin kernel embedding: neighbours by the kernel are neighbours in the embedding",
              .formula = "min -sum F log kx + lk sum kx^2 + lx |Z|^2", .cost = TWIN_COST, .params = tke_params,
              .size = sizeof(tke)},
    .title = "TwinKernelEmbedding", .default_kernel = rk_usual_kernel, .dim = dim_tke,
    .gram_offset = offsetof(tke, gram), .takes_start = 1, .nonconvex = 1, .fit = fit_tke,
    .state_size = sizeof(rk_tke_state), .state = state, .check = check_tke,
    .ways = 1u << RK_PLACE_REFINE | 1u << RK_PLACE_NEIGHBOUR, .way = way_tke, .ready = ready_tke,
    .place_work = work_tke, .place = place_tke,
};

const rk_model_type rk_model_bctke = {
    .entry = {.name = "bctke", .brief = "twin kernel embedding through a map: Z = K A",
              .formula = "min -sum F kx + lk sum kx^2 + lx |Z|^2, Z = K A",
              .cost = TWIN_COST " and two products with K", .params = bctke_params, .size = sizeof(tke)},
    .title = "BackConstrainedTKE", .default_kernel = rk_usual_kernel, .dim = dim_tke,
    .gram_offset = offsetof(tke, gram), .takes_start = 1, .nonconvex = 1, .fit = fit_bctke,
    .state_size = sizeof(rk_tke_state), .state = state, .check = check_bctke,
    .ways = 1u << RK_PLACE_MAP | 1u << RK_PLACE_REFINE | 1u << RK_PLACE_NEIGHBOUR, .way = way_bctke, .ready = ready_tke,
    .place_work = work_tke, .place = place_tke,
};
/* clang-format on */
