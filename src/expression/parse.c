/* From text to a register program, by recursive descent. From loose to tight:
 *
 *     condition ? a : b    or    and    not    < <= > >= == !=    + -    * /    - + (signs)    ^
 *
 * Powers group from the right, everything else from the left; a sign may follow '^' (2^-3).
 *
 * Operations on constants are done at once; where a condition is constant only the side that is taken is
 * kept. */
#include "expression/token.h"
#include "expression/words.h"
#include "expression/writer.h"

#include "base/memory.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const char* text;
    sari_token token; ///< the next one, not yet used
    sari_name_lookup lookup;
    void* context;
    const sari_table_list* tables;
    sar_error* error;
    sari_writer program;
    int operands;                                   ///< that wait for their operation
    int operand[SARI_STACK_DEPTH];                  ///< their values in the program
    sari_dimension dimension[SARI_STACK_DEPTH + 1]; ///< theirs
    sari_name_dimension dimension_of;               ///< of constants; NULL: open
    int nesting;
} parser;

static sar_status parse_condition(parser* p);
static bool is_variable(void* context, const char* name, size_t length);

/* ---- writing -------------------------------------------------------------------------------- */

static sar_status check_memory(parser* p)
{
    return p->program.failed ? sari_fail(p->error, SAR_E_NOMEM, NULL, "out of memory") : SAR_OK;
}

static sar_status push(parser* p, int value, sari_known known)
{
    p->dimension[p->operands] = (sari_dimension){.known = known};
    p->operand[p->operands++] = value;
    return check_memory(p);
}

static sar_status check_depth(parser* p, int offset)
{
    if (p->operands < SARI_STACK_DEPTH) return SAR_OK;
    return sari_expression_fail(p->error, offset,
                                "more than %d operations wait for their operands here: put "
                                "the nested part first, or into a parameter",
                                SARI_STACK_DEPTH);
}

static sar_status push_constant(parser* p, double value, int offset, sari_known known)
{
    SARI_TRY(check_depth(p, offset));
    return push(p, sari_write_constant(&p->program, value), known);
}

static sar_status push_variable(parser* p, int index, int offset)
{
    SARI_TRY(check_depth(p, offset));
    return push(p, sari_write_variable(&p->program, index), SARI_OPEN);
}

/// Is the last operand a constant?
static bool ends_in_constant(const parser* p, double* number)
{
    return p->operands > 0 && sari_writer_knows(&p->program, p->operand[p->operands - 1], number);
}

static sar_status apply(parser* p, sari_op op, const sari_table* table)
{
    const int operands = sari_op_table[op].operands;
    double exponent = NAN;
    char why[256];
    p->operands -= operands - 1;
    const int last = p->operands - 1;
    sari_writer_knows(&p->program, p->operand[last + operands - 1], &exponent);
    if (!sari_op_measure(op, exponent, &p->dimension[last], why, sizeof why))
        return sari_expression_fail(p->error, p->token.offset, "%s", why);
    p->operand[last] = sari_write_operation(&p->program, op, &p->operand[last], table);
    return check_memory(p);
}

static sar_status operate(parser* p, sari_op op)
{
    return apply(p, op, NULL);
}

/* ---- reading -------------------------------------------------------------------------------- */

static sar_status next(parser* p)
{
    return sari_token_read(p->text, p->token.offset + p->token.length, &p->token, p->error);
}

static sar_status enter(parser* p)
{
    if (p->nesting == SARI_NESTING_DEPTH)
        return sari_expression_fail(p->error, p->token.offset, "nested more than %d levels deep",
                                    SARI_NESTING_DEPTH);
    p->nesting++;
    return SAR_OK;
}

static void leave(parser* p)
{
    p->nesting--;
}

/// A name after a number: a unit without a blank before it, or with a typo? NULL: neither.
static const char* unit_meant(parser* p, bool* known)
{
    const char* name = p->text + p->token.offset;
    sari_unit unit;
    double number;
    if (p->token.kind != SARI_TOKEN_NAME || !ends_in_constant(p, &number) ||
        (size_t)p->token.length != strcspn(name, " */^()"))
        return NULL;
    *known = sari_unit_read(name, is_variable, p, &unit) > 0;
    return *known ? name : sari_unit_near(name, (size_t)p->token.length);
}

