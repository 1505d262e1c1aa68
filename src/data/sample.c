/* sample.c: synthetic data sets of labelled vectors (rings, clusters at the corners of a hypercube, the Swiss roll).
 *
 * Every random number is a function of (seed, row, index) only. */
#include "data/data.h"

#include <stdio.h>

#define RK_SAMPLE(name) extern const rk_sample_type rk_sample_##name;
#include "data/samples.def"
#undef RK_SAMPLE

enum { LOOK = 4096 }; /* rows between two progress calls */

/* Random number `index` of a row: uniform in (0, 1), or standard normal. */
static double uniform(const rkhs_env *env, int64_t row, int index) {
    return rk_uniform(env->seed, RK_STREAM_SAMPLE, (uint64_t)row, (uint64_t)index);
}

static double normal(const rkhs_env *env, int64_t row, int index) {
    return rk_normal(env->seed, RK_STREAM_SAMPLE, (uint64_t)row, (uint64_t)index);
}

/* Fills row x and returns its class. */
typedef int64_t (*row_fn)(const rkhs_env *env, const void *self, int64_t row, double *x);

/* Draws n rows of p numbers and their labels. */
static rkhs_status draw_rows(rkhs_env *env, const void *self, int64_t n, int64_t p, int64_t classes, row_fn fn,
                             rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *x = NULL;
    double *values;
    int64_t *codes;
    *out = NULL;
    TRY(rk_require_memory(env, (double)n * (double)(p + 2) * 8, "the sample", "draw fewer rows"));
    TRY(rk_data_dense_new(env, n, p, &values, &x));
    TRY(rk_scratch(env, n, sizeof *codes, &codes));
    for (int64_t i = 0; i < n; i++) {
        if (i % LOOK == 0) TRY(rk_progress(env, "sample", i, n));
        codes[i] = fn(env, self, i, values + i * p);
    }
    TRY(rk_labels_new(env, codes, n, NULL, classes, &x->labels));
    *out = x;
    x = NULL;
done:
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
    return status;
}

/* ---- circles: three rings, 80 : 110 : 190 points on radii 2, 8, 16 --------------------------------------------- */

typedef struct circles {
    int64_t n;
    double noise;
} circles;

static int64_t row_circles(const rkhs_env *env, const void *self, int64_t row, double *x) {
    static const double radius[] = {2, 8, 16}, share[] = {80.0 / 380, 190.0 / 380};
    const circles *c = self;
    double n = (double)c->n;
    int64_t ring = (row >= llround(n * share[0])) + (row >= llround(n * share[1]));
    double angle = 2 * M_PI * uniform(env, row, 0);
    x[0] = radius[ring] * cos(angle) + c->noise * normal(env, row, 1);
    x[1] = radius[ring] * sin(angle) + c->noise * normal(env, row, 2);
    return ring;
}

static rkhs_status draw_circles(rkhs_env *env, const void *self, rkhs_data **x) {
    return draw_rows(env, self, ((const circles *)self)->n, 2, 3, row_circles, x);
}

/* clang-format off */
static const rk_param params_circles[] = {
    {.name = "n", .kind = RK_INT, .offset = offsetof(circles, n), .value = "380", .min = 3, .max = 1e9,
     .brief = "number of rows"},
    {.name = "noise", .kind = RK_REAL, .offset = offsetof(circles, noise), .value = "0.5", .min = 0, .max = 1e100,
     .brief = "standard deviation of the noise on each coordinate"},
    {0},
};
/* clang-format on */

const rk_sample_type rk_sample_circles = {
    .entry = {"circles", "three rings around the origin, 80 : 110 : 190 of the rows on radii 2, 8 and 16", NULL, NULL,
              params_circles, sizeof(circles)},
    .draw = draw_circles,
};

/* ---- cubes: clusters at the corners of a hypercube ------------------------------------------------------------- */

typedef struct cubes {
    int64_t n, dim;
    double noise;
} cubes;

/* Row i belongs to corner i modulo 2^dim, so that cluster sizes differ by at most one. */
static int64_t row_cubes(const rkhs_env *env, const void *self, int64_t row, double *x) {
    const cubes *c = self;
    int64_t corner = row & (((int64_t)1 << c->dim) - 1);
    for (int64_t j = 0; j < c->dim; j++) x[j] = (double)(corner >> j & 1) + c->noise * normal(env, row, (int)j);
    return corner;
}

