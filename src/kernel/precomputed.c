/* precomputed.c: the kernel whose values are given, as a matrix K: k(x_i, x_j) = K[i, j]. */
#include "kernel/kernel.h"

static rkhs_status block_precomputed(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                     double *out, int64_t ld, rk_work work) {
    const rk_gram_rows *ga = a->x->self, *gb = b->x->self;
    if (!ga->values || !gb->index || a->x->columns != b->x->columns)
        return rk_fail(a->x->env, RKHS_ERR_DATA,
                       "objects that a model of a precomputed Gram keeps are columns without values: give rows of the Gram");
    for (int64_t i = 0; i < ni; i++) {
        const double *row = ga->values + (i0 + i) * ga->ld;
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] = row[gb->index[j0 + j]];
    }
    return RKHS_OK;
}

/* Refuses a matrix that is not symmetric up to the rounding of single precision. */
static rkhs_status check_symmetry(rkhs_env *env, const rk_gram_rows *g, int64_t n) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const double **row;
    int64_t at[2], in_order = 0;
    TRY(rk_scratch(env, n, sizeof *row, &row));
    for (int64_t i = 0; i < n; i++) row[i] = g->values + i * g->ld, in_order += g->index[i] == i;
    TRY(rk_find_asymmetry(env, n, row, in_order == n ? NULL : g->index, 1e-6, at));
    if (at[0] >= 0)
        FAIL(env, RKHS_ERR_DATA,
             "the Gram is not symmetric: row %lld, column %lld is %.9g, but row %lld, column %lld is "
             "%.9g (counted from 1): give k(x,y) = k(y,x)",
             (long long)at[0] + 1, (long long)at[1] + 1, row[at[0]][g->index[at[1]]], (long long)at[1] + 1,
             (long long)at[0] + 1, row[at[1]][g->index[at[0]]]);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* k of objects i and j. */
static double entry(const rk_gram_rows *g, int64_t i, int64_t j) { return g->values[i * g->ld + g->index[j]]; }

/* The largest magnitude of an entry. */
static double largest_entry(const rk_gram_rows *g, int64_t n) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) largest = fmax(largest, fabs(entry(g, i, j)));
    return largest;
}

/* Whether rows i and j are equal but for rounding, as those of two objects at distance 0 are. */
static int same_rows(const rk_gram_rows *g, int64_t n, int64_t i, int64_t j, double rounding) {
    for (int64_t c = 0; c < n; c++)
        if (fabs(entry(g, i, c) - entry(g, j, c)) > rounding) return 0;
    return 1;
}

/* Whether a symmetric matrix looks like distances: 0 on its diagonal, nowhere below 0, and above 0 elsewhere. Zeros
 * off the diagonal may be one pair in twenty; or more, if all are pairs of equal rows (the first PAIRS are checked).
 * Rounding counts as 0. No positive semi-definite matrix is one: its largest entry is on its diagonal. */
static int is_distances(const rk_gram_rows *g, int64_t n) {
    enum { PAIRS = 1000 };
    int64_t zeros = 0, unlike = 0, pairs = n * (n - 1) / 2;
    double rounding = 1e-6 * largest_entry(g, n);
    for (int64_t i = 0; i < n; i++)
        if (fabs(entry(g, i, i)) > rounding) return 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) {
            double d = entry(g, i, j);
            if (d < -rounding) return 0;
            if (d <= rounding && zeros++ < PAIRS) unlike += !same_rows(g, n, i, j, rounding);
        }
    return zeros < pairs && (unlike == 0 || zeros <= pairs / 20);
}

/* Refuses a matrix that is not symmetric, or that holds distances. */
static rkhs_status check_given(rkhs_env *env, const rk_gram_rows *g, int64_t n) {
    rkhs_status status = check_symmetry(env, g, n);
    if (status != RKHS_OK || !is_distances(g, n)) return status;
    return rk_fail(env, RKHS_ERR_DATA,
                   "the matrix is one of distances, 0 on its diagonal and above 0 elsewhere, and 'precomputed' takes kernel "
                   "values: give K = exp(-D^2/(2 s^2)), in Python K = numpy.exp(-D**2 / (2 * numpy.median(D[D > 0])**2)); or, "
                   "if these are similarities, put k(x,x) on the diagonal");
}

/* What is bound first must be square. It is checked if it has values; the objects of a loaded model have none. */
static rkhs_status prepare_precomputed(rkhs_env *env, rk_bound *b) {
    const rk_gram_rows *g = b->x->self;
    if (b->reference) return RKHS_OK;
    if (!g->index)
        return rk_fail(env, RKHS_ERR_DATA,
                       "a precomputed Gram to learn from must be square, not %lld x %lld: give k(training, training)",
                       (long long)b->x->rows, (long long)b->x->columns);
    return g->values ? check_given(env, g, b->x->rows) : RKHS_OK;
}

/* clang-format off */
const rk_kernel_type rk_kernel_precomputed = {
    .entry = {.name = "precomputed",
              .brief = "the data are kernel values, not distances: training x training to fit, new x training to "
                       "transform",
              .formula = "K[x,y]", .cost = "a copy a pair"},
    .kinds = RK_KIND_GRAM, .flags = RK_SCALE_FREE, .prepare = prepare_precomputed, .block = block_precomputed,
};
/* clang-format on */
