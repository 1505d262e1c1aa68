/* model.c: model files, each as it is and with its checksum put right, so that the parser behind the checksum is reached. What
 * loads is used: transform, inverse, report, and a second load of what it saves. */
#include "fuzz.h"

enum { TAIL = 30, DIGITS = 16, ROOM = 4096 };

/* Puts the comment with the right checksum (FNV-1a of all before it) at the end. */
static void mend(uint8_t *bytes, size_t count) {
    char tail[TAIL + 1];
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i + TAIL < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    snprintf(tail, sizeof tail, "rkhs1 fnv1a64=%0*llx", DIGITS, (unsigned long long)hash);
    memcpy(bytes + count - TAIL, tail, TAIL);
}

/* Asks a model for all it can do, with objects of a few shapes. */
static void use(rkhs_env *env, rkhs_model *m) {
    static double numbers[ROOM], Z[ROOM];
    rkhs_data *x, *back;
    rkhs_item item;
    int64_t n = 0, dim = 0;
    const double *embedding = rkhs_model_embedding(m, &n, &dim);
    for (int64_t i = 0; i < ROOM; i++) numbers[i] = (double)(i % 7) / 4;
    static volatile double sink;
    (void)sink;
    for (int64_t i = 0; embedding && i < n * dim; i++) sink = embedding[i];
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) FUZZ_HOLDS(item.name && (item.text || item.values));
    FUZZ_HOLDS(rkhs_model_text(m) && rkhs_kernel_text(rkhs_model_kernel(m)));
    for (int64_t i = ROOM / 2; i < ROOM; i++) numbers[i] = (double)(i % 2); /* for models of bits */
    for (int64_t p = 2; p <= 4 && dim > 0 && dim <= ROOM / 3; p++) {        /* as the seeds have */
        int64_t columns = p < 4 ? p : 3;
        FUZZ_HOLDS(rkhs_data_dense(env, numbers + (p < 4 ? 0 : ROOM / 2), 3, columns, columns, &x) == RKHS_OK);
        fuzz_status(env, rkhs_model_transform(m, x, Z, dim));
        rkhs_data_free(x);
    }
    if (dim > 0 && dim <= ROOM / 3) {
        FUZZ_HOLDS(rkhs_data_strings(env, (const char *[]){"abcab", "", "cc"}, NULL, 3, &x) == RKHS_OK);
        fuzz_status(env, rkhs_model_transform(m, x, Z, dim));
        rkhs_data_free(x);
        fuzz_status(env, rkhs_model_inverse(m, numbers, 3, dim, &back));
        rkhs_data_free(back);
    }
}

static void load(rkhs_env *env, const uint8_t *bytes, size_t count) {
    rkhs_model *m = NULL, *copy;
    rkhs_status status = rkhs_model_load(env, fuzz_file(bytes, count), &m);
    fuzz_status(env, status);
    FUZZ_HOLDS((status == RKHS_OK) == (m != NULL));
    if (!m) return;
    use(env, m);
    status = rkhs_model_copy(m, &copy);
    fuzz_status(env, status);
    rkhs_model_free(copy);
    fuzz_status(env, rkhs_model_save(m, "/dev/null"));
    rkhs_model_free(m);
}

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    load(env, bytes, count);
    if (count <= TAIL) return;
    uint8_t *mended = malloc(count);
    FUZZ_HOLDS(mended);
    memcpy(mended, bytes, count);
    mend(mended, count);
    load(env, mended, count);
    free(mended);
}
