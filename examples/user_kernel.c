/* user_kernel.c: a kernel of your own, in specs beside the library's.
 *
 *     cc user_kernel.c -lrkhs -lm -o user_kernel && ./user_kernel */
#include <math.h>
#include <stdio.h>

#include "rkhs.h"

enum { N = 200, P = 2 };

/* Hours of a day: 23 and 1 are near. k(x, y) = exp(cos(2 pi (x - y) / period) - 1) on the first column. */
static rkhs_status circular(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j, double *value, void *payload) {
    const double period = *(const double *)payload, turn = 6.283185307179586;
    int64_t lda, ldb;
    const double *x = rkhs_data_values(a, &lda), *y = rkhs_data_values(b, &ldb);
    *value = exp(cos(turn * (x[i * lda] - y[j * ldb]) / period) - 1);
    return RKHS_OK;
}

int main(void) {
    static double X[N * P], day = 24;
    for (int i = 0; i < N; i++) {
        X[P * i] = 24.0 * i / N;                  /* the hour */
        X[P * i + 1] = 15 + 5 * sin(0.1 * i * i); /* a temperature */
    }
    rkhs_env *env, *other = NULL;
    rkhs_data *x = NULL;
    rkhs_kernel *kernel = NULL;
    rkhs_model *model = NULL, *again = NULL;
    int failed = 1;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;

    /* Fields that are left out are 0. Values of the kernel may be asked for on several threads at a time: it changes
     * nothing. */
    rkhs_user_kernel hours = {.pair = circular, .payload = &day, .psd = 1};
    if (rkhs_env_add_kernel(env, "hours", &hours) != RKHS_OK) goto done;

    /* Now it has weights, sums, products, columns, and everything else that a kernel has. */
    if (rkhs_data_dense(env, X, N, P, P, &x) != RKHS_OK) goto done;
    if (rkhs_kernel_new(env, "hours[0] + 0.5*hours[0]*standardize(rbf)[1]", &kernel) != RKHS_OK) goto done;
    if (rkhs_model_new(env, "kpca(dim=2)", &model) != RKHS_OK) goto done;
    if (rkhs_model_fit(model, kernel, x, NULL, NULL) != RKHS_OK) goto done;
    const double *Z = rkhs_model_embedding(model, NULL, NULL);
    printf("midnight %.3f %.3f, an hour before %.3f %.3f, noon %.3f %.3f\n", Z[0], Z[1], Z[2 * 191], Z[2 * 191 + 1], Z[2 * 100],
           Z[2 * 100 + 1]);

    /* A file stores the name alone: an env that does not have the kernel cannot load the model. */
    if (rkhs_model_save(model, "user_kernel.rkhs") != RKHS_OK) goto done;
    if (rkhs_env_new(&other) != RKHS_OK) goto done;
    if (rkhs_model_load(other, "user_kernel.rkhs", &again) == RKHS_OK) goto done;
    printf("without it: %s\n", rkhs_env_message(other));
    if (rkhs_model_load(env, "user_kernel.rkhs", &again) != RKHS_OK) goto done;
    remove("user_kernel.rkhs");
    failed = 0;

done:
    if (failed) fprintf(stderr, "user_kernel: %s\n", rkhs_env_message(env));
    rkhs_model_free(again);
    rkhs_model_free(model);
    rkhs_kernel_free(kernel);
    rkhs_data_free(x);
    rkhs_env_free(other);
    rkhs_env_free(env);
    return failed;
}
