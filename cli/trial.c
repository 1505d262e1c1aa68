/* trial.c: fits and scores the cells (parameter combinations) of rkhs select, with cross-validation.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Without folds, all rows are trained on and scored. With folds, part f trains on the rows of the other folds and
 * scores fold f. Cells with the same kernel share work. Kernel PCAs that differ only in dim are the first columns of
 * the largest. Other models get a Gram matrix that is computed once for each part. Bandwidth rules such as
 * sigma=median, and all else that a kernel learns, come from the training rows of the part. */
#include "select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One train/test split, and what cells share in it. */
typedef struct part {
    int64_t *train, *test; /* indices of training rows and held-out rows */
    int64_t trained, tested;
    rkhs_data *x, *y, *test_x; /* subsets; NULL without folds */
    rkhs_data *labels, *held_labels;
    double *K, *H; /* the shared Gram, train x train and held x train; or NULL */
    int64_t held_bytes;
    rkhs_data *gram, *held_gram;
    rkhs_model *largest; /* the largest kernel PCA, whose first columns are the smaller ones; or NULL */
    double *Zh;          /* its embedding of the held-out rows */
} part;

static void part_free(search *s, part *p) {
    rkhs_data *const all[] = {p->x, p->y, p->test_x, p->labels, p->held_labels, p->gram, p->held_gram};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) rkhs_data_free(all[i]);
    rkhs_model_free(p->largest);
    free(p->Zh);
    free(p->train);
    free(p->test);
    free(p->K);
    free(p->H);
    if (p->held_bytes > 0) rkhs_env_reserve(s->c->env, -p->held_bytes);
    *p = (part){0};
}

static rkhs_status no_memory(search *s) {
    refuse(s->c, EXIT_FAILED, "no memory");
    return RKHS_ERR_MEMORY;
}

/* Splits the rows for part f. */
static rkhs_status part_rows(search *s, int f, part *p) {
    int64_t n = rkhs_data_rows(s->x);
    p->train = calloc((size_t)n, sizeof *p->train);
    p->test = calloc((size_t)n, sizeof *p->test);
    if (p->train == NULL || p->test == NULL) return no_memory(s);
    for (int64_t i = 0; i < n; i++) {
        if (s->fold != NULL && s->fold[i] == f) {
            p->test[p->tested++] = i;
            continue;
        }
        p->train[p->trained++] = i;
    }
    return RKHS_OK;
}

static rkhs_status part_labels(search *s, part *p) {
    rkhs_status status = rkhs_data_subset(s->classes, p->train, p->trained, &p->labels);
    return status == RKHS_OK && p->tested > 0 ? rkhs_data_subset(s->classes, p->test, p->tested, &p->held_labels) : status;
}

/* The triplets whose objects are all training rows, renumbered. */
static rkhs_status cut_triplets(search *s, int f, part *p) {
    rkhs_status status = RKHS_OK;
    int64_t n = rkhs_data_rows(s->x), count = rkhs_data_rows(s->y), width = rkhs_data_columns(s->y), found = 0;
    int64_t *at = malloc((size_t)n * sizeof *at), *rows = malloc((size_t)(count * width) * sizeof *rows);
    if (at == NULL || rows == NULL) REFUSE(s->c, EXIT_FAILED, "no memory");
    for (int64_t i = 0; i < n; i++) at[i] = -1;
    for (int64_t i = 0; i < p->trained; i++) at[p->train[i]] = i;
    for (int64_t q = 0; q < count; q++) {
        double object[3] = {0};
        int all = rkhs_data_row(s->y, q, object);
        for (int64_t k = 0; k < width; k++) {
            rows[found * width + k] = at[(int64_t)object[k]];
            all = all && at[(int64_t)object[k]] >= 0;
        }
        found += all;
    }
    if (found == 0)
        REFUSE(s->c, EXIT_FAILED,
               "%s: part %d of %d leaves no row whose objects are all learned from: give fewer folds, or none", s->c->triplets,
               f + 1, s->c->folds);
    TRY(rkhs_data_index(s->c->env, rows, found, width, p->trained, &p->y));
done:
    free(rows);
    free(at);
    return status;
}

