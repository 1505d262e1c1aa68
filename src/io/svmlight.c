/* svmlight.c: the format "svmlight", labelled sparse vectors as text, as SVMlight and LIBSVM write them.
 *
 *     label [qid:number] index:value index:value ...  [# comment]
 *
 * Indices ascend in a line. They begin at 1, or at 0 in the files of some programs: a file with an index 0 counts from
 * 0. A file does not store its number of columns: the largest index gives it, or columns=N, which new data need if the
 * last columns of the training data do not occur in them. */
#include "io/io.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LOOK = 256 }; /* rows between two progress calls */

#define LARGEST_INDEX 2147483646 /* the number of columns is then an int32_t, even if indices begin at 0 */

typedef struct svmlight {
    char *base;
    int64_t columns;
} svmlight;

/* The file, and what was read so far. */
typedef struct reader {
    rkhs_env *env;
    const char *name;
    char *at, *end; /* the text that is not read yet; *end is 0 */
    int64_t line, rows, count;
    int64_t least, most; /* smallest and largest index */
    int64_t most_line;   /* the line of the largest index */
    double *values;
    int64_t *indices, *starts;
    char **words; /* labels */
} reader;

/* The token at s for messages: cut at 40 bytes, control characters replaced. */
static const char *shown(const char *s, char buffer[48]) {
    size_t length = strcspn(s, " \t\r\n");
    int cut = length > 40;
    for (size_t i = 0; i < (cut ? 40 : length); i++) buffer[i] = (char)(iscntrl((unsigned char)s[i]) ? '?' : s[i]);
    strcpy(buffer + (cut ? 40 : length), cut ? "..." : "");
    return buffer;
}

static int is_end(const char *s) { return *s == 0 || *s == '\n' || *s == '#'; }
static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static char *skip_blanks(char *s) {
    while (is_blank(*s)) s++;
    return s;
}

static char *skip_token(char *s) {
    while (!is_blank(*s) && !is_end(s)) s++;
    return s;
}

/* Normalises a label that ends at `stop`: "+1" becomes "1" and "2.0" becomes "2", so that a class has one name. */
static char *plain_label(char *s, char *stop) {
    char *digits = s + (*s == '+' || *s == '-'), *d = digits;
    while (*d >= '0' && *d <= '9') d++;
    char *zeros = d;
    if (*zeros == '.') do
            zeros++;
        while (*zeros == '0');
    *stop = 0;
    if (d == digits || zeros != stop) return s;
    *d = 0;
    return *s == '+' ? s + 1 : s;
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

/* Reads index:value at *at and moves past it. */
static rkhs_status read_pair(reader *r, char **at, int64_t *index, double *value) {
    char token[48], *s = *at;
    int64_t i = 0;
    for (; *s >= '0' && *s <= '9' && i <= LARGEST_INDEX; s++) i = 10 * i + (*s - '0');
    if (s == *at || *s != ':')
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld: '%s' is not index:value, with an index from 0 to %d", r->name,
                       (long long)r->line, shown(*at, token), LARGEST_INDEX);
    if (i > LARGEST_INDEX)
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld: the index of '%s' is past %d: number the columns anew", r->name,
                       (long long)r->line, shown(*at, token), LARGEST_INDEX);
    const char *stop = rk_parse_decimal(s + 1, r->end, value);
    char *next = stop ? s + (stop - s) : s;
    if (!stop || !(is_blank(*next) || is_end(next)))
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld: the value of '%s' is not a number: correct it, or leave it out",
                       r->name, (long long)r->line, shown(*at, token));
    if (!(fabs(*value) <= 1e150))
        return rk_fail(r->env, RKHS_ERR_DATA,
                       "%s: line %lld: the value of '%s' is past 1e150: divide the column by its largest number", r->name,
                       (long long)r->line, shown(*at, token));
    *index = i;
    *at = next;
    return RKHS_OK;
}

/* Reads the pairs from s to the end of the line, or to its comment. */
static rkhs_status read_pairs(reader *r, char *s) {
    rkhs_status status = RKHS_OK;
    int64_t last = -1, index = 0;
    while (s = skip_blanks(s), !is_end(s)) {
        double value = 0;
        TRY(read_pair(r, &s, &index, &value));
        if (index <= last)
            FAIL(r->env, RKHS_ERR_DATA, "%s: line %lld: the index %lld follows %lld: sort the indices, none twice", r->name,
                 (long long)r->line, (long long)index, (long long)last);
        last = index;
        r->indices[r->count] = index;
        r->values[r->count++] = value;
        if (index < r->least) r->least = index;
        if (index > r->most) r->most = index, r->most_line = r->line;
    }
done:
    return status;
}

