/* bag.c: kernels that are inner products of counts, k(x, y) = sum_f w_f^2 c_f(x) c_f(y).
 *
 * Features (subsequences, words, parts of graphs) get numbers from a dictionary, in order of appearance on the first side;
 * objects become sparse rows of counts, and tiles are products of sparse rows (sparse.c). Where most objects have most
 * features, as with short subsequences over four letters, the rows are dense and tiles are matrix products. Without weights all
 * sums are whole numbers and exact. What only the second side has is like nothing on the first: it counts in k(y, y) alone. */
#include "kernel/token.h"

#include <stdlib.h>
#include <string.h>

enum { DENSE = 4 }; /* dense rows where there are at most so many features for each that a string has */

typedef struct entry {
    int32_t feature;
    double count;
} entry;

struct rk_bag_rows {
    rkhs_env *env;
    rk_names *names;
    entry *list;    /* of all objects, one after another */
    int64_t *start; /* n + 1 */
    int64_t used, room, row;
    int64_t *place, places; /* of each feature: where it was last put */
};

static rkhs_status grow_places(rk_bag_rows *r, int64_t needed) {
    int64_t places = rk_most(1024, 2 * needed);
    rkhs_status status = rk_realloc(r->env, places, sizeof *r->place, &r->place);
    if (status != RKHS_OK) return status;
    memset(r->place + r->places, -1, (size_t)(places - r->places) * sizeof *r->place);
    r->places = places;
    return RKHS_OK;
}

rkhs_status rk_bag_number(rk_bag_rows *r, const void *key, int64_t length, int32_t *f) {
    return rk_names_number(r->env, r->names, key, length, f);
}

rkhs_status rk_bag_count(rk_bag_rows *r, int32_t f, double count) {
    rkhs_status status = RKHS_OK;
    if (f >= r->places) TRY(grow_places(r, f + 1));
    if (r->place[f] >= r->start[r->row]) {
        r->list[r->place[f]].count += count;
        return RKHS_OK;
    }
    if (r->used == r->room) {
        TRY(rk_realloc(r->env, 2 * r->room, sizeof *r->list, &r->list));
        r->room *= 2;
    }
    r->place[f] = r->used;
    r->list[r->used++] = (entry){f, count};
done:
    return status;
}

rkhs_status rk_bag_add(rk_bag_rows *r, const void *key, int64_t length, double count) {
    int32_t f;
    rkhs_status status = rk_bag_number(r, key, length, &f);
    return status == RKHS_OK ? rk_bag_count(r, f, count) : status;
}

rkhs_env *rk_bag_env(const rk_bag_rows *rows) { return rows->env; }

static int by_feature(const void *a, const void *b) {
    int32_t x = ((const entry *)a)->feature, y = ((const entry *)b)->feature;
    return (x > y) - (x < y);
}

/* The counts of every object, by feature. */
static rkhs_status count_all(rk_bag_rows *r, int64_t n, const rk_tokens *tokens, rk_bag_fn features, const void *context) {
    rkhs_status status = RKHS_OK;
    r->room = 1024;
    TRY(rk_alloc(r->env, r->room, sizeof *r->list, &r->list));
    TRY(rk_alloc(r->env, n + 1, sizeof *r->start, &r->start));
    for (r->row = 0; r->row < n; r->row++) {
        TRY(features(r, tokens, r->row, context));
        int64_t from = r->start[r->row];
        qsort(r->list + from, (size_t)(r->used - from), sizeof *r->list, by_feature);
        r->start[r->row + 1] = r->used;
        if (r->row % 16 == 0) TRY(rk_progress(r->env, NULL, 0, 0));
    }
done:
    return status;
}

/* idf: ln((1 + n) / (1 + strings that have it)) + 1, of the first side. */
static rkhs_status weigh(rkhs_env *env, const rk_bag_rows *r, int64_t n, rk_bag *bag) {
    int64_t features = rk_names_count(bag->names);
    rkhs_status status = rk_alloc(env, features, sizeof *bag->weight, &bag->weight);
    if (status != RKHS_OK) return status;
    for (int64_t q = 0; q < r->used; q++) bag->weight[r->list[q].feature]++;
    for (int64_t f = 0; f < features; f++) bag->weight[f] = log((1 + (double)n) / (1 + bag->weight[f])) + 1;
    bag->unseen = log(1 + (double)n) + 1;
    return RKHS_OK;
}

