/* feature_sums.c: sums over objects in feature space, to which an update adds those of new objects. */
#include "opt/opt.h"

/* to += from, where there are such numbers. *total: their sum is added, to see whether all are finite. */
static void add(double *to, const double *from, int64_t count, double *total) {
    for (int64_t i = 0; to && i < count; i++) *total += to[i] += from[i];
}

rkhs_status rk_feature_sums_add(const rk_gram *g, const rk_feature_sums *before, int64_t k, rk_feature_sums *to) {
    int64_t r = g->rank;
    double total = 0;
    add(to->square, before->square, r * r, &total);
    add(to->sums, before->sums, r, &total);
    add(to->between, before->between, r * r, &total);
    add(to->product, before->product, r * k, &total);
    to->count += before->count;
    to->weight += before->weight;
    to->trace += before->trace;
    to->target_square += before->target_square;
    return rk_gram_check_finite(g, total + to->weight + to->trace);
}

rkhs_status rk_new_objects(const rk_gram *g, int64_t known, double **weight) {
    rkhs_status status = rk_scratch(g->env, g->n, sizeof **weight, weight);
    for (int64_t i = 0; status == RKHS_OK && i < g->n; i++) (*weight)[i] = i >= known;
    return status;
}
