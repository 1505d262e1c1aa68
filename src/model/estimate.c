/* estimate.c: says before a fit how long it will take, if that is over a minute, and what would take less.
 *
 * Each model states its work in units (rk_cost): kernel values, flops of products, pairs of codes, numbers read. The
 * time of each unit on this machine is measured on a few tiles of the kernel and the data themselves. Numbers of
 * steps are assumed, and the rank of the Gram is guessed from that of some rows: an estimate is good to a factor of
 * about 2. Nothing but the sentence depends on it. */
#include "model/estimate.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const double LONG = 60;       /* seconds from which on a fit is worth a sentence */
enum { SOME = 8, MOST = 512 };       /* objects of the first look, and of the last */
enum { TOUCHED = 4 << 20 };          /* bytes of memory to time */
static const double SPARE = 4e6;     /* bytes of buffers that no model states */
static const double CHUNK = 8e6;     /* numbers of features in a chunk of a pass, at most (gram/features.c) */
static const double PATIENCE = 0.01; /* seconds for one tile */

double rk_assumed_steps(const rk_spec *solver, double usual) {
    for (const rk_param *p = solver ? solver->entry->params : NULL; p && p->name; p++)
        if (p->kind == RK_INT && strcmp(p->name, "max_iter") == 0)
            return fmin(usual, (double)*(const int64_t *)((const char *)solver->self + p->offset));
    return usual;
}

/* ---- the work of what several models do ------------------------------------------------------------------------ */

static int is_called(const rk_spec *solver, const char *name) { return solver && strcmp(solver->entry->name, name) == 0; }

void rk_add_eigen_cost(const rk_spec *solver, const rk_extent *e, rk_cost *c) {
    double size = e->features > 0 ? e->features : e->n;
    c->passes += e->features > 0 ? 2 : 20;
    if (e->features > 0) c->flops += e->n * size * size;
    if (is_called(solver, "dense") && size > 512) c->serial_flops += 8 * size * size * size;
    c->numbers += (is_called(solver, "dense") ? 4 * size * size : 0) + (e->features > 0 ? size * size : 0) + 40 * size;
}

double rk_stored_rows(const rk_extent *e) { return fmin(e->n, (double)rk_sample_rows((int64_t)e->features)); }

void rk_add_pencil_cost(const rk_extent *e, rk_cost *c) {
    double n = e->n, r = e->rank;
    c->flops += e->features > 0 ? 5 * n * r * r + 2 * r * r * r : 8 * n * r * r + 4 * r * r * r; /* pivoting is slow */
    c->passes += 3;
    c->numbers += (e->features > 0 ? rk_stored_rows(e) * r : n * n) + (e->features > 0 ? 7 : 4) * r * r;
}

void rk_add_linear_cost(const rk_spec *solver, const rk_extent *e, rk_cost *c) {
    double n = e->n, m = e->features;
    int gradients = is_called(solver, "cg") || (!solver && !e->stored && !(m > 0));
    if (m > 0) c->flops += n * m * m + (gradients ? 0 : m * m * m / 3), c->numbers += 3 * m * m;
    if (!(m > 0) && gradients) c->passes += 60;
    if (!(m > 0) && !gradients) c->flops += n * n * n / 3;
    c->passes += 2;
}

void rk_add_eigenmap_cost(const rk_extent *e, double k, rk_cost *c) {
    double steps = fmin(1000, e->n / 5);        /* a graph of many objects has eigenvalues near each other */
    c->flops += steps * e->n * (8000 + 16 * k); /* small products, at a third of the speed */
    c->numbers += e->n * (60 + 8 * k);
}

/* ---- units to seconds ------------------------------------------------------------------------------------------ */

/* Adds the work of the gram itself, with m features if it has any: to build it, and for each product with it. */
static void add_gram(const rk_plan *p, double m, rk_cost *c) {
    double n = (double)p->n;
    double rows = fmin(n, (double)rk_sample_rows(p->landmarks)); /* of Phi that are stored, to choose landmarks */
    if (p->offers & RK_MATRIX) {
        if (!p->given) c->values += n * n / 2, c->numbers += n * n;
        c->reads += c->passes * n * n;
    } else if (p->offers & RK_FEATURES) {
        int stored = n <= rows || p->type->need.reading != RK_READ_ONCE;
        c->values += (rows + (rows < n ? n : 0)) * m + (p->clusters ? RK_KMEANS_ROUNDS * rows * rows : 0);
        c->flops += rows * m * m + (rows < n ? n * m * m : 0);
        c->numbers += (stored ? n : rows) * (double)p->landmarks + 2 * m * m + fmin(n * m, CHUNK);
        c->reads += c->passes * n * m;
        if (!stored) c->values += c->passes * n * m;
    } else {
        c->values += c->passes * n * n;
    }
    if (c->neighbours) {
        if (!(p->offers & RK_MATRIX)) c->values += n * n / 2;
        c->reads += 2 * n * n;
    }
}

