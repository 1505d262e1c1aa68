/* Model files that are cut, flipped, newer, or made to deceive: refused with a sentence, never loaded, never a
 * crash. */
#include <fcntl.h>

#include "fixtures.h"

enum { N = 5, KINDS = 6 };

static const char *const specs[] = {"kpca(dim=1)", "kpca(dim=2, gram=nystrom(landmarks=3))",
                                    "kpca(dim=1)", "contrastive(dim=2)",
                                    "kpca(dim=2)", "kpca(dim=1, gram=nystrom(landmarks=3))"};
static const char *const kernels[] = {"rbf(gamma=0.5)", "linear + 2*rbf(gamma=0.1)", "precomputed", "rbf(gamma=0.5)",
                                      "linear",         "2*words + spectrum"};
static const char *const sets[] = {"small", "small", "gram", "small", "sparse", "strings"};

/* A small model of one of six kinds, saved. */
static void save_model(rkhs_env *env, int kind, const char *path) {
    rkhs_data *x = fixture_data(env, sets[kind], N);
    rkhs_kernel *k;
    rkhs_model *m;
    LOOK_AT("a model of kind %d", kind);
    FINE(env, rkhs_kernel_new(env, kernels[kind], &k));
    FINE(env, rkhs_model_new(env, specs[kind], &m));
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    FINE(env, rkhs_model_save(m, path));
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

/* The file must be refused, with a sentence that begins with its name, and nothing must stay. */
static void must_refuse(rkhs_env *env, const char *path) {
    rkhs_model *m = (rkhs_model *)(uintptr_t)env;
    size_t used = env->used;
    rkhs_status status = rkhs_model_load(env, path, &m);
    if (status != RKHS_ERR_FORMAT && status != RKHS_ERR_IO)
        fail_msg("%s: status %d, %s", context, status, rkhs_env_message(env));
    HOLDS(!m && env->used == used);
    HOLDS(says(rkhs_env_message(env), path));
}

/* ---- accidents ------------------------------------------------------------------------------------------------- */

static void a_file_cut_at_any_byte_is_refused(void **state) {
    rkhs_env *env = *state;
    for (int kind = 0; kind < 3; kind++) {
        rk_mark mark = rk_scratch_mark(env);
        size_t count;
        save_model(env, kind, "m.rkhs");
        file_bytes(env, "m.rkhs", &count);
        assert_true(count > 1000);
        for (size_t cut = count; cut-- > 0;) {
            LOOK_AT("%s cut at byte %zu of %zu", specs[kind], cut, count);
            assert_int_equal(truncate("m.rkhs", (off_t)cut), 0);
            must_refuse(env, "m.rkhs");
        }
        rk_scratch_release(env, mark);
    }
}

static void a_file_with_any_byte_flipped_is_refused(void **state) {
    rkhs_env *env = *state;
    static const unsigned char flips[] = {0x01, 0xff};
    for (int kind = 0; kind < 3; kind++) {
        rk_mark mark = rk_scratch_mark(env);
        size_t count;
        save_model(env, kind, "m.rkhs");
        const char *bytes = file_bytes(env, "m.rkhs", &count);
        int fd = open("m.rkhs", O_WRONLY);
        for (size_t at = 0; at < count; at++) {
            for (int f = 0; f < 2; f++) {
                char flipped = (char)((unsigned char)bytes[at] ^ flips[f]);
                LOOK_AT("%s with byte %zu of %zu flipped by %02x", specs[kind], at, count, flips[f]);
                assert_int_equal(pwrite(fd, &flipped, 1, (off_t)at), 1);
                must_refuse(env, "m.rkhs");
            }
            assert_int_equal(pwrite(fd, bytes + at, 1, (off_t)at), 1);
        }
        close(fd);
        rkhs_model *m;
        FINE(env, rkhs_model_load(env, "m.rkhs", &m)); /* whole again */
        rkhs_model_free(m);
        rk_scratch_release(env, mark);
    }
}

static void bytes_after_the_end_are_refused(void **state) {
    rkhs_env *env = *state;
    save_model(env, 0, "m.rkhs");
    FILE *out = fopen("m.rkhs", "ab");
    fputc(0, out);
    fclose(out);
    must_refuse(env, "m.rkhs");
}

static void what_is_no_model_file_is_refused(void **state) {
    rkhs_env *env = *state;
    static const char *const texts[] = {"", "PK\3\4", "a,b\n1,2\n", "\x93NUMPY"};
    for (int i = 0; i < 4; i++) {
        FILE *out = fopen("m.rkhs", "wb");
        fputs(texts[i], out);
        fclose(out);
        LOOK_AT("the text '%s'", texts[i]);
        must_refuse(env, "m.rkhs");
    }
    LOOK_AT("no file");
    must_refuse(env, "nothing.rkhs");
    LOOK_AT("a folder");
    must_refuse(env, "/tmp");
}

/* ---- files with a right checksum ------------------------------------------------------------------------------- */

/* Writes `from` again to "c.rkhs" with a right checksum: without `drop`, and with `a` in the place of (or added as)
 * `name`. */
static void rewrite(rkhs_env *env, const char *from, const char *drop, const char *name, const rk_array *a) {
    rk_archive *old, *out;
    int placed = 0;
    FINE(env, rk_archive_read(env, from, &old));
    FINE(env, rk_archive_new(env, &out));
    for (int64_t i = 0; i < rk_archive_count(old); i++) {
        const char *each = rk_archive_name(old, i);
        rk_array array;
        if (drop && strcmp(each, drop) == 0) continue;
        FINE(env, rk_archive_get(old, each, rk_archive_type(old, i), -1, &array));
        int here = a && strcmp(each, name) == 0;
        placed |= here;
        FINE(env, rk_archive_put(out, each, here ? a : &array));
    }
    if (a && !placed) FINE(env, rk_archive_put(out, name, a));
    FINE(env, rk_archive_write(out, "c.rkhs"));
    rk_archive_free(out);
    rk_archive_free(old);
}

static void a_newer_format_is_refused_naming_the_versions(void **state) {
    rkhs_env *env = *state;
    static const int64_t formats[] = {2, 99, 0, -1, INT64_MAX};
    save_model(env, 0, "m.rkhs");
    for (int i = 0; i < 5; i++) {
        rkhs_model *m;
        char part[64];
        rewrite(env, "m.rkhs", NULL, "format", &(rk_array){'q', 0, {0}, &formats[i]});
        snprintf(part, sizeof part, "(format %lld; this one reads format 1)", (long long)formats[i]);
        LOOK_AT("format %lld", (long long)formats[i]);
        REFUSED(env, RKHS_ERR_FORMAT, part, rkhs_model_load(env, "c.rkhs", &m));
        HOLDS(says(rkhs_env_message(env), formats[i] > 1 ? "newer version" : "different version"));
    }
}

static void a_file_that_was_rewritten_as_it_was_loads(void **state) {
    rkhs_env *env = *state;
    for (int kind = 0; kind < 3; kind++) {
        rkhs_model *m;
        save_model(env, kind, "m.rkhs");
        rewrite(env, "m.rkhs", NULL, NULL, NULL);
        same_files(env, "m.rkhs", "c.rkhs");
        FINE(env, rkhs_model_load(env, "c.rkhs", &m));
        rkhs_model_free(m);
    }
}

/* Names of the arrays that a file cannot do without, one after another: all but the report and the library's
 * version. */
static int needed(const char *name) { return strncmp(name, "report/", 7) != 0 && strcmp(name, "library") != 0; }

static void a_file_without_one_of_its_arrays_is_refused(void **state) {
    rkhs_env *env = *state;
    for (int kind = 0; kind < 4; kind++) {
        rk_archive *a;
        save_model(env, kind, "m.rkhs");
        FINE(env, rk_archive_read(env, "m.rkhs", &a));
        for (int64_t i = 0; i < rk_archive_count(a); i++) {
            const char *name = rk_archive_name(a, i);
            if (!needed(name)) continue;
            LOOK_AT("%s without %s", specs[kind], name);
            rewrite(env, "m.rkhs", name, NULL, NULL);
            must_refuse(env, "c.rkhs");
        }
        rk_archive_free(a);
    }
}

/* Each array in turn as another type, another number of dimensions, empty, and far too large. */
static void an_array_of_another_type_or_shape_is_refused(void **state) {
    rkhs_env *env = *state;
    static const double reals[64];
    static const int64_t ints[64];
    static const rk_array shapes[] = {
        {'d', 0, {0}, reals},     {'d', 1, {7}, reals},       {'d', 2, {7, 3}, reals}, {'d', 2, {0, 1}, reals},
        {'d', 2, {5, 0}, reals},  {'d', 3, {5, 1, 1}, reals}, {'q', 0, {0}, ints},     {'q', 1, {9}, ints},
        {'q', 1, {0}, ints},      {'q', 2, {5, 1}, ints},     {'S', 1, {5}, "kpca("},  {'S', 1, {0}, ""},
        {'S', 1, {7}, "nothing"},
    };
    for (int kind = 0; kind < 4; kind++) {
        rk_archive *a;
        save_model(env, kind, "m.rkhs");
        FINE(env, rk_archive_read(env, "m.rkhs", &a));
        for (int64_t i = 0; i < rk_archive_count(a); i++) {
            const char *name = rk_archive_name(a, i);
            rk_array now;
            if (!needed(name)) continue;
            FINE(env, rk_archive_get(a, name, rk_archive_type(a, i), -1, &now));
            for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++) {
                const rk_array *other = &shapes[q];
                if (other->type == now.type && other->ndim == now.ndim && now.ndim == 0) continue; /* a number: below */
                LOOK_AT("%s, %s as %c with %d dimensions (shape %zu)", specs[kind], name, other->type, other->ndim, q);
                rewrite(env, "m.rkhs", NULL, name, other);
                must_refuse(env, "c.rkhs");
            }
        }
        rk_archive_free(a);
    }
}

