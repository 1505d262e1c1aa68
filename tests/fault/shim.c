/* shim.c: a library to be preloaded that makes the k-th call of a kind fail, from main on.
 *
 *     RKHS_FAULT=KIND:HOW:K LD_PRELOAD=libshim.so rkhs ...
 *
 * KIND: write, fsync, rename, exchange (a rename with flags), close, open (for writing), malloc. HOW: the number of
 * an errno; "short" (half a write); "kill" and "after" (SIGKILL before and after the call). K counts from 0; -1:
 * every call. A second fault may follow after a comma. A byte on descriptor 99 says that it happened. Calls that
 * libc makes within itself (stdio) do not pass here; writes to standard error are left alone. Allocations count when
 * the program or libc asks, not BLAS. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { SAID = 99, RANGES = 2, FAULTS = 2 };

static struct {
    char kind[16], how[16];
    long at;
    _Atomic long seen;
} faults[FAULTS];
static const char *how = ""; /* of the one that struck last */
static volatile int active;
static struct { uintptr_t from, to; } callers[RANGES]; /* the program, libc */

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* Whether this call is the one. */
static int hit(const char *call) {
    int i = 0;
    while (i < FAULTS && strcmp(faults[i].kind, call) != 0) i++;
    if (!active || i == FAULTS) return 0;
    if (faults[i].seen++ != faults[i].at && faults[i].at >= 0) return 0;
    how = faults[i].how;
    syscall(SYS_write, SAID, "!", 1);
    if (strcmp(how, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    errno = atoi(how);
    return 1;
}

static int is(const char *word) { return strcmp(how, word) == 0; }

static void die_after(int this_one) {
    if (this_one && is("after")) syscall(SYS_kill, getpid(), SIGKILL);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    int now = fd != 2 && fd != SAID && hit("write");
    if (now && !is("short") && !is("after")) return -1;
    ssize_t n = syscall(SYS_write, fd, bytes, now && is("short") ? (count + 1) / 2 : count);
    die_after(now);
    return n;
}

int fsync(int fd) {
    int now = hit("fsync");
    if (now && !is("after")) return -1;
    int result = (int)syscall(SYS_fsync, fd);
    die_after(now);
    return result;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    int now = (flags && hit("exchange")) || hit("rename");
    if (now && !is("after")) return -1;
    int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    die_after(now);
    return result;
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* A close that fails has closed all the same. */
int close(int fd) {
    int now = hit("close"), error = errno;
    int result = (int)syscall(SYS_close, fd);
    die_after(now);
    if (now) errno = error;
    return now ? -1 : result;
}

static int open_any(const char *path, int flags, int mode) {
    int now = (flags & (O_WRONLY | O_RDWR)) && hit("open");
    if (now && !is("after")) return -1;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    die_after(now);
    return fd;
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    return open_any(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    return open_any(path, flags, mode);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* Whether the code at `where` is of the program or of libc. */
static int counts(const void *where) {
    for (int i = 0; i < RANGES; i++)
        if ((uintptr_t)where >= callers[i].from && (uintptr_t)where < callers[i].to) return 1;
    return 0;
}

static int starved(const void *caller) {
    if (!active || !counts(caller) || !hit("malloc")) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t count) { return starved(__builtin_return_address(0)) ? NULL : __libc_malloc(count); }
void *calloc(size_t n, size_t size) { return starved(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t count) { return starved(__builtin_return_address(0)) ? NULL : __libc_realloc(p, count); }

int posix_memalign(void **out, size_t align, size_t count) {
    void *p = starved(__builtin_return_address(0)) ? NULL : __libc_memalign(align, count);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

/* ---- from main on ---------------------------------------------------------------------------------------------- */

static int note_range(struct dl_phdr_info *info, size_t size, void *payload) {
    int program = info->dlpi_name[0] == 0, libc = strstr(info->dlpi_name, "/libc.so") != NULL;
    (void)size, (void)payload;
    for (int i = 0; (program || libc) && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        callers[libc].from = info->dlpi_addr + p->p_vaddr;
        callers[libc].to = callers[libc].from + p->p_memsz;
    }
    return 0;
}

static int (*program_main)(int, char **, char **);

static int begin(int argc, char **argv, char **environment) {
    active = 1;
    return program_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&start = real("__libc_start_main");
    const char *fault = getenv("RKHS_FAULT");
    for (int i = 0; i < FAULTS && fault; i++) {
        if (sscanf(fault, "%15[a-z]:%15[a-z0-9]:%ld", faults[i].kind, faults[i].how, &faults[i].at) != 3) break;
        fault = strchr(fault, ',');
        fault = fault ? fault + 1 : NULL;
        dl_iterate_phdr(note_range, NULL);
    }
    program_main = main;
    return start(begin, argc, argv, init, fini, rtld_fini, stack_end);
}
