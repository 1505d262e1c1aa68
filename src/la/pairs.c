/* pairs.c: sums over columns of a term of two numbers, for 4 rows against 8 at a time: sum_c term(a_ic, b_jc).
 *
 * Such sums are no matrix products. What can be saved is traffic: the 32 sums stay in registers while columns pass, and each
 * number that is loaded serves 4 or 8 of them. Columns are added in order, so that the bits of a sum depend on its two rows
 * alone. */
#include "la/la.h"

#include <string.h>

enum { LANES = 4, VECTORS = RK_PAIRS_COLUMNS / LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t bits __attribute__((vector_size(LANES * sizeof(double))));

typedef enum term { SQUARE, ABSOLUTE, MINIMUM, RATIO } term;

#define ALWAYS static inline __attribute__((always_inline))

/* sum += term(x, y). */
ALWAYS void add_term(term what, lanes *sum, double x, const double *from) {
    lanes y, all = {0}, t;
    memcpy(&y, from, sizeof y);
    all += x;
    switch (what) {
    case SQUARE: *sum += (all - y) * (all - y); break;
    case ABSOLUTE: *sum += (lanes)((bits)(all - y) & INT64_MAX); break;
    case MINIMUM:
        for (int l = 0; l < LANES; l++) t[l] = x < y[l] ? x : y[l];
        *sum += t;
        break;
    case RATIO:
        t = all + y;
        for (int l = 0; l < LANES; l++) t[l] = t[l] > 0x1p-1022 ? t[l] : 0x1p-1022; /* 0/0 is 0 */
        *sum += (all - y) * ((all - y) / t);
        break;
    }
}

/* The sums so far, or zeros. */
ALWAYS void begin(lanes sum[RK_PAIRS_ROWS][VECTORS], int more, const double *out, int64_t ld) {
    for (int i = 0; i < RK_PAIRS_ROWS; i++)
        for (int v = 0; v < VECTORS; v++)
            if (more)
                memcpy(&sum[i][v], out + i * ld + v * LANES, sizeof sum[i][v]);
            else
                sum[i][v] = (lanes){0};
}

ALWAYS void end(lanes sum[RK_PAIRS_ROWS][VECTORS], double *out, int64_t ld) {
    for (int i = 0; i < RK_PAIRS_ROWS; i++)
        for (int v = 0; v < VECTORS; v++) memcpy(out + i * ld + v * LANES, &sum[i][v], sizeof sum[i][v]);
}

ALWAYS void pairs(term what, int64_t count, const double *const a[RK_PAIRS_ROWS], const double *b, int more, double *out,
                  int64_t ld) {
    lanes sum[RK_PAIRS_ROWS][VECTORS];
    const double *p = a[0], *q = a[1], *r = a[2], *s = a[3];
    begin(sum, more, out, ld);
    for (int64_t c = 0; c < count; c++, b += RK_PAIRS_COLUMNS)
        for (int v = 0; v < VECTORS; v++) {
            add_term(what, &sum[0][v], p[c], b + v * LANES);
            add_term(what, &sum[1][v], q[c], b + v * LANES);
            add_term(what, &sum[2][v], r[c], b + v * LANES);
            add_term(what, &sum[3][v], s[c], b + v * LANES);
        }
    end(sum, out, ld);
}

RK_CLONES void rk_pairs_squares(int64_t count, const double *const *a, const double *b, int more, double *out, int64_t ld) {
    pairs(SQUARE, count, a, b, more, out, ld);
}

RK_CLONES void rk_pairs_absolutes(int64_t count, const double *const *a, const double *b, int more, double *out, int64_t ld) {
    pairs(ABSOLUTE, count, a, b, more, out, ld);
}

RK_CLONES void rk_pairs_minima(int64_t count, const double *const *a, const double *b, int more, double *out, int64_t ld) {
    pairs(MINIMUM, count, a, b, more, out, ld);
}

RK_CLONES void rk_pairs_ratios_wide(int64_t count, const double *const *a, const double *b, int more, double *out, int64_t ld) {
    pairs(RATIO, count, a, b, more, out, ld);
}

/* sum += d^2/s for four columns through one division, which costs as much as all the rest: p/s + q/t = (p t + q s)/(s t).
 * Nothing cancels. A number above 0 is not changed by adding 1e-55, and two zeros give 0/1e-55. */
ALWAYS void add_four(lanes *sum, const double *x, const double *from) {
    lanes d[4], s[4], y;
    for (int c = 0; c < 4; c++) {
        lanes all = {0};
        memcpy(&y, from + c * RK_PAIRS_COLUMNS, sizeof y);
        all += x[c];
        d[c] = all - y;
        s[c] = (all + 1e-55) + y;
    }
    lanes p = d[0] * d[0] * s[1] + d[1] * d[1] * s[0], q = d[2] * d[2] * s[3] + d[3] * d[3] * s[2];
    lanes u = s[0] * s[1], v = s[2] * s[3];
    *sum += (p * v + q * u) / (u * v);
}

RK_CLONES void rk_pairs_ratios(int64_t count, const double *const *a, const double *b, int more, double *out, int64_t ld) {
    int64_t fours = count / 4 * 4;
    for (int v = 0; v < VECTORS; v++) {
        lanes sum[RK_PAIRS_ROWS];
        for (int i = 0; i < RK_PAIRS_ROWS; i++) sum[i] = (lanes){0};
        for (int i = 0; more && i < RK_PAIRS_ROWS; i++) memcpy(&sum[i], out + i * ld + v * LANES, sizeof sum[i]);
        for (int64_t c = 0; c < fours; c += 4)
            for (int i = 0; i < RK_PAIRS_ROWS; i++) add_four(&sum[i], a[i] + c, b + c * RK_PAIRS_COLUMNS + v * LANES);
        for (int64_t c = fours; c < count; c++)
            for (int i = 0; i < RK_PAIRS_ROWS; i++) add_term(RATIO, &sum[i], a[i][c], b + c * RK_PAIRS_COLUMNS + v * LANES);
        for (int i = 0; i < RK_PAIRS_ROWS; i++) memcpy(out + i * ld + v * LANES, &sum[i], sizeof sum[i]);
    }
}

/* |s x - t y|^2; eight sums, so that additions need not wait for each other. */
RK_CLONES double rk_scaled_square(int64_t n, double s, const double *x, double t, const double *y) {
    enum { SUMS = 8 };
    double sum[SUMS] = {0}, rest = 0;
    int64_t c = 0;
    for (; c + SUMS <= n; c += SUMS)
        for (int l = 0; l < SUMS; l++) {
            double d = s * x[c + l] - t * y[c + l];
            sum[l] += d * d;
        }
    for (; c < n; c++) rest += (s * x[c] - t * y[c]) * (s * x[c] - t * y[c]);
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}
