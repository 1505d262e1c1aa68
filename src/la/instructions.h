/* instructions.h: functions compiled for several instruction sets, of which one is chosen when they are called.
 *
 * All versions give the same bits wherever the processor has fused multiply-adds (every x86-64 since 2013, every
 * arm64): sums have a fixed order, multiply-adds are written out as RK_FMA, and the compiler may not fuse others
 * (-ffp-contract=off). A processor without them runs the plain version, with its own bits. */
#ifndef RK_INSTRUCTIONS_H
#define RK_INSTRUCTIONS_H

#include <stdatomic.h>

/* The instruction sets that have a version of their own. */
enum { RK_PLAIN = 0, RK_AVX2 = 1, RK_AVX512 = 2, RK_NEON = 3 };

/* The one in use: the best of this processor, or a lesser one that the environment variable RKHS_INSTRUCTIONS names
 * (plain, avx2, avx512, neon), which is for tests. Inline, since it is asked at each call of a small function. */
extern __attribute__((visibility("hidden"))) _Atomic int rk_instruction_set; /* -1: not chosen yet */
int rk_choose_instructions(void);
static inline int rk_instructions(void) {
    int set = atomic_load_explicit(&rk_instruction_set, memory_order_relaxed);
    return __builtin_expect(set < 0, 0) ? rk_choose_instructions() : set;
}
/* Uses another one from here on; nothing happens if the processor does not have it. For tests, while no other thread
 * computes. */
void rk_set_instructions(int set);
/* Whether AVX-512 counts the bits of words (VPOPCNTDQ), which not every processor with RK_AVX512 can. */
int rk_counts_words(void);

/* a b + c, rounded once where the processor can; for the body of RK_VERSIONS, which declares `fused`. */
#define RK_FMA(a, b, c) (fused ? __builtin_fma(a, b, c) : (a) * (b) + (c))
#define RK_ALWAYS_INLINE static inline __attribute__((always_inline))

#define RK_LIST(...) __VA_ARGS__
#define RK_VERSIONS_BEGIN(result, name, parameters)                                                                            \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"") /* return of a void call */                \
        RK_ALWAYS_INLINE result name##_body(const int fused, RK_LIST parameters);
#define RK_VERSION(result, name, suffix, attribute, fused, parameters, arguments)                                              \
    attribute __attribute__((noinline)) static result name##_##suffix parameters {                                             \
        return name##_body(fused, RK_LIST arguments);                                                                          \
    }
#define RK_VERSIONS_END(result, name, parameters)                                                                              \
    _Pragma("GCC diagnostic pop") RK_ALWAYS_INLINE result name##_body(const int fused, RK_LIST parameters)

/* Begins the definition of a function: RK_VERSIONS(, double, rk_sum, (int64_t n, const double *x), (n, x)) { body }.
 * storage: static, or nothing. Helpers that the body calls are RK_ALWAYS_INLINE, and take `fused` if they use
 * RK_FMA. */
#if defined(__x86_64__) && defined(__GNUC__)
#define RK_VERSIONS(storage, result, name, parameters, arguments)                                                              \
    RK_VERSIONS_BEGIN(result, name, parameters)                                                                                \
    RK_VERSION(result, name, avx512, __attribute__((target("arch=x86-64-v4"))), 1, parameters, arguments)                      \
    RK_VERSION(result, name, avx2, __attribute__((target("arch=x86-64-v3"))), 1, parameters, arguments)                        \
    RK_VERSION(result, name, plain, , 0, parameters, arguments)                                                                \
    storage result name parameters {                                                                                           \
        int set = rk_instructions();                                                                                           \
        if (set == RK_AVX512) return name##_avx512 arguments;                                                                  \
        if (set == RK_AVX2) return name##_avx2 arguments;                                                                      \
        return name##_plain arguments;                                                                                         \
    }                                                                                                                          \
    RK_VERSIONS_END(result, name, parameters)
#else
#if defined(__aarch64__)
#define RK_HAS_FMA 1
#else
#define RK_HAS_FMA 0
#endif
#define RK_VERSIONS(storage, result, name, parameters, arguments)                                                              \
    RK_VERSIONS_BEGIN(result, name, parameters)                                                                                \
    storage result name parameters { return name##_body(RK_HAS_FMA, RK_LIST arguments); }                                      \
    RK_VERSIONS_END(result, name, parameters)
#endif

#endif
