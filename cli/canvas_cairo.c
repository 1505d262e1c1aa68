/* canvas_cairo.c: the canvas that paints PNG (at twice the resolution) and PDF with cairo and Pango.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Both are loaded at run time, and only for such a picture: they bring about twenty libraries, which would slow down
 * every other run of the tool. The bytes are collected in memory; the file is written as all others are. */
#include "plot.h"

#ifdef RKHS_PANGO

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ZOOM = 2 };

#define FUNCTIONS(X)                                                                                                           \
    X(image_surface_create)                                                                                                    \
    X(image_surface_create_for_data)                                                                                           \
    X(format_stride_for_width)                                                                                                 \
    X(surface_write_to_png_stream)                                                                                             \
    X(pdf_surface_create_for_stream)                                                                                           \
    X(pdf_surface_set_metadata)                                                                                                \
    X(surface_finish)                                                                                                          \
    X(surface_destroy)                                                                                                         \
    X(surface_status)                                                                                                          \
    X(create)                                                                                                                  \
    X(destroy) X(status) X(save) X(restore) X(translate) X(rotate) X(scale) X(set_source_rgba) X(set_line_width)               \
        X(set_line_join) X(set_line_cap) X(new_path) X(new_sub_path) X(move_to) X(line_to) X(close_path) X(arc) X(rectangle)   \
            X(fill) X(fill_preserve) X(stroke) X(paint) X(set_source_surface) X(get_source) X(pattern_set_filter)              \
                X(status_to_string)

/* The functions that are used, without their prefix cairo_. */
#define MEMBER(f) __typeof__(&cairo_##f) f;
static struct { FUNCTIONS(MEMBER) } cairo;

/* Pango lays out text: it chooses fonts, joins letters and orders them by direction. These functions have not changed
 * since 2019 (1.44); they are declared here, so that no headers are needed. */
typedef struct pango_box {
    int x, y, width, height; /* in 1/1024 of a pixel */
} pango_box;
enum { PANGO_UNITS = 1024, PANGO_NORMAL = 400, PANGO_BOLD = 700 };

#define PANGO_FUNCTIONS(X)                                                                                                     \
    X(void *, cairo_create_layout, (cairo_t *))                                                                                \
    X(void, cairo_update_layout, (cairo_t *, void *layout))                                                                    \
    X(void, cairo_show_layout_line, (cairo_t *, void *line))                                                                   \
    X(void *, layout_get_context, (void *layout))                                                                              \
    X(void, layout_set_font_description, (void *layout, const void *font))                                                     \
    X(void, layout_set_text, (void *layout, const char *, int length))                                                         \
    X(void, layout_set_single_paragraph_mode, (void *layout, int))                                                             \
    X(int, layout_get_unknown_glyphs_count, (void *layout))                                                                    \
    X(void *, layout_get_line_readonly, (void *layout, int))                                                                   \
    X(void, layout_line_get_extents, (void *line, pango_box *ink, pango_box *logical))                                         \
    X(void, context_set_round_glyph_positions, (void *context, int))                                                           \
    X(void *, context_load_font, (void *context, const void *font))                                                            \
    X(void *, font_description_from_string, (const char *))                                                                    \
    X(void, font_description_set_absolute_size, (void *font, double))                                                          \
    X(void, font_description_set_weight, (void *font, int))                                                                    \
    X(void, font_description_free, (void *font))

#define PANGO_MEMBER(result, f, arguments) result(*f) arguments;
static struct { PANGO_FUNCTIONS(PANGO_MEMBER) } pango;
static void (*unref)(void *object);

/* Finds all functions. Returns 0 if a library is missing. Pango's library brings cairo and GLib. */
static int load_cairo(void) {
    void *library = dlopen(RKHS_PANGO, RTLD_NOW | RTLD_LOCAL), *found;
    if (library == NULL) return 0;
#define FIND(to, name)                                                                                                         \
    found = dlsym(library, name);                                                                                              \
    if (found == NULL) return 0;                                                                                               \
    memcpy(&(to), &found, sizeof found);
#define FIND_CAIRO(f) FIND(cairo.f, "cairo_" #f)
#define FIND_PANGO(result, f, arguments) FIND(pango.f, "pango_" #f)
    FUNCTIONS(FIND_CAIRO)
    PANGO_FUNCTIONS(FIND_PANGO)
    FIND(unref, "g_object_unref")
    return 1;
}

