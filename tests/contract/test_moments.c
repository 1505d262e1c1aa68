/* Features that are not stored: moments, products and embeddings in passes over the objects are those of a stored Phi,
 * with the same bits on any number of threads, at any address and for chunks of any size; a pass that fails or is
 * stopped leaves nothing behind. */
#include "trials.h"

/* Features of many objects: ALL is above rk_sample_rows, MANY takes two chunks. */
enum { ALL = 10700, MANY = 67000, LEAST = 3000, FEW = 270, K = 3 };

static const struct sight {
    const char *gram, *kernel, *data;
    int64_t n;
} sights[] = {
    {"nystrom(landmarks=40)", "rbf(gamma=0.5)", "small", ALL},
    {"nystrom(landmarks=25, by=uniform)", "laplacian(gamma=0.4)", "small", ALL},
    {"nystrom(by=given, rows=[7:20,10699])", "2*linear + rbf(gamma=0.1)*cosine", "wide", ALL},
    {"nystrom(landmarks=20)", "center(rbf(gamma=0.5))", "small", ALL},
    {"nystrom(landmarks=12)", "spectrum(p=2)", "strings", ALL},
    {"nystrom(landmarks=16, by=uniform)", "tanimoto", "bits", ALL},
    {"nystrom(landmarks=16)", "rbf(gamma=0.1)", "sparse", ALL},
    {"nystrom(landmarks=9)", "linear", "small", ALL}, /* a rank below that */
    {"features(count=30)", "rbf(gamma=0.5)", "small", ALL},
    {"features(count=20)", "0.5*linear + laplacian(gamma=0.4)", "small", ALL},
    {"nystrom(landmarks=5)", "rbf(gamma=0.5)", "small", MANY},
    {NULL, NULL, NULL, 0},
};

static built open_sight(rkhs_env *env, const struct sight *at, subject *s) {
    LOOK_AT("%s of %s on %lld of %s", at->gram, at->kernel, (long long)at->n, at->data);
    subject_open(env, &(pairing){.text = at->kernel, .data = at->data}, at->n, s);
    built b = build(env, s, at->gram);
    HOLDS(!b.g->Phi && b.g->features);
    return b;
}

/* ---- graphs ---------------------------------------------------------------------------------------------------- */

/* Up to four entries a row, anywhere, and some on the diagonal; every seventh row is empty. */
static void any_graph(rkhs_env *env, int64_t n, rk_csr *out) {
    enum { EACH = 5 };
    int64_t *to = wholes(env, n * EACH), share = n / 4;
    double *value = normals(env, n * EACH, 31);
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = 0; q < EACH; q++) {
            double u = rk_uniform(8, RK_STREAM_TEST, (uint64_t)i, (uint64_t)q);
            to[i * EACH + q] = q == 4 ? i : (i + 1 + q * share + (int64_t)(u * (double)(share - 2))) % n;
            if (i % 7 == 3 || (q == 4 && i % 3)) value[i * EACH + q] = 0;
        }
    FINE(env, rk_csr_from_lists(env, n, EACH, to, value, out));
}

static void symmetric_graph(rkhs_env *env, int64_t n, rk_csr *out) {
    rk_csr any, turned;
    any_graph(env, n, &any);
    FINE(env, rk_csr_transpose(env, &any, &turned));
    FINE(env, rk_csr_mean(env, &any, &turned, out));
}

/* ---- moments by hand ------------------------------------------------------------------------------------------- */

/* A'diag(w) B, r x k, in long double; w NULL: 1. */
static double *by_hand(rkhs_env *env, int64_t n, const double *A, int64_t r, const double *w, const double *B, int64_t k) {
    double *out = numbers(env, r * k);
    long double *sum;
    FINE(env, rk_scratch(env, r * k, sizeof *sum, &sum));
    for (int64_t i = 0; i < n; i++)
        for (int64_t a = 0; a < r; a++) {
            long double x = (long double)A[i * r + a] * (w ? w[i] : 1);
            for (int64_t c = 0; c < k; c++) sum[a * k + c] += x * B[i * k + c];
        }
    for (int64_t i = 0; i < r * k; i++) out[i] = (double)sum[i];
    return out;
}

