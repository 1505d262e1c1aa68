/* safe_text.c: untrusted text made safe for terminals, JSON and XML.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <string.h>

/* ---- characters ------------------------------------------------------------------------------------------------ */

/* The width of a character in columns: 0 for combining marks, 2 for East Asian characters and emoji. */
static int columns_of(uint32_t code) {
    if ((code >= 0x300 && code <= 0x36F) || (code >= 0x200B && code <= 0x200F) || (code >= 0xFE00 && code <= 0xFE0F)) return 0;
    if ((code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) || (code >= 0xAC00 && code <= 0xD7A3) ||
        (code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFF00 && code <= 0xFF60) || (code >= 0x1F300 && code <= 0x1FAFF)) {
        return 2;
    }
    return 1;
}

/* ---- terminals and JSON ---------------------------------------------------------------------------------------- */

int print_safe(FILE *out, const char *s, size_t length) {
    const char *end = s + length;
    char piece[16];
    int columns = 0;
    while (s < end && *s != 0) {
        uint32_t code = rk_visible_take(&s, piece);
        columns += code != 0 ? columns_of(code) : (int)strlen(piece);
        if (out != NULL) fputs(piece, out);
    }
    return columns;
}

int print_padded(FILE *out, const char *s, int width) {
    int columns = print_safe(out, s, strlen(s));
    if (columns < width) fprintf(out, "%*s", width - columns, "");
    return columns < width ? width : columns;
}

void json_text(FILE *out, const char *s) {
    fputc('"', out);
    while (*s != 0) {
        const char *from = s;
        uint32_t code = rk_utf8_take(&s), high = code - 0x10000;
        int strange = rk_is_control(code) || (code == RK_NO_CHARACTER && s == from + 1);
        if (strange && code >= 0x10000)
            fprintf(out, "\\u%04x\\u%04x", 0xD800 + (high >> 10), 0xDC00 + (high & 0x3FF));
        else if (strange)
            fprintf(out, "\\u%04x", code);
        else
            fprintf(out, "%s%.*s", code == '"' || code == '\\' ? "\\" : "", (int)(s - from), from);
    }
    fputc('"', out);
}

/* ---- XML ------------------------------------------------------------------------------------------------------- */

/* Whether a character belongs to a right-to-left script: Hebrew, Arabic, ... */
static int is_right_to_left(uint32_t code) {
    return (code >= 0x590 && code <= 0x8FF) || (code >= 0xFB1D && code <= 0xFDFF) || (code >= 0xFE70 && code <= 0xFEFE) ||
           (code >= 0x10800 && code <= 0x10FFF) || (code >= 0x1E800 && code <= 0x1EFFF) || code == 0x200F;
}

static void add_character(rk_text *t, uint32_t code, int xml) {
    char bytes[4];
    if (xml && (code == '&' || code == '<' || code == '>' || code == '"')) {
        const char *name = code == '&' ? "&amp;" : code == '<' ? "&lt;" : code == '>' ? "&gt;" : "&quot;";
        rk_text_add_bytes(t, name, strlen(name));
        return;
    }
    if (rk_is_control(code)) code = code < 0x20 ? ' ' : RK_NO_CHARACTER;
    rk_text_add_bytes(t, bytes, (size_t)rk_utf8_put(code, bytes));
}

int text_columns(const char *s, int limit) {
    int columns = 0;
    while (*s != 0) {
        columns += columns_of(rk_utf8_take(&s));
        if (columns > limit) return limit;
    }
    return columns;
}

static void add_limited(rk_text *t, const char *s, int limit, int xml) {
    int total = 0, used = 0, isolate = 0;
    for (const char *at = s; *at != 0 && total <= limit;) {
        uint32_t code = rk_utf8_take(&at);
        total += columns_of(code);
        isolate |= is_right_to_left(code);
    }
    if (isolate && xml) rk_text_add(t, "\xE2\x81\xA8"); /* first strong isolate */
    while (*s != 0) {
        uint32_t code = rk_utf8_take(&s);
        used += columns_of(code);
        if (total > limit && used > limit - 1) {
            rk_text_add(t, "\xE2\x80\xA6"); /* ellipsis */
            break;
        }
        add_character(t, code, xml);
    }
    if (isolate && xml) rk_text_add(t, "\xE2\x81\xA9"); /* pop isolate */
}

void text_xml(rk_text *t, const char *s, int limit) { add_limited(t, s, limit, 1); }

void text_plain(rk_text *t, const char *s, int limit) {
    rk_text_add_bytes(t, "", 0);
    add_limited(t, s, limit, 0);
}

rkhs_status text_write(cli *c, const rk_text *t, const char *path) {
    if (t->status != RKHS_OK) return refuse(c, EXIT_FAILED, "%s: no memory for the picture", path);
    if (stop_signal() != 0) return RKHS_ERR_CANCELLED;
    writing_now(1);
    rkhs_status status = rkhs_bytes_write(c->env, t->s, t->length, path);
    writing_now(0);
    return status;
}
