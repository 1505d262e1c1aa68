/* edit_spec.c: specs as public objects (rkhs_spec), whose parameters are read and set, and whose holes are filled.
 *
 * A hole is a placeholder, "?" or "?name". The object keeps the text of the spec. A change parses the text, edits the
 * nodes, and checks their new text by the parameter tables before it replaces the old one: a failure changes
 * nothing. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>

struct rkhs_spec {
    rkhs_env *env;
    const rk_list *list;
    const char *name; /* of the type; "": a sum or product of kernels, or a hole */
    char *text;
    char *hole;   /* name of the first hole; NULL: there is none */
    char *value;  /* the last result of rkhs_spec_get */
    int template; /* 1: it has or had holes, so only its grammar is checked */
};

/* Where a path such as "gram.by" leads: the parameter, the call that it belongs to, and the pointer to the node of its
 * value (*link NULL: it is not given). */
typedef struct argument {
    const rk_entry *entry;
    const rk_param *param;
    rk_node *call, **link;
} argument;

/* ---- holes ----------------------------------------------------------------------------------------------------- */

/* The name of a hole: "name" of ?name, or the key of a plain "?". NULL: the node is no hole. */
static const char *hole_name(const rk_node *node) {
    const rk_node *hole = node->kind == RK_NODE_LIST ? node->child : node;
    if (!hole || hole->kind != RK_NODE_HOLE) return NULL;
    return hole->text[1] ? hole->text + 1 : node->key ? node->key : "";
}

/* The name of the first hole; NULL if there is none. */
static const char *first_hole(const rk_node *node) {
    const char *name = hole_name(node);
    for (const rk_node *c = node->child; c && !name; c = c->next) name = first_hole(c);
    return name;
}

/* Replaces all holes of that name by the value. */
static rkhs_status fill_holes(rkhs_env *env, const char *name, const char *value, rk_node **link) {
    rkhs_status status = RKHS_OK;
    rk_node *node = *link, *put = NULL;
    const char *hole = hole_name(node);
    rk_text text = {.env = env};
    if (hole && strcmp(hole, name) == 0) {
        int list = node->kind == RK_NODE_LIST;
        TRY(rk_text_add(&text, list ? "[%s]" : "%s", value));
        TRY(rk_parse_spec(env, name, text.s, &put));
        if (node->brackets && (put->kind != RK_NODE_CALL || put->brackets))
            FAIL(env, RKHS_ERR_SPEC, "%s(...) stands for a name with parameters: fill it with a name, not with %.40s",
                 node->text, value);
        put->next = node->next;
        put->key = node->key;
        if (node->brackets) {
            put->brackets = 1;
            put->child = node->child;
        }
        *link = put;
    }
    if (!put || node->brackets)
        for (rk_node **c = &(*link)->child; *c; c = &(*c)->next) TRY(fill_holes(env, name, value, c));
done:
    rk_free(env, text.s);
    return status;
}

/* ---- paths ----------------------------------------------------------------------------------------------------- */

/* Finds the pointer to the node of a parameter's value; if it is not given, the end of the arguments. */
static rkhs_status find_argument(rkhs_env *env, const rk_list *list, const rk_entry *e, const rk_param *param, rk_node *call,
                                 rk_node ***link) {
    int position = list == &rk_kernels ? -((const rk_kernel_type *)e)->children : 0; /* a wrapper's kernel is first */
    rk_node **at = &call->child;
    for (; *at; at = &(*at)->next) {
        const rk_param *p = NULL;
        if ((*at)->key) {
            rkhs_status status = rk_param_find(env, e, (*at)->key, &p);
            if (status != RKHS_OK) return status;
        } else if (position++ == param - e->params) {
            p = param;
        }
        if (p == param) break;
    }
    *link = at;
    return RKHS_OK;
}

/* Follows a path. A nested spec on the way that is not given is inserted with its default. */
static rkhs_status follow(rkhs_env *env, const rk_list *list, rk_node *node, const char *path, argument *at) {
    rkhs_status status = RKHS_OK;
    for (const char *step = path;; step = strchr(step, '.') + 1) {
        char word[64];
        size_t length = strcspn(step, ".");
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, step);
        if (node->kind != RK_NODE_CALL)
            FAIL(env, RKHS_ERR_SPEC, "'%.60s': '%.40s' is a parameter of a type that is called by its name", path, word);
        TRY(rk_list_get(env, list, node->text, &at->entry));
        TRY(rk_param_find(env, at->entry, word, &at->param));
        TRY(find_argument(env, list, at->entry, at->param, node, &at->link));
        at->call = node;
        if (!step[length]) return RKHS_OK;
        if (!at->param->list || (!*at->link && !at->param->value))
            FAIL(env, RKHS_ERR_SPEC, "'%.60s': %s of %s %s", path, at->param->name, at->entry->name,
                 at->param->list ? "is not set: set it first" : "has no parameters of its own");
        if (!*at->link) {
            TRY(rk_parse_spec(env, at->param->name, at->param->value, at->link));
            (*at->link)->key = at->param->name;
            node->brackets = 1;
        }
        list = at->param->list;
        node = *at->link;
    }
done:
    return status;
}

/* Whether a parameter takes any word, without parsing it. */
static int takes_word(const rk_param *p) { return p->kind == RK_WORD && !p->list; }

