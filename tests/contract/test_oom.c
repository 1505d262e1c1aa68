/* Memory that runs out at the first, second, third, ... allocation of every public call: the call fails with a
 * sentence, and leaves nothing behind, neither in memory nor on the disk. */
#include <zlib.h>

#include "trials.h"

enum { N = 24, NEW = 7, DIM = 2 };

/* What the calls work on. */
typedef struct scene {
    rkhs_data *x, *fresh, *gram, *labels, *z, *new_z, *new_labels; /* z: an embedding of x */
    rkhs_kernel *kernel, *rule, *precomputed;
    rkhs_model *model, *gram_model;
    const char *spec; /* of a model, for the fits; of a score */
    int64_t calls;    /* that were starved so far */
    double *Z;
    float floats[N * 3];
} scene;

/* Makes something, sums up what came out into *digest, and gives it back. */
typedef rkhs_status (*public_call)(rkhs_env *env, scene *s, uint64_t *digest);

static void mix(uint64_t *digest, const void *bytes, size_t count) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) *digest = (*digest ^ b[i]) * 0x100000001b3u;
}

static void mix_text(uint64_t *digest, const char *text) { mix(digest, text, strlen(text)); }

static void mix_data(uint64_t *digest, const rkhs_data *x) {
    int64_t ld, classes;
    const double *values = rkhs_data_values(x, &ld);
    const float *floats = rkhs_data_floats(x, &ld);
    const int64_t *codes = rkhs_data_codes(x, &classes);
    mix_text(digest, rkhs_data_kind(x));
    for (int64_t i = 0; values && i < x->rows; i++) mix(digest, values + i * ld, (size_t)x->columns * sizeof *values);
    for (int64_t i = 0; floats && i < x->rows; i++) mix(digest, floats + i * ld, (size_t)x->columns * sizeof *floats);
    if (codes) mix(digest, codes, (size_t)x->rows * sizeof *codes);
    for (int64_t c = 0; codes && c < classes; c++) mix_text(digest, rkhs_data_class_name(x, c));
    if (x->labels) mix_data(digest, x->labels);
}

static void mix_model(uint64_t *digest, const rkhs_model *m) {
    rkhs_item item;
    int64_t n, dim;
    const double *Z = rkhs_model_embedding(m, &n, &dim);
    mix_text(digest, rkhs_model_text(m));
    if (!Z) return;
    mix(digest, Z, (size_t)(n * dim) * sizeof *Z);
    mix_text(digest, rkhs_kernel_text(rkhs_model_kernel(m)));
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++) mix_text(digest, item.name);
}

/* The allocation to fail after k: all of the first and last SURE, where each is another line of the code; between
 * them, where most are those of a loop or of the Gram that other calls make too, every EACH-th, from another one in
 * every call. */
enum { SURE = 60, EACH = 5 };
static int64_t next_to_fail(int64_t k, int64_t total, int64_t calls) {
    for (k++; k >= SURE && k < total - SURE && (k + calls) % EACH != 0;) k++;
    return k;
}

