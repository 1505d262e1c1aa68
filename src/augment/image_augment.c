/* image_augment.c: augmentations of images (flip, shift by a few pixels, random crop resized to the original size). */
#include "augment/augment.h"

#include <string.h>

/* Computes image `to` from image `from`, number `row` of the data set, both of h x w x c numbers. */
typedef void (*picture_fn)(const void *self, const rk_image *shape, uint64_t seed, int64_t row, const double *from, double *to);

typedef struct job {
    const rkhs_data *x;
    const void *self;
    picture_fn draw;
    uint64_t seed;
    double *to;
    double *room; /* workers x columns, for floats; else NULL */
} job;

enum { ROWS = 64 }; /* per tile */

static rkhs_status draw_tile(void *context, int64_t tile, int worker) {
    const job *j = context;
    const rk_dense *d = rk_dense_of(j->x);
    int64_t p = j->x->columns;
    double *room = j->room ? j->room + worker * p : NULL;
    for (int64_t i = tile * ROWS; i < rk_min((tile + 1) * ROWS, j->x->rows); i++)
        j->draw(j->self, rk_images(j->x), j->seed, i, rk_dense_row(d, i, 0, p, room), j->to + i * p);
    return RKHS_OK;
}

static rkhs_status draw_images(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, picture_fn draw,
                               rkhs_data **out) {
    const rk_image *shape = rk_images(x);
    rkhs_data *drawn = NULL;
    double *to;
    rkhs_status status = rk_data_image_new(env, x->rows, shape->h, shape->w, shape->c, &to, &drawn);
    rk_mark mark = rk_scratch_mark(env);
    job j = {x, self, draw, seed, to, NULL};
    if (status == RKHS_OK && !rk_dense_of(x)->values)
        status = rk_scratch(env, rk_workers(env) * x->columns, sizeof *j.room, &j.room);
    if (status == RKHS_OK) status = rk_parallel(env, "augment", (x->rows + ROWS - 1) / ROWS, draw_tile, &j);
    rk_scratch_release(env, mark);
    if (status == RKHS_OK)
        *out = drawn;
    else
        rkhs_data_free(drawn);
    return status;
}

/* An integer in low .. high, from a uniform u in (0, 1). */
static int64_t whole(double u, int64_t low, int64_t high) {
    return rk_min(low + (int64_t)floor(u * (double)(high - low + 1)), high);
}

static int64_t within(int64_t v, int64_t count) { return v < 0 ? 0 : v >= count ? count - 1 : v; }

/* ---- flip ------------------------------------------------------------------------------------------------------ */

typedef struct flip {
    int axis;
    double rate;
} flip;

enum { HORIZONTAL, VERTICAL };

static void flip_one(const void *self, const rk_image *s, uint64_t seed, int64_t row, const double *from, double *to) {
    const flip *o = self;
    int turn = rk_uniform(seed, RK_STREAM_AUGMENT, (uint64_t)row, 0) < o->rate;
    for (int64_t y = 0; y < s->h; y++)
        for (int64_t x = 0; x < s->w; x++) {
            int64_t v = turn && o->axis == VERTICAL ? s->h - 1 - y : y, u = turn && o->axis == HORIZONTAL ? s->w - 1 - x : x;
            memcpy(to + (y * s->w + x) * s->c, from + (v * s->w + u) * s->c, (size_t)s->c * sizeof *to);
        }
}

static rkhs_status draw_flip(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    return draw_images(env, self, x, seed, flip_one, out);
}

/* clang-format off */
static const rk_param params_flip[] = {
    {.name = "axis", .kind = RK_CHOICE, .offset = offsetof(flip, axis), .value = "horizontal",
     .choices = "horizontal|vertical", .brief = "horizontal swaps left and right, vertical swaps top and bottom"},
    {.name = "rate", .kind = RK_REAL, .offset = offsetof(flip, rate), .value = "1", .min = 0, .max = 1,
     .min_excluded = 1, .brief = "share of the images that are mirrored"},
    {.name = NULL},
};
/* clang-format on */

const rk_augment_type rk_augment_flip = {
    .entry = {.name = "flip", .brief = "mirrored images", .params = params_flip, .size = sizeof(flip)},
    .kinds = RK_KIND_IMAGE,
    .draw = draw_flip,
};

/* ---- shift ----------------------------------------------------------------------------------------------------- */

