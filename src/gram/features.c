/* features.c: products with features Phi, and their moments, in passes over the objects that need not store Phi.
 *
 * Rows of Phi are computed in chunks of 2^l tiles of RK_SUM_ROWS rows, used and discarded. A chunk is a node of the
 * tree that adds sums over rows (la/row_sums.c), so that bits depend neither on threads nor on the size of a chunk.
 * Products with few columns do not divide L out of each row: Phi W = k(X, D) (L^-T W), and Phi'Z = L^-1 (k(D, X) Z).
 * Moments do, as L^-1 (K'K) L^-T would square the condition of L. The rows that a graph joins with a chunk are gathered
 * and their kernel values computed again: L is divided out of the sum over them. */
#include "gram/gram.h"

#include <stdio.h>
#include <string.h>

enum { PIECE = 2048, SAMPLE = 2000 };                         /* gathered rows at a time; objects kept, at least */
enum { CHUNK_TILES = 64 };                                    /* of a chunk, at most */
static const double CHUNK_BYTES = 64.0 * (1 << 20);           /* the same */
static const double FAR = 0x1p50, TURN = 0x1.921fb54442d18p2; /* beyond FAR w'x is rounding: any phase does */

void rk_features_free(rkhs_env *env, rk_features *f) {
    if (!f) return;
    rk_unbind(env, f->bound);
    rkhs_data_free(f->objects);
    rkhs_kernel_free(f->kernel);
    rk_free(env, f->L);
    rk_free(env, f->part);
    rk_free(env, f);
}

rkhs_status rk_features_bind(rkhs_env *env, const rk_features *f, const rkhs_kernel *kernel, const rkhs_data *x,
                             rk_bound **rows) {
    /* w'x refers to nothing, and x may be of another kind than w. */
    return f->kernel ? rk_bind(env, f->kernel, x, NULL, rows) : rk_bind(env, kernel, x, f->bound, rows);
}

/* x bound for its features. */
static const rk_bound *rows_of(const rk_gram *g) { return g->rows ? g->rows : g->bound; }

/* ---- tiles ----------------------------------------------------------------------------------------------------- */

/* Rows w in a tile, and features for each. */
static int64_t tile_of(const rk_feature_part *p) { return p->kind == RK_PART_WAVES ? RK_TILE / 2 : RK_TILE; }
static int64_t each_of(const rk_feature_part *p) { return p->kind == RK_PART_WAVES ? 2 : 1; }

int64_t rk_features_tiles(const rk_features *f) {
    int64_t tiles = f->parts ? 0 : (f->width + RK_TILE - 1) / RK_TILE;
    for (int64_t p = 0; p < f->parts; p++) tiles += (f->part[p].count + tile_of(&f->part[p]) - 1) / tile_of(&f->part[p]);
    return tiles;
}

/* Turns w'x of `count` rows w, at the right end of a tile's row, into features. */
static void turn_row(const rk_feature_part *p, int64_t count, double *row) {
    double inner[RK_TILE];
    memcpy(inner, row + (each_of(p) - 1) * count, (size_t)count * sizeof *inner);
    for (int64_t j = 0; p->kind == RK_PART_WAVES && j < count; j++)
        if (fabs(inner[j]) > FAR) inner[j] = fmod(inner[j], TURN);
    if (p->kind == RK_PART_WAVES) rk_cos_sin(count, p->scale, inner, row);
    for (int64_t j = 0; p->kind == RK_PART_RELU && j < count; j++) row[j] = p->scale * fmax(inner[j], 0);
    for (int64_t j = 0; p->kind == RK_PART_LINEAR && j < count; j++) row[j] = p->scale * inner[j];
}