#ifdef __SANITIZE_ADDRESS__
/* These libraries cache memory until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libfontconfig\nleak:libpango\nleak:libglib\nleak:libgobject\n"; }
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }
#endif

typedef struct painter {
    const cli *c;
    cairo_surface_t *surface;
    cairo_t *cr;
    void *layout, *font; /* Pango's */
    int unknown;         /* letters that no font has */
    char fill[8];        /* of the group */
} painter;

static cairo_t *cr_of(canvas *v) { return ((painter *)v->state)->cr; }

/* Appends bytes of the file. */
static cairo_status_t take_bytes(void *closure, const unsigned char *bytes, unsigned count) {
    rk_text *t = closure;
    rk_text_add_bytes(t, bytes, count);
    return t->status != RKHS_OK ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static void set_colour(cairo_t *cr, const char *colour, double opacity) {
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    if (strlen(colour) == 4) rgb = (rgb >> 8 & 15) * 0x110000 + (rgb >> 4 & 15) * 0x1100 + (rgb & 15) * 0x11;
    cairo.set_source_rgba(cr, (double)(rgb >> 16 & 255) / 255, (double)(rgb >> 8 & 255) / 255, (double)(rgb & 255) / 255,
                          opacity);
}

static void paint_path(cairo_t *cr, const pen *p) {
    if (p->fill != NULL) {
        set_colour(cr, p->fill, p->opacity > 0 ? p->opacity : 1);
        cairo.fill_preserve(cr);
    }
    if (p->stroke != NULL) {
        set_colour(cr, p->stroke, 1);
        cairo.set_line_width(cr, p->width > 0 ? p->width : 1);
        cairo.stroke(cr);
    }
    cairo.new_path(cr);
}

static void set_metadata(canvas *v, cairo_pdf_metadata_t which, const char *s) {
    rk_text plain = {.env = v->out.env};
    text_plain(&plain, s, 500);
    if (plain.status != RKHS_OK) v->out.status = plain.status;
    if (plain.status == RKHS_OK) cairo.pdf_surface_set_metadata(((painter *)v->state)->surface, which, plain.s);
    rk_text_free(&plain);
}

/* Makes the layout and the font. Returns 0 if there is no font at all. */
static int find_font(canvas *v) {
    painter *p = v->state;
    p->layout = pango.cairo_create_layout(p->cr);
    p->font = pango.font_description_from_string("Helvetica, Arial, sans-serif");
    pango.font_description_set_absolute_size(p->font, LETTER * PANGO_UNITS);
    void *context = pango.layout_get_context(p->layout), *font = pango.context_load_font(context, p->font);
    if (font == NULL) return 0;
    unref(font);
    pango.context_set_round_glyph_positions(context, 0);
    pango.layout_set_single_paragraph_mode(p->layout, 1);
    return 1;
}

static void begin_cairo(canvas *v, double width, double height, const char *title, const char *about) {
    painter *p = v->state;
    if (v->pdf) { /* a pixel is 3/4 of a point, as in a browser */
        p->surface = cairo.pdf_surface_create_for_stream(take_bytes, &v->out, 0.75 * width, 0.75 * height);
        set_metadata(v, CAIRO_PDF_METADATA_TITLE, title);
        set_metadata(v, CAIRO_PDF_METADATA_SUBJECT, about);
        /* a fixed date, so that the same picture has the same bytes */
        cairo.pdf_surface_set_metadata(p->surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    } else {
        p->surface = cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)(ZOOM * width), (int)(ZOOM * height));
    }
    p->cr = cairo.create(p->surface);
    double zoom = v->pdf ? 0.75 : ZOOM;
    cairo.scale(p->cr, zoom, zoom);
    cairo.set_source_rgba(p->cr, 1, 1, 1, 1);
    cairo.paint(p->cr);
    cairo.set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    cairo.set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    if (!find_font(v)) v->failure = "there is no font on this machine: install one (fonts-dejavu-core), or write .svg";
}

/* A long line is painted in parts: cairo's search for self-intersections takes quadratic time. */
static void lines_cairo(canvas *v, const double *xy, int count, int joined, const pen *p) {
    enum { PART = 512 };
    cairo_t *cr = cr_of(v);
    for (int i = 0; i < count; i++) {
        if (i == 0 || (!joined && i % 2 == 0))
            cairo.move_to(cr, xy[2 * i], xy[2 * i + 1]);
        else
            cairo.line_to(cr, xy[2 * i], xy[2 * i + 1]);
        if (p->fill != NULL || i % PART != PART - 1 || i + 1 == count) continue;
        paint_path(cr, p);
        if (joined) cairo.move_to(cr, xy[2 * i], xy[2 * i + 1]);
    }
    paint_path(cr, p);
}

