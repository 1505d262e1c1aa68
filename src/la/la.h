/* la.h: linear algebra on row-major doubles. The only folder that calls BLAS and LAPACK.
 *
 * Everything large goes by fixed tiles on the pool, with BLAS on one thread inside a tile: no single call runs long, so that
 * all can be cancelled, and the bits do not depend on the number of threads. */
#ifndef RK_LA_H
#define RK_LA_H

#include "base/base.h"

/* Around a computation: BLAS on one thread, its count as it was after the last end in this process, and a buffer for each
 * of the env's workers, which are fewer where memory is short. Calls stand within each other; one that fails needs its end
 * too. */
rkhs_status rk_blas_begin(rkhs_env *env);
void rk_blas_end(rkhs_env *env);
/* Around each call of BLAS or LAPACK, which fork() waits for. */
void rk_blas_enter(void);
void rk_blas_leave(void);

/* For loops that gain from wide vectors: compiled for several instruction sets, one chosen when the program starts. Sanitizers
 * cannot run before that choice. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                       \
    !defined(__SANITIZE_THREAD__)
#define RK_HAS_CLONES 1
#define RK_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define RK_CLONES
#endif

/* ---- one tile, on the calling thread ------------------------------------------------------------------------------- */

/* C (m x n) = alpha op(A) op(B) + beta C; ta, tb: 'n' or 't'. */
void rk_gemm_tile(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                  const double *B, int64_t ldb, double beta, double *C, int64_t ldc);
/* The same in single precision, C = A B'. */
void rk_gemm_single(int64_t m, int64_t n, int64_t k, const float *A, int64_t lda, const float *B, int64_t ldb, float *C,
                    int64_t ldc);
/* The lower triangle of C (n x n) = A A' + beta C, A is n x k. */
void rk_syrk_tile(int64_t n, int64_t k, const double *A, int64_t lda, double beta, double *C, int64_t ldc);
/* The lower triangle of C (n x n) = C - A'A, A is k x n; and C - A A', A is n x k. */
void rk_syrk_down(int64_t n, int64_t k, const double *A, int64_t lda, double *C, int64_t ldc);
void rk_syrk_less(int64_t n, int64_t k, const double *A, int64_t lda, double *C, int64_t ldc);
/* B (m x n) = B op(L)^-1 (side 'r') or op(L)^-1 B (side 'l'), L lower triangular. */
void rk_trsm_tile(char side, char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb);
/* x = op(L)^-1 x, L lower triangular, n x n. */
void rk_solve_vector(char trans, int64_t n, const double *L, int64_t ldl, double *x);
/* A = L L' of one tile, in its lower triangle; the row where it stops, or -1. The upper one is neither read nor written. */
int64_t rk_cholesky_tile(int64_t n, double *A, int64_t lda);
/* log det S of S = B - Y'Y (n x n), Y is r x n, or NaN when S is not positive definite; g becomes L^-1 g with S = L L'. B has
 * both triangles; S: room for n x n. */
double rk_schur(int64_t n, int64_t r, const double *Y, int64_t ldy, const double *B, double *S, double *g);
double rk_dot(int64_t n, const double *x, const double *y);
double rk_norm(int64_t n, const double *x);
/* The mean of column c of Z (n x d); takes it off, and returns it. */
double rk_column_mean(int64_t n, int64_t d, int64_t c, const double *Z);
double rk_centre_column(int64_t n, int64_t d, int64_t c, double *Z);

/* x[j] = exp(x[j]), within an ulp or so; below -708 exactly 0. */
void rk_exp(int64_t n, double *x);
/* x[j] = tanh(x[j]), and log(1 + x[j]) for 0 <= x[j] <= 1e300, within a few units of the last place. */
void rk_tanh(int64_t n, double *x);
void rk_log1p(int64_t n, double *x);
/* The angle in [0, pi] whose cosine is 1 - below[j] = above[j] - 1, within 6e-16 of the one that the smaller of the two says.
 */
void rk_angles(int64_t n, const double *below, const double *above, double *angle);
/* x[j] = (scale x[j] + shift)^power, power > 0. */
void rk_powers(int64_t n, double scale, double shift, int64_t power, double *x);
/* x[j] = a b[j] x[j], cut to [-1, 1]. */
void rk_cosines(int64_t n, double a, const double *b, double *x);
/* d[j] = a + b[j] - 2 d[j], squared distances from products; returns how many are below limit * (a + b[j]). */
int64_t rk_distances(int64_t n, double a, const double *b, double limit, double *d);
/* d[j] = d[j] / (a + b[j] - d[j]), at most 1, and 1 for 0/0: intersections over unions. */
void rk_unions(int64_t n, double a, const double *b, double *d);
/* C (ni x nj) = A B', with `more` added to what stands there; A is ni x p, B is nj x p. A given twice: half of the work.
 * `level`: 0 BLAS, 1 AVX2, 2 AVX-512, rk_product_best is the highest that this machine can run. From 1 on an entry's bits
 * depend on its two rows alone, in either order. */