/* Phi, n x rank, from the rows that the features give. */
static double *phi_of(rkhs_env *env, const rk_gram *g) {
    int64_t width = g->features->width, r = g->rank;
    double *wide = numbers(env, g->n * width), *Phi = numbers(env, g->n * r);
    FINE(env, rk_features_rows(env, NULL, g->features, g->rows ? g->rows : g->bound, 0, g->n, wide, width));
    for (int64_t i = 0; i < g->n; i++) memcpy(Phi + i * r, wide + i * width, (size_t)r * sizeof *Phi);
    return Phi;
}

/* G A, n x r. */
static double *joined(rkhs_env *env, const rk_csr *G, const double *A, int64_t r) {
    double *out = numbers(env, G->n * r);
    for (int64_t i = 0; i < G->n; i++)
        for (int64_t q = G->starts[i]; q < G->starts[i + 1]; q++)
            for (int64_t c = 0; c < r; c++) out[i * r + c] += G->weight[q] * A[G->to[q] * r + c];
    return out;
}

/* What a pass is asked for, and what came out. */
typedef struct asked {
    rk_csr any, both;
    double *weight, *T;
    double *square, *weighted, *between, *squared, *product;
} asked;

static void room_for(rkhs_env *env, int64_t r, asked *a) {
    a->square = numbers(env, r * r);
    a->weighted = numbers(env, r * r);
    a->between = numbers(env, r * r);
    a->squared = numbers(env, r * r);
    a->product = numbers(env, r * K);
}

static asked ask(rkhs_env *env, const rk_gram *g) {
    asked a = {.weight = normals(env, g->n, 32), .T = normals(env, g->n * K, 33)};
    for (int64_t i = 0; i < g->n; i++) a.weight[i] *= a.weight[i];
    any_graph(env, g->n, &a.any);
    symmetric_graph(env, g->n, &a.both);
    room_for(env, g->rank, &a);
    return a;
}

/* All moments, in the passes that models make. */
static rkhs_status all_moments(const rk_gram *g, const asked *a) {
    rkhs_status status = rk_gram_moments(g, "moments", &(rk_moments){.square = a->square});
    rk_moments symmetric = {.weight = a->weight, .square = a->weighted, .graph = &a->both, .between = a->between};
    symmetric.T = a->T, symmetric.k = K, symmetric.product = a->product;
    if (status == RKHS_OK) status = rk_gram_moments(g, "moments", &symmetric);
    if (status == RKHS_OK) status = rk_gram_moments(g, "moments", &(rk_moments){.graph = &a->any, .squared = a->squared});
    return status;
}

static void near_moments(const asked *a, const asked *wanted, int64_t r, double tolerance) {
    near_all("Phi'Phi", a->square, wanted->square, r * r, tolerance);
    near_all("Phi'diag(w) Phi", a->weighted, wanted->weighted, r * r, tolerance);
    near_all("Phi'G Phi", a->between, wanted->between, r * r, tolerance);
    near_all("(G Phi)'G Phi", a->squared, wanted->squared, r * r, tolerance);
    near_all("Phi'T", a->product, wanted->product, r * K, tolerance);
}

static void same_moments(const asked *a, const asked *wanted, int64_t r) {
    same_bits("Phi'Phi", a->square, wanted->square, r * r);
    same_bits("Phi'diag(w) Phi", a->weighted, wanted->weighted, r * r);
    same_bits("Phi'G Phi", a->between, wanted->between, r * r);
    same_bits("(G Phi)'G Phi", a->squared, wanted->squared, r * r);
    same_bits("Phi'T", a->product, wanted->product, r * K);
}

