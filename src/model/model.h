/* model.h: fitted models: map, report, file, inverse. */
#ifndef RK_MODEL_H
#define RK_MODEL_H

#include "augment/augment.h"
#include "opt/opt.h"

/* ---- map and model -------------------------------------------------------------------------------------------------- */

/* z(x) = post( row(k(x, D)) B + c ), where row keeps the `nearest` largest values (0: all; ties by index) and, with `degree`,
 * takes those below 0 as 0 and divides by their sum. If Z is set, an object of D is recognised by its fingerprint (a random
 * projection of its kernel row) and its row of Z is returned unchanged. */
typedef struct rk_map {
    rkhs_data *kept; /* D */
    int64_t kept_count, dim;
    double *B;           /* kept x dim */
    double *c;           /* dim */
    double *Z;           /* kept x dim, or NULL: what an object of D keeps; with nearest alone */
    double *fingerprint; /* kept */
    double *half;        /* kept: k(x,x)/2; NULL: k(x,x) is the same for all objects that were fitted */
    int64_t nearest;
    enum { RK_DEGREE_NONE, RK_DEGREE_KERNEL, RK_DEGREE_BINARY } degree; /* binary: 1; 0 where there is no half and k <= 0 */
    enum { RK_POST_NONE, RK_POST_SPHERE } post;                         /* sphere: z / |z| */
    struct rk_bound *bound;                                             /* D and the kernel, from the first use on */
} rk_map;

struct rk_report;

/* Everything that `fit` may need and must fill. */
typedef struct rk_fit {
    rkhs_env *env;
    const void *self; /* the model's parameters */
    rk_gram *gram;    /* built from the spec's gram= */
    const rkhs_kernel *kernel;
    const rkhs_data *x, *y, *start;
    struct rk_report *report;
    const struct rk_report *before; /* of the model that this one updates, whose embedding `start` begins with; or NULL */
    int64_t max_iter;               /* iterations that a descent may take then; 0: as many as its solver says */
    int64_t dim;
    double *Z;   /* out: n x dim, n the objects of the gram */
    rk_map *map; /* out: kept objects are filled in by the caller from gram->keep */
} rk_fit;

/* How new objects are placed: by the map; by the model's objective, descending from a first guess; by that guess alone. */
enum { RK_PLACE_MAP, RK_PLACE_REFINE, RK_PLACE_NEIGHBOUR, RK_PLACES };

/* Some rows of new objects to place. */
typedef struct rk_placing {
    const rkhs_model *model;
    int how;           /* RK_PLACE_REFINE, ... */
    const void *ready; /* what the type's `ready` made, or NULL */
    int64_t rows;
    const double *K; /* k(new rows, kept), rows x kept, rows ld apart */
    int64_t ld;
    const double *diag; /* k(x,x) of the new rows, if the type asked for it; NULL where a Gram does not have them */
    double *Z;          /* out: rows x dim, rows ldz apart */
    int64_t ldz;
    double *work; /* place_work doubles of its own */
} rk_placing;

typedef struct rk_model_type {
    rk_entry entry;
    const char *(*default_kernel)(const void *self, unsigned kind); /* spec text, or NULL: this kind needs --kernel */
    int64_t (*dim)(const void *self, const rkhs_data *y);           /* of the embedding */
    size_t gram_offset;                                             /* of `gram` (rk_spec *) in the parameters */
    int keeps_signs;      /* columns mean something as they are: they are not turned */
    unsigned supervision; /* kinds of second data set that it takes; 0: none */
    int predicts;         /* Z stands for the second data set, which it needs */
    const char *title;    /* its name as a class: "KernelPCA" */
    int takes_start;
    int keeps_all; /* the map keeps all objects, whatever the gram does */
    /* (optional) The objects that the gram is built on in place of x; *seen NULL: x itself. The first x->rows of them stand for
     * those of x, and the embedding has these rows alone; the rules of the kernel look at x. */
    rkhs_status (*inputs)(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *y, rkhs_data **seen);
    rkhs_status (*fit)(rk_fit *fit);
    /* Refuses a model from a file that no fit leaves; what all types share has been checked. */
    rkhs_status (*check)(const rkhs_model *m);
    /* What its fit finds is one of several minima: rows in another order may end in another. */
    int nonconvex;
    /* New objects: the ways it knows (1 << RK_PLACE_MAP, ...; 0: the map alone), and which one its parameters say. */
    unsigned ways;
    int (*way)(const void *self);
    /* (optional) What all rows share, made once before the first is placed, on the scratch list. */
    rkhs_status (*ready)(const rkhs_model *m, int how, void **ready);
    /* (optional) Doubles of scratch that place takes. */
    int64_t (*place_work)(const rkhs_model *m, int how);
    int place_diag; /* place looks at k(x,x) of the new rows */
    /* Ways other than the map: some rows; on any thread, each row a function of its object alone. */
    rkhs_status (*place)(const rk_placing *p);
    /* (optional) The model's own decoder; the ridge inverse otherwise. */
    rkhs_status (*decode)(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x);
} rk_model_type;

