/* blas.h: BLAS on one thread while tests call internals, without the public functions that see to it. On an env of
 * its own, so that those of the tests have all of their threads. */
#ifndef RK_BLAS_TEST_H
#define RK_BLAS_TEST_H

#include "la/la.h"

static rkhs_env *blas_env;

static inline int blas_begin(void) {
    return rkhs_env_new(&blas_env) != RKHS_OK || rkhs_env_set_threads(blas_env, 1) != RKHS_OK ||
           rk_blas_begin(blas_env) != RKHS_OK;
}

static inline void blas_end(void) {
    rk_blas_end(blas_env);
    rkhs_env_free(blas_env);
    blas_env = NULL;
}

#endif
