/* files.h: a folder of its own for every test, and files in it. */
#ifndef RK_FILES_H
#define RK_FILES_H

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "base/base.h"

typedef struct files {
    rkhs_env *env;
    char folder[64];
} files;

/* A fresh env and a fresh folder, which becomes the current one, so that messages show bare names. */
static int files_setup(void **state) {
    files *f = calloc(1, sizeof *f);
    if (!f) return -1;
    strcpy(f->folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/rkhs-test-XXXXXX" : "/tmp/rkhs-test-XXXXXX");
    if (!mkdtemp(f->folder) || chdir(f->folder) != 0 || rkhs_env_new(&f->env) != RKHS_OK) return -1;
    *state = f;
    return 0;
}

/* The names in the folder, counted. */
static inline int files_count(void) {
    int count = 0;
    DIR *dir = opendir(".");
    for (struct dirent *e; (e = readdir(dir));) count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

/* Removes everything; whatever the env still holds is a leak. */
static int files_teardown(void **state) {
    files *f = *state;
    DIR *dir = opendir(".");
    for (struct dirent *e; (e = readdir(dir));)
        if (unlink(e->d_name) != 0) rmdir(e->d_name);
    closedir(dir);
    int bad = atomic_load(&f->env->used) != 0 || chdir("/") != 0 || rmdir(f->folder) != 0;
    if (bad) fprintf(stderr, "%zu bytes are still in use\n", atomic_load(&f->env->used));
    rkhs_env_free(f->env);
    free(f);
    return bad;
}

static inline void put_bytes(const char *path, const void *bytes, size_t count) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

static inline void put_text(const char *path, const char *text) { put_bytes(path, text, strlen(text)); }

/* The whole file, with a zero after it; free it. */
static inline char *get_bytes(const char *path, size_t *count) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *count = (size_t)ftell(in);
    rewind(in);
    char *bytes = calloc(1, *count + 1);
    assert_int_equal(fread(bytes, 1, *count, in), *count);
    fclose(in);
    return bytes;
}

#define FILES_TEST(name) cmocka_unit_test_setup_teardown(name, files_setup, files_teardown)

#endif
