/* text.c: text utilities for UTF-8, safe display, growing strings, numbers as text, name suggestions, index lists. */
#include "base/base.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t rk_utf8_take(const char **s) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)*s;
    int more = b[0] < 0x80 ? 0 : (b[0] & 0xe0) == 0xc0 ? 1 : (b[0] & 0xf0) == 0xe0 ? 2 : (b[0] & 0xf8) == 0xf0 ? 3 : -1;
    *s += 1;
    if (more <= 0) return more ? RK_NO_CHARACTER : b[0];
    uint32_t c = b[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((b[i] & 0xc0) != 0x80) return RK_NO_CHARACTER; /* or the end of the text */
        c = c << 6 | (b[i] & 0x3f);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) return RK_NO_CHARACTER;
    *s += more;
    return c;
}

int rk_utf8_put(uint32_t c, char *to) {
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = RK_NO_CHARACTER;
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    int bytes = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = bytes - 1; i > 0; i--, c >>= 6) to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(c | (0xf00u >> bytes & 0xff));
    return bytes;
}

int rk_is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 ||
           c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

uint32_t rk_visible_take(const char **s, char piece[16]) {
    const char *from = *s;
    uint32_t c = rk_utf8_take(s);
    if (c == RK_NO_CHARACTER && *s == from + 1)
        snprintf(piece, 16, "\\x%02x", (unsigned char)*from);
    else if (c == '\n' || c == '\t')
        snprintf(piece, 16, c == '\n' ? "\\n" : "\\t");
    else if (rk_is_control(c))
        snprintf(piece, 16, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
    else {
        snprintf(piece, 16, "%.*s", (int)(*s - from), from);
        return c;
    }
    return 0;
}

void rk_text_visible(const char *from, char *to, size_t room) {
    size_t used = 0;
    while (*from) {
        char piece[16];
        rk_visible_take(&from, piece);
        if (used + strlen(piece) >= room) break;
        memcpy(to + used, piece, strlen(piece));
        used += strlen(piece);
    }
    to[used] = 0;
}

double rk_strtod(const char *text, char **end) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return strtod(text, end);
    double value = strtod_l(text, end, c);
    freelocale(c);
    return value;
}

/* Makes room for `count` more bytes and a zero byte. */
static rkhs_status make_room(rk_text *t, int64_t count) {
    if (t->status == RKHS_OK && t->length + count + 1 > t->room) {
        int64_t room = 2 * t->room + count + 64;
        t->status = rk_realloc(t->env, room, 1, &t->s);
        if (t->status == RKHS_OK) t->room = room;
    }
    return t->status;
}

rkhs_status rk_text_add(rk_text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int count = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (make_room(t, count) != RKHS_OK) return t->status;
    va_start(list, format);
    vsnprintf(t->s + t->length, (size_t)(count + 1), format, list);
    va_end(list);
    t->length += count;
    return RKHS_OK;
}

rkhs_status rk_text_add_bytes(rk_text *t, const void *bytes, size_t count) {
    if (make_room(t, (int64_t)count) != RKHS_OK) return t->status;
    memcpy(t->s + t->length, bytes, count);
    t->length += (int64_t)count;
    t->s[t->length] = 0;
    return RKHS_OK;
}

void rk_text_free(rk_text *t) {
    rk_free(t->env, t->s);
    *t = (rk_text){.env = t->env};
}

const char *rk_number_text(double value, char buffer[40]) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c); /* for the decimal point */
    /* 15 digits survive the way through a double, except for subnormal numbers. %g drops trailing zeros. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(buffer, 40, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
    uselocale(before);
    if (c) freelocale(c);
    return buffer;
}

rk_count_text rk_counted(int64_t n, const char *noun) {
    rk_count_text t;
    int length = (int)strlen(noun);
    int latin = length > 2 && strcmp(noun + length - 2, "ex") == 0; /* vertex, vertices */
    const char *end = latin ? "ices" : noun[length - 1] == 's' ? "es" : "s";
    if (n == 1)
        snprintf(t.text, sizeof t.text, "1 %s", noun);
    else
        snprintf(t.text, sizeof t.text, "%lld %.*s%s", (long long)n, length - 2 * latin, noun, end);
    return t;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Edit distance (insert, delete, replace, swap) of two words in any letter case; 32 if one is longer. */
