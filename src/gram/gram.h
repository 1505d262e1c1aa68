/* gram.h: factors of the Gram matrix. */
#ifndef RK_GRAM_H
#define RK_GRAM_H

#include "kernel/kernel.h"

/* Where the coefficients of a gram live: sample (exact: Phi is never formed, coefficients are a in Z = K a) or factor (Phi is
 * stored, n x r, coefficients are W in Z = Phi W). */
typedef enum rk_gram_form { RK_FORM_SAMPLE, RK_FORM_FACTOR } rk_gram_form;

typedef struct rk_gram {
    rkhs_env *env;
    const struct rk_gram_type *type;
    const rk_spec *spec;
    const rkhs_kernel *kernel; /* frozen */
    const rkhs_data *x;
    int64_t n, rank; /* objects; coefficients */
    int64_t kept;    /* objects that a map of this gram keeps */
    int64_t *keep;   /* their rows in x; NULL: all */
    rk_bound *bound; /* kernel and x */
    rk_bound *root;  /* what bound refers to, kernel and `rooted`; NULL: itself */
    rkhs_data *rooted;
    void *self;
} rk_gram;

typedef struct rk_gram_type {
    rk_entry entry;
    rk_gram_form form;
    rkhs_status (*build)(rk_gram *g);
    /* out = K V, push: out = Phi V (sample form: K V), pull: out = Phi'V (sample form: K V). V has k columns, ld = k. */
    rkhs_status (*mul)(const rk_gram *g, const double *V, int64_t k, double *out);
    rkhs_status (*push)(const rk_gram *g, const double *W, int64_t k, double *Z);
    rkhs_status (*pull)(const rk_gram *g, const double *Z, int64_t k, double *W);
    /* B (kept x k) with Phi_new W = k(new, D) B. */
    rkhs_status (*fold)(const rk_gram *g, const double *W, int64_t k, double *B);
    rkhs_status (*diag)(const rk_gram *g, double *out);
    /* out[q] = K[I[q], J[q]] */
    rkhs_status (*entries)(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
    /* The k nearest others of each object in feature space, by K[i, i] + K[j, j] - 2 K[i, j], nearest first, ties by index;
     * value is K[i, j]. index and value are n x k. */
    rkhs_status (*neighbours)(const rk_gram *g, int64_t k, int64_t *index, double *value);
    /* sample form: K itself, and whether it may be overwritten for a while. */
    const double *(*matrix)(const rk_gram *g, int64_t *ld, int *spendable);
    /* factor form: the way back from fold, W with fold W = B, and its transpose. */
    rkhs_status (*unfold)(const rk_gram *g, const double *B, int64_t k, double *W);
    rkhs_status (*unfold_back)(const rk_gram *g, const double *W, int64_t k, double *B);
    /* factor form: Phi itself, n x rank, row-major. */
    const double *(*phi)(const rk_gram *g, int64_t *ld);
    void (*release)(rk_gram *g);
} rk_gram_type;

extern const rk_list rk_grams;

/* Builds the gram that `spec` names. The kernel must be frozen; kernel, x and spec must outlive it. */
rkhs_status rk_gram_new(rkhs_env *env, const rk_spec *spec, const rkhs_kernel *kernel, const rkhs_data *x, rk_gram **gram);
void rk_gram_free(rk_gram *g);
/* Whether K itself is stored (`matrix`); else a factor of it is (`phi`). */
static inline int rk_gram_stored(const rk_gram *g) { return g->type->matrix != NULL; }

/* The k nearest of each object in feature space, from a stored K or, when K is NULL, from the kernel; value is k(i,j). */
rkhs_status rk_gram_neighbours(const rk_gram *g, const double *K, int64_t k, int64_t *index, double *value);
/* Who is near to x in feature space: |x - j|^2 = k(x,x) - 2 (k(x,j) - half_j), so the largest k(x,j) - half_j, half_j =
 * k(j,j)/2. On the scratch list; NULL where k(j,j) is the same for all objects but for rounding: there the largest k(x,j) are
 * as near. */
rkhs_status rk_gram_halves(const rk_gram *g, double **half);
/* How near object j is, v = k(x,j): more is nearer. */
static inline double rk_nearness(const double *half, int64_t j, double v) { return half ? v - half[j] : v; }
/* Entries from the kernel itself. */
rkhs_status rk_gram_entries(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
/* Refuses a kernel that overflows, by a sum of its values. */
rkhs_status rk_gram_finite(const rk_gram *g, double sum);
/* How many landmarks to advise where n x n is over the memory limit: half of what is left, one digit, at most 2000; 0: not even
 * one fits. */
int64_t rk_gram_landmarks(const rkhs_env *env, int64_t n);
/* The diagonal from the kernel itself. */
rkhs_status rk_gram_diag(const rk_gram *g, double *out);

#endif
