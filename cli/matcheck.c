/* matcheck.c: looks a MAT file through before libmatio reads it.  SPDX-License-Identifier: BSD-3-Clause
 *
 * libmatio gives whatever its memory held for numbers that a file does not have. Here the elements of a file of version 5 (and
 * 6, 7) are followed to its end, compressed ones are unpacked to their checksum, and every full matrix must have as many
 * numbers as its size says; the same for version 4. Version 7.3 is HDF5, which may take its numbers from any other file of the
 * machine: it is refused here, by what libmatio would know it by.
 *
 *   version 5   128 bytes of header, then elements: type, bytes (4 each), content. A matrix is an element of elements: flags,
 *               dimensions, name, numbers; a short one keeps up to 4 bytes beside its type. */
#include "mat.h"

#ifdef RKHS_MATIO

#include <string.h>
#include <zlib.h>

enum {
    HEADER = 128,
    HEAD = 4096,
    INT8 = 1,
    INT32 = 5,
    UINT32 = 6,
    MATRIX = 14,
    COMPRESSED = 15,
    SPARSE = 5,
    DOUBLE = 6,
    UINT64 = 15
};

static const char hdf5[] =
    "it is of version 7.3 (HDF5), which is not read: in MATLAB save it with save('X.mat', 'X', '-v7'), in Python "
    "with scipy.io.savemat";
static const char cut[] = "the file ends early: copy or save it again";
static const char broken[] = "a variable is damaged: copy or save the file again";

/* The first bytes of something, and how many it has in all. */
typedef struct bytes {
    unsigned char b[HEAD];
    uint64_t have, total;
    int swap;
} bytes;

/* The 32-bit number at a place that is there. */
static uint32_t word(const bytes *s, uint64_t at) {
    uint32_t v;
    memcpy(&v, s->b + at, sizeof v);
    return s->swap ? __builtin_bswap32(v) : v;
}

/* One element inside a matrix. */
typedef struct element {
    uint32_t type;
    uint64_t size, data, next;
} element;

/* The element at a place; 0 when its tag is not among the first bytes, or it does not end with the matrix. */
static int element_at(const bytes *s, uint64_t at, element *e) {
    if (at + 8 > s->have) return 0;
    e->type = word(s, at);
    int is_short = e->type >> 16 != 0;
    e->size = is_short ? e->type >> 16 : word(s, at + 4);
    e->type &= is_short ? 0xFFFF : 0xFFFFFFFF;
    e->data = at + (is_short ? 4 : 8);
    e->next = is_short ? at + 8 : at + 8 + (e->size + 7) / 8 * 8;
    return is_short ? e->size <= 4 : e->data + e->size <= s->total;
}

