/* npy_header.c: parses and writes the header of a NumPy array (.npy).
 *
 *     "\x93NUMPY" major minor length text data
 *
 * length has 2 bytes in version 1, 4 in versions 2 and 3. text is a Python dictionary with the keys descr,
 * fortran_order and shape, padded with blanks. Input is not trusted: all is checked. Format: numpy.lib.format. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1 << 20 };

typedef struct scanner {
    rkhs_env *env;
    const char *where;
    const char *at, *end;
} scanner;

static rkhs_status damaged(scanner *s, const char *why) {
    return rk_fail(s->env, RKHS_ERR_FORMAT, "%s: the header of the NumPy array is damaged (%s): write or copy the file again",
                   s->where, why);
}

/* The next character after blanks, 0 at the end. */
static char peek(scanner *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r')) s->at++;
    return s->at < s->end ? *s->at : 0;
}

/* Consumes the character `c` if it is next. */
static int take(scanner *s, char c) {
    if (peek(s) != c) return 0;
    s->at++;
    return 1;
}

/* Takes 'text' or "text", without escapes, of at most 31 characters; 0 if there is none. */
static int take_string(scanner *s, char out[32]) {
    char quote = peek(s);
    size_t length = 0;
    if (quote != '\'' && quote != '"') return 0;
    for (s->at++; s->at < s->end && *s->at != quote; s->at++) {
        if (length >= 31 || *s->at == '\\') return 0;
        out[length++] = *s->at;
    }
    out[length] = 0;
    return take(s, quote);
}

/* Takes a whole number; 0 if there is none, or it comes near to overflow. */
static int take_count(scanner *s, int64_t *out) {
    char c = peek(s);
    if (c < '0' || c > '9') return 0;
    *out = 0;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        if (*out > ((int64_t)1 << 58)) return 0;
        *out = *out * 10 + (*s->at - '0');
    }
    if (s->at < s->end && *s->at == 'L') s->at++; /* Python 2 wrote long numbers with an L */
    return 1;
}

