/* Writing a register program, operation by operation.
 *
 * Values are numbered as they are written, each once (static single assignment). When all is written,
 * sari_writer_finish drops what is not used, marks what has derivatives, and gives the values registers.
 * Running out of memory is remembered in `failed`; all that is written after it has no effect. */
#ifndef SARI_EXPRESSION_WRITER_H
#define SARI_EXPRESSION_WRITER_H

#include "expression/program.h"

typedef struct sari_value {
    int by;           ///< the instruction that computes it; -1: a condition
    bool active;      ///< depends on a variable, and has derivatives
    unsigned depends; ///< 1: on time, 2: on other variables
} sari_value;

typedef struct sari_writer {
    sari_instruction* code; ///< `to` and `in` are values
    sari_value* value;
    int* shared; ///< instructions whose results are there, whatever was jumped over
    int count, values, shared_count;
    int capacity[3];  ///< of code, value, shared
    int above_linear; ///< as in sari_expression
    bool failed;
} sari_writer;

/// How far a program is written.
typedef struct sari_writer_mark {
    int count, values, shared_count, above_linear;
} sari_writer_mark;

/// A condition of which one side is written.
typedef struct sari_written_condition {
    int to_second, to_end; ///< jumps
    int into;              ///< the value of either side
    int shared_count;
} sari_written_condition;

/// All of these return values.
int sari_write_constant(sari_writer* w, double number);
int sari_write_variable(sari_writer* w, int index);
/// `table` only of TABLE. Operations on constants are done at once.
int sari_write_operation(sari_writer* w, sari_op op, const int* in, const sari_table* table);
bool sari_writer_knows(const sari_writer* w, int value, double* number); ///< is it a constant?

/// value ? first : second: begin, write the first side, go on with the second one, end.
sari_written_condition sari_write_condition(sari_writer* w, int value);
void sari_write_otherwise(sari_writer* w, sari_written_condition* c, int first);
int sari_write_condition_end(sari_writer* w, sari_written_condition* c, int second);

sari_writer_mark sari_writer_mark_here(const sari_writer* w);
/// Forget all that was written since.
void sari_writer_cut(sari_writer* w, sari_writer_mark mark);

/// Make the expression with this result; NULL when out of memory. The writer is empty then.
sari_expression* sari_writer_finish(sari_writer* w, int result);
void sari_writer_release(sari_writer* w);

#endif
