/* opt.h: the three kinds of problems that models state (spectral, smooth, linear), and the solvers for them.
 *
 * A model states its problem in Z. It is "pulled back", restated in the gram's coefficients, and then solved. */
#ifndef RK_OPT_H
#define RK_OPT_H

#include "gram/gram.h"
#include "la/la.h"

/* ---- problems, as a model states them -------------------------------------------------------------------------- */

/* A symmetric operator on n x k blocks, row-major, ld = k: what solvers multiply by. */
typedef struct rk_op {
    int64_t n;
    rkhs_status (*apply)(void *context, rkhs_env *env, const double *V, int64_t k, double *out);
    void *context;
} rk_op;

/* A stored symmetric matrix as such an operator, which borrows *m. */
typedef struct rk_matrix {
    int64_t n;
    const double *A;
} rk_matrix;
rk_op rk_matrix_op(const rk_matrix *m);

/* The variables of a problem. Sample: Z itself (Phi = I), for a model without a map. Alpha: a in Z = K_nm a, on the m
 * landmarks (exact: all objects). Its gradient is multiplied by K, which favours directions of large eigenvalues, so
 * that a few iterations do not overfit. Isometric: W in Z = Phi W, for a ridge: |W| is the norm of the map in the
 * RKHS. */
typedef enum rk_coordinates { RK_COORD_SAMPLE, RK_COORD_ALPHA, RK_COORD_ISOMETRIC } rk_coordinates;

/* A symmetric matrix M over the objects, made of a sparse one (graph_matrix.c). */
typedef struct rk_graph_matrix {
    const rk_csr *graph;      /* G, n x n */
    const rk_csr *transposed; /* NULL: M = G, which is symmetric. Else G', and M = I - G'G */
    const double *constant;   /* d >= 0: M minus RK_CONSTANT_SHIFT dd'/sum d; or NULL */
} rk_graph_matrix;
/* M - 3 dd'/sum d equals M where d'v = 0. Where the constant solves M 1 = d, its eigenvalue of M v = l diag(d) v moves
 * from 1 to -2, below all others. */
#define RK_CONSTANT_SHIFT 3.0
/* out = M V, n x k. */
rkhs_status rk_graph_matrix_apply(rkhs_env *env, const rk_graph_matrix *m, const double *V, int64_t k, double *out);

/* Sums over all objects of a problem with features: what an update adds to (feature_sums.c). Arrays that a problem does
 * not have are NULL. N is the diagonal of the problem; I without a graph. */
typedef struct rk_feature_sums {
    double *square;              /* rank x rank: Phi'N Phi */
    double *sums;                /* rank: Phi'N 1 */
    double *between;             /* rank x rank: Phi'M Phi of a graph, without its constant */
    double *product;             /* rank x k: Phi'T of a linear problem */
    double count, weight, trace; /* objects; the sums of N_ii (of a graph) and of N_ii K_ii */
    double target_square;        /* |T|^2 */
} rk_feature_sums;
/* Adds the sums of objects that are gone; k: columns of T. Fails if the result is not finite. */
rkhs_status rk_feature_sums_add(const rk_gram *g, const rk_feature_sums *before, int64_t k, rk_feature_sums *to);
/* *weight (n, on the scratch list): 0 for the first `known` objects, 1 for the others. */
rkhs_status rk_new_objects(const rk_gram *g, int64_t known, double **weight);
/* Computes `between`, and `square` and `sums` unless they are NULL, of a gram with features, in one pass. weight: N, or
 * NULL: none. With a transposed graph M = N - G'G, and `square` is required. */
rkhs_status rk_graph_matrix_moments(const rk_gram *g, const rk_graph_matrix *m, const double *weight, rk_feature_sums *out);

/* A spectral problem: Phi'M Phi w = l (Phi'N Phi + mu I) w, for the largest l, or |l| if by_magnitude. w'(Phi'N Phi +
 * mu I) w = 1. */
typedef struct rk_spectral {
    rk_coordinates coordinates; /* sample (graphs: kle) or isometric */
    enum { RK_M_IDENTITY, RK_M_CENTRE, RK_M_GRAPH } m_kind;
    const rk_graph_matrix *m; /* RK_M_GRAPH; with features its constant is n, or NULL */
    const double *n; /* with a graph: the diagonal of N, >= 0; NULL: N = 0 (sample coordinates: N = I). 1 for I - G'G */
    double mu;       /* isometric: above 0 where N is 0; 1 without a graph */
    int64_t count;
    int by_magnitude;
    const rk_feature_sums *before; /* features: the sums of objects that are gone; or NULL */
    int64_t known; /* with `before`: the first so many objects are in it already; M and N have what others add */
} rk_spectral;

