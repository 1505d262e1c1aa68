/* discrete_augment.c: augmentations of strings (edit characters), bit vectors (toggle) and graphs (drop edges). */
#include "augment/augment.h"

#include <string.h>

typedef struct rated {
    double rate;
} rated;

enum { LOOK = 1024 }; /* rows between two progress calls */

static double draw_one(uint64_t seed, int64_t row, int64_t index, double u[4]) {
    rk_uniforms(seed, RK_STREAM_AUGMENT, (uint64_t)row, (uint64_t)index, u);
    return u[0];
}

/* An integer in [0, count), from a uniform u in (0, 1). */
static int64_t one_of(double u, int64_t count) { return rk_min((int64_t)(u * (double)count), count - 1); }

/* ---- edit: characters of strings ------------------------------------------------------------------------------- */

/* The length of the character at s, where `left` bytes remain: one byte and up to 3 UTF-8 continuation bytes. */
static int64_t character(const char *s, int64_t left) {
    int64_t length = 1;
    while (length < left && length < 4 && ((unsigned char)s[length] & 0xC0) == 0x80) length++;
    return length;
}

/* The character at a random byte position, from a uniform u, over all strings; NULL if u falls on a string's end. */
static const char *any_character(const rkhs_data *x, double u, int64_t *length) {
    const rk_strings *s = x->self;
    int64_t at = one_of(u, s->starts[x->rows]), low = 0, high = x->rows;
    while (high - low > 1) { /* binary search for the string that contains the position */
        int64_t middle = (low + high) / 2;
        if (s->starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    int64_t end = s->starts[low + 1] - 1;
    if (at >= end) return NULL;
    for (int back = 0; back < 3 && at > s->starts[low] && ((unsigned char)s->bytes[at] & 0xC0) == 0x80; back++) at--;
    *length = character(s->bytes + at, end - at);
    return s->bytes + at;
}

/* Appends to to[at...] and returns the new length. If `to` is NULL, it only counts. */
static int64_t put(char *to, int64_t at, const char *from, int64_t length) {
    if (to) memcpy(to + at, from, (size_t)length);
    return at + length;
}

/* Writes string i, edited, to `to` (NULL: nowhere) and returns its length. Each character changes with probability
 * `rate`, and at least one does: with equal probability it is deleted, replaced, or another is inserted after it. */
static int64_t edit_row(const rkhs_data *x, double rate, uint64_t seed, int64_t i, char *to) {
    int64_t length, at = 0, count = 0, chosen = 0, size, other = 0, changes = 0;
    const char *s = rk_string_of(x, i, &length);
    double u[4];
    for (int64_t q = 0; q < length; q += character(s + q, length - q), count++)
        changes += draw_one(seed, i, count + 1, u) < rate;
    draw_one(seed, i, 0, u);
    chosen = changes ? -1 : one_of(u[0], count);
    count = 0;
    for (int64_t q = 0; q < length; q += size, count++) {
        size = character(s + q, length - q);
        int change = draw_one(seed, i, count + 1, u) < rate || count == chosen;
        const char *fresh = change ? any_character(x, u[2], &other) : NULL;
        if (change && !fresh) fresh = any_character(x, u[3], &other);
        if (!change || u[1] >= 2.0 / 3) at = put(to, at, s + q, size);
        if (change && u[1] >= 1.0 / 3 && fresh) at = put(to, at, fresh, other);
    }
    return at;
}

static rkhs_status draw_edit(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double rate = ((const rated *)self)->rate;
    int64_t *lengths, total = 0;
    const char **strings;
    char *bytes;
    TRY(rk_scratch(env, x->rows, sizeof *lengths, &lengths));
    TRY(rk_scratch(env, x->rows, sizeof *strings, &strings));
    for (int64_t i = 0; i < x->rows; i++) {
        if (i % LOOK == 0) TRY(rk_progress(env, "augment", i, x->rows));
        total += lengths[i] = edit_row(x, rate, seed, i, NULL);
    }
    TRY(rk_scratch(env, total + 1, 1, &bytes));
    for (int64_t i = 0; i < x->rows; i++) {
        strings[i] = bytes;
        bytes += edit_row(x, rate, seed, i, bytes);
    }
    TRY(rk_data_strings_new(env, strings, lengths, x->rows, out));
done:
    rk_scratch_release(env, mark);
    return status;
}

#define RATE(standard, words)                                                                                                  \
    {                                                                                                                          \
        {.name = "rate",                                                                                                       \
         .kind = RK_REAL,                                                                                                      \
         .offset = offsetof(rated, rate),                                                                                      \
         .value = standard,                                                                                                    \
         .min = 0,                                                                                                             \
         .max = 1,                                                                                                             \
         .min_excluded = 1,                                                                                                    \
         .brief = words},                                                                                                      \
            {.name = NULL},                                                                                                    \
    }

static const rk_param params_edit[] = RATE("0.05", "share of the characters that are edited");

/* clang-format off */
const rk_augment_type rk_augment_edit = {
    .entry = {.name = "edit", .brief = "strings with some characters replaced, deleted or inserted, at least one",
              .params = params_edit, .size = sizeof(rated)},
    .kinds = RK_KIND_STRING, .draw = draw_edit,
};
/* clang-format on */

/* ---- toggle: bits of sets -------------------------------------------------------------------------------------- */

/* Clears a one with probability `rate`; sets a zero with the probability that keeps the expected number of ones. */
static rkhs_status draw_toggle(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    double rate = ((const rated *)self)->rate, u[4] = {0};
    const rk_bits *b = x->self;
    rkhs_data *drawn = NULL;
    uint64_t *words;
    TRY(rk_data_bits_new(env, x->rows, x->columns, &words, &drawn));
    for (int64_t i = 0; i < x->rows; i++) {
        const uint64_t *from = b->words + i * b->stride;
        uint64_t *to = words + i * b->stride;
        int64_t ones = 0;
        if (i % LOOK == 0) TRY(rk_progress(env, "augment", i, x->rows));
        for (int64_t w = 0; w < b->stride; w++) ones += __builtin_popcountll(from[w]);
        double back = ones < x->columns ? fmin(1, rate * (double)ones / (double)(x->columns - ones)) : 0;
        for (int64_t c = 0; c < x->columns; c++) {
            uint64_t bit = from[c / 64] >> c % 64 & 1;
            if (c % 4 == 0) draw_one(seed, i, c / 4, u);
            to[c / 64] |= (bit ^ (u[c % 4] < (bit ? rate : back))) << c % 64;
        }
    }
    *out = drawn;
    drawn = NULL;
done:
    rkhs_data_free(drawn);
    return status;
}

static const rk_param params_toggle[] = RATE("0.1", "share of the ones that are cleared");

/* clang-format off */
const rk_augment_type rk_augment_toggle = {
    .entry = {.name = "toggle", .brief = "sets of bits with some ones cleared and as many zeros set",
              .params = params_toggle, .size = sizeof(rated)},
    .kinds = RK_KIND_BITS, .draw = draw_toggle,
};
/* clang-format on */

/* ---- drop: edges of graphs ------------------------------------------------------------------------------------- */

static rkhs_status draw_drop(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    double rate = ((const rated *)self)->rate, u[4];
    const rk_graphs *g = x->self;
    int64_t all = g->starts[g->first[x->rows]], *ends, *labels, count = 0;
    TRY(rk_scratch(env, all, sizeof *ends, &ends)); /* two numbers per edge, and each edge is in two adjacency lists */
    TRY(rk_scratch(env, all, sizeof *labels, &labels));
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t from = g->first[i], before = count, edges = (g->starts[g->first[i + 1]] - g->starts[from]) / 2, seen = 0;
        if (i % LOOK == 0) TRY(rk_progress(env, "augment", i, x->rows));
        for (int64_t v = from; v < g->first[i + 1]; v++)
            for (int64_t q = g->starts[v]; q < g->starts[v + 1]; q++) {
                if (from + g->neighbours[q] <= v || draw_one(seed, i, ++seen, u) < rate) continue;
                ends[2 * count] = v;
                ends[2 * count + 1] = from + g->neighbours[q];
                if (g->edge_labels) labels[count] = g->edge_labels[q];
                count++;
            }
        if (edges && count - before == edges) { /* none was dropped: the last replaces a random one */
            draw_one(seed, i, 0, u);
            int64_t gone = before + one_of(u[0], edges);
            count--;
            ends[2 * gone] = ends[2 * count];
            ends[2 * gone + 1] = ends[2 * count + 1];
            labels[gone] = labels[count];
        }
    }
    TRY(rk_data_graphs_new(env, "augmented data: edge", x->rows, g->first, count, ends, g->labels,
                           g->edge_labels ? labels : NULL, out));
done:
    rk_scratch_release(env, mark);
    return status;
}

static const rk_param params_drop[] = RATE("0.1", "share of the edges that are removed");

/* clang-format off */
const rk_augment_type rk_augment_drop = {
    .entry = {.name = "drop", .brief = "graphs with some edges removed, at least one", .params = params_drop,
              .size = sizeof(rated)},
    .kinds = RK_KIND_GRAPH, .draw = draw_drop,
};
/* clang-format on */
