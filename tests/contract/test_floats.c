/* Rows of floats: every kernel and model gives the bits of the same numbers as doubles, in half of the memory. */
#include "trials.h"

#include "io/io.h"

enum { DIM = 2 };

/* The same numbers twice: as doubles, and as floats whose rows are three numbers further apart than they are long. */
typedef struct twins {
    rkhs_data *doubles, *floats;
} twins;

/* Floats in the array of a data set of the same kind and shape as x, which has become the same numbers as doubles. */
static twins twins_of(rkhs_env *env, rkhs_data *x) {
    twins t = {x, NULL};
    rk_dense *d = x->self;
    const rk_image *image = rk_images(x);
    int64_t n = x->rows, p = x->columns, ld = image ? p : p + 3;
    double *values = d->owned;
    float *floats;
    rkhs_data *wide;
    HOLDS(values && d->ld == p);
    FINE(env, rk_data_float_new(env, n, ld, &floats, &wide));
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < p; c++) floats[i * ld + c] = (float)values[i * p + c], values[i * p + c] = floats[i * ld + c];
    wide->columns = p;
    t.floats = wide;
    if (image) FINE(env, rk_image_from_dense(env, &t.floats, image->h, image->w, image->c));
    return t;
}

static void twins_free(twins *t) {
    rkhs_data_free(t->floats);
    rkhs_data_free(t->doubles);
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

/* The Gram of all, and of either type with the other, by a kernel that takes its widths from the data. */
static void same_grams(rkhs_env *env, const char *text, const twins *x, const twins *y) {
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = x->doubles->rows, m = y->doubles->rows;
    rkhs_kernel *k;
    FINE(env, rkhs_kernel_new(env, text, &k));
    double *K = numbers(env, n * n), *L = numbers(env, n * n), *C = numbers(env, n * m), *D = numbers(env, n * m);
    FINE(env, rkhs_kernel_gram(k, x->doubles, NULL, K, n));
    FINE(env, rkhs_kernel_gram(k, x->floats, NULL, L, n));
    same_bits("K of floats", L, K, n * n);
    if (rkhs_kernel_uses(k, "precomputed")) m = 0; /* compares nothing new */
    if (m) FINE(env, rkhs_kernel_gram(k, x->doubles, y->doubles, C, m));
    for (int t = 1; m && t < 4; t++) {
        FINE(env, rkhs_kernel_gram(k, t & 1 ? x->floats : x->doubles, t & 2 ? y->floats : y->doubles, D, m));
        same_bits(t == 3 ? "K of floats and floats" : "K of floats and doubles", D, C, n * m);
    }
    rkhs_kernel_free(k);
    rk_scratch_release(env, mark);
}

static void every_kernel_gives_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    for (pairing p = {0}; next_pairing(env, &p);) {
        rkhs_data *first = fixture_data(env, p.data, 40), *second = fixture_data(env, p.data, 23);
        if (rk_dense_of(first)) {
            twins x = twins_of(env, first), y = twins_of(env, second);
            same_grams(env, p.text, &x, &y);
            twins_free(&x);
            twins_free(&y);
        } else {
            rkhs_data_free(first);
            rkhs_data_free(second);
        }
    }
}

/* More columns than a chunk and a slice of products have, and more rows than a tile; near the origin, and far. */
static void long_rows_give_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    static const char *const texts[] = {"linear",
                                        "rbf",
                                        "laplacian",
                                        "cosine",
                                        "tanimoto",
                                        "poly",
                                        "sigmoid",
                                        "ntk",
                                        "relu",
                                        "matern(nu=2.5)",
                                        "rbf[3:600] + linear[7,1]",
                                        "normalize(linear)",
                                        "center(rbf)",
                                        "standardize(rbf)"};
    for (int64_t p = 255; p <= 530; p += p < 257 ? 1 : 273)
        for (int far = 0; far < 2; far++) {
            rkhs_data *data[2];
            for (int q = 0; q < 2; q++) {
                double *values;
                int64_t n = q ? 3 : 261;
                FINE(env, rk_data_dense_new(env, n, 700, &values, &data[q]));
                data[q]->columns = p < 500 ? p : 700;
                ((rk_dense *)data[q]->self)->ld = data[q]->columns;
                for (int64_t i = 0; i < n * data[q]->columns; i++)
                    values[i] = 10 * far + rk_normal(5, RK_STREAM_TEST, (uint64_t)i, (uint64_t)q);
                for (int64_t c = 0; c < data[q]->columns; c++) values[data[q]->columns + c] = values[c] * (1 + 1e-6 * q);
            }
            twins x = twins_of(env, data[0]), y = twins_of(env, data[1]);
            for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
                LOOK_AT("%s on %lld columns", texts[t], (long long)data[0]->columns);
                if (strchr(texts[t], '[') && data[0]->columns < 600) continue;
                same_grams(env, texts[t], &x, &y);
            }
            twins_free(&x);
            twins_free(&y);
        }
}

