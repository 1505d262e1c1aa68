/* Specs: every type of every list is made from its own table, refuses what the table does not allow, and reads back. */
#include "env.h"

#include "io/io.h"
#include "model/model.h"
#include "score/score.h"

static const rk_list *const lists[] = {&rk_models,     &rk_kernels, &rk_grams,   &rk_eigensolvers, &rk_linsolvers,
                                       &rk_optimisers, &rk_scores,  &rk_formats, &rk_samples,      &rk_augments};

enum { LISTS = sizeof lists / sizeof *lists };

/* Every type, and every parameter of each; NULL parameters come as none. */
#define EACH_TYPE(list, e)                                                                                                     \
    for (int list##_i = 0; list##_i < LISTS; list##_i++)                                                                       \
        for (const rk_list *list = lists[list##_i]; list; list = NULL)                                                         \
            for (const rk_entry *const *e##_at = list->entries, *e; (e = *e##_at); e##_at++)
#define EACH_PARAM(e, p) for (const rk_param *p = (e)->params; p && p->name; p++)

/* A spec's own text; free it. */
static char *text_of(rkhs_env *env, const rk_spec *s) {
    rk_text text = {.env = env};
    OK(env, rk_spec_text(s, &text));
    return text.s;
}

/* The text of what a text makes; free it. */
static char *through(rkhs_env *env, const rk_list *list, const char *text) {
    rk_spec *s;
    rk_begin_call(env);
    if (rk_spec_new(env, list, text, &s) != RKHS_OK) fail_msg("'%s': %s", text, rkhs_env_message(env));
    char *out = text_of(env, s);
    rk_spec_free(env, s);
    return out;
}

/* The text makes something, and what that writes makes the same. */
static void check_round_trip(rkhs_env *env, const rk_list *list, const char *text) {
    char *once = through(env, list, text), *twice = through(env, list, once);
    assert_string_equal(once, twice);
    rk_free(env, once);
    rk_free(env, twice);
}

/* Two texts make the same. */
static void check_same(rkhs_env *env, const rk_list *list, const char *a, const char *b) {
    char *x = through(env, list, a), *y = through(env, list, b);
    assert_string_equal(x, y);
    rk_free(env, x);
    rk_free(env, y);
}

/* The text is refused with a sentence that contains `part`, and nothing is kept. */
static void check_refused(rkhs_env *env, const rk_list *list, const char *text, const char *part) {
    rk_spec *s = (rk_spec *)(uintptr_t)list;
    rk_begin_call(env);
    rkhs_status status = rk_spec_new(env, list, text, &s);
    if (status != RKHS_ERR_SPEC) fail_msg("'%s' gave %d", text, status);
    if (!says(rkhs_env_message(env), part)) fail_msg("'%s': no '%s' in: %s", text, part, rkhs_env_message(env));
    assert_null(s);
    assert_int_equal(atomic_load(&env->used), 0);
}

/* A value that the parameter takes, other than its default where it can be. */
static const char *good_value(const rk_param *p, char buffer[64]) {
    int any = p->min == 0 && p->max == 0 && !p->min_excluded;
    switch (p->kind) {
    case RK_INT: snprintf(buffer, 64, "%.0f", any ? 17 : fmin(p->min + 1, p->max > p->min ? p->max : p->min + 1)); break;
    case RK_REAL:
    case RK_BANDWIDTH: rk_number_text(any ? 0.1 : p->max > p->min ? fmin(p->min + 0.3, p->max) : p->min + 0.3, buffer); break;
    case RK_BOOL: strcpy(buffer, "true"); break;
    case RK_CHOICE: rk_choice_text(p->choices, 1, buffer); break;
    case RK_LIST: strcpy(buffer, "[0:3,5]"); break;
    case RK_SPEC: strcpy(buffer, p->list->entries[0]->name); break;
    case RK_WORD: strcpy(buffer, "\"two words\""); break;
    case RK_REALS: strcpy(buffer, any ? "[0.1,3e-200]" : "[3,7]"); break; /* as many as the one that has bounds takes */
    }
    return buffer;
}

static size_t slot_size(rk_param_kind kind) {
    static const size_t sizes[] = {
        [RK_INT] = sizeof(int64_t),
        [RK_REAL] = sizeof(double),
        [RK_BOOL] = sizeof(int),
        [RK_CHOICE] = sizeof(int),
        [RK_BANDWIDTH] = sizeof(rk_bandwidth),
        [RK_LIST] = sizeof(char *),
        [RK_SPEC] = sizeof(rk_spec *),
        [RK_WORD] = sizeof(char *),
        [RK_REALS] = sizeof(rk_reals),
    };
    return sizes[kind];
}

/* ---- the tables themselves ------------------------------------------------------------------------------------- */

static void every_type_has_a_name_a_sentence_and_slots_inside_its_struct(void **state) {
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
    EACH_TYPE(list, e) {
        assert_non_null(e->brief);
        assert_true(strlen(e->name) > 0 && strspn(e->name, letters) == strlen(e->name));
        for (const rk_entry *const *d = list->entries; *d != e; d++) assert_string_not_equal((*d)->name, e->name);
        int count = 0;
        EACH_PARAM(e, p) {
            count++;
            assert_non_null(p->brief);
            assert_true(strlen(p->name) > 0 && strspn(p->name, letters) == strlen(p->name));
            assert_true(p->offset + slot_size(p->kind) <= e->size);
            assert_int_equal(p->kind == RK_CHOICE || p->kind == RK_BANDWIDTH, p->choices != NULL);
            assert_true(p->kind == RK_SPEC ? p->list != NULL : p->kind == RK_WORD || p->list == NULL);
            for (const rk_param *q = e->params; q < p; q++) {
                assert_string_not_equal(q->name, p->name);
                assert_true(q->offset + slot_size(q->kind) <= p->offset || p->offset + slot_size(p->kind) <= q->offset);
            }
        }
        assert_true(count <= 64); /* bits of what is given */
    }
}

static void the_public_lists_show_the_tables(void **state) {
    static const char *const kinds[] = {
        [RK_INT] = "integer",
        [RK_REAL] = "real",
        [RK_BOOL] = "true|false",
        [RK_CHOICE] = "choice",
        [RK_BANDWIDTH] = "real or bandwidth rule",
        [RK_LIST] = "indices",
        [RK_SPEC] = "spec",
        [RK_WORD] = "word",
        [RK_REALS] = "numbers",
    };
    rkhs_type type;
    rkhs_param param;
    int listed = 0;
    while (rkhs_list_name(listed)) listed++;
    assert_int_equal(listed, LISTS);
    assert_null(rkhs_list_name(-1));
    for (int l = 0; l < LISTS; l++) {
        assert_string_equal(rkhs_list_name(l), lists[l]->name);
        int count = 0;
        for (; lists[l]->entries[count]; count++) {
            const rk_entry *e = lists[l]->entries[count];
            assert_true(rkhs_list_type(lists[l]->name, count, &type));
            assert_string_equal(type.name, e->name);
            assert_string_equal(type.brief, e->brief);
            int i = 0;
            EACH_PARAM(e, p) {
                assert_true(rkhs_list_param(lists[l]->name, e->name, i++, &param));
                assert_string_equal(param.name, p->name);
                assert_string_equal(param.kind, kinds[p->kind]);
                assert_ptr_equal(param.value, p->value);
                assert_ptr_equal(param.brief, p->brief);
                assert_ptr_equal(param.aliases, p->aliases);
                if (p->choices) assert_non_null(strstr(param.bounds, p->choices));
                if (p->list) assert_string_equal(param.bounds, p->list->name);
                assert_true(strlen(param.bounds) < sizeof param.bounds - 1); /* nothing was cut */
                rkhs_param copy = param;                                     /* independent of its source */
                memset(param.bounds, 'x', sizeof param.bounds);
                if (p->choices) assert_non_null(strstr(copy.bounds, p->choices));
                if (p->kind == RK_INT && p->max < 1e8) assert_non_null(strstr(copy.bounds, " to "));
            }
            assert_false(rkhs_list_param(lists[l]->name, e->name, i, &param));
            assert_false(rkhs_list_param(lists[l]->name, e->name, -1, &param));
        }
        assert_true(count > 0);
        assert_false(rkhs_list_type(lists[l]->name, count, &type));
        assert_false(rkhs_list_type(lists[l]->name, -1, &type));
    }
    assert_false(rkhs_list_type("nothing", 0, &type));
    assert_false(rkhs_list_type(NULL, 0, &type));
    assert_false(rkhs_list_param("kernels", "nothing", 0, &param));
    assert_false(rkhs_list_param("kernels", NULL, 0, &param));
}

static void every_default_is_within_its_own_bounds(void **state) {
    rkhs_env *env = *state;
    char text[400];
    EACH_TYPE(list, e) {
        EACH_PARAM(e, p) {
            if (!p->value) continue;
            char *end;
            double v = strtod(p->value, &end);
            int number = *end == 0, any = p->min == 0 && p->max == 0 && !p->min_excluded;
            if (p->kind == RK_INT || p->kind == RK_REAL) assert_true(number);
            if (number && !any) {
                assert_true(p->min_excluded ? v > p->min : v >= p->min);
                if (p->max > p->min) assert_true(v <= p->max);
            }
            snprintf(text, sizeof text, "%s(%s=%s)", e->name, p->name, p->value);
            check_same(env, list, text, e->name); /* the default, said aloud */
        }
    }
}

/* ---- every type: what it takes --------------------------------------------------------------------------------- */

static void every_type_with_its_defaults_reads_back(void **state) {
    rkhs_env *env = *state;
    char text[100];
    EACH_TYPE(list, e) {
        rk_spec *s, *copy;
        snprintf(text, sizeof text, " %s ( ) ", e->name);
        check_round_trip(env, list, e->name);
        check_same(env, list, e->name, text);
        OK(env, rk_spec_new(env, list, e->name, &s));
        assert_ptr_equal(s->entry, e);
        OK(env, rk_spec_copy(env, s, &copy));
        char *a = text_of(env, s);
        rk_spec_free(env, s);
        char *b = text_of(env, copy);
        assert_string_equal(a, b);
        assert_memory_equal(a, e->name, strlen(e->name));
        rk_spec_free(env, copy);
        rk_free(env, a);
        rk_free(env, b);
    }
}

static void every_parameter_alone_and_all_together_read_back(void **state) {
    rkhs_env *env = *state;
    char text[2000], value[64], piece[200];
    EACH_TYPE(list, e) {
        char all[1000] = "";
        EACH_PARAM(e, p) {
            snprintf(text, sizeof text, "%s(%s=%s)", e->name, p->name, good_value(p, value));
            check_round_trip(env, list, text);
            char *made = through(env, list, text);
            snprintf(piece, sizeof piece, "%s=%s", p->name, p->kind == RK_SPEC ? "" : good_value(p, value));
            if (!strstr(made, piece)) fail_msg("no '%s' in %s", piece, made);
            rk_free(env, made);
            if (p->replaces) continue;
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s=%s", all[0] ? ", " : "", p->name, good_value(p, value));
        }
        snprintf(text, sizeof text, "%s(%s)", e->name, all);
        check_round_trip(env, list, text);
    }
}

static void every_alias_stands_for_its_parameter_and_not_for_another(void **state) {
    rkhs_env *env = *state;
    char value[64], alias[64], text[2][300];
    int found = 0;
    EACH_TYPE(list, e) EACH_PARAM(e, p) {
        for (int i = 0; p->aliases && rk_choice_text(p->aliases, i, alias)[0]; i++, found++) {
            EACH_PARAM(e, q) assert_string_not_equal(q->name, alias);
            const char *v = good_value(p, value);
            snprintf(text[0], sizeof *text, "%s(%s=%s)", e->name, p->name, v);
            snprintf(text[1], sizeof *text, "%s(%s=%s)", e->name, alias, v);
            check_same(env, list, text[0], text[1]);
            snprintf(text[0], sizeof *text, "%s(%s=%s, %s=%s)", e->name, alias, v, p->name, v);
            snprintf(text[1], sizeof *text, "%s is given twice", p->name);
            check_refused(env, list, text[0], text[1]);
        }
    }
    assert_true(found > 30);
}

static void values_in_order_are_the_same_as_by_name(void **state) {
    rkhs_env *env = *state;
    char value[64];
    EACH_TYPE(list, e) {
        char order[1000] = "", named[1000] = "", turned[1000] = "", text[2][1100];
        int count = 0;
        EACH_PARAM(e, p) {
            if (p->replaces) break;
            const char *v = good_value(p, value);
            char before[1000];
            strcpy(before, turned);
            snprintf(order + strlen(order), sizeof order - strlen(order), "%s%s", count ? "," : "", v);
            snprintf(named + strlen(named), sizeof named - strlen(named), "%s%s=%s", count ? ", " : "", p->name, v);
            snprintf(turned, sizeof turned, "%s=%s%s%.900s", p->name, v, count++ ? "," : "", before);
        }
        snprintf(text[0], sizeof text[0], "%s(%s)", e->name, order);
        snprintf(text[1], sizeof text[1], "%s(%s)", e->name, named);
        check_same(env, list, text[0], text[1]);
        snprintf(text[0], sizeof text[0], "%s(%s)", e->name, turned);
        check_same(env, list, text[0], text[1]);
    }
}

/* ---- every type: what it refuses ------------------------------------------------------------------------------- */

static void an_unknown_type_is_refused_with_the_nearest(void **state) {
    rkhs_env *env = *state;
    char text[200], part[300];
    EACH_TYPE(list, e) {
        snprintf(text, sizeof text, "%sx", e->name);
        snprintf(part, sizeof part, "there is no %s '%sx'; did you mean %s?", list->what, e->name, e->name);
        check_refused(env, list, text, part);
        snprintf(part, sizeof part, "there is no %s 'qqqqqq'", list->what);
        check_refused(env, list, "qqqqqq", part);
        snprintf(part, sizeof part, "list=%s", list->name);
        assert_string_equal(rkhs_env_hint(env), part);
        snprintf(part, sizeof part, "a %s begins with its name, as in '%s', not with 3", list->what, list->entries[0]->name);
        check_refused(env, list, "3", part);
        snprintf(text, sizeof text, "%s + %s", e->name, e->name);
        snprintf(part, sizeof part, "a %s begins with its name, as in '%s'", list->what, list->entries[0]->name);
        check_refused(env, list, text, part);
    }
}

static void an_unknown_parameter_is_refused_with_the_nearest(void **state) {
    rkhs_env *env = *state;
    char text[200], part[200];
    EACH_TYPE(list, e) {
        int any = 0;
        EACH_PARAM(e, p) {
            any = 1;
            snprintf(text, sizeof text, "%s(%sx=1)", e->name, p->name);
            snprintf(part, sizeof part, "%s has no parameter '%sx' (did you mean %s?): it takes %s", e->name, p->name, p->name,
                     e->params->name);
            check_refused(env, list, text, part);
        }
        snprintf(text, sizeof text, "%s(qqqqqq=1)", e->name);
        snprintf(part, sizeof part, "%s has no parameter 'qqqqqq': it takes %s", e->name, any ? "" : "none");
        check_refused(env, list, text, part);
    }
}

static void numbers_out_of_bounds_are_refused(void **state) {
    rkhs_env *env = *state;
    char text[200], part[200];
    EACH_TYPE(list, e) {
        EACH_PARAM(e, p) {
            if (p->kind != RK_INT && p->kind != RK_REAL && p->kind != RK_BANDWIDTH) continue;
            if (p->min != 0 || p->max != 0 || p->min_excluded) {
                double low = p->min_excluded ? p->min : p->min - 1;
                snprintf(text, sizeof text, "%s(%s=%.17g)", e->name, p->name, low);
                snprintf(part, sizeof part, "%s: %s must be %s %.15g, not %.15g", e->name, p->name,
                         p->min_excluded ? "above" : "at least", p->min, low);
                check_refused(env, list, text, part);
                snprintf(text, sizeof text, "%s(%s=-1e200)", e->name, p->name);
                check_refused(env, list, text, " must be ");
            }
            if (p->max > p->min && p->max < 1e300) {
                snprintf(text, sizeof text, "%s(%s=%.17g)", e->name, p->name, p->max * 2);
                snprintf(part, sizeof part, "%s: %s must be at most %.15g, not %.15g", e->name, p->name, p->max, p->max * 2);
                check_refused(env, list, text, part);
                snprintf(text, sizeof text, "%s(%s=%.17g)", e->name, p->name, p->max); /* the bound itself is inside */
                check_round_trip(env, list, text);
            }
            if (!p->min_excluded && p->min != 0) {
                snprintf(text, sizeof text, "%s(%s=%.17g)", e->name, p->name, p->min);
                check_round_trip(env, list, text);
            }
            snprintf(text, sizeof text, "%s(%s=1e999)", e->name, p->name);
            snprintf(part, sizeof part, "%s: %s must be finite, not 1e999", e->name, p->name);
            check_refused(env, list, text, part);
            snprintf(text, sizeof text, "%s(%s=%.17g)", e->name, p->name, p->min + 0.5);
            snprintf(part, sizeof part, "%s: %s must be a whole number, not %.17g", e->name, p->name, p->min + 0.5);
            if (p->kind == RK_INT) check_refused(env, list, text, part);
        }
    }
}

static void values_of_the_wrong_kind_are_refused(void **state) {
    rkhs_env *env = *state;
    static const char *const wrong[] = {"qqqqqq", "[1]", "a + b", "2*3", "rbf(1)*2", "qqqqqq(1)", "\"\"", "-5"};
    /* Which of these each kind must refuse; a word takes some. */
    static const char *const refused[] = {
        [RK_INT] = "1111111.",    [RK_REAL] = "1111111.",      [RK_BOOL] = "11111111",
        [RK_CHOICE] = "11111111", [RK_BANDWIDTH] = "1111111.", [RK_LIST] = "1.111111",
        [RK_SPEC] = "11111111",   [RK_WORD] = ".11111..",      [RK_REALS] = "1.111111",
    };
    char text[200], part[200];
    EACH_TYPE(list, e) {
        EACH_PARAM(e, p) {
            for (int i = 0; i < 8; i++) {
                if (refused[p->kind][i] != '1' || (p->kind == RK_WORD && p->list && i == 5)) continue; /* a spec */
                snprintf(text, sizeof text, "%s(%s=%s)", e->name, p->name, wrong[i]);
                snprintf(part, sizeof part, "%s: %s must be ", e->name, p->name);
                check_refused(env, list, text, p->kind == RK_SPEC ? p->list->what : part);
            }
            if (p->kind == RK_CHOICE) {
                snprintf(text, sizeof text, "%s(%s=qqqqqq)", e->name, p->name);
                snprintf(part, sizeof part, "must be %s, not qqqqqq", p->choices);
                check_refused(env, list, text, part);
                snprintf(text, sizeof text, "%s(%s=\"%s\")", e->name, p->name, p->choices); /* all of them together */
                check_refused(env, list, text, "must be ");
            }
        }
    }
}

static void a_parameter_given_twice_is_refused(void **state) {
    rkhs_env *env = *state;
    char text[1200], part[100], value[64];
    EACH_TYPE(list, e) {
        int count = 0;
        char many[1000] = "";
        EACH_PARAM(e, p) {
            good_value(p, value);
            snprintf(part, sizeof part, "%s: %s is given twice", e->name, p->name);
            snprintf(text, sizeof text, "%s(%s=%s, %s=%s)", e->name, p->name, value, p->name, value);
            check_refused(env, list, text, part);
            if (count == 0) {
                snprintf(text, sizeof text, "%s(%s, %s=%s)", e->name, value, p->name, value);
                check_refused(env, list, text, part);
                snprintf(text, sizeof text, "%s(%s=%s, %s)", e->name, p->name, value, value);
                check_refused(env, list, text, part);
            }
            snprintf(many + strlen(many), sizeof many - strlen(many), "%s, ", value);
            count++;
        }
        snprintf(text, sizeof text, "%s(%s1)", e->name, many);
        snprintf(part, sizeof part, "%s takes %d parameter%s, but more are given", e->name, count, count == 1 ? "" : "s");
        check_refused(env, list, text, part);
    }
}

static void one_thing_given_in_two_ways_is_refused(void **state) {
    rkhs_env *env = *state;
    int pairs = 0;
    char text[300], part[100], a[64], b[64];
    EACH_TYPE(list, e) {
        EACH_PARAM(e, p) {
            if (!p->replaces) continue;
            EACH_PARAM(e, q) {
                if (strcmp(q->name, p->replaces) != 0) continue;
                pairs++;
                good_value(p, a);
                good_value(q, b);
                snprintf(part, sizeof part, "%s: %s is given in two ways: keep one", e->name, q->name);
                snprintf(text, sizeof text, "%s(%s=%s, %s=%s)", e->name, p->name, a, q->name, b);
                check_refused(env, list, text, part);
                snprintf(text, sizeof text, "%s(%s=%s, %s=%s)", e->name, q->name, b, p->name, a);
                check_refused(env, list, text, part);
                /* Alone, it drives out the other's default. */
                snprintf(text, sizeof text, "%s(%s=%s)", e->name, p->name, a);
                char *made = through(env, list, text);
                snprintf(part, sizeof part, "%s=", q->name);
                assert_null(strstr(made, part));
                rk_free(env, made);
            }
        }
    }
    assert_true(pairs >= 2); /* rbf and laplacian: gamma in place of sigma */
}

/* ---- kinds of values ------------------------------------------------------------------------------------------- */

static void rules_take_a_number_a_name_or_a_name_with_its_argument(void **state) {
    rkhs_env *env = *state;
    check_same(env, &rk_kernels, "rbf(sigma=knn)", "rbf(sigma=knn(k=10))");
    check_same(env, &rk_kernels, "rbf(knn(3))", "rbf(sigma=knn(k=3))");
    check_same(env, &rk_kernels, "rbf(median())", "rbf(sigma=median)");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(0))", "rbf | sigma=knn | k | above 0 | not 0 | 10");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(2.5))", "rbf | sigma=knn | k | below 1 | not 2.5");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(1, 2, 3))", "rbf | sigma=knn | 2 parameters");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(1, 0))", "rbf | sigma=knn | times | above 0");
    check_same(env, &rk_kernels, "rbf(sigma=knn(3, 0.5))", "rbf(sigma=knn(times=0.5, k=3))");
    check_same(env, &rk_kernels, "rbf(sigma=knn(0.025, 3))", "rbf(sigma=knn(times=3, k=0.025))");
    check_same(env, &rk_models, "kae(embedding_kernel=rbf(sigma=knn(5, 2)))", "kae(embedding_kernel=\"rbf(sigma=knn(5,2))\")");
    check_same(env, &rk_models, "kae(embedding_kernel=matern(sigma=1, nu=1.5))",
               "kae(embedding_kernel=\"matern(sigma=1,nu=1.5)\")");
    check_refused(env, &rk_models, "kae(embedding_kernel=rbf + linear)", "kae | embedding_kernel | quotes");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(j=1))", "rbf | sigma=knn | j | k, times");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(k=1, k=2))", "rbf | sigma=knn | k | twice");
    check_refused(env, &rk_kernels, "rbf(sigma=knn(x))", "rbf | sigma=knn | k | not x");
    check_refused(env, &rk_kernels, "rbf(sigma=median(3))", "rbf | sigma=median | brackets");
    check_refused(env, &rk_kernels, "rbf(sigma=medain)", "rbf | sigma | median|knn | medain | mean median");
    check_refused(env, &rk_kernels, "rbf(sigma=\"\")", "rbf | sigma | median|knn");
    char *text = through(env, &rk_kernels, "rbf(sigma=knn(7))");
    assert_string_equal(text, "rbf(sigma=knn(7))");
    rk_free(env, text);
}

