/* ssk.c: the string subsequence kernel, which counts shared subsequences of p tokens, with gaps.
 *
 *     k(s, t) = sum_u sum_{I: s[I] = u} sum_{J: t[J] = u} lambda^(span(I) + span(J)),   span(I) = last - first + 1
 *
 * u goes over all sequences of p tokens, I and J over the ascending positions at which u occurs in s and t. Each token
 * that an occurrence spans costs lambda. With blended, lengths 1 to p are summed. By rows i of s and columns j of t,
 * for length l, with DPS_l(i,j) = [s_i = t_j] DP_(l-1)(i-1, j-1), DPS_1 = [s_i = t_j]:
 *
 *     R_l(i,j) = DPS_l(i,j) + lambda R_l(i,j-1),   DP_l(i,j) = R_l(i,j) + lambda DP_l(i-1,j),   K_p = sum DPS_p
 *
 * This leaves out a factor lambda^2 for each token of u, so that an occurrence without gaps counts 1 and nothing that
 * matters underflows; in normalised values it cancels. O(p |s| |t|) a pair: p times 2 multiply-adds for each (i, j),
 * with one pair in each lane of a vector (ssk_lanes.h). For thousands of long strings, spectrum is far cheaper. Lodhi,
 * Saunders, Shawe-Taylor, Cristianini, Watkins, "Text classification using string kernels", JMLR 2, 2002. */
#include "kernel/token.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define RK_HAS_WIDE 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { MAX_P = 256, BAND = 4, MAX_LANES = 8, NO_S = -1, NO_T = -2 };

typedef struct ssk {
    int64_t p;
    double lambda;
    int blended, normalize;
    rk_tokenizer rule;
} ssk;

/* One sweep over all (i, j) of up to MAX_LANES pairs of strings. */
typedef struct rk_sweep {
    int q, blended;        /* p - 1 */
    int64_t rows, columns; /* rows: even */
    int64_t chunk;         /* columns at a time */
    double lambda;
    const double *weight;    /* blended: of each length, q + 1 */
    void *s, *t;             /* tokens of all lanes: rows, columns */
    void *row, *edge, *next; /* (chunk + 1) x q; rows x 2 q; 2 chunk */
    double *out;             /* K of each lane */
} rk_sweep;

/* The loops for one width of vectors: how many pairs one holds; K of every lane; and writing the tokens of a string. */
typedef struct lanes {
    int count;
    void (*sweep)(const rk_sweep *w);
    void (*spread)(const int32_t *id, int64_t length, int64_t count, int lane, int32_t nothing, void *out);
} lanes;

#ifdef RK_HAS_WIDE
typedef double wide_vec __attribute__((vector_size(64)));
#define LANES 8
#define LANES_NAME(x) x##_avx512
#define LANES_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,fma")))
#define vec wide_vec
#define symbol int32_t
#define LANES_LETTERS(at) const __m256i letter_a = *(const __m256i *)(at), letter_b = *(const __m256i *)(at + 8);
#define LANES_MASKS(at)                                                                                                        \
    const __m256i letter = *(const __m256i *)(at);                                                                             \
    const __mmask8 in_a = _mm256_cmpeq_epi32_mask(letter, letter_a), in_b = _mm256_cmpeq_epi32_mask(letter, letter_b);
#define LANES_PICK(in, x) ((vec)_mm512_maskz_mov_pd(in, (__m512d)(x)))
#define LANES_ADD(sum, in, x) ((vec)_mm512_mask_add_pd((__m512d)(sum), in, (__m512d)(sum), (__m512d)(x)))
#define LANES_FMA(x, y, z) ((vec)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z)))
#include "kernel/ssk_lanes.h"
#endif

#ifdef __aarch64__
enum { PLAIN_LANES = 2 }; /* as many registers as with four lanes of AVX2 */
#else
enum { PLAIN_LANES = 4 };
#endif
typedef double plain_vec __attribute__((vector_size(PLAIN_LANES * sizeof(double))));
typedef int64_t plain_mask __attribute__((vector_size(PLAIN_LANES * sizeof(int64_t))));
#define PLAIN_LETTERS(at) const plain_mask letter_a = ((const plain_mask *)(at))[0], letter_b = ((const plain_mask *)(at))[1];
#define PLAIN_MASKS(at)                                                                                                        \
    const plain_mask letter = *(const plain_mask *)(at);                                                                       \
    const plain_mask in_a = letter == letter_a, in_b = letter == letter_b;
#define PLAIN_PICK(in, x) ((vec)((plain_mask)(x)&in))

