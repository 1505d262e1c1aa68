/* model.h: fitted models: map, state, report, file, inverse. */
#ifndef RK_MODEL_H
#define RK_MODEL_H

#include "augment/augment.h"
#include "model/params.h"
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
    void *state;        /* out: the struct that the type's `state` describes; NULL: it has none */
    const void *before; /* that of the model that this one updates, whose embedding `start` begins with; or NULL */
    int64_t max_iter;   /* iterations that a descent may take then; 0: as many as its solver says */
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

/* A part of what a model of one type keeps beside its map: a field of its state struct, which copies and files have. */
typedef struct rk_state_part {
    const char *name; /* in files: "state/NAME"; NULL ends a table */
    enum {
        RK_STATE_NUMBER, /* double; NaN when there is none */
        RK_STATE_TEXT,   /* char *, or NULL */
        RK_STATE_MATRIX  /* rk_state_matrix; finite */
    } kind;
    size_t offset;   /* in the struct */
    const char *old; /* the item of the report that it was in older files */
} rk_state_part;

#define RK_STATE_PART(type, field, what, was)                                                                                  \
    { .name = #field, .kind = what, .offset = offsetof(type, field), .old = was }

typedef struct rk_state_matrix {
    int64_t rows, columns;
    double *values; /* NULL: there is none */
} rk_state_matrix;

typedef struct rk_model_type {
    rk_entry entry;
    const char *(*default_kernel)(const void *self, unsigned kind); /* spec text, or NULL: this kind needs --kernel */
    int64_t (*dim)(const void *self, const rkhs_data *y);           /* of the embedding */
    size_t gram_offset;                                             /* of `gram` (rk_spec *) in the parameters */
    int nested;           /* the columns of an embedding are the first ones of an embedding of more dimensions */
    int keeps_signs;      /* columns mean something as they are: they are not turned */
    unsigned supervision; /* kinds of second data set that it takes; 0: none */
    int predicts;         /* Z stands for the second data set, which it needs */
    const char *title;    /* its name as a class: "KernelPCA" */
    int takes_start;
    int keeps_all; /* the map keeps all objects, whatever the gram does */
    /* (optional) The objects that the gram is built on in place of x; *gram_data NULL: x itself. The first x->rows of them
     * stand for those of x, and the embedding has these rows alone; the rules of the kernel look at x. */
    rkhs_status (*inputs)(rkhs_env *env, const void *self, const rkhs_data *x, const rkhs_data *y, rkhs_data **gram_data);
    rkhs_status (*fit)(rk_fit *fit);
    /* (optional) What `fit` leaves beside the map, for new objects, decoding and updates: a struct and its parts. */
    size_t state_size;
    const rk_state_part *state;
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
    /* (optional) The model's own decoder; the ridge inverse where it leaves *x NULL. */
    rkhs_status (*decode)(const rkhs_model *m, const double *Z, int64_t rows, int64_t ld, rkhs_data **x);
} rk_model_type;

extern const rk_list rk_models;

/* ---- report: named numbers and texts that a fit leaves ------------------------------------------------------------- */

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
/* The terms of a bound that can be computed; ridge 0: there is none. */
#define RK_BOUND_DELTA 0.05
rkhs_status rk_report_bound(rk_fit *f, const char *theorem, double ridge, double complexity, double slack);
/* How a solver ended; evaluations below 0: not counted. */
rkhs_status rk_report_solver(rk_fit *f, const char *solver, int64_t iterations, int64_t evaluations, int converged);
const rk_report_item *rk_report_find(const rk_report *r, const char *name); /* or NULL */
void rk_report_clear(rkhs_env *env, rk_report *r);
rkhs_status rk_report_save(const rk_report *r, rk_archive *archive);
/* Without what older files had there of the state of such a model. */
rkhs_status rk_report_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, rk_report *r);
/* `count` numbers of an item; NULL when there is none of that name and size, as in a file that does not fit together. */
const double *rk_report_values(const rk_report *r, const char *name, int64_t count);

/* ---- state.c: what a model of one type keeps beside its map ---------------------------------------------------------------
 */

/* *state NULL: the type keeps nothing. Loading looks at types and shapes alone: the type's `check` does the rest. */
rkhs_status rk_state_new(rkhs_env *env, const rk_model_type *type, void **state);
void rk_state_free(rkhs_env *env, const rk_model_type *type, void *state);
rkhs_status rk_state_copy(rkhs_env *env, const rk_model_type *type, const void *state, void **copy);
rkhs_status rk_state_save(const rk_model_type *type, const void *state, rk_archive *archive);
rkhs_status rk_state_load(rkhs_env *env, rk_archive *archive, const rk_model_type *type, void **state);
/* Copies the values. */
rkhs_status rk_state_matrix_set(rkhs_env *env, rk_state_matrix *to, int64_t rows, int64_t columns, const double *values);
/* Whether an item of the report of an older file is a matrix of the state. */
int rk_state_has(const rk_model_type *type, const char *item);

/* ---- check.c: models from files ------------------------------------------------------------------------------------------ */

/* Refuses a model whose parts do not fit together: RKHS_ERR_FORMAT. Sentences say the fact alone; the caller adds the name of
 * the file, and what to do. */
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
    double *largest;
    double small, size; /* size: of k(x, x) of kept objects */
} rk_isolation;
/* Takes count values of a row. */
static inline void rk_isolation_note(const rk_isolation *near, int64_t row, const double *k, int64_t count) {
    double largest = near->largest[row];
    for (int64_t j = 0; j < count && largest <= near->small; j++) largest = fmax(largest, fabs(k[j]));
    near->largest[row] = largest;
}

/* map->bound, on first use. */
rkhs_status rk_map_bind(rkhs_env *env, rk_map *map, const rkhs_kernel *kernel);
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
/* Z[i*ld ..] for every object of x, in that way. isolated: NULL, or which objects share nothing with the kept ones, which the
 * log says. */
rkhs_status rk_place_all(const rkhs_model *m, const rkhs_data *x, double *Z, int64_t ld, char *isolated);
/* isolated.c: room on the scratch list for what is noted of `rows` objects; which are isolated, once all values are noted. */
rkhs_status rk_isolation_new(const rkhs_model *m, int64_t rows, rk_isolation *near);
rkhs_status rk_isolation_find(const rkhs_model *m, const rkhs_data *x, const rk_isolation *near, char *isolated);

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
/* Principal components, not yet centred. */
rkhs_status rk_start_kpca(const rk_gram *g, int64_t dim, double *Z);

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

struct rkhs_model {
    rkhs_env *env;
    const rk_model_type *type;
    rk_spec *spec;
    char *text;
    /* what a fit leaves */
    rkhs_kernel *kernel; /* frozen; NULL: not fitted */
    rk_map *map;
    double *Z; /* gram_rows x dim: the embedding, and rows of the objects that the model added */
    int64_t n, gram_rows, dim;
    int64_t *keep;  /* rows of Z that the kept objects are; NULL: all */
    void *state;    /* as type->state says, or NULL */
    int supervised; /* it learned from a second data set, which it does not keep */
    rk_report report;
    rk_inverse *inverse;
    rk_anomaly_state *watch;
    int place; /* what was set: 1 + RK_PLACE_...; 0: as the parameters say */
};

#endif
