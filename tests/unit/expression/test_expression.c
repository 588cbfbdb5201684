/* Expressions: what they mean, and that their derivatives are exact. Values come from math/functions.h, first
 * derivatives from complex steps (or finite differences where a function has no complex form). */
#include "expression/expression.h"
#include "math/functions.h"

#include "sar_test.h"

#include <complex.h>
#include <float.h>

/* ---- names of the tests: variables t x y z v0 ... v9, constants L and zero ------------------ */

enum { T, X, Y, Z, V0, VARIABLES = V0 + 10 };

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)context;
    (void)why;
    (void)size;
    static const char* const names = "txyz";
    if (length == 1 && strchr(names, name[0])) return (int)(strchr(names, name[0]) - names);
    if (length == 2 && name[0] == 'v') return V0 + name[1] - '0';
    if (length == 9 && memcmp(name, "crank.P.x", 9) == 0) return X;
    if (length == 3 && memcmp(name, "_a1", 3) == 0) return Y;
    *constant = length == 1 && name[0] == 'L' ? 2.5 : 0;
    if (length == 1 && name[0] == 'L') return SARI_NAME_CONSTANT;
    if (length == 4 && memcmp(name, "zero", 4) == 0) return SARI_NAME_CONSTANT;
    return SARI_NAME_UNKNOWN;
}

static sari_expression* compile(const char* text)
{
    sari_expression* e = NULL;
    sar_error error = {0};
    if (sari_expression_compile(text, look_up, NULL, &e, &error) != SAR_OK)
        fail_msg("'%s' at %d: %s", text, error.offset, error.message);
    return e;
}

static double value_at(const char* text, double t, double x, double y, double z)
{
    sari_expression* e = compile(text);
    double value = sari_expression_value(e, (double[VARIABLES]){t, x, y, z});
    sari_expression_destroy(e);
    return value;
}

static double value_of(const char* text)
{
    return value_at(text, NAN, NAN, NAN, NAN);
}

typedef struct derivatives {
    double f, d, dd;
} derivatives;

/// Along t, everything else held.
static derivatives along_t(const char* text, double t, double x, double y)
{
    double out[3], variables[VARIABLES] = {t, x, y};
    sari_expression* e = compile(text);
    sari_expression_series(e, variables, T, out);
    sari_expression_destroy(e);
    return (derivatives){out[0], out[1], out[2]};
}

#define CHECK_VALUE(text, wanted) CHECK_NEAR(value_of(text), wanted, 0)
#define CHECK_IS_NAN(got) CHECK(isnan(got))

/* ---- the language --------------------------------------------------------------------------- */

TEST(numbers_are_read_to_the_last_bit)
{
    CHECK_VALUE("1e-3", 1e-3);
    CHECK_VALUE(".5", 0.5);
    CHECK_VALUE("2.", 2);
    CHECK_VALUE("2.E+2", 200);
    CHECK_VALUE("1.7976931348623157e308", DBL_MAX);
    CHECK_VALUE("4.9406564584124654e-324", 4.9406564584124654e-324);
    CHECK_VALUE("0.1", 0.1);
    CHECK_VALUE("9007199254740993", 9007199254740992.0);
    CHECK_VALUE("3.141592653589793238462643383279502884197169399375105820974944", M_PI);
    CHECK_VALUE("123456.789e3", 123456.789e3);
    CHECK_VALUE("1e-99999999999", 0);
    CHECK_VALUE("0e99999999999", 0);
    CHECK_VALUE("0.00000000000000000000000000000000000001e38", 1);
}

TEST(operators_bind_as_in_mathematics)
{
    CHECK_VALUE("1 + 2*3", 7);
    CHECK_VALUE("(1 + 2)*3", 9);
    CHECK_VALUE("8 - 3 - 2", 3);
    CHECK_VALUE("8/4/2", 1);
    CHECK_VALUE("8/4*2", 4);
    CHECK_VALUE("-2^2", -4);
    CHECK_VALUE("(-2)^2", 4);
    CHECK_VALUE("2^3^2", 512);
    CHECK_VALUE("2^-1", 0.5);
    CHECK_VALUE("2^-1^2", 0.5);
    CHECK_VALUE("-2*-3", 6);
    CHECK_VALUE("2--3", 5);
    CHECK_VALUE("+-+2", -2);
    CHECK_VALUE("2*3^2", 18);
    CHECK_VALUE(" 1\n +\t1\r\n", 2);
}