/* Rows and norms from the lists. `known`: features of the first side; `weight` as there. */
static rkhs_status make_rows(rkhs_env *env, const rk_bag_rows *r, int64_t n, int64_t known, const double *weight, double unseen,
                             int dense, rk_bag *bag) {
    rkhs_status status = RKHS_OK;
    double *values = NULL;
    int32_t *columns = NULL;
    int64_t *starts = NULL, at = 0, width = rk_most(known, 1);
    TRY(rk_alloc(env, n, sizeof *bag->string.norm, &bag->string.norm));
    TRY(dense ? rk_data_dense_new(env, n, width, &values, &bag->counts)
              : rk_data_sparse_new(env, n, width, r->used, &values, &columns, &starts, &bag->counts));
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, others = 0;
        for (int64_t q = r->start[i]; q < r->start[i + 1]; q++) {
            int32_t f = r->list[q].feature;
            double v = r->list[q].count * (f < known && weight ? weight[f] : 1);
            if (f >= known) {
                others += v * v;
                continue;
            }
            sum += v * v;
            if (dense)
                values[i * width + f] = v;
            else
                values[at] = v, columns[at++] = f;
        }
        if (!dense) starts[i + 1] = at;
        bag->string.norm[i] = sum + unseen * unseen * others;
    }
done:
    return status;
}

rkhs_status rk_bag_new(rkhs_env *env, rk_bound *bound, rk_bag **out) {
    rk_bag *bag = NULL;
    rkhs_status status = rk_alloc(env, 1, sizeof *bag, &bag);
    if (status == RKHS_OK) bag->unseen = 1;
    bound->side = *out = bag;
    return status;
}

rkhs_status rk_bag_fill(rkhs_env *env, rk_bound *bound, rk_bag_fn features, const void *context, int idf) {
    rkhs_status status = RKHS_OK;
    const rk_bag *first = bound->reference ? bound->reference->side : NULL;
    int64_t n = bound->x->rows;
    rk_bag_rows r = {.env = env};
    rk_bag *bag = bound->side;
    TRY(rk_names_new(env, first ? first->names : NULL, &bag->names));
    r.names = bag->names;
    TRY(count_all(&r, n, &bag->string.tokens, features, context));
    if (idf && !first) TRY(weigh(env, &r, n, bag));
    const rk_bag *from = first ? first : bag;
    int64_t known = rk_names_count(from->names);
    int dense = first ? first->counts->type == &rk_data_dense : !idf && known && known * n <= DENSE * r.used;
    TRY(make_rows(env, &r, n, known, from->weight, from->unseen, dense, bag));
    TRY(rk_string_roots(env, n, &bag->string));
    bag->inner = (rk_bound){.kernel = bound->kernel, .x = bag->counts, .side = &bag->vector};
    if (!dense) TRY(rk_sparse_prepare(env, &bag->inner, &bag->vector));
done:
    rk_free(env, r.list);
    rk_free(env, r.start);
    rk_free(env, r.place);
    return status;
}

rkhs_status rk_bag_prepare(rkhs_env *env, rk_bound *bound, const rk_token_rule *rule, rk_bag_fn features, int idf) {
    const rk_bag *first = bound->reference ? bound->reference->side : NULL;
    rk_bag *bag;
    rkhs_status status = rk_bag_new(env, bound, &bag);
    if (status == RKHS_OK)
        status = rk_tokens_new(env, bound->x, rule, first ? &first->string.tokens : NULL, &bag->string.tokens);
    return status == RKHS_OK ? rk_bag_fill(env, bound, features, rk_kernel_self(bound), idf) : status;
}

void rk_bag_release(rkhs_env *env, rk_bound *bound) {
    rk_bag *bag = bound->side;
    rk_string_release(env, &bag->string);
    rk_names_free(env, bag->names);
    rk_columns_free(env, bag->vector.columns);
    rk_free(env, bag->vector.norm);
    rkhs_data_free(bag->counts);
    rk_free(env, bag->weight);
    rk_free(env, bag);
}

void rk_bag_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out, int64_t ld,
                  int normalize) {
    const rk_bag *ba = a->side, *bb = b->side;
    rk_vector_dots(&ba->inner, i0, ni, &bb->inner, j0, nj, out, ld);
    if (normalize) rk_string_normalise(&ba->string, i0, ni, &bb->string, j0, nj, out, ld);
}

void rk_bag_diag(const rk_bound *a, int64_t i0, int64_t ni, double *out, int normalize) {
    const rk_bag *bag = a->side;
    for (int64_t i = 0; i < ni; i++) out[i] = normalize ? 1 : bag->string.norm[i0 + i];
}
