/* Threads around the library: envs in several threads, a fit after a fork, and the thread count of BLAS, which
 * belongs to the program and is given back whatever happens. Also run under TSan. */
#include "env.h"
#include "la/la.h"

#include <cblas.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 400, P = 5, DIM = 2, TIMES = 6, COUNT = 3 };

static const char *const specs[] = {"kpca(dim=2)", "kpca(dim=2, gram=nystrom(landmarks=60))"};

/* One fit on its own env. */
typedef struct job {
    rkhs_env *env;
    const char *spec;
    double X[N * P], Z[N * DIM];
    rkhs_status status;
} job;

static rkhs_status fit(job *j) {
    rkhs_data *x = NULL;
    rkhs_model *m = NULL;
    rkhs_status status = rkhs_data_dense(j->env, j->X, N, P, P, &x);
    if (status == RKHS_OK) status = rkhs_model_new(j->env, j->spec, &m);
    if (status == RKHS_OK) status = rkhs_model_fit(m, NULL, x, NULL, NULL);
    if (status == RKHS_OK) memcpy(j->Z, rkhs_model_embedding(m, NULL, NULL), sizeof j->Z);
    rkhs_model_free(m);
    rkhs_data_free(x);
    return status;
}

static job *job_new(int kind) {
    job *j = calloc(1, sizeof *j);
    assert_non_null(j);
    j->spec = specs[kind];
    for (int i = 0; i < N * P; i++) j->X[i] = noise((uint64_t)kind, (uint64_t)i);
    assert_int_equal(rkhs_env_new(&j->env), RKHS_OK);
    OK(j->env, rkhs_env_set_threads(j->env, 2));
    return j;
}

static void job_free(job *j) {
    rkhs_env_free(j->env);
    free(j);
}

static void *fit_often(void *argument) {
    job *j = argument;
    double first[N * DIM];
    for (int i = 0; i < TIMES && j->status == RKHS_OK; i++) {
        j->status = fit(j);
        if (i == 0) memcpy(first, j->Z, sizeof first);
        if (memcmp(first, j->Z, sizeof first) != 0) j->status = RKHS_ERR_BUG;
    }
    return NULL;
}

/* Two jobs at once. */
static void fit_both(job *jobs[2]) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, fit_often, jobs[i]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void two_envs_in_two_threads_give_the_bits_that_each_gives_alone(void **state) {
    job *alone[2] = {job_new(0), job_new(1)}, *jobs[2] = {job_new(0), job_new(1)};
    for (int i = 0; i < 2; i++) OK(alone[i]->env, fit(alone[i]));
    fit_both(jobs);
    for (int i = 0; i < 2; i++) {
        if (jobs[i]->status != RKHS_OK) fail_msg("%s: %s", specs[i], rkhs_env_message(jobs[i]->env));
        assert_memory_equal(jobs[i]->Z, alone[i]->Z, sizeof alone[i]->Z);
        job_free(jobs[i]);
        job_free(alone[i]);
    }
}

/* In the child: 0 if the parent's env and a new one both give the parent's bits. */
static int fit_in_child(job *j) {
    job *fresh = job_new(0);
    double Z[N * DIM];
    memcpy(Z, j->Z, sizeof Z);
    memset(j->Z, 0, sizeof j->Z);
    int bad = fit(j) != RKHS_OK || memcmp(Z, j->Z, sizeof Z) != 0;
    bad |= fit(fresh) != RKHS_OK || memcmp(Z, fresh->Z, sizeof Z) != 0;
    job_free(fresh);
    rkhs_env_free(j->env);
    return bad;
}

static void a_forked_child_fits_after_a_fit_in_the_parent(void **state) {
    if (UNDER_TSAN) skip();
    job *j = job_new(0);
    double Z[N * DIM];
    OK(j->env, fit(j));
    memcpy(Z, j->Z, sizeof Z);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a child that waits for threads that are not there */
        _exit(fit_in_child(j));
    }
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
    OK(j->env, fit(j)); /* and the parent goes on */
    assert_memory_equal(j->Z, Z, sizeof Z);
    job_free(j);
}

