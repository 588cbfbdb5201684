/* The operations of expressions: their values, and their partial derivatives.
 *
 * At kinks and jumps the derivative is that of the branch the value comes from, and that branch is
 * the one to the right: abs(0) has slope 1, ramp(t0, t0, t1) has slope 1/(t1 - t0). Where the
 * arguments of min or max tie, the first one counts. */
#include "expression/program.h"
#include "math/functions.h"

#include <math.h>

const sari_op_info sari_op_table[SARI_OPS] = {
#define SARI_OP_INFO(name, operands, word, arguments) {operands, word, arguments},
    SARI_OP_LIST(SARI_OP_INFO)
#undef SARI_OP_INFO
};

/* ---- kinds ---------------------------------------------------------------------------------- */

enum {
    SWITCHES = 1,  ///< jumps or has kinks other than those of abs, min and max
    BRANCHES = 2,  ///< that can be held
    PIECEWISE = 4, ///< constant between jumps
};

static const unsigned char KIND[SARI_OPS] = {
    [SARI_OP_JUMP_IF_ZERO] = SWITCHES,
    [SARI_OP_NOT] = SWITCHES | PIECEWISE,
    [SARI_OP_ABS] = BRANCHES,
    [SARI_OP_SIGN] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_FLOOR] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_TABLE] = SWITCHES | BRANCHES,
    [SARI_OP_LESS] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_AT_MOST] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_GREATER] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_AT_LEAST] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_EQUAL] = SWITCHES | PIECEWISE,
    [SARI_OP_DIFFERENT] = SWITCHES | PIECEWISE,
    [SARI_OP_AND] = SWITCHES | PIECEWISE,
    [SARI_OP_OR] = SWITCHES | PIECEWISE,
    [SARI_OP_ATAN2] = SWITCHES,
    [SARI_OP_MOD] = SWITCHES | BRANCHES,
    [SARI_OP_MIN] = BRANCHES,
    [SARI_OP_MAX] = BRANCHES,
    [SARI_OP_RAMP] = SWITCHES | BRANCHES,
    [SARI_OP_PULSE] = SWITCHES | BRANCHES | PIECEWISE,
    [SARI_OP_STEP] = SWITCHES | BRANCHES,
};

bool sari_op_is_piecewise_constant(sari_op op)
{
    return KIND[op] & PIECEWISE;
}

bool sari_op_switches(sari_op op)
{
    return KIND[op] & SWITCHES;
}

bool sari_op_branches(sari_op op)
{
    return KIND[op] & BRANCHES;
}

