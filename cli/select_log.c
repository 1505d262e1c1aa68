/* select_log.c: results of rkhs select in a file, one JSON object a line.  SPDX-License-Identifier: BSD-3-Clause
 *
 * A line is found again by its key: all that the result depends on, the files by a checksum of their bytes. A line that is cut
 * off counts as none. */
#include "select.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char begin_line[] = "{\"cell\": ";

/* FNV-1a of the bytes of a file. */
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

/* The sum of a text that may be missing. */
static void checksum_text(const char *s, uint64_t *sum) {
    for (; s != NULL && *s != 0; s++) *sum = (*sum ^ (unsigned char)*s) * 0x100000001b3u;
    *sum = (*sum ^ 0x101) * 0x100000001b3u;
}

/* As json_text, into growing text. */
static void add_json(text *t, const char *s) {
    text_bytes(t, "\"", 1);
    for (; *s != 0; s++) {
        if ((unsigned char)*s < 32)
            text_add(t, "\\u%04x", (unsigned)(unsigned char)*s);
        else
            text_add(t, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    text_bytes(t, "\"", 1);
}

/* The keys of all cells. */
static rkhs_status make_keys(search *s) {
    rkhs_status status = RKHS_OK;
    cli *c = s->c;
    uint64_t sum = 0xcbf29ce484222325u;
    text key = {0};
    const char *files[SELECT_FILES];
    select_files(c, files);
    for (int i = 0; i < SELECT_FILES; i++) {
        if (files[i] != NULL) sum += (uint64_t)i; /* which it is */
        TRY(checksum_file(c, files[i], &sum));
    }
    checksum_text(c->format, &sum);
    checksum_text(c->label_column, &sum);
    checksum_text(c->unlabelled, &sum);
    for (int i = 0; i < s->count; i++) {
        cell *one = &s->cells[i];
        text_free(&key);
        text_add(&key, "%s{\"model\": ", begin_line);
        add_json(&key, one->model);
        text_add(&key, ", \"kernel\": ");
        add_json(&key, one->kernel != NULL ? one->kernel : "");
        text_add(&key, ", \"by\": ");
        add_json(&key, c->by);
        text_add(&key, ", \"folds\": %d, \"seed\": %llu, \"version\": \"%s\", \"data\": \"%016llx\"}", c->folds,
                 (unsigned long long)c->seed, rkhs_version(), (unsigned long long)sum);
        if (key.failed) REFUSE(c, EXIT_FAILED, "no memory");
        TRY(keep_text(s, key.s, key.length, &one->key));
    }
done:
    text_free(&key);
    return status;
}

/* Moves *at past `word` when it stands there. */
static int take(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return 0;
    *at += length;
    return 1;
}

/* A number, or null for NaN. */
static int take_number(const char **at, double *value) {
    char *end;
    *value = NAN;
    if (take(at, "null")) return 1;
    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value)) return 0;
    *at = end;
    return 1;
}

/* The four hexadecimal digits of an escape; 0 when they are none. */
static int take_code(const char *s, unsigned *code) {
    *code = 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)s[i])) return 0;
        *code = 16 * *code + (unsigned)(isdigit((unsigned char)s[i]) ? s[i] - '0' : (s[i] | 32) - 'a' + 10);
    }
    return 1;
}

/* A JSON text, unquoted in place of itself; NULL when it is none. */
static char *take_text(char *at) {
    char *from = at, *to = at;
    if (*from++ != '"') return NULL;
    while (*from != 0 && *from != '"') {
        unsigned code = (unsigned char)*from, escaped;
        if (*from == '\\' && from[1] == 'u' && take_code(from + 2, &escaped))
            code = escaped, from += 5;
        else if (*from == '\\' && from[1] != 0)
            code = (unsigned char)*++from;
        from++;
        *to++ = (char)code;
    }
    if (*from != '"' || from[1] != '}' || from[2] != 0) return NULL;
    *to = 0;
    return at;
}