/* One array of a model of some kind in the place of another. */
typedef struct forgery {
    int kind;
    const char *name, *why;
    rk_array array;
} forgery;

static void arrays_that_do_not_fit_together_are_refused(void **state) {
    rkhs_env *env = *state;
    static const double zero[64], nan_values[15] = {1, 2, NAN}, large[15] = {1e200};
    static const int64_t two = 2, three = 3, minus = -1, huge = INT64_MAX, past[] = {0, 1, 5}, below[] = {0, -1, 2},
                         four[] = {0, 1, 2, 3};
    static const int64_t past_added[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10};
    static const int64_t index_past[] = {0, 1, 2, 3, 5}, index_below[] = {0, 1, 2, 3, INT64_MIN};
    static const forgery forgeries[] = {
        {0, "map/B", "more kept than there are", {'d', 2, {6, 1}, zero}},
        {0, "map/B", "fewer kept", {'d', 2, {4, 1}, zero}},
        {0, "map/B", "another dimension", {'d', 2, {5, 2}, zero}},
        {0, "map/c", "another dimension", {'d', 1, {2}, zero}},
        {0, "map/degree", "no such degree", {'q', 0, {0}, &three}},
        {0, "map/degree", "no such degree", {'q', 0, {0}, &minus}},
        {0, "map/post", "no such post", {'q', 0, {0}, &two}},
        {0, "map/post", "no such post", {'q', 0, {0}, &huge}},
        {0, "map/nearest", "less than none", {'q', 0, {0}, &minus}},
        {0, "embedding", "another dimension", {'d', 2, {5, 2}, zero}},
        {0, "embedding", "more rows than are kept", {'d', 2, {6, 1}, zero}},
        {0, "embedding", "fewer rows than are kept", {'d', 2, {4, 1}, zero}},
        {0, "kept/values", "fewer objects", {'d', 2, {4, 3}, zero}},
        {0, "kept/values", "NaN", {'d', 2, {5, 3}, nan_values}},
        {0, "kept/values", "a number past 1e150", {'d', 2, {5, 3}, large}},
        {0, "kept/kind", "labels for an rbf kernel", {'S', 1, {6}, "labels"}},
        {0, "kept/kind", "a Gram for an rbf kernel", {'S', 1, {4}, "gram"}},
        {0, "kept/kind", "no kind", {'S', 1, {4}, "fish"}},
        {0, "kernel", "a kernel of another kind of data", {'S', 1, {11}, "precomputed"}},
        {0, "kernel", "no kernel", {'S', 1, {4}, "fish"}},
        {0, "kernel", "a kernel out of bounds", {'S', 1, {13}, "rbf(sigma=-1)"}},
        {0, "kernel", "half a kernel", {'S', 1, {6}, "rbf + "}},
        {0, "model", "no model", {'S', 1, {4}, "fish"}},
        {0, "model", "a model out of bounds", {'S', 1, {11}, "kpca(dim=0)"}},
        {0, "keep", "fewer rows than are kept", {'q', 1, {4}, four}},
        {0, "report/eigenvalues", "a report of whole numbers", {'q', 1, {4}, four}},
        {0, "report/eigenvalues", "a report of three dimensions", {'d', 3, {1, 1, 1}, zero}},
        {1, "keep", "a row past the end", {'q', 1, {3}, past}},
        {1, "keep", "a row before the first", {'q', 1, {3}, below}},
        {1, "keep", "more rows than are kept", {'q', 1, {4}, four}},
        {1, "keep", "fewer rows than are kept", {'q', 1, {2}, four}},
        {2, "kept/index", "a column past the end", {'q', 1, {5}, index_past}},
        {2, "kept/index", "a column before the first", {'q', 1, {5}, index_below}},
        {2, "kept/index", "fewer objects", {'q', 1, {4}, four}},
        {2, "kept/columns", "fewer columns than objects", {'q', 0, {0}, &two}},
        {2, "kept/columns", "columns below none", {'q', 0, {0}, &minus}},
        {2, "kernel", "a kernel of another kind of data", {'S', 1, {6}, "linear"}},
        {3, "added", "fewer rows than are kept", {'d', 2, {4, 2}, zero}},
        {3, "added", "more rows than are kept", {'d', 2, {6, 2}, zero}},
        {3, "added", "another dimension", {'d', 2, {5, 1}, zero}},
        {3, "added", "as many numbers in another shape", {'d', 2, {10, 1}, zero}},
        {3, "added", "rows past any count, without numbers", {'d', 2, {INT64_MAX / 16, 0}, zero}},
        {3, "added", "NaN", {'d', 2, {5, 2}, nan_values}},
        {3, "keep", "rows past those that were added", {'q', 1, {10}, past_added}},
        {0, "added", "rows that nothing keeps", {'d', 2, {5, 1}, zero}},
        {5, "learnt/2/text", "fewer words than weights", {'S', 1, {1}, "a"}},
        {5, "learnt/2/text", "a word twice", {'S', 1, {5}, "a b a"}},
        {5, "learnt/2/text", "an empty word", {'S', 1, {4}, "a  b"}},
        {5, "learnt/2/values", "no weight", {'d', 1, {0}, zero}},
        {5, "learnt/2/values", "weights of 0", {'d', 1, {64}, zero}},
        {5, "learnt/2/values", "a table of weights", {'d', 2, {3, 1}, zero}},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        const forgery *f = &forgeries[i];
        save_model(env, f->kind, "m.rkhs");
        rewrite(env, "m.rkhs", NULL, f->name, &f->array);
        LOOK_AT("%s of a %s: %s", f->name, specs[f->kind], f->why);
        must_refuse(env, "c.rkhs");
    }
}

