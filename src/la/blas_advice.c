/* blas_advice.c: says when OpenBLAS runs on kernels for older processors than this one.
 *
 * An OpenBLAS that was built for many processors chooses its kernels when it is loaded. One that is older than the
 * processor does not know it, and takes the oldest it has: with vectors of 16 bytes and no multiply-adds. The variable
 * OPENBLAS_CORETYPE chooses others, if it is set before the program starts. */
#include "la/eigen.h"

#include <dlfcn.h>
#include <string.h>
#include <strings.h>

enum { LARGE = 1000 }; /* below, an eigenproblem is solved within a second with any kernels */

/* OpenBLAS's names of processors that have no AVX2. */
static const char *const old_cores[] = {"Unknown",   "Katmai",       "Coppermine", "Northwood",  "Prescott", "Banias",
                                        "Atom",      "Core2",        "Penryn",     "Dunnington", "Nehalem",  "Athlon",
                                        "Opteron",   "Opteron_SSE3", "Barcelona",  "Nano",       "Bobcat",   "Sandybridge",
                                        "Bulldozer", "Piledriver",   "Steamroller"};

const char *rk_better_core(const char *core, int instructions) {
    if (!core || (instructions != RK_AVX2 && instructions != RK_AVX512)) return NULL;
    for (size_t i = 0; i < sizeof old_cores / sizeof *old_cores; i++)
        if (strcasecmp(core, old_cores[i]) == 0) return instructions == RK_AVX512 ? "SkylakeX" : "Haswell";
    return NULL;
}

/* The processor that OpenBLAS takes this one for. NULL: it has no choice, or it is another BLAS. */
static const char *chosen_core(void) {
    char *(*config)(void), *(*core)(void);
    *(void **)&config = dlsym(RTLD_DEFAULT, "openblas_get_config");
    *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    return config && core && strstr(config(), "DYNAMIC_ARCH") ? core() : NULL;
}

void rk_advise_core(rkhs_env *env, int64_t n) {
    if (n < LARGE || env->core_advised) return;
    const char *core = chosen_core(), *better = rk_better_core(core, rk_instructions());
    if (!better) return;
    env->core_advised = 1;
    rk_advise(env, "OPENBLAS_CORETYPE", NULL,
              "LAPACK runs on OpenBLAS's %s kernels, though this processor has %s: set the variable OPENBLAS_CORETYPE=%s "
              "before the program starts, and the eigenvectors come up to twice as fast",
              core, rk_instructions() == RK_AVX512 ? "AVX-512" : "AVX2", better);
}
