/* thumbs.c: small images, or drawn graphs, in a scatter plot.  SPDX-License-Identifier: BSD-3-Clause
 *
 * Points are asked in an order that depends on their numbers alone; one that lies away from all images placed so far gets its
 * image. What is the lowest number of the file is white and the highest black, or the other way round where the images are dark
 * along their edges: on paper they stand on white. */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THUMB = 26, DRAWN = 46, APART = 9, MOST_SIDE = 2048, SHARP = 52 };

/* The shape of an NPY file of three dimensions, n x height x width; 0 for other files. */
static int npy_shape(const char *path, int *height, int *width) {
    char head[1024];
    FILE *file = ends_in(path, ".npy") ? fopen(path, "rb") : NULL;
    long long shape[3];
    int more = 0;
    if (file == NULL) return 0;
    size_t count = fread(head, 1, sizeof head - 1, file);
    fclose(file);
    head[count] = 0;
    if (count < 16 || memcmp(head, "\x93NUMPY", 6) != 0) return 0;
    for (size_t i = 0; i < 16; i++) head[i] = ' '; /* lengths may hold zeros */
    const char *at = strstr(head, "'shape'");
    at = at != NULL ? strchr(at, '(') : NULL;
    if (at == NULL || sscanf(at, "(%lld, %lld, %lld%*[,) ]%n", &shape[0], &shape[1], &shape[2], &more) != 3) return 0;
    if (shape[1] < 1 || shape[1] > MOST_SIDE || shape[2] < 1 || shape[2] > MOST_SIDE) return 0;
    *height = (int)shape[1];
    *width = (int)shape[2];
    return 1;
}

/* HxW, both from 1 to MOST_SIDE. */
static rkhs_status parse_size(cli *c, int *height, int *width) {
    int used = 0;
    if (sscanf(c->image_size, "%5d%*1[xX]%5d%n", height, width, &used) == 2 && c->image_size[used] == 0 && *height >= 1 &&
        *width >= 1 && *height <= MOST_SIDE && *width <= MOST_SIDE)
        return RKHS_OK;
    return refuse(c, EXIT_MISUSED, "--image-size takes HEIGHTxWIDTH, as in 28x28, up to %d, not '%.40s'", MOST_SIDE,
                  c->image_size);
}

/* Graphs in place of images. */
static rkhs_status take_graphs(cli *c, int64_t n, const rkhs_data *data, thumbs *t) {
    if (rkhs_data_rows(data) != n)
        return refuse(c, EXIT_FAILED, "%s has %lld graphs, but %s has %lld points: give one graph for each point", c->images,
                      (long long)rkhs_data_rows(data), c->operand[0], (long long)n);
    t->labels.count = count_labels(data, t->labels.common, sizeof t->labels.common / sizeof *t->labels.common);
    if (t->labels.count < 0) return refuse(c, EXIT_FAILED, "there is no memory for the labels of the graphs");
    t->graphs = data;
    t->n = n;
    t->height = t->width = 1;
    return RKHS_OK;
}

rkhs_status take_images(cli *c, int64_t n, rkhs_data **data, thumbs *t) {
    rkhs_status status;
    int quiet = c->quiet;
    if (c->image_size != NULL) TRY(parse_size(c, &t->height, &t->width));
    c->quiet = 1; /* that n x h x w are n rows is known here */
    status = read_plain(c, c->images, data);
    c->quiet = quiet;
    if (status != RKHS_OK) goto done;
    if (strcmp(rkhs_data_kind(*data), "graph") == 0) return take_graphs(c, n, *data, t);
    t->values = rkhs_data_values(*data, &t->ld);
    t->n = rkhs_data_rows(*data);
    long long p = rkhs_data_columns(*data), side = llround(sqrt((double)p));
    if (t->values == NULL || p < 1) REFUSE(c, EXIT_FAILED, "%s: holds no images: rows of numbers are needed", c->images);
    if (t->n != n)
        REFUSE(c, EXIT_FAILED, "%s has %lld images, but %s has %lld points: give one image for each point", c->images,
               (long long)t->n, c->operand[0], (long long)n);
    if (c->image_size == NULL && !npy_shape(c->images, &t->height, &t->width)) {
        if (side * side != p || side > MOST_SIDE)
            REFUSE(c, EXIT_FAILED, "%s: %lld numbers for each image make no square: give --image-size HEIGHTxWIDTH", c->images,
                   p);
        t->height = t->width = (int)side;
    }
    if ((long long)t->height * t->width != p)
        REFUSE(c, EXIT_FAILED, "%s: an image has %lld numbers, and %d x %d are %lld: give grey images and their --image-size",
               c->images, p, t->height, t->width, (long long)t->height * t->width);
done:
    return status;
}

