/* svm.c: the scores svm and nusvm: how well a support vector machine predicts the labels from the embedding.
 *
 *     value = mean over stratified folds of metric(truth, decision of a machine trained on the other folds)
 *
 * svm has a cost c; nusvm has nu, a bound on the shares of errors and support vectors. With `select` the parameter is
 * chosen from a grid: `same` takes the best mean over these same folds (optimistic, but common in papers), `nested`
 * the best over folds inside each training part. For more than two classes, one machine for each pair votes;
 * sensitivity, specificity and f1 are then means over the classes, and auc is refused. A nu that is infeasible for
 * some fold (smo.c) is skipped.
 *
 * Balanced classes weigh n / (classes members) in both. libsvm's nusvm has no class weights, and scikit-learn's NuSVC
 * ignores its class_weight; the equivalent there is a fit with these as sample weights. */
#include "score/score.h"

#include <string.h>

typedef enum metric { ACCURACY, SENSITIVITY, SPECIFICITY, AUC, F1, METRICS } metric;
typedef enum selection { GIVEN, SAME, NESTED } selection;

typedef struct svm {
    double value; /* c or nu */
    rk_spec *kernel;
    int metric, select, balanced, shuffle;
    int64_t folds;
} svm;

static const double grid_c[] = {0.01, 0.1, 1, 10, 100}, grid_nu[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
enum { GRID = 9, INNER = 3 };

/* One run: the Gram matrix of all rows, and the class of each. */
typedef struct machine {
    rkhs_env *env;
    const double *K;
    int64_t n, classes;
    const int64_t *code;
    int nu, balanced;
    double tol;
} machine;

/* ---- folds ----------------------------------------------------------------------------------------------------- */

/* Assigns rows to folds: members of a class take turns, in their order or shuffled. */
static rkhs_status deal(const machine *m, const int64_t *rows, int64_t n, int64_t folds, int shuffle, int64_t *fold) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(m->env);
    int64_t *member, at = 0; /* the next class continues where the last ended, so that folds have equal sizes */
    TRY(rk_scratch(m->env, n, sizeof *member, &member));
    for (int64_t c = 0; c < m->classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            if (m->code[rows[i]] == c) member[count++] = i;
        for (int64_t i = count - 1; shuffle && i > 0; i--) {
            int64_t j = (int64_t)(rk_uniform(m->env->seed, RK_STREAM_FOLD, (uint64_t)c, (uint64_t)i) * (double)(i + 1)),
                    t = member[i];
            member[i] = member[j], member[j] = t;
        }
        for (int64_t i = 0; i < count; i++) fold[member[i]] = at++ % folds;
    }
done:
    rk_scratch_release(m->env, mark);
    return status;
}

/* ---- training and deciding ------------------------------------------------------------------------------------- */

/* Trains on rows of two classes, with class weights. Writes decisions for `test` rows; none: RK_SMO_INFEASIBLE. */
static rkhs_status decide_pair(const machine *m, double value, const int64_t *train, int64_t n, const double *weight,
                               const int64_t *test, int64_t tests, int64_t plus, double *decision, rk_smo_outcome *outcome) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(m->env);
    rk_smo p = {.n = n, .ld = n, .nu = m->nu ? value : 0, .tol = m->tol};
    double *K, *upper;
    int *y;
    TRY(rk_scratch(m->env, n * n, sizeof *K, &K));
    TRY(rk_scratch(m->env, n, sizeof *y, &y));
    TRY(rk_scratch(m->env, n, sizeof *upper, &upper));
    TRY(rk_scratch(m->env, n, sizeof *p.a, &p.a));
    TRY(rk_scratch(m->env, n, sizeof *p.G, &p.G));
    for (int64_t i = 0; i < n; i++) {
        y[i] = m->code[train[i]] == plus ? 1 : -1;
        upper[i] = (m->nu ? 1 : value) * weight[m->code[train[i]]];
        for (int64_t j = 0; j < n; j++) K[i * n + j] = m->K[train[i] * m->n + train[j]];
    }
    p.K = K;
    p.y = y;
    p.upper = upper;
    TRY(rk_smo_solve(m->env, &p));
    *outcome = p.outcome;
    for (int64_t q = 0; p.outcome != RK_SMO_INFEASIBLE && q < tests; q++) {
        rk_row_sum sum = {0};
        for (int64_t i = 0; i < n; i++) rk_add_row(&sum, y[i] * p.a[i] * m->K[test[q] * m->n + train[i]]);
        decision[q] = p.scale * (rk_row_total(&sum) - p.offset);
    }
