/* Memory: counted, limited, aligned, zeroed, given back by mark; any allocation can be made to fail. */
#include "env.h"
#include "files.h"

#include <sys/resource.h>

static size_t used(const rkhs_env *env) { return atomic_load(&env->used); }

static void blocks_are_zeroed_and_aligned_to_64_bytes(void **state) {
    rkhs_env *env = *state;
    static const int64_t counts[] = {0, 1, 3, 63, 64, 65, 1000, 70001, 5 << 20};
    for (int pass = 0; pass < 2; pass++) { /* the second time, what was dirty comes back */
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            unsigned char *p, sum = 0;
            OK(env, rk_alloc(env, counts[c], 1, &p));
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 64, 0);
            for (int64_t i = 0; i < counts[c]; i++) sum |= p[i];
            assert_int_equal(sum, 0);
            memset(p, 0xab, (size_t)counts[c]);
            rk_free(env, p);
            OK(env, rk_scratch(env, counts[c], 1, &p));
            assert_int_equal((uintptr_t)p % 64, 0);
            for (int64_t i = 0; i < counts[c]; i++) sum |= p[i];
            assert_int_equal(sum, 0);
            memset(p, 0xcd, (size_t)counts[c]);
            rk_scratch_release(env, NULL);
        }
    }
    assert_int_equal(used(env), 0);
}

static void what_is_in_use_and_the_most_that_ever_was_are_counted(void **state) {
    rkhs_env *env = *state;
    char *a, *b, *c;
    assert_int_equal(rkhs_env_memory_peak(env), 0);
    OK(env, rk_alloc(env, 1000, 8, &a));
    OK(env, rk_scratch(env, 500, 1, &b));
    assert_int_equal(used(env), 8500);
    rk_free(env, a);
    assert_int_equal(used(env), 500);
    OK(env, rk_alloc(env, 100, 1, &c));
    assert_int_equal(used(env), 600);
    assert_int_equal(rkhs_env_memory_peak(env), 8500);
    rk_free(env, c);
    rk_free(env, NULL);
    rk_scratch_release(env, NULL);
    assert_int_equal(used(env), 0);
    assert_int_equal(rkhs_env_memory_peak(env), 8500);
}

static void the_limit_holds_to_the_byte(void **state) {
    rkhs_env *env = *state;
    char *a, *b = (char *)env;
    rkhs_env_set_memory(env, 10000);
    OK(env, rk_alloc(env, 6000, 1, &a));
    FAILS(env, RKHS_ERR_MEMORY, "4.0 kB | 6.0 kB | limit is 10.0 kB | memory", rk_alloc(env, 4001, 1, &b));
    assert_null(b);
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_MEMORY, "more are needed", rk_scratch(env, 4001, 1, &b));
    assert_null(b);
    assert_null(env->scratch);
    OK(env, rk_alloc(env, 4000, 1, &b));
    assert_int_equal(rkhs_env_memory_peak(env), 10000);
    rk_begin_call(env);
    char *c;
    FAILS(env, RKHS_ERR_MEMORY, "more are needed", rk_alloc(env, 1, 1, &c));
    rk_free(env, a);
    OK(env, rk_alloc(env, 1, 1, &c));
    rk_free(env, b);
    rk_free(env, c);
    rkhs_env_set_memory(env, 0);
    assert_true(env->limit > 1 << 20);
}

static void counts_that_overflow_are_refused(void **state) {
    rkhs_env *env = *state;
    static const struct {
        int64_t count;
        size_t size;
    } bad[] = {
        {INT64_MAX, 8},
        {INT64_MAX, SIZE_MAX},
        {(int64_t)1 << 62, 4},
        {((int64_t)1 << 61) + 1, 8},
        {2, SIZE_MAX / 2 + 1},
        {1, SIZE_MAX},
        {-1, 1},
        {INT64_MIN, 8},
        {1, SIZE_MAX - 64},
    };
    rkhs_env_set_memory(env, SIZE_MAX);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *p = env;
        rk_begin_call(env);
        FAILS(env, RKHS_ERR_MEMORY, "are more than this machine can address", rk_alloc(env, bad[i].count, bad[i].size, &p));
        assert_null(p);
        rk_begin_call(env);
        FAILS(env, RKHS_ERR_MEMORY, "are more than this machine can address", rk_scratch(env, bad[i].count, bad[i].size, &p));
    }
    assert_int_equal(used(env), 0);
}

