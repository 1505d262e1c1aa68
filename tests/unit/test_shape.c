/* Kernels on drawings against the formula itself: all points of both, one determinant. */
#include "env.h"
#include "blas.h"

#include "kernel/shape.h"

enum { H = 11, W = 13, PIXELS = H * W, MANY = 24 };

static int shape_setup(void **state) { return blas_begin() ? -1 : env_setup(state); }

static int shape_teardown(void **state) {
    blas_end();
    return env_teardown(state);
}

#define SHAPE_TEST(name) cmocka_unit_test_setup_teardown(name, shape_setup, shape_teardown)

/* |a - b| <= tolerance; NaN fails. */
#define near(a, b, tolerance)                                                                                                  \
    do {                                                                                                                       \
        double near_a = (a), near_b = (b);                                                                                     \
        if (!(fabs(near_a - near_b) <= (tolerance))) fail_msg("%s is %.15g, not %.15g", #a, near_a, near_b);                   \
    } while (0)

/* ---- drawings -------------------------------------------------------------------------------------------------- */

/* A smooth blot around (x, y), an ellipse with soft edges turned by `angle`. */
static void blot(double *image, int64_t h, int64_t w, double x, double y, double a, double b, double angle) {
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++) {
            double dx = (double)j - x, dy = (double)i - y, u = dx * cos(angle) + dy * sin(angle),
                   v = dy * cos(angle) - dx * sin(angle);
            double r = hypot(u / a, v / b), ink = fmin(fmax((1 - r) * fmin(a, b) + 0.5, 0), 1);
            image[i * w + j] = fmax(image[i * w + j], 255 * ink);
        }
}

/* n drawings of two blots each, which overlap or do not. */
static void draw(int64_t n, double *images) {
    for (int64_t i = 0; i < n; i++) {
        double r[10];
        for (int k = 0; k < 10; k++) r[k] = rk_uniform(11, RK_STREAM_TEST, (uint64_t)i, (uint64_t)k);
        blot(images + i * PIXELS, H, W, 3 + 7 * r[0], 3 + 5 * r[1], 1.5 + 2 * r[2], 1 + r[3], 3 * r[4]);
        blot(images + i * PIXELS, H, W, 3 + 7 * r[5], 3 + 5 * r[6], 1 + 2 * r[7], 1 + r[8], 3 * r[9]);
    }
}

/* K of images a with images b (NULL: with themselves). */
static void gram(rkhs_env *env, const char *spec, const double *a, int64_t n, const double *b, int64_t m, int64_t h, int64_t w,
                 double *K) {
    rkhs_data *x, *y = NULL;
    rkhs_kernel *k;
    OK(env, rkhs_data_images(env, a, n, h, w, 1, &x));
    if (b) OK(env, rkhs_data_images(env, b, m, h, w, 1, &y));
    OK(env, rkhs_kernel_new(env, spec, &k));
    OK(env, rkhs_kernel_gram(k, x, y, K, b ? m : n));
    rkhs_kernel_free(k);
    rkhs_data_free(y);
    rkhs_data_free(x);
}

/* ---- the formula ----------------------------------------------------------------------------------------------- */

typedef struct point_set {
    int64_t count, columns;
    double *feature, *weight;
} point_set;

typedef double base_fn(const double *x, const double *y, int64_t columns, double sigma);

static double base_linear(const double *x, const double *y, int64_t q, double sigma) {
    double sum = 0;
    for (int64_t c = 0; c < q; c++) sum += x[c] * y[c];
    return sum;
}