/* A smooth problem: minimise f(Z, theta) + ridge |W|^2 over Z and parameters theta. */
typedef struct rk_smooth {
    rk_coordinates coordinates;
    int64_t rows, dim, thetas;
    double ridge;     /* isometric: |W|^2; alpha: a'K a, which is the same; sample: not used */
    int scale_free;   /* f(2 Z) = f(Z): the penalty is then ridge |W|^2 rows/|Z|^2, which is scale-free too */
    int64_t nearest;  /* alpha: each row uses its `nearest` nearest objects only; 0: all */
    int64_t max_iter; /* limit of iterations below the solver's own; 0: none */
    /* Computes f, dZ (rows x dim) and dt (thetas); dZ and dt are zero on entry. */
    rkhs_status (*eval)(void *context, rkhs_env *env, const double *Z, const double *theta, double *f, double *dZ, double *dt);
    /* (optional) A normalisation Z of Y between push and f, and the gradient through it: centring, unit variance. It
     * must be affine, z = scale y + shift, since it is folded into the map (B, c), so that transform agrees with Z. */
    rkhs_status (*normalise)(void *context, const double *Y, double *Z, double *scale, double *shift);
    rkhs_status (*normalise_back)(void *context, const double *Z, const double *dZ, double *dY);
    /* (optional) A constraint on Z (the unit sphere): projects Z on it after a step, dZ on its tangent space. */
    void (*retract)(void *context, double *Z);
    void (*tangent)(void *context, const double *Z, double *dZ);
    void *context;
} rk_smooth;

/* A linear problem: (Phi'Phi + mu I) W = Phi'T, T is n x k. */
typedef struct rk_linear {
    const double *T;
    int64_t k;
    double mu;
    int keep;                      /* features: the solution has the sums */
    const rk_feature_sums *before; /* features: the sums of objects that are gone; or NULL */
    int64_t known; /* with `before`: it has the first so many objects of the gram already; their rows of T are 0 */
} rk_linear;

/* ---- solver ---------------------------------------------------------------------------------------------------- */

typedef enum rk_shape { RK_SHAPE_SPECTRAL, RK_SHAPE_SMOOTH, RK_SHAPE_LINEAR } rk_shape;

/* What a solver gets: the pulled-back problem in coefficients x (size x k), and where it puts results. */
typedef struct rk_solver_problem {
    rkhs_env *env;
    int64_t size, k;
    int64_t dim, thetas; /* smooth: x has size - thetas numbers in rows of dim (0: of one), then thetas */
    int by_magnitude;    /* spectral: largest |l|, else largest l */
    rk_op a;             /* spectral, linear: the matrix A as an operator */
    const double *dense; /* A itself, size x size, leading dimension ld, if stored; or NULL */
    /* (optional) spectral: fills A, both triangles, where that is cheaper than products; context: that of a. */
    rkhs_status (*form)(void *context, rkhs_env *env, double *A);
    double *spend; /* linear: A itself if it may be overwritten; or NULL */
    int64_t ld;
    const double *rhs; /* linear: size x k */
    double mu;         /* linear: (a + mu I) x = rhs */
    rk_op inverse;     /* linear: (optional) a preconditioner, near (a + mu I)^-1 up to a factor; for cg */
    int joint;         /* linear: cg treats the k columns as one system, with one step length */
    rkhs_status (*eval)(void *context, rkhs_env *env, const double *x, double *f, double *g); /* smooth */
    void (*retract)(void *context, double *x);
    void *context;
    double *x;                    /* the start, if the solver uses one; then the result */
    double *values;               /* spectral: k eigenvalues, largest first; smooth: values[0] = f */
    double *residuals;            /* spectral: |A w - l w|; smooth: residuals[0] = |g| */
    int64_t iterations, products; /* smooth: products are evaluations */
    int64_t max_iter;             /* limit of iterations beside the solver's own; 0: none */
    int converged;                /* not converging is reported, not an error */
    double *history;              /* smooth: f after each iteration; the caller frees it */
    int64_t recorded, history_room;
} rk_solver_problem;

