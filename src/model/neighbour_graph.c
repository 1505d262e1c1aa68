/* neighbour_graph.c: the neighbourhood graph of kle, lpp, npe and tke, and its connected components. */
#include "model/neighbour_graph.h"

#include <stdio.h>

int64_t rk_neighbour_count(rkhs_env *env, int64_t k, int64_t n) {
    if (k >= n)
        rk_log(env, RKHS_LOG_ADVICE, "neighbours=%lld is more than %s, and all are taken", (long long)k,
               rk_counted(n - 1, "other object").text);
    return rk_min(k, n - 1);
}

void rk_advise_components(rkhs_env *env, int64_t n, int64_t components, int64_t isolated, const char *so) {
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

rkhs_status rk_neighbour_graph_new(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value,
                                   rk_neighbour_graph *out) {
    rkhs_status status = RKHS_OK;
    rk_csr F, T;
    double *clipped;
    TRY(rk_scratch(env, n * k, sizeof *clipped, &clipped));
    for (int64_t q = 0; q < n * k; q++) clipped[q] = fmax(value[q], 0);
    TRY(rk_csr_from_lists(env, n, k, index, clipped, &F));
    TRY(rk_csr_transpose(env, &F, &T));
    TRY(rk_csr_mean(env, &F, &T, &out->w));
    TRY(rk_scratch(env, n, sizeof *out->degree, &out->degree));
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = out->w.starts[i]; q < out->w.starts[i + 1]; q++) out->degree[i] += out->w.weight[q];
done:
    return status;
}

/* ---- connected components -------------------------------------------------------------------------------------- */

static int64_t root_of(int64_t *parent, int64_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

rkhs_status rk_connected_components(rkhs_env *env, const rk_csr *w, rk_components *out) {
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
