/* kernel.h: kernels, which are trees of kernel types, bound to data and evaluated by tiles. */
#ifndef RK_KERNEL_H
#define RK_KERNEL_H

#include "data/data.h"
#include "la/la.h"

/* ---- the table of a kernel type -------------------------------------------------------------------------------- */

#ifndef RK_TILE     /* fuzz targets set a smaller one */
#define RK_TILE 256 /* the most rows and columns of a tile */
#endif

/* A kernel bound to one data set, with what is computed once for each object (`side`). */
typedef struct rk_bound {
    const rkhs_kernel *kernel;
    const rkhs_data *x;
    const struct rk_bound *reference; /* bound to the data that x is compared with; NULL: bound first */
    rkhs_data *view;                  /* what the children are bound to in place of x, or NULL; owned */
    void *side;
    struct rk_bound **child; /* one for each child of the kernel */
} rk_bound;

/* Scratch memory of one worker, taken from the front. Passed by value: what a block takes is free when it returns. */
typedef struct rk_work {
    double *next;
    int64_t left;
} rk_work;

/* Properties of a kernel type. */
enum {
    RK_PSD = 1,        /* positive semi-definite for any parameters in bounds, if all children are */
    RK_SCALE_FREE = 2, /* needs no advice to scale the columns, if no child does */
    RK_REFERENCE = 4,  /* values depend on the reference, the objects bound first (center) */
    RK_SERIAL = 8,     /* `block` must run on the thread that calls the library */
    RK_IDENTITY = 16   /* the features are the columns themselves: k(x, y) = x'y */
};

/* How a kernel is written in a spec. */
typedef enum rk_syntax {
    RK_SYNTAX_CALL,    /* name(parameters), name(kernel, parameters) */
    RK_SYNTAX_SUM,     /* a + b */
    RK_SYNTAX_WEIGHT,  /* 2*a: the number is the first parameter */
    RK_SYNTAX_PRODUCT, /* a*b */
    RK_SYNTAX_POWER,   /* a^3: the number is the first parameter */
    RK_SYNTAX_COLUMNS  /* a[0,4:7]: the list is the first parameter */
} rk_syntax;

/* What a kernel learns from training objects that is too long for its text, as a vocabulary is. text NULL: nothing. */
typedef struct rk_learnt {
    char *text;
    double *values;
    int64_t count;
} rk_learnt;

/* How a kernel has random features (gram/random_features.c): it is the mean over random w of cos(w'(x - y)), or of
 * 2 max(0, w'x) max(0, w'y). */
typedef enum rk_random {
    RK_RANDOM_NONE,
    RK_RANDOM_RADIAL,  /* cos; w is a standard normal vector times `stretch` */
    RK_RANDOM_COLUMNS, /* cos; w has a number `stretch` for each column */
    RK_RANDOM_RELU     /* max; w is a standard normal vector */
} rk_random_kind;

typedef struct rk_kernel_type {
    rk_entry entry;
    unsigned kinds, flags;
    int children; /* 0: a leaf; 1: wraps a kernel; -1: any number (sum, product) */
    rk_syntax syntax;
    /* (optional) Refuses parameters that contradict each other. */
    rkhs_status (*check)(rkhs_env *env, const void *self);
    /* (optional) Replaces bandwidth rules (sigma=median), and what else is not given, by numbers computed from x. */
    rkhs_status (*freeze)(rkhs_env *env, void *self, const rkhs_data *x);
    /* (optional) Fills `learnt` when the kernel is frozen. check_learnt refuses what no `learn` can have written. */
    rkhs_status (*learn)(rkhs_env *env, const void *self, const rkhs_data *x, rk_learnt *learnt);
    rkhs_status (*check_learnt)(rkhs_env *env, const void *self, const rk_learnt *learnt);
    /* (optional) The data that the children are bound to in place of x; the view may borrow from x. */
    rkhs_status (*view)(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **view);
    /* (optional) Fills bound->side after the children are bound. Without `release`, rk_free frees it. */
    rkhs_status (*prepare)(rkhs_env *env, rk_bound *bound);
    void (*release)(rkhs_env *env, rk_bound *bound);
    /* (optional) How many doubles of scratch block takes, its children not counted. */
    int64_t (*work)(const rk_bound *a, const rk_bound *b);
    /* (optional) Rows and columns of a tile that takes about a tenth of a second, at most RK_TILE, which is the
     * default. No result depends on it: a value is a function of its two objects. */
    int64_t (*tile)(const rk_bound *a, const rk_bound *b);
    /* out[i*ld + j] = k(a_{i0+i}, b_{j0+j}), ni, nj <= RK_TILE. The hot loop. */
    rkhs_status (*block)(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                         int64_t ld, rk_work work);
    /* (optional) For dense rows: dx[i*columns + c] += sum_j w[i*ld + j] dk(a_{i0+i}, b_{j0+j})/da_c, 0 where k has a
     * kink. Takes up to two tiles of scratch beside what block takes. */
    rkhs_status (*gradient)(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                            const double *w, int64_t ld, double *dx, rk_work work);
    /* (optional) out[i] = k(a_{i0+i}, a_{i0+i}). Default: tiles of 1 x 1. */
    void (*diag)(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);
    /* (optional) The same for a kernel with children, from their diagonals; can fail. */
    rkhs_status (*diag_from_children)(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);
    /* (optional) Random features; not with parameters for which `stretch` is NaN. stretch is a function of (seed, row,
     * column) by the stream RK_STREAM_STRETCH; column is 0 for radial ones. */
    rk_random_kind random;
    double (*stretch)(const void *self, uint64_t seed, int64_t row, int64_t column);
} rk_kernel_type;

