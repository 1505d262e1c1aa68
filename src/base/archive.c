/* archive.c: reads and writes model files: uncompressed .npz archives (ZIP files of NumPy arrays) with a checksum.
 *
 *     { local header, name.npy, padding, NPY header, data }   one for each array, in the order of put; 64-byte aligned
 *     { central header }                                     one for each array
 *     [ ZIP64 end, ZIP64 locator ]                           past 4 GB
 *     end record, "rkhs1 fnv1a64=0123456789abcdef"           the archive comment: FNV-1a of every byte before it
 *
 * The bytes depend on the arrays alone: times are fixed at 1980-01-01. The checksum also covers the ZIP headers, which
 * ZIP's own CRC does not. It is verified before anything is parsed. It does not protect against forged files, so
 * parsing is defensive: entries must follow one another in the order of the directory, with no bytes before, between
 * or after them. Formats: PKWARE APPNOTE 6.3, numpy.lib.format. */
#include "base/base.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, END64 = 56, LOCATOR = 20, COMMENT = 30 };
enum { ALIGN = 64, PAD_ID = 0xd935, ZIP64_EXTRA = 20 };
enum { MOST = 16384, PART = 1 << 20 }; /* most arrays in a file; bytes between two progress calls */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian, and arrays are written as they are");

static const char mark[] = "rkhs1 fnv1a64=";

typedef struct member {
    char *name;
    rk_array array;
    void *owned; /* array.data, if the archive must free it */
    /* used while writing */
    char header[RK_NPY_ROOM];
    size_t header_size;
    uint64_t size, offset; /* size of the .npy file; offset of the local header */
    uint32_t crc;
} member;

struct rk_archive {
    rkhs_env *env;
    char *path;
    member *members;
    int64_t count, room;
    int64_t *sorted; /* members, sorted by name */
    char *bytes;     /* the file that was read */
    size_t length;
    uint64_t zip64; /* values from here on are written as 64-bit fields */
};

/* FNV-1a with 64 bits, continued from `hash`. */
static uint64_t checksum_of(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

static const uint64_t FNV_START = 0xcbf29ce484222325u;

static uint64_t data_size(const rk_array *a) {
    if (a->type == 'S')
        return a->shape[0] > 0 ? (uint64_t)a->shape[0] : 1; /* NumPy has no empty bytes: stored as one zero byte */
    uint64_t count = 1;
    for (int i = 0; i < a->ndim; i++) count *= (uint64_t)a->shape[i];
    return (a->type == 'f' ? 4 : 8) * count;
}

/* ---- put ------------------------------------------------------------------------------------------------------- */

rkhs_status rk_archive_new(rkhs_env *env, rk_archive **archive) {
    rkhs_status status = rk_alloc(env, 1, sizeof **archive, archive);
    if (status != RKHS_OK) return status;
    (*archive)->env = env;
    (*archive)->zip64 = 0xffffffffu;
    return RKHS_OK;
}

void rk_archive_set_zip64(rk_archive *archive, uint64_t from) { archive->zip64 = from; }

/* Whether any system can unpack a file of that name: not an empty or absolute path, no "..". */
static int good_name(const char *name, size_t length) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    if (length == 0 || length > 200 || name[0] == '/' || name[length - 1] == '/') return 0;
    for (size_t i = 0; i < length; i++) {
        if (!name[i] || !strchr(allowed, name[i])) return 0;
        if (name[i] == '.' && i + 1 < length && name[i + 1] == '.') return 0;
    }
    return 1;
}

