/* model.c: model files, each as it is and with its checksum put right, so that the parser behind the checksum is
 * reached. What loads is asked for all that a model can do. */
#include "model.h"

enum { TAIL = 30, DIGITS = 16 };

/* Puts the comment with the right checksum (FNV-1a of all before it) at the end. */
static void mend(uint8_t *bytes, size_t count) {
    char tail[TAIL + 1];
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i + TAIL < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    snprintf(tail, sizeof tail, "rkhs1 fnv1a64=%0*llx", DIGITS, (unsigned long long)hash);
    memcpy(bytes + count - TAIL, tail, TAIL);
}

static void load(rkhs_env *env, const uint8_t *bytes, size_t count) {
    rkhs_model *m = NULL;
    unsigned turn = 0;
    rkhs_status status = rkhs_model_load(env, fuzz_file(bytes, count), &m);
    fuzz_status(env, status);
    FUZZ_HOLDS((status == RKHS_OK) == (m != NULL));
    if (!m) return;
    for (size_t i = 0; i < count; i++) turn = turn * 31 + bytes[i];
    fuzz_model(env, m, turn >> 8);
    fuzz_status(env, rkhs_model_save(m, "/dev/null"));
    rkhs_model_free(m);
}

void fuzz_one(rkhs_env *env, const uint8_t *bytes, size_t count) {
    if (count == 0) return;
    uint8_t *mended = malloc(count);
    FUZZ_HOLDS(mended);
    memcpy(mended, bytes, count);
    if (count > TAIL) mend(mended, count);
    if (memcmp(mended, bytes, count) != 0) load(env, bytes, count);
    load(env, mended, count);
    free(mended);
}
