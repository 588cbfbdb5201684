/* Every operand is a series in time whose coefficients are intervals that hold for all times between
 * `from` and `to` (interval_series.h).
 *
 * Guards (expression/branches.c) that depend on time alone are examined on the way. Where one may
 * change its sign, its derivative mostly does not: then there is one zero, or none, as its values at
 * the ends tell. Otherwise the interval is halved. */
#include "expression/time.h"

#include "expression/program.h"
#include "math/functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { K = SARI_TIME_ORDER, MAX_EXAMINED = 4000, MAX_DEPTH = 60 };
enum { CONSTANT, OF_TIME, OF_OTHERS }; ///< what a value depends on

typedef struct operand {
    sari_time_series f;
    int depends;
} operand;

/// One evaluation over an interval.
typedef struct pass {
    double from, to;
    const double* variables;
    const sari_time_series* moving; ///< in the place of these; NULL: only time changes
    int undecided;                  ///< branches of time that may change within
    int uncertain;                  ///< of these: they may do so more than once
    int changed;                    ///< of these: the branch at the end is another one
    double first;                   ///< the earliest change of those that are certain
    sari_guard_path* guards;        ///< what held guards do; NULL: not asked for
} pass;

/* ---- operands ------------------------------------------------------------------------------- */

typedef sari_interval* series;

static void set_constant(operand* r, double value)
{
    memset(&r->f, 0, sizeof r->f);
    r->f.at[0] = r->f.at[1] = value;
    r->f.c[0] = sari_interval_of(value, value);
    r->depends = CONSTANT;
}

/* What is computed at the ends bounds nothing, but is never outside. */
static void include_ends(sari_time_series* f)
{
    for (int i = 0; i < 2; i++)
        if (f->at[i] == f->at[i])
            f->c[0] = (sari_interval){fmin(f->c[0].low, f->at[i]), fmax(f->c[0].high, f->at[i])};
}

/* ---- guards --------------------------------------------------------------------------------- */

/// What a branch depends on: on which side of zero, of a whole number or of a table's point u is.
typedef struct branch {
    const sari_expression* e;
    int instruction, which;
    const sari_table* table; ///< whose points count; NULL: none
    int whole;               ///< whole numbers count
    int held;                ///< the branch that is held (expression/branches.c); 0: none
    int below;               ///< where u is the number itself, the branch is that below it
} branch;

/* The number that u crosses first on its way from a to b; NaN: none. */
static double first_crossed(const branch* g, double a, double b)
{
    if (a == b || isnan(a) || isnan(b)) return NAN;
    if (g->whole) {
        if (floor(a) == floor(b)) return NAN;
        const double target = b > a ? floor(a) + 1.0 : a == floor(a) ? a - 1.0 : floor(a);
        return b > a || b < target ? target : NAN;
    }
    if (g->table) {
        const int from = sari_table_piece(g->table, a), to = sari_table_piece(g->table, b);
        if (from == to) return NAN;
        const double target = g->table->x[to > from ? from : from - 1];
        if (to > from || a > target) return target;
        return from - 2 >= to && from >= 2 ? g->table->x[from - 2] : NAN; // it began at a point
    }
    return (a < 0.0 && b >= 0.0) || (a > 0.0 && b <= 0.0) ? 0.0 : NAN;
}

static bool may_cross(const branch* g, sari_interval u)
{
    if (!isfinite(u.low) || !isfinite(u.high)) return true;
    if (g->whole) return floor(u.low) != floor(u.high);
    if (g->table) return sari_table_piece(g->table, u.low) != sari_table_piece(g->table, u.high);
    return sari_interval_contains(u, 0.0);
}

