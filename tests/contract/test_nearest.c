/* Nearest neighbours from the kernel, by tiles that are discarded: the same objects and bits as from a stored Gram, and
 * as from plain loops over it, for every number of objects, of threads, and every instruction set. */
#include "fixtures.h"

typedef struct lists {
    int64_t *index; /* n x k */
    double *value;
} lists;

static lists room_for(rkhs_env *env, int64_t n, int64_t k) { return (lists){wholes(env, n * k), numbers(env, n * k)}; }

static void same_lists(const char *what, lists a, lists b, int64_t n, int64_t k) {
    for (int64_t q = 0; q < n * k; q++)
        if (a.index[q] != b.index[q])
            fail_msg("%s: %s: neighbour %lld of %lld is %lld, not %lld", context, what, (long long)(q % k), (long long)(q / k),
                     (long long)a.index[q], (long long)b.index[q]);
    same_bits(what, a.value, b.value, n * k);
}

/* By plain loops: the nearest of those that are left, again and again. */
static lists brute(rkhs_env *env, const double *K, int64_t n, int64_t k) {
    lists found = room_for(env, n, k);
    double *near = numbers(env, n), *half = numbers(env, n), most = -INFINITY, least = INFINITY;
    for (int64_t i = 0; i < n; i++) most = fmax(most, K[i * n + i]), least = fmin(least, K[i * n + i]);
    int even = most - least <= 1e-12 * fmax(fabs(most), fabs(least));
    for (int64_t i = 0; i < n; i++) half[i] = K[i * n + i] / 2;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) near[j] = j == i ? -INFINITY : even ? K[i * n + j] : K[i * n + j] - half[j];
        for (int64_t q = 0; q < k; q++) {
            int64_t best = i == 0;
            for (int64_t j = best + 1; j < n; j++)
                if (near[j] > near[best]) best = j;
            found.index[i * k + q] = best;
            found.value[i * k + q] = even ? near[best] : near[best] + half[best];
            near[best] = -INFINITY;
        }
    }
    return found;
}

/* A subject as a gram that stores nothing. */
static rk_gram gram_on(rkhs_env *env, const subject *s) {
    return (rk_gram){.env = env, .kernel = s->kernel, .x = s->use, .n = s->use->rows, .bound = s->bound};
}

/* Neighbours from the stored K. */
static rkhs_status stored_neighbours(rk_gram g, const double *K, int64_t k, int64_t *index, double *value) {
    g.K = K;
    g.ldk = g.n;
    return rk_gram_neighbours(&g, k, index, value);
}

/* With 1, 2 and 4 threads, from the kernel and from the stored Gram. */
static void check_lists(rkhs_env *env, const subject *s, int64_t k, int with_brute) {
    rk_mark mark = rk_scratch_mark(env);
    rk_gram g = gram_on(env, s);
    double *K = subject_gram(env, s);
    lists stored = room_for(env, g.n, k), found = room_for(env, g.n, k);
    FINE(env, stored_neighbours(g, K, k, stored.index, stored.value));
    if (with_brute) same_lists("by plain loops", stored, brute(env, K, g.n, k), g.n, k);
    for (int threads = 1; threads <= 4; threads *= 2) {
        FINE(env, rkhs_env_set_threads(env, threads));
        FINE(env, rk_gram_neighbours(&g, k, found.index, found.value));
        same_lists(threads == 1 ? "1 thread" : threads == 2 ? "2 threads" : "4 threads", found, stored, g.n, k);
        FINE(env, stored_neighbours(g, K, k, found.index, found.value));
        same_lists("the stored Gram again", found, stored, g.n, k);
    }
    FINE(env, rkhs_env_set_threads(env, 1));
    rk_scratch_release(env, mark);
}

static void every_kernel_gives_the_lists_of_its_gram(void **state) {
    rkhs_env *env = *state;
    enum { N = 300 };
    for (pairing p = {.large = 1}; next_pairing(env, &p);) {
        subject s;
        subject_open(env, &p, N, &s);
        check_lists(env, &s, 7, 1);
        subject_close(env, &s);
    }
}

