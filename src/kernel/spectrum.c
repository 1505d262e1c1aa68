/* spectrum.c: the spectrum kernel on strings, which counts the runs of p tokens that two strings share.
 *
 *     k(x, y) = sum_u c_u(x) c_u(y),  u over all sequences of p tokens, c_u(x) how often x contains u
 *
 * Leslie, Eskin, Noble, "The spectrum kernel", PSB 2002. */
#include "kernel/token.h"

typedef struct spectrum {
    int64_t p;
    int normalize;
    rk_tokenizer rule;
} spectrum;

static rkhs_status check_spectrum(rkhs_env *env, const void *self) {
    return rk_token_check(env, "spectrum", &((const spectrum *)self)->rule);
}

static rkhs_status features_spectrum(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const rk_bound *b) {
    int64_t p = ((const spectrum *)rk_kernel_self(b))->p;
    rkhs_status status = RKHS_OK;
    for (int64_t q = t->start[i]; status == RKHS_OK && q + p <= t->start[i + 1]; q++)
        status = rk_bag_add(rows, t->id + q, p * (int64_t)sizeof *t->id, 0, 1);
    return status;
}

static rkhs_status prepare_spectrum(rkhs_env *env, rk_bound *bound) {
    const spectrum *o = rk_kernel_self(bound);
    return rk_bag_prepare(env, bound, &o->rule, &(rk_bag_options){.features = features_spectrum, .normalize = o->normalize});
}

/* clang-format off */
static const rk_param params_spectrum[] = {
    {.name = "p", .kind = RK_INT, .offset = offsetof(spectrum, p), .value = "3", .min = 1, .max = 1000,
     .brief = "length of the substrings"},
    RK_STRING_PARAMS(spectrum, rule),
    {.name = NULL},
};

const rk_kernel_type rk_kernel_spectrum = {
    .entry = {.name = "spectrum",
              .brief = "number of substrings of p characters that two strings share; two empty strings: 1",
              .formula = "sum_u c_u(x) c_u(y) / norms",
              .where = "u: every string of p characters; c_u(x): how often it is in x; norms: sqrt(k(x,x) k(y,y)), left out with normalize=false",
              .cost = "the substrings in common a pair",
              .params = params_spectrum, .size = sizeof(spectrum)},
    .kinds = RK_KIND_STRING, .flags = RK_PSD | RK_SCALE_FREE, .check = check_spectrum, .prepare = prepare_spectrum,
    .release = rk_bag_release, .block = rk_bag_block, .diag = rk_bag_diag,
};
/* clang-format on */
