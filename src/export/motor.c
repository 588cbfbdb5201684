/* The law of a motor, by the register program of its expression: with an input u, the coordinate x and its rate v
 *
 *     force = limit(gain limit(u) + b0 + b1 x + b2 v)                                          (1)
 *
 * Every register is followed as such a form, as far as it is one. */
#include "export/robot_file.h"

#include "expression/program.h"

#include <math.h>
#include <string.h>

typedef struct form {
    bool known;
    int input;      ///< -1: none
    double u, c[3]; ///< c: 1, x, v
    double in[2];   ///< limits of u
    double out[2];  ///< of all of it
} form;

static const form UNKNOWN = {
    .input = -1, .in = {-INFINITY, INFINITY}, .out = {-INFINITY, INFINITY}};

static bool is_limited(const form* a)
{
    return isfinite(a->out[0]) || isfinite(a->out[1]);
}

static bool is_constant(const form* a)
{
    return a->known && a->input < 0 && a->c[1] == 0.0 && a->c[2] == 0.0 && !is_limited(a);
}

static bool is_input(const form* a)
{
    return a->known && a->input >= 0 && a->u == 1.0 && a->c[0] == 0.0 && a->c[1] == 0.0 &&
           a->c[2] == 0.0 && !is_limited(a);
}

static form constant(double value)
{
    form out = UNKNOWN;
    out.known = true;
    out.c[0] = value;
    return out;
}

static form scaled(form a, double by)
{
    a.u *= by;
    for (int k = 0; k < 3; k++) a.c[k] *= by;
    for (int k = 0; k < 2; k++)
        if (isfinite(a.out[k])) a.out[k] *= by;
    if (by < 0.0) {
        const double lower = isfinite(a.out[1]) ? a.out[1] : -INFINITY;
        a.out[1] = isfinite(a.out[0]) ? a.out[0] : INFINITY;
        a.out[0] = lower;
    }
    return a;
}

static form sum(form a, form b)
{
    const bool both = a.input >= 0 && b.input >= 0;
    if (!a.known || !b.known || both || is_limited(&a) || is_limited(&b)) return UNKNOWN;
    if (b.input >= 0) a.input = b.input, a.u = b.u, memcpy(a.in, b.in, sizeof a.in);
    for (int k = 0; k < 3; k++) a.c[k] += b.c[k];
    return a;
}

static form product(form a, form b)
{
    if (is_constant(&a)) return b.known ? scaled(b, a.c[0]) : UNKNOWN;
    return is_constant(&b) && a.known ? scaled(a, b.c[0]) : UNKNOWN;
}

/* min (side 1) or max (side 0) of a form and a number: a limit of the input itself, or of all of it. */
static form limited(form a, form b, int side)
{
    if (is_constant(&a) && !is_constant(&b)) return limited(b, a, side);
    if (!a.known || !is_constant(&b)) return UNKNOWN;
    double* at = is_input(&a) ? &a.in[side] : &a.out[side];
    *at = side ? fmin(*at, b.c[0]) : fmax(*at, b.c[0]);
    return a;
}

static form input_of(const sar_model* model, const sari_instruction* i)
{
    form out = constant(0.0);
    for (int k = 0; k < model->inputs_count; k++)
        if (model->tables[model->inputs[k].table] == i->table) out.input = k, out.u = 1.0;
    return out.input >= 0 ? out : UNKNOWN;
}

static form variable(const sari_instruction* i)
{
    form out = constant(0.0);
    if (i->index == SARI_VARIABLE_X)
        out.c[1] = 1.0;
    else if (i->index == SARI_VARIABLE_V)
        out.c[2] = 1.0;
    else
        return UNKNOWN;
    return out;
}

static form result_of(const sar_model* model, const sari_instruction* i, const form* r)
{
    const int operands = sari_op_table[i->op].operands;
    const form a = operands > 0 ? r[i->in[0]] : UNKNOWN, b = operands > 1 ? r[i->in[1]] : UNKNOWN;
    switch ((sari_op)i->op) {
    case SARI_OP_CONSTANT:
        return constant(i->number);
    case SARI_OP_VARIABLE:
        return variable(i);
    case SARI_OP_TABLE:
        return input_of(model, i);
    case SARI_OP_SCALE:
        return a.known ? scaled(a, i->number) : UNKNOWN;
    case SARI_OP_OVER:
        return a.known ? scaled(a, 1.0 / i->number) : UNKNOWN;
    case SARI_OP_NEGATE:
        return a.known ? scaled(a, -1.0) : UNKNOWN;
    case SARI_OP_SHIFT:
        return sum(a, constant(i->number));
    case SARI_OP_FROM:
        return a.known ? sum(scaled(a, -1.0), constant(i->number)) : UNKNOWN;
    case SARI_OP_ADD:
        return sum(a, b);
    case SARI_OP_SUBTRACT:
        return b.known ? sum(a, scaled(b, -1.0)) : UNKNOWN;
    case SARI_OP_MULTIPLY:
        return product(a, b);
    case SARI_OP_MIN:
        return limited(a, b, 1);
    case SARI_OP_MAX:
        return limited(a, b, 0);
    case SARI_OP_MOVE:
    case SARI_OP_END:
        return a;
    default:
        return UNKNOWN;
    }
}

bool sari_export_motor_law(const sar_model* model, const sari_expression* e, double zero,
                           sari_export_motor* out)
{
    form r[SARI_REGISTERS], last = UNKNOWN;
    for (int k = 0; k < e->count; k++) {
        const sari_instruction* i = &e->code[k];
        if (i->op == SARI_OP_JUMP || i->op == SARI_OP_JUMP_IF_ZERO) return false;
        last = result_of(model, i, r);
        if (i->op != SARI_OP_END) r[i->to] = last;
    }
    if (!last.known || last.input < 0) return false;
    *out = (sari_export_motor){.input = last.input, .gain = last.u};
    memcpy(out->bias, last.c, sizeof out->bias);
    out->bias[0] += last.c[1] * zero; // x counts from there
    memcpy(out->control, last.in, sizeof out->control);
    memcpy(out->force, last.out, sizeof out->force);
    return true;
}
