/* gram.h: the Gram matrix K[i, j] = k(x_i, x_j) of training objects: stored, recomputed, or approximated by features.
 *
 * A gram says what it offers, a model says what it needs (RK_MATRIX, ...), and fit builds one that serves. Diagonal,
 * entries and neighbours are there always, from the kernel. Features are a factor, K ~ Phi Phi'. */
#ifndef RK_GRAM_H
#define RK_GRAM_H

#include "kernel/kernel.h"
#include "la/la.h"

/* What a gram offers beside kernel values. A model needs one of those that its table names. */
enum {
    RK_MATRIX = 1,   /* K, stored */
    RK_PRODUCTS = 2, /* K V, without features: coefficients are a in Z = K a */
    RK_FEATURES = 4, /* K ~ Phi Phi', and features of new objects: coefficients are W in Z = Phi W */
    RK_LANDMARKS = 8 /* these features are kernel values with some of the objects; else they have `parts` */
};

/* ---- features.c: features phi(x) ------------------------------------------------------------------------------- */

/* Kinds of data that have random features: w'x is the linear kernel. */
#define RK_KIND_VECTORS ((unsigned)(RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE | RK_KIND_BITS))

/* A range of random features, functions of w'x for some rows w of `objects`. */
typedef struct rk_feature_part {
    enum {
        RK_PART_WAVES, /* scale cos(w'x) and scale sin(w'x): two features for each w */
        RK_PART_RELU,  /* scale max(0, w'x) */
        RK_PART_LINEAR /* scale w'x */
    } kind;
    int64_t count; /* of rows w */
    double scale;
} rk_feature_part;

/* Features phi(x) of objects, training objects or new ones.
 *
 * By landmarks D: phi(x) = L^-1 k(D, x), from the first `rank` objects of D. Then a map needs B alone, z(x) = B'k(D,
 * x), with B = L^-T W at the first `rank` objects, and 0 at the others. Random features (`parts`): D are vectors w, and
 * phi(x) are functions of w'x, one range of them after the other; L is NULL, B is W. */
typedef struct rk_features {
    int64_t width, rank; /* numbers in a row before L is divided out (the rows of B), and in phi(x) */
    rkhs_data *objects;  /* D */
    rkhs_kernel *kernel; /* random features: linear; NULL: the model's kernel */
    rk_bound *bound;     /* the kernel bound to D: of landmarks it is the reference of all others */
    double *L;           /* width x rank: features of D; the first `rank` rows are a lower triangle; or NULL */
    int64_t parts;
    rk_feature_part *part;
} rk_features;

void rk_features_free(rkhs_env *env, rk_features *f);
/* Binds x, so that its features can be computed; `kernel` is the model's. */
rkhs_status rk_features_bind(rkhs_env *env, const rk_features *f, const rkhs_kernel *kernel, const rkhs_data *x,
                             rk_bound **rows);
/* Features before L is divided out come by tiles of at most RK_TILE columns. rk_features_tile computes tile t of rows
 * i0 .. i0 + ni - 1 (ni <= RK_TILE): columns *j0 .. *j0 + *nj - 1, at out + i ld. */
int64_t rk_features_tiles(const rk_features *f);
rkhs_status rk_features_tile(const rk_features *f, int64_t t, const rk_bound *rows, int64_t i0, int64_t ni, double *out,
                             int64_t ld, rk_work work, int64_t *j0, int64_t *nj);
/* Random features in files. Loading refuses what does not fit together; `columns`: those of the data. */
rkhs_status rk_features_save(const rk_features *f, rk_archive *archive);
rkhs_status rk_features_load(rkhs_env *env, rk_archive *archive, int64_t columns, rk_features **f);
rkhs_status rk_features_copy(rkhs_env *env, const rk_features *f, rk_features **copy);

/* ---- grams ----------------------------------------------------------------------------------------------------- */

/* How a fit reads features: in a pass or two, and nothing is stored; in many passes, and what they need is stored where
 * there is room (rk_gram_cache_features); or as a matrix, which must be stored. */
typedef enum rk_reading { RK_READ_ONCE, RK_READ_OFTEN, RK_READ_STORED } rk_reading;

/* What a model needs of a gram. */
typedef struct rk_need {
    unsigned offers;    /* one of these (RK_MATRIX, ...) will do; 0: kernel values alone */
    rk_reading reading; /* of features */
    int64_t exact_rows; /* gram=auto stores K for up to so many objects: beyond, it takes more time than it is worth */
    int matrices;       /* how many matrices of the size of K such a fit holds */
} rk_need;

