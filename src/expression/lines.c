#include "expression/lines.h"

#include "base/memory.h"

#include <string.h>

enum { NONE = -1 };

/* What is known of a register when lines are written. */
typedef struct writer {
    const sari_instruction* code;
    sari_line line[SARI_LINES];
    int count, registers;
    int visible[SARI_LINES]; ///< lines whose results are there, whatever was jumped over
    int seen;
    const sari_line* wrote[SARI_LINES]; ///< per register: its line; of branches: NULL
    bool active[SARI_LINES];            ///< per register
    short stack[SARI_STACK_DEPTH + 1];
    int depth;
} writer;

/* ---- writing -------------------------------------------------------------------------------- */

static bool is_jump(int op)
{
    return op == SARI_OP_JUMP || op == SARI_OP_JUMP_IF_ZERO;
}

/* The inputs of a line. */
static int inputs_of(int op)
{
    if (op == SARI_LINE_END || op == SARI_LINE_MOVE) return 1;
    return op < SARI_OPS ? sari_op_table[op].operands : 1;
}

static bool same(const sari_line* a, const sari_line* b)
{
    return a->op == b->op && memcmp(a->in, b->in, sizeof a->in) == 0 &&
           memcmp(&a->number, &b->number, sizeof a->number) == 0;
}

/* Its derivatives are zero wherever it has any. */
static bool is_piecewise_constant(int op)
{
    return op == SARI_OP_NOT || op == SARI_OP_SIGN || op == SARI_OP_FLOOR || op == SARI_OP_PULSE ||
           (op >= SARI_OP_LESS && op <= SARI_OP_OR);
}

static void set_active(writer* w, sari_line* l)
{
    l->active = l->op == SARI_OP_VARIABLE;
    if (is_jump(l->op) || is_piecewise_constant(l->op)) return;
    for (int k = 0; k < inputs_of(l->op); k++) l->active |= w->active[l->in[k]];
}

/* Write a line, with `to` in place; false: there are too many. */
static bool write(writer* w, sari_line l)
{
    if (w->count == SARI_LINES) return false;
    set_active(w, &l);
    w->line[w->count++] = l;
    return true;
}

/* The register of a line's result: that of a line before it which computes the same, or a new one. */
static int compute(writer* w, sari_line l)
{
    for (int k = 0; k < w->seen; k++)
        if (same(&w->line[w->visible[k]], &l)) return w->line[w->visible[k]].to;
    if (w->registers == SARI_LINES) return NONE;
    l.to = (short)w->registers;
    if (!write(w, l)) return NONE;
    w->visible[w->seen++] = w->count - 1;
    w->wrote[w->registers] = &w->line[w->count - 1];
    w->active[w->registers] = w->line[w->count - 1].active;
    return w->registers++;
}

static sari_line make_line(int op)
{
    return (sari_line){.op = (unsigned char)op, .in = {NONE, NONE, NONE, NONE, NONE}};
}

static sari_line make_line_of(int op, short in)
{
    sari_line l = make_line(op);
    l.in[0] = in;
    return l;
}

static int compute_with(writer* w, int op, short in, double number)
{
    sari_line l = make_line_of(op, in);
    l.number = number;
    return compute(w, l);
}

/* Is a register a constant? */
static bool constant(const writer* w, short r, double* number)
{
    if (!w->wrote[r] || w->wrote[r]->op != SARI_OP_CONSTANT) return false;
    *number = w->wrote[r]->number;
    return true;
}

static int compute_constant(writer* w, double number)
{
    return compute_with(w, SARI_OP_CONSTANT, NONE, number);
}

/* Sums, products and quotients with a constant c, which becomes part of the line; NONE: of others. All
 * of them have the bits of the operation: x - c is x + (-c). */
