/* No routine's bits depend on where its arrays lie: each is called with its arrays 0 to 7 numbers further on. BLAS
 * of other processors (OPENBLAS_CORETYPE) differ here, so scripts/test runs this with several. */
#include "env.h"

#include "la/la.h"

enum { SHIFTS = 8, ROOM = 80 * 81, LD = 80 };

typedef struct sizes {
    int64_t m, n, k;
} sizes;

/* Reads A and B, writes C; rows are LD apart. */
typedef void call_fn(rkhs_env *env, const sizes *s, double *A, double *B, double *C);

/* A lower triangle that can be divided by. */
static void make_triangle(double *L) {
    for (int64_t i = 0; i < LD; i++) L[i * LD + i] = 4 + 0.1 * (double)(i % 7);
}

static void gemm_nn(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_gemm_tile('n', 'n', s->m, s->n, s->k, 0.7, A, LD, B, LD, 0.3, C, LD);
}
static void gemm_nt(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_gemm_tile('n', 't', s->m, s->n, s->k, 0.7, A, LD, B, LD, 0.3, C, LD);
}
static void gemm_tn(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_gemm_tile('t', 'n', s->m, s->n, s->k, 0.7, A, LD, B, LD, 0.3, C, LD);
}
static void gemm_tt(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_gemm_tile('t', 't', s->m, s->n, s->k, 0.7, A, LD, B, LD, 0.3, C, LD);
}
/* Vectors one after another, as columns of width 1. */
static void gemm_column(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_gemm_tile('n', 'n', s->m, 1, s->k, 0.7, A, LD, B, 1, 0.3, C, 1);
    rk_gemm_tile('t', 'n', s->m, 1, s->k, 0.7, A, LD, B, 1, 0.3, C + LD, 1);
}
static void gemm_single(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_gemm_single('n', 't', s->m, s->n, s->k, 0.7f, (float *)A, LD, (float *)B, LD, 0.3f, (float *)C, LD);
}
static void syrk(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_syrk_tile('n', s->n, s->k, 1, A, LD, 0.5, C, LD);
    rk_syrk_tile('t', s->n, s->k, -1, B, LD, 1, C, LD);
    rk_syrk_tile('n', s->n, s->k, -1, B, LD, 1, C, LD);
}
static void trsm(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    static const char side[] = "llrr", trans[] = "ntnt";
    make_triangle(A);
    for (int c = 0; c < 4; c++) rk_trsm_tile(side[c], trans[c], s->m, s->n, A, LD, C, LD);
}
static void trsm_vector(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    make_triangle(A);
    rk_trsm_tile('l', 'n', s->m, 1, A, LD, C, 1);
    rk_trsm_tile('l', 't', s->m, 1, A, LD, C + LD, 1);
    rk_trsm_tile('r', 'n', 1, s->n, A, LD, C + 2 * LD, LD);
    rk_trsm_tile('r', 't', 1, s->n, A, LD, C + 3 * LD, LD);
}
static void cholesky(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) C[i * LD + j] = rk_dot(LD, B + i * LD, B + j * LD);
    C[s->m * LD] = (double)rk_cholesky_tile(s->n, C, LD);
}
static void sums(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    int64_t n = s->m * s->n;
    C[0] = rk_dot(n, A, B);
    C[1] = rk_norm(n, A);
    C[2] = rk_sum(n, A);
    C[3] = rk_scaled_square(n, 1.1, A, 0.9, B);
    C[4] = rk_weighted_difference(n, A, 0.3, B);
    C[5] = 0;
    rk_add_forces(s->n, 1, A, B, LD, A + LD, C + 5, C + 6);
}
static void functions(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    int64_t n = s->m * s->n;
    rk_exp(n, C);
    rk_tanh(n, C);
    rk_log1p(n, C);
    rk_squared_distances(n, 3, A, 0.1, C);
}
static void products(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    rk_product(s->m, s->n, s->k, A, LD, B, LD, 0, C, LD);
    rk_product(s->m, s->n, s->k, A, LD, B, LD, 1, C, LD);
}
static void eigen(rkhs_env *env, const sizes *s, double *A, double *B, double *C) {
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) A[i * LD + j] = B[(i > j ? i : j) * LD + (i > j ? j : i)];
    OK(env, rk_eigen(env, s->n, A, LD, 0, s->n - 1, C, C + LD));
}

static const struct routine {
    const char *name;
    call_fn *call;
} routines[] = {{"gemm nn", gemm_nn},
                {"gemm nt", gemm_nt},
                {"gemm tn", gemm_tn},
                {"gemm tt", gemm_tt},
                {"gemm column", gemm_column},
                {"single gemm", gemm_single},
                {"syrk", syrk},
                {"trsm", trsm},
                {"trsm of a vector", trsm_vector},
                {"cholesky", cholesky},
                {"sums", sums},
                {"functions", functions},
                {"products", products},
                {"eigen", eigen}};

/* What a routine leaves in C with its arrays `shift`, 3 `shift` and 5 `shift` numbers past a multiple of 64 bytes. */
static void run(rkhs_env *env, const struct routine *r, const sizes *s, int shift, double *result) {
    static double room[3][ROOM + SHIFTS] __attribute__((aligned(64)));
    double *at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = room[a] + (2 * a + 1) * shift % SHIFTS;
        for (int64_t i = 0; i < ROOM; i++) at[a][i] = noise((uint64_t)a + 1, (uint64_t)i);
    }
    r->call(env, s, at[0], at[1], at[2]);
    memcpy(result, at[2], ROOM * sizeof *result);
}

static void bits_do_not_depend_on_where_arrays_lie(void **state) {
    static const sizes all[] = {{1, 1, 1}, {1, 7, 5},    {7, 1, 5},    {5, 7, 1},
                                {3, 5, 7}, {16, 16, 16}, {33, 40, 37}, {64, 71, 65}};
    static double first[ROOM], other[ROOM];
    int wrong = 0;
    for (size_t r = 0; r < sizeof routines / sizeof *routines; r++)
        for (size_t s = 0; s < sizeof all / sizeof *all; s++) {
            run(*state, &routines[r], &all[s], 0, first);
            for (int shift = 1; shift < SHIFTS; shift++) {
                run(*state, &routines[r], &all[s], shift, other);
                if (memcmp(first, other, sizeof first) == 0) continue;
                print_message("%s of %d x %d x %d: other bits at %d bytes\n", routines[r].name, (int)all[s].m, (int)all[s].n,
                              (int)all[s].k, 8 * shift);
                wrong++;
            }
        }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {ENV_TEST(bits_do_not_depend_on_where_arrays_lie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
