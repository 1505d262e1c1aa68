/* canvas_svg.c: the canvas that writes SVG. Written by hand, a file has a fifth of the bytes that a library would
 * write.  SPDX-License-Identifier: BSD-3-Clause */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Appends a coordinate with at most one decimal. */
static void add_number(rk_text *t, double value) {
    char digits[32], *at = digits + sizeof digits;
    long long tenths = llround(10 * fmin(1e9, fmax(-1e9, value))), left = tenths < 0 ? -tenths : tenths;
    if (left % 10 != 0) {
        *--at = (char)('0' + left % 10);
        *--at = '.';
    }
    left /= 10;
    do *--at = (char)('0' + left % 10);
    while ((left /= 10) > 0);
    if (tenths < 0) *--at = '-';
    rk_text_add_bytes(t, at, (size_t)(digits + sizeof digits - at));
}

static void add_string(rk_text *t, const char *s) { rk_text_add_bytes(t, s, strlen(s)); }

/* Appends name="value". */
static void add_member(rk_text *t, const char *name, double value) {
    add_string(t, " ");
    add_string(t, name);
    add_string(t, "=\"");
    add_number(t, value);
    add_string(t, "\"");
}

static void begin_svg(canvas *v, double width, double height, const char *title, const char *about) {
    rk_text *t = &v->out;
    rk_text_add(t,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" ",
                width, height, width, height);
    rk_text_add(t, "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"%d\" fill=\"#222\">\n<title>", LETTER);
    text_xml(t, title, 500);
    add_string(t, "</title>\n<desc>");
    text_xml(t, about, 500);
    add_string(t, "</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

static void add_pen(rk_text *t, const pen *p) {
    rk_text_add(t, " fill=\"%s\"", p->fill != NULL ? p->fill : "none");
    if (p->stroke != NULL) rk_text_add(t, " stroke=\"%s\"", p->stroke);
    if (p->stroke != NULL && p->width > 0) rk_text_add(t, " stroke-width=\"%.2g\"", p->width);
}

static void lines_svg(canvas *v, const double *xy, int count, int joined, const pen *p) {
    rk_text *t = &v->out;
    if (count < 2) return;
    add_string(t, "<path");
    add_pen(t, p);
    add_string(t, joined ? " stroke-linejoin=\"round\" d=\"" : " d=\"");
    for (int i = 0; i < count; i++) {
        add_string(t, i == 0 || (!joined && i % 2 == 0) ? "M" : "L");
        add_number(t, xy[2 * i]);
        add_string(t, " ");
        add_number(t, xy[2 * i + 1]);
    }
    add_string(t, "\"/>\n");
}

static void add_frame(rk_text *t, const frame *f) {
    add_member(t, "x", f->left);
    add_member(t, "y", f->top);
    add_member(t, "width", f->width);
    add_member(t, "height", f->height);
}

static void rect_svg(canvas *v, const frame *f, const pen *p) {
    add_string(&v->out, "<rect");
    add_frame(&v->out, f);
    add_pen(&v->out, p);
    add_string(&v->out, "/>\n");
}

static void text_svg(canvas *v, const words *w) {
    rk_text *t = &v->out;
    add_string(t, "<text");
    if (w->turned) {
        add_string(t, " transform=\"translate(");
        add_number(t, w->x);
        add_string(t, " ");
        add_number(t, w->y);
        add_string(t, ") rotate(-90)\"");
    } else {
        add_member(t, "x", w->x);
        add_member(t, "y", w->y);
    }
    if (w->size > 0) add_member(t, "font-size", w->size);
    if (w->bold) add_string(t, " font-weight=\"bold\"");
    if (w->anchor == 'm') add_string(t, " text-anchor=\"middle\"");
    if (w->anchor == 'e') add_string(t, " text-anchor=\"end\"");
    if (w->colour != NULL) rk_text_add(t, " fill=\"%s\"", w->colour);
    add_string(t, ">");
    text_xml(t, w->s, w->limit > 0 ? w->limit : 500);
    if (w->raised != NULL) {
        rk_text_add(t, "<tspan dy=\"-4\" font-size=\"10\">");
        text_xml(t, w->raised, 20);
        rk_text_add(t, "</tspan><tspan dy=\"4\">)</tspan>");
    }
    add_string(t, "</text>\n");
}

/* ---- images: PNG, embedded in the text ------------------------------------------------------------------------- */

static void put_big(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Appends one chunk of a PNG: length, name, bytes, checksum. */
static void add_chunk(rk_text *t, const char *name, const uint8_t *bytes, size_t count) {
    uint8_t word[4];
    put_big(word, (uint32_t)count);
    rk_text_add_bytes(t, (const char *)word, 4);
    rk_text_add_bytes(t, name, 4);
    rk_text_add_bytes(t, (const char *)bytes, count);
    uLong sum = crc32(crc32(0, (const Bytef *)name, 4), bytes, (uInt)count);
    if (count == 0) sum = crc32(0, (const Bytef *)name, 4);
    put_big(word, (uint32_t)sum);
    rk_text_add_bytes(t, (const char *)word, 4);
}

/* Appends an image as PNG: grey, RGB, or with the colour scale as palette. */
static void add_png(rk_text *t, const image *i) {
    static const uint8_t types[] = {[IMAGE_GREY] = 0, [IMAGE_SCALE] = 3, [IMAGE_RGB] = 2};
    size_t wide = (size_t)i->width * (i->colours == IMAGE_RGB ? 3 : 1), row = wide + 1, count = row * (size_t)i->height;
    uLongf packed = compressBound(count);
    uint8_t *plain = calloc(count, 1), *bytes = malloc(packed), head[13] = {0}, colours[256][3];
    if (plain == NULL || bytes == NULL) {
        t->status = RKHS_ERR_MEMORY;
        goto done;
    }
    for (int y = 0; y < i->height; y++) memcpy(plain + (size_t)y * row + 1, i->shade + (size_t)y * wide, wide);
    if (compress2(bytes, &packed, plain, count, 9) != Z_OK) t->status = RKHS_ERR_MEMORY;
    put_big(head, (uint32_t)i->width);
    put_big(head + 4, (uint32_t)i->height);
    head[8] = 8; /* bits */
    head[9] = types[i->colours];
    rk_text_add_bytes(t, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(t, "IHDR", head, sizeof head);
    for (int k = 0; k < 256; k++) scale_colour(k / 255.0, colours[k]);
    if (i->colours == IMAGE_SCALE) add_chunk(t, "PLTE", colours[0], sizeof colours);
    add_chunk(t, "IDAT", bytes, packed);
    add_chunk(t, "IEND", head, 0);
done:
    free(bytes);
    free(plain);
}

static void add_base64(rk_text *t, const uint8_t *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        if (i + 1 < count) three |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < count) three |= bytes[i + 2];
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], i + 1 < count ? digits[three >> 6 & 63] : '=',
                        i + 2 < count ? digits[three & 63] : '='};
        rk_text_add_bytes(t, four, 4);
    }
}

