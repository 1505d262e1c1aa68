/* reconstruction.c: the score reconstruction: the share of variance lost when objects are predicted from the
 * embedding.
 *
 *     sum_i |x_i - f(z_i)|^2 / sum_i |x_i - mean|^2         0: predicted perfectly, 1: no better than their mean
 *
 * f is the kernel ridge regression from embedding to vectors that a model's inverse uses (opt/code_regression.c), with
 * its choice of width and ridge, from at most 2000 rows, evenly spread. Without new rows, f is leave-one-out, and the
 * mean is that of all rows. With new rows, both sums are over these; f and the mean come from the other rows. */
#include "score/score.h"

#include <string.h>

/* The fitted regression. */
typedef struct back {
    int64_t n, p;     /* rows used; columns of the objects */
    double *mean, *C; /* p; n x p coefficients */
    rkhs_data *codes; /* n */
    rkhs_kernel *kernel;
    double error; /* sum of squared leave-one-out errors */
} back;

/* `count` rows, evenly spread: their embedding, and the objects minus their mean. */
static rkhs_status some_pairs(rkhs_env *env, const rkhs_data *z, const rkhs_data *x, int64_t count, const double *mean,
                              rkhs_data **codes, double *X) {
    int64_t d = z->columns, p = x->columns;
    const rk_dense *objects = x->self;
    double *to;
    rkhs_status status = rk_data_dense_new(env, count, d, &to, codes);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++) {
        int64_t row = i * z->rows / count;
        rkhs_data_row(z, row, to + i * d);
        for (int64_t c = 0; c < p; c++) X[i * p + c] = rk_dense_at(objects, row, c) - mean[c];
    }
    return status;
}

/* Fits the regression, and its leave-one-out error if that is wanted. */
static rkhs_status fit_back(rkhs_env *env, const rkhs_data *z, const rkhs_data *x, int leave_one_out, back *b) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t trial = rk_min(z->rows, RK_RIDGE_TRIAL);
    double *K, *X, width, ridge;
    rkhs_data *codes = NULL;
    TRY(rk_dense_means(env, x, b->mean));
    TRY(rk_scratch(env, trial * b->p, sizeof *X, &X));
    TRY(rk_scratch(env, b->n * b->n, sizeof *K, &K));
    TRY(some_pairs(env, z, x, trial, b->mean, &codes, X));
    TRY(rk_ridge_choose(env, "score", codes, X, b->p, &width, &ridge));
    TRY(some_pairs(env, z, x, b->n, b->mean, &b->codes, b->C));
    TRY(rk_ridge_gram(env, width, b->codes, &b->kernel, K));
    TRY(rk_ridge_solve(env, "score", b->n, b->p, K, ridge, b->C, leave_one_out ? &b->error : NULL));
    if (leave_one_out && isinf(b->error))
        FAIL(env, RKHS_ERR_NUMERIC, "reconstruction: rows of the embedding are too close together to be told apart");
done:
    rkhs_data_free(codes);
    rk_scratch_release(env, mark);
    return status;
}