/* Where in (from, to] a monotone u reaches `target`, from the later side: regula falsi and halving. */
static double reach(const pass* p, const branch* g, double target, double from, double u_from,
                    double to, double u_to)
{
    enum { ROUNDS = 200 };
    double a = from, b = to, fa = u_from - target, fb = u_to - target;
    const int rises = u_to > u_from;
    double t = NAN;
    for (int k = 0; k < ROUNDS; k++) {
        const double rounding = DBL_EPSILON * fmax(fabs(a), fabs(b));
        if (b - a <= 2.0 * rounding) break;
        t = k % 3 == 2 || fb == fa ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
        t = fmin(b - 0.5 * rounding, fmax(a + 0.5 * rounding, t));
        if (!(t > a && t < b)) break;
        const double f =
            sari_expression_argument(g->e, g->instruction, g->which, p->variables, t) - target;
        if (isnan(f)) break;
        const int beyond = f == 0.0 ? rises != g->below : rises == (f > 0.0);
        if (beyond)
            b = t, fb = f;
        else
            a = t, fa = f;
    }
    return b;
}

/* Where a monotone u crosses first: before the first known break, behind which it is another. */
static void find_crossing(pass* p, const branch* g, const sari_time_series* f)
{
    double to = p->to, u_to = f->at[1];
    if (p->first < to) {
        to = p->first - 4.0 * DBL_EPSILON * fmax(fabs(p->from), fabs(p->first));
        u_to = sari_expression_argument(g->e, g->instruction, g->which, p->variables, to);
    }
    const double target = to > p->from ? first_crossed(g, f->at[0], u_to) : NAN;
    if (isnan(target)) return;
    const double t = reach(p, g, target, p->from, f->at[0], to, u_to);
    if (!(p->first <= t)) p->first = t;
}

/* Is the branch that is held another one where the guard is u? Of two guards it is not known. */
static bool has_left(const branch* g, double u)
{
    if (g->whole) return floor(u) != sari_held_whole(g->held);
    if (g->table) return sari_table_piece(g->table, u) != g->held - 1;
    return sari_op_guards((sari_op)g->e->code[g->instruction].op) == 1 && g->held * u < 0.0;
}

/* One that is held. What is monotonous crosses once, what is convex at most twice. */
static void note_path(const pass* p, const branch* g, const sari_time_series* f)
{
    const bool simple =
        !sari_interval_contains(f->c[1], 0.0) || !sari_interval_contains(f->c[2], 0.0);
    p->guards[2 * g->instruction + g->which] =
        (sari_guard_path){.what = !may_cross(g, f->c[0]) ? SARI_GUARD_STAYS
                                  : simple               ? SARI_GUARD_CROSSES
                                                         : SARI_GUARD_UNKNOWN,
                          .left = has_left(g, f->at[1]),
                          .size = sari_interval_magnitude(f->c[0])};
}

/* u, on which a branch depends, over the interval of the pass. */
static void examine(pass* p, const branch* g, const operand* u)
{
    const sari_time_series* f = &u->f;
    const bool moves = f->c[0].low != f->c[0].high;
    if (p->guards && g->held && moves) note_path(p, g, f);
    if (p->moving && !g->held && moves && may_cross(g, f->c[0])) p->undecided++;
    if (u->depends != OF_TIME || !may_cross(g, f->c[0])) return;
    const double target = first_crossed(g, f->at[0], f->at[1]);
    if (sari_interval_contains(f->c[1], 0.0)) {
        p->undecided++;
        p->uncertain++;
        p->changed += !isnan(target);
    } else if (!isnan(target)) {
        p->undecided++;
        find_crossing(p, g, f);
    }
}

/* ---- operations ----------------------------------------------------------------------------- */

static void subtract(const operand* a, const operand* b, operand* r)
{
    for (int i = 0; i < 2; i++) r->f.at[i] = a->f.at[i] - b->f.at[i];
    for (int k = 0; k <= K; k++) r->f.c[k] = sari_interval_subtract(a->f.c[k], b->f.c[k]);
    r->depends = a->depends > b->depends ? a->depends : b->depends;
}

/* The branch that `u` is on at the begin, as held in code. */
static void choose(operand* r, const operand* from)
{
    const int depends = r->depends;
    *r = *from;
    r->depends = depends > from->depends ? depends : from->depends;
}

static bool run(const sari_expression* e, pass* p, const operand* time, operand* out);

