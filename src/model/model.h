/* model.h: the fitted model, the table that every model type fills in, and the functions that all models share.
 *
 * A fitted model has a kernel, a map for new objects, the embedding, a state (what else its type needs), a report. */
#ifndef RK_MODEL_H
#define RK_MODEL_H

#include "augment/augment.h"
#include "model/params.h"
#include "opt/opt.h"

/* ---- map and model --------------------------------------------------------------------------------------------- */

/* z(x) = post( row(k(x, D)) B + c ), or post( phi(x) B + c ) with random features phi: the map of a fitted model. D are
 * the objects that new ones are compared with: all training objects, or the landmarks. `row` keeps the `nearest`
 * nearest objects of D (0: all; ties by index). With `degree` it turns values into weights >= 0 and divides by their
 * sum. If Z is set, an object of D is recognised by its fingerprint (a random projection of its kernel row), and its
 * row of Z is returned unchanged. */
typedef struct rk_map {
    rkhs_data *objects; /* D */
    int64_t object_count, dim;
    int64_t width;         /* rows of B: object_count, or the number of random features */
    rk_features *features; /* random features; D then are some of the training objects; or NULL */
    double *B;             /* width x dim */
    double *c;             /* dim */
    double *Z;             /* object_count x dim: the embedding of D, for objects of D; needs nearest; or NULL */
    double *fingerprint;   /* object_count */
    double *half;          /* object_count: k(x,x)/2; NULL: k(x,x) is the same for all training objects */
    int64_t nearest;
    enum { RK_DEGREE_NONE, RK_DEGREE_KERNEL, RK_DEGREE_BINARY } degree; /* binary: 1; 0 if half is NULL and k <= 0 */
    enum { RK_POST_NONE, RK_POST_SPHERE } post;                         /* sphere: z / |z| */
    struct rk_bound *bound;                                             /* the kernel bound to D, made on first use */
} rk_map;

struct rk_report;

/* The arguments and results of a model's `fit`. */
typedef struct rk_fit {
    rkhs_env *env;
    const void *self; /* the model's parameters */
    rk_gram *gram;    /* built from the spec's gram= */
    const rkhs_kernel *kernel;
    const rkhs_data *x, *y, *start; /* y in an update: of the last objects alone, the new ones */
    struct rk_report *report;
    void *state;           /* out: the struct that the type's `state` table describes; NULL: the type has none */
    const void *old_state; /* in an update: the old model's state (`start` begins with its embedding); else NULL */
    int64_t max_iter;      /* limit of iterations in an update; 0: the solver's own */
    int64_t known;         /* in an update with features: old_state has the first so many objects already; else 0 */
    int64_t dim;
    double *Z;   /* out: the embedding, n x dim, n = gram->n */
    rk_map *map; /* out: all but D, which the caller takes from gram->map_rows */
} rk_fit;

/* Ways of out-of-sample placement: apply the map; minimise the model's objective for the new object from a first
 * guess; take that guess, the position of the best neighbour. */
enum { RK_PLACE_MAP, RK_PLACE_REFINE, RK_PLACE_NEIGHBOUR, RK_PLACES };

/* New objects to place: the arguments of a type's `place`. */
typedef struct rk_placing {
    const rkhs_model *model;
    int how;           /* RK_PLACE_REFINE, ... */
    const void *ready; /* made by the type's `ready`; or NULL */
    int64_t rows;
    const double *K; /* k(new objects, D), rows x object_count, leading dimension ld */
    int64_t ld;
    const double *diag; /* k(x,x) of the new objects if the type has place_diag; NULL for rows of a Gram */
    double *Z;          /* out: rows x dim, leading dimension ldz */
    int64_t ldz;
    double *work; /* scratch of this thread: place_work doubles */
} rk_placing;

/* One field of a type's state struct (what a model keeps beside its map). Copies and files follow from the table. */
typedef struct rk_state_part {
    const char *name; /* in files: "state/NAME"; NULL ends a table */
    enum {
        RK_STATE_NUMBER, /* double; NaN when there is none */
        RK_STATE_TEXT,   /* char *, or NULL */
        RK_STATE_MATRIX  /* rk_state_matrix; finite */
    } kind;
    size_t offset;   /* in the struct */
    const char *old; /* older files have it in the report, under this name; or NULL */
} rk_state_part;

