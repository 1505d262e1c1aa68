/* axis.c: the axes of a plot: range, ticks, labels and the frame.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps between ticks are 1, 2 or 5 times a power of ten. Labels of very large or small numbers share a factor,
 * written beside the name of the axis. Labels of numbers that differ by little at a large distance from 0 share an
 * offset. */
#include "plot.h"

#include <math.h>
#include <string.h>

/* 10^e; for negative e the nearest double. */
static double ten(int e) { return e >= 0 ? pow(10, e) : 1 / pow(10, -e); }

/* Widens least and most to the values of a column. */
static void widen(const double *values, int64_t n, int64_t ld, int64_t column, double *least, double *most) {
    for (int64_t i = 0; i < n; i++) {
        double v = values[i * ld + column];
        if (v < *least) *least = v;
        if (v > *most) *most = v;
    }
}

void axis_range_two(axis *a, const double *values, int64_t n, int64_t ld, const double *more, int64_t m, int64_t more_ld,
                    int64_t column) {
    double least = values[column], most = least;
    widen(values, n, ld, column, &least, &most);
    widen(more, m, more_ld, column, &least, &most);
    double span = most - least, size = fmax(fabs(least), fabs(most)), middle = least + 0.5 * span;
    *a = (axis){.flat = span <= 1e-12 * size || span < 1e-280};
    snprintf(a->name, sizeof a->name, "z%d", (int)column + 1);
    if (a->flat) {
        double half = size > 1e-280 ? 0.1 * size : 1;
        a->lo = middle - half;
        a->hi = middle + half;
        return;
    }
    if (span < 1e-4 * size) {
        double unit = ten((int)ceil(log10(span)));
        a->base = round(middle / unit) * unit;
    }
    a->lo = least - a->base;
    a->hi = most - a->base;
}

void axis_range(axis *a, const double *values, int64_t n, int64_t ld, int64_t column) {
    axis_range_two(a, values, n, ld, NULL, 0, 0, column);
}

/* Widens an axis around its middle to a span. */
static void stretch(axis *a, double span) {
    double more = 0.5 * (span - (a->hi - a->lo));
    a->lo -= more;
    a->hi += more;
}

int axis_equalise(axis *a, int count, const double *room) {
    double least = HUGE_VAL, most = 0; /* units per pixel */
    for (int i = 0; i < count; i++) {
        if (a[i].flat) continue;
        double unit = (a[i].hi - a[i].lo) / room[i];
        least = fmin(least, unit);
        most = fmax(most, unit);
    }
    if (most == 0) return 0;
    int equal = most <= 3 * least;
    for (int i = 0; i < count; i++) {
        if (!equal && !a[i].flat) continue;
        double middle = 0.5 * (a[i].lo + a[i].hi), span = most * room[i];
        if (a[i].flat && span < 1e-4 * fabs(middle)) a[i].base = middle;
        a[i].lo = middle - a[i].base - 0.5 * span;
        a[i].hi = middle - a[i].base + 0.5 * span;
    }
    return equal;
}

/* The number of characters of the longest label, with its sign. */
static int label_characters(const axis *a) {
    int decimals = a->power - a->exponent;
    double most = fmax(fabs(a->lo), fabs(a->hi)) / ten(a->power);
    int whole = most >= 10 ? (int)floor(log10(most)) + 1 : 1;
    return whole + (decimals > 0 ? decimals + 1 : 0) + (a->lo < 0);
}

void axis_ticks(axis *a, double room, double margin) {
    static const int digits[] = {1, 2, 5, 10};
    stretch(a, margin * (a->hi - a->lo));
    int size = (int)floor(log10(fmax(fabs(a->lo), fabs(a->hi)))), crowded = 1;
    a->power = size >= 5 || size <= -4 ? size : 0;
    double least = room < 200 ? 0.6 : 0.75;
    for (double each = room < 200 ? 34 : 50; crowded && each < 130; each *= 1.4) {
        double wanted = (a->hi - a->lo) / fmax(2, floor(room / each));
        int exponent = (int)floor(log10(wanted)), i = 0;
        while (i < 3 && digits[i] * ten(exponent) < least * wanted) i++;
        a->digit = i == 3 ? 1 : digits[i];
        a->exponent = i == 3 ? exponent + 1 : exponent;
        if (a->whole && a->exponent < 0) a->digit = 1, a->exponent = 0;
        crowded = a->digit * ten(a->exponent) / (a->hi - a->lo) * room < LETTER_WIDTH * label_characters(a) + 12;
    }
}

void axis_share_step(axis *a, int count) {
    int most = 0;
    for (int i = 1; i < count; i++) {
        if (a[i].digit * ten(a[i].exponent) > a[most].digit * ten(a[most].exponent)) most = i;
    }
    for (int i = 0; i < count; i++) {
        a[i].digit = a[most].digit;
        a[i].exponent = a[most].exponent;
    }
}

double axis_at(const axis *a, double value) { return (value - a->base - a->lo) / (a->hi - a->lo); }

/* The first and last tick, as multiples of the step. */
static void tick_ends(const axis *a, double *first, double *last) {
    double step = a->digit * ten(a->exponent);
    *first = ceil(a->lo / step - 1e-9);
    *last = floor(a->hi / step + 1e-9);
}

/* Copies a number, with a true minus sign. */
static void sign_number(char out[72], const char *number) {
    snprintf(out, 72, "%s%.60s", *number == '-' ? "\xE2\x88\x92" : "", number + (*number == '-'));
}

