/* rkhs_ext.h: the tables behind the library.  SPDX-License-Identifier: BSD-3-Clause
 *
 * EXPERIMENTAL: may change in any release. For those who add a kernel, a gram, a solver, a model, a score, a format.
 *
 * The idea. Given n objects and a kernel, let Phi (n x r) be a factor of the Gram matrix, K ~ Phi Phi', however it is made.
 * Every model learns W (r x d) and gives Z = Phi W.
 *
 *     data --kernel--> gram: Phi     model: an objective in sample space        solver: W
 *                       | push Z = Phi W   spectral (M, N, mu)     --pulled back-->  Phi'M Phi w = l (Phi'N Phi + mu I) w
 *                       | pull Phi'Z       smooth   f(Z, t), df/dZ --pulled back-->  df/dW = Phi' df/dZ
 *                       |                  linear   T, mu          --pulled back-->  (Phi'Phi + mu I) W = Phi'T
 *                       '- fold W -> map   so that  z(x) = B' k(D, x) + c
 *
 * Models speak sample space, the gram pulls back, solvers speak coefficient space. A model never sees the kind of data nor the
 * approximation. Each table below is listed once, in a .def file; "(optional)" slots may be NULL. */
#ifndef RKHS_EXT_H
#define RKHS_EXT_H

#include "rkhs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters: what stands between the brackets of a spec --------------------------------------------------------- */

typedef enum rk_param_kind {
    RK_INT,    /* int64_t; 0 when not set */
    RK_REAL,   /* double; NaN when not set */
    RK_BOOL,   /* int */
    RK_CHOICE, /* int, the position in `choices` */
    RK_RULE,   /* rk_rule: a number, or a rule that data turns into one */
    RK_LIST,   /* char *, "[0:50,7]"; NULL when not set */
    RK_SPEC,   /* rk_spec *: a type of another list, with its own parameters */
    RK_WORD,   /* char *, any name or number, with a list also an entry with its parameters; NULL when not set */
    RK_REALS   /* rk_reals, "[0.5,-3e8]" */
} rk_param_kind;

struct rk_list;

typedef struct rk_param {
    const char *name; /* NULL ends a table */
    rk_param_kind kind;
    size_t offset;              /* in the type's parameter struct */
    const char *value;          /* the default as text; NULL: not set unless given */
    double min, max;            /* numbers; min = max = 0: any */
    int open;                   /* 1: min itself is excluded */
    const char *choices;        /* choice: "clip|flip|refuse"; rule: "median|knn" */
    const struct rk_list *list; /* spec: which list; word: the text of one of it */
    const char *brief;
    const char *instead; /* given in place of that parameter, whose default then does not apply */
} rk_param;

/* What every type begins with. */
typedef struct rk_entry {
    const char *name, *brief, *formula, *cost;
    const rk_param *params; /* NULL: none */
    size_t size;            /* of the parameter struct */
} rk_entry;

/* A list of types. `what` is the singular, for messages. */
typedef struct rk_list {
    const char *name, *what;
    const rk_entry *const *entries; /* NULL ends it */
} rk_list;

/* A type with its parameters. */
typedef struct rk_spec {
    const rk_entry *entry;
    void *self;
} rk_spec;

/* sigma=0.3, sigma=median, sigma=knn(10,3). rule: the position in `choices`, or one of these. */
enum { RK_RULE_NUMBER = -1, RK_RULE_UNSET = -2 };
typedef struct rk_rule {
    int rule;
    double value; /* the number, once known; until then what the rule's is multiplied by */
    double k;     /* the rule's own argument */
} rk_rule;

/* mean=[0.5,-3e8]. */
typedef struct rk_reals {
    double *values; /* NULL when not set */
    int64_t count;
} rk_reals;

/* ---- comm: sums over rows that live on several machines ------------------------------------------------------------- */

/* One process by default: rank 0 of 1, everything a no-op. Sums run over fixed tiles in fixed order. */
typedef struct rkhs_comm {
    int rank, size;
    rkhs_status (*sum)(void *context, double *values, int64_t count);
    rkhs_status (*gather)(void *context, const double *mine, int64_t count, double *all);
    rkhs_status (*bcast)(void *context, double *values, int64_t count, int root);
    void (*abort)(void *context, rkhs_status why);
    void *context;
} rkhs_comm;

/* Copies the table; NULL: one process again. */
RKHS_API void rkhs_env_set_comm(rkhs_env *env, const rkhs_comm *comm);

