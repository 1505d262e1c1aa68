/* augment.h: other objects that are the same thing: positives for contrastive learning, noise for denoising. */
#ifndef RK_AUGMENT_H
#define RK_AUGMENT_H

#include "data/data.h"

typedef struct rk_augment_type {
    rk_entry entry;
    unsigned kinds; /* of data that it applies to */
    /* As many objects of the same kind and width; object i is a function of x and (seed, i). */
    rkhs_status (*draw)(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out);
} rk_augment_type;

extern const rk_list rk_augments;

/* As many objects as x has, labels too; spec NULL: the usual one for its kind. Refuses kinds that it does not apply to. */
rkhs_status rk_augment(rkhs_env *env, const rk_spec *spec, const rkhs_data *x, uint64_t seed, rkhs_data **out);

#endif
