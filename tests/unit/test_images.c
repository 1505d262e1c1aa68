/* Images: their shape, vector kernels on them, kernels that do not mind a shift, models, files of arrays and of PNG. */
#include "files.h"

#include <zlib.h>

#include "kernel/kernel.h"
#include "model/model.h"

/* Number (y, x, k) of image i: whole numbers from 0 to 255, many of them 0. */
static double pixel(int64_t i, int64_t q) {
    double u = rk_uniform(11, RK_STREAM_TEST, (uint64_t)i, (uint64_t)q);
    return u < 0.4 ? 0 : floor(256 * u);
}

/* n images from the given one on. */
static rkhs_data *some_images(rkhs_env *env, int64_t from, int64_t n, int64_t h, int64_t w, int64_t c) {
    double *values = calloc((size_t)(n * h * w * c), sizeof *values);
    rkhs_data *x;
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = 0; q < h * w * c; q++) values[i * h * w * c + q] = pixel(from + i, q);
    OK(env, rkhs_data_images(env, values, n, h, w, c, &x));
    free(values);
    return x;
}

/* The same as vectors. */
static rkhs_data *as_vectors(rkhs_env *env, const rkhs_data *x) {
    int64_t ld;
    rkhs_data *y;
    const double *values = rkhs_data_values(x, &ld);
    OK(env, rkhs_data_dense(env, values, rkhs_data_rows(x), rkhs_data_columns(x), ld, &y));
    return y;
}

static void gram_of(rkhs_env *env, const char *text, const rkhs_data *a, const rkhs_data *b, double *K) {
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, text, &k));
    OK(env, rkhs_kernel_gram(k, a, b, K, (b ? b : a)->rows));
    rkhs_kernel_free(k);
}

static rkhs_status try_gram(rkhs_env *env, const char *text, const rkhs_data *a, const rkhs_data *b) {
    double K[64];
    rkhs_kernel *k;
    OK(env, rkhs_kernel_new(env, text, &k));
    rkhs_status status = rkhs_kernel_gram(k, a, b, K, (b ? b : a)->rows);
    rkhs_kernel_free(k);
    return status;
}

static void near_all(const double *a, const double *b, int64_t count, double tolerance) {
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("number %lld is %.17g, not %.17g", (long long)i, a[i], b[i]);
}

static void a_shape_is_kept_or_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x = some_images(env, 0, 5, 4, 3, 3), *part, *y;
    int64_t h, w, c, ld;
    assert_string_equal(rkhs_data_kind(x), "image");
    OK(env, rkhs_data_subset(x, (int64_t[]){4, 1}, 2, &part));
    assert_int_equal(rkhs_data_shape(part, &h, &w, &c), 1);
    assert_true(h == 4 && w == 3 && c == 3 && rkhs_data_rows(part) == 2 && rkhs_data_columns(part) == 36);
    for (int64_t q = 0; q < 36; q++) assert_true(rkhs_data_values(part, &ld)[q] == pixel(4, q));
    double row[36];
    assert_int_equal(rkhs_data_row(part, 1, row), 1);
    assert_true(row[7] == pixel(1, 7));
    rkhs_data *flat = as_vectors(env, x);
    assert_int_equal(rkhs_data_shape(flat, &h, &w, &c), 0);
    double v[4] = {1, 2, 3, NAN};
    FAILS(env, RKHS_ERR_DATA, "images of 2 channels", rkhs_data_images(env, v, 1, 1, 1, 2, &y));
    FAILS(env, RKHS_ERR_DATA, "0 images | 1 x 4", rkhs_data_images(env, v, 0, 1, 4, 1, &y));
    FAILS(env, RKHS_ERR_DATA, "1 image | 1 x 0", rkhs_data_images(env, v, 1, 1, 0, 1, &y));
    FAILS(env, RKHS_ERR_DATA, "column 4 (counted from 1) is NaN", rkhs_data_images(env, v, 1, 2, 2, 1, &y));
    FAILS(env, RKHS_ERR_ARGUMENT, "the pointer is NULL", rkhs_data_images(env, NULL, 1, 2, 2, 1, &y));
    FAILS(env, RKHS_ERR_DATA, "column 3 (counted from 1) is inf",
          rkhs_data_images_float(env, (const float[]){1, 2, INFINITY, 4}, 1, 2, 2, 1, &y));
    FAILS(env, RKHS_ERR_MEMORY, "need", rkhs_data_images(env, v, INT64_MAX / 2, 1 << 20, 1 << 20, 1, &y));
    OK(env, rkhs_env_set_memory(env, 1 << 24));
    FAILS(env, RKHS_ERR_MEMORY, "3 images | 1000 x 1000", rkhs_data_images(env, v, 3, 1000, 1000, 1, &y));
    rkhs_data_free(flat);
    rkhs_data_free(part);
    rkhs_data_free(x);
}

