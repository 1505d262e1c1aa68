/* model.h: all that can be asked of a model that was loaded, for the targets `model` (bytes of files) and `forged`
 * (files whose parts were exchanged). */
#ifndef RK_FUZZ_MODEL_H
#define RK_FUZZ_MODEL_H

#include "fuzz.h"

enum { FUZZ_ROOM = 4096, FUZZ_ROWS = 3, FUZZ_LARGEST = 64 << 10 };

/* Statuses that a call on a loaded model may end in. */
static inline void fuzz_fair(rkhs_env *env, rkhs_status status) {
    fuzz_status(env, status);
    FUZZ_HOLDS(status != RKHS_ERR_FORMAT); /* whatever is wrong with a file is said when it is loaded */
}

/* What is asked of a model, as bits. */
enum {
    ASK_PLACE = 1,
    ASK_ANOMALY = 2,
    ASK_EXPLAIN = 4,
    ASK_BACK = 8,
    ASK_SAVE = 16,
    ASK_COPY = 32,
    ASK_SCORE = 64,
    ASK_UPDATE = 128
};
enum { ASK_ALL = 255 };

/* Every question that takes new objects; which: of the anomaly scores, -1: all. */
static inline void fuzz_ask(rkhs_env *env, rkhs_model *m, const rkhs_data *x, unsigned what, int which) {
    static const char *const ways[] = {"map", "refine", "neighbour", NULL}, *const scores[] = {NULL, "error", "density",
                                                                                               "both"};
    static double Z[FUZZ_ROOM], influence[FUZZ_ROOM];
    static int64_t object[FUZZ_ROOM];
    int64_t n, dim, kept = rkhs_data_rows(rkhs_model_reference_objects(m, NULL)), rows = rkhs_data_rows(x);
    rkhs_model_embedding(m, &n, &dim);
    if (rows * dim > FUZZ_ROOM || 2 * (kept + 1) * rows > FUZZ_ROOM) return;
    for (int i = 0; what & ASK_PLACE && i < 4; i++)
        if (rkhs_model_set_place(m, ways[i]) == RKHS_OK && (ways[i] || what == ASK_ALL))
            fuzz_fair(env, rkhs_model_transform(m, x, Z, dim));
    for (int i = 0; what & ASK_ANOMALY && i < 4; i++)
        if (which < 0 || which == i) fuzz_fair(env, rkhs_model_anomaly(m, x, scores[i], Z));
    for (int64_t top = 0; what & ASK_EXPLAIN && top <= kept + 1; top += kept / 2 + 1)
        fuzz_fair(env, rkhs_model_explain(m, x, top, object, influence));
}

/* Objects like those that a model keeps; NULL: there are none that are small. */
static inline rkhs_data *fuzz_like(rkhs_env *env, const rkhs_model *m) {
    static double numbers[FUZZ_ROOM];
    static float floats[FUZZ_ROOM];
    const rkhs_data *kept = rkhs_model_reference_objects(m, NULL);
    rkhs_data *x = NULL;
    int64_t columns = rkhs_data_columns(kept), rows = rkhs_data_rows(kept);
    for (int64_t i = 0; i < FUZZ_ROOM; i++) floats[i] = (float)(i % 7) / 4, numbers[i] = (double)floats[i];
    if (strcmp(rkhs_data_kind(kept), "gram") == 0 || strcmp(rkhs_data_kind(kept), "dense") == 0) {
        if (columns * FUZZ_ROWS > FUZZ_ROOM) return NULL;
        if (rkhs_data_floats(kept, NULL))
            FUZZ_HOLDS(rkhs_data_float(env, floats, FUZZ_ROWS, columns, columns, &x) == RKHS_OK);
        else
            FUZZ_HOLDS(rkhs_data_dense(env, numbers, FUZZ_ROWS, columns, columns, &x) == RKHS_OK);
        if (columns == 2) FUZZ_HOLDS(rkhs_data_set_column_names(x, (const char *[]){"two", "one"}) == RKHS_OK);
    } else {
        rkhs_status status = rkhs_data_subset(kept, (int64_t[FUZZ_ROWS]){rows - 1, 0, rows / 2}, FUZZ_ROWS, &x);
        FUZZ_HOLDS(status == RKHS_OK || status == RKHS_ERR_MEMORY);
    }
    return x;
}

/* What it saves loads, and saves the same bytes again. */
static inline void fuzz_again(rkhs_env *env, const rkhs_model *m) {
    static char first[FUZZ_LARGEST], second[FUZZ_LARGEST];
    size_t size = 0, length = 0;
    rkhs_model *again = NULL;
    rkhs_status status = rkhs_model_pack(m, first, sizeof first, &size);
    fuzz_status(env, status);
    if (status == RKHS_ERR_MEMORY || (status == RKHS_OK && size > sizeof first)) return;
    FUZZ_HOLDS(status == RKHS_OK);
    status = rkhs_model_unpack(env, first, size, &again);
    fuzz_status(env, status);
    if (status == RKHS_ERR_MEMORY) return;
    if (status != RKHS_OK) fprintf(stderr, "%s\n", rkhs_env_message(env));
    FUZZ_HOLDS(status == RKHS_OK);
    status = rkhs_model_pack(again, second, sizeof second, &length);
    fuzz_status(env, status);
    FUZZ_HOLDS(status == RKHS_ERR_MEMORY || (length == size && memcmp(first, second, size) == 0));
    rkhs_model_free(again);
}