#define RK_STATE_PART(type, field, what, was)                                                                                  \
    { .name = #field, .kind = what, .offset = offsetof(type, field), .old = was }

typedef struct rk_state_matrix {
    int64_t rows, columns;
    double *values; /* NULL: there is none */
} rk_state_matrix;

/* The size of a fit, for `cost`. */
typedef struct rk_extent {
    double n, dim, columns;
    double features; /* numbers in a row of Phi; 0: no features, but K */
    double rank;     /* of K, as far as it can be guessed; with features, as many */
    int stored;      /* K is stored */
} rk_extent;

/* The work of a fit beside building the gram. It says how long a fit will take (estimate.c), and nothing else. */
typedef struct rk_cost {
    double values;       /* of the kernel, beside those of passes and neighbours */
    double passes;       /* products of K, or of Phi and Phi', with some vectors */
    int neighbours;      /* nearest neighbours by the kernel are sought */
    double flops;        /* of matrix products, factors and solves; 2 for a multiply-add */
    double serial_flops; /* on one thread */
    double pairs;        /* of codes: a distance, an exponential, a force */
    double reads;        /* of stored numbers, beside those of passes */
    double numbers;      /* held beside the gram, at most */
    int whole;           /* with these parameters features do not serve */
} rk_cost;
/* The steps of an optimiser: its usual number, or max_iter if that is less. */
double rk_assumed_steps(const rk_spec *solver, double usual);
/* Adds the work of an eigensolver for M K M, or Phi'M Phi. */
void rk_add_eigen_cost(const rk_spec *solver, const rk_extent *e, rk_cost *cost);
/* Of how many objects Phi is stored where that is not required. */
double rk_stored_rows(const rk_extent *e);
/* Adds that of an eigenproblem Phi'M Phi w = l (Phi'N Phi + mu I) w with a graph M. */
void rk_add_pencil_cost(const rk_extent *e, rk_cost *cost);
/* Adds that of a linear problem. */
void rk_add_linear_cost(const rk_spec *solver, const rk_extent *e, rk_cost *cost);
/* Adds that of Laplacian eigenmaps of a graph of n k edges. */
void rk_add_eigenmap_cost(const rk_extent *e, double k, rk_cost *cost);

typedef struct rk_model_type {
    rk_entry entry;
    const char *(*default_kernel)(const void *self, unsigned kind); /* spec text; NULL: the user must name a kernel */
    int64_t (*dim)(const void *self, const rkhs_data *y);           /* of the embedding */
    size_t gram_offset;                                             /* of `gram` (rk_spec *) in the parameters */
    rk_need need;                                                   /* of the gram */
    int nested;           /* the columns of an embedding are the first ones of an embedding of more dimensions */
    int keeps_signs;      /* the signs of columns have a meaning: they are never flipped */
    unsigned supervision; /* kinds of the second data set (labels, targets, triplets); 0: none */
    int predicts;         /* Z predicts the second data set, which fit then requires */
    const char *title;    /* name of its Python class: "KernelPCA" */
    int takes_start;
    int adds;      /* with features the state (rk_sums_state) has sums over all objects, to which an update adds */
    int keeps_all; /* D is all training objects, even where the gram has landmarks */
    /* (optional) The objects to build the gram on instead of x; *gram_data NULL: x itself. The first x->rows of them
     * correspond to x; only these are in the embedding. Bandwidth rules of the kernel are computed from x. */
    rkhs_status (*inputs)(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *y, rkhs_data **gram_data);
    rkhs_status (*fit)(rk_fit *fit);
    void (*cost)(const void *self, const rk_extent *e, rk_cost *cost); /* *cost is zero on entry */
    /* (optional) The state struct: its size and the table of its fields. */
    size_t state_size;
    const rk_state_part *state;
    /* Refuses a loaded model that `fit` cannot have made. rk_model_check has checked what all types share. */
    rkhs_status (*check)(const rkhs_model *m);
    /* Fits end in a local minimum: rows in another order may end in another one. */
    int nonconvex;
    /* Placement: supported ways (bits 1 << RK_PLACE_MAP, ...; 0: only the map), and the one the parameters choose. */
    unsigned ways;
    int (*way)(const void *self);
    /* (optional) Computes what `place` needs for all rows, once, on the scratch list. */
    rkhs_status (*ready)(const rkhs_model *m, int how, void **ready);
    /* (optional) How many doubles of scratch `place` needs. */
    int64_t (*place_work)(const rkhs_model *m, int how);
    int place_diag; /* place needs k(x,x) of the new objects */
    /* Places some rows, in a way other than the map. Runs on any thread; a result depends on its object alone. */
    rkhs_status (*place)(const rk_placing *p);
    /* (optional) The model's own decoder. Where it leaves *x NULL, the ridge regression of inverse.c is used. */
    rkhs_status (*decode)(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x);
} rk_model_type;

/* Whether a fit builds the gram that the spec names. A model that needs kernel values alone builds landmarks only, if
 * its map is to compare new objects with these. */
static inline int rk_builds_gram(const rk_model_type *type, const rk_gram_type *gram) {
    return type->need.offers || (!type->keeps_all && gram->offers & RK_LANDMARKS);
}

extern const rk_list rk_models;

/* ---- report.c: named numbers and texts for people; nothing is read back from them ------------------------------ */

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
/* Reports the computable terms of a generalisation bound; ridge 0: it has no such term. */
#define RK_BOUND_DELTA 0.05
rkhs_status rk_report_bound(rk_fit *f, const char *theorem, double ridge, double complexity, double slack);
/* Reports how a solver ended, and advises what to do if it did not converge (convergence.c). solver: as given, or NULL;
 * name: of the one that ran; evaluations < 0: not counted. */
rkhs_status rk_report_solver(rk_fit *f, const rk_spec *solver, const char *name, int64_t iterations, int64_t evaluations,
                             int converged);
const rk_report_item *rk_report_find(const rk_report *r, const char *name); /* or NULL */
void rk_report_clear(rkhs_env *env, rk_report *r);
rkhs_status rk_report_save(const rk_report *r, rk_archive *archive);
/* Skips items that older files have there and that belong to the state of this type. */
rkhs_status rk_report_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, rk_report *r);
/* The numbers of an item; NULL if there is none of that name with `count` numbers. */
const double *rk_report_values(const rk_report *r, const char *name, int64_t count);

