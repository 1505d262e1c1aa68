/* Text: the grammar of specs, its sentences, numbers as text, near names, index lists. */
#include "env.h"

#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "model/model.h"
#include "score/score.h"

/* ---- the grammar ----------------------------------------------------------------------------------------------- */

/* A tree as text that shows its shape: {+ a b}, {* a b}, {^ a <2>}, {[ a list}, <number>, name, name(...), list,
 * key=... */
static void show(const rk_node *node, char *out, size_t room) {
    size_t at = strlen(out);
#define ADD(...) at += (size_t)snprintf(out + at, room - at, __VA_ARGS__)
    if (node->key) ADD("%s=", node->key);
    switch (node->kind) {
    case RK_NODE_NUMBER: ADD("<%.17g>", node->number); break;
    case RK_NODE_LIST:
    case RK_NODE_HOLE: ADD("%s", node->text); break;
    case RK_NODE_CALL: ADD(node->brackets ? "%s(" : "%s", node->text); break;
    case RK_NODE_SUM: ADD("{+ "); break;
    case RK_NODE_PRODUCT: ADD("{* "); break;
    case RK_NODE_POWER: ADD("{^ "); break;
    case RK_NODE_COLUMNS: ADD("{[ "); break;
    }
    for (const rk_node *c = node->child; c; c = c->next) {
        show(c, out, room);
        at = strlen(out);
        if (c->next) ADD(" ");
    }
    if (node->kind == RK_NODE_CALL && node->brackets) ADD(")");
    if (node->kind != RK_NODE_CALL && node->child) ADD("}");
#undef ADD
}

typedef struct pair {
    const char *text, *meant;
} pair;

static void check_shapes(rkhs_env *env, const pair *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rk_node *node;
        char shape[1000] = "";
        rk_begin_call(env);
        OK(env, rk_parse_spec(env, "thing", cases[i].text, &node));
        show(node, shape, sizeof shape);
        assert_string_equal(shape, cases[i].meant);
        rk_scratch_release(env, NULL);
    }
}

static void specs_are_read_as_the_grammar_says(void **state) {
    static const pair cases[] = {
        {"rbf", "rbf"},
        {"rbf()", "rbf()"},
        {"_a1", "_a1"},
        {"2", "<2>"},
        {"-2.5e-3", "<-0.0025000000000000001>"},
        {".5", "<0.5>"},
        {"5.", "<5>"},
        {"1e+2", "<100>"},
        {"1E2", "<100>"},
        {"007", "<7>"},
        {"inf", "inf"},
        {"rbf(sigma=0.3)", "rbf(sigma=<0.29999999999999999>)"},
        {"rbf(sigma=median)", "rbf(sigma=median)"},
        {"rbf(sigma=knn(10))", "rbf(sigma=knn(<10>))"},
        {"kpca(2)", "kpca(<2>)"},
        {"kpca(2, nystrom(landmarks=500, uniform), solver=lanczos(tol=1e-9))",
         "kpca(<2> nystrom(landmarks=<500> uniform) solver=lanczos(tol=<1.0000000000000001e-09>))"},
        {"a + b", "{+ a b}"},
        {"a+b+c", "{+ a b c}"},
        {"2*a", "{* <2> a}"},
        {"2*a + b*c*d + 3", "{+ {* <2> a} {* b c d} <3>}"},
        {"a*(b + c)", "{* a {+ b c}}"},
        {"(a + b)*c", "{* {+ a b} c}"},
        {"((a))", "a"},
        {"(2)", "<2>"},
        {"f(a + b, k=c*d)", "f({+ a b} k={* c d})"},
        {"f(k=(a + b))", "f(k={+ a b})"},
        {"f((a), b)", "f(a b)"},
        {"[1]", "[1]"},
        {"[0:50,7]", "[0:50,7]"},
        {" [ 0 : 50 , 7 ] ", "[0:50,7]"},
        {"f([1,2], rows=[3:4])", "f([1,2] rows=[3:4])"},
        {"[ -1.5e3 , .5,1e-5 ,7]", "[-1.5e3,.5,1e-5,7]"},
        {"a[0]", "{[ a [0]}"},
        {"a [0] [1:2]", "{[ {[ a [0]} [1:2]}"},
        {"a(1)[0:3] ^ 2", "{^ {[ a(<1>) [0:3]} <2>}"},
        {"2*a^3*b", "{* <2> {^ a <3>} b}"},
        {"(a^2)[0] + (b*c)^4", "{+ {[ {^ a <2>} [0]} {^ {* b c} <4>}}"},
        {"f(a[0], k=b^2)", "f({[ a [0]} k={^ b <2>})"},
    };
    check_shapes(*state, cases, sizeof cases / sizeof *cases);
}

