/* png.c: reads the format "png": one image, or a folder of images of one size with an optional table of labels.
 *
 * libpng decodes the image from memory. Its allocations count against the memory limit, and it skips chunks that do
 * not concern pixels, so that a hostile file reaches little of its code. Its errors return by longjmp to `guarded`,
 * and nowhere else; that function has no local state to lose.
 *
 * 8-bit grey, RGB and RGBA are read, and grey of 1, 2 or 4 bits, scaled to 0 .. 255. Palettes, 16 bits, interlacing
 * and grey with opacity are refused, with advice. */
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MAX_PACKED = 1032 }; /* largest compression ratio of deflate */

/* A PNG file that is being decoded. */
typedef struct picture {
    rkhs_env *env;
    const char *name;
    const char *at, *end; /* the bytes that libpng has not read yet */
    png_structp png;
    png_infop info;
    png_uint_32 h, w;
    int depth, colour, interlace;
    int64_t c;
    png_bytep row; /* w * c bytes */
    double *to;    /* the result, h x w x c numbers */
    rkhs_status status;
    char why[128];
    jmp_buf jump;
} picture;

/* ---- callbacks of libpng --------------------------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp text) {
    picture *p = png_get_error_ptr(png);
    snprintf(p->why, sizeof p->why, "%.100s", text);
    longjmp(p->jump, 1);
}

static void on_warning(png_structp png, png_const_charp text) { (void)png, (void)text; }

static png_voidp take_memory(png_structp png, png_alloc_size_t bytes) {
    picture *p = png_get_mem_ptr(png);
    void *room = NULL;
    rkhs_status status = rk_alloc(p->env, bytes > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)bytes, 1, &room);
    if (status != RKHS_OK) p->status = status;
    return status == RKHS_OK ? room : NULL;
}

static void give_memory(png_structp png, png_voidp room) { rk_free(((picture *)png_get_mem_ptr(png))->env, room); }

static void take_bytes(png_structp png, png_bytep to, size_t count) {
    picture *p = png_get_io_ptr(png);
    if ((size_t)(p->end - p->at) < count) png_error(png, "it ends early");
    memcpy(to, p->at, count);
    p->at += count;
}

/* ---- steps that libpng may leave by longjmp -------------------------------------------------------------------- */

/* Runs a step. Returns 0 if libpng failed, or an allocation failed and libpng went on without it. */
static int guarded(picture *p, void (*step)(picture *)) {
    if (setjmp(p->jump)) return 0;
    step(p);
    return p->status == RKHS_OK;
}