/* ---- fork while others compute --------------------------------------------------------------------------------- */

static _Atomic int enough, inside;

/* c = a^2, by BLAS, as LAPACK calls it. */
static void call_syrk(const double *a, double *c) {
    rk_blas_enter();
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, 1, 1, 1, a, 1, 0, c, 1);
    rk_blas_leave();
}

/* Calls BLAS without a pause: most of the time is spent at its table of buffers. */
static void *call_blas(void *argument) {
    double a = 1, c;
    while (!enough) call_syrk(&a, &c);
    return NULL;
}

/* Stays in a call of BLAS. */
static void *stay_in_blas(void *argument) {
    rk_blas_enter();
    inside = 1;
    while (!enough) usleep(1000);
    rk_blas_leave();
    return NULL;
}

/* Forks; 1 if the child, which has a minute, ends well. */
static int child_ends_well(job *j, int (*run)(job *)) {
    int how = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(run(j));
    }
    return waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static void a_child_forked_while_others_call_blas_computes(void **state) {
    if (UNDER_TSAN) skip();
    enum { CALLERS = 4, FORKS = 12 };
    job *j = job_new(0);
    pthread_t threads[CALLERS];
    enough = 0;
    OK(j->env, fit(j));
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&threads[i], NULL, call_blas, NULL), 0);
    int well = 0;
    for (int i = 0; i < FORKS && well == i; i++) well += child_ends_well(j, fit_in_child);
    enough = 1;
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(well, FORKS);
    job_free(j);
}

/* 0 if the fit is refused. */
static int refused(job *j) { return fit(j) != RKHS_ERR_IO || !says(rkhs_env_message(j->env), "was forked while"); }

static void a_child_forked_in_a_long_call_of_another_thread_says_so(void **state) {
    if (UNDER_TSAN) skip();
    job *j = job_new(0);
    pthread_t thread;
    enough = inside = 0;
    OK(j->env, fit(j));
    assert_int_equal(pthread_create(&thread, NULL, stay_in_blas, NULL), 0);
    while (!inside) usleep(1000);
    int well = child_ends_well(j, refused);
    OK(j->env, fit(j)); /* and the parent goes on */
    enough = 1;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(well);
    assert_true(child_ends_well(j, fit_in_child)); /* as do those forked later */
    job_free(j);
}

static int nothing(job *j) { return 0; }

static void *fork_often(void *argument) {
    intptr_t bad = 0;
    for (int i = 0; i < 50; i++) bad += !child_ends_well(NULL, nothing);
    return (void *)bad;
}

static void threads_fork_beside_each_other_and_a_fit(void **state) {
    if (UNDER_TSAN) skip();
    job *j = job_new(0);
    pthread_t threads[2];
    void *bad;
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, fork_often, NULL), 0);
    for (int i = 0; i < TIMES; i++) OK(j->env, fit(j));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], &bad), 0);
        assert_null(bad);
    }
    job_free(j);
}

/* ---- what the manual allows ------------------------------------------------------------------------------------ */

static void *fit_once(void *argument) {
    job *j = argument;
    j->status = fit(j);
    return NULL;
}

static void an_env_goes_from_thread_to_thread(void **state) {
    job *j = job_new(0);
    double Z[N * DIM];
    OK(j->env, fit(j));
    memcpy(Z, j->Z, sizeof Z);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        memset(j->Z, 0, sizeof j->Z);
        assert_int_equal(pthread_create(&thread, NULL, fit_once, j), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        OK(j->env, j->status);
        assert_memory_equal(j->Z, Z, sizeof Z);
    }
    job_free(j);
}

/* A job inside a job, once. */
static int fit_other(const rkhs_progress *progress, void *payload) {
    job *other = payload;
    if (other->status == RKHS_ERR_BUG) other->status = fit(other);
    return 0;
}