/* The sum of squared errors of f on new rows, a tile at a time. */
static rkhs_status new_error(rkhs_env *env, const back *b, const rkhs_data *z, const rkhs_data *x, double *error) {
    rkhs_status status = RKHS_OK;
    rk_bound *kept = NULL, *fresh = NULL;
    rk_work *work;
    double *K, *f;
    rk_row_sum sum = {0};
    TRY(rk_bind(env, b->kernel, b->codes, NULL, &kept));
    TRY(rk_bind(env, b->kernel, z, kept, &fresh));
    TRY(rk_work_new(env, fresh, kept, &work));
    TRY(rk_scratch(env, RK_TILE * RK_TILE, sizeof *K, &K));
    TRY(rk_scratch(env, RK_TILE * b->p, sizeof *f, &f));
    for (int64_t i0 = 0; i0 < z->rows; i0 += RK_TILE) {
        int64_t ni = rk_min(RK_TILE, z->rows - i0);
        TRY(rk_progress(env, "score", i0, z->rows));
        for (int64_t i = 0; i < ni; i++) memcpy(f + i * b->p, b->mean, (size_t)b->p * sizeof *f);
        for (int64_t j0 = 0; j0 < b->n; j0 += RK_TILE) {
            int64_t nj = rk_min(RK_TILE, b->n - j0);
            TRY(rk_block_of(fresh, i0, ni, kept, j0, nj, K, RK_TILE, work[0]));
            for (int64_t i = 0; i < ni; i++)
                for (int64_t j = 0; j < nj; j++)
                    for (int64_t c = 0; c < b->p; c++) f[i * b->p + c] += K[i * RK_TILE + j] * b->C[(j0 + j) * b->p + c];
        }
        for (int64_t i = 0; i < ni; i++) rk_add_row(&sum, rk_row_square(x->self, i0 + i, b->p, 1, 1, f + i * b->p));
    }
    *error = rk_row_total(&sum);
done:
    rk_unbind(env, fresh);
    rk_unbind(env, kept);
    return status;
}

/* The sum of squares of x about the mean, over `count` rows, evenly spread. */
static double spread(const back *b, const rkhs_data *x, int64_t count) {
    rk_row_sum sum = {0};
    for (int64_t i = 0; i < count; i++) rk_add_row(&sum, rk_row_square(x->self, i * x->rows / count, b->p, 1, 1, b->mean));
    return rk_row_total(&sum);
}

static rkhs_status family_reconstruction(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    const rkhs_data *x, *fresh = NULL;
    rkhs_data *view = NULL, *fresh_view = NULL;
    back b = {0};
    double error, all;
    TRY(rk_data_coerce(env, w->x, RK_KIND_DENSE, "the score reconstruction", &x, &view));
    if (w->new_z) TRY(rk_data_coerce(env, w->new_x, RK_KIND_DENSE, "the score reconstruction", &fresh, &fresh_view));
    if (fresh && fresh->columns != x->columns)
        FAIL(env, RKHS_ERR_DATA, "the new objects have %s, the others %lld: give both the same",
             rk_counted(fresh->columns, "column").text, (long long)x->columns);
    if (x->rows < 3)
        FAIL(env, RKHS_ERR_DATA, "reconstruction: %s, and at least 3 are needed: give more", rk_counted(x->rows, "row").text);
    b.n = rk_min(x->rows, RK_RIDGE_PAIRS);
    b.p = x->columns;
    TRY(rk_scratch(env, b.p, sizeof *b.mean, &b.mean));
    TRY(rk_scratch(env, b.n * b.p, sizeof *b.C, &b.C));
    TRY(fit_back(env, w->z, x, !w->new_z, &b));
    error = b.error;
    if (w->new_z) TRY(new_error(env, &b, w->new_z, fresh, &error));
    all = w->new_z ? spread(&b, fresh, fresh->rows) : spread(&b, x, b.n);
    if (!(all > 0)) FAIL(env, RKHS_ERR_DATA, "reconstruction: all objects are equal: there is nothing to get back");
    for (int i = 0; i < count; i++) items[i].value = error / all;
done:
    rkhs_kernel_free(b.kernel);
    rkhs_data_free(b.codes);
    rkhs_data_free(fresh_view);
    rkhs_data_free(view);
    return status;
}

/* clang-format off */
const rk_score_type rk_score_reconstruction = {
    .entry = {.name = "reconstruction",
              .brief = "share of the variance of the objects that cannot be reconstructed from the embedding; 0 is best",
              .formula = "sum_i |x_i - f(z_i)|^2 / sum_i |x_i - mean|^2",
              .where = "x_i: the vector of object i; f(z_i): its prediction from its embedding by a regression, object i left out", .cost = "m^3, m = min(n, 2000) rows"},
    .needs = RK_NEEDS_X, .takes_new = 1, .better = RK_LESS_IS_BETTER, .family = family_reconstruction,
};
/* clang-format on */