/* Reads a line that is not blank. The zero that ends its label may overwrite the line end. */
static rkhs_status read_line(reader *r, char *s) {
    char token[48], *after = skip_token(s);
    if (memchr(s, ':', (size_t)(after - s)))
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld begins with '%s', not with a label: put one, or 0, before it",
                       r->name, (long long)r->line, shown(s, token));
    char *pairs = skip_blanks(after);
    if (strncmp(pairs, "qid:", 4) == 0) pairs = skip_token(pairs);
    rkhs_status status = read_pairs(r, pairs);
    if (status != RKHS_OK) return status;
    r->words[r->rows++] = plain_label(s, after);
    r->starts[r->rows] = r->count;
    return RKHS_OK;
}

/* Allocates for the most that the text can hold: a row per line, a number per colon. */
static rkhs_status take_room(reader *r) {
    rkhs_status status = RKHS_OK;
    int64_t lines = 1, colons = 0;
    char what[256];
    for (const char *s = r->at; (s = memchr(s, '\n', (size_t)(r->end - s))); s++) lines++;
    for (const char *s = r->at; (s = memchr(s, ':', (size_t)(r->end - s))); s++) colons++;
    snprintf(what, sizeof what, "%.200s, as numbers,", r->name);
    TRY(rk_require_memory(r->env, 28.0 * (double)colons + 24.0 * (double)lines, what,
                          "raise the memory limit, or keep fewer rows"));
    TRY(rk_alloc(r->env, colons + 1, sizeof *r->values, &r->values));
    TRY(rk_alloc(r->env, colons + 1, sizeof *r->indices, &r->indices));
    TRY(rk_alloc(r->env, lines + 1, sizeof *r->starts, &r->starts));
    TRY(rk_alloc(r->env, lines, sizeof *r->words, &r->words));
done:
    return status;
}