/* The polynomial of a piece: where s begins, and its coefficients. */
static int piece_polynomial(const sari_table* table, int piece, double* origin, double c[4])
{
    const int n = table->intervals;
    *origin = table->x[piece == 0 ? 0 : piece > n ? n : piece - 1];
    if (piece >= 1 && piece <= n) {
        memcpy(c, table->c[piece - 1], 4 * sizeof *c);
        return 3;
    }
    sari_table_piece_series(table, piece, *origin, c);
    return 1;
}

/* Value and derivatives y^(k)/k! of the table by its argument, anywhere on u. */
static void hull_of_pieces(const sari_table* table, sari_interval u, sari_interval y[4])
{
    const int first = sari_table_piece(table, u.low), last = sari_table_piece(table, u.high);
    for (int piece = first; piece <= last; piece++) {
        double origin, c[4];
        sari_interval d[K + 1] = {{0.0, 0.0}, {1.0, 1.0}}, r[K + 1];
        const int degree = piece_polynomial(table, piece, &origin, c);
        d[0].low = piece == first ? u.low : table->x[piece - 1];
        d[0].high = piece == last ? u.high : table->x[piece];
        sari_series_polynomial(d, origin, c, degree, r);
        for (int k = 0; k < 4; k++) y[k] = piece == first ? r[k] : sari_interval_hull(y[k], r[k]);
    }
}

/* Over several pieces: as far as derivatives exist. */
static void over_pieces(const sari_table* table, operand* x)
{
    enum { MOST = 64 };
    const sari_interval u = x->f.c[0];
    sari_interval y[4], d[K + 1], r[K + 1] = {{0.0, 0.0}};
    const double from = x->f.at[0], to = x->f.at[1];
    x->f.at[0] = sari_table_value(table, from), x->f.at[1] = sari_table_value(table, to);
    if (!isfinite(u.low) || !isfinite(u.high) ||
        sari_table_piece(table, u.high) - sari_table_piece(table, u.low) > MOST) {
        sari_series_unknown(x->f.c);
        return;
    }
    hull_of_pieces(table, u, y);
    memcpy(d, x->f.c, sizeof d);
    d[0] = (sari_interval){0.0, 0.0}; // u from its present value
    for (int k = 3; k >= 0; k--) {
        sari_series_multiply(r, d, r);
        r[0] = sari_interval_add(r[0], y[k]);
    }
    for (int k = table->smooth ? 4 : 1; k <= K; k++) r[k] = SARI_REAL_LINE;
    memcpy(x->f.c, r, sizeof r);
    include_ends(&x->f);
}

static void call_input(pass* p, const sari_table* table, operand* x)
{
    operand inner = *x;
    pass nested = *p;
    nested.variables = NULL, nested.moving = NULL, nested.guards = NULL;
    run(table->by, &nested, &inner, x);
    p->undecided = nested.undecided, p->uncertain = nested.uncertain;
    p->changed = nested.changed, p->first = nested.first;
}

/* Points of splines are breaks only where they are few: the third derivative jumps. */
static void call_table(pass* p, branch g, const sari_table* table, operand* x)
{
    enum { FEW = 8 };
    const sari_interval u = x->f.c[0];
    if (table->by) { // an input: an expression of time
        call_input(p, table, x);
        return;
    }
    const int pieces = sari_table_piece(table, u.high) - sari_table_piece(table, u.low);
    const int fine = table->smooth && pieces > FEW;
    if (!g.held && pieces > 0 && (fine || x->depends != OF_TIME)) {
        over_pieces(table, x);
        return;
    }
    g.table = table;
    examine(p, &g, x);
    const int there = sari_table_piece(table, x->f.at[0]);
    const int falls = there > 0 && x->f.at[0] == table->x[there - 1] && x->f.at[1] < x->f.at[0];
    const int piece = g.held ? g.held - 1 : there - falls; // on which it goes on
    double origin, c[4], value[2];
    for (int i = 0; i < 2; i++) {
        double out[3];
        sari_table_piece_series(table, piece, x->f.at[i], out);
        value[i] = out[0];
    }
    const int degree = piece_polynomial(table, piece, &origin, c);
    sari_series_polynomial(x->f.c, origin, c, degree, x->f.c);
    memcpy(x->f.at, value, sizeof value);
}

