/* eigenmap.c: Laplacian eigenmaps of a neighbourhood graph, one connected component at a time.
 *
 *     W = (F + F')/2, F the neighbour lists;  (D - W) v = mu D v, D the degrees;  the constant v is left out
 *
 * It finds the largest eigenvalues l = 1 - mu of D^-1 W, which lie between -1 and 1. A graph of several connected
 * components has one constant for each, and its first eigenvectors only tell the components apart. So each component
 * is embedded on its own, at unit standard deviation (weighted by degrees) times the root of its size relative to the
 * largest one, and components are laid out side by side. */
#include "model/eigenmap.h"

#include <stdio.h>
#include <string.h>

int64_t rk_graph_k(rkhs_env *env, int64_t k, int64_t n) {
    if (k >= n)
        rk_log(env, RKHS_LOG_ADVICE, "neighbours=%lld: there %s %lld other object%s, and all are taken", (long long)k,
               n == 2 ? "is" : "are", (long long)(n - 1), n == 2 ? "" : "s");
    return rk_min(k, n - 1);
}

void rk_graph_advise(rkhs_env *env, int64_t n, int64_t components, int64_t isolated, const char *so) {
    char single[48] = "";
    if (isolated == n) {
        rk_log(env, RKHS_LOG_ADVICE, "no two objects have a kernel value above 0: all are placed at 0: choose a wider kernel");
        return;
    }
    if (components < 2) return;
    if (isolated) snprintf(single, sizeof single, ", %lld of them single objects", (long long)isolated);
    rk_log(env, RKHS_LOG_ADVICE,
           "the graph of neighbours has %lld connected components%s: %s; raise neighbours, or choose a wider kernel, to join "
           "them",
           (long long)components, single, so);
}

rkhs_status rk_graph_new(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, rk_graph *out) {
    rkhs_status status = RKHS_OK;
    rk_csr F, T;
    double *clipped;
    TRY(rk_scratch(env, n * k, sizeof *clipped, &clipped));
    for (int64_t q = 0; q < n * k; q++) clipped[q] = fmax(value[q], 0);
    TRY(rk_csr_lists(env, n, k, index, clipped, &F));
    TRY(rk_csr_transpose(env, &F, &T));
    TRY(rk_csr_mean(env, &F, &T, &out->w));
    TRY(rk_scratch(env, n, sizeof *out->degree, &out->degree));
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = out->w.starts[i]; q < out->w.starts[i + 1]; q++) out->degree[i] += out->w.weight[q];
done:
    return status;
}

rkhs_status rk_graph_apply(void *context, rkhs_env *env, const double *V, int64_t k, double *out) {
    const rk_graph *g = context;
    rk_mark mark = rk_scratch_mark(env);
    int64_t n = g->w.n;
    double *sum, all = 0;
    rkhs_status status = rk_scratch(env, k, sizeof *sum, &sum);
    if (status == RKHS_OK) status = rk_csr_apply(env, &g->w, V, k, out);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++) {
        all += g->degree[i];
        for (int64_t c = 0; c < k; c++) sum[c] += g->degree[i] * V[i * k + c];
    }
    for (int64_t i = 0; status == RKHS_OK && all > 0 && i < n; i++)
        for (int64_t c = 0; c < k; c++) out[i * k + c] -= RK_CONSTANT_SHIFT * g->degree[i] * sum[c] / all;
    rk_scratch_release(env, mark);
    return status;
}

/* ---- connected components -------------------------------------------------------------------------------------- */