rkhs_status rk_features_tile(const rk_features *f, int64_t t, const rk_bound *rows, int64_t i0, int64_t ni, double *out,
                             int64_t ld, rk_work work, int64_t *j0, int64_t *nj) {
    int64_t w = 0, first = 0, p = 0;
    *j0 = t * RK_TILE;
    *nj = rk_min(RK_TILE, f->width - *j0);
    if (!f->parts) return rk_block_of(rows, i0, ni, f->bound, *j0, *nj, out, ld, work);
    for (; p < f->parts; p++) {
        int64_t tiles = (f->part[p].count + tile_of(&f->part[p]) - 1) / tile_of(&f->part[p]);
        if (t < tiles) break;
        t -= tiles;
        w += f->part[p].count;
        first += f->part[p].count * each_of(&f->part[p]);
    }
    const rk_feature_part *part = &f->part[p];
    int64_t from = t * tile_of(part), count = rk_min(tile_of(part), part->count - from), each = each_of(part);
    *j0 = first + from * each;
    *nj = count * each;
    rkhs_status status = rk_block_of(rows, i0, ni, f->bound, w + from, count, out + (each - 1) * count, ld, work);
    for (int64_t i = 0; status == RKHS_OK && i < ni; i++) turn_row(part, count, out + i * ld);
    return status;
}

typedef struct raw_loop {
    const rk_features *f;
    const rk_bound *rows;
    int64_t from, count, tile, tiles;
    double *out, *room; /* room: workers x RK_TILE x RK_TILE */
    int64_t ld;
    rk_work *work;
} raw_loop;

static rkhs_status raw_tile(void *context, int64_t task, int worker) {
    const raw_loop *a = context;
    int64_t i = task / a->tiles * a->tile, ni = rk_min(a->tile, a->count - i), j, nj;
    double *room = a->room + (int64_t)worker * RK_TILE * RK_TILE;
    rkhs_status status =
        rk_features_tile(a->f, task % a->tiles, a->rows, a->from + i, ni, room, RK_TILE, a->work[worker], &j, &nj);
    for (int64_t r = 0; status == RKHS_OK && r < ni; r++)
        memcpy(a->out + (i + r) * a->ld + j, room + r * RK_TILE, (size_t)nj * sizeof *room);
    return status;
}

rkhs_status rk_features_raw(rkhs_env *env, const char *stage, const rk_features *f, const rk_bound *rows, int64_t i0,
                            int64_t ni, double *out, int64_t ld) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    raw_loop a = {.f = f, .rows = rows, .from = i0, .count = ni, .tile = RK_TILE, .out = out, .ld = ld};
    if (!f->parts) return rk_gram_cross_rows(env, stage, rows, i0, ni, f->bound, out, ld);
    a.tiles = rk_features_tiles(f);
    TRY(rk_work_new(env, rows, f->bound, &a.work));
    TRY(rk_scratch_raw(env, (int64_t)rk_workers(env) * RK_TILE * RK_TILE, sizeof *a.room, &a.room));
    TRY(rk_kernel_parallel(env, stage, rows->kernel, (ni + a.tile - 1) / a.tile * a.tiles, raw_tile, &a));
done:
    rk_scratch_release(env, mark);
    return status;
}

rkhs_status rk_features_rows(rkhs_env *env, const char *stage, const rk_features *f, const rk_bound *rows, int64_t i0,
                             int64_t ni, double *out, int64_t ld) {
    rkhs_status status = rk_features_raw(env, stage, f, rows, i0, ni, out, ld);
    return status == RKHS_OK && f->L ? rk_trsm_right(env, NULL, ni, f->rank, f->L, f->rank, out, ld) : status;
}

/* Rows of a chunk: a power of two of tiles, whose rows of `width` numbers take at most CHUNK_BYTES, and at most an
 * eighth of the memory that is free: a pass has two of them, and kernels some numbers for each row. */
static int64_t chunk_rows(rkhs_env *env, int64_t n, int64_t width) {
    int64_t rows = RK_SUM_ROWS;
    while (rows < n && rows < CHUNK_TILES * RK_SUM_ROWS) {
        double bytes = 16.0 * (double)rows * (double)width; /* of twice as many */
        if (bytes > CHUNK_BYTES || !rk_fits_limit(env, 8 * bytes)) break;
        rows *= 2;
    }
    return rows;
}

