/* text.c: the grammar of specs (see base.h), growing text, numbers as text, near names. */
#include "base/base.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists may hold the mean and deviation of several hundred thousand columns; what else is in a text becomes nodes, and takes a
 * hundred times its length. */
enum { DEEPEST = 40, LONGEST = 65536, LONGEST_LISTS = 1 << 24 };

uint32_t rk_utf8_take(const char **s) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)*s;
    int more = b[0] < 0x80 ? 0 : (b[0] & 0xe0) == 0xc0 ? 1 : (b[0] & 0xf0) == 0xe0 ? 2 : (b[0] & 0xf8) == 0xf0 ? 3 : -1;
    *s += 1;
    if (more <= 0) return more ? RK_NO_CHARACTER : b[0];
    uint32_t c = b[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((b[i] & 0xc0) != 0x80) return RK_NO_CHARACTER; /* also the end of the text */
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

/* 1 for characters that steer a terminal, turn the direction of what follows, or are no characters at all. */
static int is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 ||
           c == 0x2029 || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

void rk_text_visible(const char *from, char *to, size_t room) {
    size_t used = 0;
    while (*from) {
        const char *start = from;
        char piece[16];
        uint32_t c = rk_utf8_take(&from);
        if (c == RK_NO_CHARACTER && from == start + 1)
            snprintf(piece, sizeof piece, "\\x%02x", (unsigned char)*start);
        else if (c == '\n' || c == '\t')
            snprintf(piece, sizeof piece, c == '\n' ? "\\n" : "\\t");
        else if (is_control(c))
            snprintf(piece, sizeof piece, c < 0x80 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        else
            snprintf(piece, sizeof piece, "%.*s", (int)(from - start), start);
        if (used + strlen(piece) >= room) break;
        memcpy(to + used, piece, strlen(piece));
        used += strlen(piece);
    }
    to[used] = 0;
}

typedef struct parser {
    rkhs_env *env;
    const char *what, *text;
    int at, depth;
} parser;

static rkhs_status parse_expr(parser *p, rk_node **out);

/* As in <ctype.h>, but for ASCII alone, whatever the program's locale. */
static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Skips blanks; the next character. */
static char peek(parser *p) {
    while (is_blank(p->text[p->at])) p->at++;
    return p->text[p->at];
}

/* Fails at the current place. */
static rkhs_status wrong(parser *p, const char *expected) {
    char c = peek(p);
    char found[16] = "the end";
    if (c) snprintf(found, sizeof found, c > ' ' && c <= '~' ? "'%c'" : "\\x%02x", (unsigned char)c);
    return rk_fail(p->env, RKHS_ERR_SPEC, "%s '%.80s': expected %s at position %d, found %s", p->what, p->text, expected,
                   p->at + 1, found);
}

/* A node on the scratch list. */
static rkhs_status node_new(parser *p, rk_node_kind kind, rk_node **out) {
    rkhs_status status = rk_scratch(p->env, 1, sizeof **out, out);
    if (status == RKHS_OK) **out = (rk_node){.kind = kind, .at = p->at};
    return status;
}

/* text[from, to) on the scratch list. */
static rkhs_status copy_part(parser *p, int from, int to, const char **out) {
    char *s;
    rkhs_status status = rk_scratch(p->env, to - from + 1, 1, &s);
    if (status != RKHS_OK) return status;
    memcpy(s, p->text + from, (size_t)(to - from));
    s[to - from] = 0;
    *out = s;
    return RKHS_OK;
}

/* strtod in the C locale, whatever the program's is. */
double rk_strtod(const char *text, char **end) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return strtod(text, end);
    double value = strtod_l(text, end, c);
    freelocale(c);
    return value;
}

/* number := digits, a point, an exponent; no hexadecimals. */
static rkhs_status parse_number(parser *p, rk_node **out) {
    rkhs_status status = node_new(p, RK_NODE_NUMBER, out);
    if (status != RKHS_OK) return status;
    const char *from = p->text + p->at;
    char *end;
    double value = rk_strtod(from, &end);
    int plain = end > from;
    for (const char *s = from; s < end; s++) plain = plain && strchr("0123456789.eE+-", *s);
    if (!plain) return wrong(p, "a number");
    int start = p->at;
    p->at += (int)(end - from);
    (*out)->number = value;
    return copy_part(p, start, p->at, &(*out)->text);
}

/* "quoted word", with \" and \\ inside. */
static rkhs_status parse_quoted(parser *p, rk_node **out) {
    rkhs_status status = node_new(p, RK_NODE_CALL, out);
    char *s;
    int length = 0, end = p->at + 1;
    while (p->text[end] && p->text[end] != '"') end += p->text[end] == '\\' && p->text[end + 1] ? 2 : 1;
    if (status == RKHS_OK) status = rk_scratch(p->env, end - p->at + 1, 1, &s);
    if (status != RKHS_OK) return status;
    for (p->at++; p->text[p->at] != '"'; p->at++) {
        if (p->text[p->at] == '\\' && p->text[p->at + 1]) p->at++;
        if (!p->text[p->at]) return wrong(p, "a closing quote");
        s[length++] = p->text[p->at];
    }
    p->at++;
    s[length] = 0;
    (*out)->text = s;
    return RKHS_OK;
}

/* word at the current place, or NULL. */
static rkhs_status parse_word(parser *p, const char **out) {
    if (!is_letter(peek(p))) return wrong(p, "a name");
    int from = p->at;
    while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) p->at++;
    return copy_part(p, from, p->at, out);
}