static void moments_are_products_of_features(void **state) {
    rkhs_env *env = *state;
    for (const struct sight *at = sights; at->gram; at++) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        built b = open_sight(env, at, &s);
        int64_t n = b.g->n, r = b.g->rank;
        asked a = ask(env, b.g), wanted = a, stored = a;
        const double *Phi = phi_of(env, b.g), *symmetric = joined(env, &a.both, Phi, r), *any = joined(env, &a.any, Phi, r);
        wanted.square = by_hand(env, n, Phi, r, NULL, Phi, r);
        wanted.weighted = by_hand(env, n, Phi, r, a.weight, Phi, r);
        wanted.between = by_hand(env, n, Phi, r, NULL, symmetric, r);
        wanted.squared = by_hand(env, n, any, r, NULL, any, r);
        wanted.product = by_hand(env, n, Phi, r, NULL, a.T, K);
        FINE(env, all_moments(b.g, &a));
        near_moments(&a, &wanted, r, 1e-13);
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j < i; j++)
                HOLDS(a.between[i * r + j] == a.between[j * r + i] && a.squared[i * r + j] == a.squared[j * r + i]);
        /* Both of one graph, in one pass. */
        double *squared = numbers(env, r * r), *between = numbers(env, r * r);
        FINE(env, rk_gram_moments(b.g, "moments", &(rk_moments){.graph = &a.both, .between = between, .squared = squared}));
        near_all("Phi'G Phi beside its square", between, wanted.between, r * r, 1e-13);
        near_all("(G Phi)'G Phi, G symmetric", squared, by_hand(env, n, symmetric, r, NULL, symmetric, r), r * r, 1e-13);
        asked cached = a;
        room_for(env, r, &cached);
        FINE(env, rk_gram_cache_features(b.g)); /* rows before L is divided out: the same bits */
        HOLDS(b.g->raw && !b.g->Phi);
        FINE(env, all_moments(b.g, &cached));
        same_bits("Phi'Phi, cached", cached.square, a.square, r * r);
        same_bits("Phi'diag(w) Phi, cached", cached.weighted, a.weighted, r * r);
        same_bits("Phi'G Phi, cached", cached.between, a.between, r * r);
        same_bits("(G Phi)'G Phi, cached", cached.squared, a.squared, r * r);
        same_bits("Phi'T, cached", cached.product, a.product, r * K);
        FINE(env, rk_gram_store_features(b.g));
        HOLDS(b.g->Phi);
        room_for(env, r, &stored);
        FINE(env, all_moments(b.g, &stored));
        near_moments(&stored, &a, r, 1e-13);
        unbuild(env, &b);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* ---- products with few columns --------------------------------------------------------------------------------- */

static double inner(const double *a, const double *b, int64_t count) {
    long double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (long double)a[i] * b[i];
    return (double)sum;
}

static void products_are_those_of_stored_features(void **state) {
    rkhs_env *env = *state;
    for (const struct sight *at = sights; at->gram; at++) {
        rk_mark mark = rk_scratch_mark(env);
        subject s;
        built b = open_sight(env, at, &s);
        int64_t n = b.g->n, r = b.g->rank;
        double *W = normals(env, r * K, 34), *V = normals(env, n * K, 35), *Z = numbers(env, n * K), *Y = numbers(env, n * K),
               *pulled = numbers(env, r * K), *again = numbers(env, r * K), *twice = numbers(env, n * K);
        rk_map *map;
        FINE(env, rk_gram_push(b.g, W, K, Z));
        FINE(env, rk_gram_pull(b.g, V, K, pulled));
        double left = inner(Z, V, n * K), right = inner(W, pulled, r * K);
        HOLDS(fabs(left - right) <= 1e-12 * sqrt(inner(Z, Z, n * K) * inner(V, V, n * K)));
        FINE(env, rk_gram_mul(b.g, V, K, twice));
        FINE(env, rk_gram_push(b.g, pulled, K, Y));
        same_bits("mul, and push after pull", twice, Y, n * K);
        /* embed is what the map gives */
        FINE(env, rk_map_new(env, b.g->map_count, K, &map));
        FINE(env, rk_gram_embed(b.g, W, K, map->B, Y));
        same_bits("embed and push", Y, Z, n * K);
        FINE(env, rk_data_keep(s.use, b.g->map_rows, b.g->kept, &map->objects));
        map->object_count = b.g->kept;
        if (b.g->features->parts) FINE(env, rk_features_copy(env, b.g->features, &map->features));
        FINE(env, rk_map_apply(env, map, s.kernel, s.use, twice, K, NULL));
        near_all("the map and embed", twice, Y, n * K, 1e-13);
        rk_map_free(env, map);
        FINE(env, rk_gram_cache_features(b.g));
        HOLDS(b.g->raw && !b.g->Phi);
        FINE(env, rk_gram_push(b.g, W, K, Y));
        same_bits("push with rows cached", Y, Z, n * K);
        FINE(env, rk_gram_pull(b.g, V, K, again));
        same_bits("pull with rows cached", again, pulled, r * K);
        FINE(env, rk_gram_store_features(b.g));
        FINE(env, rk_gram_push(b.g, W, K, Y));
        near_all("push with features stored", Y, Z, n * K, 1e-10);
        FINE(env, rk_gram_pull(b.g, V, K, again));
        near_all("pull with features stored", again, pulled, r * K, 1e-10);
        unbuild(env, &b);
        subject_close(env, &s);
        rk_scratch_release(env, mark);
    }
}

