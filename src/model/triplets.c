/* triplets.c: triplets (anchor, positive, negative) for the contrastive models: given by the user, or drawn.
 *
 * The user gives them as index rows over x, or with objects of their own, which follow x in the gram
 * (rk_triplet_inputs). Pairs get random negatives. Without index rows every object of x is an anchor, its positive is
 * an augmented copy, which follows x in the gram, and its negative another object of x, drawn by (seed, row). */
#include "model/contrastive.h"

#include <stdio.h>

rkhs_status rk_triplet_inputs(rkhs_env *env, const rk_spec *augment, const rkhs_data *x, const rkhs_data *y,
                              rkhs_data **gram_data) {
    rkhs_status status = RKHS_OK;
    rkhs_data *made = NULL;
    const rkhs_data *others = y ? ((const rk_index *)y->self)->others : NULL;
    *gram_data = NULL;
    if (y && augment)
        FAIL(env, RKHS_ERR_SPEC, "augment= draws positives, and pairs or triplets were given: leave one of them out");
    if (y && !others) goto done;
    if (others) {
        unsigned kinds = x->type->kind | RK_KIND_DENSE | RK_KIND_SPARSE;
        TRY(rk_data_coerce_like(env, others, kinds, "the model, of the objects that it is fitted on,", x, &others, &made));
    } else {
        TRY(rk_augment(env, augment, x, env->seed, &made));
        others = made;
    }
    TRY(rk_data_join(env, (const rkhs_data *[]){x, others}, 2, gram_data));
done:
    rkhs_data_free(made);
    return status;
}

/* A random one of n objects, neither a nor b. */
static int64_t other_than(uint64_t seed, int64_t row, int64_t n, int64_t a, int64_t b) {
    int64_t low = rk_min(a, b), high = rk_max(a, b), left = n - 1 - (low != high);
    double u = rk_uniform(seed, RK_STREAM_NEGATIVE, (uint64_t)row, 0);
    int64_t q = rk_min((int64_t)(u * (double)left), left - 1);
    if (q >= low) q++;
    if (low != high && q >= high) q++;
    return q;
}

/* Advises if positives are equal to their anchors for the kernel. */
static rkhs_status look_at_positives(rk_fit *f, const rk_triplets *t) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    int64_t n = t->count, *I, *J, equal = 0;
    double *K, *diag;
    TRY(rk_scratch(f->env, n, sizeof *I, &I));
    TRY(rk_scratch(f->env, n, sizeof *J, &J));
    TRY(rk_scratch(f->env, n, sizeof *K, &K));
    TRY(rk_scratch(f->env, f->gram->n, sizeof *diag, &diag));
    for (int64_t i = 0; i < n; i++) I[i] = t->rows[3 * i], J[i] = t->rows[3 * i + 1];
    TRY(rk_gram_diag(f->gram, diag));
    TRY(rk_gram_entries(f->gram, I, J, n, K));
    for (int64_t i = 0; i < n; i++) equal += diag[I[i]] == K[i] && diag[J[i]] == K[i];
    if (equal)
        rk_log(f->env, RKHS_LOG_ADVICE,
               "%lld of the %s equal%s anchor as the kernel sees them, and say nothing beyond it: take others, or a stronger "
               "augmentation",
               (long long)equal, rk_counted(n, "positive").text, equal == 1 ? "s its" : " their");
done:
    rk_scratch_release(f->env, mark);
    return status;
}

rkhs_status rk_triplets_new(rk_fit *f, rk_triplets *t) {
    rkhs_status status = RKHS_OK;
    const rk_index *given = f->y ? f->y->self : NULL;
    int64_t n = f->x->rows, width = f->y ? f->y->columns : 0;
    *t = (rk_triplets){.count = f->y ? f->y->rows : n, .drawn = width != 3};
    if (width == 2 && n < 3 && !given->others)
        FAIL(f->env, RKHS_ERR_DATA, "pairs of %s leave none to be a negative: give at least 3 objects",
             rk_counted(n, "object").text);
    TRY(rk_scratch(f->env, 3 * t->count, sizeof *t->rows, &t->rows));
    for (int64_t i = 0; i < t->count; i++) {
        int64_t *row = t->rows + 3 * i;
        row[0] = given ? given->rows[i * width] : i;
        row[1] = given ? given->rows[i * width + 1] : n + i;
        row[2] = width == 3 ? given->rows[i * width + 2] : other_than(f->env->seed, i, n, row[0], row[1] < n ? row[1] : row[0]);
        int64_t twice = row[0] == row[1] || row[0] == row[2] ? row[0] : row[1] == row[2] ? row[1] : -1;
        if (twice >= 0)
            FAIL(
                f->env, RKHS_ERR_DATA,
                "%s %lld (counted from 1) names object %lld twice: anchor%s must be different objects: correct it, or leave it "
                "out",
                width == 3 ? "triplet" : "pair", (long long)i + 1, (long long)twice,
                width == 3 ? ", positive and negative" : " and positive");
    }
    TRY(look_at_positives(f, t));
    TRY(rk_report_number(f->env, f->report, "triplets", (double)t->count));
done:
    return status;
}

/* The entries of each row in the order of the triplets. */
static rkhs_status list_entries(rkhs_env *env, const rk_triplets *t, int64_t n, double positive, double negative, rk_csr *out) {
    int64_t entries = (positive != 0 ? 2 : 0) + (negative != 0 ? 2 : 0);
    rkhs_status status = rk_csr_alloc(env, n, t->count * entries, out);
    if (status != RKHS_OK) return status;
    double weight[2] = {positive, negative};
    int64_t *next = out->starts + 1; /* next[i]: where row i's next entry goes; in the end, where row i + 1 begins */
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; weight[k] != 0 && i < t->count; i++) {
            int64_t a = t->rows[3 * i], b = t->rows[3 * i + 1 + k];
            if (a + 1 < n) next[a + 1]++;
            if (b + 1 < n) next[b + 1]++;
        }
    for (int64_t i = 1; i < n; i++) next[i] += next[i - 1];
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; weight[k] != 0 && i < t->count; i++) {
            int64_t a = t->rows[3 * i], b = t->rows[3 * i + 1 + k], at = next[a]++, back = next[b]++;
            out->to[at] = b, out->weight[at] = weight[k];
            out->to[back] = a, out->weight[back] = weight[k];
        }
    return RKHS_OK;
}

rkhs_status rk_triplet_matrix(rkhs_env *env, const rk_triplets *t, int64_t n, double positive, double negative, rk_csr *out) {
    rk_csr listed;
    rkhs_status status = list_entries(env, t, n, positive, negative, &listed);
    /* The same matrix, with ascending columns. */
    return status == RKHS_OK ? rk_csr_transpose(env, &listed, out) : status;
}

rkhs_status rk_triplet_sizes(rk_fit *f, const rk_triplets *t, double *alpha, double *kappa) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(f->env);
    double *diag;
    rk_row_sum trace[3] = {{0}};
    TRY(rk_scratch(f->env, f->gram->n, sizeof *diag, &diag));
    TRY(rk_gram_diag(f->gram, diag));
    *alpha = *kappa = 0;
    for (int64_t q = 0; q < 3 * t->count; q++) {
        double k = fabs(diag[t->rows[q]]);
        rk_add_row(&trace[q % 3], k);
        *kappa = fmax(*kappa, k);
    }
    for (int k = 0; k < 3; k++) *alpha += sqrt((double)f->dim * rk_row_total(&trace[k]));
    TRY(rk_gram_check_finite(f->gram, *alpha));
done:
    rk_scratch_release(f->env, mark);
    return status;
}
