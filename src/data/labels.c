/* labels.c: the data kind "labels", class labels as an integer code for each object and a name for each code.
 *
 * Codes are 0 .. classes-1; an object without a label has the code -1. */
#include "data/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rk_labels *labels_of(const rkhs_data *x) { return x->self; }

/* Copies the class names; NULL stands for "0", "1", ... */
static rkhs_status copy_names(rkhs_env *env, const char *const *names, int64_t classes, rk_labels *to) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const char **numbers;
    char *digits;
    if (!names) {
        TRY(rk_scratch(env, classes, sizeof *numbers, &numbers));
        TRY(rk_scratch(env, classes, 32, &digits));
        for (int64_t c = 0; c < classes; c++) {
            snprintf(digits + 32 * c, 32, "%lld", (long long)c);
            numbers[c] = digits + 32 * c;
        }
        names = numbers;
    }
    TRY(rk_texts_copy(env, names, classes, &to->names));
    to->classes = classes;
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_labels_new(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names, int64_t classes,
                          rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    if (!codes) FAIL(env, RKHS_ERR_ARGUMENT, "the labels have no codes: the pointer is NULL");
    if (n < 1 || classes < 0)
        FAIL(env, RKHS_ERR_ARGUMENT, "%s of %s: at least one label is needed", rk_counted(n, "label").text,
             rk_counted(classes, "class").text);
    for (int64_t i = 0; i < n; i++)
        if (codes[i] < -1 || codes[i] >= classes)
            FAIL(env, RKHS_ERR_DATA,
                 "label %lld (counted from 1) has the code %lld, and codes run from 0 to %lld, -1 for an object without",
                 (long long)i + 1, (long long)codes[i], (long long)classes - 1);
    for (int64_t c = 0; names && c < classes; c++)
        if (!names[c]) FAIL(env, RKHS_ERR_ARGUMENT, "class %lld has no name: give all names or none", (long long)c);
    TRY(rk_data_new(env, &rk_data_labels, n, 1, &x));
    rk_labels *l = x->self;
    TRY(rk_alloc(env, n, sizeof *l->codes, &l->codes));
    memcpy(l->codes, codes, (size_t)n * sizeof *codes);
    TRY(copy_names(env, names, classes, l));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

/* Labels whose class names include a word for "no label", such as NA: that class becomes the code -1. */
static rkhs_status classes_by_name(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const char **words;
    TRY(rk_scratch(env, n, sizeof *words, &words));
    for (int64_t i = 0; i < n; i++) words[i] = codes[i] < 0 ? "?" : names[codes[i]];
    TRY(rk_labels_from_words(env, words, n, data));
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rkhs_data_classes(rkhs_env *env, const int64_t *codes, int64_t n, const char *const *names, int64_t classes,
                              rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_classes", "variable for the labels");
    rk_begin_call(env);
    rkhs_status status = rk_labels_new(env, codes, n, names, classes, data);
    for (int64_t c = 0; status == RKHS_OK && names && c < classes; c++) {
        if (!rk_label_missing(names[c])) continue;
        rkhs_data_free(*data);
        *data = NULL;
        return classes_by_name(env, codes, n, names, data);
    }
    return status;
}

const int64_t *rkhs_data_codes(const rkhs_data *labels, int64_t *classes) {
    if (!labels || labels->type != &rk_data_labels) return NULL;
    if (classes) *classes = labels_of(labels)->classes;
    return labels_of(labels)->codes;
}

const char *rkhs_data_class_name(const rkhs_data *labels, int64_t code) {
    if (!labels || labels->type != &rk_data_labels || code < 0 || code >= labels_of(labels)->classes) return NULL;
    return labels_of(labels)->names[code];
}

int rk_label_missing(const char *word) {
    static const char *const none[] = {"", "?", "NA", "N/A", "n/a", "NaN", "nan", "NAN"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(word, none[i]) == 0) return 1;
    return 0;
}

const char *rk_label_text(const rkhs_data *labels, int64_t i) {
    const rk_labels *l = labels_of(labels);
    return l->codes[i] < 0 ? "?" : l->names[l->codes[i]];
}

int64_t rk_labels_count_known(const rkhs_data *labels) {
    int64_t known = 0;
    for (int64_t i = 0; i < labels->rows; i++) known += labels_of(labels)->codes[i] >= 0;
    return known;
}

/* ---- from words ------------------------------------------------------------------------------------------------ */

/* A distinct word. */
typedef struct word {
    const char *text;
    int64_t code, value; /* code: rank by first appearance; value: the integer that it spells */
} word;

/* Whether a word is an integer in canonical form: "-12", not "012", "+1" or "-0". */
static int whole(const char *s, int64_t *value) {
    const char *d = s + (*s == '-');
    size_t digits = strspn(d, "0123456789");
    if (digits == 0 || digits > 18 || d[digits] || (d[0] == '0' && (digits > 1 || d != s))) return 0;
    *value = strtoll(s, NULL, 10);
    return 1;
}

static int by_value(const void *a, const void *b) {
    int64_t x = ((const word *)a)->value, y = ((const word *)b)->value;
    return (x > y) - (x < y);
}

/* Codes by first appearance, -1 for a missing label. *list, to be freed by the caller, holds the distinct words. */
static rkhs_status number_words(rkhs_env *env, const char *const *words, int64_t n, int64_t *codes, word **list,
                                int64_t *count) {
    rkhs_status status = RKHS_OK;
    int64_t room = 16;
    rk_text_table table;
    TRY(rk_text_table_new(env, n, &table));
    TRY(rk_alloc(env, room, sizeof **list, list));
    for (int64_t i = 0; i < n; i++) {
        codes[i] = -1;
        if (rk_label_missing(words[i])) continue;
        codes[i] = rk_text_table_add(&table, words[i], *count);
        if (codes[i] < *count) continue;
        if (*count == room) TRY(rk_realloc(env, room *= 2, sizeof **list, list));
        (*list)[*count] = (word){words[i], *count, 0};
        ++*count;
    }
done:
    return status;
}

rkhs_status rk_labels_from_words(rkhs_env *env, const char *const *words, int64_t n, rkhs_data **labels) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    word *list = NULL;
    int64_t count = 0, *codes, *rank;
    const char **names;
    *labels = NULL;
    if (n < 1) FAIL(env, RKHS_ERR_DATA, "there are no labels");
    TRY(rk_scratch(env, n, sizeof *codes, &codes));
    TRY(number_words(env, words, n, codes, &list, &count));
    int all = 1;
    for (int64_t c = 0; c < count && all; c++) all = whole(list[c].text, &list[c].value);
    if (all) qsort(list, (size_t)count, sizeof *list, by_value);
    TRY(rk_scratch(env, count, sizeof *rank, &rank));
    TRY(rk_scratch(env, count, sizeof *names, &names));
    for (int64_t c = 0; c < count; c++) {
        rank[list[c].code] = c;
        names[c] = list[c].text;
    }
    for (int64_t i = 0; i < n; i++)
        if (codes[i] >= 0) codes[i] = rank[codes[i]];
    TRY(rk_labels_new(env, codes, n, names, count, labels));
done:
    rk_free(env, list);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

/* Classes without an object in the subset are kept, so that codes keep their meaning. */
static rkhs_status subset_labels(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    const rk_labels *l = labels_of(x);
    rk_labels *to = out->self;
    TRY(rk_alloc(env, count, sizeof *to->codes, &to->codes));
    for (int64_t i = 0; i < count; i++) to->codes[i] = l->codes[index[i]];
    TRY(copy_names(env, (const char *const *)l->names, l->classes, to));
done:
    return status;
}

/* Classes are identified by name. Codes are kept if all parts have the same list of classes, else assigned anew. */
static rkhs_status join_labels(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const rk_labels *first = labels_of(parts[0]);
    rkhs_data *fresh = NULL;
    int64_t *codes, at = 0;
    const char **words;
    int same = 1;
    for (int k = 1; k < count && same; k++) {
        const rk_labels *l = labels_of(parts[k]);
        same = l->classes == first->classes;
        for (int64_t c = 0; same && c < l->classes; c++) same = strcmp(l->names[c], first->names[c]) == 0;
    }
    TRY(rk_scratch(env, out->rows, sizeof *codes, &codes));
    TRY(rk_scratch(env, out->rows, sizeof *words, &words));
    for (int k = 0; k < count; k++)
        for (int64_t i = 0; i < parts[k]->rows; i++, at++) {
            codes[at] = labels_of(parts[k])->codes[i];
            words[at] = rk_label_text(parts[k], i);
        }
    TRY(same ? rk_labels_new(env, codes, out->rows, (const char *const *)first->names, first->classes, &fresh)
             : rk_labels_from_words(env, words, out->rows, &fresh));
    memcpy(out->self, fresh->self, sizeof(rk_labels));
    memset(fresh->self, 0, sizeof(rk_labels)); /* moved */
done:
    rkhs_data_free(fresh);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status save_labels(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    const rk_labels *l = labels_of(x);
    char name[256];
    snprintf(name, sizeof name, "%scodes", prefix);
    rkhs_status status = rk_archive_put(archive, name, &(rk_array){'q', 1, {x->rows}, l->codes});
    if (status != RKHS_OK) return status;
    return rk_texts_save(x->env, archive, prefix, "", (const char *const *)l->names, l->classes);
}

static rkhs_status load_labels(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *fresh = NULL;
    rk_array codes;
    const char **names = NULL;
    int64_t classes;
    char name[256];
    snprintf(name, sizeof name, "%scodes", prefix);
    TRY(rk_archive_get(archive, name, 'q', 1, &codes));
    TRY(rk_texts_load(env, archive, prefix, "", &names, &classes));
    TRY(rk_labels_new(env, codes.data, codes.shape[0], names, classes, &fresh));
    out->rows = fresh->rows;
    out->columns = 1;
    memcpy(out->self, fresh->self, sizeof(rk_labels));
    memset(fresh->self, 0, sizeof(rk_labels)); /* moved */
done:
    rkhs_data_free(fresh);
    rk_scratch_release(env, mark);
    return status;
}

static void release_labels(rkhs_data *x) {
    const rk_labels *l = labels_of(x);
    rk_texts_free(x->env, l->names);
    rk_free(x->env, l->codes);
}

/* clang-format off */
const rk_data_type rk_data_labels = {
    .entry = {.name = "labels", .brief = "class labels: a code for each object, a name for each code",
              .size = sizeof(rk_labels)},
    .kind = RK_KIND_LABELS, .subset = subset_labels, .join = join_labels, .save = save_labels, .load = load_labels,
    .release = release_labels,
};
/* clang-format on */
