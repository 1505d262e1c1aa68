/* Model files with a right checksum and random features, or sums over objects, that no fit wrote: refused when they are
 * loaded, or harmless in an update. */
#include "forge.h"

/* Sums over objects, to which updates add: those of a model with three landmarks, forged. */
static void sums_that_do_not_fit_together_are_refused(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {
        "kpca(dim=1, gram=nystrom(landmarks=3))", "lpp(dim=1, neighbours=3, gram=nystrom(landmarks=3))",
        "npe(dim=1, neighbours=3, gram=nystrom(landmarks=3))", "krr(gram=nystrom(landmarks=3))"};
    static const double odd[9] = {1, 2, 0, 1, 1, 0, 0, 0, 1}, negative[9] = {1, 0, 0, 0, -1, 0, 0, 0, 1},
                        ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, less = N - 1, half = N + 0.5, many = 1e16,
                        minus = -1;
    const char *what = "sums over its objects";
    for (int t = 0; t < 4; t++) {
        save_model(env, specs[t], NULL, "small");
        const struct {
            const char *name;
            rk_array array;
        } bad[] = {{"state/square", {'d', 2, {3, 3}, odd}},
                   {"state/square", {'d', 2, {3, 3}, negative}},
                   {"state/square", {'d', 2, {2, 2}, ones}},
                   {"state/square", {'d', 2, {4, 4}, ones}},
                   {"state/square", {'d', 2, {3, 2}, ones}},
                   {"state/square", {0}},
                   {"state/count", {'d', 0, {0}, &less}},
                   {"state/count", {'d', 0, {0}, &half}},
                   {"state/count", {'d', 0, {0}, &many}},
                   {"state/count", {0}},
                   {t == 3 ? "state/product" : "state/sums", {'d', 2, {3, 3}, ones}},
                   {t == 3 ? "state/product" : "state/sums", {0}},
                   {t == 3 ? "state/target_square" : "state/trace", {'d', 0, {0}, &minus}},
                   {t == 3 ? "state/target_square" : "state/trace", {0}},
                   {"state/between", {'d', 2, {3, 3}, odd}},
                   {"state/between", {'d', 2, {2, 2}, ones}},
                   {"state/between", {0}},
                   {"state/weight", {'d', 0, {0}, &minus}},
                   {"state/weight", {0}}};
        for (int i = 0; i < (t == 1 || t == 2 ? 19 : 14); i++) {
            FORGE(env, {bad[i].name, bad[i].array});
            refused(env, what);
        }
    }
    FORGE(env, {"state/targets", {'d', 2, {N, 1}, ones}});
    refused(env, "targets");
    save_model(env, "krr", NULL, "small");
    FORGE(env, {"state/targets", {'d', 2, {3, 1}, ones}});
    refused(env, "targets");
    FORGE(env, {"state/square", {'d', 2, {1, 1}, ones}}, {"state/product", {'d', 2, {1, 1}, ones}},
          {"state/count", {'d', 0, {0}, &many}}, {"state/target_square", {'d', 0, {0}, ones}});
    refused(env, what);
}

/* Files from before there were sums and targets load; they cannot be updated. */
static void files_without_sums_load_and_are_not_updated(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {
        "kpca(dim=1, gram=nystrom(landmarks=3))", "lpp(dim=1, neighbours=3, gram=nystrom(landmarks=3))",
        "npe(dim=1, neighbours=3, gram=nystrom(landmarks=3))", "krr(gram=nystrom(landmarks=3))", "krr"};
    for (int t = 0; t < 5; t++) {
        rkhs_model *m;
        rkhs_data *x = fixture_data(env, "small", N), *y = fixture_data(env, "column", N);
        save_model(env, specs[t], NULL, "small");
        FORGE(env, {"state/square", {0}}, {"state/sums", {0}}, {"state/between", {0}}, {"state/product", {0}},
              {"state/count", {0}}, {"state/weight", {0}}, {"state/trace", {0}}, {"state/target_square", {0}},
              {"state/targets", {0}});
        FINE(env, rkhs_model_load(env, "c.rkhs", &m));
        REFUSED(env, RKHS_ERR_ARGUMENT, "fit on all", rkhs_model_update(m, x, t < 3 ? NULL : y));
        HOLDS(m->n == N);
        rkhs_model_free(m);
        rkhs_data_free(y);
        rkhs_data_free(x);
    }
}

/* Forged sums that hold together end an update in a number or a sentence. Squares of 0 do not, where there are sums of
 * features. */
static void updates_of_forged_sums_end(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {
        "kpca(dim=1, gram=nystrom(landmarks=3))", "lpp(dim=1, neighbours=3, gram=nystrom(landmarks=3))",
        "npe(dim=1, neighbours=3, gram=nystrom(landmarks=3))", "krr(gram=nystrom(landmarks=3))"};
    static const double indefinite[9] = {1e9, -9e8, -9e8, -9e8, 1e9, -9e8, -9e8, -9e8, 1e9},
                        huge[9] = {1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308};
    const double *const forged[] = {indefinite, huge, zeros};
    for (int t = 0; t < 12; t++) {
        rkhs_model *m;
        rkhs_data *x = fixture_data(env, "small", N), *y = fixture_data(env, "column", N);
        save_model(env, specs[t % 4], NULL, "small");
        FORGE(env, {"state/square", {'d', 2, {3, 3}, forged[t / 4]}});
        if (forged[t / 4] == zeros && t % 4 != 3) {
            refused(env, "sums over its objects");
        } else {
            FINE(env, rkhs_model_load(env, "c.rkhs", &m));
            rkhs_status status = rkhs_model_update(m, x, t % 4 == 3 ? y : NULL);
            HOLDS(status == RKHS_OK || (status == RKHS_ERR_NUMERIC && rkhs_env_message(env)[0]));
            FINE(env, rkhs_model_save(m, "d.rkhs"));
            rkhs_model_free(m);
        }
        rkhs_data_free(y);
        rkhs_data_free(x);
    }
}