/* ramp and step between their ends: s = (t - t0)/(t1 - t0) into x[0]. */
static void rise(operand* x, const operand* t1)
{
    operand way;
    subtract(t1, &x[1], &way);
    subtract(&x[0], &x[1], &x[0]);
    sari_series_divide(x[0].f.c, way.f.c, x[0].f.c);
    for (int i = 0; i < 2; i++) x[0].f.at[i] /= way.f.at[i];
}

static void set_piecewise(operand* r, double value)
{
    const int depends = r->depends;
    set_constant(r, value);
    r->depends = depends;
}

/* ramp(t, t0, t1), pulse(t, t0, t1), step(t, t0, y0, t1, y1) */
static void between(pass* p, branch g, sari_op op, operand* x)
{
    const operand t1 = x[op == SARI_OP_STEP ? 3 : 2];
    operand from, to;
    subtract(&x[0], &x[1], &from);
    subtract(&x[0], &t1, &to);
    g.which = 0, examine(p, &g, &from);
    g.which = 1, examine(p, &g, &to);
    const int side = g.held ? g.held : to.f.at[0] >= 0.0 ? 3 : from.f.at[0] < 0.0 ? 1 : 2;
    x[0].depends = from.depends > to.depends ? from.depends : to.depends;
    if (op == SARI_OP_STEP && side != 2) {
        choose(&x[0], &x[side == 3 ? 4 : 2]);
    } else if (op == SARI_OP_PULSE) {
        set_piecewise(&x[0], side == 2);
    } else if (side != 2) {
        set_piecewise(&x[0], side == 3);
    } else if (op == SARI_OP_RAMP) {
        rise(x, &t1);
    } else {
        const double SMOOTH[4] = {0.0, 0.0, 3.0, -2.0};
        operand height;
        subtract(&x[4], &x[2], &height);
        rise(x, &t1);
        for (int i = 0; i < 2; i++) {
            const double s = x[0].f.at[i];
            x[0].f.at[i] = x[2].f.at[i] + height.f.at[i] * s * s * (3.0 - 2.0 * s);
        }
        sari_series_polynomial(x[0].f.c, 0.0, SMOOTH, 3, x[0].f.c);
        sari_series_multiply(x[0].f.c, height.f.c, x[0].f.c);
        for (int k = 0; k <= K; k++) x[0].f.c[k] = sari_interval_add(x[0].f.c[k], x[2].f.c[k]);
    }
}

/* On which side of zero u is as it goes on from the begin: a positive or negative number. */
static double side_of(const operand* u, int held)
{
    return held ? held : u->f.at[0] != 0.0 ? u->f.at[0] : u->f.at[1];
}

/* floor(u) as it goes on from the begin. */
static double whole_below(const operand* u, int held)
{
    const double n = floor(u->f.at[0]);
    if (held) return sari_held_whole(held);
    return n == u->f.at[0] && u->f.at[1] < n ? n - 1.0 : n;
}

