/* inverse.c: pre-images, which are approximate objects for points of the embedding, by a ridge regression.
 *
 *     minimise  sum_i |x_i - f(z_i)|^2 + ridge |f|^2  over f in the space of an rbf kernel on the codes z
 *
 * The solution is x(z) = mean + C'k(Z, z), C = (K_Z + ridge I)^-1 (X - mean), K_Z the rbf Gram of the codes Z, X the
 * objects of the map. Leave-one-out error chooses width and ridge. It is fitted on first use from at most 2000 pairs
 * (z_i, x_i). No exact inverse exists in general. For bit sets the result is rounded to bits. For a precomputed Gram
 * the result is the column of the object of the map whose code is nearest; for strings and graphs it is that object. */
#include "model/model.h"

#include <string.h>

struct rk_inverse {
    rkhs_kernel *kernel; /* on codes */
    rk_map *map;         /* from codes to vectors */
};

void rk_inverse_free(rkhs_env *env, rk_inverse *inverse) {
    if (!inverse) return;
    rk_map_free(env, inverse->map);
    rkhs_kernel_free(inverse->kernel);
    rk_free(env, inverse);
}

rkhs_status rk_spread_codes(const rkhs_model *m, int64_t count, int64_t *which, rkhs_data **codes) {
    double *values;
    rkhs_status status = rk_data_dense_new(m->env, count, m->dim, &values, codes);
    for (int64_t i = 0; status == RKHS_OK && i < count; i++) {
        which[i] = i * m->map->object_count / count;
        int64_t row = m->map_rows ? m->map_rows[which[i]] : which[i];
        memcpy(values + i * m->dim, m->Z + row * m->dim, (size_t)m->dim * sizeof *values);
    }
    return status;
}

/* out = X - mean (n x p), X the chosen rows of x. */
static void centred_objects(const rkhs_data *x, const int64_t *which, int64_t n, const double *mean, double *out) {
    const rk_dense *d = x->self;
    int64_t p = x->columns;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < p; c++) out[i * p + c] = rk_dense_at(d, which[i], c) - mean[c];
}

/* Chooses width and ridge of least leave-one-out error, on some of the pairs. */
static rkhs_status choose_width_and_ridge(const rkhs_model *m, const rkhs_data *x, const double *mean, double *width,
                                          double *ridge) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = rk_min(m->map->object_count, RK_RIDGE_TRIAL), p = m->map->objects->columns, *which;
    double *X;
    rkhs_data *codes = NULL;
    TRY(rk_scratch(env, n, sizeof *which, &which));
    TRY(rk_scratch(env, n * p, sizeof *X, &X));
    TRY(rk_spread_codes(m, n, which, &codes));
    centred_objects(x, which, n, mean, X);
    TRY(rk_ridge_choose(env, "inverse", codes, X, p, width, ridge));
done:
    rkhs_data_free(codes);
    rk_scratch_release(env, mark);
    return status;
}

/* Fits the regression on at most RK_RIDGE_PAIRS pairs; x: the map's objects as numbers. */
static rkhs_status inverse_fit(const rkhs_model *m, const rkhs_data *x, rk_inverse *inverse) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = m->env;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = rk_min(m->map->object_count, RK_RIDGE_PAIRS), p = m->map->objects->columns, *which;
    double width, ridge, *K;
    TRY(rk_map_new(env, n, p, &inverse->map));
    TRY(rk_dense_means(env, x, inverse->map->c));
    TRY(choose_width_and_ridge(m, x, inverse->map->c, &width, &ridge));
    TRY(rk_scratch(env, n, sizeof *which, &which));
    TRY(rk_scratch(env, n * n, sizeof *K, &K));
    TRY(rk_spread_codes(m, n, which, &inverse->map->objects));
    centred_objects(x, which, n, inverse->map->c, inverse->map->B);
    TRY(rk_ridge_gram(env, width, inverse->map->objects, &inverse->kernel, K));
    TRY(rk_ridge_solve(env, "inverse", n, p, K, ridge, inverse->map->B, NULL));
    rk_log(env, RKHS_LOG_INFO, "inverse: %s, ridge %g, from %s", rkhs_kernel_text(inverse->kernel), ridge,
           rk_counted(n, "pair").text);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Index of the map's object whose code is nearest to each row of Z. */
static rkhs_status nearest_reference(const rkhs_model *m, const double *Z, int64_t n, int64_t ld, int64_t *out) {
    for (int64_t i = 0; i < n; i++) {
        double least = INFINITY;
        for (int64_t k = 0; k < m->map->object_count; k++) {
            const double *z = m->Z + (m->map_rows ? m->map_rows[k] : k) * m->dim;
            double sum = 0;
            for (int64_t c = 0; c < m->dim; c++) sum += (z[c] - Z[i * ld + c]) * (z[c] - Z[i * ld + c]);
            if (sum < least) least = sum, out[i] = k;
        }
        rkhs_status status = rk_progress(m->env, "inverse", i + 1, n);
        if (status != RKHS_OK) return status;
    }
    return RKHS_OK;
}