/* ---- state.c: what a model type keeps beside the map ----------------------------------------------------------- */

/* *state is NULL if the type has none; the caller frees it. Loading checks types and shapes, `check` the rest. */
rkhs_status rk_state_new(rkhs_env *env, const rk_model_type *type, void **state);
void rk_state_free(rkhs_env *env, const rk_model_type *type, void *state);
rkhs_status rk_state_copy(rkhs_env *env, const rk_model_type *type, const void *state, void **copy);
rkhs_status rk_state_save(const rk_model_type *type, const void *state, rk_archive *archive);
rkhs_status rk_state_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, void **state);
/* Sets a matrix of the state to a copy of the values. */
rkhs_status rk_state_matrix_set(rkhs_env *env, rk_state_matrix *to, int64_t rows, int64_t columns, const double *values);
/* Whether a report item of an older file is a matrix of this type's state. */
int rk_state_has(const rk_model_type *type, const char *item);

/* ---- sums.c: sums over all objects that a model with features has seen ----------------------------------------- */

/* The state of types with `adds`, or its beginning: rk_feature_sums. A type's table has those that its problem has.
 * Without features, and in files from before there were sums, none is set. */
typedef struct rk_sums_state {
    rk_state_matrix square, sums, between, product;
    double count, weight, trace, target_square;
} rk_sums_state;
#define RK_SUMS_PART(field, what) RK_STATE_PART(rk_sums_state, field, what, NULL)

/* Whether an update can add to the sums of a model. */
int rk_has_sums(const rkhs_model *m);
/* The sums of the old model, borrowed, for an update that adds to them. Refuses features that are not the same. */
rkhs_status rk_sums_before(const rk_fit *f, rk_feature_sums *before);
/* Keeps copies of sums in the state, and reports how many objects they are of, if not all of these are there. */
rkhs_status rk_sums_keep(const rk_fit *f, const rk_feature_sums *s);
/* The `check` of such a type, or the end of it: also requires a map over all objects. */
rkhs_status rk_check_sums(const rkhs_model *m);

/* ---- check.c: models from files -------------------------------------------------------------------------------- */

/* Refuses a model whose parts contradict each other: RKHS_ERR_FORMAT. The caller adds the file's name. */
rkhs_status rk_model_check(const rkhs_model *m);
/* For the `check` of a type. rk_check_map requires that the map uses nearest neighbours (nearest = 1) or all objects
 * (0), that it has this `degree`, and that it projects to the sphere only if `sphere` is 1. rk_check_full_map requires
 * a map over all objects, without degree and without projection. */
