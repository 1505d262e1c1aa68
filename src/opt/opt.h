/* opt.h: problems pulled back to coefficients, and the solvers that take them. */
#ifndef RK_OPT_H
#define RK_OPT_H

#include "gram/gram.h"
#include "la/la.h"

/* ---- problems: what a model asks, in sample space ------------------------------------------------------------------- */

/* A symmetric operator on n x k blocks, row-major, ld = k. */
typedef struct rk_op {
    int64_t n;
    rkhs_status (*apply)(void *context, rkhs_env *env, const double *V, int64_t k, double *out);
    void *context;
} rk_op;

/* Which variables move: Z itself (Phi = I); a in Z = K_nm a on the kept objects (exact: all); W in Z = Phi W. Sample: for a
 * model without a map. Alpha: the gradient is multiplied by K, which favours directions of large eigenvalues, so that a few
 * iterations do not overfit. Isometric: with a ridge, since |W| is the norm of the map in the space of the kernel. */
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
    /* f, and when asked dZ (rows x dim) and dt (thetas). */
    rkhs_status (*eval)(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
    /* (optional) A map between push and f, with its pull-back: centre, unit variance. It is affine once fitted: y = s z + c,
     * and is folded into (B, c), else transform would disagree with Z. */
    rkhs_status (*normalise)(void *context, const double *Y, double *Z, double *scale, double *shift);
    rkhs_status (*normalise_back)(void *context, const double *Z, const double *dZ, double *dY);
    /* (optional) Back on the constraint after a step, and the gradient's part along it: the unit sphere. */
    void (*retract)(void *context, double *Z);
    void (*tangent)(void *context, const double *Z, double *dZ);
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
    int joint;         /* linear: cg takes the k columns as one system, with one step for all */
    rkhs_status (*eval)(void *context, rkhs_env *env, const double *x, double *f, double *g); /* smooth */
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
    int factors; /* linear: it factors the matrix, in `spend` where there is one; else products are enough */
    /* One life: start, step until it says done (or the caller has had enough), finish. */
    rkhs_status (*start)(rk_pulled *p, const void *self, void **state);
    rkhs_status (*step)(rk_pulled *p, const void *self, void *state, int *done);
    rkhs_status (*finish)(rk_pulled *p, const void *self, void *state);
    /* A state loaded into a started solver goes on with the same bits. */
    rkhs_status (*state_save)(rk_pulled *p, const void *state, rk_archive *archive);
    rkhs_status (*state_load)(rk_pulled *p, void *state, rk_archive *archive);
    void (*release)(rk_pulled *p, void *state);
} rk_solver_type;

extern const rk_list rk_eigensolvers, rk_linsolvers, rk_optimisers; /* for spectral, linear and smooth problems */

/* Runs one solver's life on a pulled-back problem. */
rkhs_status rk_solve(const rk_spec *solver, rk_pulled *p);
/* Spectral: |A x - l x| of every pair, from one product more. */
rkhs_status rk_true_residuals(rk_pulled *p);

/* The answer to a spectral problem: values largest first, coef (rank x count) to push and fold. */
typedef struct rk_spectrum {
    int64_t count;
    double *values, *residuals; /* on the scratch list, as coef */
    double *coef;
    double before; /* the trace of K itself, before M took its part off */
    double trace;  /* of the left-hand side: the sum of all eigenvalues */
    int64_t iterations, products;
    int converged;
    const char *solver;
} rk_spectrum;

/* solver NULL: krylov where it suits, else the one that rk_pick_eigensolver takes. Results live on the scratch list. */
rkhs_status rk_solve_spectral(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);

/* The same in sample coordinates, which need no gram: M z = l N z on M's own n rows; coef is z. */
rkhs_status rk_solve_sample(rkhs_env *env, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);
/* The same with an operator M and a diagonal N. */
rkhs_status rk_solve_pencil(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);
/* The same with N = 0 and mu = 1 for a positive semi-definite gram in sample form, without a factor of it. */
rkhs_status rk_solve_krylov(const rk_gram *g, const rk_spectral *problem, rk_spectrum *out);

/* The choice of a solver where none is given. Eigensolver: dense up to size 512, and from a fifth of the spectrum on, where all
 * of it is found sooner; else lanczos. Linear solver: cholesky. *own is to be freed. */
rkhs_status rk_pick_eigensolver(rkhs_env *env, const rk_spec *given, int64_t size, int64_t count, rk_spec **own,
                                const rk_spec **use);
rkhs_status rk_pick_linsolver(rkhs_env *env, const rk_spec *given, rk_spec **own, const rk_spec **use);
/* Whether rk_solve_krylov takes this problem, and is sooner done than a factor of K. */
int rk_suits_krylov(const rk_gram *g, const rk_spectral *problem);

/* The smallest eigenvalue of M K M (sample form), and how far off it may be. */
rkhs_status rk_smallest_eigenvalue(const rk_gram *g, const rk_spectral *problem, double *value, double *residual);
/* Whether a Cholesky factor of K + shift I (sample form) shows that no eigenvalue of K, and hence none of M K M, is below
 * -shift. It costs n^3/3 where the search above may cost hundreds of products; 0 when there is no room, or no factor. */
rkhs_status rk_shifted_psd(const rk_gram *g, double shift, int *above);

/* ---- parameter rows that several solvers share; S is a solver's parameter struct ----------------------------------------- */

/* clang-format off */
#define RK_PARAM_MAX_ITER(S, VALUE, MIN, BRIEF)                                                                        \
    {.name = "max_iter", .aliases = "iter", .kind = RK_INT, .offset = offsetof(S, max_iter), .value = VALUE,           \
     .min = MIN, .max = 1e9, .brief = BRIEF}
