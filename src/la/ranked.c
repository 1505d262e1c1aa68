/* ranked.c: the first k of some objects by their values, largest first, then by index.
 *
 * No two objects rank the same, so that the result does not depend on the order in which they come. */
#include "la/la.h"

enum { FEW = 24 }; /* up to so many are sorted by insertion */

static inline void swap(double *value, int64_t *index, int64_t a, int64_t b) {
    double v = value[a];
    int64_t i = index[a];
    value[a] = value[b], index[a] = index[b];
    value[b] = v, index[b] = i;
}

static inline int before(const double *value, const int64_t *index, int64_t a, int64_t b) {
    return rk_precedes(value[a], index[a], value[b], index[b]);
}

/* Moves those before a chosen one to the front, it behind them, and returns its position. n > 0. Which way a comparison
 * goes cannot be foreseen, so no branch depends on it. */
static int64_t part(double *value, int64_t *index, int64_t n) {
    int64_t middle = n / 2, last = n - 1, at = 0;
    if (before(value, index, middle, 0)) swap(value, index, 0, middle);
    if (before(value, index, last, 0)) swap(value, index, 0, last);
    if (before(value, index, middle, last)) swap(value, index, middle, last);
    double chosen = value[last]; /* the median of three */
    int64_t chosen_index = index[last];
    for (int64_t a = 0; a < last; a++) {
        double v = value[a];
        int64_t i = index[a];
        value[a] = value[at], index[a] = index[at];
        value[at] = v, index[at] = i;
        at += rk_precedes(v, i, chosen, chosen_index);
    }
    swap(value, index, at, last);
    return at;
}

void rk_keep_first(double *value, int64_t *index, int64_t n, int64_t k) {
    int64_t from = 0;
    while (n - from > 1) {
        int64_t at = from + part(value + from, index + from, n - from);
        if (at == k - 1) return;
        if (at < k - 1)
            from = at + 1;
        else
            n = at;
    }
}

void rk_sort_ranked(double *value, int64_t *index, int64_t n) {
    while (n > FEW) {
        int64_t at = part(value, index, n), rest = n - at - 1;
        if (at < rest) {
            rk_sort_ranked(value, index, at);
            value += at + 1, index += at + 1;
            n = rest;
        } else {
            rk_sort_ranked(value + at + 1, index + at + 1, rest);
            n = at;
        }
    }
    for (int64_t a = 1; a < n; a++) {
        double v = value[a];
        int64_t i = index[a], at = a;
        for (; at > 0 && rk_precedes(v, i, value[at - 1], index[at - 1]); at--)
            value[at] = value[at - 1], index[at] = index[at - 1];
        value[at] = v, index[at] = i;
    }
}
