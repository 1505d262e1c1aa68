/* csv.c: the formats "csv" and "tsv", tables as text (RFC 4180, and the variants that pandas, R and others write).
 *
 * The whole file is read into memory. A copy of the first line decides the delimiter, the number of columns and
 * whether there is a header. csv_rows.c reads the rows. */
#include "io/csv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_AUTO, HEADER_YES, HEADER_NO };
enum { AUTO, COMMA, TAB, SEMICOLON, SPACE };

typedef struct csv {
    int delimiter, header;
    char *label, *text;
} csv;

/* ---- the first line -------------------------------------------------------------------------------------------- */

/* The first line end outside quotes; the first of all if quotes do not match. */
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

/* The first of tab, semicolon, comma that occurs outside quotes (1,5;2,5 has decimal commas); else a blank. */
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

/* The column that label= or text= gives, by number (from the end if negative) or by name. A name sets *named. */
static rkhs_status find_column(rk_csv *r, const char *what, const char *word, const char **names, int64_t *column, int *named) {
    char *stop;
    long long index = strtoll(word, &stop, 10);
    if (*stop == 0 && stop != word) {
        *column = index < 0 ? index + r->columns : index;
        if (*column >= 0 && *column < r->columns) return RKHS_OK;
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: there is no column %lld for the %s: columns run from 0 to %lld", r->name,
                       index, what, (long long)r->columns - 1);
    }
    *named = 1;
    for (*column = 0; *column < r->columns; ++*column)
        if (strcmp(names[*column], word) == 0) return RKHS_OK;
    const char *near = rk_nearest_name(word, names, r->columns < 1000 ? (int)r->columns : 1000);
    char value[200], other[200];
    return rk_fail(r->env, RKHS_ERR_DATA,
                   "%s: no column has the name '%s'%s%s%s: take a name from line 1, or a number from 0 to %lld", r->name,
                   rk_csv_shown(word, value), near ? " (did you mean '" : "", near ? rk_csv_shown(near, other) : "",
                   near ? "'?)" : "", (long long)r->columns - 1);
}

/* Splits a copy of the first line into fields, on the scratch list, and sets r->columns. r->at does not move. */
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

/* Sets *header if a field of the first line, the labels aside, is a word. Fails if there are numbers too: that is a
 * typo in the first row, or a header with numbers in it, and only the user can tell. */
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
    return rk_fail_hint(
        r->env, RKHS_ERR_DATA, "label_column",
        "%s: line 1, column %lld is '%s', not a number, but other columns of that line are: correct it, or say csv(header=yes) "
        "if the line holds names, or name the column as the labels",
        r->name, (long long)word + 1, rk_csv_shown(names[word], text));
}

/* Splits the second line into fields; *count is 0 if there is none. */
static rkhs_status split_next(const rk_csv *r, const char *end, const char ***fields, int64_t *count) {
    rk_csv next = *r;
    *count = 0;
    next.line++;
    next.at += end - next.at;
    if (next.at < next.end) next.at = rk_csv_after_line(next.at);
    if (next.at >= next.end) return RKHS_OK;
    rkhs_status status = split_first(&next, first_line_end(&next), fields);
    if (status == RKHS_OK) *count = next.columns;
    return status;
}

/* In a table of strings the first line is a header if one of its words is above a number. */
static rkhs_status header_of_strings(const rk_csv *r, const char *end, const char **names, int *header) {
    const char **second;
    double value;
    int64_t count;
    rkhs_status status = split_next(r, end, &second, &count);
    *header = 0;
    for (int64_t j = 0; status == RKHS_OK && j < count && j < r->columns; j++)
        *header |= !rk_csv_number(names[j], &value) && rk_csv_number(second[j], &value);
    return status;
}