typedef struct rk_solver_type {
    rk_entry entry;
    rk_shape shape;
    int factors; /* linear: factors A (in `spend` if set); else products are enough */
    /* Order of calls: start, step until it sets *done or the limit is reached, finish, release. */
    rkhs_status (*start)(rk_solver_problem *p, const void *self, void **state);
    rkhs_status (*step)(rk_solver_problem *p, const void *self, void *state, int *done);
    rkhs_status (*finish)(rk_solver_problem *p, const void *self, void *state);
    /* A state loaded into a started solver continues with the same bits. */
    rkhs_status (*state_save)(rk_solver_problem *p, const void *state, rk_archive *archive);
    rkhs_status (*state_load)(rk_solver_problem *p, void *state, rk_archive *archive);
    void (*release)(rk_solver_problem *p, void *state);
} rk_solver_type;

extern const rk_list rk_eigensolvers, rk_linsolvers, rk_optimisers; /* for spectral, linear and smooth problems */

/* Runs a solver on a pulled-back problem. */
rkhs_status rk_solve(const rk_spec *solver, rk_solver_problem *p);
/* Smooth: the inner product of two vectors of the size of x, as a sum over rows; and the norm. */
double rk_variables_dot(const rk_solver_problem *p, const double *a, const double *b);
double rk_variables_norm(const rk_solver_problem *p, const double *a);
/* Spectral: computes |A x - l x| of every pair by one more product. */
rkhs_status rk_true_residuals(rk_solver_problem *p);

/* The solution of a spectral problem: values largest first; coef (rank x count) for push and to_map. */
typedef struct rk_spectrum {
    int64_t count;
    double *values, *residuals; /* on the scratch list, as coef */
    double *coef;
    double abs_trace;     /* sum of |K_ii|; not set for a graph M */
    double trace;         /* sum of all eigenvalues; not set for a graph M */
    rk_feature_sums sums; /* with features, unless N is 0; without the trace of a graph; on the scratch list */
    int64_t iterations, products;
    int converged;
    const char *solver;
} rk_spectrum;

/* solver NULL: krylov where it suits, else that of rk_pick_eigensolver. Results are on the scratch list. */
rkhs_status rk_solve_spectral(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);

/* In sample coordinates, without a gram: M z = l N z on M's own n rows; coef is z. */
rkhs_status rk_solve_sample(rkhs_env *env, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);
/* With a graph M and a diagonal N (generalized_eigen.c). */
rkhs_status rk_solve_generalized(const rk_gram *g, const rk_spec *solver, const rk_spectral *problem, rk_spectrum *out);
/* With N = 0 and mu = 1, for a PSD gram that offers products with K, without factoring it (krylov.c). */
rkhs_status rk_solve_krylov(const rk_gram *g, const rk_spectral *problem, rk_spectrum *out);

/* The solver to use: the given one, or a default. Eigensolver: dense up to size 512, or for more than a fifth of the
 * spectrum, else lanczos. Linear solver: cholesky if the matrix is stored, else cg. The caller frees *own. */
rkhs_status rk_pick_eigensolver(rkhs_env *env, const rk_spec *given, int64_t size, int64_t count, rk_spec **own,
                                const rk_spec **use);
rkhs_status rk_pick_linsolver(rkhs_env *env, const rk_spec *given, int stored, rk_spec **own, const rk_spec **use);
/* A preconditioner for (K + mu I) of a gram whose K is known by products alone (preconditioner.c); on the scratch list.
 * The caller frees *landmarks. */
rkhs_status rk_precondition(const rk_gram *g, double mu, rk_gram **landmarks, rk_op *inverse);
/* Whether rk_solve_krylov can solve this problem, and is faster than a factor of K. */
int rk_suits_krylov(const rk_gram *g, const rk_spectral *problem);

/* The smallest eigenvalue of M K M (for a gram with products), and the residual of its eigenpair. */
rkhs_status rk_smallest_eigenvalue(const rk_gram *g, const rk_spectral *problem, double *value, double *residual);
/* Whether K + shift I (K stored) has a Cholesky factor: then no eigenvalue of K, nor of M K M, is below -shift. It
 * costs n^3/3 flops. 0: no factor, or no memory for it. */
rkhs_status rk_shifted_psd(const rk_gram *g, double shift, int *above);

/* ---- parameter rows that several solvers share; S is a solver's parameter struct ------------------------------- */

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

/* ---- linear ---------------------------------------------------------------------------------------------------- */

typedef struct rk_solution {
    double *coef;         /* rank x k, for push and to_map; on the scratch list */
    rk_feature_sums sums; /* with features, if they are to be kept: square, product and count; on the scratch list */
    int64_t iterations;
    int converged;
    const char *solver;
} rk_solution;

/* solver NULL: cholesky, or cg where K is known by products alone. */
rkhs_status rk_solve_linear(const rk_gram *g, const rk_spec *solver, const rk_linear *problem, rk_solution *out);

