/* spec.c: specs (types with parameters, such as rbf(sigma=0.5)), read, written and copied by the parameter tables.
 *
 * A table of rk_param gives each parameter's name, default, bounds and offset in the type's parameter struct. The text
 * has been parsed into nodes before (grammar.c). */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static rkhs_status set_given(rkhs_env *env, const rk_entry *e, void *self, const rk_node *node, uint64_t *given);
static rkhs_status set_defaults(rkhs_env *env, const rk_entry *e, void *self, uint64_t given);

static void *slot_of(const void *self, const rk_param *p) { return (char *)(uintptr_t)self + p->offset; }

const rk_entry *rk_list_find(const rk_list *list, const char *name) {
    for (const rk_entry *const *e = list->entries; *e; e++)
        if (strcmp((*e)->name, name) == 0) return *e;
    return NULL;
}

rkhs_status rk_list_get(rkhs_env *env, const rk_list *list, const char *name, const rk_entry **entry) {
    *entry = rk_list_find(list, name);
    if (*entry) return RKHS_OK;
    const char *names[128];
    int count = 0;
    for (const rk_added *a = env->added; a; a = a->next) {
        if (a->list != list) continue;
        if (strcmp(a->entry->name, name) == 0) {
            *entry = a->entry;
            return RKHS_OK;
        }
        if (count < 32) names[count++] = a->entry->name;
    }
    for (const rk_entry *const *e = list->entries; *e && count < 128; e++) names[count++] = (*e)->name;
    const char *near = rk_nearest_name(name, names, count);
    char hint[64];
    snprintf(hint, sizeof hint, "list=%s", list->name);
    return rk_fail_hint(env, RKHS_ERR_SPEC, hint, near ? "there is no %s '%.40s'; did you mean %s?" : "there is no %s '%.40s'",
                        list->what, name, near);
}

/* Writes the names of the parameters, "sigma, gamma". */
static const char *names_text(const rk_param *params, char *buffer, size_t room) {
    size_t used = 0;
    buffer[0] = 0;
    for (const rk_param *p = params; p && p->name && used < room; p++)
        used += (size_t)snprintf(buffer + used, room - used, "%s%s", used ? ", " : "", p->name);
    return buffer;
}

/* The position of a word in "a|b|c", or -1. */
static int choice_find(const char *choices, const char *word) {
    size_t length = strlen(word);
    int position = 0;
    if (strchr(word, '|')) return -1;
    for (const char *s = choices; s; s = strchr(s, '|'), s = s ? s + 1 : NULL, position++)
        if (strncmp(s, word, length) == 0 && (s[length] == '|' || s[length] == 0)) return position;
    return -1;
}

