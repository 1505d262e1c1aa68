/* pool.c: the thread pool, which runs parallel loops over fixed tiles.
 *
 * A shared counter assigns tiles to workers. The result does not depend on which worker computes a tile, because every
 * tile writes only its own part of it. The env's thread is worker 0: it computes too, reports progress between its
 * tiles, and polls for cancellation while the others finish. Threads do not survive a fork(): the child recognises the
 * parent's pool by the process id and makes a new one. */
#include "base/base.h"

#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 2 << 20 }; /* bytes of a thread's stack; tiles use a tenth of it */

typedef struct rk_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    pthread_t *threads;
    int count; /* threads started, without the env's own */
    pid_t pid;
    int quit;
    uint64_t round; /* number of the current loop */
    int working;    /* threads that have not finished the current loop */
    rk_tile_fn fn;
    void *context;
    int64_t tiles;
    int workers; /* of the current loop, with the env's own thread */
    _Atomic int64_t next, finished;
    _Atomic int failed; /* the first status other than RKHS_OK */
    _Atomic int *cancelled;
} rk_pool;

typedef struct rk_worker {
    rk_pool *pool;
    int id;
} rk_worker;

int rk_workers(const rkhs_env *env) { return env->threads; }

rkhs_status rk_poll_tile(rkhs_env *env, int worker) {
    if (worker == 0) return rk_progress(env, NULL, 0, 0);
    return atomic_load(&env->cancelled) ? RKHS_ERR_CANCELLED : RKHS_OK;
}

/* Computes the next tile; 0 if there is none, or the loop has failed or was cancelled. */
static int run_tile(rk_pool *pool, int worker) {
    if (atomic_load(&pool->failed) || atomic_load(pool->cancelled)) return 0;
    int64_t tile = atomic_fetch_add(&pool->next, 1);
    if (tile >= pool->tiles) return 0;
    rkhs_status status = pool->fn(pool->context, tile, worker);
    if (status != RKHS_OK) {
        int none = 0;
        atomic_compare_exchange_strong(&pool->failed, &none, (int)status);
    }
    atomic_fetch_add(&pool->finished, 1);
    return 1;
}

/* The main function of a thread: waits for a loop, computes tiles, reports, waits again. */
static void *worker_main(void *argument) {
    rk_worker *w = argument;
    rk_pool *pool = w->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->quit && pool->round == seen) pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->quit) break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->lock);
        while (w->id < pool->workers && run_tile(pool, w->id)) {
        }
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0) pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Frees the memory of a pool whose threads have ended. */
static void pool_drop(rkhs_env *env) {
    rk_pool *pool = env->pool;
    env->pool = NULL;
    rk_free(env, pool->threads);
    rk_free(env, pool);
}

void rk_pool_free(rkhs_env *env) {
    rk_pool *pool = env->pool;
    if (!pool) return;
    if (pool->pid == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->quit = 1;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < pool->count; i++) pthread_join(pool->threads[i], NULL);
        pthread_cond_destroy(&pool->idle);
        pthread_cond_destroy(&pool->wake);
        pthread_mutex_destroy(&pool->lock);
    }
    pool_drop(env);
}

/* Starts the env's number of threads, fewer if the system refuses. */
static rkhs_status pool_new(rkhs_env *env) {
    rkhs_status status = RKHS_OK;
    rk_pool *pool;
    int count = env->threads - 1;
    TRY(rk_alloc(env, 1, sizeof *pool, &pool));
    env->pool = pool;
    pool->pid = getpid();
    /* One allocation holds the threads and their arguments. */
    TRY(rk_alloc(env, count, sizeof(pthread_t) + sizeof(rk_worker), &pool->threads));
    rk_worker *workers = (rk_worker *)(pool->threads + count);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, &attr);
    pthread_condattr_destroy(&attr);
    pthread_attr_t small; /* so that many threads leave address space to others, where it is limited */
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (int i = 0; i < count; i++) {
        workers[i] = (rk_worker){pool, i + 1};
        if (pthread_create(&pool->threads[i], &small, worker_main, &workers[i]) != 0) break;
        pool->count++;
    }
    pthread_attr_destroy(&small);
done:
    if (status != RKHS_OK && env->pool) pool_drop(env);
    return status;
}

/* Waits for the other threads, and reports progress so that the callback can still cancel. */
static rkhs_status wait_idle(rkhs_env *env, rk_pool *pool, const char *stage) {
    rkhs_status status = RKHS_OK;
    pthread_mutex_lock(&pool->lock);
    while (pool->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 50 * 1000 * 1000;
        if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
        pthread_cond_timedwait(&pool->idle, &pool->lock, &until);
        if (pool->working > 0) {
            pthread_mutex_unlock(&pool->lock);
            rkhs_status polled = rk_progress(env, stage, atomic_load(&pool->finished), pool->tiles);
            if (polled != RKHS_OK) status = polled;
            pthread_mutex_lock(&pool->lock);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/* Runs the loop on the calling thread alone. */
static rkhs_status run_alone(rkhs_env *env, const char *stage, int64_t count, rk_tile_fn fn, void *context) {
    for (int64_t tile = 0; tile < count; tile++) {
        rkhs_status status = fn(context, tile, 0);
        if (status == RKHS_OK) status = rk_progress(env, stage, tile + 1, count);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

rkhs_status rk_parallel(rkhs_env *env, const char *stage, int64_t count, rk_tile_fn fn, void *context) {
    if (count <= 1 || rk_workers(env) == 1) return run_alone(env, stage, count, fn, context);
    if (env->pool && env->pool->pid != getpid()) pool_drop(env);
    if (!env->pool) {
        rkhs_status status = pool_new(env);
        if (status != RKHS_OK) return status;
    }
    rk_pool *pool = env->pool;
    pthread_mutex_lock(&pool->lock);
    pool->fn = fn;
    pool->context = context;
    pool->tiles = count;
    pool->workers = rk_workers(env);
    pool->cancelled = &env->cancelled;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->finished, 0);
    atomic_store(&pool->failed, 0);
    pool->working = pool->count;
    pool->round++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    rkhs_status polled = RKHS_OK;
    int64_t shown = 0;
    while (polled == RKHS_OK && run_tile(pool, 0)) {
        shown = atomic_load(&pool->finished);
        polled = rk_progress(env, stage, shown, count);
    }
    rkhs_status waited = wait_idle(env, pool, stage);
    rkhs_status failed = (rkhs_status)atomic_load(&pool->failed);
    if (failed || polled || waited) return failed ? failed : polled ? polled : waited;
    /* Reports the end if another thread finished last; fails if the call was cancelled before any tile ran. */
    return shown < count ? rk_progress(env, stage, count, count) : RKHS_OK;
}