/* Fills a cell from what stands after its key; what is damaged counts as not there. */
static rkhs_status take_result(search *s, cell *one, char *rest) {
    const char *at = rest;
    double score, deviation, seconds;
    if (!take(&at, ", \"score\": ") || !take_number(&at, &score) || !take(&at, ", \"deviation\": ") ||
        !take_number(&at, &deviation) || !take(&at, ", \"seconds\": ") || !take_number(&at, &seconds))
        return RKHS_OK;
    if (strcmp(at, "}") == 0 && isfinite(score)) {
        one->score = score;
        one->deviation = deviation;
        one->seconds = seconds;
        one->done = 1;
        return RKHS_OK;
    }
    if (!take(&at, ", \"failed\": ")) return RKHS_OK;
    const char *sentence = take_text(rest + (at - rest));
    if (sentence == NULL) return RKHS_OK;
    one->seconds = seconds;
    one->done = 1;
    return keep_text(s, sentence, strlen(sentence), &one->failed);
}

static int by_key(const void *a, const void *b) { return strcmp((*(cell *const *)a)->key, (*(cell *const *)b)->key); }

/* The cell whose key begins the line, by bisection; NULL: none. */
static cell *find_cell(cell *const *sorted, int count, const char *line) {
    const char *end = strstr(line, "\"}, \"score\": ");
    if (end == NULL) return NULL;
    size_t length = (size_t)(end - line) + 2;
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2, order = strncmp(sorted[middle]->key, line, length);
        if (order == 0 && sorted[middle]->key[length] != 0) order = 1;
        if (order == 0) return sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

rkhs_status resume_read(search *s) {
    rkhs_status status = RKHS_OK;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int64_t number = 0;
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
    while ((length = getline(&line, &room, in)) > 0) {
        if (number++ == 0 && strncmp(line, begin_line, sizeof begin_line - 1) != 0)
            REFUSE(s->c, EXIT_FAILED, "%s does not hold results of 'rkhs select': give another name to --resume", s->c->resume);
        if (line[length - 1] != '\n') continue; /* cut off */
        line[length - 1] = 0;
        cell *one = find_cell(sorted, s->count, line);
        if (one != NULL && !one->done) TRY(take_result(s, one, line + strlen(one->key)));
    }
done:
    if (in != NULL) fclose(in);
    free(line);
    return status;
}

/* Digits of a number, or null. */
static void add_number(text *t, const char *name, double value) {
    text_add(t, isfinite(value) ? ", \"%s\": %.17g" : ", \"%s\": null", name, value);
}

rkhs_status resume_add(search *s, const cell *one) {
    rkhs_status status = RKHS_OK;
    text line = {0};
    int fd = -1;
    char last = '\n';
    if (s->c->resume == NULL || one->passing) return RKHS_OK;
    fd = open(s->c->resume, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) REFUSE(s->c, EXIT_FAILED, "cannot write %s: %s", s->c->resume, strerror(errno));
    off_t size = lseek(fd, 0, SEEK_END);
    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') text_bytes(&line, "\n", 1); /* after a line cut off */
    text_bytes(&line, one->key, strlen(one->key));
    add_number(&line, "score", one->score);
    add_number(&line, "deviation", one->deviation);
    add_number(&line, "seconds", one->seconds);
    if (one->failed != NULL) {
        text_add(&line, ", \"failed\": ");
        add_json(&line, one->failed);
    }
    text_add(&line, "}\n");
    if (line.failed) REFUSE(s->c, EXIT_FAILED, "no memory");
    for (size_t done_bytes = 0; done_bytes < line.length;) {
        ssize_t wrote = write(fd, line.s + done_bytes, line.length - done_bytes);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) REFUSE(s->c, EXIT_FAILED, "cannot write %s: %s", s->c->resume, strerror(errno));
        done_bytes += (size_t)wrote;
    }
done:
    if (fd >= 0) close(fd);
    text_free(&line);
    return status;
}
