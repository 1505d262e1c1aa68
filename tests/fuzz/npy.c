/* npy.c: NumPy arrays, copied, and left on the disk as a precomputed Gram is, and as floats are: all ways say and read
 * the same. */
#include "fuzz.h"

static const char *const specs[] = {"npy"};

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    rkhs_kernel *precomputed;
    rkhs_data *copied = NULL, *left = NULL, *floats = NULL;
    int64_t ld;
    fuzz_reader(env, specs, FUZZ_COUNT(specs), 0, bytes, count);
    if (count == 0) return;
    FUZZ_HOLDS(rkhs_kernel_new(env, "precomputed", &precomputed) == RKHS_OK);
    const char *path = fuzz_file(bytes + 1, count - 1);
    rkhs_status first = rkhs_data_read(env, path, "npy", &copied);
    rkhs_status second = rkhs_data_read_for(env, path, "npy", precomputed, &left);
    fuzz_status(env, second);
    FUZZ_HOLDS(first == second && (second == RKHS_OK) == (left != NULL));
    if (left) {
        int64_t rows = rkhs_data_rows(copied), columns = rkhs_data_columns(copied);
        FUZZ_HOLDS(rows == rkhs_data_rows(left) && columns == rkhs_data_columns(left));
        const double *a = rkhs_data_values(copied, &ld), *b = rkhs_data_values(left, &ld);
        FUZZ_HOLDS(memcmp(a, b, (size_t)(rows * columns) * sizeof *a) == 0);
    }
    rkhs_status third = rkhs_data_read_for(env, path, "npy", NULL, &floats);
    fuzz_status(env, third);
    FUZZ_HOLDS(first == third);
    if (floats && rkhs_data_floats(floats, &ld)) {
        int64_t rows = rkhs_data_rows(copied), columns = rkhs_data_columns(copied);
        FUZZ_HOLDS(rows == rkhs_data_rows(floats) && columns == rkhs_data_columns(floats));
        fuzz_look(env, floats);
        const double *a = rkhs_data_values(copied, NULL);
        const float *b = rkhs_data_floats(floats, NULL);
        for (int64_t i = 0; i < rows * columns; i++) FUZZ_HOLDS(a[i] == (double)b[i]);
    }
    rkhs_data_free(floats);
    rkhs_data_free(left);
    rkhs_data_free(copied);
    rkhs_kernel_free(precomputed);
}