rkhs_status rk_gram_store_features(rk_gram *g) {
    rkhs_status status = RKHS_OK;
    const rk_features *f = g->features;
    char what[128];
    if (g->Phi) return RKHS_OK;
    snprintf(what, sizeof what, "%s of %s", rk_counted(f->rank, "feature").text, rk_counted(g->n, "object").text);
    TRY(rk_set_subject(g->env, "gram",
                       rk_require_memory(g->env, 8.0 * (double)g->n * (double)f->width, what,
                                         "choose fewer of them, or raise the memory limit")));
    TRY(rk_alloc(g->env, g->n * f->width, sizeof *g->Phi, &g->Phi));
    g->ldp = f->width;
    TRY(rk_features_rows(g->env, "features", f, rows_of(g), 0, g->n, g->Phi, g->ldp));
    rk_free(g->env, g->raw);
    g->raw = NULL;
done:
    return status;
}

rkhs_status rk_gram_cache_features(rk_gram *g) {
    rkhs_status status = RKHS_OK;
    int64_t count = g->n * g->features->width;
    /* A quarter of what is free: the model has matrices of its own. */
    if (g->Phi || g->raw || !rk_fits_limit(g->env, 4 * 8.0 * (double)count)) return RKHS_OK;
    TRY(rk_alloc(g->env, count, sizeof *g->raw, &g->raw));
    TRY(rk_features_raw(g->env, "features", g->features, rows_of(g), 0, g->n, g->raw, g->features->width));
done:
    return status;
}

/* Rows i .. i + ni - 1 before L is divided out, which are stored or computed in `room`. */
static rkhs_status raw_rows(const rk_gram *g, int64_t i, int64_t ni, double *room, const double **rows) {
    int64_t width = g->features->width;
    *rows = g->raw ? g->raw + i * width : room;
    return g->raw ? RKHS_OK : rk_features_raw(g->env, NULL, g->features, rows_of(g), i, ni, room, width);
}

/* Room for a chunk that raw_rows may compute. */
static rkhs_status raw_room(const rk_gram *g, int64_t rows, double **room) {
    *room = NULL;
    return g->raw ? RKHS_OK : rk_scratch_raw(g->env, rk_min(rows, g->n) * g->features->width, sizeof **room, room);
}

/* ---- products with few columns --------------------------------------------------------------------------------- */

/* B = L^-T W; 0 for landmarks beyond the rank. */
static void divide_map(const rk_features *f, const double *W, int64_t k, double *B) {
    memset(B + f->rank * k, 0, (size_t)((f->width - f->rank) * k) * sizeof *B);
    memcpy(B, W, (size_t)(f->rank * k) * sizeof *B);
    if (f->L) rk_trsm_tile('l', 't', f->rank, k, f->L, f->rank, B, k);
}

/* Z = k(X, D) B, chunk by chunk. */
static rkhs_status push_raw(const rk_gram *g, const double *B, int64_t k, double *Z) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    const rk_features *f = g->features;
    int64_t n = g->n, width = f->width, rows = chunk_rows(g->env, n, width);
    double *room;
    const double *R;
    TRY(raw_room(g, rows, &room));
    for (int64_t i = 0; i < n; i += rows) {
        int64_t ni = rk_min(rows, n - i);
        TRY(rk_progress(g->env, "embedding", i, n));
        TRY(raw_rows(g, i, ni, room, &R));
        TRY(rk_gemm(g->env, NULL, 'n', 'n', ni, k, width, 1.0, R, width, B, k, 0.0, Z + i * k, k));
    }
done:
    rk_scratch_release(g->env, mark);
    return status;
}

static rkhs_status push_features(const rk_gram *g, const double *W, int64_t k, double *Z) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    double *B;
    if (g->Phi) return rk_gemm(g->env, NULL, 'n', 'n', g->n, k, g->rank, 1.0, g->Phi, g->ldp, W, k, 0.0, Z, k);
    TRY(rk_scratch(g->env, g->features->width * k, sizeof *B, &B));
    divide_map(g->features, W, k, B);
    TRY(push_raw(g, B, k, Z));
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* Sums of blocks over chunks, by the tree. */
typedef struct chunk_sum {
    int64_t width; /* numbers in the block */
    double *levels, *node;
} chunk_sum;

