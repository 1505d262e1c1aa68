/* mismatch.c: the mismatch kernel on strings, which counts shared runs of p letters that may differ in m positions.
 *
 *     k(x, y) = sum_u c_u(x) c_u(y) = sum_{s in x, s' in y} N(d(s, s')) = sum_t w_t A_t(x, y)
 *
 * u goes over all sequences of p letters, s and s' over the runs of p letters in x and y. c_u(x) is how many runs of x
 * are within m of u: they differ from it in at most m positions. N(d) is how many u are within m of both of two
 * sequences that differ in d positions, none if d > 2m. A_t counts the pairs s, s' that agree outside a set of t
 * positions, over all such sets: an inner product of counts of runs with t blanks. The weights w_t solve N(d) = sum_t
 * w_t C(p - d, t - d).
 *
 * So a run has sum_{t <= 2m} C(p, t) features, whatever the number of letters. All are integers, exact below 2^53.
 * Over few letters, as in DNA, the u within m of a run may be as few: then these are counted, as in the first sum. N
 * depends on the number of letters, which is given, or found at fit and then fixed. Other letters are refused: over
 * more letters than N assumes, k need not be positive semi-definite. Leslie, Eskin, Noble, "Mismatch string
 * kernels", NIPS 2002; Ghandi et al., "Enhanced regulatory sequence prediction using gapped k-mer features", 2014. */
#include "kernel/token.h"

#include <string.h>

enum { MAX_LETTERS = 255, MAX_P = 62, MAX_BLANKED = 1000000, BLANK = -1 };

typedef struct mismatch {
    int64_t p, m;
    int normalize;
    rk_tokenizer rule;
} mismatch;

/* The most blanks of a run. */
static int64_t max_blanks(const mismatch *o) { return rk_min(2 * o->m, o->p); }

/* C(n, k), exact while it is below 2^53. */
static double choose(int64_t n, int64_t k) {
    double c = 1;
    for (int64_t i = 1; i <= k; i++) c = c * (double)(n - k + i) / (double)i;
    return k < 0 || k > n ? 0 : c;
}

/* The number of ways to blank a run. */
static double blanked(const mismatch *o) {
    double count = 0;
    for (int64_t t = 0; t <= max_blanks(o); t++) count += choose(o->p, t);
    return count;
}

static rkhs_status check_mismatch(rkhs_env *env, const void *self) {
    const mismatch *o = self;
    if (o->m >= o->p)
        return rk_fail(env, RKHS_ERR_SPEC, "mismatch: m=%lld of p=%s may differ: choose m below p", (long long)o->m,
                       rk_counted(o->p, "character").text);
    if (blanked(o) > MAX_BLANKED)
        return rk_fail(env, RKHS_ERR_SPEC,
                       "mismatch: there are %.2g ways to leave out up to %lld of p=%s, and at most %.0e can be handled: choose "
                       "a smaller m or p",
                       blanked(o), (long long)max_blanks(o), rk_counted(o->p, "character").text, (double)MAX_BLANKED);
    return rk_token_check(env, "mismatch", &o->rule);
}

static int is_seen(const uint8_t *seen, int32_t c) { return seen[c / 8] >> c % 8 & 1; }