/* Rows whose squares are subnormal as doubles: floats reach down to 1e-45. */
static void the_smallest_floats_give_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    static const char *const texts[] = {"rbf(gamma=1e80)",       "cosine",           "tanimoto",
                                        "laplacian(gamma=1e40)", "chi2(gamma=1e40)", "rbf"};
    rkhs_data *data[2];
    for (int q = 0; q < 2; q++) {
        double *values;
        FINE(env, rk_data_dense_new(env, 9, 12, &values, &data[q]));
        for (int64_t i = 0; i < 9 * 12; i++) values[i] = 1e-40 * rk_uniform(5, RK_STREAM_TEST, (uint64_t)i, (uint64_t)q);
    }
    twins x = twins_of(env, data[0]), y = twins_of(env, data[1]);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        LOOK_AT("%s on tiny floats", texts[t]);
        same_grams(env, texts[t], &x, &y);
    }
    twins_free(&x);
    twins_free(&y);
}

static void gradients_have_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    enum { N = 30, P = 21 };
    for (const rk_entry *const *e = rk_kernels.entries; *e; e++) {
        const rk_kernel_type *type = (const rk_kernel_type *)*e;
        if (!type->gradient || type->children || !(type->kinds & RK_KIND_DENSE)) continue;
        rk_mark mark = rk_scratch_mark(env);
        rkhs_kernel *k;
        rkhs_data *x;
        double *values, *w = normals(env, N * N, 3), *d[2];
        LOOK_AT("the gradient of %s", (*e)->name);
        FINE(env, rk_data_dense_new(env, N, P, &values, &x));
        for (int i = 0; i < N * P; i++) values[i] = rk_normal(5, RK_STREAM_TEST, (uint64_t)i, 0);
        twins t = twins_of(env, x);
        FINE(env, rkhs_kernel_new(env, (*e)->name, &k));
        FINE(env, rkhs_kernel_freeze(k, t.doubles));
        for (int q = 0; q < 2; q++) {
            rk_bound *b;
            rk_work *work;
            d[q] = numbers(env, N * P);
            FINE(env, rk_bind(env, k, q ? t.floats : t.doubles, NULL, &b));
            FINE(env, rk_gradient_work(env, 1, b, b, &work));
            FINE(env, rk_gradient_of(b, 0, N, b, 0, N, w, N, d[q], work[0]));
            rk_unbind(env, b);
        }
        same_bits("dx", d[1], d[0], N * P);
        rkhs_kernel_free(k);
        twins_free(&t);
        rk_scratch_release(env, mark);
    }
}

/* A function that reads doubles gets doubles; one that takes floats gets these. */
static rkhs_status first_product(const rkhs_data *a, int64_t i, const rkhs_data *b, int64_t j, double *value, void *payload) {
    int64_t la, lb;
    int floats = *(const int *)payload;
    const double *x = rkhs_data_values(a, &la), *y = rkhs_data_values(b, &lb);
    double u, row[3];
    if (!floats) {
        *value = x[i * la] * y[j * lb];
        return RKHS_OK;
    }
    rkhs_data_row(a, i, row);
    u = row[0];
    rkhs_data_row(b, j, row);
    *value = u * row[0];
    return x || !rkhs_data_floats(a, NULL) ? RKHS_ERR_BUG : RKHS_OK;
}