/* One object more or less than whole tiles; odd and even numbers of tile rows; all others as neighbours. */
static void any_number_of_objects_will_do(void **state) {
    rkhs_env *env = *state;
    static const int64_t sizes[] = {2, 3, 17, 63, 64, 65, 129, 255, 256, 257, 511, 512, 513, 769, 1025, 1300};
    static const char *const kernels[] = {"rbf", "linear", "poly(degree=3)"};
    for (int q = 0; q < (int)(sizeof sizes / sizeof *sizes) * 3; q++) {
        int64_t n = sizes[q / 3], counts[] = {1, rk_min(n - 1, 15), rk_min(n - 1, 48), rk_min(n - 1, 49), n - 1};
        subject s;
        subject_open(env, &(pairing){.text = kernels[q % 3], .data = "wide"}, n, &s);
        for (int c = 0; c < (n <= 513 ? 5 : 4); c++) {
            LOOK_AT("%s, n = %lld, k = %lld", kernels[q % 3], (long long)n, (long long)counts[c]);
            check_lists(env, &s, counts[c], n <= 129 || c == 1);
        }
        subject_close(env, &s);
    }
}

/* Rows that come many times, and rows that are all the same: ties go by index. */
static void equal_objects_come_by_index(void **state) {
    rkhs_env *env = *state;
    enum { N = 700, P = 4 };
    static const char *const kernels[] = {"rbf(gamma=0.1)", "linear", "rbf(gamma=1e6)"};
    static const int64_t distinct[] = {1, 10, 300}, counts[] = {6, 48, 80, N - 1};
    rk_mark mark = rk_scratch_mark(env);
    double *x = numbers(env, N * P), *rows = normals(env, N * P, 31);
    for (int q = 0; q < 9; q++) {
        subject s = {0};
        for (int64_t i = 0; i < N; i++) memcpy(x + i * P, rows + (i * 7919 % N) % distinct[q / 3] * P, P * sizeof *x);
        FINE(env, rkhs_data_dense(env, x, N, P, P, &s.x));
        FINE(env, rkhs_kernel_new(env, kernels[q % 3], &s.kernel));
        s.use = s.x;
        FINE(env, rk_bind(env, s.kernel, s.use, NULL, &s.bound));
        for (int c = 0; c < 4; c++) {
            LOOK_AT("%s, %lld distinct rows, k = %lld", kernels[q % 3], (long long)distinct[q / 3], (long long)counts[c]);
            check_lists(env, &s, counts[c], c == 0);
        }
        subject_close(env, &s);
    }
    rk_scratch_release(env, mark);
}

/* Tiles of a slow kernel have few rows. */
static void slow_kernels_have_many_tile_rows(void **state) {
    rkhs_env *env = *state;
    enum { N = 13, LONG = 3000 };
    static char text[N][LONG + 1];
    const char *strings[N];
    subject s = {0};
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < LONG; c++)
            text[i][c] = (char)('a' + (int)(4 * rk_uniform(5, RK_STREAM_TEST, (uint64_t)i, (uint64_t)c)));
        strings[i] = text[i];
    }
    FINE(env, rkhs_data_strings(env, strings, NULL, N, &s.x));
    FINE(env, rkhs_kernel_new(env, "ssk(p=2, normalize=false)", &s.kernel));
    s.use = s.x;
    FINE(env, rk_bind(env, s.kernel, s.use, NULL, &s.bound));
    HOLDS(rk_kernel_tile(s.bound, s.bound) < N);
    LOOK_AT("ssk on long strings");
    check_lists(env, &s, 5, 1);
    subject_close(env, &s);
}

