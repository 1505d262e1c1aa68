/* What every solver for eigenproblems promises: the right pairs, true residuals, and a state that can be saved and
 * gone on from. */
#include "trials.h"

enum { N = 90, K = 5 };

/* A symmetric matrix as an operator that counts how often it is asked. */
typedef struct matrix {
    const double *A;
    int64_t products;
} matrix;

static rkhs_status apply(void *context_, rkhs_env *env, const double *V, int64_t k, double *out) {
    matrix *m = context_;
    m->products += k;
    return rk_gemm(env, NULL, 'n', 'n', N, k, N, 1.0, m->A, N, V, k, 0.0, out, k);
}

/* Symmetric matrices: random; of rank 3; with eigenvalues that are repeated; zero. */
static const char *const kinds[] = {"random", "of rank 3", "with repeated eigenvalues", "zero", "all negative"};

static double *some_matrix(rkhs_env *env, int kind) {
    double *A = numbers(env, N * N), *B = normals(env, N * N, 70 + kind);
    memset(A, 0, N * N * sizeof *A);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j <= i; j++) {
            double v = 0;
            if (kind == 0) v = B[i * N + j];
            for (int64_t c = 0; kind == 1 && c < 3; c++) v += B[i * N + c] * B[j * N + c];
            if (kind == 2 && i == j) v = i < 4 ? 10 : i < 8 ? 7 : 1.0 / (double)i;
            for (int64_t c = 0; kind == 4 && c < N; c++) v -= B[i * N + c] * B[j * N + c] / N;
            A[i * N + j] = A[j * N + i] = v;
        }
    return A;
}

/* A solver on a matrix, from start to end; `stop` steps before its state goes through a file into a new one (0:
 * never). */
typedef struct run {
    matrix m;
    rk_solver_problem p;
} run;

static void run_open(rkhs_env *env, run *r, const double *A, int by_magnitude) {
    r->m = (matrix){A, 0};
    r->p = (rk_solver_problem){.env = env, .size = N, .k = K, .by_magnitude = by_magnitude, .a = {N, apply, &r->m}};
    r->p.x = numbers(env, N * K);
    r->p.values = numbers(env, K);
    r->p.residuals = numbers(env, K);
}

static int next_solver(rkhs_env *env, int *i, rk_spec **spec) {
    for (; rk_eigensolvers.entries[*i]; ++*i) {
        if (((const rk_solver_type *)rk_eigensolvers.entries[*i])->shape != RK_SHAPE_SPECTRAL) continue;
        OK(env, rk_spec_new(env, &rk_eigensolvers, rk_eigensolvers.entries[*i]->name, spec));
        ++*i;
        return 1;
    }
    return 0;
}

/* The wanted eigenvalues, by LAPACK; the result is the size of the largest of all. */
static double wanted(rkhs_env *env, const double *A, int by_magnitude, double *out) {
    double *B = numbers(env, N * N), *w = numbers(env, N);
    memcpy(B, A, N * N * sizeof *B);
    OK(env, rk_eigen(env, N, B, N, 0, N - 1, w, numbers(env, N * N)));
    for (int64_t c = 0, low = 0, high = N - 1; c < K; c++)
        out[c] = by_magnitude && fabs(w[low]) > fabs(w[high]) ? w[low++] : w[high--];
    return fmax(largest(w, N), 1e-300);
}

static void solvers_find_the_largest_eigenpairs(void **state) {
    rkhs_env *env = *state;
    rk_spec *solver;
    for (int s = 0; next_solver(env, &s, &solver); rk_spec_free(env, solver))
        for (int t = 0; t < 10; t++) {
            rk_mark mark = rk_scratch_mark(env);
            double *A = some_matrix(env, t / 2), right[K], *AX = numbers(env, N * K);
            run r;
            LOOK_AT("%s on a matrix that is %s%s", solver->entry->name, kinds[t / 2], t % 2 ? ", by size" : "");
            double scale = wanted(env, A, t % 2, right);
            run_open(env, &r, A, t % 2);
            FINE(env, rk_solve(solver, &r.p));
            HOLDS(r.p.converged && r.p.iterations > 0);
            FINE(env, apply(&r.m, env, r.p.x, K, AX));
            for (int64_t c = 0; c < K; c++) {
                double residual = 0;
                HOLDS(fabs(r.p.values[c] - right[c]) <= 1e-10 * scale);
                for (int64_t i = 0; i < N; i++) residual += pow(AX[i * K + c] - r.p.values[c] * r.p.x[i * K + c], 2);
                HOLDS(sqrt(residual) <= 1e-10 * scale && fabs(sqrt(residual) - r.p.residuals[c]) <= 1e-11 * scale);
                for (int64_t d = 0; d <= c; d++) {
                    double dot = 0;
                    for (int64_t i = 0; i < N; i++) dot += r.p.x[i * K + c] * r.p.x[i * K + d];
                    HOLDS(fabs(dot - (c == d)) < 1e-10);
                }
            }
            rk_scratch_release(env, mark);
        }
}

