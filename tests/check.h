/* check.h: what the tests share on top of cmocka. */
#ifndef RK_CHECK_H
#define RK_CHECK_H

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

/* The call succeeds; its message is shown if not. */
#define OK(env, call)                                                                                                          \
    do {                                                                                                                       \
        rkhs_status ok_status = (call);                                                                                        \
        if (ok_status != RKHS_OK) fail_msg("%s: %s", #call, rkhs_env_message(env));                                            \
    } while (0)

/* Whether a message names a word by itself: "line 3" is not named by "line 30", nor "t.npy" by "t.npy.gz". */
static inline bool says_word(const char *message, const char *word, size_t n) {
    if (n == 0) return true;
    for (const char *at = strstr(message, word); at; at = strstr(at + 1, word)) {
        unsigned char before = at > message ? (unsigned char)at[-1] : ' ', after = (unsigned char)at[n];
        bool joined = strchr(".-", after) && after && isalnum((unsigned char)at[n + 1]);
        bool left = !isalnum((unsigned char)*word) || !(isalnum(before) || strchr("_.-", before));
        bool right = !isalnum((unsigned char)word[n - 1]) || !(isalnum(after) || after == '_' || joined);
        if (left && right) return true;
    }
    return false;
}

/* Whether a message names all of these, which stand between bars: "t.fps | line 3 | 6 digits". Tests check what a
 * sentence has to name (the file, the place, the value, the option to use), and leave its other words free. */
static inline bool says(const char *message, const char *words) {
    char copy[1024];
    if (snprintf(copy, sizeof copy, "%s", words) >= (int)sizeof copy) return false;
    for (char *word = copy, *next; word; word = next) {
        next = strstr(word, " | ");
        if (next) *next = 0;
        if (!says_word(message, word, strlen(word))) return false;
        if (next) next += 3;
    }
    return true;
}

/* The call fails with this code, and its message names these words. */
#define FAILS(env, code, words, call)                                                                                          \
    do {                                                                                                                       \
        rkhs_status fails_status = (call);                                                                                     \
        if (fails_status != (code)) fail_msg("%s gave %d, not %d: %s", #call, fails_status, code, rkhs_env_message(env));      \
        if (!says(rkhs_env_message(env), words)) fail_msg("%s: no '%s' in: %s", #call, words, rkhs_env_message(env));          \
    } while (0)

/* |a - b| <= tolerance * max(1, |b|); NaN fails. */
#define NEAR(a, b, tolerance)                                                                                                  \
    do {                                                                                                                       \
        double near_a = (a), near_b = (b);                                                                                     \
        double near_scale = fabs(near_b) > 1 ? fabs(near_b) : 1;                                                               \
        if (!(fabs(near_a - near_b) <= (tolerance)*near_scale))                                                                \
            fail_msg("%s = %.17g, %s = %.17g, off by %.3g", #a, near_a, #b, near_b, near_a - near_b);                          \
    } while (0)

#endif
