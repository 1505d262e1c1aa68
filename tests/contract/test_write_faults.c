/* A disk that fails at the first, second, third, ... call to the system on the way out (open, write, fsync, close,
 * rename): the call says so, the old file stays as it was, and nothing is left behind. A short write is no fault:
 * the rest follows. */
#include <errno.h>
#include <sys/stat.h>

#include "fixtures.h"

enum { N = 3000, ROWS = 1200 }; /* more than one buffer of numbers */

/* Writes something to `path`. */
typedef rkhs_status (*public_call)(const void *thing, const char *path);

static rkhs_status save(const void *thing, const char *path) { return rkhs_model_save(thing, path); }
static rkhs_status write_data(const void *thing, const char *path) { return rkhs_data_write(thing, path, NULL); }

static void put_text(const char *path, const char *text) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

/* What the file must be: the old text, the new bytes, or absent. */
static void must_be(rkhs_env *env, const char *path, const char *text) {
    size_t count;
    if (!text) {
        HOLDS(access(path, F_OK) != 0);
        return;
    }
    rk_mark mark = rk_scratch_mark(env);
    const char *bytes = file_bytes(env, path, &count);
    HOLDS(count == strlen(text) && memcmp(bytes, text, count) == 0);
    rk_scratch_release(env, mark);
}

/* One error in the k-th call. */
static void fail_one(rkhs_env *env, const char *what, public_call call, const void *thing, const char *path, const char *old,
                     int64_t k, int error) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "wanted-%s", path);
    unlink(path);
    if (old) put_text(path, old);
    int files = files_here();
    size_t used = env->used;
    LOOK_AT("%s %s, call %lld fails (%s)", what, old ? "over a file" : "anew", (long long)k, strerror(error));
    env->writes = 0;
    env->fail_write_at = k;
    env->fail_write_error = error;
    rkhs_status status = call(thing, path);
    env->fail_write_at = -1;
    HOLDS(env->used == used);
    if (error == 0 && status == RKHS_OK) { /* a short write; other calls cannot be short: they fail without a reason */
        HOLDS(files_here() == files + !old);
        same_files(env, wanted, path);
        assert_string_equal(rkhs_env_message(env), "");
        return;
    }
    HOLDS(status == RKHS_ERR_IO && files_here() == files);
    HOLDS(says(rkhs_env_message(env), "cannot write") && says(rkhs_env_message(env), path));
    HOLDS(says(rkhs_env_message(env), strerror(error)));
    must_be(env, path, old);
}

/* Fails every call to the system in turn; `old` is what stands there before, NULL: nothing. */
static void obstruct(rkhs_env *env, const char *what, public_call call, const void *thing, const char *path, const char *old) {
    static const int errors[] = {ENOSPC, EIO, EDQUOT, EROFS, 0};
    char wanted[64];
    snprintf(wanted, sizeof wanted, "wanted-%s", path);
    LOOK_AT("%s, nothing fails", what);
    env->writes = 0;
    env->fail_write_at = INT64_MAX;
    FINE(env, call(thing, wanted));
    int64_t total = env->writes;
    HOLDS(total >= 5); /* open, write, fsync, close, rename */
    for (int e = 0; e < 5; e++)
        for (int64_t k = 0; k < total; k++) fail_one(env, what, call, thing, path, old, k, errors[e]);
    unlink(path);
    unlink(wanted);
}

static void obstruct_both(rkhs_env *env, const char *what, public_call call, const void *thing, const char *path) {
    obstruct(env, what, call, thing, path, NULL);
    obstruct(env, what, call, thing, path, "what stood here before\n");
}

static void a_model_that_cannot_be_written_leaves_the_old_one(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "wide", ROWS);
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, "kpca(dim=2, gram=nystrom(landmarks=200))", &m));
    FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
    obstruct_both(env, "save", save, m, "m.rkhs");
    rkhs_model_free(m);
    rkhs_data_free(x);
}