static void blanks_do_not_matter(void **state) {
    static const pair cases[] = {
        {"  rbf  ", "rbf"},
        {"\trbf\n(\r\n sigma = \v 2 \f)\n", "rbf(sigma=<2>)"},
        {"kpca ( dim = 3 , gram = exact )", "kpca(dim=<3> gram=exact)"},
        {" 2 * a + ( b ) ", "{+ {* <2> a} b}"},
    };
    check_shapes(*state, cases, sizeof cases / sizeof *cases);
}

static void quoted_words_hold_anything(void **state) {
    static const pair cases[] = {
        {"\"a b\"", "a b"},
        {"csv(label=\"petal, width\")", "csv(label=petal, width)"},
        {"csv(label=\"\")", "csv(label=)"},
        {"\"say \\\"so\\\"\"", "say \"so\""},
        {"\"back\\\\slash\"", "back\\slash"},
        {"\"\\n\"", "n"},
        {"\"caf\xc3\xa9\"", "caf\xc3\xa9"},
        {"\"=(,)+*[\"", "=(,)+*["},
        {"f(\"a\"=b)", NULL},
        {"\"a\"(1)", NULL},
        {"\"a\"b", NULL},
    };
    rkhs_env *env = *state;
    size_t good = 8;
    check_shapes(env, cases, good);
    for (size_t i = good; i < sizeof cases / sizeof *cases; i++) {
        rk_node *node;
        rk_begin_call(env);
        assert_int_equal(rk_parse_spec(env, "thing", cases[i].text, &node), RKHS_ERR_SPEC);
        rk_scratch_release(env, NULL);
    }
}

static void nodes_remember_where_they_stand_and_how_numbers_were_written(void **state) {
    rkhs_env *env = *state;
    rk_node *node;
    OK(env, rk_parse_spec(env, "thing", "f( 1e3, b=[ 1 ])", &node));
    assert_int_equal(node->at, 0);
    assert_int_equal(node->child->at, 3);
    assert_string_equal(node->child->text, "1e3");
    assert_int_equal(node->child->next->at, 10);
    assert_null(node->child->key);
    assert_null(node->next);
    rk_scratch_release(env, NULL);
}

/* ---- what is wrong, and where ---------------------------------------------------------------------------------- */

static void check_sentences(rkhs_env *env, const pair *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rk_node *node;
        rk_begin_call(env);
        assert_int_equal(rk_parse_spec(env, "kernel", cases[i].text, &node), RKHS_ERR_SPEC);
        if (!says(rkhs_env_message(env), cases[i].meant)) fail_msg("no '%s' in: %s", cases[i].meant, rkhs_env_message(env));
        rk_scratch_release(env, NULL);
    }
}

