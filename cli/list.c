/* list.c: rkhs list: the kernels, models, ... of the library, and their parameters.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything comes from the library's tables: nothing here names a kernel or a model. */
#include "cli.h"

#include <string.h>

enum { MAX_NAMES = 1024 };

static int count_types(const char *list) {
    rkhs_type type;
    int count = 0;
    while (rkhs_list_type(list, count, &type)) count++;
    return count;
}

static int is_list(const char *name) {
    const char *list;
    for (int i = 0; (list = rkhs_list_name(i)) != NULL; i++) {
        if (strcmp(list, name) == 0) return 1;
    }
    return 0;
}

static int name_width(const char *list) {
    rkhs_type type;
    int width = 0;
    for (int i = 0; rkhs_list_type(list, i, &type); i++) {
        int length = (int)strlen(type.name);
        if (length > width) width = length;
    }
    return width;
}

void list_brief(FILE *out, const char *list) {
    rkhs_type type;
    int indent = name_width(list) + 4;
    for (int i = 0; rkhs_list_type(list, i, &type); i++) {
        int at = fprintf(out, "  %s", type.name);
        wrap(out, at, indent, type.brief != NULL ? type.brief : "");
    }
}

/* Prints every list: its name, the number of its types, their names. */
static void show_lists(FILE *out) {
    const char *list;
    rkhs_type type;
    for (int i = 0; (list = rkhs_list_name(i)) != NULL; i++) {
        char names[4096];
        size_t used = 0;
        names[0] = 0;
        for (int j = 0; rkhs_list_type(list, j, &type) && used < sizeof names - 64; j++) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", j > 0 ? " " : "", type.name);
        }
        int at = fprintf(out, "%-12s %3d", list, count_types(list));
        wrap(out, at, 18, names);
    }
    fputs("\n'rkhs list kernels' shows more, 'rkhs list rbf' the parameters of one.\n", out);
}

/* Prints formula, its letters, data and cost of a type, where it has them. */
static void show_facts(FILE *out, const rkhs_type *type, int indent) {
    if (type->formula != NULL) wrap(out, 0, indent, type->formula);
    if (type->where != NULL) wrap(out, fprintf(out, "%*swhere", indent, ""), indent + 6, type->where);
    if (type->data == NULL && type->cost == NULL) return;
    fprintf(out, "%*s", indent, "");
    if (type->data != NULL) fprintf(out, "data: %s", type->data);
    if (type->cost != NULL) fprintf(out, "%scost: %s", type->data != NULL ? "; " : "", type->cost);
    fputc('\n', out);
}

static void show_types(FILE *out, const char *list) {
    rkhs_type type;
    int indent = name_width(list) + 2;
    for (int i = 0; rkhs_list_type(list, i, &type); i++) {
        int at = fprintf(out, "%s", type.name);
        wrap(out, at, indent, type.brief != NULL ? type.brief : "");
        show_facts(out, &type, indent);
    }
}

/* Prints the table of parameters. Columns are as wide as their longest cell, at most 24. */
static void show_params(FILE *out, const char *list, const char *name) {
    rkhs_param p;
    int wide[4] = {9, 4, 7, 6};
    for (int i = 0; rkhs_list_param(list, name, i, &p); i++) {
        const char *cell[] = {p.name, p.kind, p.value != NULL ? p.value : "not set", p.bounds};
        for (int j = 0; j < 4; j++) {
            int length = (int)strlen(cell[j]);
            if (length > wide[j]) wide[j] = length < 24 ? length : 24;
        }
    }
    int indent = 2 + wide[0] + 2 + wide[1] + 2 + wide[2] + 2 + wide[3] + 2;
    for (int i = 0; rkhs_list_param(list, name, i, &p); i++) {
        if (i == 0) {
            fprintf(out, "\n  %-*s  %-*s  %-*s  %s\n", wide[0], "parameter", wide[1], "kind", wide[2], "default", "bounds");
        }
        int at = fprintf(out, "  %-*s  %-*s  %-*s  %-*s", wide[0], p.name, wide[1], p.kind, wide[2],
                         p.value != NULL ? p.value : "not set", wide[3], p.bounds);
        char words[800];
        snprintf(words, sizeof words, p.aliases != NULL ? "%s (also: %s)" : "%s", p.brief != NULL ? p.brief : "", p.aliases);
        wrap(out, at, indent, words);
    }
}

static void show_type(FILE *out, const char *list, const rkhs_type *type) {
    fprintf(out, "%s (%s)\n", type->name, list);
    wrap(out, 0, 2, type->brief != NULL ? type->brief : "");
    show_facts(out, type, 2);
    show_params(out, list, type->name);
}

int list_show(FILE *out, const char *list, const char *name) {
    const char *each;
    rkhs_type type;
    int found = 0;
    if (name == NULL) {
        if (list != NULL && !is_list(list)) return 0;
        if (list == NULL)
            show_lists(out);
        else
            show_types(out, list);
        return 1;
    }
    for (int i = 0; (each = rkhs_list_name(i)) != NULL; i++) {
        if (list != NULL && strcmp(list, each) != 0) continue;
        for (int j = 0; rkhs_list_type(each, j, &type); j++) {
            if (strcmp(type.name, name) != 0) continue;
            if (found++) fputc('\n', out);
            show_type(out, each, &type);
        }
    }
    return found;
}

/* The name nearest to `word` among the types of a list, or among all lists and types. */
static const char *nearest_name(const char *list, const char *word) {
    const char *names[MAX_NAMES], *each;
    rkhs_type type;
    int count = 0;
    for (int i = 0; (each = rkhs_list_name(i)) != NULL && count < MAX_NAMES; i++) {
        if (list == NULL) names[count++] = each;
        if (list != NULL && strcmp(list, each) != 0) continue;
        for (int j = 0; rkhs_list_type(each, j, &type) && count < MAX_NAMES; j++) names[count++] = type.name;
    }
    return rk_nearest_name(word, names, count);
}

static int show(const cli *c, const char *list, const char *name) {
    return c->json ? json_lists(stdout, list, name) : list_show(stdout, list, name);
}

int run_list(cli *c) {
    const char *list = c->count > 0 ? c->operand[0] : NULL, *name = c->count > 1 ? c->operand[1] : NULL, *word = list, *near;
    if (show(c, list, name)) return finish(c, RKHS_OK);
    if (name == NULL && show(c, NULL, list)) return finish(c, RKHS_OK);
    int known = name != NULL && is_list(list);
    if (known) word = name;
    near = nearest_name(known ? list : NULL, word);
    const char *in = known ? " in " : "", *which = known ? list : "";
    if (near != NULL) return finish(c, refuse(c, EXIT_FAILED, "there is no '%s'%s%s; did you mean %s?", word, in, which, near));
    return finish(c, refuse(c, EXIT_FAILED, "there is no '%s'%s%s; 'rkhs list%s%s' shows what there is", word, in, which,
                            known ? " " : "", which));
}
