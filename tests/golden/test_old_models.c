/* Model files of every model in the format of before: state in the report, old parameter names. make_old_models.py
 * wrote them with the tool of that time. Each is loaded, and transforms new objects to what it gave then. Saved and
 * loaded again, it gives the same bits. */
#include "contract/fixtures.h"

enum { MOST = 64 };

/* `tolerance` is relative to the range of the numbers. The expected files were computed with one BLAS; another rounds
 * differently. gplvm places by a descent that stops where rounding decides: two BLAS kernels differ by 3e-6. */
static const struct {
    const char *name, *fresh;
    double tolerance;
} files[] = {
    {"kpca", "dense_new.npy", 1e-12},
    {"kpca_nystrom", "dense_new.npy", 1e-12},
    {"kpca_strings", "strings_new.txt", 1e-12},
    {"kpca_gram", "gram_new.npy", 1e-12},
    {"krr", "dense_new.npy", 1e-12},
    {"kle", "dense_new.npy", 1e-12},
    {"lpp", "dense_new.npy", 1e-12},
    {"npe", "dense_new.npy", 1e-12},
    {"ke", "dense_new.npy", 1e-12},
    {"ke_labels", "dense_new.npy", 1e-12},
    {"tke", "dense_new.npy", 1e-12},
    {"tke_strings", "strings_new.txt", 1e-12},
    {"bctke", "dense_new.npy", 1e-12},
    {"bctke_nearest", "dense_new.npy", 1e-12},
    {"bctke_nystrom", "dense_new.npy", 1e-12},
    {"gplvm", "dense_new.npy", 1e-4},
    {"gplvm_nystrom", "dense_new.npy", 1e-4},
    {"gplvm_gram", "gram_new.npy", 1e-12},
    {"gplvm_same", "same_new.npy", 1e-12},
    {"bcgplvm", "dense_new.npy", 1e-12},
    {"contrastive", "dense_new.npy", 1e-12},
    {"spectral", "dense_new.npy", 1e-12},
    {"kae", "dense_new.npy", 1e-12},
    {"kae_images", "images_new.npy", 1e-12},
    {"kae_strings", "strings_new.txt", 1e-12},
};
enum { FILES = sizeof files / sizeof *files };

static const char *path_of(const char *name, const char *ending) {
    static char path[1024];
    const char *source = getenv("RKHS_SOURCE");
    snprintf(path, sizeof path, "%s/tests/golden/old_models/%s%s", source ? source : ".", name, ending);
    return path;
}

static rkhs_model *old_model(rkhs_env *env, int file) {
    rkhs_model *m;
    LOOK_AT("%s.rkhs", files[file].name);
    FINE(env, rkhs_model_load(env, path_of(files[file].name, ".rkhs"), &m));
    return m;
}

/* The transform of the new objects of a file; how many numbers. */
static int64_t place(rkhs_env *env, const rkhs_model *m, int file, double Z[MOST]) {
    rkhs_data *x;
    FINE(env, rkhs_data_read_for(env, path_of(files[file].fresh, ""), NULL, rkhs_model_kernel(m), &x));
    int64_t count = rkhs_data_rows(x) * m->dim;
    HOLDS(count > 0 && count <= MOST);
    FINE(env, rkhs_model_transform(m, x, Z, m->dim));
    rkhs_data_free(x);
    return count;
}

/* Numbers are those of a golden array. */
static void compare(rkhs_env *env, int file, const char *what, const double *values, int64_t count) {
    rkhs_data *expected;
    double least = INFINITY, most = -INFINITY;
    FINE(env, rkhs_data_read(env, path_of(files[file].name, what), NULL, &expected));
    const double *right = rkhs_data_values(expected, NULL);
    HOLDS(rkhs_data_rows(expected) * rkhs_data_columns(expected) == count);
    for (int64_t i = 0; i < count; i++) least = fmin(least, right[i]), most = fmax(most, right[i]);
    for (int64_t i = 0; i < count; i++) HOLDS(fabs(values[i] - right[i]) <= files[file].tolerance * (most - least));
    rkhs_data_free(expected);
}

static void every_model_is_among_the_files(void **state) {
    for (const rk_entry *const *e = rk_models.entries; *e; e++) {
        int found = 0;
        for (int i = 0; i < FILES; i++) found |= strcmp(files[i].name, (*e)->name) == 0;
        LOOK_AT("%s", (*e)->name);
        HOLDS(found);
    }
}

static void old_files_give_what_they_gave(void **state) {
    rkhs_env *env = *state;
    for (int i = 0; i < FILES; i++) {
        double Z[MOST];
        rkhs_model *m = old_model(env, i);
        int64_t count = place(env, m, i, Z);
        compare(env, i, "_out.npy", Z, count);
        rkhs_model_free(m);
    }
}

static void a_decoder_of_an_old_file_gives_what_it_gave(void **state) {
    rkhs_env *env = *state;
    for (int i = 0; i < FILES; i++) {
        double Z[MOST];
        rkhs_data *back;
        int64_t h, w, c, ld;
        int images = strcmp(files[i].name, "kae_images") == 0;
        if (strcmp(files[i].name, "kae") != 0 && !images) continue;
        rkhs_model *m = old_model(env, i);
        int64_t count = place(env, m, i, Z);
        FINE(env, rkhs_model_inverse(m, Z, count / m->dim, m->dim, &back));
        compare(env, i, "_inverse.npy", rkhs_data_values(back, &ld), rkhs_data_rows(back) * rkhs_data_columns(back));
        HOLDS(rkhs_data_shape(back, &h, &w, &c) == images);
        rkhs_data_free(back);
        rkhs_model_free(m);
    }
}

/* Saved, copied and saved again. */
static void old_files_written_again_give_the_same_bits(void **state) {
    rkhs_env *env = *state;
    for (int i = 0; i < FILES; i++) {
        double Z[MOST], again[MOST], copied[MOST];
        rkhs_model *m = old_model(env, i), *other, *copy;
        int64_t count = place(env, m, i, Z);
        FINE(env, rkhs_model_save(m, "m.rkhs"));
        FINE(env, rkhs_model_load(env, "m.rkhs", &other));
        FINE(env, rkhs_model_copy(other, &copy));
        FINE(env, rkhs_model_save(copy, "c.rkhs"));
        same_files(env, "m.rkhs", "c.rkhs");
        place(env, other, i, again);
        place(env, copy, i, copied);
        same_bits("a file written again", again, Z, count);
        same_bits("a copy", copied, Z, count);
        rkhs_model_free(copy);
        rkhs_model_free(other);
        rkhs_model_free(m);
    }
}

/* What a model keeps for itself is no item of its report; what it learned from labels is not forgotten. */
static void reports_have_no_state(void **state) {
    rkhs_env *env = *state;
    rkhs_item item;
    for (int i = 0; i < FILES; i++) {
        rkhs_model *m = old_model(env, i);
        for (int64_t q = 0; rkhs_model_report(m, q, &item); q++)
            HOLDS(!strchr(item.name, '/') && strcmp(item.name, "decoder") != 0);
        HOLDS(m->supervised == (strcmp(files[i].name, "ke_labels") == 0));
        rkhs_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(every_model_is_among_the_files),
        FOLDER_TEST(old_files_give_what_they_gave),
        FOLDER_TEST(a_decoder_of_an_old_file_gives_what_it_gave),
        FOLDER_TEST(old_files_written_again_give_the_same_bits),
        FOLDER_TEST(reports_have_no_state),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
