/* Random features: they are the kernel in the mean, for each kernel that has them; models, maps and files with them. */
#include "trials.h"

enum { N = 60 };

static rk_gram *features_of(rkhs_env *env, const rkhs_kernel *k, const rkhs_data *x, const char *text, rk_spec **spec) {
    rk_gram *g;
    FINE(env, rk_spec_new(env, &rk_grams, text, spec));
    FINE(env, rk_gram_new(env, *spec, k, x, &g));
    return g;
}

/* The root mean square of Phi Phi' - K, over several seeds. */
static double kernel_error(rkhs_env *env, const char *kernel, const char *gram, const rkhs_data *x, int seeds) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = x->rows;
    double *K = numbers(env, n * n), sum = 0;
    rkhs_kernel *k;
    LOOK_AT("%s of %s", gram, kernel);
    FINE(env, rkhs_kernel_new(env, kernel, &k));
    FINE(env, rk_kernel_freeze(k, x));
    FINE(env, rkhs_kernel_gram(k, x, NULL, K, n));
    for (int seed = 0; seed < seeds; seed++) {
        rk_spec *spec;
        FINE(env, rkhs_env_set_seed(env, (uint64_t)seed));
        rk_gram *g = features_of(env, k, x, gram, &spec);
        int64_t ld;
        const double *Phi = rk_gram_phi(g, &ld);
        for (int64_t q = 0; q < n * n; q++) {
            double error = rk_dot(g->rank, Phi + q / n * ld, Phi + q % n * ld) - K[q];
            sum += error * error / (double)(n * n * seeds);
        }
        rk_gram_free(g);
        rk_spec_free(env, spec);
    }
    FINE(env, rkhs_env_set_seed(env, 0));
    rkhs_kernel_free(k);
    rk_scratch_release(env, mark);
    return sqrt(sum);
}

static const char *const kernels[] = {"rbf(sigma=1.5)",
                                      "rbf(gamma=0.2)",
                                      "laplacian(sigma=3)",
                                      "laplacian(gamma=0.3)",
                                      "matern(nu=0.5, sigma=2)",
                                      "matern(nu=1.5, sigma=2)",
                                      "matern(nu=2.5, gamma=0.5)",
                                      "rq(alpha=0.4, sigma=1)",
                                      "rq(alpha=3, gamma=0.3)",
                                      "cauchy(sigma=2)",
                                      "cauchy(gamma=0.3)",
                                      "relu",
                                      "0.5*rbf(sigma=1) + 2*cauchy(sigma=1)",
                                      "rbf(sigma=1)[0,2] + laplacian(sigma=2)[1:3]"};

/* Four times as many features halve the error, for each kernel; 1/sqrt(m) but for chance. */
static void the_error_falls_with_the_root_of_the_count(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    for (size_t q = 0; q < sizeof kernels / sizeof *kernels; q++) {
        double few = kernel_error(env, kernels[q], "features(count=100)", x, 12);
        double many = kernel_error(env, kernels[q], "features(count=1600)", x, 12);
        if (!(many > few / 4 / 1.6 && many < few / 4 * 1.6))
            fail_msg("%s: error %.3g with 100 features, %.3g with 1600", kernels[q], few, many);
        HOLDS(few < 0.6); /* kernel values are about 1 */
    }
    rkhs_data_free(x);
}

static void orthogonal_vectors_have_a_smaller_error(void **state) {
    rkhs_env *env = *state;
    static const char *const sets[] = {"wide", "offset", "counts"};
    for (int t = 0; t < 3; t++) {
        rkhs_data *x = fixture_data(env, sets[t], N);
        double plain = kernel_error(env, "rbf", "features(count=200, orthogonal=no)", x, 20);
        double orthogonal = kernel_error(env, "rbf", "features(count=200)", x, 20);
        if (!(orthogonal < 0.97 * plain)) fail_msg("%s: orthogonal %.4g, independent %.4g", sets[t], orthogonal, plain);
        rkhs_data_free(x);
    }
}

