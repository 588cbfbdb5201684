/* Lines, run forwards for values, values with first derivatives, and values with first and second ones
 * along a direction; and back for gradients by many variables. The rules are those of expression/eval.c,
 * (1) and (2), and so are the functions and their partial derivatives. */
#include "expression/lines.h"
#include "linalg/inline.h"

#include <math.h>
#include <string.h>

/// `factor` * `x`, where an exact zero x means "does not depend": it wins over inf and NaN.
SARI_INLINE double times(double factor, double x)
{
    const double product = factor * x;
    return x == 0.0 ? 0.0 : product;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The operation of a line by the table of all operations. */
static double general(const sari_line* l, const double* r)
{
    double x[SARI_LINE_INPUTS];
    sari_instruction i = {.op = (sari_op)l->op, .number = l->number};
    if (l->op == SARI_OP_TABLE) i.table = l->table;
    for (int k = 0; k < sari_op_table[l->op].operands; k++) x[k] = r[l->in[k]];
    return sari_op_value(&i, x);
}

/* Compute the register of a line, and go to the next one. */
SARI_INLINE const sari_line* run_line(const sari_line* l, double* r, const double* variables)
{
    const double a = l->in[0] >= 0 ? r[l->in[0]] : 0.0;
    double* to = &r[l->to];
    switch (l->op) {
    case SARI_OP_VARIABLE:
        *to = variables[l->index];
        break;
    case SARI_OP_CONSTANT:
        *to = l->number;
        break;
    case SARI_OP_ADD:
        *to = a + r[l->in[1]];
        break;
    case SARI_OP_SUBTRACT:
        *to = a - r[l->in[1]];
        break;
    case SARI_OP_MULTIPLY:
        *to = a * r[l->in[1]];
        break;
    case SARI_OP_DIVIDE:
        *to = a / r[l->in[1]];
        break;
    case SARI_OP_SCALE:
        *to = a * l->number;
        break;
    case SARI_OP_SHIFT:
        *to = a + l->number;
        break;
    case SARI_OP_NEGATE:
        *to = -a;
        break;
    case SARI_OP_LESS:
        *to = a < r[l->in[1]];
        break;
    case SARI_OP_GREATER:
        *to = a > r[l->in[1]];
        break;
    case SARI_OP_JUMP:
        return l + l->jump;
    case SARI_OP_JUMP_IF_ZERO:
        return a == 0.0 ? l + l->jump : l + 1;
    case SARI_LINE_MOVE:
        *to = a;
        break;
    case SARI_LINE_SQUARE:
        *to = a * a;
        break;
    case SARI_LINE_CUBE:
        *to = a * a * a;
        break;
    case SARI_LINE_FROM:
        *to = l->number - a;
        break;
    case SARI_LINE_OVER:
        *to = a / l->number;
        break;
    case SARI_LINE_INTO:
        *to = l->number / a;
        break;
    default:
        *to = general(l, r);
    }
    return l + 1;
}

double sari_lines_value(const sari_lines* lines, const double* variables)
{
    double r[SARI_LINES];
    const sari_line* l = lines->line;
    while (l->op != SARI_LINE_END) l = run_line(l, r, variables);
    return r[l->in[0]];
}

/* ---- partial derivatives -------------------------------------------------------------------- */

typedef struct partials {
    int inputs;
    double f, a, b;    ///< value and first ones
    double aa, ab, bb; ///< second ones, where they are wanted
} partials;

static partials general_partials(const sari_line* l, double a, double b)
{
    double p[6];
    sari_instruction i = {.op = (sari_op)l->op, .number = l->number};
    if (l->op == SARI_OP_TABLE) i.table = l->table;
    if (sari_op_table[l->op].operands == 2) {
        sari_op_partials2(i.op, a, b, p);
        return (partials){2, p[0], p[1], p[2], p[3], p[4], p[5]};
    }
    sari_op_partials(&i, a, p);
    return (partials){1, p[0], p[1], 0.0, p[2], 0.0, 0.0};
}

/* Of an active line that is no variable, nor moves anything. */
SARI_INLINE partials partials_of(const sari_line* l, const double* r, const int second)
{
    const double a = r[l->in[0]], b = l->in[1] >= 0 ? r[l->in[1]] : 0.0, c = l->number;
    switch (l->op) {
    case SARI_OP_ADD:
        return (partials){2, a + b, 1.0, 1.0, 0.0, 0.0, 0.0};
    case SARI_OP_SUBTRACT:
        return (partials){2, a - b, 1.0, -1.0, 0.0, 0.0, 0.0};
    case SARI_OP_MULTIPLY:
        return (partials){2, a * b, b, a, 0.0, 1.0, 0.0};
    case SARI_OP_SCALE:
        return (partials){1, a * c, c, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_SHIFT:
        return (partials){1, a + c, 1.0, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_NEGATE:
        return (partials){1, -a, -1.0, 0.0, 0.0, 0.0, 0.0};
    case SARI_LINE_SQUARE:
        return (partials){1, a * a, a * 2.0, 0.0, 2.0, 0.0, 0.0};
    case SARI_LINE_CUBE:
        return (partials){1, a * a * a, a * a * 3.0, 0.0, a * 6.0, 0.0, 0.0};
    case SARI_LINE_FROM:
        return (partials){1, c - a, -1.0, 0.0, 0.0, 0.0, 0.0};
    case SARI_LINE_OVER:
        return (partials){1, a / c, 1.0 / c, 0.0, 0.0, 0.0, 0.0};
    case SARI_LINE_INTO:
        return (partials){1, c / a, -c / a / a, 0.0, second ? 2.0 * c / a / a / a : 0.0, 0.0, 0.0};
    case SARI_OP_POWER:
        return (partials){1,
                          sari_power(a, c),
                          times(sari_power(a, c - 1.0), c),
                          0.0,
                          second ? times(sari_power(a, c - 2.0), c * (c - 1.0)) : 0.0,
                          0.0,
                          0.0};
    default:
        return general_partials(l, a, b);
    }
}

/* ---- forward mode --------------------------------------------------------------------------- */

/* Value, into d the derivatives by the variables in the slots first ... first + n - 1. */
SARI_INLINE double run_forward(const sari_lines* lines, const double* variables, int first,
                               const int n, double* out)
{
    double r[SARI_LINES], d[SARI_LINES][SARI_FORWARD];
    const sari_line* l = lines->line;
    while (l->op != SARI_LINE_END) {
        double* to = d[l->to];
        if (!l->active) {
            if (l->still)
                for (int k = 0; k < n; k++) to[k] = 0.0;
            l = run_line(l, r, variables);
            continue;
        }
        if (l->op == SARI_OP_VARIABLE) {
            r[l->to] = variables[l->index];
            for (int k = 0; k < n; k++) to[k] = l->slot == first + k;
        } else if (l->op == SARI_LINE_MOVE) {
            r[l->to] = r[l->in[0]];
            for (int k = 0; k < n; k++) to[k] = d[l->in[0]][k];
        } else {
            const partials p = partials_of(l, r, 0);
            const double* da = d[l->in[0]];
            r[l->to] = p.f;
            if (p.inputs == 1)
                for (int k = 0; k < n; k++) to[k] = times(p.a, da[k]); // (1)
            else
                for (int k = 0; k < n; k++) to[k] = times(p.a, da[k]) + times(p.b, d[l->in[1]][k]);
        }
        l++;
    }
    for (int k = 0; k < n; k++) out[k] = l->active ? d[l->in[0]][k] : 0.0;
    return r[l->in[0]];
}

static double forward_1(const sari_lines* lines, const double* variables, double* d)
{
    return run_forward(lines, variables, 0, 1, d);
}

static double forward_2(const sari_lines* lines, const double* variables, double* d)
{
    return run_forward(lines, variables, 0, 2, d);
}

static double forward_4(const sari_lines* lines, const double* variables, int first, double* d)
{
    return run_forward(lines, variables, first, SARI_FORWARD, d);
}

static double run_forward_often(const sari_lines* lines, const double* variables, int count,
                                double* gradient)
{
    double value = 0.0, d[SARI_FORWARD];
    for (int first = 0; first < count; first += SARI_FORWARD) {
        const int left = count - first < SARI_FORWARD ? count - first : SARI_FORWARD;
        value = forward_4(lines, variables, first, d);
        memcpy(gradient + first, d, (size_t)left * sizeof *d);
    }
    return value;
}

/* ---- reverse mode --------------------------------------------------------------------------- */

/* False, and nothing of use: some derivative on the way is not finite, so that zeros count (`times`). */
static bool run_reverse(const sari_lines* lines, const double* variables, int count, double* value,
                        double* gradient)
{
    double r[SARI_LINES] = {0.0}, weight[SARI_LINES] = {0.0}, check = 0.0;
    const sari_line *done[SARI_LINES], *l = lines->line;
    int steps = 0;
    while (l->op != SARI_LINE_END) {
        if (l->active) done[steps++] = l;
        l = run_line(l, r, variables);
    }
    *value = r[l->in[0]];
    memset(gradient, 0, (size_t)count * sizeof *gradient);
    weight[l->in[0]] = l->active ? 1.0 : 0.0;
    while (steps > 0) {
        l = done[--steps];
        const double w = weight[l->to];
        if (l->op == SARI_OP_VARIABLE) {
            gradient[l->slot] += w;
        } else if (l->op == SARI_LINE_MOVE) {
            weight[l->in[0]] += w;
        } else {
            const partials p = partials_of(l, r, 0);
            weight[l->in[0]] += w * p.a;
            if (p.inputs == 2) weight[l->in[1]] += w * p.b;
            check += p.a * 0.0 + p.b * 0.0;
        }
    }
    for (int k = 0; k < count; k++) check += gradient[k] * 0.0;
    return check == 0.0;
}

double sari_lines_gradient(const sari_lines* lines, const double* variables, int count,
                           double* gradient)
{
    double value, d[SARI_FORWARD];
    if (count == 1) return forward_1(lines, variables, gradient);
    if (count == 2) return forward_2(lines, variables, gradient);
    if (count > SARI_FORWARD)
        return run_reverse(lines, variables, count, &value, gradient)
                   ? value
                   : run_forward_often(lines, variables, count, gradient);
    value = forward_4(lines, variables, 0, d);
    memcpy(gradient, d, (size_t)count * sizeof *d);
    return value;
}

/* ---- second derivatives --------------------------------------------------------------------- */

typedef struct series {
    double d, dd;
} series;

static series join(const partials* p, series a, series b)
{
    if (p->inputs == 1)
        return (series){times(p->a, a.d), times(p->a, a.dd) + times(p->aa, a.d * a.d)};
    return (series){times(p->a, a.d) + times(p->b, b.d),
                    times(p->a, a.dd) + times(p->b, b.dd) + times(p->aa, a.d * a.d) +
                        2 * times(p->ab, a.d * b.d) + times(p->bb, b.d * b.d)}; // (2)
}

void sari_lines_series(const sari_lines* lines, const double* variables, int slot,
                       const double* direction, double out[3])
{
    double r[SARI_LINES];
    series d[SARI_LINES];
    const sari_line* l = lines->line;
    while (l->op != SARI_LINE_END) {
        if (!l->active) {
            if (l->still) d[l->to] = (series){0.0, 0.0};
            l = run_line(l, r, variables);
            continue;
        }
        if (l->op == SARI_OP_VARIABLE) {
            r[l->to] = variables[l->index];
            d[l->to] = (series){direction ? direction[l->index] : l->slot == slot, 0.0};
        } else if (l->op == SARI_LINE_MOVE) {
            r[l->to] = r[l->in[0]];
            d[l->to] = d[l->in[0]];
        } else {
            const partials p = partials_of(l, r, 1);
            r[l->to] = p.f;
            d[l->to] = join(&p, d[l->in[0]], p.inputs == 2 ? d[l->in[1]] : (series){0.0, 0.0});
        }
        l++;
    }
    out[0] = r[l->in[0]];
    out[1] = l->active ? d[l->in[0]].d : 0.0;
    out[2] = l->active ? d[l->in[0]].dd : 0.0;
}
