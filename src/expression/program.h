/* The register program that an expression is compiled to: the parser writes it (expression/writer.h), and all
 * that is asked of an expression works on it.
 *
 * Every instruction computes one register from others. What occurs twice is computed once, constants are
 * folded and are part of the instructions that use them, and registers are used again when their value is
 * no longer needed. The two sides of `condition ? a : b` are separated by jumps, forward only, so that the
 * side that is not taken is not computed; both move their result into one register. */
#ifndef SARI_EXPRESSION_PROGRAM_H
#define SARI_EXPRESSION_PROGRAM_H

#include "expression/expression.h"
#include "expression/quantity.h"

enum {
    SARI_STACK_DEPTH = 64,          ///< operands that wait at a time; the parser refuses more
    SARI_NESTING_DEPTH = 200,       ///< parentheses, signs, powers inside each other
    SARI_EXPRESSION_LENGTH = 65536, ///< characters
    SARI_SHARED_WITHIN = 192, ///< instructions: what was computed longer ago is computed again
    SARI_REGISTERS =
        384,         ///< always enough: for operands that wait, for what is shared, and one for
                     ///< each of the conditions inside each other, of which there are at most
                     ///< SARI_NESTING_DEPTH/2
    SARI_TAPE = 192, ///< instructions of which reverse mode keeps a record
    SARI_OPERANDS = 5,
};

/// Operation, number of operands, the word that calls it in an expression or NULL, its arguments in words.
/// c is the number of the instruction.
#define SARI_OP_LIST(X)                                                                            \
    X(CONSTANT, 0, NULL, "")                                                                       \
    X(VARIABLE, 0, NULL, "")                                                                       \
    X(JUMP, 0, NULL, "")                                                                           \
    X(JUMP_IF_ZERO, 1, NULL, "")                                                                   \
    X(MOVE, 1, NULL, "")  /* from one side of a condition */                                       \
    X(END, 1, NULL, "")   /* the result is its operand */                                          \
    X(POWER, 1, NULL, "") /* x^c */                                                                \
    X(SQUARE, 1, NULL, "")                                                                         \
    X(CUBE, 1, NULL, "")                                                                           \
    X(SCALE, 1, NULL, "") /* c x */                                                                \
    X(SHIFT, 1, NULL, "") /* x + c */                                                              \
    X(FROM, 1, NULL, "")  /* c - x */                                                              \
    X(OVER, 1, NULL, "")  /* x / c */                                                              \
    X(INTO, 1, NULL, "")  /* c / x */                                                              \
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
    unsigned char op;      ///< sari_op
    bool active;           ///< its result has derivatives that need not be zero
    bool passive;          ///< they are zero, and an active instruction uses it
    bool of_time;          ///< it has guards, and they depend on time (variable 0) alone
    int to;                ///< register
    int in[SARI_OPERANDS]; ///< registers; -1: none
    union {
        int jump; ///< JUMP, JUMP_IF_ZERO: to the instruction this many further on
        int held; ///< has branches: the one that is held (expression/branches.c), 0: none
    };
    union {
        double number;
        struct {
            int index, slot; ///< VARIABLE: which, and its place among those used
        };
        const sari_table* table;
    };
} sari_instruction;

struct sari_expression {
    sari_instruction* code;
    int count;      ///< of instructions, the last is END
    int registers;  ///< at most SARI_REGISTERS
    int* variables; ///< distinct, ascending
    int variable_count;
    sari_dimension dimension; ///< of its value
    int above_linear;         ///< its degree as a polynomial less one, at most
    bool rises;               ///< a ramp or step is active
    bool reversible;          ///< reverse mode can be used
    bool frozen;              ///< branches are held, see sari_expression_freeze
};

enum { SARI_NO_POLYNOMIAL = 6 }; ///< `above_linear` of others, and of higher ones

/* ---- operations (expression/operations.c) ----------------------------------------------------- */

typedef struct sari_partials {
    double f, a, b;    ///< value and first derivatives by the operands
    double aa, ab, bb; ///< second ones
} sari_partials;

/// `factor` * `x`, where an exact zero x means "does not depend": it wins over inf and NaN.
static inline double sari_times(double factor, double x)
{
    const double product = factor * x;
    return x == 0.0 ? 0.0 : product;
}

/// The result of an operation other than arithmetic for the operands x, and its partial derivatives if there
/// are at most two of them. Sums, products, squares ... are in expression/evaluate.c.
double sari_function_value(const sari_instruction* i, const double* x);
sari_partials sari_function_partials(const sari_instruction* i, double a, double b);
/// x^n as all evaluations find it: small powers, which models are full of, by multiplication.
double sari_power(double x, double n);
/// Is its result constant wherever it does not jump?
bool sari_op_is_piecewise_constant(sari_op op);
/// May it jump or have a kink, and has it branches that can be held? How many guards has it?
bool sari_op_switches(sari_op op);
bool sari_op_branches(sari_op op);
int sari_op_guards(sari_op op);
/// The dimension of an operation on operands of the dimensions d[0], d[1] ..., into d[0]. `exponent`
/// of a power is NaN where it is no constant. False: they do not fit, with the reason in `why`.
bool sari_op_measure(sari_op op, double exponent, sari_dimension* d, char* why, size_t size);

/* ---- branches (expression/branches.c) --------------------------------------------------------- */

/// Result of an operation on the branch that it holds; x are its operands.
double sari_held_value(const sari_instruction* i, const double* x);
/// The whole number that floor and mod hold.
int sari_held_whole(int held);
/// On what a branch of an instruction depends, with variable 0 = time: x of table(x) and floor(x), x/p of
/// mod(x, p), else its guard `which`; NaN where the instruction is not reached.
double sari_expression_argument(const sari_expression* e, int instruction, int which,
                                const double* variables, double time);

/* ---- evaluation (expression/evaluate.c) ------------------------------------------------------- */

/// Run one instruction on the registers r, on the branch that it holds if `held`. Returns the next one.
const sari_instruction* sari_instruction_run(const sari_instruction* i, bool held,
                                             const double* variables, double* r);
/// The result of any operation for the operands x; not of variables, constants and jumps.
double sari_op_value(const sari_instruction* i, const double* x);
/// The operands of an instruction out of the registers r.
static inline void sari_instruction_operands(const sari_instruction* i, const double* r, double* x)
{
    for (int k = 0; k < sari_op_table[i->op].operands; k++) x[k] = r[i->in[k]];
}

#endif
