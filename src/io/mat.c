/* mat.c: the format "mat", MAT files of level 5, as MATLAB (save -v6, save -v7), Octave and SciPy write them.
 *
 *     128-byte header, ending in the version and the byte order; elements: type, size (4 bytes each), content
 *
 * A variable is an element of type MATRIX, or one that is deflated (COMPRESSED). Its content is again elements, each
 * padded to 8 bytes: flags with the class, dimensions, name, numbers. Instead of the numbers, a sparse matrix (CSC)
 * has row indices, column starts and values, and a cell array has matrices. A short element, of at most 4 bytes, is
 * packed with its tag into 8 bytes.
 *
 * The whole file is read into memory and every size in it is checked: an element must end within its parent, and a
 * matrix must have as many numbers as its dimensions require. Of the chosen variable all is inflated and the checksum
 * verified, of the others only the first elements. Nesting is followed no deeper than the cells of a cell array.
 * Numbers are read as those of a NumPy array in Fortran order. Format: MathWorks, "MAT-File Format", level 5. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 128, TAG = 8, LONGEST_NAME = 63, PART = 4096, DENSEST = 1032 }; /* the last: deflate's ratio */
/* Types of elements, classes of arrays, and flags of an array. */
enum { INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, MATRIX = 14, COMPRESSED, UTF8, UTF16, UTF32 };
enum { CELL = 1, STRUCT, OBJECT, CHAR, SPARSE, DOUBLE, UINT64 = 15, FUNCTION, OPAQUE };
enum { LOGICAL = 0x200, COMPLEX = 0x800 };
/* A sparse matrix of more than MANY_ROWS rows must have an entry or a column per SPARSEST rows: a small file cannot
 * claim any number of empty rows. */
enum { MANY_ROWS = 1 << 20, SPARSEST = 1000 };

typedef struct mat {
    char *key;
} mat;

/* A variable: its first elements, and its position in the file. */
typedef struct variable {
    char name[LONGEST_NAME + 1];
    uint32_t class, flags;
    int64_t rank, rows, columns; /* number of dimensions, and the first two */
    const unsigned char *at;     /* its content in the file */
    uint64_t size;
    int packed; /* whether it is deflated */
} variable;

typedef struct file {
    rkhs_env *env;
    const char *name;
    char *bytes;
    int little;      /* little-endian */
    variable *found; /* on the scratch list */
    int64_t count;
} file;

/* A reader of the content of a variable. */
typedef struct content {
    const file *f;
    rk_input *packed; /* the inflated bytes; NULL if not deflated: the bytes are at `at` */
    const unsigned char *at;
    uint64_t left, after; /* bytes left in the current element, and after it in its parent */
} content;

/* The tag of an element. */
typedef struct element {
    uint32_t type;
    uint64_t size, padding;
} element;