static void random_features_that_are_not_of_the_kernel_are_refused(void **state) {
    rkhs_env *env = *state;
    static const char model[] = "kpca(dim=2, gram=features(count=1000000))", kernel[] = "poly(degree=2)";
    static const double parts[][3] = {{0, 3, 1e140}, {1, 3, 0.5}, {0, 2, 0.5}, {0, 3, NAN}, {0.5, 3, 1}, {0, 1e300, 1}};
    static const double zero[1 << 8];
    static const int64_t none, two = 2, starts[] = {0, 1, 2, 3, 4, 5, 6};
    save_model(env, "kpca(dim=2, gram=features(count=6))", "rbf(gamma=0.5)", "small");
    FORGE(env, {"kernel", {'S', 1, {sizeof kernel - 1}, kernel}});
    refused(env, "there are no random features for 'poly'");
    FORGE(env, {"kernel", {'S', 1, {6}, "linear"}});
    refused(env, "6 random features | gram | kernel");
    FORGE(env, {"model", {'S', 1, {sizeof model - 1}, model}});
    refused(env, "6 random features | gram | kernel");
    for (int i = 0; i < 6; i++) {
        FORGE(env, {"map/features/0", {'d', 1, {3}, parts[i]}});
        refused(env, "random features");
    }
    FORGE(env, {"map/features/parts", {'q', 0, {0}, &none}});
    refused(env, "random features");
    FORGE(env, {"map/features/parts", {'q', 0, {0}, &two}});
    refused(env, "'map/features/1' is missing");
    FORGE(env, {"map/features/vectors", {'d', 2, {3, 4}, zero}});
    refused(env, "random features");
    FORGE(env, {"map/features/vectors", {'f', 2, {3, 3}, zero}});
    refused(env, "'map/features/vectors'");
    FORGE(env, {"map/features/parts", {0}});
    refused(env, "map");
    FORGE(env, {"kept/kind", {'S', 1, {6}, "string"}}, {"kept/starts", {'q', 1, {N + 1}, starts}},
          {"kept/bytes", {'S', 1, {7}, "\0\0\0\0\0\0\n"}});
    refused(env, "random features of string data");
    save_model(env, "kpca(dim=2)", "rbf(gamma=0.5)", "small");
    FORGE(env, {"model", {'S', 1, {28}, "kpca(dim=2,gram=features(6))"}}, {"keep", {'q', 1, {N}, starts}});
    refused(env, "no random features");
}

/* Sums that a fit keeps for updates: those of fewer objects than there are, or of no objects at all. */
static void sums_that_no_objects_have_are_refused(void **state) {
    rkhs_env *env = *state;
    static const double counts[] = {N - 1, N + 0.5, 1e15, -1}, large[] = {1e6, 0, 0}, minus = -1;
    static const double between[] = {1, 2, 0, 2, 1, 0, 0, 0, 1}, below[] = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const char *const specs[] = {"kpca(dim=2, gram=nystrom(landmarks=3))", "kpca(dim=2, gram=features(count=4))"};
    for (int t = 0; t < 2; t++) {
        save_model(env, specs[t], "rbf(gamma=0.5)", "small");
        for (int i = 0; i < 4; i++) {
            FORGE(env, {"state/count", {'d', 0, {0}, &counts[i]}});
            refused(env, "the sums over its objects");
        }
        FORGE(env, {"state/trace", {'d', 0, {0}, &minus}});
        refused(env, "the sums over its objects");
        FORGE(env, {"state/square", {'d', 2, {3, 3}, below}}, {"state/sums", {'d', 2, {1, 3}, zeros}});
        refused(env, "the sums over its objects");
        FORGE(env, {"state/square", {'d', 2, {3, 3}, between}}, {"state/sums", {'d', 2, {1, 3}, zeros}});
        refused(env, "the sums over its objects");
        FORGE(env, {"state/sums", {'d', 2, {1, t ? 4 : 3}, (const double[]){1e6, 0, 0, 0}}});
        refused(env, "the sums over its objects");
        FORGE(env, {"state/square", {'d', 2, {2, 2}, zeros}}, {"state/sums", {'d', 2, {1, 2}, large}});
        refused(env, "the sums over its objects");
        FORGE(env, {"state/square", {0}});
        refused(env, "the sums over its objects");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(sums_that_do_not_fit_together_are_refused),
        FOLDER_TEST(files_without_sums_load_and_are_not_updated),
        FOLDER_TEST(updates_of_forged_sums_end),
        FOLDER_TEST(random_features_that_are_not_of_the_kernel_are_refused),
        FOLDER_TEST(sums_that_no_objects_have_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
