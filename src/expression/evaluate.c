/* Values and derivatives of expressions.
 *
 * Derivatives are exact. Forward mode carries with every register its derivatives by some variables, or
 * the first and second one along a direction. An operation f(a, b) knows its partial derivatives, and the
 * chain rule does the rest:
 *
 *     f'  = f_a a' + f_b b'                                              (1)
 *     f'' = f_a a'' + f_b b'' + f_aa a'a' + 2 f_ab a'b' + f_bb b'b'      (2)
 *
 * An operand that does not depend on the variable contributes nothing, even where the partial
 * derivative is infinite or undefined: products with an exact zero are zero (see `sari_times`). That
 * keeps sqrt(x) at 0 from spoiling the derivatives by other variables.
 *
 * Gradients by many variables are found by reverse mode: partial derivatives are recorded on the way, and
 * the derivatives of the result by each register are summed on the way back. Where a partial derivative
 * is not finite zeros count, and forward mode is used. */
#include "expression/program.h"
#include "linalg/inline.h"

#include <math.h>
#include <string.h>

enum { BY = 4 }; ///< derivatives at a time

/* ---- values --------------------------------------------------------------------------------- */

/* Compute the register of an instruction, and go to the next one. */
SARI_INLINE const sari_instruction* run_one(const sari_instruction* i, const bool held,
                                            const double* variables, double* r)
{
    const double a = i->in[0] >= 0 ? r[i->in[0]] : 0.0;
    double *to = &r[i->to], x[SARI_OPERANDS];
    if (held && i->held && sari_op_branches((sari_op)i->op)) {
        sari_instruction_operands(i, r, x);
        *to = sari_held_value(i, x);
        return i + 1;
    }
    switch (i->op) {
    case SARI_OP_VARIABLE:
        *to = variables[i->index];
        break;
    case SARI_OP_CONSTANT:
        *to = i->number;
        break;
    case SARI_OP_ADD:
        *to = a + r[i->in[1]];
        break;
    case SARI_OP_SUBTRACT:
        *to = a - r[i->in[1]];
        break;
    case SARI_OP_MULTIPLY:
        *to = a * r[i->in[1]];
        break;
    case SARI_OP_DIVIDE:
        *to = a / r[i->in[1]];
        break;
    case SARI_OP_SCALE:
        *to = a * i->number;
        break;
    case SARI_OP_SHIFT:
        *to = a + i->number;
        break;
    case SARI_OP_NEGATE:
        *to = -a;
        break;
    case SARI_OP_LESS:
        *to = a < r[i->in[1]];
        break;
    case SARI_OP_GREATER:
        *to = a > r[i->in[1]];
        break;
    case SARI_OP_JUMP:
        return i + i->jump;
    case SARI_OP_JUMP_IF_ZERO:
        return a == 0.0 ? i + i->jump : i + 1;
    case SARI_OP_MOVE:
        *to = a;
        break;
    case SARI_OP_SQUARE:
        *to = a * a;
        break;
    case SARI_OP_CUBE:
        *to = a * a * a;
        break;
    case SARI_OP_FROM:
        *to = i->number - a;
        break;
    case SARI_OP_OVER:
        *to = a / i->number;
        break;
    case SARI_OP_INTO:
        *to = i->number / a;
        break;
    default:
        sari_instruction_operands(i, r, x);
        *to = sari_function_value(i, x);
    }
    return i + 1;
}

const sari_instruction* sari_instruction_run(const sari_instruction* i, bool held,
                                             const double* variables, double* r)
{
    return run_one(i, held, variables, r);
}

double sari_op_value(const sari_instruction* i, const double* x)
{
    sari_instruction alone = *i;
    double r[SARI_OPERANDS];
    for (int k = 0; k < sari_op_table[i->op].operands; k++) r[k] = x[k], alone.in[k] = k;
    alone.to = 0;
    run_one(&alone, false, NULL, r);
    return r[0];
}