#define RK_PARAM_GRADIENT_TOL(S)                                                                                       \
    {.name = "tol", .aliases = "gtol", .kind = RK_REAL, .offset = offsetof(S, tol), .value = "1e-5", .max = 1e300,     \
     .brief = "tolerance on the gradient: stop when no entry is larger in absolute value"}
#define RK_PARAM_FTOL(S)                                                                                               \
    {.name = "ftol", .kind = RK_REAL, .offset = offsetof(S, ftol), .value = "2.2e-9", .max = 1,                        \
     .brief = "tolerance on the objective: stop when a step gains less than ftol max(|f|, 1)"}
/* clang-format on */

/* ---- linear ------------------------------------------------------------------------------------------------------------ */

typedef struct rk_solution {
    double *coef; /* rank x k, to push and fold; on the scratch list */
    int64_t iterations;
    int converged;
    const char *solver;
} rk_solution;

/* solver NULL: cholesky. */
rkhs_status rk_solve_linear(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solution *out);

/* ---- smooth ------------------------------------------------------------------------------------------------------------ */

typedef struct rk_smooth_result {
    double *Z, *B, *c; /* the caller's: n x dim, kept x dim (NULL in sample coordinates), dim */
    double f, slope;   /* value and |gradient| at the end */
    double added;      /* isometric on a stored Gram: what its diagonal was raised by to be factored */
    int64_t iterations, evaluations;
    int converged;
    const char *solver;
    double *history; /* f after each iteration; the caller frees it */
    int64_t recorded;
} rk_smooth_result;

/* Starts at Z0 (n x dim) as near as the coordinates allow, or at random when NULL; theta is where it starts and ends. */
rkhs_status rk_solve_smooth(const rk_gram *g, const rk_spec *solver, const rk_smooth *problem, const double *Z0, double *theta,
                            rk_smooth_result *out);

/* K of which each row keeps its `nearest` largest values; on the scratch list. Z = F a, da = F'dZ, and a with F a near Z0. */
typedef struct rk_knn_rows {
    int64_t n, nearest;
    int64_t *index; /* n x nearest */
    double *value;
} rk_knn_rows;
rkhs_status rk_knn_rows_new(const rk_gram *g, int64_t nearest, rk_knn_rows *f);
void rk_knn_rows_mul(const rk_knn_rows *f, const double *a, int64_t d, double *Z);
void rk_knn_rows_back(const rk_knn_rows *f, const double *dZ, int64_t d, double *da);
rkhs_status rk_knn_rows_start(rkhs_env *env, const rk_knn_rows *f, const double *Z0, int64_t d, double *a);

/* Adds a value to the history. */
rkhs_status rk_record(rk_pulled *p, double f);

/* A line search from p->x along d: f, slope and t (the first step to try) are given; x, g, f and t of the step come back. */
typedef struct rk_line {
    const double *d;
    double f, slope, t, c1, c2;
    double *x, *g;
    int found; /* 0: there is no lower point along d */
} rk_line;
rkhs_status rk_line_search(rk_pulled *p, rk_line *line);

/* Where a descent stands, and when it stops: largest |gradient| <= tol, or a gain <= ftol max(|f|, 1). */
typedef struct rk_descent {
    double f, *g;
    int begun;
} rk_descent;
typedef struct rk_limits {
    int64_t max_iter;
    double tol, ftol;
} rk_limits;
rkhs_status rk_descent_start(rk_pulled *p, rk_descent *at, rk_line *line);
rkhs_status rk_descent_first(rk_pulled *p, rk_descent *at, const rk_limits *limits, int *done);
rkhs_status rk_descent_take(rk_pulled *p, rk_descent *at, const rk_line *line, const rk_limits *limits, int *done);
rkhs_status rk_descent_finish(rk_pulled *p, const rk_descent *at);
rkhs_status rk_descent_save(rk_pulled *p, const rk_descent *at, rk_archive *archive);
rkhs_status rk_descent_load(rk_pulled *p, rk_descent *at, rk_archive *archive);
void rk_descent_release(rk_pulled *p, rk_descent *at, rk_line *line);
/* `count` doubles of a saved state. */
rkhs_status rk_load_vector(rkhs_env *env, rk_archive *archive, const char *name, int64_t count, double *out);

/* ---- code_regression.c: ridge regression from codes to vectors, for the inverse and the score of a reconstruction -------- */

/* Pairs that a regression is fitted on, and that its width and ridge are chosen on; at most. */
enum { RK_RIDGE_PAIRS = 2000, RK_RIDGE_TRIAL = 400 };

/* C = (K + ridge I)^-1 C for n x p C; with `error` also the sum of squares of the leave-one-out errors, infinite when K is not
 * positive definite, which fails otherwise. K (n x n) is destroyed. */
rkhs_status rk_ridge_solve(rkhs_env *env, const char *stage, int64_t n, int64_t p, double *K, double ridge, double *C,
                           double *error);
/* An rbf kernel of this width in the place of *kernel, and its Gram on dense codes. */
rkhs_status rk_ridge_gram(rkhs_env *env, double width, const rkhs_data *codes, rkhs_kernel **kernel, double *K);
/* Width and ridge with the least leave-one-out error for centred X (rows of codes x p). Of two there is nothing to learn: their
 * distance is the width. */
rkhs_status rk_ridge_choose(rkhs_env *env, const char *stage, const rkhs_data *codes, const double *X, int64_t p, double *width,
                            double *ridge);

#endif
