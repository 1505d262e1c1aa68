/* Streams: gzip seen and undone, faults named, files whole or not at all. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>

/* Appends one gzip member. */
static void add_member(const char *path, const char *bytes, size_t count) {
    gzFile out = gzopen(path, "ab");
    assert_non_null(out);
    assert_int_equal(gzwrite(out, bytes, (unsigned)count), (int)count);
    assert_int_equal(gzclose(out), Z_OK);
}

/* Reads a file whole. */
static rkhs_status read_whole(rkhs_env *env, const char *path, char **bytes, size_t *length) {
    rk_input *in;
    *bytes = NULL;
    rk_begin_call(env);
    rkhs_status status = rk_input_open(env, path, &in);
    if (status == RKHS_OK) status = rk_input_read_all(in, bytes, length);
    if (status == RKHS_OK) assert_string_equal(rk_input_name(in), path);
    rk_input_close(in);
    return status;
}

/* Text that does not repeat, so that gzip has work to do. */
static char *noise(size_t count) {
    char *bytes = malloc(count);
    for (size_t i = 0; i < count; i++) bytes[i] = (char)('a' + (i * i * 7919 + i / 13) % 26);
    return bytes;
}

static void plain_files_are_read_as_they_are(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t count = 700001, length;
    char *bytes = noise(count), *back;
    put_bytes("plain", bytes, count);
    OK(env, read_whole(env, "plain", &back, &length));
    assert_int_equal(length, count);
    assert_memory_equal(back, bytes, count);
    assert_int_equal(back[length], 0);
    rk_free(env, back);
    put_bytes("empty", "", 0);
    OK(env, read_whole(env, "empty", &back, &length));
    assert_int_equal(length, 0);
    rk_free(env, back);
    free(bytes);
}

static void reading_in_pieces_peeking_and_counting_agree(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char piece[16];
    size_t got;
    rk_input *in;
    put_text("plain", "0123456789");
    OK(env, rk_input_open(env, "plain", &in));
    assert_int_equal(rk_input_left(in), 10);
    OK(env, rk_input_peek(in, piece, 6, &got));
    OK(env, rk_input_peek(in, piece, 3, &got));
    assert_int_equal(got, 3);
    assert_int_equal(rk_input_left(in), 10);
    OK(env, rk_input_read(in, piece, 4, &got));
    assert_memory_equal(piece, "0123", 4);
    assert_int_equal(rk_input_left(in), 6);
    OK(env, rk_input_peek(in, piece, 16, &got));
    assert_int_equal(got, 6);
    OK(env, rk_input_read(in, piece, 16, &got));
    assert_int_equal(got, 6);
    assert_memory_equal(piece, "456789", 6);
    OK(env, rk_input_read(in, piece, 16, &got));
    assert_int_equal(got, 0);
    rk_input_close(in);
}

static void gzip_is_undone_whatever_the_name_and_in_any_number_of_members(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t count = 600000, length;
    char *bytes = noise(count), *back;
    add_member("data.csv", bytes, 250000);
    add_member("data.csv", bytes + 250000, 1);
    add_member("data.csv", bytes + 250001, count - 250001);
    OK(env, read_whole(env, "data.csv", &back, &length));
    assert_int_equal(length, count);
    assert_memory_equal(back, bytes, count);
    rk_free(env, back);
    FILE *out = fopen("data.csv", "ab"); /* as tapes pad */
    for (int i = 0; i < 1000; i++) fputc(0, out);
    fclose(out);
    OK(env, read_whole(env, "data.csv", &back, &length));
    assert_int_equal(length, count);
    rk_free(env, back);
    out = fopen("data.csv", "ab");
    fputs("rubbish", out);
    fclose(out);
    FAILS(env, RKHS_ERR_FORMAT, "other bytes follow the gzip stream at byte", read_whole(env, "data.csv", &back, &length));
    free(bytes);
}

static void a_gzip_file_cut_anywhere_is_refused(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t size, length;
    char *text = noise(3000), *back;
    add_member("whole.gz", text, 3000);
    char *zipped = get_bytes("whole.gz", &size);
    for (size_t cut = 2; cut < size; cut++) {
        put_bytes("cut.csv.gz", zipped, cut);
        FAILS(env, RKHS_ERR_FORMAT, "cut.csv.gz | gzip | early", read_whole(env, "cut.csv.gz", &back, &length));
    }
    free(zipped);
    free(text);
}