/* ---- kernels --------------------------------------------------------------------------------------------------- */

struct rkhs_kernel {
    rkhs_env *env;
    const rk_kernel_type *type;
    rk_spec *spec; /* type and parameters of this node */
    int children;
    rkhs_kernel **child;
    rk_learnt learnt;
    char *text; /* the spec of the whole tree; NULL below its root */
};

extern const rk_list rk_kernels;

/* For kernels that need k(x,x): rows of a precomputed Gram do not have it. */
#define RK_KIND_ALL_BUT_GRAM (~(unsigned)RK_KIND_GRAM)

static inline const void *rk_kernel_self(const rk_bound *b) { return b->kernel->spec->self; }

/* As the public functions, for use inside the library: message and progress stay, and no argument may be NULL. */
rkhs_status rk_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel);
rkhs_status rk_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy);
rkhs_status rk_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data);

/* The kinds of data that all nodes of the kernel take; whether all nodes, or any node, have a property. */
unsigned rk_kernel_kinds(const rkhs_kernel *k);
int rk_kernel_all_have(const rkhs_kernel *k, unsigned flag);
int rk_kernel_any_has(const rkhs_kernel *k, unsigned flag);
/* x as a kind of data that the kernel takes, in *use; *view is NULL or to be freed. like: what x is compared with. */
rkhs_status rk_kernel_coerce(const rkhs_kernel *k, const rkhs_data *x, const rkhs_data *like, const rkhs_data **use,
                             rkhs_data **view);

/* A copy without its text. rk_kernel_make_text makes the text, which is stored so that asking for it cannot fail. */
rkhs_status rk_kernel_copy_tree(const rkhs_kernel *kernel, rkhs_kernel **copy);
rkhs_status rk_kernel_make_text(rkhs_kernel *k);

/* ---- learnt.c: what a kernel learns that is too long for its text ---------------------------------------------- */

rkhs_status rk_learnt_copy(rkhs_env *env, const char *text, const double *values, int64_t count, rk_learnt *to);
void rk_learnt_free(rkhs_env *env, rk_learnt *learnt);
rkhs_status rk_kernel_save_learnt(const rkhs_kernel *k, rk_archive *archive);
/* Reads it into a kernel made from its text; a kernel that the archive has nothing for is left to be frozen. */
rkhs_status rk_kernel_load_learnt(rkhs_kernel *k, rk_archive *archive);

/* ---- kernel.c: binding a kernel to data, and evaluating it ----------------------------------------------------- */

/* Binds a frozen kernel to x; rk_unbind frees it. To compare two data sets, bind the first with reference NULL, then
 * the second with the first as its reference. Kernel, x and reference must outlive the result. */
rkhs_status rk_bind(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const rk_bound *reference, rk_bound **bound);
void rk_unbind(rkhs_env *env, rk_bound *bound);

/* Scratch to evaluate tiles of a against b, an rk_work for each worker, on the scratch list. */
rkhs_status rk_work_new(rkhs_env *env, const rk_bound *a, const rk_bound *b, rk_work **work);
/* The same for a given number of workers: 1 where there is one tile. */
rkhs_status rk_work_for(rkhs_env *env, int64_t workers, const rk_bound *a, const rk_bound *b, rk_work **work);
/* Takes `count` doubles; NULL: there are not so many. */
static inline double *rk_work_take(rk_work *w, int64_t count) {
    double *p = w->next;
    w->next += count;
    w->left -= count;
    return w->left >= 0 ? p : NULL;
}

/* The slots of a bound kernel: one tile, ni, nj <= RK_TILE; a part of the diagonal. */
static inline rkhs_status rk_block_of(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                      double *out, int64_t ld, rk_work work) {
    return a->kernel->type->block(a, i0, ni, b, j0, nj, out, ld, work);
}
rkhs_status rk_diag_of(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);
/* The slots `block` and `diag_from_children` of a wrapper that changes the data alone: those of its child. */
rkhs_status rk_child_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                           int64_t ld, rk_work work);
rkhs_status rk_child_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);