/* What takes vectors takes images, to the bit; one side may be given as plain rows. */
static void kernels_on_vectors_give_the_same_on_images(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const texts[] = {"rbf", "linear[3,1:5] + laplacian", "standardize(cosine)", "chi2",
                                        "center(poly(degree=2))"};
    rkhs_data *x = some_images(env, 0, 6, 5, 2, 1), *fresh = some_images(env, 6, 4, 5, 2, 1);
    rkhs_data *vectors = as_vectors(env, x), *plain = as_vectors(env, fresh);
    double K[36], L[36];
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        gram_of(env, texts[t], vectors, NULL, K);
        gram_of(env, texts[t], x, NULL, L);
        near_all(L, K, 36, 0);
        gram_of(env, texts[t], vectors, plain, K);
        gram_of(env, texts[t], x, fresh, L);
        near_all(L, K, 24, 0);
        gram_of(env, texts[t], x, plain, L);
        near_all(L, K, 24, 0);
        gram_of(env, texts[t], vectors, fresh, L);
        near_all(L, K, 24, 0);
    }
    rkhs_data *lying = some_images(env, 0, 3, 2, 5, 1);
    FAILS(env, RKHS_ERR_DATA, "images | 2 x 5 x 1 | 5 x 2 x 1", try_gram(env, "rbf", x, lying));
    FAILS(env, RKHS_ERR_DATA, "10 numbers | height | width", try_gram(env, "shift(rbf)", vectors, NULL));
    rkhs_data *words;
    OK(env, rkhs_data_strings(env, (const char *const[]){"a", "b"}, NULL, 2, &words));
    FAILS(env, RKHS_ERR_DATA, "takes image data, not string", try_gram(env, "shift(rbf)", words, NULL));
    rkhs_data_free(words);
    rkhs_data_free(lying);
    rkhs_data_free(plain);
    rkhs_data_free(vectors);
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

/* ---- shifts, by the definition ---- */

/* Number (y, x, k) of an image moved by (dy, dx). */
static double moved(const double *image, const int64_t s[3], int64_t y, int64_t x, int64_t k, int64_t dy, int64_t dx) {
    if (y - dy < 0 || y - dy >= s[0] || x - dx < 0 || x - dx >= s[1]) return 0;
    return image[((y - dy) * s[1] + x - dx) * s[2] + k];
}

/* |T_a x - T_b y|^2. */
static double square(const double *x, const double *y, const int64_t s[3], const int64_t a[2], const int64_t b[2]) {
    double sum = 0;
    for (int64_t r = 0; r < s[0]; r++)
        for (int64_t c = 0; c < s[1]; c++)
            for (int64_t k = 0; k < s[2]; k++)
                sum += pow(moved(x, s, r, c, k, a[0], a[1]) - moved(y, s, r, c, k, b[0], b[1]), 2);
    return sum;
}

/* Mean and maximum of exp(-gamma |T_a x - T_b y|^2) over all shifts. */
static void brute(const double *x, const double *y, const int64_t s[3], int64_t by, double gamma, double *mean, double *most) {
    double sum = 0, count = 0;
    *most = 0;
    for (int64_t ay = -by; ay <= by; ay++)
        for (int64_t ax = -by; ax <= by; ax++)
            for (int64_t b_y = -by; b_y <= by; b_y++)
                for (int64_t bx = -by; bx <= by; bx++, count++) {
                    double v = exp(-gamma * square(x, y, s, (int64_t[]){ay, ax}, (int64_t[]){b_y, bx}));
                    sum += v;
                    *most = fmax(*most, v);
                }
    *mean = sum / count;
}