static rkhs_status chunk_sum_new(rkhs_env *env, int64_t chunks, int64_t width, chunk_sum *s) {
    rkhs_status status = RKHS_OK;
    s->width = width;
    TRY(rk_scratch_raw(env, width, sizeof *s->node, &s->node));
    TRY(rk_scratch_raw(env, rk_tree_levels(chunks) * width, sizeof *s->levels, &s->levels));
done:
    return status;
}

static rkhs_status pull_features(const rk_gram *g, const double *Z, int64_t k, double *W) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    const rk_features *f = g->features;
    int64_t n = g->n, width = f->width, rows = chunk_rows(g->env, n, width), chunks = (n + rows - 1) / rows;
    double *room;
    const double *R;
    chunk_sum sum;
    if (g->Phi) return rk_tall_product(g->env, n, g->rank, k, g->Phi, g->ldp, Z, k, W, k);
    TRY(chunk_sum_new(g->env, chunks, f->rank * k, &sum));
    TRY(raw_room(g, rows, &room));
    for (int64_t c = 0; c < chunks; c++) {
        int64_t i = c * rows, ni = rk_min(rows, n - i);
        TRY(raw_rows(g, i, ni, room, &R));
        TRY(rk_tall_product(g->env, ni, f->rank, k, R, width, Z + i * k, k, sum.node, k));
        rk_tree_push(c, sum.width, sum.levels, sum.node);
    }
    rk_tree_fold(chunks, sum.width, sum.levels, W);
    if (f->L) rk_trsm_tile('l', 'n', f->rank, k, f->L, f->rank, W, k);
done:
    rk_scratch_release(g->env, mark);
    return status;
}

rkhs_status rk_gram_push(const rk_gram *g, const double *W, int64_t k, double *Z) {
    return g->features ? push_features(g, W, k, Z) : g->type->mul(g, W, k, Z);
}

rkhs_status rk_gram_pull(const rk_gram *g, const double *Z, int64_t k, double *W) {
    return g->features ? pull_features(g, Z, k, W) : g->type->mul(g, Z, k, W);
}

rkhs_status rk_gram_mul(const rk_gram *g, const double *V, int64_t k, double *out) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    double *W;
    if (!g->features) return g->type->mul(g, V, k, out);
    TRY(rk_scratch(g->env, g->rank * k, sizeof *W, &W));
    TRY(rk_gram_pull(g, V, k, W));
    TRY(rk_gram_push(g, W, k, out));
done:
    rk_scratch_release(g->env, mark);
    return status;
}

rkhs_status rk_gram_to_map(const rk_gram *g, const double *W, int64_t k, double *B) {
    if (g->features)
        divide_map(g->features, W, k, B);
    else
        memcpy(B, W, (size_t)(g->n * k) * sizeof *B);
    return RKHS_OK;
}

/* W = L'B, and its transpose B = L W. */
rkhs_status rk_gram_from_map(const rk_gram *g, const double *B, int64_t k, double *W) {
    const rk_features *f = g->features;
    if (f && f->L) return rk_gemm(g->env, NULL, 't', 'n', f->rank, k, f->width, 1.0, f->L, f->rank, B, k, 0.0, W, k);
    memcpy(W, B, (size_t)(g->rank * k) * sizeof *W);
    return RKHS_OK;
}

rkhs_status rk_gram_from_map_transposed(const rk_gram *g, const double *W, int64_t k, double *B) {
    const rk_features *f = g->features;
    if (f && f->L) return rk_gemm(g->env, NULL, 'n', 'n', f->width, k, f->rank, 1.0, f->L, f->rank, W, k, 0.0, B, k);
    memcpy(B, W, (size_t)(g->rank * k) * sizeof *B);
    return RKHS_OK;
}