static void tick_text(char out[72], const axis *a, double k) {
    char number[64];
    int decimals = a->power - a->exponent;
    snprintf(number, sizeof number, "%.*f", decimals > 0 ? decimals : 0, k * a->digit * ten(a->exponent - a->power) + 0.0);
    sign_number(out, number);
}

/* The position of tick k in the frame, 0 .. 1. */
static double tick_at(const axis *a, double k) { return axis_at(a, a->base + k * a->digit * ten(a->exponent)); }

/* Draws the name of an axis, with the offset and factor that its labels leave out. */
static void draw_name(canvas *v, const axis *a, words w) {
    char name[128], number[64], raised[72];
    int used = snprintf(name, sizeof name, "%s", a->name);
    if (a->base != 0)
        used +=
            snprintf(name + used, sizeof name - (size_t)used, " %s %.15g", a->base > 0 ? "\xE2\x88\x92" : "+", fabs(a->base));
    if (a->power != 0) {
        snprintf(name + used, sizeof name - (size_t)used,
                 " (\xC3\x97"
                 "10");
        snprintf(number, sizeof number, "%d", a->power);
        sign_number(raised, number);
        w.raised = raised;
    }
    w.s = name;
    w.size = LETTER + 1;
    w.anchor = 'm';
    v->type->text(v, &w);
}

static const pen grey = {.stroke = "#888", .width = 1};

double axis_room(const axis *a, int named) {
    int characters = label_characters(a);
    if (characters < a->characters) characters = a->characters;
    return 10 + LETTER_WIDTH * characters + (named ? 24 : 0);
}

void axis_share_room(axis *a, int count) {
    int most = 0;
    for (int i = 0; i < count; i++) most = label_characters(&a[i]) > most ? label_characters(&a[i]) : most;
    for (int i = 0; i < count; i++) a[i].characters = most;
}

/* Draws ticks from (x, y) to (x + right, y - up), each in direction (dx, dy). */
static void draw_ticks(canvas *v, const axis *a, double x, double y, double right, double up, double dx, double dy) {
    double first, last, ends[4 * 64];
    int count = 0;
    tick_ends(a, &first, &last);
    for (double k = first; k <= last && count < 64; k++, count++) {
        double at = tick_at(a, k), *end = ends + 4 * count;
        end[0] = x + right * at;
        end[1] = y - up * at;
        end[2] = end[0] + dx;
        end[3] = end[1] + dy;
    }
    v->type->lines(v, ends, 2 * count, 0, &grey);
}

/* Pixels that labels of a CLOSE axis may extend beyond the frame: half the space between two frames. */
enum { OVER = 13 };

/* Draws the x axis below a frame. */
static void draw_below(canvas *v, const frame *f, const axis *x, int what) {
    double first, last, bottom = f->top + f->height;
    char number[72];
    tick_ends(x, &first, &last);
    draw_ticks(v, x, f->left, bottom, f->width, 0, 0, 4);
    for (double k = first; k <= last && (what & NUMBERS); k++) {
        tick_text(number, x, k);
        double at = f->width * tick_at(x, k), half = 0.5 * LETTER_WIDTH * text_columns(number, 80);
        if ((what & CLOSE) && (at - half < -OVER || at + half > f->width + OVER)) continue;
        v->type->text(v, &(words){.x = f->left + at, .y = bottom + 18, .s = number, .anchor = 'm'});
    }
    if (what & NAMES) draw_name(v, x, (words){.x = f->left + f->width / 2, .y = bottom + 38});
}

/* Draws the y axis on the left of a frame. */
static void draw_beside(canvas *v, const frame *f, const axis *y, int what) {
    double first, last;
    char number[72];
    tick_ends(y, &first, &last);
    draw_ticks(v, y, f->left, f->top + f->height, 0, f->height, -4, 0);
    for (double k = first; k <= last && (what & NUMBERS); k++) {
        tick_text(number, y, k);
        v->type->text(
            v, &(words){.x = f->left - 8, .y = f->top + f->height * (1 - tick_at(y, k)) + 4.5, .s = number, .anchor = 'e'});
    }
    double away = axis_room(y, what & NUMBERS) - (what & NUMBERS ? 16 : 0);
    if (!(what & NUMBERS)) away = 14;
    if (what & NAMES) draw_name(v, y, (words){.x = f->left - away, .y = f->top + f->height / 2, .turned = 1});
}

void draw_frame(canvas *v, const frame *f, const axis *x, const axis *y, int below, int beside) {
    if (x != NULL) draw_below(v, f, x, below);
    if (y != NULL) draw_beside(v, f, y, beside);
    v->type->rect(v, f, &grey);
}

void draw_colour_scale(canvas *v, const frame *f, const axis *a) {
    uint8_t shade[256];
    double first, last, right = f->left + f->width;
    char number[72];
    for (int i = 0; i < 256; i++) shade[i] = (uint8_t)(255 - i);
    v->type->image(v, f, &(image){shade, 1, 256, 1});
    tick_ends(a, &first, &last);
    draw_ticks(v, a, right, f->top + f->height, 0, f->height, 4, 0);
    for (double k = first; k <= last; k++) {
        tick_text(number, a, k);
        v->type->text(v, &(words){.x = right + 8, .y = f->top + f->height * (1 - tick_at(a, k)) + 4.5, .s = number});
    }
    v->type->rect(v, f, &grey);
    double away = axis_room(a, 1);
    if (a->name[0] != 0 || a->power != 0 || a->base != 0)
        draw_name(v, a, (words){.x = right + away, .y = f->top + f->height / 2, .turned = 1});
}
