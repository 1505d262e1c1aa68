/* stage.c: two results that appear together or not at all.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Each is written to a hidden file .NAME.rkhs-HEX beside its target; when both are whole, both are renamed. Should the second
 * rename fail, the first is undone: what stood there before was kept by a second name until then. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One result on its way. */
struct staged {
    const char *path;      /* as the user gave it; NULL: not used */
    char target[PATH_MAX]; /* through a link, so that the link stays */
    char temp[PATH_MAX];   /* what is written; empty: nothing there */
    char before[PATH_MAX]; /* a second name of what stood there; empty: nothing */
};

/* A name beside `target` that nothing has yet. */
static int name_beside(const char *target, char *name) {
    static uint64_t mix;
    struct timespec now;
    const char *slash = strrchr(target, '/'), *base = slash != NULL ? slash + 1 : target;
    clock_gettime(CLOCK_REALTIME, &now);
    mix += (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20;
    mix = mix * 6364136223846793005u + 1442695040888963407u;
    return snprintf(name, PATH_MAX, "%.*s.%.200s.rkhs-%06x", (int)(base - target), target, base, (unsigned)(mix >> 40)) <
           PATH_MAX;
}

/* Says why a result cannot be written. */
static rkhs_status cannot(cli *c, const char *path, int error) {
    const char *remedy = error == ENOSPC || error == EDQUOT                    ? ": make room, or write elsewhere"
                         : error == EACCES || error == EPERM || error == EROFS ? ": write to a folder of your own"
                                                                               : "";
    return refuse(c, EXIT_FAILED, "cannot write %s: %s%s", path, strerror(error), remedy);
}

/* Makes the hidden file, with the mode and owner of what it will replace: the library then keeps these. */
static rkhs_status make_temp(cli *c, struct staged *s, const struct stat *old) {
    int fd = -1;
    for (int attempt = 0; attempt < 100 && fd < 0; attempt++) {
        if (!name_beside(s->target, s->temp)) return cannot(c, s->path, ENAMETOOLONG);
        fd = open(s->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST && errno != EINTR) break;
    }
    if (fd < 0) {
        s->temp[0] = 0;
        return cannot(c, s->path, errno);
    }
    remove_on_stop(s == c->staged ? 1 : 2, s->temp);
    int error = 0;
    if (old != NULL) {
        if (old->st_uid != geteuid() && fchown(fd, old->st_uid, old->st_gid) != 0) errno = 0; /* as good as can be */
        if (fchmod(fd, old->st_mode & 0777) != 0) error = errno;
    }
    if (close(fd) != 0 && error == 0) error = errno;
    return error == 0 ? RKHS_OK : cannot(c, s->path, error);
}

/* Prepares one result; pipes and devices are written straight. */
static rkhs_status stage_one(cli *c, struct staged *s, const char *path) {
    struct stat info;
    int exists = stat(path, &info) == 0;
    if (strcmp(path, "-") == 0 || (exists && !S_ISREG(info.st_mode))) return RKHS_OK;
    if (exists && access(path, W_OK) != 0) return cannot(c, path, errno); /* rename would not mind, its owner might */
    if (!exists || realpath(path, s->target) == NULL) {
        if (strlen(path) >= sizeof s->target) return cannot(c, path, ENAMETOOLONG);
        strcpy(s->target, path);
    }
    s->path = path;
    return make_temp(c, s, exists ? &info : NULL);
}

rkhs_status stage(cli *c, const char *a, const char *b) {
    rkhs_status status = RKHS_OK;
    if (a == NULL || b == NULL) return RKHS_OK;
    if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    c->staged = calloc(2, sizeof *c->staged);
    if (c->staged == NULL) return refuse(c, EXIT_FAILED, "no memory");
    TRY(stage_one(c, &c->staged[0], a));
    TRY(stage_one(c, &c->staged[1], b));
done:
    return status;
}

const char *stage_of(const cli *c, const char *path) {
    for (int i = 0; i < 2 && c->staged != NULL; i++) {
        if (c->staged[i].path != NULL && strcmp(c->staged[i].path, path) == 0) return c->staged[i].temp;
    }
    return NULL;
}

/* Makes the new name durable, if the folder lets us. */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash != NULL ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1, slash != NULL ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

/* Gives one result its name; 0, or errno. With `undo` what stood there keeps a second name; where a file cannot have two, it is
 * moved aside. */
static int put_in_place(struct staged *s, int undo) {
    struct stat info;
    if (undo && lstat(s->target, &info) == 0) {
        int error = 0;
        for (int attempt = 0; attempt < 100; attempt++) {
            if (!name_beside(s->target, s->before)) return ENAMETOOLONG;
            error = link(s->target, s->before) == 0 ? 0 : errno;
            if (error != EEXIST) break;
        }
        if (error != 0 && rename(s->target, s->before) != 0) {
            error = errno;
            s->before[0] = 0;
            return error;
        }
    }
    if (rename(s->temp, s->target) != 0) return errno;
    s->temp[0] = 0;
    return 0;
}

rkhs_status stage_commit(cli *c) {
    int error = 0, i = 0;
    if (c->staged == NULL) return RKHS_OK;
    if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    writing_now(1);
    for (i = 0; i < 2 && error == 0; i++) {
        if (c->staged[i].path != NULL) error = put_in_place(&c->staged[i], i == 0);
    }
    rkhs_status status = error == 0 ? RKHS_OK : cannot(c, c->staged[i - 1].path, error);
    for (int j = 0; j < i; j++) {
        struct staged *s = &c->staged[j];
        if (s->path == NULL) continue;
        if (error != 0 && s->before[0] != 0)
            rename(s->before, s->target);
        else if (error != 0 && s->temp[0] == 0)
            unlink(s->target);
        if (s->before[0] != 0) unlink(s->before); /* also after the rename, which does nothing between two names of one file */
        s->before[0] = 0;
        if (error == 0) sync_folder(s->target);
    }
    writing_now(0);
    return status;
}

void stage_end(cli *c) {
    for (int i = 0; i < 2 && c->staged != NULL; i++) {
        if (c->staged[i].temp[0] != 0) unlink(c->staged[i].temp);
        remove_on_stop(1 + i, NULL);
    }
    free(c->staged);
    c->staged = NULL;
}
