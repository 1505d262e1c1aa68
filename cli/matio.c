/* matio.c: reads a MAT file with libmatio, in a process of its own.  SPDX-License-Identifier: BSD-3-Clause
 *
 * libmatio is loaded when a MAT file is asked for, not before: it brings some thirty libraries with it, which no other
 * run of the tool should wait for. What it says about a file is looked at here before anything is touched, and once more by who
 * reads the pipe. */
#include "mat.h"

#ifdef RKHS_MATIO

#include <dlfcn.h>
#include <errno.h>
#include <matio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_VARIABLES = 1000, CHUNK = 8192 };

/* The functions that are used; what they allocate goes with the process. */
static struct {
    mat_t *(*open)(const char *, int);
    matvar_t *(*next)(mat_t *);
    int (*read)(mat_t *, matvar_t *);
    enum mat_ft (*version)(mat_t *);
} matio;

/* Finds the functions; 0 when libmatio is not there. */
static int load_matio(void) {
    static const char *const names[] = {"Mat_Open", "Mat_VarReadNextInfo", "Mat_VarReadDataAll", "Mat_GetVersion"};
    void *library = dlopen(RKHS_MATIO, RTLD_NOW | RTLD_LOCAL), *found[4];
    for (int i = 0; i < 4; i++) {
        found[i] = library != NULL ? dlsym(library, names[i]) : NULL;
        if (found[i] == NULL) return 0;
    }
    memcpy(&matio.open, &found[0], sizeof found[0]);
    memcpy(&matio.next, &found[1], sizeof found[1]);
    memcpy(&matio.read, &found[2], sizeof found[2]);
    memcpy(&matio.version, &found[3], sizeof found[3]);
    return 1;
}

/* ---- the pipe ------------------------------------------------------------------------------------------------------------ */

/* Writes all bytes; leaves when nobody reads them any more. */
static void send_bytes(int fd, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t wrote = write(fd, at, count < (1u << 20) ? count : (1u << 20));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) _exit(1);
        at += wrote;
        count -= (size_t)wrote;
    }
}

static void send_head(int fd, int64_t kind, int64_t rows, int64_t columns, int64_t count) {
    mat_reply reply = {.mark = MAT_MARK, .kind = kind, .rows = rows, .columns = columns, .count = count};
    send_bytes(fd, &reply, sizeof reply);
}

