/* la.h: linear algebra on row-major doubles, dense and sparse: the only folder that calls BLAS and LAPACK.
 *
 * Large operations run over fixed tiles on the thread pool, with BLAS on one thread inside a tile. So no single call
 * runs long, everything can be cancelled, and results do not depend on the number of threads. lda is the distance
 * between two rows of A in memory, and so on; A' is the transpose of A; op(A) is A ('n') or A' ('t'). */
#ifndef RK_LA_H
#define RK_LA_H

#include "base/base.h"
#include "la/instructions.h"

/* Enclose a computation. They set BLAS to one thread, restore its thread count at the last end in the process, and
 * reserve a buffer of BLAS, which LAPACK's eigensolver calls. Pairs may be nested. A begin that fails needs its end
 * too. */
rkhs_status rk_blas_begin(rkhs_env *env);
void rk_blas_end(rkhs_env *env);
/* Enclose each call of LAPACK; fork() waits until none is running. */
void rk_blas_enter(void);
void rk_blas_leave(void);

/* ---- one tile, on the calling thread --------------------------------------------------------------------------- */

/* C (m x n) = alpha op(A) op(B) + beta C; ta, tb: 'n' or 't'. */
void rk_gemm_tile(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                  const double *B, int64_t ldb, double beta, double *C, int64_t ldc);
/* The same in single precision. */
void rk_gemm_single(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *A, int64_t lda, const float *B,
                    int64_t ldb, float beta, float *C, int64_t ldc);
/* C (n x n) = alpha op(A) op(A)' + beta C, lower triangle only; op(A) is n x k. */
void rk_syrk_tile(char trans, int64_t n, int64_t k, double alpha, const double *A, int64_t lda, double beta, double *C,
                  int64_t ldc);
/* B (m x n) = B op(L)^-1 (side 'r') or op(L)^-1 B (side 'l'); L is lower triangular. */
void rk_trsm_tile(char side, char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb);
/* x = op(L)^-1 x; L (n x n) is lower triangular. */
void rk_solve_vector(char trans, int64_t n, const double *L, int64_t ldl, double *x);
/* A = L L' (Cholesky) for one tile, in its lower triangle; the upper one is not touched. Returns the row where A is
 * not positive definite, or -1. */
int64_t rk_cholesky_tile(int64_t n, double *A, int64_t lda);
/* For the Schur complement S = B - Y'Y = L L': returns log det S, or NaN if S is not positive definite; g becomes L^-1
 * g. B (n x n) has both triangles; Y is r x n; S is workspace for n x n numbers. */
double rk_schur_log_det(int64_t n, int64_t r, const double *Y, int64_t ldy, const double *B, double *S, double *g);
double rk_dot(int64_t n, const double *x, const double *y);
double rk_norm(int64_t n, const double *x);
/* Whether a sum of squares neither overflowed nor lost digits; and else the power of two by which x is scaled before it
 * is squared, or minus the norm of x where that is 0, infinite or NaN. */
int rk_squares_hold(double squares);
double rk_norm_scale(int64_t n, const double *x);

/* wide[j] = x[j]; exact. */
void rk_widen(int64_t n, const float *x, double *wide);
/* x[j] = exp(x[j]), with an error of about 1 ulp; exactly 0 below -708. */
void rk_exp(int64_t n, double *x);
/* out[2j] = scale cos(x[j]), out[2j + 1] = scale sin(x[j]), with an error of about 1 ulp of scale for |x| < 1e9. */
void rk_cos_sin(int64_t n, double scale, const double *x, double *out);
/* x[j] = tanh(x[j]), and log(1 + x[j]) for 0 <= x[j] <= 1e300, with errors of a few ulp. */
void rk_tanh(int64_t n, double *x);
void rk_log1p(int64_t n, double *x);
/* The angle in [0, pi] whose cosine is 1 - below[j] = above[j] - 1, from the smaller of the two; error below 6e-16. */
void rk_angles(int64_t n, const double *below, const double *above, double *angle);
/* x[j] = (scale x[j] + shift)^power, power > 0. */
void rk_powers(int64_t n, double scale, double shift, int64_t power, double *x);
/* x[j] = a b[j] x[j], clipped to [-1, 1]. */
void rk_cosines(int64_t n, double a, const double *b, double *x);
/* d[j] = max(0, a + b[j] - 2 d[j]): squared distances from inner products d and squared norms a, b. Returns how many
 * are at most limit * (a + b[j]): these have lost digits to cancellation. */
