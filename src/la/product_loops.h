/* product_loops.h: the loops of a product around its strips, for one type of numbers.
 *
 * Included by product.c and product_single.c after product_versions.h, with pack_rows defined. */

/* op(A), or the transpose of op(B): entry (i, k) is at[i*row + k*inner]; row or inner is 1. */
typedef struct operand {
    const REAL *at;
    int64_t row, inner;
} operand;

/* Which entries of C are computed: all; the lower triangle alone; or all, of which those above the diagonal may be
 * wrong. */
enum { WHOLE, LOWER, HALF };

/* C[i*down + j*across] = more C + alpha sum_k a_ik b_jk; down or across is 1. */
typedef struct target {
    REAL *at;
    int64_t down, across;
    REAL alpha;
    int more, part;
} target;

/* Interleaves `depth` numbers of `count` rows of b in panels of `step` rows, the last padded with 0 to whole vectors:
 * panel[k*width + j] = b_jk. */
static void pack(const version *s, operand b, int64_t count, int64_t depth, int64_t step, REAL *panel) {
    enum { FOUR = 4 };
    for (int64_t j0 = 0; j0 < count; j0 += step, panel += depth * step) {
        int64_t across = rk_min(step, count - j0), width = (across + s->lanes - 1) / s->lanes * s->lanes;
        const REAL *from = b.at + j0 * b.row;
        if (across < width) memset(panel, 0, (size_t)(depth * width) * sizeof *panel);
        if (b.inner == 1 && b.row != 1)
            pack_rows(across, depth, from, b.row, panel, width);
        else
            for (int64_t k = 0; k < depth; k++, from += b.inner) {
                REAL *to = panel + k * width;
                int64_t j = 0;
                for (; j + FOUR <= across; j += FOUR) memcpy(to + j, from + j, FOUR * sizeof *to);
                for (; j < across; j++) to[j] = from[j];
            }
    }
}

/* Stores part of a strip of sums at (i, j) of C. */
static void store_part(const target *c, int64_t i, int64_t j, int64_t down, int64_t across, int more, const REAL *sums,
                       int64_t ld) {
    for (int64_t r = 0; r < down; r++) {
        int64_t end = c->part == LOWER ? rk_min(across, i + r - j + 1) : across;
        for (int64_t l = 0; l < end; l++) {
            REAL *to = c->at + (i + r) * c->down + (j + l) * c->across, v = sums[r * ld + l];
            *to = more ? *to + v : v;
        }
    }
}

/* The number of rows of the next strip if `left` are left, as the exponent of a power of two. */
static int strip_size(const version *s, int64_t left) {
    int size = s->down == MAX_DOWN ? 3 : 2;
    while ((1 << size) > left) size--;
    return size;
}

/* What the next slice of a tall product will read, rows of a and b. Strips of this slice fetch some of them each: rows
 * of narrow blocks are loads that the processor does not foresee. */
typedef struct next_slice {
    operand a, b;
    int64_t m, n, rows;    /* numbers in a row of a and of b, and rows */
    int64_t step, fetched; /* rows that are fetched at a time (0: nothing is), and that were */
} next_slice;

static next_slice find_next(const version *s, int64_t m, int64_t n, int64_t rows, operand a, operand b) {
    next_slice next = {{a.at + DEPTH * a.inner, a.row, a.inner}, {b.at + DEPTH * b.inner, b.row, b.inner}, m, n, rows, 0, 0};
    int64_t strips = (m / s->down + 1) * (n / (VECTORS * s->lanes) + 1);
    if (rows > 0 && a.row == 1 && b.row == 1 && rk_max(m, n) <= NARROW) next.step = DEPTH / strips + 1;
    return next;
}

static void fetch(next_slice *next) {
    enum { LINE = 64 / sizeof(REAL) };
    for (int64_t end = rk_min(next->rows, next->fetched + next->step); next->fetched < end; next->fetched++) {
        const REAL *a = next->a.at + next->fetched * next->a.inner, *b = next->b.at + next->fetched * next->b.inner;
        for (int64_t i = 0; i < next->m; i += LINE) __builtin_prefetch(a + i, 0, 2);
        for (int64_t j = 0; j < next->n; j += LINE) __builtin_prefetch(b + j, 0, 2);
    }
}

/* Columns j .. of C, `across` of them, over one slice; the panel is b[k*apart + l]. */
static void multiply_panel(const version *s, int64_t m, int64_t j, int64_t across, int64_t depth, operand a, const REAL *b,
                           int64_t apart, int more, const target *c, next_slice *next) {
    int64_t vectors = (across + s->lanes - 1) / s->lanes;
    REAL sums[MAX_DOWN * MAX_ACROSS];
    for (int64_t i = c->part == WHOLE ? 0 : j / s->down * s->down, size; i < m; i += 1 << size) {
        size = strip_size(s, m - i);
        strip_fn *strip = s->strip[size][vectors - 1];
        const REAL *rows = a.at + i * a.row;
        if (next->step) fetch(next);
        if (c->across == 1 && across == vectors * s->lanes && !(c->part == LOWER && i < j + across - 1)) {
            strip(rows, a.row, a.inner, b, apart, depth, c->alpha, more, c->at + i * c->down + j, c->down);
            continue;
        }
        strip(rows, a.row, a.inner, b, apart, depth, c->alpha, 0, sums, MAX_ACROSS);
        store_part(c, i, j, 1 << size, across, more, sums, MAX_ACROSS);
    }
}

