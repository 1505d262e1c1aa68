/* eigenmap.c: Laplacian eigenmaps of a neighbourhood graph, one connected component at a time.
 *
 *     W = (F + F')/2, F the neighbour lists;  (D - W) v = mu D v, D the degrees;  the constant v is left out
 *
 * It finds the largest eigenvalues l = 1 - mu of D^-1 W, which lie between -1 and 1. A graph of several connected
 * components has one constant for each, and its first eigenvectors only tell the components apart. So each component
 * is embedded on its own, at unit standard deviation (weighted by degrees) times the root of its size relative to the
 * largest one, and components are laid out side by side. */
#include "model/eigenmap.h"

#include <string.h>

/* The subgraph of one component: `count` objects that have no edges to others. `local` is scratch, n numbers. */
static rkhs_status sub_graph(rkhs_env *env, const rk_neighbour_graph *g, const int64_t *objects, int64_t count, int64_t *local,
                             rk_neighbour_graph *out) {
    rkhs_status status = RKHS_OK;
    int64_t entries = 0;
    for (int64_t a = 0; a < count; a++) {
        local[objects[a]] = a;
        entries += g->w.starts[objects[a] + 1] - g->w.starts[objects[a]];
    }
    TRY(rk_csr_alloc(env, count, entries, &out->w));
    TRY(rk_scratch(env, count, sizeof *out->degree, &out->degree));
    entries = 0;
    for (int64_t a = 0; a < count; a++) {
        out->degree[a] = g->degree[objects[a]];
        for (int64_t q = g->w.starts[objects[a]]; q < g->w.starts[objects[a] + 1]; q++, entries++) {
            out->w.to[entries] = local[g->w.to[q]]; /* ascending, since `objects` is */
            out->w.weight[entries] = g->w.weight[q];
        }
        out->w.starts[a + 1] = entries;
    }
done:
    return status;
}

/* ---- embedding ------------------------------------------------------------------------------------------------- */

/* Embeds one component at unit deviation: the rows `objects` of Z, and l (dim). Missing dimensions are 0 with l = 1. */
static rkhs_status embed_component(rkhs_env *env, const rk_spec *solver, const rk_neighbour_graph *g, const int64_t *objects,
                                   int64_t dim, double *Z, double *l, rk_eigenmap *out) {
    rkhs_status status = RKHS_OK;
    int64_t n = g->w.n, k = rk_min(dim, n - 1);
    rk_graph_matrix m = {.graph = &g->w, .constant = g->degree};
    rk_spectral problem = {.coordinates = RK_COORD_SAMPLE, .m_kind = RK_M_GRAPH, .m = &m, .n = g->degree, .count = k};
    rk_spectrum s;
    double all;
    for (int64_t c = 0; c < dim; c++) l[c] = 1;
    if (k < 1) goto done;
    TRY(rk_solve_sample(env, solver, &problem, &s));
    all = rk_rows_sum(n, 1, g->degree);
    for (int64_t c = 0; c < k; c++) l[c] = s.values[c];
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) Z[objects[i] * dim + c] = sqrt(all) * s.coef[i * k + c];
    if (!out->found) { /* the report is about the first component, which is the largest */
        out->solver = s.solver;
        out->iterations = s.iterations;
        memcpy(out->residuals, s.residuals, (size_t)k * sizeof *out->residuals);
        memcpy(out->values, s.values, (size_t)k * sizeof *out->values);
        out->found = k;
    }
    out->converged &= s.converged;
done:
    return status;
}

/* Layout of components in columns from left to right, each as high as the first component. */
typedef struct shelf {
    double left, next; /* left edge of this column, and of the next one */
    double free;       /* upper end of the free part of this column */
    double top, bottom;
    int used; /* a component was placed */
} shelf;