static double base_rbf(const double *x, const double *y, int64_t q, double sigma) {
    double sum = 0;
    for (int64_t c = 0; c < q; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    return exp(-sum / (2 * sigma * sigma));
}

static double base_hellinger(const double *x, const double *y, int64_t q, double sigma) {
    double sum = 0;
    for (int64_t c = 0; c < q - 2; c++) sum += pow(sqrt(x[c]) - sqrt(y[c]), 2);
    return exp(-sum / (2 * sigma * sigma)) * base_rbf(x + q - 2, y + q - 2, 2, sigma);
}

static double base_chi2(const double *x, const double *y, int64_t q, double sigma) {
    double sum = 0;
    for (int64_t c = 0; c < q - 2; c++)
        if (x[c] + y[c] > 0) sum += pow(x[c] - y[c], 2) / (x[c] + y[c]);
    return exp(-sum / (2 * sigma * sigma)) * base_rbf(x + q - 2, y + q - 2, 2, sigma);
}

/* log det by elimination, of a positive definite matrix. */
static double log_det(int64_t m, double *A) {
    double sum = 0;
    for (int64_t k = 0; k < m; k++) {
        sum += log(A[k * m + k]);
        for (int64_t i = k + 1; i < m; i++) {
            double f = A[i * m + k] / A[k * m + k];
            for (int64_t j = k; j < m; j++) A[i * m + j] -= f * A[k * m + j];
        }
    }
    return sum;
}

/* -log det(I + W^1/2 Kc W^1/2 / eta), Kc = (I - 1w')K(I - w1'), on the points of both. */
static double direct(rkhs_env *env, const point_set *x, const point_set *y, base_fn *base, double sigma, double eta) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t m = x->count + y->count, q = x->columns;
    double *K, *w, *mean, all = 0;
    OK(env, rk_scratch(env, m * m, sizeof *K, &K));
    OK(env, rk_scratch(env, m, sizeof *w, &w));
    OK(env, rk_scratch(env, m, sizeof *mean, &mean));
#define POINT(i) ((i) < x->count ? x->feature + (i)*q : y->feature + ((i)-x->count) * q)
    for (int64_t i = 0; i < m; i++) w[i] = (i < x->count ? x->weight[i] : y->weight[i - x->count]) / 2;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) {
            K[i * m + j] = base(POINT(i), POINT(j), q, sigma);
            mean[i] += K[i * m + j] * w[j];
        }
    for (int64_t i = 0; i < m; i++) all += w[i] * mean[i];
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            K[i * m + j] = (i == j) + sqrt(w[i] * w[j]) * (K[i * m + j] - mean[i] - mean[j] + all) / eta;
    double det = log_det(m, K);
    rk_scratch_release(env, mark);
    return -det;
}

static point_set set_new(rkhs_env *env, int64_t count, int64_t columns) {
    point_set s = {.count = count, .columns = columns};
    OK(env, rk_scratch(env, count * columns, sizeof *s.feature, &s.feature));
    OK(env, rk_scratch(env, count, sizeof *s.weight, &s.weight));
    return s;
}

/* Pixels with ink, in longer sides of the image. */
static point_set pixels_of(rkhs_env *env, const double *image) {
    point_set s = set_new(env, PIXELS, 2);
    double sum = 0;
    s.count = 0;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            if (image[i * W + j] == 0) continue;
            s.feature[2 * s.count] = (double)j / W;
            s.feature[2 * s.count + 1] = (double)i / W;
            sum += s.weight[s.count++] = image[i * W + j];
        }
    for (int64_t k = 0; k < s.count; k++) s.weight[k] /= sum;
    return s;
}

static point_set contexts_of(rkhs_env *env, const double *image, int64_t p, int64_t radial, int64_t angular, double position) {
    int64_t q = radial * angular + 2;
    point_set s = set_new(env, p, q);
    double *room, *points, most = 0;
    OK(env, rk_scratch(env, rk_contour_room(H, W), sizeof *room, &room));
    OK(env, rk_scratch(env, 2 * p, sizeof *points, &points));
    for (int k = 0; k < PIXELS; k++) most = fmax(most, image[k]);
    rk_contour(image, H, W, most, p, room, points);
    rk_shape_contexts(p, points, radial, angular, position, q, s.feature);
    for (int64_t k = 0; k < p; k++) s.weight[k] = 1 / (double)p;
    return s;
}

