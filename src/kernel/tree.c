/* tree.c: kernels as trees of kernel types: parsed from a spec, written as text, copied, freed.
 *
 * Weights, sums, products, powers and column groups have operators. Every other kernel is called by its name; a
 * wrapper has the kernel that it wraps as its first argument. The type's table says which is which (`syntax`,
 * `children`): this file knows no kernel by name. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>

#define RK_KERNEL(name) extern const rk_kernel_type rk_kernel_##name;
#include "kernel/kernels.def"
#undef RK_KERNEL

static const rk_entry *const entries[] = {
#define RK_KERNEL(name) &rk_kernel_##name.entry,
#include "kernel/kernels.def"
#undef RK_KERNEL
    NULL};

const rk_list rk_kernels = {"kernels", "kernel", entries};

static rkhs_status from_node(rkhs_env *env, const rk_node *node, rkhs_kernel **out);

static const rk_kernel_type *type_of(const rk_entry *entry) { return (const rk_kernel_type *)entry; }

/* The kernel type of an operator. */
static const rk_kernel_type *type_written(rk_syntax written) {
    int i = 0;
    while (type_of(entries[i])->syntax != written) i++;
    return type_of(entries[i]);
}

/* A node with room for its children; takes over the spec, also when it fails. */
static rkhs_status kernel_alloc(rkhs_env *env, rk_spec *spec, int children, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *k = NULL;
    *out = NULL;
    TRY(rk_alloc(env, 1, sizeof *k, &k));
    k->env = env;
    TRY(rk_alloc(env, children + 1, sizeof *k->child, &k->child));
    k->children = children;
    k->spec = spec;
    k->type = type_of(spec->entry);
    *out = k;
    return RKHS_OK;
done:
    rk_free(env, k);
    rk_spec_free(env, spec);
    return status;
}

/* A node of a type with these arguments, checked by the type. */
static rkhs_status kernel_of(rkhs_env *env, const rk_kernel_type *type, const rk_node *arguments, int children,
                             rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rk_spec *spec = NULL;
    rk_node call = {.kind = RK_NODE_CALL, .text = type->entry.name, .child = (rk_node *)(uintptr_t)arguments};
    *out = NULL;
    TRY(rk_spec_from_node(env, &rk_kernels, &call, &spec));
    if (type->check) TRY(type->check(env, spec->self));
    return kernel_alloc(env, spec, children, out);
done:
    rk_spec_free(env, spec);
    return status;
}

/* a + b + ... and a * b * ... */
static rkhs_status from_chain(rkhs_env *env, rk_syntax written, const rk_node *node, int count, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *k = NULL;
    int i = 0;
    TRY(kernel_of(env, type_written(written), NULL, count, &k));
    for (const rk_node *c = node->child; c; c = c->next)
        if (c->kind != RK_NODE_NUMBER) TRY(from_node(env, c, &k->child[i++]));
    *out = k;
    k = NULL;
done:
    rkhs_kernel_free(k);
    return status;
}

/* A node above `inner`, which it takes over, also when it fails. */
static rkhs_status wrap(rkhs_env *env, const rk_kernel_type *type, const rk_node *arguments, rkhs_kernel *inner,
                        rkhs_kernel **out) {
    rkhs_status status = kernel_of(env, type, arguments, 1, out);
    if (status == RKHS_OK)
        (*out)->child[0] = inner;
    else
        rkhs_kernel_free(inner);
    return status;
}