static void a_gzip_file_with_a_flipped_byte_is_refused_or_the_same(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t size, length;
    char *text = noise(500), *back;
    add_member("whole.gz", text, 500);
    char *zipped = get_bytes("whole.gz", &size);
    for (size_t at = 2; at < size; at++) {
        zipped[at] ^= 0x20;
        put_bytes("bad.gz", zipped, size);
        if (read_whole(env, "bad.gz", &back, &length) == RKHS_OK) { /* the header's time and system mean nothing */
            assert_int_equal(length, 500);
            assert_memory_equal(back, text, 500);
        } else {
            assert_true(says(rkhs_env_message(env), "bad.gz: "));
        }
        rk_free(env, back);
        zipped[at] ^= 0x20;
    }
    zipped[size - 5] ^= 1; /* the sum of the data */
    put_bytes("bad.gz", zipped, size);
    FAILS(env, RKHS_ERR_FORMAT, "damaged at byte", read_whole(env, "bad.gz", &back, &length));
    FAILS(env, RKHS_ERR_FORMAT, "(incorrect data check): download or compress it again",
          read_whole(env, "bad.gz", &back, &length));
    free(zipped);
    free(text);
}

static void a_gzip_bomb_stops_at_the_memory_limit(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t length;
    char *zeros = calloc(1, 1 << 20), *back;
    gzFile out = gzopen("bomb.gz", "wb");
    for (int i = 0; i < 200; i++) gzwrite(out, zeros, 1 << 20);
    gzclose(out);
    rkhs_env_set_memory(env, 16 << 20);
    FAILS(env, RKHS_ERR_MEMORY, "bomb.gz, read whole, needs", read_whole(env, "bomb.gz", &back, &length));
    assert_true(rkhs_env_memory_peak(env) <= 16 << 20);
    free(zeros);
}

static void what_cannot_be_read_is_named(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t length;
    char *back;
    FAILS(env, RKHS_ERR_IO, "none.csv | No such file", read_whole(env, "none.csv", &back, &length));
    mkdir("folder", 0755);
    FAILS(env, RKHS_ERR_IO, "cannot read folder", read_whole(env, "folder", &back, &length));
    FAILS(env, RKHS_ERR_ARGUMENT, "no file name", read_whole(env, NULL, &back, &length));
}

/* Asks to stop from the first call on. */
static int stop_now(const rkhs_progress *p, void *payload) {
    ++*(int *)payload;
    return 1;
}

static void a_pipe_that_says_nothing_can_be_cancelled(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char path[64], *back;
    size_t length;
    int ends[2], calls = 0;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    rkhs_env_set_progress(env, stop_now, &calls);
    double begun = rk_seconds();
    FAILS(env, RKHS_ERR_CANCELLED, "stopped", read_whole(env, path, &back, &length));
    assert_true(rk_seconds() - begun < 1);
    assert_true(calls > 0);
    close(ends[0]);
    close(ends[1]);
}

static void a_pipe_is_read_to_its_end(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char path[64], *back;
    size_t length;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 100; i++)
            if (write(ends[1], "0123456789", 10) != 10) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    OK(env, read_whole(env, path, &back, &length));
    assert_int_equal(length, 1000);
    rk_free(env, back);
    close(ends[0]);
    waitpid(child, NULL, 0);
}

/* ---- output ---- */

/* Writes `count` bytes to a path; commits when asked. */
static rkhs_status write_whole(rkhs_env *env, const char *path, const char *bytes, size_t count, int commit) {
    rk_output *out;
    rk_begin_call(env);
    rkhs_status status = rk_output_open(env, path, &out);
    for (size_t at = 0; status == RKHS_OK && at < count; at += 1000)
        status = rk_output_write(out, bytes + at, count - at < 1000 ? count - at : 1000);
    if (status == RKHS_OK && commit) status = rk_output_commit(out);
    rk_output_free(out);
    return status;
}

static void a_file_appears_on_commit_alone(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    size_t count = 900000, length;
    char *bytes = noise(count), *back;
    OK(env, write_whole(env, "out", bytes, count, 0));
    assert_int_equal(files_count(), 0);
    OK(env, write_whole(env, "out", bytes, count, 1));
    assert_int_equal(files_count(), 1);
    back = get_bytes("out", &length);
    assert_int_equal(length, count);
    assert_memory_equal(back, bytes, count);
    OK(env, write_whole(env, "out", "short", 5, 0));
    free(back);
    back = get_bytes("out", &length);
    assert_int_equal(length, count);
    free(back);
    free(bytes);
}

static void printing_is_writing(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    rk_output *out;
    size_t length;
    OK(env, rk_output_open(env, "out", &out));
    for (int i = 0; i < 100000; i++) OK(env, rk_output_print(out, "%05d\n", i));
    assert_string_equal(rk_output_name(out), "out");
    OK(env, rk_output_commit(out));
    rk_output_free(out);
    char *back = get_bytes("out", &length);
    assert_int_equal(length, 600000);
    assert_memory_equal(back + 599994, "99999\n", 6);
    free(back);
}

