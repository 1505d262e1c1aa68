/* strings.c: bytes as strings, and every kernel that takes them. */
#include "fuzz.h"

static const char *const specs[] = {"ssk(p=2)",
                                    "ssk(p=6, lambda=0.01, by=byte)",
                                    "ssk(p=1, by=word)",
                                    "spectrum",
                                    "spectrum(p=1, by=byte)",
                                    "mismatch(p=2)",
                                    "words(idf=true)",
                                    "ssk(p=3, blended=true)",
                                    "words(fold=false)",
                                    "mismatch(p=3, by=byte)",
                                    "spectrum(p=2, by=word, normalize=false)"};

/* The first byte picks the kernel, the others are strings, each up to a zero. The first half is compared with all. */
void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    enum { MOST = 12 };
    const char *strings[MOST];
    int64_t lengths[MOST], n = 0;
    double K[MOST * MOST];
    rkhs_data *x, *some;
    rkhs_kernel *k;
    if (count < 1 || count > 2000) return;
    for (size_t at = 1; at <= count && n < MOST; n++) {
        size_t stop = at;
        while (stop < count && bytes[stop]) stop++;
        strings[n] = (const char *)bytes + at;
        lengths[n] = (int64_t)(stop - at);
        at = stop + 1;
    }
    FUZZ_HOLDS(rkhs_data_strings(env, strings, lengths, n, &x) == RKHS_OK);
    FUZZ_HOLDS(rkhs_data_strings(env, strings, lengths, (n + 1) / 2, &some) == RKHS_OK);
    FUZZ_HOLDS(rkhs_kernel_new(env, specs[bytes[0] % FUZZ_COUNT(specs)], &k) == RKHS_OK);
    rkhs_status status = rkhs_kernel_gram(k, x, NULL, K, MOST);
    fuzz_status(env, status);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++)
        for (int64_t j = 0; j < n; j++) FUZZ_HOLDS(isfinite(K[i * MOST + j]) && K[i * MOST + j] == K[j * MOST + i]);
    fuzz_status(env, rkhs_kernel_gram(k, some, x, K, MOST));
    rkhs_kernel_free(k);
    rkhs_data_free(some);
    rkhs_data_free(x);
}