done:
    rk_scratch_release(m->env, mark);
    return status;
}

/* The class of each test row; for two classes also the decisions (the second class is positive). */
static rkhs_status decide(const machine *m, double value, const int64_t *train, int64_t n, const int64_t *test, int64_t tests,
                          double *decision, int64_t *guess, rk_smo_outcome *outcome) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(m->env);
    int64_t *part, *votes;
    double *weight;
    *outcome = RK_SMO_DONE;
    TRY(rk_scratch(m->env, n, sizeof *part, &part));
    TRY(rk_scratch(m->env, tests * m->classes, sizeof *votes, &votes));
    TRY(rk_scratch(m->env, m->classes, sizeof *weight, &weight));
    for (int64_t c = 0; c < m->classes; c++) { /* balanced: n / (classes members), as in scikit-learn */
        double members = 0;
        for (int64_t i = 0; i < n; i++) members += m->code[train[i]] == c;
        weight[c] = m->balanced && members > 0 ? (double)n / ((double)m->classes * members) : 1;
    }
    for (int64_t i = 0; i < tests * m->classes; i++) votes[i] = 0;
    for (int64_t a = 0; a < m->classes; a++)
        for (int64_t b = a + 1; b < m->classes; b++) {
            int64_t count = 0;
            for (int64_t i = 0; i < n; i++)
                if (m->code[train[i]] == a || m->code[train[i]] == b) part[count++] = train[i];
            rk_smo_outcome one;
            TRY(decide_pair(m, value, part, count, weight, test, tests, b, decision, &one));
            if (one != RK_SMO_DONE) *outcome = one;
            if (one == RK_SMO_INFEASIBLE) goto done;
            for (int64_t q = 0; q < tests; q++) votes[q * m->classes + (decision[q] > 0 ? b : a)]++;
        }
    for (int64_t q = 0; q < tests; q++) {
        guess[q] = 0;
        for (int64_t c = 1; c < m->classes; c++)
            if (votes[q * m->classes + c] > votes[q * m->classes + guess[q]]) guess[q] = c;
    }
done:
    rk_scratch_release(m->env, mark);
    return status;
}

/* ---- metrics --------------------------------------------------------------------------------------------------- */

/* The probability that a positive row has a larger decision than a negative one; ties count half. */
static double auc_of(const double *decision, const int *positive, int64_t n) {
    double pairs = 0, won = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; positive[i] && j < n; j++)
            if (!positive[j]) pairs++, won += decision[i] > decision[j] ? 1 : decision[i] == decision[j] ? 0.5 : 0;
    return pairs > 0 ? won / pairs : NAN;
}

/* All metrics of one fold. For more than two classes: the mean over the classes, each against the rest. */
static rkhs_status measure(const machine *m, const int64_t *test, int64_t tests, const double *decision, const int64_t *guess,
                           double out[METRICS]) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(m->env);
    double right = 0, sums[METRICS] = {0}, each = 0;
    int *positive;
    TRY(rk_scratch(m->env, tests, sizeof *positive, &positive));
    for (int64_t q = 0; q < tests; q++) right += guess[q] == m->code[test[q]];
    for (int64_t c = m->classes == 2 ? 1 : 0; c < m->classes; c++, each++) {
        double tp = 0, tn = 0, fp = 0, fn = 0;
        for (int64_t q = 0; q < tests; q++) {
            positive[q] = m->code[test[q]] == c;
            if (positive[q])
                (guess[q] == c ? &tp : &fn)[0]++;
            else
                (guess[q] == c ? &fp : &tn)[0]++;
        }
        sums[SENSITIVITY] += tp + fn > 0 ? tp / (tp + fn) : 0;
        sums[SPECIFICITY] += tn + fp > 0 ? tn / (tn + fp) : 0;
        sums[F1] += 2 * tp + fp + fn > 0 ? 2 * tp / (2 * tp + fp + fn) : 0;
        if (m->classes == 2) sums[AUC] = auc_of(decision, positive, tests);
    }
    for (int q = 0; q < METRICS; q++) out[q] = sums[q] / each;
    out[ACCURACY] = right / (double)tests;
