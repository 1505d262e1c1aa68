/* blas_guard.c: what BLAS has once for the whole process: a count of threads, a table of buffers, and a lock at that table.
 *
 * OpenBLAS lends each call a buffer: BUFFER bytes of address space, of which our tiles touch TOUCHED. Buffers are made when as
 * many calls run at a time as never before, and where the system gives no more, OpenBLAS asks for ever. So they are made ahead:
 * the address space is tried for, and then as many buffers are borrowed at once as threads will call. `free_buffers` counts
 * those that nobody has: a call takes one, and waits where all are taken. So any number of computations may be under way, and
 * they need not be told how many others there are; a call waits for nothing else while it has a buffer, so the wait ends.
 *
 * The table's lock would stay locked in a child that is forked while another thread holds it. So a call of BLAS is a reader of
 * `calls`, and fork() a writer, who waits for calls that are under way. They are short but for LAPACK's eigensolver; a child
 * that did not wait long enough for that one computes nothing, and says so. */
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
#define BUFFER ((size_t)128 << 20) /* less on some machines, nowhere more */
#endif
#define TOUCHED ((int64_t)2 << 20)
enum { MAX_BUFFERS = 1024, PAGES = 1 << 16, PATIENCE = 2 };

/* OpenBLAS's own functions are not in the generic interface: found at run time, absent in other BLAS. */
static struct {
    int (*threads)(void);
    void (*set_threads)(int);
    void *(*borrow)(int);
    void (*give_back)(void *);
    int max_buffers; /* buffers that may be borrowed at a time */
} blas;

static struct {
    pthread_mutex_t lock;
    int users, before; /* computations under way; the count of threads before the first */
    int callers;       /* threads of all computations */
    int kept;          /* `before` is the parent's: its computations were under way */
    int lost;          /* a child whose parent was in BLAS: its lock may never open */
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A writer who waits goes before new readers, or fork() could wait for ever. */
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define CALLS PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define CALLS PTHREAD_RWLOCK_INITIALIZER
#endif
static pthread_rwlock_t calls = CALLS;
static _Atomic int made; /* buffers that there are */
static void *buffers[MAX_BUFFERS];
static sem_t free_buffers;
static _Thread_local int own;    /* computations of this thread */
static _Thread_local int locked; /* by its fork(): 1 the lock, 2 also the calls */
static _Thread_local int has;    /* a buffer */

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

/* ---- fork ---------------------------------------------------------------------------------------------------------- */

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

/* Computations of other threads are not in the child, nor is who held a lock. */
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

/* ---- buffers ------------------------------------------------------------------------------------------------------- */

static void *find(const char *name) { return dlsym(RTLD_DEFAULT, name); }

/* As many buffers as OpenBLAS has places for, less those of its own threads. */
static int places(const char *config) {
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
    if (!blas.give_back || !text || strstr(text, "USE_TLS")) blas.borrow = NULL; /* there, each thread has its own table */
    blas.max_buffers = blas.borrow ? places(text) : INT_MAX;
    sem_init(&free_buffers, 0, 0);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* Whether a buffer is one that OpenBLAS has just made. */
static int is_new(const void *buffer, int count) {
    for (int i = 0; i < count; i++)
        if (buffers[i] == buffer) return 0;
    return 1;
}

/* Makes sure that there are so many buffers, without passing that number: as OpenBLAS makes a new one only where all others are
 * lent, those that are free are borrowed first, and other threads cannot begin a call until they are back. */
static void make_buffers(int count) {
    void *borrowed[2 * MAX_BUFFERS];
    int there = made, free_now = -there, n = 0;
    while (sem_trywait(&free_buffers) == 0) borrowed[n++] = blas.borrow(0), free_now++;
    while (there < count && n < 2 * MAX_BUFFERS) { /* an old one may come once more, of a call that ends just now */
        void *buffer = blas.borrow(0);
        if (!buffer) break;
        borrowed[n++] = buffer;
        if (is_new(buffer, there)) buffers[there++] = buffer;
    }
    while (n > 0) blas.give_back(borrowed[--n]);
    made = there;
    for (free_now += there; free_now > 0; free_now--) sem_post(&free_buffers);
}

/* How many buffers there should be for so many threads more. */
static int64_t buffers_for(int64_t count) { return blas.borrow ? rk_min(guard.callers + count, blas.max_buffers) : 0; }

/* With memory left for all else: more than one buffer only while they take less than half of the address space. One thread will
 * do with the buffers of others. */
static int fits(int64_t count) {
    int64_t more = buffers_for(count) - made;
    return more <= 0 || rk_has_space((size_t)more * (BUFFER + PAGES) * (count > 1 ? 2 : 1));
}

/* Puts buffers on the env's account, the same for every BLAS; *count threads may have one, fewer than asked for where memory or
 * OpenBLAS's table is short, but always one. */
static rkhs_status count_buffers(rkhs_env *env, int64_t *count) {
    rkhs_status status = RKHS_OK;
    char need[32];
    *count = rk_max(1, rk_min(*count, blas.max_buffers - guard.callers));
    while (*count > 1 && !rk_has_room(env, 2.0 * (double)TOUCHED * (double)*count)) --*count;
    while (*count > 1 && !fits(*count)) --*count;
    if (blas.borrow && made == 0 && !fits(*count))
        FAIL(env, RKHS_ERR_MEMORY,
             "BLAS needs %s of address space, and the system gives no more: raise its limit, with ulimit -v unlimited",
             rk_bytes_text((double)BUFFER, need));
    TRY(rk_account(env, *count * TOUCHED));
    env->lent = *count * TOUCHED;
done:
    return status;
}

/* Decides how many threads of the env may compute. */
static rkhs_status lend(rkhs_env *env) {
    rkhs_status status = RKHS_OK;
    int64_t count = env->threads;
    if (guard.lost)
        FAIL(env, RKHS_ERR_IO,
             "this process was forked while another thread was inside LAPACK, whose locks cannot be opened here: fork between "
             "computations, or start a new program (exec)");
    TRY(count_buffers(env, &count));
    if (buffers_for(count) > made && fits(count)) make_buffers((int)buffers_for(count));
    env->workers = (int)count;
    guard.callers += env->workers;
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
    guard.callers -= env->workers;
    pthread_mutex_unlock(&guard.lock);
    if (env->lent) rk_account(env, -env->lent);
    env->lent = 0;
    env->workers = 0;
}