#ifdef RK_HAS_WIDE
#define LANES PLAIN_LANES
#define LANES_NAME(x) x##_avx2
#define LANES_TARGET __attribute__((target("arch=x86-64-v3")))
#define vec plain_vec
#define symbol int64_t
#define LANES_LETTERS PLAIN_LETTERS
#define LANES_MASKS PLAIN_MASKS
#define LANES_PICK PLAIN_PICK
#define LANES_ADD(sum, in, x) (sum + PLAIN_PICK(in, x))
#define LANES_FMA(x, y, z) ((vec)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z)))
#include "kernel/ssk_lanes.h"
#endif

#define LANES PLAIN_LANES
#define LANES_NAME(x) x##_plain
#define LANES_TARGET
#define vec plain_vec
#define symbol int64_t
#define LANES_LETTERS PLAIN_LETTERS
#define LANES_MASKS PLAIN_MASKS
#define LANES_PICK PLAIN_PICK
#define LANES_ADD(sum, in, x) (sum + PLAIN_PICK(in, x))
#ifdef __aarch64__
#define LANES_FMA(x, y, z) ((vec)vfmaq_f64((float64x2_t)(z), (float64x2_t)(x), (float64x2_t)(y)))
#else
#define LANES_FMA(x, y, z) ((x) * (y) + (z))
#endif
#include "kernel/ssk_lanes.h"

/* ---- pairs ----------------------------------------------------------------------------------------------------- */

/* Two strings, and where their K goes. */
typedef struct pair {
    const int32_t *s, *t;
    int64_t rows, columns;
    double *out;
} pair;

/* The widest vectors of the instruction set in use. A lane has the same bits in AVX2 and AVX-512. */
static const lanes *lanes_here(void) {
#ifdef RK_HAS_WIDE
    int set = rk_instructions();
    if (set == RK_AVX512) return &lanes_avx512;
    if (set == RK_AVX2) return &lanes_avx2;
#endif
    return &lanes_plain;
}

/* Columns at a time: rows of q lengths in the first-level cache. It depends on q alone, as the order of sums does. */
static int64_t chunk_of(int64_t q) { return q <= 4 ? 64 : rk_max(8, 256 / q); }

/* Scratch doubles for strings of up to so many tokens. */
static int64_t room_of(int64_t q, int64_t rows, int64_t columns) {
    int64_t each = MAX_LANES, token = 4; /* doubles of a vector, and of one token of all lanes */
    return token * (rows + 1 + columns) + each * (chunk_of(q) + 1) * q + each * 2 * q * (rows + 1) + each * 2 * chunk_of(q) +
           6 * each;
}

/* Takes doubles, aligned to a whole vector. */
static double *take_vectors(rk_work *work, int64_t count) {
    int64_t skip = (int64_t)(-(uintptr_t)work->next / sizeof(double) % MAX_LANES);
    rk_work_take(work, skip);
    return rk_work_take(work, count);
}

/* K of up to one vector of pairs. */
static void run_pairs(const ssk *o, const double *weight, const pair *list, int count, rk_work work) {
    double out[MAX_LANES];
    const lanes *here = lanes_here();
    int q = (int)o->p - 1;
    rk_sweep w = {.q = q, .blended = o->blended, .chunk = chunk_of(q), .lambda = o->lambda, .weight = weight, .out = out};
    for (int k = 0; k < count; k++) {
        w.rows = rk_max(w.rows, list[k].rows);
        w.columns = rk_max(w.columns, list[k].columns);
    }
    w.rows += w.rows & 1;
    w.s = take_vectors(&work, 4 * w.rows);
    w.t = take_vectors(&work, 4 * w.columns);
    w.row = take_vectors(&work, MAX_LANES * (w.chunk + 1) * q);
    w.edge = take_vectors(&work, MAX_LANES * 2 * q * w.rows);
    w.next = take_vectors(&work, MAX_LANES * 2 * w.chunk);
    for (int k = 0; k < here->count; k++) {
        pair none = {.rows = 0}, p = k < count ? list[k] : none;
        here->spread(p.s, p.rows, w.rows, k, NO_S, w.s);
        here->spread(p.t, p.columns, w.columns, k, NO_T, w.t);
    }
    here->sweep(&w);
    for (int k = 0; k < count; k++) *list[k].out = out[k];
}