/* Finds the column of strings: the only column, or the only one that is not a number in this row, the labels aside. */
static rkhs_status find_text(rk_csv *r, const char **row, int64_t count) {
    double value;
    int64_t found = 0, others = 0;
    for (int64_t j = 0; j < count && j < r->columns; j++) {
        if (j == r->label) continue;
        int word = !rk_csv_number(row[j], &value);
        if (word || (!found && !others)) r->text = j;
        found += word;
        others += !word;
    }
    if (found == 1 || found + others == 1) return RKHS_OK;
    char many[64] = "no column is";
    if (found) snprintf(many, sizeof many, "%s are", rk_counted(found, "column").text);
    return rk_fail_hint(r->env, RKHS_ERR_DATA, r->delimiter == '\t' ? "format=tsv(text=NAME)" : "format=csv(text=NAME)",
                        "%s: %s text, and a string kernel takes one column: say which with text=NAME", r->name, many);
}

/* Whether this is the name that pandas or R gives to the column of row numbers. */
static int unnamed(const char *name) { return !*name || strcmp(name, "Unnamed: 0") == 0; }

/* How many names, the first `ahead` aside, equal their position 0, 1, 2 ...; *whole: how many are digits only. */
static int64_t count_names(const rk_csv *r, const char **names, int64_t ahead, int64_t *whole) {
    int64_t counted = 0;
    char text[32];
    *whole = 0;
    for (int64_t j = ahead; j < r->columns; j++) {
        snprintf(text, sizeof text, "%lld", (long long)(j - ahead));
        counted += strcmp(names[j], text) == 0;
        *whole += *names[j] && strspn(names[j], "0123456789") == strlen(names[j]);
    }
    return counted;
}

/* Sets *header if the first line is the numbers that pandas writes for unnamed columns: integers after an empty field,
 * or 0, 1, 2 ... in order. Up to FEW of the latter above integers are taken as a row. Advice is logged. */
static rkhs_status numbers_as_names(const rk_csv *r, const char *end, const char **names, int *header) {
    enum { FEW = 3 };
    const char **next;
    int64_t count, whole, ahead = r->columns > 1 && unnamed(names[0]), p = r->columns - ahead;
    int fraction = 0;
    double value;
    int64_t counted = count_names(r, names, ahead, &whole);
    if (ahead ? whole < p : r->indices || p < 2 || counted < p) return RKHS_OK;
    rkhs_status status = split_next(r, end, &next, &count);
    if (status != RKHS_OK || count != r->columns || !rk_csv_number(next[0], &value)) return status;
    for (int64_t j = ahead; j < count; j++) fraction |= j != r->label && strchr(next[j], '.') != NULL;
    *header = ahead || p > FEW || fraction;
    if (ahead && counted < p)
        rk_log(r->env, RKHS_LOG_ADVICE,
               "%s: line 1 begins with an empty field, and is taken as names; fill it in if it is a row", r->name);
    else if (!ahead)
        rk_log(r->env, RKHS_LOG_ADVICE, "%s: line 1 is 0 to %lld in order, and is taken as %s; if it %s, say csv(header=%s)",
               r->name, (long long)p - 1, *header ? "names of columns" : "a row", *header ? "is a row" : "holds names",
               *header ? "no" : "yes");
    return RKHS_OK;
}

/* Finds the labels in a file of labels: the only column, or the second after an unnamed one. */
static rkhs_status only_column(rk_csv *r, const csv *c, const char **names, int *named) {
    char text[200];
    r->label = r->columns - 1;
    if (r->columns == 1) return RKHS_OK;
    if (r->columns > 2 || !unnamed(names[0]) || c->header == HEADER_NO)
        return rk_fail(r->env, RKHS_ERR_DATA,
                       "%s: there are %s, and labels are one: give a file of it alone, or say which, csv(label=NAME)", r->name,
                       rk_counted(r->columns, "column").text);
    *named = 1;
    rk_log(r->env, RKHS_LOG_ADVICE, "%s: the first column has no name and is left out: the labels are column '%s'", r->name,
           rk_csv_shown(names[1], text));
    return RKHS_OK;
}

/* What is read: numbers (and labels), labels only, or a column of strings (and labels). */
enum { NUMBERS, LABELS, STRINGS };