TEST(comparisons_and_logic_give_one_or_zero)
{
    CHECK_VALUE("1 < 2", 1);
    CHECK_VALUE("2 < 2", 0);
    CHECK_VALUE("2 <= 2", 1);
    CHECK_VALUE("2 > 2", 0);
    CHECK_VALUE("3 > 2", 1);
    CHECK_VALUE("2 >= 3", 0);
    CHECK_VALUE("2 >= 2", 1);
    CHECK_VALUE("2 == 2", 1);
    CHECK_VALUE("2 == 3", 0);
    CHECK_VALUE("2 != 3", 1);
    CHECK_VALUE("3 != 3", 0);
    CHECK_VALUE("1 + 1 < 3", 1);
    CHECK_VALUE("5 and -2", 1);
    CHECK_VALUE("5 and 0", 0);
    CHECK_VALUE("0 or 7", 1);
    CHECK_VALUE("0 or 0", 0);
    CHECK_VALUE("not 0", 1);
    CHECK_VALUE("not 3", 0);
    CHECK_VALUE("not not 3", 1);
    CHECK_VALUE("not 1 == 2", 1);
    CHECK_VALUE("1 or 0 and 0", 1);
    CHECK_VALUE("(1 or 0) and 0", 0);
    CHECK_VALUE("not 1 or 1", 1);
    CHECK_VALUE("(1 < 2) == (3 < 4)", 1);
}

TEST(conditions_nest_to_the_right)
{
    CHECK_VALUE("1 ? 2 : 3", 2);
    CHECK_VALUE("0 ? 2 : 3", 3);
    CHECK_VALUE("0 ? 2 : 1 ? 4 : 5", 4);
    CHECK_VALUE("1 ? 0 ? 6 : 7 : 8", 7);
    CHECK_VALUE("1 + (0 ? 2 : 3) + 4", 8);
    CHECK_VALUE("0 or 1 ? 2 : 3", 2);
    for (int t = 0; t < 4; t++) {
        CHECK_NEAR(value_at("(t < 2 ? 1 : 2) + 3", t, 0, 0, 0), t < 2 ? 4 : 5, 0);
        CHECK_NEAR(value_at("3 + (t < 2 ? 1 : 2)^2", t, 0, 0, 0), t < 2 ? 4 : 7, 0);
        CHECK_NEAR(value_at("2^(t < 2 ? 1 : 3)", t, 0, 0, 0), t < 2 ? 2 : 8, 0);
        CHECK_NEAR(value_at("-(t < 1 ? 10 : t < 2 ? 20 : t < 3 ? 30 : 40)", t, 0, 0, 0),
                   -10.0 * (t + 1), 0);
        CHECK_NEAR(value_at("(t<2 ? t==0 ? 1 : 2 : 3) ? (t<2 ? 5 : 6) : 7", t, 0, 0, 0),
                   t < 2 ? 5 : 6, 0);
        CHECK_NEAR(value_at("1 ? (t<2 ? 5 : 6) : (t<1 ? 8 : 9)", t, 0, 0, 0), t < 2 ? 5 : 6, 0);
        CHECK_NEAR(value_at("1 + (0 ? (t<2 ? 5 : 6) : 4) * 2", t, 0, 0, 0), 9, 0);
        CHECK_NEAR(value_at("(1 ? t<2 ? 5 : 6 : t<1 ? 8 : 9) + 3", t, 0, 0, 0), t < 2 ? 8 : 9, 0);
    }
}

TEST(names_reach_the_lookup_except_the_fixed_ones)
{
    CHECK_VALUE("pi", M_PI);
    CHECK_VALUE("e", M_E);
    CHECK(isinf(value_of("inf")) && value_of("-inf") < 0);
    CHECK_VALUE("L", 2.5);
    CHECK_NEAR(value_at("crank.P.x + _a1", 1, 2, 3, 4), 5, 0);
    CHECK_VALUE("2*e", 2 * M_E);
    CHECK_VALUE("2e0", 2);
}

