/* thumbnails.c: draws some objects as small pictures beside their points in a scatter plot.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Points are visited in a fixed pseudo-random order; a point that is far enough from all drawings so far gets one.
 * Images are drawn here, graphs in graph_drawing.c.
 *
 * In grey images, the lowest number of the file is black and the highest white, or the reverse if the images are dark
 * along their edges, so that they stand on white. Colours are 0 .. 255 or 0 .. 1; opacity is applied over white. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THUMB = 26, DRAWN = 46, APART = 9, MAX_SIDE = 2048, SHARP = 52 };

/* Reads HxW, both from 1 to MAX_SIDE. */
static rkhs_status parse_size(cli *c, int *height, int *width) {
    int used = 0;
    if (sscanf(c->image_size, "%5d%*1[xX]%5d%n", height, width, &used) == 2 && c->image_size[used] == 0 && *height >= 1 &&
        *width >= 1 && *height <= MAX_SIDE && *width <= MAX_SIDE)
        return RKHS_OK;
    return refuse(c, EXIT_MISUSED, "--image-size takes HEIGHTxWIDTH, as in 28x28, up to %d, not '%.40s'", MAX_SIDE,
                  c->image_size);
}

/* The shape of images that are rows of numbers: from --image-size, or square. */
static rkhs_status shape_rows(cli *c, objects *o) {
    long long p = rkhs_data_columns(o->data), side = llround(sqrt((double)p));
    rkhs_status status = RKHS_OK;
    o->channels = 1;
    if (c->image_size != NULL) {
        TRY(parse_size(c, &o->height, &o->width));
    } else if (side * side == p && side <= MAX_SIDE) {
        o->height = o->width = (int)side;
    } else {
        REFUSE(c, EXIT_FAILED, "%s: %s for each image make no square: give --image-size HEIGHTxWIDTH", c->objects,
               rk_counted(p, "number").text);
    }
    if ((long long)o->height * o->width != p)
        REFUSE(c, EXIT_FAILED, "%s: an image has %s, and %d x %d are %lld: give grey images and their --image-size", c->objects,
               rk_counted(p, "number").text, o->height, o->width, (long long)o->height * o->width);
done:
    return status;
}

/* Finds the range of all numbers, and whether the images are dark along their edges. */
static rkhs_status look_at_images(cli *c, objects *o) {
    double edge = 0, *values = malloc((size_t)rkhs_data_columns(o->data) * sizeof *values);
    int64_t counted = 0;
    if (values == NULL) return refuse(c, EXIT_FAILED, "there is no memory for an image");
    o->min = INFINITY;
    o->max = -INFINITY;
    for (int64_t i = 0; i < o->n; i++) {
        rkhs_data_row(o->data, i, values);
        for (int64_t q = 0; q < (int64_t)o->height * o->width * o->channels; q++) {
            double value = values[q];
            int64_t y = q / o->channels / o->width, x = q / o->channels % o->width;
            o->min = fmin(o->min, value);
            o->max = fmax(o->max, value);
            if (y > 0 && x > 0 && y < o->height - 1 && x < o->width - 1) continue;
            edge += value;
            counted++;
        }
    }
    o->dark = edge / (double)counted - o->min < 0.35 * (o->max - o->min);
    free(values);
    return RKHS_OK;
}

static rkhs_status take_images(cli *c, objects *o) {
    rkhs_status status = RKHS_OK;
    int64_t h, w, channels;
    if (rkhs_data_shape(o->data, &h, &w, &channels)) {
        if (c->image_size != NULL)
            REFUSE(c, EXIT_MISUSED, "%s says the size of its images itself: leave out --image-size", c->objects);
        if (h > MAX_SIDE || w > MAX_SIDE)
            REFUSE(c, EXIT_FAILED, "%s: images of %lld x %lld are too large to be drawn small: at most %d x %d", c->objects,
                   (long long)h, (long long)w, MAX_SIDE, MAX_SIDE);
        o->height = (int)h, o->width = (int)w, o->channels = (int)channels;
    } else {
        TRY(shape_rows(c, o));
    }
    TRY(look_at_images(c, o));
    double shrink = o->height > o->width ? (double)o->width / o->height : (double)o->height / o->width;
    o->box_width = o->width >= o->height ? THUMB : fmax(4, THUMB * shrink);
    o->box_height = o->height >= o->width ? THUMB : fmax(4, THUMB * shrink);
done:
    return status;
}

static int is_graph(const objects *o) { return strcmp(rkhs_data_kind(o->data), "graph") == 0; }

static rkhs_status take_graphs(cli *c, objects *o) {
    if (c->image_size != NULL) return refuse(c, EXIT_MISUSED, "%s has graphs: leave out --image-size", c->objects);
    o->labels.count = count_labels(o->data, o->labels.common, sizeof o->labels.common / sizeof *o->labels.common);
    if (o->labels.count < 0) return refuse(c, EXIT_FAILED, "there is no memory for the labels of the graphs");
    o->box_width = o->box_height = DRAWN;
    return RKHS_OK;
}