#if !defined(__SANITIZE_ADDRESS__) /* its malloc stops the program instead */
static void what_the_system_refuses_is_not_counted(void **state) {
    rkhs_env *env = *state;
    void *p = env;
    rkhs_env_set_memory(env, SIZE_MAX);
    FAILS(env, RKHS_ERR_MEMORY, "4612 PB", rk_alloc(env, ((int64_t)1 << 62) + (1 << 30), 1, &p));
    assert_null(p);
    assert_int_equal(used(env), 0);
}

static void a_limit_of_the_process_is_named(void **state) {
    if (UNDER_TSAN) skip(); /* which takes address space itself */
    rkhs_env *env = *state;
    void *p = env;
    struct rlimit before, less;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    less = (struct rlimit){(rlim_t)3 << 30, before.rlim_max};
    rkhs_env_set_memory(env, SIZE_MAX);
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    rkhs_status status = rk_alloc(env, (int64_t)4 << 30, 1, &p);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    FAILS(env, RKHS_ERR_MEMORY, "4.3 GB | 3.2 GB | ulimit -v", status);
    assert_null(p);
    assert_int_equal(used(env), 0);
}
#endif

static void growing_keeps_the_contents(void **state) {
    rkhs_env *env = *state;
    int64_t *p = NULL;
    OK(env, rk_realloc(env, 3, sizeof *p, &p));
    for (int64_t i = 0; i < 3; i++) p[i] = i + 7;
    OK(env, rk_realloc(env, 3000, sizeof *p, &p));
    for (int64_t i = 0; i < 3; i++) assert_int_equal(p[i], i + 7);
    assert_int_equal((uintptr_t)p % 64, 0);
    assert_int_equal(used(env), 24000);
    OK(env, rk_realloc(env, 2, sizeof *p, &p));
    for (int64_t i = 0; i < 2; i++) assert_int_equal(p[i], i + 7);
    assert_int_equal(used(env), 16);
    rkhs_env_set_memory(env, 1000);
    int64_t *before = p;
    FAILS(env, RKHS_ERR_MEMORY, "more are needed", rk_realloc(env, 1000, sizeof *p, &p));
    assert_ptr_equal(p, before);
    for (int64_t i = 0; i < 2; i++) assert_int_equal(p[i], i + 7);
    rk_free(env, p);
    char *copy;
    OK(env, rk_strdup(env, "text", &copy));
    assert_string_equal(copy, "text");
    assert_int_equal(used(env), 5);
    rk_free(env, copy);
}

static void scratch_marks_nest(void **state) {
    rkhs_env *env = *state;
    char *a, *b, *c;
    rk_mark outer = rk_scratch_mark(env);
    OK(env, rk_scratch(env, 100, 1, &a));
    rk_mark middle = rk_scratch_mark(env);
    OK(env, rk_scratch(env, 20, 1, &b));
    OK(env, rk_scratch(env, 20, 1, &c));
    rk_mark inner = rk_scratch_mark(env);
    OK(env, rk_scratch(env, 3, 1, &c));
    memset(a, 'a', 100);
    memset(b, 'b', 20);
    assert_int_equal(used(env), 143);
    rk_scratch_release(env, inner);
    assert_int_equal(used(env), 140);
    rk_scratch_release(env, inner);
    assert_int_equal(used(env), 140);
    assert_int_equal(b[19], 'b');
    rk_scratch_release(env, middle);
    assert_int_equal(used(env), 100);
    assert_int_equal(a[99], 'a');
    rk_scratch_release(env, outer);
    assert_int_equal(used(env), 0);
    assert_null(env->scratch);
    OK(env, rk_scratch(env, 100, 1, &a)); /* forgotten ones go with the env */
    rk_scratch_release(env, NULL);
}