/* A product such as 2*3*a*b: the product of its numbers is the weight of the product of its kernels. */
static rkhs_status from_product(rkhs_env *env, const rk_node *node, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    rkhs_kernel *inner = NULL;
    double weight = 1;
    int kernels = 0, numbers = 0;
    const rk_node *only = NULL;
    for (const rk_node *c = node->child; c; c = c->next) {
        if (c->kind == RK_NODE_NUMBER)
            weight *= c->number, numbers++;
        else
            only = c, kernels++;
    }
    if (!kernels) FAIL(env, RKHS_ERR_SPEC, "a kernel needs a name: a weight stands before one, as in 2*rbf");
    if (!(weight > 0)) FAIL(env, RKHS_ERR_SPEC, "a kernel's weight must be above 0, not %.15g", weight);
    if (weight > 1e300) FAIL(env, RKHS_ERR_SPEC, "a kernel's weight must be at most 1e300, not %.15g", weight);
    if (kernels == 1)
        TRY(from_node(env, only, &inner));
    else
        TRY(from_chain(env, RK_SYNTAX_PRODUCT, node, kernels, &inner));
    rk_node number = {.kind = RK_NODE_NUMBER, .number = weight};
    if (!numbers)
        *out = inner;
    else
        TRY(wrap(env, type_written(RK_SYNTAX_WEIGHT), &number, inner, out));
done:
    return status;
}

/* A power or a column group: a kernel with a number or a list behind it. */
static rkhs_status from_behind(rkhs_env *env, rk_syntax written, const rk_node *node, rkhs_kernel **out) {
    rkhs_kernel *inner;
    rkhs_status status = from_node(env, node->child, &inner);
    return status == RKHS_OK ? wrap(env, type_written(written), node->child->next, inner, out) : status;
}

/* Refuses sum(rbf, linear), which is written rbf + linear. */
static rkhs_status refuse_combination(rkhs_env *env, const rk_node *node, const rk_kernel_type *type) {
    char text[256] = "";
    size_t used = 0;
    int count = 0, sum = type->syntax == RK_SYNTAX_SUM,
        plain = sum || type->syntax == RK_SYNTAX_PRODUCT || type->syntax == RK_SYNTAX_WEIGHT;
    for (const rk_node *c = node->child; c && used < sizeof text; c = c->next, count++) {
        plain &= !c->key && (c->kind == RK_NODE_CALL || (c->kind == RK_NODE_NUMBER && !sum));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s",
                                 !count ? ""
                                 : sum  ? " + "
                                        : "*",
                                 c->text ? c->text : "", c->child ? "(...)" : "");
    }
    return rk_fail(env, RKHS_ERR_SPEC, "'%s' is not called by name: write %s", type->entry.name,
                   plain && count > 1 && used < sizeof text ? text : type->entry.formula);
}

/* A kernel called by its name, or a wrapper. */
static rkhs_status from_call(rkhs_env *env, const rk_node *node, rkhs_kernel **out) {
    rkhs_status status = RKHS_OK;
    const rk_entry *entry;
    rkhs_kernel *inner;
    TRY(rk_list_get(env, &rk_kernels, node->text, &entry));
    const rk_kernel_type *type = type_of(entry);
    if (type->syntax != RK_SYNTAX_CALL) return refuse_combination(env, node, type);
    if (!type->children) return kernel_of(env, type, node->child, 0, out);
    if (!node->child || node->child->key)
        FAIL(env, RKHS_ERR_SPEC, "%s needs a kernel first between its brackets, as in %s(rbf)", entry->name, entry->name);
    TRY(from_node(env, node->child, &inner));
    TRY(wrap(env, type, node->child->next, inner, out));
done:
    return status;
}

static rkhs_status from_node(rkhs_env *env, const rk_node *node, rkhs_kernel **out) {
    int count = 0;
    *out = NULL;
    switch (node->kind) {
    case RK_NODE_CALL: return from_call(env, node, out);
    case RK_NODE_PRODUCT: return from_product(env, node, out);
    case RK_NODE_POWER: return from_behind(env, RK_SYNTAX_POWER, node, out);
    case RK_NODE_COLUMNS: return from_behind(env, RK_SYNTAX_COLUMNS, node, out);
    case RK_NODE_SUM:
        for (const rk_node *c = node->child; c; c = c->next, count++)
            if (c->kind == RK_NODE_NUMBER)
                return rk_fail(env, RKHS_ERR_SPEC, "a number alone is no kernel: a weight stands before one, as in 2*rbf");
        return from_chain(env, RK_SYNTAX_SUM, node, count, out);
    case RK_NODE_NUMBER:
    case RK_NODE_HOLE:
    case RK_NODE_LIST: break;
    }
    return rk_fail(env, RKHS_ERR_SPEC, "a kernel begins with its name, as in 'rbf(sigma=median)', not with %.40s", node->text);
}

