/* colour_scale.c: the colour scale for numbers, from dark blue over green to yellow.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Made in CIELAB, with t from 0 to 1. Lightness 20 + 72 t rises evenly: the scale works in grey, and for all kinds of
 * colour vision. The hue goes from 300 to 100 degrees. The chroma is 45 - 71 t + 106 t^2, or the largest that a screen
 * can show. */
#include "plot.h"

#include <math.h>

/* Linear red, green, blue of a CIELAB colour (white D65). Returns 1 if a screen can show it. */
static int lab_to_linear(double L, double a, double b, double rgb[3]) {
    double y = (L + 16) / 116, at[3] = {y + a / 500, y, y - b / 200};
    static const double white[3] = {0.9505, 1, 1.089};
    static const double m[3][3] = {{3.2406, -1.5372, -0.4986}, {-0.9689, 1.8758, 0.0415}, {0.0557, -0.204, 1.057}};
    int inside = 1;
    for (int i = 0; i < 3; i++) {
        double t = at[i];
        at[i] = white[i] * (t > 6.0 / 29 ? t * t * t : 3 * (6.0 / 29) * (6.0 / 29) * (t - 4.0 / 29));
    }
    for (int i = 0; i < 3; i++) {
        rgb[i] = m[i][0] * at[0] + m[i][1] * at[1] + m[i][2] * at[2];
        inside = inside && rgb[i] >= 0 && rgb[i] <= 1;
    }
    return inside;
}

void scale_colour(double at, uint8_t rgb[3]) {
    double t = fmin(1, fmax(0, at)), hue = (300 - 200 * t) * acos(-1) / 180, linear[3], low = 0, high = 45 + t * (106 * t - 71);
    if (lab_to_linear(20 + 72 * t, high * cos(hue), high * sin(hue), linear)) low = high;
    for (int i = 0; i < 20 && low < high; i++) {
        double chroma = 0.5 * (low + high);
        if (lab_to_linear(20 + 72 * t, chroma * cos(hue), chroma * sin(hue), linear))
            low = chroma;
        else
            high = chroma;
    }
    lab_to_linear(20 + 72 * t, low * cos(hue), low * sin(hue), linear);
    for (int i = 0; i < 3; i++) {
        double x = fmin(1, fmax(0, linear[i]));
        rgb[i] = (uint8_t)lround(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055));
    }
}
