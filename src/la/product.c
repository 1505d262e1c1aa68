/* product.c: matrix products in double precision, on which everything of level 3 stands, with reproducible sums.
 *
 *     c_ij = alpha s_1 + alpha s_2 + ...,   s_t = fma(a_ik, b_kj, fma(...)) over the k of slice t, in order
 *
 * Up to 24 columns of op(B) are interleaved, one slice at a time (a panel), and read from the caches. The rows of
 * op(A) are read in place, eight at a time. A step of eight rows and three vectors is 24 multiply-adds for 11 loads;
 * two ports execute these, so the limit is 12 cycles with AVX-512. With AVX2 it is four rows, and 6 cycles for a
 * quarter of the work. Slices are DEPTH long. So the bits of an entry depend only on its row
 * and column, and on alpha: not on the tile, its place, the storage, or the instruction set, as long as it has fused
 * multiply-adds.
 *
 * If op(A) has few rows, packing op(B) would be most of the work. It is then read in place, or transposed in
 * registers. */
#include "la/la.h"
#include "la/transpose.h"

#include <string.h>

/* DEPTH: of a slice; MAX_DOWN, MAX_ACROSS: of a strip; IN_PLACE: up to so many rows, panels are not packed if their
 * rows are not further apart than NEAR; NARROW: see find_next. */
enum { DEPTH = 256, MAX_DOWN = 8, MAX_ACROSS = 24, MAX_LANES = 8, VECTORS = 3, FEW = 4 };
enum { IN_PLACE = 64, NEAR = 512, NARROW = 128 };

#define REAL double
#define DOUBLE
#define pack_rows rk_transpose
#if defined(__aarch64__)
#define TYPE f64
#else
#define TYPE pd
#endif
#include "la/product_versions.h"
#include "la/product_loops.h"

void rk_gemm_tile(char ta, char tb, int64_t m, int64_t n, int64_t k, double alpha, const double *A, int64_t lda,
                  const double *B, int64_t ldb, double beta, double *C, int64_t ldc) {
    gemm(version_in_use(), ta, tb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

void rk_syrk_tile(char trans, int64_t n, int64_t k, double alpha, const double *A, int64_t lda, double beta, double *C,
                  int64_t ldc) {
    operand a = {A, trans == 't' ? 1 : lda, trans == 't' ? lda : 1};
    target c = {C, ldc, 1, alpha, scale_target(n, n, k, beta, 1, C, ldc), LOWER};
    multiply(version_in_use(), n, n, k, a, a, &c);
}

void rk_product(int64_t ni, int64_t nj, int64_t p, const double *A, int64_t lda, const double *B, int64_t ldb, int more,
                double *C, int64_t ldc) {
    int half = A == B && lda == ldb && ni == nj;
    target c = {C, ldc, 1, 1, scale_target(ni, nj, p, more, 0, C, ldc), half ? HALF : WHOLE};
    multiply(version_in_use(), ni, nj, p, (operand){A, lda, 1}, (operand){B, ldb, 1}, &c);
    if (half) rk_mirror_tile(C, ldc, 0, ni, 0, nj);
}

/* ---- triangular solves ------------------------------------------------------------------------------------------ */

enum { BLOCK = 256, STEP = 8 }; /* rows of L solved in a panel, and at once */

/* T^-1 X for the panel X (size x width) and T_iq = t[i*rt + q*kt]: STEP rows after the other, each first reduced by
 * those before. `back`: T is upper triangular, and the last rows come first. */
static void solve_panel(const version *s, int64_t size, operand t, int back, double *X, int64_t width) {
    int64_t vectors = width / s->lanes;
    for (int64_t done = 0, rows; done < size; done += rows) {
        rows = rk_min(STEP, size - done);
        int64_t at = back ? size - done - rows : done;
        double *x = X + at * width;
        const double *row = t.at + at * t.row, *inner = row + (back ? at + rows : 0) * t.inner;
        for (int64_t i = 0, down; i < rows && done; i += down) {
            int part = s->down == MAX_DOWN ? 3 : 2;
            while ((1 << part) > rows - i) part--;
            down = 1 << part;
            s->strip[part][vectors - 1](inner + i * t.row, t.row, t.inner, back ? x + rows * width : X, width, done, -1, 1,
                                        x + i * width, width);
        }
        const double *corner = row + at * t.inner;
        if (back) /* the last row of the block is its first */
            s->solve(rows, corner + (rows - 1) * (t.row + t.inner), -t.row, -t.inner, x + (rows - 1) * width, -width, width);
        else
            s->solve(rows, corner, t.row, t.inner, x, width, width);
    }
}

/* X = T^-1 X, T (n x n, n <= BLOCK) as in solve_panel; X (n x m) at x, entry (i, j) at x[i*inner + j*row]. */
static void solve_block(const version *s, int64_t n, int64_t m, operand t, int back, double *at, int64_t row, int64_t inner) {
    _Alignas(64) double panel[BLOCK * MAX_ACROSS];
    for (int64_t j = 0; j < m; j += VECTORS * s->lanes) {
        int64_t across = rk_min(VECTORS * s->lanes, m - j), width = (across + s->lanes - 1) / s->lanes * s->lanes;
        double *x = at + j * row;
        pack(s, (operand){x, row, inner}, across, n, VECTORS * s->lanes, panel);
        solve_panel(s, n, t, back, panel, width);
        if (row == 1)
            for (int64_t k = 0; k < n; k++) memcpy(x + k * inner, panel + k * width, (size_t)across * sizeof *x);
        else
            rk_transpose(n, across, panel, width, x, row);
    }
}

/* By blocks of L: each is first reduced by those before, in one product. */
void rk_trsm_tile(char side, char trans, int64_t m, int64_t n, const double *L, int64_t ldl, double *B, int64_t ldb) {
    const version *s = version_in_use();
    int left = side == 'l', back = left == (trans == 't');
    int64_t size = left ? m : n;
    for (int64_t done = 0, rows; done < size; done += rows) {
        rows = rk_min(BLOCK, size - done);
        int64_t at = back ? size - done - rows : done, from = back ? at + rows : 0;
        /* T = op(L) or its transpose, with the rows `at` of this block and the columns `from` of what is solved */
        operand t = {L + at * (ldl + 1), back ? 1 : ldl, back ? ldl : 1};
        const double *T = L + at * t.row + from * t.inner;
        if (done && left)
            rk_gemm_tile(back ? 't' : 'n', 'n', rows, n, done, -1, T, ldl, B + from * ldb, ldb, 1, B + at * ldb, ldb);
        else if (done)
            rk_gemm_tile('n', back ? 'n' : 't', m, rows, done, -1, B + from, ldb, T, ldl, 1, B + at, ldb);
        if (left)
            solve_block(s, rows, n, t, back, B + at * ldb, 1, ldb);
        else
            solve_block(s, rows, m, t, back, B + at, ldb, 1);
    }
}