/* Sets delimiter, columns, label, text and names from the first line, and moves past a header. */
static rkhs_status read_first(rk_csv *r, const csv *c, int mode) {
    static const char delimiters[] = {0, ',', '\t', ';', ' '};
    rkhs_status status = RKHS_OK;
    const char *end = first_line_end(r), **names, **row;
    int64_t count;
    int named = 0;
    r->delimiter = c->delimiter == AUTO ? detect_delimiter(r->at, end) : delimiters[c->delimiter];
    if (((mode == LABELS && !c->label) || mode == STRINGS) && c->delimiter == AUTO && r->delimiter == ' ')
        r->delimiter = ','; /* a label or string may contain blanks */
    TRY(split_first(r, end, &names));
    row = names;
    count = r->columns;
    if (c->label) TRY(find_column(r, "labels", c->label, names, &r->label, &named));
    if (mode == STRINGS && c->text) TRY(find_column(r, "strings", c->text, names, &r->text, &named));
    if (named && c->header == HEADER_NO)
        FAIL(r->env, RKHS_ERR_SPEC, "%s: a column is named and header=no says that there are no names: give a column number",
             r->name);
    if (mode == LABELS && r->label < 0) TRY(only_column(r, c, names, &named));
    int header = named || c->header == HEADER_YES;
    if (!header && c->header == HEADER_AUTO && mode == NUMBERS) TRY(numbers_as_names(r, end, names, &header));
    if (!header && c->header == HEADER_AUTO)
        TRY(mode == STRINGS ? header_of_strings(r, end, names, &header) : looks_like_header(r, names, &header));
    if (header && mode == STRINGS && r->text < 0) TRY(split_next(r, end, &row, &count));
    if (mode == STRINGS && r->text < 0) TRY(find_text(r, row, count));
    if (mode == STRINGS && r->text == r->label)
        FAIL(r->env, RKHS_ERR_DATA, "%s: column %lld cannot be both the strings and the labels", r->name, (long long)r->text);
    if (!header) goto done;
    r->names = names;
    for (const char *s = r->at; s < end; s++) r->line += *s == '\n' || (*s == '\r' && s[1] != '\n');
    r->at += end - r->at;
    if (r->at < r->end) r->at = rk_csv_after_line(r->at);
    r->line++;
done:
    return status;
}