/* ---- data ----------------------------------------------------------------------------------------------------------- */

/* Kinds, as bits, so that a kernel can say which it takes. */
enum {
    RK_KIND_DENSE = 1,
    RK_KIND_SPARSE = 2,
    RK_KIND_STRING = 4,
    RK_KIND_BITS = 8,
    RK_KIND_IMAGE = 16,
    RK_KIND_GRAPH = 32,
    RK_KIND_GRAM = 64,
    RK_KIND_LABELS = 128,
    RK_KIND_INDEX = 256,
    RK_PREFER_BITS = 1 << 30 /* no kind: among a kernel's, that numbers which are 0 or 1 alone are better packed as bits */
};

struct rk_archive;

typedef struct rk_data_type {
    rk_entry entry; /* entry.size: of the struct behind rkhs_data.self */
    unsigned kind;
    rkhs_status (*subset)(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out);
    /* (optional) The objects of several sets one after another; `out` has rows and columns, which agree, as do the kinds. */
    rkhs_status (*join)(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out);
    /* (optional) What new objects need of these to be compared with them; subset otherwise. */
    rkhs_status (*keep)(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out);
    /* Array names begin with `prefix`. What save puts must live until the archive is written. */
    rkhs_status (*save)(const rkhs_data *x, struct rk_archive *archive, const char *prefix);
    rkhs_status (*load)(rkhs_env *env, struct rk_archive *archive, const char *prefix, rkhs_data *out);
    /* (optional) Sees another kind of data as this one, borrowing its memory: a dense matrix as a Gram. */
    rkhs_status (*adopt)(rkhs_env *env, const rkhs_data *from, rkhs_data *out);
    /* (optional) One line of advice for a fit on such data, through the log. */
    void (*advise)(rkhs_env *env, const rkhs_data *x);
    void (*release)(rkhs_data *x);
} rk_data_type;

/* ---- augment: other objects that are the same thing -------------------------------------------------------------------- */

typedef struct rk_augment_type {
    rk_entry entry;
    unsigned kinds; /* of data that it applies to */
    /* As many objects of the same kind and width; object i is a function of x and (seed, i). */
    rkhs_status (*draw)(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out);
} rk_augment_type;

/* ---- kernel --------------------------------------------------------------------------------------------------------- */

#ifndef RK_TILE     /* fuzz targets take smaller ones */
#define RK_TILE 256 /* a block has at most so many rows and columns */
#endif

/* A kernel bound to one data set: what can be computed once for each object lives in `side`. */
typedef struct rk_bound {
    const rkhs_kernel *kernel;
    const rkhs_data *x;
    const struct rk_bound *reference; /* the other side of the comparison, bound first; NULL for the first */
    rkhs_data *seen;                  /* what the children are bound to, where that is not x; owned */
    void *side;
    struct rk_bound **child; /* one for each child of the kernel */
} rk_bound;

/* Scratch for one worker, taken from the front; a block takes by value, so that all is given back on return. */
typedef struct rk_work {
    double *next;
    int64_t left;
} rk_work;

/* Properties of a kernel. */
enum {
    RK_PSD = 1,        /* positive semi-definite for any parameters in bounds, if all parts are */
    RK_SCALE_FREE = 2, /* advice on column ranges does not apply, if it does to no part */
    RK_REFERENCE = 4,  /* values depend on the objects that others are compared with: those of the first bound */
    RK_SERIAL = 8      /* block runs on the env's own thread alone */
};

/* How a kernel stands in a spec. */
typedef enum rk_syntax {
    RK_SYNTAX_CALL,    /* name(parameters), name(kernel, parameters) */
    RK_SYNTAX_SUM,     /* a + b */
    RK_SYNTAX_WEIGHT,  /* 2*a: the first parameter */
    RK_SYNTAX_PRODUCT, /* a*b */
    RK_SYNTAX_POWER,   /* a^3: the first parameter */
    RK_SYNTAX_COLUMNS  /* a[0,4:7]: the first parameter */
} rk_syntax;

/* What a kernel learns from training objects that is too long for its text: a text, and numbers; text NULL: nothing. */
typedef struct rk_learnt {
    char *text;
    double *values;
    int64_t count;
} rk_learnt;