/* ---- smooth ---------------------------------------------------------------------------------------------------- */

typedef struct rk_smooth_result {
    double *Z, *B, *c; /* set by the caller: n x dim, map_count x dim (NULL in sample coordinates), dim */
    double f, slope;   /* value and |gradient| at the end */
    double added;      /* isometric on a stored K: added to its diagonal to factor it */
    int64_t iterations, evaluations;
    int converged;
    const char *solver;
    double *history; /* f after each iteration; the caller frees it */
    int64_t recorded;
} rk_smooth_result;

/* Starts near Z0 (n x dim), as far as the coordinates allow; NULL: at random. theta: the start, then the result. */
rkhs_status rk_solve_smooth(const rk_gram *g, const rk_spec *solver, const rk_smooth *problem, const double *Z0, double *theta,
                            rk_smooth_result *out);

/* F, of which each row keeps K's values with the `nearest` nearest objects in feature space; on the scratch list. mul:
 * Z = F a. mul_transposed: da = F'dZ. start: a with F a near Z0. */
typedef struct rk_knn_rows {
    int64_t n, nearest;
    int64_t *index; /* n x nearest */
    double *value;
} rk_knn_rows;
rkhs_status rk_knn_rows_new(const rk_gram *g, int64_t nearest, rk_knn_rows *f);
void rk_knn_rows_mul(const rk_knn_rows *f, const double *a, int64_t d, double *Z);
void rk_knn_rows_mul_transposed(const rk_knn_rows *f, const double *dZ, int64_t d, double *da);
rkhs_status rk_knn_rows_start(rkhs_env *env, const rk_knn_rows *f, const double *Z0, int64_t d, double *a);

/* Appends f to p->history. */
rkhs_status rk_record_objective(rk_solver_problem *p, double f);

/* A line search from p->x along d. In: f, slope, t (the first step to try). Out: x, g, f and t of the step found. */
typedef struct rk_line {
    const double *d;
    double f, slope, t, c1, c2;
    double *x, *g;
    int found; /* 0: no lower point was found */
} rk_line;
rkhs_status rk_line_search(rk_solver_problem *p, rk_line *line);

/* The state of a line-search method, and when it stops: largest |gradient| <= tol, or gain <= ftol max(|f|, 1). */
typedef struct rk_descent {
    double f, *g;
    int begun;
} rk_descent;
typedef struct rk_limits {
    int64_t max_iter;
    double tol, ftol;
} rk_limits;
rkhs_status rk_descent_start(rk_solver_problem *p, rk_descent *at, rk_line *line);
rkhs_status rk_descent_first(rk_solver_problem *p, rk_descent *at, const rk_limits *limits, int *done);
rkhs_status rk_descent_accept(rk_solver_problem *p, rk_descent *at, const rk_line *line, const rk_limits *limits, int *done);
rkhs_status rk_descent_finish(rk_solver_problem *p, const rk_descent *at);
rkhs_status rk_descent_save(rk_solver_problem *p, const rk_descent *at, rk_archive *archive);
rkhs_status rk_descent_load(rk_solver_problem *p, rk_descent *at, rk_archive *archive);
void rk_descent_release(rk_solver_problem *p, rk_descent *at, rk_line *line);
/* Loads `count` doubles of a saved state. */
rkhs_status rk_load_vector(rkhs_env *env, rk_archive *archive, const char *name, int64_t count, double *out);

/* ---- code_regression.c: ridge regression from codes to vectors ------------------------------------------------- */

/* Most pairs that a regression is fitted on, and that its width and ridge are chosen on. */
enum { RK_RIDGE_PAIRS = 2000, RK_RIDGE_TRIAL = 400 };

/* C = (K + ridge I)^-1 C, C is n x p; destroys K (n x n). error (or NULL): the sum of squared leave-one-out errors,
 * infinite where K is not positive definite. Without `error` that is a failure. */
rkhs_status rk_ridge_solve(rkhs_env *env, const char *stage, int64_t n, int64_t p, double *K, double ridge, double *C,
                           double *error);
/* Replaces *kernel by an rbf kernel of this width, and computes its Gram on codes; the caller frees *kernel. */
rkhs_status rk_ridge_gram(rkhs_env *env, double width, const rkhs_data *codes, rkhs_kernel **kernel, double *K);
/* Width and ridge of least leave-one-out error for centred X (rows of codes x p). For 2 rows: their distance, 1e-6. */
rkhs_status rk_ridge_choose(rkhs_env *env, const char *stage, const rkhs_data *codes, const double *X, int64_t p, double *width,
                            double *ridge);

#endif