/// The next token cannot stand here; `wanted` says what could.
static sar_status unexpected(parser* p, const char* wanted)
{
    const sari_token* t = &p->token;
    const int shown = sari_shown(t->length);
    const char* name = p->text + t->offset;
    bool known = false;
    if (t->kind == SARI_TOKEN_END)
        return sari_expression_fail(p->error, t->offset, "expected %s, but the expression ends",
                                    wanted);
    const char* unit = unit_meant(p, &known);
    if (unit && known && t->offset > 0 && name[-1] != ' ')
        return sari_expression_fail(
            p->error, t->offset, "write a blank between a number and its unit '%.*s'", shown, name);
    if (unit && !known)
        return sari_expression_fail(
            p->error, t->offset, "there is no unit '%.*s'; did you mean '%s'?", shown, name, unit);
    return sari_expression_fail(p->error, t->offset, "expected %s before '%.*s'", wanted, shown,
                                name);
}

/// Read what must stand after a complete value: `kind`, or else the message about the `opener`.
static sar_status expect(parser* p, sari_token_kind kind, const char* sign, const char* role,
                         const sari_token* opener)
{
    if (p->token.kind == kind) return next(p);
    if (sari_token_starts_value(p->token.kind))
        return unexpected(p, "an operator (multiplication is written with '*')");
    return sari_expression_fail(p->error, p->token.offset,
                                "expected '%s' to %s the '%.1s' at character %d", sign, role,
                                p->text + opener->offset, opener->offset + 1);
}

/// Something is left after the whole expression.
static sar_status refuse_rest(parser* p)
{
    switch (p->token.kind) {
    case SARI_TOKEN_CLOSE:
        return sari_expression_fail(p->error, p->token.offset, "')' without a '(' before it");
    case SARI_TOKEN_COLON:
        return sari_expression_fail(p->error, p->token.offset, "':' without a '?' before it");
    case SARI_TOKEN_COMMA:
        return sari_expression_fail(p->error, p->token.offset,
                                    "',' only separates the arguments of a function (decimals "
                                    "are written with a point)");
    default:
        return unexpected(p, "an operator (multiplication is written with '*')");
    }
}

/* ---- names and functions -------------------------------------------------------------------- */

static const sari_table* find_table(const parser* p, const char* name, size_t length)
{
    return p->tables ? sari_table_find(p->tables, name, length) : NULL;
}

/// As sari_name_lookup, with these.
static int find_name(const parser* p, const char* name, size_t length, double* constant, char* why,
                     size_t size)
{
    why[0] = '\0';
    if (sari_find_known(name, length, constant)) return SARI_NAME_CONSTANT;
    return p->lookup ? p->lookup(p->context, name, length, constant, why, size) : SARI_NAME_UNKNOWN;
}

/// An input is a function of the time that is written without it.
static sar_status parse_input(parser* p, const sari_token* name, const sari_table* input)
{
    char why[320];
    double constant;
    const int time = find_name(p, "t", 1, &constant, why, sizeof why);
    if (time < 0)
        return sari_expression_fail(
            p->error, name->offset,
            "'%.*s' is an input, which changes with time: it cannot be used here",
            sari_shown(name->length), p->text + name->offset);
    SARI_TRY(push_variable(p, time, name->offset));
    return apply(p, SARI_OP_TABLE, input);
}

static sar_status parse_name(parser* p, const sari_token* name)
{
    const char* start = p->text + name->offset;
    int shown = sari_shown(name->length);
    char why[320];
    double constant = 0;
    const sari_table* table = find_table(p, start, (size_t)name->length);
    if (table && table->of_time) return parse_input(p, name, table);
    if (table || sari_find_function(start, (size_t)name->length) >= 0)
        return sari_expression_fail(p->error, name->offset, "'%.*s' is a function: write %.*s(...)",
                                    shown, start, shown, start);
    int index = find_name(p, start, (size_t)name->length, &constant, why, sizeof why);
    if (index == SARI_NAME_CONSTANT) {
        const bool plain = sari_find_known(start, (size_t)name->length, &constant);
        SARI_TRY(push_constant(p, constant, name->offset, plain ? SARI_PLAIN : SARI_OPEN));
        if (!plain && p->dimension_of)
            p->dimension[p->operands - 1] =
                p->dimension_of(p->context, start, (size_t)name->length);
        return SAR_OK;
    }
    if (index >= 0) return push_variable(p, index, name->offset);
    if (why[0]) return sari_expression_fail(p->error, name->offset, "%s", why);
    return sari_expression_fail(p->error, name->offset, "unknown name '%.*s'", shown, start);
}