static void a_wrong_text_is_refused_with_its_place(void **state) {
    static const pair cases[] = {
        {"", "kernel | empty"},
        {" \n\t", "kernel | empty"},
        {"-", "'-' | number | position 1 | found '-'"},
        {"rbf(.)", "'rbf(.)' | number | position 5 | found '.'"},
        {"rbf(-inf)", "'rbf(-inf)' | number | position 5 | found '-'"},
        {"rbf( 0x10)", "'rbf( 0x10)' | number | position 6 | found '0'"},
        {"-nan", "'-nan' | number | position 1 | found '-'"},
        {"csv(label=\"abc", "'csv(label=\"abc' | closing quote | position 15 | found the end"},
        {"\"abc\\", "'\"abc\\' | closing quote | position 6 | found the end"},
        {"\"abc\\\"", "'\"abc\\\"' | closing quote | position 7 | found the end"},
        {"rbf(", "'rbf(' | name | position 5 | found the end"},
        {"rbf(sigma=", "'rbf(sigma=' | name | position 11 | found the end"},
        {"rbf(sigma=)", "'rbf(sigma=)' | name | position 11 | found ')'"},
        {"rbf(=1)", "'rbf(=1)' | name | position 5 | found '='"},
        {"rbf(,1)", "'rbf(,1)' | name | position 5 | found ','"},
        {"a +", "'a +' | name | position 4 | found the end"},
        {"a + + b", "'a + + b' | name | position 5 | found '+'"},
        {"+2", "'+2' | name | position 1 | found '+'"},
        {"*a", "'*a' | name | position 1 | found '*'"},
        {"2**a", "'2**a' | name | position 3 | found '*'"},
        {"()", "'()' | name | position 2 | found ')'"},
        {"\xc3\xa9", "'\xc3\xa9' | name | position 1 | found \\xc3"},
        {"a\x01", "'a\\x01' | end | position 2 | found \\x01"},
        {"rbf(1 2)", "'rbf(1 2)' | ',' or ')' | position 7 | found '2'"},
        {"rbf(1", "'rbf(1' | ',' or ')' | position 6 | found the end"},
        {"rbf(a=1=2)", "'rbf(a=1=2)' | ',' or ')' | position 8 | found '='"},
        {"rbf(1,)", "'rbf(1,)' | argument | position 7 | found ')'"},
        {"(a", "'(a' | ')' | position 3 | found the end"},
        {"(a b)", "'(a b)' | ')' | position 4 | found 'b'"},
        {"a b", "'a b' | end | position 3 | found 'b'"},
        {"2rbf", "'2rbf' | end | position 2 | found 'r'"},
        {"1e", "'1e' | end | position 2 | found 'e'"},
        {"1-2", "'1-2' | difference | position 2"},
        {"1,5", "'1,5' | end | position 2 | found ','"},
        {"rbf)", "'rbf)' | end | position 4 | found ')'"},
        {"rbf(1)(2)", "'rbf(1)(2)' | end | position 7 | found '('"},
        {"(a)(b)", "'(a)(b)' | end | position 4 | found '('"},
    };
    check_sentences(*state, cases, sizeof cases / sizeof *cases);
}

static void a_wrong_list_is_refused_with_its_place(void **state) {
    static const pair cases[] = {
        {"[]", "'[]' | number | position 2 | found ']'"},
        {"[,1]", "'[,1]' | number | position 2 | found ','"},
        {"[1,]", "'[1,]' | number | position 4 | found ']'"},
        {"[1:]", "'[1:]' | number | position 4 | found ']'"},
        {"[:1]", "'[:1]' | number | position 2 | found ':'"},
        {"[a]", "'[a]' | number | position 2 | found 'a'"},
        {"[-]", "'[-]' | number | position 2 | found '-'"},
        {"[+1]", "'[+1]' | number | position 2 | found '+'"},
        {"[-inf]", "'[-inf]' | number | position 2 | found '-'"},
        {"[0x10]", "'[0x10]' | number | position 2 | found '0'"},
        {"[1.5:2]", "'[1.5:2]' | ',' or ']' | position 5 | found ':'"},
        {"[1:2:3]", "'[1:2:3]' | ',' or ']' | position 5 | found ':'"},
        {"[1:2.5]", "'[1:2.5]' | range | whole numbers | [0:50]"},
        {"[1:-2]", "'[1:-2]' | range | whole numbers | [0:50]"},
        {"[1.5.5]", "'[1.5.5]' | ',' or ']' | position 5 | found '.'"},
        {"[1", "'[1' | ':', ',' or ']' | position 3 | found the end"},
        {"[", "'[' | number | position 2 | found the end"},
        {"[1 2]", "'[1 2]' | ':', ',' or ']' | position 4 | found '2'"},
        {"[0:1 0]", "'[0:1 0]' | ',' or ']' | position 6 | found '0'"},
        {"a[", "'a[' | number | position 3 | found the end"},
        {"a^", "'a^' | whole number | position 3 | found the end"},
        {"a^b", "'a^b' | whole number | position 3 | found 'b'"},
        {"a^-1", "'a^-1' | whole number | position 3 | found '-'"},
        {"a^2^3", "'a^2^3' | (k^2)[0:3] | position 4 | found '^'"},
        {"a^2[0]", "'a^2[0]' | (k^2)[0:3] | position 4 | found '['"},
    };
    check_sentences(*state, cases, sizeof cases / sizeof *cases);
}