rk_estimate rk_estimate_fit(const rk_plan *p, const rk_rates *r) {
    rk_cost c = {0};
    double rank = fmin((double)p->n, ceil(pow((double)p->n, p->growth)));
    /* Landmarks beyond the rank are dropped. */
    double m = p->offers & RK_FEATURES ? fmin((double)p->landmarks, rank) : 0;
    if (m > 0) rank = m;
    p->type->cost(p->self,
                  &(rk_extent){.n = (double)p->n,
                               .dim = (double)p->dim,
                               .columns = (double)p->columns,
                               .features = m,
                               .rank = rank,
                               .stored = (p->offers & RK_MATRIX) != 0},
                  &c);
    add_gram(p, m, &c);
    double threads = (double)rk_max(r->threads, 1), bytes = 8 * c.numbers;
    double seconds = (c.flops * r->flop + c.pairs * r->pair + c.reads * r->number) / threads;
    seconds += c.values * r->value / (r->serial ? 1 : threads) + c.serial_flops * r->flop + bytes * r->fresh / threads;
    return (rk_estimate){seconds, bytes};
}

/* ---- the sentence ---------------------------------------------------------------------------------------------- */

/* "20 s", "12 minutes", "3 hours", "2 days". */
static const char *time_text(double seconds, char out[48]) {
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}};
    for (int i = 0; i < 3; i++)
        if (seconds >= 1.5 * units[i].seconds) {
            snprintf(out, 48, "%s", rk_counted((int64_t)fmin(round(seconds / units[i].seconds), 1e9), units[i].unit).text);
            return out;
        }
    snprintf(out, 48, "%.1g s", fmax(seconds, 1));
    if (seconds >= 10) snprintf(out, 48, "%.0f s", 10 * round(seconds / 10));
    return out;
}

/* Whether the model works with landmarks, at these parameters and with this kernel. */
static int can_have_landmarks(const rk_plan *p) {
    rk_cost c = {0};
    p->type->cost(p->self, &(rk_extent){.n = (double)p->n, .dim = (double)p->dim, .columns = 1, .features = 1, .rank = 1}, &c);
    return p->type->need.offers & (RK_FEATURES | RK_LANDMARKS) && !c.whole && p->psd;
}

/* The most landmarks that take under a minute, or hardly more time than few. 0: not even few save much, or landmarks do
 * not serve. */
static int64_t fewer_landmarks(const rk_plan *plan, const rk_rates *rates, double seconds, rk_estimate *then) {
    static const int64_t tries[] = {2000, 1000, 500, 200};
    rk_plan p = *plan;
    if (!can_have_landmarks(plan)) return 0;
    p.offers = RK_FEATURES;
    p.given = p.clusters = 0;
    p.landmarks = tries[3];
    double least = rk_estimate_fit(&p, rates).seconds, most = seconds / (least <= LONG ? 2 : 4);
    for (int i = 0; i < 4; i++) {
        p.landmarks = tries[i];
        if (p.landmarks > p.n / 2 || (plan->offers & RK_FEATURES && p.landmarks >= plan->landmarks)) continue;
        *then = rk_estimate_fit(&p, rates);
        if (then->seconds <= fmin(fmax(LONG, 1.3 * least), most) && then->bytes <= p.room) return p.landmarks;
    }
    return 0;
}

static int64_t two_digits(int64_t count) {
    int64_t unit = 1;
    while (count / unit >= 100) unit *= 10;
    return count / unit * unit;
}

/* The number of rows that take a minute, to two digits. */
static int64_t fewer_rows(const rk_plan *plan, const rk_rates *rates) {
    rk_plan p = *plan;
    int64_t low = 1, high = plan->n;
    while (high - low > 1) {
        p.n = (low + high) / 2;
        rk_estimate e = rk_estimate_fit(&p, rates);
        if (e.seconds <= LONG && e.bytes <= p.room)
            low = p.n;
        else
            high = p.n;
    }
    return two_digits(low * plan->rows / plan->n);
}

