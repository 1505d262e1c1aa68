/* stream.c: bytes in, bytes out.
 *
 * Input is a file, a pipe or standard input; gzip is known by its first two bytes, not by its name, and undone as it is read.
 * Whatever blocks is waited for in slices, so that a cancel is seen within a tenth of a second.
 *
 * Output to a regular file goes to a temporary name in the same folder and is renamed when it is whole and on the disk: a
 * reader sees the old file or the new one. Pipes and devices are written straight. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 64 * 1024, SLICE_MS = 100, HELD = 4096 };

struct rk_input {
    rkhs_env *env;
    int fd;
    int standard;       /* not ours to close */
    int regular, ended; /* ended: read(2) gave nothing more */
    int gzip, between;  /* between: a gzip member has ended, none has begun */
    int64_t size, raw;  /* bytes of a regular file; bytes taken from fd */
    int64_t start;      /* where in the file the first of them stands */
    char *name;
    unsigned char *buffer; /* raw bytes [at, end) */
    size_t at, end;
    unsigned char held[HELD]; /* peeked bytes [held_at, held_end), before all others */
    size_t held_at, held_end;
    z_stream z;
    rk_source source; /* read != NULL: in place of fd */
};

struct rk_output {
    rkhs_env *env;
    int fd;
    int standard; /* not ours to close */
    int straight; /* no temporary name */
    char *name, *target, *temp;
    char *buffer;
    size_t fill;
    int64_t written;
    int memory; /* into `bytes`, as much as fits in `room` */
    char *bytes;
    size_t room;
};

/* The system's words for an error. */
static const char *error_text(int error, char buffer[128]) { return strerror_r(error, buffer, 128); }

/* Asks whether to go on, now: a signal may be why a system call came back. */
static rkhs_status ask_now(rkhs_env *env, const char *stage, int64_t done, int64_t total) {
    env->progress_last = -1;
    return rk_progress(env, stage, done, total);
}

/* ---- input ----------------------------------------------------------------------------------------------------------- */