static void the_kth_allocation_fails_and_no_other(void **state) {
    rkhs_env *env = *state;
    for (int64_t k = 0; k < 5; k++) {
        env->allocations = 0;
        env->fail_at = k;
        for (int64_t i = 0; i < 5; i++) {
            char *p;
            rk_begin_call(env);
            rkhs_status status = i % 2 ? rk_scratch(env, 10, 1, &p) : rk_alloc(env, 10, 1, &p);
            assert_int_equal(status, i == k ? RKHS_ERR_MEMORY : RKHS_OK);
            assert_int_equal(p == NULL, i == k);
            if (i % 2 == 0) rk_free(env, p);
        }
        assert_int_equal(env->allocations, 5);
        rk_scratch_release(env, NULL);
        assert_int_equal(used(env), 0);
    }
    env->fail_at = -1;
}

static void a_need_over_the_limit_says_what_and_what_to_do(void **state) {
    rkhs_env *env = *state;
    char *p;
    rkhs_env_set_memory(env, (size_t)16e9);
    FAILS(env, RKHS_ERR_MEMORY, "100000 x 100000 | 80.0 GB | 16.0 GB | gram=nystrom(landmarks=2000)",
          rk_require_memory(env, 8e10, "the Gram of 100000 x 100000", "use gram=nystrom(landmarks=2000)"));
    rk_begin_call(env);
    OK(env, rk_require_memory(env, 16e9, "this", "nothing"));
    FAILS(env, RKHS_ERR_MEMORY, "needs", rk_require_memory(env, 1e300, "this", "nothing"));
    assert_int_equal(used(env), 0); /* a look, not a taking */
    rk_begin_call(env);
    OK(env, rk_alloc(env, 1000, 1, &p));
    FAILS(env, RKHS_ERR_MEMORY, "needs", rk_require_memory(env, 16e9 - 999, "this", "nothing"));
    rk_begin_call(env);
    OK(env, rk_require_memory(env, 16e9 - 1000, "this", "nothing"));
    rk_free(env, p);
}

static void arrays_of_the_caller_count_against_the_limit(void **state) {
    rkhs_env *env = *state;
    char *p;
    rkhs_env_set_memory(env, 10000);
    OK(env, rk_alloc(env, 1000, 1, &p));
    FAILS(env, RKHS_ERR_MEMORY, "9.0 kB | 1.0 kB | limit is 10.0 kB", rkhs_env_reserve(env, 9001));
    assert_int_equal(used(env), 1000); /* what was refused is not counted */
    OK(env, rkhs_env_reserve(env, 9000));
    assert_int_equal(rkhs_env_memory_peak(env), 10000);
    char *q;
    FAILS(env, RKHS_ERR_MEMORY, "the limit is 10.0 kB", (rk_begin_call(env), rk_alloc(env, 1, 1, &q)));
    FAILS(env, RKHS_ERR_MEMORY, "more are needed", rkhs_env_reserve(env, INT64_MAX));
    OK(env, rkhs_env_reserve(env, -9000));
    assert_int_equal(used(env), 1000);
    FAILS(env, RKHS_ERR_ARGUMENT, "more bytes are given back than were taken", rkhs_env_reserve(env, -1001));
    FAILS(env, RKHS_ERR_ARGUMENT, "more bytes are given back", rkhs_env_reserve(env, INT64_MIN));
    assert_int_equal(used(env), 1000);
    assert_int_equal(rkhs_env_reserve(NULL, 1), RKHS_ERR_ARGUMENT);
    rk_free(env, p);
}

static void bytes_are_written_with_a_unit_that_can_be_read(void **state) {
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {
        {0, "0 bytes"},    {999, "999 bytes"}, {1000, "1.0 kB"},   {1550, "1.6 kB"}, {123456, "123 kB"}, {99.5e6, "99.5 MB"},
        {16e9, "16.0 GB"}, {8e10, "80.0 GB"},  {2.5e12, "2.5 TB"}, {3e15, "3.0 PB"}, {7e18, "7000 PB"},
    };
    char buffer[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(rk_bytes_text(cases[i].bytes, buffer), cases[i].text);
    }
    assert_true(strlen(rk_bytes_text(1e30, buffer)) < 32);
}