static int hostile_lookup(void* context, const char* name, size_t length, double* constant,
                          char* why, size_t size)
{
    (void)context;
    (void)name;
    (void)length;
    (void)why;
    (void)size;
    *constant = 42;
    return SARI_NAME_CONSTANT;
}

TEST(a_lookup_cannot_replace_pi)
{
    sari_expression* e = NULL;
    CHECK_STATUS(sari_expression_compile("pi + e", hostile_lookup, NULL, &e, NULL), SAR_OK);
    CHECK_NEAR(sari_expression_value(e, NULL), M_PI + M_E, 0);
    sari_expression_destroy(e);
}

TEST(variables_are_listed_once_and_ascending)
{
    const int* used = NULL;
    sari_expression* e = compile("z*x + t*z - (1 ? 0 : y) + x");
    CHECK(sari_expression_variables(e, &used) == 3);
    CHECK(used[0] == T && used[1] == X && used[2] == Z);
    CHECK(!sari_expression_is_constant(e));
    sari_expression_destroy(e);

    e = compile("(0 ? t < 1 ? 1 : 2 : 3) - 3 ? t : x"); // the condition is constant
    CHECK(sari_expression_variables(e, &used) == 1 && used[0] == X);
    sari_expression_destroy(e);

    e = compile("L*sin(pi/4)^2 + max(1, 2, L) + (L > 2 ? 1 : t)");
    CHECK(sari_expression_is_constant(e));
    CHECK(sari_expression_variables(e, NULL) == 0);
    CHECK_NEAR(sari_expression_value(e, NULL), 2.5 * 0.5 + 2.5 + 1, 1e-15);
    sari_expression_destroy(e);
    sari_expression_destroy(NULL);
}

/* ---- functions ------------------------------------------------------------------------------ */

typedef struct function_case {
    const char* word;
    double (*value)(double);
    double complex (*analytic)(double complex);
    double low, high;
} function_case;

static const function_case analytic_functions[] = {
    {"sin", sari_sin, csin, -7, 7},          {"cos", sari_cos, ccos, -7, 7},
    {"tan", sari_tan, ctan, -1.5, 1.5},      {"asin", sari_asin, casin, -0.99, 0.99},
    {"acos", sari_acos, cacos, -0.99, 0.99}, {"atan", sari_atan, catan, -9, 9},
    {"sinh", sari_sinh, csinh, -3, 3},       {"cosh", sari_cosh, ccosh, -3, 3},
    {"tanh", sari_tanh, ctanh, -3, 3},       {"exp", sari_exp, cexp, -3, 3},
    {"log", sari_log, clog, 0.01, 20},       {"sqrt", sqrt, csqrt, 0.01, 20},
};
enum { ANALYTIC = sizeof analytic_functions / sizeof analytic_functions[0], POINTS = 23 };

static double point(const function_case* f, int k)
{
    return f->low + (f->high - f->low) * k / (POINTS - 1);
}

TEST(functions_equal_those_of_the_library)
{
    for (int i = 0; i < ANALYTIC; i++) {
        const function_case* f = &analytic_functions[i];
        char text[32];
        snprintf(text, sizeof text, "%s(t)", f->word);
        for (int k = 0; k < POINTS; k++)
            CHECK_NEAR(value_at(text, point(f, k), 0, 0, 0), f->value(point(f, k)), 0);
    }
    for (double a = -2.25; a < 3; a += 0.75) {
        for (double b = -2.5; b < 3; b += 0.5) {
            CHECK_NEAR(value_at("atan2(x, y)", 0, a, b, 0), sari_atan2(a, b), 0);
            CHECK_NEAR(value_at("hypot(x, y)", 0, a, b, 0), sari_hypot(a, b), 0);
            CHECK_NEAR(value_at("min(x, y)", 0, a, b, 0), fmin(a, b), 0);
            CHECK_NEAR(value_at("max(x, y)", 0, a, b, 0), fmax(a, b), 0);
            if (a > 0) CHECK_NEAR(value_at("pow(x, y)", 0, a, b, 0), sari_pow(a, b), 0);
            if (a > 0) CHECK_NEAR(value_at("x^y", 0, a, b, 0), sari_pow(a, b), 0);
        }
        CHECK_NEAR(value_at("floor(t)", a, 0, 0, 0), floor(a), 0);
        CHECK_NEAR(value_at("abs(t)", a, 0, 0, 0), fabs(a), 0);
        CHECK_NEAR(value_at("sign(t)", a, 0, 0, 0), a > 0 ? 1 : a < 0 ? -1 : 0, 0);
    }
    CHECK_NEAR(value_at("min(t, x, y) + max(t, x, y, z)", 3, 1, 2, 9), 10, 0);
}

