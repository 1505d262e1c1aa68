/* own_array.c: data from memory, progress, and how to stop a long call.
 *
 *     cc own_array.c -lrkhs -lm -o own_array && ./own_array */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rkhs.h"

enum { N = 2000, P = 3 };

/* A helix: one parameter, bent through three dimensions. */
static void fill_helix(double *X) {
    for (int i = 0; i < N; i++) {
        double t = 6.28 * i / N;
        X[P * i] = cos(t);
        X[P * i + 1] = sin(t);
        X[P * i + 2] = t / 3;
    }
}

typedef struct budget {
    int calls, most;
} budget;

/* Called some ten times a second. A nonzero answer cancels. */
static int watch(const rkhs_progress *progress, void *payload) {
    budget *b = payload;
    b->calls++;
    if (progress->total > 0) fprintf(stderr, "%s: %d of %d\n", progress->stage, (int)progress->done, (int)progress->total);
    return b->most >= 0 && b->calls > b->most;
}

int main(void) {
    double *X = calloc(N * P, sizeof *X);
    if (!X) return 1;
    fill_helix(X);

    rkhs_env *env;
    rkhs_data *x = NULL;
    rkhs_kernel *kernel = NULL;
    rkhs_model *model = NULL;
    int failed = 1;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;

    /* X is borrowed, not copied: it must live until x is freed. */
    if (rkhs_data_dense(env, X, N, P, P, &x) != RKHS_OK) goto done;
    if (rkhs_kernel_new(env, "rbf(sigma=0.5)", &kernel) != RKHS_OK) goto done;
    if (rkhs_model_new(env, "kpca(dim=2)", &model) != RKHS_OK) goto done;

    /* A callback that says stop at once: the call fails with RKHS_ERR_CANCELLED and the model is as it was, not
     * fitted. */
    budget none = {0, 0};
    rkhs_env_set_progress(env, watch, &none);
    if (rkhs_model_fit(model, kernel, x, NULL, NULL) != RKHS_ERR_CANCELLED) goto done;
    if (rkhs_model_embedding(model, NULL, NULL) != NULL) goto done;
    printf("stopped: %s\n", rkhs_env_message(env));

    budget all = {0, -1};
    rkhs_env_set_progress(env, watch, &all);
    if (rkhs_model_fit(model, kernel, x, NULL, NULL) != RKHS_OK) goto done;

    int64_t n, dim;
    const double *Z = rkhs_model_embedding(model, &n, &dim);
    printf("%d objects in %d dimensions; the first is at %.4f %.4f\n", (int)n, (int)dim, Z[0], Z[1]);
    failed = 0;

done:
    if (failed) fprintf(stderr, "own_array: %s\n", rkhs_env_message(env));
    rkhs_model_free(model);
    rkhs_kernel_free(kernel);
    rkhs_data_free(x);
    rkhs_env_free(env);
    free(X);
    return failed;
}
