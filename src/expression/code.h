/* The stack code an expression is compiled to: shared by the parser that writes it and the
 * evaluator that runs it, and by nobody else. */
#ifndef SARI_EXPRESSION_CODE_H
#define SARI_EXPRESSION_CODE_H

#include "expression/expression.h"
#include "expression/quantity.h"

enum {
    SARI_PARSED_DEPTH = 64,   ///< operands at a time; the parser refuses code that needs more
    SARI_STACK_DEPTH = 68,    ///< the same with room for sums of such expressions (operations.c)
    SARI_NESTING_DEPTH = 200, ///< parentheses, signs, powers inside each other
    SARI_EXPRESSION_LENGTH = 65536, ///< characters
};

/// Operation, number of operands it takes from the stack (each leaves one result), the word that
/// calls it in an expression or NULL, its arguments in words.
#define SARI_OP_LIST(X)                                                                            \
    X(CONSTANT, 0, NULL, "")                                                                       \
    X(VARIABLE, 0, NULL, "")                                                                       \
    X(JUMP, 0, NULL, "")         /* leaves nothing */                                              \
    X(JUMP_IF_ZERO, 1, NULL, "") /* leaves nothing */                                              \
    X(POWER, 1, NULL, "")        /* with a constant exponent */                                    \
    X(SCALE, 1, NULL, "")        /* by a constant: see operations.c */                             \
    X(SHIFT, 1, NULL, "")        /* likewise */                                                    \
    X(NEGATE, 1, NULL, "")                                                                         \
    X(NOT, 1, NULL, "")                                                                            \
    X(SIN, 1, "sin", "x")                                                                          \
    X(COS, 1, "cos", "x")                                                                          \
    X(TAN, 1, "tan", "x")                                                                          \
    X(ASIN, 1, "asin", "x")                                                                        \
    X(ACOS, 1, "acos", "x")                                                                        \
    X(ATAN, 1, "atan", "x")                                                                        \
    X(SINH, 1, "sinh", "x")                                                                        \
    X(COSH, 1, "cosh", "x")                                                                        \
    X(TANH, 1, "tanh", "x")                                                                        \
    X(EXP, 1, "exp", "x")                                                                          \
    X(LOG, 1, "log", "x")                                                                          \
    X(SQRT, 1, "sqrt", "x")                                                                        \
    X(ABS, 1, "abs", "x")                                                                          \
    X(SIGN, 1, "sign", "x")                                                                        \
    X(FLOOR, 1, "floor", "x")                                                                      \
    X(TABLE, 1, NULL, "") /* called by its own name */                                             \
    X(ADD, 2, NULL, "")                                                                            \
    X(SUBTRACT, 2, NULL, "")                                                                       \
    X(MULTIPLY, 2, NULL, "")                                                                       \
    X(DIVIDE, 2, NULL, "")                                                                         \
    X(LESS, 2, NULL, "")                                                                           \
    X(AT_MOST, 2, NULL, "")                                                                        \
    X(GREATER, 2, NULL, "")                                                                        \
    X(AT_LEAST, 2, NULL, "")                                                                       \
    X(EQUAL, 2, NULL, "")                                                                          \
    X(DIFFERENT, 2, NULL, "")                                                                      \
    X(AND, 2, NULL, "")                                                                            \
    X(OR, 2, NULL, "")                                                                             \
    X(POW, 2, "pow", "x, exponent")                                                                \
    X(ATAN2, 2, "atan2", "y, x")                                                                   \
    X(HYPOT, 2, "hypot", "x, y")                                                                   \
    X(MOD, 2, "mod", "x, period")                                                                  \
    X(MIN, 2, "min", "x, y, ...")                                                                  \
    X(MAX, 2, "max", "x, y, ...")                                                                  \
    X(RAMP, 3, "ramp", "t, t0, t1")                                                                \
    X(PULSE, 3, "pulse", "t, t0, t1")                                                              \
    X(STEP, 5, "step", "t, t0, y0, t1, y1")

typedef enum sari_op {
#define SARI_OP_ENUM(name, operands, word, arguments) SARI_OP_##name,
    SARI_OP_LIST(SARI_OP_ENUM)
#undef SARI_OP_ENUM
        SARI_OPS
} sari_op;

typedef struct sari_op_info {
    int operands;
    const char* word;
    const char* arguments;
} sari_op_info;

extern const sari_op_info sari_op_table[SARI_OPS];

typedef struct sari_instruction {
    sari_op op : 16;
    unsigned of_time : 1; ///< what has guards: they depend on time (variable 0) alone
    int target; ///< VARIABLE: its index; jumps: the instruction to go on with; what has guards: the
                ///< branch that is held, 0: none
    union {
        double number; ///< CONSTANT: its value; POWER: the exponent; SCALE, SHIFT: by what
        int slot;      ///< VARIABLE: its place among the used variables
        const sari_table* table;
    };
} sari_instruction;

struct sari_expression {
    sari_instruction* code;
    int count;
    int* variables; ///< distinct, ascending
    int variable_count;
    sari_dimension dimension; ///< of its value
    bool frozen;              ///< branches are held, see sari_expression_freeze
    struct sari_lines*
        lines; ///< the same for evaluation (expression/lines.h); NULL: there are none
};

/// Result of an operation that has guards on the branch `held`; x are its operands.
double sari_op_held(sari_op op, int held, const double* x);
/// The whole number that floor and mod hold.
int sari_held_whole(int held);
/// Its result for the operands x; not of variables, constants and jumps.
double sari_op_value(const sari_instruction* i, const double* x);
/// f, f', f'' of an operation with one operand, POWER and TABLE with those of the instruction.
void sari_op_partials(const sari_instruction* i, double x, double out[3]);
/// f, f_a, f_b, f_aa, f_ab, f_bb of one with two.
void sari_op_partials2(sari_op op, double a, double b, double out[6]);
/// x^n as all evaluations find it.
double sari_power(double x, double n);
/// On what a branch of an instruction depends, with variable 0 = time: x of table(x) and floor(x), x/p of
/// mod(x, p), else its guard `which`; NaN where the instruction is not reached.
double sari_expression_argument(const sari_expression* e, int instruction, int which,
                                const double* variables, double time);
/// List the distinct variables of its code and give each its slot. 0: out of memory.
int sari_expression_number(sari_expression* e);
/// Set `of_time` of all instructions.
void sari_expression_mark_time(sari_expression* e);
/// Does it hold branches?
bool sari_op_branches(sari_op op);
/// The value with branches held, as far as the code says so.
double sari_expression_held(const sari_expression* e, const double* variables);

/// The dimension of an operation on operands of the dimensions d[0], d[1] ..., into d[0]. `exponent`
/// of a power is NaN where it is no constant. False: they do not fit, with the reason in `why`.
bool sari_op_measure(sari_op op, double exponent, sari_dimension* d, char* why, size_t size);

/// Run `count` instructions that need no more than SARI_STACK_DEPTH operands and leave one.
double sari_code_value(const sari_instruction* code, int count, const double* variables);

#endif
