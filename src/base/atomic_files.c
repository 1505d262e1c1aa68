/* atomic_files.c: atomic output: files that appear completely or not at all, one or several together.
 *
 * A file is written under a hidden name beside its target, synced, and renamed: a reader sees the old file or the new
 * one, never a part. Of several files that belong together, each is exchanged with the file under its name
 * (RENAME_EXCHANGE). If one fails, the earlier ones are exchanged back. A lock on the folder makes other processes
 * that do the same wait. File systems without exchange (NFS, some FUSE file systems) rename one after the other; the
 * error message then names a file that could not be restored.
 *
 * The hidden file of a target that exists has mode 0600 until it is complete. Then it gets the target's owner, mode
 * and access list. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

enum { ATTEMPTS = 100, WAIT_MS = 2000 };

/* How a file got its name: decides how to undo it. */
typedef enum renamed { NOT_YET, MADE, EXCHANGED, REPLACED } renamed;

struct rk_file {
    rk_file *next;
    char *name, *target, *temp; /* as given; after following links; the hidden name, NULL: no such file */
    int replaces;               /* the target exists */
    struct stat old, own;
    renamed how;
};

int rk_write_fails(rkhs_env *env) {
    if (env->fail_write_at < 0 || env->writes++ != env->fail_write_at) return 0;
    errno = env->fail_write_error;
    return 1;
}

rkhs_status rk_cannot_write(rkhs_env *env, const char *name, int error, const char *more) {
    char why[128];
    const char *remedy = error == ENOSPC || error == EDQUOT                    ? ": make room, or write elsewhere"
                         : error == ENOENT || error == ENOTDIR                 ? ": make the folder first"
                         : error == EACCES || error == EPERM || error == EROFS ? ": write to a folder of your own"
                         : error == EFAULT ? ": a file that it is made from was cut short meanwhile: make that again"
                                           : "";
    return rk_fail(env, RKHS_ERR_IO, "cannot write %s: %s%s%s", name, rk_error_text(error, why), remedy, more);
}

/* ---- the hidden file ------------------------------------------------------------------------------------------- */

/* Creates the hidden file. The umask decides the mode if the target is new. */
static rkhs_status open_hidden(rkhs_env *env, rk_file *f, int *fd) {
    const char *slash = strrchr(f->target, '/'), *base = slash ? slash + 1 : f->target;
    int folder = (int)(base - f->target), room = folder + 256;
    rkhs_status status = rk_alloc(env, room, 1, &f->temp);
    if (status != RKHS_OK) return status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mix = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid() << 20;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        mix = mix * 6364136223846793005u + 1442695040888963407u;
        snprintf(f->temp, (size_t)room, "%.*s.%.200s.rkhs-%06x", folder, f->target, base, (unsigned)(mix >> 40));
        *fd = rk_write_fails(env) ? -1 : open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, f->replaces ? 0600 : 0666);
        if (*fd >= 0) return RKHS_OK;
        if (errno != EEXIST && errno != EINTR) break;
    }
    int error = errno;
    rk_free(env, f->temp); /* there is no file to delete */
    f->temp = NULL;
    return rk_cannot_write(env, f->name, error, "");
}

