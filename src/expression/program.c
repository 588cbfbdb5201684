#include "expression/program.h"

#include "base/memory.h"

void sari_expression_destroy(sari_expression* e)
{
    if (!e) return;
    sari_release(e->code);
    sari_release(e->variables);
    sari_release(e);
}

/* ---- questions ------------------------------------------------------------------------------ */

sari_dimension sari_expression_dimension(const sari_expression* e)
{
    return e->dimension;
}

int sari_expression_variables(const sari_expression* e, const int** variables)
{
    if (variables) *variables = e->variables;
    return e->variable_count;
}

bool sari_expression_is_constant(const sari_expression* e)
{
    return e->variable_count == 0;
}

bool sari_expression_is_variable(const sari_expression* e)
{
    return e->count == 2 && e->code[0].op == SARI_OP_VARIABLE;
}

bool sari_expression_is_polynomial(const sari_expression* e)
{
    return e->above_linear < SARI_NO_POLYNOMIAL;
}

static bool calls_input(const sari_instruction* i)
{
    return i->op == SARI_OP_TABLE && i->table->of_time;
}

bool sari_expression_uses_inputs(const sari_expression* e)
{
    for (int k = 0; k < e->count; k++)
        if (calls_input(&e->code[k])) return true;
    return false;
}

bool sari_expression_switches(const sari_expression* e)
{
    for (int k = 0; k < e->count; k++) // inputs have breakpoints
        if (sari_op_switches((sari_op)e->code[k].op) && !calls_input(&e->code[k])) return true;
    return false;
}

/* ---- changes -------------------------------------------------------------------------------- */

void sari_expression_use_table(sari_expression* e, const sari_table* from, const sari_table* to)
{
    for (int k = 0; k < e->count; k++)
        if (e->code[k].op == SARI_OP_TABLE && e->code[k].table == from) e->code[k].table = to;
}

/* Convert a register in its place. */
static sari_instruction* convert(sari_instruction* to, sari_conversion c, int place, bool active)
{
    const sari_instruction i = {.active = active, .to = place, .in = {place, -1, -1, -1, -1}};
    if (c.scale != 1.0) *to = i, to->op = SARI_OP_SCALE, to++->number = c.scale;
    if (c.shift != 0.0) *to = i, to->op = SARI_OP_SHIFT, to++->number = c.shift;
    return to;
}

/* at[k]: where instruction k goes. */
static void write_converted(const sari_expression* e, const sari_conversion* variables,
                            sari_conversion result, int* at, sari_expression* out)
{
    sari_instruction* to = out->code;
    for (int k = 0; k < e->count; k++) {
        const sari_instruction* i = &e->code[k];
        at[k] = (int)(to - out->code);
        if (i->op == SARI_OP_END) to = convert(to, result, i->in[0], i->active);
        *to++ = *i;
        if (i->op == SARI_OP_VARIABLE) to = convert(to, variables[i->index], i->to, true);
    }
    out->count = (int)(to - out->code);
    for (int k = 0; k < e->count; k++)
        if (e->code[k].op == SARI_OP_JUMP || e->code[k].op == SARI_OP_JUMP_IF_ZERO)
            out->code[at[k]].jump = at[k + e->code[k].jump] - at[k];
}

sari_expression* sari_expression_in_units(const sari_expression* e,
                                          const sari_conversion* variables, sari_conversion result)
{
    int* at = SARI_NEW_ARRAY(int, e->count);
    sari_expression* out = SARI_NEW(sari_expression);
    if (at && out) {
        *out = *e;
        out->code = SARI_NEW_ARRAY(sari_instruction, 3 * e->count);
        out->variables = SARI_NEW_ARRAY(int, e->variable_count + 1);
    }
    if (!at || !out || !out->code || !out->variables) {
        sari_release(at);
        sari_expression_destroy(out);
        return NULL;
    }
    for (int k = 0; k < e->variable_count; k++) out->variables[k] = e->variables[k];
    write_converted(e, variables, result, at, out);
    out->reversible &= out->count <= SARI_TAPE;
    out->frozen = false;
    out->dimension = (sari_dimension){0};
    sari_release(at);
    return out;
}

bool sari_expression_reverse(sari_expression** e, unsigned variables)
{
    const int most = (*e)->variable_count ? (*e)->variables[(*e)->variable_count - 1] : 0;
    sari_conversion* sign = SARI_NEW_ARRAY(sari_conversion, most + 1);
    sari_expression* out = NULL;
    for (int k = 0; sign && k <= most; k++)
        sign[k].scale = k < 32 && variables >> k & 1u ? -1.0 : 1.0;
    if (sign) out = sari_expression_in_units(*e, sign, (sari_conversion){-1.0, 0.0});
    sari_release(sign);
    if (!out) return false;
    out->dimension = (*e)->dimension;
    sari_expression_destroy(*e);
    *e = out;
    return true;
}