rkhs_status rk_gram_embed(const rk_gram *g, const double *W, int64_t k, double *B, double *Z) {
    rkhs_status status = rk_gram_to_map(g, W, k, B);
    if (status != RKHS_OK) return status;
    return g->features && !g->Phi ? push_raw(g, B, k, Z) : rk_gram_push(g, W, k, Z);
}

/* ---- moments --------------------------------------------------------------------------------------------------- */

/* One pass over the objects. */
typedef struct pass {
    const rk_gram *g;
    const rk_moments *m;
    int64_t n, r, width; /* width: of a row before L is divided out, or of a stored one */
    int64_t rows, chunks, ld;
    const double *P;      /* Phi of the chunk */
    const double *stored; /* rows of all objects, lds apart: Phi, or before L is divided out; or NULL */
    int64_t lds;
    double *room, *Y;         /* rows x width: room for P; the graph times Phi */
    int64_t *slot, *gathered; /* n: an object's place in `gathered`, or -1; objects that the chunk's rows name */
    double *piece;            /* PIECE x width: their kernel values with D */
    int64_t i0, ni, from, to; /* the chunk; the part of `gathered` in `piece` */
    chunk_sum square, between, squared, product;
} pass;

/* Which entries of row i count, and how: for `between` alone those on and below the diagonal, the latter twice. */
static double entry_weight(const pass *p, int64_t i, int64_t q) {
    const rk_csr *G = p->m->graph;
    return p->m->squared ? G->weight[q] : G->to[q] < i ? 2 * G->weight[q] : G->to[q] == i ? G->weight[q] : 0;
}

/* Adds the rows of the piece, or of all objects where these are stored, to some rows of Y. */
static rkhs_status add_joined(void *context, int64_t tile, int worker) {
    pass *p = context;
    const rk_csr *G = p->m->graph;
    enum { ROWS = 64 };
    for (int64_t i = p->i0 + tile * ROWS; i < rk_min(p->i0 + (tile + 1) * ROWS, p->i0 + p->ni); i++)
        for (int64_t q = G->starts[i]; q < G->starts[i + 1]; q++) {
            double w = entry_weight(p, i, q), *y = p->Y + (i - p->i0) * p->width;
            int64_t at = p->stored ? G->to[q] : p->slot[G->to[q]];
            if (w == 0 || at < p->from || at >= p->to) continue;
            const double *x = p->stored ? p->stored + at * p->lds : p->piece + (at - p->from) * p->width;
            for (int64_t c = 0; c < p->width; c++) y[c] += w * x[c];
        }
    return RKHS_OK;
}

/* Lists the objects that rows of the chunk name, ascending. */
static int64_t gather(pass *p) {
    const rk_csr *G = p->m->graph;
    int64_t count = 0, low = p->n, high = -1;
    for (int64_t i = p->i0; i < p->i0 + p->ni; i++)
        for (int64_t q = G->starts[i]; q < G->starts[i + 1]; q++)
            if (entry_weight(p, i, q) != 0) p->slot[G->to[q]] = 0, low = rk_min(low, G->to[q]), high = rk_max(high, G->to[q]);
    for (int64_t j = low; j <= high; j++)
        if (p->slot[j] >= 0) p->slot[j] = count, p->gathered[count++] = j;
    return count;
}

/* Adds the kernel values with D of gathered objects from .. to - 1, each times its entry of the graph. */
static rkhs_status add_piece(pass *p, int64_t from, int64_t to) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = p->g;
    rkhs_data *some = NULL;
    rk_bound *bound = NULL;
    p->from = from;
    p->to = to;
    TRY(rk_data_subset(g->x, p->gathered + from, to - from, &some));
    TRY(rk_features_bind(g->env, g->features, g->kernel, some, &bound));
    TRY(rk_features_raw(g->env, NULL, g->features, bound, 0, to - from, p->piece, p->width));
    TRY(rk_parallel(g->env, NULL, (p->ni + 63) / 64, add_joined, p));
done:
    rk_unbind(g->env, bound);
    rkhs_data_free(some);
    return status;
}

