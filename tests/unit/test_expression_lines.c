/* Lines against the stack code that they are made from: random expressions, at random places and at
 * zeros, have the same values, gradients and second derivatives, to the last bit where both find them in
 * the same way. */
#include "expression/lines.h"

#include "math/random.h"
#include "sar_test.h"

#include <stdio.h>
#include <string.h>

enum { VARIABLES = 9, TEXT = 4000 };

static const char* const NAMES[VARIABLES] = {"t", "x", "v", "a", "b", "c", "d", "p", "q"};

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)constant, (void)why, (void)size;
    for (int k = 0; k < *(const int*)context; k++)
        if (length == 1 && name[0] == NAMES[k][0]) return k;
    return SARI_NAME_UNKNOWN;
}

/* ---- random expressions --------------------------------------------------------------------- */

typedef struct author {
    uint64_t seed;
    int variables;
    char text[TEXT];
} author;

static int choose(author* a, int n)
{
    const int k = (int)(0.5 * (1.0 + sari_random(&a->seed)) * n);
    return k < n ? k : n - 1;
}

static void say(author* a, const char* words)
{
    const size_t length = strlen(a->text);
    snprintf(a->text + length, TEXT - length, "%s", words);
}

static void write_expression(author* a, int depth);

static void write_call(author* a, const char* function, int arguments, int depth)
{
    say(a, function);
    for (int k = 0; k < arguments; k++) {
        say(a, k ? ", " : "(");
        write_expression(a, depth);
    }
    say(a, ")");
}

static void write_leaf(author* a)
{
    static const char* const NUMBERS[] = {"0", "1", "2", "0.5", "3.7", "1e3", "pi"};
    if (choose(a, 3) == 0)
        say(a, NUMBERS[choose(a, (int)(sizeof NUMBERS / sizeof *NUMBERS))]);
    else
        say(a, NAMES[choose(a, a->variables)]);
}

static void write_expression(author* a, int depth)
{
    static const char* const OF_ONE[] = {"sin",  "cos",   "tan",  "atan", "tanh", "exp",
                                         "sqrt", "abs",   "sign", "log",  "asin", "sinh",
                                         "cosh", "floor", "acos", "-"};
    static const char* const OF_TWO[] = {"min", "max", "hypot", "atan2", "mod", "pow"};
    static const char* const SIGNS[] = {" + ", " - ", " * ", " / "};
    static const char* const POWERS[] = {"^1", "^2", "^3", "^4", "^0.5", "^(-1)"};
    static const char* const COMPARISONS[] = {" < ", " > ", " <= ", " >= ", " == "};
    if (depth == 0) {
        write_leaf(a);
        return;
    }
    const int kind = choose(a, 20);
    if (kind < 10) {
        say(a, "(");
        write_expression(a, depth - 1);
        say(a, SIGNS[kind % 4]);
        write_expression(a, depth - 1);
        say(a, ")");
    } else if (kind < 13) {
        say(a, "(");
        write_expression(a, depth - 1);
        say(a, ")");
        say(a, POWERS[choose(a, 6)]);
    } else if (kind < 16) {
        write_call(a, OF_ONE[choose(a, (int)(sizeof OF_ONE / sizeof *OF_ONE))], 1, depth - 1);
    } else if (kind < 17) {
        write_call(a, OF_TWO[choose(a, 6)], 2, depth - 1);
    } else if (kind < 18) {
        write_call(a, choose(a, 2) ? "ramp" : "pulse", 3, depth > 2 ? 1 : 0);
    } else {
        say(a, "(");
        write_expression(a, depth - 1);
        say(a, COMPARISONS[choose(a, 5)]);
        write_expression(a, 1);
        say(a, " ? ");
        write_expression(a, depth - 1);
        say(a, " : ");
        write_expression(a, depth - 1);
        say(a, ")");
    }
}

/* ---- both ways ------------------------------------------------------------------------------ */

typedef struct findings {
    double value, gradient_value, gradient[VARIABLES], series[3], along[3];
} findings;

static findings look(const sari_expression* e, const double* at)
{
    findings f;
    memset(&f, 0, sizeof f);
    f.value = sari_expression_value(e, at);
    f.gradient_value = sari_expression_gradient(e, at, f.gradient);
    sari_expression_series(e, at, 1, f.series);
    sari_expression_series_along(e, at, at, f.along);
    return f;
}

