/* help.c: rkhs help, printed from the tables of commands and options.  SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The width of the terminal, 100 if `out` is none. */
static int width_of(FILE *out) {
    struct winsize window;
    if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return 100;
    return window.ws_col < 60 ? 60 : window.ws_col > 120 ? 120 : window.ws_col;
}

void wrap(FILE *out, int at, int indent, const char *words) {
    int width = width_of(out), fresh = 1;
    if (at >= indent && indent > 0) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", indent - at, "");
    at = indent;
    while (*words != 0) {
        size_t length = strcspn(words, " ");
        int columns = print_safe(NULL, words, length);
        if (!fresh && at + 1 + columns > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
            fresh = 1;
        }
        if (!fresh) fputc(' ', out);
        at += print_safe(out, words, length) + !fresh;
        fresh = 0;
        words += length;
        while (*words == ' ') words++;
    }
    fputc('\n', out);
}

const command *find_command(const char *name) {
    for (const command *cmd = commands; cmd->name != NULL; cmd++) {
        if (strcmp(cmd->name, name) == 0) return cmd;
    }
    return NULL;
}

const char *nearest_command(const char *name) {
    const char *names[32];
    int count = 0;
    for (const command *cmd = commands; cmd->name != NULL && count < 31; cmd++) names[count++] = cmd->name;
    names[count++] = "help";
    return rk_nearest_name(name, names, count);
}

const char help_begin[] = "rkhs sample 'circles(n=380)' -o X.npy --labels-out y.npy\n"
                          "rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=median)' X.npy -o m.rkhs -z Z.npy\n"
                          "rkhs plot Z.npy --labels y.npy -o circles.svg\n";

static void help_lines(FILE *out, const char *lines) {
    while (*lines != 0) {
        int length = (int)strcspn(lines, "\n");
        fprintf(out, "  %.*s\n", length, lines);
        lines += length + (lines[length] == '\n');
    }
}

void help_overview(FILE *out) {
    const char *group = "";
    fprintf(out, "rkhs %s: kernel representation learning\n\n", rkhs_version());
    fputs("  rkhs COMMAND ... [options]\n", out);
    for (const command *cmd = commands; cmd->name != NULL; cmd++) {
        if (strcmp(cmd->group, group) != 0) fprintf(out, "\n%s\n", cmd->group);
        group = cmd->group;
        int at = fprintf(out, "  %s", cmd->name);
        wrap(out, at, 14, cmd->brief);
    }
    fputs("\nTo begin\n", out);
    help_lines(out, help_begin);
    fputs("\n'rkhs help COMMAND' shows its options, 'rkhs list' the kernels and models.\n", out);
}

static void help_options(FILE *out, const char *heading, const option *table) {
    if (table->name == NULL) return;
    fprintf(out, "\n%s\n", heading);
    for (const option *o = table; o->name != NULL; o++) {
        int at = o->letter != 0 ? fprintf(out, "  -%c, --%s", o->letter, o->name) : fprintf(out, "      --%s", o->name);
        if (o->value != NULL) at += fprintf(out, " %s", o->value);
        wrap(out, at, 30, o->brief);
    }
}

void help_command(FILE *out, const command *cmd) {
    fprintf(out, "rkhs %s: %s\n\n  rkhs %s %s [options]\n", cmd->name, cmd->brief, cmd->name, cmd->operands);
    if (cmd->more != NULL) {
        fputc('\n', out);
        wrap(out, 0, 0, cmd->more);
    }
    if (cmd->run != run_list) fputs("A file named - is standard input or output.\n", out);
    help_options(out, "Options", cmd->options);
    help_options(out, cmd->options->name != NULL ? "Options of every command" : "Options", shared_options);
    fputs("\nExamples\n", out);
    help_lines(out, cmd->examples);
    if (cmd->list != NULL) {
        fprintf(out, "\n%c%s ('rkhs list %s NAME' shows the parameters of one)\n", cmd->list[0] - 32, cmd->list + 1, cmd->list);
        list_brief(out, cmd->list);
    }
}
