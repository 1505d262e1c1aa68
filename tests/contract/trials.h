/* trials.h: models to be tried with the grams, kernels and data sets of fixtures.h. */
#ifndef RK_TRIALS_H
#define RK_TRIALS_H

#include "fixtures.h"

/* The second data set that a model takes: labels, or `dim` targets that are functions of each object alone, in any
 * order of objects; or triplets, but for kinds of data whose positives it draws. */
static inline rkhs_data *fixture_supervision(rkhs_env *env, const rk_model_type *type, const rkhs_data *x, int dim) {
    rkhs_data *y;
    double *values;
    if (type->supervision & RK_KIND_LABELS) return fixture_labels(env, x->rows);
    if (type->supervision & RK_KIND_INDEX && x->type->kind & (RK_KIND_DENSE | RK_KIND_GRAM | RK_KIND_LABELS)) {
        rk_mark mark = rk_scratch_mark(env);
        int64_t n = x->rows, *triplets = wholes(env, 3 * n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < 3; c++) triplets[3 * i + c] = (i + c * (c == 1 ? 1 : n / 4)) % n;
        FINE(env, rkhs_data_index(env, triplets, n, 3, n, &y));
        rk_scratch_release(env, mark);
        return y;
    }
    if (!(type->supervision & RK_KIND_DENSE)) return NULL;
    FINE(env, rk_data_dense_new(env, x->rows, dim, &values, &y));
    rk_mark mark = rk_scratch_mark(env);
    double *row = numbers(env, x->columns);
    for (int64_t i = 0; i < x->rows; i++) {
        double sum = 0;
        for (int64_t c = 0; rk_dense_of(x) && rkhs_data_row(x, i, row) && c < x->columns; c++) sum += row[c];
        const rk_sparse *s = x->type->kind == RK_KIND_SPARSE ? x->self : NULL;
        for (int64_t q = s ? s->starts[i] : 0; s && q < s->starts[i + 1]; q++) sum += s->values[q];
        const rk_bits *b = x->type->kind == RK_KIND_BITS ? x->self : NULL;
        if (b) sum += (double)rk_bits_count(b->stride, b->words + i * b->stride);
        if (x->type->kind == RK_KIND_LABELS) sum += 3 * (double)((const rk_labels *)x->self)->codes[i] - 2;
        for (const char *c = rkhs_data_string(x, i, NULL); c && *c; c++) sum += *c;
        rkhs_graph g;
        if (rkhs_data_graph(x, i, &g))
            for (int64_t v = 0; v < g.vertices; v++) sum += (double)g.labels[v] + (double)(g.starts[v + 1] - g.starts[v]) + 1;
        for (int c = 0; c < dim; c++) values[i * dim + c] = sin((c + 1) * 0.1 * sum);
    }
    rk_scratch_release(env, mark);
    return y;
}

/* Every model with every gram, and kernels: the first model with every third of them, leaves on every data set; the
 * others with every so many, each with its own share. A model never sees which kernel it is, nor which data. */
#if defined(__SANITIZE_ADDRESS__) /* looks for faults of memory, which do not hide in one kernel and not in its like */
enum { SANITIZED = 1, FIRST = 8, FEWER = 16, SHARES = 60 };
#else
enum {
    SANITIZED = 0,
    FIRST = 3,
    FEWER = 4,
    SHARES = 20
}; /* of the first model with the first two grams, with more; of the others */
#endif

typedef struct trial {
    int few; /* every model has its share alone, the first too */
    int model, gram;
    int64_t seen; /* kernels of the model so far */
    pairing pair;
    const rk_model_type *type;
    fixture_gram of;
    int dim;
    char text[256]; /* of the model */
} trial;

/* Whether a pairing is another model's share, or has no digits to compare. */
static inline int is_left_out(trial *t) {
    int shares = t->model > 0 || t->few ? SHARES : t->gram > 1 ? FEWER : FIRST;
    if ((t->seen++ + t->model) % shares != 0) return 1;
    if (strcmp(t->pair.data, "offset") != 0) return 0;
    /* A regression on rows far from 0 is a small difference of large numbers. Landmarks drop what is below 1e-12 of
     * k(x,x), and far from 0 that is what relu and ntk differ from linear by. */
    return t->type->keeps_signs || (fixture_is_network(t->pair.text) && t->of.gram[0] == 'n');
}

