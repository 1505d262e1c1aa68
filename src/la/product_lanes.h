/* product_lanes.h: the inner loops of products and triangular solves, for one type of numbers and one width of vectors.
 *
 * Included once for each, with these defined: REAL; VECTOR, of LANES numbers; DOWN, the rows of the largest strip;
 * NAME(x); TARGET, the attribute of every function; and ZERO(), LOAD(p), STORE(p, v), SPLAT(x), ADD(a, b), MUL(a, b),
 * DIV(a, b), FUSE(a, b, c) = a b + c, FUSE_MINUS(a, b, c) = c - a b. */

/* A strip of `down` rows and `count` vectors, both constants; see strip_fn in product_loops.h. */
TARGET static inline __attribute__((always_inline)) void NAME(strip)(const int down, const int count, const REAL *a, int64_t ra,
                                                                     int64_t ka, const REAL *b, int64_t kb, int64_t depth,
                                                                     REAL alpha, int more, REAL *out, int64_t ld) {
    VECTOR sum[DOWN][VECTORS], by = SPLAT(alpha);
    const REAL *row[DOWN];
    RK_UNROLL for (int r = 0; r < down; r++) {
        row[r] = a + r * ra;
        RK_UNROLL for (int v = 0; v < count; v++) {
            if (more) __builtin_prefetch(out + r * ld + v * LANES, 1);
            sum[r][v] = ZERO();
        }
    }
    for (int64_t k = 0, at = 0; k < depth; k++, at += ka, b += kb) {
        VECTOR y[VECTORS];
        RK_UNROLL for (int v = 0; v < count; v++) y[v] = LOAD(b + v * LANES);
        RK_UNROLL for (int r = 0; r < down; r++) {
            VECTOR x = SPLAT(row[r][at]);
            RK_UNROLL for (int v = 0; v < count; v++) sum[r][v] = FUSE(x, y[v], sum[r][v]);
        }
    }
    RK_UNROLL for (int r = 0; r < down; r++) RK_UNROLL for (int v = 0; v < count; v++) {
        REAL *here = out + r * ld + v * LANES;
        VECTOR s = MUL(by, sum[r][v]);
        STORE(here, more ? ADD(LOAD(here), s) : s);
    }
}

#define STRIP(down, count)                                                                                                     \
    TARGET static void NAME(strip_##down##_##count)(const REAL *a, int64_t ra, int64_t ka, const REAL *b, int64_t kb,          \
                                                    int64_t depth, REAL alpha, int more, REAL *out, int64_t ld) {              \
        NAME(strip)(down, count, a, ra, ka, b, kb, depth, alpha, more, out, ld);                                               \
    }
STRIP(1, 1)
STRIP(1, 2) STRIP(1, 3) STRIP(2, 1) STRIP(2, 2) STRIP(2, 3) STRIP(4, 1) STRIP(4, 2) STRIP(4, 3)
#if DOWN == 8
    STRIP(8, 1) STRIP(8, 2) STRIP(8, 3)
#define STRIPS_8 {NAME(strip_8_1), NAME(strip_8_2), NAME(strip_8_3)},
#else
#define STRIPS_8
#endif
#undef STRIP

#ifdef TRANSPOSED
    /* `down` rows of A with FEW/down vectors of rows of B, which are transposed in registers; see rows_fn. */
    TARGET static inline
    __attribute__((always_inline)) void NAME(rows)(const int down, const REAL *a, int64_t ra, int64_t ka, const REAL *const *b,
                                                   int64_t depth, REAL alpha, REAL *out) {
    const int count = FEW / down;
    VECTOR sum[FEW], y[LANES], by = SPLAT(alpha);
    int64_t k = 0;
    RK_UNROLL for (int s = 0; s < FEW; s++) sum[s] = ZERO();
    for (; k + LANES <= depth; k += LANES) {
        RK_UNROLL for (int v = 0; v < count; v++) {
            TRANSPOSED(b + v * LANES, k, y);
            RK_UNROLL for (int c = 0; c < LANES; c++) RK_UNROLL for (int r = 0; r < down; r++) sum[r * count + v] =
                FUSE(SPLAT(a[r * ra + (k + c) * ka]), y[c], sum[r * count + v]);
        }
    }
    for (; k < depth; k++) RK_UNROLL for (int v = 0; v < count; v++) {
            REAL column[LANES];
            RK_UNROLL for (int l = 0; l < LANES; l++) column[l] = b[v * LANES + l][k];
            y[0] = LOAD(column);
            RK_UNROLL for (int r = 0; r < down; r++) sum[r * count + v] =
                FUSE(SPLAT(a[r * ra + k * ka]), y[0], sum[r * count + v]);
        }
    RK_UNROLL for (int s = 0; s < FEW; s++) STORE(out + s * LANES, MUL(by, sum[s]));
}
#define ROWS(down)                                                                                                             \
    TARGET static void NAME(rows_##down)(const REAL *a, int64_t ra, int64_t ka, const REAL *const *b, int64_t depth,           \
                                         REAL alpha, REAL *out) {                                                              \
        NAME(rows)(down, a, ra, ka, b, depth, alpha, out);                                                                     \
    }
ROWS(1)
ROWS(2) ROWS(4)
#undef ROWS
#define ROWS_FEW                                                                                                               \
    { NAME(rows_1), NAME(rows_2), NAME(rows_4) }
#else
#define ROWS_FEW                                                                                                               \
    { NULL }
#endif

    /* One entry, with the same sums as in a lane. */
    TARGET static REAL NAME(pair)(int64_t depth, const REAL *a, int64_t ka, const REAL *b, int64_t kb) {
    REAL sum = 0;
    for (int64_t k = 0; k < depth; k++) sum = FUSE_ONE(a[k * ka], b[k * kb], sum);
    return sum;
}

/* Solves T X = X in place for a small lower triangle T_rq = t[r*rt + q*kt]; X has rows `apart` apart, `width` long. */
TARGET static void NAME(solve)(int64_t size, const REAL *t, int64_t rt, int64_t kt, REAL *x, int64_t apart, int64_t width) {
    for (int64_t v = 0; v < width; v += LANES)
        for (int64_t r = 0; r < size; r++) {
            VECTOR s = LOAD(x + r * apart + v);
            for (int64_t q = 0; q < r; q++) s = FUSE_MINUS(SPLAT(t[r * rt + q * kt]), LOAD(x + q * apart + v), s);
            STORE(x + r * apart + v, DIV(s, SPLAT(t[r * (rt + kt)])));
        }
}

static const version NAME(version) = {LANES,
                                      DOWN,
                                      {{NAME(strip_1_1), NAME(strip_1_2), NAME(strip_1_3)},
                                       {NAME(strip_2_1), NAME(strip_2_2), NAME(strip_2_3)},
                                       {NAME(strip_4_1), NAME(strip_4_2), NAME(strip_4_3)},
                                       STRIPS_8},
                                      ROWS_FEW,
                                      NAME(pair),
                                      NAME(solve)};

#undef STRIPS_8
#undef ROWS_FEW
#undef VECTOR
#undef LANES
#undef DOWN
#undef NAME
#undef TARGET
#undef MM
#undef TRANSPOSED