/* Waits until a pipe or terminal has something, asking whether to go on meanwhile. */
static rkhs_status wait_readable(rk_input *in) {
    struct pollfd p = {in->fd, POLLIN, 0};
    while (poll(&p, 1, SLICE_MS) <= 0) {
        rkhs_status status = ask_now(in->env, "read", in->raw, 0);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* read(2) until something comes, or the end: *got = 0. */
static rkhs_status read_raw(rk_input *in, void *to, size_t count, size_t *got) {
    rkhs_status status = RKHS_OK;
    char why[128];
    *got = 0;
    if (in->ended) return RKHS_OK;
    for (;;) {
        if (!in->regular) TRY(wait_readable(in));
        ssize_t n = read(in->fd, to, count < (1u << 20) ? count : 1u << 20);
        if (n >= 0) {
            *got = (size_t)n;
            in->raw += n;
            in->ended = n == 0;
            TRY(rk_progress(in->env, "read", in->raw, in->size));
            break;
        }
        if (errno == EISDIR) FAIL(in->env, RKHS_ERR_IO, "cannot read %s: it is a folder: name a file in it", in->name);
        if (errno != EINTR && errno != EAGAIN)
            FAIL(in->env, RKHS_ERR_IO, "cannot read %s: %s", in->name, error_text(errno, why));
        TRY(ask_now(in->env, "read", in->raw, in->size));
    }
done:
    return status;
}

/* At least `least` raw bytes in the buffer, unless the end comes first. */
static rkhs_status fill_buffer(rk_input *in, size_t least) {
    while (in->end - in->at < least && !in->ended) {
        if (in->at > 0) memmove(in->buffer, in->buffer + in->at, in->end - in->at);
        in->end -= in->at;
        in->at = 0;
        size_t got;
        rkhs_status status = read_raw(in, in->buffer + in->end, BUFFER - in->end, &got);
        if (status != RKHS_OK) return status;
        in->end += got;
    }
    return RKHS_OK;
}

static voidpf zlib_alloc(voidpf env, uInt items, uInt size) {
    void *p;
    return rk_alloc(env, items, size, &p) == RKHS_OK ? p : Z_NULL;
}

static void zlib_free(voidpf env, voidpf p) { rk_free(env, p); }

void rk_zlib_memory(rkhs_env *env, z_stream *z) {
    z->zalloc = zlib_alloc;
    z->zfree = zlib_free;
    z->opaque = env;
}

/* Looks at the first bytes and prepares to undo gzip. */
static rkhs_status detect_gzip(rk_input *in) {
    rkhs_status status = fill_buffer(in, 2);
    if (status != RKHS_OK) return status;
    if (in->end - in->at < 2 || in->buffer[0] != 0x1f || in->buffer[1] != 0x8b) return RKHS_OK;
    rk_zlib_memory(in->env, &in->z);
    if (inflateInit2(&in->z, 15 + 16) != Z_OK) /* 16: gzip, not zlib */
        return rk_fail(in->env, RKHS_ERR_MEMORY, "%s: there is no memory to undo gzip", in->name);
    in->gzip = 1;
    return RKHS_OK;
}

/* open(2), again after signals that do not cancel. */
static rkhs_status open_file(rkhs_env *env, const char *path, int *fd) {
    char why[128];
    while ((*fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
        if (errno == EINTR) {
            rkhs_status status = ask_now(env, "read", 0, 0);
            if (status != RKHS_OK) return status;
            continue;
        }
        const char *remedy = errno == ENOENT || errno == ENOTDIR ? ": check the name and the folder"
                             : errno == EACCES                   ? ": ask its owner, or copy it to where you may read it"
                                                                 : "";
        return rk_fail(env, RKHS_ERR_IO, "cannot read %s: %s%s", path, error_text(errno, why), remedy);
    }
    return RKHS_OK;
}

rkhs_status rk_input_open(rkhs_env *env, const char *path, rk_input **out) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    struct stat st;
    *out = NULL;
    if (!path) FAIL(env, RKHS_ERR_ARGUMENT, "no file name was given to read from");
    int standard = strcmp(path, "-") == 0;
    TRY(rk_alloc(env, 1, sizeof *in, &in));
    in->env = env;
    in->fd = -1;
    TRY(rk_strdup(env, standard ? "standard input" : path, &in->name));
    TRY(rk_alloc(env, BUFFER, 1, &in->buffer));
    in->standard = standard;
    if (standard)
        in->fd = 0;
    else
        TRY(open_file(env, path, &in->fd));
    if (fstat(in->fd, &st) == 0) {
        if (S_ISDIR(st.st_mode)) FAIL(env, RKHS_ERR_IO, "cannot read %s: it is a folder: name a file in it", in->name);
        in->regular = S_ISREG(st.st_mode);
        off_t at = in->regular ? lseek(in->fd, 0, SEEK_CUR) : 0; /* standard input may be a file read in part */
        if (in->regular && at >= 0 && st.st_size > at) in->size = st.st_size - at;
        in->start = at;
    }
    TRY(detect_gzip(in));
    *out = in;
    in = NULL;
done:
    rk_input_close(in);
    return status;
}

/* Between two gzip members: begins the next one, or sees that only padding is left (*more = 0). */
static rkhs_status next_member(rk_input *in, int *more) {
    rkhs_status status = RKHS_OK;
    *more = 0;
    TRY(fill_buffer(in, 2));
    if (in->end - in->at >= 2 && in->buffer[in->at] == 0x1f && in->buffer[in->at + 1] == 0x8b) {
        inflateReset(&in->z);
        in->between = 0;
        *more = 1;
        goto done;
    }
    while (in->end > in->at) { /* tapes pad with zeros */
        for (; in->at < in->end; in->at++)
            if (in->buffer[in->at])
                FAIL(in->env, RKHS_ERR_FORMAT,
                     "%s: other bytes follow the gzip stream at byte %lld: download or compress it again", in->name,
                     (long long)(in->raw - (int64_t)(in->end - in->at)));
        TRY(fill_buffer(in, 1));
    }
done:
    return status;
}

rkhs_status rk_input_from(rkhs_env *env, const char *name, const rk_source *source, rk_input **out) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    *out = NULL;
    status = rk_alloc(env, 1, sizeof *in, &in);
    if (status != RKHS_OK) {
        source->close(source->context);
        return status;
    }
    in->env = env;
    in->fd = -1;
    in->source = *source;
    TRY(rk_strdup(env, name, &in->name));
    *out = in;
    in = NULL;
done:
    rk_input_close(in);
    return status;
}

/* Undoes gzip into `to`; *got is less than count only at the end. */
static rkhs_status read_gzip(rk_input *in, unsigned char *to, size_t count, size_t *got) {
    rkhs_status status = RKHS_OK;
    *got = 0;
    while (*got < count) {
        int more = 1;
        if (in->between) TRY(next_member(in, &more));
        if (!more) break;
        TRY(fill_buffer(in, 1));
        if (in->at == in->end)
            FAIL(in->env, RKHS_ERR_FORMAT, "%s: the gzip stream ends early, after %lld bytes: download or compress it again",
                 in->name, (long long)in->raw);
        size_t room = count - *got < (1u << 20) ? count - *got : 1u << 20;
        in->z.next_in = in->buffer + in->at;
        in->z.avail_in = (uInt)(in->end - in->at);
        in->z.next_out = to + *got;
        in->z.avail_out = (uInt)room;
        int code = inflate(&in->z, Z_NO_FLUSH);
        in->at = in->end - in->z.avail_in;
        *got += room - in->z.avail_out;
        if (code == Z_STREAM_END)
            in->between = 1;
        else if (code == Z_MEM_ERROR)
            FAIL(in->env, RKHS_ERR_MEMORY, "%s: there is no memory to undo gzip", in->name);
        else if (code != Z_OK && code != Z_BUF_ERROR)
            FAIL(in->env, RKHS_ERR_FORMAT, "%s: the gzip stream is damaged at byte %lld (%s): download or compress it again",
                 in->name, (long long)(in->raw - (int64_t)(in->end - in->at)), in->z.msg ? in->z.msg : "unreadable");
        TRY(rk_progress(in->env, "read", in->raw, in->size)); /* a bomb takes long on few raw bytes */
    }
done:
    return status;
}

/* Plain bytes: what is buffered, then straight from the file. */
static rkhs_status read_plain(rk_input *in, unsigned char *to, size_t count, size_t *got) {
    size_t have = in->end - in->at;
    *got = have < count ? have : count;
    memcpy(to, in->buffer + in->at, *got);
    in->at += *got;
    while (*got < count) {
        size_t n;
        rkhs_status status = read_raw(in, to + *got, count - *got, &n);
        if (status != RKHS_OK) return status;
        if (!n) break;
        *got += n;
    }
    return RKHS_OK;
}

rkhs_status rk_input_read(rk_input *in, void *buffer, size_t count, size_t *got) {
    unsigned char *to = buffer;
    size_t held = in->held_end - in->held_at;
    if (held > count) held = count;
    if (held) memcpy(to, in->held + in->held_at, held);
    in->held_at += held;
    to += held;
    count -= held;
    rkhs_status status = in->source.read ? in->source.read(in->source.context, to, count, got)
                         : in->gzip      ? read_gzip(in, to, count, got)
                                         : read_plain(in, to, count, got);
    *got += held;
    return status;
}

rkhs_status rk_input_peek(rk_input *in, void *buffer, size_t count, size_t *got) {
    unsigned char bytes[HELD];
    if (count > HELD) count = HELD;
    rkhs_status status = rk_input_read(in, bytes, count, got);
    if (status != RKHS_OK) return status;
    size_t rest = in->held_end - in->held_at; /* of an earlier, longer peek */
    memmove(in->held + *got, in->held + in->held_at, rest);
    memcpy(in->held, bytes, *got);
    in->held_at = 0;
    in->held_end = *got + rest;
    memcpy(buffer, bytes, *got);
    return RKHS_OK;
}

int64_t rk_input_left(const rk_input *in) {
    if (in->source.read) return in->source.left(in->source.context) + (int64_t)(in->held_end - in->held_at);
    if (in->gzip || !in->regular) return -1;
    int64_t left = in->size - in->raw;
    return (left > 0 ? left : 0) + (int64_t)(in->end - in->at) + (int64_t)(in->held_end - in->held_at);
}

int rk_input_place(const rk_input *in, int *fd, int64_t *at) {
    *fd = in->fd;
    *at = in->start + in->raw - (int64_t)(in->end - in->at) - (int64_t)(in->held_end - in->held_at);
    return !in->source.read && !in->gzip && in->regular && in->start >= 0;
}

rkhs_status rk_input_all(rk_input *in, char **bytes, size_t *length) {
    rkhs_status status = RKHS_OK;
    char *all = NULL, what[256];
    int64_t left = rk_input_left(in), room = left > 0 ? left + 2 : BUFFER, used = 0;
    *bytes = NULL;
    *length = 0;
    snprintf(what, sizeof what, "%.200s, read whole,", in->name);
    for (;;) {
        TRY(rk_need(in->env, (double)room, what, "raise the memory limit, or keep fewer rows or columns"));
        TRY(rk_realloc(in->env, room, 1, &all));
        size_t got;
        TRY(rk_input_read(in, all + used, (size_t)(room - used - 1), &got));
        used += (int64_t)got;
        if (used < room - 1) break;
        room *= 2;
    }
    all[used] = 0;
    *bytes = all;
    *length = (size_t)used;
    all = NULL;
done:
    rk_free(in->env, all);
    return status;
}

const char *rk_input_name(const rk_input *in) { return in->name; }

void rk_input_close(rk_input *in) {
    if (!in) return;
    if (in->source.close) in->source.close(in->source.context);
    if (in->gzip) inflateEnd(&in->z);
    if (in->fd >= 0 && !in->standard) close(in->fd);
    rk_free(in->env, in->buffer);
    rk_free(in->env, in->name);
    rk_free(in->env, in);
}

/* ---- output ---------------------------------------------------------------------------------------------------------- */

/* Whether this call to the system is the one that a test makes fail; errno is then what it asked for. */
static int made_to_fail(rkhs_env *env) {
    if (env->fail_write_at < 0 || env->writes++ != env->fail_write_at) return 0;
    errno = env->fail_write_error;
    return 1;
}

/* A failed system call on the way out. */
static rkhs_status cannot_write(rk_output *out, int error) {
    char why[128];
    const char *remedy = error == ENOSPC || error == EDQUOT                    ? ": make room, or write elsewhere"
                         : error == ENOENT || error == ENOTDIR                 ? ": make the folder first"
                         : error == EACCES || error == EPERM || error == EROFS ? ": write to a folder of your own"
                         : error == EFAULT ? ": a file that it is made from was cut short meanwhile: make that again"
                                           : "";
    return rk_fail(out->env, RKHS_ERR_IO, "cannot write %s: %s%s", out->name, error_text(error, why), remedy);
}

/* A new file beside the target. Made with open(2), not mkstemp, so that the umask decides its mode. */
static rkhs_status open_temp(rk_output *out) {
    const char *slash = strrchr(out->target, '/'), *base = slash ? slash + 1 : out->target;
    int folder = (int)(base - out->target), room = folder + 256;
    rkhs_status status = rk_alloc(out->env, room, 1, &out->temp);
    if (status != RKHS_OK) return status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mix = (uint64_t)now.tv_nsec * 0x9E3779B97F4A7C15u ^ (uint64_t)getpid() << 20;
    for (int attempt = 0; attempt < 100; attempt++) {
        mix = mix * 6364136223846793005u + 1442695040888963407u;
        snprintf(out->temp, (size_t)room, "%.*s.%.200s.rkhs-%06x", folder, out->target, base, (unsigned)(mix >> 40));
        out->fd = made_to_fail(out->env) ? -1 : open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0) return RKHS_OK;
        if (errno != EEXIST && errno != EINTR) break;
    }
    int error = errno;
    rk_free(out->env, out->temp); /* nothing there to remove */
    out->temp = NULL;
    return cannot_write(out, error);
}

