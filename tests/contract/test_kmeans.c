/* Landmarks by kernel k-means: one for each cluster, the object nearest to its mean; the same on any number of threads,
 * for every kind of data; never two equal ones. */
#include "fixtures.h"

/* ---- clusters that are known ------------------------------------------------------------------------------------- */

enum { CLUSTERS = 12, EACH = 25, ALL = CLUSTERS * EACH };

/* The row of a cluster that is nearest to its mean in feature space, from K (ALL x ALL). */
static int64_t nearest_to_mean(const double *K, int64_t cluster) {
    int64_t best = -1;
    long double least = INFINITY;
    for (int64_t i = cluster * EACH; i < (cluster + 1) * EACH; i++) {
        long double square = K[i * ALL + i];
        for (int64_t j = cluster * EACH; j < (cluster + 1) * EACH; j++) square -= 2.0L * K[i * ALL + j] / EACH;
        if (square < least) least = square, best = i;
    }
    return best;
}

static void each_cluster_gives_the_object_nearest_to_its_mean(void **state) {
    rkhs_env *env = *state;
    static const char *const kernels[] = {"rbf(sigma=150)", "linear", "laplacian(sigma=500)", "poly(degree=2, gamma=0.01)"};
    int found = 0, trials = 0;
    for (int t = 0; t < 4; t++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            rk_mark mark = rk_scratch_mark(env);
            double *x = normals(env, ALL * 12, 40 + (int)seed);
            subject s = {0};
            char seen[CLUSTERS] = {0};
            for (int64_t i = 0; i < ALL; i++) x[i * 12 + i / EACH] += 200;
            LOOK_AT("clusters with %s, seed %d", kernels[t], (int)seed);
            FINE(env, rkhs_env_set_seed(env, seed));
            FINE(env, rkhs_data_dense(env, x, ALL, 12, 12, &s.x));
            FINE(env, rkhs_kernel_new(env, kernels[t], &s.kernel));
            s.use = s.x;
            double *K = subject_gram(env, &s);
            built b = build(env, &s, "nystrom(landmarks=12, by=kmeans)");
            assert_int_equal(b.g->map_count, CLUSTERS);
            for (int64_t i = 0; i < CLUSTERS; i++) seen[b.g->map_rows[i] / EACH]++;
            int whole = 1; /* a seed may fall into a cluster that has one; k-means then stays at a local minimum */
            for (int64_t c = 0; c < CLUSTERS; c++) whole &= seen[c] == 1;
            for (int64_t i = 0; whole && i < CLUSTERS; i++)
                assert_int_equal(b.g->map_rows[i], nearest_to_mean(K, b.g->map_rows[i] / EACH));
            trials++;
            found += whole;
            unbuild(env, &b);
            subject_close(env, &s);
            rk_scratch_release(env, mark);
        }
    if (!(2 * found > trials)) fail_msg("k-means found the clusters %d times of %d", found, trials);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

static void landmarks_do_not_depend_on_threads(void **state) {
    rkhs_env *env = *state;
    static const pairing pairs[] = {
        {.text = "rbf(gamma=0.3)", .data = "small"},
        {.text = "center(rbf(gamma=0.3))", .data = "offset"},
        {.text = "spectrum(p=2)", .data = "strings"},
        {.text = "tanimoto", .data = "bits"},
        {.text = "wl(h=1)", .data = "graphs"},
        {.text = "rbf(gamma=0.1)", .data = "sparse"},
        {.text = "precomputed", .data = "gram"},
        {.text = "ssk(p=2)", .data = "strings"},
        {.text = "2*linear + rbf*cosine", .data = "wide"},
        {.text = NULL},
    };
    for (const pairing *p = pairs; p->text; p++) {
        enum { N = 530, M = 40 };
        int64_t first[M], count = 0;
        subject s;
        subject_open(env, p, N, &s);
        for (int threads = 1; threads <= 4; threads *= 2) {
            LOOK_AT("k-means of %s on %s, %d threads", p->text, p->data, threads);
            FINE(env, rkhs_env_set_threads(env, threads));
            built b = build(env, &s, "nystrom(landmarks=40, by=kmeans)");
            HOLDS(b.g->map_count >= 1 && b.g->map_count <= M);
            if (threads == 1) memcpy(first, b.g->map_rows, (size_t)(count = b.g->map_count) * sizeof *first);
            assert_int_equal(b.g->map_count, count);
            assert_memory_equal(first, b.g->map_rows, (size_t)count * sizeof *first);
            for (int64_t i = 0; i < count; i++)
                for (int64_t j = 0; j < i; j++) HOLDS(first[i] != first[j]);
            unbuild(env, &b);
        }
        FINE(env, rkhs_env_set_threads(env, 1));
        subject_close(env, &s);
    }
}

/* Of many objects it looks at a sample; memory stays far below that of a factor of all. */
static void many_objects_are_sampled(void **state) {
    rkhs_env *env = *state;
    enum { N = 10300, M = 8 };
    int64_t first[M];
    subject s;
    subject_open(env, &(pairing){.text = "linear", .data = "column"}, N, &s);
    for (int threads = 1; threads <= 4; threads *= 4) {
        LOOK_AT("k-means of %d objects, %d threads", N, threads);
        FINE(env, rkhs_env_set_threads(env, threads));
        size_t used = env->used;
        env->peak = used;
        built b = build(env, &s, "nystrom(landmarks=8, by=kmeans)");
        HOLDS(rkhs_env_memory_peak(env) - used < (size_t)(threads * 3 + 3) * 1000000);
        HOLDS(!b.g->Phi && b.g->map_count == 1); /* one column: a rank of 1 */
        if (threads == 1) memcpy(first, b.g->map_rows, sizeof *first);
        assert_memory_equal(first, b.g->map_rows, sizeof *first);
        unbuild(env, &b);
    }
    FINE(env, rkhs_env_set_threads(env, 1));
    subject_close(env, &s);
}

/* ---- objects that are equal -------------------------------------------------------------------------------------- */

/* The first of some objects, in turn. */
static void repeat(rkhs_env *env, const pairing *p, int64_t distinct, int64_t n, subject *s) {
    int64_t *index = wholes(env, n);
    rkhs_data *x = fixture_data(env, p->data, 60);
    for (int64_t i = 0; i < n; i++) index[i] = i % distinct;
    memset(s, 0, sizeof *s);
    FINE(env, rk_data_subset(x, index, n, &s->x));
    FINE(env, rkhs_kernel_new(env, p->text, &s->kernel));
    s->use = s->x;
    rkhs_data_free(x);
}

static void equal_objects_have_one_landmark(void **state) {
    rkhs_env *env = *state;
    static const pairing pairs[] = {
        {.text = "rbf(gamma=2)", .data = "small"},
        {.text = "laplacian(gamma=2)", .data = "wide"},
        {.text = "ssk(p=2)", .data = "strings"},
        {.text = "tanimoto", .data = "bits"},
        {.text = "wl(h=1)", .data = "graphs"},
        {.text = "rbf(gamma=1)", .data = "sparse"},
        {.text = NULL},
    };
    static const int64_t distinct[] = {1, 2, 5};
    for (const pairing *p = pairs; p->text; p++)
        for (int t = 0; t < 3; t++)
            for (int q = 0; q < 2; q++) {
                rk_mark mark = rk_scratch_mark(env);
                subject s;
                char seen[8] = {0};
                LOOK_AT("%lld distinct objects, %s on %s", (long long)distinct[t], p->text, p->data);
                repeat(env, p, distinct[t], 300, &s);
                built b = build(env, &s, q ? "nystrom(by=kmeans)" : "nystrom(landmarks=30, by=kmeans)");
                HOLDS(b.g->map_count >= 1 && b.g->map_count <= distinct[t]);
                for (int64_t i = 0; i < b.g->map_count; i++) HOLDS(!seen[b.g->map_rows[i] % distinct[t]]++);
                unbuild(env, &b);
                subject_close(env, &s);
                rk_scratch_release(env, mark);
            }
}

static void objects_without_length_are_refused(void **state) {
    rkhs_env *env = *state;
    double x[40] = {0};
    rkhs_data *data;
    rkhs_kernel *k;
    rk_spec *spec;
    rk_gram *g;
    LOOK_AT("zeros");
    FINE(env, rkhs_data_dense(env, x, 20, 2, 2, &data));
    FINE(env, rkhs_kernel_new(env, "linear", &k));
    FINE(env, rk_spec_new(env, &rk_grams, "nystrom(landmarks=5, by=kmeans)", &spec));
    REFUSED(env, RKHS_ERR_NUMERIC, "k(x,x) above 0", rk_gram_new(env, spec, k, data, &g));
    rk_spec_free(env, spec);
    rkhs_kernel_free(k);
    rkhs_data_free(data);
}

/* ---- kernels that are not positive semi-definite ----------------------------------------------------------------- */

/* As with other landmarks: what cannot be the Gram of a positive semi-definite kernel is refused where it shows. */
static void indefinite_kernels_end_in_landmarks_or_are_refused(void **state) {
    rkhs_env *env = *state;
    static const pairing pairs[] = {{.text = "sigmoid(gamma=2, coef0=-1)", .data = "small"},
                                    {.text = "align(rbf(gamma=1))", .data = "images"}};
    for (int t = 0; t < 2; t++) {
        enum { N = 60, M = 10 };
        rk_gram g = {.env = env};
        int64_t index[M], count;
        char seen[N] = {0};
        subject s;
        LOOK_AT("%s on %s", pairs[t].text, pairs[t].data);
        subject_open(env, &pairs[t], N, &s);
        g.kernel = s.kernel;
        FINE(env, rk_bind(env, s.kernel, s.use, NULL, &g.bound));
        rkhs_status status = rk_kernel_kmeans(&g, g.bound, M, index, &count);
        if (status != RKHS_OK) {
            REFUSED(env, RKHS_ERR_NUMERIC, "not positive semi-definite | gram=exact", status);
            count = 0;
        }
        HOLDS(status != RKHS_OK || (count >= 1 && count <= M));
        for (int64_t i = 0; i < count; i++) HOLDS(index[i] >= 0 && index[i] < N && !seen[index[i]]++);
        rk_unbind(env, g.bound);
        subject_close(env, &s);
    }
}

/* ---- what it is for ---------------------------------------------------------------------------------------------- */

/* tr(K - Phi Phi') of normal numbers, where no object stands out. */
static void means_explain_more_than_objects_at_random(void **state) {
    rkhs_env *env = *state;
    enum { N = 600, SEEDS = 5 };
    rk_mark mark = rk_scratch_mark(env);
    static const char *const grams[] = {"nystrom(landmarks=40, by=uniform)", "nystrom(landmarks=40, by=kmeans)"};
    double left[2] = {0}, *x = normals(env, N * 6, 51);
    subject s = {0};
    LOOK_AT("normal numbers");
    FINE(env, rkhs_data_dense(env, x, N, 6, 6, &s.x));
    FINE(env, rkhs_kernel_new(env, "rbf(sigma=3)", &s.kernel));
    s.use = s.x;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int t = 0; t < 2; t++) {
            int64_t ld;
            FINE(env, rkhs_env_set_seed(env, seed));
            built b = build(env, &s, grams[t]);
            const double *Phi = rk_gram_phi(b.g, &ld);
            for (int64_t i = 0; i < N; i++) left[t] += 1 - rk_dot(b.g->rank, Phi + i * ld, Phi + i * ld);
            unbuild(env, &b);
        }
    if (!(left[1] < 0.95 * left[0])) fail_msg("uniform leaves %g, kmeans %g", left[0], left[1]);
    subject_close(env, &s);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(each_cluster_gives_the_object_nearest_to_its_mean),
        ENV_TEST(landmarks_do_not_depend_on_threads),
        ENV_TEST(many_objects_are_sampled),
        ENV_TEST(equal_objects_have_one_landmark),
        ENV_TEST(objects_without_length_are_refused),
        ENV_TEST(indefinite_kernels_end_in_landmarks_or_are_refused),
        ENV_TEST(means_explain_more_than_objects_at_random),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