static void the_mode_of_a_file_stays_and_a_new_one_obeys_the_umask(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    struct stat st;
    mode_t old = umask(027);
    OK(env, write_whole(env, "new", "x", 1, 1));
    umask(old);
    assert_int_equal(stat("new", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    chmod("new", 0604);
    OK(env, write_whole(env, "new", "y", 1, 1));
    assert_int_equal(stat("new", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0604);
}

static void a_symbolic_link_stays_and_its_target_is_written(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    struct stat st;
    size_t length;
    put_text("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    OK(env, write_whole(env, "link", "newer", 5, 1));
    assert_int_equal(lstat("link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    char *back = get_bytes("target", &length);
    assert_string_equal(back, "newer");
    free(back);
}

static void a_link_to_what_is_not_there_yet_stays_too(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    struct stat st;
    assert_int_equal(mkdir("results", 0755), 0);
    assert_int_equal(symlink("second", "first"), 0);
    assert_int_equal(symlink("results/made", "second"), 0);
    OK(env, write_whole(env, "first", "x", 1, 1));
    assert_int_equal(lstat("first", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(lstat("results/made", &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(symlink("loop", "loop"), 0);
    FAILS(env, RKHS_ERR_IO, "loop | symbolic links", write_whole(env, "loop", "x", 1, 1));
    assert_int_equal(unlink("results/made"), 0);
    assert_int_equal(rmdir("results"), 0);
    FAILS(env, RKHS_ERR_IO, "make the folder first", write_whole(env, "first", "x", 1, 1));
}

static void what_cannot_be_written_is_named_and_leaves_nothing(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    mkdir("folder", 0755);
    FAILS(env, RKHS_ERR_IO, "none/out | No such file | folder", write_whole(env, "none/out", "x", 1, 1));
    FAILS(env, RKHS_ERR_IO, "cannot write folder", write_whole(env, "folder", "x", 1, 1));
    FAILS(env, RKHS_ERR_IO, "/dev/full | No space", write_whole(env, "/dev/full", "x", 1, 1));
    OK(env, write_whole(env, "/dev/null", "x", 1, 1));
    assert_int_equal(files_count(), 1);
}

static void a_disk_that_fills_up_leaves_the_old_file_and_no_other(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char *bytes = noise(1 << 20);
    struct rlimit before, low;
    size_t length;
    put_text("out", "old");
    getrlimit(RLIMIT_FSIZE, &before);
    low = before;
    low.rlim_cur = 300000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &low);
    rkhs_status status = write_whole(env, "out", bytes, 1 << 20, 1);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, RKHS_ERR_IO);
    assert_true(says(rkhs_env_message(env), "out | File too large"));
    assert_int_equal(files_count(), 1);
    char *back = get_bytes("out", &length);
    assert_string_equal(back, "old");
    free(back);
    free(bytes);
}

static void a_reader_that_went_away_is_an_error_not_a_death(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char path[64];
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    int write_end = dup(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", write_end);
    rk_output *out;
    OK(env, rk_output_open(env, path, &out));
    close(ends[0]);
    OK(env, rk_output_write(out, "x", 1));
    FAILS(env, RKHS_ERR_IO, "Broken pipe", rk_output_commit(out));
    rk_output_free(out);
    close(ends[1]);
    close(write_end);
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = ((files *)*state)->env;
    char *text = noise(100000), *back;
    size_t length;
    add_member("in.gz", text, 100000);
    for (int64_t k = 0;; k++) {
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = read_whole(env, "in.gz", &back, &length);
        rk_free(env, back);
        if (status == RKHS_OK) status = write_whole(env, "out", text, 100000, 1);
        env->fail_at = -1;
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) break;
        assert_int_equal(status, RKHS_ERR_MEMORY);
        assert_int_equal(files_count(), 1);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FILES_TEST(plain_files_are_read_as_they_are),
        FILES_TEST(reading_in_pieces_peeking_and_counting_agree),
        FILES_TEST(gzip_is_undone_whatever_the_name_and_in_any_number_of_members),
        FILES_TEST(a_gzip_file_cut_anywhere_is_refused),
        FILES_TEST(a_gzip_file_with_a_flipped_byte_is_refused_or_the_same),
        FILES_TEST(a_gzip_bomb_stops_at_the_memory_limit),
        FILES_TEST(what_cannot_be_read_is_named),
        FILES_TEST(a_pipe_that_says_nothing_can_be_cancelled),
        FILES_TEST(a_pipe_is_read_to_its_end),
        FILES_TEST(a_file_appears_on_commit_alone),
        FILES_TEST(printing_is_writing),
        FILES_TEST(the_mode_of_a_file_stays_and_a_new_one_obeys_the_umask),
        FILES_TEST(a_symbolic_link_stays_and_its_target_is_written),
        FILES_TEST(a_link_to_what_is_not_there_yet_stays_too),
        FILES_TEST(what_cannot_be_written_is_named_and_leaves_nothing),
        FILES_TEST(a_disk_that_fills_up_leaves_the_old_file_and_no_other),
        FILES_TEST(a_reader_that_went_away_is_an_error_not_a_death),
        FILES_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
