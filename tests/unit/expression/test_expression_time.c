/* Expressions over intervals of time: enclosures contain what samples and differences find, of the listed
 * functions and of random expressions; breaks are where branches change, none is left out. */
#include "expression/time.h"

#include "math/random.h"
#include "sar_test.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)context, (void)constant, (void)why, (void)size;
    if (length == 1 && name[0] == 't') return 0;
    return length == 1 && name[0] == 'x' ? 1 : SARI_NAME_UNKNOWN;
}

static sari_expression* compile(const char* text)
{
    sari_expression* e = NULL;
    sar_error error = {0};
    if (sari_expression_compile(text, look_up, NULL, &e, &error) != SAR_OK)
        fail_msg("%s: %s", text, error.message);
    return e;
}

static double value_at(const sari_expression* e, double t)
{
    const double variables[2] = {t, 0.7};
    return sari_expression_value(e, variables);
}

/* ---- enclosures ----------------------------------------------------------------------------- */

static int is_enclosed(sari_interval a, double x, double slack)
{
    return x >= a.low - slack && x <= a.high + slack;
}

/* Value, first and second derivative at times within [from, to]. */
static void check_enclosed(const char* text, double from, double to)
{
    enum { SAMPLES = 50 };
    const double others[2] = {NAN, 0.7};
    sari_expression* e = compile(text);
    sari_time_series f;
    const bool clear = sari_expression_over_time(e, others, from, to, &f);
    for (int k = 0; clear && k <= SAMPLES; k++) {
        const double variables[2] = {from + (to - from) * k / SAMPLES, 0.7};
        double s[3];
        sari_expression_series(e, variables, 0, s);
        for (int i = 0; i < 3; i++) {
            if (!isfinite(s[i])) continue;
            const double c = i == 2 ? 0.5 * s[i] : s[i];
            if (!is_enclosed(f.c[i], c, 1e-9 * (1.0 + fabs(c))))
                fail_msg(
                    "%s on [%g, %g]: coefficient %d at t = %.17g is %.17g, not in [%.17g, %.17g]",
                    text, from, to, i, variables[0], c, f.c[i].low, f.c[i].high);
        }
    }
    sari_expression_destroy(e);
}

TEST(test_functions_are_enclosed)
{
    static const char* const TEXTS[] = {"sin(3*t)",
                                        "cos(t^2)",
                                        "tan(t)",
                                        "asin(t/9)",
                                        "acos(t/9)",
                                        "atan(t - 2)",
                                        "sinh(t - 1)",
                                        "cosh(t - 1)",
                                        "tanh(5*(t - 1))",
                                        "exp(-((t - 1)/0.1)^2)",
                                        "log(1 + t^2)",
                                        "sqrt(t^2 + 0.1)",
                                        "t^3 - 2*t",
                                        "(t - 1)^-2",
                                        "(1 + t^2)^1.5",
                                        "x^t",
                                        "atan2(t - 1, 2)",
                                        "atan2(1, t)",
                                        "hypot(t, x)",
                                        "abs(t - 1)*x",
                                        "min(t, 0.7)",
                                        "max(sin(t), cos(t))",
                                        "mod(3*t, 2)",
                                        "floor(t) + t",
                                        "ramp(t, 1, 2)^2",
                                        "step(t, 0.5, x, 2, 3*t)",
                                        "pulse(t, 1, 2)*t",
                                        "t < 0.7 ? sin(t) : t^2",
                                        "sign(t - 1)*t/(2 + t)"};
    uint64_t seed = 3;
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++)
        for (int i = 0; i < 60; i++) {
            const double from = 4.0 * sari_random(&seed), width = 1.0 + sari_random(&seed);
            check_enclosed(TEXTS[k], from, from + (i % 2 ? width : 0.01 * width));
        }
}

/* The coefficient of the highest order, by the closed form. */
TEST(test_highest_order)
{
    const double others[2] = {NAN, 0.7};
    sari_expression* e = compile("exp(-2*t)");
    sari_time_series f;
    CHECK(sari_expression_over_time(e, others, 1.0, 1.0 + 1e-9, &f));
    CHECK_NEAR(f.c[6].low, 64.0 / 720.0 * exp(-2.0), 1e-7);
    CHECK_NEAR(f.c[6].high, 64.0 / 720.0 * exp(-2.0), 1e-7);
    sari_expression_destroy(e);
    e = compile("(t - 1)^6");
    CHECK(sari_expression_over_time(e, others, 0.0, 3.0, &f));
    CHECK(is_enclosed(f.c[6], 1.0, 0.0));
    CHECK_NEAR(f.c[6].high, 1.0, 1e-12);
    sari_expression_destroy(e);
}

/* ---- breaks --------------------------------------------------------------------------------- */

static double next_break(const sari_expression* e, double from, double to)
{
    const double others[2] = {NAN, 0.7};
    double examined;
    const double t = sari_expression_next_break(e, others, from, to, &examined);
    if (isnan(t)) CHECK(examined == to);
    return t;
}

static void check_breaks(const char* text, double from, double to, int count, const double* wanted)
{
    sari_expression* e = compile(text);
    double t = from;
    for (int k = 0; k < count; k++) {
        t = next_break(e, t, to);
        if (!(fabs(t - wanted[k]) <= 4.0 * DBL_EPSILON * fmax(1.0, fabs(wanted[k]))))
            fail_msg("%s: break %d at %.17g, wanted %.17g", text, k, t, wanted[k]);
    }
    t = next_break(e, t, to);
    if (!isnan(t)) fail_msg("%s: one more break, at %.17g", text, t);
    sari_expression_destroy(e);
}

