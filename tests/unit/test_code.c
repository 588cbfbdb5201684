/* Machine code made at run time does what was asked for: all operations, near and far numbers, more of
 * them than registers, both halves of the lanes, several pieces. */
#include "batch/code.h"
#include "sar_test.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 200, LANES = 8 };

typedef struct number {
    _Alignas(64) double x[LANES];
} number;

static number numbers[NUMBERS], expected[NUMBERS];
static signed char where[NUMBERS];

static int place(int k)
{
    return k * SARI_NUMBER;
}

/* Different in every lane, and exact in all that is done here. */
static void fill(void)
{
    for (int k = 0; k < NUMBERS; k++)
        for (int l = 0; l < LANES; l++) numbers[k].x[l] = (k % 17 + 1) * (l + 1) - 4 * (k % 3);
    memcpy(expected, numbers, sizeof numbers);
    memset(where, -1, sizeof where);
}

static void assert_numbers(void)
{
    for (int k = 0; k < NUMBERS; k++)
        for (int l = 0; l < LANES; l++)
            if (memcmp(&numbers[k].x[l], &expected[k].x[l], sizeof(double)) != 0)
                fail_msg("number %d, lane %d: %.17g, not %.17g", k, l, numbers[k].x[l],
                         expected[k].x[l]);
}

/* One half after the other: the same, and nothing in the other half before. */
static void fill_again(sari_program* program)
{
    static number both[NUMBERS];
    memcpy(both, expected, sizeof both);
    fill();
    for (int k = 0; k < NUMBERS; k++) memcpy(expected[k].x + 4, both[k].x + 4, 4 * sizeof(double));
    program((char*)numbers + SARI_HALF, 0);
    assert_numbers();
    memcpy(expected, both, sizeof both);
    program(numbers, 0);
    assert_numbers();
}

static void run(sari_code* code, sari_program* program)
{
    assert_true(sari_code_close(code));
    program(numbers, SARI_HALF);
    assert_numbers();
    fill_again(program);
    for (int k = 0; k < NUMBERS; k++) assert_int_equal(where[k], -1);
    sari_code_release(code);
}

static void test_operations(void** state)
{
    static const sari_operation op[] = {SARI_ADD, SARI_SUBTRACT, SARI_MULTIPLY, SARI_DIVIDE,
                                        SARI_MAX};
    sari_code code;
    sari_writer a;
    (void)state;
    if (!sari_code_open(&code, 1 << 16)) skip();
    fill();
    sari_program* program = sari_asm_begin(&a, &code, where);
    for (int k = 0; k < 5; k++) {
        const int x = sari_asm_number(&a, place(100 + k)), to = sari_asm_take(&a);
        const int y = sari_asm_number(&a, place(1 + k)), other = sari_asm_copy(&a, place(1 + k));
        sari_asm_operate(&a, op[k], to, x, y);                        // registers
        sari_asm_operate_number(&a, op[k], other, x, place(150 + k)); // memory
        sari_asm_store(&a, place(20 + k), to);
        sari_asm_store(&a, place(30 + k), other);
        sari_asm_leave(&a, x), sari_asm_leave(&a, to);
        sari_asm_leave(&a, y), sari_asm_leave(&a, other);
    }
    sari_asm_store(&a, place(40), SARI_ZERO);
    sari_asm_end(&a);
    for (int l = 0; l < LANES; l++) {
        for (int pass = 0; pass < 2; pass++) {
            number* to = expected + (pass ? 30 : 20);
            const number *x = expected + 100, *y = expected + (pass ? 150 : 1);
            to[0].x[l] = x[0].x[l] + y[0].x[l];
            to[1].x[l] = x[1].x[l] - y[1].x[l];
            to[2].x[l] = x[2].x[l] * y[2].x[l];
            to[3].x[l] = x[3].x[l] / y[3].x[l];
            to[4].x[l] = x[4].x[l] > y[4].x[l] ? x[4].x[l] : y[4].x[l];
        }
        expected[40].x[l] = 0.0;
    }
    run(&code, program);
}

/* Sums of products over all numbers, each from those before: registers are given away and found again. */
static void test_many_numbers(void** state)
{
    sari_code code;
    sari_writer a;
    (void)state;
    if (!sari_code_open(&code, 1 << 20)) skip();
    fill();
    sari_program* program = sari_asm_begin(&a, &code, where);
    for (int k = 0; k < 40; k++) {
        sari_asm_pause(&a);
        const int sum = sari_asm_product(&a, place(k + 60), place(k + 61));
        for (int e = 0; e < 30; e++) {
            const int p = sari_asm_product(&a, place((k + 7 * e) % 60), place(100 + e));
            sari_asm_operate(&a, e % 2 ? SARI_ADD : SARI_SUBTRACT, sum, sum, p);
            sari_asm_leave(&a, p);
        }
        sari_asm_store(&a, place(k), sum);
        sari_asm_leave(&a, sum);
    }
    sari_asm_end(&a);
    assert_true(code.size > 8192); // several pieces
    for (int k = 0; k < 40; k++)
        for (int l = 0; l < LANES; l++) {
            double sum = expected[k + 60].x[l] * expected[k + 61].x[l];
            for (int e = 0; e < 30; e++) {
                const double p = expected[(k + 7 * e) % 60].x[l] * expected[100 + e].x[l];
                sum = e % 2 ? sum + p : sum - p;
            }
            expected[k].x[l] = sum;
        }
    run(&code, program);
}

/* Too long a program is known to be one, and not executed. */
static void test_no_room(void** state)
{
    sari_code code;
    sari_writer a;
    (void)state;
    if (!sari_code_open(&code, 4096)) skip();
    fill();
    (void)sari_asm_begin(&a, &code, where);
    for (int k = 0; k < 1000; k++)
        sari_asm_leave(&a, sari_asm_product(&a, place(k % 50), place(60)));
    sari_asm_end(&a);
    assert_false(sari_code_close(&code));
    sari_code_release(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations),
                                       cmocka_unit_test(test_many_numbers),
                                       cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
