/* ssk_lanes.h: the sweep of ssk.c for one width of vectors; included once for each.
 *
 * LANES pairs of strings at a time, one in each lane of a vector, so that no sum waits for its neighbour in the row. The pairs
 * may be of any length: characters that are like nothing fill them up, add nothing, and change no bit of a lane. Two rows go
 * together, which halves the traffic with the cache; columns go by `chunk`, so that the lengths' rows stay in the first one.
 *
 * Wanted: LANES, LANES_NAME(x), LANES_TARGET, LANES_OUTER, vec, symbol, LANES_LETTERS, LANES_MASKS, LANES_PICK, LANES_ADD. */

/* The sweep for q = p - 1 lengths; a constant q unrolls them. */
static inline __attribute__((always_inline)) LANES_TARGET void LANES_NAME(sweep_of)(const int q, const int blended,
                                                                                    const rk_sweep *w) {
    vec *row = w->row, *edge = w->edge, sum_a = {0}, sum_b = {0}, ra[MOST_Q + 1], rb[MOST_Q + 1], da[MOST_Q + 1],
        db[MOST_Q + 1];
    const vec lambda = (vec){0} + w->lambda, one = (vec){0} + 1;
    const symbol *s = w->s, *t = w->t;
    for (int64_t j0 = 0; j0 < w->columns; j0 += w->chunk) {
        int64_t nj = rk_least(w->chunk, w->columns - j0);
        memset(row, 0, (size_t)((nj + 1) * q) * sizeof *row);
        for (int64_t i = 0; i < w->rows; i += 2) {
            vec *at = row + q, *e = edge + i * 2 * q;
            for (int l = 0; l < q; l++) {
                da[l] = row[l];
                if (j0)
                    ra[l] = e[l], db[l] = e[q + l], rb[l] = e[2 * q + l], row[l] = e[3 * q + l];
                else
                    ra[l] = rb[l] = db[l] = row[l] = (vec){0};
            }
            LANES_LETTERS(s + i * LANES)
            for (int64_t j = 0; j < nj; j++, at += q) {
                LANES_MASKS(t + (j0 + j) * LANES)
                vec a = LANES_PICK(in_a, one), b = LANES_PICK(in_b, one); /* DPS of this length at (i, j), (i+1, j) */
                for (int l = 0; l < q; l++) {
                    vec up = at[l];
                    if (blended) sum_a += w->weight[l] * a, sum_b += w->weight[l] * b;
                    ra[l] = ra[l] * lambda + a;
                    rb[l] = rb[l] * lambda + b;
                    if (l + 1 < q || blended)
                        a = LANES_PICK(in_a, da[l]), b = LANES_PICK(in_b, db[l]);
                    else
                        sum_a = LANES_ADD(sum_a, in_a, da[l]), sum_b = LANES_ADD(sum_b, in_b, db[l]);
                    da[l] = up;
                    db[l] = up * lambda + ra[l];
                    at[l] = db[l] * lambda + rb[l];
                }
                if (blended)
                    sum_a += w->weight[q] * a, sum_b += w->weight[q] * b;
                else if (q == 0)
                    sum_a += a, sum_b += b;
            }
            for (int l = 0; l < q; l++) e[l] = ra[l], e[q + l] = db[l], e[2 * q + l] = rb[l], e[3 * q + l] = row[nj * q + l];
        }
    }
    sum_a += sum_b;
    memcpy(w->out, &sum_a, sizeof sum_a);
}

LANES_OUTER static void LANES_NAME(sweep)(const rk_sweep *w) {
    switch (w->blended ? -1 : w->q) {
    case 0: LANES_NAME(sweep_of)(0, 0, w); break;
    case 1: LANES_NAME(sweep_of)(1, 0, w); break;
    case 2: LANES_NAME(sweep_of)(2, 0, w); break;
    case 3: LANES_NAME(sweep_of)(3, 0, w); break;
    case 4: LANES_NAME(sweep_of)(4, 0, w); break;
    case -1: LANES_NAME(sweep_of)(w->q, 1, w); break;
    default: LANES_NAME(sweep_of)(w->q, 0, w); break;
    }
}

/* The tokens of one string in lane `lane`; what is left of `count` places is `nothing`. */
static void LANES_NAME(spread)(const int32_t *id, int64_t length, int64_t count, int lane, int32_t nothing, void *out) {
    symbol *to = out;
    for (int64_t q = 0; q < count; q++) to[q * LANES + lane] = q < length ? id[q] : nothing;
}

#undef LANES
#undef LANES_NAME
#undef LANES_TARGET
#undef LANES_OUTER
#undef LANES_LETTERS
#undef LANES_MASKS
#undef LANES_PICK
#undef LANES_ADD
#undef vec
#undef symbol
