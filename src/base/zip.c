/* zip.c: reads ZIP files: the directory, and the members, stored or deflated. Format: PKWARE APPNOTE 6.3.
 *
 * The file is in memory and not trusted: every offset and size is checked before it is used. A member is decompressed
 * as it is read, never beyond the size in the directory, so that a decompression bomb costs no memory. Its CRC is
 * checked after the last byte. Sizes come from the directory, as local headers may lack them. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, END64 = 56, LOCATOR = 20, LONGEST_COMMENT = 0xffff };
enum { PART = 1 << 20, DENSEST = 1032 };      /* bytes between two progress calls; most bytes for a deflated byte */
enum { STORED = 0, DEFLATED = 8, ZLIB = -1 }; /* ZLIB: a zlib stream of unknown length, not a member */

static const uint64_t WIDE = 0xffffffffu; /* means that a 64-bit field has the value */

/* Reads a little-endian number of `size` bytes, which must lie inside the file. */
static uint64_t number_at(const rk_zip *zip, uint64_t at, int size) {
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--) value = value << 8 | zip->bytes[at + (uint64_t)i];
    return value;
}

/* ---- the directory --------------------------------------------------------------------------------------------- */

/* Finds the last end record whose comment ends the file. */
static int find_end(rk_zip *zip, uint64_t *end) {
    for (uint64_t comment = 0; comment <= LONGEST_COMMENT && comment + END <= zip->length; comment++) {
        *end = zip->length - END - comment;
        if (number_at(zip, *end, 4) == 0x06054b50 && number_at(zip, *end + 20, 2) == comment) {
            zip->comment = comment;
            return 1;
        }
    }
    return 0;
}

const char *rk_zip_open(rk_zip *zip, const void *bytes, size_t length) {
    uint64_t end;
    *zip = (rk_zip){.bytes = bytes, .length = length};
    if (!find_end(zip, &end) || number_at(zip, end + 4, 4) != 0) return "no end record";
    zip->count = number_at(zip, end + 10, 2);
    zip->stop = end;
    uint64_t size = number_at(zip, end + 12, 4);
    zip->start = number_at(zip, end + 16, 4);
    if (zip->count == 0xffff || size == WIDE || zip->start == WIDE) {
        if (end < END64 + LOCATOR || number_at(zip, end - LOCATOR, 4) != 0x07064b50) return "no ZIP64 locator";
        uint64_t end64 = end - LOCATOR - END64;
        if (number_at(zip, end - LOCATOR + 8, 8) != end64 || number_at(zip, end64, 4) != 0x06064b50)
            return "no ZIP64 end record";
        zip->count = number_at(zip, end64 + 32, 8);
        size = number_at(zip, end64 + 40, 8);
        zip->start = number_at(zip, end64 + 48, 8);
        zip->stop = end64;
    }
    if (zip->start > zip->stop || size != zip->stop - zip->start || zip->count > size / CENTRAL)
        return "the directory's position";
    if (zip->count == 0 && size > 0) return "the directory's length";
    zip->next = zip->start;
    return NULL;
}

/* Replaces fields that are all ones by their 64-bit values from the ZIP64 extra field (id 1). 0: they are missing. */
static int read_wide(const rk_zip *zip, uint64_t at, uint64_t length, uint64_t *field[3]) {
    uint64_t wanted = 0, stop = at + length;
    for (int i = 0; i < 3; i++) wanted += *field[i] == WIDE;
    if (!wanted) return 1;
    while (stop - at >= 4) {
        uint64_t id = number_at(zip, at, 2), size = number_at(zip, at + 2, 2);
        at += 4;
        if (size > stop - at) return 0;
        if (id != 1) {
            at += size;
            continue;
        }
        if (size < 8 * wanted) return 0;
        for (int i = 0; i < 3; i++)
            if (*field[i] == WIDE) *field[i] = number_at(zip, at, 8), at += 8;
        return 1;
    }
    return 0;
}