static void features_of_linear_are_exact(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    HOLDS(kernel_error(env, "linear", "features", x, 1) < 1e-13);
    HOLDS(kernel_error(env, "3*linear[0:2] + 0.1*linear", "features", x, 1) < 1e-13);
    rkhs_data_free(x);
}

static void what_has_no_random_features_is_refused_with_a_way(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *words = fixture_data(env, "strings", N);
    static const struct {
        const char *kernel, *part;
    } cases[] = {{"poly", "'poly' | gram=nystrom"},
                 {"relu(depth=2)", "'relu' | gram=nystrom"},
                 {"rbf*linear", "gram=nystrom"},
                 {"center(rbf)", "'center' | gram=nystrom"},
                 {"rbf + ntk", "'ntk' | gram=nystrom"},
                 {"rbf(gamma=1e300)", "1e150 | 'rbf' | gram=nystrom"}, /* no file would be read that has such vectors */
                 {"linear + laplacian(sigma=1e-300)", "1e150 | 'laplacian' | gram=nystrom"}};
    for (size_t q = 0; q < sizeof cases / sizeof *cases; q++) {
        rkhs_model *m;
        rkhs_kernel *k;
        LOOK_AT("%s", cases[q].kernel);
        FINE(env, rkhs_kernel_new(env, cases[q].kernel, &k));
        FINE(env, rkhs_model_new(env, "kpca(gram=features)", &m));
        REFUSED(env, RKHS_ERR_SPEC, cases[q].part, rkhs_model_fit(m, k, x, NULL, NULL));
        HOLDS(strcmp(rkhs_env_subject(env), "gram") == 0);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, "kpca(gram=features)", &m));
    REFUSED(env, RKHS_ERR_SPEC, "vectors of numbers | string | gram=nystrom", rkhs_model_fit(m, NULL, words, NULL, NULL));
    rkhs_model_free(m);
    rkhs_data_free(words);
    rkhs_data_free(x);
}

/* The embedding of a model with 40 features of some gram is what transform gives, also after a copy and a file, and the
 * bits do not depend on threads. */
static void keeps_its_promises(rkhs_env *env, const rk_model_type *type, const char *gram, const rkhs_data *x,
                               const rkhs_data *fresh) {
    rk_mark mark = rk_scratch_mark(env);
    char spec[192], rest[64];
    rkhs_kernel *k;
    double *first = NULL, *Z = numbers(env, 2 * N * 2), *Y = numbers(env, 2 * N * 2);
    rkhs_data *y = fixture_supervision(env, type, x, 2);
    snprintf(rest, sizeof rest, "gram=%s(count=40)", gram);
    fixture_spec(spec, sizeof spec, type, 2, rest);
    LOOK_AT("%s", spec);
    FINE(env, rkhs_kernel_new(env, "rbf", &k));
    for (int threads = 1; threads <= 4; threads *= 2) {
        rkhs_model *m, *copy, *loaded;
        int64_t dim;
        FINE(env, rkhs_env_set_threads(env, threads));
        FINE(env, rkhs_model_new(env, spec, &m));
        FINE(env, rkhs_model_fit(m, k, x, y, NULL));
        const double *own = rkhs_model_embedding(m, NULL, &dim);
        HOLDS(type->need.offers ? m->map->features && m->map->width >= 40 : !m->map->features);
        FINE(env, rkhs_model_transform(m, x, Z, dim));
        near_all("transform of the training rows", Z, own, N * dim, 1e-9);
        FINE(env, rkhs_model_transform(m, fresh, Z, dim));
        if (!first) first = memcpy(numbers(env, 2 * N * dim), Z, (size_t)(2 * N * dim) * sizeof *Z);
        same_bits("threads", Z, first, 2 * N * dim);
        FINE(env, rkhs_model_copy(m, &copy));
        FINE(env, rkhs_model_transform(copy, fresh, Y, dim));
        same_bits("a copy", Y, Z, 2 * N * dim);
        FINE(env, rkhs_model_save(m, "features.rkhs"));
        FINE(env, rkhs_model_load(env, "features.rkhs", &loaded));
        FINE(env, rkhs_model_transform(loaded, fresh, Y, dim));
        same_bits("a file", Y, Z, 2 * N * dim);
        rkhs_model_free(loaded);
        rkhs_model_free(copy);
        rkhs_model_free(m);
    }
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    rk_scratch_release(env, mark);
}

