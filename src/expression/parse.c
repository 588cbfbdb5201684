/* From text to stack code, by recursive descent. From loose to tight:
 *
 *     condition ? a : b     or     and     not     < <= > >= == !=     + -     * /     - + (signs)
 * ^
 *
 * Powers group from the right, everything else from the left; a sign may follow '^' (2^-3).
 *
 * Operations on constants are done at once, by running the code just written. The branches of a
 * condition are separated by jumps, so that the one not taken is not computed; where the condition
 * is constant only the taken one is kept. */
#include "expression/lines.h"
#include "expression/token.h"

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
    sari_instruction* code;
    int count, capacity;
    int label;    ///< jumps lead here at the latest: constants before it are not ours to fold
    int operands; ///< on the stack after the code so far
    sari_dimension dimension[SARI_STACK_DEPTH + 1]; ///< theirs
    sari_name_dimension dimension_of;               ///< of constants; NULL: open
    int nesting;
} parser;

static sar_status parse_condition(parser* p);
static bool is_variable(void* context, const char* name, size_t length);

/* ---- writing code --------------------------------------------------------------------------- */

static sar_status append(parser* p, sari_instruction i)
{
    void* code = p->code;
    int room = sari_grow(&code, p->count, &p->capacity, sizeof i);
    p->code = code;
    if (!room) return sari_fail(p->error, SAR_E_NOMEM, NULL, "out of memory");
    p->code[p->count++] = i;
    return SAR_OK;
}

static sar_status push(parser* p, sari_instruction i, int offset)
{
    if (p->operands == SARI_PARSED_DEPTH)
        return sari_expression_fail(p->error, offset,
                                    "more than %d operations wait for their operands here: put "
                                    "the nested part first, or into a parameter",
                                    SARI_PARSED_DEPTH);
    p->dimension[p->operands++] = (sari_dimension){.known = SARI_OPEN};
    return append(p, i);
}

static sar_status push_constant(parser* p, double value, int offset)
{
    return push(p, (sari_instruction){.op = SARI_OP_CONSTANT, .number = value}, offset);
}

static bool ends_in_constants(const parser* p, int how_many)
{
    if (p->count - how_many < p->label) return false;
    for (int k = 1; k <= how_many; k++)
        if (p->code[p->count - k].op != SARI_OP_CONSTANT) return false;
    return true;
}

/// The dimension of an operation, in the place of those of its operands.
static sar_status measure(parser* p, sari_op op, int operands)
{
    sari_dimension* d = p->dimension + p->operands - operands;
    const double exponent = ends_in_constants(p, 1) ? p->code[p->count - 1].number : NAN;
    char why[256];
    if (sari_op_measure(op, exponent, d, why, sizeof why)) return SAR_OK;
    return sari_expression_fail(p->error, p->token.offset, "%s", why);
}

static sar_status apply(parser* p, sari_instruction i)
{
    const sari_op op = i.op;
    int operands = sari_op_table[op].operands;
    bool all_constant = ends_in_constants(p, operands);
    SARI_TRY(measure(p, op, operands));
    if (op == SARI_OP_POW && ends_in_constants(p, 1)) { // has better derivatives, and is faster
        p->code[p->count - 1].op = SARI_OP_POWER;
    } else {
        SARI_TRY(append(p, i));
    }
    p->operands -= operands - 1;
    if (!all_constant) return SAR_OK;
    int first = p->count - (op == SARI_OP_POW ? 2 : operands + 1);
    double value = sari_code_value(p->code + first, p->count - first, NULL);
    p->code[first] = (sari_instruction){.op = SARI_OP_CONSTANT, .number = value};
    p->count = first + 1;
    return SAR_OK;
}

