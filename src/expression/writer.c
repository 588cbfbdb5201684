#include "expression/writer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };
enum { ON_TIME = 1, ON_OTHERS = 2 };

/* ---- values --------------------------------------------------------------------------------- */

static bool is_jump(int op)
{
    return op == SARI_OP_JUMP || op == SARI_OP_JUMP_IF_ZERO;
}

static bool grow(sari_writer* w, void** array, int count, int which, size_t size)
{
    if (!w->failed && !sari_grow(array, count, &w->capacity[which], size)) w->failed = true;
    return !w->failed;
}

static int add_value(sari_writer* w, sari_value v)
{
    void* values = w->value;
    const bool room = grow(w, &values, w->values, 1, sizeof v);
    w->value = values;
    if (!room) return 0;
    w->value[w->values] = v;
    return w->values++;
}

static bool append(sari_writer* w, sari_instruction i)
{
    void* code = w->code;
    const bool room = grow(w, &code, w->count, 0, sizeof i);
    w->code = code;
    if (room) w->code[w->count++] = i;
    return room;
}

static bool share(sari_writer* w, int instruction)
{
    void* shared = w->shared;
    const bool room = grow(w, &shared, w->shared_count, 2, sizeof *w->shared);
    w->shared = shared;
    if (room) w->shared[w->shared_count++] = instruction;
    return room;
}

static bool same(const sari_instruction* a, const sari_instruction* b)
{
    return a->op == b->op && memcmp(a->in, b->in, sizeof a->in) == 0 &&
           memcmp(&a->number, &b->number, sizeof a->number) == 0;
}

/* What its operands say of an instruction and of its result. */
static sari_value describe(const sari_writer* w, sari_instruction* i)
{
    sari_value v = {.by = w->count, .active = i->op == SARI_OP_VARIABLE};
    if (v.active) v.depends = i->index == 0 ? ON_TIME : ON_OTHERS;
    for (int k = 0; k < sari_op_table[i->op].operands; k++) {
        v.active |= w->value[i->in[k]].active;
        v.depends |= w->value[i->in[k]].depends;
    }
    if (sari_op_is_piecewise_constant((sari_op)i->op)) v.active = false;
    i->active = v.active;
    i->of_time = sari_op_guards((sari_op)i->op) > 0 && v.depends == ON_TIME;
    return v;
}

/* The result of an instruction: that of one not long before it which computes the same, or a new value. */
static int compute(sari_writer* w, sari_instruction i)
{
    if (w->failed) return 0;
    for (int k = w->shared_count; k-- > 0 && w->shared[k] > w->count - SARI_SHARED_WITHIN;)
        if (same(&w->code[w->shared[k]], &i)) return w->code[w->shared[k]].to;
    const sari_value v = describe(w, &i);
    i.to = add_value(w, v);
    if (!append(w, i) || !share(w, w->count - 1)) return 0;
    return i.to;
}

static sari_instruction instruction(sari_op op, int in)
{
    return (sari_instruction){.op = (unsigned char)op, .in = {in, NONE, NONE, NONE, NONE}};
}

static int compute_with(sari_writer* w, sari_op op, int in, double number)
{
    sari_instruction i = instruction(op, in);
    i.number = number;
    return compute(w, i);
}

bool sari_writer_knows(const sari_writer* w, int value, double* number)
{
    const int by = w->failed ? NONE : w->value[value].by;
    if (by == NONE || w->code[by].op != SARI_OP_CONSTANT) return false;
    *number = w->code[by].number;
    return true;
}

int sari_write_constant(sari_writer* w, double number)
{
    return compute_with(w, SARI_OP_CONSTANT, NONE, number);
}

int sari_write_variable(sari_writer* w, int index)
{
    sari_instruction i = instruction(SARI_OP_VARIABLE, NONE);
    i.index = index;
    return compute(w, i);
}

/* ---- operations ----------------------------------------------------------------------------- */

/* The degree of a polynomial, at most: each product adds one, since factors may be sums. */
static void count_degree(sari_writer* w, sari_op op, double number)
{
    if (op == SARI_OP_MULTIPLY)
        w->above_linear++;
    else if (op == SARI_OP_POWER && (number == 2.0 || number == 3.0))
        w->above_linear = (w->above_linear + 1) * (int)number - 1;
    else if (op != SARI_OP_NEGATE && op != SARI_OP_ADD && op != SARI_OP_SUBTRACT)
        w->above_linear = SARI_NO_POLYNOMIAL;
    if (w->above_linear > SARI_NO_POLYNOMIAL) w->above_linear = SARI_NO_POLYNOMIAL;
}

/* Sums, products and quotients with a constant c, which becomes part of the instruction; NONE: of others. All
 * of them have the bits of the operation: x - c is x + (-c). */
