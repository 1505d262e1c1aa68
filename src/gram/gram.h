/* gram.h: the Gram matrix K[i, j] = k(x_i, x_j) of training objects, stored or approximated by a factor Phi Phi'. */
#ifndef RK_GRAM_H
#define RK_GRAM_H

#include "kernel/kernel.h"

/* What the coefficients of a model multiply. SAMPLE: K is stored (n x n), coefficients are a in Z = K a. FACTOR: Phi
 * is stored (n x rank), coefficients are W in Z = Phi W. */
typedef enum rk_gram_form { RK_FORM_SAMPLE, RK_FORM_FACTOR } rk_gram_form;

typedef struct rk_gram {
    rkhs_env *env;
    const struct rk_gram_type *type;
    const rk_spec *spec;
    const rkhs_kernel *kernel; /* frozen: no bandwidth rules left */
    const rkhs_data *x;
    int64_t n, rank;          /* numbers of objects, and of rows of the coefficients */
    int64_t map_count;        /* number of objects that a map compares new ones with: n, or the landmarks */
    int64_t *map_rows;        /* the rows of these in x; NULL: all */
    rk_bound *bound;          /* the kernel bound to x */
    rkhs_data *landmarks;     /* copies of the landmarks, or NULL */
    rk_bound *landmark_bound; /* the kernel bound to the landmarks: the reference of `bound`; NULL: itself */
    void *self;
} rk_gram;

typedef struct rk_gram_type {
    rk_entry entry;
    rk_gram_form form;
    rkhs_status (*build)(rk_gram *g);
    /* mul: out = K V. push: Z = Phi W. pull: W = Phi'Z. In the sample form all multiply by K. k columns, ld = k. */
    rkhs_status (*mul)(const rk_gram *g, const double *V, int64_t k, double *out);
    rkhs_status (*push)(const rk_gram *g, const double *W, int64_t k, double *Z);
    rkhs_status (*pull)(const rk_gram *g, const double *Z, int64_t k, double *W);
    /* The coefficients B (map_count x k) of the map for new objects: Phi_new W = k(new, D) B, D its objects. */
    rkhs_status (*to_map)(const rk_gram *g, const double *W, int64_t k, double *B);
    rkhs_status (*diag)(const rk_gram *g, double *out);
    /* out[q] = K[I[q], J[q]] */
    rkhs_status (*entries)(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
    /* The k nearest others of each object by the squared distance in feature space, K[i, i] + K[j, j] - 2 K[i, j]:
     * nearest first, ties by index. index and value are n x k; value is K[i, j]. */
    rkhs_status (*neighbours)(const rk_gram *g, int64_t k, int64_t *index, double *value);
    /* Sample form: K and its ld. spendable: the caller may overwrite K if it restores K afterwards. */
    const double *(*matrix)(const rk_gram *g, int64_t *ld, int *spendable);
    /* Factor form: W from B, with from_map(to_map(W)) = W; and the transpose of from_map. */
    rkhs_status (*from_map)(const rk_gram *g, const double *B, int64_t k, double *W);
    rkhs_status (*from_map_transposed)(const rk_gram *g, const double *W, int64_t k, double *B);
    /* Factor form: Phi, n x rank, row-major, and its ld. */
    const double *(*phi)(const rk_gram *g, int64_t *ld);
    void (*release)(rk_gram *g);
} rk_gram_type;

extern const rk_list rk_grams;

/* Builds the gram that `spec` names; the caller frees it. The kernel must be frozen. Borrows kernel, x and spec. */
rkhs_status rk_gram_new(rkhs_env *env, const rk_spec *spec, const rkhs_kernel *kernel, const rkhs_data *x, rk_gram **gram);
void rk_gram_free(rk_gram *g);
/* Whether K is stored (`matrix`), rather than a factor of it (`phi`). */
static inline int rk_gram_stored(const rk_gram *g) { return g->type->matrix != NULL; }

/* The slot `neighbours`, from a stored K (ld = n) or, where K is NULL, from the kernel. */
rkhs_status rk_gram_neighbours(const rk_gram *g, const double *K, int64_t k, int64_t *index, double *value);
/* half_j = k(j,j)/2 of every training object j, to find the nearest to an object x in feature space. As |x - j|^2 =
 * k(x,x) - 2 (k(x,j) - half_j), the nearest j has the largest k(x,j) - half_j. *half is on the scratch list. It is
 * NULL where k(j,j) is the same for all j but for rounding: then the nearest j has the largest k(x,j). */
rkhs_status rk_gram_half_diagonal(const rk_gram *g, double **half);
/* How near training object j is to x, from v = k(x,j): larger is nearer. */
static inline double rk_nearness(const double *half, int64_t j, double v) { return half ? v - half[j] : v; }
/* The slot `entries`, from the kernel. */
rkhs_status rk_gram_entries(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
/* Fails if `sum`, a sum of kernel values, is not finite: the kernel overflows on these data. */
rkhs_status rk_gram_check_finite(const rk_gram *g, double sum);
/* How many landmarks to advise where n x n numbers exceed the memory limit: as many as half of the free memory holds,
 * rounded down to one digit, at most 2000 and n/2. 0: not even one fits. */
int64_t rk_advised_landmarks(const rkhs_env *env, int64_t n);
/* The slot `diag`, from the kernel. */
rkhs_status rk_gram_diag(const rk_gram *g, double *out);

#endif