done:
    rk_scratch_release(m->env, mark);
    return status;
}

/* Splits rows by fold. */
static void split(const int64_t *rows, const int64_t *fold, int64_t n, int64_t which, int64_t *train, int64_t *trains,
                  int64_t *test, int64_t *tests) {
    *trains = *tests = 0;
    for (int64_t i = 0; i < n; i++) {
        if (fold[i] == which)
            test[(*tests)++] = rows[i];
        else
            train[(*trains)++] = rows[i];
    }
}

/* The metrics of each fold for one value of the parameter: results is folds x METRICS. */
static rkhs_status cross(const machine *m, double value, const int64_t *rows, const int64_t *fold, int64_t n, int64_t folds,
                         double *results, rk_smo_outcome *outcome) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(m->env);
    int64_t *train, *test, *guess, trains, tests;
    double *decision;
    rk_smo_outcome one;
    *outcome = RK_SMO_DONE;
    TRY(rk_scratch(m->env, n, sizeof *train, &train));
    TRY(rk_scratch(m->env, n, sizeof *test, &test));
    TRY(rk_scratch(m->env, n, sizeof *guess, &guess));
    TRY(rk_scratch(m->env, n, sizeof *decision, &decision));
    for (int64_t f = 0; f < folds; f++) {
        split(rows, fold, n, f, train, &trains, test, &tests);
        TRY(decide(m, value, train, trains, test, tests, decision, guess, &one));
        if (one != RK_SMO_DONE) *outcome = one;
        if (one == RK_SMO_INFEASIBLE) goto done;
        TRY(measure(m, test, tests, decision, guess, results + f * METRICS));
    }
done:
    rk_scratch_release(m->env, mark);
    return status;
}

/* ---- choosing the parameter ------------------------------------------------------------------------------------ */

/* The metrics of each fold for every value of the grid: GRID x folds x METRICS, and whether the value was feasible. */
typedef struct grid {
    const double *values;
    int count;
    rk_smo_outcome outcome[GRID];
    double *results;
} grid;

static rkhs_status run_grid(const machine *m, const int64_t *rows, const int64_t *fold, int64_t n, int64_t folds, grid *g) {
    rkhs_status status = RKHS_OK;
    g->values = m->nu ? grid_nu : grid_c;
    g->count = m->nu ? GRID : 5;
    TRY(rk_scratch(m->env, g->count * folds * METRICS, sizeof *g->results, &g->results));
    for (int v = 0; v < g->count; v++)
        TRY(cross(m, g->values[v], rows, fold, n, folds, g->results + v * folds * METRICS, &g->outcome[v]));
done:
    return status;
}

/* The first value with the best mean of a metric over the folds, among the feasible ones. */
static rkhs_status best_of(const machine *m, const grid *g, metric by, int64_t folds, int *chosen) {
    double best = -INFINITY;
    for (int v = 0; v < g->count; v++) {
        double mean = 0;
        for (int64_t f = 0; g->outcome[v] == RK_SMO_DONE && f < folds; f++)
            mean += g->results[(v * folds + f) * METRICS + by] / (double)folds;
        if (g->outcome[v] == RK_SMO_DONE && mean > best) best = mean, *chosen = v;
    }
    if (isinf(best)) return rk_fail(m->env, RKHS_ERR_DATA, "nusvm: no nu of the grid can be had with these classes: use svm");
    return RKHS_OK;
}