static rkhs_status part_new(search *s, int f, part *p) {
    rkhs_status status;
    TRY(part_rows(s, f, p));
    if (s->needs_labels) TRY(part_labels(s, p));
    if (s->fold == NULL) goto done;
    TRY(rkhs_data_subset(s->x, p->train, p->trained, &p->x));
    TRY(rkhs_data_subset(s->x, p->test, p->tested, &p->test_x));
    if (s->y != NULL && s->c->triplets != NULL)
        TRY(cut_triplets(s, f, p));
    else if (s->y != NULL)
        TRY(rkhs_data_subset(s->y, p->train, p->trained, &p->y));
done:
    return status;
}

/* ---- a Gram matrix that cells share ---------------------------------------------------------------------------- */

/* Whether the model can store the whole Gram and adds no objects to it: then a precomputed Gram can be given instead.
 * gram=auto stores it for so many rows. */
enum { SHARED_ROWS = 5000 };
static int takes_gram(search *s, const char *model) {
    rkhs_spec *spec = NULL;
    rkhs_type model_type, gram_type;
    const char *gram = NULL;
    if (rkhs_spec_new(s->c->env, "models", model, &spec) != RKHS_OK) return 0;
    int takes = type_of_spec(s->c, "models", model, &model_type) && !model_type.augments &&
                rkhs_spec_get(spec, "gram", &gram) == RKHS_OK && gram != NULL &&
                type_of_spec(s->c, "grams", gram, &gram_type) &&
                (gram_type.whole == 1 || (gram_type.whole == -1 && rkhs_data_rows(s->x) <= SHARED_ROWS));
    rkhs_spec_free(spec);
    return takes;
}

/* Whether the data are themselves a Gram matrix. */
static int is_precomputed(const search *s, const char *kernel) {
    rkhs_type type;
    return kernel != NULL && type_of_spec(s->c, "kernels", kernel, &type) && strcmp(type.data, "gram") == 0 &&
           strcmp(rkhs_data_kind(s->x), "dense") == 0;
}

/* Whether the cells can share a Gram. Parts of a precomputed Gram must be cut from it. */
static int can_share(search *s, cell *const *cells, int count) {
    const char *kernel = cells[0]->kernel;
    if (is_precomputed(s, kernel)) return s->fold != NULL;
    if (count < 2 || kernel == NULL) return 0;
    for (int i = 0; i < count; i++)
        if (!takes_gram(s, cells[i]->model)) return 0;
    return 1;
}

/* Cuts the rows and columns of a part from a precomputed Gram. */
static rkhs_status cut_gram(search *s, part *p) {
    int64_t n = p->trained;
    if (rkhs_data_rows(s->x) != rkhs_data_columns(s->x))
        return refuse(s->c, EXIT_FAILED, "a precomputed Gram to learn from must be square, not %lld x %lld",
                      (long long)rkhs_data_rows(s->x), (long long)rkhs_data_columns(s->x));
    double *row = malloc((size_t)rkhs_data_columns(s->x) * sizeof *row); /* of any type of numbers */
    if (row == NULL) return no_memory(s);
    for (int64_t i = 0; i < n; i++) {
        rkhs_data_row(s->x, p->train[i], row);
        for (int64_t j = 0; j < n; j++) p->K[i * n + j] = row[p->train[j]];
    }
    for (int64_t i = 0; i < p->tested; i++) {
        rkhs_data_row(s->x, p->test[i], row);
        for (int64_t j = 0; j < n; j++) p->H[i * n + j] = row[p->train[j]];
    }
    free(row);
    return RKHS_OK;
}

/* H = k(held-out, training). rkhs_kernel_gram gets the training rows first: bandwidth rules and `center` come from its
 * first argument. So the transpose is computed. */
static rkhs_status make_held(search *s, const rkhs_kernel *kernel, part *p) {
    rkhs_status status = RKHS_OK;
    int64_t n = p->trained, h = p->tested;
    double *T = malloc((size_t)(n * h) * sizeof *T);
    if (T == NULL) return no_memory(s);
    TRY(rkhs_kernel_gram(kernel, p->x, p->test_x, T, h));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < h; j++) p->H[j * n + i] = T[i * h + j];
done:
    free(T);
    return status;
}

