/* Expressions that are wrong: every message, the character it points at, and no harm done by text
 * that is long, deep or garbage. */
#include "expression/expression.h"

#include "sar_test.h"

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)context;
    *constant = 2;
    if (length == 1 && name[0] == 't') return 0;
    if (length == 1 && name[0] == 'L') return SARI_NAME_CONSTANT;
    if (length == 5 && memcmp(name, "crnak", 5) == 0)
        snprintf(why, size, "unknown name 'crnak' (did you mean 'crank'?)");
    return SARI_NAME_UNKNOWN;
}

static void check_message(const char* text, int offset, const char* message)
{
    sar_error error = {.offset = -7};
    sari_expression* e = (sari_expression*)&error; // must be cleared
    CHECK_STATUS(sari_expression_compile(text, look_up, NULL, &e, &error), SAR_E_MODEL);
    CHECK(e == NULL);
    CHECK_STATUS(error.status, SAR_E_MODEL);
    CHECK_TEXT(error.message, message);
    if (error.offset != offset) fail_msg("'%s': offset %d, wanted %d", text, error.offset, offset);
}

TEST(missing_parts)
{
    check_message("", 0, "the expression is empty");
    check_message(" \n", 0, "the expression is empty");
    check_message("1 +", 3, "expected a value, but the expression ends");
    check_message("1 + * 2", 4, "expected a value before '*'");
    check_message("()", 1, "expected a value before ')'");
    check_message("sin(1,)", 6, "expected a value before ')'");
    check_message("min(,1)", 4, "expected a value before ','");
    check_message("2^", 2, "expected a value, but the expression ends");
    check_message("t ? 1", 5, "expected ':' to go with the '?' at character 3");
    check_message("(t ? 1)", 6, "expected ':' to go with the '?' at character 4");
    check_message("1 : 2", 2, "':' without a '?' before it");
}

TEST(parentheses)
{
    check_message("2 * (1 + t", 10, "expected ')' to close the '(' at character 5");
    check_message("sin(t", 5, "expected ')' to close the '(' at character 4");
    check_message("((1)", 4, "expected ')' to close the '(' at character 1");
    check_message("(1, 2)", 2, "expected ')' to close the '(' at character 1");
    check_message("1 + 2)", 5, "')' without a '(' before it");
}

TEST(missing_operators)
{
    check_message("2 t", 2, "expected an operator (multiplication is written with '*') before 't'");
    check_message("2t", 1, "expected an operator (multiplication is written with '*') before 't'");
    check_message("2(t)", 1,
                  "expected an operator (multiplication is written with '*') before '('");
    check_message("(t 2)", 3,
                  "expected an operator (multiplication is written with '*') before '2'");
    check_message("1e", 1, "expected an operator (multiplication is written with '*') before 'e'");
    check_message("0x10", 1,
                  "expected an operator (multiplication is written with '*') before 'x10'");
    check_message("1 not 2", 2,
                  "expected an operator (multiplication is written with '*') before 'not'");
    check_message("t(2)", 0, "'t' is not a function (multiplication is written with '*')");
    check_message("1+L(2)", 2, "'L' is not a function (multiplication is written with '*')");
    check_message("pi(2)", 0, "'pi' is not a function (multiplication is written with '*')");
}

