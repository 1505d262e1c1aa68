/* The pool: every tile once, errors and cancelling come back, a fork and several envs do no harm. */
#include "env.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TILES = 1000 };
static const int thread_counts[] = {1, 2, 4, 7};

typedef struct loop {
    _Atomic int done[TILES];
    _Atomic int on[16];            /* tiles that each worker took */
    _Atomic int inside[16], twice; /* whether a worker is in two tiles at a time */
    _Atomic int total;
    int64_t bad; /* the tile that fails, or -1 */
    int wait;    /* microseconds in each tile */
} loop;

static rkhs_status tile_of(void *context, int64_t tile, int worker) {
    loop *l = context;
    if (tile < 0 || tile >= TILES || worker < 0 || worker >= 16) return RKHS_ERR_BUG;
    if (atomic_fetch_add(&l->inside[worker], 1)) atomic_store(&l->twice, 1);
    if (l->wait) usleep((useconds_t)l->wait);
    atomic_fetch_add(&l->done[tile], 1);
    atomic_fetch_add(&l->on[worker], 1);
    atomic_fetch_add(&l->total, 1);
    atomic_fetch_sub(&l->inside[worker], 1);
    return tile == l->bad ? RKHS_ERR_NUMERIC : RKHS_OK;
}

static loop *loop_new(void) {
    loop *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->bad = -1;
    return l;
}

static void every_tile_runs_once_on_any_number_of_threads(void **state) {
    rkhs_env *env = *state;
    static const int64_t counts[] = {0, 1, 2, 3, 7, 100, TILES};
    for (size_t t = 0; t < 4; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        assert_int_equal(rk_workers(env), thread_counts[t]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (int again = 0; again < 20; again++) { /* one pool, many loops */
                loop *l = loop_new();
                OK(env, rk_parallel(env, NULL, counts[c], tile_of, l));
                for (int64_t i = 0; i < TILES; i++) assert_int_equal(l->done[i], i < counts[c]);
                for (int w = thread_counts[t]; w < 16; w++) assert_int_equal(l->on[w], 0);
                assert_false(l->twice);
                free(l);
            }
        }
    }
}

static void all_workers_take_part(void **state) {
    rkhs_env *env = *state;
    for (size_t t = 0; t < 4; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        loop *l = loop_new();
        l->wait = 1000;
        OK(env, rk_parallel(env, NULL, 100, tile_of, l));
        for (int w = 0; w < thread_counts[t]; w++) assert_true(l->on[w] > 0);
        assert_false(l->twice);
        free(l);
    }
}

static void an_error_in_a_tile_comes_back_and_stops_the_loop(void **state) {
    rkhs_env *env = *state;
    static const int64_t bad[] = {0, 5, TILES - 1};
    for (size_t t = 0; t < 4; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        for (size_t b = 0; b < 3; b++) {
            loop *l = loop_new();
            l->bad = bad[b];
            l->wait = bad[b] < 10 ? 200 : 0;
            assert_int_equal(rk_parallel(env, NULL, TILES, tile_of, l), RKHS_ERR_NUMERIC);
            if (bad[b] < 10) assert_true(l->total < TILES / 2);
            for (int64_t i = 0; i < bad[b]; i++) assert_int_equal(l->done[i], 1); /* handed out in order */
            free(l);
            l = loop_new(); /* and the next loop knows nothing of it */
            OK(env, rk_parallel(env, NULL, TILES, tile_of, l));
            assert_int_equal(l->total, TILES);
            free(l);
        }
    }
}

typedef struct watch {
    rkhs_env *env;
    pthread_t thread;
    int calls, stop_after, wrong;
    int64_t done, total;
    const char *stage;
} watch;

/* Sees every call, since it lets no time pass between two. */
static int watch_progress(const rkhs_progress *p, void *payload) {
    watch *w = payload;
    if (!pthread_equal(pthread_self(), w->thread) || p->done < w->done || (p->total && p->done > p->total)) w->wrong = 1;
    w->done = p->done;
    w->total = p->total;
    w->stage = p->stage;
    w->env->progress_last = 0;
    return ++w->calls > w->stop_after;
}