/* Y = the rows of the graph in this chunk, times Phi. */
static rkhs_status join(pass *p) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = p->g;
    memset(p->Y, 0, (size_t)(p->ni * p->width) * sizeof *p->Y);
    if (p->stored) {
        p->from = 0;
        p->to = p->n;
        TRY(rk_parallel(g->env, NULL, (p->ni + 63) / 64, add_joined, p));
    } else {
        int64_t count = gather(p);
        for (int64_t q = 0; q < count; q += PIECE) TRY(add_piece(p, q, rk_min(q + PIECE, count)));
        for (int64_t q = 0; q < count; q++) p->slot[p->gathered[q]] = -1;
    }
    if (!g->Phi && g->features->L) TRY(rk_trsm_right(g->env, NULL, p->ni, p->r, g->features->L, p->r, p->Y, p->width));
done:
    return status;
}

static rkhs_status add_chunk(pass *p, int64_t c) {
    rkhs_status status = RKHS_OK;
    const rk_gram *g = p->g;
    const rk_moments *m = p->m;
    int64_t r = p->r;
    p->i0 = c * p->rows;
    p->ni = rk_min(p->rows, p->n - p->i0);
    p->P = g->Phi ? g->Phi + p->i0 * g->ldp : p->room;
    p->ld = g->Phi ? g->ldp : p->width;
    if (!g->Phi && g->raw)
        memcpy(p->room, g->raw + p->i0 * p->width, (size_t)(p->ni * p->width) * sizeof *p->room);
    else if (!g->Phi)
        TRY(rk_features_raw(g->env, NULL, g->features, rows_of(g), p->i0, p->ni, p->room, p->width));
    if (!g->Phi && g->features->L) TRY(rk_trsm_right(g->env, NULL, p->ni, r, g->features->L, r, p->room, p->width));
    if (m->graph) TRY(join(p));
    if (m->square) TRY(rk_syrk(g->env, NULL, p->ni, r, p->P, p->ld, m->weight ? m->weight + p->i0 : NULL, p->square.node, r));
    if (m->square) rk_tree_push(c, r * r, p->square.levels, p->square.node);
    if (m->between) TRY(rk_tall_product(g->env, p->ni, r, r, p->P, p->ld, p->Y, p->width, p->between.node, r));
    if (m->between) rk_tree_push(c, r * r, p->between.levels, p->between.node);
    if (m->squared) TRY(rk_syrk(g->env, NULL, p->ni, r, p->Y, p->width, NULL, p->squared.node, r));
    if (m->squared) rk_tree_push(c, r * r, p->squared.levels, p->squared.node);
    if (m->product) TRY(rk_tall_product(g->env, p->ni, r, m->k, p->P, p->ld, m->T + p->i0 * m->k, m->k, p->product.node, m->k));
    if (m->product) rk_tree_push(c, r * m->k, p->product.levels, p->product.node);
done:
    return status;
}

static rkhs_status pass_new(pass *p) {
    rkhs_status status = RKHS_OK;
    rkhs_env *env = p->g->env;
    const rk_moments *m = p->m;
    int64_t size = rk_min(p->rows, p->n) * p->width, square = p->r * p->r;
    if (!p->g->Phi) TRY(rk_scratch_raw(env, size, sizeof *p->room, &p->room));
    if (m->graph) TRY(rk_scratch_raw(env, size, sizeof *p->Y, &p->Y));
    if (m->graph && !p->stored) {
        TRY(rk_scratch(env, p->n, sizeof *p->slot, &p->slot));
        TRY(rk_scratch(env, p->n, sizeof *p->gathered, &p->gathered));
        TRY(rk_scratch_raw(env, PIECE * p->width, sizeof *p->piece, &p->piece));
        for (int64_t i = 0; i < p->n; i++) p->slot[i] = -1;
    }
    if (m->square) TRY(chunk_sum_new(env, p->chunks, square, &p->square));
    if (m->between) TRY(chunk_sum_new(env, p->chunks, square, &p->between));
    if (m->squared) TRY(chunk_sum_new(env, p->chunks, square, &p->squared));
    if (m->product) TRY(chunk_sum_new(env, p->chunks, p->r * m->k, &p->product));
done:
    return status;
}

