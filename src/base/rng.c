/* rng.c: random numbers that are functions of (seed, stream, row, index), so that they do not depend on threads.
 *
 * Philox 4x64, ten rounds: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
#include "base/base.h"

#include <Random123/philox.h>

void rk_random(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, uint64_t out[4]) {
    philox4x64_ctr_t counter = {{row, index, 0, 0}};
    philox4x64_key_t key = {{seed, stream}};
    philox4x64_ctr_t r = philox4x64(counter, key);
    for (int i = 0; i < 4; i++) out[i] = r.v[i];
}

/* The centre of one of 2^53 equal parts of (0, 1), as a double; the last one, which would round to 1, is lowered. */
static double unit(uint64_t word) {
    double u = ((double)(word >> 11) + 0.5) * 0x1p-53;
    return u < 1 ? u : 1 - 0x1p-53;
}

double rk_uniform(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index) {
    uint64_t w[4];
    rk_random(seed, stream, row, index, w);
    return unit(w[0]);
}

double rk_normal(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index) {
    uint64_t w[4];
    rk_random(seed, stream, row, index, w);
    return sqrt(-2 * log(unit(w[0]))) * cos(2 * M_PI * unit(w[1]));
}

void rk_uniforms(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, double out[4]) {
    uint64_t w[4];
    rk_random(seed, stream, row, index, w);
    for (int i = 0; i < 4; i++) out[i] = unit(w[i]);
}

void rk_normals(uint64_t seed, uint64_t stream, uint64_t row, uint64_t index, double out[4]) {
    double u[4];
    rk_uniforms(seed, stream, row, index, u);
    for (int i = 0; i < 4; i += 2) {
        double r = sqrt(-2 * log(u[i])), a = 2 * M_PI * u[i + 1];
        out[i] = r * cos(a);
        out[i + 1] = r * sin(a);
    }
}

rkhs_status rk_choose_rows(rkhs_env *env, uint64_t stream, int64_t n, int64_t count, int64_t *rows) {
    if (count < 0 || count > n)
        return rk_fail(env, RKHS_ERR_BUG, "%lld of %s cannot be chosen", (long long)count, rk_counted(n, "row").text);
    int64_t chosen = 0;
    for (int64_t i = 0; i < n && chosen < count; i++) {
        /* Selection sampling: row i is taken with probability (rows still wanted)/(rows left). */
        if (rk_uniform(env->seed, stream, (uint64_t)i, 0) * (double)(n - i) < (double)(count - chosen)) rows[chosen++] = i;
    }
    return RKHS_OK;
}