/* Follows links, also to a name that does not exist. Returns 0, or -1 and errno. */
static int follow_links(const char *path, char real[PATH_MAX]) {
    char link[PATH_MAX], next[2 * PATH_MAX];
    snprintf(next, sizeof next, "%s", path);
    for (int links = 0; links < 40; links++) {
        if (strlen(next) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        strcpy(real, next);
        ssize_t length = readlink(real, link, sizeof link - 1);
        if (length < 0) return 0;
        link[length] = 0;
        const char *slash = link[0] != '/' ? strrchr(real, '/') : NULL;
        snprintf(next, sizeof next, "%.*s%s", slash ? (int)(slash - real) + 1 : 0, real, link);
    }
    errno = ELOOP;
    return -1;
}

rkhs_status rk_file_open(rkhs_env *env, const char *path, rk_file **file, int *fd) {
    rkhs_status status = RKHS_OK;
    char real[PATH_MAX];
    rk_file *f = NULL;
    *file = NULL;
    *fd = -1;
    TRY(rk_alloc(env, 1, sizeof *f, &f));
    TRY(rk_strdup(env, path, &f->name));
    f->replaces = stat(path, &f->old) == 0;
    /* rename would replace a read-only file, which its owner may not want */
    if (f->replaces ? access(path, W_OK) != 0 : errno != ENOENT) status = rk_cannot_write(env, path, errno, "");
    if (status == RKHS_OK && follow_links(path, real) != 0) status = rk_cannot_write(env, path, errno, "");
    if (status != RKHS_OK) goto done;
    TRY(rk_strdup(env, real, &f->target));
    TRY(open_hidden(env, f, fd));
    *file = f;
    f = NULL;
done:
    rk_file_free(env, f);
    return status;
}

/* Copies the target's access control list, or removes the list if the target has none. Returns 0 on failure. */
static int copy_access_list(const char *target, int fd) {
#ifdef __linux__
    static const char name[] = "system.posix_acl_access";
    char list[4096];
    ssize_t size = getxattr(target, name, list, sizeof list);
    if (size > 0) return fsetxattr(fd, name, list, (size_t)size, 0) == 0;
    if (errno != ENODATA && errno != ENOTSUP) return 0;
    return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP; /* the folder's default list */
#else
    return 1;
#endif
}

rkhs_status rk_file_seal(rkhs_env *env, rk_file *f, int fd) {
    struct stat now;
    if (stat(f->target, &now) == 0 && S_ISREG(now.st_mode)) { /* its state may have changed since */
        f->old = now;
        f->replaces = 1;
    }
    if (fstat(fd, &f->own) != 0) return rk_cannot_write(env, f->name, errno, "");
    if (!f->replaces) return RKHS_OK;
    mode_t mode = f->old.st_mode & 0777;
    int owned = f->own.st_uid == f->old.st_uid || fchown(fd, f->old.st_uid, (gid_t)-1) == 0;
    int grouped = f->own.st_gid == f->old.st_gid || fchown(fd, (uid_t)-1, f->old.st_gid) == 0;
    if (!owned) errno = 0; /* not permitted: the writer stays the owner */
    if (!copy_access_list(f->target, fd) || !grouped)
        mode = (mode & 0707) | (mode & mode << 3 & 070); /* another group, so it gets no more than everybody has */
    return fchmod(fd, mode) == 0 ? RKHS_OK : rk_cannot_write(env, f->name, errno, "");
}

void rk_file_free(rkhs_env *env, rk_file *f) {
    if (!f) return;
    if (f->temp) unlink(f->temp);
    rk_free(env, f->temp);
    rk_free(env, f->target);
    rk_free(env, f->name);
    rk_free(env, f);
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

/* Opens the folder of a file; -1 on failure. */
static int open_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length ? length : 1, slash ? path : ".");
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Locks the folder against other processes that commit several files; waits at most WAIT_MS. Returns a descriptor. */
static int lock_folder(const char *path) {
    int fd = open_folder(path);
    for (int waited = 0; fd >= 0 && waited < WAIT_MS; waited++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return fd;
}

/* Makes the new name durable. A failure is ignored: the file itself is synced. */
static void sync_folder(const char *path) {
    int fd = open_folder(path);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static int exchange(const rk_file *f) {
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->target, RENAME_EXCHANGE);
#else
    errno = EINVAL;
    return -1;
#endif
}

/* Renames to a name that does not exist yet. */
static int rename_to_new(const rk_file *f) {
#ifdef RENAME_NOREPLACE
    return renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->target, RENAME_NOREPLACE);
#else
    errno = EINVAL;
    return -1;
#endif
}

/* Renames without a way back: the old file is gone. Returns 0, or -1 and errno. */
static int put_for_good(rk_file *f) {
    struct stat st;
    renamed how = lstat(f->target, &st) == 0 ? REPLACED : MADE;
    if (rename(f->temp, f->target) != 0) return -1;
    f->how = how;
    return 0;
}

/* Renames so that it can be undone: the old file gets the hidden name. Returns 0, or -1 and errno. */
static int put_for_now(rk_file *f) {
    struct stat st;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (exchange(f) == 0) {
            f->how = EXCHANGED;
            if (lstat(f->temp, &st) != 0 || !S_ISDIR(st.st_mode)) return 0;
            exchange(f); /* a folder of that name has appeared: put it back */
            errno = EISDIR;
            return -1;
        }
        if (errno == ENOENT && rename_to_new(f) == 0) {
            f->how = MADE;
            return 0;
        }
        if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return put_for_good(f);
        if (errno != EEXIST) return -1;
    }
    return -1;
}

