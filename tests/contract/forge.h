/* forge.h: model files with a right checksum that no fit wrote. */
#ifndef RK_FORGE_H
#define RK_FORGE_H

#include "fixtures.h"

enum { N = 6, DIM = 2, MOST = 1 << 12 };

static const double zeros[MOST] __attribute__((unused));

/* An array that takes the place of one of a file, or joins them; type 0: that one goes. */
typedef struct swap {
    const char *name;
    rk_array array;
} swap;

/* Writes "m.rkhs" again as "c.rkhs", with some arrays exchanged. */
static inline void forge(rkhs_env *env, const swap *swaps, int count) {
    rk_archive *old, *out;
    rk_array array;
    FINE(env, rk_archive_read(env, "m.rkhs", &old));
    FINE(env, rk_archive_new(env, &out));
    for (int i = 0; i < count; i++)
        if (swaps[i].array.type) FINE(env, rk_archive_put(out, swaps[i].name, &swaps[i].array));
    for (int64_t i = 0; i < rk_archive_count(old); i++) {
        const char *name = rk_archive_name(old, i);
        int other = 0;
        for (int q = 0; q < count; q++) other |= strcmp(name, swaps[q].name) == 0;
        if (other) continue;
        FINE(env, rk_archive_get(old, name, rk_archive_type(old, i), -1, &array));
        FINE(env, rk_archive_put(out, name, &array));
    }
    FINE(env, rk_archive_write(out, "c.rkhs"));
    rk_archive_free(out);
    rk_archive_free(old);
}

#define FORGE(env, ...) forge(env, (const swap[]){__VA_ARGS__}, (int)(sizeof(const swap[]){__VA_ARGS__} / sizeof(swap)))

/* A model fitted on a set of the fixtures, as "m.rkhs". */
static inline void save_model(rkhs_env *env, const char *spec, const char *kernel, const char *set) {
    static const float floats[N * 3] = {1, -2, 3, 0.1f, 5, 6, 7, -8.5f, 9, 10, 11, 12, 1e-3f, 14, 15, 0, 17, 18};
    rkhs_data *x;
    const rk_entry *entry;
    rkhs_kernel *k = NULL;
    rkhs_model *m;
    LOOK_AT("%s on %s", spec, set);
    if (strcmp(set, "floats") == 0)
        FINE(env, rkhs_data_float(env, floats, N, 3, 3, &x));
    else
        x = fixture_data(env, set, N);
    if (kernel) FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rkhs_model_new(env, spec, &m));
    entry = &m->type->entry;
    rkhs_data *y = ((const rk_model_type *)entry)->predicts ? fixture_data(env, "column", N) : NULL;
    FINE(env, rkhs_model_fit(m, k, x, y, NULL));
    FINE(env, rkhs_model_save(m, "m.rkhs"));
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* "c.rkhs" is refused, and the sentence has `part`. */
static inline void refused(rkhs_env *env, const char *part) {
    rkhs_model *m = NULL;
    size_t used = env->used;
    REFUSED(env, RKHS_ERR_FORMAT, part, rkhs_model_load(env, "c.rkhs", &m));
    HOLDS(strncmp(rkhs_env_message(env), "c.rkhs: ", 8) == 0);
    HOLDS(!strstr(rkhs_env_message(env) + 8, "c.rkhs"));
    HOLDS(strcmp(rkhs_env_subject(env), "c.rkhs") == 0);
    HOLDS(!m && env->used == used);
}

#endif
