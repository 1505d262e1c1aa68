/* csv_rows.c: reads the fields and rows of a CSV table, with all threads if it has no quotes.
 *
 * The fast path takes a number followed by the delimiter. Other fields (quotes, words, missing values) go through
 * rk_csv_take, which unquotes, trims and zero-terminates in place.
 *
 * Without quotes a line is a row. Such a file is cut at line ends into blocks, which the threads read as far as the
 * fast path goes. The remaining rows are read in order, so that an error names the first bad row of the file. */
#include "io/csv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BLOCK = 1 << 18 }; /* bytes read by one worker at a time */

/* ---- messages -------------------------------------------------------------------------------------------------- */

const char *rk_csv_shown(const char *text, char buffer[200]) {
    size_t used = 0;
    const unsigned char *s = (const unsigned char *)text;
    for (int i = 0; s[i] && i < 40; i++) {
        int plain = s[i] >= 0x80 || isprint(s[i]);
        used += (size_t)snprintf(buffer + used, 200 - used, plain ? "%c" : "\\x%02x", s[i]);
    }
    if (strlen(text) > 40)
        snprintf(buffer + used, 200 - used, "...");
    else
        buffer[used] = 0;
    return buffer;
}

/* "line 3, column 2 ('width')" */
static const char *location(const rk_csv *r, int64_t column, char buffer[320]) {
    char name[200];
    int used = snprintf(buffer, 320, "line %lld, column %lld", (long long)r->row_line, (long long)column + 1);
    if (r->names && r->names[column][0])
        snprintf(buffer + used, (size_t)(320 - used), " ('%s')", rk_csv_shown(r->names[column], name));
    return buffer;
}

int rk_csv_missing(const char *text) {
    static const char *const words[] = {"", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "-nan", "null", "NULL", "None", "?"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) return 1;
    return 0;
}

int rk_csv_infinite(const char *text) {
    if (*text == '-' || *text == '+') text++;
    return strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0;
}

int rk_csv_number(const char *text, double *value) {
    const char *end = text + strlen(text);
    return rk_parse_decimal(text, end, value) == end;
}

/* Fails with the reason why a field is not a valid number. */
static rkhs_status not_a_number(const rk_csv *r, int64_t column, const char *text) {
    char where[320], value[200];
    double number;
    location(r, column, where);
    rk_csv_shown(text, value);
    if (rk_csv_missing(text))
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: %s is missing ('%s'): fill it in, or leave out the row or the column%s",
                       r->name, where, value,
                       r->row_line == 1 && !r->names ? ", or say csv(header=yes) if the line holds names" : "");
    if (rk_csv_infinite(text))
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: %s is infinite ('%s'): put a number there, or leave out the row", r->name,
                       where, value);
    if (rk_csv_number(text, &number))
        return rk_fail(r->env, RKHS_ERR_DATA, "%s: %s is %s, past 1e150: divide the column by its largest number", r->name,
                       where, value);
    return rk_fail_hint(r->env, RKHS_ERR_DATA, "label_column",
                        "%s: %s is '%s', not a number: correct it, or leave out the column, or name it as the labels", r->name,
                        where, value);
}

/* Fails for a row with another number of fields than the first line. */
static rkhs_status ragged(const rk_csv *r, int64_t fields) {
    return rk_fail(r->env, RKHS_ERR_DATA, "%s: line %lld has %s, the first has %lld: give every line as many, quoted if needed",
                   r->name, (long long)r->row_line, rk_counted(fields, "field").text, (long long)r->columns);
}

/* ---- fields ---------------------------------------------------------------------------------------------------- */

static int is_blank(const rk_csv *r, char c) { return c == ' ' || (c == '\t' && r->delimiter != '\t'); }

char *rk_csv_after_line(char *s) {
    if (*s == '\r') return s + (s[1] == '\n' ? 2 : 1);
    return s + 1;
}

/* Unquotes the text at s in place. Returns the position after the closing quote, or NULL if there is none. */
static char *unquote(rk_csv *r, char *s, rk_csv_field *f) {
    char *to = s, *from = s + 1;
    f->text = s;
    for (;; from++) {
        if (from >= r->end) return NULL;
        if (*from == '"') {
            if (from[1] != '"') break;
            from++;
        }
        if (*from == '\n' || (*from == '\r' && from[1] != '\n')) r->line++;
        *to++ = *from;
    }
    f->length = to - f->text;
    *to = 0;
    return from + 1;
}

