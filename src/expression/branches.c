/* Where expressions jump or have kinks, and how they go on beyond.
 *
 * An operation with branches has guards, numbers whose signs say which branch its value comes from:
 *
 *     abs(x) sign(x)            x
 *     a < b ... min max         a - b
 *     ramp pulse step           t - t0 and t - t1
 *     floor(x) mod(x, p)        (x - n)(n + 1 - x), likewise with x/p
 *     table(x)                  s (1 - s), where s goes from 0 to 1 in a piece
 *     atan2(y, x)               y where x < 0
 *
 * A method of high order wants to see one branch for the whole of a step, which then ends where a
 * guard is zero. Branches are held in the program: -1 or 1, the sign of the guard, or 1, 2, 3 for before,
 * between and after t0 and t1, or one more than the piece of a table; of floor(x) and mod(x, p) the
 * whole number n of x or x/p, one more where it is not negative, since 0 means none. Guards of pieces
 * (tables, floor, mod) are those of the piece that is held: positive inside of it, negative anywhere
 * else, so that no number of pieces passed at once looks like none.
 *
 * Branches that depend on time alone are not held: when they change is known before the step
 * (expression/time.h). */
#include "expression/program.h"
#include "expression/time.h"

#include <limits.h>
#include <math.h>

/* Of the piece that is held, or else of that in which x is. */
static double guard_of_table(const sari_table* table, int held, double x)
{
    const int n = table->intervals, piece = held ? held - 1 : sari_table_piece(table, x);
    const double* at = table->x;
    if (table->by) return NAN; // of time: breaks are found otherwise
    if (piece == 0) return (at[0] - x) / (at[1] - at[0]);
    if (piece > n) return (x - at[n]) / (at[n] - at[n - 1]);
    const double s = (x - at[piece - 1]) / (at[piece] - at[piece - 1]);
    return s * (1.0 - s);
}

static double guard_of_whole(int held, double x)
{
    const double s = x - (held ? sari_held_whole(held) : floor(x));
    return s * (1.0 - s);
}

/* Guard 0 or 1 of an operation with the operands x. */
static double guard_at(const sari_instruction* i, int which, const double* x)
{
    switch (i->op) {
    case SARI_OP_ABS:
    case SARI_OP_SIGN:
        return x[0];
    case SARI_OP_RAMP:
    case SARI_OP_PULSE:
        return x[0] - x[1 + which];
    case SARI_OP_STEP:
        return x[0] - x[1 + 2 * which];
    case SARI_OP_FLOOR:
        return guard_of_whole(i->held, x[0]);
    case SARI_OP_MOD:
        return guard_of_whole(i->held, x[0] / x[1]);
    case SARI_OP_TABLE:
        return guard_of_table(i->table, i->held, x[0]);
    case SARI_OP_ATAN2:
        return x[1] < 0.0 ? x[0] : NAN;
    default:
        return x[0] - x[1];
    }
}

/* n of floor and mod; a number so large that it is no int is not held. */
static int hold_whole(double n)
{
    return fabs(n) > 1e9 ? 0 : (int)n + (n >= 0.0);
}

static bool has_whole(sari_op op)
{
    return op == SARI_OP_FLOOR || op == SARI_OP_MOD;
}

/* What its floor is taken of. */
static double floored(sari_op op, const double* x)
{
    return op == SARI_OP_MOD ? x[0] / x[1] : x[0];
}

int sari_held_whole(int held)
{
    return held > 0 ? held - 1 : held;
}

double sari_held_value(const sari_instruction* i, const double* x)
{
    const int held = i->held;
    double series[3];
    switch (i->op) {
    case SARI_OP_TABLE:
        sari_table_piece_series(i->table, held - 1, x[0], series);
        return series[0];
    case SARI_OP_ABS:
        return held * x[0];
    case SARI_OP_SIGN:
        return held;
    case SARI_OP_LESS:
    case SARI_OP_AT_MOST:
        return held < 0;
    case SARI_OP_GREATER:
    case SARI_OP_AT_LEAST:
        return held > 0;
    case SARI_OP_MIN:
        return held < 0 ? x[0] : x[1];
    case SARI_OP_MAX:
        return held > 0 ? x[0] : x[1];
    case SARI_OP_FLOOR:
        return sari_held_whole(held);
    case SARI_OP_MOD:
        return x[0] - sari_held_whole(held) * x[1];
    case SARI_OP_PULSE:
        return held == 2;
    case SARI_OP_RAMP:
        return held == 1 ? 0.0 : held == 3 ? 1.0 : (x[0] - x[1]) / (x[2] - x[1]);
    default: { // STEP
        const double s = (x[0] - x[1]) / (x[3] - x[1]);
        return held == 1 ? x[2] : held == 3 ? x[4] : x[2] + (x[4] - x[2]) * s * s * (3.0 - 2.0 * s);
    }
    }
}

/// What to do at operations with guards.
typedef struct observer {
    int instruction, which; ///< this guard is wanted, ...
    double guard, argument; ///< ... and this is its value, and that of its first operand
    bool freeze;            ///< hold the present branches
    const double* time;     ///< in the place of variable 0; NULL: as it is
} observer;

/* 0: it is at its zero, up to rounding. */
static int sign_of_guard(const sari_instruction* i, int which, const double* x)
{
    const double ROUNDING = 1e-13, g = guard_at(i, which, x);
    const int one = i->op == SARI_OP_ABS || i->op == SARI_OP_SIGN;
    const int piece = i->op == SARI_OP_TABLE || has_whole((sari_op)i->op);
    const double scale = piece ? fmax(1.0, fabs(floored((sari_op)i->op, x)))
                         : one ? 0.0
                               : fabs(x[0]);
    return fabs(g) <= ROUNDING * scale ? 0 : (g > 0.0) - (g < 0.0);
}