/* Refuses a kernel whose nodes take no common kind of data. */
static rkhs_status check_kinds(const rkhs_kernel *k) {
    char text[RK_SHORT];
    if (rk_kernel_kinds(k)) return RKHS_OK;
    for (int i = 0; i < k->children; i++)
        if (!rk_kernel_kinds(k->child[i])) return check_kinds(k->child[i]);
    int any = (k->type->kinds & (RK_KIND_DENSE | RK_KIND_STRING)) == (RK_KIND_DENSE | RK_KIND_STRING); /* but Grams */
    if (any && k->children == 1 && rk_kernel_kinds(k->child[0]) == RK_KIND_GRAM)
        return rk_fail(k->env, RKHS_ERR_SPEC, "%s needs k(x,x), which rows of a Gram do not have: change the Gram beforehand",
                       rk_shorten(rkhs_kernel_text(k), text));
    return rk_fail(k->env, RKHS_ERR_SPEC, "%s: its parts take different kinds of data, so nothing can be compared by it",
                   rk_shorten(rkhs_kernel_text(k), text));
}

rkhs_status rkhs_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel) {
    if (!env || !spec || !kernel) return rk_fail_null(env, "rkhs_kernel_new", kernel ? "spec" : "variable for the kernel");
    rk_begin_call(env);
    return rk_kernel_new(env, spec, kernel);
}

rkhs_status rk_kernel_new(rkhs_env *env, const char *spec, rkhs_kernel **kernel) {
    *kernel = NULL;
    rk_mark mark = rk_scratch_mark(env);
    rk_node *node;
    rkhs_status status = rk_parse_spec(env, "kernel", spec, &node);
    if (status == RKHS_OK) status = from_node(env, node, kernel);
    if (status == RKHS_OK) status = rk_kernel_make_text(*kernel);
    if (status == RKHS_OK) status = check_kinds(*kernel);
    if (status != RKHS_OK) {
        rkhs_kernel_free(*kernel);
        *kernel = NULL;
    }
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_kernel_copy_tree(const rkhs_kernel *kernel, rkhs_kernel **copy) {
    rkhs_env *env = kernel->env;
    rkhs_status status = RKHS_OK;
    rk_spec *spec;
    rkhs_kernel *k = NULL;
    *copy = NULL;
    TRY(rk_spec_copy(env, kernel->spec, &spec));
    TRY(kernel_alloc(env, spec, kernel->children, &k));
    const rk_learnt *l = &kernel->learnt;
    if (l->text) TRY(rk_learnt_copy(env, l->text, l->values, l->count, &k->learnt));
    for (int i = 0; i < k->children; i++) TRY(rk_kernel_copy_tree(kernel->child[i], &k->child[i]));
    *copy = k;
    k = NULL;
done:
    rkhs_kernel_free(k);
    return status;
}

int rkhs_kernel_uses(const rkhs_kernel *kernel, const char *type) {
    if (!kernel || !type) return 0;
    int found = strcmp(kernel->type->entry.name, type) == 0;
    for (int i = 0; !found && i < kernel->children; i++) found = rkhs_kernel_uses(kernel->child[i], type);
    return found;
}

rkhs_status rkhs_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy) {
    if (!kernel || !copy) return rk_fail_null(kernel ? kernel->env : NULL, "rkhs_kernel_copy", "variable for the copy");
    rk_begin_call(kernel->env);
    return rk_kernel_copy(kernel, copy);
}

rkhs_status rk_kernel_copy(const rkhs_kernel *kernel, rkhs_kernel **copy) {
    rkhs_status status = rk_kernel_copy_tree(kernel, copy);
    if (status == RKHS_OK) status = rk_kernel_make_text(*copy);
    if (status != RKHS_OK) {
        rkhs_kernel_free(*copy);
        *copy = NULL;
    }
    return status;
}