/* A kernel's values, symmetric and of two sides, are those of the formula. */
static void compare(rkhs_env *env, const char *spec, const double *images, const point_set *sets, int n, base_fn *base,
                    double sigma, double eta) {
    double K[MANY * MANY], cross[MANY * MANY], self[MANY];
    gram(env, spec, images, n, NULL, 0, H, W, K);
    gram(env, spec, images, n, images + PIXELS, n - 1, H, W, cross);
    for (int i = 0; i < n; i++) self[i] = direct(env, &sets[i], &sets[i], base, sigma, eta);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double expected = exp(direct(env, &sets[i], &sets[j], base, sigma, eta) - (self[i] + self[j]) / 2);
            if (!(fabs(K[i * n + j] - expected) < 2e-10))
                fail_msg("%s: %d, %d: %.15g, not %.15g", spec, i, j, K[i * n + j], expected);
            if (j) near(cross[i * (n - 1) + j - 1], expected, 2e-10);
        }
}

static void igv_is_the_determinant(void **state) {
    rkhs_env *env = *state;
    enum { N = 7 };
    static double images[N * PIXELS];
    rk_mark mark = rk_scratch_mark(env);
    point_set sets[N];
    draw(N - 1, images);
    for (int k = 0; k < PIXELS; k++) images[(N - 1) * PIXELS + k] = 1 + noise(9, (uint64_t)k); /* ink everywhere */
    for (int i = 0; i < N; i++) sets[i] = pixels_of(env, images + i * PIXELS);
    compare(env, "igv", images, sets, N, base_rbf, 0.1, 0.01);
    compare(env, "igv(sigma=0.5, eta=0.001)", images, sets, N, base_rbf, 0.5, 0.001); /* a low rank */
    compare(env, "igv(sigma=0.03)", images, sets, N, base_rbf, 0.03, 0.01);           /* none */
    compare(env, "igv(base=linear)", images, sets, N, base_linear, 1, 0.01);
    rk_scratch_release(env, mark);
}

/* eta^2 / det(Sigma + eta I), Sigma the covariance of both drawings together, and so alone. */
static void igv_linear_is_the_generalised_variance(void **state) {
    rkhs_env *env = *state;
    enum { N = 5 };
    static double images[N * PIXELS];
    double K[N * N], eta = 0.02;
    draw(N, images);
    gram(env, "igv(base=linear, eta=0.02, normalize=false)", images, N, NULL, 0, H, W, K);
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            double m[2] = {0, 0}, S[3] = {0, 0, 0};
            for (int pass = 0; pass < 2; pass++)
                for (int side = 0; side < 2; side++) {
                    const double *image = images + (side ? b : a) * PIXELS;
                    double sum = 0;
                    for (int k = 0; k < PIXELS; k++) sum += image[k];
                    for (int k = 0; k < PIXELS; k++) {
                        double w = image[k] / sum / 2, x = (double)(k % W) / W, y = (double)(k / W) / W;
                        if (!pass) m[0] += w * x, m[1] += w * y;
                        if (pass)
                            S[0] += w * (x - m[0]) * (x - m[0]), S[1] += w * (x - m[0]) * (y - m[1]),
                                S[2] += w * (y - m[1]) * (y - m[1]);
                    }
                }
            double expected = eta * eta / ((S[0] + eta) * (S[2] + eta) - S[1] * S[1]);
            near(K[a * N + b], expected, 1e-13);
        }
}

static void scigv_is_the_determinant(void **state) {
    rkhs_env *env = *state;
    enum { N = 5, P = 17 };
    static double images[N * PIXELS];
    static const struct {
        const char *name;
        base_fn *base;
    } bases[] = {{"hellinger", base_hellinger}, {"rbf", base_rbf}, {"chi2", base_chi2}, {"linear", base_linear}};
    rk_mark mark = rk_scratch_mark(env);
    point_set sets[N];
    char spec[160];
    draw(N, images);
    for (int i = 0; i < N; i++) sets[i] = contexts_of(env, images + i * PIXELS, P, 4, 9, 0.7);
    for (int k = 0; k < 4; k++) {
        snprintf(spec, sizeof spec, "scigv(eta=0.05, points=%d, bins=[4,9], base=%s, sigma=0.6, position=0.7)", P,
                 bases[k].name);
        compare(env, spec, images, sets, N, bases[k].base, 0.6, 0.05);
    }
    rk_scratch_release(env, mark);
}