/* Binary search: where the name is among the sorted ones, or where to insert it. Returns 1 if it is there. */
static int find_position(const rk_archive *archive, const char *name, int64_t *position) {
    int64_t low = 0, high = archive->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        int order = strcmp(archive->members[archive->sorted[middle]].name, name);
        if (order == 0) {
            *position = middle;
            return 1;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *position = low;
    return 0;
}

static member *find_member(const rk_archive *archive, const char *name) {
    int64_t position;
    return find_position(archive, name, &position) ? &archive->members[archive->sorted[position]] : NULL;
}

static rkhs_status make_room(rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    if (archive->count == MOST) FAIL(archive->env, RKHS_ERR_FORMAT, "a model file has at most %d arrays", MOST);
    if (archive->count == archive->room) {
        int64_t room = archive->room ? 2 * archive->room : 16;
        TRY(rk_realloc(archive->env, room, sizeof *archive->members, &archive->members));
        TRY(rk_realloc(archive->env, room, sizeof *archive->sorted, &archive->sorted));
        archive->room = room;
    }
done:
    return status;
}

/* Appends a member; *out is NULL if the name exists already. */
static rkhs_status add_member(rk_archive *archive, const char *name, size_t length, member **out) {
    rkhs_status status = RKHS_OK;
    int64_t position;
    *out = NULL;
    TRY(make_room(archive));
    member *m = &archive->members[archive->count];
    memset(m, 0, sizeof *m);
    TRY(rk_alloc(archive->env, (int64_t)length + 1, 1, &m->name));
    memcpy(m->name, name, length);
    if (find_position(archive, m->name, &position)) {
        rk_free(archive->env, m->name);
        goto done;
    }
    int64_t *at = archive->sorted + position;
    memmove(at + 1, at, (size_t)(archive->count - position) * sizeof *at);
    *at = archive->count++;
    *out = m;
done:
    return status;
}

static rkhs_status check_array(rk_archive *archive, const char *name, const rk_array *a) {
    int good = (a->type == 'd' || a->type == 'f' || a->type == 'q') ? a->ndim >= 0 && a->ndim <= 3 : a->type == 'S';
    int64_t total = 8;
    int dims = a->type == 'S' ? 1 : a->ndim;
    for (int i = 0; good && i < dims; i++) {
        good = a->shape[i] >= 0 && (a->shape[i] == 0 || total <= INT64_MAX / 2 / a->shape[i]);
        if (good && a->shape[i] > 0) total *= a->shape[i];
    }
    if (!good) return rk_fail(archive->env, RKHS_ERR_BUG, "the array '%.80s' has a type or shape that is not stored", name);
    return RKHS_OK;
}

rkhs_status rk_archive_put(rk_archive *archive, const char *name, const rk_array *a) {
    rkhs_status status = RKHS_OK;
    member *m;
    if (!name || !good_name(name, strlen(name)))
        FAIL(archive->env, RKHS_ERR_BUG, "'%.80s' is no name for an array in a file", name ? name : "");
    TRY(check_array(archive, name, a));
    TRY(add_member(archive, name, strlen(name), &m));
    if (!m) FAIL(archive->env, RKHS_ERR_BUG, "the array '%.80s' was put twice", name);
    m->array = *a;
done:
    return status;
}

rkhs_status rk_archive_put_copy(rk_archive *archive, const char *name, const rk_array *a) {
    rkhs_status status = RKHS_OK;
    void *copy = NULL;
    rk_array mine = *a;
    TRY(check_array(archive, name, a));
    uint64_t size = data_size(a);
    TRY(rk_alloc(archive->env, (int64_t)size + 1, 1, &copy)); /* a zero ends a text */
    if (size && (a->type != 'S' || a->shape[0] > 0)) memcpy(copy, a->data, size);
    mine.data = copy;
    TRY(rk_archive_put(archive, name, &mine));
    archive->members[archive->count - 1].owned = copy;
    copy = NULL;
done:
    rk_free(archive->env, copy);
    return status;
}

rkhs_status rk_archive_put_text(rk_archive *archive, const char *name, const char *text) {
    return rk_archive_put_copy(archive, name, &(rk_array){'S', 1, {(int64_t)strlen(text)}, text});
}

rkhs_status rk_archive_put_int(rk_archive *archive, const char *name, int64_t value) {
    return rk_archive_put_copy(archive, name, &(rk_array){'q', 0, {0}, &value});
}

rkhs_status rk_archive_put_real(rk_archive *archive, const char *name, double value) {
    return rk_archive_put_copy(archive, name, &(rk_array){'d', 0, {0}, &value});
}

/* ---- write ----------------------------------------------------------------------------------------------------- */

/* The file being written, with its checksum so far. */
typedef struct writer {
    rk_output *out;
    uint64_t hash, at;
} writer;

static rkhs_status emit(writer *w, const void *bytes, uint64_t count) {
    for (uint64_t at = 0, part; at < count; at += part) {
        part = count - at < PART ? count - at : PART;
        w->hash = checksum_of(w->hash, (const char *)bytes + at, part);
        rkhs_status status = rk_output_write(w->out, (const char *)bytes + at, part);
        if (status != RKHS_OK) return status;
    }
    w->at += count;
    return RKHS_OK;
}

/* Writes a number of `size` bytes, little-endian, and returns the position after it. */
static unsigned char *number(unsigned char *to, uint64_t value, int size) {
    for (int i = 0; i < size; i++) *to++ = (unsigned char)(value >> 8 * i);
    return to;
}

/* The value of a 32-bit field; all ones mean that a 64-bit field has it. */
static uint64_t narrow(const rk_archive *archive, uint64_t value) { return value >= archive->zip64 ? 0xffffffffu : value; }

/* The fields that local and central header share: flags, method (stored), time (1980-01-01 00:00), CRC, both sizes. */
static unsigned char *common(unsigned char *to, const member *m, uint64_t size32) {
    to = number(number(to, 0, 4), 0, 2);
    to = number(number(to, 0x21, 2), m->crc, 4);
    return number(number(to, size32, 4), size32, 4);
}

/* Local header, name, and padding so that the .npy file begins at a multiple of 64 bytes. */
static rkhs_status write_local(const rk_archive *archive, writer *w, const member *m) {
    unsigned char b[LOCAL + 256 + 2 * ALIGN], *to = b;
    int wide = m->size >= archive->zip64;
    size_t name = strlen(m->name) + 4, extra = wide ? ZIP64_EXTRA : 0;
    size_t pad = (size_t)(ALIGN - (w->at + LOCAL + name + extra) % ALIGN) % ALIGN;
    if (pad && pad < 4) pad += ALIGN;
    to = number(to, 0x04034b50, 4);
    to = number(to, wide ? 45 : 20, 2);
    to = common(to, m, narrow(archive, m->size));
    to = number(to, name, 2);
    to = number(to, extra + pad, 2);
    memcpy(to, m->name, name - 4);
    memcpy(to + name - 4, ".npy", 4);
    to += name;
    if (wide) {
        to = number(number(to, 1, 2), 16, 2);
        to = number(number(to, m->size, 8), m->size, 8);
    }
    if (pad) {
        to = number(number(to, PAD_ID, 2), pad - 4, 2);
        memset(to, 0, pad - 4);
        to += pad - 4;
    }
    return emit(w, b, (size_t)(to - b));
}

/* Makes the NPY header of a member and computes its size and CRC. */
static rkhs_status prepare(rkhs_env *env, member *m) {
    rkhs_status status = RKHS_OK;
    char descr[32];
    const rk_array *a = &m->array;
    uint64_t bytes = data_size(a), at = 0;
    if (a->type == 'S')
        snprintf(descr, sizeof descr, "|S%llu", (unsigned long long)bytes);
    else
        snprintf(descr, sizeof descr, "%s", a->type == 'd' ? "<f8" : a->type == 'f' ? "<f4" : "<i8");
    m->header_size = rk_npy_make_header(m->header, descr, a->type == 'S' ? 0 : a->ndim, a->shape);
    m->size = m->header_size + bytes;
    uLong crc = crc32(0, (const Bytef *)m->header, (uInt)m->header_size);
    int empty = a->type == 'S' && a->shape[0] == 0;
    if (empty) crc = crc32(crc, (const Bytef *)"", 1);
    while (!empty && at < bytes) {
        uInt part = bytes - at < PART ? (uInt)(bytes - at) : PART;
        crc = crc32(crc, (const Bytef *)a->data + at, part);
        at += part;
        TRY(rk_progress(env, "write", 0, 0));
    }
    m->crc = (uint32_t)crc;
done:
    return status;
}

static rkhs_status write_member(const rk_archive *archive, writer *w, member *m) {
    rkhs_status status = RKHS_OK;
    TRY(prepare(archive->env, m));
    m->offset = w->at;
    TRY(write_local(archive, w, m));
    TRY(emit(w, m->header, m->header_size));
    uint64_t bytes = m->size - m->header_size;
    if (m->array.type == 'S' && m->array.shape[0] == 0)
        TRY(emit(w, "", 1));
    else if (bytes)
        TRY(emit(w, m->array.data, bytes));
done:
    return status;
}

static rkhs_status write_central(const rk_archive *archive, writer *w, const member *m) {
    unsigned char b[CENTRAL + 256 + 32], *to = b;
    uint64_t size = narrow(archive, m->size), offset = narrow(archive, m->offset);
    int wide_size = size == 0xffffffffu, wide_offset = offset == 0xffffffffu;
    int extra = 16 * wide_size + 8 * wide_offset;
    int version = extra ? 45 : 20;
    size_t name = strlen(m->name) + 4;
    to = number(to, 0x02014b50, 4);
    to = number(number(to, (uint64_t)version, 2), (uint64_t)version, 2);
    to = common(to, m, size);
    to = number(to, name, 2);
    to = number(to, extra ? (uint64_t)extra + 4 : 0, 2);
    to = number(number(to, 0, 4), 0, 6); /* comment, disk, attributes */
    to = number(to, offset, 4);
    memcpy(to, m->name, name - 4);
    memcpy(to + name - 4, ".npy", 4);
    to += name;
    if (extra) {
        to = number(to, 1, 2);
        to = number(to, (uint64_t)extra, 2);
    }
    if (wide_size) to = number(number(to, m->size, 8), m->size, 8);
    if (wide_offset) to = number(to, m->offset, 8);
    return emit(w, b, (size_t)(to - b));
}

/* The end record up to its comment; before it the ZIP64 one, where needed. */
static rkhs_status write_end(const rk_archive *archive, writer *w, uint64_t start) {
    unsigned char b[END64 + LOCATOR + END], *to = b;
    uint64_t count = (uint64_t)archive->count, size = w->at - start, end64 = w->at;
    int wide = size >= archive->zip64 || start >= archive->zip64;
    if (wide) {
        to = number(to, 0x06064b50, 4);
        to = number(to, END64 - 12, 8);
        to = number(number(to, 45, 2), 45, 2);
        to = number(number(to, 0, 4), 0, 4);
        to = number(number(to, count, 8), count, 8);
        to = number(number(to, size, 8), start, 8);
        to = number(number(to, 0x07064b50, 4), 0, 4);
        to = number(number(to, end64, 8), 1, 4);
    }
    to = number(to, 0x06054b50, 4);
    to = number(number(to, 0, 2), 0, 2);
    to = number(number(to, count, 2), count, 2);
    to = number(to, narrow(archive, size), 4);
    to = number(to, narrow(archive, start), 4);
    to = number(to, COMMENT, 2);
    return emit(w, b, (size_t)(to - b));
}

rkhs_status rk_archive_write_to(rk_archive *archive, rk_output *out) {
    rkhs_status status = RKHS_OK;
    writer w = {out, FNV_START, 0};
    char comment[COMMENT + 1];
    for (int64_t i = 0; i < archive->count; i++) TRY(write_member(archive, &w, &archive->members[i]));
    uint64_t start = w.at;
    for (int64_t i = 0; i < archive->count; i++) TRY(write_central(archive, &w, &archive->members[i]));
    TRY(write_end(archive, &w, start));
    snprintf(comment, sizeof comment, "%s%016llx", mark, (unsigned long long)w.hash);
    TRY(rk_output_write(out, comment, COMMENT));
done:
    return status;
}

rkhs_status rk_archive_write(rk_archive *archive, const char *path) {
    rkhs_status status = RKHS_OK;
    rk_output *out = NULL;
    TRY(rk_output_open(archive->env, path, &out));
    TRY(rk_archive_write_to(archive, out));
    TRY(rk_output_commit(out));
done:
    rk_output_free(out);
    return status;
}

/* ---- read ------------------------------------------------------------------------------------------------------ */

/* Fails for a file whose checksum is right but whose structure is not: it was not written by this library. */
static rkhs_status malformed(const rk_archive *archive, const char *why) {
    return rk_fail(archive->env, RKHS_ERR_FORMAT, "%s: the file is not a whole rkhs model file (%s): make it again",
                   archive->path, why);
}

/* Checks that the archive comment is ours, and its checksum right. */
static rkhs_status verify_checksum(const rk_archive *archive) {
    rkhs_env *env = archive->env;
    const char *path = archive->path;
    if (archive->length == 0) return rk_fail(env, RKHS_ERR_FORMAT, "%s: the file is empty: copy or make it again", path);
    size_t prefix = sizeof mark - 1, body = archive->length < END + COMMENT ? 0 : archive->length - COMMENT;
    const char *comment = archive->bytes + body;
    int ours = body > 0 && memcmp(comment, mark, prefix) == 0;
    uint64_t wanted = 0, hash = FNV_START;
    for (size_t i = prefix; ours && i < COMMENT; i++) {
        char c = comment[i];
        ours = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        wanted = wanted << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (!ours && archive->length >= 4 && memcmp(archive->bytes, "PK\3\4", 4) == 0)
        return rk_fail(
            env, RKHS_ERR_FORMAT,
            "%s: this is not an rkhs model file, or one that is damaged (its last bytes are not a checksum): copy it again",
            path);
    if (!ours) return rk_fail_hint(env, RKHS_ERR_FORMAT, "model", "%s: this is not an rkhs model file: give one", path);
    for (size_t at = 0, part; at < body; at += part) {
        part = body - at < PART ? body - at : PART;
        hash = checksum_of(hash, archive->bytes + at, part);
        rkhs_status status = rk_progress(env, "read", (int64_t)at, (int64_t)archive->length);
        if (status != RKHS_OK) return status;
    }
    if (hash != wanted)
        return rk_fail(env, RKHS_ERR_FORMAT, "%s: the file is damaged (its checksum does not match): copy it again", path);
    return RKHS_OK;
}

/* Points an array to its data in the file, or to a copy where these are not aligned. */
static rkhs_status point_to_data(rk_archive *archive, member *m, const char *data, uint64_t size) {
    m->array.data = data;
    if (m->array.type == 'S' || (uintptr_t)data % 8 == 0) return RKHS_OK;
    rkhs_status status = rk_alloc(archive->env, (int64_t)size, 1, &m->owned);
    if (status != RKHS_OK) return status;
    memcpy(m->owned, data, size);
    m->array.data = m->owned;
    return RKHS_OK;
}

/* Parses a .npy file of `size` bytes. */
static rkhs_status read_array(rk_archive *archive, member *m, const char *bytes, uint64_t size) {
    rkhs_status status = RKHS_OK;
    char where[1024];
    rk_npy npy;
    snprintf(where, sizeof where, "%.600s: the array '%s'", archive->path, m->name);
    TRY(rk_npy_parse_header(archive->env, where, bytes, size, &npy));
    int text = npy.kind == 'S' && npy.ndim == 0 && npy.size > 0;
    int numbers = (npy.size == 8 && npy.kind == 'i') || ((npy.size == 8 || npy.size == 4) && npy.kind == 'f');
    if (!text && !(numbers && npy.order == '<' && npy.ndim <= 3))
        FAIL(archive->env, RKHS_ERR_FORMAT, "%s is of a type that model files do not have: make the file again", where);
    if (npy.fortran && npy.ndim > 1) FAIL(archive->env, RKHS_ERR_FORMAT, "%s is in Fortran order: make the file again", where);
    if ((uint64_t)npy.count * (uint64_t)npy.size != size - (uint64_t)npy.offset)
        FAIL(archive->env, RKHS_ERR_FORMAT, "%s has another size than its header says: make the file again", where);
    const char *data = bytes + npy.offset;
    m->array.type = text ? 'S' : npy.kind == 'i' ? 'q' : npy.size == 4 ? 'f' : 'd';
    m->array.ndim = text ? 1 : npy.ndim;
    for (int i = 0; !text && i < npy.ndim; i++) m->array.shape[i] = npy.shape[i];
    if (text) {
        int64_t length = npy.size;
        while (length > 0 && !data[length - 1]) length--; /* NumPy drops trailing zeros of bytes */
        m->array.shape[0] = length;
    }
    TRY(point_to_data(archive, m, data, (uint64_t)npy.count * (uint64_t)npy.size));
done:
    return status;
}

static rkhs_status read_member(rk_archive *archive, rk_zip *zip) {
    rkhs_status status = RKHS_OK;
    rk_zip_entry e;
    member *m;
    const char *why = rk_zip_next(zip, &e);
    if (why) return malformed(archive, why);
    if (e.flags || e.method) return malformed(archive, "an entry is compressed");
    if (e.size != e.stored || !e.headers_agree) return malformed(archive, "an entry is described in two ways");
    if (e.gap || e.extra > ZIP64_EXTRA + 2 * ALIGN) return malformed(archive, "bytes between two entries");
    size_t name = e.name_length;
    if (name < 5 || memcmp(e.name + name - 4, ".npy", 4) != 0 || !good_name(e.name, name - 4))
        return malformed(archive, "a name");
    TRY(add_member(archive, e.name, name - 4, &m));
    if (!m) return malformed(archive, "a name twice");
    TRY(read_array(archive, m, (const char *)e.data, e.size));
done:
    return status;
}

static rkhs_status read_members(rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    rk_zip zip;
    TRY(verify_checksum(archive));
    const char *why = rk_zip_open(&zip, archive->bytes, archive->length);
    if (!why && zip.comment != COMMENT) why = "no end record";
    if (why) {
        status = malformed(archive, why);
        goto done;
    }
    while (zip.count > 0) TRY(read_member(archive, &zip));
    if (zip.reached != zip.start) status = malformed(archive, "bytes after the last entry");
done:
    return status;
}

rkhs_status rk_archive_read(rkhs_env *env, const char *path, rk_archive **out) {
    rkhs_status status = RKHS_OK;
    rk_archive *archive = NULL;
    rk_input *in = NULL;
    *out = NULL;
    TRY(rk_archive_new(env, &archive));
    TRY(rk_input_open(env, path, &in));
    TRY(rk_strdup(env, rk_input_name(in), &archive->path));
    TRY(rk_input_read_all(in, &archive->bytes, &archive->length));
    TRY(read_members(archive));
    *out = archive;
    archive = NULL;
done:
    rk_input_close(in);
    rk_archive_free(archive);
    return status;
}

rkhs_status rk_archive_parse(rkhs_env *env, const void *bytes, size_t length, rk_archive **out) {
    rkhs_status status = RKHS_OK;
    rk_archive *archive = NULL;
    *out = NULL;
    TRY(rk_archive_new(env, &archive));
    TRY(rk_strdup(env, "the bytes given", &archive->path));
    TRY(rk_alloc(env, (int64_t)length + 1, 1, &archive->bytes)); /* a zero byte follows, as in rk_input_read_all */
    memcpy(archive->bytes, bytes, length);
    archive->length = length;
    TRY(read_members(archive));
    *out = archive;
    archive = NULL;
done:
    rk_archive_free(archive);
    return status;
}

/* ---- get ------------------------------------------------------------------------------------------------------- */

int64_t rk_archive_count(const rk_archive *archive) { return archive->count; }

const char *rk_archive_name(const rk_archive *archive, int64_t i) {
    return i >= 0 && i < archive->count ? archive->members[i].name : NULL;
}

char rk_archive_type(const rk_archive *archive, int64_t i) {
    return i >= 0 && i < archive->count ? archive->members[i].array.type : 0;
}

char rk_archive_type_of(const rk_archive *archive, const char *name) {
    const member *m = find_member(archive, name);
    return m ? m->array.type : 0;
}

int rk_archive_has(const rk_archive *archive, const char *name) { return find_member(archive, name) != NULL; }

const char *rk_archive_path(const rk_archive *archive) { return archive->path ? archive->path : ""; }

rkhs_status rk_archive_get(rk_archive *archive, const char *name, char type, int ndim, rk_array *a) {
    const member *m = find_member(archive, name);
    if (!m) return rk_fail(archive->env, RKHS_ERR_FORMAT, "the array '%.80s' is missing: make the file again", name);
    int fits = m->array.type == type && (type == 'S' || ndim < 0 || ndim == m->array.ndim);
    if (!fits)
        return rk_fail(archive->env, RKHS_ERR_FORMAT,
                       "the array '%.80s' has another type or shape than it should: make the file again", name);
    *a = m->array;
    return RKHS_OK;
}

/* Texts in the file are not terminated by a zero, so the first call makes a copy that the archive keeps. */
rkhs_status rk_archive_get_text(rk_archive *archive, const char *name, const char **text) {
    rkhs_status status = RKHS_OK;
    rk_array a;
    char *copy = NULL;
    *text = NULL;
    TRY(rk_archive_get(archive, name, 'S', -1, &a));
    size_t length = (size_t)a.shape[0];
    if (length && memchr(a.data, 0, length))
        FAIL(archive->env, RKHS_ERR_FORMAT, "the text '%.80s' has a zero byte: make the file again", name);
    member *m = find_member(archive, name);
    if (!m->owned) {
        TRY(rk_alloc(archive->env, a.shape[0] + 1, 1, &copy));
        if (length) memcpy(copy, a.data, length);
        m->owned = copy;
        m->array.data = copy;
    }
    *text = m->owned;
done:
    return status;
}

rkhs_status rk_archive_get_int(rk_archive *archive, const char *name, int64_t *value) {
    rk_array a;
    rkhs_status status = rk_archive_get(archive, name, 'q', 0, &a);
    if (status == RKHS_OK) memcpy(value, a.data, 8);
    return status;
}

rkhs_status rk_archive_get_real(rk_archive *archive, const char *name, double *value) {
    rk_array a;
    rkhs_status status = rk_archive_get(archive, name, 'd', 0, &a);
    if (status == RKHS_OK) memcpy(value, a.data, 8);
    return status;
}

void rk_archive_free(rk_archive *archive) {
    if (!archive) return;
    for (int64_t i = 0; i < archive->count; i++) {
        rk_free(archive->env, archive->members[i].name);
        rk_free(archive->env, archive->members[i].owned);
    }
    rk_free(archive->env, archive->members);
    rk_free(archive->env, archive->sorted);
    rk_free(archive->env, archive->bytes);
    rk_free(archive->env, archive->path);
    rk_free(archive->env, archive);
}
