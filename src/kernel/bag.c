/* bag.c: kernels that are inner products of feature counts, k(x, y) = sum_f w_f c_f(x) c_f(y).
 *
 * c_f(x) is how often x has feature f (a subsequence, a word, a part of a graph); w_f is the weight of the feature's
 * group and may be negative. A dictionary numbers features in order of appearance in the reference, the objects bound
 * first. Objects become sparse rows of counts, and a tile is a product of sparse rows (sparse_rows.c). If most objects
 * have most features, as with short subsequences over four letters, rows are dense and a tile is a matrix product.
 * Sums of integer counts and weights are exact. A feature that the reference lacks adds to k(y, y) alone. */
#include "kernel/token.h"

#include <stdlib.h>
#include <string.h>

enum { DENSE = 4 }; /* dense rows, if there are at most so many features for each that an object has */

typedef struct entry {
    int32_t feature, group;
    double count;
} entry;

struct rk_bag_rows {
    rkhs_env *env;
    const void *context; /* of rk_bag_options */
    rk_dictionary *names;
    entry *list;    /* of all objects, one after another */
    int64_t *start; /* n + 1 */
    int64_t used, room, row;
    int64_t *last_entry, features; /* of each feature: its last position in `list` */
};

static rkhs_status grow_features(rk_bag_rows *r, int64_t needed) {
    int64_t features = rk_max(1024, 2 * needed);
    rkhs_status status = rk_realloc(r->env, features, sizeof *r->last_entry, &r->last_entry);
    if (status != RKHS_OK) return status;
    memset(r->last_entry + r->features, -1, (size_t)(features - r->features) * sizeof *r->last_entry);
    r->features = features;
    return RKHS_OK;
}

/* Adds to the count of a feature in the row that is being filled. */
static rkhs_status count_in(rk_bag_rows *r, int32_t f, int32_t group, double count) {
    rkhs_status status = RKHS_OK;
    if (f >= r->features) TRY(grow_features(r, f + 1));
    if (r->last_entry[f] >= r->start[r->row]) {
        r->list[r->last_entry[f]].count += count;
        return RKHS_OK;
    }
    if (r->used == r->room) {
        TRY(rk_realloc(r->env, 2 * r->room, sizeof *r->list, &r->list));
        r->room *= 2;
    }
    r->last_entry[f] = r->used;
    r->list[r->used++] = (entry){f, group, count};
done:
    return status;
}

rkhs_status rk_bag_number(rk_bag_rows *r, const void *key, int64_t length, int32_t *f) {
    return rk_dictionary_number(r->env, r->names, key, length, f);
}

rkhs_status rk_bag_count(rk_bag_rows *r, int32_t f, double count) { return count_in(r, f, 0, count); }

rkhs_status rk_bag_add(rk_bag_rows *r, const void *key, int64_t length, int32_t group, double count) {
    int32_t f;
    rkhs_status status = rk_bag_number(r, key, length, &f);
    return status == RKHS_OK ? count_in(r, f, group, count) : status;
}

const void *rk_bag_context(const rk_bag_rows *rows) { return rows->context; }

rkhs_env *rk_bag_env(const rk_bag_rows *rows) { return rows->env; }

static int by_feature(const void *a, const void *b) {
    int32_t x = ((const entry *)a)->feature, y = ((const entry *)b)->feature;
    return (x > y) - (x < y);
}

/* The counts of every object, sorted by feature. */
static rkhs_status count_all(rk_bag_rows *r, const rk_bound *b, const rk_tokens *tokens, rk_bag_fn features) {
    rkhs_status status = RKHS_OK;
    int64_t n = b->x->rows;
    r->room = 1024;
    TRY(rk_alloc(r->env, r->room, sizeof *r->list, &r->list));
    TRY(rk_alloc(r->env, n + 1, sizeof *r->start, &r->start));
    for (r->row = 0; r->row < n; r->row++) {
        TRY(features(r, tokens, r->row, b));
        int64_t from = r->start[r->row];
        qsort(r->list + from, (size_t)(r->used - from), sizeof *r->list, by_feature);
        r->start[r->row + 1] = r->used;
        if (r->row % 16 == 0) TRY(rk_progress(r->env, NULL, 0, 0));
    }
done:
    return status;
}

/* Rows of counts, times the weights if given, of the features below `known`, which the reference has. */
static rkhs_status make_rows(rkhs_env *env, const rk_bag_rows *r, int64_t n, int64_t known, const double *weights, int dense,
                             rk_bag_counts *c) {
    rkhs_status status = RKHS_OK;
    double *values = NULL;
    int32_t *columns = NULL;
    int64_t *starts = NULL, at = 0, width = rk_max(known, 1);
    TRY(dense ? rk_data_dense_new(env, n, width, &values, &c->x)
              : rk_data_sparse_new(env, n, width, r->used, &values, &columns, &starts, &c->x));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t q = r->start[i]; q < r->start[i + 1] && r->list[q].feature < known; q++) { /* sorted by feature */
            const entry *e = r->list + q;
            double v = e->count * (weights ? weights[e->group] : 1);
            if (dense)
                values[i * width + e->feature] = v;
            else
                values[at] = v, columns[at++] = e->feature;
        }
        if (!dense) starts[i + 1] = at;
    }
    c->inner = (rk_bound){.x = c->x, .side = &c->vector};
    if (!dense) TRY(rk_sparse_prepare(env, &c->inner, &c->vector));