/* ---- outlines -------------------------------------------------------------------------------------------------- */

/* A frame of ones: two outlines, half a step from its pixels, corners cut; points lie at equal steps on both. */
static void a_contour_is_walked_in_equal_steps(void **state) {
    rkhs_env *env = *state;
    enum { P = 200 };
    double image[PIXELS] = {0}, points[2 * P], *room;
    for (int i = 2; i < 9; i++)
        for (int j = 1; j < 12; j++) image[i * W + j] = i < 4 || i > 6 || j < 3 || j > 9;
    OK(env, rk_scratch(env, rk_contour_room(H, W), sizeof *room, &room));
    rk_contour(image, H, W, 1, P, room, points);
    /* Around rows 2-8, columns 1-11; inside, rows 4-6, columns 3-9. A row of n ones is n - 1 long, and a corner
     * sqrt(1/2). */
    double outer = 2 * 6 + 2 * 10 + 4 * sqrt(0.5), inner = 2 * 2 + 2 * 6 + 4 * sqrt(0.5), step = (outer + inner) / P;
    int far = 0, inside = 0;
    for (int k = 0; k < P; k++) {
        /* One pixel of frame was added on each side. */
        double x = fabs(points[2 * k] - 1 - 6), y = fabs(points[2 * k + 1] - 1 - 5);
        double out = fmax(fmax(x - 5.5, y - 3.5), (x + y - 8.5)); /* cut corners: x + y = 5 + 3 + 1/2 */
        double in = fmax(fmax(x - 3.5, y - 1.5), (x + y - 4.5));
        assert_true(fabs(out) < 1e-12 || fabs(in) < 1e-12);
        inside += fabs(in) < 1e-12;
        if (!k) continue;
        double apart = hypot(points[2 * k] - points[2 * k - 2], points[2 * k + 1] - points[2 * k - 1]);
        far += apart > step + 1e-9; /* from one outline to the other */
        assert_true(apart > step * 0.7 - 1e-9);
    }
    assert_int_equal(far, 1);
    assert_true(fabs(inside - inner / step) <= 1);
    rk_scratch_release(env, NULL);
}

/* Four points on a square around a fifth: shares, places and the unit are known. */
static void shape_contexts_say_where_the_others_lie(void **state) {
    double points[] = {0, 0, 1, 1, -1, 1, -1, -1, 1, -1}, out[5 * 10];
    rk_shape_contexts(5, points, 2, 4, 2.0, 10, out);
    double unit = (4 * sqrt(2) + 4 * 2 + 2 * sqrt(8)) / 10;
    /* From the middle each other lies at the centre of a quarter turn; log(r/unit) says how the two radii share it. */
    double u = log(sqrt(2) / unit / 0.125) / log(16) * 2 - 0.5;
    u = fmin(fmax(u, 0), 1);
    for (int t = 0; t < 4; t++) {
        near(out[t], (1 - u) / 4, 1e-14);
        near(out[4 + t], u / 4, 1e-14);
    }
    for (int i = 0; i < 5; i++) {
        double sum = 0;
        for (int k = 0; k < 8; k++) sum += out[i * 10 + k];
        near(sum, 1, 1e-14);
        near(out[i * 10 + 8], 2 * points[2 * i] / unit, 1e-14);
        near(out[i * 10 + 9], 2 * points[2 * i + 1] / unit, 1e-14);
    }
}

/* ---- what is promised ------------------------------------------------------------------------------------------ */

/* scigv: a drawing that moves keeps all values; one that grows by half nearly so; one that turns does not. igv sees
 * both. */