/* Every gram with features that are no kernel values, with every model that takes features, or needs no Gram and says
 * that they are not used. */
static void models_with_features_keep_their_promises(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N), *fresh = fixture_data(env, "small", 2 * N);
    for (const rk_entry *const *g = rk_grams.entries; *g; g++)
        for (const rk_entry *const *e = rk_models.entries; *e; e++) {
            unsigned needs = ((const rk_model_type *)*e)->need.offers, offers = ((const rk_gram_type *)*g)->offers;
            if (offers != RK_FEATURES || (needs && !(needs & RK_FEATURES))) continue;
            keeps_its_promises(env, (const rk_model_type *)*e, (*g)->name, x, fresh);
        }
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

/* Images, and the same numbers as vectors: the same bits, from files and in updates too. */
static void images_have_the_features_of_their_numbers(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x[2] = {fixture_data(env, "images", N), NULL};
    double Z[2][N * 2];
    int64_t ld;
    const double *values = rkhs_data_values(x[0], &ld);
    FINE(env, rkhs_data_dense(env, values, N, x[0]->columns, ld, &x[1]));
    for (int t = 0; t < 2; t++) {
        rkhs_kernel *k;
        rkhs_model *m, *loaded;
        LOOK_AT("%s data", rkhs_data_kind(x[t]));
        FINE(env, rkhs_kernel_new(env, "rbf(sigma=3)", &k));
        FINE(env, rkhs_model_new(env, "kpca(dim=2, gram=features(count=40))", &m));
        FINE(env, rkhs_model_fit(m, k, x[t], NULL, NULL));
        FINE(env, rkhs_model_save(m, "features.rkhs"));
        FINE(env, rkhs_model_load(env, "features.rkhs", &loaded));
        FINE(env, rkhs_model_update(loaded, x[t], NULL));
        FINE(env, rkhs_model_transform(loaded, x[t], Z[t], 2));
        rkhs_model_free(loaded);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    same_bits("images and vectors", Z[0], Z[1], N * 2);
    for (int t = 0; t < 2; t++) rkhs_data_free(x[t]);
}

/* Far from 0, w'x is as large as numbers are, and features are still those of a wave. */
static void features_of_far_objects_have_the_length_of_all_others(void **state) {
    rkhs_env *env = *state;
    static const double far[] = {1, -2, 1e10, 3, 1e15, -1e16, 1e17, 1e20, -1e40, 5, 1e149, -1e149};
    rkhs_data *x;
    rkhs_kernel *k;
    rk_spec *spec;
    int64_t ld;
    FINE(env, rkhs_data_dense(env, far, 6, 2, 2, &x));
    FINE(env, rkhs_kernel_new(env, "rbf(gamma=1)", &k));
    rk_gram *g = features_of(env, k, x, "features(count=40)", &spec);
    const double *Phi = rk_gram_phi(g, &ld);
    for (int64_t i = 0; i < 6; i++) {
        double length = rk_norm(g->rank, Phi + i * ld);
        if (!(fabs(length - 1) < 1e-12)) fail_msg("features of object %d have length %g", (int)i, length);
    }
    rk_gram_free(g);
    rk_spec_free(env, spec);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

/* With random features an explanation is a sum over the objects that the model keeps: all of it gives z(x). */
static void an_explanation_is_the_whole_map(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"kpca(dim=1, gram=features(count=40))", "kpca(dim=1, gram=features(count=200))"};
    for (int t = 0; t < 2; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x = fixture_data(env, "wide", N), *fresh = fixture_data(env, "wide", 10);
        rkhs_model *m;
        double Z[10], *influence = numbers(env, 10 * 2 * N);
        int64_t *object = wholes(env, 10 * 2 * N);
        LOOK_AT("%s", specs[t]);
        FINE(env, rkhs_model_new(env, specs[t], &m));
        FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
        FINE(env, rkhs_model_transform(m, fresh, Z, 1));
        FINE(env, rkhs_model_explain(m, fresh, N, object, influence));
        for (int64_t i = 0; i < 10; i++) { /* in one dimension influences are the terms of the sum */
            double pulls = 0, pushes = 0;
            for (int64_t q = 0; q < N; q++) pulls += influence[i * 2 * N + q], pushes += influence[i * 2 * N + N + q];
            double z = fabs(Z[i] - m->map->c[0]);
            if (!(fabs(pulls - pushes - z) <= 1e-5 * (pulls + pushes)))
                fail_msg("%s: row %lld: pulls %g, pushes %g, |z - c| %g", context, (long long)i, pulls, pushes, z);
        }
        rkhs_model_free(m);
        rkhs_data_free(fresh);
        rkhs_data_free(x);
        rk_scratch_release(env, mark);
    }
}

/* ---- sparse rows and bits ---------------------------------------------------------------------------------------- */

/* The same rows as dense numbers. */
static rkhs_data *as_dense(rkhs_env *env, const rkhs_data *x) {
    double *values;
    rkhs_data *dense;
    FINE(env, rk_data_dense_new(env, x->rows, x->columns, &values, &dense));
    for (int64_t i = 0; i < x->rows; i++) HOLDS(rkhs_data_row(x, i, values + i * x->columns));
    return dense;
}

static void features_of_other_vectors_are_those_of_dense_ones(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 300 }; /* more than a tile */
    static const char *const sets[] = {"sparse", "bits", "images"}, *const more[] = {"linear", "0.5*linear + rbf(sigma=2)",
                                                                                     "2*linear[3,1] + cauchy(sigma=1)[0:7]"};
    for (int t = 0; t < 3; t++) {
        rkhs_data *x = fixture_data(env, sets[t], ALL), *dense = as_dense(env, x);
        for (size_t q = 0; q < 13 + 3; q++) {
            rk_mark mark = rk_scratch_mark(env);
            const char *text = q < 13 ? kernels[q] : more[q - 13];
            rkhs_kernel *k;
            rk_spec *spec[2];
            int64_t ld, ldd;
            LOOK_AT("features of %s on %s", text, sets[t]);
            FINE(env, rkhs_kernel_new(env, text, &k));
            if (rk_kernel_kinds(k) & x->type->kind) {
                rk_gram *a = features_of(env, k, x, "features(count=600)", &spec[0]);
                rk_gram *b = features_of(env, k, dense, "features(count=600)", &spec[1]);
                const double *Phi = rk_gram_phi(a, &ld), *wanted = rk_gram_phi(b, &ldd);
                HOLDS(a->rank == b->rank && ld == ldd);
                /* cos of w'x, where the w of laplacian are Cauchy numbers, some of them large */
                near_all("Phi", Phi, wanted, ALL * ld, strstr(text, "laplacian") ? 1e-10 : 1e-12);
                if (t) same_bits("Phi of bits or images", Phi, wanted, ALL * ld);
                double *some = numbers(env, 5 * ld); /* rows that are no tile */
                FINE(env, rk_features_rows(env, NULL, a->features, a->rows, 37, 5, some, ld));
                same_bits("some rows", some, Phi + 37 * ld, 5 * ld);
                for (int i = 0; i < 2; i++) rk_gram_free(i ? b : a), rk_spec_free(env, spec[i]);
            }
            rkhs_kernel_free(k);
            rk_scratch_release(env, mark);
        }
        rkhs_data_free(dense);
        rkhs_data_free(x);
    }
}

