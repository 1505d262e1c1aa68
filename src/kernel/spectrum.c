/* spectrum.c: kernels that count contiguous subsequences of length p.
 *
 *     spectrum  k(x, y) = sum_u c_u(x) c_u(y),  u over all sequences of p tokens, c_u(x) how often u stands in x
 *     mismatch  the same, c_u(x) how many sequences of x differ from u in at most m places
 *
 * Leslie, Eskin, Noble, "The spectrum kernel", PSB 2002; "Mismatch string kernels", NIPS 2002. The alphabet of mismatch, from
 * which u is taken, is given or found at fit, and then fixed: another character is refused. */
#include "kernel/token.h"

#include <stdio.h>
#include <string.h>

typedef struct spectrum {
    int64_t p;
    int normalize;
    rk_token_rule rule;
} spectrum;

static rkhs_status check_spectrum(rkhs_env *env, const void *self) {
    return rk_token_check(env, "spectrum", &((const spectrum *)self)->rule);
}

static rkhs_status features_spectrum(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const void *self) {
    int64_t p = ((const spectrum *)self)->p;
    rkhs_status status = RKHS_OK;
    for (int64_t q = t->start[i]; status == RKHS_OK && q + p <= t->start[i + 1]; q++)
        status = rk_bag_add(rows, t->id + q, p * (int64_t)sizeof *t->id, 1);
    return status;
}

static rkhs_status prepare_spectrum(rkhs_env *env, rk_bound *bound) {
    const spectrum *o = rk_kernel_self(bound);
    return rk_bag_prepare(env, bound, &o->rule, features_spectrum, 0);
}

static rkhs_status block_spectrum(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                  double *out, int64_t ld, rk_work work) {
    rk_bag_block(a, i0, ni, b, j0, nj, out, ld, ((const spectrum *)rk_kernel_self(a))->normalize);
    return RKHS_OK;
}

static void diag_spectrum(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    rk_bag_diag(a, i0, ni, out, ((const spectrum *)rk_kernel_self(a))->normalize);
}

static const rk_param params_spectrum[] = {
    {.name = "p",
     .kind = RK_INT,
     .offset = offsetof(spectrum, p),
     .value = "3",
     .min = 1,
     .max = 1000,
     .brief = "the length of what is counted"},
    RK_NORMALIZE_PARAM(spectrum),
    RK_TOKEN_PARAMS(spectrum, rule),
    {.name = NULL},
};

const rk_kernel_type rk_kernel_spectrum = {
    .entry = {.name = "spectrum",
              .brief = "how many subsequences of p characters in a row two strings share",
              .formula = "sum_u c_u(x) c_u(y) / norms",
              .cost = "the subsequences in common a pair",
              .params = params_spectrum,
              .size = sizeof(spectrum)},
    .kinds = RK_KIND_STRING,
    .flags = RK_PSD | RK_SCALE_FREE,
    .check = check_spectrum,
    .prepare = prepare_spectrum,
    .release = rk_bag_release,
    .block = block_spectrum,
    .diag = diag_spectrum,
};

/* ---- mismatch ------------------------------------------------------------------------------------------------------------ */

enum { MOST_LETTERS = 255, MOST_P = 62, MOST_AROUND = 100000000 };

typedef struct mismatch {
    int64_t p, m;
    int normalize;
    rk_token_rule rule;
} mismatch;

/* The places of tokens in the alphabet, for the codes of subsequences: base `letters`, which must fit in 62 bits. */
typedef struct around {
    rk_bag_rows *rows;
    int64_t p, letters;
    uint64_t power[MOST_P]; /* letters^(p - 1 - place) */
    int32_t place[MOST_P];  /* the letter at each place */
} around;

static rkhs_status check_mismatch(rkhs_env *env, const void *self) {
    const mismatch *o = self;
    if (o->m >= o->p)
        return rk_fail(env, RKHS_ERR_SPEC, "mismatch: m=%lld of p=%lld characters may differ: choose m below p",
                       (long long)o->m, (long long)o->p);
    return rk_token_check(env, "mismatch", &o->rule);
}

static int is_seen(const uint8_t *seen, int32_t c) { return seen[c / 8] >> c % 8 & 1; }

/* One character at the end of `text`, in UTF-8, or as a byte. */
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

/* The alphabet, unless it is given: every character of the training strings, ascending. */
static rkhs_status freeze_mismatch(rkhs_env *env, void *self, const rkhs_data *x) {
    enum { CODES = 0x110000 };
    mismatch *o = self;
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_tokens t = {.start = NULL};
    uint8_t *seen;
    char text[4 * MOST_LETTERS + 1], *to = text;
    int64_t count = 0;
    int32_t most = 0;
    if (o->rule.alphabet) return RKHS_OK;
    TRY(rk_scratch(env, CODES / 8, 1, &seen));
    memset(seen, 0, CODES / 8);
    TRY(rk_tokens_new(env, x, &o->rule, NULL, &t));
    for (int64_t q = 0; q < t.start[x->rows]; q++) {
        seen[t.id[q] / 8] |= (uint8_t)(1 << t.id[q] % 8);
        most = t.id[q] > most ? t.id[q] : most;
    }
    if (is_seen(seen, 0))
        FAIL(env, RKHS_ERR_DATA, "mismatch: a string has a zero byte, which no alphabet can have: take it out");
    for (int32_t c = 1; c <= most; c++) count += is_seen(seen, c);
    if (count > MOST_LETTERS)
        FAIL(env, RKHS_ERR_DATA,
             "mismatch: the strings have %lld different characters: at most %d can be handled; use spectrum", (long long)count,
             MOST_LETTERS);
    for (int32_t c = 1; c <= most; c++)
        if (is_seen(seen, c)) to = put_character(to, c, o->rule.by);
    if (to == text) *to++ = 'a'; /* all strings are empty: any alphabet will do */
    *to = 0;
    TRY(rk_strdup(env, text, &o->rule.alphabet));
done:
    rk_tokens_free(env, &t);
    rk_scratch_release(env, mark);
    return status;
}