/* A sentence without the file's name, and the end. */
__attribute__((format(printf, 2, 3), noreturn)) static void say_why(int fd, const char *format, ...) {
    char sentence[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (length < 0) length = 0;
    if (length >= (int)sizeof sentence) length = (int)sizeof sentence - 1;
    send_head(fd, MAT_SENTENCE, 0, 0, length);
    send_bytes(fd, sentence, (size_t)length);
    _exit(0);
}

/* ---- which variable -------------------------------------------------------------------------------------------------- */

/* What keeps a variable from being a matrix of real numbers; NULL: nothing. */
static const char *unusable(const matvar_t *v) {
    switch (v->class_type) {
    case MAT_C_CELL: return "a cell array";
    case MAT_C_STRUCT: return "a struct";
    case MAT_C_OBJECT:
    case MAT_C_OPAQUE: return "an object";
    case MAT_C_CHAR: return "text";
    case MAT_C_FUNCTION: return "a function";
    case MAT_C_EMPTY: return "empty";
    default: break;
    }
    if (v->class_type != MAT_C_SPARSE && (v->class_type < MAT_C_DOUBLE || v->class_type > MAT_C_UINT64))
        return "of no known class";
    if (v->rank != 2 || v->dims == NULL) return "not of two dimensions";
    if (v->isComplex) return "complex";
    if (v->dims[0] == 0 || v->dims[1] == 0) return "empty";
    if (v->dims[0] > INT32_MAX || v->dims[1] > INT32_MAX) return "too large";
    return NULL;
}

/* "X (150 x 4), s (a struct)" for the variables, into to; the usable ones alone if asked for. */
static void list_variables(matvar_t *const *v, int count, int usable, char *to, size_t room) {
    size_t used = 0;
    to[0] = 0;
    for (int i = 0; i < count && used < room; i++) {
        const char *why = unusable(v[i]), *comma = used > 0 ? ", " : "";
        char name[48];
        if (usable && why != NULL) continue;
        if (used + 80 > room) {
            snprintf(to + used, room - used, ", ...");
            return;
        }
        snprintf(name, sizeof name, "%.40s", v[i]->name);
        if (why != NULL)
            used += (size_t)snprintf(to + used, room - used, "%s%s (%s)", comma, name, why);
        else
            used += (size_t)snprintf(to + used, room - used, "%s%s (%zu x %zu)", comma, name, v[i]->dims[0], v[i]->dims[1]);
    }
}

/* The one that was asked for. */
static matvar_t *named(const mat_request *r, int fd, matvar_t *const *v, int count) {
    char all[600];
    for (int i = 0; i < count; i++) {
        if (strcmp(v[i]->name, r->key) != 0) continue;
        const char *why = unusable(v[i]);
        if (why != NULL) say_why(fd, "the variable %.60s is %s: a matrix of real numbers is needed", r->key, why);
        return v[i];
    }
    list_variables(v, count, 0, all, sizeof all);
    say_why(fd, "there is no variable %.60s; there are %s", r->key, all);
}

/* The only one that can be used, or the first that has a usual name. */
static matvar_t *guessed(const mat_request *r, int fd, matvar_t *const *v, int count) {
    static const char *const usual[2][6] = {{"X", "x", "data", "fea"}, {"y", "Y", "labels", "label", "gnd"}};
    matvar_t *only = NULL;
    char all[600];
    int usable = 0;
    for (int i = 0; i < count; i++) {
        if (unusable(v[i]) == NULL && usable++ == 0) only = v[i];
    }
    if (usable == 1) return only;
    for (const char *const *name = usual[r->labels != 0]; *name != NULL; name++) {
        for (int i = 0; i < count; i++) {
            if (unusable(v[i]) == NULL && strcmp(v[i]->name, *name) == 0) return v[i];
        }
    }
    list_variables(v, count, usable > 0, all, sizeof all);
    if (usable == 0)
        say_why(fd, "it holds no matrix of real numbers%s%s: save one", count > 0 ? ", only " : "", count > 0 ? all : "");
    if (r->labels) say_why(fd, "it holds %s: save the labels alone, or call them y", all);
    say_why(fd, "it holds %s: choose one, as in --format 'mat(key=%.40s)'", all, only->name);
}

/* ---- its numbers --------------------------------------------------------------------------------------------------------- */

/* Bytes of an element; 0: not a number. */
static size_t size_of(enum matio_types type) {
    switch (type) {
    case MAT_T_INT8:
    case MAT_T_UINT8: return 1;
    case MAT_T_INT16:
    case MAT_T_UINT16: return 2;
    case MAT_T_INT32:
    case MAT_T_UINT32:
    case MAT_T_SINGLE: return 4;
    case MAT_T_INT64:
    case MAT_T_UINT64:
    case MAT_T_DOUBLE: return 8;
    default: return 0;
    }
}

#define CONVERT(ctype)                                                                                                         \
    for (size_t i = 0; i < count; i++) to[i] = (double)((const ctype *)data)[from + i];                                        \
    break

/* Elements from .. from+count-1 as doubles. */
static void convert(const void *data, enum matio_types type, size_t from, size_t count, double *to) {
    switch (type) {
    case MAT_T_INT8: CONVERT(int8_t);
    case MAT_T_UINT8: CONVERT(uint8_t);
    case MAT_T_INT16: CONVERT(int16_t);
    case MAT_T_UINT16: CONVERT(uint16_t);
    case MAT_T_INT32: CONVERT(int32_t);
    case MAT_T_UINT32: CONVERT(uint32_t);
    case MAT_T_SINGLE: CONVERT(float);
    case MAT_T_INT64: CONVERT(int64_t);
    case MAT_T_UINT64: CONVERT(uint64_t);
    default: CONVERT(double);
    }
}

/* Sends elements as doubles. */
static void send_doubles(int fd, const void *data, enum matio_types type, size_t count) {
    double part[CHUNK];
    for (size_t i = 0; i < count; i += CHUNK) {
        size_t some = count - i < CHUNK ? count - i : CHUNK;
        convert(data, type, i, some, part);
        send_bytes(fd, part, some * sizeof *part);
    }
}

static void send_dense(int fd, const matvar_t *v) {
    size_t count = v->dims[0] * v->dims[1], size = size_of(v->data_type);
    if (v->data == NULL || size == 0 || v->nbytes / size < count)
        say_why(fd, "the numbers of %.60s are damaged: save it again", v->name);
    send_head(fd, MAT_DENSE, (int64_t)v->dims[0], (int64_t)v->dims[1], (int64_t)count);
    send_doubles(fd, v->data, v->data_type, count);
}

static void send_sparse(int fd, const matvar_t *v) {
    const mat_sparse_t *s = v->data;
    size_t columns = v->dims[1];
    int whole = s != NULL && s->jc != NULL && s->njc == columns + 1 && size_of(v->data_type) > 0;
    size_t count = whole ? s->jc[columns] : 0;
    if (!whole || count > s->nir || count > s->ndata || (count > 0 && (s->ir == NULL || s->data == NULL)))
        say_why(fd, "the sparse matrix %.60s is damaged: save it again", v->name);
    send_head(fd, MAT_SPARSE, (int64_t)v->dims[0], (int64_t)columns, (int64_t)count);
    for (size_t j = 0; j <= columns; j++) send_bytes(fd, &(int64_t){s->jc[j]}, sizeof(int64_t));
    for (size_t q = 0; q < count; q++)
        send_bytes(fd, &(int32_t){s->ir[q] < INT32_MAX ? (int32_t)s->ir[q] : -1}, sizeof(int32_t));
    send_doubles(fd, s->data, v->data_type, count);
}

/* Opens the file and looks at its variables. */
static mat_t *look_at(const mat_request *r, int fd, matvar_t **variables, int *count) {
    mat_t *file = matio.open(r->path, MAT_ACC_RDONLY);
    *count = 0;
    if (file == NULL || matio.version(file) == MAT_FT_MAT73) /* HDF5 only if the file was replaced after it was looked at */
        say_why(fd, "this is not a MAT file, or it is damaged: save it again");
    while (*count < MOST_VARIABLES && (variables[*count] = matio.next(file)) != NULL) {
        if (variables[*count]->name != NULL) ++*count;
    }
    if (*count == 0) say_why(fd, "there is no variable in it: it is empty, damaged, or no MAT file");
    return file;
}

/* The variable that is meant, with its numbers. */
static const matvar_t *read_variable(const mat_request *r, int fd) {
    static matvar_t *variables[MOST_VARIABLES];
    int count;
    mat_t *file = look_at(r, fd, variables, &count);
    matvar_t *v = r->key != NULL ? named(r, fd, variables, count) : guessed(r, fd, variables, count);
    double bytes = (v->class_type == MAT_C_SPARSE ? 0.0 : 8.0 * (double)v->dims[0]) * (double)v->dims[1];
    if (bytes > r->memory) {
        char need[32], have[32];
        say_why(fd, "the variable %.60s of %zu x %zu needs %s; the limit is %s: raise it with --memory, or keep fewer rows",
                v->name, v->dims[0], v->dims[1], bytes_text(bytes, need), bytes_text(r->memory, have));
    }
    if (matio.read(file, v) != 0 || unusable(v) != NULL)
        say_why(fd, "the variable %.60s cannot be read: the file is damaged, or larger than the memory limit", v->name);
    return v;
}

void mat_serve(const mat_request *r, int fd) {
    const char *why = mat_check(r->path);
    if (why != NULL) say_why(fd, "%s", why);
    if (!load_matio()) {
        say_why(fd, "MAT files are read by libmatio, and %s is not there: install it, or save the matrix as .npy or .csv",
                RKHS_MATIO);
    }
    const matvar_t *v = read_variable(r, fd);
    v->class_type == MAT_C_SPARSE ? send_sparse(fd, v) : send_dense(fd, v);
    _exit(0);
}

#else

/* Nothing to read with: mat.c has said so. */
void mat_serve(const mat_request *request, int fd) { (void)request, (void)fd; }

#endif