static void shifted_kernels_are_their_definition(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const struct {
        int64_t n, m, by, shape[3];
    } cases[] = {
        {40, 31, 1, {5, 4, 1}}, {7, 3, 2, {3, 6, 3}}, {2, 2, 8, {4, 3, 1}}, {3, 2, 3, {2, 2, 4}}, {5, 4, 0, {3, 3, 1}}};
    OK(env, rkhs_env_set_threads(env, 1)); /* threads would hold memory */
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        const int64_t *s = cases[t].shape, n = cases[t].n, m = cases[t].m, p = s[0] * s[1] * s[2];
        rkhs_data *x = some_images(env, 0, n, s[0], s[1], s[2]), *y = some_images(env, 50, m, s[0], s[1], s[2]);
        double K[40 * 40], L[40 * 31], A[40 * 31], mean, most;
        char text[128];
        snprintf(text, sizeof text, "shift(rbf(gamma=3e-6), by=%d)", (int)cases[t].by);
        gram_of(env, text, x, NULL, K);
        gram_of(env, text, x, y, L);
        snprintf(text, sizeof text, "align(rbf(gamma=3e-6), by=%d)", (int)cases[t].by);
        gram_of(env, text, x, y, A);
        const double *X = rkhs_data_values(x, NULL), *Y = rkhs_data_values(y, NULL);
        for (int64_t i = 0; i < n; i += 1 + n / 9)
            for (int64_t j = 0; j < m; j++) {
                brute(X + i * p, Y + j * p, s, cases[t].by, 3e-6, &mean, &most);
                NEAR(L[i * m + j], mean, 1e-13);
                NEAR(A[i * m + j], most, 1e-13);
                brute(X + i * p, X + j * p, s, cases[t].by, 3e-6, &mean, &most);
                NEAR(K[i * n + j], mean, 1e-13);
            }
        rkhs_data_free(y);
        rkhs_data_free(x);
    }
}

/* One bright pixel, moved by one: as like as before, where a kernel on pixels sees nothing in common. */
static void a_shift_is_forgiven(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    double v[3 * 49] = {0}, K[9];
    v[3 * 7 + 3] = v[49 + 3 * 7 + 4] = v[98 + 6 * 7 + 6] = 1;
    rkhs_data *x;
    OK(env, rkhs_data_images(env, v, 3, 7, 7, 1, &x));
    gram_of(env, "linear", x, NULL, K);
    near_all(K, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9, 0);
    gram_of(env, "align(linear)", x, NULL, K);
    near_all(K, (double[]){1, 1, 0, 1, 1, 0, 0, 0, 1}, 9, 0);
    gram_of(env, "shift(linear)", x, NULL, K); /* 9, 6, 0 pairs of shifts meet; of the corner 4 stay inside */
    near_all(K, (double[]){9. / 81, 6. / 81, 0, 6. / 81, 9. / 81, 0, 0, 0, 4. / 81}, 9, 1e-15);
    rkhs_data_free(x);
}

/* ---- models and files ---- */

static void models_keep_the_shape(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    static const char *const kernels[] = {"rbf", "shift(rbf)", "0.5*normalize(shift(rbf, by=1)) + linear"};
    static const char *const models[] = {"kpca(dim=2)", "kpca(dim=2, gram=nystrom(landmarks=9))"};
    rkhs_data *x = some_images(env, 0, 14, 4, 3, 3), *fresh = some_images(env, 14, 4, 4, 3, 3), *plain = as_vectors(env, fresh);
    OK(env, rkhs_env_set_threads(env, 1));
    for (int t = 0; t < 6; t++) {
        rkhs_kernel *k;
        rkhs_model *m, *again;
        rkhs_data *back;
        double Z[8], Y[8], P[8];
        int64_t h, w, c;
        OK(env, rkhs_kernel_new(env, kernels[t % 3], &k));
        OK(env, rkhs_model_new(env, models[t / 3], &m));
        OK(env, rkhs_model_fit(m, k, x, NULL, NULL));
        OK(env, rkhs_model_transform(m, fresh, Z, 2));
        OK(env, rkhs_model_save(m, "m.rkhs"));
        OK(env, rkhs_model_load(env, "m.rkhs", &again));
        OK(env, rkhs_model_transform(again, fresh, Y, 2));
        OK(env, rkhs_model_transform(again, plain, P, 2)); /* the model knows their shape */
        near_all(Y, Z, 8, 0);
        near_all(P, Z, 8, 0);
        OK(env, rkhs_model_inverse(again, Z, 4, 2, &back));
        assert_int_equal(rkhs_data_shape(back, &h, &w, &c), 1);
        assert_true(h == 4 && w == 3 && c == 3 && rkhs_data_rows(back) == 4);
        rkhs_data_free(back);
        rkhs_model_free(again);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
    }
    rkhs_data_free(plain);
    rkhs_data_free(fresh);
    rkhs_data_free(x);
}