int64_t rk_squared_distances(int64_t n, double a, const double *b, double limit, double *d);
/* d[j] = d[j] / (a + b[j] - d[j]), at most 1, and 1 for 0/0: intersection over union. */
void rk_jaccard(int64_t n, double a, const double *b, double *d);
/* C (ni x nj) = A B', or C += A B' if `more`; A is ni x p, B is nj x p. If A and B are the same array, half of the
 * work is saved. The bits of an entry depend only on its two rows, in either order. */
void rk_product(int64_t ni, int64_t nj, int64_t p, const double *A, int64_t lda, const double *B, int64_t ldb, int more,
                double *C, int64_t ldc);
/* out[i*ld + j] = the number of bits that row i of a and row j of b share; rows have `words` words and are lda and ldb
 * apart. level: 0 plain C, 1 AVX2, 2 AVX-512; rk_bits_best is the highest for this machine. */
int rk_bits_best(void);
void rk_bits_tile(int level, int64_t ni, int64_t nj, int64_t words, const uint64_t *a, int64_t lda, const uint64_t *b,
                  int64_t ldb, double *out, int64_t ld);
int64_t rk_bits_count(int64_t words, const uint64_t *a);

/* out[j] += sum over c < count of a term of x = a[c] and y = b[c*ldb + j]: (x - y)^2, |x - y|, min(x, y). */
typedef void rk_pairs_fn(int64_t n, int64_t count, const double *a, const double *b, int64_t ldb, double *out);
rk_pairs_fn rk_add_squares, rk_add_absolutes, rk_add_minima;
/* The same for (x - y)^2/(x + y), x, y >= 0, 0/0 = 0. rk_add_ratios: both 0 or in [RK_RATIO_MIN, 1/RK_RATIO_MIN]. */
rk_pairs_fn rk_add_ratios, rk_add_ratios_wide;
#define RK_RATIO_MIN 1e-35
double rk_sum(int64_t n, const double *x);
/* force[c] += sum_j w[j] (a[c] - b[c][j]), and counter_force[c][j] -= w[j] (a[c] - b[c][j]); columns of b and
 * counter_force are ldb apart. */
void rk_add_forces(int64_t n, int64_t d, const double *a, const double *b, int64_t ldb, const double *w, double *force,
                   double *counter_force);
/* sum_j w[j] (a - b[j]) */
double rk_weighted_difference(int64_t n, const double *w, double a, const double *b);
/* |s x - t y|^2 of n numbers; floats give the bits of the same numbers as doubles. */
double rk_scaled_square(int64_t n, double s, const double *x, double t, const double *y);
double rk_scaled_square_float(int64_t n, double s, const float *x, double t, const double *y);
double rk_scaled_square_floats(int64_t n, double s, const float *x, double t, const float *y);

/* Inserts item j with value v into a list of the max_count largest, sorted in descending order; among equal values the
 * first one stays before. Returns the new count. */
static inline int64_t rk_top_offer(double *value, int64_t *index, int64_t count, int64_t max_count, int64_t j, double v) {
    if (count == max_count && !(v > value[max_count - 1])) return count;
    int64_t at = count < max_count ? count : max_count - 1;
    for (; at > 0 && v > value[at - 1]; at--) value[at] = value[at - 1], index[at] = index[at - 1];
    value[at] = v;
    index[at] = j;
    return count < max_count ? count + 1 : max_count;
}

/* Whether object i with value v comes before object j with value w: the larger value does, of equal values the smaller
 * index. NaN comes before nothing. */
