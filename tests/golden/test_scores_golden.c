/* Every score against scikit-learn's, or the definition, as make_scores.py wrote them: data with ties, new rows, a
 * kernel. */
#include "contract/fixtures.h"

enum { N = 60, NEW = 20, P = 4, DIM = 2, WIDTH = P + DIM + 1 };

/* Columns of the golden data as a set of their own. */
static rkhs_data *part_of(rkhs_env *env, const rkhs_data *all, int64_t from, int64_t rows, int64_t column, int64_t columns) {
    int64_t ld;
    const double *values = rkhs_data_values(all, &ld);
    rkhs_data *x;
    FINE(env, rkhs_data_dense(env, values + from * ld + column, rows, columns, ld, &x));
    return x;
}

static rkhs_data *labels_of(rkhs_env *env, const rkhs_data *all, int64_t from, int64_t rows) {
    int64_t ld, codes[N];
    static const char *const names[] = {"a", "b", "c"};
    const double *values = rkhs_data_values(all, &ld);
    rkhs_data *y;
    for (int64_t i = 0; i < rows; i++) codes[i] = (int64_t)values[(from + i) * ld + P + DIM];
    FINE(env, rkhs_data_classes(env, codes, rows, names, 3, &y));
    return y;
}

static void scores_are_those_of_scikit_learn_and_the_definitions(void **state) {
    rkhs_env *env = *state;
    const char *source = getenv("RKHS_SOURCE");
    char path[400], line[256];
    rkhs_data *all;
    rkhs_kernel *kernel;
    int lines = 0;
    snprintf(path, sizeof path, "%s/tests/golden/data/scores_data.npy", source ? source : ".");
    LOOK_AT("%s", path);
    FINE(env, rkhs_data_read(env, path, NULL, &all));
    HOLDS(rkhs_data_rows(all) == N + NEW && rkhs_data_columns(all) == WIDTH);
    rkhs_data *x = part_of(env, all, 0, N, 0, P), *z = part_of(env, all, 0, N, P, DIM), *y = labels_of(env, all, 0, N);
    rkhs_data *new_x = part_of(env, all, N, NEW, 0, P), *new_z = part_of(env, all, N, NEW, P, DIM),
              *new_y = labels_of(env, all, N, NEW);
    FINE(env, rkhs_kernel_new(env, "poly(degree=2, gamma=0.25, coef0=1)", &kernel));
    snprintf(path, sizeof path, "%s/tests/golden/data/scores.txt", source ? source : ".");
    FILE *file = fopen(path, "r");
    HOLDS(file != NULL);
    while (fgets(line, sizeof line, file)) {
        char *spec = strchr(line, '\t'), *number = spec ? strchr(spec + 1, '\t') : NULL;
        HOLDS(number != NULL);
        *spec++ = *number++ = 0;
        double meant = strtod(number, NULL), value;
        rkhs_score_input what = {.x = x, .z = z, .labels = y};
        if (strcmp(line, "kernel") == 0) what.kernel = kernel;
        if (strcmp(line, "new") == 0) what.new_x = new_x, what.new_z = new_z, what.new_labels = new_y;
        LOOK_AT("%s of %s", spec, line);
        FINE(env, rkhs_score(env, (const char *const *)&spec, 1, &what, &value, NULL));
        near_each("the score", &value, &meant, 1, 1e-10);
        lines++;
    }
    fclose(file);
    HOLDS(lines > 70);
    rkhs_kernel_free(kernel);
    rkhs_data *const sets[] = {x, z, y, new_x, new_z, new_y, all};
    for (int i = 0; i < 7; i++) rkhs_data_free(sets[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {ENV_TEST(scores_are_those_of_scikit_learn_and_the_definitions)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