/* ---- the same bits --------------------------------------------------------------------------------------------- */

/* Moments, pull and push of a gram that is built anew. */
typedef struct outcome {
    asked a;
    double *W, *Z;
    int64_t r, chunks;
} outcome;

static int count_chunks(const rkhs_progress *progress, void *payload) {
    outcome *out = payload;
    if (strcmp(progress->stage, "moments") == 0) out->chunks = rk_max(out->chunks, progress->total);
    return 0;
}

static outcome run(rkhs_env *env, const struct sight *at, size_t room) {
    outcome out = {0};
    subject s;
    built b = open_sight(env, at, &s);
    rkhs_env_set_progress(env, count_chunks, &out);
    env->progress_last = -1e9;
    out.r = b.g->rank;
    out.a = ask(env, b.g);
    out.W = numbers(env, out.r * K);
    out.Z = numbers(env, b.g->n * K);
    const double *V = normals(env, b.g->n * K, 36);
    if (room) FINE(env, rkhs_env_set_memory(env, env->used + room));
    FINE(env, all_moments(b.g, &out.a));
    FINE(env, rk_gram_pull(b.g, V, K, out.W));
    FINE(env, rk_gram_push(b.g, out.W, K, out.Z));
    FINE(env, rkhs_env_set_memory(env, 0));
    rkhs_env_set_progress(env, NULL, NULL);
    unbuild(env, &b);
    subject_close(env, &s);
    return out;
}

/* Chunks are smaller where less memory is free. */
static void the_bits_depend_on_neither_threads_nor_addresses_nor_chunks(void **state) {
    rkhs_env *env = *state;
    static const struct {
        int threads;
        int64_t shift;
        size_t room;
    } ways[] = {{1, 0, 0}, {2, 0, 0}, {4, 0, 0}, {1, 1, 0}, {2, 5, 0}, {1, 0, 6000000}, {2, 3, 12000000}, {1, 0, 24000000}};
    for (const struct sight *at = sights; at->gram; at++) {
        rk_mark mark = rk_scratch_mark(env);
        outcome first = {0};
        for (size_t q = 0; q < sizeof ways / sizeof *ways; q++) {
            FINE(env, rkhs_env_set_threads(env, ways[q].threads));
            env->shift = ways[q].shift;
            rk_mark inside = rk_scratch_mark(env);
            outcome now = run(env, at, ways[q].room);
            LOOK_AT("%s of %s on %lld of %s, %d threads, shift %lld, room %zu", at->gram, at->kernel, (long long)at->n,
                    at->data, ways[q].threads, (long long)ways[q].shift, ways[q].room);
            if (q == 0) {
                first = now;
                HOLDS(first.chunks == (at->n == MANY ? 2 : 1));
                continue;
            }
            if (ways[q].room && at == sights) HOLDS(now.chunks > 1);
            HOLDS(now.r == first.r);
            same_moments(&now.a, &first.a, first.r);
            same_bits("pull", now.W, first.W, first.r * K);
            same_bits("push", now.Z, first.Z, at->n * K);
            rk_scratch_release(env, inside);
        }
        env->shift = 0;
        FINE(env, rkhs_env_set_threads(env, 1));
        rk_scratch_release(env, mark);
    }
}

/* ---- passes that fail or are stopped --------------------------------------------------------------------------- */

/* Everything that goes over the objects, on features that are not stored and in several chunks. */
typedef struct scene {
    rk_gram *g, *lazy, *few; /* lazy, few: of FEW objects */
    rkhs_data *y;            /* that a model learns from */
    const char *spec;        /* of that model */
    asked a;
    double *V, *W, *Z, *B;
} scene;

typedef rkhs_status (*pass_call)(rkhs_env *env, scene *s);

