/* dimension.c: rkhs dimension: estimates the intrinsic dimension of data.  SPDX-License-Identifier: BSD-3-Clause
 *
 * For vectors: the score twonn of all rows, of half and of a quarter. For any kernel: the eigenvalues l_1 >= l_2 >=
 * ... of the centred Gram matrix. The gap is the i with the largest l_i / l_{i+1}, where eigenvalues below 1e-12 l_1
 * count as 1e-12 l_1. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 3000, FEW = 64, MANY = 500 }; /* rows of the Gram; eigenvalues at first, and at most */

typedef struct found {
    double twonn[3], error[3];
    int64_t rows[3];
    int estimates;
    int64_t gram_rows, count, gap, ninety; /* ninety: 0 if all `count` hold less than 90% */
    double ratio, held;                    /* ratio at the gap; share of the variance that all `count` hold */
    char kernel[SPEC_ROOM];
} found;

/* Draws `count` rows at random, in ascending order. */
static rkhs_status draw_rows(cli *c, const rkhs_data *x, uint64_t stream, int64_t count, rkhs_data **subset) {
    int64_t n = rkhs_data_rows(x), chosen = 0, *rows = malloc((size_t)count * sizeof *rows);
    if (rows == NULL) return refuse(c, EXIT_FAILED, "no memory");
    for (int64_t i = 0; i < n && chosen < count; i++)
        if (uniform_of(c->seed, stream, (uint64_t)i) * (double)(n - i) < (double)(count - chosen)) rows[chosen++] = i;
    rkhs_status status = rkhs_data_subset(x, rows, count, subset);
    free(rows);
    return status;
}

/* The estimates of twonn. */
static rkhs_status estimate(cli *c, const rkhs_data *x, found *f) {
    rkhs_status status = RKHS_OK;
    rkhs_data *some = NULL;
    static const char *const spec = "twonn";
    for (int i = 0; i < 3; i++) {
        int64_t count = rkhs_data_rows(x) >> i;
        if (i > 0 && count < 50) break;
        if (i > 0) TRY(draw_rows(c, x, 2000 + (uint64_t)i, count, &some));
        TRY(rkhs_score(c->env, &spec, 1, &(rkhs_score_input){.z = i > 0 ? some : x}, &f->twonn[i], &f->error[i]));
        f->rows[i] = count;
        f->estimates = i + 1;
        rkhs_data_free(some);
        some = NULL;
    }
done:
    rkhs_data_free(some);
    return status;
}

/* Finds the gap and the 90% point. share[i] is l_i over the sum of all eigenvalues. */
static void read_spectrum(found *f, const double *share, int64_t count) {
    double floor_value = 1e-12 * share[0], sum = 0;
    f->count = count;
    f->gap = f->ninety = 0;
    f->ratio = 0;
    for (int64_t i = 0; i < count; i++) {
        sum += share[i] > 0 ? share[i] : 0;
        if (f->ninety == 0 && sum >= 0.9) f->ninety = i + 1;
        if (i + 1 == count || !(share[i] > floor_value)) continue;
        double ratio = share[i] / fmax(share[i + 1], floor_value);
        if (ratio > f->ratio) f->ratio = ratio, f->gap = i + 1;
    }
    f->held = sum;
}

/* The leading eigenvalues, by kernel PCA: FEW, and MANY if these hold less than 90% of the variance. */
static rkhs_status spectrum(cli *c, const rkhs_kernel *kernel, const rkhs_data *x, found *f) {
    rkhs_status status = RKHS_OK;
    rkhs_model *m = NULL;
    rkhs_item item;
    char spec[64];
    int64_t n = rkhs_data_rows(x);
    f->gram_rows = n;
    for (int64_t dim = FEW; f->ninety == 0 && (dim == FEW || f->count < n); dim = MANY) {
        rkhs_model_free(m);
        m = NULL;
        snprintf(spec, sizeof spec, "kpca(dim=%lld)", (long long)(dim < n ? dim : n));
        TRY(rkhs_model_new(c->env, spec, &m));
        TRY(rkhs_model_fit(m, kernel, x, NULL, NULL));
        for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
            if (strcmp(item.name, "explained_variance") == 0 && item.values != NULL)
                read_spectrum(f, item.values, item.rows * item.columns);
        if (f->count == 0) REFUSE(c, EXIT_FAILED, "the eigenvalues are missing");
        if (dim == MANY) break;
    }
    spec_short(rkhs_kernel_text(rkhs_model_kernel(m)), f->kernel);
done:
    rkhs_model_free(m);
    return status;
}

