/* test_estimate.c: how long a fit takes, from given rates: every model states its costs, and the sentence names what
 * takes less. No test measures time. */
#include "model/estimate.h"
#include "contract/fixtures.h"

#include <stdlib.h>
#include <string.h>

static const rk_rates RATES = {.value = 2e-9, .flop = 2e-11, .pair = 2e-9, .number = 3e-10, .fresh = 3e-10, .threads = 1};

/* The plan of a model on n objects of 3 columns. landmarks 0: the exact Gram, or none if the model needs none. */
static rk_plan plan_of(const rkhs_model *m, int64_t n, int64_t landmarks) {
    unsigned needs = m->type->need.offers;
    return (rk_plan){.type = m->type,
                     .self = m->spec->self,
                     .offers = landmarks ? RK_FEATURES
                               : needs   ? RK_MATRIX | RK_PRODUCTS
                                         : RK_PRODUCTS,
                     .landmarks = landmarks,
                     .psd = 1,
                     .n = n,
                     .dim = 2,
                     .columns = 3,
                     .rows = n,
                     .growth = 1,
                     .room = 1e15};
}

static void text_of(rkhs_env *env, const char *spec, int64_t n, int64_t landmarks, char *sentence, char *hint) {
    rkhs_model *m;
    FINE(env, rkhs_model_new(env, spec, &m));
    rk_plan p = plan_of(m, n, landmarks);
    rk_estimate_text(&p, &RATES, sentence, hint);
    rkhs_model_free(m);
}

static void every_model_states_costs_that_grow(void **state) {
    rkhs_env *env = *state;
    for (int i = 0; rk_models.entries[i]; i++) {
        rkhs_model *m;
        double before = 0;
        LOOK_AT("%s", rk_models.entries[i]->name);
        FINE(env, rkhs_model_new(env, rk_models.entries[i]->name, &m));
        HOLDS(m->type->cost != NULL);
        for (int64_t n = 10; n <= 100000; n *= 10) {
            rk_plan p = plan_of(m, n, 0);
            rk_estimate now = rk_estimate_fit(&p, &RATES);
            HOLDS(isfinite(now.seconds) && now.seconds > 3 * before && now.bytes > 0);
            HOLDS(n > 100 || now.seconds < 1);
            before = now.seconds;
            rk_rates two = RATES;
            two.threads = 2;
            double half = rk_estimate_fit(&p, &two).seconds;
            HOLDS(half < now.seconds && half >= now.seconds / 2 * 0.999);
        }
        rkhs_model_free(m);
    }
}

static void short_fits_are_not_talked_about(void **state) {
    rkhs_env *env = *state;
    char sentence[RK_ESTIMATE_ROOM], hint[64];
    for (int i = 0; rk_models.entries[i]; i++) {
        LOOK_AT("%s", rk_models.entries[i]->name);
        text_of(env, rk_models.entries[i]->name, 500, 0, sentence, hint);
        HOLDS(sentence[0] == 0 && hint[0] == 0);
    }
}

static void long_fits_name_what_takes_less(void **state) {
    rkhs_env *env = *state;
    char sentence[RK_ESTIMATE_ROOM], hint[64], set[128];
    static const struct {
        const char *spec, *words, *hint;
        int64_t n, landmarks;
    } cases[] = {
        {"krr", "this fit takes about 14 minutes and 20.0 GB | takes about", "gram=nystrom(landmarks=2000)", 50000, 0},
        {"bctke", "minutes | GB | rows take about a minute", "", 20000, 0},
        {"tke", "minutes | rows take about a minute", "", 50000, 0},
        {"gplvm", "days | 16.0 GB | rows take about a minute", "", 20000, 0},
        {"kae", "hours | rows take about a minute", "", 20000, 0},
        {"bctke(map=nearest)", "minutes | rows take about a minute", "", 50000, 0},
        {"ke", "hours | gram=nystrom", "gram=nystrom(landmarks=500)", 20000, 0},
        {"krr", "minutes | GB", "gram=nystrom(landmarks=500)", 2000000, 5000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rkhs_spec *spec;
        text_of(env, cases[i].spec, cases[i].n, cases[i].landmarks, sentence, hint);
        LOOK_AT("%s of %lld: %s", cases[i].spec, (long long)cases[i].n, sentence);
        HOLDS(says(sentence, cases[i].words));
        HOLDS(strcmp(hint, cases[i].hint) == 0 && (!hint[0] || strstr(sentence, hint)));
        if (!hint[0]) continue;
        FINE(env, rkhs_spec_new(env, "models", cases[i].spec, &spec));
        snprintf(set, sizeof set, "%s", hint);
        *strchr(set, '=') = 0;
        FINE(env, rkhs_spec_set(spec, set, strchr(hint, '=') + 1));
        rkhs_spec_free(spec);
    }
}

/* A kernel of which landmarks are no approximation, and rows that take a minute take no more. */
static void only_what_works_is_named(void **state) {
    rkhs_env *env = *state;
    char sentence[RK_ESTIMATE_ROOM], hint[64];
    rkhs_model *m;
    LOOK_AT("krr");
    FINE(env, rkhs_model_new(env, "krr", &m));
    rk_plan p = plan_of(m, 50000, 0);
    p.psd = 0;
    rk_estimate_text(&p, &RATES, sentence, hint);
    HOLDS(!hint[0] && says(sentence, "rows take about a minute"));
    p.n = atoll(strchr(sentence, ';') + 2);
    HOLDS(p.n > 1000 && rk_estimate_fit(&p, &RATES).seconds <= 60);
    rk_estimate_text(&p, &RATES, sentence, hint);
    HOLDS(!sentence[0]);
    rkhs_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(every_model_states_costs_that_grow),
        ENV_TEST(short_fits_are_not_talked_about),
        ENV_TEST(long_fits_name_what_takes_less),
        ENV_TEST(only_what_works_is_named),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