/* Fails the allocations of a call in turn. */
static void starve(rkhs_env *env, const char *name, public_call call, scene *s) {
    uint64_t wanted = 0, digest;
    int files = files_here();
    LOOK_AT("%s", name);
    rk_pool_free(env);
    FINE(env, call(env, s, &wanted));
    rk_pool_free(env);
    size_t used = env->used;
    env->allocations = 0;
    env->fail_at = INT64_MAX;
    digest = 0;
    FINE(env, call(env, s, &digest));
    rk_pool_free(env);
    int64_t total = env->allocations;
    HOLDS(digest == wanted && env->used == used && files_here() == files && total > 0);
    s->calls++;
    for (int64_t k = 0; k < total; k = next_to_fail(k, total, s->calls)) {
        LOOK_AT("%s, allocation %lld of %lld fails", name, (long long)k, (long long)total);
        env->allocations = 0;
        env->fail_at = k;
        digest = 0;
        rkhs_status status = call(env, s, &digest);
        env->fail_at = -1;
        rk_pool_free(env);
        if (env->used != used) fail_msg("%s: %zu bytes before, %zu after", context, used, (size_t)env->used);
        HOLDS(files_here() == files);
        if (status == RKHS_OK) { /* it can do without, as if nothing had been */
            HOLDS(digest == wanted);
            assert_string_equal(rkhs_env_message(env), "");
        } else {
            if (status != RKHS_ERR_MEMORY) fail_msg("%s: status %d, %s", context, status, rkhs_env_message(env));
            HOLDS(says(rkhs_env_message(env), "memory limit"));
        }
    }
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

static rkhs_status read_file(rkhs_env *env, const char *path, const char *format, uint64_t *digest) {
    rkhs_data *x = (rkhs_data *)(uintptr_t)env;
    rkhs_status status = rkhs_data_read(env, path, format, &x);
    if (status == RKHS_OK)
        mix_data(digest, x);
    else
        HOLDS(!x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_csv(rkhs_env *env, scene *s, uint64_t *digest) {
    return read_file(env, "x.csv", "csv(label=word)", digest);
}
static rkhs_status call_gzip(rkhs_env *env, scene *s, uint64_t *digest) { return read_file(env, "y.csv.gz", NULL, digest); }
static rkhs_status call_npy(rkhs_env *env, scene *s, uint64_t *digest) { return read_file(env, "x.npy", NULL, digest); }

/* Rows of a Gram, left on the disk. */
static rkhs_status call_mapped(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_data *x = s->x;
    rkhs_status status = rkhs_data_read_for(env, "x.npy", NULL, s->precomputed, &x);
    if (status == RKHS_OK)
        mix_data(digest, x);
    else
        HOLDS(!x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_merge(rkhs_env *env, scene *s, uint64_t *digest) {
    static const char *const parts[] = {"one.npy"};
    rkhs_status status = rkhs_data_merge_gram(env, parts, 1, "merged.npy");
    if (status == RKHS_OK) status = read_file(env, "merged.npy", NULL, digest);
    unlink("merged.npy");
    return status;
}

static rkhs_status call_labels(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_data *x = NULL;
    rkhs_status status = rkhs_data_read_labels(env, "labels.csv", NULL, &x);
    if (status == RKHS_OK) mix_data(digest, x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_dense(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_data *x = NULL;
    rkhs_status status = rkhs_data_dense(env, s->Z, N, DIM, DIM, &x);
    if (status == RKHS_OK) mix_data(digest, x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_float(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_data *x = NULL;
    rkhs_status status = rkhs_data_float(env, s->floats, N, 3, 3, &x);
    if (status == RKHS_OK) mix_data(digest, x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_float_files(rkhs_env *env, scene *s, uint64_t *digest) {
    static const char *const files[] = {"f.npy", "f.npz"}; /* mapped, copied */
    rkhs_status status = RKHS_OK;
    for (int q = 0; status == RKHS_OK && q < 2; q++) {
        rkhs_data *x = NULL;
        status = rkhs_data_read_for(env, files[q], NULL, NULL, &x);
        if (status == RKHS_OK) mix_data(digest, x);
        rkhs_data_free(x);
    }
    return status;
}

static rkhs_status call_classes(rkhs_env *env, scene *s, uint64_t *digest) {
    static const int64_t codes[] = {0, 1, 1};
    static const char *const names[] = {"cat", "dog"};
    rkhs_data *x = NULL;
    rkhs_status status = rkhs_data_classes(env, codes, 3, names, 2, &x);
    if (status == RKHS_OK) mix_data(digest, x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_sample(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_data *x = NULL;
    rkhs_status status = rkhs_data_sample(env, "cubes(n=40, noise=0.2)", &x);
    if (status == RKHS_OK) mix_data(digest, x);
    rkhs_data_free(x);
    return status;
}

static rkhs_status call_subset(rkhs_env *env, scene *s, uint64_t *digest) {
    static const int64_t index[] = {3, 3, 0};
    rkhs_data *part = NULL, *sample = NULL;
    rkhs_status status = rkhs_data_sample(env, "circles(n=20)", &sample);
    if (status == RKHS_OK) status = rkhs_data_subset(sample, index, 3, &part);
    if (status == RKHS_OK) mix_data(digest, part);
    rkhs_data_free(part);
    rkhs_data_free(sample);
    return status;
}

/* The file's bytes, which are then removed. */
static void mix_file(rkhs_env *env, uint64_t *digest, const char *path) {
    FILE *in = fopen(path, "rb");
    HOLDS(in);
    for (int c; (c = fgetc(in)) != EOF;) mix(digest, &(char){(char)c}, 1);
    fclose(in);
    unlink(path);
}

static rkhs_status write_file(rkhs_env *env, const rkhs_data *x, const char *path, uint64_t *digest) {
    rkhs_status status = rkhs_data_write(x, path, NULL);
    if (status == RKHS_OK) mix_file(env, digest, path);
    return status;
}

static rkhs_status call_write_csv(rkhs_env *env, scene *s, uint64_t *digest) {
    return write_file(env, s->x, "out.csv", digest);
}
static rkhs_status call_write_npy(rkhs_env *env, scene *s, uint64_t *digest) {
    return write_file(env, s->labels, "out.npy", digest);
}

/* The score that s->spec names, of x as its own embedding. */
static rkhs_status call_score(rkhs_env *env, scene *s, uint64_t *digest) {
    double value = -1;
    rkhs_status status = rkhs_score(
        env, &s->spec, 1, &(rkhs_score_input){.z = s->z, .x = s->x, .labels = s->labels, .kernel = s->kernel}, &value, NULL);
    mix(digest, &value, sizeof value);
    if (status != RKHS_OK) HOLDS(value == -1);
    return status;
}

static rkhs_status call_score_new(rkhs_env *env, scene *s, uint64_t *digest) {
    double value = -1;
    const rkhs_score_input what = {
        .z = s->z, .x = s->x, .labels = s->labels, .new_z = s->new_z, .new_x = s->fresh, .new_labels = s->new_labels};
    rkhs_status status = rkhs_score(env, &s->spec, 1, &what, &value, NULL);
    mix(digest, &value, sizeof value);
    if (status != RKHS_OK) HOLDS(value == -1);
    return status;
}

/* ---- kernels --------------------------------------------------------------------------------------------------- */

static rkhs_status call_kernel(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_kernel *k = s->kernel;
    rkhs_status status = rkhs_kernel_new(env,
                                         "0.5*(linear + 2*rbf(sigma=knn(3)))*normalize(poly)[0,2]^2 + "
                                         "standardize(center(rbf), mean=[1,2,3], deviation=[1,1,1])",
                                         &k);
    if (status == RKHS_OK)
        mix_text(digest, rkhs_kernel_text(k));
    else
        HOLDS(!k);
    rkhs_kernel_free(k);
    return status;
}

static rkhs_status call_spec(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_spec *spec = NULL;
    const char *value = NULL;
    rkhs_status status = rkhs_spec_new(env, "models", "kpca(dim=?, gram=nystrom(landmarks=10))", &spec);
    HOLDS((status == RKHS_OK) == (spec != NULL));
    if (status == RKHS_OK) status = rkhs_spec_set(spec, "?dim", "3");
    if (status == RKHS_OK) status = rkhs_spec_set(spec, "gram.m", "20");
    if (status == RKHS_OK) status = rkhs_spec_get(spec, "gram.m", &value);
    if (status == RKHS_OK) mix_text(digest, value);
    if (status == RKHS_OK) mix_text(digest, rkhs_spec_text(spec));
    rkhs_spec_free(spec);
    return status;
}

static rkhs_status call_kernel_copy(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_kernel *copy = s->kernel;
    rkhs_status status = rkhs_kernel_copy(s->rule, &copy);
    if (status == RKHS_OK)
        mix_text(digest, rkhs_kernel_text(copy));
    else
        HOLDS(!copy);
    rkhs_kernel_free(copy);
    return status;
}

static rkhs_status call_freeze(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_kernel *k = NULL;
    rkhs_status status = rkhs_kernel_copy(s->rule, &k);
    if (status == RKHS_OK) status = rkhs_kernel_freeze(k, s->x);
    if (status == RKHS_OK) mix_text(digest, rkhs_kernel_text(k));
    rkhs_kernel_free(k);
    return status;
}

static rkhs_status call_rows(rkhs_env *env, scene *s, uint64_t *digest) {
    double K[5 * N] = {0};
    rkhs_status status = rkhs_kernel_gram_rows(s->rule, s->x, 3, 8, K, N);
    mix(digest, K, status == RKHS_OK ? sizeof K : 0);
    return status;
}

static rkhs_status call_gram(rkhs_env *env, scene *s, uint64_t *digest) {
    double K[N * N];
    rkhs_status status = rkhs_kernel_gram(s->rule, s->x, NULL, K, N);
    if (status == RKHS_OK) mix(digest, K, sizeof K);
    return status;
}

static rkhs_status call_cross(rkhs_env *env, scene *s, uint64_t *digest) {
    double K[N * NEW];
    rkhs_status status = rkhs_kernel_gram(s->kernel, s->x, s->fresh, K, NEW);
    if (status == RKHS_OK) mix(digest, K, sizeof K);
    return status;
}

/* ---- models ---------------------------------------------------------------------------------------------------- */

static rkhs_status call_model(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_model *m = s->model;
    rkhs_status status =
        rkhs_model_new(env, "kpca(dim=3, gram=nystrom(landmarks=10, by=given, rows=[0:10]), solver=lanczos)", &m);
    if (status == RKHS_OK)
        mix_model(digest, m);
    else
        HOLDS(!m);
    rkhs_model_free(m);
    return status;
}

static rkhs_status fit_new(rkhs_env *env, scene *s, const rkhs_kernel *k, const rkhs_data *x, uint64_t *digest) {
    rkhs_model *m = NULL;
    int64_t fail_at = env->fail_at;
    env->fail_at = -1; /* only the fit is to fail */
    FINE(env, rkhs_model_new(env, s->spec, &m));
    rkhs_data *y = fixture_supervision(env, m->type, x, DIM);
    env->fail_at = fail_at;
    rkhs_status status = rkhs_model_fit(m, k, x, y, NULL);
    rkhs_data_free(y);
    if (status == RKHS_OK)
        mix_model(digest, m);
    else
        HOLDS(!rkhs_model_embedding(m, NULL, NULL) && !rkhs_model_kernel(m));
    rkhs_model_free(m);
    return status;
}

static rkhs_status call_fit(rkhs_env *env, scene *s, uint64_t *digest) { return fit_new(env, s, s->rule, s->x, digest); }
static rkhs_status call_fit_own(rkhs_env *env, scene *s, uint64_t *digest) { return fit_new(env, s, NULL, s->x, digest); }
static rkhs_status call_fit_gram(rkhs_env *env, scene *s, uint64_t *digest) {
    return fit_new(env, s, s->precomputed, s->gram, digest);
}

static rkhs_status call_transform(rkhs_env *env, scene *s, uint64_t *digest) {
    double Z[NEW * DIM];
    rkhs_status status = rkhs_model_transform(s->model, s->fresh, Z, DIM);
    if (status == RKHS_OK) mix(digest, Z, sizeof Z);
    return status;
}

static rkhs_status call_transform_gram(rkhs_env *env, scene *s, uint64_t *digest) {
    double Z[N * DIM];
    rkhs_status status = rkhs_model_transform(s->gram_model, s->gram, Z, DIM);
    if (status == RKHS_OK) mix(digest, Z, sizeof Z);
    return status;
}

/* A copy, made with all the memory that there is: it has no inverse and no scores yet. */
static rkhs_model *copy_of(rkhs_env *env, const rkhs_model *m) {
    rkhs_model *copy;
    int64_t fail_at = env->fail_at;
    env->fail_at = -1;
    FINE(env, rkhs_model_copy(m, &copy));
    env->fail_at = fail_at;
    return copy;
}

static rkhs_status inverse_of(rkhs_env *env, const rkhs_model *m, uint64_t *digest) {
    rkhs_model *copy = copy_of(env, m);
    rkhs_data *back = (rkhs_data *)(uintptr_t)env;
    rkhs_status status = rkhs_model_inverse(copy, rkhs_model_embedding(m, NULL, NULL), N, DIM, &back);
    if (status == RKHS_OK)
        mix_data(digest, back);
    else
        HOLDS(!back);
    rkhs_data_free(back);
    rkhs_model_free(copy);
    return status;
}

static rkhs_status call_inverse(rkhs_env *env, scene *s, uint64_t *digest) { return inverse_of(env, s->model, digest); }
static rkhs_status call_inverse_gram(rkhs_env *env, scene *s, uint64_t *digest) {
    return inverse_of(env, s->gram_model, digest);
}

static rkhs_status call_anomaly(rkhs_env *env, scene *s, uint64_t *digest) {
    double scores[N] = {-77};
    rkhs_model *copy = copy_of(env, s->model);
    rkhs_status status = rkhs_model_anomaly(copy, s->x, "both", scores);
    if (status == RKHS_OK)
        mix(digest, scores, sizeof scores);
    else
        HOLDS(scores[0] == -77);
    rkhs_model_free(copy);
    return status;
}

static rkhs_status call_update(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_model *m;
    int64_t n, dim, fail_at = env->fail_at;
    env->fail_at = -1; /* the model is made with all the memory that there is */
    FINE(env, rkhs_model_new(env, s->spec, &m));
    const rkhs_data *y = m->type->predicts ? s->x : NULL;
    FINE(env, rkhs_model_fit(m, NULL, s->x, y, NULL));
    env->fail_at = fail_at;
    rkhs_status status = rkhs_model_update(m, s->x, y);
    const double *Z = rkhs_model_embedding(m, &n, &dim);
    HOLDS((status == RKHS_OK) == (n > N));
    if (status == RKHS_OK) mix(digest, Z, (size_t)(n * dim) * sizeof *Z);
    rkhs_model_free(m);
    return status;
}

static rkhs_status call_save(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_status status = rkhs_model_save(s->model, "out.rkhs");
    if (status == RKHS_OK) mix_file(env, digest, "out.rkhs");
    return status;
}

static rkhs_status call_save_gram(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_status status = rkhs_model_save(s->gram_model, "out.rkhs");
    if (status == RKHS_OK) mix_file(env, digest, "out.rkhs");
    return status;
}

static rkhs_status load_file(rkhs_env *env, const char *path, uint64_t *digest) {
    rkhs_model *m = (rkhs_model *)(uintptr_t)env;
    rkhs_status status = rkhs_model_load(env, path, &m);
    if (status == RKHS_OK)
        mix_model(digest, m);
    else
        HOLDS(!m);
    rkhs_model_free(m);
    return status;
}

static rkhs_status call_load(rkhs_env *env, scene *s, uint64_t *digest) { return load_file(env, "m.rkhs", digest); }
static rkhs_status call_load_gram(rkhs_env *env, scene *s, uint64_t *digest) { return load_file(env, "g.rkhs", digest); }

static rkhs_status call_copy(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_model *copy = s->model;
    rkhs_status status = rkhs_model_copy(s->model, &copy);
    if (status == RKHS_OK)
        mix_model(digest, copy);
    else
        HOLDS(!copy);
    rkhs_model_free(copy);
    return status;
}

/* Floats are the objects, then the target, the start, and what a model file holds. */
static rkhs_status call_float_model(rkhs_env *env, scene *s, uint64_t *digest) {
    rkhs_data *x = NULL, *y = NULL, *back = NULL, *variants = NULL;
    rkhs_model *m = NULL, *other = NULL;
    rkhs_status status = rkhs_data_float(env, s->floats, N, 3, 3, &x);
    if (status == RKHS_OK) status = rkhs_data_float(env, s->floats, N, DIM, 3, &y);
    if (status == RKHS_OK) status = rkhs_data_augment(env, x, "noise", &variants);
    if (status == RKHS_OK) status = rkhs_model_new(env, "kpca(gram=nystrom(landmarks=10))", &m);
    if (status == RKHS_OK) status = rkhs_model_fit(m, s->rule, x, NULL, NULL);
    if (status == RKHS_OK) mix_model(digest, m);
    if (status == RKHS_OK) status = rkhs_model_inverse(m, s->Z, 3, DIM, &back);
    if (status == RKHS_OK) mix_data(digest, back);
    if (status == RKHS_OK) status = rkhs_model_save(m, "f.rkhs");
    if (status == RKHS_OK) status = rkhs_model_load(env, "f.rkhs", &other);
    rkhs_model_free(other);
    other = NULL;
    if (status == RKHS_OK) status = rkhs_model_new(env, "kae(dim=2, solver=lbfgs(max_iter=2))", &other);
    if (status == RKHS_OK) status = rkhs_model_fit(other, s->kernel, x, y, y);
    if (status == RKHS_OK) mix_model(digest, other);
    rkhs_model_free(other);
    rkhs_model_free(m);
    rkhs_data_free(variants);
    rkhs_data_free(back);
    rkhs_data_free(y);
    rkhs_data_free(x);
    unlink("f.rkhs");
    return status;
}

/* ---- the tests ------------------------------------------------------------------------------------------------- */

static void fit_into(rkhs_env *env, const char *spec, const rkhs_kernel *k, const rkhs_data *x, rkhs_model **m) {
    FINE(env, rkhs_model_new(env, spec, m));
    FINE(env, rkhs_model_fit(*m, k, x, NULL, NULL));
}

static void put_text(const char *path, const char *text, int gzip) {
    gzFile out = gzopen(path, gzip ? "wb" : "wbT");
    assert_int_equal(gzputs(out, text), strlen(text));
    assert_int_equal(gzclose(out), Z_OK);
}

static void scene_open(rkhs_env *env, scene *s) {
    *s = (scene){.Z = normals(env, N * DIM, 60)};
    fixture_split(env, "small", N, NEW, &s->x, &s->fresh);
    s->gram = fixture_data(env, "gram", N);
    s->labels = fixture_labels(env, N);
    s->new_labels = fixture_labels(env, NEW);
    FINE(env, rkhs_data_dense(env, s->Z, N, DIM, DIM, &s->z));
    FINE(env, rkhs_data_dense(env, s->Z + 3, NEW, DIM, DIM, &s->new_z));
    for (int i = 0; i < N * 3; i++) s->floats[i] = (float)i / 7;
    LOOK_AT("the scene");
    FINE(env, rkhs_kernel_new(env, "rbf(gamma=0.2)", &s->kernel));
    FINE(env,
         rkhs_kernel_new(
             env, "rbf(sigma=median) + 2*center(laplacian(sigma=knn(3))[2,0])*normalize(poly) + standardize(linear)[0:2]^2",
             &s->rule));
    FINE(env, rkhs_kernel_new(env, "precomputed", &s->precomputed));
    fit_into(env, "kpca(gram=nystrom(landmarks=10))", s->rule, s->x, &s->model);
    fit_into(env, "kpca", s->precomputed, s->gram, &s->gram_model);
    FINE(env, rkhs_model_save(s->model, "m.rkhs"));
    FINE(env, rkhs_model_save(s->gram_model, "g.rkhs"));
    FINE(env, rkhs_data_write(s->x, "x.npy", NULL));
    FINE(env, rkhs_data_write(s->gram, "one.npy", NULL));
    rkhs_data *floats;
    FINE(env, rkhs_data_float(env, s->floats, N, 3, 3, &floats));
    FINE(env, rkhs_data_write(floats, "f.npy", NULL));
    FINE(env, rkhs_data_write(floats, "f.npz", NULL));
    rkhs_data_free(floats);
    put_text("x.csv", "a,word,b\n1,\"cat, big\",2\n3,dog,4\n5,\"cat, big\",6.5e-3\n", 0);
    put_text("y.csv.gz", "1,2\n3,4\n5,6\n7,8\n", 1);
    put_text("labels.csv", "cat\ndog\ncat\n", 0);
}

static void scene_close(scene *s) {
    rkhs_model_free(s->gram_model);
    rkhs_model_free(s->model);
    rkhs_kernel_free(s->precomputed);
    rkhs_kernel_free(s->rule);
    rkhs_kernel_free(s->kernel);
    rkhs_data_free(s->new_z);
    rkhs_data_free(s->z);
    rkhs_data_free(s->new_labels);
    rkhs_data_free(s->labels);
    rkhs_data_free(s->gram);
    rkhs_data_free(s->fresh);
    rkhs_data_free(s->x);
}

typedef struct named_call {
    const char *name;
    public_call call;
} named_call;

static void starve_all(rkhs_env *env, const named_call *calls) {
    rk_mark mark = rk_scratch_mark(env);
    scene s;
    scene_open(env, &s);
    for (; calls->name; calls++) starve(env, calls->name, calls->call, &s);
    scene_close(&s);
    rk_scratch_release(env, mark);
}

static void data_that_find_no_memory_fail_whole(void **state) {
    static const named_call calls[] = {
        {"read a CSV with labels", call_csv},
        {"read a gzipped CSV", call_gzip},
        {"read an NPY", call_npy},
        {"map an NPY", call_mapped},
        {"merge parts", call_merge},
        {"read labels", call_labels},
        {"dense data", call_dense},
        {"float data", call_float},
        {"files of floats", call_float_files},
        {"classes", call_classes},
        {"a sample", call_sample},
        {"a subset", call_subset},
        {"write a CSV", call_write_csv},
        {"write labels", call_write_npy},
        {NULL, NULL},
    };
    starve_all(*state, calls);
}

static void kernels_that_find_no_memory_fail_whole(void **state) {
    static const named_call calls[] = {
        {"a kernel", call_kernel},     {"a spec", call_spec}, {"a copy of a kernel", call_kernel_copy},
        {"freeze", call_freeze},       {"a Gram", call_gram}, {"a cross Gram", call_cross},
        {"rows of a Gram", call_rows}, {NULL, NULL},
    };
    starve_all(*state, calls);
}

static void models_that_find_no_memory_fail_whole(void **state) {
    static const named_call calls[] = {
        {"a model", call_model},
        {"transform", call_transform},
        {"transform a Gram", call_transform_gram},
        {"inverse", call_inverse},
        {"inverse of a Gram", call_inverse_gram},
        {"anomaly", call_anomaly},
        {"save", call_save},
        {"save a model of a Gram", call_save_gram},
        {"load", call_load},
        {"load a model of a Gram", call_load_gram},
        {"copy", call_copy},
        {"models of floats", call_float_model},
        {NULL, NULL},
    };
    starve_all(*state, calls);
}

/* Every score, of new rows too where it takes them, and machines with each way to choose their parameter. */
static void scores_that_find_no_memory_fail_whole(void **state) {
    rkhs_env *env = *state;
    static const char *const more[] = {"svm(select=same, metric=f1)", "nusvm(select=nested, kernel=rbf(sigma=median))", NULL};
    rk_mark mark = rk_scratch_mark(env);
    char name[128];
    scene s;
    scene_open(env, &s);
    for (int q = 0; rk_scores.entries[q]; q++) {
        s.spec = fixture_score(rk_scores.entries[q], name, sizeof name, 3);
        if (((const rk_score_type *)rk_scores.entries[q])->takes_new) starve(env, name, call_score_new, &s);
        starve(env, name, call_score, &s);
    }
    for (int q = 0; more[q]; q++) starve(env, s.spec = more[q], call_score, &s);
    scene_close(&s);
    rk_scratch_release(env, mark);
}

/* Every model with every gram, and kpca with its solvers. Under sanitizers, which take ten times as long, with the
 * exact one and one more in turn. */
#if defined(__SANITIZE_ADDRESS__)
enum { GRAMS_APART = 5 };
#else
enum { GRAMS_APART = 1 };
#endif
static void fits_that_find_no_memory_fail_whole(void **state) {
    rkhs_env *env = *state;
    static const char *const more[] = {"", ", solver=dense", ", solver=lanczos", ", negative=flip"};
    static const char *const updates[] = {
        "kpca", "lpp(gram=nystrom(landmarks=4))", "npe(gram=nystrom(landmarks=4))", "krr(gram=nystrom(landmarks=4))", "krr",
        NULL};
    rk_mark mark = rk_scratch_mark(env);
    fixture_gram of;
    scene s;
    scene_open(env, &s);
    for (int q = 0; rk_models.entries[q]; q++)
        for (int g = 0; fixture_gram_at(g, &of); g++) {
            if (!fixture_serves((const rk_model_type *)rk_models.entries[q], &of)) continue;
            if (GRAMS_APART > 1 && g > 0 && (g + q) % GRAMS_APART != 0) continue;
            for (int t = 0; t < (strcmp(rk_models.entries[q]->name, "kpca") == 0 && !of.given ? 4 : 1); t++) {
                char spec[192], name[224];
                char rest[96];
                snprintf(rest, sizeof rest, "gram=%s%s", of.text, more[t]);
                fixture_spec(spec, sizeof spec, (const rk_model_type *)rk_models.entries[q], DIM, rest);
                s.spec = spec;
                snprintf(name, sizeof name, "fit %s", spec);
                starve(env, name, call_fit, &s);
                if (t == 3 && strcmp(of.text, "exact") != 0)
                    continue; /* flip looks at the whole of a Gram that may be indefinite */
                snprintf(name, sizeof name, "fit %s to a Gram", spec);
                starve(env, name, call_fit_gram, &s);
            }
        }
    s.spec = "kpca";
    starve(env, "fit with the model's own kernel", call_fit_own, &s);
    for (int q = 0; updates[q]; q++) starve(env, s.spec = updates[q], call_update, &s);
    scene_close(&s);
    rk_scratch_release(env, mark);
}

/* Where several tiles are, threads are started, and their memory may be missing too. */
static void a_fit_on_two_threads_that_finds_no_memory_fails_whole(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    scene s;
    scene_open(env, &s);
    rkhs_data_free(s.x);
    s.x = fixture_data(env, "small", 270);
    OK(env, rkhs_env_set_threads(env, 2));
    s.spec = "kpca(gram=nystrom(landmarks=20))";
    starve(env, "fit on two threads", call_fit_own, &s);
    OK(env, rkhs_env_set_threads(env, 1));
    scene_close(&s);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(data_that_find_no_memory_fail_whole),   FOLDER_TEST(kernels_that_find_no_memory_fail_whole),
        FOLDER_TEST(models_that_find_no_memory_fail_whole), FOLDER_TEST(scores_that_find_no_memory_fail_whole),
        FOLDER_TEST(fits_that_find_no_memory_fail_whole),   FOLDER_TEST(a_fit_on_two_threads_that_finds_no_memory_fails_whole),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