static void a_callback_computes_on_another_env(void **state) {
    job *j = job_new(0), *other = job_new(1), *alone = job_new(1);
    other->status = RKHS_ERR_BUG;
    rkhs_env_set_progress(j->env, fit_other, other);
    j->env->progress_last = -1e9;
    OK(j->env, fit(j));
    OK(other->env, other->status);
    OK(alone->env, fit(alone));
    assert_memory_equal(other->Z, alone->Z, sizeof alone->Z);
    job_free(j), job_free(other), job_free(alone);
}

/* ---- more threads than BLAS serves ----------------------------------------------------------------------------- */

/* Computations that are all under way at a time, on envs of many threads each. */
enum { MANY = 200, EACH = 16 };
static pthread_barrier_t together;

static void *compute_together(void *argument) {
    job *j = argument;
    double two = 2, four = 0;
    j->status = rk_blas_begin(j->env);
    pthread_barrier_wait(&together);
    if (!j->env->calls_blas) j->status = RKHS_ERR_BUG;
    call_syrk(&two, &four);
    if (j->status == RKHS_OK) j->status = fit(j);
    pthread_barrier_wait(&together);
    rk_blas_end(j->env);
    if (j->status == RKHS_OK && four != 4) j->status = RKHS_ERR_BUG;
    return NULL;
}

static void any_number_of_computations_of_any_number_of_threads_run_at_a_time(void **state) {
    if (UNDER_TSAN) skip(); /* which has room for fewer threads */
    job **jobs = calloc(MANY, sizeof *jobs), *alone = job_new(0);
    pthread_t threads[MANY];
    assert_non_null(jobs);
    assert_int_equal(pthread_barrier_init(&together, NULL, MANY), 0);
    OK(alone->env, fit(alone));
    for (int i = 0; i < MANY; i++) {
        jobs[i] = job_new(0);
        OK(jobs[i]->env, rkhs_env_set_threads(jobs[i]->env, EACH));
        assert_int_equal(pthread_create(&threads[i], NULL, compute_together, jobs[i]), 0);
    }
    for (int i = 0; i < MANY; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < MANY; i++) {
        if (jobs[i]->status != RKHS_OK) fail_msg("computation %d: %s", i, rkhs_env_message(jobs[i]->env));
        assert_memory_equal(jobs[i]->Z, alone->Z, sizeof alone->Z);
        job_free(jobs[i]);
    }
    pthread_barrier_destroy(&together);
    job_free(alone);
    free(jobs);
}

/* ---- BLAS ------------------------------------------------------------------------------------------------------ */

static int (*blas_count)(void);
static void (*blas_set)(int);

/* Gives BLAS a count that nobody else would choose; 0 where it has none. */
static int blas_mark(void) {
    *(void **)&blas_count = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&blas_set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (!blas_count || !blas_set) return 0;
    blas_set(COUNT);
    return blas_count() == COUNT;
}

/* Sees the count during a fit; stops it when asked to. */
typedef struct watcher {
    rkhs_env *env;
    _Atomic int seen, wrong;
    int stop;
} watcher;

static int watch(const rkhs_progress *progress, void *payload) {
    watcher *w = payload;
    w->env->progress_last = -1e9; /* asked at every look */
    if (blas_count() != 1) w->wrong++;
    return ++w->seen == w->stop;
}

static void blas_has_its_threads_back_after_success_and_cancel(void **state) {
    if (!blas_mark()) skip();
    for (int kind = 0; kind < 2; kind++) {
        job *j = job_new(kind);
        watcher w = {.env = j->env};
        rkhs_env_set_progress(j->env, watch, &w);
        j->env->progress_last = -1e9;
        OK(j->env, fit(j));
        assert_int_equal(blas_count(), COUNT);
        int looks = w.seen;
        assert_true(looks > 2);
        for (int stop = 1; stop <= looks; stop++) {
            w.seen = 0;
            w.stop = stop;
            j->env->progress_last = -1e9;
            rkhs_status status = fit(j);
            assert_int_equal(blas_count(), COUNT);
            if (status != RKHS_OK) assert_int_equal(status, RKHS_ERR_CANCELLED);
        }
        assert_int_equal(w.wrong, 0);
        job_free(j);
    }
}