static void a_kernel_of_the_caller_gets_the_numbers_that_it_takes(void **state) {
    rkhs_env *env = *state;
    enum { N = 20 };
    static const int no = 0, yes = 1;
    rkhs_data *x = fixture_data(env, "small", N);
    double K[2][N * N], right[N * N];
    rkhs_kernel *k;
    twins t = twins_of(env, x);
    FINE(env, rkhs_env_add_kernel(env, "plain", &(rkhs_user_kernel){.pair = first_product, .payload = (void *)(uintptr_t)&no}));
    FINE(env, rkhs_env_add_kernel(env, "both",
                                  &(rkhs_user_kernel){.pair = first_product, .payload = (void *)(uintptr_t)&yes, .floats = 1}));
    for (int q = 0; q < 2; q++) {
        FINE(env, rkhs_kernel_new(env, q ? "both" : "plain", &k));
        FINE(env, rkhs_kernel_gram(k, t.floats, NULL, K[q], N));
        if (!q) FINE(env, rkhs_kernel_gram(k, t.doubles, NULL, right, N));
        same_bits("K", K[q], right, N * N);
        rkhs_kernel_free(k);
    }
    twins_free(&t);
}

/* ---- models ---------------------------------------------------------------------------------------------------- */

static double *placed(rkhs_env *env, const rkhs_model *m, const rkhs_data *x) {
    double *Z = numbers(env, x->rows * DIM);
    FINE(env, rkhs_model_transform(m, x, Z, DIM));
    return Z;
}

static double *all_values(rkhs_env *env, const rkhs_data *x) {
    double *values = numbers(env, x->rows * x->columns);
    for (int64_t i = 0; i < x->rows; i++) HOLDS(rkhs_data_row(x, i, values + i * x->columns));
    return values;
}

/* Fit, placement, inverse and anomaly score, before and after a file. */
static void every_model_gives_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    enum { N = 40, NEW = 7 };
    for (trial t = {0}; next_trial(env, &t, DIM);) {
        rkhs_data *first, *second;
        fixture_split(env, t.pair.data, N, NEW, &first, &second);
        if (!rk_dense_of(first)) {
            rkhs_data_free(first);
            rkhs_data_free(second);
            continue;
        }
        rk_mark mark = rk_scratch_mark(env);
        twins x = twins_of(env, first), fresh = twins_of(env, second);
        rkhs_model *a = fitted(env, &t, x.floats), *b = fitted(env, &t, x.doubles), *back;
        same_bits("Z", rkhs_model_embedding(a, NULL, NULL), rkhs_model_embedding(b, NULL, NULL), N * DIM);
        FINE(env, rkhs_model_save(a, "a.rkhs"));
        FINE(env, rkhs_model_load(env, "a.rkhs", &back));
        const double *right = placed(env, b, fresh.doubles);
        same_bits("new floats", placed(env, a, fresh.floats), right, NEW * DIM);
        same_bits("new doubles", placed(env, a, fresh.doubles), right, NEW * DIM);
        same_bits("new floats, placed by doubles", placed(env, b, fresh.floats), right, NEW * DIM);
        same_bits("new floats after a file", placed(env, back, fresh.floats), right, NEW * DIM);
        rkhs_model *models[] = {a, back};
        double score[2][NEW];
        rkhs_data *found, *wanted;
        FINE(env, rkhs_model_inverse(b, right, NEW, DIM, &wanted));
        int scored = !t.type->predicts;
        if (scored) FINE(env, rkhs_model_anomaly(b, fresh.doubles, NULL, score[0]));
        for (int q = 0; q < 2; q++) {
            FINE(env, rkhs_model_inverse(models[q], right, NEW, DIM, &found));
            if (rk_dense_of(found))
                same_bits("inverse", all_values(env, found), all_values(env, wanted), NEW * wanted->columns);
            rkhs_data_free(found);
            if (!scored) continue;
            FINE(env, rkhs_model_anomaly(models[q], fresh.floats, NULL, score[1]));
            same_bits("anomaly", score[1], score[0], NEW);
        }
        rkhs_data_free(wanted);
        rkhs_model_free(back);
        rkhs_model_free(a);
        rkhs_model_free(b);
        twins_free(&x);
        twins_free(&fresh);
        rk_scratch_release(env, mark);
    }
}

