/* npy.c: the format "npy", NumPy arrays of any real type, byte order and index order, versions 1 to 3.
 *
 * The first index counts the objects. One dimension is a column. Shapes n x height x width and n x height x width x
 * channels are images; other objects of several dimensions are flattened. Arrays are written as '<f8', or '<f4' if the
 * numbers are floats, in C order. The length of a plain file is checked against its header, then it is converted while
 * it is read. Input from gzip or a pipe is read whole first, so that a false header cannot demand more memory than the
 * data need. */
#include "io/io.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 1 << 18 }; /* bytes; small enough to stay in the cache until they are checked */

enum { PACKED_NO, PACKED_BIG, PACKED_LITTLE };

typedef struct npy_format {
    int packed;
    int64_t bits;
} npy_format;

/* The destination of an array that is being read. */
typedef struct target {
    const rk_npy *npy;
    double *values; /* or, if these are NULL: */
    float *floats;
    int64_t n, p;
    int64_t next;        /* the next element, in the order of the file */
    int64_t row, column; /* of the next element, in Fortran order */
    int unchecked;       /* the numbers must be checked still: not done yet, or one is out of range */
} target;

/* ---- elements -------------------------------------------------------------------------------------------------- */

/* Reverses the bytes of each element. */
static void swap_bytes(unsigned char *bytes, int64_t count, int64_t size) {
    for (int64_t i = 0; i < count; i++, bytes += size)
        for (int64_t a = 0, b = size - 1; a < b; a++, b--) {
            unsigned char t = bytes[a];
            bytes[a] = bytes[b];
            bytes[b] = t;
        }
}

/* Converts a half-precision number. */
static double half(uint16_t h) {
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return h >> 15 ? -value : value;
}

/* Converts `count` elements of one C type to doubles. */
#define CONVERT(type, expression)                                                                                              \
    for (int64_t i = 0; i < count; i++) {                                                                                      \
        type e;                                                                                                                \
        memcpy(&e, bytes + i * (int64_t)sizeof e, sizeof e);                                                                   \
        to[i] = (double)(expression);                                                                                          \
    }                                                                                                                          \
    break

/* Converts `count` elements in native byte order to doubles. */
static void convert(const rk_npy *npy, const unsigned char *bytes, int64_t count, double *to) {
    switch (npy->kind << 8 | (int)npy->size) {
    case 'b' << 8 | 1: CONVERT(uint8_t, e != 0);
    case 'i' << 8 | 1: CONVERT(int8_t, e);
    case 'i' << 8 | 2: CONVERT(int16_t, e);
    case 'i' << 8 | 4: CONVERT(int32_t, e);
    case 'i' << 8 | 8: CONVERT(int64_t, e);
    case 'u' << 8 | 1: CONVERT(uint8_t, e);
    case 'u' << 8 | 2: CONVERT(uint16_t, e);
    case 'u' << 8 | 4: CONVERT(uint32_t, e);
    case 'u' << 8 | 8: CONVERT(uint64_t, e);
    case 'f' << 8 | 2: CONVERT(uint16_t, half(e));
    case 'f' << 8 | 4: CONVERT(float, e);
    case 'f' << 8 | 8: CONVERT(double, e);
    }
}

/* Whether the elements have the byte order of this machine. */
static int native(const rk_npy *npy) {
    const char mine = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    return npy->order == '|' || npy->size == 1 || npy->order == mine;
}

/* Whether the bytes in the file are those of a matrix in memory, of numbers of that size. */
static int as_in_memory(const rk_npy *npy, int64_t size) {
    return npy->kind == 'f' && npy->size == size && native(npy) && (!npy->fortran || npy->ndim < 2);
}

/* Converts position r in Fortran order, over all indices but the first, to the position in C order: the column. */
static int64_t column_of(const rk_npy *npy, int64_t r) {
    int64_t column = 0, index[RK_NPY_DIMS] = {0};
    for (int d = 1; d < npy->ndim; d++) {
        index[d] = r % npy->shape[d];
        r /= npy->shape[d];
    }
    for (int d = 1; d < npy->ndim; d++) column = column * npy->shape[d] + index[d];
    return column;
}