/* Goes on to the end from wherever the state is. */
static void run_on(rkhs_env *env, run *r, const rk_spec *solver, void *state, int done) {
    const rk_solver_type *type = (const rk_solver_type *)solver->entry;
    while (!done) FINE(env, type->step(&r->p, solver->self, state, &done));
    FINE(env, type->finish(&r->p, solver->self, state));
}

static void a_saved_state_goes_on_with_the_same_bits(void **state_) {
    rkhs_env *env = *state_;
    rk_spec *solver;
    for (int s = 0; next_solver(env, &s, &solver); rk_spec_free(env, solver)) {
        const rk_solver_type *type = (const rk_solver_type *)solver->entry;
        for (int stop = 0; stop < 12; stop++) {
            rk_mark mark = rk_scratch_mark(env);
            double *A = some_matrix(env, 0);
            rk_archive *archive;
            void *state, *other;
            run whole, half, rest;
            int done = 0;
            LOOK_AT("%s, saved after %d steps", solver->entry->name, stop);
            run_open(env, &whole, A, 0);
            FINE(env, rk_solve(solver, &whole.p));
            run_open(env, &half, A, 0);
            FINE(env, type->start(&half.p, solver->self, &state));
            for (int i = 0; i < stop && !done; i++) FINE(env, type->step(&half.p, solver->self, state, &done));
            if (!done) {
                FINE(env, rk_archive_new(env, &archive));
                FINE(env, type->state_save(&half.p, state, archive));
                FINE(env, rk_archive_write(archive, "state"));
                rk_archive_free(archive);
                run_open(env, &rest, A, 0);
                FINE(env, type->start(&rest.p, solver->self, &other));
                FINE(env, rk_archive_read(env, "state", &archive));
                FINE(env, type->state_load(&rest.p, other, archive));
                rk_archive_free(archive);
                run_on(env, &rest, solver, other, 0);
                same_bits("values", rest.p.values, whole.p.values, K);
                same_bits("vectors", rest.p.x, whole.p.x, N * K);
                HOLDS(rest.p.iterations == whole.p.iterations && rest.p.products == whole.p.products);
                if (other) type->release(&rest.p, other);
            }
            run_on(env, &half, solver, state, done);
            same_bits("vectors of the one that was saved", half.p.x, whole.p.x, N * K);
            if (state) type->release(&half.p, state);
            rk_scratch_release(env, mark);
        }
    }
}

/* ---- many pairs: T is large, and lanczos looks at it only when V is full --------------------------------------- */

enum { M = 420, MANY = 150 };

static rkhs_status apply_large(void *context_, rkhs_env *env, const double *V, int64_t k, double *out) {
    return rk_gemm(env, NULL, 'n', 'n', M, k, M, 1.0, context_, M, V, k, 0.0, out, k);
}

static void large_open(rkhs_env *env, rk_solver_problem *p, double *A) {
    *p = (rk_solver_problem){.env = env, .size = M, .k = MANY, .a = {M, apply_large, A}};
    p->x = numbers(env, M * MANY);
    p->values = numbers(env, MANY);
    p->residuals = numbers(env, MANY);
}

