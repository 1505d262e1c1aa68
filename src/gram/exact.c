/* exact.c: the exact Gram matrix K, all n x n values stored once.
 *
 * Phi is never formed: coefficients are a in Z = K a, and all products are with K. A precomputed K is not copied. */
#include "gram/gram.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct exact {
    const double *K; /* n x n */
    int64_t ld;
    double *owned;
} exact;

/* Whether the data are K itself: a precomputed Gram, complete and in order. */
static int is_given(const rk_gram *g) {
    if (g->x->type->kind != RK_KIND_GRAM || g->kernel->children) return 0;
    const rk_gram_rows *rows = g->x->self;
    if (!rows->index || !rows->values || g->x->columns != g->n || rows->ld > INT_MAX) return 0; /* for BLAS */
    for (int64_t i = 0; i < g->n; i++)
        if (rows->index[i] != i) return 0;
    return 1;
}

static rkhs_status build_exact(rk_gram *g) {
    rkhs_status status = RKHS_OK;
    exact *e;
    char what[80], advice[80];
    TRY(rk_alloc(g->env, 1, sizeof *e, &e));
    g->self = e;
    g->rank = g->map_count = g->n;
    if (is_given(g)) { /* not copied; binding the kernel has checked its symmetry */
        const rk_gram_rows *rows = g->x->self;
        e->K = rows->values;
        e->ld = rows->ld;
        goto done;
    }
    snprintf(what, sizeof what, "the Gram of %lld x %lld", (long long)g->n, (long long)g->n);
    int64_t landmarks = rk_advised_landmarks(g->env, g->n);
    snprintf(advice, sizeof advice,
             landmarks ? "use gram=nystrom(landmarks=%lld), or raise the memory limit" : "raise the memory limit",
             (long long)landmarks);
    TRY(rk_set_subject(g->env, "gram", rk_require_memory(g->env, 8.0 * (double)g->n * (double)g->n, what, advice)));
    if (g->n > INT_MAX)
        FAIL(g->env, RKHS_ERR_DATA, "%s are too many for gram=exact: use gram=nystrom(landmarks=2000)",
             rk_counted(g->n, "row").text);
    TRY(rk_alloc(g->env, g->n * g->n, sizeof *e->owned, &e->owned));
    TRY(rk_gram_symmetric(g->env, g->bound, e->owned, g->n));
    e->K = e->owned;
    e->ld = g->n;
done:
    return status;
}

/* For few columns the time goes into reading K: rk_symm reads one triangle of it alone. */
static rkhs_status mul_exact(const rk_gram *g, const double *V, int64_t k, double *out) {
    const exact *e = g->self;
    if (k <= 16 && g->n >= 1024) return rk_symm(g->env, g->n, e->K, e->ld, k, V, out);
    return rk_gemm(g->env, NULL, 'n', 'n', g->n, k, g->n, 1.0, e->K, e->ld, V, k, 0.0, out, k);
}

static rkhs_status to_map_exact(const rk_gram *g, const double *W, int64_t k, double *B) {
    memcpy(B, W, (size_t)(g->n * k) * sizeof *B);
    return RKHS_OK;
}

static rkhs_status diag_exact(const rk_gram *g, double *out) {
    const exact *e = g->self;
    for (int64_t i = 0; i < g->n; i++) out[i] = e->K[i * e->ld + i];
    return RKHS_OK;
}

static rkhs_status entries_exact(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out) {
    const exact *e = g->self;
    for (int64_t q = 0; q < count; q++) out[q] = e->K[I[q] * e->ld + J[q]];
    return RKHS_OK;
}

static rkhs_status neighbours_exact(const rk_gram *g, int64_t k, int64_t *index, double *value) {
    const exact *e = g->self;
    return rk_gram_neighbours(g, e->ld == g->n ? e->K : NULL, k, index, value);
}

static const double *matrix_exact(const rk_gram *g, int64_t *ld, int *spendable) {
    const exact *e = g->self;
    *ld = e->ld;
    *spendable = e->owned != NULL;
    return e->K;
}

static void release_exact(rk_gram *g) {
    exact *e = g->self;
    rk_free(g->env, e->owned);
    rk_free(g->env, e);
}

/* clang-format off */
const rk_gram_type rk_gram_exact = {
    .entry = {.name = "exact", .brief = "the whole Gram matrix; the model keeps all training objects", .formula = "K",
              .cost = "8 n^2 bytes"},
    .form = RK_FORM_SAMPLE, .build = build_exact, .mul = mul_exact, .push = mul_exact, .pull = mul_exact,
    .to_map = to_map_exact, .diag = diag_exact, .entries = entries_exact, .neighbours = neighbours_exact,
    .matrix = matrix_exact, .release = release_exact,
};
/* clang-format on */