typedef struct rk_gram {
    rkhs_env *env;
    const struct rk_gram_type *type;
    const rk_spec *spec;
    const rkhs_kernel *kernel; /* frozen: no bandwidth rules left */
    const rkhs_data *x;
    int64_t n, rank;   /* numbers of objects, and of rows of the coefficients */
    int64_t map_count; /* rows of B, the coefficients of a map */
    int64_t kept;      /* objects that the model keeps: all, or the landmarks, which B has rows for; or a sample */
    int64_t *map_rows; /* kept: the rows of these in x; NULL: all. With features it is never NULL */
    rk_bound *bound;   /* the kernel bound to x */
    rk_bound *rows;    /* RK_FEATURES: x bound for its features; NULL: `bound` is */
    const double *K;   /* RK_MATRIX: n x n */
    int64_t ldk;
    double *own_K;         /* K, if it was computed here; else it is the user's */
    rk_features *features; /* RK_FEATURES */
    double *Phi;           /* RK_FEATURES: n x rank, if stored; else rows are computed when they are needed */
    double *raw;           /* without Phi: n x width, the rows before L is divided out, if stored */
    int64_t ldp;
} rk_gram;

typedef struct rk_gram_type {
    rk_entry entry;
    unsigned offers;
    /* Sets K and ldk; or features, whose parts and vectors it makes, and calls rk_gram_finish_features; with landmarks
     * also L, rank, map_count, kept and map_rows. Nothing if it offers products alone. */
    rkhs_status (*build)(rk_gram *g);
    /* (optional) Features with parts: refuses those of a file that `build` would not make of this spec, kernel and
     * data (kind, number and scale of the parts). */
    rkhs_status (*check)(rkhs_env *env, const rk_features *f, const rk_spec *spec, const rkhs_kernel *kernel,
                         const rkhs_data *x);
    /* RK_PRODUCTS: out = K V, n x k. */
    rkhs_status (*mul)(const rk_gram *g, const double *V, int64_t k, double *out);
    /* (optional) gram=auto: appends the text of the gram to build in its place. */
    rkhs_status (*choose)(rkhs_env *env, const rk_need *need, const rkhs_data *x, rk_text *text);
} rk_gram_type;

extern const rk_list rk_grams;

/* Builds the gram that `spec` names; the caller frees it. The kernel must be frozen. Borrows kernel, x and spec. */
rkhs_status rk_gram_new(rkhs_env *env, const rk_spec *spec, const rkhs_kernel *kernel, const rkhs_data *x, rk_gram **gram);
void rk_gram_free(rk_gram *g);
static inline int rk_gram_offers(const rk_gram *g, unsigned what) { return (g->type->offers & what) != 0; }

/* Products with k columns, ld = k. mul: out = K V. push: Z = Phi W. pull: W = Phi'Z. Without features push and pull
 * multiply by K. */
rkhs_status rk_gram_mul(const rk_gram *g, const double *V, int64_t k, double *out);
rkhs_status rk_gram_push(const rk_gram *g, const double *W, int64_t k, double *Z);
rkhs_status rk_gram_pull(const rk_gram *g, const double *Z, int64_t k, double *W);
/* The coefficients B (map_count x k) of the map for new objects: Phi_new W = k(new, D) B, D its objects. W from B, with
 * from_map(to_map(W)) = W; and the transpose of from_map. Without features all three copy. */
rkhs_status rk_gram_to_map(const rk_gram *g, const double *W, int64_t k, double *B);
rkhs_status rk_gram_from_map(const rk_gram *g, const double *B, int64_t k, double *W);
rkhs_status rk_gram_from_map_transposed(const rk_gram *g, const double *W, int64_t k, double *B);
/* B from W, and Z (n x k) as the map gives it. */
rkhs_status rk_gram_embed(const rk_gram *g, const double *W, int64_t k, double *B, double *Z);

/* K[i, i]; and out[q] = K[I[q], J[q]]. With features these are the kernel's values too, and not those of Phi Phi'. */
rkhs_status rk_gram_diag(const rk_gram *g, double *out);
rkhs_status rk_gram_entries(const rk_gram *g, const int64_t *I, const int64_t *J, int64_t count, double *out);
/* The k nearest others of each object by the squared distance in feature space, K[i, i] + K[j, j] - 2 K[i, j]:
 * nearest first, ties by index. index and value are n x k; value is K[i, j]. */
rkhs_status rk_gram_neighbours(const rk_gram *g, int64_t k, int64_t *index, double *value);
/* half_j = k(j,j)/2 of every training object j, to find the nearest to an object x in feature space. As |x - j|^2 =
 * k(x,x) - 2 (k(x,j) - half_j), the nearest j has the largest k(x,j) - half_j. *half is on the scratch list. It is
 * NULL where k(j,j) is the same for all j but for rounding: then the nearest j has the largest k(x,j). */
