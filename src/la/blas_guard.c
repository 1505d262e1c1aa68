/* blas_guard.c: guards the global state of BLAS: its thread count, its table of buffers, and the lock of that table.
 *
 * Only LAPACK's eigensolver calls BLAS, on the thread of an env. OpenBLAS lends every call a buffer: BUFFER bytes of
 * address space, of which TOUCHED are counted as used. It makes a new buffer when more calls run at once than ever
 * before, and loops for ever if the system refuses the memory. So the buffers are made in advance: the address space
 * is tested, and then as many are borrowed at once as computations run. The semaphore `free_buffers` counts the buffers
 * that are not in use; a call takes one, or waits for one. So any number of computations can run at once without
 * knowing of each other. A call with a buffer waits for nothing else: the wait ends.
 *
 * If a process forks while another thread holds the lock of the table, that lock stays locked in the child. So calls
 * of LAPACK are readers of the lock `calls`, and fork() is a writer, which waits for running calls. These can be long:
 * fork() waits PATIENCE seconds, and a child that was forked too early refuses to compute. */
#include "la/la.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__powerpc64__)
#define BUFFER ((size_t)256 << 20)
#else
#define BUFFER ((size_t)128 << 20) /* less on some machines, never more */
#endif
#define TOUCHED ((int64_t)2 << 20)
enum { MAX_BUFFERS = 8, PAGES = 1 << 16, PATIENCE = 2 }; /* more calls than buffers wait */

/* Functions of OpenBLAS alone: looked up at run time, NULL with another BLAS. */
static struct {
    int (*threads)(void);
    void (*set_threads)(int);
    void *(*borrow)(int);
    void (*give_back)(void *);
    int max_buffers; /* buffers that may be borrowed at once */
} blas;

