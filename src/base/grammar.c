/* grammar.c: the parser of specs, from text to a tree of nodes, and back to text. The grammar is in base.h. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

/* Lists may be long: the means and deviations of several hundred thousand columns. Other text is limited more, because
 * its nodes take a hundred times its length. */
enum { DEEPEST = 40, LONGEST = 65536, LONGEST_LISTS = 1 << 24 };

typedef struct parser {
    rkhs_env *env;
    const char *what, *text;
    int at, depth;
} parser;

static rkhs_status parse_expr(parser *p, rk_node **out);

/* As in <ctype.h>, but for ASCII alone, independent of the locale. */
static int is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Skips blanks, and returns the next character without consuming it. */
static char peek(parser *p) {
    while (is_blank(p->text[p->at])) p->at++;
    return p->text[p->at];
}

/* Fails with what was expected at the current position, and what is there. */
static rkhs_status wrong(parser *p, const char *expected) {
    char c = peek(p);
    char found[16] = "the end";
    if (c) snprintf(found, sizeof found, c > ' ' && c <= '~' ? "'%c'" : "\\x%02x", (unsigned char)c);
    return rk_fail(p->env, RKHS_ERR_SPEC, "%s '%.80s': expected %s at position %d, found %s", p->what, p->text, expected,
                   p->at + 1, found);
}

static rkhs_status node_new(parser *p, rk_node_kind kind, rk_node **out) {
    rkhs_status status = rk_scratch(p->env, 1, sizeof **out, out);
    if (status == RKHS_OK) **out = (rk_node){.kind = kind, .at = p->at};
    return status;
}

/* Copies text[from, to) to the scratch list. */
static rkhs_status copy_part(parser *p, int from, int to, const char **out) {
    char *s;
    rkhs_status status = rk_scratch(p->env, to - from + 1, 1, &s);
    if (status != RKHS_OK) return status;
    memcpy(s, p->text + from, (size_t)(to - from));
    s[to - from] = 0;
    *out = s;
    return RKHS_OK;
}

/* number: decimal, not hexadecimal, "inf" or "nan". */
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

static rkhs_status parse_word(parser *p, const char **out) {
    if (!is_letter(peek(p))) return wrong(p, "a name");
    int from = p->at;
    while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) p->at++;
    return copy_part(p, from, p->at, out);
}

/* hole := "?" [ name ], both kept as its text */
static rkhs_status parse_hole(parser *p, rk_node **out) {
    rkhs_status status = node_new(p, RK_NODE_HOLE, out);
    int from = p->at++;
    while (is_letter(p->text[p->at]) || is_digit(p->text[p->at])) p->at++;
    return status == RKHS_OK ? copy_part(p, from, p->at, &(*out)->text) : status;
}

/* Whether "word =" comes next. */
static int key_ahead(const parser *p) {
    const char *s = p->text + p->at;
    while (is_blank(*s)) s++;
    if (!is_letter(*s)) return 0;
    while (is_letter(*s) || is_digit(*s)) s++;
    while (is_blank(*s)) s++;
    return *s == '=';
}

