/* eigen.c: all eigenpairs of a small symmetric matrix, with the same bits whatever BLAS is installed.
 *
 * The matrix is scaled by a power of two and reduced to a tridiagonal T (tridiagonal.c). The QL method with implicit
 * shifts makes T diagonal by sweeps of rotations of neighbouring rows and columns; they run towards the end of T with
 * the smaller number. Most of the work is the product V of all rotations. It begins as the unit matrix, and is stored
 * in strips of WIDE columns, which stay in the cache for many sweeps; two sweeps at a time go through a strip, the
 * second one row behind the first. A rotation by an angle of at most 90 degrees is three shears,
 *
 *     y += t x,   x -= s y,   y += t x,   t = tan(angle/2), s = sin(angle),
 *
 * a quarter less work than four products. At the end the reflections turn the rows of V into eigenvectors.
 *
 * Golub, Van Loan: Matrix Computations, 4th edition, 8.3; LAPACK's dsteqr. */
#include "la/eigen.h"

#include <float.h>
#include <string.h>

enum { LINE = 64 / sizeof(double), WIDE = RK_WIDE };
enum { MAX_SWEEPS = 64, ROOM = 8 }; /* sweeps that wait for V; full ones for which there is room */
enum { MAX_TRIES = 30 };            /* sweeps for each row, on average, before the method gives up */

/* Rotations of rows from and from - way, then from - way and from - 2 way, and so on. */
typedef struct sweep {
    int64_t from, way, count;
    const double *turns; /* count x 2: t, -s */
} sweep;

typedef struct ql {
    int64_t n, strips;
    double *d, *e;            /* the diagonal of T, and the numbers beside it */
    double *V;                /* strips x n x WIDE */
    int64_t *low, *high;      /* the first and last row of each strip that is not 0 */
    sweep sweeps[MAX_SWEEPS]; /* not yet applied to V */
    int64_t waiting;          /* their number */
    double *turns, *next;     /* room for ROOM n rotations, and what is free of it */
} ql;

/* ---- rotations of rows ----------------------------------------------------------------------------------------- */

/* Applies a sweep, or two from the same row, to one strip. Where the strip is 0, nothing is done: a sweep moves the
 * first row of the strip that is not 0 by one. */
static void turn_strip(ql *t, int64_t strip, const sweep *a, const sweep *b) {
    int64_t way = a->way, end = a->from - way * a->count, *low = &t->low[strip], *high = &t->high[strip];
    int64_t *front = way > 0 ? high : low, *back = way > 0 ? low : high;
    int64_t ahead = (a->from - *front) * way, skip = rk_max(0, ahead - 2);
    if (skip >= a->count || (a->from - *back) * way < 0) return;
    rk_sweep(-way * WIDE, a->count - skip, a->turns + 2 * skip, b ? rk_max(0, b->count - skip) : 0,
             b ? b->turns + 2 * skip : NULL, t->V + (strip * t->n + a->from - way * skip) * WIDE);
    if (ahead > 0) *front += way * rk_min(ahead, 2);
    if ((*back - end) * way > 0) *back = end;
}

/* Applies the sweeps that wait to V, strip by strip. */
static rkhs_status turn_rows(rkhs_env *env, ql *t) {
    for (int64_t strip = 0; strip < t->strips; strip++)
        for (int64_t k = 0; k < t->waiting;) {
            const sweep *a = &t->sweeps[k], *b = a + 1;
            int two = k + 1 < t->waiting && a->from == b->from && a->way == b->way && a->count >= b->count;
            turn_strip(t, strip, a, two ? b : NULL);
            k += 1 + two;
        }
    t->waiting = 0;
    t->next = t->turns;
    return rk_progress(env, NULL, 0, 0);
}

/* ---- the tridiagonal matrix ------------------------------------------------------------------------------------ */

/* c = g/r, s = f/r, r = the length of (g, f) with the sign of g: so c >= 0. */
static void make_rotation(double g, double f, double *c, double *s, double *r) {
    double by, length = copysign(rk_length(g, f, &by), g);
    *c = length != 0 ? g * by / length : 1;
    *s = length != 0 ? f * by / length : 0;
    *r = length / by;
}