static rkhs_status call_moments(rkhs_env *env, scene *s) { return all_moments(s->g, &s->a); }
static rkhs_status call_push(rkhs_env *env, scene *s) { return rk_gram_push(s->g, s->W, K, s->Z); }
static rkhs_status call_pull(rkhs_env *env, scene *s) { return rk_gram_pull(s->g, s->V, K, s->B); }
static rkhs_status call_mul(rkhs_env *env, scene *s) { return rk_gram_mul(s->g, s->V, K, s->Z); }
static rkhs_status call_embed(rkhs_env *env, scene *s) { return rk_gram_embed(s->g, s->W, K, s->B, s->Z); }
static rkhs_status call_lazy(rkhs_env *env, scene *s) { return rk_gram_mul(s->lazy, s->V, K, s->Z); }
static rkhs_status call_store(rkhs_env *env, scene *s) {
    rkhs_status status = rk_gram_store_features(s->g);
    forget_features(env, s->g);
    return status;
}
static rkhs_status call_precondition(rkhs_env *env, scene *s) {
    rk_mark mark = rk_scratch_mark(env);
    rk_gram *landmarks = NULL;
    rk_op inverse;
    rkhs_status status = rk_precondition(s->lazy, 0.1, &landmarks, &inverse);
    if (status == RKHS_OK) status = inverse.apply(inverse.context, env, s->V, K, s->Z);
    rk_gram_free(landmarks);
    rk_scratch_release(env, mark);
    return status;
}

static rkhs_status call_kmeans(rkhs_env *env, scene *s) {
    rk_spec *spec = NULL;
    rk_gram *g = NULL;
    rkhs_status status = rk_spec_new(env, &rk_grams, "nystrom(landmarks=20, by=kmeans)", &spec);
    if (status == RKHS_OK) status = rk_gram_new(env, spec, s->lazy->kernel, s->lazy->x, &g);
    rk_gram_free(g);
    rk_spec_free(env, spec);
    return status;
}

static rkhs_status call_fit(rkhs_env *env, scene *s) {
    rkhs_status status = fit_on_gram(env, s->spec, s->few, s->y, K, s->Z);
    forget_features(env, s->few); /* what goes over them often may store them */
    return status;
}

static const struct {
    const char *name;
    pass_call call;
} passes[] = {
    {"moments", call_moments}, {"push", call_push},   {"pull", call_pull},           {"mul", call_mul},
    {"embed", call_embed},     {"store", call_store}, {"a lazy product", call_lazy}, {"a preconditioner", call_precondition},
    {"k-means", call_kmeans},
};

typedef struct stopper {
    rkhs_env *env;
    int64_t calls, at, chunks; /* chunks: the most that a pass was shown to take */
} stopper;

static int stop_at(const rkhs_progress *progress, void *payload) {
    stopper *s = payload;
    s->env->progress_last = -1e9;
    if (strcmp(progress->stage, "moments") == 0) s->chunks = rk_max(s->chunks, progress->total);
    return ++s->calls == s->at;
}

/* Fails the allocations of a call in turn. */
static void starve(rkhs_env *env, const char *name, pass_call call, scene *s) {
    rk_pool_free(env);
    size_t used = env->used;
    LOOK_AT("%s", name);
    env->allocations = 0;
    env->fail_at = INT64_MAX;
    FINE(env, call(env, s));
    rk_pool_free(env);
    int64_t total = env->allocations;
    HOLDS(total > 0 && env->used == used);
    for (int64_t k = 0; k < total; k++) {
        LOOK_AT("%s, allocation %lld of %lld fails", name, (long long)k, (long long)total);
        env->allocations = 0;
        env->fail_at = k;
        rk_begin_call(env);
        rkhs_status status = call(env, s);
        env->fail_at = -1;
        rk_pool_free(env);
        HOLDS(env->used == used);
        if (status != RKHS_OK && status != RKHS_ERR_MEMORY) fail_msg("%s: %d, %s", context, status, rkhs_env_message(env));
        if (status != RKHS_OK) HOLDS(says(rkhs_env_message(env), "memory limit"));
    }
    env->fail_at = -1;
}