/* Converts the next `count` elements of the file and stores them. `bytes` may be changed. */
static void store(target *t, unsigned char *bytes, int64_t count) {
    double part[1024];
    const rk_npy *npy = t->npy;
    int in_order = !npy->fortran || npy->ndim < 2;
    if (!native(npy)) swap_bytes(bytes, count, npy->size);
    if (in_order && t->values) {
        convert(npy, bytes, count, t->values + t->next);
        t->next += count;
        return;
    }
    while (count > 0) {
        int64_t some = count < 1024 ? count : 1024;
        convert(npy, bytes, some, part);
        for (int64_t i = 0; i < some; i++) {
            if (!in_order && t->next % t->n == 0) t->column = column_of(npy, t->next / t->n), t->row = 0;
            int64_t at = in_order ? t->next : t->row++ * t->p + t->column;
            if (t->values)
                t->values[at] = part[i];
            else
                t->floats[at] = (float)part[i];
            t->next++;
        }
        bytes += some * npy->size;
        count -= some;
    }
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

rkhs_status rk_npy_read_header(rkhs_env *env, rk_input *in, rk_npy *npy) {
    rkhs_status status = RKHS_OK;
    const char *name = rk_input_name(in);
    char first[12], *all = NULL;
    size_t got, start, text, rest = 0;
    TRY(rk_input_peek(in, first, sizeof first, &got));
    if (got == 0) FAIL(env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", name);
    TRY(rk_npy_header_length(env, name, first, got, &start, &text));
    TRY(rk_alloc(env, (int64_t)(start + text), 1, &all));
    TRY(rk_input_read(in, all, start + text, &rest));
    TRY(rk_npy_parse_header(env, name, all, rest, npy));
done:
    rk_free(env, all);
    return status;
}

/* Fails: the header requires another number of bytes than `found`. */
static rkhs_status wrong_length(rkhs_env *env, const char *name, const rk_npy *npy, int64_t found) {
    long long wanted = (long long)(npy->count * npy->size);
    if (found < wanted)
        return rk_fail(env, RKHS_ERR_FORMAT,
                       "%s: the file ends early: %s of data should follow its header, %lld do: copy it again", name,
                       rk_counted(wanted, "byte").text, (long long)found);
    return rk_fail(
        env, RKHS_ERR_FORMAT,
        "%s: bytes follow the %lld that its header promises: it is damaged, or holds several arrays: save one array a file",
        name, wanted);
}

/* Reads the rest of the input, which must be the elements; the caller frees *bytes, even on failure. */
static rkhs_status read_block(rkhs_env *env, rk_input *in, const rk_npy *npy, char **bytes) {
    size_t length;
    rkhs_status status = rk_input_read_all(in, bytes, &length);
    if (status == RKHS_OK && (int64_t)length != npy->count * npy->size)
        status = wrong_length(env, rk_input_name(in), npy, (int64_t)length);
    return status;
}

/* Whether `count` numbers from the next one on are valid; if not, rk_dense_check finds out which. */
static int all_good(const target *t, int64_t count) {
    int good = 1;
    for (int64_t i = t->next; t->values && i < t->next + count; i++) good &= fabs(t->values[i]) <= 1e150;
    for (int64_t i = t->next; t->floats && i < t->next + count; i++) good &= isfinite(t->floats[i]) != 0;
    return good;
}

/* Reads the elements of a plain file, chunk by chunk. */
static rkhs_status read_chunks(rkhs_env *env, rk_input *in, target *t) {
    rkhs_status status = RKHS_OK;
    const rk_npy *npy = t->npy;
    char *chunk = NULL, more;
    size_t got;
    int direct = as_in_memory(npy, t->floats ? 4 : 8);
    t->unchecked = !direct;
    if (!direct) TRY(rk_alloc(env, CHUNK, 1, &chunk));
    int64_t most = CHUNK / npy->size, left = npy->count;
    while (left > 0) {
        int64_t some = left < most ? left : most;
        size_t bytes = (size_t)(some * npy->size);
        char *there = t->floats ? (char *)(t->floats + t->next) : (char *)(t->values + t->next);
        TRY(rk_input_read(in, direct ? there : chunk, bytes, &got));
        if (got < bytes) {
            status = wrong_length(env, rk_input_name(in), npy, (npy->count - left) * npy->size + (int64_t)got);
            goto done;
        }
        if (direct) {
            t->unchecked |= !all_good(t, some);
            t->next += some;
        } else {
            store(t, (unsigned char *)chunk, some);
        }
        left -= some;
    }
    TRY(rk_input_read(in, &more, 1, &got));
    if (got) status = wrong_length(env, rk_input_name(in), npy, INT64_MAX);
done:
    rk_free(env, chunk);
    return status;
}

/* Fails unless the elements are real numbers of a supported type. */
static rkhs_status check_numeric(rkhs_env *env, const char *name, const rk_npy *npy) {
    const char *what = NULL;
    switch (npy->kind) {
    case 'c': what = "complex numbers: save their real part or modulus"; break;
    case 'O': what = "Python objects: convert them to numbers, x.astype(float)"; break;
    case 'V': what = "raw bytes: convert them to numbers, x.astype(float)"; break;
    case 'm':
    case 'M': what = "dates: convert them to numbers, x.astype(float)"; break;
    case 'S':
    case 'U': what = "text: convert it to numbers, x.astype(float), or read it as labels"; break;
    }
    if (what) return rk_fail(env, RKHS_ERR_DATA, "%s: the array holds %s", name, what);
    int power = npy->size == 1 || npy->size == 2 || npy->size == 4 || npy->size == 8;
    if (!power || (npy->kind == 'f' && npy->size == 1) || (npy->kind == 'b' && npy->size != 1))
        return rk_fail(env, RKHS_ERR_DATA, "%s: the array has the type %c%lld, which is not read: convert it, x.astype(float)",
                       name, npy->kind, (long long)npy->size);
    return RKHS_OK;
}

/* The shape n x p of the array as a matrix. */
static rkhs_status matrix_shape(rkhs_env *env, const char *name, const rk_npy *npy, int64_t *n, int64_t *p) {
    if (npy->ndim == 0) return rk_fail(env, RKHS_ERR_DATA, "%s: the array is a single number, not rows: save a matrix", name);
    *n = npy->shape[0];
    *p = 1;
    for (int d = 1; d < npy->ndim; d++) *p *= npy->shape[d];
    if (*n < 1 || *p < 1)
        return rk_fail(env, RKHS_ERR_DATA, "%s: the array is empty, %lld x %lld: give a file with data", name, (long long)*n,
                       (long long)*p);
    return RKHS_OK;
}

/* Whether an array of bytes holds only 0 and 1, or is boolean. */
static int is_bits(const rk_npy *npy, const char *block) {
    unsigned char any = 0;
    for (int64_t i = 0; i < npy->count; i++) any |= (unsigned char)block[i];
    return any <= 1 || npy->kind == 'b';
}

/* Packs such an array, in C order, as bits. */
static rkhs_status pack_block(rkhs_env *env, const char *block, int64_t n, int64_t p, rkhs_data **out) {
    uint64_t *words;
    rkhs_status status = rk_data_bits_new(env, n, p, &words, out);
    int64_t stride = (p + 63) / 64;
    for (int64_t i = 0; status == RKHS_OK && i < n; i++)
        for (int64_t c = 0; c < p; c++) words[i * stride + c / 64] |= (uint64_t)(block[i * p + c] != 0) << c % 64;
    return status;
}

/* Reads and checks the numbers. Bytes that are all 0 or 1 are packed as bits directly if `kinds` prefers these. */
static rkhs_status read_values(rkhs_env *env, rk_input *in, const rk_npy *npy, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    const char *name = rk_input_name(in);
    char *block = NULL, what[256];
    target t = {.npy = npy, .unchecked = 1};
    int64_t left = rk_input_left(in);
    TRY(check_numeric(env, name, npy));
    TRY(matrix_shape(env, name, npy, &t.n, &t.p));
    if (left >= 0 && left != npy->count * npy->size) {
        status = wrong_length(env, name, npy, left);
        goto done;
    }
    int pack = kinds & RK_PREFER_BITS && npy->size == 1 && (!npy->fortran || npy->ndim < 2);
    int floats = kinds & RK_TAKE_FLOATS && npy->kind == 'f' && npy->size == 4;
    if (left < 0 || pack) TRY(read_block(env, in, npy, &block));
    if (pack && is_bits(npy, block)) {
        TRY(pack_block(env, block, t.n, t.p, out));
        goto done;
    }
    snprintf(what, sizeof what, "%.200s", name);
    TRY(rk_require_memory(env, (floats ? 4.0 : 8.0) * (double)npy->count, what,
                          "raise the memory limit, or keep fewer rows or columns"));
    TRY(floats ? rk_data_float_new(env, t.n, t.p, &t.floats, &x) : rk_data_dense_new(env, t.n, t.p, &t.values, &x));
    if (block)
        store(&t, (unsigned char *)block, npy->count);
    else
        TRY(read_chunks(env, in, &t));
    if (t.unchecked)
        TRY(floats ? rk_float_check(env, name, t.floats, t.n, t.p, t.p) : rk_dense_check(env, name, t.values, t.n, t.p, t.p));
    *out = x;
    x = NULL;
done:
    rk_free(env, block);
    rkhs_data_free(x);
    return status;
}

/* Whether an array has the shape of images: n x height x width, or n x height x width x 1, 3 or 4 channels. */
static int are_images(const rk_npy *npy) {
    if (npy->ndim == 3) return 1;
    return npy->ndim == 4 && (npy->shape[3] == 1 || npy->shape[3] == 3 || npy->shape[3] == 4);
}

/* Replaces dense data, whose elements are in *out, by images if these are wanted and the shape fits. */
static rkhs_status as_images(rkhs_env *env, const rk_npy *npy, unsigned kinds, rkhs_data **out) {
    if (!(kinds & RK_KIND_IMAGE) || !are_images(npy) || !rk_dense_of(*out)) return RKHS_OK;
    rkhs_status status = rk_image_from_dense(env, out, npy->shape[1], npy->shape[2], npy->ndim == 4 ? npy->shape[3] : 1);
    if (status == RKHS_OK) return status;
    rkhs_data_free(*out);
    *out = NULL;
    return status;
}

rkhs_status rk_npy_read_elements(rkhs_env *env, rk_input *in, const rk_npy *npy, unsigned kinds, rkhs_data **out) {
    rkhs_status status = read_values(env, in, npy, kinds, out);
    return status == RKHS_OK ? as_images(env, npy, kinds, out) : status;
}

void rk_npy_advise(rkhs_env *env, const char *name, const rk_npy *npy) {
    char shape[RK_NPY_DIMS * 24];
    size_t used = 0;
    if (npy->ndim < 3) return;
    for (int d = 0; d < npy->ndim; d++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, d ? " x %lld" : "%lld", (long long)npy->shape[d]);
    rk_log(env, RKHS_LOG_ADVICE, "%s: an array of %s is taken as %s of %s each", name, shape,
           rk_counted(npy->shape[0], "object").text, rk_counted(npy->count / npy->shape[0], "number").text);
}

rkhs_status rk_npy_read_doubles(rkhs_env *env, rk_input *in, const rk_npy *npy, double **values) {
    rkhs_status status = RKHS_OK;
    char *block = NULL;
    *values = NULL;
    TRY(check_numeric(env, rk_input_name(in), npy));
    TRY(read_block(env, in, npy, &block));
    if (!native(npy)) swap_bytes((unsigned char *)block, npy->count, npy->size);
    TRY(rk_alloc(env, npy->count, sizeof **values, values));
    convert(npy, (unsigned char *)block, npy->count, *values);
done:
    rk_free(env, block);
    return status;
}

/* Reverses the bits of a byte. */
static uint8_t turned(uint8_t b) {
    b = (uint8_t)(b >> 4 | b << 4);
    b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
    return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

/* Reads the result of numpy.packbits(x, axis=1) as bits. */
static rkhs_status read_packed(rkhs_env *env, const npy_format *f, rk_input *in, const rk_npy *npy, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    const char *name = rk_input_name(in);
    rkhs_data *x = NULL;
    char *block = NULL;
    uint64_t *words;
    if (npy->kind != 'u' || npy->size != 1 || npy->ndim != 2 || npy->fortran || npy->shape[0] < 1 || npy->shape[1] < 1)
        FAIL(env, RKHS_ERR_DATA,
             "%s: packed bits are a matrix of bytes (uint8), and this is none: save numpy.packbits(x, axis=1)", name);
    int64_t n = npy->shape[0], p = npy->shape[1], bits = f->bits ? f->bits : 8 * p;
    if (bits <= 8 * (p - 1) || bits > 8 * p)
        FAIL(env, RKHS_ERR_DATA, "%s: rows of %s do not hold %s: bits=%lld to bits=%lld would fit", name,
             rk_counted(p, "byte").text, rk_counted(bits, "bit").text, (long long)(8 * p - 7), (long long)(8 * p));
    TRY(read_block(env, in, npy, &block));
    uint8_t *bytes = (uint8_t *)block;
    for (int64_t i = 0; f->packed == PACKED_BIG && i < n * p; i++) bytes[i] = turned(bytes[i]);
    TRY(rk_data_bits_new(env, n, bits, &words, &x));
    for (int64_t i = 0; i < n; i++)
        if (!rk_bits_from_bytes(bytes + i * p, p, bits, words + i * ((bits + 63) / 64)))
            FAIL(env, RKHS_ERR_DATA, "%s: row %lld (counted from 1) has bits set past its %lld: take bits=, or the other order",
                 name, (long long)i + 1, (long long)bits);
    *out = x;
    x = NULL;
done:
    rk_free(env, block);
    rkhs_data_free(x);
    return status;
}

/* Memory-maps a matrix of doubles, or of floats. *out stays NULL if that is not possible. */
static rkhs_status leave_there(rkhs_env *env, rk_input *in, const rk_npy *npy, unsigned kinds, rkhs_data **out) {
    int64_t n = 0, p = 0;
    int floats = kinds != RK_KIND_GRAM;
    if (!as_in_memory(npy, floats ? 4 : 8) || rk_input_left(in) != npy->count * npy->size || npy->count == 0) return RKHS_OK;
    rkhs_status status = matrix_shape(env, rk_input_name(in), npy, &n, &p);
    if (status == RKHS_OK) status = rk_data_dense_map(env, in, n, p, floats, out);
    return status == RKHS_OK && *out ? as_images(env, npy, kinds, out) : status;
}

/* A precomputed Gram matrix is memory-mapped, and so are floats: these may be larger than memory, and are never written
 * to. Other data are copied, so that a change of the file does not change them. */
static rkhs_status read_npy(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    const npy_format *f = self;
    rk_npy npy;
    TRY(rk_npy_read_header(env, in, &npy));
    if (f->packed != PACKED_NO) return read_packed(env, f, in, &npy, out);
    if (kinds == RK_KIND_GRAM || kinds & RK_TAKE_FLOATS) TRY(leave_there(env, in, &npy, kinds, out));
    if (!*out) TRY(rk_npy_read_elements(env, in, &npy, kinds, out));
    rk_npy_advise(env, rk_input_name(in), &npy);
done:
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------------------------- */

/* Converts fixed-width text, bytes ('S') or UCS-4 ('U'), to zero-terminated words, `room` bytes apart. */
static void text_words(const rk_npy *npy, const unsigned char *bytes, char *to, int64_t room) {
    for (int64_t i = 0; i < npy->count; i++, to += room, bytes += npy->size) {
        if (npy->kind == 'S') {
            memcpy(to, bytes, (size_t)npy->size);
            to[npy->size] = 0;
            continue;
        }
        char *at = to;
        for (int64_t k = 0; k < npy->size / 4; k++) {
            uint32_t c;
            memcpy(&c, bytes + 4 * k, 4);
            if (!c) break;
            at += rk_utf8_put(c, at);
        }
        *at = 0;
    }
}

/* Reads an array of text as words on the scratch list, *room bytes apart. */
static rkhs_status read_text(rkhs_env *env, rk_input *in, const rk_npy *npy, char **words, int64_t *room) {
    rkhs_status status = RKHS_OK;
    char *block = NULL;
    *room = npy->size + 1; /* UTF-8 is never longer than UCS-4 */
    TRY(read_block(env, in, npy, &block));
    if (npy->kind == 'U' && !native(npy)) swap_bytes((unsigned char *)block, npy->count * (npy->size / 4), 4);
    if (npy->count > INT64_MAX / *room) FAIL(env, RKHS_ERR_MEMORY, "%s: too much text", rk_input_name(in));
    TRY(rk_scratch(env, npy->count * *room, 1, words));
    text_words(npy, (unsigned char *)block, *words, *room);
done:
    rk_free(env, block);
    return status;
}

/* Reads an array of numbers as words: "3" for 3.0, empty for NaN. Integers from 2^53 on, inexact as doubles, fail. */
static rkhs_status number_words(rkhs_env *env, rk_input *in, const rk_npy *npy, char **words, int64_t *room) {
    rkhs_status status = RKHS_OK;
    double *values = NULL;
    *room = 40;
    TRY(rk_npy_read_doubles(env, in, npy, &values));
    TRY(rk_scratch(env, npy->count * *room, 1, words));
    for (int64_t i = 0; i < npy->count; i++) {
        double v = values[i];
        if (isnan(v)) continue; /* an empty word: no label */
        if (fabs(v) > 1e150)
            FAIL(env, RKHS_ERR_DATA, "%s: row %lld (counted from 1) is %g, which is no class: put a number, or NaN for none",
                 rk_input_name(in), (long long)i + 1, v);
        if (npy->kind != 'f' && fabs(v) >= 9007199254740992.0)
            FAIL(env, RKHS_ERR_DATA,
                 "%s: row %lld (counted from 1) is %.17g, past 2^53, too long for a label: use shorter numbers or words",
                 rk_input_name(in), (long long)i + 1, v);
        if (v == floor(v) && fabs(v) < 1e15)
            snprintf(*words + i * *room, (size_t)*room, "%lld", (long long)v);
        else
            rk_number_text(v, *words + i * *room);
    }
done:
    rk_free(env, values);
    return status;
}

rkhs_status rk_npy_read_labels(rkhs_env *env, rk_input *in, const rk_npy *npy, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    const char *name = rk_input_name(in), **list;
    rk_mark mark = rk_scratch_mark(env);
    char *words = NULL;
    int64_t n = 0, p = 0, room = 0;
    TRY(matrix_shape(env, name, npy, &n, &p));
    if (p != 1)
        FAIL(env, RKHS_ERR_DATA, "%s: the array has %s, and labels are one: save one column", name,
             rk_counted(p, "column").text);
    int text = npy->kind == 'S' || npy->kind == 'U';
    if (text && npy->size < 1) FAIL(env, RKHS_ERR_DATA, "%s: all labels are empty: give names or numbers", name);
    TRY(text ? read_text(env, in, npy, &words, &room) : number_words(env, in, npy, &words, &room));
    TRY(rk_scratch(env, n, sizeof *list, &list));
    for (int64_t i = 0; i < n; i++) list[i] = words + i * room;
    TRY(rk_labels_from_words(env, list, n, out));
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status read_labels_npy(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    rk_npy npy;
    rkhs_status status = rk_npy_read_header(env, in, &npy);
    return status == RKHS_OK ? rk_npy_read_labels(env, in, &npy, out) : status;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Writes a matrix; images as n x height x width, with a fourth dimension if there are several channels. */
static rkhs_status write_numbers(const rkhs_data *x, const rk_dense *m, rk_output *out) {
    rkhs_status status = RKHS_OK;
    char header[RK_NPY_ROOM];
    const rk_image *image = rk_images(x);
    int64_t shape[4] = {x->rows, x->columns};
    if (image) shape[1] = image->h, shape[2] = image->w, shape[3] = image->c;
    const char *type = m->values ? "<f8" : "<f4";
    TRY(rk_output_write(out, header, rk_npy_make_header(header, type, image ? 3 + (image->c > 1) : 2, shape)));
    for (int64_t i = 0; i < x->rows; i++)
        TRY(rk_output_write(out, rk_dense_bytes(m, i), (size_t)x->columns * rk_dense_size(m)));
done:
    return status;
}

int rk_integer_name(const char *name, int64_t *value) {
    char back[32];
    long long v;
    if (strlen(name) > 20 || sscanf(name, "%lld", &v) != 1) return 0;
    snprintf(back, sizeof back, "%lld", v);
    *value = v;
    return strcmp(back, name) == 0;
}

/* Writes labels as text ('<U'), each padded to the longest name. */
static rkhs_status write_names(rkhs_env *env, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    const rk_labels *l = x->self;
    rk_mark mark = rk_scratch_mark(env);
    char header[RK_NPY_ROOM], descr[32];
    uint32_t *text;
    int64_t longest = 1;
    for (int64_t c = 0; c < l->classes; c++) {
        int64_t length = 0;
        for (const char *s = l->names[c]; *s; length++) rk_utf8_take(&s);
        if (length > longest) longest = length;
    }
    snprintf(descr, sizeof descr, "<U%lld", (long long)longest);
    TRY(rk_scratch(env, longest, sizeof *text, &text));
    TRY(rk_output_write(out, header, rk_npy_make_header(header, descr, 1, &x->rows)));
    for (int64_t i = 0; i < x->rows; i++) {
        memset(text, 0, (size_t)longest * sizeof *text);
        int64_t k = 0;
        for (const char *s = rk_label_text(x, i); *s;) text[k++] = rk_utf8_take(&s);
        TRY(rk_output_write(out, text, (size_t)longest * sizeof *text));
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Writes labels as '<i8' if every object has one and all names are integers; else as text, "?" for no label. */
static rkhs_status write_labels(rkhs_env *env, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    const rk_labels *l = x->self;
    char header[RK_NPY_ROOM];
    int64_t value;
    if (rk_labels_count_known(x) < x->rows) return write_names(env, x, out); /* no integer stands for "no label" */
    for (int64_t c = 0; c < l->classes; c++)
        if (!rk_integer_name(l->names[c], &value)) return write_names(env, x, out);
    TRY(rk_output_write(out, header, rk_npy_make_header(header, "<i8", 1, &x->rows)));
    for (int64_t i = 0; i < x->rows; i++) {
        rk_integer_name(l->names[l->codes[i]], &value);
        TRY(rk_output_write(out, &value, sizeof value));
    }
done:
    return status;
}

/* Writes bits as bytes 0 and 1. */
static rkhs_status write_bits(rkhs_env *env, const rkhs_data *x, rk_output *out) {
    rkhs_status status = RKHS_OK;
    const rk_bits *b = x->self;
    rk_mark mark = rk_scratch_mark(env);
    char header[RK_NPY_ROOM];
    uint8_t *row;
    TRY(rk_scratch(env, x->columns, 1, &row));
    TRY(rk_output_write(out, header, rk_npy_make_header(header, "|u1", 2, (int64_t[]){x->rows, x->columns})));
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t c = 0; c < x->columns; c++) row[c] = b->words[i * b->stride + c / 64] >> c % 64 & 1;
        TRY(rk_output_write(out, row, (size_t)x->columns));
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status write_npy(rkhs_env *env, const void *self, const rkhs_data *x, rk_output *out) {
    rk_dense m;
    if (x->type == &rk_data_labels) return write_labels(env, x, out);
    if (x->type == &rk_data_bits) return write_bits(env, x, out);
    if (!rk_matrix_to_write(x, &m)) return rk_fail_format_kind(x, rk_output_name(out), "npy");
    return write_numbers(x, &m, out);
}

/* clang-format off */
static const rk_param params[] = {
    {.name = "packed", .kind = RK_CHOICE, .offset = offsetof(npy_format, packed), .value = "no",
     .choices = "no|big|little",
     .brief = "whether each byte has 8 bits, and in which order; big: the highest first, as numpy.packbits; little: the lowest first, as chemfp"},
    {.name = "bits", .kind = RK_INT, .offset = offsetof(npy_format, bits), .value = "0", .max = INT32_MAX,
     .brief = "with packed: number of bits in a row; 0: all bits of its bytes"},
    {.name = NULL},
};

const rk_format_type rk_format_npy = {
    .entry = {.name = "npy",
              .brief = "a NumPy array: any real type, C or Fortran order, or packed bits; written as float64, or float32 if the numbers are",
              .params = params, .size = sizeof(npy_format)},
    .endings = ".npy", .kinds = RK_KIND_DENSE | RK_KIND_BITS | RK_KIND_IMAGE, .magic = "\x93NUMPY", .read = read_npy,
    .read_labels = read_labels_npy, .write = write_npy,
};
/* clang-format on */