/* What a fitted model gives for new rows. */
typedef struct answers {
    double *Z, *moved, *scores, *influence;
    int64_t *object;
} answers;

static answers answers_of(rkhs_env *env, rkhs_model *m, const rkhs_data *fresh, const rkhs_data *added) {
    int64_t n = fresh->rows;
    answers a = {numbers(env, n * 2), numbers(env, n * 2), numbers(env, n), numbers(env, n * 6), wholes(env, n * 6)};
    FINE(env, rkhs_model_transform(m, fresh, a.Z, 2));
    FINE(env, rkhs_model_anomaly(m, fresh, "error", a.scores));
    FINE(env, rkhs_model_explain(m, fresh, 3, a.object, a.influence));
    FINE(env, rkhs_model_update(m, added, NULL));
    FINE(env, rkhs_model_transform(m, fresh, a.moved, 2));
    return a;
}

/* Fits on sparse rows or bits, and on the same rows as numbers: all that a model gives is the same, for new rows of
 * either form, and after a file. */
static void models_of_sparse_rows_and_bits_are_those_of_dense_ones(void **state) {
    rkhs_env *env = *state;
    enum { NEW = 20 };
    static const char *const sets[] = {"sparse", "bits"}, *const more[] = {"rbf(sigma=6)", "linear",
                                                                           "0.1*linear + laplacian(sigma=40)"};
    for (int t = 0; t < 6; t++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *x[2], *fresh[2], *added[2];
        rkhs_model *m[2], *loaded, *other;
        rkhs_kernel *k;
        double Z[2] = {0}, *Y = numbers(env, NEW * 2);
        LOOK_AT("kpca of %s on %s", more[t / 2], sets[t % 2]);
        FINE(env, rkhs_kernel_new(env, more[t / 2], &k));
        for (int i = 0; i < 2; i++) {
            x[i] = fixture_data(env, sets[t % 2], 280), fresh[i] = fixture_data(env, sets[t % 2], NEW);
            added[i] = fixture_data(env, sets[t % 2], 30);
            rkhs_data **all[] = {&x[i], &fresh[i], &added[i]};
            for (int q = 0; i && q < 3; q++) {
                rkhs_data *dense = as_dense(env, *all[q]);
                rkhs_data_free(*all[q]);
                *all[q] = dense;
            }
            FINE(env, rkhs_model_new(env, "kpca(dim=2, gram=features(count=80))", &m[i]));
            FINE(env, rkhs_model_fit(m[i], k, x[i], NULL, NULL));
        }
        near_all("Z", rkhs_model_embedding(m[0], NULL, NULL), rkhs_model_embedding(m[1], NULL, NULL), 280 * 2, 1e-12);
        FINE(env, rkhs_model_save(m[0], "sparse.rkhs"));
        FINE(env, rkhs_model_load(env, "sparse.rkhs", &loaded));
        FINE(env, rkhs_model_copy(m[0], &other));
        answers a = answers_of(env, m[0], fresh[0], added[0]), b = answers_of(env, m[1], fresh[1], added[1]);
        near_all("new rows", a.Z, b.Z, NEW * 2, 1e-12);
        near_all("anomaly", a.scores, b.scores, NEW, 1e-9); /* a distance, from its square */
        near_all("influences", a.influence, b.influence, NEW * 6, 1e-6);
        near_all("new rows after an update", a.moved, b.moved, NEW * 2, 1e-11);
        FINE(env, rkhs_model_transform(loaded, fresh[0], Y, 2));
        same_bits("a file", Y, a.Z, NEW * 2);
        FINE(env, rkhs_model_transform(loaded, fresh[1], Y, 2)); /* dense rows become what the model keeps */
        same_bits("dense rows", Y, a.Z, NEW * 2);
        FINE(env, rkhs_model_transform(other, fresh[0], Y, 2));
        same_bits("a copy", Y, a.Z, NEW * 2);
        FINE(env, rkhs_model_update(loaded, added[1], NULL));
        FINE(env, rkhs_model_transform(loaded, fresh[0], Y, 2));
        near_all("an update by dense rows", Y, a.moved, NEW * 2, 1e-12);
        rkhs_data *back;
        if (t % 2) {
            FINE(env, rkhs_model_inverse(other, Z, 1, 2, &back));
            HOLDS(back->type->kind == RK_KIND_BITS && back->columns == x[0]->columns);
            rkhs_data_free(back);
        } else {
            REFUSED(env, RKHS_ERR_DATA, "no inverse for sparse", rkhs_model_inverse(other, Z, 1, 2, &back));
        }
        rkhs_model_free(other);
        rkhs_model_free(loaded);
        for (int i = 0; i < 2; i++)
            rkhs_model_free(m[i]), rkhs_data_free(x[i]), rkhs_data_free(fresh[i]), rkhs_data_free(added[i]);
        rkhs_kernel_free(k);
        rk_scratch_release(env, mark);
    }
}