/* RKHS_ONLY=kle in the environment: that model alone, while it is being written. */
static inline int next_trial(rkhs_env *env, trial *t, int dim) {
    const char *only = getenv("RKHS_ONLY");
    for (; rk_models.entries[t->model]; t->model++, t->gram = 0) {
        t->type = (const rk_model_type *)rk_models.entries[t->model];
        if (only && strcmp(only, t->type->entry.name) != 0) continue;
        for (; fixture_gram_at(t->gram, &t->of); t->gram++, t->pair.kernel = t->pair.set = 0) {
            if (!fixture_serves(t->type, &t->of)) continue;
            t->pair.brief = t->gram < 2 ? 1 : 2;
            int more = next_pairing(env, &t->pair);
            while (more && is_left_out(t)) more = next_pairing(env, &t->pair);
            if (!more) continue;
            char rest[128];
            snprintf(rest, sizeof rest, "gram=%s", t->of.text);
            fixture_spec(t->text, sizeof t->text, t->type, dim, rest);
            t->dim = dim;
            LOOK_AT("%s with %s on %s", t->text, t->pair.text, t->pair.data);
            return 1;
        }
    }
    return 0;
}

/* A model of a trial fitted on x, which are the objects `of` in some form. */
static inline rkhs_model *fitted_of(rkhs_env *env, const trial *t, const rkhs_data *x, const rkhs_data *of) {
    rkhs_kernel *k;
    rkhs_model *m;
    rkhs_data *y = fixture_supervision(env, t->type, of, t->dim);
    FINE(env, rkhs_kernel_new(env, t->pair.text, &k));
    FINE(env, rkhs_model_new(env, t->text, &m));
    FINE(env, rkhs_model_fit(m, k, x, y, NULL));
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    return m;
}
static inline rkhs_model *fitted(rkhs_env *env, const trial *t, const rkhs_data *x) { return fitted_of(env, t, x, x); }

/* The fit of a model's type alone, on a gram that the caller has built: Z (n x dim), before signs are fixed. */
static inline rkhs_status fit_on_gram(rkhs_env *env, const char *spec, rk_gram *g, const rkhs_data *y, int dim, double *Z) {
    rkhs_status status;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_model *m = NULL;
    rk_map *map = NULL;
    rk_report report = {0};
    void *state = NULL;
    status = rk_model_new(env, spec, &m);
    if (status == RKHS_OK) status = rk_map_new(env, g->map_count, dim, &map);
    if (status == RKHS_OK) status = rk_state_new(env, m->type, &state);
    if (status == RKHS_OK)
        status = m->type->fit(&(rk_fit){.env = env,
                                        .self = m->spec->self,
                                        .gram = g,
                                        .kernel = g->kernel,
                                        .x = g->x,
                                        .y = y,
                                        .report = &report,
                                        .state = state,
                                        .dim = dim,
                                        .Z = Z,
                                        .map = map});
    rk_report_clear(env, &report);
    if (m) rk_state_free(env, m->type, state);
    rk_map_free(env, map);
    rkhs_model_free(m);
    rk_scratch_release(env, mark);
    return status;
}

/* Z of many objects, n x d, is near Y, each column up to its sign. */
static inline void near_up_to_signs(rkhs_env *env, const double *Z, const double *Y, int64_t n, int64_t d, double tolerance) {
    rk_mark mark = rk_scratch_mark(env);
    double *turned = numbers(env, n * d);
    for (int64_t c = 0; c < d; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += Z[i * d + c] * Y[i * d + c];
        for (int64_t i = 0; i < n; i++) turned[i * d + c] = sum < 0 ? -Z[i * d + c] : Z[i * d + c];
    }
    near_all("Z", turned, Y, n * d, tolerance);
    rk_scratch_release(env, mark);
}

#endif