void rk_estimate_text(const rk_plan *plan, const rk_rates *rates, char sentence[RK_ESTIMATE_ROOM], char hint[64]) {
    rk_estimate now = rk_estimate_fit(plan, rates), then;
    char takes[48], bytes[32], less[48];
    sentence[0] = hint[0] = 0;
    if (!(now.seconds > LONG)) return;
    int64_t landmarks = fewer_landmarks(plan, rates, now.seconds, &then), rows = landmarks ? 0 : fewer_rows(plan, rates);
    int length = snprintf(sentence, RK_ESTIMATE_ROOM, "this fit takes about %s and %s", time_text(now.seconds, takes),
                          rk_bytes_text(now.bytes, bytes));
    if (landmarks) {
        snprintf(hint, 64, "gram=nystrom(landmarks=%lld)", (long long)landmarks);
        snprintf(sentence + length, RK_ESTIMATE_ROOM - (size_t)length, "; %s takes about %s and %s", hint,
                 time_text(then.seconds, less), rk_bytes_text(then.bytes, bytes));
    } else if (rows >= 10) {
        snprintf(sentence + length, RK_ESTIMATE_ROOM - (size_t)length, "; %s take about a minute",
                 rk_counted(rows, "row").text);
    }
}

/* ---- the speed of this machine --------------------------------------------------------------------------------- */

/* Seconds that this thread has computed: other programs do not count. */
static double computed(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a kernel value, from a tile of `size` objects spread over x, which stays in K (size x size). */
static rkhs_status time_values(rkhs_env *env, const rkhs_kernel *kernel, const rkhs_data *x, int64_t size, double *K,
                               double *seconds) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    rkhs_data *some = NULL;
    rk_bound *bound = NULL;
    rk_work *work;
    int64_t *rows;
    TRY(rk_scratch(env, size, sizeof *rows, &rows));
    for (int64_t i = 0; i < size; i++) rows[i] = i * x->rows / size;
    TRY(rk_data_subset(x, rows, size, &some));
    TRY(rk_bind(env, kernel, some, NULL, &bound));
    TRY(rk_work_for(env, 1, bound, bound, &work));
    int64_t tile = rk_min(size, rk_kernel_tile(bound, bound));
    *seconds = INFINITY;
    /* More than once, as caches are cold at first. */
    for (int k = 0; k < 3 && (k == 0 || *seconds * (double)(size * size) < PATIENCE / 4); k++) {
        double from = computed();
        for (int64_t i = 0; i < size; i += tile)
            for (int64_t j = 0; j < size; j += tile)
                TRY(rk_block_of(bound, i, rk_min(tile, size - i), bound, j, rk_min(tile, size - j), K + i * size + j, size,
                                *work));
        *seconds = fmin(*seconds, (computed() - from) / (double)(size * size));
    }
done:
    rk_unbind(env, bound);
    rkhs_data_free(some);
    rk_scratch_release(env, mark);
    return status;
}

/* The rank of K (size x size, overwritten). */
static rkhs_status rank_of(rkhs_env *env, double *K, int64_t size, int64_t *rank) {
    int64_t *order;
    double largest = 0;
    rkhs_status status = rk_scratch(env, size, sizeof *order, &order);
    for (int64_t i = 0; i < size; i++) largest = fmax(largest, K[i * size + i]);
    *rank = size;
    return status == RKHS_OK && largest > 0 ? rk_pivoted_tile(env, NULL, size, K, size, 1e-12 * largest, order, rank) : status;
}

/* The rank of K of n objects, as a power of n, from the ranks of a quarter, of half and of all of the tile's objects:
 * each doubling of the objects raises it by a factor, and the factors fall towards 1. */
static rkhs_status growth_of(rkhs_env *env, const double *K, int64_t size, int64_t n, double *growth) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    int64_t rank[3];
    double *part;
    TRY(rk_scratch_raw(env, size * size, sizeof *part, &part));
    for (int k = 0; k < 3; k++) {
        int64_t step = 4 >> k, some = size / step;
        for (int64_t i = 0; i < some; i++)
            for (int64_t j = 0; j < some; j++) part[i * some + j] = K[i * step * size + j * step];
        TRY(rank_of(env, part, some, &rank[k]));
        rank[k] = rk_max(rank[k], 1);
    }
    double before = log2((double)rank[1] / (double)rank[0]), power = fmin(fmax(log2((double)rank[2] / (double)rank[1]), 0), 1);
    double fall = before > 0 ? fmin(power / before, 1) : 0, total = log2((double)rank[2]);
    for (double left = log2((double)n / (double)size); left > 0; left--) {
        power *= fall;
        total += power * fmin(left, 1);
    }
    *growth = fmax(total, 1) / log2((double)n);