TEST(derivatives_agree_with_complex_steps)
{
    const double h = 1e-30;
    for (int i = 0; i < ANALYTIC; i++) {
        const function_case* f = &analytic_functions[i];
        char text[32];
        snprintf(text, sizeof text, "%s(t)", f->word);
        for (int k = 0; k < POINTS; k++) {
            double t = point(f, k);
            double exact = cimag(f->analytic(t + I * h)) / h;
            CHECK_NEAR(along_t(text, t, 0, 0).d, exact, 2e-14 * (1 + fabs(exact)));
        }
    }
}

/// f'' against the central difference of f', and f' against that of f, fourth order.
static void check_differences(const char* text, double t, double x, double y)
{
    const double h = 1e-3;
    derivatives at = along_t(text, t, x, y), f[5];
    for (int k = -2; k <= 2; k++) f[k + 2] = along_t(text, t + k * h, x, y);
    double d = (f[0].f - 8 * f[1].f + 8 * f[3].f - f[4].f) / (12 * h);
    double dd = (f[0].d - 8 * f[1].d + 8 * f[3].d - f[4].d) / (12 * h);
    if (!(fabs(at.d - d) <= 1e-8 * (1 + fabs(d))) || !(fabs(at.dd - dd) <= 1e-8 * (1 + fabs(dd))))
        fail_msg("%s at t = %g, x = %g, y = %g: derivatives %.12g %.12g, differences %.12g %.12g",
                 text, t, x, y, at.d, at.dd, d, dd);
}

TEST(second_derivatives_agree_with_differences)
{
    static const char* const smooth[] = {
        "sin(t)",
        "cos(t)",
        "tan(t/4)",
        "asin(t/8)",
        "acos(t/8)",
        "atan(t)",
        "sinh(t)",
        "cosh(t)",
        "tanh(t)",
        "exp(t)",
        "log(t + 6)",
        "sqrt(t + 6)",
        "abs(t)",
        "sign(t)*t^3",
        "floor(t)*t",
        "-t",
        "+t",
        "t + x*t",
        "x - t",
        "t*t*t",
        "x/(t + 6)",
        "t/(6 + x + t)",
        "t^2",
        "t^3",
        "t^4",
        "t^-1",
        "t^0",
        "t^1",
        "(t + 6)^1.5",
        "(t + 6)^(t/3)",
        "2^t",
        "pow(t + 6, x)",
        "x^2*t^2",
        "(x + 3)^t",
        "t^2^2",
        "atan2(t, x)",
        "atan2(x, t)",
        "atan2(t*t, t + 6)",
        "hypot(t, x)",
        "hypot(x, t)",
        "hypot(t, t*t)",
        "mod(t, 1.7)",
        "mod(x, t + 6)",
        "mod(t*t, t + 6)",
        "mod(-t*t, t + 6)",
        "min(t, x)",
        "max(t*t, x)",
        "min(t, x, y*t)",
        "max(t, x*t, t*t)",
        "step(t, -2.7, 1, 2.9, 4)",
        "step(t*t, x - 2, x*t, 9 + t, t^3)",
        "step(x, t, 1, t + 3, t)",
        "ramp(t, -2.7, 2.9)",
        "ramp(x, t, t*t + 5)",
        "t*pulse(t, -1.1, 1.1)",
        "t < x ? sin(t) : cos(t)",
        "(t > 0) * t^2",
        "(t < x and t > y)*t + (t < 0 or x < y)*t*t",
        "not (t < 0) ? t^3 : 1 - t",
        "10*sin(2*pi*t/7)*exp(-0.5*t)+(t<0.5?1:0)",
        "sqrt(1 + sin(t)^2)/(2 + cos(t*x))",
        "exp(sin(atan2(t, 2 + hypot(t, x))))",
    };
    static const double points[] = {-2.3, -1.35, -0.55, 0.45, 1.25, 2.4};
    for (size_t i = 0; i < sizeof smooth / sizeof smooth[0]; i++)
        for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
            check_differences(smooth[i], points[k], 0.83, -0.71);
            check_differences(smooth[i], points[k], 1.91, 1.13);
        }
}