/* Whether a parameter is given that replaces this one, so that its default does not apply. */
static rkhs_status is_replaced(rkhs_env *env, const rk_list *list, const argument *at, int *replaced) {
    rkhs_status status = RKHS_OK;
    rk_node **link;
    *replaced = 0;
    for (const rk_param *q = at->entry->params; q->name && !*replaced; q++) {
        if (!q->replaces || strcmp(q->replaces, at->param->name) != 0) continue;
        TRY(find_argument(env, list, at->entry, q, at->call, &link));
        *replaced = *link != NULL;
    }
done:
    return status;
}

/* ---- the object ------------------------------------------------------------------------------------------------ */

/* Checks a spec by the parameter tables. */
static rkhs_status check(rkhs_env *env, const rk_list *list, const char *text) {
    rk_spec *spec = NULL;
    rkhs_kernel *kernel = NULL;
    rkhs_status status = list == &rk_kernels ? rk_kernel_new(env, text, &kernel) : rk_spec_new(env, list, text, &spec);
    rkhs_kernel_free(kernel);
    rk_spec_free(env, spec);
    return status;
}

/* Makes the text of the nodes the text of the spec, after checking it. */
static rkhs_status adopt(rkhs_spec *s, const rk_node *node) {
    rkhs_status status = RKHS_OK;
    rk_text text = {.env = s->env};
    const char *first = first_hole(node);
    char *hole = NULL;
    const rk_entry *entry = NULL;
    TRY(rk_node_text(node, ", ", &text));
    if (first) TRY(rk_strdup(s->env, first, &hole));
    if (!first && !s->template) TRY(check(s->env, s->list, text.s));
    if (node->kind == RK_NODE_CALL) TRY(rk_list_get(s->env, s->list, node->text, &entry));
    s->name = entry ? entry->name : "";
    rk_free(s->env, s->text);
    rk_free(s->env, s->hole);
    s->text = text.s;
    s->hole = hole;
    s->template |= hole != NULL;
    return RKHS_OK;
done:
    rk_free(s->env, hole);
    rk_free(s->env, text.s);
    return status;
}

rkhs_status rkhs_spec_new(rkhs_env *env, const char *list, const char *text, rkhs_spec **spec) {
    if (!env || !text || !spec) return rk_fail_null(env, "rkhs_spec_new", spec ? "text" : "variable for the spec");
    rkhs_status status = RKHS_OK;
    rkhs_spec *s = NULL;
    rk_node *node;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    *spec = NULL;
    TRY(rk_alloc(env, 1, sizeof *s, &s));
    *s = (rkhs_spec){.env = env, .list = rk_list_named(list), .name = ""};
    if (!s->list) TRY(rk_fail_hint(env, RKHS_ERR_ARGUMENT, "list", "there is no list '%.40s'", list ? list : ""));
    TRY(rk_parse_spec(env, s->list->what, text, &node));
    TRY(adopt(s, node));
    *spec = s;
    s = NULL;
done:
    rkhs_spec_free(s);
    rk_scratch_release(env, mark);
    return status;
}

const char *rkhs_spec_name(const rkhs_spec *spec) { return spec ? spec->name : ""; }

const char *rkhs_spec_text(const rkhs_spec *spec) { return spec ? spec->text : ""; }

const char *rkhs_spec_hole(const rkhs_spec *spec) { return spec ? spec->hole : NULL; }

rkhs_status rkhs_spec_get(rkhs_spec *spec, const char *path, const char **value) {
    if (!spec || !path || !value)
        return rk_fail_null(spec ? spec->env : NULL, "rkhs_spec_get", value ? "path" : "variable for the value");
    rkhs_status status = RKHS_OK;
    rkhs_env *env = spec->env;
    rk_node *node;
    argument at;
    int replaced = 0;
    rk_text text = {.env = env};
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    *value = NULL;
    TRY(rk_parse_spec(env, spec->list->what, spec->text, &node));
    TRY(follow(env, spec->list, node, path, &at));
    TRY(is_replaced(env, spec->list, &at, &replaced));
    if (*at.link)
        TRY(takes_word(at.param) ? rk_text_add(&text, "%s", (*at.link)->text) : rk_node_text(*at.link, ", ", &text));
    else if (at.param->value && !replaced)
        TRY(rk_text_add(&text, "%s", at.param->value));
    rk_free(env, spec->value);
    *value = spec->value = text.s;
    text.s = NULL;
done:
    rk_free(env, text.s);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rkhs_spec_set(rkhs_spec *spec, const char *path, const char *value) {
    if (!spec || !path || !value) return rk_fail_null(spec ? spec->env : NULL, "rkhs_spec_set", path ? "value" : "path");
    rkhs_status status = RKHS_OK;
    rkhs_env *env = spec->env;
    rk_node *node, *put, word = {.kind = RK_NODE_CALL, .text = value};
    argument at;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_parse_spec(env, spec->list->what, spec->text, &node));
    if (path[0] == '?') {
        TRY(fill_holes(env, path + 1, value, &node));
        TRY(adopt(spec, node));
        goto done;
    }
    TRY(follow(env, spec->list, node, path, &at));
    put = &word;
    if (!takes_word(at.param)) TRY(rk_parse_spec(env, at.param->name, value, &put));
    put->key = *at.link ? (*at.link)->key : at.param->name;
    put->next = *at.link ? (*at.link)->next : NULL;
    *at.link = put;
    at.call->brackets = 1;
    TRY(adopt(spec, node));
done:
    rk_scratch_release(env, mark);
    return status;
}

void rkhs_spec_free(rkhs_spec *spec) {
    if (!spec) return;
    rk_free(spec->env, spec->text);
    rk_free(spec->env, spec->hole);
    rk_free(spec->env, spec->value);
    rk_free(spec->env, spec);
}