rkhs_status rk_csv_take(rk_csv *r, rk_csv_field *f) {
    char *s = r->at;
    while (is_blank(r, *s)) s++;
    char *stop;
    if (*s == '"') {
        stop = unquote(r, s, f);
        if (!stop)
            return rk_fail(r->env, RKHS_ERR_FORMAT,
                           "%s: line %lld: a quote is opened and not closed: close it, or write \"\" for a quote", r->name,
                           (long long)r->row_line);
    } else {
        f->text = stop = s;
        while (stop < r->end && *stop != r->delimiter && *stop != '\n' && *stop != '\r' &&
               !(r->delimiter == ' ' && *stop == '\t'))
            stop++;
        char *tail = stop;
        while (tail > s && is_blank(r, tail[-1])) tail--;
        f->length = tail - s;
    }
    char *before = stop;
    while (is_blank(r, *stop)) stop++;
    f->last = stop >= r->end || *stop == '\n' || *stop == '\r';
    if (f->last) {
        r->line++;
        r->at = stop < r->end ? rk_csv_after_line(stop) : r->end;
    } else if (*stop == r->delimiter) {
        r->at = stop + 1;
    } else if (r->delimiter == ' ' && stop > before) {
        r->at = stop; /* the blanks are the delimiter */
    } else {
        return rk_fail(r->env, RKHS_ERR_FORMAT,
                       "%s: line %lld: text follows a closing quote: write \"\" for a quote inside quotes", r->name,
                       (long long)r->row_line);
    }
    f->text[f->length] = 0;
    return RKHS_OK;
}

