/* integer_lines.c: reads text files of integers line by line, for the formats gin and tu. */
#include "io/io.h"

#include <string.h>

rkhs_status rk_integer_lines_open(rkhs_env *env, rk_input *in, rk_integer_lines *w) {
    rkhs_status status = RKHS_OK;
    size_t length;
    char *at;
    *w = (rk_integer_lines){.env = env, .name = rk_input_name(in)};
    TRY(rk_input_read_all(in, &w->bytes, &length));
    at = w->bytes;
    w->end = at + length;
    TRY(rk_text_check(env, w->name, &at, w->end));
    while (w->end > at && strchr(" \t\r\n", w->end[-1])) w->end--; /* blank lines at the end are ignored */
    w->start = w->at = w->stop = w->next = at;
done:
    return status;
}

void rk_integer_lines_close(rk_integer_lines *w) { rk_free(w->env, w->bytes); }

int64_t rk_integer_lines_count(const rk_integer_lines *w) {
    int64_t lines = w->end > w->start;
    for (const char *s = w->start; (s = memchr(s, '\n', (size_t)(w->end - s))); s++) lines++;
    return lines;
}

int rk_integer_lines_next(rk_integer_lines *w) {
    if (w->next >= w->end) return 0;
    const char *stop = memchr(w->next, '\n', (size_t)(w->end - w->next));
    w->at = w->next;
    w->stop = stop ? stop : w->end;
    w->next = w->stop + 1;
    w->line++;
    return 1;
}

int rk_integer_lines_more(rk_integer_lines *w) {
    while (w->at < w->stop && strchr(" \t\r,", *w->at)) w->at++;
    return w->at < w->stop;
}

rkhs_status rk_integer_lines_take(rk_integer_lines *w, const char *what, int64_t *value) {
    if (!rk_integer_lines_more(w))
        return rk_fail(w->env, RKHS_ERR_DATA, "%s: line %lld ends where %s should stand: add it, or take the line out", w->name,
                       (long long)w->line, what);
    const char *s = w->at, *from = s;
    int minus = *s == '-', far = 0;
    uint64_t sum = 0;
    if (*s == '-' || *s == '+') s++;
    const char *digits = s;
    for (; s < w->stop && *s >= '0' && *s <= '9'; s++) {
        far |= sum > INT64_MAX / 10 || 10 * sum + (uint64_t)(*s - '0') > INT64_MAX;
        sum = 10 * sum + (uint64_t)(*s - '0');
    }
    int good = s > digits && (s == w->stop || strchr(" \t\r,", *s));
    while (s < w->stop && !strchr(" \t\r,", *s)) s++;
    if (!good)
        return rk_fail(w->env, RKHS_ERR_DATA, "%s: line %lld: '%.*s' should be %s, a whole number: correct it", w->name,
                       (long long)w->line, (int)rk_min(s - from, 40), from, what);
    if (far)
        return rk_fail(w->env, RKHS_ERR_DATA, "%s: line %lld: %.*s is past 2^63, too large for %s: give a smaller number",
                       w->name, (long long)w->line, (int)rk_min(s - from, 40), from, what);
    *value = minus ? -(int64_t)sum : (int64_t)sum;
    w->at = s;
    return RKHS_OK;
}

rkhs_status rk_integer_lines_done(rk_integer_lines *w, const char *after) {
    if (!rk_integer_lines_more(w)) return RKHS_OK;
    size_t length = strcspn(w->at, " \t\r\n,");
    return rk_fail(w->env, RKHS_ERR_DATA, "%s: line %lld has '%.*s' after %s: nothing may follow there", w->name,
                   (long long)w->line, (int)(length < 40 ? length : 40), w->at, after);
}
