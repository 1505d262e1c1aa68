/* gram.c: objects that are no vectors. Any symmetric measure of likeness between them, as a matrix, is enough.
 *
 *     cc gram.c -lrkhs -o gram && ./gram
 *
 * Here the objects are words, compared by the pairs of letters that they share. A precomputed Gram is given as
 * numbers: row i, column j is k(object i, training object j), and the kernel "precomputed" reads it so. New objects
 * are rows of their own, with one column for each training object. */
#include <stdio.h>
#include <string.h>

#include "rkhs.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static const char *const known[] = {"kernel", "kernels", "colonel", "matrix", "matrices", "vector", "vectors", "tensor"};
static const char *const fresh[] = {"kernelled", "vectorial"};

/* How many pairs of neighbouring letters of a stand in b, over all pairs of places: an inner product of pair counts. */
static double shared_pairs(const char *a, const char *b) {
    double sum = 0;
    for (size_t i = 0; i + 1 < strlen(a); i++)
        for (size_t j = 0; j + 1 < strlen(b); j++) sum += a[i] == b[j] && a[i + 1] == b[j + 1];
    return sum;
}

static void fill(double *K, const char *const *rows, int count) {
    for (int i = 0; i < count; i++)
        for (int j = 0; j < COUNT(known); j++) K[i * COUNT(known) + j] = shared_pairs(rows[i], known[j]);
}

int main(void) {
    enum { N = COUNT(known), M = COUNT(fresh) };
    double K[N * N], K_fresh[M * N], Z_fresh[M * 2];
    fill(K, known, N);
    fill(K_fresh, fresh, M);

    rkhs_env *env;
    rkhs_data *x = NULL, *x_fresh = NULL;
    rkhs_kernel *kernel = NULL;
    rkhs_model *model = NULL;
    int failed = 1;
    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    if (rkhs_data_dense(env, K, N, N, N, &x) != RKHS_OK) goto done;
    if (rkhs_data_dense(env, K_fresh, M, N, N, &x_fresh) != RKHS_OK) goto done;
    if (rkhs_kernel_new(env, "precomputed", &kernel) != RKHS_OK) goto done;
    if (rkhs_model_new(env, "kpca(dim=2)", &model) != RKHS_OK) goto done;
    if (rkhs_model_fit(model, kernel, x, NULL, NULL) != RKHS_OK) goto done;
    if (rkhs_model_transform(model, x_fresh, Z_fresh, 2) != RKHS_OK) goto done;

    const double *Z = rkhs_model_embedding(model, NULL, NULL);
    for (int i = 0; i < N; i++) printf("%-10s %7.3f %7.3f\n", known[i], Z[2 * i], Z[2 * i + 1]);
    for (int i = 0; i < M; i++) printf("%-10s %7.3f %7.3f  (new)\n", fresh[i], Z_fresh[2 * i], Z_fresh[2 * i + 1]);
    failed = 0;

done:
    if (failed) fprintf(stderr, "gram: %s\n", rkhs_env_message(env));
    rkhs_model_free(model);
    rkhs_kernel_free(kernel);
    rkhs_data_free(x_fresh);
    rkhs_data_free(x);
    rkhs_env_free(env);
    return failed;
}