/* Nested selection, METRICS x folds. Metrics share the inner folds, and the machines of equal values. */
static rkhs_status nested(const machine *m, const int *wanted, const int64_t *fold, int64_t folds, int shuffle,
                          double *results) {
    rkhs_status status = RKHS_OK;
    int64_t n = m->n, *rows, *train, *test, *guess, *inner, trains, tests;
    double *decision;
    TRY(rk_scratch(m->env, n, sizeof *rows, &rows));
    TRY(rk_scratch(m->env, n, sizeof *train, &train));
    TRY(rk_scratch(m->env, n, sizeof *test, &test));
    TRY(rk_scratch(m->env, n, sizeof *inner, &inner));
    TRY(rk_scratch(m->env, n, sizeof *guess, &guess));
    TRY(rk_scratch(m->env, n, sizeof *decision, &decision));
    for (int64_t i = 0; i < n; i++) rows[i] = i;
    for (int64_t f = 0; f < folds; f++) {
        rk_mark mark = rk_scratch_mark(m->env);
        grid g = {0};
        double found[GRID][METRICS];
        int known[GRID] = {0}, v = 0;
        split(rows, fold, n, f, train, &trains, test, &tests);
        TRY(deal(m, train, trains, INNER, shuffle, inner));
        TRY(run_grid(m, train, inner, trains, INNER, &g));
        for (int by = 0; by < METRICS; by++) {
            if (!wanted[by]) continue;
            TRY(best_of(m, &g, (metric)by, INNER, &v));
            while (!known[v]) {
                TRY(decide(m, g.values[v], train, trains, test, tests, decision, guess, &g.outcome[v]));
                known[v] = g.outcome[v] == RK_SMO_DONE;
                if (known[v])
                    TRY(measure(m, test, tests, decision, guess, found[v]));
                else /* feasible in the inner folds but not here: try the next best */
                    TRY(best_of(m, &g, (metric)by, INNER, &v));
            }
            results[by * folds + f] = found[v][by];
        }
        rk_scratch_release(m->env, mark);
    }
done:
    return status;
}

/* ---- the score ------------------------------------------------------------------------------------------------- */

/* Renumbers the classes that occur as 0 .. classes-1. Refuses classes with too few members for the folds. */
static rkhs_status close_codes(rkhs_env *env, const char *name, const rkhs_data *labels, const svm *o, int64_t *code,
                               int64_t *classes) {
    rkhs_status status = RKHS_OK;
    const rk_labels *y = labels->self;
    int64_t *count, *fresh, folds = o->folds;
    TRY(rk_scratch(env, y->classes, sizeof *count, &count));
    TRY(rk_scratch(env, y->classes, sizeof *fresh, &fresh));
    for (int64_t c = 0; c < y->classes; c++) count[c] = 0;
    for (int64_t i = 0; i < labels->rows; i++) count[y->codes[i]]++;
    *classes = 0;
    for (int64_t c = 0; c < y->classes; c++) {
        if (!count[c]) continue;
        if (count[c] < folds)
            FAIL(env, RKHS_ERR_DATA, "%s: the class %.40s has %s for %s: choose fewer folds, or leave it out", name,
                 rkhs_data_class_name(labels, c), rk_counted(count[c], "member").text, rk_counted(folds, "fold").text);
        if (o->select == NESTED && count[c] - (count[c] + folds - 1) / folds < INNER)
            FAIL(env, RKHS_ERR_DATA,
                 "%s: the class %.40s has %s, too few for %d folds inside each of %lld: choose select=same, or leave it out",
                 name, rkhs_data_class_name(labels, c), rk_counted(count[c], "member").text, INNER, (long long)folds);
        fresh[c] = (*classes)++;
    }
    if (*classes < 2) FAIL(env, RKHS_ERR_DATA, "%s: all rows are of one class: there is nothing to tell apart", name);
    for (int64_t i = 0; i < labels->rows; i++) code[i] = fresh[y->codes[i]];
done:
    return status;
}

/* The Gram matrix of the embedding, with the score's kernel. */
static rkhs_status make_gram(rkhs_env *env, const rk_spec *spec, const rkhs_data *z, double **K) {
    rkhs_status status = RKHS_OK;
    rk_text text = {.env = env};
    rkhs_kernel *kernel = NULL;
    rk_bound *bound = NULL;
    const rkhs_data *use;
    rkhs_data *view = NULL;
    TRY(rk_spec_text(spec, &text));
    TRY(rk_kernel_new(env, text.s, &kernel));
    TRY(rk_kernel_freeze(kernel, z));
    TRY(rk_kernel_coerce(kernel, z, NULL, &use, &view));
    TRY(rk_bind(env, kernel, use, NULL, &bound));
    TRY(rk_require_memory(env, (double)z->rows * (double)z->rows * 16, "the kernel matrix of the machines",
                          "score a part of the rows"));
    TRY(rk_scratch(env, z->rows * z->rows, sizeof **K, K));
    TRY(rk_gram_symmetric(env, bound, *K, z->rows));
done:
    rk_unbind(env, bound);
    rkhs_data_free(view);
    rkhs_kernel_free(kernel);
    rk_free(env, text.s);
    return status;
}