TEST(functions)
{
    check_message("1 + sinn(t)", 4, "unknown function 'sinn' (did you mean 'sin'?)");
    check_message("Sqrt(t)", 0, "unknown function 'Sqrt' (did you mean 'sqrt'?)");
    check_message("ln(t)", 0, "unknown function 'ln' (did you mean 'log'?)");
    check_message("arctan(t)", 0, "unknown function 'arctan' (did you mean 'atan'?)");
    check_message("quadrature(t)", 0, "unknown function 'quadrature'");
    check_message("if(t, 1, 2)", 0, "'if' is not a function: write condition ? a : b");
    check_message("2*sin(t, 2)", 2, "sin takes 1 argument, got 2");
    check_message("sin()", 0, "sin takes 1 argument, got 0");
    check_message("atan2(t)", 0, "atan2 takes 2 arguments, got 1: atan2(y, x)");
    check_message("max(t)", 0, "max takes at least 2 arguments, got 1: max(x, y, ...)");
    check_message("min()", 0, "min takes at least 2 arguments, got 0: min(x, y, ...)");
    check_message("ramp(t, 1)", 0, "ramp takes 3 arguments, got 2: ramp(t, t0, t1)");
    check_message("step(t, 0, 1)", 0, "step takes 5 arguments, got 3: step(t, t0, y0, t1, y1)");
    check_message("1 + sin", 4, "'sin' is a function: write sin(...)");
}

TEST(names)
{
    check_message("2*foo", 2, "unknown name 'foo'");
    check_message("2*crnak", 2, "unknown name 'crnak' (did you mean 'crank'?)");
    check_message("1 ? 2 : foo", 8, "unknown name 'foo'");
    check_message("t + a.b.", 7, "the name 'a.b.' must not end with '.'");
    check_message("a.b + 1", 0, "unknown name 'a.b'");
}

TEST(numbers)
{
    check_message("2*1.2.3", 2, "'1.2.3' is not a number");
    check_message("1..2", 0, "'1..2' is not a number");
    check_message("1e999", 0, "number '1e999' is too large (infinity is written inf)");
    check_message("3,5", 1,
                  "',' only separates the arguments of a function (decimals are written with a "
                  "point)");
    check_message(".", 0, "unexpected character '.'");
}

TEST(operators_of_other_languages)
{
    check_message("t**2", 1, "unexpected '**': powers are written with '^'");
    check_message("t && 1", 2, "unexpected '&&': write 'and'");
    check_message("t || 1", 2, "unexpected '||': write 'or'");
    check_message("!t", 0, "unexpected '!': write 'not'");
    check_message("t = 1", 2, "unexpected '=': comparing is written '=='");
    check_message("t =< 1", 2, "unexpected '=<': write '<='");
    check_message("t <> 1", 2, "unexpected '<>': write '!='");
    check_message("t % 2", 2, "unexpected '%': the remainder is written mod(x, period)");
    check_message("[t]", 0, "unexpected '[': use '(' and ')'");
    check_message("1 \xe2\x88\x92 t", 2, "unexpected '\xe2\x88\x92': write '-'");
    check_message("2*\xcf\x80", 2, "unexpected '\xcf\x80': write pi");
    check_message("1 + \xe2\x82\xac", 4, "unexpected character '\xe2\x82\xac'");
    check_message("1 + $", 4, "unexpected character '$'");
    check_message("1 + \x01", 4, "unexpected character with code 0x01");
    check_message("1 + \xff", 4, "unexpected character with code 0xff");
    check_message("1 + \xe2\x82", 4, "unexpected character with code 0xe2");
    check_message("1 < t < 2", 6,
                  "comparisons cannot be chained: write 'a < b and b < c', or use parentheses");
    check_message("1 + not t", 4, "put 'not' and what belongs to it in parentheses here");
}

/* ---- harmless whatever comes ---------------------------------------------------------------- */

enum { LONG = 70000 };

/// `head` once, `unit` as often as `repeat` says, `tail` once; compiled. Returns the status.
static sar_status compile_repeated(const char* head, const char* unit, int repeat, const char* tail,
                                   const char* close, int closes, sar_error* error, double* value)
{
    size_t bytes = strlen(head) + strlen(tail) + strlen(unit) * (size_t)repeat +
                   strlen(close) * (size_t)closes + 1;
    char* text = malloc(bytes);
    CHECK(text);
    char* end = text + sprintf(text, "%s", head);
    for (int k = 0; k < repeat; k++) end += sprintf(end, "%s", unit);
    end += sprintf(end, "%s", tail);
    for (int k = 0; k < closes; k++) end += sprintf(end, "%s", close);
    sari_expression* e = NULL;
    sar_status status = sari_expression_compile(text, look_up, NULL, &e, error);
    if (status == SAR_OK) *value = sari_expression_value(e, &(double){3});
    sari_expression_destroy(e);
    free(text);
    return status;
}