done:
    rk_scratch_release(env, mark);
    return status;
}

/* Rates of this machine that do not depend on the kernel. K has room for a tile. */
static rkhs_status time_machine(rkhs_env *env, double *K, rk_rates *r) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    enum { SIZE = RK_TILE };
    double *A, *fresh, from;
    TRY(rk_scratch(env, SIZE * SIZE, sizeof *A, &A));
    for (int64_t i = 0; i < SIZE * SIZE; i++) A[i] = -1e-4 * (double)(i % 1000);
    r->flop = r->pair = INFINITY;
    for (int k = 0; k < 3; k++) {
        from = computed();
        rk_gemm_tile('n', 't', SIZE, SIZE, SIZE, 1.0, A, SIZE, A, SIZE, 0.0, K, SIZE);
        r->flop = fmin(r->flop, (computed() - from) / (2.0 * SIZE * SIZE * SIZE));
    }
    for (int k = 0; k < 3; k++) {
        memcpy(K, A, SIZE * SIZE * sizeof *K);
        from = computed();
        rk_exp(SIZE * SIZE, K);
        r->pair = fmin(r->pair, (computed() - from) / (SIZE * SIZE));
    }
    TRY(rk_scratch_raw(env, TOUCHED, 1, &fresh));
    from = computed();
    memset(fresh, 1, TOUCHED);
    r->fresh = (computed() - from) / TOUCHED;
    r->number = 30 * r->flop; /* a product of a matrix with a few vectors waits for memory */
    r->pair *= 2;             /* and the distance, and the force */
done:
    rk_scratch_release(env, mark);
    return status;
}

/* ---- advice ---------------------------------------------------------------------------------------------------- */

/* The number of landmarks or features of a gram's spec. */
static int64_t landmarks_of(const rk_spec *gram) {
    for (const rk_param *p = gram->entry->params; p && p->name; p++)
        if (strcmp(p->name, "landmarks") == 0 || strcmp(p->name, "count") == 0)
            return *(const int64_t *)((const char *)gram->self + p->offset);
    return 0;
}

/* Whether a gram's spec has by=kmeans. */
static int has_clusters(const rk_spec *gram) {
    char by[64] = "";
    for (const rk_param *p = gram->entry->params; p && p->name; p++)
        if (strcmp(p->name, "by") == 0) rk_choice_text(p->choices, *(const int *)((const char *)gram->self + p->offset), by);
    return strcmp(by, "kmeans") == 0;
}

rk_plan rk_plan_of(const rkhs_model *m, const rk_spec *gram, const rkhs_data *x, const rkhs_data *gram_data, int64_t dim,
                   double room) {
    return (rk_plan){.type = m->type,
                     .self = m->spec->self,
                     .offers = ((const rk_gram_type *)gram->entry)->offers,
                     .landmarks = landmarks_of(gram),
                     .clusters = has_clusters(gram),
                     .given = gram_data->type->kind == RK_KIND_GRAM && !m->kernel->children,
                     .psd = rk_kernel_all_have(m->kernel, RK_PSD),
                     .n = gram_data->rows,
                     .rows = x->rows,
                     .dim = dim,
                     .columns = gram_data->columns,
                     .growth = 1,
                     .room = room};
}

rkhs_status rk_advise_time(rkhs_env *env, rk_plan p, const rkhs_kernel *kernel, const rkhs_data *x) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    char sentence[RK_ESTIMATE_ROOM], hint[64];
    /* slower than any machine: what is short at these rates is short */
    rk_rates r = {.flop = 2e-9, .pair = 5e-8, .number = 1e-8, .fresh = 5e-9, .threads = 1};
    int64_t size = rk_min(p.n, SOME);
    double *K;
    if (!env->log || !rk_fits_limit(env, 4.0 * TOUCHED)) goto done;
    if (x->type->kind == RK_KIND_GRAM) goto done; /* some rows of it are no Gram of their objects */
    TRY(rk_scratch_raw(env, MOST * MOST, sizeof *K, &K));
    TRY(time_values(env, kernel, x, size, K, &r.value));
    if (!(rk_estimate_fit(&p, &r).seconds > LONG)) goto done;
    while (size < rk_min(p.n, MOST) && r.value * 4.0 * (double)(size * size) < PATIENCE) {
        size = rk_min(2 * size, rk_min(p.n, MOST));
        TRY(time_values(env, kernel, x, size, K, &r.value));
    }
    if (p.psd && size >= 16) TRY(growth_of(env, K, size, p.n, &p.growth));
    TRY(time_machine(env, K, &r));
    r.threads = rk_workers(env);
    r.serial = rk_kernel_any_has(kernel, RK_SERIAL);
    if (rk_estimate_fit(&p, &r).bytes > p.room) goto done; /* it will fail, with a sentence of its own */
    rk_estimate_text(&p, &r, sentence, hint);
    if (sentence[0]) rk_advise(env, "time", hint[0] ? hint : NULL, "%s", sentence);