extern const rk_list rk_models;

/* ---- report: named numbers and texts that a fit leaves ------------------------------------------------------------- */

/* An item with a slash in its name, "place/factor", is what the model itself takes up again: kept in copies and files, and not
 * shown. */

typedef struct rk_report_item {
    char *name, *text;
    double *values;
    int64_t rows, columns;
} rk_report_item;

typedef struct rk_report {
    rk_report_item *items;
    int64_t count, room;
} rk_report;

rkhs_status rk_report_number(rkhs_env *env, rk_report *r, const char *name, double value);
rkhs_status rk_report_array(rkhs_env *env, rk_report *r, const char *name, int64_t rows, int64_t columns, const double *values);
rkhs_status rk_report_text(rkhs_env *env, rk_report *r, const char *name, const char *text);
/* How a solver ended; evaluations below 0: not counted. */
rkhs_status rk_report_solver(rk_fit *f, const char *solver, int64_t iterations, int64_t evaluations, int converged);
const rk_report_item *rk_report_find(const rk_report *r, const char *name); /* or NULL */
void rk_report_clear(rkhs_env *env, rk_report *r);
rkhs_status rk_report_save(const rk_report *r, rk_archive *archive);
rkhs_status rk_report_load(rkhs_env *env, rk_archive *archive, rk_report *r);
/* `count` numbers of an item; NULL when there is none of that name and size, as in a file that does not fit together. */
const double *rk_report_values(const rk_report *r, const char *name, int64_t count);

/* ---- check.c: models from files ------------------------------------------------------------------------------------------ */

/* Refuses a model whose parts do not fit together; sentences without the file's name. */
rkhs_status rk_model_check(const rkhs_model *m);
/* For the `check` of a type: the map sums over the nearest kept objects (or all), in the way of `degree`, and may end on the
 * sphere; plain: over all, and as it is. */
rkhs_status rk_check_map(const rkhs_model *m, int nearest, int degree, int sphere);
rkhs_status rk_check_plain(const rkhs_model *m);
/* Refuses what a fit left, where its file would be refused: numbers that are not finite, or out of range. */
rkhs_status rk_check_fitted(const rkhs_model *m);

/* Refuses an array of a model file that has NaN or Inf. */
rkhs_status rk_file_finite(rkhs_env *env, const rk_archive *archive, const char *name, const rk_array *a);

/* ---- map ----------------------------------------------------------------------------------------------------------- */

/* Room for B and c; kept objects are the caller's to set. */
rkhs_status rk_map_new(rkhs_env *env, int64_t kept, int64_t dim, rk_map **map);
void rk_map_free(rkhs_env *env, rk_map *map);
/* One with the same kept objects. */
rkhs_status rk_map_copy(rkhs_env *env, const rk_map *map, rk_map **copy);
/* Fingerprints of kept objects, by which rk_fingerprints_find tells them from all others. */
rkhs_status rk_map_fingerprint(rk_fit *f);
/* Makes all objects keep their rows of Z (n x dim), and takes their fingerprints; equal ones share the mean of theirs. For
 * models that keep all objects. */
rkhs_status rk_map_keep(rk_fit *f, double *Z);
/* Keeps k(x,x)/2 of kept objects, from that of all (rk_gram_halves; may be NULL), so that the nearest of a new one are known.
 */
rkhs_status rk_map_halve(rk_fit *f, const double *half);
/* How near rows come to the kept objects: the largest |k(x, kept)| of each, exact where it is at most `small`. */
typedef struct rk_isolation {
    double *most;
    double small, size; /* size: of k(x, x) of kept objects */
} rk_isolation;
/* Takes count values of a row. */
static inline void rk_isolation_note(const rk_isolation *near, int64_t row, const double *k, int64_t count) {
    double most = near->most[row];
    for (int64_t j = 0; j < count && most <= near->small; j++) most = fmax(most, fabs(k[j]));
    near->most[row] = most;
}