/* Targets, and the start, may be floats too. */
static void targets_and_starts_of_floats_are_taken(void **state) {
    rkhs_env *env = *state;
    enum { N = 30 };
    static const char *const specs[] = {"krr", "kae(dim=2)", "tke(dim=2)", "kae(dim=2)"};
    rkhs_data *x = fixture_data(env, "small", N), *y;
    double *values;
    FINE(env, rk_data_dense_new(env, N, 2, &values, &y));
    for (int i = 0; i < 2 * N; i++) values[i] = rk_normal(5, RK_STREAM_TEST, (uint64_t)i, 4);
    twins t = twins_of(env, y);
    for (int q = 0; q < 4; q++) {
        rkhs_model *m[2];
        LOOK_AT("%s", specs[q]);
        for (int f = 0; f < 2; f++) {
            const rkhs_data *given = f ? t.floats : t.doubles;
            FINE(env, rkhs_model_new(env, specs[q], &m[f]));
            FINE(env, rkhs_model_fit(m[f], NULL, x, q < 2 ? given : NULL, q < 2 ? NULL : given));
        }
        same_bits("Z", rkhs_model_embedding(m[1], NULL, NULL), rkhs_model_embedding(m[0], NULL, NULL), N * 2);
        for (int f = 0; f < 2; f++) rkhs_model_free(m[f]);
    }
    twins_free(&t);
    rkhs_data_free(x);
}

static void every_score_gives_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    enum { N = 60, NEW = 25 };
    rkhs_data *first, *second, *labels = fixture_labels(env, N), *fresh = fixture_labels(env, NEW);
    fixture_split(env, "wide", N, NEW, &first, &second);
    twins x = twins_of(env, first), new_x = twins_of(env, second);
    fixture_split(env, "small", N, NEW, &first, &second);
    twins z = twins_of(env, first), new_z = twins_of(env, second);
    for (const rk_entry *const *e = rk_scores.entries; *e; e++)
        for (int with = 0; with < 2; with++) {
            char text[64];
            const char *spec = fixture_score(*e, text, sizeof text, 3);
            double value[2];
            LOOK_AT("%s%s", spec, with ? " with new rows" : "");
            if (with && !((const rk_score_type *)*e)->takes_new) continue;
            for (int f = 0; f < 2; f++) {
                rkhs_score_input in = {.z = f ? z.floats : z.doubles, .x = f ? x.floats : x.doubles, .labels = labels};
                if (with) in.new_z = f ? new_z.floats : new_z.doubles, in.new_x = f ? new_x.floats : new_x.doubles;
                if (with) in.new_labels = fresh;
                FINE(env, rkhs_score(env, &spec, 1, &in, &value[f], NULL));
            }
            same_bits("the score", &value[1], &value[0], 1);
        }
    rkhs_data_free(labels);
    rkhs_data_free(fresh);
    twins_free(&x);
    twins_free(&new_x);
    twins_free(&z);
    twins_free(&new_z);
}

static void augmented_floats_have_the_bits_of_doubles(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[][2] = {{"small", "noise"},  {"small", "noise(0.2, absolute=true)"},
                                           {"images", "noise"}, {"images", "flip"},
                                           {"images", "shift"}, {"images", "crop"},
                                           {"counts", "noise"}};
    for (size_t q = 0; q < sizeof specs / sizeof *specs; q++) {
        rk_mark mark = rk_scratch_mark(env);
        LOOK_AT("%s of %s", specs[q][1], specs[q][0]);
        twins t = twins_of(env, fixture_data(env, specs[q][0], 70));
        rkhs_data *a, *b;
        FINE(env, rkhs_data_augment(env, t.doubles, specs[q][1], &a));
        FINE(env, rkhs_data_augment(env, t.floats, specs[q][1], &b));
        HOLDS(a->type == b->type);
        same_bits("variants", rkhs_data_values(b, NULL), rkhs_data_values(a, NULL), a->rows * a->columns);
        rkhs_data_free(a);
        rkhs_data_free(b);
        twins_free(&t);
        rk_scratch_release(env, mark);
    }
}

/* Subsets of floats are floats, and so are joined ones; with doubles among them, they are doubles. */
static void parts_of_floats_are_floats(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    static const int64_t rows[] = {3, 3, 0};
    twins t = twins_of(env, fixture_data(env, "small", 5));
    rkhs_data *part[2], *joined, *mixed, *kept;
    FINE(env, rkhs_data_subset(t.floats, rows, 3, &part[0]));
    FINE(env, rkhs_data_subset(t.doubles, rows, 3, &part[1]));
    FINE(env, rk_data_keep(t.floats, NULL, 0, &kept));
    FINE(env, rkhs_data_join(env, (const rkhs_data *[]){part[0], kept}, 2, &joined));
    FINE(env, rkhs_data_join(env, (const rkhs_data *[]){part[0], t.doubles}, 2, &mixed));
    HOLDS(!rkhs_data_values(part[0], NULL) && rkhs_data_floats(part[0], NULL) && rkhs_data_floats(joined, NULL));
    HOLDS(rkhs_data_values(mixed, NULL) && !rkhs_data_floats(mixed, NULL));
    same_bits("the subset", all_values(env, part[0]), rkhs_data_values(part[1], NULL), 9);
    same_bits("joined", all_values(env, joined), rkhs_data_values(mixed, NULL), 24);
    rkhs_data *all[] = {part[0], part[1], joined, mixed, kept};
    for (int i = 0; i < 5; i++) rkhs_data_free(all[i]);
    twins_free(&t);
    rk_scratch_release(env, mark);
}

