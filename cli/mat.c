/* mat.c: data and labels from MAT files, as MATLAB and Octave save them.  SPDX-License-Identifier: BSD-3-Clause
 *
 * A file from outside is hostile, and libmatio was not written for such: it runs in a child process with limits on memory and
 * time (matio.c), and what comes through the pipe is believed no more than a file. A child that dies is a sentence. */
#include "mat.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACROSS = 8, SENTENCE = 1024 };

/* The child and its pipe. */
typedef struct reader {
    cli *c;
    const char *path;
    pid_t pid;
    int fd;
    int failed; /* the pipe ended early: why is known when the child has ended */
} reader;

int is_mat(const char *path, const char *format) {
    if (format == NULL) return ends_in(path, ".mat");
    return strncmp(format, "mat", 3) == 0 && (format[3] == 0 || format[3] == '(');
}

/* The key of "mat", "mat(X)", "mat(key=X)" or "mat(key=\"X\")" into key; 0 when it is something else. */
static int parse_key(const char *format, char key[64]) {
    key[0] = 0;
    if (format == NULL || strcmp(format, "mat") == 0 || strcmp(format, "mat()") == 0) return 1;
    const char *from = format + 4, *to = format + strlen(format);
    if (format[3] != '(' || to[-1] != ')') return 0;
    to--;
    from += strspn(from, " ");
    while (to > from && to[-1] == ' ') to--;
    if (strncmp(from, "key", 3) == 0 && from[3 + strspn(from + 3, " ")] == '=') {
        from = strchr(from, '=') + 1;
        from += strspn(from, " ");
    }
    if (to - from >= 2 && *from == '"' && to[-1] == '"') from++, to--;
    if (to <= from || to - from > 63 || memchr(from, '=', (size_t)(to - from)) != NULL) return 0;
    memcpy(key, from, (size_t)(to - from));
    key[to - from] = 0;
    return 1;
}

/* ---- the child ----------------------------------------------------------------------------------------------------------- */

/* Sets a limit, no higher than the one in force. */
static void set_limit(int which, double value) {
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0 || value > 9e18) return;
    rlim_t wanted = (rlim_t)value;
    if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max) limit.rlim_cur = limit.rlim_max = wanted;
    setrlimit(which, &limit);
}

/* Pages that this process has in its address space already; the limit comes on top of them. */
static double mapped_bytes(void) {
    double pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%lf", &pages) != 1) pages = -1;
    if (f != NULL) fclose(f);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

/* What the child does first: no words, no core, no more memory or time than a sound file needs. */
static void confine(const mat_request *request) {
    struct stat info;
    double size = stat(request->path, &info) == 0 ? (double)info.st_size : 0, mapped = mapped_bytes();
    int null = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int sig = 1; sig < 32; sig++) signal(sig, SIG_DFL);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, 30 + size / 1e7);
    if (mapped > 0) set_limit(RLIMIT_AS, mapped + request->memory + 256e6); /* libraries, and what is held twice for a while */
}

static rkhs_status start_reader(cli *c, const mat_request *request, reader *r) {
    int ends[2];
    *r = (reader){.c = c, .path = request->path, .pid = -1, .fd = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return refuse(c, EXIT_FAILED, "%s: no pipe can be made: %s", request->path, strerror(errno));
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0) {
        close(ends[0]);
        confine(request);
        mat_serve(request, ends[1]);
        _exit(1);
    }
    close(ends[1]);
    r->fd = ends[0];
    if (r->pid < 0) return refuse(c, EXIT_FAILED, "%s: no process can be started: %s", request->path, strerror(errno));
    return RKHS_OK;
}

/* Reads so many bytes from the child. */
static rkhs_status receive(reader *r, void *to, size_t count) {
    char *at = to;
    while (count > 0) {
        ssize_t got = read(r->fd, at, count < (1u << 20) ? count : (1u << 20));
        if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            r->failed = 1;
            return RKHS_ERR_FORMAT;
        }
        at += got;
        count -= (size_t)got;
    }
    return RKHS_OK;
}

