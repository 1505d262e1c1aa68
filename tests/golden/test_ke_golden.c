/* The first stage of autoreconstructive kernel embedding against NumPy: the least loss on the rings and the roll of
 * the paper, as make_ke.py prints it. */
#include "contract/fixtures.h"

static void the_loss_of_the_weights_is_that_of_numpy(void **state) {
    rkhs_env *env = *state;
    static const struct {
        const char *name, *kernel;
        double loss;
    } known[] = {{"rings", "rbf(sigma=1)", 35.89771176}, {"roll", "rbf(sigma=0.5)", 534.80406896}};
    const char *source = getenv("RKHS_SOURCE");
    for (int q = 0; q < 2; q++) {
        char path[1024];
        rkhs_data *x;
        rkhs_kernel *k;
        rkhs_model *m;
        LOOK_AT("%s", known[q].name);
        snprintf(path, sizeof path, "%s/tests/golden/data/ke_%s.npy", source ? source : ".", known[q].name);
        FINE(env, rkhs_data_read(env, path, NULL, &x));
        FINE(env, rkhs_kernel_new(env, known[q].kernel, &k));
        FINE(env, rkhs_model_new(env, "ke(start=random, solver=lbfgs(max_iter=1))", &m));
        FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
        double loss = item_of(m, "weights_loss").values[0];
        if (!(fabs(loss - known[q].loss) <= 1e-7)) fail_msg("%s: %.10f, not %.10f", context, loss, known[q].loss);
        rkhs_model_free(m);
        rkhs_kernel_free(k);
        rkhs_data_free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {ENV_TEST(the_loss_of_the_weights_is_that_of_numpy)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
