/* check.h: what the tests share on top of cmocka. */
#ifndef RK_CHECK_H
#define RK_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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

/* The call fails with this code, and the message contains `part`. */
#define FAILS(env, code, part, call)                                                                                           \
    do {                                                                                                                       \
        rkhs_status fails_status = (call);                                                                                     \
        if (fails_status != (code)) fail_msg("%s gave %d, not %d: %s", #call, fails_status, code, rkhs_env_message(env));      \
        if (!strstr(rkhs_env_message(env), part)) fail_msg("%s: no '%s' in: %s", #call, part, rkhs_env_message(env));          \
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