/* Reads the header and the chunks before the pixels. */
static void step_header(picture *p) {
    static const png_byte skipped[] =
        "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0sCAL\0pHYs\0sBIT\0sPLT\0sRGB\0tEXt\0"
        "tIME\0tRNS\0zTXt";
    png_set_keep_unknown_chunks(p->png, PNG_HANDLE_CHUNK_NEVER, skipped, (int)(sizeof skipped / 5));
    png_set_crc_action(p->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(p->png, 0);
    png_set_read_fn(p->png, p, take_bytes);
    png_read_info(p->png, p->info);
    png_get_IHDR(p->png, p->info, &p->w, &p->h, &p->depth, &p->colour, &p->interlace, NULL, NULL);
}

/* Reads the pixels, row by row, and the end of the file. */
static void step_pixels(picture *p) {
    if (p->depth < 8) png_set_expand_gray_1_2_4_to_8(p->png);
    png_read_update_info(p->png, p->info);
    int64_t count = (int64_t)p->w * p->c;
    if (png_get_rowbytes(p->png, p->info) != (size_t)count) png_error(p->png, "its rows have another length");
    for (png_uint_32 y = 0; y < p->h; y++) {
        png_read_row(p->png, p->row, NULL);
        for (int64_t q = 0; q < count; q++) p->to[y * count + q] = p->row[q];
    }
    png_read_end(p->png, NULL);
}

/* ---- one file -------------------------------------------------------------------------------------------------- */

static void picture_close(picture *p) {
    if (p->png) png_destroy_read_struct(&p->png, &p->info, NULL);
    rk_free(p->env, p->row);
}

/* The status after `guarded` returned 0. A failed allocation has set its own message. */
static rkhs_status gave_up(const picture *p) {
    if (p->status != RKHS_OK) return p->status;
    return rk_fail(p->env, RKHS_ERR_FORMAT, "%s: the PNG file is damaged (%s): copy it, or save it, again", p->name, p->why);
}

/* Fails for the PNG variants that are not supported, and for a file too small for its number of pixels. */
static rkhs_status check_header(const picture *p, size_t length) {
    const char *what = p->colour == PNG_COLOR_TYPE_PALETTE      ? "has a palette: save it in grey or RGB"
                       : p->depth == 16                         ? "has 16 bits a channel: save it with 8"
                       : p->interlace != PNG_INTERLACE_NONE     ? "is interlaced: save it without interlacing"
                       : p->colour == PNG_COLOR_TYPE_GRAY_ALPHA ? "is grey with opacity: save it in grey, or in RGBA"
                                                                : NULL;
    if (what) return rk_fail(p->env, RKHS_ERR_DATA, "%s: the PNG file %s", p->name, what);
    if ((double)p->h * (double)p->w * (double)p->c * p->depth / 8 > (double)MAX_PACKED * (double)length)
        return rk_fail(
            p->env, RKHS_ERR_FORMAT,
            "%s: the PNG file is damaged (%s cannot hold the %lld x %lld pixels of its header): copy it, or save it, again",
            p->name, rk_counted(length, "byte").text, (long long)p->h, (long long)p->w);
    return RKHS_OK;
}

/* Reads and checks the header of the file in [bytes, bytes + length). picture_close must follow, even on failure. */
static rkhs_status picture_open(rkhs_env *env, const char *name, const char *bytes, size_t length, picture *p) {
    rkhs_status status = RKHS_OK;
    *p = (picture){.env = env, .name = name, .at = bytes, .end = bytes + length};
    if (length == 0) FAIL(env, RKHS_ERR_DATA, "%s: the file is empty: give a file with data", name);
    if (length < 8 || png_sig_cmp((png_const_bytep)bytes, 0, 8) != 0)
        FAIL(env, RKHS_ERR_FORMAT, "%s: this is not a PNG file (it does not begin as one): save it as PNG, or leave it out",
             name);
    p->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, p, on_error, on_warning, p, take_memory, give_memory);
    if (p->png) p->info = png_create_info_struct(p->png);
    if (!p->info && p->status != RKHS_OK) return p->status;
    if (!p->info) FAIL(env, RKHS_ERR_BUG, "%s: libpng %s cannot be used", name, png_get_libpng_ver(NULL));
    if (!guarded(p, step_header)) return gave_up(p);
    p->c = p->colour == PNG_COLOR_TYPE_GRAY ? 1 : p->colour == PNG_COLOR_TYPE_RGB ? 3 : 4;
    TRY(check_header(p, length));
done:
    return status;
}

/* Reads the pixels of an open file. */
static rkhs_status picture_read(picture *p, double *to) {
    rkhs_status status = rk_alloc(p->env, (int64_t)p->w * p->c, 1, &p->row);
    p->to = to;
    if (status == RKHS_OK && !guarded(p, step_pixels)) status = gave_up(p);
    return status;
}

static rkhs_status read_png(rkhs_env *env, const void *self, rk_input *in, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    picture p = {.env = env};
    rkhs_data *x = NULL;
    char *bytes = NULL;
    size_t length;
    double *to;
    TRY(rk_input_read_all(in, &bytes, &length));
    TRY(picture_open(env, rk_input_name(in), bytes, length, &p));
    TRY(rk_image_check(env, p.name, 1, p.h, p.w, p.c));
    TRY(rk_data_image_new(env, 1, p.h, p.w, p.c, &to, &x));
    TRY(picture_read(&p, to));
    *out = x;
    x = NULL;
done:
    picture_close(&p);
    rkhs_data_free(x);
    rk_free(env, bytes);
    return status;
}

