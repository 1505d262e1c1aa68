/* kernel.h: kernels as trees of types, bound to data, evaluated by tiles. */
#ifndef RK_KERNEL_H
#define RK_KERNEL_H

#include "data/data.h"
#include "la/la.h"

/* ---- the table of a kernel -------------------------------------------------------------------------------------------- */

#ifndef RK_TILE     /* fuzz targets take smaller ones */
#define RK_TILE 256 /* a block has at most so many rows and columns */
#endif

/* A kernel bound to one data set: what can be computed once for each object lives in `side`. */
typedef struct rk_bound {
    const rkhs_kernel *kernel;
    const rkhs_data *x;
    const struct rk_bound *reference; /* the other side of the comparison, bound first; NULL for the first */
    rkhs_data *view;                  /* what the children are bound to, where that is not x; owned */
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
    RK_SERIAL = 8,     /* block runs on the env's own thread alone */
    RK_IDENTITY = 16   /* its features are the columns of the data themselves: k(x, y) = x'y */
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
    /* (optional) The data that the children are bound to in place of x; may borrow from x. */
    rkhs_status (*view)(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **view);
    /* (optional) Fills bound->side when the children are bound; release undoes it, rk_free otherwise. */
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

/* ---- kernels --------------------------------------------------------------------------------------------------------- */

struct rkhs_kernel {
    rkhs_env *env;
    const rk_kernel_type *type;
    rk_spec *spec; /* entry and parameters of this node */
    int children;
    rkhs_kernel **child;
    rk_learnt learnt;
    char *text; /* of the whole tree; NULL below its root */
};

extern const rk_list rk_kernels;

/* Kernels that need k(x,x): rows of a precomputed Gram do not have it. */
#define RK_KIND_ALL_BUT_GRAM (~(unsigned)RK_KIND_GRAM)

static inline const void *rk_kernel_self(const rk_bound *b) { return b->kernel->spec->self; }

/* As the public ones, for use inside a call: message, progress and cancelling stay. Arguments are there. */
rkhs_status rk_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel);
rkhs_status rk_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy);
rkhs_status rk_kernel_freeze(rkhs_kernel *kernel, const rkhs_data *data);

/* The kinds of data that every part of the kernel takes; whether every part, or any part, has a property. */
unsigned rk_kernel_kinds(const rkhs_kernel *k);
int rk_kernel_has(const rkhs_kernel *k, unsigned flag);
int rk_kernel_any(const rkhs_kernel *k, unsigned flag);
/* rk_data_coerce for a kernel; `like`: what x is compared with, or NULL. */
rkhs_status rk_kernel_coerce(const rkhs_kernel *k, const rkhs_data *x, const rkhs_data *like, const rkhs_data **use,
                             rkhs_data **view);

/* A copy without its text; the text, made with the kernel so that asking for it cannot fail. */
rkhs_status rk_kernel_copy_tree(const rkhs_kernel *kernel, rkhs_kernel **copy);
rkhs_status rk_kernel_write(rkhs_kernel *k);

/* ---- learnt.c: what freeze finds that is too long for the text ------------------------------------------------------- */

rkhs_status rk_learnt_copy(rkhs_env *env, const char *text, const double *values, int64_t count, rk_learnt *to);
void rk_learnt_free(rkhs_env *env, rk_learnt *learnt);
rkhs_status rk_kernel_save_learnt(const rkhs_kernel *k, rk_archive *archive);
/* Into a kernel made from its text; an archive that has nothing for it leaves it to be frozen. */
rkhs_status rk_kernel_load_learnt(rkhs_kernel *k, rk_archive *archive);

/* ---- kernel.c -------------------------------------------------------------------------------------------------------- */

/* Binds a frozen kernel to data. The second side of a comparison names the first. */
rkhs_status rk_bind(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const rk_bound *reference, rk_bound **bound);
void rk_unbind(rkhs_env *env, rk_bound *bound);

/* Scratch for one worker to evaluate tiles of a against b; rk_work_new takes it for all workers, on the scratch list. */
rkhs_status rk_work_new(rkhs_env *env, const rk_bound *a, const rk_bound *b, rk_work **work);
/* The same for so many workers: one, where there is one tile. */
rkhs_status rk_work_for(rkhs_env *env, int64_t workers, const rk_bound *a, const rk_bound *b, rk_work **work);
/* Takes `count` doubles from the front. */
static inline double *rk_work_take(rk_work *w, int64_t count) {
    double *p = w->next;
    w->next += count;
    w->left -= count;
    return w->left >= 0 ? p : NULL;
}