static sar_status refuse_function(const parser* p, const sari_token* name)
{
    const char* start = p->text + name->offset;
    char why[320], word[64] = "";
    double constant;
    memcpy(word, start, (size_t)sari_shown(name->length));
    if (strcmp(word, "if") == 0)
        return sari_expression_fail(p->error, name->offset,
                                    "'if' is not a function: write condition ? a : b");
    if (find_name(p, start, (size_t)name->length, &constant, why, sizeof why) >= SARI_NAME_CONSTANT)
        return sari_expression_fail(p->error, name->offset,
                                    "'%s' is not a function (multiplication is written with '*')",
                                    word);
    const char* near = sari_suggest_function(p->tables, word);
    if (near)
        return sari_expression_fail(p->error, name->offset,
                                    "unknown function '%s' (did you mean '%s'?)", word, near);
    return sari_expression_fail(p->error, name->offset, "unknown function '%s'", word);
}

/// The arguments up to ')'. With `joined` they are reduced two by two as they come: min(a, b, c).
static sar_status parse_arguments(parser* p, bool joined, sari_op op, int* count)
{
    sari_token open = p->token;
    SARI_TRY(next(p));
    *count = 0;
    while (*count > 0 || p->token.kind != SARI_TOKEN_CLOSE) {
        SARI_TRY(parse_condition(p));
        ++*count;
        if (joined && *count > 1) SARI_TRY(operate(p, op));
        if (p->token.kind != SARI_TOKEN_COMMA) break;
        SARI_TRY(next(p));
    }
    return expect(p, SARI_TOKEN_CLOSE, ")", "close", &open);
}

static sar_status parse_table(parser* p, const sari_token* name, const sari_table* table)
{
    int count;
    SARI_TRY(parse_arguments(p, false, SARI_OP_TABLE, &count));
    if (count == 1) return apply(p, SARI_OP_TABLE, table);
    return sari_expression_fail(p->error, name->offset, "the table %s takes 1 argument, got %d",
                                table->name, count);
}

/* A spline z(x, y) through values z_ij over a grid is a sum of products,
 *
 *     z(x, y) = sum_j T_j(x) B_j(y)                                                           (1)
 *
 * where T_j is the spline through row j of the values, and B_j that through 1 at y_j and 0 at the
 * others. So it is that many tables of one variable, and a call of it is the sum: no other part knows, and
 * derivatives are exact. */
static sar_status parse_grid(parser* p, const sari_token* name, int rows)
{
    const char* start = p->text + name->offset;
    int count, sum = sari_write_constant(&p->program, 0.0);
    SARI_TRY(parse_arguments(p, false, SARI_OP_TABLE, &count));
    if (count != 2)
        return sari_expression_fail(
            p->error, name->offset, "the table %.*s takes 2 arguments: write %.*s(x, y)",
            sari_shown(name->length), start, sari_shown(name->length), start);
    const int* argument = &p->operand[p->operands - 2];
    for (int j = 0; j < rows; j++) {
        int part[2];
        for (int k = 0; k < 2; k++)
            part[k] = sari_write_operation(
                &p->program, SARI_OP_TABLE, &argument[k],
                sari_table_part(p->tables, start, (size_t)name->length, "xy"[k], j));
        const int terms[2] = {sum, sari_write_operation(&p->program, SARI_OP_MULTIPLY, part, NULL)};
        sum = j ? sari_write_operation(&p->program, SARI_OP_ADD, terms, NULL) : terms[1];
    }
    p->operands -= 2;
    return push(p, sum, SARI_OPEN);
}

