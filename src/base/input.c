/* input.c: reads files, pipes and standard input, and decompresses gzip.
 *
 * gzip is recognised by its first two bytes, not by the file's name. A read that would block waits in slices of a
 * tenth of a second, so that a cancellation is noticed in between. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER = 64 * 1024, SLICE_MS = 100, HELD = 4096 };

struct rk_input {
    rkhs_env *env;
    int fd;
    int standard;       /* standard input, which is not closed */
    int regular, ended; /* ended: read(2) has returned 0 */
    int gzip, between;  /* between: one gzip member has ended, the next has not begun */
    int64_t size, raw;  /* size of a regular file; bytes read from fd */
    int64_t start;      /* offset in the file of the first of them */
    char *name;
    unsigned char *buffer; /* compressed or plain bytes [at, end) from fd */
    size_t at, end;
    unsigned char held[HELD]; /* peeked bytes [held_at, held_end), read before all others */
    size_t held_at, held_end;
    z_stream z;
    rk_source source; /* used instead of fd if read is set */
};

const char *rk_error_text(int error, char buffer[128]) { return strerror_r(error, buffer, 128); }

rkhs_status rk_poll_cancel(rkhs_env *env, const char *stage, int64_t done, int64_t total) {
    env->progress_last = -1;
    return rk_progress(env, stage, done, total);
}

/* Waits until a pipe or terminal has data, and checks for cancellation meanwhile. */
static rkhs_status wait_readable(rk_input *in) {
    struct pollfd p = {in->fd, POLLIN, 0};
    while (poll(&p, 1, SLICE_MS) <= 0) {
        rkhs_status status = rk_poll_cancel(in->env, "read", in->raw, 0);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Repeats read(2) until there are bytes, or the end: *got = 0. */
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
            FAIL(in->env, RKHS_ERR_IO, "cannot read %s: %s", in->name, rk_error_text(errno, why));
        TRY(rk_poll_cancel(in->env, "read", in->raw, in->size));
    }
done:
    return status;
}

/* Fills the buffer until it has at least `least` bytes, or the input ends. */
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

/* Prepares to decompress if the first bytes are those of gzip. */
static rkhs_status detect_gzip(rk_input *in) {
    rkhs_status status = fill_buffer(in, 2);
    if (status != RKHS_OK) return status;
    if (in->end - in->at < 2 || in->buffer[0] != 0x1f || in->buffer[1] != 0x8b) return RKHS_OK;
    rk_zlib_memory(in->env, &in->z);
    if (inflateInit2(&in->z, 15 + 16) != Z_OK) /* 16: a gzip header, not a zlib one */
        return rk_fail(in->env, RKHS_ERR_MEMORY, "%s: there is no memory to undo gzip", in->name);
    in->gzip = 1;
    return RKHS_OK;
}

/* open(2), repeated after signals that do not cancel. */
static rkhs_status open_file(rkhs_env *env, const char *path, int *fd) {
    char why[128];
    while ((*fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
        if (errno == EINTR) {
            rkhs_status status = rk_poll_cancel(env, "read", 0, 0);
            if (status != RKHS_OK) return status;
            continue;
        }
        const char *remedy = errno == ENOENT || errno == ENOTDIR ? ": check the name and the folder"
                             : errno == EACCES                   ? ": ask its owner, or copy it to where you may read it"
                                                                 : "";
        return rk_fail(env, RKHS_ERR_IO, "cannot read %s: %s%s", path, rk_error_text(errno, why), remedy);
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
        off_t at = in->regular ? lseek(in->fd, 0, SEEK_CUR) : 0; /* a program may have read a part of standard input */
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

/* Begins the next gzip member, or finds that only zero padding follows (*more = 0). */
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
    while (in->end > in->at) { /* tape drives pad with zeros */
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

rkhs_status rk_input_from_source(rkhs_env *env, const char *name, const rk_source *source, rk_input **out) {
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

/* Decompresses into `to`; *got is less than count only at the end. */
static rkhs_status read_gzip(rk_input *in, unsigned char *to, size_t count, size_t *got) {
    rkhs_status status = RKHS_OK;
    *got = 0;
    while (*got < count) {
        int more = 1;
        if (in->between) TRY(next_member(in, &more));
        if (!more) break;
        TRY(fill_buffer(in, 1));
        if (in->at == in->end)
            FAIL(in->env, RKHS_ERR_FORMAT, "%s: the gzip stream ends early, after %s: download or compress it again", in->name,
                 rk_counted(in->raw, "byte").text);
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
        TRY(rk_progress(in->env, "read", in->raw, in->size)); /* a few raw bytes may expand to very many */
    }
done:
    return status;
}

/* Takes uncompressed bytes from the buffer, then directly from the file. */
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
    size_t rest = in->held_end - in->held_at; /* left from an earlier, longer peek */
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

int rk_input_offset(const rk_input *in, int *fd, int64_t *at) {
    *fd = in->fd;
    *at = in->start + in->raw - (int64_t)(in->end - in->at) - (int64_t)(in->held_end - in->held_at);
    return !in->source.read && !in->gzip && in->regular && in->start >= 0;
}

rkhs_status rk_input_read_all(rk_input *in, char **bytes, size_t *length) {
    rkhs_status status = RKHS_OK;
    char *all = NULL, what[256];
    int64_t left = rk_input_left(in), room = left > 0 ? left + 2 : BUFFER, used = 0;
    *bytes = NULL;
    *length = 0;
    snprintf(what, sizeof what, "%.200s, read whole,", in->name);
    for (;;) {
        TRY(rk_require_memory(in->env, (double)room, what, "raise the memory limit, or keep fewer rows or columns"));
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