done:
    rk_scratch_release(env, mark);
    if (status == RKHS_OK || status == RKHS_ERR_CANCELLED) return status;
    rk_clear_error(env); /* the fit itself will say what is wrong, and in which row of all */
    return RKHS_OK;
}

/* `number` rounded down to one digit. */
static int64_t one_digit(double number) {
    double unit = 1;
    while (number >= 10) number /= 10, unit *= 10;
    return (int64_t)(floor(number) * unit);
}

/* How many landmarks half of the room holds, at most 2000 and n/2: m take 8 m (n + 6 m) bytes. 0: not even one. */
static int64_t landmarks_in(double room, double n) {
    if (!(room > 0)) return 0;
    return one_digit(fmin(fmin(2000, n / 2), (sqrt(n * n + 1.5 * room) - n) / 12));
}

static double bytes_of(const rk_plan *p) { return rk_estimate_fit(p, &(rk_rates){.threads = 1}).bytes; }

/* The rows that fit into the room, to two digits. */
static int64_t rows_in(const rk_plan *plan, double room) {
    rk_plan p = *plan;
    int64_t low = 0, high = plan->n;
    while (high - low > 1) {
        p.n = (low + high) / 2;
        if (bytes_of(&p) <= 0.8 * room)
            low = p.n;
        else
            high = p.n;
    }
    return two_digits(low * plan->rows / plan->n);
}

/* Landmarks with which the fit has room. 0: none, or they do not serve. */
static int64_t landmarks_for(const rk_plan *plan, double room) {
    rk_plan p = *plan;
    int64_t most = plan->offers & RK_FEATURES ? one_digit((double)plan->landmarks / 2) : INT64_MAX;
    if (!can_have_landmarks(plan)) return 0;
    p.offers = RK_FEATURES;
    p.given = 0;
    p.landmarks = rk_min(most, landmarks_in(room, (double)p.n));
    while (p.landmarks > 0 && bytes_of(&p) > 0.8 * room) p.landmarks = one_digit((double)p.landmarks / 2);
    return p.landmarks;
}

void rk_advise_memory(rkhs_env *env, const rk_plan *plan) {
    char fact[sizeof env->message], *remedy = NULL;
    /* beside what a model states there are tiles for each worker, and buffers */
    double tiles = 3.0 * RK_TILE * RK_TILE * sizeof(double) * rk_workers(env), room = plan->room - tiles;
    int own = !env->general && strcmp(env->subject, "gram") != 0;        /* the message has a remedy of its own */
    if ((own && env->subject[0]) || bytes_of(plan) < 0.1 * room) return; /* or all fits easily */
    int64_t landmarks = landmarks_for(plan, room), rows = landmarks ? 0 : rows_in(plan, room - SPARE);
    memcpy(fact, env->message, sizeof fact);
    for (char *at = fact; (at = strstr(at, ": ")); at++) remedy = at;
    if (own && landmarks && plan->offers & RK_MATRIX)
        rk_reword(env, RKHS_ERR_MEMORY, "%s, or use gram=nystrom(landmarks=%lld)", fact, (long long)landmarks);
    if (own || !remedy) return;
    *remedy = 0;
    if (landmarks)
        rk_reword(env, RKHS_ERR_MEMORY, "%s: use gram=nystrom(landmarks=%lld), or raise the memory limit", fact,
                  (long long)landmarks);
    else if (rows >= 10)
        rk_reword(env, RKHS_ERR_MEMORY, "%s: fit at most %lld rows, or raise the memory limit", fact, (long long)rows);
    else
        rk_reword(env, RKHS_ERR_MEMORY, "%s: raise the memory limit", fact);
}