rkhs_status rk_gram_half_diagonal(const rk_gram *g, double **half);
/* How near training object j is to x, from v = k(x,j): larger is nearer. */
static inline double rk_nearness(const double *half, int64_t j, double v) { return half ? v - half[j] : v; }

/* K (RK_MATRIX) and its ld. spendable: the caller may overwrite K if it restores K afterwards. */
static inline const double *rk_gram_matrix(const rk_gram *g, int64_t *ld, int *spendable) {
    *ld = g->ldk;
    *spendable = g->own_K != NULL;
    return g->K;
}
/* Phi (n x rank) and its ld, after rk_gram_store_features. */
static inline const double *rk_gram_phi(const rk_gram *g, int64_t *ld) {
    *ld = g->ldp;
    return g->Phi;
}
/* Completes features whose parts and vectors w are set: binds w and x, sets rank and map_count, keeps a sample of the
 * objects, and stores Phi if there are few. */
rkhs_status rk_gram_finish_features(rk_gram *g);
/* Replaces the random features of a gram by others, of an older model. */
rkhs_status rk_gram_use_features(rk_gram *g, const rk_features *f);
/* Stores Phi, unless that is done, for models that read it. Fails if it exceeds the memory limit. */
rkhs_status rk_gram_store_features(rk_gram *g);
/* For models that go over Phi many times: stores what products need, where it fits; else that is computed again for
 * each product. The bits are the same. */
rkhs_status rk_gram_cache_features(rk_gram *g);

/* Moments of Phi in one pass over the objects, by fixed tiles, without storing Phi. Results that are NULL are left out.
 * A graph is a sparse matrix, n x n. */
typedef struct rk_moments {
    const double *weight; /* n; NULL: 1 */
    double *square;       /* rank x rank: Phi'diag(weight) Phi */
    const rk_csr *graph;
    double *between; /* rank x rank: Phi'G Phi, for a symmetric graph G */
    double *squared; /* rank x rank: (G Phi)'(G Phi), for any G */
    const double *T; /* n x k */
    int64_t k;
    double *product; /* rank x k: Phi'T */
} rk_moments;
rkhs_status rk_gram_moments(const rk_gram *g, const char *stage, const rk_moments *m);

/* Fails if `sum`, a sum of kernel values, is not finite: the kernel overflows on these data. */
rkhs_status rk_gram_check_finite(const rk_gram *g, double sum);

/* ---- for the files of this folder ------------------------------------------------------------------------------ */

/* Phi of rows i0 .. i0 + ni - 1 of `rows`: out has features->width columns, of which the first rank count. */
rkhs_status rk_features_rows(rkhs_env *env, const char *stage, const rk_features *f, const rk_bound *rows, int64_t i0,
                             int64_t ni, double *out, int64_t ld);
/* The same before L is divided out: k(x, D). */
rkhs_status rk_features_raw(rkhs_env *env, const char *stage, const rk_features *f, const rk_bound *rows, int64_t i0,
                            int64_t ni, double *out, int64_t ld);
/* Up to how many objects Phi is stored by nystrom. It is a function of the landmarks, so that bits do not depend on the
 * memory of a machine. Beyond it landmarks are chosen from a sample of so many rows. */
static inline int64_t rk_sample_rows(int64_t landmarks) { return rk_max(10000, 10 * landmarks); }

/* Chooses up to m landmarks among the objects that `bound` holds, by randomly pivoted Cholesky (rpcholesky.c). Phi is
 * n x m; index are the landmarks. Row index[i] of Phi ends at column i. */
rkhs_status rk_rpcholesky(const rk_gram *g, const rk_bound *bound, int64_t m, double *Phi, int64_t *index, int64_t *rank);
/* The same by kernel k-means (kernel_kmeans.c), without a factor: up to m landmarks, one of each cluster, after so many
 * rounds at most. Each takes as many kernel values as there are pairs of objects. */
enum { RK_KMEANS_ROUNDS = 4 };
rkhs_status rk_kernel_kmeans(const rk_gram *g, const rk_bound *bound, int64_t m, int64_t *index, int64_t *count);
/* k(x,x) of the objects that `bound` holds. */
rkhs_status rk_bound_diag(rkhs_env *env, const rk_bound *bound, double *out);
/* sums[i] = d[0] + .. + d[i]: those of a tile of rows are added to the sum of the tiles before it. */
void rk_running_sums(int64_t n, const double *d, double *sums);
/* Draws one of n rows with probability proportional to its weight, from the running sums of weights; (round, q) numbers
 * the draws of a choice of landmarks. */
int64_t rk_draw_weighted(rkhs_env *env, int64_t n, const double *sums, int64_t round, int64_t q);
/* Refuses a negative residual `left` of k(x,x) = diag: a positive semi-definite Gram has none but for rounding. */
rkhs_status rk_check_residual(const rk_gram *g, double left, double diag);

#endif