static void progress_grows_to_its_total_on_the_callers_thread(void **state) {
    rkhs_env *env = *state;
    for (size_t t = 0; t < 4; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        for (int again = 0; again < 50; again++) {
            watch w = {.env = env, .thread = pthread_self(), .stop_after = 1 << 30};
            rkhs_env_set_progress(env, watch_progress, &w);
            env->progress_last = again % 2 ? 1e300 : 0; /* also when no call is due, the end of a stage is shown */
            loop *l = loop_new();
            l->wait = again < 2 ? 300 : 0;
            OK(env, rk_parallel(env, "tiles", 50, tile_of, l));
            assert_string_equal(w.stage, "tiles");
            assert_int_equal(w.total, 50);
            assert_int_equal(w.done, 50);
            assert_false(w.wrong);
            free(l);
        }
        watch w = {.env = env, .thread = pthread_self(), .stop_after = 1 << 30};
        rkhs_env_set_progress(env, watch_progress, &w);
        loop *l = loop_new();
        env->progress_last = 0;
        OK(env, rk_parallel(env, NULL, 20, tile_of, l)); /* no stage of its own: where the call stood before */
        assert_true(w.calls > 0);
        assert_string_equal(w.stage, "tiles");
        assert_int_equal(w.done, 50);
        assert_int_equal(w.total, 50);
        free(l);
    }
    rkhs_env_set_progress(env, NULL, NULL);
}

static void the_callback_cancels_within_the_loop(void **state) {
    rkhs_env *env = *state;
    for (size_t t = 0; t < 4; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        for (int after = 0; after < 3; after++) {
            watch w = {.env = env, .thread = pthread_self(), .stop_after = after};
            loop *l = loop_new();
            l->wait = 500;
            rk_begin_call(env);
            env->progress_last = 0;
            rkhs_env_set_progress(env, watch_progress, &w);
            FAILS(env, RKHS_ERR_CANCELLED, "stopped on request", rk_parallel(env, "tiles", TILES, tile_of, l));
            assert_true(l->total > 0 && l->total < TILES / 2);
            assert_int_equal(w.calls, after + 1);
            /* Once asked to stop, everything stops until the next public call. */
            FAILS(env, RKHS_ERR_CANCELLED, "stopped", rk_parallel(env, "tiles", TILES, tile_of, l));
            assert_true(l->total < TILES / 2 + 1);
            assert_int_equal(w.calls, after + 1);
            rkhs_env_set_progress(env, NULL, NULL);
            rk_begin_call(env);
            OK(env, rk_parallel(env, "tiles", 10, tile_of, l));
            free(l);
        }
    }
}

/* The caller's tile ends once another thread is inside its own, which lasts until the callback was asked. */
typedef struct slow {
    _Atomic int begun, asked;
} slow;

static rkhs_status slow_tile(void *context, int64_t tile, int worker) {
    slow *s = context;
    if (worker) atomic_store(&s->begun, 1);
    for (int i = 0; i < 2000 && !atomic_load(worker ? &s->asked : &s->begun); i++) usleep(1000);
    return RKHS_OK;
}

static int stop_and_say_so(const rkhs_progress *p, void *payload) {
    atomic_store(&((slow *)payload)->asked, 1);
    return 1;
}

static void the_callback_is_asked_while_another_thread_is_busy(void **state) {
    rkhs_env *env = *state;
    slow s = {0};
    OK(env, rkhs_env_set_threads(env, 2));
    rkhs_env_set_progress(env, stop_and_say_so, &s);
    env->progress_last = rk_seconds(); /* due in a tenth of a second, when the caller has nothing left to do */
    double begun = rk_seconds();
    assert_int_equal(rk_parallel(env, "tiles", 2, slow_tile, &s), RKHS_ERR_CANCELLED);
    assert_true(s.begun && s.asked);
    assert_true(rk_seconds() - begun < 1.5);
    rkhs_env_set_progress(env, NULL, NULL);
}

static void a_child_after_fork_runs_loops_of_its_own(void **state) {
    rkhs_env *env = *state;
    if (UNDER_TSAN) skip();
    for (size_t t = 0; t < 4; t++) {
        OK(env, rkhs_env_set_threads(env, thread_counts[t]));
        for (int used_before = 0; used_before < 2; used_before++) {
            loop *l = loop_new();
            if (used_before) OK(env, rk_parallel(env, NULL, 100, tile_of, l));
            fflush(stdout);
            pid_t child = fork();
            assert_true(child >= 0);
            if (child == 0) {
                alarm(20); /* a lost thread would be waited for for ever */
                memset(l, 0, sizeof *l);
                l->bad = -1;
                int bad = rk_parallel(env, NULL, TILES, tile_of, l) != RKHS_OK || l->total != TILES;
                for (int64_t i = 0; i < TILES; i++) bad |= l->done[i] != 1;
                l->bad = 3;
                bad |= rk_parallel(env, NULL, TILES, tile_of, l) != RKHS_ERR_NUMERIC;
                rkhs_env_free(env);
                _exit(bad ? 1 : 42);
            }
            loop *mine = loop_new(); /* the parent goes on */
            OK(env, rk_parallel(env, NULL, TILES, tile_of, mine));
            assert_int_equal(mine->total, TILES);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            assert_true(WIFEXITED(status));
            assert_int_equal(WEXITSTATUS(status), 42);
            OK(env, rk_parallel(env, NULL, 10, tile_of, mine));
            free(mine);
            free(l);
        }
    }
}

