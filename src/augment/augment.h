/* augment.h: augmentations, random changes that leave an object what it is, as positives for contrastive learning or
 * as noisy input for denoising. */
#ifndef RK_AUGMENT_H
#define RK_AUGMENT_H

#include "data/data.h"

typedef struct rk_augment_type {
    rk_entry entry;
    unsigned kinds; /* the kinds of data that it applies to */
    /* One new object for each of x, of the same kind and width. Object i is a function of x and (seed, i). */
    rkhs_status (*draw)(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out);
} rk_augment_type;

extern const rk_list rk_augments;

/* Draws one new object for each of x and copies the labels; the caller frees *out. If spec is NULL, the default
 * augmentation for the kind of x is used. Fails for kinds that the augmentation does not apply to. */
rkhs_status rk_augment(rkhs_env *env, const rk_spec *spec, const rkhs_data *x, uint64_t seed, rkhs_data **out);

#endif