/* Whether "word =" stands here. */
static int key_ahead(const parser *p) {
    const char *s = p->text + p->at;
    while (is_blank(*s)) s++;
    if (!is_letter(*s)) return 0;
    while (is_letter(*s) || is_digit(*s)) s++;
    while (is_blank(*s)) s++;
    return *s == '=';
}

/* call := word [ "(" [ arg { "," arg } ] ")" ] */
static rkhs_status parse_call(parser *p, rk_node **out) {
    rkhs_status status = node_new(p, RK_NODE_CALL, out);
    if (status == RKHS_OK) status = parse_word(p, &(*out)->text);
    if (status != RKHS_OK || peek(p) != '(') return status;
    (*out)->brackets = 1;
    p->at++;
    rk_node **tail = &(*out)->child;
    while (peek(p) != ')') {
        const char *key = NULL;
        if (key_ahead(p)) {
            status = parse_word(p, &key);
            if (status != RKHS_OK) return status;
            peek(p);
            p->at++;
        }
        status = parse_expr(p, tail);
        if (status != RKHS_OK) return status;
        (*tail)->key = key;
        tail = &(*tail)->next;
        if (peek(p) == ')') break;
        if (peek(p) != ',') return wrong(p, "',' or ')'");
        p->at++;
        if (peek(p) == ')') return wrong(p, "an argument");
    }
    p->at++;
    return RKHS_OK;
}

/* One number of a list, copied without blanks; *whole: digits alone. */
static rkhs_status list_number(parser *p, char *s, int *length, int *whole) {
    char c = peek(p), *end;
    const char *from = p->text + p->at;
    if (!is_digit(c) && c != '-' && c != '.') return wrong(p, "a number");
    rk_strtod(from, &end);
    size_t count = (size_t)(end - from);
    if (!count || strspn(from, "0123456789.eE+-") < count) return wrong(p, "a number");
    *whole = strspn(from, "0123456789") >= count;
    memcpy(s + *length, from, count);
    *length += (int)count;
    p->at += (int)count;
    return RKHS_OK;
}

