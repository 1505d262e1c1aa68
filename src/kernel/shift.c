/* shift.c: the wrappers shift and align, which make a kernel on images tolerate shifts of a few pixels.
 *
 *     shift(k, by=s)(x, y) = mean over a, b of k(T_a x, T_b y)  align(k, by=s)(x, y) = max over a, b of k(T_a x, T_b y)
 *
 * a and b go over the S = (2s+1)^2 shifts of up to s pixels in each direction; T_a moves an image by a, and zeros move
 * in. With k(x,y) = <f(x), f(y)> the mean is <g(x), g(y)>, g(x) = mean_a f(T_a x), so it is positive semi-definite if
 * k is. The maximum is of no such form: align may have negative eigenvalues.
 *
 * The kernel inside is bound to all shifts of all images, S rows for each, and S^2 of its values make one. Its
 * bandwidth rules (sigma=median) see the shifted images. Partial sums end at whole images, or at the same shifts of
 * any image, so that no bit depends on the tile. */
#include "kernel/kernel.h"

#include <string.h>

typedef struct shift {
    int64_t by;
} shift;

/* clang-format off */
static const rk_param shift_params[] = {
    {.name = "by", .kind = RK_INT, .offset = offsetof(shift, by), .value = "1", .max = 8,
     .brief = "largest shift in pixels, in each direction; zeros fill the edge"},
    {.name = NULL},
};
/* clang-format on */

static int64_t shifts_of(const void *self) {
    int64_t side = 2 * ((const shift *)self)->by + 1;
    return side * side;
}

/* Moves an image down by dy and to the right by dx, into zeros. */
static void move_image(const rk_image *image, const char *from, int64_t dy, int64_t dx, char *to) {
    int64_t h = image->h, w = image->w, columns = w - (dx < 0 ? -dx : dx);
    int64_t size = image->c * (int64_t)rk_dense_size(&image->dense); /* bytes of a pixel */
    for (int64_t y = rk_max(0, dy); columns > 0 && y < rk_min(h, h + dy); y++)
        memcpy(to + (y * w + rk_max(0, dx)) * size, from + ((y - dy) * w + rk_max(0, -dx)) * size, (size_t)(columns * size));
}

/* Row i*S + a: image i moved by the a-th shift. */
static rkhs_status view_shift(rkhs_env *env, const void *self, const rkhs_data *x, rkhs_data **view) {
    rkhs_status status = RKHS_OK;
    const rk_image *image = rk_images(x);
    const rk_dense *from = rk_dense_of(x);
    int64_t by = ((const shift *)self)->by, S = shifts_of(self);
    rkhs_data *y = NULL;
    char *to;
    int64_t bytes = x->columns * (int64_t)rk_dense_size(from);
    TRY(rk_require_memory(env, (double)x->rows * (double)S * (double)bytes, "a copy of all images for each shift",
                          "take fewer images or shifts, or raise the memory limit"));
    TRY(rk_data_alike_new(env, x, x->rows * S, x->columns, &to, &y));
    TRY(rk_image_from_dense(env, &y, image->h, image->w, image->c));
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t dy = -by; dy <= by; dy++)
            for (int64_t dx = -by; dx <= by; dx++, to += bytes) move_image(image, rk_dense_bytes(from, i), dy, dx, to);
        TRY(rk_progress(env, NULL, 0, 0));
    }
    *view = y;
    y = NULL;
done:
    rkhs_data_free(y);
    return status;
}

static int64_t work_shift(const rk_bound *a, const rk_bound *b) { return RK_TILE * RK_TILE; }

/* As many images as make two tiles of the child. */
static int64_t tile_shift(const rk_bound *a, const rk_bound *b) {
    return rk_max(1, 2 * rk_kernel_tile(a->child[0], b->child[0]) / shifts_of(rk_kernel_self(a)));
}