static void print_words(const found *f) {
    if (f->estimates > 0) {
        printf("neighbours  %.2f +- %.2f", f->twonn[0], f->error[0]);
        for (int i = 1; i < f->estimates; i++)
            printf("%s%.2f", i == 1 ? "; of half and a quarter of the rows " : ", ", f->twonn[i]);
        printf("\n            the dimension of what the %s lie on, by their two nearest neighbours (TwoNN)\n",
               rk_counted(f->rows[0], "row").text);
    }
    printf("gap         %lld, where the eigenvalues fall by %.3g\n", (long long)f->gap, f->ratio);
    printf("            the largest ratio of an eigenvalue of the centred Gram to the next; ");
    print_safe(stdout, f->kernel, strlen(f->kernel));
    printf(", %s\n", rk_counted(f->gram_rows, "row").text);
    if (f->ninety > 0)
        printf("variance    %lld\n", (long long)f->ninety);
    else
        printf("variance    more than %lld, which hold %.1f%%\n", (long long)f->count, 100 * f->held);
    printf("            the number of eigenvalues that hold 90%% of the variance in feature space\n");
}

static void print_json(const found *f) {
    printf("{");
    if (f->estimates > 0) {
        printf("\"neighbours\": [");
        for (int i = 0; i < f->estimates; i++) {
            printf("%s{\"rows\": %lld, \"dimension\": %.17g, \"error\": ", i > 0 ? ", " : "", (long long)f->rows[i],
                   f->twonn[i]);
            printf(isfinite(f->error[i]) ? "%.17g}" : "null}", f->error[i]);
        }
        printf("], ");
    }
    printf("\"kernel\": ");
    json_text(stdout, f->kernel);
    printf(", \"rows\": %lld, \"gap\": %lld, \"ratio\": %.17g, \"variance\": ", (long long)f->gram_rows, (long long)f->gap,
           f->ratio);
    if (f->ninety > 0)
        printf("%lld", (long long)f->ninety);
    else
        printf("null");
    printf(", \"eigenvalues\": %lld, \"held\": %.17g}\n", (long long)f->count, f->held);
}

int run_dimension(cli *c) {
    rkhs_kernel *kernel = NULL;
    rkhs_data *x = NULL, *some = NULL;
    found f = {0};
    int quiet = c->quiet;
    rkhs_status status;
    if (c->kernel != NULL) TRY(rkhs_kernel_new(c->env, c->kernel, &kernel));
    TRY(read_data(c, c->operand[0], kernel, &x));
    set_subject(c, c->operand[0], NULL);
    int precomputed = rkhs_kernel_uses(kernel, "precomputed");
    if (!precomputed && strcmp(rkhs_data_kind(x), "dense") == 0) TRY(estimate(c, x, &f));
    if (!precomputed && rkhs_data_rows(x) > MAX_ROWS) TRY(draw_rows(c, x, 2000, MAX_ROWS, &some));
    c->quiet = 1; /* advice about an embedding does not apply */
    status = spectrum(c, kernel, some != NULL ? some : x, &f);
    c->quiet = quiet;
    if (status != RKHS_OK) goto done;
    progress_erase();
    if (c->json)
        print_json(&f);
    else
        print_words(&f);
done:;
    int code = finish(c, status);
    rkhs_data_free(some);
    rkhs_data_free(x);
    rkhs_kernel_free(kernel);
    return code;
}