static void the_first_sentence_of_a_failure_stands(void **state) {
    rkhs_env *env = *state;
    assert_int_equal(rk_fail(env, RKHS_ERR_DATA, "first %d", 1), RKHS_ERR_DATA);
    assert_int_equal(rk_fail(env, RKHS_ERR_IO, "second"), RKHS_ERR_IO);
    assert_string_equal(rkhs_env_message(env), "first 1");
    rk_begin_call(env);
    assert_string_equal(rkhs_env_message(env), "");
    char big[3000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    rk_fail(env, RKHS_ERR_DATA, "%s", big);
    assert_int_equal(strlen(rkhs_env_message(env)), sizeof env->message - 1);
    assert_string_equal(rkhs_env_message(NULL), "");
}

static void a_failure_has_a_subject_beside_its_sentence(void **state) {
    rkhs_env *env = *state;
    assert_string_equal(rkhs_env_subject(env), "");
    assert_int_equal(rk_set_subject(env, "x.npy", RKHS_OK), RKHS_OK);
    assert_string_equal(rkhs_env_subject(env), "");
    assert_int_equal(rk_set_subject(env, "x.npy", rk_fail(env, RKHS_ERR_DATA, "row 3 is NaN")), RKHS_ERR_DATA);
    assert_int_equal(rk_set_subject(env, "later", RKHS_ERR_DATA), RKHS_ERR_DATA); /* who saw it first knows best */
    assert_string_equal(rkhs_env_subject(env), "x.npy");
    assert_string_equal(rkhs_env_message(env), "row 3 is NaN");
    assert_int_equal(rk_reword(env, RKHS_ERR_FORMAT, "%s: %s", "x.npy", env->message), RKHS_ERR_FORMAT);
    assert_string_equal(rkhs_env_message(env), "x.npy: row 3 is NaN");
    assert_string_equal(rkhs_env_subject(env), "x.npy");
    rk_clear_error(env);
    assert_string_equal(rkhs_env_message(env), "");
    assert_string_equal(rkhs_env_subject(env), "");
    assert_string_equal(rkhs_env_subject(NULL), "");
}

static void a_hint_stays_with_its_message(void **state) {
    rkhs_env *env = *state;
    assert_string_equal(rkhs_env_hint(NULL), "");
    assert_int_equal(rk_fail_hint(env, RKHS_ERR_FORMAT, "format=a\nb", "row %d", 1), RKHS_ERR_FORMAT);
    assert_string_equal(rkhs_env_hint(env), "format=a\\nb");
    rk_fail_hint(env, RKHS_ERR_DATA, "labels", "later");
    rk_reword(env, RKHS_ERR_FORMAT, "x.npy: %s", env->message);
    assert_string_equal(rkhs_env_message(env), "x.npy: row 1");
    assert_string_equal(rkhs_env_hint(env), "format=a\\nb");
    rk_clear_error(env);
    assert_string_equal(rkhs_env_hint(env), "");
    rk_fail(env, RKHS_ERR_DATA, "first");
    rk_fail_hint(env, RKHS_ERR_DATA, "labels", "later");
    assert_string_equal(rkhs_env_hint(env), "");
    rk_clear_error(env);
}

static void the_subject_is_the_file_or_the_parameter(void **state) {
    files *f = *state;
    rkhs_env *env = f->env;
    rkhs_data *x;
    rkhs_model *m;
    put_text("x.csv", "1,2\n3,nan\n");
    FAILS(env, RKHS_ERR_DATA, "x.csv: ", rkhs_data_read(env, "x.csv", NULL, &x));
    assert_string_equal(rkhs_env_subject(env), "x.csv");
    FAILS(env, RKHS_ERR_IO, "y.csv", rkhs_data_read(env, "y.csv", NULL, &x));
    assert_string_equal(rkhs_env_subject(env), "y.csv");
    FAILS(env, RKHS_ERR_FORMAT, "x.csv: ", rkhs_model_load(env, "x.csv", &m));
    assert_string_equal(rkhs_env_subject(env), "x.csv");
    FAILS(env, RKHS_ERR_SPEC, "dim must be", rkhs_model_new(env, "kpca(dim=0)", &m));
    assert_string_equal(rkhs_env_subject(env), "dim");
    FAILS(env, RKHS_ERR_DATA, "row 1, column 1", rkhs_data_dense(env, (double[]){NAN}, 1, 1, 1, &x));
    assert_string_equal(rkhs_env_subject(env), ""); /* nobody knows where it came from */
}

static void the_least_limit_of_the_control_groups_of_a_process_counts(void **state) {
    static const char *const folders[] = {"cg", "cg/a", "cg/a/b", "cg/memory", "cg/memory/c"};
    static const char *const names[] = {"cg/memory.max", "cg/a/memory.max", "cg/a/b/memory.max",
                                        "cg/memory/memory.limit_in_bytes", "cg/memory/c/memory.limit_in_bytes"};
    for (int i = 0; i < 5; i++) assert_int_equal(mkdir(folders[i], 0755), 0);
    NEAR(rk_cgroup_memory("none", "cg", 1e9), 1e9, 0);
    put_text("v2", "0::/a/b\n");
    NEAR(rk_cgroup_memory("v2", "cg", 1e9), 1e9, 0);
    put_text(names[2], "max\n");
    put_text(names[1], "300000\n");
    NEAR(rk_cgroup_memory("v2", "cg", 1e9), 300000, 0); /* of a group above */
    put_text(names[2], "200000\n");
    NEAR(rk_cgroup_memory("v2", "cg", 1e9), 200000, 0);
    put_text("v2", "0::/a/bc\n"); /* another group, and none that is there */
    NEAR(rk_cgroup_memory("v2", "cg", 1e9), 300000, 0);
    put_text("v2", "0::/\n");
    NEAR(rk_cgroup_memory("v2", "cg", 1e9), 1e9, 0);
    put_text(names[0], "250000\n"); /* in a container its own group is the root, or it has another name outside */
    NEAR(rk_cgroup_memory("v2", "cg", 1e9), 250000, 0);
    put_text("v1", "5:cpu:/a\n4:memory:/c\n");
    NEAR(rk_cgroup_memory("v1", "cg", 1e9), 1e9, 0);
    put_text(names[4], "1000\n");
    NEAR(rk_cgroup_memory("v1", "cg", 1e9), 1000, 0);
    put_text(names[3], "9223372036854771712\n");
    NEAR(rk_cgroup_memory("v1", "cg", 1e9), 1000, 0);
    NEAR(rk_cgroup_memory("v1", "cg", 10), 10, 0);
    for (int i = 0; i < 5; i++) unlink(names[i]);
    for (int i = 4; i >= 0; i--) assert_int_equal(rmdir(folders[i]), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(blocks_are_zeroed_and_aligned_to_64_bytes),
        ENV_TEST(what_is_in_use_and_the_most_that_ever_was_are_counted),
        ENV_TEST(the_limit_holds_to_the_byte),
        ENV_TEST(counts_that_overflow_are_refused),
#if !defined(__SANITIZE_ADDRESS__)
        ENV_TEST(what_the_system_refuses_is_not_counted),
        ENV_TEST(a_limit_of_the_process_is_named),
#endif
        ENV_TEST(growing_keeps_the_contents),
        ENV_TEST(scratch_marks_nest),
        ENV_TEST(the_kth_allocation_fails_and_no_other),
        ENV_TEST(a_need_over_the_limit_says_what_and_what_to_do),
        ENV_TEST(arrays_of_the_caller_count_against_the_limit),
        ENV_TEST(bytes_are_written_with_a_unit_that_can_be_read),
        ENV_TEST(the_first_sentence_of_a_failure_stands),
        ENV_TEST(a_failure_has_a_subject_beside_its_sentence),
        ENV_TEST(a_hint_stays_with_its_message),
        FILES_TEST(the_subject_is_the_file_or_the_parameter),
        FILES_TEST(the_least_limit_of_the_control_groups_of_a_process_counts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
