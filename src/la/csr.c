/* csr.c: sparse square matrices in compressed row (CSR) form, such as neighbour graphs. */
#include "la/la.h"

#include <string.h>

enum { ROWS = 1024 }; /* rows in a tile */

rkhs_status rk_csr_alloc(rkhs_env *env, int64_t n, int64_t count, rk_csr *out) {
    rkhs_status status = RKHS_OK;
    *out = (rk_csr){.n = n};
    TRY(rk_scratch(env, n + 1, sizeof *out->starts, &out->starts));
    TRY(rk_scratch(env, count, sizeof *out->to, &out->to));
    TRY(rk_scratch(env, count, sizeof *out->weight, &out->weight));
done:
    return status;
}

rkhs_status rk_csr_from_lists(rkhs_env *env, int64_t n, int64_t k, const int64_t *index, const double *value, rk_csr *out) {
    rkhs_status status = rk_csr_alloc(env, n, n * k, out);
    int64_t count = 0;
    for (int64_t i = 0; status == RKHS_OK && i < n; i++) {
        int64_t first = count;
        for (int64_t q = 0; q < k; q++) {
            double v = value[i * k + q];
            if (v == 0) continue;
            int64_t at = count++;
            for (; at > first && out->to[at - 1] > index[i * k + q]; at--)
                out->to[at] = out->to[at - 1], out->weight[at] = out->weight[at - 1];
            out->to[at] = index[i * k + q];
            out->weight[at] = v;
        }
        out->starts[i + 1] = count;
    }
    return status;
}

rkhs_status rk_csr_transpose(rkhs_env *env, const rk_csr *a, rk_csr *out) {
    rkhs_status status = RKHS_OK;
    int64_t n = a->n, count = a->starts[n], *next;
    TRY(rk_csr_alloc(env, n, count, out));
    rk_mark mark = rk_scratch_mark(env);
    TRY(rk_scratch(env, n, sizeof *next, &next));
    for (int64_t q = 0; q < count; q++) out->starts[a->to[q] + 1]++;
    for (int64_t i = 0; i < n; i++) out->starts[i + 1] += out->starts[i], next[i] = out->starts[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = a->starts[i]; q < a->starts[i + 1]; q++) {
            int64_t at = next[a->to[q]]++;
            out->to[at] = i;
            out->weight[at] = a->weight[q];
        }
    rk_scratch_release(env, mark);
done:
    return status;
}

rkhs_status rk_csr_mean(rkhs_env *env, const rk_csr *a, const rk_csr *b, rk_csr *out) {
    int64_t n = a->n, count = 0;
    rkhs_status status = rk_csr_alloc(env, n, a->starts[n] + b->starts[n], out);
    for (int64_t i = 0; status == RKHS_OK && i < n; i++) {
        int64_t p = a->starts[i], q = b->starts[i];
        while (p < a->starts[i + 1] || q < b->starts[i + 1]) {
            int64_t ja = p < a->starts[i + 1] ? a->to[p] : INT64_MAX, jb = q < b->starts[i + 1] ? b->to[q] : INT64_MAX;
            double v = 0;
            if (ja <= jb) v += a->weight[p++];
            if (jb <= ja) v += b->weight[q++];
            out->to[count] = rk_min(ja, jb);
            out->weight[count++] = v / 2;
        }
        out->starts[i + 1] = count;
    }
    return status;
}

typedef struct csr_loop {
    const rk_csr *a;
    const double *V;
    int64_t k;
    double *out;
} csr_loop;

static rkhs_status csr_tile(void *context, int64_t tile, int worker) {
    const csr_loop *l = context;
    int64_t k = l->k;
    for (int64_t i = tile * ROWS; i < rk_min((tile + 1) * ROWS, l->a->n); i++) {
        double *row = l->out + i * k;
        memset(row, 0, (size_t)k * sizeof *row);
        for (int64_t q = l->a->starts[i]; q < l->a->starts[i + 1]; q++) {
            const double *from = l->V + l->a->to[q] * k, w = l->a->weight[q];
            for (int64_t c = 0; c < k; c++) row[c] += w * from[c];
        }
    }
    return RKHS_OK;
}

rkhs_status rk_csr_apply(rkhs_env *env, const rk_csr *a, const double *V, int64_t k, double *out) {
    csr_loop l = {a, V, k, out};
    return rk_parallel(env, NULL, (a->n + ROWS - 1) / ROWS, csr_tile, &l);
}