/* rk_text_check, and fails for white space only. */
static rkhs_status check_text(rk_csv *r) {
    rkhs_status status = rk_text_check(r->env, r->name, &r->at, r->end);
    if (status == RKHS_OK && rk_csv_trimmed_end(r) == r->at)
        status = rk_fail(r->env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", r->name);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sets *counts if a column, every p-th value, can be row numbers: distinct nonnegative integers. Gaps and any order
 * are allowed, as in a subset of a numbered table. */
static rkhs_status numbers_rows(rkhs_env *env, const double *values, int64_t rows, int64_t p, int *counts) {
    rk_mark mark = rk_scratch_mark(env);
    double *sorted;
    int64_t up = 0;
    *counts = 1;
    for (int64_t i = 0; i < rows && *counts; i++) {
        double v = values[i * p];
        *counts = v >= 0 && v == floor(v);
        up += i == 0 || v > values[(i - 1) * p];
    }
    if (!*counts || up == rows) return RKHS_OK;
    rkhs_status status = rk_scratch(env, rows, sizeof *sorted, &sorted);
    if (status != RKHS_OK) return status;
    for (int64_t i = 0; i < rows; i++) sorted[i] = values[i * p];
    qsort(sorted, (size_t)rows, sizeof *sorted, ascending);
    for (int64_t i = 1; i < rows && *counts; i++) *counts = sorted[i] > sorted[i - 1];
    rk_scratch_release(env, mark);
    return RKHS_OK;
}

/* Logs that the first column is kept, although it may not be data. */
static void say_kept(const rk_csv *r, const char *why, int64_t p) {
    rk_log(r->env, RKHS_LOG_ADVICE,
           "%s: the first column %s, and is kept as data; to leave it out write the table without (index=False in pandas), or "
           "give columns to the kernel, as in rbf[1:%lld]",
           r->name, why, (long long)p);
}

/* Logs advice if the first column of a table without a header counts the rows, from 0 or 1. */
static void look_for_numbering(const rk_csv *r, const double *values, int64_t rows, int64_t p) {
    enum { SOME = 5 }; /* fewer rows may be a coincidence */
    if (r->indices || rows < SOME || (values[0] != 0 && values[0] != 1)) return;
    for (int64_t i = 1; i < rows; i++)
        if (values[i * p] != values[0] + (double)i) return;
    say_kept(r, "counts the rows", p);
}

/* Drops an unnamed first column of row numbers, as pandas and R write it. */
static rkhs_status drop_numbering(rk_csv *r, double *values, int64_t rows, int64_t *p) {
    int counts;
    if (r->label == 0 || *p < 2) return RKHS_OK;
    if (!r->names) look_for_numbering(r, values, rows, *p);
    if (!r->names || !unnamed(r->names[0])) return RKHS_OK;
    rkhs_status status = numbers_rows(r->env, values, rows, *p, &counts);
    if (status == RKHS_OK && !counts) say_kept(r, "has no name", *p);
    if (status != RKHS_OK || !counts) return status;
    for (int64_t i = 0; i < rows; i++) memmove(values + i * (*p - 1), values + i * *p + 1, (size_t)(*p - 1) * sizeof *values);
    --*p;
    r->counted = 1;
    rk_log(r->env, RKHS_LOG_ADVICE, "%s: the first column has no name and numbers the rows: it is left out; name it to keep it",
           r->name);
    return RKHS_OK;
}

/* Gives x the names in the header of its columns. */
static rkhs_status name_columns(const rk_csv *r, rkhs_data *x) {
    const char **names;
    if (!r->names) return RKHS_OK;
    rkhs_status status = rk_scratch(r->env, x->columns, sizeof *names, &names);
    if (status != RKHS_OK) return status;
    for (int64_t j = r->counted, c = 0; j < r->columns; j++)
        if (j != r->label) names[c++] = r->names[j];
    x->counted = r->counted;
    return rk_column_names_set(x, names);
}

/* Reads the rows as vectors, or as the strings of one column. */
static rkhs_status read_table(rk_csv *r, const csv *c, int strings, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = r->env;
    rkhs_data *x = NULL;
    char **words = NULL, **texts = NULL;
    double *values = NULL;
    int64_t rows;
    TRY(check_text(r));
    TRY(read_first(r, c, strings ? STRINGS : NUMBERS));
    if (r->columns == 1 && r->label == 0)
        FAIL(env, RKHS_ERR_DATA, "%s: the labels are the only column: no numbers are left", r->name);
    TRY(rk_csv_rows(r, !strings, &values, &words, &texts, &rows));
    if (strings) {
        TRY(rk_data_strings_new(env, (const char *const *)texts, NULL, rows, &x));
    } else {
        int64_t p = r->columns - (r->label >= 0);
        TRY(drop_numbering(r, values, rows, &p));
        TRY(rk_data_new(env, &rk_data_dense, rows, p, &x));
        rk_dense *d = x->self;
        d->owned = values;
        d->values = values;
        d->ld = p;
        values = NULL;
        TRY(name_columns(r, x));
    }
    if (words) TRY(rk_labels_from_words(env, (const char *const *)words, rows, &x->labels));
    *out = x;
    x = NULL;
done:
    rk_free(env, texts);
    rk_free(env, words);
    rk_free(env, values);
    rkhs_data_free(x);
    return status;
}

static rkhs_status read_csv(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    const csv *c = self;
    rk_csv r = {.env = env, .name = rk_input_name(in), .line = 1, .row_line = 1, .label = -1, .text = -1};
    rk_mark mark = rk_scratch_mark(env);
    char *bytes = NULL;
    size_t length;
    rkhs_status status = rk_input_read_all(in, &bytes, &length);
    if (status == RKHS_OK) {
        r.at = bytes;
        r.end = bytes + length;
        r.indices = kinds == RK_KIND_DENSE; /* set by rkhs_data_read_index only: kernels on vectors take images too */
        status = read_table(&r, c, c->text || (kinds & (RK_KIND_STRING | RK_KIND_DENSE)) == RK_KIND_STRING, out);
    }
    rk_free(env, bytes);
    rk_scratch_release(env, mark);
    return status;
}

/* Whether the first label is a header: a word above numbers only. */
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
    rk_csv r = {.env = env, .name = rk_input_name(in), .line = 1, .row_line = 1, .label = -1, .text = -1};
    rk_mark mark = rk_scratch_mark(env);
    char *bytes = NULL, **words = NULL;
    int64_t rows;
    size_t length;
    TRY(rk_input_read_all(in, &bytes, &length));
    r.at = bytes;
    r.end = bytes + length;
    TRY(check_text(&r));
    TRY(read_first(&r, c, LABELS));
    TRY(rk_csv_rows(&r, 0, NULL, &words, NULL, &rows));
    int64_t skip = c->header == HEADER_AUTO && !r.names && header_over_numbers(words, rows);
    TRY(rk_labels_from_words(env, (const char *const *)words + skip, rows - skip, out));
done:
    rk_free(env, bytes);
    rk_free(env, words);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Writes a line with a label, in quotes if needed. */
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
    rk_dense m;
    if (x->type == &rk_data_labels) {
        for (int64_t i = 0; i < x->rows; i++) TRY(write_name(out, rk_label_text(x, i), delimiter));
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
    if (!rk_matrix_to_write(x, &m)) TRY(rk_fail_format_kind(x, rk_output_name(out), "a table"));
    for (int64_t i = 0; i < x->rows; i++) {
        if (i % RK_CSV_LOOK == 0) TRY(rk_progress(env, "write", i, x->rows));
        for (int64_t j = 0; j < x->columns; j++) {
            const char *number = rk_number_text(rk_dense_at(&m, i, j), text);
            TRY(rk_output_write(out, number, strlen(number)));
            TRY(rk_output_write(out, j + 1 < x->columns ? &delimiter : "\n", 1));
        }
    }
done:
    return status;
}

/* ---- the tables ------------------------------------------------------------------------------------------------ */

/* clang-format off */
#define PARAMS(delimiter_default)                                                                                              \
    {                                                                                                                          \
        {.name = "delimiter", .kind = RK_CHOICE, .offset = offsetof(csv, delimiter), .value = delimiter_default,               \
         .choices = "auto|comma|tab|semicolon|space", .brief = "separator of two fields; auto: found from line 1"},        \
        {.name = "header", .kind = RK_CHOICE, .offset = offsetof(csv, header), .value = "auto", .choices = "auto|yes|no",      \
         .brief = "whether the first line has the names of the columns; auto: yes if a field of it is not a number, or if it is 0, 1, 2, ..."},   \
        {.name = "label", .kind = RK_WORD, .offset = offsetof(csv, label),                                                     \
         .brief = "the column of labels: its name, or its number counted from 0; a negative number counts from the end"},                         \
        {.name = "text", .kind = RK_WORD, .offset = offsetof(csv, text),                                                       \
         .brief = "the column of strings, by name or number as label: only this column is read, as text"},                             \
        {.name = NULL}                                                                                                         \
    }
/* clang-format on */

static const rk_param params_csv[] = PARAMS("auto");
static const rk_param params_tsv[] = PARAMS("tab");

const rk_format_type rk_format_csv = {
    .entry = {.name = "csv", .brief = "a table as text, an object in each line", .params = params_csv, .size = sizeof(csv)},
    .endings = ".csv .txt",
    .kinds = RK_KIND_DENSE | RK_KIND_STRING | RK_KIND_LABELS,
    .read = read_csv,
    .read_labels = read_labels_csv,
    .write = write_csv,
};

/* clang-format off */
const rk_format_type rk_format_tsv = {
    .entry = {.name = "tsv", .brief = "a table as text, an object in each line; fields separated by tabs", .params = params_tsv, .size = sizeof(csv)},
    .endings = ".tsv", .kinds = RK_KIND_DENSE | RK_KIND_STRING | RK_KIND_LABELS, .read = read_csv,
    .read_labels = read_labels_csv, .write = write_csv,
};
/* clang-format on */
