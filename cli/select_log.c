/* select_log.c: the --resume file of rkhs select: its results, one JSON object a line.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A line is found again by its key: everything that the result depends on, with a checksum for the contents of the
 * files. Only lines in the form that this file writes are accepted, member by member. An incomplete last line, left by
 * a kill, is removed. */
#include "select.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char begin_line[] = "{\"cell\": ";

/* Adds the bytes of a file to an FNV-1a checksum. */
static rkhs_status checksum_file(cli *c, const char *path, uint64_t *sum) {
    enum { BLOCK = 1 << 16 };
    FILE *in = path != NULL ? fopen(path, "rb") : NULL;
    unsigned char *block = malloc(BLOCK);
    rkhs_status status = RKHS_OK;
    size_t got;
    if (path == NULL) goto done;
    if (in == NULL || block == NULL) REFUSE(c, EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
    while ((got = fread(block, 1, BLOCK, in)) > 0) {
        for (size_t i = 0; i < got; i++) *sum = (*sum ^ block[i]) * 0x100000001b3u;
        if (stop_signal() != 0) REFUSE(c, EXIT_FAILED, "stopped");
    }
    if (ferror(in)) REFUSE(c, EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
    *sum = (*sum ^ 0x100) * 0x100000001b3u;
done:
    if (in != NULL) fclose(in);
    free(block);
    return status;
}

/* Adds a text, which may be NULL, to a checksum. */
static void checksum_text(const char *s, uint64_t *sum) {
    for (; s != NULL && *s != 0; s++) *sum = (*sum ^ (unsigned char)*s) * 0x100000001b3u;
    *sum = (*sum ^ 0x101) * 0x100000001b3u;
}

/* Appends a JSON string. */
static void add_json(rk_text *t, const char *s) {
    rk_text_add_bytes(t, "\"", 1);
    for (; *s != 0; s++) {
        if ((unsigned char)*s < 32)
            rk_text_add(t, "\\u%04x", (unsigned)(unsigned char)*s);
        else
            rk_text_add(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    rk_text_add_bytes(t, "\"", 1);
}

static rkhs_status make_keys(search *s) {
    rkhs_status status = RKHS_OK;
    cli *c = s->c;
    uint64_t sum = 0xcbf29ce484222325u;
    rk_text key = {.env = c->env};
    const char *files[SELECT_FILES];
    select_files(c, files);
    for (int i = 0; i < SELECT_FILES; i++) {
        if (files[i] != NULL) sum += (uint64_t)i; /* which of the files it is */
        TRY(checksum_file(c, files[i], &sum));
    }
    checksum_text(c->format, &sum);
    checksum_text(c->label_column, &sum);
    checksum_text(c->unlabelled, &sum);
    for (int i = 0; i < s->count; i++) {
        cell *one = &s->cells[i];
        rk_text_free(&key);
        rk_text_add(&key, "%s{\"model\": ", begin_line);
        add_json(&key, one->model);
        rk_text_add(&key, ", \"kernel\": ");
        add_json(&key, one->kernel != NULL ? one->kernel : "");
        rk_text_add(&key, ", \"by\": ");
        add_json(&key, c->by);
        rk_text_add(&key, ", \"folds\": %d, \"seed\": %llu, \"version\": \"%s\", \"data\": \"%016llx\"}", c->folds,
                    (unsigned long long)c->seed, rkhs_version(), (unsigned long long)sum);
        if (key.status != RKHS_OK) REFUSE(c, EXIT_FAILED, "no memory");
        TRY(keep_text(s, key.s, key.length, &one->key));
    }
done:
    rk_text_free(&key);
    return status;
}

/* If `word` is at *at, moves past it and returns 1; else returns 0. */
static int take(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return 0;
    *at += length;
    return 1;
}

/* The same for a member name and a number; null is NaN. */
static int take_number(const char **at, const char *name, double *value) {
    char *end;
    if (!take(at, name)) return 0;
    *value = NAN;
    if (take(at, "null")) return 1;
    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value)) return 0;
    *at = end;
    return 1;
}

/* The same for a member name and a text as written by add_json. Decodes it into `to` (or NULL), which may overlap
 * it. */
static int take_text(const char **at, const char *name, char *to) {
    unsigned code;
    if (!take(at, name) || !take(at, "\"")) return 0;
    for (; **at != '"'; (*at)++) {
        code = (unsigned char)**at;
        if (code < 32) return 0; /* also the end of the line */
        if (code == '\\' && strspn(*at + 2, "0123456789abcdef") >= 4 && sscanf(*at, "\\u%4x", &code) == 1 && code < 32)
            *at += 5;
        else if (code == '\\' && (take(at, "\\\"") || take(at, "\\\\")))
            code = (unsigned char)*--*at;
        else if (code == '\\')
            return 0;
        if (to != NULL) *to++ = (char)code;
    }
    if (to != NULL) *to = 0;
    (*at)++;
    return 1;
}

/* Parses a line: the length of its key, the numbers, and the error message, decoded in place. Returns 0 if it is
 * invalid. */
static int read_line(char *line, size_t *key, cell *result) {
    const char *at = line;
    double folds, seed, status;
    if (!take(&at, begin_line) || !take_text(&at, "{\"model\": ", NULL) || !take_text(&at, ", \"kernel\": ", NULL) ||
        !take_text(&at, ", \"by\": ", NULL) || !take_number(&at, ", \"folds\": ", &folds) ||
        !take_number(&at, ", \"seed\": ", &seed) || !take_text(&at, ", \"version\": ", NULL) ||
        !take_text(&at, ", \"data\": ", NULL) || !take(&at, "}"))
        return 0;
    *key = (size_t)(at - line);
    if (!take_number(&at, ", \"score\": ", &result->score) || !take_number(&at, ", \"deviation\": ", &result->deviation) ||
        !take_number(&at, ", \"seconds\": ", &result->seconds))
        return 0;
    char *sentence = line + (at - line);
    result->failed = take_text(&at, ", \"failed\": ", sentence) ? sentence : NULL;
    result->subject = line + (at - line);
    if (result->failed != NULL && take_number(&at, ", \"status\": ", &status)) { /* older lines have none */
        if (!(status > RKHS_OK && status <= RKHS_ERR_BUG) || !take_text(&at, ", \"subject\": ", result->subject)) return 0;
        result->status = (rkhs_status)status;
    }
    if (strcmp(at, "}") != 0) return 0;
    if (result->status == RKHS_OK) result->subject = line + strlen(line);
    return result->failed != NULL || isfinite(result->score);
}

static int by_key(const void *a, const void *b) { return strcmp((*(cell *const *)a)->key, (*(cell *const *)b)->key); }

/* Fills in the cell that a line belongs to, if there is one. */
static rkhs_status take_line(search *s, cell *const *sorted, char *line, int64_t number) {
    cell result = {0}, *one = &result, **found;
    size_t length = 0;
    if (!read_line(line, &length, &result))
        return number == 1 ? refuse(s->c, EXIT_FAILED,
                                    "%s does not hold results of 'rkhs select': give another name to --resume", s->c->resume)
                           : refuse(s->c, EXIT_FAILED, "%s, line %lld: it is no result of 'rkhs select': remove that line",
                                    s->c->resume, (long long)number);
    rkhs_status status = keep_text(s, line, length, &result.key);
    if (status != RKHS_OK) return status;
    found = bsearch(&one, sorted, (size_t)s->count, sizeof one, by_key);
    if (found == NULL || (*found)->done) return RKHS_OK;
    one = *found;
    one->score = result.score;
    one->deviation = result.deviation;
    one->seconds = result.seconds;
    one->status = result.status;
    one->done = 1;
    if (result.failed == NULL) return RKHS_OK;
    status = keep_text(s, result.failed, strlen(result.failed), &one->failed);
    return status == RKHS_OK ? keep_text(s, result.subject, strlen(result.subject), &one->subject) : status;
}

rkhs_status resume_read(search *s) {
    rkhs_status status = RKHS_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    off_t whole = 0; /* bytes of complete lines */
    FILE *in = NULL;
    cell **sorted = NULL;
    if (s->c->resume == NULL) return RKHS_OK;
    TRY(make_keys(s));
    in = fopen(s->c->resume, "r");
    if (in == NULL && errno == ENOENT) goto done;
    if (in == NULL) REFUSE(s->c, EXIT_FAILED, "cannot read %s: %s", s->c->resume, strerror(errno));
    TRY(keep(s, (size_t)s->count, sizeof *sorted, &sorted));
    for (int i = 0; i < s->count; i++) sorted[i] = &s->cells[i];
    qsort(sorted, (size_t)s->count, sizeof *sorted, by_key);
    for (int64_t number = 1; (length = getline(&line, &room, in)) > 0; number++) {
        int cut = line[length - 1] != '\n';
        size_t begin = (size_t)length < sizeof begin_line ? (size_t)length : sizeof begin_line - 1;
        if (cut && strncmp(line, begin_line, begin) == 0) {
            if (truncate(s->c->resume, whole) == 0) break;
            REFUSE(s->c, EXIT_FAILED, "cannot write %s: %s", s->c->resume, strerror(errno));
        }
        line[length - !cut] = 0;
        TRY(take_line(s, sorted, line, number));
        whole += length;
    }
done:
    if (in != NULL) fclose(in);
    free(line);
    return status;
}

static void add_number(rk_text *t, const char *name, double value) {
    rk_text_add(t, isfinite(value) ? ", \"%s\": %.17g" : ", \"%s\": null", name, value);
}

rkhs_status resume_add(search *s, const cell *one) {
    rkhs_status status = RKHS_OK;
    rk_text line = {.env = s->c->env};
    int fd = -1;
    if (s->c->resume == NULL || one->status == RKHS_ERR_MEMORY) return RKHS_OK;
    fd = open(s->c->resume, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) REFUSE(s->c, EXIT_FAILED, "cannot write %s: %s", s->c->resume, strerror(errno));
    rk_text_add_bytes(&line, one->key, strlen(one->key));
    add_number(&line, "score", one->score);
    add_number(&line, "deviation", one->deviation);
    add_number(&line, "seconds", one->seconds);
    if (one->failed != NULL) {
        rk_text_add(&line, ", \"failed\": ");
        add_json(&line, one->failed);
        rk_text_add(&line, ", \"status\": %d, \"subject\": ", (int)one->status);
        add_json(&line, one->subject);
    }
    rk_text_add(&line, "}\n");
    if (line.status != RKHS_OK) REFUSE(s->c, EXIT_FAILED, "no memory");
    for (int64_t done_bytes = 0; done_bytes < line.length;) {
        ssize_t wrote = write(fd, line.s + done_bytes, (size_t)(line.length - done_bytes));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) REFUSE(s->c, EXIT_FAILED, "cannot write %s: %s", s->c->resume, strerror(errno));
        done_bytes += wrote;
    }
done:
    if (fd >= 0) close(fd);
    rk_text_free(&line);
    return status;
}