/* Moves a component by `at` to its position. With dim = 1 all components are in one row. */
static void lay_out(shelf *s, double gap, double *Z, const int64_t *objects, int64_t count, int64_t dim, double *at) {
    double low[2] = {0, 0}, high[2] = {0, 0};
    int axes = dim > 1 ? 2 : 1;
    for (int axis = 0; axis < axes; axis++)
        for (int64_t i = 0; i < count; i++) {
            low[axis] = fmin(low[axis], Z[objects[i] * dim + axis]);
            high[axis] = fmax(high[axis], Z[objects[i] * dim + axis]);
        }
    double tall = high[1] - low[1];
    if (s->used && (axes < 2 || s->free - tall < s->bottom)) s->left = s->next, s->free = s->top;
    at[0] = s->left - low[0];
    if (axes > 1) at[1] = s->free - high[1];
    s->next = fmax(s->next, s->left + high[0] - low[0] + gap);
    s->free -= tall + gap;
    s->used = 1;
    for (int64_t i = 0; i < count; i++)
        for (int axis = 0; axis < axes; axis++) Z[objects[i] * dim + axis] += at[axis];
}

/* The first component stays; the others begin to its right. */
static void begin_shelf(shelf *s, const double *Z, int64_t n, int64_t dim) {
    *s = (shelf){0};
    for (int64_t i = 0; i < n; i++) {
        s->left = fmax(s->left, Z[i * dim]);
        if (dim < 2) continue;
        s->top = fmax(s->top, Z[i * dim + 1]);
        s->bottom = fmin(s->bottom, Z[i * dim + 1]);
    }
    s->left += 0.5;
    s->next = s->left;
    s->free = s->top;
}

rkhs_status rk_eigenmap_new(rkhs_env *env, const rk_spec *solver, const rk_neighbour_graph *g, int64_t dim, double *Z,
                            double *B, rk_eigenmap *out) {
    rkhs_status status = RKHS_OK;
    int64_t n = g->w.n, *local;
    rk_components all;
    shelf s = {0};
    double *l, *at;
    *out = (rk_eigenmap){.converged = 1};
    TRY(rk_scratch(env, dim, sizeof *out->values, &out->values));
    TRY(rk_scratch(env, dim, sizeof *out->residuals, &out->residuals));
    TRY(rk_scratch(env, dim, sizeof *l, &l));
    TRY(rk_scratch(env, dim, sizeof *at, &at));
    TRY(rk_scratch(env, n, sizeof *local, &local));
    TRY(rk_connected_components(env, &g->w, &all));
    memset(Z, 0, (size_t)(n * dim) * sizeof *Z);
    for (int64_t p = 0; p < all.count; p++) {
        const int64_t *objects = all.order + all.starts[p];
        int64_t count = all.starts[p + 1] - all.starts[p];
        double share = sqrt((double)count / (double)all.starts[1]);
        rk_mark mark = rk_scratch_mark(env);
        rk_neighbour_graph part;
        status = sub_graph(env, g, objects, count, local, &part);
        if (status == RKHS_OK) status = embed_component(env, solver, &part, objects, dim, Z, l, out);
        rk_scratch_release(env, mark);
        if (status != RKHS_OK) goto done;
        memset(at, 0, (size_t)dim * sizeof *at);
        for (int64_t i = 0; i < count; i++)
            for (int64_t c = 0; c < dim; c++) Z[objects[i] * dim + c] *= share;
        if (p == 0)
            begin_shelf(&s, Z, n, dim);
        else if (all.starts[1] > 1) /* else no two objects are connected, and all stay at 0 */
            lay_out(&s, 0.1 + 0.4 * share, Z, objects, count, dim, at);
        for (int64_t i = 0; B && i < count; i++)
            for (int64_t c = 0; c < dim; c++) {
                double z = Z[objects[i] * dim + c];
                B[objects[i] * dim + c] = l[c] > RK_EIGENMAP_MIN ? at[c] + (z - at[c]) / l[c] : z;
            }
    }
    out->components = all.count;
    out->isolated = all.isolated;
done:
    return status;
}

rkhs_status rk_start_kle(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, int64_t dim,
                         double *Z) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rk_neighbour_graph g;
    rk_eigenmap found;
    TRY(rk_neighbour_graph_new(env, n, k, index, value, &g));
    TRY(rk_eigenmap_new(env, NULL, &g, dim, Z, NULL, &found));
done:
    rk_scratch_release(env, mark);
    return status;
}