rkhs_status rk_gram_moments(const rk_gram *g, const char *stage, const rk_moments *m) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(g->env);
    pass p = {.g = g, .m = m, .n = g->n, .r = g->rank, .width = g->Phi ? g->rank : g->features->width};
    p.stored = g->Phi ? g->Phi : g->raw;
    p.lds = g->Phi ? g->ldp : p.width;
    int64_t r = p.r;
    p.rows = g->Phi && !m->graph ? p.n : chunk_rows(g->env, p.n, p.width);
    p.chunks = (p.n + p.rows - 1) / p.rows;
    TRY(pass_new(&p));
    for (int64_t c = 0; c < p.chunks; c++) {
        TRY(rk_progress(g->env, stage, c, p.chunks));
        TRY(add_chunk(&p, c));
    }
    if (m->square) rk_tree_fold(p.chunks, r * r, p.square.levels, m->square);
    if (m->between) rk_tree_fold(p.chunks, r * r, p.between.levels, m->between);
    if (m->squared) rk_tree_fold(p.chunks, r * r, p.squared.levels, m->squared);
    if (m->product) rk_tree_fold(p.chunks, r * m->k, p.product.levels, m->product);
    for (int64_t i = 0; m->between && i < r; i++)
        for (int64_t j = 0; j < i; j++)
            m->between[i * r + j] = m->between[j * r + i] = (m->between[i * r + j] + m->between[j * r + i]) / 2;
done:
    rk_scratch_release(g->env, mark);
    return status;
}

/* ---- copies and files ------------------------------------------------------------------------------------------ */

/* Completes features whose parts and vectors are set: linear is bound to the vectors. */
static rkhs_status finish_random(rkhs_env *env, rk_features *f) {
    rkhs_status status = RKHS_OK;
    for (int64_t p = 0; p < f->parts; p++) f->width += f->part[p].count * each_of(&f->part[p]);
    f->rank = f->width;
    TRY(rk_kernel_new(env, "linear", &f->kernel));
    TRY(rk_bind(env, f->kernel, f->objects, NULL, &f->bound));
done:
    return status;
}

rkhs_status rk_features_copy(rkhs_env *env, const rk_features *f, rk_features **copy) {
    rkhs_status status = RKHS_OK;
    rk_features *to = NULL;
    *copy = NULL;
    TRY(rk_alloc(env, 1, sizeof *to, &to));
    TRY(rk_alloc(env, f->parts, sizeof *to->part, &to->part));
    memcpy(to->part, f->part, (size_t)f->parts * sizeof *to->part);
    to->parts = f->parts;
    TRY(rk_data_keep(f->objects, NULL, 0, &to->objects));
    TRY(finish_random(env, to));
    *copy = to;
    to = NULL;
done:
    rk_features_free(env, to);
    return status;
}

/* What x and the gram need of features that are complete. */
static rkhs_status adopt(rk_gram *g) {
    g->rank = g->map_count = g->features->rank;
    return rk_features_bind(g->env, g->features, g->kernel, g->x, &g->rows);
}

rkhs_status rk_gram_finish_features(rk_gram *g) {
    rkhs_status status = RKHS_OK;
    TRY(finish_random(g->env, g->features));
    TRY(adopt(g));
    g->kept = rk_min(g->n, rk_max(SAMPLE, g->rank));
    TRY(rk_alloc(g->env, g->kept, sizeof *g->map_rows, &g->map_rows));
    for (int64_t i = 0; i < g->kept; i++) g->map_rows[i] = i * g->n / g->kept;
    if (g->n <= rk_sample_rows(g->rank)) TRY(rk_gram_store_features(g));
done:
    return status;
}