/* The number of T beside rows i and i + way. */
static double *beside(const ql *t, int64_t i, int64_t way) { return t->e + (way > 0 ? i : i - 1); }

/* One sweep on rows l .. m of T, from m to l, with the shift from rows l and l + way. */
static void sweep_once(ql *t, int64_t l, int64_t m, int64_t way) {
    double *d = t->d, el = *beside(t, l, way), g = (d[l + way] - d[l]) / (2 * el), r = sqrt(g * g + 1);
    double c = 1, s = 1, p = 0, *turn = t->next;
    t->sweeps[t->waiting++] = (sweep){m, way, (m - l) * way, turn};
    g = d[m] - d[l] + el / (g + copysign(r, g));
    for (int64_t i = m - way; (i - l) * way >= 0; i -= way, turn += 2) {
        double ei = *beside(t, i, way), f = s * ei, b = c * ei;
        make_rotation(g, f, &c, &s, &r);
        if (i != m - way) *beside(t, i + way, way) = r;
        g = d[i + way] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + way] = g + p;
        g = c * r - b;
        turn[0] = s / (1 + c);
        turn[1] = -s;
    }
    d[l] -= p;
    *beside(t, l, way) = g;
    t->next = turn;
}

/* Makes T diagonal; numbers beside the diagonal that are at most `small` count as 0. */
static rkhs_status diagonalise(rkhs_env *env, ql *t, double small) {
    rkhs_status status = RKHS_OK;
    int64_t n = t->n, tries = 0;
    for (int64_t from = 0, to; from < n; from = to + 1) {
        for (to = from; to + 1 < n && fabs(t->e[to]) > small; to++) {
        }
        int64_t way = fabs(t->d[to]) < fabs(t->d[from]) ? -1 : 1, l = way > 0 ? from : to, last = way > 0 ? to : from, m;
        while (l != last) {
            for (m = l; m != last && fabs(*beside(t, m, way)) > small; m += way) {
            }
            if (m == l) {
                l += way;
                continue;
            }
            if (m != last) *beside(t, m, way) = 0;
            if (tries++ > MAX_TRIES * n)
                FAIL(env, RKHS_ERR_NUMERIC, "the eigenvalues of a matrix of size %lld were not found in %lld sweeps",
                     (long long)n, (long long)tries);
            sweep_once(t, l, m, way);
            if (t->waiting == MAX_SWEEPS || t->next - t->turns > 2 * (ROOM - 1) * n) TRY(turn_rows(env, t));
        }
    }
    TRY(turn_rows(env, t));
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* The largest |a_ij| of the triangle that is read; infinite or NaN if a number is. */
static double largest_entry(int64_t n, const double *A, int64_t lda) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j < n; j++) {
            double size = fabs(A[i * lda + j]);
            if (!(size <= largest)) largest = size;
            if (!(size <= DBL_MAX)) return size;
        }
    return largest;
}

/* 2^exponent as the product of two factors, which do not overflow. */
static void power_of_two(int exponent, double factor[2]) {
    factor[0] = ldexp(1, exponent / 2);
    factor[1] = ldexp(1, exponent - exponent / 2);
}

