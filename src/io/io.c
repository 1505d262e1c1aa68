/* io.c: chooses the format of a file (by spec, name or first bytes) and reads or writes data through it. */
#include "io/io.h"
#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define RK_FORMAT(name) &rk_format_##name.entry,
static const rk_entry *const entries[] = {
#include "io/formats.def"
    NULL};
#undef RK_FORMAT

#define ANY_KIND (~(unsigned)(RK_PREFER_BITS | RK_TAKE_FLOATS))

const rk_list rk_formats = {"formats", "format", entries};

static const rk_format_type *type_of(const rk_entry *entry) { return (const rk_format_type *)entry; }

/* The file name of a path, and its length without .gz. */
static const char *base_of(const char *path, size_t *length) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    *length = strlen(base);
    if (*length > 3 && strcasecmp(base + *length - 3, ".gz") == 0) *length -= 3;
    return base;
}

/* The length of the longest ending of the format that the name has; 0 if none. */
static size_t has_ending(const rk_format_type *type, const char *base, size_t length) {
    size_t longest = 0;
    for (const char *s = type->endings; *s;) {
        size_t word = strcspn(s, " ");
        if (word > longest && word <= length && strncasecmp(s, base + length - word, word) == 0) longest = word;
        s += word + (s[word] == ' ');
    }
    return longest;
}

/* The format for this name: of those with a matching ending, the one that holds one of `kinds` with the longest ending
 * (the first in a tie); if none holds these kinds, the first. NULL if no ending matches. */
static const rk_entry *find_ending(const char *base, size_t length, unsigned kinds) {
    const rk_entry *first = NULL, *best = NULL;
    size_t longest = 0;
    for (const rk_entry *const *e = entries; *e; e++) {
        size_t shared = has_ending(type_of(*e), base, length);
        if (shared && !first) first = *e;
        if (shared > longest && type_of(*e)->kinds & kinds) best = *e, longest = shared;
    }
    return best ? best : first;
}

/* Whether the path is a pipe, or another device, whose name has no ending. */
static int nameless(const char *path) { return strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0; }