/* ---- files and memory ------------------------------------------------------------------------------------------ */

static void a_model_file_keeps_floats_and_refuses_bad_ones(void **state) {
    rkhs_env *env = *state;
    enum { N = 20, P = 3 };
    static float bad[N * P];
    static double wide[N * P];
    static const float not_finite[] = {NAN, INFINITY, -INFINITY};
    twins t = twins_of(env, fixture_data(env, "small", N));
    rkhs_model *m = fit_text(env, "kpca(dim=2)", "rbf", t.floats), *back;
    rk_archive *a, *out;
    rk_array array;
    FINE(env, rkhs_model_save(m, "m.rkhs"));
    FINE(env, rkhs_model_load(env, "m.rkhs", &back));
    HOLDS(rkhs_data_floats(rkhs_model_reference_objects(back, NULL), NULL));
    FINE(env, rkhs_model_save(back, "n.rkhs"));
    same_files(env, "m.rkhs", "n.rkhs");
    rkhs_model_free(back);
    FINE(env, rk_archive_read(env, "m.rkhs", &a));
    const rk_array forged[] = {
        {'f', 2, {N, P}, bad},      {'f', 2, {N, P}, bad},     {'f', 2, {N, P}, bad},
        {'f', 2, {N - 1, P}, wide}, {'f', 2, {N, 0}, wide},    {'f', 1, {N * P}, wide},
        {'q', 2, {N, P}, wide},     {'f', 3, {N, P, 1}, wide}, {'f', 2, {0, P}, wide},
    };
    for (int q = 0; q < 9 + (int)rk_archive_count(a); q++) {
        const char *changed = q < 9 ? "kept/values" : rk_archive_name(a, q - 9);
        if (q >= 9 && rk_archive_type(a, q - 9) != 'd') continue; /* all other numbers are doubles */
        if (q < 3) bad[N * P - 1] = not_finite[q];
        FINE(env, rk_archive_new(env, &out));
        for (int64_t i = 0, found = 0; i < rk_archive_count(a) || !found; i++) {
            const char *name = rk_archive_name(a, i);
            HOLDS(name);
            FINE(env, rk_archive_get(a, name, rk_archive_type(a, i), -1, &array));
            if (strcmp(name, changed) == 0) found = 1;
            if (strcmp(name, changed) == 0 && q < 9) array = forged[q];
            if (strcmp(name, changed) == 0 && q >= 9) array.type = 'f';
            FINE(env, rk_archive_put(out, name, &array));
        }
        FINE(env, rk_archive_write(out, "c.rkhs"));
        rk_archive_free(out);
        LOOK_AT("'%s', forged in way %d", changed, q);
        back = NULL;
        rkhs_status status = rkhs_model_load(env, "c.rkhs", &back);
        HOLDS(status == RKHS_ERR_FORMAT || status == RKHS_ERR_DATA);
        HOLDS(!back && strncmp(rkhs_env_message(env), "c.rkhs: ", 8) == 0);
    }
    rk_archive_free(a);
    rkhs_model_free(m);
    twins_free(&t);
}

/* Data for the tests of memory: 3000 x 400 floats, 4.8 MB. */
enum { ROWS = 3000, COLUMNS = 400, FLOATS = 4 * ROWS * COLUMNS };

static float *many_floats(rkhs_env *env) {
    float *floats;
    FINE(env, rk_scratch(env, ROWS * COLUMNS, sizeof *floats, &floats));
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) floats[i] = (float)rk_uniform(5, RK_STREAM_TEST, (uint64_t)i, 0);
    return floats;
}

static void write_floats(rkhs_env *env, const float *floats, const char *path) {
    rkhs_data *x;
    FINE(env, rkhs_data_float(env, floats, ROWS, COLUMNS, COLUMNS, &x));
    FINE(env, rkhs_data_write(x, path, NULL));
    rkhs_data_free(x);
}