static void arrays_are_read_and_written_as_images(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rkhs_data *x, *y;
    int64_t h, w, c;
    for (int64_t channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
        x = some_images(env, 0, 3, 2, 5, channels);
        OK(env, rkhs_data_write(x, "x.npy", NULL));
        OK(env, rkhs_data_read(env, "x.npy", NULL, &y));
        assert_int_equal(rkhs_data_shape(y, &h, &w, &c), 1);
        assert_true(h == 2 && w == 5 && c == channels && rkhs_data_rows(y) == 3);
        near_all(rkhs_data_values(y, NULL), rkhs_data_values(x, NULL), 30 * channels, 0);
        rkhs_data_free(y);
        rkhs_data_free(x);
    }
    rkhs_kernel *k; /* a kernel that takes no images gets what it took before */
    OK(env, rkhs_kernel_new(env, "precomputed", &k));
    OK(env, rkhs_data_read_for(env, "x.npy", NULL, k, &y));
    assert_string_equal(rkhs_data_kind(y), "dense");
    rkhs_data_free(y);
    rkhs_kernel_free(k);
    put_bytes("x.idx", "\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\3\1\2\3\4\5\377", 22);
    OK(env, rkhs_data_read(env, "x.idx", NULL, &y));
    assert_int_equal(rkhs_data_shape(y, &h, &w, &c), 1);
    assert_true(h == 1 && w == 3 && c == 1);
    near_all(rkhs_data_values(y, NULL), (double[]){1, 2, 3, 4, 5, 255}, 6, 0);
    rkhs_data_free(y);
    put_bytes("x.idx", "\0\0\10\4\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\2\1\2", 22); /* two channels: rows of numbers */
    OK(env, rkhs_data_read(env, "x.idx", NULL, &y));
    assert_string_equal(rkhs_data_kind(y), "dense");
    rkhs_data_free(y);
}

/* ---- PNG ---- */