/* list, kept as text without blanks. */
static rkhs_status parse_list(parser *p, rk_node **out) {
    rkhs_status status = node_new(p, RK_NODE_LIST, out);
    char *s, c = '[';
    int length = 0, whole;
    if (status == RKHS_OK) status = rk_scratch(p->env, (int64_t)strcspn(p->text + p->at, "]") + 2, 1, &s);
    if (status != RKHS_OK) return status;
    while (c != ']') {
        s[length++] = c;
        p->at++;
        status = list_number(p, s, &length, &whole);
        if (status == RKHS_OK && whole && peek(p) == ':') {
            s[length++] = ':';
            p->at++;
            status = list_number(p, s, &length, &whole);
            if (status == RKHS_OK && !whole)
                return rk_fail(p->env, RKHS_ERR_SPEC, "%s '%.80s': a range has whole numbers, as in [0:50]", p->what, p->text);
            whole = 0;
        }
        if (status != RKHS_OK) return status;
        c = peek(p);
        if (c != ',' && c != ']') return wrong(p, whole ? "':', ',' or ']'" : "',' or ']'");
    }
    p->at++;
    s[length++] = ']';
    s[length] = 0;
    (*out)->text = s;
    return RKHS_OK;
}

/* factor := number | call | "(" expr ")" | list */
static rkhs_status parse_factor(parser *p, rk_node **out) {
    char c = peek(p);
    if (is_digit(c) || c == '.' || c == '-') return parse_number(p, out);
    if (c == '"') return parse_quoted(p, out);
    if (c == '[') return parse_list(p, out);
    if (c != '(') return parse_call(p, out);
    p->at++;
    rkhs_status status = parse_expr(p, out);
    if (status != RKHS_OK) return status;
    if (peek(p) != ')') return wrong(p, "')'");
    p->at++;
    return RKHS_OK;
}

/* Puts a node above *out, and the number or list that stands here beside it. */
static rkhs_status parse_behind(parser *p, rk_node_kind kind, rkhs_status (*part)(parser *, rk_node **), rk_node **out) {
    rk_node *node;
    rkhs_status status = node_new(p, kind, &node);
    if (status != RKHS_OK) return status;
    node->child = *out;
    *out = node;
    return part(p, &node->child->next);
}

/* power := group [ "^" number ], group := factor { list } */
static rkhs_status parse_power(parser *p, rk_node **out) {
    rkhs_status status = parse_factor(p, out);
    for (int groups = 0; status == RKHS_OK && peek(p) == '['; groups++) {
        if (groups >= DEEPEST)
            return rk_fail(p->env, RKHS_ERR_SPEC, "%s '%.40s...': lists more than %d deep", p->what, p->text, DEEPEST);
        status = parse_behind(p, RK_NODE_COLUMNS, parse_list, out);
    }
    if (status != RKHS_OK || peek(p) != '^') return status;
    p->at++;
    if (!is_digit(peek(p))) return wrong(p, "a whole number");
    status = parse_behind(p, RK_NODE_POWER, parse_number, out);
    if (status == RKHS_OK && (peek(p) == '^' || peek(p) == '[')) return wrong(p, "brackets around a power, as in (k^2)[0:3],");
    return status;
}

/* A chain of parts joined by `sign`: a sum of products, a product of powers. One part stands for itself. */
static rkhs_status parse_chain(parser *p, char sign, rk_node_kind kind, rkhs_status (*part)(parser *, rk_node **),
                               rk_node **out) {
    rkhs_status status = part(p, out);
    if (status != RKHS_OK || peek(p) != sign) return status;
    rk_node *chain;
    status = node_new(p, kind, &chain);
    if (status != RKHS_OK) return status;
    chain->child = *out;
    rk_node *last = *out;
    while (peek(p) == sign) {
        p->at++;
        status = part(p, &last->next);
        if (status != RKHS_OK) return status;
        last = last->next;
    }
    *out = chain;
    return RKHS_OK;
}

static rkhs_status parse_term(parser *p, rk_node **out) { return parse_chain(p, '*', RK_NODE_PRODUCT, parse_power, out); }

/* More than that is no text. */
static rkhs_status too_deep(rkhs_env *env, const char *what, const char *text) {
    return rk_fail(env, RKHS_ERR_SPEC, "%s '%.40s...': brackets more than %d deep", what, text, DEEPEST);
}

