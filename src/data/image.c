/* image.c: the data kind "image", images of one size, stored as vectors with a height, a width and channels.
 *
 * An image of h x w pixels with c channels is a row of h*w*c numbers. Pixel (y, x), channel k is number
 * (y*w + x)*c + k. c is 1 (grey), 3 (RGB) or 4 (RGBA). rk_image begins with rk_dense, so kernels on vectors accept
 * images. Numbers keep their scale, usually 0 .. 255. */
#include "data/data.h"

#include <stdio.h>
#include <string.h>

static const rk_image *image_of(const rkhs_data *x) { return x->self; }

const rk_image *rk_images(const rkhs_data *x) { return x->type == &rk_data_image ? image_of(x) : NULL; }

/* rk_image_check for numbers of `size` bytes. */
static rkhs_status check_images(rkhs_env *env, const char *where, int64_t n, int64_t h, int64_t w, int64_t c, size_t size) {
    const char *begin = where ? where : "", *colon = where ? ": " : "";
    if (n < 1 || h < 1 || w < 1)
        return rk_fail(env, RKHS_ERR_DATA, "%s%s%s of %lld x %lld pixels: at least one of each is needed", begin, colon,
                       rk_counted(n, "image").text, (long long)h, (long long)w);
    if (c != 1 && c != 3 && c != 4)
        return rk_fail(env, RKHS_ERR_DATA, "%s%simages of %s: 1 (grey), 3 (red, green, blue) or 4 (and opacity) can be handled",
                       begin, colon, rk_counted(c, "channel").text);
    if (h > INT32_MAX / w || h * w > INT32_MAX / c || n > INT64_MAX / 16 / (h * w * c))
        return rk_fail(env, RKHS_ERR_MEMORY,
                       "%s%s%s of %lld x %lld pixels need %.3g bytes, more than can be handled: make them smaller", begin,
                       colon, rk_counted(n, "image").text, (long long)h, (long long)w,
                       (double)size * (double)n * (double)h * (double)w * (double)c);
    char what[320];
    if (n == 1)
        snprintf(what, sizeof what, "%.160s%san image of %lld x %lld pixels", begin, colon, (long long)h, (long long)w);
    else
        snprintf(what, sizeof what, "%.160s%sa set of %s of %lld x %lld pixels", begin, colon, rk_counted(n, "image").text,
                 (long long)h, (long long)w);
    return rk_require_memory(env, (double)size * (double)n * (double)(h * w * c), what,
                             "make the images smaller, or raise the memory limit");
}

rkhs_status rk_image_check(rkhs_env *env, const char *where, int64_t n, int64_t h, int64_t w, int64_t c) {
    return check_images(env, where, n, h, w, c, sizeof(double));
}