static size_t put_chunk(uint8_t *at, const char *name, const uint8_t *bytes, size_t count) {
    uint32_t sum = (uint32_t)crc32(crc32(0, (const Bytef *)name, 4), count ? bytes : (const Bytef *)"", (uInt)count);
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(count >> (24 - 8 * i)), at[8 + count + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
    memcpy(at + 4, name, 4);
    if (count) memcpy(at + 8, bytes, count);
    return count + 12;
}

/* Writes h x w pixels of c channels (1, 3, 4), at most 200 bytes; its length. */
static size_t put_png(const char *path, int h, int w, int c, const uint8_t *pixels) {
    static const uint8_t types[] = {0, 0, 0, 2, 6};
    uint8_t file[1024], rows[256], packed[512], head[13] = {0, 0, 0, (uint8_t)w, 0, 0, 0, (uint8_t)h, 8, types[c]};
    uLongf length = sizeof packed;
    for (int y = 0; y < h; y++) {
        rows[y * (w * c + 1)] = 0;
        memcpy(rows + y * (w * c + 1) + 1, pixels + y * w * c, (size_t)(w * c));
    }
    assert_int_equal(compress(packed, &length, rows, (uLong)(h * (w * c + 1))), Z_OK);
    memcpy(file, "\x89PNG\r\n\x1a\n", 8);
    size_t at = 8 + put_chunk(file + 8, "IHDR", head, 13);
    at += put_chunk(file + at, "IDAT", packed, length);
    at += put_chunk(file + at, "IEND", NULL, 0);
    put_bytes(path, file, at);
    return at;
}

static void a_png_is_read_whole_or_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    uint8_t pixels[24];
    rkhs_data *x;
    int64_t h, w, c;
    for (int i = 0; i < 24; i++) pixels[i] = (uint8_t)(10 * i);
    for (int channels = 1; channels <= 4; channels += channels == 1 ? 2 : 1) {
        size_t count, length = put_png("x.png", 3, 2, channels, pixels);
        OK(env, rkhs_data_read(env, "x.png", NULL, &x));
        assert_int_equal(rkhs_data_shape(x, &h, &w, &c), 1);
        assert_true(h == 3 && w == 2 && c == channels && rkhs_data_rows(x) == 1);
        for (int i = 0; i < 6 * channels; i++) assert_true(rkhs_data_values(x, NULL)[i] == pixels[i]);
        rkhs_data_free(x);
        char *bytes = get_bytes("x.png", &count);
        for (size_t cut = 0; cut < length; cut++) { /* every part of it */
            put_bytes("y.png", bytes, cut);
            assert_int_not_equal(rkhs_data_read(env, "y.png", NULL, &x), RKHS_OK);
            assert_true(!x && strstr(rkhs_env_message(env), "y.png: ") == rkhs_env_message(env));
        }
        for (size_t at = 0; at < length; at++) { /* each byte flipped: a checksum sees it */
            bytes[at] ^= 0x11;
            put_bytes("y.png", bytes, length);
            rkhs_status status = rkhs_data_read(env, "y.png", NULL, &x);
            if (status == RKHS_OK) fail_msg("byte %zu of %zu, flipped, is not seen", at, length);
            assert_true(!x && strstr(rkhs_env_message(env), "y.png: ") == rkhs_env_message(env));
            bytes[at] ^= 0x11;
        }
        free(bytes);
    }
}

static void a_folder_is_read_with_its_labels(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    uint8_t pixels[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 255}};
    rkhs_data *x;
    put_png("b.png", 2, 2, 1, pixels[1]);
    put_png("a.png", 2, 2, 1, pixels[0]);
    put_png("B.png", 2, 2, 1, pixels[2]);
    put_text("labels.tsv", "label\tfile\nno\tB.png\nyes\tb.png\nno\ta.png\n");
    OK(env, rkhs_data_read(env, ".", NULL, &x));
    near_all(rkhs_data_values(x, NULL), (double[]){9, 10, 11, 255, 1, 2, 3, 4, 5, 6, 7, 8}, 12, 0);
    const rkhs_data *labels = rkhs_data_labels(x);
    const int64_t *codes = rkhs_data_codes(labels, NULL);
    assert_string_equal(rkhs_data_class_name(labels, codes[0]), "no");
    assert_string_equal(rkhs_data_class_name(labels, codes[1]), "no");
    assert_string_equal(rkhs_data_class_name(labels, codes[2]), "yes");
    rkhs_data_free(x);
    env->allocations = 0;
    env->fail_at = INT64_MAX;
    OK(env, rkhs_data_read(env, ".", NULL, &x));
    rkhs_data_free(x);
    int64_t total = env->allocations;
    assert_true(total > 20);
    for (int64_t k = 0; k < total; k++) { /* memory runs out anywhere: nothing is left, and a sentence says so */
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = rkhs_data_read(env, ".", NULL, &x);
        env->fail_at = -1;
        if (status != RKHS_ERR_MEMORY || x || !*rkhs_env_message(env) || atomic_load(&env->used) != 0)
            fail_msg("allocation %lld of %lld: %d, %s", (long long)k, (long long)total, status, rkhs_env_message(env));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(a_shape_is_kept_or_refused),
        FILES_TEST(kernels_on_vectors_give_the_same_on_images),
        FILES_TEST(shifted_kernels_are_their_definition),
        FILES_TEST(a_shift_is_forgiven),
        FILES_TEST(models_keep_the_shape),
        FILES_TEST(arrays_are_read_and_written_as_images),
        FILES_TEST(a_png_is_read_whole_or_refused),
        FILES_TEST(a_folder_is_read_with_its_labels),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