static void instruction_sets_give_the_same_lists(void **state) {
    rkhs_env *env = *state;
    enum { N = 530, K = 15 };
    static const char *const kernels[] = {"rbf", "linear", "laplacian"};
    static const struct {
        const char *name;
        int set;
    } sets[] = {{"avx512", RK_AVX512}, {"avx2", RK_AVX2}, {"neon", RK_NEON}, {"plain", RK_PLAIN}};
    int best = rk_instructions();
    for (int q = 0; q < 3; q++) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        subject_open(env, &(pairing){.text = kernels[q], .data = "wide"}, N, &s);
        rk_gram g = gram_on(env, &s);
        lists first = room_for(env, N, K), found = room_for(env, N, K);
        FINE(env, rk_gram_neighbours(&g, K, first.index, first.value));
        for (int t = 0; t < 4; t++) {
            rk_set_instructions(sets[t].set);
            if (rk_instructions() != sets[t].set) continue;
            LOOK_AT("%s with %s", kernels[q], sets[t].name);
            check_lists(env, &s, K, 1);
            FINE(env, rk_gram_neighbours(&g, K, found.index, found.value));
            if (sets[t].set != RK_PLAIN) same_lists("the best instruction set", found, first, N, K);
            rk_set_instructions(best);
        }
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* Where there are enough others; else the kernel is said to overflow. */
static void nan_is_nobodys_neighbour(void **state) {
    rkhs_env *env = *state;
    enum { N = 270, MOST = 100 };
    rk_mark mark = rk_scratch_mark(env);
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, N, &s);
    rk_gram g = gram_on(env, &s);
    for (int64_t k = 5; k <= MOST; k += 95) {
        double *K = subject_gram(env, &s);
        lists found = room_for(env, N, k);
        LOOK_AT("k = %lld", (long long)k);
        for (int64_t j = 0; j < N - MOST - 1; j++) K[(N - 1) * N + j] = NAN;
        FINE(env, stored_neighbours(g, K, k, found.index, found.value));
        for (int64_t q = 0; q < k; q++) HOLDS(found.index[(N - 1) * k + q] >= N - MOST - 1);
        all_finite("values", found.value, N * k);
        for (int64_t j = 0; j < N - k; j++) K[(N - 1) * N + j] = NAN;
        REFUSED(env, RKHS_ERR_NUMERIC, "overflows", stored_neighbours(g, K, k, found.index, found.value));
        rk_begin_call(env);
    }
    subject_close(env, &s);
    rk_scratch_release(env, mark);
}

/* ---- progress -------------------------------------------------------------------------------------------------- */

typedef struct watcher {
    rkhs_env *env;
    int64_t calls, at, done, ends;
} watcher;

/* Called at every look: one stage that goes on and ends once; says stop at call number `at`. */
static int watch(const rkhs_progress *progress, void *payload) {
    watcher *w = payload;
    w->env->progress_last = -1e9;
    if (strcmp(progress->stage, "neighbours") == 0) {
        HOLDS(progress->done >= w->done && progress->done <= progress->total);
        w->ends += progress->done == progress->total && progress->done > w->done;
        w->done = progress->done;
    } else
        HOLDS(strcmp(progress->stage, "work") == 0);
    return ++w->calls == w->at;
}

static void the_search_is_one_stage_and_stops_at_every_look(void **state) {
    rkhs_env *env = *state;
    enum { N = 900, K = 4 };
    rk_mark mark = rk_scratch_mark(env);
    subject s;
    subject_open(env, &(pairing){.text = "rbf", .data = "small"}, N, &s);
    rk_gram g = gram_on(env, &s);
    lists found = room_for(env, N, K);
    for (int threads = 1; threads <= 4; threads += 3) {
        FINE(env, rkhs_env_set_threads(env, threads));
        rkhs_status status = RKHS_ERR_CANCELLED;
        for (int64_t at = 1; status != RKHS_OK; at++) {
            watcher w = {.env = env, .at = at};
            LOOK_AT("stopped at look %lld, %d threads", (long long)at, threads);
            rk_begin_call(env);
            rkhs_env_set_progress(env, watch, &w);
            env->progress_last = -1e9;
            rk_pool_free(env);
            size_t used = env->used;
            status = rk_gram_neighbours(&g, K, found.index, found.value);
            rkhs_env_set_progress(env, NULL, NULL);
            rk_pool_free(env);
            HOLDS(env->used == used);
            HOLDS(status == RKHS_ERR_CANCELLED ? w.calls == at : status == RKHS_OK && w.ends == 1 && w.calls < at);
        }
    }
    FINE(env, rkhs_env_set_threads(env, 1));
    subject_close(env, &s);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_kernel_gives_the_lists_of_its_gram),
        ENV_TEST(any_number_of_objects_will_do),
        ENV_TEST(equal_objects_come_by_index),
        ENV_TEST(slow_kernels_have_many_tile_rows),
        ENV_TEST(instruction_sets_give_the_same_lists),
        ENV_TEST(nan_is_nobodys_neighbour),
        ENV_TEST(the_search_is_one_stage_and_stops_at_every_look),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
