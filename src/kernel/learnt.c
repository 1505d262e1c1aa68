/* learnt.c: what a kernel learns at fit that is too long for its text, such as a vocabulary and its weights.
 *
 * It is copied with the kernel and saved beside its text: learnt/I/text and learnt/I/values, I counting the nodes. */
#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 48 };

void rk_learnt_free(rkhs_env *env, rk_learnt *l) {
    rk_free(env, l->text);
    rk_free(env, l->values);
    *l = (rk_learnt){.text = NULL};
}

rkhs_status rk_learnt_copy(rkhs_env *env, const char *text, const double *values, int64_t count, rk_learnt *to) {
    rkhs_status status = RKHS_OK;
    TRY(rk_strdup(env, text, &to->text));
    TRY(rk_alloc(env, count, sizeof *to->values, &to->values));
    if (count) memcpy(to->values, values, (size_t)count * sizeof *to->values);
    to->count = count;
done:
    if (status != RKHS_OK) rk_learnt_free(env, to);
    return status;
}

/* The archive's names of a node's arrays; node: how many nodes came before it. */
static void names_of(int64_t node, char text[ROOM], char values[ROOM]) {
    snprintf(text, ROOM, "learnt/%lld/text", (long long)node);
    snprintf(values, ROOM, "learnt/%lld/values", (long long)node);
}

static rkhs_status save_tree(const rkhs_kernel *k, rk_archive *archive, int64_t *node) {
    rkhs_status status = RKHS_OK;
    char text[ROOM], values[ROOM];
    names_of((*node)++, text, values);
    if (k->learnt.text) {
        TRY(rk_archive_put_text(archive, text, k->learnt.text));
        TRY(rk_archive_put(archive, values, &(rk_array){'d', 1, {k->learnt.count}, k->learnt.values}));
    }
    for (int i = 0; i < k->children; i++) TRY(save_tree(k->child[i], archive, node));
done:
    return status;
}

rkhs_status rk_kernel_save_learnt(const rkhs_kernel *k, rk_archive *archive) {
    int64_t node = 0;
    return save_tree(k, archive, &node);
}

static rkhs_status load_tree(rkhs_kernel *k, rk_archive *archive, int64_t *node) {
    rkhs_status status = RKHS_OK;
    char text[ROOM], values[ROOM];
    const char *s;
    rk_array a;
    names_of((*node)++, text, values);
    if (k->type->learn && rk_archive_has(archive, text)) {
        TRY(rk_archive_get_text(archive, text, &s));
        TRY(rk_archive_get(archive, values, 'd', 1, &a));
        TRY(rk_learnt_copy(k->env, s, a.data, a.shape[0], &k->learnt));
        TRY(k->type->check_learnt(k->env, k->spec->self, &k->learnt));
    }
    for (int i = 0; i < k->children; i++) TRY(load_tree(k->child[i], archive, node));
done:
    return status;
}

rkhs_status rk_kernel_load_learnt(rkhs_kernel *k, rk_archive *archive) {
    int64_t node = 0;
    return load_tree(k, archive, &node);
}