/* Z[i*ld ..] for every object of x, by tiles: memory for one tile a worker. near: NULL, or notes how near they come. */
rkhs_status rk_map_apply(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel, const rkhs_data *x, double *Z, int64_t ld,
                         const rk_isolation *near);
/* What a kernel value counts in a map with degrees. */
double rk_map_counted(const rk_map *map, double v);
rkhs_status rk_map_save(const rk_map *map, rk_archive *archive);
rkhs_status rk_map_load(rkhs_env *env, rk_archive *archive, rk_map **map);
/* Columns so that the largest |entry| among the first n rows of each is positive, the first on ties; the other rows, B and c
 * follow. */
void rk_fix_signs(double *Z, int64_t n, int64_t all, int64_t dim, rk_map *map);
/* Column c of Z (rows x dim) and of the map the other way round. */
void rk_flip(double *Z, int64_t rows, int64_t dim, rk_map *map, int64_t c);

/* A row's fingerprint is the sum of weight times its kernel values with kept objects, its size that of their absolute values.
 * On the scratch list; weight NULL: there are none. */
typedef struct rk_fingerprints {
    int64_t count;
    const double *fingerprint;
    double *weight;
} rk_fingerprints;
rkhs_status rk_fingerprints_new(rkhs_env *env, const rk_map *map, rk_fingerprints *out);
/* The kept object that a row is, by its fingerprint, or -1. */
int64_t rk_fingerprints_find(const rk_fingerprints *m, double fingerprint, double size);

/* ---- place: new objects in other ways than by the map ---------------------------------------------------------------- */

/* How new objects are placed: RK_PLACE_MAP, ..., as was set or as the parameters say. */
int rk_model_way(const rkhs_model *m);
/* Refuses results that are no numbers, or beyond 1e150, as data are. */
rkhs_status rk_results_in_range(const rkhs_model *m, const double *values, int64_t rows, int64_t columns, int64_t ld);
/* Z[i*ld ..] for every object of x, in that way. alone: NULL, or which objects share nothing with the kept ones, which the log
 * says. */
rkhs_status rk_place_all(const rkhs_model *m, const rkhs_data *x, double *Z, int64_t ld, char *alone);
/* isolated.c: room on the scratch list for what is noted of `rows` objects; which are alone, once all values are noted. */
rkhs_status rk_isolation_new(const rkhs_model *m, int64_t rows, rk_isolation *near);
rkhs_status rk_isolation_find(const rkhs_model *m, const rkhs_data *x, const rk_isolation *near, char *alone);

/* ---- graphs of neighbours, on the scratch list -------------------------------------------------------------------- */

/* W = (F + F')/2 of lists F (n x k) of neighbours, values below 0 as 0, and its row sums. */
typedef struct rk_graph {
    rk_csr w;
    double *degree;
} rk_graph;
/* k, or as many others as n objects have; says so. */
int64_t rk_graph_k(rkhs_env *env, int64_t k, int64_t n);
rkhs_status rk_graph_new(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, rk_graph *out);
/* An operator (rk_op): W - 3 dd'/sum d, which is W but for the constant: W 1 = d has l = 1, and now -2, below all others. */
#define RK_CONSTANT_SHIFT 3.0
rkhs_status rk_graph_apply(void *context, rkhs_env *env, const double *V, int64_t k, double *out);

/* Objects in the order of the parts that no weight but 0 joins, largest part first, then by the first object; part p is
 * order[starts[p] ..], on the scratch list; `alone` of the parts are single objects. */
typedef struct rk_components {
    int64_t count, alone, *starts, *order;
} rk_components;
rkhs_status rk_graph_components(rkhs_env *env, const rk_csr *w, rk_components *out);
/* One sentence where a graph has no edges, or several parts; `so` says what that means. */
void rk_graph_advise(rkhs_env *env, int64_t n, int64_t parts, int64_t alone, const char *so);
#define RK_COMPONENTS_APART "how these lie to each other means little"

