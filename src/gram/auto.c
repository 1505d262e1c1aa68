/* auto.c: gram=auto: the gram is chosen from the number of objects, the model's needs and the memory limit.
 *
 * A model that needs neighbours alone gets no Gram (lazy, which stores nothing). Else K is stored up to the number of
 * objects that the model names, if it fits. Beyond that landmarks approximate it. */
#include "gram/gram.h"

/* Landmarks where features are read once, which costs n m^2 flops; where they are read often or stored, which costs n m
 * numbers. */
enum { READ_ONCE = 2000, READ_OFTEN = 500 };

/* Bytes of a fit with m landmarks of n objects. */
static double landmark_bytes(int64_t n, int64_t m, rk_reading reading) {
    double rows = (double)(reading == RK_READ_STORED ? n : rk_min(n, rk_sample_rows(m)));
    return 8.0 * (double)m * (rows + 16.0 * (double)m);
}

static rkhs_status choose_auto(rkhs_env *env, const rk_need *need, const rkhs_data *x, rk_text *text) {
    int64_t n = x->rows, m = rk_min(need->reading == RK_READ_ONCE ? READ_ONCE : READ_OFTEN, rk_max(n / 2, 1));
    char bytes[32];
    if (!need->offers) return rk_text_add(text, "lazy");
    if (n <= need->exact_rows && rk_fits_limit(env, 8.0 * need->matrices * (double)n * (double)n))
        return rk_text_add(text, "exact");
    if (x->type->kind == RK_KIND_GRAM && need->matrices == 1) return rk_text_add(text, "exact"); /* K is there */
    while (m > 1 && !rk_fits_limit(env, landmark_bytes(n, m, need->reading))) m /= 2;
    rk_log(env, RKHS_LOG_ADVICE, "%s: the Gram, %s, is approximated by %s (gram=auto)", rk_counted(n, "object").text,
           rk_bytes_text(8.0 * (double)n * (double)n, bytes), rk_counted(m, "landmark").text);
    return rk_text_add(text, "nystrom(landmarks=%lld)", (long long)m);
}

/* Never built: rk_gram_new builds the gram that was chosen. */
static rkhs_status build_auto(rk_gram *g) { return rk_fail(g->env, RKHS_ERR_BUG, "gram=auto was not resolved"); }

/* clang-format off */
const rk_gram_type rk_gram_auto = {
    .entry = {.name = "auto", .brief = "chosen by the model, the number of objects and the memory limit: exact, lazy or nystrom",
              .cost = "that of the gram chosen, which the report names"},
    .build = build_auto, .choose = choose_auto,
};
/* clang-format on */
