/* bits.c: files as a kernel that prefers bits has them read: packed, from bytes or from numbers. */
#include "fuzz.h"

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    static const char *const specs[] = {"npy", "npy(packed=big)", "npy(packed=little, bits=13)", "idx", "npz", "csv"};
    double K[16 * 16];
    rkhs_kernel *k;
    rkhs_data *x = NULL;
    if (count == 0) return;
    const char *path = fuzz_file(bytes + 1, count - 1);
    FUZZ_HOLDS(rkhs_kernel_new(env, "tanimoto", &k) == RKHS_OK);
    rkhs_status status = rkhs_data_read_for(env, path, specs[bytes[0] % FUZZ_COUNT(specs)], k, &x);
    fuzz_status(env, status);
    FUZZ_HOLDS((status == RKHS_OK) == (x != NULL));
    if (x && rkhs_data_rows(x) <= 16) {
        fuzz_status(env, rkhs_kernel_gram(k, x, NULL, K, 16));
        for (int64_t i = 0; i < rkhs_data_rows(x); i++) FUZZ_HOLDS(K[17 * i] > 0.999 && K[17 * i] < 1.001);
    }
    rkhs_data_free(x);
    rkhs_kernel_free(k);
}