/* rk_parallel for tiles that evaluate a kernel; on the calling thread alone if the kernel asks for it (RK_SERIAL). */
rkhs_status rk_kernel_parallel(rkhs_env *env, const char *stage, const rkhs_kernel *k, int64_t count, rk_tile_fn fn,
                               void *context);

/* Rows and columns of a tile: RK_TILE, or fewer if the kernel is slow. rk_kernel_tile_rows: if it is as wide as b. */
int64_t rk_kernel_tile(const rk_bound *a, const rk_bound *b);
int64_t rk_kernel_tile_rows(const rk_bound *a, const rk_bound *b);
/* K = k(a, a), or k(a, b), by tiles on all threads. */
rkhs_status rk_gram_symmetric(rkhs_env *env, const rk_bound *a, double *K, int64_t ld);
rkhs_status rk_gram_cross(rkhs_env *env, const char *stage, const rk_bound *a, const rk_bound *b, double *K, int64_t ld);
/* The same for `rows` rows of a, from row `from` on: K is rows x b. */
rkhs_status rk_gram_cross_rows(rkhs_env *env, const char *stage, const rk_bound *a, int64_t from, int64_t rows,
                               const rk_bound *b, double *K, int64_t ld);

/* ---- vector.c: inner products and distances, for kernels on vectors -------------------------------------------- */

struct rk_sparse_columns;

typedef struct rk_vector_side {
    double *norm;         /* squared norms of x - centre */
    const double *centre; /* one number a column; NULL: 0. The reference owns it */
    double *owned;
    struct rk_sparse_columns *columns; /* sparse rows by column, else NULL */
    int narrow;                        /* every number is 0, or within RK_RATIO_MIN and 1/RK_RATIO_MIN */
} rk_vector_side;

rkhs_status rk_vector_prepare(rkhs_env *env, rk_bound *b);         /* squared norms */
rkhs_status rk_vector_prepare_dots(rkhs_env *env, rk_bound *b);    /* no norms of dense rows */
rkhs_status rk_vector_prepare_centred(rkhs_env *env, rk_bound *b); /* norms about the mean, if that saves digits */
void rk_vector_release(rkhs_env *env, rk_bound *b);
int64_t rk_vector_work(const rk_bound *a, const rk_bound *b);
/* The slot `work` of kernels of inner products: floats are widened in it, and bits that are compared with numbers. */
int64_t rk_vector_dots_work(const rk_bound *a, const rk_bound *b);
/* Squared norms of some rows; a tile of inner products; a tile of squared distances. */
void rk_vector_norms(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work); /* linear's `diag` */
void rk_vector_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                    int64_t ld, rk_work work);
void rk_vector_squared_distances(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                 double *out, int64_t ld, rk_work work);

/* |s x_i - t y|^2 of row i of x, and of rows i of x and j of y, p numbers of either type. */
double rk_row_square(const rk_dense *x, int64_t i, int64_t p, double s, double t, const double *y);
double rk_rows_square(const rk_dense *x, int64_t i, const rk_dense *y, int64_t j, int64_t p, double s, double t);

/* ---- gradient.c: the derivative of k(x, y) with respect to x, for dense rows ----------------------------------- */

/* Whether every node of a kernel has a gradient. */
int rk_kernel_has_gradient(const rkhs_kernel *k);
/* Calls the slot `gradient` for one tile. rk_gradient_work makes the scratch that it needs, for a number of workers. */
static inline rkhs_status rk_gradient_of(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                         const double *w, int64_t ld, double *dx, rk_work work) {
    return a->kernel->type->gradient(a, i0, ni, b, j0, nj, w, ld, dx, work);
}
rkhs_status rk_gradient_work(rkhs_env *env, int64_t workers, const rk_bound *a, const rk_bound *b, rk_work **work);
/* The slot `gradient` from a tile of dk/ds, s = |x-y|^2, or of dk/du, u = <x,y>: rows RK_TILE apart, destroyed. */
void rk_gradient_squared_distances(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *slope, double *dx);
void rk_gradient_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *w,
                      int64_t ld, double *slope, double *dx);
/* dx_i += own_i a_i + sum_j other_ij b_j; rows of `other` are RK_TILE apart; own NULL: 0. */
void rk_gradient_rows(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *own,
                      const double *other, double *dx);

/* ---- column_sums.c: sums over columns of a term other than a product ------------------------------------------- */

