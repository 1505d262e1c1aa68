/* env.c: the environment of a caller: settings, last error, log, progress and cancellation. */
#include "base/base.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *rkhs_version(void) { return RKHS_VERSION; }

const char *rkhs_status_text(rkhs_status status) {
    static const char *const text[] = {
        [RKHS_OK] = "done",
        [RKHS_ERR_ARGUMENT] = "wrong argument",
        [RKHS_ERR_SPEC] = "wrong spec",
        [RKHS_ERR_DATA] = "wrong data",
        [RKHS_ERR_FORMAT] = "wrong or damaged file",
        [RKHS_ERR_IO] = "the system refused",
        [RKHS_ERR_MEMORY] = "not enough memory",
        [RKHS_ERR_NUMERIC] = "no numerical answer",
        [RKHS_ERR_CANCELLED] = "stopped",
        [RKHS_ERR_BUG] = "a fault of the library",
    };
    return (unsigned)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

/* Reads a small system file; the text is empty if there is none. */
static void read_text(const char *path, char *text, size_t room) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, room - 1);
    if (fd >= 0) close(fd);
    text[got > 0 ? got : 0] = 0;
}

/* Lowers *bytes to the limit in `file` of the control group `path` below root/folder, and of all its parent groups. */
static void lower_to_group(const char *root, const char *folder, const char *path, const char *file, double *bytes) {
    char name[1024], text[64];
    for (size_t length = strcspn(path, "\n"); 1; length--) {
        if (length && path[length] != '/' && path[length] != '\n' && path[length]) continue;
        snprintf(name, sizeof name, "%s%s%.*s/%s", root, folder, (int)length, path, file);
        read_text(name, text, sizeof text);
        if (text[0] > '0' && text[0] <= '9') *bytes = fmin(*bytes, strtod(text, NULL)); /* a number, not "max" */
        if (!length) return;
    }
}

double rk_cgroup_memory(const char *groups, const char *root, double bytes) {
    char text[4096];
    read_text(groups, text, sizeof text);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != 0) { /* NUMBER:CONTROLLER:PATH */
        const char *which = strchr(line, ':'), *path = which ? strchr(which + 1, ':') : NULL;
        if (!path) break;
        if (path == which + 1) lower_to_group(root, "", path + 1, "memory.max", &bytes);
        if (path - which == 7 && memcmp(which, ":memory", 7) == 0)
            lower_to_group(root, "/memory", path + 1, "memory.limit_in_bytes", &bytes);
    }
    return bytes;
}

/* 80% of the memory that this process may have. */
static size_t default_limit(void) {
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    return (size_t)(0.8 * rk_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup", bytes));
}

/* The number of cores that this process may use. */
static int default_threads(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        if (count > 0) return count;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

rkhs_status rkhs_env_new(rkhs_env **env) {
    if (!env) return RKHS_ERR_ARGUMENT;
    *env = NULL;
    rkhs_env *e = rk_raw_new(sizeof *e);
    if (!e) return RKHS_ERR_MEMORY;
    e->fail_at = e->fail_write_at = -1;
    rk_begin_call(e);
    e->limit = default_limit();
    e->threads = default_threads();
    *env = e;
    return RKHS_OK;
}

void rkhs_env_free(rkhs_env *env) {
    if (!env) return;
    rkhs_files_drop(env);
    rk_pool_free(env);
    rk_scratch_release(env, NULL);
    for (rk_added *a = env->added, *next; a; a = next) {
        next = a->next;
        rk_raw_free(a);
    }
    rk_raw_free(env);
}

const char *rkhs_env_message(const rkhs_env *env) { return env ? env->message : ""; }
const char *rkhs_env_subject(const rkhs_env *env) { return env ? env->subject : ""; }
const char *rkhs_env_hint(const rkhs_env *env) { return env ? env->hint : ""; }
const char *rkhs_env_log_subject(const rkhs_env *env) { return env && env->log_subject ? env->log_subject : ""; }
const char *rkhs_env_log_hint(const rkhs_env *env) { return env && env->log_hint ? env->log_hint : ""; }

rkhs_status rkhs_env_set_threads(rkhs_env *env, int threads) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    if (threads < 0 || threads > 1024)
        return rk_fail(env, RKHS_ERR_ARGUMENT, "%s: give a number from 1 to 1024, or 0 for all cores",
                       rk_counted(threads, "thread").text);
    rk_pool_free(env);
    env->threads = threads ? threads : default_threads();
    return RKHS_OK;
}

rkhs_status rkhs_env_set_seed(rkhs_env *env, uint64_t seed) {
    if (!env) return RKHS_ERR_ARGUMENT;
    env->seed = seed;
    return RKHS_OK;
}

rkhs_status rkhs_env_set_memory(rkhs_env *env, size_t bytes) {
    if (!env) return RKHS_ERR_ARGUMENT;
    env->limit = bytes ? bytes : default_limit();
    return RKHS_OK;
}

rkhs_status rkhs_env_reserve(rkhs_env *env, int64_t bytes) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    return rk_count_memory(env, bytes);
}