static sar_status parse_call(parser* p, const sari_token* name)
{
    const char* start = p->text + name->offset;
    const sari_table* table = find_table(p, start, (size_t)name->length);
    if (table && table->of_time)
        return sari_expression_fail(
            p->error, name->offset,
            "'%s' is an input, not a function: write it without parentheses", table->name);
    if (table && table->rows) return parse_grid(p, name, table->rows);
    if (table) return parse_table(p, name, table);
    int found = sari_find_function(start, (size_t)name->length);
    if (found < 0) return refuse_function(p, name);
    sari_op op = (sari_op)found;
    const sari_op_info* info = &sari_op_table[op];
    bool joined = op == SARI_OP_MIN || op == SARI_OP_MAX;
    int count;
    SARI_TRY(parse_arguments(p, joined, op, &count));
    if (joined && count >= info->operands) return SAR_OK;
    if (count == info->operands) return operate(p, op);
    if (info->operands == 1)
        return sari_expression_fail(p->error, name->offset, "%s takes 1 argument, got %d",
                                    info->word, count);
    return sari_expression_fail(p->error, name->offset, "%s takes %s%d arguments, got %d: %s(%s)",
                                info->word, joined ? "at least " : "", info->operands, count,
                                info->word, info->arguments);
}

/* ---- the grammar ---------------------------------------------------------------------------- */

/// t and s may be variables: in an expression of the time, "3 N*t" is not N times tonnes.
static bool is_variable(void* context, const char* name, size_t length)
{
    char why[320];
    double constant;
    if (length != 1 || !strchr("ts", name[0])) return false;
    const int index = find_name(context, name, length, &constant, why, sizeof why);
    return index >= 0 && index < SARI_OWN_VARIABLES;
}

/// The unit after the value that ends at character `end`, after a blank; it becomes the last token.
static sar_status parse_unit(parser* p, int end)
{
    sari_unit unit;
    int start = end;
    while (p->text[start] == ' ') start++;
    const int length = start > end ? sari_unit_read(p->text + start, is_variable, p, &unit) : 0;
    if (length == 0) return SAR_OK;
    SARI_TRY(push_constant(p, unit.times, start, SARI_OPEN));
    p->dimension[p->operands - 1] = unit.dimension;
    SARI_TRY(operate(p, SARI_OP_MULTIPLY));
    p->token = (sari_token){.offset = start, .length = length};
    if (unit.by != 1.0) {
        SARI_TRY(push_constant(p, unit.by, start, SARI_PLAIN));
        SARI_TRY(operate(p, SARI_OP_DIVIDE));
    }
    p->dimension[p->operands - 1] = unit.dimension; // the number in front of it is no factor
    return SAR_OK;
}

static sar_status parse_primary(parser* p)
{
    sari_token first = p->token;
    switch (first.kind) {
    case SARI_TOKEN_NUMBER:
        SARI_TRY(push_constant(p, first.number, first.offset, SARI_PLAIN));
        SARI_TRY(parse_unit(p, first.offset + first.length));
        return next(p);
    case SARI_TOKEN_NAME:
        SARI_TRY(next(p));
        return p->token.kind == SARI_TOKEN_OPEN ? parse_call(p, &first) : parse_name(p, &first);
    case SARI_TOKEN_OPEN:
        SARI_TRY(next(p));
        SARI_TRY(parse_condition(p));
        return expect(p, SARI_TOKEN_CLOSE, ")", "close", &first);
    case SARI_TOKEN_NOT:
        return sari_expression_fail(p->error, first.offset,
                                    "put 'not' and what belongs to it in parentheses here");
    default:
        return unexpected(p, "a value");
    }
}

static sar_status parse_signed(parser* p)
{
    sari_token_kind sign = p->token.kind;
    if (sign != SARI_TOKEN_MINUS && sign != SARI_TOKEN_PLUS) {
        SARI_TRY(parse_primary(p));
        if (p->token.kind != SARI_TOKEN_CARET) return SAR_OK;
    }
    SARI_TRY(enter(p));
    SARI_TRY(next(p)); // past the sign or the '^'
    SARI_TRY(parse_signed(p));
    leave(p);
    if (sign == SARI_TOKEN_PLUS) return SAR_OK;
    return operate(p, sign == SARI_TOKEN_MINUS ? SARI_OP_NEGATE : SARI_OP_POW);
}