/* One tile; ni, nj <= RK_TILE. */
static inline rkhs_status rk_block_of(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                      double *out, int64_t ld, rk_work work) {
    return a->kernel->type->block(a, i0, ni, b, j0, nj, out, ld, work);
}
rkhs_status rk_diag_of(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);
/* `block` and `diag_parts` of a wrapper that changes the data alone: those of the kernel inside. */
rkhs_status rk_block_inside(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                            int64_t ld, rk_work work);
rkhs_status rk_diag_inside(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);

/* rk_parallel for tiles that evaluate a kernel: on the env's own thread where the kernel asks for that. */
rkhs_status rk_kernel_parallel(rkhs_env *env, const char *stage, const rkhs_kernel *k, int64_t count, rk_tile_fn fn,
                               void *context);

/* Rows and columns of a tile that does not run long; rows of one that has all of b's. RK_TILE unless the kernel is slow. */
int64_t rk_tile_of(const rk_bound *a, const rk_bound *b);
int64_t rk_tile_rows(const rk_bound *a, const rk_bound *b);
/* Whole matrices, by tiles on the pool. */
rkhs_status rk_gram_symmetric(rkhs_env *env, const rk_bound *a, double *K, int64_t ld);
rkhs_status rk_gram_cross(rkhs_env *env, const char *stage, const rk_bound *a, const rk_bound *b, double *K, int64_t ld);

/* ---- vector.c: what kernels on vectors share ----------------------------------------------------------------------- */

struct rk_columns;

typedef struct rk_vector_side {
    double *norm;         /* squared, of x - centre */
    const double *centre; /* columns, or NULL: 0. The second side borrows the first's */
    double *owned;
    struct rk_columns *columns; /* of sparse rows, else NULL */
    int narrow;                 /* rk_vector_prepare_sums: every number is 0 or neither tiny nor huge (RK_NARROW) */
} rk_vector_side;

rkhs_status rk_vector_prepare(rkhs_env *env, rk_bound *b);         /* norms about 0 */
rkhs_status rk_vector_prepare_dots(rkhs_env *env, rk_bound *b);    /* for a kernel that wants them on its diagonal alone */
rkhs_status rk_vector_prepare_centred(rkhs_env *env, rk_bound *b); /* norms about the mean, where that saves digits */
void rk_vector_release(rkhs_env *env, rk_bound *b);
int64_t rk_vector_work(const rk_bound *a, const rk_bound *b);
/* The norms of some rows; a tile of inner products, squared distances. */
void rk_vector_norms(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work); /* the slot `diag` of linear */
void rk_vector_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                    int64_t ld);
void rk_vector_squares(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                       int64_t ld, rk_work work);

/* ---- gradient.c: how k(x, y) changes with x, dense rows -------------------------------------------------------------- */

/* Whether every part of a kernel knows its gradient. */
int rk_kernel_has_gradient(const rkhs_kernel *k);
/* One tile, as the slot says; and scratch for so many workers. */
static inline rkhs_status rk_gradient_of(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                         const double *w, int64_t ld, double *dx, rk_work work) {
    return a->kernel->type->gradient(a, i0, ni, b, j0, nj, w, ld, dx, work);
}
rkhs_status rk_gradient_work(rkhs_env *env, int64_t workers, const rk_bound *a, const rk_bound *b, rk_work **work);
/* The same from a tile (RK_TILE apart, destroyed) of dk/ds, s = |x-y|^2, or of dk/du, u = <x,y>. */
void rk_gradient_squares(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *w,
                         int64_t ld, double *slope, double *dx);
void rk_gradient_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *w,
                      int64_t ld, double *slope, double *dx);
/* dx_i += own_i a_i + sum_j other_ij b_j; other: rows RK_TILE apart. */
void rk_gradient_rows(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *own,
                      const double *other, double *dx);

/* ---- column_sums.c: sums over columns of a term that is no product --------------------------------------------------------
 */

typedef enum rk_pair {
    RK_PAIR_PRODUCT,  /* x y */
    RK_PAIR_MINIMUM,  /* min(x, y), both >= 0 */
    RK_PAIR_ABSOLUTE, /* |x - y| */
    RK_PAIR_RATIO     /* (x - y)^2/(x + y), both >= 0, 0/0 = 0 */
} rk_pair;