char *rk_csv_trimmed_end(const rk_csv *r) {
    char *end = r->end;
    while (end > r->at && (isspace((unsigned char)end[-1]) || end[-1] == 0x1a)) end--; /* 0x1a: end of file in DOS */
    return end;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* Parses a field that the fast path did not take. */
static rkhs_status slow_number(const rk_csv *r, const rk_csv_field *f, int64_t column, double *value) {
    if ((int64_t)strlen(f->text) == f->length && rk_csv_number(f->text, value) && fabs(*value) <= 1e150) return RKHS_OK;
    return not_a_number(r, column, f->text);
}

/* The fast path: takes a number and the delimiter after it (in the last column the line end). Returns 0 and does not
 * move if the field is anything else. */
static int fast_number(rk_csv *r, int last, double *value) {
    const char *s = r->at;
    while (*s == ' ') s++;
    const char *stop = rk_parse_decimal(s, r->end, value);
    if (!stop || !(fabs(*value) <= 1e150)) return 0;
    char *next = r->at + (stop - r->at);
    while (is_blank(r, *next)) next++;
    if (!last) {
        int blanks = r->delimiter == ' ' && next > stop && next < r->end && *next != '\n' && *next != '\r';
        if (*next != r->delimiter && !blanks) return 0;
        r->at = blanks ? next : next + 1;
        return 1;
    }
    if (next < r->end && *next != '\n' && *next != '\r') return 0;
    r->at = next < r->end ? rk_csv_after_line(next) : next;
    r->line++;
    return 1;
}

/* Counts the fields of a row, of which `seen` are read, and fails with ragged. */
static rkhs_status count_fields(rk_csv *r, int64_t seen, int ended) {
    rk_csv_field f = {.last = ended};
    while (!f.last) {
        rkhs_status status = rk_csv_take(r, &f);
        if (status != RKHS_OK) return status;
        seen++;
    }
    return ragged(r, seen);
}

/* Reads one row: the label to *word, the string to *text, and if `numbers` is set the numbers to `values`. If values
 * is NULL, numbers are checked but not stored. */
static rkhs_status read_row(rk_csv *r, int numbers, double *values, char **word, char **text) {
    rkhs_status status = RKHS_OK;
    double nowhere, *to = values ? values : &nowhere;
    r->row_line = r->line;
    for (int64_t j = 0; j < r->columns; j++) {
        int last = j + 1 == r->columns;
        if (numbers && j != r->label && fast_number(r, last, to)) {
            to += values != NULL;
            continue;
        }
        rk_csv_field f = {.last = 0};
        TRY(rk_csv_take(r, &f));
        if (j == 0 && f.last && f.length == 0 && r->columns > 1)
            FAIL(r->env, RKHS_ERR_DATA, "%s: line %lld is empty, and rows follow it: take it out", r->name,
                 (long long)r->row_line);
        if (f.last != last) {
            status = count_fields(r, j + 1, f.last);
            goto done;
        }
        if (j == r->label) {
            *word = f.text;
        } else if (j == r->text) {
            *text = f.text;
        } else if (numbers) {
            TRY(slow_number(r, &f, j, to));
            to += values != NULL;
        }
    }
done:
    return status;
}

/* ---- rows by blocks -------------------------------------------------------------------------------------------- */

/* A range of whole lines. */
typedef struct block {
    char *at, *end;
    int64_t first, rows; /* its first row in the table, and how many */
    int64_t done;        /* rows that the fast path has read; `at` is after them */
    int odd;             /* contains a quote, or \r without \n: the file cannot be cut at \n */
} block;

typedef struct blocks {
    rk_csv *r;
    int64_t count, rows;
    block *block;
    double *values;
    char **words;
} blocks;

/* Counts the lines of a block and sets `odd`. */
static void scan(block *b) {
    const char *s = b->at;
    while (s < b->end) {
        int64_t n = rk_min(b->end - s, 128); /* a count of lines fits a byte */
        uint8_t lines = 0, odd = 0;
        for (int64_t i = 0; i < n; i++) { /* s[i + 1] is readable: a zero follows the text */
            lines = (uint8_t)(lines + (s[i] == '\n'));
            odd = (uint8_t)(odd | (s[i] == '"') | ((s[i] == '\r') & (s[i + 1] != '\n')));
        }
        b->rows += lines;
        b->odd |= odd;
        s += n;
    }
}

static rkhs_status scan_block(void *context, int64_t tile, int worker) {
    scan(&((blocks *)context)->block[tile]);
    return RKHS_OK;
}

/* The fast path for a label: moves past it and returns its end, or NULL if rk_csv_take must read it. */
static char *fast_word(rk_csv *r, int last, char **word) {
    char *s = r->at;
    while (is_blank(r, *s)) s++;
    char *stop = s;
    while (stop < r->end && *stop != r->delimiter && *stop != '\n' && *stop != '\r') stop++;
    int ends = stop == r->end || *stop != r->delimiter;
    char *tail = stop;
    while (tail > s && is_blank(r, tail[-1])) tail--;
    if (tail == s || ends != last || r->delimiter == ' ') return NULL;
    r->at = stop == r->end ? stop : ends ? rk_csv_after_line(stop) : stop + 1;
    *word = s;
    return tail;
}

/* Reads one row if the fast path takes all of its fields; else returns 0 and does not move. */
static int fast_row(rk_csv *r, double *to, char **word) {
    char *start = r->at, *word_end = NULL;
    for (int64_t j = 0; j < r->columns; j++) {
        int last = j + 1 == r->columns;
        if (j == r->label ? (word_end = fast_word(r, last, word)) != NULL : fast_number(r, last, to++)) continue;
        r->at = start;
        return 0;
    }
    if (word_end) *word_end = 0;
    return 1;
}

static rkhs_status read_block(void *context, int64_t tile, int worker) {
    blocks *all = context;
    block *b = &all->block[tile];
    rk_csv r = *all->r;
    int64_t p = r.columns - (r.label >= 0);
    r.at = b->at;
    for (; b->done < b->rows; b->done++) {
        int64_t i = b->first + b->done;
        if (!fast_row(&r, all->values + i * p, r.label >= 0 ? all->words + i : NULL)) break;
    }
    b->at = r.at;
    return RKHS_OK;
}

/* Reads the rows that the fast path left, in order. */
static rkhs_status read_rest(blocks *all) {
    rkhs_status status = RKHS_OK;
    rk_csv *r = all->r;
    int64_t p = r->columns - (r->label >= 0), line = r->line;
    for (block *b = all->block; b < all->block + all->count; b++) {
        r->at = b->at;
        r->line = line + b->first + b->done;
        for (; b->done < b->rows; b->done++) {
            int64_t i = b->first + b->done;
            if (b->done % RK_CSV_LOOK == 0) TRY(rk_progress(r->env, "parse", i, all->rows));
            TRY(read_row(r, 1, all->values + i * p, r->label >= 0 ? all->words + i : NULL, NULL));
        }
    }
done:
    return status;
}

/* Cuts the text into blocks. *usable: it may be read by blocks, and needs no more than `most` numbers. */
static rkhs_status cut(blocks *all, int64_t most, int *usable) {
    rkhs_status status = RKHS_OK;
    rk_csv *r = all->r;
    char *end = rk_csv_trimmed_end(r);
    *usable = 0;
    if (end == r->at) return RKHS_OK;
    all->count = (end - r->at + BLOCK - 1) / BLOCK;
    TRY(rk_scratch(r->env, all->count, sizeof *all->block, &all->block));
    char *at = r->at;
    for (int64_t b = 0; b < all->count; b++) {
        char *stop = b + 1 < all->count ? r->at + (b + 1) * BLOCK : end;
        if (stop < at) stop = at; /* a line is longer than a block */
        char *newline = b + 1 < all->count && stop < end ? memchr(stop, '\n', (size_t)(end - stop)) : NULL;
        all->block[b] = (block){.at = at, .end = newline ? newline + 1 : end};
        at = all->block[b].end;
    }
    TRY(rk_parallel(r->env, NULL, all->count, scan_block, all));
    int odd = 0;
    for (int64_t b = 0; b < all->count; b++) {
        block *one = &all->block[b];
        if (one->end > one->at && one->end == end) one->rows++; /* the last line has no \n, which was cut off */
        one->first = all->rows;
        all->rows += one->rows;
        odd |= one->odd;
    }
    *usable = !odd && all->rows <= most / (r->columns - (r->label >= 0));
done:
    return status;
}

/* Reads all rows of numbers by blocks. *taken is 0 if that is not possible; nothing is read then. */
static rkhs_status read_blocks(rk_csv *r, double **values, char ***words, int64_t *rows, int *taken) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(r->env);
    int64_t p = r->columns - (r->label >= 0);
    blocks all = {.r = r};
    char what[256];
    *taken = 0;
    TRY(cut(&all, (r->end - r->at) / 2 + 1, taken));
    if (!*taken) goto done;
    snprintf(what, sizeof what, "%.200s, as numbers,", r->name);
    TRY(rk_require_memory(r->env, 8.0 * (double)(all.rows * p), what, "raise the memory limit, or keep fewer rows or columns"));
    TRY(rk_alloc(r->env, all.rows * p, sizeof **values, values));
    if (r->label >= 0) TRY(rk_alloc(r->env, all.rows, sizeof **words, words));
    all.values = *values;
    all.words = *words;
    TRY(rk_parallel(r->env, "parse", all.count, read_block, &all));
    TRY(read_rest(&all));
    *rows = all.rows;
done:
    rk_scratch_release(r->env, mark);
    return status;
}