/* Fits the regression unless that is done. */
static rkhs_status ensure(rkhs_model *m) {
    rk_inverse *inverse = NULL;
    const rkhs_data *x;
    rkhs_data *view = NULL;
    if (m->inverse) return RKHS_OK;
    rkhs_status status = rk_data_coerce(m->env, m->map->objects, RK_KIND_DENSE | RK_KIND_IMAGE, "the inverse", &x, &view);
    if (status == RKHS_OK) status = rk_alloc(m->env, 1, sizeof *inverse, &inverse);
    if (status == RKHS_OK) status = inverse_fit(m, x, inverse);
    rkhs_data_free(view);
    if (status == RKHS_OK)
        m->inverse = inverse;
    else
        rk_inverse_free(m->env, inverse);
    return status;
}

/* Rounds numbers to bits: 1 from 0.5 on. */
static rkhs_status round_bits(rkhs_env *env, const rkhs_data *x, rkhs_data **out) {
    const rk_dense *d = x->self;
    uint64_t *words;
    rkhs_status status = rk_data_bits_new(env, x->rows, x->columns, &words, out);
    int64_t stride = (x->columns + 63) / 64;
    for (int64_t i = 0; status == RKHS_OK && i < x->rows; i++)
        for (int64_t c = 0; c < x->columns; c++)
            words[i * stride + c / 64] |= (uint64_t)(d->values[i * d->ld + c] >= 0.5) << c % 64;
    return status;
}

/* Pre-images by the regression (vectors, images, bits), or the object of the nearest code. */
static rkhs_status from_references(rkhs_model *model, const rkhs_data *codes, rkhs_data **out) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    const rkhs_data *reference = model->map->objects;
    const rk_image *image = rk_images(reference);
    rkhs_data *numbers = NULL;
    unsigned kind = reference->type->kind;
    int64_t n = codes->rows, ld, *near;
    const double *Z = rkhs_data_values(codes, &ld);
    double *values;
    if (kind & (RK_KIND_DENSE | RK_KIND_IMAGE | RK_KIND_BITS)) {
        TRY(ensure(model));
        TRY(rk_data_dense_new(env, n, reference->columns, &values, &numbers));
        TRY(rk_map_apply(env, model->inverse->map, model->inverse->kernel, codes, values, reference->columns, NULL));
        if (kind == RK_KIND_BITS) TRY(round_bits(env, numbers, out));
        if (kind != RK_KIND_BITS) *out = numbers, numbers = NULL;
        if (image) TRY(rk_image_from_dense(env, out, image->h, image->w, image->c));
        goto done;
    }
    if (!(kind & (RK_KIND_GRAM | RK_KIND_STRING | RK_KIND_GRAPH)))
        FAIL(env, RKHS_ERR_DATA, "there is no inverse for %s data", reference->type->entry.name);
    TRY(rk_scratch(env, n, sizeof *near, &near));
    TRY(nearest_reference(model, Z, n, ld, near));
    if (kind == RK_KIND_GRAM) {
        TRY(rk_data_dense_new(env, n, 1, &values, out));
        for (int64_t i = 0; i < n; i++) values[i] = (double)((const rk_gram_rows *)reference->self)->index[near[i]];
    } else {
        TRY(rk_data_subset(reference, near, n, out));
    }
done:
    rkhs_data_free(numbers);
    return status;
}

rkhs_status rkhs_model_inverse(rkhs_model *model, const double *Z, int64_t n, int64_t ld, rkhs_data **x) {
    if (!model || !x) return rk_fail_null(model ? model->env : NULL, "rkhs_model_inverse", "variable for the objects");
    rkhs_status status = RKHS_OK;
    rkhs_env *env = model->env;
    rkhs_data *codes = NULL, *out = NULL;
    int64_t ld_made = 0;
    rk_begin_call(env);
    rk_mark mark = rk_scratch_mark(env);
    *x = NULL;
    TRY(rk_blas_begin(env));
    if (!model->map) FAIL(env, RKHS_ERR_ARGUMENT, "the model is not fitted: fit or load it first");
    TRY(rk_data_borrow(env, Z, n, model->dim, ld, &codes));
    if (model->type->decode) TRY(model->type->decode(model, Z, n, ld, &out));
    if (!out) TRY(from_references(model, codes, &out));
    const double *made = rkhs_data_values(out, &ld_made);
    if (made) TRY(rk_check_results(model, made, n, out->columns, ld_made));
    *x = out;
    out = NULL;
done:
    rk_blas_end(env);
    rkhs_data_free(codes);
    rkhs_data_free(out);
    rk_scratch_release(env, mark);
    return status;
}
