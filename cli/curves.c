/* curves.c: rkhs plot --model: the eigenvalues of a model, and its loss during the fit.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 240, MAX_BARS = 40, MAX_SHARES = 9, MAX_LINES = 6 };

static const pen curve[MAX_LINES] = {{.stroke = "#0072b2", .width = 1.6}, {.stroke = "#d55e00", .width = 1.6},
                                     {.stroke = "#009e73", .width = 1.6}, {.stroke = "#cc79a7", .width = 1.6},
                                     {.stroke = "#e69f00", .width = 1.6}, {.stroke = "#000000", .width = 1.6}};

/* Finds a numeric item of the report. Returns 0 if there is none. */
static int find_item(const rkhs_model *m, const char *name, rkhs_item *item) {
    for (int64_t i = 0; rkhs_model_report(m, i, item); i++) {
        if (strcmp(item->name, name) == 0 && item->values != NULL && item->rows > 0 && item->columns > 0) return 1;
    }
    return 0;
}

/* ---- eigenvalues ----------------------------------------------------------------------------------------------- */

/* x: components 1 .. count; y: from 0 to the largest eigenvalue. */
static void spectrum_axes(const rkhs_item *values, axis *x, axis *y) {
    int64_t count = values->rows * values->columns;
    double zero = 0;
    axis_range_two(y, values->values, count, 1, &zero, 1, 1, 0);
    if (y->flat) y->lo = fmin(0, y->lo), y->hi = fmax(1e-300, y->hi);
    y->lo = fmin(0, y->lo);
    y->hi = fmax(0, y->hi) + 0.1 * (y->hi - y->lo);
    snprintf(y->name, sizeof y->name, "eigenvalue");
    axis_ticks(y, HEIGHT, 1);
    *x = (axis){.name = "component", .lo = 0.5, .hi = (double)count + 0.5, .whole = 1};
    axis_ticks(x, SIDE, 1);
}

/* Draws a bar for each value, with its share of the variance above; for many values, a line. */
static void draw_spectrum(canvas *v, const rkhs_item *values, const rkhs_item *shares, const frame *f, const axis *x,
                          const axis *y) {
    int64_t count = values->rows * values->columns;
    double step = f->width / (double)count, zero = f->top + f->height * (1 - axis_at(y, 0)), *ends;
    for (int64_t i = 0; i < count && count <= MAX_BARS; i++) {
        double at = f->left + f->width * axis_at(x, (double)i + 1),
               top = f->top + f->height * (1 - axis_at(y, values->values[i]));
        double wide = fmin(48, 0.7 * step);
        v->type->rect(v, &(frame){at - wide / 2, fmin(top, zero), wide, fabs(top - zero)}, &(pen){.fill = "#0072b2"});
        if (shares == NULL || count > MAX_SHARES || shares->rows * shares->columns != count) continue;
        char share[32];
        snprintf(share, sizeof share, "%.*f%%", shares->values[i] < 0.0995 ? 1 : 0, 100 * shares->values[i]);
        v->type->text(v, &(words){.x = at, .y = fmin(top, zero) - 5, .s = share, .size = 12, .anchor = 'm'});
    }
    if (count <= MAX_BARS) return;
    ends = malloc((size_t)count * 2 * sizeof *ends);
    if (ends == NULL) {
        v->out.status = RKHS_ERR_MEMORY;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        ends[2 * i] = f->left + f->width * axis_at(x, (double)i + 1);
        ends[2 * i + 1] = f->top + f->height * (1 - axis_at(y, values->values[i]));
    }
    v->type->lines(v, ends, (int)count, 1, &curve[0]);
    free(ends);
}

/* ---- losses ---------------------------------------------------------------------------------------------------- */

/* The losses: step i of curve k is values[i * step + k * next]. */
typedef struct history {
    const double *values;
    int64_t steps, curves, step, next;
    int logarithm;
} history;

static double loss_at(const history *h, int64_t i, int64_t k) {
    double value = h->values[i * h->step + k * h->next];
    return h->logarithm ? log10(value) : value;
}

/* As in files, magnitudes above 1e150 are left out. */
static int is_drawn(double value) { return fabs(value) <= 1e150; }