/// How tightly an operator binds.
enum { BINDS_OR = 1, BINDS_AND, BINDS_NOT, BINDS_COMPARISON, BINDS_SUM, BINDS_PRODUCT };

static int binding(sari_token_kind kind, sari_op* op)
{
    static const struct {
        sari_op op;
        int binds;
    } operators[] = {
        [SARI_TOKEN_OR] = {SARI_OP_OR, BINDS_OR},
        [SARI_TOKEN_AND] = {SARI_OP_AND, BINDS_AND},
        [SARI_TOKEN_LESS] = {SARI_OP_LESS, BINDS_COMPARISON},
        [SARI_TOKEN_AT_MOST] = {SARI_OP_AT_MOST, BINDS_COMPARISON},
        [SARI_TOKEN_GREATER] = {SARI_OP_GREATER, BINDS_COMPARISON},
        [SARI_TOKEN_AT_LEAST] = {SARI_OP_AT_LEAST, BINDS_COMPARISON},
        [SARI_TOKEN_EQUAL] = {SARI_OP_EQUAL, BINDS_COMPARISON},
        [SARI_TOKEN_DIFFERENT] = {SARI_OP_DIFFERENT, BINDS_COMPARISON},
        [SARI_TOKEN_PLUS] = {SARI_OP_ADD, BINDS_SUM},
        [SARI_TOKEN_MINUS] = {SARI_OP_SUBTRACT, BINDS_SUM},
        [SARI_TOKEN_STAR] = {SARI_OP_MULTIPLY, BINDS_PRODUCT},
        [SARI_TOKEN_SLASH] = {SARI_OP_DIVIDE, BINDS_PRODUCT},
        [SARI_TOKEN_NOT] = {SARI_OP_NOT, 0}, // not binary
    };
    *op = operators[kind].op;
    return operators[kind].binds;
}

/// Operators that bind at least as tightly as `loosest`, and their operands.
static sar_status parse_operators(parser* p, int loosest)
{
    if (p->token.kind == SARI_TOKEN_NOT && loosest <= BINDS_NOT) {
        SARI_TRY(enter(p));
        SARI_TRY(next(p));
        SARI_TRY(parse_operators(p, BINDS_NOT));
        SARI_TRY(operate(p, SARI_OP_NOT));
        leave(p);
    } else {
        SARI_TRY(parse_signed(p));
    }
    for (;;) {
        sari_op op, following;
        int binds = binding(p->token.kind, &op);
        if (binds == 0 || binds < loosest) return SAR_OK;
        SARI_TRY(next(p));
        SARI_TRY(parse_operators(p, binds + 1));
        SARI_TRY(operate(p, op));
        if (binds == BINDS_COMPARISON && binding(p->token.kind, &following) == BINDS_COMPARISON)
            return sari_expression_fail(
                p->error, p->token.offset,
                "comparisons cannot be chained: write 'a < b and b < c', or use parentheses");
    }
}

/// A side of a condition: its value is left behind the operands. `question` where a colon must follow.
static sar_status parse_side(parser* p, const sari_token* question, sari_dimension* dimension)
{
    const int operands = p->operands;
    SARI_TRY(parse_condition(p));
    *dimension = p->dimension[operands];
    if (question) SARI_TRY(expect(p, SARI_TOKEN_COLON, ":", "go with", question));
    p->operands = operands;
    return SAR_OK;
}

/// The condition is a constant: keep one side.
static sar_status parse_known_sides(parser* p, const sari_token* question, bool first)
{
    sari_dimension one, other;
    const sari_writer_mark begin = sari_writer_mark_here(&p->program);
    SARI_TRY(parse_side(p, question, &one));
    const int value = p->operand[p->operands];
    if (!first) sari_writer_cut(&p->program, begin);
    const sari_writer_mark end = sari_writer_mark_here(&p->program);
    SARI_TRY(parse_side(p, NULL, &other));
    if (first) {
        sari_writer_cut(&p->program, end);
        p->operand[p->operands] = value;
    }
    p->dimension[p->operands++] = sari_dimension_either(one, other);
    return SAR_OK;
}