int sari_op_guards(sari_op op)
{
    switch (op) {
    case SARI_OP_RAMP:
    case SARI_OP_PULSE:
    case SARI_OP_STEP:
        return 2;
    case SARI_OP_EQUAL:
    case SARI_OP_DIFFERENT:
    case SARI_OP_ATAN2:
        return 1;
    default:
        return sari_op_branches(op);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static double logical_not(double x)
{
    return x == 0;
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x; // keeps a NaN
}

double sari_power(double x, double n)
{
    if (n == 2) return x * x;
    if (n == 1) return x;
    if (n == 3) return x * x * x;
    return sari_pow(x, n);
}

static double less(double a, double b)
{
    return a < b;
}

static double at_most(double a, double b)
{
    return a <= b;
}

static double greater(double a, double b)
{
    return a > b;
}

static double at_least(double a, double b)
{
    return a >= b;
}

static double equal(double a, double b)
{
    return a == b;
}

static double different(double a, double b)
{
    return a != b;
}

static double logical_and(double a, double b)
{
    return a != 0 && b != 0;
}

static double logical_or(double a, double b)
{
    return a != 0 || b != 0;
}

/// Remainder with the sign of the period, so that it is periodic for negative x too.
static double modulo(double x, double period)
{
    double r = fmod(x, period);
    return r != 0 && (r < 0) != (period < 0) ? r + period : r;
}

/// Which of two is the result of min and max; a NaN always is, unlike in fmin and fmax.
static bool first_is_smaller(double a, double b)
{
    return a <= b || isnan(a);
}

static bool first_is_larger(double a, double b)
{
    return a >= b || isnan(a);
}

static double smaller(double a, double b)
{
    return first_is_smaller(a, b) ? a : b;
}

static double larger(double a, double b)
{
    return first_is_larger(a, b) ? a : b;
}

/// 0 before t0, 1 from t1 on; with t0 = t1 a jump.
static double ramp(double t, double t0, double t1)
{
    return t >= t1 ? 1 : t < t0 ? 0 : (t - t0) / (t1 - t0);
}

static double pulse(double t, double t0, double t1)
{
    return t >= t0 && t < t1;
}

/// The cubic from 0 to 1 with level ends.
static double smooth(double s)
{
    return s * s * (3 - 2 * s);
}

static double smooth_step(const double* x)
{
    double t = x[0], t0 = x[1], y0 = x[2], t1 = x[3], y1 = x[4];
    if (t >= t1) return y1;
    if (t < t0) return y0;
    return y0 + (y1 - y0) * smooth((t - t0) / (t1 - t0));
}

static double (*const unary[SARI_OPS])(double) = {
    [SARI_OP_NOT] = logical_not, [SARI_OP_SIN] = sari_sin,   [SARI_OP_COS] = sari_cos,
    [SARI_OP_TAN] = sari_tan,    [SARI_OP_ASIN] = sari_asin, [SARI_OP_ACOS] = sari_acos,
    [SARI_OP_ATAN] = sari_atan,  [SARI_OP_SINH] = sari_sinh, [SARI_OP_COSH] = sari_cosh,
    [SARI_OP_TANH] = sari_tanh,  [SARI_OP_EXP] = sari_exp,   [SARI_OP_LOG] = sari_log,
    [SARI_OP_SQRT] = sqrt,       [SARI_OP_ABS] = fabs,       [SARI_OP_SIGN] = sign,
    [SARI_OP_FLOOR] = floor,
};

static double (*const binary[SARI_OPS])(double, double) = {
    [SARI_OP_LESS] = less,         [SARI_OP_AT_MOST] = at_most,  [SARI_OP_GREATER] = greater,
    [SARI_OP_AT_LEAST] = at_least, [SARI_OP_EQUAL] = equal,      [SARI_OP_DIFFERENT] = different,
    [SARI_OP_AND] = logical_and,   [SARI_OP_OR] = logical_or,    [SARI_OP_POW] = sari_pow,
    [SARI_OP_ATAN2] = sari_atan2,  [SARI_OP_HYPOT] = sari_hypot, [SARI_OP_MOD] = modulo,
    [SARI_OP_MIN] = smaller,       [SARI_OP_MAX] = larger,
};

double sari_function_value(const sari_instruction* i, const double* x)
{
    switch (i->op) {
    case SARI_OP_POWER:
        return sari_power(x[0], i->number);
    case SARI_OP_TABLE:
        return sari_table_value(i->table, x[0]);
    case SARI_OP_RAMP:
        return ramp(x[0], x[1], x[2]);
    case SARI_OP_PULSE:
        return pulse(x[0], x[1], x[2]);
    case SARI_OP_STEP:
        return smooth_step(x);
    default:
        return unary[i->op] ? unary[i->op](x[0]) : binary[i->op](x[0], x[1]);
    }
}

/* ---- partial derivatives -------------------------------------------------------------------- */

static sari_partials by_one(double f, double a, double aa)
{
    return (sari_partials){.f = f, .a = a, .aa = aa};
}

static sari_partials table_partials(const sari_table* table, double x)
{
    double f[3];
    sari_table_series(table, x, f);
    return by_one(f[0], f[1], f[2]);
}

static sari_partials differentiate_unary(sari_op op, double x)
{
    double f = unary[op](x);
    double u; // a part that the derivatives share
    switch (op) {
    case SARI_OP_SIN:
        return by_one(f, sari_cos(x), -f);
    case SARI_OP_COS:
        return by_one(f, -sari_sin(x), -f);
    case SARI_OP_TAN:
        u = 1 + f * f;
        return by_one(f, u, 2 * f * u);
    case SARI_OP_ASIN:
        u = (1 - x) * (1 + x);
        return by_one(f, 1 / sqrt(u), x / (u * sqrt(u)));
    case SARI_OP_ACOS:
        u = (1 - x) * (1 + x);
        return by_one(f, -1 / sqrt(u), -x / (u * sqrt(u)));
    case SARI_OP_ATAN:
        u = 1 / (1 + x * x);
        return by_one(f, u, -2 * x * u * u);
    case SARI_OP_SINH:
        return by_one(f, sari_cosh(x), f);
    case SARI_OP_COSH:
        return by_one(f, sari_sinh(x), f);
    case SARI_OP_TANH:
        u = 1 / sari_cosh(x); // 1 - f^2 would cancel for large x
        return by_one(f, u * u, -2 * f * u * u);
    case SARI_OP_EXP:
        return by_one(f, f, f);
    case SARI_OP_LOG:
        return by_one(f, 1 / x, -1 / (x * x));
    case SARI_OP_SQRT:
        return by_one(f, 0.5 / f, -0.25 / (x * f));
    case SARI_OP_ABS:
        return by_one(f, x < 0 ? -1 : 1, 0);
    default: // NOT, SIGN, FLOOR: piecewise constant
        return by_one(f, 0, 0);
    }
}

/// a^b. Derivatives by b vanish with the power itself: 0^b is 0 for all b > 0.
static sari_partials pow_partials(double a, double b)
{
    double f = sari_pow(a, b), f1 = sari_pow(a, b - 1), log_a = sari_log(a);
    return (sari_partials){
        .f = f,
        .a = sari_times(f1, b),
        .b = sari_times(log_a, f),
        .aa = sari_times(sari_pow(a, b - 2), b * (b - 1)),
        .ab = sari_times(1 + sari_times(log_a, b), f1),
        .bb = sari_times(log_a * log_a, f),
    };
}

static sari_partials atan2_partials(double y, double x)
{
    double r = sari_hypot(x, y), s = y / r, c = x / r;
    return (sari_partials){
        .f = sari_atan2(y, x),
        .a = c / r,
        .b = -s / r,
        .aa = -2 * s * c / r / r,
        .ab = (s * s - c * c) / r / r,
        .bb = 2 * s * c / r / r,
    };
}

/// The kink at the origin has no side to prefer: there all derivatives are 0.
static sari_partials hypot_partials(double a, double b)
{
    double r = sari_hypot(a, b);
    if (r == 0) return (sari_partials){0};
    double s = b / r, c = a / r;
    return (sari_partials){
        .f = r, .a = c, .b = s, .aa = s * s / r, .ab = -s * c / r, .bb = c * c / r};
}

static sari_partials differentiate_binary(sari_op op, double a, double b)
{
    switch (op) {
    case SARI_OP_DIVIDE:
        return (sari_partials){
            .f = a / b, .a = 1 / b, .b = -a / b / b, .ab = -1 / b / b, .bb = 2 * a / b / b / b};
    case SARI_OP_POW:
        return pow_partials(a, b);
    case SARI_OP_ATAN2:
        return atan2_partials(a, b);
    case SARI_OP_HYPOT:
        return hypot_partials(a, b);
    case SARI_OP_MOD: {
        double r = modulo(a, b);
        return (sari_partials){.f = r, .a = 1, .b = -round((a - r) / b)};
    }
    case SARI_OP_MIN:
        return first_is_smaller(a, b) ? (sari_partials){.f = a, .a = 1}
                                      : (sari_partials){.f = b, .b = 1};
    case SARI_OP_MAX:
        return first_is_larger(a, b) ? (sari_partials){.f = a, .a = 1}
                                     : (sari_partials){.f = b, .b = 1};
    default: // comparisons and logic: piecewise constant
        return (sari_partials){.f = binary[op](a, b)};
    }
}

sari_partials sari_function_partials(const sari_instruction* i, double a, double b)
{
    if (i->op == SARI_OP_TABLE) return table_partials(i->table, a);
    return sari_op_table[i->op].operands == 1 ? differentiate_unary((sari_op)i->op, a)
                                              : differentiate_binary((sari_op)i->op, a, b);
}