TEST(gradients_agree_with_differences_in_many_variables)
{
    static const char* const texts[] = {
        "v0*v1*v2 + sin(v3*v4) - v5/v6 + v7^2*exp(-v8) + hypot(v9, v0)",
        "atan2(v9, v1)*pow(v2, v4) + max(v3, v6, v8) + step(v5, v7/4, v0, v8 + 3, v1)",
        "v9",
        "v3 + v7",
        "x*v8 + ramp(v1, v2 - 2, v3 + 2)",
        "v0 > v1 ? v2*v3 : v4*v5*v6",
        "mod(10*v3, v4) + min(v5, v6)*abs(v7 - 2) + sqrt(v8)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double variables[VARIABLES], gradient[VARIABLES];
        for (int k = 0; k < VARIABLES; k++) variables[k] = 0.7 + 0.61 * k - 0.043 * k * k;
        sari_expression* e = compile(texts[i]);
        const int* used;
        int count = sari_expression_variables(e, &used);
        CHECK(sari_expression_gradient(e, variables, gradient) ==
              sari_expression_value(e, variables));
        for (int k = 0; k < count; k++) {
            double keep = variables[used[k]], h = 1e-5, out[3];
            variables[used[k]] = keep + h;
            double above = sari_expression_value(e, variables);
            variables[used[k]] = keep - h;
            double below = sari_expression_value(e, variables);
            variables[used[k]] = keep;
            CHECK_NEAR(gradient[k], (above - below) / (2 * h), 1e-8);
            sari_expression_series(e, variables, used[k], out);
            CHECK_NEAR(out[1], gradient[k], 0);
        }
        sari_expression_destroy(e);
    }
}

TEST(a_variable_that_is_not_used_has_no_influence)
{
    double out[3];
    sari_expression* e = compile("x^2");
    sari_expression_series(e, (double[VARIABLES]){9, 3, 9, 9}, Z, out);
    CHECK(out[0] == 9 && out[1] == 0 && out[2] == 0);
    sari_expression_series(e, (double[VARIABLES]){9, 3, 9, 9}, T, out);
    CHECK(out[0] == 9 && out[1] == 0 && out[2] == 0);
    sari_expression_destroy(e);
    e = compile("5");
    sari_expression_series(e, NULL, 0, out);
    CHECK(out[0] == 5 && out[1] == 0 && out[2] == 0);
    CHECK(sari_expression_gradient(e, NULL, NULL) == 5);
    sari_expression_destroy(e);
}

/* ---- corners -------------------------------------------------------------------------------- */

static void check_jet(const char* text, double t, double f, double d, double dd)
{
    derivatives got = along_t(text, t, 0, 2);
    if (got.f != f || got.d != d || got.dd != dd)
        fail_msg("%s at %g: %.17g %.17g %.17g, wanted %g %g %g", text, t, got.f, got.d, got.dd, f,
                 d, dd);
}

TEST(powers_are_right_at_zero_and_below)
{
    check_jet("t^2", 0, 0, 0, 2);
    check_jet("pow(t, 2)", -3, 9, -6, 2);
    check_jet("t^3", 0, 0, 0, 0);
    check_jet("t^3", -2, -8, 12, -12);
    check_jet("t^1", 0, 0, 1, 0);
    check_jet("t^0", 0, 1, 0, 0);
    check_jet("t^4", -1, 1, -4, 12);
    check_jet("t^-1", -2, -0.5, -0.25, -0.25);
    check_jet("t^y", 0, 0, 0, 2); // y = 2 is a variable here
    check_jet("t^y", -3, 9, -6, 2);
    check_jet("t^(y/2)", 0, 0, 1, 0);
    check_jet("y^t", 0, 1, log(2), log(2) * log(2));
    check_jet("0^t", 2, 0, 0, 0);
    check_jet("t^1.5", 0, 0, 0, INFINITY);
    CHECK_IS_NAN(value_at("t^0.5", -1, 0, 0, 0));
}

