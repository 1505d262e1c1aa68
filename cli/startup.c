/* startup.c: sets OPENBLAS_NUM_THREADS=1 before the libraries start, where address space is limited.
 *
 * When it is loaded, OpenBLAS starts a thread for each core, with about 136 MB of address space each. Under a limit on
 * address space (ulimit -v) it ends the process if it gets no thread, and retries for ever if it gets no memory. The
 * tool does not need these threads; it has its own. So under a limit it executes itself again with
 * OPENBLAS_NUM_THREADS=1, from .preinit_array, the only code that runs before that of the libraries. */
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <alloca.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

static char setting[] = "OPENBLAS_NUM_THREADS=1";

static void start_with_one_thread_of_blas(int argc, char **argv, char **envp) {
    const size_t name = strlen(setting) - 1; /* including the = */
    struct rlimit limit;
    char path[PATH_MAX];
    size_t count = 0, kept = 0;
    if (getauxval(AT_BASE) == 0) return; /* started by the dynamic loader: /proc/self/exe is the loader */
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    for (; envp[count]; count++)
        if (strcmp(envp[count], setting) == 0) return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    char **with = alloca((count + 2) * sizeof *with);
    for (size_t i = 0; i < count; i++)
        if (strncmp(envp[i], setting, name) != 0) with[kept++] = envp[i];
    with[kept++] = setting;
    with[kept] = NULL;
    execve(path, argv, with); /* on failure: go on */
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **,
                                                                                       char **) = start_with_one_thread_of_blas;
#else
typedef int nothing_to_settle;
#endif