/* call := word or hole [ "(" [ arg { "," arg } ] ")" ] */
static rkhs_status parse_call(parser *p, rk_node **out) {
    int hole = peek(p) == '?';
    rkhs_status status = hole ? parse_hole(p, out) : node_new(p, RK_NODE_CALL, out);
    if (status == RKHS_OK && !hole) status = parse_word(p, &(*out)->text);
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

/* Copies one number of a list to s; *whole: it has digits alone. */
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

/* "[" hole "]": the hole becomes the list's child. */
static rkhs_status parse_list_hole(parser *p, rk_node *list) {
    int from = p->at;
    p->at++;
    peek(p);
    rkhs_status status = parse_hole(p, &list->child);
    if (status == RKHS_OK && peek(p) != ']') status = wrong(p, "']'");
    p->at++;
    return status == RKHS_OK ? copy_part(p, from, p->at, &list->text) : status;
}

/* list, kept as text without blanks */
static rkhs_status parse_list(parser *p, rk_node **out) {
    rkhs_status status = node_new(p, RK_NODE_LIST, out);
    size_t blanks = strspn(p->text + p->at + 1, " \t\n\v\f\r");
    if (status == RKHS_OK && p->text[p->at + 1 + (int)blanks] == '?') return parse_list_hole(p, *out);
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

/* Makes *out the first child of a new node, and what `part` parses the second: for a power or columns. */
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
    int hole = peek(p) == '?';
    if (!hole && !is_digit(peek(p))) return wrong(p, "a whole number");
    status = parse_behind(p, RK_NODE_POWER, hole ? parse_hole : parse_number, out);
    if (status == RKHS_OK && (peek(p) == '^' || peek(p) == '[')) return wrong(p, "brackets around a power, as in (k^2)[0:3],");
    return status;
}

/* A chain of parts joined by `sign`: a sum of products, or a product of powers. A single part needs no chain node. */
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

static rkhs_status too_deep(rkhs_env *env, const char *what, const char *text) {
    return rk_fail(env, RKHS_ERR_SPEC, "%s '%.40s...': brackets more than %d deep", what, text, DEEPEST);
}

static rkhs_status parse_expr(parser *p, rk_node **out) {
    if (p->depth++ > DEEPEST) return too_deep(p->env, p->what, p->text); /* depth 1 is outside all brackets */
    rkhs_status status = parse_chain(p, '+', RK_NODE_SUM, parse_term, out);
    if (status == RKHS_OK && peek(p) == '-')
        return rk_fail(p->env, RKHS_ERR_SPEC, "%s '%.80s': there is no difference (position %d): join parts by + and *",
                       p->what, p->text, p->at + 1);
    p->depth--;
    return status;
}

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

rkhs_status rk_parse_spec(rkhs_env *env, const char *what, const char *text, rk_node **node) {
    rkhs_status status = check_length(env, what, text);
    if (status != RKHS_OK) return status;
    parser p = {env, what, text, 0, 0};
    if (!peek(&p)) return rk_fail(env, RKHS_ERR_SPEC, "the text of the %s is empty", what);
    status = parse_expr(&p, node);
    if (status == RKHS_OK && peek(&p)) status = wrong(&p, "the end");
    return status;
}

/* ---- back to text ---------------------------------------------------------------------------------------------- */

rkhs_status rk_word_text(const char *word, rk_text *text) {
    int plain = word[0] && (strspn(word, "0123456789") == strlen(word) || is_letter(word[0]));
    for (const char *c = word; *c; c++) plain &= is_letter(*c) || is_digit(*c);
    if (plain) return rk_text_add(text, "%s", word);
    rkhs_status status = rk_text_add(text, "\"");
    for (const char *c = word; *c && status == RKHS_OK; c++)
        status = rk_text_add(text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    return status == RKHS_OK ? rk_text_add(text, "\"") : status;
}

/* Writes the children with `between` between them, and brackets around those that bind less tightly than `needs`. */
static rkhs_status add_parts(const rk_node *node, const char *between, int needs, const char *comma, rk_text *text) {
    /* How tightly each kind of node binds. */
    static const int holds[] = {[RK_NODE_NUMBER] = 4, [RK_NODE_CALL] = 4,    [RK_NODE_HOLE] = 4,  [RK_NODE_LIST] = 4,
                                [RK_NODE_SUM] = 0,    [RK_NODE_PRODUCT] = 1, [RK_NODE_POWER] = 2, [RK_NODE_COLUMNS] = 3};
    rkhs_status status = RKHS_OK;
    for (const rk_node *c = node->child; c; c = c->next) {
        int bracketed = holds[c->kind] < needs;
        TRY(rk_text_add(text, "%s%s%s%s", c == node->child ? "" : between, c->key ? c->key : "", c->key ? "=" : "",
                        bracketed ? "(" : ""));
        TRY(rk_node_text(c, comma, text));
        if (bracketed) TRY(rk_text_add(text, ")"));
    }
done:
    return status;
}

rkhs_status rk_node_text(const rk_node *node, const char *comma, rk_text *text) {
    rkhs_status status = RKHS_OK;
    switch (node->kind) {
    case RK_NODE_NUMBER:
    case RK_NODE_LIST: return rk_text_add(text, "%s", node->text);
    case RK_NODE_SUM: return add_parts(node, " + ", 1, comma, text);
    case RK_NODE_PRODUCT: return add_parts(node, "*", 2, comma, text);
    case RK_NODE_POWER: return add_parts(node, "^", 3, comma, text);
    case RK_NODE_COLUMNS: return add_parts(node, "", 3, comma, text);
    case RK_NODE_CALL:
        if (!node->brackets) return rk_word_text(node->text, text);
        break;
    case RK_NODE_HOLE: break;
    }
    TRY(rk_text_add(text, node->brackets ? "%s(" : "%s", node->text));
    TRY(add_parts(node, comma, 0, comma, text));
    if (node->brackets) TRY(rk_text_add(text, ")"));
done:
    return status;
}