static void many_pairs_are_found_and_gone_on_with(void **state) {
    rkhs_env *env = *state;
    const rk_solver_type *type;
    double *x = normals(env, 3 * M, 90), *A = numbers(env, M * M), *B = numbers(env, M * M), *w = numbers(env, M);
    rk_spec *solver;
    rk_solver_problem whole, half, rest;
    for (int64_t i = 0; i < M; i++)
        for (int64_t j = 0; j < M; j++) {
            double square = 0;
            for (int c = 0; c < 3; c++) square += pow(x[3 * i + c] - x[3 * j + c], 2);
            A[i * M + j] = B[i * M + j] = exp(-square);
        }
    OK(env, rk_eigen(env, M, B, M, 0, M - 1, w, numbers(env, M * M)));
    OK(env, rk_spec_new(env, &rk_eigensolvers, "lanczos", &solver));
    type = (const rk_solver_type *)solver->entry;
    large_open(env, &whole, A);
    LOOK_AT("lanczos, %d pairs of %d", MANY, M);
    FINE(env, rk_solve(solver, &whole));
    HOLDS(whole.converged && whole.iterations > 20);
    for (int64_t c = 0; c < MANY; c++) HOLDS(fabs(whole.values[c] - w[M - 1 - c]) <= 1e-11 * w[M - 1]);
    for (int64_t stop = 15; stop < 24; stop += 2) { /* blocks of 16: T passes 256 after 16 steps, V is full after 20 */
        rk_mark mark = rk_scratch_mark(env);
        rk_archive *archive;
        void *first, *second;
        int done = 0;
        LOOK_AT("lanczos, %d pairs of %d, saved after %d steps", MANY, M, (int)stop);
        large_open(env, &half, A);
        FINE(env, type->start(&half, solver->self, &first));
        for (int64_t i = 0; i < stop; i++) FINE(env, type->step(&half, solver->self, first, &done));
        HOLDS(!done);
        FINE(env, rk_archive_new(env, &archive));
        FINE(env, type->state_save(&half, first, archive));
        FINE(env, rk_archive_write(archive, "state"));
        rk_archive_free(archive);
        type->release(&half, first);
        large_open(env, &rest, A);
        FINE(env, type->start(&rest, solver->self, &second));
        FINE(env, rk_archive_read(env, "state", &archive));
        FINE(env, type->state_load(&rest, second, archive));
        rk_archive_free(archive);
        while (!done) FINE(env, type->step(&rest, solver->self, second, &done));
        FINE(env, type->finish(&rest, solver->self, second));
        type->release(&rest, second);
        same_bits("values", rest.values, whole.values, MANY);
        same_bits("vectors", rest.x, whole.x, M * MANY);
        rk_scratch_release(env, mark);
    }
    rk_spec_free(env, solver);
    rk_scratch_release(env, NULL);
}

/* ---- the dense solver centres a Gram itself -------------------------------------------------------------------- */

/* Eigenvalues of the centred data's own Gram, in long double until it is formed: what no rounding of a mean can
 * spoil. */
static double *centred_values(rkhs_env *env, const double *x, int64_t p) {
    double *A = numbers(env, N * N), *w = numbers(env, N);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            long double sum = 0;
            for (int64_t c = 0; c < p; c++) {
                long double mean = 0;
                for (int64_t q = 0; q < N; q++) mean += (long double)x[q * p + c] / N;
                sum += (x[i * p + c] - mean) * (x[j * p + c] - mean);
            }
            A[i * N + j] = (double)sum;
        }
    OK(env, rk_eigen(env, N, A, N, 0, N - 1, w, numbers(env, N * N)));
    return w;
}

static void the_dense_solver_needs_no_products_to_centre_a_gram(void **state) {
    rkhs_env *env = *state;
    enum { P = 4 };
    static const double means[] = {0, 10, 1e4};
    for (int t = 0; t < 3; t++) {
        rk_mark mark = rk_scratch_mark(env);
        double *x = normals(env, N * P, 91);
        for (int64_t i = 0; i < N * P; i++) x[i] += means[t];
        const rk_spectral problem = {.coordinates = RK_COORD_ISOMETRIC, .m_kind = RK_M_CENTRE, .mu = 1, .count = P};
        rkhs_data *data;
        rkhs_kernel *k;
        rk_spec *exact, *solver;
        rk_gram *g;
        rk_spectrum s;
        LOOK_AT("linear on rows at %g", means[t]);
        FINE(env, rkhs_data_dense(env, x, N, P, P, &data));
        FINE(env, rkhs_kernel_new(env, "linear", &k));
        FINE(env, rk_spec_new(env, &rk_grams, "exact", &exact));
        FINE(env, rk_spec_new(env, &rk_eigensolvers, "dense", &solver));
        FINE(env, rk_gram_new(env, exact, k, data, &g));
        FINE(env, rk_solve_spectral(g, solver, &problem, &s));
        double *w = centred_values(env, x, P);
        for (int c = 0; c < P; c++) HOLDS(fabs(s.values[c] - w[N - 1 - c]) <= 1e-13 * w[N - 1] + 1e-15 * s.abs_trace);
        HOLDS(s.products == P); /* of the residuals alone */
        rk_gram_free(g);
        rk_spec_free(env, solver);
        rk_spec_free(env, exact);
        rkhs_kernel_free(k);
        rkhs_data_free(data);
        rk_scratch_release(env, mark);
    }
}