const char *rk_zip_next(rk_zip *zip, rk_zip_entry *e) {
    uint64_t at = zip->next, offset;
    if (zip->stop - at < CENTRAL || number_at(zip, at, 4) != 0x02014b50) return "a directory entry";
    uint64_t name = number_at(zip, at + 28, 2), extra = number_at(zip, at + 30, 2), note = number_at(zip, at + 32, 2);
    if (zip->stop - at - CENTRAL < name + extra + note) return "a directory entry";
    e->flags = (int)number_at(zip, at + 8, 2);
    e->method = (int)number_at(zip, at + 10, 2);
    e->crc = (uint32_t)number_at(zip, at + 16, 4);
    e->stored = number_at(zip, at + 20, 4);
    e->size = number_at(zip, at + 24, 4);
    offset = number_at(zip, at + 42, 4);
    e->name = (const char *)zip->bytes + at + CENTRAL;
    e->name_length = name;
    if (!read_wide(zip, at + CENTRAL + name, extra, (uint64_t *[]){&e->size, &e->stored, &offset})) return "a ZIP64 field";
    if (offset > zip->start || zip->start - offset < LOCAL + name || number_at(zip, offset, 4) != 0x04034b50 ||
        number_at(zip, offset + 26, 2) != name || memcmp(zip->bytes + offset + LOCAL, e->name, name) != 0)
        return "an entry's position";
    e->extra = number_at(zip, offset + 28, 2);
    uint64_t data = offset + LOCAL + name + e->extra;
    if (data > zip->start || e->stored > zip->start - data) return "an entry's size";
    if (offset < zip->reached) return "two entries that overlap or are out of order";
    e->data = zip->bytes + data;
    e->gap = offset - zip->reached;
    e->headers_agree = memcmp(zip->bytes + offset + 6, zip->bytes + at + 8, 20) == 0; /* flags to sizes */
    zip->reached = data + e->stored;
    zip->next = at + CENTRAL + name + extra + note;
    zip->count--;
    if (zip->count == 0 && zip->next != zip->stop) return "the directory's length";
    return NULL;
}

/* ---- members --------------------------------------------------------------------------------------------------- */

/* The state of a member that is being read. */
typedef struct member {
    rkhs_env *env;
    char *name;
    rk_zip_entry entry;
    uint64_t taken, given; /* bytes consumed of entry.stored; bytes returned of entry.size */
    uLong crc;
    z_stream z;
    int inflating, ended; /* ended: the end of the deflated stream was reached */
} member;

static rkhs_status damaged(const member *m, const char *why) {
    return rk_fail(m->env, RKHS_ERR_FORMAT, "%s: the %s is damaged (%s): copy or save the file again", m->name,
                   m->entry.method == ZLIB ? "compressed part" : "archive", why);
}

/* Decompresses `count` bytes into `to`, fewer if the stream ends. */
static rkhs_status inflate_some(member *m, unsigned char *to, size_t count, size_t *got) {
    rkhs_status status = RKHS_OK;
    *got = 0;
    while (*got < count && !m->ended) {
        size_t room = count - *got < PART ? count - *got : PART;
        uint64_t rest = m->entry.stored - m->taken;
        uInt some = (uInt)(rest < PART ? rest : PART);
        m->z.next_in = (Bytef *)(uintptr_t)(m->entry.data + m->taken);
        m->z.avail_in = some;
        m->z.next_out = to + *got;
        m->z.avail_out = (uInt)room;
        int code = inflate(&m->z, Z_NO_FLUSH);
        m->taken += some - m->z.avail_in;
        *got += room - m->z.avail_out;
        m->ended = code == Z_STREAM_END;
        int stuck = code == Z_BUF_ERROR || (m->z.avail_in == some && m->z.avail_out == room);
        if (code == Z_MEM_ERROR) FAIL(m->env, RKHS_ERR_MEMORY, "%s: there is no memory to undo its compression", m->name);
        if (!m->ended && (stuck || (code != Z_OK && code != Z_BUF_ERROR))) {
            status = damaged(m, stuck ? "its data end early" : "its data do not inflate");
            goto done;
        }
        TRY(rk_progress(m->env, "read", (int64_t)m->taken, (int64_t)m->entry.stored));
    }
done:
    return status;
}

