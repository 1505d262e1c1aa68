/* alloc.c: memory allocation, counted against the env's memory limit.
 *
 * The only file that calls malloc. A block is [ raw ... | head | payload ]: the payload is 64-byte aligned, the head
 * stands right before it. Results stay until rk_free. Temporaries are chained on the env (the scratch list) and are
 * released together, back to a mark. For tests, the k-th allocation can be made to fail. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGN = 64, HUGE_FROM = 4 << 20 };

typedef struct rk_block {
    void *raw;
    size_t bytes; /* of the payload */
    struct rk_block *next;
} rk_block;

void *rk_raw_new(size_t bytes) { return calloc(1, bytes); }
void rk_raw_free(void *p) { free(p); }

static rk_block *head_of(const void *payload) { return (rk_block *)((uintptr_t)payload - sizeof(rk_block)); }

/* Counts bytes as used; 0 if that would exceed the limit. */
static int take_bytes(rkhs_env *env, size_t bytes) {
    size_t used = atomic_load(&env->used);
    if (bytes > env->limit || used > env->limit - bytes) return 0;
    used = atomic_fetch_add(&env->used, bytes) + bytes;
    size_t peak = atomic_load(&env->peak);
    while (used > peak && !atomic_compare_exchange_weak(&env->peak, &peak, used)) {
    }
    return 1;
}

int rk_has_address_space(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return 0;
    munmap(at, bytes);
    return 1;
}

void rk_ask_huge_pages(void *raw, size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes < HUGE_FROM) return;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)raw + page - 1) & ~(page - 1), to = ((uintptr_t)raw + bytes) & ~(page - 1);
    if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)raw, (void)bytes;
#endif
}

/* Fails because `bytes` more would exceed the env's limit. */
static rkhs_status over_limit(rkhs_env *env, size_t bytes) {
    char need[32], have[32], limit[32];
    if (!env->message[0]) env->general = 1;
    return rk_fail(env, RKHS_ERR_MEMORY,
                   "%s more are needed, %s are in use, and the limit is %s: raise the memory limit, or use less data",
                   rk_bytes_text((double)bytes, need), rk_bytes_text((double)atomic_load(&env->used), have),
                   rk_bytes_text((double)env->limit, limit));
}

rkhs_status rk_count_memory(rkhs_env *env, int64_t bytes) {
    if (bytes >= 0) return take_bytes(env, (size_t)bytes) ? RKHS_OK : over_limit(env, (size_t)bytes);
    size_t used = atomic_load(&env->used), less = (size_t) - (bytes + 1) + 1;
    if (less > used) return rk_fail(env, RKHS_ERR_ARGUMENT, "more bytes are given back than were taken");
    atomic_fetch_sub(&env->used, less);
    return RKHS_OK;
}

/* Fails because the system refused: it is out of memory, or the process's address space is limited. */
static rkhs_status none_left(rkhs_env *env, size_t bytes) {
    struct rlimit limit;
    char need[32], most[32];
    rk_bytes_text((double)bytes, need);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return rk_fail(env, RKHS_ERR_MEMORY,
                       "the system has no %s to give, as this process may have %s of address space: raise its limit, with "
                       "ulimit -v unlimited, or use less data",
                       need, rk_bytes_text((double)limit.rlim_cur, most));
    return rk_fail(env, RKHS_ERR_MEMORY, "the system has no %s to give: close other programs, or use less data", need);
}

