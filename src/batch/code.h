/* Machine code that is made at run time: straight lines of vector instructions on wide numbers, without
 * a loop, a branch or a table. What the tables of a pattern say is then in the instructions themselves.
 *
 * Instructions are those of AVX, on four lanes each, for x86-64 with the calling convention of Unix. Where
 * memory with code cannot be had (another processor, a system that forbids it), nothing is made, and
 * the loops of wide_step.h do the same operations. */
#ifndef SARI_CODE_H
#define SARI_CODE_H

#include <stddef.h>

/// Memory that is written first, and executed then; never both.
typedef struct sari_code {
    unsigned char* bytes;
    size_t size, room;
    int full; ///< there was more to write than room
} sari_code;

/// 1: there is room, for writing. 0: not on this system.
int sari_code_open(sari_code* code, size_t room);
/// What was written can be executed. 0: this is forbidden here.
int sari_code_close(sari_code* code);
void sari_code_release(sari_code* code);

/// Straight lines for half of the lanes, from `numbers` on, which begin at a cache line, or
/// SARI_HALF bytes after that. `other`: SARI_HALF, then the other half follows piece by piece, or 0.
typedef void sari_program(void* numbers, long other);

enum { SARI_HALF = 32 };

/// Two-operand instructions, by their number.
typedef enum sari_operation {
    SARI_AND = 0x54,
    SARI_ADD = 0x58,
    SARI_MULTIPLY = 0x59,
    SARI_SUBTRACT = 0x5C,
    SARI_DIVIDE = 0x5E,
    SARI_MAX = 0x5F, ///< a > b ? a : b
} sari_operation;

typedef enum sari_comparison { SARI_IS_LESS = 1, SARI_IS_AT_MOST = 2 } sari_comparison;

enum { SARI_REGISTERS = 16, SARI_NUMBER = 64 };

/// Writes instructions, and knows which numbers are in registers already. A number has a place in bytes,
/// SARI_NUMBER times its index; half of its lanes are worked on: the others are 32 bytes further.
typedef struct sari_writer {
    sari_code* code;
    signed char* where;        ///< register of the number with an index, or -1
    int holds[SARI_REGISTERS]; ///< index of the number in a register, or -1
    int taken[SARI_REGISTERS]; ///< that must not be given to another number now
    long used[SARI_REGISTERS]; ///< when it was used last
    long now;
    size_t piece; ///< begin of the present piece of the program
} sari_writer;

enum { SARI_ZERO = 0 }; ///< the register with zeros

/// From here on: a program of its own, and its end. `where`, for all numbers, is all -1, and will be.
sari_program* sari_asm_begin(sari_writer* a, sari_code* code, signed char* where);
void sari_asm_end(sari_writer* a);

/// Here a piece may end: nothing is in registers.
void sari_asm_pause(sari_writer* a);

/// A register for a new number; until `leave` it is the caller's.
int sari_asm_take(sari_writer* a);
void sari_asm_leave(sari_writer* a, int reg);
/// The register that holds a number, which is loaded if need be; to be left as well.
int sari_asm_number(sari_writer* a, int place);
/// A number in a register of its own, which may change.
int sari_asm_copy(sari_writer* a, int place);
/// to = a op b, with b a register or a number.
void sari_asm_operate(sari_writer* a, sari_operation op, int to, int x, int y);
void sari_asm_operate_number(sari_writer* a, sari_operation op, int to, int x, int place);
/// All bits where it holds, else none.
void sari_asm_compare(sari_writer* a, sari_comparison what, int to, int x, int y);
void sari_asm_square_root(sari_writer* a, int to, int x);
/// The product of two numbers, in a register of its own.
int sari_asm_product(sari_writer* a, int x_place, int y_place);
/// The register holds the number from now on, and must not change any more.
void sari_asm_store(sari_writer* a, int place, int reg);

#endif