SARI_INLINE double run_values(const sari_expression* e, const bool held, const double* variables)
{
    double r[SARI_REGISTERS];
    const sari_instruction* i = e->code;
    while (i->op != SARI_OP_END) i = run_one(i, held, variables, r);
    return r[i->in[0]];
}

double sari_expression_value(const sari_expression* e, const double* variables)
{
    if (e->frozen) {
        const double value = run_values(e, true, variables);
        if (isfinite(value)) return value; // else its own branch counts
    }
    return run_values(e, false, variables);
}

/* ---- partial derivatives -------------------------------------------------------------------- */

/* Of an active instruction that is no variable, nor moves anything. */
SARI_INLINE sari_partials partials_of(const sari_instruction* i, const double* r, const int second)
{
    const double a = r[i->in[0]], b = i->in[1] >= 0 ? r[i->in[1]] : 0.0, c = i->number;
    switch (i->op) {
    case SARI_OP_ADD:
        return (sari_partials){a + b, 1.0, 1.0, 0.0, 0.0, 0.0};
    case SARI_OP_SUBTRACT:
        return (sari_partials){a - b, 1.0, -1.0, 0.0, 0.0, 0.0};
    case SARI_OP_MULTIPLY:
        return (sari_partials){a * b, b, a, 0.0, 1.0, 0.0};
    case SARI_OP_SCALE:
        return (sari_partials){a * c, c, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_SHIFT:
        return (sari_partials){a + c, 1.0, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_NEGATE:
        return (sari_partials){-a, -1.0, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_SQUARE:
        return (sari_partials){a * a, a * 2.0, 0.0, 2.0, 0.0, 0.0};
    case SARI_OP_CUBE:
        return (sari_partials){a * a * a, a * a * 3.0, 0.0, a * 6.0, 0.0, 0.0};
    case SARI_OP_FROM:
        return (sari_partials){c - a, -1.0, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_OVER:
        return (sari_partials){a / c, 1.0 / c, 0.0, 0.0, 0.0, 0.0};
    case SARI_OP_INTO:
        return (sari_partials){c / a, -c / a / a, 0.0, second ? 2.0 * c / a / a / a : 0.0,
                               0.0,   0.0};
    case SARI_OP_POWER:
        return (sari_partials){sari_power(a, c),
                               sari_times(sari_power(a, c - 1.0), c),
                               0.0,
                               second ? sari_times(sari_power(a, c - 2.0), c * (c - 1.0)) : 0.0,
                               0.0,
                               0.0};
    default:
        return sari_function_partials(i, a, b);
    }
}

/* ---- jets ----------------------------------------------------------------------------------- */

/* ramp and step, which have more than two operands, and branches that are held: a value with its
 * derivatives, and its second one along a direction, of which d[0] is the first. */
typedef struct jet {
    double f, d[BY], dd;
} jet;

static void jet_constant(double value, jet* r)
{
    *r = (jet){.f = value};
}

/* f(a, b) into a; b NULL: f(a). */
static void jet_chain(sari_partials p, jet* a, const jet* b)
{
    const double a1 = a->d[0], b1 = b ? b->d[0] : 0.0;
    a->f = p.f;
    if (!b) {
        a->dd = sari_times(p.a, a->dd) + sari_times(p.aa, a1 * a1);      // (2)
        for (int k = 0; k < BY; k++) a->d[k] = sari_times(p.a, a->d[k]); // (1)
        return;
    }
    a->dd = sari_times(p.a, a->dd) + sari_times(p.b, b->dd) + sari_times(p.aa, a1 * a1) +
            2 * sari_times(p.ab, a1 * b1) + sari_times(p.bb, b1 * b1);
    for (int k = 0; k < BY; k++) a->d[k] = sari_times(p.a, a->d[k]) + sari_times(p.b, b->d[k]);
}

static void jet_binary(sari_op op, jet* a, const jet* b)
{
    const sari_instruction i = {.op = (unsigned char)op, .in = {0, 1}};
    const double r[] = {a->f, b->f};
    jet_chain(partials_of(&i, r, 1), a, b);
}

/* ramp(t, t0, t1) into t, where it is neither 0 nor 1. */
static void jet_rise(jet* t, const jet* t0, jet t1)
{
    jet_binary(SARI_OP_SUBTRACT, t, t0);
    jet_binary(SARI_OP_SUBTRACT, &t1, t0);
    jet_binary(SARI_OP_DIVIDE, t, &t1);
}

/* step(t, t0, y0, t1, y1) between t0 and t1: y0 + (y1 - y0) s^2 (3 - 2 s) */
static void jet_climb(jet* x)
{
    jet *t = &x[0], *t0 = &x[1], *y0 = &x[2], *t1 = &x[3], *y1 = &x[4];
    jet_rise(t, t0, *t1);
    const double s = t->f;
    jet_chain((sari_partials){.f = s * s * (3 - 2 * s), .a = 6 * s * (1 - s), .aa = 6 - 12 * s}, t,
              NULL);
    jet_binary(SARI_OP_SUBTRACT, y1, y0);
    jet_binary(SARI_OP_MULTIPLY, t, y1);
    jet_binary(SARI_OP_ADD, t, y0);
}

/* ramp and step before (1), between (2) and after (3) their ends. */
static void jet_between(sari_op op, int part, jet* x)
{
    if (part == 2 && op == SARI_OP_RAMP)
        jet_rise(&x[0], &x[1], x[2]);
    else if (part == 2)
        jet_climb(x);
    else if (op == SARI_OP_RAMP)
        jet_constant(part == 3, x);
    else
        x[0] = x[part == 3 ? 4 : 2];
}

/* The branch `held` of an active operation. */
static void jet_held(const sari_instruction* i, int held, jet* x)
{
    double f[3];
    switch (i->op) {
    case SARI_OP_ABS:
        jet_chain((sari_partials){.f = held * x->f, .a = held}, x, NULL);
        break;
    case SARI_OP_TABLE:
        sari_table_piece_series(i->table, held - 1, x->f, f);
        jet_chain((sari_partials){.f = f[0], .a = f[1], .aa = f[2]}, x, NULL);
        break;
    case SARI_OP_MIN:
        if (held > 0) x[0] = x[1];
        break;
    case SARI_OP_MAX:
        if (held < 0) x[0] = x[1];
        break;
    case SARI_OP_MOD: {
        const double n = sari_held_whole(held);
        jet_chain((sari_partials){.f = n * x[1].f, .a = n}, &x[1], NULL);
        jet_binary(SARI_OP_SUBTRACT, &x[0], &x[1]);
        break;
    }
    default:
        jet_between((sari_op)i->op, held, x);
    }
}

static bool is_rise(int op)
{
    return op == SARI_OP_RAMP || op == SARI_OP_STEP;
}

/* Replace the operands x[0], x[1], ... by the result x[0]. */
static void jet_apply(const sari_instruction* i, bool held, jet* x)
{
    const double end = x[i->op == SARI_OP_STEP ? 3 : 2].f;
    if (held && i->held)
        jet_held(i, i->held, x);
    else
        jet_between((sari_op)i->op, x[0].f >= end ? 3 : x[0].f < x[1].f ? 1 : 2, x);
}

/* The derivatives in d: n first ones, and with `second` the second one along the first of them. */
static void run_jets(const sari_instruction* i, bool held, int n, int second, double* r,
                     double (*d)[BY])
{
    jet x[SARI_OPERANDS] = {{0}};
    for (int k = 0; k < sari_op_table[i->op].operands; k++) {
        x[k].f = r[i->in[k]];
        memcpy(x[k].d, d[i->in[k]], (size_t)n * sizeof(double));
        if (second) x[k].dd = d[i->in[k]][n];
    }
    jet_apply(i, held, x);
    r[i->to] = x[0].f;
    memcpy(d[i->to], x[0].d, (size_t)n * sizeof(double));
    if (second) d[i->to][n] = x[0].dd;
}

/* ---- forward mode --------------------------------------------------------------------------- */

/// What derivatives are wanted.
typedef struct wanted {
    int first;               ///< by the variables in the slots first, first + 1, ...
    const double* direction; ///< or along this direction; NULL: no
    bool held;               ///< on the branches that are held
} wanted;

/* (1) for n derivatives, and with `second` (2) for the first of them. */
SARI_INLINE void chain(const sari_partials* p, const double* a, const double* b, const int n,
                       const int second, double* to)
{
    double dd = 0.0;
    if (second) dd = sari_times(p->a, a[n]);
    if (second && b) dd += sari_times(p->b, b[n]);
    if (second) dd += sari_times(p->aa, a[0] * a[0]);
    if (second && b) {
        dd += 2 * sari_times(p->ab, a[0] * b[0]);
        dd += sari_times(p->bb, b[0] * b[0]);
    }
    if (b)
        for (int k = 0; k < n; k++) to[k] = sari_times(p->a, a[k]) + sari_times(p->b, b[k]);
    else
        for (int k = 0; k < n; k++) to[k] = sari_times(p->a, a[k]);
    if (second) to[n] = dd;
}

/* Value, and into `out` n derivatives; with `second` a second one behind them. With `jets` there may be
 * instructions that need them. */
SARI_INLINE double run_forward(const sari_expression* e, const double* variables, wanted w,
                               const int n, const int second, const int jets, double* out)
{
    double r[SARI_REGISTERS], d[SARI_REGISTERS][BY];
    const int all = n + second;
    const sari_instruction* i = e->code;
    while (i->op != SARI_OP_END) {
        double* to = d[i->to];
        if (!i->active) {
            if (i->passive)
                for (int k = 0; k < all; k++) to[k] = 0.0;
            i = run_one(i, jets && w.held, variables, r);
            continue;
        }
        if (i->op == SARI_OP_VARIABLE) {
            r[i->to] = variables[i->index];
            for (int k = 0; k < n; k++) to[k] = i->slot == w.first + k;
            if (w.direction) to[0] = w.direction[i->index];
            if (second) to[n] = 0.0;
        } else if (i->op == SARI_OP_MOVE) {
            r[i->to] = r[i->in[0]];
            for (int k = 0; k < all; k++) to[k] = d[i->in[0]][k];
        } else if (jets && (is_rise(i->op) || (w.held && i->held))) {
            run_jets(i, w.held, n, second, r, d);
        } else {
            const sari_partials p = partials_of(i, r, second);
            r[i->to] = p.f;
            if (i->in[1] < 0)
                chain(&p, d[i->in[0]], NULL, n, second, to);
            else
                chain(&p, d[i->in[0]], d[i->in[1]], n, second, to);
        }
        i++;
    }
    for (int k = 0; k < all; k++) out[k] = i->active ? d[i->in[0]][k] : 0.0;
    return r[i->in[0]];
}

static double forward_1(const sari_expression* e, const double* variables, double* d)
{
    return run_forward(e, variables, (wanted){0}, 1, 0, 0, d);
}

static double forward_2(const sari_expression* e, const double* variables, double* d)
{
    return run_forward(e, variables, (wanted){0}, 2, 0, 0, d);
}

static double forward_4(const sari_expression* e, const double* variables, int first, double* d)
{
    return run_forward(e, variables, (wanted){.first = first}, BY, 0, 0, d);
}

static double forward_jets(const sari_expression* e, const double* variables, int first, double* d)
{
    const double value =
        run_forward(e, variables, (wanted){.first = first, .held = e->frozen}, BY, 0, 1, d);
    if (!e->frozen || isfinite(value)) return value;
    return run_forward(e, variables, (wanted){.first = first}, BY, 0, 1, d);
}

static double forward_often(const sari_expression* e, const double* variables, double* gradient)
{
    const bool jets = e->rises || e->frozen;
    const int count = e->variable_count;
    double value = 0.0, d[BY];
    for (int first = 0; first < count; first += BY) {
        const int left = count - first < BY ? count - first : BY;
        value = (jets ? forward_jets : forward_4)(e, variables, first, d);
        memcpy(gradient + first, d, (size_t)left * sizeof *d);
    }
    return value;
}

/* ---- reverse mode --------------------------------------------------------------------------- */

/// An instruction that was run, and its partial derivatives.
typedef struct record {
    const sari_instruction* i;
    double a, b;
} record;

/* Run forwards; returns how many records there are, with the result in *end. */
static int write_tape(const sari_expression* e, const double* variables, record* tape,
                      const sari_instruction** end, double* value)
{
    double r[SARI_REGISTERS];
    const sari_instruction* i = e->code;
    int count = 0;
    while (i->op != SARI_OP_END) {
        record now = {i, 1.0, 0.0};
        if (!i->active) {
            if (i->passive) tape[count++] = now;
            i = run_one(i, false, variables, r);
            continue;
        }
        if (i->op == SARI_OP_VARIABLE || i->op == SARI_OP_MOVE) {
            run_one(i, false, variables, r);
        } else {
            const sari_partials p = partials_of(i, r, 0);
            r[i->to] = p.f;
            now.a = p.a, now.b = p.b;
        }
        tape[count++] = now;
        i++;
    }
    *end = i;
    *value = r[i->in[0]];
    return count;
}

/* False, and nothing of use: some derivative on the way is not finite, so that zeros count. */
static bool run_reverse(const sari_expression* e, const double* variables, double* value,
                        double* gradient)
{
    record tape[SARI_TAPE];
    double by[SARI_REGISTERS], check = 0.0; // derivatives of the result by registers
    const sari_instruction* end;
    int count = write_tape(e, variables, tape, &end, value);
    memset(gradient, 0, (size_t)e->variable_count * sizeof *gradient);
    memset(by, 0, (size_t)e->registers * sizeof *by);
    by[end->in[0]] = end->active ? 1.0 : 0.0;
    while (count > 0) {
        const record* step = &tape[--count];
        const sari_instruction* i = step->i;
        const double w = by[i->to];
        by[i->to] = 0.0; // an earlier value may have been there
        if (i->op == SARI_OP_VARIABLE) {
            gradient[i->slot] += w;
        } else if (i->active) {
            by[i->in[0]] += w * step->a;
            if (i->in[1] >= 0) by[i->in[1]] += w * step->b;
            check += step->a * 0.0 + step->b * 0.0;
        }
    }
    for (int k = 0; k < e->variable_count; k++) check += gradient[k] * 0.0;
    return check == 0.0;
}

/* ---- for all -------------------------------------------------------------------------------- */

double sari_expression_gradient(const sari_expression* e, const double* variables, double* gradient)
{
    const int count = e->variable_count;
    double value;
    if (count == 0) return sari_expression_value(e, variables);
    if (!e->frozen && !e->rises) {
        if (count == 1) return forward_1(e, variables, gradient);
        if (count == 2) return forward_2(e, variables, gradient);
    }
    if (!e->frozen && e->reversible && count > BY && run_reverse(e, variables, &value, gradient))
        return value;
    return forward_often(e, variables, gradient);
}

static void run_series(const sari_expression* e, const double* variables, wanted w, double out[3])
{
    if (!e->frozen && !e->rises) {
        out[0] = run_forward(e, variables, w, 1, 1, 0, out + 1);
        return;
    }
    w.held = e->frozen;
    out[0] = run_forward(e, variables, w, 1, 1, 1, out + 1);
    if (!e->frozen || isfinite(out[0])) return;
    w.held = false;
    out[0] = run_forward(e, variables, w, 1, 1, 1, out + 1);
}

void sari_expression_series(const sari_expression* e, const double* variables, int index,
                            double out[3])
{
    int slot = 0;
    while (slot < e->variable_count && e->variables[slot] != index) slot++;
    run_series(e, variables, (wanted){.first = slot}, out); // past the last: derivatives are 0
}

void sari_expression_series_along(const sari_expression* e, const double* variables,
                                  const double* direction, double out[3])
{
    run_series(e, variables, (wanted){.direction = direction}, out);
}