static void an_env_freed_in_a_child_does_not_wait_for_the_parents_threads(void **state) {
    rkhs_env *env = *state;
    OK(env, rkhs_env_set_threads(env, 4));
    loop *l = loop_new();
    OK(env, rk_parallel(env, NULL, 100, tile_of, l));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        free(l);
        rkhs_env_free(env);
        _exit(42);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    free(l);
}

/* The life of a thread with an env of its own: NULL if all went well. */
static void *own_env(void *argument) {
    int threads = *(int *)argument;
    rkhs_env *env;
    const char *wrong = NULL;
    if (rkhs_env_new(&env) != RKHS_OK) return (void *)(uintptr_t) "no env";
    rkhs_env_set_threads(env, threads);
    for (int again = 0; again < 30 && !wrong; again++) {
        loop *l = calloc(1, sizeof *l);
        l->bad = again % 3 == 2 ? 7 : -1;
        rkhs_status status = rk_parallel(env, NULL, TILES, tile_of, l);
        if (status != (l->bad < 0 ? RKHS_OK : RKHS_ERR_NUMERIC)) wrong = "a wrong status";
        for (int64_t i = 0; l->bad < 0 && i < TILES; i++)
            if (l->done[i] != 1) wrong = "a tile not done once";
        free(l);
    }
    rkhs_env_free(env);
    return (void *)(uintptr_t)wrong;
}

static void two_envs_work_in_two_threads(void **state) {
    pthread_t a, b;
    int two = 2, four = 4;
    void *wrong;
    assert_int_equal(pthread_create(&a, NULL, own_env, &two), 0);
    assert_int_equal(pthread_create(&b, NULL, own_env, &four), 0);
    pthread_join(a, &wrong);
    assert_null(wrong);
    pthread_join(b, &wrong);
    assert_null(wrong);
}

static void a_pool_that_cannot_be_made_is_an_error(void **state) {
    rkhs_env *env = *state;
    OK(env, rkhs_env_set_threads(env, 4));
    loop *l = loop_new();
    for (int64_t k = 0; k < 2; k++) {
        rk_begin_call(env);
        env->allocations = 0;
        env->fail_at = k;
        assert_int_equal(rk_parallel(env, NULL, 10, tile_of, l), RKHS_ERR_MEMORY);
        assert_int_equal(l->total, 0);
        assert_int_equal(atomic_load(&env->used), 0);
    }
    env->fail_at = -1;
    rk_begin_call(env);
    OK(env, rk_parallel(env, NULL, 10, tile_of, l));
    assert_int_equal(l->total, 10);
    free(l);
}

static void a_silly_number_of_threads_is_refused(void **state) {
    rkhs_env *env = *state;
    int before = rk_workers(env);
    FAILS(env, RKHS_ERR_ARGUMENT, "-1 threads | 1 to 1024 | 0", rkhs_env_set_threads(env, -1));
    FAILS(env, RKHS_ERR_ARGUMENT, "1025 threads", rkhs_env_set_threads(env, 1025));
    assert_int_equal(rk_workers(env), before);
    OK(env, rkhs_env_set_threads(env, 3));
    OK(env, rkhs_env_set_threads(env, 0));
    assert_int_equal(rk_workers(env), before);
    assert_int_equal(rkhs_env_set_threads(NULL, 1), RKHS_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_tile_runs_once_on_any_number_of_threads),
        ENV_TEST(all_workers_take_part),
        ENV_TEST(an_error_in_a_tile_comes_back_and_stops_the_loop),
        ENV_TEST(progress_grows_to_its_total_on_the_callers_thread),
        ENV_TEST(the_callback_cancels_within_the_loop),
        ENV_TEST(the_callback_is_asked_while_another_thread_is_busy),
        ENV_TEST(a_child_after_fork_runs_loops_of_its_own),
        ENV_TEST(an_env_freed_in_a_child_does_not_wait_for_the_parents_threads),
        ENV_TEST(two_envs_work_in_two_threads),
        ENV_TEST(a_pool_that_cannot_be_made_is_an_error),
        ENV_TEST(a_silly_number_of_threads_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
