/* Encoding of the few instructions that programs consist of, and their registers. */
#include "batch/code.h"

#include <string.h>

#if defined(__x86_64__) && defined(__unix__) && !defined(SARRUS_WITHOUT_MACHINE_CODE)
#include <sys/mman.h>
#define CAN_MAKE_CODE 1
#endif

/* ---- memory ----------------------------------------------------------------------------------- */

#ifdef CAN_MAKE_CODE

int sari_code_open(sari_code* code, size_t room)
{
    *code = (sari_code){.room = room};
    void* bytes = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) return 0;
    code->bytes = bytes;
    return 1;
}

int sari_code_close(sari_code* code)
{
    return !code->full && mprotect(code->bytes, code->room, PROT_READ | PROT_EXEC) == 0;
}

void sari_code_release(sari_code* code)
{
    if (code->bytes) (void)munmap(code->bytes, code->room);
    *code = (sari_code){0};
}

#else

int sari_code_open(sari_code* code, size_t room)
{
    (void)room;
    *code = (sari_code){0};
    return 0;
}

int sari_code_close(sari_code* code)
{
    (void)code;
    return 0;
}

void sari_code_release(sari_code* code)
{
    (void)code;
}

#endif

/* ---- instructions ------------------------------------------------------------------------------ */

enum { LONGEST = 32 }; ///< bytes of an instruction, or the end of a piece, at most
enum { LOAD = 0x28, STORE = 0x29, ROOT = 0x51, EXCLUSIVE_OR = 0x57, COMPARE = 0xC2 };

static unsigned char* begin_instruction(sari_code* code)
{
    if (code->size + LONGEST > code->room) {
        code->full = 1;
        code->size = 0; // what follows is not going to be executed
    }
    return code->bytes + code->size;
}

/* VEX prefix and number of an instruction on 256 bits of doubles: `reg` and `second` are registers, `far`
 * says that the operand in `rm` is one of the upper eight. */
static unsigned char* prefix(unsigned char* p, int op, int reg, int second, int far)
{
    const unsigned middle = (unsigned)(~second & 15) << 3 | 5; // 256 bits, doubles
    const unsigned low = reg < 8 ? 0x80 : 0;
    if (far) {
        *p++ = 0xC4;
        *p++ = (unsigned char)(low | 0x41);
        *p++ = (unsigned char)middle;
    } else {
        *p++ = 0xC5;
        *p++ = (unsigned char)(low | middle);
    }
    *p++ = (unsigned char)op;
    return p;
}

/* The operand at rdi + place. */
static void with_number(sari_code* code, int op, int reg, int second, int place)
{
    unsigned char* p = prefix(begin_instruction(code), op, reg, second, 0);
    const int is_near = place >= -128 && place < 128;
    *p++ = (unsigned char)((is_near ? 0x47 : 0x87) | (reg & 7) << 3);
    memcpy(p, &place, sizeof place); // least significant byte first
    code->size = (size_t)(p - code->bytes) + (is_near ? 1 : 4);
}

static void with_register(sari_code* code, int op, int reg, int second, int third)
{
    unsigned char* p = prefix(begin_instruction(code), op, reg, second, third > 7);
    *p++ = (unsigned char)(0xC0 | (reg & 7) << 3 | (third & 7));
    code->size = (size_t)(p - code->bytes);
}

/* ---- registers --------------------------------------------------------------------------------- */

/* A piece is short, so that both halves find it in the cache of instructions, and the begin of the second
 * overlaps the end of the first one. */
enum { PIECE = 2048 };

static void forget(sari_writer* a, int reg)
{
    if (a->holds[reg] >= 0) a->where[a->holds[reg]] = -1;
    a->holds[reg] = -1;
}

static void begin_piece(sari_writer* a)
{
    a->piece = a->code->size;
    for (int r = 0; r < SARI_REGISTERS; r++) forget(a, r);
}

/* Again for the other half, if that was the first of two. */
static void end_piece(sari_writer* a)
{
    static const unsigned char other_half[] = {0x48, 0x31, 0xF7, // xor rdi, rsi
                                               0x40, 0x84, 0xF7, // test dil, sil
                                               0x0F, 0x85}; // jnz, by a distance from its end on
    sari_code* code = a->code;
    memcpy(begin_instruction(code), other_half, sizeof other_half);
    code->size += sizeof other_half;
    const int back = (int)a->piece - (int)(code->size + sizeof(int));
    memcpy(code->bytes + code->size, &back, sizeof back);
    code->size += sizeof back;
}