/* The value of each wanted metric in each fold: METRICS x folds. */
static rkhs_status run_folds(machine *m, const svm *o, const int *wanted, double *results) {
    rkhs_status status = RKHS_OK;
    int64_t *rows, *fold;
    grid g = {.values = &o->value, .count = 1};
    TRY(rk_scratch(m->env, m->n, sizeof *rows, &rows));
    TRY(rk_scratch(m->env, m->n, sizeof *fold, &fold));
    for (int64_t i = 0; i < m->n; i++) rows[i] = i;
    TRY(deal(m, rows, m->n, o->folds, o->shuffle, fold));
    if (o->select == NESTED) {
        TRY(nested(m, wanted, fold, o->folds, o->shuffle, results));
        goto done;
    }
    if (o->select == SAME) {
        TRY(run_grid(m, rows, fold, m->n, o->folds, &g));
    } else {
        TRY(rk_scratch(m->env, o->folds * METRICS, sizeof *g.results, &g.results));
        TRY(cross(m, o->value, rows, fold, m->n, o->folds, g.results, &g.outcome[0]));
        if (g.outcome[0] == RK_SMO_INFEASIBLE)
            FAIL(m->env, RKHS_ERR_DATA,
                 "nusvm: nu = %g cannot be had, since the classes are of too unequal size: choose it smaller", o->value);
        if (g.outcome[0] == RK_SMO_NO_MARGIN)
            rk_log(m->env, RKHS_LOG_ADVICE,
                   "nusvm: nu = %g leaves no margin, since the classes overlap more than that, and rounding decides: choose it "
                   "larger, or use svm",
                   o->value);
    }
    for (int by = 0; by < METRICS; by++) {
        int v = 0;
        if (wanted[by] && o->select == SAME) TRY(best_of(m, &g, (metric)by, o->folds, &v));
        for (int64_t f = 0; f < o->folds; f++) results[by * o->folds + f] = g.results[(v * o->folds + f) * METRICS + by];
    }
done:
    return status;
}

/* Whether two scores differ only in their metric. */
static rkhs_status same_machine(rkhs_env *env, const svm *a, const svm *b, int *same) {
    rkhs_status status = RKHS_OK;
    rk_text one = {.env = env}, other = {.env = env};
    *same = a->value == b->value && a->select == b->select && a->balanced == b->balanced && a->shuffle == b->shuffle &&
            a->folds == b->folds;
    if (!*same) goto done;
    TRY(rk_spec_text(a->kernel, &one));
    TRY(rk_spec_text(b->kernel, &other));
    *same = strcmp(one.s, other.s) == 0;
done:
    rk_free(env, other.s);
    rk_free(env, one.s);
    return status;
}

/* Computes items[0] and all other items that differ from it only in their metric. */
static rkhs_status score_alike(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count, int nu) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const svm *o = items->self;
    const char *name = items->type->entry.name;
    machine m = {.env = env, .n = w->z->rows, .nu = nu, .balanced = o->balanced, .tol = 1e-4};
    int64_t *code;
    int *alike, wanted[METRICS] = {0};
    double *results, *K;
    TRY(rk_scratch(env, count, sizeof *alike, &alike));
    TRY(rk_scratch(env, m.n, sizeof *code, &code));
    TRY(rk_scratch(env, o->folds * METRICS, sizeof *results, &results));
    TRY(close_codes(env, name, w->labels, o, code, &m.classes));
    for (int i = 0; i < count; i++) {
        const svm *q = items[i].self;
        alike[i] = 0;
        if (!items[i].done) TRY(same_machine(env, o, q, &alike[i]));
        if (alike[i]) wanted[q->metric] = 1;
    }
    if (wanted[AUC] && m.classes > 2)
        FAIL(env, RKHS_ERR_DATA, "%s: auc is for two classes, and there are %lld: choose another metric", name,
             (long long)m.classes);
    TRY(make_gram(env, o->kernel, w->z, &K));
    m.K = K;
    m.code = code;
    TRY(run_folds(&m, o, wanted, results));
    for (int i = 0; i < count; i++) {
        if (!alike[i]) continue;
        const double *each = results + ((const svm *)items[i].self)->metric * o->folds;
        double mean = 0, square = 0;
        for (int64_t f = 0; f < o->folds; f++) mean += each[f] / (double)o->folds;
        for (int64_t f = 0; f < o->folds; f++) square += (each[f] - mean) * (each[f] - mean) / (double)o->folds;
        items[i].value = mean;
        items[i].deviation = sqrt(square);
        items[i].done = 1;
    }
