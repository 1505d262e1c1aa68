/* The algebra of kernels: text and tree are the same thing, and every wrapper is what its formula says. */
#include "fixtures.h"

#include <ctype.h>

/* ---- text and tree --------------------------------------------------------------------------------------------- */

/* Random choices, functions of (tree, step). */
typedef struct dice {
    uint64_t tree, step;
} dice;

static int64_t roll(dice *d, int64_t sides) {
    uint64_t w[4];
    rk_random(31, RK_STREAM_TEST, d->tree, d->step++, w);
    return (int64_t)(w[0] % (uint64_t)sides);
}

static void put(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put(char *out, size_t room, const char *format, ...) {
    size_t at = strlen(out);
    va_list list;
    va_start(list, format);
    int wants = vsnprintf(out + at, room - at, format, list);
    va_end(list);
    assert_true((size_t)wants < room - at);
}

/* A kernel on p columns, every piece of syntax in brackets. */
static void grow(dice *d, int depth, int64_t p, char *out, size_t room) {
    static const char *const leaves[] = {"rbf",           "linear", "cosine", "rbf(gamma=0.1)", "laplacian(sigma=knn(2))",
                                         "poly(degree=2)"};
    static const double weights[] = {2, 0.1, 1.0 / 3, 3e-7, 1};
    char number[40], list[80] = "[";
    int64_t some = 0;
    switch (depth > 0 ? roll(d, 9) : -1) {
    case 0:
    case 1: /* a + b, a*b*c */
        put(out, room, "(");
        for (int64_t i = 0, count = 2 + roll(d, 2), plus = roll(d, 2); i < count; i++) {
            put(out, room, i ? (plus ? " + " : "*") : "");
            grow(d, depth - 1, p, out, room);
        }
        put(out, room, ")");
        return;
    case 2:
        put(out, room, "(%s*", rk_number_text(weights[roll(d, 5)], number));
        grow(d, depth - 1, p, out, room);
        put(out, room, ")");
        return;
    case 3:
        put(out, room, "((");
        grow(d, depth - 1, p, out, room);
        put(out, room, ")^%d)", (int)(1 + roll(d, 3)));
        return;
    case 4:
        for (int64_t i = 0, parts = 1 + roll(d, 3); i < parts; i++) {
            int64_t from = roll(d, p), to = from + 1 + roll(d, p - from);
            put(list, sizeof list, to == from + 1 ? "%s%d" : "%s%d:%d", i ? "," : "", (int)from, (int)to);
            some += to - from;
        }
        put(out, room, "(");
        grow(d, depth - 1, some, out, room);
        put(out, room, ")%s]", list);
        return;
    case 5:
    case 6:
    case 7: {
        static const char *const wrappers[] = {"normalize", "center", "standardize"};
        put(out, room, "%s(", wrappers[roll(d, 3)]);
        grow(d, depth - 1, p, out, room);
        put(out, room, ")");
        return;
    }
    default: put(out, room, "%s", leaves[roll(d, 6)]);
    }
}

static int same_tree(const rkhs_kernel *a, const rkhs_kernel *b) {
    if (a->type != b->type || a->children != b->children) return 0;
    rk_text ta = {.env = a->env}, tb = {.env = a->env};
    OK(a->env, rk_spec_text(a->spec, &ta));
    OK(a->env, rk_spec_text(b->spec, &tb));
    int same = strcmp(ta.s, tb.s) == 0;
    rk_free(a->env, ta.s);
    rk_free(a->env, tb.s);
    for (int i = 0; same && i < a->children; i++) same = same_tree(a->child[i], b->child[i]);
    return same;
}

/* Brackets that are no call's. */
static int brackets(const char *text) {
    int count = 0;
    for (const char *c = text; *c; c++) count += *c == '(' && (c == text || !isalnum((unsigned char)c[-1]));
    return count;
}

/* Whether the text is shorter by a pair of brackets and still the same kernel: then that pair was not needed. */
static int can_do_without(rkhs_env *env, const rkhs_kernel *k) {
    const char *text = rkhs_kernel_text(k);
    for (size_t open = 0; text[open]; open++) {
        if (text[open] != '(' || (open && (isalnum((unsigned char)text[open - 1]) || text[open - 1] == '_'))) continue;
        char less[4000];
        size_t close = open, deep = 0;
        do deep += text[close] == '(', deep -= text[close] == ')';
        while (deep && text[++close]);
        snprintf(less, sizeof less, "%.*s%.*s%s", (int)open, text, (int)(close - open - 1), text + open + 1, text + close + 1);
        rkhs_kernel *other;
        int same = rkhs_kernel_new(env, less, &other) == RKHS_OK && same_tree(k, other);
        rkhs_kernel_free(other);
        if (same) return 1;
    }
    return 0;
}

static void random_trees_come_back_from_their_text(void **state) {
    rkhs_env *env = *state;
    enum { TREES = 600, N = 7, P = 5 };
    rk_mark mark = rk_scratch_mark(env);
    double *x = normals(env, N * P, 70), K[N * N], L[N * N];
    rkhs_data *data;
    OK(env, rkhs_data_dense(env, x, N, P, P, &data));
    int large = 0, less = 0, fine = 0;
    for (uint64_t t = 0; t < TREES; t++) {
        char text[4000] = "";
        rkhs_kernel *k, *again, *frozen;
        grow(&(dice){t, 0}, 1 + (int)(t % 5), P, text, sizeof text);
        LOOK_AT("%.400s", text);
        FINE(env, rkhs_kernel_new(env, text, &k));
        FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(k), &again));
        if (!same_tree(k, again)) fail_msg("%s became %s, which is another kernel", text, rkhs_kernel_text(k));
        assert_string_equal(rkhs_kernel_text(again), rkhs_kernel_text(k));
        HOLDS(brackets(rkhs_kernel_text(k)) <= brackets(text));
        if (can_do_without(env, k)) fail_msg("%s has brackets that are not needed", rkhs_kernel_text(k));
        less += brackets(rkhs_kernel_text(k)) < brackets(text);
        large += strlen(text) > 100;
        rkhs_status status = rkhs_kernel_gram(k, data, NULL, K, N);
        if (status == RKHS_OK) { /* else normalize around a difference that is next to nothing */
            fine++;
            FINE(env, rkhs_kernel_gram(again, data, NULL, L, N));
            same_bits("the Gram of the text's kernel", L, K, N * N);
            FINE(env, rkhs_kernel_freeze(k, data));
            FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(k), &frozen));
            FINE(env, rkhs_kernel_gram(frozen, data, NULL, L, N));
            same_bits("the Gram of the frozen text's kernel", L, K, N * N);
            rkhs_kernel_free(frozen);
        }
        rkhs_kernel_free(again);
        rkhs_kernel_free(k);
    }
    if (large < TREES / 8 || less < TREES / 4 || fine < TREES * 9 / 10)
        fail_msg("%d large, %d with fewer brackets, %d with a Gram", large, less, fine);
    rkhs_data_free(data);
    rk_scratch_release(env, mark);
}

