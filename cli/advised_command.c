/* advised_command.c: the command that follows a piece of advice: what was typed, with a parameter of the model changed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Appends a word as a shell reads it: as it is, or in single quotes. */
static void add_word(char *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-@%";
    char *at = out + strlen(out);
    if (*word != 0 && word[strspn(word, plain)] == 0) {
        strcpy(at, word);
        return;
    }
    *at++ = '\'';
    for (; *word != 0; word++) {
        if (*word == '\'') { /* ends the quotes, a quote, begins them again */
            memcpy(at, "'\\'", 3);
            at += 3;
        }
        *at++ = *word;
    }
    *at++ = '\'';
    *at = 0;
}

/* Sets NAME=VALUE of the hint. Of a type that the spec names already, as in solver=lbfgs(max_iter=9, tol=1), only the
 * parameter that VALUE gives: the others stay. */
static int set_hint(rkhs_spec *spec, const char *hint) {
    char path[128], value[128];
    const char *now, *equals = strchr(hint, '='), *inner = strchr(hint, '('),
                     *given = inner != NULL ? strchr(inner, '=') : NULL;
    if (equals == NULL || strlen(hint) >= sizeof value) return 0;
    snprintf(path, sizeof path, "%.*s", (int)(equals - hint), hint);
    if (given != NULL && rkhs_spec_get(spec, path, &now) == RKHS_OK && now != NULL) {
        size_t length = (size_t)(inner - equals - 1);
        if (strncmp(now, equals + 1, length) == 0 && (now[length] == 0 || now[length] == '(')) {
            snprintf(path, sizeof path, "%.*s.%.*s", (int)(equals - hint), hint, (int)(given - inner - 1), inner + 1);
            snprintf(value, sizeof value, "%.*s", (int)strcspn(given + 1, ",)"), given + 1);
            return rkhs_spec_set(spec, path, value) == RKHS_OK;
        }
    }
    return rkhs_spec_set(spec, path, equals + 1) == RKHS_OK;
}

char *advised_command(const cli *c, const char *hint) {
    rkhs_env *env = NULL; /* of its own: the message of the caller's stays */
    rkhs_spec *spec = NULL;
    char *out = NULL;
    if (*hint == 0 || c->typed == NULL || rkhs_env_new(&env) != RKHS_OK) goto done;
    if (rkhs_spec_new(env, "models", c->typed, &spec) != RKHS_OK || !set_hint(spec, hint)) goto done;
    size_t room = 64 + 4 * strlen(rkhs_spec_text(spec));
    for (int i = 0; i < c->word_count; i++) room += 4 * strlen(c->words[i]) + 4;
    out = calloc(1, room);
    if (out == NULL) goto done;
    strcat(strcpy(out, "rkhs "), c->command->name);
    for (int i = 0; i < c->word_count; i++) {
        strcat(out, " ");
        add_word(out, c->words[i] == c->typed ? rkhs_spec_text(spec) : c->words[i]);
    }
done:
    rkhs_spec_free(spec);
    rkhs_env_free(env);
    return out;
}