rkhs_status rk_data_image_new(rkhs_env *env, int64_t n, int64_t h, int64_t w, int64_t c, double **values, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    *out = NULL;
    TRY(rk_image_check(env, NULL, n, h, w, c));
    TRY(rk_data_dense_new(env, n, h * w * c, values, &x));
    TRY(rk_image_from_dense(env, &x, h, w, c));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

rkhs_status rk_image_from_dense(rkhs_env *env, rkhs_data **x, int64_t h, int64_t w, int64_t c) {
    rkhs_data *dense = *x, *y;
    rkhs_status status = rk_data_new(env, &rk_data_image, dense->rows, dense->columns, &y);
    if (status != RKHS_OK) return status;
    *(rk_image *)y->self = (rk_image){.dense = *(rk_dense *)dense->self, .h = h, .w = w, .c = c};
    y->labels = dense->labels;
    *(rk_dense *)dense->self = (rk_dense){0};
    dense->labels = NULL;
    rkhs_data_free(dense);
    *x = y;
    return RKHS_OK;
}

rkhs_status rk_image_view(rkhs_env *env, const rkhs_data *x, const rkhs_data *like, rkhs_data **view) {
    const rk_dense *from = rk_dense_of(x);
    rkhs_status status = rk_data_new(env, &rk_data_image, x->rows, x->columns, view);
    if (status != RKHS_OK) return status;
    rk_image *to = (*view)->self;
    *to = *image_of(like);
    to->dense = (rk_dense){.values = from->values, .floats = from->floats, .ld = from->ld};
    return RKHS_OK;
}

/* Images that are copied from doubles, or from floats. */
static rkhs_status copy_images(rkhs_env *env, const void *from, int floats, int64_t n, int64_t h, int64_t w, int64_t c,
                               rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *x = NULL;
    double *to = NULL;
    float *narrow = NULL;
    size_t size = floats ? sizeof *narrow : sizeof *to;
    rk_begin_call(env);
    *data = NULL;
    if (!from) FAIL(env, RKHS_ERR_ARGUMENT, "the images have no values: the pointer is NULL");
    TRY(check_images(env, NULL, n, h, w, c, size));
    int64_t p = h * w * c;
    TRY(floats ? rk_float_check(env, NULL, from, n, p, p) : rk_dense_check(env, NULL, from, n, p, p));
    TRY(floats ? rk_data_float_new(env, n, p, &narrow, &x) : rk_data_dense_new(env, n, p, &to, &x));
    memcpy(floats ? (void *)narrow : to, from, (size_t)(n * p) * size);
    TRY(rk_image_from_dense(env, &x, h, w, c));
    *data = x;
    x = NULL;
done:
    rkhs_data_free(x);
    return status;
}

rkhs_status rkhs_data_images(rkhs_env *env, const double *values, int64_t n, int64_t h, int64_t w, int64_t c,
                             rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_images", "variable for the data");
    return copy_images(env, values, 0, n, h, w, c, data);
}

rkhs_status rkhs_data_images_float(rkhs_env *env, const float *values, int64_t n, int64_t h, int64_t w, int64_t c,
                                   rkhs_data **data) {
    if (!env || !data) return rk_fail_null(env, "rkhs_data_images_float", "variable for the data");
    return copy_images(env, values, 1, n, h, w, c, data);
}

int rkhs_data_shape(const rkhs_data *data, int64_t *h, int64_t *w, int64_t *c) {
    const rk_image *image = data ? rk_images(data) : NULL;
    if (!image) return 0;
    if (h) *h = image->h;
    if (w) *w = image->w;
    if (c) *c = image->c;
    return 1;
}

/* ---- the table: the functions of dense data, and the shape ----------------------------------------------------- */

static rkhs_status subset_image(rkhs_env *env, const rkhs_data *x, const int64_t *index, int64_t count, rkhs_data *out) {
    rk_image *to = out->self;
    to->h = image_of(x)->h;
    to->w = image_of(x)->w;
    to->c = image_of(x)->c;
    return rk_data_dense.subset(env, x, index, count, out);
}

static rkhs_status join_image(rkhs_env *env, const rkhs_data *const *parts, int count, rkhs_data *out) {
    const rk_image *first = image_of(parts[0]);
    rk_image *to = out->self;
    for (int k = 1; k < count; k++) {
        const rk_image *image = image_of(parts[k]);
        if (image->h != first->h || image->w != first->w || image->c != first->c)
            return rk_fail(env, RKHS_ERR_DATA,
                           "images of %lld x %lld pixels cannot be joined with those of %lld x %lld: bring them to one size",
                           (long long)image->h, (long long)image->w, (long long)first->h, (long long)first->w);
    }
    to->h = first->h;
    to->w = first->w;
    to->c = first->c;
    return rk_data_dense.join(env, parts, count, out);
}

static rkhs_status save_image(const rkhs_data *x, rk_archive *archive, const char *prefix) {
    const rk_image *image = image_of(x);
    char name[256];
    snprintf(name, sizeof name, "%sshape", prefix);
    rk_array a = {'q', 1, {3}, (int64_t[]){image->h, image->w, image->c}};
    rkhs_status status = rk_archive_put_copy(archive, name, &a);
    return status == RKHS_OK ? rk_data_dense.save(x, archive, prefix) : status;
}

static rkhs_status load_image(rkhs_env *env, rk_archive *archive, const char *prefix, rkhs_data *out) {
    rkhs_status status = RKHS_OK;
    rk_image *to = out->self;
    char name[256];
    rk_array a;
    TRY(rk_data_dense.load(env, archive, prefix, out));
    snprintf(name, sizeof name, "%sshape", prefix);
    TRY(rk_archive_get(archive, name, 'q', 1, &a));
    if (a.shape[0] != 3)
        FAIL(env, RKHS_ERR_FORMAT, "the array '%s' is not height, width and channels: make the file again", name);
    const int64_t *shape = a.data;
    TRY(check_images(env, name, out->rows, shape[0], shape[1], shape[2], rk_dense_size(&to->dense)));
    if (shape[0] * shape[1] * shape[2] != out->columns)
        FAIL(env, RKHS_ERR_FORMAT, "images of %lld x %lld x %lld do not have %s: make the file again", (long long)shape[0],
             (long long)shape[1], (long long)shape[2], rk_counted(out->columns, "number").text);
    to->h = shape[0];
    to->w = shape[1];
    to->c = shape[2];
done:
    return status;
}

/* Always fails, with advice: a row of numbers does not tell its height and width. */
static rkhs_status adopt_image(rkhs_env *env, const rkhs_data *from, rkhs_data *out) {
    return rk_fail(env, RKHS_ERR_DATA,
                   "the kernel takes images, and rows of %s do not say their height and width: give an array of n x height x "
                   "width, or of n x height x width x channels, or a folder of PNG files",
                   rk_counted(from->columns, "number").text);
}

static void release_image(rkhs_data *x) { rk_data_dense.release(x); }

/* clang-format off */
const rk_data_type rk_data_image = {
    .entry = {.name = "image", .brief = "images of one size, grey or in colours", .size = sizeof(rk_image)},
    .kind = RK_KIND_IMAGE, .subset = subset_image, .join = join_image, .save = save_image, .load = load_image,
    .adopts = RK_KIND_DENSE, .adopt = adopt_image, .release = release_image,
};
/* clang-format on */