/* NaN or Inf in any array of any kind of model, with a right checksum. */
static void numbers_that_are_not_finite_are_refused(void **state) {
    rkhs_env *env = *state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int kind = 0; kind < KINDS; kind++) {
        rk_archive *a;
        int seen = 0;
        save_model(env, kind, "m.rkhs");
        FINE(env, rk_archive_read(env, "m.rkhs", &a));
        for (int64_t i = 0; i < rk_archive_count(a); i++) {
            const char *name = rk_archive_name(a, i);
            if (rk_archive_type(a, i) != 'd') continue;
            rk_mark mark = rk_scratch_mark(env);
            rk_array array;
            int64_t count = 1;
            FINE(env, rk_archive_get(a, name, 'd', -1, &array));
            for (int q = 0; q < array.ndim; q++) count *= array.shape[q];
            double *values = numbers(env, count);
            memcpy(values, array.data, (size_t)count * sizeof *values);
            array.data = values;
            for (int q = 0; q < 3; q++) {
                values[count - 1] = bad[q];
                rewrite(env, "m.rkhs", NULL, name, &array);
                LOOK_AT("%s of a %s with %g at its end", name, specs[kind], bad[q]);
                must_refuse(env, "c.rkhs");
            }
            seen++;
            rk_scratch_release(env, mark);
        }
        HOLDS(seen >= 6); /* embedding, map/B, map/c, some of the report */
        rk_archive_free(a);
    }
}