TEST(test_breaks)
{
    const double edge = asin(0.9999) / (2.0 * acos(-1.0));
    check_breaks("pulse(t, 5, 5.01)", 0, 10, 2, (double[]){5, 5.01});
    check_breaks("sin(2*pi*t) > 0.9999", 0, 2, 4,
                 (double[]){edge, 0.5 - edge, 1 + edge, 1.5 - edge});
    check_breaks("abs(t - 3)", 0, 10, 1, (double[]){3});
    check_breaks("floor(t)", 0.5, 4.5, 4, (double[]){1, 2, 3, 4});
    check_breaks("floor(-t)", 0.5, 3.5, 3, (double[]){1, 2, 3});
    check_breaks("mod(t, 0.25)", 0.1, 0.8, 3, (double[]){0.25, 0.5, 0.75});
    check_breaks("step(t, 1, 0, 1.5, x)", 0, 10, 2, (double[]){1, 1.5});
    check_breaks("max(0, t - 2)*x", 0, 10, 1, (double[]){2});
    check_breaks("t > 1 and t < 2 ? 1 : 0", 0, 10, 2, (double[]){1, 2});
    check_breaks("exp(-((t - 5)/1e-3)^2)", 0, 10, 0, NULL);
    check_breaks("x > 0.7", 0, 10, 0, NULL);              // of others
    check_breaks("x + t > 3", 0, 10, 0, NULL);            // not of time alone
    check_breaks("(t - 2)^2 > 0 ? 1 : 2", 0, 5, 0, NULL); // touches, on one side of it both times
    check_breaks("(t - 2)^2 > 1e-10", 0, 5, 2, (double[]){2 - 1e-5, 2 + 1e-5});
}

TEST(test_guards_of_time)
{
    sari_expression* e = compile("(x < 1 ? abs(t) : max(x, t)) + sign(t < 2 ? 1 : t)");
    static const bool WANTED[] = {false, true, false, true, true};
    CHECK(sari_expression_guards(e) == 5);
    for (int k = 0; k < 5; k++) CHECK(sari_expression_guard_of_time(e, k) == WANTED[k]);
    sari_expression_destroy(e);
    e = compile("abs(x > 0 ? 1 - t : t)"); // both sides are of time, the condition is not
    CHECK(sari_expression_guards(e) == 2);
    CHECK(!sari_expression_guard_of_time(e, 1));
    sari_expression_destroy(e);
    e = compile("abs(t > 0 ? t : 2)"); // the last side is a constant
    CHECK(sari_expression_guard_of_time(e, 1));
    sari_expression_destroy(e);
}

/* Random nested expressions: between breaks a sampled function has no jump. */
TEST(test_no_break_is_left_out)
{
    static const char* const TEXTS[] = {"floor(3*sin(2*t)) + mod(t^2, 0.7)",
                                        "abs(abs(t - 2) - 1) > 0.3",
                                        "min(abs(sin(5*t)), 0.2) > 0.19",
                                        "sign(cos(7*t) - 0.99)",
                                        "mod(floor(4*t), 3)",
                                        "floor(exp(-((t - 2)/0.01)^2) + 0.5)",
                                        "pulse(mod(t, 0.5), 0.1, 0.1001)"};
    enum { SAMPLES = 400000 };
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        sari_expression* e = compile(TEXTS[k]);
        const double end = 4.0;
        double t = 0.013, next = next_break(e, t, end), before = value_at(e, t);
        int breaks = 0;
        for (int i = 1; i <= SAMPLES; i++) {
            const double now = t + (end - t) * i / SAMPLES, f = value_at(e, now);
            int passed = 0;
            while (!isnan(next) && next <= now) next = next_break(e, next, end), passed++, breaks++;
            if (!passed && fabs(f - before) > 0.05)
                fail_msg("%s jumps at %.9g from %g to %g: no break", TEXTS[k], now, before, f);
            before = f;
        }
        CHECK(breaks >= 2 && breaks < 1000);
        sari_expression_destroy(e);
    }
}

/* A condition on a saw-tooth: however far one looks, the first break is where it changes in this period, not in
 * the jump at its end. */
TEST(test_breaks_before_what_begins_anew)
{
    uint64_t state = 7;
    for (int k = 0; k < 2000; k++) {
        const double period = 2.0 + sari_random(&state); // from 1 to 3
        const double place = period * (0.5 + 0.4 * sari_random(&state));
        const double from = place * (0.5 + 0.49 * sari_random(&state));
        const double to = period * (10.0 + 8.0 * sari_random(&state));
        char text[80];
        snprintf(text, sizeof text, "mod(t, %.17g) > %.17g", period, place);
        sari_expression* e = compile(text);
        CHECK_NEAR(next_break(e, from, to), place, 4.0 * DBL_EPSILON * place);
        CHECK_NEAR(next_break(e, 0.5 * (place + period), to), period, 4.0 * DBL_EPSILON * period);
        sari_expression_destroy(e);
    }
}

/* A guard that is zero throughout ends the search, not the program. */
TEST(test_search_is_given_up)
{
    const double others[2] = {NAN, 0.7};
    sari_expression* e = compile("sign(sin(t)*sin(t) + cos(t)*cos(t) - 1)");
    double examined;
    CHECK(isnan(sari_expression_next_break(e, others, 0.0, 10.0, &examined)));
    CHECK(examined < 10.0);
    sari_expression_destroy(e);
}