size_t rkhs_env_memory_limit(const rkhs_env *env) { return env ? env->limit : 0; }
size_t rkhs_env_memory_peak(const rkhs_env *env) { return env ? atomic_load(&env->peak) : 0; }

void rkhs_env_set_progress(rkhs_env *env, rkhs_progress_fn fn, void *payload) {
    if (!env) return;
    env->progress = fn;
    env->progress_payload = payload;
}

void rkhs_env_set_log(rkhs_env *env, rkhs_log_fn fn, void *payload) {
    if (!env) return;
    env->log = fn;
    env->log_payload = payload;
}

void rk_clear_error(rkhs_env *env) {
    env->message[0] = env->subject[0] = env->hint[0] = 0;
    env->general = 0;
}

void rk_begin_call(rkhs_env *env) {
    rk_clear_error(env);
    env->at = (rkhs_progress){"work", 0, 0};
    atomic_store(&env->cancelled, 0);
}

static void write_message(rkhs_env *env, const char *hint, const char *format, va_list list) {
    char raw[sizeof env->message];
    vsnprintf(raw, sizeof raw, format, list);
    rk_text_visible(raw, env->message, sizeof env->message);
    if (hint) rk_text_visible(hint, env->hint, sizeof env->hint);
}

/* Writes the message, unless there is one. */
static void write_first(rkhs_env *env, const char *hint, const char *format, va_list list) {
    while (atomic_exchange(&env->writing, 1)) { /* tiles may fail on several threads at once */
    }
    if (!env->message[0]) write_message(env, hint, format, list);
    atomic_store(&env->writing, 0);
}

rkhs_status rk_fail(rkhs_env *env, rkhs_status code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    write_first(env, "", format, list);
    va_end(list);
    return code;
}

rkhs_status rk_fail_hint(rkhs_env *env, rkhs_status code, const char *hint, const char *format, ...) {
    va_list list;
    va_start(list, format);
    write_first(env, hint, format, list);
    va_end(list);
    return code;
}

rkhs_status rk_reword(rkhs_env *env, rkhs_status code, const char *format, ...) {
    va_list list;
    va_start(list, format);
    write_message(env, NULL, format, list);
    va_end(list);
    return code;
}

rkhs_status rk_set_subject(rkhs_env *env, const char *subject, rkhs_status status) {
    if (status != RKHS_OK && !env->subject[0]) snprintf(env->subject, sizeof env->subject, "%s", subject);
    return status;
}

rkhs_status rk_fail_null(rkhs_env *env, const char *call, const char *what) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    return rk_fail(env, RKHS_ERR_ARGUMENT, "%s: no %s: the pointer is NULL", call, what);
}

rkhs_status rkhs_env_fail(rkhs_env *env, rkhs_status status, const char *sentence) {
    if (status < RKHS_ERR_ARGUMENT || status > RKHS_ERR_BUG) status = RKHS_ERR_ARGUMENT;
    return env && sentence ? rk_fail(env, status, "%s", sentence) : status;
}

static void pass_to_log(rkhs_env *env, rkhs_log_level level, const char *format, va_list list) {
    if (!env->log) return;
    char raw[1024], sentence[1024];
    vsnprintf(raw, sizeof raw, format, list);
    rk_text_visible(raw, sentence, sizeof sentence);
    env->log(level, sentence, env->log_payload);
}

void rk_log(rkhs_env *env, rkhs_log_level level, const char *format, ...) {
    va_list list;
    va_start(list, format);
    pass_to_log(env, level, format, list);
    va_end(list);
}

void rk_advise(rkhs_env *env, const char *subject, const char *hint, const char *format, ...) {
    va_list list;
    va_start(list, format);
    env->log_subject = subject;
    env->log_hint = hint;
    pass_to_log(env, RKHS_LOG_ADVICE, format, list);
    env->log_subject = env->log_hint = NULL;
    va_end(list);
}

double rk_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

rkhs_status rk_progress(rkhs_env *env, const char *stage, int64_t done, int64_t total) {
    if (atomic_load(&env->cancelled)) return rk_fail(env, RKHS_ERR_CANCELLED, "stopped on request");
    if (!env->progress) return RKHS_OK;
    if (stage) env->at = (rkhs_progress){stage, done, total};
    double now = rk_seconds();
    int last = stage && total > 0 && done >= total; /* the end of a stage is always reported */
    if (!last && now - env->progress_last < 0.1) return RKHS_OK;
    env->progress_last = now;
    if (env->progress(&env->at, env->progress_payload)) {
        atomic_store(&env->cancelled, 1);
        return rk_fail(env, RKHS_ERR_CANCELLED, "stopped on request");
    }
    return RKHS_OK;
}