/* Laplacian eigenmaps: what was found of the largest part. */
typedef struct rk_eigenmap {
    int64_t parts, isolated, found; /* of the graph; objects without a neighbour; eigenvalues */
    double *values, *residuals;     /* dim */
    int64_t iterations;
    int converged;
    const char *solver; /* a static name; NULL: there was nothing to solve */
} rk_eigenmap;
/* Z (n x dim); B (or NULL): so that sum_j w_j B_j / sum_j w_j places an object with weights w: z_j/l about the middle of its
 * part, but z_j itself where l is not above RK_EIGENMAP_LEAST. */
#define RK_EIGENMAP_LEAST 0.1
rkhs_status rk_eigenmap_new(rkhs_env *env, const rk_spec *solver, const rk_graph *g, int64_t dim, double *Z, double *B,
                            rk_eigenmap *out);

/* The embedding alone, from lists of neighbours (n x k). */
rkhs_status rk_start_kle(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, int64_t dim,
                         double *Z);

/* The k nearest objects of each in feature space (index, n x k) and the weights, of sum 1, by which they make it up. */
rkhs_status rk_local_weights(const rk_gram *g, int64_t k, double reg, int64_t *index, double *weight);

/* z = Phi w, the largest l of Phi'M Phi w = l (Phi'N Phi + mu I) w, mu = ridge tr(N K)/n: Z, the map and the report. A column
 * is scaled to z'N z + mu |w|^2 = sum N; where l is 0, it is. `graph` says who is whose neighbour. */
rkhs_status rk_graph_project(rk_fit *f, const rk_spec *solver, rk_op m, const double *n, double ridge, const rk_csr *graph);

/* ---- start.c: where a descent begins ------------------------------------------------------------------------------------ */

enum { RK_START_KLE, RK_START_KPCA, RK_START_RANDOM };
typedef struct rk_start {
    int how;
    int each;  /* kle, kpca: each column at deviation 1; else all together */
    int64_t k; /* kle: lists of neighbours, n x k */
    const int64_t *near;
    const double *value;
} rk_start;
/* Z (n x dim): the start that was given, as it is, or the one that is named. */
rkhs_status rk_start_at(const rk_fit *f, const rk_gram *g, const rk_start *o, double *Z);

/* ---- inverse ------------------------------------------------------------------------------------------------------- */

typedef struct rk_inverse rk_inverse; /* fitted on first use */
void rk_inverse_free(rkhs_env *env, rk_inverse *inverse);
/* Codes of `count` kept objects, evenly spread, and which kept objects these are. */
rkhs_status rk_some_codes(const rkhs_model *m, int64_t count, int64_t *which, rkhs_data **codes);

/* ---- anomaly: what the scores of new objects are compared with ------------------------------------------------------ */

typedef struct rk_anomaly_state rk_anomaly_state; /* made on first use; bound to the map's kept objects, so freed before them */
void rk_anomaly_state_free(rkhs_env *env, rk_anomaly_state *watch);

/* New objects as a fitted model compares them: x itself or a view, which is freed after use. Refuses what does not fit. */
rkhs_status rk_model_view(const rkhs_model *m, const rkhs_data *x, const rkhs_data **use, rkhs_data **view);
/* A model with the parameters and the kernel of another, fitted on x; the caller frees it, also when this fails. */
rkhs_status rk_model_refit(const rkhs_model *m, const rkhs_data *x, const rkhs_data *start, rkhs_model **fresh);
/* Exchanges what two models have learned. */
void rk_model_swap(rkhs_model *a, rkhs_model *b);
/* As rkhs_model_new, for use inside a call: message and progress stay. */
rkhs_status rk_model_new(rkhs_env *env, const char *spec, rkhs_model **model);

/* The default kernel of most models, for each kind of data. */
const char *rk_usual_kernel(const void *self, unsigned kind);

/* ---- tke_objective.c: the objective that tke and bctke share
 * ------------------------------------------------------------------- */

enum { RK_LATENT_RBF, RK_LATENT_CAUCHY };

typedef struct rk_tke {
    int64_t n, dim, k;
    double lk, lx;
    int latent, log;
    double sum;         /* 0: F is the kernel; else each row is made comparable, and sums to this */
    const double *half; /* n, or NULL: rk_gram_halves */
    int64_t *near;      /* n x k: neighbours, and what they weigh */
    double *value;
    /* the graph of both directions */
    int64_t *starts, *index; /* of row i: edges starts[i] .. starts[i+1]-1 */
    double *weight;
    double self;          /* the sum of F's diagonal */
    int64_t parts, alone; /* of the graph; objects without an edge above 0 */
    int64_t equal;        /* objects that are equal to all of their neighbours */
    /* room for the sums */
    int64_t widest, room_each;
    double *room, *columns, *parts_of, *sums;
} rk_tke;