static void brackets_nest_40_deep_and_no_deeper(void **state) {
    rkhs_env *env = *state;
    static const char *const open[] = {"(", "f(", "f(a=", "2*("};
    for (int way = 0; way < 4; way++) {
        for (int deep = 39; deep <= 42; deep++) {
            char text[1000] = "";
            rk_node *node;
            for (int i = 0; i < deep; i++) strcat(text, open[way]);
            strcat(text, "x");
            for (int i = 0; i < deep; i++) strcat(text, ")");
            rk_begin_call(env);
            if (deep <= 40)
                OK(env, rk_parse_spec(env, "kernel", text, &node));
            else
                FAILS(env, RKHS_ERR_SPEC, "...': brackets more than 40 deep", rk_parse_spec(env, "kernel", text, &node));
            rk_scratch_release(env, NULL);
        }
    }
    char *text = malloc(60001); /* deep enough for the stack, were it tried */
    memset(text, '(', 60000);
    text[60000] = 0;
    rk_node *node;
    FAILS(env, RKHS_ERR_SPEC, "brackets more than 40 deep", rk_parse_spec(env, "kernel", text, &node));
    rk_scratch_release(env, NULL);
    free(text);
}

static void a_text_has_65536_characters_at_most(void **state) {
    rkhs_env *env = *state;
    rk_node *node;
    char *text = malloc(65538);
    memset(text, 'a', 65537);
    text[65537] = 0;
    FAILS(env, RKHS_ERR_SPEC, "kernel | longer than 65536", rk_parse_spec(env, "kernel", text, &node));
    text[65536] = 0;
    rk_begin_call(env);
    OK(env, rk_parse_spec(env, "kernel", text, &node));
    assert_int_equal(strlen(node->text), 65536);
    rk_scratch_release(env, NULL);
    free(text);
}

static void lists_in_a_text_have_16_million_characters_at_most(void **state) {
    rkhs_env *env = *state;
    enum { MOST = 1 << 24 };
    rk_node *node;
    char *text = malloc(MOST + 10); /* mostly blanks: sanitizers measure a text when a number is read from it */
    memset(text, ' ', MOST + 9);
    memcpy(text, "a[1,2,", 6);
    strcpy(text + 2 + MOST - 1, "3]");
    OK(env, rk_parse_spec(env, "kernel", text, &node));
    assert_string_equal(node->child->next->text, "[1,2,3]");
    rk_scratch_release(env, NULL);
    strcpy(text + 2 + MOST - 1, "34]");
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_SPEC, "kernel | lists | longer than 16777216", rk_parse_spec(env, "kernel", text, &node));
    /* What only looks like a list is no way round. */
    memset(text, ',', 70000);
    memcpy(text, "f(\"[1\"", 6);
    strcpy(text + 70000, ")");
    for (int i = 7; i < 70000; i += 2) text[i] = 'b';
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_SPEC, "longer than 65536 characters", rk_parse_spec(env, "kernel", text, &node));
    free(text);
}

