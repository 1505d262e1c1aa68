/* ssk_lanes.h: the inner loop of ssk.c for one width of vectors; included once for each width.
 *
 * LANES pairs of strings are compared at a time, one in each lane of a vector, so that no sum waits for its neighbour
 * in the row. Shorter strings are padded with tokens that equal none: these add nothing, and change no bit of a lane.
 * Two rows go together, which halves the traffic with the cache, and up to BAND lengths, as many as the registers
 * hold. Columns go by `chunk`, so that all rows stay in the first-level cache. The including file defines LANES,
 * LANES_NAME(x), LANES_TARGET, vec, symbol, LANES_LETTERS, LANES_MASKS, LANES_PICK, LANES_ADD and LANES_FMA. */
#define LANES_ALL(x) ((x) - (vec){0}) /* x in every lane */

/* Lengths l0 + 1 .. l0 + n of rows i and i + 1, for nj columns from j0 on. n and blended are constants when this is
 * compiled, and so are first and last, except in blended_bands. A band that is not the first finds the DPS of its
 * first length in `next`; one that is not the last leaves there that of the length after its own. */
static inline __attribute__((always_inline)) LANES_TARGET void LANES_NAME(band)(const int n, const int first, const int last,
                                                                                const int blended, const rk_sweep *w, int l0,
                                                                                int64_t i, int64_t j0, int64_t nj, vec *sum) {
    const int q = w->q;
    vec *row = (vec *)w->row + l0, *at = row + q, *e = (vec *)w->edge + i * 2 * q + l0, *next = w->next;
    vec sum_a = sum[0], sum_b = sum[1], ra[BAND], rb[BAND], da[BAND], db[BAND];
    const vec lambda = LANES_ALL(w->lambda), one = LANES_ALL(1.0);
    for (int l = 0; l < n; l++) {
        da[l] = row[l];
        if (j0)
            ra[l] = e[l], db[l] = e[q + l], rb[l] = e[2 * q + l], row[l] = e[3 * q + l];
        else
            ra[l] = rb[l] = db[l] = row[l] = (vec){0};
    }
    LANES_LETTERS((const symbol *)w->s + i * LANES)
    for (int64_t j = 0; j < nj; j++, at += q) {
        LANES_MASKS((const symbol *)w->t + (j0 + j) * LANES)
        vec a = first ? LANES_PICK(in_a, one) : next[2 * j], b = first ? LANES_PICK(in_b, one) : next[2 * j + 1];
        for (int l = 0; l < n; l++) {
            vec up = at[l];
            if (blended) {
                const vec weight = LANES_ALL(w->weight[l0 + l]);
                sum_a = LANES_FMA(weight, a, sum_a), sum_b = LANES_FMA(weight, b, sum_b);
            }
            ra[l] = LANES_FMA(ra[l], lambda, a);
            rb[l] = LANES_FMA(rb[l], lambda, b);
            if (l + 1 < n || !last || blended)
                a = LANES_PICK(in_a, da[l]), b = LANES_PICK(in_b, db[l]);
            else
                sum_a = LANES_ADD(sum_a, in_a, da[l]), sum_b = LANES_ADD(sum_b, in_b, db[l]);
            da[l] = up;
            db[l] = LANES_FMA(up, lambda, ra[l]);
            at[l] = LANES_FMA(db[l], lambda, rb[l]);
        }
        if (!last) next[2 * j] = a, next[2 * j + 1] = b;
        if (last && blended) {
            const vec weight = LANES_ALL(w->weight[q]);
            sum_a = LANES_FMA(weight, a, sum_a), sum_b = LANES_FMA(weight, b, sum_b);
        }
    }
    for (int l = 0; l < n; l++) e[l] = ra[l], e[q + l] = db[l], e[2 * q + l] = rb[l], e[3 * q + l] = row[nj * q + l];
    sum[0] = sum_a;
    sum[1] = sum_b;
}

