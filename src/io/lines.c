/* lines.c: the format "lines", text with one string per line.
 *
 * A line ends in \n or \r\n; the last one need not. A blank line is an empty string. There are no quotes, comments or
 * trimming. */
#include "io/io.h"

#include <string.h>

enum { LOOK = 4096 }; /* lines between two progress calls */

rkhs_status rk_text_check(rkhs_env *env, const char *name, char **at, const char *end) {
    size_t length = (size_t)(end - *at);
    if (length >= 3 && memcmp(*at, "\xef\xbb\xbf", 3) == 0) *at += 3, length -= 3;
    if (length == 0) return rk_fail(env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", name);
    if (length >= 6 && memcmp(*at, "\x93NUMPY", 6) == 0)
        return rk_fail_hint(env, RKHS_ERR_FORMAT, "format=npy",
                            "%s: this is a NumPy array, not text: call it .npy, or read it as npy", name);
    if (length >= 2 && (memcmp(*at, "\xff\xfe", 2) == 0 || memcmp(*at, "\xfe\xff", 2) == 0))
        return rk_fail(env, RKHS_ERR_FORMAT, "%s: the text is in UTF-16: save it as UTF-8", name);
    const char *zero = memchr(*at, 0, length);
    if (!zero) return RKHS_OK;
    int64_t line = 1;
    for (const char *s = *at; s < zero; s++) line += *s == '\n';
    return rk_fail(env, RKHS_ERR_FORMAT, "%s: line %lld has a zero byte: the file is not text, or damaged", name,
                   (long long)line);
}

static rkhs_status read_lines(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    const char *name = rk_input_name(in), **strings = NULL;
    char *bytes = NULL, *at;
    int64_t count = 0, lines = 1, *lengths = NULL;
    size_t length;
    TRY(rk_input_read_all(in, &bytes, &length));
    at = bytes;
    const char *end = bytes + length;
    TRY(rk_text_check(env, name, &at, end));
    for (const char *s = at; (s = memchr(s, '\n', (size_t)(end - s))); s++) lines++;
    TRY(rk_alloc(env, lines, sizeof *strings, &strings));
    TRY(rk_alloc(env, lines, sizeof *lengths, &lengths));
    while (at < end) {
        char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop ? stop + 1 : bytes + length;
        if (!stop) stop = next;
        strings[count] = at;
        lengths[count++] = stop - at - (stop > at && stop < end && stop[-1] == '\r');
        at = next;
        if (count % LOOK == 0) TRY(rk_progress(env, "parse", at - bytes, (int64_t)length));
    }
    TRY(rk_data_strings_new(env, strings, lengths, count, out));
done:
    rk_free(env, lengths);
    rk_free(env, strings);
    rk_free(env, bytes);
    return status;
}

rkhs_status rk_labels_from_strings(rkhs_env *env, const rkhs_data *x, rkhs_data **labels) {
    rkhs_status status = RKHS_OK;
    const char **words = NULL;
    TRY(rk_alloc(env, x->rows, sizeof *words, &words));
    for (int64_t i = 0; i < x->rows; i++) words[i] = rk_string_of(x, i, NULL);
    TRY(rk_labels_from_words(env, words, x->rows, labels));
done:
    rk_free(env, words);
    return status;
}

static rkhs_status read_labels_lines(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    rkhs_data *x = NULL;
    rkhs_status status = read_lines(env, self, in, RK_KIND_STRING, &x);
    if (status == RKHS_OK) status = rk_labels_from_strings(env, x, out);
    rkhs_data_free(x);
    return status;
}

static rkhs_status write_lines(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    if (x->type != &rk_data_string) TRY(rk_fail_format_kind(x, rk_output_name(out), "lines"));
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t length;
        const char *s = rk_string_of(x, i, &length);
        if (memchr(s, '\n', (size_t)length) || (length && s[length - 1] == '\r'))
            FAIL(env, RKHS_ERR_DATA, "%s: string %lld (counted from 1) has a line end in it: it cannot be one line",
                 rk_output_name(out), (long long)i + 1);
        TRY(rk_output_write(out, s, (size_t)length));
        TRY(rk_output_write(out, "\n", 1));
        if (i % LOOK == 0) TRY(rk_progress(env, "write", i, x->rows));
    }
done:
    return status;
}

/* clang-format off */
const rk_format_type rk_format_lines = {
    .entry = {.name = "lines", .brief = "text, one string in each line; an empty line is an empty string"},
    .endings = ".txt", .kinds = RK_KIND_STRING, .pipe = RK_KIND_STRING, .table = &rk_format_csv, .read = read_lines,
    .read_labels = read_labels_lines, .write = write_lines,
};
/* clang-format on */