void sari_asm_pause(sari_writer* a)
{
    if (a->code->size < a->piece + PIECE) return;
    end_piece(a);
    begin_piece(a);
}

sari_program* sari_asm_begin(sari_writer* a, sari_code* code, signed char* where)
{
    while (code->size % 64 && !code->full) begin_instruction(code)[0] = 0xCC, code->size++;
    *a = (sari_writer){.code = code, .where = where};
    for (int r = 0; r < SARI_REGISTERS; r++) a->holds[r] = -1;
    a->taken[SARI_ZERO] = 1;
    union {
        unsigned char* bytes;
        sari_program* program;
    } here = {code->bytes + code->size};
    with_register(code, EXCLUSIVE_OR, SARI_ZERO, SARI_ZERO, SARI_ZERO);
    begin_piece(a);
    return here.program;
}

void sari_asm_end(sari_writer* a)
{
    static const unsigned char end[] = {0xC5, 0xF8, 0x77, 0xC3}; // vzeroupper, ret
    end_piece(a);
    begin_piece(a);
    memcpy(begin_instruction(a->code), end, sizeof end);
    a->code->size += sizeof end;
}

int sari_asm_take(sari_writer* a)
{
    int best = -1;
    for (int r = 0; r < SARI_REGISTERS; r++)
        if (!a->taken[r] && (best < 0 || a->used[r] < a->used[best])) best = r;
    forget(a, best);
    a->taken[best] = 1;
    a->used[best] = ++a->now;
    return best;
}

void sari_asm_leave(sari_writer* a, int reg)
{
    a->taken[reg]--;
    if (a->holds[reg] < 0) a->used[reg] = 0; // the next to be taken
}

/* -1: it is not in a register */
static int find(sari_writer* a, int place)
{
    const int r = a->where[place / SARI_NUMBER];
    if (r >= 0) a->used[r] = ++a->now;
    return r;
}

static void hold(sari_writer* a, int reg, int place)
{
    forget(a, reg);
    a->holds[reg] = place / SARI_NUMBER;
    a->where[place / SARI_NUMBER] = (signed char)reg;
}

int sari_asm_number(sari_writer* a, int place)
{
    int r = find(a, place);
    if (r >= 0) {
        a->taken[r]++;
        return r;
    }
    r = sari_asm_take(a);
    with_number(a->code, LOAD, r, 0, place);
    hold(a, r, place);
    return r;
}

int sari_asm_copy(sari_writer* a, int place)
{
    const int from = find(a, place), to = sari_asm_take(a);
    if (from >= 0 && from != to)
        with_register(a->code, LOAD, to, 0, from);
    else
        with_number(a->code, LOAD, to, 0, place);
    return to;
}

/* x op y = y op x, as far as numbers go */
static int commutes(sari_operation op)
{
    return op == SARI_ADD || op == SARI_MULTIPLY || op == SARI_AND;
}

void sari_asm_operate(sari_writer* a, sari_operation op, int to, int x, int y)
{
    if (commutes(op) && y > 7 && x < 8) { // a byte less
        const int swap = x;
        x = y, y = swap;
    }
    with_register(a->code, op, to, x, y);
}

void sari_asm_operate_number(sari_writer* a, sari_operation op, int to, int x, int place)
{
    const int y = find(a, place);
    if (y >= 0)
        sari_asm_operate(a, op, to, x, y);
    else
        with_number(a->code, op, to, x, place);
}

void sari_asm_compare(sari_writer* a, sari_comparison what, int to, int x, int y)
{
    with_register(a->code, COMPARE, to, x, y);
    a->code->bytes[a->code->size++] = (unsigned char)what;
}

void sari_asm_square_root(sari_writer* a, int to, int x)
{
    with_register(a->code, ROOT, to, 0, x);
}

int sari_asm_product(sari_writer* a, int x_place, int y_place)
{
    const int known = find(a, x_place) < 0 && find(a, y_place) >= 0;
    const int x = sari_asm_number(a, known ? y_place : x_place);
    const int to = sari_asm_take(a);
    sari_asm_operate_number(a, SARI_MULTIPLY, to, x, known ? x_place : y_place);
    sari_asm_leave(a, x);
    return to;
}

void sari_asm_store(sari_writer* a, int place, int reg)
{
    const int before = find(a, place);
    if (before >= 0) forget(a, before);
    with_number(a->code, STORE, reg, 0, place);
    if (reg != SARI_ZERO) hold(a, reg, place);
}
