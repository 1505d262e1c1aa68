/* Models of more objects than features are stored for (rk_sample_rows): they fit as with features stored, transform of
 * the training rows is the embedding, and neither threads nor a file change a bit. */
#include "trials.h"

enum { N = 10300, P = 5, DIM = 3, LANDMARKS = 40 };

static const struct model {
    const char *spec, *name;
} models[] = {
    {"kpca(dim=3, gram=nystrom(landmarks=40))", "kpca"},
    {"krr(ridge=0.1, gram=nystrom(landmarks=40))", "krr"},
    {"lpp(dim=3, neighbours=8, gram=nystrom(landmarks=40))", "lpp"},
    {"npe(dim=3, neighbours=8, gram=nystrom(landmarks=40))", "npe"},
    {"contrastive(dim=3, gram=nystrom(landmarks=40))", "contrastive"},
    {"spectral(dim=3, gram=nystrom(landmarks=40), solver=lbfgs(max_iter=10))", "spectral"},
    {NULL, NULL},
};

/* Four crowds of unequal spread in five columns. */
static rkhs_data *crowds(rkhs_env *env) {
    double *values;
    rkhs_data *x;
    FINE(env, rk_data_dense_new(env, N, P, &values, &x));
    for (int64_t i = 0; i < N; i++)
        for (int64_t c = 0; c < P; c++) {
            double normal = rk_normal(9, RK_STREAM_TEST, (uint64_t)i, (uint64_t)c);
            values[i * P + c] = normal * (0.6 + 0.2 * (double)c) + (c < 2 ? (double)((i >> c) % 2 * (3 - c)) : 0);
        }
    return x;
}

static const rk_model_type *type_of(const char *name) {
    for (const rk_entry *const *e = rk_models.entries; *e; e++)
        if (strcmp((*e)->name, name) == 0) return (const rk_model_type *)*e;
    return NULL;
}

static rkhs_model *fit(rkhs_env *env, const struct model *of, const rkhs_kernel *k, const rkhs_data *x, const rkhs_data *y) {
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, of->spec, &m));
    FINE(env, rkhs_model_fit(m, k, x, y, NULL));
    return m;
}

/* ---- what the embedding satisfies ------------------------------------------------------------------------------ */

/* out (a x b) = A'B over rows, by a plain loop. */
static void products_of(const double *A, int64_t a, const double *B, int64_t b, double *out) {
    memset(out, 0, (size_t)(a * b) * sizeof *out);
    for (int64_t i = 0; i < N; i++)
        for (int64_t p = 0; p < a; p++)
            for (int64_t q = 0; q < b; q++) out[p * b + q] += A[i * a + p] * B[i * b + q];
}

/* Columns of kpca are centred and orthogonal, their squares the eigenvalues. */
static void check_kpca(const rkhs_model *m) {
    double S[DIM * DIM], wanted[DIM * DIM] = {0};
    const double *Z = rkhs_model_embedding(m, NULL, NULL), *l = item_of(m, "eigenvalues").values;
    products_of(Z, DIM, Z, DIM, S);
    for (int c = 0; c < DIM; c++) wanted[c * DIM + c] = l[c];
    near_all("Z'Z", S, wanted, DIM * DIM, 1e-11);
    for (int c = 0; c < DIM; c++) {
        double sum = 0;
        for (int64_t i = 0; i < N; i++) sum += Z[i * DIM + c];
        HOLDS(fabs(sum) <= 1e-9 * sqrt(l[c] * N));
    }
}

/* Phi'(T - Z) = ridge W for krr, W the coefficients of the map. */
static void check_krr(rkhs_env *env, const rkhs_model *m, const rk_gram *g, const rkhs_data *y) {
    int64_t ld, r = g->rank;
    const double *Phi = rk_gram_phi(g, &ld), *T = rkhs_data_values(y, &ld), *Z = rkhs_model_embedding(m, NULL, NULL);
    double *left = numbers(env, r * DIM), *W = numbers(env, r * DIM), *rest = numbers(env, N * DIM);
    HOLDS(g->ldp == r && m->map->object_count == g->map_count);
    for (int64_t i = 0; i < N * DIM; i++) rest[i] = T[i] - Z[i];
    products_of(Phi, r, rest, DIM, left);
    FINE(env, rk_gram_from_map(g, m->map->B, DIM, W));
    for (int64_t i = 0; i < r * DIM; i++) W[i] *= 0.1;
    near_all("Phi'(T - Z) and ridge W", left, W, r * DIM, 1e-7);
}

