/* fasta.c: the format "fasta", biological sequences (DNA, RNA, proteins) as strings.
 *
 * A record begins with a line '>name and more words'. The lines up to the next '>' are one sequence; blanks in them
 * are removed. Lines that begin with ';' are comments. Lower-case letters become capitals, as programs write the same
 * sequence either way; case=keep keeps them, for files in which they mark repeats. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

enum { LOOK = 1024 }; /* records between two progress calls */

enum { UPPER, KEEP };

typedef struct fasta {
    int64_t label;
    int letters; /* UPPER or KEEP */
} fasta;

typedef struct records {
    rkhs_env *env;
    const char *name; /* of the file */
    char *bytes;
    const char **sequences, **words; /* words: labels; NULL if none are wanted */
    int64_t *lengths, count, line;
    int upper; /* convert to capitals */
} records;

/* The end of the line at s: its \n, or `end`. */
static char *line_end(char *s, char *end) {
    char *stop = memchr(s, '\n', (size_t)(end - s));
    return stop ? stop : end;
}

static int is_gap(char c) { return c == ' ' || c == '\t' || c == '|' || c == '\r'; }

/* Word `number` (from 1) of a header, zero-terminated in place. Words end at blanks and at '|'. */
static rkhs_status take_word(const records *r, char *at, const char *stop, int64_t number, const char **word) {
    int64_t seen = 0;
    while (at < stop) {
        while (at < stop && is_gap(*at)) at++;
        char *from = at;
        while (at < stop && !is_gap(*at)) at++;
        if (at > from && ++seen == number) {
            memmove(from - 1, from, (size_t)(at - from)); /* over the '>' or gap: room for the zero */
            from[at - from - 1] = 0;
            *word = from - 1;
            return RKHS_OK;
        }
    }
    return rk_fail(r->env, RKHS_ERR_DATA,
                   "%s: line %lld: the header has %s, and label=%lld asks for more: give every header as many", r->name,
                   (long long)r->line, rk_counted(seen, "word").text, (long long)number);
}

/* Joins the lines of the sequence at s in place and adds it to r. Returns the position after it. */
static char *take_sequence(records *r, char *s, char *end) {
    char *to = s;
    r->sequences[r->count] = s;
    while (s < end && *s != '>') {
        char *stop = line_end(s, end);
        for (int remark = *s == ';'; !remark && s < stop; s++)
            if (*s != ' ' && *s != '\t' && *s != '\r') *to++ = (char)(r->upper && *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
        s = stop < end ? stop + 1 : end;
        r->line++;
    }
    r->lengths[r->count] = to - r->sequences[r->count];
    r->count++;
    return s;
}

static rkhs_status read_records(records *r, char *at, char *end, int64_t label) {
    rkhs_status status = RKHS_OK;
    int64_t most = 0;
    for (const char *s = at; s < end && (s = memchr(s, '>', (size_t)(end - s))); s++) most++;
    TRY(rk_alloc(r->env, most, sizeof *r->sequences, &r->sequences));
    TRY(rk_alloc(r->env, most, sizeof *r->lengths, &r->lengths));
    if (label) TRY(rk_alloc(r->env, most, sizeof *r->words, &r->words));
    for (r->line = 1; at < end;) {
        char *stop = line_end(at, end);
        if (*at != '>') { /* only before the first record */
            const char *text = at;
            while (text < stop && (*text == ' ' || *text == '\t' || *text == '\r')) text++;
            int blank = *at == ';' || text == stop;
            if (!blank)
                TRY(rk_fail_hint(
                    r->env, RKHS_ERR_FORMAT, "format=lines",
                    "%s: line %lld: a FASTA file begins with a line '>name': give such a file, or read it as lines", r->name,
                    (long long)r->line));
            at = stop < end ? stop + 1 : end;
            r->line++;
            continue;
        }
        if (label) TRY(take_word(r, at + 1, stop, label, &r->words[r->count]));
        r->line++;
        at = take_sequence(r, stop < end ? stop + 1 : end, end);
        if (r->count % LOOK == 0) TRY(rk_progress(r->env, "parse", at - r->bytes, end - r->bytes));
    }
    if (!r->count) FAIL(r->env, RKHS_ERR_DATA, "%s: there is no record, a line '>name': give a file with data", r->name);
done:
    return status;
}

/* Reads the sequences and their labels, or with `alone` only the labels. */
static rkhs_status read_either(rkhs_env *env, const fasta *f, rk_input *in, int alone, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    records r = {.env = env, .name = rk_input_name(in), .upper = f->letters == UPPER};
    int64_t label = alone && !f->label ? 1 : f->label;
    rkhs_data *x = NULL;
    size_t length;
    char *at;
    TRY(rk_input_read_all(in, &r.bytes, &length));
    at = r.bytes;
    TRY(rk_text_check(env, r.name, &at, r.bytes + length));
    TRY(read_records(&r, at, r.bytes + length, label));
    if (!alone) TRY(rk_data_strings_new(env, r.sequences, r.lengths, r.count, &x));
    if (label) TRY(rk_labels_from_words(env, r.words, r.count, alone ? &x : &x->labels));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_free(env, r.sequences);
    rk_free(env, r.lengths);
    rk_free(env, r.words);
    rk_free(env, r.bytes);
    return status;
}

static rkhs_status read_fasta(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    return read_either(env, self, in, 0, out);
}

static rkhs_status read_labels_fasta(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    return read_either(env, self, in, 1, out);
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "label", .kind = RK_INT, .offset = offsetof(fasta, label), .value = "0", .max = 1000,
     .brief = "which word of the header is the label, counted from 1; words are separated by blanks and by '|'; 0: no labels"},
    {.name = "case", .kind = RK_CHOICE, .offset = offsetof(fasta, letters), .value = "upper", .choices = "upper|keep",
     .brief = "upper: convert to capitals; keep: leave as they are, where small letters mark repeats"},
    {.name = NULL},
};

const rk_format_type rk_format_fasta = {
    .entry = {.name = "fasta", .brief = "sequences, each under a line '>name'; lines of one sequence are joined",
              .params = params, .size = sizeof(fasta)},
    .endings = ".fa .fasta .fna .faa", .kinds = RK_KIND_STRING, .magic = ">", .read = read_fasta,
    .read_labels = read_labels_fasta,
};
/* clang-format on */
