/* fps.c: the format "fps", molecular fingerprints in hexadecimal text as chemfp writes them.
 *
 *     #FPS1
 *     #num_bits=166
 *     000000003000000001d414d91323915380f138ea1f<tab>name
 *
 * Two hexadecimal digits are a byte. Bit c of a fingerprint is bit c % 8, from the lowest, of byte c / 8; bits past
 * num_bits must be 0. Header lines begin with '#'; all but num_bits are ignored. Without num_bits, the number of
 * digits in the first row gives the number of bits. Names and other fields after the digits are ignored. */
#include "io/io.h"

#include <ctype.h>
#include <string.h>

enum { LOOK = 4096 }; /* rows between two progress calls */

/* The file that is being read. */
typedef struct reader {
    rkhs_env *env;
    const char *name;
    const char *at, *end;
    int64_t line, bits; /* bits: 0 until known */
} reader;

static const char *line_end(const reader *r, const char *s) {
    const char *stop = memchr(s, '\n', (size_t)(r->end - s));
    return stop ? stop : r->end;
}

/* Parses N of a line #num_bits=N. */
static rkhs_status read_num_bits(reader *r, const char *s, const char *stop) {
    long long bits = 0;
    int digits = 0;
    while (s < stop && (*s == ' ' || *s == '\t')) s++;
    for (; s < stop && *s >= '0' && *s <= '9' && digits < 11; s++, digits++) bits = 10 * bits + (*s - '0');
    while (s < stop && isspace((unsigned char)*s)) s++;
    if (s < stop || bits < 1 || bits > INT32_MAX)
        return rk_fail(r->env, RKHS_ERR_FORMAT,
                       "%s: line %lld: num_bits is not a number from 1 to %d: correct it, or leave it out", r->name,
                       (long long)r->line, INT32_MAX);
    r->bits = bits;
    return RKHS_OK;
}

static rkhs_status read_header(reader *r) {
    static const char key[] = "#num_bits=";
    rkhs_status status = RKHS_OK;
    for (; r->at < r->end && *r->at == '#'; r->line++) {
        const char *stop = line_end(r, r->at);
        if ((size_t)(stop - r->at) >= sizeof key - 1 && memcmp(r->at, key, sizeof key - 1) == 0)
            TRY(read_num_bits(r, r->at + sizeof key - 1, stop));
        r->at = stop + (stop < r->end);
    }
done:
    return status;
}

/* The value of a hexadecimal digit, or -1. */
static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int ends_digits(const char *s, const char *stop) { return s == stop || *s == '\t' || *s == '\r'; }

/* Checks that the line at r->at begins with exactly 2 hexadecimal digits per byte. */
static rkhs_status check_row(const reader *r, const char *stop, int64_t bytes) {
    const char *s = r->at;
    for (; !ends_digits(s, stop); s++)
        if (digit_of(*s) < 0)
            return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld, character %lld is '%c', not a hexadecimal digit: correct it",
                           r->name, (long long)r->line, (long long)(s - r->at) + 1, isprint((unsigned char)*s) ? *s : '?');
    if (s - r->at == 2 * bytes) return RKHS_OK;
    return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld has %s, and sets of %s have %lld: make all alike", r->name,
                   (long long)r->line, rk_counted(s - r->at, "digit").text, rk_counted(r->bits, "bit").text,
                   (long long)(2 * bytes));
}

/* Parses a line that check_row accepted into zeroed words. Fails if bits past the last are set. */
static rkhs_status read_row(const reader *r, int64_t bytes, uint64_t *words) {
    for (int64_t i = 0; i < bytes; i++)
        words[i / 8] |= (uint64_t)(digit_of(r->at[2 * i]) << 4 | digit_of(r->at[2 * i + 1])) << (i % 8 * 8);
    if (r->bits % 64 == 0 || words[r->bits / 64] >> r->bits % 64 == 0) return RKHS_OK;
    return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld has bits set past its %lld: correct it, or num_bits", r->name,
                   (long long)r->line, (long long)r->bits);
}

/* Without num_bits, the number of bits is 4 per digit of the first row. */
static rkhs_status find_bits(reader *r) {
    const char *s = r->at, *stop = line_end(r, s);
    while (!ends_digits(s, stop)) s++;
    int64_t digits = s - r->at;
    if (r->bits) return RKHS_OK;
    if (digits < 2 || digits % 2 || digits > INT32_MAX / 4)
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld begins with %s, not with bytes of two digits: correct it", r->name,
                       (long long)r->line, rk_counted(digits, "character").text);
    r->bits = 4 * digits;
    return RKHS_OK;
}

/* Checks and counts the rows, before memory is allocated for them. */
static rkhs_status check_rows(reader r, int64_t bytes, int64_t *rows) {
    rkhs_status status = RKHS_OK;
    for (*rows = 0; r.at < r.end; ++*rows, r.line++) {
        const char *stop = line_end(&r, r.at);
        TRY(check_row(&r, stop, bytes));
        r.at = stop + (stop < r.end);
    }
done:
    return status;
}

static rkhs_status read_fps(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    reader r = {.env = env, .name = rk_input_name(in), .line = 1};
    rkhs_data *x = NULL;
    char *bytes = NULL;
    size_t length;
    uint64_t *words;
    int64_t rows;
    TRY(rk_input_read_all(in, &bytes, &length));
    r.at = bytes;
    r.end = bytes + length;
    if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) r.at += 3;
    while (r.end > r.at && (r.end[-1] == '\n' || r.end[-1] == '\r')) r.end--; /* blank lines at the end are ignored */
    TRY(read_header(&r));
    if (r.at == r.end) FAIL(env, RKHS_ERR_DATA, "%s: there is no fingerprint in the file: give a file with data", r.name);
    TRY(find_bits(&r));
    int64_t stride = (r.bits + 63) / 64, each = (r.bits + 7) / 8;
    TRY(check_rows(r, each, &rows));
    TRY(rk_data_bits_new(env, rows, r.bits, &words, &x));
    for (int64_t i = 0; i < rows; i++, r.line++) {
        if (i % LOOK == 0) TRY(rk_progress(env, "parse", i, rows));
        TRY(read_row(&r, each, words + i * stride));
        r.at = line_end(&r, r.at) + 1;
    }
    *out = x;
    x = NULL;
done:
    rk_free(env, bytes);
    rkhs_data_free(x);
    return status;
}

static rkhs_status read_labels_fps(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    return rk_fail(env, RKHS_ERR_DATA, "%s: a file of fingerprints has no classes: give the labels in a file of their own",
                   rk_input_name(in));
}

/* clang-format off */
const rk_format_type rk_format_fps = {
    .entry = {.name = "fps",
              .brief = "fingerprints of molecules in chemfp's FPS format: hexadecimal digits, an object in each line"},
    .endings = ".fps", .kinds = RK_KIND_BITS, .magic = "#FPS1", .read = read_fps, .read_labels = read_labels_fps,
};
/* clang-format on */
