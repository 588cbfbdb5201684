/* Dimensions of operations: what may be added and compared, and what a product or a power is. */
#include "expression/program.h"

#include <math.h>
#include <stdio.h>

static const sari_dimension PLAIN = {.known = SARI_PLAIN}, OPEN = {.known = SARI_OPEN},
                            NUMBER = {.known = SARI_MEASURED};

/// Two values that are added or compared, or the one that a function takes.
static bool agree(sari_op op, sari_dimension a, sari_dimension b, char* why, size_t size)
{
    char of_a[96], of_b[96];
    if (!sari_dimension_contradicts(a, b)) return true;
    sari_dimension_describe(a, of_a, sizeof of_a);
    sari_dimension_describe(b, of_b, sizeof of_b);
    if (sari_op_table[op].operands == 1)
        snprintf(why, size, "%s takes a number, this is %s", sari_op_table[op].word, of_a);
    else
        snprintf(why, size, "%s and %s cannot be %s", of_a, of_b,
                 op == SARI_OP_ADD        ? "added"
                 : op == SARI_OP_SUBTRACT ? "subtracted"
                                          : "compared");
    return false;
}

static sari_dimension power_of(sari_dimension base, double exponent)
{
    if (base.known != SARI_MEASURED) return base;
    return isnan(exponent) ? OPEN : sari_dimension_power(base, exponent);
}

bool sari_op_measure(sari_op op, double exponent, sari_dimension* d, char* why, size_t size)
{
    switch (op) {
    case SARI_OP_MULTIPLY:
        d[0] = sari_dimension_product(d[0], d[1], 1);
        return true;
    case SARI_OP_DIVIDE:
        d[0] = sari_dimension_product(d[0], d[1], -1);
        return true;
    case SARI_OP_POW:
        d[0] = power_of(d[0], exponent);
        return true;
    case SARI_OP_SQRT:
        d[0] = sari_dimension_power(d[0], 0.5);
        return true;
    case SARI_OP_NEGATE:
    case SARI_OP_ABS:
    case SARI_OP_FLOOR:
        return true;
    case SARI_OP_ADD:
    case SARI_OP_SUBTRACT:
    case SARI_OP_MIN:
    case SARI_OP_MAX:
    case SARI_OP_HYPOT:
    case SARI_OP_MOD:
        if (!agree(op, d[0], d[1], why, size)) return false;
        d[0] = sari_dimension_either(d[0], d[1]);
        return true;
    case SARI_OP_LESS:
    case SARI_OP_AT_MOST:
    case SARI_OP_GREATER:
    case SARI_OP_AT_LEAST:
    case SARI_OP_EQUAL:
    case SARI_OP_DIFFERENT:
    case SARI_OP_ATAN2:
        if (!agree(op, d[0], d[1], why, size)) return false;
        d[0] = PLAIN;
        return true;
    case SARI_OP_SIGN:
    case SARI_OP_NOT:
    case SARI_OP_AND:
    case SARI_OP_OR:
        d[0] = PLAIN;
        return true;
    case SARI_OP_SIN:
    case SARI_OP_COS:
    case SARI_OP_TAN:
    case SARI_OP_ASIN:
    case SARI_OP_ACOS:
    case SARI_OP_ATAN:
    case SARI_OP_SINH:
    case SARI_OP_COSH:
    case SARI_OP_TANH:
    case SARI_OP_EXP:
    case SARI_OP_LOG:
        if (!agree(op, d[0], NUMBER, why, size)) return false;
        d[0] = PLAIN;
        return true;
    default: // tables, steps
        d[0] = OPEN;
        return true;
    }
}