static rkhs_status read_lines(reader *r) {
    rkhs_status status = RKHS_OK;
    const char *start = r->at, *zero = memchr(r->at, 0, (size_t)(r->end - r->at));
    if (zero) {
        for (const char *s = start; s < zero; s++) r->line += *s == '\n';
        FAIL(r->env, RKHS_ERR_FORMAT, "%s: line %lld has a zero byte: the file is not text, or damaged", r->name,
             (long long)r->line);
    }
    if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    TRY(take_room(r));
    for (; r->at < r->end; r->line++) {
        if (r->line % LOOK == 0) TRY(rk_progress(r->env, "parse", r->at - start, r->end - start));
        char *s = skip_blanks(r->at);
        char *next = memchr(s, '\n', (size_t)(r->end - s));
        next = next ? next + 1 : r->end;
        if (!is_end(s)) TRY(read_line(r, s));
        r->at = next;
    }
    if (r->rows == 0) FAIL(r->env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", r->name);
done:
    return status;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* The index of the first column: base=, or with base=auto 0 if the file has an index 0, else 1. */
static rkhs_status first_index(rkhs_env *env, const svmlight *p, int has_zero, int64_t *first) {
    *first = has_zero ? 0 : 1;
    if (strcmp(p->base, "auto") == 0) return RKHS_OK;
    if (strcmp(p->base, "0") != 0 && strcmp(p->base, "1") != 0)
        return rk_fail(env, RKHS_ERR_SPEC, "svmlight: base must be auto, 0 or 1, not %.40s", p->base);
    *first = p->base[0] - '0';
    return RKHS_OK;
}

static rkhs_status make_sparse(const reader *r, const svmlight *p, rkhs_data **x) {
    rkhs_status status = RKHS_OK;
    int64_t first = 1, *starts;
    double *values;
    int32_t *columns;
    TRY(first_index(r->env, p, r->least == 0, &first));
    if (r->least < first)
        FAIL(r->env, RKHS_ERR_DATA, "%s: there is an index 0, and base=1 says that they begin at 1: give base=0", r->name);
    int64_t needed = r->count ? r->most - first + 1 : 0, p_columns = p->columns ? p->columns : needed;
    if (needed > p_columns)
        FAIL(r->env, RKHS_ERR_DATA,
             "%s: line %lld has the index %lld, which is column %lld (counted from 1), and columns=%lld: raise columns",
             r->name, (long long)r->most_line, (long long)r->most, (long long)needed, (long long)p_columns);
    if (p_columns < 1)
        FAIL(r->env, RKHS_ERR_DATA, "%s: no line has an index:value: give data, or say how wide it is, svmlight(columns=N)",
             r->name);
    TRY(rk_data_sparse_new(r->env, r->rows, p_columns, r->count, &values, &columns, &starts, x));
    memcpy(starts, r->starts, (size_t)(r->rows + 1) * sizeof *starts);
    if (r->count) memcpy(values, r->values, (size_t)r->count * sizeof *values);
    for (int64_t q = 0; q < r->count; q++) columns[q] = (int32_t)(r->indices[q] - first);
    TRY(rk_sparse_check(r->env, r->name, *x));
done:
    return status;
}

/* Reads the vectors and their labels, or with `alone` only the labels. */
static rkhs_status read_either(rkhs_env *env, const svmlight *p, rk_input *in, int alone, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    reader r = {.env = env, .name = rk_input_name(in), .line = 1, .least = INT64_MAX, .most = -1};
    rkhs_data *x = NULL;
    char *bytes = NULL;
    size_t length;
    TRY(rk_input_read_all(in, &bytes, &length));
    r.at = bytes;
    r.end = bytes + length;
    TRY(read_lines(&r));
    if (!alone) TRY(make_sparse(&r, p, &x));
    TRY(rk_labels_from_words(env, (const char *const *)r.words, r.rows, alone ? &x : &x->labels));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_free(env, r.values);
    rk_free(env, r.indices);
    rk_free(env, r.starts);
    rk_free(env, r.words);
    rk_free(env, bytes);
    return status;
}

static rkhs_status read_svmlight(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    return read_either(env, self, in, 0, out);
}

static rkhs_status read_labels_svmlight(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    return read_either(env, self, in, 1, out);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Writes a label: the class name if it is a single word, else the code; 0 if the data have no labels. */
static rkhs_status write_label(const rkhs_data *labels, int64_t i, rk_output *out) {
    if (!labels) return rk_output_write(out, "0", 1);
    const rk_labels *l = labels->self;
    const char *name = rk_label_text(labels, i);
    size_t length = strlen(name);
    if (length > 0 && length < 1000 && strcspn(name, " \t\r\n\f\v:#") == length) return rk_output_write(out, name, length);
    return rk_output_print(out, "%lld", (long long)l->codes[i]);
}

static rkhs_status write_pair(rk_output *out, int64_t index, double value) {
    char number[40];
    return rk_output_print(out, " %lld:%s", (long long)index, rk_number_text(value, number));
}

static rkhs_status write_svmlight(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    int64_t first = 1;
    rk_dense m = {0};
    TRY(first_index(env, self, 0, &first));
    const rk_sparse *s = x->type->kind == RK_KIND_SPARSE ? x->self : NULL;
    if (!s && !rk_matrix_to_write(x, &m)) TRY(rk_fail_format_kind(x, rk_output_name(out), "svmlight"));
    for (int64_t i = 0; i < x->rows; i++) {
        if (i % LOOK == 0) TRY(rk_progress(env, "write", i, x->rows));
        TRY(write_label(x->labels, i, out));
        for (int64_t q = s ? s->starts[i] : 0; s && q < s->starts[i + 1]; q++)
            TRY(write_pair(out, s->columns[q] + first, s->values[q]));
        for (int64_t j = 0; !s && j < x->columns; j++)
            if (rk_dense_at(&m, i, j) != 0) TRY(write_pair(out, j + first, rk_dense_at(&m, i, j)));
        TRY(rk_output_write(out, "\n", 1));
    }
done:
    return status;
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "base", .kind = RK_WORD, .offset = offsetof(svmlight, base), .value = "auto",
     .brief = "index of the first column, 0 or 1; auto: 0 if the file has an index 0, else 1"},
    {.name = "columns", .kind = RK_INT, .offset = offsetof(svmlight, columns), .value = "0", .max = 2147483647,
     .brief = "number of columns; 0: by the largest index"},
    {.name = NULL},
};

const rk_format_type rk_format_svmlight = {
    .entry = {.name = "svmlight",
              .brief = "sparse rows as text, 'label index:value ...', the format of SVMlight and LIBSVM",
              .params = params, .size = sizeof(svmlight)},
    .endings = ".svm .svmlight .libsvm", .kinds = RK_KIND_SPARSE, .read = read_svmlight,
    .read_labels = read_labels_svmlight, .write = write_svmlight,
};
/* clang-format on */