/* Operations with branches; false: it has none. */
static bool apply_branches(pass* p, branch g, const sari_instruction* i, operand* x)
{
    operand u;
    switch (i->op) {
    case SARI_OP_ABS:
        examine(p, &g, x);
        if (side_of(x, g.held) > 0.0) return true;
        for (int k = 0; k <= K; k++) x->f.c[k] = sari_interval_negate(x->f.c[k]);
        for (int k = 0; k < 2; k++) x->f.at[k] = -x->f.at[k];
        return true;
    case SARI_OP_SIGN:
        examine(p, &g, x);
        set_piecewise(x, (side_of(x, g.held) > 0.0) - (side_of(x, g.held) < 0.0));
        return true;
    case SARI_OP_FLOOR:
        g.whole = 1;
        examine(p, &g, x);
        set_piecewise(x, whole_below(x, g.held));
        return true;
    case SARI_OP_MOD: {
        u = x[0];
        u.depends = x[0].depends > x[1].depends ? x[0].depends : x[1].depends;
        sari_series_divide(x[0].f.c, x[1].f.c, u.f.c);
        for (int k = 0; k < 2; k++) u.f.at[k] = x[0].f.at[k] / x[1].f.at[k];
        g.whole = 1;
        examine(p, &g, &u);
        const double n = whole_below(&u, g.held);
        for (int k = 0; k < 2; k++) x[1].f.at[k] *= n;
        for (int k = 0; k <= K; k++) x[1].f.c[k] = sari_interval_scale(x[1].f.c[k], n);
        subtract(&x[0], &x[1], &x[0]);
        return true;
    }
    case SARI_OP_MIN:
    case SARI_OP_MAX:
        subtract(&x[0], &x[1], &u);
        examine(p, &g, &u);
        x[0].depends = u.depends;
        if (i->op == SARI_OP_MIN ? side_of(&u, g.held) > 0.0 : side_of(&u, g.held) < 0.0)
            choose(&x[0], &x[1]);
        return true;
    case SARI_OP_RAMP:
    case SARI_OP_PULSE:
    case SARI_OP_STEP:
        between(p, g, (sari_op)i->op, x);
        return true;
    case SARI_OP_TABLE:
        call_table(p, g, i->table, x);
        return true;
    case SARI_OP_LESS:
    case SARI_OP_AT_MOST:
    case SARI_OP_GREATER:
    case SARI_OP_AT_LEAST: {
        g.below = i->op == SARI_OP_GREATER || i->op == SARI_OP_AT_MOST;
        subtract(&x[0], &x[1], &u);
        examine(p, &g, &u);
        const double side = side_of(&u, g.held);
        x[0].depends = u.depends;
        set_piecewise(x,
                      i->op == SARI_OP_LESS || i->op == SARI_OP_AT_MOST ? side < 0.0 : side > 0.0);
        return true;
    }
    default:
        return false;
    }
}

/* Does time change none of the operands? */
static bool is_still(const operand* x, int operands)
{
    for (int j = 0; j < operands; j++)
        for (int k = 0; k <= K; k++)
            if (k ? !sari_interval_is_zero(x[j].f.c[k]) : x[j].f.c[0].low != x[j].f.c[0].high)
                return false;
    return true;
}

static void apply(pass* p, branch g, const sari_instruction* i, operand* x)
{
    const int operands = sari_op_table[i->op].operands;
    if (apply_branches(p, g, i, x)) return;
    for (int k = 1; k < operands; k++)
        if (x[k].depends > x[0].depends) x[0].depends = x[k].depends;
    double at[2], value[2];
    for (int end = 0; end < 2; end++) {
        for (int k = 0; k < operands; k++) value[k] = x[k].f.at[end];
        at[end] = sari_op_value(i, value);
    }
    if (is_still(x, operands)) {
        set_piecewise(x, at[0]);
        return;
    }
    sari_op_series(i, x[1].f.c, x[1].depends == CONSTANT, x[0].f.c);
    memcpy(x->f.at, at, sizeof at);
    include_ends(&x->f);
}

/* The operands of an instruction. One with a constant in it becomes that of the two operands, and a square
 * or cube becomes a power. */
static sari_instruction gather(const sari_instruction* i, const operand* r, operand* x)
{
    sari_instruction wide = *i;
    const int second = i->op == SARI_OP_FROM || i->op == SARI_OP_INTO; // is x, the first is c
    for (int k = 0; k < sari_op_table[i->op].operands; k++) x[k] = r[i->in[k]];
    switch (i->op) {
    case SARI_OP_FROM:
    case SARI_OP_OVER:
    case SARI_OP_INTO:
        if (second) x[1] = x[0];
        set_constant(&x[!second], i->number);
        wide.op = i->op == SARI_OP_FROM ? SARI_OP_SUBTRACT : SARI_OP_DIVIDE;
        break;
    case SARI_OP_SQUARE:
    case SARI_OP_CUBE:
        wide.op = SARI_OP_POWER;
        wide.number = i->op == SARI_OP_SQUARE ? 2.0 : 3.0;
        break;
    default:
        break;
    }
    return wide;
}