/* The order of the eigenvalues: order[k] is the row of the k-th smallest. */
static void sort(int64_t n, const double *d, int64_t *order) {
    for (int64_t i = 0, k; i < n; i++) {
        for (k = i; k > 0 && d[order[k - 1]] > d[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
}

/* The matrix for rk_tridiagonalise, from the upper triangle of A, scaled. */
static void scaled_copy(int64_t n, const double *A, int64_t lda, const double factor[2], double *S, int64_t ld) {
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            double a = A[j * lda + i] * factor[0] * factor[1];
            S[i * ld + j] = a;
            if (i / RK_LANES == j / RK_LANES) S[j * ld + i] = a;
        }
}

/* V as the unit matrix. */
static void begin_rows(ql *t) {
    for (int64_t i = 0; i < t->n; i++) t->V[(i / WIDE * t->n + i) * WIDE + i % WIDE] = 1;
    for (int64_t q = 0; q < t->strips; q++) {
        t->low[q] = q * WIDE;
        t->high[q] = rk_min(t->n, (q + 1) * WIDE) - 1;
    }
}

/* Makes V and the diagonal of T its eigenpairs. */
static rkhs_status eigen_tridiagonal(rkhs_env *env, ql *t) {
    rkhs_status status = RKHS_OK;
    double largest = 0;
    TRY(rk_scratch_raw(env, 2 * ROOM * t->n, sizeof *t->turns, &t->turns));
    TRY(rk_scratch(env, t->strips, sizeof *t->low, &t->low));
    TRY(rk_scratch(env, t->strips, sizeof *t->high, &t->high));
    t->next = t->turns;
    begin_rows(t);
    for (int64_t i = 0; i < t->n; i++) {
        largest = fmax(largest, fabs(t->d[i]));
        if (i + 1 < t->n) largest = fmax(largest, fabs(t->e[i]));
    }
    TRY(diagonalise(env, t, 0x1p-54 * largest));
done:
    return status;
}

/* For n up to RK_EIGEN_OWN. */
static rkhs_status eigen_own(rkhs_env *env, int64_t n, const double *A, int64_t lda, int64_t first, int64_t last, double *w,
                             double *V) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    /* Rows are an odd number of cache lines apart: else columns would share few places of the cache. */
    int64_t rows = rk_whole_lanes(n), ld = ((rows + LINE - 1) / LINE | 1) * LINE, count = last - first + 1, *order;
    double *S, *X, *work, *tau, factor[2], back[2], largest = largest_entry(n, A, lda);
    ql t = {.n = n, .strips = (n + WIDE - 1) / WIDE};
    int exponent;
    if (!(largest <= DBL_MAX))
        FAIL(env, RKHS_ERR_NUMERIC,
             "a matrix of size %lld whose eigenvalues are asked for has a number that is %s: look for numbers that overflow",
             (long long)n, isnan(largest) ? "not a number" : "infinite");
    frexp(largest, &exponent);
    power_of_two(-exponent, factor);
    power_of_two(exponent, back);
    TRY(rk_scratch(env, rows * ld, sizeof *S, &S));
    TRY(rk_scratch(env, 7 * ld, sizeof *work, &work));
    TRY(rk_scratch(env, n, sizeof *order, &order));
    TRY(rk_scratch(env, t.strips * n * WIDE, sizeof *t.V, &t.V));
    TRY(rk_scratch(env, (count + count % 2) * ld, sizeof *X, &X));
    t.d = work, t.e = work + ld, tau = work + 2 * ld;
    scaled_copy(n, A, lda, factor, S, ld);
    TRY(rk_tridiagonalise(env, n, S, ld, t.d, t.e, tau, work + 3 * ld));
    TRY(eigen_tridiagonal(env, &t));
    sort(n, t.d, order);
    for (int64_t k = 0; k < count; k++) {
        int64_t row = order[first + k];
        w[k] = t.d[row] * back[0] * back[1];
        for (int64_t q = 0; q < n; q += WIDE)
            memcpy(X + k * ld + q, t.V + (q / WIDE * n + row) * WIDE, (size_t)rk_min(WIDE, n - q) * sizeof *X);
    }
    TRY(rk_reflect_rows(env, n, S, ld, tau, count, X));
    for (int64_t k = 0; k < count; k++) memcpy(V + k * n, X + k * ld, (size_t)n * sizeof *V);
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_eigen(rkhs_env *env, int64_t n, double *A, int64_t lda, int64_t first, int64_t last, double *w, double *V) {
    if (n <= RK_EIGEN_OWN) return eigen_own(env, n, A, lda, first, last, w, V);
    return rk_eigen_lapack(env, n, A, lda, first, last, w, V);
}
