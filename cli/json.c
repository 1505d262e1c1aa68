/* json.c: rkhs list --json and rkhs help --json: the tables of types and commands.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * tools/make_doc.py makes the man pages, doc/reference and the shell completion from this output. */
#include "cli.h"

#include <string.h>

/* One member of a JSON object; value NULL becomes null. */
static void member(FILE *out, int first, const char *name, const char *value) {
    if (!first) fputs(", ", out);
    json_text(out, name);
    fputs(": ", out);
    if (value != NULL)
        json_text(out, value);
    else
        fputs("null", out);
}

/* ---- lists ----------------------------------------------------------------------------------------------------- */

static void json_type(FILE *out, const char *list, const rkhs_type *type) {
    rkhs_param p;
    int i;
    fputs("\n      {", out);
    member(out, 1, "name", type->name);
    member(out, 0, "brief", type->brief);
    member(out, 0, "formula", type->formula);
    member(out, 0, "where", type->where);
    member(out, 0, "data", type->data);
    member(out, 0, "cost", type->cost);
    fputs(", \"parameters\": [", out);
    for (i = 0; rkhs_list_param(list, type->name, i, &p); i++) {
        fprintf(out, "%s\n        {", i > 0 ? "," : "");
        member(out, 1, "name", p.name);
        member(out, 0, "kind", p.kind);
        member(out, 0, "default", p.value);
        member(out, 0, "bounds", p.bounds[0] ? p.bounds : NULL);
        member(out, 0, "brief", p.brief);
        member(out, 0, "aliases", p.aliases);
        fputc('}', out);
    }
    fputs(i > 0 ? "\n      ]}" : "]}", out);
}

/* Whether a list has a type of that name; name NULL: any type. */
static int has_type(const char *list, const char *name) {
    rkhs_type type;
    for (int i = 0; rkhs_list_type(list, i, &type); i++)
        if (name == NULL || strcmp(type.name, name) == 0) return 1;
    return 0;
}

int json_lists(FILE *out, const char *list, const char *name) {
    const char *each;
    rkhs_type type;
    int lists = 0, types;
    for (int i = 0; (each = rkhs_list_name(i)) != NULL; i++) {
        if ((list != NULL && strcmp(list, each) != 0) || !has_type(each, name)) continue;
        if (lists++ == 0) {
            fputc('{', out);
            member(out, 1, "version", rkhs_version());
            fputs(", \"lists\": [", out);
        }
        fprintf(out, "%s\n    {", lists > 1 ? "," : "");
        member(out, 1, "name", each);
        fputs(", \"types\": [", out);
        types = 0;
        for (int j = 0; rkhs_list_type(each, j, &type); j++) {
            if (name != NULL && strcmp(type.name, name) != 0) continue;
            if (types++ > 0) fputc(',', out);
            json_type(out, each, &type);
        }
        fputs("]}", out);
    }
    if (lists > 0) fputs("]}\n", out);
    return lists;
}

/* ---- commands -------------------------------------------------------------------------------------------------- */

static void json_options(FILE *out, const option *table) {
    fputs(", \"options\": [", out);
    for (const option *o = table; o->name != NULL; o++) {
        char letter[2] = {o->letter, 0};
        fprintf(out, "%s\n      {", o > table ? "," : "");
        member(out, 1, "name", o->name);
        member(out, 0, "letter", o->letter != 0 ? letter : NULL);
        member(out, 0, "value", o->value);
        member(out, 0, "brief", o->brief);
        fputc('}', out);
    }
    fputc(']', out);
}

void json_commands(FILE *out) {
    fputc('{', out);
    member(out, 1, "version", rkhs_version());
    member(out, 0, "examples", help_begin);
    json_options(out, shared_options);
    fputs(", \"commands\": [", out);
    for (const command *cmd = commands; cmd->name != NULL; cmd++) {
        fprintf(out, "%s\n    {", cmd > commands ? "," : "");
        member(out, 1, "name", cmd->name);
        member(out, 0, "group", cmd->group);
        member(out, 0, "operands", cmd->operands);
        member(out, 0, "brief", cmd->brief);
        member(out, 0, "more", cmd->more);
        member(out, 0, "list", cmd->list);
        member(out, 0, "examples", cmd->examples);
        json_options(out, cmd->options);
        fputc('}', out);
    }
    fputs("]}\n", out);
}