/* All bands of two rows. */
static inline __attribute__((always_inline)) LANES_TARGET void LANES_NAME(bands)(const rk_sweep *w, int64_t i, int64_t j0,
                                                                                 int64_t nj, vec *sum) {
    const int q = w->q;
    int l0 = 0;
    if (q > BAND) {
        LANES_NAME(band)(BAND, 1, 0, 0, w, 0, i, j0, nj, sum);
        for (l0 = BAND; q - l0 > BAND; l0 += BAND) LANES_NAME(band)(BAND, 0, 0, 0, w, l0, i, j0, nj, sum);
    }
    switch (q - l0 + (l0 ? BAND : 0)) {
    case 1: LANES_NAME(band)(1, 1, 1, 0, w, 0, i, j0, nj, sum); break;
    case 2: LANES_NAME(band)(2, 1, 1, 0, w, 0, i, j0, nj, sum); break;
    case 3: LANES_NAME(band)(3, 1, 1, 0, w, 0, i, j0, nj, sum); break;
    case 4: LANES_NAME(band)(4, 1, 1, 0, w, 0, i, j0, nj, sum); break;
    case BAND + 1: LANES_NAME(band)(1, 0, 1, 0, w, l0, i, j0, nj, sum); break;
    case BAND + 2: LANES_NAME(band)(2, 0, 1, 0, w, l0, i, j0, nj, sum); break;
    case BAND + 3: LANES_NAME(band)(3, 0, 1, 0, w, l0, i, j0, nj, sum); break;
    case BAND + 4: LANES_NAME(band)(4, 0, 1, 0, w, l0, i, j0, nj, sum); break;
    }
}

/* The same with lengths summed. first and last are tested at every column, which saves code. */
static inline __attribute__((always_inline)) LANES_TARGET void LANES_NAME(blended_bands)(const rk_sweep *w, int64_t i,
                                                                                         int64_t j0, int64_t nj, vec *sum) {
    for (int l0 = 0; l0 < w->q; l0 += BAND) {
        int left = w->q - l0, first = l0 == 0, last = left <= BAND;
        switch (last ? left : BAND) {
        case 1: LANES_NAME(band)(1, first, last, 1, w, l0, i, j0, nj, sum); break;
        case 2: LANES_NAME(band)(2, first, last, 1, w, l0, i, j0, nj, sum); break;
        case 3: LANES_NAME(band)(3, first, last, 1, w, l0, i, j0, nj, sum); break;
        case 4: LANES_NAME(band)(4, first, last, 1, w, l0, i, j0, nj, sum); break;
        }
    }
}

/* K of every lane. */
LANES_TARGET static void LANES_NAME(sweep)(const rk_sweep *w) {
    const vec one = LANES_ALL(1.0);
    vec sum[2] = {{0}, {0}};
    for (int64_t j0 = 0; j0 < w->columns; j0 += w->chunk) {
        int64_t nj = rk_min(w->chunk, w->columns - j0);
        memset(w->row, 0, (size_t)((nj + 1) * w->q) * sizeof(vec));
        for (int64_t i = 0; i < w->rows; i += 2) {
            if (w->q && w->blended)
                LANES_NAME(blended_bands)(w, i, j0, nj, sum);
            else if (w->q)
                LANES_NAME(bands)(w, i, j0, nj, sum);
            LANES_LETTERS((const symbol *)w->s + i * LANES)
            for (int64_t j = 0; !w->q && j < nj; j++) { /* p = 1: equal tokens are counted */
                LANES_MASKS((const symbol *)w->t + (j0 + j) * LANES)
                sum[0] = LANES_ADD(sum[0], in_a, one);
                sum[1] = LANES_ADD(sum[1], in_b, one);
            }
        }
    }
    sum[0] += sum[1];
    memcpy(w->out, &sum[0], sizeof sum[0]);
}

/* Writes the tokens of one string to lane `lane`, padded to `count` with `nothing`. */
static void LANES_NAME(spread)(const int32_t *id, int64_t length, int64_t count, int lane, int32_t nothing, void *out) {
    symbol *to = out;
    for (int64_t q = 0; q < count; q++) to[q * LANES + lane] = q < length ? id[q] : nothing;
}

static const lanes LANES_NAME(lanes) = {LANES, LANES_NAME(sweep), LANES_NAME(spread)};

#undef LANES
#undef LANES_NAME
#undef LANES_TARGET
#undef LANES_LETTERS
#undef LANES_MASKS
#undef LANES_PICK
#undef LANES_ADD
#undef LANES_FMA
#undef LANES_ALL
#undef vec
#undef symbol