/* ---- all rows -------------------------------------------------------------------------------------------------- */

/* An upper bound of the number of rows: line ends plus one. */
static int64_t count_lines(const rk_csv *r) {
    int64_t lines = 1;
    for (const char *s = r->at; (s = memchr(s, '\n', (size_t)(r->end - s))); s++) lines++;
    for (const char *s = r->at; (s = memchr(s, '\r', (size_t)(r->end - s))); s++) lines += s[1] != '\n';
    return lines;
}

/* Reads all rows, one after the other. */
static rkhs_status read_lines(rk_csv *r, int numbers, double **values, char ***words, char ***texts, int64_t *rows) {
    rkhs_status status = RKHS_OK;
    int64_t p = r->columns - (r->label >= 0), lines = count_lines(r), bytes = r->end - r->at, length = bytes;
    int64_t most = bytes / 2 + 1; /* a number takes at least a digit and a delimiter */
    char what[256], *start = r->at, *last = rk_csv_trimmed_end(r);
    *rows = 0;
    if (p > 0 && lines < most / p + 1) most = lines * p;
    snprintf(what, sizeof what, "%.200s, as numbers,", r->name);
    if (numbers)
        TRY(rk_require_memory(r->env, 8.0 * (double)most, what, "raise the memory limit, or keep fewer rows or columns"));
    if (numbers) TRY(rk_alloc(r->env, most, sizeof **values, values));
    if (r->label >= 0) TRY(rk_alloc(r->env, lines, sizeof **words, words));
    if (r->text >= 0) TRY(rk_alloc(r->env, lines, sizeof **texts, texts));
    for (; r->at < last; ++*rows) {
        if (*rows % RK_CSV_LOOK == 0) TRY(rk_progress(r->env, "parse", r->at - start, length));
        int room = numbers && (*rows + 1) * p <= most; /* a row without room is invalid: read_row fails */
        TRY(read_row(r, numbers, room ? *values + *rows * p : NULL, r->label >= 0 ? *words + *rows : NULL,
                     r->text >= 0 ? *texts + *rows : NULL));
        if (numbers && !room) FAIL(r->env, RKHS_ERR_BUG, "%s: the rows were miscounted", r->name);
    }
    if (*rows == 0)
        FAIL(r->env, RKHS_ERR_DATA,
             r->names ? "%s: there is a header and no row under it: give a file with data"
                      : "%s: the file is empty: give a file with data",
             r->name);
done:
    return status;
}

rkhs_status rk_csv_rows(rk_csv *r, int numbers, double **values, char ***words, char ***texts, int64_t *rows) {
    int taken = 0;
    rkhs_status status = numbers ? read_blocks(r, values, words, rows, &taken) : RKHS_OK;
    return status == RKHS_OK && !taken ? read_lines(r, numbers, values, words, texts, rows) : status;
}