static rkhs_status draw_cubes(rkhs_env *env, const void *self, rkhs_data **x) {
    const cubes *c = self;
    return draw_rows(env, self, c->n, c->dim, (int64_t)1 << c->dim, row_cubes, x);
}

/* clang-format off */
static const rk_param params_cubes[] = {
    {.name = "n", .kind = RK_INT, .offset = offsetof(cubes, n), .value = "400", .min = 1, .max = 1e9,
     .brief = "number of rows"},
    {.name = "dim", .kind = RK_INT, .offset = offsetof(cubes, dim), .value = "3", .min = 1, .max = 16,
     .brief = "dimensions of the hypercube, which has 2^dim corners"},
    {.name = "noise", .kind = RK_REAL, .offset = offsetof(cubes, noise), .value = "0.1", .min = 0, .max = 1e100,
     .brief = "standard deviation of the noise on each coordinate"},
    {0},
};
/* clang-format on */

const rk_sample_type rk_sample_cubes = {
    .entry = {"cubes", "a cluster at each corner of the unit hypercube; the corner is the label", NULL, NULL, params_cubes,
              sizeof(cubes)},
    .draw = draw_cubes,
};

/* ---- swiss_roll: a rolled-up sheet, as scikit-learn's make_swiss_roll ------------------------------------------ */

typedef struct swiss_roll {
    int64_t n;
    double noise;
} swiss_roll;

static int64_t row_swiss_roll(const rkhs_env *env, const void *self, int64_t row, double *x) {
    const swiss_roll *s = self;
    double u = uniform(env, row, 0), t = 1.5 * M_PI * (1 + 2 * u);
    x[0] = t * cos(t) + s->noise * normal(env, row, 2);
    x[1] = 21 * uniform(env, row, 1) + s->noise * normal(env, row, 3);
    x[2] = t * sin(t) + s->noise * normal(env, row, 4);
    int64_t quarter = (int64_t)(4 * u);
    return quarter < 4 ? quarter : 3;
}

static rkhs_status draw_swiss_roll(rkhs_env *env, const void *self, rkhs_data **x) {
    return draw_rows(env, self, ((const swiss_roll *)self)->n, 3, 4, row_swiss_roll, x);
}

/* clang-format off */
static const rk_param params_swiss_roll[] = {
    {.name = "n", .kind = RK_INT, .offset = offsetof(swiss_roll, n), .value = "2000", .min = 1, .max = 1e9,
     .brief = "number of rows"},
    {.name = "noise", .kind = RK_REAL, .offset = offsetof(swiss_roll, noise), .value = "0", .min = 0, .max = 1e100,
     .brief = "standard deviation of the noise on each coordinate"},
    {0},
};
/* clang-format on */

const rk_sample_type rk_sample_swiss_roll = {
    .entry = {"swiss_roll", "a rolled-up sheet in three dimensions; the labels are its four quarters along the roll",
              "(t cos t, 21 v, t sin t), t = 1.5 pi (1 + 2u), u and v uniform from 0 to 1", NULL, params_swiss_roll,
              sizeof(swiss_roll)},
    .draw = draw_swiss_roll,
};

/* ---- the list -------------------------------------------------------------------------------------------------- */

#define RK_SAMPLE(name) &rk_sample_##name.entry,
static const rk_entry *const entries[] = {
#include "data/samples.def"
    NULL};
#undef RK_SAMPLE

const rk_list rk_samples = {"samples", "sample", entries};

rkhs_status rkhs_data_sample(rkhs_env *env, const char *spec, rkhs_data **data) {
    rkhs_status status = RKHS_OK;
    rk_spec *s = NULL;
    if (!env || !data) return rk_fail_null(env, "rkhs_data_sample", "variable for the data");
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    *data = NULL;
    if (!spec) TRY(rk_fail_hint(env, RKHS_ERR_ARGUMENT, "list=samples", "no sample was named"));
    TRY(rk_spec_new(env, &rk_samples, spec, &s));
    TRY(((const rk_sample_type *)s->entry)->draw(env, s->self, data));
done:
    rk_spec_free(env, s);
    rk_scratch_release(env, mark);
    return status;
}
