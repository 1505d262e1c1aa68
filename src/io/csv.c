/* csv.c: numbers as text, with commas, tabs, semicolons or blanks between them (RFC 4180, and what programs really write).
 *
 * The file is held whole. The first line is looked at in a copy: it decides the delimiter, the number of columns and whether
 * there is a header. The rows are read in csv_rows.c. */
#include "io/csv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum { AUTO, COMMA, TAB, SEMICOLON, SPACE };

typedef struct csv {
    int delimiter, header;
    char *label;
} csv;

/* ---- the first line ---------------------------------------------------------------------------------------------------- */

/* The end of the first line: a line end outside quotes, or any if the quotes do not match. */
static const char *first_line_end(const rk_csv *r) {
    int inside = 0;
    for (const char *s = r->at; s < r->end; s++) {
        if (*s == '"') inside = !inside;
        if (!inside && (*s == '\n' || *s == '\r')) return s;
    }
    const char *s = r->at;
    while (s < r->end && *s != '\n' && *s != '\r') s++;
    return s;
}

/* The delimiter of a line: a tab, semicolon or comma outside quotes,
 * in this order (1,5;2,5 has decimal commas), else blanks. */
static char detect_delimiter(const char *s, const char *end) {
    int inside = 0, tab = 0, semicolon = 0, comma = 0;
    for (; s < end; s++) {
        if (*s == '"')
            inside = !inside;
        else if (inside)
            continue;
        tab |= *s == '\t';
        semicolon |= *s == ';';
        comma |= *s == ',';
    }
    return tab ? '\t' : semicolon ? ';' : comma ? ',' : ' ';
}

/* The column that label= says: an index, from the end when negative, or a name. *named: it is a name. */
static rkhs_status find_label(rk_csv *r, const char *label, const char **names, int *named) {
    char *stop;
    long long index = strtoll(label, &stop, 10);
    *named = *stop != 0 || stop == label;
    if (!*named) {
        r->label = index < 0 ? index + r->columns : index;
        if (r->label >= 0 && r->label < r->columns) return RKHS_OK;
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: there is no column %lld for the labels: columns run from 0 to %lld", r->name,
                       index, (long long)r->columns - 1);
    }
    for (r->label = 0; r->label < r->columns; r->label++)
        if (strcmp(names[r->label], label) == 0) return RKHS_OK;
    const char *near = rk_nearest(label, names, r->columns < 1000 ? (int)r->columns : 1000);
    char value[200], other[200];
    return rk_fail(r->env, RKHS_ERR_DATA,
                   "%s: no column has the name '%s'%s%s%s: take a name from line 1, or a number from 0 to %lld", r->name,
                   rk_csv_shown(label, value), near ? " (did you mean '" : "", near ? rk_csv_shown(near, other) : "",
                   near ? "'?)" : "", (long long)r->columns - 1);
}

/* Splits a copy of the first line into fields, on the scratch list; the reader stays where it is. */
static rkhs_status split_first(rk_csv *r, const char *end, const char ***names) {
    rkhs_status status = RKHS_OK;
    rk_csv copy = *r;
    int64_t length = end - r->at, most = 1;
    TRY(rk_scratch(r->env, length + 1, 1, &copy.at));
    memcpy(copy.at, r->at, (size_t)length);
    copy.end = copy.at + length;
    *copy.end = 0;
    copy.row_line = copy.line;
    for (const char *s = copy.at; s < copy.end; s++) most += *s == r->delimiter || *s == '\t';
    TRY(rk_scratch(r->env, most, sizeof **names, names));
    rk_csv_field f = {.last = 0};
    for (r->columns = 0; !f.last; r->columns++) {
        if (r->columns == most) FAIL(r->env, RKHS_ERR_BUG, "%s: the fields of line 1 were miscounted", r->name);
        TRY(rk_csv_take(&copy, &f));
        (*names)[r->columns] = f.text;
    }
done:
    return status;
}

/* Whether the first line holds names: no field, the labels aside, is a number, and one is a word. Both in one line are a
 * mistake in the first row, or a header with numbers in it: only the user can say. */
static rkhs_status looks_like_header(const rk_csv *r, const char **names, int *header) {
    double value;
    char text[200];
    int64_t word = -1, number = -1;
    for (int64_t j = 0; j < r->columns; j++) {
        if (j == r->label || rk_csv_missing(names[j]) || rk_csv_infinite(names[j])) continue;
        if (rk_csv_number(names[j], &value))
            number = j;
        else if (word < 0)
            word = j;
    }
    *header = word >= 0;
    if (word < 0 || number < 0) return RKHS_OK;
    return rk_fail(
        r->env, RKHS_ERR_DATA,
        "%s: line 1, column %lld is '%s', not a number, but other columns of that line are: correct it, or say csv(header=yes) "
        "if the line holds names, or name the column as the labels (--label-column)",
        r->name, (long long)word + 1, rk_csv_shown(names[word], text));
}

