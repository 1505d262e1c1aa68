/* zips.h: ZIP files made by hand, right or wrong on purpose. */
#ifndef RK_ZIPS_H
#define RK_ZIPS_H

#include <zlib.h>

#include "files.h"

/* A member to be; what is not 0 in wrong_* takes the place of the truth. */
typedef struct zip_member {
    const char *name;
    const void *bytes; /* as they will be read */
    size_t size;
    int method;        /* 0 stored, 8 deflated */
    const void *ready; /* deflated already */
    size_t ready_size;
    int wide, flags; /* wide: 64-bit fields */
    uint32_t wrong_crc;
    uint64_t wrong_size, wrong_stored, wrong_offset;
} zip_member;

static inline void zip_number(FILE *out, uint64_t value, int size) {
    for (int i = 0; i < size; i++) fputc((int)(value >> 8 * i & 0xff), out);
}

/* zlib's raw deflate; free it. */
static inline unsigned char *zip_deflate(const void *bytes, size_t size, size_t *got) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, size) + 16;
    unsigned char *to = malloc(room);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *got = room - z.avail_out;
    deflateEnd(&z);
    return to;
}

/* The part that local and central header share, from the flags to the sizes. */
static inline void zip_common(FILE *out, const zip_member *m, uint32_t crc, uint64_t stored, uint64_t size) {
    zip_number(out, (uint64_t)m->flags, 2);
    zip_number(out, (uint64_t)m->method, 2);
    zip_number(out, 0x210000, 4);
    zip_number(out, crc, 4);
    zip_number(out, m->wide ? 0xffffffffu : stored, 4);
    zip_number(out, m->wide ? 0xffffffffu : size, 4);
    zip_number(out, strlen(m->name), 2);
}

/* Writes a ZIP of these members; wide: with the 64-bit end record. */
static inline void put_zip(const char *path, const zip_member *members, int count, int wide, const char *comment) {
    FILE *out = fopen(path, "wb");
    uint64_t offset[16], stored[16];
    uint32_t crc[16];
    for (int i = 0; i < count; i++) {
        const zip_member *m = &members[i];
        size_t made_size = 0;
        unsigned char *made = m->method == 8 && !m->ready ? zip_deflate(m->bytes, m->size, &made_size) : NULL;
        const void *data = m->ready ? m->ready : made ? made : m->bytes;
        stored[i] = m->ready ? m->ready_size : made ? made_size : m->size;
        crc[i] = m->wrong_crc ? m->wrong_crc : (uint32_t)crc32(0, m->bytes, (uInt)m->size);
        offset[i] = (uint64_t)ftell(out);
        zip_number(out, 0x04034b50, 4);
        zip_number(out, 45, 2);
        zip_common(out, m, 0, 0, 0); /* as with a data descriptor: the directory alone knows */
        zip_number(out, 0, 2);
        fwrite(m->name, 1, strlen(m->name), out);
        fwrite(data, 1, stored[i], out);
        free(made);
    }
    uint64_t start = (uint64_t)ftell(out);
    for (int i = 0; i < count; i++) {
        const zip_member *m = &members[i];
        uint64_t size = m->wrong_size ? m->wrong_size : m->size, held = m->wrong_stored ? m->wrong_stored : stored[i];
        uint64_t place = m->wrong_offset ? m->wrong_offset : offset[i];
        zip_number(out, 0x02014b50, 4);
        zip_number(out, 45 | 45 << 16, 4);
        zip_common(out, m, crc[i], held, size);
        zip_number(out, m->wide ? 4 + 3 + 4 + 24 : 0, 2);
        zip_number(out, 0, 8); /* comment, disk, attributes */
        zip_number(out, 0, 2);
        zip_number(out, m->wide ? 0xffffffffu : place, 4);
        fwrite(m->name, 1, strlen(m->name), out);
        if (!m->wide) continue;
        zip_number(out, 0x7777 | 3 << 16, 7); /* an extra field that nobody knows, first */
        zip_number(out, 1 | 24 << 16, 4);
        zip_number(out, size, 8);
        zip_number(out, held, 8);
        zip_number(out, place, 8);
    }
    uint64_t end = (uint64_t)ftell(out);
    if (wide) {
        zip_number(out, 0x06064b50, 4);
        zip_number(out, 44, 8);
        zip_number(out, 45 | 45 << 16, 4);
        zip_number(out, 0, 8);
        zip_number(out, (uint64_t)count, 8);
        zip_number(out, (uint64_t)count, 8);
        zip_number(out, end - start, 8);
        zip_number(out, start, 8);
        zip_number(out, 0x07064b50, 8);
        zip_number(out, end, 8);
        zip_number(out, 1, 4);
    }
    zip_number(out, 0x06054b50, 8);
    zip_number(out, wide ? 0xffffffffu : (uint64_t)count | (uint64_t)count << 16, 4);
    zip_number(out, wide ? 0xffffffffu : end - start, 4);
    zip_number(out, wide ? 0xffffffffu : start, 4);
    zip_number(out, strlen(comment), 2);
    fputs(comment, out);
    fclose(out);
}

/* An array as bytes, header and data; free it. */
static inline char *npy_bytes(const char *descr, int ndim, const int64_t *shape, const void *data, size_t bytes, size_t *size) {
    char *to = malloc(RK_NPY_ROOM + bytes);
    *size = rk_npy_make_header(to, descr, ndim, shape);
    memcpy(to + *size, data, bytes);
    *size += bytes;
    return to;
}

#endif
