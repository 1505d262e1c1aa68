/* check.c: checks of a loaded or fitted model: refuses one whose parts contradict each other.
 *
 * A checksum proves that a file arrived as it was written, not that a fit wrote it. Later code takes shapes and
 * indices for granted, so they are checked here, once: counts, index ranges, which parts a model of this type has.
 * Loading has checked already that arrays are finite and that the objects of the map are valid (rk_state_load,
 * rk_map_load, the data's own load). The type's `check` adds what that type alone relies on. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* Shape of the embedding, and the rows that the map's objects have in it. */
static rkhs_status check_counts(const rkhs_model *m) {
    rkhs_env *env = m->env;
    const rk_gram_type *gram = (const rk_gram_type *)(*(rk_spec **)((char *)m->spec->self + m->type->gram_offset))->entry;
    int64_t dim = m->type->dim(m->spec->self, NULL), kept = m->map->object_count;
    if (m->n < 2)
        return rk_fail(env, RKHS_ERR_FORMAT, "it has %s, and a fit has at least 2", rk_counted(m->n, "training object").text);
    if (m->dim < 1 || m->dim > m->n || m->map->dim != m->dim || (!m->type->predicts && m->dim != dim))
        return rk_fail(env, RKHS_ERR_FORMAT, "its embedding is %lld x %lld and its map makes %s, which does not fit '%.80s'",
                       (long long)m->n, (long long)m->dim, rk_counted(m->map->dim, "column").text, m->text);
    if (m->gram_rows > m->n && !m->type->inputs)
        return rk_fail(env, RKHS_ERR_FORMAT, "it has %s of added objects, and %s adds none",
                       rk_counted(m->gram_rows - m->n, "row").text, m->type->entry.name);
    int landmarks = gram->offers & RK_FEATURES && !m->type->keeps_all && rk_builds_gram(m->type, gram);
    int either = gram->choose && m->type->need.offers & (RK_FEATURES | RK_LANDMARKS);
    if ((!either && (m->map_rows != NULL) != landmarks) || (!m->map_rows && kept != m->gram_rows))
        return rk_fail(env, RKHS_ERR_FORMAT, "it keeps %lld of %s, which does not fit '%.80s'", (long long)kept,
                       rk_counted(m->gram_rows, "object").text, m->text);
    if ((m->map->features != NULL) != (gram->offers == RK_FEATURES && m->type->need.offers & RK_FEATURES))
        return rk_fail(env, RKHS_ERR_FORMAT, "its map has %s random features, which does not fit '%.80s'",
                       m->map->features ? "some" : "no", m->text);
    for (int64_t i = 0; m->map_rows && i < kept; i++)
        if (m->map_rows[i] < 0 || m->map_rows[i] >= m->gram_rows)
            return rk_fail(env, RKHS_ERR_FORMAT, "reference object %lld is row %lld of %lld", (long long)i,
                           (long long)m->map_rows[i], (long long)m->gram_rows);
    return RKHS_OK;
}

/* Random features, if the map has some, must be those of the gram and the kernel. */
static rkhs_status check_features(const rkhs_model *m) {
    const rk_spec *gram = *(rk_spec **)((char *)m->spec->self + m->type->gram_offset);
    const rk_gram_type *type = (const rk_gram_type *)gram->entry;
    if (!m->map->features || !type->check) return RKHS_OK;
    return type->check(m->env, m->map->features, gram, m->kernel, m->map->objects);
}

/* A report item, if there is one of that name, must repeat these `count` numbers. */
static rkhs_status check_item(const rkhs_model *m, const char *name, const int64_t *known, int64_t count) {
    const rk_report_item *item = rk_report_find(&m->report, name);
    const double *values = rk_report_values(&m->report, name, count);
    for (int64_t i = 0; item && i < count; i++)
        if (!values || values[i] != (double)known[i])
            return rk_fail(m->env, RKHS_ERR_FORMAT, "'%s' in its report is not what the model has", name);
    return RKHS_OK;
}