typedef struct shift {
    int64_t max_shift;
} shift;

static void shift_one(const void *self, const rk_image *s, uint64_t seed, int64_t row, const double *from, double *to) {
    int64_t most = ((const shift *)self)->max_shift, side = 2 * most + 1;
    int64_t step = whole(rk_uniform(seed, RK_STREAM_AUGMENT, (uint64_t)row, 0), 0, side * side - 2);
    if (step >= side * side / 2) step++; /* skip the middle one, which is no shift */
    int64_t dy = step / side - most, dx = step % side - most;
    for (int64_t y = 0; y < s->h; y++)
        for (int64_t x = 0; x < s->w; x++)
            memcpy(to + (y * s->w + x) * s->c, from + (within(y - dy, s->h) * s->w + within(x - dx, s->w)) * s->c,
                   (size_t)s->c * sizeof *to);
}

static rkhs_status draw_shift(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    return draw_images(env, self, x, seed, shift_one, out);
}

/* clang-format off */
static const rk_param params_shift[] = {
    {.name = "max_shift", .aliases = "most", .kind = RK_INT, .offset = offsetof(shift, max_shift), .value = "2",
     .min = 1, .max = 1e4, .brief = "largest shift in pixels, in each direction; the edge is repeated"},
    {.name = NULL},
};
/* clang-format on */

const rk_augment_type rk_augment_shift = {
    .entry = {.name = "shift", .brief = "images shifted by a few pixels", .params = params_shift, .size = sizeof(shift)},
    .kinds = RK_KIND_IMAGE,
    .draw = draw_shift,
};

/* ---- crop ------------------------------------------------------------------------------------------------------ */

typedef struct crop {
    double share;
} crop;

/* Linear interpolation of pixel `at` of `count` in a window of `part` pixels from `begin` on: returns the lower of the
 * two pixels, and the weight of the next one in *weight. */
static int64_t interpolate(int64_t at, int64_t count, int64_t begin, int64_t part, double *weight) {
    double v = ((double)at + 0.5) * (double)part / (double)count - 0.5;
    v = v < 0 ? 0 : v > (double)(part - 1) ? (double)(part - 1) : v;
    int64_t low = rk_min((int64_t)v, rk_max(0, part - 2));
    *weight = v - (double)low;
    return begin + low;
}

static void crop_one(const void *self, const rk_image *s, uint64_t seed, int64_t row, const double *from, double *to) {
    double share = ((const crop *)self)->share, u[4], a, b;
    int64_t h = rk_max(1, llround(share * (double)s->h)), w = rk_max(1, llround(share * (double)s->w));
    rk_uniforms(seed, RK_STREAM_AUGMENT, (uint64_t)row, 0, u);
    int64_t top = whole(u[0], 0, s->h - h), left = whole(u[1], 0, s->w - w);
    for (int64_t y = 0; y < s->h; y++)
        for (int64_t x = 0; x < s->w; x++) {
            int64_t v = interpolate(y, s->h, top, h, &a), v1 = rk_min(v + 1, top + h - 1);
            int64_t t = interpolate(x, s->w, left, w, &b), t1 = rk_min(t + 1, left + w - 1);
            for (int64_t k = 0; k < s->c; k++) {
                double above = (1 - b) * from[(v * s->w + t) * s->c + k] + b * from[(v * s->w + t1) * s->c + k];
                double below = (1 - b) * from[(v1 * s->w + t) * s->c + k] + b * from[(v1 * s->w + t1) * s->c + k];
                to[(y * s->w + x) * s->c + k] = (1 - a) * above + a * below;
            }
        }
}

static rkhs_status draw_crop(rkhs_env *env, const void *self, const rkhs_data *x, uint64_t seed, rkhs_data **out) {
    return draw_images(env, self, x, seed, crop_one, out);
}

/* clang-format off */
static const rk_param params_crop[] = {
    {.name = "share", .kind = RK_REAL, .offset = offsetof(crop, share), .value = "0.85", .min = 0, .max = 1,
     .min_excluded = 1, .brief = "share of each side that is kept"},
    {.name = NULL},
};

const rk_augment_type rk_augment_crop = {
    .entry = {.name = "crop", .brief = "a random crop of the image, resized to the original size",
              .params = params_crop, .size = sizeof(crop)},
    .kinds = RK_KIND_IMAGE, .draw = draw_crop,
};
/* clang-format on */