static rkhs_status read_labels_png(rkhs_env *env, const void *self, rk_input *in, rkhs_data **out) {
    return rk_fail(env, RKHS_ERR_DATA, "%s: an image holds no labels: give a table of them", rk_input_name(in));
}

/* ---- a folder -------------------------------------------------------------------------------------------------- */

/* A file name, and its row in the table of labels. */
typedef struct named {
    const char *name;
    int64_t row;
} named;

/* The PNG files of a folder, in byte order of their names. */
typedef struct listing {
    const char *path;
    char *names; /* all names, each zero-terminated */
    named *file;
    int64_t count;
    char *full; /* buffer for the path of any of them */
    size_t room;
} listing;

static int by_name(const void *a, const void *b) { return strcmp(((const named *)a)->name, ((const named *)b)->name); }

static int is_png(const char *name) {
    size_t length = strlen(name);
    return name[0] != '.' && length > 4 && strcasecmp(name + length - 4, ".png") == 0;
}

/* Collects the names that end in .png, unsorted. */
static rkhs_status take_names(rkhs_env *env, DIR *dir, listing *l) {
    rkhs_status status = RKHS_OK;
    int64_t used = 0, held = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        int64_t length = (int64_t)strlen(e->d_name) + 1;
        if (!is_png(e->d_name)) continue;
        if (used + length > held) {
            held = 2 * (used + length);
            TRY(rk_realloc(env, held, 1, &l->names));
        }
        memcpy(l->names + used, e->d_name, (size_t)length);
        used += length;
        l->count++;
    }
done:
    return status;
}

static rkhs_status list_folder(rkhs_env *env, const char *path, listing *l) {
    rkhs_status status = RKHS_OK;
    char why[128];
    DIR *dir = opendir(path);
    *l = (listing){.path = path, .room = strlen(path) + 16};
    if (!dir) FAIL(env, RKHS_ERR_IO, "cannot read the folder %s: %s", path, rk_error_text(errno, why));
    TRY(take_names(env, dir, l));
    if (!l->count)
        FAIL(env, RKHS_ERR_DATA, "%s: there is no PNG file in this folder: name a file, or a folder of .png files", path);
    TRY(rk_alloc(env, l->count, sizeof *l->file, &l->file));
    const char *at = l->names;
    for (int64_t i = 0; i < l->count; i++, at += strlen(at) + 1) {
        l->file[i].name = at;
        if (strlen(path) + strlen(at) + 2 > l->room) l->room = strlen(path) + strlen(at) + 2;
    }
    qsort(l->file, (size_t)l->count, sizeof *l->file, by_name);
    TRY(rk_alloc(env, (int64_t)l->room, 1, &l->full));
done:
    if (dir) closedir(dir);
    return status;
}

static void list_free(rkhs_env *env, listing *l) {
    rk_free(env, l->names);
    rk_free(env, l->file);
    rk_free(env, l->full);
}

/* The path of a file in the folder, valid until the next call. */
static const char *path_of(listing *l, const char *name) {
    size_t length = strlen(l->path);
    snprintf(l->full, l->room, "%s%s%s", l->path, length && l->path[length - 1] == '/' ? "" : "/", name);
    return l->full;
}

/* Reads image i. The first image decides the shape and allocates all. */
static rkhs_status read_file(rkhs_env *env, listing *l, int64_t i, double **to, rkhs_data **x) {
    rkhs_status status = RKHS_OK;
    picture p = {.env = env};
    rk_input *in = NULL;
    char *bytes = NULL;
    size_t length;
    TRY(rk_input_open(env, path_of(l, l->file[i].name), &in));
    TRY(rk_input_read_all(in, &bytes, &length));
    TRY(picture_open(env, rk_input_name(in), bytes, length, &p));
    if (i == 0) TRY(rk_image_check(env, l->path, l->count, p.h, p.w, p.c));
    if (i == 0) TRY(rk_data_image_new(env, l->count, p.h, p.w, p.c, to, x));
    const rk_image *first = rk_images(*x);
    if (first->h != p.h || first->w != p.w || first->c != p.c)
        FAIL(env, RKHS_ERR_DATA,
             "%s: %s is %lld x %lld x %lld, and %s is %lld x %lld x %lld (height, width, channels): bring all to one size and "
             "form",
             l->path, l->file[0].name, (long long)first->h, (long long)first->w, (long long)first->c, l->file[i].name,
             (long long)p.h, (long long)p.w, (long long)p.c);
    TRY(picture_read(&p, *to + i * (*x)->columns));
    TRY(rk_progress(env, "read", i + 1, l->count));
done:
    picture_close(&p);
    rk_free(env, bytes);
    rk_input_close(in);
    return status;
}

