/* token.h: strings as tokens, and kernels that count features (bags), for string and graph kernels. */
#ifndef RK_TOKEN_H
#define RK_TOKEN_H

#include "kernel/kernel.h"

/* ---- token.c: tokens, alphabets, dictionaries, normalisation --------------------------------------------------- */

enum { RK_BY_CHAR, RK_BY_BYTE, RK_BY_WORD };

/* How strings are split into tokens; part of each string kernel's parameters. */
typedef struct rk_tokenizer {
    int by, fold;
    char *alphabet; /* NULL: any character */
} rk_tokenizer;

/* A dictionary: it numbers keys 0, 1, ... in order of appearance. Keys in `before`, which it borrows, keep their
 * numbers; new keys are numbered after these. */
typedef struct rk_dictionary rk_dictionary;
rkhs_status rk_dictionary_new(rkhs_env *env, const rk_dictionary *before, rk_dictionary **names);
rkhs_status rk_dictionary_number(rkhs_env *env, rk_dictionary *names, const void *key, int64_t length, int32_t *number);
int64_t rk_dictionary_count(const rk_dictionary *names);
const char *rk_dictionary_key(const rk_dictionary *names, int64_t i, int64_t *length); /* no `before`, no final zero */
void rk_dictionary_free(rkhs_env *env, rk_dictionary *names);

/* The characters of an alphabet, ascending. low: position + 1 of those below 256, 0 if not there. */
typedef struct rk_alphabet {
    int64_t count;
    int32_t *code, low[256];
} rk_alphabet;
rkhs_status rk_alphabet_new(rkhs_env *env, const rk_tokenizer *rule, rk_alphabet *letters);
int32_t rk_alphabet_position(const rk_alphabet *letters, int32_t code); /* its position; -1: not there */

/* The tokens of string i are id[start[i]] .. id[start[i+1]-1]. */
typedef struct rk_tokens {
    int64_t *start; /* n + 1 */
    int32_t *id;
    rk_dictionary *words;
    int64_t longest;
} rk_tokens;
rkhs_status rk_tokens_new(rkhs_env *env, const rkhs_data *x, const rk_tokenizer *rule, const rk_tokens *reference,
                          rk_tokens *t);
void rk_tokens_free(rkhs_env *env, rk_tokens *t);
/* Refuses parameters that contradict each other. */
rkhs_status rk_token_check(rkhs_env *env, const char *kernel, const rk_tokenizer *rule);

/* What the `side` of every string kernel begins with. */
typedef struct rk_string_side {
    rk_tokens tokens;
    double *norm, *root; /* k(x, x) before normalisation, and its root */
    int64_t zeros;       /* how many norms are 0 */
} rk_string_side;
rkhs_status rk_string_roots(rkhs_env *env, int64_t n, rk_string_side *s); /* fills root and zeros */
void rk_string_release(rkhs_env *env, rk_string_side *s);
/* Divides a tile by sqrt(k(x,x) k(y,y)). Strings with k(x,x) = 0, too short to count anything in, get 1 with strings
 * of the same tokens and 0 with all others. */
void rk_string_normalise(const rk_string_side *a, int64_t i0, int64_t ni, const rk_string_side *b, int64_t j0, int64_t nj,
                         double *out, int64_t ld);

/* ---- bag.c: kernels that are inner products of feature counts -------------------------------------------------- */

/* Rows of counts: dense if most objects have most features, else sparse. */
typedef struct rk_bag_counts {
    rkhs_data *x;
    rk_vector_side vector;
    rk_bound inner; /* x and vector, for rk_vector_dots */
} rk_bag_counts;

/* Objects as counts of features, which a dictionary numbers. */
typedef struct rk_bag {
    rk_string_side string;
    rk_dictionary *names;
    rk_dictionary *vocabulary; /* learnt words, which the tokens' dictionary continues; or NULL */
    rk_bag_counts plain;
    rk_bag_counts weighted; /* the counts times the weights of their groups, if there are any */
    int normalize;
} rk_bag;

/* Adds the features of object i by rk_bag_add. A key must always come with the same group. */
typedef struct rk_bag_rows rk_bag_rows;
typedef rkhs_status (*rk_bag_fn)(rk_bag_rows *rows, const rk_tokens *tokens, int64_t i, const rk_bound *bound);
rkhs_status rk_bag_add(rk_bag_rows *rows, const void *key, int64_t length, int32_t group, double count);
/* rk_bag_add for group 0 in two steps: the number of a feature, then counting it. */
rkhs_status rk_bag_number(rk_bag_rows *rows, const void *key, int64_t length, int32_t *feature);
rkhs_status rk_bag_count(rk_bag_rows *rows, int32_t feature, double count);
const void *rk_bag_context(const rk_bag_rows *rows);
rkhs_env *rk_bag_env(const rk_bag_rows *rows);

typedef struct rk_bag_options {
    rk_bag_fn features;
    const void *context; /* for `features`, which asks rk_bag_context */
    /* (optional) For objects other than strings: tokens that tell objects apart that have no features. */
    rkhs_status (*tokens)(rkhs_env *env, const rk_bound *bound, rk_tokens *tokens);
    rk_dictionary *vocabulary; /* numbered words, for the reference; taken over, also when it fails */
    const double *weights;     /* of groups, may be negative; NULL: 1 */
    int fractional;            /* counts are not integers: the order of sums matters */
    int normalize;             /* divide by sqrt(k(x,x) k(y,y)) */
} rk_bag_options;
/* Fills bound->side; rule NULL: the objects are not strings. The other three are slots of a kernel. */
rkhs_status rk_bag_prepare(rkhs_env *env, rk_bound *bound, const rk_tokenizer *rule, const rk_bag_options *how);
void rk_bag_release(rkhs_env *env, rk_bound *bound);
rkhs_status rk_bag_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                         int64_t ld, rk_work work);
void rk_bag_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work);

/* Parameters that string kernels share. RK_STRING_PARAMS: normalize, and those of rk_tokenizer. */
/* clang-format off */
#define RK_NORMALIZE_PARAM(type)                                                                                               \
    {.name = "normalize", .kind = RK_BOOL, .offset = offsetof(type, normalize), .value = "true",                               \
     .brief = "divide by sqrt(k(x,x) k(y,y)); a string with nothing to count has the value 1 with equal strings and 0 with all others"}
#define RK_STRING_PARAMS(type, rule)                                                                                           \
    RK_NORMALIZE_PARAM(type),                                                                                                  \
    {.name = "by", .kind = RK_CHOICE, .offset = offsetof(type, rule.by), .value = "char", .choices = "char|byte|word",         \
     .brief = "what is compared: UTF-8 characters, bytes, or words (runs of letters, digits and characters beyond ASCII)"},    \
    {.name = "fold", .kind = RK_BOOL, .offset = offsetof(type, rule.fold), .value = "true",                                    \
     .brief = "by=word: ignore case"},                                                                                         \
    {.name = "alphabet", .kind = RK_WORD, .offset = offsetof(type, rule.alphabet),                                             \
     .brief = "by=char or byte: the characters that a string may have, such as \"ACGT\"; others are refused"}
/* clang-format on */

#endif