static void drawings_move_and_grow(void **state) {
    rkhs_env *env = *state;
    enum { S = 40, A = S * S, N = 5 };
    static double images[N * A];
    double K[N * N];
    for (int i = 0; i < 4; i++) { /* as it is; moved; grown; turned */
        double s = i == 2 ? 1.5 : 1, x = i == 1 ? 24 : 15, y = i == 1 ? 21 : 17, turn = i == 3 ? 0.5 : 0;
        blot(images + i * A, S, S, x, y, 8 * s, 3 * s, 0.4 + turn);
        blot(images + i * A, S, S, x + 5 * s * cos(turn), y + 5 * s * sin(turn), 3 * s, 4 * s, 1 + turn);
    }
    blot(images + 4 * A, S, S, 20, 20, 9, 9, 0);
    gram(env, "scigv(eta=0.1, sigma=0.5, points=60)", images, N, NULL, 0, S, S, K);
    for (int j = 0; j < N; j++) {
        near(K[j], j == 1 ? K[N + 1] : K[N + j], j < 2 ? 1e-9 : 1e-12);
        if (j == 1) near(K[j], 1, 1e-9);
    }
    if (!(K[2] > 0.98)) fail_msg("grown: %g, turned: %g, a disc: %g", K[2], K[3], K[4]);
    assert_true(K[3] < K[2] && K[4] < K[3]);
    gram(env, "igv", images, N, NULL, 0, S, S, K);
    assert_true(K[1] < 0.9 && K[2] < 0.99);
    /* Both moved: the same. */
    static double moved[2 * A];
    double before[4], after[4];
    memcpy(moved, images, sizeof(double) * A);
    memcpy(moved + A, images + 3 * A, sizeof(double) * A);
    gram(env, "igv", moved, 2, NULL, 0, S, S, before);
    memmove(moved + 3 * S + 2, moved, sizeof(double) * (2 * A - 3 * S - 2)); /* nothing is near the edges */
    gram(env, "igv", moved, 2, NULL, 0, S, S, after);
    near(before[1], after[1], 1e-11);
    assert_true(before[1] < 0.999);
}

static void both_are_positive_semi_definite(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {"scigv",
                                        "scigv(base=chi2, points=12, eta=0.01)",
                                        "scigv(base=linear, eta=0.001)",
                                        "igv",
                                        "igv(base=linear)",
                                        "igv(sigma=0.4, eta=1e-5)",
                                        "igv(normalize=false)"};
    static double images[MANY * PIXELS];
    draw(MANY - 2, images);
    for (int k = 0; k < PIXELS; k++) { /* noise, and a drawing twice */
        images[(MANY - 2) * PIXELS + k] = fabs(noise(5, (uint64_t)k));
        images[(MANY - 1) * PIXELS + k] = images[k];
    }
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        double K[MANY * MANY], w[MANY], V[MANY * MANY];
        gram(env, specs[s], images, MANY, NULL, 0, H, W, K);
        if (s < 6) near(K[MANY - 1], 1, 1e-9);
        OK(env, rk_eigen(env, MANY, K, MANY, 0, MANY - 1, w, V));
        if (!(w[0] > -1e-9 * w[MANY - 1])) fail_msg("%s: the smallest eigenvalue is %g", specs[s], w[0]);
    }
}

static void the_same_bits_on_two_threads_and_in_parts(void **state) {
    rkhs_env *env = *state;
    enum { N = 70 }; /* several tiles */
    static double images[N * PIXELS], K[N * N], L[N * N];
    rkhs_kernel *kernel;
    rkhs_data *x;
    draw(N, images);
    for (int k = 0; k < 2; k++) {
        const char *spec = k ? "igv" : "scigv";
        OK(env, rkhs_env_set_threads(env, 1));
        gram(env, spec, images, N, NULL, 0, H, W, K);
        OK(env, rkhs_env_set_threads(env, 2));
        gram(env, spec, images, N, NULL, 0, H, W, L);
        assert_memory_equal(K, L, sizeof K);
        OK(env, rkhs_data_images(env, images, N, H, W, 1, &x));
        OK(env, rkhs_kernel_new(env, spec, &kernel));
        OK(env, rkhs_kernel_gram_rows(kernel, x, 20, 50, L, N));
        assert_memory_equal(K + 20 * N, L, 30 * N * sizeof *K);
        rkhs_kernel_free(kernel);
        rkhs_data_free(x);
    }
}