/* Appends one character, in UTF-8 or as a byte; returns the new end. */
static char *put_character(char *to, int32_t c, int by) {
    if (by == RK_BY_BYTE || c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
        } else {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (by == RK_BY_CHAR && c >= 0x80) *to++ = (char)(0x80 | (c & 0x3f));
    return to;
}

/* Finds the alphabet, unless it is given: every character of the training strings, ascending. */
static rkhs_status freeze_mismatch(rkhs_env *env, void *self, const rkhs_data *x) {
    enum { CODES = 0x110000 };
    mismatch *o = self;
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_tokens t = {.start = NULL};
    uint8_t *seen;
    char text[4 * MAX_LETTERS + 1], *to = text;
    int64_t count = 0;
    int32_t max_code = 0;
    if (o->rule.alphabet) return RKHS_OK;
    TRY(rk_scratch(env, CODES / 8, 1, &seen));
    memset(seen, 0, CODES / 8);
    TRY(rk_tokens_new(env, x, &o->rule, NULL, &t));
    for (int64_t q = 0; q < t.start[x->rows]; q++) {
        seen[t.id[q] / 8] |= (uint8_t)(1 << t.id[q] % 8);
        max_code = t.id[q] > max_code ? t.id[q] : max_code;
    }
    if (is_seen(seen, 0))
        FAIL(env, RKHS_ERR_DATA, "mismatch: a string has a zero byte, which no alphabet can have: take it out");
    for (int32_t c = 1; c <= max_code; c++) count += is_seen(seen, c);
    if (count > MAX_LETTERS)
        FAIL(env, RKHS_ERR_DATA, "mismatch: the strings have %s: at most %d can be handled; use spectrum",
             rk_counted(count, "different character").text, MAX_LETTERS);
    for (int32_t c = 1; c <= max_code; c++)
        if (is_seen(seen, c)) to = put_character(to, c, o->rule.by);
    if (to == text) *to++ = 'a'; /* all strings are empty: any alphabet will do */
    *to = 0;
    TRY(rk_strdup(env, text, &o->rule.alphabet));
done:
    rk_tokens_free(env, &t);
    rk_scratch_release(env, mark);
    return status;
}

/* N(d) over `letters` letters. A sequence within m of both differs in i of the positions where the two agree. Where
 * they differ, it is as the first in a positions, as the second in b, as neither in c. */
static double shared(const mismatch *o, double letters, int64_t d) {
    double sum = 0;
    for (int64_t i = 0; i <= o->m; i++)
        for (int64_t a = 0; a <= d; a++)
            for (int64_t b = 0; a + b <= d; b++) {
                int64_t c = d - a - b;
                if (i + c + rk_max(a, b) > o->m) continue;
                sum += choose(o->p - d, i) * pow(letters - 1, (double)i) * choose(d, a) * choose(d - a, b) *
                       pow(letters - 2, (double)c);
            }
    return sum;
}

/* Solves N(d) = sum_t w_t C(p - d, t - d) for w_t, from the largest d down. */
static void weights_of(const mismatch *o, int64_t letters, double *w) {
    int64_t max = max_blanks(o);
    for (int64_t d = max; d >= 0; d--) {
        w[d] = shared(o, (double)letters, d);
        for (int64_t t = d + 1; t <= max; t++) w[d] -= w[t] * choose(o->p - d, t - d);
    }
}

/* Adds the sequence in `key`, which has `blanks` blanks, with every choice of at most `left` more from `from` on. */
static rkhs_status add_blanked(rk_bag_rows *rows, int32_t *key, int64_t p, int64_t from, int32_t blanks, int64_t left) {
    rkhs_status status = rk_bag_add(rows, key, p * (int64_t)sizeof *key, blanks, 1);
    for (int64_t q = from; status == RKHS_OK && left > 0 && q < p; q++) {
        int32_t token = key[q];
        key[q] = BLANK;
        status = add_blanked(rows, key, p, q + 1, blanks + 1, left - 1);
        key[q] = token;
    }
    return status;
}

/* Adds every run of the string, blanked in every way. */
static rkhs_status features_blanked(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const rk_bound *b) {
    const mismatch *o = rk_kernel_self(b);
    rkhs_status status = RKHS_OK;
    int32_t key[MAX_P];
    for (int64_t from = t->start[i]; from + o->p <= t->start[i + 1]; from++) {
        memcpy(key, t->id + from, (size_t)o->p * sizeof *key);
        TRY(add_blanked(rows, key, o->p, 0, 0, max_blanks(o)));
        if (from % 64 == 0) TRY(rk_progress(rk_bag_env(rows), NULL, 0, 0));
    }
done:
    return status;
}

/* Adds every sequence that differs from `key` in at most `left` of the positions from `from` on. */
static rkhs_status add_around(rk_bag_rows *rows, int32_t *key, int64_t p, const rk_alphabet *letters, int64_t from,
                              int64_t left) {
    rkhs_status status = rk_bag_add(rows, key, p * (int64_t)sizeof *key, 0, 1);
    for (int64_t q = from; status == RKHS_OK && left > 0 && q < p; q++) {
        int32_t token = key[q];
        for (int64_t c = 0; status == RKHS_OK && c < letters->count; c++) {
            if (letters->code[c] == token) continue;
            key[q] = letters->code[c];
            status = add_around(rows, key, p, letters, q + 1, left - 1);
        }
        key[q] = token;
    }
    return status;
}

/* Adds every run of the string, and all sequences within m of it. */
static rkhs_status features_around(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const rk_bound *b) {
    const mismatch *o = rk_kernel_self(b);
    rkhs_env *env = rk_bag_env(rows);
    rk_alphabet letters = {.count = 0};
    rkhs_status status = RKHS_OK;
    int32_t key[MAX_P];
    TRY(rk_alphabet_new(env, &o->rule, &letters));
    for (int64_t from = t->start[i]; from + o->p <= t->start[i + 1]; from++) {
        memcpy(key, t->id + from, (size_t)o->p * sizeof *key);
        TRY(add_around(rows, key, o->p, &letters, 0, o->m));
        if (from % 64 == 0) TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    rk_free(env, letters.code);
    return status;
}

/* Whether the sequences within m of one, sum_d C(p, d) (letters - 1)^d of them, are few enough to list. */
static int are_few(const mismatch *o, int64_t letters) {
    double around = 0;
    for (int64_t d = 0; d <= o->m; d++) around += choose(o->p, d) * pow((double)letters - 1, (double)d);
    return around <= 1.5 * blanked(o);
}

static rkhs_status prepare_mismatch(rkhs_env *env, rk_bound *bound) {
    const mismatch *o = rk_kernel_self(bound);
    double weights[MAX_P + 1];
    rk_bag_options how = {.features = features_around, .normalize = o->normalize};
    rk_alphabet letters = {.count = 0};
    if (!o->rule.alphabet) return rk_fail(env, RKHS_ERR_SPEC, "mismatch: its alphabet is not fixed yet: give alphabet=");
    rkhs_status status = rk_alphabet_new(env, &o->rule, &letters);
    rk_free(env, letters.code);
    if (status != RKHS_OK) return status;
    if (!are_few(o, letters.count)) {
        weights_of(o, letters.count, weights);
        how.features = features_blanked;
        how.weights = weights;
    }
    return rk_bag_prepare(env, bound, &o->rule, &how);
}

/* clang-format off */
static const rk_param params_mismatch[] = {
    {.name = "p", .kind = RK_INT, .offset = offsetof(mismatch, p), .value = "4", .min = 1, .max = MAX_P,
     .brief = "length of the substrings"},
    {.name = "m", .kind = RK_INT, .offset = offsetof(mismatch, m), .value = "1", .max = MAX_P,
     .brief = "number of the p characters that may differ"},
    RK_NORMALIZE_PARAM(mismatch),
    {.name = "by", .kind = RK_CHOICE, .offset = offsetof(mismatch, rule.by), .value = "char", .choices = "char|byte",
     .brief = "what is compared: UTF-8 characters or bytes"},
    {.name = "alphabet", .kind = RK_WORD, .offset = offsetof(mismatch, rule.alphabet),
     .brief = "the characters that a string may have, such as \"ACGT\"; not given: those of the training strings"},
    {.name = NULL},
};

const rk_kernel_type rk_kernel_mismatch = {
    .entry = {.name = "mismatch",
              .brief = "as spectrum, where up to m of the p characters of a substring may differ; two empty strings: 1",
              .formula = "sum_u c_u(x) c_u(y) / norms",
              .where = "u: every string of p characters; c_u(x): how often it is in x with at most m characters different; norms: sqrt(k(x,x) k(y,y)), left out with normalize=false",
              .cost = "C(p,2m) for each character, the substrings in common a pair", .params = params_mismatch,
              .size = sizeof(mismatch)},
    .kinds = RK_KIND_STRING, .flags = RK_PSD | RK_SCALE_FREE, .check = check_mismatch, .freeze = freeze_mismatch,
    .prepare = prepare_mismatch, .release = rk_bag_release, .block = rk_bag_block, .diag = rk_bag_diag,
};
/* clang-format on */