/* Opens a target that has a name: a new file, the successor of a file, or what is no file at all. */
static rkhs_status open_target(rk_output *out, const char *path) {
    rkhs_status status = RKHS_OK;
    struct stat st;
    char real[PATH_MAX];
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) FAIL(out->env, RKHS_ERR_IO, "cannot write %s: it is a folder: name a file in it", path);
    if (exists && !S_ISREG(st.st_mode)) {
        out->straight = 1;
        out->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (out->fd < 0) status = cannot_write(out, errno);
        goto done;
    }
    if (exists && access(path, W_OK) != 0) { /* rename would not mind, its owner might */
        status = cannot_write(out, errno);
        goto done;
    }
    TRY(rk_strdup(out->env, exists && realpath(path, real) ? real : path, &out->target));
    TRY(open_temp(out));
    if (exists) {
        if (st.st_uid != geteuid() && fchown(out->fd, st.st_uid, st.st_gid) != 0) errno = 0; /* as good as can be */
        if (fchmod(out->fd, st.st_mode & 0777) != 0) status = cannot_write(out, errno);
    }
done:
    return status;
}

rkhs_status rk_output_open(rkhs_env *env, const char *path, rk_output **result) {
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    *result = NULL;
    if (!path) FAIL(env, RKHS_ERR_ARGUMENT, "no file name was given to write to");
    int standard = strcmp(path, "-") == 0;
    TRY(rk_alloc(env, 1, sizeof *out, &out));
    out->env = env;
    out->fd = -1;
    TRY(rk_strdup(env, standard ? "standard output" : path, &out->name));
    TRY(rk_alloc(env, BUFFER, 1, &out->buffer));
    out->standard = standard;
    if (standard)
        out->fd = out->straight = 1;
    else
        TRY(open_target(out, path));
    *result = out;
    out = NULL;
done:
    rk_output_free(out);
    return status;
}