static void rect_cairo(canvas *v, const frame *f, const pen *p) {
    cairo.rectangle(cr_of(v), f->left, f->top, f->width, f->height);
    paint_path(cr_of(v), p);
}

/* Lays out a text, and returns its width. */
static double set_text(painter *p, const char *s, double size, int bold) {
    pango_box logical;
    pango.font_description_set_absolute_size(p->font, size * PANGO_UNITS);
    pango.font_description_set_weight(p->font, bold ? PANGO_BOLD : PANGO_NORMAL);
    pango.layout_set_font_description(p->layout, p->font);
    pango.layout_set_text(p->layout, s, -1);
    pango.cairo_update_layout(p->cr, p->layout);
    pango.layout_line_get_extents(pango.layout_get_line_readonly(p->layout, 0), NULL, &logical);
    return (double)logical.width / PANGO_UNITS;
}

/* Paints a text whose baseline begins at (x, y). */
static void paint_text(painter *p, const char *s, double size, int bold, double x, double y) {
    set_text(p, s, size, bold);
    p->unknown += pango.layout_get_unknown_glyphs_count(p->layout);
    cairo.move_to(p->cr, x, y);
    pango.cairo_show_layout_line(p->cr, pango.layout_get_line_readonly(p->layout, 0));
}

static void text_cairo(canvas *v, const words *w) {
    enum { SMALL = 10 };
    painter *p = v->state;
    cairo_t *cr = p->cr;
    rk_text main = {.env = v->out.env}, raised = main;
    double size = w->size > 0 ? w->size : LETTER;
    if (v->failure != NULL) return; /* no font */
    text_plain(&main, w->s, w->limit > 0 ? w->limit : 500);
    text_plain(&raised, w->raised != NULL ? w->raised : "", 20);
    if (main.status != RKHS_OK || raised.status != RKHS_OK) {
        v->out.status = RKHS_ERR_MEMORY;
        goto done;
    }
    cairo.save(cr);
    cairo.translate(cr, w->x, w->y);
    if (w->turned) cairo.rotate(cr, -acos(0));
    set_colour(cr, w->colour != NULL ? w->colour : "#222", 1);
    double width = set_text(p, main.s, size, w->bold), above = 0, total = width;
    if (w->raised != NULL) {
        above = set_text(p, raised.s, SMALL, w->bold);
        total += above + set_text(p, ")", size, w->bold);
    }
    double at = w->anchor == 'm' ? -total / 2 : w->anchor == 'e' ? -total : 0;
    paint_text(p, main.s, size, w->bold, at, 0);
    if (w->raised != NULL) {
        paint_text(p, raised.s, SMALL, w->bold, at + width, -4);
        paint_text(p, ")", size, w->bold, at + width + above, 0);
    }
    cairo.new_path(cr);
    cairo.restore(cr);
done:
    rk_text_free(&main);
    rk_text_free(&raised);
}

static void image_cairo(canvas *v, const frame *f, const image *i) {
    cairo_t *cr = cr_of(v);
    int stride = cairo.format_stride_for_width(CAIRO_FORMAT_RGB24, i->width);
    unsigned char *bytes = calloc((size_t)stride, (size_t)i->height);
    uint32_t colours[256];
    if (bytes == NULL) {
        v->out.status = RKHS_ERR_MEMORY;
        return;
    }
    for (uint32_t k = 0; k < 256; k++) {
        uint8_t rgb[3];
        scale_colour(k / 255.0, rgb);
        colours[k] = i->colours == IMAGE_SCALE ? (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2] : k << 16 | k << 8 | k;
    }
    for (int y = 0; y < i->height; y++) {
        for (int x = 0; x < i->width; x++) {
            const uint8_t *s = i->shade + ((size_t)y * (size_t)i->width + (size_t)x) * (i->colours == IMAGE_RGB ? 3 : 1);
            uint32_t colour = i->colours == IMAGE_RGB ? (uint32_t)s[0] << 16 | (uint32_t)s[1] << 8 | s[2] : colours[*s];
            memcpy(bytes + (size_t)y * (size_t)stride + 4 * (size_t)x, &colour, 4);
        }
    }
    cairo_surface_t *s = cairo.image_surface_create_for_data(bytes, CAIRO_FORMAT_RGB24, i->width, i->height, stride);
    cairo.save(cr);
    cairo.translate(cr, f->left, f->top);
    cairo.scale(cr, f->width / i->width, f->height / i->height);
    cairo.set_source_surface(cr, s, 0, 0);
    cairo.pattern_set_filter(cairo.get_source(cr), CAIRO_FILTER_NEAREST);
    cairo.rectangle(cr, 0, 0, i->width, i->height);
    cairo.fill(cr);
    cairo.restore(cr);
    cairo.surface_finish(s); /* the PDF has its own copy */
    cairo.surface_destroy(s);
    free(bytes);
}

