/* Threads around the library: envs in several threads, a fit after a fork, and the thread count of BLAS, which belongs to the
 * program and is given back whatever happens. Also run under TSan. */
#include "env.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 400, P = 5, DIM = 2, TIMES = 6, COUNT = 3 };

static const char *const specs[] = {"kpca(dim=2)", "kpca(dim=2, gram=nystrom(m=60))"};

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

/* ---- BLAS ---------------------------------------------------------------------------------------------------------- */

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_envs_in_two_threads_give_the_bits_that_each_gives_alone),
        cmocka_unit_test(a_forked_child_fits_after_a_fit_in_the_parent),
        cmocka_unit_test(blas_has_its_threads_back_after_success_and_cancel),
        cmocka_unit_test(blas_has_its_threads_back_after_an_error),
        cmocka_unit_test(blas_has_its_threads_back_after_two_fits_at_once),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