int rk_product_best(void);
void rk_product(int level, int64_t ni, int64_t nj, int64_t p, const double *A, int64_t lda, const double *B, int64_t ldb,
                int more, double *C, int64_t ldc);
/* out[i*ld + j] = the bits that row i of a and row j of b share; a row has `words` words, rows are lda and ldb apart. `level`:
 * 0 plain C, 1 AVX2, 2 AVX-512; rk_bits_best is the highest that this machine can run. */
int rk_bits_best(void);
void rk_bits_tile(int level, int64_t ni, int64_t nj, int64_t words, const uint64_t *a, int64_t lda, const uint64_t *b,
                  int64_t ldb, double *out, int64_t ld);
int64_t rk_bits_count(int64_t words, const uint64_t *a);

/* out[j] += sum over c < count of a term of a[c] and b[c][j], which is at b + c * ldb + j: (x - y)^2, |x - y|, min(x, y). */
typedef void rk_pairs_fn(int64_t n, int64_t count, const double *a, const double *b, int64_t ldb, double *out);
rk_pairs_fn rk_add_squares, rk_add_absolutes, rk_add_minima;
/* (x - y)^2/(x + y), 0/0 = 0, x and y >= 0; the first for numbers that are 0 or within RK_NARROW and 1/RK_NARROW. */
rk_pairs_fn rk_add_ratios, rk_add_ratios_wide;
#define RK_NARROW 1e-35
/* The sum of n numbers. */
double rk_sum(int64_t n, const double *x);
/* pull[c] += sum_j w[j] (a[c] - b[c][j]), and the same taken off back[c][j] one by one; b and back: columns ldb apart. */
void rk_add_forces(int64_t n, int64_t d, const double *a, const double *b, int64_t ldb, const double *w, double *pull,
                   double *back);
/* sum_j w[j] (a - b[j]) */
double rk_weighted_difference(int64_t n, const double *w, double a, const double *b);
/* |s x - t y|^2 of n numbers. */
double rk_scaled_square(int64_t n, double s, const double *x, double t, const double *y);

/* Offers item j with value v to a list of `count` items, at most max_count, largest first; an equal value that came earlier
 * stays before. Returns the new count. */
static inline int64_t rk_top_offer(double *value, int64_t *index, int64_t count, int64_t max_count, int64_t j, double v) {
    if (count == max_count && !(v > value[max_count - 1])) return count;
    int64_t at = count < max_count ? count : max_count - 1;
    for (; at > 0 && v > value[at - 1]; at--) value[at] = value[at - 1], index[at] = index[at - 1];
    value[at] = v;
    index[at] = j;
    return count < max_count ? count + 1 : max_count;
}

/* Tile (i, j), j <= i, from its place in the lower triangle, row by row. */
void rk_triangle(int64_t tile, int64_t *i, int64_t *j);
/* B (nj x ni) = A' for a tile A (ni x nj). */
void rk_transpose(int64_t ni, int64_t nj, const double *A, int64_t lda, double *B, int64_t ldb);
/* Writes a tile A to rows i0 .., columns j0 .. of C, and its mirror image unless i0 = j0; `past`: past the caches, for a large
 * C. */
void rk_store_tile(int64_t ni, int64_t nj, const double *A, int64_t lda, double *C, int64_t ldc, int64_t i0, int64_t j0,
                   int past);
/* Copies what is strictly below the diagonal in a tile to its mirror image. */
void rk_mirror(double *C, int64_t ldc, int64_t i0, int64_t ni, int64_t j0, int64_t nj);

/* ---- any size, by tiles -------------------------------------------------------------------------------------------- */

rkhs_status rk_gemm(rkhs_env *env, const char *stage, char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha,
                    const double *A, int64_t lda, const double *B, int64_t ldb, double beta, double *C, int64_t ldc);
/* out (n x k) = K V for a symmetric K of which the lower triangle is read (and the tiles on the diagonal
 * whole); for small k. */
rkhs_status rk_symm(rkhs_env *env, int64_t n, const double *K, int64_t ldk, int64_t k, const double *V, double *out);
/* The first place below the diagonal (by row, then column) where a matrix differs from its mirror image by more than
 * `tolerance` times the larger of the two and of the root of their diagonal entries; at[0] = -1: there is none. Entry (i, j) is
 * row[i][index[j]]; index NULL: row[i][j]. */
rkhs_status rk_asymmetry(rkhs_env *env, int64_t n, const double *const *row, const int64_t *index, double tolerance,
                         int64_t at[2]);
/* C (m x m) = A'A + beta C, A is n x m; both triangles, symmetric to the bit. */
rkhs_status rk_syrk(rkhs_env *env, const char *stage, int64_t n, int64_t m, const double *A, int64_t lda, double beta,
                    double *C, int64_t ldc);
