/* eigen_loops.h: the inner loops of the eigensolver; eigen_loops.c includes it once for each instruction set.
 *
 * Macros before: NAME(x), the function x of this set; TARGET, the attribute of its functions; and ADD(c, a, b),
 * c += a b for vectors of RK_LANES doubles, rounded once if the set can. The order of operations is the same in all. */

#define INLINE TARGET static inline __attribute__((always_inline))

/* ---- the reduction to tridiagonal form ------------------------------------------------------------------------- */

/* Rows r .. r+3 of the pass below; `before` columns are left of the diagonal tile. */
INLINE void NAME(pass_rows)(int64_t r, int64_t before, double *restrict S, int64_t ld, const double *restrict u,
                            const double *restrict w, const double *restrict x, double *restrict q) {
    lanes sum[ROWS], minus_u[ROWS], minus_w[ROWS], here[ROWS];
    UNROLLED for (int a = 0; a < ROWS; a++) {
        sum[a] = splat(0.0);
        minus_u[a] = splat(-u[r + a]);
        minus_w[a] = splat(-w[r + a]);
        here[a] = splat(x[r + a]);
    }
    for (int64_t j = 0; j <= before; j += RK_LANES) {
        lanes uj = load(u + j), wj = load(w + j), xj = load(x + j), qj = load(q + j);
        UNROLLED for (int a = 0; a < ROWS; a++) {
            lanes s = load(S + (r + a) * ld + j);
            ADD(s, minus_u[a], wj);
            ADD(s, minus_w[a], uj);
            store(S + (r + a) * ld + j, s);
            ADD(sum[a], s, xj);
            ADD(qj, here[a], s);
        }
        if (j < before) store(q + j, qj);
    }
    UNROLLED for (int a = 0; a < ROWS; a++) q[r + a] += total(sum[a]);
}

TARGET static void NAME(pass)(int64_t m, double *restrict S, int64_t ld, const double *restrict u, const double *restrict w,
                              const double *restrict x, double *restrict q) {
    for (int64_t r = 0; r < m; r += ROWS) NAME(pass_rows)(r, r, S, ld, u, w, x, q);
}

/* ---- reflections of rows --------------------------------------------------------------------------------------- */

/* Applies BLOCK reflections to PAIR rows of X. The sums come first, then the rows change. */
INLINE void NAME(reflect_pair)(int64_t length, const double *restrict U, int64_t ld, const double *tau, const double *gram,
                               double *restrict X) {
    lanes sum[PAIR][RK_BLOCK], minus[PAIR][RK_BLOCK];
    UNROLLED for (int p = 0; p < PAIR; p++) UNROLLED for (int a = 0; a < RK_BLOCK; a++) sum[p][a] = splat(0.0);
    for (int64_t j = 0; j < length; j += RK_LANES) {
        lanes x[PAIR];
        UNROLLED for (int p = 0; p < PAIR; p++) x[p] = load(X + p * ld + j);
        UNROLLED for (int a = 0; a < RK_BLOCK; a++) {
            lanes u = load(U + a * ld + j);
            UNROLLED for (int p = 0; p < PAIR; p++) ADD(sum[p][a], u, x[p]);
        }
    }
    UNROLLED for (int p = 0; p < PAIR; p++) {
        double y[RK_BLOCK];
        UNROLLED for (int a = 0; a < RK_BLOCK; a++) {
            y[a] = total(sum[p][a]);
            UNROLLED for (int b = 0; b < a; b++) y[a] -= gram[a * RK_BLOCK + b] * y[b];
            y[a] *= tau[a];
            minus[p][a] = splat(-y[a]);
        }
    }
    for (int64_t j = 0; j < length; j += RK_LANES) {
        lanes x[PAIR];
        UNROLLED for (int p = 0; p < PAIR; p++) x[p] = load(X + p * ld + j);
        UNROLLED for (int a = 0; a < RK_BLOCK; a++) {
            lanes u = load(U + a * ld + j);
            UNROLLED for (int p = 0; p < PAIR; p++) ADD(x[p], minus[p][a], u);
        }
        UNROLLED for (int p = 0; p < PAIR; p++) store(X + p * ld + j, x[p]);
    }
}

TARGET static void NAME(reflect)(int64_t length, const double *restrict U, int64_t ld, const double *tau, const double *gram,
                                 int64_t count, double *restrict X) {
    for (int64_t r = 0; r < count; r += PAIR) NAME(reflect_pair)(length, U, ld, tau, gram, X + r * ld);
}

/* ---- rotations of rows ----------------------------------------------------------------------------------------- */

INLINE void NAME(load_row)(lanes x[VECTORS], const double *row) {
    UNROLLED for (int v = 0; v < VECTORS; v++) x[v] = load(row + v * RK_LANES);
}
INLINE void NAME(store_row)(double *row, const lanes x[VECTORS]) {
    UNROLLED for (int v = 0; v < VECTORS; v++) store(row + v * RK_LANES, x[v]);
}
INLINE void NAME(copy_row)(lanes to[VECTORS], const lanes from[VECTORS]) {
    UNROLLED for (int v = 0; v < VECTORS; v++) to[v] = from[v];
}
/* Rotates two rows of a strip by three shears. */
INLINE void NAME(rotate)(const double turn[2], lanes y[VECTORS], lanes x[VECTORS]) {
    lanes t = splat(turn[0]), s = splat(turn[1]);
    UNROLLED for (int v = 0; v < VECTORS; v++) ADD(y[v], t, x[v]);
    UNROLLED for (int v = 0; v < VECTORS; v++) ADD(x[v], s, y[v]);
    UNROLLED for (int v = 0; v < VECTORS; v++) ADD(y[v], t, x[v]);
}

TARGET static void NAME(sweep)(int64_t step, int64_t na, const double *restrict ta, int64_t nb, const double *restrict tb,
                               double *restrict row) {
    lanes a[VECTORS], b[VECTORS], x[VECTORS]; /* the rows that the sweeps carry on; the next row */
    int64_t k = 1;
    NAME(load_row)(b, row);
    NAME(load_row)(a, row + step);
    NAME(rotate)(ta, b, a);
    for (; k < na && k <= nb; k++, row += step) {
        NAME(load_row)(x, row + 2 * step);
        NAME(rotate)(ta + 2 * k, a, x);
        NAME(rotate)(tb + 2 * k - 2, b, a);
        NAME(store_row)(row, b);
        NAME(copy_row)(b, a);
        NAME(copy_row)(a, x);
    }
    if (nb == na) {
        NAME(rotate)(tb + 2 * k - 2, b, a);
        NAME(store_row)(row, b);
        NAME(store_row)(row + step, a);
        return;
    }
    NAME(store_row)(row, b);
    for (; k < na; k++) {
        row += step;
        NAME(load_row)(x, row + step);
        NAME(rotate)(ta + 2 * k, a, x);
        NAME(store_row)(row, a);
        NAME(copy_row)(a, x);
    }
    NAME(store_row)(row + step, a);
}

#undef INLINE
#undef NAME
#undef TARGET
#undef ADD
