/* gradient.c: derivatives of k(x, y) with respect to x on dense rows, for models that move the rows themselves.
 *
 *     dk/dx = 2 (dk/ds) (x - y),  s = |x - y|^2,     or     (dk/du) y,  u = <x, y>
 *
 * So a weighted sum over y is a matrix product. Sums, products, weights and powers combine those of their children. */
#include "kernel/kernel.h"

int rk_kernel_has_gradient(const rkhs_kernel *k) {
    int has = k->type->gradient != NULL;
    for (int i = 0; has && i < k->children; i++) has = rk_kernel_has_gradient(k->child[i]);
    return has;
}

static int64_t depth(const rkhs_kernel *k) {
    int64_t deepest = 0;
    for (int i = 0; i < k->children; i++) deepest = rk_max(deepest, depth(k->child[i]));
    return deepest + 1;
}

rkhs_status rk_gradient_work(rkhs_env *env, int64_t workers, const rk_bound *a, const rk_bound *b, rk_work **work) {
    rkhs_status status = rk_work_for(env, workers, a, b, work);
    int64_t each = status == RKHS_OK ? (*work)[0].left + depth(a->kernel) * 2 * RK_TILE * RK_TILE : 0;
    double *room;
    if (status == RKHS_OK) status = rk_scratch_raw(env, each * workers, sizeof *room, &room);
    for (int64_t i = 0; status == RKHS_OK && i < workers; i++) (*work)[i] = (rk_work){room + i * each, each};
    return status;
}

void rk_gradient_rows(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *own,
                      const double *other, double *dx) {
    enum { STRIP = 8 }; /* columns of floats that are widened at a time */
    const rk_dense *x = a->x->self, *y = b->x->self;
    int64_t p = a->x->columns;
    double room[RK_TILE * STRIP];
    if (y->values) rk_gemm_tile('n', 'n', ni, p, nj, 1.0, other, RK_TILE, y->values + j0 * y->ld, y->ld, 1.0, dx, p);
    for (int64_t c = 0; !y->values && c < p; c += STRIP) {
        int64_t nc = rk_min(STRIP, p - c);
        for (int64_t j = 0; j < nj; j++) rk_dense_row(y, j0 + j, c, nc, room + j * nc);
        rk_gemm_tile('n', 'n', ni, nc, nj, 1.0, other, RK_TILE, room, nc, 1.0, dx + c, p);
    }
    for (int64_t i = 0; own && i < ni; i++)
        for (int64_t c = 0; c < p; c++) dx[i * p + c] += own[i] * rk_dense_at(x, i0 + i, c);
}

void rk_gradient_squared_distances(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj,
                                   const double *w, int64_t ld, double *slope, double *dx) {
    double own[RK_TILE];
    for (int64_t i = 0; i < ni; i++) {
        double *row = slope + i * RK_TILE;
        for (int64_t j = 0; j < nj; j++) row[j] *= -2 * w[i * ld + j];
        own[i] = -rk_sum(nj, row);
    }
    rk_gradient_rows(a, i0, ni, b, j0, nj, own, slope, dx);
}

void rk_gradient_dots(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, const double *w,
                      int64_t ld, double *slope, double *dx) {
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) slope[i * RK_TILE + j] *= w[i * ld + j];
    rk_gradient_rows(a, i0, ni, b, j0, nj, NULL, slope, dx);
}