static void observe(observer* o, sari_instruction* i, int number, const double* x)
{
    if (number == o->instruction)
        o->guard = guard_at(i, o->which, x), o->argument = floored((sari_op)i->op, x);
    if (!o->freeze || !sari_op_branches((sari_op)i->op) || i->held || i->of_time) return;
    const int g = sign_of_guard(i, 0, x);
    if (i->op == SARI_OP_TABLE) {
        i->held = g ? 1 + sari_table_piece(i->table, x[0]) : 0;
    } else if (has_whole((sari_op)i->op)) {
        i->held = g ? hold_whole(floor(floored((sari_op)i->op, x))) : 0;
    } else if (sari_op_guards((sari_op)i->op) == 1) {
        i->held = g;
    } else {
        const int h = sign_of_guard(i, 1, x);
        i->held = !g || !h ? 0 : g < 0 ? 1 : h < 0 ? 2 : 3;
    }
}

/* Run an expression with an observer. */
static void run(const sari_expression* e, bool held, const double* variables, observer* o)
{
    double r[SARI_REGISTERS], x[SARI_OPERANDS];
    for (sari_instruction* i = e->code; i->op != SARI_OP_END;) {
        if (sari_op_guards((sari_op)i->op)) {
            sari_instruction_operands(i, r, x);
            observe(o, i, (int)(i - e->code), x);
        }
        if (o->time && i->op == SARI_OP_VARIABLE && i->index == 0)
            r[i++->to] = *o->time;
        else
            i = e->code + (sari_instruction_run(i, held, variables, r) - e->code);
    }
}

int sari_expression_guards(const sari_expression* e)
{
    int count = 0;
    for (int k = 0; k < e->count; k++) count += sari_op_guards((sari_op)e->code[k].op);
    return count;
}

/* Whose guard it is, and which of the two that it may have. */
static observer find_guard(const sari_expression* e, int guard)
{
    observer o = {.guard = NAN};
    while (guard >= sari_op_guards((sari_op)e->code[o.instruction].op))
        guard -= sari_op_guards((sari_op)e->code[o.instruction++].op);
    o.which = guard;
    return o;
}

int sari_expression_guard_places(const sari_expression* e)
{
    return 2 * e->count;
}

int sari_expression_guard_place(const sari_expression* e, int guard)
{
    const observer o = find_guard(e, guard);
    return 2 * o.instruction + o.which;
}

double sari_expression_guard(const sari_expression* e, int guard, const double* variables)
{
    observer o = find_guard(e, guard);
    run(e, e->frozen, variables, &o);
    return o.guard;
}

double sari_expression_argument(const sari_expression* e, int instruction, int which,
                                const double* variables, double time)
{
    const sari_op op = (sari_op)e->code[instruction].op;
    observer o = {instruction, which, .guard = NAN, .argument = NAN, .time = &time};
    run(e, false, variables, &o);
    return op == SARI_OP_TABLE || has_whole(op) ? o.argument : o.guard;
}

bool sari_expression_guard_of_time(const sari_expression* e, int guard)
{
    return e->code[find_guard(e, guard).instruction].of_time;
}

void sari_expression_freeze(sari_expression* e, const double* variables)
{
    observer o = {.instruction = -1, .freeze = true};
    sari_expression_release(e);
    run(e, true, variables, &o);
    e->frozen = true;
}

void sari_expression_turn(sari_expression* e, int guard, int sign, const double* variables)
{
    const observer at = find_guard(e, guard);
    observer o = {.instruction = -1, .freeze = true};
    sari_instruction* i = &e->code[at.instruction];
    if (!sari_op_branches((sari_op)i->op)) return;
    if (i->op == SARI_OP_TABLE || has_whole((sari_op)i->op))
        i->held = 0; // the piece in which it is
    else
        i->held = sari_op_guards((sari_op)i->op) == 1 ? sign : 1 + at.which + (sign > 0);
    for (int k = at.instruction + 1; k < e->count;
         k++) // what comes after may be another branch now
        if (sari_op_branches((sari_op)e->code[k].op)) e->code[k].held = 0;
    run(e, true, variables, &o);
    e->frozen = true;
}

bool sari_expression_is_on_side(const sari_expression* e, int guard, int sign)
{
    const observer at = find_guard(e, guard);
    const sari_instruction* i = &e->code[at.instruction];
    if (!e->frozen || !sari_op_branches((sari_op)i->op) || !i->held) return true;
    if (i->op == SARI_OP_TABLE || has_whole((sari_op)i->op)) return sign > 0;
    if (sari_op_guards((sari_op)i->op) == 1) return i->held == sign;
    return (i->held > 1 + at.which) == (sign > 0);
}

void sari_expression_release(sari_expression* e)
{
    for (int k = 0; k < e->count; k++)
        if (sari_op_branches((sari_op)e->code[k].op)) e->code[k].held = 0;
    e->frozen = false;
}

void sari_expression_archive(sari_expression* e, sari_archive* a)
{
    e->frozen = sari_archive_flag(a, e->frozen);
    for (int k = 0; k < e->count; k++) {
        sari_instruction* i = &e->code[k];
        if (!sari_op_branches((sari_op)i->op)) continue;
        const int table = i->op == SARI_OP_TABLE;
        i->held = sari_archive_range(a, i->held, table ? 0 : INT_MIN,
                                     table ? i->table->intervals : INT_MAX);
    }
}
