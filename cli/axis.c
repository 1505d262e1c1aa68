/* axis.c: which numbers stand along an axis, and the frame with its ticks.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Ticks are 1, 2 or 5 times a power of ten. Numbers that are very large or small share a factor, written beside the name of the
 * axis; numbers that differ by little at a large distance from 0 share an offset. */
#include "plot.h"

#include <math.h>
#include <string.h>

/* 10^e, as near as a double can be for negative e too. */
static double ten(int e) { return e >= 0 ? pow(10, e) : 1 / pow(10, -e); }

void axis_range(axis *a, const double *values, int64_t n, int64_t ld, int64_t column) {
    double least = values[column], most = least;
    for (int64_t i = 1; i < n; i++) {
        double v = values[i * ld + column];
        if (v < least) least = v;
        if (v > most) most = v;
    }
    double span = most - least, size = fmax(fabs(least), fabs(most)), middle = least + 0.5 * span;
    snprintf(a->name, sizeof a->name, "z%d", (int)column + 1);
    a->flat = span <= 1e-12 * size || span < 1e-280;
    a->base = 0;
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

/* Stretches an axis around its middle to a span. */
static void stretch(axis *a, double span) {
    double more = 0.5 * (span - (a->hi - a->lo));
    a->lo -= more;
    a->hi += more;
}

int axis_equalise(axis *a, int count, const double *room) {
    double least = HUGE_VAL, most = 0; /* units for each pixel */
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

/* The number of characters of the widest label, sign included. */
static int label_characters(const axis *a) {
    int decimals = a->power - a->exponent;
    double most = fmax(fabs(a->lo), fabs(a->hi)) / ten(a->power);
    int whole = most >= 10 ? (int)floor(log10(most)) + 1 : 1;
    return whole + (decimals > 0 ? decimals + 1 : 0) + (a->lo < 0);
}

void axis_ticks(axis *a, double room) {
    static const int digits[] = {1, 2, 5, 10};
    stretch(a, 1.08 * (a->hi - a->lo));
    int size = (int)floor(log10(fmax(fabs(a->lo), fabs(a->hi)))), crowded = 1;
    a->power = size >= 5 || size <= -4 ? size : 0;
    for (double each = 54; crowded && each < 130; each *= 1.4) {
        double wanted = (a->hi - a->lo) / fmax(2, floor(room / each));
        int exponent = (int)floor(log10(wanted)), i = 0;
        while (i < 3 && digits[i] * ten(exponent) < 0.75 * wanted) i++;
        a->digit = i == 3 ? 1 : digits[i];
        a->exponent = i == 3 ? exponent + 1 : exponent;
        crowded = a->digit * ten(a->exponent) / (a->hi - a->lo) * room < 7 * label_characters(a) + 12;
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

/* Adds a number with a true minus sign. */
static void add_signed(text *t, const char *number) {
    if (*number == '-') {
        text_add(t, "\xE2\x88\x92");
        number++;
    }
    text_add(t, "%s", number);
}

/* The number at tick k. */
static void add_tick(text *t, const axis *a, double k) {
    char number[64];
    int decimals = a->power - a->exponent;
    snprintf(number, sizeof number, "%.*f", decimals > 0 ? decimals : 0, k * a->digit * ten(a->exponent - a->power) + 0.0);
    add_signed(t, number);
}

/* The name of an axis, with the offset and the factor that its numbers leave out. */
static void add_name(text *t, const axis *a) {
    char number[64];
    text_add(t, "%s", a->name);
    if (a->base != 0) {
        snprintf(number, sizeof number, "%.15g", fabs(a->base));
        text_add(t, " %s %s", a->base > 0 ? "\xE2\x88\x92" : "+", number);
    }
    if (a->power != 0) {
        snprintf(number, sizeof number, "%d", a->power);
        text_add(t, " (\xC3\x97"
                    "10<tspan dy=\"-4\" font-size=\"9\">");
        add_signed(t, number);
        text_add(t, "</tspan><tspan dy=\"4\">)</tspan>");
    }
}

/* The x axis: ticks along the bottom, with numbers and name when `words`. */
static void draw_below(text *t, const frame *f, const axis *x, int words) {
    double first, last, bottom = f->top + f->height;
    tick_ends(x, &first, &last);
    text_add(t, "<path stroke=\"#888\" d=\"");
    for (double k = first; k <= last; k++) {
        double at = axis_at(x, x->base + k * x->digit * ten(x->exponent));
        text_add(t, "M");
        add_number(t, f->left + f->width * at);
        text_add(t, " ");
        add_number(t, bottom);
        text_add(t, "v4");
    }
    text_add(t, "\"/>\n");
    if (!words) return;
    text_add(t, "<g text-anchor=\"middle\">\n");
    for (double k = first; k <= last; k++) {
        double at = axis_at(x, x->base + k * x->digit * ten(x->exponent));
        text_add(t, "<text x=\"");
        add_number(t, f->left + f->width * at);
        text_add(t, "\" y=\"");
        add_number(t, bottom + 18);
        text_add(t, "\">");
        add_tick(t, x, k);
        text_add(t, "</text>\n");
    }
    text_add(t, "<text font-size=\"13\" x=\"");
    add_number(t, f->left + f->width / 2);
    text_add(t, "\" y=\"");
    add_number(t, bottom + 38);
    text_add(t, "\">");
    add_name(t, x);
    text_add(t, "</text>\n</g>\n");
}

/* The y axis: ticks along the left side, with numbers and name when `words`. */
static void draw_beside(text *t, const frame *f, const axis *y, int words) {
    double first, last;
    tick_ends(y, &first, &last);
    text_add(t, "<path stroke=\"#888\" d=\"");
    for (double k = first; k <= last; k++) {
        double at = axis_at(y, y->base + k * y->digit * ten(y->exponent));
        text_add(t, "M");
        add_number(t, f->left);
        text_add(t, " ");
        add_number(t, f->top + f->height * (1 - at));
        text_add(t, "h-4");
    }
    text_add(t, "\"/>\n");
    if (!words) return;
    text_add(t, "<g text-anchor=\"end\">\n");
    for (double k = first; k <= last; k++) {
        double at = axis_at(y, y->base + k * y->digit * ten(y->exponent));
        text_add(t, "<text x=\"");
        add_number(t, f->left - 8);
        text_add(t, "\" y=\"");
        add_number(t, f->top + f->height * (1 - at) + 4);
        text_add(t, "\">");
        add_tick(t, y, k);
        text_add(t, "</text>\n");
    }
    text_add(t, "</g>\n<text font-size=\"13\" text-anchor=\"middle\" transform=\"translate(");
    add_number(t, f->left - 46);
    text_add(t, " ");
    add_number(t, f->top + f->height / 2);
    text_add(t, ") rotate(-90)\">");
    add_name(t, y);
    text_add(t, "</text>\n");
}

void draw_frame(text *t, const frame *f, const axis *x, const axis *y, int below, int beside) {
    if (x != NULL) draw_below(t, f, x, below);
    if (y != NULL) draw_beside(t, f, y, beside);
    text_add(t, "<rect fill=\"none\" stroke=\"#888\" x=\"");
    add_number(t, f->left);
    text_add(t, "\" y=\"");
    add_number(t, f->top);
    text_add(t, "\" width=\"");
    add_number(t, f->width);
    text_add(t, "\" height=\"");
    add_number(t, f->height);
    text_add(t, "\"/>\n");
}
