/* Values and derivatives of compiled expressions.
 *
 * Derivatives are exact, by forward mode: every operand is a jet, its value with its derivatives by
 * four variables at once and its second derivative along the first of them. An operation f(a, b)
 * knows its partial derivatives, and the chain rule does the rest:
 *
 *     f'  = f_a a' + f_b b'                                              (1)
 *     f'' = f_a a'' + f_b b'' + f_aa a'a' + 2 f_ab a'b' + f_bb b'b'      (2)
 *
 * An operand that does not depend on the variable contributes nothing, even where the partial
 * derivative is infinite or undefined: products with an exact zero are zero (see `times`). That
 * keeps sqrt(x) at 0 from spoiling the derivatives by other variables.
 *
 * At kinks and jumps the derivative is that of the branch the value comes from, and that branch is
 * the one to the right: abs(0) has slope 1, ramp(t0, t0, t1) has slope 1/(t1 - t0). Where the
 * arguments of min or max tie, the first one counts. */
#include "expression/lines.h"
#include "math/functions.h"

#include <math.h>
#include <string.h>

const sari_op_info sari_op_table[SARI_OPS] = {
#define SARI_OP_INFO(name, operands, word, arguments) {operands, word, arguments},
    SARI_OP_LIST(SARI_OP_INFO)
#undef SARI_OP_INFO
};

/* ---- values --------------------------------------------------------------------------------- */

static double negate(double x)
{
    return -x;
}

static double logical_not(double x)
{
    return x == 0;
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x; // keeps a NaN
}

/// x^n, with the small powers that models are full of done by multiplication.
static double power(double x, double n)
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
    [SARI_OP_NEGATE] = negate,  [SARI_OP_NOT] = logical_not, [SARI_OP_SIN] = sari_sin,
    [SARI_OP_COS] = sari_cos,   [SARI_OP_TAN] = sari_tan,    [SARI_OP_ASIN] = sari_asin,
    [SARI_OP_ACOS] = sari_acos, [SARI_OP_ATAN] = sari_atan,  [SARI_OP_SINH] = sari_sinh,
    [SARI_OP_COSH] = sari_cosh, [SARI_OP_TANH] = sari_tanh,  [SARI_OP_EXP] = sari_exp,
    [SARI_OP_LOG] = sari_log,   [SARI_OP_SQRT] = sqrt,       [SARI_OP_ABS] = fabs,
    [SARI_OP_SIGN] = sign,      [SARI_OP_FLOOR] = floor,
};

static double (*const binary[SARI_OPS])(double, double) = {
    [SARI_OP_LESS] = less,         [SARI_OP_AT_MOST] = at_most,  [SARI_OP_GREATER] = greater,
    [SARI_OP_AT_LEAST] = at_least, [SARI_OP_EQUAL] = equal,      [SARI_OP_DIFFERENT] = different,
    [SARI_OP_AND] = logical_and,   [SARI_OP_OR] = logical_or,    [SARI_OP_POW] = sari_pow,
    [SARI_OP_ATAN2] = sari_atan2,  [SARI_OP_HYPOT] = sari_hypot, [SARI_OP_MOD] = modulo,
    [SARI_OP_MIN] = smaller,       [SARI_OP_MAX] = larger,
};