static void not_converging_is_a_report(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "wide", 60);
    remarks log = {0};
    rkhs_model *m;
    rkhs_item item = {0};
    LOOK_AT("kpca with one iteration");
    FINE(env, rkhs_model_new(env, "kpca(dim=3, solver=lanczos(max_iter=1, tol=1e-14))", &m));
    rkhs_env_set_log(env, take_remark, &log);
    FINE(env, rkhs_model_fit(m, NULL, x, NULL, NULL));
    HOLDS(log.advice == 1 && says(log.last, "converge | 1 iteration"));
    for (int64_t i = 0; rkhs_model_report(m, i, &item) && strcmp(item.name, "converged") != 0; i++) {
    }
    HOLDS(item.values && item.values[0] == 0);
    rkhs_model_free(m);
    rkhs_data_free(x);
}

/* The last advice on convergence. */
typedef struct unfinished {
    rkhs_env *env;
    int count;
    char hint[128], sentence[1024];
} unfinished;

static void take_unfinished(rkhs_log_level level, const char *sentence, void *payload) {
    unfinished *u = payload;
    if (level != RKHS_LOG_ADVICE || strcmp(rkhs_env_log_subject(u->env), "convergence") != 0) return;
    u->count++;
    snprintf(u->hint, sizeof u->hint, "%s", rkhs_env_log_hint(u->env));
    snprintf(u->sentence, sizeof u->sentence, "%s", sentence);
}

static void one_step_too_few_is_advised_in_every_model(void **state) {
    rkhs_env *env = *state;
    rkhs_data *x = fixture_data(env, "wide", 60);
    for (const rk_entry *const *e = rk_models.entries; *e; e++) {
        const rk_model_type *type = (const rk_model_type *)*e;
        const rk_param *solver = (*e)->params;
        rkhs_data *y = fixture_supervision(env, type, x, 2);
        unfinished u = {.env = env};
        rkhs_model *m;
        rkhs_spec *spec;
        char text[128];
        while (solver->name && strcmp(solver->name, "solver") != 0) solver++;
        snprintf(text, sizeof text, "%s(solver=%s)", (*e)->name,
                 solver->list == &rk_eigensolvers ? "lanczos(max_iter=1, tol=1e-15)"
                 : solver->list == &rk_linsolvers ? "cg(max_iter=1, tol=1e-15)"
                                                  : "lbfgs(max_iter=1)");
        LOOK_AT("%s", text);
        FINE(env, rkhs_model_new(env, text, &m));
        rkhs_env_set_log(env, take_unfinished, &u);
        FINE(env, rkhs_model_fit(m, NULL, x, y, NULL));
        rkhs_env_set_log(env, NULL, NULL);
        HOLDS(u.count == 1 && strstr(u.sentence, u.hint) && says(u.sentence, "converge | 1 iteration"));
        HOLDS(strncmp(u.hint, "solver=", 7) == 0 && says(u.hint, "max_iter=4"));
        FINE(env, rkhs_spec_new(env, "models", text, &spec));
        FINE(env, rkhs_spec_set(spec, "solver", u.hint + 7));
        rkhs_spec_free(spec);
        rkhs_model_free(m);
        rkhs_data_free(y);
    }
    HOLDS(rkhs_env_log_subject(env)[0] == 0 && rkhs_env_log_hint(env)[0] == 0); /* outside of the callback */
    rkhs_data_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(solvers_find_the_largest_eigenpairs),
        FOLDER_TEST(a_saved_state_goes_on_with_the_same_bits),
        FOLDER_TEST(many_pairs_are_found_and_gone_on_with),
        ENV_TEST(the_dense_solver_needs_no_products_to_centre_a_gram),
        ENV_TEST(not_converging_is_a_report),
        ENV_TEST(one_step_too_few_is_advised_in_every_model),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