/* Fills the graph, from dim, k, sum; then the room. All on the scratch list. */
rkhs_status rk_tke_graph(const rk_gram *g, rk_tke *t);
rkhs_status rk_tke_room(rkhs_env *env, rk_tke *t);
/* L, dL/dZ and dL/dlog g: the eval of an rk_smooth. */
rkhs_status rk_tke_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
/* What the k neighbours of a row weigh, `value` their kernel values, nearest first. sum above 0: exp(-(d^2 - d_0^2)/2s), d
 * their distances in feature space, where s makes them sum to it; equal ones are all 1. Where `half` is NULL, a value that is
 * not above 0 is no likeness, and weighs nothing. sum = 0: the values, with `log` at least 0, since what pushes by a logarithm
 * has no end. */
void rk_tke_weigh(int64_t k, double sum, int log, const double *half, const int64_t *near, double *value);

/* New objects against an embedding that stays: see tke_place.c. */
typedef struct rk_tke_place {
    int64_t kept, dim, k;
    double g, lk, lx, sum;
    int latent, log;
    const double *half;           /* kept, or NULL: rk_gram_halves */
    rk_fingerprints fingerprints; /* of kept objects, which have their places */
    double *columns;              /* dim x kept: the embedding of kept objects */
} rk_tke_place;
int64_t rk_tke_place_work(int64_t kept, int64_t dim, int64_t k);
void rk_tke_place_row(const rk_tke_place *t, const double *K, int refine, double *z, double *work);
/* ---- gplvm_likelihood.c: the likelihood of codes, which gplvm and bcgplvm share
 * ------------------------------------------------- */

typedef struct rk_gplvm {
    int64_t n, r, dim, tile; /* objects; rank of their centred Gram; of the codes; rows of a tile */
    double features, prior;  /* D; what |Z|^2/2 costs */
    double unit, scale;      /* F is the data over `unit`; variance and noise are in units of `scale`; 0: there is nothing */
    double *F;               /* n x r, row i is object order[i] */
    int64_t *order;
    int lower;       /* F is 0 above its diagonal: of a stored Gram */
    double *means;   /* of the rows of the Gram, or of the columns of Phi */
    int64_t centres; /* how many: n, or r */
    /* at the last codes that were looked at */
    double rate, variance, noise; /* 1/(2 width^2) */
    double *Z, *columns;          /* in that order, by row and by column */
    double *A, *J, *V;            /* K^-1, L^-1 (n x n), K^-1 F (n x r) */
    double *pulls, *backs, *sums, *tiles;
} rk_gplvm;

/* The data's part, from a gram; then the room. All on the scratch list. */
rkhs_status rk_gplvm_new(const rk_gram *g, double features, int64_t dim, rk_gplvm *p);
/* L, dL/dZ and dL/dtheta, theta = log width, log variance, log noise above its least: the eval of an rk_smooth. */
rkhs_status rk_gplvm_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                          double *dt);
/* The same in steps: room for K^-1; codes; K^-1 in A, V and log|K|, where `bad` is the row that K is not positive definite at,
 * or -1. */
rkhs_status rk_gplvm_room(rkhs_env *env, rk_gplvm *p);
void rk_gplvm_codes(rk_gplvm *p, const double *Z);
int rk_gplvm_theta(rk_gplvm *p, const double *theta); /* 0: out of range */
rkhs_status rk_gplvm_invert(rkhs_env *env, rk_gplvm *p, double *logarithm, int64_t *bad);

/* New objects: see gplvm_place.c. What they need goes into the report and is taken from there. */
rkhs_status rk_gplvm_keep(rk_fit *f, const rk_gplvm *p);
rkhs_status rk_gplvm_check(const rkhs_model *m); /* what a file says of it */
rkhs_status rk_gplvm_ready(const rkhs_model *m, int how, void **ready);
int64_t rk_gplvm_work(const rkhs_model *m, int how);
rkhs_status rk_gplvm_place(const rk_placing *p);

/* ---- kae_decoder.c: codes that a ridge regression takes back ------------------------------------------------------------ */

