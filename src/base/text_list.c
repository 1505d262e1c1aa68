/* text_list.c: lists of strings, in memory and in archives, and a hash table of strings. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- the hash table -------------------------------------------------------------------------------------------- */

/* A random number, another one in each process: nobody can write a file whose strings all collide. */
static uint64_t hash_start(void) {
    static _Atomic uint64_t start;
    uint64_t s = atomic_load(&start), none = 0;
    if (s) return s;
    if (getrandom(&s, sizeof s, GRND_NONBLOCK) != sizeof s) s = (uint64_t)(uintptr_t)&s ^ (uint64_t)getpid() << 32;
    s |= 1;
    return atomic_compare_exchange_strong(&start, &none, s) ? s : none;
}

static uint64_t hash_of(const char *s) {
    uint64_t h = hash_start();
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x9e3779b97f4a7c15u, h ^= h >> 32;
    return h ^ h >> 29;
}

rkhs_status rk_text_table_new(rkhs_env *env, int64_t max_texts, rk_text_table *table) {
    *table = (rk_text_table){.slots = 16};
    while (table->slots < 2 * max_texts) table->slots *= 2;
    return rk_scratch(env, table->slots, sizeof *table->slot, &table->slot);
}

static rk_text_slot *slot_of(const rk_text_table *t, const char *text) {
    int64_t at = (int64_t)(hash_of(text) & (uint64_t)(t->slots - 1));
    while (t->slot[at].text && strcmp(t->slot[at].text, text) != 0) at = (at + 1) & (t->slots - 1);
    return &t->slot[at];
}

int64_t rk_text_table_find(const rk_text_table *t, const char *text) {
    const rk_text_slot *slot = slot_of(t, text);
    return slot->text ? slot->number : -1;
}

int64_t rk_text_table_add(rk_text_table *t, const char *text, int64_t number) {
    rk_text_slot *slot = slot_of(t, text);
    if (!slot->text) *slot = (rk_text_slot){text, number};
    return slot->number;
}

/* ---- lists ----------------------------------------------------------------------------------------------------- */

rkhs_status rk_texts_copy(rkhs_env *env, const char *const *texts, int64_t count, char ***copy) {
    rkhs_status status = RKHS_OK;
    int64_t bytes = 0;
    char **list = NULL, *next;
    for (int64_t c = 0; c < count; c++) bytes += (int64_t)strlen(texts[c]) + 1;
    TRY(rk_alloc(env, rk_max(count, 1), sizeof *list, &list));
    TRY(rk_alloc(env, rk_max(bytes, 1), 1, &list[0]));
    next = list[0];
    for (int64_t c = 0; c < count; c++) {
        size_t length = strlen(texts[c]) + 1;
        memcpy(next, texts[c], length);
        list[c] = next;
        next += length;
    }
    *copy = list;
    list = NULL;
done:
    rk_free(env, list);
    return status;
}

void rk_texts_free(rkhs_env *env, char **texts) {
    if (texts) rk_free(env, texts[0]);
    rk_free(env, texts);
}

rkhs_status rk_texts_save(rkhs_env *env, rk_archive *archive, const char *prefix, const char *what, const char *const *texts,
                          int64_t count) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_text all = {.env = env};
    char name[256];
    int64_t *ends;
    TRY(rk_scratch(env, count, sizeof *ends, &ends));
    for (int64_t c = 0; c < count; c++) {
        TRY(rk_text_add(&all, "%s", texts[c]));
        ends[c] = all.length;
    }
    snprintf(name, sizeof name, "%s%snames", prefix, what);
    TRY(rk_archive_put_text(archive, name, all.s ? all.s : ""));
    snprintf(name, sizeof name, "%s%sends", prefix, what);
    TRY(rk_archive_put_copy(archive, name, &(rk_array){'q', 1, {count}, ends}));
done:
    rk_free(env, all.s);
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_texts_load(rkhs_env *env, rk_archive *archive, const char *prefix, const char *what, const char ***texts,
                          int64_t *count) {
    rkhs_status status = RKHS_OK;
    rk_array ends;
    const char *all, **list;
    char name[256], *copy;
    int64_t from = 0;
    snprintf(name, sizeof name, "%s%sends", prefix, what);
    TRY(rk_archive_get(archive, name, 'q', 1, &ends));
    snprintf(name, sizeof name, "%s%snames", prefix, what);
    TRY(rk_archive_get_text(archive, name, &all));
    const int64_t *end = ends.data, length = (int64_t)strlen(all);
    *count = ends.shape[0];
    TRY(rk_scratch(env, *count, sizeof *list, &list));
    TRY(rk_scratch(env, length + *count, 1, &copy));
    for (int64_t c = 0; c < *count; c++) {
        if (end[c] < from || end[c] > length || (c + 1 == *count && end[c] != length))
            FAIL(env, RKHS_ERR_FORMAT, "the names in '%.80s' are damaged: make the file again", name);
        memcpy(copy, all + from, (size_t)(end[c] - from));
        list[c] = copy;
        copy += end[c] - from;
        *copy++ = 0;
        from = end[c];
    }
    *texts = list;
done:
    return status;
}