/* Texts of the report must be UTF-8. */
static rkhs_status check_texts(const rkhs_model *m) {
    rkhs_item item;
    for (int64_t i = 0; rkhs_model_report(m, i, &item); i++)
        for (const char *s = item.text; s && *s;)
            if (rk_utf8_take(&s) == RK_NO_CHARACTER)
                return rk_fail(m->env, RKHS_ERR_FORMAT, "'%s' in its report is not UTF-8", item.name);
    return RKHS_OK;
}

static rkhs_status check_report(const rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    const rkhs_data *kept = m->map->objects;
    const rk_image *image = rk_images(kept);
    TRY(check_item(m, "rows", &m->n, 1));
    TRY(check_item(m, "reference_objects", &m->map->object_count, 1));
    if (!(kept->type->kind & (RK_KIND_STRING | RK_KIND_LABELS | RK_KIND_GRAPH)))
        TRY(check_item(m, "columns", &kept->columns, 1));
    if (image) TRY(check_item(m, "shape", (int64_t[]){image->h, image->w, image->c}, 3));
    if (!image && rk_report_find(&m->report, "shape"))
        FAIL(m->env, RKHS_ERR_FORMAT, "its report has a 'shape', but its objects are no images");
    TRY(check_texts(m));
done:
    return status;
}

rkhs_status rk_check_map(const rkhs_model *m, int nearest, int degree, int sphere) {
    const rk_map *map = m->map;
    int fits = (map->nearest > 0) == nearest && (int)map->degree == degree && (!map->Z || (nearest && degree)) &&
               (sphere || map->post == RK_POST_NONE);
    if (fits) return RKHS_OK;
    return rk_fail(m->env, RKHS_ERR_FORMAT, "its map is not one that %s makes", m->type->entry.name);
}

rkhs_status rk_check_full_map(const rkhs_model *m) { return rk_check_map(m, 0, RK_DEGREE_NONE, 0); }

static rkhs_status in_range(const rkhs_model *m, const char *what, const double *values, int64_t count) {
    for (int64_t i = 0; values && i < count; i++)
        if (!isfinite(values[i]))
            return rk_fail(m->env, RKHS_ERR_NUMERIC,
                           "%s: '%s' ran out of the range of numbers, as kernel values are very large or very small: scale the "
                           "data, or choose another kernel",
                           m->type->entry.name, what);
    return RKHS_OK;
}

/* All numbers of a fitted model must be finite. */
static rkhs_status check_finite(const rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    const rk_map *map = m->map;
    TRY(in_range(m, "embedding", m->Z, m->gram_rows * m->dim));
    TRY(in_range(m, "map", map->B, map->width * map->dim));
    TRY(in_range(m, "map", map->c, map->dim));
    TRY(in_range(m, "map", map->fingerprint, map->object_count));
    TRY(in_range(m, "map", map->half, map->object_count));
    for (const rk_state_part *part = m->type->state; part && part->name; part++) {
        const rk_state_matrix *matrix = (const void *)((const char *)m->state + part->offset);
        if (part->kind == RK_STATE_MATRIX) TRY(in_range(m, part->name, matrix->values, matrix->rows * matrix->columns));
    }
    for (int64_t i = 0; i < m->report.count; i++) {
        const rk_report_item *item = &m->report.items[i];
        TRY(in_range(m, item->name, item->values, item->rows * item->columns));
    }
done:
    return status;
}

rkhs_status rk_model_check(const rkhs_model *m) {
    rkhs_status status = RKHS_OK;
    if (!(m->map->objects->type->kind & rk_kernel_kinds(m->kernel)))
        FAIL(m->env, RKHS_ERR_FORMAT, "its kernel does not take %s data, which it keeps", m->map->objects->type->entry.name);
    TRY(check_counts(m));
    TRY(check_features(m));
    TRY(check_report(m));
    TRY(m->type->check(m));
done:
    return status;
}

rkhs_status rk_check_fitted(const rkhs_model *m) {
    rkhs_status status = check_finite(m);
    if (status == RKHS_OK) status = rk_model_check(m);
    if (status != RKHS_ERR_FORMAT) return status;
    return rk_reword(m->env, RKHS_ERR_NUMERIC,
                     "%s: the fit ran out of the range of numbers (%s): scale the data, or choose another kernel",
                     m->type->entry.name, m->env->message);
}
