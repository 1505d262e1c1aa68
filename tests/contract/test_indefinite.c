/* A kernel that is not positive semi-definite: what the models say of it. */
#include "fixtures.h"

enum { N = 40, DIM = 2 };

static void kernel_pca_of_a_sigmoid_says_what_it_leaves_out(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "small", N);
    remarks log = {0};
    rkhs_kernel *k;
    rkhs_model *m;
    LOOK_AT("kpca with sigmoid");
    FINE(env, rkhs_kernel_new(env, "sigmoid(gamma=1, coef0=0)", &k));
    FINE(env, rkhs_model_new(env, "kpca(dim=2)", &m));
    rkhs_env_set_log(env, take_remark, &log);
    FINE(env, rkhs_model_fit(m, k, x, NULL, NULL));
    if (!says(log.last, "not positive semi-definite")) fail_msg("%s: %s", context, log.last);
    all_finite("Z", rkhs_model_embedding(m, NULL, NULL), N * DIM);
    rkhs_model_free(m);
    FINE(env, rkhs_model_new(env, "kpca(dim=2, negative=refuse)", &m));
    REFUSED(env, RKHS_ERR_NUMERIC, "not positive semi-definite: its most negative eigenvalue is -",
            rkhs_model_fit(m, k, x, NULL, NULL));
    rkhs_model_free(m);
    FINE(env, rkhs_model_new(env, "kpca(dim=2, gram=nystrom)", &m));
    REFUSED(env, RKHS_ERR_NUMERIC, "not positive semi-definite", rkhs_model_fit(m, k, x, NULL, NULL));
    rkhs_model_free(m);
    rkhs_kernel_free(k);
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {ENV_TEST(kernel_pca_of_a_sigmoid_says_what_it_leaves_out)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
