/* Operations on compiled expressions: what they do is put into the code, so that values and derivatives
 * follow without anybody knowing. In other units, conversions are there after each variable and after the
 * result. */
#include "base/memory.h"
#include "expression/lines.h"

static int length_of(sari_conversion c)
{
    return (c.scale != 1.0) + (c.shift != 0.0);
}

static sari_instruction* convert(sari_instruction* to, sari_conversion c)
{
    if (c.scale != 1.0) *to++ = (sari_instruction){.op = SARI_OP_SCALE, .number = c.scale};
    if (c.shift != 0.0) *to++ = (sari_instruction){.op = SARI_OP_SHIFT, .number = c.shift};
    return to;
}

/* at[k]: where instruction k of the old code is in the new one, up to k = count. */
static int lay_out(const sari_expression* e, const sari_conversion* variables, int* at)
{
    int count = 0;
    for (int k = 0; k < e->count; k++) {
        at[k] = count++;
        if (e->code[k].op == SARI_OP_VARIABLE) count += length_of(variables[e->code[k].target]);
    }
    return at[e->count] = count;
}

static void write_code(const sari_expression* e, const sari_conversion* variables,
                       sari_conversion result, const int* at, sari_instruction* code)
{
    for (int k = 0; k < e->count; k++) {
        sari_instruction* to = code + at[k];
        *to = e->code[k];
        if (to->op == SARI_OP_JUMP || to->op == SARI_OP_JUMP_IF_ZERO) to->target = at[to->target];
        if (to->op == SARI_OP_VARIABLE) convert(to + 1, variables[to->target]);
    }
    convert(code + at[e->count], result);
}

sari_expression* sari_expression_in_units(const sari_expression* e,
                                          const sari_conversion* variables, sari_conversion result)
{
    int* at = SARI_NEW_ARRAY(int, e->count + 1);
    sari_expression* out = SARI_NEW(sari_expression);
    if (at && out) {
        out->count = lay_out(e, variables, at) + length_of(result);
        out->code = SARI_NEW_ARRAY(sari_instruction, out->count);
        out->variable_count = e->variable_count;
        out->variables = SARI_NEW_ARRAY(int, e->variable_count + 1);
    }
    if (!at || !out || !out->code || !out->variables) {
        sari_release(at);
        sari_expression_destroy(out);
        return NULL;
    }
    for (int k = 0; k < e->variable_count; k++) out->variables[k] = e->variables[k];
    write_code(e, variables, result, at, out->code);
    sari_release(at);
    if (sari_lines_make(out)) return out;
    sari_expression_destroy(out);
    return NULL;
}

bool sari_expression_reverse(sari_expression** e, unsigned variables)
{
    enum { BITS = 8 * sizeof variables };
    const int most = (*e)->variable_count ? (*e)->variables[(*e)->variable_count - 1] : 0;
    sari_conversion* sign = SARI_NEW_ARRAY(sari_conversion, most + 1);
    sari_expression* out = NULL;
    for (int k = 0; sign && k <= most; k++)
        sign[k].scale = k < (int)BITS && variables >> k & 1u ? -1.0 : 1.0;
    if (sign) out = sari_expression_in_units(*e, sign, (sari_conversion){-1.0, 0.0});
    sari_release(sign);
    if (!out) return false;
    out->dimension = (*e)->dimension;
    sari_expression_destroy(*e);
    *e = out;
    return true;
}

/* Behind `count` instructions: the code of e times a factor, added to what is there already. */
static int append(sari_instruction* code, int count, const sari_expression* e, double factor)
{
    const bool first = count == 0, subtract = !first && factor == -1.0;
    for (int k = 0; k < e->count; k++) {
        code[count + k] = e->code[k];
        const int op = e->code[k].op;
        if (op == SARI_OP_JUMP || op == SARI_OP_JUMP_IF_ZERO) code[count + k].target += count;
    }
    count += e->count;
    if (factor != 1.0 && !subtract)
        code[count++] = (sari_instruction){.op = SARI_OP_SCALE, .number = factor};
    if (!first) code[count++] = (sari_instruction){.op = subtract ? SARI_OP_SUBTRACT : SARI_OP_ADD};
    return count;
}

sari_expression* sari_expression_sum(const sari_expression* const* e, const double* factor, int n)
{
    int room = 0;
    for (int k = 0; k < n; k++)
        if (e[k] && factor[k] != 0.0) room += e[k]->count + 2;
    sari_expression* out = room ? SARI_NEW(sari_expression) : NULL;
    if (!out) return NULL;
    out->code = SARI_NEW_ARRAY(sari_instruction, room);
    for (int k = 0; out->code && k < n; k++)
        if (e[k] && factor[k] != 0.0) out->count = append(out->code, out->count, e[k], factor[k]);
    if (out->code && sari_expression_number(out)) {
        sari_expression_mark_time(out);
        if (sari_lines_make(out)) return out;
    }
    sari_expression_destroy(out);
    return NULL;
}

void sari_expression_use_table(sari_expression* e, const sari_table* from, const sari_table* to)
{
    for (int i = 0; i < e->count; i++)
        if (e->code[i].op == SARI_OP_TABLE && e->code[i].table == from) e->code[i].table = to;
    for (int i = 0; e->lines && i < e->lines->count; i++) {
        sari_line* l = &e->lines->line[i];
        if (l->op == SARI_OP_TABLE && l->table == from) l->table = to;
    }
}

bool sari_expression_uses_inputs(const sari_expression* e)
{
    for (int i = 0; i < e->count; i++)
        if (e->code[i].op == SARI_OP_TABLE && e->code[i].table->of_time) return true;
    return false;
}