static int is_folder(const char *path) {
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* All endings, each once, for messages: ".csv .txt .tsv". */
static void list_endings(char known[256]) {
    size_t used = 0;
    for (const rk_entry *const *e = entries; *e; e++)
        for (const char *s = type_of(*e)->endings; *s;) {
            size_t word = strcspn(s, " ");
            int seen = 0;
            for (const rk_entry *const *before = entries; before < e; before++)
                seen |= has_ending(type_of(*before), s, word) > 0;
            if (!seen && used + word + 2 < 256)
                used += (size_t)snprintf(known + used, 256 - used, "%s%.*s", used ? " " : "", (int)word, s);
            s += word + (s[word] == ' ');
        }
}

/* The format that the file name's ending gives. */
static rkhs_status format_by_name(rkhs_env *env, const char *path, unsigned kinds, const rk_format_type **type) {
    char known[256];
    size_t length;
    const char *base = base_of(path, &length);
    *type = type_of(find_ending(base, length, kinds));
    if (*type) return RKHS_OK;
    list_endings(known);
    size_t dot = length;
    while (dot > 0 && base[dot - 1] != '.') dot--;
    if (dot == 0 || dot == length)
        return rk_fail_hint(env, RKHS_ERR_FORMAT, "format",
                            "%s: the name has no ending that tells the format; known are %s: name the format", path, known);
    return rk_fail_hint(env, RKHS_ERR_FORMAT, "format", "%s: no format has the ending .%.*s; known are %s: name the format",
                        path, (int)(length - dot), base + dot, known);
}

/* The number of fields in [s, end); -1 unless all are numbers or missing, and one is a number. A zero must follow. */
static int64_t numbers_in(const char *s, const char *end) {
    int64_t numbers = 0, missing = 0;
    while (s < end) {
        size_t length = strcspn(s, ",;\t \r\n");
        double value;
        if (length && rk_parse_decimal(s, s + length, &value) == s + length)
            numbers++;
        else if (length && strncasecmp(s, "NA", length) != 0 && strncasecmp(s, "nan", length) != 0)
            return -1;
        else
            missing += length > 0;
        s += length + 1;
    }
    return numbers ? numbers + missing : -1;
}

/* Sets *table if the first line has only numbers, or the second has, as many as the first has names. Only the first
 * 4096 bytes are read; if they end within the first line, its last field is ignored. */
static rkhs_status looks_like_table(rk_input *in, int *table) {
    char bytes[4096 + 1];
    size_t got;
    rkhs_status status = rk_input_peek(in, bytes, sizeof bytes - 1, &got);
    if (status != RKHS_OK) return status;
    bytes[got] = 0;
    char *s = bytes + (got >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0), *end = bytes + got, *stop;
    if (got == sizeof bytes - 1 && !memchr(s, '\n', (size_t)(end - s)))
        while (end > s && !strchr(",;\t ", end[-1])) *--end = 0;
    stop = memchr(s, '\n', (size_t)(end - s));
    *table = numbers_in(s, stop ? stop : end) > 0;
    if (*table || !stop) return RKHS_OK;
    int64_t names = 0, numbers;
    for (s += strspn(s, ",;\t \r\n"); s < stop; names++) s += strcspn(s, ",;\t \r\n"), s += strspn(s, ",;\t \r\n");
    char *second = stop + 1;
    stop = memchr(second, '\n', (size_t)(end - second));
    numbers = numbers_in(second, stop ? stop : end);
    *table = numbers > 0 && names == numbers;
    return RKHS_OK;
}

/* The format of a pipe for data of one of `kinds`; `other` if no format is meant for these. */
static const rk_format_type *pipe_format(unsigned kinds, const rk_format_type *other) {
    for (const rk_entry *const *e = entries; *e; e++)
        if (type_of(*e)->pipe & kinds) return type_of(*e);
    return other;
}

/* The format of a pipe, by its first bytes, and by the kinds that the caller can use. */
static rkhs_status format_by_bytes(rk_input *in, unsigned kinds, const rk_format_type **type) {
    char bytes[8];
    size_t got;
    rkhs_status status = rk_input_peek(in, bytes, sizeof bytes, &got);
    if (status != RKHS_OK) return status;
    for (const rk_entry *const *e = entries; *e; e++) {
        *type = type_of(*e);
        size_t length = (*type)->magic ? strlen((*type)->magic) : 0;
        if (length && got >= length && memcmp(bytes, (*type)->magic, length) == 0) return RKHS_OK;
        if ((*type)->begins && got >= 4 && (*type)->begins(bytes)) return RKHS_OK;
    }
    *type = pipe_format(kinds & RK_KIND_DENSE ? RK_KIND_DENSE : kinds, &rk_format_csv);
    return RKHS_OK;
}

/* The format of a folder: the first that reads one and holds one of `kinds`, else the first that reads one. */
static const rk_format_type *folder_format(unsigned kinds) {
    const rk_format_type *first = NULL;
    for (const rk_entry *const *e = entries; *e; e++) {
        if (!type_of(*e)->read_folder && !type_of(*e)->find) continue;
        if (type_of(*e)->kinds & kinds) return type_of(*e);
        if (!first) first = type_of(*e);
    }
    return first;
}

rkhs_status rk_data_read(rkhs_env *env, const char *path, const char *format, unsigned kinds, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    rk_spec *spec = NULL;
    rk_mark mark = rk_scratch_mark(env);
    if (!path) FAIL(env, RKHS_ERR_ARGUMENT, "no file name was given to read from");
    const char *file = path; /* that is opened: one of several that the path names */
    int folder = is_folder(path), guess = !format && !folder && nameless(path);
    const rk_format_type *type = NULL;
    if (folder && !format) type = folder_format(kinds);
    if (!format && !guess && !folder) {
        TRY(rk_input_open(env, path, &in)); /* report a missing file before an unknown ending */
        TRY(format_by_name(env, path, kinds, &type));
        int table = 0;
        if (type->table && kinds & (RK_KIND_DENSE | RK_KIND_IMAGE)) TRY(looks_like_table(in, &table));
        if (table) type = type->table;
    }
    if (type) format = type->entry.name;
    if (format) TRY(rk_spec_new(env, &rk_formats, format, &spec)); /* report a wrong spec before waiting for a pipe */
    if (folder && kinds != RK_KIND_LABELS && type_of(spec->entry)->read_folder) {
        TRY(type_of(spec->entry)->read_folder(env, spec->self, path, kinds, data));
        goto done;
    }
    if (spec && type_of(spec->entry)->find && (folder || !nameless(path))) TRY(type_of(spec->entry)->find(env, path, &file));
    if (!in) TRY(rk_input_open(env, file, &in));
    if (guess) {
        TRY(format_by_bytes(in, kinds, &type));
        TRY(rk_spec_new(env, &rk_formats, type->entry.name, &spec));
    }
    type = type_of(spec->entry);
    TRY(kinds == RK_KIND_LABELS ? type->read_labels(env, spec->self, in, data) : type->read(env, spec->self, in, kinds, data));
done:
    rk_spec_free(env, spec);
    rk_input_close(in);
    rk_scratch_release(env, mark);
    return path && status != RKHS_ERR_SPEC ? rk_set_subject(env, path, status) : status; /* a spec error has one */
}

rkhs_status rkhs_data_read(rkhs_env *env, const char *path, const char *format, rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_read", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    return rk_data_read(env, path, format, ANY_KIND, data);
}

rkhs_status rkhs_data_read_for(rkhs_env *env, const char *path, const char *format, const rkhs_kernel *kernel,
                               rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_read_for", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    unsigned kinds = kernel ? rk_kernel_kinds(kernel) : ANY_KIND;
    if (kinds & (RK_KIND_DENSE | RK_KIND_IMAGE)) kinds |= RK_TAKE_FLOATS;
    return rk_data_read(env, path, format, kinds, data);
}

rkhs_status rkhs_data_read_labels(rkhs_env *env, const char *path, const char *format, rkhs_data **labels) {
    if (!env || !labels) return rk_fail_null(env, "rkhs_data_read_labels", "variable for the labels");
    rk_begin_call(env);
    *labels = NULL;
    return rk_data_read(env, path, format, RK_KIND_LABELS, labels);
}

rkhs_status rkhs_data_read_index(rkhs_env *env, const char *path, const char *format, int64_t objects, rkhs_data **data) {
    rkhs_data *numbers = NULL;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_read_index", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    rkhs_status status = rk_data_read(env, path, format, RK_KIND_DENSE, &numbers);
    if (status == RKHS_OK) status = rk_set_subject(env, path, rk_index_from_dense(env, path, numbers, objects, data));
    rkhs_data_free(numbers);
    return status;
}

int rk_matrix_to_write(const rkhs_data *x, rk_dense *m) {
    const rk_dense *d = rk_dense_of(x);
    const rk_gram_rows *g = x->type == &rk_data_gram ? x->self : NULL;
    *m = d ? *d : g ? (rk_dense){.values = g->values, .ld = g->ld} : (rk_dense){0};
    return m->values || m->floats;
}

rkhs_status rk_fail_format_kind(const rkhs_data *x, const char *name, const char *as) {
    unsigned kind = x->type->kind;
    return rk_fail(x->env, RKHS_ERR_DATA, "%s: %s data cannot be written as %s: choose %s", name, x->type->entry.name, as,
                   kind == RK_KIND_STRING   ? ".txt"
                   : kind == RK_KIND_SPARSE ? ".npz or .svm"
                   : kind == RK_KIND_INDEX  ? "the table that it was read from"
                                            : ".npy or .csv");
}

/* The format to write a file in, from the spec or the file name; the caller frees *spec. */
static rkhs_status output_format(rkhs_env *env, const char *path, const char *format, unsigned kind, rk_spec **spec) {
    rkhs_status status = RKHS_OK;
    *spec = NULL;
    if (!path) FAIL(env, RKHS_ERR_ARGUMENT, "no file name was given to write to");
    size_t length = strlen(path);
    if (length > 3 && strcasecmp(path + length - 3, ".gz") == 0)
        FAIL(env, RKHS_ERR_FORMAT, "%s: .gz is read, not written: leave it out and run gzip on the file", path);
    const rk_format_type *type = pipe_format(kind, &rk_format_npy);
    if (!format && !nameless(path))
        TRY(format_by_name(env, path, kind & (RK_KIND_STRING | RK_KIND_GRAPH) ? kind : RK_KIND_DENSE, &type));
    TRY(rk_spec_new(env, &rk_formats, format ? format : type->entry.name, spec));
    if (kind == RK_KIND_GRAPH && !(type_of((*spec)->entry)->kinds & RK_KIND_GRAPH))
        FAIL(env, RKHS_ERR_DATA, "%s: graph data cannot be written as %s: end the name in .gin", path, (*spec)->entry->name);
    if (!type_of((*spec)->entry)->write)
        FAIL(env, RKHS_ERR_FORMAT, "%s: the format %s is read, not written", path, (*spec)->entry->name);
done:
    return status;
}

rkhs_status rkhs_format_check(rkhs_env *env, const char *path, const char *format, const char **name) {
    rk_spec *spec = NULL;
    if (!env) return RKHS_ERR_ARGUMENT;
    rk_begin_call(env);
    rkhs_status status = output_format(env, path, format, RK_KIND_DENSE, &spec);
    if (status == RKHS_OK && name) *name = spec->entry->name;
    rk_spec_free(env, spec);
    return status;
}

rkhs_status rkhs_data_write(const rkhs_data *data, const char *path, const char *format) {
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    rk_spec *spec = NULL;
    if (!data) return RKHS_ERR_ARGUMENT;
    rkhs_env *env = data->env;
    rk_mark mark = rk_scratch_mark(env);
    rk_begin_call(env);
    TRY(output_format(env, path, format, data->type->kind, &spec));
    TRY(rk_output_open(env, path, &out));
    TRY(type_of(spec->entry)->write(env, spec->self, data, out));
    TRY(rk_output_commit(out));
done:
    rk_output_free(out);
    rk_spec_free(env, spec);
    rk_scratch_release(env, mark);
    return path && status != RKHS_ERR_SPEC ? rk_set_subject(env, path, status) : status; /* a spec error has one */
}
