/* Loops over rows: functions against libm in long double, sums over columns against plain loops. */
#include "env.h"
#include "la/la.h"

enum { N = 100000 };

/* Room for N numbers; the tests free it. */
static double *room(void) { return malloc(N * sizeof(double)); }

/* |got - exact| in units of the last place of exact. */
static double ulps(double got, long double exact) {
    int exponent;
    if (got == exact) return 0;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - 53));
}

static void tanh_is_within_three_ulps(void **state) {
    double *x = room(), *y = room(), worst = 0;
    for (int i = 0; i < N; i++) x[i] = y[i] = (i % 2 ? 1 : -1) * (i < N / 2 ? 25.0 * i / (N / 2) : pow(10, -300.0 * i / N));
    rk_tanh(N, y);
    for (int i = 0; i < N; i++) {
        double error = ulps(y[i], tanhl(x[i]));
        if (!(error <= 3)) fail_msg("tanh(%.17g) = %.17g, off by %.3g ulp", x[i], y[i], error);
        worst = fmax(worst, error);
    }
    assert_true(worst > 0.4);
    double ends[] = {0, -0.0, 1e300, -1e300, INFINITY, -INFINITY};
    rk_tanh(6, ends);
    assert_true(ends[0] == 0 && signbit(ends[1]) && ends[2] == 1 && ends[3] == -1 && ends[4] == 1 && ends[5] == -1);
    free(x), free(y);
}

static void log1p_is_within_three_ulps(void **state) {
    double *x = room(), *y = room(), worst = 0;
    for (int i = 0; i < N; i++) x[i] = y[i] = i < N / 2 ? 8.0 * i / (N / 2) : pow(10, 300 - 600.0 * (i - N / 2) / (N / 2));
    rk_log1p(N, y);
    for (int i = 0; i < N; i++) {
        double error = ulps(y[i], log1pl(x[i]));
        if (!(error <= 3)) fail_msg("log1p(%.17g) = %.17g, off by %.3g ulp", x[i], y[i], error);
        worst = fmax(worst, error);
    }
    assert_true(worst > 0.4 && y[0] == 0);
    free(x), free(y);
}

/* The angle that the smaller of 1 - u and 1 + u says. */
static long double angle_of(double below, double above) {
    return below < above ? 2 * asinl(sqrtl(below / 2.0L)) : M_PIl - 2 * asinl(sqrtl(above / 2.0L));
}

static void angles_are_within_6e_16(void **state) {
    double *w = room(), *v = room(), *t = room(), worst = 0, least = 0;
    for (int i = 0; i < N; i++) {
        double u = i < N / 2 ? -1 + 2.0 * i / (N / 2) : 1 - pow(10, -40.0 * (i - N / 2) / (N / 2)); /* and near 1 */
        double near = i < N / 2 ? 1 - fabs(u) : pow(10, -40.0 * (i - N / 2) / (N / 2));
        int minus = i < N / 2 ? u < 0 : i % 2;
        w[i] = minus ? 2 - near : near;
        v[i] = minus ? near : 2 - near;
    }
    rk_angles(N, w, v, t);
    for (int i = 0; i < N; i++) {
        long double exact = angle_of(w[i], v[i]);
        double error = (double)fabsl(t[i] - exact);
        if (!(error <= 6e-16)) fail_msg("1 - u = %.17g, 1 + u = %.17g: %.17g, off by %.3g", w[i], v[i], t[i], error);
        worst = fmax(worst, error);
        if (w[i] < 0.4) least = fmax(least, ulps(t[i], exact));
    }
    assert_true(worst > 1e-16);
    assert_true(least <= 3); /* small angles have all their digits */
    double ends[][2] = {{0, 2}, {2, 0}, {1, 1}}, meant[] = {0, M_PI, M_PI / 2};
    for (int i = 0; i < 3; i++) {
        double one;
        rk_angles(1, &ends[i][0], &ends[i][1], &one);
        assert_true(one == meant[i]);
    }
    free(w), free(v), free(t);
}

static void powers_are_repeated_products(void **state) {
    for (int64_t power = 1; power <= 20; power++)
        for (int64_t n = 1; n < 400; n += 131) {
            double x[400], y[400];
            for (int64_t j = 0; j < n; j++) x[j] = y[j] = noise(1, (uint64_t)j);
            rk_powers(n, 1.5, 0.25, power, y);
            for (int64_t j = 0; j < n; j++) {
                long double meant = 1, base = 1.5L * x[j] + 0.25L;
                for (int64_t i = 0; i < power; i++) meant *= base;
                NEAR(y[j], (double)meant, 2e-14);
            }
        }
}

static void cosines_are_scaled_and_cut(void **state) {
    double x[] = {1, -2, 3, 1e200, -1e200}, b[] = {0.25, 0.5, 0, 1, 1};
    static const double meant[] = {0.5, -1, 0, 1, -1};
    rk_cosines(5, 2, b, x);
    for (int i = 0; i < 5; i++) assert_true(x[i] == meant[i]);
}