/* Adds every sequence that differs from the one at `code` in at most `left` of the places from `from` on. */
static rkhs_status add_around(const around *a, uint64_t code, int64_t from, int64_t left) {
    rkhs_status status = rk_bag_add(a->rows, &code, sizeof code, 1);
    for (int64_t q = from; status == RKHS_OK && left > 0 && q < a->p; q++)
        for (int64_t c = 0; status == RKHS_OK && c < a->letters; c++)
            if (c != a->place[q]) status = add_around(a, code + (uint64_t)(c - a->place[q]) * a->power[q], q + 1, left - 1);
    return status;
}

/* Refuses what would take for ever: how many sequences are within m of one, sum_d C(p,d) (letters-1)^d. */
static rkhs_status check_around(rkhs_env *env, const mismatch *o, int64_t letters) {
    double count = 1, term = 1;
    for (int64_t d = 1; d <= o->m; d++) {
        term *= (double)(o->p - d + 1) / (double)d * (double)(letters - 1);
        count += term;
    }
    if (count <= MOST_AROUND) return RKHS_OK;
    return rk_fail(env, RKHS_ERR_SPEC,
                   "mismatch: %.2g sequences over %lld characters are within m=%lld of one of p=%lld, and at most %.0e can be "
                   "handled: choose a smaller m",
                   count, (long long)letters, (long long)o->m, (long long)o->p, (double)MOST_AROUND);
}

/* Every sequence of the string, and all around it. */
static rkhs_status features_mismatch(rk_bag_rows *rows, const rk_tokens *t, int64_t i, const void *self) {
    const mismatch *o = self;
    around a = {.rows = rows, .p = o->p};
    rk_letters letters = {.count = 0};
    rkhs_status status = RKHS_OK;
    rkhs_env *env = rk_bag_env(rows);
    TRY(rk_letters_new(env, &o->rule, &letters));
    a.letters = letters.count;
    TRY(check_around(env, o, a.letters));
    a.power[o->p - 1] = 1;
    for (int64_t q = o->p - 1; q > 0; q--) {
        if (a.power[q] > (UINT64_MAX >> 2) / (uint64_t)(a.letters * a.letters))
            FAIL(env, RKHS_ERR_SPEC,
                 "mismatch: there are more than 2^62 sequences of p=%lld over %lld characters: choose a smaller p",
                 (long long)o->p, (long long)a.letters);
        a.power[q - 1] = a.power[q] * (uint64_t)a.letters;
    }
    for (int64_t from = t->start[i]; from + o->p <= t->start[i + 1]; from++) {
        uint64_t code = 0;
        for (int64_t q = 0; q < o->p; q++) {
            a.place[q] = rk_letter_of(&letters, t->id[from + q]);
            code += a.power[q] * (uint64_t)a.place[q];
        }
        TRY(add_around(&a, code, 0, o->m));
        TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    rk_free(env, letters.code);
    return status;
}

static rkhs_status prepare_mismatch(rkhs_env *env, rk_bound *bound) {
    const mismatch *o = rk_kernel_self(bound);
    if (!o->rule.alphabet) return rk_fail(env, RKHS_ERR_SPEC, "mismatch: its alphabet is not fixed yet: give alphabet=");
    return rk_bag_prepare(env, bound, &o->rule, features_mismatch, 0);
}

static rkhs_status block_mismatch(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                  double *out, int64_t ld, rk_work work) {
    rk_bag_block(a, i0, ni, b, j0, nj, out, ld, ((const mismatch *)rk_kernel_self(a))->normalize);
    return RKHS_OK;
}

static void diag_mismatch(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    rk_bag_diag(a, i0, ni, out, ((const mismatch *)rk_kernel_self(a))->normalize);
}

static const rk_param params_mismatch[] = {
    {.name = "p",
     .kind = RK_INT,
     .offset = offsetof(mismatch, p),
     .value = "4",
     .min = 1,
     .max = MOST_P,
     .brief = "the length of what is counted"},
    {.name = "m",
     .kind = RK_INT,
     .offset = offsetof(mismatch, m),
     .value = "1",
     .max = MOST_P,
     .brief = "how many of the p characters may differ"},
    RK_NORMALIZE_PARAM(mismatch),
    {.name = "by",
     .kind = RK_CHOICE,
     .offset = offsetof(mismatch, rule.by),
     .value = "char",
     .choices = "char|byte",
     .brief = "what is compared: UTF-8 characters or bytes"},
    {.name = "alphabet",
     .kind = RK_WORD,
     .offset = offsetof(mismatch, rule.alphabet),
     .brief = "the characters that may stand in a string, such as \"ACGT\"; not given: those of the training strings"},
    {.name = NULL},
};

const rk_kernel_type rk_kernel_mismatch = {
    .entry = {.name = "mismatch",
              .brief = "as spectrum, where up to m of the p characters may differ",
              .formula = "sum_u c_u(x) c_u(y) / norms",
              .cost = "(p letters)^m for each character, the subsequences in common a pair",
              .params = params_mismatch,
              .size = sizeof(mismatch)},
    .kinds = RK_KIND_STRING,
    .flags = RK_PSD | RK_SCALE_FREE,
    .check = check_mismatch,
    .freeze = freeze_mismatch,
    .prepare = prepare_mismatch,
    .release = rk_bag_release,
    .block = block_mismatch,
    .diag = diag_mismatch,
};