rkhs_status rk_gram_use_features(rk_gram *g, const rk_features *f) {
    rkhs_status status = RKHS_OK;
    int stored = g->Phi != NULL;
    rk_unbind(g->env, g->rows);
    rk_features_free(g->env, g->features);
    rk_free(g->env, g->Phi);
    rk_free(g->env, g->raw);
    g->rows = NULL;
    g->features = NULL;
    g->Phi = g->raw = NULL;
    TRY(rk_features_copy(g->env, f, &g->features));
    TRY(adopt(g));
    if (stored) TRY(rk_gram_store_features(g));
done:
    return status;
}

rkhs_status rk_features_save(const rk_features *f, rk_archive *archive) {
    rkhs_status status = RKHS_OK;
    const rk_dense *W = rk_dense_of(f->objects);
    for (int64_t p = 0; p < f->parts; p++) {
        char name[64];
        snprintf(name, sizeof name, "map/features/%lld", (long long)p);
        double part[3] = {f->part[p].kind, (double)f->part[p].count, f->part[p].scale};
        TRY(rk_archive_put_copy(archive, name, &(rk_array){'d', 1, {3}, part}));
    }
    TRY(rk_archive_put_int(archive, "map/features/parts", f->parts));
    TRY(rk_archive_put(archive, "map/features/vectors",
                       &(rk_array){'d', 2, {f->objects->rows, f->objects->columns}, W->values}));
done:
    return status;
}

rkhs_status rk_features_load(rkhs_env *env, rk_archive *archive, int64_t columns, rk_features **features) {
    rkhs_status status = RKHS_OK;
    rk_features *f = NULL;
    rk_array W;
    int64_t vectors = 0;
    double *values;
    *features = NULL;
    TRY(rk_alloc(env, 1, sizeof *f, &f));
    TRY(rk_archive_get_int(archive, "map/features/parts", &f->parts));
    TRY(rk_archive_get(archive, "map/features/vectors", 'd', 2, &W));
    if (f->parts < 1 || f->parts > W.shape[0] || W.shape[1] != columns)
        FAIL(env, RKHS_ERR_FORMAT, "its random features do not fit together: fit the model again");
    TRY(rk_alloc(env, f->parts, sizeof *f->part, &f->part));
    for (int64_t p = 0; p < f->parts; p++) {
        char name[64];
        rk_array a;
        snprintf(name, sizeof name, "map/features/%lld", (long long)p);
        TRY(rk_archive_get(archive, name, 'd', 1, &a));
        const double *part = a.data;
        if (a.shape[0] != 3 || !(part[0] == RK_PART_WAVES || part[0] == RK_PART_RELU || part[0] == RK_PART_LINEAR) ||
            !(part[1] >= 1 && part[1] <= (double)(W.shape[0] - vectors)) || part[1] != floor(part[1]) ||
            !(part[2] > 0 && part[2] <= RK_MAX_ABS))
            FAIL(env, RKHS_ERR_FORMAT, "its random features do not fit together: fit the model again");
        f->part[p].kind = part[0] == RK_PART_WAVES ? RK_PART_WAVES : part[0] == RK_PART_RELU ? RK_PART_RELU : RK_PART_LINEAR;
        f->part[p].count = (int64_t)part[1];
        f->part[p].scale = part[2];
        vectors += f->part[p].count;
    }
    if (vectors != W.shape[0]) FAIL(env, RKHS_ERR_FORMAT, "its random features do not fit together: fit the model again");
    for (int64_t i = 0; i < W.shape[0] * W.shape[1]; i++)
        if (!(fabs(((const double *)W.data)[i]) <= RK_MAX_ABS))
            FAIL(env, RKHS_ERR_FORMAT,
                 "'map/features/vectors' has a number beyond 1e150, or that is none: fit the model again");
    TRY(rk_data_dense_new(env, W.shape[0], W.shape[1], &values, &f->objects));
    memcpy(values, W.data, (size_t)(W.shape[0] * W.shape[1]) * sizeof *values);
    TRY(finish_random(env, f));
    *features = f;
    f = NULL;
done:
    rk_features_free(env, f);
    return status;
}