static inline int rk_precedes(double v, int64_t i, double w, int64_t j) { return (v > w) | ((v == w) & (i < j)); }
/* Moves the first k of n objects to the front, 0 < k <= n, the last of these to position k - 1; sorts n of them. No
 * value is NaN, and no index occurs twice. */
void rk_keep_first(double *value, int64_t *index, int64_t n, int64_t k);
void rk_sort_ranked(double *value, int64_t *index, int64_t n);

/* Which of n numbers reach a bound. Bit j % 64 of mine[j / 64]: whether x[j] - less[j] >= least; of theirs[j / 64]:
 * whether x[j] - own >= bounds[j]. NaN does not, and bits past n are 0. bounds NULL: `theirs` is not written. */
void rk_reaching(int64_t n, const double *x, const double *less, double least, double own, const double *bounds, uint64_t *mine,
                 uint64_t *theirs);

/* The row i and column j <= i of a tile, from its number in the lower triangle, counted row by row. */
void rk_triangle_position(int64_t tile, int64_t *i, int64_t *j);
/* B (nj x ni) = A', for a tile A (ni x nj). */
void rk_transpose(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb);
/* Writes a tile A to rows i0 .., columns j0 .. of a symmetric C, and A' to the mirrored position unless i0 = j0.
 * `bypass`: the stores bypass the caches, for a C that is larger than these. */
void rk_store_tile(int64_t ni, int64_t nj, const double *A, int64_t lda, double *C, int64_t ldc, int64_t i0, int64_t j0,
                   int bypass);
/* Copies the entries of a tile that are strictly below the diagonal to their mirrored positions. */
void rk_mirror_tile(double *C, int64_t ldc, int64_t i0, int64_t ni, int64_t j0, int64_t nj);

/* ---- sums over rows ---------------------------------------------------------------------------------------------- */

/* A sum over rows (objects) is added in one order, which also holds when rows are spread over machines: row by row
 * inside a tile of RK_SUM_ROWS rows, and tile sums by the tree of row_sums.c over tile numbers. */
enum { RK_SUM_ROWS = 1024, RK_TREE_LEVELS = 54 }; /* levels: enough for any int64_t of rows */

static inline int64_t rk_sum_tiles(int64_t n) { return n / RK_SUM_ROWS + (n % RK_SUM_ROWS > 0); }

/* The tree, on blocks of `width` numbers. levels (rk_tree_levels(count) x width) belongs to the caller and need not be
 * set. rk_tree_push adds tile number `index` = 0, 1, .., count - 1, whose sums are in `tile`; rk_tree_fold then writes
 * the sums over `count` tiles, and leaves `levels` as it is. */
int64_t rk_tree_levels(int64_t count);
void rk_tree_push(int64_t index, int64_t width, double *levels, const double *tile);
void rk_tree_fold(int64_t count, int64_t width, const double *levels, double *out);
/* The sum of values[0], values[stride], .., each of them the sum of a tile. */
double rk_tree_sum(int64_t count, int64_t stride, const double *values);
/* The same for the tiles of a lower triangle, numbered as in rk_triangle_position: each row of tiles by a tree, then
 * the sums of the `rows` rows. */
double rk_triangle_sum(int64_t rows, int64_t stride, const double *values);

/* For loops: rk_row_sum s = {0}; for each row rk_add_row(&s, value); then rk_row_total(&s). */
typedef struct rk_row_sum {
    int64_t count; /* rows so far */
    double tile;   /* the sum of those of the last tile */
    double levels[RK_TREE_LEVELS];
} rk_row_sum;

void rk_push_row_tile(rk_row_sum *s);
double rk_row_total(const rk_row_sum *s);

static inline void rk_add_row(rk_row_sum *s, double value) {
    s->tile += value;
    if (++s->count % RK_SUM_ROWS == 0) rk_push_row_tile(s);
}

/* The same for `width` sums at once: for each of n rows numbers are added to s.tile, then rk_next_row(&s) is called;
 * rk_block_total then writes the sums. On the scratch list. */
typedef struct rk_block_sum {
    int64_t width, count;
    double *tile, *levels;
} rk_block_sum;