/* ---- tests ----------------------------------------------------------------------------------------------------- */

static void models_of_many_objects_fit_as_with_stored_features(void **state) {
    rkhs_env *env = *state;
    subject s = {.x = crowds(env)};
    s.use = s.x;
    LOOK_AT("crowds");
    FINE(env, rkhs_kernel_new(env, "rbf(gamma=0.1)", &s.kernel));
    built b = build(env, &s, "nystrom(landmarks=40)");
    HOLDS(!b.g->Phi && b.g->rank == LANDMARKS);
    FINE(env, rk_gram_store_features(b.g));
    for (const struct model *of = models; of->spec; of++) {
        rk_mark mark = rk_scratch_mark(env);
        rkhs_data *y = fixture_supervision(env, type_of(of->name), s.x, DIM);
        double *Z = numbers(env, N * DIM), *Y = numbers(env, N * DIM), *first = NULL;
        rkhs_model *m = NULL, *loaded;
        for (int threads = 1; threads <= 4; threads *= 2) {
            LOOK_AT("%s on %d threads", of->spec, threads);
            FINE(env, rkhs_env_set_threads(env, threads));
            rkhs_model_free(m);
            m = fit(env, of, s.kernel, s.x, y);
            FINE(env, rkhs_model_save(m, threads == 1 ? "a.rkhs" : "b.rkhs"));
            if (threads > 1) same_files(env, "a.rkhs", "b.rkhs");
            FINE(env, rkhs_model_transform(m, s.x, Y, DIM));
            if (first) same_bits("transform", Y, first, N * DIM);
            if (!first) first = memcpy(numbers(env, N * DIM), Y, N * DIM * sizeof *Y);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        LOOK_AT("%s", of->spec);
        const double *embedding = rkhs_model_embedding(m, NULL, NULL);
        for (int64_t c = 0; c < DIM; c++) HOLDS(embedding[c] != 0);
        near_all("transform of the training rows", Y, embedding, N * DIM, 1e-9);
        FINE(env, rkhs_model_load(env, "a.rkhs", &loaded));
        FINE(env, rkhs_model_transform(loaded, s.x, Z, DIM));
        same_bits("transform of a model that was read", Z, Y, N * DIM);
        rkhs_model_free(loaded);
        FINE(env, fit_on_gram(env, of->spec, b.g, y, DIM, Z));
        near_up_to_signs(env, embedding, Z, N, DIM, 1e-8);
        if (strcmp(of->name, "kpca") == 0) check_kpca(m);
        if (strcmp(of->name, "krr") == 0) check_krr(env, m, b.g, y);
        rkhs_model_free(m);
        rkhs_data_free(y);
        rk_scratch_release(env, mark);
    }
    unbuild(env, &b);
    rkhs_kernel_free(s.kernel);
    rkhs_data_free(s.x);
}

/* A descent goes over the features many times, and stores what it needs for that where it fits: with the same bits. */
static void a_descent_does_without_stored_features(void **state) {
    rkhs_env *env = *state;
    const struct model few = {"spectral(dim=3, gram=nystrom(landmarks=40), solver=lbfgs(max_iter=4))", "spectral"};
    rkhs_data *x = crowds(env), *y = fixture_supervision(env, type_of("spectral"), x, DIM);
    rkhs_kernel *k;
    LOOK_AT("%s in little memory", few.spec);
    FINE(env, rkhs_kernel_new(env, "rbf(gamma=0.1)", &k));
    size_t used = env->used, bytes = 8 * N * LANDMARKS;
    env->peak = used;
    rkhs_model *a = fit(env, &few, k, x, y);
    HOLDS(rkhs_env_memory_peak(env) - used > 2 * bytes);
    FINE(env, rkhs_env_set_memory(env, used + 3 * bytes));
    rkhs_model *b = fit(env, &few, k, x, y);
    FINE(env, rkhs_env_set_memory(env, 0));
    same_bits("an embedding", rkhs_model_embedding(b, NULL, NULL), rkhs_model_embedding(a, NULL, NULL), N * DIM);
    rkhs_model_free(b);
    rkhs_model_free(a);
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(models_of_many_objects_fit_as_with_stored_features),
        ENV_TEST(a_descent_does_without_stored_features),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