static int same(double old, double new)
{
    return memcmp(&old, &new, sizeof old) == 0 || (isnan(old) && isnan(new)) ||
           (old == 0.0 && new == 0.0);
}

/* Derivatives of what is piecewise constant are zero, even of sign(log(0)): the stack code finds NaN. */
static int same_or_better(double old, double new)
{
    return same(old, new) || isnan(old);
}

static int close_enough(double old, double new, double scale)
{
    return same_or_better(old, new) || fabs(old - new) <= 1e-11 * scale;
}

/* How many of the findings differ. */
static int compare(const sari_expression* e, const findings* old, const findings* new)
{
    const int n = sari_expression_variables(e, NULL);
    int wrong = !same(old->value, new->value) || !same(old->gradient_value, new->gradient_value) ||
                !same(new->value, new->gradient_value);
    double scale = fabs(old->value); // derivatives cancel, those of x/x too
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(old->gradient[k]));
    for (int k = 0; k < n; k++)
        wrong += n <= SARI_FORWARD ? !same_or_better(old->gradient[k], new->gradient[k])
                                   : !close_enough(old->gradient[k], new->gradient[k], scale);
    for (int k = 0; k < 3; k++)
        wrong += !same_or_better(old->series[k], new->series[k]) ||
                 !same_or_better(old->along[k], new->along[k]);
    return wrong;
}

/* Returns whether there are lines. */
static int check(author* a, sari_expression* e)
{
    struct sari_lines* lines = e->lines;
    double at[VARIABLES];
    if (!lines) return 0;
    for (int place = 0; place < 8; place++) {
        for (int k = 0; k < VARIABLES; k++)
            at[k] = place == 7 || choose(a, 6) == 0 ? 0.0 : 3.0 * sari_random(&a->seed);
        const findings new = look(e, at);
        e->lines = NULL;
        const findings old = look(e, at);
        e->lines = lines;
        if (compare(e, &old, &new)) {
            for (int k = 0; k < a->variables; k++) print_error("%s = %.17g ", NAMES[k], at[k]);
            fail_msg("differs: %s", a->text);
        }
    }
    return 1;
}

static void check_many(int variables, int count, uint64_t seed)
{
    author a = {.seed = seed, .variables = variables};
    int lines = 0;
    for (int k = 0; k < count; k++) {
        sari_expression* e;
        sar_error error;
        a.text[0] = '\0';
        write_expression(&a, 1 + choose(&a, 5));
        if (sari_expression_compile(a.text, look_up, &a.variables, &e, &error) != SAR_OK)
            fail_msg("%s: %s", a.text, error.message);
        lines += check(&a, e);
        sari_expression_destroy(e);
    }
    CHECK(lines > count / 2);
}

static void lines_have_the_bits_of_the_stack_code(void** state)
{
    (void)state;
    check_many(1, 3000, 1);
    check_many(2, 3000, 2);
    check_many(4, 3000, 3);
}

static void reverse_mode_finds_the_same_gradients(void** state)
{
    (void)state;
    check_many(VARIABLES, 4000, 4);
}

/* So many lines of an expression. */
static int count_lines(const char* text)
{
    int variables = VARIABLES;
    sari_expression* e;
    CHECK_STATUS(sari_expression_compile(text, look_up, &variables, &e, NULL), SAR_OK);
    const int count = e->lines ? e->lines->count : 0;
    sari_expression_destroy(e);
    return count;
}

static void what_occurs_twice_is_computed_once(void** state)
{
    (void)state;
    CHECK(count_lines("x") == 2); // and its end
    CHECK(count_lines("2*sin(x)") == 4);
    CHECK(count_lines("sin(x)*sin(x) + sin(x)") == 5);
    CHECK(count_lines("(x - v)^2 + 3*(x - v)") == 7);
    CHECK(count_lines("x^2 + x*2 - 1") == 6);
    // what one branch computes is not there in the other
    CHECK(count_lines("x > 0 ? sin(v) : sin(v)") == 12);
    CHECK(count_lines("sin(v) > 0 ? sin(v) : 2*sin(v)") == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_the_bits_of_the_stack_code),
        cmocka_unit_test(reverse_mode_finds_the_same_gradients),
        cmocka_unit_test(what_occurs_twice_is_computed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