/* x: steps; y: losses, as logarithms if they span more than a factor of 50. Returns 0 if no loss is a number. */
static int history_axes(history *h, axis *x, axis *y) {
    double ends[2] = {HUGE_VAL, -HUGE_VAL};
    for (int round = 0; round < 2; round++) {
        ends[0] = HUGE_VAL, ends[1] = -HUGE_VAL;
        for (int64_t i = 0; i < h->steps * h->curves; i++) {
            double value = loss_at(h, i / h->curves, i % h->curves);
            if (!is_drawn(value)) continue;
            ends[0] = fmin(ends[0], value);
            ends[1] = fmax(ends[1], value);
        }
        if (ends[0] > ends[1]) return 0;
        if (round == 0) h->logarithm = ends[0] > 0 && ends[1] > 50 * ends[0];
    }
    axis_range(y, ends, 2, 1, 0);
    snprintf(y->name, sizeof y->name, h->logarithm ? "log10 loss" : "loss");
    axis_ticks(y, HEIGHT, 1.08);
    *x = (axis){.name = "step", .lo = 0, .hi = fmax(1, (double)h->steps - 1), .whole = 1};
    axis_ticks(x, SIDE, 1);
    return 1;
}

static void draw_history(canvas *v, const history *h, const frame *f, const axis *x, const axis *y) {
    double *ends = malloc((size_t)h->steps * 2 * sizeof *ends);
    if (ends == NULL) v->out.status = RKHS_ERR_MEMORY;
    for (int64_t k = 0; k < h->curves && ends != NULL; k++) {
        int count = 0;
        for (int64_t i = 0; i < h->steps; i++) {
            double value = loss_at(h, i, k);
            if (!is_drawn(value)) continue;
            ends[2 * count] = f->left + f->width * axis_at(x, (double)i);
            ends[2 * count++ + 1] = f->top + f->height * (1 - axis_at(y, value));
        }
        v->type->lines(v, ends, count, 1, &curve[k % MAX_LINES]);
    }
    free(ends);
}

/* Draws what the report has, side by side. */
static rkhs_status draw_curves(cli *c, canvas *v, const rkhs_item *values, const rkhs_item *shares, const rkhs_item *losses) {
    axis x[2], y[2];
    picture p = {.title = c->title};
    history h = {0};
    if (losses != NULL) {
        int wide = losses->rows == 1;
        h = (history){losses->values,
                      wide ? losses->columns : losses->rows,
                      wide ? 1 : losses->columns,
                      wide ? 1 : losses->columns,
                      1,
                      0};
        if (h.curves > MAX_LINES) h.curves = 1;
        if (!history_axes(&h, &x[1], &y[1])) losses = NULL;
    }
    if (values == NULL && losses == NULL)
        return refuse(c, EXIT_FAILED, "%s: its report has neither eigenvalues nor losses to draw; plot its embedding instead",
                      c->model);
    if (values != NULL) spectrum_axes(values, &x[0], &y[0]);
    double top = page_top(&p), at = 0,
           room[2] = {values != NULL ? axis_room(&y[0], 1) : 0, losses != NULL ? axis_room(&y[1], 1) : 0};
    double width = (values != NULL ? room[0] + SIDE + RIGHT : 0) + (losses != NULL ? room[1] + SIDE + RIGHT : 0);
    snprintf(p.about, sizeof p.about, "%s%s%s of a model", values != NULL ? "eigenvalues" : "",
             values != NULL && losses != NULL ? " and " : "", losses != NULL ? "losses" : "");
    page_begin(v, &p, values != NULL ? room[0] : room[1], width, top + HEIGHT + BELOW);
    if (values != NULL) {
        frame f = {room[0], top, SIDE, HEIGHT};
        draw_spectrum(v, values, shares, &f, &x[0], &y[0]);
        draw_frame(v, &f, &x[0], &y[0], NUMBERS | NAMES, NUMBERS | NAMES);
        at = room[0] + SIDE + RIGHT;
    }
    if (losses != NULL) {
        frame f = {at + room[1], top, SIDE, HEIGHT};
        draw_frame(v, &f, &x[1], &y[1], NUMBERS | NAMES, NUMBERS | NAMES);
        draw_history(v, &h, &f, &x[1], &y[1]);
    }
    return RKHS_OK;
}

rkhs_status plot_model(cli *c, canvas *v) {
    rkhs_model *m = NULL;
    rkhs_item values, shares, losses;
    rkhs_status status;
    TRY(rkhs_model_load(c->env, c->model, &m));
    int has_values = find_item(m, "eigenvalues", &values), has_shares = find_item(m, "explained_variance", &shares);
    int has_losses = find_item(m, "losses", &losses);
    TRY(draw_curves(c, v, has_values ? &values : NULL, has_shares ? &shares : NULL, has_losses ? &losses : NULL));
done:
    rkhs_model_free(m);
    return status;
}
