/* Elementary functions: errors against those of long double, values of annex F, and the bits themselves,
 * which no compiler, processor or library may change. */
#include "math/functions.h"

#include "sar_test.h"

#include <float.h>

/// An angle, number or exponent without a pattern
static uint64_t state = 88172645463325252u;

static uint64_t next_bits(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static double between(double a, double b)
{
    return a + (b - a) * ((double)(next_bits() >> 11) * 0x1p-53);
}

/// Of any size from 2^low to 2^high, with either sign
static double of_any_size(int low, int high)
{
    const double size = 1.0 + (double)(next_bits() >> 12) * 0x1p-52;
    const int exponent = low + (int)(next_bits() % (uint64_t)(high - low));
    return ldexp(next_bits() & 1 ? size : -size, exponent);
}

/// Units in the last place of `wanted` between it and `got`
static double ulps(double got, long double wanted)
{
    if (isnan(wanted)) return isnan(got) ? 0.0 : INFINITY;
    if (isinf((double)wanted) || isinf(got)) return got == (double)wanted ? 0.0 : INFINITY;
    int exponent;
    frexpl(wanted, &exponent);
    if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
    return (double)fabsl(ldexpl((long double)got - wanted, DBL_MANT_DIG - exponent));
}

typedef struct one_argument {
    const char* name;
    double (*own)(double);
    long double (*reference)(long double);
    double low, high; ///< values; of any size: powers of two
    int any_size, positive;
} one_argument;

static const one_argument ONE[] = {
    {"sin", sari_sin, sinl, -1, 1, 0, 0},
    {"sin", sari_sin, sinl, -200, 200, 0, 0},
    {"sin", sari_sin, sinl, -140000, 140000, 0, 0},
    {"sin", sari_sin, sinl, -1074, 1024, 1, 0},
    {"cos", sari_cos, cosl, -1, 1, 0, 0},
    {"cos", sari_cos, cosl, -200, 200, 0, 0},
    {"cos", sari_cos, cosl, -140000, 140000, 0, 0},
    {"cos", sari_cos, cosl, -1074, 1024, 1, 0},
    {"tan", sari_tan, tanl, -200, 200, 0, 0},
    {"tan", sari_tan, tanl, -1074, 1024, 1, 0},
    {"asin", sari_asin, asinl, -1, 1, 0, 0},
    {"asin", sari_asin, asinl, -1074, 0, 1, 0},
    {"acos", sari_acos, acosl, -1, 1, 0, 0},
    {"acos", sari_acos, acosl, 1 - 1e-6, 1, 0, 0},
    {"acos", sari_acos, acosl, -1074, 0, 1, 0},
    {"atan", sari_atan, atanl, -3, 3, 0, 0},
    {"atan", sari_atan, atanl, -1074, 1024, 1, 0},
    {"exp", sari_exp, expl, -746, 711, 0, 0},
    {"exp", sari_exp, expl, -746, -707, 0, 0},
    {"exp", sari_exp, expl, -1074, 10, 1, 0},
    {"log", sari_log, logl, 0.9, 1.1, 0, 1},
    {"log", sari_log, logl, -1074, 1024, 1, 1},
    {"log2", sari_log2, log2l, 0.9, 1.1, 0, 1},
    {"log2", sari_log2, log2l, -1074, 1024, 1, 1},
    {"log10", sari_log10, log10l, 0.9, 1.1, 0, 1},
    {"log10", sari_log10, log10l, -1074, 1024, 1, 1},
    {"cbrt", sari_cbrt, cbrtl, -1074, 1024, 1, 0},
    {"sinh", sari_sinh, sinhl, -2, 2, 0, 0},
    {"sinh", sari_sinh, sinhl, -1074, 10, 1, 0},
    {"sinh", sari_sinh, sinhl, -712, 712, 0, 0},
    {"cosh", sari_cosh, coshl, -2, 2, 0, 0},
    {"cosh", sari_cosh, coshl, -712, 712, 0, 0},
    {"tanh", sari_tanh, tanhl, -2, 2, 0, 0},
    {"tanh", sari_tanh, tanhl, -1074, 10, 1, 0},
};
enum { ONES = (int)(sizeof ONE / sizeof *ONE), POINTS = 4000 };

static double draw(const one_argument* f)
{
    const double x =
        f->any_size ? of_any_size((int)f->low, (int)f->high) : between(f->low, f->high);
    return f->positive ? fabs(x) : x;
}

/* Below 1 everywhere; sines and cosines are the least exact, with 0.83. */
TEST(test_errors_are_below_one_place)
{
    if (LDBL_MANT_DIG < 64) skip();
    for (int k = 0; k < ONES; k++)
        for (int i = 0; i < POINTS; i++) {
            const double x = draw(&ONE[k]), off = ulps(ONE[k].own(x), ONE[k].reference(x));
            if (!(off < 0.9)) fail_msg("%s(%a) is off by %.3f places", ONE[k].name, x, off);
        }
}

/// Pairs of numbers for which a function of two can go wrong
static void draw_two(int kind, double* x, double* y)
{
    *x = between(-10, 10), *y = between(-10, 10);
    if (kind == 1) *x = of_any_size(-1074, 1024), *y = of_any_size(-1074, 1024);
    if (kind == 2) *x = of_any_size(-60, 60), *y = of_any_size(-60, 60);
    if (kind == 3) *x = of_any_size(-1074, -1000), *y = of_any_size(-1074, -1000);
}

TEST(test_errors_of_two_arguments)
{
    if (LDBL_MANT_DIG < 64) skip();
    for (int i = 0; i < 4 * POINTS; i++) {
        double x, y;
        draw_two(i % 4, &x, &y);
        if (!(ulps(sari_atan2(y, x), atan2l(y, x)) < 0.6)) fail_msg("atan2(%a, %a)", y, x);
        if (!(ulps(sari_hypot(x, y), hypotl(x, y)) < 0.8)) fail_msg("hypot(%a, %a)", x, y);
    }
}

/// Powers that neither overflow nor vanish, near the limits of both too; x near 1; integer powers
TEST(test_errors_of_powers)
{
    if (LDBL_MANT_DIG < 64) skip();
    for (int i = 0; i < 4 * POINTS; i++) {
        double x = between(0, 10), y = between(-10, 10);
        if (i % 4 == 1)
            x = fabs(of_any_size(-1074, 1023)), y = between(-1.02, 1.02) * 745.0 / sari_log(x);
        if (i % 4 == 2) x = 1.0 + of_any_size(-52, -2), y = of_any_size(-10, 60);
        if (i % 4 == 3) x = of_any_size(-20, 20), y = floor(between(-50, 50));
        // the power of long double may itself be wrong by as much as y log x has lost
        const double limit = 0.53 + ldexp(fabs(y * sari_log(fabs(x))), -9);
        const double off = ulps(sari_pow(x, y), powl(x, y));
        if (!(off < limit)) fail_msg("pow(%a, %a) is off by %.3f places", x, y, off);
    }
}

static void check_same(double got, double wanted, int line)
{
    if (isnan(wanted) ? !isnan(got) : got != wanted || signbit(got) != signbit(wanted))
        fail_msg("line %d: %.17g, wanted %.17g", line, got, wanted);
}
#define SAME(got, wanted) check_same(got, wanted, __LINE__)

/// C17, annex F.10
TEST(test_special_values_of_one_argument)
{
    double (*const odd[])(double) = {sari_sin,  sari_tan,  sari_asin, sari_atan,
                                     sari_sinh, sari_tanh, sari_cbrt};
    for (int k = 0; k < 7; k++)
        SAME(odd[k](0.0), 0.0), SAME(odd[k](-0.0), -0.0), SAME(odd[k](NAN), NAN);
    for (int k = 0; k < 7; k++) SAME(odd[k](5e-324), k == 6 ? sari_cbrt(5e-324) : 5e-324);
    SAME(sari_sin(INFINITY), NAN), SAME(sari_cos(-INFINITY), NAN), SAME(sari_tan(INFINITY), NAN);
    SAME(sari_cos(0.0), 1.0), SAME(sari_cos(NAN), NAN), SAME(sari_cosh(-0.0), 1.0);
    SAME(sari_asin(1.0), 0x1.921fb54442d18p+0), SAME(sari_asin(-1.0), -0x1.921fb54442d18p+0);
    SAME(sari_asin(1.1), NAN), SAME(sari_acos(-1.1), NAN), SAME(sari_acos(INFINITY), NAN);
    SAME(sari_acos(1.0), 0.0), SAME(sari_acos(-1.0), 0x1.921fb54442d18p+1),
        SAME(sari_acos(NAN), NAN);
    SAME(sari_acos(0.0), 0x1.921fb54442d18p+0);
    SAME(sari_atan(INFINITY), 0x1.921fb54442d18p+0),
        SAME(sari_atan(-INFINITY), -0x1.921fb54442d18p+0);
    SAME(sari_exp(0.0), 1.0), SAME(sari_exp(-INFINITY), 0.0), SAME(sari_exp(INFINITY), INFINITY);
    SAME(sari_exp(NAN), NAN), SAME(sari_exp(709.79), INFINITY), SAME(sari_exp(-745.2), 0.0);
    SAME(sari_log(1.0), 0.0), SAME(sari_log(0.0), -INFINITY), SAME(sari_log(-0.0), -INFINITY);
    SAME(sari_log(-1.0), NAN), SAME(sari_log(INFINITY), INFINITY), SAME(sari_log(NAN), NAN);
    SAME(sari_log2(-2.0), NAN), SAME(sari_log10(0.0), -INFINITY),
        SAME(sari_log10(INFINITY), INFINITY);
    SAME(sari_sinh(INFINITY), INFINITY), SAME(sari_sinh(-INFINITY), -INFINITY);
    SAME(sari_cosh(-INFINITY), INFINITY), SAME(sari_cosh(NAN), NAN),
        SAME(sari_tanh(-INFINITY), -1.0);
    SAME(sari_cbrt(-INFINITY), -INFINITY), SAME(sari_cbrt(-27.0), -3.0);
}

TEST(test_special_values_of_two_arguments)
{
    // the C library is right about these, on every machine
    const double values[] = {0.0, 5e-324, 0.5,          1.0,   2.0,      3.0,
                             4.5, 0x1p60, 0x1p53 - 1.0, 1e308, INFINITY, NAN};
    const int count = (int)(sizeof values / sizeof *values);
    for (int i = 0; i < 4 * count * count; i++) {
        const double x = (i & 1 ? -1 : 1) * values[i / 4 % count],
                     y = (i & 2 ? -1 : 1) * values[i / 4 / count];
        const double power = sari_pow(x, y), wanted = pow(x, y);
        if (isnan(wanted) || isinf(wanted) || wanted == 0.0 || fabs(wanted) == 1.0)
            SAME(power, wanted);
        else
            CHECK(ulps(power, powl(x, y)) < 0.6);
        const double angle = sari_atan2(x, y);
        if (isnan(x) || isnan(y) || x == 0.0 || y == 0.0 || isinf(x) || isinf(y))
            SAME(angle, atan2(x, y));
        if (!(isfinite(x) && isfinite(y))) SAME(sari_hypot(x, y), hypot(x, y));
    }
}

/// Results that are exact numbers have no error at all.
TEST(test_exact_results)
{
    for (int k = -1074; k < 1024; k++) {
        SAME(sari_log2(ldexp(1.0, k)), k);
        SAME(sari_pow(2.0, k), ldexp(1.0, k));
    }
    double power = 1.0;
    for (int k = 0; k <= 22; k++, power *= 10.0) {
        SAME(sari_pow(10.0, k), power);
        SAME(sari_log10(power), k);
    }
    for (int k = 1; k < 200; k++) {
        SAME(sari_cbrt((double)k * k * k), k);
        SAME(sari_pow((double)k * k, 0.5), k);
        SAME(sari_pow(-k, 3.0), -(double)k * k * k);
        SAME(sari_hypot(3.0 * k, 4.0 * k), 5.0 * k);
        SAME(sari_pow(k / 7.0, 1.0), k / 7.0);
    }
}

/// The sine next to a multiple of pi is what the angle lacks: digits of pi, computed with mpmath.
TEST(test_next_to_multiples_of_pi)
{
    SAME(sari_sin(0x1.921fb54442d18p+1), 0x1.1a62633145c07p-53);
    SAME(sari_cos(0x1.921fb54442d18p+0), 0x1.1a62633145c07p-54);
    SAME(sari_sin(0x1.6ac5b262ca1ffp+849), 1.0);
    SAME(sari_cos(0x1.6ac5b262ca1ffp+849), -0x1.14ae72e6ba22fp-61); // no double is nearer
    SAME(sari_sin(1e22), -0x1.b453ab76bf397p-1);
    SAME(sari_cos(1e22), 0x1.0be2cef01c8f4p-1);
}

TEST(test_sine_and_cosine_together)
{
    for (int i = 0; i < POINTS; i++) {
        const double x = i & 1 ? of_any_size(-1074, 1024) : between(-100, 100);
        double s, c;
        sari_sine_cosine(x, &s, &c);
        SAME(s, sari_sin(x)), SAME(c, sari_cos(x));
        SAME(sari_sin(-x), -s), SAME(sari_cos(-x), c);
    }
}

static uint64_t mixed(uint64_t hash, double x)
{
    return (hash ^ sari_bits(x)) * 1099511628211u;
}

/* A digest of 200,000 results. Whoever changes a function on purpose changes the number too; a compiler, processor
 * or library that changes it breaks the promise of the same bits everywhere. */
TEST(test_bits)
{
    uint64_t hash = 14695981039346656037u;
    state = 88172645463325252u;
    for (int k = 0; k < ONES; k++)
        for (int i = 0; i < POINTS; i++) hash = mixed(hash, ONE[k].own(draw(&ONE[k])));
    for (int i = 0; i < 4 * POINTS; i++) {
        double x, y;
        draw_two(i % 4, &x, &y);
        hash = mixed(mixed(hash, sari_atan2(y, x)), sari_hypot(x, y));
        hash = mixed(hash, sari_pow(fabs(x), y));
    }
    const uint64_t wanted = 0xecc236e3bc894d19u;
    if (hash != wanted) fail_msg("digest of the results: 0x%llx", (unsigned long long)hash);
}