typedef struct rk_kernel_type {
    rk_entry entry;
    unsigned kinds, flags;
    int children; /* 0 leaf, 1 wraps a kernel, 2 or more: sum, product (-1: any number) */
    rk_syntax syntax;
    /* (optional) Parameters that contradict each other. */
    rkhs_status (*check)(rkhs_env *env, const void *self);
    /* (optional) Turns rules into numbers. */
    rkhs_status (*freeze)(rkhs_env *env, void *self, const rkhs_data *x);
    /* (optional) Fills what is too long for the text, when a kernel is frozen; refuses what a file has in its place. */
    rkhs_status (*learn)(rkhs_env *env, const void *self, const rkhs_data *x, rk_learnt *learnt);
    rkhs_status (*check_learnt)(rkhs_env *env, const void *self, const rk_learnt *learnt);
    /* (optional) The data that the children are to see in place of x; may borrow from x. */
    rkhs_status (*see)(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **seen);
    /* (optional) Fills bound->side when the children are bound; release undoes it. */
    rkhs_status (*prepare)(rkhs_env *env, rk_bound *bound);
    void (*release)(rkhs_env *env, rk_bound *bound);
    /* (optional) Doubles of scratch that block takes for itself. */
    int64_t (*work)(const rk_bound *a, const rk_bound *b);
    /* (optional) Rows and columns of a tile that takes about a tenth of a second, at most RK_TILE; RK_TILE otherwise. No result
     * depends on it: a value is a function of its two objects. */
    int64_t (*tile)(const rk_bound *a, const rk_bound *b);
    /* out[i*ld + j] = k(a_{i0+i}, b_{j0+j}), ni, nj <= RK_TILE. The one hot loop. */
    rkhs_status (*block)(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                         int64_t ld, rk_work work);
    /* (optional) dx[i*columns + c] += sum_j w[i*ld + j] dk(a_{i0+i}, b_{j0+j})/da_c of dense rows, 0 where k has a kink. Takes
     * two tiles of scratch, and `work`. */
    rkhs_status (*gradient)(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                            const double *w, int64_t ld, double *dx, rk_work work);
    /* (optional) out[i] = k(a_{i0+i}, a_{i0+i}); by blocks of one otherwise. */
    void (*diag)(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);
    /* (optional) The same from the diagonals of the children, which may fail. */
    rkhs_status (*diag_parts)(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);
} rk_kernel_type;

/* ---- gram ----------------------------------------------------------------------------------------------------------- */

/* Where the coefficients of a gram live: sample (exact: Phi is never formed, coefficients are a in Z = K a) or factor (Phi is
 * stored, n x r, coefficients are W in Z = Phi W). */
typedef enum rk_gram_form { RK_FORM_SAMPLE, RK_FORM_FACTOR } rk_gram_form;

typedef struct rk_gram {
    rkhs_env *env;
    const struct rk_gram_type *type;
    const rk_spec *spec;
    const rkhs_kernel *kernel; /* frozen */
    const rkhs_data *x;
    int64_t n, rank; /* objects; coefficients */
    int64_t kept;    /* objects that a map of this gram keeps */
    int64_t *keep;   /* their rows in x; NULL: all */
    rk_bound *bound; /* kernel and x */
    rk_bound *root;  /* what bound refers to, kernel and `rooted`; NULL: itself */
    rkhs_data *rooted;
    void *self;
} rk_gram;

