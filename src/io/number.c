/* number.c: converts decimal text to the nearest double, fast and independent of the locale.
 *
 * The digits give integers w and q with value = w 10^q. The first of these that is exact is used:
 *   - Clinger, if w and 10^|q| are both doubles: one product or quotient, rounded once;
 *   - Eisel and Lemire: w times the first 128 bits of 10^q, if the leading bits of the product decide the rounding;
 *   - strtod in the C locale, for more than 19 digits, large exponents, and undecided cases.
 * Clinger 1990, How to read floating point numbers accurately; Lemire 2021, Number parsing at a gigabyte per second. */
#include "io/io.h"

#include <string.h>

#include "io/pow10_table.h"

__extension__ typedef unsigned __int128 wide;

/* Whether 8 bytes are all ASCII digits. */
static int eight_digits(uint64_t v) {
    return ((v & 0xf0f0f0f0f0f0f0f0u) | ((v + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) == 0x3333333333333333u;
}

/* The value of 8 digits: joins pairs, then fours, then all. */
static uint64_t eight_value(uint64_t v) {
    v -= 0x3030303030303030u;
    v = v * 10 + (v >> 8);
    uint64_t even = v & 0x000000ff000000ffu, odd = v >> 16 & 0x000000ff000000ffu;
    return (even * (100 + (1000000ull << 32)) + odd * (1 + (10000ull << 32))) >> 32;
}

/* Appends the digits at s to *w (modulo 2^64). Returns the position after them. */
static const char *gather(const char *s, const char *end, uint64_t *w) {
    uint64_t sum = *w;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - s >= 8) {
        uint64_t v;
        memcpy(&v, s, 8);
        if (!eight_digits(v)) break;
        sum = sum * 100000000 + eight_value(v);
        s += 8;
    }
#endif
    for (; *s >= '0' && *s <= '9'; s++) sum = 10 * sum + (uint64_t)(*s - '0');
    *w = sum;
    return s;
}

/* Computes w 10^q by Eisel and Lemire, for w > 0 and q in the table. Returns 0 if the rounding is undecided. */
static int eisel_lemire(uint64_t w, int q, double *value) {
    int shift = __builtin_clzll(w);
    w <<= shift;
    const uint64_t *power = pow10_table[q - POW10_LEAST];
    wide product = (wide)w * power[0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1ff) == 0x1ff) { /* the low half of the power may carry into the leading bits */
        uint64_t second = (uint64_t)((wide)w * power[1] >> 64);
        low += second;
        high += low < second;
    }
    if (low == UINT64_MAX && (q < -27 || q > 55)) return 0;
    int top = (int)(high >> 63);
    uint64_t mantissa = high >> (top + 9);                                      /* 53 bits and a rounding bit */
    int64_t exponent = ((217706 * (int64_t)q) >> 16) + 63 + top - shift + 1023; /* 217706 / 2^16 is about log2(10) */
    if (exponent <= 0 || exponent >= 2046) return 0;
    /* A tie is rounded to even. It needs 5^q below 2^54, or for negative q that 5^|q| divides w. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (top + 9) == high) mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    uint64_t bits = (mantissa & (((uint64_t)1 << 52) - 1)) | (uint64_t)exponent << 52;
    memcpy(value, &bits, sizeof bits);
    return 1;
}

/* Computes w 10^q. Returns 0 if strtod is needed. */
static int convert(uint64_t w, int64_t q, double *value) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (w <= (uint64_t)1 << 53 && q >= -22 && q <= 22) {
        *value = q < 0 ? (double)w / exact[-q] : (double)w * exact[q];
        return 1;
    }
    if (w == 0) {
        *value = 0;
        return 1;
    }
    return q >= POW10_LEAST && q <= POW10_MOST && eisel_lemire(w, (int)q, value);
}

/* Adds the exponent at s ("e+12") to *q and returns the position after it; returns s if it has no digits. */
static const char *exponent_at(const char *s, int64_t *q) {
    const char *d = s + 1;
    int negative = *d == '-';
    if (*d == '-' || *d == '+') d++;
    if (*d < '0' || *d > '9') return s;
    int64_t e = 0;
    for (; *d >= '0' && *d <= '9'; d++)
        if (e < 100000000) e = 10 * e + (*d - '0');
    *q += negative ? -e : e;
    return d;
}

/* The number of significant digits in [s, stop), which holds digits and at most one point. */
static int64_t significant(const char *s, const char *stop) {
    int64_t count = 0;
    while (s < stop && (*s == '0' || *s == '.')) s++;
    for (; s < stop; s++) count += *s != '.';
    return count;
}

const char *rk_parse_decimal(const char *s, const char *end, double *value) {
    const char *p = s;
    int negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char *first = p;
    uint64_t w = 0;
    int64_t q = 0;
    p = gather(p, end, &w);
    int64_t digits = p - first;
    if (*p == '.') {
        const char *point = p + 1;
        p = gather(point, end, &w);
        q = point - p;
        digits -= q;
    }
    if (digits == 0) return NULL;
    const char *stop = p;
    if (*p == 'e' || *p == 'E') p = exponent_at(p, &q);
    if ((digits > 19 && significant(first, stop) > 19) || !convert(w, q, value)) {
        *value = rk_strtod(s, NULL);
        return p;
    }
    if (negative) *value = -*value;
    return p;
}