/* Borrowed and mapped floats take nothing, those of an archive 4 bytes a number. */
static void floats_take_four_bytes_each(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    float *floats = many_floats(env);
    size_t used = env->used;
    int64_t ld;
    rkhs_data *x;
    FINE(env, rkhs_data_float(env, floats, ROWS, COLUMNS, COLUMNS, &x));
    HOLDS(rkhs_data_floats(x, &ld) == floats && ld == COLUMNS && !rkhs_data_values(x, NULL));
    HOLDS(env->used - used < 1024);
    rkhs_data_free(x);
    write_floats(env, floats, "x.npy");
    write_floats(env, floats, "x.npz");
    FINE(env, rkhs_data_read_for(env, "x.npy", NULL, NULL, &x));
    HOLDS(((const rk_dense *)x->self)->map.base && env->used - used < 1024);
    HOLDS(memcmp(rkhs_data_floats(x, NULL), floats, FLOATS) == 0);
    rkhs_data_free(x);
    FINE(env, rkhs_data_read_for(env, "x.npz", NULL, NULL, &x));
    HOLDS(env->used - used >= FLOATS && env->used - used < FLOATS + 1024);
    HOLDS(memcmp(rkhs_data_floats(x, NULL), floats, FLOATS) == 0);
    rkhs_data_free(x);
    FINE(env, rkhs_data_read(env, "x.npy", NULL, &x)); /* who does not ask for floats gets doubles, a copy */
    HOLDS(env->used - used >= 2 * FLOATS && rkhs_data_values(x, NULL)[7] == (double)floats[7]);
    rkhs_data_free(x);
    rk_scratch_release(env, mark);
}

/* Fit and transform take no more than they do with borrowed doubles, which they do not copy. */
static void no_fit_and_no_transform_widens_all_rows(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    static const char *const kernels[] = {"rbf", "linear", "laplacian", "rbf[0:390]", "cosine + poly"};
    float *floats = many_floats(env);
    double *doubles = numbers(env, ROWS * COLUMNS), *Z = numbers(env, ROWS * DIM);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) doubles[i] = floats[i];
    for (size_t q = 0; q < sizeof kernels / sizeof *kernels; q++) {
        size_t peak[2], kept[2];
        for (int f = 0; f < 2; f++) {
            rkhs_data *x;
            if (f) FINE(env, rkhs_data_float(env, floats, ROWS, COLUMNS, COLUMNS, &x));
            if (!f) FINE(env, rkhs_data_dense(env, doubles, ROWS, COLUMNS, COLUMNS, &x));
            size_t used = env->used;
            atomic_store(&env->peak, used);
            rkhs_model *m = fit_text(env, "kpca(dim=2, gram=nystrom(landmarks=30))", kernels[q], x);
            FINE(env, rkhs_model_transform(m, x, Z, DIM));
            peak[f] = env->peak - used;
            kept[f] = env->used - used;
            rkhs_model_free(m);
            rkhs_data_free(x);
        }
        LOOK_AT("%s: %zu bytes for floats, %zu for doubles; kept %zu and %zu", kernels[q], peak[1], peak[0], kept[1], kept[0]);
        HOLDS(peak[1] < peak[0] + FLOATS / 2);               /* work spaces of 1 MB, in which tiles are widened */
        HOLDS(kept[1] + 30 * COLUMNS * 4 <= kept[0] + 1024); /* the landmarks are floats too */
    }
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_kernel_gives_the_bits_of_doubles),
        ENV_TEST(long_rows_give_the_bits_of_doubles),
        ENV_TEST(the_smallest_floats_give_the_bits_of_doubles),
        ENV_TEST(gradients_have_the_bits_of_doubles),
        ENV_TEST(a_kernel_of_the_caller_gets_the_numbers_that_it_takes),
        FOLDER_TEST(every_model_gives_the_bits_of_doubles),
        ENV_TEST(targets_and_starts_of_floats_are_taken),
        ENV_TEST(every_score_gives_the_bits_of_doubles),
        ENV_TEST(augmented_floats_have_the_bits_of_doubles),
        ENV_TEST(parts_of_floats_are_floats),
        FOLDER_TEST(a_model_file_keeps_floats_and_refuses_bad_ones),
        FOLDER_TEST(floats_take_four_bytes_each),
        FOLDER_TEST(no_fit_and_no_transform_widens_all_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
