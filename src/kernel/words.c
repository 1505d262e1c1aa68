/* words.c: the words that two texts share.
 *
 *     k(x, y) = <v(x), v(y)> / (|v(x)| |v(y)|),   v_w(x) = how often the word w stands in x, times idf_w
 *
 * idf_w is 1, or with idf=true ln((1 + n) / (1 + n_w)) + 1, n_w the training texts that have w: rare words count more. These
 * weights belong to all training texts together. They are made again from the texts that a model keeps, so idf=true needs a
 * gram that keeps all of them; therefore it is not the default. */
#include "kernel/token.h"

typedef struct words {
    int idf, normalize;
    rk_token_rule rule;
} words;

/* What the parameters say, and that words are meant. */
static rk_token_rule rule_of(const words *o) { return (rk_token_rule){.by = RK_BY_WORD, .fold = o->rule.fold}; }

static rkhs_status features_words(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const void *self) {
    rkhs_status status = RKHS_OK;
    for (int64_t q = t->start[i]; status == RKHS_OK && q < t->start[i + 1]; q++)
        status = rk_bag_add(rows, t->id + q, sizeof *t->id, 1);
    return status;
}

static rkhs_status prepare_words(rkhs_env *env, rk_bound *bound) {
    const words *o = rk_kernel_self(bound);
    rk_token_rule rule = rule_of(o);
    return rk_bag_prepare(env, bound, &rule, features_words, o->idf);
}

static rkhs_status block_words(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    rk_bag_block(a, i0, ni, b, j0, nj, out, ld, ((const words *)rk_kernel_self(a))->normalize);
    return RKHS_OK;
}

static void diag_words(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    rk_bag_diag(a, i0, ni, out, ((const words *)rk_kernel_self(a))->normalize);
}

static int whole_words(const void *self) { return ((const words *)self)->idf; }

static const rk_param params[] = {
    {.name = "idf",
     .kind = RK_BOOL,
     .offset = offsetof(words, idf),
     .value = "false",
     .brief = "words that few training texts have count more, ln((1+n)/(1+n_w)) + 1; needs a gram that keeps all of them"},
    RK_NORMALIZE_PARAM(words),
    {.name = "fold",
     .kind = RK_BOOL,
     .offset = offsetof(words, rule.fold),
     .value = "true",
     .brief = "capitals count as small letters"},
    {.name = NULL},
};

const rk_kernel_type rk_kernel_words = {
    .entry = {.name = "words",
              .brief = "the words that two texts share, by how often they stand there",
              .formula = "<v(x),v(y)> / norms, v_w = count_w idf_w",
              .cost = "the words in common a pair",
              .params = params,
              .size = sizeof(words)},
    .kinds = RK_KIND_STRING,
    .flags = RK_PSD | RK_SCALE_FREE,
    .whole = whole_words,
    .prepare = prepare_words,
    .release = rk_bag_release,
    .block = block_words,
    .diag = diag_words,
};