/* Inside a block, subnormal numbers are flushed to 0: far below what is summed, they would be very slow. */
static unsigned flush_begin(void) {
#ifdef __x86_64__
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

static void flush_end(unsigned before) {
#ifdef __x86_64__
    _mm_setcsr(before);
#endif
}

/* lambda^(2l), the weight of length l + 1 when lengths are summed. */
static void weights(const ssk *o, double weight[MAX_P]) {
    for (int l = 0; l < o->p; l++) weight[l] = l ? weight[l - 1] * o->lambda * o->lambda : 1;
}

/* ---- one side -------------------------------------------------------------------------------------------------- */

typedef struct norm_loop {
    const ssk *o;
    rk_string_side *side;
    int64_t n;
    double weight[MAX_P];
    rk_work *work;
} norm_loop;

/* The tokens of string i; returns how many. long_enough: whether so many have a subsequence to count. */
static int64_t tokens_of(const rk_tokens *t, int64_t i, const int32_t **id) {
    *id = t->id + t->start[i];
    return t->start[i + 1] - t->start[i];
}

static int long_enough(const ssk *o, int64_t length) { return length >= (o->blended ? 1 : o->p); }

/* K(s, s) of one vector of strings. */
static rkhs_status norm_tile(void *context, int64_t tile, int worker) {
    norm_loop *c = context;
    pair list[MAX_LANES];
    int count = 0, here = lanes_here()->count;
    unsigned before = flush_begin();
    for (int64_t i = tile * here; i < rk_min(c->n, (tile + 1) * here); i++) {
        const int32_t *id;
        int64_t length = tokens_of(&c->side->tokens, i, &id);
        if (long_enough(c->o, length)) list[count++] = (pair){id, id, length, length, c->side->norm + i};
    }
    if (count) run_pairs(c->o, c->weight, list, count, c->work[worker]);
    flush_end(before);
    return RKHS_OK;
}

/* Scratch of `count` doubles for each worker. */
static rkhs_status works_new(rkhs_env *env, int64_t count, rk_work **work) {
    double *room;
    int64_t each = rk_padded(count);
    int workers = rk_workers(env);
    rkhs_status status = rk_scratch(env, workers, sizeof **work, work);
    if (status == RKHS_OK) status = rk_scratch(env, each * workers, sizeof *room, &room);
    for (int k = 0; status == RKHS_OK && k < workers; k++) (*work)[k] = (rk_work){room + k * each, each};
    return status;
}

static rkhs_status prepare_ssk(rkhs_env *env, rk_bound *bound) {
    rkhs_status status = RKHS_OK;
    rk_mark mark = rk_scratch_mark(env);
    const ssk *o = rk_kernel_self(bound);
    const rk_string_side *first = bound->reference ? bound->reference->side : NULL;
    rk_string_side *side;
    norm_loop c = {.o = o, .n = bound->x->rows};
    TRY(rk_alloc(env, 1, sizeof *side, &side));
    bound->side = c.side = side;
    TRY(rk_tokens_new(env, bound->x, &o->rule, first ? &first->tokens : NULL, &side->tokens));
    TRY(rk_alloc(env, c.n, sizeof *side->norm, &side->norm));
    weights(o, c.weight);
    TRY(works_new(env, room_of(o->p - 1, side->tokens.longest, side->tokens.longest), &c.work));
    TRY(rk_parallel(env, NULL, (c.n + lanes_here()->count - 1) / lanes_here()->count, norm_tile, &c));
    for (int64_t i = 0; i < c.n; i++)
        if (!isfinite(side->norm[i]))
            FAIL(env, RKHS_ERR_NUMERIC,
                 "ssk: object %lld (counted from 1) has more than 1e308 subsequences of %lld: choose a smaller p",
                 (long long)i + 1, (long long)o->p);
    TRY(rk_string_roots(env, c.n, side));
done:
    rk_scratch_release(env, mark);
    return status;
}

static void release_ssk(rkhs_env *env, rk_bound *bound) {
    rk_string_release(env, bound->side);
    rk_free(env, bound->side);
}

static int64_t work_ssk(const rk_bound *a, const rk_bound *b) {
    const rk_string_side *sa = a->side, *sb = b->side;
    return room_of(((const ssk *)rk_kernel_self(a))->p - 1, sa->tokens.longest, sb->tokens.longest);
}

/* A tile takes about a tenth of a second, at 0.1 ns for each length and (i, j); 4 x 4 pairs still fill vectors. */
static int64_t tile_ssk(const rk_bound *a, const rk_bound *b) {
    const rk_tokens *ta = &((const rk_string_side *)a->side)->tokens, *tb = &((const rk_string_side *)b->side)->tokens;
    double p = (double)((const ssk *)rk_kernel_self(a))->p, na = (double)a->x->rows, nb = (double)b->x->rows;
    double each = 1e-10 * p * (double)ta->start[a->x->rows] / na * (double)tb->start[b->x->rows] / nb;
    int64_t tile = RK_TILE;
    while (tile > 4 && (double)(tile * tile) * each > 0.15) tile /= 2;
    return tile;
}

/* ---- tiles ----------------------------------------------------------------------------------------------------- */

/* Sorts rows i0 .. i0 + n - 1 by length, so that the strings in a vector are about as long. */
static void by_length(const rk_tokens *t, int64_t i0, int64_t n, int64_t *order) {
    for (int64_t i = 0; i < n; i++) {
        int64_t length = t->start[i0 + i + 1] - t->start[i0 + i], k = i;
        for (; k > 0; k--) {
            int64_t other = i0 + order[k - 1];
            if (t->start[other + 1] - t->start[other] <= length) break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

/* K of all pairs of a tile; 0 if a string is too short. */
static void raw_block(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                      int64_t ld, rk_work work) {
    const ssk *o = rk_kernel_self(a);
    const rk_tokens *ta = &((const rk_string_side *)a->side)->tokens, *tb = &((const rk_string_side *)b->side)->tokens;
    int64_t order_a[RK_TILE], order_b[RK_TILE];
    double weight[MAX_P];
    pair list[MAX_LANES];
    int count = 0, here = lanes_here()->count, mirrored = a == b && i0 == j0 && ni == nj;
    weights(o, weight);
    by_length(ta, i0, ni, order_a);
    by_length(tb, j0, nj, order_b);
    for (int64_t r = 0; r < ni; r++)
        for (int64_t c = 0; c < nj; c++) {
            int64_t i = order_a[r], j = order_b[r % 2 ? nj - 1 - c : c]; /* back and forth, to keep lengths alike */
            pair p = {.out = out + i * ld + j};
            p.rows = tokens_of(ta, i0 + i, &p.s);
            p.columns = tokens_of(tb, j0 + j, &p.t);
            *p.out = 0;
            if (mirrored && j > i) continue;
            if (!long_enough(o, p.rows) || !long_enough(o, p.columns)) continue;
            list[count++] = p;
            if (count < here) continue;
            run_pairs(o, weight, list, count, work);
            count = 0;
        }
    if (count) run_pairs(o, weight, list, count, work);
    for (int64_t i = 0; mirrored && i < ni; i++)
        for (int64_t j = 0; j < i; j++) out[j * ld + i] = out[i * ld + j];
}

/* The factor that the recursion leaves out: lambda^2 for each token of u; if blended, for one (see weights). */
static double left_out(const ssk *o) { return pow(o->lambda, 2.0 * (o->blended ? 1.0 : (double)o->p)); }

static rkhs_status block_ssk(const rk_bound *a, int64_t i0, int64_t ni, const rk_bound *b, int64_t j0, int64_t nj, double *out,
                             int64_t ld, rk_work work) {
    const ssk *o = rk_kernel_self(a);
    unsigned before = flush_begin();
    raw_block(a, i0, ni, b, j0, nj, out, ld, work);
    flush_end(before);
    if (o->normalize) {
        rk_string_normalise(a->side, i0, ni, b->side, j0, nj, out, ld);
        return RKHS_OK;
    }
    double factor = left_out(o);
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++) out[i * ld + j] *= factor;
    return RKHS_OK;
}

static void diag_ssk(const rk_bound *a, int64_t i0, int64_t ni, double *out, rk_work work) {
    const ssk *o = rk_kernel_self(a);
    const rk_string_side *side = a->side;
    for (int64_t i = 0; i < ni; i++) out[i] = o->normalize ? 1 : side->norm[i0 + i] * left_out(o);
}

static rkhs_status check_ssk(rkhs_env *env, const void *self) { return rk_token_check(env, "ssk", &((const ssk *)self)->rule); }

/* clang-format off */
static const rk_param params[] = {
    {.name = "p", .kind = RK_INT, .offset = offsetof(ssk, p), .value = "4", .min = 1, .max = MAX_P,
     .brief = "length of the subsequences"},
    {.name = "lambda", .kind = RK_REAL, .offset = offsetof(ssk, lambda), .value = "0.5", .max = 1, .min_excluded = 1,
     .brief = "factor for each character (or word) that a subsequence spans, gaps included: smaller values penalise gaps more; 1: gaps cost nothing"},
    {.name = "blended", .kind = RK_BOOL, .offset = offsetof(ssk, blended), .value = "false",
     .brief = "true: the sum over all lengths from 1 to p, with a factor lambda^2 for each character (or word)"},
    RK_STRING_PARAMS(ssk, rule),
    {.name = NULL},
};

const rk_kernel_type rk_kernel_ssk = {
    .entry = {.name = "ssk",
              .brief = "string subsequence kernel: number of subsequences of p characters that two strings share, gaps allowed; two empty strings: 1",
              .formula = "sum_{s[I] = t[J]} lambda^(span I + span J) / norms",
              .where = "s, t: the two strings; I, J: p positions in each, with the same characters; span: from the first of them to the "
                       "last, both included; norms: sqrt(k(s,s) k(t,t)), left out with normalize=false", .cost = "p |s| |t| a pair",
              .params = params, .size = sizeof(ssk)},
    .kinds = RK_KIND_STRING, .flags = RK_PSD | RK_SCALE_FREE, .check = check_ssk, .prepare = prepare_ssk,
    .release = release_ssk, .work = work_ssk, .tile = tile_ssk, .block = block_ssk, .diag = diag_ssk,
};
/* clang-format on */