static struct {
    pthread_mutex_t lock;
    int users, before; /* running computations; BLAS's thread count before the first */
    int callers;       /* running computations that have a buffer, or wait for one */
    int kept;          /* in a child: `before` comes from the parent, whose computations were running */
    int lost;          /* in a child: forked during a call of BLAS, so a lock of BLAS may be locked for ever */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Waiting writers go before new readers; else fork() could wait for ever. */
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define CALLS PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define CALLS PTHREAD_RWLOCK_INITIALIZER
#endif
static pthread_rwlock_t calls = CALLS;
static _Atomic int made; /* number of buffers */
static void *buffers[MAX_BUFFERS];
static sem_t free_buffers;
static _Thread_local int own;    /* running computations of this thread */
static _Thread_local int locked; /* by before_fork: 1 guard.lock, 2 also `calls` */
static _Thread_local int has;    /* this call has a buffer */

void rk_blas_enter(void) {
    has = made > 0;
    while (has && sem_wait(&free_buffers) != 0 && errno == EINTR) {
    }
    pthread_rwlock_rdlock(&calls);
}

void rk_blas_leave(void) {
    pthread_rwlock_unlock(&calls);
    if (has) sem_post(&free_buffers);
}

/* ---- fork ------------------------------------------------------------------------------------------------------ */

static void before_fork(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    locked = 0;
    if (pthread_mutex_timedlock(&guard.lock, &until) != 0) return;
    locked = pthread_rwlock_timedwrlock(&calls, &until) == 0 ? 2 : 1;
}

static void after_fork_parent(void) {
    if (locked > 1) pthread_rwlock_unlock(&calls);
    if (locked > 0) pthread_mutex_unlock(&guard.lock);
}

/* Only the forking thread exists in the child: drop the computations of others, and make the locks anew. */
static void after_fork_child(void) {
    static const pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_rwlock_t none = CALLS;
    if (locked < 2) guard.lost = 1;
    guard.kept = guard.users > 0 && own == 0;
    guard.users = own;
    if (own == 0) guard.callers = 0;
    sem_init(&free_buffers, 0, (unsigned)made);
    memcpy(&guard.lock, &lock, sizeof lock);
    memcpy(&calls, &none, sizeof none);
}

/* ---- buffers --------------------------------------------------------------------------------------------------- */

static void *find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* The size of OpenBLAS's table, less the buffers of its own threads. */
static int free_table_slots(const char *config) {
    const char *max = config ? strstr(config, "MAX_THREADS=") : NULL;
    long threads = max ? strtol(max + strlen("MAX_THREADS="), NULL, 10) : 0, all = rk_max(50, 2 * threads);
    long used = blas.threads ? blas.threads() : 1;
    return (int)rk_max(1, rk_min(all - used, MAX_BUFFERS));
}

static void find_blas(void) {
    char *(*config)(void);
    *(void **)&blas.threads = find("openblas_get_num_threads");
    *(void **)&blas.set_threads = find("openblas_set_num_threads");
    *(void **)&blas.borrow = find("blas_memory_alloc");
    *(void **)&blas.give_back = find("blas_memory_free");
    *(void **)&config = find("openblas_get_config");
    const char *text = config ? config() : NULL;
    if (!blas.give_back || !text || strstr(text, "USE_TLS")) blas.borrow = NULL; /* such a build: a table a thread */
    blas.max_buffers = blas.borrow ? free_table_slots(text) : INT_MAX;
    sem_init(&free_buffers, 0, 0);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* Whether OpenBLAS has just made this buffer. */
static int is_new(const void *buffer, int count) {
    for (int i = 0; i < count; i++)
        if (buffers[i] == buffer) return 0;
    return 1;
}

/* Makes buffers until there are `count`. OpenBLAS makes a new one only if all others are lent, so the free ones are
 * borrowed first; until they are given back, other threads cannot begin a call. */
static void make_buffers(int count) {
    void *borrowed[2 * MAX_BUFFERS];
    int there = made, free_now = -there, n = 0;
    while (sem_trywait(&free_buffers) == 0) borrowed[n++] = blas.borrow(0), free_now++;
    while (there < count && n < 2 * MAX_BUFFERS) { /* a call that ends just now returns an old buffer */
        void *buffer = blas.borrow(0);
        if (!buffer) break;
        borrowed[n++] = buffer;
        if (is_new(buffer, there)) buffers[there++] = buffer;
    }
    while (n > 0) blas.give_back(borrowed[--n]);
    made = there;
    for (free_now += there; free_now > 0; free_now--) sem_post(&free_buffers);
}

/* The number of buffers that are needed for one more computation. */
static int buffers_for_one_more(void) { return blas.borrow ? (int)rk_min(guard.callers + 1, blas.max_buffers) : 0; }

/* Whether there is address space for these buffers. */
static int fits(void) {
    int more = buffers_for_one_more() - made;
    return more <= 0 || rk_has_address_space((size_t)more * (BUFFER + PAGES));
}

/* Counts a buffer as used memory, also with another BLAS. */
static rkhs_status count_buffer(rkhs_env *env) {
    rkhs_status status = RKHS_OK;
    char need[32];
    if (blas.borrow && made == 0 && !fits())
        FAIL(env, RKHS_ERR_MEMORY,
             "BLAS needs %s of address space, and the system gives no more: raise its limit, with ulimit -v unlimited",
             rk_bytes_text((double)BUFFER, need));
    TRY(rk_count_memory(env, TOUCHED));
    env->blas_bytes = TOUCHED;
done:
    return status;
}

/* Makes a buffer for the env's own thread, which calls LAPACK. */
static rkhs_status lend(rkhs_env *env) {
    rkhs_status status = RKHS_OK;
    if (guard.lost)
        FAIL(env, RKHS_ERR_IO,
             "this process was forked while another thread was inside LAPACK, whose locks cannot be opened here: fork between "
             "computations, or start a new program (exec)");
    TRY(count_buffer(env));
    if (buffers_for_one_more() > made && fits()) make_buffers(buffers_for_one_more());
    guard.callers++;
    env->calls_blas = 1;
done:
    return status;
}

rkhs_status rk_blas_begin(rkhs_env *env) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (env->computing++) return RKHS_OK;
    pthread_once(&once, find_blas);
    pthread_mutex_lock(&guard.lock);
    rkhs_status status = lend(env);
    if (guard.users++ == 0 && blas.threads && blas.set_threads && !guard.lost) {
        if (!guard.kept) guard.before = blas.threads();
        guard.kept = 0;
        if (guard.before != 1) blas.set_threads(1);
    }
    own++;
    pthread_mutex_unlock(&guard.lock);
    return status;
}

void rk_blas_end(rkhs_env *env) {
    if (--env->computing) return;
    pthread_mutex_lock(&guard.lock);
    own--;
    if (--guard.users == 0 && blas.set_threads && guard.before > 1 && !guard.lost) blas.set_threads(guard.before);
    guard.callers -= env->calls_blas;
    env->calls_blas = 0;
    pthread_mutex_unlock(&guard.lock);
    if (env->blas_bytes) rk_count_memory(env, -env->blas_bytes);
    env->blas_bytes = 0;
}