/* The least and the most of all images, and whether they are dark along their edges. */
static void look_at(const thumbs *t, double *least, double *most, int *dark) {
    double edge = 0;
    int64_t counted = 0;
    *least = *most = t->values[0];
    for (int64_t i = 0; i < t->n; i++) {
        for (int y = 0; y < t->height; y++) {
            for (int x = 0; x < t->width; x++) {
                double value = t->values[i * t->ld + (int64_t)y * t->width + x];
                *least = fmin(*least, value);
                *most = fmax(*most, value);
                if (y > 0 && x > 0 && y < t->height - 1 && x < t->width - 1) continue;
                edge += value;
                counted++;
            }
        }
    }
    *dark = edge / (double)counted - *least < 0.35 * (*most - *least);
}

/* Draws image i in f. Few pixels are repeated, so that viewers that blur do not blur them away; many are thinned out. */
static void draw_thumb(canvas *v, const thumbs *t, int64_t i, const frame *f, double least, double most, int dark) {
    int longer = t->height > t->width ? t->height : t->width, times = longer < SHARP ? (SHARP + longer - 1) / longer : 1;
    int each = (longer + 2 * SHARP - 1) / (2 * SHARP), height = t->height * times / each, width = t->width * times / each;
    if (height < 1) height = 1;
    if (width < 1) width = 1;
    uint8_t *shade = malloc((size_t)height * (size_t)width);
    double span = most > least ? most - least : 1;
    if (shade == NULL) {
        v->out.failed = 1;
        return;
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int64_t row = (int64_t)y * each / times, column = (int64_t)x * each / times;
            double level = (t->values[i * t->ld + row * t->width + column] - least) / span;
            shade[y * width + x] = (uint8_t)lround(255 * (dark ? 1 - level : level));
        }
    }
    v->type->image(v, f, &(image){shade, width, height, 0});
    free(shade);
}

/* The order in which points are asked: by a number that depends on theirs alone. */
static int by_turn(const void *a, const void *b) {
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    double x = jitter(i), y = jitter(j);
    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

void draw_thumbs(canvas *v, const picture *p, const frame *f, const axis *x, const axis *y) {
    const thumbs *t = &p->images;
    const points *s = &p->sets[0];
    double shrink = t->height > t->width ? (double)t->width / t->height : (double)t->height / t->width, least = 0, most = 0;
    double side = t->graphs != NULL ? DRAWN : THUMB, width = t->width >= t->height ? side : fmax(4, side * shrink),
           height = t->height >= t->width ? side : fmax(4, side * shrink);
    int64_t count = 0, room = (int64_t)((f->width / (width + APART) + 2) * (f->height / (height + APART) + 2)) + 1;
    int64_t *turn = malloc((size_t)s->n * sizeof *turn);
    frame *placed = malloc((size_t)room * 4 * sizeof *placed);
    char hex[8];
    int dark = 0;
    if (turn == NULL || placed == NULL) {
        v->out.failed = 1;
        goto done;
    }
    for (int64_t i = 0; i < s->n; i++) turn[i] = i;
    qsort(turn, (size_t)s->n, sizeof *turn, by_turn);
    if (t->graphs == NULL) look_at(t, &least, &most, &dark);
    for (int64_t q = 0; q < s->n && count < 4 * room; q++) {
        const double *row = s->values + turn[q] * s->ld;
        frame at = {f->left + f->width * axis_at(x, row[0]) - width / 2,
                    f->top + f->height * (1 - axis_at(y, row[1])) - height / 2, width, height};
        int64_t k = 0;
        while (k < count && (fabs(placed[k].left - at.left) >= width + APART || fabs(placed[k].top - at.top) >= height + APART))
            k++;
        if (k < count) continue;
        placed[count++] = at;
        if (t->graphs != NULL) {
            v->type->rect(v, &at, &(pen){.fill = "#ffffff"});
            draw_graph(v, t->graphs, turn[q], &t->labels, &at);
        } else {
            draw_thumb(v, t, turn[q], &at, least, most, dark);
        }
        v->type->rect(v, &at, &(pen){.stroke = class_colour(&p->key, s->codes[turn[q]], hex), .width = 1.5});
    }
done:
    free(placed);
    free(turn);
}