static int compute_by_constant(sari_writer* w, sari_op op, int a, int b)
{
    double c;
    const bool second = sari_writer_knows(w, b, &c);
    if (!second && !sari_writer_knows(w, a, &c)) return NONE;
    const int x = second ? a : b;
    switch (op) {
    case SARI_OP_ADD:
        return compute_with(w, SARI_OP_SHIFT, x, c);
    case SARI_OP_SUBTRACT:
        return second ? compute_with(w, SARI_OP_SHIFT, x, -c) : compute_with(w, SARI_OP_FROM, x, c);
    case SARI_OP_MULTIPLY:
        return compute_with(w, SARI_OP_SCALE, x, c);
    case SARI_OP_DIVIDE:
        return compute_with(w, second ? SARI_OP_OVER : SARI_OP_INTO, x, c);
    default:
        return NONE;
    }
}

static int compute_power(sari_writer* w, int x, double n)
{
    if (n == 1.0) return x;
    if (n == 2.0) return compute_with(w, SARI_OP_SQUARE, x, 0.0);
    if (n == 3.0) return compute_with(w, SARI_OP_CUBE, x, 0.0);
    return compute_with(w, SARI_OP_POWER, x, n);
}

int sari_write_operation(sari_writer* w, sari_op op, const int* in, const sari_table* table)
{
    double x[SARI_OPERANDS], exponent = 0.0;
    int operands = sari_op_table[op].operands, known = 0;
    if (w->failed) return 0;
    while (known < operands && sari_writer_knows(w, in[known], &x[known])) known++;
    if (op == SARI_OP_POW && sari_writer_knows(w, in[1], &exponent)) {
        op = SARI_OP_POWER; // has better derivatives, and is faster
        operands = 1;
    }
    sari_instruction i = instruction(op, NONE);
    memcpy(i.in, in, (size_t)operands * sizeof *in);
    if (op == SARI_OP_TABLE)
        i.table = table;
    else
        i.number = exponent;
    if (known >= operands) return sari_write_constant(w, sari_op_value(&i, x));
    count_degree(w, op, exponent);
    if (op == SARI_OP_POWER) return compute_power(w, in[0], exponent);
    const int by_constant = operands == 2 ? compute_by_constant(w, op, in[0], in[1]) : NONE;
    return by_constant != NONE ? by_constant : compute(w, i);
}

/* ---- conditions ----------------------------------------------------------------------------- */

sari_written_condition sari_write_condition(sari_writer* w, int value)
{
    sari_written_condition c = {.to_second = w->count, .shared_count = w->shared_count};
    c.into = add_value(w, (sari_value){.by = NONE});
    if (w->failed) return c;
    w->value[c.into].depends = w->value[value].depends;
    w->above_linear = SARI_NO_POLYNOMIAL;
    append(w, instruction(SARI_OP_JUMP_IF_ZERO, value));
    return c;
}

/* The result of a side; what else it computed may be jumped over. */
static void move(sari_writer* w, const sari_written_condition* c, int value)
{
    if (w->failed) return;
    sari_instruction i = instruction(SARI_OP_MOVE, value);
    i.to = c->into;
    w->value[c->into].active |= w->value[value].active;
    w->value[c->into].depends |= w->value[value].depends;
    append(w, i);
    w->shared_count = c->shared_count;
}

void sari_write_otherwise(sari_writer* w, sari_written_condition* c, int first)
{
    move(w, c, first);
    c->to_end = w->count;
    if (append(w, instruction(SARI_OP_JUMP, NONE)))
        w->code[c->to_second].jump = w->count - c->to_second;
}

int sari_write_condition_end(sari_writer* w, sari_written_condition* c, int second)
{
    move(w, c, second);
    if (!w->failed) w->code[c->to_end].jump = w->count - c->to_end;
    return c->into;
}

sari_writer_mark sari_writer_mark_here(const sari_writer* w)
{
    return (sari_writer_mark){w->count, w->values, w->shared_count, w->above_linear};
}

void sari_writer_cut(sari_writer* w, sari_writer_mark mark)
{
    w->count = mark.count, w->values = mark.values;
    w->shared_count = mark.shared_count, w->above_linear = mark.above_linear;
}

/* ---- finishing ------------------------------------------------------------------------------ */

static bool has_result(const sari_instruction* i)
{
    return !is_jump(i->op) && i->op != SARI_OP_END;
}

/* Take out instructions without use: constants that have become part of others. `at` has room for count + 1,
 * `used` for the values. */
static void drop_unused(sari_writer* w, bool* used, int* at)
{
    int count = 0;
    for (int k = w->count - 1; k >= 0; k--) {
        const sari_instruction* i = &w->code[k];
        const bool needed = !has_result(i) || used[i->to];
        for (int n = 0; needed && n < sari_op_table[i->op].operands; n++) used[i->in[n]] = true;
    }
    for (int k = 0; k < w->count; k++) {
        at[k] = count;
        count += !has_result(&w->code[k]) || used[w->code[k].to];
    }
    at[w->count] = count;
    for (int k = 0; k < w->count; k++) {
        sari_instruction i = w->code[k];
        if (is_jump(i.op)) i.jump = at[k + i.jump] - at[k];
        if (at[k] < at[k + 1]) w->code[at[k]] = i;
    }
    w->count = count;
}