rkhs_status rk_block_sum_new(rkhs_env *env, int64_t n, int64_t width, rk_block_sum *s);
void rk_push_block_tile(rk_block_sum *s);
void rk_block_total(rk_block_sum *s, double *out);

static inline void rk_next_row(rk_block_sum *s) {
    if (++s->count % RK_SUM_ROWS == 0) rk_push_block_tile(s);
}

/* The sum of x[0], x[stride], .., n numbers: the bits of rk_row_sum. */
double rk_rows_sum(int64_t n, int64_t stride, const double *x);
/* The sum of x_ic y_ic over n rows of d numbers without gaps, and the root of the sum of x_ic^2. */
double rk_rows_dot(int64_t n, int64_t d, const double *x, const double *y);
double rk_rows_norm(int64_t n, int64_t d, const double *x);
/* Sums and means of the columns of X (n x d), and the inner products of the columns of X with those of Y. */
void rk_column_sums(int64_t n, int64_t d, const double *X, int64_t ld, double *sums);
void rk_column_means(int64_t n, int64_t d, const double *X, int64_t ld, double *means);
void rk_column_dots(int64_t n, int64_t d, const double *X, int64_t ldx, const double *Y, int64_t ldy, double *dots);
/* The mean of column c of Z (n x d); rk_centre_column also subtracts it. */
double rk_column_mean(int64_t n, int64_t d, int64_t c, const double *Z);
double rk_centre_column(int64_t n, int64_t d, int64_t c, double *Z);

/* ---- any size, by tiles ---------------------------------------------------------------------------------------- */

rkhs_status rk_gemm(rkhs_env *env, const char *stage, char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha,
                    const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc);
/* out (n x k) = K V for a symmetric K and small k. Reads the lower triangle of K, and the upper in diagonal tiles. */
rkhs_status rk_symm(rkhs_env *env, int64_t n, const double *K, int64_t ldk, int64_t k, const double *V, double *out);
/* The first entry a_ij below the diagonal (by row, then column) with |a_ij - a_ji| > tolerance * max(|a_ij|, |a_ji|,
 * sqrt |a_ii a_jj|); at[0] = -1: none. a_ij is row[i][index[j]], and row[i][j] if index is NULL. */
rkhs_status rk_find_asymmetry(rkhs_env *env, int64_t n, const double *const *row, const int64_t *index, double tolerance,
                              int64_t at[2]);
/* C (m x m) = A'A, or A'diag(w)A if weights are given, A is n x m; both triangles, exactly symmetric. */
rkhs_status rk_syrk(rkhs_env *env, const char *stage, int64_t n, int64_t m, const double *A, int64_t lda, const double *weight,
                    double *C, int64_t ldc);
/* C (r x k) = A'B, A is n x r and B is n x k. Both add over rows in the order of row_sums.c. */
rkhs_status rk_tall_product(rkhs_env *env, int64_t n, int64_t r, int64_t k, const double *A, int64_t lda, const double *B,
                            int64_t ldb, double *C, int64_t ldc);
/* Cholesky factor A = L L', in place of the lower triangle. Values above the diagonal are not used; those in the tiles
 * on the diagonal are overwritten. *bad: the first row where A is not positive definite, or -1. */
rkhs_status rk_cholesky(rkhs_env *env, const char *stage, int64_t n, double *A, int64_t lda, int64_t *bad);
/* Pivoted Cholesky: K ~ Phi Phi' for a positive semi-definite K (n x n, both triangles); Phi is n x rank, rows n
 * apart. Row pivots[a] of Phi ends at column a. No diagonal entry of K - Phi Phi' exceeds tol times the largest of
 * K. */
rkhs_status rk_pivoted_cholesky(rkhs_env *env, const char *stage, int64_t n, const double *K, int64_t ld, double tol,
                                double *Phi, int64_t *pivots, int64_t *rank);
/* The same for a matrix that is not stored: entries() gives out[q] = K[i, index[q]]. Phi has at most max_rank columns,
 * rows max_rank apart; *rest is the largest diagonal entry of K - Phi Phi'. */