/* One slice for few rows of a and contiguous rows of b, which are transposed in registers instead of packed. */
static void multiply_few(const version *s, int64_t m, int64_t n, int64_t depth, operand a, operand b, int more,
                         const target *c) {
    const REAL *rows[FEW * MAX_LANES];
    REAL sums[FEW * MAX_LANES];
    for (int64_t i = 0, down; i < m; i += down) {
        int size = m - i >= 4 ? 2 : m - i >= 2 ? 1 : 0;
        down = 1 << size;
        for (int64_t j = 0, step = FEW / down * s->lanes; j < n; j += step) {
            int64_t across = rk_min(step, n - j);
            for (int64_t l = 0; l < step; l++) rows[l] = b.at + (j + (l < across ? l : 0)) * b.row;
            s->few[size](a.at + i * a.row, a.row, a.inner, rows, depth, c->alpha, sums);
            store_part(c, i, j, down, across, more, sums, step);
        }
    }
}

/* One slice of the general product, panel by panel. Whole vectors are read in place if they are used little. */
static void multiply_slice(const version *s, int64_t m, int64_t n, int64_t depth, operand a, operand b, int more,
                           const target *c, next_slice *next) {
    _Alignas(64) REAL room[DEPTH * MAX_ACROSS];
    int64_t step = VECTORS * s->lanes;
    for (int64_t j = 0; j < n; j += MAX_ACROSS) {
        int64_t count = rk_min(MAX_ACROSS, n - j);
        operand own = {b.at + j * b.row, b.row, b.inner};
        int few = m <= s->down || (m <= IN_PLACE && b.inner <= NEAR), in_place = few && b.row == 1 && count % s->lanes == 0;
        if (!in_place) pack(s, own, count, depth, step, room);
        for (int64_t p = 0; p < count; p += step) {
            int64_t across = rk_min(step, count - p), width = (across + s->lanes - 1) / s->lanes * s->lanes;
            multiply_panel(s, m, j + p, across, depth, a, in_place ? own.at + p : room + p * depth, in_place ? b.inner : width,
                           more, c, next);
        }
    }
}

/* C = alpha a b' (+ C): m x n, over p. The bits of an entry depend on its two rows alone. */
static void multiply(const version *s, int64_t m, int64_t n, int64_t p, operand a, operand b, const target *c) {
    int more = c->more;
    for (int64_t k = 0; k < p; k += DEPTH, more = 1) {
        int64_t depth = rk_min(DEPTH, p - k);
        operand ak = {a.at + k * a.inner, a.row, a.inner}, bk = {b.at + k * b.inner, b.row, b.inner};
        if (m == 1 && n == 1) {
            REAL v = c->alpha * s->pair(depth, ak.at, ak.inner, bk.at, bk.inner);
            *c->at = more ? *c->at + v : v;
        } else if (s->few[0] && m < s->down && c->part == WHOLE && b.inner == 1)
            multiply_few(s, m, n, depth, ak, bk, more, c);
        else {
            next_slice next = find_next(s, m, n, rk_min(DEPTH, p - k - DEPTH), ak, bk);
            multiply_slice(s, m, n, depth, ak, bk, more, c, &next);
        }
    }
}

/* C = beta C, or nothing to do if it is overwritten: returns whether products are added. */
static int scale_target(int64_t m, int64_t n, int64_t p, REAL beta, int lower, REAL *C, int64_t ldc) {
    if (p > 0 && (beta == 0 || beta == 1)) return beta != 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < (lower ? i + 1 : n); j++) C[i * ldc + j] = beta == 0 ? 0 : beta * C[i * ldc + j];
    return 1;
}

/* C (m x n) = alpha op(A) op(B) + beta C. Few columns are computed as the transpose, where they are few rows; A'B' too,
 * where rows of the first operand are then contiguous. */
static void gemm(const version *s, char ta, char tb, int64_t m, int64_t n, int64_t k, REAL alpha, const REAL *A, int64_t lda,
                 const REAL *B, int64_t ldb, REAL beta, REAL *C, int64_t ldc) {
    operand a = {A, ta == 't' ? 1 : lda, ta == 't' ? lda : 1}, b = {B, tb == 't' ? ldb : 1, tb == 't' ? 1 : ldb};
    target c = {C, ldc, 1, alpha, scale_target(m, n, k, beta, 0, C, ldc), WHOLE};
    if ((n <= FEW && n < m) || (ta == 't' && tb == 't')) {
        c.down = 1, c.across = ldc;
        multiply(s, n, m, k, b, a, &c);
    } else
        multiply(s, m, n, k, a, b, &c);
}
