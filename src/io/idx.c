/* idx.c: the format "idx", the arrays of the MNIST family of data sets.
 *
 *     0 0 type dimensions (one byte each), the extent of each dimension (4 bytes each), elements; all big-endian
 *
 * The first extent is the number of objects. The others are the shape of an object: a vector or an image. An array of
 * one dimension is a column of numbers, or labels. The elements are read by the functions for NumPy arrays (npy.c). */
#include "io/io.h"

#include <string.h>

/* Sets NumPy's kind and size of an element type; returns 0 for an unknown code. */
static int type_of(unsigned char code, rk_npy *npy) {
    static const struct {
        unsigned char code;
        char kind, size;
    } types[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2}, {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code != code) continue;
        npy->kind = types[i].kind;
        npy->size = types[i].size;
        return 1;
    }
    return 0;
}

/* Reads the header into the form of a NumPy header. */
static rkhs_status read_header(rkhs_env *env, rk_input *in, rk_npy *npy) {
    rkhs_status status = RKHS_OK;
    unsigned char first[4], extent[4];
    const char *name = rk_input_name(in);
    size_t got;
    *npy = (rk_npy){.order = '>', .count = 1};
    TRY(rk_input_read(in, first, sizeof first, &got));
    if (got == 0) FAIL(env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", name);
    if (got < 4 || first[0] || first[1] || !type_of(first[2], npy))
        TRY(rk_fail_hint(env, RKHS_ERR_FORMAT, "format",
                         "%s: this is not an IDX file (it does not begin with two zeros and a type): name its format", name));
    if (first[3] < 1 || first[3] > RK_NPY_DIMS)
        FAIL(env, RKHS_ERR_FORMAT, "%s: the array has %s, and 1 to %d are read: save it as a matrix", name,
             rk_counted(first[3], "dimension").text, RK_NPY_DIMS);
    int64_t total = npy->size;
    for (npy->ndim = 0; npy->ndim < first[3]; npy->ndim++) {
        TRY(rk_input_read(in, extent, sizeof extent, &got));
        if (got < 4) FAIL(env, RKHS_ERR_FORMAT, "%s: the file ends early, in its header: copy it again", name);
        int64_t e = (int64_t)extent[0] << 24 | extent[1] << 16 | extent[2] << 8 | extent[3];
        if (e > 0 && total > INT64_MAX / 2 / e)
            FAIL(env, RKHS_ERR_FORMAT, "%s: the header is damaged (the shape is larger than any file): copy it again", name);
        if (e > 0) total *= e;
        npy->shape[npy->ndim] = e;
        npy->count *= e;
    }
    npy->offset = 4 + 4 * npy->ndim;
done:
    return status;
}

static rkhs_status read_idx(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rk_npy npy;
    rkhs_status status = read_header(env, in, &npy);
    return status == RKHS_OK ? rk_npy_read_elements(env, in, &npy, kinds, out) : status;
}

static rkhs_status read_labels_idx(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    rk_npy npy;
    rkhs_status status = read_header(env, in, &npy);
    return status == RKHS_OK ? rk_npy_read_labels(env, in, &npy, out) : status;
}

/* Two zeros, a type, and the number of dimensions. */
static int begins_idx(const char bytes[4]) {
    return !bytes[0] && !bytes[1] && bytes[2] >= 8 && bytes[2] <= 14 && bytes[3] >= 1 && bytes[3] <= RK_NPY_DIMS;
}

const rk_format_type rk_format_idx = {
    .entry = {.name = "idx", .brief = "arrays in the format of MNIST: any type of number, objects along the first axis"},
    .endings = ".idx .ubyte -ubyte",
    .kinds = RK_KIND_DENSE | RK_KIND_IMAGE,
    .begins = begins_idx,
    .read = read_idx,
    .read_labels = read_labels_idx,
};