static void data_that_cannot_be_written_leave_the_old_file(void **state) {
    rkhs_env *env = *state;
    static const char *const endings[] = {"csv", "tsv", "npy"};
    rkhs_data *x = fixture_data(env, "small", N), *labels = fixture_labels(env, N);
    for (int i = 0; i < 3; i++) {
        char path[32];
        snprintf(path, sizeof path, "x.%s", endings[i]);
        obstruct_both(env, "write numbers", write_data, x, path);
        obstruct_both(env, "write labels", write_data, labels, path);
    }
    rkhs_data_free(labels);
    rkhs_data_free(x);
}

static rkhs_status merge(const void *thing, const char *path) {
    return rkhs_data_merge_gram((rkhs_env *)(uintptr_t)thing, (const char *const[]){"K.npy"}, 1, path);
}

static void a_merge_that_cannot_be_written_leaves_the_old_file(void **state) {
    rkhs_env *env = *state;
    double K[150 * 150];
    rkhs_data *x;
    LOOK_AT("a merge");
    for (int i = 0; i < 150 * 150; i++) K[i] = i / 150 + i % 150;
    FINE(env, rkhs_data_dense(env, K, 150, 150, 150, &x));
    FINE(env, rkhs_data_write(x, "K.npy", NULL));
    rkhs_data_free(x);
    obstruct_both(env, "merge", merge, env, "M.npy");
}

/* Three files together: the first is new, the others stand there. */
static rkhs_status write_three(rkhs_env *env) {
    static const char *const paths[] = {"a", "b", "c"};
    rkhs_status status = rkhs_files_begin(env);
    for (int i = 0; i < 3 && status == RKHS_OK; i++) status = rkhs_bytes_write(env, "new", 3, paths[i]);
    if (status == RKHS_OK) status = rkhs_files_commit(env);
    rkhs_files_drop(env);
    return status;
}

static void files_that_belong_together_are_all_new_or_all_old(void **state) {
    rkhs_env *env = *state;
    int64_t calls = 3 * 5; /* open, write, fsync, close, rename */
    for (int64_t k = 0; k <= calls; k++) {
        LOOK_AT("call %lld fails", (long long)k);
        unlink("a");
        put_text("b", "old b");
        put_text("c", "old c");
        env->writes = 0;
        env->fail_write_at = k;
        env->fail_write_error = EIO;
        rkhs_status status = write_three(env);
        env->fail_write_at = -1;
        HOLDS(status == (k < calls ? RKHS_ERR_IO : RKHS_OK) && files_here() == (k < calls ? 2 : 3));
        must_be(env, "a", k < calls ? NULL : "new");
        must_be(env, "b", k < calls ? "old b" : "new");
        must_be(env, "c", k < calls ? "old c" : "new");
    }
    REFUSED(env, RKHS_ERR_ARGUMENT, "call rkhs_files_begin", rkhs_files_commit(env));
    FINE(env, rkhs_files_begin(env));
    REFUSED(env, RKHS_ERR_ARGUMENT, "waiting already", rkhs_files_begin(env));
    FINE(env, rkhs_bytes_write(env, "newer", 5, "b"));
    must_be(env, "b", "new");
    rkhs_files_drop(env);
    must_be(env, "b", "new");
    HOLDS(files_here() == 3 && rkhs_files_commit(NULL) == RKHS_ERR_ARGUMENT && rkhs_files_begin(NULL) == RKHS_ERR_ARGUMENT);
    unlink("c");
    assert_int_equal(mkdir("c", 0777), 0); /* what cannot be replaced */
    FINE(env, rkhs_files_begin(env));
    FINE(env, rkhs_bytes_write(env, "newer", 5, "b"));
    assert_int_equal(rmdir("c"), 0);
    FINE(env, rkhs_bytes_write(env, "newer", 5, "c"));
    assert_int_equal(mkdir("c", 0777), 0);
    assert_int_equal(rkhs_files_commit(env), RKHS_ERR_IO);
    must_be(env, "b", "new");
    assert_int_equal(rmdir("c"), 0);
    HOLDS(files_here() == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_model_that_cannot_be_written_leaves_the_old_one),
        FOLDER_TEST(data_that_cannot_be_written_leave_the_old_file),
        FOLDER_TEST(a_merge_that_cannot_be_written_leaves_the_old_file),
        FOLDER_TEST(files_that_belong_together_are_all_new_or_all_old),
    };
    return cmocka_run_group_tests_name("write_faults", tests, NULL, NULL);
}