static void blas_has_its_threads_back_after_an_error(void **state) {
    if (!blas_mark()) skip();
    for (int kind = 0; kind < 2; kind++) {
        job *j = job_new(kind);
        rkhs_status status = RKHS_ERR_MEMORY;
        for (int64_t k = 0; status != RKHS_OK; k += 5) {
            j->env->allocations = 0;
            j->env->fail_at = k;
            status = fit(j);
            assert_true(status == RKHS_OK || status == RKHS_ERR_MEMORY);
            assert_int_equal(blas_count(), COUNT);
        }
        j->env->fail_at = -1;
        j->X[7] = NAN;
        FAILS(j->env, RKHS_ERR_DATA, "", fit(j));
        assert_int_equal(blas_count(), COUNT);
        job_free(j);
    }
}

static void blas_has_its_threads_back_after_two_fits_at_once(void **state) {
    if (!blas_mark()) skip();
    job *jobs[2] = {job_new(0), job_new(1)};
    watcher w[2] = {{.env = jobs[0]->env}, {.env = jobs[1]->env}};
    for (int i = 0; i < 2; i++) rkhs_env_set_progress(jobs[i]->env, watch, &w[i]);
    fit_both(jobs);
    assert_int_equal(blas_count(), COUNT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jobs[i]->status, RKHS_OK);
        assert_true(w[i].seen > 0);
        assert_int_equal(w[i].wrong, 0);
        w[i].seen = 0;
        w[i].stop = 3 + i; /* and again, both stopped on the way */
    }
    fit_both(jobs);
    assert_int_equal(blas_count(), COUNT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jobs[i]->status, RKHS_ERR_CANCELLED);
        job_free(jobs[i]);
    }
}

static void buffers_of_blas_count_as_memory_while_a_call_computes(void **state) {
    enum { BUFFER = 2 << 20 };
    job *j = job_new(1);
    double Z[N * DIM];
    size_t before = atomic_load(&j->env->used);
    OK(j->env, rkhs_env_set_memory(j->env, before + BUFFER / 2));
    FAILS(j->env, RKHS_ERR_MEMORY, "2.1 MB more are needed", fit(j));
    assert_int_equal(j->env->calls_blas, 0);
    OK(j->env, rkhs_env_set_memory(j->env, before + 4 * BUFFER)); /* one buffer, and the rest for all else */
    OK(j->env, fit(j));
    memcpy(Z, j->Z, sizeof Z);
    assert_in_range(rkhs_env_memory_peak(j->env), before + BUFFER, before + 4 * BUFFER);
    OK(j->env, rkhs_env_set_memory(j->env, 0));
    OK(j->env, fit(j));
    assert_memory_equal(j->Z, Z, sizeof Z);
    assert_true(rkhs_env_memory_peak(j->env) > before + 2 * BUFFER + (1 << 20));
    rk_pool_free(j->env);
    assert_int_equal(atomic_load(&j->env->used), before);
    job_free(j);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_envs_in_two_threads_give_the_bits_that_each_gives_alone),
        cmocka_unit_test(an_env_goes_from_thread_to_thread),
        cmocka_unit_test(a_callback_computes_on_another_env),
        cmocka_unit_test(any_number_of_computations_of_any_number_of_threads_run_at_a_time),
        cmocka_unit_test(a_forked_child_fits_after_a_fit_in_the_parent),
        cmocka_unit_test(a_child_forked_while_others_call_blas_computes),
        cmocka_unit_test(a_child_forked_in_a_long_call_of_another_thread_says_so),
        cmocka_unit_test(threads_fork_beside_each_other_and_a_fit),
        cmocka_unit_test(buffers_of_blas_count_as_memory_while_a_call_computes),
        cmocka_unit_test(blas_has_its_threads_back_after_success_and_cancel),
        cmocka_unit_test(blas_has_its_threads_back_after_an_error),
        cmocka_unit_test(blas_has_its_threads_back_after_two_fits_at_once),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
