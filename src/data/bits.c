/* bits.c: the data kind "bits", bit vectors such as molecular fingerprints, packed into 64-bit words.
 *
 * Bit c of a row is bit c % 64, counted from the lowest, of its word c / 64. Bits past the last column are 0. Dense
 * and sparse tables of zeros and ones can be converted to bits. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static const rk_bits *bits_of(const rkhs_data *x) { return x->self; }

/* Allocates the words of `out`, whose rows and columns are set. */
static rkhs_status make_room(rkhs_env *env, rkhs_data *out) {
    rk_bits *b = out->self;
    b->stride = (out->columns + 63) / 64;
    if (out->columns > INT32_MAX)
        return rk_fail(env, RKHS_ERR_DATA, "sets of %s: at most %d can be handled", rk_counted(out->columns, "bit").text,
                       INT32_MAX);
    if (out->rows > INT64_MAX / 16 / b->stride)
        return rk_fail(env, RKHS_ERR_MEMORY, "%s of %s: more than this machine can address", rk_counted(out->rows, "row").text,
                       rk_counted(out->columns, "bit").text);
    return rk_alloc(env, out->rows * b->stride, sizeof *b->words, &b->words);
}

rkhs_status rk_data_bits_new(rkhs_env *env, int64_t rows, int64_t columns, uint64_t **words, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    if (rows < 1 || columns < 1)
        FAIL(env, RKHS_ERR_DATA, "data of %s and %s: at least one of each is needed", rk_counted(rows, "row").text,
             rk_counted(columns, "bit").text);
    TRY(rk_data_new(env, &rk_data_bits, rows, columns, &x));
    TRY(make_room(env, x));
    *words = ((rk_bits *)x->self)->words;
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

int rk_bits_from_bytes(const uint8_t *bytes, int64_t count, int64_t bits, uint64_t *words) {
    for (int64_t i = 0; i < count; i++) words[i / 8] |= (uint64_t)bytes[i] << (i % 8 * 8);
    return bits % 64 == 0 || words[bits / 64] >> bits % 64 == 0;
}

rkhs_status rkhs_data_bits(rkhs_env *env, const uint8_t *packed, int64_t n, int64_t bits, int64_t stride, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    uint64_t *words;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_bits", "variable for the data");
    rk_begin_call(env);
    *data = NULL;
    if (!packed) FAIL(env, RKHS_ERR_ARGUMENT, "the data has no bits: the pointer is NULL");
    TRY(rk_data_bits_new(env, n, bits, &words, &x));
    int64_t bytes = (bits + 7) / 8;
    if (stride < bytes)
        FAIL(env, RKHS_ERR_ARGUMENT, "stride is %lld, less than the %s of %s: it is the distance between two rows",
             (long long)stride, rk_counted(bytes, "byte").text, rk_counted(bits, "bit").text);
    for (int64_t i = 0; i < n; i++)
        if (!rk_bits_from_bytes(packed + i * stride, bytes, bits, words + i * bits_of(x)->stride))
            FAIL(env, RKHS_ERR_DATA,
                 "row %lld (counted from 1) has bits set past its %lld: clear them, or say how many there are",
                 (long long)i + 1, (long long)bits);
    *data = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

/* ---- conversion from and to numbers ---------------------------------------------------------------------------- */

/* The column of the first number of row i that is neither 0 nor 1, and the number; -1 if there is none. */
static int64_t odd_number(const rkhs_data *x, int64_t i, double *value) {
    int64_t odd = -1;
    if (x->type == &rk_data_sparse) {
        const rk_sparse *s = x->self;
        for (int64_t q = s->starts[i]; odd < 0 && q < s->starts[i + 1]; q++)
            if (s->values[q] != 0 && s->values[q] != 1) odd = s->columns[q], *value = s->values[q];
        return odd;
    }
    const rk_dense *d = x->self;
    const double *row = d->values ? d->values + i * d->ld : NULL;
    const float *narrow = row ? NULL : d->floats + i * d->ld;
    int good = 1; /* no branch in these loops: vectorised */
    for (int64_t c = 0; row && c < x->columns; c++) good &= (row[c] == 0) | (row[c] == 1);
    for (int64_t c = 0; !row && c < x->columns; c++) good &= (narrow[c] == 0) | (narrow[c] == 1);
    for (int64_t c = 0; !good && odd < 0; c++)
        if (rk_dense_at(d, i, c) != 0 && rk_dense_at(d, i, c) != 1) odd = c, *value = rk_dense_at(d, i, c);
    return odd;
}

int rk_bits_preferable(const rkhs_data *x) {
    double value;
    if (x->type == &rk_data_sparse) { /* a nonzero takes 12 bytes in a sparse row */
        int64_t count = ((const rk_sparse *)x->self)->starts[x->rows], stride = (x->columns + 63) / 64;
        if (stride * 8 > count / x->rows * 12) return 0;
    } else if (!rk_dense_of(x)) {
        return 0;
    }
    for (int64_t i = 0; i < x->rows; i++)
        if (odd_number(x, i, &value) >= 0) return 0;
    return 1;
}

/* Packs row i, which holds only zeros and ones. */
static void pack_row(const rkhs_data *x, int64_t i, uint64_t *words) {
    if (x->type == &rk_data_sparse) {
        const rk_sparse *s = x->self;
        for (int64_t q = s->starts[i]; q < s->starts[i + 1]; q++)
            words[s->columns[q] / 64] |= (uint64_t)(s->values[q] != 0) << s->columns[q] % 64;
        return;
    }
    const rk_dense *d = x->self;
    for (int64_t c = 0; c < x->columns; c++) words[c / 64] |= (uint64_t)(rk_dense_at(d, i, c) != 0) << c % 64;
}

static rkhs_status adopt_bits(rkhs_env *env, const rkhs_data *from, rkhs_data *out) {
    rkhs_status status = make_room(env, out);
    rk_bits *b = out->self;
    for (int64_t i = 0; status == RKHS_OK && i < from->rows; i++) {
        double value = 0;
        int64_t odd = odd_number(from, i, &value);
        if (odd >= 0)
            return rk_fail(
                env, RKHS_ERR_DATA,
                "row %lld, column %lld (counted from 1) is %.9g, and in a set of bits there are 0 and 1 alone: correct "
                "it, or give both data sets as numbers",
                (long long)i + 1, (long long)odd + 1, value);
        pack_row(from, i, b->words + i * b->stride);
    }
    return status;
}

void rk_bits_row(const rkhs_data *x, int64_t i, double *out) {
    const uint64_t *row = bits_of(x)->words + i * bits_of(x)->stride;
    for (int64_t c = 0; c < x->columns; c++) out[c] = (double)(row[c / 64] >> c % 64 & 1);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static rkhs_status subset_bits(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    const rk_bits *b = bits_of(x);
    rk_bits *to = out->self;
    rkhs_status status = make_room(env, out);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++)
        memcpy(to->words + i * to->stride, b->words + index[i] * b->stride, (size_t)b->stride * sizeof *b->words);
    return status;
}

static rkhs_status join_bits(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    rk_bits *to = out->self;
    rkhs_status status = make_room(env, out);
    uint64_t *at = to->words;
    for (int k = 0; status == RKHS_OK && k < count; k++) {
        int64_t words = parts[k]->rows * to->stride;
        memcpy(at, bits_of(parts[k])->words, (size_t)words * sizeof *at);
        at += words;
    }
    return status;
}

static rkhs_status save_bits(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    char name[256];
    snprintf(name, sizeof name, "%swidth", prefix);
    rkhs_status status = rk_archive_put_int(archive, name, x->columns);
    snprintf(name, sizeof name, "%swords", prefix);
    rk_array a = {'q', 2, {x->rows, bits_of(x)->stride}, bits_of(x)->words};
    return status == RKHS_OK ? rk_archive_put(archive, name, &a) : status;
}

static rkhs_status load_bits(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_bits *b = out->self;
    char name[256];
    rk_array a;
    int64_t width;
    snprintf(name, sizeof name, "%swidth", prefix);
    TRY(rk_archive_get_int(archive, name, &width));
    snprintf(name, sizeof name, "%swords", prefix);
    TRY(rk_archive_get(archive, name, 'q', 2, &a));
    if (width < 1 || width > INT32_MAX || a.shape[0] < 1 || a.shape[1] != (width + 63) / 64)
        FAIL(env, RKHS_ERR_FORMAT, "the array '%s' does not hold rows of %s: make the file again", name,
             rk_counted(width, "bit").text);
    out->rows = a.shape[0];
    out->columns = width;
    TRY(make_room(env, out));
    memcpy(b->words, a.data, (size_t)(out->rows * b->stride) * sizeof *b->words);
    for (int64_t i = 0; width % 64 && i < out->rows; i++)
        if (b->words[i * b->stride + width / 64] >> width % 64)
            FAIL(env, RKHS_ERR_FORMAT, "the array '%s' has bits set past the %lld of row %lld: make the file again", name,
                 (long long)width, (long long)i);
done:
    return status;
}

static void release_bits(rkhs_data *x) { rk_free(x->env, bits_of(x)->words); }

/* clang-format off */
const rk_data_type rk_data_bits = {
    .entry = {.name = "bits", .brief = "sets of bits: molecules, documents by their words", .size = sizeof(rk_bits)},
    .kind = RK_KIND_BITS, .subset = subset_bits, .join = join_bits, .save = save_bits, .load = load_bits,
    .adopts = RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_SPARSE, .adopt = adopt_bits, .release = release_bits,
};
/* clang-format on */