static rkhs_status damaged(const file *f, const char *why) {
    return rk_fail(f->env, RKHS_ERR_FORMAT, "%s: %s: copy or save the file again", f->name, why);
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

static uint32_t word_at(const file *f, const unsigned char *b) {
    return f->little ? (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0]
                     : (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Reads up to `count` bytes; fewer only at the end of the element or of the deflated data. */
static rkhs_status read_content(void *context, void *to, size_t count, size_t *got) {
    content *c = context;
    rkhs_status status = RKHS_OK;
    *got = c->left < count ? (size_t)c->left : count;
    if (c->packed) {
        status = rk_input_read(c->packed, to, *got, got);
    } else {
        memcpy(to, c->at, *got);
        c->at += *got;
    }
    c->left -= *got;
    return status;
}

static int64_t left_of_content(const void *context) { return (int64_t)((const content *)context)->left; }

static void leave_open(void *context) { (void)context; }

/* Reads exactly `count` bytes. */
static rkhs_status take(content *c, void *to, size_t count) {
    size_t got;
    rkhs_status status = read_content(c, to, count, &got);
    return status == RKHS_OK && got < count ? damaged(c->f, "a variable is damaged") : status;
}

static rkhs_status skip(content *c, uint64_t count) {
    unsigned char part[PART];
    rkhs_status status = RKHS_OK;
    for (; status == RKHS_OK && count > 0; count -= rk_min((int64_t)count, PART))
        status = take(c, part, (size_t)rk_min((int64_t)count, PART));
    return status;
}

/* Reads the tag of the next element. Fails if that does not end within the current one. */
static rkhs_status take_tag(content *c, element *e) {
    rkhs_status status = RKHS_OK;
    unsigned char b[4];
    TRY(take(c, b, 4));
    uint32_t first = word_at(c->f, b);
    int is_short = first >> 16 != 0;
    if (!is_short) TRY(take(c, b, 4));
    *e = (element){.type = is_short ? first & 0xffff : first, .size = is_short ? first >> 16 : word_at(c->f, b)};
    e->padding = is_short ? 4 - e->size : (8 - e->size % 8) % 8;
    if ((is_short && e->size > 4) || e->size > c->left) TRY(damaged(c->f, "a variable is damaged"));
    if (e->padding > c->left - e->size) e->padding = c->left - e->size; /* the last element may lack its padding */
done:
    return status;
}

/* Reads the tag of an element of numbers, and describes these as a NumPy array of one dimension. */
static rkhs_status take_numbers(content *c, element *e, rk_npy *npy) {
    static const char kinds[] = " iuiuiuf f  iu", sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    rkhs_status status = RKHS_OK;
    TRY(take_tag(c, e));
    int64_t size = e->type < sizeof sizes ? sizes[e->type] : 0;
    if (!size || e->size % (uint64_t)size) TRY(damaged(c->f, "the numbers of a variable are damaged"));
    int64_t count = (int64_t)e->size / size;
    *npy = (rk_npy){.order = c->f->little ? '<' : '>', .kind = kinds[e->type], .size = size, .ndim = 1, .count = count};
    npy->shape[0] = count;
done:
    return status;
}

/* Opens the bytes of an element as an input; c->after bytes follow it. */
static rkhs_status open_element(content *c, const element *e, rk_input **in) {
    c->after = c->left - e->size;
    c->left = e->size;
    return rk_input_from_source(c->f->env, c->f->name, &(rk_source){c, read_content, left_of_content, leave_open}, in);
}

/* ---- variables ------------------------------------------------------------------------------------------------- */

/* Reads flags, dimensions and name of a matrix. An opaque object has no dimensions. */
static rkhs_status take_head(content *c, variable *v) {
    rkhs_status status = RKHS_OK;
    unsigned char b[8];
    element e;
    TRY(take_tag(c, &e));
    if (e.type != UINT32 || e.size != 8) TRY(damaged(c->f, "a variable is damaged"));
    TRY(take(c, b, 8));
    v->flags = word_at(c->f, b);
    v->class = v->flags & 0xff;
    TRY(take_tag(c, &e));
    if (v->class != OPAQUE) {
        if (e.type != INT32 || e.size < 8 || e.size % 4) TRY(damaged(c->f, "a variable is damaged"));
        TRY(take(c, b, 8));
        v->rank = (int64_t)e.size / 4;
        v->rows = word_at(c->f, b);
        v->columns = word_at(c->f, b + 4);
        TRY(skip(c, e.size - 8 + e.padding));
        TRY(take_tag(c, &e));
    }
    if (e.type != INT8 || e.size > LONGEST_NAME) TRY(damaged(c->f, "the name of a variable is damaged"));
    TRY(take(c, v->name, (size_t)e.size));
    v->name[e.size] = 0;
    TRY(skip(c, e.padding));
done:
    return status;
}

/* Opens a variable and reads its head. The caller closes c->packed, even on failure. */
static rkhs_status open_content(const file *f, variable *v, content *c) {
    rkhs_status status = RKHS_OK;
    element e;
    *c = (content){.f = f, .at = v->at, .left = v->size};
    if (v->packed) {
        TRY(rk_zlib_input(f->env, f->name, v->at, v->size, &c->packed));
        c->left = v->size * DENSEST;
        TRY(take_tag(c, &e));
        if (e.type != MATRIX) TRY(damaged(f, "a variable is damaged"));
        c->left = e.size;
    }
    TRY(take_head(c, v));
done:
    return status;
}

/* Inflates the rest of a deflated variable, which verifies its checksum. */
static rkhs_status finish_content(content *c) {
    unsigned char part[PART];
    rkhs_status status = RKHS_OK;
    size_t got = 1;
    while (c->packed && status == RKHS_OK && got > 0) status = rk_input_read(c->packed, part, sizeof part, &got);
    return status;
}

/* Sets the byte order. Fails for files that are not MAT level 5. */
static rkhs_status check_header(file *f, size_t length) {
    static const char how[] = "in MATLAB save it with save('X.mat', 'X', '-v7'), in Python with scipy.io.savemat";
    rkhs_status status = RKHS_OK;
    const unsigned char *b = (const unsigned char *)f->bytes;
    if (length == 0) FAIL(f->env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", f->name);
    int hdf5 = length >= 4 && memcmp(b, "\x89HDF", 4) == 0;
    int big = length >= HEADER && memcmp(b + 126, "MI", 2) == 0;
    f->little = length >= HEADER && memcmp(b + 126, "IM", 2) == 0;
    int version = !f->little && !big ? 0 : f->little ? b[125] << 8 | b[124] : b[124] << 8 | b[125];
    if (hdf5 || version == 0x200)
        FAIL(f->env, RKHS_ERR_FORMAT, "%s: it is of version 7.3 (HDF5), which is not read: %s", f->name, how);
    if (version != 0x100 && (f->little || big))
        FAIL(f->env, RKHS_ERR_FORMAT, "%s: it is of no known version: save it again with '-v7'", f->name);
    if (version != 0x100 && length >= 20 && memchr(b, 0, 4)) /* how MATLAB recognises level 4, too */
        FAIL(f->env, RKHS_ERR_FORMAT, "%s: it is of level 4, or no MAT file; level 5 is read: %s", f->name, how);
    if (version != 0x100) FAIL(f->env, RKHS_ERR_FORMAT, "%s: this is not a MAT file: save it as one", f->name);
done:
    return status;
}

/* Moves *at past the element there. *v gets the position of its content; *is_one is whether it is a variable. */
static rkhs_status next_element(const file *f, size_t length, uint64_t *at, variable *v, int *is_one) {
    const unsigned char *b = (const unsigned char *)f->bytes + *at;
    uint64_t size = length - *at < TAG ? UINT64_MAX : word_at(f, b + 4);
    if (length - *at < TAG || size > length - *at - TAG)
        return rk_fail(f->env, RKHS_ERR_FORMAT, "%s: the file ends early: copy or save it again", f->name);
    *v = (variable){.at = b + TAG, .size = size, .packed = word_at(f, b) == COMPRESSED};
    *is_one = v->packed || (word_at(f, b) == MATRIX && size > 0);
    *at += TAG + size;
    return RKHS_OK;
}

/* Reads the file and lists its variables, except unnamed ones, which are MATLAB's own. */
static rkhs_status open_file(file *f, rkhs_env *env, rk_input *in) {
    rkhs_status status = RKHS_OK;
    content c = {0};
    variable v;
    size_t length;
    int64_t count = 0;
    int is_one = 0;
    *f = (file){.env = env, .name = rk_input_name(in)};
    TRY(rk_input_read_all(in, &f->bytes, &length));
    TRY(check_header(f, length));
    for (uint64_t at = HEADER; at < length; count += is_one) TRY(next_element(f, length, &at, &v, &is_one));
    TRY(rk_scratch(env, count, sizeof *f->found, &f->found));
    for (uint64_t at = HEADER; at < length;) {
        TRY(next_element(f, length, &at, &v, &is_one));
        if (!is_one) continue;
        TRY(open_content(f, &v, &c));
        rk_input_close(c.packed);
        c.packed = NULL;
        if (v.name[0]) f->found[f->count++] = v;
        TRY(rk_progress(env, "read", (int64_t)at, (int64_t)length));
    }
    if (f->count == 0) FAIL(env, RKHS_ERR_DATA, "%s: there is no variable in it: save a matrix", f->name);
done:
    rk_input_close(c.packed);
    return status;
}

/* ---- which variable -------------------------------------------------------------------------------------------- */

/* Why a variable is not a usable matrix of real numbers; NULL if it is one. */
static const char *unusable(const variable *v) {
    switch (v->class) {
    case CELL: return "a cell array";
    case STRUCT: return "a struct";
    case OBJECT:
    case OPAQUE: return "an object";
    case CHAR: return "text";
    case FUNCTION: return "a function";
    }
    if (v->class < SPARSE || v->class > UINT64) return "of no known class";
    if (v->rank != 2) return "not of two dimensions";
    if (v->flags & COMPLEX) return "complex";
    if (v->rows == 0 || v->columns == 0) return "empty";
    return v->rows > INT32_MAX || v->columns > INT32_MAX ? "too large" : NULL;
}

/* Whether a variable may be text: an array of characters, or of cells, which may contain text. */
static int may_be_text(const variable *v) {
    return (v->class == CHAR || v->class == CELL) && v->rank == 2 && v->rows > 0 && v->columns > 0;
}

/* What the caller can use: matrices, text, or both. */
enum { MATRICES = 1, TEXT = 2 };

static int usable(const variable *v, int as) { return (as & MATRICES && !unusable(v)) || (as & TEXT && may_be_text(v)); }

/* The number of usable variables; *first is the first of them. */
static int64_t count_usable(const file *f, int as, variable **first) {
    int64_t count = 0;
    for (int64_t i = f->count - 1; i >= 0; i--)
        if (usable(&f->found[i], as)) count++, *first = &f->found[i];
    return count;
}

/* Lists the usable variables (all if as = 0) for messages, as many as fit: "X (150 x 4), s (a struct)". */
static const char *list_text(const file *f, int as, char to[600]) {
    size_t used = 0, room = 600;
    to[0] = 0;
    for (int64_t i = 0; i < f->count; i++) {
        const variable *v = &f->found[i];
        const char *why = unusable(v), *comma = used > 0 ? ", " : "";
        char shape[48];
        if (as && !usable(v, as)) continue;
        if (used + 100 > room) {
            snprintf(to + used, room - used, ", ...");
            break;
        }
        snprintf(shape, sizeof shape, "%lld x %lld", (long long)v->rows, (long long)v->columns);
        used += (size_t)snprintf(to + used, room - used, "%s%.40s (%s)", comma, v->name, why ? why : shape);
    }
    return to;
}

/* Finds the variable named `key`. */
static rkhs_status find_key(const file *f, const char *key, int as, variable **out) {
    char all[600];
    for (int64_t i = 0; i < f->count; i++) {
        variable *v = *out = &f->found[i];
        if (strcmp(v->name, key) != 0) continue;
        if (usable(v, as | MATRICES)) return RKHS_OK;
        return rk_fail(f->env, RKHS_ERR_DATA, "%s: the variable %.60s is %s: a matrix of real numbers is needed", f->name, key,
                       unusable(v));
    }
    return rk_fail(f->env, RKHS_ERR_DATA, "%s: there is no variable %.60s; there are %s", f->name, key, list_text(f, 0, all));
}

/* Without a key, chooses the first variable with a usual name, else the only usable one. */
static rkhs_status choose(const file *f, int labels, int as, variable **out) {
    static const char *const usual[2][6] = {{"X", "x", "data", "fea"}, {"y", "Y", "labels", "label", "gnd"}};
    rkhs_status status = RKHS_OK;
    char all[600], hint[80];
    if (as & TEXT && !count_usable(f, TEXT, out)) as = MATRICES;
    if (!labels && as & MATRICES && count_usable(f, MATRICES, out)) as = MATRICES;
    for (const char *const *name = usual[labels]; *name; name++)
        for (int64_t i = 0; i < f->count; i++)
            if (strcmp((*out = &f->found[i])->name, *name) == 0 && usable(*out, as)) return RKHS_OK;
    if (as & MATRICES && count_usable(f, MATRICES, out)) as = MATRICES;
    int64_t count = count_usable(f, as, out);
    if (count == 1) return RKHS_OK;
    list_text(f, count ? as : 0, all);
    if (!count) FAIL(f->env, RKHS_ERR_DATA, "%s: it holds no matrix of real numbers, only %s: save one", f->name, all);
    if (labels) FAIL(f->env, RKHS_ERR_DATA, "%s: it holds %s: save the labels alone, or call them y", f->name, all);
    snprintf(hint, sizeof hint, "format=mat(key=%.40s)", (*out)->name);
    TRY(rk_fail_hint(f->env, RKHS_ERR_DATA, hint, "%s: it holds %s: choose one with key=NAME", f->name, all));
done:
    return status;
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* Reads a matrix; with `labels`, a row or column vector as class labels. */
static rkhs_status read_dense(content *c, const variable *v, unsigned kinds, int labels, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    rk_npy npy;
    element e;
    TRY(take_numbers(c, &e, &npy));
    if (npy.count / v->rows != v->columns || npy.count % v->rows)
        TRY(damaged(c->f, "a variable has another count of numbers than its size says"));
    if (v->flags & LOGICAL && npy.size == 1) npy.kind = 'b';
    TRY(open_element(c, &e, &in));
    if (labels) {
        TRY(rk_npy_read_labels(c->f->env, in, &npy, out));
    } else {
        npy.fortran = 1;
        npy.ndim = 2;
        npy.shape[0] = v->rows;
        npy.shape[1] = v->columns;
        TRY(rk_npy_read_elements(c->f->env, in, &npy, kinds, out));
    }
done:
    rk_input_close(in);
    return status;
}

/* Reads one of the three arrays of a sparse matrix; the caller frees *values. */
static rkhs_status take_line(content *c, double **values, int64_t *count) {
    rkhs_status status = RKHS_OK;
    rk_input *in = NULL;
    rk_npy npy;
    element e;
    *count = 0;
    TRY(take_numbers(c, &e, &npy));
    TRY(open_element(c, &e, &in));
    TRY(rk_npy_read_doubles(c->f->env, in, &npy, values));
    c->left = c->after;
    TRY(skip(c, e.padding));
    *count = npy.count;
done:
    rk_input_close(in);
    return status;
}

/* The three arrays of a CSC matrix, unchecked. */
typedef struct csc {
    double *rows, *starts, *values;
    int64_t row_count, start_count, value_count; /* their lengths */
} csc;

/* Checks the arrays. *count is the number of entries; rows and values may be longer. */
static rkhs_status check_csc(const file *f, const variable *v, const csc *m, int64_t *count) {
    rkhs_status status = RKHS_OK;
    int sound = m->start_count == v->columns + 1 && m->starts[0] == 0;
    double most = (double)rk_min(m->row_count, m->value_count);
    for (int64_t j = 0; sound && j < v->columns; j++)
        sound = m->starts[j + 1] >= m->starts[j] && m->starts[j + 1] <= most && m->starts[j + 1] == floor(m->starts[j + 1]);
    *count = sound ? (int64_t)m->starts[v->columns] : 0;
    for (int64_t q = 0; sound && q < *count; q++)
        sound = m->rows[q] >= 0 && m->rows[q] < (double)v->rows && m->rows[q] == floor(m->rows[q]);
    if (!sound) TRY(damaged(f, "the sparse matrix is damaged"));
    if (v->rows > MANY_ROWS && v->rows / SPARSEST > *count + v->columns)
        FAIL(f->env, RKHS_ERR_DATA, "%s: the sparse matrix has %s and %s: keep the rows that have some", f->name,
             rk_counted(v->rows, "row").text, rk_counted(*count, "number").text);
done:
    return status;
}

/* Converts CSC to CSR: goes through the columns in order, appends each entry to its row. `starts` must be zeroed. */
static void turn_csc(const csc *m, int64_t rows, int64_t columns, double *values, int32_t *cols, int64_t *starts) {
    int64_t count = (int64_t)m->starts[columns];
    for (int64_t q = 0; q < count; q++) starts[(int64_t)m->rows[q] + 1]++;
    for (int64_t i = 0; i < rows; i++) starts[i + 1] += starts[i];
    for (int64_t j = 0; j < columns; j++)
        for (int64_t q = (int64_t)m->starts[j]; q < (int64_t)m->starts[j + 1]; q++) {
            int64_t to = starts[(int64_t)m->rows[q]]++;
            cols[to] = (int32_t)j;
            values[to] = m->values[q];
        }
    for (int64_t i = rows; i > 0; i--) starts[i] = starts[i - 1]; /* appending moved each start to the next row's */
    starts[0] = 0;
}

static rkhs_status read_sparse(content *c, const variable *v, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = c->f->env;
    rkhs_data *x = NULL;
    csc m = {0};
    double *values;
    int32_t *columns;
    int64_t *starts, count;
    TRY(take_line(c, &m.rows, &m.row_count));
    TRY(take_line(c, &m.starts, &m.start_count));
    TRY(take_line(c, &m.values, &m.value_count));
    TRY(check_csc(c->f, v, &m, &count));
    TRY(rk_data_sparse_new(env, v->rows, v->columns, count, &values, &columns, &starts, &x));
    turn_csc(&m, v->rows, v->columns, values, columns, starts);
    TRY(rk_sparse_check(env, c->f->name, x));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_free(env, m.rows);
    rk_free(env, m.starts);
    rk_free(env, m.values);
    return status;
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

/* The strings read so far. */
typedef struct texts {
    char *bytes; /* UTF-8, one string after another */
    int64_t used, room;
    int64_t *lengths; /* allocated for all strings */
    int64_t count;
} texts;

/* Reads a matrix of characters, column by column, to the scratch list: code points, or UTF-16 code units. */
static rkhs_status take_characters(content *c, uint32_t **units, int64_t *count) {
    static const char sizes[] = {0, 1, 1, 2, 2, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4};
    rkhs_status status = RKHS_OK;
    element e;
    char *bytes;
    *count = 0;
    TRY(take_tag(c, &e));
    int64_t size = e.type < sizeof sizes ? sizes[e.type] : 0;
    if (!size || e.size % (uint64_t)size) TRY(damaged(c->f, "the text of a variable is damaged"));
    TRY(rk_scratch(c->f->env, (int64_t)e.size + 1, 1, &bytes)); /* zero-terminated for rk_utf8_take */
    TRY(rk_scratch(c->f->env, (int64_t)e.size / size, sizeof **units, units));
    TRY(take(c, bytes, (size_t)e.size));
    TRY(skip(c, e.padding));
    for (const char *s = bytes; s < bytes + e.size;) {
        const unsigned char *b = (const unsigned char *)s;
        if (e.type == UTF8) {
            (*units)[(*count)++] = rk_utf8_take(&s);
            continue;
        }
        uint32_t two = size == 2 ? (uint32_t)b[c->f->little] << 8 | b[!c->f->little] : 0;
        (*units)[(*count)++] = size == 1 ? b[0] : size == 2 ? two : word_at(c->f, b);
        s += size;
    }
done:
    return status;
}

/* Appends a string of `count` characters, `step` apart, as UTF-8. If `padded`, blanks at its end are removed. */
static rkhs_status add_text(rkhs_env *env, texts *t, const uint32_t *units, int64_t count, int64_t step, int padded) {
    rkhs_status status = RKHS_OK;
    while (padded && count > 0 && units[(count - 1) * step] == ' ') count--;
    if (count * 4 > t->room - t->used) {
        t->room = 2 * t->room + count * 4;
        TRY(rk_realloc(env, t->room, 1, &t->bytes));
    }
    int64_t start = t->used;
    for (int64_t k = 0; k < count; k++) {
        uint32_t u = units[k * step], next = k + 1 < count ? units[(k + 1) * step] : 0;
        int pair = u >= 0xd800 && u < 0xdc00 && next >= 0xdc00 && next < 0xe000;
        if (pair) u = 0x10000 + ((u - 0xd800) << 10) + (next - 0xdc00), k++;
        t->used += rk_utf8_put(u, t->bytes + t->used);
    }
    t->lengths[t->count++] = t->used - start;
done:
    return status;
}

/* Appends each row of a matrix of characters. */
static rkhs_status add_rows(content *c, const variable *v, texts *t) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = c->f->env;
    rk_mark mark = rk_scratch_mark(env);
    uint32_t *units;
    int64_t count;
    TRY(take_characters(c, &units, &count));
    if (v->rows != 1 && (count / v->rows != v->columns || count % v->rows))
        TRY(damaged(c->f, "a variable has another count of characters than its size says"));
    for (int64_t i = 0; i < v->rows; i++) TRY(add_text(env, t, units + i, count / v->rows, v->rows, v->rows > 1));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Appends the next cell, which must be a row of characters; an empty cell is an empty string. */
static rkhs_status add_cell(content *c, texts *t) {
    rkhs_status status = RKHS_OK;
    variable v = {0};
    element e;
    TRY(take_tag(c, &e));
    uint64_t after = c->left - e.size;
    c->left = e.size;
    if (e.size > 0) TRY(take_head(c, &v));
    int empty = e.size == 0 || (v.rank == 2 && (v.rows == 0 || v.columns == 0));
    if (!empty && (v.class != CHAR || v.rank != 2 || v.rows != 1))
        FAIL(c->f->env, RKHS_ERR_DATA, "%s: cell %lld (counted from 1) is no line of text: give cells of text alone",
             c->f->name, (long long)t->count + 1);
    TRY(empty ? add_text(c->f->env, t, NULL, 0, 1, 0) : add_rows(c, &v, t));
    TRY(skip(c, c->left));
    c->left = after;
    TRY(skip(c, e.padding));
done:
    return status;
}

/* Reads the rows of a matrix of characters, or a vector of cells, as strings. */
static rkhs_status read_texts(content *c, const variable *v, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = c->f->env;
    texts t = {0};
    const char **strings = NULL;
    if (v->class == CELL && v->rows > 1 && v->columns > 1)
        FAIL(env, RKHS_ERR_DATA, "%s: the variable %.60s has %lld x %lld cells: give one column of them", c->f->name, v->name,
             (long long)v->rows, (long long)v->columns);
    int64_t n = v->class == CELL ? v->rows * v->columns : v->rows;
    if ((uint64_t)n > c->left) TRY(damaged(c->f, "a variable is damaged"));
    TRY(rk_alloc(env, n, sizeof *t.lengths, &t.lengths));
    TRY(rk_alloc(env, n, sizeof *strings, &strings));
    if (v->class == CHAR) TRY(add_rows(c, v, &t));
    while (t.count < n) TRY(add_cell(c, &t));
    const char *at = t.bytes ? t.bytes : ""; /* empty texts alone need no bytes */
    for (int64_t i = 0; i < n; at += t.lengths[i++]) strings[i] = at;
    TRY(rk_data_strings_new(env, strings, t.lengths, n, out));
done:
    rk_free(env, strings);
    rk_free(env, t.lengths);
    rk_free(env, t.bytes);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Reads the chosen variable as data, or as labels. */
static rkhs_status read_variable(const file *f, variable *v, unsigned kinds, int labels, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL, *strings = NULL;
    content c = {0};
    if (labels && !may_be_text(v) && (v->class == SPARSE || (v->rows > 1 && v->columns > 1)))
        FAIL(f->env, RKHS_ERR_DATA, "%s: it holds %lld x %lld numbers, and labels are one column: save one column", f->name,
             (long long)v->rows, (long long)v->columns);
    TRY(open_content(f, v, &c));
    if (may_be_text(v)) {
        TRY(read_texts(&c, v, labels ? &strings : &x));
        if (labels) TRY(rk_labels_from_strings(f->env, strings, &x));
    } else {
        TRY(v->class == SPARSE ? read_sparse(&c, v, &x) : read_dense(&c, v, kinds, labels, &x));
    }
    TRY(finish_content(&c));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rkhs_data_free(strings);
    rk_input_close(c.packed);
    return status;
}

static rkhs_status read_file(rkhs_env *env, const mat *parameters, rk_input *in, unsigned kinds, int labels, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    variable *v;
    file f;
    TRY(open_file(&f, env, in));
    int as = labels || kinds & RK_KIND_STRING ? TEXT : 0;
    if (labels || !as || kinds & RK_KIND_DENSE) as |= MATRICES;
    TRY(parameters->key ? find_key(&f, parameters->key, as, &v) : choose(&f, labels, as, &v));
    TRY(read_variable(&f, v, kinds, labels, out));
done:
    rk_free(env, f.bytes);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status read_mat(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    return read_file(env, self, in, kinds, 0, out);
}

static rkhs_status read_labels_mat(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    return read_file(env, self, in, 0, 1, out);
}

static const rk_param params[] = {
    {.name = "key",
     .kind = RK_WORD,
     .offset = offsetof(mat, key),
     .brief =
         "the variable to read; not given: the only matrix, or the one called X, x, data or fea (for labels y, labels or gnd)"},
    {.name = NULL}};

const rk_format_type rk_format_mat = {
    .entry = {.name = "mat",
              .brief = "MATLAB files up to version 7, compressed or not: dense and sparse matrices, text and cells of text",
              .params = params,
              .size = sizeof(mat)},
    .endings = ".mat",
    .kinds = RK_KIND_DENSE | RK_KIND_SPARSE | RK_KIND_STRING,
    .magic = "MATLAB 5",
    .read = read_mat,
    .read_labels = read_labels_mat,
};
