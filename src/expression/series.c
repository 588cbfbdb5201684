/* Taylor series of operations, coefficients are intervals (interval_series.h). */
#include "expression/program.h"
#include "expression/time.h"

#include <string.h>

enum { K = SARI_TIME_ORDER };

/* Functions that are known by two at a time: sin and cos, sinh and cosh. */
static void of_pair(sari_op op, sari_interval* u)
{
    const bool hyperbolic = op == SARI_OP_SINH || op == SARI_OP_COSH;
    sari_interval sine[K + 1], cosine[K + 1];
    (hyperbolic ? sari_series_hyperbolic : sari_series_circular)(u, sine, cosine);
    if (op == SARI_OP_TAN)
        sari_series_divide(sine, cosine, u);
    else
        memcpy(u, op == SARI_OP_SIN || op == SARI_OP_SINH ? sine : cosine, sizeof sine);
}

static void of_two(sari_op op, const sari_interval* v, bool constant, sari_interval* u)
{
    sari_interval a[K + 1], b[K + 1];
    switch (op) {
    case SARI_OP_ADD:
        for (int k = 0; k <= K; k++) u[k] = sari_interval_add(u[k], v[k]);
        break;
    case SARI_OP_SUBTRACT:
        for (int k = 0; k <= K; k++) u[k] = sari_interval_subtract(u[k], v[k]);
        break;
    case SARI_OP_MULTIPLY:
        sari_series_multiply(u, v, u);
        break;
    case SARI_OP_DIVIDE:
        sari_series_divide(u, v, u);
        break;
    case SARI_OP_ATAN2:
        sari_series_atan2(u, v, u);
        break;
    case SARI_OP_HYPOT:
        sari_series_square(u, a);
        sari_series_square(v, b);
        for (int k = 0; k <= K; k++) a[k] = sari_interval_add(a[k], b[k]);
        sari_series_power(a, 0.5, u);
        break;
    case SARI_OP_POW:
        if (v[0].low == v[0].high && constant) {
            sari_series_power(u, v[0].low, u);
        } else {
            sari_series_log(u, a);
            sari_series_multiply(a, v, a);
            sari_series_exp(a, u);
        }
        break;
    default: // truth values: constant between breaks
        memset(u, 0, sizeof a);
    }
}

void sari_op_series(const struct sari_instruction* i, const sari_interval* v, bool constant,
                    sari_interval* u)
{
    sari_interval a[K + 1];
    switch (i->op) {
    case SARI_OP_NEGATE:
        for (int k = 0; k <= K; k++) u[k] = sari_interval_negate(u[k]);
        break;
    case SARI_OP_SCALE:
        for (int k = 0; k <= K; k++) u[k] = sari_interval_scale(u[k], i->number);
        break;
    case SARI_OP_SHIFT:
        u[0] = sari_interval_add(u[0], sari_interval_of(i->number, i->number));
        break;
    case SARI_OP_POWER:
    case SARI_OP_SQRT:
        sari_series_power(u, i->op == SARI_OP_SQRT ? 0.5 : i->number, u);
        break;
    case SARI_OP_EXP:
        sari_series_exp(u, u);
        break;
    case SARI_OP_LOG:
        sari_series_log(u, u);
        break;
    case SARI_OP_SIN:
    case SARI_OP_COS:
    case SARI_OP_TAN:
    case SARI_OP_SINH:
    case SARI_OP_COSH:
        of_pair((sari_op)i->op, u);
        break;
    case SARI_OP_TANH:
        sari_series_tanh(u, a);
        memcpy(u, a, sizeof a);
        break;
    case SARI_OP_ASIN:
        sari_series_arc(SARI_ARC_SINE, u, u);
        break;
    case SARI_OP_ACOS:
        sari_series_arc(SARI_ARC_COSINE, u, u);
        break;
    case SARI_OP_ATAN:
        sari_series_arc(SARI_ARC_TANGENT, u, u);
        break;
    default:
        of_two((sari_op)i->op, v, constant, u);
    }
}