static void memory_for_a_text_grows_as_its_length(void **state) {
    rkhs_env *env = *state;
    static const char *const part[] = {"\"\",", "[1],", "a,", "1,"};
    for (int way = 0; way < 4; way++) {
        char *text = malloc(65537), *at = text;
        rk_node *node;
        at += sprintf(at, "f(");
        while (at - text < 65000) at += sprintf(at, "%s", part[way]);
        sprintf(at, "x)");
        atomic_store(&env->peak, 0);
        rk_begin_call(env);
        OK(env, rk_parse_spec(env, "kernel", text, &node));
        assert_true(rkhs_env_memory_peak(env) < 8 << 20);
        rk_scratch_release(env, NULL);
        free(text);
    }
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* Reads back as the same bits, and no fewer digits do. */
static void check_number(double value) {
    char text[40], shorter[400];
    assert_ptr_equal(rk_number_text(value, text), text);
    assert_null(strchr(text, ','));
    double back = rk_strtod(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0) fail_msg("%a became %s and %a", value, text, back);
    int digits = 0, ahead = 1;
    for (const char *c = text; *c && *c != 'e'; c++) {
        if (*c > '0' && *c <= '9') ahead = 0;
        digits += *c >= '0' && *c <= '9' && !ahead;
    }
    if (!strchr(text, '.') && !strchr(text, 'e')) /* 1200: the zeros are none of the digits */
        for (const char *c = text + strlen(text); c > text && c[-1] == '0'; c--) digits--;
    if (digits < 2) return;
    snprintf(shorter, sizeof shorter, "%.*g", digits - 1, value);
    if (strtod(shorter, NULL) == value) fail_msg("%a became %s, but %s is shorter", value, text, shorter);
}

static void numbers_as_text_read_back_as_the_same_bits(void **state) {
    static const struct {
        double value;
        const char *text;
    } known[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {100, "100"},
        {1e22, "1e+22"},
        {1e-9, "1e-09"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "5e-324"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    char text[40];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_string_equal(rk_number_text(known[i].value, text), known[i].text);
        if (isfinite(known[i].value)) check_number(known[i].value);
    }
    assert_string_equal(rk_number_text(NAN, text), "nan");
    check_number(DBL_MIN);
    check_number(nextafter(DBL_MIN, 0));
    check_number(-DBL_MAX);
    check_number(nextafter(1, 2));
    for (uint64_t i = 0; i < 6000; i++) {
        uint64_t w[4];
        double value;
        rk_random(11, RK_STREAM_TEST, i, 0, w);
        memcpy(&value, &w[0], sizeof value);
        if (isfinite(value)) check_number(value);
        w[1] = (w[1] & ~(UINT64_C(0x7ff) << 52)) >> (w[2] % 50); /* subnormal, of any size */
        memcpy(&value, &w[1], sizeof value);
        check_number(value);
        check_number((double)(int64_t)(w[3] % 2000001) / 1000 - 1000); /* as people write them */
        check_number(ldexp(1, (int)(w[2] >> 20) % 1074));
    }
}

static void numbers_are_read_as_in_c(void **state) {
    char *end;
    const char *text = "12.5e1rest";
    assert_true(rk_strtod(text, &end) == 125);
    assert_string_equal(end, "rest");
    assert_true(rk_strtod("1,5", &end) == 1);
    assert_string_equal(end, ",5");
}

/* ---- the program's locale -------------------------------------------------------------------------------------- */

/* What must not depend on it. */
static void check_in_any_locale(rkhs_env *env) {
    static const double values[] = {0.5, -1234567.25, 1e-300, 1.0 / 3};
    static const char *const texts[] = {"0.5", "-1234567.25", "1e-300", "0.3333333333333333"};
    char buffer[40];
    rkhs_kernel *k;
    rk_node *node;
    for (int i = 0; i < 4; i++) {
        assert_string_equal(rk_number_text(values[i], buffer), texts[i]);
        assert_true(rk_strtod(texts[i], NULL) == values[i]);
    }
    OK(env, rkhs_kernel_new(env, "1.5*rbf(gamma=0.25)", &k));
    assert_string_equal(rkhs_kernel_text(k), "1.5*rbf(gamma=0.25)");
    rkhs_kernel_free(k);
    FAILS(env, RKHS_ERR_SPEC, "',' or ')' | position 12 | found \\xe9", rkhs_kernel_new(env, "rbf(gamma=1\xe9)", &k));
    /* A letter in Latin-1, and a blank. */
    FAILS(env, RKHS_ERR_SPEC, "name | position 1 | found \\xe9", rkhs_kernel_new(env, "\xe9", &k));
    FAILS(env, RKHS_ERR_SPEC, "end | position 4 | found \\xa0", rkhs_kernel_new(env, "rbf\xa0", &k));
    rk_begin_call(env);
    assert_int_equal(rk_parse_spec(env, "number", "0,5", &node), RKHS_ERR_SPEC);
    rk_scratch_release(env, NULL);
}

static void remove_folder(const char *path) {
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char inner[600];
        if (e->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (unlink(inner) != 0) remove_folder(inner);
    }
    if (dir) closedir(dir);
    rmdir(path);
}

static void nothing_depends_on_the_programs_locale(void **state) {
    rkhs_env *env = *state;
    /* Made here if it can be, with a decimal comma and the letters of Latin-1; else what is installed. */
    static const char *const names[] = {"made", "de_DE", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    char folder[] = "/tmp/rkhs-locale-XXXXXX", command[200];
    int tried = 0;
    check_in_any_locale(env);
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "localedef -i de_DE -f ISO-8859-1 %s/made >/dev/null 2>&1", folder);
    if (system(command) == 0) setenv("LOCPATH", folder, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (i == 1) unsetenv("LOCPATH");
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0) {
            tried++;
            check_in_any_locale(env);
        }
        setlocale(LC_ALL, "C");
    }
    remove_folder(folder);
    if (!tried) skip();
}

/* ---- near names, index lists ----------------------------------------------------------------------------------- */

static void the_nearest_name_is_a_hint_not_a_guess(void **state) {
    static const char *const names[] = {"linear", "poly", "rbf", "laplacian", "cosine", "precomputed"};
    static const pair cases[] = {
        {"rbf", "rbf"},
        {"rfb", "rbf"},
        {"rb", "rbf"},
        {"rbff", "rbf"},
        {"RBF", "rbf"},
        {"lap", "laplacian"},
        {"lapacian", "laplacian"},
        {"liner", "linear"},
        {"Linaer", "linear"},
        {"cos", "cosine"},
        {"ploy", "poly"},
        {"precomp", "precomputed"},
        {"gaussian", NULL},
        {"", NULL},
        {"x", NULL},
        {"zzz", NULL},
        {"laplacelaplacelaplacelaplacelaplacelaplace", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = rk_nearest_name(cases[i].text, names, 6);
        if (!cases[i].meant && near) fail_msg("'%s' is near to %s", cases[i].text, near);
        if (cases[i].meant && (!near || strcmp(near, cases[i].meant) != 0))
            fail_msg("'%s' is near to %s", cases[i].text, near ? near : "none");
    }
    assert_null(rk_nearest_name("rbf", names, 0));
}

static void of_two_near_names_the_nearer_then_the_first_is_given(void **state) {
    static const char *const words[] = {"dims", "dim", "din"};
    static const char *const beginning[] = {"laplacian", "map"}, *const turned[] = {"map", "laplacian"};
    assert_string_equal(rk_nearest_name("dim", words, 3), "dim");
    assert_string_equal(rk_nearest_name("dip", words + 1, 2), "dim");
    assert_string_equal(rk_nearest_name("lap", beginning, 2), "laplacian");
    assert_string_equal(rk_nearest_name("lap", turned, 2), "map");
}

static void index_lists_are_spread_out(void **state) {
    rkhs_env *env = *state;
    int64_t *index, count;
    OK(env, rk_parse_indices(env, "rows", "[0:3,7,5:6,9]", 10, &index, &count));
    static const int64_t meant[] = {0, 1, 2, 7, 5, 9};
    assert_int_equal(count, 6);
    assert_memory_equal(index, meant, sizeof meant);
    OK(env, rk_parse_indices(env, "rows", "[4]", 5, &index, &count));
    assert_int_equal(count, 1);
    assert_int_equal(index[0], 4);
    OK(env, rk_parse_indices(env, "rows", "[0:1000]", 1000, &index, &count));
    assert_int_equal(count, 1000);
    for (int64_t i = 0; i < 1000; i++) assert_int_equal(index[i], i);
    OK(env, rk_parse_indices(env, "rows", "[1,1,1]", 2, &index, &count));
    assert_int_equal(count, 3);
    rk_scratch_release(env, NULL);
}

static void indices_out_of_range_are_refused(void **state) {
    rkhs_env *env = *state;
    static const pair cases[] = {
        {"[10]", "'[10]' | '10' | 0:10"},
        {"[0:3,7:11]", "'[0:3,7:11]' | '7:11' | 0:10"},
        {"[5:5]", "'5:5' | 0:10"},
        {"[6:5]", "'6:5' | 0:10"},
        {"[10:11]", "'10:11' | 0:10"},
        {"[9223372036854775807]", "'9223372036854775807' | 0:10"},
        {"[9223372036854775808]", "'9223372036854775808' | 0:10"},
        {"[0:99999999999999999999999999]", "is not inside 0:10"},
        {"[99999999999999999999999999:3]", "is not inside 0:10"},
        {"[1:9223372036854775807]", "is not inside 0:10"},
        {"[-1]", "'-1' | 0:10"},
        {"[-3:2]", "'-3:2' | 0:10"},
        {"[1:2:3]", "'[1:2:3]' | [0:50,7]"},
        {"[1;2]", "write it as [0:50,7]"},
        {"[1", "write it as [0:50,7]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t *index, count;
        rk_begin_call(env);
        FAILS(env, RKHS_ERR_SPEC, cases[i].meant, rk_parse_indices(env, "rows", cases[i].text, 10, &index, &count));
        rk_scratch_release(env, NULL);
    }
    int64_t *index, count;
    rk_begin_call(env);
    FAILS(env, RKHS_ERR_SPEC, "is not inside 0:9223372036854775807",
          rk_parse_indices(env, "rows", "[9223372036854775807]", INT64_MAX, &index, &count));
}

static void text_grows_as_it_is_added_to(void **state) {
    rkhs_env *env = *state;
    rk_text text = {.env = env};
    char number[16];
    for (int i = 0; i < 3000; i++) OK(env, rk_text_add(&text, "%d,", i));
    assert_int_equal(text.length, (int64_t)strlen(text.s));
    const char *at = text.s;
    for (int i = 0; i < 3000; i++) {
        int length = snprintf(number, sizeof number, "%d,", i);
        assert_memory_equal(at, number, (size_t)length);
        at += length;
    }
    assert_int_equal(*at, 0);
    rk_free(env, text.s);
}

static void a_sentence_has_no_character_that_steers_a_terminal(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *given, *said;
    } texts[] = {
        {"plain, \xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80", "plain, \xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80"},
        {"\x1b[2J\x07\x7f a\nb\tc\r", "\\x1b[2J\\x07\\x7f a\\nb\\tc\\x0d"},
        {"\xc2\x9b"
         "1m \xe2\x80\xae \xe2\x81\xa6 \xe2\x80\xa8 \xef\xbb\xbf",
         "\\u009b1m \\u202e \\u2066 \\u2028 \\ufeff"},
        {"\xff \xc3 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80", "\\xff \\xc3 \\xc0\\xaf \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80"},
        {"\xf0\x9f\xbf\xbf\xe2\x97", "\\U0001ffff\\xe2\\x97"},
        {"\xef\xbf\xbd", "\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rk_begin_call(env);
        rk_fail(env, RKHS_ERR_DATA, "%s", texts[i].given);
        assert_string_equal(rkhs_env_message(env), texts[i].said);
    }
    char small[8];
    rk_text_visible("abc\x1b"
                    "d",
                    small, sizeof small); /* a piece is shown whole or not at all */
    assert_string_equal(small, "abc\\x1b");
    rk_text_visible("abcd\x1b", small, sizeof small);
    assert_string_equal(small, "abcd");
}

static void a_noun_agrees_with_its_number(void **state) {
    assert_string_equal(rk_counted(1, "row").text, "1 row");
    assert_string_equal(rk_counted(0, "row").text, "0 rows");
    assert_string_equal(rk_counted(-1, "edge").text, "-1 edges");
    assert_string_equal(rk_counted(2, "class").text, "2 classes");
    assert_string_equal(rk_counted(1, "class").text, "1 class");
    assert_string_equal(rk_counted(7, "vertex").text, "7 vertices");
    assert_string_equal(rk_counted(INT64_MAX, "different character").text, "9223372036854775807 different characters");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_noun_agrees_with_its_number),
        ENV_TEST(specs_are_read_as_the_grammar_says),
        ENV_TEST(blanks_do_not_matter),
        ENV_TEST(quoted_words_hold_anything),
        ENV_TEST(nodes_remember_where_they_stand_and_how_numbers_were_written),
        ENV_TEST(a_wrong_text_is_refused_with_its_place),
        ENV_TEST(a_wrong_list_is_refused_with_its_place),
        ENV_TEST(brackets_nest_40_deep_and_no_deeper),
        ENV_TEST(a_text_has_65536_characters_at_most),
        ENV_TEST(lists_in_a_text_have_16_million_characters_at_most),
        ENV_TEST(memory_for_a_text_grows_as_its_length),
        ENV_TEST(numbers_as_text_read_back_as_the_same_bits),
        ENV_TEST(numbers_are_read_as_in_c),
        ENV_TEST(nothing_depends_on_the_programs_locale),
        ENV_TEST(the_nearest_name_is_a_hint_not_a_guess),
        ENV_TEST(of_two_near_names_the_nearer_then_the_first_is_given),
        ENV_TEST(index_lists_are_spread_out),
        ENV_TEST(indices_out_of_range_are_refused),
        ENV_TEST(a_sentence_has_no_character_that_steers_a_terminal),
        ENV_TEST(text_grows_as_it_is_added_to),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