/* C (r x k) = A'B over many rows, A is n x r, B is n x k, both narrow: sums over fixed parts of the rows, added in order. */
rkhs_status rk_tall_product(rkhs_env *env, int64_t n, int64_t r, int64_t k, const double *A, int64_t lda, const double *B,
                            int64_t ldb, double *C, int64_t ldc);
/* A = L L', in the lower triangle; the upper one is not read, and changes in the tiles on the diagonal alone.
 * *bad: the first row where A is not positive definite, or -1. */
rkhs_status rk_cholesky(rkhs_env *env, const char *stage, int64_t n, double *A, int64_t lda, int64_t *bad);
/* K ~ Phi Phi' for a positive semi-definite K (n x n, both triangles): Phi is n x rank, rows n apart. Row pivots[a] of Phi ends
 * at its column a. What is left of the diagonal is below tol of its largest entry. */
rkhs_status rk_pivoted_cholesky(rkhs_env *env, const char *stage, int64_t n, const double *K, int64_t ld, double tol,
                                double *Phi, int64_t *pivots, int64_t *rank);
/* The same of a matrix that is not stored: out[q] = K[i, index[q]]. Phi has at most max_rank columns, rows that far apart; what
 * is left of the diagonal is at most *rest. */
typedef void rk_entries_fn(const void *context, int64_t i, const int64_t *index, int64_t count, double *out);
rkhs_status rk_pivoted_factor(rkhs_env *env, const char *stage, int64_t n, rk_entries_fn *entries, const void *context,
                              double tol, int64_t max_rank, double *Phi, int64_t *pivots, int64_t *rank, double *rest);
/* The same of a small matrix, column by column and in place, while a pivot is above min_pivot: order[a] is the row of pivot a,
 * then come the other rows; column a of the factor is column order[a] of A, and what is left is on the other rows' diagonal. */
rkhs_status rk_pivoted_tile(rkhs_env *env, const char *stage, int64_t n, double *A, int64_t lda, double min_pivot,
                            int64_t *order, int64_t *rank);
/* A factorisation may be made in place of a symmetric matrix that is stored whole: the tiles on its diagonal are kept first, on
 * the scratch list, and what is below them comes back from its mirror image. */
rkhs_status rk_keep_tiles(rkhs_env *env, int64_t n, const double *A, int64_t lda, double **kept);
void rk_put_back(int64_t n, double *A, int64_t lda, const double *kept);
/* B (m x n) = B L^-T. */
rkhs_status rk_trsm_right(rkhs_env *env, const char *stage, int64_t m, int64_t n, const double *L, int64_t ldl, double *B,
                          int64_t ldb);
/* X (n x k) = (L L')^-1 X. */
rkhs_status rk_cholesky_solve(rkhs_env *env, int64_t n, int64_t k, const double *L, int64_t ldl, double *X, int64_t ldx);

/* The tile of the three below: small where n is. */
int64_t rk_tile_for(int64_t n);
/* C (m x n) = A B, B (k x n) 0 above its diagonal: whole tiles there are not looked at. */
rkhs_status rk_gemm_lower(rkhs_env *env, int64_t m, int64_t n, int64_t k, const double *A, int64_t lda, const double *B,
                          int64_t ldb, double *C, int64_t ldc);
/* J (n x n, rows n apart) = L^-1, in tiles on and below the diagonal, those with zeros above it; the others are left alone. */
rkhs_status rk_triangle_inverse(rkhs_env *env, int64_t n, const double *L, int64_t ldl, double *J);
/* A^-1 in place of A's Cholesky factor, n x n, both triangles; J receives that of the factor. */
rkhs_status rk_cholesky_inverse(rkhs_env *env, int64_t n, double *A, double *J);

/* ---- sparse square matrices by rows, on the scratch list ------------------------------------------------------------ */

typedef struct rk_csr {
    int64_t n;
    int64_t *starts, *to; /* n + 1; columns ascending in each row */
    double *weight;
} rk_csr;

rkhs_status rk_csr_room(rkhs_env *env, int64_t n, int64_t count, rk_csr *out);
/* From k columns a row, in any order; values of 0 are left out. */
rkhs_status rk_csr_lists(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, rk_csr *out);
rkhs_status rk_csr_transpose(rkhs_env *env, const rk_csr *a, rk_csr *out);
/* (a + b)/2 */
rkhs_status rk_csr_mean(rkhs_env *env, const rk_csr *a, const rk_csr *b, rk_csr *out);
/* out = a V, n x k */
rkhs_status rk_csr_apply(rkhs_env *env, const rk_csr *a, const double *V, int64_t k, double *out);

/* Eigenpairs first .. last (0 is the smallest) of a symmetric matrix, in one LAPACK call: for small n. A is destroyed; w
 * ascending; vectors are the ROWS of V, (last-first+1) x n. */
rkhs_status rk_eigen(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w, double *V);

#endif