/* After the last byte: checks that the stream ends here, and the CRC. */
static rkhs_status check_end(member *m) {
    unsigned char more;
    size_t got = 0;
    rkhs_status status = m->inflating ? inflate_some(m, &more, 1, &got) : RKHS_OK;
    if (status != RKHS_OK) return status;
    if (got) return damaged(m, "its data are longer than the directory says");
    if (m->inflating && m->taken != m->entry.stored) return damaged(m, "bytes follow its data");
    return (uint32_t)m->crc == m->entry.crc ? RKHS_OK : damaged(m, "its CRC does not match");
}

static rkhs_status read_member(void *context, void *to, size_t count, size_t *got) {
    rkhs_status status = RKHS_OK;
    member *m = context;
    unsigned char *bytes = to;
    uint64_t left = m->entry.size - m->given;
    size_t wanted = left < count ? (size_t)left : count;
    *got = 0;
    if (wanted == 0) return RKHS_OK;
    if (m->inflating) {
        TRY(inflate_some(m, bytes, wanted, got));
        if (m->entry.method == ZLIB) goto done;
        if (*got < wanted) {
            status = damaged(m, "its data are shorter than the directory says");
            goto done;
        }
    } else {
        memcpy(bytes, m->entry.data + m->given, wanted);
        *got = wanted;
    }
    for (size_t at = 0, part; at < wanted; at += part) {
        part = wanted - at < PART ? wanted - at : PART;
        m->crc = crc32(m->crc, bytes + at, (uInt)part);
    }
    m->given += wanted;
    if (m->given == m->entry.size) TRY(check_end(m));
done:
    return status;
}

static int64_t left_member(const void *context) {
    const member *m = context;
    return (int64_t)(m->entry.size - m->given);
}

static void close_member(void *context) {
    member *m = context;
    if (m->inflating) inflateEnd(&m->z);
    rk_free(m->env, m->name);
    rk_free(m->env, m);
}

/* Opens a member or zlib stream; fails if its size is impossible. */
static rkhs_status open_member(rkhs_env *env, const char *name, const rk_zip_entry *entry, rk_input **in) {
    rkhs_status status = RKHS_OK;
    member *m = NULL;
    *in = NULL;
    TRY(rk_alloc(env, 1, sizeof *m, &m));
    m->env = env;
    m->entry = *entry;
    m->crc = crc32(0, NULL, 0);
    TRY(rk_strdup(env, name, &m->name));
    uint64_t most = entry->method ? DENSEST * entry->stored : entry->stored; /* cannot overflow: the file is larger */
    if (entry->size > most || (!entry->method && entry->size != entry->stored)) {
        status = damaged(m, "its size cannot be right");
        goto done;
    }
    if (entry->method != STORED) {
        rk_zlib_memory(env, &m->z);
        if (inflateInit2(&m->z, entry->method == ZLIB ? 15 : -15) != Z_OK) /* negative: no header at all */
            FAIL(env, RKHS_ERR_MEMORY, "%s: there is no memory to undo its compression", name);
        m->inflating = 1;
    }
    member *given = m;
    m = NULL;
    TRY(rk_input_from_source(env, name, &(rk_source){given, read_member, left_member, close_member}, in));
done:
    if (m) close_member(m);
    return status;
}

rkhs_status rk_zip_input(rkhs_env *env, const char *name, const rk_zip_entry *entry, rk_input **in) {
    *in = NULL;
    if (entry->flags & 1) return rk_fail(env, RKHS_ERR_FORMAT, "%s is encrypted: save it without a password", name);
    if (entry->method != STORED && entry->method != DEFLATED)
        return rk_fail(env, RKHS_ERR_FORMAT, "%s is compressed by the method %d, which is not read: save it with numpy.savez",
                       name, entry->method);
    return open_member(env, name, entry, in);
}

rkhs_status rk_zlib_input(rkhs_env *env, const char *name, const void *bytes, uint64_t count, rk_input **in) {
    return open_member(env, name, &(rk_zip_entry){.method = ZLIB, .data = bytes, .stored = count, .size = DENSEST * count}, in);
}