/* `time` is variable 0 of the expression of an input; NULL: it is time itself. */
static void read_variable(const pass* p, int index, const operand* time, operand* out)
{
    if (time) {
        *out = *time;
    } else if (p->moving) {
        out->f = p->moving[index];
        out->depends = OF_OTHERS;
    } else if (index != 0) {
        set_constant(out, p->variables[index]);
        out->depends = OF_OTHERS;
    } else {
        set_constant(out, p->from);
        out->f.at[1] = p->to;
        out->f.c[0] = (sari_interval){p->from, p->to};
        out->f.c[1] = (sari_interval){1.0, 1.0};
        out->depends = OF_TIME;
    }
}

static bool run(const sari_expression* e, pass* p, const operand* time, operand* out)
{
    operand r[SARI_REGISTERS], x[SARI_OPERANDS];
    const sari_instruction* i = e->code;
    while (i->op != SARI_OP_END) {
        int next = 1;
        switch (i->op) {
        case SARI_OP_CONSTANT:
            set_constant(&r[i->to], i->number);
            break;
        case SARI_OP_VARIABLE:
            read_variable(p, i->index, time, &r[i->to]);
            break;
        case SARI_OP_MOVE:
            r[i->to] = r[i->in[0]];
            break;
        case SARI_OP_JUMP:
            next = i->jump;
            break;
        case SARI_OP_JUMP_IF_ZERO:
            if (r[i->in[0]].f.at[0] == 0.0) next = i->jump;
            break;
        default: {
            const sari_instruction wide = gather(i, r, x);
            apply(p, (branch){e, (int)(i - e->code), .held = e->frozen ? i->held : 0}, &wide, x);
            r[i->to] = x[0];
        }
        }
        i += next;
    }
    *out = r[i->in[0]];
    return p->undecided == 0;
}

/* ---- for all -------------------------------------------------------------------------------- */

bool sari_expression_of_time(const sari_expression* e)
{
    return e->variable_count > 0 && e->variables[0] == 0;
}

bool sari_expression_over_time(const sari_expression* e, const double* variables, double from,
                               double to, sari_time_series* out)
{
    pass p = {.from = from, .to = to, .variables = variables, .first = NAN};
    operand result;
    const bool clear = run(e, &p, NULL, &result);
    *out = result.f;
    return clear;
}

bool sari_expression_along(const sari_expression* e, const sari_time_series* moving,
                           sari_time_series* out)
{
    pass p = {.moving = moving, .first = NAN};
    operand result;
    const bool clear = run(e, &p, NULL, &result);
    *out = result.f;
    return clear;
}

void sari_expression_guards_along(const sari_expression* e, const sari_time_series* moving,
                                  sari_guard_path* guards)
{
    pass p = {.moving = moving, .first = NAN, .guards = guards};
    operand result;
    memset(guards, 0, 2 * (size_t)e->count * sizeof *guards);
    run(e, &p, NULL, &result);
}

double sari_expression_next_break(const sari_expression* e, const double* variables, double from,
                                  double to, double* examined)
{
    double end[MAX_DEPTH], a = from;
    int depth = 1;
    end[0] = to;
    for (int k = 0; depth > 0 && k < MAX_EXAMINED; k++) {
        const double b = end[depth - 1];
        pass p = {.from = a, .to = b, .variables = variables, .first = NAN};
        operand result;
        *examined = a;
        const bool clear = run(e, &p, NULL, &result);
        if (!clear && !p.uncertain) return p.first;
        const double middle = 0.5 * (a + b), rounding = 8.0 * DBL_EPSILON * fmax(fabs(a), fabs(b));
        const int tiny = b - a <= rounding || depth == MAX_DEPTH || !(a < middle && middle < b);
        if (!clear && tiny && p.changed) return b;
        if (clear || tiny)
            a = b, depth--;
        else
            end[depth++] = middle;
    }
    if (depth == 0) *examined = to;
    return NAN;
}
