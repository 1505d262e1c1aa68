/* instructions.c: which instruction set the functions with several versions use. */
#include "la/instructions.h"

#include <stdlib.h>
#include <string.h>

/* What the processor and the system can run. */
static int has(int set) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return set == RK_PLAIN || (set == RK_AVX2 && avx2) || (set == RK_AVX512 && avx512);
#elif defined(__aarch64__)
    return set == RK_PLAIN || set == RK_NEON;
#else
    return set == RK_PLAIN;
#endif
}

_Atomic int rk_instruction_set = -1;

/* Every thread that comes here finds the same. */
int rk_choose_instructions(void) {
    static const struct {
        const char *name;
        int set;
    } sets[] = {{"avx512", RK_AVX512}, {"avx2", RK_AVX2}, {"neon", RK_NEON}, {"plain", RK_PLAIN}};
    const char *asked = getenv("RKHS_INSTRUCTIONS");
    int from = 0;
    for (int i = 0; asked && i < (int)(sizeof sets / sizeof *sets); i++)
        if (strcmp(asked, sets[i].name) == 0) from = i;
    while (!has(sets[from].set)) from++;
    rk_set_instructions(sets[from].set);
    return sets[from].set;
}

void rk_set_instructions(int set) {
    if (has(set)) atomic_store_explicit(&rk_instruction_set, set, memory_order_relaxed);
}

int rk_counts_words(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512vpopcntdq") != 0;
#else
    return 0;
#endif
}