/* The labels in the order of the files. Fails unless every file has exactly one row in the table, and vice versa. */
static rkhs_status match_labels(rkhs_env *env, const listing *l, const char *name, const rkhs_data *table, rkhs_data **labels) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    named *row;
    int64_t *index;
    TRY(rk_scratch(env, table->rows, sizeof *row, &row));
    TRY(rk_scratch(env, l->count, sizeof *index, &index));
    for (int64_t i = 0; i < table->rows; i++) row[i] = (named){rk_string_of(table, i, NULL), i};
    qsort(row, (size_t)table->rows, sizeof *row, by_name);
    for (int64_t i = 1; i < table->rows; i++)
        if (by_name(&row[i - 1], &row[i]) == 0)
            FAIL(env, RKHS_ERR_DATA, "%s: the file '%.200s' has more than one row: leave one", name, row[i].name);
    for (int64_t i = 0; i < table->rows; i++)
        if (!bsearch(&row[i], l->file, (size_t)l->count, sizeof *row, by_name))
            FAIL(env, RKHS_ERR_DATA, "%s: there is no file '%.200s' in the folder: correct its name, or leave out the row",
                 name, row[i].name);
    for (int64_t i = 0; i < l->count; i++) {
        const named *found = bsearch(&l->file[i], row, (size_t)table->rows, sizeof *row, by_name);
        if (!found)
            FAIL(env, RKHS_ERR_DATA, "%s: the file '%.200s' has no row: add one, or leave out the file", name, l->file[i].name);
        index[i] = found->row;
    }
    TRY(rk_data_subset(table->labels, index, l->count, labels));
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Reads labels.csv or labels.tsv in the folder, with columns file and label. *labels stays NULL if there is none. */
static rkhs_status read_folder_labels(rkhs_env *env, listing *l, rkhs_data **labels) {
    rkhs_status status = RKHS_OK;
    const char *path = path_of(l, "labels.csv");
    rkhs_data *table = NULL;
    rk_input *in = NULL;
    rk_spec *spec = NULL;
    if (access(path, F_OK) != 0) path = path_of(l, "labels.tsv");
    if (access(path, F_OK) != 0) return RKHS_OK;
    TRY(rk_spec_new(env, &rk_formats, "csv(text=file, label=label)", &spec));
    TRY(rk_input_open(env, path, &in));
    TRY(rk_format_csv.read(env, spec->self, in, RK_KIND_STRING, &table));
    TRY(match_labels(env, l, rk_input_name(in), table, labels));
done:
    rkhs_data_free(table);
    rk_spec_free(env, spec);
    rk_input_close(in);
    return status;
}

static rkhs_status read_folder_png(rkhs_env *env, const void *self, const char *path, unsigned kinds, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    listing l = {.path = path};
    rkhs_data *x = NULL;
    double *to = NULL;
    TRY(list_folder(env, path, &l));
    for (int64_t i = 0; i < l.count; i++) TRY(read_file(env, &l, i, &to, &x));
    TRY(read_folder_labels(env, &l, &x->labels));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    list_free(env, &l);
    return status;
}

/* clang-format off */
const rk_format_type rk_format_png = {
    .entry = {.name = "png",
              .brief = "an image, or a folder of images of one size, read in the order of their names; labels in a file "
                       "labels.csv in the folder, with the columns file and label"},
    .endings = ".png", .kinds = RK_KIND_IMAGE, .magic = "\x89PNG\r\n\x1a\n", .read_folder = read_folder_png,
    .read = read_png, .read_labels = read_labels_png,
};
/* clang-format on */