static void image_svg(canvas *v, const frame *f, const image *i) {
    rk_text png = {.env = v->out.env};
    add_png(&png, i);
    if (png.status != RKHS_OK) v->out.status = png.status;
    add_string(&v->out, "<image");
    add_frame(&v->out, f);
    add_string(&v->out, " preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" "
                        "xlink:href=\"data:image/png;base64,");
    if (png.status == RKHS_OK) add_base64(&v->out, (const uint8_t *)png.s, png.length);
    add_string(&v->out, "\"/>\n");
    rk_text_free(&png);
}

/* ---- marks ----------------------------------------------------------------------------------------------------- */

static void group_svg(canvas *v, const pen *p) {
    rk_text *t = &v->out;
    v->pen = *p;
    if (p->dot > 0) { /* all dots are one path: a line of length 0 with round ends is a dot */
        rk_text_add(
            t, "<path fill=\"none\" stroke=\"%s\" stroke-opacity=\"%.2f\" stroke-width=\"%.3g\" stroke-linecap=\"round\" d=\"",
            p->fill, p->opacity, 2 * p->dot);
        return;
    }
    add_string(t, "<g");
    add_pen(t, p);
    if (p->opacity > 0) rk_text_add(t, " fill-opacity=\"%.2f\"", p->opacity);
    add_string(t, ">\n");
}

static void mark_svg(canvas *v, const double (*corner)[2], int corners, double x, double y, double r) {
    rk_text *t = &v->out;
    if (v->pen.dot > 0) {
        add_string(t, "M");
        add_number(t, x);
        add_string(t, " ");
        add_number(t, y);
        add_string(t, "h0");
        return;
    }
    if (corners == 0) {
        add_string(t, "<circle");
        add_member(t, "cx", x);
        add_member(t, "cy", y);
        rk_text_add(t, " r=\"%.3g\"/>\n", r);
        return;
    }
    add_string(t, "<path d=\"M");
    add_number(t, x + r * corner[0][0]);
    add_string(t, " ");
    add_number(t, y + r * corner[0][1]);
    add_string(t, "l");
    for (int i = 1; i < corners; i++) {
        rk_text_add(t, "%s%.3g %.3g", i > 1 ? " " : "", r * (corner[i][0] - corner[i - 1][0]),
                    r * (corner[i][1] - corner[i - 1][1]));
    }
    add_string(t, "z\"/>\n");
}

static void group_end_svg(canvas *v) { add_string(&v->out, v->pen.dot > 0 ? "\"/>\n" : "</g>\n"); }

static void end_svg(canvas *v) { add_string(&v->out, "</svg>\n"); }

static void release_svg(canvas *v) { rk_text_free(&v->out); }

const canvas_type canvas_svg = {begin_svg, lines_svg, rect_svg,      text_svg, image_svg,
                                group_svg, mark_svg,  group_end_svg, end_svg,  release_svg};