rkhs_status rk_vector_prepare_sums(rkhs_env *env,
                                   rk_bound *b); /* the norm is the sum: of a dense row, or of a sparse one's absolutes */
/* A tile of sums; all but products; prepared by rk_vector_prepare_sums. */
void rk_vector_sums(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                    double *out, int64_t ld, rk_work work);
/* The same for dense rows with a term of la.h. */
void rk_vector_direct(rk_pairs_fn *term, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                      double *out, int64_t ld, rk_work work);

/* ---- sparse_rows.c: the same for sparse rows; vector.c calls it ---------------------------------------------------------- */

rkhs_status rk_sparse_prepare(rkhs_env *env, rk_bound *b,
                              rk_vector_side *side); /* norms about 0, and the columns of each tile */
void rk_columns_free(rkhs_env *env, struct rk_columns *columns);
/* Sums over the columns that both rows have, of a product, of a minimum, or of what |x| + |y| exceeds the term by. */
void rk_sparse_common(rk_pair what, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                      double *out, int64_t ld);
/* The sum of two rows over all columns, of absolute differences or ratios. */
double rk_sparse_apart(rk_pair what, const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j);
/* |x - y|^2 of two rows from their differences. */
double rk_sparse_square(const rkhs_data *x, int64_t i, const rkhs_data *y, int64_t j);

/* ---- tiny_rows.c: pairs of rows too small for squares, one at a time ------------------------------------------------------
 */

#define RK_TINY 1e-280 /* squared lengths below this have lost digits */
/* Whether a row of this squared norm is below it, yet not zero. */
int rk_row_tiny(const rk_bound *a, int64_t i, double norm);
double rk_pair_cosine(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j);
double rk_pair_tanimoto(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j);
/* |x - y|, not its square. */
double rk_pair_distance(const rk_bound *a, int64_t i, const rk_bound *b, int64_t j);

/* ---- user_kernel.c: kernels that the caller added
 * ---------------------------------------------------------------------------- */

/* Writes the names of the added kernels in a tree, each once, with ", " between them. */
rkhs_status rk_kernel_own_names(const rkhs_kernel *k, rk_text *text);

/* ---- bandwidth.c: numbers that data gives ------------------------------------------------------------------------------- */

/* Kernels exp(-gamma d(x,y)) are told how wide they are by sigma or by gamma. */
typedef struct rk_width {
    rk_rule sigma;
    double gamma; /* NaN unless given in place of sigma */
} rk_width;

/* The parameter table of such a kernel; gamma_of says what gamma is in sigma. RK_WIDTH_ROWS: its rows alone, for a struct that
 * begins with an rk_width. */
/* clang-format off */
#define RK_WIDTH_ROWS(gamma_of)                                                                                                \
     {.name = "sigma", .kind = RK_RULE, .offset = offsetof(rk_width, sigma), .value = "median", .max = 1e150, .open = 1,       \
      .choices = "median|knn",                                                                                                 \
      .brief = "the width; median: the median distance; knn(k, times): that to the k-th neighbour, so often; k below 1: a share of the rows"},                       \
     {.name = "gamma", .kind = RK_REAL, .offset = offsetof(rk_width, gamma), .max = 1e300, .open = 1, .instead = "sigma",      \
      .brief = gamma_of ", in place of sigma"}
#define RK_WIDTH_PARAMS(gamma_of) {RK_WIDTH_ROWS(gamma_of), {.name = NULL}}
/* clang-format on */

/* out = exp(-gamma out), a tile. */
void rk_exp_tile(double gamma, int64_t ni, int64_t nj, double *out, int64_t ld);
/* A diagonal of ones. */
void rk_diag_ones(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);

/* sigma=median: the median distance of two objects (of at most 2000); sigma=knn(k): the median distance to the k-th neighbour.
 * By which distance: sums of absolutes, Euclidean, chi-squared. */
enum { RK_BY_ABSOLUTES, RK_BY_EUCLID, RK_BY_CHI2 };
rkhs_status rk_freeze_width(rkhs_env *env, rk_rule *sigma, const rkhs_data *x, int by);
/* The slot of a kernel on Euclidean distances whose parameters begin with an rk_width. */
rkhs_status rk_freeze_euclidean(rkhs_env *env, void *width, const rkhs_data *x);

#endif
