/* augment.c: the list of augmentations, the default one for each kind of data, and rkhs_data_augment.
 *
 * Augmented object i is a function of the data and (seed, i), so results do not depend on the number of threads. */
#include "augment/augment.h"

#include <string.h>

#define RK_AUGMENT(name) extern const rk_augment_type rk_augment_##name;
#include "augment/augments.def"
#undef RK_AUGMENT

static const rk_entry *const entries[] = {
#define RK_AUGMENT(name) &rk_augment_##name.entry,
#include "augment/augments.def"
#undef RK_AUGMENT
    NULL};

const rk_list rk_augments = {"augments", "augmentation", entries};

/* The default augmentation for a kind of data; NULL if there is none. */
static const char *usual(unsigned kind) {
    return kind & (RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_IMAGE) ? "noise"
           : kind == RK_KIND_STRING                                ? "edit"
           : kind == RK_KIND_BITS                                  ? "toggle"
           : kind == RK_KIND_GRAPH                                 ? "drop"
                                                                   : NULL;
}

rkhs_status rk_augment(rkhs_env *env, const rk_spec *spec, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_spec *own = NULL;
    rkhs_data *drawn = NULL;
    const char *name = usual(x->type->kind);
    char kinds[128];
    *out = NULL;
    if (!spec && name) TRY(rk_spec_new(env, &rk_augments, name, &own));
    if (!spec) spec = own;
    if (x->type->kind == RK_KIND_GRAM)
        FAIL(env, RKHS_ERR_DATA, "the objects behind a precomputed Gram cannot be augmented: give the objects and a kernel%s",
             ", or pairs or triplets of rows");
    if (!spec)
        FAIL(env, RKHS_ERR_DATA, "there is no augmentation of %s data: give pairs or triplets of rows", x->type->entry.name);
    const rk_augment_type *type = (const rk_augment_type *)spec->entry;
    if (!(type->kinds & x->type->kind))
        FAIL(env, RKHS_ERR_DATA, "the augmentation '%s' applies to %s data, not to %s: choose another%s%s%s", type->entry.name,
             rk_kinds_text(type->kinds, kinds), x->type->entry.name, name ? ", such as " : "", name ? name : "",
             type->kinds == RK_KIND_IMAGE && x->type->kind == RK_KIND_DENSE ? "; an array n x h x w is images" : "");
    TRY(type->draw(env, spec->self, x, seed, &drawn));
    if (x->labels) TRY(rk_data_keep(x->labels, NULL, 0, &drawn->labels));
    *out = drawn;
    drawn = NULL;
done:
    rkhs_data_free(drawn);
    rk_spec_free(env, own);
    return status;
}

rkhs_status rkhs_data_augment(rkhs_env *env, const rkhs_data *data, const char *spec, rkhs_data **augmented) {
    rkhs_status status = RKHS_OK;
    rk_spec *s = NULL;
    if (!env || !data || !augmented)
        return rk_fail_null(env, "rkhs_data_augment", augmented ? "data" : "variable for the data");
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    *augmented = NULL;
    if (spec) TRY(rk_spec_new(env, &rk_augments, spec, &s));
    TRY(rk_augment(env, s, data, env->seed, augmented));
done:
    rk_spec_free(env, s);
    rk_scratch_release(env, mark);
    return status;
}