static void text_is_as_short_as_it_can_be(void **state) {
    rkhs_env *env = *state;
    static const char *const pairs[][2] = {
        {"((2*rbf(gamma=1)))", "2*rbf(gamma=1)"},
        {"2*(3*linear)", "2*(3*linear)"},
        {"2*3*linear", "6*linear"},
        {"(linear*2)*(cosine)", "(2*linear)*cosine"},
        {"linear*2*cosine", "2*linear*cosine"},
        {"(linear + cosine) + linear", "(linear + cosine) + linear"},
        {"(linear)^2", "linear^2"},
        {"2*(linear^2)", "2*linear^2"},
        {"(2*linear)^2", "(2*linear)^2"},
        {"(linear^2)^3", "(linear^2)^3"},
        {"(linear^2)[ 0 , 1:3 ]", "(linear^2)[0,1:3]"},
        {"(linear[0])^2", "linear[0]^2"},
        {"((linear)[0])[0,0]", "linear[0][0,0]"},
        {"normalize((linear + cosine))", "normalize(linear + cosine)"},
        {"(normalize(linear))*cosine", "normalize(linear)*cosine"},
        {"standardize(linear, [1,2], [3,4e5])", "standardize(linear, mean=[1,2], deviation=[3,400000])"},
        {"(standardize(linear))[0:2]^2 + (cosine*linear)[1]", "standardize(linear)[0:2]^2 + (cosine*linear)[1]"},
        {"5*rbf(gamma=0.03)[0,4,41] + cosine[19:33] + 2*standardize(rbf(gamma=0.25))[12:16] + 3*cosine[42:46]",
         "5*rbf(gamma=0.03)[0,4,41] + cosine[19:33] + 2*standardize(rbf(gamma=0.25))[12:16] + 3*cosine[42:46]"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        rkhs_kernel *k;
        LOOK_AT("%s", pairs[i][0]);
        FINE(env, rkhs_kernel_new(env, pairs[i][0], &k));
        assert_string_equal(rkhs_kernel_text(k), pairs[i][1]);
        rkhs_kernel_free(k);
    }
}

static void wrong_specs_are_refused_with_a_sentence(void **state) {
    rkhs_env *env = *state;
    static const char *const pairs[][2] = {
        {"normalize", "normalize | kernel | normalize(rbf)"},
        {"center()", "center | kernel | brackets"},
        {"standardize(mean=[1])", "standardize | kernel | brackets"},
        {"normalize(2)", "kernel | name | 'rbf(sigma=median)' | 2"},
        {"normalize(rbf, linear)", "normalize | 0 parameters"},
        {"normalize(rbf, k=2)", "normalize has no parameter 'k'"},
        {"power(rbf, 2)", "'power' | a^3"},
        {"columns(rbf)", "'columns' | k[0,4:7]"},
        {"sum(rbf, rbf)", "'sum' | rbf + rbf"},
        {"rbf^0", "power | exponent | at least 1 | not 0"},
        {"rbf^1001", "power | exponent | at most 1000 | 1001"},
        {"rbf^2.5", "power | exponent | whole number | 2.5"},
        {"rbf^2e99", "power | exponent | at most 1000"},
        {"2^2*rbf", "a kernel begins with its name"},
        {"2[0]", "a kernel begins with its name"},
        {"rbf[1.5]", "columns | [0:50,7] | [1.5]"},
        {"rbf[-1]", "columns: list must be numbers from 0"},
        {"rbf[3:3]", "columns | [3:3]"},
        {"rbf[3:1]", "columns | [3:1]"},
        {"rbf[0:2147483648]", "at most 2147483647 columns"},
        {"rbf[0:2000000000,0:2000000000]", "at most 2147483647 columns"},
        {"rbf[99999999999999999999]", "at most 2147483647 columns"},
        {"rbf[0:9223372036854775807,0:9223372036854775807]", "at most 2147483647 columns"},
        {"standardize(rbf, mean=[1,2])", "standardize | 2 means | 0 deviations"},
        {"standardize(rbf, mean=[1,2], deviation=[1])", "standardize | 2 means | 1 deviation"},
        {"standardize(rbf, mean=[1], deviation=[0])", "standardize | deviation | above 0 | not 0"},
        {"standardize(rbf, mean=[1e999], deviation=[1])", "standardize: mean must be finite"},
        {"standardize(rbf, mean=[0:3], deviation=[1])", "standardize | mean | list"},
        {"standardize(rbf, mean=3, deviation=[1])", "standardize | mean | list"},
        {"normalize(precomputed)", "normalize(precomputed) | k(x,x) | rows | Gram"},
        {"center(2*precomputed)", "k(x,x) | rows | Gram"},
        {"rbf + precomputed", "rbf(sigma=median) + precomputed | different kinds"},
        {"0*rbf", "weight | above 0 | not 0"},
        {"1e400*rbf", "weight | at most 1e300 | inf"},
        {"rbf - linear", "difference | position 5"},
        {"(rbf-2*linear)*rbf", "difference | position 5"},
        {"-1*normalize(rbf)", "weight | above 0 | not -1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        rkhs_kernel *k;
        LOOK_AT("%s", pairs[i][0]);
        REFUSED(env, RKHS_ERR_SPEC, pairs[i][1], rkhs_kernel_new(env, pairs[i][0], &k));
        assert_null(k);
    }
}

static void nesting_ends_at_40(void **state) {
    rkhs_env *env = *state;
    static const char *const forms[][3] = {{"normalize(", ")", "brackets more than 40 deep"},
                                           {"center(", ")", "brackets more than 40 deep"},
                                           {"(", ")^2", "brackets more than 40 deep"},
                                           {"", "[0]", "lists more than 40 deep"}};
    for (int f = 0, rule = 0; f < 4; rule = !rule, f += !rule)
        for (int deep = 38; deep <= 41; deep++) {
            char text[1000] = "";
            rkhs_kernel *k;
            for (int i = 0; i < deep; i++) strcat(text, forms[f][0]);
            strcat(text, rule ? "rbf" : "linear"); /* rbf is written as rbf(sigma=median), one deeper */
            for (int i = 0; i < deep; i++) strcat(text, forms[f][1]);
            LOOK_AT("%s, %d deep", forms[f][f == 3], deep);
            if (deep > 40 - (rule && f < 2)) {
                REFUSED(env, RKHS_ERR_SPEC, forms[f][2], rkhs_kernel_new(env, text, &k));
                continue;
            }
            rkhs_kernel *again;
            FINE(env, rkhs_kernel_new(env, text, &k));
            FINE(env, rkhs_kernel_new(env, rkhs_kernel_text(k), &again));
            rkhs_kernel_free(again);
            double x[] = {0.5, -0.25, 0.75}, K[9];
            rkhs_data *data;
            FINE(env, rkhs_data_dense(env, x, 3, 1, 1, &data));
            FINE(env, rkhs_kernel_gram(k, data, NULL, K, 3));
            rkhs_data_free(data);
            rkhs_kernel_free(k);
        }
}

/* ---- properties ------------------------------------------------------------------------------------------------ */

static void properties_follow_from_the_parts(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *text;
        int psd, scale_free, reference;
    } cases[] = {
        {"rbf", 1, 0, 0},
        {"2*rbf^3 + normalize(linear*cosine)", 1, 0, 0},
        {"center(rbf)", 1, 0, 1},
        {"2*normalize(center(rbf))^2*linear", 1, 0, 1},
        {"standardize(rbf)", 1, 1, 0},
        {"standardize(rbf) + linear[0:2]", 1, 1, 0},
        {"standardize(rbf) + linear", 1, 0, 0},
        {"precomputed^2", 0, 1, 0},
        {"2*(precomputed + precomputed^3)", 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rkhs_kernel *k;
        LOOK_AT("%s", cases[i].text);
        FINE(env, rkhs_kernel_new(env, cases[i].text, &k));
        HOLDS(rk_kernel_all_have(k, RK_PSD) == cases[i].psd);
        HOLDS(rk_kernel_all_have(k, RK_SCALE_FREE) == cases[i].scale_free);
        HOLDS(rk_kernel_any_has(k, RK_REFERENCE) == cases[i].reference);
        rkhs_kernel_free(k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(random_trees_come_back_from_their_text),  ENV_TEST(text_is_as_short_as_it_can_be),
        ENV_TEST(wrong_specs_are_refused_with_a_sentence), ENV_TEST(nesting_ends_at_40),
        ENV_TEST(properties_follow_from_the_parts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