double sari_op_value(const sari_instruction* i, const double* x)
{
    switch (i->op) {
    case SARI_OP_ADD:
        return x[0] + x[1];
    case SARI_OP_SUBTRACT:
        return x[0] - x[1];
    case SARI_OP_MULTIPLY:
        return x[0] * x[1];
    case SARI_OP_DIVIDE:
        return x[0] / x[1];
    case SARI_OP_POWER:
        return power(x[0], i->number);
    case SARI_OP_SCALE:
        return x[0] * i->number;
    case SARI_OP_SHIFT:
        return x[0] + i->number;
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

double sari_code_value(const sari_instruction* code, int count, const double* variables)
{
    double stack[SARI_STACK_DEPTH + 1]; // the first stays empty
    double* top = stack;
    const sari_instruction* end = code + count;
    for (const sari_instruction* i = code; i < end; i++) {
        sari_op op = i->op;
        top += 1 - sari_op_table[op].operands; // now at the result, whose operands begin there
        switch (op) {
        case SARI_OP_CONSTANT:
            *top = i->number;
            break;
        case SARI_OP_VARIABLE:
            *top = variables[i->target];
            break;
        case SARI_OP_ADD:
            *top += top[1];
            break;
        case SARI_OP_SUBTRACT:
            *top -= top[1];
            break;
        case SARI_OP_MULTIPLY:
            *top *= top[1];
            break;
        case SARI_OP_DIVIDE:
            *top /= top[1];
            break;
        case SARI_OP_POWER:
            *top = power(*top, i->number);
            break;
        case SARI_OP_SCALE:
            *top *= i->number;
            break;
        case SARI_OP_SHIFT:
            *top += i->number;
            break;
        case SARI_OP_JUMP:
            top--;
            i = code + i->target - 1;
            break;
        case SARI_OP_JUMP_IF_ZERO:
            top--;
            if (top[1] == 0) i = code + i->target - 1;
            break;
        case SARI_OP_TABLE:
            *top = sari_table_value(i->table, *top);
            break;
        case SARI_OP_RAMP:
            *top = ramp(top[0], top[1], top[2]);
            break;
        case SARI_OP_PULSE:
            *top = pulse(top[0], top[1], top[2]);
            break;
        case SARI_OP_STEP:
            *top = smooth_step(top);
            break;
        default:
            *top = unary[op] ? unary[op](*top) : binary[op](top[0], top[1]);
        }
    }
    return stack[1];
}

double sari_expression_value(const sari_expression* e, const double* variables)
{
    if (e->frozen) return sari_expression_held(e, variables);
    return e->lines ? sari_lines_value(e->lines, variables)
                    : sari_code_value(e->code, e->count, variables);
}

/* ---- partial derivatives of the operations -------------------------------------------------- */

/// `factor` * `x`, where an exact zero x means "does not depend": it wins over inf and NaN.
static inline double times(double factor, double x)
{
    return x == 0 ? 0 : factor * x;
}

typedef struct unary_partials {
    double f, f1, f2;
} unary_partials;

static unary_partials power_partials(double x, double n)
{
    return (unary_partials){power(x, n), times(power(x, n - 1), n),
                            times(power(x, n - 2), n * (n - 1))};
}

static unary_partials table_partials(const sari_table* table, double x)
{
    double f[3];
    sari_table_series(table, x, f);
    return (unary_partials){f[0], f[1], f[2]};
}

static unary_partials differentiate_unary(sari_op op, double x)
{
    double f = unary[op](x);
    double u; // a part that the derivatives share
    switch (op) {
    case SARI_OP_NEGATE:
        return (unary_partials){f, -1, 0};
    case SARI_OP_SIN:
        return (unary_partials){f, sari_cos(x), -f};
    case SARI_OP_COS:
        return (unary_partials){f, -sari_sin(x), -f};
    case SARI_OP_TAN:
        u = 1 + f * f;
        return (unary_partials){f, u, 2 * f * u};
    case SARI_OP_ASIN:
        u = (1 - x) * (1 + x);
        return (unary_partials){f, 1 / sqrt(u), x / (u * sqrt(u))};
    case SARI_OP_ACOS:
        u = (1 - x) * (1 + x);
        return (unary_partials){f, -1 / sqrt(u), -x / (u * sqrt(u))};
    case SARI_OP_ATAN:
        u = 1 / (1 + x * x);
        return (unary_partials){f, u, -2 * x * u * u};
    case SARI_OP_SINH:
        return (unary_partials){f, sari_cosh(x), f};
    case SARI_OP_COSH:
        return (unary_partials){f, sari_sinh(x), f};
    case SARI_OP_TANH:
        u = 1 / sari_cosh(x); // 1 - f^2 would cancel for large x
        return (unary_partials){f, u * u, -2 * f * u * u};
    case SARI_OP_EXP:
        return (unary_partials){f, f, f};
    case SARI_OP_LOG:
        return (unary_partials){f, 1 / x, -1 / (x * x)};
    case SARI_OP_SQRT:
        return (unary_partials){f, 0.5 / f, -0.25 / (x * f)};
    case SARI_OP_ABS:
        return (unary_partials){f, x < 0 ? -1 : 1, 0};
    default: // NOT, SIGN, FLOOR: piecewise constant
        return (unary_partials){f, 0, 0};
    }
}

typedef struct binary_partials {
    double f, a, b, aa, ab, bb;
} binary_partials;

/// a^b. Derivatives by b vanish with the power itself: 0^b is 0 for all b > 0.
static binary_partials pow_partials(double a, double b)
{
    double f = sari_pow(a, b), f1 = sari_pow(a, b - 1), log_a = sari_log(a);
    return (binary_partials){
        .f = f,
        .a = times(f1, b),
        .b = times(log_a, f),
        .aa = times(sari_pow(a, b - 2), b * (b - 1)),
        .ab = times(1 + times(log_a, b), f1),
        .bb = times(log_a * log_a, f),
    };
}

static binary_partials atan2_partials(double y, double x)
{
    double r = sari_hypot(x, y), s = y / r, c = x / r;
    return (binary_partials){
        .f = sari_atan2(y, x),
        .a = c / r,
        .b = -s / r,
        .aa = -2 * s * c / r / r,
        .ab = (s * s - c * c) / r / r,
        .bb = 2 * s * c / r / r,
    };
}

/// The kink at the origin has no side to prefer: there all derivatives are 0.
static binary_partials hypot_partials(double a, double b)
{
    double r = sari_hypot(a, b);
    if (r == 0) return (binary_partials){0};
    double s = b / r, c = a / r;
    return (binary_partials){
        .f = r, .a = c, .b = s, .aa = s * s / r, .ab = -s * c / r, .bb = c * c / r};
}

static inline binary_partials differentiate_binary(sari_op op, double a, double b)
{
    switch (op) {
    case SARI_OP_ADD:
        return (binary_partials){.f = a + b, .a = 1, .b = 1};
    case SARI_OP_SUBTRACT:
        return (binary_partials){.f = a - b, .a = 1, .b = -1};
    case SARI_OP_MULTIPLY:
        return (binary_partials){.f = a * b, .a = b, .b = a, .ab = 1};
    case SARI_OP_DIVIDE:
        return (binary_partials){
            .f = a / b, .a = 1 / b, .b = -a / b / b, .ab = -1 / b / b, .bb = 2 * a / b / b / b};
    case SARI_OP_POW:
        return pow_partials(a, b);
    case SARI_OP_ATAN2:
        return atan2_partials(a, b);
    case SARI_OP_HYPOT:
        return hypot_partials(a, b);
    case SARI_OP_MOD: {
        double r = modulo(a, b);
        return (binary_partials){.f = r, .a = 1, .b = -round((a - r) / b)};
    }
    case SARI_OP_MIN:
        return first_is_smaller(a, b) ? (binary_partials){.f = a, .a = 1}
                                      : (binary_partials){.f = b, .b = 1};
    case SARI_OP_MAX:
        return first_is_larger(a, b) ? (binary_partials){.f = a, .a = 1}
                                     : (binary_partials){.f = b, .b = 1};
    default: // comparisons and logic: piecewise constant
        return (binary_partials){.f = binary[op](a, b)};
    }
}

double sari_power(double x, double n)
{
    return power(x, n);
}

void sari_op_partials(const sari_instruction* i, double x, double out[3])
{
    const unary_partials p = i->op == SARI_OP_POWER   ? power_partials(x, i->number)
                             : i->op == SARI_OP_TABLE ? table_partials(i->table, x)
                                                      : differentiate_unary(i->op, x);
    out[0] = p.f, out[1] = p.f1, out[2] = p.f2;
}

void sari_op_partials2(sari_op op, double a, double b, double out[6])
{
    const binary_partials p = differentiate_binary(op, a, b);
    out[0] = p.f, out[1] = p.a, out[2] = p.b, out[3] = p.aa, out[4] = p.ab, out[5] = p.bb;
}

/* ---- jets ----------------------------------------------------------------------------------- */

enum { DIRECTIONS = 4 };

typedef struct jet {
    double f;
    double d[DIRECTIONS]; ///< derivatives by four neighbouring used variables
    double dd;            ///< second derivative by the first of them
} jet;

static inline void jet_constant(double value, jet* r)
{
    r->f = value;
    for (int k = 0; k < DIRECTIONS; k++) r->d[k] = 0;
    r->dd = 0;
}

/// f(a) into a.
static inline void jet_unary(unary_partials p, jet* a)
{
    a->f = p.f;
    a->dd = times(p.f1, a->dd) + times(p.f2, a->d[0] * a->d[0]);         // (2)
    for (int k = 0; k < DIRECTIONS; k++) a->d[k] = times(p.f1, a->d[k]); // (1)
}

/// f(a, b) into a.
static inline void jet_binary(sari_op op, jet* a, const jet* b)
{
    binary_partials p = differentiate_binary(op, a->f, b->f);
    double a1 = a->d[0], b1 = b->d[0];
    a->f = p.f;
    a->dd = times(p.a, a->dd) + times(p.b, b->dd) + times(p.aa, a1 * a1) +
            2 * times(p.ab, a1 * b1) + times(p.bb, b1 * b1);                                  // (2)
    for (int k = 0; k < DIRECTIONS; k++) a->d[k] = times(p.a, a->d[k]) + times(p.b, b->d[k]); // (1)
}

/// ramp(t, t0, t1) into t, where it is neither 0 nor 1.
static void jet_rise(jet* t, const jet* t0, jet t1)
{
    jet_binary(SARI_OP_SUBTRACT, t, t0);
    jet_binary(SARI_OP_SUBTRACT, &t1, t0);
    jet_binary(SARI_OP_DIVIDE, t, &t1);
}

static void jet_ramp(jet* x)
{
    if (x[0].f >= x[2].f)
        jet_constant(1, x);
    else if (x[0].f < x[1].f)
        jet_constant(0, x);
    else
        jet_rise(&x[0], &x[1], x[2]);
}

/// step(t, t0, y0, t1, y1) between t0 and t1: y0 + (y1 - y0) smooth(s)
static void jet_climb(jet* x)
{
    jet *t = &x[0], *t0 = &x[1], *y0 = &x[2], *t1 = &x[3], *y1 = &x[4];
    jet_rise(t, t0, *t1);
    double s = t->f;
    jet_unary((unary_partials){smooth(s), 6 * s * (1 - s), 6 - 12 * s}, t);
    jet_binary(SARI_OP_SUBTRACT, y1, y0);
    jet_binary(SARI_OP_MULTIPLY, t, y1);
    jet_binary(SARI_OP_ADD, t, y0);
}

static void jet_step(jet* x)
{
    if (x[0].f >= x[3].f)
        x[0] = x[4];
    else if (x[0].f < x[1].f)
        x[0] = x[2];
    else
        jet_climb(x);
}

/// The same where a branch is held (expression/branches.c).
static void jet_held(const sari_instruction* i, jet* x)
{
    const int held = i->target;
    switch (i->op) {
    case SARI_OP_ABS:
        jet_unary((unary_partials){held * x->f, held, 0}, x);
        break;
    case SARI_OP_TABLE: {
        double f[3];
        sari_table_piece_series(i->table, held - 1, x->f, f);
        jet_unary((unary_partials){f[0], f[1], f[2]}, x);
        break;
    }
    case SARI_OP_MIN:
        if (held > 0) x[0] = x[1];
        break;
    case SARI_OP_MAX:
        if (held < 0) x[0] = x[1];
        break;
    case SARI_OP_MOD: {
        const double n = sari_held_whole(held);
        jet_unary((unary_partials){n * x[1].f, n, 0}, &x[1]);
        jet_binary(SARI_OP_SUBTRACT, &x[0], &x[1]);
        break;
    }
    case SARI_OP_RAMP:
        if (held == 2)
            jet_rise(&x[0], &x[1], x[2]);
        else
            jet_constant(held == 3, x);
        break;
    case SARI_OP_STEP:
        if (held == 2)
            jet_climb(x);
        else
            x[0] = x[held == 3 ? 4 : 2];
        break;
    default: { // piecewise constant
        const double value[3] = {x[0].f, 0.0, 0.0};
        jet_constant(sari_op_held(i->op, held, value), x);
    }
    }
}

/// Replace the operands x[0], x[1], ... by the result x[0].
static void jet_apply(const sari_instruction* i, jet* x)
{
    switch (i->op) {
    case SARI_OP_ADD: // the common ones by name, so that the compiler drops their zeros
        jet_binary(SARI_OP_ADD, &x[0], &x[1]);
        break;
    case SARI_OP_SUBTRACT:
        jet_binary(SARI_OP_SUBTRACT, &x[0], &x[1]);
        break;
    case SARI_OP_MULTIPLY:
        jet_binary(SARI_OP_MULTIPLY, &x[0], &x[1]);
        break;
    case SARI_OP_POWER:
        jet_unary(power_partials(x->f, i->number), x);
        break;
    case SARI_OP_SCALE:
        jet_unary((unary_partials){x->f * i->number, i->number, 0}, x);
        break;
    case SARI_OP_SHIFT:
        jet_unary((unary_partials){x->f + i->number, 1, 0}, x);
        break;
    case SARI_OP_TABLE:
        jet_unary(table_partials(i->table, x->f), x);
        break;
    case SARI_OP_RAMP:
        jet_ramp(x);
        break;
    case SARI_OP_PULSE:
        jet_constant(pulse(x[0].f, x[1].f, x[2].f), x);
        break;
    case SARI_OP_STEP:
        jet_step(x);
        break;
    default:
        if (sari_op_table[i->op].operands == 1)
            jet_unary(differentiate_unary(i->op, x->f), x);
        else
            jet_binary(i->op, &x[0], &x[1]);
    }
}

/// Run the code with the directions of the used variables first, first + 1, ..., or with one
/// direction that changes all of them.
static jet run_jets_on(const sari_expression* e, bool held, const double* variables, int first,
                       const double* direction)
{
    jet stack[SARI_STACK_DEPTH + 1]; // the first stays empty
    jet* top = stack;
    const sari_instruction* end = e->code + e->count;
    for (const sari_instruction* i = e->code; i < end; i++) {
        top += 1 - sari_op_table[i->op].operands;
        switch (i->op) {
        case SARI_OP_CONSTANT:
            jet_constant(i->number, top);
            break;
        case SARI_OP_VARIABLE:
            jet_constant(variables[i->target], top);
            if (direction)
                top->d[0] = direction[i->target];
            else if (i->slot >= first && i->slot - first < DIRECTIONS)
                top->d[i->slot - first] = 1;
            break;
        case SARI_OP_JUMP:
            top--;
            i = e->code + i->target - 1;
            break;
        case SARI_OP_JUMP_IF_ZERO:
            top--;
            if (top[1].f == 0) i = e->code + i->target - 1;
            break;
        default:
            if (held && i->target && sari_op_branches(i->op))
                jet_held(i, top);
            else
                jet_apply(i, top);
        }
    }
    return stack[1];
}

/// Where a branch that is held has no value, its own one counts.
static jet run_jets(const sari_expression* e, const double* variables, int first,
                    const double* direction)
{
    const jet result = run_jets_on(e, e->frozen, variables, first, direction);
    if (!e->frozen || isfinite(result.f)) return result;
    return run_jets_on(e, false, variables, first, direction);
}

/* Can lines be differentiated in the place of the code? */
static bool by_lines(const sari_expression* e)
{
    return e->lines && e->lines->differs && !e->frozen;
}

double sari_expression_gradient(const sari_expression* e, const double* variables, double* gradient)
{
    if (e->variable_count == 0) return sari_expression_value(e, variables);
    if (by_lines(e)) return sari_lines_gradient(e->lines, variables, e->variable_count, gradient);
    double value = 0;
    for (int first = 0; first < e->variable_count; first += DIRECTIONS) {
        jet result = run_jets(e, variables, first, NULL);
        int left = e->variable_count - first;
        size_t count = (size_t)(left < DIRECTIONS ? left : DIRECTIONS);
        memcpy(gradient + first, result.d, count * sizeof(double));
        value = result.f;
    }
    return value;
}

void sari_expression_series(const sari_expression* e, const double* variables, int index,
                            double out[3])
{
    int slot = 0;
    while (slot < e->variable_count && e->variables[slot] != index) slot++;
    if (by_lines(e)) {
        sari_lines_series(e->lines, variables, slot, NULL, out);
        return;
    }
    jet result = run_jets(e, variables, slot, NULL); // past the last: no direction, derivatives 0
    out[0] = result.f;
    out[1] = result.d[0];
    out[2] = result.dd;
}

void sari_expression_series_along(const sari_expression* e, const double* variables,
                                  const double* direction, double out[3])
{
    if (by_lines(e)) {
        sari_lines_series(e->lines, variables, 0, direction, out);
        return;
    }
    jet result = run_jets(e, variables, 0, direction);
    out[0] = result.f;
    out[1] = result.d[0];
    out[2] = result.dd;
}

bool sari_expression_is_polynomial(const sari_expression* e)
{
    static const bool sums[SARI_OPS] = {
        [SARI_OP_CONSTANT] = true, [SARI_OP_VARIABLE] = true, [SARI_OP_SCALE] = true,
        [SARI_OP_SHIFT] = true,    [SARI_OP_NEGATE] = true,   [SARI_OP_ADD] = true,
        [SARI_OP_SUBTRACT] = true,
    };
    int degree = 1;
    for (int i = 0; i < e->count; i++) {
        const sari_instruction* code = &e->code[i];
        if (code->op == SARI_OP_MULTIPLY)
            degree++; // at most: factors may be sums
        else if (code->op == SARI_OP_POWER && (code->number == 2.0 || code->number == 3.0))
            degree *= (int)code->number;
        else if (!sums[code->op])
            return false;
    }
    return degree <= 6;
}

bool sari_expression_switches(const sari_expression* e)
{
    static const bool switches[SARI_OPS] = {
        [SARI_OP_JUMP_IF_ZERO] = true, [SARI_OP_NOT] = true,       [SARI_OP_SIGN] = true,
        [SARI_OP_FLOOR] = true,        [SARI_OP_TABLE] = true,     [SARI_OP_LESS] = true,
        [SARI_OP_AT_MOST] = true,      [SARI_OP_GREATER] = true,   [SARI_OP_AT_LEAST] = true,
        [SARI_OP_EQUAL] = true,        [SARI_OP_DIFFERENT] = true, [SARI_OP_AND] = true,
        [SARI_OP_OR] = true,           [SARI_OP_ATAN2] = true,     [SARI_OP_MOD] = true,
        [SARI_OP_RAMP] = true,         [SARI_OP_PULSE] = true,     [SARI_OP_STEP] = true,
    };
    for (int i = 0; i < e->count; i++) {
        const sari_instruction* code = &e->code[i];
        const bool input = code->op == SARI_OP_TABLE && code->table->of_time; // has breakpoints
        if (switches[code->op] && !input) return true;
    }
    return false;
}