TEST(kinks_take_the_branch_to_the_right)
{
    check_jet("abs(t)", 0, 0, 1, 0);
    check_jet("abs(t)", -2, 2, -1, 0);
    check_jet("sign(t)", 0, 0, 0, 0);
    check_jet("max(t, 0)", 0, 0, 1, 0);
    check_jet("floor(t)", 2, 2, 0, 0);
    check_jet("mod(t, 2)", 2, 0, 1, 0);
    check_jet("mod(t, 2)", -0.5, 1.5, 1, 0);
    check_jet("mod(t, -2)", 0.5, -1.5, 1, 0);
    check_jet("ramp(t, 1, 3)", 0.5, 0, 0, 0);
    check_jet("ramp(t, 1, 3)", 1, 0, 0.5, 0);
    check_jet("ramp(t, 1, 3)", 2, 0.5, 0.5, 0);
    check_jet("ramp(t, 1, 3)", 3, 1, 0, 0);
    check_jet("ramp(t, 1, 1)", 1, 1, 0, 0);
    check_jet("ramp(t, 1, 1)", 0.99, 0, 0, 0);
    check_jet("pulse(t, 1, 3)", 0.99, 0, 0, 0);
    check_jet("pulse(t, 1, 3)", 1, 1, 0, 0);
    check_jet("pulse(t, 1, 3)", 3, 0, 0, 0);
    check_jet("step(t, 1, 5, 3, 9)", 0, 5, 0, 0);
    check_jet("step(t, 1, 5, 3, 9)", 1, 5, 0, 6);
    check_jet("step(t, 1, 5, 3, 9)", 2, 7, 3, 0);
    check_jet("step(t, 1, 5, 3, 9)", 3, 9, 0, 0);
    check_jet("hypot(t, 0)", 0, 0, 0, 0);
}

/* Held where x = at; seen at x = 2: value, slope and second derivative. What depends on time alone is
 * not held: its breaks are known before. */
static void check_held(const char* text, double at, double f, double d, double dd)
{
    double out[3], gradient[VARIABLES], variables[VARIABLES] = {[X] = at};
    sari_expression* e = compile(text);
    sari_expression_freeze(e, variables);
    variables[X] = 2.0;
    sari_expression_series(e, variables, X, out);
    print_message("%s\n", text);
    CHECK_NEAR(sari_expression_value(e, variables), f, 1e-15);
    CHECK_NEAR(sari_expression_gradient(e, variables, gradient), f, 1e-15);
    CHECK_NEAR(gradient[0], d, 1e-15);
    CHECK_NEAR(out[0], f, 1e-15);
    CHECK_NEAR(out[1], d, 1e-15);
    CHECK_NEAR(out[2], dd, 1e-15);
    sari_expression_release(e);
    CHECK_NEAR(sari_expression_value(e, variables), value_at(text, 0, 2.0, 0, 0), 0);
    sari_expression_destroy(e);
}

TEST(branches_that_are_held_go_on_smoothly)
{
    check_held("abs(x)", -1, -2, -1, 0);
    check_held("x*sign(x)", -1, -2, -1, 0);
    check_held("x < 0 ? x^2 : 5*x", -1, 4, 4, 2);
    check_held("max(x, 1) + min(x, 1)", 0, 3, 1, 0);
    check_held("max(x, 1)", 0, 1, 0, 0);
    check_held("min(x, 1)", 0, 2, 1, 0);
    check_held("x^2*(x >= 1)", 0, 0, 0, 0);
    check_held("ramp(x, 0, 1)", 0.5, 2, 1, 0);
    check_held("ramp(x, 3, 4)", 5, 1, 0, 0);
    check_held("pulse(x, 0, 1)*x", 0.5, 2, 1, 0);
    check_held("step(x, 0, 1, 1, 3)", 0.5, 1 - 8, -24, -36); // 1 + 2 (3 s^2 - 2 s^3)
    check_held("step(x, 0, 1, 1, 3)", -1, 1, 0, 0);
    check_held("x > 0 ? 1 : (x > -2 ? x : 7)", -1, 2, 1, 0);
    check_held("x < 1 ? sqrt(1 - x) : 9", 0, 9, 0, 0); // no value there: its own branch
}