rkhs_status rk_output_memory(rkhs_env *env, void *bytes, size_t room, rk_output **result) {
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    *result = NULL;
    TRY(rk_alloc(env, 1, sizeof *out, &out));
    *out = (rk_output){.env = env, .fd = -1, .straight = 1, .memory = 1, .bytes = bytes, .room = room};
    TRY(rk_strdup(env, "memory", &out->name));
    TRY(rk_alloc(env, BUFFER, 1, &out->buffer));
    *result = out;
    out = NULL;
done:
    rk_output_free(out);
    return status;
}

int64_t rk_output_size(const rk_output *out) { return out->written + (int64_t)out->fill; }

/* Copies what fits, and counts all. */
static void write_memory(rk_output *out, const char *bytes, size_t count) {
    size_t at = (size_t)out->written, fits = at < out->room ? out->room - at : 0;
    if (fits > count) fits = count;
    if (fits) memcpy(out->bytes + at, bytes, fits);
    out->written += (int64_t)count;
}

/* write(2) until all is written. */
static rkhs_status write_raw(rk_output *out, const char *bytes, size_t count) {
    rkhs_status status = RKHS_OK;
    if (out->memory) {
        write_memory(out, bytes, count);
        return RKHS_OK;
    }
    while (count > 0) {
        size_t part = count < (1u << 20) ? count : 1u << 20;
        int fails = made_to_fail(out->env);
        ssize_t n = fails && errno ? -1 : write(out->fd, bytes, fails ? (part + 1) / 2 : part);
        if (n < 0 && errno == EAGAIN) { /* a terminal or pipe that somebody made non-blocking */
            struct pollfd p = {out->fd, POLLOUT, 0};
            poll(&p, 1, SLICE_MS);
        }
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            TRY(ask_now(out->env, "write", out->written, 0));
            continue;
        }
        if (n < 0) {
            status = cannot_write(out, errno);
            goto done;
        }
        bytes += n;
        count -= (size_t)n;
        out->written += n;
        TRY(rk_progress(out->env, "write", out->written, 0));
    }
