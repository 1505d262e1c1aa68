/* embed.c: read a table, fit, save, load, embed rows again.
 *
 *     cc embed.c -lrkhs -o embed && ./embed iris.csv
 *
 * The table is a CSV file with a header and a column "species", which holds labels, not numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "rkhs.h"

/* Every function that can fail returns a status, and the env holds the sentence that says what happened. */
static void check(rkhs_env *env, rkhs_status status) {
    if (status == RKHS_OK) return;
    fprintf(stderr, "embed: %s\n", rkhs_env_message(env));
    exit(1);
}

static void print_rows(const rkhs_data *labels, const double *Z, int64_t rows) {
    const int64_t *code = rkhs_data_codes(labels, NULL);
    for (int64_t i = 0; i < rows; i += 25)
        printf("row %3d  %-12s %8.4f %8.4f\n", (int)i, rkhs_data_class_name(labels, code[i]), Z[2 * i], Z[2 * i + 1]);
}

int main(int argc, char **argv) {
    const char *table = argc > 1 ? argv[1] : "iris.csv";
    rkhs_env *env;
    rkhs_data *x;
    rkhs_kernel *kernel;
    rkhs_model *model, *loaded;

    if (rkhs_env_new(&env) != RKHS_OK) return 1;
    check(env, rkhs_data_read(env, table, "csv(label=species)", &x));
    check(env, rkhs_kernel_new(env, "rbf(sigma=median)", &kernel));
    check(env, rkhs_model_new(env, "kpca(dim=2)", &model));
    check(env, rkhs_model_fit(model, kernel, x, NULL, NULL));
    check(env, rkhs_model_save(model, "embed.rkhs"));

    /* The file is all that a later program needs. Here it embeds the rows it was learned from; they would rather be
     * new. */
    int64_t rows = rkhs_data_rows(x);
    double *Z = calloc((size_t)rows * 2, sizeof *Z);
    if (!Z) return 1;
    check(env, rkhs_model_load(env, "embed.rkhs", &loaded));
    check(env, rkhs_model_transform(loaded, x, Z, 2));
    printf("%s, kernel %s\n", rkhs_model_text(loaded), rkhs_kernel_text(rkhs_model_kernel(loaded)));
    print_rows(rkhs_data_labels(x), Z, rows);

    free(Z);
    rkhs_model_free(loaded);
    rkhs_model_free(model);
    rkhs_kernel_free(kernel);
    rkhs_data_free(x);
    rkhs_env_free(env);
    return 0;
}