/* Every array agrees that the embedding has no dimension. */
static void a_model_without_a_dimension_is_refused(void **state) {
    rkhs_env *env = *state;
    static const double zero[1];
    save_model(env, 0, "m.rkhs");
    rewrite(env, "m.rkhs", NULL, "map/B", &(rk_array){'d', 2, {N, 0}, zero});
    rewrite(env, "c.rkhs", NULL, "map/c", &(rk_array){'d', 1, {0}, zero});
    rewrite(env, "c.rkhs", NULL, "embedding", &(rk_array){'d', 2, {N, 0}, zero});
    must_refuse(env, "c.rkhs");
}

/* What a file says that is odd but can be meant must not harm who uses the model. */
static void odd_numbers_that_load_are_harmless(void **state) {
    rkhs_env *env = *state;
    static const int64_t huge = INT64_MAX, many = 3, columns = INT64_MAX;
    static const forgery forgeries[] = {
        {0, "map/nearest", "more than are kept", {'q', 0, {0}, &huge}},
        {0, "map/nearest", "some", {'q', 0, {0}, &many}},
        {0, "kernel", "a rule", {'S', 1, {3}, "rbf"}},
        {2, "kept/columns", "many columns", {'q', 0, {0}, &columns}},
    };
    for (int i = 0; i < 4; i++) {
        const forgery *f = &forgeries[i];
        rkhs_data *x = fixture_data(env, f->kind == 2 ? "gram" : "small", N), *back = NULL;
        rkhs_model *m;
        double Z[2 * N];
        save_model(env, f->kind, "m.rkhs");
        rewrite(env, "m.rkhs", NULL, f->name, &f->array);
        LOOK_AT("%s of a %s: %s", f->name, specs[f->kind], f->why);
        rkhs_status status = rkhs_model_load(env, "c.rkhs", &m);
        if (status == RKHS_OK) {
            status = rkhs_model_transform(m, x, Z, 2);
            HOLDS(status == RKHS_OK || status == RKHS_ERR_DATA || status == RKHS_ERR_MEMORY);
            status = rkhs_model_inverse(m, Z, N, 2, &back);
            HOLDS(status == RKHS_OK || status == RKHS_ERR_DATA || status == RKHS_ERR_MEMORY);
            status = rkhs_model_anomaly(m, x, f->kind == 2 ? "density" : "both", Z);
            HOLDS(status == RKHS_OK || status == RKHS_ERR_DATA || status == RKHS_ERR_MEMORY);
            FINE(env, rkhs_model_save(m, "d.rkhs"));
            rkhs_model_free(m);
            FINE(env, rkhs_model_load(env, "d.rkhs", &m));
            rkhs_model_free(m);
        } else {
            HOLDS(status == RKHS_ERR_FORMAT);
        }
        rkhs_data_free(back);
        rkhs_data_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_file_cut_at_any_byte_is_refused),
        FOLDER_TEST(a_file_with_any_byte_flipped_is_refused),
        FOLDER_TEST(bytes_after_the_end_are_refused),
        FOLDER_TEST(what_is_no_model_file_is_refused),
        FOLDER_TEST(a_newer_format_is_refused_naming_the_versions),
        FOLDER_TEST(a_file_that_was_rewritten_as_it_was_loads),
        FOLDER_TEST(a_file_without_one_of_its_arrays_is_refused),
        FOLDER_TEST(an_array_of_another_type_or_shape_is_refused),
        FOLDER_TEST(arrays_that_do_not_fit_together_are_refused),
        FOLDER_TEST(numbers_that_are_not_finite_are_refused),
        FOLDER_TEST(a_model_without_a_dimension_is_refused),
        FOLDER_TEST(odd_numbers_that_load_are_harmless),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