static sar_status operate(parser* p, sari_op op)
{
    return apply(p, (sari_instruction){.op = op});
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
    const bool number = p->token.kind == SARI_TOKEN_NAME && p->count > 0 &&
                        p->code[p->count - 1].op == SARI_OP_CONSTANT;
    if (!number || (size_t)p->token.length != strcspn(name, " */^()")) return NULL;
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

static bool starts_value(sari_token_kind kind)
{
    return kind == SARI_TOKEN_NUMBER || kind == SARI_TOKEN_NAME || kind == SARI_TOKEN_OPEN;
}

/// Read what must stand after a complete value: `kind`, or else the message about the `opener`.
static sar_status expect(parser* p, sari_token_kind kind, const char* sign, const char* role,
                         const sari_token* opener)
{
    if (p->token.kind == kind) return next(p);
    if (starts_value(p->token.kind))
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

static bool same_word(const char* name, size_t length, const char* word)
{
    return word && strlen(word) == length && memcmp(name, word, length) == 0;
}

static int find_function(const char* name, size_t length)
{
    for (int op = 0; op < SARI_OPS; op++)
        if (same_word(name, length, sari_op_table[op].word)) return op;
    return -1;
}

static const sari_table* find_table(const parser* p, const char* name, size_t length)
{
    return p->tables ? sari_table_find(p->tables, name, length) : NULL;
}

/// Constants that are always known: plain numbers.
static bool find_known(const char* name, size_t length, double* constant)
{
    static const struct {
        const char* word;
        double value;
    } known[] = {{"pi", 3.14159265358979323846}, {"e", 2.71828182845904523536}, {"inf", INFINITY}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (!same_word(name, length, known[k].word)) continue;
        *constant = known[k].value;
        return true;
    }
    return false;
}

/// As sari_name_lookup, with these.
static int look_up(const parser* p, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    why[0] = '\0';
    if (find_known(name, length, constant)) return SARI_NAME_CONSTANT;
    return p->lookup ? p->lookup(p->context, name, length, constant, why, size) : SARI_NAME_UNKNOWN;
}

/// An input is a function of the time that is written without it.
static sar_status parse_input(parser* p, const sari_token* name, const sari_table* input)
{
    char why[320];
    double constant;
    const int time = look_up(p, "t", 1, &constant, why, sizeof why);
    if (time < 0)
        return sari_expression_fail(
            p->error, name->offset,
            "'%.*s' is an input, which changes with time: it cannot be used here",
            sari_shown(name->length), p->text + name->offset);
    SARI_TRY(push(p, (sari_instruction){.op = SARI_OP_VARIABLE, .target = time}, name->offset));
    return apply(p, (sari_instruction){.op = SARI_OP_TABLE, .table = input});
}

static sar_status parse_name(parser* p, const sari_token* name)
{
    const char* start = p->text + name->offset;
    int shown = sari_shown(name->length);
    char why[320];
    double constant = 0;
    const sari_table* table = find_table(p, start, (size_t)name->length);
    if (table && table->of_time) return parse_input(p, name, table);
    if (table || find_function(start, (size_t)name->length) >= 0)
        return sari_expression_fail(p->error, name->offset, "'%.*s' is a function: write %.*s(...)",
                                    shown, start, shown, start);
    int index = look_up(p, start, (size_t)name->length, &constant, why, sizeof why);
    if (index == SARI_NAME_CONSTANT) {
        SARI_TRY(push_constant(p, constant, name->offset));
        if (find_known(start, (size_t)name->length, &constant))
            p->dimension[p->operands - 1] = (sari_dimension){.known = SARI_PLAIN};
        else if (p->dimension_of)
            p->dimension[p->operands - 1] =
                p->dimension_of(p->context, start, (size_t)name->length);
        return SAR_OK;
    }
    if (index >= 0)
        return push(p, (sari_instruction){.op = SARI_OP_VARIABLE, .target = index}, name->offset);
    if (why[0]) return sari_expression_fail(p->error, name->offset, "%s", why);
    return sari_expression_fail(p->error, name->offset, "unknown name '%.*s'", shown, start);
}

/// The function that `word` may be a typo or another language's name of, or NULL.
static const char* suggest_function(const parser* p, const char* word)
{
    static const char* const synonyms[][2] = {{"ln", "log"}, {"arctan2", "atan2"}, {"sgn", "sign"}};
    for (size_t k = 0; k < sizeof synonyms / sizeof synonyms[0]; k++)
        if (strcmp(word, synonyms[k][0]) == 0) return synonyms[k][1];
    const char* words[SARI_OPS];
    int count = 0;
    for (int op = 0; op < SARI_OPS; op++)
        if (sari_op_table[op].word) words[count++] = sari_op_table[op].word;
    const char* near = NULL;
    for (int k = 0; p->tables && k < p->tables->count && !near; k++) {
        const char* name = p->tables->at[k]->name;
        near = sari_nearest_word(word, &name, 1);
    }
    return near ? near : sari_nearest_word(word, words, count);
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
    if (look_up(p, start, (size_t)name->length, &constant, why, sizeof why) >= SARI_NAME_CONSTANT)
        return sari_expression_fail(p->error, name->offset,
                                    "'%s' is not a function (multiplication is written with '*')",
                                    word);
    const char* near = suggest_function(p, word);
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
    if (count == 1) return apply(p, (sari_instruction){.op = SARI_OP_TABLE, .table = table});
    return sari_expression_fail(p->error, name->offset, "the table %s takes 1 argument, got %d",
                                table->name, count);
}

/* A spline z(x, y) through values z_ij over a grid is a sum of products,
 *
 *     z(x, y) = sum_j T_j(x) B_j(y)                                                           (1)
 *
 * where T_j is the spline through row j of the values, and B_j that through 1 at y_j and 0 at the
 * others. So it is that many tables of one variable, and a call of it is the sum: nobody else knows, and
 * derivatives are exact. The arguments are read once for each row. */
static sar_status parse_grid(parser* p, const sari_token* name, int rows)
{
    const char* start = p->text + name->offset;
    const size_t length = (size_t)name->length;
    const sari_token open = p->token;
    for (int j = 0; j < rows; j++) {
        p->token = open;
        for (int k = 0; k < 2; k++) {
            const sari_table* part = sari_table_part(p->tables, start, length, "xy"[k], j);
            SARI_TRY(next(p));
            SARI_TRY(parse_condition(p));
            SARI_TRY(apply(p, (sari_instruction){.op = SARI_OP_TABLE, .table = part}));
            if ((p->token.kind == SARI_TOKEN_COMMA) != (k == 0))
                return sari_expression_fail(
                    p->error, name->offset, "the table %.*s takes 2 arguments: write %.*s(x, y)",
                    sari_shown(name->length), start, sari_shown(name->length), start);
        }
        SARI_TRY(operate(p, SARI_OP_MULTIPLY));
        if (j > 0) SARI_TRY(operate(p, SARI_OP_ADD));
        SARI_TRY(expect(p, SARI_TOKEN_CLOSE, ")", "close", &open));
    }
    return SAR_OK;
}

static sar_status parse_call(parser* p, const sari_token* name)
{
    const char* start = p->text + name->offset;
    const sari_table* grid =
        p->tables ? sari_table_part(p->tables, start, (size_t)name->length, 'x', 0) : NULL;
    if (grid && grid->rows) return parse_grid(p, name, grid->rows);
    const sari_table* table = find_table(p, start, (size_t)name->length);
    if (table && table->of_time)
        return sari_expression_fail(
            p->error, name->offset,
            "'%s' is an input, not a function: write it without parentheses", table->name);
    if (table) return parse_table(p, name, table);
    int found = find_function(start, (size_t)name->length);
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
    const int index = look_up(context, name, length, &constant, why, sizeof why);
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
    SARI_TRY(push_constant(p, unit.times, start));
    p->dimension[p->operands - 1] = unit.dimension;
    SARI_TRY(operate(p, SARI_OP_MULTIPLY));
    p->token = (sari_token){.offset = start, .length = length};
    if (unit.by != 1.0) {
        SARI_TRY(push_constant(p, unit.by, start));
        p->dimension[p->operands - 1] = (sari_dimension){.known = SARI_PLAIN};
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
        SARI_TRY(push_constant(p, first.number, first.offset));
        p->dimension[p->operands - 1] = (sari_dimension){.known = SARI_PLAIN};
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

static sar_status expect_colon(parser* p, const sari_token* question)
{
    return expect(p, SARI_TOKEN_COLON, ":", "go with", question);
}

/// The condition is a constant, the last instruction: keep the code of one branch.
static sar_status parse_known_branches(parser* p, const sari_token* question)
{
    bool first = p->code[--p->count].number != 0;
    int operands = --p->operands, start = p->count, label = p->label;
    SARI_TRY(parse_condition(p));
    const sari_dimension one = p->dimension[operands];
    SARI_TRY(expect_colon(p, question));
    if (first) {
        start = p->count;
        label = p->label;
    } else {
        p->count = start;
        p->label = label;
    }
    p->operands = operands;
    SARI_TRY(parse_condition(p));
    p->dimension[operands] = sari_dimension_either(one, p->dimension[operands]);
    if (first) {
        p->count = start;
        p->label = label;
    }
    return SAR_OK;
}

static sar_status parse_branches(parser* p, const sari_token* question)
{
    int operands = --p->operands, to_second = p->count;
    SARI_TRY(append(p, (sari_instruction){.op = SARI_OP_JUMP_IF_ZERO}));
    p->label = p->count;
    SARI_TRY(parse_condition(p));
    const sari_dimension one = p->dimension[operands];
    SARI_TRY(expect_colon(p, question));
    int to_end = p->count;
    SARI_TRY(append(p, (sari_instruction){.op = SARI_OP_JUMP}));
    p->code[to_second].target = p->label = p->count;
    p->operands = operands;
    SARI_TRY(parse_condition(p));
    p->dimension[operands] = sari_dimension_either(one, p->dimension[operands]);
    p->code[to_end].target = p->label = p->count;
    return SAR_OK;
}

static sar_status parse_condition(parser* p)
{
    SARI_TRY(enter(p));
    SARI_TRY(parse_operators(p, BINDS_OR));
    if (p->token.kind == SARI_TOKEN_QUESTION) {
        sari_token question = p->token;
        SARI_TRY(next(p));
        if (ends_in_constants(p, 1))
            SARI_TRY(parse_known_branches(p, &question));
        else
            SARI_TRY(parse_branches(p, &question));
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

static int compare_indices(const void* a, const void* b)
{
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

int sari_expression_number(sari_expression* e)
{
    int uses = 0;
    for (int k = 0; k < e->count; k++) uses += e->code[k].op == SARI_OP_VARIABLE;
    if (uses == 0) return 1;
    e->variables = SARI_NEW_ARRAY(int, uses);
    if (!e->variables) return 0;
    int n = 0;
    for (int k = 0; k < e->count; k++)
        if (e->code[k].op == SARI_OP_VARIABLE) e->variables[n++] = e->code[k].target;
    qsort(e->variables, (size_t)n, sizeof(int), compare_indices);
    for (int k = 0; k < n; k++)
        if (k == 0 || e->variables[k] != e->variables[k - 1])
            e->variables[e->variable_count++] = e->variables[k];
    for (int k = 0; k < e->count; k++) {
        if (e->code[k].op != SARI_OP_VARIABLE) continue;
        const int* at = bsearch(&e->code[k].target, e->variables, (size_t)e->variable_count,
                                sizeof(int), compare_indices);
        e->code[k].slot = (int)(at - e->variables);
    }
    return 1;
}

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

sari_dimension sari_expression_dimension(const sari_expression* e)
{
    return e->dimension;
}

sar_status sari_expression_compile_measured(const char* text, sari_name_lookup lookup,
                                            sari_name_dimension dimension, void* context,
                                            const sari_table_list* tables, sari_expression** out,
                                            sar_error* error)
{
    *out = NULL;
    if (!text) return sari_fail(error, SAR_E_ARG, NULL, "there is no expression");
    if (strlen(text) > SARI_EXPRESSION_LENGTH)
        return sari_expression_fail(error, SARI_EXPRESSION_LENGTH,
                                    "the expression is longer than %d characters",
                                    SARI_EXPRESSION_LENGTH);
    parser p = {.text = text,
                .lookup = lookup,
                .context = context,
                .dimension_of = dimension,
                .tables = tables,
                .error = error};
    sar_status status = parse(&p);
    sari_expression* e = status == SAR_OK ? SARI_NEW(sari_expression) : NULL;
    if (!e) {
        sari_release(p.code);
        return status != SAR_OK ? status : sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    }
    e->code = p.code;
    e->count = p.count;
    e->dimension = p.dimension[0];
    sari_expression_mark_time(e);
    if (!sari_expression_number(e) || !sari_lines_make(e)) {
        sari_expression_destroy(e);
        return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    }
    *out = e;
    return SAR_OK;
}

void sari_expression_destroy(sari_expression* e)
{
    if (!e) return;
    sari_release(e->code);
    sari_release(e->lines);
    sari_release(e->variables);
    sari_release(e);
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
    return e->count == 1 && e->code[0].op == SARI_OP_VARIABLE;
}