/* Consumes a word (True, False) if it is next. */
static int take_word(scanner *s, const char *word) {
    size_t length = strlen(word);
    peek(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return 0;
    s->at += length;
    return 1;
}

/* Parses '<f8': byte order, kind, size. */
static rkhs_status parse_descr(scanner *s, rk_npy *npy) {
    static const char kinds[] = "biufcSUVOmMa?";
    char text[32];
    if (peek(s) == '[' || peek(s) == '{')
        return rk_fail(s->env, RKHS_ERR_FORMAT,
                       "%s: the array is a table of named fields (a structured type): save one plain array of numbers",
                       s->where);
    if (!take_string(s, text)) return damaged(s, "descr");
    const char *t = text;
    npy->order = *t == '<' || *t == '>' || *t == '|' || *t == '=' ? *t++ : '|';
    if (npy->order == '=') npy->order = '<';
    npy->kind = *t++;
    if (!npy->kind || !strchr(kinds, npy->kind)) return damaged(s, "descr");
    if (npy->kind == 'a') npy->kind = 'S';
    int digits = 0;
    for (npy->size = 0; *t >= '0' && *t <= '9' && digits < 10; t++, digits++) npy->size = npy->size * 10 + (*t - '0');
    if (npy->kind == '?') npy->kind = 'b', npy->size = 1, digits = 1;
    if (npy->kind == 'O')
        npy->size = 8;
    else if (!digits || (*t && npy->kind != 'm' && npy->kind != 'M'))
        return damaged(s, "descr");
    if (npy->kind == 'U') npy->size *= 4;
    return RKHS_OK;
}

/* Parses (3, 4), (3,) or (). */
static rkhs_status parse_shape(scanner *s, rk_npy *npy) {
    if (!take(s, '(')) return damaged(s, "shape");
    for (npy->ndim = 0; !take(s, ')'); npy->ndim++) {
        if (npy->ndim == RK_NPY_DIMS)
            return rk_fail(s->env, RKHS_ERR_FORMAT, "%s: the array has more than %d dimensions: save it as a matrix", s->where,
                           RK_NPY_DIMS);
        if (!take_count(s, &npy->shape[npy->ndim])) return damaged(s, "shape");
        if (!take(s, ',') && peek(s) != ')') return damaged(s, "shape");
    }
    return RKHS_OK;
}

/* Parses the dictionary, which must have each of its three keys once. */
static rkhs_status parse_dictionary(scanner *s, rk_npy *npy) {
    rkhs_status status = RKHS_OK;
    char key[32];
    unsigned seen = 0;
    if (!take(s, '{')) return damaged(s, "no dictionary");
    while (!take(s, '}')) {
        if (!take_string(s, key) || !take(s, ':')) return damaged(s, "a key");
        unsigned bit = 0;
        if (strcmp(key, "descr") == 0) {
            bit = 1;
            TRY(parse_descr(s, npy));
        } else if (strcmp(key, "fortran_order") == 0) {
            bit = 2;
            npy->fortran = take_word(s, "True");
            if (!npy->fortran && !take_word(s, "False")) return damaged(s, "fortran_order");
        } else if (strcmp(key, "shape") == 0) {
            bit = 4;
            TRY(parse_shape(s, npy));
        }
        if (!bit || seen & bit) return damaged(s, "its keys");
        seen |= bit;
        if (!take(s, ',') && peek(s) != '}') return damaged(s, "a comma");
    }
    if (seen != 7) return damaged(s, "a key is missing");
    if (peek(s)) return damaged(s, "text after the dictionary");
done:
    return status;
}

rkhs_status rk_npy_header_length(rkhs_env *env, const char *where, const void *bytes, size_t length, size_t *start,
                                 size_t *text) {
    const unsigned char *b = bytes;
    scanner s = {env, where, NULL, NULL};
    if (length < 6 || memcmp(b, "\x93NUMPY", 6) != 0)
        return rk_fail_hint(env, RKHS_ERR_FORMAT, "format", "%s: this is not a NumPy array (.npy): name its format", where);
    if (length < 12) return damaged(&s, "it ends early");
    if (b[6] < 1 || b[6] > 3)
        return rk_fail(env, RKHS_ERR_FORMAT,
                       "%s: NumPy format version %d.%d is newer than this library: save it again with numpy.save", where, b[6],
                       b[7]);
    *start = b[6] == 1 ? 10 : 12;
    *text = (size_t)b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) *text |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (*text > LONGEST) return damaged(&s, "its length");
    return RKHS_OK;
}

rkhs_status rk_npy_parse_header(rkhs_env *env, const char *where, const void *bytes, size_t length, rk_npy *npy) {
    rkhs_status status = RKHS_OK;
    size_t start, text;
    *npy = (rk_npy){0};
    TRY(rk_npy_header_length(env, where, bytes, length, &start, &text));
    const char *from = (const char *)bytes + start;
    scanner s = {env, where, from, from + text};
    if (text > length - start) {
        status = damaged(&s, "it ends early");
        goto done;
    }
    TRY(parse_dictionary(&s, npy));
    npy->offset = (int64_t)(start + text);
    npy->count = 1;
    int64_t total =
        npy->size > 0 ? npy->size : 1; /* bytes if every 0 in the shape were a 1: then no partial product overflows */
    for (int i = 0; i < npy->ndim; i++) {
        if (npy->shape[i] > 0 && total > INT64_MAX / 2 / npy->shape[i]) {
            status = damaged(&s, "the shape is larger than any file");
            goto done;
        }
        if (npy->shape[i] > 0) total *= npy->shape[i];
        npy->count *= npy->shape[i];
    }
done:
    return status;
}

size_t rk_npy_make_header(char buffer[RK_NPY_ROOM], const char *descr, int ndim, const int64_t *shape) {
    char *text = buffer + 10;
    size_t room = RK_NPY_ROOM - 10, used;
    used = (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < ndim; i++)
        used +=
            (size_t)snprintf(text + used, room - used, "%s%lld%s", i ? ", " : "", (long long)shape[i], ndim == 1 ? "," : "");
    used += (size_t)snprintf(text + used, room - used, "), }");
    size_t whole = (10 + used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', whole - 10 - used);
    buffer[whole - 1] = '\n';
    memcpy(buffer, "\x93NUMPY\x01\x00", 8);
    buffer[8] = (char)((whole - 10) & 0xff);
    buffer[9] = (char)((whole - 10) >> 8);
    return whole;
}