/* What there is to look at. */
static inline void fuzz_read(rkhs_env *env, rkhs_model *m) {
    static volatile double sink;
    int64_t n = 0, dim = 0;
    const int64_t *rows;
    rkhs_item item;
    const double *embedding = rkhs_model_embedding(m, &n, &dim);
    (void)sink;
    FUZZ_HOLDS(embedding && n >= 2 && dim >= 1);
    for (int64_t i = 0; i < n * dim; i++) sink = embedding[i];
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) FUZZ_HOLDS(item.name && (item.text || item.values));
    FUZZ_HOLDS(rkhs_model_text(m) && rkhs_kernel_text(rkhs_model_kernel(m)));
    const rkhs_data *kept = rkhs_model_reference_objects(m, &rows);
    for (int64_t i = 0; rows && i < rkhs_data_rows(kept); i++) sink = (double)rows[i];
}

/* Codes that are taken back. */
static inline void fuzz_back(rkhs_env *env, rkhs_model *m) {
    static const double odd[] = {0, -1e300, 1e300, 1e-300, 0.5, -2};
    rkhs_data *back;
    int64_t n, dim;
    const double *embedding = rkhs_model_embedding(m, &n, &dim);
    fuzz_look(env, rkhs_model_reference_objects(m, NULL));
    fuzz_fair(env, rkhs_model_inverse(m, embedding, rk_min(n, 4), dim, &back));
    if (back) fuzz_look(env, back);
    rkhs_data_free(back);
    if (dim > 3) return;
    fuzz_fair(env, rkhs_model_inverse(m, odd, 2, dim, &back));
    if (back) fuzz_look(env, back);
    rkhs_data_free(back);
}

/* A model's embedding, scored against what it keeps. */
static inline void fuzz_scores(rkhs_env *env, const rkhs_model *m) {
    static const char *const specs[] = {"trustworthiness(k=1)", "cka", "twonn"};
    double values[3];
    int64_t n, dim;
    const int64_t *rows;
    const double *Z = rkhs_model_embedding(m, &n, &dim);
    const rkhs_data *kept = rkhs_model_reference_objects(m, &rows);
    rkhs_data *z = NULL;
    if (rows || rkhs_data_rows(kept) != n) return;
    rkhs_status status = rkhs_data_dense(env, Z, n, dim, dim, &z);
    fuzz_status(env, status);
    for (int i = 0; z && i < 3; i++)
        fuzz_status(env, rkhs_score(env, specs + i, 1, &(rkhs_score_input){.z = z, .x = kept, .kernel = rkhs_model_kernel(m)},
                                    values + i, NULL));
    rkhs_data_free(z);
}

/* Asks for what `turn` picks: one question or two, as inputs are many; 255: for all there is. */
static inline void fuzz_model(rkhs_env *env, rkhs_model *m, unsigned turn) {
    static const unsigned turns[] = {ASK_PLACE, ASK_ANOMALY, ASK_EXPLAIN | ASK_SAVE, ASK_BACK, ASK_PLACE | ASK_SAVE, ASK_COPY,
                                     ASK_SCORE, ASK_UPDATE};
    unsigned what = turn % 256 == 255 ? ASK_ALL : turns[turn % 8];
    int which = what == ASK_ALL ? -1 : (int)(turn / 8 % 4);
    rkhs_model *copy = NULL;
    rkhs_data *x = fuzz_like(env, m), *other = NULL;
    fuzz_read(env, m);
    if (x) fuzz_ask(env, m, x, what, which);
    if (what & ASK_BACK) fuzz_back(env, m);
    if (what & ASK_SAVE) fuzz_again(env, m);
    if (what & ASK_SCORE) fuzz_scores(env, m);
    if (what & ASK_COPY) {
        fuzz_status(env, rkhs_model_copy(m, &copy));
        if (copy && x) fuzz_ask(env, copy, x, ASK_PLACE, 0);
        FUZZ_HOLDS(rkhs_data_strings(env, (const char *[]){"abcab", "", "cc"}, NULL, 3, &other) == RKHS_OK);
        fuzz_ask(env, m, other, ASK_ALL, 0);
    }
    if (what & ASK_UPDATE && x) {
        rkhs_status status = rkhs_model_update(m, x, NULL);
        fuzz_fair(env, status);
        if (status == RKHS_ERR_ARGUMENT && strcmp(rkhs_env_hint(env), "target") == 0) {
            int64_t dim = 0, rows = rkhs_data_rows(x);
            rkhs_model_embedding(m, NULL, &dim);
            double *values = calloc((size_t)(rows * dim), sizeof *values);
            rkhs_data *y = NULL;
            if (values) status = rkhs_data_dense(env, values, rows, dim, dim, &y);
            if (y) status = rkhs_model_update(m, x, y);
            fuzz_fair(env, status);
            rkhs_data_free(y);
            free(values);
        }
        if (status == RKHS_OK) fuzz_read(env, m), fuzz_ask(env, m, x, ASK_PLACE, 0), fuzz_again(env, m);
    }
    rkhs_model_free(copy);
    rkhs_data_free(other);
    rkhs_data_free(x);
}

#endif