typedef struct rk_decoder {
    int64_t n, dim, r; /* objects; of the codes; columns of F */
    const rkhs_kernel *latent;
    double ridge;
    double *F; /* n x r, row i is object order[i] */
    int64_t *order;
    int lower; /* F is 0 above its diagonal */
    /* at the last codes that were looked at, in that order */
    double *Z, *dZ;
    double *S, *G, *V; /* (Kz + ridge I)^-1, V V', S F */
    /* what rk_decoder_keep finds: tr(X'S X), |X - Kz C|^2, tr(C'Kz C), the largest k(z,z) */
    double product, error, square, most;
} rk_decoder;

/* For codes of the objects of a gram; target: the vectors that they are to give, NULL: the features of the gram's kernel. On
 * the scratch list. */
rkhs_status rk_decoder_new(const rk_gram *g, const rkhs_data *target, const rkhs_kernel *latent, double ridge, int64_t dim,
                           rk_decoder *d);
/* f and df/dZ; infinite where Kz + ridge I is singular. */
rkhs_status rk_decoder_eval(rkhs_env *env, rk_decoder *d, const double *Z, double *f, double *dZ);
/* The latent kernel and, of numbers, C into the report; from where decode takes it. */
rkhs_status rk_decoder_keep(rk_fit *f, rk_decoder *d, const double *Z, const rkhs_data *target);
int rk_decoder_there(const rkhs_model *m);
rkhs_status rk_decoder_check(const rkhs_model *m); /* what a file says of it, if anything */
rkhs_status rk_decoder_decode(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x);

/* ---- triplets.c: what contrastive models learn from ------------------------------------------------------------------- */

typedef struct rk_triplets {
    int64_t count;
    int64_t *rows; /* count x 3: anchor, positive, negative, objects of the gram; on the scratch list */
    int drawn;     /* negatives were drawn */
} rk_triplets;

#define RK_AUGMENT_BRIEF                                                                                                       \
    "how positives are drawn, unless pairs or triplets are given; not given: noise(0.1), or edit, toggle, drop by the data"

/* The inputs of a model of triplets: x and an augmented copy; where index rows are given, x and what comes with them. */
rkhs_status rk_triplet_inputs(rkhs_env *env, const rk_spec *augment, const rkhs_data *x, const rkhs_data *y, rkhs_data **seen);
/* Triplets over the objects of f->gram, given or drawn; refuses those that name an object twice. */
rkhs_status rk_triplets_new(rk_fit *f, rk_triplets *t);
/* sum over triplets of positive (e_a e_p' + e_p e_a') + negative (e_a e_q' + e_q e_a'), n x n; columns in any order. */
rkhs_status rk_triplet_matrix(rkhs_env *env, const rk_triplets *t, int64_t n, double positive, double negative, rk_csr *out);
/* Of Theorem 6: sqrt(h tr K) over anchors, positives and negatives, and the largest k(x,x). */
rkhs_status rk_triplet_sizes(rk_fit *f, const rk_triplets *t, double *alpha, double *kappa);

/* The spectral contrastive loss of codes of the gram's objects, without its ridge: the eval of an rk_smooth. */
typedef struct rk_contrast {
    const rk_triplets *triplets;
    int64_t dim;
    int all;                     /* negatives are the mean over all anchors, and negatives that were given */
    double lambda, above, below; /* and the numbers between which it has to be */
    int ran_off;                 /* out: f is so low that there is no end to it */
} rk_contrast;
rkhs_status rk_contrast_eval(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ,
                             double *dt);

/* The terms of a bound that can be computed; ridge 0: there is none. */
#define RK_BOUND_DELTA 0.05
rkhs_status rk_report_bound(rk_fit *f, const char *theorem, double ridge, double complexity, double slack);

struct rkhs_model {
    rkhs_env *env;
    const rk_model_type *type;
    rk_spec *spec;
    char *text;
    /* what a fit leaves */
    rkhs_kernel *kernel; /* frozen; NULL: not fitted */
    rk_map *map;
    double *Z; /* seen x dim: the embedding, and rows of the objects that the model added */
    int64_t n, seen, dim;
    int64_t *keep; /* rows of Z that the kept objects are; NULL: all */
    rk_report report;
    rk_inverse *inverse;
    rk_anomaly_state *watch;
    int place; /* what was set: 1 + RK_PLACE_...; 0: as the parameters say */
};

#endif