rkhs_status rk_check_map(const rkhs_model *m, int nearest, int degree, int sphere);
rkhs_status rk_check_full_map(const rkhs_model *m);
/* After a fit: refuses numbers that are not finite, and models that rk_model_check refuses. RKHS_ERR_NUMERIC. */
rkhs_status rk_check_fitted(const rkhs_model *m);

/* Refuses an array of a model file with NaN or Inf. */
rkhs_status rk_check_array_finite(rkhs_env *env, const rk_archive *archive, const char *name, const rk_array *a);

/* ---- map.c: out-of-sample placement by the map ----------------------------------------------------------------- */

/* Allocates B and c, zeroed; the caller sets map->objects, which the map then owns, and object_count, if it is not
 * `width`. */
rkhs_status rk_map_new(rkhs_env *env, int64_t width, int64_t dim, rk_map **map);
void rk_map_free(rkhs_env *env, rk_map *map);
/* A copy that shares the objects D. */
rkhs_status rk_map_copy(rkhs_env *env, const rk_map *map, rk_map **copy);
/* Computes the fingerprints of the objects of D, for rk_fingerprints_find. */
rkhs_status rk_map_fingerprint(rk_fit *f);
/* Stores Z (n x dim) in the map, so that training objects get their own rows of it, and computes fingerprints. Objects
 * of equal fingerprint get the mean of their rows, also in Z. Only where D is all training objects. */
rkhs_status rk_map_store_embedding(rk_fit *f, double *Z);
/* Stores k(x,x)/2 of D, from `half` of all objects (rk_gram_half_diagonal; may be NULL), to find the nearest. */
rkhs_status rk_map_store_halves(rk_fit *f, const double *half);
/* The largest |k(x, D)| of each new object, to find isolated ones; exact where it is at most `small`. */
typedef struct rk_isolation {
    double *largest;
    double small, size; /* size: the mean of some k(x, x) of D */
} rk_isolation;
/* Takes note of `count` kernel values of a row. */
static inline void rk_isolation_note(const rk_isolation *near, int64_t row, const double *k, int64_t count) {
    double largest = near->largest[row];
    for (int64_t j = 0; j < count && largest <= near->small; j++) largest = fmax(largest, fabs(k[j]));
    near->largest[row] = largest;
}

/* Binds the kernel to D (map->bound), unless that is done. */
rkhs_status rk_map_bind(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel);
/* Places every object of x by the map: Z[i*ld ..]. Memory: one tile a worker. near: NULL, or notes the largest |k|. */
rkhs_status rk_map_apply(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel, const rkhs_data *x, double *Z, int64_t ld,
                         const rk_isolation *near);
/* The weight of a kernel value v, by the kind of degree: v, max(v, 0), or 1 for a neighbour. */
double rk_map_weight(const rk_map *map, double v);
rkhs_status rk_map_save(const rk_map *map, rk_archive *archive);
rkhs_status rk_map_load(rkhs_env *env, rk_archive *archive, rk_map **map);
/* Flips columns so that the largest |entry| of the first n rows (the first on ties) is positive, in Z and the map. */
void rk_fix_signs(double *Z, int64_t n, int64_t all, int64_t dim, rk_map *map);
/* Negates column c of Z (rows x dim) and of the map. */
void rk_flip_column(double *Z, int64_t rows, int64_t dim, rk_map *map, int64_t c);

/* The fingerprint of an object is sum_j weight_j k(x, x_j) over D; its size is the sum of the absolute values. weight
 * is on the scratch list; NULL: the map has no fingerprints. */
typedef struct rk_fingerprints {
    int64_t count;
    const double *fingerprint;
    double *weight;
} rk_fingerprints;
rkhs_status rk_fingerprints_new(rkhs_env *env, const rk_map *map, rk_fingerprints *out);
/* The index in D of the object with this fingerprint, or -1. */
int64_t rk_fingerprints_find(const rk_fingerprints *m, double fingerprint, double size);

/* ---- place.c: out-of-sample placement, by the map or by the model's objective ---------------------------------- */