/* Adds a tile of the child's values to out, or takes their maximum; its rows and columns are shifts of images. */
static void gather(int largest, int64_t S, int64_t ni, int64_t nj, const double *values, double *out, int64_t ld) {
    for (int64_t i = 0; i < ni; i++) {
        double *to = out + i / S * ld;
        for (int64_t j = 0; j < nj; j += S, to++) {
            const double *v = values + i * RK_TILE + j;
            int64_t count = rk_min(S, nj - j);
            double sum = 0, top = -INFINITY;
            for (int64_t b = 0; !largest && b < count; b++) sum += v[b];
            for (int64_t b = 0; largest && b < count; b++) top = v[b] > top ? v[b] : top;
            *to = largest ? fmax(*to, top) : *to + sum;
        }
    }
}

/* One tile. The child runs over whole images or, if one image has more shifts than a tile has rows, parts of one. */
static rkhs_status gather_tiles(int largest, const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0,
                                int64_t nj, double *out, int64_t ld, rk_work work) {
    int64_t S = shifts_of(rk_kernel_self(a)), images = rk_max(1, RK_TILE / S);
    double *values = rk_work_take(&work, RK_TILE * RK_TILE);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] = largest ? -INFINITY : 0;
    for (int64_t i = 0; i < ni; i += images)
        for (int64_t j = 0; j < nj; j += images) {
            int64_t rows = rk_min(images, ni - i) * S, columns = rk_min(images, nj - j) * S;
            for (int64_t r = 0; r < rows; r += RK_TILE)
                for (int64_t c = 0; c < columns; c += RK_TILE) {
                    int64_t nr = rk_min(RK_TILE, rows - r), nc = rk_min(RK_TILE, columns - c);
                    rkhs_status status = rk_block_of(a->child[0], (i0 + i) * S + r, nr, b->child[0], (j0 + j) * S + c, nc,
                                                     values, RK_TILE, work);
                    if (status != RKHS_OK) return status;
                    gather(largest, S, nr, nc, values, out + i * ld + j, ld);
                }
        }
    return RKHS_OK;
}

static rkhs_status block_shift(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    rkhs_status status = gather_tiles(0, a, i0, ni, b, j0, nj, out, ld, work);
    double S = (double)shifts_of(rk_kernel_self(a));
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] /= S * S;
    return status;
}

static rkhs_status block_align(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                               double *out, int64_t ld, rk_work work) {
    return gather_tiles(1, a, i0, ni, b, j0, nj, out, ld, work);
}

/* clang-format off */
const rk_kernel_type rk_kernel_shift = {
    .entry = {.name = "shift", .brief = "mean of k over shifts of both images",
              .formula = "shift(k, by=s) = mean of k(T_a x, T_b y)",
              .where = "T_a x: the image x shifted by a; a and b: all shifts of up to s pixels in each direction",
              .cost = "the inner kernel (2s+1)^4 times, and (2s+1)^2 copies of the images", .params = shift_params,
              .size = sizeof(shift)},
    .kinds = RK_KIND_IMAGE, .flags = RK_PSD | RK_SCALE_FREE, .children = 1, .view = view_shift, .work = work_shift,
    .tile = tile_shift, .block = block_shift,
};

const rk_kernel_type rk_kernel_align = {
    .entry = {.name = "align", .brief = "the largest k over shifts of both images; not positive semi-definite",
              .formula = "align(k, by=s) = max of k(T_a x, T_b y)",
              .where = "T_a x: the image x shifted by a; a and b: all shifts of up to s pixels in each direction",
              .cost = "the inner kernel (2s+1)^4 times, and (2s+1)^2 copies of the images", .params = shift_params,
              .size = sizeof(shift)},
    .kinds = RK_KIND_IMAGE, .flags = RK_SCALE_FREE, .children = 1, .view = view_shift, .work = work_shift,
    .tile = tile_shift, .block = block_align,
};
/* clang-format on */