TEST(guards_are_zero_where_something_jumps)
{
    sari_expression* e = compile("t > 1 ? abs(t - 3) : max(t, 2*t) + ramp(t, -2, -1)");
    double variables[VARIABLES] = {2.5};
    CHECK(sari_expression_guards(e) == 5);
    CHECK_NEAR(sari_expression_guard(e, 0, variables), 1.5, 0);
    CHECK_NEAR(sari_expression_guard(e, 1, variables), -0.5, 0);
    CHECK_IS_NAN(sari_expression_guard(e, 2, variables));
    sari_expression_freeze(e, variables);
    variables[T] = 1.0;
    sari_expression_turn(e, 0, -1, variables);
    CHECK_NEAR(sari_expression_value(e, variables), 3.0, 0);
    CHECK_NEAR(sari_expression_guard(e, 2, variables), -1.0, 0);
    CHECK_NEAR(sari_expression_guard(e, 4, variables), 2.0, 0);
    sari_expression_destroy(e);
}

TEST(the_branch_not_taken_does_not_count)
{
    check_jet("t > 0 ? sqrt(t) : 0", -1, 0, 0, 0);
    check_jet("t == 0 ? 1 : sin(t)/t", 0, 1, 0, 0);
    check_jet("t > 0 ? t*log(t) : 0*t", 0, 0, 0, 0);
    CHECK_NEAR(value_at("x == 0 ? 0 : 1/x", 0, 0, 0, 0), 0, 0);
}

TEST(infinite_slopes_do_not_spoil_other_variables)
{
    double gradient[2];
    sari_expression* e = compile("sqrt(t) + 3*x");
    CHECK_NEAR(sari_expression_gradient(e, (double[VARIABLES]){0, 2}, gradient), 6, 0);
    CHECK(isinf(gradient[0]));
    CHECK_NEAR(gradient[1], 3, 0);
    sari_expression_destroy(e);

    e = compile("sqrt(t^2 + x^2)");
    CHECK_NEAR(sari_expression_gradient(e, (double[VARIABLES]){0, 0}, gradient), 0, 0);
    CHECK(gradient[0] == 0 && gradient[1] == 0);
    sari_expression_destroy(e);
}

TEST(undefined_values_stay_visible)
{
    CHECK_IS_NAN(value_of("0/0"));
    CHECK_IS_NAN(value_at("min(t, 1)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("min(1, t)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("max(t, 1)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("max(1, t)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("sign(t)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("step(t, 0, 0, 1, 1)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("ramp(t, 0, 1)", NAN, 0, 0, 0));
    CHECK_IS_NAN(value_at("log(t)", -1, 0, 0, 0));
}

/* Against the same written out: values and gradients. */
TEST(operations_are_those_of_the_texts)
{
    const double at[][4] = {{0.3, 0.7, -1.2, 2}, {-2, 1.5, 0.4, 3}};
    sari_expression *difference = NULL, *reversed = compile("x^2 + 3*y + t*x");
    sar_error error = {0};
    CHECK(sari_expression_compile_difference("t > 0 ? sin(x) : x^2", "y < 0 ? t*y : z", look_up,
                                             NULL, NULL, &difference, &error) == SAR_OK);
    CHECK(sari_expression_reverse(&reversed, 1u << X | 1u << Y));
    sari_expression* pairs[][2] = {
        {difference, compile("(t > 0 ? sin(x) : x^2) - (y < 0 ? t*y : z)")},
        {reversed, compile("-(x^2 - 3*y - t*x)")}};
    for (int k = 0; k < 4; k++) {
        const sari_expression *got = pairs[k / 2][0], *wanted = pairs[k / 2][1];
        double variables[VARIABLES] = {0}, slopes[2][VARIABLES];
        const int *used[2], n = sari_expression_variables(wanted, &used[1]);
        memcpy(variables, at[k % 2], sizeof at[0]);
        CHECK(sari_expression_variables(got, &used[0]) == n);
        CHECK_NEAR(sari_expression_gradient(got, variables, slopes[0]),
                   sari_expression_gradient(wanted, variables, slopes[1]), 1e-15);
        for (int i = 0; i < n; i++) {
            CHECK(used[0][i] == used[1][i]);
            CHECK_NEAR(slopes[0][i], slopes[1][i], 1e-15);
        }
    }
    for (int k = 0; k < 4; k++) sari_expression_destroy(pairs[k / 2][k % 2]);
}