typedef struct rk_gram_type {
    rk_entry entry;
    rk_gram_form form;
    rkhs_status (*build)(rk_gram *g);
    /* out = K V, push: out = Phi V (sample form: K V), pull: out = Phi'V (sample form: K V). V has k columns, ld = k. */
    rkhs_status (*mul)(const rk_gram *g, const double *V, int64_t k, double *out);
    rkhs_status (*push)(const rk_gram *g, const double *W, int64_t k, double *Z);
    rkhs_status (*pull)(const rk_gram *g, const double *Z, int64_t k, double *W);
    /* B (kept x k) with Phi_new W = k(new, D) B. */
    rkhs_status (*fold)(const rk_gram *g, const double *W, int64_t k, double *B);
    rkhs_status (*diag)(const rk_gram *g, double *out);
    /* out[q] = K[I[q], J[q]] */
    rkhs_status (*entries)(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
    /* The k nearest others of each object in feature space, by K[i, i] + K[j, j] - 2 K[i, j], nearest first, ties by index;
     * value is K[i, j]. index and value are n x k. */
    rkhs_status (*neighbours)(const rk_gram *g, int64_t k, int64_t *index, double *value);
    /* sample form: K itself, and whether it may be overwritten for a while. */
    const double *(*matrix)(const rk_gram *g, int64_t *ld, int *spendable);
    /* factor form: the way back from fold, W with fold W = B, and its transpose. */
    rkhs_status (*unfold)(const rk_gram *g, const double *B, int64_t k, double *W);
    rkhs_status (*unfold_back)(const rk_gram *g, const double *W, int64_t k, double *B);
    /* factor form: Phi itself, n x rank, row-major. */
    const double *(*phi)(const rk_gram *g, int64_t *ld);
    void (*release)(rk_gram *g);
} rk_gram_type;

/* ---- problems: what a model asks, in sample space ------------------------------------------------------------------- */

/* A symmetric operator on n x k blocks, row-major, ld = k. */
typedef struct rk_op {
    int64_t n;
    rkhs_status (*apply)(void *context, rkhs_env *env, const double *V, int64_t k, double *out);
    void *context;
} rk_op;

/* Which variables move: Z itself (Phi = I); a in Z = K_nm a on the kept objects (exact: all); W in Z = Phi W. They differ in
 * what is smooth: an objective that overfits in W may not in a. */
typedef enum rk_coordinates { RK_COORD_SAMPLE, RK_COORD_ALPHA, RK_COORD_ISOMETRIC } rk_coordinates;

/* Phi'M Phi w = l (Phi'N Phi + mu I) w, the largest l (by size when by_magnitude), |w| = 1 in the right-hand side's product. */
typedef struct rk_spectral {
    rk_coordinates coordinates; /* sample (graphs: kle) or isometric */
    enum { RK_M_IDENTITY, RK_M_CENTRE, RK_M_OPERATOR } m_kind;
    rk_op m;         /* RK_M_OPERATOR: any symmetric one, sparse or not */
    const double *n; /* with an operator: the diagonal of N, none below 0; NULL: N = 0 (sample coordinates: N = I) */
    double mu;       /* isometric coordinates: above 0 where N is 0; without an operator it is 1 */
    int64_t count;
    int by_magnitude;
} rk_spectral;

/* Minimise f(Z, t) + ridge |W|^2. */
typedef struct rk_smooth {
    rk_coordinates coordinates;
    int64_t rows, dim, thetas;
    double ridge;     /* isometric: |W|^2; alpha: a'K a, which is the same; sample: not used */
    int scale_free;   /* f is the same for 2 Z: the ridge counts as |W|^2 rows/|Z|^2, which is too */
    int64_t nearest;  /* alpha: only the k nearest kept objects of each row; 0: all */
    int64_t max_iter; /* iterations, below what the solver says; 0: what that says */
    /* f, and when asked dZ (rows x dim) and dt (thetas). A batch is rows index[0..count); NULL: all. */
    rkhs_status (*eval)(void *context, rkhs_env *env, const double *Z, const double *theta, const int64_t *index, int64_t count,
                        double *f, double *dZ, double *dt);
    /* (optional) A map between push and f, with its pull-back: centre, unit variance. It is affine once fitted: y = s z + c,
     * and is folded into (B, c), else transform would disagree with Z. */
    rkhs_status (*normalise)(void *context, const double *Y, double *Z, double *scale, double *shift);
    rkhs_status (*normalise_back)(void *context, const double *Z, const double *dZ, double *dY);
    /* (optional) Back on the constraint after a step, and the gradient's part along it: the unit sphere. */
    void (*retract)(void *context, double *Z);
    void (*tangent)(void *context, const double *Z, double *dZ);
    int64_t batch; /* 0: all rows; batches are functions of (seed, epoch, row) */
    void *context;
} rk_smooth;

/* (Phi'Phi + mu I) W = Phi'T, T is n x k. */
typedef struct rk_linear {
    const double *T;
    int64_t k;
    double mu;
} rk_linear;

/* ---- solver --------------------------------------------------------------------------------------------------------- */

typedef enum rk_shape { RK_SHAPE_SPECTRAL, RK_SHAPE_SMOOTH, RK_SHAPE_LINEAR } rk_shape;

/* What a solver is given: the pulled-back problem, in coefficients x (size x k). */
typedef struct rk_pulled {
    rkhs_env *env;
    int64_t size, k;
    int by_magnitude;    /* spectral: the largest by size, else the largest */
    rk_op a;             /* spectral, linear: the left-hand side */
    const double *dense; /* the same as a matrix, size x size, rows ld apart, where it is stored; or NULL */
    /* (optional) spectral: the same into A, size x size, both triangles, where that costs less than products; context: a's. */
    rkhs_status (*form)(void *context, rkhs_env *env, double *A);
    double *spend; /* linear: the same, when it may be overwritten */
    int64_t ld;
    const double *rhs; /* linear: size x k */
    double mu;         /* linear: (a + mu I) x = rhs */
    rkhs_status (*eval)(void *context, rkhs_env *env, const double *x, int64_t step, double *f, double *g); /* smooth */
    void (*retract)(void *context, double *x);
    void *context;
    double *x;                    /* the start on entry, where there is one; the result */
    double *values;               /* spectral: k eigenvalues, largest first; smooth: values[0] = f */
    double *residuals;            /* spectral: |A w - l w|; smooth: residuals[0] = |g| */
    int64_t iterations, products; /* smooth: products are evaluations */
    int64_t max_iter;             /* iterations after which the caller has had enough; 0: never */
    int converged;                /* not converging is a report, not an error */
    double *history;              /* smooth: f after each iteration; the caller frees it */
    int64_t recorded, history_room;
} rk_pulled;

typedef struct rk_solver_type {
    rk_entry entry;
    rk_shape shape;
    /* One life: start, step until it says done (or the caller has had enough), finish. */
    rkhs_status (*start)(rk_pulled *p, const void *self, void **state);
    rkhs_status (*step)(rk_pulled *p, const void *self, void *state, int *done);
    rkhs_status (*finish)(rk_pulled *p, const void *self, void *state);
    /* A state loaded into a started solver goes on with the same bits. */
    rkhs_status (*state_save)(rk_pulled *p, const void *state, struct rk_archive *archive);
    rkhs_status (*state_load)(rk_pulled *p, void *state, struct rk_archive *archive);
    void (*release)(rk_pulled *p, void *state);
} rk_solver_type;

/* ---- map and model -------------------------------------------------------------------------------------------------- */

/* z(x) = post( row(k(x, D)) B + c ), where row keeps the `nearest` largest values (0: all; ties by index) and, with `degree`,
 * takes those below 0 as 0 and divides by their sum. With Z, an object of D keeps its own: one that is like all of D as it is,
 * by a weighted sum of all values, its fingerprint. */
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

/* ---- score, format, sample ------------------------------------------------------------------------------------------ */

enum { RK_NEEDS_X = 1, RK_NEEDS_LABELS = 2 };
enum { RK_MORE_IS_BETTER, RK_LESS_IS_BETTER, RK_DESCRIBES }; /* what a choice by the score looks for */

struct rk_score_type;

/* One score that was asked for. */
typedef struct rk_score_item {
    const struct rk_score_type *type;
    const void *self; /* its parameters */
    double value;
    double deviation; /* over folds; NaN where there is none */
    int done;
} rk_score_item;

typedef struct rk_score_type {
    rk_entry entry;
    unsigned needs; /* RK_NEEDS_X, RK_NEEDS_LABELS: of the rows, and of new rows when there are any */
    int takes_new;  /* scores new rows against the others, when they are given */
    int better;     /* RK_MORE_IS_BETTER, ... */
    /* Fills the values of all items asked for whose `family` is the same function, so that they share one pass. */
    rkhs_status (*family)(rkhs_env *env, const rkhs_scored *what, rk_score_item *items, int count);
} rk_score_type;

struct rk_input;
struct rk_output;

typedef struct rk_format_type {
    rk_entry entry;
    const char *endings; /* ".csv .tsv": without .gz; several formats may share one */
    unsigned kinds;      /* that it can make */
    /* (optional) The file to open for a path that may name several: a folder, the part that their names share. `file` is the
     * path itself or on the scratch list. */
    rkhs_status (*find)(rkhs_env *env, const char *path, const char **file);
    /* (optional) A folder of files in this format, as one data set. */
    rkhs_status (*read_folder)(rkhs_env *env, const void *self, const char *path, unsigned kinds, rkhs_data **x);
    /* `kinds`: what the caller can use. A file that can be read in more than one way is read as one of them. */
    rkhs_status (*read)(rkhs_env *env, const void *self, struct rk_input *in, unsigned kinds, rkhs_data **x);
    rkhs_status (*read_labels)(rkhs_env *env, const void *self, struct rk_input *in, rkhs_data **labels);
    rkhs_status (*write)(rkhs_env *env, const void *self, const rkhs_data *x, struct rk_output *out); /* (optional) */
} rk_format_type;

typedef struct rk_sample_type {
    rk_entry entry;
    rkhs_status (*draw)(rkhs_env *env, const void *self, rkhs_data **x);
} rk_sample_type;

#ifdef __cplusplus
}
#endif
#endif