static void group_cairo(canvas *v, const pen *p) {
    painter *mine = v->state;
    snprintf(mine->fill, sizeof mine->fill, "%s", p->fill);
    v->pen = *p;
    v->pen.fill = mine->fill;
}

static void mark_cairo(canvas *v, const double (*corner)[2], int corners, double x, double y, double r) {
    cairo_t *cr = cr_of(v);
    if (v->pen.dot > 0) { /* a line of length 0 with round ends */
        cairo.move_to(cr, x, y);
        cairo.close_path(cr);
        return;
    }
    if (corners == 0) {
        cairo.new_sub_path(cr);
        cairo.arc(cr, x, y, r, 0, 4 * acos(0));
    }
    for (int i = 0; i < corners; i++) {
        if (i == 0)
            cairo.move_to(cr, x + r * corner[i][0], y + r * corner[i][1]);
        else
            cairo.line_to(cr, x + r * corner[i][0], y + r * corner[i][1]);
    }
    cairo.close_path(cr);
    paint_path(cr, &v->pen);
}

static void group_end_cairo(canvas *v) {
    cairo_t *cr = cr_of(v);
    if (v->pen.dot > 0) {
        set_colour(cr, v->pen.fill, v->pen.opacity);
        cairo.set_line_width(cr, 2 * v->pen.dot);
        cairo.set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
        cairo.stroke(cr);
        cairo.set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    }
    v->pen = (pen){0};
}

static void end_cairo(canvas *v) {
    painter *p = v->state;
    if (v->failure != NULL) return;
    if (p->unknown > 0 && !p->c->quiet)
        say(p->c->command->name, "no font on this machine has some of the letters, which are drawn as boxes: install one that "
                                 "has them (fonts-noto), or write .svg");
    cairo_status_t status = cairo.status(p->cr);
    if (status == CAIRO_STATUS_SUCCESS && !v->pdf) status = cairo.surface_write_to_png_stream(p->surface, take_bytes, &v->out);
    cairo.surface_finish(p->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo.surface_status(p->surface);
    if (status != CAIRO_STATUS_SUCCESS) v->failure = cairo.status_to_string(status);
}

static void release_cairo(canvas *v) {
    painter *p = v->state;
    if (p != NULL && p->layout != NULL) unref(p->layout);
    if (p != NULL && p->font != NULL) pango.font_description_free(p->font);
    if (p != NULL && p->cr != NULL) cairo.destroy(p->cr);
    if (p != NULL && p->surface != NULL) cairo.surface_destroy(p->surface);
    free(p);
    rk_text_free(&v->out);
}

static const canvas_type painted = {begin_cairo, lines_cairo, rect_cairo,      text_cairo, image_cairo,
                                    group_cairo, mark_cairo,  group_end_cairo, end_cairo,  release_cairo};

rkhs_status canvas_cairo(cli *c, const char *path, canvas *v) {
    if (!load_cairo())
        return refuse(c, EXIT_FAILED,
                      "%s: PNG and PDF are painted by " RKHS_PANGO ", which is not there: install it, or write .svg", path);
    painter *p = calloc(1, sizeof *p);
    if (p == NULL) return refuse(c, EXIT_FAILED, "no memory");
    p->c = c;
    v->state = p;
    v->type = &painted;
    return RKHS_OK;
}

#else

rkhs_status canvas_cairo(cli *c, const char *path, canvas *v) {
    (void)v;
    return refuse(c, EXIT_FAILED,
                  "%s: this rkhs was built without cairo, which paints PNG and PDF: build it with cairo, or write .svg", path);
}

#endif