/* Bytes of a number of that type; 0: none. */
static uint64_t number_size(uint32_t type) {
    static const unsigned char size[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return type < sizeof size ? size[type] : 0;
}

/* A matrix of numbers: as many as its size says. Others are only begun, as nobody will read them. */
static const char *check_matrix(const bytes *s) {
    element flags, dims, name, numbers;
    if (!element_at(s, 0, &flags) || flags.type != UINT32 || flags.size != 8 || flags.data + 8 > s->have) return broken;
    uint32_t class = word(s, flags.data) & 0xFF;
    if (class < SPARSE || class > UINT64) return NULL;
    if (!element_at(s, flags.next, &dims) || dims.type != INT32 || dims.size < 8 || dims.size % 4 != 0) return broken;
    uint64_t count = 1;
    for (uint64_t i = 0; i < dims.size; i += 4) {
        if (dims.data + i + 4 > s->have || __builtin_mul_overflow(count, (uint64_t)word(s, dims.data + i), &count))
            return broken;
    }
    if (!element_at(s, dims.next, &name) || name.type != INT8) return broken;
    if (class == SPARSE) return NULL; /* its three arrays say themselves how many they are */
    if (!element_at(s, name.next, &numbers)) return count == 0 ? NULL : broken;
    uint64_t size = number_size(numbers.type);
    return size > 0 && numbers.size % size == 0 && numbers.size / size == count
               ? NULL
               : "a variable has another count of numbers than its size says: the file is damaged; save it again";
}

/* Reads the first bytes of what stands at a place of the file. */
static int read_head(FILE *f, uint64_t at, bytes *s) {
    s->have = s->total < HEAD ? s->total : HEAD;
    return fseeko(f, (off_t)at, SEEK_SET) == 0 && fread(s->b, 1, s->have, f) == s->have;
}

/* Unpacks `count` bytes at a place, to their end and checksum: an element, whose first bytes go to s. */
static const char *check_packed(FILE *f, uint64_t at, uint64_t count, bytes *s) {
    static unsigned char in[1 << 16], out[1 << 16];
    z_stream z = {0};
    int code = Z_OK;
    s->have = s->total = 0;
    if (fseeko(f, (off_t)at, SEEK_SET) != 0 || inflateInit(&z) != Z_OK) return cut;
    while (code == Z_OK) {
        if (z.avail_in == 0 && count > 0) { /* at the end there may still be something to come out */
            size_t some = fread(in, 1, count < sizeof in ? (size_t)count : sizeof in, f);
            if (some == 0) break;
            count -= some;
            z.next_in = in;
            z.avail_in = (uInt)some;
        }
        z.next_out = out;
        z.avail_out = sizeof out;
        code = inflate(&z, Z_NO_FLUSH);
        uint64_t made = sizeof out - z.avail_out, some = HEAD - s->have < made ? HEAD - s->have : made;
        memcpy(s->b + s->have, out, some);
        s->have += some;
        s->total += made;
    }
    inflateEnd(&z);
    return code == Z_STREAM_END ? NULL : "a compressed variable does not unpack: the file is damaged; save it again";
}

/* The element that was unpacked, without its tag: a matrix. */
static const char *check_unpacked(bytes *s) {
    if (s->have < 8 || word(s, 0) != MATRIX || word(s, 4) > s->total - 8) return broken;
    s->total = word(s, 4);
    memmove(s->b, s->b + 8, s->have - 8);
    s->have -= 8;
    if (s->have > s->total) s->have = s->total;
    return check_matrix(s);
}

/* All elements of a file of version 5. */
static const char *check_5(FILE *f, uint64_t length, int swap) {
    static bytes s;
    const char *why = NULL;
    for (uint64_t at = HEADER; at < length && why == NULL;) {
        s = (bytes){.swap = swap, .total = 8};
        if (length - at < 8 || !read_head(f, at, &s)) return cut;
        uint32_t type = word(&s, 0), size = word(&s, 4);
        if (size > length - at - 8) return cut;
        s.total = size;
        if (type == COMPRESSED) {
            why = check_packed(f, at + 8, size, &s);
            if (why == NULL) why = check_unpacked(&s);
        } else if (type == MATRIX && size > 0) {
            why = read_head(f, at + 8, &s) ? check_matrix(&s) : cut;
        }
        at += 8 + (uint64_t)size;
    }
    return why;
}

/* All matrices of a file of version 4: type, rows, columns, imaginary, length of the name; the name, the numbers. */
static const char *check_4(FILE *f, uint64_t length) {
    static const uint64_t sizes[] = {8, 4, 4, 2, 2, 1};
    static bytes s;
    uint64_t at = 0;
    while (at < length) {
        s = (bytes){.total = 20};
        if (length - at < 20 || !read_head(f, at, &s)) return at > 0 ? cut : "this is not a MAT file: save it as one";
        s.swap = word(&s, 0) > 4999;
        uint32_t type = word(&s, 0), kind = type / 10 % 10, rows = word(&s, 4), columns = word(&s, 8), name = word(&s, 16);
        if (type > 4999 || type / 100 % 10 != 0 || kind > 5 || type % 10 > 2 || word(&s, 12) > 1 || name == 0)
            return at > 0 ? broken : "this is not a MAT file: save it as one";
        uint64_t count, left = length - at - 20;
        if (__builtin_mul_overflow((uint64_t)rows * columns, sizes[kind] << (word(&s, 12) != 0), &count) || name > left ||
            count > left - name) {
            return cut;
        }
        at += 20 + name + count;
    }
    return NULL;
}

const char *mat_check(const char *path) {
    bytes s = {.total = HEADER};
    FILE *f = fopen(path, "rb");
    const char *why = "it cannot be read";
    if (f == NULL || fseeko(f, 0, SEEK_END) != 0) goto done;
    uint64_t length = (uint64_t)ftello(f);
    int whole = read_head(f, 0, &s), little = whole && memcmp(s.b + 126, "IM", 2) == 0;
    int big = whole && memcmp(s.b + 126, "MI", 2) == 0, here = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (length == 0) {
        why = "the file is empty: give a file with data";
    } else if (memcmp(s.b, "\x89HDF", 4) == 0) {
        why = hdf5;
    } else if (!little && !big) {
        why = check_4(f, length);
    } else {
        int version = little ? s.b[125] << 8 | s.b[124] : s.b[124] << 8 | s.b[125];
        why = version == 0x100   ? check_5(f, length, little != here)
              : version == 0x200 ? hdf5
                                 : "it is of no known version: save it again with '-v7'";
    }
done:
    if (f != NULL) fclose(f);
    return why;
}

#endif