done:
    return status;
}

/* Empties the buffer. */
static rkhs_status flush_buffer(rk_output *out) {
    size_t fill = out->fill;
    out->fill = 0;
    return write_raw(out, out->buffer, fill);
}

rkhs_status rk_output_write(rk_output *out, const void *bytes, size_t count) {
    if (count > BUFFER - out->fill) {
        rkhs_status status = flush_buffer(out);
        if (status != RKHS_OK) return status;
        if (count >= BUFFER) return write_raw(out, bytes, count);
    }
    if (count) memcpy(out->buffer + out->fill, bytes, count);
    out->fill += count;
    return RKHS_OK;
}

rkhs_status rk_output_print(rk_output *out, const char *format, ...) {
    rkhs_status status = RKHS_OK;
    va_list list;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t room = BUFFER - out->fill;
        va_start(list, format);
        int wants = vsnprintf(out->buffer + out->fill, room, format, list);
        va_end(list);
        if (wants >= 0 && (size_t)wants < room) {
            out->fill += (size_t)wants;
            return RKHS_OK;
        }
        TRY(flush_buffer(out));
    }
    FAIL(out->env, RKHS_ERR_BUG, "a text of more than %d bytes was printed at once to %s", BUFFER, out->name);
done:
    return status;
}

/* Makes the new name durable. A folder that cannot be synced does not undo a file that is. */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length ? length : 1, slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

rkhs_status rk_output_commit(rk_output *out) {
    rkhs_status status = RKHS_OK;
    TRY(flush_buffer(out));
    if (out->standard || out->memory) goto done;
    if (!out->straight && (made_to_fail(out->env) || fsync(out->fd) != 0) && errno != EINVAL && errno != ENOTSUP) {
        status = cannot_write(out, errno);
        goto done;
    }
    int closed = close(out->fd);
    out->fd = -1;
    if (made_to_fail(out->env)) closed = -1;
    if (closed != 0 && errno != EINTR) {
        status = cannot_write(out, errno);
        goto done;
    }
    if (out->straight) goto done;
    if (made_to_fail(out->env) || rename(out->temp, out->target) != 0) {
        status = cannot_write(out, errno);
        goto done;
    }
    rk_free(out->env, out->temp);
    out->temp = NULL;
    sync_folder(out->target);
done:
    return status;
}

const char *rk_output_name(const rk_output *out) { return out->name; }

void rk_output_free(rk_output *out) {
    if (!out) return;
    if (out->fd >= 0 && !out->standard) close(out->fd);
    if (out->temp) unlink(out->temp);
    rk_free(out->env, out->temp);
    rk_free(out->env, out->target);
    rk_free(out->env, out->name);
    rk_free(out->env, out->buffer);
    rk_free(out->env, out);
}