static sar_status parse_sides(parser* p, const sari_token* question)
{
    sari_dimension one, other;
    double condition;
    const bool known = ends_in_constant(p, &condition);
    const int value = p->operand[--p->operands];
    if (known) return parse_known_sides(p, question, condition != 0.0);
    sari_written_condition c = sari_write_condition(&p->program, value);
    SARI_TRY(parse_side(p, question, &one));
    sari_write_otherwise(&p->program, &c, p->operand[p->operands]);
    SARI_TRY(parse_side(p, NULL, &other));
    p->operand[p->operands] = sari_write_condition_end(&p->program, &c, p->operand[p->operands]);
    p->dimension[p->operands++] = sari_dimension_either(one, other);
    return check_memory(p);
}

static sar_status parse_condition(parser* p)
{
    SARI_TRY(enter(p));
    SARI_TRY(parse_operators(p, BINDS_OR));
    if (p->token.kind == SARI_TOKEN_QUESTION) {
        const sari_token question = p->token;
        SARI_TRY(next(p));
        SARI_TRY(parse_sides(p, &question));
    }
    leave(p);
    return SAR_OK;
}

static sar_status parse(parser* p)
{
    p->token = (sari_token){0};
    SARI_TRY(next(p));
    if (p->token.kind == SARI_TOKEN_END)
        return sari_expression_fail(p->error, 0, "the expression is empty");
    SARI_TRY(parse_condition(p));
    return p->token.kind == SARI_TOKEN_END ? SAR_OK : refuse_rest(p);
}

/* ---- compiling ------------------------------------------------------------------------------ */

sar_status sari_expression_compile(const char* text, sari_name_lookup lookup, void* context,
                                   sari_expression** out, sar_error* error)
{
    return sari_expression_compile_with(text, lookup, context, NULL, out, error);
}

sar_status sari_expression_compile_with(const char* text, sari_name_lookup lookup, void* context,
                                        const sari_table_list* tables, sari_expression** out,
                                        sar_error* error)
{
    return sari_expression_compile_measured(text, lookup, NULL, context, tables, out, error);
}

static sar_status check_length(const char* text, sar_error* error)
{
    if (!text) return sari_fail(error, SAR_E_ARG, NULL, "there is no expression");
    if (strlen(text) <= SARI_EXPRESSION_LENGTH) return SAR_OK;
    return sari_expression_fail(error, SARI_EXPRESSION_LENGTH,
                                "the expression is longer than %d characters",
                                SARI_EXPRESSION_LENGTH);
}

/* The only operand, or the first less the second. */
static sar_status finish(parser* p, sar_status status, sari_expression** out)
{
    if (status == SAR_OK && p->operands > 1) status = operate(p, SARI_OP_SUBTRACT);
    if (status == SAR_OK) *out = sari_writer_finish(&p->program, p->operand[0]);
    sari_writer_release(&p->program);
    if (status != SAR_OK) return status;
    if (!*out) return sari_fail(p->error, SAR_E_NOMEM, NULL, "out of memory");
    (*out)->dimension = p->dimension[0];
    return SAR_OK;
}

sar_status sari_expression_compile_difference(const char* text, const char* less,
                                              sari_name_lookup lookup, void* context,
                                              const sari_table_list* tables, sari_expression** out,
                                              sar_error* error)
{
    parser p = {.lookup = lookup, .context = context, .tables = tables, .error = error};
    const char* const texts[2] = {text, less};
    sar_status status = SAR_OK;
    *out = NULL;
    for (int k = 0; k < 2; k++) SARI_TRY(check_length(texts[k], error));
    for (int k = 0; k < 2 && status == SAR_OK; k++) {
        p.text = texts[k];
        status = parse(&p);
    }
    return finish(&p, status, out);
}

sar_status sari_expression_compile_measured(const char* text, sari_name_lookup lookup,
                                            sari_name_dimension dimension, void* context,
                                            const sari_table_list* tables, sari_expression** out,
                                            sar_error* error)
{
    *out = NULL;
    SARI_TRY(check_length(text, error));
    parser p = {.text = text,
                .lookup = lookup,
                .context = context,
                .dimension_of = dimension,
                .tables = tables,
                .error = error};
    return finish(&p, parse(&p), out);
}