/* Learns delimiter, columns, label and header from the first line, and steps over a header. */
static rkhs_status read_first(rk_csv *r, const csv *c, int alone) {
    static const char delimiters[] = {0, ',', '\t', ';', ' '};
    rkhs_status status = RKHS_OK;
    const char *end = first_line_end(r), **names;
    int named = 0;
    r->delimiter = c->delimiter == AUTO ? detect_delimiter(r->at, end) : delimiters[c->delimiter];
    if (alone && !c->label && c->delimiter == AUTO && r->delimiter == ' ')
        r->delimiter = ','; /* a name may have blanks in it */
    TRY(split_first(r, end, &names));
    if (c->label) TRY(find_label(r, c->label, names, &named));
    if (named && c->header == HEADER_NO)
        FAIL(r->env, RKHS_ERR_SPEC, "%s: the labels are named and header=no says that there are no names: give a column number",
             r->name);
    if (alone && r->label < 0) {
        if (r->columns > 1)
            FAIL(r->env, RKHS_ERR_DATA, "%s: there are %lld columns, and labels are one: say which, csv(label=NAME)", r->name,
                 (long long)r->columns);
        r->label = 0;
    }
    int header = named || c->header == HEADER_YES;
    if (!named && c->header == HEADER_AUTO) TRY(looks_like_header(r, names, &header));
    if (!header) goto done;
    r->names = names;
    for (const char *s = r->at; s < end; s++) r->line += *s == '\n' || (*s == '\r' && s[1] != '\n');
    r->at += end - r->at;
    if (r->at < r->end) r->at = rk_csv_after_line(r->at);
    r->line++;
done:
    return status;
}

