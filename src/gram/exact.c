/* exact.c: the exact Gram matrix K, all n x n values stored once.
 *
 * There are no features: coefficients are a in Z = K a, and all products are with K. A precomputed K is not copied. */
#include "gram/gram.h"

#include <limits.h>
#include <stdio.h>

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
    char what[80];
    if (is_given(g)) { /* not copied; binding the kernel has checked its symmetry */
        const rk_gram_rows *rows = g->x->self;
        g->K = rows->values;
        g->ldk = rows->ld;
        goto done;
    }
    snprintf(what, sizeof what, "the Gram of %lld x %lld", (long long)g->n, (long long)g->n);
    TRY(rk_set_subject(g->env, "gram", rk_require_memory(g->env, 8.0 * (double)g->n * (double)g->n, what, NULL)));
    if (g->n > INT_MAX)
        FAIL(g->env, RKHS_ERR_DATA, "%s are too many for gram=exact: use gram=nystrom(landmarks=2000)",
             rk_counted(g->n, "row").text);
    TRY(rk_alloc(g->env, g->n * g->n, sizeof *g->own_K, &g->own_K));
    TRY(rk_gram_symmetric(g->env, g->bound, g->own_K, g->n));
    g->K = g->own_K;
    g->ldk = g->n;
done:
    return status;
}

/* For few columns the time goes into reading K: rk_symm reads one triangle of it alone. */
static rkhs_status mul_exact(const rk_gram *g, const double *V, int64_t k, double *out) {
    if (k <= 16 && g->n >= 1024) return rk_symm(g->env, g->n, g->K, g->ldk, k, V, out);
    return rk_gemm(g->env, NULL, 'n', 'n', g->n, k, g->n, 1.0, g->K, g->ldk, V, k, 0.0, out, k);
}

/* clang-format off */
const rk_gram_type rk_gram_exact = {
    .entry = {.name = "exact", .brief = "the whole Gram matrix; the model keeps all training objects", .formula = "K",
              .cost = "8 n^2 bytes"},
    .offers = RK_MATRIX | RK_PRODUCTS, .build = build_exact, .mul = mul_exact,
};
/* clang-format on */