static void specs_inside_specs_are_named_whole(void **state) {
    rkhs_env *env = *state;
    check_refused(env, &rk_models, "kpca(gram=nystrm)", "gram | 'nystrm' | nystrom");
    check_refused(env, &rk_models, "kpca(gram=nystrom(landmark=3))",
                  "nystrom | 'landmark' | mean landmarks | landmarks, by, rows");
    check_refused(env, &rk_models, "kpca(gram=3)", "gram | 'auto' | with 3");
    char *text = through(env, &rk_models, "kpca(3, nystrom(7, uniform), lanczos(max_iter=9))");
    assert_string_equal(text,
                        "kpca(dim=3, gram=nystrom(landmarks=7, by=uniform), solver=lanczos(tol=1e-12, max_iter=9, block=0), "
                        "negative=clip)");
    rk_free(env, text);
}

static void any_word_reads_back(void **state) {
    rkhs_env *env = *state;
    static const char *const words[] = {"",     "a",    "a b",  "007",   "7", "-1",  "1e3",  "_",           "a-b",
                                        "\"",   "\\",   "\\\"", "a\\",   "(", "x=y", "a,b)", "caf\xc3\xa9", "\n\t",
                                        "%s%n", "true", "+",    "9lives"};
    const rk_entry *csv = rk_list_find(&rk_formats, "csv");
    size_t offset = 0;
    EACH_PARAM(csv, p) if (strcmp(p->name, "label") == 0) offset = p->offset;
    for (size_t i = 0; i < sizeof words / sizeof *words + 500; i++) {
        char word[40] = "", text[200] = "csv(label=\"";
        if (i < sizeof words / sizeof *words)
            strcpy(word, words[i]);
        else
            for (uint64_t c = 0, length = (uint64_t)i % 12; c < length; c++) /* never a zero */
                word[c] = (char)(1 + (int)(255 * rk_uniform(3, RK_STREAM_TEST, i, c)) % 255);
        for (const char *c = word; *c; c++) snprintf(text + strlen(text), 4, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        strcat(text, "\")");
        check_round_trip(env, &rk_formats, text);
        char *made = through(env, &rk_formats, text);
        rk_spec *s, *copy;
        OK(env, rk_spec_new(env, &rk_formats, made, &s));
        OK(env, rk_spec_copy(env, s, &copy));
        assert_string_equal(*(char **)((char *)copy->self + offset), word);
        rk_spec_free(env, s);
        rk_spec_free(env, copy);
        rk_free(env, made);
    }
    check_same(env, &rk_formats, "csv(label=-1)", "csv(label=\"-1\")");
    check_same(env, &rk_formats, "csv(label=species)", "csv(label=\"species\")");
}

static void every_failed_allocation_is_survived(void **state) {
    rkhs_env *env = *state;
    static const char *const text = "kpca(3, nystrom(landmarks=7, by=given, rows=[0:3]), lanczos(tol=1e-3), flip)";
    int64_t k = 0;
    for (;; k++) {
        rk_spec *s, *copy = NULL;
        rk_text out = {.env = env};
        rk_begin_call(env);
        env->allocations = 0;
        env->fail_at = k;
        rkhs_status status = rk_spec_new(env, &rk_models, text, &s);
        if (status == RKHS_OK) status = rk_spec_copy(env, s, &copy);
        if (status == RKHS_OK) status = rk_spec_text(copy, &out);
        rk_spec_free(env, s);
        rk_spec_free(env, copy);
        rk_free(env, out.s);
        assert_int_equal(atomic_load(&env->used), 0);
        if (status == RKHS_OK) break;
        assert_int_equal(status, RKHS_ERR_MEMORY);
    }
    env->fail_at = -1;
    assert_true(k > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_type_has_a_name_a_sentence_and_slots_inside_its_struct),
        ENV_TEST(the_public_lists_show_the_tables),
        ENV_TEST(every_default_is_within_its_own_bounds),
        ENV_TEST(every_type_with_its_defaults_reads_back),
        ENV_TEST(every_parameter_alone_and_all_together_read_back),
        ENV_TEST(every_alias_stands_for_its_parameter_and_not_for_another),
        ENV_TEST(values_in_order_are_the_same_as_by_name),
        ENV_TEST(an_unknown_type_is_refused_with_the_nearest),
        ENV_TEST(an_unknown_parameter_is_refused_with_the_nearest),
        ENV_TEST(numbers_out_of_bounds_are_refused),
        ENV_TEST(values_of_the_wrong_kind_are_refused),
        ENV_TEST(a_parameter_given_twice_is_refused),
        ENV_TEST(one_thing_given_in_two_ways_is_refused),
        ENV_TEST(rules_take_a_number_a_name_or_a_name_with_its_argument),
        ENV_TEST(specs_inside_specs_are_named_whole),
        ENV_TEST(any_word_reads_back),
        ENV_TEST(every_failed_allocation_is_survived),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