/* Ends the child; a pipe that ended early gets its sentence here. */
static rkhs_status end_reader(reader *r, rkhs_status status) {
    int how = 0;
    if (r->fd >= 0) close(r->fd);
    if (r->pid <= 0) return status;
    if (status == RKHS_ERR_CANCELLED) kill(r->pid, SIGKILL);
    while (waitpid(r->pid, &how, 0) < 0 && errno == EINTR) {
    }
    if (!r->failed) return status;
    if (WIFSIGNALED(how) && (WTERMSIG(how) == SIGXCPU || WTERMSIG(how) == SIGKILL))
        return refuse(r->c, EXIT_FAILED, "%s: it takes too long to read: it is damaged; save it again", r->path);
    return refuse(r->c, EXIT_FAILED, "%s: libmatio cannot read it: it is damaged, or needs more than --memory; save it again",
                  r->path);
}

/* ---- what comes through the pipe ------------------------------------------------------------------------------------- */

/* The first bytes; a sentence of the child's becomes the tool's. */
static rkhs_status receive_head(reader *r, mat_reply *head) {
    char sentence[SENTENCE + 1];
    rkhs_status status;
    TRY(receive(r, head, sizeof *head));
    int sound = memcmp(head->mark, MAT_MARK, sizeof head->mark) == 0 && head->count >= 0;
    if (sound && head->kind == MAT_SENTENCE && head->count <= SENTENCE) {
        TRY(receive(r, sentence, (size_t)head->count));
        sentence[head->count] = 0;
        REFUSE(r->c, EXIT_FAILED, "%s: %s", r->path, sentence);
    }
    sound &= head->rows > 0 && head->columns > 0 && head->rows <= INT32_MAX && head->columns <= INT32_MAX;
    sound &= head->kind == MAT_SPARSE || (head->kind == MAT_DENSE && head->count == head->rows * head->columns);
    if (!sound) REFUSE(r->c, EXIT_FAILED, "%s: the file is damaged; save it again", r->path);
done:
    return status;
}

/* Columns as they come, some at a time, to rows. */
static rkhs_status receive_dense(reader *r, const mat_reply *head, double **values) {
    rkhs_status status;
    int64_t n = head->rows, p = head->columns;
    double *some = NULL;
    *values = NULL;
    TRY(take_numbers(r->c, r->path, n, p, values));
    TRY(take_numbers(r->c, r->path, n, ACROSS, &some));
    for (int64_t j = 0; j < p; j += ACROSS) {
        int64_t across = p - j < ACROSS ? p - j : ACROSS;
        TRY(receive(r, some, (size_t)(n * across) * sizeof *some));
        for (int64_t i = 0; i < n; i++) {
            for (int64_t q = 0; q < across; q++) (*values)[i * p + j + q] = some[q * n + i];
        }
    }
done:
    if (some != NULL) rkhs_env_hold(r->c->env, -8 * ACROSS * n);
    free(some);
    return status;
}

/* A sparse matrix by columns, and by rows. */
typedef struct sparse {
    int64_t *starts, *row_starts;
    int32_t *rows, *columns;
    double *values, *row_values;
} sparse;

static void free_sparse(sparse *s) {
    free(s->starts);
    free(s->row_starts);
    free(s->rows);
    free(s->columns);
    free(s->values);
    free(s->row_values);
}

/* From columns to rows; 0 when the indices are not those of a matrix. */
static int turn_sparse(const mat_reply *head, sparse *s) {
    int64_t n = head->rows, p = head->columns, count = head->count;
    if (s->starts[0] != 0 || s->starts[p] != count) return 0;
    for (int64_t j = 0; j < p; j++) {
        if (s->starts[j + 1] < s->starts[j]) return 0;
    }
    for (int64_t q = 0; q < count; q++) {
        if (s->rows[q] < 0 || s->rows[q] >= n) return 0;
        s->row_starts[s->rows[q] + 1]++;
    }
    for (int64_t i = 0; i < n; i++) s->row_starts[i + 1] += s->row_starts[i];
    for (int64_t j = 0; j < p; j++) {
        for (int64_t q = s->starts[j]; q < s->starts[j + 1]; q++) {
            int64_t to = s->row_starts[s->rows[q]]++;
            s->columns[to] = (int32_t)j;
            s->row_values[to] = s->values[q];
        }
    }
    for (int64_t i = n; i > 0; i--) s->row_starts[i] = s->row_starts[i - 1]; /* each had moved to the next one's place */
    s->row_starts[0] = 0;
    return 1;
}