TEST(depth_is_limited_not_fatal)
{
    sar_error error;
    double value = 0;
    CHECK_STATUS(compile_repeated("", "(", 199, "t", ")", 199, &error, &value), SAR_OK);
    CHECK_NEAR(value, 3, 0);
    CHECK_STATUS(compile_repeated("", "(", 200, "t", ")", 200, &error, &value), SAR_E_MODEL);
    CHECK_TEXT(error.message, "nested more than 200 levels deep");
    CHECK(error.offset == 200);
    static const char* const deep[] = {"(",    "-",    "+",    "not ", "2^",        "sin(",
                                       "t?t:", "1?t:", "0?t:", "t?",   "not -t^-(", "max(1,"};
    for (size_t k = 0; k < sizeof deep / sizeof deep[0]; k++) {
        int repeat = 60000 / (int)strlen(deep[k]);
        CHECK_STATUS(compile_repeated("", deep[k], repeat, "t", "", 0, &error, &value),
                     SAR_E_MODEL);
        CHECK(error.offset > 0 && error.offset < 2000 && error.message[0]);
    }
}

TEST(stack_is_limited_at_compile_time)
{
    sar_error error;
    double value = 0;
    CHECK_STATUS(compile_repeated("", "t+(", 63, "t", ")", 63, &error, &value), SAR_OK);
    CHECK_NEAR(value, 64 * 3, 0);
    CHECK_STATUS(compile_repeated("", "t+(", 64, "t", ")", 64, &error, &value), SAR_E_MODEL);
    CHECK(error.offset == 64 * 3);
    CHECK(strstr(error.message, "more than 64 operations wait"));
    CHECK_STATUS(compile_repeated("step(t", ",t", 100, "", ")", 1, &error, &value), SAR_E_MODEL);
    CHECK_STATUS(compile_repeated("", "(t<1?5:t)+(1?2:3)+", 99, "0", "", 0, &error, &value),
                 SAR_OK);
    CHECK_NEAR(value, 99 * 5, 0);
    CHECK_STATUS(compile_repeated("max(t", ",4", 20000, "", ")", 1, &error, &value), SAR_OK);
    CHECK_NEAR(value, 4, 0);
}

TEST(long_text_is_fine_up_to_a_limit)
{
    sar_error error;
    double value = 0;
    CHECK_STATUS(compile_repeated("t", "+t", 30000, "", "", 0, &error, &value), SAR_OK);
    CHECK_NEAR(value, 90003, 0);
    CHECK_STATUS(compile_repeated("1", "+1", 30000, "", "", 0, &error, &value), SAR_OK);
    CHECK_NEAR(value, 30001, 0);
    CHECK_STATUS(compile_repeated("t", "+t", LONG, "", "", 0, &error, &value), SAR_E_MODEL);
    CHECK_TEXT(error.message, "the expression is longer than 65536 characters");
    CHECK_STATUS(compile_repeated("", "1", 5000, "", "", 0, &error, &value), SAR_E_MODEL);
    CHECK_TEXT(error.message, "number has more than 100 digits");
    CHECK_STATUS(compile_repeated("", "abc", 5000, "", "", 0, &error, &value), SAR_E_MODEL);
    CHECK(strncmp(error.message, "unknown name 'abcabc", 20) == 0);
    CHECK_STATUS(compile_repeated("", "abc", 5000, "(1)", "", 0, &error, &value), SAR_E_MODEL);
    CHECK_STATUS(compile_repeated("t ", "1.1.", 5000, "", "", 0, &error, &value), SAR_E_MODEL);
}