static int64_t root_of(int64_t *parent, int64_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

rkhs_status rk_graph_components(rkhs_env *env, const rk_csr *w, rk_components *out) {
    rkhs_status status = RKHS_OK;
    *out = (rk_components){0};
    int64_t n = w->n, *parent, *size, *next, *bucket;
    TRY(rk_scratch(env, n + 1, sizeof *out->starts, &out->starts));
    TRY(rk_scratch(env, n, sizeof *out->order, &out->order));
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_scratch(env, n, sizeof *parent, &parent));
    TRY(rk_scratch(env, n, sizeof *size, &size));
    TRY(rk_scratch(env, n, sizeof *next, &next));
    TRY(rk_scratch(env, n + 2, sizeof *bucket, &bucket));
    for (int64_t i = 0; i < n; i++) parent[i] = i;
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = w->starts[i]; q < w->starts[i + 1]; q++) { /* union-find; the lowest object is the root */
            int64_t a = root_of(parent, i), b = root_of(parent, w->to[q]);
            if (w->weight[q] != 0) parent[rk_max(a, b)] = rk_min(a, b);
        }
    for (int64_t i = 0; i < n; i++) size[root_of(parent, i)]++;
    /* Counting sort of the roots by size, largest first. */
    for (int64_t i = 0; i < n; i++)
        if (size[i]) bucket[size[i]]++, out->count++, out->isolated += size[i] == 1;
    for (int64_t s = n, before = 0; s >= 1; s--) {
        int64_t many = bucket[s];
        bucket[s] = before;
        before += many;
    }
    for (int64_t i = 0; i < n; i++)
        if (size[i]) {
            int64_t p = bucket[size[i]]++;
            out->starts[p + 1] = size[i];
            next[i] = p;
        }
    for (int64_t p = 0; p < out->count; p++) out->starts[p + 1] += out->starts[p];
    for (int64_t i = 0; i < n; i++) size[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t root = root_of(parent, i);
        out->order[out->starts[next[root]] + size[root]++] = i;
    }
    rk_scratch_release(env, mark);
done:
    return status;
}

/* The subgraph of one component: `count` objects that have no edges to others. `local` is scratch, n numbers. */
static rkhs_status sub_graph(rkhs_env *env, const rk_graph *g, const int64_t *objects, int64_t count, int64_t *local,
                             rk_graph *out) {
    rkhs_status status = RKHS_OK;
    int64_t entries = 0;
    for (int64_t a = 0; a < count; a++) {
        local[objects[a]] = a;
        entries += g->w.starts[objects[a] + 1] - g->w.starts[objects[a]];
    }
    TRY(rk_csr_room(env, count, entries, &out->w));
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
static rkhs_status embed_component(rkhs_env *env, const rk_spec *solver, const rk_graph *g, const int64_t *objects, int64_t dim,
                                   double *Z, double *l, rk_eigenmap *out) {
    rkhs_status status = RKHS_OK;
    int64_t n = g->w.n, k = rk_min(dim, n - 1);
    rk_spectral problem = {.coordinates = RK_COORD_SAMPLE,
                           .m_kind = RK_M_OPERATOR,
                           .m = {n, rk_graph_apply, (void *)(uintptr_t)g},
                           .n = g->degree,
                           .count = k};
    rk_spectrum s;
    double all = 0;
    for (int64_t c = 0; c < dim; c++) l[c] = 1;
    if (k < 1) goto done;
    TRY(rk_solve_sample(env, solver, &problem, &s));
    for (int64_t i = 0; i < n; i++) all += g->degree[i];
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

rkhs_status rk_eigenmap_new(rkhs_env *env, const rk_spec *solver, const rk_graph *g, int64_t dim, double *Z, double *B,
                            rk_eigenmap *out) {
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
    TRY(rk_graph_components(env, &g->w, &all));
    memset(Z, 0, (size_t)(n * dim) * sizeof *Z);
    for (int64_t p = 0; p < all.count; p++) {
        const int64_t *objects = all.order + all.starts[p];
        int64_t count = all.starts[p + 1] - all.starts[p];
        double share = sqrt((double)count / (double)all.starts[1]);
        rk_mark mark = rk_scratch_mark(env);
        rk_graph part;
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
    rk_graph g;
    rk_eigenmap found;
    TRY(rk_graph_new(env, n, k, index, value, &g));
    TRY(rk_eigenmap_new(env, NULL, &g, dim, Z, NULL, &found));
done:
    rk_scratch_release(env, mark);
    return status;
}