static rkhs_status receive_sparse(reader *r, const mat_reply *head, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    cli *c = r->c;
    sparse s = {0};
    size_t n = (size_t)head->rows, p = (size_t)head->columns, count = (size_t)head->count;
    double bytes = 8.0 * ((double)n + (double)p + 2) + 24.0 * (double)count;
    if (bytes > 9e18 || rkhs_env_hold(c->env, (int64_t)bytes) != RKHS_OK)
        return refuse(c, EXIT_FAILED, "%s: a sparse matrix of %lld numbers is over the memory limit: raise it with --memory",
                      r->path, (long long)count);
    s.starts = malloc((p + 1) * sizeof *s.starts);
    s.row_starts = calloc(n + 1, sizeof *s.row_starts);
    s.rows = malloc((count + 1) * sizeof *s.rows);
    s.columns = malloc((count + 1) * sizeof *s.columns);
    s.values = malloc((count + 1) * sizeof *s.values);
    s.row_values = malloc((count + 1) * sizeof *s.row_values);
    if (!s.starts || !s.row_starts || !s.rows || !s.columns || !s.values || !s.row_values)
        REFUSE(c, EXIT_FAILED, "%s: no memory", r->path);
    TRY(receive(r, s.starts, (p + 1) * sizeof *s.starts));
    TRY(receive(r, s.rows, count * sizeof *s.rows));
    TRY(receive(r, s.values, count * sizeof *s.values));
    if (!turn_sparse(head, &s)) REFUSE(c, EXIT_FAILED, "%s: the sparse matrix is damaged; save it again", r->path);
    TRY(rkhs_data_csr(c->env, s.row_values, s.columns, s.row_starts, head->rows, head->columns, data));
done:
    free_sparse(&s);
    char kept[SENTENCE]; /* rkhs_env_hold forgets the sentence */
    snprintf(kept, sizeof kept, "%s", rkhs_env_message(c->env));
    rkhs_env_hold(c->env, -(int64_t)bytes);
    if (status != RKHS_OK && c->message[0] == 0 && kept[0] != 0) {
        const char *rest = strncmp(kept, "data: ", 6) == 0 ? kept + 6 : kept;
        status = refuse(c, EXIT_FAILED, "%s: %s", r->path, rest);
    }
    return status;
}

/* Numbers that the data borrow are held to the end of the run. */
static rkhs_status make_dense(cli *c, const char *path, const mat_reply *head, double *values, rkhs_data **data) {
    if (c->holds == (int)(sizeof c->held / sizeof *c->held)) {
        free(values);
        return refuse(c, EXIT_FAILED, "%s: too many MAT files", path);
    }
    c->held[c->holds++] = values;
    rkhs_status status = rkhs_data_dense(c->env, values, head->rows, head->columns, head->columns, data);
    const char *sentence = rkhs_env_message(c->env);
    if (status != RKHS_OK && strncmp(sentence, "data: ", 6) == 0) return refuse(c, EXIT_FAILED, "%s: %s", path, sentence + 6);
    return status;
}