/* A condition may be active after the instruction that moves a constant to it. */
static void mark_activity(sari_writer* w, bool* used)
{
    memset(used, 0, (size_t)w->values * sizeof *used);
    for (int k = 0; k < w->count; k++) {
        sari_instruction* i = &w->code[k];
        if (i->op == SARI_OP_MOVE) i->active = w->value[i->to].active;
        if (i->op == SARI_OP_END) i->active = w->value[i->in[0]].active;
        for (int n = 0; i->active && n < sari_op_table[i->op].operands; n++) used[i->in[n]] = true;
    }
    for (int k = 0; k < w->count; k++) {
        sari_instruction* i = &w->code[k];
        i->passive = !i->active && has_result(i) && used[i->to];
    }
}

/* A value has its register from the instruction that first computes it to the last that uses it. Jumps lead
 * forward only: no other value of this register is read in between. `last` and `place` have room for the
 * values; returns how many registers there are. */
static int place_registers(sari_writer* w, int* last, int* place)
{
    int vacant[SARI_REGISTERS], vacant_count = 0, registers = 0;
    for (int v = 0; v < w->values; v++) place[v] = NONE;
    for (int k = 0; k < w->count; k++)
        for (int n = 0; n < sari_op_table[w->code[k].op].operands; n++) last[w->code[k].in[n]] = k;
    for (int k = 0; k < w->count; k++) {
        sari_instruction* i = &w->code[k];
        for (int n = 0; n < sari_op_table[i->op].operands; n++) {
            const int v = i->in[n];
            i->in[n] = place[v];
            if (last[v] != k) continue;
            last[v] = NONE; // once, if it is two operands
            vacant[vacant_count++] = place[v];
        }
        if (!has_result(i)) continue;
        if (place[i->to] == NONE)
            place[i->to] = vacant_count > 0 ? vacant[--vacant_count] : registers++;
        i->to = place[i->to];
    }
    return registers;
}

static int compare_indices(const void* a, const void* b)
{
    const int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

/* List the distinct variables and give each its slot. False when out of memory. */
static bool number_variables(sari_expression* e)
{
    int n = 0;
    e->variables = SARI_NEW_ARRAY(int, e->count);
    if (!e->variables) return false;
    for (int k = 0; k < e->count; k++)
        if (e->code[k].op == SARI_OP_VARIABLE) e->variables[n++] = e->code[k].index;
    qsort(e->variables, (size_t)n, sizeof(int), compare_indices);
    for (int k = 0; k < n; k++)
        if (k == 0 || e->variables[k] != e->variables[k - 1])
            e->variables[e->variable_count++] = e->variables[k];
    for (int k = 0; k < e->count; k++) {
        if (e->code[k].op != SARI_OP_VARIABLE) continue;
        const int* at = bsearch(&e->code[k].index, e->variables, (size_t)e->variable_count,
                                sizeof(int), compare_indices);
        e->code[k].slot = (int)(at - e->variables);
    }
    return true;
}

static bool rises(const sari_expression* e)
{
    for (int k = 0; k < e->count; k++)
        if (e->code[k].active && (e->code[k].op == SARI_OP_RAMP || e->code[k].op == SARI_OP_STEP))
            return true;
    return false;
}

sari_expression* sari_writer_finish(sari_writer* w, int result)
{
    append(w, instruction(SARI_OP_END, result));
    bool* used = SARI_NEW_ARRAY(bool, w->values + 1);
    int *work = SARI_NEW_ARRAY(int, w->count + 1), *place = SARI_NEW_ARRAY(int, 2 * w->values + 1);
    sari_expression* e = SARI_NEW(sari_expression);
    bool done = used && work && place && e && !w->failed;
    if (done) {
        e->reversible = w->count <= SARI_TAPE;
        drop_unused(w, used, work);
        mark_activity(w, used);
        e->registers = place_registers(w, place + w->values, place);
        e->code = sari_copy(w->code, (size_t)w->count, sizeof *w->code);
        e->count = w->count, e->above_linear = w->above_linear;
        done = e->code && number_variables(e);
        e->rises = done && rises(e);
        e->reversible &= !e->rises;
    }
    sari_release(used);
    sari_release(work);
    sari_release(place);
    sari_writer_release(w);
    if (done) return e;
    sari_expression_destroy(e);
    return NULL;
}

void sari_writer_release(sari_writer* w)
{
    sari_release(w->code);
    sari_release(w->value);
    sari_release(w->shared);
    *w = (sari_writer){0};
}