/* Computes the shared Gram of a part. If memory is short there is none, and each cell computes its own. */
static rkhs_status part_gram(search *s, const rkhs_kernel *kernel, int given, part *p) {
    rkhs_status status = RKHS_OK;
    int64_t n = p->trained, h = p->tested;
    double bytes = 8.0 * (double)n * (double)(n + 2 * h);
    /* the fit stores another copy */
    if (bytes + 8.0 * (double)n * (double)n > 0.9 * (double)rkhs_env_memory_limit(s->c->env)) return RKHS_OK;
    if (rkhs_env_reserve(s->c->env, (int64_t)bytes) != RKHS_OK) return RKHS_OK;
    p->held_bytes = (int64_t)bytes;
    p->K = malloc((size_t)(n * n) * sizeof *p->K);
    p->H = malloc((size_t)(n * h + 1) * sizeof *p->H);
    if (p->K == NULL || p->H == NULL) return no_memory(s);
    if (given) {
        TRY(cut_gram(s, p));
    } else {
        TRY(rkhs_kernel_gram(kernel, s->fold != NULL ? p->x : s->x, NULL, p->K, n));
        if (h > 0) TRY(make_held(s, kernel, p));
    }
    TRY(rkhs_data_dense(s->c->env, p->K, n, n, n, &p->gram));
    if (h > 0) TRY(rkhs_data_dense(s->c->env, p->H, h, n, n, &p->held_gram));
done:
    return status;
}

/* ---- scores ---------------------------------------------------------------------------------------------------- */

/* The mean squared error of the predictions for held-out rows. */
static rkhs_status score_error(search *s, const part *p, const double *Zh, int64_t dim, double *value) {
    int64_t ld = 0;
    const double *T = rkhs_data_values(s->y, &ld);
    double sum = 0;
    if (T == NULL || rkhs_data_columns(s->y) != dim)
        return refuse(s->c, EXIT_FAILED, "error compares %s with %s of --target: choose a model that predicts",
                      rk_counted(dim, "dimension").text, rk_counted(rkhs_data_columns(s->y), "column").text);
    for (int64_t i = 0; i < p->tested; i++)
        for (int64_t j = 0; j < dim; j++) {
            double e = Zh[i * dim + j] - T[p->test[i] * ld + j];
            sum += e * e;
        }
    *value = sum / (double)(p->tested * dim);
    return RKHS_OK;
}

/* A score from the library's list. */
static rkhs_status score_listed(search *s, const part *p, const rkhs_kernel *kernel, const rkhs_data *z, const rkhs_data *zh,
                                double *value, double *deviation) {
    rkhs_status status = RKHS_OK;
    const rkhs_data *x = s->fold != NULL ? p->x : s->x;
    const char *kind = rkhs_data_kind(s->x);
    int given = kernel != NULL && is_precomputed(s, rkhs_kernel_text(kernel));
    int vectors = !given && (strcmp(kind, "dense") == 0 || strcmp(kind, "sparse") == 0);
    rkhs_score_input what = {.kernel = vectors && s->needs_x ? NULL : kernel}; /* NULL: Euclidean distances */
    if (given && s->fold != NULL && !s->needs_labels)
        REFUSE(s->c, EXIT_FAILED,
               "--by %s with --folds compares objects, and of a precomputed Gram there are none: leave out --folds", s->c->by);
    what.z = z;
    what.labels = p->labels;
    what.x = s->needs_labels ? NULL : x;
    if (zh != NULL && s->takes_new) {
        what.new_z = zh;
        what.new_labels = p->held_labels;
        what.new_x = s->needs_labels ? NULL : p->test_x;
    } else if (zh != NULL) {
        what.z = zh;
        what.labels = p->held_labels;
        what.x = s->needs_labels ? NULL : p->test_x;
    }
    TRY(rkhs_score(s->c->env, &s->c->by, 1, &what, value, deviation));
done:
    return status;
}

/* Embeds the held-out rows. */
static rkhs_status embed_held(search *s, const part *p, const rkhs_model *m, double **Zh) {
    int64_t dim = 0;
    rkhs_model_embedding(m, NULL, &dim);
    *Zh = malloc((size_t)(p->tested * dim + 1) * sizeof **Zh);
    if (*Zh == NULL) return no_memory(s);
    return rkhs_model_transform(m, p->held_gram != NULL ? p->held_gram : p->test_x, *Zh, dim);
}