static int compute_by_constant(writer* w, sari_op op, short a, short b)
{
    double c;
    if (op == SARI_OP_ADD && constant(w, b, &c)) return compute_with(w, SARI_OP_SHIFT, a, c);
    if (op == SARI_OP_ADD && constant(w, a, &c)) return compute_with(w, SARI_OP_SHIFT, b, c);
    if (op == SARI_OP_SUBTRACT && constant(w, b, &c)) return compute_with(w, SARI_OP_SHIFT, a, -c);
    if (op == SARI_OP_SUBTRACT && constant(w, a, &c)) return compute_with(w, SARI_LINE_FROM, b, c);
    if (op == SARI_OP_MULTIPLY && constant(w, b, &c)) return compute_with(w, SARI_OP_SCALE, a, c);
    if (op == SARI_OP_MULTIPLY && constant(w, a, &c)) return compute_with(w, SARI_OP_SCALE, b, c);
    if (op == SARI_OP_DIVIDE && constant(w, b, &c)) return compute_with(w, SARI_LINE_OVER, a, c);
    if (op == SARI_OP_DIVIDE && constant(w, a, &c)) return compute_with(w, SARI_LINE_INTO, b, c);
    return NONE;
}

static int compute_power(writer* w, short x, double n)
{
    if (n == 1.0) return x;
    if (n == 2.0) return compute_with(w, SARI_LINE_SQUARE, x, 0.0);
    if (n == 3.0) return compute_with(w, SARI_LINE_CUBE, x, 0.0);
    return compute_with(w, SARI_OP_POWER, x, n);
}

/* The result of an operation whose operands are all constants, as the stack code would find it. */
static bool fold(const writer* w, const sari_instruction* i, const short* in, double* value)
{
    double x[SARI_LINE_INPUTS];
    const int n = sari_op_table[i->op].operands;
    for (int k = 0; k < n; k++)
        if (!constant(w, in[k], &x[k])) return false;
    if (n == 0 || i->op == SARI_OP_TABLE) return false; // another table may come in its place
    *value = sari_op_value(i, x);
    return true;
}

/* ---- from the stack code -------------------------------------------------------------------- */

static int translate_operation(writer* w, const sari_instruction* i, short* in)
{
    double value;
    if (i->op == SARI_OP_CONSTANT) return compute_constant(w, i->number);
    if (i->op == SARI_OP_VARIABLE) {
        sari_line l = make_line(SARI_OP_VARIABLE);
        l.index = i->target, l.slot = i->slot;
        return compute(w, l);
    }
    if (fold(w, i, in, &value)) return compute_constant(w, value);
    if (i->op == SARI_OP_POWER) return compute_power(w, in[0], i->number);
    if (i->op == SARI_OP_SCALE || i->op == SARI_OP_SHIFT)
        return compute_with(w, i->op, in[0], i->number);
    const int two = sari_op_table[i->op].operands == 2;
    const int by_constant = two ? compute_by_constant(w, i->op, in[0], in[1]) : NONE;
    if (by_constant != NONE) return by_constant;
    sari_line l = make_line(i->op);
    memcpy(l.in, in, (size_t)sari_op_table[i->op].operands * sizeof *in);
    if (i->op == SARI_OP_TABLE) l.table = i->table;
    return compute(w, l);
}

static bool translate(writer* w, int from, int to);

/* The code from `from` to `to` as a branch: its result into register `into`. */
static bool translate_branch(writer* w, int from, int to, short into)
{
    const int seen = w->seen, depth = w->depth;
    if (!translate(w, from, to) || w->depth != depth + 1) return false;
    sari_line l = make_line_of(SARI_LINE_MOVE, w->stack[--w->depth]);
    l.to = into;
    if (!write(w, l)) return false;
    w->active[into] |= w->line[w->count - 1].active;
    w->seen = seen; // what it computed may be jumped over
    return true;
}

/* A condition at instruction `at`: JUMP_IF_ZERO second; first ... JUMP end; second ... end. Returns
 * where the code goes on, or NONE. */
static int translate_condition(writer* w, int at, int to)
{
    const int second = w->code[at].target, end = w->code[second - 1].target;
    if (second - 1 <= at || w->code[second - 1].op != SARI_OP_JUMP || end > to) return NONE;
    if (w->depth == 0 || w->registers == SARI_LINES) return NONE;
    const short into = (short)w->registers++;
    w->wrote[into] = NULL;
    w->active[into] = false;
    const int to_second = w->count;
    if (!write(w, make_line_of(SARI_OP_JUMP_IF_ZERO, w->stack[--w->depth]))) return NONE;
    if (!translate_branch(w, at + 1, second - 1, into)) return NONE;
    const int to_end = w->count;
    if (!write(w, make_line(SARI_OP_JUMP))) return NONE;
    w->line[to_second].jump = (short)(w->count - to_second);
    if (!translate_branch(w, second, end, into)) return NONE;
    w->line[to_end].jump = (short)(w->count - to_end);
    w->stack[w->depth++] = into;
    return end;
}