done:
    return status;
}

/* k(x, x) of each object, with features that the reference lacks. */
static rkhs_status make_norms(rkhs_env *env, const rk_bag_rows *r, int64_t n, const double *weights, rk_string_side *s) {
    rkhs_status status = RKHS_OK;
    TRY(rk_alloc(env, n, sizeof *s->norm, &s->norm));
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = r->start[i]; q < r->start[i + 1]; q++)
            s->norm[i] += r->list[q].count * (r->list[q].count * (weights ? weights[r->list[q].group] : 1));
    TRY(rk_string_roots(env, n, s));
done:
    return status;
}

/* Numbers the words of a vocabulary first, so that sums run in the same order whatever texts are compared. */
static rkhs_status number_words(rkhs_env *env, const rk_dictionary *vocabulary, rk_dictionary *names) {
    rkhs_status status = RKHS_OK;
    int64_t count = vocabulary ? rk_dictionary_count(vocabulary) : 0;
    for (int32_t w = 0, number; status == RKHS_OK && w < count; w++)
        status = rk_dictionary_number(env, names, &w, sizeof w, &number);
    return status;
}

rkhs_status rk_bag_prepare(rkhs_env *env, rk_bound *bound, const rk_tokenizer *rule, const rk_bag_options *how) {
    rkhs_status status = RKHS_OK;
    const rk_bag *first = bound->reference ? bound->reference->side : NULL;
    int64_t n = bound->x->rows;
    rk_bag_rows r = {.env = env, .context = how->context};
    rk_dictionary *vocabulary = how->vocabulary;
    rk_bag *bag;
    TRY(rk_alloc(env, 1, sizeof *bag, &bag));
    bound->side = bag;
    bag->normalize = how->normalize;
    bag->vocabulary = vocabulary;
    vocabulary = NULL;
    const rk_tokens known_words = {.words = bag->vocabulary};
    if (rule) TRY(rk_tokens_new(env, bound->x, rule, first ? &first->string.tokens : &known_words, &bag->string.tokens));
    if (how->tokens) TRY(how->tokens(env, bound, &bag->string.tokens));
    TRY(rk_dictionary_new(env, first ? first->names : NULL, &bag->names));
    TRY(number_words(env, bag->vocabulary, bag->names));
    r.names = bag->names;
    TRY(count_all(&r, bound, &bag->string.tokens, how->features));
    int64_t known = rk_dictionary_count(first ? first->names : bag->names);
    int dense = first ? first->plain.x->type == &rk_data_dense : !how->fractional && known && known * n <= DENSE * r.used;
    TRY(make_rows(env, &r, n, known, NULL, dense, &bag->plain));
    if (how->weights) TRY(make_rows(env, &r, n, known, how->weights, dense, &bag->weighted));
    TRY(make_norms(env, &r, n, how->weights, &bag->string));
done:
    rk_dictionary_free(env, vocabulary);
    rk_free(env, r.list);
    rk_free(env, r.start);
    rk_free(env, r.last_entry);
    return status;
}

static void free_counts(rkhs_env *env, rk_bag_counts *c) {
    rk_sparse_columns_free(env, c->vector.columns);
    rk_free(env, c->vector.norm);
    rkhs_data_free(c->x);
}

void rk_bag_release(rkhs_env *env, rk_bound *bound) {
    rk_bag *bag = bound->side;
    rk_string_release(env, &bag->string);
    rk_dictionary_free(env, bag->names);
    rk_dictionary_free(env, bag->vocabulary);
    free_counts(env, &bag->plain);
    free_counts(env, &bag->weighted);
    rk_free(env, bag);
}

rkhs_status rk_bag_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                         int64_t ld, rk_work work) {
    const rk_bag *ba = a->side, *bb = b->side;
    const rk_bag_counts *other = bb->weighted.x ? &bb->weighted : &bb->plain;
    rk_vector_dots(&ba->plain.inner, i0, ni, &other->inner, j0, nj, out, ld, work);
    if (ba->normalize) rk_string_normalise(&ba->string, i0, ni, &bb->string, j0, nj, out, ld);
    return RKHS_OK;
}

void rk_bag_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const rk_bag *bag = a->side;
    for (int64_t i = 0; i < ni; i++) out[i] = bag->normalize ? 1 : bag->string.norm[i0 + i];
}
