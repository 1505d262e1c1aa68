/* words.c: the bag-of-words kernel on texts, with tf-idf weights.
 *
 *     k(x, y) = <v(x), v(y)> / (|v(x)| |v(y)|),   v_w(x) = how often the word w occurs in x, times idf_w
 *
 * idf_w is ln((1 + n) / (1 + n_w)) + 1, n_w of the n training texts having w: rare words count more. With idf=false it
 * is 1. Words and weights are learnt when the kernel is frozen. A word that no training text has gets n_w = 0. */
#include "kernel/token.h"

#include <string.h>

typedef struct words {
    int idf, normalize;
    rk_tokenizer rule;
} words;

/* The parameters as a token rule: words are the tokens. */
static rk_tokenizer tokenizer_of(const words *o) { return (rk_tokenizer){.by = RK_BY_WORD, .fold = o->rule.fold}; }

/* The dictionary of a learnt vocabulary, words separated by blanks; refuses what learn_words does not write. */
static rkhs_status read_vocabulary(rkhs_env *env, const rk_learnt *learnt, rk_dictionary **names) {
    rkhs_status status = RKHS_OK;
    int32_t number = -1;
    int64_t count = 0;
    TRY(rk_dictionary_new(env, NULL, names));
    for (const char *at = learnt->text; *at; count++) {
        size_t length = strcspn(at, " ");
        TRY(rk_dictionary_number(env, *names, at, (int64_t)length, &number));
        if (!length || number != count) break;
        at += length + (at[length] == ' ');
    }
    if (count != rk_dictionary_count(*names) || count + 1 != learnt->count)
        FAIL(env, RKHS_ERR_DATA, "words: its vocabulary and its weights do not fit together: fit the model again");
    for (int64_t w = 0; w <= count; w++)
        if (!(learnt->values[w] > 0 && learnt->values[w] < 1e9))
            FAIL(env, RKHS_ERR_DATA, "words: the weight of its word %lld is %g: fit the model again", (long long)w + 1,
                 learnt->values[w]);
done:
    if (status != RKHS_OK) {
        rk_dictionary_free(env, *names);
        *names = NULL;
    }
    return status;
}

static rkhs_status check_learnt_words(rkhs_env *env, const void *self, const rk_learnt *learnt) {
    rk_dictionary *names = NULL;
    rkhs_status status = read_vocabulary(env, learnt, &names);
    rk_dictionary_free(env, names);
    return status;
}

/* Learns the weight of every word of the training texts, and last that of all other words. */
static rkhs_status learn_words(rkhs_env *env, const void *self, const rkhs_data *x, rk_learnt *learnt) {
    rkhs_status status = RKHS_OK;
    const words *o = self;
    rk_tokenizer rule = tokenizer_of(o);
    rk_mark mark = rk_scratch_mark(env);
    rk_tokens t = {.start = NULL};
    rk_text text = {.env = env};
    int64_t *last, n = x->rows;
    double *values;
    if (!o->idf) return RKHS_OK;
    TRY(rk_tokens_new(env, x, &rule, NULL, &t));
    int64_t count = rk_dictionary_count(t.words);
    TRY(rk_scratch(env, count + 1, sizeof *values, &values));
    TRY(rk_scratch(env, count + 1, sizeof *last, &last));
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = t.start[i]; q < t.start[i + 1]; q++) {
            int32_t w = t.id[q];
            values[w] += last[w] != i + 1; /* each text once */
            last[w] = i + 1;
        }
    for (int64_t w = 0; w <= count; w++) values[w] = log((1 + (double)n) / (1 + values[w])) + 1;
    for (int64_t w = 0; w < count; w++) {
        int64_t length;
        const char *word = rk_dictionary_key(t.words, w, &length);
        TRY(rk_text_add(&text, "%s%.*s", w ? " " : "", (int)length, word));
    }
    TRY(rk_learnt_copy(env, text.s ? text.s : "", values, count + 1, learnt));
done:
    rk_free(env, text.s);
    rk_tokens_free(env, &t);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status features_words(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const rk_bound *b) {
    const rk_learnt *l = &b->kernel->learnt;
    rkhs_status status = RKHS_OK;
    for (int64_t q = t->start[i]; status == RKHS_OK && q < t->start[i + 1]; q++)
        status = rk_bag_add(rows, t->id + q, sizeof *t->id, 0, l->text ? l->values[rk_min(t->id[q], l->count - 1)] : 1);
    return status;
}

static rkhs_status prepare_words(rkhs_env *env, rk_bound *bound) {
    const words *o = rk_kernel_self(bound);
    rk_tokenizer rule = tokenizer_of(o);
    rk_bag_options how = {.features = features_words, .fractional = o->idf, .normalize = o->normalize};
    rkhs_status status = RKHS_OK;
    if (o->idf && !bound->kernel->learnt.text)
        return rk_fail(env, RKHS_ERR_SPEC, "words: its weights are not known yet: freeze it on training texts");
    if (o->idf && !bound->reference) status = read_vocabulary(env, &bound->kernel->learnt, &how.vocabulary);
    return status == RKHS_OK ? rk_bag_prepare(env, bound, &rule, &how) : status;
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "idf", .kind = RK_BOOL, .offset = offsetof(words, idf), .value = "true",
     .brief = "rare words count more: by the factor ln((1+n)/(1+n_w)) + 1 if n_w of the n training texts have the word (tf-idf)"},
    RK_NORMALIZE_PARAM(words),
    {.name = "fold", .kind = RK_BOOL, .offset = offsetof(words, rule.fold), .value = "true",
     .brief = "ignore case"},
    {.name = NULL},
};

const rk_kernel_type rk_kernel_words = {
    .entry = {.name = "words",
              .brief = "the words that two texts share, weighted by how often they occur and how rare they are (tf-idf); "
                       "two empty texts: 1",
              .formula = "<v(x),v(y)> / norms, v_w = count_w idf_w",
              .where = "w: every word; count_w: how often x has it; idf_w: its weight, 1 with idf=false; norms: sqrt(k(x,x) k(y,y)), left out with normalize=false", .cost = "the words in common a pair",
              .params = params, .size = sizeof(words)},
    .kinds = RK_KIND_STRING, .flags = RK_PSD | RK_SCALE_FREE, .learn = learn_words, .check_learnt = check_learnt_words,
    .prepare = prepare_words, .release = rk_bag_release, .block = rk_bag_block, .diag = rk_bag_diag,
};
/* clang-format on */