TEST(garbage_is_answered)
{
    static const char* const pieces[] = {"t",    "2",    "(",    ")",     "+", "-",    "*",
                                         "^",    "?",    ":",    ",",     "<", "==",   "e",
                                         "L",    "sin(", "min(", "step(", " ", "not ", " and ",
                                         " or ", "1e",   ".",    "\x80",  "!", "1.5"};
    unsigned random = 12345;
    int good = 0;
    for (int round = 0; round < 20000; round++) {
        char text[128] = "";
        for (int k = 0; k <= round % 9; k++) {
            random = random * 1664525u + 1013904223u;
            strcat(text, pieces[(random >> 16) % (sizeof pieces / sizeof pieces[0])]);
        }
        sari_expression* e = NULL;
        sar_error error = {0};
        sar_status status = sari_expression_compile(text, look_up, NULL, &e, &error);
        if (status == SAR_OK) {
            double gradient[1], value = sari_expression_value(e, &(double){0.5});
            double again = sari_expression_gradient(e, &(double){0.5}, gradient);
            CHECK(value == again || (isnan(value) && isnan(again)));
            good++;
        } else {
            CHECK_STATUS(status, SAR_E_MODEL);
            CHECK(error.offset >= 0 && error.offset <= (int)strlen(text) && error.message[0]);
        }
        sari_expression_destroy(e);
    }
    CHECK(good > 500);
}

TEST(arguments_that_are_missing)
{
    sari_expression* e = NULL;
    sar_error error = {0};
    CHECK_STATUS(sari_expression_compile(NULL, look_up, NULL, &e, &error), SAR_E_ARG);
    CHECK_STATUS(sari_expression_compile("2*q", NULL, NULL, &e, &error), SAR_E_MODEL);
    CHECK_TEXT(error.message, "unknown name 'q'");
    CHECK_STATUS(sari_expression_compile("1 +", NULL, NULL, &e, NULL), SAR_E_MODEL);
    CHECK_STATUS(sari_expression_compile("2*pi", NULL, NULL, &e, NULL), SAR_OK);
    sari_expression_destroy(e);
}

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct rationed {
    int left, live;
} rationed;

static void* rationed_allocate(void* context, size_t bytes)
{
    rationed* r = context;
    if (r->left-- <= 0) return NULL;
    r->live++;
    return calloc(1, bytes);
}

static void rationed_release(void* context, void* memory)
{
    rationed* r = context;
    if (memory) r->live--;
    free(memory);
}

TEST(lack_of_memory_at_any_point_is_reported)
{
    rationed ration = {0};
    sar_allocator allocator = {rationed_allocate, rationed_release, &ration};
    sar_set_allocator(&allocator);
    int failures = 0;
    sar_status status = SAR_E_NOMEM;
    for (int allowed = 0; allowed < 50 && status != SAR_OK; allowed++) {
        sari_expression* e = NULL;
        sar_error error = {0};
        ration = (rationed){.left = allowed};
        status = sari_expression_compile("t*sin(t)+(t<1?t*t*t*t*t*t:t^2-t+t/t)*t-t*t*t*t", look_up,
                                         NULL, &e, &error);
        if (status != SAR_OK) {
            CHECK_STATUS(status, SAR_E_NOMEM);
            CHECK_TEXT(error.message, "out of memory");
            failures++;
        } else {
            ration.left = 0; // evaluating must not ask for more
            double out[3], gradient[1];
            sari_expression_value(e, &(double){1});
            sari_expression_gradient(e, &(double){1}, gradient);
            sari_expression_series(e, &(double){1}, 0, out);
            CHECK(ration.left == 0);
        }
        sari_expression_destroy(e);
        CHECK(ration.live == 0);
    }
    sar_set_allocator(NULL);
    CHECK_STATUS(status, SAR_OK);
    CHECK(failures >= 4);
}