typedef enum rk_pair {
    RK_PAIR_PRODUCT,  /* x y */
    RK_PAIR_MINIMUM,  /* min(x, y), both >= 0 */
    RK_PAIR_ABSOLUTE, /* |x - y| */
    RK_PAIR_RATIO     /* (x - y)^2/(x + y), both >= 0, 0/0 = 0 */
} rk_pair;

rkhs_status rk_vector_prepare_sums(rkhs_env *env, rk_bound *b); /* norm: sums of rows; sparse: of absolutes */
/* A tile of sums of any term but the product, after rk_vector_prepare_sums. */
void rk_vector_sums(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                    double *out, int64_t ld, rk_work work);
/* A tile of sums over dense rows, of a term of la.h. */
void rk_dense_sums(rk_pairs_fn *term, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                   double *out, int64_t ld, rk_work work);

/* ---- sparse_rows.c: the same for sparse rows; vector.c and column_sums.c call it ------------------------------- */

rkhs_status rk_sparse_prepare(rkhs_env *env, rk_bound *b, rk_vector_side *side); /* norms; rows by column */
void rk_sparse_columns_free(rkhs_env *env, struct rk_sparse_columns *columns);
/* A tile of sums over the columns that both rows have: of products, of minima, or of |x| + |y| minus the term. */
void rk_sparse_common(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                      double *out, int64_t ld);
/* A tile of inner products of sparse rows of a with dense rows of b. */
void rk_sparse_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                    int64_t ld);
/* The sum over all columns of two rows, of absolute differences or ratios. */
double rk_sparse_distance(rk_pair what, const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j);
/* |x - y|^2 of two rows, from their differences. */
double rk_sparse_squared_distance(const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j);

/* ---- tiny_rows.c: pairs of rows whose squares underflow, one at a time ----------------------------------------- */

#define RK_TINY 1e-280 /* squared lengths below this have lost digits */
/* Whether row i, of this squared norm, is tiny but not zero. rk_pair_*: one pair; the distance is not squared. */
int rk_row_tiny(const rk_bound *a, int64_t i, double norm);
double rk_pair_cosine(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j);
double rk_pair_tanimoto(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j);
double rk_pair_distance(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j);

/* ---- user_kernel.c: kernels that the caller added -------------------------------------------------------------- */

/* Writes the names of the added kernels in a tree, each once, with ", " between them. */
rkhs_status rk_kernel_user_names(const rkhs_kernel *k, rk_text *text);

/* ---- bandwidth.c: widths of kernels, given or computed from data ----------------------------------------------- */

/* The width of a kernel of distances: gamma, or sigma: a number or a bandwidth rule, computed from the data at fit. */
typedef struct rk_width {
    rk_bandwidth sigma;
    double gamma; /* NaN unless it is given in place of sigma */
} rk_width;

extern const rk_param *const rk_width_rules[];

/* The parameter table of such a kernel; gamma_of is the formula of gamma in sigma. RK_WIDTH_ROWS: its rows alone, for
 * a struct that begins with an rk_width. */
/* clang-format off */
#define RK_WIDTH_ROWS(gamma_of)                                                                                                \
     {.name = "sigma", .kind = RK_BANDWIDTH, .offset = offsetof(rk_width, sigma), .value = "median", .max = 1e150, .min_excluded = 1,       \
      .choices = "median|knn", .rule_params = rk_width_rules,                                                                  \
      .brief = "width; median: the median distance between rows; knn(k, times): `times` the median distance to the k-th neighbour, where k below 1 is a share of the rows"},                       \
     {.name = "gamma", .kind = RK_REAL, .offset = offsetof(rk_width, gamma), .max = 1e300, .min_excluded = 1, .replaces = "sigma",      \
      .brief = gamma_of ", instead of sigma"}
#define RK_WIDTH_PARAMS(gamma_of) {RK_WIDTH_ROWS(gamma_of), {.name = NULL}}
/* clang-format on */

/* out = exp(-gamma out), a tile. */
void rk_exp_tile(double gamma, int64_t ni, int64_t nj, double *out, int64_t ld);
/* The slot `diag` of a kernel with k(x,x) = 1. */
void rk_diag_ones(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);

/* Replaces a bandwidth rule by its number. median: the median distance of two objects, of at most 2000; knn(k): the
 * median of their distances to the k-th neighbour. `by`: sum of absolute differences, Euclidean, or chi-squared. */
enum { RK_BY_ABSOLUTES, RK_BY_EUCLID, RK_BY_CHI2 };
rkhs_status rk_freeze_width(rkhs_env *env, rk_bandwidth *sigma, const rkhs_data *x, int by);
/* The slot `freeze` of a kernel of Euclidean distances whose parameters begin with an rk_width. */
rkhs_status rk_freeze_euclidean(rkhs_env *env, void *width, const rkhs_data *x);

#endif
