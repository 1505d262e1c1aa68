/* token.c: splits strings into tokens, and numbers words and features by a dictionary.
 *
 * A token is a 32-bit number: the code point of a character, a byte, or the number of a word. A word is a run of ASCII
 * letters, digits and characters beyond ASCII; blanks, control characters and ASCII punctuation end it. With fold,
 * capitals of ASCII, Latin-1, Greek and Cyrillic count as small letters. New strings look words up in the dictionary
 * of the reference, the objects bound first. Words that it lacks are numbered after its own, so that they equal none
 * of the reference. */
#include "kernel/token.h"

#include <stdio.h>
#include <string.h>

/* ---- the dictionary -------------------------------------------------------------------------------------------- */

struct rk_dictionary {
    const rk_dictionary *before; /* has the numbers below `first`, or NULL */
    int64_t first, count;        /* own numbers are first .. first + count - 1 */
    int64_t slots, *slot;        /* hash table, open addressing: an own key's index, or -1 */
    int64_t room, *start;        /* own key k is keys[start[k]] .. keys[start[k+1]-1] */
    int64_t key_room;
    char *keys;
};

rkhs_status rk_dictionary_new(rkhs_env *env, const rk_dictionary *before, rk_dictionary **out) {
    rkhs_status status = RKHS_OK;
    rk_dictionary *n = NULL;
    *out = NULL;
    TRY(rk_alloc(env, 1, sizeof *n, &n));
    n->before = before;
    n->first = before ? before->first + before->count : 0;
    n->slots = 64;
    n->room = 32;
    n->key_room = 256;
    TRY(rk_alloc(env, n->slots, sizeof *n->slot, &n->slot));
    TRY(rk_alloc(env, n->room + 1, sizeof *n->start, &n->start));
    TRY(rk_alloc(env, n->key_room, 1, &n->keys));
    memset(n->slot, -1, (size_t)n->slots * sizeof *n->slot);
    *out = n;
    n = NULL;
done:
    rk_dictionary_free(env, n);
    return status;
}

void rk_dictionary_free(rkhs_env *env, rk_dictionary *n) {
    if (!n) return;
    rk_free(env, n->slot);
    rk_free(env, n->start);
    rk_free(env, n->keys);
    rk_free(env, n);
}

int64_t rk_dictionary_count(const rk_dictionary *n) { return n->first + n->count; }

const char *rk_dictionary_key(const rk_dictionary *n, int64_t own, int64_t *length) {
    *length = n->start[own + 1] - n->start[own];
    return n->keys + n->start[own];
}