/* Grey is the mean of the colours; opacity is not looked at; dark ink is what light ink is in the negative. */
static void colours_and_dark_ink(void **state) {
    rkhs_env *env = *state;
    enum { N = 4 };
    static double images[N * PIXELS], negative[N * PIXELS], colours[N * PIXELS * 4];
    draw(N, images);
    for (int64_t k = 0; k < N * PIXELS; k++) {
        negative[k] = 300 - images[k];
        for (int c = 0; c < 4; c++) colours[4 * k + c] = c == 3 ? 17.0 * (double)(k % 5) : images[k] * (c == 1 ? 3 : 0);
    }
    for (int s = 0; s < 2; s++) {
        double K[N * N], L[N * N];
        rkhs_data *x;
        rkhs_kernel *k;
        gram(env, s ? "igv" : "scigv(points=20)", images, N, NULL, 0, H, W, K);
        gram(env, s ? "igv(ink=dark)" : "scigv(points=20, ink=dark)", negative, N, NULL, 0, H, W, L);
        for (int q = 0; q < N * N; q++) near(L[q], K[q], 1e-10);
        OK(env, rkhs_data_images(env, colours, N, H, W, 4, &x));
        OK(env, rkhs_kernel_new(env, s ? "igv" : "scigv(points=20)", &k));
        OK(env, rkhs_kernel_gram(k, x, NULL, L, N));
        for (int q = 0; q < N * N; q++) near(L[q], K[q], 1e-10);
        rkhs_kernel_free(k);
        rkhs_data_free(x);
    }
}

static void refused(rkhs_env *env, const char *spec, const double *images, int64_t n, int64_t h, int64_t w, rkhs_status code,
                    const char *part) {
    rkhs_data *x;
    rkhs_kernel *k;
    double K[16];
    OK(env, rkhs_data_images(env, images, n, h, w, 1, &x));
    OK(env, rkhs_kernel_new(env, spec, &k));
    FAILS(env, code, part, rkhs_kernel_gram(k, x, NULL, K, n));
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

static void what_cannot_be_compared_is_refused(void **state) {
    rkhs_env *env = *state;
    static double images[4 * PIXELS];
    rkhs_kernel *k;
    draw(4, images);
    memset(images + 2 * PIXELS, 0, PIXELS * sizeof *images);
    refused(env, "scigv", images, 4, H, W, RKHS_ERR_DATA, "image 3 | blank");
    refused(env, "igv", images, 4, H, W, RKHS_ERR_DATA, "image 3 | blank");
    for (int q = 0; q < PIXELS; q++) images[2 * PIXELS + q] = 9;
    refused(env, "igv(ink=dark)", images, 4, H, W, RKHS_ERR_DATA, "image 3 | blank");
    FAILS(env, RKHS_ERR_SPEC, "bins=[5,12]", rkhs_kernel_new(env, "scigv(bins=[5])", &k));
    FAILS(env, RKHS_ERR_SPEC, "bins=[5,12]", rkhs_kernel_new(env, "scigv(bins=[5,2.5])", &k));
    /* A million pixels of ink would need 24 TB; the outline of the same is short. */
    enum { SIDE = 1000 };
    double *large, K;
    rk_mark mark = rk_scratch_mark(env);
    OK(env, rk_scratch(env, SIDE * SIDE, sizeof *large, &large));
    for (int q = 0; q < SIDE * SIDE; q++) large[q] = 1;
    refused(env, "igv", large, 1, SIDE, SIDE, RKHS_ERR_MEMORY, "make the images smaller");
    assert_true(says(rkhs_env_message(env), " TB"));
    gram(env, "scigv(points=20)", large, 1, NULL, 0, SIDE, SIDE, &K);
    near(K, 1, 1e-12);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHAPE_TEST(igv_is_the_determinant),
        SHAPE_TEST(igv_linear_is_the_generalised_variance),
        SHAPE_TEST(scigv_is_the_determinant),
        SHAPE_TEST(a_contour_is_walked_in_equal_steps),
        SHAPE_TEST(shape_contexts_say_where_the_others_lie),
        SHAPE_TEST(drawings_move_and_grow),
        SHAPE_TEST(both_are_positive_semi_definite),
        SHAPE_TEST(the_same_bits_on_two_threads_and_in_parts),
        SHAPE_TEST(colours_and_dark_ink),
        SHAPE_TEST(what_cannot_be_compared_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
