/* arabic.c: Arabic letters as they stand in a word.  SPDX-License-Identifier: BSD-3-Clause
 *
 * A letter has up to four forms: alone, joined to the letter before, to the one after, to both. Programs that shape text choose
 * them; cairo's own text does not, so for PNG and PDF they are taken from Unicode's presentation forms, which fonts keep for
 * such use. Other scripts that need shaping (Devanagari, Tamil, Khmer) come out right in SVG alone. */
#include "cli.h"

/* The first form of each letter, and how many: 1 joins nothing, 2 the letter before, 4 both. */
static const struct {
    unsigned short letter, form, forms;
} letters[] = {
    {0x621, 0xFE80, 1}, {0x622, 0xFE81, 2}, {0x623, 0xFE83, 2}, {0x624, 0xFE85, 2}, {0x625, 0xFE87, 2}, {0x626, 0xFE89, 4},
    {0x627, 0xFE8D, 2}, {0x628, 0xFE8F, 4}, {0x629, 0xFE93, 2}, {0x62A, 0xFE95, 4}, {0x62B, 0xFE99, 4}, {0x62C, 0xFE9D, 4},
    {0x62D, 0xFEA1, 4}, {0x62E, 0xFEA5, 4}, {0x62F, 0xFEA9, 2}, {0x630, 0xFEAB, 2}, {0x631, 0xFEAD, 2}, {0x632, 0xFEAF, 2},
    {0x633, 0xFEB1, 4}, {0x634, 0xFEB5, 4}, {0x635, 0xFEB9, 4}, {0x636, 0xFEBD, 4}, {0x637, 0xFEC1, 4}, {0x638, 0xFEC5, 4},
    {0x639, 0xFEC9, 4}, {0x63A, 0xFECD, 4}, {0x641, 0xFED1, 4}, {0x642, 0xFED5, 4}, {0x643, 0xFED9, 4}, {0x644, 0xFEDD, 4},
    {0x645, 0xFEE1, 4}, {0x646, 0xFEE5, 4}, {0x647, 0xFEE9, 4}, {0x648, 0xFEED, 2}, {0x649, 0xFEEF, 2}, {0x64A, 0xFEF1, 4},
    {0x67E, 0xFB56, 4}, {0x686, 0xFB7A, 4}, {0x698, 0xFB8A, 2}, {0x6A9, 0xFB8E, 4}, {0x6AF, 0xFB92, 4}, {0x6CC, 0xFBFC, 4},
};
enum { LETTERS = sizeof letters / sizeof *letters, TATWEEL = 0x640, LAM = 0x644 };

static int find(unsigned code) {
    for (int q = 0; q < LETTERS; q++)
        if (letters[q].letter == code) return q;
    return -1;
}

static int forms_of(unsigned code) {
    int q = find(code);
    return code == TATWEEL ? 4 : q < 0 ? 0 : letters[q].forms;
}

/* Marks above and below letters: joins go through them. */
static int is_mark(unsigned code) { return (code >= 0x64B && code <= 0x65F) || code == 0x670; }

/* Lam and an alef after it are one sign; its first form, or 0. */
static unsigned lam_alef(unsigned alef) {
    return alef == 0x622 ? 0xFEF5 : alef == 0x623 ? 0xFEF7 : alef == 0x625 ? 0xFEF9 : alef == 0x627 ? 0xFEFB : 0;
}

int join_letters(unsigned *code, int count) {
    int kept = 0, before = 0; /* characters written; whether the letter before joins on */
    for (int i = 0; i < count; i++) {
        int q = find(code[i]), next = i + 1;
        unsigned ligature = code[i] == LAM && i + 1 < count ? lam_alef(code[i + 1]) : 0;
        while (next < count && is_mark(code[next])) next++;
        if (ligature != 0) {
            code[kept++] = ligature + (unsigned)before;
            before = 0;
            i++;
        } else if (q >= 0) {
            int back = before && letters[q].forms >= 2;
            int on = letters[q].forms == 4 && next < count && forms_of(code[next]) >= 2;
            code[kept++] = letters[q].form + (unsigned)(back + 2 * on);
            before = on;
        } else {
            if (!is_mark(code[i])) before = code[i] == TATWEEL;
            code[kept++] = code[i];
        }
    }
    return kept;
}
