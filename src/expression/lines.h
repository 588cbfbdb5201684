/* Expressions as lines of a program with registers, for evaluation.
 *
 * The stack code (expression/code.h) is what an expression is: it is parsed into, measured, converted,
 * and its branches are held in it. Lines are made from it once. Every line computes one register from
 * others; what occurs twice is computed once, constants are part of the lines, and it is known which
 * lines depend on variables. Branches that are not taken are jumped over, as in the stack code.
 *
 * Values have the bits of the stack code, and so have gradients by up to SARI_FORWARD variables, found by
 * forward mode. Those by more are found by reverse mode: in one run back over the lines,
 *
 *     w_operand += w_result df/d operand
 *
 * where the forward mode needs a run for every SARI_FORWARD of them. */
#ifndef SARI_EXPRESSION_LINES_H
#define SARI_EXPRESSION_LINES_H

#include "expression/code.h"

enum {
    SARI_LINES = 192, ///< of an expression; longer ones are run as stack code
    SARI_FORWARD = 4, ///< derivatives at a time
    SARI_LINE_INPUTS = 5
};

/// Operations of lines besides those of the stack code; c is the line's number.
enum {
    SARI_LINE_MOVE = SARI_OPS, ///< from one branch or the other
    SARI_LINE_SQUARE,
    SARI_LINE_CUBE,
    SARI_LINE_FROM, ///< c - x
    SARI_LINE_OVER, ///< x / c
    SARI_LINE_INTO, ///< c / x
    SARI_LINE_END   ///< the result is its input
};

typedef struct sari_line {
    unsigned char op;
    bool active;                ///< depends on a variable
    bool still;                 ///< does not, and one that does uses it: its derivatives are zero
    short to;                   ///< register
    short in[SARI_LINE_INPUTS]; ///< registers; jumps: in[0] is the condition
    short jump;                 ///< to the line so many further on
    union {
        double number;
        struct {
            int index, slot; ///< VARIABLE
        };
        const sari_table* table;
    };
} sari_line;

typedef struct sari_lines {
    int count;    ///< with END
    bool differs; ///< gradients can be found with them: no ramp or step depends on a variable
    sari_line line[];
} sari_lines;

/// Make the lines of an expression, where it is short enough. 0: out of memory.
int sari_lines_make(sari_expression* e);

double sari_lines_value(const sari_lines* lines, const double* variables);
/// As sari_expression_gradient, for so many variables.
double sari_lines_gradient(const sari_lines* lines, const double* variables, int count,
                           double* gradient);
/// As sari_expression_series_along; `direction` NULL: along the variable in `slot`.
void sari_lines_series(const sari_lines* lines, const double* variables, int slot,
                       const double* direction, double out[3]);

#endif