rkhs_status prepare_objects(cli *c, objects *o) {
    if (is_graph(o)) return take_graphs(c, o);
    if (rkhs_data_values(o->data, NULL) == NULL && rkhs_data_floats(o->data, NULL) == NULL)
        return refuse(c, EXIT_FAILED, "%s: there is no drawing of %s data: give images or graphs", c->objects,
                      rkhs_data_kind(o->data));
    return take_images(c, o);
}

rkhs_status take_objects(cli *c, int64_t n, objects *o) {
    rkhs_status status;
    int quiet = c->quiet;
    c->quiet = 1; /* no advice on how the array was read */
    status = read_plain(c, c->objects, &o->data);
    c->quiet = quiet;
    if (status != RKHS_OK) goto done;
    o->n = rkhs_data_rows(o->data);
    if (o->n != n)
        REFUSE(c, EXIT_FAILED, "%s has %s, but %s has %s: give one for each point", c->objects, rk_counted(o->n, "object").text,
               c->operand[0], rk_counted(n, "point").text);
    TRY(prepare_objects(c, o));
done:
    return status;
}

/* Converts one pixel to shades: one for grey, three for colour. */
static void shade_pixel(const objects *o, const double *pixel, uint8_t *shade) {
    if (o->channels == 1) {
        double level = (pixel[0] - o->min) / (o->max > o->min ? o->max - o->min : 1);
        shade[0] = (uint8_t)lround(255 * (o->dark ? 1 - level : level));
        return;
    }
    double full = o->max > 2 ? 255 : 1, opaque = o->channels == 4 ? fmin(1, fmax(0, pixel[3] / full)) : 1;
    for (int k = 0; k < 3; k++) shade[k] = (uint8_t)lround(255 * (opaque * fmin(1, fmax(0, pixel[k] / full)) + 1 - opaque));
}

/* Draws image i in f. Small images are enlarged, so that viewers that smooth keep their pixels; large ones are
 * subsampled. */
static void draw_image(canvas *v, const objects *o, int64_t i, const frame *f) {
    int longer = o->height > o->width ? o->height : o->width, times = longer < SHARP ? (SHARP + longer - 1) / longer : 1;
    int each = (longer + 2 * SHARP - 1) / (2 * SHARP), height = o->height * times / each, width = o->width * times / each;
    int bytes = o->channels == 1 ? 1 : 3;
    if (height < 1) height = 1;
    if (width < 1) width = 1;
    double *values = malloc((size_t)rkhs_data_columns(o->data) * sizeof *values);
    uint8_t *shade = malloc((size_t)height * (size_t)width * (size_t)bytes);
    if (values == NULL || shade == NULL) {
        free(values);
        free(shade);
        v->out.status = RKHS_ERR_MEMORY;
        return;
    }
    rkhs_data_row(o->data, i, values);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int64_t row = (int64_t)y * each / times, column = (int64_t)x * each / times;
            shade_pixel(o, values + (row * o->width + column) * o->channels,
                        shade + ((size_t)y * (size_t)width + (size_t)x) * (size_t)bytes);
        }
    }
    v->type->image(v, f, &(image){shade, width, height, bytes == 3 ? IMAGE_RGB : IMAGE_GREY});
    free(shade);
    free(values);
}

void draw_object(canvas *v, const objects *o, int64_t i, const frame *f) {
    if (!is_graph(o)) {
        draw_image(v, o, i, f);
        return;
    }
    v->type->rect(v, f, &(pen){.fill = "#ffffff"});
    draw_graph(v, o->data, i, &o->labels, f);
}

/* A pseudo-random order that depends only on the indices. */
static int by_turn(const void *a, const void *b) {
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    double x = jitter(i), y = jitter(j);
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

void draw_objects(canvas *v, const picture *p, const frame *f, const axis *x, const axis *y) {
    const objects *o = &p->objects;
    const points *s = &p->sets[0];
    double width = o->box_width, height = o->box_height;
    int64_t count = 0, room = (int64_t)((f->width / (width + APART) + 2) * (f->height / (height + APART) + 2)) + 1;
    int64_t *turn = malloc((size_t)s->n * sizeof *turn);
    frame *drawn = malloc((size_t)room * 4 * sizeof *drawn);
    char hex[8];
    if (turn == NULL || drawn == NULL) {
        v->out.status = RKHS_ERR_MEMORY;
        goto done;
    }
    for (int64_t i = 0; i < s->n; i++) turn[i] = i;
    qsort(turn, (size_t)s->n, sizeof *turn, by_turn);
    for (int64_t q = 0; q < s->n && count < 4 * room; q++) {
        const double *row = s->values + turn[q] * s->ld;
        frame at = {f->left + f->width * axis_at(x, row[0]) - width / 2,
                    f->top + f->height * (1 - axis_at(y, row[1])) - height / 2, width, height};
        int64_t k = 0;
        while (k < count && (fabs(drawn[k].left - at.left) >= width + APART || fabs(drawn[k].top - at.top) >= height + APART))
            k++;
        if (k < count) continue;
        drawn[count++] = at;
        draw_object(v, o, turn[q], &at);
        v->type->rect(v, &at, &(pen){.stroke = class_colour(&p->key, s->codes[turn[q]], hex), .width = 1.5});
    }
done:
    free(drawn);
    free(turn);
}