/* The terms, by plain words. */
static double term_of(int what, double x, double y) {
    switch (what) {
    case 0: return (x - y) * (x - y);
    case 1: return fabs(x - y);
    case 2: return fmin(x, y);
    default: return x + y > 0 ? (x - y) * (x - y) / (x + y) : 0;
    }
}

static void sums_of_terms_are_those_of_plain_loops(void **state) {
    static rk_pairs_fn *const terms[] = {rk_add_squares, rk_add_absolutes, rk_add_minima, rk_add_ratios, rk_add_ratios_wide};
    enum { C = 11, M = 21, LD = 23 };
    for (int t = 0; t < 5; t++)
        for (int64_t count = 0; count <= C; count++)
            for (int64_t n = 0; n <= M; n += 3) {
                double a[C], b[C * LD], out[LD];
                for (int i = 0; i < C; i++) a[i] = noise(2, (uint64_t)i);
                for (int i = 0; i < C * LD; i++) b[i] = noise(3, (uint64_t)i);
                for (int i = 0; t >= 2 && i < C; i++) a[i] = fmax(a[i], 0); /* half are 0 */
                for (int i = 0; t >= 2 && i < C * LD; i++) b[i] = fmax(b[i], 0);
                for (int i = 0; i < LD; i++) out[i] = 5;
                terms[t](n, count, a, b, LD, out);
                for (int j = 0; j < LD; j++) {
                    double meant = 5;
                    for (int64_t c = 0; j < n && c < count; c++) meant += term_of(t, a[c], b[c * LD + j]);
                    NEAR(out[j], meant, 2e-15 * C);
                }
            }
}

/* At the ends of their range four fractions are still added without overflow or a lost digit. */
static void ratios_at_the_ends_of_their_range(void **state) {
    static const double values[] = {0, RK_RATIO_MIN, 3 * RK_RATIO_MIN, 1, 0.7 / RK_RATIO_MIN, 1 / RK_RATIO_MIN};
    double a[4], b[4 * 8];
    for (uint64_t round = 0; round < 1000; round++) {
        double out[8] = {0};
        for (uint64_t i = 0; i < 4; i++) a[i] = values[(int)(6 * rk_uniform(1, RK_STREAM_TEST, round, i))];
        for (uint64_t i = 0; i < 32; i++) b[i] = values[(int)(6 * rk_uniform(2, RK_STREAM_TEST, round, i))];
        rk_add_ratios(8, 4, a, b, 8, out);
        for (int j = 0; j < 8; j++) {
            long double meant = 0;
            for (int c = 0; c < 4; c++) {
                long double x = a[c], y = b[c * 8 + j];
                if (x + y > 0) meant += (x - y) / (x + y) * (x - y);
            }
            if (!(fabsl(out[j] - meant) <= 1e-14L * meant)) fail_msg("%g, not %Lg", out[j], meant);
        }
    }
}

static void a_scaled_square_is_that_of_a_plain_loop(void **state) {
    for (int64_t n = 0; n < 30; n++) {
        double x[30] = {0}, y[30] = {0}, meant = 0;
        for (int64_t c = 0; c < n; c++) {
            x[c] = noise(4, (uint64_t)c);
            y[c] = noise(5, (uint64_t)c);
            meant += pow(1.5 * x[c] - 0.3 * y[c], 2);
        }
        NEAR(rk_scaled_square(n, 1.5, x, 0.3, y), meant, 1e-14);
    }
}

static void places_do_not_change_the_bits(void **state) {
    enum { M = 77 };
    double x[M], y[M], z[M], u[M], w[M], v[M], t[M], b[M];
    for (uint64_t i = 0; i < M; i++) {
        x[i] = y[i] = z[i] = u[i] = fabs(noise(6, i)) * 3;
        b[i] = noise(7, i);
        w[i] = 1 - b[i];
        v[i] = 1 + b[i];
    }
    rk_tanh(M, x);
    rk_log1p(M, y);
    rk_powers(M, 0.3, 0.2, 5, z);
    rk_angles(M, w, v, t);
    for (int i = 0; i < M; i++) {
        double one = u[i], two = u[i], three = u[i], four;
        rk_tanh(1, &one);
        rk_log1p(1, &two);
        rk_powers(1, 0.3, 0.2, 5, &three);
        rk_angles(1, w + i, v + i, &four);
        assert_true(one == x[i] && two == y[i] && three == z[i] && four == t[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tanh_is_within_three_ulps),         cmocka_unit_test(log1p_is_within_three_ulps),
        cmocka_unit_test(angles_are_within_6e_16),           cmocka_unit_test(powers_are_repeated_products),
        cmocka_unit_test(cosines_are_scaled_and_cut),        cmocka_unit_test(sums_of_terms_are_those_of_plain_loops),
        cmocka_unit_test(ratios_at_the_ends_of_their_range), cmocka_unit_test(a_scaled_square_is_that_of_a_plain_loop),
        cmocka_unit_test(places_do_not_change_the_bits),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