done:
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status family_svm(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    for (int i = 0; i < count && status == RKHS_OK; i++)
        if (!items[i].done) status = score_alike(env, w, items + i, count - i, 0);
    return status;
}

static rkhs_status family_nusvm(rkhs_env *env, const rkhs_score_input *w, rk_score_item *items, int count) {
    rkhs_status status = RKHS_OK;
    for (int i = 0; i < count && status == RKHS_OK; i++)
        if (!items[i].done) status = score_alike(env, w, items + i, count - i, 1);
    return status;
}

/* clang-format off */
#define PARAMS(NAME, VALUE, MAX, BRIEF)                                                                                        \
    {                                                                                                                          \
        {.name = NAME, .kind = RK_REAL, .offset = offsetof(svm, value), .value = VALUE, .max = MAX, .min_excluded = 1, .brief = BRIEF}, \
        {.name = "metric", .kind = RK_CHOICE, .offset = offsetof(svm, metric), .value = "accuracy",                            \
         .choices = "accuracy|sensitivity|specificity|auc|f1", .brief = "what is measured on each fold"},                      \
        {.name = "folds", .kind = RK_INT, .offset = offsetof(svm, folds), .value = "5", .min = 2, .max = 1000,                 \
         .brief = "number of stratified folds"},                                                               \
        {.name = "kernel", .kind = RK_SPEC, .offset = offsetof(svm, kernel), .value = "linear", .list = &rk_kernels,           \
         .brief = "kernel of the support vector machine on the embedding"},                                                                         \
        {.name = "select", .kind = RK_CHOICE, .offset = offsetof(svm, select), .value = "given",                               \
         .choices = "given|same|nested", .brief = "choice of " NAME ": as given; same: the best of a grid on the "          \
         "same folds, which is optimistic; nested: the best on folds inside each training part"},                                                        \
        {.name = "balanced", .kind = RK_BOOL, .offset = offsetof(svm, balanced), .value = "false",                             \
         .brief = "true: classes weigh the same, whatever their size"},                                                              \
        {.name = "shuffle", .kind = RK_BOOL, .offset = offsetof(svm, shuffle), .value = "true",                                \
         .brief = "true: rows go to folds at random, by the seed; false: in their order"},                                    \
        {.name = NULL}                                                                                                         \
    }
/* clang-format on */

static const rk_param params_svm[] = PARAMS("c", "1", 1e300, "penalty on errors");
static const rk_param params_nusvm[] =
    PARAMS("nu", "0.5", 1, "upper bound on the share of errors and lower bound on that of support vectors");

/* clang-format off */
const rk_score_type rk_score_svm = {
    .entry = {.name = "svm",
              .brief = "cross-validated performance of a support vector machine on the labels",
              .formula = "mean over folds of metric", .cost = "folds machines of n rows, n^2 memory",
              .params = params_svm, .size = sizeof(svm)},
    .needs = RK_NEEDS_LABELS, .family = family_svm,
};

const rk_score_type rk_score_nusvm = {
    .entry = {.name = "nusvm", .brief = "cross-validated performance of a nu-support vector machine on the labels",
              .formula = "mean over folds of metric", .cost = "folds machines of n rows, n^2 memory",
              .params = params_nusvm, .size = sizeof(svm)},
    .needs = RK_NEEDS_LABELS, .family = family_nusvm,
};
/* clang-format on */