/* Rows of 20 numbers in many columns. */
static rkhs_data *wide_rows(rkhs_env *env, int64_t n, int64_t columns) {
    enum { EACH = 20 };
    double *values;
    int32_t *at;
    int64_t *starts;
    rkhs_data *x;
    FINE(env, rk_data_sparse_new(env, n, columns, n * EACH, &values, &at, &starts, &x));
    for (int64_t i = 0; i <= n; i++) starts[i] = i * EACH;
    for (int64_t q = 0; q < n * EACH; q++) {
        double u = rk_uniform(3, RK_STREAM_TEST, (uint64_t)q, 0);
        values[q] = rk_normal(4, RK_STREAM_TEST, (uint64_t)q, 0);
        at[q] = (int32_t)((q % EACH * columns + (int64_t)(u * 100)) / EACH);
    }
    return x;
}

/* 100,000 columns: the vectors are what there is to hold, and are refused where they do not fit. */
static void many_columns_take_the_memory_of_the_vectors(void **state) {
    rkhs_env *env = *state;
    enum { ALL = 200, COLUMNS = 100000, COUNT = 60 };
    const double vectors = 8.0 * COLUMNS * COUNT / 2;
    rkhs_data *x = wide_rows(env, ALL, COLUMNS);
    double error = kernel_error(env, "rbf(sigma=6)", "features(count=60)", x, 3);
    HOLDS(error < 0.15);
    static const struct {
        const char *kernel, *gram, *part;
    } large[] = {{"rbf(sigma=6)", "features(count=60)", "30 random vectors of 100000 columns | 24.0 MB"},
                 {"rbf(sigma=6)[0:100000]", "features(count=60)", "30 random vectors of 100000 columns | 48.0 MB"},
                 {"linear", "features(count=60)", "100000 random vectors of 100000 columns | 80.0 GB"}};
    for (int t = 0; t < 3; t++) {
        rk_spec *spec;
        rk_gram *g;
        rkhs_kernel *k;
        LOOK_AT("%s of %s", large[t].gram, large[t].kernel);
        FINE(env, rkhs_kernel_new(env, large[t].kernel, &k));
        FINE(env, rk_spec_new(env, &rk_grams, large[t].gram, &spec));
        if (t == 0) {
            size_t used = env->used;
            env->peak = used;
            FINE(env, rk_gram_new(env, spec, k, x, &g));
            HOLDS((double)(rkhs_env_memory_peak(env) - used) < 1.2 * vectors);
            rk_gram_free(g);
        }
        size_t used = env->used;
        FINE(env, rkhs_env_set_memory(env, used + (size_t)(0.9 * vectors)));
        env->peak = used;
        REFUSED(env, RKHS_ERR_MEMORY, large[t].part, rk_gram_new(env, spec, k, x, &g));
        HOLDS(says(rkhs_env_message(env), "gram=nystrom") && strcmp(rkhs_env_subject(env), "gram") == 0);
        HOLDS(env->used == used && (double)(rkhs_env_memory_peak(env) - used) < 0.1 * vectors);
        FINE(env, rkhs_env_set_memory(env, 0));
        rk_begin_call(env);
        rk_spec_free(env, spec);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(the_error_falls_with_the_root_of_the_count),
        ENV_TEST(orthogonal_vectors_have_a_smaller_error),
        ENV_TEST(features_of_linear_are_exact),
        ENV_TEST(what_has_no_random_features_is_refused_with_a_way),
        ENV_TEST(models_with_features_keep_their_promises),
        ENV_TEST(images_have_the_features_of_their_numbers),
        ENV_TEST(features_of_far_objects_have_the_length_of_all_others),
        ENV_TEST(an_explanation_is_the_whole_map),
        ENV_TEST(features_of_other_vectors_are_those_of_dense_ones),
        ENV_TEST(models_of_sparse_rows_and_bits_are_those_of_dense_ones),
        ENV_TEST(many_columns_take_the_memory_of_the_vectors),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