/* ---- labels -------------------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The place of v among `count` ascending numbers, which it is one of. */
static int64_t place_of(const double *sorted, int64_t count, double v) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (sorted[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A row or column of numbers as class labels, NaN for none; classes in ascending order, named by their digits. */
static rkhs_status make_labels(cli *c, const char *path, const double *v, int64_t n, rkhs_data **labels) {
    rkhs_status status;
    double *sorted = malloc((size_t)n * sizeof *sorted);
    int64_t *codes = malloc((size_t)n * sizeof *codes), classes = 0, known = 0;
    char(*digits)[32] = NULL;
    const char **names = NULL;
    if (sorted == NULL || codes == NULL) REFUSE(c, EXIT_FAILED, "%s: no memory", path);
    for (int64_t i = 0; i < n; i++) {
        if (v[i] < -1e150 || v[i] > 1e150)
            REFUSE(c, EXIT_FAILED, "%s: label %lld (counted from 1) is %g: give a class, or NaN for none", path,
                   (long long)i + 1, v[i]);
        if (!isnan(v[i])) sorted[known++] = v[i];
    }
    qsort(sorted, (size_t)known, sizeof *sorted, by_value);
    for (int64_t i = 0; i < known; i++) {
        if (classes == 0 || sorted[i] != sorted[classes - 1]) sorted[classes++] = sorted[i];
    }
    digits = malloc((size_t)(classes + 1) * sizeof *digits);
    names = malloc((size_t)(classes + 1) * sizeof *names);
    if (digits == NULL || names == NULL) REFUSE(c, EXIT_FAILED, "%s: no memory", path);
    for (int64_t k = 0; k < classes; k++) {
        snprintf(digits[k], sizeof *digits, "%.15g", sorted[k]);
        names[k] = digits[k];
    }
    for (int64_t i = 0; i < n; i++) codes[i] = isnan(v[i]) ? -1 : place_of(sorted, classes, v[i]);
    TRY(rkhs_data_classes(c->env, codes, n, names, classes, labels));
done:
    free(names);
    free(digits);
    free(codes);
    free(sorted);
    return status;
}

/* ---- from the tool ------------------------------------------------------------------------------------------------------- */

/* What cannot be a MAT file, before a process is started. */
static rkhs_status check_request(cli *c, const char *path, const char *format, char key[64]) {
    struct stat info;
    size_t length = strlen(path);
    if (!parse_key(format, key))
        return refuse(c, EXIT_FAILED, "format '%.60s': a variable of a MAT file is chosen by its name, as in mat(key=X)",
                      format);
#ifndef RKHS_MATIO
    return refuse(c, EXIT_FAILED,
                  "%s: this rkhs was built without libmatio, which reads MAT files: build it with libmatio, or save the matrix "
                  "as .npy or .csv",
                  path);
#endif
    if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode)))
        return refuse(c, EXIT_FAILED, "%s: a MAT file is read from a file, not from a pipe or folder: give its name", path);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0)
        return refuse(c, EXIT_FAILED, "%s: MAT files are compressed inside: run gunzip on it first", path);
    if (access(path, R_OK) != 0)
        return refuse(c, EXIT_FAILED, "cannot read %s: %s: check the name and the folder", path, strerror(errno));
    return RKHS_OK;
}

rkhs_status read_mat(cli *c, const char *path, const char *format, int labels, rkhs_data **data) {
    rkhs_status status;
    char key[64];
    reader r = {.fd = -1, .pid = -1};
    mat_reply head;
    double *values = NULL;
    TRY(check_request(c, path, format, key));
    mat_request request = {path, key[0] != 0 ? key : NULL, labels, (double)rkhs_env_memory_limit(c->env)};
    TRY(start_reader(c, &request, &r));
    TRY(receive_head(&r, &head));
    if (labels && (head.kind != MAT_DENSE || (head.rows > 1 && head.columns > 1)))
        REFUSE(c, EXIT_FAILED, "%s: it holds %lld x %lld numbers, and labels are one column: save one column", path,
               (long long)head.rows, (long long)head.columns);
    TRY(head.kind == MAT_SPARSE ? receive_sparse(&r, &head, data) : receive_dense(&r, &head, &values));
done:
    status = end_reader(&r, status);
    if (status == RKHS_OK && values != NULL) {
        if (labels) {
            status = make_labels(c, path, values, head.rows * head.columns, data);
        } else {
            status = make_dense(c, path, &head, values, data);
            values = NULL;
        }
    }
    free(values);
    return status;
}