/* Allocates a block, which is not on the scratch list yet. */
static rkhs_status block_new(rkhs_env *env, int64_t count, size_t size, int zeroed, rk_block **out) {
    *out = NULL;
    if (count < 0 || (size && (uint64_t)count > (SIZE_MAX - 4096) / size))
        return rk_fail(env, RKHS_ERR_MEMORY, "%lld elements of %zu bytes are more than this machine can address",
                       (long long)count, size);
    size_t bytes = (size_t)count * size;
    int64_t number = env->fail_at >= 0 || env->shift ? env->allocations++ : 0;
    int injected = env->fail_at >= 0 && number == env->fail_at;
    size_t shift = (size_t)(number * env->shift % 8) * 8, room = bytes + sizeof(rk_block) + ALIGN + shift;
    if (injected || !take_bytes(env, bytes)) return over_limit(env, bytes);
    char *raw = zeroed ? calloc(1, room) : malloc(room);
    if (!raw) {
        atomic_fetch_sub(&env->used, bytes);
        return none_left(env, bytes);
    }
    rk_ask_huge_pages(raw, bytes);
    uintptr_t payload = ((uintptr_t)raw + sizeof(rk_block) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    payload += shift;
    rk_block *head = head_of((void *)payload);
    *head = (rk_block){raw, bytes, NULL};
    *out = head;
    return RKHS_OK;
}

static void block_free(rkhs_env *env, rk_block *head) {
    atomic_fetch_sub(&env->used, head->bytes);
    free(head->raw);
}

rkhs_status rk_alloc(rkhs_env *env, int64_t count, size_t size, void *out) {
    rk_block *head;
    rkhs_status status = block_new(env, count, size, 1, &head);
    void *payload = head ? head + 1 : NULL;
    memcpy(out, &payload, sizeof payload);
    return status;
}

rkhs_status rk_realloc(rkhs_env *env, int64_t count, size_t size, void *inout) {
    void *old, *fresh;
    memcpy(&old, inout, sizeof old);
    rkhs_status status = rk_alloc(env, count, size, &fresh);
    if (status != RKHS_OK) return status;
    if (old) {
        size_t had = head_of(old)->bytes, wants = (size_t)count * size;
        memcpy(fresh, old, had < wants ? had : wants);
        rk_free(env, old);
    }
    memcpy(inout, &fresh, sizeof fresh);
    return RKHS_OK;
}

void rk_free(rkhs_env *env, const void *p) {
    if (p) block_free(env, head_of(p));
}

rkhs_status rk_strdup(rkhs_env *env, const char *text, char **out) {
    size_t bytes = strlen(text) + 1;
    rkhs_status status = rk_alloc(env, (int64_t)bytes, 1, out);
    if (status == RKHS_OK) memcpy(*out, text, bytes);
    return status;
}

rk_mark rk_scratch_mark(rkhs_env *env) { return env->scratch; }

static rkhs_status scratch_new(rkhs_env *env, int64_t count, size_t size, int zeroed, void *out) {
    rk_block *head;
    rkhs_status status = block_new(env, count, size, zeroed, &head);
    void *payload = NULL;
    if (status == RKHS_OK) {
        head->next = env->scratch;
        env->scratch = head;
        payload = head + 1;
    }
    memcpy(out, &payload, sizeof payload);
    return status;
}

rkhs_status rk_scratch(rkhs_env *env, int64_t count, size_t size, void *out) { return scratch_new(env, count, size, 1, out); }

rkhs_status rk_scratch_raw(rkhs_env *env, int64_t count, size_t size, void *out) {
    return scratch_new(env, count, size, 0, out);
}

void rk_scratch_release(rkhs_env *env, rk_mark mark) {
    while (env->scratch && env->scratch != mark) {
        rk_block *head = env->scratch;
        env->scratch = head->next;
        block_free(env, head);
    }
}

int rk_fits_limit(rkhs_env *env, double bytes) { return bytes <= (double)env->limit - (double)atomic_load(&env->used); }

rkhs_status rk_require_memory(rkhs_env *env, double bytes, const char *what, const char *advice) {
    char need[32], limit[32];
    if (rk_fits_limit(env, bytes)) return RKHS_OK;
    if (!advice && !env->message[0]) env->general = 1;
    return rk_fail(env, RKHS_ERR_MEMORY, "%s needs %s; the limit is %s: %s", what, rk_bytes_text(bytes, need),
                   rk_bytes_text((double)env->limit, limit), advice ? advice : "raise the memory limit");
}

const char *rk_bytes_text(double bytes, char buffer[32]) {
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    int u = 0;
    while (bytes >= 1000 && u < 5) bytes /= 1000, u++;
    snprintf(buffer, 32, u && bytes < 100 ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
    return buffer;
}
