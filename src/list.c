/* list.c: the public functions that list all models, kernels, ... and their parameters. */
#include "augment/augment.h"
#include "io/io.h"
#include "model/model.h"
#include "score/score.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const rk_list *const lists[] = {&rk_models,     &rk_kernels, &rk_grams,   &rk_eigensolvers, &rk_linsolvers,
                                       &rk_optimisers, &rk_scores,  &rk_formats, &rk_samples,      &rk_augments};

enum { LISTS = sizeof lists / sizeof *lists };

const rk_list *rk_list_named(const char *name) {
    for (int i = 0; name && i < LISTS; i++)
        if (strcmp(lists[i]->name, name) == 0) return lists[i];
    return NULL;
}

const char *rkhs_list_name(int i) { return i >= 0 && i < LISTS ? lists[i]->name : NULL; }

/* The kinds of data of each kernel and augmentation, "dense, sparse". Made once, since callers keep the pointers. */
enum { KERNELS = 64, AUGMENTS = 16, ROOM = 40 };
static char kernel_kinds[KERNELS][ROOM], augment_kinds[AUGMENTS][ROOM];
static pthread_once_t kinds_once = PTHREAD_ONCE_INIT;

static void kinds_words(unsigned kinds, char text[ROOM]) {
    size_t used = 0;
    int any = (kinds | RK_KIND_GRAM) == ~0u;
    if (any) used = (size_t)snprintf(text, ROOM, kinds == ~0u ? "any" : "any but gram");
    for (const rk_entry *const *d = rk_datas.entries; !any && *d && used < ROOM; d++)
        if (((const rk_data_type *)*d)->kind & kinds)
            used += (size_t)snprintf(text + used, ROOM - used, used ? ", %s" : "%s", (*d)->name);
}

static void make_kinds(void) {
    for (int i = 0; i < KERNELS && rk_kernels.entries[i]; i++) {
        unsigned kinds = ((const rk_kernel_type *)rk_kernels.entries[i])->kinds;
        if (kinds & RK_KIND_DENSE) kinds |= RK_KIND_BITS; /* kernels on dense vectors take bits as 0 and 1 */
        kinds_words(kinds, kernel_kinds[i]);
    }
    for (int i = 0; i < AUGMENTS && rk_augments.entries[i]; i++)
        kinds_words(((const rk_augment_type *)rk_augments.entries[i])->kinds, augment_kinds[i]);
}

/* NULL if the types of a list take no data. */
static const char *kinds_of(const rk_list *list, int i) {
    pthread_once(&kinds_once, make_kinds);
    return list == &rk_kernels && i < KERNELS     ? kernel_kinds[i]
           : list == &rk_augments && i < AUGMENTS ? augment_kinds[i]
                                                  : NULL;
}

/* What a model's second argument is, in words; NULL: it takes none. */
static const char *supervision_of(unsigned kinds) {
    int target = (kinds & RK_KIND_DENSE) != 0, labels = (kinds & RK_KIND_LABELS) != 0;
    return target && labels ? "target or labels" : target ? "target" : labels ? "labels" : kinds ? "index rows" : NULL;
}

int rkhs_list_type(const char *list, int i, rkhs_type *type) {
    const rk_list *l = rk_list_named(list);
    if (!l || !type || i < 0) return 0;
    for (int k = 0; k <= i; k++)
        if (!l->entries[k]) return 0;
    const rk_entry *e = l->entries[i];
    *type = (rkhs_type){e->name, e->brief, e->formula, e->where, .data = kinds_of(l, i), .cost = e->cost};
    if (l == &rk_models) {
        const rk_model_type *m = (const rk_model_type *)e;
        type->title = m->title;
        type->supervision = supervision_of(m->supervision);
        type->takes_target = (m->supervision & RK_KIND_DENSE) != 0;
        type->takes_labels = (m->supervision & RK_KIND_LABELS) != 0;
        type->predicts = m->predicts;
        type->nested = m->nested;
        for (const rk_param *p = e->params; p && p->name; p++) type->augments |= p->list == &rk_augments;
    }
    if (l == &rk_grams) {
        const rk_gram_type *g = (const rk_gram_type *)e;
        type->whole = g->choose ? -1 : (g->offers & RK_PRODUCTS) != 0;
    }
    if (l == &rk_scores) {
        const rk_score_type *s = (const rk_score_type *)e;
        type->better = s->better == RK_MORE_IS_BETTER ? 1 : s->better == RK_LESS_IS_BETTER ? -1 : 0;
        type->needs_x = (s->needs & RK_NEEDS_X) != 0;
        type->needs_labels = (s->needs & RK_NEEDS_LABELS) != 0;
        type->takes_new = s->takes_new;
    }
    return 1;
}

/* The values that a parameter accepts: "> 0", "1 to 1000", the choices, the list of a spec; empty: any. */
static void bounds_of(const rk_param *p, char *to, size_t room) {
    if (p->kind == RK_BANDWIDTH)
        snprintf(to, room, "> %g, or %s", p->min, p->choices);
    else if (p->choices || p->list)
        snprintf(to, room, "%s", p->choices ? p->choices : p->list->name);
    else if (p->min == 0 && p->max == 0 && !p->min_excluded)
        to[0] = 0;
    else if (p->max >= 1e8)
        snprintf(to, room, p->min_excluded ? "> %g" : ">= %g", p->min);
    else
        snprintf(to, room, p->min_excluded ? "> %g, <= %g" : "%g to %g", p->min, p->max);
}

int rkhs_list_param(const char *list, const char *type, int i, rkhs_param *param) {
    static const char *const kinds[] = {
        [RK_INT] = "integer",
        [RK_REAL] = "real",
        [RK_BOOL] = "true|false",
        [RK_CHOICE] = "choice",
        [RK_BANDWIDTH] = "real or bandwidth rule",
        [RK_LIST] = "indices",
        [RK_SPEC] = "spec",
        [RK_WORD] = "word",
        [RK_REALS] = "numbers",
    };
    const rk_list *l = rk_list_named(list);
    const rk_entry *e = l && type ? rk_list_find(l, type) : NULL;
    if (!e || !param || i < 0) return 0;
    for (int k = 0; k <= i; k++)
        if (!e->params || !e->params[k].name) return 0;
    const rk_param *p = &e->params[i];
    *param = (rkhs_param){.name = p->name, .kind = kinds[p->kind], .value = p->value, .brief = p->brief, .aliases = p->aliases};
    bounds_of(p, param->bounds, sizeof param->bounds);
    return 1;
}