static int is_own(const rk_file *f, const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && st.st_dev == f->own.st_dev && st.st_ino == f->own.st_ino;
}

/* Restores the old file, unless another process has replaced ours since. Returns 0 if that is not possible. */
static int undo(rk_file *f) {
    if (!is_own(f, f->target)) return 1;
    if (f->how == MADE) return rename(f->target, f->temp) == 0;
    if (f->how != EXCHANGED || exchange(f) != 0) return 0;
    if (!is_own(f, f->temp)) exchange(f);
    return 1;
}

/* Renames all files of the list, or none. */
static rkhs_status rename_all(rkhs_env *env, rk_file *list) {
    char more[512] = "";
    int several = list && list->next, lock = several ? lock_folder(list->target) : -1;
    rk_file *f = list;
    while (f && !rk_write_fails(env) && (several ? put_for_now(f) : put_for_good(f)) == 0) f = f->next;
    int error = errno;
    for (rk_file *g = list; f && g != f; g = g->next)
        if (!undo(g)) snprintf(more, sizeof more, "; %.200s is the new one, which cannot be undone here", g->name);
    if (lock >= 0) close(lock);
    if (f) return rk_cannot_write(env, f->name, error, more);
    for (f = list; f; f = f->next) {
        if (f->how == EXCHANGED) unlink(f->temp);
        rk_free(env, f->temp);
        f->temp = NULL;
        sync_folder(f->target);
    }
    return RKHS_OK;
}

static void free_list(rkhs_env *env, rk_file *list) {
    for (rk_file *next; list; list = next) {
        next = list->next;
        rk_file_free(env, list);
    }
}

/* Whether two targets are the same name in the same folder. */
static int same_target(const rk_file *a, const rk_file *b) {
    const char *const path[] = {a->target, b->target}, *name[2];
    struct stat folder[2];
    for (int i = 0; i < 2; i++) {
        char at[PATH_MAX];
        const char *slash = strrchr(path[i], '/');
        snprintf(at, sizeof at, "%.*s", slash ? (int)(slash - path[i]) + 1 : 1, slash ? path[i] : ".");
        name[i] = slash ? slash + 1 : path[i];
        if (stat(at, &folder[i]) != 0) return 0;
    }
    return strcmp(name[0], name[1]) == 0 && folder[0].st_dev == folder[1].st_dev && folder[0].st_ino == folder[1].st_ino;
}

rkhs_status rk_file_commit(rkhs_env *env, rk_file *f) {
    rk_file **end = &env->pending_files;
    if (env->batching_files) {
        for (; *end; end = &(*end)->next) {
            if (!same_target(*end, f)) continue;
            rkhs_status status =
                rk_fail(env, RKHS_ERR_ARGUMENT, "%s and %s are the same file: give two names", (*end)->name, f->name);
            rk_file_free(env, f);
            return status;
        }
        *end = f;
        return RKHS_OK;
    }
    rkhs_status status = rename_all(env, f);
    rk_file_free(env, f);
    return status;
}

rkhs_status rkhs_files_begin(rkhs_env *env) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    if (env->batching_files)
        return rk_fail(env, RKHS_ERR_ARGUMENT, "rkhs_files_begin: files are waiting already: commit or drop these first");
    env->batching_files = 1;
    return RKHS_OK;
}

rkhs_status rkhs_files_commit(rkhs_env *env) {
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    if (!env->batching_files) return rk_fail(env, RKHS_ERR_ARGUMENT, "rkhs_files_commit: call rkhs_files_begin before");
    rkhs_status status = rename_all(env, env->pending_files);
    rkhs_files_drop(env);
    return status;
}

void rkhs_files_drop(rkhs_env *env) {
    if (!env) return;
    free_list(env, env->pending_files);
    env->pending_files = NULL;
    env->batching_files = 0;
}