/* Stops a call at its first looks, and at many others. Returns how many chunks its moments take. */
static int64_t stop_everywhere(rkhs_env *env, const char *name, pass_call call, scene *s) {
    for (int64_t at = 1;; at += at < 30 ? 1 : 17) {
        stopper stop = {env, 0, at, 0};
        LOOK_AT("%s, stopped at look %lld, %d threads", name, (long long)at, env->threads);
        rk_pool_free(env);
        size_t used = env->used;
        rk_begin_call(env);
        rkhs_env_set_progress(env, stop_at, &stop);
        env->progress_last = -1e9;
        rkhs_status status = call(env, s);
        rkhs_env_set_progress(env, NULL, NULL);
        rk_pool_free(env);
        HOLDS(env->used == used);
        if (status == RKHS_OK) {
            HOLDS(stop.calls < at && at > 1);
            rk_begin_call(env);
            return stop.chunks;
        }
        if (status != RKHS_ERR_CANCELLED) fail_msg("%s: %d, %s", context, status, rkhs_env_message(env));
        if (env->threads == 1) HOLDS(stop.calls == at); /* not asked again */
    }
}

static void a_pass_that_fails_or_is_stopped_leaves_nothing_behind(void **state) {
    rkhs_env *env = *state;
    rk_mark mark = rk_scratch_mark(env);
    subject s, few;
    scene now = {0};
    LOOK_AT("a scene");
    subject_open(env, &(pairing){.text = "center(rbf(gamma=0.5))", .data = "small"}, LEAST, &s);
    subject_open(env, &(pairing){.text = "center(rbf(gamma=0.5))", .data = "small"}, FEW, &few);
    built b = build(env, &s, "nystrom(landmarks=30)"), lazy = build(env, &few, "lazy");
    forget_features(env, b.g);
    now.g = b.g;
    now.lazy = lazy.g;
    now.a = ask(env, b.g);
    now.V = normals(env, LEAST * K, 37);
    now.W = normals(env, b.g->rank * K, 38);
    now.Z = numbers(env, LEAST * K);
    now.B = numbers(env, LEAST * K);
    for (size_t q = 0; q < sizeof passes / sizeof *passes; q++) {
        /* Little room, for chunks of a tile each, but what needs more by itself. */
        if (q < 5) FINE(env, rkhs_env_set_memory(env, env->used + 3000000));
        starve(env, passes[q].name, passes[q].call, &now);
        int64_t chunks = stop_everywhere(env, passes[q].name, passes[q].call, &now);
        if (q == 0) HOLDS(chunks == 3);
        FINE(env, rkhs_env_set_memory(env, 0));
        FINE(env, rkhs_env_set_threads(env, 2));
        stop_everywhere(env, passes[q].name, passes[q].call, &now);
        FINE(env, rkhs_env_set_threads(env, 1));
    }
    unbuild(env, &lazy);
    unbuild(env, &b);
    subject_close(env, &few);
    subject_close(env, &s);
    rk_scratch_release(env, mark);
}

/* The same of fits that use them. */
static void a_fit_without_stored_features_fails_whole(void **state) {
    rkhs_env *env = *state;
    static const char *const specs[] = {
        "kpca(dim=3)", "krr", "lpp(dim=3)", "npe(dim=3)", "contrastive(dim=3)", "spectral(dim=3, solver=lbfgs(max_iter=4))"};
    rk_mark mark = rk_scratch_mark(env);
    subject s;
    LOOK_AT("a scene");
    subject_open(env, &(pairing){.text = "rbf(gamma=0.5)", .data = "small"}, FEW, &s);
    built b = build(env, &s, "nystrom(landmarks=12)");
    forget_features(env, b.g);
    scene now = {.few = b.g, .Z = numbers(env, FEW * K)};
    for (size_t q = 0; q < sizeof specs / sizeof *specs; q++) {
        rkhs_model *m;
        now.spec = specs[q];
        FINE(env, rkhs_model_new(env, now.spec, &m));
        now.y = fixture_supervision(env, m->type, s.x, K);
        rkhs_model_free(m);
        starve(env, now.spec, call_fit, &now);
        stop_everywhere(env, now.spec, call_fit, &now);
        rkhs_data_free(now.y);
    }
    unbuild(env, &b);
    subject_close(env, &s);
    rk_scratch_release(env, mark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENV_TEST(moments_are_products_of_features),
        ENV_TEST(products_are_those_of_stored_features),
        ENV_TEST(the_bits_depend_on_neither_threads_nor_addresses_nor_chunks),
        ENV_TEST(a_pass_that_fails_or_is_stopped_leaves_nothing_behind),
        ENV_TEST(a_fit_without_stored_features_fails_whole),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