/* The way of placement in use (RK_PLACE_...): what the user set, else what the parameters say. */
int rk_placement_way(const rkhs_model *m);
/* Refuses results that are NaN or beyond 1e150, the limit for data. */
rkhs_status rk_check_results(const rkhs_model *m, const double *values, int64_t rows, int64_t columns, int64_t ld);
/* Places every object of x in that way, into Z[i*ld ..]. isolated: NULL, or x->rows flags, set for objects without a
 * kernel value above rounding with D; the log counts them. */
rkhs_status rk_place_all(const rkhs_model *m, const rkhs_data *x, double *Z, int64_t ld, char *isolated);
/* isolated.c: allocates `near` for `rows` objects on the scratch list; flags isolated objects after all is noted. */
rkhs_status rk_isolation_new(const rkhs_model *m, int64_t rows, rk_isolation *near);
rkhs_status rk_isolation_find(const rkhs_model *m, const rkhs_data *x, const rk_isolation *near, char *isolated);

/* ---- start.c: the initial embedding of models that use an optimiser -------------------------------------------- */

enum { RK_START_KLE, RK_START_KPCA, RK_START_RANDOM };
typedef struct rk_start {
    int how;
    int each;  /* kle, kpca: scale each column to deviation 1; else all by one factor */
    int64_t k; /* kle: lists of neighbours, n x k */
    const int64_t *near;
    const double *value;
} rk_start;
/* Fills Z (n x dim): the user's start, unchanged, or the one that `o` names. */
rkhs_status rk_start_embedding(const rk_fit *f, const rk_gram *g, const rk_start *o, double *Z);
/* Kernel principal components, not centred. */
rkhs_status rk_start_kpca(const rk_gram *g, int64_t dim, double *Z);

/* ---- inverse.c: from embedded points to objects ---------------------------------------------------------------- */

typedef struct rk_inverse rk_inverse; /* fitted on first use */
void rk_inverse_free(rkhs_env *env, rk_inverse *inverse);
/* Embeddings of `count` objects of D, evenly spread, and their indices in D. The caller frees codes. */
rkhs_status rk_spread_codes(const rkhs_model *m, int64_t count, int64_t *which, rkhs_data **codes);

/* ---- anomaly.c: scores of novelty ------------------------------------------------------------------------------ */

typedef struct rk_anomaly_state rk_anomaly_state; /* made on first use; refers to map->bound, so it is freed first */
void rk_anomaly_state_free(rkhs_env *env, rk_anomaly_state *anomaly);

/* *use is x, or *view in the form that the kernel takes; the caller frees *view. Refuses another kind or width. */
rkhs_status rk_model_view(const rkhs_model *m, const rkhs_data *x, const rkhs_data **use, rkhs_data **view);
/* A model with m's parameters and frozen kernel, fitted on x. The caller frees *fresh, also after a failure. known: the
 * first so many objects of x are those that m keeps, its features are used again, and the others are added to what it
 * has learned of all (type->adds); 0: x is all there is. y: the targets of the last objects of x, or NULL. */
rkhs_status rk_model_refit(const rkhs_model *m, const rkhs_data *x, const rkhs_data *y, const rkhs_data *start, int64_t known,
                           rkhs_model **fresh);
/* Refuses a second data set that a model of this type cannot learn from, or that is not of so many objects. */
rkhs_status rk_check_supervision(const rkhs_model *m, int64_t objects, const rkhs_data *y);
/* Exchanges what two models learned; parameters stay. */
void rk_model_swap(rkhs_model *a, rkhs_model *b);
/* rkhs_model_new for use inside the library: does not clear message and progress. */
rkhs_status rk_model_new(rkhs_env *env, const char *spec, rkhs_model **model);

/* The default kernel of most models, for each kind of data. */
const char *rk_default_kernel(const void *self, unsigned kind);

struct rkhs_model {
    rkhs_env *env;
    const rk_model_type *type;
    rk_spec *spec;
    char *text;
    /* results of a fit */
    rkhs_kernel *kernel; /* frozen: bandwidth rules are numbers; NULL: not fitted */
    rk_map *map;
    double *Z; /* gram_rows x dim: the embedding (n rows), then objects that `inputs` added */
    int64_t n, gram_rows, dim;
    int64_t *map_rows; /* row in Z of each object of D; NULL: all in order */
    void *state;       /* the struct of type->state, or NULL */
    int supervised;    /* fitted with a second data set, which is not stored */
    rk_report report;
    rk_inverse *inverse;
    rk_anomaly_state *anomaly;
    int place; /* 1 + RK_PLACE_... as the user set it; 0: by the parameters */
};

#endif