static int edits(const char *a, const char *b) {
    enum { MOST = 32 };
    int la = (int)strlen(a), lb = (int)strlen(b), d[MOST + 1][MOST + 1];
    if (la > MOST || lb > MOST) return MOST;
    for (int i = 0; i <= la; i++) {
        for (int j = 0; j <= lb; j++) {
            if (!i || !j) {
                d[i][j] = i + j;
                continue;
            }
            int best = d[i - 1][j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            int swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && d[i - 2][j - 2] + 1 < best) best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[la][lb];
}

const char *rk_nearest_name(const char *word, const char *const *names, int count) {
    const char *best = NULL;
    int least = 1 + (int)strlen(word) / 3; /* a name that differs more would be a guess, not a hint */
    if (least > 3) least = 3;
    for (int i = 0; i < count; i++) {
        if (!names[i][0]) continue; /* skip empty names */
        int e = edits(word, names[i]);
        /* A prefix of three letters or more counts as near: "lap" for laplacian. A name that begins the word counts
         * only if nothing else is near: "labels-out" for labels. */
        if (e > 1 && strlen(word) >= 3 && strncmp(word, names[i], strlen(word)) == 0) e = 1;
        if (!best && e > least && strlen(names[i]) >= 3 && strncmp(word, names[i], strlen(names[i])) == 0) e = least;
        if (e <= least) best = names[i], least = e - 1;
    }
    return best;
}

const char *rk_shorten(const char *text, char buffer[RK_SHORT]) {
    size_t length = strlen(text);
    if (length < RK_SHORT)
        memcpy(buffer, text, length + 1);
    else
        snprintf(buffer, RK_SHORT, "%.200s ... %s", text, text + length - 100);
    return buffer;
}

int rk_next_range(const char **at, int64_t *from, int64_t *to) {
    char *stop;
    if (**at < '0' || **at > '9') return 0;
    errno = 0;
    *from = strtoll(*at, &stop, 10);
    *to = *from < INT64_MAX ? *from + 1 : *from;
    if (*stop == ':') *to = strtoll(stop + 1, &stop, 10);
    if (errno || *to <= *from || (*stop != ',' && *stop != ']')) return 0;
    *at = stop + 1;
    return 1;
}

rkhs_status rk_parse_indices(rkhs_env *env, const char *what, const char *list, int64_t end, int64_t **index, int64_t *count) {
    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        for (const char *s = list + 1; *s && *s != ']';) {
            char *stop;
            errno = 0;
            int64_t from = strtoll(s, &stop, 10), to = from < end ? from + 1 : from;
            if (*stop == ':') to = strtoll(stop + 1, &stop, 10);
            if (errno || from < 0 || from >= end || to > end || to <= from)
                return rk_fail(env, RKHS_ERR_SPEC, "%s '%.40s': the part '%.*s' is not inside 0:%lld", what, list,
                               (int)(stop - s), s, (long long)end);
            for (int64_t i = from; i < to; i++, (*count)++)
                if (pass) (*index)[*count] = i;
            s = *stop == ',' ? stop + 1 : stop;
            if (*stop != ',' && *stop != ']')
                return rk_fail(env, RKHS_ERR_SPEC, "%s '%.40s': write it as [0:50,7]", what, list);
        }
        if (!pass) {
            rkhs_status status = rk_scratch(env, *count, sizeof **index, index);
            if (status != RKHS_OK) return status;
        }
    }
    return RKHS_OK;
}
