/* output.c: writes files, pipes, standard output and memory.
 *
 * A regular file appears completely or not at all (atomic_files.c). Everything else is written directly. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024, SLICE_MS = 100 };

struct rk_output {
    rkhs_env *env;
    int fd;
    int standard;  /* a descriptor that existed before, which is not closed */
    rk_file *file; /* the hidden file; NULL: written directly */
    char *name;
    char *buffer;
    size_t fill;
    int64_t written;
    int memory; /* 1: writes to `bytes`, as much as fits in `room` */
    char *bytes;
    size_t room;
};

/* The descriptor that "-", /dev/stdout or /dev/fd/3 stands for; -1: the path is an ordinary one. */
static int named_descriptor(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) return 1;
    if (strcmp(path, "/dev/stderr") == 0) return 2;
    for (int i = 0; i < 2; i++) {
        const char *number = path + strlen(folders[i]);
        size_t digits = 0;
        if (strncmp(path, folders[i], strlen(folders[i])) != 0) continue;
        digits = strspn(number, "0123456789");
        if (digits > 0 && digits < 6 && number[digits] == 0) return atoi(number);
    }
    return -1;
}

/* Opens a regular file through atomic_files.c, or a pipe or device directly. */
static rkhs_status open_target(rk_output *out, const char *path) {
    struct stat st;
    int exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return rk_fail(out->env, RKHS_ERR_IO, "cannot write %s: it is a folder: name a file in it", path);
    if (!exists || S_ISREG(st.st_mode)) return rk_file_open(out->env, path, &out->file, &out->fd);
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd >= 0 ? RKHS_OK : rk_cannot_write(out->env, path, errno, "");
}

rkhs_status rk_output_open(rkhs_env *env, const char *path, rk_output **result) {
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    *result = NULL;
    if (!path) FAIL(env, RKHS_ERR_ARGUMENT, "no file name was given to write to");
    int standard = named_descriptor(path);
    TRY(rk_alloc(env, 1, sizeof *out, &out));
    out->env = env;
    out->fd = -1;
    TRY(rk_strdup(env, standard == 1 ? "standard output" : path, &out->name));
    TRY(rk_alloc(env, BUFFER, 1, &out->buffer));
    out->standard = standard >= 0;
    if (out->standard)
        out->fd = standard;
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
    *out = (rk_output){.env = env, .fd = -1, .memory = 1, .bytes = bytes, .room = room};
    TRY(rk_strdup(env, "memory", &out->name));
    TRY(rk_alloc(env, BUFFER, 1, &out->buffer));
    *result = out;
    out = NULL;
done:
    rk_output_free(out);
    return status;
}

int64_t rk_output_size(const rk_output *out) { return out->written + (int64_t)out->fill; }

/* Copies what fits, but counts all bytes. */
static void write_memory(rk_output *out, const char *bytes, size_t count) {
    size_t at = (size_t)out->written, fits = at < out->room ? out->room - at : 0;
    if (fits > count) fits = count;
    if (fits) memcpy(out->bytes + at, bytes, fits);
    out->written += (int64_t)count;
}

/* Repeats write(2) until everything is written. */
static rkhs_status write_raw(rk_output *out, const char *bytes, size_t count) {
    rkhs_status status = RKHS_OK;
    if (out->memory) {
        write_memory(out, bytes, count);
        return RKHS_OK;
    }
    while (count > 0) {
        size_t part = count < (1u << 20) ? count : 1u << 20;
        int fails = rk_write_fails(out->env);
        ssize_t n = fails && errno ? -1 : write(out->fd, bytes, fails ? (part + 1) / 2 : part);
        if (n < 0 && errno == EAGAIN) { /* a terminal or pipe that another program made non-blocking */
            struct pollfd p = {out->fd, POLLOUT, 0};
            poll(&p, 1, SLICE_MS);
        }
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
            TRY(rk_poll_cancel(out->env, "write", out->written, 0));
            continue;
        }
        if (n < 0) {
            status = rk_cannot_write(out->env, out->name, errno, "");
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

rkhs_status rk_output_commit(rk_output *out) {
    rkhs_status status = RKHS_OK;
    TRY(flush_buffer(out));
    if (out->standard || out->memory) goto done;
    if (out->file) TRY(rk_file_seal(out->env, out->file, out->fd));
    if (out->file && (rk_write_fails(out->env) || fsync(out->fd) != 0) && errno != EINVAL && errno != ENOTSUP) {
        status = rk_cannot_write(out->env, out->name, errno, "");
        goto done;
    }
    int closed = close(out->fd);
    out->fd = -1;
    if (rk_write_fails(out->env)) closed = -1;
    if (closed != 0 && errno != EINTR) {
        status = rk_cannot_write(out->env, out->name, errno, "");
        goto done;
    }
    rk_file *file = out->file;
    out->file = NULL;
    if (file) status = rk_file_commit(out->env, file);
done:
    return status;
}

const char *rk_output_name(const rk_output *out) { return out->name; }

void rk_output_free(rk_output *out) {
    if (!out) return;
    if (out->fd >= 0 && !out->standard) close(out->fd);
    rk_file_free(out->env, out->file);
    rk_free(out->env, out->name);
    rk_free(out->env, out->buffer);
    rk_free(out->env, out);
}

rkhs_status rkhs_bytes_write(rkhs_env *env, const void *bytes, size_t count, const char *path) {
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    if (!bytes && count) FAIL(env, RKHS_ERR_ARGUMENT, "rkhs_bytes_write: no bytes: the pointer is NULL");
    TRY(rk_output_open(env, path, &out));
    TRY(rk_output_write(out, bytes, count));
    TRY(rk_output_commit(out));
done:
    rk_output_free(out);
    return status;
}
