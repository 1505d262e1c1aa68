/* preconditioner.c: a preconditioner for K + mu I from landmarks, for conjugate gradients with a K that is not stored.
 *
 *     K ~ Phi Phi' = U S U',   P^-1 = (s + mu) U (S + mu)^-1 U' + I - U U',   s the least eigenvalue in S
 *
 * Phi are features by landmarks, n x m numbers; U = Phi V S^-1/2 is not stored, V S V' = Phi'Phi. The condition of P^-1
 * (K + mu I) is small once s is near mu. Frangella, Tropp, Udell, "Randomized Nystrom preconditioning", 2021. */
#include "opt/opt.h"

#include <stdio.h>
#include <string.h>

enum { LANDMARKS = 500 };

typedef struct preconditioner {
    const rk_gram *g; /* with features */
    int64_t r;        /* columns of U */
    double *V;        /* rank x r: V S^-1/2, so that U = Phi V */
    double *scale;    /* r: (s + mu)/(S + mu) - 1 */
} preconditioner;

/* out = X + U diag(scale) U'X */
static rkhs_status apply(void *context, rkhs_env *env, const double *X, int64_t k, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const preconditioner *p = context;
    int64_t m = p->g->rank, n = p->g->n;
    double *W, *T;
    TRY(rk_scratch(env, m * k, sizeof *W, &W));
    TRY(rk_scratch(env, p->r * k, sizeof *T, &T));
    TRY(rk_gram_pull(p->g, X, k, W));
    TRY(rk_gemm(env, NULL, 't', 'n', p->r, k, m, 1.0, p->V, p->r, W, k, 0.0, T, k));
    for (int64_t i = 0; i < p->r; i++)
        for (int64_t c = 0; c < k; c++) T[i * k + c] *= p->scale[i];
    TRY(rk_gemm(env, NULL, 'n', 'n', m, k, p->r, 1.0, p->V, p->r, T, k, 0.0, W, k));
    TRY(rk_gram_push(p->g, W, k, out));
    for (int64_t i = 0; i < n * k; i++) out[i] += X[i];
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_precondition(const rk_gram *g, double mu, rk_gram **landmarks, rk_op *inverse) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = g->env;
    rk_spec *spec = NULL;
    preconditioner *p;
    double *A, *w, *U;
    char text[48];
    *landmarks = NULL;
    snprintf(text, sizeof text, "nystrom(landmarks=%lld)", (long long)rk_max(1, rk_min(LANDMARKS, g->n / 4)));
    TRY(rk_spec_new(env, &rk_grams, text, &spec));
    status = rk_gram_new(env, spec, g->kernel, g->x, landmarks);
    if (status == RKHS_ERR_NUMERIC) { /* K is not positive semi-definite: conjugate gradients go without */
        rk_clear_error(env);
        *inverse = (rk_op){0};
        status = RKHS_OK;
        goto done;
    }
    TRY(status);
    TRY(rk_gram_cache_features(*landmarks));
    int64_t m = (*landmarks)->rank;
    TRY(rk_scratch(env, 1, sizeof *p, &p));
    TRY(rk_scratch(env, m * m, sizeof *p->V, &p->V));
    TRY(rk_scratch(env, m, sizeof *p->scale, &p->scale));
    TRY(rk_scratch(env, m * m, sizeof *A, &A));
    TRY(rk_scratch(env, m * m, sizeof *U, &U));
    TRY(rk_scratch(env, m, sizeof *w, &w));
    TRY(rk_gram_moments(*landmarks, "preconditioner", &(rk_moments){.square = A}));
    TRY(rk_eigen(env, m, A, m, 0, m - 1, w, U));
    p->g = *landmarks;
    while (p->r < m && w[m - 1 - p->r] > 1e-10 * w[m - 1]) p->r++;
    for (int64_t i = 0; i < p->r; i++) {
        double s = w[m - 1 - i];
        p->scale[i] = (w[m - p->r] + mu) / (s + mu) - 1;
        for (int64_t a = 0; a < m; a++) p->V[a * p->r + i] = U[(m - 1 - i) * m + a] / sqrt(s);
    }
    *inverse = (rk_op){g->n, apply, p};
done:
    if (*landmarks) (*landmarks)->spec = NULL; /* read by `build` alone */
    rk_spec_free(env, spec);
    return status;
}