void rkhs_kernel_free(rkhs_kernel *kernel) {
    if (!kernel) return;
    rkhs_env *env = kernel->env;
    for (int i = 0; i < kernel->children; i++) rkhs_kernel_free(kernel->child[i]);
    rk_free(env, kernel->child);
    rk_learnt_free(env, &kernel->learnt);
    rk_spec_free(env, kernel->spec);
    rk_free(env, kernel->text);
    rk_free(env, kernel);
}

/* Whether a node is bracketed inside its parent, so that reading the text gives the same tree. Otherwise sums,
 * products and weights would merge with those around them, and values be added or multiplied in another order. No
 * further brackets are written, so that text within the depth limit stays within it. */
static int bracketed(const rkhs_kernel *k, const rkhs_kernel *parent) {
    /* The precedence of a form, and the lowest that a child may have without brackets. */
    static const int binds[] = {[RK_SYNTAX_CALL] = 5,    [RK_SYNTAX_SUM] = 0,   [RK_SYNTAX_WEIGHT] = 1,
                                [RK_SYNTAX_PRODUCT] = 2, [RK_SYNTAX_POWER] = 3, [RK_SYNTAX_COLUMNS] = 4};
    static const int wants[] = {[RK_SYNTAX_CALL] = 0,    [RK_SYNTAX_SUM] = 1,   [RK_SYNTAX_WEIGHT] = 2,
                                [RK_SYNTAX_PRODUCT] = 3, [RK_SYNTAX_POWER] = 4, [RK_SYNTAX_COLUMNS] = 4};
    return parent && binds[k->type->syntax] < wants[parent->type->syntax];
}

static rkhs_status add_text(const rkhs_kernel *k, rk_text *text, const rkhs_kernel *parent);

/* name(kernel, parameters) */
static rkhs_status add_wrapper(const rkhs_kernel *k, rk_text *text) {
    rkhs_status status = RKHS_OK;
    int count = 1;
    TRY(rk_text_add(text, "%s(", k->type->entry.name));
    TRY(add_text(k->child[0], text, k));
    TRY(rk_params_text(k->spec, text, &count));
    TRY(rk_text_add(text, ")"));
done:
    return status;
}

static rkhs_status add_text(const rkhs_kernel *k, rk_text *text, const rkhs_kernel *parent) {
    rkhs_status status = RKHS_OK;
    rk_syntax written = k->type->syntax;
    if (written == RK_SYNTAX_CALL) return k->children ? add_wrapper(k, text) : rk_spec_text(k->spec, text);
    if (bracketed(k, parent)) TRY(rk_text_add(text, "("));
    if (written == RK_SYNTAX_WEIGHT) {
        TRY(rk_first_param_text(k->spec, text));
        TRY(rk_text_add(text, "*"));
    }
    for (int i = 0; i < k->children; i++) {
        if (i) TRY(rk_text_add(text, written == RK_SYNTAX_SUM ? " + " : "*"));
        TRY(add_text(k->child[i], text, k));
    }
    if (written == RK_SYNTAX_POWER) TRY(rk_text_add(text, "^"));
    if (written == RK_SYNTAX_POWER || written == RK_SYNTAX_COLUMNS) TRY(rk_first_param_text(k->spec, text));
    if (bracketed(k, parent)) TRY(rk_text_add(text, ")"));
done:
    return status;
}

rkhs_status rk_kernel_make_text(rkhs_kernel *k) {
    rk_text text = {.env = k->env};
    rkhs_status status = add_text(k, &text, NULL);
    if (status == RKHS_OK) status = rk_text_fits(k->env, "kernel", text.s); /* longer now: defaults are written out */
    if (status == RKHS_OK) {
        rk_free(k->env, k->text);
        k->text = text.s;
    } else {
        rk_free(k->env, text.s);
    }
    return status;
}

const char *rkhs_kernel_text(const rkhs_kernel *kernel) { return kernel && kernel->text ? kernel->text : ""; }