/* Instructions from `from` up to `to`. False: they cannot be written as lines. */
static bool translate(writer* w, int from, int to)
{
    for (int at = from; at < to;) {
        const sari_instruction* i = &w->code[at];
        const int operands = sari_op_table[i->op].operands;
        if (i->op == SARI_OP_JUMP || w->depth < operands) return false;
        if (i->op == SARI_OP_JUMP_IF_ZERO) {
            at = translate_condition(w, at, to);
            if (at == NONE) return false;
            continue;
        }
        w->depth -= operands;
        const int result = translate_operation(w, i, &w->stack[w->depth]);
        if (result == NONE || w->depth == SARI_STACK_DEPTH) return false;
        w->stack[w->depth++] = (short)result;
        at++;
    }
    return true;
}

/* Take out lines that nobody uses: constants that have become part of others. */
static void drop_unused(writer* w)
{
    bool used[SARI_LINES] = {false};
    int at[SARI_LINES + 1], count = 0; // where lines will be
    for (int k = w->count - 1; k >= 0; k--) {
        const sari_line* l = &w->line[k];
        const bool needed = is_jump(l->op) || l->op == SARI_LINE_END || used[l->to];
        for (int n = 0; needed && n < inputs_of(l->op); n++) used[l->in[n]] = true;
    }
    for (int k = 0; k <= w->count; k++) {
        const sari_line* l = &w->line[k];
        at[k] = count;
        count += k < w->count && (is_jump(l->op) || l->op == SARI_LINE_END || used[l->to]);
    }
    for (int k = 0; k < w->count; k++) {
        sari_line l = w->line[k];
        if (is_jump(l.op)) l.jump = (short)(at[k + l.jump] - at[k]);
        if (at[k] < at[k + 1]) w->line[at[k]] = l;
    }
    w->count = count;
}

/* A register that both branches write may be active after the line that moves a constant to it. */
static void settle_activity(writer* w)
{
    bool used[SARI_LINES] = {false};
    for (int k = 0; k < w->count; k++) {
        sari_line* l = &w->line[k];
        if (l->op == SARI_LINE_MOVE) l->active = w->active[l->to];
    }
    for (int k = 0; k < w->count; k++)
        for (int n = 0; w->line[k].active && n < inputs_of(w->line[k].op); n++)
            used[w->line[k].in[n]] = true;
    for (int k = 0; k < w->count; k++) {
        sari_line* l = &w->line[k];
        l->still = !l->active && !is_jump(l->op) && l->op != SARI_LINE_END && used[l->to];
    }
}

static bool can_differ(const writer* w)
{
    for (int k = 0; k < w->count; k++)
        if (w->line[k].active && (w->line[k].op == SARI_OP_RAMP || w->line[k].op == SARI_OP_STEP))
            return false;
    return true;
}

int sari_lines_make(sari_expression* e)
{
    writer w; // large: what lines and registers have is set when they are written
    w.code = e->code;
    w.count = w.registers = w.seen = w.depth = 0;
    if (e->variable_count == 0 || e->count > 4 * SARI_LINES) return 1;
    if (!translate(&w, 0, e->count) || w.depth != 1) return 1;
    if (!write(&w, make_line_of(SARI_LINE_END, w.stack[0]))) return 1;
    drop_unused(&w);
    settle_activity(&w);
    e->lines = sari_allocate(1, sizeof *e->lines + (size_t)w.count * sizeof *w.line);
    if (!e->lines) return 0;
    e->lines->count = w.count;
    e->lines->differs = can_differ(&w);
    memcpy(e->lines->line, w.line, (size_t)w.count * sizeof *w.line);
    return 1;
}