typedef void rk_entries_fn(const void *context, int64_t i, const int64_t *index, int64_t count, double *out);
rkhs_status rk_pivoted_factor(rkhs_env *env, const char *stage, int64_t n, rk_entries_fn *entries, const void *context,
                              double tol, int64_t max_rank, double *Phi, int64_t *pivots, int64_t *rank, double *rest);
/* The same for a small matrix, in place, while the pivot exceeds min_pivot. order lists the rows of the pivots, then
 * the others. Column a of the factor is column order[a] of A; the other rows' diagonal holds that of K - Phi Phi'. */
rkhs_status rk_pivoted_tile(rkhs_env *env, const char *stage, int64_t n, double *A, int64_t lda, double min_pivot,
                            int64_t *order, int64_t *rank);
/* For a factorisation that overwrites the lower triangle of a symmetric matrix. rk_save_diagonal_tiles saves the
 * diagonal tiles on the scratch list; rk_restore_symmetric restores them, and what is below from the upper triangle. */
rkhs_status rk_save_diagonal_tiles(rkhs_env *env, int64_t n, const double *A, int64_t lda, double **kept);
void rk_restore_symmetric(int64_t n, double *A, int64_t lda, const double *kept);
/* B (m x n) = B L^-T. */
rkhs_status rk_trsm_right(rkhs_env *env, const char *stage, int64_t m, int64_t n, const double *L, int64_t ldl, double *B,
                          int64_t ldb);
/* X (n x k) = (L L')^-1 X. */
rkhs_status rk_cholesky_solve(rkhs_env *env, int64_t n, int64_t k, const double *L, int64_t ldl, double *X, int64_t ldx);

/* The tile size of the inverses below, and half of that of rk_gemm_lower: smaller for small n. */
int64_t rk_triangular_tile(int64_t n);
/* C (m x n) = A B, where B (k x n) is 0 above its diagonal: whole tiles there are not read. */
rkhs_status rk_gemm_lower(rkhs_env *env, int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                          int64_t ldb, double *C, int64_t ldc);
/* J (n x n, rows n apart) = L^-1. Only tiles on and below the diagonal are written, the former with zeros above it. */
rkhs_status rk_triangle_inverse(rkhs_env *env, int64_t n, const double *L, int64_t ldl, double *J);
/* A holds the Cholesky factor L of a matrix L L' and becomes its inverse, both triangles; J (n x n) becomes L^-1. */
rkhs_status rk_cholesky_inverse(rkhs_env *env, int64_t n, double *A, double *J);

/* ---- sparse square matrices by rows (CSR), on the scratch list ------------------------------------------------- */

typedef struct rk_csr {
    int64_t n;
    int64_t *starts, *to; /* starts: n + 1; to: columns, ascending in each row */
    double *weight;
} rk_csr;

rkhs_status rk_csr_alloc(rkhs_env *env, int64_t n, int64_t count, rk_csr *out);
/* Makes a matrix from k (column, value) pairs a row, in any order; values of 0 are left out. */
rkhs_status rk_csr_from_lists(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, rk_csr *out);
rkhs_status rk_csr_transpose(rkhs_env *env, const rk_csr *a, rk_csr *out);
/* out = (a + b)/2 */
rkhs_status rk_csr_mean(rkhs_env *env, const rk_csr *a, const rk_csr *b, rk_csr *out);
/* out = a V, n x k */
rkhs_status rk_csr_apply(rkhs_env *env, const rk_csr *a, const double *V, int64_t k, double *out);

/* Eigenpairs first .. last (0 is the smallest) of a symmetric matrix, for small n. A is destroyed; w is ascending; the
 * vectors are the ROWS of V, (last-first+1) x n. Up to n = 512 by our own code (eigen.c): the bits do not depend on the
 * BLAS that is installed, and it can be cancelled. Above by one call of LAPACK, n is at most 30000 there. */
rkhs_status rk_eigen(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w, double *V);

#endif
