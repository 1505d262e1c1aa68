/* env.h: a fresh env for every test; whatever it still holds at the end is a leak. */
#ifndef RK_ENV_TEST_H
#define RK_ENV_TEST_H

#include "check.h"
#include "base/base.h"

static inline int env_setup(void **state) {
    rkhs_env *env;
    if (rkhs_env_new(&env) != RKHS_OK) return -1;
    *state = env;
    return 0;
}

static inline int env_teardown(void **state) {
    rkhs_env *env = *state;
    rk_pool_free(env);
    size_t used = atomic_load(&env->used);
    if (used) fprintf(stderr, "%zu bytes are still in use\n", used);
    rkhs_env_free(env);
    return used != 0;
}

/* The k-th random number in (-1, 1), for matrices that are the same in every run. */
static inline double noise(uint64_t seed, uint64_t k) { return 2 * rk_uniform(seed, RK_STREAM_TEST, k, 0) - 1; }

/* TSan cannot follow threads that a forked child starts. */
#if defined(__SANITIZE_THREAD__)
enum { UNDER_TSAN = 1 };
#else
enum { UNDER_TSAN = 0 };
#endif

#define ENV_TEST(name) cmocka_unit_test_setup_teardown(name, env_setup, env_teardown)

#endif