/* Scores the first dim columns of m's embedding; dim 0: all. */
static rkhs_status score_part(search *s, const part *p, rkhs_model *m, int64_t dim, const rkhs_kernel *kernel, double *value,
                              double *deviation) {
    rkhs_status status = RKHS_OK;
    rkhs_data *z = NULL, *zh = NULL;
    int64_t n, ld;
    const double *Z = rkhs_model_embedding(m, &n, &ld), *Zh = p->Zh;
    double *own = NULL;
    if (dim == 0) dim = ld;
    TRY(rkhs_data_dense(s->c->env, Z, n, dim, ld, &z));
    if (s->fold != NULL) {
        if (m != p->largest) TRY(embed_held(s, p, m, &own));
        if (own != NULL) Zh = own;
        TRY(rkhs_data_dense(s->c->env, Zh, p->tested, dim, ld, &zh));
    }
    if (s->by == BY_ERROR) TRY(score_error(s, p, Zh, dim, value));
    if (s->by == BY_SCORE) TRY(score_listed(s, p, kernel, z, zh, value, deviation));
    if (!isfinite(*value)) REFUSE(s->c, EXIT_FAILED, "the score is not a number");
done:
    rkhs_data_free(zh);
    rkhs_data_free(z);
    free(own);
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */

/* The dim of a model whose embeddings are nested, and its spec with dim=1, which is equal for those that differ only
 * in dim. Returns 0 for other models. */
static int64_t dim_of(search *s, const char *model, char rest[SPEC_ROOM]) {
    rkhs_model *m = NULL;
    rkhs_spec *spec = NULL;
    rkhs_type type;
    const char *value = NULL;
    int64_t dim = 0;
    rkhs_status status;
    TRY(rkhs_model_new(s->c->env, model, &m));
    TRY(rkhs_spec_new(s->c->env, "models", rkhs_model_text(m), &spec));
    if (!type_of_spec(s->c, "models", rkhs_spec_name(spec), &type) || !type.nested) goto done;
    TRY(rkhs_spec_get(spec, "dim", &value));
    dim = value != NULL ? strtoll(value, NULL, 10) : 0;
    TRY(rkhs_spec_set(spec, "dim", "1"));
    if (strlen(rkhs_spec_text(spec)) < SPEC_ROOM)
        strcpy(rest, rkhs_spec_text(spec));
    else
        dim = 0;
done:
    rkhs_spec_free(spec);
    rkhs_model_free(m);
    return status == RKHS_OK ? dim : 0;
}

/* Fits the largest of the kernel PCAs that differ only in dim. dims[i] is the dim of a cell that it covers, else 0. If
 * it fails, each cell is fitted separately and has its own message. */
static void fit_largest(search *s, cell *const *cells, int count, const rkhs_kernel *kernel, part *p, int64_t *dims) {
    char first[SPEC_ROOM] = "", rest[SPEC_ROOM] = "";
    int largest = -1, shared = 0;
    const rkhs_data *x = s->fold != NULL ? p->x : s->x;
    for (int i = 0; i < count; i++) {
        dims[i] = s->by == BY_SCORE ? dim_of(s, cells[i]->model, rest) : 0;
        if (dims[i] > p->trained || (largest >= 0 && strcmp(first, rest) != 0)) dims[i] = 0;
        if (dims[i] == 0) continue;
        if (largest < 0) strcpy(first, rest);
        if (largest < 0 || dims[i] > dims[largest]) largest = i;
        shared++;
    }
    if (shared < 2 || rkhs_model_new(s->c->env, cells[largest]->model, &p->largest) != RKHS_OK) goto failed;
    if (rkhs_model_fit(p->largest, kernel, x, NULL, NULL) != RKHS_OK) goto failed;
    if (s->fold != NULL && embed_held(s, p, p->largest, &p->Zh) != RKHS_OK) goto failed;
    return;
failed:
    s->c->message[0] = 0;
    rkhs_model_free(p->largest);
    p->largest = NULL;
    for (int i = 0; i < count; i++) dims[i] = 0;
}

/* Fits one cell on one part and scores it; dim > 0: scores the first columns of p->largest instead. */
static rkhs_status try_part(search *s, const cell *one, const part *p, int64_t dim, const rkhs_kernel *kernel, double *value,
                            double *deviation) {
    rkhs_status status = RKHS_OK;
    rkhs_model *m = NULL;
    rkhs_kernel *given = NULL;
    const rkhs_data *x = s->fold != NULL ? p->x : s->x, *y = s->fold != NULL ? p->y : s->y;
    if (dim > 0) {
        const rkhs_kernel *own = rkhs_model_kernel(p->largest);
        return score_part(s, p, p->largest, dim, kernel != NULL ? kernel : own, value, deviation);
    }
    TRY(rkhs_model_new(s->c->env, one->model, &m));
    if (p->gram != NULL) TRY(rkhs_kernel_new(s->c->env, "precomputed", &given));
    TRY(rkhs_model_fit(m, given != NULL ? given : kernel, p->gram != NULL ? p->gram : x, y, NULL));
    TRY(score_part(s, p, m, 0, kernel != NULL ? kernel : rkhs_model_kernel(m), value, deviation));
done:
    rkhs_kernel_free(given);
    rkhs_model_free(m);
    return status;
}

/* The mean and standard deviation of the scores v of the parts. */
static void join_parts(const search *s, cell *one, const double *v, double deviation) {
    int folds = s->fold != NULL ? s->c->folds : 1;
    double mean = 0, squares = 0;
    for (int f = 0; f < folds; f++) mean += v[f] / folds;
    for (int f = 0; f < folds; f++) squares += (v[f] - mean) * (v[f] - mean);
    one->score = mean;
    one->deviation = folds > 1 ? sqrt(squares / (folds - 1)) : deviation;
}

/* Tries all cells on part f; values[i] is the score of cell i. */
static rkhs_status try_fold(search *s, int f, cell *const *cells, int count, double *values, double *deviations) {
    rkhs_status status = RKHS_OK, made;
    part p = {0};
    rkhs_kernel *kernel = NULL;
    const cell *first = NULL; /* that failed as the kernel did */
    double from = rk_seconds();
    int own = 0, given; /* cells fitted separately; whether the data are a Gram */
    int64_t *dims = calloc((size_t)count, sizeof *dims);
    if (dims == NULL) return no_memory(s);
    TRY(part_new(s, f, &p));
    made = cells[0]->kernel != NULL ? rkhs_kernel_new(s->c->env, cells[0]->kernel, &kernel) : RKHS_OK;
    given = is_precomputed(s, cells[0]->kernel);
    if (made == RKHS_OK && count > 1 && s->y == NULL && !(given && s->fold != NULL))
        fit_largest(s, cells, count, kernel, &p, dims);
    for (int i = 0; i < count; i++) own += dims[i] == 0;
    if (made == RKHS_OK && own > 0 && can_share(s, cells, count)) made = part_gram(s, kernel, given, &p);
    for (int i = 0; i < count; i++) {
        cell *one = cells[i];
        if (one->failed != NULL) continue;
        rkhs_status tried = made != RKHS_OK ? made : try_part(s, one, &p, dims[i], kernel, &values[i], &deviations[i]);
        if (tried == RKHS_ERR_CANCELLED || (tried != RKHS_OK && stop_signal() != 0)) TRY(RKHS_ERR_CANCELLED);
        if (first != NULL) /* the kernel failed: the same for all */
            one->failed = first->failed, one->status = first->status, one->subject = first->subject;
        else if (tried != RKHS_OK)
            TRY(keep_failure(s, tried, one));
        if (made != RKHS_OK) first = one;
        double now = rk_seconds();
        one->seconds = (isnan(one->seconds) ? 0 : one->seconds) + now - from;
        from = now;
    }
done:
    free(dims);
    rkhs_kernel_free(kernel);
    part_free(s, &p);
    return status;
}

rkhs_status try_cells(search *s, cell *const *cells, int count) {
    rkhs_status status = RKHS_OK;
    int folds = s->fold != NULL ? s->c->folds : 1;
    double *values = calloc((size_t)count * (size_t)folds, sizeof *values),
           *deviations = calloc((size_t)count, sizeof *deviations), *each = calloc((size_t)folds, sizeof *each);
    if (values == NULL || deviations == NULL || each == NULL) REFUSE(s->c, EXIT_FAILED, "no memory");
    for (int i = 0; i < count; i++) deviations[i] = NAN;
    for (int f = 0; f < folds; f++) TRY(try_fold(s, f, cells, count, values + (int64_t)f * count, deviations));
    for (int i = 0; i < count; i++) {
        cell *one = cells[i];
        for (int f = 0; f < folds; f++) each[f] = values[(int64_t)f * count + i];
        if (one->failed == NULL) join_parts(s, one, each, deviations[i]);
        one->done = 1;
        TRY(resume_add(s, one));
    }
done:
    free(each);
    free(deviations);
    free(values);
    return status;
}