static rkhs_status parse_expr(parser *p, rk_node **out) {
    if (p->depth++ > DEEPEST) return too_deep(p->env, p->what, p->text); /* the first is outside all brackets */
    rkhs_status status = parse_chain(p, '+', RK_NODE_SUM, parse_term, out);
    if (status == RKHS_OK && peek(p) == '-')
        return rk_fail(p->env, RKHS_ERR_SPEC, "%s '%.80s': there is no difference (position %d): join parts by + and *",
                       p->what, p->text, p->at + 1);
    p->depth--;
    return status;
}

/* Refuses what is too long to be text. */
static rkhs_status check_length(rkhs_env *env, const char *what, const char *text) {
    size_t listed = 0, length = strlen(text);
    for (const char *at = text; (at = strchr(at, '[')); at++) listed += strspn(at + 1, "0123456789.eE+-:, ");
    if (length - listed > LONGEST)
        return rk_fail(env, RKHS_ERR_SPEC, "%s: the text is longer than %d characters", what, LONGEST);
    if (listed > LONGEST_LISTS)
        return rk_fail(env, RKHS_ERR_SPEC, "%s: the lists in the text are longer than %d characters", what, LONGEST_LISTS);
    return RKHS_OK;
}

rkhs_status rk_text_fits(rkhs_env *env, const char *what, const char *text) {
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth > DEEPEST) return too_deep(env, what, text);
    }
    return check_length(env, what, text);
}

rkhs_status rk_parse(rkhs_env *env, const char *what, const char *text, rk_node **node) {
    rkhs_status status = check_length(env, what, text);
    if (status != RKHS_OK) return status;
    parser p = {env, what, text, 0, 0};
    if (!peek(&p)) return rk_fail(env, RKHS_ERR_SPEC, "the text of the %s is empty", what);
    status = parse_expr(&p, node);
    if (status == RKHS_OK && peek(&p)) status = wrong(&p, "the end");
    return status;
}

rkhs_status rk_text_add(rk_text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int wants = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (t->length + wants + 1 > t->room) {
        int64_t room = 2 * t->room + wants + 64;
        rkhs_status status = rk_realloc(t->env, room, 1, &t->s);
        if (status != RKHS_OK) return status;
        t->room = room;
    }
    va_start(list, format);
    vsnprintf(t->s + t->length, (size_t)(wants + 1), format, list);
    va_end(list);
    t->length += wants;
    return RKHS_OK;
}

const char *rk_number_text(double value, char buffer[40]) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c); /* the program's may write a comma */
    /* Up to 15 digits are the same for every number that is not tiny: what was written so comes back. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(buffer, 40, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
    uselocale(before);
    if (c) freelocale(c);
    return buffer;
}

const char *rk_nearest(const char *word, const char *const *names, int count) {
    const char *best = NULL;
    int least = 1 + (int)strlen(word) / 3; /* further away is a guess, not a hint */
    if (least > 3) least = 3;
    for (int i = 0; i < count; i++) {
        if (!names[i][0]) continue; /* nothing is no name to suggest */
        int e = rk_edit_distance(word, names[i]);
        /* "lap" for laplacian: a beginning of three letters counts as near. */
        if (e > 1 && strlen(word) >= 3 && strncmp(word, names[i], strlen(word)) == 0) e = 1;
        if (e <= least) best = names[i], least = e - 1;
    }
    return best;
}

const char *rk_short(const char *text, char buffer[RK_SHORT]) {
    size_t length = strlen(text);
    if (length < RK_SHORT)
        memcpy(buffer, text, length + 1);
    else
        snprintf(buffer, RK_SHORT, "%.200s ... %s", text, text + length - 100);
    return buffer;
}

int rk_indices_next(const char **at, int64_t *from, int64_t *to) {
    char *stop;
    if (!is_digit(**at)) return 0;
    errno = 0;
    *from = strtoll(*at, &stop, 10);
    *to = *from < INT64_MAX ? *from + 1 : *from;
    if (*stop == ':') *to = strtoll(stop + 1, &stop, 10);
    if (errno || *to <= *from || (*stop != ',' && *stop != ']')) return 0;
    *at = stop + 1;
    return 1;
}

rkhs_status rk_indices(rkhs_env *env, const char *what, const char *list, int64_t end, int64_t **index, int64_t *count) {
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