/* Eight bytes at a time. A file can be made to collide, which is slow but not wrong. */
static uint64_t hash_key(const char *key, int64_t length) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)length, part;
    for (; length >= 8; key += 8, length -= 8) {
        memcpy(&part, key, 8);
        h = (h ^ part) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    part = 0;
    memcpy(&part, key, (size_t)length);
    h = (h ^ part) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/* The slot that has a key, or the free one for it. */
static int64_t slot_of(const rk_dictionary *n, const char *key, int64_t length, uint64_t hash) {
    int64_t at = (int64_t)(hash & (uint64_t)(n->slots - 1));
    for (; n->slot[at] >= 0; at = (at + 1) & (n->slots - 1)) {
        int64_t k = n->slot[at], from = n->start[k];
        if (n->start[k + 1] - from == length && memcmp(n->keys + from, key, (size_t)length) == 0) break;
    }
    return at;
}

/* Doubles the number of slots. */
static rkhs_status grow_slots(rkhs_env *env, rk_dictionary *n) {
    int64_t *slot;
    rkhs_status status = rk_alloc(env, 2 * n->slots, sizeof *slot, &slot);
    if (status != RKHS_OK) return status;
    rk_free(env, n->slot);
    n->slot = slot;
    n->slots *= 2;
    memset(slot, -1, (size_t)n->slots * sizeof *slot);
    for (int64_t k = 0; k < n->count; k++) {
        const char *key = n->keys + n->start[k];
        int64_t length = n->start[k + 1] - n->start[k];
        slot[slot_of(n, key, length, hash_key(key, length))] = k;
    }
    return RKHS_OK;
}

rkhs_status rk_dictionary_number(rkhs_env *env, rk_dictionary *n, const void *key, int64_t length, int32_t *number) {
    rkhs_status status = RKHS_OK;
    uint64_t hash = hash_key(key, length);
    for (const rk_dictionary *b = n->before; b; b = b->before) {
        int64_t at = slot_of(b, key, length, hash);
        if (b->slot[at] < 0) continue;
        *number = (int32_t)(b->first + b->slot[at]);
        return RKHS_OK;
    }
    int64_t at = slot_of(n, key, length, hash), used = n->start[n->count];
    if (n->slot[at] >= 0) {
        *number = (int32_t)(n->first + n->slot[at]);
        return RKHS_OK;
    }
    if (n->first + n->count >= INT32_MAX - 1)
        FAIL(env, RKHS_ERR_DATA, "there are more than %d different words or subsequences: compare fewer objects",
             INT32_MAX - 1);
    if (n->count == n->room) {
        TRY(rk_realloc(env, 2 * n->room + 1, sizeof *n->start, &n->start));
        n->room *= 2;
    }
    if (used + length > n->key_room) {
        int64_t room = 2 * n->key_room + length;
        TRY(rk_realloc(env, room, 1, &n->keys));
        n->key_room = room;
    }
    memcpy(n->keys + used, key, (size_t)length);
    n->start[n->count + 1] = used + length;
    n->slot[at] = n->count;
    *number = (int32_t)(n->first + n->count++);
    if (2 * n->count > n->slots) TRY(grow_slots(env, n));
done:
    return status;
}

/* ---- characters ------------------------------------------------------------------------------------------------ */

/* Decodes the UTF-8 character at s, before end. Returns its length in bytes; 0 for what is not UTF-8: overlong, a
 * surrogate, past U+10FFFF, cut off. */
static int decode(const unsigned char *s, const unsigned char *end, int32_t *code) {
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    int count = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || end - s < count) return 0;
    int32_t c = s[0] & (0x7f >> count);
    for (int i = 1; i < count; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if ((count == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (count == 4 && (c < 0x10000 || c > 0x10ffff))) return 0;
    *code = c;
    return count;
}

static rkhs_status not_utf8(rkhs_env *env, int64_t object, const rk_tokenizer *rule, const char *s, int64_t at) {
    return rk_fail(
        env, RKHS_ERR_DATA, "object %lld, byte %lld (counted from 1) is 0x%02x, which is not UTF-8: save the text as UTF-8%s",
        (long long)object + 1, (long long)at + 1, (unsigned char)s[at], rule->by == RK_BY_CHAR ? ", or say by=byte" : "");
}

/* A character for a message: itself, or its code. */
static const char *shown(const char *s, int length, int32_t code, char buffer[32]) {
    if (code < 0x20 || code == 0x7f || (length == 1 && code >= 0x80))
        snprintf(buffer, 32, "0x%02x", (unsigned)code);
    else
        snprintf(buffer, 32, "'%.*s'", length, s);
    return buffer;
}

/* ---- the alphabet ---------------------------------------------------------------------------------------------- */

rkhs_status rk_alphabet_new(rkhs_env *env, const rk_tokenizer *rule, rk_alphabet *letters) {
    rkhs_status status = RKHS_OK;
    const char *s = rule->alphabet;
    int64_t length = (int64_t)strlen(s);
    TRY(rk_alloc(env, length, sizeof *letters->code, &letters->code));
    for (int64_t at = 0; at < length;) {
        int32_t code = (unsigned char)s[at];
        int bytes =
            rule->by == RK_BY_BYTE ? 1 : decode((const unsigned char *)s + at, (const unsigned char *)s + length, &code);
        if (!bytes)
            FAIL(env, RKHS_ERR_SPEC, "alphabet=: byte %lld is not UTF-8: give it in UTF-8, or say by=byte", (long long)at + 1);
        at += bytes;
        int64_t k = letters->count; /* insertion keeps letters sorted and unique */
        while (k > 0 && letters->code[k - 1] > code) k--;
        if (k > 0 && letters->code[k - 1] == code) continue;
        memmove(letters->code + k + 1, letters->code + k, (size_t)(letters->count - k) * sizeof *letters->code);
        letters->code[k] = code;
        letters->count++;
    }
    for (int64_t k = 0; k < letters->count; k++)
        if (letters->code[k] < 256) letters->low[letters->code[k]] = (int32_t)k + 1;
done:
    return status;
}

int32_t rk_alphabet_position(const rk_alphabet *letters, int32_t code) {
    if (code < 256) return letters->low[code] - 1;
    int64_t low = 0, high = letters->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (letters->code[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < letters->count && letters->code[low] == code ? (int32_t)low : -1;
}

/* ---- tokens ---------------------------------------------------------------------------------------------------- */

/* The lower case of a capital (ASCII, Latin-1, Greek, Cyrillic); it has as many bytes in UTF-8. */
static int32_t small_letter(int32_t c) {
    if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9 && c != 0x3a2) ||
        (c >= 0x410 && c <= 0x42f))
        return c + 32;
    return c >= 0x400 && c <= 0x40f ? c + 80 : c;
}

/* Whether a character belongs to a word. */
static int in_word(int32_t c) {
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Splits string i into words; `room` holds as many bytes as the string has. */
static rkhs_status take_words(rkhs_env *env, const rkhs_data *x, int64_t i, const rk_tokenizer *rule, char *room, rk_tokens *t,
                              int64_t *count) {
    rkhs_status status = RKHS_OK;
    int64_t length, used = 0;
    const char *s = rk_string_of(x, i, &length);
    for (int64_t at = 0; at <= length;) {
        int32_t code = ' ';
        int bytes = at < length ? decode((const unsigned char *)s + at, (const unsigned char *)s + length, &code) : 1;
        if (!bytes) return not_utf8(env, i, rule, s, at);
        if (in_word(code)) {
            int32_t small = rule->fold ? small_letter(code) : code;
            if (bytes == 2)
                room[used++] = (char)(0xc0 | small >> 6), room[used++] = (char)(0x80 | (small & 0x3f));
            else if (bytes == 1)
                room[used++] = (char)small;
            else
                for (int b = 0; b < bytes; b++) room[used++] = s[at + b];
        } else if (used) {
            TRY(rk_dictionary_number(env, t->words, room, used, &t->id[(*count)++]));
            used = 0;
        }
        at += bytes;
    }
done:
    return status;
}

/* Splits string i into characters or bytes. */
static rkhs_status take_characters(rkhs_env *env, const rkhs_data *x, int64_t i, const rk_tokenizer *rule,
                                   const rk_alphabet *letters, rk_tokens *t, int64_t *count) {
    int64_t length;
    const char *s = rk_string_of(x, i, &length);
    char buffer[32];
    for (int64_t at = 0; at < length;) {
        int32_t code = (unsigned char)s[at];
        int bytes = 1;
        if (rule->by == RK_BY_CHAR && code >= 0x80)
            bytes = decode((const unsigned char *)s + at, (const unsigned char *)s + length, &code);
        if (!bytes) return not_utf8(env, i, rule, s, at);
        if (letters->count && rk_alphabet_position(letters, code) < 0)
            return rk_fail(
                env, RKHS_ERR_DATA,
                "object %lld, byte %lld (counted from 1) is %s, which is not in the alphabet \"%.200s\": correct it, or "
                "give a larger alphabet",
                (long long)i + 1, (long long)at + 1, shown(s + at, bytes, code, buffer), rule->alphabet);
        t->id[(*count)++] = code;
        at += bytes;
    }
    return RKHS_OK;
}

rkhs_status rk_tokens_new(rkhs_env *env, const rkhs_data *x, const rk_tokenizer *rule, const rk_tokens *reference,
                          rk_tokens *t) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_alphabet letters = {.count = 0};
    const rk_strings *s = x->self;
    int64_t n = x->rows, longest = 0, count = 0;
    char *room = NULL;
    for (int64_t i = 0; i < n; i++) longest = rk_max(longest, s->starts[i + 1] - s->starts[i]);
    if (rule->alphabet) TRY(rk_alphabet_new(env, rule, &letters));
    if (rule->by == RK_BY_WORD) TRY(rk_dictionary_new(env, reference ? reference->words : NULL, &t->words));
    if (rule->by == RK_BY_WORD) TRY(rk_scratch(env, longest, 1, &room));
    TRY(rk_alloc(env, n + 1, sizeof *t->start, &t->start));
    TRY(rk_alloc(env, s->starts[n], sizeof *t->id, &t->id));
    for (int64_t i = 0; i < n; i++) {
        TRY(rule->by == RK_BY_WORD ? take_words(env, x, i, rule, room, t, &count)
                                   : take_characters(env, x, i, rule, &letters, t, &count));
        t->start[i + 1] = count;
        t->longest = rk_max(t->longest, count - t->start[i]);
        if (i % 64 == 0) TRY(rk_progress(env, NULL, 0, 0));
    }
done:
    rk_free(env, letters.code);
    rk_scratch_release(env, mark);
    return status;
}

void rk_tokens_free(rkhs_env *env, rk_tokens *t) {
    rk_dictionary_free(env, t->words);
    rk_free(env, t->start);
    rk_free(env, t->id);
}

rkhs_status rk_token_check(rkhs_env *env, const char *kernel, const rk_tokenizer *rule) {
    if (!rule->alphabet) return RKHS_OK;
    if (rule->by == RK_BY_WORD)
        return rk_fail(env, RKHS_ERR_SPEC, "%s: alphabet= is for characters and bytes, not for by=word: leave one out", kernel);
    if (!rule->alphabet[0])
        return rk_fail(env, RKHS_ERR_SPEC, "%s: alphabet= is empty: name its characters, or leave it out", kernel);
    rk_alphabet letters = {.count = 0};
    rkhs_status status = rk_alphabet_new(env, rule, &letters);
    rk_free(env, letters.code);
    return status;
}

/* ---- normalisation --------------------------------------------------------------------------------------------- */

/* Whether two strings have the same tokens. */
static int same_tokens(const rk_tokens *a, int64_t i, const rk_tokens *b, int64_t j) {
    int64_t length = a->start[i + 1] - a->start[i];
    return b->start[j + 1] - b->start[j] == length &&
           memcmp(a->id + a->start[i], b->id + b->start[j], (size_t)length * sizeof *a->id) == 0;
}

RK_VERSIONS(static, void, divide,
            (int64_t n, double norm, double root, const double *restrict norms, const double *restrict roots,
             double *restrict out),
            (n, norm, root, norms, roots, out)) {
    for (int64_t j = 0; j < n; j++) { /* equal norms: by the norm itself, so that equal strings give exactly 1 */
        double length = norms[j] == norm ? norm : root * roots[j];
        double v = out[j] / (length > 0 ? length : 1);
        out[j] = v > 1 ? 1 : v;
    }
}

rkhs_status rk_string_roots(rkhs_env *env, int64_t n, rk_string_side *s) {
    rkhs_status status = rk_alloc(env, n, sizeof *s->root, &s->root);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++) {
        s->root[i] = sqrt(s->norm[i]);
        s->zeros += s->norm[i] == 0;
    }
    return status;
}

void rk_string_normalise(const rk_string_side *a, int64_t i0, int64_t ni, const rk_string_side *b, int64_t j0, int64_t nj,
                         double *out, int64_t ld) {
    for (int64_t i = 0; i < ni; i++) {
        double *row = out + i * ld;
        divide(nj, a->norm[i0 + i], a->root[i0 + i], b->norm + j0, b->root + j0, row);
        for (int64_t j = 0; a->zeros && b->zeros && a->norm[i0 + i] == 0 && j < nj; j++)
            if (b->norm[j0 + j] == 0) row[j] = same_tokens(&a->tokens, i0 + i, &b->tokens, j0 + j);
    }
}

void rk_string_release(rkhs_env *env, rk_string_side *s) {
    rk_tokens_free(env, &s->tokens);
    rk_free(env, s->norm);
    rk_free(env, s->root);
}