rkhs_status rk_param_find(rkhs_env *env, const rk_entry *e, const char *key, const rk_param **out) {
    const char *names[64] = {0};
    char all[256];
    int count = 0;
    for (const rk_param *p = e->params; p && p->name; p++) {
        if (strcmp(p->name, key) == 0 || choice_find(p->aliases, key) >= 0) {
            *out = p;
            return RKHS_OK;
        }
        if (count < 64) names[count++] = p->name;
    }
    const char *near = rk_nearest_name(key, names, count);
    if (!count) return rk_fail(env, RKHS_ERR_SPEC, "%s has no parameter '%.40s': it takes none", e->name, key);
    return rk_fail(env, RKHS_ERR_SPEC, "%s has no parameter '%.40s'%s%s%s: it takes %s", e->name, key,
                   near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", names_text(e->params, all, sizeof all));
}

const char *rk_choice_text(const char *choices, int position, char buffer[64]) {
    const char *s = choices;
    for (int i = 0; i < position && s; i++) s = strchr(s, '|'), s = s ? s + 1 : NULL;
    size_t length = s ? strcspn(s, "|") : 0;
    if (length > 63) length = 63;
    memcpy(buffer, s ? s : "", length);
    buffer[length] = 0;
    return buffer;
}

/* Writes " (did you mean clip?)" if a word is similar to one of "clip|flip|refuse", else nothing. */
static const char *choice_near(const char *choices, const char *word, char room[64]) {
    char all[256];
    const char *names[32];
    int count = 0;
    snprintf(all, sizeof all, "%s", choices);
    for (char *s = all; s && count < 32; count++) {
        names[count] = s;
        s = strchr(s, '|');
        if (s) *s++ = 0;
    }
    const char *near = word ? rk_nearest_name(word, names, count) : NULL;
    room[0] = 0;
    if (near) snprintf(room, 64, " (did you mean %.40s?)", near);
    return room;
}

/* The text of a value that is a single word without brackets; NULL: it is something else. */
static const char *word_of(const rk_node *node) { return node->kind == RK_NODE_CALL && !node->brackets ? node->text : NULL; }

static rkhs_status expected(rkhs_env *env, const rk_entry *e, const rk_param *p, const char *what, const rk_node *node) {
    return rk_fail(env, RKHS_ERR_SPEC, "%s: %s must be %s%s%.40s", e->name, p->name, what, node->text ? ", not " : "",
                   node->text ? node->text : "");
}

/* Fails because the value is none of the parameter's choices. */
static rkhs_status unknown_choice(rkhs_env *env, const rk_entry *e, const rk_param *p, const char *or_else,
                                  const rk_node *node) {
    char near[64];
    return rk_fail(env, RKHS_ERR_SPEC, "%s: %s must be %s%s%s%.40s%s", e->name, p->name, or_else, p->choices,
                   node->text ? ", not " : "", node->text ? node->text : "", choice_near(p->choices, node->text, near));
}

/* Fails unless v is within the parameter's bounds. */
static rkhs_status value_in(rkhs_env *env, const rk_entry *e, const rk_param *p, double v, const rk_node *node, double *out) {
    int bounded = p->min != 0 || p->max != 0 || p->min_excluded;
    if (!(v >= -1e300 && v <= 1e300)) return expected(env, e, p, "finite", node);
    if (bounded && (v < p->min || (p->min_excluded && v <= p->min)))
        return rk_fail(env, RKHS_ERR_SPEC, "%s: %s must be %s %.15g, not %.15g%s%s", e->name, p->name,
                       p->min_excluded ? "above" : "at least", p->min, v, p->value ? "; its default is " : ", or left out",
                       p->value ? p->value : "");
    if (bounded && p->max > p->min && v > p->max)
        return rk_fail(env, RKHS_ERR_SPEC, "%s: %s must be at most %.15g, not %.15g", e->name, p->name, p->max, v);
    if (p->whole_from_1 && v >= 1 && v != floor(v)) return expected(env, e, p, "a whole number, or below 1 a share", node);
    *out = v;
    return RKHS_OK;
}

static rkhs_status number_in(rkhs_env *env, const rk_entry *e, const rk_param *p, const rk_node *node, double *out) {
    if (node->kind != RK_NODE_NUMBER) return expected(env, e, p, "a number", node);
    return value_in(env, e, p, node->number, node, out);
}

static rkhs_status set_int(rkhs_env *env, const rk_entry *e, const rk_param *p, int64_t *slot, const rk_node *node) {
    double v = 0;
    rkhs_status status = number_in(env, e, p, node, &v);
    if (status != RKHS_OK) return status;
    if (v != floor(v) || fabs(v) > 9e15) return expected(env, e, p, "a whole number", node);
    *slot = (int64_t)v;
    return RKHS_OK;
}

static rkhs_status set_bool(rkhs_env *env, const rk_entry *e, const rk_param *p, int *slot, const rk_node *node) {
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    const char *word = node->kind == RK_NODE_NUMBER ? node->text : word_of(node);
    for (int i = 0; word && i < 6; i++) {
        if (strcmp(word, words[i]) == 0) {
            *slot = i & 1;
            return RKHS_OK;
        }
    }
    if (node->kind == RK_NODE_NUMBER && (node->number == 0 || node->number == 1)) {
        *slot = node->number != 0;
        return RKHS_OK;
    }
    return expected(env, e, p, "true or false", node);
}

static rkhs_status set_choice(rkhs_env *env, const rk_entry *e, const rk_param *p, int *slot, const rk_node *node) {
    const char *word = word_of(node);
    int position = word ? choice_find(p->choices, word) : -1;
    if (position < 0) return unknown_choice(env, e, p, "", node);
    *slot = position;
    return RKHS_OK;
}

/* Sets a number or a bandwidth rule, whose arguments are set as the parameters of a type are. */
static rkhs_status set_bandwidth(rkhs_env *env, const rk_entry *e, const rk_param *p, rk_bandwidth *slot, const rk_node *node) {
    char name[96];
    uint64_t given = 0;
    if (node->kind == RK_NODE_NUMBER) {
        slot->rule = RK_BANDWIDTH_NUMBER;
        return number_in(env, e, p, node, &slot->value);
    }
    int position = node->kind == RK_NODE_CALL ? choice_find(p->choices, node->text) : -1;
    if (position < 0) return unknown_choice(env, e, p, "a number or ", node);
    *slot = (rk_bandwidth){position, 0, 0};
    snprintf(name, sizeof name, "%.40s: %s=%.40s", e->name, p->name, node->text);
    rk_entry rule = {.name = name, .params = p->rule_params ? p->rule_params[position] : NULL};
    if (!rule.params && node->child) return rk_fail(env, RKHS_ERR_SPEC, "%s takes nothing in brackets", name);
    rkhs_status status = set_given(env, &rule, slot, node, &given);
    return status == RKHS_OK ? set_defaults(env, &rule, slot, given) : status;
}

/* Whether a value consists of names with parameters, numbers and lists: no sum, no product. */
static int is_plain(const rk_node *node) {
    int plain = node->kind == RK_NODE_CALL || node->kind == RK_NODE_NUMBER || node->kind == RK_NODE_LIST;
    for (const rk_node *c = node->child; c; c = c->next) plain &= is_plain(c);
    return plain;
}

/* Sets a word. If the parameter has a list, the word may also be a type of it with parameters, kept as text. */
static rkhs_status set_word(rkhs_env *env, const rk_entry *e, const rk_param *p, char **slot, const rk_node *node) {
    const char *word = node->kind == RK_NODE_NUMBER ? node->text : word_of(node);
    if (word) return rk_strdup(env, word, slot);
    rk_text text = {.env = env};
    if (!p->list || node->kind != RK_NODE_CALL || !is_plain(node))
        return expected(env, e, p, p->list ? "one name with its parameters, or text in quotes" : "a word", node);
    rkhs_status status = rk_node_text(node, ",", &text);
    if (status == RKHS_OK) *slot = text.s;
    if (status != RKHS_OK) rk_free(env, text.s);
    return status;
}

/* Sets a list of indices. They are checked where they are used, when their number is known. */
static rkhs_status set_list(rkhs_env *env, const rk_entry *e, const rk_param *p, char **slot, const rk_node *node) {
    if (node->kind != RK_NODE_LIST || strspn(node->text, "[0123456789:,]") < strlen(node->text))
        return expected(env, e, p, "numbers from 0 and ranges of them, as in [0:50,7]", node);
    return rk_strdup(env, node->text, slot);
}

/* Sets a list of numbers, each within the parameter's bounds. */
static rkhs_status set_reals(rkhs_env *env, const rk_entry *e, const rk_param *p, rk_reals *slot, const rk_node *node) {
    int64_t count = 1;
    if (node->kind != RK_NODE_LIST || strchr(node->text, ':'))
        return expected(env, e, p, "a list of numbers such as [0.5,-3]", node);
    for (const char *s = node->text; *s; s++) count += *s == ',';
    rkhs_status status = rk_alloc(env, count, sizeof *slot->values, &slot->values);
    char *at = (char *)(uintptr_t)node->text;
    for (int64_t i = 0; status == RKHS_OK && i < count; i++)
        status = value_in(env, e, p, rk_strtod(at + 1, &at), node, &slot->values[i]);
    slot->count = count;
    return status;
}

static rkhs_status set_value(rkhs_env *env, const rk_entry *e, const rk_param *p, void *self, const rk_node *node) {
    void *slot = slot_of(self, p);
    switch (p->kind) {
    case RK_INT: return set_int(env, e, p, slot, node);
    case RK_REAL: return number_in(env, e, p, node, slot);
    case RK_BOOL: return set_bool(env, e, p, slot, node);
    case RK_CHOICE: return set_choice(env, e, p, slot, node);
    case RK_BANDWIDTH: return set_bandwidth(env, e, p, slot, node);
    case RK_WORD: return set_word(env, e, p, slot, node);
    case RK_SPEC: return rk_spec_from_node(env, p->list, node, slot);
    case RK_LIST: return set_list(env, e, p, slot, node);
    case RK_REALS: return set_reals(env, e, p, slot, node);
    }
    return rk_fail(env, RKHS_ERR_BUG, "%s: a parameter of unknown kind", e->name);
}

/* Marks numbers and rules as not set; integers and pointers are 0 already. */
static void unset_all(const rk_entry *e, void *self) {
    for (const rk_param *p = e->params; p && p->name; p++) {
        if (p->kind == RK_REAL) *(double *)slot_of(self, p) = NAN;
        if (p->kind == RK_BANDWIDTH) *(rk_bandwidth *)slot_of(self, p) = (rk_bandwidth){RK_BANDWIDTH_UNSET, 0, 0};
    }
}

/* Whether a parameter that replaces p is given. `given` has a bit for each parameter. */
static int replaced(const rk_entry *e, const rk_param *p, uint64_t given) {
    for (const rk_param *q = e->params; q->name; q++)
        if (given >> (q - e->params) & 1 && q->replaces && strcmp(q->replaces, p->name) == 0) return 1;
    return 0;
}

/* Sets the defaults of parameters that are not given. */
static rkhs_status set_defaults(rkhs_env *env, const rk_entry *e, void *self, uint64_t given) {
    for (const rk_param *p = e->params; p && p->name; p++) {
        if (given >> (p - e->params) & 1) {
            if (replaced(e, p, given))
                return rk_fail(env, RKHS_ERR_SPEC, "%s: %s is given in two ways: keep one", e->name, p->name);
            continue;
        }
        if (!p->value || replaced(e, p, given)) continue;
        rk_node *node;
        rkhs_status status = rk_parse_spec(env, e->name, p->value, &node);
        if (status == RKHS_OK) status = set_value(env, e, p, self, node);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Sets the parameters that are given, by position or by name. */
static rkhs_status set_given(rkhs_env *env, const rk_entry *e, void *self, const rk_node *node, uint64_t *given) {
    int64_t count = 0, position = 0;
    while (e->params && e->params[count].name) count++;
    for (const rk_node *a = node->child; a; a = a->next) {
        const rk_param *p;
        if (a->key) {
            rkhs_status status = rk_param_find(env, e, a->key, &p);
            if (status != RKHS_OK) return status;
        } else {
            if (position >= count)
                return rk_fail(env, RKHS_ERR_SPEC, "%s takes %s, but more are given", e->name,
                               rk_counted(count, "parameter").text);
            p = &e->params[position++];
        }
        uint64_t bit = (uint64_t)1 << (p - e->params);
        if (*given & bit) return rk_fail(env, RKHS_ERR_SPEC, "%s: %s is given twice", e->name, p->name);
        *given |= bit;
        rkhs_status status = rk_set_subject(env, p->name, set_value(env, e, p, self, a));
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

rkhs_status rk_spec_from_node(rkhs_env *env, const rk_list *list, const rk_node *node, rk_spec **spec) {
    rkhs_status status = RKHS_OK;
    rk_spec *s = NULL;
    uint64_t given = 0;
    *spec = NULL;
    if (node->kind != RK_NODE_CALL)
        FAIL(env, RKHS_ERR_SPEC, "a %s begins with its name, as in '%s'%s%.40s", list->what, list->entries[0]->name,
             node->text ? ", not with " : "", node->text ? node->text : "");
    TRY(rk_alloc(env, 1, sizeof *s, &s));
    TRY(rk_list_get(env, list, node->text, &s->entry));
    TRY(rk_alloc(env, 1, s->entry->size + 1, &s->self));
    unset_all(s->entry, s->self);
    TRY(set_given(env, s->entry, s->self, node, &given));
    TRY(set_defaults(env, s->entry, s->self, given));
    *spec = s;
    s = NULL;
done:
    rk_spec_free(env, s);
    return status;
}

rkhs_status rk_spec_new(rkhs_env *env, const rk_list *list, const char *text, rk_spec **spec) {
    rk_mark mark = rk_scratch_mark(env);
    rk_node *node;
    *spec = NULL;
    rkhs_status status = rk_parse_spec(env, list->what, text, &node);
    if (status == RKHS_OK) status = rk_spec_from_node(env, list, node, spec);
    rk_scratch_release(env, mark);
    return status;
}

/* Whether a slot is, or begins with, a pointer that the spec owns. */
static int points(const rk_param *p) {
    return p->kind == RK_LIST || p->kind == RK_WORD || p->kind == RK_SPEC || p->kind == RK_REALS;
}

rkhs_status rk_spec_copy(rkhs_env *env, const rk_spec *spec, rk_spec **copy) {
    rkhs_status status = RKHS_OK;
    rk_spec *s = NULL;
    *copy = NULL;
    TRY(rk_alloc(env, 1, sizeof *s, &s));
    s->entry = spec->entry;
    TRY(rk_alloc(env, 1, spec->entry->size + 1, &s->self));
    memcpy(s->self, spec->self, spec->entry->size);
    /* Clear all pointers first, so that a copy that fails halfway frees nothing of the original. */
    for (const rk_param *p = s->entry->params; p && p->name; p++)
        if (points(p)) *(void **)slot_of(s->self, p) = NULL;
    for (const rk_param *p = s->entry->params; p && p->name; p++) {
        void *const *from = slot_of(spec->self, p);
        if (p->kind == RK_SPEC && *from) TRY(rk_spec_copy(env, *from, slot_of(s->self, p)));
        if ((p->kind == RK_LIST || p->kind == RK_WORD) && *from) TRY(rk_strdup(env, *from, slot_of(s->self, p)));
        if (p->kind == RK_REALS && *from) {
            rk_reals *to = slot_of(s->self, p);
            TRY(rk_alloc(env, to->count, sizeof *to->values, &to->values));
            memcpy(to->values, *from, (size_t)to->count * sizeof *to->values);
        }
    }
    *copy = s;
    s = NULL;
done:
    rk_spec_free(env, s);
    return status;
}

void rk_spec_free(rkhs_env *env, rk_spec *spec) {
    if (!spec) return;
    for (const rk_param *p = spec->self ? spec->entry->params : NULL; p && p->name; p++) {
        void **slot = slot_of(spec->self, p);
        if (p->kind == RK_SPEC) rk_spec_free(env, *slot);
        if (points(p) && p->kind != RK_SPEC) rk_free(env, *slot);
    }
    rk_free(env, spec->self);
    rk_free(env, spec);
}

/* Appends numbers in the form that the grammar reads. */
static rkhs_status add_reals(rk_text *text, const rk_reals *reals) {
    char number[40];
    rkhs_status status = RKHS_OK;
    for (int64_t i = 0; i < reals->count && status == RKHS_OK; i++)
        status = rk_text_add(text, "%c%s", i ? ',' : '[', rk_number_text(reals->values[i], number));
    return status == RKHS_OK ? rk_text_add(text, "]") : status;
}

/* Appends a value in the form that the grammar reads. */
static rkhs_status add_value(rk_text *text, const rk_param *p, const void *slot) {
    char buffer[64], number[40];
    const rk_bandwidth *rule = slot;
    rkhs_status status;
    switch (p->kind) {
    case RK_INT: return rk_text_add(text, "%lld", (long long)*(const int64_t *)slot);
    case RK_REAL: return rk_text_add(text, "%s", rk_number_text(*(const double *)slot, number));
    case RK_BOOL: return rk_text_add(text, *(const int *)slot ? "true" : "false");
    case RK_CHOICE: return rk_text_add(text, "%s", rk_choice_text(p->choices, *(const int *)slot, buffer));
    case RK_LIST: return rk_text_add(text, "%s", *(char *const *)slot);
    case RK_WORD: return rk_word_text(*(char *const *)slot, text);
    case RK_SPEC: return rk_spec_text(*(rk_spec *const *)slot, text);
    case RK_REALS: return add_reals(text, slot);
    case RK_BANDWIDTH:
        if (rule->rule == RK_BANDWIDTH_NUMBER) return rk_text_add(text, "%s", rk_number_text(rule->value, number));
        rk_choice_text(p->choices, rule->rule, buffer);
        if (rule->k == 0) return rk_text_add(text, "%s", buffer);
        status = rk_text_add(text, "%s(%s", buffer, rk_number_text(rule->k, number));
        if (status != RKHS_OK || rule->value == 1) return status == RKHS_OK ? rk_text_add(text, ")") : status;
        return rk_text_add(text, ",%s)", rk_number_text(rule->value, number));
    }
    return RKHS_ERR_BUG;
}

/* Whether a parameter has a value. */
static int is_set(const rk_param *p, const void *slot) {
    switch (p->kind) {
    case RK_INT: return p->value || *(const int64_t *)slot != 0;
    case RK_REAL: return !isnan(*(const double *)slot);
    case RK_BANDWIDTH: return ((const rk_bandwidth *)slot)->rule != RK_BANDWIDTH_UNSET;
    case RK_LIST:
    case RK_WORD:
    case RK_REALS: /* its first member is a pointer */
    case RK_SPEC: return *(void *const *)slot != NULL;
    default: return 1;
    }
}

rkhs_status rk_params_text(const rk_spec *spec, rk_text *text, int *count) {
    rkhs_status status = RKHS_OK;
    for (const rk_param *p = spec->entry->params; p && p->name && status == RKHS_OK; p++) {
        const void *slot = slot_of(spec->self, p);
        if (!is_set(p, slot)) continue;
        status = rk_text_add(text, "%s%s=", (*count)++ ? ", " : "(", p->name);
        if (status == RKHS_OK) status = add_value(text, p, slot);
    }
    return status;
}

rkhs_status rk_first_param_text(const rk_spec *spec, rk_text *text) {
    return add_value(text, spec->entry->params, slot_of(spec->self, spec->entry->params));
}

rkhs_status rk_spec_text(const rk_spec *spec, rk_text *text) {
    int count = 0;
    rkhs_status status = rk_text_add(text, "%s", spec->entry->name);
    if (status == RKHS_OK) status = rk_params_text(spec, text, &count);
    return status == RKHS_OK && count ? rk_text_add(text, ")") : status;
}