/* What text cannot be: empty, another encoding, an array, zero bytes. */
static rkhs_status check_text(rk_csv *r) {
    rkhs_status status = RKHS_OK;
    size_t length = (size_t)(r->end - r->at);
    if (length >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3, length -= 3;
    if (rk_csv_only_blanks(r)) FAIL(r->env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", r->name);
    if (length >= 6 && memcmp(r->at, "\x93NUMPY", 6) == 0)
        FAIL(r->env, RKHS_ERR_FORMAT, "%s: this is a NumPy array, not text: call it .npy, or say so with --format npy",
             r->name);
    if (length >= 2 && (memcmp(r->at, "\xff\xfe", 2) == 0 || memcmp(r->at, "\xfe\xff", 2) == 0))
        FAIL(r->env, RKHS_ERR_FORMAT, "%s: the text is in UTF-16: save it as UTF-8", r->name);
    const char *zero = memchr(r->at, 0, length);
    if (zero) {
        int64_t line = 1;
        for (const char *s = r->at; s < zero; s++) line += *s == '\n';
        FAIL(r->env, RKHS_ERR_FORMAT, "%s: line %lld has a zero byte: the file is not text, or damaged", r->name,
             (long long)line);
    }
done:
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------------- */

static rkhs_status read_csv(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_csv r = {.env = env, .name = rk_input_name(in), .line = 1, .row_line = 1, .label = -1};
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = NULL;
    char *bytes = NULL, **words = NULL;
    double *values = NULL;
    int64_t rows;
    size_t length;
    TRY(rk_input_all(in, &bytes, &length));
    r.at = bytes;
    r.end = bytes + length;
    TRY(check_text(&r));
    TRY(read_first(&r, self, 0));
    if (r.columns == 1 && r.label == 0)
        FAIL(env, RKHS_ERR_DATA, "%s: the labels are the only column: no numbers are left", r.name);
    TRY(rk_csv_rows(&r, 1, &values, &words, &rows));
    TRY(rk_data_new(env, &rk_data_dense, rows, r.columns - (r.label >= 0), &x));
    rk_dense *d = x->self;
    d->values = d->owned = values;
    d->ld = x->columns;
    values = NULL;
    if (words) TRY(rk_labels_from_words(env, (const char *const *)words, rows, &x->labels));
    *out = x;
    x = NULL;
done:
    rk_free(env, bytes);
    rk_free(env, words);
    rk_free(env, values);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
    return status;
}

/* A first word over numbers is a header; over words it is a label. */
static int header_over_numbers(char **words, int64_t rows) {
    double value;
    if (rows < 2 || rk_csv_number(words[0], &value)) return 0;
    for (int64_t i = 1; i < rows; i++)
        if (!rk_csv_number(words[i], &value)) return 0;
    return 1;
}

static rkhs_status read_labels_csv(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    const csv *c = self;
    rk_csv r = {.env = env, .name = rk_input_name(in), .line = 1, .row_line = 1, .label = -1};
    rk_mark mark = rk_scratch_mark(env);
    char *bytes = NULL, **words = NULL;
    int64_t rows;
    size_t length;
    TRY(rk_input_all(in, &bytes, &length));
    r.at = bytes;
    r.end = bytes + length;
    TRY(check_text(&r));
    TRY(read_first(&r, c, 1));
    TRY(rk_csv_rows(&r, 0, NULL, &words, &rows));
    int64_t skip = c->header == HEADER_AUTO && !r.names && header_over_numbers(words, rows);
    TRY(rk_labels_from_words(env, (const char *const *)words + skip, rows - skip, out));
done:
    rk_free(env, bytes);
    rk_free(env, words);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------------- */

/* A name, in quotes if it could be mistaken. */
static rkhs_status write_name(rk_output *out, const char *name, char delimiter) {
    rkhs_status status = RKHS_OK;
    char special[] = {delimiter, '"', '\n', '\r', 0};
    size_t length = strlen(name);
    int quote = length == 0 || strcspn(name, special) < length || isspace((unsigned char)name[0]) ||
                isspace((unsigned char)name[length - 1]);
    if (quote) TRY(rk_output_write(out, "\"", 1));
    for (const char *s = name; *s; s++) {
        if (*s == '"') TRY(rk_output_write(out, s, 1));
        TRY(rk_output_write(out, s, 1));
    }
    TRY(rk_output_write(out, quote ? "\"\n" : "\n", quote ? 2 : 1));
done:
    return status;
}

static rkhs_status write_csv(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out) {
    static const char delimiters[] = {',', ',', '\t', ';', ' '};
    rkhs_status status = RKHS_OK;
    char delimiter = delimiters[((const csv *)self)->delimiter], text[40];
    int64_t ld;
    if (x->type == &rk_data_labels) {
        const rk_labels *l = x->self;
        for (int64_t i = 0; i < x->rows; i++) TRY(write_name(out, l->names[l->codes[i]], delimiter));
        goto done;
    }
    if (x->type == &rk_data_bits) {
        const rk_bits *b = x->self;
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t j = 0; j < x->columns; j++)
                TRY(rk_output_print(out, "%d%c", (int)(b->words[i * b->stride + j / 64] >> j % 64 & 1),
                                    j + 1 < x->columns ? delimiter : '\n'));
        goto done;
    }
    const double *values = rk_io_values(x, &ld);
    if (!values) FAIL(env, RKHS_ERR_DATA, "%s: %s data cannot be written as text", rk_output_name(out), x->type->entry.name);
    for (int64_t i = 0; i < x->rows; i++) {
        if (i % RK_CSV_LOOK == 0) TRY(rk_progress(env, "write", i, x->rows));
        for (int64_t j = 0; j < x->columns; j++) {
            const char *number = rk_number_text(values[i * ld + j], text);
            TRY(rk_output_write(out, number, strlen(number)));
            TRY(rk_output_write(out, j + 1 < x->columns ? &delimiter : "\n", 1));
        }
    }
done:
    return status;
}

/* ---- the tables -------------------------------------------------------------------------------------------------------- */

/* clang-format off */
#define PARAMS(delimiter_default)                                                                                              \
    {                                                                                                                          \
        {.name = "delimiter", .kind = RK_CHOICE, .offset = offsetof(csv, delimiter), .value = delimiter_default,               \
         .choices = "auto|comma|tab|semicolon|space", .brief = "what stands between two fields; auto looks at line 1"},        \
        {.name = "header", .kind = RK_CHOICE, .offset = offsetof(csv, header), .value = "auto", .choices = "auto|yes|no",      \
         .brief = "whether the first line holds names; auto: a field of it is not a number"},                                  \
        {.name = "label", .kind = RK_WORD, .offset = offsetof(csv, label),                                                     \
         .brief = "the column of labels: its name, or its number from 0, from the end when negative"},                         \
        {.name = NULL}                                                                                                         \
    }
/* clang-format on */

static const rk_param params_csv[] = PARAMS("auto");
static const rk_param params_tsv[] = PARAMS("tab");

const rk_format_type rk_format_csv = {
    .entry = {.name = "csv", .brief = "a table as text, an object in each line", .params = params_csv, .size = sizeof(csv)},
    .endings = ".csv .txt",
    .kinds = RK_KIND_DENSE,
    .read = read_csv,
    .read_labels = read_labels_csv,
    .write = write_csv,
};

const rk_format_type rk_format_tsv = {
    .entry = {.name = "tsv", .brief = "the same, with tabs", .params = params_tsv, .size = sizeof(csv)},
    .endings = ".tsv",
    .kinds = RK_KIND_DENSE,
    .read = read_csv,
    .read_labels = read_labels_csv,
    .write = write_csv,
};
